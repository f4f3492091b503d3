// SPDX-License-Identifier: Apache-2.0
//
// SimpleBandit: each arm pays a constant reward; the rewards are evenly spaced from 0 to 1, in an unknown order.
//
//   Action       i32, the arm, 0 to num_actions - 1
//   Observation  f32[1][1]: 1
//   Reward       the reward of the arm
//   Terminated   after every step
//   Info         total_regret: the sum of optimal_return - reward over all steps since a reset with a seed or key
//   Reset        a reset with a seed or key draws a uniformly random order of the rewards, which later episodes keep
//
// I. Osband et al., "Behaviour suite for reinforcement learning" (2020); bsuite 0.3.5. In gymnax 1.0.1, every reset
// draws a new order. A reset follows every step, so nothing can be learnt. In gymnax 0.0.9, a step raises an error.
#pragma once

#include "envpool/core/api.h"
#if ENVPOOL_HOST
#include "envpool/core/canvas.h"
#endif

namespace envpool::bsuite {

struct SimpleBandit {
  static constexpr const char* kName = "SimpleBandit";
  static constexpr i32 kHeight = 160, kWidth = 400;  // of an image

  struct Params {
    i32 num_actions;
    f32 optimal_return;
  };
  // The rewards of the arms follow in memory, each an i32 in units of 1 / (num_actions - 1).
  struct State {
    f32 total_regret;
    i32 time;  // steps of all episodes
  };
  enum Field { kObs, kRegret };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("num_actions", 11, "arms").between(1, 1 << 20).changes_shapes();
    o.real("optimal_return", 1, "the return from which regret is measured");
  }
  static Params params(const OptionValues& v) {
    return {.num_actions = i32(v.integer("num_actions")), .optimal_return = f32(v.real("optimal_return"))};
  }
  static i64 extra_bytes(const Params& p) { return i64{p.num_actions} * i64{sizeof(i32)}; }
  static void spec(const Params& p, Spec& s) {
    s.obs<f32>("obs", {1, 1}).bounds(1, 1).says("always 1");
    s.info<f32>("total_regret").says("sum of optimal_return - reward over all steps");
    s.action<i32>().categories(p.num_actions).says("the arm");
    s.reward_low = 0;
    s.reward_high = 1;
    s.render_height = kHeight;
    s.render_width = kWidth;
  }
  static void render(const State& s, const Params& p, u8* rgb) {  // a bar for the reward of each arm
    drawing::Canvas canvas(rgb, kWidth, kHeight);
    const i32 bars = min(p.num_actions, kWidth / 2);
    const f64 step = (kWidth - 20.0) / bars, most = max(p.num_actions - 1, 1);
    for (i32 i = 0; i < bars; ++i) {
      const i32 arm = i32(i64{i} * p.num_actions / bars);
      const f64 left = 10 + i * step, top = 12 + (kHeight - 24) * arms(s)[arm] / most;
      canvas.box(left + 0.1 * step, 8, left + 0.9 * step, top, drawing::kBlue);
    }
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("total_regret", &State::total_regret).add("time", &State::time);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    if (rng.episode != 0) return;
    s = {};
    for (i32 i = 0; i < p.num_actions; ++i) {
      const i32 other = i32(rng.below(u32(i) + 1));
      arms(s)[i] = arms(s)[other];
      arms(s)[other] = i;
    }
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const f32 reward = f32(arms(s)[*action.at<i32>(0)]) / f32(max(p.num_actions - 1, 1));
    s.total_regret = s.total_regret + p.optimal_return - reward;
    count_up(s.time);
    return {.reward = reward, .terminated = true};
  }

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) {
    *row.at<f32, 1>(kObs) = 1;
    *row.at<f32, 1>(kRegret) = s.total_regret;
  }

 private:
  ENVPOOL_FN static i32* arms(State& s) { return reinterpret_cast<i32*>(&s + 1); }
  ENVPOOL_FN static const i32* arms(const State& s) { return reinterpret_cast<const i32*>(&s + 1); }
};

}  // namespace envpool::bsuite
