// SPDX-License-Identifier: Apache-2.0
//
// Jumper: a rabbit looks for a carrot in a cave, past spiked men. It can jump again in the air. A compass shows the
// way.
//
//   Action       i32, 0 left, 1 left, 2 left and up (a jump), 3 and 4 nothing, 5 up, 6 right, 7 right, 8 right and
//                up, 9 to 14 nothing
//   Observation  u8[3, 64, 64], RGB, of 16 by 16 cells around the rabbit, or 12 by 12 with distribution_mode "easy";
//                with center_agent=False of the whole cave
//   Reward       10 at the carrot
//   Terminated   at the carrot, and when the rabbit touches a spiked man
//   Truncated    after 1000 steps, or 2000 with distribution_mode "memory"
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the cave, all places and the pictures
//
// The cave has 20 by 20 cells with distribution_mode "easy", 40 by 40 with "hard", and with "memory" 45 by 45, without
// spiked men and compass. Reference: see game.h.
#pragma once

#include "envpool/procgen/compass.h"
#include "envpool/procgen/jumper_level.h"

namespace envpool::procgen {

struct ProcgenJumper : GameOf<ProcgenJumper> {
  static constexpr const char* kName = "ProcgenJumper";
  static constexpr const char* kModes[] = {"easy", "hard", "memory", "exploration"};
  static constexpr const char* kActionsText =
      "0 left, 1 left, 2 left and up, 3 nothing, 4 nothing, 5 up, 6 right, 7 right, 8 right and up, 9 to 14 "
      "nothing";
  static constexpr i32 kExplorationSeed = jumper::kExplorationSeed;
  static constexpr i32 kPictures = jumper::kPictures, kBackground = jumper::kBackground;

  using State = jumper::State;

#if ENVPOOL_HOST
  static u64 identity(const Params& p) { return u64(jumper::side_of(p)); }
  static void state_parts(StateParts<State>& parts) {
    parts.add("cell", &State::cell).add("goal_x", &State::goal_x).add("goal_y", &State::goal_y);
  }
#endif

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    using namespace jumper;
    const i32 limit = time_limit(p), now = clamp(s.level.time + 1, 0, limit);
    Runner& a = s.agent;
    const auto wall_at = [&](f32 x, f32 y) { return is_wall(cells_of(s, p).at_point(x, y)); };
    const i32 move = move_of(action);
    a.dx = move / 3 - 1;
    a.has_support = stands(a.at, kHalfWidth, kHalfHeight, wall_at);
    if (a.has_support) s.jumps_left = 2;
    s.jumps = move % 3 == 2 && s.jumps_left > 0 && now - s.jumped > kJumpPause;
    if (s.jumps) {
      --s.jumps_left;
      s.jumped = now;
    }
    run(a.at, a.dx, kMix);
    if (s.jumps) a.at.vy = kSpeedOfJumps;
    advance(a.at, agent_sideways(a.at, s.ties[now], a.dx, s.jumps), [&](f32 vx, f32 vy) {
      return move_in_cells(a.at, kHalfWidth, kHalfHeight, vx, vy,
                           [&](f32 x, f32 y) { return wall_at(x, y) ? kBlocks : kPasses; });
    });
    const bool complete =
        overlaps(s.goal_x + 0.5f - a.at.x, s.goal_y + 0.5f - a.at.y, kHalf + kHalfWidth, kHalf + kHalfHeight);
    const bool done = complete || touches_spikes(s, p);
    a.look();
    leave_trail(s, now);
    if (a.at.vy > -2) a.at.vy -= kFall;
    const StepEnd end = end_step(s.level, p, complete ? 10.0f : 0.0f, done, complete, limit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    using namespace jumper;
    repair_level(s.level);
    repair_runner(s.agent, f32(side_of(p)));
    keep_within(s.jumps_left, 0, 2);
    keep_within(s.jumped, 0, kMostSteps);
    keep_bool(s.jumps);
    keep_within<u8>(s.background, 0, kBackgrounds - 1);
    keep_within<u8>(s.wall_theme, 0, kGrounds - 1);
    keep_within(s.level.time, 0, time_limit(p));
  }

 private:
  friend GameOf<ProcgenJumper>;

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) { jumper::LevelMaker(s, p).make(); }

  ENVPOOL_FN static bool touches_spikes(const State& s, const Params& p) {
    using namespace jumper;
    const Mover& a = s.agent.at;
    const i32 column = i32(a.x), row = i32(a.y);
    for (i32 x = column - 1; x <= column + 1; ++x) {
      for (i32 y = row - 1; y <= row + 1; ++y) {
        if (cells_of(s, p).at(x, y) != kSpikes) continue;
        if (overlaps(x + 0.5f - a.x, y + kSpikesHalfHeight - a.y, kSpikesHalfWidth + kHalfWidth,
                     kSpikesHalfHeight + kHalfHeight)) {
          return true;
        }
      }
    }
    return false;
  }

  ENVPOOL_FN static void leave_trail(State& s, i32 now) {
    using namespace jumper;
    const Mover& a = s.agent.at;
    const bool leaves = fabs(a.vx) + fabs(a.vy) > 0.05;
    s.trails = i32((u32(s.trails) << 1 | u32(leaves)) & ((1u << kTrailSteps) - 1));
    s.trail_x[now % kTrailSteps] = a.x;
    s.trail_y[now % kTrailSteps] = f32(a.y - kHalfHeight * 0.5);
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    using namespace jumper;
    const i32 side = side_of(p);
    const Mover& a = s.agent.at;
    const bool follows = p.center_agent;
    const f32 visible = !follows ? f32(side) : p.mode == kEasy ? 12.0f : 16.0f, middle = f32(side * 0.5);
    const View view = follows ? View(visible, a.x, a.y, kPixels) : View(visible, middle, middle, kPixels);
    Scene<kPixels> scene(p, canvas, view);
    scene.background(kBackground + s.background, side, side, s.background_part);
    const Window window = follows ? window_around(a.x, a.y, visible) : Window{0, side - 1, 0, side - 1};
    scene.template cells<kMostSide>(
        window,
        [&](i32 i, i32 k) -> Look {
          const i32 type = cells_of(s, p).at(i, k);
          if (type == kWall) return {kWallPicture, kWall, s.wall_theme};
          if (type == kWallTop) return {kWallTopPicture, kWallTop, s.wall_theme};
          return {kNoPicture, kSpace};
        },
        kWallPicture);
    scene.object({kGoalPicture, kGoal}, s.goal_x + 0.5f, s.goal_y + 0.5f, kHalf, kHalf);
    draw_spikes(s, p, window, scene);
    for (i32 age = kTrailSteps - 1; age >= 0; --age) {
      const i32 slot = (s.level.time - age + kTrailSteps) % kTrailSteps;
      if ((u32(s.trails) >> age & 1) != 0)
        draw_trail(scene, {kTrailPicture, kTrail}, s.trail_x[slot], s.trail_y[slot], age);
    }
    scene.object(look_of_agent(s), a.x, a.y, kHalfWidth, kHalfHeight, s.agent.reflected);
    if (p.paint_vel_info) paint_velocity(canvas, a, kRunSpeed, kRunSpeed);
    if (p.mode != kMemory) {
      draw_compass(canvas, view, p.mode == kEasy ? 3.0f : 2.0f, s.goal_x + 0.5f - a.x, s.goal_y + 0.5f - a.y, side);
      if (s.jumps && !s.agent.has_support) draw_puff(canvas, view, a);
    }
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw_spikes(const State& s, const Params& p, const Window& window, Scene<kPixels>& scene) {
    using namespace jumper;
    for (i32 y = max(window.bottom, 0); y <= min(window.top, side_of(p) - 1); ++y) {
      for (i32 x = max(window.left, 0); x <= min(window.right, side_of(p) - 1); ++x) {
        if (s.cell[y][x] != kSpikes) continue;
        scene.object({kSpikesPicture, kSpikes}, x + 0.5f, y + kSpikesHalfHeight, kSpikesHalfWidth, kSpikesHalfHeight);
      }
    }
  }

  ENVPOOL_FN static Look look_of_agent(const State& s) {
    using namespace jumper;
    const Runner& a = s.agent;
    if (a.is_still()) return {kStandPicture, kStand};
    const bool first = a.shows_first(s.level.time);
    const i32 type = (a.reflected ? kWalkLeft : kWalkRight) + !first;
    return {first ? kWalkPicture : kWalkMovedPicture, type};
  }

  // Draws the air below a rabbit that jumps from it.
  template <i32 kPixels>
  ENVPOOL_FN static void draw_puff(Canvas<kPixels>& canvas, const View& view, const Mover& a) {
    using namespace jumper;
    const Rect r = view.rect(a.x - kHalfWidth, a.y + kHalfHeight, 2 * kHalfWidth, 2 * kHalfHeight);
    draw_translucent_ellipse(canvas, i32(r.x), i32(r.y + r.height * (5.0 / 6)), i32(r.width), i32(r.height / 3));
  }
};

}  // namespace envpool::procgen
