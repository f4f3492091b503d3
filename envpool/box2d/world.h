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
#include "envpool/box2d/contact_solver.h"
#include "envpool/box2d/impact.h"
#include "envpool/box2d/velocity_lanes.h"

namespace envpool::box2d {

template <class Scene>
struct Stepper {
  static constexpr i32 kBodies = Scene::kBodies, kHinges = Scene::kHinges, kContacts = Scene::kContacts;
  static constexpr i32 kMaxImpactContacts = kContacts < 32 ? kContacts : 32;  // Box2D takes at most 32
  using State = WorldState<kBodies, kHinges, kContacts>;

  // Finds the contacts of bodies that have just been placed.
  ENVPOOL_FN static void begin(State& world, const Scene& scene) {
    world.contacts = 0;
    world.crashed = false;
    for (bool& grounded : world.grounded) grounded = false;
    bool moved[kBodies];
    for (bool& m : moved) m = true;
    find_contacts(world, scene, moved);
  }

  ENVPOOL_DEVICE_CALL static void step(State& world, const Scene& scene, const StepSize& size, Vec gravity,
                                       const Load* loads) {
    update_contacts(world, scene);
    Sweep sweeps[kBodies];
    begin_sweeps(sweeps, world, scene);
    solve(world, scene, size, gravity, loads, sweeps);
    solve_impacts(world, scene, size, sweeps);
  }

#if ENVPOOL_SIMD
  // The arguments of a step of one world in a group.
  struct Member {
    State* world;
    Scene scene;
    Load loads[kBodies];
  };

  // Steps up to kGroup worlds, whose velocities are solved in lanes. The hinges must connect all bodies of a world.
  ENVPOOL_NOINLINE static void step_group(const Member* members, int count, const StepSize& size, Vec gravity) {
    GroupPart parts[kGroup];
    Problem* problems[kGroup] = {};
    const Member* in_lanes[kGroup];
    int lanes = 0;
    for (int i = 0; i < count; ++i) {
      const Member& member = members[i];
      bool awake = true;  // if a body sleeps, Box2D may visit the hinges in another order
      for (const Body& body : member.world->body) awake = awake && body.awake;
      if (!awake) {
        step(*member.world, member.scene, size, gravity, member.loads);
        continue;
      }
      begin(parts[lanes], member, size, gravity);
      problems[lanes] = &parts[lanes].problem;
      in_lanes[lanes++] = &member;
    }
    if (lanes == 0) return;
    if (!VelocityLanes<Problem, kBodies, kHinges>::solve(problems, lanes, size.velocity_rounds)) {
      for (int i = 0; i < lanes; ++i) solve_velocities(*problems[i], size.velocity_rounds);
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

  // Recomputes where a contact touches. Impulses of points that existed before are kept.
  ENVPOOL_DEVICE_CALL static void update(State& world, const Scene& scene, Contact& contact) {
    const Manifold old = contact.manifold;
    Body& body = world.body[contact.body];
    contact.enabled = true;
    Manifold& now = contact.manifold;
    const Polygon& shape = scene.solid(contact.body).shape;
    if (scene.is_segment(contact.ground)) {
      collide(now, scene.segment(contact.ground), shape, body.pose);
    } else {
      collide(now, scene.polygon(contact.ground), shape, body.pose);
    }
    for (i32 i = 0; i < now.count; ++i) {
      ContactPoint& point = now.point[i];
      point.normal_impulse = point.tangent_impulse = 0;
      for (i32 j = 0; j < old.count; ++j) {
        if (old.point[j].feature != point.feature) continue;
        point.normal_impulse = old.point[j].normal_impulse;
        point.tangent_impulse = old.point[j].tangent_impulse;
        break;
      }
    }
    const bool touching = now.count > 0;
    if (touching != contact.touching) {
      wake(body);
      world.grounded[contact.body] = touching;
      world.crashed = world.crashed || (touching && contact.body == 0);
    }
    contact.touching = touching;
  }

  // Updates the contacts of bodies that are awake, and removes those that are far from the ground.
  ENVPOOL_FN static void update_contacts(State& world, const Scene& scene) {
    for (i32 i = world.contacts - 1; i >= 0; --i) {
      Contact& contact = world.contact[i];
      Body& body = world.body[contact.body];
      if (!body.awake) continue;
      if (overlap(fat_box(scene, contact.ground), body.fat)) {
        update(world, scene, contact);
        continue;
      }
      if (contact.touching) world.grounded[contact.body] = false;
      --world.contacts;
      for (i32 j = i; j < world.contacts; ++j) world.contact[j] = world.contact[j + 1];
    }
  }

  ENVPOOL_FN static Box fat_box(const Scene& scene, i32 ground) {
    return widen(scene.is_segment(ground) ? bounds(scene.segment(ground)) : bounds(scene.polygon(ground)), 0.1f);
  }

  // Makes contacts between the bodies whose fat boxes have moved and the parts of the ground that these boxes overlap.
  ENVPOOL_DEVICE_CALL static void find_contacts(State& world, const Scene& scene, const bool* moved) {
    bool any = false;
    Box all{{kLargest, kLargest}, {-kLargest, -kLargest}};
    for (i32 b = 0; b < kBodies; ++b) {
      if (!moved[b]) continue;
      any = true;
      all = join(all, world.body[b].fat);
    }
    if (!any) return;
    scene.nearby(all, [&](i32 ground) {
      const Box box = fat_box(scene, ground);
      for (i32 b = 0; b < kBodies; ++b) {
        if (!moved[b] || !overlap(box, world.body[b].fat)) continue;
        bool known = world.contacts >= kContacts;
        for (i32 i = 0; i < world.contacts; ++i) {
          known = known || (world.contact[i].ground == ground && world.contact[i].body == b);
        }
        if (known) continue;
        Contact& contact = world.contact[world.contacts++];
        contact = {};
        contact.ground = i16(ground);
        contact.body = u8(b);
        contact.enabled = true;
        wake(world.body[b]);
      }
    });
  }

  // If a body has left its fat box, makes a new fat box. Returns whether the body had left it.
  ENVPOOL_DEVICE_CALL static bool follow(Body& body, const Solid& solid, const Sweep& sweep) {
    const Pose before = pose_of(sweep.center0, sweep.angle0, solid.center);
    const Box box = join(bounds(solid.shape, before), bounds(solid.shape, body.pose));
    if (contains(body.fat, box)) return false;
    body.fat = widen(box, 0.1f);
    const Vec ahead = 2.0f * (body.pose.at - before.at);
    (ahead.x < 0 ? body.fat.low.x : body.fat.high.x) += ahead.x;
    (ahead.y < 0 ? body.fat.low.y : body.fat.high.y) += ahead.y;
    return true;
  }

  ENVPOOL_FN static Inertia inertia(const Scene& scene, i32 b) {
    const Solid& solid = scene.solid(b);
    return {solid.center, solid.inverse_mass, solid.inverse_inertia};
  }

  ENVPOOL_FN static void prepare(ContactSolver& solver, State& world, const Scene& scene, i32 index) {
    const Contact& contact = world.contact[index];
    const Solid& solid = scene.solid(contact.body);
    solver.set(contact.manifold, contact.body, inertia(scene, contact.body),
               sqrt(scene.ground_friction(contact.ground) * solid.friction), greatest(0, solid.restitution));
  }

  // Moves a body by its velocity. The velocity is limited to 2 m and a quarter turn per step.
  ENVPOOL_FN static void move(Place& place, Motion& motion, f32 seconds) {
    const Vec way = seconds * motion.velocity;
    if (dot(way, way) > 4) motion.velocity = (2 / length(way)) * motion.velocity;
    const f32 turn = seconds * motion.spin;
    constexpr f32 most = 0.5f * kPiF;
    if (turn * turn > most * most) motion.spin *= most / magnitude(turn);
    place.center = place.center + seconds * motion.velocity;
    place.angle += seconds * motion.spin;
  }

  // Bodies that are connected, with their contacts and joints in the order in which Box2D finds them.
  struct Island {
    i32 bodies, hinges, contacts;
    i32 body[kBodies], hinge[kHinges], contact[kContacts];
  };

  ENVPOOL_FN static void collect(Island& island, State& world, const Scene& scene, i32 seed, bool* seen, bool* used) {
    island.bodies = island.hinges = island.contacts = 0;
    i32 stack[kBodies], height = 0;
    stack[height++] = seed;
    seen[seed] = true;
    while (height > 0) {
      const i32 b = stack[--height];
      island.body[island.bodies++] = b;
      wake(world.body[b]);
      for (i32 i = world.contacts - 1; i >= 0; --i) {
        const Contact& contact = world.contact[i];
        if (contact.body == b && contact.enabled && contact.touching) island.contact[island.contacts++] = i;
      }
      for (i32 h = kHinges - 1; h >= 0; --h) {
        const HingeDef def = scene.hinge(h);
        if (used[h] || (def.first != b && def.second != b)) continue;
        used[h] = true;
        island.hinge[island.hinges++] = h;
        const i32 other = def.first == b ? def.second : def.first;
        if (seen[other]) continue;
        seen[other] = true;
        stack[height++] = other;
      }
    }
  }

  ENVPOOL_FN static void solve(State& world, const Scene& scene, const StepSize& size, Vec gravity, const Load* loads,
                               const Sweep* sweeps) {
    bool seen[kBodies] = {}, used[kHinges] = {}, moved[kBodies] = {};
    for (i32 seed = kBodies - 1; seed >= 0; --seed) {
      if (seen[seed] || !world.body[seed].awake) continue;
      solve_island(world, scene, seed, seen, used, size, gravity, loads);
    }
    for (i32 b = 0; b < kBodies; ++b) moved[b] = seen[b] && follow(world.body[b], scene.solid(b), sweeps[b]);
    find_contacts(world, scene, moved);
  }

  // The variables of the velocity solver. A round reads and changes all of them except `added`, to which it assigns the
  // changes of the hinges' impulses.
  struct Iterate {
    Motion motion[kBodies];
    Hinge hinge[kHinges];
    Vec impulse[2 * kContacts];
    Vec added[kHinges];
  };

  ENVPOOL_ALWAYS_INLINE static bool same(f32 a, f32 b) { return math::bits(a) == math::bits(b); }
  ENVPOOL_ALWAYS_INLINE static bool same(Vec a, Vec b) { return same(a.x, b.x) && same(a.y, b.y); }
  ENVPOOL_FN static bool same(const Iterate& a, const Iterate& b, const Island& island) {
    for (i32 i = 0; i < island.bodies; ++i) {
      const Motion &x = a.motion[island.body[i]], &y = b.motion[island.body[i]];
      if (!same(x.velocity, y.velocity) || !same(x.spin, y.spin)) return false;
    }
    for (i32 i = 0; i < island.hinges; ++i) {
      const Hinge &x = a.hinge[island.hinge[i]], &y = b.hinge[island.hinge[i]];
      if (!same(x.limit_impulse, y.limit_impulse) || !same(x.motor_impulse, y.motor_impulse)) return false;
    }
    for (i32 i = 0; i < 2 * island.contacts; ++i) {
      if (!same(a.impulse[i], b.impulse[i])) return false;
    }
    return true;
  }

  // Copies what `same` compares.
  ENVPOOL_FN static void copy(Iterate& to, const Iterate& from, const Island& island) {
    for (i32 i = 0; i < island.bodies; ++i) to.motion[island.body[i]] = from.motion[island.body[i]];
    for (i32 i = 0; i < island.hinges; ++i) to.hinge[island.hinge[i]] = from.hinge[island.hinge[i]];
    for (i32 i = 0; i < 2 * island.contacts; ++i) to.impulse[i] = from.impulse[i];
  }

  // Runs the rounds of a solver. A round depends only on the variables that `same` compares, so once these equal those
  // of an earlier round, the rounds are periodic. This often happens within ten rounds. Further whole periods are then
  // not computed. Only the changes of the hinges' impulses, which `same` does not compare, are summed for them.
  template <class Round>
  ENVPOOL_FN static void iterate(Iterate& now, const Island& island, i32 rounds, Round round) {
    constexpr i32 longest = 8;
    Iterate kept;
    copy(kept, now, island);
    i32 kept_at = 0, next = 1;
    for (i32 i = 1; i <= rounds; ++i) {
      round();
      const i32 period = i - kept_at;
      if (period <= longest && rounds - i > 2 * period && same(now, kept, island)) {
        Vec added[longest][kHinges];
        for (i32 k = 0; k < period; ++k) {
          round();
          for (i32 j = 0; j < island.hinges; ++j) added[k][j] = now.added[j];
        }
        i32 left = rounds - i - period;
        for (; left >= period; left -= period) {
          for (i32 k = 0; k < period; ++k) {
            for (i32 j = 0; j < island.hinges; ++j) {
              Vec& impulse = now.hinge[island.hinge[j]].impulse;
              impulse = impulse + added[k][j];
            }
          }
        }
        for (; left > 0; --left) round();
        return;
      }
      if (i == next) {
        copy(kept, now, island);
        kept_at = i;
        next += i < longest ? i : longest;
      }
    }
  }

  // An island and the variables of its solvers.
  struct Problem {
    Island island;
    Place places[kBodies];
    Iterate now;
    ContactSolver contacts[kContacts];
    HingeSolver hinges[kHinges];
  };

  // Solves the island of body `seed`.
  ENVPOOL_DEVICE_CALL static void solve_island(State& world, const Scene& scene, i32 seed, bool* seen, bool* used,
                                               const StepSize& size, Vec gravity, const Load* loads) {
    Problem problem;
    collect(problem.island, world, scene, seed, seen, used);
    begin_island(problem, world, scene, size, gravity, loads);
    solve_velocities(problem, size.velocity_rounds);
    end_island(problem, world, scene, size);
  }

  // Sets up the solvers, with the impulses of the last step.
  ENVPOOL_FN static void begin_island(Problem& problem, State& world, const Scene& scene, const StepSize& size,
                                      Vec gravity, const Load* loads) {
    const f32 seconds = size.seconds, ratio = (1 / seconds) * seconds;
    const Island& island = problem.island;
    Iterate& now = problem.now;
    for (i32 i = 0; i < island.bodies; ++i) {
      const i32 b = island.body[i];
      const Body& body = world.body[b];
      const Solid& solid = scene.solid(b);
      problem.places[b] = {body.center, body.angle};
      now.motion[b] = {body.velocity + seconds * (gravity + solid.inverse_mass * loads[b].force),
                       body.spin + seconds * solid.inverse_inertia * loads[b].torque};
    }
    for (i32 i = 0; i < island.contacts; ++i) {
      ContactSolver& contact = problem.contacts[i];
      prepare(contact, world, scene, island.contact[i]);
      const Manifold& m = *contact.manifold;
      for (i32 j = 0; j < 2; ++j) {
        now.impulse[2 * i + j] = {0, 0};
        if (j < m.count) {
          now.impulse[2 * i + j] = {ratio * m.point[j].normal_impulse, ratio * m.point[j].tangent_impulse};
        }
      }
      contact.begin(problem.places, now.motion);
    }
    for (i32 i = 0; i < island.contacts; ++i) problem.contacts[i].warm_start(&now.impulse[2 * i], now.motion);
    for (i32 i = 0; i < island.hinges; ++i) {
      const i32 h = island.hinge[i];
      const HingeDef def = scene.hinge(h);
      now.hinge[h] = world.hinge[h];
      problem.hinges[i].begin(now.hinge[h], def, inertia(scene, def.first), inertia(scene, def.second), problem.places,
                              now.motion, seconds, ratio);
    }
  }

  ENVPOOL_FN static void solve_velocities(Problem& problem, i32 rounds) {
    const Island& island = problem.island;
    Iterate& now = problem.now;
    iterate(now, island, rounds, [&] {
      for (i32 i = 0; i < island.hinges; ++i) {
        now.added[i] = problem.hinges[i].velocities(now.hinge[island.hinge[i]], now.motion);
      }
      for (i32 i = 0; i < island.contacts; ++i) problem.contacts[i].velocities(&now.impulse[2 * i], now.motion);
    });
  }

  // Keeps the impulses for the next step, moves the bodies and corrects their positions.
  ENVPOOL_FN static void end_island(Problem& problem, State& world, const Scene& scene, const StepSize& size) {
    const Island& island = problem.island;
    Iterate& now = problem.now;
    Place* const places = problem.places;
    for (i32 i = 0; i < island.hinges; ++i) world.hinge[island.hinge[i]] = now.hinge[island.hinge[i]];
    for (i32 i = 0; i < island.contacts; ++i) {
      Manifold& m = world.contact[island.contact[i]].manifold;
      for (i32 j = 0; j < problem.contacts[i].count; ++j) {
        m.point[j].normal_impulse = now.impulse[2 * i + j].x;
        m.point[j].tangent_impulse = now.impulse[2 * i + j].y;
      }
    }
    for (i32 i = 0; i < island.bodies; ++i) {
      const i32 b = island.body[i];
      move(places[b], now.motion[b], size.seconds);
    }
    bool solved = false;
    for (i32 round = 0; round < size.position_rounds && !solved; ++round) {
      f32 gap = 0;
      for (i32 i = 0; i < island.contacts; ++i) gap = least(gap, problem.contacts[i].positions(places, 0.2f));
      solved = gap >= -3 * kSlop;
      for (i32 i = 0; i < island.hinges; ++i) {
        const bool fine = problem.hinges[i].positions(scene.hinge(island.hinge[i]), places);
        solved = solved && fine;
      }
    }
    for (i32 i = 0; i < island.bodies; ++i) settle(world, scene, island.body[i], places, now.motion);
    fall_asleep(world, island, size.seconds, solved);
  }

  ENVPOOL_FN static void settle(State& world, const Scene& scene, i32 b, const Place* places, const Motion* motions) {
    Body& body = world.body[b];
    body.center = places[b].center;
    body.angle = places[b].angle;
    body.velocity = motions[b].velocity;
    body.spin = motions[b].spin;
    body.pose = pose_of(body.center, body.angle, scene.solid(b).center);
  }

  // Puts an island to sleep if it has been at rest for half a second.
  ENVPOOL_FN static void fall_asleep(State& world, const Island& island, f32 seconds, bool solved) {
    constexpr f32 slow = 0.01f, slow_turn = kAngularSlop;
    f32 shortest = kLargest;
    for (i32 i = 0; i < island.bodies; ++i) {
      Body& body = world.body[island.body[i]];
      if (body.spin * body.spin > slow_turn * slow_turn || dot(body.velocity, body.velocity) > slow * slow) {
        body.rest = shortest = 0;
      } else {
        body.rest += seconds;
        shortest = least(shortest, body.rest);
      }
    }
    if (!(shortest >= 0.5f && solved)) return;
    for (i32 i = 0; i < island.bodies; ++i) {
      Body& body = world.body[island.body[i]];
      body.awake = false;
      body.rest = body.spin = 0;
      body.velocity = {0, 0};
    }
  }

#if ENVPOOL_SIMD
  // The variables of a step of a world in a group.
  struct GroupPart {
    Problem problem;
    Sweep sweeps[kBodies];
  };

  // The parts of a step before and after the rounds of the velocity solver.
  ENVPOOL_NOINLINE static void begin(GroupPart& part, const Member& member, const StepSize& size, Vec gravity) {
    State& world = *member.world;
    update_contacts(world, member.scene);
    begin_sweeps(part.sweeps, world, member.scene);
    bool seen[kBodies] = {}, used[kHinges] = {};
    collect(part.problem.island, world, member.scene, kBodies - 1, seen, used);
    begin_island(part.problem, world, member.scene, size, gravity, member.loads);
  }
  ENVPOOL_NOINLINE static void end(GroupPart& part, const Member& member, const StepSize& size) {
    State& world = *member.world;
    end_island(part.problem, world, member.scene, size);
    bool moved[kBodies];
    for (i32 b = 0; b < kBodies; ++b) moved[b] = follow(world.body[b], member.scene.solid(b), part.sweeps[b]);
    find_contacts(world, member.scene, moved);
    solve_impacts(world, member.scene, size, part.sweeps);
  }
#endif

  // The state of a contact in the search for impacts.
  struct Impact {
    f32 time;
    i32 count;
    bool known;
  };

  ENVPOOL_DEVICE_CALL static f32 impact_time(const Scene& scene, const Contact& contact, const Sweep& sweep) {
    const Polygon& shape = scene.solid(contact.body).shape;
    const Points body{shape.vertex, shape.count};
    f32 part;
    if (scene.is_segment(contact.ground)) {
      const Segment segment = scene.segment(contact.ground);
      const Vec ends[2] = {segment.from, segment.to};
      part = time_of_impact({ends, 2}, body, sweep);
    } else {
      const Polygon polygon = scene.polygon(contact.ground);
      part = time_of_impact({polygon.vertex, polygon.count}, body, sweep);
    }
    return part < 1 ? least(sweep.time0 + (1 - sweep.time0) * part, 1) : 1;
  }

  // Handles bodies that would pass through the ground, one after another: moves each back to where it first touches the
  // ground, and then lets it move on from there, with the contact in effect.
  ENVPOOL_FN static void solve_impacts(State& world, const Scene& scene, const StepSize& size, Sweep* sweeps) {
    if (world.contacts == 0) return;
    Impact impacts[kContacts] = {};
    f32 ground_time[kContacts] = {};  // for each contact, the time that its body of the ground has reached
    for (i32 b = 0; b < kBodies; ++b) {
      sweeps[b].center = world.body[b].center;
      sweeps[b].angle = world.body[b].angle;
    }
    const auto set_ground_time = [&](i32 contact, f32 time) {
      const i32 of = scene.ground_body(world.contact[contact].ground);
      for (i32 i = 0; i < world.contacts; ++i) {
        if (scene.ground_body(world.contact[i].ground) == of) ground_time[i] = time;
      }
    };
    // As in Box2D, there are at most nine impacts per contact.
    for (i32 event = 0; event < 9 * kContacts; ++event) {
      i32 first = -1;
      f32 first_time = 1;
      for (i32 i = world.contacts - 1; i >= 0; --i) {
        const Contact& contact = world.contact[i];
        Impact& impact = impacts[i];
        if (!contact.enabled || impact.count > 8) continue;
        if (!impact.known) {
          if (!world.body[contact.body].awake) continue;
          Sweep& sweep = sweeps[contact.body];
          if (ground_time[i] < sweep.time0) {
            set_ground_time(i, sweep.time0);
          } else if (sweep.time0 < ground_time[i]) {
            sweep.advance(ground_time[i]);
          }
          impact = {impact_time(scene, contact, sweep), impact.count, true};
        }
        if (impact.time < first_time) {
          first = i;
          first_time = impact.time;
        }
      }
      if (first < 0 || 1 - 10 * kEpsilon < first_time) break;
      Contact& contact = world.contact[first];
      const i32 b = contact.body;
      const f32 kept_time = ground_time[first];
      const Sweep kept = sweeps[b];
      set_ground_time(first, first_time);
      stop_at(world, scene, b, sweeps[b], first_time);
      update(world, scene, contact);
      impacts[first].known = false;
      ++impacts[first].count;
      if (!contact.touching) {
        contact.enabled = false;
        set_ground_time(first, kept_time);
        sweeps[b] = kept;
        Body& body = world.body[b];
        body.center = kept.center;
        body.angle = kept.angle;
        body.pose = pose_of(body.center, body.angle, kept.local);
        continue;
      }
      wake(world.body[b]);
      i32 touching[kMaxImpactContacts], count = 0;
      touching[count++] = first;
      for (i32 i = world.contacts - 1; i >= 0; --i) {
        if (count == kMaxImpactContacts) break;
        Contact& other = world.contact[i];
        if (i == first || other.body != b) continue;
        const f32 other_time = ground_time[i];
        // The first contact's part of the ground is already at this time.
        if (scene.ground_body(other.ground) != scene.ground_body(contact.ground)) set_ground_time(i, first_time);
        update(world, scene, other);
        if (!other.touching) {
          set_ground_time(i, other_time);
          continue;
        }
        touching[count++] = i;
      }
      solve_impact(world, scene, b, touching, count, size, (1 - first_time) * size.seconds, sweeps[b]);
      for (i32 i = 0; i < world.contacts; ++i) {
        if (world.contact[i].body == b) impacts[i].known = false;
      }
      bool moved[kBodies] = {};
      moved[b] = follow(world.body[b], scene.solid(b), sweeps[b]);
      const i32 before = world.contacts;
      find_contacts(world, scene, moved);
      for (i32 i = before; i < world.contacts; ++i) {
        impacts[i] = {};
        ground_time[i] = 0;
        for (i32 j = 0; j < before; ++j) {
          const i32 of = scene.ground_body(world.contact[j].ground);
          if (of == scene.ground_body(world.contact[i].ground)) ground_time[i] = ground_time[j];
        }
      }
    }
  }

  // Moves a body back to a time within the step.
  ENVPOOL_FN static void stop_at(State& world, const Scene& scene, i32 b, Sweep& sweep, f32 time) {
    sweep.advance(time);
    sweep.center = sweep.center0;
    sweep.angle = sweep.angle0;
    Body& body = world.body[b];
    body.center = sweep.center;
    body.angle = sweep.angle;
    body.pose = pose_of(body.center, body.angle, scene.solid(b).center);
  }

  // Solves the contacts of a body at the time of an impact, and moves it for the rest of the step. Impulses from
  // earlier steps are not used, and the new impulses are not kept for later steps.
  ENVPOOL_DEVICE_CALL static void solve_impact(State& world, const Scene& scene, i32 b, const i32* touching, i32 count,
                                               const StepSize& size, f32 seconds, Sweep& sweep) {
    Place places[kBodies];
    Iterate now{};
    Body& body = world.body[b];
    places[b] = {body.center, body.angle};
    now.motion[b] = {body.velocity, body.spin};
    ContactSolver contacts[kMaxImpactContacts];
    for (i32 i = 0; i < count; ++i) prepare(contacts[i], world, scene, touching[i]);
    bool solved = false;
    for (i32 round = 0; round < 20 && !solved; ++round) {
      f32 gap = 0;
      for (i32 i = 0; i < count; ++i) gap = least(gap, contacts[i].positions(places, 0.75f));
      solved = gap >= -1.5f * kSlop;
    }
    sweep.center0 = places[b].center;
    sweep.angle0 = places[b].angle;
    for (i32 i = 0; i < count; ++i) contacts[i].begin(places, now.motion);
    Island island;
    island.bodies = 1;
    island.body[0] = b;
    island.hinges = 0;
    island.contacts = count;
    iterate(now, island, size.velocity_rounds, [&] {
      for (i32 i = 0; i < count; ++i) contacts[i].velocities(&now.impulse[2 * i], now.motion);
    });
    move(places[b], now.motion[b], seconds);
    settle(world, scene, b, places, now.motion);
    sweep.center = body.center;
    sweep.angle = body.angle;
  }
};

}  // namespace envpool::box2d
