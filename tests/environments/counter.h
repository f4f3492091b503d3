// SPDX-License-Identifier: Apache-2.0
//
// A small portable environment with predictable outputs: it counts its steps, and an action ends the episode.
#pragma once

#include "envpool/core/api.h"

namespace envpool::testing {

struct Counter {
  static constexpr const char* kName = "Counter";
  struct Params {
    f32 step_reward;
    i32 width;
  };
  struct State {
    i32 count;
    u32 luck;  // drawn at each reset
  };
  enum Field { kObs, kLuck };

  static void options(OptionSpecs& specs) {
    specs.real("step_reward", 1, "reward of a step").between(-1000, 1000);
    specs.integer("width", 2, "number of elements of the observation").between(1, 1000000).changes_shapes();
    specs.text("colour", "red", "has no effect").one_of({"red", "green"});
    specs.boolean("loud", false, "has no effect");
  }
  static Params params(const OptionValues& options) {
    if (options.real("step_reward") == 13) throw std::invalid_argument("step_reward: 13 brings bad luck");
    return {f32(options.real("step_reward")), i32(options.integer("width"))};
  }
  static void spec(const Params& params, Spec& spec) {
    spec.obs<f32>("obs", {params.width}).bounds(0, kInfinity).doc("steps since the reset");
    spec.info<i64>("luck").bounds(0, 4294967295.0).doc("a word drawn at each reset");
    spec.action<i32>().categories(2).doc("1 ends the episode");
  }
  ENVPOOL_FN static void reset(State& state, const Params&, Rng& rng) { state = {0, rng.bits()}; }
  ENVPOOL_FN static Outcome step(State& state, const Params& params, ActionRow action, Rng&) {
    ++state.count;
    return {.reward = params.step_reward, .terminated = *action.at<i32>(0) == 1};
  }
  ENVPOOL_FN static void observe(const State& state, const Params& params, Row row) {
    f32* obs = row.at<f32>(kObs);
    for (i32 i = 0; i < params.width; ++i) obs[i] = f32(state.count);
    *row.at<i64, 1>(kLuck) = state.luck;
  }
};

}  // namespace envpool::testing
