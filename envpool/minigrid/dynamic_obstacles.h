// SPDX-License-Identifier: Apache-2.0
//
// DynamicObstacles: an empty room in which balls move at random; running into anything but the goal ends the episode.
//
//   Action       i32, 0 turns left, 1 turns right, 2 goes forward
//   Reward       -1 for going forward when there is an obstacle or a wall in front of the agent
//   Terminated   on the goal, and after a reward of -1
//   Reset        the agent in the upper left corner, facing right, or with `random_start` in a random cell; the balls
//                in random cells
//
// In each step, before the agent moves, each ball moves to a random free cell around it. Observations and other rewards
// are the same as in all environments of MiniGrid (level.h). Reference: minigrid 3.2.0, envs/dynamicobstacles.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct DynamicObstaclesParams : LevelParams {
  i32 chosen_obstacles;
  bool random_start;
  i32 num_obstacles;  // derived
};

struct DynamicObstaclesState : Agent {
  static constexpr i32 kMost = 33;
  Point obstacles[kMost];
};

struct DynamicObstacles : Level<DynamicObstacles, DynamicObstaclesParams, DynamicObstaclesState> {
  static constexpr const char* kName = "MiniGridDynamicObstacles";
  static constexpr i32 kNumActions = 3, kTries = 101;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("size", 8, "rows and columns, walls included").between(5, 64).changes_shapes();
    o.integer("n_obstacles", 4, "number of balls; values above size / 2 + 1 mean size / 2")
        .between(0, 64)
        .sets(&Params::chosen_obstacles);
    o.boolean("random_start", false, "whether the agent starts in a random cell instead of the corner")
        .sets(&Params::random_start);
    declare(o, /*sees_through_walls=*/true);
  }
  static Params params(const OptionValues& v) {
    const i64 size = v.integer("size");
    Params p = resolve(v, size, size, 4 * size * size);
    return p;
  }
  static void spec(const Params& p, Spec& s) {
    Level::spec(p, s);
    s.reward_low = -1;
  }
#endif

  ENVPOOL_FN static void derive_more(Params& p) {
    p.num_obstacles = 2 * p.chosen_obstacles <= p.width + 2 ? p.chosen_obstacles : p.width / 2;
  }

  template <class Draws>
  ENVPOOL_FN static void generate(State& s, const Params& p, Maker<Draws>& make) {
    make.wall_around();
    make.grid[{p.width - 2, p.height - 2}] = kTheGoal;
    s.at = {1, 1};
    if (p.random_start) make.place_agent();
    for (i32 i = 0; i < p.num_obstacles && !make.failed; ++i) {
      s.obstacles[i] = make.place(kTheBall, {0, 0}, {p.width, p.height}, kTries);
    }
    using enum Word;
    make.mission.say(get, to, the, green, goal, square);
  }

  template <class Draws>
  ENVPOOL_FN static void move_others(State& s, const Params& p, Draws& draws) {
    Mission none(nullptr, 0, /*as_words=*/false);
    Maker<Draws> make{grid_of(s, p), s, draws, none};
    for (i32 i = 0; i < p.num_obstacles; ++i) {
      const Point from = s.obstacles[i], to = make.find_free(from - Point{1, 1}, {3, 3}, kTries);
      if (to == kNowhere) continue;
      make.grid[to] = kTheBall;
      make.grid[from] = kNothing;
      s.obstacles[i] = to;
    }
  }
  ENVPOOL_FN static void judge(State&, const Params&, const Turn& turn, Outcome& outcome) {
    const bool clear = turn.was_in_front == kNothing || type_of(turn.was_in_front) == kGoal;
    if (turn.action != kForward || clear) return;
    outcome.reward = -1;
    outcome.terminated = true;
  }
  ENVPOOL_FN static void repair_more(State& s, const Params& p) {
    for (i32 i = 0; i < p.num_obstacles; ++i) keep_inside(s.obstacles[i], p);
  }

 private:
  static constexpr Cell kTheBall = object(kBall, kBlue);
};

}  // namespace envpool::minigrid
