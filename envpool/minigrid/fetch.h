// SPDX-License-Identifier: Apache-2.0
//
// Fetch: there are keys and balls, and the agent must pick up the one that the mission describes.
//
//   Terminated   when the agent has picked up anything
//   Reset        `num_objs` objects of random types and colours, and the agent, anywhere
//
// Actions, observations and rewards are the same as in all environments of MiniGrid (level.h). Reference: minigrid
// 3.2.0, envs/fetch.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct FetchState : Agent {
  Cell target;
};

struct Fetch : Level<Fetch, ObjectParams, FetchState> {
  static constexpr const char* kName = "MiniGridFetch";
  static constexpr i32 kMostObjects = 64;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { declare_objects(o, 8, 3, 1, kMostObjects); }
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
    Cell objects[kMostObjects];
    for (i32 i = 0; i < p.num_objs; ++i) {
      const i32 type = make.below(2) == 0 ? kKey : kBall;
      objects[i] = object(type, make.color());
      make.place(objects[i]);
    }
    make.place_agent();
    s.target = objects[make.below(p.num_objs)];
    using enum Word;
    const i32 wording = make.below(5);
    switch (wording) {
      case 0: make.mission.say(get, a); break;
      case 1: make.mission.say(go, get, a); break;
      case 2: make.mission.say(fetch, a); break;
      case 3: make.mission.say(go, fetch, a); break;
      default: make.mission.say(you, must, fetch, a); break;
    }
    make.mission.name(s.target);
    s.mission_id = wording * 2 * kColors + 2 * i32(color_of(s.target)) + (type_of(s.target) == kBall ? 1 : 0);
  }

  ENVPOOL_FN static void judge(const State& s, const Params& p, const Turn&, Outcome& outcome) {
    if (s.carried == kCarriesNothing) return;
    if (kind_of(s.carried) == s.target) {
      succeed(s, p, outcome);
    } else {
      fail(outcome);
    }
  }
};

}  // namespace envpool::minigrid
