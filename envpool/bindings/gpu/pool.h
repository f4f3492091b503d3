// SPDX-License-Identifier: Apache-2.0
//
// A pool whose environments run on a GPU: their states are stored in device memory, one launch steps a batch of them,
// and results are device arrays. Stepping does not wait for the GPU.
//
// A batch is a group of consecutive environments with its own stream. A synchronous pool has one group, and may step a
// subset of its environments. An asynchronous pool has several: while one group is simulated, the caller can use the
// results of another. Groups are received in the order in which they were sent.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "envpool/bindings/gpu/actions.h"
#include "envpool/bindings/gpu/device_model.h"
#include "envpool/bindings/gpu/launches.h"
#include "envpool/bindings/gpu/pool_calls.h"
#include "envpool/bindings/gpu/states.h"
#include "envpool/bindings/gpu/statistics.h"
#include "envpool/bindings/interpreter.h"
#include "envpool/core/pool/block.h"

namespace envpool::cuda {

struct DeviceOptions {
  std::string label;      // the environment's id, for error messages
  std::string library;    // path of the driver
  std::string image;      // the program of envpool/cuda/program.py, compiled for the device
  i32 number = 0;         // number of the device
  i32 threads = 128;      // threads in a block
  i32 envs = 128;         // environments per block
  i32 batch_size = 1;     // a divisor of the number of environments
  bool in_place = false;  // every launch of a group writes the same arrays
  StatisticsOptions statistics{};
  std::string statistics_image{};  // the program of device_statistics.h if there are any
};

class DevicePool {
 public:
  DevicePool(const abi::Table& table, const EnvConfig& config, DeviceOptions options,
             const std::vector<std::string>& outputs);
  ~DevicePool();
  DevicePool(const DevicePool&) = delete;
  DevicePool& operator=(const DevicePool&) = delete;

  // These correspond to the methods of the CPU's pool. None of them waits for the device, unless `env_id` is a device
  // array whose values the host does not know, or an argument is a JAX array and jitted code can call the pool.
  py::tuple step(const py::object& action, const py::object& env_id);
  void send(const py::object& action, const py::object& env_id);
  void reset(const py::object& env_id, const py::object& seeds, const py::object& streams);
  // In one call, so that no signal handler can run and raise in between.
  py::tuple reset_and_recv(const py::object& env_id, const py::object& seeds, const py::object& streams);
  py::tuple recv(f64 timeout);
  void discard();
  // Forgets what is under way in a synchronous pool, because a signal has interrupted the calls that would have
  // received it.
  void abandon();

  // These wait for the device.
  py::list snapshot(const py::object& env_ids);
  void restore(const py::object& env_ids, const std::vector<py::bytes>& states);
  void clone(const py::object& sources, const py::object& env_ids, const py::object& seeds, const py::object& streams);
  py::array read_states(const py::object& env_ids, std::int64_t offset, std::int64_t bytes, const std::string& call);
  void write_states(const py::object& env_ids, std::int64_t offset, const py::array_t<u8, py::array::c_style>& data);
  py::tuple observe(const py::object& env_ids);
  py::array render(const py::object& env_ids);
  py::list players(const py::object& env_ids);
  // Sets options of environments from their next episodes on, and returns those of the current episodes
  // (pool_options.cc). Options can change only if each environment has its own parameters, which need another program.
  void set_options(const py::object& env_ids, const std::vector<std::string>& names,
                   const py::array_t<f64, py::array::c_style | py::array::forcecast>& values, const std::string& call);
  std::vector<std::vector<f64>> options(const py::object& env_ids);
  bool has_params_of_each() const { return states_.has_params_of_each(); }
  void use_params_of_each(const std::string& image);
  void wait();
  void close(f64 timeout);

  // Return copies of the arrays of the statistics, by name, and replace them.
  py::dict statistics();
  void set_statistics(const py::dict& values);
  bool updates_moments();
  void set_updates_moments(bool value);

  // Returns the named parts of all states (DeviceStates::parts).
  py::dict states();

  // Calls from XLA, whose threads do not hold the interpreter lock (pool_calls.cc). The caller holds the locked pool's
  // mutex. `stream` is the stream of the jitted program. The work enqueued there before the call computes the actions,
  // and the work enqueued there after the call reads the results.
  //
  // prepare_calls, which Python calls, loads the program of device_results.h.
  std::shared_ptr<LockedPool> prepare_calls(const std::string& image);
  // The number by which jitted code finds the pool. It is valid while `registration_reference` is held.
  i64 registered_number = -1;
  std::shared_ptr<void> registration_reference{};
  void send_from_xla(const SendArgs& args, Handle stream);
  void recv_into(const std::vector<OutputBuffer>& results, Handle stream, Faults faults);
  // Waits for all launches, and throws if one reported a fault.
  void settle_calls();
  // The stream for calls from programs that have no stream, because XLA runs them on a CPU.
  Handle own_stream() const { return groups_[0]->launches.stream().handle(); }
  const std::shared_ptr<const Context>& context() const { return context_; }
  const abi::Layout& layout() const { return layout_; }
  const BlockLayout& block_layout() const { return blocks_; }
  const std::vector<int>& outputs() const { return outputs_; }
  const std::string& label() const { return options_.label; }
  i32 num_envs() const { return num_envs_; }
  std::string device_name() const { return "cuda:" + std::to_string(options_.number); }

  bool closed() const { return closed_; }
  i64 under_way() const { return under_way_; }
  i32 batch_size() const { return options_.batch_size; }

 private:
  // A call to the pool that is in progress. Meanwhile, the pool may be closed by another thread, or by Python code that
  // the call runs, such as a signal handler or an action's __dlpack__. The pool's memory is then freed when the last
  // call ends.
  class CallGuard {
   public:
    explicit CallGuard(DevicePool& pool) : pool_(pool), lock_(pool.locked_->mutex) {
      pool_.check_open();
      ++pool_.calls_;
    }
    ~CallGuard() {
      if (--pool_.calls_ == 0 && pool_.closed_) pool_.free_quietly();
    }
    CallGuard(const CallGuard&) = delete;
    CallGuard& operator=(const CallGuard&) = delete;

   private:
    DevicePool& pool_;
    const python::PatientLock lock_;
  };
  using Ids = std::shared_ptr<const std::vector<i32>>;
  struct Group {
    Group(const Label& label, std::shared_ptr<const Context> context, WithLegacyStream order, i64 block_bytes,
          bool in_place)
        : launches(label, std::move(context), order, block_bytes, in_place) {}

    Launches launches;
    Ids ids{};  // of all its environments, in order
    bool busy = false;
    u64 received = 0;  // when its last batch was received, as a number that grows from batch to batch
  };
  // One launch of a call: consecutive rows of the call, beginning with `first`, whose environments are in one group.
  struct CallPart {
    Group* group;
    Ids ids;
    i64 first;
    device::Launch launch{};
    Launches::Inputs inputs{};

    i32 rows() const { return i32(ids->size()); }
    bool whole() const { return ids == group->ids; }
  };
  // A launch whose results have not been received.
  struct Pending {
    Group* group;
    std::shared_ptr<DeviceBlock> block;
    Ids ids;
  };

  std::string text(const std::string& what) const { return label_.text(what); }
  void check_open() const;
  void free();
  void free_quietly() noexcept;
  void check_usable();
  void require_idle(i32 env_id, const char* call) const;
  // If jitted programs are still computing this argument, waits for them. The caller must not hold the mutex, because
  // the programs may call this pool.
  void await_programs(const py::object& value) const;
  std::vector<i32> idle_ids(const py::object& env_ids, const char* call);
  void require_distinct(const std::vector<i32>& ids, const char* call) const;
  void choose_outputs(const std::vector<std::string>& names);
  std::vector<CallPart> parts_of(const py::object& env_id, const char* call);
  std::vector<CallPart> parts_of_all(const char* call);
  std::vector<CallPart> parts_of_ids(const i32* ids, i64 count, const char* call);
  void require_distinct_idle(const std::vector<CallPart>& parts, const char* call) const;
  Ids checked_ids(const i32* ids, i64 count, const Group& group, const char* call) const;
  // Runs a function that converts the arguments of a call into its parts, and then launches the parts.
  void send_parts(const char* call, const std::function<std::vector<CallPart>()>& convert);
  void launch(CallPart part);
  void enqueue_statistics(const CallPart& part, const Pending& pending, Handle stream) const {
    statistics_->enqueue(part.launch, {pending.block->memory.address(), places_.arrays}, stream);
  }
  // Fills in the arguments of a part's launch. Returns the block into which the launch writes its results.
  Pending describe(CallPart& part);
  CallPart part_of(Group& group, Ids ids, i64 first) const {
    return {&group, std::move(ids), first, model_->constant(), {}};
  }
  Pending next_pending();
  // Returns the oldest batch.
  py::tuple receive();
  // The places of the arrays in a block.
  struct Places {
    std::vector<i64> arrays;
    i64 done = 0, bytes = 0;
  };
  Places places_of(i64 rows) const;
  py::tuple arrays_of(const std::shared_ptr<DeviceBlock>& block, const Places& places, const Ids& ids) const;
  // Waits for all launches, and returns a stream for accesses to what they have written.
  const Stream& settled() const;
  void check_received(const char* call) const;
  void drop_pending();
  Group& longest_received(const char* call);
  void describe_args(const SendArgs& args, CallPart& part, Handle stream, bool copy);
  void set_busy(const Pending& pending, bool busy);

  const abi::Table& table_;
  const DeviceOptions options_;
  const Label label_;
  const i32 num_envs_;
  const abi::Autoreset autoreset_;
  DeviceStates states_;
  const abi::Layout& layout_;
  const BlockLayout blocks_;
  const Places places_;       // in the block of a batch
  std::vector<int> outputs_;  // indices of arrays; -1 is `done`
  python::IdsArgument ids_;

  std::shared_ptr<const Context> context_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::unique_ptr<DeviceActions> actions_;
  std::unique_ptr<DeviceModel> model_;
  std::unique_ptr<DeviceStatistics> statistics_;
  i64 stack_ = 0;  // the local memory of a thread, in bytes

  const std::shared_ptr<LockedPool> locked_ = std::make_shared<LockedPool>();
  Owned<Handle> results_module_;  // for XLA
  Handle results_kernel_ = nullptr;
  std::map<std::vector<i32>, std::pair<Ids, Memory>> known_ids_;  // the ids that jitted programs contain

  std::deque<Pending> pending_;
  std::vector<u8> busy_;  // whether each environment is under way in a launch of only part of its group
  std::atomic<i64> under_way_{0};
  u64 batches_received_ = 0;
  i32 calls_ = 0;
  bool sending_ = false;  // a call converts arguments or launches its parts, which may release the interpreter lock
  std::atomic<bool> closed_{false};
  bool freed_ = false;
};

void bind_pool(py::module_& module);

}  // namespace envpool::cuda
