// SPDX-License-Identifier: Apache-2.0
//
// The arrays of a simulation that a custom model can observe or take as actions, by MuJoCo's names.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/core/types.h"
#include "envpool/mujoco/physics/simulation.h"

namespace envpool::mujoco {

struct Part {
  const char* name;
  i64 (*count)(const mjModel*);
  f64* (*at)(mjData*);
  const char* doc;
  bool action = false;  // an action may set it
};

inline constexpr Part kParts[] = {
    {"qpos", [](const mjModel* m) -> i64 { return m->nq; }, [](mjData* d) { return d->qpos; }, "positions"},
    {"qvel", [](const mjModel* m) -> i64 { return m->nv; }, [](mjData* d) { return d->qvel; }, "velocities"},
    {"sensordata", [](const mjModel* m) -> i64 { return m->nsensordata; }, [](mjData* d) { return d->sensordata; },
     "sensor data, in the model's order"},
    {"act", [](const mjModel* m) -> i64 { return m->na; }, [](mjData* d) { return d->act; }, "actuator activations"},
    {"ctrl", [](const mjModel* m) -> i64 { return m->nu; }, [](mjData* d) { return d->ctrl; }, "controls", true},
    {"time", [](const mjModel*) -> i64 { return 1; }, [](mjData* d) { return &d->time; }, "seconds since the reset"},
    {"qacc", [](const mjModel* m) -> i64 { return m->nv; }, [](mjData* d) { return d->qacc; }, "accelerations"},
    {"xpos", [](const mjModel* m) -> i64 { return 3 * m->nbody; }, [](mjData* d) { return d->xpos; },
     "positions of bodies in the world frame"},
    {"xquat", [](const mjModel* m) -> i64 { return 4 * m->nbody; }, [](mjData* d) { return d->xquat; },
     "orientations of bodies in the world frame"},
    {"site_xpos", [](const mjModel* m) -> i64 { return 3 * m->nsite; }, [](mjData* d) { return d->site_xpos; },
     "positions of sites in the world frame"},
    {"subtree_com", [](const mjModel* m) -> i64 { return 3 * m->nbody; }, [](mjData* d) { return d->subtree_com; },
     "centres of mass of the subtrees of bodies"},
    {"actuator_force", [](const mjModel* m) -> i64 { return m->nu; }, [](mjData* d) { return d->actuator_force; },
     "actuator forces"},
    {"mocap_pos", [](const mjModel* m) -> i64 { return 3 * m->nmocap; }, [](mjData* d) { return d->mocap_pos; },
     "positions of mocap bodies", true},
    {"mocap_quat", [](const mjModel* m) -> i64 { return 4 * m->nmocap; }, [](mjData* d) { return d->mocap_quat; },
     "orientations of mocap bodies; MuJoCo normalises them", true},
    {"qfrc_applied", [](const mjModel* m) -> i64 { return m->nv; }, [](mjData* d) { return d->qfrc_applied; },
     "forces applied to joints", true},
    {"xfrc_applied", [](const mjModel* m) -> i64 { return 6 * m->nbody; }, [](mjData* d) { return d->xfrc_applied; },
     "forces and torques applied to bodies", true},
    {"userdata", [](const mjModel* m) -> i64 { return m->nuserdata; }, [](mjData* d) { return d->userdata; },
     "user data (nuserdata), which the physics does not change", true},
};

using Parts = std::vector<const Part*>;

// Parses a list such as "qpos,qvel". Arrays that are empty in the model are omitted.
inline Parts parts_of(std::string_view option, std::string_view text, const mjModel* model, bool action) {
  Parts parts;
  std::string known;
  for (const Part& part : kParts) {
    if (action && !part.action) continue;
    known += (known.empty() ? "" : ", ") + std::string(part.name);
  }
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string_view name = text.substr(begin, end - begin);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    begin = end + 1;
    const Part* match = nullptr;
    for (const Part& part : kParts) {
      if (name == part.name && (part.action || !action)) match = &part;
    }
    if (match == nullptr) {
      throw std::invalid_argument(std::string(option) + ": expected names separated by commas, from " + known +
                                  ", got '" + std::string(name) + "'");
    }
    for (const Part* earlier : parts) {
      if (earlier == match) {
        throw std::invalid_argument(std::string(option) + ": expected each array once, got '" + std::string(name) +
                                    "' twice");
      }
    }
    if (match->count(model) > 0) parts.push_back(match);
  }
  return parts;
}

}  // namespace envpool::mujoco
