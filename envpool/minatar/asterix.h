// SPDX-License-Identifier: Apache-2.0
//
// Asterix: the player collects treasures and avoids enemies. Both move through the eight inner rows, each of which has
// at most one of them.
//
//   Action       i32, 0 nothing, 1 left, 2 up, 3 right, 4 down, 5 fire (no effect); minimal: the first five
//   Observation  bool[10][10][4] (or f32): player, enemies, trails, treasures; a trail is the cell behind an object
//   Reward       1 for a treasure
//   Terminated   when the player and an enemy meet
//   Reset        the player is in the middle of an empty board
//
// Every `spawn_speed` steps, an object appears at the left or right of a random empty row; it is a treasure with
// probability 1/3. All objects move one cell every `move_speed` steps. About every hundred steps, spawn_speed
// decreases. Every second time, move_speed decreases, too. Reference: see game.h.
#pragma once

#include "envpool/minatar/game.h"
#include "envpool/minatar/lanes.h"

namespace envpool::minatar {

struct Asterix {
  static constexpr const char* kName = "MinAtarAsterix";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kChannels = 4, kRampInterval = 100;

  using Params = minatar::Params;
  // Lane i is row i + 1 of the board.
  struct State {
    u64 column;           // column + 1 of the object, 0 if there is none
    u64 right, treasure;  // whether the object moves to the right, and whether it is a treasure
    u8 player_x, player_y;
    u8 spawn_speed, spawn_timer, move_speed, move_timer;
    i8 ramp_timer;
    u8 ramp_index;
    u8 last_action;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { declare(o, /*ramps=*/true); }
  static Params params(const OptionValues& v) { return resolve(v, {kNothing, kLeft, kUp, kRight, kDown}); }
  static void spec(const Params& p, Spec& s) {
    describe(s, p, kChannels, "player, enemy, trail, treasure");
    s.reward_high = 1;
  }
  static void render(const State& s, const Params&, u8* rgb) {
    minatar::render<Asterix>(s, {{240, 240, 240}, {220, 70, 60}, {70, 70, 90}, {255, 210, 60}}, rgb);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("player_x", &State::player_x).add("player_y", &State::player_y);
    parts.add("spawn_speed", &State::spawn_speed).add("spawn_timer", &State::spawn_timer);
    parts.add("move_speed", &State::move_speed).add("move_timer", &State::move_timer);
    parts.add("ramp_index", &State::ramp_index);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params&, Rng&) {
    s = {.column = 0,
         .right = 0,
         .treasure = 0,
         .player_x = 5,
         .player_y = 5,
         .spawn_speed = 10,
         .spawn_timer = 10,
         .move_speed = 5,
         .move_timer = 5,
         .ramp_timer = kRampInterval,
         .ramp_index = 0,
         .last_action = kNothing};
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    const u8 a = executed_action(s.last_action, p, action, rng);
    if (s.spawn_timer == 0) {
      spawn(s, rng);
      s.spawn_timer = s.spawn_speed;
    }
    s.player_x = u8(clamp(s.player_x + (a == kRight) - (a == kLeft), 0, 9));
    s.player_y = u8(clamp(s.player_y + (a == kDown) - (a == kUp), 1, 8));

    Outcome outcome;
    collide(s, outcome);
    if (s.move_timer == 0) {
      s.move_timer = s.move_speed;
      const u64 left = Lanes::nonzero(s.column) & ~s.right;
      keep(s, Lanes::one_to_ten(s.column + s.right - left), s.column + s.right - left);
      collide(s, outcome);
    }
    --s.spawn_timer;
    --s.move_timer;
    if (p.ramping) ramp(s);
    return outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    s.column = Lanes::at_most(s.column, kSide);
    s.right &= Lanes::kOnes;
    s.treasure &= Lanes::kOnes;
    keep_within<u8>(s.player_x, 0, 9);
    keep_within<u8>(s.player_y, 1, 8);
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) { minatar::observe<Asterix>(s, p, row); }
  ENVPOOL_FN static void observe_cleared(const State& s, const Params& p, Row row) {
    minatar::observe<Asterix, /*kCleared=*/true>(s, p, row);
  }

  template <class T>
  ENVPOOL_FN static void paint(const State& s, Board<T, kChannels>& board) {
    board.set(s.player_y, s.player_x, 0);
    for (i32 lane = 0; lane < 8; ++lane) {
      const i32 x = Lanes::get(s.column, lane) - 1;
      if (x < 0) continue;
      board.set(lane + 1, x, Lanes::get(s.treasure, lane) != 0 ? 3 : 1);
      board.set_inside(lane + 1, x + 1 - 2 * Lanes::get(s.right, lane), 2);
    }
  }

 private:
  // Keeps the lanes whose bit in `kept` is set.
  ENVPOOL_FN static void keep(State& s, u64 kept, u64 column) {
    s.column = column & Lanes::to_mask(kept);
    s.right &= kept;
    s.treasure &= kept;
  }

  ENVPOOL_FN static void spawn(State& s, Rng& rng) {
    u64 empty = Lanes::kOnes ^ Lanes::nonzero(s.column);
    const i32 rows = Lanes::sum(empty);
    if (rows == 0) return;
    const u32 draw = rng.below(6 * u32(rows));  // decides row, side and kind
    for (u32 skip = draw / 6; skip > 0; --skip) empty &= empty - 1;
    const u64 lane = empty & (0 - empty);
    const bool right = draw % 2 == 1;
    s.column |= lane * (right ? 1 : 10);
    s.right |= right ? lane : 0;
    s.treasure |= draw % 6 < 2 ? lane : 0;
  }

  // Handles a collision of the player with the object in its row.
  ENVPOOL_FN static void collide(State& s, Outcome& outcome) {
    const i32 lane = s.player_y - 1;
    if (Lanes::get(s.column, lane) != s.player_x + 1) return;
    if (Lanes::get(s.treasure, lane) != 0) {
      outcome.reward += 1;
      keep(s, Lanes::kOnes ^ (u64{1} << (8 * lane)), s.column);
    } else {
      outcome.terminated = true;
    }
  }

  ENVPOOL_FN static void ramp(State& s) {
    if (s.spawn_speed <= 1 && s.move_speed <= 1) return;
    if (s.ramp_timer >= 0) {
      --s.ramp_timer;
      return;
    }
    if (s.move_speed > 1 && s.ramp_index % 2 == 1) --s.move_speed;
    if (s.spawn_speed > 1) --s.spawn_speed;
    ++s.ramp_index;
    s.ramp_timer = kRampInterval;
  }
};

}  // namespace envpool::minatar
