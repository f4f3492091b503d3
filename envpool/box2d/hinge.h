// SPDX-License-Identifier: Apache-2.0
//
// Revolute joints between two moving bodies. A joint has a motor and limits of its angle. Joints are solved by
// sequential impulses.
#pragma once

#include "envpool/box2d/vec.h"

namespace envpool::box2d {

// Defines a joint between two bodies. The angle of the joint, in rad, is angle(second) - angle(first) - reference.
struct HingeDef {
  i32 first, second;
  Vec anchor_first, anchor_second;  // in the frames of the bodies
  f32 reference, low, high;
};

// The part of a joint that changes. `limit` is -1 at the lower limit and 1 at the upper one.
struct Hinge {
  Vec impulse;
  f32 limit_impulse, motor_impulse;
  f32 motor_speed, motor_torque;
  i32 limit;
};

struct Motion {
  Vec velocity;
  f32 spin;
};
struct Place {
  Vec center;
  f32 angle;
};

// The centre of mass and the inertia of a body, as the solver uses them.
struct Inertia {
  Vec center;
  f32 mass, inverse_inertia;  // the inverse mass and the inverse moment of inertia
};

struct Triple {
  f32 x, y, z;
};
ENVPOOL_ALWAYS_INLINE f32 dot(Triple a, Triple b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ENVPOOL_ALWAYS_INLINE Triple cross(Triple a, Triple b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Solves a symmetric system of two equations.
ENVPOOL_ALWAYS_INLINE Vec solve(f32 xx, f32 xy, f32 yy, Vec right) {
  f32 inverse = xx * yy - xy * xy;
  if (inverse != 0) inverse = 1 / inverse;
  return {inverse * (yy * right.x - xy * right.y), inverse * (xx * right.y - xy * right.x)};
}

// A joint during one step.
struct HingeSolver {
  i32 first, second, limit;
  Inertia a, b;
  Vec arm_a, arm_b;  // from the centres of mass to the joint
  Triple row_x, row_y, row_z;
  Triple rows_yz;  // the cross product of row_y and row_z
  f32 inverse3, inverse2, motor_mass, motor_speed, most_motor_impulse;

  ENVPOOL_DEVICE_CALL void begin(Hinge& hinge, const HingeDef& def, const Inertia& inertia_a, const Inertia& inertia_b,
                                 const Place* places, Motion* motions, f32 seconds, f32 ratio) {
    first = def.first;
    second = def.second;
    a = inertia_a;
    b = inertia_b;
    const f32 angle_a = places[first].angle, angle_b = places[second].angle;
    arm_a = rotate(rotation(angle_a), def.anchor_first - a.center);
    arm_b = rotate(rotation(angle_b), def.anchor_second - b.center);
    row_x.x = a.mass + b.mass + arm_a.y * arm_a.y * a.inverse_inertia + arm_b.y * arm_b.y * b.inverse_inertia;
    row_y.x = -arm_a.y * arm_a.x * a.inverse_inertia - arm_b.y * arm_b.x * b.inverse_inertia;
    row_z.x = -arm_a.y * a.inverse_inertia - arm_b.y * b.inverse_inertia;
    row_x.y = row_y.x;
    row_y.y = a.mass + b.mass + arm_a.x * arm_a.x * a.inverse_inertia + arm_b.x * arm_b.x * b.inverse_inertia;
    row_z.y = arm_a.x * a.inverse_inertia + arm_b.x * b.inverse_inertia;
    row_x.z = row_z.x;
    row_y.z = row_z.y;
    row_z.z = a.inverse_inertia + b.inverse_inertia;
    rows_yz = cross(row_y, row_z);
    inverse3 = dot(row_x, rows_yz);
    if (inverse3 != 0) inverse3 = 1 / inverse3;
    inverse2 = row_x.x * row_y.y - row_y.x * row_x.y;
    if (inverse2 != 0) inverse2 = 1 / inverse2;
    motor_mass = a.inverse_inertia + b.inverse_inertia;
    if (motor_mass > 0) motor_mass = 1 / motor_mass;
    motor_speed = hinge.motor_speed;
    most_motor_impulse = seconds * hinge.motor_torque;
    const f32 angle = angle_b - angle_a - def.reference;
    const i32 now = angle <= def.low ? -1 : angle >= def.high ? 1 : 0;
    if (now == 0 || now != hinge.limit) hinge.limit_impulse = 0;
    limit = hinge.limit = now;
    hinge.impulse.x *= ratio;
    hinge.impulse.y *= ratio;
    hinge.limit_impulse *= ratio;
    hinge.motor_impulse *= ratio;
    Motion &ma = motions[first], &mb = motions[second];
    const Vec push = hinge.impulse;
    ma.velocity = ma.velocity - a.mass * push;
    ma.spin -= a.inverse_inertia * (cross(arm_a, push) + hinge.motor_impulse + hinge.limit_impulse);
    mb.velocity = mb.velocity + b.mass * push;
    mb.spin += b.inverse_inertia * (cross(arm_b, push) + hinge.motor_impulse + hinge.limit_impulse);
  }

  // Runs a round of the velocity solver. Returns the change of the hinge's impulse, which later rounds do not read.
  ENVPOOL_ALWAYS_INLINE Vec velocities(Hinge& hinge, Motion* motions) const {
    Motion ma = motions[first], mb = motions[second];
    const f32 turned = -motor_mass * (mb.spin - ma.spin - motor_speed);
    const f32 motor = clamped(hinge.motor_impulse + turned, -most_motor_impulse, most_motor_impulse);
    const f32 change = motor - hinge.motor_impulse;
    hinge.motor_impulse = motor;
    ma.spin -= a.inverse_inertia * change;
    mb.spin += b.inverse_inertia * change;
    const Vec drift = mb.velocity + cross(mb.spin, arm_b) - ma.velocity - cross(ma.spin, arm_a);
    Vec linear;
    if (limit != 0) {
      const Triple rates{drift.x, drift.y, mb.spin - ma.spin};
      Triple push{-(inverse3 * dot(rates, rows_yz)), -(inverse3 * dot(row_x, cross(rates, row_z))),
                  -(inverse3 * dot(row_x, cross(row_y, rates)))};
      const f32 total = hinge.limit_impulse + push.z;
      if (limit < 0 ? total < 0 : total > 0) {  // the limit would pull
        const Vec right = -drift + hinge.limit_impulse * Vec{row_z.x, row_z.y};
        const Vec reduced = solve2(right);
        push = {reduced.x, reduced.y, -hinge.limit_impulse};
        hinge.limit_impulse = 0;
      } else {
        hinge.limit_impulse += push.z;
      }
      linear = {push.x, push.y};
      ma.velocity = ma.velocity - a.mass * linear;
      ma.spin -= a.inverse_inertia * (cross(arm_a, linear) + push.z);
      mb.velocity = mb.velocity + b.mass * linear;
      mb.spin += b.inverse_inertia * (cross(arm_b, linear) + push.z);
    } else {
      linear = solve2(-drift);
      ma.velocity = ma.velocity - a.mass * linear;
      ma.spin -= a.inverse_inertia * cross(arm_a, linear);
      mb.velocity = mb.velocity + b.mass * linear;
      mb.spin += b.inverse_inertia * cross(arm_b, linear);
    }
    hinge.impulse = hinge.impulse + linear;
    motions[first] = ma;
    motions[second] = mb;
    return linear;
  }

  // Moves the bodies. Returns whether the errors were tolerable before the move.
  ENVPOOL_DEVICE_CALL bool positions(const HingeDef& def, Place* places) const {
    constexpr f32 most = 8.0f / 180 * kPiF;
    Place pa = places[first], pb = places[second];
    f32 turn_error = 0;
    if (limit != 0) {
      const f32 angle = pb.angle - pa.angle - def.reference;
      f32 error = limit < 0 ? angle - def.low : angle - def.high;
      turn_error = limit < 0 ? -error : error;
      error = limit < 0 ? clamped(error + kAngularSlop, -most, 0) : clamped(error - kAngularSlop, 0, most);
      const f32 push = -motor_mass * error;
      pa.angle -= a.inverse_inertia * push;
      pb.angle += b.inverse_inertia * push;
    }
    const Vec ra = rotate(rotation(pa.angle), def.anchor_first - a.center);
    const Vec rb = rotate(rotation(pb.angle), def.anchor_second - b.center);
    const Vec error = pb.center + rb - pa.center - ra;
    const f32 xx = a.mass + b.mass + a.inverse_inertia * ra.y * ra.y + b.inverse_inertia * rb.y * rb.y;
    const f32 xy = -a.inverse_inertia * ra.x * ra.y - b.inverse_inertia * rb.x * rb.y;
    const f32 yy = a.mass + b.mass + a.inverse_inertia * ra.x * ra.x + b.inverse_inertia * rb.x * rb.x;
    const Vec push = -solve(xx, xy, yy, error);
    pa.center = pa.center - a.mass * push;
    pa.angle -= a.inverse_inertia * cross(ra, push);
    pb.center = pb.center + b.mass * push;
    pb.angle += b.inverse_inertia * cross(rb, push);
    places[first] = pa;
    places[second] = pb;
    return length(error) <= kSlop && turn_error <= kAngularSlop;
  }

 private:
  ENVPOOL_ALWAYS_INLINE Vec solve2(Vec right) const {
    return {inverse2 * (row_y.y * right.x - row_y.x * right.y), inverse2 * (row_x.x * right.y - row_x.y * right.x)};
  }
};

}  // namespace envpool::box2d
