// SPDX-License-Identifier: Apache-2.0
//
// What Humanoid and HumanoidStandup observe. The observation is the concatenation of:
//
//   positions, without the torso's x and y (22)
//   velocities (23)
//   for each body, its inertia about the centre of mass (10)
//   for each body, its velocity about the centre of mass (6)
//   the actuator force on each joint
//   for each body, the contact forces (6)
//
// Up to version 4, it also includes the entries of the world body and the actuator forces on the root, all of which are
// zero.
// Source: gymnasium 1.4.0, Humanoid-v4, Humanoid-v5, HumanoidStandup-v4, HumanoidStandup-v5.
#pragma once

#include "envpool/robots/contact_force.h"
#include "envpool/robots/robot_env.h"

namespace envpool::robots {

// The results of a humanoid's dynamics, and where they are among the results of its environment.
template <class M>
struct HumanoidResults {
  static constexpr i32 kCenter = 0;              // x and y of the centre of mass
  static constexpr i32 kControls = kCenter + 2;  // those of the last simulation step; zeros if it was unstable
  static constexpr i32 kTendons = kControls + M::kActuators;    // lengths, then velocities
  static constexpr i32 kInertias = kTendons + 2 * M::kTendons;  // cinert of all bodies, and so on
  static constexpr i32 kVelocities = kInertias + 10 * M::kBodies;
  static constexpr i32 kActuatorForces = kVelocities + 6 * M::kBodies;
  static constexpr i32 kContactForces = kActuatorForces + M::kDofs;
  static constexpr i32 kCount = kContactForces + 6 * M::kBodies;

  template <class Size, class T>
  ENVPOOL_ALWAYS_INLINE static void write(const Data<Size, T>& d, f64 mass, bool forces, T* out) {
    T center[2]{};
    for (i32 b = 0; b < M::kBodies; ++b) add_scaled<2>(center, d.xipos[b], d.numbers->body_mass[b]);
    for (int i = 0; i < 2; ++i) out[kCenter + i] = center[i] / mass;
    copy<M::kActuators>(out + kControls, d.ctrl);
    copy<M::kTendons>(out + kTendons, d.tendon_length.at);
    copy<M::kTendons>(out + kTendons + M::kTendons, d.tendon_velocity.at);
    zero<10>(out + kInertias);  // of the world
    for (i32 b = 1; b < M::kBodies; ++b) copy<10>(out + kInertias + 10 * b, d.cinert[b].at);
    copy<6 * M::kBodies>(out + kVelocities, d.cvel[0]);
    copy<M::kDofs>(out + kActuatorForces, d.qfrc_actuator);
    zero<6 * M::kBodies>(out + kContactForces);
    if (forces) {
      T contact[M::kBodies][6];
      contact_forces(d, contact);
      copy<6 * M::kBodies>(out + kContactForces, contact[0]);
    }
  }

  ENVPOOL_FN static f64 squared_control(const f64* results) {
    return sum_of_squares(results + kControls, M::kActuators);
  }
  ENVPOOL_FN static f64 squared_contact_force(const f64* results) {
    return sum_of_squares(results + kContactForces, 6 * M::kBodies);
  }
  template <class Put>
  ENVPOOL_FN static void tendon_infos(const f64* results, Put& put) {
    put("tendon_length", results + kTendons, M::kTendons);
    put("tendon_velocity", results + kTendons + M::kTendons, M::kTendons);
  }
};

template <class M>
struct HumanoidObservation {
  bool exclude_positions, exclude_world, exclude_root, inertias, velocities, actuator_forces, contact_forces;

  static constexpr const char* kObservation =
      "Positions (without the torso's x and y) and velocities; inertia, velocity and contact forces of each body; "
      "actuator forces.";

#if ENVPOOL_HOST
  // `path` leads to the HumanoidObservation that they set.
  template <class... Path>
  static void options(OptionSpecs& o, Path... path) {
    exclude_option(o, "Leave the torso's x and y out of the observation.", path...,
                   &HumanoidObservation::exclude_positions);
    o.boolean("exclude_worldbody_observations", true, "Leave the world body out of the observation.")
        .changes_shapes()
        .sets(path..., &HumanoidObservation::exclude_world);
    o.boolean("exclude_root_actuator_forces", true, "Leave actuator forces on the root out of the observation.")
        .changes_shapes()
        .sets(path..., &HumanoidObservation::exclude_root);
    o.boolean("include_cinert_in_observation", true, "Observe inertias.")
        .changes_shapes()
        .sets(path..., &HumanoidObservation::inertias);
    o.boolean("include_cvel_in_observation", true, "Observe velocities about the centre of mass.")
        .changes_shapes()
        .sets(path..., &HumanoidObservation::velocities);
    o.boolean("include_qfrc_actuator_in_observation", true, "Observe actuator forces.")
        .changes_shapes()
        .sets(path..., &HumanoidObservation::actuator_forces);
    o.boolean("include_cfrc_ext_in_observation", true, "Observe contact forces.")
        .changes_shapes()
        .sets(path..., &HumanoidObservation::contact_forces);
  }
#endif

  ENVPOOL_FN i64 size() const {
    const i32 bodies = M::kBodies - exclude_world;
    return M::kPositions - 2 * exclude_positions + M::kDofs + (inertias ? 10 * bodies : 0) +
           (velocities ? 6 * bodies : 0) + (actuator_forces ? M::kDofs - 6 * exclude_root : 0) +
           (contact_forces ? 6 * bodies : 0);
  }
  template <class State>
  ENVPOOL_FN void write(const State& s, Writer out) const {
    using Results = HumanoidResults<M>;
    const i32 first = exclude_world, bodies = M::kBodies - first;
    const i32 skipped = 2 * exclude_positions, root = 6 * exclude_root;
    out.put(s.qpos + skipped, M::kPositions - skipped);
    out.put(s.qvel, M::kDofs);
    if (inertias) out.put(s.results + Results::kInertias + 10 * first, 10 * bodies);
    if (velocities) out.put(s.results + Results::kVelocities + 6 * first, 6 * bodies);
    if (actuator_forces) out.put(s.results + Results::kActuatorForces + root, M::kDofs - root);
    if (contact_forces) out.put(s.results + Results::kContactForces + 6 * first, 6 * bodies);
  }
};

}  // namespace envpool::robots
