// SPDX-License-Identifier: Apache-2.0
//
// PointRobot: the agent has to move a point to an invisible goal on a half circle. When the point reaches the goal, it
// is moved to a random start.
//
//   Action       f32[2], displacement in x and y, clipped to [-max_force, max_force]
//   Observation  f32[6]: x and y; the last reward; the last action before clipping; and the number of steps. With
//                `normalize_time`, it is scaled linearly, so that 0 becomes -1 and 100 becomes 1
//   Reward       1 if the point was within goal_radius of the goal before the step, else 0; with `dense_reward`, the
//                negative distance from the goal before the step
//   Terminated   never; if the point is within goal_radius of the goal, the next step moves it to a new start,
//                regardless of the action
//   Truncated    after 100 steps
//   Reset        the goal is on the circle of circle_radius, at a uniformly random angle in [0, pi). The start is at a
//                uniformly random angle in [0, pi) and a uniformly random radius up to circle_radius, or with
//                `center_init` at (0, 0). New starts within an episode are drawn in the same way
//
// R. Dorfman, I. Shenfeld, A. Tamar, "Offline meta reinforcement learning" (2021). Reference: gymnax 1.0.1 (and 0.0.9),
// misc/point_robot.py.
#pragma once

#include "envpool/core/api.h"
#include "envpool/misc/clock.h"
#if ENVPOOL_HOST
#include "envpool/core/canvas.h"
#endif

namespace envpool::misc {

struct PointRobot {
  static constexpr const char* kName = "PointRobot";
  static constexpr i32 kPixels = 400;  // side of an image

  struct Params {
    f32 max_force, circle_radius, goal_radius;
    bool dense_reward, center_init, normalize_time;
  };
  struct State {
    f32 pos[2], goal[2];
    f32 last_action[2], last_reward;
    i32 goals_reached, time;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.real("max_force", 0.1, "largest change of x and of y in a step").between(1e-6, 1e6).sets(&Params::max_force);
    o.real("circle_radius", 1, "radius of the half circle").between(0, 1e6).sets(&Params::circle_radius);
    o.boolean("dense_reward", false, "the reward is the negative distance from the goal").sets(&Params::dense_reward);
    o.real("goal_radius", 0.2, "distance at which the goal is reached").between(0, 1e6).sets(&Params::goal_radius);
    o.boolean("center_init", false, "start at (0, 0) instead of a random position").sets(&Params::center_init);
    o.boolean("normalize_time", true, "observe the scaled time instead of the number of steps")
        .sets(&Params::normalize_time);
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<f32>("obs", {6}).doc("x, y, last reward, last action in x and y, time");
    s.action<f32>("action", {2}).bounds(-p.max_force, p.max_force).doc("displacement in x and y");
    s.reward_low = p.dense_reward ? -kInfinity : 0;
    s.reward_high = p.dense_reward ? 0 : 1;
    s.render_height = s.render_width = kPixels;
  }
  static void render(const State& s, const Params& p, u8* rgb) {  // the circle, with a margin of half its radius
    drawing::Canvas canvas(rgb, kPixels, kPixels);
    const f64 radius = max(f64(p.circle_radius), 1e-3), scale = kPixels / (3 * radius), middle = kPixels / 2.0;
    const auto at = [=](f64 x, f64 y) { return drawing::Point{middle + x * scale, middle + y * scale}; };
    const drawing::Point goal = at(s.goal[0], s.goal[1]), me = at(s.pos[0], s.pos[1]);
    canvas.disc(goal.x, goal.y, p.goal_radius * scale, drawing::kGoal);
    constexpr i32 pieces = 40;
    for (i32 i = 0; i < pieces; ++i) {
      const auto one = sincos(kPi * i / pieces), next = sincos(kPi * (i + 1) / pieces);
      canvas.line(at(radius * one.cos, radius * one.sin), at(radius * next.cos, radius * next.sin), drawing::kWall);
    }
    canvas.disc(me.x, me.y, kPixels / 40.0, drawing::kAgent);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("pos", &State::pos)
        .add("goal", &State::goal)
        .add("last_action", &State::last_action)
        .add("last_reward", &State::last_reward)
        .add("goals_reached", &State::goals_reached)
        .add("time", &State::time);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {};
    const SinCos<f32> angle = sincos(f32(kPi) * rng.uniform_f32());
    s.goal[0] = p.circle_radius * angle.cos;
    s.goal[1] = p.circle_radius * angle.sin;
    draw_start(s, p, rng);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    const f32* const move = action.at<f32, 2>(0);
    const f32 x = s.goal[0] - s.pos[0], y = s.goal[1] - s.pos[1];
    const f32 distance = sqrt(x * x + y * y);
    const bool reached = distance <= p.goal_radius;
    for (i32 i = 0; i < 2; ++i) {
      s.last_action[i] = move[i];
      s.pos[i] += clamp(move[i], -p.max_force, p.max_force);
    }
    if (reached) draw_start(s, p, rng);
    s.last_reward = p.dense_reward ? -distance : reached ? 1.0f : 0.0f;
    count_up(s.goals_reached, reached);
    count_up(s.time);
    return {.reward = s.last_reward};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    f32* const obs = row.at<f32, 6>(0);
    obs[0] = s.pos[0];
    obs[1] = s.pos[1];
    obs[2] = s.last_reward;
    obs[3] = s.last_action[0];
    obs[4] = s.last_action[1];
    obs[5] = p.normalize_time ? scaled_time(s.time) : f32(s.time);
  }

 private:
  ENVPOOL_FN static void draw_start(State& s, const Params& p, Rng& rng) {
    s.pos[0] = s.pos[1] = 0;
    if (p.center_init) return;
    const f32 radius = p.circle_radius * rng.uniform_f32();
    const SinCos<f32> angle = sincos(f32(kPi) * rng.uniform_f32());
    s.pos[0] = radius * angle.cos;
    s.pos[1] = radius * angle.sin;
  }
};

}  // namespace envpool::misc
