// SPDX-License-Identifier: Apache-2.0
//
// CoinRun: an agent runs and jumps to a coin at the right end of a level, past saws, enemies, pits and lava.
//
//   Action       i32, 0 to 2 left and down, left, left and up (a jump), 3 down, 4 nothing, 5 up, 6 to 8 the same to the
//                right, 9 to 14 nothing
//   Observation  u8[3, 64, 64], RGB, of 13 by 13 cells around the agent; with center_agent=False of the whole level
//   Reward       10 at the coin
//   Terminated   at the coin, and when the agent touches a saw, an enemy or lava
//   Truncated    after 1000 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the ground, what is on it, and the pictures
//
// With distribution_mode "easy" there are few enemies, and all levels have the same pictures. Reference: see game.h.
#pragma once

#include "envpool/procgen/coinrun_motion.h"

namespace envpool::procgen {

struct ProcgenCoinrun {
  static constexpr const char* kName = "ProcgenCoinrun";
  static constexpr bool kLargeRows = true;

  using Params = GameParams;
  using State = coinrun::State;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { declare_options(o, {"easy", "hard", "exploration"}); }
  static Params params(const OptionValues& o) {
    Params p{};
    read_options(p, o);
    return p;
  }
  static void validate(const Params& p) { validate_options(p); }
  static Blob blob(const OptionValues& o) {
    Params p{};
    read_options(p, o);
    return make_art(o.text("art"), coinrun::kBackgroundPicture + coinrun::backgrounds_of(p.mode),
                    coinrun::kBackgroundPicture);
  }
  static void spec(const Params& p, Spec& s) { describe(s, p, kMoves); }
  static void state_parts(StateParts<State>& parts) {
    parts.add("cell", &State::cell).add("last_y", &State::last_y).add("has_support", &State::has_support);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    draw_picture(rgb, [&](auto& canvas) { draw(s, p, canvas); });
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    choose_level(s.level, p, coinrun::kExplorationSeed, rng);
    make_level(s, p);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    using namespace coinrun;
    const i32 now = clamp(s.level.time + 1, 0, kTimeLimit);
    take_direction(s, move_of(action));
    accelerate(s);
    const bool tie = (u32(s.ties[now / 32]) >> now % 32 & 1) != 0;
    for (i32 i = s.enemies - 1; i >= 0; --i) {
      Body body{s.enemy[i].body, kHalf, kHalf, false};
      advance(s, body, tie);
    }
    Body body{s.agent, kAgentHalfWidth, kAgentHalfHeight, true};
    advance(s, body, tie);
    bool done = touches_danger(s);
    i32 coins = 0;
    look_at_cells(s, done, coins);
    for (i32 i = 0; i < s.enemies; ++i) {
      s.trail_x[now % kTrailSteps][i] = s.enemy[i].body.x;
      s.trail_y[now % kTrailSteps][i] = f32(s.enemy[i].body.y - kHalf * 0.5);
    }
    if (s.dx != 0) s.reflected = s.dx < 0;
    s.last_y = s.agent.y;
    const StepEnd end = end_step(s.level, p, 10.0f * f32(coins), done, coins > 0, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    draw_observation(p, row.at<u8, kImageBytes>(kObs), [&](auto& canvas) { draw(s, p, canvas); });
    write_level(s.level, row);
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    using namespace coinrun;
    repair_level(s.level);
    repair_mover(s.agent, kCells);
    keep_within(s.dx, -1, 1);
    keep_within(s.dy, -1, 1);
    keep_within<u8>(s.background, 0, u8(backgrounds_of(p.mode) - 1));
    keep_within<u8>(s.theme, 0, kColors - 1);
    keep_within<u8>(s.wall_theme, 0, kGrounds - 1);
    keep_bool(s.has_support);
    keep_bool(s.on_crate);
    keep_bool(s.reflected);
    keep_within(s.things, 0, kMostThings);
    keep_within(s.enemies, 0, kMostEnemies);
    for (Thing& thing : s.thing) keep_within<u8>(thing.theme, 0, kCrateThemes - 1);
    for (Enemy& enemy : s.enemy) {
      repair_mover(enemy.body, kCells);
      keep_within(enemy.theme, 0, kEnemyThemes - 1);
    }
    keep_within(s.level.time, 0, kTimeLimit);
  }

 private:
  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) { coinrun::LevelMaker(s, p).make(); }

  ENVPOOL_FN static bool touches_danger(const State& s) {
    using namespace coinrun;
    const auto touches = [&](f32 x, f32 y) {
      return overlaps(x - s.agent.x, y - s.agent.y, kHalf + kAgentHalfWidth, kHalf + kAgentHalfHeight);
    };
    bool danger = false;
    for (i32 i = 0; i < s.things; ++i) {
      danger |= s.thing[i].type != kCrate && touches(s.thing[i].x + 0.5f, s.thing[i].y + 0.5f);
    }
    for (i32 i = 0; i < s.enemies; ++i) danger |= touches(s.enemy[i].body.x, s.enemy[i].body.y);
    return danger;
  }

  // Looks at the cells that the agent touches, for lava and the coin.
  ENVPOOL_FN static void look_at_cells(const State& s, bool& done, i32& coins) {
    using namespace coinrun;
    const Mover& a = s.agent;
    const f32 wide = kAgentHalfWidth + kOverlap, high = kAgentHalfHeight + kOverlap;
    const i32 left = i32(a.x - wide), right = i32(a.x + wide), bottom = i32(a.y - high), top = i32(a.y + high);
    for (i32 x = left; x <= right; ++x) {
      for (i32 y = bottom; y <= top; ++y) {
        const i32 type = cell_at(s, x, y);
        coins += type == kGoal;
        done |= type == kGoal || is_lava(type);
      }
    }
  }

  // Draws objects of one type.
  template <i32 kPixels>
  class Painter {
   public:
    ENVPOOL_FN Painter(const Params& p, Canvas<kPixels>& canvas, const View& view)
        : p_(p), canvas_(canvas), view_(view) {}

    // Draws an object by its centre. Images of the agent are higher than the agent.
    ENVPOOL_FN void object(i32 type, i32 theme, f32 x, f32 y, f32 half_width, f32 half_height, bool reflected = false,
                           f32 opacity = 1) {
      rect(type, theme, view_.rect(x - half_width, y + half_height, 2 * half_width, 2 * half_height), reflected,
           opacity);
    }
    ENVPOOL_FN void rect(i32 type, i32 theme, Rect r, bool reflected = false, f32 opacity = 1) {
      using namespace coinrun;
      if (p_.restrict_themes) theme = 0;
      if (p_.use_monochrome_assets) {
        canvas_.fill(r, color_of(type, theme));
        return;
      }
      if (type == kStand || type == kWalk || type == kWalkMoved) {
        r.y += r.height * -0.7415;
        r.height *= 1.7415;
      }
      canvas_.draw(art_of(p_), art_of(p_).image[picture_of(type) + theme], r, reflected, opacity);
    }

   private:
    const Params& p_;
    Canvas<kPixels>& canvas_;
    const View& view_;
  };

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    using namespace coinrun;
    const Art& art = art_of(p);
    const f32 middle = f32(kCells * 0.5);
    const View view =
        p.center_agent ? View(13, s.agent.x, s.agent.y, kPixels) : View(f32(kCells), middle, middle, kPixels);
    canvas.fill({0, 0, kPixels, kPixels}, kBlack);
    if (p.use_backgrounds) {
      draw_background(canvas, art, art.image[kBackgroundPicture + s.background], view, kCells, kCells,
                      s.background_part);
    }
    Painter<kPixels> painter(p, canvas, view);
    draw_cells(s, p, canvas, view, painter);
    for (i32 i = 0; i < s.things; ++i) {
      const Thing& thing = s.thing[i];
      const i32 saw = s.level.time % 2 == 0 ? kSaw : kSawMoved;
      const bool is_crate = thing.type == kCrate;
      painter.object(is_crate ? i32{kCrate} : saw, is_crate ? thing.theme : 0, thing.x + 0.5f, thing.y + 0.5f, kHalf,
                     kHalf);
    }
    draw_trails(s, painter);
    const i32 walk = s.level.time / 5 % 2 == 0 || !s.has_support ? kWalk : kWalkMoved;
    const bool stands = fabs(s.agent.vx) < 0.01 && s.dx == 0 && s.has_support;
    painter.object(stands ? i32{kStand} : walk, s.theme, s.agent.x, s.agent.y, kAgentHalfWidth, kAgentHalfHeight,
                   s.reflected);
    for (i32 i = 0; i < s.enemies; ++i) {
      const Enemy& enemy = s.enemy[i];
      painter.object(s.level.time / 5 % 2 == 0 ? kEnemy : kEnemyMoved, enemy.theme, enemy.body.x, enemy.body.y, kHalf,
                     kHalf, s.level.time > 0 && enemy.body.vx > 0);
    }
    if (p.paint_vel_info) paint_velocity(canvas, s.agent, kSpeed, kJumpSpeed);
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw_cells(const State& s, const Params& p, Canvas<kPixels>& canvas, const View& view,
                                    Painter<kPixels>& painter) {
    using namespace coinrun;
    constexpr f32 kMargin = 13 / 2.0 + 1;
    const bool follows = p.center_agent;
    const i32 left = follows ? i32(s.agent.x - kMargin) : 0, right = follows ? i32(s.agent.x + kMargin) : kCells - 1;
    const i32 bottom = follows ? i32(s.agent.y - kMargin) : 0, top = follows ? i32(s.agent.y + kMargin) : kCells - 1;
    const Art& art = art_of(p);
    const Image usual = art.image[kWallPicture];
    const auto cell = [&](i32 i, i32 k) { return view.rect(f32(i), f32(k + 1), 1, 1, kCellMargin); };
    using Spans = CellSpans<kCells, kPixels>;
    const Spans across(usual.width, left, right, [&](i32 i) { return Extent{cell(i, 0).x, cell(i, 0).width}; });
    const Spans down(usual.height, bottom, top, [&](i32 k) { return Extent{cell(0, k).y, cell(0, k).height}; });
    for (i32 i = left; i <= right; ++i) {
      for (i32 k = bottom; k <= top; ++k) {
        const i32 type = cell_at(s, i, k);
        if (type == kSpace || type == kBarrier) continue;
        const i32 theme = is_wall(type) ? s.wall_theme : 0;
        const Image image = art.image[picture_of(type) + (p.restrict_themes ? 0 : theme)];
        if (p.use_monochrome_assets || image.width != usual.width || image.height != usual.height) {
          painter.rect(type, theme, cell(i, k));
          continue;
        }
        canvas.draw_cell(art, image, across, i, down, k);
      }
    }
  }

  // Draws the trails of enemies, the oldest first. They grow, fade and rise.
  template <i32 kPixels>
  ENVPOOL_FN static void draw_trails(const State& s, Painter<kPixels>& painter) {
    using namespace coinrun;
    for (i32 age = min(kTrailSteps, s.level.time) - 1; age >= 0; --age) {
      f32 half_width = 0.3f, half_height = 0.2f, opacity = 0.5f;
      for (i32 i = 0; i < age; ++i) {
        half_width *= 1.05f;
        half_height *= 1.05f;
        opacity *= 0.8f;
      }
      const i32 slot = (s.level.time - age) % kTrailSteps;
      for (i32 i = s.enemies - 1; i >= 0; --i) {
        f32 y = s.trail_y[slot][i];
        for (i32 k = 0; k < age; ++k) y += 0.01f;
        painter.object(kTrail, 0, s.trail_x[slot][i], y, half_width, half_height, false, opacity);
      }
    }
  }
};

}  // namespace envpool::procgen
