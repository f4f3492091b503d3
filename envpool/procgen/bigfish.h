// SPDX-License-Identifier: Apache-2.0
//
// BigFish: a fish grows by eating smaller fish, and must avoid larger ones.
//
//   Action       i32, 0 to 2 left and down, left, left and up, 3 down, 4 nothing, 5 up, 6 to 8 the same to the right,
//                9 to 14 nothing
//   Observation  u8[3, 64, 64], RGB, of the whole sea
//   Reward       1 for each fish that is eaten, and 10 for the last of 30
//   Terminated   after 30 fish, and when the fish touches a larger one
//   Truncated    after 6000 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the place of the fish, the background, and the fish that come
//
// With distribution_mode "easy", the fish begins larger. Reference: see game.h.
#pragma once

#include "envpool/procgen/mover.h"

namespace envpool::procgen {

struct ProcgenBigfish : GameOf<ProcgenBigfish> {
  static constexpr const char* kName = "ProcgenBigfish";
  static constexpr const char* kModes[] = {"easy", "hard"};
  static constexpr const char* kActionsText = kMoves;
  static constexpr i32 kTimeLimit = 6000, kQuota = 30, kThemes = 3, kBackgrounds = 7;
  static constexpr i32 kMostFish = 64;  // one comes in 10 steps, and leaves after at most 160
  static constexpr f32 kCells = 20, kSmallest = 0.25f, kLargest = 2, kSpeed = 0.5f;

  // Types have the reference's numbers, which choose their colours if images are replaced by colours.
  enum Type : i32 { kAgentType = 0, kFishType = 2 };
  enum Picture : i32 { kAgent, kFish, kBackground = kFish + kThemes, kPictures = kBackground + kBackgrounds };

  struct Fish {
    f32 x, y, vx;
    f32 half_width, half_height;
    i32 theme;
  };
  struct State {
    Level level;
    Mover agent;
    f32 half;  // of the agent's side
    f32 background_part;
    i32 eaten;
    u8 background;
    bool reflected;
    i32 count;
    Fish fish[kMostFish];
    Twister random;
  };

#if ENVPOOL_HOST
  static void state_parts(StateParts<State>& parts) {
    parts.add("half", &State::half).add("eaten", &State::eaten).add("count", &State::count);
  }
#endif

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 move = move_of(action), dx = move / 3 - 1, dy = move % 3 - 1;
    const bool tie = s.random.bits() % 2 == 0;
    for (i32 i = 0; i < s.count; ++i) s.fish[i].x += s.fish[i].vx;
    swim(s, dx, dy, tie);
    f32 reward = 0;
    bool done = false;
    meet(s, p, reward, done);
    if (s.random.below(10) == 1) add_fish(s, p);
    const bool complete = s.eaten >= kQuota;
    if (complete) reward += 10;
    if (dx != 0) s.reflected = dx < 0;
    const StepEnd end = end_step(s.level, p, reward, done || complete, complete, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    repair_level(s.level);
    repair_mover(s.agent, kCells);
    s.random.repair();
    keep_within<u8>(s.background, 0, kBackgrounds - 1);
    keep_bool(s.reflected);
    keep_within(s.count, 0, kMostFish);
    for (Fish& fish : s.fish) keep_within(fish.theme, 0, kThemes - 1);
  }

 private:
  friend GameOf<ProcgenBigfish>;

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) {
    constexpr f32 kHalf = 0.4f;  // of the agent while its place is drawn
    s.random.seed(u32(s.level.seed));
    s.background_part = s.random.unit();
    s.background = u8(s.random.below(kBackgrounds));
    const f32 x = s.random.unit() * (kCells - 2 * kHalf) + kHalf;
    s.random.bits();  // a height, which is not used
    s.half = first_half(p);
    s.agent = {x, 1 + s.half, 0, 0};
    s.eaten = s.count = 0;
    s.reflected = false;
  }
  ENVPOOL_FN static f32 first_half(const Params& p) { return p.mode == kEasy ? 1.0f : 0.5f; }

  ENVPOOL_FN static void swim(State& s, i32 dx, i32 dy, bool tie) {
    constexpr f32 kMix = 0.5f;
    Mover& a = s.agent;
    a.vx = f32(0.9 * ((1 - kMix) * a.vx + kMix * kSpeed * f32(dx)));
    a.vy = f32(0.9 * ((1 - kMix) * a.vy + kMix * kSpeed * f32(dy)));
    advance_in_box(a, s.half, s.half, kCells, agent_sideways(a, tie, dx, dy));
  }

  // Eats fish and is eaten. The fish that came last are first. Fish that are eaten or have left are removed.
  ENVPOOL_FN static void meet(State& s, const Params& p, f32& reward, bool& done) {
    const f32 growth = (kLargest - first_half(p)) / kQuota;
    u64 gone = 0;
    for (i32 i = s.count - 1; i >= 0; --i) {
      const Fish& fish = s.fish[i];
      if (overlaps(fish.x - s.agent.x, fish.y - s.agent.y, fish.half_width + s.half, fish.half_height + s.half)) {
        if (fish.half_width > s.half) {
          done = true;
        } else {
          reward += 1;
          count_up(s.eaten);
          s.half += growth;
          gone |= u64{1} << i;
        }
      }
      if (fish.x + fish.half_width < 0 || fish.x - fish.half_width > kCells) gone |= u64{1} << i;
    }
    i32 kept = 0;
    for (i32 i = 0; i < s.count; ++i) {
      if ((gone >> i & 1) == 0) s.fish[kept++] = s.fish[i];
    }
    s.count = kept;
  }

  ENVPOOL_FN static void add_fish(State& s, const Params& p) {
    const f64 size = s.random.unit();
    const f64 power = size > 0 ? exp(1.4 * log(size)) : 0.0;
    const f32 half = f32((kLargest - kSmallest) * power + kSmallest);
    const f32 y = s.random.unit() * (kCells - 2 * half);
    const bool to_the_right = s.random.unit() < 0.5;
    const f64 speed = 0.15 + s.random.unit() * 0.25;
    const i32 theme = s.random.below(kThemes);
    const Image image = art_of(p).image[kFish + (p.restrict_themes ? 0 : theme)];
    const f32 shape = f32(image.width * 1.0 / image.height);
    if (s.count < kMostFish) {
      s.fish[s.count++] = {
          to_the_right ? -half : kCells + half, y, f32(to_the_right ? speed : -speed), half, half / shape, theme};
    }
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    const Art& art = art_of(p);
    const View view(kCells, kCells / 2, kCells / 2, kPixels);
    draw_background(canvas, p, kBackground + s.background, view, i32(kCells), i32(kCells), s.background_part);
    const auto put = [&](i32 type, i32 picture, i32 theme, f32 x, f32 y, f32 wide, f32 high, bool reflected) {
      const Rect rect = view.rect(x - wide, y + high, 2 * wide, 2 * high);
      if (p.restrict_themes) theme = 0;
      if (p.use_monochrome_assets) {
        canvas.fill(rect, color_of(type, theme));
      } else {
        canvas.draw(art, art.image[picture + theme], rect, reflected);
      }
    };
    for (i32 i = 0; i < s.count; ++i) {
      const Fish& fish = s.fish[i];
      put(kFishType, kFish, fish.theme, fish.x, fish.y, fish.half_width, fish.half_height, fish.vx < 0);
    }
    put(kAgentType, kAgent, 0, s.agent.x, s.agent.y, s.half, s.half, s.reflected);
    if (p.paint_vel_info) paint_velocity(canvas, s.agent, kSpeed, kSpeed);
  }
};

}  // namespace envpool::procgen
