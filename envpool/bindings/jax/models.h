// SPDX-License-Identifier: Apache-2.0
//
// The models of portable environments that run as pure functions in XLA. Jitted code refers to a model by its number.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "envpool/bindings/jax/registry.h"
#include "envpool/core/pool/environments.h"

namespace envpool::xla {

// The source that envpool/cuda/program.py writes for an environment, from which its kernel is compiled.
struct DeviceProgram {
  std::string source;                   // empty if the environment's header is not known
  std::vector<std::string> includes{};  // folders
  i32 threads = 1;                      // of a block
  i32 envs = 1;                         // that a block steps
};

enum class Operation { kStep = 0, kReset = 1 };

class ModelOnDevices;  // in gpu/xla.cc

// A model whose environment runs as pure functions, with the data that its handlers share.
class PureModel {
 public:
  const abi::Table* table;
  std::string label;
  const OptionList list;
  const abi::Options options;
  const DeviceProgram program;
  const i32 max_episode_steps;
  void* handle = nullptr;
  // Moving averages of the time per row in nanoseconds, indexed by Operation. They determine how many threads a call
  // uses.
  std::atomic<f64> row_ns[2]{0, 0};
  const std::shared_ptr<ModelOnDevices> devices;

  PureModel(const abi::Table& of, std::string name, OptionList with, i32 limit, DeviceProgram compiles);
  ~PureModel() { table->model_destroy(handle); }
  PureModel(const PureModel&) = delete;
  PureModel& operator=(const PureModel&) = delete;

  const abi::Layout& layout() const { return *table->layout(handle); }
  u32 tag() const { return u32(layout().identity) | 1; }  // as in Model, and in every state
  i64 state_bytes() const { return table->pure->state_bytes(handle); }
  // The options that can differ from row to row.
  std::span<const abi::Tunable> tunables() const { return {tunables_, size_t(num_tunables_)}; }

 private:
  const abi::Tunable* tunables_ = nullptr;
  i32 num_tunables_ = 0;
};

Registry<PureModel>& models();
std::shared_ptr<PureModel> model_of(const CallFrame& frame);
Error* instantiate_model(Call* call) noexcept;

struct ModelInfo {
  i64 model;                  // the value of the handlers' attribute `model`
  ObjectReference reference;  // keeps the model alive; every executable that uses the model does so too
  i64 state_bytes;
  u32 tag;           // of every state
  std::string view;  // JSON: the named parts of a state
};

// Creates and registers a model. Throws std::invalid_argument if the environment is not portable.
ModelInfo add_model(const abi::Table& table, const std::string& label, OptionList options, i32 max_episode_steps,
                    DeviceProgram program);

// Returns the number of live models.
i64 live_models();

}  // namespace envpool::xla
