// SPDX-License-Identifier: Apache-2.0
//
// CarRacing's track: a closed loop of tiles that passes twelve random checkpoints.
#pragma once

#include "envpool/box2d/impact.h"

namespace envpool::box2d {

inline constexpr f64 kTrackScale = 6, kTrackRadius = 900 / kTrackScale, kTrackWidth = 40 / kTrackScale,
                     kTrackBorder = 8 / kTrackScale, kTrackStep = 21 / kTrackScale, kTrackTurn = 0.31,
                     kPlayfield = 2000 / kTrackScale;
inline constexpr i32 kMaxTiles = 512;  // a longer track is drawn anew: 1 of 200,000

// The line across the track where a tile ends: its middle, and its angle to the x axis. The tile begins where the
// previous tile ends.
struct TileEnd {
  f64 angle, x, y;
};

struct Point {
  f64 x, y;
};

struct Track {
  i32 count;
  TileEnd end[kMaxTiles];
  bool border[kMaxTiles];   // whether the tile has a border of red and white
  bool touched[kMaxTiles];  // whether a part of the car has touched the tile
  bool visited[kMaxTiles];  // whether a wheel has touched the tile

  ENVPOOL_FN i32 before(i32 tile) const { return tile > 0 ? tile - 1 : count - 1; }

  // Computes the corners of a strip along a tile, which reaches from `inner` to `outer`, measured from the track's
  // middle line to the right. From -kTrackWidth to kTrackWidth, it is the whole tile.
  ENVPOOL_FN void corners(i32 tile, f64 inner, f64 outer, Point (&corner)[4]) const {
    for (i32 i = 0; i < 2; ++i) {
      const TileEnd& at = end[i == 0 ? tile : before(tile)];
      const auto [sine, cosine] = sincos(at.angle);
      corner[i == 0 ? 0 : 3] = {at.x + inner * cosine, at.y + inner * sine};
      corner[i == 0 ? 1 : 2] = {at.x + outer * cosine, at.y + outer * sine};
    }
  }
  ENVPOOL_FN Polygon shape(i32 tile) const {
    Point corner[4];
    corners(tile, -kTrackWidth, kTrackWidth, corner);
    Vec points[4];
    for (i32 i = 0; i < 4; ++i) points[i] = {f32(corner[i].x), f32(corner[i].y)};
    return outline(points);
  }
};

// Drives around the checkpoints. Every step of 3.5 m ends at a place where a tile may end.
class TrackMaker {
 public:
  struct Step {
    f64 around;  // the angle of the place, seen from the origin
    TileEnd end;
  };

  static constexpr i32 kCheckpoints = 12, kMaxSteps = 2500;
  static constexpr f64 kStart = 2 * kPi * -0.5 / kCheckpoints;  // the angle at which a lap ends and the next begins

  template <class Draws>
  ENVPOOL_FN explicit TrackMaker(Draws& draws, bool regular) {
    for (i32 i = 0; i < kCheckpoints; ++i) {
      constexpr f64 apart = 2 * kPi / kCheckpoints, least = kTrackRadius / 3;
      const f64 noise = regular ? apart / 2 : draws.uniform(0.0, apart);
      const f64 radius = regular ? kTrackRadius * 0.75 : draws.uniform(least, kTrackRadius);
      const f64 base = 2 * kPi * i / kCheckpoints;
      const bool fixed = i == 0 || i == kCheckpoints - 1;
      angle_[i] = fixed ? base : base + noise;
      const f64 size = fixed ? 1.5 * kTrackRadius : radius;
      const auto [sine, cosine] = sincos(angle_[i]);
      x_[i] = size * cosine;
      y_[i] = size * sine;
    }
  }

  // Makes the track of the last lap that is complete. Returns false if there is none, if its ends do not meet, or if it
  // has more than kMaxTiles tiles.
  ENVPOOL_FN bool make(Track& track) const {
    i32 first = -1, last = -1;
    f64 before = 0;
    Drive drive{};
    for (i32 i = 0; !drive.done; ++i) {
      const f64 around = advance(drive).around;
      if (i > 0 && around > kStart && before <= kStart) {
        first = last;
        last = i;
      }
      before = around;
    }
    track.count = last - 1 - first;
    if (first < 0 || track.count <= kBorderLength || track.count > kMaxTiles) return false;
    drive = {};
    for (i32 i = 0; i < last - 1; ++i) {
      const Step step = advance(drive);
      if (i >= first) track.end[i - first] = step.end;
    }
    const TileEnd &head = track.end[0], &tail = track.end[track.count - 1];
    const auto [sine, cosine] = sincos(head.angle);
    const f64 x = cosine * (head.x - tail.x), y = sine * (head.y - tail.y);
    if (sqrt(x * x + y * y) > kTrackStep) return false;
    mark_borders(track);
    for (i32 i = 0; i < track.count; ++i) track.touched[i] = track.visited[i] = false;
    return true;
  }

 private:
  static constexpr i32 kBorderLength = 4;
  f64 angle_[kCheckpoints], x_[kCheckpoints], y_[kCheckpoints];

  struct Drive {
    f64 x = 1.5 * kTrackRadius, y = 0, heading = 0;
    i32 checkpoint = 0, laps = 0, steps = 0;
    bool beyond = false;  // whether this lap has been in the lower half plane
    bool done = false;
  };

  ENVPOOL_FN Step advance(Drive& drive) const {
    f64 around = atan2(drive.y, drive.x);
    if (drive.beyond && around > 0) {
      ++drive.laps;
      drive.beyond = false;
    }
    if (around < 0) {
      drive.beyond = true;
      around += 2 * kPi;
    }
    // Searches for the next checkpoint that lies ahead. After the last checkpoint, a full turn is subtracted from the
    // angle, so that the first checkpoint lies ahead.
    while (around > angle_[drive.checkpoint]) {
      if (++drive.checkpoint == kCheckpoints) {
        drive.checkpoint = 0;
        around -= 2 * kPi;
      }
    }
    const auto [sine, cosine] = sincos(drive.heading);
    f64 aside = cosine * (x_[drive.checkpoint] - drive.x) + sine * (y_[drive.checkpoint] - drive.y);
    while (drive.heading - around > 1.5 * kPi) drive.heading -= 2 * kPi;
    while (drive.heading - around < -1.5 * kPi) drive.heading += 2 * kPi;
    const f64 before = drive.heading;
    aside *= kTrackScale;
    const f64 wanted = fabs(0.001 * aside), turn = wanted < kTrackTurn ? wanted : kTrackTurn;
    if (aside > 0.3) drive.heading -= turn;
    if (aside < -0.3) drive.heading += turn;
    drive.x += -sine * kTrackStep;
    drive.y += cosine * kTrackStep;
    drive.done = drive.laps > 4 || ++drive.steps == kMaxSteps;
    return {around, {before * 0.5 + drive.heading * 0.5, drive.x, drive.y}};
  }

  // Sharp turns, and the three tiles before each of them, have borders.
  ENVPOOL_FN static void mark_borders(Track& track) {
    const auto wrapped = [&](i32 i) { return i < 0 ? i + track.count : i; };
    for (i32 i = 0; i < track.count; ++i) {
      bool sharp = true;
      i32 side = 0;
      for (i32 back = 0; back < kBorderLength; ++back) {
        const f64 turn = track.end[wrapped(i - back)].angle - track.end[wrapped(i - back - 1)].angle;
        sharp = sharp && fabs(turn) > kTrackTurn * 0.2;
        side += turn > 0 ? 1 : turn < 0 ? -1 : 0;
      }
      track.border[i] = sharp && (side == kBorderLength || side == -kBorderLength);
    }
    for (i32 i = 0; i < track.count; ++i) {
      for (i32 back = 0; back < kBorderLength; ++back) {
        bool& border = track.border[wrapped(i - back)];
        border = border || track.border[i];
      }
    }
  }
};

// Draws tracks until one can be closed; 7 in 100 cannot. After a hundred attempts, makes a fixed track.
template <class Draws>
ENVPOOL_FN void make_track(Track& track, Draws& draws) {
  bool done = false;
  for (i32 i = 0; i < 100 && !done; ++i) done = TrackMaker(draws, /*regular=*/false).make(track);
  if (!done) TrackMaker(draws, /*regular=*/true).make(track);
}

// Returns whether a shape touches a tile, as Box2D decides it for sensors: shapes that are at most two skins apart
// touch.
ENVPOOL_DEVICE_CALL bool touches(const Polygon& tile, const Polygon& shape, const Pose& pose) {
  Closest closest{};
  const f32 apart = distance({tile.vertex, tile.count}, {shape.vertex, shape.count}, pose, closest);
  constexpr f32 skins = kSkin + kSkin;
  return !(apart > skins && apart > kEpsilon) || apart - skins < 10 * kEpsilon;
}

}  // namespace envpool::box2d
