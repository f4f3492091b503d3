// SPDX-License-Identifier: Apache-2.0
//
// Crossing: rivers of lava, or walls, lie between the agent and the goal, and each has one opening.
//
//   Terminated   on the goal and on lava
//   Reset        `num_crossings` straight rivers at random places, with openings on a path to the goal
//
// Actions, observations and rewards are the same as in all environments of MiniGrid (level.h). Reference: minigrid
// 3.2.0, envs/crossing.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct CrossingParams : LevelParams {
  i32 chosen_crossings;
  bool wall;
  i32 num_crossings;  // derived
};

struct Crossing : Level<Crossing, CrossingParams> {
  static constexpr const char* kName = "MiniGridCrossing";
  static constexpr i32 kMostSize = 63, kMostRivers = kMostSize - 3;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("size", 9, "rows and columns, walls included, an odd number").between(5, kMostSize).changes_shapes();
    o.integer("num_crossings", 1, "number of rivers").between(1, kMostRivers).sets(&Params::chosen_crossings);
    o.text("obstacle_type", "lava", "what the rivers are made of").one_of({"lava", "wall"}).sets(&Params::wall);
    declare(o);
  }
  static Params params(const OptionValues& v) {
    const i64 size = v.integer("size"), crossings = v.integer("num_crossings");
    if (size % 2 == 0) throw std::invalid_argument("size: expected an odd number, got " + std::to_string(size));
    if (crossings > size - 3) {
      throw std::invalid_argument("num_crossings: expected at most " + std::to_string(size - 3) +
                                  " in a grid of this size, got " + std::to_string(crossings));
    }
    Params p = resolve(v, size, size, 4 * size * size);
    return p;
  }
#endif

  ENVPOOL_FN static void derive_more(Params& p) { p.num_crossings = min(p.chosen_crossings, p.width - 3); }

  template <class Draws>
  ENVPOOL_FN static void generate(State& s, const Params& p, Maker<Draws>& make) {
    make.wall_around();
    s.at = {1, 1};
    const i32 size = p.width;
    make.grid[{size - 2, size - 2}] = kTheGoal;

    // Rivers are at even columns and rows: 2, 4, ... A vertical river is stored as its column, and a horizontal one as
    // size + its row.
    i32 rivers[kMostRivers];
    const i32 each = (size - 3) / 2, wanted = min(p.num_crossings, 2 * each);
    for (i32 i = 0; i < each; ++i) {
      rivers[i] = 2 + 2 * i;
      rivers[each + i] = size + 2 + 2 * i;
    }
    make.shuffle(rivers, 2 * each);
    for (i32 i = 1; i < wanted; ++i) {  // sort the wanted rivers
      for (i32 k = i; k > 0 && rivers[k - 1] > rivers[k]; --k) {
        const i32 river = rivers[k];
        rivers[k] = rivers[k - 1];
        rivers[k - 1] = river;
      }
    }
    i32 columns[kMostRivers + 2], rows[kMostRivers + 2];  // of the rivers, and of the borders
    i32 vertical = 0, horizontal = 0;
    columns[0] = rows[0] = 0;
    for (i32 i = 0; i < wanted; ++i) {
      if (rivers[i] < size) {
        columns[++vertical] = rivers[i];
      } else {
        rows[++horizontal] = rivers[i] - size;
      }
    }
    columns[vertical + 1] = rows[horizontal + 1] = size - 1;
    const Cell obstacle = !p.wall ? kTheLava : kTheWall;
    for (i32 i = 1; i <= horizontal; ++i) make.fill({1, rows[i]}, {size - 2, 1}, obstacle);
    for (i32 i = 1; i <= vertical; ++i) make.fill({columns[i], 1}, {1, size - 2}, obstacle);

    i32* const crossed = rivers;  // 1 where the path crosses a vertical river
    for (i32 i = 0; i < wanted; ++i) crossed[i] = i < vertical;
    make.shuffle(crossed, wanted);
    i32 column = 0, row = 0;
    for (i32 i = 0; i < wanted; ++i) {
      Point gap;
      if (crossed[i] != 0) {
        gap = {columns[column + 1], make.between(rows[row] + 1, rows[row + 1])};
        ++column;
      } else {
        gap = {make.between(columns[column] + 1, columns[column + 1]), rows[row + 1]};
        ++row;
      }
      make.grid[gap] = kNothing;
    }
    using enum Word;
    if (!p.wall) {
      make.mission.say(avoid, the, Word::lava);
    } else {
      make.mission.say(find, the, opening);
    }
    make.mission.say(and_, get, to, the, green, goal, square);
  }
};

}  // namespace envpool::minigrid
