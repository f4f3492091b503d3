// SPDX-License-Identifier: Apache-2.0
//
// GoToDoor: the agent must go to the door of the colour that the mission names and say that it is done.
//
//   Reward       on success: for the action `done` next to the door
//   Terminated   after the action `done` or `toggle`
//   Reset        a room of random size with a door in each wall, of four colours; the agent anywhere
//
// Actions, observations and the reward for success are the same as in all environments of MiniGrid (level.h).
// Reference: minigrid 3.2.0, envs/gotodoor.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct TargetState : Agent {
  Point target;
};

// The rule for environments in which the agent says when it is at the target. The action `toggle` ends an episode, too.
template <class Environment, class Turn>
ENVPOOL_FN void judge_arrival(const TargetState& s, const typename Environment::Params& p, const Turn& turn,
                              Outcome& outcome) {
  if (turn.action == kToggle) outcome.terminated = true;
  if (turn.action != kDone) return;
  outcome.terminated = true;
  if (distance(s.at, s.target) == 1) outcome.reward = Environment::reward_now(s, p);
}

struct GoToDoor : Level<GoToDoor, LevelParams, TargetState> {
  static constexpr const char* kName = "MiniGridGoToDoor";

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("size", 5, "maximum rows and columns of the room, walls included").between(5, 64).changes_shapes();
    declare(o, /*sees_through_walls=*/true);
  }
  static Params params(const OptionValues& v) {
    const i64 size = v.integer("size");
    return resolve(v, size, size, 4 * size * size);
  }
#endif

  template <class Draws>
  ENVPOOL_FN static void generate(State& s, const Params& p, Maker<Draws>& make) {
    const Point size = make.point({5, 5}, {p.width + 1, p.height + 1});
    make.wall_rect({0, 0}, size);
    Point places[4];
    places[0] = {make.between(2, size.x - 2), 0};
    places[1] = {make.between(2, size.x - 2), size.y - 1};
    places[2] = {0, make.between(2, size.y - 2)};
    places[3] = {size.x - 1, make.between(2, size.y - 2)};
    i32 colors[4];
    u32 used = 0;
    for (i32 count = 0; count < 4;) {
      const i32 color = make.color();
      if ((used >> color & 1) != 0) continue;
      used |= 1u << color;
      colors[count++] = color;
    }
    for (i32 i = 0; i < 4; ++i) make.grid[places[i]] = door(colors[i], kClosed);
    make.place_agent({0, 0}, size);
    const i32 chosen = make.below(4);
    s.target = places[chosen];
    s.mission_id = colors[chosen];
    using enum Word;
    make.mission.say(go, to, the, color_word(u32(colors[chosen])), Word::door);
  }

  ENVPOOL_FN static void judge(const State& s, const Params& p, const Turn& turn, Outcome& outcome) {
    judge_arrival<GoToDoor>(s, p, turn, outcome);
  }
  ENVPOOL_FN static void repair_more(State& s, const Params& p) { keep_in_grid(s.target, p); }
};

}  // namespace envpool::minigrid
