// SPDX-License-Identifier: Apache-2.0
//
// Finds the points, at most two, where a body touches the ground. Among all edges of both shapes, one separates the
// shapes best. An edge of the other shape is clipped against this one. The ground is at rest at the origin, so its
// frame is the world's.
#pragma once

#include "envpool/box2d/polygon.h"

namespace envpool::box2d {

// A point of contact. `feature` tells which vertices and edges the point comes from, so that the next step can find the
// impulses of the same point.
struct ContactPoint {
  Vec local;
  f32 normal_impulse, tangent_impulse;
  u32 feature;
};

// If the edge belongs to the ground, `normal` and `plane` describe it, and the points are in the body's frame. If it
// belongs to the body, `normal` and `plane` are in the body's frame, and the points in the world's.
struct Manifold {
  Vec normal, plane;
  ContactPoint point[2];
  u8 count;  // 0 to 2
  bool edge_of_body;
};

struct Clipped {
  Vec at;
  u32 feature;
};

// Packs the number of a vertex or edge of the ground, the number of a vertex or edge of the body, and which of the two
// are edges.
ENVPOOL_ALWAYS_INLINE u32 feature(u32 ground, bool ground_edge, u32 body, bool body_edge) {
  return ground | body << 8 | u32(ground_edge) << 16 | u32(body_edge) << 24;
}
ENVPOOL_ALWAYS_INLINE u32 swapped(u32 feature) { return (feature & 0x00FF00FF) << 8 | (feature >> 8 & 0x00FF00FF); }

// Cuts off what lies beyond a line. Returns whether two points remain.
ENVPOOL_ALWAYS_INLINE bool clip(Clipped (&ends)[2], Vec normal, f32 offset, u32 vertex) {
  const f32 first = dot(normal, ends[0].at) - offset, second = dot(normal, ends[1].at) - offset;
  Clipped kept[3] = {};
  i32 count = 0;
  if (first <= 0) kept[count++] = ends[0];
  if (second <= 0) kept[count++] = ends[1];
  if (first * second < 0) {
    const f32 part = first / (first - second);
    kept[count++] = {ends[0].at + part * (ends[1].at - ends[0].at),
                     feature(vertex, /*ground_edge=*/false, ends[0].feature >> 8 & 255, /*body_edge=*/true)};
  }
  ends[0] = kept[0];
  ends[1] = kept[1];
  return count >= 2;
}

// Returns the index of the normal that is most opposed to a direction.
ENVPOOL_ALWAYS_INLINE i32 most_opposed(const Vec* normals, i32 count, Vec direction) {
  i32 best = 0;
  f32 smallest = kLargest;
  for (i32 i = 0; i < count; ++i) {
    const f32 value = dot(direction, normals[i]);
    if (value < smallest) {
      smallest = value;
      best = i;
    }
  }
  return best;
}

// Finds the contact of a segment of the ground and a polygon. The impulses of the points are not set.
ENVPOOL_DEVICE_CALL void collide(Manifold& m, const Segment& ground, const Polygon& shape, const Pose& pose) {
  m.count = 0;
  constexpr f32 thickness = 2 * kSkin;
  Vec along = ground.to - ground.from;
  normalize(along);
  const Vec upward{along.y, -along.x};
  const bool front = dot(upward, to_world(pose, shape.centroid) - ground.from) >= 0;
  const Vec facing = front ? upward : -upward;
  Vec vertex[kMaxVertices], normal[kMaxVertices];
  f32 edge_gap = kLargest;
  for (i32 i = 0; i < shape.count; ++i) {
    vertex[i] = to_world(pose, shape.vertex[i]);
    normal[i] = rotate(pose.turn, shape.normal[i]);
    edge_gap = least(dot(facing, vertex[i] - ground.from), edge_gap);
  }
  if (edge_gap > thickness) return;
  i32 best = -1;
  f32 polygon_gap = -kLargest;
  for (i32 i = 0; i < shape.count; ++i) {
    const Vec inward = -normal[i];
    const f32 gap = least(dot(inward, vertex[i] - ground.from), dot(inward, vertex[i] - ground.to));
    if (gap > thickness) return;
    // This is Box2D's limit for the normals of edges. A segment without neighbours, like ours, never exceeds the limit.
    if (dot(inward + facing, facing) < -kAngularSlop) continue;
    if (gap > polygon_gap) {
      polygon_gap = gap;
      best = i;
    }
  }
  const bool by_body = best >= 0 && polygon_gap > 0.98f * edge_gap + 0.001f;
  m.edge_of_body = by_body;
  Clipped ends[2];
  Vec from, to, outward;
  u32 from_vertex, to_vertex;
  const auto after = [&](i32 i) { return i + 1 < shape.count ? i + 1 : 0; };
  if (by_body) {
    ends[0] = {ground.from, feature(0, /*ground_edge=*/false, u32(best), /*body_edge=*/true)};
    ends[1] = {ground.to, feature(0, /*ground_edge=*/false, u32(best), /*body_edge=*/true)};
    from_vertex = u32(best);
    to_vertex = u32(after(best));
    from = vertex[from_vertex];
    to = vertex[to_vertex];
    outward = normal[best];
  } else {
    const i32 first = most_opposed(normal, shape.count, facing), second = after(first);
    ends[0] = {vertex[first], feature(0, /*ground_edge=*/true, u32(first), /*body_edge=*/false)};
    ends[1] = {vertex[second], feature(0, /*ground_edge=*/true, u32(second), /*body_edge=*/false)};
    from_vertex = front ? 0 : 1;
    to_vertex = front ? 1 : 0;
    from = front ? ground.from : ground.to;
    to = front ? ground.to : ground.from;
    outward = facing;
  }
  const Vec side{outward.y, -outward.x};
  if (!clip(ends, side, dot(side, from), from_vertex) || !clip(ends, -side, dot(-side, to), to_vertex)) return;
  m.normal = by_body ? shape.normal[best] : outward;
  m.plane = by_body ? shape.vertex[best] : from;
  for (const Clipped& end : ends) {
    if (!(dot(outward, end.at - from) <= thickness)) continue;
    m.point[m.count].local = by_body ? end.at : to_local(pose, end.at);
    m.point[m.count++].feature = by_body ? swapped(end.feature) : end.feature;
  }
}

// Returns how far an edge of `a` is from `b`, negative if they overlap.
ENVPOOL_ALWAYS_INLINE f32 edge_gap(const Polygon& a, const Pose& pose_a, i32 edge, const Polygon& b,
                                   const Pose& pose_b) {
  const Vec normal = rotate(pose_a.turn, a.normal[edge]), local = unrotate(pose_b.turn, normal);
  const i32 deepest = most_opposed(b.vertex, b.count, local);
  return dot(to_world(pose_b, b.vertex[deepest]) - to_world(pose_a, a.vertex[edge]), normal);
}

struct Gap {
  f32 gap;
  i32 edge;
};

// Searches for the edge of `a` that separates best. Starts at the edge that faces the centre of `b`, and goes on to
// neighbours as long as the gap grows. The search may stop at a local maximum.
ENVPOOL_DEVICE_CALL Gap widest_gap(const Polygon& a, const Pose& pose_a, const Polygon& b, const Pose& pose_b) {
  const Vec toward = unrotate(pose_a.turn, to_world(pose_b, b.centroid) - to_world(pose_a, a.centroid));
  i32 edge = 0;
  f32 largest = -kLargest;
  for (i32 i = 0; i < a.count; ++i) {
    const f32 value = dot(a.normal[i], toward);
    if (value > largest) {
      largest = value;
      edge = i;
    }
  }
  const auto before = [&](i32 i) { return i > 0 ? i - 1 : a.count - 1; };
  const auto after = [&](i32 i) { return i + 1 < a.count ? i + 1 : 0; };
  const auto at = [&](i32 i) { return Gap{edge_gap(a, pose_a, i, b, pose_b), i}; };
  Gap best = at(edge);
  const Gap previous = at(before(edge)), next = at(after(edge));
  const bool backward = previous.gap > best.gap && previous.gap > next.gap;
  if (!backward && !(next.gap > best.gap)) return best;
  best = backward ? previous : next;
  for (i32 i = 0; i < a.count; ++i) {  // the separation grows in each round, so no edge is seen twice
    const Gap further = at(backward ? before(best.edge) : after(best.edge));
    if (!(further.gap > best.gap)) break;
    best = further;
  }
  return best;
}

// Finds the contact between a polygon of the ground and the polygon of a body.
ENVPOOL_DEVICE_CALL void collide(Manifold& m, const Polygon& ground, const Polygon& shape, const Pose& pose) {
  m.count = 0;
  constexpr f32 thickness = kSkin + kSkin;
  const Pose still{{0, 0}, {0, 1}};
  const Gap by_ground = widest_gap(ground, still, shape, pose);
  if (by_ground.gap > thickness) return;
  const Gap by_body = widest_gap(shape, pose, ground, still);
  if (by_body.gap > thickness) return;
  const bool flip = by_body.gap > 0.98f * by_ground.gap + 0.001f;
  m.edge_of_body = flip;
  const Polygon &holder = flip ? shape : ground, &other = flip ? ground : shape;
  const Pose &holder_pose = flip ? pose : still, &other_pose = flip ? still : pose;
  const i32 edge = flip ? by_body.edge : by_ground.edge, edge_end = edge + 1 < holder.count ? edge + 1 : 0;
  const Vec facing = unrotate(other_pose.turn, rotate(holder_pose.turn, holder.normal[edge]));
  const i32 first = most_opposed(other.normal, other.count, facing), second = first + 1 < other.count ? first + 1 : 0;
  Clipped ends[2] = {{to_world(other_pose, other.vertex[first]),
                      feature(u32(edge), /*ground_edge=*/true, u32(first), /*body_edge=*/false)},
                     {to_world(other_pose, other.vertex[second]),
                      feature(u32(edge), /*ground_edge=*/true, u32(second), /*body_edge=*/false)}};
  const Vec local_from = holder.vertex[edge], local_to = holder.vertex[edge_end];
  Vec local_along = local_to - local_from;
  normalize(local_along);
  const Vec along = rotate(holder_pose.turn, local_along), outward = cross(along, 1.0f);
  const Vec from = to_world(holder_pose, local_from), to = to_world(holder_pose, local_to);
  if (!clip(ends, -along, -dot(along, from) + thickness, u32(edge)) ||
      !clip(ends, along, dot(along, to) + thickness, u32(edge_end))) {
    return;
  }
  const f32 front = dot(outward, from);
  m.normal = cross(local_along, 1.0f);
  m.plane = 0.5f * (local_from + local_to);
  for (const Clipped& end : ends) {
    if (!(dot(outward, end.at) - front <= thickness)) continue;
    m.point[m.count].local = to_local(other_pose, end.at);
    m.point[m.count++].feature = flip ? swapped(end.feature) : end.feature;
  }
}

}  // namespace envpool::box2d
