// SPDX-License-Identifier: Apache-2.0
//
// Reacher: the agent has to move the end of an arm to a goal by torques at its joints. The arm has num_joints links,
// each of length 1.
//
//   Action       f32[num_joints], torques of the joints; the space is [-1, 1], but actions are not clipped
//   Observation  f32[3 * num_joints + 2]: cos of all angles, sin of all angles, angular velocities, x and y of the goal
//   Reward       exp(-d^2), where d is the distance from the arm's end to the goal
//   Terminated   never
//   Truncated    after 100 steps
//   Reset        uniformly random angles in [-pi, pi), velocities in [-1, 1), and goal in [-num_joints, num_joints)^2
//
// A torque of 1 changes the velocity of a joint by torque_scale * dt in a step. Angles are measured from the x axis,
// not from the previous link.
//
// Reference: gymnax 1.0.1 (and 0.0.9), misc/reacher.py, after Ivy's gym. There is one difference: gymnax fails if
// num_joints is not 2.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/lanes.h"
#if ENVPOOL_HOST
#include <vector>

#include "envpool/core/canvas.h"
#endif

namespace envpool::misc {

struct Reacher {
  static constexpr const char* kName = "Reacher";
  static constexpr i32 kPixels = 400;  // side of an image

  template <template <class> class Of>
  struct ParamsOf {
    Of<i32> num_joints;
    Of<f32> torque_scale, dt;
  };
  using Params = ParamsOf<Single>;
  // In memory, this struct is followed by four arrays of num_joints numbers: angles, velocities, cosines and sines.
  struct State {
    f32 goal[2];

    ENVPOOL_FN f32* joints() { return reinterpret_cast<f32*>(this + 1); }
    ENVPOOL_FN const f32* joints() const { return reinterpret_cast<const f32*>(this + 1); }
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("num_joints", 2, "links of the arm").between(1, 256).changes_shapes().sets(&Params::num_joints);
    o.real("torque_scale", 1, "angular acceleration from a torque of 1").between(-1e6, 1e6).sets(&Params::torque_scale);
    o.real("dt", 0.05, "s, duration of a step").between(0, 1e6).sets(&Params::dt);
  }
  static void spec(const Params& p, Spec& s) {
    const size_t n = size_t(p.num_joints);
    std::vector<f64> high(3 * n + 2, 1.0);
    for (size_t i = 2 * n; i < 3 * n; ++i) high[i] = kInfinity;
    high[3 * n] = high[3 * n + 1] = p.num_joints;
    std::vector<f64> low;
    for (const f64 bound : high) low.push_back(-bound);
    s.obs<f32>("obs", {3 * p.num_joints + 2})
        .bounds(low, high)
        .doc("cos, sin and velocity of each angle, and the goal");
    s.action<f32>("action", {p.num_joints}).bounds(-1, 1).doc("torque of each joint");
    s.reward_low = 0;
    s.reward_high = 1;
    s.render_height = s.render_width = kPixels;
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    drawing::Canvas canvas(rgb, kPixels, kPixels);
    const i32 n = p.num_joints;
    const f32* const cosines = s.joints() + 2 * n;
    const f64 scale = kPixels / (2.2 * n), middle = kPixels / 2.0;
    canvas.disc(middle + s.goal[0] * scale, middle + s.goal[1] * scale, 14, drawing::kGoal);
    drawing::Point joint{middle, middle};
    for (i32 i = 0; i < n; ++i) {
      const drawing::Point end{joint.x + cosines[i] * scale, joint.y + cosines[n + i] * scale};
      canvas.line(joint, end, drawing::kBlue, 10);
      canvas.disc(joint.x, joint.y, 8, drawing::kWall);
      joint = end;
    }
    canvas.disc(joint.x, joint.y, 8, drawing::kAgent);
  }
  static void state_parts(StateParts<State>& parts) { parts.add("goal_xy", &State::goal); }
#endif
  ENVPOOL_FN static i64 extra_bytes(const Params& p) { return 4 * p.num_joints * i64(sizeof(f32)); }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    const i32 n = p.num_joints;
    f32 *const angles = s.joints(), *const velocities = angles + n;
    for (i32 i = 0; i < n; ++i) {
      angles[i] = f32(2 * kPi) * rng.uniform_f32() - f32(kPi);
      update_sincos(angles, i, n);
    }
    for (i32 i = 0; i < n; ++i) velocities[i] = 2 * rng.uniform_f32() - 1;
    for (f32& part : s.goal) part = f32(2 * n) * rng.uniform_f32() - f32(n);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 n = p.num_joints;
    const f32* const torque = action.row_of<f32>(0);
    f32 *const angles = s.joints(), *const velocities = angles + n;
    f32 x = 0, y = 0;
    for (i32 i = 0; i < n; ++i) {
      velocities[i] += p.dt * (p.torque_scale * torque[i]);
      angles[i] += p.dt * velocities[i];
      const auto [sin, cos] = update_sincos(angles, i, n);
      x += cos;
      y += sin;
    }
    x -= s.goal[0];
    y -= s.goal[1];
    return {.reward = exp(-(x * x + y * y))};
  }

  ENVPOOL_FN static void observe(const State& s, const auto& p, Row row) {
    const i32 n = first_lane(p.num_joints);
    const f32 *const velocities = s.joints() + n, *const cosines = velocities + n;
    f32* const obs = row.at<f32>(0);
    for (i32 i = 0; i < 2 * n; ++i) obs[i] = cosines[i];
    for (i32 i = 0; i < n; ++i) obs[2 * n + i] = velocities[i];
    obs[3 * n] = s.goal[0];
    obs[3 * n + 1] = s.goal[1];
  }

#if ENVPOOL_SIMD
  static constexpr int kLanes = 4;
  ENVPOOL_ALWAYS_INLINE static OutcomeLanes step_lanes(State* const* states, const auto& p, ActionRow first) {
    const i32 n = first_lane(p.num_joints);
    const f32* const torque = first.row_of<f32>(0);
    f32* joints[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) joints[lane] = states[lane]->joints();
    const auto gather_joint = [&](i32 i) { return f32x4{joints[0][i], joints[1][i], joints[2][i], joints[3][i]}; };
    const auto scatter_joint = [&](f32x4 values, i32 i) {
      for (int lane = 0; lane < kLanes; ++lane) joints[lane][i] = values[lane];
    };
    f32x4 x{}, y{};
    for (i32 i = 0; i < n; ++i) {
      const f32x4 torques{torque[i], torque[n + i], torque[2 * n + i], torque[3 * n + i]};
      const f32x4 velocity = gather_joint(n + i) + p.dt * (p.torque_scale * torques);
      const f32x4 angle = gather_joint(i) + p.dt * velocity;
      const auto [sin, cos] = sincos(angle);
      scatter_joint(angle, i);
      scatter_joint(velocity, n + i);
      scatter_joint(cos, 2 * n + i);
      scatter_joint(sin, 3 * n + i);
      x += cos;
      y += sin;
    }
    x -= f32x4{states[0]->goal[0], states[1]->goal[0], states[2]->goal[0], states[3]->goal[0]};
    y -= f32x4{states[0]->goal[1], states[1]->goal[1], states[2]->goal[1], states[3]->goal[1]};
    return {exp(-(x * x + y * y)), i32x4{}};
  }
#endif

 private:
  // Stores the cosine and sine of a new angle, for the reward and the observation.
  ENVPOOL_FN static SinCos<f32> update_sincos(f32* angles, i32 i, i32 n) {
    const SinCos<f32> values = sincos(angles[i]);
    angles[2 * n + i] = values.cos;
    angles[3 * n + i] = values.sin;
    return values;
  }
};

}  // namespace envpool::misc
