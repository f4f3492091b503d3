// SPDX-License-Identifier: Apache-2.0
//
// CoinHunt: a walker on a square field looks for a coin, which moves to another cell whenever it is found.
//
//   Action       i32: 0 up, 1 right, 2 down, 3 left; moves beyond the edge have no effect
//   Observation  i32[4]: row and column of the walker, row and column of the coin
//   Reward       1 for finding the coin
//   Terminated   when the tenth coin is found
//   Reset        walker and coin in two different random cells
#pragma once

#include "envpool/core/api.h"

namespace coin_hunt {

using namespace envpool;

struct CoinHunt {
  static constexpr const char* kName = "CoinHunt";
  static constexpr i32 kPixels = 16;  // of a cell in images

  struct Params {
    i32 size;
  };
  struct State {
    i32 walker, coin;  // row * size + column
    i32 found;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("size", 5, "rows and columns of the field").between(2, 100).sets(&Params::size);
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<i32>("obs", {4}).bounds(0, p.size - 1).doc("row and column of the walker, row and column of the coin");
    s.action<i32>().categories(4).doc("up, right, down, left");
    s.reward_low = 0;
    s.reward_high = 1;
    s.render_height = s.render_width = p.size * kPixels;
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("walker", &State::walker).add("coin", &State::coin).add("found", &State::found);
  }
  static void render(const State& s, const Params& p, u8* rgb) {  // the walker is blue, the coin yellow
    const u8 colors[3][3] = {{235, 235, 235}, {40, 90, 200}, {240, 190, 40}};
    for (i32 y = 0; y < p.size * kPixels; ++y) {
      for (i32 x = 0; x < p.size * kPixels; ++x, rgb += 3) {
        const i32 cell = y / kPixels * p.size + x / kPixels;
        for (i32 i = 0; i < 3; ++i) rgb[i] = colors[cell == s.walker ? 1 : cell == s.coin ? 2 : 0][i];
      }
    }
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {.walker = i32(rng.below(u32(p.size * p.size))), .coin = 0, .found = 0};
    lay_coin(s, p, rng);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    i32 row = s.walker / p.size, column = s.walker % p.size;
    switch (*action.at<i32>(0)) {
      case 0: row = max(row - 1, 0); break;
      case 1: column = min(column + 1, p.size - 1); break;
      case 2: row = min(row + 1, p.size - 1); break;
      default: column = max(column - 1, 0); break;
    }
    s.walker = row * p.size + column;
    if (s.walker != s.coin) return {};
    lay_coin(s, p, rng);
    return {.reward = 1, .terminated = ++s.found == 10};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    i32* const obs = row.at<i32, 4>(0);
    obs[0] = s.walker / p.size;
    obs[1] = s.walker % p.size;
    obs[2] = s.coin / p.size;
    obs[3] = s.coin % p.size;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {  // for states that the user supplies
    keep_within(s.walker, 0, p.size * p.size - 1);
    keep_within(s.coin, 0, p.size * p.size - 1);
    keep_within(s.found, 0, 9);
  }

 private:
  ENVPOOL_FN static void lay_coin(State& s, const Params& p, Rng& rng) {
    const i32 place = i32(rng.below(u32(p.size * p.size - 1)));
    s.coin = place < s.walker ? place : place + 1;  // any cell except the walker's
  }
};

}  // namespace coin_hunt
