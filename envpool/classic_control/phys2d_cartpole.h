// SPDX-License-Identifier: Apache-2.0
//
// Phys2dCartPole: a pole is hinged to a cart; the goal is to keep it upright by pushing the cart left or right. All
// numbers are float32.
//
//   Action       i32, 0 pushes left, 1 right
//   Observation  f32[4]: cart position, cart velocity, pole angle (0 is upright), pole angular velocity
//   Reward       1 for each step, including the last; with sutton_barto_reward, 0
//   Terminated   |position| > 2.4 or |angle| > 12 degrees
//   Truncated    after 200 steps (v0), 500 (v1)
//   Reset        all four values are uniformly random in [-x_init, x_init)
//
// This environment differs from CartPole in its precision and in one constant: where the equations of motion have the
// product of the pole's mass and length, the reference has their sum, so polemass_length is 0.6. As in the reference,
// options do not depend on each other: a change of masspole, for example, does not change total_mass.
//
// Reference: gymnasium 1.4.0, phys2d/cartpole.py. The operations and their order are the same.
#pragma once

#include "envpool/core/api.h"

namespace envpool::classic_control {

struct Phys2dCartPole {
  static constexpr const char* kName = "Phys2dCartPole";

  struct Params {
    f32 gravity, pole_mass, total_mass, length, pole_moment, force, tau, angle_limit, position_limit, start;
    bool sutton_barto_reward;
  };
  struct State {
    f32 position, velocity, angle, angular_velocity;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.real("gravity", 9.8, "m/s^2, downwards").between(-1e6, 1e6).sets(&Params::gravity);
    o.real("masspole", 0.1, "kg").between(1e-6, 1e6).sets(&Params::pole_mass);
    o.real("total_mass", 1.1, "kg, mass of cart and pole together").between(1e-6, 1e6).sets(&Params::total_mass);
    o.real("length", 0.5, "m, half of the pole's length").between(1e-6, 1e6).sets(&Params::length);
    o.real("polemass_length", 0.6, "in the reference, the sum of masspole and length")
        .between(1e-6, 1e6)
        .sets(&Params::pole_moment);
    o.real("force_mag", 10.0, "N, force of a push").between(-1e6, 1e6).sets(&Params::force);
    o.real("tau", 0.02, "s, duration of a step").between(1e-6, 1).sets(&Params::tau);
    o.real("theta_threshold_radians", 12 * 2 * kPi / 360, "rad, angle beyond which the episode ends")
        .between(0, kPi)
        .sets(&Params::angle_limit);
    o.real("x_threshold", 2.4, "m, position beyond which the episode ends")
        .between(0, 1e6)
        .sets(&Params::position_limit);
    o.real("x_init", 0.05, "bound of each component of an initial state").between(0, 1e6).sets(&Params::start);
    o.boolean("sutton_barto_reward", false, "reward 0 instead of 1, as in the reference")
        .sets(&Params::sutton_barto_reward);
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<f32>("obs", {4}).doc("cart position, cart velocity, pole angle, pole angular velocity");
    s.action<i32>().categories(2).doc("0 pushes left, 1 right");
    s.reward_low = s.reward_high = reward(p);
    s.render_fps = 50;
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("position", &State::position)
        .add("velocity", &State::velocity)
        .add("angle", &State::angle)
        .add("angular_velocity", &State::angular_velocity);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    f32 start[4];
    for (f32& value : start) value = 2 * p.start * rng.uniform_f32() - p.start;
    s = {start[0], start[1], start[2], start[3]};
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const auto [sin, cos] = sincos(s.angle);
    const f32 force = *action.at<i32>(0) == 1 ? p.force : -p.force;
    const f32 push = (force + p.pole_moment * (s.angular_velocity * s.angular_velocity) * sin) / p.total_mass;
    const f32 angular_acceleration =
        (p.gravity * sin - cos * push) / (p.length * (f32(4.0 / 3.0) - p.pole_mass * (cos * cos) / p.total_mass));
    const f32 acceleration = push - p.pole_moment * angular_acceleration * cos / p.total_mass;
    s.position += p.tau * s.velocity;
    s.velocity += p.tau * acceleration;
    s.angle += p.tau * s.angular_velocity;
    s.angular_velocity += p.tau * angular_acceleration;
    return {.reward = reward(p), .terminated = fabs(s.position) > p.position_limit || fabs(s.angle) > p.angle_limit};
  }

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) {
    f32* const obs = row.at<f32, 4>(0);
    obs[0] = s.position;
    obs[1] = s.velocity;
    obs[2] = s.angle;
    obs[3] = s.angular_velocity;
  }

 private:
  ENVPOOL_FN static f32 reward(const Params& p) { return p.sutton_barto_reward ? 0.0f : 1.0f; }
};

}  // namespace envpool::classic_control
