// SPDX-License-Identifier: Apache-2.0
//
// The state of a world: its bodies, their contacts with the ground, and the joints.
#pragma once

#include "envpool/box2d/hinge.h"
#include "envpool/box2d/manifold.h"

namespace envpool::box2d {

struct Body {
  Vec center;  // of mass
  f32 angle;
  Vec velocity;  // of the centre, in m/s
  f32 spin;      // in rad/s
  Pose pose;
  Box fat;   // contacts are searched within this box; its margin makes changes of the box rare
  f32 rest;  // the time for which the body has been at rest, in s
  bool awake;
};

struct Contact {
  Manifold manifold;
  i16 ground;
  u8 body;
  bool touching, enabled;
};

template <i32 kBodies, i32 kHinges, i32 kContacts>
struct WorldState {
  Body body[kBodies];
  Hinge hinge[kHinges];
  i32 contacts;
  Contact contact[kContacts];  // the oldest first; Box2D visits them from the newest to the oldest
  bool grounded[kBodies];      // whether a contact of the body has begun since one last ended
  bool crashed;                // whether the first body has touched the ground
};

// The duration of a step, and the numbers of rounds of the solvers.
struct StepSize {
  f32 seconds;
  i32 velocity_rounds, position_rounds;
};

// A force and a torque that act during one step.
struct Load {
  Vec force;
  f32 torque;
};

ENVPOOL_FN void wake(Body& body) {
  if (!body.awake) {
    body.awake = true;
    body.rest = 0;
  }
}

// Places a body whose origin is at `at`.
ENVPOOL_FN void place(Body& body, const Solid& solid, Vec at, f32 angle) {
  body = {};
  body.pose = {at, rotation(angle)};
  body.center = to_world(body.pose, solid.center);
  body.angle = angle;
  body.fat = widen(bounds(solid.shape, body.pose), 0.1f);
  body.awake = true;
}

ENVPOOL_FN void push(Body& body, const Solid& solid, Vec impulse, Vec at) {
  wake(body);
  body.velocity = body.velocity + solid.inverse_mass * impulse;
  body.spin += solid.inverse_inertia * cross(at - body.center, impulse);
}

// Makes a world safe to step, even if it was restored from arbitrary bytes.
template <i32 kBodies, i32 kHinges, i32 kContacts>
ENVPOOL_FN void repair(WorldState<kBodies, kHinges, kContacts>& world, i32 grounds) {
  for (Body& body : world.body) keep_bool(body.awake);
  for (bool& grounded : world.grounded) keep_bool(grounded);
  keep_bool(world.crashed);
  keep_within(world.contacts, 0, kContacts);
  for (Contact& contact : world.contact) {
    keep_within(contact.ground, i16(0), i16(grounds - 1));
    keep_within(contact.body, u8(0), u8(kBodies - 1));
    keep_within(contact.manifold.count, u8(0), u8(2));
    keep_bool(contact.manifold.edge_of_body);
    keep_bool(contact.enabled);
    keep_bool(contact.touching);
    contact.touching = contact.manifold.count > 0;
  }
}

}  // namespace envpool::box2d
