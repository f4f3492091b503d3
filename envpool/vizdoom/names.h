// SPDX-License-Identifier: Apache-2.0
//
// The names of ViZDoom's buttons and game variables. Their positions are the engine's numbers.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/core/types.h"

namespace envpool::vizdoom {

inline constexpr i32 kButtons = 43;
inline constexpr i32 kFirstDeltaButton = 38;  // this button and all after it take a number instead of a bool
inline constexpr i32 kUserVariables = 60;

inline constexpr std::array<std::string_view, kButtons> kButtonNames = {
    "ATTACK",
    "USE",
    "JUMP",
    "CROUCH",
    "TURN180",
    "ALTATTACK",
    "RELOAD",
    "ZOOM",
    "SPEED",
    "STRAFE",
    "MOVE_RIGHT",
    "MOVE_LEFT",
    "MOVE_BACKWARD",
    "MOVE_FORWARD",
    "TURN_RIGHT",
    "TURN_LEFT",
    "LOOK_UP",
    "LOOK_DOWN",
    "MOVE_UP",
    "MOVE_DOWN",
    "LAND",
    "SELECT_WEAPON1",
    "SELECT_WEAPON2",
    "SELECT_WEAPON3",
    "SELECT_WEAPON4",
    "SELECT_WEAPON5",
    "SELECT_WEAPON6",
    "SELECT_WEAPON7",
    "SELECT_WEAPON8",
    "SELECT_WEAPON9",
    "SELECT_WEAPON0",
    "SELECT_NEXT_WEAPON",
    "SELECT_PREV_WEAPON",
    "DROP_SELECTED_WEAPON",
    "ACTIVATE_SELECTED_ITEM",
    "SELECT_NEXT_ITEM",
    "SELECT_PREV_ITEM",
    "DROP_SELECTED_ITEM",
    "LOOK_UP_DOWN_DELTA",
    "TURN_LEFT_RIGHT_DELTA",
    "MOVE_FORWARD_BACKWARD_DELTA",
    "MOVE_LEFT_RIGHT_DELTA",
    "MOVE_UP_DOWN_DELTA",
};

// The first variable of each group in the list of variable_names().
enum Variable : i32 {
  kKillCount,
  kItemCount,
  kSecretCount,
  kFragCount,
  kDeathCount,
  kHitCount,
  kHitsTaken,
  kDamageCount,
  kDamageTaken,
  kHealth,
  kArmor,
  kDead,
  kOnGround,
  kAttackReady,
  kAltAttackReady,
  kSelectedWeapon,
  kSelectedWeaponAmmo,
  kAmmo,                     // ten slots
  kWeapon = kAmmo + 10,      // ten slots
  kMovement = kWeapon + 10,  // position, angles, view height and velocity
  kCamera = kMovement + 10,  // position, angles and field of view
  kPlayerNumber = kCamera + 7,
  kPlayerCount,
  kPlayerFrags,               // sixteen players
  kUser = kPlayerFrags + 16,  // USER1 to USER60
  kVariables = kUser + kUserVariables,
};

// Returns the names of all game variables, in the engine's order.
inline const std::vector<std::string>& variable_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {"KILLCOUNT",           "ITEMCOUNT",    "SECRETCOUNT",     "FRAGCOUNT",
                                    "DEATHCOUNT",          "HITCOUNT",     "HITS_TAKEN",      "DAMAGECOUNT",
                                    "DAMAGE_TAKEN",        "HEALTH",       "ARMOR",           "DEAD",
                                    "ON_GROUND",           "ATTACK_READY", "ALTATTACK_READY", "SELECTED_WEAPON",
                                    "SELECTED_WEAPON_AMMO"};
    const auto numbered = [&](const char* stem, i32 first, i32 count, const char* end = "") {
      for (i32 i = first; i < first + count; ++i) all.push_back(stem + std::to_string(i) + end);
    };
    numbered("AMMO", 0, 10);
    numbered("WEAPON", 0, 10);
    for (const char* name :
         {"POSITION_X", "POSITION_Y", "POSITION_Z", "ANGLE", "PITCH", "ROLL", "VIEW_HEIGHT", "VELOCITY_X", "VELOCITY_Y",
          "VELOCITY_Z", "CAMERA_POSITION_X", "CAMERA_POSITION_Y", "CAMERA_POSITION_Z", "CAMERA_ANGLE", "CAMERA_PITCH",
          "CAMERA_ROLL", "CAMERA_FOV", "PLAYER_NUMBER", "PLAYER_COUNT"}) {
      all.emplace_back(name);
    }
    numbered("PLAYER", 1, 16, "_FRAGCOUNT");
    numbered("USER", 1, kUserVariables);
    return all;
  }();
  return names;
}

inline std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
  return out;
}

// Returns the number of a name in a list, ignoring case, or -1.
template <class Names>
i32 index_of(const Names& names, std::string_view name) {
  const std::string wanted = upper(name);
  const auto found = std::find(names.begin(), names.end(), wanted);
  return found == names.end() ? -1 : i32(found - names.begin());
}

}  // namespace envpool::vizdoom
