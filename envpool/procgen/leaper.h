// SPDX-License-Identifier: Apache-2.0
//
// Leaper: a frog crosses a road between cars, and a river on logs, to a finish line.
//
//   Action       i32, 0 to 2 left, 3 down, 4 nothing, 5 up, 6 to 8 right, 9 to 14 nothing; it is ignored during a leap
//   Observation  u8[3, 64, 64], RGB, of the whole world
//   Reward       10 at the finish line
//   Terminated   at the finish line, when a car touches the frog, in water, and beyond the world
//   Truncated    after 500 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the lanes, and cars and logs
//
// The world has 9 by 9 cells with distribution_mode "easy", 15 by 15 with "hard", and 20 by 20 with "extreme".
// Reference: see game.h.
#pragma once

#include "envpool/procgen/mover.h"
#include "envpool/procgen/walls.h"

namespace envpool::procgen {

struct ProcgenLeaper : GameOf<ProcgenLeaper> {
  static constexpr const char* kName = "ProcgenLeaper";
  static constexpr const char* kModes[] = {"easy", "hard", "extreme", "exploration"};
  static constexpr const char* kActionsText = kStraightMoves;
  static constexpr i32 kTimeLimit = 500, kExplorationSeed = 1318677581, kMostCells = 20;
  static constexpr i32 kMostLanes = 5;    // of each kind
  static constexpr i32 kMostThings = 28;  // on a lane, because they do not overlap
  static constexpr f32 kHalf = 0.4f, kCarHalfWidth = 0.5f, kCarHalfHeight = 0.25f, kLogHalf = 0.45f;
  static constexpr f32 kLeapSpeed = 0.5f, kSlowing = kLeapSpeed / 5;
  static constexpr i32 kCarThemes = 5, kFrogImages = 5, kBackgrounds = 9;

  // Types have the reference's numbers, which choose their colours if images are replaced by colours.
  enum Type : i32 { kAgentType = 0, kLog = 1, kRoad = 2, kWater = 3, kCar = 4, kFinish = 5 };
  enum Picture : i32 {
    kRoadPicture,
    kWaterPicture,
    kCarPicture,  // the first of several
    kLogPicture = kCarPicture + kCarThemes,
    kFrogPicture,
    kFinishPicture = kFrogPicture + kFrogImages,
    kBackground,
    kPictures = kBackground + kBackgrounds
  };

  struct Lane {
    f32 speed;
    i32 count;
    f32 x[kMostThings];  // the first is the oldest
    u8 theme[kMostThings];
  };
  struct State {
    Level level;
    Mover agent;
    i32 road_bottom, roads, water_bottom, waters;
    Lane road[kMostLanes], water[kMostLanes];
    i32 facing;  // up, right, down, left
    i32 frog_image;
    u8 background;
    Twister random;
  };

#if ENVPOOL_HOST
  static u64 identity(const Params& p) { return u64(cells_of(p)); }
  static void state_parts(StateParts<State>& parts) {
    parts.add("road_bottom", &State::road_bottom).add("roads", &State::roads);
    parts.add("water_bottom", &State::water_bottom).add("waters", &State::waters);
  }
#endif

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 move = move_of(action), dx = move / 3 - 1, dy = move % 3 - 1;
    if (s.frog_image >= 1) s.frog_image = (s.frog_image + 1) % kFrogImages;
    const bool tie = s.random.below(1'000'000) % 2 == 0;
    Mover& a = s.agent;
    leap(s, dx, dy);
    drive(s, p);
    walk(s, p, agent_sideways(a, tie, dx, dy));
    const bool rests = a.vx == 0 && a.vy == 0;
    const bool arrived = rests && at_finish(s, p);
    bool done = arrived || hit_by_car(s) || is_outside(p, a.x, a.y, kHalf, kHalf);
    add_things(s, p);
    f32 drift = 0;
    const bool floats = find_log(s, drift);
    if (is_water(s, p, i32(a.x), i32(a.y)) && !floats && rests) done = true;
    if (floats) a.x += drift;
    if (is_outside(p, a.x, a.y, kHalf, kHalf)) done = true;
    const StepEnd end = end_step(s.level, p, arrived ? 10.0f : 0.0f, done, arrived, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    repair_level(s.level);
    repair_mover(s.agent, f32(cells_of(p)));
    keep_within(s.road_bottom, 0, kMostCells);
    keep_within(s.water_bottom, 0, kMostCells);
    keep_within(s.roads, 0, kMostLanes);
    keep_within(s.waters, 0, kMostLanes);
    for (Lane& lane : s.road) repair_lane(lane);
    for (Lane& lane : s.water) repair_lane(lane);
    keep_within(s.facing, 0, 3);
    keep_within(s.frog_image, 0, kFrogImages - 1);
    keep_within<u8>(s.background, 0, kBackgrounds - 1);
    s.random.repair();
  }

 private:
  friend GameOf<ProcgenLeaper>;

  ENVPOOL_FN static i32 cells_of(const Params& p) { return p.mode == kEasy ? 9 : p.mode == kExtreme ? kMostCells : 15; }
  ENVPOOL_FN static void repair_lane(Lane& lane) {
    constexpr f32 kFar = kMostCells + 2;
    keep_within(lane.speed, -1.0f, 1.0f);
    keep_within(lane.count, 0, kMostThings);
    for (f32& x : lane.x) keep_within(x, -kFar, kFar);
    for (u8& theme : lane.theme) keep_within<u8>(theme, 0, kCarThemes - 1);
  }

  ENVPOOL_FN static f32 lane_y(i32 bottom, i32 lane) { return f32(bottom + lane + 0.5); }
  ENVPOOL_FN static i32 finish_of(const State& s) { return s.water_bottom + s.waters + 1; }  // its upper edge
  ENVPOOL_FN static bool is_water(const State& s, const Params& p, i32 x, i32 y) {
    return u32(x) < u32(cells_of(p)) && y >= s.water_bottom && y < s.water_bottom + s.waters;
  }
  ENVPOOL_FN static bool is_outside(const Params& p, f32 x, f32 y, f32 half_width, f32 half_height) {
    const f32 cells = f32(cells_of(p));
    return x + half_width < 0 || y + half_height < 0 || x - half_width > cells || y - half_height > cells;
  }

  // The speeds of cars and logs.
  struct Speeds {
    f32 least_car, most_car, least_log, most_log;
  };
  ENVPOOL_FN static Speeds speeds_of(const Params& p) {
    return p.mode == kEasy      ? Speeds{0.03f, 0.12f, 0.025f, 0.075f}
           : p.mode == kExtreme ? Speeds{0.1f, 0.3f, 0.1f, 0.2f}
                                : Speeds{0.05f, 0.2f, 0.05f, 0.1f};
  }

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) {
    Twister& random = s.random;
    const i32 cells = cells_of(p);
    const bool easy = p.mode == kEasy;
    const Speeds speeds = speeds_of(p);
    random.seed(u32(s.level.seed));
    random.bits();  // the part of the background, which is square as the world
    s.background = u8(random.below(kBackgrounds));
    s.agent = {random.unit() * (f32(cells) - 2 * kHalf) + kHalf, kHalf, 0, 0};
    random.bits();  // another height of the agent, which is not used
    s.facing = s.frog_image = 0;
    const auto more_space = [&] { return easy ? 0 : random.below(2); };
    s.road_bottom = more_space() + 1;
    const i32 difficulty = random.below(easy ? 4 : 5), more_lanes = easy ? 0 : random.below(4);
    s.roads = difficulty + (more_lanes == 2);
    for (i32 i = 0; i < s.roads; ++i) {
      const f32 sign = random.unit() < 0.5 ? 1.0f : -1.0f;
      s.road[i].speed = sign * (random.unit() * (speeds.most_car - speeds.least_car) + speeds.least_car);
      s.road[i].count = 0;
    }
    s.water_bottom = s.road_bottom + s.roads + more_space() + 1;
    s.waters = difficulty + (more_lanes == 3);
    f32 sign = random.unit() < 0.5 ? 1.0f : -1.0f;
    for (i32 i = 0; i < s.waters; ++i) {
      s.water[i].speed = sign * (random.unit() * (speeds.most_log - speeds.least_log) + speeds.least_log);
      s.water[i].count = 0;
      sign = -sign;
    }
    // Cars and logs come for as long as the slowest would need to cross the world.
    const f32 steps = f32(cells) / min(speeds.least_car, speeds.least_log);
    for (i32 i = 0; f32(i) < steps; ++i) {
      add_things(s, p);
      drive(s, p);
    }
  }

  ENVPOOL_FN static void add_things(State& s, const Params& p) {
    for (i32 i = 0; i < s.roads; ++i) {
      Lane& lane = s.road[i];
      if (s.random.unit() >= f32(fabs(lane.speed) / 6.0)) continue;
      const u8 theme = u8(s.random.below(kCarThemes));
      add(s, p, lane, theme, kCarHalfHeight, lane_y(s.road_bottom, i), kCarHalfWidth, kCarHalfHeight);
    }
    for (i32 i = 0; i < s.waters; ++i) {
      Lane& lane = s.water[i];
      if (s.random.unit() >= f32(fabs(lane.speed) / 2.0)) continue;
      add(s, p, lane, 0, kLogHalf, lane_y(s.water_bottom, i), kLogHalf, kLogHalf);
    }
  }

  // Adds a car or a log at the beginning of a lane, `before` beyond the edge, if nothing is in its way.
  ENVPOOL_FN static void add(const State& s, const Params& p, Lane& lane, u8 theme, f32 before, f32 y, f32 half_width,
                             f32 half_height) {
    const f32 x = lane.speed > 0 ? -before : f32(cells_of(p)) + before;
    const bool blocked = lane.count > 0 && fabs(x - lane.x[lane.count - 1]) < half_width + half_width;
    if (blocked || overlaps(x - s.agent.x, y - s.agent.y, half_width + kHalf, half_height + kHalf)) return;
    if (lane.count == kMostThings) return;
    lane.x[lane.count] = x;
    lane.theme[lane.count++] = theme;
  }

  // Moves cars and logs. Those that have left the world are removed.
  ENVPOOL_FN static void drive(State& s, const Params& p) {
    for (i32 i = 0; i < s.roads; ++i) drive(p, s.road[i], kCarHalfWidth);
    for (i32 i = 0; i < s.waters; ++i) drive(p, s.water[i], kLogHalf);
  }
  ENVPOOL_FN static void drive(const Params& p, Lane& lane, f32 half_width) {
    i32 kept = 0;
    for (i32 i = 0; i < lane.count; ++i) {
      const f32 x = lane.x[i] + lane.speed;
      if (is_outside(p, x, 0, half_width, 0)) continue;
      lane.x[kept] = x;
      lane.theme[kept++] = lane.theme[i];
    }
    lane.count = kept;
  }

  // Begins a leap if the frog rests, and slows it down.
  ENVPOOL_FN static void leap(State& s, i32 dx, i32 dy) {
    Mover& a = s.agent;
    if (a.vx == 0 && a.vy == 0) {
      if (dx != 0) {
        a.vx = kLeapSpeed * f32(dx);
        s.frog_image = 1;
        s.facing = dx > 0 ? 1 : 3;
      } else if (dy != 0) {
        a.vy = kLeapSpeed * f32(dy);
        s.frog_image = 1;
        s.facing = dy > 0 ? 0 : 2;
      }
    }
    a.vx = slowed(a.vx);
    a.vy = slowed(a.vy);
  }
  ENVPOOL_FN static f32 slowed(f32 v) { return max(fabs(v) - kSlowing, 0.0f) * (v > 0 ? 1.0f : v == 0 ? 0.0f : -1.0f); }

  // Moves the frog, which the edges of the world stop.
  ENVPOOL_FN static void walk(State& s, const Params& p, bool sideways_first) {
    Mover& a = s.agent;
    const f32 cells = f32(cells_of(p));
    advance(a, sideways_first, [&](f32 vx, f32 vy) {
      const f32 x = a.x + vx, y = a.y + vy, inside = kHalf * kInside;
      const bool blocked = !(x - inside >= 0 && x + inside < cells && y - inside >= 0 && y + inside < cells);
      a.x = blocked && vx != 0 ? stopped(x, kHalf, vx) : x;
      a.y = blocked && vx == 0 ? stopped(y, kHalf, vy) : y;
      return blocked;
    });
  }

  ENVPOOL_FN static bool at_finish(const State& s, const Params& p) {
    const f32 x = f32(cells_of(p) / 2.0), y = f32(finish_of(s) - 0.5);
    return overlaps(x - s.agent.x, y - s.agent.y, x + kHalf, 0.5f + kHalf);
  }
  ENVPOOL_FN static bool hit_by_car(const State& s) {
    bool hit = false;
    for (i32 i = 0; i < s.roads; ++i) {
      const f32 y = lane_y(s.road_bottom, i);
      for (i32 k = 0; k < s.road[i].count; ++k) {
        hit = hit || overlaps(s.road[i].x[k] - s.agent.x, y - s.agent.y, kCarHalfWidth + kHalf, kCarHalfHeight + kHalf);
      }
    }
    return hit;
  }
  // Returns whether the frog is on a log, and the log's speed.
  ENVPOOL_FN static bool find_log(const State& s, f32& speed) {
    constexpr f32 kReach = (kHalf + kLogHalf) - kHalf;
    bool found = false;
    for (i32 i = 0; i < s.waters; ++i) {
      const f32 y = lane_y(s.water_bottom, i);
      for (i32 k = 0; k < s.water[i].count; ++k) {
        if (!overlaps(s.agent.x - s.water[i].x[k], s.agent.y - y, kReach, kReach)) continue;
        found = true;
        speed = s.water[i].speed;
      }
    }
    return found;
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    const Art& art = art_of(p);
    const i32 cells = cells_of(p);
    const f32 middle = f32(cells * 0.5);
    const View view(f32(cells), middle, middle, kPixels);
    draw_background(canvas, p, kBackground + s.background, view, cells, cells, 0);
    const auto cover = [&](i32 bottom, i32 lanes, i32 picture, i32 type) {
      if (lanes == 0) return;
      draw_walls<kMostCells>(canvas, p, view, picture, color_of(type, 0), {0, cells - 1, bottom, bottom + lanes - 1},
                             [&](i32, i32) { return true; });
    };
    cover(s.road_bottom, s.roads, kRoadPicture, kRoad);
    cover(s.water_bottom, s.waters, kWaterPicture, kWater);
    const auto put = [&](i32 type, i32 theme, i32 picture, Rect rect, Turn turn, bool turned) {
      if (p.use_monochrome_assets) {
        canvas.fill(rect, color_of(type, theme));
      } else if (turned) {
        canvas.draw_turned(art, art.image[picture + theme], rect, turn);
      } else {
        canvas.draw(art, art.image[picture + theme], rect);
      }
    };
    const auto draw_lane = [&](const Lane& lane, f32 y, i32 type, i32 picture, f32 wide, f32 high, bool turned) {
      for (i32 k = 0; k < lane.count; ++k) {
        put(type, p.restrict_themes ? 0 : lane.theme[k], picture,
            view.rect(lane.x[k] - wide, y + high, 2 * wide, 2 * high), kHalfTurn, turned);
      }
    };
    for (i32 i = 0; i < s.roads; ++i) {
      const Lane& lane = s.road[i];
      draw_lane(lane, lane_y(s.road_bottom, i), kCar, kCarPicture, kCarHalfWidth, kCarHalfHeight, lane.speed < 0);
    }
    for (i32 i = 0; i < s.waters; ++i) {
      draw_lane(s.water[i], lane_y(s.water_bottom, i), kLog, kLogPicture, kLogHalf, kLogHalf, false);
    }
    draw_finish(s, p, canvas, view);
    const Mover& a = s.agent;
    Rect rect = view.rect(a.x - kHalf, a.y + kHalf, 2 * kHalf, 2 * kHalf);
    if (!p.use_monochrome_assets) {  // the frog is longer than its body
      rect.y += rect.height * -0.275;
      rect.height *= 1.55;
    }
    const Turn turn = s.facing == 1 ? kRightTurn : s.facing == 2 ? kHalfTurn : kLeftTurn;
    put(kAgentType, s.frog_image, kFrogPicture, rect, turn, s.facing != 0);
    if (p.paint_vel_info) paint_velocity(canvas, a, kLeapSpeed, kLeapSpeed);
  }

  // Draws the finish line, which consists of squares.
  template <i32 kPixels>
  ENVPOOL_FN static void draw_finish(const State& s, const Params& p, Canvas<kPixels>& canvas, const View& view) {
    const i32 cells = cells_of(p);
    const Rect line = view.rect(0, f32(finish_of(s)), f32(cells), 1);
    if (p.use_monochrome_assets) {
      canvas.fill(line, color_of(kFinish, 0));
      return;
    }
    draw_row_of_tiles(canvas, art_of(p), art_of(p).image[kFinishPicture], line, 1);
  }
};

}  // namespace envpool::procgen
