// SPDX-License-Identifier: Apache-2.0
//
// Acrobot: two links hang in a chain with a motor at the joint between them; the goal is to swing the free end above a
// line.
//
//   Action       i32, 0, 1 or 2: a torque of -1, 0 or 1 N m at the joint
//   Observation  f32[6]: cos and sin of the first link's angle (0 is down), cos and sin of the second link's angle
//                relative to the first, and the two angular velocities (at most 4 pi and 9 pi)
//   Info         state f32[2]: the two angles
//   Reward       -1 for each step, but 0 for the step that reaches the line
//   Terminated   -cos(angle 1) - cos(angle 1 + angle 2) > 1
//   Truncated    after 500 steps
//   Reset        both angles and velocities are uniformly random in [-0.1, 0.1), as float32
//
// R. Sutton, "Generalization in reinforcement learning: successful examples using sparse coarse coding", NIPS 1996. The
// equations of motion come from Sutton and Barto's book or, with book_or_nips = "nips", from the paper.
// Reference: gymnasium 1.4.0, classic_control/acrobot.py. The operations and their order are the same.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/lanes.h"
#if ENVPOOL_HOST
#include "envpool/classic_control/draw.h"
#endif

namespace envpool::classic_control {

struct Acrobot {
  static constexpr const char* kName = "Acrobot";
  static constexpr f64 kMaxVelocity1 = 4 * kPi, kMaxVelocity2 = 9 * kPi;
  static constexpr f64 kLength = 1, kMass = 1, kCenter = 0.5, kInertia = 1, kGravity = 9.8,
                       kStep = 0.2;  // kLength to kInertia are of each link

  template <template <class> class Of>
  struct ParamsOf {
    Of<f64> torque_noise;
    Of<bool> nips;
  };
  using Params = ParamsOf<Single>;
  template <class T>
  struct Motion {
    T angle1, angle2, velocity1, velocity2;
  };
  using State = Motion<f64>;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.text("book_or_nips", "book", "source of the equations of motion: the book or the NIPS paper")
        .one_of({"book", "nips"})
        .sets(&Params::nips);
    o.real("torque_noise_max", 0, "bound of the uniform noise that is added to the torque")
        .between(0, 1e6)
        .sets(&Params::torque_noise);
  }
  static void spec(const Params&, Spec& s) {
    const f64 velocity1 = f32(kMaxVelocity1), velocity2 = f32(kMaxVelocity2);
    s.obs<f32>("obs", {6})
        .bounds({-1, -1, -1, -1, -velocity1, -velocity2}, {1, 1, 1, 1, velocity1, velocity2})
        .doc("cos and sin of angle 1, cos and sin of angle 2, their velocities");
    s.info<f32>("state", {2}).doc("the two angles");
    s.action<i32>().categories(3).doc("torque at the joint in N m, plus 1");
    s.reward_low = -1;
    s.reward_high = 0;
    s.render_fps = 15;
    s.render_height = s.render_width = 500;
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("angle1", &State::angle1)
        .add("angle2", &State::angle2)
        .add("velocity1", &State::velocity1)
        .add("velocity2", &State::velocity2);
  }
  static void render(const State& s, const Params&, u8* rgb) {
    Canvas canvas(rgb, 500, 500);
    constexpr f64 scale = 500 / 4.4, half = 0.1 * scale;
    canvas.line({0, 250 + scale}, {500, 250 + scale}, kBlack);
    Point joint{250, 250};
    for (const f64 angle : {s.angle1 - kPi / 2, s.angle1 + s.angle2 - kPi / 2}) {
      const Frame link{joint.x, joint.y, angle};
      canvas.polygon({link(0, -half), link(0, half), link(scale, half), link(scale, -half)}, {0, 204, 204});
      canvas.disc(joint.x, joint.y, half, {204, 204, 0});
      joint = link(scale, 0);
    }
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params&, Rng& rng) {
    s.angle1 = f32(rng.uniform(-0.1, 0.1));
    s.angle2 = f32(rng.uniform(-0.1, 0.1));
    s.velocity1 = f32(rng.uniform(-0.1, 0.1));
    s.velocity2 = f32(rng.uniform(-0.1, 0.1));
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    f64 torque = *action.at<i32>(0) - 1;
    if (p.torque_noise > 0) torque += rng.uniform(-p.torque_noise, p.torque_noise);
    const bool reached = advance(s, torque, p);
    return {.reward = reached ? 0.0f : -1.0f, .terminated = reached};
  }

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) {
    f32* const obs = row.at<f32, 6>(0);
    f32* const angles = row.at<f32, 2>(1);
    const auto [sin1, cos1] = sincos(s.angle1);
    const auto [sin2, cos2] = sincos(s.angle2);
    obs[0] = f32(cos1);
    obs[1] = f32(sin1);
    obs[2] = f32(cos2);
    obs[3] = f32(sin2);
    obs[4] = f32(s.velocity1);
    obs[5] = f32(s.velocity2);
    angles[0] = f32(s.angle1);
    angles[1] = f32(s.angle2);
  }

#if ENVPOOL_SIMD
  static constexpr int kLanes = 4;
  ENVPOOL_ALWAYS_INLINE static bool in_lanes(const auto& p) { return !any(p.torque_noise > 0.0); }
  ENVPOOL_ALWAYS_INLINE static OutcomeLanes step_lanes(State* const* states, const auto& p, ActionRow first) {
    Motion<f64x4> s{gather(states, &State::angle1), gather(states, &State::angle2), gather(states, &State::velocity1),
                    gather(states, &State::velocity2)};
    const i32x4 reached = to_i32(advance(s, to_f64(load(first.at<i32>(0)) - 1), p));
    scatter(s.angle1, states, &State::angle1);
    scatter(s.angle2, states, &State::angle2);
    scatter(s.velocity1, states, &State::velocity1);
    scatter(s.velocity2, states, &State::velocity2);
    return {select(reached, f32x4{}, f32x4{} - 1), reached};
  }
  ENVPOOL_ALWAYS_INLINE static void observe_lanes(const State* const* states, const auto&, Row first) {
    const f64x4 angle1 = gather(states, &State::angle1), angle2 = gather(states, &State::angle2);
    const auto [sin1, cos1] = sincos(angle1);
    const auto [sin2, cos2] = sincos(angle2);
    store_rows(first.at<f32, 6>(0), cos1, sin1, cos2, sin2, gather(states, &State::velocity1),
               gather(states, &State::velocity2));
    store_rows(first.at<f32, 2>(1), angle1, angle2);
  }
#endif

 private:
  // Integrates one step. Returns whether the free end is above the line.
  template <class T>
  ENVPOOL_ALWAYS_INLINE static Mask<T> advance(Motion<T>& s, T torque, const auto& p) {
    const Motion<T> k1 = derivative(s, torque, p);  // Runge-Kutta of order four
    const Motion<T> k2 = derivative(extrapolate(s, kStep / 2, k1), torque, p);
    const Motion<T> k3 = derivative(extrapolate(s, kStep / 2, k2), torque, p);
    const Motion<T> k4 = derivative(extrapolate(s, kStep, k3), torque, p);
    s.angle1 = wrap(s.angle1 + kStep / 6 * (k1.angle1 + 2 * k2.angle1 + 2 * k3.angle1 + k4.angle1));
    s.angle2 = wrap(s.angle2 + kStep / 6 * (k1.angle2 + 2 * k2.angle2 + 2 * k3.angle2 + k4.angle2));
    s.velocity1 += kStep / 6 * (k1.velocity1 + 2 * k2.velocity1 + 2 * k3.velocity1 + k4.velocity1);
    s.velocity2 += kStep / 6 * (k1.velocity2 + 2 * k2.velocity2 + 2 * k3.velocity2 + k4.velocity2);
    s.velocity1 = clamp(s.velocity1, -kMaxVelocity1, kMaxVelocity1);
    s.velocity2 = clamp(s.velocity2, -kMaxVelocity2, kMaxVelocity2);
    return -cos(s.angle1) - cos(s.angle2 + s.angle1) > 1.0;
  }
  // Returns the time derivative of the state.
  template <class T>
  ENVPOOL_ALWAYS_INLINE static Motion<T> derivative(const Motion<T>& s, T torque, const auto& p) {
    const auto [sin2, cos2] = sincos(s.angle2);
    const f64 length_center = kLength * kCenter;
    const T d1 = kMass * (kCenter * kCenter) +
                 kMass * (kLength * kLength + kCenter * kCenter + 2 * length_center * cos2) + kInertia + kInertia;
    const T d2 = kMass * (kCenter * kCenter + length_center * cos2) + kInertia;
    const T phi2 = kMass * kCenter * kGravity * cos(s.angle1 + s.angle2 - kPi / 2);
    const T phi1 = -kMass * length_center * (s.velocity2 * s.velocity2) * sin2 -
                   2 * kMass * length_center * s.velocity2 * s.velocity1 * sin2 +
                   (kMass * kCenter + kMass * kLength) * kGravity * cos(s.angle1 - kPi / 2) + phi2;
    const T net_torque =
        select(p.nips, torque + d2 / d1 * phi1 - phi2,
               torque + d2 / d1 * phi1 - kMass * length_center * (s.velocity1 * s.velocity1) * sin2 - phi2);
    const T acceleration2 = net_torque / (kMass * (kCenter * kCenter) + kInertia - d2 * d2 / d1);
    return {s.velocity1, s.velocity2, -(d2 * acceleration2 + phi1) / d1, acceleration2};
  }
  template <class T>
  ENVPOOL_ALWAYS_INLINE static Motion<T> extrapolate(const Motion<T>& s, f64 time, const Motion<T>& k) {
    return {s.angle1 + time * k.angle1, s.angle2 + time * k.angle2, s.velocity1 + time * k.velocity1,
            s.velocity2 + time * k.velocity2};
  }
  // A step adds a few turns at most. The loops are bounded because a restored state may have any angle.
  template <class T>
  ENVPOOL_ALWAYS_INLINE static T wrap(T angle) {
    for (int turn = 0; turn < 64 && any(angle > kPi); ++turn) angle = select(angle > kPi, angle - 2 * kPi, angle);
    for (int turn = 0; turn < 64 && any(angle < -kPi); ++turn) angle = select(angle < -kPi, angle + 2 * kPi, angle);
    return angle;
  }
};

}  // namespace envpool::classic_control
