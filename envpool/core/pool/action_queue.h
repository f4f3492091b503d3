// SPDX-License-Identifier: Apache-2.0
//
// The lock-free queue of environments that wait to be stepped. Any number of threads take runs of environments, with
// one compare-and-swap per run. The pool serializes producers.
//
// The queue is a ring of sends, each of which has a task, a block and a number of environments. A second ring has the
// ids of the environments, unless a send has all environments of the pool in order; then threads compute the ids. So
// the caches of the threads exchange a few bytes per environment, or none. An environment is in the queue at most once,
// so rings with as many entries as the pool has environments cannot overflow.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include "envpool/core/assert.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/spin.h"
#include "envpool/core/types.h"

namespace envpool {

class Block;

// A run of environments that one call to the table can process: either all resets or all steps, in consecutive rows of
// one block, or without a block in asynchronous mode.
struct Run {
  static constexpr i32 kMax = 256;
  i32 env_ids[kMax];
  i32 count = 0;
  Task task = Task::kStep;
  Block* block = nullptr;
  i32 first_row = 0;
};

class ActionQueue {
 public:
  explicit ActionQueue(i32 num_envs)
      : num_envs_(num_envs),
        sends_(std::bit_ceil(u64(num_envs))),
        ids_(sends_.size()),
        mask_(sends_.size() - 1),
        offset_bits_(std::bit_width(u64(num_envs))) {}

  // Adds a send, which becomes visible to take() when publish() is called. Its environments have the ids 0 to count - 1
  // if `env_ids` is null. If there is a block, environment k has row k.
  void push(const i32* env_ids, i32 count, Task task, Block* block) {
    ENVPOOL_ASSERT(count > 0 && count <= num_envs_);
    ENVPOOL_ASSERT(env_ids == nullptr || are_ids(env_ids, count, num_envs_));
    Send& send = sends_[pushed_ & mask_];
    const u64 flags = (task == Task::kReset ? kReset : 0) | (env_ids == nullptr ? kAllInOrder : 0);
    send.packed.store(flags | (position_ & mask_) << 32 | u64(count), std::memory_order_relaxed);
    send.block.store(block, std::memory_order_relaxed);
    for (i32 k = 0; env_ids != nullptr && k < count; ++k) {
      ids_[(position_ + u64(k)) & mask_].store(env_ids[k], std::memory_order_relaxed);
    }
    position_ += u64(count);
    pushed_ = next(pushed_);
  }
  // Sequentially consistent, so that either a worker that is about to sleep sees these sends, or the producer sees that
  // the worker sleeps.
  void publish() { tail_.store(pushed_, std::memory_order_seq_cst); }

  // Takes up to `limit` environments that form one run. Returns false if the queue is empty.
  //
  // Sends are read before their environments are owned. This is safe: the compare-and-swap fails if another thread has
  // taken them, and no producer can wrap around a ring and overwrite them before they are taken. What is read may be
  // outdated until then, so it must not be trusted to be within its limits.
  bool take(i32 limit, Run& run) {
    u64 head = head_.load(std::memory_order_acquire);
    while (true) {
      u64 number = head >> offset_bits_, offset = head & offset_mask();
      const u64 tail = tail_.load(std::memory_order_seq_cst);
      if (number == tail) return false;
      run.count = 0;
      // A run without a block may continue in the following sends.
      while (run.count < limit && number != tail) {
        const Send& send = sends_[number & mask_];
        const u64 packed = send.packed.load(std::memory_order_relaxed);
        Block* const block = send.block.load(std::memory_order_relaxed);
        if (run.count == 0) {
          run.task = task_of(packed);
          run.block = block;
          run.first_row = i32(offset);
        } else if (run.block != nullptr || block != nullptr || task_of(packed) != run.task) {
          break;
        }
        const i64 left = i64(count_of(packed)) - i64(offset);
        const i32 taken = i32(std::clamp<i64>(left, 0, limit - run.count));
        read_ids(packed, offset, taken, run);
        offset += u64(taken);
        if (i64(taken) < left) break;
        number = next(number);
        offset = 0;
      }
      ENVPOOL_INTERLEAVE();
      if (head_.compare_exchange_weak(head, number << offset_bits_ | offset, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        // Only now is it certain that what was read belongs together.
        ENVPOOL_ASSERT(run.count > 0 && run.count <= limit);
        ENVPOOL_ASSERT(run.block == nullptr || run.first_row + run.count <= num_envs_);
        ENVPOOL_ASSERT(are_ids(run.env_ids, run.count, num_envs_));
        return true;
      }
    }
  }

  // Returns the number of environments in the queue at some moment during the call. Only producers may call it.
  i32 size() const {
    const u64 head = head_.load(std::memory_order_acquire);
    if (head >> offset_bits_ == pushed_) return 0;
    const u64 packed = sends_[(head >> offset_bits_) & mask_].packed.load(std::memory_order_relaxed);
    const u64 rest = (position_ - first_of(packed) - (head & offset_mask())) & mask_;
    const i32 queued = i32(rest == 0 ? sends_.size() : rest);  // a send has at least one environment
    ENVPOOL_ASSERT(queued <= num_envs_);
    return queued;
  }
  bool empty() const {
    return head_.load(std::memory_order_acquire) >> offset_bits_ == tail_.load(std::memory_order_seq_cst);
  }

 private:
  // The number of environments (31 bits), kReset, the place of the first id in ids_ (31 bits), and kAllInOrder.
  struct Send {
    std::atomic<u64> packed{0};
    std::atomic<Block*> block{nullptr};
  };
  static constexpr u64 kReset = u64(1) << 31, kAllInOrder = u64(1) << 63;

  static i32 count_of(u64 packed) { return i32(packed & 0x7FFFFFFF); }
  static u64 first_of(u64 packed) { return packed >> 32 & 0x7FFFFFFF; }
  static Task task_of(u64 packed) { return (packed & kReset) != 0 ? Task::kReset : Task::kStep; }
  // Numbers of sends wrap around where they would not fit into head_.
  u64 next(u64 number) const { return (number + 1) & (~u64(0) >> offset_bits_); }
  u64 offset_mask() const { return (u64(1) << offset_bits_) - 1; }

  // Appends the ids of `count` environments of a send to a run.
  void read_ids(u64 packed, u64 offset, i32 count, Run& run) const {
    i32* const out = run.env_ids + run.count;
    const u64 first = first_of(packed);
    if ((packed & kAllInOrder) != 0) {
      for (i32 k = 0; k < count; ++k) out[k] = i32(offset) + k;
    } else {
      for (i32 k = 0; k < count; ++k) out[k] = ids_[(first + offset + u64(k)) & mask_].load(std::memory_order_relaxed);
    }
    run.count += count;
  }

  const i32 num_envs_;
  std::vector<Send> sends_;
  std::vector<std::atomic<i32>> ids_;
  const u64 mask_;
  const int offset_bits_;
  // The number of the first send that has environments, and in the lowest offset_bits_ bits, how many of its
  // environments have been taken.
  alignas(64) std::atomic<u64> head_{0};
  // The producer's counters share a line, because it writes them together.
  alignas(64) std::atomic<u64> tail_{0};  // number of published sends
  u64 pushed_ = 0;                        // number of sends, including those that are not published yet
  u64 position_ = 0;                      // number of environments in all of them
};

}  // namespace envpool
