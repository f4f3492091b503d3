// SPDX-License-Identifier: Apache-2.0
//
// Maze: a mouse walks through a maze to a piece of cheese.
//
//   Action       i32, 0 to 2 left, 3 down, 4 nothing, 5 up, 6 to 8 right, 9 to 14 nothing
//   Observation  u8[3, 64, 64], RGB, of the whole maze; with distribution_mode "memory" of 8 by 8 cells around the
//                mouse
//   Reward       10 at the cheese
//   Terminated   at the cheese
//   Truncated    after 500 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the maze, its size, the place of the cheese and the background
//
// The sides of mazes are random odd numbers from 3 to 15 with distribution_mode "easy", 25 with "hard" and 31 with
// "memory". Reference: see game.h.
#pragma once

#include "envpool/procgen/game.h"
#include "envpool/procgen/maze_generator.h"

namespace envpool::procgen {

struct ProcgenMaze : GameOf<ProcgenMaze> {
  static constexpr const char* kName = "ProcgenMaze";
  static constexpr const char* kModes[] = {"easy", "hard", "memory", "exploration"};
  static constexpr const char* kActionsText = kStraightMoves;
  static constexpr i32 kTimeLimit = 500, kExplorationSeed = 158988835, kMostCells = Maze::kMostSide;

  static constexpr i32 kBackgrounds = 9;

  enum Picture : i32 { kWall, kCheese, kMouse, kBackground, kPictures = kBackground + kBackgrounds };

  struct State {
    Level level;
    i32 free[kMostCells];  // by row, a bit for each cell
    u8 x, y;               // of the mouse
    u8 cheese_x, cheese_y;
    u8 background;
    bool has_cheese;
    bool faces_right;
  };

#if ENVPOOL_HOST
  static u64 identity(const Params& p) { return u64(cells_of(p)); }
  static void state_parts(StateParts<State>& parts) {
    parts.add("free", &State::free).add("x", &State::x).add("y", &State::y);
    parts.add("cheese_x", &State::cheese_x).add("cheese_y", &State::cheese_y);
  }
#endif

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 move = move_of(action);
    const i32 dx = move / 3 - 1, dy = dx == 0 ? move % 3 - 1 : 0;
    if (is_free(s, p, s.x + dx, s.y + dy)) {
      s.x = u8(s.x + dx);
      s.y = u8(s.y + dy);
    }
    if (dx != 0) s.faces_right = dx > 0;
    const bool found = s.has_cheese && s.x == s.cheese_x && s.y == s.cheese_y;
    if (found) s.has_cheese = false;
    const StepEnd end = end_step(s.level, p, found ? 10.0f : 0.0f, found, found, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    const u8 last = u8(cells_of(p) - 1);
    repair_level(s.level);
    keep_within<u8>(s.x, 0, last);
    keep_within<u8>(s.y, 0, last);
    keep_within<u8>(s.background, 0, kBackgrounds - 1);
    keep_bool(s.has_cheese);
    keep_bool(s.faces_right);
  }

 private:
  friend GameOf<ProcgenMaze>;

  ENVPOOL_FN static i32 cells_of(const Params& p) { return p.mode == kEasy ? 15 : p.mode == kMemory ? 31 : 25; }

  ENVPOOL_FN static bool is_free(const State& s, const Params& p, i32 x, i32 y) {
    const u32 cells = u32(cells_of(p));
    return u32(x) < cells && u32(y) < cells && (u32(s.free[y]) >> x & 1) != 0;
  }

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) {
    const i32 cells = cells_of(p);
    Twister random;
    random.seed(u32(s.level.seed));
    random.bits();  // the part of the background, which is square as the world
    s.background = u8(random.below(kBackgrounds));
    const i32 side = random.below((cells - 1) / 2) * 2 + 3, margin = (cells - side) / 2;
    const Maze maze(side, random);
    const i32 cheese = maze.random_cell(random);
    for (i32 y = 0; y < kMostCells; ++y) {
      const i32 row = y - margin;
      s.free[y] = row >= 0 && row < side ? i32(maze.free_in_row(row) << margin) : 0;
    }
    s.cheese_x = u8(margin + cheese % side);
    s.cheese_y = u8(margin + cheese / side);
    s.has_cheese = true;
    s.x = s.y = u8(margin);
    s.faces_right = false;
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    const Art& art = art_of(p);
    const i32 cells = cells_of(p);
    const bool follows = p.mode == kMemory;
    const f32 x = s.x + 0.5f, y = s.y + 0.5f, half = f32(cells * 0.5);
    const View view = follows ? View(8, x, y, kPixels) : View(f32(cells), half, half, kPixels);
    draw_background(canvas, p, kBackground + s.background, view, cells, cells, 0);
    // One cell more than the view has on each side. Beyond the world are walls.
    const i32 left = follows ? s.x - 4 : 0, right = follows ? s.x + 5 : cells - 1;
    const i32 bottom = follows ? s.y - 4 : 0, top = follows ? s.y + 5 : cells - 1;
    const Image& wall = art.image[kWall];
    using Spans = CellSpans<kMostCells, kPixels>;
    const auto cell = [&](i32 i, i32 k) { return view.rect(f32(i), f32(k + 1), 1, 1, kCellMargin); };
    const Spans across(wall.width, left, right, [&](i32 i) { return Extent{cell(i, 0).x, cell(i, 0).width}; });
    const Spans down(wall.height, bottom, top, [&](i32 k) { return Extent{cell(0, k).y, cell(0, k).height}; });
    for (i32 i = left; i <= right; ++i) {
      for (i32 k = bottom; k <= top; ++k) {
        if (s.has_cheese && i == s.cheese_x && k == s.cheese_y) {
          draw_thing(canvas, p, kCheese, 2, cell(i, k));
        } else if (is_free(s, p, i, k)) {
          continue;
        } else if (p.use_monochrome_assets) {
          canvas.fill(cell(i, k), color_of(51, 0));
        } else {
          canvas.draw_cell(art, wall, across, i, down, k);
        }
      }
    }
    draw_thing(canvas, p, kMouse, 0, view.rect(x - 0.5f, y + 0.5f, 1, 1), s.faces_right);
  }

  // Draws an image, or the colour of its type.
  template <i32 kPixels>
  ENVPOOL_FN static void draw_thing(Canvas<kPixels>& canvas, const Params& p, i32 picture, i32 type, Rect rect,
                                    bool reflected = false) {
    if (p.use_monochrome_assets) {
      canvas.fill(rect, color_of(type, 0));
    } else {
      canvas.draw(art_of(p), art_of(p).image[picture], rect, reflected);
    }
  }
};

}  // namespace envpool::procgen
