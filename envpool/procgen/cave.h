// SPDX-License-Identifier: Apache-2.0
//
// Makes caves by a cellular automaton, in the reference's way: cells that are free at random grow into rooms, of which
// the largest is kept. A row of cells is a number with a bit for each, so that operations treat a row at a time.
#pragma once

#include "envpool/core/portable.h"

namespace envpool::procgen {

// A cave of at most kMostSide cells on each side, which are at most 63.
template <i32 kMostSide>
class Cave {
 public:
  // A set of cells.
  struct Set {
    u64 row[kMostSide];

    ENVPOOL_FN bool has(i32 x, i32 y) const { return (row[y] >> x & 1) != 0; }
    ENVPOOL_FN void add(i32 x, i32 y) { row[y] |= u64{1} << x; }
    ENVPOOL_FN void remove(i32 x, i32 y) { row[y] &= ~(u64{1} << x); }
  };
  struct Place {
    i32 x, y;
  };

  Set free;  // all other cells are walls, and so are those outside

  // All cells are walls.
  ENVPOOL_FN explicit Cave(i32 side) : free{}, side_(side) {}

  ENVPOOL_FN u64 row(const Set& set, i32 y) const { return u32(y) < u32(side_) ? set.row[y] : 0; }

  // Frees each cell if at least five of the nine cells around it, itself included, are free.
  ENVPOOL_FN void smooth() {
    u64 above_ones = 0, above_twos = 0, ones = 0, twos = 0;
    for (i32 y = -1; y < side_; ++y) {
      // The number of free cells of three in a row is ones + 2 * twos.
      const u64 middle = row(free, y + 1), left = middle << 1, right = middle >> 1;
      const u64 next_ones = left ^ middle ^ right, next_twos = majority(left, middle, right);
      if (y >= 0) {
        const u64 one = above_ones ^ ones ^ next_ones, carry = majority(above_ones, ones, next_ones);
        const u64 twos_left = above_twos ^ twos ^ next_twos, two = carry ^ twos_left;
        const u64 fours = majority(above_twos, twos, next_twos), more = carry & twos_left;
        const u64 four = fours ^ more, eight = fours & more;
        free.row[y] = (eight | (four & (one | two))) & whole_row();
      }
      above_ones = ones;
      above_twos = twos;
      ones = next_ones;
      twos = next_twos;
    }
  }

  // Makes the cells at the edges walls.
  ENVPOOL_FN void close() {
    for (i32 y = 0; y < side_; ++y) {
      free.row[y] = y == 0 || y == side_ - 1 ? 0 : free.row[y] & whole_row() >> 1 & ~u64{1};
    }
  }

  // Keeps the largest of the rooms, whose cells are connected by their sides; the first if several are largest.
  ENVPOOL_FN void keep_largest_room() {
    Set left = free, best{};
    i32 most = 1;  // the reference takes no room of a single cell
    for (i32 y = 0; y < side_; ++y) {
      while (left.row[y] != 0) {
        Set room{};
        room.row[y] = left.row[y] & (~left.row[y] + 1);
        fill(room, y);
        for (i32 k = y; k < side_; ++k) left.row[k] &= ~room.row[k];
        const i32 size = size_of(room);
        if (size <= most) continue;
        most = size;
        best = room;
      }
    }
    free = best;
  }

  // Keeps the cells of a set and those within `distance` of it, as far as free cells lead there, corners included.
  ENVPOOL_FN void keep_around(const Set& set, i32 distance) {
    Set kept = set;
    for (i32 i = 0; i < distance; ++i) {
      u64 above = 0;
      for (i32 y = 0; y < side_; ++y) {
        const u64 here = kept.row[y], rows = above | here | row(kept, y + 1);
        kept.row[y] = here | ((rows | rows << 1 | rows >> 1) & free.row[y]);
        above = here;
      }
    }
    free = kept;
  }

  // Returns a shortest path from one cell to another by the sides of free cells, both ends included: of several ones
  // that of the reference, whose search looks left, down, up and right. The set is empty if there is none.
  ENVPOOL_FN Set path(Place from, Place to) const {
    constexpr i32 kDx[4] = {-1, 0, 0, 1}, kDy[4] = {0, -1, 1, 0};
    Set seen{}, low{}, high{}, path{};  // low and high: the number of the direction that led to a cell
    constexpr i32 kQueue = 1024;        // cells that are seen and not yet left; there are a few hundred at most
    u16 queue[kQueue];
    i32 first = 0, count = 0;
    queue[count++] = u16(from.y * side_ + from.x);
    seen.add(from.x, from.y);
    while (first < count && !seen.has(to.x, to.y)) {
      const i32 cell = queue[first++ % kQueue], x = cell % side_, y = cell / side_;
      for (i32 i = 0; i < 4; ++i) {
        const i32 u = x + kDx[i], v = y + kDy[i];
        if (u32(u) >= u32(side_) || u32(v) >= u32(side_) || !free.has(u, v) || seen.has(u, v)) continue;
        if (count - first == kQueue) continue;
        seen.add(u, v);
        if ((i & 1) != 0) low.add(u, v);
        if ((i & 2) != 0) high.add(u, v);
        queue[count++ % kQueue] = u16(v * side_ + u);
      }
    }
    if (!seen.has(to.x, to.y)) return path;
    path.add(to.x, to.y);
    while (to.x != from.x || to.y != from.y) {
      const i32 i = low.has(to.x, to.y) + 2 * high.has(to.x, to.y);
      to = {to.x - kDx[i], to.y - kDy[i]};
      path.add(to.x, to.y);
    }
    return path;
  }

  ENVPOOL_FN i32 size_of(const Set& set) const {
    i32 size = 0;
    for (i32 y = 0; y < side_; ++y) size += bits_of(set.row[y]);
    return size;
  }
  // Returns the k-th cell of a set, row by row, which must have more.
  ENVPOOL_FN Place cell_of(const Set& set, i32 k) const {
    for (i32 y = 0; y < side_; ++y) {
      const i32 here = bits_of(set.row[y]);
      if (k >= here) {
        k -= here;
        continue;
      }
      u64 row = set.row[y];
      for (; k > 0; --k) row &= row - 1;
      return {bits_of((row & (~row + 1)) - 1), y};
    }
    return {0, 0};
  }

 private:
  ENVPOOL_FN static u64 majority(u64 a, u64 b, u64 c) { return (a & b) | (c & (a | b)); }
  ENVPOOL_FN static i32 bits_of(u64 x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return i32(((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
  }
  ENVPOOL_FN u64 whole_row() const { return (u64{1} << side_) - 1; }

  // Adds all cells that are connected with those of a room, of which the lowest row is `y`.
  ENVPOOL_FN void fill(Set& room, i32 y) const {
    bool grows = true;
    while (grows) {
      grows = false;
      for (i32 sweep = 0; sweep < 2; ++sweep) {
        for (i32 i = y; i < side_; ++i) {
          const i32 k = sweep == 0 ? i : side_ - 1 - (i - y);
          u64 now = room.row[k] | ((row(room, k - 1) | row(room, k + 1)) & free.row[k]), before = 0;
          while (now != before) {
            before = now;
            now |= (now << 1 | now >> 1) & free.row[k];
          }
          grows = grows || now != room.row[k];
          room.row[k] = now;
        }
      }
    }
  }

  i32 side_;
};

}  // namespace envpool::procgen
