// SPDX-License-Identifier: Apache-2.0
//
// The velocities of hinges and contacts in up to eight worlds at once, in the lanes of vector registers. Each lane has
// the same bits as HingeSolver::velocities and ContactSolver::velocities: the operations and their order are the same,
// and where the scalar code branches, this code computes all branches and selects a result.
#pragma once

#include "envpool/box2d/contact_solver.h"
#include "envpool/core/math/lanes.h"

#if ENVPOOL_SIMD

namespace envpool::box2d {

inline constexpr int kGroup = 8;  // the number of lanes
typedef f32 f32x8 __attribute__((vector_size(32)));
typedef i32 i32x8 __attribute__((vector_size(32)));

struct VecLanes {
  f32x8 x, y;
};
ENVPOOL_ALWAYS_INLINE VecLanes operator+(VecLanes a, VecLanes b) { return {a.x + b.x, a.y + b.y}; }
ENVPOOL_ALWAYS_INLINE VecLanes operator-(VecLanes a, VecLanes b) { return {a.x - b.x, a.y - b.y}; }
ENVPOOL_ALWAYS_INLINE VecLanes operator-(VecLanes a) { return {-a.x, -a.y}; }
ENVPOOL_ALWAYS_INLINE VecLanes operator*(f32x8 s, VecLanes a) { return {s * a.x, s * a.y}; }
ENVPOOL_ALWAYS_INLINE f32x8 dot(VecLanes a, VecLanes b) { return a.x * b.x + a.y * b.y; }
ENVPOOL_ALWAYS_INLINE f32x8 cross(VecLanes a, VecLanes b) { return a.x * b.y - a.y * b.x; }
ENVPOOL_ALWAYS_INLINE VecLanes cross(f32x8 s, VecLanes a) { return {-s * a.y, s * a.x}; }
ENVPOOL_ALWAYS_INLINE f32x8 select(i32x8 which, f32x8 yes, f32x8 no) { return which ? yes : no; }
ENVPOOL_ALWAYS_INLINE VecLanes select(i32x8 which, VecLanes yes, VecLanes no) {
  return {select(which, yes.x, no.x), select(which, yes.y, no.y)};
}
ENVPOOL_ALWAYS_INLINE f32x8 least(f32x8 a, f32x8 b) { return select(a < b, a, b); }
ENVPOOL_ALWAYS_INLINE f32x8 greatest(f32x8 a, f32x8 b) { return select(a > b, a, b); }
ENVPOOL_ALWAYS_INLINE bool any(i32x8 holds) {
  i32 all = 0;
  for (int lane = 0; lane < kGroup; ++lane) all |= holds[lane];
  return all != 0;
}

struct MotionLanes {
  VecLanes velocity;
  f32x8 spin;
};

// Sets one lane.
ENVPOOL_ALWAYS_INLINE void set(VecLanes& lanes, int lane, Vec value) {
  lanes.x[lane] = value.x;
  lanes.y[lane] = value.y;
}
ENVPOOL_ALWAYS_INLINE Vec get(const VecLanes& lanes, int lane) { return {lanes.x[lane], lanes.y[lane]}; }

// The hinges with the same number in each world.
struct HingeLanes {
  i32 first, second;
  i32x8 at_limit, at_low, at_high;  // whether the hinge is at a limit, and at which
  bool any_at_limit;
  f32x8 mass_a, inverse_inertia_a, mass_b, inverse_inertia_b;
  VecLanes arm_a, arm_b;
  f32x8 xx, xy, yy, zx, zy, zz;  // the symmetric matrix whose rows HingeSolver holds
  f32x8 yz_x, yz_y, yz_z;        // HingeSolver::rows_yz
  f32x8 inverse3, inverse2, motor_mass, motor_speed, most_motor_impulse;
  VecLanes impulse;
  f32x8 limit_impulse, motor_impulse;

  ENVPOOL_ALWAYS_INLINE void load(int lane, const HingeSolver& from, const Hinge& hinge) {
    first = from.first;
    second = from.second;
    at_limit[lane] = from.limit != 0 ? -1 : 0;
    at_low[lane] = from.limit < 0 ? -1 : 0;
    at_high[lane] = from.limit > 0 ? -1 : 0;
    mass_a[lane] = from.a.mass;
    inverse_inertia_a[lane] = from.a.inverse_inertia;
    mass_b[lane] = from.b.mass;
    inverse_inertia_b[lane] = from.b.inverse_inertia;
    set(arm_a, lane, from.arm_a);
    set(arm_b, lane, from.arm_b);
    xx[lane] = from.row_x.x;
    xy[lane] = from.row_x.y;
    yy[lane] = from.row_y.y;
    zx[lane] = from.row_z.x;
    zy[lane] = from.row_z.y;
    zz[lane] = from.row_z.z;
    yz_x[lane] = from.rows_yz.x;
    yz_y[lane] = from.rows_yz.y;
    yz_z[lane] = from.rows_yz.z;
    inverse3[lane] = from.inverse3;
    inverse2[lane] = from.inverse2;
    motor_mass[lane] = from.motor_mass;
    motor_speed[lane] = from.motor_speed;
    most_motor_impulse[lane] = from.most_motor_impulse;
    set(impulse, lane, hinge.impulse);
    limit_impulse[lane] = hinge.limit_impulse;
    motor_impulse[lane] = hinge.motor_impulse;
  }
  ENVPOOL_ALWAYS_INLINE void store(int lane, Hinge& hinge) const {
    hinge.impulse = get(impulse, lane);
    hinge.limit_impulse = limit_impulse[lane];
    hinge.motor_impulse = motor_impulse[lane];
  }

  ENVPOOL_ALWAYS_INLINE void velocities(MotionLanes* motions) {
    MotionLanes ma = motions[first], mb = motions[second];
    const f32x8 turned = -motor_mass * (mb.spin - ma.spin - motor_speed);
    const f32x8 motor = greatest(-most_motor_impulse, least(motor_impulse + turned, most_motor_impulse));
    const f32x8 change = motor - motor_impulse;
    motor_impulse = motor;
    ma.spin -= inverse_inertia_a * change;
    mb.spin += inverse_inertia_b * change;
    const VecLanes drift = mb.velocity + cross(mb.spin, arm_b) - ma.velocity - cross(ma.spin, arm_a);
    VecLanes linear;
    if (any_at_limit) {
      const f32x8 spin = mb.spin - ma.spin;
      const f32x8 push_x = -(inverse3 * (drift.x * yz_x + drift.y * yz_y + spin * yz_z));
      const f32x8 push_y = -(inverse3 * (xx * (drift.y * zz - spin * zy) + xy * (spin * zx - drift.x * zz) +
                                         zx * (drift.x * zy - drift.y * zx)));
      const f32x8 push_z = -(inverse3 * (xx * (yy * spin - zy * drift.y) + xy * (zy * drift.x - xy * spin) +
                                         zx * (xy * drift.y - yy * drift.x)));
      const f32x8 total = limit_impulse + push_z;
      const i32x8 pulls = (at_low & (total < 0)) | (at_high & (total > 0));
      // Both systems of two equations are solved before it is known whether the limit pulls.
      const VecLanes right = -drift;
      const VecLanes reduced = solve2(right + limit_impulse * VecLanes{zx, zy}), free = solve2(right);
      linear = select(at_limit, select(pulls, reduced, {push_x, push_y}), free);
      // Adding -0 changes nothing.
      const f32x8 turn = select(at_limit, select(pulls, -limit_impulse, push_z), -f32x8{});
      limit_impulse = select(at_limit, select(pulls, f32x8{}, total), limit_impulse);
      ma.spin -= inverse_inertia_a * (cross(arm_a, linear) + turn);
      mb.spin += inverse_inertia_b * (cross(arm_b, linear) + turn);
    } else {
      linear = solve2(-drift);
      ma.spin -= inverse_inertia_a * cross(arm_a, linear);
      mb.spin += inverse_inertia_b * cross(arm_b, linear);
    }
    ma.velocity = ma.velocity - mass_a * linear;
    mb.velocity = mb.velocity + mass_b * linear;
    impulse = impulse + linear;
    motions[first] = ma;
    motions[second] = mb;
  }

 private:
  ENVPOOL_ALWAYS_INLINE VecLanes solve2(VecLanes right) const {
    return {inverse2 * (yy * right.x - xy * right.y), inverse2 * (xx * right.y - xy * right.x)};
  }
};

// A contact of one body in each world. The lanes of worlds that have fewer contacts of this body are unused.
struct ContactLanes {
  i32 body;
  i32x8 used, two;  // whether a contact is in this lane, and whether both of its points are solved
  bool any_one, any_two;
  f32x8 mass, inverse_inertia, friction;
  VecLanes normal;
  VecLanes arm[2];
  f32x8 normal_mass[2], tangent_mass[2], bias[2];
  f32x8 k11, k12, k22, inverse11, inverse12, inverse22;
  f32x8 along[2], across[2];  // the impulses along the normal and the tangent

  ENVPOOL_ALWAYS_INLINE void load(int lane, const ContactSolver& from, const Vec* impulses) {
    used[lane] = -1;
    two[lane] = from.count == 2 ? -1 : 0;
    mass[lane] = from.inertia.mass;
    inverse_inertia[lane] = from.inertia.inverse_inertia;
    friction[lane] = from.friction;
    set(normal, lane, from.normal);
    for (i32 i = 0; i < from.count; ++i) {
      const ContactSolver::Point& point = from.point[i];
      set(arm[i], lane, point.arm);
      normal_mass[i][lane] = point.normal_mass;
      tangent_mass[i][lane] = point.tangent_mass;
      bias[i][lane] = point.bias;
      along[i][lane] = impulses[i].x;
      across[i][lane] = impulses[i].y;
    }
    if (from.count != 2) return;
    k11[lane] = from.k11;
    k12[lane] = from.k12;
    k22[lane] = from.k22;
    inverse11[lane] = from.inverse11;
    inverse12[lane] = from.inverse12;
    inverse22[lane] = from.inverse22;
  }
  ENVPOOL_ALWAYS_INLINE void store(int lane, i32 count, Vec* impulses) const {
    for (i32 i = 0; i < count; ++i) impulses[i] = {along[i][lane], across[i][lane]};
  }

  ENVPOOL_ALWAYS_INLINE void velocities(MotionLanes* motions) {
    MotionLanes m = motions[body];
    slide(m, 0, used);
    if (any_two) slide(m, 1, two);
    const MotionLanes before = m;
    const VecLanes old{along[0], along[1]};
    if (any_one) {
      const f32x8 speed = dot(m.velocity + cross(m.spin, arm[0]), normal);
      const f32x8 total = greatest(old.x + -normal_mass[0] * (speed - bias[0]), f32x8{});
      const i32x8 one = used & ~two;
      push(m, one, arm[0], (total - old.x) * normal);
      along[0] = select(one, total, along[0]);
    }
    if (any_two) both(m, before, old);
    motions[body] = m;
  }

 private:
  ENVPOOL_ALWAYS_INLINE void push(MotionLanes& m, i32x8 which, VecLanes at, VecLanes impulse) const {
    m.velocity = select(which, m.velocity + mass * impulse, m.velocity);
    m.spin = select(which, m.spin + inverse_inertia * cross(at, impulse), m.spin);
  }
  // Applies friction to a point.
  ENVPOOL_ALWAYS_INLINE void slide(MotionLanes& m, int i, i32x8 which) {
    const VecLanes tangent{normal.y, -normal.x};
    const f32x8 most = friction * along[i];
    const f32x8 slip = dot(m.velocity + cross(m.spin, arm[i]), tangent);
    const f32x8 total = greatest(-most, least(across[i] + tangent_mass[i] * -slip, most));
    push(m, which, arm[i], (total - across[i]) * tangent);
    across[i] = select(which, total, across[i]);
  }
  // Solves two points together, as ContactSolver does, in the lanes that have two.
  ENVPOOL_ALWAYS_INLINE void both(MotionLanes& m, const MotionLanes& now, VecLanes old) {
    VecLanes b{dot(now.velocity + cross(now.spin, arm[0]), normal) - bias[0],
               dot(now.velocity + cross(now.spin, arm[1]), normal) - bias[1]};
    b = b - VecLanes{k11 * old.x + k12 * old.y, k12 * old.x + k22 * old.y};
    const f32x8 zero{};
    const VecLanes pair{-(inverse11 * b.x + inverse12 * b.y), -(inverse12 * b.x + inverse22 * b.y)};
    const f32x8 first = -normal_mass[0] * b.x, second = -normal_mass[1] * b.y;
    const i32x8 is_pair = (pair.x >= 0) & (pair.y >= 0);
    const i32x8 is_first = (first >= 0) & (k12 * first + b.y >= 0);
    const i32x8 is_second = (second >= 0) & (k12 * second + b.x >= 0);
    const i32x8 is_none = (b.x >= 0) & (b.y >= 0);
    const i32x8 solved = two & (is_pair | is_first | is_second | is_none);
    const VecLanes x{select(is_pair, pair.x, select(is_first, first, zero)),
                     select(is_pair, pair.y, select(~is_first & is_second, second, zero))};
    const VecLanes by_first = (x.x - old.x) * normal, by_second = (x.y - old.y) * normal;
    m.velocity = select(solved, now.velocity + mass * (by_first + by_second), m.velocity);
    m.spin = select(solved, now.spin + inverse_inertia * (cross(arm[0], by_first) + cross(arm[1], by_second)), m.spin);
    along[0] = select(solved, x.x, along[0]);
    along[1] = select(solved, x.y, along[1]);
  }
};

}  // namespace envpool::box2d

#endif  // ENVPOOL_SIMD
