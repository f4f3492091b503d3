// SPDX-License-Identifier: Apache-2.0
//
// Pong: the agent has to keep the ball in play with the left paddle. The right paddle follows the ball, or copies the
// left one.
//
//   Action       i32, 0 keeps the paddle where it is, 1 moves it up, 2 down, by paddle_y_speed rows
//   Observation  f32[height][width][3]: 1 at the paddles, at the ball, and at the ball's position before the step
//   Reward       1 for each step, but 0 when the ball leaves the field
//   Terminated   when the ball leaves the field to the left or to the right
//   Truncated    after 1000 steps
//   Reset        the paddles and the ball are in the middle; the ball moves right at ball_x_speed
//
// The ball bounces off the lower edge, and with `reflect_top` also off the upper edge; otherwise it can leave the field
// there and miss both paddles. When a paddle reflects the ball, it adds to the ball's speed in y the ball's offset
// from the paddle's middle, divided by half the paddle's height. This speed is then limited to ball_max_y_speed and
// rounded to the nearest integer, with ties to even, as in gymnax 1.0.1. With `rounding` = "towards_zero", it is
// rounded towards zero, as in gymnax 0.0.9.
//
// Reference: gymnax 1.0.1 (and 0.0.9), misc/pong.py. As in 1.0.1, a step at the time limit earns its reward, and the
// paddles start on an integer row even if the height is odd.
#pragma once

#include "envpool/core/api.h"
#if ENVPOOL_HOST
#include <stdexcept>
#include <string>

#include "envpool/core/board.h"
#endif

namespace envpool::misc {

struct Pong {
  static constexpr const char* kName = "Pong";

  struct Params {
    i32 width, height, chosen_half;
    i32 paddle_speed, ball_speed;
    f32 max_speed;
    bool follow, reflect_top, towards_zero;
    i32 half;  // derived: rows of a paddle on each side of its middle
  };
  struct State {
    i32 paddle[2];  // row of the middle of each paddle
    f32 ball[2], last_ball[2], velocity[2];
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("width", 40, "columns").between(3, 1024).changes_shapes().sets(&Params::width);
    o.integer("height", 30, "rows").between(3, 1024).changes_shapes().sets(&Params::height);
    o.integer("paddle_half_height", 2, "rows of a paddle above its middle, and as many below it")
        .between(1, 511)
        .sets(&Params::chosen_half);
    o.integer("ball_max_y_speed", 3, "greatest speed of the ball in y, in rows per step")
        .between(0, 1024)
        .sets(&Params::max_speed);
    o.integer("paddle_y_speed", 1, "speed of a paddle, in rows per step").between(0, 1024).sets(&Params::paddle_speed);
    o.integer("ball_x_speed", 1, "speed of the ball in x, in columns per step")
        .between(-1024, 1024)
        .sets(&Params::ball_speed);
    o.boolean("use_ai_policy", true, "the right paddle follows the ball; otherwise it copies the left one")
        .sets(&Params::follow);
    o.boolean("reflect_top", false, "the ball also bounces off the upper edge").sets(&Params::reflect_top);
    o.text("rounding", "nearest", "rounding of the ball's speed in y")
        .one_of({"nearest", "towards_zero"})
        .sets(&Params::towards_zero);
  }
  static Params params(const OptionValues& v) {
    const i32 height = i32(v.integer("height")), half = i32(v.integer("paddle_half_height"));
    if (height < 2 * half + 1) {
      throw std::invalid_argument("paddle_half_height: expected at most " + std::to_string((height - 1) / 2) +
                                  " for a height of " + std::to_string(height) + ", got " + std::to_string(half));
    }
    return {};
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<f32>("obs", {p.height, p.width, 3})
        .bounds(0, 1)
        .doc("1 at the paddles, at the ball, at the ball's last position");
    s.action<i32>().categories(3).doc("0 stays, 1 goes up, 2 down");
    s.reward_low = 0;
    s.reward_high = 1;
    drawing::Board::set_size(s, p.height, p.width);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    constexpr drawing::Color field{36, 44, 58}, paddle{236, 238, 240};
    drawing::Board board(rgb, p.height, p.width, field);
    for (i32 side = 0; side < 2; ++side) {
      for (i32 y = -p.half; y <= p.half; ++y) board.fill(s.paddle[side] + y, side * (p.width - 1), paddle);
    }
    board.fill(clamp_index(s.ball[0], p.height), clamp_index(s.ball[1], p.width), drawing::kGoal);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("paddle_centers", &State::paddle)
        .add("ball_position", &State::ball)
        .add("last_ball_position", &State::last_ball)
        .add("ball_velocity", &State::velocity);
  }
#endif

  ENVPOOL_FN static void derive(Params& p) { p.half = min(p.chosen_half, (p.height - 1) / 2); }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng&) {
    const f32 row = f32(p.height) / 2, column = f32(p.width) / 2;
    s = {{p.height / 2, p.height / 2}, {row, column}, {row, column}, {0, f32(p.ball_speed)}};
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 direction = *action.at<i32>(0), move = ((direction == 2) - (direction == 1)) * p.paddle_speed;
    move_paddles(s, p, move);
    for (i32 i = 0; i < 2; ++i) {
      s.last_ball[i] = s.ball[i];
      s.ball[i] += s.velocity[i];
    }
    const f32 height = f32(p.height), width = f32(p.width);
    const bool over_top = p.reflect_top && s.ball[0] < 0;
    if (over_top || s.ball[0] >= height) {
      s.ball[0] = over_top ? -s.ball[0] : 2 * (height - 1) - s.ball[0];
      s.velocity[0] = -s.velocity[0];
    }
    reflect(s, p);
    const bool out = s.ball[1] < 0 || s.ball[1] >= width;
    return {.reward = out ? 0.0f : 1.0f, .terminated = out};
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    for (i32& row : s.paddle) keep_within(row, 0, p.height - 1);
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    f32* const obs = row.at<f32>(0);
    for (i32 i = 0; i < p.height * p.width * 3; ++i) obs[i] = 0;
    for (i32 side = 0; side < 2; ++side) {
      const i32 column = side * (p.width - 1);
      // A restored state may have any row.
      const i32 middle = clamp(s.paddle[side], 0, p.height - 1);
      for (i32 y = max(middle - p.half, 0); y <= min(middle + p.half, p.height - 1); ++y) {
        obs[(y * p.width + column) * 3] = 1;
      }
    }
    obs[cell(s.ball, p) * 3 + 1] = 1;
    obs[cell(s.last_ball, p) * 3 + 2] = 1;
  }

 private:
  ENVPOOL_FN static void move_paddles(State& s, const Params& p, i32 move) {
    const i32 low = p.half, high = p.height - p.half - 1;
    s.paddle[0] = clamp(s.paddle[0] + move, low, high);
    if (p.follow) {
      const f32 down = fabs(s.ball[0] - f32(clamp(s.paddle[1] + p.paddle_speed, low, high)));
      const f32 up = fabs(s.ball[0] - f32(clamp(s.paddle[1] - p.paddle_speed, low, high)));
      move = up < down ? -p.paddle_speed : p.paddle_speed;
    }
    s.paddle[1] = clamp(s.paddle[1] + move, low, high);
  }

  // Reflects a ball that has reached the column in front of a paddle, if the paddle covers its row.
  ENVPOOL_FN static void reflect(State& s, const Params& p) {
    const f32 column = s.ball[1];
    const f32 left = s.ball[0] - f32(s.paddle[0]), right = s.ball[0] - f32(s.paddle[1]);
    if (2 - column >= 1 && fabs(left) <= f32(p.half)) bounce(s, p, 2 - column, left);
    const f32 reflected = f32(2 * (p.width - 2)) - column;
    if (reflected < f32(p.width - 2) && fabs(right) < f32(p.half + 1)) bounce(s, p, reflected, right);
  }
  ENVPOOL_FN static void bounce(State& s, const Params& p, f32 column, f32 offset) {
    s.ball[1] = column;
    s.velocity[1] = -s.velocity[1];
    const f32 speed = clamp(s.velocity[0] + offset / f32(p.half), -p.max_speed, p.max_speed);
    s.velocity[0] = p.towards_zero ? copysign(floor(fabs(speed)), speed) : rint(speed);
  }
  // Returns the index of a row or column, clamped to the image. NaN is clamped, too.
  ENVPOOL_FN static i32 clamp_index(f32 position, i32 size) {
    return i32(floor(min(max(position, 0.0f), f32(size - 1))));
  }
  ENVPOOL_FN static i32 cell(const f32* position, const Params& p) {
    return clamp_index(position[0], p.height) * p.width + clamp_index(position[1], p.width);
  }
};

}  // namespace envpool::misc
