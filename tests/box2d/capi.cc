// SPDX-License-Identifier: Apache-2.0
//
// Exports the family's environments to tests that replay the numbers that the reference has drawn. Also exports worlds
// whose bodies a test chooses. support/family_list.h turns the family's plugin.cc into a list of functions.
#include "envpool/box2d/world.h"
#include "envpool/core/plugin.h"
#include "tests/support/family_list.h"

namespace envpool::box2d {

// Replays recorded numbers. An integer is recorded as its difference from the lowest integer that could be drawn.
// `wrong` is set if there are too few numbers.
struct Tape {
  const f64* drawn;
  i64 count, used = 0;
  bool wrong = false;

  f64 uniform(f64, f64) { return take(); }
  u32 below(u32) { return u32(take()); }

 private:
  f64 take() {
    wrong = wrong || used >= count;
    return wrong ? 0 : drawn[used++];
  }
};

// A world whose bodies a test chooses: two chains of joints and a single body, above ground of segments and polygons.
struct Scene {
  static constexpr i32 kBodies = 6, kHinges = 3, kContacts = 96, kMaxGrounds = 32;

  struct Shape {
    i32 count;  // 2 if it is a segment
    Vec vertex[6];
  };
  struct Part {
    Shape shape;
    f32 friction, restitution, density;
    Vec at;
    f32 angle;
  };
  Part body[kBodies];
  HingeDef hinges[kHinges];
  f32 motor_speed[kHinges], motor_torque[kHinges];
  i32 ground_count;
  Part ground[kMaxGrounds];
  i32 ground_of[kMaxGrounds];
  Solid solids[kBodies];
  Polygon polygons[kMaxGrounds];

  const Solid& solid(i32 b) const { return solids[b]; }
  HingeDef hinge(i32 h) const { return hinges[h]; }
  template <class F>
  void nearby(const Box&, F f) const {
    for (i32 i = 0; i < ground_count; ++i) f(i);
  }
  bool is_segment(i32 i) const { return ground[i].shape.count == 2; }
  Segment segment(i32 i) const { return {ground[i].shape.vertex[0], ground[i].shape.vertex[1]}; }
  Polygon polygon(i32 i) const { return polygons[i]; }
  f32 ground_friction(i32 i) const { return ground[i].friction; }
  i32 ground_body(i32 i) const { return ground_of[i]; }
};
using Worlds = Stepper<Scene>;

Polygon polygon_of(const Scene::Shape& shape) {
  const Vec* const v = shape.vertex;
  if (shape.count == 3) return hull({v[0], v[1], v[2]});
  if (shape.count == 4) return hull({v[0], v[1], v[2], v[3]});
  if (shape.count == 5) return hull({v[0], v[1], v[2], v[3], v[4]});
  return hull({v[0], v[1], v[2], v[3], v[4], v[5]});
}

namespace {

// Functions that reset or step a state. They return how many numbers they have drawn, or -1 if there were too few.
struct ReplayFunctions {
  const char* name;
  i64 (*reset)(const abi::Options*, u8* state, const f64*, i64 count);
  i64 (*step)(const abi::Options*, u8* state, const void* action, f32* reward, u8* ends, const f64*, i64 count);
};

template <class Env, Literal = "">
constexpr ReplayFunctions table() {
  using State = typename Env::State;
  return {.name = Env::kName,
          .reset =
              [](const abi::Options* options, u8* state, const f64* drawn, i64 count) {
                Tape tape{drawn, count};
                Env::reset(*reinterpret_cast<State*>(state), testing::params_of<Env>(options), tape);
                return tape.wrong ? -1 : tape.used;
              },
          .step =
              [](const abi::Options* options, u8* state, const void* action, f32* reward, u8* ends, const f64* drawn,
                 i64 count) {
                Tape tape{drawn, count};
                const void* const fields[] = {action};
                const i64 row_bytes[] = {0};
                const Outcome outcome = Env::step(*reinterpret_cast<State*>(state), testing::params_of<Env>(options),
                                                  ActionRow{fields, row_bytes, 0}, tape);
                *reward = outcome.reward;
                ends[0] = outcome.terminated;
                ends[1] = outcome.truncated;
                return tape.wrong ? -1 : tape.used;
              }};
}

}  // namespace
}  // namespace envpool::box2d

#undef ENVPOOL_PLUGIN
#define ENVPOOL_PLUGIN(...) ENVPOOL_FAMILY_ENVIRONMENTS(envpool::box2d, ReplayFunctions, __VA_ARGS__)
#include "envpool/box2d/plugin.cc"

namespace {

const envpool::box2d::ReplayFunctions& find(const char* name) {
  return envpool::testing::environment_named(name, envpool::box2d::of_family::kEnvironments);
}

}  // namespace

extern "C" {

using namespace envpool;
using namespace envpool::box2d;

i64 test_replay_reset(const char* name, const abi::Options* options, u8* state, const f64* drawn, i64 count) {
  return find(name).reset(options, state, drawn, count);
}
i64 test_replay_step(const char* name, const abi::Options* options, u8* state, const void* action, f32* reward,
                     u8* ends, const f64* drawn, i64 count) {
  return find(name).step(options, state, action, reward, ends, drawn, count);
}
void test_rotations(const f32* angles, f32* sines, f32* cosines, i64 count) {
  for (i64 i = 0; i < count; ++i) {
    const Rotation turn = rotation(angles[i]);
    sines[i] = turn.sin;
    cosines[i] = turn.cos;
  }
}

i64 test_scene_bytes() { return sizeof(Scene); }
i64 test_world_bytes() { return sizeof(Worlds::State); }
void test_world_begin(Scene* scene, Worlds::State* world) {
  *world = {};
  for (i32 i = 0; i < scene->ground_count; ++i) {
    if (!scene->is_segment(i)) scene->polygons[i] = polygon_of(scene->ground[i].shape);
  }
  for (i32 b = 0; b < Scene::kBodies; ++b) {
    const Scene::Part& part = scene->body[b];
    scene->solids[b] = solid(polygon_of(part.shape), part.density, part.friction, part.restitution);
    place(world->body[b], scene->solids[b], part.at, part.angle);
  }
  for (i32 h = 0; h < Scene::kHinges; ++h) {
    world->hinge[h].motor_speed = scene->motor_speed[h];
    world->hinge[h].motor_torque = scene->motor_torque[h];
  }
  Worlds::begin(*world, *scene);
}
// Pushes a body and steps. Writes position, angle, velocity, spin and whether it is awake for each body.
void test_world_step(const Scene* scene, Worlds::State* world, i32 body, Vec impulse, Vec at, f32* result) {
  if (body >= 0) push(world->body[body], scene->solids[body], impulse, at);
  const Load loads[Scene::kBodies] = {};
  Worlds::step(*world, *scene, {0.02f, 30, 20}, {0, -10}, loads);
  for (const Body& b : world->body) {
    const f32 values[7] = {b.pose.at.x, b.pose.at.y, b.angle, b.velocity.x, b.velocity.y, b.spin, f32(b.awake)};
    for (const f32 value : values) *result++ = value;
  }
}
}
