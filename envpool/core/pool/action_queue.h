// SPDX-License-Identifier: Apache-2.0
//
// The lock-free queue of environments that wait to be stepped. It is a ring buffer from which any number of threads
// take runs of consecutive entries, with one compare-and-swap per run. An environment is in the queue at most once, so
// a ring with as many entries as the pool has environments cannot overflow. The pool serializes producers.
#pragma once

#include <atomic>
#include <bit>
#include <vector>

#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/spin.h"
#include "envpool/core/types.h"

namespace envpool {

class Block;

// A run of entries that one call to the table can process: either all resets or all steps, in consecutive rows of one
// block, or without a block in asynchronous mode.
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
  explicit ActionQueue(i32 num_envs) : ring_(std::bit_ceil(u64(num_envs))), mask_(ring_.size() - 1) {}

  // Adds an entry, which becomes visible to take() when publish() is called.
  void push(i32 env_id, Task task, Block* block, i32 row) {
    Entry& entry = ring_[pushed_++ & mask_];
    entry.packed.store(u64(u32(env_id)) | u64(u32(row)) << 32 | u64(task == Task::kReset) << 63,
                       std::memory_order_relaxed);
    entry.block.store(block, std::memory_order_relaxed);
  }
  // Sequentially consistent, so that either a worker that is about to sleep sees these entries, or the producer sees
  // that the worker sleeps.
  void publish() { tail_.store(pushed_, std::memory_order_seq_cst); }

  // Takes up to `limit` entries that form one run. Returns false if the queue is empty.
  //
  // Entries are read before they are owned. This is safe: the compare-and-swap fails if another thread has taken them,
  // and no producer can wrap around the ring and overwrite them before they are taken.
  bool take(i32 limit, Run& run) {
    u64 head = head_.load(std::memory_order_acquire);
    while (true) {
      const u64 waiting = tail_.load(std::memory_order_seq_cst) - head;
      if (waiting == 0) return false;
      const i32 count = i32(waiting < u64(limit) ? waiting : u64(limit));
      run.count = 0;
      for (; run.count < count; ++run.count) {
        const Entry& entry = ring_[(head + u64(run.count)) & mask_];
        const u64 packed = entry.packed.load(std::memory_order_relaxed);
        Block* block = entry.block.load(std::memory_order_relaxed);
        if (run.count == 0) {
          run.task = task_of(packed);
          run.block = block;
          run.first_row = i32(packed >> 32 & 0x7FFFFFFF);
        } else if (task_of(packed) != run.task || block != run.block) {
          break;
        }
        run.env_ids[run.count] = i32(u32(packed));
      }
      ENVPOOL_INTERLEAVE();
      if (head_.compare_exchange_weak(head, head + u64(run.count), std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        return true;
      }
    }
  }

  // Returns the size at some moment during the call.
  i32 size() const {
    const u64 head = head_.load(std::memory_order_acquire);
    return i32(tail_.load(std::memory_order_seq_cst) - head);
  }
  bool empty() const { return head_.load(std::memory_order_acquire) == tail_.load(std::memory_order_seq_cst); }

 private:
  static Task task_of(u64 packed) { return packed >> 63 != 0 ? Task::kReset : Task::kStep; }

  struct Entry {
    std::atomic<u64> packed{0};
    std::atomic<Block*> block{nullptr};
  };
  std::vector<Entry> ring_;
  const u64 mask_;
  u64 pushed_ = 0;  // the tail, including entries that are not published yet
  alignas(64) std::atomic<u64> head_{0};
  alignas(64) std::atomic<u64> tail_{0};
};

}  // namespace envpool
