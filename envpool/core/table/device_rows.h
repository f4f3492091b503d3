// SPDX-License-Identifier: Apache-2.0
//
// How a kernel writes observations. The rows of a warp's environments are next to each other in an array, but a store
// of each lane into its own row accesses a different sector of memory per lane. So if the environment has large rows
// (kLargeRows), each lane writes its row into shared memory, and then the warp copies all rows, 32 consecutive words at
// a time. Rows that are too large for this are written directly; if the environment can write into cleared rows, the
// warp first clears these rows together.
#pragma once

#include "envpool/core/env.h"

namespace envpool::device {

inline constexpr int kMostFields = 32;

#ifndef ENVPOOL_WARP  // The test of kernels on the host makes warps smaller.
#define ENVPOOL_WARP 32
#endif
inline constexpr i32 kWarp = ENVPOOL_WARP;  // lanes of a warp

// Where the rows of a warp are in its part of the block's dynamic shared memory: slot k of field f begins at
// at[f] + k * stride(row_bytes[f]). The first bytes hold tables of addresses and strides.
struct Staging {
  // With every driver and GPU, a block may have 48 KiB, including the kernels' own variables. The less a block has, the
  // more warps run on a multiprocessor at a time.
  static constexpr i64 kMostBlockBytes = 40 << 10;
  // Smaller rows are written directly, because several are in one sector, so that copying would cost more than it
  // saves.
  static constexpr i64 kLeastRowBytes = 32;

  i32 warp_bytes;
  i32 at[kMostFields];  // -1: lanes write the rows of this field directly
  bool used;            // whether lanes write any rows into shared memory

  // Rows of an even number of 8-byte words are moved apart, so that lanes that access their rows at the same offset
  // access different banks.
  ENVPOOL_FN static i64 stride(i64 row_bytes) { return row_bytes % 16 == 0 ? row_bytes + 8 : row_bytes; }

  // Places the rows of fields, unless `direct`: `row_bytes` and `staged` say how large each is, and whether lanes write
  // it. `threads` is the number of threads in a block.
  template <class IsStaged>
  static Staging of(const i64* row_bytes, i32 fields, i32 threads, bool direct, IsStaged&& staged) {
    Staging made{};
    made.warp_bytes = (3 * i32(sizeof(void*)) * fields + 15) / 16 * 16;
    const i64 lane_bytes = kMostBlockBytes / threads - made.warp_bytes / kWarp - 1;
    i64 used = 0;
    for (i32 f = 0; f < fields; ++f) {
      made.at[f] = -1;
      const i64 bytes = stride(row_bytes[f]);
      if (direct || !staged(f) || bytes < kLeastRowBytes || used + bytes > lane_bytes) continue;
      made.at[f] = made.warp_bytes;
      made.warp_bytes += i32(bytes) * kWarp;
      used += bytes;
      made.used = true;
    }
    return made;
  }
  i64 block_bytes(i32 threads) const { return i64{warp_bytes} * (threads / kWarp); }
};

}  // namespace envpool::device

#ifdef __CUDACC__

#ifndef ENVPOOL_DYNAMIC_SHARED  // The test of kernels on the host defines it.
extern __shared__ __align__(16) unsigned char envpool_dynamic_shared[];
#define ENVPOOL_DYNAMIC_SHARED envpool_dynamic_shared
#endif

namespace envpool::device {

#ifdef ENVPOOL_DIRECT_ROWS  // so that both ways can be measured
template <class Env>
inline constexpr bool kTogether = false;
#else
template <class Env>
inline constexpr bool kTogether = kHasLargeRows<Env>;
#endif

inline constexpr u32 kAllLanes = ~u32{0} >> (32 - kWarp);

// 16 bytes that one instruction writes.
struct alignas(16) Quad {
  u32 words[4];
};

// The arrays that a call of WarpRows::write writes. Each lane writes either to `one` or to `two`.
struct Destinations {
  void* const* one;
  void* const* two;
};

// Writes the rows of the lanes of a warp. All lanes of the warp call its functions together, even if they have no row.
class WarpRows {
 public:
  template <class Launch>
  explicit WarpRows(const Launch& launch)
      : staging_(launch.staging),
        row_bytes_(launch.row_bytes),
        fields_(launch.num_own),
        memory_(ENVPOOL_DYNAMIC_SHARED + i64{i32(threadIdx.x) / kWarp} * launch.staging.warp_bytes) {}

  // Calls observe(row) in each lane that has a row, and writes the rows.
  //   first, slot  the row is number `first` + `slot` of the arrays; `first` is the same in all lanes
  //   lane_of      the lane of each slot, or a number outside of the warp
  //   has_row      whether the lane has a row
  //   second       whether its row belongs to to.two
  template <bool kTogether, bool kCleared, class LaneOf, class Observe>
  void write(i64 first, i32 slot, const LaneOf& lane_of, bool has_row, bool second, const Destinations& to,
             const Observe& observe) const {
    if constexpr (!kTogether) {
      if (has_row) observe(Row{second ? to.two : to.one, row_bytes_, first + slot});
    } else {
      write_together<kCleared>(first, slot, lane_of, has_row, second, to, observe);
    }
  }

 private:
  template <bool kCleared, class LaneOf, class Observe>
  void write_together(i64 first, i32 slot, const LaneOf& lane_of, bool has_row, bool second, const Destinations& to,
                      const Observe& observe) const {
    Row row{second ? to.two : to.one, row_bytes_, first + slot};
    const bool together = kCleared || staging_.used;
    u32 one = 0, two = 0;
    if (together) {
      const i32 lane = i32(threadIdx.x) % kWarp, from = lane_of(lane);
      const u32 source = u32(from) % u32{kWarp};
      const bool there = __shfl_sync(kAllLanes, u32(has_row), source) != 0 && from < kWarp;
      const bool there_two = __shfl_sync(kAllLanes, u32(second), source) != 0;
      one = __ballot_sync(kAllLanes, there && !there_two), two = __ballot_sync(kAllLanes, there && there_two);
      if ((one | two) == 0) return;
      if (lane < fields_) {
        const bool staged = staging_.at[lane] >= 0;
        void* const stage = memory_ + staging_.at[lane];
        addresses()[lane] = staged ? stage : row_of(to.one, lane, first);
        addresses()[fields_ + lane] = staged ? stage : row_of(to.two, lane, first);
        strides()[lane] = staged ? Staging::stride(row_bytes_[lane]) : row_bytes_[lane];
      }
      if constexpr (kCleared) clear(first, one, two, to);
      __syncwarp(kAllLanes);
      row = {addresses() + (second ? fields_ : 0), strides(), slot};
    }
    if (has_row) observe(row);
    if (!together) return;
    __syncwarp(kAllLanes);
    for (i32 f = 0; f < fields_; ++f) {
      if (staging_.at[f] < 0) continue;
      const u8* const stage = memory_ + staging_.at[f];
      const i32 bytes = i32(row_bytes_[f]), stride = i32(Staging::stride(bytes));
      if (one != 0) copy_rows(row_of(to.one, f, first), stage, bytes, stride, one);
      if (two != 0) copy_rows(row_of(to.two, f, first), stage, bytes, stride, two);
    }
    __syncwarp(kAllLanes);
  }

  // The tables at the beginning of the warp's memory.
  void** addresses() const { return reinterpret_cast<void**>(memory_); }
  i64* strides() const { return reinterpret_cast<i64*>(memory_) + 2 * fields_; }

  u8* row_of(void* const* fields, i32 f, i64 row) const { return static_cast<u8*>(fields[f]) + row * row_bytes_[f]; }

  static bool is_aligned(const void* a, const void* b, u64 bytes) {
    return ((reinterpret_cast<u64>(a) | reinterpret_cast<u64>(b)) & (bytes - 1)) == 0;
  }

  // Rows of consecutive slots.
  struct Span {
    i32 first, count;  // count is 0 if a mask has other slots, too

    explicit Span(u32 slots) : first(__ffs(i32(slots)) - 1), count(__popc(slots)) {
      const u32 above = slots >> first;
      if ((above & (above + 1)) != 0) count = 0;
    }
  };

  // Calls a function for each unit of the rows of the slots in a mask: consecutive lanes get consecutive units.
  template <class Function>
  static void for_units(u32 slots, i32 units_of_row, const Function& function) {
    const u32 units = u32(units_of_row), rows_ahead = u32{kWarp} / units, units_ahead = u32{kWarp} % units;
    const u32 lane = threadIdx.x % u32{kWarp};
    u32 row = lane / units, unit = lane % units;
    while (row < u32{kWarp} && slots >> row != 0) {
      if ((slots >> row & 1) != 0) function(row, unit);
      row += rows_ahead;
      unit += units_ahead;
      if (unit >= units) {
        unit -= units;
        ++row;
      }
    }
  }

  // Writes `bytes` consecutive bytes: get(i) returns unit i.
  template <class Unit, class Get>
  static void write_units(u8* to, i64 bytes, const Get& get) {
    Unit* const units = reinterpret_cast<Unit*>(to);
    const i64 count = bytes / i64{sizeof(Unit)};
#ifdef __CUDACC_RTC__  // Without it, kernels need more registers.
#pragma unroll 4
#endif
    for (i64 i = i32(threadIdx.x) % kWarp; i < count; i += kWarp) units[i] = get(i);
  }

  // Clears rows of an array.
  static ENVPOOL_NOINLINE void clear_rows(u8* to, i64 row_bytes, u32 slots) {
    const Span span(slots);
    const i64 bytes = span.count * row_bytes;
    u8* const first = to + span.first * row_bytes;
    if (bytes > 0 && bytes % 16 == 0 && is_aligned(first, first, 16)) {
      return write_units<Quad>(first, bytes, [](i64) { return Quad{}; });
    }
    if (row_bytes % 4 == 0 && is_aligned(to, to, 4)) {
      for (i32 row = 0; row < kWarp; ++row) {
        if ((slots >> row & 1) != 0) write_units<u32>(to + row * row_bytes, row_bytes, [](i64) { return u32{0}; });
      }
      return;
    }
    for (i32 row = 0; row < kWarp; ++row) {
      if ((slots >> row & 1) != 0) write_units<u8>(to + row * row_bytes, row_bytes, [](i64) { return u8{0}; });
    }
  }

  void clear(i64 first, u32 one, u32 two, const Destinations& to) const {
    for (i32 f = 0; f < fields_; ++f) {
      if (row_bytes_[f] == 0) continue;
      if (staging_.at[f] >= 0) {
        clear_rows(memory_ + staging_.at[f], Staging::stride(row_bytes_[f]), one | two);
        continue;
      }
      if (one != 0) clear_rows(row_of(to.one, f, first), row_bytes_[f], one);
      if (two != 0) clear_rows(row_of(to.two, f, first), row_bytes_[f], two);
    }
  }

  // Copies rows from shared memory, where they are `stride` bytes apart, to an array. Slot 0 is at the addresses. Like
  // clear_rows, this is a call, because inlining it for each observation would double the size of the kernel.
  static ENVPOOL_NOINLINE void copy_rows(u8* to, const u8* from, i32 bytes, i32 stride, u32 slots) {
    const Span span(slots);
    if (bytes == stride && span.count > 0) {
      u8* const target = to + span.first * bytes;
      const u8* const source = from + span.first * bytes;
      const i64 all = i64{span.count} * bytes;
      if (all % 16 == 0 && is_aligned(target, source, 16)) {
        return write_units<Quad>(target, all, [&](i64 i) { return reinterpret_cast<const Quad*>(source)[i]; });
      }
      if (is_aligned(target, source, 4)) {
        write_units<u32>(target, all, [&](i64 i) { return reinterpret_cast<const u32*>(source)[i]; });
        const i64 rest = all / 4 * 4;
        return write_units<u8>(target + rest, all - rest, [&](i64 i) { return source[rest + i]; });
      }
    }
    if (bytes % 16 == 0 && is_aligned(to, to, 16)) {
      return for_units(slots, bytes / 16, [&](u32 row, u32 unit) {
        const u64* const source = reinterpret_cast<const u64*>(from + row * u32(stride)) + 2 * unit;
        const u64 parts[] = {source[0], source[1]};
        reinterpret_cast<Quad*>(to + row * u32(bytes))[unit] = {
            {u32(parts[0]), u32(parts[0] >> 32), u32(parts[1]), u32(parts[1] >> 32)}};
      });
    }
    if (bytes % 4 == 0 && is_aligned(to, from, 4)) {
      return for_units(slots, bytes / 4, [&](u32 row, u32 unit) {
        reinterpret_cast<u32*>(to + row * u32(bytes))[unit] =
            reinterpret_cast<const u32*>(from + row * u32(stride))[unit];
      });
    }
    for_units(slots, bytes, [&](u32 row, u32 unit) { to[row * u32(bytes) + unit] = from[row * u32(stride) + unit]; });
  }

  const Staging& staging_;
  const i64* const row_bytes_;
  const i32 fields_;
  u8* const memory_;
};

}  // namespace envpool::device

#endif  // __CUDACC__
