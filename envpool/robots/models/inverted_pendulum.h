// SPDX-License-Identifier: Apache-2.0
//
// The model inverted_pendulum.xml of gymnasium 1.4.0, compiled by MuJoCo 3.17.0.
// Written by tools/mujoco_tables.py; do not edit.
#pragma once

#include "envpool/robots/model.h"

namespace envpool::robots {

// clang-format off
struct InvertedPendulumModel {
  static constexpr i32 kPositions = 2;
  static constexpr i32 kDofs = 2;
  static constexpr i32 kBodies = 3;
  static constexpr i32 kJoints = 2;
  static constexpr i32 kElements = 3;
  static constexpr i32 kTrees = 1;
  static constexpr i32 kModelGeoms = 3;
  static constexpr i32 kGeoms = 0;
  static constexpr i32 kPairs = 0;
  static constexpr i32 kContacts = 0;
  static constexpr i32 kContactRows = 0;
  static constexpr i32 kLimits = 2;
  static constexpr i32 kActuators = 1;
  static constexpr i32 kTendons = 0;
  static constexpr i32 kTendonJoints = 0;
  static constexpr i32 kSites = 0;
  static constexpr i32 kShapes = 3;
  static constexpr i32 kIterations = 100, kLineSearchIterations = 50;
  static constexpr f64 kTimestep = 0.02;
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
        0.0, 0.0, -9.81};
    return table[i];
  }
  ENVPOOL_FN static const f64& initial(i32 i) {
    static constexpr f64 table[] = {
        0.0, 0.0};
    return table[i];
  }
  ENVPOOL_FN static const Body& body(i32 i) {
    static constexpr Body table[] = {
        {0, 0, SameFrame::kBody, -1, 0, -1, 0, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}, 0.0},
        {0, 1, SameFrame::kNone, 0, 1, 0, 1, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.7071067811865476, 0.0, 0.7071067811865476, 0.0}, 10.47197551196598, {0.12671090369478838, 0.12671090369478838, 0.04817108735504351}, 0.027891446019531956},
        {1, 1, SameFrame::kNone, 1, 1, 1, 1, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0005, 0.0, 0.3}, {0.0008333324652792869, -0.0, -0.9999996527784408, 0.0}, 5.018591641363306, {0.1887497668730885, 0.1887497668730885, 0.0059064963098460705}, 0.04926689544825017}};
    return table[i];
  }
  ENVPOOL_FN static const Joint& joint(i32 i) {
    static constexpr Joint table[] = {
        {JointType::kSlide, 1, 0, 0, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, 0.0},
        {JointType::kHinge, 2, 1, 1, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 0.0, 0.0}};
    return table[i];
  }
  ENVPOOL_FN static const Dof& dof(i32 i) {
    static constexpr Dof table[] = {
        {1, 0, 0, false, 0.0, 1.0, 15.490567153329286},
        {2, 1, 1, false, 0.0, 1.0, 0.6404242692436963}};
    return table[i];
  }
  ENVPOOL_FN static const Tree& tree(i32 i) {
    static constexpr Tree table[] = {
        {0, 2}};
    return table[i];
  }
  ENVPOOL_FN static const i32& column(i32 i) {
    static constexpr i32 table[] = {
        0, 0, 1};
    return table[i];
  }
  ENVPOOL_FN static const Geom& geom(i32 i) {
    static constexpr Geom table[] = {
        {}};
    return table[i];
  }
  ENVPOOL_FN static const f64& friction(i32 i) {
    static constexpr f64 table[] = {
        1.0, 0.1, 0.1, 1.0, 0.1, 0.1, 1.0, 0.1, 0.1};
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
        {0, 0, 0, -1.0, 1.0, 0.08367433805859587, {692.5207756232687, 52.631578947368425, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {1, 1, 0, -1.5707963267948966, 1.5707963267948966, 2.023912919848819, {692.5207756232687, 52.631578947368425, 0.9, 0.95, 0.001, 0.5, 0.0}}};
    return table[i];
  }
  ENVPOOL_FN static const Actuator& actuator(i32 i) {
    static constexpr Actuator table[] = {
        {0, 1.0, 100.0, true, -3.0, 3.0}};
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
  static constexpr const char* kControls = "slide";
  ENVPOOL_FN static const Shape& shape(i32 i) {
    static constexpr Shape table[] = {
        {GeomType::kCapsule, 0, SameFrame::kNone, {0.0, 0.0, 0.0}, {0.7071067811865476, 0.0, 0.7071067811865476, 0.0}, 0.02, 1.0, {77, 77, 178}},
        {GeomType::kCapsule, 1, SameFrame::kInertia, {0.0, 0.0, 0.0}, {0.7071067811865476, 0.0, 0.7071067811865476, 0.0}, 0.1, 0.1, {178, 178, 0}},
        {GeomType::kCapsule, 2, SameFrame::kInertia, {0.0005, 0.0, 0.3}, {0.0008333324652792869, -0.0, -0.9999996527784408, 0.0}, 0.049, 0.3000004166663773, {0, 178, 178}}};
    return table[i];
  }
#endif
};
// clang-format on

}  // namespace envpool::robots
