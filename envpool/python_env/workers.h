// SPDX-License-Identifier: Apache-2.0
//
// The worker processes of one pool. Each runs the environments of a range of ids. A worker is started when the
// pool is made, and again by a reset after it has died.
#pragma once

#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "envpool/core/system/child_process.h"
#include "envpool/core/system/resources.h"
#include "envpool/python_env/shared_memory.h"

namespace envpool::python_env {

using Clock = std::chrono::steady_clock;

// What the workers need, which is the same for all environments of a pool.
struct WorkersOptions {
  std::vector<std::string> command;  // the Python interpreter and the script
  std::string program;               // what the script reads: the user's function and the arrays
  i64 row_bytes = 0;                 // of the rows of an environment in shared memory
  i32 num_workers = 0;
  f64 timeout = 0;  // seconds for a call; 0: no limit
};

class Workers {
 public:
  explicit Workers(WorkersOptions options) : options_(std::move(options)) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Counts an environment when it is created. The memory is allocated when the first of them is used.
  void add_env() {
    ++num_envs_;
    ++living_envs_;
  }
  // The workers end with the last environment.
  void remove_env() {
    if (--living_envs_ == 0) end();
  }

  const View& view() const { return memory_.view(); }

  // Sends an environment's call to its worker, with at most Slot::kMessageBytes of a message. A call other than kStep
  // and kSave starts the worker if it does not run. Throws if that fails or, for these two, if the worker has died
  // since the environment's episode began.
  void post(i32 env_id, Call call, u32 seed, i32 ticket, const std::string& message) {
    allocate();
    Slot& slot = view().slot(env_id);
    Sent& sent = sent_[size_t(env_id)];
    const i32 index = worker_of(env_id);
    Worker& worker = *workers_[size_t(index)];
    {
      const std::lock_guard lock(worker.mutex);
      if (closing_.load()) throw std::runtime_error("the pool is closing");
      const bool runs = worker.child.running();
      const bool goes_on = call == kStep || call == kSave;
      if (!goes_on && !runs) start(index);
      if (goes_on && (!runs || sent.generation != worker.generation)) throw death(worker);
      sent = {call, worker.generation, u32(ticket)};
      slot.generation = sent.generation;
      slot.ticket = sent.ticket;
      slot.seed = seed;
      slot.options_bytes = u32(message.size());
      std::memcpy(slot.message, message.data(), message.size());
      slot.call.store(call);
    }
    view().worker(index).posted.fetch_add(1);
  }
  // Wakes the workers of these environments, after their calls have been posted.
  void wake(const i32* env_ids, i32 count) {
    for (i32 k = 0, last = -1; k < count; ++k) {
      const i32 index = worker_of(env_ids[k]);
      if (index == last) continue;
      last = index;
      WorkerState& state = view().worker(index);
      if (state.sleeping.load() != 0) wake_all(state.posted);
    }
  }

  bool has_result(i32 env_id) const { return view().slot(env_id).call.load() == kNone; }
  // Returns the number of the process to which the environment's last call was sent; 0 after a lost call.
  u32 generation(i32 env_id) const { return sent_[size_t(env_id)].generation; }

  // Returns whether the result will never arrive, because the worker has died. Ends a worker that would never find the
  // call, because its environment's native code has overwritten the slot.
  bool lost(i32 env_id) {
    const Sent& sent = sent_[size_t(env_id)];
    const i32 index = worker_of(env_id);
    Worker& worker = *workers_[size_t(index)];
    const std::lock_guard lock(worker.mutex);
    if (has_result(env_id)) return false;
    if (sent.generation != worker.generation || !worker.child.running()) return true;
    const Slot& slot = view().slot(env_id);
    if (slot.call.load() == sent.call && slot.generation == sent.generation && slot.ticket == sent.ticket) {
      // The word that says that the worker is asleep may have been overwritten.
      wake_all(view().worker(index).posted);
      return false;
    }
    if (has_result(env_id)) return false;
    end_worker(worker, "was ended, because its environments have damaged the memory that it shares with the pool");
    return true;
  }
  // Gives up a lost call, and returns what happened.
  std::runtime_error give_up(i32 env_id) {
    Worker& worker = *workers_[size_t(worker_of(env_id))];
    const std::lock_guard lock(worker.mutex);
    view().slot(env_id).call.store(kNone);
    sent_[size_t(env_id)].generation = 0;
    return death(worker);
  }
  // Ends the worker of an environment that takes too long.
  void kill(i32 env_id, const std::string& reason) {
    Worker& worker = *workers_[size_t(worker_of(env_id))];
    const std::lock_guard lock(worker.mutex);
    end_worker(worker, reason);
  }
  // Kills the workers that still run a call, because the pool is closing. They are not started again.
  void abandon(i32 env_id) {
    closing_.store(true);
    kill(env_id, "was ended, because the pool is closing");
  }

  const WorkersOptions& options() const { return options_; }

 private:
  struct Worker {
    std::mutex mutex;
    Child child;
    u32 generation = 0;  // number of processes started for this worker
    std::string reason;  // why it was killed, if this process did that
  };
  // What was sent to an environment's worker last. The slot has the same, but the worker can overwrite the slot.
  struct Sent {
    u32 call = kNone, generation = 0, ticket = 0;
  };

  static void end_worker(Worker& worker, const std::string& reason) {
    worker.child.kill();
    worker.reason = reason;
  }

  // Lets the workers close their environments, for at most two seconds, and kills those that still run.
  void end() {
    for (i32 i = 0; i < i32(workers_.size()); ++i) {
      WorkerState& state = view().worker(i);
      state.quit.store(1);
      state.posted.fetch_add(1);
      wake_all(state.posted);
    }
    const Clock::time_point until = Clock::now() + std::chrono::seconds(2);
    for (const auto& worker : workers_) {
      while (worker->child.owned() && worker->child.running() && Clock::now() < until) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      worker->child.kill();
    }
    memory_.release();  // the pool may be kept after it was closed
  }
  i32 worker_of(i32 env_id) const {
    const i64 workers = i64(workers_.size());
    i32 index = i32(env_id * workers / num_envs_);
    if (view().first_env(index + 1) <= env_id && index + 1 < i32(workers)) ++index;
    return index;
  }
  void allocate() {
    if (allocated_.load()) return;
    const std::lock_guard lock(mutex_);
    if (allocated_.load()) return;
    i32 count = options_.num_workers > 0 ? options_.num_workers : usable_cpus();
    count = std::min(count, num_envs_);
    memory_.create(num_envs_, count, options_.row_bytes, i64(options_.program.size()));
    sent_.resize(size_t(num_envs_));
    for (i32 i = 0; i < count; ++i) workers_.push_back(std::make_unique<Worker>());
    allocated_.store(true);
  }
  void start(i32 index) {
    Worker& worker = *workers_[size_t(index)];
    memory_.begin_worker(index, options_.program);
    Command command{.arguments = options_.command, .prints = true, .file = memory_.file()};
    command.arguments.push_back(std::to_string(index));
    command.arguments.push_back(std::to_string(worker.generation + 1));
    worker.child.start(command);
    worker.reason.clear();
    ++worker.generation;
  }
  static std::runtime_error death(Worker& worker) {
    static_cast<void>(worker.child.running());
    const std::string& how = worker.reason.empty() ? worker.child.exit() : worker.reason;
    return std::runtime_error("its worker process " + (how.empty() ? "ended" : how));
  }

  const WorkersOptions options_;
  i32 num_envs_ = 0, living_envs_ = 0;
  std::mutex mutex_;
  std::atomic<bool> allocated_{false}, closing_{false};
  SharedMemory memory_;
  std::vector<Sent> sent_;  // of each environment
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace envpool::python_env
