// SPDX-License-Identifier: Apache-2.0
//
// The k agents that are nearest to one, as nearest.h has them, for few of many and a host with vectors: without a
// branch that cannot be foretold. Squares of distances are compared as their bits, which order as they do.
#pragma once

#include "envpool/core/portable.h"
#include "envpool/tag/nearest.h"

namespace envpool::tag {

// The candidates for the nearest agents. They are added, and then the nearest of them are chosen, perhaps several
// times.
class Around {
 public:
  static constexpr i32 kMost = 1024, kMostNearest = 64;

  ENVPOOL_FN Around(f32 x, f32 y) : x_(x), y_(y) {}

  // The agents first..last-1 of these arrays.
  ENVPOOL_ALWAYS_INLINE void add(const f32* x, const f32* y, const i32* number, i32 first, i32 last) {
    const i32 count = last - first;
    i32* __restrict const square = square_ + size_;
    i32* __restrict const to = number_ + size_;
    for (i32 i = 0; i < count; ++i) {
      const f32 dx = x[first + i] - x_, dy = y[first + i] - y_;
      square[i] = i32(math::bits(dx * dx + dy * dy));
      to[i] = number[first + i];
    }
    size_ += count;
    valid_ += count;
  }
  // All agents for which `present` is not 0, which are so many.
  ENVPOOL_ALWAYS_INLINE void add_all(const f32* x, const f32* y, const f32* present, i32 agents, i32 so_many) {
    for (i32 i = 0; i < agents; ++i) {
      const f32 dx = x[i] - x_, dy = y[i] - y_;
      const i32 square = i32(math::bits(dx * dx + dy * dy));
      square_[i] = present[i] != 0 ? square : kNever;
      number_[i] = i;
    }
    size_ = agents;
    valid_ = so_many;
  }
  // Excludes one of those added, such as the agent itself.
  ENVPOOL_ALWAYS_INLINE void remove(i32 place) {
    square_[place] = kNever;
    --valid_;
  }
  ENVPOOL_FN i32 size() const { return size_; }
  ENVPOOL_FN i32 valid() const { return valid_; }

  // Writes the numbers of the k nearest, or of all if they are fewer, and returns how many. `guess` is a square within
  // which there might be k.
  ENVPOOL_FN i32 choose(i32 k, f32 guess, i32* nearest) {
    k = min(k, valid_);
    if (k == 0) return 0;
    const i32 near = within(limit_for(k, guess));
    rank(near, k, nearest);
    return k;
  }
  // The distance of the farthest that was chosen.
  ENVPOOL_FN f32 farthest() const { return farthest_; }

 private:
  static constexpr i32 kMostRanked = 160;
  static constexpr i32 kNever = 0x7F800000;  // infinity

  ENVPOOL_ALWAYS_INLINE i32 count(i32 limit) const {
    i32 found = 0;
    for (i32 i = 0; i < size_; ++i) found += square_[i] <= limit;
    return found;
  }

  // Within this square there are k, and few more: found by how the number within grows with the square.
  ENVPOOL_FN i32 limit_for(i32 k, f32 guess) const {
    const i32 enough = k + k / 2 + 4;
    if (valid_ <= enough) return kNever - 1;
    i32 low = -1, high = kNever - 1;
    for (i32 limit = i32(math::bits(guess)), tries = 0; tries < 16 && high - low > 1; ++tries) {
      const i32 found = count(limit);
      (found < k ? low : high) = limit;
      if (found >= k && found <= enough) break;
      const f32 next = math::real<f32>(u32(limit)) * (f32(k + 2 + k / 4) / (f32(found) + 0.5f));
      limit = i32(math::bits(next));
      if (limit <= low || limit >= high || tries > 4) limit = low + (high - low) / 2;
    }
    // Roots of different squares can be equal, and then numbers decide: so, a little more.
    return high >= kNever - 16 ? high : high + 16;
  }

  // Brings those within to the front.
  ENVPOOL_ALWAYS_INLINE i32 within(i32 limit) {
    i32 found = 0;
    for (i32 i = 0; i < size_; ++i) {
      near_[found] = square_[i];
      near_number_[found] = number_[i];
      found += square_[i] <= limit;
    }
    return found;
  }

  // Everyone's place is how many are before it.
  ENVPOOL_ALWAYS_INLINE void rank(i32 near, i32 k, i32* nearest) {
    if (near > kMostRanked) return offer(near, k, nearest);
    for (i32 i = 0; i < near; ++i) near_[i] = i32(math::bits(sqrt(math::real<f32>(u32(near_[i])))));
    i32 last = 0;
    for (i32 i = 0; i < near; ++i) {
      const i32 distance = near_[i], number = near_number_[i];
      i32 before = 0;
      for (i32 j = 0; j < near; ++j) {
        before += (near_[j] < distance) | ((near_[j] == distance) & (near_number_[j] < number));
      }
      if (before < k) nearest[before] = number;
      if (before == k - 1) last = distance;
    }
    farthest_ = math::real<f32>(u32(last));
  }

  // Chooses where so many are equally near that ranking them would take too long.
  ENVPOOL_NOINLINE void offer(i32 near, i32 k, i32* nearest) {
    f32 distances[kMostNearest]{}, numbers[kMostNearest]{};
    Nearest best(distances, numbers, k);
    for (i32 i = 0; i < near; ++i) best.offer(math::real<f32>(u32(near_[i])), near_number_[i]);
    farthest_ = best.farthest();
    best.sort();
    for (i32 n = 0; n < k; ++n) nearest[n] = best.number(n);
  }

  const f32 x_, y_;
  f32 farthest_ = 0;
  i32 size_ = 0, valid_ = 0;
  i32 square_[kMost], number_[kMost], near_[kMost + 1], near_number_[kMost + 1];
};

// Agents by the cell of a square that they are in: `order` lists them, cell by cell, `begin` says where each cell's
// begin. Cells of a row are neighbours there, so a block of cells is a few runs of agents.
struct Cells {
  static constexpr i32 kMostPerSide = 40;
  f32 side;            // of the square
  i32 per_side;        // 0: there are none, look at all
  i32* begin;          // per_side^2 + 1
  f32 *x, *y;          // of the agents in order
  i32 *order, *place;  // their numbers; where each is in order
  f32 scale = f32(per_side) / side;

  // How many to a side make the 3 by 3 around an agent hold some four times the k that are looked for: enough, mostly.
  ENVPOOL_FN static i32 wanted(i32 agents, i32 k) {
    if (k == 0 || k > Around::kMostNearest || agents < 3 * k + 20) return 0;
    return clamp(i32(sqrt(f32(agents) / (0.46f * f32(k)))), 1, kMostPerSide);
  }

  // Puts the agents for which `present` is not 0 in order.
  ENVPOOL_FN void sort(const f32* from_x, const f32* from_y, const f32* present, i32 agents) const {
    const i32 cells = per_side * per_side;
    for (i32 c = 0; c <= cells; ++c) begin[c] = 0;
    for (i32 i = 0; i < agents; ++i) {
      place[i] = of(from_y[i]) * per_side + of(from_x[i]);
      begin[place[i]] += present[i] != 0;
    }
    for (i32 c = 1; c <= cells; ++c) begin[c] += begin[c - 1];
    for (i32 i = agents - 1; i >= 0; --i) {
      if (present[i] == 0) continue;
      place[i] = --begin[place[i]];
      x[place[i]] = from_x[i];
      y[place[i]] = from_y[i];
      order[place[i]] = i;
    }
  }

  // Looks at the cells around an agent, ring after ring, until what is beyond them is farther than all that was found.
  ENVPOOL_FN i32 nearest(i32 agent, i32 k, i32* found) const {
    const f32 own_x = x[place[agent]], own_y = y[place[agent]];
    const i32 cell_x = of(own_x), cell_y = of(own_y), last = per_side - 1;
    Around around(own_x, own_y);
    for (i32 ring = 1;; ++ring) {
      const i32 left = cell_x - ring, right = cell_x + ring, low = cell_y - ring, high = cell_y + ring;
      const i32 from = max(left, 0), to = min(right, last), bottom = max(low, 0), top = min(high, last);
      for (i32 row = bottom; row <= top; ++row) {
        const i32* cell = begin + row * per_side;
        if (ring == 1 || row == low || row == high) {
          around.add(x, y, order, cell[from], cell[to + 1]);
          if (ring == 1 && row == cell_y) around.remove(around.size() - cell[to + 1] + place[agent]);
          continue;
        }
        if (left >= 0) around.add(x, y, order, cell[left], cell[left + 1]);
        if (right <= last) around.add(x, y, order, cell[right], cell[right + 1]);
      }
      const bool everything = left <= 0 && right >= last && low <= 0 && high >= last;
      if (around.valid() < k && !everything) continue;
      // The estimate supposes that they are spread evenly over these cells.
      const f32 area = f32((to - from + 1) * (top - bottom + 1)) / (scale * scale);
      const f32 guess = area * f32(k + 2 + k / 4) / (3.2f * f32(around.size()));
      const i32 count = around.choose(k, guess, found);
      if (everything || around.farthest() < reach(own_x, left, right, own_y, low, high)) return count;
    }
  }

 private:
  ENVPOOL_FN i32 of(f32 coordinate) const { return min(i32(coordinate * scale), per_side - 1); }
  // How far away, at least, an agent beyond this block of cells is; what rounding may take is taken off.
  ENVPOOL_FN f32 reach(f32 own_x, i32 left, i32 right, f32 own_y, i32 low, i32 high) const {
    f32 distance = 4 * side;
    if (left > 0) distance = min(distance, own_x - f32(left) / scale);
    if (right < per_side - 1) distance = min(distance, f32(right + 1) / scale - own_x);
    if (low > 0) distance = min(distance, own_y - f32(low) / scale);
    if (high < per_side - 1) distance = min(distance, f32(high + 1) / scale - own_y);
    return distance - 1e-5f * side;
  }
};

}  // namespace envpool::tag
