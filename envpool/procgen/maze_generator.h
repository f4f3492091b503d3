// SPDX-License-Identifier: Apache-2.0
//
// Makes a maze by Kruskal's algorithm, in the reference's order of random numbers: between cells at even places there
// are walls, which are tried in random order and removed if the cells beside them are not connected yet.
#pragma once

#include "envpool/procgen/twister.h"

namespace envpool::procgen {

// A set of up to kWords * 32 numbers from which the k-th smallest can be taken.
template <i32 kWords>
class NumberSet {
 public:
  ENVPOOL_FN explicit NumberSet(i32 count) {  // contains 0 to count - 1
    for (i32 i = 0; i < kWords; ++i) {
      const i32 here = clamp(count - 32 * i, 0, 32);
      word_[i] = here == 32 ? ~0u : (1u << here) - 1;
    }
  }

  // Removes and returns the k-th smallest number, counted from 0. There must be more than k.
  ENVPOOL_FN i32 take(i32 k) {
    i32 i = 0;
    for (; i < kWords - 1; ++i) {
      const i32 here = size_of(word_[i]);
      if (k < here) break;
      k -= here;
    }
    i32 bit = 0;
    for (i32 half = 16; half > 0; half >>= 1) {
      const i32 below = size_of(word_[i] >> bit & ((1u << half) - 1));
      if (k >= below) {
        k -= below;
        bit += half;
      }
    }
    word_[i] &= ~(1u << bit);
    return 32 * i + bit;
  }

 private:
  ENVPOOL_FN static i32 size_of(u32 x) {
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return i32(((x + (x >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24);
  }

  u32 word_[kWords];
};

// A maze of side * side cells. If the side is even, the last row and column are walls.
class Maze {
 public:
  static constexpr i32 kMostSide = 31;

  ENVPOOL_FN Maze(i32 side, Twister& random) : side_(side) {
    const i32 rooms = (side + 1) / 2, gaps = (side - 1) / 2, across = gaps * rooms;
    for (u32& row : free_) row = 0;
    for (i32 i = 0; i < rooms * rooms; ++i) parent_[i] = u16(i);
    NumberSet<(2 * (kMostSide / 2) * (kMostSide / 2 + 1) + 31) / 32> walls(2 * across);
    for (i32 left = 2 * across; left > 0; --left) {
      const i32 wall = walls.take(random.below(left));
      // Rooms are counted row by row. The first half of the walls has a room to the left and to the right, the second
      // half below and above; both are counted column by column.
      const bool sideways = wall < across;
      const i32 n = sideways ? wall : wall - across, rows = sideways ? rooms : gaps;
      const i32 x = n / rows, y = n % rows;
      const i32 first = root(y * rooms + x), second = root(sideways ? y * rooms + x + 1 : (y + 1) * rooms + x);
      if (first == second) continue;
      parent_[first] = u16(second);
      release(2 * x, 2 * y);
      release(2 * x + sideways, 2 * y + !sideways);
      release(2 * x + 2 * sideways, 2 * y + 2 * !sideways);
    }
  }

  ENVPOOL_FN bool is_free(i32 x, i32 y) const { return (free_[y] >> x & 1) != 0; }
  // Returns the free cells of a row, as bits.
  ENVPOOL_FN u32 free_in_row(i32 y) const { return free_[y]; }

  // Frees a random wall beside each cell that has only one free cell beside it.
  ENVPOOL_FN void open_dead_ends(Twister& random) {
    constexpr i32 kDx[4] = {-1, 0, 0, 1}, kDy[4] = {0, -1, 1, 0};
    for (i32 y = 0; y < side_; ++y) {
      for (i32 x = 0; x < side_; ++x) {
        if (!is_free(x, y)) continue;
        i32 wall[4], walls = 0, free = 0;
        for (i32 i = 0; i < 4; ++i) {
          const i32 u = x + kDx[i], v = y + kDy[i];
          if (u32(u) >= u32(side_) || u32(v) >= u32(side_)) continue;
          if (is_free(u, v)) {
            ++free;
          } else {
            wall[walls++] = i;
          }
        }
        if (free != 1 || walls == 0) continue;
        const i32 chosen = wall[random.below(walls)];
        free_[y + kDy[chosen]] |= 1u << (x + kDx[chosen]);
      }
    }
  }

  // Returns a random free cell, row by row, other than the first.
  ENVPOOL_FN i32 random_cell(Twister& random) const {
    constexpr i32 kTries = 1000;  // a bound that no seed reaches
    i32 cell = 0;
    for (i32 i = 0; i < kTries && cell == 0; ++i) cell = order_[random.below(count_)];
    return cell;
  }

 private:
  ENVPOOL_FN i32 root(i32 room) {
    while (parent_[room] != room) {
      parent_[room] = parent_[parent_[room]];
      room = parent_[room];
    }
    return room;
  }
  ENVPOOL_FN void release(i32 x, i32 y) {
    if ((free_[y] >> x & 1) != 0) return;
    free_[y] |= 1u << x;
    order_[count_++] = u16(y * side_ + x);
  }

  i32 side_, count_ = 0;
  u32 free_[kMostSide];
  u16 parent_[(kMostSide / 2 + 1) * (kMostSide / 2 + 1)];
  u16 order_[kMostSide * kMostSide];  // of the free cells, in the order in which they became free
};

}  // namespace envpool::procgen
