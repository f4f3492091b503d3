// SPDX-License-Identifier: Apache-2.0
//
// Solves the motion of an island: bodies that are connected, with their contacts and joints. The rounds of the velocity
// solver end when their results repeat.
#pragma once

#include "envpool/box2d/body.h"
#include "envpool/box2d/contact_solver.h"

namespace envpool::box2d {

template <class Scene>
struct IslandSolver {
  static constexpr i32 kBodies = Scene::kBodies, kHinges = Scene::kHinges, kContacts = Scene::kContacts;
  using State = WorldState<kBodies, kHinges, kContacts>;

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
    i32 kept_round = 0, next = 1;
    for (i32 i = 1; i <= rounds; ++i) {
      round();
      const i32 period = i - kept_round;
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
        kept_round = i;
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
  ENVPOOL_DEVICE_CALL static void solve(State& world, const Scene& scene, i32 seed, bool* seen, bool* used,
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
};

}  // namespace envpool::box2d
