// SPDX-License-Identifier: Apache-2.0
//
// The observation of a humanoid is the concatenation of:
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
#pragma once

#include "envpool/mujoco/gym/gym_env.h"

namespace envpool::mujoco {

struct HumanoidObservation {
  bool exclude_positions, exclude_world, exclude_root, cinert, cvel, qfrc_actuator, cfrc_ext;

  static void options(OptionSpecs& o) {
    exclude_option(o, "Leave the torso's x and y out of the observation.");
    o.boolean("exclude_worldbody_observations", true, "Leave the world body out of the observation.").changes_shapes();
    o.boolean("exclude_root_actuator_forces", true, "Leave actuator forces on the root out of the observation.")
        .changes_shapes();
    o.boolean("include_cinert_in_observation", true, "Observe inertias.").changes_shapes();
    o.boolean("include_cvel_in_observation", true, "Observe velocities about the centre of mass.").changes_shapes();
    o.boolean("include_qfrc_actuator_in_observation", true, "Observe actuator forces.").changes_shapes();
    o.boolean("include_cfrc_ext_in_observation", true, "Observe contact forces.").changes_shapes();
  }
  static HumanoidObservation params(const OptionValues& o) {
    return {.exclude_positions = o.boolean("exclude_current_positions_from_observation"),
            .exclude_world = o.boolean("exclude_worldbody_observations"),
            .exclude_root = o.boolean("exclude_root_actuator_forces"),
            .cinert = o.boolean("include_cinert_in_observation"),
            .cvel = o.boolean("include_cvel_in_observation"),
            .qfrc_actuator = o.boolean("include_qfrc_actuator_in_observation"),
            .cfrc_ext = o.boolean("include_cfrc_ext_in_observation")};
  }
  static constexpr const char* kObservation =
      "Positions (without the torso's x and y) and velocities; inertia, velocity and contact forces of each body; "
      "actuator forces.";
  static constexpr ModelRequirements kRequired{.positions = 3, .velocities = 6};

  i64 obs_size(const mjModel& m) const {
    const int bodies = m.nbody - exclude_world;
    return m.nq - 2 * exclude_positions + m.nv + (cinert ? 10 * bodies : 0) + (cvel ? 6 * bodies : 0) +
           (qfrc_actuator ? m.nv - 6 * exclude_root : 0) + (cfrc_ext ? 6 * bodies : 0);
  }
  void write(const mjModel& m, const mjData& d, Writer out) const {
    const int bodies = m.nbody - exclude_world, skipped = 2 * exclude_positions, root = 6 * exclude_root;
    out.put(d.qpos + skipped, m.nq - skipped);
    out.put(d.qvel, m.nv);
    if (cinert) out.put(d.cinert + 10 * exclude_world, 10 * bodies);
    if (cvel) out.put(d.cvel + 6 * exclude_world, 6 * bodies);
    if (qfrc_actuator) out.put(d.qfrc_actuator + root, m.nv - root);
    if (cfrc_ext) out.put(d.cfrc_ext + 6 * exclude_world, 6 * bodies);
  }
};

// Returns the cost of contact forces: weight times the sum of their squares, within bounds.
inline f64 contact_cost(const mjModel& m, const mjData& d, f64 weight, Pair bounds) {
  return clip(weight * sum_of_squares(d.cfrc_ext, 6 * m.nbody), bounds);
}

template <class Put>
void tendon_infos(const mjModel* m, const mjData* d, Put& put) {
  put("tendon_length", d == nullptr ? nullptr : d->ten_length, m->ntendon);
  put("tendon_velocity", d == nullptr ? nullptr : d->ten_velocity, m->ntendon);
}

}  // namespace envpool::mujoco
