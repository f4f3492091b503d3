// SPDX-License-Identifier: Apache-2.0
//
// The model half_cheetah.xml of gymnasium 1.4.0, compiled by MuJoCo 3.17.0.
// Written by tools/mujoco_tables.py; do not edit.
#pragma once

#include "envpool/robots/model.h"

namespace envpool::robots {

// clang-format off
struct HalfCheetahModel {
  static constexpr i32 kPositions = 9;
  static constexpr i32 kDofs = 9;
  static constexpr i32 kBodies = 8;
  static constexpr i32 kJoints = 9;
  static constexpr i32 kElements = 36;
  static constexpr i32 kTrees = 1;
  static constexpr i32 kModelGeoms = 9;
  static constexpr i32 kGeoms = 9;
  static constexpr i32 kPairs = 8;
  static constexpr i32 kContacts = 16;
  static constexpr i32 kContactRows = 64;
  static constexpr i32 kLimits = 6;
  static constexpr i32 kActuators = 6;
  static constexpr i32 kTendons = 0;
  static constexpr i32 kTendonJoints = 0;
  static constexpr i32 kSites = 0;
  static constexpr i32 kShapes = 8;
  static constexpr i32 kIterations = 100, kLineSearchIterations = 50;
  static constexpr f64 kTimestep = 0.01;
  static constexpr f64 kTolerance = 1e-08;
  static constexpr f64 kLineSearchTolerance = 0.01;
  static constexpr f64 kDensity = 0.0;
  static constexpr f64 kViscosity = 0.0;
  static constexpr Integrator kIntegrator = Integrator::kEuler;
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
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    return table[i];
  }
  ENVPOOL_FN static const Body& body(i32 i) {
    static constexpr Body table[] = {
        {0, 0, SameFrame::kBody, -1, 0, -1, 0, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}, 0.0},
        {0, 1, SameFrame::kNone, 0, 3, 0, 3, {0.0, 0.0, 0.7}, {1.0, 0.0, 0.0, 0.0}, {0.15238987816307403, 0.0, 0.025398313027179008}, {0.5224297915933479, 0.4765155956059912, 0.4765155956059912, 0.5224297915933479}, 6.25020920502092, {0.8971176881117434, 0.8856554522351578, 0.01796092340796636}, 0.06415751945610272},
        {1, 1, SameFrame::kNone, 3, 1, 3, 1, {-0.5, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.1, 0.0, -0.13}, {-0.32328956686350335, -0.0, -0.9463000876874145, -0.0}, 1.5435146443514645, {0.01684433958158996, 0.01684433958158996, 0.0015760215899581589}, 0.09691101560963138},
        {2, 1, SameFrame::kNone, 4, 1, 4, 1, {0.16, 0.0, -0.25}, {1.0, 0.0, 0.0, 0.0}, {-0.14, 0.0, -0.07}, {0.5276199315484069, -0.0, -0.8494805517684643, -0.0}, 1.5874476987447697, {0.018267419079497905, 0.018267419079497905, 0.0016225027615062756}, 0.12720922534654552},
        {3, 1, SameFrame::kNone, 5, 1, 5, 1, {-0.28, 0.0, -0.14}, {1.0, 0.0, 0.0, 0.0}, {0.03, 0.0, -0.097}, {0.9909013312045479, -0.0, -0.1345903110073483, -0.0}, 1.0953974895397491, {0.0063524232635983275, 0.0063524232635983275, 0.0011019136401673642}, 0.24374928349017175},
        {1, 1, SameFrame::kNone, 6, 1, 6, 1, {0.5, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {-0.07, 0.0, -0.12}, {0.9663899781345132, 0.0, 0.2570805518921551, 0.0}, 1.4380753138075317, {0.013739643347280341, 0.013739643347280341, 0.0014644667782426782}, 0.0814837948136707},
        {5, 1, SameFrame::kNone, 7, 1, 7, 1, {-0.14, 0.0, -0.24}, {1.0, 0.0, 0.0, 0.0}, {0.065, 0.0, -0.09}, {0.955336489125606, -0.0, -0.29552020666133955, -0.0}, 1.200836820083682, {0.008222108619246861, 0.008222108619246861, 0.001213468451882845}, 0.1319968179007737},
        {6, 1, SameFrame::kNone, 8, 1, 8, 1, {0.13, 0.0, -0.18}, {1.0, 0.0, 0.0, 0.0}, {0.045, 0.0, -0.07}, {0.955336489125606, -0.0, -0.29552020666133955, -0.0}, 0.8845188284518829, {0.003529109456066946, 0.003529109456066946, 0.0008788040167364017}, 0.2661441029233887}};
    return table[i];
  }
  ENVPOOL_FN static const Joint& joint(i32 i) {
    static constexpr Joint table[] = {
        {JointType::kSlide, 1, 0, 0, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, 0.0},
        {JointType::kSlide, 1, 1, 1, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0},
        {JointType::kHinge, 1, 2, 2, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 0.0, 0.0},
        {JointType::kHinge, 2, 3, 3, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 240.0, 0.0},
        {JointType::kHinge, 3, 4, 4, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 180.0, 0.0},
        {JointType::kHinge, 4, 5, 5, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 120.0, 0.0},
        {JointType::kHinge, 5, 6, 6, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 180.0, 0.0},
        {JointType::kHinge, 6, 7, 7, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 120.0, 0.0},
        {JointType::kHinge, 7, 8, 8, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 60.0, 0.0}};
    return table[i];
  }
  ENVPOOL_FN static const Dof& dof(i32 i) {
    static constexpr Dof table[] = {
        {1, 0, 0, false, 0.0, 0.0, 14.000000000000002},
        {1, 1, 1, false, 0.0, 0.0, 14.000000000000002},
        {1, 3, 2, false, 0.0, 0.0, 3.655528748451889},
        {2, 6, 3, false, 0.1, 6.0, 0.6148413961506279},
        {3, 10, 4, false, 0.1, 4.5, 0.29350203564853566},
        {4, 15, 5, false, 0.1, 3.0, 0.11764487598326352},
        {5, 21, 3, false, 0.1, 4.5, 0.504228058075314},
        {6, 25, 4, false, 0.1, 3.0, 0.2089223477824268},
        {7, 30, 5, false, 0.1, 1.5, 0.10965440234309623}};
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
        {GeomType::kCapsule, 1, 1, SameFrame::kNone, {0.0, 0.0, 0.0}, {0.7071067811865476, 0.0, -0.7071067811865475, 0.0}, 0.046, 0.5, 0.546},
        {GeomType::kCapsule, 2, 1, SameFrame::kNone, {0.6, 0.0, 0.1}, {0.9068700422993367, 0.0, 0.42141040136664804, 0.0}, 0.046, 0.15, 0.196},
        {GeomType::kCapsule, 3, 2, SameFrame::kInertia, {0.1, 0.0, -0.13}, {-0.32328956686350335, -0.0, -0.9463000876874145, -0.0}, 0.046, 0.145, 0.191},
        {GeomType::kCapsule, 4, 3, SameFrame::kInertia, {-0.14, 0.0, -0.07}, {0.5276199315484069, -0.0, -0.8494805517684643, -0.0}, 0.046, 0.15, 0.196},
        {GeomType::kCapsule, 5, 4, SameFrame::kInertia, {0.03, 0.0, -0.097}, {0.9909013312045479, -0.0, -0.1345903110073483, -0.0}, 0.046, 0.094, 0.14},
        {GeomType::kCapsule, 6, 5, SameFrame::kInertia, {-0.07, 0.0, -0.12}, {0.9663899781345132, 0.0, 0.2570805518921551, 0.0}, 0.046, 0.133, 0.179},
        {GeomType::kCapsule, 7, 6, SameFrame::kInertia, {0.065, 0.0, -0.09}, {0.955336489125606, -0.0, -0.29552020666133955, -0.0}, 0.046, 0.106, 0.152},
        {GeomType::kCapsule, 8, 7, SameFrame::kInertia, {0.045, 0.0, -0.07}, {0.955336489125606, -0.0, -0.29552020666133955, -0.0}, 0.046, 0.07, 0.116}};
    return table[i];
  }
  ENVPOOL_FN static const f64& friction(i32 i) {
    static constexpr f64 table[] = {
        0.4, 0.1, 0.1, 0.4, 0.1, 0.1, 0.4, 0.1, 0.1, 0.4, 0.1, 0.1, 0.4, 0.1, 0.1, 0.4, 0.1, 0.1, 0.4, 0.1, 0.1, 0.4, 0.1, 0.1, 0.4, 0.1, 0.1};
    return table[i];
  }
  ENVPOOL_FN static const Pair& pair(i32 i) {
    static constexpr Pair table[] = {
        {0, 1, 1, 0, 3, 0, 0, 3, {3906.2499999999995, 125.0, 0.0001, 0.8, 0.01, 0.5, 0.0}},
        {0, 2, 1, 0, 3, 3, 0, 3, {3906.2499999999995, 125.0, 0.0001, 0.8, 0.01, 0.5, 0.0}},
        {0, 3, 1, 0, 3, 6, 0, 4, {3906.2499999999995, 125.0, 0.0001, 0.8, 0.01, 0.5, 0.0}},
        {0, 4, 1, 0, 3, 10, 0, 5, {3906.2499999999995, 125.0, 0.0001, 0.8, 0.01, 0.5, 0.0}},
        {0, 5, 1, 0, 3, 15, 0, 6, {3906.2499999999995, 125.0, 0.0001, 0.8, 0.01, 0.5, 0.0}},
        {0, 6, 1, 0, 3, 21, 0, 4, {3906.2499999999995, 125.0, 0.0001, 0.8, 0.01, 0.5, 0.0}},
        {0, 7, 1, 0, 3, 25, 0, 5, {3906.2499999999995, 125.0, 0.0001, 0.8, 0.01, 0.5, 0.0}},
        {0, 8, 1, 0, 3, 30, 0, 6, {3906.2499999999995, 125.0, 0.0001, 0.8, 0.01, 0.5, 0.0}}};
    return table[i];
  }
  ENVPOOL_FN static const i32& chain(i32 i) {
    static constexpr i32 table[] = {
        0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 0, 1, 2, 6, 0, 1, 2, 6, 7, 0, 1, 2, 6, 7, 8};
    return table[i];
  }
  ENVPOOL_FN static const Limit& limit(i32 i) {
    static constexpr Limit table[] = {
        {3, 3, 0, -0.52, 1.05, 2.729788644884893, {3906.2499999999995, 125.0, 0.0001, 0.8, 0.03, 0.5, 0.0}},
        {4, 4, 0, -0.785, 0.785, 5.893248984162904, {3906.2499999999995, 125.0, 0.0001, 0.8, 0.03, 0.5, 0.0}},
        {5, 5, 0, -0.4, 0.785, 8.894877004054676, {3906.2499999999995, 125.0, 0.0001, 0.8, 0.03, 0.5, 0.0}},
        {6, 6, 0, -1.0, 0.7, 3.0813926054768768, {3906.2499999999995, 125.0, 0.0001, 0.8, 0.03, 0.5, 0.0}},
        {7, 7, 0, -1.2, 0.87, 6.882795962275771, {3906.2499999999995, 125.0, 0.0001, 0.8, 0.03, 0.5, 0.0}},
        {8, 8, 0, -0.5, 0.5, 9.468134962769764, {3906.2499999999995, 125.0, 0.0001, 0.8, 0.03, 0.5, 0.0}}};
    return table[i];
  }
  ENVPOOL_FN static const Actuator& actuator(i32 i) {
    static constexpr Actuator table[] = {
        {3, 1.0, 120.0, true, -1.0, 1.0},
        {4, 1.0, 90.0, true, -1.0, 1.0},
        {5, 1.0, 60.0, true, -1.0, 1.0},
        {6, 1.0, 120.0, true, -1.0, 1.0},
        {7, 1.0, 60.0, true, -1.0, 1.0},
        {8, 1.0, 30.0, true, -1.0, 1.0}};
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
  static constexpr const char* kControls = "bthigh, bshin, bfoot, fthigh, fshin, ffoot";
  ENVPOOL_FN static const Shape& shape(i32 i) {
    static constexpr Shape table[] = {
        {GeomType::kCapsule, 1, SameFrame::kNone, {0.0, 0.0, 0.0}, {0.7071067811865476, 0.0, -0.7071067811865475, 0.0}, 0.046, 0.5, {204, 153, 102}},
        {GeomType::kCapsule, 1, SameFrame::kNone, {0.6, 0.0, 0.1}, {0.9068700422993367, 0.0, 0.42141040136664804, 0.0}, 0.046, 0.15, {204, 153, 102}},
        {GeomType::kCapsule, 2, SameFrame::kInertia, {0.1, 0.0, -0.13}, {-0.32328956686350335, -0.0, -0.9463000876874145, -0.0}, 0.046, 0.145, {204, 153, 102}},
        {GeomType::kCapsule, 3, SameFrame::kInertia, {-0.14, 0.0, -0.07}, {0.5276199315484069, -0.0, -0.8494805517684643, -0.0}, 0.046, 0.15, {229, 153, 153}},
        {GeomType::kCapsule, 4, SameFrame::kInertia, {0.03, 0.0, -0.097}, {0.9909013312045479, -0.0, -0.1345903110073483, -0.0}, 0.046, 0.094, {229, 153, 153}},
        {GeomType::kCapsule, 5, SameFrame::kInertia, {-0.07, 0.0, -0.12}, {0.9663899781345132, 0.0, 0.2570805518921551, 0.0}, 0.046, 0.133, {204, 153, 102}},
        {GeomType::kCapsule, 6, SameFrame::kInertia, {0.065, 0.0, -0.09}, {0.955336489125606, -0.0, -0.29552020666133955, -0.0}, 0.046, 0.106, {229, 153, 153}},
        {GeomType::kCapsule, 7, SameFrame::kInertia, {0.045, 0.0, -0.07}, {0.955336489125606, -0.0, -0.29552020666133955, -0.0}, 0.046, 0.07, {229, 153, 153}}};
    return table[i];
  }
#endif
};
// clang-format on

}  // namespace envpool::robots
