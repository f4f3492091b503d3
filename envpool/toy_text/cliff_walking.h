// SPDX-License-Identifier: Apache-2.0
//
// CliffWalking: the agent walks from one end of a cliff to the other, on a grid of 4 rows and 12 columns, without
// falling off.
//
//   Action       i32, 0 goes up, 1 right, 2 down, 3 left; a move into a wall has no effect. With `is_slippery`, the
//                move goes in the chosen direction or in either perpendicular one, each with probability 1/3
//   Observation  i32, row * 12 + column. The start is at the left end of the last row, the goal is at its right end,
//                and the cliff is between them
//   Reward       -1 for each step, but -100 for a step off the cliff, which returns the agent to the start
//   Terminated   at the goal
//   Truncated    never
//   Info         prob, the probability of the direction that the step took
//   Reset        at the start
//
// R. Sutton, A. Barto, "Reinforcement learning: an introduction" (2nd edition, 2018), example 6.6.
// Reference: gymnasium 1.4.0, toy_text/cliffwalking.py.
#pragma once

#include "envpool/core/api.h"
#include "envpool/toy_text/slip.h"
#if ENVPOOL_HOST
#include "envpool/core/board.h"
#endif

namespace envpool::toy_text {

struct CliffWalking {
  static constexpr const char* kName = "CliffWalking";
  static constexpr i32 kRows = 4, kColumns = 12;

  struct Params {
    bool slippery;
  };
  struct State {
    i32 row, column;
    f32 probability;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.boolean("is_slippery", false,
              "a move goes in the chosen direction or in either perpendicular one, with probability 1/3 each")
        .sets(&Params::slippery);
  }
  static void spec(const Params&, Spec& s) {
    s.obs<i32>("obs").categories(kRows * kColumns).doc("row * 12 + column");
    s.info<f32>("prob").bounds(0, 1).doc("probability of the direction that the step took; 1 after a reset");
    s.action<i32>().categories(4).doc("0 goes up, 1 right, 2 down, 3 left");
    s.reward_low = -100;
    s.reward_high = -1;
    s.render_fps = 4;
    drawing::Board::set_size(s, kRows, kColumns);
  }
  static void render(const State& s, const Params&, u8* rgb) {
    drawing::Board board(rgb, kRows, kColumns, drawing::kEmpty);
    board.fill(kRows - 1, 0, drawing::kStart);
    for (i32 column = 1; column < kColumns - 1; ++column) board.fill(kRows - 1, column, drawing::kWall);
    board.fill(kRows - 1, kColumns - 1, drawing::kGoal);
    board.disc(s.row, s.column, 0.34, drawing::kAgent);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params&, Rng&) { s = {kRows - 1, 0, 1}; }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    const Slip slip = p.slippery ? draw_slip(1.0 / 3, rng) : Slip{0, 1};
    const i32 direction = (*action.at<i32>(0) + slip.turn) & 3;
    s.probability = slip.probability;
    s.row = clamp(s.row + (direction == 2) - (direction == 0), 0, kRows - 1);
    s.column = clamp(s.column + (direction == 1) - (direction == 3), 0, kColumns - 1);
    const bool lowest = s.row == kRows - 1, at_goal = lowest & (s.column == kColumns - 1);
    const bool falls = lowest & (s.column != 0) & !at_goal;
    s.column *= i32(!falls);
    return {.reward = -1 - 99 * one_if(falls), .terminated = at_goal};
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    keep_within(s.row, 0, kRows - 1);
    keep_within(s.column, 0, kColumns - 1);
  }

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) {
    *row.at<i32, 1>(0) = s.row * kColumns + s.column;
    *row.at<f32, 1>(1) = s.probability;
  }
};

}  // namespace envpool::toy_text
