// SPDX-License-Identifier: Apache-2.0
//
// An environment whose actions, observations and infos have 64-bit elements, with values that 32 bits cannot hold.
#pragma once

#include "envpool/core/api.h"

namespace envpool::testing {

struct Wide {
  static constexpr const char* kName = "Wide";
  static constexpr bool kLargeRows = true;
  struct Params {};
  struct State {
    f64 x;
    i64 n;
  };
  enum Field { kReal, kWhole, kShare, kTotal };
  enum Action { kPush, kAdd };

#if ENVPOOL_HOST
  static void options(OptionSpecs&) {}
  static Params params(const OptionValues&) { return {}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<f64>("real", {4}).doc("a number at four scales: normal, subnormal, tiny and huge as a float");
    spec.obs<i64>("whole");
    spec.info<f64>("share");
    spec.info<i64>("total", {2});
    spec.action<f64>("push", {2});
    spec.action<i64>("add");
  }
#endif
  ENVPOOL_FN static void reset(State& state, const Params&, Rng& rng) {
    state = {f64(rng.below(1000)) / 7 - 70, i64(rng.below(1u << 31)) << 20};
  }
  ENVPOOL_FN static Outcome step(State& state, const Params&, ActionRow action, Rng& rng) {
    const f64* push = action.at<f64, 2>(kPush);
    state.x = state.x / 3 + push[0] + push[1] / 7;
    state.n += *action.at<i64>(kAdd) * i64(rng.below(1u << 30));
    return {.reward = f32(state.x), .terminated = rng.below(9) == 0};
  }
  ENVPOOL_FN static void observe(const State& state, const Params&, Row row) {
    f64* real = row.at<f64, 4>(kReal);
    const f64 scales[] = {1, 1e-41, 1e-60, 1e300};
    for (int i = 0; i < 4; ++i) real[i] = state.x * scales[i];
    *row.at<i64, 1>(kWhole) = state.n;
    *row.at<f64, 1>(kShare) = state.x / 11;
    row.at<i64, 2>(kTotal)[0] = -state.n;
    row.at<i64, 2>(kTotal)[1] = state.n >> 7;
  }
};

}  // namespace envpool::testing
