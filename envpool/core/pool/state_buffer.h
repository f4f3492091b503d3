// SPDX-License-Identifier: Apache-2.0
//
// The blocks of memory that environments write their results into and that Python sees as arrays. A block is filled,
// handed out, and comes back when its last array dies: nothing is allocated per step, nothing is written twice, and an
// array the user holds is never overwritten.
#pragma once

#include <time.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "envpool/core/pool/process.h"
#include "envpool/core/table/vtable.h"

namespace envpool {

// An exception inside an environment, on its way to recv().
struct Failure {
  i32 env_id = 0;
  std::string message{};

  // If there is no memory for the message, a short text is used, which std::string stores without allocating.
  static Failure of(i32 env_id, const char* message) noexcept {
    try {
      return {env_id, message};
    } catch (const std::bad_alloc&) {
      return {env_id, "out of memory"};
    }
  }
};

// Whether a block has the last observations of episodes beside those that come next.
enum class FinalFields { kNone, kKept };

// Whether environments may throw.
enum class Failures { kNever, kPossible };

// Whether row i of a block is environment i's for certain, or follows the order of the send or of completion.
enum class RowOrder { kAsSent, kById };

// One array of a block.
struct Array {
  std::string name;
  abi::Dtype dtype;
  std::vector<i64> shape;  // of one row
  bool per_player;
  i64 row_bytes;
};

// The arrays of a pool's blocks. Every array starts on 64 bytes, so that JAX and torch take it without a copy.
struct BlockLayout {
  std::vector<Array> arrays;  // common fields, the environment's own, final copies of those, players.env_id
  i32 rows;                   // of a whole batch
  i32 max_players;
  i32 own_fields;
  bool has_final;
  bool may_fail;

  BlockLayout(const abi::Layout& layout, i32 num_rows, FinalFields final_fields,
              Failures failures = Failures::kPossible)
      : rows(num_rows),
        max_players(layout.max_players),
        own_fields(layout.num_fields),
        has_final(final_fields == FinalFields::kKept),
        may_fail(failures == Failures::kPossible) {
    add("reward", abi::kF32, {}, true);
    add("discount", abi::kF32, {}, true);
    add("terminated", abi::kBool, {}, false);
    add("truncated", abi::kBool, {}, false);
    add("step_type", abi::kI32, {}, false);
    add("env_id", abi::kI32, {}, false);
    add("elapsed_step", abi::kI32, {}, false);
    add("players", abi::kI32, {}, false);
    for (int copy = 0; copy < (has_final ? 2 : 1); ++copy) {
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

  // The bytes that an array takes in a block of so many rows, and those of the whole block.
  i64 bytes_of(const Array& array, i32 num_rows) const {
    return (array.row_bytes * num_rows * (array.per_player ? max_players : 1) + 63) / 64 * 64;
  }
  i64 bytes(i32 num_rows) const {
    i64 sum = 0;
    for (const Array& array : arrays) sum += bytes_of(array, num_rows);
    return sum;
  }

 private:
  void add(std::string name, abi::Dtype dtype, std::vector<i64> shape, bool per_player) {
    constexpr i64 sizes[] = {1, 1, 4, 8, 4, 8};
    i64 row_bytes = sizes[dtype];
    for (i64 extent : shape) row_bytes *= extent;
    arrays.push_back({std::move(name), dtype, std::move(shape), per_player, row_bytes});
  }
};

class BlockPool;

class Block {
 public:
  // While the block is in the receiver's hands: keeps the pool it goes back to.
  std::shared_ptr<BlockPool> home;
  // The next block in a list of idle blocks or of blocks that were put back.
  Block* next = nullptr;
  std::chrono::nanoseconds idle_since{0};

  // A block with room for `capacity` rows.
  Block(const BlockLayout& layout, i32 capacity) : layout_(layout), capacity_(capacity) {
    const i64 bytes = layout.bytes(capacity);
    memory_.reset(static_cast<u8*>(::operator new(size_t(bytes), std::align_val_t{64})));
    std::memset(memory_.get(), 0, size_t(bytes));
    fields_.reserve(layout.arrays.size());
    u8* place = memory_.get();
    for (const Array& array : layout.arrays) {
      fields_.push_back(place);
      place += layout.bytes_of(array, capacity);
    }
    // A row fails at most twice, in a step and in the reset or the observation that follows.
    if (layout.may_fail) failures_.reserve(size_t(capacity) * 2);
    if (layout.has_final) {
      final_fields_.assign(fields_.begin(), fields_.begin() + abi::kCommonFields);
      const auto first = fields_.begin() + abi::kCommonFields + layout.own_fields;
      final_fields_.insert(final_fields_.end(), first, first + layout.own_fields);
    }
  }

  // Makes the block ready for `rows` environments.
  void open(i32 rows, RowOrder order = RowOrder::kAsSent) {
    rows_ = rows;
    order_ = order;
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

  void fail(Failure failure) noexcept {
    std::lock_guard lock(failures_mutex_);
    if (failures_.size() < failures_.capacity()) failures_.push_back(std::move(failure));
  }
  const std::vector<Failure>& failures() const { return failures_; }

  i32 rows() const { return rows_; }
  i32 capacity() const { return capacity_; }
  RowOrder order() const { return order_; }
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
  const i32 capacity_;
  std::unique_ptr<u8, Free> memory_;
  std::vector<void*> fields_, final_fields_;
  i32 rows_ = 0;
  i32 players_ = 0;
  RowOrder order_ = RowOrder::kAsSent;
  std::vector<Failure> failures_;
  std::mutex failures_mutex_;
  alignas(64) std::atomic<i32> left_{0};
};

// Keeps the blocks that nobody uses, for as long as it may be that they are needed again: a block that was idle for
// `patience` is freed when another comes back. Whoever steps steadily, and whoever collects a rollout and lets go of it
// at once, so allocates nothing, and what was held once only does not stay. Outlives the pool for as long as an array
// of one of its blocks does.
class BlockPool {
 public:
  using Nanoseconds = std::chrono::nanoseconds;

  explicit BlockPool(BlockLayout layout, Nanoseconds patience = std::chrono::seconds(1))
      : layout_(std::move(layout)), patience_(patience), idle_(size_t(size_class(layout_.rows)) + 1) {}
  ~BlockPool() { trim(); }
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // A block with room for `rows` rows and less than twice as many, or for a whole batch.
  Block* acquire(i32 rows, RowOrder order = RowOrder::kAsSent) {
    const size_t of = size_t(size_class(rows));
    Block* block = nullptr;
    {
      std::lock_guard lock(mutex_);
      if (Block*& last = idle_[of]; last != nullptr) block = std::exchange(last, last->next);
    }
    if (block == nullptr) block = new Block(layout_, std::min(i32(1) << of, layout_.rows));
    block->next = nullptr;
    block->open(rows, order);
    return block;
  }
  // The most recently used block is handed out first: it is the one still in the cache.
  void release(Block* block) noexcept {
    if (forked_since(generation_)) return;
    const Nanoseconds now = coarse_now();
    Block* old = nullptr;
    {
      std::lock_guard lock(mutex_);
      block->idle_since = now;
      block->next = std::exchange(idle_[size_t(size_class(block->capacity()))], block);
      if (now - swept_ >= patience_ / 2) {
        swept_ = now;
        for (Block*& latest : idle_) old = cut(latest, now - patience_, old);
      }
    }
    free_all(old);
  }
  // Frees all idle blocks.
  void trim() noexcept {
    if (forked_since(generation_)) return;
    Block* old = nullptr;
    {
      std::lock_guard lock(mutex_);
      for (Block*& latest : idle_) old = cut(latest, Nanoseconds::max(), old);
    }
    free_all(old);
  }
  const BlockLayout& layout() const { return layout_; }
  // Returns the size of all idle blocks in bytes.
  i64 idle_bytes() {
    std::lock_guard lock(mutex_);
    i64 bytes = 0;
    for (const Block* block : idle_) {
      for (; block != nullptr; block = block->next) bytes += layout_.bytes(block->capacity());
    }
    return bytes;
  }

 private:
  // Blocks of one class have the same capacity: a power of two, or a whole batch.
  static i32 size_class(i32 rows) { return i32(std::bit_width(u32(rows) - 1)); }

  // Unlinks the blocks that have been idle since `before` and returns them as a list that ends with `others`.
  static Block* cut(Block*& latest, Nanoseconds before, Block* others) {
    Block** from = &latest;
    while (*from != nullptr && (*from)->idle_since > before) from = &(*from)->next;
    Block* const first = std::exchange(*from, nullptr);
    if (first == nullptr) return others;
    Block* last = first;
    while (last->next != nullptr) last = last->next;
    last->next = others;
    return first;
  }
  static void free_all(Block* block) {
    while (block != nullptr) delete std::exchange(block, block->next);
  }
  // Returns a monotonic time that is accurate to a few milliseconds and cheap to read.
  static Nanoseconds coarse_now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
  }

  const BlockLayout layout_;
  const Nanoseconds patience_;
  const u32 generation_ = fork_generation();
  std::mutex mutex_;
  std::vector<Block*> idle_;  // by class, the latest to come back; the others follow it
  Nanoseconds swept_{0};
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
