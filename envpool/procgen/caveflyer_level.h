// SPDX-License-Identifier: Apache-2.0
//
// CaveFlyer: how a cave is made, and what is in it.
#pragma once

#include "envpool/procgen/cave.h"
#include "envpool/procgen/entity.h"

namespace envpool::procgen::caveflyer {

// Types have the reference's numbers, which choose their colours if images are replaced by colours.
enum Type : u8 {
  kAgent = 0,
  kGoal = 1,
  kObstacle = 2,
  kTarget = 3,
  kShot = 4,
  kEnemy = 5,
  kWall = 8,
  kExhaust = 9,
};

inline constexpr i32 kMostCells = 60, kBackgrounds = 13;
using Cave = procgen::Cave<kMostCells>;
inline constexpr i32 kPart = 80;  // of so many free cells, one has an obstacle, one a target, and one an enemy
inline constexpr i32 kMostOfType = kMostCells * kMostCells / kPart, kMostObjects = 3 * kMostOfType;
inline constexpr i32 kMostThings = 64;  // 11 shots, 5 exhausts, and explosions of shots and targets
inline constexpr i32 kTargetHealth = 5;

ENVPOOL_FN constexpr i32 cells_of(Mode mode) { return mode == kEasy ? 30 : mode == kMemory ? kMostCells : 40; }

// An obstacle, a target or an enemy.
struct Object {
  Mover body;
  f32 angle;
  u8 type, health;
  bool gone;
};

struct State {
  Level level;
  Mover agent;
  f32 angle, turn;  // of the agent, and its change in a step
  f32 background_part;
  u8 background, goal_x, goal_y;
  i32 objects;
  Cave::Set free;
  Object object[kMostObjects];
  Entities<kMostThings> things;
  Twister random;
};

ENVPOOL_FN bool is_wall(const State& s, i32 cells, i32 x, i32 y) {
  return u32(x) >= u32(cells) || u32(y) >= u32(cells) || !s.free.has(x, y);
}
ENVPOOL_FN bool is_wall_at(const State& s, i32 cells, f32 x, f32 y) {
  return !(x >= 0 && y >= 0 && x < f32(cells) && y < f32(cells)) || !s.free.has(i32(x), i32(y));
}

class LevelMaker {
 public:
  ENVPOOL_FN LevelMaker(State& s, const GameParams& p)
      : s_(s), random_(s.random), mode_(p.mode), cells_(cells_of(p.mode)) {
    random_.seed(u32(s.level.seed));
  }

  ENVPOOL_FN void make() {
    s_.background_part = random_.unit();
    s_.background = u8(random_.below(kBackgrounds));
    random_.bits();  // a place of the agent, which is not used
    random_.bits();
    s_.angle = s_.turn = 0;
    s_.objects = s_.things.count = 0;
    const Cave::Set path = dig();
    Cave::Set space = s_.free;
    for (i32 y = 0; y < cells_; ++y) space.row[y] &= ~path.row[y];
    place_objects(space);
  }

 private:
  // Makes the cave. Returns the path from the agent to the goal.
  ENVPOOL_FN Cave::Set dig() {
    constexpr i32 kSteps = 4;
    Cave cave(cells_);
    for (i32 y = 0; y < cells_; ++y) {
      for (i32 x = 0; x < cells_; ++x) {
        if (!(random_.unit() < 0.5)) cave.free.add(x, y);
      }
    }
    for (i32 i = 0; i < kSteps; ++i) cave.smooth();
    cave.keep_largest_room();
    i32 chosen[2];
    random_.choose(cave.size_of(cave.free), 2, chosen);
    const Cave::Place start = cave.cell_of(cave.free, chosen[0]), goal = cave.cell_of(cave.free, chosen[1]);
    s_.agent = {start.x + 0.5f, start.y + 0.5f, 0, 0};
    s_.goal_x = u8(goal.x);
    s_.goal_y = u8(goal.y);
    const Cave::Set path = cave.path(start, goal);
    if (mode_ != kMemory) cave.keep_around(path, 4);
    for (i32 i = 0; i < kSteps; ++i) {
      cave.smooth();
      for (i32 y = 0; y < cells_; ++y) cave.free.row[y] |= path.row[y];
    }
    s_.free = cave.free;
    return path;
  }

  ENVPOOL_FN void place_objects(const Cave::Set& space) {
    const Cave cave(cells_);
    const i32 size = cave.size_of(space), part = min(size / kPart, kMostOfType);
    i32 chosen[kMostObjects];
    random_.choose(size, 3 * part, chosen);
    s_.objects = 3 * part;
    for (i32 i = 0; i < s_.objects; ++i) {
      const Cave::Place place = cave.cell_of(space, chosen[i]);
      Object& object = s_.object[i];
      object = {{place.x + 0.5f, place.y + 0.5f, 0, 0}, 0, kObstacle, 0, false};
      if (i < part) continue;
      object.type = kTarget;
      object.health = kTargetHealth;
      if (i < 2 * part) continue;
      object.type = kEnemy;
      const f64 speed = 0.1 * random_.unit() + 0.1;
      const f32 velocity = f32(speed * (random_.below(2) * 2 - 1));
      (random_.unit() < 0.5 ? object.body.vx : object.body.vy) = velocity;
    }
  }

  State& s_;
  Twister& random_;
  Mode mode_;
  i32 cells_;
};

}  // namespace envpool::procgen::caveflyer
