// SPDX-License-Identifier: Apache-2.0
//
// MetaMaze: the agent has to find an invisible goal in a maze of pillars. When it reaches the goal, it is moved to a
// random cell and has to find the goal again.
//
//   Action       i32, 0 goes up, 1 right, 2 down, 3 left; a move into a wall has no effect
//   Observation  f32[rf_size^2 + 6]: the cells around the agent in row-major order, 1 at walls; the last action in
//                one-hot encoding; the last reward; the number of steps, or with `normalize_time` steps / 50 - 1
//   Reward       `reward` on the goal, plus `punishment` for a move into a wall
//   Terminated   when the agent reaches the goal and is then moved to a uniformly random cell that is the goal again
//   Truncated    after 200 steps
//   Reset        the agent is in the middle, the goal in a uniformly random cell
//
// The maze has maze_size rows and columns, and walls surround it. Cells whose row and column, counted from 0, are both
// odd are pillars. If maze_size is 4 k + 3, the middle is a pillar; the agent starts there nevertheless.
//
// T. Miconi et al., "Backpropamine" (2019). Reference: gymnax 1.0.1 (and 0.0.9), misc/meta_maze.py. There is one
// difference: if rf_size is not 3, gymnax starts the agent next to the middle, or in the outer wall, where it cannot
// move.
#pragma once

#include "envpool/core/api.h"
#include "envpool/misc/clock.h"
#if ENVPOOL_HOST
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/board.h"
#endif

namespace envpool::misc {

struct MetaMaze {
  static constexpr const char* kName = "MetaMaze";
  static constexpr bool kLargeRows = true;

  struct Params {
    i32 size, view;  // view: number of cells visible on each side, which is also the thickness of the outer walls
    f32 reward, punishment;
    bool normalize_time;
  };
  struct State {
    i32 pos[2], goal[2];  // row and column, including the outer walls
    i32 last_action;
    f32 last_reward;
    i32 time;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("maze_size", 9, "rows and columns of the maze, odd").between(1, 1023).changes_shapes();
    o.integer("rf_size", 3, "rows and columns of the visible cells, odd").between(3, 1023).changes_shapes();
    o.real("reward", 10, "reward for reaching the goal").between(-1e18, 1e18).sets(&Params::reward);
    o.real("punishment", 0, "reward for a move into a wall").between(-1e18, 1e18).sets(&Params::punishment);
    o.boolean("normalize_time", false, "observe the scaled time instead of the number of steps")
        .sets(&Params::normalize_time);
  }
  static Params params(const OptionValues& v) {
    return {.size = odd(v, "maze_size"),
            .view = (odd(v, "rf_size") - 1) / 2,
            .reward = 0,
            .punishment = 0,
            .normalize_time = false};
  }
  static void spec(const Params& p, Spec& s) {
    const auto [low, high] = std::minmax({0.0f, p.reward, p.punishment, p.reward + p.punishment});
    std::vector<f64> lows(size_t(visible_cells(p)) + 6, 0.0), highs(lows.size(), 1.0);
    lows.end()[-2] = low;
    highs.end()[-2] = high;
    lows.back() = p.normalize_time ? -1 : 0;
    highs.back() = kInfinity;
    s.obs<f32>("obs", {visible_cells(p) + 6})
        .bounds(lows, highs)
        .doc("walls around the agent, last action (one-hot), last reward, time");
    s.action<i32>().categories(4).doc("0 goes up, 1 right, 2 down, 3 left");
    s.reward_low = low;
    s.reward_high = high;
    drawing::Board::set_size(s, p.size + 2, p.size + 2);
  }
  static void render(const State& s, const Params& p, u8* rgb) {  // one row of the outer walls on each side
    const i32 side = p.size + 2, hidden = p.view - 1;
    drawing::Board board(rgb, side, side, drawing::kEmpty);
    for (i32 row = 0; row < side; ++row) {
      for (i32 column = 0; column < side; ++column) {
        if (is_wall(row + hidden, column + hidden, p)) board.fill(row, column, drawing::kWall);
      }
    }
    board.fill(s.goal[0] - hidden, s.goal[1] - hidden, drawing::kGoal);
    board.disc(s.pos[0] - hidden, s.pos[1] - hidden, 0.36, drawing::kAgent);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("pos", &State::pos)
        .add("goal", &State::goal)
        .add("last_action", &State::last_action)
        .add("last_reward", &State::last_reward)
        .add("time", &State::time);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {};
    s.pos[0] = s.pos[1] = p.size / 2 + p.view;
    draw_cell(s.goal, p, rng);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    s.last_action = *action.at<i32>(0);
    const i32 row = s.pos[0] + (s.last_action == 2) - (s.last_action == 0);
    const i32 column = s.pos[1] + (s.last_action == 1) - (s.last_action == 3);
    const bool moves = !is_wall(row, column, p);
    s.pos[0] = moves ? row : s.pos[0];
    s.pos[1] = moves ? column : s.pos[1];
    const bool reached = on_goal(s);
    if (reached) draw_cell(s.pos, p, rng);
    s.last_reward = keep_if(reached, p.reward) + keep_if(!moves, p.punishment);
    count_up(s.time);
    return {.reward = s.last_reward, .terminated = reached && on_goal(s)};
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    for (i32& index : s.pos) keep_within(index, 0, p.size + 2 * p.view);
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    f32* obs = row.at<f32>(0);
    // If the compiler knows the view, the function takes half the time.
    obs = p.view == 1 ? observe_walls(s, p, 1, obs) : observe_walls(s, p, p.view, obs);
    for (i32 a = 0; a < 4; ++a) *obs++ = one_if(s.last_action == a);
    obs[0] = s.last_reward;
    obs[1] = p.normalize_time ? scaled_time(s.time) : f32(s.time);
  }

 private:
  ENVPOOL_FN static i64 visible_cells(const Params& p) { return i64(2 * p.view + 1) * (2 * p.view + 1); }
  // This function has no branches, because they would be mispredicted.
  ENVPOOL_FN static bool is_wall(i32 row, i32 column, const Params& p) {
    const u32 y = u32(row) - u32(p.view), x = u32(column) - u32(p.view), size = u32(p.size);
    return (y >= size) | (x >= size) | ((y & x & 1) != 0);
  }
  ENVPOOL_FN static f32* observe_walls(const State& s, const Params& p, i32 view, f32* obs) {
    for (i32 y = -view; y <= view; ++y) {
      for (i32 x = -view; x <= view; ++x) *obs++ = one_if(is_wall(s.pos[0] + y, s.pos[1] + x, p));
    }
    return obs;
  }
  ENVPOOL_FN static bool on_goal(const State& s) { return s.pos[0] == s.goal[0] && s.pos[1] == s.goal[1]; }
  // Draws an open cell. Rows with `size` open cells alternate with rows in which every second cell is open, so two rows
  // have `pair` open cells.
  ENVPOOL_FN static void draw_cell(i32* pos, const Params& p, Rng& rng) {
    const i32 half = p.size / 2, pair = p.size + half + 1;
    const i32 cell = i32(rng.below(u32(half * pair + p.size))), offset = cell % pair;
    pos[0] = p.view + cell / pair * 2 + (offset >= p.size);
    pos[1] = p.view + (offset < p.size ? offset : 2 * (offset - p.size));
  }
#if ENVPOOL_HOST
  static i32 odd(const OptionValues& v, const std::string& name) {
    const i32 value = i32(v.integer(name));
    if (value % 2 == 1) return value;
    throw std::invalid_argument(name + ": expected an odd number, got " + std::to_string(value));
  }
#endif
};

}  // namespace envpool::misc
