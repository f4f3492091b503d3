// SPDX-License-Identifier: Apache-2.0
//
// A rigid-body solver for convex polygons that are connected by revolute joints and touch ground at rest. It gives the
// same bits as Box2D 2.3 (the version in the package box2d 2.3.10, which gymnasium uses), as long as moving bodies do
// not collide with each other. Box2D (E. Catto, box2d.org) solves contacts and joints by sequential impulses with warm
// starting, and puts bodies that rest to sleep. If a body would pass through the ground, Box2D moves it back to the
// time of impact.
//
// Three things are done differently, without any effect on the bits. First, the ground is searched by position, whereas
// Box2D searches a tree of boxes. Box2D sorts the pairs that it finds, so only the set of pairs matters. Second, all
// contacts are in one list, but those of each body are visited in the same order as in Box2D. Third, the rounds of the
// velocity solver end when their results repeat.
//
// A Scene describes an environment's bodies:
//
//   static constexpr i32 kBodies, kHinges, kContacts;  // the most contacts that can exist
//   const Solid& solid(i32 body) const;
//   HingeDef hinge(i32 hinge) const;
//   void nearby(const Box&, F f) const;    // calls f(i), in increasing order, for each part i of the ground that
//                                          // overlaps the box; may also call it for other parts
//   bool is_segment(i32 ground) const;
//   Segment segment(i32 ground) const;
//   Polygon polygon(i32 ground) const;
//   f32 ground_friction(i32 ground) const;
//   i32 ground_body(i32 ground) const;     // parts of one body share the time of impact
#pragma once

#include "envpool/box2d/body.h"
#include "envpool/box2d/ground_contacts.h"
#include "envpool/box2d/impact_solver.h"
#include "envpool/box2d/island_solver.h"
#include "envpool/box2d/velocity_lanes.h"

namespace envpool::box2d {

template <class Scene>
struct Stepper {
  static constexpr i32 kBodies = Scene::kBodies, kHinges = Scene::kHinges, kContacts = Scene::kContacts;
  using State = WorldState<kBodies, kHinges, kContacts>;
  using Contacts = GroundContacts<Scene>;
  using Islands = IslandSolver<Scene>;
  using Problem = typename Islands::Problem;

  // Finds the contacts of bodies that have just been placed.
  ENVPOOL_FN static void begin(State& world, const Scene& scene) {
    world.contacts = 0;
    world.crashed = false;
    for (bool& grounded : world.grounded) grounded = false;
    bool moved[kBodies];
    for (bool& m : moved) m = true;
    Contacts::find_contacts(world, scene, moved);
  }

  ENVPOOL_DEVICE_CALL static void step(State& world, const Scene& scene, const StepSize& size, Vec gravity,
                                       const Load* loads) {
    Contacts::update_contacts(world, scene);
    Sweep sweeps[kBodies];
    begin_sweeps(sweeps, world, scene);
    solve(world, scene, size, gravity, loads, sweeps);
    ImpactSolver<Scene>::solve(world, scene, size, sweeps);
  }

#if ENVPOOL_SIMD
  // The arguments of a step of one world in a group.
  struct Member {
    State* world;
    Scene scene;
    Vec gravity;
    Load loads[kBodies];
  };

  // Steps up to kGroup worlds, whose velocities are solved in lanes. The hinges must connect all bodies of a world.
  ENVPOOL_NOINLINE static void step_group(const Member* members, int count, const StepSize& size) {
    GroupPart parts[kGroup];
    Problem* problems[kGroup] = {};
    const Member* in_lanes[kGroup];
    int lanes = 0;
    for (int i = 0; i < count; ++i) {
      const Member& member = members[i];
      bool awake = true;  // if a body sleeps, Box2D may visit the hinges in another order
      for (const Body& body : member.world->body) awake = awake && body.awake;
      if (!awake) {
        step(*member.world, member.scene, size, member.gravity, member.loads);
        continue;
      }
      begin(parts[lanes], member, size);
      problems[lanes] = &parts[lanes].problem;
      in_lanes[lanes++] = &member;
    }
    if (lanes == 0) return;
    if (!VelocityLanes<Problem, kBodies, kHinges>::solve(problems, lanes, size.velocity_rounds)) {
      for (int i = 0; i < lanes; ++i) Islands::solve_velocities(*problems[i], size.velocity_rounds);
    }
    for (int i = 0; i < lanes; ++i) end(parts[i], *in_lanes[i], size);
  }
#endif

 private:
  ENVPOOL_FN static void begin_sweeps(Sweep* sweeps, const State& world, const Scene& scene) {
    for (i32 b = 0; b < kBodies; ++b) {
      const Body& body = world.body[b];
      sweeps[b] = {scene.solid(b).center, body.center, body.center, body.angle, body.angle, 0};
    }
  }

  ENVPOOL_FN static void solve(State& world, const Scene& scene, const StepSize& size, Vec gravity, const Load* loads,
                               const Sweep* sweeps) {
    bool seen[kBodies] = {}, used[kHinges] = {}, moved[kBodies] = {};
    for (i32 seed = kBodies - 1; seed >= 0; --seed) {
      if (seen[seed] || !world.body[seed].awake) continue;
      Islands::solve(world, scene, seed, seen, used, size, gravity, loads);
    }
    for (i32 b = 0; b < kBodies; ++b) moved[b] = seen[b] && Contacts::follow(world.body[b], scene.solid(b), sweeps[b]);
    Contacts::find_contacts(world, scene, moved);
  }

#if ENVPOOL_SIMD
  // The variables of a step of a world in a group.
  struct GroupPart {
    Problem problem;
    Sweep sweeps[kBodies];
  };

  // The parts of a step before and after the rounds of the velocity solver.
  ENVPOOL_NOINLINE static void begin(GroupPart& part, const Member& member, const StepSize& size) {
    State& world = *member.world;
    Contacts::update_contacts(world, member.scene);
    begin_sweeps(part.sweeps, world, member.scene);
    bool seen[kBodies] = {}, used[kHinges] = {};
    Islands::collect(part.problem.island, world, member.scene, kBodies - 1, seen, used);
    Islands::begin_island(part.problem, world, member.scene, size, member.gravity, member.loads);
  }
  ENVPOOL_NOINLINE static void end(GroupPart& part, const Member& member, const StepSize& size) {
    State& world = *member.world;
    Islands::end_island(part.problem, world, member.scene, size);
    bool moved[kBodies];
    for (i32 b = 0; b < kBodies; ++b) moved[b] = Contacts::follow(world.body[b], member.scene.solid(b), part.sweeps[b]);
    Contacts::find_contacts(world, member.scene, moved);
    ImpactSolver<Scene>::solve(world, member.scene, size, part.sweeps);
  }
#endif
};

}  // namespace envpool::box2d
