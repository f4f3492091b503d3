// SPDX-License-Identifier: Apache-2.0
//
// CoinRun: what a level consists of. Its images and types have the reference's numbers, which choose their colours if
// images are replaced by colours.
#pragma once

#include "envpool/procgen/platform.h"

namespace envpool::procgen::coinrun {

inline constexpr i32 kCells = 64;  // the sides of the world
inline constexpr i32 kTimeLimit = 1000, kExplorationSeed = 1949448038;

enum Type : u8 {
  kStand = 0,
  kGoal = 1,
  kSaw = 2,
  kSawMoved = 3,
  kEnemy = 6,
  kEnemyMoved = 7,
  kWalk = 12,
  kWalkMoved = 13,
  kWall = 15,
  kWallTop = 16,
  kLava = 17,
  kLavaTop = 18,
  kBarrier = 19,  // enemies turn back here; it is not drawn
  kCrate = 20,
  kTrail = 59,
  kSpace = 100
};

inline constexpr i32 kColors = 5, kEnemyThemes = 9, kGrounds = 6, kCrateThemes = 4;

// The first picture of each type; themes follow.
enum Picture : i32 {
  kStandPicture,
  kWalkPicture = kStandPicture + kColors,
  kWalkMovedPicture = kWalkPicture + kColors,
  kEnemyPicture = kWalkMovedPicture + kColors,
  kEnemyMovedPicture = kEnemyPicture + kEnemyThemes,
  kGoalPicture = kEnemyMovedPicture + kEnemyThemes,
  kWallTopPicture,
  kWallPicture = kWallTopPicture + kGrounds,
  kLavaTopPicture = kWallPicture + kGrounds,
  kLavaPicture,
  kSawPicture,
  kSawMovedPicture,
  kCratePicture,
  kTrailPicture = kCratePicture + kCrateThemes,
  kBackgroundPicture,
  kBackgrounds = 62,
  kEasyBackgrounds = 1
};

ENVPOOL_FN constexpr i32 picture_of(i32 type) {
  switch (type) {
    case kStand: return kStandPicture;
    case kWalk: return kWalkPicture;
    case kWalkMoved: return kWalkMovedPicture;
    case kEnemy: return kEnemyPicture;
    case kEnemyMoved: return kEnemyMovedPicture;
    case kGoal: return kGoalPicture;
    case kWallTop: return kWallTopPicture;
    case kWall: return kWallPicture;
    case kLavaTop: return kLavaTopPicture;
    case kLava: return kLavaPicture;
    case kSaw: return kSawPicture;
    case kSawMoved: return kSawMovedPicture;
    case kCrate: return kCratePicture;
    default: return kTrailPicture;
  }
}
ENVPOOL_FN constexpr i32 backgrounds_of(Mode mode) { return mode == kEasy ? kEasyBackgrounds : kBackgrounds; }

// Up to 5 sections of a level have 7 saws and crates or 7 enemies each.
inline constexpr i32 kMostThings = 36, kMostEnemies = 36;

// A saw or a crate, which stays in its cell.
struct Thing {
  u8 x, y;
  u8 type, theme;
};

struct Enemy {
  Mover body;
  i32 theme;
};

struct State {
  Level level;
  Ties<kTimeLimit> ties;
  Mover agent;
  f32 last_y;           // of the agent before the last step
  i32 dx, dy;           // of the last action, as far as it was possible
  f32 background_part;  // of the background that is drawn, from 0 to 1
  u8 background, theme, wall_theme;
  bool has_support, on_crate, reflected;
  i32 things, enemies;
  Thing thing[kMostThings];
  Enemy enemy[kMostEnemies];
  // The places of enemies after the last steps, from which trails are drawn. Step t is at t % kTrailSteps.
  f32 trail_x[kTrailSteps][kMostEnemies], trail_y[kTrailSteps][kMostEnemies];
  u8 cell[kCells][kCells];  // types by row
};

ENVPOOL_FN constexpr bool is_wall(i32 type) { return type == kWall || type == kWallTop; }
ENVPOOL_FN constexpr bool is_lava(i32 type) { return type == kLava || type == kLavaTop; }

ENVPOOL_FN Cells<const u8, kCells, kCells> cells_of(const State& s) { return {s.cell, kCells, kCells, kWall}; }
ENVPOOL_FN Cells<u8, kCells, kCells> cells_of(State& s) { return {s.cell, kCells, kCells, kWall}; }

}  // namespace envpool::procgen::coinrun
