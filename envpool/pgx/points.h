// SPDX-License-Identifier: Apache-2.0
//
// Sets of the points of a Go board, with a bit for each point. An unused bit follows each row of points, so that a
// shift by one bit moves no point into another row.
#pragma once

#include "envpool/pgx/bits.h"

namespace envpool::pgx {

template <i32 kSide>
struct Points {
  static constexpr i32 kStride = kSide + 1, kWords = (kSide * kStride + 63) / 64, kBits = 64 * kWords;

  u64 words[kWords];

  // Returns the bit of a point that is numbered row * kSide + column.
  ENVPOOL_FN static constexpr i32 bit_of(i32 cell) { return cell + cell / kSide; }
  ENVPOOL_FN static constexpr i32 cell_of(i32 bit) { return bit - bit / kStride; }

  ENVPOOL_FN static constexpr Points none() { return {}; }
  ENVPOOL_FN static constexpr Points all() {
    Points set{};
    for (i32 cell = 0; cell < kSide * kSide; ++cell) set.words[bit_of(cell) / 64] |= u64{1} << bit_of(cell) % 64;
    return set;
  }
  ENVPOOL_FN static Points one(i32 bit) {
    Points set;
    for (i32 i = 0; i < kWords; ++i) set.words[i] = i == bit / 64 ? u64{1} << bit % 64 : 0;
    return set;
  }

  ENVPOOL_ALWAYS_INLINE friend Points operator&(const Points& a, const Points& b) {
    return each([&](i32 i) { return a.words[i] & b.words[i]; });
  }
  ENVPOOL_ALWAYS_INLINE friend Points operator|(const Points& a, const Points& b) {
    return each([&](i32 i) { return a.words[i] | b.words[i]; });
  }
  ENVPOOL_ALWAYS_INLINE friend Points operator-(const Points& a, const Points& b) {  // the points of a that b lacks
    return each([&](i32 i) { return a.words[i] & ~b.words[i]; });
  }

  ENVPOOL_FN bool has(i32 bit) const { return (words[bit / 64] >> bit % 64 & 1) != 0; }
  ENVPOOL_ALWAYS_INLINE bool any() const {
    u64 some = 0;
    for (i32 i = 0; i < kWords; ++i) some |= words[i];
    return some != 0;
  }
  // Returns whether there are two points or more.
  ENVPOOL_ALWAYS_INLINE bool several() const {
    u64 before = 0, again = 0;
    for (i32 i = 0; i < kWords; ++i) {
      again |= (words[i] & (words[i] - 1)) | (before != 0 ? words[i] : 0);
      before |= words[i];
    }
    return again != 0;
  }
  ENVPOOL_FN i32 count() const {
    i32 sum = 0;
    for (i32 i = 0; i < kWords; ++i) sum += pgx::count(words[i]);
    return sum;
  }
  // Returns the lowest bit of a set that is not empty.
  ENVPOOL_FN i32 lowest() const {
    i32 bit = 0;
    for (i32 i = kWords - 1; i >= 0; --i) {
      if (words[i] != 0) bit = 64 * i + pgx::count((words[i] & (0 - words[i])) - 1);
    }
    return bit;
  }
  // Calls f(bit) for each point.
  template <class F>
  ENVPOOL_ALWAYS_INLINE void for_each(F&& f) const {
    for (i32 i = 0; i < kWords; ++i) {
      for (u64 rest = words[i]; rest != 0; rest &= rest - 1) f(64 * i + pgx::count((rest & (0 - rest)) - 1));
    }
  }

  // Returns the points next to these ones, and maybe bits that are no points.
  ENVPOOL_ALWAYS_INLINE Points beside() const {
    return each([&](i32 i) { return up(i, 1) | down(i, 1) | up(i, kStride) | down(i, kStride); });
  }
  // Returns the points of `region` that are connected with these ones, which are some of them.
  ENVPOOL_FN Points connected_in(const Points& region) const {
    Points set = *this;
    for (i32 i = 0; i < kBits; ++i) {
      const Points more = (set.beside() & region) - set;
      if (!more.any()) break;
      set = set | more;
    }
    return set;
  }
  // Writes whether each point is in the set.
  ENVPOOL_FN void write(bool* to) const {
#ifdef __CUDACC__
    for (i32 cell = 0; cell < kSide * kSide; ++cell) to[cell] = has(bit_of(cell));
#else
    u64 waiting = 0;
    i32 count = 0;
    for (i32 r = 0; r < kSide; ++r) {
      waiting |= row(r) << count;
      for (count += kSide; count >= 8; count -= 8, waiting >>= 8, to += 8) {
        const u64 eight = bytes_of(waiting);
        __builtin_memcpy(to, &eight, sizeof(eight));
      }
    }
    for (i32 i = 0; i < count; ++i) to[i] = pgx::has(waiting, i);
#endif
  }

 private:
  // Returns the points of a row.
  ENVPOOL_ALWAYS_INLINE u64 row(i32 r) const {
    const i32 word = r * kStride / 64, shift = r * kStride % 64;
    const u64 rest = shift + kSide > 64 ? words[word + 1] << (64 - shift) : 0;
    return (words[word] >> shift | rest) & ((u64{1} << kSide) - 1);
  }
  template <class F>
  ENVPOOL_ALWAYS_INLINE static Points each(F&& word) {
    Points set;
    for (i32 i = 0; i < kWords; ++i) set.words[i] = word(i);
    return set;
  }
  ENVPOOL_ALWAYS_INLINE u64 up(i32 i, i32 by) const { return words[i] << by | (i > 0 ? words[i - 1] >> (64 - by) : 0); }
  ENVPOOL_ALWAYS_INLINE u64 down(i32 i, i32 by) const {
    return words[i] >> by | (i + 1 < kWords ? words[i + 1] << (64 - by) : 0);
  }
};

}  // namespace envpool::pgx
