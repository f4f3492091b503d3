// SPDX-License-Identifier: Apache-2.0
//
// MountainCar: a car in a valley is too weak to climb straight out, and has to gain momentum to reach the flag on the
// right hill.
//
//   Action       i32, 0 accelerates left, 1 not at all, 2 right
//   Observation  f32[2]: position in [-1.2, 0.6], velocity in [-0.07, 0.07]
//   Reward       -1 for each step
//   Terminated   position >= 0.5 and velocity >= goal_velocity
//   Truncated    after 200 steps
//   Reset        the position is uniformly random in [-0.6, -0.4), the velocity 0
//
// A. Moore, "Efficient memory-based learning for robot control", PhD thesis, Cambridge (1990).
// Reference: gymnasium 1.4.0, classic_control/mountain_car.py. The operations and their order are the same.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/lanes.h"
#if ENVPOOL_HOST
#include "envpool/classic_control/draw.h"
#endif

namespace envpool::classic_control {

struct MountainCar {
  static constexpr const char* kName = "MountainCar";
  static constexpr f64 kLeft = -1.2, kRight = 0.6, kGoal = 0.5, kMaxSpeed = 0.07;

  template <template <class> class Of>
  struct ParamsOf {
    Of<f64> goal_velocity, force, gravity;
  };
  using Params = ParamsOf<Single>;
  template <class T>
  struct Motion {
    T position, velocity;
  };
  using State = Motion<f64>;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.real("goal_velocity", 0, "velocity that the car must have at the flag").sets(&Params::goal_velocity);
    o.real("force", 0.001, "velocity that acceleration adds in a step").sets(&Params::force);
    o.real("gravity", 0.0025, "velocity that gravity adds in a step on the steepest slope").sets(&Params::gravity);
  }
  static void spec(const Params&, Spec& s) {
    s.obs<f32>("obs", {2})
        .bounds({f32(kLeft), -f32(kMaxSpeed)}, {f32(kRight), f32(kMaxSpeed)})
        .doc("position, velocity");
    s.action<i32>().categories(3).doc("0 accelerates left, 1 not at all, 2 right");
    s.reward_low = s.reward_high = -1;
    s.render_height = 400;
    s.render_width = 600;
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("position", &State::position).add("velocity", &State::velocity);
  }
  static void render(const State& s, const Params&, u8* rgb) { draw_valley(rgb, s.position, kGoal); }
#endif

  ENVPOOL_FN static void reset(State& s, const Params&, Rng& rng) {
    s.position = rng.uniform(-0.6, -0.4);
    s.velocity = 0;
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const bool at_goal = advance(s, p, f64(*action.at<i32>(0) - 1));
    return {.reward = -1, .terminated = at_goal};
  }

  ENVPOOL_FN static void observe(const State& s, const auto&, Row row) {
    f32* const obs = row.at<f32, 2>(0);
    obs[0] = f32(s.position);
    obs[1] = f32(s.velocity);
  }

#if ENVPOOL_SIMD
  static constexpr int kLanes = 4;
  ENVPOOL_ALWAYS_INLINE static OutcomeLanes step_lanes(State* const* states, const auto& p, ActionRow first) {
    Motion<f64x4> s{gather(states, &State::position), gather(states, &State::velocity)};
    const i64x4 at_goal = advance(s, p, to_f64(load(first.at<i32>(0)) - 1));
    scatter(s.position, states, &State::position);
    scatter(s.velocity, states, &State::velocity);
    return {f32x4{} - 1, to_i32(at_goal)};
  }
#endif

 private:
  // Integrates one step. Returns whether the car is at the flag and fast enough.
  template <class T>
  ENVPOOL_ALWAYS_INLINE static Mask<T> advance(Motion<T>& s, const auto& p, T throttle) {
    s.velocity += throttle * p.force + cos(3 * s.position) * -p.gravity;
    s.velocity = clamp(s.velocity, -kMaxSpeed, kMaxSpeed);
    s.position = clamp(s.position + s.velocity, kLeft, kRight);
    s.velocity = select((s.position == kLeft) & (s.velocity < 0.0), T{}, s.velocity);
    return (s.position >= kGoal) & (s.velocity >= p.goal_velocity);
  }
};

}  // namespace envpool::classic_control
