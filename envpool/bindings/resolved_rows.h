// SPDX-License-Identifier: Apache-2.0
//
// The rows of parameters that a model has met, each with what it resolves to. A row comes from the user, who can write
// any bytes into it, so that its values must be checked and resolved before they are used. That takes microseconds; a
// row that is found here byte for byte takes nanoseconds.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "envpool/core/table/vtable.h"

namespace envpool::xla {

class ResolvedRows {
 public:
  // All rows are forgotten when they take more than this, or than twice the largest batch.
  static constexpr i64 kMostBytes = i64{64} << 20;

  // A resolved row begins with the row that it belongs to.
  ResolvedRows(i64 row_bytes, i64 resolved_bytes) : row_bytes_(row_bytes), resolved_bytes_(resolved_bytes) {}

  // Writes the resolved rows of `count` rows to `out`. Those that are not known are taken from `resolve(k, out)`, which
  // writes the one of row k, or throws.
  template <class Resolve>
  void find(const abi::Lane& rows, i64 count, u8* out, Resolve&& resolve) {
    for (i64 k = copy_known(rows, 0, count, out); k < count; k = copy_known(rows, k + 1, count, out)) {
      u8* const resolved = out + k * resolved_bytes_;
      resolve(k, resolved);
      learn(resolved);
    }
  }

  // Adds a row that the model itself has resolved.
  void learn(const u8* resolved) {
    const std::lock_guard lock(mutex_);
    if (find_row(resolved) != kNone) return;
    const i64 most = std::max(kMostBytes / resolved_bytes_, 2 * largest_batch_.load(std::memory_order_relaxed));
    if (count_ >= std::min<i64>(most, kNone)) {
      rows_.clear();
      std::fill(slots_.begin(), slots_.end(), Slot{});
      count_ = 0;
    }
    if (2 * (count_ + 1) > i64(slots_.size())) grow();
    rows_.insert(rows_.end(), resolved, resolved + resolved_bytes_);
    put(slots_, check_of(resolved), u32(count_++));
  }

  // Says that batches of so many rows occur.
  void expect(i64 rows) {
    i64 largest = largest_batch_.load(std::memory_order_relaxed);
    while (rows > largest && !largest_batch_.compare_exchange_weak(largest, rows, std::memory_order_relaxed)) {
    }
  }

  i64 size() const {
    const std::shared_lock lock(mutex_);
    return count_;
  }

 private:
  static constexpr u32 kNone = std::numeric_limits<u32>::max();
  // An open-addressing hash table by the rows' own checksums. A checksum only tells where to look: rows are compared.
  struct Slot {
    u32 mark = 0;  // the other half of the checksum
    u32 row = kNone;
  };

  static u64 check_of(const u8* row) {
    u64 check;
    std::memcpy(&check, row + 8, sizeof(check));
    return check;
  }
  const u8* at(u32 row) const { return rows_.data() + i64(row) * resolved_bytes_; }
  bool is(u32 row, const u8* bytes) const { return std::memcmp(at(row), bytes, size_t(row_bytes_)) == 0; }

  u32 find_row(const u8* bytes) const {
    if (slots_.empty()) return kNone;
    const u64 check = check_of(bytes), mask = slots_.size() - 1;
    for (u64 i = check & mask; slots_[i].row != kNone; i = (i + 1) & mask) {
      if (slots_[i].mark == u32(check >> 32) && is(slots_[i].row, bytes)) return slots_[i].row;
    }
    return kNone;
  }

  // Copies the resolved rows from `k` on until one is not known. Returns its number.
  i64 copy_known(const abi::Lane& rows, i64 k, i64 count, u8* out) const {
    const std::shared_lock lock(mutex_);
    i64 next = count_;  // the row that was learnt after the one before: batches mostly come as they were made
    for (; k < count; ++k) {
      const u8* const bytes = static_cast<const u8*>(rows.data) + k * rows.stride;
      const u32 row = next < count_ && is(u32(next), bytes) ? u32(next) : find_row(bytes);
      if (row == kNone) break;
      std::memcpy(out + k * resolved_bytes_, at(row), size_t(resolved_bytes_));
      next = i64(row) + 1;
    }
    return k;
  }

  static void put(std::vector<Slot>& slots, u64 check, u32 row) {
    const u64 mask = slots.size() - 1;
    u64 i = check & mask;
    while (slots[i].row != kNone) i = (i + 1) & mask;
    slots[i] = {u32(check >> 32), row};
  }
  void grow() {
    std::vector<Slot> slots(std::max<size_t>(16, 2 * slots_.size()));
    for (u32 row = 0; row < u32(count_); ++row) put(slots, check_of(at(row)), row);
    slots_.swap(slots);
  }

  const i64 row_bytes_, resolved_bytes_;
  mutable std::shared_mutex mutex_;
  std::vector<u8> rows_{};
  std::vector<Slot> slots_{};
  i64 count_ = 0;
  std::atomic<i64> largest_batch_{0};
};

}  // namespace envpool::xla
