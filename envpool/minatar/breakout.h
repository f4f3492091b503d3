// SPDX-License-Identifier: Apache-2.0
//
// Breakout: the player keeps a ball in play with a paddle. The ball moves diagonally and breaks three rows of bricks.
//
//   Action       i32, 0 nothing, 1 left, 2 up, 3 right, 4 down, 5 fire; minimal: 0 nothing, 1 left, 2 right
//   Observation  bool[10][10][4] (or f32): paddle, ball, last position of the ball, bricks
//   Reward       1 for a brick
//   Terminated   when the ball reaches the last row and misses the paddle
//   Reset        no brick is broken, the paddle is in the middle, and the ball is below the bricks at the left or right
//                wall
//
// When all bricks are broken, they reappear the next time that the ball is in the last row. The game never gets faster.
// Reference: see game.h.
#pragma once

#include "envpool/minatar/game.h"

namespace envpool::minatar {

struct Breakout {
  static constexpr const char* kName = "MinAtarBreakout";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kChannels = 4;
  static constexpr u32 kAllBricks = (1u << 30) - 1;

  using Params = minatar::Params;
  struct State {
    u32 bricks;  // bit 10 (y - 1) + x, rows 1 to 3
    u8 ball_y, ball_x, last_y, last_x;
    u8 ball_dir;  // 0 up left, 1 up right, 2 down right, 3 down left
    u8 pos;
    bool strike;  // whether a brick was hit in the last step; the ball then passes through the next one
    u8 last_action;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { declare(o, /*ramps=*/false); }
  static Params params(const OptionValues& v) { return resolve(v, {kNothing, kLeft, kRight}); }
  static void spec(const Params& p, Spec& s) {
    describe(s, p, kChannels, "paddle, ball, trail of the ball, brick");
    s.reward_high = 1;
  }
  static void render(const State& s, const Params&, u8* rgb) {
    minatar::render<Breakout>(s, {{240, 240, 240}, {255, 210, 60}, {110, 90, 40}, {200, 80, 60}}, rgb);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("ball_y", &State::ball_y).add("ball_x", &State::ball_x).add("ball_dir", &State::ball_dir);
    parts.add("pos", &State::pos).add("strike", &State::strike);
    parts.add("last_y", &State::last_y).add("last_x", &State::last_x);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params&, Rng& rng) {
    const bool right = rng.below(2) == 1;
    const u8 x = right ? 9 : 0;
    s = {.bricks = kAllBricks,
         .ball_y = 3,
         .ball_x = x,
         .last_y = 3,
         .last_x = x,
         .ball_dir = u8(right ? 3 : 2),
         .pos = 4,
         .strike = false,
         .last_action = kNothing};
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    const u8 a = executed_action(s.last_action, p, action, rng);
    s.pos = u8(clamp(s.pos + (a == kRight) - (a == kLeft), 0, kSide - 1));

    s.last_y = s.ball_y;
    s.last_x = s.ball_x;
    i32 y = s.ball_y + (s.ball_dir < 2 ? -1 : 1);
    i32 x = s.ball_x + (s.ball_dir == 1 || s.ball_dir == 2 ? 1 : -1);
    if (u32(x) >= u32(kSide)) {
      x = clamp(x, 0, kSide - 1);
      s.ball_dir ^= 1;
    }
    Outcome outcome;
    bool strike = false;
    const u32 brick = u32(y - 1) < 3 ? 1u << (10 * (y - 1) + x) : 0;
    if (y < 0) {
      y = 0;
      s.ball_dir ^= 3;
    } else if ((s.bricks & brick) != 0) {
      strike = true;
      if (!s.strike) {
        outcome.reward = 1;
        s.bricks ^= brick;
        y = s.last_y;
        s.ball_dir ^= 3;
      }
    } else if (y >= kSide - 1) {  // y is greater only after the end of an episode.
      if (s.bricks == 0) s.bricks = kAllBricks;
      if (s.ball_x == s.pos) {
        s.ball_dir ^= 3;
        y = s.last_y;
      } else if (x == s.pos) {
        s.ball_dir ^= 2;
        y = s.last_y;
      } else {
        outcome.terminated = true;
        y = kSide - 1;
      }
    }
    s.strike = strike;
    s.ball_y = u8(y);
    s.ball_x = u8(x);
    return outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    s.bricks &= kAllBricks;
    keep_within<u8>(s.ball_y, 0, kSide - 1);
    keep_within<u8>(s.ball_x, 0, kSide - 1);
    keep_within<u8>(s.last_y, 0, kSide - 1);
    keep_within<u8>(s.last_x, 0, kSide - 1);
    keep_within<u8>(s.pos, 0, kSide - 1);
    s.ball_dir &= 3;
    keep_bool(s.strike);
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) { minatar::observe<Breakout>(s, p, row); }
  ENVPOOL_FN static void observe_cleared(const State& s, const Params& p, Row row) {
    minatar::observe<Breakout, /*kCleared=*/true>(s, p, row);
  }

  template <class T>
  ENVPOOL_FN static void paint(const State& s, Board<T, kChannels>& board) {
    board.set(kSide - 1, s.pos, 0);
    board.set(s.ball_y, s.ball_x, 1);
    board.set(s.last_y, s.last_x, 2);
    T* const row = board.cells + kSide * kChannels + 3;
    for (i32 i = 0; i < 30; ++i) row[i * kChannels] = T(s.bricks >> i & 1);
  }
};

}  // namespace envpool::minatar
