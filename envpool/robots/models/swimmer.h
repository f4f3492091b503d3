// SPDX-License-Identifier: Apache-2.0
//
// The model swimmer.xml of gymnasium 1.4.0, compiled by MuJoCo 3.17.0.
// Written by tools/mujoco_tables.py; do not edit.
#pragma once

#include "envpool/robots/model.h"

namespace envpool::robots {

// clang-format off
struct SwimmerModel {
  static constexpr i32 kPositions = 5;
  static constexpr i32 kDofs = 5;
  static constexpr i32 kBodies = 4;
  static constexpr i32 kJoints = 5;
  static constexpr i32 kElements = 15;
  static constexpr i32 kTrees = 1;
  static constexpr i32 kModelGeoms = 4;
  static constexpr i32 kGeoms = 0;
  static constexpr i32 kPairs = 0;
  static constexpr i32 kContacts = 0;
  static constexpr i32 kContactRows = 0;
  static constexpr i32 kLimits = 2;
  static constexpr i32 kActuators = 2;
  static constexpr i32 kTendons = 0;
  static constexpr i32 kTendonJoints = 0;
  static constexpr i32 kSites = 0;
  static constexpr i32 kShapes = 3;
  static constexpr i32 kIterations = 100, kLineSearchIterations = 50;
  static constexpr f64 kTimestep = 0.01;
  static constexpr f64 kTolerance = 1e-08;
  static constexpr f64 kLineSearchTolerance = 0.01;
  static constexpr f64 kDensity = 4000.0;
  static constexpr f64 kViscosity = 0.1;
  static constexpr Integrator kIntegrator = Integrator::kRk4;
  static constexpr Solver kSolver = Solver::kNewton;
  static constexpr bool kFreeJoints = false;
  static constexpr bool kSimpleDofs = false;

  ENVPOOL_FN static const f64& gravity(i32 i) {
    static constexpr f64 table[] = {
        0.0, 0.0, -9.81};
    return table[i];
  }
  ENVPOOL_FN static const f64& initial(i32 i) {
    static constexpr f64 table[] = {
        0.0, 0.0, 0.0, 0.0, 0.0};
    return table[i];
  }
  ENVPOOL_FN static const Body& body(i32 i) {
    static constexpr Body table[] = {
        {0, 0, SameFrame::kBody, -1, 0, -1, 0, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}, 0.0},
        {0, 1, SameFrame::kNone, 0, 3, 0, 3, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.7071067811865476, 0.0, 0.7071067811865475, 0.0}, 35.604716740684324, {3.9175660390264717, 3.9175660390264717, 0.17383479349863523}, 0.010965286758709189},
        {1, 1, SameFrame::kNone, 3, 1, 3, 1, {0.5, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {-0.5, 0.0, 0.0}, {0.7071067811865476, 0.0, 0.7071067811865475, 0.0}, 35.604716740684324, {3.9175660390264717, 3.9175660390264717, 0.17383479349863523}, 0.00884358066872071},
        {2, 1, SameFrame::kNone, 4, 1, 4, 1, {-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {-0.5, 0.0, 0.0}, {0.7071067811865476, 0.0, 0.7071067811865475, 0.0}, 35.604716740684324, {3.9175660390264717, 3.9175660390264717, 0.17383479349863523}, 0.010978250641502577}};
    return table[i];
  }
  ENVPOOL_FN static const Joint& joint(i32 i) {
    static constexpr Joint table[] = {
        {JointType::kSlide, 1, 0, 0, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, 0.0},
        {JointType::kSlide, 1, 1, 1, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 0.0, 0.0},
        {JointType::kHinge, 1, 2, 2, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0},
        {JointType::kHinge, 2, 3, 3, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0},
        {JointType::kHinge, 3, 4, 4, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0}};
    return table[i];
  }
  ENVPOOL_FN static const Dof& dof(i32 i) {
    static constexpr Dof table[] = {
        {1, 0, 0, false, 0.1, 0.0, 106.91415022205297},
        {1, 1, 1, false, 0.1, 0.0, 106.91415022205297},
        {1, 3, 2, false, 0.1, 0.0, 83.06213159844805},
        {2, 6, 3, false, 0.1, 0.0, 96.94692392976374},
        {3, 10, 4, false, 0.1, 0.0, 12.918745224197549}};
    return table[i];
  }
  ENVPOOL_FN static const Tree& tree(i32 i) {
    static constexpr Tree table[] = {
        {0, 5}};
    return table[i];
  }
  ENVPOOL_FN static const i32& column(i32 i) {
    static constexpr i32 table[] = {
        0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4};
    return table[i];
  }
  ENVPOOL_FN static const Geom& geom(i32 i) {
    static constexpr Geom table[] = {
        {}};
    return table[i];
  }
  ENVPOOL_FN static const f64& friction(i32 i) {
    static constexpr f64 table[] = {
        1.0, 0.005, 0.0001, 1.0, 0.005, 0.0001, 1.0, 0.005, 0.0001, 1.0, 0.005, 0.0001};
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
        {3, 3, 0, -1.7453292519943295, 1.7453292519943295, 0.38529334162134676, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {4, 4, 0, -1.7453292519943295, 1.7453292519943295, 0.3933336741383495, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}}};
    return table[i];
  }
  ENVPOOL_FN static const Actuator& actuator(i32 i) {
    static constexpr Actuator table[] = {
        {3, 1.0, 150.0, true, -1.0, 1.0},
        {4, 1.0, 150.0, true, -1.0, 1.0}};
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
  static constexpr const char* kControls = "motor1_rot, motor2_rot";
  ENVPOOL_FN static const Shape& shape(i32 i) {
    static constexpr Shape table[] = {
        {GeomType::kCapsule, 1, SameFrame::kInertia, {1.0, 0.0, 0.0}, {0.7071067811865476, 0.0, 0.7071067811865475, 0.0}, 0.1, 0.5, {204, 153, 102}},
        {GeomType::kCapsule, 2, SameFrame::kInertia, {-0.5, 0.0, 0.0}, {0.7071067811865476, 0.0, 0.7071067811865475, 0.0}, 0.1, 0.5, {204, 153, 102}},
        {GeomType::kCapsule, 3, SameFrame::kInertia, {-0.5, 0.0, 0.0}, {0.7071067811865476, 0.0, 0.7071067811865475, 0.0}, 0.1, 0.5, {204, 153, 102}}};
    return table[i];
  }
#endif
};
// clang-format on

}  // namespace envpool::robots
