// SPDX-License-Identifier: Apache-2.0
//
// StarPilot: what comes in a level, and when.
#pragma once

#include "envpool/procgen/entity.h"

namespace envpool::procgen::starpilot {

// Types have the reference's numbers, which choose their colours if images are replaced by colours.
enum Type : u8 {
  kAgent = 0,
  kShot = 1,
  kBullet = 2,
  kTurretBullet = 3,
  kFlyer = 4,
  kMeteor = 5,
  kCloud = 6,
  kTurret = 7,
  kFastFlyer = 8,
  kFinish = 9,
  kTypes = 9  // that come by chance
};

inline constexpr i32 kShips = 7, kMeteors = 8, kClouds = 9, kTurrets = 2, kFinishes = 4, kBackgrounds = 13;
inline constexpr i32 kFinishTime = 500;
inline constexpr f32 kPi = 3.14159265358979323846f, kCells = 16, kSpeedUnit = 2.0f / 5.0f, kSlow = 0.5f;
inline constexpr i32 kMostGroup = 5, kLeastPause = 10, kPauses = 20;
inline constexpr i32 kMostComers = kMostGroup * kFinishTime / kLeastPause;
inline constexpr i32 kMost = 256;  // entities at the same time; each is seen for about 100 steps at most

ENVPOOL_FN constexpr bool is_ship(i32 type) { return type == kFlyer || type == kFastFlyer; }

// What comes into the world at a certain time.
struct Comer {
  f32 y, vx, vy;
  i16 time;
  u8 type, theme;
  u8 period;  // of an Entity
  bool from_left;
};

struct State {
  Level level;
  Mover agent;
  u8 background;
  i32 left;                  // of those who come
  Comer comer[kMostComers];  // the next one is the last
  Entities<kMost> things;
  Twister random;
};

ENVPOOL_FN constexpr f32 half_of(i32 type) {
  return type == kTurret || type == kMeteor || type == kCloud ? 2.0f : 0.5f;
}
ENVPOOL_FN constexpr f32 bullet_half(Mode mode) { return mode == kExtreme ? 0.2f : 0.4f; }
ENVPOOL_FN constexpr f32 agent_speed(Mode mode) { return mode == kExtreme ? 0.5f : 0.75f; }

// Returns how fast a type is, in units of kSpeedUnit.
ENVPOOL_FN constexpr f32 speed_of(i32 type, Mode mode) {
  switch (type) {
    case kFlyer: return mode == kEasy ? 0.75f : 1.0f;
    case kBullet: return mode == kEasy ? 1.25f : 2.0f;
    case kFastFlyer: return 1.5f;
    case kShot:
    case kTurretBullet: return 2;
    default: return 1;
  }
}
ENVPOOL_FN constexpr i32 health_of(i32 type, Mode mode) {
  switch (type) {
    case kFlyer: return mode == kExtreme ? 5 : 2;
    case kFastFlyer: return mode == kExtreme ? 2 : 1;
    case kTurret: return mode == kExtreme ? 10 : 5;
    case kMeteor: return 500;
    default: return 0;
  }
}
// Returns how often a type comes.
ENVPOOL_FN constexpr f32 weight_of(i32 type, Mode mode) {
  return type == kFlyer ? 3.0f : type > kFlyer && mode != kEasy ? 1.0f : 0.0f;
}

// Sorts by time, the latest first. Those of the same time are in the order in which libstdc++'s std::sort leaves them,
// which is a quicksort of parts of more than 16, and then an insertion sort.
class Sorter {
 public:
  ENVPOOL_FN explicit Sorter(Comer* at) : at_(at) {}

  ENVPOOL_FN void sort(i32 count) {
    constexpr i32 kMostParts = 16;
    i32 begin[kMostParts], end[kMostParts], parts = 1;
    begin[0] = 0;
    end[0] = count;
    while (parts > 0) {
      const i32 first = begin[--parts];
      i32 last = end[parts];
      while (last - first > kSmallPart) {
        const i32 cut = split(first, last);
        if (parts < kMostParts) {
          begin[parts] = cut;
          end[parts++] = last;
        }
        last = cut;
      }
    }
    for (i32 i = 1; i < count; ++i) insert(i);
  }

 private:
  static constexpr i32 kSmallPart = 16;

  ENVPOOL_FN bool before(i32 i, i32 k) const { return at_[i].time > at_[k].time; }
  ENVPOOL_FN void swap(i32 i, i32 k) {
    const Comer other = at_[i];
    at_[i] = at_[k];
    at_[k] = other;
  }
  // Splits a part around the median of three of its elements.
  ENVPOOL_FN i32 split(i32 first, i32 last) {
    const i32 a = first + 1, b = first + (last - first) / 2, c = last - 1;
    const bool ab = before(a, b), ac = before(a, c), bc = before(b, c);
    swap(first, ab ? (bc ? b : ac ? c : a) : (ac ? a : bc ? c : b));
    i32 low = first + 1, high = last;
    for (;;) {
      while (low < last && before(low, first)) ++low;
      --high;
      while (high > first && before(first, high)) --high;
      if (low >= high) return low;
      swap(low++, high);
    }
  }
  ENVPOOL_FN void insert(i32 i) {
    const Comer comer = at_[i];
    for (; i > 0 && comer.time > at_[i - 1].time; --i) at_[i] = at_[i - 1];
    at_[i] = comer;
  }

  Comer* at_;
};

class LevelMaker {
 public:
  ENVPOOL_FN LevelMaker(State& s, const GameParams& p) : s_(s), random_(s.random), mode_(p.mode) {
    random_.seed(u32(s.level.seed));
  }

  ENVPOOL_FN void make() {
    constexpr f32 kHalf = 0.4f;
    random_.bits();  // a part of the background, which is not used
    s_.background = u8(random_.below(kBackgrounds));
    const f32 x = random_.unit() * (kCells - 2 * kHalf) + kHalf, y = random_.unit() * (kCells - 2 * kHalf) + kHalf;
    s_.agent = {x, y, 0, 0};
    s_.things.count = s_.left = 0;
    f32 weights = 0;
    for (i32 type = kBullet; type < kTypes; ++type) weights += weight_of(type, mode_);
    for (i32 time = 1 + pause(); time <= kFinishTime; time += pause()) add_group(time, weights);
    Sorter(s_.comer).sort(s_.left);
    random_.bits();  // an image of the agent, of which there is one
  }

 private:
  ENVPOOL_FN i32 pause() { return kLeastPause + random_.below(kPauses); }

  ENVPOOL_FN void add_group(i32 time, f32 weights) {
    f32 weight = random_.unit() * weights;
    i32 type = kBullet;
    while (type < kTypes && (weight -= weight_of(type, mode_)) > 0) ++type;
    type = min(type, kTypes - 1);
    const i32 size = is_ship(type) ? random_.below(kMostGroup) + 1 : 1;
    const i32 theme = is_ship(type) ? random_.below(kShips) : 0;
    const f32 half = half_of(type);
    const f32 y = (kCells - 2 * half) * random_.unit() + half;
    for (i32 i = 0; i < size; ++i) add(time + 5 * i, type, theme, y);
  }

  ENVPOOL_FN void add(i32 time, i32 type, i32 theme, f32 y) {
    const bool slow = type == kMeteor || type == kCloud || type == kTurret;
    i32 period = 10 + random_.below(90);
    f32 angle = f32((random_.unit() - 0.5) * (2 * kPi / 4));
    if (random_.below(2) == 1 || slow) angle = 0;
    if (type == kTurret) period = 20 + random_.below(10);
    if (type == kMeteor || type == kCloud) period = 0;
    const f32 speed = (slow ? kSlow : speed_of(type, mode_)) * kSpeedUnit;
    const SinCos<f64> direction = sincos(f64(angle));
    f32 vx = f32(-1 * direction.cos * speed);
    const f32 vy = f32(direction.sin * speed);
    const bool from_left = is_ship(type) && random_.unit() > 0.9f && mode_ != kEasy;
    if (from_left) vx *= -1;
    const i32 themes = type == kCloud ? kClouds : type == kMeteor ? kMeteors : type == kTurret ? kTurrets : 0;
    if (themes > 0) theme = random_.below(themes);
    if (s_.left < kMostComers) {
      s_.comer[s_.left++] = {y, vx, vy, i16(time), u8(type), u8(theme), u8(period), from_left};
    }
  }

  State& s_;
  Twister& random_;
  Mode mode_;
};

}  // namespace envpool::procgen::starpilot
