// SPDX-License-Identifier: Apache-2.0
//
// The queue of environments waiting to be stepped: a ring that any number of threads take runs of neighbours from, with
// one compare-and-swap a run. An environment is in the ring at most once, so a ring as large as the pool never fills.
// Producers are serialised by the pool.
#pragma once

#include <atomic>
#include <bit>
#include <vector>

#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/spin.h"
#include "envpool/core/types.h"

namespace envpool {

class Block;

// A run of entries that one call of the table can do: the same block with consecutive rows (or no block: async), and
// either all resets or all steps.
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

  // Entries become visible to takers when publish() is called.
  void push(i32 env_id, Task task, Block* block, i32 row) {
    Entry& entry = ring_[pushed_++ & mask_];
    entry.what.store(u64(u32(env_id)) | u64(u32(row)) << 32 | u64(task == Task::kReset) << 63,
                     std::memory_order_relaxed);
    entry.block.store(block, std::memory_order_relaxed);
  }
  // Sequentially consistent: a taker that goes to sleep either sees these entries or is seen sleeping.
  void publish() { tail_.store(pushed_, std::memory_order_seq_cst); }

  // Takes up to `most` entries that make one run; false if there are none.
  //
  // Entries are read before they are owned. That is sound because the swap fails if another thread took them, and while
  // they are not taken no producer can come around the ring and overwrite them.
  bool take(i32 most, Run& run) {
    u64 head = head_.load(std::memory_order_acquire);
    while (true) {
      const u64 waiting = tail_.load(std::memory_order_seq_cst) - head;
      if (waiting == 0) return false;
      const i32 limit = i32(waiting < u64(most) ? waiting : u64(most));
      run.count = 0;
      for (; run.count < limit; ++run.count) {
        const Entry& entry = ring_[(head + u64(run.count)) & mask_];
        const u64 what = entry.what.load(std::memory_order_relaxed);
        Block* block = entry.block.load(std::memory_order_relaxed);
        if (run.count == 0) {
          run.task = task_of(what);
          run.block = block;
          run.first_row = i32(what >> 32 & 0x7FFFFFFF);
        } else if (task_of(what) != run.task || block != run.block) {
          break;
        }
        run.env_ids[run.count] = i32(u32(what));
      }
      ENVPOOL_INTERLEAVE();
      if (head_.compare_exchange_weak(head, head + u64(run.count), std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        return true;
      }
    }
  }

  // As of some moment during the call.
  i32 size() const {
    const u64 head = head_.load(std::memory_order_acquire);
    return i32(tail_.load(std::memory_order_seq_cst) - head);
  }
  bool empty() const { return head_.load(std::memory_order_acquire) == tail_.load(std::memory_order_seq_cst); }

 private:
  static Task task_of(u64 what) { return what >> 63 != 0 ? Task::kReset : Task::kStep; }

  struct Entry {
    std::atomic<u64> what{0};
    std::atomic<Block*> block{nullptr};
  };
  std::vector<Entry> ring_;
  const u64 mask_;
  u64 pushed_ = 0;  // the producer's own tail
  alignas(64) std::atomic<u64> head_{0};
  alignas(64) std::atomic<u64> tail_{0};
};

}  // namespace envpool
