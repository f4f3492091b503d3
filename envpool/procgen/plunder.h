// SPDX-License-Identifier: Apache-2.0
//
// Plunder: a ship shoots at ships that cross the sea above it. It must hit those of the kind that is shown in the
// corner, before its time is used up, and spare the others.
//
//   Action       i32, 0 to 2 left, 3 to 5 nothing, 6 to 8 right, 9 fires, 10 to 14 nothing
//   Observation  u8[3, 64, 64], RGB, of the whole sea, with bars for the time that is left and for the hits
//   Reward       1 for each ship of the kind that is shown, and 10 for the last of 20
//   Terminated   after 20 such ships, and when the time is used up. Shots and hits of other ships use up time; hits
//                of the right ships give some back.
//   Truncated    after 4000 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the kinds of ships, the panels, the background and the ships
//                that come
//
// With distribution_mode "easy", ships are larger and there are no panels that stop shots. Reference: see game.h.
#pragma once

#include "envpool/procgen/mover.h"

namespace envpool::procgen {

struct ProcgenPlunder : GameOf<ProcgenPlunder> {
  static constexpr const char* kName = "ProcgenPlunder";
  static constexpr const char* kModes[] = {"easy", "hard"};
  static constexpr const char* kActionsText =
      "0 left, 1 left, 2 left, 3 to 5 nothing, 6 right, 7 right, 8 right, 9 fires, 10 to 14 nothing";
  static constexpr i32 kTimeLimit = 4000, kQuota = 20, kShipLanes = 5, kShips = 6, kBackgrounds = 4;
  static constexpr i32 kMostThings = 80;  // more than ships fit into the lanes, with shots and explosions
  static constexpr f32 kCells = 20, kSpeed = 0.85f, kPanelHalfWidth = 1.2f, kPanelHalfHeight = 0.5f, kLegendHalf = 2;
  static constexpr f32 kShotHalf = 0.25f;
  static constexpr i32 kShotSteps = 50, kExplosionSteps = 4, kReloadSteps = 3, kFire = 9;

  // Types have the reference's numbers, which choose their colours if images are replaced by colours.
  enum Type : u8 { kAgentType = 0, kShot = 1, kLegendBackground = 3, kPanel = 6, kShip = 7, kExplosion = 54 };
  enum Picture : i32 {
    kShipPicture,
    kShotPicture = kShipPicture + kShips,
    kPanelPicture,
    kLegendPicture,
    kExplosionPicture,  // the first of several
    kBackground = kExplosionPicture + kExplosionSteps + 1,
    kPictures = kBackground + kBackgrounds
  };

  struct Thing {  // a panel, a ship, a shot or an explosion
    f32 x, y, vx, vy;
    f32 half_width, half_height;
    Type type;
    u8 ship;  // the kind of a ship
    u8 age;   // of a shot or an explosion
    bool reflected, gone;
  };
  struct State {
    Level level;
    Mover agent;
    f32 background_part, time_left;
    f32 lane_speed[kShipLanes];  // to the right
    i32 hits, last_shot;
    u8 right_ship, other_ship, own_ship;
    u8 background;
    i32 count;
    Thing thing[kMostThings];
    Twister random;
  };

#if ENVPOOL_HOST
  static void state_parts(StateParts<State>& parts) {
    parts.add("time_left", &State::time_left).add("hits", &State::hits).add("count", &State::count);
  }
#endif

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 now = clamp(s.level.time, 0, kTimeLimit) + 1, dx = move_of(action) / 3 - 1;
    const bool fires = *action.at<i32>(0) == kFire;
    const bool tie = s.random.bits() % 2 == 0;
    move_things(s);
    sail(s, p, dx, tie);
    f32 reward = 0;
    hit(s, reward);
    remove_things(s);
    s.time_left -= 0.0015f;
    if (s.random.unit() < 0.06f) add_ship(s, p);
    if (fires && now - s.last_shot >= kReloadSteps) {
      add(s, {s.agent.x, s.agent.y, 0, 1, kShotHalf, kShotHalf, kShot, 0, 0, false, false});
      s.last_shot = now;
      s.time_left -= 0.02f;
    }
    const bool complete = s.hits >= kQuota, done = s.time_left <= 0 || complete;
    s.time_left = min(s.time_left, 1.0f);
    if (complete) reward += 10;
    s.agent.x = max(s.agent.x, least_x(p));
    const StepEnd end = end_step(s.level, p, reward, done, complete, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    constexpr f32 kFar = 64, kFast = 2;
    repair_level(s.level);
    repair_mover(s.agent, kCells);
    s.random.repair();
    keep_within(s.background_part, 0.0f, 1.0f);
    keep_within(s.time_left, -1.0f, 1.0f);
    for (f32& speed : s.lane_speed) keep_within(speed, -kFast, kFast);
    keep_within(s.hits, 0, kQuota);
    keep_within(s.last_shot, 0, kTimeLimit);
    keep_within<u8>(s.right_ship, 0, kShips - 1);
    keep_within<u8>(s.other_ship, 0, kShips - 1);
    keep_within<u8>(s.own_ship, 0, kShips - 1);
    keep_within<u8>(s.background, 0, kBackgrounds - 1);
    keep_within(s.count, 0, kMostThings);
    for (Thing& thing : s.thing) {
      keep_within(thing.x, -kFar, kFar);
      keep_within(thing.y, -kFar, kFar);
      keep_within(thing.vx, -kFast, kFast);
      keep_within(thing.vy, -kFast, kFast);
      keep_within(thing.half_width, 0.0f, kFar);
      keep_within(thing.half_height, 0.0f, kFar);
      keep_within<u8>(thing.ship, 0, kShips - 1);
      keep_within<u8>(thing.age, 0, kShotSteps);
      keep_bool(thing.reflected);
      keep_bool(thing.gone);
    }
  }

 private:
  friend GameOf<ProcgenPlunder>;

  ENVPOOL_FN static f32 half_of_ship(const Params& p) { return p.mode == kEasy ? 1.5f : 1.0f; }
  ENVPOOL_FN static f32 least_x(const Params& p) { return 2 * kLegendHalf + half_of_ship(p); }
  ENVPOOL_FN static f32 half_height(const Params& p, i32 ship, f32 half_width) {
    const Image image = art_of(p).image[kShipPicture + ship];
    return half_width / f32(image.width * 1.0 / image.height);
  }

  ENVPOOL_FN static void add(State& s, const Thing& thing) {
    if (s.count < kMostThings) s.thing[s.count++] = thing;
  }
  ENVPOOL_FN static bool touches(const Thing& thing, f32 x, f32 y, f32 half_width, f32 half_height) {
    return overlaps(x - thing.x, y - thing.y, half_width + thing.half_width, half_height + thing.half_height);
  }
  // Returns whether something touches the sign that shows which ships to hit.
  ENVPOOL_FN static bool touches_legend(const Params& p, i32 ship, f32 x, f32 y, f32 half_width, f32 half_height) {
    const f32 wide = half_of_ship(p) * 1.5f, high = ProcgenPlunder::half_height(p, ship, wide);
    return overlaps(x - kLegendHalf, y - kLegendHalf, half_width + kLegendHalf, half_height + kLegendHalf) ||
           overlaps(x - kLegendHalf, y - kLegendHalf, half_width + wide, half_height + high);
  }

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) {
    constexpr f32 kHalf = 0.4f;  // of the agent while its first place is drawn
    Twister& random = s.random;
    random.seed(u32(s.level.seed));
    s.background_part = random.unit();
    s.background = u8(random.below(kBackgrounds));
    const f32 first_x = random.unit() * (kCells - 2 * kHalf) + kHalf,
              first_y = random.unit() * (kCells - 2 * kHalf) + kHalf;
    choose_ships(s);
    for (f32& speed : s.lane_speed) {
      const f32 sign = random.unit() < 0.5 ? 1.0f : -1.0f;
      speed = f32(0.15 + 0.1 * random.unit()) * sign;
    }
    s.count = 0;
    const i32 panels = p.mode == kEasy ? 0 : random.below(4);
    for (i32 i = 0; i < panels; ++i) add_panel(s, first_x, first_y, kHalf);
    s.own_ship = s.other_ship;
    random.bits();  // a choice among one ship, which is not used
    const f32 half = half_of_ship(p), high = half_height(p, s.own_ship, half);
    constexpr i32 kTries = 100;
    bool collides = true;
    for (i32 i = 0; i < kTries && collides; ++i) {
      s.agent.x = random.unit() * (kCells - 2 * half) + half;
      s.agent.y = random.unit() * (kCells - 2 * high) + high;
      collides = touches_legend(p, s.right_ship, s.agent.x, s.agent.y, half, high);
      for (i32 k = 0; k < s.count; ++k) collides = collides || touches(s.thing[k], s.agent.x, s.agent.y, half, high);
    }
    s.agent = {max(s.agent.x, least_x(p)), 1 + high, 0, 0};
    s.time_left = 1;
    s.hits = s.last_shot = 0;
  }

  // Chooses the ship to hit and the other one. The reference arranges all six in a random order.
  ENVPOOL_FN static void choose_ships(State& s) {
    u8 left[kShips];
    for (i32 i = 0; i < kShips; ++i) left[i] = u8(i);
    for (i32 i = 0; i < kShips; ++i) {
      const i32 k = s.random.below(kShips - i);
      const u8 chosen = left[k];
      for (i32 n = k; n + 1 < kShips - i; ++n) left[n] = left[n + 1];
      if (i == 0) s.right_ship = chosen;
      if (i == 1) s.other_ship = chosen;
    }
  }

  // Adds a panel at a place where it touches neither the agent nor another one.
  ENVPOOL_FN static void add_panel(State& s, f32 agent_x, f32 agent_y, f32 agent_half) {
    constexpr i32 kTries = 100;
    constexpr f32 kQuarter = kCells / 4;
    f32 x = 0, y = 0;
    bool collides = true;
    for (i32 i = 0; i <= kTries && collides; ++i) {
      x = (kCells - 2 * kPanelHalfWidth) * s.random.unit() + kPanelHalfWidth;
      y = (kQuarter - 2 * kPanelHalfHeight) * s.random.unit() + kPanelHalfHeight + kQuarter;
      collides = overlaps(x - agent_x, y - agent_y, kPanelHalfWidth + agent_half, kPanelHalfHeight + agent_half);
      for (i32 k = 0; k < s.count; ++k) {
        collides = collides || touches(s.thing[k], x, y, kPanelHalfWidth, kPanelHalfHeight);
      }
    }
    add(s, {x, y, 0, 0, kPanelHalfWidth, kPanelHalfHeight, kPanel, 0, 0, false, false});
  }

  ENVPOOL_FN static void add_ship(State& s, const Params& p) {
    const f32 half = half_of_ship(p);
    const i32 lane = s.random.below(kShipLanes);
    const f32 speed = s.lane_speed[lane];
    const f32 y = f32((lane * 0.11 + 0.4) * (kCells / 2 - half) + kCells / 2);
    const u8 ship = s.random.below(2) == 0 ? s.right_ship : s.other_ship;
    const f32 x = speed > 0 ? -half : kCells + half, high = half_height(p, ship, half);
    const f32 own_high = half_height(p, s.own_ship, half);
    bool collides = overlaps(x - s.agent.x, y - s.agent.y, half + half, high + own_high) ||
                    touches_legend(p, s.right_ship, x, y, half, high);
    for (i32 i = 0; i < s.count; ++i) collides = collides || touches(s.thing[i], x, y, half, high);
    if (!collides) add(s, {x, y, speed, 0, half, high, kShip, ship, 0, speed < 0, false});
  }

  ENVPOOL_FN static void move_things(State& s) {
    for (i32 i = 0; i < s.count; ++i) {
      Thing& thing = s.thing[i];
      thing.x += thing.vx;
      thing.y += thing.vy;
      if (thing.type == kPanel || thing.type == kShip) continue;
      const bool is_shot = thing.type == kShot;
      ++thing.age;
      if (thing.age > (is_shot ? kShotSteps : kExplosionSteps)) thing.gone = true;
      if (is_shot) continue;
      thing.half_width *= 1.4f;
      thing.half_height *= 1.4f;
    }
  }

  ENVPOOL_FN static void sail(State& s, const Params& p, i32 dx, bool tie) {
    constexpr f32 kMix = 0.5f;
    Mover& a = s.agent;
    const f32 half = half_of_ship(p), high = half_height(p, s.own_ship, half);
    a.vx = f32(0.9 * ((1 - kMix) * a.vx + kMix * kSpeed * f32(dx)));
    a.vy = 0;
    advance(a, agent_sideways(a, tie, dx, 0), [&](f32 vx, f32 vy) {
      const f32 x = a.x + vx, y = a.y + vy, inside_x = half * kInside, inside_y = high * kInside;
      const bool blocked = !(x - inside_x >= 0 && x + inside_x < kCells && y - inside_y >= 0 && y + inside_y < kCells);
      a.x = blocked && vx != 0 ? stopped(x, half, vx) : x;
      a.y = blocked && vx == 0 ? stopped(y, high, vy) : y;
      return blocked;
    });
  }

  // What shots hit. The things that came last are first.
  ENVPOOL_FN static void hit(State& s, f32& reward) {
    for (i32 i = s.count - 1; i >= 0; --i) {
      Thing& shot = s.thing[i];
      if (shot.type != kShot) continue;
      for (i32 k = s.count - 1; k >= 0 && !shot.gone; --k) {
        Thing& thing = s.thing[k];
        if (thing.gone || (thing.type != kShip && thing.type != kPanel)) continue;
        if (!touches(thing, shot.x, shot.y, shot.half_width, shot.half_height)) continue;
        shot.gone = true;
        if (thing.type == kPanel) continue;
        thing.gone = true;
        const bool right = thing.ship == s.right_ship;
        s.time_left += right ? 0.1f : -0.1f;
        s.hits += right;
        reward += right ? 1.0f : 0.0f;
        const f32 half = f32(0.5 * thing.half_width);
        add(s, {thing.x, thing.y, thing.vx / 2, thing.vy / 2, half, half, kExplosion, 0, 0, false, false});
      }
    }
  }

  ENVPOOL_FN static void remove_things(State& s) {
    i32 kept = 0;
    for (i32 i = 0; i < s.count; ++i) {
      const Thing thing = s.thing[i];
      const bool outside = thing.x + thing.half_width < 0 || thing.y + thing.half_height < 0 ||
                           thing.x - thing.half_width > kCells || thing.y - thing.half_height > kCells;
      if (!thing.gone && !outside) s.thing[kept++] = thing;
    }
    s.count = kept;
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    const Art& art = art_of(p);
    const View view(kCells, kCells / 2, kCells / 2, kPixels);
    draw_background(canvas, p, kBackground + s.background, view, i32(kCells), i32(kCells), s.background_part);
    const auto put = [&](i32 type, i32 ship, i32 picture, Rect rect, bool reflected) {
      if (p.use_monochrome_assets) {
        canvas.fill(rect, color_of(type, ship));
      } else {
        canvas.draw(art, art.image[picture], rect, reflected);
      }
    };
    const auto put_ship = [&](i32 type, i32 ship, Rect rect, Turn turn) {
      if (p.use_monochrome_assets) {
        canvas.fill(rect, color_of(type, ship));
      } else {
        canvas.draw_turned(art, art.image[kShipPicture + ship], rect, turn);
      }
    };
    const auto rect_of = [&](f32 x, f32 y, f32 wide, f32 high) {
      return view.rect(x - wide, y + high, 2 * wide, 2 * high);
    };
    const auto put_thing = [&](const Thing& thing) {
      const bool is_ship = thing.type == kShip;
      const i32 stage = thing.type == kExplosion ? min(i32(thing.age), kExplosionSteps) : 0;
      const i32 picture = is_ship                ? kShipPicture + thing.ship
                          : thing.type == kShot  ? i32{kShotPicture}
                          : thing.type == kPanel ? i32{kPanelPicture}
                                                 : kExplosionPicture + stage;
      put(thing.type + stage, is_ship ? thing.ship : 0, picture,
          rect_of(thing.x, thing.y, thing.half_width, thing.half_height), thing.reflected);
    };
    // Panels come before the sign, and everything else after it.
    i32 i = 0;
    for (; i < s.count && s.thing[i].type == kPanel; ++i) put_thing(s.thing[i]);
    const f32 half = half_of_ship(p), legend = half * 1.5f;
    put(kLegendBackground, 0, kLegendPicture, rect_of(kLegendHalf, kLegendHalf, kLegendHalf, kLegendHalf), false);
    put_ship(kShip, s.right_ship, rect_of(kLegendHalf, kLegendHalf, legend, half_height(p, s.right_ship, legend)),
             kRightTurn);
    for (; i < s.count; ++i) put_thing(s.thing[i]);
    put_ship(kShip, s.own_ship, rect_of(s.agent.x, s.agent.y, half, half_height(p, s.own_ship, half)), kLeftTurn);
    const auto bar = [&](f32 y, f32 length, u32 color) {
      constexpr f32 kEdge = 0.25f, kHeight = 0.5f;
      if (length > 0) canvas.fill({kEdge * view.unit, y * view.unit, length * view.unit, kHeight * view.unit}, color);
    };
    bar(0.25f, kCells * s.time_left, 0xFF42F587u);
    bar(0.75f, f32(kCells * (s.hits * 1.0 / kQuota)), 0xFFF54290u);
  }
};

}  // namespace envpool::procgen
