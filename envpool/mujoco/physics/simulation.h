// SPDX-License-Identifier: Apache-2.0
//
// One simulation: a model, shared or its own, and the data that it moves.
#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "envpool/core/types.h"
#include "envpool/mujoco/physics/model.h"

namespace envpool::mujoco {

class Simulation {
 public:
  explicit Simulation(SharedModel model) : model_(std::move(model)) {
    mjData* data = nullptr;
    guarded([&] { data = mj_makeData(model_.get()); });
    if (data == nullptr) throw std::bad_alloc();
    data_.reset(data);
  }

  const mjModel* model() const { return model_.get(); }
  mjData* data() { return data_.get(); }
  const mjData* data() const { return data_.get(); }

  // To the model's initial state, all else zero. What follows from positions is not computed.
  void reset() {
    guarded([&] { mj_resetData(model(), data()); });
  }
  void forward() {
    guarded([&] { mj_forward(model(), data()); });
  }
  // As many steps of the integrator, with data()->ctrl as it is.
  void step(i32 count) {
    guarded([&] {
      for (i32 i = 0; i < count; ++i) mj_step(model(), data());
    });
  }
  // Forces as of the last step: cacc, cfrc_int and cfrc_ext, which a step leaves alone.
  void forces() {
    guarded([&] { mj_rnePostConstraint(model(), data()); });
  }

  // A state is all that the next steps depend on; what follows from it is computed anew by load().
  i64 save_size() const { return mj_stateSize(model(), mjSTATE_INTEGRATION) * i64(sizeof(mjtNum)); }
  void save(void* out) const { mj_getState(model(), data(), static_cast<mjtNum*>(out), mjSTATE_INTEGRATION); }
  void load(const void* state) {
    guarded([&] {
      mj_setState(model(), data(), static_cast<const mjtNum*>(state), mjSTATE_INTEGRATION);
      mj_forward(model(), data());
      // Forward has moved the solver's warm start, which the next step begins from.
      mj_setState(model(), data(), static_cast<const mjtNum*>(state), mjSTATE_INTEGRATION);
    });
  }

 private:
  struct Free {
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  SharedModel model_;
  std::unique_ptr<mjData, Free> data_;
};

}  // namespace envpool::mujoco
