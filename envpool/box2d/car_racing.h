// SPDX-License-Identifier: Apache-2.0
//
// CarRacing: drive a car around a random track, seen from above.
//
//   Action       f32[3]: steering from -1, full left, to 1; gas and brake from 0 to 1. With continuous = false, i32, 0
//                to 4: nothing, right, left, gas, brake
//   Observation  u8[96, 96, 3]: the surroundings of the car, with indicators of its speed, its wheels, its steering and
//                its turning, and the sum of rewards
//   Reward       1000 divided by the number of tiles, for each tile that a wheel touches for the first time, less 0.1
//                for each step; -100 for leaving the playfield
//   Terminated   all tiles have been touched; a wheel touches the first tile for the first time, after more than the
//                fraction `lap_complete_percent` of all tiles has been touched; |x| or |y| is above 333 m
//   Truncated    after 1000 steps
//   Reset        a random track; with domain_randomize = true, also random colours. As in gymnasium, the first
//                observation comes from a step without control.
//
// Reference: gymnasium 1.4.0, box2d/car_racing.py and car_dynamics.py, with the packages box2d 2.3.10 and pygame-ce
// 2.5.8.
#pragma once

#include "envpool/box2d/car_picture.h"

namespace envpool::box2d {

struct CarRacing {
  static constexpr const char* kName = "CarRacing";
  static constexpr i32 kSide = 96;

  struct Params {
    bool continuous, randomize;
    f64 lap_complete;
  };

  struct State {
    Car car;
    Track track;
    CarColors colors;
    bool lap_complete;
    i32 visited;  // tiles
    f64 seconds, score, last_score;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.real("lap_complete_percent", 0.95, "the fraction of tiles after which reaching the first tile ends the episode")
        .between(0, 1)
        .sets(&Params::lap_complete);
    o.boolean("domain_randomize", false, "the colours of road and grass are random in each episode")
        .sets(&Params::randomize);
    o.boolean("continuous", true, "actions are steering, gas and brake").changes_shapes().sets(&Params::continuous);
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<u8>("obs", {kSide, kSide, 3}).bounds(0, 255).doc("RGB image of the car's surroundings and indicators");
    if (p.continuous) {
      s.action<f32>("action", {3}).bounds({-1, 0, 0}, {1, 1, 1}).doc("steering, gas, brake");
    } else {
      s.action<i32>().categories(5).doc("nothing, right, left, gas, brake");
    }
    s.render_fps = 50;
    s.render_height = 400;
    s.render_width = 600;
  }
  static void render(const State& s, const Params&, u8* rgb) { draw<600, 400>(s, rgb); }
#endif

  template <class Draws>
  ENVPOOL_FN static void reset(State& s, const Params& p, Draws& draws) {
    s.colors = {};
    if (p.randomize) s.colors.draw(draws);
    make_track(s.track, draws);
    s.lap_complete = false;
    s.visited = 0;
    s.seconds = s.score = s.last_score = 0;
    s.car.place_at(s.track.end[0]);
    advance(s, p);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, auto&) {
    if (p.continuous) {
      const f32* const levels = action.at<f32, 3>(0);
      f64 steer = -f64(levels[0]), gas = levels[1], brake = levels[2];
      keep_within(steer, -1.0, 1.0);  // values beyond have the same effect as these limits
      keep_within(gas, 0.0, 1.0);
      keep_within(brake, 0.0, 1.0);
      s.car.control(steer, gas, brake);
    } else {
      const i32 button = *action.at<i32>(0);
      s.car.control(button == 1 ? -0.6 : button == 2 ? 0.6 : 0, button == 3 ? 0.2 : 0, button == 4 ? 0.8 : 0);
    }
    advance(s, p);
    s.score -= 0.1;
    f64 reward = s.score - s.last_score;
    s.last_score = s.score;
    bool terminated = s.visited == s.track.count || s.lap_complete;
    const Vec at = s.car.hull().pose.at;
    if (fabs(f64(at.x)) > kPlayfield || fabs(f64(at.y)) > kPlayfield) {
      reward = -100;
      terminated = true;
    }
    return {.reward = f32(reward), .terminated = terminated};
  }

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) {
    draw<kSide, kSide>(s, row.at<u8, kSide * kSide * 3>(0));
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    box2d::repair(s.car.world, 1);
    s.car.world.contacts = 0;
    for (Wheel& wheel : s.car.wheel) keep_bool(wheel.on_road);
    keep_within(s.track.count, 1, kMaxTiles);
    keep_within(s.visited, 0, kMaxTiles);
    keep_bool(s.lap_complete);
    for (i32 i = 0; i < kMaxTiles; ++i) {
      keep_bool(s.track.border[i]);
      keep_bool(s.track.touched[i]);
      keep_bool(s.track.visited[i]);
    }
  }

 private:
  ENVPOOL_FN static void advance(State& s, const Params& p) {
    s.car.step([&] { sense(s, p); });
    s.seconds += Car::kSeconds;
  }

  // Finds which tiles the car touches. In the first step, Box2D reports them from the last tile to the first tile. In
  // later steps it may report them in another order. The order matters only if the first tile has not been visited yet,
  // which is rare: the car starts on the first tile in all but about one of 10,000 tracks.
  ENVPOOL_DEVICE_CALL static void sense(State& s, const Params& p) {
    Box box[kHullParts + kWheels];
    const auto shape = [](i32 part) -> const Polygon& {
      return part < kHullParts ? CarScene::hull_part(part) : CarScene{}.solid(1).shape;
    };
    const auto pose = [&](i32 part) -> const Pose& {
      return s.car.world.body[part < kHullParts ? 0 : part - kHullParts + 1].pose;
    };
    for (i32 part = 0; part < kHullParts + kWheels; ++part) {
      box[part] = widen(bounds(shape(part), pose(part)), 0.1f);
    }
    for (Wheel& wheel : s.car.wheel) wheel.on_road = false;
    const Vec at = s.car.hull().pose.at;
    for (i32 tile = s.track.count - 1; tile >= 0; --tile) {
      const TileEnd& end = s.track.end[tile];
      constexpr f64 far = 25;  // more than a tile's and the car's length together
      if (fabs(end.x - at.x) > far || fabs(end.y - at.y) > far) continue;
      const Polygon ground = s.track.shape(tile);
      const Box area = bounds(ground);
      for (i32 part = 0; part < kHullParts + kWheels; ++part) {
        if (!overlap(area, box[part]) || !touches(ground, shape(part), pose(part))) continue;
        s.track.touched[tile] = true;
        if (part < kHullParts) continue;
        s.car.wheel[part - kHullParts].on_road = true;
        if (s.track.visited[tile]) continue;
        s.track.visited[tile] = true;
        s.score += 1000.0 / s.track.count;
        count_up(s.visited);
        if (tile == 0 && f64(s.visited) / s.track.count > p.lap_complete) s.lap_complete = true;
      }
    }
  }

  template <i32 kWidth, i32 kHeight>
  ENVPOOL_FN static void draw(const State& s, u8* rgb) {
    draw_car_racing<kWidth, kHeight>(s.car, s.track, s.colors, s.seconds, s.score, rgb);
  }
};

}  // namespace envpool::box2d
