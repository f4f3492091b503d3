// SPDX-License-Identifier: Apache-2.0
//
// GoToObject: the agent must go to the object that the mission describes and say that it is done.
//
//   Reward       on success: for the action `done` next to the place of the object
//   Terminated   after the action `done` or `toggle`
//   Reset        `num_objs` objects that differ in type or colour, and the agent, anywhere
//
// Actions, observations and the reward for success are the same as in all environments of MiniGrid (level.h).
// Reference: minigrid 3.2.0, envs/gotoobject.py.
#pragma once

#include "envpool/minigrid/go_to_door.h"
#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct GoToObject : Level<GoToObject, ObjectParams, TargetState> {
  static constexpr const char* kName = "MiniGridGoToObject";

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { declare_objects(o, 6, 2, 1, kObjectKinds); }
  static Params params(const OptionValues& v) {
    const i64 size = v.integer("size");
    Params p = resolve(v, size, size, 5 * size * size);
    p.most_objs = checked_objects(v, "num_objs", (size - 2) * (size - 2) / 2);
    return p;
  }
#endif

  template <class Draws>
  ENVPOOL_FN static void generate(State& s, const Params& p, Maker<Draws>& make) {
    make.wall_around();
    Cell objects[kObjectKinds];
    Point places[kObjectKinds];
    for (i32 count = 0; count < p.num_objs;) {
      const Cell object = make.random_object();
      if (contains(objects, count, object)) continue;
      places[count] = make.place(object);
      objects[count++] = object;
    }
    make.place_agent();
    const i32 chosen = make.below(p.num_objs);
    s.target = places[chosen];
    s.mission_id = kind_number(objects[chosen]);
    using enum Word;
    make.mission.say(go, to, the);
    make.mission.name(objects[chosen]);
  }

  ENVPOOL_FN static void judge(const State& s, const Params& p, const Turn& turn, Outcome& outcome) {
    judge_arrival<GoToObject>(s, p, turn, outcome);
  }
  ENVPOOL_FN static void repair_more(State& s, const Params& p) { keep_in_grid(s.target, p); }
};

}  // namespace envpool::minigrid
