// SPDX-License-Identifier: Apache-2.0
//
// Freeway: a chicken crosses a road of eight lanes. Each lane has one car, which reappears at the other end.
//
//   Action       i32, 0 nothing, 1 left, 2 up, 3 right, 4 down, 5 fire (only 2 and 4 have an effect); minimal:
//                0 nothing, 1 up, 2 down
//   Observation  bool[10][10][7] (or f32): chicken, cars, and a channel for each of five speeds, which is set in the
//                cells behind the cars with that speed
//   Reward       1 for reaching the other side
//   Terminated   after 2501 steps
//   Reset        the chicken is at the bottom, and all cars are in the first column. Each car has one of five speeds
//                and one of two directions. Both are drawn again when the chicken has crossed the road
//
// The chicken moves at most every third step, and returns to the bottom when a car hits it. The game never gets faster.
// Reference: see game.h.
#pragma once

#include "envpool/minatar/game.h"
#include "envpool/minatar/lanes.h"

namespace envpool::minatar {

struct Freeway {
  static constexpr const char* kName = "MinAtarFreeway";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kChannels = 7, kChickenColumn = 4, kMoveInterval = 3, kSteps = 2500;

  using Params = minatar::Params;
  // Lane i is row i + 1 of the board.
  struct State {
    u64 column, right, speed;  // for each car: its column, 1 if it drives to the right, steps between its moves
    u64 timer;
    i32 steps_left;  // steps until the end of the episode; -1 at the end
    u8 pos, move_timer;
    u8 last_action;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { declare(o, /*ramps=*/false); }
  static Params params(const OptionValues& v) { return resolve(v, {kNothing, kUp, kDown}); }
  static void spec(const Params& p, Spec& s) {
    describe(s, p, kChannels,
             "chicken, car, trails of cars that stay one, two, three, four and five steps in each cell");
    s.reward_high = 1;
  }
  static void render(const State& s, const Params&, u8* rgb) {
    minatar::render<Freeway>(
        s, {{255, 210, 60}, {220, 70, 60}, {60, 60, 160}, {60, 80, 130}, {60, 90, 110}, {60, 90, 90}, {60, 80, 70}},
        rgb);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("pos", &State::pos).add("move_timer", &State::move_timer).add("terminate_timer", &State::steps_left);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params&, Rng& rng) {
    s = {.column = 0,
         .right = 0,
         .speed = 0,
         .timer = 0,
         .steps_left = kSteps,
         .pos = kSide - 1,
         .move_timer = kMoveInterval,
         .last_action = kNothing};
    draw_cars(s, rng);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    const u8 a = executed_action(s.last_action, p, action, rng);
    Outcome outcome;
    if (s.move_timer == 0 && (a == kUp || a == kDown)) {
      s.move_timer = kMoveInterval;
      s.pos = u8(a == kUp ? s.pos - 1 : min(s.pos + 1, kSide - 1));
      if (s.pos == 0) {
        outcome.reward = 1;
        s.pos = kSide - 1;
        draw_cars(s, rng);
      }
    }
    // Only the car in the chicken's row can hit it, before or after the car moves.
    bool hit = collides(s);
    const u64 moves = Lanes::kOnes ^ Lanes::nonzero(s.timer);
    const u64 column = s.column + (moves & s.right) + 9 * (moves & ~s.right);
    s.column = column - 10 * Lanes::above(column, 9);
    s.timer = (s.timer - (Lanes::kOnes ^ moves)) | (s.speed & Lanes::to_mask(moves));
    hit |= collides(s);
    if (hit) s.pos = kSide - 1;

    s.move_timer = u8(s.move_timer - (s.move_timer > 0));
    outcome.terminated = --s.steps_left < 0;
    return outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    s.column = Lanes::at_most(s.column, kSide - 1);
    s.right &= Lanes::kOnes;
    s.speed = Lanes::at_most(s.speed, 5);
    s.timer = Lanes::at_most(s.timer, 5);
    keep_within(s.steps_left, -1, 1 << 30);
    keep_within<u8>(s.pos, 1, kSide - 1);
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) { minatar::observe<Freeway>(s, p, row); }
  ENVPOOL_FN static void observe_cleared(const State& s, const Params& p, Row row) {
    minatar::observe<Freeway, /*kCleared=*/true>(s, p, row);
  }

  template <class T>
  ENVPOOL_FN static void paint(const State& s, Board<T, kChannels>& board) {
    board.set(s.pos, kChickenColumn, 0);
    const u64 behind = s.column + 9 * s.right + (Lanes::kOnes ^ s.right);
    const u64 wrapped = behind - 10 * Lanes::above(behind, 9);
    for (i32 lane = 0; lane < 8; ++lane) {
      board.set(lane + 1, Lanes::get(s.column, lane), 1);
      board.set(lane + 1, Lanes::get(wrapped, lane), 1 + Lanes::get(s.speed, lane));
    }
  }

 private:
  ENVPOOL_FN static bool collides(const State& s) {
    return s.pos < kSide - 1 && Lanes::get(s.column, s.pos - 1) == kChickenColumn;
  }

  ENVPOOL_FN static void draw_cars(State& s, Rng& rng) {
    u32 draw = rng.below(100000000);  // One random word determines all eight cars, with ten possibilities each.
    s.right = s.speed = 0;
    for (i32 lane = 0; lane < 8; ++lane, draw /= 10) {
      s.right = s.right << 8 | draw % 2;
      s.speed = s.speed << 8 | (draw % 10 / 2 + 1);
    }
    s.timer = s.speed;
  }
};

}  // namespace envpool::minatar
