// SPDX-License-Identifier: Apache-2.0
//
// What all games share: options, the choice of levels, what infos say about them, and the view of a world.
//
// K. Cobbe et al., "Leveraging Procedural Generation to Benchmark Reinforcement Learning" (ICML 2020).
// Reference: procgen2 0.10.7.
#pragma once

#include "envpool/core/api.h"
#include "envpool/procgen/painter.h"
#include "envpool/procgen/twister.h"

#if ENVPOOL_HOST
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#endif

namespace envpool::procgen {

inline constexpr i32 kSide = 64, kImageBytes = 3 * kSide * kSide;  // pixels of an observation
inline constexpr i32 kPictureSide = 512;                           // pixels of an image for people
inline constexpr i32 kActions = 15;
inline constexpr const char* kMoves =
    "0 left and down, 1 left, 2 left and up, 3 down, 4 nothing, 5 up, 6 right and down, 7 right, 8 right and up, "
    "9 to 14 nothing";
inline constexpr const char* kMovesAndShot =
    "0 left and down, 1 left, 2 left and up, 3 down, 4 nothing, 5 up, 6 right and down, 7 right, 8 right and up, "
    "9 shoots, 10 to 14 nothing";
inline constexpr const char* kStraightMoves =
    "0 left, 1 left, 2 left, 3 down, 4 nothing, 5 up, 6 right, 7 right, 8 right, 9 to 14 nothing";
inline constexpr i32 kMostSeeds = 0x7FFFFFFF;  // level seeds are below this number
inline constexpr u32 kNextLevel = 997;         // the distance of the seeds of sequential levels

enum Mode : u8 { kEasy, kHard, kExtreme, kMemory, kExploration };

struct GameParams {
  const u8* blob;  // an Art
  i32 num_levels, start_level;
  bool use_sequential_levels, use_backgrounds, use_monochrome_assets, restrict_themes, center_agent, paint_vel_info;
  bool channel_first;
  Mode mode;
};

ENVPOOL_FN const Art& art_of(const GameParams& p) { return *reinterpret_cast<const Art*>(p.blob); }

// The level that is played.
struct Level {
  i32 seed, previous_seed;
  i32 time;       // steps in this level
  bool complete;  // the last step completed the level before
};

// Chooses the level of a new episode.
ENVPOOL_FN void choose_level(Level& level, const GameParams& p, i32 exploration_seed, Rng& rng) {
  level.previous_seed = rng.episode == 0 ? 0 : level.seed;
  if (rng.episode == 0) level.complete = false;
  const u32 bits = rng.bits();
  if (p.mode == kExploration) {
    level.seed = exploration_seed;
  } else if (p.num_levels == 0) {
    level.seed = i32(bits % u32(kMostSeeds));
  } else {
    // Inside jit, parameters can ask for levels beyond the last seed, which validate_options() refuses elsewhere.
    const i32 count = max(p.num_levels, 1);
    level.seed = min(p.start_level, kMostSeeds - count) + i32(bits % u32(count));
  }
  level.time = 0;
}

// Returns the move of an action: 3 times the column plus the row, with 4 in the middle, which is no move.
inline constexpr i32 kNoMove = 4;
ENVPOOL_FN i32 move_of(const ActionRow& action) {
  const u32 number = u32(*action.at<i32>(0));
  return number < 9 ? i32(number) : kNoMove;
}

// Returns whether an action is the first that is no move: the one that shoots.
ENVPOOL_FN bool is_shot(const ActionRow& action) { return *action.at<i32>(0) == 9; }

struct StepEnd {
  Outcome outcome;
  bool next_level;
};
// Ends a step. Returns the outcome, and whether it continues in the next of sequential levels, which is to be made.
ENVPOOL_FN StepEnd end_step(Level& level, const GameParams& p, f32 reward, bool done, bool complete, i32 time_limit) {
  count_up(level.time);
  level.previous_seed = level.seed;
  level.complete = complete;
  const bool late = level.time >= time_limit;
  if (p.use_sequential_levels && complete && (done || late)) {
    level.seed = i32(u32(level.seed) + kNextLevel);
    level.time = 0;
    return {{.reward = reward}, true};
  }
  return {{.reward = reward, .terminated = done, .truncated = late}, false};
}

ENVPOOL_FN void repair_level(Level& level) { keep_bool(level.complete); }

// The view of a world of cells, whose row 0 is at the bottom.
struct View {
  f32 unit;  // pixels of a cell
  f32 cells;
  f32 x, y;  // of the view's corner, in pixels

  // A view of `visible` cells around a centre.
  ENVPOOL_FN View(f32 visible, f32 center_x, f32 center_y, i32 side) {
    const f32 raw = 64 / visible;
    unit = f32(raw * (side / 64.0));
    cells = f32(64.0 / raw);
    x = unit * (center_x - cells / 2);
    y = unit * (center_y - cells / 2);
  }
  // Returns the pixels of a rectangle of cells, of which `top` is the upper edge, enlarged by `margin` on each side.
  ENVPOOL_FN Rect rect(f32 left, f32 top, f32 width, f32 height, f32 margin = 0) const {
    return {(left - margin) * unit - x, (cells - top - margin) * unit + y, (width + 2 * margin) * unit,
            (height + 2 * margin) * unit};
  }
};

// Cells are drawn a little larger than they are, which closes gaps between them.
inline constexpr f32 kCellMargin = 0.02f;

// Returns the colour of a type of objects, if images are replaced by colours.
ENVPOOL_FN u32 color_of(i32 type, i32 theme) {
  const i32 number = (29 * (type + 1) % 64 + 19 * theme) % 64;
  const auto shade = [](i32 level) { return u32(64 * (level + 1) - 1); };
  return 0xFF000000u | shade(number / 16) << 16 | shade(number / 4 % 4) << 8 | shade(number % 4);
}

// Returns where a background is drawn behind a world, of whose shape it shows as much as it has; `shift` chooses the
// part.
ENVPOOL_FN Rect background_rect(const Image& image, const View& view, i32 width, i32 height, f32 shift) {
  const f32 image_shape = f32(image.width) / f32(image.height);
  const f32 world_shape = f32(width * 1.0 / height);
  const f32 extra = image_shape - world_shape;
  const f32 offset = shift * extra;
  const Rect world = view.rect(0, f32(height), f32(width), f32(height));
  return {world.x + world.width * f64(-offset), world.y, world.width * f64(image_shape / world_shape), world.height};
}
// Clears the canvas and draws the background of a world of width * height cells; `part` chooses a part of it.
template <i32 kPixels>
ENVPOOL_FN void draw_background(Canvas<kPixels>& canvas, const GameParams& p, i32 picture, const View& view, i32 width,
                                i32 height, f32 part) {
  const Image& image = art_of(p).image[picture];
  if (p.use_backgrounds) {
    canvas.begin(art_of(p), image, background_rect(image, view, width, height, part));
  } else {
    canvas.fill({0, 0, kPixels, kPixels}, kBlack);
  }
}

#if ENVPOOL_HOST

inline void declare_options(OptionSpecs& o, std::vector<std::string> modes) {
  o.text("distribution_mode", "easy", "how levels vary: 'exploration' is one level of 'hard'").one_of(std::move(modes));
  o.integer("num_levels", 0, "number of levels; 0: all, and start_level is ignored")
      .between(0, kMostSeeds)
      .sets(&GameParams::num_levels);
  o.integer("start_level", 0, "seed of the first of num_levels levels")
      .between(0, kMostSeeds)
      .sets(&GameParams::start_level);
  o.boolean("use_sequential_levels", false, "an episode goes on in another level when one is complete")
      .sets(&GameParams::use_sequential_levels);
  o.boolean("center_agent", true, "the view follows the agent, in games that do not decide this themselves")
      .sets(&GameParams::center_agent);
  o.boolean("use_backgrounds", true, "draws an image behind the level; otherwise it is black")
      .sets(&GameParams::use_backgrounds);
  o.boolean("use_monochrome_assets", false, "draws rectangles of one colour instead of images")
      .sets(&GameParams::use_monochrome_assets);
  o.boolean("restrict_themes", false, "draws only the first of several images of the same thing")
      .sets(&GameParams::restrict_themes);
  o.boolean("paint_vel_info", false, "paints the agent's velocity, in games in which it has one")
      .sets(&GameParams::paint_vel_info);
  o.boolean("channel_first", true, "observations are (3, 64, 64), not (64, 64, 3)").changes_shapes();
  o.text("art", "", "The game's images in the form of envpool/procgen/art.py; if empty, they come from a package.")
      .changes_blob();
}

// Fills in what options do not set.
inline void read_options(GameParams& p, const OptionValues& o) {
  const std::string_view mode = o.text("distribution_mode");
  p.mode = mode == "easy"      ? kEasy
           : mode == "hard"    ? kHard
           : mode == "extreme" ? kExtreme
           : mode == "memory"  ? kMemory
                               : kExploration;
  p.channel_first = o.boolean("channel_first");
}

inline void validate_options(const GameParams& p) {
  if (p.mode == kExploration && p.num_levels != 0) {
    throw std::invalid_argument("num_levels: expected 0 with distribution_mode='exploration', got " +
                                std::to_string(p.num_levels));
  }
  if (p.num_levels > 0 && p.start_level > kMostSeeds - p.num_levels) {
    throw std::invalid_argument("start_level: expected at most " + std::to_string(kMostSeeds - p.num_levels) +
                                " with num_levels=" + std::to_string(p.num_levels) + ", got " +
                                std::to_string(p.start_level));
  }
}

inline void describe(Spec& s, const GameParams& p, const char* actions) {
  if (p.channel_first) {
    s.obs<u8>("obs", {3, kSide, kSide}).doc("RGB image");
  } else {
    s.obs<u8>("obs", {kSide, kSide, 3}).doc("RGB image");
  }
  s.action<i32>().categories(kActions).doc(actions);
  s.info<i32>("prev_level_seed").doc("seed of the level in which the last step was");
  s.info<i32>("prev_level_complete").doc("1 if the last step completed its level");
  s.info<i32>("level_seed").doc("seed of the level");
  s.render_height = s.render_width = kPictureSide;
  s.render_fps = 15;
}

#endif

// Calls draw(canvas) for an observation.
template <class Draw>
ENVPOOL_FN void draw_observation(const GameParams& p, u8* rgb, Draw&& draw) {
#ifdef __CUDACC__
  Canvas<kSide> canvas(Pixels(rgb, kSide, p.channel_first));
  draw(canvas);
#else
  u32 pixels[kSide * kSide];
  Canvas<kSide> canvas(Pixels(pixels, kSide));
  draw(canvas);
  canvas.finish();
  write_rgb(pixels, kSide * kSide, p.channel_first, rgb);
#endif
}

#if ENVPOOL_HOST

// Calls draw(canvas) for a larger image, on the host.
template <class Draw>
void draw_picture(u8* rgb, Draw&& draw) {
#ifdef __CUDACC__
  (void)rgb, (void)draw;
#else
  std::vector<u32> pixels(kPictureSide * kPictureSide);
  Canvas<kPictureSide> canvas(Pixels(pixels.data(), kPictureSide));
  draw(canvas);
  canvas.finish();
  write_rgb(pixels.data(), kPictureSide * kPictureSide, /*channel_first=*/false, rgb);
#endif
}

#endif

enum Field { kObs, kPreviousSeed, kComplete, kSeed };

ENVPOOL_FN void write_level(const Level& level, Row row) {
  *row.at<i32, 1>(kPreviousSeed) = level.previous_seed;
  *row.at<i32, 1>(kComplete) = level.complete ? 1 : 0;
  *row.at<i32, 1>(kSeed) = level.seed;
}

// What the games share: each is derived from GameOf with itself as the argument, and has
//   kModes, kActionsText        its distribution modes, and what the actions do
//   kPictures, kBackground      the number of its images, and the first of those that are backgrounds
//   kExplorationSeed            the level of the mode "exploration", if it has this mode
//   make_level(s, p)            makes the level whose seed s.level has
//   draw(s, p, canvas)          draws a state
template <class Game>
struct GameOf {
  static constexpr bool kLargeRows = true;
  static constexpr i32 kExplorationSeed = 0;
  using Params = GameParams;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { declare_options(o, {std::begin(Game::kModes), std::end(Game::kModes)}); }
  static Params params(const OptionValues& o) {
    Params p{};
    read_options(p, o);
    return p;
  }
  static void validate(const Params& p) { validate_options(p); }
  static Blob blob(const OptionValues& o) { return make_art(o.text("art"), Game::kPictures, Game::kBackground); }
  static void spec(const Params& p, Spec& s) { describe(s, p, Game::kActionsText); }
  template <class State>
  static void render(const State& s, const Params& p, u8* rgb) {
    draw_picture(rgb, [&](auto& canvas) { Game::draw(s, p, canvas); });
  }
#endif

  template <class State>
  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    choose_level(s.level, p, Game::kExplorationSeed, rng);
    Game::make_level(s, p);
  }

  template <class State>
  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    draw_observation(p, row.at<u8, kImageBytes>(kObs), [&](auto& canvas) { Game::draw(s, p, canvas); });
    write_level(s.level, row);
  }
};

}  // namespace envpool::procgen
