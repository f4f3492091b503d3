// SPDX-License-Identifier: Apache-2.0
//
// The meanings of gymnasium's infos. An info of the same name has the same meaning in all environments.
#pragma once

#include <string_view>
#include <utility>

namespace envpool::robots {

inline constexpr std::pair<std::string_view, const char*> kMeanings[] = {
    {"x_position", "Position along x, m."},
    {"y_position", "Position along y, m."},
    {"x_velocity", "Mean velocity along x in the step, m/s."},
    {"y_velocity", "Mean velocity along y in the step, m/s."},
    {"distance_from_origin", "Horizontal distance from the origin, m."},
    {"z_distance_from_origin", "Height above the initial one, m."},
    {"tendon_length", "Lengths of the tendons."},
    {"tendon_velocity", "Velocities of the tendons."},
    {"reward_forward", "Term of the reward for velocity."},
    {"forward_reward", "Older name of reward_forward."},
    {"reward_fwd", "Older name of reward_forward."},
    {"reward_run", "Older name of reward_forward."},
    {"reward_linvel", "Older name of reward_forward."},
    {"reward_ctrl", "Term of the reward for controls, at most 0."},
    {"reward_quadctrl", "Term of the reward for controls, at most 0."},
    {"reward_contact", "Term of the reward for contact forces, at most 0."},
    {"reward_impact", "Term of the reward for contact forces, at most 0."},
    {"reward_survive", "Term of the reward for health."},
    {"reward_alive", "Term of the reward for being alive."},
    {"reward_linup", "Term of the reward for height."},
    {"reward_dist", "Term of the reward for the distance to the target, at most 0."},
    {"reward_near", "Term of the reward for the distance to the object, at most 0."},
    {"distance_penalty", "Term of the reward for the tip's distance from upright, at most 0."},
    {"velocity_penalty", "Term of the reward for the poles' velocities, at most 0."},
};

// Returns an empty string for an unknown name.
constexpr const char* meaning_of(std::string_view info) {
  for (const auto& [name, meaning] : kMeanings) {
    if (name == info) return meaning;
  }
  return "";
}

}  // namespace envpool::robots
