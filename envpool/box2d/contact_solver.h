// SPDX-License-Identifier: Apache-2.0
//
// Contacts between moving bodies and the ground, solved by sequential impulses; two points of a contact are solved
// together. The ground does not move and has infinite mass, so its terms are left out.
#pragma once

#include "envpool/box2d/hinge.h"
#include "envpool/box2d/manifold.h"

namespace envpool::box2d {

struct ContactSolver {
  struct Point {
    Vec arm;  // from the body's centre of mass
    f32 normal_mass, tangent_mass, bias;
  };
  const Manifold* manifold;
  i32 body, count;  // count: the number of points that are solved
  Inertia inertia;
  f32 friction, restitution;
  Vec normal;
  Point point[2];
  f32 k11, k12, k22, inverse11, inverse12, inverse22;

  ENVPOOL_FN void set(const Manifold& touching, i32 of_body, const Inertia& of, f32 friction_of, f32 restitution_of) {
    manifold = &touching;
    body = of_body;
    count = touching.count;
    inertia = of;
    friction = friction_of;
    restitution = restitution_of;
  }

  ENVPOOL_DEVICE_CALL void begin(const Place* places, const Motion* motions) {
    const Manifold& m = *manifold;
    const f32 mass = inertia.mass, inverse_inertia = inertia.inverse_inertia;
    const Place place = places[body];
    const Motion motion = motions[body];
    const Pose pose = pose_of(place.center, place.angle, inertia.center);
    normal = m.edge_of_body ? rotate(pose.turn, m.normal) : m.normal;
    const Vec outward = normal, plane = m.edge_of_body ? to_world(pose, m.plane) : m.plane;
    if (m.edge_of_body) normal = -normal;
    count = m.count;
    for (i32 i = 0; i < count; ++i) {
      // The contact acts half way between the surfaces of the two shapes.
      const Vec at = m.edge_of_body ? m.point[i].local : to_world(pose, m.point[i].local);
      const Vec on_plane = at + (kSkin - dot(at - plane, outward)) * outward, on_point = at - kSkin * outward;
      const Vec middle = m.edge_of_body ? 0.5f * (on_point + on_plane) : 0.5f * (on_plane + on_point);
      Point& p = point[i];
      p.arm = middle - place.center;
      const f32 lever = cross(p.arm, normal), k = mass + inverse_inertia * lever * lever;
      p.normal_mass = k > 0 ? 1 / k : 0;
      const f32 side = cross(p.arm, cross(normal, 1.0f)), k_side = mass + inverse_inertia * side * side;
      p.tangent_mass = k_side > 0 ? 1 / k_side : 0;
      const f32 speed = dot(normal, motion.velocity + cross(motion.spin, p.arm));
      p.bias = speed < -1 ? -restitution * speed : 0;
    }
    if (count != 2) return;
    const f32 first = cross(point[0].arm, normal), second = cross(point[1].arm, normal);
    k11 = mass + inverse_inertia * first * first;
    k22 = mass + inverse_inertia * second * second;
    k12 = mass + inverse_inertia * first * second;
    if (!(k11 * k11 < 1000 * (k11 * k22 - k12 * k12))) {  // the points are nearly redundant
      count = 1;
      return;
    }
    f32 inverse = k11 * k22 - k12 * k12;
    if (inverse != 0) inverse = 1 / inverse;
    inverse11 = inverse * k22;
    inverse12 = -inverse * k12;
    inverse22 = inverse * k11;
  }

  // Applies the impulses of the last step.
  ENVPOOL_FN void warm_start(const Vec* impulses, Motion* motions) const {
    Motion m = motions[body];
    for (i32 i = 0; i < count; ++i) {
      push(m, point[i].arm, impulses[i].x * normal + impulses[i].y * cross(normal, 1.0f));
    }
    motions[body] = m;
  }

  // An impulse's x is along the normal, its y along the tangent.
  ENVPOOL_ALWAYS_INLINE void velocities(Vec* impulses, Motion* motions) const {
    Motion m = motions[body];
    const Vec tangent = cross(normal, 1.0f);
    for (i32 i = 0; i < count; ++i) {
      const Point& p = point[i];
      const f32 most = friction * impulses[i].x;
      const f32 slip = dot(m.velocity + cross(m.spin, p.arm), tangent);
      const f32 total = clamped(impulses[i].y + p.tangent_mass * -slip, -most, most);
      const f32 change = total - impulses[i].y;
      impulses[i].y = total;
      push(m, p.arm, change * tangent);
    }
    if (count == 1) {
      const Point& p = point[0];
      const f32 speed = dot(m.velocity + cross(m.spin, p.arm), normal);
      const f32 total = greatest(impulses[0].x + -p.normal_mass * (speed - p.bias), 0);
      const f32 change = total - impulses[0].x;
      impulses[0].x = total;
      push(m, p.arm, change * normal);
    } else {
      both(impulses, m);
    }
    motions[body] = m;
  }

  // Moves the body out of the ground by a fraction of the overlap. Returns the least separation before the move.
  ENVPOOL_DEVICE_CALL f32 positions(Place* places, f32 part) const {
    const Manifold& m = *manifold;
    Place place = places[body];
    f32 least_gap = 0;
    for (i32 i = 0; i < m.count; ++i) {
      const Pose pose = pose_of(place.center, place.angle, inertia.center);
      Vec outward = m.edge_of_body ? rotate(pose.turn, m.normal) : m.normal;
      const Vec plane = m.edge_of_body ? to_world(pose, m.plane) : m.plane;
      const Vec at = m.edge_of_body ? m.point[i].local : to_world(pose, m.point[i].local);
      const f32 gap = dot(at - plane, outward) - kSkin - kSkin;
      if (m.edge_of_body) outward = -outward;
      const Vec arm = at - place.center;
      least_gap = least(least_gap, gap);
      const f32 error = clamped(part * (gap + kSlop), -0.2f, 0);
      const f32 lever = cross(arm, outward), k = inertia.mass + inertia.inverse_inertia * lever * lever;
      const Vec impulse = (k > 0 ? -error / k : 0) * outward;
      place.center = place.center + inertia.mass * impulse;
      place.angle += inertia.inverse_inertia * cross(arm, impulse);
    }
    places[body] = place;
    return least_gap;
  }

 private:
  ENVPOOL_ALWAYS_INLINE void push(Motion& m, Vec arm, Vec impulse) const {
    m.velocity = m.velocity + inertia.mass * impulse;
    m.spin += inertia.inverse_inertia * cross(arm, impulse);
  }

  // Solves the linear complementarity problem of two points: tries the cases that both of them push, that only one
  // does, and that none does. If rounding leaves no solution, the impulses stay as they are.
  ENVPOOL_ALWAYS_INLINE void both(Vec* impulses, Motion& m) const {
    const Vec old{impulses[0].x, impulses[1].x};
    Vec b{dot(m.velocity + cross(m.spin, point[0].arm), normal) - point[0].bias,
          dot(m.velocity + cross(m.spin, point[1].arm), normal) - point[1].bias};
    b = b - Vec{k11 * old.x + k12 * old.y, k12 * old.x + k22 * old.y};
    Vec x{-(inverse11 * b.x + inverse12 * b.y), -(inverse12 * b.x + inverse22 * b.y)};
    if (!(x.x >= 0 && x.y >= 0)) {
      x = {-point[0].normal_mass * b.x, 0};
      if (!(x.x >= 0 && k12 * x.x + b.y >= 0)) {
        x = {0, -point[1].normal_mass * b.y};
        if (!(x.y >= 0 && k12 * x.y + b.x >= 0)) {
          x = {0, 0};
          if (!(b.x >= 0 && b.y >= 0)) return;
        }
      }
    }
    const Vec first = (x.x - old.x) * normal, second = (x.y - old.y) * normal;
    m.velocity = m.velocity + inertia.mass * (first + second);
    m.spin += inertia.inverse_inertia * (cross(point[0].arm, first) + cross(point[1].arm, second));
    impulses[0].x = x.x;
    impulses[1].x = x.y;
  }
};

}  // namespace envpool::box2d
