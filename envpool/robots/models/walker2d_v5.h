// SPDX-License-Identifier: Apache-2.0
//
// The model walker2d_v5.xml of gymnasium 1.4.0, compiled by MuJoCo 3.17.0.
// Written by tools/mujoco_tables.py; do not edit.
#pragma once

#include "envpool/robots/model.h"

namespace envpool::robots {

// clang-format off
struct Walker2dModel {
  static constexpr i32 kPositions = 9;
  static constexpr i32 kDofs = 9;
  static constexpr i32 kBodies = 8;
  static constexpr i32 kJoints = 9;
  static constexpr i32 kElements = 36;
  static constexpr i32 kTrees = 1;
  static constexpr i32 kModelGeoms = 8;
  static constexpr i32 kGeoms = 8;
  static constexpr i32 kPairs = 7;
  static constexpr i32 kContacts = 14;
  static constexpr i32 kContactRows = 56;
  static constexpr i32 kLimits = 6;
  static constexpr i32 kActuators = 6;
  static constexpr i32 kTendons = 0;
  static constexpr i32 kTendonJoints = 0;
  static constexpr i32 kSites = 0;
  static constexpr i32 kShapes = 7;
  static constexpr i32 kIterations = 100, kLineSearchIterations = 50;
  static constexpr f64 kTimestep = 0.002;
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
        0.0, 1.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    return table[i];
  }
  ENVPOOL_FN static const Body& body(i32 i) {
    static constexpr Body table[] = {
        {0, 0, SameFrame::kBody, -1, 0, -1, 0, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}, 0.0},
        {0, 1, SameFrame::kBody, 0, 3, 0, 3, {0.0, 0.0, 1.25}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 3.6651914291880923, {0.069245938072875, 0.069245938072875, 0.004450589592585541}, 0.0853164980232042},
        {1, 1, SameFrame::kBodyRotation, 3, 1, 3, 1, {0.0, 0.0, -0.19999999999999996}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, -0.2250000000000001}, {1.0, 0.0, 0.0, 0.0}, 4.057890510886818, {0.09329875682692194, 0.09329875682692194, 0.004941463444708948}, 0.06051637875212593},
        {2, 1, SameFrame::kBody, 4, 1, 4, 1, {0.0, 0.0, -0.7000000000000001}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 2.7813566959781637, {0.07230254017320971, 0.07230254017320971, 0.0021821921450855186}, 0.06299719488697496},
        {3, 1, SameFrame::kNone, 5, 1, 5, 1, {0.2, 0.0, -0.35}, {1.0, 0.0, 0.0, 0.0}, {-0.1, 0.0, 0.1}, {0.7071067811865476, 0.0, -0.7071067811865475, 0.0}, 3.1667253948185117, {0.02399774663482943, 0.02399774663482943, 0.005374385384349131}, 0.13474576502547686},
        {1, 1, SameFrame::kBodyRotation, 6, 1, 6, 1, {0.0, 0.0, -0.19999999999999996}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, -0.2250000000000001}, {1.0, 0.0, 0.0, 0.0}, 4.057890510886818, {0.09329875682692194, 0.09329875682692194, 0.004941463444708948}, 0.06051637875212593},
        {5, 1, SameFrame::kBody, 7, 1, 7, 1, {0.0, 0.0, -0.7000000000000001}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 2.7813566959781637, {0.07230254017320971, 0.07230254017320971, 0.0021821921450855186}, 0.06299719488697496},
        {6, 1, SameFrame::kNone, 8, 1, 8, 1, {0.2, 0.0, -0.35}, {1.0, 0.0, 0.0, 0.0}, {-0.1, 0.0, 0.1}, {0.7071067811865476, 0.0, -0.7071067811865475, 0.0}, 3.1667253948185117, {0.02399774663482943, 0.02399774663482943, 0.005374385384349131}, 0.13474576502547686}};
    return table[i];
  }
  ENVPOOL_FN static const Joint& joint(i32 i) {
    static constexpr Joint table[] = {
        {JointType::kSlide, 1, 0, 0, {0.0, 0.0, -1.25}, {1.0, 0.0, 0.0}, 0.0, 0.0},
        {JointType::kSlide, 1, 1, 1, {0.0, 0.0, -1.25}, {0.0, 0.0, 1.0}, 0.0, 0.0},
        {JointType::kHinge, 1, 2, 2, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 0.0, 0.0},
        {JointType::kHinge, 2, 3, 3, {0.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, 0.0, 0.0},
        {JointType::kHinge, 3, 4, 4, {0.0, 0.0, 0.25}, {0.0, -1.0, 0.0}, 0.0, 0.0},
        {JointType::kHinge, 4, 5, 5, {-0.2, 0.0, 0.1}, {0.0, -1.0, 0.0}, 0.0, 0.0},
        {JointType::kHinge, 5, 6, 6, {0.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, 0.0, 0.0},
        {JointType::kHinge, 6, 7, 7, {0.0, 0.0, 0.25}, {0.0, -1.0, 0.0}, 0.0, 0.0},
        {JointType::kHinge, 7, 8, 8, {-0.2, 0.0, 0.1}, {0.0, -1.0, 0.0}, 0.0, 0.0}};
    return table[i];
  }
  ENVPOOL_FN static const Dof& dof(i32 i) {
    static constexpr Dof table[] = {
        {1, 0, 0, false, 0.0, 0.0, 23.677136632555076},
        {1, 1, 1, false, 0.0, 0.0, 23.677136632555076},
        {1, 3, 2, false, 0.0, 0.0, 14.859477997076619},
        {2, 6, 3, false, 0.01, 0.1, 4.657531454549798},
        {3, 10, 4, false, 0.01, 0.1, 1.1034836829594876},
        {4, 15, 5, false, 0.01, 0.1, 0.0656650005830146},
        {5, 21, 3, false, 0.01, 0.1, 4.657531454549798},
        {6, 25, 4, false, 0.01, 0.1, 1.1034836829594876},
        {7, 30, 5, false, 0.01, 0.1, 0.0656650005830146}};
    return table[i];
  }
  ENVPOOL_FN static const Tree& tree(i32 i) {
    static constexpr Tree table[] = {
        {0, 9}};
    return table[i];
  }
  ENVPOOL_FN static const i32& column(i32 i) {
    static constexpr i32 table[] = {
        0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 0, 1, 2, 6, 0, 1, 2, 6, 7, 0, 1, 2, 6, 7, 8};
    return table[i];
  }
  ENVPOOL_FN static const Geom& geom(i32 i) {
    static constexpr Geom table[] = {
        {GeomType::kPlane, 0, 0, SameFrame::kBody, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.0, 0.0, 0.0},
        {GeomType::kCapsule, 1, 1, SameFrame::kBody, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.05, 0.19999999999999996, 0.24999999999999994},
        {GeomType::kCapsule, 2, 2, SameFrame::kBodyRotation, {0.0, 0.0, -0.2250000000000001}, {1.0, 0.0, 0.0, 0.0}, 0.05, 0.22500000000000003, 0.275},
        {GeomType::kCapsule, 3, 3, SameFrame::kBody, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.04, 0.25, 0.29},
        {GeomType::kCapsule, 4, 4, SameFrame::kInertia, {-0.1, 0.0, 0.1}, {0.7071067811865476, 0.0, -0.7071067811865475, 0.0}, 0.06, 0.1, 0.16},
        {GeomType::kCapsule, 5, 5, SameFrame::kBodyRotation, {0.0, 0.0, -0.2250000000000001}, {1.0, 0.0, 0.0, 0.0}, 0.05, 0.22500000000000003, 0.275},
        {GeomType::kCapsule, 6, 6, SameFrame::kBody, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.04, 0.25, 0.29},
        {GeomType::kCapsule, 7, 7, SameFrame::kInertia, {-0.1, 0.0, 0.1}, {0.7071067811865476, 0.0, -0.7071067811865475, 0.0}, 0.06, 0.1, 0.16}};
    return table[i];
  }
  ENVPOOL_FN static const f64& friction(i32 i) {
    static constexpr f64 table[] = {
        0.7, 0.1, 0.1, 0.9, 0.1, 0.1, 0.9, 0.1, 0.1, 0.9, 0.1, 0.1, 1.9, 0.1, 0.1, 0.9, 0.1, 0.1, 0.9, 0.1, 0.1, 1.9, 0.1, 0.1};
    return table[i];
  }
  ENVPOOL_FN static const Pair& pair(i32 i) {
    static constexpr Pair table[] = {
        {0, 1, 1, 0, 3, 0, 0, 3, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {0, 2, 1, 0, 3, 3, 0, 4, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {0, 3, 1, 0, 3, 7, 0, 5, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {0, 4, 1, 0, 3, 12, 0, 6, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {0, 5, 1, 0, 3, 18, 0, 4, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {0, 6, 1, 0, 3, 22, 0, 5, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {0, 7, 1, 0, 3, 27, 0, 6, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}}};
    return table[i];
  }
  ENVPOOL_FN static const i32& chain(i32 i) {
    static constexpr i32 table[] = {
        0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 0, 1, 2, 6, 0, 1, 2, 6, 7, 0, 1, 2, 6, 7, 8};
    return table[i];
  }
  ENVPOOL_FN static const Limit& limit(i32 i) {
    static constexpr Limit table[] = {
        {3, 3, 0, -2.6179938779914944, 0.0, 12.106152843486317, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {4, 4, 0, -2.6179938779914944, 0.0, 9.595294937183608, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {5, 5, 0, -0.7853981633974483, 0.7853981633974483, 18.21142212360485, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {6, 6, 0, -2.6179938779914944, 0.0, 12.106152843486317, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {7, 7, 0, -2.6179938779914944, 0.0, 9.595294937183608, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}},
        {8, 8, 0, -0.7853981633974483, 0.7853981633974483, 18.21142212360485, {2770.083102493075, 105.26315789473685, 0.9, 0.95, 0.001, 0.5, 0.0}}};
    return table[i];
  }
  ENVPOOL_FN static const Actuator& actuator(i32 i) {
    static constexpr Actuator table[] = {
        {3, 1.0, 100.0, true, -1.0, 1.0},
        {4, 1.0, 100.0, true, -1.0, 1.0},
        {5, 1.0, 100.0, true, -1.0, 1.0},
        {6, 1.0, 100.0, true, -1.0, 1.0},
        {7, 1.0, 100.0, true, -1.0, 1.0},
        {8, 1.0, 100.0, true, -1.0, 1.0}};
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
  static constexpr const char* kControls = "thigh_joint, leg_joint, foot_joint, thigh_left_joint, leg_left_joint, foot_left_joint";
  ENVPOOL_FN static const Shape& shape(i32 i) {
    static constexpr Shape table[] = {
        {GeomType::kCapsule, 1, SameFrame::kBody, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.05, 0.19999999999999996, {204, 153, 102}},
        {GeomType::kCapsule, 2, SameFrame::kBodyRotation, {0.0, 0.0, -0.2250000000000001}, {1.0, 0.0, 0.0, 0.0}, 0.05, 0.22500000000000003, {204, 153, 102}},
        {GeomType::kCapsule, 3, SameFrame::kBody, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.04, 0.25, {204, 153, 102}},
        {GeomType::kCapsule, 4, SameFrame::kInertia, {-0.1, 0.0, 0.1}, {0.7071067811865476, 0.0, -0.7071067811865475, 0.0}, 0.06, 0.1, {204, 153, 102}},
        {GeomType::kCapsule, 5, SameFrame::kBodyRotation, {0.0, 0.0, -0.2250000000000001}, {1.0, 0.0, 0.0, 0.0}, 0.05, 0.22500000000000003, {178, 77, 153}},
        {GeomType::kCapsule, 6, SameFrame::kBody, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.04, 0.25, {178, 77, 153}},
        {GeomType::kCapsule, 7, SameFrame::kInertia, {-0.1, 0.0, 0.1}, {0.7071067811865476, 0.0, -0.7071067811865475, 0.0}, 0.06, 0.1, {178, 77, 153}}};
    return table[i];
  }
#endif
};
// clang-format on

}  // namespace envpool::robots
