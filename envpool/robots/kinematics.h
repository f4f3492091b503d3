// SPDX-License-Identifier: Apache-2.0
//
// Forward kinematics: poses of bodies, geoms and sites, centres of mass, and the axes of motion of the dofs.
#pragma once

#include "envpool/robots/data.h"

namespace envpool::robots {

// Computes the global position of a point of a body.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void global_position(const Data<M, T>& d, i32 body, SameFrame same, const f64* pos, T* out) {
  if (same == SameFrame::kBody) {
    copy<3>(out, d.xpos[body]);
  } else if (same == SameFrame::kInertia) {
    copy<3>(out, d.xipos[body]);
  } else {
    multiply_matrix(out, d.xmat[body], pos);
    add<3>(out, d.xpos[body]);
  }
}
// Computes the global orientation of a frame of a body.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void global_rotation(const Data<M, T>& d, i32 body, SameFrame same, const f64* quat, T* out) {
  if (same == SameFrame::kBody || same == SameFrame::kBodyRotation) {
    copy<9>(out, d.xmat[body]);
  } else if (same == SameFrame::kInertia || same == SameFrame::kInertiaRotation) {
    copy<9>(out, d.ximat[body]);
  } else {
    T product[4];
    multiply_quaternions(product, d.xquat[body], quat);
    to_matrix(out, product);
  }
}

template <class M, class T>
ENVPOOL_ALWAYS_INLINE void move_by_joint(Data<M, T>& d, i32 index, const T* qpos) {
  const Joint& joint = M::joint(index);
  T* const pos = d.xpos[joint.body];
  T* const quat = d.xquat[joint.body];
  if constexpr (M::kFreeJoints) {
    if (joint.type == JointType::kFree) {
      copy<3>(pos, qpos + joint.position);
      copy<4>(quat, qpos + joint.position + 3);
      normalize_quaternion(quat);
      copy<3>(d.xanchor[index], pos);
      copy<3>(d.xaxis[index], joint.axis);
      return;
    }
  }
  rotate(d.xaxis[index], quat, joint.axis);
  rotate(d.xanchor[index], quat, joint.pos);
  add<3>(d.xanchor[index], pos);
  const T moved = qpos[joint.position] - M::initial(joint.position);
  if (joint.type == JointType::kSlide) {
    add_scaled<3>(pos, d.xaxis[index], moved);
    return;
  }
  const auto [sine, cosine] = sincos(moved * 0.5);
  const T turn[4] = {cosine, joint.axis[0] * sine, joint.axis[1] * sine, joint.axis[2] * sine};
  T turned[4], lever[3];
  multiply_quaternions(turned, quat, turn);
  copy<4>(quat, turned);
  rotate(lever, quat, joint.pos);
  for (int i = 0; i < 3; ++i) pos[i] = d.xanchor[index][i] - lever[i];
}

template <class M, class T>
ENVPOOL_ALWAYS_INLINE void kinematics(Data<M, T>& d, const T* qpos) {
  zero<3>(d.xpos[0]);
  zero<3>(d.xipos[0]);
  zero<4>(d.xquat[0]);
  d.xquat[0][0] = splat<T>(1);
  to_matrix(d.xmat[0], d.xquat[0]);
  copy<9>(d.ximat[0], d.xmat[0]);
  ENVPOOL_UNROLL
  for (i32 b = 1; b < M::kBodies; ++b) {
    const Body& body = M::body(b);
    if (body.parent == 0) {
      copy<3>(d.xpos[b], body.pos);
      copy<4>(d.xquat[b], body.quat);
    } else {
      multiply_matrix(d.xpos[b], d.xmat[body.parent], body.pos);
      add<3>(d.xpos[b], d.xpos[body.parent]);
      multiply_quaternions(d.xquat[b], d.xquat[body.parent], body.quat);
    }
    ENVPOOL_UNROLL
    for (i32 j = body.joint; j < body.joint + body.joints; ++j) move_by_joint(d, j, qpos);
    normalize_quaternion(d.xquat[b]);
    to_matrix(d.xmat[b], d.xquat[b]);
    global_position(d, b, body.same_frame == SameFrame::kInertia ? SameFrame::kNone : body.same_frame, body.ipos,
                    d.xipos[b]);
    global_rotation(d, b, body.same_frame, body.iquat, d.ximat[b]);
  }
}

// Computes the centre of mass of each tree, and inertias and axes of motion about it.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void centers_of_mass(Data<M, T>& d) {
  ENVPOOL_UNROLL
  for (i32 b = 0; b < M::kBodies; ++b) {
    for (int i = 0; i < 3; ++i) d.com[b][i] = d.xipos[b][i] * d.numbers->body_mass[b];
  }
  ENVPOOL_UNROLL
  for (i32 b = M::kBodies - 1; b > 0; --b) {
    const Body& body = M::body(b);
    if (body.parent > 0) {
      add<3>(d.com[body.parent], d.com[b]);
    } else {
      const T scale = d.numbers->inverse_mass[b];
      for (int i = 0; i < 3; ++i) d.com[b][i] = select(scale != T{}, d.com[b][i] * scale, d.xipos[b][i]);
    }
  }
  ENVPOOL_UNROLL
  for (i32 b = 1; b < M::kBodies; ++b) {
    const Body& body = M::body(b);
    T offset[3];
    for (int i = 0; i < 3; ++i) offset[i] = d.xipos[b][i] - d.com[body.root][i];
    make_inertia(d.cinert[b], d.numbers->body_inertia[b], d.ximat[b], offset, d.numbers->body_mass[b]);
  }
  ENVPOOL_UNROLL
  for (i32 j = 0; j < M::kJoints; ++j) {
    const Joint& joint = M::joint(j);
    T* const cdof = d.cdof[joint.dof];
    T offset[3];
    for (int i = 0; i < 3; ++i) offset[i] = d.com[M::body(joint.body).root][i] - d.xanchor[j][i];
    if (joint.type == JointType::kSlide) {
      zero<3>(cdof);
      copy<3>(cdof + 3, d.xaxis[j]);
    } else if (joint.type == JointType::kHinge) {
      copy<3>(cdof, d.xaxis[j]);
      cross(cdof + 3, d.xaxis[j], offset);
    } else if constexpr (M::kFreeJoints) {
      zero<18>(cdof);
      for (int i = 0; i < 3; ++i) {
        T* const axis = d.cdof[joint.dof + 3 + i];
        d.cdof[joint.dof + i][3 + i] = splat<T>(1);
        for (int k = 0; k < 3; ++k) axis[k] = d.xmat[joint.body][3 * k + i];
        cross(axis + 3, axis, offset);
      }
    }
  }
}

}  // namespace envpool::robots
