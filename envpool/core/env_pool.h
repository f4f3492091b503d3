// SPDX-License-Identifier: Apache-2.0
//
// The pool. send() and reset() queue environments, threads step them, recv() takes complete batches.
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
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "envpool/core/action_queue.h"
#include "envpool/core/arithmetic.h"
#include "envpool/core/environments.h"
#include "envpool/core/process.h"
#include "envpool/core/state_buffer.h"
#include "envpool/core/watch.h"

namespace envpool {

struct PoolOptions {
  std::string label;               // begins every error text
  i32 batch_size = 0;              // 0: all environments
  i32 num_threads = 0;             // 0: the CPUs this process may use, at most one per row of a batch
  std::vector<i32> thread_cpus{};  // worker i runs on CPU thread_cpus[i % size]; none leaves it to the system
};

struct TimedOut : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The environments would not fit into the memory that this process may use.
struct NoMemory : std::bad_alloc {
  explicit NoMemory(std::string text) : message(std::make_shared<const std::string>(std::move(text))) {}
  const char* what() const noexcept override { return message->c_str(); }
  std::shared_ptr<const std::string> message;
};
// A wait was broken off because the caller's `interrupted` said so (Ctrl-C).
struct Interrupted : std::exception {};

// Who calls. XLA runs a program on whichever of its threads is free, so that its threads say nothing about how many
// users there are.
enum class Caller { kUser, kXla };

class EnvPool : public std::enable_shared_from_this<EnvPool> {
 public:
  using Clock = std::chrono::steady_clock;
  using Deadline = std::optional<Clock::time_point>;
  using Interrupt = std::function<bool()>;  // asked now and then while waiting; throws nothing

  static std::shared_ptr<EnvPool> make(const abi::Table& table, const Construction& how, PoolOptions options) {
    const PlainArithmetic arithmetic;
    std::shared_ptr<EnvPool> pool(new EnvPool(table, how, std::move(options)));
    pool->open();
    pool->start();
    return pool;
  }
  EnvPool(const EnvPool&) = delete;
  EnvPool& operator=(const EnvPool&) = delete;

  // Queues one step each of `count` environments. actions[f] holds action field f's rows, one per environment, or one
  // per player of it where the field is per player; `owners` then names each row's environment (null: grouped, in the
  // order of env_ids), and `action_rows` counts the rows. Everything is copied before this returns. A caller that goes
  // straight on to recv says so with `caller_helps`, and fewer threads are woken.
  void send(const i32* env_ids, i32 count, const void* const* actions, const i32* owners = nullptr,
            i32 action_rows = -1, bool caller_helps = false, Caller caller = Caller::kUser) {
    std::unique_lock lock(mutex_);
    enter("send", caller);
    admit(env_ids, count, "send");
    Block* block = nullptr;
    try {
      if (autoreset_ == abi::kAutoresetDisabled) refuse_finished(env_ids, count);
      store_actions(env_ids, count, actions, owners, action_rows);
      block = block_for(count);
    } catch (...) {
      dismiss(env_ids, count);
      throw;
    }
    wake(enqueue(env_ids, count, false, block), caller_helps && bounded_ && sync_);
  }

  // Queues resets. With seeds (and streams), the environments' generators start anew from them.
  void reset(const i32* env_ids, i32 count, const u64* seeds = nullptr, const u32* streams = nullptr) {
    std::unique_lock lock(mutex_);
    enter("reset");
    admit(env_ids, count, "reset");
    Block* block = nullptr;
    try {
      block = block_for(count);
    } catch (...) {
      dismiss(env_ids, count);
      throw;
    }
    for (i32 k = 0; seeds != nullptr && k < count; ++k) envs_->seed(env_ids[k], seeds[k], streams[k]);
    wake(enqueue(env_ids, count, true, block), false);
  }

  // The next complete batch. Throws TimedOut or Interrupted, with the batch still to be had. With `help` the caller
  // takes part in the work of a sync batch; where no worker was worth waking, it does all of it in any case.
  Batch recv(Deadline deadline = {}, const Interrupt& interrupted = {}, bool help = false,
             Caller caller = Caller::kUser) {
    std::unique_lock lock(mutex_);
    enter("recv", caller);
    const bool may_wait = caller == Caller::kUser;
    Batch batch = receive(lock, deadline, interrupted, bounded_ && ((help && sync_) || alone_), may_wait);
    settle_rows(*batch, batch->rows());
    return batch;
  }

  // The same in two steps, for a caller who has to make something of the batch that may fail: its environments stay
  // under way until settle(), and put_back() in its place lets a later recv have the batch.
  Batch begin_recv(Deadline deadline = {}, const Interrupt& interrupted = {}, bool help = false,
                   Caller caller = Caller::kUser) {
    std::unique_lock lock(mutex_);
    enter("recv", caller);
    const bool may_wait = caller == Caller::kUser;
    return receive(lock, deadline, interrupted, bounded_ && ((help && sync_) || alone_), may_wait);
  }
  void settle(const Block& block) noexcept {
    std::lock_guard lock(mutex_);
    settle_rows(block, block.rows());
  }
  void put_back(Batch batch) noexcept {
    std::lock_guard lock(mutex_);
    batch->next = returned_;
    returned_ = batch.release();
    received_.notify_all();
  }

  // Waits for whatever is under way and drops it, so that every environment can be sent again.
  void discard(const Interrupt& interrupted = {}) {
    std::unique_lock lock(mutex_);
    enter("discard");
    while (!quiet()) {
      const bool ran = bounded_ && run_unlocked(lock, [this] { return work_once(); });
      lock.unlock();
      if (!ran) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const bool stop = interrupted && interrupted();
      lock.lock();
      if (stop) throw Interrupted();
      if (closed_) fail("reset: the pool is closed");
    }
    while (Block* block = returned_) {
      returned_ = block->next;
      settle_rows(*block, block->rows());
      give_back(block);
    }
    while (sync_ && front_ != back_) {
      Block* const block = outstanding_[front_++ % outstanding_.size()].exchange(nullptr);
      settle_rows(*block, block->rows());
      blocks_->release(block);
    }
    if (sync_) return;
    for (auto& slot : outstanding_) {  // rows are claimed in order, so that those written are the first
      Block* const block = slot.load();
      settle_rows(*block, block->done());
      block->open(options_.batch_size);
    }
    claimed_.store(front_ * u64(options_.batch_size));
  }

  // State of an environment that is not under way.
  std::string snapshot(i32 env_id) {
    std::unique_lock lock(mutex_);
    enter("snapshot");
    require_idle(env_id, "snapshot");
    if ((table_.flags & abi::kCanSnapshot) == 0) fail("snapshot: this environment cannot save its state");
    const PlainArithmetic arithmetic;
    const std::string state = envs_->save(env_id);
    SnapshotHead head{kSnapshotMagic, identity(env_id), 0, players_[size_t(env_id)], over_[size_t(env_id)]};
    head.sum = checksum(head, state.data(), i64(state.size()));
    return std::string(reinterpret_cast<const char*>(&head), sizeof(head)) + state;
  }
  void restore(i32 env_id, const char* data, i64 size) {
    std::unique_lock lock(mutex_);
    enter("restore");
    require_idle(env_id, "restore");
    if ((table_.flags & abi::kCanSnapshot) == 0) fail("restore: this environment cannot load a state");
    SnapshotHead head{};
    const i64 body = size - i64(sizeof(head));
    if (body >= 0) std::memcpy(static_cast<void*>(&head), data, sizeof(head));
    if (head.magic != kSnapshotMagic || head.sum != checksum(head, data + sizeof(head), body)) {
      throw std::invalid_argument(text("restore: state must be what snapshot() of " + options_.label +
                                       " returned, got " + std::to_string(size) + " bytes of something else"));
    }
    if (head.identity != identity(env_id)) {
      throw std::invalid_argument(text("restore: state must be what snapshot() of " + options_.label +
                                       " with the same options returned, got one of another environment, or of other "
                                       "options (those of arrays, players, a ROM, a map or a model)"));
    }
    if (head.players < 0 || head.players > layout_->max_players || head.over < 0 || head.over > 1) {
      throw std::invalid_argument(text("restore: state must have 0.." + std::to_string(layout_->max_players) +
                                       " players and be over or not, got " + std::to_string(head.players) +
                                       " players, over " + std::to_string(head.over)));
    }
    const PlainArithmetic arithmetic;
    try {
      envs_->load(env_id, data + sizeof(head), body);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(text("restore: " + std::string(error.what())));
    }
    over_[size_t(env_id)] = u8(head.over);
    players_[size_t(env_id)] = head.players;
  }
  // Copies the whole state of one environment, its generator included, into others. With seeds (and streams) each
  // copy draws from a generator of its own from here on. All or nothing, as far as arguments go.
  void clone(i32 source, const i32* env_ids, i32 count, const u64* seeds = nullptr, const u32* streams = nullptr) {
    std::unique_lock lock(mutex_);
    enter("clone");
    if ((table_.flags & abi::kCanSnapshot) == 0) fail("clone: this environment cannot save its state");
    require_idle(source, "clone");
    admit(env_ids, count, "clone");
    dismiss(env_ids, count);
    for (i32 k = 0; k < count; ++k) {
      if (identity(env_ids[k]) == identity(source)) continue;
      throw std::invalid_argument(text("clone: environment " + std::to_string(env_ids[k]) +
                                       " cannot take the state of environment " + std::to_string(source) +
                                       ", which has other options"));
    }
    const PlainArithmetic arithmetic;
    const std::string state = envs_->save(source);
    for (i32 k = 0; k < count; ++k) {
      const i32 env_id = env_ids[k];
      if (env_id != source) {
        try {
          envs_->load(env_id, state.data(), i64(state.size()));
        } catch (const std::invalid_argument& error) {
          throw std::invalid_argument(text("clone: " + std::string(error.what())));
        }
        over_[size_t(env_id)] = over_[size_t(source)];
        players_[size_t(env_id)] = players_[size_t(source)];
      }
      if (seeds != nullptr) envs_->seed(env_id, seeds[k], streams[k]);
    }
  }
  // Writes a picture of each, (render_height, render_width, 3).
  void render(const i32* env_ids, i32 count, u8* rgb) {
    std::unique_lock lock(mutex_);
    enter("render");
    const i64 bytes = i64(layout().render_height) * layout().render_width * 3;
    if ((table_.flags & abi::kCanRender) == 0 || bytes == 0) fail("render: this environment has no picture");
    for (i32 k = 0; k < count; ++k) require_idle(env_ids[k], "render");
    const PlainArithmetic arithmetic;
    try {
      for (i32 k = 0; k < count; ++k) envs_->render(env_ids[k], rgb + bytes * k);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }

  // Refuses further calls and has the threads end after the step that they are in, without waiting for them.
  void stop() {
    if (forked_since(generation_)) return;
    const std::lock_guard lock(mutex_);
    stop_threads();
  }

  // Ends the threads and the environments. Waits for environments that are in the middle of a step, for ever if the
  // timeout is infinite, then throws TimedOut; the pool is closed all the same, and what hangs is abandoned. Of several
  // calls at once each waits for the end. One that is Interrupted has closed the pool, and leaves the end to the next.
  void close(std::chrono::duration<double> timeout, const Interrupt& interrupted = {}) {
    if (!(timeout.count() >= 0)) {
      throw std::invalid_argument(
          text("timeout: expected a number of seconds of at least 0, got " + std::to_string(timeout.count())));
    }
    if (forked_since(generation_)) return;
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
      const Clock::time_point slice = now + kInterruptEvery;
      exited_.wait_until(lock, deadline ? std::min(*deadline, slice) : slice);
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
  const std::string& label() const { return options_.label; }
  i32 num_envs() const { return num_envs_; }
  i32 batch_size() const { return options_.batch_size; }
  i32 num_threads() const { return options_.num_threads; }
  i32 under_way() const { return under_way_count_; }
  // Writes the number of players of each of these environments to `out`.
  void players(const i32* env_ids, i32 count, i32* out) {
    std::lock_guard lock(mutex_);
    for (i32 k = 0; k < count; ++k) out[k] = players_[size_t(env_ids[k])];
  }
  i32 players(i32 env_id) {
    i32 count = 0;
    players(&env_id, 1, &count);
    return count;
  }
  const abi::Layout& layout() const { return *layout_; }
  const BlockLayout& block_layout() const { return blocks_->layout(); }
  const std::shared_ptr<BlockPool>& blocks() const { return blocks_; }
  std::string text(const std::string& message) const { return "[" + options_.label + "] " + message; }

 private:
  struct SnapshotHead {
    u64 magic, identity, sum;
    i32 players, over;
  };
  static constexpr u64 kSnapshotMagic = 0x31304C4F4F50564E;

  // FNV-1a: guards against a state of something else, or a damaged one; not against malice, for which load() checks.
  static u64 checksum(const char* data, i64 size, u64 hash = 0xCBF29CE484222325) {
    for (i64 i = 0; i < size; ++i) hash = (hash ^ u8(data[i])) * 0x100000001B3;
    return hash;
  }
  static u64 checksum(SnapshotHead head, const char* state, i64 size) {
    head.sum = 0;
    return checksum(state, size, checksum(reinterpret_cast<const char*>(&head), i64(sizeof(head))));
  }
  // Whose states an environment takes: those of its id with options that leave arrays, players, the size of a state and
  // what the environments share as they are. Seeds, max_episode_steps and what is the pool's alone do not count.
  u64 identity(i32 env_id) const {
    const u64 identity = envs_->identity(env_id);
    return checksum(options_.label.data(), i64(options_.label.size()),
                    checksum(reinterpret_cast<const char*>(&identity), i64(sizeof(identity))));
  }

  // Waking a sleeping thread costs 10-40 us: less work than this is not worth a thread.
  static constexpr u64 kWakeNs = 20'000;
  // A run is about this much work: enough to pay for taking it, little enough to share evenly.
  static constexpr u64 kRunNs = 10'000;
  // A long run is a multiple of this, so that none is left over where environments are stepped several at a time.
  static constexpr u64 kRunOf = 16;
  static constexpr i32 kNotAsked = -1;
  static constexpr auto kInterruptEvery = std::chrono::milliseconds(50);
  // An estimate of the stack and allocator memory that a worker thread touches.
  static constexpr i64 kThreadBytes = i64(128) << 10;

  EnvPool(const abi::Table& table, const Construction& how, PoolOptions options)
      : table_(table),
        options_(std::move(options)),
        num_envs_(how.num_envs),
        autoreset_(how.autoreset),
        bounded_((table.flags & (abi::kPortable | abi::kBounded)) != 0),
        envs_(std::make_unique<Environments>(table, how)),
        layout_(&envs_->layout()),
        queue_(how.num_envs),
        under_way_(size_t(how.num_envs), 0),
        over_(size_t(how.num_envs), 1),
        players_(size_t(how.num_envs), 0),
        cursor_(size_t(how.num_envs), kNotAsked) {
    if (i64(num_envs_) * layout_->max_players > std::numeric_limits<i32>::max()) {
      throw std::invalid_argument(text("num_envs: expected at most " +
                                       std::to_string(std::numeric_limits<i32>::max() / layout_->max_players) +
                                       " environments of " + std::to_string(layout_->max_players) +
                                       " players each, got " + std::to_string(num_envs_)));
    }
    if (options_.batch_size == 0) options_.batch_size = num_envs_;
    if (options_.num_threads == 0) options_.num_threads = std::min(usable_cpus(), options_.batch_size);
    sync_ = options_.batch_size == num_envs_;
    // In sync mode every send of at least one environment has a block; in async mode rows under way fill this many.
    const u64 outstanding = u64(sync_ ? num_envs_ : num_envs_ / options_.batch_size + 2);
    blocks_ = std::make_shared<BlockPool>(BlockLayout(
        *layout_, options_.batch_size, autoreset_ == abi::kAutoresetSameStep, (table.flags & abi::kPortable) == 0));
    check_memory(f64(outstanding));
    envs_->create(how);
    outstanding_ = std::vector<std::atomic<Block*>>(outstanding);
    actions_.reserve(size_t(layout_->num_actions));
    for (i32 f = 0; f < layout_->num_actions; ++f) {
      const i64 bytes = layout_->actions[f].row_bytes * num_envs_ * layout_->max_players;
      actions_.push_back(std::make_unique<u8[]>(size_t(bytes)));
      action_fields_.push_back(actions_.back().get());
    }
  }

 public:
  ~EnvPool() {
    for (auto& block : outstanding_) {
      if (Block* left = block.load()) blocks_->release(left);
    }
    while (returned_ != nullptr) give_back(std::exchange(returned_, returned_->next));
  }

 private:
  // The blocks that rows are claimed in.
  void open() {
    for (auto& block : outstanding_) {
      if (!sync_) block = blocks_->acquire(options_.batch_size);
    }
  }

  void start() {
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
        throw std::runtime_error(text("num_threads: the system gave only " + std::to_string(started) + " threads"));
      }
    }
  }

  // Refuses a pool that would not fit into the memory limit: Linux would grant the allocation and kill the process
  // later.
  void check_memory(f64 outstanding) const {
    const f64 rows = f64(num_envs_) * layout_->max_players;
    f64 actions = 0;
    for (i32 f = 0; f < layout_->num_actions; ++f) actions += f64(layout_->actions[f].row_bytes) * rows;
    f64 row = 0;
    for (const Array& array : blocks_->layout().arrays) {
      row += f64(array.row_bytes) * (array.per_player ? layout_->max_players : 1);
    }
    // One more block is counted for the batch that the caller holds.
    const f64 blocks = ((sync_ ? 1 : outstanding) + 1) * row * options_.batch_size;
    const f64 needed = envs_->env_bytes() + actions + blocks + f64(kThreadBytes) * options_.num_threads;
    const f64 there = usable_memory();
    if (needed <= there) return;
    const auto mebibytes = [](f64 bytes) { return std::to_string(i64(bytes / (1 << 20))) + " MiB"; };
    throw NoMemory(text("num_envs: no memory for " + std::to_string(num_envs_) + " environments in batches of " +
                        std::to_string(options_.batch_size) + ", which need at least " + mebibytes(needed) +
                        "; this process may use " + mebibytes(there) + " more"));
  }

  // ---- the callers' side; mutex_ is held ----

  void enter(const char* call, Caller caller = Caller::kUser) {
    if (closed_) fail(std::string(call) + ": the pool is closed");
    if (caller == Caller::kXla) return;
    const std::thread::id me = std::this_thread::get_id();
    if (caller_ == std::thread::id()) caller_ = me;
    if (caller_ != me) many_callers_ = true;
  }
  [[noreturn]] void fail(const std::string& message) const { throw std::runtime_error(text(message)); }

  void require_idle(i32 env_id, const char* call) {
    if (env_id < 0 || env_id >= num_envs_) {
      throw std::invalid_argument(text(std::string(call) + ": env_id must be in 0.." + std::to_string(num_envs_ - 1) +
                                       ", got " + std::to_string(env_id)));
    }
    if (under_way_[size_t(env_id)]) {
      fail(std::string(call) + ": environment " + std::to_string(env_id) + " is under way; receive its result first");
    }
  }

  // True for the ids of all environments in order, the usual case, in which whole arrays can be dealt with at once.
  bool is_everyone(const i32* env_ids, i32 count) const {
    bool same = count == num_envs_;
    for (i32 k = 0; same && k < count; k += 64) {
      for (i32 j = k; j < std::min(k + 64, count); ++j) same &= env_ids[j] == j;
    }
    return same;
  }

  // Marks the environments as under way, all or none.
  void admit(const i32* env_ids, i32 count, const char* call) {
    if (count <= 0) throw std::invalid_argument(text(std::string(call) + ": env_id names no environment"));
    everyone_ = is_everyone(env_ids, count);
    if (everyone_ && under_way_count_ == 0) {
      std::fill(under_way_.begin(), under_way_.end(), u8(1));
      under_way_count_ = count;
      return;
    }
    i32 k = 0;
    try {
      for (; k < count; ++k) {
        const i32 env_id = env_ids[k];
        if (env_id < 0 || env_id >= num_envs_ || under_way_[size_t(env_id)]) {
          for (i32 j = 0; j < k; ++j) {
            if (env_ids[j] == env_id) {
              throw std::invalid_argument(
                  text(std::string(call) + ": env_id " + std::to_string(env_id) + " is repeated"));
            }
          }
          require_idle(env_id, call);
        }
        under_way_[size_t(env_id)] = 1;
      }
    } catch (...) {
      for (i32 j = 0; j < k; ++j) under_way_[size_t(env_ids[j])] = 0;
      throw;
    }
    under_way_count_ += count;
  }
  void dismiss(const i32* env_ids, i32 count) {
    for (i32 k = 0; k < count; ++k) under_way_[size_t(env_ids[k])] = 0;
    under_way_count_ -= count;
  }
  void refuse_finished(const i32* env_ids, i32 count) const {
    for (i32 k = 0; k < count; ++k) {
      if (over_[size_t(env_ids[k])]) {
        throw std::invalid_argument(text("action: the episode of environment " + std::to_string(env_ids[k]) +
                                         " is over and autoreset is disabled; reset it first"));
      }
    }
  }

  void store_actions(const i32* env_ids, i32 count, const void* const* actions, const i32* owners, i32 action_rows) {
    const i32 max_players = layout_->max_players;
    bool placed = false;
    for (i32 f = 0; f < layout_->num_actions; ++f) {
      const i64 bytes = layout_->actions[f].row_bytes;
      const u8* from = static_cast<const u8*>(actions[f]);
      if (max_players > 1 && layout_->actions[f].per_player) {
        if (!placed) place_players(env_ids, count, owners, action_rows);
        placed = true;
        if (owners == nullptr) {  // a world's rows follow each other
          for (i32 k = 0; k < count; ++k) {
            const i64 world = env_ids[k], size = players_[size_t(world)] * bytes;
            std::memcpy(actions_[size_t(f)].get() + world * max_players * bytes, from, size_t(size));
            from += size;
          }
          continue;
        }
        for (i32 row = 0; row < action_rows; ++row) {
          std::memcpy(actions_[size_t(f)].get() + places_[size_t(row)] * bytes, from + row * bytes, size_t(bytes));
        }
        continue;
      }
      if (everyone_ && max_players == 1) {
        std::memcpy(actions_[size_t(f)].get(), from, size_t(bytes * count));
        continue;
      }
      for (i32 k = 0; k < count; ++k) {
        std::memcpy(actions_[size_t(f)].get() + i64(env_ids[k]) * max_players * bytes, from + k * bytes, size_t(bytes));
      }
    }
  }
  // Where each row of per-player actions goes that names its owner. Every environment must get as many as it has
  // players.
  void place_players(const i32* env_ids, i32 count, const i32* owners, i32 action_rows) {
    places_.clear();
    i64 wanted = 0;
    for (i32 k = 0; k < count; ++k) wanted += players_[size_t(env_ids[k])];
    if (wanted != action_rows) {
      throw std::invalid_argument(text("action: expected " + std::to_string(wanted) + " rows, one per player, got " +
                                       std::to_string(action_rows)));
    }
    if (owners == nullptr) return;
    places_.reserve(size_t(num_envs_) * size_t(layout_->max_players));
    for (i32 k = 0; k < count; ++k) cursor_[size_t(env_ids[k])] = 0;
    i32 stray = -1;  // the first row that no player is left for
    for (i32 row = 0; row < action_rows && stray < 0; ++row) {
      const i32 env_id = owners[row];
      if (env_id < 0 || env_id >= num_envs_ || cursor_[size_t(env_id)] == kNotAsked ||
          cursor_[size_t(env_id)] == players_[size_t(env_id)]) {
        stray = row;
      } else {
        places_.push_back(i64(env_id) * layout_->max_players + cursor_[size_t(env_id)]++);
      }
    }
    for (i32 k = 0; k < count; ++k) cursor_[size_t(env_ids[k])] = kNotAsked;
    if (stray >= 0) {
      throw std::invalid_argument(text("players.env_id: row " + std::to_string(stray) + " names environment " +
                                       std::to_string(owners[stray]) + ", which has no player left to act"));
    }
  }

  // Returns the block that a send's rows are written to, or null in async mode, where rows are claimed one by one.
  Block* block_for(i32 count) { return sync_ ? blocks_->acquire(count, everyone_) : nullptr; }

  // How many are waiting then, those that were before included.
  i32 enqueue(const i32* env_ids, i32 count, bool reset, Block* block) noexcept {
    const i32 before = queue_.size();
    if (block != nullptr) outstanding_[back_++ % outstanding_.size()].store(block, std::memory_order_relaxed);
    for (i32 k = 0; k < count; ++k) queue_.push(env_ids[k], reset, block, k);
    queue_.publish();
    unmeasured_ = reset || (before > 0 && unmeasured_);
    return before + count;
  }

  // Calls as many workers as the work is worth, and no more: a thread beyond those there are CPUs for would hold an
  // environment that all others wait for.
  void wake(i32 count, bool caller_helps) {
    const u64 cost = cost_ns_.load(std::memory_order_relaxed);
    const u64 total = u64(count) * cost;
    i32 wanted = options_.num_threads;
    if (cost != 0 && !unmeasured_) wanted = i32(std::min<u64>(u64(wanted), total / kWakeNs));
    wanted = std::min(wanted, count);
    if (caller_helps) wanted = std::min({wanted, options_.num_threads - 1, count - 1});
    // Whoever is in recv already may be asleep, and does not know that the work is left to callers now.
    if (!bounded_ || receiving_ > 0) wanted = std::max(wanted, 1);
    alone_ = wanted == 0;
    wanted_.store(wanted, std::memory_order_seq_cst);
    // A worker that watches comes by itself, and looks once more before it sleeps.
    const i32 asleep = std::min(wanted - watching_.load(std::memory_order_seq_cst), sleeping_.load());
    if (asleep > 0) {
      std::lock_guard lock(sleep_mutex_);
      for (i32 i = 0; i < asleep; ++i) wakeup_.notify_one();
    }
  }

  Batch receive(std::unique_lock<std::mutex>& lock, const Deadline& deadline, const Interrupt& interrupted, bool help,
                bool may_wait) {
    ++receiving_;
    const struct Counted {
      i32& count;
      ~Counted() { --count; }
    } counted{receiving_};
    Clock::time_point asked = {};  // when `interrupted` was, or began to be due
    while (true) {
      if (closed_) fail("recv: the pool is closed");
      const u32 finished = finished_.load(std::memory_order_acquire);
      if (returned_ != nullptr) return Batch(std::exchange(returned_, returned_->next));
      if (Block* block = front()) return take(block);
      refuse_endless_wait(may_wait && many_callers_);
      bool ran = false;
      if (help) {
        // Where nothing is left to begin with, others are about to end what they have begun.
        ran = run_unlocked(lock, [&] {
          return work_once() || watch([&] { return finished_.load(std::memory_order_acquire) != finished; });
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
        if (returned_ != nullptr || front() != nullptr) continue;
      }
      if (ran) continue;
      if (deadline && now >= *deadline) throw TimedOut(text("recv: no batch was complete within the timeout"));
      waiting_.fetch_add(1, std::memory_order_seq_cst);
      if (front() == nullptr && returned_ == nullptr && !closed_) {
        const Clock::time_point slice = now + kInterruptEvery;
        received_.wait_until(lock, deadline ? std::min(*deadline, slice) : slice);
      }
      waiting_.fetch_sub(1, std::memory_order_seq_cst);
    }
  }

  Block* front() const {
    if (sync_ && front_ == back_) return nullptr;
    Block* block = outstanding_[front_ % outstanding_.size()].load(std::memory_order_relaxed);
    return block->complete() ? block : nullptr;
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

  // True when all that was sent lies in blocks, complete or not.
  bool quiet() const {
    i32 rows = 0;
    for (const Block* block = returned_; block != nullptr; block = block->next) rows += block->rows();
    for (const auto& slot : outstanding_) {
      const Block* block = slot.load(std::memory_order_relaxed);
      if (block != nullptr) rows += block->done();
    }
    return rows == under_way_count_;
  }

  // Takes the complete block that is first in turn. Its environments stay under way until its rows are settled.
  Batch take(Block* block) {
    Block* const next = sync_ ? nullptr : blocks_->acquire(options_.batch_size);
    // The next block for this slot is in place before an environment of this one can be sent again and need it.
    outstanding_[front_++ % outstanding_.size()].store(next, std::memory_order_release);
    block->gather_players();
    block->home = blocks_;
    return Batch(block);
  }
  // The environments of a block's first rows are not under way any more.
  void settle_rows(const Block& block, i32 rows) noexcept {
    const i32* env_ids = block.values<i32>(abi::kEnvId);
    const i32* counts = block.values<i32>(abi::kPlayers);
    const u8* terminated = block.values<u8>(abi::kTerminated);
    const u8* truncated = block.values<u8>(abi::kTruncated);
    if (block.in_order()) {
      std::fill(under_way_.begin(), under_way_.end(), u8(0));
      for (i32 row = 0; row < rows; ++row) over_[size_t(row)] = terminated[row] | truncated[row];
      std::copy(counts, counts + rows, players_.begin());
    } else {
      for (i32 row = 0; row < rows; ++row) {
        const size_t env_id = size_t(env_ids[row]);
        under_way_[env_id] = 0;
        over_[env_id] = terminated[row] | truncated[row];
        players_[env_id] = counts[row];
      }
    }
    under_way_count_ -= rows;
  }

  // Unless another thread may send what a batch still needs: say so instead of waiting for ever. A program of XLA's
  // cannot be interrupted, so it never waits for others.
  void refuse_endless_wait(bool others) const {
    if (others) return;
    if (sync_ && front_ == back_) fail("recv: nothing is under way; call send, reset or async_reset first");
    if (!sync_ && under_way_count_ < options_.batch_size) {
      fail("recv: a batch needs " + std::to_string(options_.batch_size) + " environments but only " +
           std::to_string(under_way_count_) + " are under way");
    }
  }

  void stop_threads() {
    if (closed_.exchange(true)) return;
    received_.notify_all();
    const std::lock_guard lock(sleep_mutex_);
    stopping_.store(true, std::memory_order_seq_cst);
    wakeup_.notify_all();
  }

  // Called with mutex_ held by whoever leaves the environments alone again.
  void leave() {
    if (--running_ == 0 && closed_) exited_.notify_all();
  }

  // ---- the workers' side ----

  void work() {
    while (called()) {
      while (!stopping_.load(std::memory_order_relaxed) && work_once()) continue;
    }
    std::lock_guard lock(mutex_);
    leave();
  }

  // Waits until there is work that one more worker is wanted for. False: the pool is closing.
  bool called() {
    const auto come = [this] { return stopping_.load() || (!queue_.empty() && answer()); };
    watching_.fetch_add(1, std::memory_order_seq_cst);
    const bool awake = watch(come);
    watching_.fetch_sub(1, std::memory_order_seq_cst);
    if (!awake) {
      std::unique_lock lock(sleep_mutex_);
      sleeping_.fetch_add(1, std::memory_order_seq_cst);
      wakeup_.wait(lock, come);
      sleeping_.fetch_sub(1, std::memory_order_seq_cst);
    }
    return !stopping_.load();
  }
  // Whether a worker was still wanted; then it is this one.
  bool answer() {
    i32 wanted = wanted_.load();
    while (wanted > 0 && !wanted_.compare_exchange_weak(wanted, wanted - 1)) continue;
    return wanted > 0;
  }

  // What a table call needs to find its way back: the pool, and in async mode the row that is being written.
  struct Execution {
    EnvPool* pool;
    Block* block = nullptr;
    i32 writing = -1;     // environment whose row is claimed
    i32 early_count = 0;  // exceptions of an environment that has no row yet: of its step, and of its reset
    Failure early[2]{};
  };

  bool work_once() {
    Run run;
    const u64 cost = cost_ns_.load(std::memory_order_relaxed);
    u64 most = cost == 0 ? 1 : kRunNs / cost;
    if (most > kRunOf) most -= most % kRunOf;
    if (!queue_.take(i32(most < 1 ? 1 : (most > Run::kMax ? Run::kMax : most)), run)) return false;
    Execution execution{this, run.block};
    abi::Work work{};
    work.env_ids = run.env_ids;
    work.count = run.count;
    work.actions = action_fields_.data();
    if (run.block != nullptr) work.rows = run.block->rows_from(run.first_row);
    work.claim = claim;
    work.fail = note_failure;
    work.context = &execution;
    const Clock::time_point begin = Clock::now();
    {
      const PlainArithmetic arithmetic;
      envs_->run(work, run.reset);
    }
    const u64 spent = u64(std::chrono::nanoseconds(Clock::now() - begin).count());
    if (!run.reset) remember_cost(spent / u64(run.count));
    if (run.block != nullptr) {
      finish(run.block, run.count);
    } else if (execution.block != nullptr) {
      finish(execution.block, 1);
    }
    return true;
  }

  // A moving average, in nanoseconds, never 0 once measured. Races between workers lose a sample, nothing more.
  void remember_cost(u64 ns) {
    const u64 old = cost_ns_.load(std::memory_order_relaxed);
    const u64 now = old == 0 ? ns : (old * 7 + ns) / 8;
    cost_ns_.store(now < 1 ? 1 : now, std::memory_order_relaxed);
  }

  void finish(Block* block, i32 count) {
    if (!block->finish(count)) return;
    finished_.fetch_add(1, std::memory_order_release);
    if (waiting_.load(std::memory_order_seq_cst) > 0) {
      std::lock_guard lock(mutex_);
      received_.notify_all();
    }
  }

  static abi::Rows claim(void* context, i32 env_id) noexcept {
    Execution& execution = *static_cast<Execution*>(context);
    EnvPool& pool = *execution.pool;
    if (execution.block != nullptr) pool.finish(execution.block, 1);
    // Whoever claims a row of a block has come after whoever put that block into the ring: some earlier claim was of an
    // environment that was sent after that, and this one reads what all earlier ones wrote.
    const u64 position = pool.claimed_.fetch_add(1, std::memory_order_acq_rel);
    const u64 batch = u64(pool.options_.batch_size);
    Block* block = pool.outstanding_[position / batch % pool.outstanding_.size()].load(std::memory_order_acquire);
    execution.block = block;
    execution.writing = env_id;
    for (i32 i = 0; i < execution.early_count; ++i) block->fail(std::move(execution.early[i]));
    execution.early_count = 0;
    return block->rows_from(i32(position % batch));
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
  PoolOptions options_;
  const i32 num_envs_;
  const abi::Autoreset autoreset_;
  const bool bounded_;
  bool sync_ = true;
  const u32 generation_ = fork_generation();
  std::unique_ptr<Environments> envs_;
  const abi::Layout* layout_;
  std::shared_ptr<BlockPool> blocks_;
  std::vector<std::unique_ptr<u8[]>> actions_;  // one slot per environment and player
  std::vector<const void*> action_fields_;

  ActionQueue queue_;
  std::vector<std::atomic<Block*>> outstanding_;  // a ring: blocks front_ .. being filled
  Block* returned_ = nullptr;                     // complete blocks that were put back, first to be received
  std::atomic<u64> claimed_{0};                   // rows claimed so far (async)
  std::atomic<u64> cost_ns_{0};                   // what a step costs, 0 before the first
  std::atomic<i32> waiting_{0};                   // receivers asleep
  std::atomic<u32> finished_{0};                  // blocks that were completed, modulo 2^32
  std::atomic<i32> wanted_{0};                    // workers called that have not come yet

  std::mutex mutex_;
  std::condition_variable received_, exited_;
  u64 front_ = 0, back_ = 0;
  std::vector<u8> under_way_, over_;
  std::vector<i32> players_, cursor_;
  std::vector<i64> places_;
  std::atomic<i32> under_way_count_{0};
  std::atomic<bool> closed_{false};
  bool ending_ = false, ended_ = false;  // a call of close joins the threads; has done so, or has abandoned them
  bool everyone_ = false;                // what is being sent is all environments, in order
  bool unmeasured_ = false;              // the work sent holds resets, whose cost is not known
  bool alone_ = true;                    // the latest work was not worth a worker
  i32 running_ = 0;                      // threads that may touch the environments
  std::thread::id caller_{};
  bool many_callers_ = false;
  i32 receiving_ = 0;  // calls of recv that have not returned

  std::mutex sleep_mutex_;
  std::condition_variable wakeup_;
  std::atomic<i32> watching_{0}, sleeping_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace envpool
