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
    i32 time;      // steps of all episodes
    i32 last_arm;  // 1 + the arm of the last step, which is drawn; 0 before the first step
  };
  enum Field { kObs, kRegret };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("num_actions", 11, "arms").between(1, 1 << 20).changes_shapes().sets(&Params::num_actions);
    o.real("optimal_return", 1, "the return from which regret is measured").sets(&Params::optimal_return);
  }
  static i64 extra_bytes(const Params& p) { return i64{p.num_actions} * i64{sizeof(i32)}; }
  static void spec(const Params& p, Spec& s) {
    s.obs<f32>("obs", {1, 1}).bounds(1, 1).doc("always 1");
    s.info<f32>("total_regret").doc("sum of optimal_return - reward over all steps");
    s.action<i32>().categories(p.num_actions).doc("the arm");
    s.reward_low = 0;
    s.reward_high = 1;
    s.render_height = kHeight;
    s.render_width = kWidth;
  }
  // Draws a column for each arm, or for several neighbouring arms if there are many. The column of the last arm is
  // marked, and a bar shows the reward that it paid. The other rewards are not drawn, because the agent does not know
  // them.
  static void render(const State& s, const Params& p, u8* rgb) {
    constexpr f64 bottom = 14, height = kHeight - 28;
    drawing::Canvas canvas(rgb, kWidth, kHeight);
    const i32 columns = min(p.num_actions, kWidth / 4);
    const f64 step = (kWidth - 20.0) / columns;
    const bool pulled = s.last_arm >= 1 && s.last_arm <= p.num_actions;
    const i32 chosen = pulled ? i32(i64{s.last_arm - 1} * columns / p.num_actions) : -1;
    for (i32 i = 0; i < columns; ++i) {
      const f64 left = 10 + (i + 0.1) * step, right = 10 + (i + 0.9) * step;
      canvas.box(left, bottom, right, bottom + height, i == chosen ? drawing::kGoal : drawing::kEmpty);
      if (i == chosen) {
        const f64 reward = clamp(f64(arms(s)[s.last_arm - 1]) / max(p.num_actions - 1, 1), 0.0, 1.0);
        canvas.box(left + 0.2 * step, bottom, right - 0.2 * step, bottom + height * reward, drawing::kBlue);
      }
    }
    canvas.line({10, bottom}, {kWidth - 10, bottom}, drawing::kWall, 2);
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
    s.last_arm = *action.at<i32>(0) + 1;
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
