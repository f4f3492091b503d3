// SPDX-License-Identifier: Apache-2.0
//
// An environment with arrays of every dtype and kind, nested names, an action with several fields, and rendering.
#pragma once

#include "envpool/core/api.h"

namespace envpool::testing {

struct AllTypes {
  static constexpr const char* kName = "AllTypes";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kSize = 8;
  struct Params {};
  struct State {
    i32 at;  // the index of the lit cell
    f32 turned[2];
    u8 noise;
  };
  enum Field { kImage, kPlace, kSpeed, kCards, kFlags, kTicks, kScore, kWide, kAlone };

#if ENVPOOL_HOST
  static void options(OptionSpecs&) {}
  static Params params(const OptionValues&) { return {}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<u8>("image", {1, kSize, kSize}).bounds(0, 255).doc("image in which one cell is lit");
    spec.obs<i32>("body.place").categories(kSize * kSize).doc("index of the lit cell");
    spec.obs<f64>("body.speed", {2}).bounds({-1, -kInfinity}, {1, kInfinity}).doc("the last turn");
    spec.obs<i32>("cards", {3}).categories(5);
    spec.obs<bool>("flags", {4});
    spec.obs<i64>("ticks", {1}).doc("unbounded");
    spec.info<f32>("score").doc("the square of the index");
    spec.info<i32>("deep.er.wide", {2, 2});
    spec.info<bool>("deep.alone");
    spec.action<i32>("move").categories(3).doc("step back, stay, step forward");
    spec.action<f32>("turn", {2}).bounds(-1, 1);
    spec.render_height = spec.render_width = kSize;
  }
#endif
  ENVPOOL_FN static void reset(State& state, const Params&, Rng& rng) {
    state = {i32(rng.below(kSize * kSize)), {0, 0}, u8(rng.below(256))};
  }
  ENVPOOL_FN static Outcome step(State& state, const Params&, ActionRow action, Rng& rng) {
    state.at = (state.at + *action.at<i32>(0) - 1 + kSize * kSize) % (kSize * kSize);
    for (int i = 0; i < 2; ++i) state.turned[i] = action.at<f32, 2>(1)[i];
    state.noise = u8(rng.below(256));
    return {.reward = f32(state.at), .terminated = state.at == 0};
  }
  ENVPOOL_FN static void observe(const State& state, const Params&, Row row) {
    u8* image = row.at<u8, kSize * kSize>(kImage);
    for (i32 i = 0; i < kSize * kSize; ++i) image[i] = i == state.at ? 255 : 0;
    *row.at<i32, 1>(kPlace) = state.at;
    for (int i = 0; i < 2; ++i) row.at<f64, 2>(kSpeed)[i] = f64(state.turned[i]);
    for (int i = 0; i < 3; ++i) row.at<i32, 3>(kCards)[i] = (state.noise >> (2 * i)) % 5;
    for (int i = 0; i < 4; ++i) row.at<bool, 4>(kFlags)[i] = (state.noise >> i & 1) != 0;
    *row.at<i64, 1>(kTicks) = i64(state.at) << 40;
    *row.at<f32, 1>(kScore) = f32(state.at) * f32(state.at);
    for (int i = 0; i < 4; ++i) row.at<i32, 4>(kWide)[i] = state.at + i;
    *row.at<bool, 1>(kAlone) = state.at % 2 == 0;
  }
  static void render(const State& state, const Params&, u8* rgb) {
    for (i32 i = 0; i < kSize * kSize * 3; ++i) rgb[i] = i / 3 == state.at ? 255 : u8(i % 3);
  }
};

}  // namespace envpool::testing
