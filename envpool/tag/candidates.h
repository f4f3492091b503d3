// SPDX-License-Identifier: Apache-2.0
//
// Finds the k agents nearest to an agent, in the same order as nearest.h, for a small k, many agents and a host with
// SIMD. The loops have no branches that would be mispredicted. They compare the bits of squared distances, which have
// the same order as the numbers.
#pragma once

#include "envpool/core/portable.h"
#include "envpool/tag/nearest.h"

namespace envpool::tag {

// The candidates for the nearest agents. After choose(), more candidates can be added.
class Candidates {
 public:
  static constexpr i32 kMaxCandidates = 1024, kMaxNearest = 64;

  ENVPOOL_FN Candidates(f32 x, f32 y) : x_(x), y_(y) {}

  // Adds the agents first..last - 1 of the arrays.
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
  // Adds all agents whose `present` is not 0; `num_present` is their number.
  ENVPOOL_ALWAYS_INLINE void add_all(const f32* x, const f32* y, const f32* present, i32 agents, i32 num_present) {
    for (i32 i = 0; i < agents; ++i) {
      const f32 dx = x[i] - x_, dy = y[i] - y_;
      const i32 square = i32(math::bits(dx * dx + dy * dy));
      square_[i] = present[i] != 0 ? square : kExcluded;
      number_[i] = i;
    }
    size_ = agents;
    valid_ = num_present;
  }
  // Excludes a candidate, such as the agent itself.
  ENVPOOL_ALWAYS_INLINE void remove(i32 index) {
    square_[index] = kExcluded;
    --valid_;
  }
  ENVPOOL_FN i32 size() const { return size_; }
  ENVPOOL_FN i32 valid() const { return valid_; }

  // Writes the numbers of the k nearest agents, or of all if there are fewer, and returns how many it has written.
  // `guess` is an estimate of the squared distance of the k-th one.
  ENVPOOL_FN i32 choose(i32 k, f32 guess, i32* nearest) {
    k = min(k, valid_);
    if (k == 0) return 0;
    const i32 near = compact(limit_for(k, guess));
    rank(near, k, nearest);
    return k;
  }
  // Returns the distance of the farthest chosen agent.
  ENVPOOL_FN f32 farthest() const { return farthest_; }

 private:
  static constexpr i32 kMaxRanked = 160;
  static constexpr i32 kExcluded = 0x7F800000;  // the bits of infinity

  ENVPOOL_ALWAYS_INLINE i32 count(i32 limit) const {
    i32 within = 0;
    for (i32 i = 0; i < size_; ++i) within += square_[i] <= limit;
    return within;
  }

  // Returns the bits of a squared distance within which at least k agents lie, but few more. The search assumes that
  // the number of agents is proportional to the squared distance, and bisects if this assumption fails.
  ENVPOOL_FN i32 limit_for(i32 k, f32 guess) const {
    const i32 enough = k + k / 2 + 4;
    if (valid_ <= enough) return kExcluded - 1;
    i32 low = -1, high = kExcluded - 1;
    for (i32 limit = i32(math::bits(guess)), tries = 0; tries < 16 && high - low > 1; ++tries) {
      const i32 within = count(limit);
      (within < k ? low : high) = limit;
      if (within >= k && within <= enough) break;
      const f32 next = math::real<f32>(u32(limit)) * (f32(k + 2 + k / 4) / (f32(within) + 0.5f));
      limit = i32(math::bits(next));
      if (limit <= low || limit >= high || tries > 4) limit = low + (high - low) / 2;
    }
    // Different squares can have equal roots, and agents at equal distances are ordered by number. The limit is
    // therefore slightly larger than the square that was found.
    return high >= kExcluded - 16 ? high : high + 16;
  }

  // Copies the candidates within the limit into near_. Returns how many there are.
  ENVPOOL_ALWAYS_INLINE i32 compact(i32 limit) {
    i32 size = 0;
    for (i32 i = 0; i < size_; ++i) {
      near_[size] = square_[i];
      near_number_[size] = number_[i];
      size += square_[i] <= limit;
    }
    return size;
  }

  // Sorts by counting: the rank of a candidate is the number of candidates that come before it.
  ENVPOOL_ALWAYS_INLINE void rank(i32 near, i32 k, i32* nearest) {
    if (near > kMaxRanked) return choose_by_heap(near, k, nearest);
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

  // Chooses by a heap, in case so many agents are within the limit that ranking them would take too long.
  ENVPOOL_NOINLINE void choose_by_heap(i32 near, i32 k, i32* nearest) {
    f32 distances[kMaxNearest]{}, numbers[kMaxNearest]{};
    Nearest best(distances, numbers, k);
    for (i32 i = 0; i < near; ++i) best.offer(math::real<f32>(u32(near_[i])), near_number_[i]);
    farthest_ = best.farthest();
    best.sort();
    for (i32 n = 0; n < k; ++n) nearest[n] = best.number(n);
  }

  const f32 x_, y_;
  f32 farthest_ = 0;
  i32 size_ = 0, valid_ = 0;
  i32 square_[kMaxCandidates], number_[kMaxCandidates], near_[kMaxCandidates + 1], near_number_[kMaxCandidates + 1];
};

// Agents sorted by their cells in a grid over the square: `order` lists them cell by cell, and `begin` has the index at
// which each cell begins. The cells of a row are contiguous, so a block of cells consists of one range per row.
struct Cells {
  static constexpr i32 kMaxPerSide = 40;
  f32 side;            // length of the square's side
  i32 per_side;        // cells per side; 0: there are no cells, and all agents are searched
  i32* begin;          // per_side^2 + 1 elements
  f32 *x, *y;          // positions of the agents, in the same order as `order`
  i32 *order, *index;  // numbers of the agents; index of each agent in `order`
  f32 scale = f32(per_side) / side;

  // Returns a number of cells per side such that the 3 by 3 cells around an agent contain about 4 k agents, which is
  // usually enough.
  ENVPOOL_FN static i32 per_side_for(i32 agents, i32 k) {
    if (k == 0 || k > Candidates::kMaxNearest || agents < 3 * k + 20) return 0;
    return clamp(i32(sqrt(f32(agents) / (0.46f * f32(k)))), 1, kMaxPerSide);
  }

  // Sorts the agents whose `present` is not 0. This is a counting sort.
  ENVPOOL_FN void sort(const f32* from_x, const f32* from_y, const f32* present, i32 agents) const {
    const i32 cells = per_side * per_side;
    for (i32 c = 0; c <= cells; ++c) begin[c] = 0;
    for (i32 i = 0; i < agents; ++i) {
      index[i] = cell_of(from_y[i]) * per_side + cell_of(from_x[i]);
      begin[index[i]] += present[i] != 0;
    }
    for (i32 c = 1; c <= cells; ++c) begin[c] += begin[c - 1];
    for (i32 i = agents - 1; i >= 0; --i) {
      if (present[i] == 0) continue;
      index[i] = --begin[index[i]];
      x[index[i]] = from_x[i];
      y[index[i]] = from_y[i];
      order[index[i]] = i;
    }
  }

  // Searches the cells around an agent, ring by ring, until all other agents are farther away than those found.
  ENVPOOL_FN i32 nearest(i32 agent, i32 k, i32* neighbors) const {
    const f32 own_x = x[index[agent]], own_y = y[index[agent]];
    const i32 cell_x = cell_of(own_x), cell_y = cell_of(own_y), last = per_side - 1;
    Candidates candidates(own_x, own_y);
    for (i32 ring = 1;; ++ring) {
      const i32 left = cell_x - ring, right = cell_x + ring, low = cell_y - ring, high = cell_y + ring;
      const i32 from = max(left, 0), to = min(right, last), bottom = max(low, 0), top = min(high, last);
      for (i32 row = bottom; row <= top; ++row) {
        const i32* cell = begin + row * per_side;
        if (ring == 1 || row == low || row == high) {
          candidates.add(x, y, order, cell[from], cell[to + 1]);
          if (ring == 1 && row == cell_y) candidates.remove(candidates.size() - cell[to + 1] + index[agent]);
          continue;
        }
        if (left >= 0) candidates.add(x, y, order, cell[left], cell[left + 1]);
        if (right <= last) candidates.add(x, y, order, cell[right], cell[right + 1]);
      }
      const bool everything = left <= 0 && right >= last && low <= 0 && high >= last;
      if (candidates.valid() < k && !everything) continue;
      // The estimate assumes that the agents are distributed uniformly over these cells.
      const f32 area = f32((to - from + 1) * (top - bottom + 1)) / (scale * scale);
      const f32 guess = area * f32(k + 2 + k / 4) / (3.2f * f32(candidates.size()));
      const i32 count = candidates.choose(k, guess, neighbors);
      if (everything || candidates.farthest() < distance_beyond(own_x, left, right, own_y, low, high)) return count;
    }
  }

 private:
  ENVPOOL_FN i32 cell_of(f32 coordinate) const { return min(i32(coordinate * scale), per_side - 1); }
  // Returns a lower bound of the distance to agents outside a block of cells, with an allowance for rounding.
  ENVPOOL_FN f32 distance_beyond(f32 own_x, i32 left, i32 right, f32 own_y, i32 low, i32 high) const {
    f32 distance = 4 * side;
    if (left > 0) distance = min(distance, own_x - f32(left) / scale);
    if (right < per_side - 1) distance = min(distance, f32(right + 1) / scale - own_x);
    if (low > 0) distance = min(distance, own_y - f32(low) / scale);
    if (high < per_side - 1) distance = min(distance, f32(high + 1) / scale - own_y);
    return distance - 1e-5f * side;
  }
};

}  // namespace envpool::tag
