// SPDX-License-Identifier: Apache-2.0
//
// Catch: a ball falls down a board, one row in each step. A paddle in the last row moves left and right to catch it.
//
//   Action       i32, 0 moves the paddle left, 1 not at all, 2 right; it stops at the walls
//   Observation  f32[height][width]: 1 in the cells of the ball and the paddle, else 0
//   Reward       when the ball reaches the last row, 1 if the paddle is there, else -1; before that 0
//   Terminated   when the ball reaches the last row
//   Reset        the ball is in a uniformly random column of the first row; the paddle is in the middle
//
// I. Osband et al., "Behaviour suite for reinforcement learning" (2020), as in EnvPool 1.2.5.
#pragma once

#include "envpool/core/api.h"
#if ENVPOOL_HOST
#include "envpool/core/board.h"
#endif

namespace envpool::toy_text {

struct Catch {
  static constexpr const char* kName = "Catch";
  static constexpr bool kLargeRows = true;

  struct Params {
    i32 height, width;
  };
  struct State {
    i32 ball_row, ball_column, paddle;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("height", 10, "rows of the board").between(2, 1024).changes_shapes().sets(&Params::height);
    o.integer("width", 5, "columns of the board").between(1, 1024).changes_shapes().sets(&Params::width);
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<f32>("obs", {p.height, p.width}).bounds(0, 1).doc("1 in the cells of the ball and the paddle");
    s.action<i32>().categories(3).doc("0 moves the paddle left, 1 not at all, 2 right");
    s.reward_low = -1;
    s.reward_high = 1;
    drawing::Board::set_size(s, p.height, p.width);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    drawing::Board board(rgb, p.height, p.width, drawing::kEmpty);
    board.fill(p.height - 1, s.paddle, drawing::kBlue);
    board.disc(s.ball_row, s.ball_column, 0.36, drawing::kAgent);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {0, i32(rng.below(u32(p.width))), p.width / 2};
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 moved = i32(u32(s.paddle) + u32(*action.at<i32>(0)) - 1);
    if (moved >= 0 && moved < p.width) s.paddle = moved;
    count_up(s.ball_row);
    const bool landed = s.ball_row >= p.height - 1;
    return {.reward = landed ? (s.paddle == s.ball_column ? 1.0f : -1.0f) : 0.0f, .terminated = landed};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    f32* const board = row.at<f32>(0);
    const i32 cells = p.height * p.width;
    for (i32 i = 0; i < cells; ++i) board[i] = 0;
    observe_cleared(s, p, row);
  }
  ENVPOOL_FN static void observe_cleared(const State& s, const Params& p, Row row) {
    f32* const board = row.at<f32>(0);
    const i32 cells = p.height * p.width;
    // A restored state may have any positions.
    board[clamp(s.ball_row, 0, p.height - 1) * p.width + clamp(s.ball_column, 0, p.width - 1)] = 1;
    board[cells - p.width + clamp(s.paddle, 0, p.width - 1)] = 1;
  }
};

}  // namespace envpool::toy_text
