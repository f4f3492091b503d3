// SPDX-License-Identifier: Apache-2.0
//
// SpaceInvaders: a cannon at the bottom shoots at a wave of 24 aliens, which shoot back and descend.
//
//   Action       i32, 0 nothing, 1 left, 2 up, 3 right, 4 down, 5 fire; minimal: 0 nothing, 1 left, 2 right, 3 fire
//   Observation  bool[10][10][6] (or f32): cannon, aliens, aliens moving left, aliens moving right, own bullets, alien
//                bullets
//   Reward       1 for an alien
//   Terminated   when an alien or its bullet hits the cannon, or when aliens in the last row would descend
//   Reset        always the same state, because nothing in this game is random
//
// Aliens move every min(`enemy_move_interval`, number of aliens) steps; at an edge they descend a row and turn around.
// Every ten steps, the lowest alien in the column nearest to the cannon shoots. When a wave is destroyed, a faster one
// follows, up to a limit. Reference: see game.h.
#pragma once

#include "envpool/minatar/game.h"

namespace envpool::minatar {

struct SpaceInvaders {
  static constexpr const char* kName = "MinAtarSpaceInvaders";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kChannels = 6, kShotCoolDown = 5, kEnemyShotInterval = 10, kEnemyMoveInterval = 12;
  static constexpr u64 kWave = 0x00FC00FC00FC00FCu, kFirstColumn = 0x0001000100010001u, kRow = 0x3FF;
  static constexpr u64 kNibbleOnes = 0x1111111111111111u;  // the value 1 in each row of `bullets`
  static constexpr u8 kNoRow = 255;

  using Params = minatar::Params;
  struct State {
    u64 aliens;   // four rows that begin at `top`, each of 16 bits, with bit x for column x
    u64 bullets;  // own bullets: four bits per row, 0 or column + 1. A row has at most one bullet, because at most one
                  // is shot in a step, and all move together.
    u8 top;
    // The aliens' bullet. There is only one, because it leaves the ten rows within the ten steps between shots.
    u8 enemy_y, enemy_x;
    i8 alien_dir;
    u8 pos;
    u8 enemy_move_interval, alien_move_timer, alien_shot_timer, shot_timer;
    u8 ramp_index;
    u8 last_action;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { declare(o, /*ramps=*/true); }
  static Params params(const OptionValues& v) { return resolve(v, {kNothing, kLeft, kRight, kFire}); }
  static void spec(const Params& p, Spec& s) {
    describe(s, p, kChannels, "cannon, alien, alien moving left, alien moving right, own bullet, alien bullet");
    s.reward_high = 2;
  }
  static void render(const State& s, const Params&, u8* rgb) {
    minatar::render<SpaceInvaders>(
        s, {{100, 220, 100}, {230, 230, 230}, {0, 0, 0}, {0, 0, 0}, {255, 210, 60}, {220, 70, 60}}, rgb);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("pos", &State::pos).add("enemy_move_interval", &State::enemy_move_interval);
    parts.add("alien_move_timer", &State::alien_move_timer).add("alien_shot_timer", &State::alien_shot_timer);
    parts.add("ramp_index", &State::ramp_index).add("shot_timer", &State::shot_timer);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params&, Rng&) {
    s = {.aliens = kWave,
         .bullets = 0,
         .top = 0,
         .enemy_y = kNoRow,
         .enemy_x = 0,
         .alien_dir = -1,
         .pos = 5,
         .enemy_move_interval = kEnemyMoveInterval,
         .alien_move_timer = kEnemyMoveInterval,
         .alien_shot_timer = kEnemyShotInterval,
         .shot_timer = 0,
         .ramp_index = 0,
         .last_action = kNothing};
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    const u8 a = executed_action(s.last_action, p, action, rng);
    if (a == kFire && s.shot_timer == 0) {
      s.bullets |= u64(s.pos + 1) << 36;
      s.shot_timer = kShotCoolDown;
    }
    s.pos = u8(clamp(s.pos + (a == kRight) - (a == kLeft), 0, kSide - 1));
    s.bullets >>= 4;
    if (s.enemy_y < kSide && ++s.enemy_y == kSide) s.enemy_y = kNoRow;

    Outcome outcome;
    outcome.terminated = (s.enemy_y == kSide - 1 && s.enemy_x == s.pos) || alien_at(s, kSide - 1, s.pos);
    if (s.alien_move_timer == 0) move_aliens(s, outcome);
    if (s.alien_shot_timer == 0) {
      s.alien_shot_timer = kEnemyShotInterval;
      shoot(s);
    }
    if (s.bullets != 0) hit_aliens(s, outcome);

    s.shot_timer = u8(s.shot_timer - (s.shot_timer > 0));
    --s.alien_move_timer;
    --s.alien_shot_timer;
    if (s.aliens == 0) {
      if (p.ramping && s.enemy_move_interval > 6) {
        --s.enemy_move_interval;
        ++s.ramp_index;
      }
      s.aliens = kWave;
      s.top = 0;
    }
    return outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    s.aliens &= kRow * kFirstColumn;
    s.bullets &= (u64{1} << (4 * (kSide - 1))) - 1;  // After a step, no bullet is in the last row.
    const u64 beyond = s.bullets >> 3 & (s.bullets >> 2 | (s.bullets >> 1 & s.bullets)) & kNibbleOnes;
    s.bullets ^= beyond << 3;  // This maps 11 to 15 to valid values.
    keep_within<u8>(s.top, 0, kSide - 1);
    s.enemy_y = s.enemy_y < kSide ? s.enemy_y : kNoRow;
    keep_within<u8>(s.enemy_x, 0, kSide - 1);
    keep_within<u8>(s.pos, 0, kSide - 1);
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    minatar::observe<SpaceInvaders>(s, p, row);
  }
  ENVPOOL_FN static void observe_cleared(const State& s, const Params& p, Row row) {
    minatar::observe<SpaceInvaders, /*kCleared=*/true>(s, p, row);
  }

  template <class T>
  ENVPOOL_FN static void paint(const State& s, Board<T, kChannels>& board) {
    board.set(kSide - 1, s.pos, 0);
    const i32 heading = s.alien_dir < 0 ? 2 : 3;
    for (i32 k = 0; k < 4; ++k) {
      T* const cells = board.cells + row_of(s, k) * kSide * kChannels;
      for (i32 x = 0; x < kSide; ++x) {
        cells[x * kChannels + 1] = cells[x * kChannels + heading] = T(s.aliens >> (16 * k + x) & 1);
      }
    }
    u64 bullets = s.bullets;
    for (i32 y = 0; bullets != 0; ++y, bullets >>= 4) {
      if ((bullets & 15) != 0) board.set(y, i32(bullets & 15) - 1, 4);
    }
    if (s.enemy_y != kNoRow) board.set(s.enemy_y, s.enemy_x, 5);
  }

 private:
  // Rows wrap around: when aliens leave the last row, the game is over, but its last observation shows them in the
  // first row.
  ENVPOOL_FN static i32 row_of(const State& s, i32 k) { return s.top + k < kSide ? s.top + k : s.top + k - kSide; }
  ENVPOOL_FN static bool alien_at(const State& s, i32 y, i32 x) {
    const i32 k = y - s.top + (y < s.top ? kSide : 0);
    return k < 4 && (s.aliens >> (16 * k + x) & 1) != 0;
  }

  ENVPOOL_FN static void move_aliens(State& s, Outcome& outcome) {
    const i32 count = popcount(u32(s.aliens)) + popcount(u32(s.aliens >> 32));
    s.alien_move_timer = u8(min(count, i32(s.enemy_move_interval)));
    if ((s.aliens & (s.alien_dir < 0 ? kFirstColumn : kFirstColumn << 9)) != 0) {
      s.alien_dir = i8(-s.alien_dir);
      const i32 last = kSide - 1 - s.top + (s.top > kSide - 1 ? kSide : 0);
      if (last < 4 && (s.aliens >> (16 * last) & 0xFFFF) != 0) outcome.terminated = true;
      s.top = u8(s.top == kSide - 1 ? 0 : s.top + 1);
    } else {
      s.aliens = s.alien_dir < 0 ? s.aliens >> 1 : s.aliens << 1;
    }
    if (alien_at(s, kSide - 1, s.pos)) outcome.terminated = true;
  }

  // If two columns are equally near, the left one shoots.
  ENVPOOL_FN static void shoot(State& s) {
    const u64 halves = s.aliens | s.aliens >> 32;
    const u32 columns = u32(halves | halves >> 16) & 0x3FF;
    for (i32 distance = 0; distance < kSide; ++distance) {
      for (i32 x = s.pos - distance; x <= s.pos + distance; x += max(2 * distance, 1)) {
        if (x < 0 || (columns >> x & 1) == 0) continue;
        i32 lowest = 0;
        for (i32 k = 0; k < 4; ++k) {
          if ((s.aliens >> (16 * k + x) & 1) != 0) lowest = max(lowest, row_of(s, k));
        }
        s.enemy_y = u8(lowest);
        s.enemy_x = u8(x);
        return;
      }
    }
  }

  ENVPOOL_FN static void hit_aliens(State& s, Outcome& outcome) {
    for (i32 k = 0; k < 4; ++k) {
      const i32 y = row_of(s, k);
      const u64 column = s.bullets >> (4 * y) & 15;
      const u64 alien = column == 0 ? 0 : u64{1} << (16 * k + i32(column) - 1);
      if ((s.aliens & alien) == 0) continue;
      s.aliens ^= alien;
      s.bullets ^= column << (4 * y);
      outcome.reward += 1;
    }
  }
};

}  // namespace envpool::minatar
