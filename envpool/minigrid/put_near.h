// SPDX-License-Identifier: Apache-2.0
//
// PutNear: the agent must put one object near another one.
//
//   Reward       on success: when the right object is dropped in a cell around the other object's place
//   Terminated   when an object is dropped, and when a wrong one is picked up
//   Reset        `num_objs` objects that differ in type or colour and do not touch; the agent anywhere
//
// Actions, observations and the reward for success are the same as in all environments of MiniGrid (level.h).
// Reference: minigrid 3.2.0, envs/putnear.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct PutNearState : Agent {
  Cell moved;
  Point target;
};

struct PutNear : Level<PutNear, ObjectParams, PutNearState> {
  static constexpr const char* kName = "MiniGridPutNear";

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { declare_objects(o, 6, 2, 2, kObjectKinds); }
  static Params params(const OptionValues& v) {
    const i64 size = v.integer("size"), blocks = size / 3;
    Params p = resolve(v, size, size, 5 * size);
    // As long as there are fewer than blocks * blocks objects, there always is a cell that none of them touches.
    p.most_objs = checked_objects(v, "num_objs", blocks * blocks);
    return p;
  }
#endif

  template <class Draws>
  ENVPOOL_FN static void generate(State& s, const Params& p, Maker<Draws>& make) {
    make.wall_around();
    Cell objects[kObjectKinds];
    Point places[kObjectKinds];
    i32 count = 0;
    while (count < p.num_objs) {
      const Cell object = make.random_object();
      if (contains(objects, count, object)) continue;
      places[count] = make.place(object, [&](Point at) {
        for (i32 i = 0; i < count; ++i) {
          if (touches(at, places[i])) return true;
        }
        return false;
      });
      objects[count++] = object;
    }
    make.place_agent();
    const i32 moved = make.below(p.num_objs);
    i32 target = moved;
    while (target == moved) target = make.below(p.num_objs);
    s.moved = objects[moved];
    s.target = places[target];
    s.mission_id = kind_number(objects[moved]) * kObjectKinds + kind_number(objects[target]);
    using enum Word;
    make.mission.say(put, the);
    make.mission.name(objects[moved]);
    make.mission.say(near, the);
    make.mission.name(objects[target]);
  }

  ENVPOOL_FN static void judge(const State& s, const Params& p, const Turn& turn, Outcome& outcome) {
    if (turn.action == kPickup && s.carried != kCarriesNothing && kind_of(s.carried) != s.moved) {
      outcome.terminated = true;
    }
    if (turn.action != kDrop || turn.was_carried == kCarriesNothing) return;
    outcome.terminated = true;
    if (s.carried == kCarriesNothing && touches(turn.front, s.target)) outcome.reward = reward_now(s, p);
  }
  ENVPOOL_FN static void repair_more(State& s, const Params& p) { keep_in_grid(s.target, p); }
};

}  // namespace envpool::minigrid
