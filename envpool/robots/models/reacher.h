// SPDX-License-Identifier: Apache-2.0
//
// The model reacher.xml of gymnasium 1.4.0, compiled by MuJoCo 3.17.0.
// Written by tools/mujoco_tables.py; do not edit.
#pragma once

#include "envpool/robots/model.h"

namespace envpool::robots {

// clang-format off
struct ReacherModel {
  static constexpr i32 kPositions = 4;
  static constexpr i32 kDofs = 4;
  static constexpr i32 kBodies = 5;
  static constexpr i32 kJoints = 4;
  static constexpr i32 kElements = 5;
  static constexpr i32 kTrees = 2;
  static constexpr i32 kModelGeoms = 10;
  static constexpr i32 kGeoms = 0;
  static constexpr i32 kPairs = 0;
  static constexpr i32 kContacts = 0;
  static constexpr i32 kContactRows = 0;
  static constexpr i32 kLimits = 3;
  static constexpr i32 kActuators = 2;
  static constexpr i32 kTendons = 0;
  static constexpr i32 kTendonJoints = 0;
  static constexpr i32 kSites = 0;
  static constexpr i32 kShapes = 9;
  static constexpr i32 kIterations = 100, kLineSearchIterations = 50;
  static constexpr f64 kTimestep = 0.01;
  static constexpr f64 kTolerance = 1e-08;
  static constexpr f64 kLineSearchTolerance = 0.01;
  static constexpr f64 kDensity = 0.0;
  static constexpr f64 kViscosity = 0.0;
  static constexpr Integrator kIntegrator = Integrator::kRk4;
  static constexpr Solver kSolver = Solver::kNewton;
  static constexpr bool kFreeJoints = false;
  static constexpr bool kSimpleDofs = true;

  ENVPOOL_FN static const f64& gravity(i32 i) {
    static constexpr f64 table[] = {
        0.0, 0.0, -9.81};
    return table[i];
  }
  ENVPOOL_FN static const f64& initial(i32 i) {
    static constexpr f64 table[] = {
        0.0, 0.0, 0.1, -0.1};
    return table[i];
  }
  ENVPOOL_FN static const Body& body(i32 i) {
    static constexpr Body table[] = {
        {0, 0, SameFrame::kBody, -1, 0, -1, 0, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}, 0.0},
        {0, 1, SameFrame::kNone, 0, 1, 0, 1, {0.0, 0.0, 0.01}, {1.0, 0.0, 0.0, 0.0}, {0.05, 0.0, 0.0}, {0.7071067811865476, 0.0, -0.7071067811865475, 0.0}, 0.03560471674068432, {3.9175660390264734e-05, 3.9175660390264734e-05, 1.7383479349863525e-06}, 0.0008323734403265151},
        {1, 1, SameFrame::kNone, 1, 1, 1, 1, {0.1, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.05, 0.0, 0.0}, {0.7071067811865476, 0.0, -0.7071067811865475, 0.0}, 0.03560471674068432, {3.9175660390264734e-05, 3.9175660390264734e-05, 1.7383479349863525e-06}, 0.00832253224276709},
        {2, 1, SameFrame::kBody, -1, 0, -1, 0, {0.11, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.004188790204786391, {1.6755160819145565e-07, 1.6755160819145565e-07, 1.6755160819145565e-07}, 0.01870947938983977},
        {0, 4, SameFrame::kBody, 2, 2, 2, 2, {0.1, -0.1, 0.01}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.0030536280592892784, {9.893754912097261e-08, 9.893754912097261e-08, 9.893754912097261e-08}, 327.47930677344726}};
    return table[i];
  }
  ENVPOOL_FN static const Joint& joint(i32 i) {
    static constexpr Joint table[] = {
        {JointType::kHinge, 1, 0, 0, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0},
        {JointType::kHinge, 2, 1, 1, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0},
        {JointType::kSlide, 4, 2, 2, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, 0.0},
        {JointType::kSlide, 4, 3, 3, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 0.0, 0.0}};
    return table[i];
  }
  ENVPOOL_FN static const Dof& dof(i32 i) {
    static constexpr Dof table[] = {
        {1, 0, 0, false, 1.0, 1.0, 1.0011533624389368},
        {2, 1, 1, false, 1.0, 1.0, 1.000179039365328},
        {4, 3, 0, true, 0.0, 0.0, 0.0030536280592892784},
        {4, 4, 0, true, 0.0, 0.0, 0.0030536280592892784}};
    return table[i];
  }
  ENVPOOL_FN static const Tree& tree(i32 i) {
    static constexpr Tree table[] = {
        {0, 2},
        {2, 2}};
    return table[i];
  }
  ENVPOOL_FN static const i32& column(i32 i) {
    static constexpr i32 table[] = {
        0, 0, 1, 2, 3};
    return table[i];
  }
  ENVPOOL_FN static const Geom& geom(i32 i) {
    static constexpr Geom table[] = {
        {}};
    return table[i];
  }
  ENVPOOL_FN static const f64& friction(i32 i) {
    static constexpr f64 table[] = {
        1.0, 0.1, 0.1, 1.0, 0.1, 0.1, 1.0, 0.1, 0.1, 1.0, 0.1, 0.1, 1.0, 0.1, 0.1, 1.0, 0.1, 0.1, 1.0, 0.1, 0.1, 1.0, 0.1, 0.1, 1.0, 0.1, 0.1, 1.0, 0.1, 0.1};
    return table[i];
  }
  ENVPOOL_FN static const Pair& pair(i32 i) {
    static constexpr Pair table[] = {
        {}};
    return table[i];
  }
  ENVPOOL_FN static const i32& chain(i32 i) {
    static constexpr i32 table[] = {
        {}};
    return table[i];
  }
  ENVPOOL_FN static const Limit& limit(i32 i) {
    static constexpr Limit table[] = {
        {1, 1, 0, -3.0, 3.0, 0.9998211549602818, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {2, 2, 1, -0.27, 0.27, 327.47930677344726, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {3, 3, 1, -0.27, 0.27, 327.47930677344726, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}}};
    return table[i];
  }
  ENVPOOL_FN static const Actuator& actuator(i32 i) {
    static constexpr Actuator table[] = {
        {0, 1.0, 200.0, true, -1.0, 1.0},
        {1, 1.0, 200.0, true, -1.0, 1.0}};
    return table[i];
  }
  ENVPOOL_FN static const TendonJoint& tendon_joint(i32 i) {
    static constexpr TendonJoint table[] = {
        {}};
    return table[i];
  }
  ENVPOOL_FN static const Site& site(i32 i) {
    static constexpr Site table[] = {
        {}};
    return table[i];
  }
#if ENVPOOL_HOST
  static constexpr const char* kControls = "joint0, joint1";
  ENVPOOL_FN static const Shape& shape(i32 i) {
    static constexpr Shape table[] = {
        {GeomType::kCapsule, 0, SameFrame::kNone, {0.0, -0.3, 0.01}, {0.7071067811865476, 0.0, -0.7071067811865475, 0.0}, 0.02, 0.3, {229, 102, 153}},
        {GeomType::kCapsule, 0, SameFrame::kNone, {0.3, 0.0, 0.01}, {0.7071067811865476, 0.7071067811865475, 0.0, -0.0}, 0.02, 0.3, {229, 102, 153}},
        {GeomType::kCapsule, 0, SameFrame::kNone, {0.0, 0.3, 0.01}, {0.7071067811865476, 0.0, -0.7071067811865475, 0.0}, 0.02, 0.3, {229, 102, 153}},
        {GeomType::kCapsule, 0, SameFrame::kNone, {-0.3, 0.0, 0.01}, {0.7071067811865476, 0.7071067811865475, 0.0, -0.0}, 0.02, 0.3, {229, 102, 153}},
        {GeomType::kCapsule, 0, SameFrame::kNone, {0.0, 0.0, 0.01}, {6.123233995736766e-17, 1.0, 0.0, 0.0}, 0.011, 0.01, {229, 102, 153}},
        {GeomType::kCapsule, 1, SameFrame::kInertia, {0.05, 0.0, 0.0}, {0.7071067811865476, 0.0, -0.7071067811865475, 0.0}, 0.01, 0.05, {0, 102, 153}},
        {GeomType::kCapsule, 2, SameFrame::kInertia, {0.05, 0.0, 0.0}, {0.7071067811865476, 0.0, -0.7071067811865475, 0.0}, 0.01, 0.05, {0, 102, 153}},
        {GeomType::kSphere, 3, SameFrame::kBody, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.01, 0.0, {0, 204, 153}},
        {GeomType::kSphere, 4, SameFrame::kBody, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.009, 0.0, {229, 51, 51}}};
    return table[i];
  }
#endif
};
// clang-format on

}  // namespace envpool::robots
