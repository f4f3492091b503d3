// SPDX-License-Identifier: Apache-2.0
//
// Makes levels of CoinRun: sections of ground at changing heights, with pits, saws, enemies and crates, up to the coin.
#pragma once

#include "envpool/procgen/coinrun_state.h"

namespace envpool::procgen::coinrun {

inline constexpr f32 kAgentHalfWidth = 0.5f, kAgentHalfHeight = 0.5787f;
inline constexpr i32 kJumpHeight = 5, kJumpWidth = 7;  // that an agent can do

class LevelMaker {
 public:
  ENVPOOL_FN LevelMaker(State& s, const GameParams& p) : s_(s), cells_(cells_of(s)), easy_(p.mode == kEasy) {
    random_.seed(u32(s.level.seed));
  }

  ENVPOOL_FN void make() {
    s_.background_part = random_.unit();
    s_.background = u8(random_.below(kBackgrounds));
    random_.bits();  // a place of the agent, which is not used
    random_.bits();
    s_.theme = s_.wall_theme = 0;
    if (easy_) {
      s_.background = 0;
    } else {
      s_.theme = u8(random_.below(kColors));
      s_.wall_theme = u8(random_.below(kGrounds));
    }
    s_.agent = {1 + kAgentHalfWidth, 1 + kAgentHalfHeight, 0, 0};
    s_.last_y = s_.agent.y;
    s_.dx = s_.dy = 0;
    s_.has_support = s_.on_crate = s_.reflected = false;
    s_.things = s_.enemies = 0;
    cells_.enclose(kSpace, kWallTop, kWall);
    make_sections();
    s_.ties.draw(random_);
  }

 private:
  ENVPOOL_FN void make_sections() {
    const i32 difficulty = random_.below(3) + 1;
    const i32 sections = random_.below(difficulty) + difficulty;
    const i32 danger = random_.below(3);
    i32 x = 5, y = 1;
    for (i32 i = 0; i < sections && x + 15 < kCells; ++i) {
      i32 rise = min(random_.below(4) + 1 + difficulty / 3, kJumpHeight);
      if (y >= 20 || (y >= 5 && random_.below(2) == 1)) rise = -rise;
      const i32 width = random_.below(2 * difficulty) + 3 + difficulty / 3;
      y = max(y + rise, 1);
      if (width > 7 && y > 3 && random_.below(20) >= difficulty) {
        make_pit(x, y, width, danger);
      } else {
        make_ground(x, y, width, difficulty);
      }
      if (!is_wall(cells_.at(x - 1, y))) cells_.set(x - 1, y, kBarrier);
      x += width;
      cells_.set(x, y, kBarrier);
    }
    cells_.set(x, y, kGoal);
    cells_.fill_ground(x, 0, 1, y, kWall, kWallTop);
    cells_.fill(x + 1, 0, kCells - x - 1, kCells, kWall);
  }

  ENVPOOL_FN void make_pit(i32 x, i32 y, i32 width, i32 danger) {
    const i32 left = random_.below(3) + 1;
    i32 right = random_.below(3) + 1;
    const i32 pit = min(width - left - right, kJumpWidth);
    right = width - left - pit;
    cells_.fill_ground(x, 0, left, y, kWall, kWallTop);
    cells_.fill_ground(x + width - right, 0, right, y, kWall, kWallTop);
    const i32 depth = random_.below(y - 3) + 1;
    if (danger == 0) cells_.fill_ground(x + left, 1, pit, depth, kLava, kLavaTop);
    for (i32 i = 0; i < pit; ++i) {
      if (danger == 1) add_thing(x + left + i, 1, kSaw, 0);
      if (danger == 2) add_enemy(x + left + i, 1);
    }
    if (pit > 4) {
      const i32 before = (pit == 5 ? 1 : 2) + random_.below(2);
      const i32 more = random_.below(2);
      const i32 island = pit <= 6 ? 1 + more : pit - before - (2 + more);
      cells_.fill_ground(x + left + before, y - 1, island, 1, kWall, kWallTop);
    }
  }

  ENVPOOL_FN void make_ground(i32 x, i32 y, i32 width, i32 difficulty) {
    cells_.fill_ground(x, 0, width, y, kWall, kWallTop);
    i32 saw = -1, enemy = -1;
    if (random_.below(10) < 2 * difficulty && width > 3) {
      saw = x + random_.below(width - 2) + 1;
      add_thing(saw, y, kSaw, 0);
    }
    if (random_.below(10) < difficulty && width > 3 && !easy_) {
      enemy = x + random_.below(width - 2) + 1;
      add_enemy(enemy, y);
    }
    for (i32 i = 0; i < 2; ++i) {
      const i32 crate = x + random_.below(width - 2) + 1;
      if (random_.below(2) == 1 && crate != saw && crate != enemy) {
        const i32 height = random_.below(3) + 1;
        for (i32 k = 0; k < height; ++k) add_thing(crate, y + k, kCrate, random_.below(kCrateThemes));
      }
    }
  }

  ENVPOOL_FN void add_thing(i32 x, i32 y, Type type, i32 theme) {
    if (s_.things < kMostThings) s_.thing[s_.things++] = {u8(x), u8(y), type, u8(theme)};
  }
  ENVPOOL_FN void add_enemy(i32 x, i32 y) {
    const f32 speed = random_.below(2) == 1 ? 0.15f : -0.15f;
    const i32 theme = random_.below(kEnemyThemes);
    if (s_.enemies < kMostEnemies) s_.enemy[s_.enemies++] = {{x + 0.5f, y + 0.5f, speed, 0}, theme};
  }

  State& s_;
  Cells<u8, kCells, kCells> cells_;
  bool easy_;
  Twister random_;
};

}  // namespace envpool::procgen::coinrun
