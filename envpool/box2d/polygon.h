// SPDX-License-Identifier: Apache-2.0
//
// Convex polygons, line segments and the masses of bodies. Everything here can be computed by the compiler, because the
// bodies of an environment are known when it is compiled.
#pragma once

#include "envpool/box2d/vec.h"

namespace envpool::box2d {

inline constexpr i32 kMaxVertices = 8;

struct Polygon {
  i32 count;
  Vec vertex[kMaxVertices], normal[kMaxVertices];
  Vec centroid;
};

struct Segment {
  Vec from, to;
};

// A moving body that consists of one polygon, or of several if nothing collides with it.
struct Solid {
  Polygon shape;
  Vec center;  // of mass, in the body's frame
  f32 inverse_mass, inverse_inertia;
  f32 friction, restitution;
};

// Returns the correctly rounded square root of a number from 2^-60 to 2^60.
constexpr f32 constant_sqrt(f32 x) {
  f64 root = x > 1 ? f64(x) : 1;
  for (int i = 0; i < 80; ++i) root = 0.5 * (root + x / root);
  return f32(root);
}

// Computes the centroid from the vertices.
ENVPOOL_FN constexpr void set_centroid(Polygon& polygon) {
  f32 area = 0;
  Vec sum{0, 0};
  for (i32 i = 0; i < polygon.count; ++i) {
    const Vec a = polygon.vertex[i], b = polygon.vertex[i + 1 < polygon.count ? i + 1 : 0];
    const f32 triangle = 0.5f * cross(a, b);
    area += triangle;
    sum = sum + (triangle * (1.0f / 3)) * (a + b);
  }
  const f32 inverse = 1 / area;
  polygon.centroid = {sum.x * inverse, sum.y * inverse};
}

// Returns the vertices of the convex hull in counter-clockwise order, beginning with the rightmost one. Sets neither
// normals nor the centroid.
template <i32 kCount>
ENVPOOL_FN constexpr Polygon outline(const Vec (&points)[kCount]) {
  static_assert(kCount <= kMaxVertices);
  i32 first = 0;
  for (i32 i = 1; i < kCount; ++i) {
    const bool lower = points[i].x == points[first].x && points[i].y < points[first].y;
    if (points[i].x > points[first].x || lower) first = i;
  }
  Polygon result{};
  i32 at = first;
  do {
    result.vertex[result.count++] = points[at];
    i32 next = 0;
    for (i32 i = 1; i < kCount; ++i) {
      if (next == at) {
        next = i;
        continue;
      }
      const Vec best = points[next] - points[at], other = points[i] - points[at];
      const f32 side = cross(best, other);
      if (side < 0 || (side == 0 && dot(other, other) > dot(best, best))) next = i;
    }
    at = next;
  } while (at != first && result.count < kCount);
  return result;
}

// Returns the convex hull. Its vertices are in counter-clockwise order and begin with the rightmost one.
template <i32 kCount>
constexpr Polygon hull(const Vec (&points)[kCount]) {
  Polygon result = outline(points);
  for (i32 i = 0; i < result.count; ++i) {
    const Vec edge = result.vertex[i + 1 < result.count ? i + 1 : 0] - result.vertex[i], outward = cross(edge, 1.0f);
    const f32 inverse = 1 / constant_sqrt(dot(outward, outward));
    result.normal[i] = {outward.x * inverse, outward.y * inverse};
  }
  set_centroid(result);
  return result;
}

// Returns the rectangle from -half to half.
constexpr Polygon rectangle(f32 half_width, f32 half_height) {
  return {.count = 4,
          .vertex = {{-half_width, -half_height},
                     {half_width, -half_height},
                     {half_width, half_height},
                     {-half_width, half_height}},
          .normal = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}},
          .centroid = {0, 0}};
}

// The mass of a shape, its centre, and its moment of inertia about the origin.
struct Mass {
  f32 mass;
  Vec center;
  f32 inertia;
};

// Returns the mass of a shape of uniform density.
constexpr Mass mass_of(const Polygon& shape, f32 density) {
  Vec middle{0, 0}, center{0, 0};
  for (i32 i = 0; i < shape.count; ++i) middle = middle + shape.vertex[i];
  const f32 part = 1.0f / f32(shape.count), third = 1.0f / 3;
  middle = {middle.x * part, middle.y * part};
  f32 area = 0, inertia = 0;
  for (i32 i = 0; i < shape.count; ++i) {
    const Vec a = shape.vertex[i] - middle, b = shape.vertex[i + 1 < shape.count ? i + 1 : 0] - middle;
    const f32 twice = cross(a, b), triangle = 0.5f * twice;
    area += triangle;
    center = center + (triangle * third) * (a + b);
    const f32 xx = a.x * a.x + b.x * a.x + b.x * b.x, yy = a.y * a.y + b.y * a.y + b.y * b.y;
    inertia += (0.25f * third * twice) * (xx + yy);
  }
  const f32 mass = density * area, inverse_area = 1 / area;
  center = {center.x * inverse_area, center.y * inverse_area};
  const Vec local = center + middle;
  inertia = density * inertia;
  inertia += mass * (dot(local, local) - dot(center, center));
  return {mass, local, inertia};
}

// Returns a body with the total mass of `parts`. Its `shape` is the first part.
template <i32 kParts>
constexpr Solid solid(const Polygon (&parts)[kParts], f32 density, f32 friction, f32 restitution) {
  f32 mass = 0, inertia = 0;
  Vec weighted{0, 0};
  for (i32 i = kParts - 1; i >= 0; --i) {
    const Mass part = mass_of(parts[i], density);
    mass += part.mass;
    weighted = weighted + part.mass * part.center;
    inertia += part.inertia;
  }
  const f32 inverse_mass = 1 / mass;
  const Vec balanced{weighted.x * inverse_mass, weighted.y * inverse_mass};
  inertia -= mass * dot(balanced, balanced);
  return {parts[0], balanced, inverse_mass, 1 / inertia, friction, restitution};
}
constexpr Solid solid(const Polygon& shape, f32 density, f32 friction, f32 restitution) {
  const Polygon parts[1] = {shape};
  return solid(parts, density, friction, restitution);
}

ENVPOOL_ALWAYS_INLINE Box bounds(const Polygon& shape, const Pose& pose) {
  Box box{to_world(pose, shape.vertex[0]), {}};
  box.high = box.low;
  for (i32 i = 1; i < shape.count; ++i) {
    const Vec vertex = to_world(pose, shape.vertex[i]);
    box = {least(box.low, vertex), greatest(box.high, vertex)};
  }
  return widen(box, kSkin);
}
ENVPOOL_ALWAYS_INLINE Box bounds(const Polygon& shape) {
  Box box{shape.vertex[0], shape.vertex[0]};
  for (i32 i = 1; i < shape.count; ++i) box = {least(box.low, shape.vertex[i]), greatest(box.high, shape.vertex[i])};
  return widen(box, kSkin);
}
ENVPOOL_ALWAYS_INLINE Box bounds(const Segment& segment) {
  return widen({least(segment.from, segment.to), greatest(segment.from, segment.to)}, kSkin);
}

}  // namespace envpool::box2d
