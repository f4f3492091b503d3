// SPDX-License-Identifier: Apache-2.0
//
// Draws the image of CarRacing: the car and its surroundings, and below them indicators and the sum of rewards. The
// image has the same bits as gymnasium's, except for the digits, whose shapes are our own.
#pragma once

#include "envpool/box2d/car.h"
#include "envpool/box2d/digits.h"
#include "envpool/box2d/raster.h"

namespace envpool::box2d {

struct CarColors {
  f64 road[3] = {102, 102, 102};
  u8 background[3] = {102, 204, 102}, grass[3] = {102, 230, 102};

  template <class Draws>
  ENVPOOL_FN void draw(Draws& draws) {
    for (f64& channel : road) channel = draws.uniform(0.0, 210.0);
    f64 drawn[3];
    for (f64& channel : drawn) channel = draws.uniform(0.0, 210.0);
    for (i32 i = 0; i < 3; ++i) background[i] = u8(drawn[i]);
    drawn[draws.below(3)] += 20;
    for (i32 i = 0; i < 3; ++i) grass[i] = u8(drawn[i]);
  }
};

// The camera follows the car, so that the car points upwards.
class Camera {
 public:
  ENVPOOL_FN Camera(const Body& hull, f64 seconds) {
    constexpr f64 far = 0.1 * kTrackScale, near = 2.7 * kTrackScale;
    zoom_ = far * (1 - seconds > 0 ? 1 - seconds : 0) + near * (seconds < 1 ? seconds : 1);
    // Like pygame, treats rotations that are almost quarter turns as quarter turns.
    constexpr f64 turn = 2 * kPi, quarter = kPi / 2, tolerance = 1e-6;
    f64 angle = fmod(-f64(hull.angle), turn);
    if (angle < 0) angle += turn;
    if (fmod(angle + tolerance, quarter) < 2 * tolerance) {
      const i32 quarters = i32((angle + tolerance) / quarter) & 3;
      sine_ = quarters == 1 ? 1 : quarters == 3 ? -1 : 0;
      cosine_ = quarters == 0 ? 1 : quarters == 2 ? -1 : 0;
    } else {
      const auto [sine, cosine] = sincos(angle);
      sine_ = sine;
      cosine_ = cosine;
    }
    const Point middle = rotated({-hull.pose.at.x * zoom_, -hull.pose.at.y * zoom_});
    shift_ = {kCanvasWidth / 2.0 + middle.x, kCanvasHeight / 4.0 + middle.y};
  }

  ENVPOOL_FN Point operator()(Point at) const {
    const Point turned = rotated(at);
    return {turned.x * zoom_ + shift_.x, turned.y * zoom_ + shift_.y};
  }

 private:
  f64 zoom_, sine_, cosine_;
  Point shift_;

  ENVPOOL_FN Point rotated(Point at) const { return {cosine_ * at.x - sine_ * at.y, sine_ * at.x + cosine_ * at.y}; }
};

// The ground: the playfield, patches of grass, and the tiles of the track, each with its border if it has one.
class GroundPicture {
 public:
  static constexpr i32 kPatches = 400, kShapes = 1 + kPatches + 2 * kMaxTiles;

  ENVPOOL_FN GroundPicture(const Track& track, const CarColors& colors, const Camera& camera)
      : track_(track), colors_(colors), camera_(camera), shapes_(1 + kPatches + 2 * track.count) {
    for (i32 i = 0; i < shapes_; ++i) {
      Dot corner[4];
      if (!place(i, corner)) {
        low_[i] = 1;
        high_[i] = 0;
        continue;
      }
      i32 low = corner[0].y, high = corner[0].y;
      for (const Dot& at : corner) {
        low = at.y < low ? at.y : low;
        high = at.y > high ? at.y : high;
      }
      low_[i] = i16(low);
      high_[i] = i16(high);
    }
  }

  template <class Canvas>
  ENVPOOL_FN void draw(Canvas& band) const {
    for (i32 i = 0; i < shapes_; ++i) {
      if (low_[i] > band.last() || high_[i] < band.first()) continue;
      Dot corner[4];
      place(i, corner);
      band.smooth_polygon(corner, color(i));
    }
  }

 private:
  const Track& track_;
  const CarColors& colors_;
  const Camera& camera_;
  i32 shapes_;
  i16 low_[kShapes], high_[kShapes];  // the rows between which a shape lies

  // Computes where a shape's corners are on the canvas. Returns false if gymnasium would not draw the shape.
  ENVPOOL_DEVICE_CALL bool place(i32 shape, Dot (&corner)[4]) const {
    Point at[4];
    if (shape <= kPatches) {
      constexpr f64 size = kPlayfield / 20;
      const i32 patch = shape - 1, x = 2 * (patch / 20) - 20, y = 2 * (patch % 20) - 20;
      f64 right = size * x + size, left = size * x, low = size * y, high = size * y + size;
      if (shape == 0) {
        right = high = kPlayfield;
        left = low = -kPlayfield;
      }
      at[0] = {right, shape == 0 ? high : low};
      at[1] = {shape == 0 ? right : left, low};
      at[2] = {left, shape == 0 ? low : high};
      at[3] = {shape == 0 ? left : right, high};
    } else {
      const i32 tile = (shape - 1 - kPatches) / 2;
      if (is_border(shape)) {
        if (!track_.border[tile]) return false;
        const f64 turn = track_.end[track_.before(tile)].angle - track_.end[tile].angle;
        const f64 side = turn > 0 ? 1 : turn < 0 ? -1 : 0;
        track_.corners(tile, side * kTrackWidth, side * (kTrackWidth + kTrackBorder), at);
      } else {
        track_.corners(tile, -kTrackWidth, kTrackWidth, at);
      }
    }
    bool near = shape == 0;
    for (i32 i = 0; i < 4; ++i) {
      constexpr f64 margin = kPlayfield / 20 * 1.4142135623730951 * 2.7 * kTrackScale;
      const Point seen = camera_(at[i]);
      near = near || (-margin <= seen.x && seen.x <= kCanvasWidth + margin && -margin <= seen.y &&
                      seen.y <= kCanvasHeight + margin);
      corner[i] = whole(seen.x, seen.y);
    }
    return near;
  }
  ENVPOOL_FN static bool is_border(i32 shape) { return (shape - 1 - kPatches) % 2 == 1; }

  ENVPOOL_FN Pixel color(i32 shape) const {
    const u8* const plain = shape == 0 ? colors_.background : colors_.grass;
    if (shape <= kPatches) return rgb(plain[0], plain[1], plain[2]);
    const i32 tile = (shape - 1 - kPatches) / 2;
    if (is_border(shape)) return tile % 2 == 0 ? rgb(255, 255, 255) : rgb(255, 0, 0);
    // Tiles have one of three shades until something has touched them.
    const f64 shade = track_.touched[tile] ? 0 : 0.01 * (tile % 3) * 255;
    u8 channel[3];
    for (i32 i = 0; i < 3; ++i) {
      f64 value = colors_.road[i] + shade;
      keep_within(value, 0.0, 255.0);
      channel[i] = u8(value);
    }
    return rgb(channel[0], channel[1], channel[2]);
  }
};

template <class Canvas>
ENVPOOL_DEVICE_CALL void draw_shape(Canvas& band, const Camera& camera, const Polygon& shape, const Pose& pose,
                                    Pixel color) {
  Dot corner[kMaxVertices];
  for (i32 i = 0; i < shape.count; ++i) {
    const Vec at = to_world(pose, shape.vertex[i]);
    const Point seen = camera({at.x, at.y});
    corner[i] = whole(seen.x, seen.y);
  }
  band.polygon(corner, shape.count, color);
}

template <class Canvas>
ENVPOOL_FN void draw_car(Canvas& band, const Car& car, const Camera& camera) {
  for (i32 i = 0; i < kWheels; ++i) {
    const Pose& pose = car.wheel_body(i).pose;
    draw_shape(band, camera, CarScene{}.solid(i + 1).shape, pose, rgb(0, 0, 0));
    // A bright strip shows how the wheel turns about its axle.
    const auto [sine1, cosine1] = sincos(car.wheel[i].phase);
    const auto [sine2, cosine2] = sincos(car.wheel[i].phase + 1.2);
    if (sine1 > 0 && sine2 > 0) continue;
    const auto end = [](f64 sine, f64 cosine) { return sine > 0 ? f64(cosine > 0 ? 1 : cosine < 0 ? -1 : 0) : cosine; };
    const f32 y1 = f32(27 * end(sine1, cosine1) * kCarSize), y2 = f32(27 * end(sine2, cosine2) * kCarSize);
    constexpr f32 x = f32(14 * kCarSize);
    Polygon strip{};
    strip.count = 4;
    strip.vertex[0] = {-x, y1};
    strip.vertex[1] = {x, y1};
    strip.vertex[2] = {x, y2};
    strip.vertex[3] = {-x, y2};
    draw_shape(band, camera, strip, pose, rgb(77, 77, 77));
  }
  for (i32 part = 0; part < kHullParts; ++part) {
    draw_shape(band, camera, CarScene::hull_part(part), car.hull().pose, rgb(204, 0, 0));
  }
}

// The indicators: speed, the spin of each wheel, the angle of the front wheels, and how fast the car turns.
template <class Canvas>
ENVPOOL_FN void draw_indicators(Canvas& band, const Car& car, f64 score) {
  constexpr f64 across = kCanvasWidth / 40.0, down = kCanvasHeight / 40.0;
  band.box(0, i32(kCanvasHeight - 5 * down), kCanvasWidth, kCanvasHeight, rgb(0, 0, 0));
  const auto column = [&](i32 at, f64 shown, f64 value, Pixel color) {
    if (!(fabs(shown) > 1e-4)) return;
    band.box(i32(at * across), whole(kCanvasHeight - (down + down * value)), i32((at + 1) * across),
             i32(kCanvasHeight - down), color);
  };
  const auto bar = [&](i32 at, f64 shown, f64 value, Pixel color) {
    if (!(fabs(shown) > 1e-4)) return;
    band.box(i32(at * across), i32(kCanvasHeight - 4 * down), whole((at + value) * across),
             i32(kCanvasHeight - 2 * down), color);
  };
  const f64 vx = car.hull().velocity.x, vy = car.hull().velocity.y, speed = sqrt(vx * vx + vy * vy);
  column(5, speed, 0.02 * speed, rgb(255, 255, 255));
  for (i32 i = 0; i < kWheels; ++i) {
    column(7 + i, car.wheel[i].spin, 0.01 * car.wheel[i].spin, i < 2 ? rgb(0, 0, 255) : rgb(51, 0, 255));
  }
  const f64 angle = car.joint_angle(0), spin = car.hull().spin;
  bar(20, angle, -10.0 * angle, rgb(0, 255, 0));
  bar(30, spin, -0.8 * spin, rgb(255, 0, 0));
  draw_number(band, score);
}

// Draws the image with kWidth x kHeight pixels.
template <i32 kWidth, i32 kHeight>
ENVPOOL_DEVICE_CALL void draw_car_racing(const Car& car, const Track& track, const CarColors& colors, f64 seconds,
                                         f64 score, u8* image) {
  constexpr i32 rows = ENVPOOL_HOST ? 25 : 1, panel = kCanvasHeight - kCanvasHeight / 8;
  const Camera camera(car.hull(), seconds);
  const GroundPicture ground(track, colors, camera);
  Shrinker<kWidth, kHeight> shrinker;
  // The rows of the ground are drawn in reverse order, because its y axis points upwards.
  for (i32 y = 0; y < panel; y += rows) {
    Band<rows, kWidth> band(kCanvasHeight - rows - y);
    ground.draw(band);
    draw_car(band, car, camera);
    for (i32 i = band.last(); i >= band.first(); --i) shrinker.add(band.row(i), image);
  }
  for (i32 y = panel; y < kCanvasHeight; y += rows) {
    Band<rows, kWidth> band(y);
    draw_indicators(band, car, score);
    for (i32 i = band.first(); i <= band.last(); ++i) shrinker.add(band.row(i), image);
  }
}

}  // namespace envpool::box2d
