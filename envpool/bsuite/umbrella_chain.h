// SPDX-License-Identifier: Apache-2.0
//
// UmbrellaChain: the first observation shows whether an umbrella is needed, and the first action takes it or leaves it.
// The last reward shows whether that was right; all other rewards are random.
//
//   Action       i32, 1 takes the umbrella, 0 leaves it; only the action of the first step matters
//   Observation  f32[3 + n_distractor]: whether the umbrella is needed, whether the agent has it, 1 - t / chain_length,
//                and random bits, drawn in each step
//   Reward       in the last step, 1 if the agent has the umbrella and needs it, or has none and needs none, else -1;
//                in all other steps, -1 or 1 with equal probability
//   Terminated   after chain_length steps
//   Truncated    after 100 steps
//   Info         total_regret: 2 for each wrong choice; accumulates over episodes until a reset with a seed or key
//   Reset        whether the umbrella is needed and whether the agent has it are random, each with probability 1/2
//
// I. Osband et al., "Behaviour suite for reinforcement learning" (2020), as in bsuite 0.3.5 and gymnax 0.0.9 and
// 1.0.1.
#pragma once

#include "envpool/core/api.h"
#if ENVPOOL_HOST
#include "envpool/core/canvas.h"
#endif

namespace envpool::bsuite {

struct UmbrellaChain {
  static constexpr const char* kName = "UmbrellaChain";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kHeight = 160, kWidth = 400;  // of an image

  struct Params {
    i32 n_distractor, chain_length;
  };
  struct State {
    i32 need_umbrella, has_umbrella;
    i32 time;
    f32 total_regret;
    u64 distractor_seed;
  };
  enum Field { kObs, kRegret };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("n_distractor", 0, "random bits in an observation")
        .between(0, 1 << 20)
        .changes_shapes()
        .sets(&Params::n_distractor);
    o.integer("chain_length", 10, "steps of an episode").between(1, 1 << 30).sets(&Params::chain_length);
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<f32>("obs", {3 + p.n_distractor})
        .bounds(0, 1)
        .doc("need and possession of the umbrella, time left, random bits");
    s.info<f32>("total_regret").bounds(0, kInfinity).doc("2 for each wrong choice");
    s.action<i32>().categories(2).doc("1 takes the umbrella, 0 leaves it");
    s.reward_low = -1;
    s.reward_high = 1;
    s.render_height = kHeight;
    s.render_width = kWidth;
  }
  // A person walks from left to right, with or without an umbrella, below a cloud if one is needed and else the sun.
  static void render(const State& s, const Params& p, u8* rgb) {
    constexpr drawing::Color cloud{120, 130, 146};
    drawing::Canvas canvas(rgb, kWidth, kHeight);
    if (s.need_umbrella != 0) {
      for (i32 i = 0; i < 3; ++i) canvas.disc(kWidth - 70 + 20 * i, 126 + 8 * (i == 1), 18, cloud);
    } else {
      canvas.disc(kWidth - 50, 128, 18, drawing::kGoal);
    }
    const f64 x = 50 + (kWidth - 160) * clamp(f64(s.time) / p.chain_length, 0.0, 1.0);
    canvas.line({0, 16}, {kWidth - 1.0, 16}, drawing::kWall, 2);
    canvas.line({x, 32}, {x, 60}, drawing::kAgent, 14);
    canvas.line({x, 16}, {x, 30}, drawing::kWall, 6);
    canvas.disc(x, 78, 10, drawing::kAgent);
    if (s.has_umbrella == 0) return;
    canvas.line({x + 16, 44}, {x + 16, 104}, drawing::kWall, 2);
    canvas.polygon({{x - 24, 100}, {x + 56, 100}, {x + 40, 118}, {x + 16, 126}, {x - 8, 118}}, drawing::kBlue);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("need_umbrella", &State::need_umbrella)
        .add("has_umbrella", &State::has_umbrella)
        .add("total_regret", &State::total_regret)
        .add("time", &State::time);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    if (rng.episode == 0) s = {};
    const u32 bits = rng.bits();
    s.need_umbrella = i32(bits & 1);
    s.has_umbrella = i32(bits >> 1 & 1);
    s.time = 0;
    draw_distractors(s, p, rng);
  }

  template <class Draws>
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Draws& rng) {
    if (s.time == 0) s.has_umbrella = *action.at<i32>(0);
    count_up(s.time);
    bool pays = false;
    if (s.time == p.chain_length) {
      pays = s.has_umbrella == s.need_umbrella;
      s.total_regret += 2 * one_if(!pays);
    } else {
      pays = (rng.bits() & 1) != 0;
    }
    draw_distractors(s, p, rng);
    return {.reward = 2 * one_if(pays) - 1, .terminated = s.time >= p.chain_length};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    f32* const obs = row.at<f32>(kObs);
    obs[0] = f32(s.need_umbrella);
    obs[1] = f32(s.has_umbrella);
    obs[2] = 1 - f32(s.time) / f32(p.chain_length);
    Rng distractors{.seed = s.distractor_seed};
    u32 word = 0;
    for (i32 i = 0; i < p.n_distractor; ++i, word >>= 1) {
      if (i % 32 == 0) word = distractors.bits();
      obs[3 + i] = f32(word & 1);
    }
    *row.at<f32, 1>(kRegret) = s.total_regret;
  }

 private:
  template <class Draws>
  ENVPOOL_FN static void draw_distractors(State& s, const Params& p, Draws& rng) {
    if (p.n_distractor == 0) return;
    const u32 high = rng.bits();
    s.distractor_seed = u64{high} << 32 | rng.bits();
  }
};

}  // namespace envpool::bsuite
