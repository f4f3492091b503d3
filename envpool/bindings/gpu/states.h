// SPDX-License-Identifier: Apache-2.0
//
// The states of a pool's environments in device memory, and the operations on them other than steps: snapshots, clones,
// rendering, and arrays of their named parts. All of these operations except the last wait for the device.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/bindings/gpu/array.h"
#include "envpool/bindings/gpu/device_model.h"
#include "envpool/bindings/gpu/stream.h"
#include "envpool/core/pool/environments.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/snapshot.h"
#include "envpool/core/table/launch.h"

namespace envpool::cuda {

namespace py = pybind11;

inline constexpr i64 kAlignment = 256;  // of arrays and states, as the driver aligns memory
inline i64 aligned(i64 bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

class DeviceStates {
 public:
  // Creates the twin, which has one environment on the CPU for each distinct set of options (a kind). The twin provides
  // the layout and the initial states, repairs states that the user provided, and renders.
  DeviceStates(const abi::Table& table, const EnvConfig& config, const Label& label);

  const abi::Layout& layout() const { return twin_.layout(); }
  i64 bytes() const { return slot_bytes_ * num_envs_ + (each_ ? bytes_of_options() : 0); }
  // Returns whether each environment has its own parameters on the device, and the bytes that they take. It has them if
  // options are given per environment, or have been changed.
  bool has_params_of_each() const { return each_; }
  i64 bytes_of_options() const;

  // Copies parameters and initial states to the device. Environment i is stepped on stream i / batch_size.
  void place(DeviceModel& model, std::vector<std::shared_ptr<const Stream>> streams, i32 batch_size,
             const EnvConfig& config);
  // Fills in the addresses of the states, and makes the launch wait for the caller's accesses to them.
  void describe(const Stream& stream, device::Launch& launch) const;
  // Returns the parameters that all environments share, as the kernel's argument.
  const std::string& params() const { return params_of_kind_[0]; }

  // Gives each environment its own parameters, which the kernel must then expect (ENVPOOL_PARAMS_EACH).
  void use_params_of_each();
  // These do the same as the functions of Members. Environments must have their own parameters if options are set. A
  // value that is not allowed throws TableError before anything is changed.
  void set_options(const std::vector<i32>& ids, const std::vector<std::string>& names, const f64* values, i64 width);
  std::vector<std::vector<f64>> get_options(const std::vector<i32>& ids);

  // These do the same as the functions of IdleEnvironments. The ids are valid, and those that receive states differ.
  std::vector<std::string> snapshot(const std::vector<i32>& ids);
  void restore(const std::vector<i32>& ids, const std::vector<std::string_view>& states);
  void clone(const std::vector<i32>& sources, const std::vector<i32>& ids, const u64* keys, const u32* streams);
  // Every state must have the part that read() copies and write() replaces.
  void require_part(const std::vector<i32>& ids, i64 offset, i64 bytes) const;
  void read(const std::vector<i32>& ids, i64 offset, i64 bytes, char* data);
  void write(const std::vector<i32>& ids, i64 offset, i64 bytes, const char* data);
  void render(i32 env_id, u8* rgb);
  // Writes the observation of environment ids[k] into row k, as the twin computes it.
  void observe(const std::vector<i32>& ids, abi::ResultRows rows);
  std::vector<i32> players();
  // Returns the named parts of all states as arrays with one row for each environment. The caller may write to them, so
  // every later launch repairs the states first.
  py::dict parts();

  // Frees the states. No call may be under way, and the streams must be synchronized.
  void close();

 private:
  i32 kind(i32 env_id) const { return kind_of_[size_t(env_id)]; }
  // A state with its status, as a copy on the host.
  struct Saved {
    std::string state;
    EpisodeStatus status;
  };
  // The options of an environment. Its Params have the pointers of the host.
  struct OwnOptions {
    std::string params;
    i32 limit;
  };
  enum class When { kNow, kNextEpisode };
  const Stream& stream(i32 env_id) const { return *streams_[size_t(env_id / batch_size_)]; }
  Address slot(i32 env_id) const { return slots_->memory.address() + Address(i64(env_id) * slot_bytes_); }
  // Calls a function with each run of consecutive ids: the stream of its environments, the place in `ids` of the first
  // of them, and their number. Waits for the streams.
  void with_runs(const std::vector<i32>& ids, const std::function<void(const Stream&, size_t, size_t)>& action);
  std::vector<OwnOptions> options_of(const std::vector<i32>& ids, When when);
  // Gives Params the pointers of another one.
  void copy_pointers(char* params, const void* from) const;
  // Gives the twin of an environment its current options. Then returns the number of the twin.
  i32 twin_of(i32 env_id);
  void place_slots(const Stream& stream, const EnvConfig& config);
  // Makes the first stream wait for the launches of all streams.
  void gather() const;
  // Runs an action that uses the device's memory, and waits for the stream, without the interpreter lock. The action
  // sees the results of all launches of the stream, including those in graphs.
  void with_device(const Stream& stream, const std::function<void()>& action);
  // Runs `action` with each stream and the places in `ids` of its environments, and waits for all streams.
  void with_streams(const std::vector<i32>& ids, const std::function<void(const Stream&, size_t)>& action);
  std::vector<Saved> save(const std::vector<i32>& ids);
  void put(const std::vector<i32>& ids, const std::vector<Saved>& saved);
  std::string repaired(i32 env_id, std::string_view state, const char* call);

  const abi::Table& table_;
  const Label& label_;
  const i32 num_envs_;
  bool each_;
  const std::vector<i32> kind_of_;  // of each environment
  Environments twin_;
  std::vector<i64> save_bytes_;  // of each kind
  i64 slot_bytes_ = 0;

  std::vector<std::shared_ptr<const Stream>> streams_;
  i32 batch_size_ = 1;
  std::shared_ptr<DeviceBlock> slots_;
  Memory params_, limits_, next_, players_, over_;
  std::vector<std::string> params_of_kind_;  // as kernels read them
  std::string buffer_;                       // for packed states
  bool exposed_ = false;                     // parts() was called, so the caller may have written to the states
};

}  // namespace envpool::cuda
