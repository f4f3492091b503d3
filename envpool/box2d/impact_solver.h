// SPDX-License-Identifier: Apache-2.0
//
// Handles bodies that would pass through the ground in a step: moves each back to the time of impact, and lets it move
// on from there.
#pragma once

#include "envpool/box2d/ground_contacts.h"
#include "envpool/box2d/impact.h"
#include "envpool/box2d/island_solver.h"

namespace envpool::box2d {

template <class Scene>
struct ImpactSolver {
  static constexpr i32 kBodies = Scene::kBodies, kHinges = Scene::kHinges, kContacts = Scene::kContacts;
  using State = WorldState<kBodies, kHinges, kContacts>;
  static constexpr i32 kMaxImpactContacts = kContacts < 32 ? kContacts : 32;  // Box2D takes at most 32
  using Contacts = GroundContacts<Scene>;
  using Islands = IslandSolver<Scene>;

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
  ENVPOOL_FN static void solve(State& world, const Scene& scene, const StepSize& size, Sweep* sweeps) {
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
      Contacts::update(world, scene, contact);
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
        Contacts::update(world, scene, other);
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
      moved[b] = Contacts::follow(world.body[b], scene.solid(b), sweeps[b]);
      const i32 before = world.contacts;
      Contacts::find_contacts(world, scene, moved);
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
    typename Islands::Iterate now{};
    Body& body = world.body[b];
    places[b] = {body.center, body.angle};
    now.motion[b] = {body.velocity, body.spin};
    ContactSolver contacts[kMaxImpactContacts];
    for (i32 i = 0; i < count; ++i) Islands::prepare(contacts[i], world, scene, touching[i]);
    bool solved = false;
    for (i32 round = 0; round < 20 && !solved; ++round) {
      f32 gap = 0;
      for (i32 i = 0; i < count; ++i) gap = least(gap, contacts[i].positions(places, 0.75f));
      solved = gap >= -1.5f * kSlop;
    }
    sweep.center0 = places[b].center;
    sweep.angle0 = places[b].angle;
    for (i32 i = 0; i < count; ++i) contacts[i].begin(places, now.motion);
    typename Islands::Island island;
    island.bodies = 1;
    island.body[0] = b;
    island.hinges = 0;
    island.contacts = count;
    Islands::iterate(now, island, size.velocity_rounds, [&] {
      for (i32 i = 0; i < count; ++i) contacts[i].velocities(&now.impulse[2 * i], now.motion);
    });
    Islands::move(places[b], now.motion[b], seconds);
    Islands::settle(world, scene, b, places, now.motion);
    sweep.center = body.center;
    sweep.angle = body.angle;
  }
};

}  // namespace envpool::box2d
