// SPDX-License-Identifier: Apache-2.0
//
// The models of portable environments that run as pure functions in XLA. Jitted code refers to a model by its number.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "envpool/bindings/jax/registry.h"
#include "envpool/core/pool/environments.h"
#include "envpool/core/table/signature.h"

namespace envpool::xla {

// The source that envpool/cuda/program.py writes for an environment, from which its kernel is compiled.
struct DeviceProgram {
  std::string source;                   // empty if the environment's header is not known
  std::vector<std::string> includes{};  // folders
  i32 threads = 1;                      // of a block
  i32 envs = 1;                         // that a block steps
};

// The rows of parameters that callers hold. A row consists of the resolved row of vtable.h and a signature. Only this
// process can sign a row, and it signs only rows that it has checked, so a signed row needs no further check.
class SignedParams {
 public:
  explicit SignedParams(i64 resolved_bytes) : resolved_bytes_(resolved_bytes) {}
  static SigningKey key();

  i64 bytes() const { return resolved_bytes_ + i64(sizeof(Tail)); }
  i64 words() const { return resolved_bytes_ / i64(sizeof(u64)); }  // that are signed
  // Writes the signature of a row. Rows are aligned to 8 bytes.
  void sign(u8* row) const;
  bool is_signed(const u8* row) const;

 private:
  // The end of a row, whose size is a multiple of 16 bytes.
  struct Tail {
    u64 signature, zero;
  };

  Tail tail(const u8* row) const;

  i64 resolved_bytes_;
};

enum class Operation { kStep = 0, kReset = 1 };

class ModelOnDevices;  // in gpu/xla.cc

using CheckedParams = std::shared_ptr<const std::vector<u8>>;

// A model whose environment runs as pure functions, with the data that its handlers share.
class PureModel {
 public:
  const abi::Table* table;
  std::string label;
  const OptionList list;
  const abi::Options options;
  const DeviceProgram program;
  void* handle = nullptr;
  std::vector<u8> default_params{};  // the row of the options above, signed
  // Moving averages of the time per row in nanoseconds, indexed by Operation. They determine how many threads a call
  // uses.
  std::atomic<f64> row_ns[2]{0, 0};
  const std::shared_ptr<ModelOnDevices> devices;

  PureModel(const abi::Table& of, std::string name, OptionList with, i32 max_episode_steps, DeviceProgram compiles);
  ~PureModel() { table->model_destroy(handle); }
  PureModel(const PureModel&) = delete;
  PureModel& operator=(const PureModel&) = delete;

  const abi::Layout& layout() const { return *table->layout(handle); }
  u32 tag() const;  // the first word of default_params
  i64 state_bytes() const { return table->pure->state_bytes(handle); }
  // Returns copies of rows of parameters. Throws unless all of them are signed; `first` is the number of the first row.
  CheckedParams checked_params(const abi::StridedRows& rows, i64 count, i64 first);
  SignedParams params() const { return SignedParams(table->pure->resolved_bytes(handle)); }

 private:
  // The rows of the last call. Most calls have the same rows as the call before, and comparing rows is faster than
  // computing their signatures.
  std::mutex mutex_;
  CheckedParams last_params_;
};

// The error for a row of parameters without this process's signature.
std::string unsigned_params(i64 row);

Registry<PureModel>& models();
std::shared_ptr<PureModel> model_of(const CallFrame& frame);
Error* instantiate_model(Call* call) noexcept;

struct ModelInfo {
  i64 model;                  // the value of the handlers' attribute `model`
  ObjectReference reference;  // keeps the model alive; every executable that uses the model does so too
  i64 state_bytes, params_bytes, params_values;
  std::string params;  // the row of the default parameters
  std::string view;    // JSON: the named parts of a state
};

// Creates and registers a model. Throws std::invalid_argument if the environment is not portable.
ModelInfo add_model(const abi::Table& table, const std::string& label, OptionList options, i32 max_episode_steps,
                    DeviceProgram program);

// Returns the number of live models.
i64 live_models();

}  // namespace envpool::xla
