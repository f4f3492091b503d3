// SPDX-License-Identifier: Apache-2.0
//
// A cache of the parameter rows of a model and their resolved rows. A parameter row comes from the user and may contain
// any bytes, so its values are checked and resolved before they are used. That takes microseconds; looking up a row
// that equals a cached one byte for byte takes nanoseconds.
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

class ResolvedRowCache {
 public:
  // The cache is cleared when it would exceed this size, or twice the largest batch if that is larger.
  static constexpr i64 kMaxBytes = i64{64} << 20;

  // A resolved row begins with a copy of its parameter row.
  ResolvedRowCache(i64 row_bytes, i64 resolved_bytes) : row_bytes_(row_bytes), resolved_bytes_(resolved_bytes) {}

  // Writes the resolved rows of `count` rows to `out`. A row that is not cached is resolved by `resolve(k, out)`, which
  // may throw, and inserted.
  template <class Resolve>
  void find(const abi::StridedRows& rows, i64 count, u8* out, Resolve&& resolve) {
    for (i64 k = copy_cached(rows, 0, count, out); k < count; k = copy_cached(rows, k + 1, count, out)) {
      u8* const resolved = out + k * resolved_bytes_;
      resolve(k, resolved);
      insert(resolved);
    }
  }

  // Inserts a resolved row, unless it is cached.
  void insert(const u8* resolved) {
    const std::lock_guard lock(mutex_);
    if (find_row(resolved) != kNone) return;
    const i64 limit = std::max(kMaxBytes / resolved_bytes_, 2 * largest_batch_.load(std::memory_order_relaxed));
    if (count_ >= std::min<i64>(limit, kNone)) {
      rows_.clear();
      std::fill(buckets_.begin(), buckets_.end(), Bucket{});
      count_ = 0;
    }
    if (2 * (count_ + 1) > i64(buckets_.size())) grow();
    rows_.insert(rows_.end(), resolved, resolved + resolved_bytes_);
    place(buckets_, checksum_of(resolved), u32(count_++));
  }

  // Records that a batch of this many rows occurred, so that the cache can hold batches of this size.
  void note_batch(i64 rows) {
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
  // An entry of an open-addressing hash table, keyed by the checksums in the rows. A lookup compares the whole rows,
  // because users can forge checksums.
  struct Bucket {
    u32 checksum_high = 0;  // the upper half; the lower half selects the bucket
    u32 row = kNone;
  };

  static u64 checksum_of(const u8* row) {
    u64 checksum;
    std::memcpy(&checksum, row + 8, sizeof(checksum));
    return checksum;
  }
  const u8* at(u32 row) const { return rows_.data() + i64(row) * resolved_bytes_; }
  bool equals(u32 row, const u8* bytes) const { return std::memcmp(at(row), bytes, size_t(row_bytes_)) == 0; }

  u32 find_row(const u8* bytes) const {
    if (buckets_.empty()) return kNone;
    const u64 checksum = checksum_of(bytes), mask = buckets_.size() - 1;
    for (u64 i = checksum & mask; buckets_[i].row != kNone; i = (i + 1) & mask) {
      if (buckets_[i].checksum_high == u32(checksum >> 32) && equals(buckets_[i].row, bytes)) return buckets_[i].row;
    }
    return kNone;
  }

  // Copies resolved rows, beginning with row `k`, until one is not cached. Returns that row's number, or `count`.
  i64 copy_cached(const abi::StridedRows& rows, i64 k, i64 count, u8* out) const {
    const std::shared_lock lock(mutex_);
    i64 next = count_;  // the first guess: rows usually recur in the order of insertion
    for (; k < count; ++k) {
      const u8* const bytes = static_cast<const u8*>(rows.data) + k * rows.stride;
      const u32 row = next < count_ && equals(u32(next), bytes) ? u32(next) : find_row(bytes);
      if (row == kNone) break;
      std::memcpy(out + k * resolved_bytes_, at(row), size_t(resolved_bytes_));
      next = i64(row) + 1;
    }
    return k;
  }

  static void place(std::vector<Bucket>& buckets, u64 checksum, u32 row) {
    const u64 mask = buckets.size() - 1;
    u64 i = checksum & mask;
    while (buckets[i].row != kNone) i = (i + 1) & mask;
    buckets[i] = {u32(checksum >> 32), row};
  }
  void grow() {
    std::vector<Bucket> buckets(std::max<size_t>(16, 2 * buckets_.size()));
    for (u32 row = 0; row < u32(count_); ++row) place(buckets, checksum_of(at(row)), row);
    buckets_.swap(buckets);
  }

  const i64 row_bytes_, resolved_bytes_;
  mutable std::shared_mutex mutex_;
  std::vector<u8> rows_{};
  std::vector<Bucket> buckets_{};
  i64 count_ = 0;
  std::atomic<i64> largest_batch_{0};
};

}  // namespace envpool::xla
