// SPDX-License-Identifier: Apache-2.0
//
// CoinRun: an agent runs and jumps to a coin at the right end of a level, past saws, enemies, pits and lava.
//
//   Action       i32, 0 to 2 left and down, left, left and up (a jump), 3 down, 4 nothing, 5 up, 6 to 8 the same to the
//                right, 9 to 14 nothing
//   Observation  u8[3, 64, 64], RGB, of 13 by 13 cells around the agent; with center_agent=False of the whole level
//   Reward       10 at the coin
//   Terminated   at the coin, and when the agent touches a saw, an enemy or lava
//   Truncated    after 1000 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the ground, what is on it, and the pictures
//
// With distribution_mode "easy" there are few enemies, and all levels have the same pictures. Reference: see game.h.
#pragma once

#include "envpool/procgen/coinrun_motion.h"

namespace envpool::procgen {

struct ProcgenCoinrun : GameOf<ProcgenCoinrun> {
  static constexpr const char* kName = "ProcgenCoinrun";
  static constexpr const char* kModes[] = {"easy", "hard", "exploration"};
  static constexpr const char* kActionsText = kMoves;
  static constexpr i32 kExplorationSeed = coinrun::kExplorationSeed;

  using State = coinrun::State;

#if ENVPOOL_HOST
  static Blob blob(const OptionValues& o) {
    Params p{};
    read_options(p, o);
    return make_art(o.text("art"), coinrun::kBackgroundPicture + coinrun::backgrounds_of(p.mode),
                    coinrun::kBackgroundPicture);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("cell", &State::cell).add("last_y", &State::last_y).add("has_support", &State::has_support);
  }
#endif

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    using namespace coinrun;
    const i32 now = clamp(s.level.time + 1, 0, kTimeLimit);
    take_direction(s, move_of(action));
    accelerate(s);
    const bool tie = s.ties[now];
    for (i32 i = s.enemies - 1; i >= 0; --i) {
      Body body{s.enemy[i].body, kHalf, kHalf, false};
      advance(s, body, tie);
    }
    Body body{s.agent, kAgentHalfWidth, kAgentHalfHeight, true};
    advance(s, body, tie);
    bool done = touches_danger(s);
    i32 coins = 0;
    look_at_cells(s, done, coins);
    for (i32 i = 0; i < s.enemies; ++i) {
      s.trail_x[now % kTrailSteps][i] = s.enemy[i].body.x;
      s.trail_y[now % kTrailSteps][i] = f32(s.enemy[i].body.y - kHalf * 0.5);
    }
    if (s.dx != 0) s.reflected = s.dx < 0;
    s.last_y = s.agent.y;
    const StepEnd end = end_step(s.level, p, 10.0f * f32(coins), done, coins > 0, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    using namespace coinrun;
    repair_level(s.level);
    repair_mover(s.agent, kCells);
    keep_within(s.dx, -1, 1);
    keep_within(s.dy, -1, 1);
    keep_within<u8>(s.background, 0, u8(backgrounds_of(p.mode) - 1));
    keep_within<u8>(s.theme, 0, kColors - 1);
    keep_within<u8>(s.wall_theme, 0, kGrounds - 1);
    keep_bool(s.has_support);
    keep_bool(s.on_crate);
    keep_bool(s.reflected);
    keep_within(s.things, 0, kMostThings);
    keep_within(s.enemies, 0, kMostEnemies);
    for (Thing& thing : s.thing) keep_within<u8>(thing.theme, 0, kCrateThemes - 1);
    for (Enemy& enemy : s.enemy) {
      repair_mover(enemy.body, kCells);
      keep_within(enemy.theme, 0, kEnemyThemes - 1);
    }
    keep_within(s.level.time, 0, kTimeLimit);
  }

 private:
  friend GameOf<ProcgenCoinrun>;

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) { coinrun::LevelMaker(s, p).make(); }

  ENVPOOL_FN static bool touches_danger(const State& s) {
    using namespace coinrun;
    const auto touches = [&](f32 x, f32 y) {
      return overlaps(x - s.agent.x, y - s.agent.y, kHalf + kAgentHalfWidth, kHalf + kAgentHalfHeight);
    };
    bool danger = false;
    for (i32 i = 0; i < s.things; ++i) {
      danger |= s.thing[i].type != kCrate && touches(s.thing[i].x + 0.5f, s.thing[i].y + 0.5f);
    }
    for (i32 i = 0; i < s.enemies; ++i) danger |= touches(s.enemy[i].body.x, s.enemy[i].body.y);
    return danger;
  }

  // Looks at the cells that the agent touches, for lava and the coin.
  ENVPOOL_FN static void look_at_cells(const State& s, bool& done, i32& coins) {
    using namespace coinrun;
    const Mover& a = s.agent;
    const f32 wide = kAgentHalfWidth + kOverlap, high = kAgentHalfHeight + kOverlap;
    const i32 left = i32(a.x - wide), right = i32(a.x + wide), bottom = i32(a.y - high), top = i32(a.y + high);
    for (i32 x = left; x <= right; ++x) {
      for (i32 y = bottom; y <= top; ++y) {
        const i32 type = cells_of(s).at(x, y);
        coins += type == kGoal;
        done |= type == kGoal || is_lava(type);
      }
    }
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    using namespace coinrun;
    constexpr f32 kVisible = 13;
    const f32 middle = f32(kCells * 0.5);
    const View view =
        p.center_agent ? View(kVisible, s.agent.x, s.agent.y, kPixels) : View(f32(kCells), middle, middle, kPixels);
    Scene<kPixels> scene(p, canvas, view);
    scene.background(kBackgroundPicture + s.background, kCells, kCells, s.background_part);
    const Window window =
        p.center_agent ? window_around(s.agent.x, s.agent.y, kVisible) : Window{0, kCells - 1, 0, kCells - 1};
    scene.template cells<kCells>(
        window,
        [&](i32 i, i32 k) -> Look {
          const i32 type = cells_of(s).at(i, k);
          if (type == kSpace || type == kBarrier) return {kNoPicture, kSpace};
          return {picture_of(type), type, is_wall(type) ? s.wall_theme : 0};
        },
        kWallPicture);
    for (i32 i = 0; i < s.things; ++i) {
      const Thing& thing = s.thing[i];
      const Look saw = s.level.time % 2 == 0 ? Look{kSawPicture, kSaw} : Look{kSawMovedPicture, kSawMoved};
      scene.object(thing.type == kCrate ? Look{kCratePicture, kCrate, thing.theme} : saw, thing.x + 0.5f,
                   thing.y + 0.5f, kHalf, kHalf);
    }
    draw_trails(s, scene);
    draw_agent(s, p, view, scene);
    for (i32 i = 0; i < s.enemies; ++i) {
      const Enemy& enemy = s.enemy[i];
      const i32 type = s.level.time / 5 % 2 == 0 ? kEnemy : kEnemyMoved;
      scene.object({picture_of(type), type, enemy.theme}, enemy.body.x, enemy.body.y, kHalf, kHalf,
                   s.level.time > 0 && enemy.body.vx > 0);
    }
    if (p.paint_vel_info) paint_velocity(canvas, s.agent, kRunSpeed, kJumpSpeed);
  }

  // Draws the agent, whose images are higher than its body.
  template <i32 kPixels>
  ENVPOOL_FN static void draw_agent(const State& s, const Params& p, const View& view, Scene<kPixels>& scene) {
    using namespace coinrun;
    const i32 walk = s.level.time / 5 % 2 == 0 || !s.has_support ? kWalk : kWalkMoved;
    const bool is_still = fabs(s.agent.vx) < 0.01 && s.dx == 0 && s.has_support;
    const i32 type = is_still ? i32{kStand} : walk;
    Rect r =
        view.rect(s.agent.x - kAgentHalfWidth, s.agent.y + kAgentHalfHeight, 2 * kAgentHalfWidth, 2 * kAgentHalfHeight);
    if (!p.use_monochrome_assets) {
      r.y += r.height * -0.7415;
      r.height *= 1.7415;
    }
    scene.rect({picture_of(type), type, s.theme}, r, s.reflected);
  }

  // Draws the trails of enemies, the oldest first.
  template <i32 kPixels>
  ENVPOOL_FN static void draw_trails(const State& s, Scene<kPixels>& scene) {
    using namespace coinrun;
    for (i32 age = min(kTrailSteps, s.level.time) - 1; age >= 0; --age) {
      const i32 slot = (s.level.time - age) % kTrailSteps;
      for (i32 i = s.enemies - 1; i >= 0; --i) {
        draw_trail(scene, {kTrailPicture, kTrail}, s.trail_x[slot][i], s.trail_y[slot][i], age);
      }
    }
  }
};

}  // namespace envpool::procgen
