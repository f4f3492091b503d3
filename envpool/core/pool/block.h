// SPDX-License-Identifier: Apache-2.0
//
// The blocks of memory into which environments write their results, and which Python sees as arrays. A block is filled,
// handed to the user, and returned when its last array is freed. So steps do not allocate memory, results are not
// copied, and arrays that the user holds are never overwritten.
#pragma once

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

#include "envpool/core/aligned_memory.h"
#include "envpool/core/assert.h"
#include "envpool/core/system/resources.h"
#include "envpool/core/table/vtable.h"
#include "envpool/core/text.h"

namespace envpool {

// An exception that an environment threw, which recv() reports.
struct Failure {
  i32 env_id = 0;
  std::string message{};

  // If there is no memory for the message, uses a text so short that std::string stores it without allocating.
  static Failure of(i32 env_id, const char* message) noexcept {
    try {
      return {env_id, valid_utf8(message)};
    } catch (const std::bad_alloc&) {
      return {env_id, "out of memory"};
    }
  }
};

// Says whether a block has fields for the last observations of episodes.
enum class FinalFields { kNone, kKept };

// Says whether environments may throw.
enum class Failures { kNever, kPossible };

// kById: row i of a block belongs to environment i. kAsSent: rows are in the order of the send, or of completion.
enum class RowOrder { kAsSent, kById };

// The arrays that the pool itself computes (statistics.h).
struct ExtraArrays {
  bool episode_return = false;
  std::string normalized_obs{};  // the name of a field of environments with one player; empty: none
};

// One array of a block.
struct Array {
  std::string name;
  abi::Dtype dtype;
  std::vector<i64> shape;  // of one row
  bool per_player;
  i64 row_bytes;
};

// The arrays of a pool's blocks. Every array is aligned to 64 bytes, so that JAX and torch can use it without a copy.
struct BlockLayout {
  std::vector<Array> arrays;  // common fields, own fields, final copies of own fields, extra arrays, players.env_id
  i32 rows;                   // of a whole batch
  i32 max_players;
  i32 own_fields;
  bool has_final;
  bool may_fail;
  int raw_obs = -1;  // the observation that is normalized; its copy of last observations is own_fields further
  int normalized_obs = -1, final_normalized_obs = -1;  // where it is written; float32 is overwritten

  BlockLayout(const abi::Layout& layout, i32 num_rows, FinalFields final_fields,
              Failures failures = Failures::kPossible, const ExtraArrays& extra = {})
      : rows(num_rows),
        max_players(layout.max_players),
        own_fields(layout.num_fields),
        has_final(final_fields == FinalFields::kKept),
        may_fail(failures == Failures::kPossible) {
    add("reward", abi::kF32, {}, Entries::kPerPlayer);
    add("discount", abi::kF32, {}, Entries::kPerPlayer);
    add("terminated", abi::kBool, {}, Entries::kPerRow);
    add("truncated", abi::kBool, {}, Entries::kPerRow);
    add("step_type", abi::kI32, {}, Entries::kPerRow);
    add("env_id", abi::kI32, {}, Entries::kPerRow);
    add("elapsed_step", abi::kI32, {}, Entries::kPerRow);
    add("players", abi::kI32, {}, Entries::kPerRow);
    for (int copy = 0; copy < (has_final ? 2 : 1); ++copy) {
      for (i32 f = 0; f < layout.num_fields; ++f) {
        const abi::Field& field = layout.fields[f];
        add((copy == 1 ? "final." : "") + std::string(field.name), field.dtype,
            {field.shape, field.shape + field.dimensions},
            field.per_player != 0 ? Entries::kPerPlayer : Entries::kPerRow);
      }
    }
    if (extra.episode_return) add("episode_return", abi::kF64, {}, Entries::kPerRow);
    if (!extra.normalized_obs.empty()) add_normalized_obs(extra.normalized_obs);
    if (max_players > 1) add("players.env_id", abi::kI32, {}, Entries::kPerPlayer);
  }

  // Returns whether rows of the two layouts have the same arrays.
  bool same_arrays(const BlockLayout& other) const {
    return max_players == other.max_players && has_final == other.has_final &&
           std::equal(arrays.begin(), arrays.end(), other.arrays.begin(), other.arrays.end(),
                      [](const Array& a, const Array& b) {
                        return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape &&
                               a.per_player == b.per_player;
                      });
  }

  int find(const std::string& name) const {
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (arrays[i].name == name) return int(i);
    }
    return -1;
  }

  // Return the size in bytes of an array in a block of `num_rows` rows, and of the whole block.
  i64 bytes_of(const Array& array, i32 num_rows) const {
    return (array.row_bytes * num_rows * (array.per_player ? max_players : 1) + 63) / 64 * 64;
  }
  i64 bytes(i32 num_rows) const {
    i64 sum = 0;
    for (const Array& array : arrays) sum += bytes_of(array, num_rows);
    return sum;
  }

 private:
  enum class Entries { kPerRow, kPerPlayer };

  // Determines where normalized observations are written. If the environment's own are not float32, arrays are added
  // under their names, and they get the prefix "raw.".
  void add_normalized_obs(const std::string& name) {
    raw_obs = normalized_obs = find(name);
    ENVPOOL_ASSERT(raw_obs >= abi::kCommonFields && max_players == 1);
    if (has_final) final_normalized_obs = raw_obs + own_fields;
    for (int copy = 0; copy < (has_final ? 2 : 1); ++copy) {
      Array& raw = arrays[size_t(raw_obs + copy * own_fields)];
      if (raw.dtype == abi::kF32) continue;
      (copy == 0 ? normalized_obs : final_normalized_obs) = int(arrays.size());
      std::string normalized = std::exchange(raw.name, "raw." + raw.name);
      add(std::move(normalized), abi::kF32, raw.shape, Entries::kPerRow);
    }
  }

  void add(std::string name, abi::Dtype dtype, std::vector<i64> shape, Entries entries) {
    constexpr i64 sizes[] = {1, 1, 4, 8, 4, 8};
    i64 row_bytes = sizes[dtype];
    for (i64 extent : shape) row_bytes *= extent;
    arrays.push_back({std::move(name), dtype, std::move(shape), entries == Entries::kPerPlayer, row_bytes});
  }
};

class BlockPool;

class Block {
 public:
  // The pool to which the block returns; set while the receiver owns the block, to keep the pool alive.
  std::shared_ptr<BlockPool> pool;
  // The next block in a list of idle blocks, or of blocks that were put back.
  Block* next = nullptr;
  std::chrono::nanoseconds idle_since{0};

  // Creates a block with room for `capacity` rows.
  Block(const BlockLayout& layout, i32 capacity) : layout_(layout), capacity_(capacity) {
    const i64 bytes = layout.bytes(capacity);
    memory_ = allocate_zeroed(bytes);
    fields_.reserve(layout.arrays.size());
    u8* place = memory_.get();
    for (const Array& array : layout.arrays) {
      fields_.push_back(place);
      place += layout.bytes_of(array, capacity);
    }
    // A row can fail at most twice: in a step, and in the reset or observation that follows.
    if (layout.may_fail) failures_.reserve(size_t(capacity) * 2);
    if (layout.has_final) {
      final_fields_.assign(fields_.begin(), fields_.begin() + abi::kCommonFields);
      const auto first = fields_.begin() + abi::kCommonFields + layout.own_fields;
      final_fields_.insert(final_fields_.end(), first, first + layout.own_fields);
    }
  }

  // Prepares the block for `rows` environments.
  void open(i32 rows, RowOrder order = RowOrder::kAsSent) {
    ENVPOOL_ASSERT(rows > 0 && rows <= capacity_);
    rows_ = rows;
    order_ = order;
    players_ = 0;
    failures_.clear();
    remaining_.store(rows, std::memory_order_relaxed);
  }

  abi::ResultRows rows_from(i32 row) {
    ENVPOOL_ASSERT(row >= 0 && row < rows_);
    return {fields_.data(), layout_.has_final ? final_fields_.data() : nullptr, row};
  }

  // Records that rows have been written. Returns true for the call that completes the block, which then belongs to the
  // receiver and may be reused at any time. Sequentially consistent for the same reason as ActionQueue::publish.
  bool finish(i32 count) {
    const i32 remaining = remaining_.fetch_sub(count, std::memory_order_seq_cst);
    ENVPOOL_ASSERT(count > 0 && count <= remaining);
    return remaining == count;
  }
  bool complete() const { return remaining_.load(std::memory_order_seq_cst) == 0; }
  i32 rows_done() const { return rows_ - remaining_.load(std::memory_order_seq_cst); }

  void fail(Failure failure) noexcept {
    std::lock_guard lock(failures_mutex_);
    if (failures_.size() < failures_.capacity()) failures_.push_back(std::move(failure));
  }
  const std::vector<Failure>& failures() const { return failures_; }

  i32 rows() const { return rows_; }
  i32 capacity() const { return capacity_; }
  RowOrder order() const { return order_; }
  i32 players() const { return players_; }
  u8* data(int array) const {
    ENVPOOL_ASSERT(array >= 0 && size_t(array) < fields_.size());
    return static_cast<u8*>(fields_[size_t(array)]);
  }
  template <class T>
  const T* values(int array) const {
    return reinterpret_cast<const T*>(data(array));
  }
  i32 entries(int array) const { return layout_.arrays[size_t(array)].per_player ? players_ : rows_; }
  const BlockLayout& layout() const { return layout_; }

  // Compacts the per-player arrays. Environments write into slots for max_players players; this closes the gaps between
  // the players that exist.
  void compact_players() {
    players_ = rows_;
    if (layout_.max_players == 1) return;
    const i32* counts = values<i32>(abi::kPlayers);
    const i32* env_ids = values<i32>(abi::kEnvId);
    i32* owner = reinterpret_cast<i32*>(data(int(layout_.arrays.size()) - 1));
    ENVPOOL_ASSERT(are_ids(counts, rows_, layout_.max_players + 1));
    const i32 rows = rows_, most = layout_.max_players;  // not members, which writes to `owner` might change
    i32 absent = 0;
    for (i32 row = 0; row < rows; ++row) absent |= counts[row] ^ most;
    if (absent == 0) {
      players_ = rows * most;
      if (most == 2) {  // constant, so that the compiler uses SIMD instructions
        for (i32 row = 0; row < rows; ++row) owner[2 * row] = owner[2 * row + 1] = env_ids[row];
      } else {
        for (i32 row = 0; row < rows; ++row) std::fill_n(owner + i64(row) * most, most, env_ids[row]);
      }
      return;
    }
    i32 players = 0;
    for (i32 row = 0; row < rows; ++row) {
      for (i32 player = 0; player < counts[row]; ++player) owner[players++] = env_ids[row];
    }
    players_ = players;
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
  const BlockLayout& layout_;
  const i32 capacity_;
  AlignedMemory memory_;
  std::vector<void*> fields_, final_fields_;
  i32 rows_ = 0;
  i32 players_ = 0;
  RowOrder order_ = RowOrder::kAsSent;
  std::vector<Failure> failures_;
  std::mutex failures_mutex_;
  alignas(64) std::atomic<i32> remaining_{0};
};

// A pool of idle blocks. When a block is released, blocks that have been idle for `idle_timeout` are freed. So neither
// steady stepping nor collecting and releasing whole rollouts allocates memory, but the memory of an exceptional peak
// is returned. The BlockPool outlives the EnvPool while the user holds an array of one of its blocks.
class BlockPool {
 public:
  using Nanoseconds = std::chrono::nanoseconds;

  explicit BlockPool(BlockLayout layout, Nanoseconds idle_timeout = std::chrono::seconds(1))
      : layout_(std::move(layout)), idle_timeout_(idle_timeout), idle_(size_t(size_class(layout_.rows)) + 1) {}
  ~BlockPool() { trim(); }
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // Returns a block with room for `rows` rows. Its capacity is less than twice `rows`, or is the size of a whole batch.
  // If there are more rows than in a batch, it is a block that is not reused.
  Block* acquire(i32 rows, RowOrder order = RowOrder::kAsSent) {
    Block* block = nullptr;
    if (rows > layout_.rows) {
      block = new Block(layout_, rows);
    } else {
      const std::lock_guard lock(mutex_);
      if (Block*& last = idle_[size_t(size_class(rows))]; last != nullptr) block = std::exchange(last, last->next);
    }
    if (block == nullptr) block = new Block(layout_, std::min(i32(1) << size_class(rows), layout_.rows));
    block->next = nullptr;
    block->open(rows, order);
    return block;
  }
  // Returns a block to the pool. The most recently released block is reused first, because it may still be in the
  // cache.
  void release(Block* block) noexcept {
    if (forked_since(generation_)) return;
    ENVPOOL_ASSERT(block->pool == nullptr);
    if (block->capacity() > layout_.rows) {
      delete block;
      return;
    }
    const Nanoseconds now = coarse_time();
    Block* expired = nullptr;
    {
      std::lock_guard lock(mutex_);
      block->idle_since = now;
      block->next = std::exchange(idle_[size_t(size_class(block->capacity()))], block);
      if (now - last_sweep_ >= idle_timeout_ / 2) {
        last_sweep_ = now;
        for (Block*& newest : idle_) expired = unlink_idle(newest, now - idle_timeout_, expired);
      }
    }
    free_all(expired);
  }
  // Frees all idle blocks.
  void trim() noexcept {
    if (forked_since(generation_)) return;
    Block* expired = nullptr;
    {
      std::lock_guard lock(mutex_);
      for (Block*& newest : idle_) expired = unlink_idle(newest, Nanoseconds::max(), expired);
    }
    free_all(expired);
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

  // Unlinks the blocks that have been idle since `before`. Returns them as a list, followed by `tail`.
  static Block* unlink_idle(Block*& newest, Nanoseconds before, Block* tail) {
    Block** from = &newest;
    while (*from != nullptr && (*from)->idle_since > before) from = &(*from)->next;
    Block* const first = std::exchange(*from, nullptr);
    if (first == nullptr) return tail;
    Block* last = first;
    while (last->next != nullptr) last = last->next;
    last->next = tail;
    return first;
  }
  static void free_all(Block* block) {
    while (block != nullptr) delete std::exchange(block, block->next);
  }

  const BlockLayout layout_;
  const Nanoseconds idle_timeout_;
  const u32 generation_ = fork_generation();
  std::mutex mutex_;
  std::vector<Block*> idle_;  // by size class: the most recently released block, which links to the others
  Nanoseconds last_sweep_{0};
};

// Gives a block, which the receiver owns, back to its pool. A Batch does this on destruction.
inline void release_block(Block* block) {
  const std::shared_ptr<BlockPool> pool = std::move(block->pool);
  pool->release(block);
}
struct BlockReleaser {
  void operator()(Block* block) const { release_block(block); }
};
using Batch = std::unique_ptr<Block, BlockReleaser>;

}  // namespace envpool
