// SPDX-License-Identifier: Apache-2.0
//
// Pendulum: the goal is to swing a rod up with a motor that is too weak to lift it directly, and to keep it upright.
//
//   Action       f32[1], torque, clipped to [-2, 2] N m
//   Observation  f32[3]: cos(angle), sin(angle), angular velocity (at most 8 rad/s); angle 0 is upright
//   Reward       -(angle^2 + 0.1 velocity^2 + 0.001 torque^2) of the state before the step, with the angle in [-pi, pi)
//   Terminated   never
//   Truncated    after 200 steps
//   Reset        the angle is uniformly random in [-pi, pi), the velocity in [-1, 1)
//
// A step computes a new velocity, limits it to 8 rad/s and integrates the angle. v1 integrates with the limited
// velocity; v0 uses the velocity before the limit, as gym's Pendulum-v0 did.
// Reference: gymnasium 1.4.0, classic_control/pendulum.py. The operations and their order are the same. The torque is a
// float32 there, so values computed only from it are float32 here, too.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/lanes.h"
#if ENVPOOL_HOST
#include "envpool/classic_control/draw.h"
#endif

namespace envpool::classic_control {

struct Pendulum {
  static constexpr const char* kName = "Pendulum";
  static constexpr f64 kMaxSpeed = 8, kStep = 0.05;
  static constexpr f32 kMaxTorque = 2;

  template <template <class> class Of>
  struct ParamsOf {
    Of<f64> g, mass, length;
    Of<bool> limit_first;
    // Derived: the angular acceleration that gravity causes when the rod is horizontal, and that of a torque of 1 N m.
    Of<f64> gravity;
    Of<f32> torque;
  };
  using Params = ParamsOf<Single>;
  struct State {
    f64 angle, angular_velocity;
    f32 torque;  // of the last action, for rendering
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("version", 0, "version of the dynamics, as in the id").between(0, 1).sets(&Params::limit_first);
    o.real("g", 10.0, "m/s^2, downwards").sets(&Params::g);
    o.real("m", 1.0, "kg, mass of the rod").between(1e-6, 1e6).sets(&Params::mass);
    o.real("l", 1.0, "m, length of the rod").between(1e-6, 1e6).sets(&Params::length);
  }
  static void spec(const Params&, Spec& s) {
    s.obs<f32>("obs", {3}).bounds({-1, -1, -kMaxSpeed}, {1, 1, kMaxSpeed}).doc("cos(angle), sin(angle), velocity");
    s.action<f32>("action", {1}).bounds(-kMaxTorque, kMaxTorque).doc("torque, N m");
    s.reward_low = -(kPi * kPi + 0.1 * kMaxSpeed * kMaxSpeed + 0.001 * kMaxTorque * kMaxTorque);
    s.reward_high = 0;
    s.render_height = s.render_width = 500;
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("angle", &State::angle).add("angular_velocity", &State::angular_velocity).add("torque", &State::torque);
  }
  static void render(const State& s, const Params&, u8* rgb) {
    Canvas canvas(rgb, 500, 500);
    constexpr f64 scale = 500 / 4.4, half = 0.1 * scale, middle = 250;
    constexpr Color red{204, 77, 77};
    const Frame rod{middle, middle, s.angle + kPi / 2};
    const Point end = rod(scale, 0);
    canvas.polygon({rod(0, -half), rod(0, half), rod(scale, half), rod(scale, -half)}, red);
    canvas.disc(middle, middle, half, red);
    canvas.disc(end.x, end.y, half, red);
    if (s.torque != 0) canvas.arc_arrow(middle, middle, scale * 0.25 * fabs(s.torque), s.torque > 0, kBlack);
    canvas.disc(middle, middle, 0.05 * scale, kBlack);
  }
#endif

  ENVPOOL_ALWAYS_INLINE static void derive(auto& p) {
    p.gravity = 3 * p.g / (2 * p.length);
    p.torque = to_f32(3.0 / (p.mass * (p.length * p.length)));
  }

  ENVPOOL_FN static void reset(State& s, const Params&, Rng& rng) {
    s.angle = rng.uniform(-kPi, kPi);
    s.angular_velocity = rng.uniform(-1, 1);
    s.torque = 0;
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    s.torque = clamp(*action.at<f32>(0), -kMaxTorque, kMaxTorque);
    const f64 cost =
        advance(s.angle, s.angular_velocity, p, f64(p.torque * s.torque), f64(0.001f * (s.torque * s.torque)));
    return {.reward = f32(-cost)};
  }

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) {
    f32* const obs = row.at<f32, 3>(0);
    const auto [sin, cos] = sincos(s.angle);
    obs[0] = f32(cos);
    obs[1] = f32(sin);
    obs[2] = f32(s.angular_velocity);
  }

#if ENVPOOL_SIMD
  static constexpr int kLanes = 4;
  ENVPOOL_ALWAYS_INLINE static OutcomeLanes step_lanes(State* const* states, const auto& p, ActionRow first) {
    const f32x4 torque = clamp(load(first.at<f32>(0)), -kMaxTorque, kMaxTorque);
    f64x4 angle = gather(states, &State::angle), angular_velocity = gather(states, &State::angular_velocity);
    const f64x4 cost =
        advance(angle, angular_velocity, p, to_f64(p.torque * torque), to_f64(0.001f * (torque * torque)));
    scatter(angle, states, &State::angle);
    scatter(angular_velocity, states, &State::angular_velocity);
    scatter(torque, states, &State::torque);
    return {to_f32(-cost), i32x4{}};
  }
  ENVPOOL_ALWAYS_INLINE static void observe_lanes(const State* const* states, const auto&, Row first) {
    const auto [sin, cos] = sincos(gather(states, &State::angle));
    store_rows(first.at<f32, 3>(0), cos, sin, gather(states, &State::angular_velocity));
  }
#endif

 private:
  // Integrates one step. Returns the cost of the state before it.
  template <class T>
  ENVPOOL_ALWAYS_INLINE static T advance(T& angle, T& angular_velocity, const auto& p, T torque, T torque_cost) {
    const T remainder = fmod(angle + kPi, 2 * kPi);
    const T normalized = select(remainder < 0.0, remainder + 2 * kPi, remainder) - kPi;
    const T cost = normalized * normalized + 0.1 * (angular_velocity * angular_velocity) + torque_cost;

    const T next = angular_velocity + (p.gravity * sin(angle) + torque) * kStep;
    angular_velocity = clamp(next, -kMaxSpeed, kMaxSpeed);
    angle += select(p.limit_first, angular_velocity, next) * kStep;
    return cost;
  }
};

}  // namespace envpool::classic_control
