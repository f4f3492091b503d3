// SPDX-License-Identifier: Apache-2.0
//
// BernoulliBandit: two arms that pay with unknown probabilities; the agent has to find out which one is better.
//
//   Action       i32, the arm
//   Observation  f32[4]: the last reward; 1 if the last arm was 0; 1 if the last arm was 1; and the number of steps.
//                With `normalize_time`, it is scaled linearly, so that 0 becomes min_lim and t_max becomes max_lim
//   Reward       1 with the arm's probability, else 0
//   Terminated   never
//   Truncated    after 100 steps
//   Reset        one arm, which is arm 0 or 1 with equal probability, pays with probability reward_prob, and the other
//                with 1 - reward_prob. The last reward and the last arm are 0
//
// J. X. Wang et al., "Learning to reinforcement learn" (2016). Reference: gymnax 1.0.1 (and 0.0.9, where the reward is
// an integer), misc/bernoulli_bandit.py.
#pragma once

#include "envpool/core/api.h"
#include "envpool/misc/clock.h"
#if ENVPOOL_HOST
#include "envpool/misc/draw.h"
#endif

namespace envpool::misc {

struct BernoulliBandit {
  static constexpr const char* kName = "BernoulliBandit";

  struct Params {
    f32 probability;
    f32 min_time, max_time, time_scale;
    bool normalize_time;
  };
  struct State {
    f32 probability[2];
    f32 last_reward;
    i32 last_action, time;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.real("reward_prob", 0.1, "probability that one arm pays; the other pays with 1 - reward_prob")
        .between(0, 1)
        .sets(&Params::probability);
    o.boolean("normalize_time", true, "observe the scaled time instead of the number of steps")
        .sets(&Params::normalize_time);
    o.real("min_lim", -1, "scaled time at the start").sets(&Params::min_time);
    o.real("max_lim", 1, "scaled time after t_max steps").sets(&Params::max_time);
    o.integer("t_max", 100, "steps until the scaled time is max_lim").between(1, 1 << 24).sets(&Params::time_scale);
  }
  static void spec(const Params& p, Spec& s) {
    const f64 first = p.normalize_time ? p.min_time : 0;
    const bool down = p.normalize_time && p.max_time < p.min_time;
    s.obs<f32>("obs", {4})
        .bounds({0, 0, 0, down ? -kInfinity : first}, {1, 1, 1, down ? first : kInfinity})
        .doc("last reward, last arm was 0, last arm was 1, time");
    s.action<i32>().categories(2).doc("the arm");
    s.reward_low = 0;
    s.reward_high = 1;
    s.render_height = kArmsHeight;
    s.render_width = kArmsWidth;
  }
  static void render(const State& s, const Params&, u8* rgb) { draw_arms(rgb, s.last_action, s.last_reward); }
  static void state_parts(StateParts<State>& parts) {
    parts.add("reward_probs", &State::probability)
        .add("last_action", &State::last_action)
        .add("last_reward", &State::last_reward)
        .add("time", &State::time);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    const f32 first = rng.bits() & 1 ? 1 - p.probability : p.probability;
    s = {{first, 1 - first}, 0, 0, 0};
  }

  template <class Draws>
  ENVPOOL_FN static Outcome step(State& s, const Params&, ActionRow action, Draws& rng) {
    s.last_action = *action.at<i32>(0);
    s.last_reward = one_if(rng.uniform_f32() < s.probability[s.last_action & 1]);
    count_up(s.time);
    return {.reward = s.last_reward};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    f32* const obs = row.at<f32, 4>(0);
    obs[0] = s.last_reward;
    obs[1] = one_if(s.last_action == 0);
    obs[2] = one_if(s.last_action == 1);
    obs[3] = p.normalize_time ? scaled_time(s.time, p.min_time, p.max_time, p.time_scale) : f32(s.time);
  }
};

}  // namespace envpool::misc
