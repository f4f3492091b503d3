// SPDX-License-Identifier: Apache-2.0
//
// DiscountingChain: the first action chooses the time of the only reward of the episode. Every choice pays 1 except
// one, which pays slightly more. An agent that discounts too strongly prefers the earliest reward.
//
//   Action       i32, 0 to n_actions - 1; only the action of the first step matters
//   Observation  f32[2]: the choice, -1 before it is made; steps taken / max_steps_in_episode
//   Reward       1 at step reward_timestep[choice], or optimal_return if the choice is mapping_seed modulo n_actions; 0
//                at all other steps
//   Terminated   after max_steps_in_episode (100) steps
//   Reset        no choice has been made; nothing is random
//
// I. Osband et al., "Behaviour suite for reinforcement learning" (2020), as in bsuite 0.3.5 and gymnax 0.0.9. In
// gymnax 1.0.1 the last step truncates.
#pragma once

#include "envpool/core/api.h"
#if ENVPOOL_HOST
#include <algorithm>
#include <charconv>

#include "envpool/core/canvas.h"
#endif

namespace envpool::bsuite {

struct DiscountingChain {
  static constexpr const char* kName = "DiscountingChain";
  static constexpr i32 kMaxActions = 64;
  static constexpr i32 kHeight = 160, kWidth = 400;  // of an image

  struct Params {
    i32 n_actions, mapping_seed, length;
    f32 bonus_reward;
    i32 reward_step[kMaxActions];  // the step at which each choice pays
    i32 bonus;                     // derived: the choice with the bonus
  };
  struct State {
    i32 context;  // the choice
    i32 time;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("n_actions", 5, "choices").between(1, kMaxActions).changes_shapes().sets(&Params::n_actions);
    o.integer("mapping_seed", 0, "the choice with the bonus, modulo n_actions")
        .between(0, 2147483647)
        .sets(&Params::mapping_seed);
    o.text("reward_timestep", "1 3 10 30 100", "the step at which each choice pays");
    o.real("optimal_return", 1.1, "reward of the choice with the bonus").sets(&Params::bonus_reward);
    o.integer("max_steps_in_episode", 100, "steps of an episode").between(1, 2147483647).sets(&Params::length);
  }
  static Params params(const OptionValues& v) {
    Params p{};
    p.n_actions = i32(v.integer("n_actions"));
    read_steps(v.text("reward_timestep"), p);
    return p;
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<f32>("obs", {2})
        .bounds({-1, 0}, {f64(p.n_actions - 1), 1})
        .doc("the choice, the fraction of the episode that is done");
    s.action<i32>().categories(p.n_actions).doc("the first action chooses when the reward comes");
    s.reward_low = std::min(0.0f, p.bonus_reward);
    s.reward_high = std::max(1.0f, p.bonus_reward);
    s.render_height = kHeight;
    s.render_width = kWidth;
  }
  // A line for each choice, from the first step to the last, with a disc at the step that pays. The vertical line is
  // the present step.
  static void render(const State& s, const Params& p, u8* rgb) {
    drawing::Canvas canvas(rgb, kWidth, kHeight);
    const auto at = [&](i32 step) { return 20 + (kWidth - 40) * min(f64(step) / p.length, 1.0); };
    for (i32 i = 0; i < p.n_actions; ++i) {
      const f64 y = kHeight - (i + 0.5) * kHeight / p.n_actions, x = at(p.reward_step[i]);
      canvas.line({at(0), y}, {at(p.length), y}, i == s.context ? drawing::kAgent : drawing::kEmpty, 4);
      canvas.disc(x, y, min(10.0, 0.4 * kHeight / p.n_actions), i == p.bonus ? drawing::kGoal : drawing::kWall);
    }
    canvas.line({at(max(s.time, 0)), 0}, {at(max(s.time, 0)), kHeight - 1.0}, drawing::kBlue, 2);
  }
  static void state_parts(StateParts<State>& parts) { parts.add("context", &State::context).add("time", &State::time); }
#endif

  ENVPOOL_FN static void derive(Params& p) { p.bonus = p.mapping_seed % p.n_actions; }

  ENVPOOL_FN static void reset(State& s, const Params&, Rng&) { s = {-1, 0}; }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    if (s.time == 0) s.context = *action.at<i32>(0);
    count_up(s.time);
    const i32 choice = clamp(s.context, 0, p.n_actions - 1);
    const f32 pay = choice == p.bonus ? p.bonus_reward : 1.0f;
    return {.reward = s.time == p.reward_step[choice] ? pay : 0.0f, .terminated = s.time >= p.length};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    f32* const obs = row.at<f32, 2>(0);
    obs[0] = f32(s.context);
    obs[1] = f32(s.time) / f32(p.length);
  }

#if ENVPOOL_HOST
 private:
  // Parses integers separated by spaces, at least one for each choice.
  static void read_steps(std::string_view text, Params& p) {
    const std::string shown = ": expected a step of at least 1 for each of " + std::to_string(p.n_actions) +
                              " actions, got '" + std::string(text.substr(0, 80)) + "'";
    i32 count = 0;
    for (const char *at = text.data(), *end = at + text.size(); at != end;) {
      if (*at == ' ') {
        ++at;
        continue;
      }
      i32 step = 0;
      const auto [next, error] = std::from_chars(at, end, step);
      if (error != std::errc() || step < 1) throw std::invalid_argument("reward_timestep" + shown);
      if (count < kMaxActions) p.reward_step[count] = step;
      ++count;
      at = next;
    }
    if (count < p.n_actions) throw std::invalid_argument("reward_timestep" + shown);
  }
#endif
};

}  // namespace envpool::bsuite
