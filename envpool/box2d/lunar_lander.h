// SPDX-License-Identifier: Apache-2.0
//
// LunarLander: land a rocket with two legs on a pad between two flags.
//
//   Action       i32, 0 to 3: no engine, the left one, the main one, the right one. With continuous = true, f32[2]: the
//                first number switches on the main engine if it is above 0, with 50% to 100% of its power; the second
//                one switches on a side engine if it is beyond +-0.5
//   Observation  f32[8]: x and y relative to the pad, in units of half the screen; velocity; angle in rad; angular
//                velocity; whether the left and the right leg touch the ground
//   Reward       the change of a potential, less 0.3 for the main engine at full power and 0.03 for a side engine; 100
//                for coming to rest, -100 for a crash or for leaving the screen. The potential is greatest at rest on
//                the pad, and 10 more for each leg that touches the ground
//   Terminated   the hull touches the ground; |x| >= 1; the lander has come to rest
//   Truncated    after 1000 steps
//   Reset        random heights of the ground apart from the pad, and a random impulse. As in gymnasium, the first
//                observation comes from a step without an engine.
//
// Reference: gymnasium 1.4.0, box2d/lunar_lander.py, with the package box2d 2.3.10.
#pragma once

#include "envpool/box2d/world.h"
#if ENVPOOL_HOST
#include "envpool/classic_control/draw.h"
#endif

namespace envpool::box2d {

struct LunarLander {
  static constexpr const char* kName = "LunarLander";
  static constexpr i32 kChunks = 11;
  static constexpr f64 kScale = 30, kFps = 50, kWidth = 600 / kScale, kHeight = 400 / kScale, kPadY = kHeight / 4;
  static constexpr f64 kLegAway = 20, kLegDown = 18, kMainPower = 13, kSidePower = 0.6;

  struct Params {
    f32 gravity;
    bool continuous, wind;
    f64 wind_power, turbulence_power;
  };

  struct State {
    WorldState<3, 2, 3 * kChunks> world;  // a body has at most one contact with each part of the ground
    f32 height[kChunks];                  // of the ground, every 2 m
    bool started;
    i32 wind_index, torque_index;
    f64 shaping;  // the potential of the last step
  };

  // The bodies are the hull and the legs. The ground is a horizontal line at 0, and the surface, which consists of ten
  // pieces. All of these are parts of one body.
  struct Scene {
    static constexpr i32 kBodies = 3, kHinges = 2, kContacts = 3 * kChunks;
    const f32* height;

    ENVPOOL_FN const Solid& solid(i32 body) const {
      static constexpr Solid hull_and_leg[2] = {box2d::solid(hull({{f32(-14 / kScale), f32(17 / kScale)},
                                                                   {f32(-17 / kScale), f32(0 / kScale)},
                                                                   {f32(-17 / kScale), f32(-10 / kScale)},
                                                                   {f32(17 / kScale), f32(-10 / kScale)},
                                                                   {f32(17 / kScale), f32(0 / kScale)},
                                                                   {f32(14 / kScale), f32(17 / kScale)}}),
                                                             5, 0.1f, 0),
                                                box2d::solid(rectangle(f32(2 / kScale), f32(8 / kScale)), 1, 0.2f, 0)};
      return hull_and_leg[body != 0];
    }
    ENVPOOL_FN HingeDef hinge(i32 index) const {
      const f32 side = index == 0 ? -1 : 1;
      return {.first = 0,
              .second = index + 1,
              .anchor_first = {0, 0},
              .anchor_second = {side * f32(kLegAway / kScale), f32(kLegDown / kScale)},
              .reference = side * 0.05f,
              .low = index == 0 ? f32(0.9 - 0.5) : f32(-0.9),
              .high = index == 0 ? f32(0.9) : f32(-0.9 + 0.5)};
    }
    template <class F>
    ENVPOOL_FN void nearby(const Box&, F f) const {
      for (i32 i = 0; i < kChunks; ++i) f(i);
    }
    ENVPOOL_FN bool is_segment(i32) const { return true; }
    ENVPOOL_FN Segment segment(i32 ground) const {
      if (ground == 0) return {{0, 0}, {f32(kWidth), 0}};
      return {{f32(2 * (ground - 1)), height[ground - 1]}, {f32(2 * ground), height[ground]}};
    }
    ENVPOOL_FN Polygon polygon(i32) const { return {}; }
    ENVPOOL_FN f32 ground_friction(i32 ground) const { return ground == 0 ? 0.2f : 0.1f; }
    ENVPOOL_FN i32 ground_body(i32) const { return 0; }
  };
  using Physics = Stepper<Scene>;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.boolean("continuous", false, "actions are the power of the main and of the side engines")
        .changes_shapes()
        .sets(&Params::continuous);
    o.real("gravity", -10, "gravity in m/s^2; negative is down").between(-12, 0).sets(&Params::gravity);
    o.boolean("enable_wind", false, "a wind pushes and turns the lander until a leg touches the ground")
        .sets(&Params::wind);
    o.real("wind_power", 15, "the largest force of the wind in N").between(0, 20).sets(&Params::wind_power);
    o.real("turbulence_power", 1.5, "the largest torque of the wind in N m")
        .between(0, 2)
        .sets(&Params::turbulence_power);
  }
  static void spec(const Params& p, Spec& s) {
    const f64 turn = f32(2 * kPi);
    s.obs<f32>("obs", {8})
        .bounds({-2.5, -2.5, -10, -10, -turn, -10, 0, 0}, {2.5, 2.5, 10, 10, turn, 10, 1, 1})
        .doc("x, y, their velocities, angle, angular velocity, contact of the legs");
    if (p.continuous) {
      s.action<f32>("action", {2}).bounds(-1, 1).doc("main engine, side engines");
    } else {
      s.action<i32>().categories(4).doc("nothing, left engine, main engine, right engine");
    }
    s.render_fps = 50;
    s.render_height = 400;
    s.render_width = 600;
  }
  static void render(const State& s, const Params&, u8* rgb) {
    using classic_control::Canvas;
    using classic_control::Point;
    Canvas canvas(rgb, 600, 400);
    const auto pixel = [](Vec at) { return Point{at.x * kScale, at.y * kScale}; };
    canvas.polygon({{0, 0}, {600, 0}, {600, 400}, {0, 400}}, {0, 0, 0});
    for (i32 i = 0; i + 1 < kChunks; ++i) {
      const f32 left = f32(2 * i), right = f32(2 * i + 2);
      canvas.polygon(
          {pixel({left, -1}), pixel({right, -1}), pixel({right, s.height[i + 1]}), pixel({left, s.height[i]})},
          {255, 255, 255});
    }
    const Scene scene{s.height};
    for (i32 b = 0; b < 3; ++b) {
      const Polygon& shape = scene.solid(b).shape;
      const auto corner = [&](i32 i) { return pixel(to_world(s.world.body[b].pose, shape.vertex[i % shape.count])); };
      for (i32 i = 2; i < shape.count; ++i) canvas.polygon({corner(0), corner(i - 1), corner(i)}, {128, 102, 230});
      for (i32 i = 0; i < shape.count; ++i) canvas.line(corner(i), corner(i + 1), {77, 77, 128});
    }
    for (const f32 x : {8.0f, 12.0f}) {
      const Point foot = pixel({x, f32(kPadY)});
      canvas.line(foot, {foot.x, foot.y + 50}, {255, 255, 255});
      canvas.polygon({{foot.x, foot.y + 50}, {foot.x, foot.y + 40}, {foot.x + 25, foot.y + 45}}, {204, 204, 0});
    }
  }
#endif

  template <class Draws>
  ENVPOOL_FN static void reset(State& s, const Params& p, Draws& draws) {
    f64 height[kChunks + 1];
    for (f64& h : height) h = draws.uniform(0.0, kHeight / 2);
    for (i32 i = kChunks / 2 - 2; i <= kChunks / 2 + 2; ++i) height[i] = kPadY;
    for (i32 i = 0; i < kChunks; ++i) {
      s.height[i] = f32(0.33 * (height[i == 0 ? kChunks : i - 1] + height[i] + height[i + 1]));
    }
    const Scene scene{s.height};
    constexpr f32 x = f32(kWidth / 2), y = f32(kHeight);
    place(s.world.body[0], scene.solid(0), {x, y}, 0);
    Load load{};
    load.force.x = f32(draws.uniform(-1000.0, 1000.0));
    load.force.y = f32(draws.uniform(-1000.0, 1000.0));
    s.wind_index = s.torque_index = 0;
    if (p.wind) {
      s.wind_index = i32(draws.below(19998)) - 9999;
      s.torque_index = i32(draws.below(19998)) - 9999;
    }
    for (i32 i = 0; i < 2; ++i) {
      const i32 side = i == 0 ? -1 : 1;
      place(s.world.body[i + 1], scene.solid(i + 1), {f32(kWidth / 2 - side * kLegAway / kScale), y}, f32(side * 0.05));
      s.world.hinge[i] = {};
      s.world.hinge[i].motor_speed = f32(0.3 * side);
      s.world.hinge[i].motor_torque = 40;
    }
    Physics::begin(s.world, scene);
    s.started = false;
    s.shaping = 0;
    advance(s, p, Thrust{0, 0, 0}, load, draws);
  }

  template <class Draws>
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Draws& draws) {
    return advance(s, p, thrust_of(p, action), {}, draws);
  }

#if ENVPOOL_SIMD
  static constexpr int kGroup = box2d::kGroup;
  static void step_group(State* const* states, int count, const Params* const* params, const ActionRow* actions,
                         Rng* const* rngs, Outcome* outcomes) {
    typename Physics::Member members[kGroup] = {};
    Thrust thrusts[kGroup];
    for (int i = 0; i < count; ++i) {
      const Params& p = *params[i];
      thrusts[i] = thrust_of(p, actions[i]);
      const Load load = use_engines(*states[i], p, thrusts[i], {}, *rngs[i]);
      members[i] = {&states[i]->world, {states[i]->height}, {0, p.gravity}, {load, {}, {}}};
    }
    Physics::step_group(members, count, kStepSize);
    for (int i = 0; i < count; ++i) outcomes[i] = outcome(*states[i], thrusts[i]);
  }
#endif

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) {
    f64 values[8];
    describe(s, values);
    f32* const obs = row.at<f32, 8>(0);
    for (i32 i = 0; i < 8; ++i) obs[i] = f32(values[i]);
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    box2d::repair(s.world, kChunks);
    keep_bool(s.started);
  }

 private:
  // Computes the observation in double precision.
  ENVPOOL_FN static void describe(const State& s, f64 (&values)[8]) {
    const Body& hull = s.world.body[0];
    values[0] = (hull.pose.at.x - kWidth / 2) / (kWidth / 2);
    values[1] = (hull.pose.at.y - (kPadY + kLegDown / kScale)) / (kHeight / 2);
    values[2] = hull.velocity.x * (kWidth / 2) / kFps;
    values[3] = hull.velocity.y * (kHeight / 2) / kFps;
    values[4] = hull.angle;
    values[5] = 20.0 * hull.spin / kFps;
    values[6] = s.world.grounded[1] ? 1 : 0;
    values[7] = s.world.grounded[2] ? 1 : 0;
  }

  // Returns the strength of the wind or of the turbulence, in [-1, 1]. It is not a periodic function of the index.
  ENVPOOL_FN static f64 gust(i32 index) { return tanh(sin(0.02 * index) + sin(kPi * 0.01 * index)); }

  static constexpr StepSize kStepSize{f32(1 / kFps), 180, 60};

  // The power of the main engine and of a side engine, and the direction of the latter.
  struct Thrust {
    f64 main, side, direction;
  };

  ENVPOOL_FN static Thrust thrust_of(const Params& p, ActionRow action) {
    Thrust thrust{0, 0, 0};
    if (p.continuous) {
      const f32* const levels = action.at<f32, 2>(0);
      const f64 up = clamped(levels[0], -1, 1), sideways = clamped(levels[1], -1, 1);
      if (up > 0) thrust.main = (up + 1) * 0.5;
      if (sideways > 0.5 || sideways < -0.5) {
        thrust.side = fabs(sideways);
        thrust.direction = sideways > 0 ? 1 : -1;
      }
    } else {
      const i32 engine = *action.at<i32>(0);
      thrust.main = engine == 2 ? 1 : 0;
      thrust.side = engine == 1 || engine == 3 ? 1 : 0;
      thrust.direction = engine - 2;
    }
    return thrust;
  }

  // Uses the engines and steps the world. `load` acts in addition to gravity.
  template <class Draws>
  ENVPOOL_FN static Outcome advance(State& s, const Params& p, const Thrust& thrust, Load load, Draws& draws) {
    const Load loads[3] = {use_engines(s, p, thrust, load, draws), {}, {}};
    Physics::step(s.world, Scene{s.height}, kStepSize, {0, p.gravity}, loads);
    return outcome(s, thrust);
  }

  // Applies the engines' impulses. Adds the wind to `load` and returns it.
  template <class Draws>
  ENVPOOL_FN static Load use_engines(State& s, const Params& p, const Thrust& thrust, Load load, Draws& draws) {
    Body& hull = s.world.body[0];
    const Solid& solid = Scene{s.height}.solid(0);
    if (p.wind && !(s.world.grounded[1] || s.world.grounded[2])) {
      wake(hull);
      load.force.x += f32(gust(s.wind_index) * p.wind_power);
      load.torque += f32(gust(s.torque_index) * p.turbulence_power);
      count_up(s.wind_index);
      count_up(s.torque_index);
    }
    const auto [sine, cosine] = sincos(f64(hull.angle));
    const f64 first = draws.uniform(-1.0, 1.0) / kScale, second = draws.uniform(-1.0, 1.0) / kScale;
    const Vec origin = hull.pose.at;
    if (thrust.main > 0) {
      const f64 along = 4 / kScale + 2 * first;
      const f64 x = sine * along + -cosine * second, y = -cosine * along - sine * second;
      push(hull, solid, {f32(-x * kMainPower * thrust.main), f32(-y * kMainPower * thrust.main)},
           {f32(origin.x + x), f32(origin.y + y)});
    }
    if (thrust.side > 0) {
      const f64 across = 3 * second + thrust.direction * 12 / kScale;
      const f64 x = sine * first + -cosine * across, y = -cosine * first - sine * across;
      push(hull, solid, {f32(-x * kSidePower * thrust.side), f32(-y * kSidePower * thrust.side)},
           {f32(origin.x + x - sine * 17 / kScale), f32(origin.y + y + cosine * 14 / kScale)});
    }
    return load;
  }

  ENVPOOL_FN static Outcome outcome(State& s, const Thrust& thrust) {
    const Body& hull = s.world.body[0];
    f64 v[8];
    describe(s, v);
    const f64 shaping = -100 * sqrt(v[0] * v[0] + v[1] * v[1]) - 100 * sqrt(v[2] * v[2] + v[3] * v[3]) -
                        100 * fabs(v[4]) + 10 * v[6] + 10 * v[7];
    f64 reward = s.started ? shaping - s.shaping : 0;
    s.shaping = shaping;
    s.started = true;
    reward -= thrust.main * 0.30;
    reward -= thrust.side * 0.03;
    const bool lost = s.world.crashed || fabs(v[0]) >= 1;
    if (lost) reward = -100;
    if (!hull.awake) reward = 100;
    return {.reward = f32(reward), .terminated = lost || !hull.awake};
  }
};

}  // namespace envpool::box2d
