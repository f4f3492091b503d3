// SPDX-License-Identifier: Apache-2.0
//
// MemoryChain: the first observation shows bits, and the last one asks for one of them.
//
//   Action       i32, 0 or 1; only the answer in the last step matters
//   Observation  f32[2 + num_bits]: 1 - t / memory_length; the index of the queried bit if t = memory_length - 1, else
//                0; the bits as -1 and 1 if t = 0, else 0. t is 0 after a reset and after the first step, so the first
//                two observations of an episode are equal; each later step adds 1.
//   Reward       in the last step, 1 if the action equals the queried bit, else -1; before that, 0
//   Terminated   after memory_length + 1 steps
//   Truncated    after 1000 steps
//   Info         total_perfect: the number of correct answers; total_regret: 2 for each wrong answer. Both accumulate
//                over episodes until a reset with a seed or key.
//   Reset        the bits and the index of the queried bit are uniformly random
//
// I. Osband et al., "Behaviour suite for reinforcement learning" (2020), as in bsuite 0.3.5 and gymnax 1.0.1. gymnax
// 0.0.9 accepts only one bit.
#pragma once

#include "envpool/core/api.h"
#if ENVPOOL_HOST
#include "envpool/core/canvas.h"
#endif

namespace envpool::bsuite {

struct MemoryChain {
  static constexpr const char* kName = "MemoryChain";
  static constexpr i32 kHeight = 160, kWidth = 400;  // of an image

  struct Params {
    i32 num_bits, memory_length;
  };
  struct State {
    u64 context;  // the bits, the first one in the lowest bit
    i32 query, time;
    i32 total_perfect;
    f32 total_regret;
  };
  enum Field { kObs, kPerfect, kRegret };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("num_bits", 1, "bits to remember").between(1, 64).changes_shapes().sets(&Params::num_bits);
    o.integer("memory_length", 5, "steps before the answer").between(1, 1 << 30).sets(&Params::memory_length);
  }
  static void spec(const Params& p, Spec& s) {
    std::vector<f64> low(size_t(p.num_bits) + 2, -1), high(size_t(p.num_bits) + 2, 1);
    low[0] = low[1] = 0;
    high[1] = p.num_bits - 1;
    s.obs<f32>("obs", {p.num_bits + 2}).bounds(low, high).doc("time left, index of the queried bit, the bits");
    s.info<i32>("total_perfect").bounds(0, kInfinity).doc("correct answers");
    s.info<f32>("total_regret").bounds(0, kInfinity).doc("2 for each wrong answer");
    s.action<i32>().categories(2).doc("the answer: 0 or 1");
    s.reward_low = -1;
    s.reward_high = 1;
    s.render_height = kHeight;
    s.render_width = kWidth;
  }
  // The bits while they are shown, an empty square for each bit that is hidden, a frame around the queried bit, and the
  // time below.
  static void render(const State& s, const Params& p, u8* rgb) {
    drawing::Canvas canvas(rgb, kWidth, kHeight);
    const i32 time = max(s.time, 1) - 1;
    const f64 step = min(60.0, (kWidth - 40.0) / p.num_bits), left = (kWidth - step * p.num_bits) / 2;
    for (i32 i = 0; i < p.num_bits; ++i) {
      const f64 x = left + i * step, inset = 0.1 * step;
      if (time == p.memory_length - 1 && i == s.query) {
        canvas.box(x, 60, x + step, 60 + step, drawing::kAgent);
      }
      canvas.box(x + inset, 60 + inset, x + step - inset, 60 + step - inset,
                 time > 0 ? drawing::kEmpty : (bit(s, i) != 0 ? drawing::kGoal : drawing::kWall));
    }
    const f64 done = min(f64(time) / p.memory_length, 1.0);
    canvas.line({20, 30}, {kWidth - 20.0, 30}, drawing::kEmpty, 8);
    canvas.line({20, 30}, {20 + (kWidth - 40) * done, 30}, drawing::kBlue, 8);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("query", &State::query)
        .add("time", &State::time)
        .add("total_perfect", &State::total_perfect)
        .add("total_regret", &State::total_regret);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    if (rng.episode == 0) s = {};
    s.context = rng.bits();
    if (p.num_bits > 32) s.context |= u64{rng.bits()} << 32;
    if (p.num_bits == 1) {
      ++rng.draws;  // This has the effect of below(1), which would draw a word and return 0.
      s.query = 0;
    } else {
      s.query = i32(rng.below(u32(p.num_bits)));
    }
    s.time = 0;
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const bool answers = s.time >= p.memory_length;
    count_up(s.time);
    Outcome outcome{.reward = 0, .terminated = s.time > p.memory_length};
    if (answers) {
      const bool correct = *action.at<i32>(0) == bit(s, s.query);
      outcome.reward = 2 * one_if(correct) - 1;
      count_up(s.total_perfect, correct);
      s.total_regret += 2 * one_if(!correct);
    }
    return outcome;
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    f32* const obs = row.at<f32>(kObs);
    const i32 time = max(s.time, 1) - 1;
    obs[0] = 1 - f32(time) / f32(p.memory_length);
    obs[1] = time == p.memory_length - 1 ? f32(s.query) : 0.0f;
    for (i32 i = 0; i < p.num_bits; ++i) obs[2 + i] = time == 0 ? f32(2 * bit(s, i) - 1) : 0.0f;
    *row.at<i32, 1>(kPerfect) = s.total_perfect;
    *row.at<f32, 1>(kRegret) = s.total_regret;
  }

 private:
  ENVPOOL_FN static i32 bit(const State& s, i32 index) { return i32(s.context >> (index & 63) & 1); }
};

}  // namespace envpool::bsuite
