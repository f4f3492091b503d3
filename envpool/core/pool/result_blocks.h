// SPDX-License-Identifier: Apache-2.0
//
// The blocks that results are written to, from send to recv, in the order in which recv takes them.
//
// Synchronous: each send has its own block, with a row for each of its environments. Asynchronous: environments that
// finish claim the next row of the current block; further blocks follow it. A thread that steps several environments,
// which takes it about 10 us, claims their rows at once: threads that write neighboring rows use the same cache lines,
// and slow each other down.
//
// The pool's mutex guards everything except claim() and the data that it uses.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "envpool/core/assert.h"
#include "envpool/core/pool/block.h"
#include "envpool/core/pool/pool_types.h"

namespace envpool {

class ResultBlocks {
 public:
  ResultBlocks(std::shared_ptr<BlockPool> blocks, Mode mode, i32 num_envs, i32 batch_size)
      : blocks_(std::move(blocks)),
        sync_(mode == Mode::kSync),
        batch_size_(batch_size),
        capacity_(u64(sync_ ? num_envs : num_envs / batch_size + 2)) {}
  ~ResultBlocks() {
    for (auto& slot : ring_) {
      if (Block* block = slot.load()) blocks_->release(block);
    }
    while (put_back_ != nullptr) release_block(std::exchange(put_back_, put_back_->next));
  }
  ResultBlocks(const ResultBlocks&) = delete;
  ResultBlocks& operator=(const ResultBlocks&) = delete;

  // Returns the maximum number of blocks at a time. Synchronous: one for each send, which has at least one environment.
  // Asynchronous: as many as the rows of all environments can occupy.
  u64 capacity() const { return capacity_; }
  void allocate() {
    ring_ = std::vector<std::atomic<Block*>>(capacity_);
    for (auto& slot : ring_) {
      if (!sync_) slot = blocks_->acquire(batch_size_);
    }
  }

  // Returns the block for the rows of a send, or null in asynchronous mode.
  Block* acquire(i32 rows, RowOrder order) { return sync_ ? blocks_->acquire(rows, order) : nullptr; }
  void append(Block* block) {
    if (block == nullptr) return;
    ENVPOOL_ASSERT(back_ - front_ < capacity_ && slot(back_).load(std::memory_order_relaxed) == nullptr);
    slot(back_++).store(block, std::memory_order_relaxed);
  }

  // Synchronous mode: returns whether everything that was sent has been received.
  bool empty() const { return front_ == back_; }
  // Returns the next block if it is complete, else null.
  Block* complete() const {
    if (sync_ && empty()) return nullptr;
    Block* block = slot(front_).load(std::memory_order_relaxed);
    return block->complete() ? block : nullptr;
  }
  // Takes the block that complete() returned. Its environments stay under way until it is settled.
  Batch take(Block* block) {
    ENVPOOL_ASSERT(block == slot(front_).load(std::memory_order_relaxed) && block->complete());
    Block* const next = sync_ ? nullptr : blocks_->acquire(batch_size_);
    // The slot's next block is stored first: an environment that is sent again may need that block immediately.
    slot(front_++).store(next, std::memory_order_release);
    block->compact_players();
    block->pool = blocks_;
    return Batch(block);
  }

  // Puts a batch back, which is then the next to be taken.
  void put_back(Batch batch) noexcept {
    ENVPOOL_ASSERT(batch->next == nullptr);  // it is in no list
    batch->next = put_back_;
    put_back_ = batch.release();
  }
  bool has_put_back() const { return put_back_ != nullptr; }
  Batch take_put_back() {
    Block* const block = std::exchange(put_back_, put_back_->next);
    block->next = nullptr;
    return Batch(block);
  }

  // Consecutive rows of a block.
  struct Rows {
    Block* block;
    i32 first, count;
  };
  // Asynchronous mode: claims the next rows: `count` of them, or as many as are left in the block. Any thread may call
  // this.
  //
  // The load cannot return an outdated block. Some earlier claim was made for an environment that was sent after the
  // new block was stored, and this claim synchronizes with all earlier claims.
  Rows claim(i32 count) noexcept {
    ENVPOOL_ASSERT(!sync_ && count > 0);
    const u64 rows = u64(batch_size_);
    u64 position = claimed_.load(std::memory_order_relaxed), claimed;
    do {
      claimed = std::min(u64(count), rows - position % rows);
    } while (!claimed_.compare_exchange_weak(position, position + claimed, std::memory_order_acq_rel,
                                             std::memory_order_relaxed));
    Block* const block = slot(position / rows).load(std::memory_order_acquire);
    ENVPOOL_ASSERT(block != nullptr && !block->complete());
    return {block, i32(position % rows), i32(claimed)};
  }

  // Returns the number of rows that have been written and not received.
  i32 rows_done() const {
    i32 rows = 0;
    for (const Block* block = put_back_; block != nullptr; block = block->next) rows += block->rows();
    for (const auto& slot : ring_) {
      const Block* block = slot.load(std::memory_order_relaxed);
      if (block != nullptr) rows += block->rows_done();
    }
    return rows;
  }
  // Discards all results; no environment may be running. Calls `settle(block, rows)` with each block and its number of
  // written rows.
  template <class Settle>
  void discard(Settle&& settle) {
    while (has_put_back()) {
      const Batch batch = take_put_back();
      settle(*batch, batch->rows());
    }
    while (sync_ && !empty()) {
      Block* const block = slot(front_++).exchange(nullptr);
      settle(*block, block->rows());
      blocks_->release(block);
    }
    if (sync_) return;
    for (auto& slot : ring_) {  // rows are claimed in order, so the written ones come first
      Block* const block = slot.load();
      settle(*block, block->rows_done());
      block->open(batch_size_);
    }
    claimed_.store(front_ * u64(batch_size_));
  }

 private:
  std::atomic<Block*>& slot(u64 number) { return ring_[number % ring_.size()]; }
  const std::atomic<Block*>& slot(u64 number) const { return ring_[number % ring_.size()]; }

  const std::shared_ptr<BlockPool> blocks_;
  const bool sync_;
  const i32 batch_size_;
  const u64 capacity_;
  // Synchronous: the blocks front_ to back_ - 1. Asynchronous: front_ and the following ones.
  std::vector<std::atomic<Block*>> ring_;
  Block* put_back_ = nullptr;  // the blocks that were put back, the latest first
  u64 front_ = 0, back_ = 0;
  alignas(64) std::atomic<u64> claimed_{0};  // number of rows claimed so far
};

}  // namespace envpool
