// SPDX-License-Identifier: Apache-2.0
//
// Computes when a moving polygon first comes within a small distance of the ground. The distance is found by GJK
// (Gilbert, Johnson and Keerthi), the time by conservative advancement along the direction that separates the shapes.
// Every loop is bounded.
#pragma once

#include "envpool/box2d/polygon.h"

namespace envpool::box2d {

// The vertices of a shape.
struct Points {
  const Vec* vertex;
  i32 count;

  ENVPOOL_FN i32 furthest(Vec direction) const {
    i32 best = 0;
    f32 largest = dot(vertex[0], direction);
    for (i32 i = 1; i < count; ++i) {
      const f32 value = dot(vertex[i], direction);
      if (value > largest) {
        largest = value;
        best = i;
      }
    }
    return best;
  }
};

// The motion of a body in a step: its centre and angle go from (center0, angle0) at `time0` to (center, angle) at 1.
struct Sweep {
  Vec local;  // the centre of mass in the body's frame
  Vec center0, center;
  f32 angle0, angle, time0;

  ENVPOOL_FN Pose at(f32 part) const {
    const Vec where = (1 - part) * center0 + part * center;
    return pose_of(where, (1 - part) * angle0 + part * angle, local);
  }
  ENVPOOL_FN void advance(f32 time) {
    const f32 part = (time - time0) / (1 - time0);
    center0 = (1 - part) * center0 + part * center;
    angle0 = (1 - part) * angle0 + part * angle;
    time0 = time;
  }
};

// A vertex of the difference of the two shapes, which belongs to one vertex of each shape.
struct Corner {
  Vec on_ground, on_body, apart;
  f32 weight;
  i32 ground, body;
};

// The vertices that were closest in the last call of distance(). The next call starts from them.
struct Closest {
  f32 size;
  i32 count;
  u8 ground[3], body[3];
};

struct Simplex {
  Corner corner[3];
  i32 count;

  ENVPOOL_FN f32 size() const {
    if (count == 2) return length(corner[0].apart - corner[1].apart);
    if (count == 3) return cross(corner[1].apart - corner[0].apart, corner[2].apart - corner[0].apart);
    return 0;
  }

  // Finds the point of the simplex that is closest to the origin. Keeps the corners that have a positive weight there.
  ENVPOOL_FN void reduce() {
    if (count == 2) {
      reduce_line();
    } else if (count == 3) {
      reduce_triangle();
    }
  }

 private:
  ENVPOOL_FN void keep(i32 a) {
    corner[0] = corner[a];
    corner[0].weight = 1;
    count = 1;
  }
  ENVPOOL_FN void reduce_line() {
    const Vec a = corner[0].apart, b = corner[1].apart, along = b - a;
    const f32 of_b = -dot(a, along);
    if (of_b <= 0) return keep(0);
    const f32 of_a = dot(b, along);
    if (of_a <= 0) return keep(1);
    const f32 inverse = 1 / (of_a + of_b);
    corner[0].weight = of_a * inverse;
    corner[1].weight = of_b * inverse;
  }
  ENVPOOL_FN void reduce_triangle() {
    const Vec a = corner[0].apart, b = corner[1].apart, c = corner[2].apart;
    const Vec ab = b - a, ac = c - a, bc = c - b;
    const f32 ab_a = dot(b, ab), ab_b = -dot(a, ab);
    const f32 ac_a = dot(c, ac), ac_c = -dot(a, ac);
    const f32 bc_b = dot(c, bc), bc_c = -dot(b, bc);
    const f32 area = cross(ab, ac);
    const f32 of_a = area * cross(b, c), of_b = area * cross(c, a), of_c = area * cross(a, b);
    if (ab_b <= 0 && ac_c <= 0) return keep(0);
    if (ab_a > 0 && ab_b > 0 && of_c <= 0) {
      const f32 inverse = 1 / (ab_a + ab_b);
      corner[0].weight = ab_a * inverse;
      corner[1].weight = ab_b * inverse;
      count = 2;
      return;
    }
    if (ac_a > 0 && ac_c > 0 && of_b <= 0) {
      const f32 inverse = 1 / (ac_a + ac_c);
      corner[0].weight = ac_a * inverse;
      corner[2].weight = ac_c * inverse;
      count = 2;
      corner[1] = corner[2];
      return;
    }
    if (ab_a <= 0 && bc_c <= 0) return keep(1);
    if (ac_a <= 0 && bc_b <= 0) return keep(2);
    if (bc_b > 0 && bc_c > 0 && of_a <= 0) {
      const f32 inverse = 1 / (bc_b + bc_c);
      corner[1].weight = bc_b * inverse;
      corner[2].weight = bc_c * inverse;
      count = 2;
      corner[0] = corner[2];
      return;
    }
    const f32 inverse = 1 / (of_a + of_b + of_c);
    corner[0].weight = of_a * inverse;
    corner[1].weight = of_b * inverse;
    corner[2].weight = of_c * inverse;
  }
};

// Returns the distance between the vertices' hulls, 0 if they overlap.
ENVPOOL_DEVICE_CALL f32 distance(const Points& ground, const Points& body, const Pose& pose, Closest& closest) {
  Simplex simplex{};
  const auto corner_of = [&](i32 on_ground, i32 on_body) {
    const Vec g = ground.vertex[on_ground], b = to_world(pose, body.vertex[on_body]);
    return Corner{g, b, b - g, 0, on_ground, on_body};
  };
  simplex.count = closest.count;
  for (i32 i = 0; i < simplex.count; ++i) simplex.corner[i] = corner_of(closest.ground[i], closest.body[i]);
  if (simplex.count > 1) {
    const f32 size = simplex.size();
    if (size < 0.5f * closest.size || 2 * closest.size < size || size < kEpsilon) simplex.count = 0;
  }
  if (simplex.count == 0) {
    simplex.corner[0] = corner_of(0, 0);
    simplex.corner[0].weight = 1;
    simplex.count = 1;
  }
  for (i32 round = 0; round < 20; ++round) {
    i32 seen_ground[3], seen_body[3];
    const i32 seen = simplex.count;
    for (i32 i = 0; i < seen; ++i) {
      seen_ground[i] = simplex.corner[i].ground;
      seen_body[i] = simplex.corner[i].body;
    }
    simplex.reduce();
    if (simplex.count == 3) break;
    const Vec a = simplex.corner[0].apart;
    Vec toward = -a;
    if (simplex.count == 2) {
      const Vec along = simplex.corner[1].apart - a;
      toward = cross(along, -a) > 0 ? cross(1.0f, along) : cross(along, 1.0f);
    }
    if (dot(toward, toward) < kEpsilon * kEpsilon) break;
    const Corner next = corner_of(ground.furthest(-toward), body.furthest(unrotate(pose.turn, toward)));
    simplex.corner[simplex.count] = next;
    bool repeated = false;
    for (i32 i = 0; i < seen; ++i) repeated = repeated || (next.ground == seen_ground[i] && next.body == seen_body[i]);
    if (repeated) break;
    ++simplex.count;
  }
  const Corner* const c = simplex.corner;
  f32 result = 0;
  if (simplex.count == 1) result = length(c[0].on_ground - c[0].on_body);
  if (simplex.count == 2) {
    result = length((c[0].weight * c[0].on_ground + c[1].weight * c[1].on_ground) -
                    (c[0].weight * c[0].on_body + c[1].weight * c[1].on_body));
  }
  closest.size = simplex.size();
  closest.count = simplex.count;
  for (i32 i = 0; i < simplex.count; ++i) {
    closest.ground[i] = u8(c[i].ground);
    closest.body[i] = u8(c[i].body);
  }
  return result;
}

// The distance along one direction: between two vertices, or between an edge of one shape and a vertex of the other.
struct Separation {
  enum Kind : u8 { kVertices, kGroundEdge, kBodyEdge };
  Kind kind;
  Vec axis, plane;  // in the frame of the shape that the edge belongs to
  i32 ground, body;

  ENVPOOL_FN Separation(const Closest& closest, const Points& ground_points, const Points& body_points,
                        const Pose& pose)
      : plane{}, ground(closest.ground[0]), body(closest.body[0]) {
    const Vec g = ground_points.vertex[ground], b = to_world(pose, body_points.vertex[body]);
    if (closest.count == 1) {
      kind = kVertices;
      axis = b - g;
      normalize(axis);
    } else if (closest.ground[0] == closest.ground[1]) {
      kind = kBodyEdge;
      const Vec from = body_points.vertex[body], to = body_points.vertex[closest.body[1]];
      axis = cross(to - from, 1.0f);
      normalize(axis);
      plane = 0.5f * (from + to);
      if (dot(g - to_world(pose, plane), rotate(pose.turn, axis)) < 0) axis = -axis;
    } else {
      kind = kGroundEdge;
      const Vec to = ground_points.vertex[closest.ground[1]];
      axis = cross(to - g, 1.0f);
      normalize(axis);
      plane = 0.5f * (g + to);
      if (dot(b - plane, axis) < 0) axis = -axis;
    }
  }

  // Finds the vertices that are deepest at a pose.
  ENVPOOL_FN void choose(const Points& ground_points, const Points& body_points, const Pose& pose) {
    if (kind != kBodyEdge) body = body_points.furthest(unrotate(pose.turn, -axis));
    if (kind == kVertices) ground = ground_points.furthest(axis);
    if (kind == kBodyEdge) ground = ground_points.furthest(-rotate(pose.turn, axis));
  }

  ENVPOOL_FN f32 at(const Points& ground_points, const Points& body_points, const Pose& pose) const {
    if (kind == kBodyEdge) {
      return dot(ground_points.vertex[ground] - to_world(pose, plane), rotate(pose.turn, axis));
    }
    const Vec from = kind == kVertices ? ground_points.vertex[ground] : plane;
    return dot(to_world(pose, body_points.vertex[body]) - from, axis);
  }
};

// Returns the fraction of the rest of the step after which the body touches the ground, or 1 if it does not.
ENVPOOL_DEVICE_CALL f32 time_of_impact(const Points& ground, const Points& body, Sweep sweep) {
  constexpr f32 turn = 2 * kPiF;
  const f32 whole = turn * floor(sweep.angle0 / turn);
  sweep.angle0 -= whole;
  sweep.angle -= whole;
  constexpr f32 target = greatest(kSlop, (kSkin + kSkin) - 3 * kSlop), tolerance = 0.25f * kSlop;
  Closest closest{};
  f32 time = 0;
  for (i32 round = 0; round < 20; ++round) {
    const Pose start = sweep.at(time);
    const f32 gap = distance(ground, body, start, closest);
    if (gap <= 0) return 1;  // if they already overlap, the position solver separates them
    if (gap < target + tolerance) return time;
    if (closest.count != 1 && closest.count != 2) return 1;
    Separation separation(closest, ground, body, start);
    f32 end = 1;
    for (i32 push = 0; push < 16; ++push) {
      const Pose last = sweep.at(end);
      separation.choose(ground, body, last);
      f32 after = separation.at(ground, body, last);
      if (after > target + tolerance) return 1;
      if (after > target - tolerance) {
        time = end;
        break;
      }
      f32 before = separation.at(ground, body, start);
      if (before < target - tolerance) return 1;
      if (before <= target + tolerance) return time;
      // Finds where the separation is `target`, by bisection and false position alternately.
      f32 low = time, high = end;
      for (i32 root = 0; root < 50; ++root) {
        const f32 middle =
            (root & 1) != 0 ? low + (target - before) * (high - low) / (after - before) : 0.5f * (low + high);
        const f32 value = separation.at(ground, body, sweep.at(middle));
        if (magnitude(value - target) < tolerance) {
          end = middle;
          break;
        }
        if (value > target) {
          low = middle;
          before = value;
        } else {
          high = middle;
          after = value;
        }
      }
    }
  }
  return 1;
}

}  // namespace envpool::box2d
