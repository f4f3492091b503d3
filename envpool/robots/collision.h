// SPDX-License-Identifier: Apache-2.0
//
// Contacts between planes, spheres and capsules. In lanes, a contact is listed if it exists in any of them.
#pragma once

#include "envpool/robots/kinematics.h"

namespace envpool::robots {

// A geom's position, and the direction of a capsule or of a plane's normal.
template <class T>
struct GeomPose {
  T pos[3], axis[3];
};

// Completes a frame whose first row is the normal and whose second row is near a tangent, or zero.
template <class T>
ENVPOOL_ALWAYS_INLINE void make_frame(T* frame) {
  normalize3(frame);
  T* const tangent = frame + 3;
  const Mask<T> missing = dot3(tangent, tangent) < splat<T>(0.25);
  const Mask<T> upright = missing & (frame[1] < splat<T>(0.5)) & (frame[1] > splat<T>(-0.5));
  for (int i = 0; i < 3; ++i) {
    tangent[i] = select(missing, select(upright, splat<T>(i == 1), splat<T>(i == 2)), tangent[i]);
  }
  const T along = dot3(frame, tangent);
  for (int i = 0; i < 3; ++i) tangent[i] = tangent[i] - frame[i] * along;
  normalize3(tangent);
  cross(frame + 6, frame, tangent);
}

// Collects the contacts of one pair after the other.
template <class M, class T>
class Collider {
 public:
  ENVPOOL_ALWAYS_INLINE explicit Collider(Data<M, T>& data) : d_(data) {
    for (i32 g = 0; g < M::kGeoms; ++g) {
      const Geom& geom = M::geom(g);
      T rotation[9];
      global_position(d_, geom.body, geom.same_frame, geom.pos, pose_[g].pos);
      global_rotation(d_, geom.body, geom.same_frame, geom.quat, rotation);
      for (int i = 0; i < 3; ++i) pose_[g].axis[i] = rotation[3 * i + 2];
    }
  }

  ENVPOOL_ALWAYS_INLINE void collide(i32 index) {
    const Pair& pair = M::pair(index);
    const Geom &geom1 = M::geom(pair.geom1), &geom2 = M::geom(pair.geom2);
    const GeomPose<T>&pose1 = pose_[pair.geom1], &pose2 = pose_[pair.geom2];
    const Mask<T> near = are_near(geom1, pose1, geom2, pose2, pair.impedance.margin);
    if (!any(near)) return;
    if (geom1.type == GeomType::kPlane) {
      if (geom2.type == GeomType::kSphere) {
        plane_and_sphere(index, near, pose1, pose2.pos, geom2.radius, nullptr);
      } else {
        for (i32 end = 0; end < 2; ++end) {
          T center[3];
          const f64 along = end == 0 ? geom2.half_length : -geom2.half_length;
          for (int i = 0; i < 3; ++i) center[i] = pose2.pos[i] + pose2.axis[i] * along;
          plane_and_sphere(index, near, pose1, center, geom2.radius, pose2.axis);
        }
      }
    } else if (geom2.type == GeomType::kSphere) {
      spheres(index, near, pose1.pos, pose2.pos);
    } else if (geom1.type == GeomType::kSphere) {
      T offset[3], center[3];
      for (int i = 0; i < 3; ++i) offset[i] = pose1.pos[i] - pose2.pos[i];
      const T along = clamp(dot3(pose2.axis, offset), -geom2.half_length, geom2.half_length);
      for (int i = 0; i < 3; ++i) center[i] = pose2.axis[i] * along + pose2.pos[i];
      spheres(index, near, pose1.pos, center);
    } else {
      capsules(index, near, geom1, pose1, geom2, pose2);
    }
  }

 private:
  // Whether the bounding spheres are close enough for a contact.
  ENVPOOL_ALWAYS_INLINE static Mask<T> are_near(const Geom& geom1, const GeomPose<T>& pose1, const Geom& geom2,
                                                const GeomPose<T>& pose2, f64 margin) {
    T offset[3];
    for (int i = 0; i < 3; ++i) offset[i] = pose2.pos[i] - pose1.pos[i];
    if (geom1.type == GeomType::kPlane) return dot3(offset, pose1.axis) <= splat<T>(margin + geom2.bound);
    const f64 bound = geom1.bound + geom2.bound + margin;
    return dot3(offset, offset) <= splat<T>(bound * bound);
  }

  // Adds a contact whose frame has its normal, and its tangent or zeros.
  ENVPOOL_ALWAYS_INLINE void add_contact(i32 pair, Mask<T> touches, T distance, const T* pos, const T* frame) {
    if (!any(touches)) return;
    if constexpr (Room<M, T>::kLimited) {
      rows_ += M::pair(pair).dimensions == 3 ? 4 : 1;
      if (d_.contacts == Room<M, T>::kContacts || rows_ > Room<M, T>::kContactRows) {
        d_.is_full = true;
        return;
      }
    }
    Contact<T>& contact = d_.contact[d_.contacts++];
    contact.pair = pair;
    contact.touches = touches;
    contact.distance = distance;
    copy<3>(contact.pos, pos);
    copy<6>(contact.frame, frame);
    make_frame(contact.frame);
  }

  ENVPOOL_ALWAYS_INLINE void plane_and_sphere(i32 pair, Mask<T> near, const GeomPose<T>& plane, const T* center,
                                              f64 radius, const T* tangent) {
    const f64 margin = M::pair(pair).impedance.margin;
    T offset[3], pos[3], frame[6]{};
    for (int i = 0; i < 3; ++i) offset[i] = center[i] - plane.pos[i];
    const T height = dot3(offset, plane.axis), distance = height - radius;
    const Mask<T> touches = near & (height <= splat<T>(margin + radius)) & (distance < splat<T>(margin));
    for (int i = 0; i < 3; ++i) pos[i] = center[i] + plane.axis[i] * (-distance * 0.5 - radius);
    copy<3>(frame, plane.axis);
    if (tangent != nullptr) copy<3>(frame + 3, tangent);
    add_contact(pair, touches, distance, pos, frame);
  }

  ENVPOOL_ALWAYS_INLINE void spheres(i32 pair, Mask<T> near, const T* center1, const T* center2) {
    const f64 margin = M::pair(pair).impedance.margin;
    const f64 radius1 = M::geom(M::pair(pair).geom1).radius, radius2 = M::geom(M::pair(pair).geom2).radius;
    T frame[6]{}, pos[3];
    for (int i = 0; i < 3; ++i) frame[i] = center2[i] - center1[i];
    const T square = dot3(frame, frame);
    const f64 reach = margin + radius1 + radius2;
    const T norm = normalize3(frame), distance = norm - radius1 - radius2;
    const Mask<T> coincide = near & (norm < splat<T>(kMinValue));
    if (any(coincide)) {  // the normal is perpendicular to both geoms, as for planar robots whose limbs cross
      T normal[3];
      cross(normal, pose_[M::pair(pair).geom1].axis, pose_[M::pair(pair).geom2].axis);
      normalize3(normal);
      for (int i = 0; i < 3; ++i) frame[i] = select(coincide, normal[i], frame[i]);
    }
    const Mask<T> touches = near & (square <= splat<T>(reach * reach)) & (distance < splat<T>(margin));
    for (int i = 0; i < 3; ++i) pos[i] = frame[i] * (radius1 + distance * 0.5) + center1[i];
    add_contact(pair, touches, distance, pos, frame);
  }

  // Spheres at the closest points of the two segments; at two pairs of points if the segments are parallel.
  ENVPOOL_ALWAYS_INLINE void capsules(i32 pair, Mask<T> near, const Geom& geom1, const GeomPose<T>& pose1,
                                      const Geom& geom2, const GeomPose<T>& pose2) {
    T begin1[3], along1[3], begin2[3], along2[3], offset[3], normal[3], turned[3];
    segment(begin1, along1, geom1, pose1);
    segment(begin2, along2, geom2, pose2);
    for (int i = 0; i < 3; ++i) offset[i] = begin1[i] - begin2[i];
    const T a = dot3(along1, along1), e = dot3(along2, along2), f = dot3(along2, offset), c = dot3(along1, offset);
    const T b = dot3(along1, along2);
    cross(normal, along1, along2);
    cross(turned, along2, offset);
    const T square = dot3(normal, normal);
    const Mask<T> skew = square > a * 1e-8 * e;
    const T s = clamp(dot3(normal, turned) / square, 0.0, 1.0);
    const T first1 = select(skew, s, T{}), first2 = select(skew, (b * s + f) / e, f / e);
    at_closest(pair, near, begin1, along1, begin2, along2, first1, first2, a, b, c);
    const Mask<T> parallel = near & (skew == no<T>());
    if (any(parallel)) {
      at_closest(pair, parallel, begin1, along1, begin2, along2, splat<T>(1), (b + f) / e, a, b, c);
    }
  }
  ENVPOOL_ALWAYS_INLINE static void segment(T* begin, T* along, const Geom& geom, const GeomPose<T>& pose) {
    for (int i = 0; i < 3; ++i) {
      const T half = pose.axis[i] * geom.half_length;
      begin[i] = pose.pos[i] - half;
      along[i] = (pose.pos[i] + half) - begin[i];
    }
  }
  ENVPOOL_ALWAYS_INLINE void at_closest(i32 pair, Mask<T> near, const T* begin1, const T* along1, const T* begin2,
                                        const T* along2, T s, T t, T a, T b, T c) {
    const Mask<T> below = t<T{}, above = t> splat<T>(1);
    s = select(below, clamp(-c / a, 0.0, 1.0), select(above, clamp((b - c) / a, 0.0, 1.0), s));
    t = clamp(t, 0.0, 1.0);
    T center1[3], center2[3];
    for (int i = 0; i < 3; ++i) {
      center1[i] = along1[i] * s + begin1[i];
      center2[i] = along2[i] * t + begin2[i];
    }
    spheres(pair, near, center1, center2);
  }

  Data<M, T>& d_;
  i32 rows_ = 0;
  GeomPose<T> pose_[M::kGeoms > 0 ? M::kGeoms : 1];
};

template <class M, class T>
ENVPOOL_ALWAYS_INLINE void collisions(Data<M, T>& d) {
  d.contacts = 0;
  if constexpr (M::kPairs > 0) {
    Collider<M, T> collider(d);
    for (i32 pair = 0; pair < M::kPairs; ++pair) collider.collide(pair);
  }
}

}  // namespace envpool::robots
