// SPDX-License-Identifier: Apache-2.0
//
// Swimmer: the agent has to glide to a goal and keep away from urchins.
//
//   Action       f32[2], acceleration in x and y; the space is [-1, 1], but actions are not clipped
//   Observation  f32[2 * num_urchins + 6]: x and y of each urchin, of the swimmer, of its velocity and of the goal
//   Reward       exp(-d^2 / 2), where d is the distance from the goal, times 1 - exp(-30 u^2) for each urchin at
//                distance u
//   Terminated   never
//   Truncated    after 500 steps
//   Reset        urchins, swimmer and goal are uniformly random in [-1, 1)^2; the swimmer is at rest
//
// Reference: gymnax 1.0.1 (and 0.0.9), misc/swimmer.py, after Ivy's gym.
#pragma once

#include "envpool/core/api.h"
#if ENVPOOL_HOST
#include <vector>

#include "envpool/core/canvas.h"
#endif

namespace envpool::misc {

struct Swimmer {
  static constexpr const char* kName = "Swimmer";
  static constexpr i32 kPixels = 400;  // side of an image

  struct Params {
    i32 num_urchins;
    f32 dt;
  };
  // The x and y of each urchin are stored directly after this struct.
  struct State {
    f32 xy[2], velocity[2], goal[2];

    ENVPOOL_FN f32* urchins() { return reinterpret_cast<f32*>(this + 1); }
    ENVPOOL_FN const f32* urchins() const { return reinterpret_cast<const f32*>(this + 1); }
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("num_urchins", 5, "number of urchins").between(0, 1024).changes_shapes().sets(&Params::num_urchins);
    o.real("dt", 0.05, "s, duration of a step").between(0, 1e6).sets(&Params::dt);
  }
  static void spec(const Params& p, Spec& s) {
    std::vector<f64> high(2 * size_t(p.num_urchins), 1.0);
    high.insert(high.end(), {kInfinity, kInfinity, kInfinity, kInfinity, 1.0, 1.0});
    std::vector<f64> low;
    for (const f64 bound : high) low.push_back(-bound);
    s.obs<f32>("obs", {2 * p.num_urchins + 6})
        .bounds(low, high)
        .doc("x and y of the urchins, swimmer, velocity and goal");
    s.action<f32>("action", {2}).bounds(-1, 1).doc("acceleration in x and y");
    s.reward_low = 0;
    s.reward_high = 1;
    s.render_height = s.render_width = kPixels;
  }
  static void render(const State& s, const Params& p, u8* rgb) {  // x and y from -1.5 to 1.5
    constexpr drawing::Color water{206, 226, 240};
    drawing::Canvas canvas(rgb, kPixels, kPixels);
    canvas.box(-0.5, -0.5, kPixels - 0.5, kPixels - 0.5, water);
    const auto disc = [&](const f32* xy, f64 radius, drawing::Color color) {
      canvas.disc((xy[0] + 1.5) * kPixels / 3, (xy[1] + 1.5) * kPixels / 3, radius, color);
    };
    disc(s.goal, 14, drawing::kGoal);
    for (i32 i = 0; i < p.num_urchins; ++i) disc(s.urchins() + 2 * i, 10, drawing::kWall);
    disc(s.xy, 9, drawing::kAgent);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("xy", &State::xy).add("xy_vel", &State::velocity).add("goal_xy", &State::goal);
  }
#endif
  ENVPOOL_FN static i64 extra_bytes(const Params& p) { return 2 * p.num_urchins * i64(sizeof(f32)); }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    f32* const urchins = s.urchins();
    s = {};
    for (i32 i = 0; i < 2 * p.num_urchins; ++i) urchins[i] = 2 * rng.uniform_f32() - 1;
    for (f32& part : s.xy) part = 2 * rng.uniform_f32() - 1;
    for (f32& part : s.goal) part = 2 * rng.uniform_f32() - 1;
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const f32* const acceleration = action.at<f32, 2>(0);
    for (i32 i = 0; i < 2; ++i) {
      s.velocity[i] += p.dt * acceleration[i];
      s.xy[i] += p.dt * s.velocity[i];
    }
    f32 reward = exp(-0.5f * square_distance(s.xy, s.goal));
    for (i32 i = 0; i < p.num_urchins; ++i) reward *= 1 - exp(-30 * square_distance(s.xy, s.urchins() + 2 * i));
    return {.reward = reward};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    f32* obs = row.at<f32>(0);
    for (i32 i = 0; i < 2 * p.num_urchins; ++i) *obs++ = s.urchins()[i];
    for (const f32 part : s.xy) *obs++ = part;
    for (const f32 part : s.velocity) *obs++ = part;
    for (const f32 part : s.goal) *obs++ = part;
  }

 private:
  ENVPOOL_FN static f32 square_distance(const f32* a, const f32* b) {
    const f32 x = a[0] - b[0], y = a[1] - b[1];
    return x * x + y * y;
  }
};

}  // namespace envpool::misc
