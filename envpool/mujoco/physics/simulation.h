// SPDX-License-Identifier: Apache-2.0
//
// One simulation: a model, which may be shared, and its mjData.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "envpool/core/text.h"
#include "envpool/core/types.h"
#include "envpool/mujoco/physics/model.h"

namespace envpool::mujoco {

// Throws std::invalid_argument unless all numbers are finite and within MuJoCo's limit for positions.
template <class Number>
void require_finite(const Number* numbers, i64 count, const char* what) {
  for (i64 i = 0; i < count; ++i) {
    if (std::fabs(numbers[i]) <= mjMAXVAL) continue;
    throw std::invalid_argument("state: " + std::string(what) + ": expected numbers up to 1e10, got " +
                                to_text(f64(numbers[i])));
  }
}

// Throws std::invalid_argument unless mj_step can continue from the state. A state is user input, which MuJoCo does not
// check: it would compute with NaN, and a wrong cursor of a history would make it write out of bounds.
inline void require_state(const mjModel& m, const mjtNum* state) {
  const auto cursor = [&](const mjtNum* history, int address, int samples) {
    if (address < 0 || samples < 1) return;
    const mjtNum index = history[address + 1];
    if (index >= 0 && index < samples && index == std::floor(index)) return;
    throw std::invalid_argument("state: a history's cursor: expected 0.." + std::to_string(samples - 1) + ", got " +
                                to_text(index));
  };
  for (int bit = 1; bit <= mjSTATE_INTEGRATION; bit <<= 1) {
    const i64 size = (mjSTATE_INTEGRATION & bit) != 0 ? i64(mj_stateSize(&m, bit)) : 0;
    switch (bit) {
      case mjSTATE_QPOS: require_finite(state, size, "positions"); break;
      case mjSTATE_QVEL: require_finite(state, size, "velocities"); break;
      case mjSTATE_HISTORY:
        for (int i = 0; i < m.nactuator; ++i) cursor(state, m.actuator_historyadr[i], m.actuator_history[2 * i]);
        for (int i = 0; i < m.nsensor; ++i) cursor(state, m.sensor_historyadr[i], m.sensor_history[2 * i]);
        break;
      case mjSTATE_EQ_ACTIVE:
        for (i64 i = 0; i < size; ++i) {
          if (state[i] == 0 || state[i] == 1) continue;
          throw std::invalid_argument("state: active constraints: expected 0 or 1, got " + to_text(state[i]));
        }
        break;
      default: break;
    }
    for (i64 i = 0; i < size; ++i) {
      if (std::isfinite(state[i])) continue;
      throw std::invalid_argument("state: expected finite numbers, got " + to_text(state[i]));
    }
    state += size;
  }
}

class Simulation {
 public:
  explicit Simulation(SharedModel model) : made_(std::move(model)), model_(made_) {
    mjData* data = nullptr;
    guarded([&] { data = mj_makeData(model_.get()); });
    if (data == nullptr) throw std::bad_alloc();
    data_.reset(data);
  }

  // Returns a lower bound of the heap memory of one simulation in bytes. The arena is not counted: megabytes are
  // reserved for it, of which most simulations touch only a few pages.
  static i64 heap_bytes(const SharedModel& model) {
    const Simulation one(model);
    return i64(sizeof(mjData)) + i64(one.data()->nbuffer);
  }

  // Simulates another model of the same structure, after the next reset(); null: the one that the constructor got.
  void use(const SharedModel& model) { model_ = model == nullptr ? made_ : model; }

  const mjModel* model() const { return model_.get(); }
  mjData* data() { return data_.get(); }
  const mjData* data() const { return data_.get(); }

  // Sets the model's initial state, and everything else to zero. Quantities derived from positions are not computed.
  void reset() {
    guarded([&] { mj_resetData(model(), data()); });
  }
  void forward() {
    guarded([&] { mj_forward(model(), data()); });
  }
  // Makes `count` integrator steps with the controls in data()->ctrl.
  void step(i32 count) {
    guarded([&] {
      for (i32 i = 0; i < count; ++i) mj_step(model(), data());
    });
  }
  // Computes cacc, cfrc_int and cfrc_ext for the last step, which mj_step does not compute.
  void compute_forces() {
    guarded([&] { mj_rnePostConstraint(model(), data()); });
  }

  // A saved state contains everything on which later steps depend; load() computes the derived quantities.
  i64 save_size() const { return mj_stateSize(model(), mjSTATE_INTEGRATION) * i64(sizeof(mjtNum)); }
  void save(void* out) const { mj_getState(model(), data(), static_cast<mjtNum*>(out), mjSTATE_INTEGRATION); }
  // Throws std::invalid_argument if the state is invalid, and leaves the simulation unchanged.
  void load(const void* state) {
    require_state(*model(), static_cast<const mjtNum*>(state));
    guarded([&] {
      mj_setState(model(), data(), static_cast<const mjtNum*>(state), mjSTATE_INTEGRATION);
      mj_forward(model(), data());
      // mj_forward changes the solver's warm start, which the next step depends on.
      mj_setState(model(), data(), static_cast<const mjtNum*>(state), mjSTATE_INTEGRATION);
    });
  }

 private:
  struct Delete {
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  const SharedModel made_;
  SharedModel model_;
  std::unique_ptr<mjData, Delete> data_;
};

}  // namespace envpool::mujoco
