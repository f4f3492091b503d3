// SPDX-License-Identifier: Apache-2.0
//
// CartPole: a pole is hinged to a cart on a frictionless track; the goal is to keep it upright by pushing the cart left
// or right.
//
//   Action       i32, 0 pushes left, 1 right
//   Observation  f32[4]: cart position, cart velocity, pole angle (0 is upright), pole angular velocity
//   Reward       1 for each step, including the last; with sutton_barto_reward, -1 for the step that ends the episode
//                and 0 for all others
//   Terminated   |position| > 2.4 or |angle| > 12 degrees
//   Truncated    after 200 steps (v0), 500 (v1)
//   Reset        all four values are uniformly random in [-0.05, 0.05)
//
// Barto, Sutton, Anderson, "Neuronlike adaptive elements that can solve difficult learning control problems" (1983),
// with the equations of motion of R. Florian, "Correct equations for the dynamics of the cart-pole system" (2007).
// Reference: gymnasium 1.4.0, classic_control/cartpole.py. The operations and their order are the same.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/lanes.h"
#if ENVPOOL_HOST
#include "envpool/classic_control/draw.h"
#endif

namespace envpool::classic_control {

struct CartPole {
  static constexpr const char* kName = "CartPole";

  template <template <class> class Of>
  struct ParamsOf {
    Of<f64> gravity, cart_mass, pole_mass, length, force, tau, position_limit, angle_limit;
    Of<bool> semi_implicit, sutton_barto_reward;
    Of<f64> total_mass, pole_moment;  // derived
  };
  using Params = ParamsOf<Single>;
  template <class T>
  struct Motion {
    T position, velocity, angle, angular_velocity;
  };
  using State = Motion<f64>;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.real("gravity", 9.8, "m/s^2, downwards").sets(&Params::gravity);
    o.real("masscart", 1.0, "kg").between(1e-6, 1e6).sets(&Params::cart_mass);
    o.real("masspole", 0.1, "kg").between(1e-6, 1e6).sets(&Params::pole_mass);
    o.real("length", 0.5, "m, half of the pole's length").between(1e-6, 1e6).sets(&Params::length);
    o.real("force_mag", 10.0, "N, force of a push").sets(&Params::force);
    o.real("tau", 0.02, "s, duration of a step").between(1e-6, 1).sets(&Params::tau);
    o.real("x_threshold", 2.4, "m, position beyond which the episode ends")
        .between(0, 1e6)
        .sets(&Params::position_limit);
    o.real("theta_threshold_radians", 12 * 2 * kPi / 360, "rad, angle beyond which the episode ends")
        .between(0, kPi)
        .sets(&Params::angle_limit);
    o.text("kinematics_integrator", "euler", "Euler method that integrates velocities into positions")
        .one_of({"euler", "semi-implicit"})
        .sets(&Params::semi_implicit);
    o.boolean("sutton_barto_reward", false, "reward -1 on the step that ends the episode, 0 on all others")
        .sets(&Params::sutton_barto_reward);
  }
  static void spec(const Params& p, Spec& s) {
    const f64 position = f32(p.position_limit * 2), angle = f32(p.angle_limit * 2);
    s.obs<f32>("obs", {4})
        .bounds({-position, -kInfinity, -angle, -kInfinity}, {position, kInfinity, angle, kInfinity})
        .doc("cart position, cart velocity, pole angle, pole angular velocity");
    s.action<i32>().categories(2).doc("0 pushes left, 1 right");
    s.reward_low = p.sutton_barto_reward ? -1 : 1;
    s.reward_high = p.sutton_barto_reward ? 0 : 1;
    s.render_fps = 50;
    s.render_height = 400;
    s.render_width = 600;
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("position", &State::position)
        .add("velocity", &State::velocity)
        .add("angle", &State::angle)
        .add("angular_velocity", &State::angular_velocity);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    Canvas canvas(rgb, 600, 400);
    const f64 scale = 600 / (2 * p.position_limit), pole_width = 10, pole_length = scale * 2 * p.length;
    const f64 x = s.position * scale + 300, y = 100, axle = y + 7.5;
    canvas.box(x - 25, y - 15, x + 25, y + 15, kBlack);
    const Frame pole{x, axle, -s.angle};
    canvas.polygon({pole(-pole_width / 2, -pole_width / 2), pole(-pole_width / 2, pole_length - pole_width / 2),
                    pole(pole_width / 2, pole_length - pole_width / 2), pole(pole_width / 2, -pole_width / 2)},
                   {202, 152, 101});
    canvas.disc(x, axle, pole_width / 2, {129, 132, 203});
    canvas.line({0, y}, {600, y}, kBlack);
  }
#endif

  ENVPOOL_ALWAYS_INLINE static void derive(auto& p) {
    p.total_mass = p.pole_mass + p.cart_mass;
    p.pole_moment = p.pole_mass * p.length;
  }

  ENVPOOL_FN static void reset(State& s, const Params&, Rng& rng) {
    f64 start[4];
    rng.uniforms(-0.05, 0.05, start);
    s = {start[0], start[1], start[2], start[3]};
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    advance(s, p, *action.at<i32>(0) == 1 ? p.force : -p.force);
    const bool fell = fabs(s.position) > p.position_limit || fabs(s.angle) > p.angle_limit;
    return {.reward = reward<f32>(p, fell), .terminated = fell};
  }

  ENVPOOL_FN static void observe(const State& s, const auto&, Row row) {
    f32* const obs = row.at<f32, 4>(0);
    obs[0] = f32(s.position);
    obs[1] = f32(s.velocity);
    obs[2] = f32(s.angle);
    obs[3] = f32(s.angular_velocity);
  }

#if ENVPOOL_SIMD
  static constexpr int kLanes = 4;
  ENVPOOL_ALWAYS_INLINE static OutcomeLanes step_lanes(State* const* states, const auto& p, ActionRow first) {
    const i32* const action = first.at<i32>(0);
    const i64x4 right = {-(action[0] == 1), -(action[1] == 1), -(action[2] == 1), -(action[3] == 1)};
    Motion<f64x4> s{gather(states, &State::position), gather(states, &State::velocity), gather(states, &State::angle),
                    gather(states, &State::angular_velocity)};
    const f64x4 force = in_all_lanes(p.force);
    advance(s, p, select(right, force, -force));
    scatter(s.position, states, &State::position);
    scatter(s.velocity, states, &State::velocity);
    scatter(s.angle, states, &State::angle);
    scatter(s.angular_velocity, states, &State::angular_velocity);
    const i32x4 fell = to_i32((fabs(s.position) > p.position_limit) | (fabs(s.angle) > p.angle_limit));
    return {reward<f32x4>(p, fell), fell};
  }
#endif

 private:
  template <class T>
  ENVPOOL_ALWAYS_INLINE static void advance(Motion<T>& s, const auto& p, T force) {
    const auto [sin, cos] = sincos(s.angle);
    const T push = (force + p.pole_moment * (s.angular_velocity * s.angular_velocity) * sin) / p.total_mass;
    const T angular_acceleration =
        (p.gravity * sin - cos * push) / (p.length * (4.0 / 3.0 - p.pole_mass * (cos * cos) / p.total_mass));
    const T acceleration = push - p.pole_moment * angular_acceleration * cos / p.total_mass;

    const T velocity = s.velocity + p.tau * acceleration,
            angular_velocity = s.angular_velocity + p.tau * angular_acceleration;
    s.position += p.tau * select(p.semi_implicit, velocity, s.velocity);
    s.angle += p.tau * select(p.semi_implicit, angular_velocity, s.angular_velocity);
    s.velocity = velocity;
    s.angular_velocity = angular_velocity;
  }
  template <class T>
  ENVPOOL_ALWAYS_INLINE static T reward(const auto& p, Mask<T> fell) {
    return select(p.sutton_barto_reward, select(fell, T{} - 1, T{}), T{} + 1);
  }
};

}  // namespace envpool::classic_control
