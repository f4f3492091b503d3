// SPDX-License-Identifier: Apache-2.0
//
// GaussianBandit: one arm always pays 0, and the other pays a normally distributed reward with an unknown mean.
//
//   Action       i32, the arm: 0 pays 0, 1 a random reward
//   Observation  f32[4]: the last reward; 1 if the last arm was 0; 1 if the last arm was 1; and the number of steps.
//                With `normalize_time`, it is scaled linearly, so that 0 becomes -1 and 100 becomes 1
//   Reward       0 for arm 0; for arm 1 normal with mean mu and standard deviation sigma_l
//   Terminated   never
//   Truncated    after 100 steps
//   Reset        mu is normal with mean mean_mu and standard deviation sigma_p; the last reward and the last arm are 0
//
// R. T. Lange, H. Sprekeler, "Learning not to learn: nature versus nurture in silico" (2022). Reference: gymnax 1.0.1
// (and 0.0.9), misc/gaussian_bandit.py.
#pragma once

#include "envpool/core/api.h"
#include "envpool/misc/clock.h"
#include "envpool/misc/normal.h"
#if ENVPOOL_HOST
#include "envpool/misc/draw.h"
#endif

namespace envpool::misc {

struct GaussianBandit {
  static constexpr const char* kName = "GaussianBandit";

  struct Params {
    f32 mean_mu, sigma_p, sigma_l;
    bool normalize_time;
  };
  struct State {
    f32 mu, last_reward;
    i32 last_action, time;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.real("mean_mu", -1, "mean of mu").between(-1e18, 1e18).sets(&Params::mean_mu);
    o.real("sigma_p", 1, "standard deviation of mu, which is drawn in each episode")
        .between(0, 1e18)
        .sets(&Params::sigma_p);
    o.real("sigma_l", 0.1, "standard deviation of arm 1's reward, which is drawn in each step")
        .between(0, 1e18)
        .sets(&Params::sigma_l);
    o.boolean("normalize_time", true, "observe the scaled time instead of the number of steps")
        .sets(&Params::normalize_time);
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<f32>("obs", {4})
        .bounds({-kInfinity, 0, 0, p.normalize_time ? -1.0 : 0.0}, {kInfinity, 1, 1, kInfinity})
        .doc("last reward, last arm was 0, last arm was 1, time");
    s.action<i32>().categories(2).doc("the arm: 0 pays 0, 1 a random reward");
    s.render_height = kArmsHeight;
    s.render_width = kArmsWidth;
  }
  static void render(const State& s, const Params&, u8* rgb) { draw_arms(rgb, s.last_action, s.last_reward); }
  static void state_parts(StateParts<State>& parts) {
    parts.add("mu", &State::mu)
        .add("last_action", &State::last_action)
        .add("last_reward", &State::last_reward)
        .add("time", &State::time);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {p.mean_mu + number<f32>(rng.bits()) * p.sigma_p, 0, 0, 0};
  }

  // Returns the normal variate that a step computes from a random word.
  template <class T, class Words>
  ENVPOOL_ALWAYS_INLINE static T number(Words words) {
    return normal<T>(words);
  }

  template <class Draws>
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Draws& rng) {
    s.last_action = *action.at<i32>(0);
    const bool pays = s.last_action != 0;
    const f32 amount = s.mu + rng.template number_if<GaussianBandit>(pays) * p.sigma_l;
    s.last_reward = keep_if(pays, amount);
    count_up(s.time);
    return {.reward = s.last_reward};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    f32* const obs = row.at<f32, 4>(0);
    obs[0] = s.last_reward;
    obs[1] = one_if(s.last_action == 0);
    obs[2] = one_if(s.last_action == 1);
    obs[3] = p.normalize_time ? scaled_time(s.time) : f32(s.time);
  }
};

}  // namespace envpool::misc
