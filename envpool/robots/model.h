// SPDX-License-Identifier: Apache-2.0
//
// The types of a model's tables. A model is a struct that tools/mujoco_tables.py writes from an mjModel: counts and
// options as constants, and tables as functions of an index. Arrays are functions because a kernel for a GPU can access
// constants of functions, but not constants of classes. Names are those of MuJoCo, and so are all units.
#pragma once

#include "envpool/core/api.h"

namespace envpool::robots {

// How a body's or geom's frame relates to the frame of its body, which saves operations (mjtSameFrame).
enum class SameFrame : i32 { kNone, kBody, kInertia, kBodyRotation, kInertiaRotation };
enum class JointType : i32 { kFree, kSlide, kHinge };
enum class GeomType : i32 { kPlane, kSphere, kCapsule };
enum class Integrator : i32 { kEuler, kRk4 };
enum class Solver : i32 { kNewton, kPgs };

struct Body {
  i32 parent, root;
  SameFrame same_frame;  // of the frame of inertia
  i32 joint, joints;     // the first joint, and their number
  i32 dof, dofs;
  f64 pos[3], quat[4];
  f64 ipos[3], iquat[4];  // the frame of inertia
  f64 mass, inertia[3];
  f64 invweight;  // of translations: body_invweight0[0]
};

struct Joint {
  JointType type;
  i32 body, position, dof;  // addresses in qpos and qvel
  f64 pos[3], axis[3];
  f64 stiffness, rest;  // of a spring, and its qpos_spring
};

struct Dof {
  i32 body;
  i32 row, ancestors;              // the address of its row in M, and the number of elements before the diagonal
  bool simple;                     // its row of M is a constant
  f64 armature, damping, inertia;  // `inertia` is dof_M0
};

// A kinematic tree.
struct Tree {
  i32 dof, dofs;  // the first dof, and their number
};

struct Geom {
  GeomType type;
  i32 id;  // in mjModel, which also has geoms that never collide
  i32 body;
  SameFrame same_frame;
  f64 pos[3], quat[4];
  f64 radius, half_length;
  f64 bound;  // radius of the bounding sphere
};

// A geom in an image.
struct Shape {
  GeomType type;
  i32 body;
  SameFrame same_frame;
  f64 pos[3], quat[4];
  f64 radius, half_length;
  u8 color[3];
};

struct Site {
  i32 body;
  SameFrame same_frame;
  f64 pos[3];
};

// How hard a constraint is: the stiffness and damping that solref and solimp mean, and the impedance as a function of
// the violation.
struct Impedance {
  f64 stiffness, damping;        // K and B in MuJoCo's documentation
  f64 low, high, width, middle;  // solimp
  f64 margin;
};

// A joint limit.
struct Limit {
  i32 position, dof, tree;
  f64 low, high;
  f64 invweight;  // dof_invweight0
  Impedance impedance;
};

// Two geoms that may collide.
struct Pair {
  i32 geom1, geom2;
  i32 root, tree;
  i32 dimensions;     // condim: 1 or 3
  i32 chain;          // the first element in the table of chains of dofs that move one of the geoms, but not both:
  i32 links1, links;  // the number of those that move geom1, which come first, and the number of all
  Impedance impedance;
};

// A joint whose position is part of the length of a tendon.
struct TendonJoint {
  i32 tendon, position, dof;
  f64 coefficient;
};

struct Actuator {
  i32 dof;
  f64 gain, gear;
  bool limited;
  f64 low, high;  // of the control
};

}  // namespace envpool::robots
