// SPDX-License-Identifier: Apache-2.0
//
// The k agents that are nearest to one, nearest first, of two as near the one of the lower number. Both searches give
// the same: among all, and, where there are many, among those of the cells around. The second is the host's; a device
// has a thread for each agent, and cells that one thread would have to fill.
#pragma once

#include "envpool/core/portable.h"

namespace envpool::tag {

// Grows in two arrays of `most` elements that the caller has to spare. Up to kSorted they are kept in order; more are a
// heap, the farthest on top, until sort().
class Nearest {
 public:
  static constexpr i32 kSorted = 32;

  ENVPOOL_FN Nearest(f32* distances, f32* numbers, i32 most)
      : distance_(distances), number_(numbers), most_(most), limit_(math::infinity<f32>()) {}

  // An agent at a distance whose square this is. Squares beyond limit() need not be offered.
  ENVPOOL_ALWAYS_INLINE void offer(f32 square, i32 number) {
    const f32 distance = sqrt(square);
    if (size_ == most_) {
      if (!before(distance, number, most_ <= kSorted ? most_ - 1 : 0)) return;
      if (most_ > kSorted) return replace_top(distance, number);
      insert(most_ - 1, distance, number);
    } else if (most_ <= kSorted) {
      insert(size_++, distance, number);
    } else {
      push(distance, number);
    }
    if (size_ == most_) narrow();
  }
  // Roots of two squares can be equal where the squares are not, so the limit is a little more than the farthest's.
  ENVPOOL_ALWAYS_INLINE f32 limit() const { return limit_; }
  ENVPOOL_FN i32 size() const { return size_; }
  ENVPOOL_FN bool full() const { return size_ == most_; }
  ENVPOOL_FN f32 farthest() const { return distance_[most_ <= kSorted ? most_ - 1 : 0]; }
  ENVPOOL_FN i32 number(i32 place) const { return i32(math::bits(number_[place])); }

  ENVPOOL_FN void sort() {
    if (most_ <= kSorted) return;
    for (i32 left = size_ - 1; left > 0; --left) {
      const f32 distance = distance_[left], number = number_[left];
      distance_[left] = distance_[0];
      number_[left] = number_[0];
      sink(distance, i32(math::bits(number)), left);
    }
  }

 private:
  ENVPOOL_ALWAYS_INLINE bool before(f32 distance, i32 number, i32 place) const {
    return distance < distance_[place] || (distance == distance_[place] && number < this->number(place));
  }
  ENVPOOL_ALWAYS_INLINE void put(i32 place, f32 distance, i32 number) {
    distance_[place] = distance;
    number_[place] = math::real<f32>(u32(number));
  }
  ENVPOOL_ALWAYS_INLINE void move(i32 from, i32 to) {
    distance_[to] = distance_[from];
    number_[to] = number_[from];
  }
  ENVPOOL_ALWAYS_INLINE void insert(i32 place, f32 distance, i32 number) {
    for (; place > 0 && before(distance, number, place - 1); --place) move(place - 1, place);
    put(place, distance, number);
  }
  ENVPOOL_FN void push(f32 distance, i32 number) {
    i32 place = size_++;
    while (place > 0 && !before(distance, number, (place - 1) / 2)) {
      move((place - 1) / 2, place);
      place = (place - 1) / 2;
    }
    put(place, distance, number);
  }
  ENVPOOL_FN void sink(f32 distance, i32 number, i32 size) {
    i32 place = 0;
    for (i32 child = 1; child < size; child = 2 * place + 1) {
      if (child + 1 < size && before(distance_[child], this->number(child), child + 1)) ++child;
      if (!before(distance, number, child)) break;
      move(child, place);
      place = child;
    }
    put(place, distance, number);
  }
  ENVPOOL_FN void replace_top(f32 distance, i32 number) {
    sink(distance, number, size_);
    narrow();
  }
  ENVPOOL_ALWAYS_INLINE void narrow() {
    const f32 distance = farthest();
    limit_ = distance * distance * 1.000001f;
  }

  f32* const distance_;
  f32* const number_;  // bits of integers
  const i32 most_;
  i32 size_ = 0;
  f32 limit_;
};

// Agents as arrays: places, and the number of each; none: the element's.
struct Places {
  const f32 *x, *y;
  const i32* number;
};

// Offers the agents first..last-1. Squares of distances are computed for some at once, which vectors do.
template <class Skip>
ENVPOOL_ALWAYS_INLINE void offer_all(Nearest& nearest, Places places, i32 first, i32 last, f32 x, f32 y, Skip skip) {
  constexpr i32 kAtOnce = 32;
  for (i32 begin = first; begin < last; begin += kAtOnce) {
    const i32 count = min(kAtOnce, last - begin);
    f32 square[kAtOnce];
    for (i32 i = 0; i < count; ++i) {
      const f32 dx = places.x[begin + i] - x, dy = places.y[begin + i] - y;
      square[i] = dx * dx + dy * dy;
    }
    for (i32 i = 0; i < count; ++i) {
      if (square[i] > nearest.limit()) continue;
      const i32 number = places.number == nullptr ? begin + i : places.number[begin + i];
      if (!skip(number)) nearest.offer(square[i], number);
    }
  }
}

// Agents by the cell of a square that they are in: `order` lists them, cell by cell, `begin` says where each cell's
// begin. Cells of a row are neighbours there, so a block of cells is a few runs of agents.
struct Cells {
  static constexpr i32 kMostPerSide = 40;
  f32 side;      // of the square
  i32 per_side;  // 0: there are none, look at all
  i32* begin;    // per_side^2 + 1
  f32 scale = f32(per_side) / side;

  // How many to a side make the 3 by 3 around an agent hold some four times the k that are looked for: enough, mostly.
  ENVPOOL_FN static i32 wanted(i32 agents, i32 k) {
    if (k == 0 || agents < 8 * k + 40) return 0;
    return clamp(i32(sqrt(f32(agents) / (0.46f * f32(k)))), 1, kMostPerSide);
  }
  ENVPOOL_FN i32 of(f32 x, f32 y) const { return of(y) * per_side + of(x); }
  ENVPOOL_FN i32 of(f32 coordinate) const { return min(i32(coordinate * scale), per_side - 1); }

  // Puts the agents for which `present` is not 0 in order.
  ENVPOOL_FN void sort(const f32* x, const f32* y, const f32* present, i32 agents, f32* order_x, f32* order_y,
                       i32* order) const {
    const i32 cells = per_side * per_side;
    for (i32 c = 0; c <= cells; ++c) begin[c] = 0;
    for (i32 i = 0; i < agents; ++i) begin[of(x[i], y[i])] += present[i] != 0;
    for (i32 c = 1; c <= cells; ++c) begin[c] += begin[c - 1];
    for (i32 i = agents - 1; i >= 0; --i) {
      if (present[i] == 0) continue;
      const i32 at = --begin[of(x[i], y[i])];
      order_x[at] = x[i];
      order_y[at] = y[i];
      order[at] = i;
    }
  }

  // Looks at the cells around (x, y), ring after ring, until what is beyond them is farther than all that was found.
  template <class Skip>
  ENVPOOL_FN void search(Nearest& nearest, Places places, f32 x, f32 y, Skip skip) const {
    const i32 cell_x = of(x), cell_y = of(y), last = per_side - 1;
    for (i32 ring = 1;; ++ring) {
      const i32 left = cell_x - ring, right = cell_x + ring, low = cell_y - ring, high = cell_y + ring;
      const i32 from = max(left, 0), to = min(right, last);
      for (i32 row = max(low, 0); row <= min(high, last); ++row) {
        const i32* cell = begin + row * per_side;
        if (ring == 1 || row == low || row == high) {
          offer_all(nearest, places, cell[from], cell[to + 1], x, y, skip);
          continue;
        }
        if (left >= 0) offer_all(nearest, places, cell[left], cell[left + 1], x, y, skip);
        if (right <= last) offer_all(nearest, places, cell[right], cell[right + 1], x, y, skip);
      }
      const bool everything = left <= 0 && right >= last && low <= 0 && high >= last;
      if (everything || (nearest.full() && nearest.farthest() < reach(x, left, right, y, low, high))) return;
    }
  }

 private:
  // How far away, at least, an agent beyond this block of cells is; what rounding may take is taken off.
  ENVPOOL_FN f32 reach(f32 x, i32 left, i32 right, f32 y, i32 low, i32 high) const {
    f32 distance = 4 * side;
    if (left > 0) distance = min(distance, x - f32(left) / scale);
    if (right < per_side - 1) distance = min(distance, f32(right + 1) / scale - x);
    if (low > 0) distance = min(distance, y - f32(low) / scale);
    if (high < per_side - 1) distance = min(distance, f32(high + 1) / scale - y);
    return distance - 1e-5f * side;
  }
};

}  // namespace envpool::tag
