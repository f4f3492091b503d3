// SPDX-License-Identifier: Apache-2.0
//
// Climber: an agent jumps from platform to platform and collects all crystals, past enemies that fly to and fro.
//
//   Action       i32, 0 left, 1 left, 2 left and up (a jump), 3 and 4 nothing, 5 up, 6 right, 7 right, 8 right and
//                up, 9 to 14 nothing
//   Observation  u8[3, 64, 64], RGB, of the whole width of the level, which scrolls up and down with the agent; with
//                center_agent=False of the whole level
//   Reward       1 for each crystal, and 10 for the last
//   Terminated   after the last crystal, and when the agent touches an enemy
//   Truncated    after 1000 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the platforms, what is on them, and the pictures
//
// The level has 16 by 64 cells and fewer enemies with distribution_mode "easy", 20 by 64 with "hard". Reference: see
// game.h.
#pragma once

#include "envpool/procgen/platform.h"

namespace envpool::procgen {

struct ProcgenClimber : GameOf<ProcgenClimber> {
  static constexpr const char* kName = "ProcgenClimber";
  static constexpr const char* kModes[] = {"easy", "hard", "exploration"};
  static constexpr const char* kActionsText =
      "0 left, 1 left, 2 left and up, 3 nothing, 4 nothing, 5 up, 6 right, 7 right, 8 right and up, 9 to 14 "
      "nothing";
  static constexpr i32 kTimeLimit = 1000, kExplorationSeed = 1561126160, kMostWidth = 20, kHeight = 64,
                       kMostThings = 20;
  static constexpr i32 kColors = 4, kBackgrounds = 62;
  static constexpr f32 kMix = 0.5f, kFlightSpeed = 0.15f, kFlightWidth = 4;
  static constexpr f32 kHalfOfCrystal = 0.3f;
  static constexpr f32 kEnemyHalfHeight = kHalf / 1.375f;  // by the shape of its image

  // Types have the reference's numbers, which choose their colours if images are replaced by colours.
  enum Type : u8 {
    kStand = 0,
    kCrystal = 1,
    kEnemy = 6,
    kEnemyMoved = 7,
    kJump = 9,
    kWalk = 12,
    kWalkMoved = 13,
    kWall = 15,
    kWallTop = 16,
    kSpace = 100
  };
  // The first picture of each type; themes follow.
  enum Picture : i32 {
    kStandPicture,
    kJumpPicture = kStandPicture + kColors,
    kWalkPicture = kJumpPicture + kColors,
    kWalkMovedPicture = kWalkPicture + kColors,
    kWallTopPicture = kWalkMovedPicture + kColors,
    kWallPicture = kWallTopPicture + kColors,
    kEnemyPicture = kWallPicture + kColors,
    kEnemyMovedPicture,
    kCrystalPicture,
    kBackground,
    kPictures = kBackground + kBackgrounds
  };

  struct Thing {  // a crystal or an enemy
    Mover body;
    f32 middle;  // of an enemy's flight
    i32 type;
  };
  struct State {
    Level level;
    Ties<kTimeLimit> ties;
    Runner agent;
    i32 crystals_left;
    f32 background_part;
    u8 background, theme, wall_theme;
    i32 things;
    Thing thing[kMostThings];
    u8 cell[kHeight][kMostWidth];  // types by row, of which the world has the first ones
  };

#if ENVPOOL_HOST
  static u64 identity(const Params& p) { return u64(width_of(p)); }
  static void state_parts(StateParts<State>& parts) {
    parts.add("cell", &State::cell).add("crystals_left", &State::crystals_left);
  }
#endif

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 now = clamp(s.level.time + 1, 0, kTimeLimit);
    Runner& a = s.agent;
    const i32 move = move_of(action);
    a.dx = move / 3 - 1;
    a.has_support = stands(a.at, kHalf, kHalf, [&](f32 x, f32 y) { return is_wall(cells_of(s, p).at_point(x, y)); });
    const bool jumps = move % 3 == 2 && a.has_support;
    run(a.at, a.dx, mix_of(kMix, a.has_support));
    if (jumps) a.at.vy = kJumpSpeed;
    a.fall();
    for (i32 i = 0; i < s.things; ++i) {
      if (s.thing[i].type == kEnemy) fly(s, p, s.thing[i].body);
    }
    advance(a.at, agent_sideways(a.at, s.ties[now], a.dx, jumps), [&](f32 vx, f32 vy) {
      return move_in_cells(a.at, kHalf, kHalf, vx, vy,
                           [&](f32 x, f32 y) { return is_wall(cells_of(s, p).at_point(x, y)) ? kBlocks : kPasses; });
    });
    f32 reward = 0;
    bool done = false;
    meet(s, reward, done);
    a.look();
    patrol(s);
    const bool complete = s.crystals_left == 0;
    if (complete) reward += 10;
    const StepEnd end = end_step(s.level, p, reward, done || complete, complete, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    repair_level(s.level);
    repair_runner(s.agent, kHeight);
    keep_within(s.crystals_left, 0, kMostThings);
    keep_within<u8>(s.background, 0, kBackgrounds - 1);
    keep_within<u8>(s.theme, 0, kColors - 1);
    keep_within<u8>(s.wall_theme, 0, kColors - 1);
    keep_within(s.things, 0, kMostThings);
    for (Thing& thing : s.thing) repair_mover(thing.body, kHeight);
    keep_within(s.level.time, 0, kTimeLimit);
  }

 private:
  friend GameOf<ProcgenClimber>;

  ENVPOOL_FN static i32 width_of(const Params& p) { return p.mode == kEasy ? 16 : kMostWidth; }
  ENVPOOL_FN static Cells<const u8, kHeight, kMostWidth> cells_of(const State& s, const Params& p) {
    return {s.cell, width_of(p), kHeight, kWall};
  }
  ENVPOOL_FN static bool is_wall(i32 type) { return type == kWall || type == kWallTop; }

  // Moves an enemy, which walls turn round.
  ENVPOOL_FN static void fly(const State& s, const Params& p, Mover& at) {
    advance(at, faster_sideways(at, false), [&](f32 vx, f32 vy) {
      return move_in_cells(at, kHalf, kEnemyHalfHeight, vx, vy, [&](f32 x, f32 y) {
        const i32 type = cells_of(s, p).at_point(x, y);
        return type == kWall ? kBlocks | kTurns : type == kWallTop ? kTurns : kPasses;
      });
    });
  }
  // Turns enemies round that are far from the middle of their flight.
  ENVPOOL_FN static void patrol(State& s) {
    for (i32 i = 0; i < s.things; ++i) {
      Thing& thing = s.thing[i];
      if (thing.type != kEnemy) continue;
      Mover& body = thing.body;
      if (body.x > thing.middle + kFlightWidth) {
        body.vx = -fabs(body.vx);
      } else if (body.x < thing.middle - kFlightWidth) {
        body.vx = fabs(body.vx);
      }
    }
  }

  // Collects crystals, and touches enemies.
  ENVPOOL_FN static void meet(State& s, f32& reward, bool& done) {
    i32 kept = 0;
    for (i32 i = 0; i < s.things; ++i) {
      const Thing& thing = s.thing[i];
      const bool is_enemy = thing.type == kEnemy;
      const f32 wide = kHalf + (is_enemy ? kHalf : kHalfOfCrystal);
      const f32 high = kHalf + (is_enemy ? kEnemyHalfHeight : kHalfOfCrystal);
      const bool touches = overlaps(thing.body.x - s.agent.at.x, thing.body.y - s.agent.at.y, wide, high);
      done = done || (touches && is_enemy);
      if (touches && !is_enemy) {
        reward += 1;
        --s.crystals_left;
      } else {
        s.thing[kept++] = thing;
      }
    }
    s.things = kept;
  }

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) {
    Twister random;
    random.seed(u32(s.level.seed));
    s.background_part = random.unit();
    s.background = u8(random.below(kBackgrounds));
    random.bits();  // a place of the agent, which is not used
    random.bits();
    s.agent.start(1 + kHalf, 1 + kHalf);
    s.theme = u8(random.below(kColors));
    s.wall_theme = u8(random.below(kColors));
    Cells(s.cell, width_of(p), kHeight, kWall).enclose(kSpace, kWallTop, kWall);
    make_platforms(s, p, random);
    s.ties.draw(random);
  }

  ENVPOOL_FN static void make_platforms(State& s, const Params& p, Twister& random) {
    constexpr i32 kMargin = 3;  // beside the outer walls, where enemies would have no room
    const i32 width = width_of(p);
    const Cells cells(s.cell, width, kHeight, kWall);
    const i32 difficulty = random.below(3);
    const i32 platforms = random.below(2 * difficulty + 2) + difficulty * difficulty + 1;
    const f32 enemies = p.mode == kEasy ? 0.2f : 0.5f;
    s.things = s.crystals_left = 0;
    i32 x = random.below(width - 4) + 2, y = 0;
    for (i32 i = 0; i < platforms; ++i) {
      const i32 rise = random.below(3) + 3;
      if (x >= kMargin && x <= width - kMargin && random.unit() < enemies) add_enemy(s, x, y, random);
      y += rise;
      const i32 length = 2 + random.below(10);
      i32 step = random.below(2) * 2 - 1;
      if (x < kMargin) step = 1;
      if (x > width - kMargin) step = -1;
      i32 made = 0;
      while (made < length && x + (made + 1) * step > 0 && x + (made + 1) * step < width - 1) {
        ++made;
        cells.set(x + made * step, y, kWallTop);
      }
      if (random.unit() < 0.5 || i == platforms - 1) {
        const i32 at = x + (random.below(made) + 1) * step;
        if (s.things < kMostThings) s.thing[s.things++] = {{at + 0.5f, y + 1.5f, 0, 0}, 0, kCrystal};
        ++s.crystals_left;
      }
      x += (random.below(made) + 1) * step;
    }
  }

  ENVPOOL_FN static void add_enemy(State& s, i32 x, i32 y, Twister& random) {
    const f32 speed = random.below(2) == 1 ? kFlightSpeed : -kFlightSpeed;
    const i32 above = random.below(2) + 2;
    if (s.things < kMostThings) {
      s.thing[s.things++] = {{x + 0.5f, f32(y + above) + 0.5f, speed, 0}, x + 0.5f, kEnemy};
    }
  }

  ENVPOOL_FN static Look look_of_agent(const State& s) {
    const Runner& a = s.agent;
    if (!a.has_support) return {kJumpPicture, kJump, s.theme};
    if (a.is_still()) return {kStandPicture, kStand, s.theme};
    if (a.shows_first(s.level.time)) return {kWalkPicture, kWalk, s.theme};
    return {kWalkMovedPicture, kWalkMoved, s.theme};
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    const i32 width = width_of(p), time = s.level.time;
    const Runner& a = s.agent;
    const f32 middle = f32(width * 0.5), y = p.center_agent ? f32(a.at.y + width / 2.0 - 5 * kHalf) : kHeight * 0.5f;
    const f32 visible = f32(p.center_agent ? width : kHeight);
    const View view(visible, middle, y, kPixels);
    Scene<kPixels> scene(p, canvas, view);
    scene.background(kBackground + s.background, width, kHeight, s.background_part);
    const Window window = p.center_agent ? window_around(middle, y, visible) : Window{0, width - 1, 0, kHeight - 1};
    scene.template cells<kHeight>(
        window,
        [&](i32 i, i32 k) -> Look {
          const i32 type = cells_of(s, p).at(i, k);
          if (type == kWall) return {kWallPicture, kWall, s.wall_theme};
          if (type == kWallTop) return {kWallTopPicture, kWallTop, s.wall_theme};
          return {kNoPicture, kSpace};
        },
        kWallPicture);
    for (i32 i = 0; i < s.things; ++i) {
      const Thing& thing = s.thing[i];
      const Mover& body = thing.body;
      if (thing.type == kEnemy) {
        const Look look = time / 5 % 2 == 0 ? Look{kEnemyPicture, kEnemy} : Look{kEnemyMovedPicture, kEnemyMoved};
        scene.object(look, body.x, body.y, kHalf, kEnemyHalfHeight, time > 0 && body.vx < 0);
      } else {
        scene.object({kCrystalPicture, kCrystal}, body.x, body.y, kHalfOfCrystal, kHalfOfCrystal);
      }
    }
    scene.object(look_of_agent(s), a.at.x, a.at.y, kHalf, kHalf, a.reflected);
    if (p.paint_vel_info) paint_velocity(canvas, a.at, kRunSpeed, kJumpSpeed);
  }
};

}  // namespace envpool::procgen
