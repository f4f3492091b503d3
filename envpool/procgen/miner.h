// SPDX-License-Identifier: Apache-2.0
//
// Miner: a robot digs through dirt for diamonds. Boulders and diamonds fall where nothing is below them.
//
//   Action       i32, 0 to 2 left, 3 down, 4 nothing, 5 up, 6 to 8 right, 9 to 14 nothing; the robot pushes boulders
//                sideways
//   Observation  u8[3, 64, 64], RGB, of the whole world; with distribution_mode "memory" of 8 by 8 cells around the
//                robot
//   Reward       1 for each diamond, and 10 at the exit if no diamonds are left
//   Terminated   at the exit if no diamonds are left, and when something falls on the robot
//   Truncated    after 1000 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines all places and the background
//
// The world has 10 by 10 cells with distribution_mode "easy", 20 by 20 with "hard", and 35 by 35 with "memory".
// Reference: see game.h.
#pragma once

#include "envpool/procgen/scene.h"

namespace envpool::procgen {

struct ProcgenMiner : GameOf<ProcgenMiner> {
  static constexpr const char* kName = "ProcgenMiner";
  static constexpr const char* kModes[] = {"easy", "hard", "memory"};
  static constexpr const char* kActionsText = kStraightMoves;
  static constexpr i32 kTimeLimit = 1000, kMostCells = 35, kBackgrounds = 62;
  static constexpr f32 kVisible = 8;  // cells of a view that follows the robot

  // Types have the reference's numbers, which choose their colours if images are replaced by colours.
  enum Type : u8 {
    kRobot = 0,
    kBoulder = 1,
    kDiamond = 2,
    kFallingBoulder = 3,
    kFallingDiamond = 4,
    kExit = 6,
    kDirt = 9,
    kOutside = 10,
    kSpace = 100
  };
  enum Picture : i32 {
    kRobotPicture,
    kBoulderPicture,
    kDiamondPicture,
    kExitPicture,
    kDirtPicture,
    kOutsidePicture,
    kBackground,
    kPictures = kBackground + kBackgrounds
  };

  struct State {
    Level level;
    i32 diamonds_left;  // after the last step, also if that was in the level before, as in the reference
    f32 background_part;
    u8 background;
    u8 x, y;  // of the robot
    u8 exit_x, exit_y;
    bool reflected;
    u8 cell[kMostCells * kMostCells];  // types by row, as many as the world has
  };

#if ENVPOOL_HOST
  static u64 identity(const Params& p) { return u64(side_of(p)); }
  static void state_parts(StateParts<State>& parts) {
    parts.add("cell", &State::cell).add("x", &State::x).add("y", &State::y);
    parts.add("exit_x", &State::exit_x).add("exit_y", &State::exit_y).add("diamonds_left", &State::diamonds_left);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    if (rng.episode == 0) s.diamonds_left = 0;
    GameOf::reset(s, p, rng);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 move = move_of(action), dx = move / 3 - 1, dy = dx == 0 ? move % 3 - 1 : 0, side = side_of(p);
    const bool blocked = stops(cell_at(s, p, s.x + dx, s.y + dy));
    if (!blocked) {
      s.x = u8(s.x + dx);
      s.y = u8(s.y + dy);
    }
    const bool complete = s.x == s.exit_x && s.y == s.exit_y && s.diamonds_left == 0;
    f32 reward = complete ? 10.0f : 0.0f;
    if (dx != 0) s.reflected = dx < 0;
    if (dx != 0 && blocked) push(s, p, dx);
    u8& here = s.cell[s.y * side + s.x];
    reward += here == kDiamond;
    if (here == kDirt || here == kDiamond) here = kSpace;
    const bool hit = fall(s, p);
    const StepEnd end = end_step(s.level, p, reward, complete || hit, complete, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    const u8 last = u8(side_of(p) - 1);
    repair_level(s.level);
    keep_within<u8>(s.x, 0, last);
    keep_within<u8>(s.y, 0, last);
    keep_within<u8>(s.background, 0, kBackgrounds - 1);
    keep_bool(s.reflected);
  }

 private:
  friend GameOf<ProcgenMiner>;

  ENVPOOL_FN static i32 side_of(const Params& p) { return p.mode == kEasy ? 10 : p.mode == kMemory ? kMostCells : 20; }

  ENVPOOL_FN static i32 cell_at(const State& s, const Params& p, i32 x, i32 y) {
    const i32 side = side_of(p);
    return u32(x) < u32(side) && u32(y) < u32(side) ? s.cell[y * side + x] : i32{kOutside};
  }
  ENVPOOL_FN static bool stops(i32 type) { return type == kBoulder || type == kFallingBoulder || type == kOutside; }
  ENVPOOL_FN static bool is_diamond(i32 type) { return type == kDiamond || type == kFallingDiamond; }
  ENVPOOL_FN static bool falls(i32 type) { return type == kFallingBoulder || type == kFallingDiamond; }
  ENVPOOL_FN static bool is_round(i32 type) { return type >= kBoulder && type <= kFallingDiamond; }
  ENVPOOL_FN static u8 falling(i32 type) { return is_diamond(type) ? kFallingDiamond : kFallingBoulder; }
  ENVPOOL_FN static u8 at_rest(i32 type) { return is_diamond(type) ? kDiamond : kBoulder; }

  // Pushes a boulder beside the robot into an empty cell, and moves the robot after it.
  ENVPOOL_FN static void push(State& s, const Params& p, i32 dx) {
    if (cell_at(s, p, s.x + dx, s.y) != kBoulder || cell_at(s, p, s.x + 2 * dx, s.y) != kSpace) return;
    u8* const row = s.cell + s.y * side_of(p);
    row[s.x + dx] = kSpace;
    row[s.x + 2 * dx] = kBoulder;
    s.x = u8(s.x + dx);
  }

  // Lets boulders and diamonds fall, or roll from others, from the lowest row upwards, and counts the diamonds; one
  // that rolls to the right is met again, and counts twice. Returns whether one falls on the robot.
  ENVPOOL_FN static bool fall(State& s, const Params& p) {
    const i32 side = side_of(p), area = side * side, robot = s.y * side + s.x;
    const auto is_free = [&](i32 i) { return s.cell[i] == kSpace && i != robot; };
    bool hit = false;
    s.diamonds_left = 0;
    for (i32 i = 0; i < area; ++i) {
      const i32 type = s.cell[i];
      if (!is_round(type)) continue;
      s.diamonds_left += is_diamond(type);
      const i32 below = i - side, x = i % side;
      const i32 under = below >= 0 ? s.cell[below] : i32{kOutside};
      if (under == kSpace && below != robot) {
        s.cell[i] = kSpace;
        s.cell[below] = falling(type);
      } else if (below == robot && falls(type)) {
        hit = true;
      } else if (is_round(under) && x > 0 && is_free(i - 1) && is_free(below - 1)) {
        s.cell[i] = kSpace;
        s.cell[i - 1] = at_rest(type);
      } else if (is_round(under) && x < side - 1 && is_free(i + 1) && is_free(below + 1)) {
        s.cell[i] = kSpace;
        s.cell[i + 1] = at_rest(type);
      } else {
        s.cell[i] = at_rest(type);
      }
    }
    return hit;
  }

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) {
    const i32 side = side_of(p), area = side * side;
    Twister random;
    random.seed(u32(s.level.seed));
    s.background_part = random.unit();
    s.background = u8(random.below(kBackgrounds));
    random.bits();  // a place of the agent, which is not used
    random.bits();
    for (i32 i = 0; i < area; ++i) s.cell[i] = kDirt;
    constexpr i32 kTries = 10'000;  // a bound that no seed reaches
    i32 tries = 0;
    const auto take = [&](u8 type) {  // a cell that has not been taken yet
      i32 cell = random.below(area);
      while (s.cell[cell] != kDirt && ++tries < kTries) cell = random.below(area);
      s.cell[cell] = type;
      return cell;
    };
    const i32 start = take(kSpace);
    s.x = u8(start % side);
    s.y = u8(start / side);
    const i32 diamonds = i32(f32(12 / 400.0) * f32(area)), boulders = i32(f32(80 / 400.0) * f32(area));
    for (i32 i = 0; i < diamonds; ++i) take(kDiamond);
    for (i32 i = 0; i < boulders; ++i) take(kBoulder);
    place_exit(s, p, random, start);
    s.reflected = false;
  }

  // Removes boulders beside the robot, and places the exit in a cell that had dirt, below dirt or the edge of the
  // world. The cell in which the robot begins counts as well.
  ENVPOOL_FN static void place_exit(State& s, const Params& p, Twister& random, i32 start) {
    const i32 side = side_of(p), area = side * side;
    bool removed[3][3];
    for (i32 i = -1; i <= 1; ++i) {
      for (i32 k = -1; k <= 1; ++k) {
        bool& here = removed[i + 1][k + 1];
        here = cell_at(s, p, s.x + i, s.y + k) == kBoulder;
        if (here) s.cell[(s.y + k) * side + s.x + i] = kDirt;
      }
    }
    const auto is_candidate = [&](i32 cell) {
      const i32 x = cell % side - s.x + 1, y = cell / side - s.y + 1;
      const bool was_boulder = u32(x) < 3 && u32(y) < 3 && removed[x][y];
      return (cell == start || s.cell[cell] == kDirt) && !was_boulder &&
             (cell + side >= area || s.cell[cell + side] == kDirt);
    };
    i32 candidates = 0;
    for (i32 i = 0; i < area; ++i) candidates += is_candidate(i);
    i32 chosen = random.below(max(candidates, 1)), exit = 0;
    for (i32 i = 0; i < area; ++i) {
      if (is_candidate(i) && chosen-- == 0) exit = i;
    }
    s.cell[exit] = kSpace;
    s.exit_x = u8(exit % side);
    s.exit_y = u8(exit / side);
  }

  ENVPOOL_FN static Look look_of(i32 type) {
    switch (type) {
      case kBoulder:
      case kFallingBoulder: return {kBoulderPicture, kBoulder};
      case kDiamond:
      case kFallingDiamond: return {kDiamondPicture, kDiamond};
      case kDirt: return {kDirtPicture, kDirt};
      case kOutside: return {kOutsidePicture, kOutside};
      default: return {kNoPicture, kSpace};
    }
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    const i32 side = side_of(p);
    const bool follows = p.mode == kMemory;
    const f32 x = s.x + 0.5f, y = s.y + 0.5f, middle = f32(side * 0.5);
    const View view = follows ? View(kVisible, x, y, kPixels) : View(f32(side), middle, middle, kPixels);
    Scene<kPixels> scene(p, canvas, view);
    scene.background(kBackground + s.background, side, side, s.background_part);
    scene.object({kExitPicture, kExit}, s.exit_x + 0.5f, s.exit_y + 0.5f, 0.5f, 0.5f);
    const Window window = follows ? window_around(x, y, kVisible) : Window{0, side - 1, 0, side - 1};
    scene.template cells<kMostCells>(
        window, [&](i32 i, i32 k) { return look_of(cell_at(s, p, i, k)); }, kDirtPicture, kBoulderPicture);
    scene.object({kRobotPicture, kRobot}, x, y, 0.5f, 0.5f, s.reflected);
  }
};

}  // namespace envpool::procgen
