// SPDX-License-Identifier: Apache-2.0
//
// NChain: a chain of states. Moving forward pays a large reward, but only at the end of the chain; returning to the
// start pays a small reward at once.
//
//   Action       i32, 0 moves forward, 1 returns to the start; with probability `slip` the other action happens
//   Observation  i32, the state, 0 to n - 1
//   Reward       `small` for returning; `large` for moving forward in the last state, where the agent stays; else 0
//   Terminated   never
//   Truncated    after 1000 steps
//   Reset        state 0
//
// M. Strens, "A Bayesian framework for reinforcement learning" (ICML 2000), with the parameters of gym before 0.21
// and of EnvPool 1.2.5.
#pragma once

#include "envpool/core/api.h"
#if ENVPOOL_HOST
#include <algorithm>

#include "envpool/core/board.h"
#endif

namespace envpool::toy_text {

struct NChain {
  static constexpr const char* kName = "NChain";
  static constexpr int kPrefetchedWords = 2;

  struct Params {
    i32 n;
    f64 slip;
    f32 small, large;
  };
  struct State {
    i32 position;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("n", 5, "states of the chain").between(1, 1 << 30).changes_shapes().sets(&Params::n);
    o.real("slip", 0.2, "probability that the other action happens").between(0, 1).sets(&Params::slip);
    o.real("small", 2, "reward for returning to the start").sets(&Params::small);
    o.real("large", 10, "reward for moving forward in the last state").sets(&Params::large);
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<i32>("obs").categories(p.n).doc("the position in the chain");
    s.action<i32>().categories(2).doc("0 moves forward, 1 returns to the start");
    const auto [low, high] = std::minmax({0.0f, p.small, p.large});
    s.reward_low = low;
    s.reward_high = high;
    drawing::Board::set_size(s, 1, p.n);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    drawing::Board board(rgb, 1, p.n, drawing::kEmpty);
    board.fill(0, 0, drawing::kStart);
    board.fill(0, p.n - 1, drawing::kGoal);
    board.disc(0, s.position, 0.34, drawing::kAgent);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params&, Rng&) { s.position = 0; }

  template <class Draws>
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Draws& rng) {
    const bool slips = rng.uniform() < p.slip, back = (*action.at<i32>(0) == 1) != slips,
               at_end = s.position >= p.n - 1;
    s.position = i32(!back) * (s.position + i32(!at_end));
    return {.reward = keep_if(back, p.small) + keep_if(!back & at_end, p.large)};
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) { keep_within(s.position, 0, p.n - 1); }

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) { *row.at<i32, 1>(0) = s.position; }
};

}  // namespace envpool::toy_text
