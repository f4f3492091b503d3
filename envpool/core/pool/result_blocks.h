// SPDX-License-Identifier: Apache-2.0
//
// The blocks between a send and the recv that returns them, in the order in which recv takes them.
//
// Synchronous: each send has a block of its own, with a row for each of its environments. Asynchronous: there is always
// an open block, and more of them behind it, in which environments that finish claim the next row.
//
// The pool's mutex guards everything here but claim() and what it uses.
#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/state_buffer.h"

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
      if (Block* left = slot.load()) blocks_->release(left);
    }
    while (returned_ != nullptr) give_back(std::exchange(returned_, returned_->next));
  }
  ResultBlocks(const ResultBlocks&) = delete;
  ResultBlocks& operator=(const ResultBlocks&) = delete;

  // The most blocks there can be at once. Synchronous: every send of at least one environment has one. Asynchronous:
  // the rows of all environments fill this many.
  u64 capacity() const { return capacity_; }
  void allocate() {
    ring_ = std::vector<std::atomic<Block*>>(capacity_);
    for (auto& slot : ring_) {
      if (!sync_) slot = blocks_->acquire(batch_size_);
    }
  }

  // Returns the block that the rows of a send are written to, or null in asynchronous mode.
  Block* acquire(i32 rows, RowOrder order) { return sync_ ? blocks_->acquire(rows, order) : nullptr; }
  void append(Block* block) {
    if (block != nullptr) slot(back_++).store(block, std::memory_order_relaxed);
  }

  // Synchronous: whether nothing was sent that has not been received.
  bool empty() const { return front_ == back_; }
  // Returns the block that is next in turn if it is complete, else null.
  Block* complete() const {
    if (sync_ && empty()) return nullptr;
    Block* block = slot(front_).load(std::memory_order_relaxed);
    return block->complete() ? block : nullptr;
  }
  // Takes the block that complete() returned. Its environments stay under way until its rows are settled.
  Batch take(Block* block) {
    Block* const next = sync_ ? nullptr : blocks_->acquire(batch_size_);
    // The next block for this slot is in place before an environment of this one can be sent again and need it.
    slot(front_++).store(next, std::memory_order_release);
    block->gather_players();
    block->home = blocks_;
    return Batch(block);
  }

  // A batch that was taken and put back is the next to be taken.
  void put_back(Batch batch) noexcept {
    batch->next = returned_;
    returned_ = batch.release();
  }
  bool has_returned() const { return returned_ != nullptr; }
  Batch take_returned() { return Batch(std::exchange(returned_, returned_->next)); }

  // Asynchronous: the next row that nobody has claimed. Any thread may call this.
  //
  // The block is there: some earlier claim was of an environment that was sent after the block was put into the ring,
  // and this claim reads what all earlier ones wrote.
  std::pair<Block*, i32> claim() noexcept {
    const u64 position = claimed_.fetch_add(1, std::memory_order_acq_rel), rows = u64(batch_size_);
    return {slot(position / rows).load(std::memory_order_acquire), i32(position % rows)};
  }

  // The number of rows that have been written, received ones left out.
  i32 rows_done() const {
    i32 rows = 0;
    for (const Block* block = returned_; block != nullptr; block = block->next) rows += block->rows();
    for (const auto& slot : ring_) {
      const Block* block = slot.load(std::memory_order_relaxed);
      if (block != nullptr) rows += block->done();
    }
    return rows;
  }
  // Empties all blocks, while no environment is stepped. `settle(block, rows)` is called with each block and how many
  // rows of it have been written.
  template <class Settle>
  void discard(Settle&& settle) {
    while (has_returned()) {
      const Batch batch = take_returned();
      settle(*batch, batch->rows());
    }
    while (sync_ && !empty()) {
      Block* const block = slot(front_++).exchange(nullptr);
      settle(*block, block->rows());
      blocks_->release(block);
    }
    if (sync_) return;
    for (auto& slot : ring_) {  // rows are claimed in order, so that those written are the first
      Block* const block = slot.load();
      settle(*block, block->done());
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
  // Blocks front_ .. back_ - 1; asynchronous: front_ and those after it.
  std::vector<std::atomic<Block*>> ring_;
  Block* returned_ = nullptr;  // those that were put back, the latest first
  u64 front_ = 0, back_ = 0;
  alignas(64) std::atomic<u64> claimed_{0};  // rows claimed so far
};

}  // namespace envpool
