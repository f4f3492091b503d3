// SPDX-License-Identifier: Apache-2.0
//
// The pool. send() and reset() queue environments, threads step them, recv() takes complete batches.
//
//   admission.h        which environments may be sent
//   action_store.h     what they were sent
//   scheduler.h        who steps them: the queue, the workers, and what is left to callers
//   worker_wakeups.h   how workers wait, and are woken
//   result_blocks.h    the blocks that results are written to, in the order of recv()
//   snapshot.h         the form of a snapshot
//   memory_guard.h     refuses a pool that memory could not hold
//
// Sync (batch_size == num_envs): each send gets a block of its own, rows in the order asked for; recv returns the
// blocks in the order they were sent. Async: rows are claimed as environments finish, and recv takes the next
// batch_size of them. Either way an environment is under way from its send until its row is received, and cannot be
// sent twice: that bounds everything, so nothing here can overflow.
//
// A call that runs out of memory throws std::bad_alloc and has no effect: in each call, all code that may throw runs
// before the first change to the pool.
//
// One mutex guards the callers' side (send, reset, recv: once a batch). The workers' side, once an environment, is
// lock-free: the queue, the claiming of rows and the completion of blocks.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "envpool/core/math/arithmetic.h"
#include "envpool/core/pool/action_store.h"
#include "envpool/core/pool/admission.h"
#include "envpool/core/pool/environments.h"
#include "envpool/core/pool/memory_guard.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/process.h"
#include "envpool/core/pool/result_blocks.h"
#include "envpool/core/pool/scheduler.h"
#include "envpool/core/pool/snapshot.h"
#include "envpool/core/pool/spin.h"
#include "envpool/core/pool/state_buffer.h"

namespace envpool {

class EnvPool : public std::enable_shared_from_this<EnvPool> {
 public:
  using Clock = std::chrono::steady_clock;
  using Deadline = std::optional<Clock::time_point>;
  using Interrupt = std::function<bool()>;  // asked now and then while waiting; throws nothing

  static std::shared_ptr<EnvPool> make(const abi::Table& table, const Construction& how, PoolOptions options) {
    const PlainArithmetic arithmetic;
    std::shared_ptr<EnvPool> pool(new EnvPool(table, how, std::move(options)));
    pool->start_threads();
    return pool;
  }
  EnvPool(const EnvPool&) = delete;
  EnvPool& operator=(const EnvPool&) = delete;

  // Queues one step each of `count` environments. actions[f] holds action field f's rows, one per environment, or one
  // per player of it where the field is per player; `owners` then names each row's environment (null: grouped, in the
  // order of env_ids), and `action_rows` counts the rows. Everything is copied before this returns. A caller that goes
  // straight on to recv and helps there says so, and fewer threads are woken.
  void send(const i32* env_ids, i32 count, const void* const* actions, const i32* owners = nullptr,
            i32 action_rows = -1, CallerHelp help = CallerHelp::kNo, Caller caller = Caller::kUser) {
    std::unique_lock lock(mutex_);
    enter("send", caller);
    queue(env_ids, count, "send", Task::kStep, helps(help) ? CallerHelp::kYes : CallerHelp::kNo, [&](RowOrder order) {
      if (autoreset_ == abi::kAutoresetDisabled) admission_.require_unfinished(env_ids, count);
      actions_.store(env_ids, count, order, actions, owners, action_rows, admission_);
    });
  }

  // Queues resets. With seeds (and streams), the environments' generators start anew from them.
  void reset(const i32* env_ids, i32 count, const u64* seeds = nullptr, const u32* streams = nullptr) {
    std::unique_lock lock(mutex_);
    enter("reset");
    queue(env_ids, count, "reset", Task::kReset, CallerHelp::kNo, [](RowOrder) {}, seeds, streams);
  }

  // The next complete batch. Throws TimedOut or Interrupted, with the batch still to be had. A caller that helps takes
  // part in the work of a sync batch; where no worker was worth waking, it does all of it in any case.
  Batch recv(Deadline deadline = {}, const Interrupt& interrupted = {}, CallerHelp help = CallerHelp::kNo,
             Caller caller = Caller::kUser) {
    std::unique_lock lock(mutex_);
    enter("recv", caller);
    Batch batch = receive(lock, deadline, interrupted, help, caller);
    admission_.settle(*batch, batch->rows());
    return batch;
  }

  // The same in two steps, for a caller who has to make something of the batch that may fail: its environments stay
  // under way until settle(), and put_back() in its place lets a later recv have the batch.
  Batch begin_recv(Deadline deadline = {}, const Interrupt& interrupted = {}, CallerHelp help = CallerHelp::kNo,
                   Caller caller = Caller::kUser) {
    std::unique_lock lock(mutex_);
    enter("recv", caller);
    return receive(lock, deadline, interrupted, help, caller);
  }
  void settle(const Block& block) noexcept {
    std::lock_guard lock(mutex_);
    admission_.settle(block, block.rows());
  }
  void put_back(Batch batch) noexcept {
    std::lock_guard lock(mutex_);
    results_.put_back(std::move(batch));
    received_.notify_all();
  }

  // Waits for whatever is under way and drops it, so that every environment can be sent again.
  void discard(const Interrupt& interrupted = {}) {
    std::unique_lock lock(mutex_);
    enter("discard");
    while (results_.rows_done() != admission_.count()) {
      const bool ran = bounded_ && run_unlocked(lock, [this] { return run_once(); });
      lock.unlock();
      if (!ran) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const bool stop = interrupted && interrupted();
      lock.lock();
      if (stop) throw Interrupted();
      if (closed_) label_.refuse_call("reset: the pool is closed");
    }
    results_.discard([this](const Block& block, i32 rows) { admission_.settle(block, rows); });
  }

  // State of an environment that is not under way.
  std::string snapshot(i32 env_id) {
    std::unique_lock lock(mutex_);
    enter("snapshot");
    admission_.require_idle(env_id, "snapshot");
    if ((table_.flags & abi::kCanSnapshot) == 0) label_.refuse_call("snapshot: this environment cannot save its state");
    const PlainArithmetic arithmetic;
    return Snapshot::pack(identity(env_id), admission_.status(env_id), envs_->save(env_id));
  }
  void restore(i32 env_id, const char* data, i64 size) {
    std::unique_lock lock(mutex_);
    enter("restore");
    admission_.require_idle(env_id, "restore");
    if ((table_.flags & abi::kCanSnapshot) == 0) label_.refuse_call("restore: this environment cannot load a state");
    const Snapshot saved(label_, identity(env_id), layout_->max_players, data, size);
    load(env_id, saved.state(), saved.state_size(), saved.status(), "restore");
  }
  // Copies the whole state of one environment, its generator included, into others. With seeds (and streams) each
  // copy draws from a generator of its own from here on. All or nothing, as far as arguments go.
  void clone(i32 source, const i32* env_ids, i32 count, const u64* seeds = nullptr, const u32* streams = nullptr) {
    std::unique_lock lock(mutex_);
    enter("clone");
    if ((table_.flags & abi::kCanSnapshot) == 0) label_.refuse_call("clone: this environment cannot save its state");
    admission_.require_idle(source, "clone");
    admission_.admit(env_ids, count, "clone");
    admission_.withdraw(env_ids, count);
    for (i32 k = 0; k < count; ++k) {
      if (identity(env_ids[k]) == identity(source)) continue;
      label_.refuse_argument("clone: environment " + std::to_string(env_ids[k]) +
                             " cannot take the state of environment " + std::to_string(source) +
                             ", which has other options");
    }
    const std::string state = [&] {
      const PlainArithmetic arithmetic;
      return envs_->save(source);
    }();
    for (i32 k = 0; k < count; ++k) {
      if (env_ids[k] != source) {
        load(env_ids[k], state.data(), i64(state.size()), admission_.status(source), "clone");
      }
      if (seeds != nullptr) envs_->seed(env_ids[k], seeds[k], streams[k]);
    }
  }
  // Writes a picture of each, (render_height, render_width, 3).
  void render(const i32* env_ids, i32 count, u8* rgb) {
    std::unique_lock lock(mutex_);
    enter("render");
    const i64 bytes = i64(layout().render_height) * layout().render_width * 3;
    if ((table_.flags & abi::kCanRender) == 0 || bytes == 0) {
      label_.refuse_call("render: this environment has no picture");
    }
    for (i32 k = 0; k < count; ++k) admission_.require_idle(env_ids[k], "render");
    const PlainArithmetic arithmetic;
    try {
      for (i32 k = 0; k < count; ++k) envs_->render(env_ids[k], rgb + bytes * k);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      label_.refuse_call(error.what());
    }
  }

  // Refuses further calls and has the threads end after the step that they are in, without waiting for them.
  void stop() {
    if (forked()) return;
    const std::lock_guard lock(mutex_);
    stop_threads();
  }

  // Ends the threads and the environments. Waits for environments that are in the middle of a step, for ever if the
  // timeout is infinite, then throws TimedOut; the pool is closed all the same, and what hangs is abandoned. Of several
  // calls at once each waits for the end. One that is Interrupted has closed the pool, and leaves the end to the next.
  void close(std::chrono::duration<double> timeout, const Interrupt& interrupted = {}) {
    if (!(timeout.count() >= 0)) {
      label_.refuse_argument("timeout: expected a number of seconds of at least 0, got " +
                             std::to_string(timeout.count()));
    }
    if (forked()) return;
    Deadline deadline;  // none beyond what the clock can count
    if (timeout.count() < 1e8) deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
    std::unique_lock lock(mutex_);
    stop_threads();
    while (!ended_ && (running_ > 0 || ending_)) {
      const Clock::time_point now = Clock::now();
      if (deadline && now >= *deadline) {
        if (!ending_) {
          ended_ = true;
          for (std::thread& thread : threads_) thread.detach();
          threads_.clear();
          exited_.notify_all();
        }
        throw TimedOut(text("close: an environment did not finish its step in time; its thread is abandoned"));
      }
      wait(exited_, lock, now, deadline);
      if (!interrupted) continue;
      lock.unlock();
      const bool stop = interrupted();
      lock.lock();
      if (stop) throw Interrupted();
    }
    if (ended_) return;
    ending_ = true;
    std::vector<std::thread> threads = std::move(threads_);
    lock.unlock();
    for (std::thread& thread : threads) thread.join();
    envs_->destroy_envs();
    blocks_->trim();
    lock.lock();
    ended_ = true;
    exited_.notify_all();
  }

  bool closed() const { return closed_; }
  bool forked() const { return forked_since(generation_); }
  const std::string& label() const { return label_.name(); }
  i32 num_envs() const { return num_envs_; }
  i32 batch_size() const { return options_.batch_size; }
  i32 num_threads() const { return options_.num_threads; }
  i32 under_way() const { return admission_.count(); }
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
  const abi::Layout& layout() const { return *layout_; }
  const BlockLayout& block_layout() const { return blocks_->layout(); }
  const std::shared_ptr<BlockPool>& blocks() const { return blocks_; }
  std::string text(const std::string& message) const { return label_.text(message); }

 private:
  static constexpr auto kInterruptEvery = std::chrono::milliseconds(50);

  EnvPool(const abi::Table& table, const Construction& how, PoolOptions options)
      : table_(table),
        label_(options.label),
        num_envs_(how.num_envs),
        autoreset_(how.autoreset),
        bounded_((table.flags & (abi::kPortable | abi::kBounded)) != 0),
        envs_(std::make_unique<Environments>(table, how)),
        layout_(&envs_->layout()),
        options_(completed(std::move(options))),
        sync_(options_.batch_size == num_envs_),
        blocks_(make_blocks()),
        admission_(label_, num_envs_),
        actions_(label_, *layout_, num_envs_),
        results_(blocks_, sync_ ? Mode::kSync : Mode::kAsync, num_envs_, options_.batch_size),
        scheduler_(num_envs_, options_.num_threads, bounded_ ? StepTime::kBounded : StepTime::kUnbounded) {
    // One more block is counted for the batch that the caller holds.
    const f64 blocks = (sync_ ? 1 : f64(results_.capacity())) + 1;
    require_memory(label_, blocks_->layout(),
                   {num_envs_, options_.num_threads, blocks, envs_->env_bytes(), actions_.bytes()});
    envs_->create(how);
    actions_.allocate();
    results_.allocate();
  }

  PoolOptions completed(PoolOptions options) const {
    const i32 most = std::numeric_limits<i32>::max() / layout_->max_players;
    if (num_envs_ > most) {
      label_.refuse_argument("num_envs: expected at most " + std::to_string(most) + " environments of " +
                             std::to_string(layout_->max_players) + " players each, got " + std::to_string(num_envs_));
    }
    if (options.batch_size == 0) options.batch_size = num_envs_;
    if (options.num_threads == 0) options.num_threads = std::min(usable_cpus(), options.batch_size);
    return options;
  }
  std::shared_ptr<BlockPool> make_blocks() const {
    const bool same_step = autoreset_ == abi::kAutoresetSameStep, portable = (table_.flags & abi::kPortable) != 0;
    return std::make_shared<BlockPool>(BlockLayout(*layout_, options_.batch_size,
                                                   same_step ? FinalFields::kKept : FinalFields::kNone,
                                                   portable ? Failures::kNever : Failures::kPossible));
  }

  void start_threads() {
    const std::vector<i32>& cpus = options_.thread_cpus;
    std::unique_lock lock(mutex_);
    try {
      threads_.reserve(size_t(options_.num_threads));
      for (i32 i = 0; i < options_.num_threads; ++i) {
        const i32 cpu = cpus.empty() ? -1 : cpus[size_t(i) % cpus.size()];
        threads_.emplace_back([self = shared_from_this(), cpu, i] {
          name_this_thread("envpool-", i);
          pin_this_thread(cpu);
          self->work();
        });
        ++running_;
      }
    } catch (...) {
      const i32 started = running_;
      lock.unlock();
      close(std::chrono::seconds(10));
      try {
        throw;
      } catch (const std::system_error&) {
        label_.refuse_call("num_threads: the system gave only " + std::to_string(started) + " threads");
      }
    }
  }

  // ---- the callers' side; mutex_ is held ----

  void enter(const char* call, Caller caller = Caller::kUser) {
    if (closed_) label_.refuse_call(std::string(call) + ": the pool is closed");
    if (caller == Caller::kXla) return;
    const std::thread::id me = std::this_thread::get_id();
    if (first_caller_ == std::thread::id()) first_caller_ = me;
    if (first_caller_ != me) many_callers_ = true;
  }
  // Whether a caller that offers its help takes part in the work.
  bool helps(CallerHelp help) const { return help == CallerHelp::kYes && bounded_ && sync_; }

  // Queues a task of each environment, or has no effect if anything throws. `prepare` makes ready what the task needs.
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
    for (i32 k = 0; seeds != nullptr && k < count; ++k) envs_->seed(env_ids[k], seeds[k], streams[k]);
    results_.append(block);
    scheduler_.submit(env_ids, count, task, block, help, receiving_);
  }

  Batch receive(std::unique_lock<std::mutex>& lock, const Deadline& deadline, const Interrupt& interrupted,
                CallerHelp help, Caller caller) {
    const bool steps = helps(help) || (bounded_ && scheduler_.caller_runs_all());
    ++receiving_;
    const struct Counted {
      i32& count;
      ~Counted() { --count; }
    } counted{receiving_};
    Clock::time_point asked = {};  // when `interrupted` was, or began to be due
    while (true) {
      if (closed_) label_.refuse_call("recv: the pool is closed");
      const u32 finished = finished_.load(std::memory_order_acquire);
      if (results_.has_returned()) return results_.take_returned();
      if (Block* block = results_.complete()) return results_.take(block);
      refuse_endless_wait(caller);
      bool ran = false;
      if (steps) {
        // Where nothing is left to begin with, others are about to end what they have begun.
        ran = run_unlocked(lock, [&] {
          return run_once() || spin_until([&] { return finished_.load(std::memory_order_acquire) != finished; });
        });
      }
      const Clock::time_point now = Clock::now();
      if (asked == Clock::time_point()) asked = now;
      if (interrupted && now - asked > kInterruptEvery) {
        asked = now;
        lock.unlock();
        const bool stop = interrupted();
        lock.lock();
        if (stop) throw Interrupted();
        if (results_.has_returned() || results_.complete() != nullptr) continue;
      }
      if (ran) continue;
      if (deadline && now >= *deadline) throw TimedOut(text("recv: no batch was complete within the timeout"));
      waiting_.fetch_add(1, std::memory_order_seq_cst);
      ENVPOOL_INTERLEAVE();
      if (results_.complete() == nullptr && !results_.has_returned() && !closed_) wait(received_, lock, now, deadline);
      waiting_.fetch_sub(1, std::memory_order_seq_cst);
    }
  }

  // Waits for a notification, until the deadline or until signals are to be looked for.
  static void wait(std::condition_variable& condition, std::unique_lock<std::mutex>& lock, Clock::time_point now,
                   const Deadline& deadline) {
    const Clock::time_point slice = now + kInterruptEvery;
    condition.wait_until(lock, deadline ? std::min(*deadline, slice) : slice);
  }

  // Runs `action` without the lock, and counts this thread as one that may touch the environments meanwhile.
  template <class Action>
  bool run_unlocked(std::unique_lock<std::mutex>& lock, Action&& action) {
    ++running_;
    lock.unlock();
    const bool ran = action();
    lock.lock();
    leave();
    return ran;
  }

  // Unless another thread may send what a batch still needs: say so instead of waiting for ever. A program of XLA's
  // cannot be interrupted, so it never waits for others.
  void refuse_endless_wait(Caller caller) const {
    if (caller == Caller::kUser && many_callers_) return;
    if (sync_ && results_.empty()) {
      label_.refuse_call("recv: nothing is under way; call send, reset or async_reset first");
    }
    if (!sync_ && admission_.count() < options_.batch_size) {
      label_.refuse_call("recv: a batch needs " + std::to_string(options_.batch_size) + " environments but only " +
                         std::to_string(admission_.count()) + " are under way");
    }
  }

  u64 identity(i32 env_id) const { return snapshot_identity(label_, envs_->identity(env_id)); }
  void load(i32 env_id, const char* state, i64 size, EpisodeStatus status, const char* call) {
    const PlainArithmetic arithmetic;
    try {
      envs_->load(env_id, state, size);
    } catch (const std::invalid_argument& error) {
      label_.refuse_argument(std::string(call) + ": " + error.what());
    }
    admission_.set_status(env_id, status);
  }

  void stop_threads() {
    if (closed_.exchange(true)) return;
    received_.notify_all();
    scheduler_.stop();
  }

  // Called with mutex_ held by whoever leaves the environments alone again.
  void leave() {
    if (--running_ == 0 && closed_) exited_.notify_all();
  }

  // ---- the workers' side ----

  void work() {
    while (scheduler_.wait_for_work()) {
      while (!scheduler_.stopping() && run_once()) continue;
    }
    std::lock_guard lock(mutex_);
    leave();
  }

  // What a table call needs to find its way back: the pool, and in async mode the row that is being written.
  struct Execution {
    EnvPool* pool;
    Block* block = nullptr;
    i32 writing = -1;     // environment whose row is claimed
    i32 early_count = 0;  // exceptions of an environment that has no row yet: of its step, and of its reset
    Failure early[2]{};
  };

  // Steps environments of the queue. Returns false if it is empty.
  bool run_once() {
    Run run;
    if (!scheduler_.take(run)) return false;
    Execution execution{this, run.block};
    abi::Work work{};
    work.env_ids = run.env_ids;
    work.count = run.count;
    work.actions = actions_.fields();
    if (run.block != nullptr) work.rows = run.block->rows_from(run.first_row);
    work.claim = claim;
    work.fail = note_failure;
    work.context = &execution;
    const Clock::time_point begin = Clock::now();
    {
      const PlainArithmetic arithmetic;
      envs_->run(work, run.task);
    }
    scheduler_.measure(run, u64(std::chrono::nanoseconds(Clock::now() - begin).count()));
    if (run.block != nullptr) {
      finish(run.block, run.count);
    } else if (execution.block != nullptr) {
      finish(execution.block, 1);
    }
    return true;
  }

  // Rows of a block have been written. Whoever writes its last wakes those that wait in recv().
  void finish(Block* block, i32 count) {
    ENVPOOL_INTERLEAVE();
    if (!block->finish(count)) return;
    finished_.fetch_add(1, std::memory_order_release);
    ENVPOOL_INTERLEAVE();
    if (waiting_.load(std::memory_order_seq_cst) > 0) {
      std::lock_guard lock(mutex_);
      received_.notify_all();
    }
  }

  static abi::Rows claim(void* context, i32 env_id) noexcept {
    Execution& execution = *static_cast<Execution*>(context);
    EnvPool& pool = *execution.pool;
    if (execution.block != nullptr) pool.finish(execution.block, 1);
    const auto [block, row] = pool.results_.claim();
    execution.block = block;
    execution.writing = env_id;
    for (i32 i = 0; i < execution.early_count; ++i) block->fail(std::move(execution.early[i]));
    execution.early_count = 0;
    return block->rows_from(row);
  }

  static void note_failure(void* context, i32 env_id, const char* what) noexcept {
    Execution& execution = *static_cast<Execution*>(context);
    const bool has_row = execution.block != nullptr && (execution.pool->sync_ || execution.writing == env_id);
    if (has_row) {
      execution.block->fail(Failure::of(env_id, what));
    } else if (execution.early_count < 2) {
      execution.early[execution.early_count++] = Failure::of(env_id, what);
    }
  }

  const abi::Table& table_;
  const Label label_;
  const i32 num_envs_;
  const abi::Autoreset autoreset_;
  const bool bounded_;
  const u32 generation_ = fork_generation();
  const std::unique_ptr<Environments> envs_;
  const abi::Layout* const layout_;
  const PoolOptions options_;
  const bool sync_;
  const std::shared_ptr<BlockPool> blocks_;

  Admission admission_;
  ActionStore actions_;
  ResultBlocks results_;
  Scheduler scheduler_;
  alignas(64) std::atomic<i32> waiting_{0};  // calls of recv that are asleep
  std::atomic<u32> finished_{0};             // blocks that were completed, modulo 2^32

  alignas(64) std::mutex mutex_;
  std::condition_variable received_, exited_;
  std::atomic<bool> closed_{false};
  bool ending_ = false, ended_ = false;  // a call of close joins the threads; has done so, or has abandoned them
  i32 running_ = 0;                      // threads that may touch the environments
  i32 receiving_ = 0;                    // calls of recv that have not returned
  std::thread::id first_caller_{};
  bool many_callers_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace envpool
