// SPDX-License-Identifier: Apache-2.0
//
// The blocks of memory that environments write their results into and that Python sees as arrays. A block is filled,
// handed out, and comes back when its last array dies: nothing is allocated per step, nothing is written twice, and an
// array the user holds is never overwritten.
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "envpool/core/process.h"
#include "envpool/core/vtable.h"

namespace envpool {

// An exception inside an environment, on its way to recv().
struct Failure {
  i32 env_id;
  std::string message;
};

// One array of a block, and where it lies.
struct Array {
  std::string name;
  abi::Dtype dtype;
  std::vector<i64> shape;  // of one row
  bool per_player;
  i64 row_bytes;
  i64 offset;
};

// Where each array lies in a block of `rows` rows, the same for all blocks of a pool. Every array starts on 64 bytes,
// so that JAX and torch take it without a copy.
struct BlockLayout {
  std::vector<Array> arrays;  // common fields, the environment's own, final copies of those, players.env_id
  i32 rows;
  i32 max_players;
  i32 own_fields;
  bool has_final;
  i64 bytes = 0;

  BlockLayout(const abi::Layout& layout, i32 num_rows, bool with_final)
      : rows(num_rows), max_players(layout.max_players), own_fields(layout.num_fields), has_final(with_final) {
    add("reward", abi::kF32, {}, true);
    add("discount", abi::kF32, {}, true);
    add("terminated", abi::kBool, {}, false);
    add("truncated", abi::kBool, {}, false);
    add("step_type", abi::kI32, {}, false);
    add("env_id", abi::kI32, {}, false);
    add("elapsed_step", abi::kI32, {}, false);
    add("players", abi::kI32, {}, false);
    for (int copy = 0; copy < (with_final ? 2 : 1); ++copy) {
      for (i32 f = 0; f < layout.num_fields; ++f) {
        const abi::Field& field = layout.fields[f];
        add((copy == 1 ? "final." : "") + std::string(field.name), field.dtype,
            {field.shape, field.shape + field.dimensions}, field.per_player != 0);
      }
    }
    if (max_players > 1) add("players.env_id", abi::kI32, {}, true);
  }

  int find(const std::string& name) const {
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (arrays[i].name == name) return int(i);
    }
    return -1;
  }

 private:
  void add(std::string name, abi::Dtype dtype, std::vector<i64> shape, bool per_player) {
    constexpr i64 sizes[] = {1, 1, 4, 8, 4, 8};
    i64 row_bytes = sizes[dtype];
    for (i64 extent : shape) row_bytes *= extent;
    arrays.push_back({std::move(name), dtype, std::move(shape), per_player, row_bytes, bytes});
    bytes += (row_bytes * rows * (per_player ? max_players : 1) + 63) / 64 * 64;
  }
};

class BlockPool;

class Block {
 public:
  // While the block is in the receiver's hands: keeps the pool it goes back to.
  std::shared_ptr<BlockPool> home;

  explicit Block(const BlockLayout& layout) : layout_(layout) {
    memory_.reset(static_cast<u8*>(::operator new(size_t(layout.bytes), std::align_val_t{64})));
    std::memset(memory_.get(), 0, size_t(layout.bytes));
    for (const Array& array : layout.arrays) fields_.push_back(memory_.get() + array.offset);
    if (layout.has_final) {
      final_fields_.assign(fields_.begin(), fields_.begin() + abi::kCommonFields);
      const auto first = fields_.begin() + abi::kCommonFields + layout.own_fields;
      final_fields_.insert(final_fields_.end(), first, first + layout.own_fields);
    }
  }

  // Makes the block ready for `rows` environments; `in_order` promises that row i will be environment i's.
  void open(i32 rows, bool in_order = false) {
    rows_ = rows;
    in_order_ = in_order;
    players_ = 0;
    failures_.clear();
    left_.store(rows, std::memory_order_relaxed);
  }

  abi::Rows rows_from(i32 row) { return {fields_.data(), layout_.has_final ? final_fields_.data() : nullptr, row}; }

  // True for the call that completes the block; from then on it is the receiver's, and may be in use again at once.
  // Sequentially consistent for the same reason as ActionQueue::publish.
  bool finish(i32 count) { return left_.fetch_sub(count, std::memory_order_seq_cst) == count; }
  bool complete() const { return left_.load(std::memory_order_seq_cst) == 0; }
  i32 done() const { return rows_ - left_.load(std::memory_order_seq_cst); }

  void fail(i32 env_id, const char* message) {
    std::lock_guard lock(failures_mutex_);
    failures_.push_back({env_id, message});
  }
  const std::vector<Failure>& failures() const { return failures_; }

  i32 rows() const { return rows_; }
  bool in_order() const { return in_order_; }
  i32 players() const { return players_; }
  u8* data(int array) const { return static_cast<u8*>(fields_[size_t(array)]); }
  template <class T>
  const T* values(int array) const {
    return reinterpret_cast<const T*>(data(array));
  }
  i32 entries(int array) const { return layout_.arrays[size_t(array)].per_player ? players_ : rows_; }
  const BlockLayout& layout() const { return layout_; }

  // While environments write, each has room for max_players; close the gaps between those that were there.
  void gather_players() {
    players_ = rows_;
    if (layout_.max_players == 1) return;
    const i32* counts = values<i32>(abi::kPlayers);
    const i32* env_ids = values<i32>(abi::kEnvId);
    i32* owner = reinterpret_cast<i32*>(data(int(layout_.arrays.size()) - 1));
    players_ = 0;
    for (i32 row = 0; row < rows_; ++row) {
      for (i32 player = 0; player < counts[row]; ++player) owner[players_++] = env_ids[row];
    }
    if (players_ == rows_ * layout_.max_players) return;
    for (size_t i = 0; i + 1 < layout_.arrays.size(); ++i) {
      const Array& array = layout_.arrays[i];
      if (!array.per_player) continue;
      u8* base = data(int(i));
      i64 to = 0;
      for (i32 row = 0; row < rows_; ++row) {
        std::memmove(base + to * array.row_bytes, base + i64(row) * layout_.max_players * array.row_bytes,
                     size_t(counts[row] * array.row_bytes));
        to += counts[row];
      }
    }
  }

 private:
  struct Free {
    void operator()(u8* memory) const { ::operator delete(memory, std::align_val_t{64}); }
  };
  const BlockLayout& layout_;
  std::unique_ptr<u8, Free> memory_;
  std::vector<void*> fields_, final_fields_;
  i32 rows_ = 0;
  i32 players_ = 0;
  bool in_order_ = false;
  std::vector<Failure> failures_;
  std::mutex failures_mutex_;
  alignas(64) std::atomic<i32> left_{0};
};

// Keeps the blocks that nobody uses. Outlives the pool for as long as an array of one of its blocks does.
class BlockPool {
 public:
  BlockPool(BlockLayout layout, size_t most_idle) : layout_(std::move(layout)), most_idle_(most_idle) {
    free_.reserve(most_idle);
  }

  Block* acquire(i32 rows, bool in_order = false) {
    std::unique_ptr<Block> block;
    {
      std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        block = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (!block) block = std::make_unique<Block>(layout_);
    block->open(rows, in_order);
    return block.release();
  }
  // The most recently used block is handed out first: it is the one still in the cache.
  void release(Block* block) {
    std::unique_ptr<Block> spare(block);
    if (forked_since(generation_)) return void(spare.release());
    std::lock_guard lock(mutex_);
    if (free_.size() < most_idle_) free_.push_back(std::move(spare));
  }
  const BlockLayout& layout() const { return layout_; }

 private:
  const BlockLayout layout_;
  const size_t most_idle_;  // what a user once held and let go is given back to the system
  const u32 generation_ = fork_generation();
  std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> free_;
};

// A complete block in the receiver's hands goes back to its pool when this is called, or a Batch dies.
inline void give_back(Block* block) {
  const std::shared_ptr<BlockPool> home = std::move(block->home);
  home->release(block);
}
struct GiveBack {
  void operator()(Block* block) const { give_back(block); }
};
using Batch = std::unique_ptr<Block, GiveBack>;

}  // namespace envpool
