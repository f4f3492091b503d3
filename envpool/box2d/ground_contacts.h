// SPDX-License-Identifier: Apache-2.0
//
// The contacts of bodies with the ground: which exist, and where they touch. A Scene is described in world.h.
#pragma once

#include "envpool/box2d/body.h"
#include "envpool/box2d/impact.h"
#include "envpool/box2d/manifold.h"

namespace envpool::box2d {

template <class Scene>
struct GroundContacts {
  static constexpr i32 kBodies = Scene::kBodies, kHinges = Scene::kHinges, kContacts = Scene::kContacts;
  using State = WorldState<kBodies, kHinges, kContacts>;

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
};

}  // namespace envpool::box2d
