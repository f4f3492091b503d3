// SPDX-License-Identifier: Apache-2.0
//
// MountainCarContinuous: MountainCar with a continuous throttle, whose use costs reward.
//
//   Action       f32[1], throttle; it is clipped to [-1, 1] for the motion, but not for the reward
//   Observation  f32[2]: position in [-1.2, 0.6], velocity in [-0.07, 0.07]
//   Reward       -0.1 throttle^2, and 100 on reaching the goal
//   Terminated   position >= 0.45 and velocity >= goal_velocity
//   Truncated    after 999 steps
//   Reset        the position is uniformly random in [-0.6, -0.4), the velocity 0
//
// A. Moore, "Efficient memory-based learning for robot control", PhD thesis, Cambridge (1990).
// Reference: gymnasium 1.4.0, classic_control/continuous_mountain_car.py. The operations and their order are the same.
// In the reference, the state is float64 after a reset and float32 after a step, and values computed from it have the
// same type.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/lanes.h"
#if ENVPOOL_HOST
#include "envpool/classic_control/draw.h"
#endif

namespace envpool::classic_control {

struct MountainCarContinuous {
  static constexpr const char* kName = "MountainCarContinuous";
  static constexpr f32 kLeft = -1.2f, kRight = 0.6f, kGoal = 0.45f, kMaxSpeed = 0.07f;

  template <template <class> class Of>
  struct ParamsOf {
    Of<f32> goal_velocity, power;
  };
  using Params = ParamsOf<Single>;
  struct State {
    f64 position;  // After the first step, the position is representable as float32.
    f32 velocity;
    bool moved;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.real("goal_velocity", 0, "velocity that the car must have at the flag").sets(&Params::goal_velocity);
    o.real("power", 0.0015, "velocity that full throttle adds in a step").sets(&Params::power);
  }
  static void spec(const Params&, Spec& s) {
    s.obs<f32>("obs", {2}).bounds({kLeft, -kMaxSpeed}, {kRight, kMaxSpeed}).doc("position, velocity");
    s.action<f32>("action", {1}).bounds(-1, 1).doc("throttle");
    s.reward_high = 100;
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
    s.moved = false;
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const f32 throttle = *action.at<f32>(0);
    const f64 slope = s.moved ? f64(3 * f32(s.position)) : 3 * s.position;
    const f32 position = advance(s.position, s.velocity, p, throttle, f32(0.0025 * cos(slope)));
    const bool at_goal = position >= kGoal && s.velocity >= p.goal_velocity;
    s.position = position;
    s.moved = true;
    return {.reward = f32((at_goal ? 100.0 : 0.0) - f64(throttle) * f64(throttle) * 0.1), .terminated = at_goal};
  }

  ENVPOOL_FN static void repair(State& s, const auto&) { keep_bool(s.moved); }

  ENVPOOL_FN static void observe(const State& s, const auto&, Row row) {
    f32* const obs = row.at<f32, 2>(0);
    obs[0] = f32(s.position);
    obs[1] = s.velocity;
  }

#if ENVPOOL_SIMD
  static constexpr int kLanes = 4;
  ENVPOOL_ALWAYS_INLINE static OutcomeLanes step_lanes(State* const* states, const auto& p, ActionRow first) {
    const f32x4 throttle = load(first.at<f32>(0));
    const f64x4 before = gather(states, &State::position);
    const i64x4 moved = {-i64(states[0]->moved), -i64(states[1]->moved), -i64(states[2]->moved),
                         -i64(states[3]->moved)};
    const f64x4 slope = select(moved, to_f64(3 * to_f32(before)), 3 * before);
    f32x4 velocity = gather(states, &State::velocity);
    const f32x4 position = advance(before, velocity, p, throttle, to_f32(0.0025 * cos(slope)));
    const i32x4 at_goal = (position >= kGoal) & (velocity >= p.goal_velocity);
    const f64x4 cost = to_f64(throttle) * to_f64(throttle) * 0.1;
    scatter(to_f64(position), states, &State::position);
    scatter(velocity, states, &State::velocity);
    for (int lane = 0; lane < kLanes; ++lane) states[lane]->moved = true;
    return {to_f32(to_f64(select(at_goal, f32x4{} + 100, f32x4{})) - cost), at_goal};
  }
#endif

 private:
  // Integrates one step. Returns the new position.
  template <class F64, class F32>
  ENVPOOL_ALWAYS_INLINE static F32 advance(F64 position, F32& velocity, const auto& p, F32 throttle, F32 pull) {
    velocity += clamp(throttle, -1.0f, 1.0f) * p.power - pull;
    velocity = clamp(velocity, -kMaxSpeed, kMaxSpeed);
    const F32 next = clamp(to_f32(position + to_f64(velocity)), kLeft, kRight);
    velocity = select((next == kLeft) & (velocity < 0.0f), F32{}, velocity);
    return next;
  }
};

}  // namespace envpool::classic_control
