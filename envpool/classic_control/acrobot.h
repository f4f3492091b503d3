// SPDX-License-Identifier: Apache-2.0
//
// Acrobot: two links hang in a chain, a motor at the joint between them; swing the free end above the line.
//
//   Action       i32, 0, 1, 2: a torque of -1, 0, 1 N m at the joint
//   Observation  f32[6]: cos and sin of the first link's angle (0 is down), cos and sin of the second's relative to
//                the first, the two angular velocities (at most 4 pi and 9 pi)
//   Info         state f32[2]: the two angles
//   Reward       -1 each step, 0 on the one that reaches the line
//   Terminated   -cos(angle 1) - cos(angle 1 + angle 2) > 1
//   Truncated    after 500 steps
//   Reset        all four uniform in [-0.1, 0.1), as float32
//
// R. Sutton, "Generalization in reinforcement learning: successful examples using sparse coarse coding", NIPS 1996; the
// equations of motion are those of Sutton and Barto's book, or with book_or_nips = "nips" the paper's.
// Reference: gymnasium 1.4.0, classic_control/acrobot.py, operation for operation.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/lanes.h"
#if ENVPOOL_HOST
#include "envpool/classic_control/draw.h"
#endif

namespace envpool::classic_control {

struct Acrobot {
  static constexpr const char* kName = "Acrobot";
  static constexpr f64 kMaxSpin1 = 4 * kPi, kMaxSpin2 = 9 * kPi;
  static constexpr f64 kLength = 1, kMass = 1, kCenter = 0.5, kInertia = 1, kGravity = 9.8, kStep = 0.2;  // both links

  struct Params {
    f64 torque_noise;
    bool nips;
  };
  template <class T>
  struct Motion {
    T angle1, angle2, spin1, spin2;
  };
  using State = Motion<f64>;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.text("book_or_nips", "book", "whose equations of motion").one_of({"book", "nips"});
    o.real("torque_noise_max", 0, "a uniform torque of at most this is added to the action's").between(0, 1e6);
  }
  static Params params(const OptionValues& v) {
    return {.torque_noise = v.real("torque_noise_max"), .nips = v.text("book_or_nips") == "nips"};
  }
  static void spec(const Params&, Spec& s) {
    const f64 spin1 = f32(kMaxSpin1), spin2 = f32(kMaxSpin2);
    s.obs<f32>("obs", {6})
        .bounds({-1, -1, -1, -1, -spin1, -spin2}, {1, 1, 1, 1, spin1, spin2})
        .says("cos and sin of angle 1, cos and sin of angle 2, their velocities");
    s.info<f32>("state", {2}).says("the two angles");
    s.action<i32>().categories(3).says("torque at the joint, plus one");
    s.reward_low = -1;
    s.reward_high = 0;
    s.render_height = s.render_width = 500;
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("angle1", &State::angle1)
        .add("angle2", &State::angle2)
        .add("spin1", &State::spin1)
        .add("spin2", &State::spin2);
  }
  static void render(const State& s, const Params&, u8* rgb) {
    Picture picture(rgb, 500, 500);
    constexpr f64 scale = 500 / 4.4, half = 0.1 * scale;
    picture.line({0, 250 + scale}, {500, 250 + scale}, kBlack);
    Point joint{250, 250};
    for (const f64 angle : {s.angle1 - kPi / 2, s.angle1 + s.angle2 - kPi / 2}) {
      const Frame link{joint.x, joint.y, angle};
      picture.polygon({link(0, -half), link(0, half), link(scale, half), link(scale, -half)}, {0, 204, 204});
      picture.disc(joint.x, joint.y, half, {204, 204, 0});
      joint = link(scale, 0);
    }
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params&, Rng& rng) {
    s.angle1 = f32(rng.uniform(-0.1, 0.1));
    s.angle2 = f32(rng.uniform(-0.1, 0.1));
    s.spin1 = f32(rng.uniform(-0.1, 0.1));
    s.spin2 = f32(rng.uniform(-0.1, 0.1));
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    f64 torque = *action.at<i32>(0) - 1;
    if (p.torque_noise > 0) torque += rng.uniform(-p.torque_noise, p.torque_noise);
    const bool above = advance(s, torque, p);
    return {.reward = above ? 0.0f : -1.0f, .terminated = above};
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
    obs[4] = f32(s.spin1);
    obs[5] = f32(s.spin2);
    angles[0] = f32(s.angle1);
    angles[1] = f32(s.angle2);
  }

#if ENVPOOL_AVX2
  static constexpr int kLanes = 4;
  static bool in_lanes(const Params& p) { return !(p.torque_noise > 0); }
  ENVPOOL_ALWAYS_INLINE static OutcomeLanes step_lanes(State* const* states, const Params& p, ActionRow first) {
    Motion<f64x4> s{gather(states, &State::angle1), gather(states, &State::angle2), gather(states, &State::spin1),
                    gather(states, &State::spin2)};
    const i32x4 above = to_i32(advance(s, to_f64(load(first.at<i32>(0)) - 1), p));
    scatter(s.angle1, states, &State::angle1);
    scatter(s.angle2, states, &State::angle2);
    scatter(s.spin1, states, &State::spin1);
    scatter(s.spin2, states, &State::spin2);
    return {select(above, f32x4{}, f32x4{} - 1), above};
  }
  ENVPOOL_ALWAYS_INLINE static void observe_lanes(const State* const* states, const Params&, Row first) {
    const f64x4 angle1 = gather(states, &State::angle1), angle2 = gather(states, &State::angle2);
    const auto [sin1, cos1] = sincos(angle1);
    const auto [sin2, cos2] = sincos(angle2);
    store_rows(first.at<f32, 6>(0), cos1, sin1, cos2, sin2, gather(states, &State::spin1),
               gather(states, &State::spin2));
    store_rows(first.at<f32, 2>(1), angle1, angle2);
  }
#endif

 private:
  // Moves it by a step. Whether the end is above the bar.
  template <class T>
  ENVPOOL_ALWAYS_INLINE static Mask<T> advance(Motion<T>& s, T torque, const Params& p) {
    const Motion<T> k1 = slope(s, torque, p);  // Runge-Kutta of order four
    const Motion<T> k2 = slope(along(s, kStep / 2, k1), torque, p);
    const Motion<T> k3 = slope(along(s, kStep / 2, k2), torque, p);
    const Motion<T> k4 = slope(along(s, kStep, k3), torque, p);
    s.angle1 = wrap(s.angle1 + kStep / 6 * (k1.angle1 + 2 * k2.angle1 + 2 * k3.angle1 + k4.angle1));
    s.angle2 = wrap(s.angle2 + kStep / 6 * (k1.angle2 + 2 * k2.angle2 + 2 * k3.angle2 + k4.angle2));
    s.spin1 += kStep / 6 * (k1.spin1 + 2 * k2.spin1 + 2 * k3.spin1 + k4.spin1);
    s.spin2 += kStep / 6 * (k1.spin2 + 2 * k2.spin2 + 2 * k3.spin2 + k4.spin2);
    s.spin1 = clamp(s.spin1, -kMaxSpin1, kMaxSpin1);
    s.spin2 = clamp(s.spin2, -kMaxSpin2, kMaxSpin2);
    return -cos(s.angle1) - cos(s.angle2 + s.angle1) > 1.0;
  }
  // The state's derivative by time.
  template <class T>
  ENVPOOL_ALWAYS_INLINE static Motion<T> slope(const Motion<T>& s, T torque, const Params& p) {
    const auto [sin2, cos2] = sincos(s.angle2);
    const f64 reach = kLength * kCenter;
    const T d1 = kMass * (kCenter * kCenter) + kMass * (kLength * kLength + kCenter * kCenter + 2 * reach * cos2) +
                 kInertia + kInertia;
    const T d2 = kMass * (kCenter * kCenter + reach * cos2) + kInertia;
    const T phi2 = kMass * kCenter * kGravity * cos(s.angle1 + s.angle2 - kPi / 2);
    const T phi1 = -kMass * reach * (s.spin2 * s.spin2) * sin2 - 2 * kMass * reach * s.spin2 * s.spin1 * sin2 +
                   (kMass * kCenter + kMass * kLength) * kGravity * cos(s.angle1 - kPi / 2) + phi2;
    const T pull = p.nips ? torque + d2 / d1 * phi1 - phi2
                          : torque + d2 / d1 * phi1 - kMass * reach * (s.spin1 * s.spin1) * sin2 - phi2;
    const T acceleration2 = pull / (kMass * (kCenter * kCenter) + kInertia - d2 * d2 / d1);
    return {s.spin1, s.spin2, -(d2 * acceleration2 + phi1) / d1, acceleration2};
  }
  template <class T>
  ENVPOOL_ALWAYS_INLINE static Motion<T> along(const Motion<T>& s, f64 time, const Motion<T>& k) {
    return {s.angle1 + time * k.angle1, s.angle2 + time * k.angle2, s.spin1 + time * k.spin1, s.spin2 + time * k.spin2};
  }
  // A step is a few turns at most; the bound is for what a snapshot may hold.
  template <class T>
  ENVPOOL_ALWAYS_INLINE static T wrap(T angle) {
    for (int turn = 0; turn < 64 && any(angle > kPi); ++turn) angle = select(angle > kPi, angle - 2 * kPi, angle);
    for (int turn = 0; turn < 64 && any(angle < -kPi); ++turn) angle = select(angle < -kPi, angle + 2 * kPi, angle);
    return angle;
  }
};

}  // namespace envpool::classic_control
