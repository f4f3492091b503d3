// SPDX-License-Identifier: Apache-2.0
//
// Phys2dPendulum: the goal is to swing a rod up with a motor that is too weak to lift it directly, and to keep it
// upright. All numbers are float32.
//
//   Action       f32[1], torque, clipped to [-2, 2] N m
//   Observation  f32[3]: cos(angle), sin(angle), angular velocity (at most max_speed); angle 0 is upright
//   Reward       -(angle^2 + 0.1 velocity^2 + 0.001 torque^2) of the state before the step, with the angle in [-pi, pi]
//   Terminated   never
//   Truncated    after 200 steps
//   Reset        the angle is uniformly random in [-high_x, high_x), the velocity in [-high_y, high_y)
//
// This environment differs from Pendulum-v1 in its precision, and in the order in which a step multiplies.
//
// Reference: gymnasium 1.4.0, phys2d/pendulum.py. The operations and their order are the same. As in the reference,
// values computed only from options are computed in float64 and rounded once.
#pragma once

#include "envpool/core/api.h"

namespace envpool::classic_control {

struct Phys2dPendulum {
  static constexpr const char* kName = "Phys2dPendulum";
  static constexpr f32 kMaxTorque = 2;

  struct Params {
    f64 g, mass, length;
    f32 max_speed, dt, start_angle, start_velocity;
    // Derived: the angular acceleration that gravity causes when the rod is horizontal, and that of a torque of 1 N m.
    f32 gravity, torque;
  };
  struct State {
    f32 angle, angular_velocity;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.real("max_speed", 8.0, "rad/s, limit of the angular velocity").between(0, 1e6).sets(&Params::max_speed);
    o.real("dt", 0.05, "s, duration of a step").between(1e-6, 1).sets(&Params::dt);
    o.real("g", 10.0, "m/s^2, downwards").between(-1e6, 1e6).sets(&Params::g);
    o.real("m", 1.0, "kg, mass of the rod").between(1e-6, 1e6).sets(&Params::mass);
    o.real("l", 1.0, "m, length of the rod").between(1e-6, 1e6).sets(&Params::length);
    o.real("high_x", kPi, "rad, bound of the initial angle").between(0, 1e6).sets(&Params::start_angle);
    o.real("high_y", 1.0, "rad/s, bound of the initial angular velocity").between(0, 1e6).sets(&Params::start_velocity);
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<f32>("obs", {3}).doc("cos(angle), sin(angle), velocity");
    s.action<f32>("action", {1}).bounds(-kMaxTorque, kMaxTorque).doc("torque, N m");
    s.reward_low = -cost(f32(kPi), p.max_speed > p.start_velocity ? p.max_speed : p.start_velocity, kMaxTorque);
    s.reward_high = 0;
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("angle", &State::angle).add("angular_velocity", &State::angular_velocity);
  }
#endif

  ENVPOOL_FN static void derive(Params& p) {
    p.gravity = f32(3 * p.g / (2 * p.length));
    p.torque = f32(3.0 / (p.mass * (p.length * p.length)));
  }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s.angle = 2 * p.start_angle * rng.uniform_f32() - p.start_angle;
    s.angular_velocity = 2 * p.start_velocity * rng.uniform_f32() - p.start_velocity;
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    constexpr f32 kTurn = f32(2 * kPi);
    const f32 torque = clamp(*action.at<f32>(0), -kMaxTorque, kMaxTorque);
    const f32 remainder = fmod(s.angle + f32(kPi), kTurn);
    const f32 normalized = (remainder < 0 ? remainder + kTurn : remainder) - f32(kPi);
    const f32 reward = -cost(normalized, s.angular_velocity, torque);
    const f32 next = s.angular_velocity + (p.gravity * sin(s.angle) + p.torque * torque) * p.dt;
    s.angular_velocity = clamp(next, -p.max_speed, p.max_speed);
    s.angle += s.angular_velocity * p.dt;
    return {.reward = reward};
  }

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) {
    f32* const obs = row.at<f32, 3>(0);
    const auto [sin, cos] = sincos(s.angle);
    obs[0] = cos;
    obs[1] = sin;
    obs[2] = s.angular_velocity;
  }

 private:
  ENVPOOL_FN static f32 cost(f32 angle, f32 velocity, f32 torque) {
    return angle * angle + 0.1f * (velocity * velocity) + 0.001f * (torque * torque);
  }
};

}  // namespace envpool::classic_control
