// SPDX-License-Identifier: Apache-2.0
//
// What gymnasium's infos mean, by their names, for they mean the same in each of its environments.
#pragma once

#include <string_view>
#include <utility>

namespace envpool::mujoco {

inline constexpr std::pair<std::string_view, const char*> kMeanings[] = {
    {"x_position", "Place along x, m."},
    {"y_position", "Place along y, m."},
    {"x_velocity", "Mean velocity along x in this step, m/s."},
    {"y_velocity", "Mean velocity along y in this step, m/s."},
    {"distance_from_origin", "Distance from the origin in the plane, m."},
    {"z_distance_from_origin", "Height over the initial one, m."},
    {"tendon_length", "Lengths of the tendons."},
    {"tendon_velocity", "How fast those lengths change."},
    {"reward_forward", "Of the reward: for velocity."},
    {"forward_reward", "reward_forward by its older name."},
    {"reward_fwd", "reward_forward by its older name."},
    {"reward_run", "reward_forward by its older name."},
    {"reward_linvel", "reward_forward by its older name."},
    {"reward_ctrl", "Of the reward: for controls, 0 or less."},
    {"reward_quadctrl", "Of the reward: for controls, 0 or less."},
    {"reward_contact", "Of the reward: for contact forces, 0 or less."},
    {"reward_impact", "Of the reward: for contact forces, 0 or less."},
    {"reward_survive", "Of the reward: for health."},
    {"reward_alive", "Of the reward: for being alive."},
    {"reward_linup", "Of the reward: for height."},
    {"reward_dist", "Of the reward: for the distance to the target, 0 or less."},
    {"reward_near", "Of the reward: for the distance to the object, 0 or less."},
    {"distance_penalty", "Taken from the reward for the tip's distance from upright."},
    {"velocity_penalty", "Taken from the reward for the poles' velocities."},
};

// Empty for a name that is not among them.
constexpr const char* meaning_of(std::string_view info) {
  for (const auto& [name, meaning] : kMeanings) {
    if (name == info) return meaning;
  }
  return "";
}

}  // namespace envpool::mujoco
