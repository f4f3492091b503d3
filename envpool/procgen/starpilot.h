// SPDX-License-Identifier: Apache-2.0
//
// StarPilot: a spaceship flies through space, shoots at what comes, and avoids it.
//
//   Action       i32, 0 to 2 left and down, left, left and up, 3 down, 4 nothing, 5 up, 6 to 8 the same to the right,
//                9 and 11 to 14 shoot to the right, 10 shoots to the left
//   Observation  u8[3, 64, 64], RGB, of what is around
//   Reward       1 for each ship, turret and rock that is destroyed, and 10 at the finish
//   Terminated   at the finish, which comes after 500 steps, and when anything but a cloud touches the agent
//   Truncated    after 1000 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the place of the agent, the background, and what comes
//
// With distribution_mode "easy", only slow ships come, from the right; with "extreme", all endure more shots.
// Reference: see game.h.
#pragma once

#include "envpool/procgen/starpilot_level.h"

namespace envpool::procgen {

struct ProcgenStarpilot : GameOf<ProcgenStarpilot> {
  static constexpr const char* kName = "ProcgenStarpilot";
  static constexpr const char* kModes[] = {"easy", "hard", "extreme"};
  static constexpr const char* kActionsText =
      "0 left and down, 1 left, 2 left and up, 3 down, 4 nothing, 5 up, 6 right and down, 7 right, 8 right and "
      "up, 9 shoots to the right, 10 to the left, 11 to 14 to the right";
  static constexpr i32 kTimeLimit = 1000;
  static constexpr f32 kAgentHalf = 0.4f, kUsualSpeed = 0.5f, kQuarter = starpilot::kPi / 2;

  enum Picture : i32 {
    kAgentPicture,
    kShotPicture,
    kBulletPicture,
    kTurretBulletPicture,
    kShipPicture,
    kMeteorPicture = kShipPicture + starpilot::kShips,
    kCloudPicture = kMeteorPicture + starpilot::kMeteors,
    kTurretPicture = kCloudPicture + starpilot::kClouds,
    kFinishPicture = kTurretPicture + starpilot::kTurrets,
    kExplosionPicture = kFinishPicture + starpilot::kFinishes,
    kBackground = kExplosionPicture + kExplosionPictures,
    kPictures = kBackground + starpilot::kBackgrounds
  };

  using State = starpilot::State;

#if ENVPOOL_HOST
  static void state_parts(StateParts<State>& parts) { parts.add("left", &State::left); }
#endif

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    using namespace starpilot;
    const i32 now = clamp(s.level.time, 0, kTimeLimit) + 1;
    const i32 move = move_of(action), dx = move / 3 - 1, dy = move % 3 - 1;
    const bool tie = s.random.bits() % 2 == 0;
    constexpr f32 kMix = 0.5f;
    Mover& a = s.agent;
    a.vx = f32(0.9 * ((1 - kMix) * a.vx + kMix * agent_speed(p.mode) * f32(dx)));
    a.vy = f32(0.9 * ((1 - kMix) * a.vy + kMix * agent_speed(p.mode) * f32(dy)));
    advance_in_box(a, kAgentHalf, kAgentHalf, kCells, agent_sideways(a, tie, dx, dy));
    for (i32 i = 0; i < s.things.count; ++i) {
      Entity& e = s.things.at[i];
      change(e, e.type == kExplosion ? kExplosionChange : Change{}, /*moves=*/true);
    }
    f32 reward = 0;
    bool done = false, complete = false;
    meet(s, reward, done, complete);
    s.things.remove(kCells, kCells);
    act(s, p, reward);
    while (s.left > 0 && s.comer[s.left - 1].time == now) s.things.add(entity_of(s.comer[--s.left], p));
    if (const i32 number = *action.at<i32>(0); number >= 9 && number < kActions) shoot(s, p, number == 10);
    if (now == kFinishTime) s.things.add(finish(s.random, p));
    const StepEnd end = end_step(s.level, p, reward, done, complete, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    using namespace starpilot;
    repair_level(s.level);
    keep_within(s.level.time, 0, kTimeLimit);
    repair_mover(s.agent, kCells);
    s.random.repair();
    keep_within<u8>(s.background, 0, kBackgrounds - 1);
    keep_within(s.left, 0, kMostComers);
    for (i32 i = 0; i < s.left; ++i) {
      Comer& comer = s.comer[i];
      keep_within<u8>(comer.type, kBullet, kTypes - 1);
      keep_within<u8>(comer.theme, 0, u8(themes_of(comer.type) - 1));
      keep_bool(comer.from_left);
    }
    s.things.repair();
    for (Entity& e : s.things) {
      keep_within<u8>(e.picture, kShot, kLastExplosion);
      keep_within<u8>(e.theme, 0, u8(themes_of(e.picture) - 1));
    }
  }

 private:
  friend GameOf<ProcgenStarpilot>;

  struct Body {
    f32 x, y, half_width, half_height;
  };

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) { starpilot::LevelMaker(s, p).make(); }

  ENVPOOL_FN static bool is_destructible(i32 type) {
    using namespace starpilot;
    return is_ship(type) || type == kTurret || type == kMeteor;
  }
  ENVPOOL_FN static i32 themes_of(i32 type) {
    using namespace starpilot;
    switch (type) {
      case kFlyer:
      case kFastFlyer: return kShips;
      case kMeteor: return kMeteors;
      case kCloud: return kClouds;
      case kTurret: return kTurrets;
      case kFinish: return kFinishes;
      default: return 1;
    }
  }
  ENVPOOL_FN static i32 picture_of(i32 picture) {
    using namespace starpilot;
    switch (picture) {
      case kShot: return kShotPicture;
      case kBullet: return kBulletPicture;
      case kTurretBullet: return kTurretBulletPicture;
      case kMeteor: return kMeteorPicture;
      case kCloud: return kCloudPicture;
      case kTurret: return kTurretPicture;
      case kFinish: return kFinishPicture;
      default: return picture >= kExplosion ? kExplosionPicture + picture - kExplosion : i32{kShipPicture};
    }
  }
  ENVPOOL_FN static f32 shape_of(const Params& p, i32 picture, i32 theme) {
    const Image image = art_of(p).image[picture + (p.restrict_themes ? 0 : theme)];
    return f32(image.width * 1.0 / image.height);
  }

  ENVPOOL_FN static Entity entity_of(const starpilot::Comer& comer, const Params& p) {
    using namespace starpilot;
    const f32 half = half_of(comer.type), x = comer.from_left ? -half : kCells + half;
    Entity e = new_entity(comer.type, x, comer.y, comer.vx, comer.vy, half, half, comer.theme);
    e.health = i16(health_of(comer.type, p.mode));
    e.period = comer.period;
    if (is_ship(comer.type)) e.angle = comer.vx > 0 ? -kQuarter : kQuarter;
    if (comer.type == kTurret) e.half_height = half / shape_of(p, kTurretPicture, comer.theme);
    return e;
  }
  ENVPOOL_FN static Entity finish(Twister& random, const Params& p) {
    using namespace starpilot;
    const i32 theme = random.below(kFinishes);
    const f32 half_height = kCells / 2, half_width = half_height * shape_of(p, kFinishPicture, theme);
    return new_entity(kFinish, kCells + half_width, kCells / 2, -kSlow * kSpeedUnit, 0, half_width, half_height, theme);
  }

  // What touches the agent, and what its shots hit. What came last is first.
  ENVPOOL_FN static void meet(State& s, f32& reward, bool& done, bool& complete) {
    using namespace starpilot;
    const Body agent{s.agent.x, s.agent.y, kAgentHalf, kAgentHalf};
    for (i32 i = s.things.count - 1; i >= 0; --i) {
      Entity& e = s.things.at[i];
      if (e.type >= kBullet && e.type <= kFinish && e.type != kCloud && touch(e, agent)) {
        done = true;
        complete |= e.type == kFinish;
        if (e.type == kFinish) reward += 10;
      }
      if (e.type != kShot) continue;
      for (i32 k = s.things.count - 1; k >= 0 && !e.gone; --k) {
        Entity& other = s.things.at[k];
        if (!is_destructible(other.type) || other.gone || !touch(e, other)) continue;
        e.gone = true;
        --other.health;
        s.things.add(explosion_of(e, other.vx, other.vy));
      }
    }
  }

  // Ships and turrets shoot, and what has no health explodes.
  ENVPOOL_FN static void act(State& s, const Params& p, f32& reward) {
    using namespace starpilot;
    for (i32 i = s.things.count - 1; i >= 0; --i) {
      Entity& e = s.things.at[i];
      if (e.period > 0 && (e.type == kTurret ? e.age % e.period == 0 : e.age == e.period)) {
        const u8 type = e.type == kTurret ? kTurretBullet : kBullet;
        const f32 half = bullet_half(p.mode);
        f32 vx = s.agent.x - e.x, vy = s.agent.y - e.y;
        const f32 scale = f32(speed_of(type, p.mode) * kSpeedUnit / sqrt(f64(vx * vx + vy * vy)));
        vx *= scale;
        vy *= scale;
        Entity bullet = new_entity(type, e.x, e.y, vx, vy, half, half);
        bullet.angle = faced(0, vx, vy, -kQuarter);
        s.things.add(bullet);
      }
      if (e.health <= 0 && is_destructible(e.type) && !e.gone) {
        s.things.add(explosion_of(e, e.vx, e.vy));
        reward += 1;
        e.gone = true;
      }
    }
  }

  ENVPOOL_FN static void shoot(State& s, const Params& p, bool backward) {
    using namespace starpilot;
    const SinCos<f64> direction = sincos(f64(backward ? kPi : 0.0f));
    const f32 speed = speed_of(kShot, p.mode) * kSpeedUnit, half = bullet_half(p.mode);
    const f32 vx = f32(direction.cos * speed), vy = f32(direction.sin * speed);
    Entity shot = new_entity(kShot, s.agent.x + f32(kAgentHalf * direction.cos), s.agent.y, vx, vy, half, half);
    shot.angle = faced(0, vx, vy) - kQuarter;
    s.things.add(shot);
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    using namespace starpilot;
    const View view(kCells, kCells / 2, kCells / 2, kPixels);
    canvas.fill({0, 0, kPixels, kPixels}, kBlack);
    if (p.use_backgrounds) draw_space(s, p, canvas);
    EntityPainter<kPixels> painter(p, canvas, view);
    const auto draw_things = [&](bool clouds) {
      for (i32 i = 0; i < s.things.count; ++i) {
        const Entity& e = s.things.at[i];
        if ((e.type == kCloud) == clouds) painter.draw(e, picture_of(e.picture));
      }
    };
    draw_things(false);
    painter.draw(kAgent, 0, kAgentPicture, s.agent.x, s.agent.y, kAgentHalf, kAgentHalf, kQuarter);
    draw_things(true);
    if (p.paint_vel_info) paint_velocity(canvas, s.agent, agent_speed(p.mode), kUsualSpeed);
  }

  // Draws the background, which moves to the left, as tiles of three times the height of the view.
  template <i32 kPixels>
  ENVPOOL_FN static void draw_space(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    constexpr i32 kTiles = 18;
    constexpr f32 kTile = 3 * kPixels;
    const f32 left = -f32(s.level.time) * f32(kPixels / i32(starpilot::kCells)) * starpilot::kSlow * 2 / 5;
    for (i32 i = 0; i < kTiles; ++i) {
      const f64 x = f64(left) + kTile * f32(i);
      if (x + kTile < 0 || x > kPixels) continue;
      canvas.draw(art_of(p), art_of(p).image[kBackground + s.background], {x, -kPixels, kTile, kTile});
    }
  }
};

}  // namespace envpool::procgen
