// SPDX-License-Identifier: Apache-2.0
//
// Jumper: what a level consists of, and how it is made: a cave around the way from the rabbit to the carrot.
#pragma once

#include "envpool/procgen/cave.h"
#include "envpool/procgen/maze_generator.h"
#include "envpool/procgen/platform.h"

namespace envpool::procgen::jumper {

inline constexpr i32 kMostSide = 45, kMostSteps = 2000, kExplorationSeed = 1434825276;
inline constexpr i32 kGrounds = 4, kBackgrounds = 62;
inline constexpr f32 kHalfWidth = 0.254f, kHalfHeight = 0.4f;  // of the rabbit
inline constexpr f32 kSpikesHalfWidth = 0.23f, kSpikesHalfHeight = 0.4f;
inline constexpr f32 kMix = 0.5f, kSpeedOfJumps = 1, kFall = 0.15f;
inline constexpr i32 kJumpPause = 3;  // steps from one jump to the next

// Types have the reference's numbers, which choose their colours if images are replaced by colours.
enum Type : u8 {
  kStand = 0,
  kGoal = 1,
  kSpikes = 2,
  kWall = 6,
  kWallTop = 7,
  kWalkLeft = 10,   // and the next number for its second picture
  kWalkRight = 12,  // the same
  kTrail = 59,
  kSpace = 100
};
// The first picture of each type; themes follow.
enum Picture : i32 {
  kStandPicture,
  kWalkPicture,
  kWalkMovedPicture,
  kSpikesPicture,
  kGoalPicture,
  kTrailPicture,
  kWallTopPicture,
  kWallPicture = kWallTopPicture + kGrounds,
  kBackground = kWallPicture + kGrounds,
  kPictures = kBackground + kBackgrounds
};

struct State {
  Level level;
  Ties<kMostSteps> ties;
  Runner agent;
  i32 jumps_left;
  i32 jumped;  // the time of the last jump
  bool jumps;  // in the last step
  u8 background, wall_theme;
  u8 goal_x, goal_y;
  f32 background_part;
  i32 trails;  // a bit for each of the last steps, whether the rabbit left a trail; the last step has bit 0
  f32 trail_x[kTrailSteps], trail_y[kTrailSteps];  // step t is at t % kTrailSteps
  u8 cell[kMostSide][kMostSide];                   // types by row, of which the world has the first ones
};

ENVPOOL_FN i32 side_of(const GameParams& p) { return p.mode == kEasy ? 20 : p.mode == kMemory ? kMostSide : 40; }
ENVPOOL_FN i32 time_limit(const GameParams& p) { return p.mode == kMemory ? kMostSteps : 1000; }
ENVPOOL_FN bool is_wall(i32 type) { return type == kWall || type == kWallTop; }
ENVPOOL_FN Cells<const u8, kMostSide, kMostSide> cells_of(const State& s, const GameParams& p) {
  return {s.cell, side_of(p), side_of(p), kWall};
}

class LevelMaker {
  using Cave = procgen::Cave<kMostSide>;

 public:
  ENVPOOL_FN LevelMaker(State& s, const GameParams& p)
      : s_(s), has_spikes_(p.mode != kMemory), side_(side_of(p)), cave_(side_) {
    random_.seed(u32(s.level.seed));
  }

  ENVPOOL_FN void make() {
    s_.background_part = random_.unit();
    s_.background = u8(random_.below(kBackgrounds));
    random_.bits();  // a place of the agent, which is not used
    random_.bits();
    s_.wall_theme = u8(random_.below(kGrounds));
    make_cave();
    const Cave::Place goal = random_cell(cave_.free);
    s_.goal_x = u8(goal.x);
    s_.goal_y = u8(goal.y);
    Cave::Set ground{};
    for (i32 y = 0; y < side_; ++y) ground.row[y] = ground_in_row(cave_.free, y);
    const Cave::Place start = random_cell(ground);
    s_.agent.start(start.x + 0.5f, start.y + kHalfHeight);
    if (has_spikes_) cave_.keep_around(cave_.path(start, goal), 4);
    place_spikes();
    break_high_walls();
    write_cells();
    s_.jumps_left = s_.jumped = s_.trails = 0;
    s_.jumps = false;
    for (i32 i = 0; i < kTrailSteps; ++i) s_.trail_x[i] = s_.trail_y[i] = 0;
    s_.ties.draw(random_);
  }

 private:
  // Makes a cave in which most cells are free where a maze is, and most others are walls.
  ENVPOOL_DEVICE_CALL void make_cave() {
    constexpr i32 kScale = 3;  // cells of the cave in one of the maze
    const i32 maze_side = side_ / kScale;
    Maze maze(maze_side, random_);
    maze.open_dead_ends(random_);
    for (i32 y = 0; y < side_; ++y) {
      for (i32 x = 0; x < side_; ++x) {
        const i32 u = x / kScale, v = y / kScale;
        const bool is_free = u < maze_side && v < maze_side && maze.is_free(u, v);
        if (!(random_.unit() < (is_free ? 0.2f : 0.8f))) cave_.free.add(x, y);
      }
    }
    cave_.smooth();
    cave_.smooth();
    cave_.close();
    cave_.keep_largest_room();
  }

  ENVPOOL_FN Cave::Place random_cell(const Cave::Set& set) {
    return cave_.cell_of(set, random_.below(max(cave_.size_of(set), 1)));
  }

  // Returns the cells of a row that are free, as is the one above, and that have a wall below.
  ENVPOOL_FN u64 ground_in_row(const Cave::Set& space, i32 y) const {
    return space.row[y] & cave_.row(space, y + 1) & ~cave_.row(cave_.free, y - 1);
  }

  // Places spiked men on the ground where there is ground without one on both sides.
  ENVPOOL_DEVICE_CALL void place_spikes() {
    spikes_ = {};
    Cave::Set space = cave_.free;
    for (i32 y = 0; y < side_; ++y) {
      for (i32 x = 0; x < side_; ++x) {
        const u64 ground = ground_in_row(space, y);
        if ((ground & ground << 1 & ground >> 1 & u64{1} << x) == 0) continue;
        if (!(random_.unit() < 0.2f) || !has_spikes_) continue;
        spikes_.add(x, y);
        space.remove(x, y);
      }
    }
  }

  // Makes gaps in walls that are three cells high, which could not be climbed.
  ENVPOOL_DEVICE_CALL void break_high_walls() {
    const auto is_edge = [&](i32 x, i32 y, i32 dx) {  // of a wall, with a free cell beside it
      return u32(x + dx) < u32(side_) && y < side_ && !cave_.free.has(x, y) && cave_.free.has(x + dx, y) &&
             !spikes_.has(x + dx, y);
    };
    for (i32 y = 0; y < side_; ++y) {
      for (i32 x = 0; x < side_; ++x) {
        for (i32 dx = 1; dx >= -1; dx -= 2) {
          if (is_edge(x, y, dx) && is_edge(x, y + 1, dx) && is_edge(x, y + 2, dx))
            cave_.free.add(x, y + random_.below(3));
        }
      }
    }
  }

  ENVPOOL_DEVICE_CALL void write_cells() {
    for (i32 y = 0; y < side_; ++y) {
      const u64 above = cave_.row(cave_.free, y + 1);
      for (i32 x = 0; x < side_; ++x) {
        s_.cell[y][x] = spikes_.has(x, y)       ? kSpikes
                        : cave_.free.has(x, y)  ? kSpace
                        : (above >> x & 1) != 0 ? kWallTop
                                                : kWall;
      }
    }
  }

  State& s_;
  bool has_spikes_;
  i32 side_;
  Cave cave_;
  Cave::Set spikes_;
  Twister random_;
};

}  // namespace envpool::procgen::jumper
