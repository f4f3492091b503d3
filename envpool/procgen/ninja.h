// SPDX-License-Identifier: Apache-2.0
//
// Ninja: an agent jumps from ledge to ledge to a mushroom at the right end of a level, and throws stars at bombs.
//
//   Action       i32, 0 left, 1 left, 2 left and up, 3 and 4 nothing, 5 up, 6 right, 7 right, 8 right and up, 9 throw
//                a star ahead, 10 ahead and up, 11 up, 12 ahead and down, 13 and 14 ahead. Up charges a jump, whose
//                height depends on how long that lasts; the agent jumps in the first step without it.
//   Observation  u8[3, 64, 64], RGB, of 16 by 16 cells around the agent, or 10 by 10 with distribution_mode "easy";
//                with center_agent=False of the whole level
//   Reward       10 at the mushroom
//   Terminated   at the mushroom, and when the agent touches a bomb, an explosion or the lowest ground, which burns
//   Truncated    after 1000 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the ledges, the bombs and the pictures
//
// With distribution_mode "easy", ledges are longer and nearer, and jumps are charged at once. Reference: see game.h.
#pragma once

#include "envpool/procgen/platform.h"

namespace envpool::procgen {

struct ProcgenNinja : GameOf<ProcgenNinja> {
  static constexpr const char* kName = "ProcgenNinja";
  static constexpr const char* kModes[] = {"easy", "hard", "exploration"};
  static constexpr const char* kActionsText =
      "0 left, 1 left, 2 left and up, 3 nothing, 4 nothing, 5 up, 6 right, 7 right, 8 right and up, 9 throw ahead, "
      "10 throw ahead and up, 11 throw up, 12 throw ahead and down, 13 throw ahead, 14 throw ahead";
  static constexpr i32 kTimeLimit = 1000, kExplorationSeed = 1123500215, kCells = 64;
  static constexpr i32 kGrounds = 3, kGoals = 6, kExplosions = 5, kBackgrounds = 62;
  static constexpr f32 kMix = 0.5f, kEasyJumpSpeed = 1.25f, kHalfOfStar = 0.25f;
  static constexpr i32 kStarSteps = 15, kExplosionSteps = 4, kReloadSteps = 3;
  static constexpr i32 kMostBombs = 5;  // one in each section
  static constexpr i32 kMostThings = kMostBombs + (kStarSteps + kReloadSteps) / kReloadSteps;

  // Types have the reference's numbers, which choose their colours if images are replaced by colours.
  enum Type : u8 {
    kStand = 0,
    kGoal = 1,
    kBomb = 6,
    kStar = 7,
    kWalk = 12,
    kWalkMoved = 13,
    kFire = 14,
    kWall = 20,
    kExplosion = 54,
    kSpace = 100
  };
  // The first picture of each type; themes follow.
  enum Picture : i32 {
    kWallPicture,
    kGoalPicture = kWallPicture + kGrounds,
    kStandPicture = kGoalPicture + kGoals,
    kWalkPicture,
    kWalkMovedPicture,
    kBombPicture,
    kStarPicture,
    kExplosionPicture,
    kBackground = kExplosionPicture + kExplosions,
    kPictures = kBackground + kBackgrounds
  };

  struct Thing {  // a star or an explosion
    Mover body;
    f32 half;  // of its side
    i32 type;
    i32 age;
  };
  struct State {
    Level level;
    Ties<kTimeLimit> ties;
    Runner agent;
    f32 charge;  // of a jump, up to 1
    i32 thrown;  // the time of the last star
    f32 background_part;
    u8 background, wall_theme;
    u8 goal_x, goal_y, goal_theme;
    i32 things;
    Thing thing[kMostThings];
    u8 cell[kCells][kCells];  // types by row
  };

#if ENVPOOL_HOST
  static void state_parts(StateParts<State>& parts) {
    parts.add("cell", &State::cell).add("charge", &State::charge).add("thrown", &State::thrown);
  }
#endif

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 now = clamp(s.level.time + 1, 0, kTimeLimit);
    Runner& a = s.agent;
    const bool up = take_direction(s, p, move_of(action));
    run(a.at, a.dx, mix_of(kMix, a.has_support));
    if (!up && s.charge > 0) {
      a.at.vy = s.charge * jump_speed(p);
      s.charge = 0;
    }
    a.fall();
    for (i32 i = 0; i < s.things; ++i) {
      Thing& thing = s.thing[i];
      ++thing.age;
      if (thing.type == kStar) {
        fly(s, thing.body, s.ties[now]);
      } else {
        thing.half *= 1.4f;
      }
    }
    advance(a.at, agent_sideways(a.at, s.ties[now], a.dx, up), [&](f32 vx, f32 vy) {
      return move_in_cells(a.at, kHalf, kHalf, vx, vy,
                           [&](f32 x, f32 y) { return cells_of(s).at_point(x, y) == kWall ? kBlocks : kPasses; });
    });
    const bool complete = touches(s, s.goal_x + 0.5f, s.goal_y + 0.5f, kHalf);
    bool done = complete;
    meet(s, done);
    a.look();
    throw_star(s, now, *action.at<i32>(0));
    const StepEnd end = end_step(s.level, p, complete ? 10.0f : 0.0f, done, complete, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    repair_level(s.level);
    repair_runner(s.agent, kCells);
    keep_within(s.charge, 0.0f, 1.0f);
    keep_within(s.thrown, 0, kTimeLimit);
    keep_within<u8>(s.background, 0, kBackgrounds - 1);
    keep_within<u8>(s.wall_theme, 0, kGrounds - 1);
    keep_within<u8>(s.goal_theme, 0, kGoals - 1);
    keep_within(s.things, 0, kMostThings);
    for (Thing& thing : s.thing) {
      repair_mover(thing.body, kCells);
      keep_within(thing.half, 0.0f, f32{kCells});
      keep_within(thing.age, 0, kStarSteps);
    }
    keep_within(s.level.time, 0, kTimeLimit);
  }

 private:
  friend GameOf<ProcgenNinja>;

  ENVPOOL_FN static bool is_easy(const Params& p) { return p.mode == kEasy; }
  ENVPOOL_FN static f32 jump_speed(const Params& p) { return is_easy(p) ? kEasyJumpSpeed : kJumpSpeed; }
  ENVPOOL_FN static Cells<const u8, kCells, kCells> cells_of(const State& s) { return {s.cell, kCells, kCells, kWall}; }
  ENVPOOL_FN static Cells<u8, kCells, kCells> cells_of(State& s) { return {s.cell, kCells, kCells, kWall}; }
  ENVPOOL_FN static bool touches(const State& s, f32 x, f32 y, f32 half) {
    return overlaps(x - s.agent.at.x, y - s.agent.at.y, half + kHalf, half + kHalf);
  }

  // Takes the action's direction, and charges a jump. Returns whether it does.
  ENVPOOL_FN static bool take_direction(State& s, const Params& p, i32 move) {
    Runner& a = s.agent;
    a.dx = move / 3 - 1;
    a.has_support = stands(a.at, kHalf, kHalf, [&](f32 x, f32 y) { return cells_of(s).at_point(x, y) == kWall; });
    if (!a.has_support) s.charge = 0;
    const bool up = a.has_support && move % 3 == 2;
    if (up) s.charge = min(s.charge + (is_easy(p) ? 1.0f : 0.25f), 1.0f);
    return up;
  }

  // Moves a star, which sticks to walls.
  ENVPOOL_FN static void fly(const State& s, Mover& at, bool tie) {
    advance(at, faster_sideways(at, tie), [&](f32 vx, f32 vy) {
      const bool blocked = move_in_cells(at, kHalfOfStar, kHalfOfStar, vx, vy, [&](f32 x, f32 y) {
        return cells_of(s).at_point(x, y) == kWall ? kBlocks : kPasses;
      });
      if (blocked) at.vx = at.vy = 0;
      return blocked;
    });
  }

  // Calls visit(x, y) for each cell that a body touches.
  template <class Visit>
  ENVPOOL_FN static void for_touched(const Mover& at, f32 half, Visit&& visit) {
    const f32 reach = half + kOverlap;
    const i32 left = i32(at.x - reach), right = i32(at.x + reach), bottom = i32(at.y - reach), top = i32(at.y + reach);
    for (i32 x = left; x <= right; ++x) {
      for (i32 y = bottom; y <= top; ++y) visit(x, y);
    }
  }

  // What the agent and stars touch. The things that came last are first, and the agent is last. Explosions of this step
  // touch nothing yet.
  ENVPOOL_FN static void meet(State& s, bool& done) {
    const Cells cells = cells_of(s);
    bool gone[kMostThings];
    const i32 things = s.things;
    for (i32 i = things - 1; i >= 0; --i) {
      const Thing thing = s.thing[i];
      gone[i] = thing.age > (thing.type == kStar ? kStarSteps : kExplosionSteps);
      if (thing.type != kStar) {
        done = done || touches(s, thing.body.x, thing.body.y, thing.half);
        continue;
      }
      for_touched(thing.body, kHalfOfStar, [&](i32 x, i32 y) {
        const i32 type = cells.at(x, y);
        gone[i] = gone[i] || type == kBomb || type == kWall;
        if (type != kBomb) return;
        cells.set(x, y, kSpace);
        add(s, {{x + 0.5f, y + 0.5f, 0, 0}, kHalf, kExplosion, 0});
      });
    }
    for_touched(s.agent.at, kHalf, [&](i32 x, i32 y) {
      const i32 type = cells.at(x, y);
      done = done || type == kBomb || type == kFire;
    });
    i32 kept = 0;
    for (i32 i = 0; i < s.things; ++i) {
      if (i >= things || !gone[i]) s.thing[kept++] = s.thing[i];
    }
    s.things = kept;
  }
  ENVPOOL_FN static void add(State& s, const Thing& thing) {
    if (s.things < kMostThings) s.thing[s.things++] = thing;
  }

  ENVPOOL_FN static void throw_star(State& s, i32 now, i32 action) {
    // The cosines and sines of the reference's angles, which are single-precision numbers.
    constexpr f32 kDiagonal = 0.70710677f;
    constexpr f32 kVelocity[2][4][2] = {
        {{1, 0}, {kDiagonal, kDiagonal}, {-4.371139e-08f, 1}, {kDiagonal, -kDiagonal}},
        {{-1, -8.742278e-08f}, {-kDiagonal, kDiagonal}, {-4.371139e-08f, 1}, {-0.70710665f, -0.7071069f}},
    };
    if (action < 9 || action >= kActions || now - s.thrown < kReloadSteps) return;
    const Runner& a = s.agent;
    const f32(&v)[2] = kVelocity[a.reflected ? 1 : 0][action - 9 < 4 ? action - 9 : 0];
    add(s, {{a.at.x, a.at.y, v[0], v[1]}, kHalfOfStar, kStar, 0});
    s.thrown = now;
  }

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) {
    Twister random;
    random.seed(u32(s.level.seed));
    s.background_part = random.unit();
    s.background = u8(random.below(kBackgrounds));
    random.bits();  // a place of the agent, which is not used
    random.bits();
    s.agent.start(1 + kHalf, kCells / 2 + kHalf);
    s.charge = 0;
    s.things = s.thrown = 0;
    const i32 difficulty = random.below(3) + 1;
    s.wall_theme = u8(random.below(kGrounds));
    cells_of(s).enclose(kSpace, kWall, kWall);
    make_sections(s, p, random, difficulty);
    s.ties.draw(random);
  }

  ENVPOOL_FN static void make_sections(State& s, const Params& p, Twister& random, i32 difficulty) {
    constexpr i32 kStart = 5, kCeiling = 10;
    const Cells cells = cells_of(s);
    const f32 bombs = f32(0.25 * (difficulty - 1));
    const i32 sections = random.below(difficulty) + difficulty;
    i32 x = kStart, y = kCells / 2, lowest = y;
    cells.fill(0, 0, kStart, y, kWall);
    cells.fill(0, y + 8, kStart, kCells - y - 8, kWall);
    for (i32 i = 0; i < sections; ++i) {
      const i32 first = x;
      const i32 highest = make_ledges(s, p, random, difficulty, x, y, lowest);
      if (random.unit() < bombs) cells.set(random.below(x - first + 1) + first, highest + 2, kBomb);
      cells.fill(first, highest + kCeiling, x - first, kCells - highest - kCeiling, kWall);
    }
    s.goal_x = u8(x);
    s.goal_y = u8(y);
    s.goal_theme = u8(random.below(kGoals));
    cells.set(x, y - 1, kWall);
    cells.fill(x, y + 6, 1, kCells - y - 6, kWall);
    const i32 fire = max(lowest - 2, 1);
    cells.fill(kStart, 0, kCells - kStart, fire, kWall);
    cells.fill(kStart, fire, kCells - kStart, 1, kFire);
    cells.fill(x + 1, 0, kCells - x - 1, kCells, kWall);
  }

  // Makes one or two ledges, which begin at almost the same place. Moves (x, y) on, and returns the height of the
  // highest.
  ENVPOOL_FN static i32 make_ledges(State& s, const Params& p, Twister& random, i32 difficulty, i32& x, i32& y,
                                    i32& lowest) {
    const bool easy = is_easy(p);
    const i32 least_gap = easy ? max(difficulty - 2, 0) : difficulty - 1, more_gap = difficulty == 1 ? 1 : 2;
    const i32 first_x = x, first_y = y, ledges = random.below(2) + 1;
    i32 highest = -1, before = -1;
    for (i32 k = 0; k < ledges; ++k) {
      x = first_x + k;
      if (x + 15 >= kCells) break;
      i32 rise = min(random.below(easy ? 2 : 4) + 1 + difficulty / 3, easy ? 3 : 5);
      if (first_y >= kCells - 15 || (first_y >= 5 && random.unit() < 0.4)) rise = -rise;
      y = max(first_y + rise, 3);
      if (y - before <= 1 && before - y <= 1) y = before + 2;
      const i32 length = (easy ? 3 : 1) + random.below(3);
      cells_of(s).fill(x, y - 1, length, 1, kWall);
      x += length + least_gap + random.below(more_gap + 1);
      highest = max(highest, y);
      lowest = min(lowest, y);
      before = y;
    }
    return highest;
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    const i32 time = s.level.time;
    const Runner& a = s.agent;
    const bool follows = p.center_agent;
    const f32 visible = !follows ? f32(kCells) : is_easy(p) ? 10.0f : 16.0f, middle = kCells * 0.5f;
    const View view = follows ? View(visible, a.at.x, a.at.y, kPixels) : View(visible, middle, middle, kPixels);
    Scene<kPixels> scene(p, canvas, view);
    scene.background(kBackground + s.background, kCells, kCells, s.background_part);
    const Window window = follows ? window_around(a.at.x, a.at.y, visible) : Window{0, kCells - 1, 0, kCells - 1};
    scene.template cells<kCells>(
        window,
        [&](i32 i, i32 k) -> Look {
          const i32 type = cells_of(s).at(i, k);
          if (type == kWall) return {kWallPicture, kWall, s.wall_theme};
          if (type == kBomb || type == kFire) return {kBombPicture, type};
          return {kNoPicture, kSpace};
        },
        kWallPicture);
    scene.object({kGoalPicture, kGoal, s.goal_theme}, s.goal_x + 0.5f, s.goal_y + 0.5f, kHalf, kHalf);
    for (i32 i = 0; i < s.things; ++i) {
      const Thing& thing = s.thing[i];
      const i32 stage = min(thing.age, kExplosionSteps);
      const Look look =
          thing.type == kStar ? Look{kStarPicture, kStar} : Look{kExplosionPicture + stage, kExplosion + stage};
      scene.object(look, thing.body.x, thing.body.y, thing.half, thing.half);
    }
    const Look walk = a.shows_first(time) ? Look{kWalkPicture, kWalk} : Look{kWalkMovedPicture, kWalkMoved};
    scene.object(a.is_still() ? Look{kStandPicture, kStand} : walk, a.at.x, a.at.y, kHalf, kHalf, a.reflected);
    if (p.paint_vel_info) paint_velocity(canvas, a.at, kRunSpeed, jump_speed(p));
    const f32 bar = 3 * s.charge, top = f32(visible - 0.5 - bar);
    canvas.fill({0.25f * view.unit, top * view.unit, 0.5f * view.unit, bar * view.unit}, kBlack | 0x42F587u);
  }
};

}  // namespace envpool::procgen
