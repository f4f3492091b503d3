// SPDX-License-Identifier: Apache-2.0
//
// Seaquest: a submarine rescues divers, shoots fish and enemy submarines, and surfaces for air.
//
//   Action       i32, 0 nothing, 1 left, 2 up, 3 right, 4 down, 5 fire; minimal: all of them
//   Observation  bool[10][10][10] (or f32): front of the submarine, back of the submarine, own bullets, trails, enemy
//                bullets, fish, enemy submarines, oxygen gauge, diver gauge, divers
//   Reward       1 for shooting a fish or an enemy submarine; for surfacing with six divers, up to 10, in proportion
//                to the oxygen left
//   Terminated   when an enemy or its bullet hits the submarine, when no oxygen is left, and when the submarine
//                surfaces without a diver
//   Reset        the submarine is at the surface, and there are no other objects
//
// Surfacing costs a diver. After the rescue of six divers, none is left, so the number of divers becomes -1. With a
// negative number of divers, the submarine may surface, too. Each surfacing makes the game faster, up to a limit.
// Reference: see game.h.
#pragma once

#include "envpool/minatar/game.h"

namespace envpool::minatar {

struct Seaquest {
  static constexpr const char* kName = "MinAtarSeaquest";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kChannels = 10, kMaxOxygen = 200, kDivers = 6;
  static constexpr u8 kShotCoolDown = 5, kEnemyShotInterval = 10, kEnemyMoveInterval = 5, kDiverMoveInterval = 5,
                      kEnemySpawnSpeed = 20, kDiverSpawnSpeed = 30;

  using Params = minatar::Params;

  // A moving object. `cell` is 16 y + x; once the object has left its row, x is not a valid column. `right` is 1 if the
  // object moves right. `timer` counts the steps until its next move, and `shot` those until an enemy submarine's next
  // shot.
  struct Swimmer {
    u8 cell, right, timer, shot;

    ENVPOOL_FN bool operator==(const Swimmer& o) const {
      return cell == o.cell && right == o.right && timer == o.timer && shot == o.shot;
    }
    ENVPOOL_FN bool outside() const { return (cell & 15) >= kSide; }
    ENVPOOL_FN void move() { cell = u8(right != 0 ? cell + 1 : cell - 1); }
  };

  // An ordered list. If several objects are in one cell, the first one is hit.
  template <i32 kCapacity>
  struct List {
    Swimmer at[kCapacity];
    i32 count;

    ENVPOOL_FN static constexpr i32 capacity() { return kCapacity; }
    ENVPOOL_FN void add(Swimmer it) {
      if (count < kCapacity) at[count++] = it;
    }
    ENVPOOL_FN void remove(i32 index) {
      --count;
      for (i32 i = index; i < count; ++i) at[i] = at[i + 1];
    }
    ENVPOOL_FN void remove_first_like(i32 index) {
      i32 first = 0;
      while (!(at[first] == at[index])) ++first;
      remove(first);
    }
    ENVPOOL_FN bool remove_first_in(u8 cell) {
      for (i32 i = 0; i < count; ++i) {
        if (at[i].cell != cell) continue;
        remove(i);
        return true;
      }
      return false;
    }
    ENVPOOL_FN bool has_opposite(u8 row, u8 right) const {
      for (i32 i = 0; i < count; ++i) {
        if (at[i].cell >> 4 == row && at[i].right != right) return true;
      }
      return false;
    }
  };

  // The reasons for the capacities of the lists: after n surfacings, an enemy appears every 20 - n steps, but at most
  // one per step. An enemy leaves after ten moves. From the sixth surfacing on, a move takes three steps, so there are
  // at most 30 enemies. Earlier enemies keep a longer timer for one move, but there are few of them. An enemy submarine
  // shoots every eleventh step and its bullet leaves within ten steps, so there is at most one bullet for each
  // submarine that existed in the last ten steps. Own bullets are shot five steps apart and leave within ten steps.
  // Divers appear every 30 steps and leave within 60.
  struct State {
    List<34> fish, subs;
    List<46> enemy_bullets;
    List<4> bullets, divers;
    i32 oxygen, diver_count;
    u8 sub_cell;
    bool sub_right, surface;
    u8 spawn_speed, spawn_timer, diver_timer, move_speed, shot_timer;
    u8 ramp_index;
    u8 last_action;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { declare(o, /*ramps=*/true); }
  static Params params(const OptionValues& v) { return resolve(v, {kNothing, kLeft, kUp, kRight, kDown, kFire}); }
  static void spec(const Params& p, Spec& s) {
    describe(s, p, kChannels,
             "front of the submarine, back of the submarine, own bullet, trail, enemy bullet, fish, enemy submarine, "
             "oxygen gauge, "
             "diver gauge, diver");
  }
  static void render(const State& s, const Params&, u8* rgb) {
    minatar::render<Seaquest>(s,
                              {{255, 210, 60},
                               {180, 150, 40},
                               {255, 255, 160},
                               {40, 60, 110},
                               {240, 120, 200},
                               {110, 220, 110},
                               {220, 70, 60},
                               {90, 160, 240},
                               {240, 240, 240},
                               {250, 250, 250}},
                              rgb);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("oxygen", &State::oxygen).add("surface", &State::surface).add("sub_or", &State::sub_right);
    parts.add("move_speed", &State::move_speed).add("e_spawn_speed", &State::spawn_speed);
    parts.add("ramp_index", &State::ramp_index).add("shot_timer", &State::shot_timer);
    parts.add("diver_count", &State::diver_count);
    parts.add("e_spawn_timer", &State::spawn_timer).add("d_spawn_timer", &State::diver_timer);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params&, Rng&) {
    s.fish.count = s.subs.count = s.enemy_bullets.count = s.bullets.count = s.divers.count = 0;
    s.oxygen = kMaxOxygen;
    s.sub_cell = 5;
    s.sub_right = false;
    s.surface = true;
    s.diver_count = 0;
    s.spawn_speed = s.spawn_timer = kEnemySpawnSpeed;
    s.diver_timer = kDiverSpawnSpeed;
    s.move_speed = kEnemyMoveInterval;
    s.shot_timer = 0;
    s.ramp_index = 0;
    s.last_action = kNothing;
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    const u8 a = executed_action(s.last_action, p, action, rng);
    if (s.spawn_timer == 0) {
      spawn_enemy(s, rng);
      s.spawn_timer = s.spawn_speed;
    }
    if (s.diver_timer == 0) {
      const u32 draw = rng.below(16);
      s.divers.add(swimmer(u8(1 + draw / 2), draw % 2, kDiverMoveInterval, 0));
      s.diver_timer = kDiverSpawnSpeed;
    }
    act(s, a);

    Outcome outcome;
    move_bullets(s, outcome);
    move_divers(s);
    move_subs(s, outcome);
    move_enemy_bullets(s, outcome);
    move_fish(s, outcome);

    s.spawn_timer = u8(s.spawn_timer - (s.spawn_timer > 0));
    s.diver_timer = u8(s.diver_timer - (s.diver_timer > 0));
    s.shot_timer = u8(s.shot_timer - (s.shot_timer > 0));
    if (s.oxygen <= 0) outcome.terminated = true;
    if (s.sub_cell >= 16) {
      --s.oxygen;
      s.surface = false;
    } else if (!s.surface) {
      if (s.diver_count == 0) {
        outcome.terminated = true;
      } else {
        outcome.reward += come_to_surface(s, p);
      }
    }
    return outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    keep_within(s.fish.count, 0, s.fish.capacity());
    keep_within(s.subs.count, 0, s.subs.capacity());
    keep_within(s.enemy_bullets.count, 0, s.enemy_bullets.capacity());
    keep_within(s.bullets.count, 0, s.bullets.capacity());
    keep_within(s.divers.count, 0, s.divers.capacity());
    keep_within(s.oxygen, -1, kMaxOxygen);
    keep_within(s.diver_count, -(1 << 30), kDivers);
    s.sub_cell = u8(16 * min(s.sub_cell >> 4, kSide - 1) + min(s.sub_cell & 15, kSide - 1));
    keep_bool(s.sub_right);
    keep_bool(s.surface);
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) { minatar::observe<Seaquest>(s, p, row); }
  ENVPOOL_FN static void observe_cleared(const State& s, const Params& p, Row row) {
    minatar::observe<Seaquest, /*kCleared=*/true>(s, p, row);
  }

  template <class T>
  ENVPOOL_FN static void paint(const State& s, Board<T, kChannels>& board) {
    const i32 y = s.sub_cell >> 4, x = s.sub_cell & 15;
    board.set(y, x, 0);
    board.set_inside(y, s.sub_right ? x - 1 : x + 1, 1);
    const i32 oxygen = s.oxygen * 10 / kMaxOxygen;
    for (i32 i = 0; i < oxygen; ++i) board.set(9, i, 7);
    for (i32 i = 9 - s.diver_count; i < 9; ++i) board.set(9, i, 8);
    paint_list(s.bullets, 2, /*trail=*/false, board);
    paint_list(s.enemy_bullets, 4, /*trail=*/false, board);
    paint_list(s.fish, 5, /*trail=*/true, board);
    paint_list(s.subs, 6, /*trail=*/true, board);
    paint_list(s.divers, 9, /*trail=*/true, board);
  }

 private:
  template <class T, i32 kCapacity>
  ENVPOOL_FN static void paint_list(const List<kCapacity>& list, i32 channel, bool trail, Board<T, kChannels>& board) {
    for (i32 i = 0; i < list.count; ++i) {
      const Swimmer it = list.at[i];
      const i32 y = min(it.cell >> 4, kSide - 1),
                x = min(it.cell & 15, kSide - 1);  // A restored state may have any cell.
      board.set(y, x, channel);
      if (trail) board.set_inside(y, it.right != 0 ? x - 1 : x + 1, 3);
    }
  }

  ENVPOOL_FN static Swimmer swimmer(u8 row, u32 right, u8 timer, u8 shot) {
    return {u8(16 * row + (right != 0 ? 0 : 9)), u8(right), timer, shot};
  }

  // No enemy appears in a row where others move in the opposite direction.
  ENVPOOL_FN static void spawn_enemy(State& s, Rng& rng) {
    const u32 draw = rng.below(48);  // row, side and kind
    const u8 row = u8(1 + draw / 6), right = u8(draw % 2);
    if (s.fish.has_opposite(row, right) || s.subs.has_opposite(row, right)) return;
    if (draw % 6 < 2) {
      s.subs.add(swimmer(row, right, s.move_speed, kEnemyShotInterval));
    } else {
      s.fish.add(swimmer(row, right, s.move_speed, 0));
    }
  }

  ENVPOOL_FN static void act(State& s, u8 a) {
    const i32 x = s.sub_cell & 15, y = s.sub_cell >> 4;
    switch (a) {
      case kFire:
        if (s.shot_timer != 0) break;
        s.bullets.add({s.sub_cell, u8(s.sub_right), 0, 0});
        s.shot_timer = kShotCoolDown;
        break;
      case kLeft:
        s.sub_cell = u8(s.sub_cell - (x > 0));
        s.sub_right = false;
        break;
      case kRight:
        s.sub_cell = u8(s.sub_cell + (x < 9));
        s.sub_right = true;
        break;
      case kUp: s.sub_cell = u8(s.sub_cell - (y > 0 ? 16 : 0)); break;
      case kDown: s.sub_cell = u8(s.sub_cell + (y < 8 ? 16 : 0)); break;
      default: break;
    }
  }

  // As in the reference, lists are traversed from last to first.
  ENVPOOL_FN static void move_bullets(State& s, Outcome& outcome) {
    for (i32 i = s.bullets.count - 1; i >= 0; --i) {
      Swimmer& it = s.bullets.at[i];
      it.move();
      const u8 cell = it.cell;
      if (it.outside()) {
        s.bullets.remove_first_like(i);
      } else if (s.fish.remove_first_in(cell) || s.subs.remove_first_in(cell)) {
        s.bullets.remove_first_like(i);
        outcome.reward += 1;
      }
    }
  }

  ENVPOOL_FN static void move_divers(State& s) {
    for (i32 i = s.divers.count - 1; i >= 0; --i) {
      Swimmer& it = s.divers.at[i];
      if (it.cell == s.sub_cell && s.diver_count < kDivers) {
        s.divers.remove_first_like(i);
        ++s.diver_count;
      } else if (it.timer == 0) {
        it.timer = kDiverMoveInterval;
        it.move();
        if (it.outside()) {
          s.divers.remove_first_like(i);
        } else if (it.cell == s.sub_cell && s.diver_count < kDivers) {
          s.divers.remove_first_like(i);
          ++s.diver_count;
        }
      } else {
        --it.timer;
      }
    }
  }

  // An enemy after its move, and whether it is still in its list.
  struct Moved {
    Swimmer it;
    bool remains;
  };

  template <i32 kCapacity>
  ENVPOOL_FN static Moved move_enemy(State& s, List<kCapacity>& list, i32 i, Outcome& outcome) {
    Swimmer& it = list.at[i];
    if (it.cell == s.sub_cell) outcome.terminated = true;
    if (it.timer > 0) {
      --it.timer;
      return {it, true};
    }
    it.timer = s.move_speed;
    it.move();
    const Swimmer moved = it;
    if (it.cell == s.sub_cell) {
      outcome.terminated = true;
    } else if (it.outside()) {
      list.remove_first_like(i);
      return {moved, false};
    } else if (s.bullets.remove_first_in(it.cell)) {
      list.remove_first_like(i);
      outcome.reward += 1;
      return {moved, false};
    }
    return {moved, true};
  }

  // A submarine that is hit as it moves can still shoot.
  ENVPOOL_FN static void move_subs(State& s, Outcome& outcome) {
    for (i32 i = s.subs.count - 1; i >= 0; --i) {
      const auto [it, remains] = move_enemy(s, s.subs, i, outcome);
      if (it.shot == 0 && !it.outside()) s.enemy_bullets.add({it.cell, it.right, 0, 0});
      if (remains) s.subs.at[i].shot = u8(it.shot == 0 ? kEnemyShotInterval : it.shot - 1);
    }
  }

  ENVPOOL_FN static void move_fish(State& s, Outcome& outcome) {
    for (i32 i = s.fish.count - 1; i >= 0; --i) move_enemy(s, s.fish, i, outcome);
  }

  ENVPOOL_FN static void move_enemy_bullets(State& s, Outcome& outcome) {
    for (i32 i = s.enemy_bullets.count - 1; i >= 0; --i) {
      Swimmer& it = s.enemy_bullets.at[i];
      if (it.cell == s.sub_cell) outcome.terminated = true;
      it.move();
      if (it.outside()) {
        s.enemy_bullets.remove_first_like(i);
      } else if (it.cell == s.sub_cell) {
        outcome.terminated = true;
      }
    }
  }

  // Refills the oxygen. Returns the reward for rescuing six divers.
  ENVPOOL_FN static f32 come_to_surface(State& s, const Params& p) {
    f32 reward = 0;
    s.surface = true;
    if (s.diver_count == kDivers) {
      s.diver_count = 0;
      reward = f32(s.oxygen * 10 / kMaxOxygen);
    }
    --s.diver_count;
    s.oxygen = kMaxOxygen;
    if (p.ramping && (s.spawn_speed > 1 || s.move_speed > 2)) {
      if (s.move_speed > 2 && s.ramp_index % 2 == 1) --s.move_speed;
      if (s.spawn_speed > 1) --s.spawn_speed;
      ++s.ramp_index;
    }
    return reward;
  }
};

}  // namespace envpool::minatar
