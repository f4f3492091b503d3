// SPDX-License-Identifier: Apache-2.0
//
// CarRacing's car, seen from above: a hull with four wheels. The engine drives the rear wheels, and the front wheels
// steer. Nothing collides with the car. Tiles of the track only report whether a part of the car touches them.
#pragma once

#include "envpool/box2d/track.h"
#include "envpool/box2d/world.h"

namespace envpool::box2d {

inline constexpr f64 kCarSize = 0.02;  // metres per unit of the numbers below
inline constexpr i32 kWheels = 4, kHullParts = 4;

constexpr Polygon car_shape(i32 part) {
  constexpr auto at = [](f64 x, f64 y) { return Vec{f32(x * kCarSize), f32(y * kCarSize)}; };
  if (part == 0) return hull({at(-60, 130), at(60, 130), at(60, 110), at(-60, 110)});
  if (part == 1) return hull({at(-15, 120), at(15, 120), at(20, 20), at(-20, 20)});
  if (part == 2) {
    return hull(
        {at(25, 20), at(50, -10), at(50, -40), at(20, -90), at(-20, -90), at(-50, -40), at(-50, -10), at(-25, 20)});
  }
  if (part == 3) return hull({at(-50, -120), at(50, -120), at(50, -90), at(-50, -90)});
  return hull({at(-14, 27), at(14, 27), at(14, -27), at(-14, -27)});  // a wheel
}
constexpr Solid car_hull() {
  const Polygon parts[kHullParts] = {car_shape(0), car_shape(1), car_shape(2), car_shape(3)};
  return solid(parts, 1, 0.2f, 0);
}

// The bodies: the hull and the wheels, each wheel on a hinge with a motor.
struct CarScene {
  static constexpr i32 kBodies = 1 + kWheels, kHinges = kWheels;
  static constexpr i32 kContacts = 2;  // unused, but compilers refuse empty arrays and warn about one element

  ENVPOOL_FN static const Polygon& hull_part(i32 part) {
    static constexpr Polygon parts[kHullParts] = {car_shape(0), car_shape(1), car_shape(2), car_shape(3)};
    return parts[part];
  }
  ENVPOOL_FN const Solid& solid(i32 body) const {
    static constexpr Solid hull_and_wheel[2] = {car_hull(), box2d::solid(car_shape(kHullParts), 0.1f, 0.2f, 0)};
    return hull_and_wheel[body != 0];
  }
  // Returns the position of a wheel relative to the hull, in m.
  ENVPOOL_FN static Point mount(i32 wheel) {
    return {((wheel & 1) != 0 ? 55 : -55) * kCarSize, (wheel < 2 ? 80 : -82) * kCarSize};
  }
  ENVPOOL_FN HingeDef hinge(i32 index) const {
    const Point at = mount(index);
    return {.first = 0,
            .second = index + 1,
            .anchor_first = {f32(at.x), f32(at.y)},
            .anchor_second = {0, 0},
            .reference = 0,
            .low = -0.4f,
            .high = 0.4f};
  }
  template <class F>
  ENVPOOL_FN void nearby(const Box&, F) const {}
  ENVPOOL_FN bool is_segment(i32) const { return false; }
  ENVPOOL_FN Segment segment(i32) const { return {}; }
  ENVPOOL_FN Polygon polygon(i32) const { return {}; }
  ENVPOOL_FN f32 ground_friction(i32) const { return 0; }
  ENVPOOL_FN i32 ground_body(i32) const { return 0; }
};

struct Wheel {
  f64 spin, phase;  // its rotation about its axle, in rad/s and rad
  bool on_road;
};

struct Car {
  using Physics = Stepper<CarScene>;
  static constexpr f64 kSeconds = 1.0 / 50;

  Physics::State world;
  Wheel wheel[kWheels];
  f64 steer, gas, brake;  // the position of the steering wheel and of the pedals

  ENVPOOL_FN const Body& hull() const { return world.body[0]; }
  ENVPOOL_FN const Body& wheel_body(i32 index) const { return world.body[index + 1]; }
  ENVPOOL_FN f32 joint_angle(i32 index) const { return wheel_body(index).angle - hull().angle; }

  ENVPOOL_FN void place_at(const TileEnd& start) {
    const CarScene scene;
    const f32 angle = f32(start.angle);
    place(world.body[0], scene.solid(0), {f32(start.x), f32(start.y)}, angle);
    for (i32 i = 0; i < kWheels; ++i) {
      const Point at = CarScene::mount(i);  // not rotated, as in gymnasium; the hinges pull the wheels to their places
      place(world.body[i + 1], scene.solid(i + 1), {f32(start.x + at.x), f32(start.y + at.y)}, angle);
      world.hinge[i] = {};
      world.hinge[i].motor_torque = f32(180 * 900 * kCarSize * kCarSize);
      wheel[i] = {};
    }
    Physics::begin(world, scene);
    steer = gas = brake = 0;
  }

  ENVPOOL_FN void control(f64 new_steer, f64 new_gas, f64 new_brake) {
    steer = new_steer;
    const f64 more = new_gas - gas;
    gas += more > 0.1 ? 0.1 : more;  // the engine takes time to speed up
    brake = new_brake;
  }

  // Steps by a fiftieth of a second. Calls `sense()` at the time at which Box2D finds out which tiles the car touches.
  template <class F>
  ENVPOOL_FN void step(F sense) {
    Load loads[CarScene::kBodies] = {};
    for (i32 i = 0; i < kWheels; ++i) loads[i + 1].force = drive(i);
    for (Body& body : world.body) wake(body);
    sense();
    Physics::step(world, CarScene{}, {f32(kSeconds), 180, 60}, {0, 0}, loads);
  }

 private:
  // Turns a wheel, and returns the force on it.
  ENVPOOL_FN Vec drive(i32 index) {
    constexpr f64 power = 1e8 * kCarSize * kCarSize, inertia = 4000 * kCarSize * kCarSize, radius = 27 * kCarSize,
                  road = 1000000 * kCarSize * kCarSize, grass = road * 0.6, stiffness = 205000 * kCarSize * kCarSize;
    const bool front = index < 2;
    Wheel& w = wheel[index];
    const Body& body = wheel_body(index);
    const f64 away = (front ? steer : 0) - f64(joint_angle(index)), fast = 50 * fabs(away);
    world.hinge[index].motor_speed = f32((away > 0 ? 1 : away < 0 ? -1 : 0) * (fast < 3 ? fast : 3));
    const f64 most = w.on_road ? road : grass;
    const Rotation turn = body.pose.turn;
    const f64 forward_x = -turn.sin, forward_y = turn.cos, side_x = turn.cos, side_y = turn.sin;
    const f64 vx = body.velocity.x, vy = body.velocity.y;
    const f64 forward_speed = forward_x * vx + forward_y * vy, side_speed = side_x * vx + side_y * vy;
    w.spin += kSeconds * power * (front ? 0 : gas) / inertia / (fabs(w.spin) + 5);
    if (brake >= 0.9) {
      w.spin = 0;
    } else if (brake > 0) {
      const f64 by = 15 * brake;
      if (by > fabs(w.spin)) {
        w.spin = 0;
      } else {
        w.spin -= w.spin > 0 ? by : -by;
      }
    }
    w.phase += w.spin * kSeconds;
    f64 along = (-forward_speed + w.spin * radius) * stiffness, across = -side_speed * stiffness;
    const f64 size = sqrt(along * along + across * across);
    if (size > most) {  // the tyre slips
      along = along / size * most;
      across = across / size * most;
    }
    w.spin -= kSeconds * along * radius / inertia;
    return {f32(across * side_x + along * forward_x), f32(across * side_y + along * forward_y)};
  }
};

}  // namespace envpool::box2d
