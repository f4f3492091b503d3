// SPDX-License-Identifier: Apache-2.0
//
// Dodgeball: an agent throws balls at all enemies in a building, avoids theirs and the walls, and then leaves.
//
//   Action       i32, 0 to 2 left and down, left, left and up, 3 down, 4 nothing, 5 up, 6 to 8 the same to the right,
//                9 throws a ball in the direction of the last move, 10 to 14 nothing
//   Observation  u8[3, 64, 64], RGB, of the whole building; with "memory" of 16 by 16 cells around the agent
//   Reward       2 for each enemy, and 10 at the exit
//   Terminated   at the exit after the last enemy, and when a wall, an enemy or a ball of one touches the agent
//   Truncated    after 1000 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the walls, the exit, all places, and what the enemies do
//
// The building has 20 by 20 cells, and 40 by 40 with distribution_mode "memory". There are up to 2 walls with "easy", 4
// with "hard", 8 with "extreme" and 16 with "memory"; with "easy" everything is larger. Reference: see game.h.
#pragma once

#include "envpool/procgen/dodgeball_level.h"

namespace envpool::procgen {

struct ProcgenDodgeball : GameOf<ProcgenDodgeball> {
  static constexpr const char* kName = "ProcgenDodgeball";
  static constexpr const char* kModes[] = {"easy", "hard", "extreme", "memory"};
  static constexpr const char* kActionsText = kMovesAndShot;
  static constexpr i32 kTimeLimit = 1000, kThrowSteps = 7, kEnemyThrowSteps = 50, kDustThemes = 9;
  static constexpr i32 kFirstMove = 7;  // to the right
  static constexpr f32 kUsualSpeed = 0.5f, kPi = 3.14159265358979323846f;

  // Types have the reference's numbers, which choose their colours if images are replaced by colours.
  enum Type : u8 {
    kAgent = 0,
    kWall = 1,
    kBall = 3,
    kEnemy = 4,
    kExit = 5,
    kEnemyBall = 6,
    kOpenExit = 7,
    kDust = 8,
    kOutside = 10,
  };
  enum Picture : i32 {
    kAgentPicture,
    kBallPicture,
    kEnemyPicture,
    kExitPicture = kEnemyPicture + dodgeball::kEnemyThemes,
    kEnemyBallPicture,
    kOpenExitPicture,
    kWallPicture,
    kDustPicture,
    kBackground = kDustPicture + kDustThemes,
    kPictures = kBackground + dodgeball::kBackgrounds
  };

  using State = dodgeball::State;

#if ENVPOOL_HOST
  static void state_parts(StateParts<State>& parts) {
    parts.add("enemies", &State::enemies).add("seen_enemies", &State::seen_enemies).add("walls", &State::walls);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    if (rng.episode == 0) s.last_move = kFirstMove;
    GameOf::reset(s, p, rng);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 now = clamp(s.level.time, 0, kTimeLimit) + 1;
    const i32 move = move_of(action);
    const u32 random = s.random.bits() % 1'000'000;
    if (move != kNoMove) s.last_move = move;
    for (i32 i = 0; i < s.things.count; ++i) change(s.things.at[i], change_of(s.things.at[i].type), /*moves=*/true);
    for (i32 i = s.enemies - 1; i >= 0; --i) run(s, p, s.enemy[i].body, random % 2 == 0);
    walk(s, p, move / 3 - 1, move % 3 - 1, random % 2 == 0);
    f32 reward = 0;
    bool done = false, complete = false;
    meet(s, p, random, reward, done, complete);
    remove(s, p);
    act(s, p, now, is_shot(action));
    remove(s, p);
    const StepEnd end = end_step(s.level, p, reward, done, complete, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    const f32 cells = dodgeball::sizes_of(p.mode).cells;
    repair_level(s.level);
    repair_mover(s.agent, cells);
    s.random.repair();
    keep_within(s.last_move, 0, 8);
    keep_within(s.last_shot, 0, kTimeLimit);
    keep_within(s.walls, 0, dodgeball::kMostWalls);
    keep_within(s.enemies, 0, dodgeball::kMostEnemies);
    keep_within<u8>(s.background, 0, dodgeball::kBackgrounds - 1);
    keep_within<u8>(s.enemy_theme, 0, dodgeball::kUsedEnemyThemes - 1);
    repair_body(s.exit, cells);
    for (i32 i = 0; i < s.walls; ++i) repair_body(s.wall[i], cells);
    for (i32 i = 0; i < s.enemies; ++i) {
      dodgeball::Enemy& enemy = s.enemy[i];
      repair_mover(enemy.body, cells);
      keep_within(enemy.steps, 0, 75);
      keep_within(enemy.last_shot, 0, kTimeLimit + 4);
      keep_bool(enemy.gone);
    }
    s.things.repair();
    for (Entity& e : s.things) {
      keep_within<u8>(e.picture, kBall, kDust);
      keep_within<u8>(e.theme, 0, u8((e.picture == kDust ? kDustThemes : 1) - 1));
    }
  }

 private:
  friend GameOf<ProcgenDodgeball>;

  using Body = dodgeball::Body;
  using Enemy = dodgeball::Enemy;

  ENVPOOL_FN static void repair_body(Body& b, f32 cells) {
    keep_within(b.x, 0.0f, cells);
    keep_within(b.y, 0.0f, cells);
    keep_within(b.half_width, 0.25f, cells);
    keep_within(b.half_height, 0.25f, cells);
  }
  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) { dodgeball::LevelMaker(s, p).make(); }

  ENVPOOL_FN static Body agent_of(const State& s, const Params& p) {
    const f32 half = dodgeball::sizes_of(p.mode).agent;
    return {s.agent.x, s.agent.y, half, half};
  }
  ENVPOOL_FN static Body body_of(const Enemy& enemy, const Params& p) {
    const f32 half = dodgeball::sizes_of(p.mode).enemy;
    return {enemy.body.x, enemy.body.y, half, half};
  }
  ENVPOOL_FN static Change change_of(i32 type) {
    if (type == kDust) return {.turn = kPi / 0.3f, .growth = 1.0f / 1.2f, .fading = 0.9f, .life = 4};
    return {.turn = kPi * 0.23f, .life = 50};
  }

  ENVPOOL_FN static void walk(State& s, const Params& p, i32 dx, i32 dy, bool tie) {
    constexpr f32 kMix = 0.5f;
    const dodgeball::Sizes sizes = dodgeball::sizes_of(p.mode);
    Mover& a = s.agent;
    a.vx = f32(0.9 * ((1 - kMix) * a.vx + kMix * sizes.agent_speed * f32(dx)));
    a.vy = f32(0.9 * ((1 - kMix) * a.vy + kMix * sizes.agent_speed * f32(dy)));
    advance_in_box(a, sizes.agent, sizes.agent, sizes.cells, agent_sideways(a, tie, dx, dy));
  }

  // Moves an enemy, which turns round at walls and at the edges of the world.
  ENVPOOL_FN static void run(const State& s, const Params& p, Mover& at, bool tie) {
    const dodgeball::Sizes sizes = dodgeball::sizes_of(p.mode);
    const f32 half = sizes.enemy, inside = half * kInside;
    advance(at, faster_sideways(at, tie), [&](f32 vx, f32 vy) {
      f32 x = at.x + vx, y = at.y + vy;
      const bool sideways = vx != 0;
      const bool blocked =
          !(x - inside >= 0 && x + inside < sizes.cells && y - inside >= 0 && y + inside < sizes.cells);
      f32& place = sideways ? x : y;
      f32& speed = sideways ? at.vx : at.vy;
      const f32 by = sideways ? vx : vy;
      if (blocked) turn_round(place, speed, half, by);
      for (i32 i = s.walls - 1; i >= 0; --i) {
        const Body& wall = s.wall[i];
        if (!overlaps(x - wall.x, y - wall.y, half + wall.half_width + kOverlap, half + wall.half_height + kOverlap)) {
          continue;
        }
        const f32 far = sideways ? wall.x - x : wall.y - y;
        const f32 reach = (sideways ? wall.half_width : wall.half_height) + half;
        place += by > 0 ? -2 * (reach - far) : 2 * (reach + far);
        speed = -1 * speed;
      }
      at.x = x;
      at.y = y;
      return blocked;
    });
  }

  // What touches the agent and what balls hit. What came last is first.
  ENVPOOL_FN static void meet(State& s, const Params& p, u32 random, f32& reward, bool& done, bool& complete) {
    const Body agent = agent_of(s, p);
    for (i32 i = 0; i < s.things.count; ++i) done |= s.things.at[i].type == kEnemyBall && touch(s.things.at[i], agent);
    for (i32 i = s.enemies - 1; i >= 0; --i) {
      Enemy& enemy = s.enemy[i];
      const Body body = body_of(enemy, p);
      done |= touch(body, agent);
      for (i32 k = s.things.count - 1; k >= 0 && !enemy.gone; --k) {
        Entity& ball = s.things.at[k];
        if (ball.type != kBall || ball.gone || !touch(body, ball)) continue;
        ball.gone = enemy.gone = true;
        reward += 2;
        s.things.add(
            new_entity(kDust, body.x, body.y, 0, 0, body.half_width, body.half_height, i32(random % u32(kDustThemes))));
      }
    }
    if (s.seen_enemies == 0 && touch(s.exit, agent)) {
      done = complete = true;
      reward += 10;
    }
    for (i32 i = 0; i < s.walls; ++i) {
      done |= touch(s.wall[i], agent);
      for (i32 k = 0; k < s.things.count; ++k) {
        Entity& ball = s.things.at[k];
        ball.gone |= ball.type != kDust && touch(s.wall[i], ball);
      }
    }
  }

  ENVPOOL_FN static void remove(State& s, const Params& p) {
    const f32 cells = dodgeball::sizes_of(p.mode).cells;
    s.things.remove(cells, cells);
    i32 kept = 0;
    for (i32 i = 0; i < s.enemies; ++i) {
      const Body b = body_of(s.enemy[i], p);
      const bool outside = b.x + b.half_width < 0 || b.y + b.half_height < 0 || b.x - b.half_width > cells ||
                           b.y - b.half_height > cells;
      if (!s.enemy[i].gone && !outside) s.enemy[kept++] = s.enemy[i];
    }
    s.enemies = kept;
  }

  // The agent and the enemies throw balls. Balls at the edges of the world vanish.
  ENVPOOL_FN static void act(State& s, const Params& p, i32 now, bool throws) {
    const dodgeball::Sizes sizes = dodgeball::sizes_of(p.mode);
    const f32 dx = f32(s.last_move / 3 - 1), dy = f32(s.last_move % 3 - 1);
    s.agent_angle = faced(s.agent_angle, dx, dy);
    if (throws && now - s.last_shot >= kThrowSteps) {
      s.things.add(new_entity(kBall, s.agent.x, s.agent.y, dx * sizes.ball_speed, dy * sizes.ball_speed, sizes.ball,
                              sizes.ball));
      s.last_shot = now;
    }
    for (i32 i = 0; i < s.things.count; ++i) {
      Entity& ball = s.things.at[i];
      ball.gone |= ball.type != kDust && (ball.x < ball.half_width || ball.x > sizes.cells - ball.half_width ||
                                          ball.y < ball.half_height || ball.y > sizes.cells - ball.half_height);
    }
    s.seen_enemies = s.enemies;
    for (i32 i = s.enemies - 1; i >= 0; --i) act(s, s.enemy[i], sizes, now);
  }
  ENVPOOL_FN static void act(State& s, Enemy& enemy, const dodgeball::Sizes& sizes, i32 now) {
    if (enemy.steps == 0) {
      choose_direction(enemy, s.random);
    } else {
      --enemy.steps;
    }
    Mover& at = enemy.body;
    const bool above = fabs(at.x - s.agent.x) < 1, beside = fabs(at.y - s.agent.y) < 1;
    if (now - enemy.last_shot >= kEnemyThrowSteps && (above || beside)) {
      const f32 dx = above ? 0.0f : at.x < s.agent.x ? 1.0f : -1.0f;
      const f32 dy = !above ? 0.0f : at.y < s.agent.y ? 1.0f : -1.0f;
      s.things.add(
          new_entity(kEnemyBall, at.x, at.y, dx * sizes.ball_speed, dy * sizes.ball_speed, sizes.ball, sizes.ball));
      enemy.last_shot = now + s.random.below(4);
      at.vx = dx * dodgeball::kEnemySpeed;
      at.vy = dy * dodgeball::kEnemySpeed;
    }
    enemy.angle = faced(enemy.angle, at.vx, at.vy);
  }

  ENVPOOL_FN static i32 picture_of(i32 type) {
    return type == kDust ? i32{kDustPicture} : type == kBall ? i32{kBallPicture} : i32{kEnemyBallPicture};
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    const i32 cells = i32(dodgeball::sizes_of(p.mode).cells);
    const bool follows = p.mode == kMemory;
    const f32 middle = f32(cells * 0.5);
    const View view = follows ? View(16, s.agent.x, s.agent.y, kPixels) : View(f32(cells), middle, middle, kPixels);
    draw_background(canvas, p, kBackground + s.background, view, cells, cells, s.background_part);
    if (follows) draw_outside(s, p, canvas, view, cells);
    for (i32 i = 0; i < s.walls; ++i) draw_wall(p, canvas, view, s.wall[i]);
    EntityPainter<kPixels> painter(p, canvas, view);
    const auto put = [&](i32 type, i32 theme, i32 picture, const Body& b, f32 angle) {
      painter.draw(type, theme, picture, b.x, b.y, b.half_width, b.half_height, angle);
    };
    const bool open = s.seen_enemies == 0;
    put(open ? kOpenExit : kExit, 0, open ? kOpenExitPicture : kExitPicture, s.exit, 0);
    for (i32 i = 0; i < s.enemies; ++i) {
      put(kEnemy, s.enemy_theme, kEnemyPicture, body_of(s.enemy[i], p), s.enemy[i].angle);
    }
    for (i32 i = 0; i < s.things.count; ++i) painter.draw(s.things.at[i], picture_of(s.things.at[i].picture));
    put(kAgent, 0, kAgentPicture, agent_of(s, p), s.agent_angle);
    if (p.paint_vel_info) paint_velocity(canvas, s.agent, dodgeball::sizes_of(p.mode).agent_speed, kUsualSpeed);
  }

  // Draws cells outside of the world.
  template <i32 kPixels>
  ENVPOOL_FN static void draw_outside(const State& s, const Params& p, Canvas<kPixels>& canvas, const View& view,
                                      i32 cells) {
    constexpr f32 kMargin = 16 / 2.0 + 1;
    constexpr i32 kMostCells = 20;
    const Image& image = art_of(p).image[kWallPicture];
    const i32 left = i32(s.agent.x - kMargin), right = i32(s.agent.x + kMargin);
    const i32 bottom = i32(s.agent.y - kMargin), top = i32(s.agent.y + kMargin);
    const auto cell = [&](i32 i, i32 k) { return view.rect(f32(i), f32(k + 1), 1, 1, kCellMargin); };
    using Spans = CellSpans<kMostCells, kPixels>;
    const Spans across(image.width, left, right, [&](i32 i) { return Extent{cell(i, 0).x, cell(i, 0).width}; });
    const Spans down(image.height, bottom, top, [&](i32 k) { return Extent{cell(0, k).y, cell(0, k).height}; });
    for (i32 i = left; i <= right; ++i) {
      for (i32 k = bottom; k <= top; ++k) {
        if (u32(i) < u32(cells) && u32(k) < u32(cells)) continue;
        if (p.use_monochrome_assets) {
          canvas.fill(cell(i, k), color_of(kOutside, 0));
        } else {
          canvas.draw_cell(art_of(p), image, across, i, down, k);
        }
      }
    }
  }

  // Draws a wall as tiles that are as long as the wall is thick, or a little longer.
  template <i32 kPixels>
  ENVPOOL_FN static void draw_wall(const Params& p, Canvas<kPixels>& canvas, const View& view, const Body& b) {
    const Rect rect = view.rect(b.x - b.half_width, b.y + b.half_height, 2 * b.half_width, 2 * b.half_height);
    if (p.use_monochrome_assets) {
      canvas.fill(rect, color_of(kWall, 0));
      return;
    }
    const bool lies = b.half_width > b.half_height;
    const i32 tiles = max(i32(lies ? rect.width / rect.height : rect.height / rect.width), 1);
    const f32 length = f32((lies ? rect.width : rect.height) / tiles);
    for (i32 i = 0; i < tiles; ++i) {
      const f64 shift = f32(length * f32(i));
      canvas.draw(
          art_of(p), art_of(p).image[kWallPicture],
          lies ? Rect{rect.x + shift, rect.y, length, rect.height} : Rect{rect.x, rect.y + shift, rect.width, length});
    }
  }
};

}  // namespace envpool::procgen
