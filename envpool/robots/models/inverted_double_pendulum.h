// SPDX-License-Identifier: Apache-2.0
//
// The model inverted_double_pendulum.xml of gymnasium 1.4.0, compiled by MuJoCo 3.17.0.
// Written by tools/mujoco_tables.py; do not edit.
#pragma once

#include "envpool/robots/model.h"

namespace envpool::robots {

// clang-format off
struct InvertedDoublePendulumModel {
  static constexpr i32 kPositions = 3;
  static constexpr i32 kDofs = 3;
  static constexpr i32 kBodies = 4;
  static constexpr i32 kJoints = 3;
  static constexpr i32 kElements = 6;
  static constexpr i32 kTrees = 1;
  static constexpr i32 kModelGeoms = 5;
  static constexpr i32 kGeoms = 0;
  static constexpr i32 kPairs = 0;
  static constexpr i32 kContacts = 0;
  static constexpr i32 kContactRows = 0;
  static constexpr i32 kLimits = 1;
  static constexpr i32 kActuators = 1;
  static constexpr i32 kTendons = 0;
  static constexpr i32 kTendonJoints = 0;
  static constexpr i32 kSites = 1;
  static constexpr i32 kShapes = 4;
  static constexpr i32 kIterations = 100, kLineSearchIterations = 50;
  static constexpr f64 kTimestep = 0.01;
  static constexpr f64 kTolerance = 1e-08;
  static constexpr f64 kLineSearchTolerance = 0.01;
  static constexpr f64 kDensity = 0.0;
  static constexpr f64 kViscosity = 0.0;
  static constexpr Integrator kIntegrator = Integrator::kRk4;
  static constexpr Solver kSolver = Solver::kNewton;
  static constexpr bool kFreeJoints = false;
  static constexpr bool kSimpleDofs = false;

  ENVPOOL_FN static const f64& gravity(i32 i) {
    static constexpr f64 table[] = {
        1e-05, 0.0, -9.81};
    return table[i];
  }
  ENVPOOL_FN static const f64& initial(i32 i) {
    static constexpr f64 table[] = {
        0.0, 0.0, 0.0};
    return table[i];
  }
  ENVPOOL_FN static const Body& body(i32 i) {
    static constexpr Body table[] = {
        {0, 0, SameFrame::kBody, -1, 0, -1, 0, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}, 0.0},
        {0, 1, SameFrame::kNone, 0, 1, 0, 1, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.7071067811865476, 0.0, 0.7071067811865476, 0.0}, 10.47197551196598, {0.12671090369478838, 0.12671090369478838, 0.04817108735504351}, 0.028224206395898916},
        {1, 1, SameFrame::kNone, 1, 1, 1, 1, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.3}, {6.123233995736766e-17, 1.0, 0.0, 0.0}, 4.1987385815227585, {0.15497066975016235, 0.15497066975016235, 0.004173927853541032}, 0.03504152896303488},
        {2, 1, SameFrame::kNone, 2, 1, 2, 1, {0.0, 0.0, 0.6}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.3}, {6.123233995736766e-17, 1.0, 0.0, 0.0}, 4.1987385815227585, {0.15497066975016235, 0.15497066975016235, 0.004173927853541032}, 0.06686298404500333}};
    return table[i];
  }
  ENVPOOL_FN static const Joint& joint(i32 i) {
    static constexpr Joint table[] = {
        {JointType::kSlide, 1, 0, 0, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, 0.0},
        {JointType::kHinge, 2, 1, 1, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 0.0, 0.0},
        {JointType::kHinge, 3, 2, 2, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 0.0, 0.0}};
    return table[i];
  }
  ENVPOOL_FN static const Dof& dof(i32 i) {
    static constexpr Dof table[] = {
        {1, 0, 0, false, 0.0, 0.05, 18.869452675011495},
        {2, 1, 1, false, 0.0, 0.05, 4.088806062870807},
        {3, 3, 2, false, 0.0, 0.05, 0.5328571420872106}};
    return table[i];
  }
  ENVPOOL_FN static const Tree& tree(i32 i) {
    static constexpr Tree table[] = {
        {0, 3}};
    return table[i];
  }
  ENVPOOL_FN static const i32& column(i32 i) {
    static constexpr i32 table[] = {
        0, 0, 1, 0, 1, 2};
    return table[i];
  }
  ENVPOOL_FN static const Geom& geom(i32 i) {
    static constexpr Geom table[] = {
        {}};
    return table[i];
  }
  ENVPOOL_FN static const f64& friction(i32 i) {
    static constexpr f64 table[] = {
        1.0, 0.1, 0.1, 1.0, 0.1, 0.1, 1.0, 0.1, 0.1, 1.0, 0.1, 0.1, 1.0, 0.1, 0.1};
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
        {0, 0, 0, -1.0, 1.0, 0.08467261918769675, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.01}}};
    return table[i];
  }
  ENVPOOL_FN static const Actuator& actuator(i32 i) {
    static constexpr Actuator table[] = {
        {0, 1.0, 500.0, true, -1.0, 1.0}};
    return table[i];
  }
  ENVPOOL_FN static const TendonJoint& tendon_joint(i32 i) {
    static constexpr TendonJoint table[] = {
        {}};
    return table[i];
  }
  ENVPOOL_FN static const Site& site(i32 i) {
    static constexpr Site table[] = {
        {3, SameFrame::kBodyRotation, {0.0, 0.0, 0.6}}};
    return table[i];
  }
#if ENVPOOL_HOST
  static constexpr const char* kControls = "slide";
  ENVPOOL_FN static const Shape& shape(i32 i) {
    static constexpr Shape table[] = {
        {GeomType::kCapsule, 0, SameFrame::kNone, {0.0, 0.0, 0.0}, {0.7071067811865476, 0.0, 0.7071067811865476, 0.0}, 0.02, 1.0, {77, 77, 178}},
        {GeomType::kCapsule, 1, SameFrame::kInertia, {0.0, 0.0, 0.0}, {0.7071067811865476, 0.0, 0.7071067811865476, 0.0}, 0.1, 0.1, {178, 178, 0}},
        {GeomType::kCapsule, 2, SameFrame::kInertia, {0.0, 0.0, 0.3}, {6.123233995736766e-17, 1.0, 0.0, 0.0}, 0.045, 0.3, {0, 178, 178}},
        {GeomType::kCapsule, 3, SameFrame::kInertia, {0.0, 0.0, 0.3}, {6.123233995736766e-17, 1.0, 0.0, 0.0}, 0.045, 0.3, {0, 178, 178}}};
    return table[i];
  }
#endif
};
// clang-format on

}  // namespace envpool::robots
