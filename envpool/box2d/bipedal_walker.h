// SPDX-License-Identifier: Apache-2.0
//
// BipedalWalker: a robot with two legs walks over uneven ground; in the hardcore version over stumps, pits and stairs.
//
//   Action       f32[4]: the torques at the hip and the knee of the first leg, then at those of the second leg, as
//                fractions of the largest torque
//   Observation  f32[24]: angle, angular velocity and velocity of the hull; for each leg, the angle and speed of the
//                hip, the angle and speed of the knee, and whether the foot touches the ground; and ten distances to
//                the ground, as fractions of 5.3 m, or 1 if there is no ground within 5.3 m
//   Reward       the progress to the right, up to about 300 for the whole way, less 5 times the change of the hull's
//                angle in rad and less a cost of the torques; -100 for a fall
//   Terminated   the hull touches the ground; x < 0; the end of the ground has been reached
//   Truncated    after 1600 steps; 2000 in the hardcore version
//   Reset        random ground, and a small random push. As in gymnasium, the first observation comes from a step
//                without torques.
//
// Reference: gymnasium 1.4.0, box2d/bipedal_walker.py, with the package box2d 2.3.10. Gymnasium draws random numbers
// for clouds after those for the ground, even without rendering. There are no clouds here. Gymnasium also keeps its
// world from one episode to the next, so that the order of contacts, and therefore the last bits of results, depend on
// earlier episodes. Here, every episode is like the first one.
#pragma once

#include "envpool/box2d/world.h"
#if ENVPOOL_HOST
#include "envpool/classic_control/draw.h"
#endif

namespace envpool::box2d {

struct BipedalWalker {
  static constexpr const char* kName = "BipedalWalker";
  static constexpr f64 kScale = 30, kFps = 50, kStep = 14 / kScale, kHeight = 400 / kScale / 4, kRange = 160 / kScale;
  static constexpr f64 kLegDown = -8 / kScale, kLegWidth = 8 / kScale, kLegHeight = 34 / kScale;
  // An obstacle has up to four blocks. It takes up at least five steps of the ground for every two blocks.
  static constexpr i32 kLength = 200, kMaxBlocks = 2 * kLength / 5 + 4, kContacts = 64;

  struct Params {
    bool hardcore;
  };

  // A rectangle of the ground.
  struct Block {
    Vec low, high;
  };

  struct State {
    WorldState<5, 4, kContacts> world;
    i32 blocks;
    Block block[kMaxBlocks];
    f32 height[kLength];  // of the ground, every kStep m
    bool started;
    f64 shaping;  // the potential of the last step
  };

  // The hull, and for each leg its upper and its lower part. The blocks come first among the parts of the ground.
  struct Scene {
    static constexpr i32 kBodies = 5, kHinges = 4, kContacts = BipedalWalker::kContacts;
    const State* state;

    ENVPOOL_FN const Solid& solid(i32 body) const {
      static constexpr Solid parts[3] = {
          box2d::solid(hull({{f32(-30 / kScale), f32(9 / kScale)},
                             {f32(6 / kScale), f32(9 / kScale)},
                             {f32(34 / kScale), f32(1 / kScale)},
                             {f32(34 / kScale), f32(-8 / kScale)},
                             {f32(-30 / kScale), f32(-8 / kScale)}}),
                       5, 0.1f, 0),
          box2d::solid(rectangle(f32(kLegWidth / 2), f32(kLegHeight / 2)), 1, 0.2f, 0),
          box2d::solid(rectangle(f32(0.8 * kLegWidth / 2), f32(kLegHeight / 2)), 1, 0.2f, 0)};
      return parts[body == 0 ? 0 : 2 - (body & 1)];
    }
    ENVPOOL_FN HingeDef hinge(i32 index) const {
      const bool knee = (index & 1) != 0;
      return {.first = knee ? index : 0,
              .second = index + 1,
              .anchor_first = {0, knee ? f32(-kLegHeight / 2) : f32(kLegDown)},
              .anchor_second = {0, f32(kLegHeight / 2)},
              .reference = knee         ? 0.0f
                           : index == 0 ? -0.05f
                                        : 0.05f,
              .low = knee ? -1.6f : -0.8f,
              .high = knee ? -0.1f : 1.1f};
    }
    template <class F>
    ENVPOOL_FN void nearby(const Box& box, F f) const {
      for (i32 i = 0; i < state->blocks; ++i) f(i);
      f64 first = box.low.x / kStep - 2, last = box.high.x / kStep + 2;
      keep_within(first, 0.0, f64(kLength - 2));
      keep_within(last, 0.0, f64(kLength - 2));
      for (i32 i = i32(first); i <= i32(last); ++i) f(state->blocks + i);
    }
    ENVPOOL_FN bool is_segment(i32 ground) const { return ground >= state->blocks; }
    ENVPOOL_FN Segment segment(i32 ground) const {
      const i32 i = ground - state->blocks;
      return {{f32(i * kStep), state->height[i]}, {f32((i + 1) * kStep), state->height[i + 1]}};
    }
    // Returns block `ground`, with the corners ordered and the normals rounded as by hull().
    ENVPOOL_FN Polygon polygon(i32 ground) const {
      const Block& block = state->block[ground];
      const f32 width = block.high.x - block.low.x, height = block.high.y - block.low.y;
      const f32 across = width * (1 / width), up = height * (1 / height);
      Polygon result{.count = 4,
                     .vertex = {{block.high.x, block.low.y}, block.high, {block.low.x, block.high.y}, block.low},
                     .normal = {{up, 0}, {0, across}, {-up, 0}, {0, -across}},
                     .centroid = {0, 0}};
      set_centroid(result);
      return result;
    }
    ENVPOOL_FN f32 ground_friction(i32) const { return 2.5f; }
    ENVPOOL_FN i32 ground_body(i32 ground) const { return ground; }
  };
  using Physics = Stepper<Scene>;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.boolean("hardcore", false, "the ground has stumps, pits and stairs").sets(&Params::hardcore);
  }
  static void spec(const Params&, Spec& s) {
    const f64 pi = f32(kPi);
    std::vector<f64> low{-pi, -5, -5, -5, -pi, -5, -pi, -5, 0, -pi, -5, -pi, -5, 0};
    std::vector<f64> high{pi, 5, 5, 5, pi, 5, pi, 5, 5, pi, 5, pi, 5, 5};
    low.resize(24, -1);
    high.resize(24, 1);
    s.obs<f32>("obs", {24})
        .bounds(low, high)
        .doc("angle, angular velocity and velocity of the hull, joints and contacts of the legs, ten distances");
    s.action<f32>("action", {4}).bounds(-1, 1).doc("torques of hip and knee of the first and of the second leg");
    s.render_fps = 50;
    s.render_height = 400;
    s.render_width = 600;
  }
  static void render(const State& s, const Params&, u8* rgb) {
    using classic_control::Canvas;
    using classic_control::Point;
    Canvas canvas(rgb, 600, 400);
    const Scene scene{&s};
    const f64 left = s.world.body[0].pose.at.x - 600 / kScale / 5;
    const auto pixel = [&](Vec at) { return Point{(at.x - left) * kScale, at.y * kScale}; };
    canvas.polygon({{0, 0}, {600, 0}, {600, 400}, {0, 400}}, {215, 215, 255});
    for (i32 i = 0; i + 1 < kLength; ++i) {
      const Segment top = scene.segment(s.blocks + i);
      if ((top.to.x - left) * kScale < 0 || (top.from.x - left) * kScale > 600) continue;
      canvas.polygon({pixel({top.from.x, 0}), pixel({top.to.x, 0}), pixel(top.to), pixel(top.from)}, {102, 153, 76});
      canvas.line(pixel(top.from), pixel(top.to), {76, u8(i % 2 == 0 ? 255 : 204), 76}, 2);
    }
    const auto draw = [&](const Polygon& shape, const Pose& pose, classic_control::Color color) {
      const auto corner = [&](i32 i) { return pixel(to_world(pose, shape.vertex[i % shape.count])); };
      for (i32 i = 2; i < shape.count; ++i) canvas.polygon({corner(0), corner(i - 1), corner(i)}, color);
    };
    for (i32 i = 0; i < s.blocks; ++i) draw(scene.polygon(i), {{0, 0}, {0, 1}}, {255, 255, 255});
    for (i32 b : {1, 2, 3, 4, 0}) {
      const u8 shade = b > 2 ? 0 : 50;
      const classic_control::Color leg{u8(128 + shade), u8(51 + shade), u8(102 + shade)}, hull{127, 51, 229};
      draw(scene.solid(b).shape, s.world.body[b].pose, b == 0 ? hull : leg);
    }
  }
#endif

  template <class Draws>
  ENVPOOL_FN static void reset(State& s, const Params& p, Draws& draws) {
    make_ground(s, p, draws);
    const Scene scene{&s};
    constexpr f64 x = kStep * 20 / 2, y = kHeight + 2 * kLegHeight;
    place(s.world.body[0], scene.solid(0), {f32(x), f32(y)}, 0);
    Load load{};
    load.force.x = f32(draws.uniform(-5.0, 5.0));
    for (i32 i = 0; i < 4; ++i) {
      const f32 at = i % 2 == 0 ? f32(y - kLegHeight / 2 - kLegDown) : f32(y - kLegHeight * 3 / 2 - kLegDown);
      place(s.world.body[i + 1], scene.solid(i + 1), {f32(x), at}, i < 2 ? -0.05f : 0.05f);
      s.world.hinge[i] = {};
    }
    Physics::begin(s.world, scene);
    s.started = false;
    s.shaping = 0;
    const f32 torques[4] = {};
    advance(s, torques, load);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params&, ActionRow action, auto&) {
    return advance(s, action.at<f32, 4>(0), {});
  }

#if ENVPOOL_SIMD
  static constexpr int kGroup = box2d::kGroup;
  static void step_group(State* const* states, int count, const Params* const*, const ActionRow* actions, Rng* const*,
                         Outcome* outcomes) {
    typename Physics::Member members[kGroup] = {};
    for (int i = 0; i < count; ++i) {
      set_motors(*states[i], actions[i].at<f32, 4>(0));
      members[i] = {&states[i]->world, {states[i]}, kGravity, {}};
    }
    Physics::step_group(members, count, kStepSize);
    for (int i = 0; i < count; ++i) outcomes[i] = outcome(*states[i], actions[i].at<f32, 4>(0));
  }
#endif

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) {
    f32* const obs = row.at<f32, 24>(0);
    const Body& hull = s.world.body[0];
    obs[0] = hull.angle;
    obs[1] = f32(2.0 * hull.spin / kFps);
    obs[2] = f32(0.3 * hull.velocity.x * (600 / kScale) / kFps);
    obs[3] = f32(0.3 * hull.velocity.y * (400 / kScale) / kFps);
    const Scene scene{&s};
    for (i32 i = 0; i < 4; ++i) {
      const HingeDef def = scene.hinge(i);
      const Body &first = s.world.body[def.first], &second = s.world.body[def.second];
      const bool knee = (i & 1) != 0;
      f32* const joint = obs + 4 + 5 * (i >> 1) + 2 * (i & 1);
      joint[0] = f32(f64(second.angle - first.angle - def.reference) + (knee ? 1 : 0));
      joint[1] = f32(f64(second.spin - first.spin) / (knee ? 6 : 4));
      if (knee) joint[2] = s.world.grounded[i + 1] ? 1 : 0;
    }
    for (i32 i = 0; i < 10; ++i) {
      const f64 angle = 1.5 * i / 10.0;
      const auto [sine, cosine] = sincos(angle);
      obs[14 + i] = distance_to_ground(scene, hull.pose.at,
                                       {f32(hull.pose.at.x + sine * kRange), f32(hull.pose.at.y - cosine * kRange)});
    }
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    keep_within(s.blocks, 0, kMaxBlocks);
    box2d::repair(s.world, s.blocks + kLength - 1);
    keep_bool(s.started);
  }

 private:
  enum class Ground : u8 { kGrass, kStump, kStairs, kPit };

  ENVPOOL_FN static void add_block(State& s, f64 x0, f64 y0, f64 x1, f64 y1) {
    if (s.blocks < kMaxBlocks) s.block[s.blocks++] = {{f32(x0), f32(y0)}, {f32(x1), f32(y1)}};
  }

  // Draws the heights of the ground. In the hardcore version, also draws obstacles with grass in between.
  template <class Draws>
  ENVPOOL_FN static void make_ground(State& s, const Params& p, Draws& draws) {
    s.blocks = 0;
    Ground ground = Ground::kGrass;
    f64 velocity = 0, y = kHeight, before = 0;
    i32 left = 20, stair_steps = 0, stair_height = 0;
    constexpr i32 stair_width = 4;
    bool begins = false;
    for (i32 i = 0; i < kLength; ++i) {
      const f64 x = i * kStep;
      if (ground == Ground::kGrass) {
        if (!begins) {
          const f64 error = kHeight - y;
          velocity = 0.8 * velocity + 0.01 * (error > 0 ? 1 : error < 0 ? -1 : 0);
          if (i > 20) velocity += draws.uniform(-1.0, 1.0) / kScale;
          y += velocity;
        }
      } else if (ground == Ground::kPit) {
        if (begins) {
          left = 3 + i32(draws.below(2));
          add_block(s, x, y - 4 * kStep, x + kStep, y);
          add_block(s, x + kStep * left, y - 4 * kStep, x + kStep + kStep * left, y);
          left += 2;
          before = y;
        } else {
          y = before;
          if (left > 1) y -= 4 * kStep;
        }
      } else if (ground == Ground::kStump) {
        if (begins) {
          left = 1 + i32(draws.below(2));
          add_block(s, x, y, x + left * kStep, y + left * kStep);
        }
      } else if (begins) {
        stair_height = draws.uniform(0.0, 1.0) > 0.5 ? 1 : -1;
        draws.below(1);  // Gymnasium draws the width, which has only one value.
        stair_steps = 3 + i32(draws.below(2));
        before = y;
        for (i32 n = 0; n < stair_steps; ++n) {
          add_block(s, x + n * stair_width * kStep, y + (-1 + n * stair_height) * kStep,
                    x + (1 + n) * stair_width * kStep, y + n * stair_height * kStep);
        }
        left = stair_steps * stair_width;
      } else {
        const i32 done = stair_steps * stair_width - left - stair_height;
        y = before + f64(done) / stair_width * stair_height * kStep;
      }
      begins = false;
      s.height[i] = f32(y);
      if (--left == 0) {
        left = 5 + i32(draws.below(5));
        begins = true;
        ground = ground == Ground::kGrass && p.hardcore ? Ground(1 + draws.below(3)) : Ground::kGrass;
      }
    }
  }

  // Returns the fraction of a ray that lies before the ground, or 1 if the ray does not hit the ground.
  ENVPOOL_DEVICE_CALL static f32 distance_to_ground(const Scene& scene, Vec from, Vec to) {
    f32 free = 1;
    const Vec along = to - from;
    const Box box{least(from, to), greatest(from, to)};
    scene.nearby(box, [&](i32 ground) {
      if (scene.is_segment(ground)) {
        const Segment segment = scene.segment(ground);
        const Vec edge = segment.to - segment.from;
        Vec normal{edge.y, -edge.x};
        normalize(normal);
        const f32 numerator = dot(normal, segment.from - from), denominator = dot(normal, along);
        if (denominator == 0) return;
        const f32 part = numerator / denominator;
        if (part < 0 || free < part) return;
        const f32 square = dot(edge, edge);
        if (square == 0) return;
        const f32 place = dot((from + part * along) - segment.from, edge) / square;
        if (place < 0 || 1 < place) return;
        free = part;
        return;
      }
      const Polygon polygon = scene.polygon(ground);
      f32 enter = 0, leave = free;
      bool hit = false;
      for (i32 i = 0; i < polygon.count; ++i) {
        const f32 numerator = dot(polygon.normal[i], polygon.vertex[i] - from);
        const f32 denominator = dot(polygon.normal[i], along);
        if (denominator == 0) {
          if (numerator < 0) return;
        } else if (denominator < 0 && numerator < enter * denominator) {
          enter = numerator / denominator;
          hit = true;
        } else if (denominator > 0 && numerator < leave * denominator) {
          leave = numerator / denominator;
        }
        if (leave < enter) return;
      }
      if (hit) free = enter;
    });
    return free;
  }

  static constexpr StepSize kStepSize{f32(1 / kFps), 180, 60};
  static constexpr Vec kGravity{0, -10};

  // Sets the motors, steps the world and computes the reward. `load` acts on the hull in addition to gravity.
  ENVPOOL_FN static Outcome advance(State& s, const f32* torques, Load load) {
    set_motors(s, torques);
    const Load loads[5] = {load, {}, {}, {}, {}};
    Physics::step(s.world, Scene{&s}, kStepSize, kGravity, loads);
    return outcome(s, torques);
  }

  ENVPOOL_FN static void set_motors(State& s, const f32* torques) {
    for (Body& body : s.world.body) wake(body);
    for (i32 i = 0; i < 4; ++i) {
      const f32 torque = torques[i];
      s.world.hinge[i].motor_speed = f32((i & 1) != 0 ? 6 : 4) * f32(torque > 0 ? 1 : torque < 0 ? -1 : 0);
      s.world.hinge[i].motor_torque = 80 * least(f32(fabs(torque)), 1);
    }
  }

  ENVPOOL_FN static Outcome outcome(State& s, const f32* torques) {
    const Body& hull = s.world.body[0];
    const f64 shaping = 130 * f64(hull.pose.at.x) / kScale - 5.0 * fabs(f64(hull.angle));
    f32 reward = s.started ? f32(shaping - s.shaping) : 0;  // gymnasium continues in float32
    s.shaping = shaping;
    s.started = true;
    for (i32 i = 0; i < 4; ++i) reward -= f32(0.00035 * 80) * least(f32(fabs(torques[i])), 1);
    const bool lost = s.world.crashed || hull.pose.at.x < 0;
    if (lost) reward = -100;
    return {.reward = reward, .terminated = lost || hull.pose.at.x > (kLength - 10) * kStep};
  }
};

}  // namespace envpool::box2d
