// SPDX-License-Identifier: Apache-2.0
//
// BossFight: a spaceship shoots at a large enemy, whose shields are up most of the time, and avoids its bullets.
//
//   Action       i32, 0 to 2 left and down, left, left and up, 3 down, 4 nothing, 5 up, 6 to 8 the same to the right,
//                9 shoots, 10 to 14 nothing
//   Observation  u8[3, 64, 64], RGB, of the whole space
//   Reward       1 for each round that the enemy loses, and 10 for the last
//   Terminated   after the last round, and when the enemy, a bullet of it or a rock touches the agent
//   Truncated    after 4000 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the enemy, its rounds, attacks and bullets, and the rocks
//
// With distribution_mode "easy", the bullets are slower and the shields are up for a shorter time. Reference: see
// game.h.
#pragma once

#include "envpool/procgen/entity.h"

namespace envpool::procgen {

struct ProcgenBossfight : GameOf<ProcgenBossfight> {
  static constexpr const char* kName = "ProcgenBossfight";
  static constexpr const char* kModes[] = {"easy", "hard"};
  static constexpr const char* kActionsText = kMovesAndShot;
  static constexpr i32 kTimeLimit = 4000;
  static constexpr i32 kMostRounds = 5, kMostHealth = 9, kAttacks = 4, kShips = 4, kBosses = 4, kLasers = 3, kRocks = 8;
  static constexpr i32 kBackgrounds = 13;
  // The enemy shoots 0.8 bullets a step, which leave the world within about 25 steps; each has a trail of 9 steps.
  static constexpr i32 kMost = 512;
  static constexpr i32 kMoveSteps = 20, kDamagedSteps = 40, kShotSteps = 3, kVulnerableMoves = 500;
  static constexpr f32 kCells = 20, kSpeed = 0.85f, kUsualSpeed = 0.5f, kBossHalf = 3, kShipHalf = 0.75f;
  static constexpr f32 kBottom = 6, kPi = 3.14159265358979323846f;

  // Types have the reference's numbers, which choose their colours if images are replaced by colours.
  enum Type : u8 {
    kShip = 0,
    kShot = 1,
    kBoss = 2,
    kShields = 3,
    kBullet = 4,
    kTrail = 5,
    kReflected = 6,
    kRock = 7,
  };
  enum Picture : i32 {
    kShipPicture,
    kBossPicture = kShipPicture + kShips,
    kLaserPicture = kBossPicture + kBosses,
    kShieldsPicture = kLaserPicture + kLasers,
    kRockPicture,
    kExplosionPicture = kRockPicture + kRocks,
    kBackground = kExplosionPicture + kExplosionPictures,
    kPictures = kBackground + kBackgrounds
  };

  struct State {
    Level level;
    Mover ship, boss;
    f32 ship_half, boss_half;  // of the heights
    f32 background_part;
    f32 chance;  // the last random number that decides on directions
    i32 health, round_health, rounds, round;
    i32 moves_left;  // of the boss, until the shields go up or down
    i32 move_steps;  // until the boss moves elsewhere
    i32 invulnerable_moves;
    i32 last_shot, damaged_until;
    u8 attack[kMostRounds];
    u8 background, ship_theme, boss_theme, ship_laser, boss_laser;
    bool shielded;
    Entities<kMost> things;
    Twister random;
  };

#if ENVPOOL_HOST
  static void state_parts(StateParts<State>& parts) {
    parts.add("health", &State::health).add("round", &State::round).add("shielded", &State::shielded);
  }
#endif

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 now = clamp(s.level.time, 0, kTimeLimit) + 1;
    const i32 move = move_of(action);
    const bool tie = s.random.bits() % 2 == 0;
    fly(s, move / 3 - 1, move % 3 - 1, tie);
    for (i32 i = 0; i < s.things.count; ++i) change(s.things.at[i], change_of(s.things.at[i].type), /*moves=*/true);
    const Body shields = shields_of(s);  // they follow the boss at the end of the step
    s.boss.x += s.boss.vx;
    s.boss.y += s.boss.vy;
    Result result{};
    meet(s, shields, now, result);
    s.things.remove(kCells, kCells);
    act(s, p, now, is_shot(action));
    const StepEnd end = end_step(s.level, p, result.reward, result.done, result.complete, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    repair_level(s.level);
    repair_mover(s.ship, kCells);
    repair_mover(s.boss, kCells);
    s.random.repair();
    keep_within(s.round_health, 1, kMostHealth);
    keep_within(s.rounds, 1, kMostRounds);
    keep_within(s.health, -kMost, kMostRounds * kMostHealth);
    keep_within(s.move_steps, 0, kDamagedSteps);
    keep_within(s.moves_left, 0, kVulnerableMoves);
    keep_within(s.last_shot, 0, kTimeLimit);
    for (u8& attack : s.attack) keep_within<u8>(attack, 0, kAttacks - 1);
    keep_within<u8>(s.background, 0, kBackgrounds - 1);
    keep_within<u8>(s.ship_theme, 0, kShips - 1);
    keep_within<u8>(s.boss_theme, 0, kBosses - 1);
    keep_within<u8>(s.ship_laser, 0, kLasers - 1);
    keep_within<u8>(s.boss_laser, 0, kLasers - 1);
    keep_bool(s.shielded);
    s.things.repair();
    for (Entity& e : s.things) {
      keep_within<u8>(e.picture, kShot, kLastExplosion);
      keep_within<u8>(e.theme, 0, u8(themes_of(e.picture) - 1));
    }
  }

 private:
  friend GameOf<ProcgenBossfight>;

  struct Body {
    f32 x, y, half_width, half_height;
  };
  struct Result {
    f32 reward;
    bool done, complete;
  };

  ENVPOOL_FN static Body ship_of(const State& s) { return {s.ship.x, s.ship.y, kShipHalf, s.ship_half}; }
  ENVPOOL_FN static Body boss_of(const State& s) { return {s.boss.x, s.boss.y, kBossHalf, s.boss_half}; }
  ENVPOOL_FN static Body shields_of(const State& s) {
    return {s.boss.x, s.boss.y, f32(1.2 * kBossHalf), f32(1.2 * s.boss_half)};
  }
  ENVPOOL_FN static f32 bullet_speed(const Params& p) { return p.mode == kEasy ? 0.5f : 0.75f; }

  ENVPOOL_FN static Change change_of(i32 type) {
    switch (type) {
      case kShot: return {.life = 25};
      case kReflected: return {.fading = 0.8f, .life = 4};
      case kBullet: return {.turn = kPi / 8, .life = 50};
      case kTrail: return {.turn = kPi / 8, .fading = 0.7f, .life = 8};
      case kExplosion: return kExplosionChange;
      default: return {};
    }
  }
  ENVPOOL_FN static i32 picture_of(i32 picture) {
    return picture == kRock        ? i32{kRockPicture}
           : picture >= kExplosion ? kExplosionPicture + picture - kExplosion
                                   : i32{kLaserPicture};
  }
  ENVPOOL_FN static i32 themes_of(i32 picture) {
    return picture == kRock ? kRocks : picture >= kExplosion ? 1 : kLasers;
  }

  // Returns the half height of an image whose half width is given.
  ENVPOOL_FN static f32 half_height(const Params& p, i32 picture, i32 theme, f32 half_width) {
    const Image image = art_of(p).image[picture + (p.restrict_themes ? 0 : theme)];
    return half_width / f32(image.width * 1.0 / image.height);
  }

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) {
    Twister& random = s.random;
    random.seed(u32(s.level.seed));
    s.background_part = random.unit();
    s.background = u8(random.below(kBackgrounds));
    random.bits();  // a place of the agent, which is not used
    random.bits();
    s.things.count = 0;
    s.boss_theme = u8(random.below(kBosses));
    s.boss_half = half_height(p, kBossPicture, s.boss_theme, kBossHalf);
    s.boss = {kCells / 2, kCells / 2, 0, 0};
    s.round_health = random.below(kMostHealth) + 1;
    s.rounds = random.below(kMostRounds) + 1;
    s.invulnerable_moves = 2 + random.below(p.mode == kEasy ? 2 : 4);
    s.health = s.round_health * s.rounds;
    s.ship_theme = u8(random.below(kShips));
    s.ship_laser = u8(random.below(kLasers));
    s.boss_laser = u8(random.below(kLasers));
    for (i32 i = 0; i < kMostRounds; ++i) s.attack[i] = u8(i < s.rounds ? random.below(kAttacks) : 0);
    s.round = 0;
    begin_round(s);
    s.ship_half = half_height(p, kShipPicture, s.ship_theme, kShipHalf);
    s.ship = {0, 0, 0, 0};
    constexpr i32 kTries = 100;
    bool free = false;
    for (i32 i = 0; i < kTries && !free; ++i) {
      s.ship.x = random.unit() * (kCells - 2 * kShipHalf) + kShipHalf;
      s.ship.y = random.unit() * (kCells - 2 * s.ship_half) + s.ship_half;
      free = !touch(boss_of(s), ship_of(s)) && !touch(shields_of(s), ship_of(s));
    }
    s.ship.y = s.ship_half;
    random.bits();  // a direction, which is not used
    s.last_shot = s.damaged_until = 0;
    s.chance = 0;
    add_rocks(s, p);
  }

  ENVPOOL_FN static void begin_round(State& s) {
    s.shielded = true;
    s.move_steps = kMoveSteps;
    s.moves_left = s.invulnerable_moves;
    s.boss.vx = s.boss.vy = 0;
  }

  ENVPOOL_FN static void add_rocks(State& s, const Params& p) {
    constexpr f32 kHalf = 0.6f;
    const i32 count = s.random.below(3) + 1;
    for (i32 i = 0; i < count; ++i) {
      const f32 lowest = f32(2 * s.ship_half + kHalf + 0.5);
      const f32 y = s.random.unit() * (kBottom - lowest - kHalf) + lowest;
      const f32 x = s.random.unit() * (kCells - 2 * kHalf) + kHalf;
      const i32 theme = s.random.below(kRocks);
      const Entity rock = new_entity(kRock, x, y, 0, 0, kHalf, half_height(p, kRockPicture, theme, kHalf), theme);
      bool free = !touch(rock, ship_of(s)) && !touch(rock, boss_of(s)) && !touch(rock, shields_of(s));
      for (i32 k = 0; k < s.things.count; ++k) free = free && !touch(rock, s.things.at[k]);
      if (free) s.things.add(rock);
    }
  }

  ENVPOOL_FN static void fly(State& s, i32 dx, i32 dy, bool tie) {
    constexpr f32 kMix = 0.5f;
    Mover& a = s.ship;
    a.vx = f32(0.9 * ((1 - kMix) * a.vx + kMix * kSpeed * f32(dx)));
    a.vy = f32(0.9 * ((1 - kMix) * a.vy + kMix * kSpeed * f32(dy)));
    advance_in_box(a, kShipHalf, s.ship_half, kCells, agent_sideways(a, tie, dx, dy));
  }

  // What touches the agent, the boss and the rocks. The things that came last are first.
  ENVPOOL_FN static void meet(State& s, const Body& shields, i32 now, Result& result) {
    const Body ship = ship_of(s), boss = boss_of(s);
    result.done = touch(boss, ship);
    for (i32 i = s.things.count - 1; i >= 0; --i) {
      Entity& e = s.things.at[i];
      if (e.type == kBullet || e.type == kRock) result.done |= touch(e, ship);
      if (e.type == kShot) {
        hit(s, e, shields, boss, now, result);
      } else if (e.type == kRock) {
        for (i32 k = s.things.count - 1; k >= 0; --k) {
          Entity& other = s.things.at[k];
          if (other.gone || (other.type != kBullet && other.type != kShot && other.type != kTrail)) continue;
          if (!touch(e, other)) continue;
          other.gone = true;
          if (other.type != kTrail) s.things.add(explosion_of(other, 0, 0));
        }
      }
    }
  }

  // A shot of the agent hits the shields or the boss.
  ENVPOOL_FN static void hit(State& s, Entity& shot, const Body& shields, const Body& boss, i32 now, Result& result) {
    if (shot.gone) return;
    if (s.shielded && touch(shot, shields)) {
      const f64 angle = f32(kPi * (1.25 + 0.5 * s.chance));
      const SinCos<f64> direction = sincos(angle);
      shot.type = kReflected;
      shot.vx = f32(direction.cos * 0.5);
      shot.vy = f32(direction.sin * 0.5);
      shot.age = 0;
      return;
    }
    if (s.shielded || !touch(shot, boss)) return;
    s.health -= 1;
    if (s.health % s.round_health == 0) {
      result.reward += 1;
      if (s.health == 0) {
        result.done = result.complete = true;
        result.reward += 10;
      } else {
        count_up(s.round);
        begin_round(s);
        s.move_steps = kDamagedSteps;
        s.damaged_until = now + kDamagedSteps;
      }
    }
    shot.gone = true;
    s.things.add(explosion_of(shot, s.boss.vx, s.boss.vy));
  }

  // The boss moves and shoots, and so does the agent.
  ENVPOOL_FN static void act(State& s, const Params& p, i32 now, bool shoots) {
    const f32 chance = s.chance = s.random.unit();
    const f32 shot_chance = s.random.unit(), chance_x = s.random.unit(), chance_y = s.random.unit();
    if (s.move_steps <= 0) {
      const f32 x = chance_x * (kCells - 2 * kBossHalf) + kBossHalf;
      const f32 y = chance_y * (kCells - 2 * kBossHalf - kBottom) + kBossHalf + kBottom;
      s.boss.vx = (x - s.boss.x) / f32(kMoveSteps);
      s.boss.vy = (y - s.boss.y) / f32(kMoveSteps);
      s.move_steps = kMoveSteps;
      if (s.moves_left > 0) {
        --s.moves_left;
      } else {
        s.moves_left = s.shielded ? kVulnerableMoves : s.invulnerable_moves;
        s.shielded = !s.shielded;
      }
    } else {
      --s.move_steps;
    }
    if (shoots && now - s.last_shot >= kShotSteps) {
      s.things.add(new_entity(kShot, s.ship.x, s.ship.y, 0, 1, 0.25f, 0.25f, s.ship_laser));
      s.last_shot = now;
    }
    if (s.damaged_until >= now) {
      if (now % 3 == 0) {
        const f32 x = s.boss.x + (2 * chance_x - 1) * kBossHalf, y = s.boss.y + (2 * chance_y - 1) * s.boss_half;
        s.things.add(new_entity(kExplosion, x, y, 0, 0, 0.75f, 0.75f));
      }
    } else if (s.shielded) {
      attack(s, p, now, chance);
    } else if (shot_chance < 0.1f) {
      shoot(s, p, kPi * (1 + chance));
    }
    add_trails(s);
  }

  ENVPOOL_FN static void attack(State& s, const Params& p, i32 now, f32 chance) {
    switch (s.attack[u32(s.round) % u32(s.rounds)]) {
      case 0:
        for (i32 i = 0; now % 8 == 0 && i < 5; ++i) shoot(s, p, f32(kPi * 1.5 + f32(i - 2) * kPi / 8));
        break;
      case 1: {
        const i32 phase = 8 - now / 5 % 16, k = phase < 0 ? -phase : phase;
        for (i32 i = 0; now % 5 == 0 && i < 4; ++i) {
          shoot(s, p, f32(kPi * (1.25 + 0.5 * k / 8.0) + f32(i) * kPi / 2));
        }
        break;
      }
      case 2:
        for (i32 i = 0; now % 10 == 0 && i < 8; ++i) shoot(s, p, 2 * kPi / 8 * f32(i) + chance * 2 * kPi);
        break;
      default:
        if (now % 4 == 0) shoot(s, p, kPi * (1 + chance));
    }
  }

  ENVPOOL_DEVICE_CALL static void shoot(State& s, const Params& p, f32 angle) {
    const f32 speed = bullet_speed(p);
    const SinCos<f64> direction = sincos(f64(angle));
    s.things.add(new_entity(kBullet, s.boss.x, s.boss.y, f32(speed * direction.cos), f32(speed * direction.sin), 0.5f,
                            0.5f, s.boss_laser));
  }

  ENVPOOL_FN static void add_trails(State& s) {
    for (i32 i = s.things.count - 1; i >= 0; --i) {
      const Entity& bullet = s.things.at[i];
      if (bullet.type != kBullet) continue;
      Entity trail = new_entity(kTrail, bullet.x, bullet.y, bullet.vx * 0.5f, bullet.vy * 0.5f, bullet.half_width,
                                bullet.half_height, s.boss_laser);
      trail.picture = kBullet;
      trail.angle = bullet.angle;
      s.things.add(trail);
    }
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    const View view(kCells, kCells / 2, kCells / 2, kPixels);
    draw_background(canvas, p, kBackground + s.background, view, i32(kCells), i32(kCells), s.background_part);
    EntityPainter<kPixels> painter(p, canvas, view);
    const auto put = [&](i32 type, i32 theme, i32 picture, const Body& b) {
      painter.draw(type, theme, picture, b.x, b.y, b.half_width, b.half_height);
    };
    put(kBoss, s.boss_theme, kBossPicture, boss_of(s));
    if (s.shielded) put(kShields, 0, kShieldsPicture, shields_of(s));
    for (i32 i = 0; i < s.things.count; ++i) painter.draw(s.things.at[i], picture_of(s.things.at[i].picture));
    put(kShip, s.ship_theme, kShipPicture, ship_of(s));
    if (p.paint_vel_info) paint_velocity(canvas, s.ship, kSpeed, kUsualSpeed);
  }
};

}  // namespace envpool::procgen
