// SPDX-License-Identifier: Apache-2.0
//
// Catch: the environment of toy_text, with the names and time limit of gymnax.
//
//   Action       i32, 0 moves the paddle left, 1 not at all, 2 right; it stops at the walls
//   Observation  f32[rows][columns]: 1 in the cells of the ball and the paddle, else 0
//   Reward       when the ball reaches the last row, 1 if the paddle is there, else -1; before that 0
//   Terminated   when the ball reaches the last row
//   Truncated    after 1000 steps
//   Reset        the ball is in a uniformly random column of the first row; the paddle is in the middle
//
// I. Osband et al., "Behaviour suite for reinforcement learning" (2020), as in gymnax 0.0.9 and 1.0.1.
#pragma once

#include "envpool/toy_text/catch.h"

namespace envpool::bsuite {

struct Catch : toy_text::Catch {
#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("rows", 10, "rows of the board").between(2, 1024).changes_shapes().sets(&Params::height);
    o.integer("columns", 5, "columns of the board").between(1, 1024).changes_shapes().sets(&Params::width);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("ball_x", &State::ball_column).add("ball_y", &State::ball_row).add("paddle_x", &State::paddle);
  }
#endif
};

}  // namespace envpool::bsuite
