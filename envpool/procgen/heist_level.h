// SPDX-License-Identifier: Apache-2.0
//
// Places doors, their keys and an exit in a maze, in the reference's order of random numbers. Doors are in some of the
// cells at which ways fork, and each key can be reached without a door whose key has not been found before.
#pragma once

#include "envpool/procgen/maze_generator.h"

namespace envpool::procgen::heist {

inline constexpr i32 kMostSide = 23, kMostDoors = 3;

// A set of cells: by row, a bit for each.
struct Cells {
  u32 row[kMostSide];

  ENVPOOL_FN bool has(i32 x, i32 y) const {
    return u32(x) < u32(kMostSide) && u32(y) < u32(kMostSide) && (row[y] >> x & 1) != 0;
  }
  ENVPOOL_FN void add(i32 x, i32 y) { row[y] |= 1u << x; }
  ENVPOOL_FN void remove(i32 x, i32 y) { row[y] &= ~(1u << x); }
  ENVPOOL_FN void add(const Cells& other) {
    for (i32 y = 0; y < kMostSide; ++y) row[y] |= other.row[y];
  }
  ENVPOOL_FN i32 size() const {
    i32 size = 0;
    for (u32 bits : row) {
      for (; bits != 0; bits &= bits - 1) ++size;
    }
    return size;
  }
  // Returns the cells in a row that are beside a cell of this set.
  ENVPOOL_FN u32 beside(i32 y) const {
    return row[y] << 1 | row[y] >> 1 | (y > 0 ? row[y - 1] : 0) | (y + 1 < kMostSide ? row[y + 1] : 0);
  }
};

struct Cell {
  i32 x, y;
};

ENVPOOL_FN i32 lowest_bit(u32 bits) {
  i32 bit = 0;
  while (bit < 31 && (bits >> bit & 1) == 0) ++bit;
  return bit;
}

// Returns the k-th cell of a set, row by row; the first cell if there are fewer.
ENVPOOL_FN Cell cell_of(const Cells& cells, i32 k) {
  for (i32 y = 0; y < kMostSide; ++y) {
    for (u32 left = cells.row[y]; left != 0; left &= left - 1) {
      if (k-- == 0) return {lowest_bit(left), y};
    }
  }
  return {0, 0};
}
ENVPOOL_FN Cell random_cell(const Cells& cells, Twister& random) {
  return cell_of(cells, random.below(max(cells.size(), 1)));
}

class LockedMaze {
 public:
  ENVPOOL_FN LockedMaze(i32 side, i32 doors, Twister& random) {
    const Maze maze(side, random);
    for (i32 y = 0; y < kMostSide; ++y) free_.row[y] = space_.row[y] = y < side ? maze.free_in_row(y) : 0;
    Cells locked = choose_doors(doors, random);
    for (i32 y = 0; y < kMostSide; ++y) space_.row[y] &= ~locked.row[y];
    constexpr i32 kTries = 1000;  // a bound that no seed reaches
    for (i32 i = 0; i < kTries; ++i) {
      agent_ = random_cell(space_, random);
      if ((locked.beside(agent_.y) >> agent_.x & 1) == 0) break;
    }
    space_.remove(agent_.x, agent_.y);
    Cells reached{};
    reached.add(agent_.x, agent_.y);
    for (i32 i = 0; i <= doors_; ++i) {
      Cells fresh{};
      if (i < doors_) {
        door_[i] = explore(reached, fresh, locked);
        locked.remove(door_[i].x, door_[i].y);
        reached.add(fresh);
      }
      explore(reached, fresh, Cells{});
      key_[i] = random_cell(fresh, random);
      space_.remove(key_[i].x, key_[i].y);
      reached.add(fresh);
      if (i < doors_) reached.add(door_[i].x, door_[i].y);
    }
  }

  ENVPOOL_FN u32 free_in_row(i32 y) const { return free_.row[y]; }
  ENVPOOL_FN i32 doors() const { return doors_; }
  ENVPOOL_FN Cell door(i32 i) const { return door_[i]; }
  ENVPOOL_FN Cell key(i32 i) const { return key_[i]; }
  ENVPOOL_FN Cell exit() const { return key_[doors_]; }
  ENVPOOL_FN Cell agent() const { return agent_; }

 private:
  // Chooses cells with more than two free cells beside them; all such cells, without random numbers, if there are
  // fewer.
  ENVPOOL_FN Cells choose_doors(i32 doors, Twister& random) {
    Cells forks{}, chosen{};
    for (i32 y = 0; y < kMostSide; ++y) {
      const u32 left = free_.row[y] << 1, right = free_.row[y] >> 1;
      const u32 low = y > 0 ? free_.row[y - 1] : 0, high = y + 1 < kMostSide ? free_.row[y + 1] : 0;
      forks.row[y] = free_.row[y] & ((left & right & (low | high)) | (low & high & (left | right)));
    }
    const i32 count = forks.size();
    doors_ = min(doors, count);
    if (doors > count) return forks;
    for (i32 i = 0; i < doors; ++i) {
      const Cell cell = cell_of(forks, random.below(count - i));
      forks.remove(cell.x, cell.y);
      chosen.add(cell.x, cell.y);
    }
    return chosen;
  }

  // Adds the cells that can be reached from `reached` to `fresh`, step by step, and row by row in each step, until one
  // of the doors is beside a cell. Returns this door.
  ENVPOOL_FN Cell explore(const Cells& reached, Cells& fresh, const Cells& doors) const {
    Cells now = reached;
    bool goes_on = true;
    while (goes_on) {
      goes_on = false;
      Cell last{0, kMostSide};  // the cell beside a door that is looked at first
      for (i32 y = kMostSide - 1; y >= 0; --y) {
        const u32 at_doors = now.row[y] & doors.beside(y);
        if (at_doors != 0) last = {lowest_bit(at_doors), y};
      }
      for (i32 y = 0; y < kMostSide; ++y) {
        if (y == last.y) now.row[y] &= (2u << last.x) - 1;
        if (y > last.y) now.row[y] = 0;
      }
      Cells next;
      for (i32 y = 0; y < kMostSide; ++y) next.row[y] = now.beside(y) & space_.row[y] & ~reached.row[y] & ~fresh.row[y];
      fresh.add(next);
      if (last.y < kMostSide) {
        const i32 x = last.x, y = last.y;
        if (doors.has(x - 1, y)) return {x - 1, y};
        if (doors.has(x, y - 1)) return {x, y - 1};
        return doors.has(x, y + 1) ? Cell{x, y + 1} : Cell{x + 1, y};
      }
      now = next;
      for (const u32 bits : next.row) goes_on = goes_on || bits != 0;
    }
    return {0, 0};
  }

  Cells free_, space_;  // no walls; nothing at all
  i32 doors_;
  Cell door_[kMostDoors], key_[kMostDoors + 1], agent_;
};

}  // namespace envpool::procgen::heist
