// SPDX-License-Identifier: Apache-2.0
//
// FruitBot: a robot rises through gaps between walls to presents. It collects fruit, avoids other food, and opens
// locked doors with keys that it throws at their locks.
//
//   Action       i32, 0 to 2 left, 3 to 5 nothing, 6 to 8 right, 9 throws a key, 10 to 14 nothing
//   Observation  u8[3, 64, 64], RGB, of a square of the world's width around the robot; with center_agent=False of
//                the whole world
//   Reward       1 for each fruit, -4 for each other food, 10 for each present that it touches
//   Terminated   at the presents, and at walls and doors
//   Truncated    after 1000 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the walls, the food and the background
//
// The world has 60 rows. They have 10 cells with distribution_mode "easy", where no doors are locked and there are
// fewer walls, and else 20. Reference: see game.h.
#pragma once

#include "envpool/procgen/mover.h"
#include "envpool/procgen/walls.h"

namespace envpool::procgen {

struct ProcgenFruitbot : GameOf<ProcgenFruitbot> {
  static constexpr const char* kName = "ProcgenFruitbot";
  static constexpr const char* kModes[] = {"easy", "hard"};
  static constexpr const char* kActionsText =
      "0 left, 1 left, 2 left, 3 to 5 nothing, 6 right, 7 right, 8 right, 9 throws a key, 10 to 14 nothing";
  static constexpr i32 kTimeLimit = 1000, kHeight = 60, kMostCells = 24;  // cells that a view shows
  static constexpr i32 kMostWalls = 10, kMostWidth = 20, kMostFood = 2 * 19, kMostKeys = 3;
  static constexpr i32 kMostThings = 4 * kMostWalls + kMostWidth + kMostFood + kMostKeys;
  static constexpr i32 kKeySteps = 8, kThrow = 9, kThemes = 6, kPresentThemes = 3, kBackgrounds = 9;
  static constexpr f32 kHalf = 0.4f, kSpeed = 0.85f, kRise = 0.2f, kMostJump = 0.5f, kKeySpeed = 0.5f;
  static constexpr f32 kHalfWall = 0.3f, kDoorShape = 3.25f, kLockHalfWidth = 0.25f, kLockHalfHeight = 0.45f;

  // Types have the reference's numbers, which choose their colours if images are replaced by colours.
  enum Type : u8 {
    kAgentType = 0,
    kWall = 1,
    kOutside = 2,
    kKey = 3,
    kFood = 4,
    kFruit = 7,
    kDoor = 10,
    kLock = 11,
    kPresent = 12
  };
  enum Picture : i32 {
    kAgentPicture,
    kWallPicture,
    kKeyPicture,
    kFoodPicture,  // the first of each theme
    kFruitPicture = kFoodPicture + kThemes,
    kDoorPicture = kFruitPicture + kThemes,
    kLockPicture,
    kPresentPicture,
    kBackground = kPresentPicture + kPresentThemes,
    kPictures = kBackground + kBackgrounds
  };

  struct Thing {
    f32 x, y, half_width, half_height;
    Type type;
    u8 theme;
    u8 age;  // of a key
    bool gone;
  };
  struct State {
    Level level;
    Mover agent;
    i32 last_throw, count;
    u8 background;
    Thing thing[kMostThings];
  };

#if ENVPOOL_HOST
  static u64 identity(const Params& p) { return u64(width_of(p)); }
  static void state_parts(StateParts<State>& parts) {
    parts.add("last_throw", &State::last_throw).add("count", &State::count);
  }
#endif

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 now = clamp(s.level.time, 0, kTimeLimit) + 1, dx = move_of(action) / 3 - 1;
    const bool throws = *action.at<i32>(0) == kThrow;
    for (i32 i = s.count - 1; i >= 0 && s.thing[i].type == kKey; --i) {
      Thing& key = s.thing[i];
      key.y += kKeySpeed;
      if (++key.age > kKeySteps) key.gone = true;
    }
    fly(s, p, dx);
    f32 reward = 0;
    bool done = false, complete = false;
    meet(s, reward, done, complete);
    remove_things(s, p);
    if (throws && now - s.last_throw >= kKeySteps) {
      constexpr f32 kKeyHalf = 0.25f;
      add(s, {s.agent.x, s.agent.y, kKeyHalf, kKeyHalf, kKey, 0, 0, false});
      s.last_throw = now;
    }
    const StepEnd end = end_step(s.level, p, reward, done, complete, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    constexpr f32 kFar = kHeight + 4;
    repair_level(s.level);
    repair_mover(s.agent, kHeight);
    keep_within(s.agent.x, 0.0f, f32(kMostWidth));
    keep_within(s.last_throw, 0, kTimeLimit);
    keep_within(s.count, 0, kMostThings);
    keep_within<u8>(s.background, 0, kBackgrounds - 1);
    for (i32 i = 0; i < s.count; ++i) {
      Thing& thing = s.thing[i];
      keep_within(thing.x, -kFar, kFar);
      keep_within(thing.y, -kFar, kFar);
      keep_within(thing.half_width, 0.0f, f32(kMostWidth));
      keep_within(thing.half_height, 0.1f, 1.0f);
      keep_within<u8>(thing.theme, 0, thing.type == kPresent ? kPresentThemes - 1 : kThemes - 1);
      keep_within<u8>(thing.age, 0, kKeySteps);
      keep_bool(thing.gone);
    }
  }

 private:
  friend GameOf<ProcgenFruitbot>;

  ENVPOOL_FN static i32 width_of(const Params& p) { return p.mode == kEasy ? 10 : kMostWidth; }

  ENVPOOL_FN static void add(State& s, const Thing& thing) {
    if (s.count < kMostThings) s.thing[s.count++] = thing;
  }
  ENVPOOL_FN static bool touch(const Thing& a, const Thing& b) {
    return overlaps(a.x - b.x, a.y - b.y, a.half_width + b.half_width, a.half_height + b.half_height);
  }
  ENVPOOL_FN static bool touches_agent(const State& s, const Thing& thing) {
    return overlaps(thing.x - s.agent.x, thing.y - s.agent.y, thing.half_width + kHalf, thing.half_height + kHalf);
  }

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) {
    constexpr i32 kDistance = 4;  // at least, between walls and before the presents
    const bool easy = p.mode == kEasy;
    const i32 width = width_of(p), walls = easy ? kMostWalls / 2 : kMostWalls, themes = easy ? 2 : kThemes;
    Twister random;
    random.seed(u32(s.level.seed));
    random.bits();  // a part of the background, of which all is drawn
    s.background = u8(random.below(kBackgrounds));
    s.agent = {random.unit() * (f32(width) - 2 * kHalf) + kHalf, kHalf, 0, 0};
    random.bits();  // another height of the agent, which is not used
    s.count = s.last_throw = 0;
    u8 more[kMostWalls] = {};  // rows before each wall
    for (i32 i = kHeight - kDistance * walls - kDistance; i > 0; --i) ++more[random.below(walls)];
    i32 y = 0;
    for (i32 i = 0; i < walls; ++i) {
      const i32 rows = kDistance + more[i];
      y += rows;
      const bool locked = rows > 5 && random.unit() < (easy ? 0.0f : 0.125f);
      add_wall(s, p, random, f32(y), locked);
    }
    const i32 fruits = random.below(10) + 10, foods = random.below(10) + 10;
    for (i32 i = 0; i < width; ++i) {
      const u8 theme = u8(random.below(kPresentThemes));
      add(s, {i + 0.5f, kHeight - 0.5f, 0.5f, 0.5f, kPresent, theme, 0, false});
    }
    const i32 first = s.count;
    for (i32 i = 0; i < fruits + foods; ++i) add_food(s, p, random, i < fruits ? kFruit : kFood);
    for (i32 i = first; i < s.count; ++i) {
      Thing& food = s.thing[i];
      food.theme = u8(random.below(themes));
      const Image& image = art_of(p).image[picture_of(p, food)];
      const f32 shape = f32(image.width * 1.0 / image.height);
      if (shape > 1) {
        food.half_height = food.half_width / shape;
      } else {
        food.half_width = food.half_height * shape;
      }
    }
  }

  // Adds a wall with a gap, which may have a door with a lock beside it.
  ENVPOOL_FN static void add_wall(State& s, const Params& p, Twister& random, f32 y, bool locked) {
    const f32 width = f32(width_of(p));
    f32 part = f32((p.mode == kEasy ? 0.2f : 0.1f) + 0.2 * random.unit());
    if (locked) {
      part += 0.1f;
      const f32 lock = 2 * kLockHalfWidth / width, door = kHalfWall * 2 * kDoorShape / width;
      part = 2 * lock + door * f32(i32(ceil((part - 2 * lock) / door)));
    }
    const f32 gap = part * width, left = random.unit() * (width - gap), right = width - left - gap;
    add(s, {left / 2, y, left / 2, kHalfWall, kWall, 0, 0, false});
    add(s, {width - right / 2, y, right / 2, kHalfWall, kWall, 0, 0, false});
    if (!locked) return;
    const i32 on_right = random.below(2);
    const f32 lock_x = left + kLockHalfWidth + f32(on_right) * (gap - 2 * kLockHalfWidth);
    const f32 door_x = left + gap / 2 - f32(on_right * 2 - 1) * kLockHalfWidth;
    add(s, {door_x, y, gap / 2 - kLockHalfWidth, kHalfWall, kDoor, 0, 0, false});
    add(s, {lock_x, y - kLockHalfHeight + kHalfWall, kLockHalfWidth, kLockHalfHeight, kLock, 0, 0, false});
  }

  // Adds food at a place where it touches nothing.
  ENVPOOL_FN static void add_food(State& s, const Params& p, Twister& random, Type type) {
    constexpr i32 kTries = 100;
    constexpr f32 kFoodHalf = 0.5f;
    const f32 width = f32(width_of(p));
    Thing food{0, 0, kFoodHalf, kFoodHalf, type, 0, 0, false};
    bool collides = true;
    for (i32 i = 0; i <= kTries && collides; ++i) {
      food.x = (width - 2 * kFoodHalf) * random.unit() + kFoodHalf;
      food.y = (kHeight - 2 * kFoodHalf) * random.unit() + kFoodHalf;
      collides = touches_agent(s, food);
      for (i32 k = 0; k < s.count && !collides; ++k) collides = touch(food, s.thing[k]);
    }
    add(s, food);
  }

  ENVPOOL_FN static void fly(State& s, const Params& p, i32 dx) {
    constexpr f32 kMix = 0.5f;
    const f32 width = f32(width_of(p));
    Mover& a = s.agent;
    a.vx = f32(0.9 * ((1 - kMix) * a.vx + kMix * kSpeed * f32(dx)));
    a.vy = f32(0.9 * ((1 - kMix) * a.vy + kMix * kSpeed * kRise));
    advance(a, false, [&](f32 vx, f32 vy) {
      const f32 x = a.x + vx, y = a.y + vy, inside = kHalf * kInside;
      const bool blocked = !(x - inside >= 0 && x + inside < width && y - inside >= 0 && y + inside < kHeight);
      a.x = blocked && vx != 0 ? stopped(x, kHalf, vx) : x;
      a.y = blocked && vx == 0 ? stopped(y, kHalf, vy) : y;
      return blocked;
    });
  }

  // What the robot and keys touch. The things that came last are first.
  ENVPOOL_FN static void meet(State& s, f32& reward, bool& done, bool& complete) {
    for (i32 i = s.count - 1; i >= 0; --i) {
      Thing& thing = s.thing[i];
      if (thing.type == kKey) open(s, thing);
      if (!touches_agent(s, thing)) continue;
      if (thing.type == kFruit || thing.type == kFood) {
        reward += thing.type == kFruit ? 1.0f : -4.0f;
        thing.gone = true;
      } else if (thing.type == kWall || thing.type == kDoor) {
        done = true;
      } else if (thing.type == kPresent) {
        reward += 10;
        done = complete = true;
      }
    }
  }

  // A key opens the door of a lock that it touches. Walls stop it.
  ENVPOOL_FN static void open(State& s, Thing& key) {
    for (i32 i = s.count - 1; i >= 0 && !key.gone; --i) {
      Thing& thing = s.thing[i];
      if (thing.gone || (thing.type != kWall && thing.type != kLock) || !touch(key, thing)) continue;
      key.gone = true;
      if (thing.type == kWall) continue;
      thing.gone = true;
      for (i32 k = 0; k < s.count; ++k) {
        if (s.thing[k].type != kDoor || fabs(s.thing[k].y - thing.y) >= 1) continue;
        s.thing[k].gone = true;
        break;
      }
    }
  }

  ENVPOOL_FN static void remove_things(State& s, const Params& p) {
    const f32 width = f32(width_of(p));
    i32 kept = 0;
    for (i32 i = 0; i < s.count; ++i) {
      const Thing& thing = s.thing[i];
      const bool outside = thing.x + thing.half_width < 0 || thing.y + thing.half_height < 0 ||
                           thing.x - thing.half_width > width || thing.y - thing.half_height > kHeight;
      if (thing.gone || outside) continue;
      if (kept != i) s.thing[kept] = thing;
      ++kept;
    }
    s.count = kept;
  }

  ENVPOOL_FN static i32 picture_of(const Params& p, const Thing& thing) {
    const i32 theme = p.restrict_themes ? 0 : thing.theme;
    switch (thing.type) {
      case kWall: return kWallPicture;
      case kKey: return kKeyPicture;
      case kFood: return kFoodPicture + theme;
      case kFruit: return kFruitPicture + theme;
      case kDoor: return kDoorPicture;
      case kLock: return kLockPicture;
      case kPresent: return kPresentPicture + min(theme, kPresentThemes - 1);
      default: return kAgentPicture;
    }
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    const Art& art = art_of(p);
    const Mover& a = s.agent;
    const i32 width = width_of(p);
    const f32 middle = f32(width / 2.0), center = f32(a.y + width / 2.0 - 2 * kHalf);
    const View view =
        p.center_agent ? View(f32(width), middle, center, kPixels) : View(kHeight, middle, kHeight * 0.5f, kPixels);
    canvas.fill({0, 0, kPixels, kPixels}, kBlack);
    if (p.use_backgrounds) draw_squares(canvas, art, art.image[kBackground + s.background], view, width);
    if (p.center_agent) {
      const f32 margin = f32(width / 2.0 + 1);
      const CellRange range{i32(middle - margin), i32(middle + margin), i32(center - margin), i32(center + margin)};
      draw_walls<kMostCells>(canvas, p, view, kWallPicture, color_of(kOutside, 0), range,
                             [&](i32 x, i32 y) { return u32(x) >= u32(width) || u32(y) >= u32(kHeight); });
    }
    for (i32 i = 0; i < s.count; ++i) {
      const Thing& thing = s.thing[i];
      const Rect rect = view.rect(thing.x - thing.half_width, thing.y + thing.half_height, 2 * thing.half_width,
                                  2 * thing.half_height);
      if (rect.y > kPixels || rect.y + rect.height < 0) continue;
      const i32 theme = p.restrict_themes ? 0 : thing.theme;
      const Image& image = art.image[picture_of(p, thing)];
      if (p.use_monochrome_assets) {
        canvas.fill(rect, color_of(thing.type, theme));
      } else if (thing.type == kWall || thing.type == kDoor) {
        draw_row_of_tiles(canvas, art, image, rect, thing.type == kWall ? 1.0f : kDoorShape);
      } else {
        canvas.draw(art, image, rect);
      }
    }
    const Rect rect = view.rect(a.x - kHalf, a.y + kHalf, 2 * kHalf, 2 * kHalf);
    if (p.use_monochrome_assets) {
      canvas.fill(rect, color_of(kAgentType, 0));
    } else {
      canvas.draw_turned(art, art.image[kAgentPicture], rect, kLeftTurn);
    }
    if (p.paint_vel_info) paint_velocity(canvas, a, kSpeed, kMostJump);
  }

  // Draws squares of a background above each other.
  template <i32 kPixels>
  ENVPOOL_FN static void draw_squares(Canvas<kPixels>& canvas, const Art& art, const Image& image, const View& view,
                                      i32 width) {
    const Rect world = view.rect(0, kHeight, f32(width), kHeight);
    const i32 squares = max(i32(world.height / world.width), 1);
    const f32 height = f32(world.height / squares);
    for (i32 i = 0; i < squares; ++i) {
      const f64 top = world.y + height * f32(i);
      if (top > kPixels || top + height < 0) continue;
      canvas.draw(art, image, {world.x, top, f64(f32(world.width)), height});
    }
  }
};

}  // namespace envpool::procgen
