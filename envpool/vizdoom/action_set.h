// SPDX-License-Identifier: Apache-2.0
//
// EnvPool's combined actions: every combination of the available buttons that makes sense, in a fixed order. Opposite
// buttons are never held together, and at most one weapon is selected. A delta button, which takes a number instead of
// being held or not, takes a few evenly spaced values.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/vizdoom/names.h"

namespace envpool::vizdoom {

// The values of a delta button in combined actions: `count` values from low to high. A delta button without a
// configuration has the value 0.
struct DeltaRange {
  i32 count = 0;
  f32 low = 0, high = 0;
};

inline constexpr size_t kMostActions = 1 << 20;

// Returns all actions, each with a value for every button of `buttons`, in their order.
inline std::vector<std::vector<f64>> action_set(const std::vector<i32>& buttons, bool force_speed,
                                                const std::array<DeltaRange, kButtons>& ranges) {
  std::array<i32, kButtons> place;
  place.fill(-1);
  for (size_t i = 0; i < buttons.size(); ++i) place[size_t(buttons[i])] = i32(i);
  std::vector<std::vector<f64>> actions(1, std::vector<f64>(buttons.size(), 0.0));
  // Replaces every action so far by copies, one for each choice, in order. A choice sets at most one button of a copy.
  struct Choice {
    i32 button;  // -1: the choice sets no button
    f64 value;
  };
  const auto extend = [&](const std::vector<Choice>& choices) {
    if (actions.size() * choices.size() > kMostActions) {
      throw std::invalid_argument("use_combined_action: expected at most " + std::to_string(kMostActions) +
                                  " combinations of the available buttons, got more");
    }
    std::vector<std::vector<f64>> longer;
    for (const std::vector<f64>& action : actions) {
      for (const Choice& choice : choices) {
        longer.push_back(action);
        if (choice.button >= 0) longer.back()[size_t(place[size_t(choice.button)])] = choice.value;
      }
    }
    actions = std::move(longer);
  };
  const auto has = [&](i32 button) { return place[size_t(button)] >= 0; };
  const i32 speed = index_of(kButtonNames, "SPEED");
  const i32 first_weapon = index_of(kButtonNames, "SELECT_WEAPON1"), last_weapon = first_weapon + 9;
  const auto begins_pair = [](i32 button) {
    for (const char* name : {"MOVE_RIGHT", "MOVE_BACKWARD", "TURN_RIGHT", "LOOK_UP", "MOVE_UP", "SELECT_NEXT_WEAPON",
                             "SELECT_NEXT_ITEM"}) {
      if (kButtonNames[size_t(button)] == name) return true;
    }
    return false;
  };
  for (i32 button = 0; button < kButtons; ++button) {
    if (button == first_weapon) {
      std::vector<Choice> choices = {{-1, 0}};
      for (; button < last_weapon; ++button) {
        if (has(button)) choices.push_back({button, 1});
      }
      if (has(last_weapon)) choices.push_back({last_weapon, 1});
      extend(choices);
    } else if (button >= kFirstDeltaButton) {
      const DeltaRange& range = ranges[size_t(button)];
      if (!has(button) || range.count <= 1) continue;
      std::vector<Choice> choices;
      const f32 step = (range.high - range.low) / f32(range.count - 1);
      f32 value = range.low;
      for (i32 i = 0; i < range.count; ++i, value += step) choices.push_back({button, value});
      extend(choices);
    } else if (begins_pair(button) && has(button) && has(button + 1)) {
      extend({{-1, 0}, {button, 1}, {button + 1, 1}});
      ++button;
    } else if (has(button) && button == speed && force_speed) {
      extend({{button, 1}});
    } else if (has(button)) {
      extend({{-1, 0}, {button, 1}});
    }
  }
  return actions;
}

}  // namespace envpool::vizdoom
