// SPDX-License-Identifier: Apache-2.0
//
// The pool. send() and reset() queue environments, worker threads step them, recv() returns complete batches.
//
//   admission.h           which environments may be sent
//   action_store.h        their actions
//   scheduler.h           the queue, and its distribution over workers and callers
//   executor.h            how threads execute what they take from the queue
//   worker_wakeups.h      how workers wait and are woken
//   worker_threads.h      how workers begin and end
//   waits.h               how callers wait
//   result_blocks.h       the blocks that results are written to, in the order of recv()
//   members.h             the environments, of one id or of several
//   idle_environments.h   snapshots, copies and images of idle environments
//   statistics.h          returns of episodes, normalized observations and rewards
//   pool_setup.h          default options, and the arrays of a pool's blocks
//   memory_guard.h        refuses pools that would exceed a limit
//
// Synchronous mode (batch_size == num_envs): each send gets its own block, with rows in the order of the send, and recv
// returns the blocks in the order of the sends. Asynchronous mode: environments claim rows as they finish, and recv
// returns the next batch_size of them. In both modes, an environment is under way from its send until its row is
// received, and cannot be sent again in between. This bounds the size of all data structures.
//
// A call that runs out of memory throws std::bad_alloc and has no effect: in each call, all code that may throw runs
// before the first change to the pool.
//
// The callers' side (send, reset and recv) locks a mutex once per batch. The workers' side runs once per environment
// and is lock-free: it takes environments from the queue, claims rows, and completes blocks.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "envpool/core/assert.h"
#include "envpool/core/math/float_mode.h"
#include "envpool/core/pool/action_store.h"
#include "envpool/core/pool/admission.h"
#include "envpool/core/pool/block.h"
#include "envpool/core/pool/executor.h"
#include "envpool/core/pool/idle_environments.h"
#include "envpool/core/pool/members.h"
#include "envpool/core/pool/memory_guard.h"
#include "envpool/core/pool/pool_setup.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/result_blocks.h"
#include "envpool/core/pool/scheduler.h"
#include "envpool/core/pool/spin.h"
#include "envpool/core/pool/statistics.h"
#include "envpool/core/pool/waits.h"
#include "envpool/core/pool/worker_threads.h"
#include "envpool/core/system/resources.h"

namespace envpool {

class EnvPool : public std::enable_shared_from_this<EnvPool> {
 public:
  using Clock = envpool::Clock;
  using Deadline = envpool::Deadline;
  using Interrupt = envpool::Interrupt;

  static std::shared_ptr<EnvPool> make(const abi::Table& table, const EnvConfig& config, PoolOptions options) {
    return make({{&table, options.label, config}}, std::move(options));
  }
  static std::shared_ptr<EnvPool> make(const std::vector<MemberConfig>& members, PoolOptions options) {
    const FloatModeGuard float_mode;
    std::shared_ptr<EnvPool> pool(new EnvPool(members, std::move(options)));
    pool->start_threads();
    return pool;
  }
  EnvPool(const EnvPool&) = delete;
  EnvPool& operator=(const EnvPool&) = delete;

  // Queues one step of each of `count` environments. actions[f] has the rows of action field f, which are copied: one
  // per environment, or one per player if the field is per player. In the latter case `owners` has the environment of
  // each row (null: rows are grouped in the order of env_ids), and `action_rows` is the number of rows. `help` says
  // whether the caller will receive the batch, and help; if so, fewer threads are woken. With Sending::kCheckOnly,
  // nothing is queued.
  void send(const i32* env_ids, i32 count, const void* const* actions, const i32* owners = nullptr,
            i32 action_rows = -1, CallerHelp help = CallerHelp::kNo, Caller caller = Caller::kUser,
            Sending sending = Sending::kQueue) {
    std::unique_lock lock(mutex_);
    check_call("send", caller);
    const auto store = [&](RowOrder order) {
      if (autoreset_ == abi::kAutoresetDisabled) admission_.require_unfinished(env_ids, count);
      actions_.store(env_ids, count, order, actions, owners, action_rows, admission_);
      if (help == CallerHelp::kYes) require_own_batch("step", sending == Sending::kCheckOnly ? count : 0);
    };
    if (sending == Sending::kCheckOnly) return store(admission_.check(env_ids, count, "send", "env_id"));
    queue(env_ids, count, "send", Task::kStep, helps(help) ? CallerHelp::kYes : CallerHelp::kNo, store);
  }

  // Queues resets. If seeds and streams are passed, the environments' generators are seeded with them; that of an
  // environment whose stream is kNoStream continues. `options`, if not empty, is passed to each environment, in a form
  // that only the environment knows. `receives` says whether the caller will receive the batch.
  void reset(const i32* env_ids, i32 count, const u64* seeds = nullptr, const u32* streams = nullptr,
             std::string_view options = {}, bool receives = false) {
    std::unique_lock lock(mutex_);
    check_call("reset");
    const auto pass_options = [&](RowOrder) {
      if (receives) require_own_batch("reset", 0);
      if (!options.empty()) idle_.reset_options(env_ids, count, options);
    };
    queue(env_ids, count, "reset", Task::kReset, CallerHelp::kNo, pass_options, seeds, streams);
    statistics_.begin(env_ids, count);
  }

  // Returns the next complete batch. After TimedOut or Interrupted, the batch can still be received. A caller that
  // helps takes part in stepping a synchronous batch. If no worker was woken, the caller does all of the work,
  // even without CallerHelp::kYes.
  Batch recv(Deadline deadline = {}, const Interrupt& interrupted = {}, CallerHelp help = CallerHelp::kNo,
             Caller caller = Caller::kUser) {
    std::unique_lock lock(mutex_);
    check_call("recv", caller);
    Batch batch = receive(lock, deadline, interrupted, help, caller);
    admission_.settle(*batch, batch->rows());
    return batch;
  }

  // The two steps of recv(), for callers whose processing of the batch may fail. The environments stay under way until
  // settle() is called. If put_back() is called instead, a later recv returns the batch.
  Batch begin_recv(Deadline deadline = {}, const Interrupt& interrupted = {}, CallerHelp help = CallerHelp::kNo,
                   Caller caller = Caller::kUser) {
    std::unique_lock lock(mutex_);
    check_call("recv", caller);
    return receive(lock, deadline, interrupted, help, caller);
  }
  void settle(const Block& block) noexcept {
    std::lock_guard lock(mutex_);
    admission_.settle(block, block.rows());
  }
  void put_back(Batch batch) noexcept {
    std::lock_guard lock(mutex_);
    results_.put_back(std::move(batch));
    completions_.notify_all();
  }

  // Waits for all environments under way and discards their results, so that every environment can be sent again.
  void discard(const Interrupt& interrupted = {}) {
    std::unique_lock lock(mutex_);
    check_call("discard");
    while (results_.rows_done() != admission_.count()) {
      const bool ran = bounded_ && run_unlocked(lock, [this] { return executor_.run_once(); });
      if (!ran) {
        lock.unlock();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        lock.lock();
      }
      poll_interrupt(interrupted, lock);
      if (closed_) label_.throw_invalid_call("reset: the pool is closed");
    }
    results_.discard([this](const Block& block, i32 rows) { admission_.settle(block, rows); });
  }

  // These calls access idle environments (idle_environments.h).
  std::vector<std::string> snapshot(const i32* env_ids, i32 count) {
    const auto lock = lock_for("snapshot");
    return idle_.snapshot(env_ids, count);
  }
  void restore(const i32* env_ids, i32 count, const std::string_view* states) {
    const auto lock = lock_for("restore");
    idle_.restore(env_ids, count, states);
    statistics_.forget(env_ids, count);
  }
  void clone(const i32* sources, const i32* env_ids, i32 count, const u64* seeds = nullptr,
             const u32* streams = nullptr) {
    const auto lock = lock_for("clone");
    idle_.clone(sources, env_ids, count, seeds, streams);
    statistics_.copy(sources, env_ids, count);
  }
  void render(const i32* env_ids, i32 count, u8* rgb) {
    const auto lock = lock_for("render");
    idle_.render(env_ids, count, rgb);
  }
  // Returns a batch of the current observations of idle environments. It must not be settled.
  Batch observe(const i32* env_ids, i32 count) {
    const auto lock = lock_for("observe");
    admission_.check(env_ids, count, "observe", "env_ids");
    Batch batch(blocks_->acquire(count));
    batch->pool = blocks_;
    idle_.observe(env_ids, count, *batch);
    batch->compact_players();
    statistics_.describe(*batch);
    return batch;
  }
  // Sets options (Members::set_options). `call` is the name of the function that the user has called, for errors. If it
  // is "reset", nothing is set unless a reset of these environments can receive its batch.
  void set_options(const i32* env_ids, i32 count, const std::vector<std::string>& names, const f64* values, i64 width,
                   const char* call = "set_options") {
    const auto lock = lock_for(call);
    if (std::string_view(call) == "reset") require_own_batch(call, count);
    idle_.set_options(env_ids, count, names, values, width, call);
  }
  std::vector<f64> get_options(i32 env_id) {
    const auto lock = lock_for("options");
    return idle_.get_options(env_id);
  }
  // Returns the size of an environment's saved state.
  i64 state_bytes(i32 env_id) {
    const auto lock = lock_for("states");
    return idle_.state_bytes(env_id);
  }
  void read_states(const i32* env_ids, i32 count, i64 offset, i64 bytes, char* data, const char* call = "states") {
    const auto lock = lock_for(call);
    idle_.read_states(env_ids, count, offset, bytes, data, call);
  }
  void write_states(const i32* env_ids, i32 count, i64 offset, i64 bytes, const char* data) {
    const auto lock = lock_for("states");
    idle_.write_states(env_ids, count, offset, bytes, data);
  }

  // Calls `action` with the Statistics, and returns its result.
  template <class Action>
  auto access_statistics(Action&& action) {
    const auto lock = lock_for("statistics");
    return action(statistics_);
  }

  // Refuses further calls and makes the threads end after their current step, without waiting for them.
  void stop() {
    if (forked()) return;
    const std::lock_guard lock(mutex_);
    stop_threads();
  }

  // Ends the threads and destroys the environments. Waits for current steps, without limit if the timeout is infinite.
  // Throws TimedOut after the timeout; the pool is then closed, and threads that still run a step are abandoned. All
  // concurrent calls wait until the pool is closed. If a call throws Interrupted, the next call of close() completes
  // it.
  void close(std::chrono::duration<double> timeout, const Interrupt& interrupted = {}) {
    if (!(timeout.count() >= 0)) {
      label_.throw_invalid_argument("timeout: expected a number of seconds of at least 0, got " +
                                    std::to_string(timeout.count()));
    }
    if (forked()) return;
    Deadline deadline;  // empty if the timeout exceeds the range of the clock
    if (timeout.count() < 1e8) deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
    std::unique_lock lock(mutex_);
    stop_threads();
    const auto release = [this] {
      envs_->destroy_envs();
      blocks_->trim();
    };
    if (!threads_.end(lock, deadline, interrupted, release)) {
      throw TimedOut(text("close: an environment did not finish its step in time; its thread is abandoned"));
    }
  }

  bool closed() const { return closed_; }
  bool forked() const { return forked_since(generation_); }
  const std::string& label() const { return label_.name(); }
  i32 num_envs() const { return num_envs_; }
  i32 batch_size() const { return options_.batch_size; }
  i32 num_threads() const { return options_.num_threads; }
  i32 under_way() const { return admission_.count(); }
  // Returns whether other processes run the environments, so that even short calls may have to wait.
  bool waits_for_processes() const { return (flags_ & abi::kDelegated) != 0; }
  // Writes the number of players of each of these environments to `out`.
  void players(const i32* env_ids, i32 count, i32* out) {
    std::lock_guard lock(mutex_);
    for (i32 k = 0; k < count; ++k) out[k] = admission_.players(env_ids[k]);
  }
  i32 players(i32 env_id) {
    i32 count = 0;
    players(&env_id, 1, &count);
    return count;
  }
  // Returns whether the episode of an environment is over, or none has begun.
  bool over(i32 env_id) {
    std::lock_guard lock(mutex_);
    return admission_.status(env_id).over;
  }
  const abi::Layout& layout() const { return *layout_; }
  const abi::Layout& layout(i32 env_id) const { return envs_->layout(env_id); }
  const BlockLayout& block_layout() const { return blocks_->layout(); }
  const std::shared_ptr<BlockPool>& blocks() const { return blocks_; }
  std::string text(const std::string& message) const { return label_.text(message); }

 private:
  EnvPool(const std::vector<MemberConfig>& members, PoolOptions options)
      : label_(options.label),
        envs_(std::make_unique<Members>(members)),
        flags_(envs_->flags()),
        num_envs_(envs_->num_envs()),
        autoreset_(members.front().envs.autoreset),
        bounded_(step_time_of(flags_) == StepTime::kBounded),
        layout_(&envs_->layout()),
        options_(with_defaults(std::move(options), label_, num_envs_, layout_->max_players)),
        sync_(options_.batch_size == num_envs_),
        blocks_(std::make_shared<BlockPool>(block_layout_of(flags_, *layout_, options_, autoreset_))),
        admission_(label_, num_envs_),
        actions_(label_, *layout_, num_envs_),
        results_(blocks_, sync_ ? Mode::kSync : Mode::kAsync, num_envs_, options_.batch_size),
        scheduler_(num_envs_, options_.num_threads, step_time_of(flags_),
                   (flags_ & abi::kGrouped) != 0 ? abi::kGroupSize : 1),
        executor_(*envs_, actions_, results_, scheduler_, completions_, sync_ ? Mode::kSync : Mode::kAsync,
                  step_time_of(flags_)),
        idle_(label_, *envs_, admission_),
        statistics_(options_.statistics, blocks_->layout(), num_envs_, autoreset_) {
    // The additional block holds the batch that the caller keeps.
    const f64 blocks = (sync_ ? 1 : f64(results_.capacity())) + 1;
    require_memory(label_, blocks_->layout(),
                   {num_envs_, options_.num_threads, blocks, envs_->env_bytes(), actions_.bytes()});
    envs_->create(members);
    actions_.allocate();
    envs_->read_actions(actions_.fields());
    results_.allocate();
  }

  void start_threads() {
    const std::vector<i32>& cpus = options_.thread_cpus;
    std::unique_lock lock(mutex_);
    try {
      threads_.reserve(options_.num_threads);
      for (i32 i = 0; i < options_.num_threads; ++i) {
        const i32 cpu = cpus.empty() ? -1 : cpus[size_t(i) % cpus.size()];
        threads_.start([self = shared_from_this(), cpu, i] {
          name_this_thread("envpool-", i);
          pin_this_thread(cpu);
          self->work();
        });
      }
    } catch (...) {
      const i32 started = threads_.running();
      lock.unlock();
      close(std::chrono::seconds(10));
      try {
        throw;
      } catch (const std::system_error&) {
        label_.throw_invalid_call("num_threads: expected " + std::to_string(options_.num_threads) +
                                  " threads, got only " + std::to_string(started) + " from the system");
      }
    }
  }

  // ---- the callers' side; mutex_ is held ----

  void check_call(const char* call, Caller caller = Caller::kUser) {
    if (closed_) label_.throw_invalid_call(std::string(call) + ": the pool is closed");
    if (caller == Caller::kXla) return;
    const std::thread::id current = std::this_thread::get_id();
    if (first_caller_ == std::thread::id()) first_caller_ = current;
    if (first_caller_ != current) multiple_callers_ = true;
  }
  // Locks the pool for a call on idle environments.
  std::unique_lock<std::mutex> lock_for(const char* call) {
    std::unique_lock lock(mutex_);
    check_call(call);
    return lock;
  }
  // Returns whether a caller that offers help takes part in the work.
  bool helps(CallerHelp help) const { return help == CallerHelp::kYes && bounded_ && sync_; }

  // Queues a task for each environment. Has no effect if anything throws. `prepare` stores the arguments of the task.
  template <class Prepare>
  void queue(const i32* env_ids, i32 count, const char* call, Task task, CallerHelp help, Prepare&& prepare,
             const u64* seeds = nullptr, const u32* streams = nullptr) {
    const RowOrder order = admission_.admit(env_ids, count, call);
    Block* block = nullptr;
    try {
      prepare(order);
      block = results_.acquire(count, order);
    } catch (...) {
      admission_.withdraw(env_ids, count);
      throw;
    }
    for (i32 k = 0; seeds != nullptr && k < count; ++k) {
      if (streams[k] != kNoStream) envs_->seed(env_ids[k], seeds[k], streams[k]);
    }
    results_.append(block);
    scheduler_.submit(env_ids, count, order, task, block, help, receiving_);
  }

  Batch receive(std::unique_lock<std::mutex>& lock, const Deadline& deadline, const Interrupt& interrupted,
                CallerHelp help, Caller caller) {
    const bool steps = helps(help) || (bounded_ && scheduler_.caller_runs_all());
    ++receiving_;
    const struct CountGuard {
      i32& count;
      ~CountGuard() { --count; }
    } guard{receiving_};
    Clock::time_point last_poll = {};  // of `interrupted`; initially the beginning of the wait
    while (true) {
      if (closed_) label_.throw_invalid_call("recv: the pool is closed");
      const u32 completed = completions_.count();
      if (results_.has_put_back()) return results_.take_put_back();
      if (Block* block = results_.complete()) {
        Batch batch = results_.take(block);
        statistics_.process(*batch);
        return batch;
      }
      throw_if_wait_is_endless(caller);
      bool ran = false;
      if (steps) {
        // If the queue is empty, spin for a while, because other threads are about to finish their runs.
        ran = run_unlocked(lock, [&] {
          return executor_.run_once() || spin_until([&] { return completions_.count() != completed; });
        });
      }
      const Clock::time_point now = Clock::now();
      if (last_poll == Clock::time_point()) last_poll = now;
      if (interrupted && now - last_poll > kPollInterval) {
        last_poll = now;
        poll_interrupt(interrupted, lock);
        if (results_.has_put_back() || results_.complete() != nullptr) continue;
      }
      if (ran) continue;
      if (deadline && now >= *deadline) throw TimedOut(text("recv: no batch was complete within the timeout"));
      completions_.wait(lock, now, deadline,
                        [this] { return results_.complete() != nullptr || results_.has_put_back() || closed_; });
    }
  }

  // Runs `action` without the lock. Meanwhile this thread counts as one that may access the environments.
  template <class Action>
  bool run_unlocked(std::unique_lock<std::mutex>& lock, Action&& action) {
    threads_.enter();
    lock.unlock();
    const bool ran = action();
    lock.lock();
    threads_.leave();
    return ran;
  }

  // Throws if the wait could never end, unless another thread may still send environments. Calls from XLA never wait
  // for other threads, because they cannot be interrupted.
  void throw_if_wait_is_endless(Caller caller) const {
    if (caller == Caller::kUser && multiple_callers_) return;
    if (sync_ && results_.empty()) label_.throw_nothing_under_way();
    if (!sync_) throw_if_too_few("recv", admission_.count());
  }
  // Throws if a call could not receive its batch. In a synchronous pool, it would receive what an earlier send has left
  // under way. In an asynchronous pool, a batch could never be complete, unless another thread may still send
  // environments. `unmarked` is the number of the call's environments that are not yet marked as under way.
  void require_own_batch(const char* call, i64 unmarked) const {
    if (!sync_) {
      if (!multiple_callers_) throw_if_too_few(call, admission_.count() + unmarked);
    } else if (!results_.empty() || results_.has_put_back()) {
      label_.throw_invalid_call(std::string(call) + ": results of an earlier send are pending; call recv first");
    }
  }
  void throw_if_too_few(const char* call, i64 count) const {
    if (count >= options_.batch_size) return;
    label_.throw_invalid_call(std::string(call) + ": a batch needs " + std::to_string(options_.batch_size) +
                              " environments but only " + std::to_string(count) + " are under way");
  }

  void stop_threads() {
    if (closed_.exchange(true)) return;
    completions_.notify_all();
    scheduler_.stop();
    envs_->cancel();
  }

  // ---- the workers' side ----

  void work() {
    while (scheduler_.wait_for_work()) {
      while (!scheduler_.stopping() && executor_.run_once()) continue;
    }
    std::lock_guard lock(mutex_);
    threads_.leave();
  }

  const Label label_;
  const std::unique_ptr<Members> envs_;
  const u32 flags_;
  const i32 num_envs_;
  const abi::Autoreset autoreset_;
  const bool bounded_;
  const u32 generation_ = fork_generation();
  const abi::Layout* const layout_;
  const PoolOptions options_;
  const bool sync_;
  const std::shared_ptr<BlockPool> blocks_;

  Admission admission_;
  ActionStore actions_;
  ResultBlocks results_;
  Scheduler scheduler_;
  alignas(64) Completions completions_{mutex_};
  Executor executor_;

  alignas(64) std::mutex mutex_;
  std::atomic<bool> closed_{false};
  i32 receiving_ = 0;  // recv() calls in progress
  std::thread::id first_caller_{};
  bool multiple_callers_ = false;
  WorkerThreads threads_;
  IdleEnvironments idle_;
  Statistics statistics_;
};

}  // namespace envpool
