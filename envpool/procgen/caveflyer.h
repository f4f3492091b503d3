// SPDX-License-Identifier: Apache-2.0
//
// CaveFlyer: a spaceship flies through a cave to a goal, past obstacles, targets and enemies.
//
//   Action       i32, 0 to 2 turn left, 3 to 5 go straight on, 6 to 8 turn right: with the first of these three the
//                ship brakes, and with the last it accelerates; 9 shoots, 10 to 14 nothing
//   Observation  u8[3, 64, 64], RGB, of 16 by 16 cells around the agent, or 10 by 10 with "easy"; with
//                center_agent=False of the whole cave
//   Reward       3 for each target, which endures 5 shots, and 10 at the goal
//   Terminated   at the goal, and when the agent touches an obstacle, a target or an enemy
//   Truncated    after 1000 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the cave and all that is in it
//
// The cave is within 30 by 30 cells with distribution_mode "easy", 40 by 40 with "hard", and 60 by 60 with "memory".
// Reference: see game.h.
#pragma once

#include "envpool/procgen/caveflyer_level.h"
#include "envpool/procgen/scene.h"

namespace envpool::procgen {

struct ProcgenCaveflyer : GameOf<ProcgenCaveflyer> {
  static constexpr const char* kName = "ProcgenCaveflyer";
  static constexpr const char* kModes[] = {"easy", "hard", "memory", "exploration"};
  static constexpr const char* kActionsText =
      "0 left and brake, 1 left, 2 left and accelerate, 3 brake, 4 nothing, 5 accelerate, 6 right and brake, 7 "
      "right, 8 right and accelerate, 9 shoots, 10 to 14 nothing";
  static constexpr i32 kTimeLimit = 1000, kExplorationSeed = 1259048185;
  static constexpr f32 kHalf = 0.5f, kAgentHalf = 0.4f, kSpeed = 0.5f;
  static constexpr f32 kPi = 3.14159265358979323846f, kQuarter = kPi / 2;

  enum Picture : i32 {
    kAgentPicture,
    kGoalPicture,
    kObstaclePicture,
    kTargetPicture,
    kShotPicture,
    kEnemyPicture,
    kWallPicture,
    kExhaustPicture,
    kExplosionPicture,
    kBackground = kExplosionPicture + kExplosionPictures,
    kPictures = kBackground + caveflyer::kBackgrounds
  };

  using State = caveflyer::State;

#if ENVPOOL_HOST
  static void state_parts(StateParts<State>& parts) {
    parts.add("angle", &State::angle).add("turn", &State::turn).add("objects", &State::objects);
  }
#endif

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const bool tie = s.random.bits() % 2 == 0;
    fly(s, p, move_of(action), tie);
    for (i32 i = 0; i < s.objects; ++i) {
      if (s.object[i].type == caveflyer::kEnemy) run(s, p, s.object[i].body, tie);
    }
    for (i32 i = 0; i < s.things.count; ++i) change(s.things.at[i], change_of(s.things.at[i].type), /*moves=*/true);
    f32 reward = 0;
    bool done = false, complete = false;
    meet(s, reward, done, complete);
    remove(s, p);
    if (is_shot(action)) shoot(s);
    for (i32 i = 0; i < s.objects; ++i) {
      caveflyer::Object& o = s.object[i];
      if (o.type == caveflyer::kEnemy) o.angle = faced(o.angle, o.body.vx, o.body.vy, -kQuarter);
    }
    hit_walls(s, p);
    remove(s, p);
    const StepEnd end = end_step(s.level, p, reward, done, complete, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    using namespace caveflyer;
    const f32 cells = f32(cells_of(p.mode));
    repair_level(s.level);
    repair_mover(s.agent, cells);
    s.random.repair();
    constexpr f32 kMostTurns = 1e4f;
    keep_within(s.angle, -kMostTurns, kMostTurns);
    keep_within(s.turn, -1.0f, 1.0f);
    keep_within<u8>(s.background, 0, kBackgrounds - 1);
    keep_within(s.objects, 0, kMostObjects);
    for (i32 i = 0; i < s.objects; ++i) {
      Object& o = s.object[i];
      repair_mover(o.body, cells);
      keep_within<u8>(o.type, kObstacle, kEnemy);
      keep_bool(o.gone);
    }
    s.things.repair();
    for (Entity& e : s.things) {
      keep_within<u8>(e.picture, kShot, kLastExplosion);
      e.theme = 0;
    }
  }

 private:
  friend GameOf<ProcgenCaveflyer>;

  struct Body {
    f32 x, y, half_width, half_height;
  };

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) { caveflyer::LevelMaker(s, p).make(); }

  ENVPOOL_FN static Change change_of(i32 type) {
    if (type == caveflyer::kExhaust) return {.growth = 1.25f, .fading = 0.8f, .life = 4};
    if (type == caveflyer::kShot) return {.life = 10};
    return kExplosionChange;
  }

  // Turns and accelerates the agent, and moves it.
  ENVPOOL_DEVICE_CALL static void fly(State& s, const Params& p, i32 move, bool tie) {
    constexpr f32 kMix = 0.9f, kMixTurn = 0.5f, kMostTurn = 15 * kPi / 180;
    Mover& a = s.agent;
    f32 acceleration = f32(move % 3 - 1);
    if (acceleration < 0) acceleration *= 0.33f;
    const f32 angle = -s.angle + kQuarter;
    const SinCos<f64> direction = sincos(f64(angle));
    if (acceleration > 0) {
      const f32 half = f32(0.5 * kAgentHalf);
      Entity exhaust = new_entity(caveflyer::kExhaust, f32(a.x - kAgentHalf * direction.cos),
                                  f32(a.y - kAgentHalf * direction.sin), 0, 0, half, half);
      exhaust.angle = -angle - kQuarter;
      s.things.add(exhaust);
    }
    const f32 dx = f32(acceleration * direction.cos), dy = f32(acceleration * direction.sin);
    a.vx = f32(0.9 * f32(a.vx + kMix * kSpeed * dx * 0.2));
    a.vy = f32(0.9 * f32(a.vy + kMix * kSpeed * dy * 0.2));
    s.turn = kMixTurn * s.turn + kMixTurn * kMostTurn * f32(move / 3 - 1);
    const i32 cells = caveflyer::cells_of(p.mode);
    advance(a, agent_sideways(a, tie, dx != 0, dy != 0), [&](f32 vx, f32 vy) {
      const f32 x = a.x + vx, y = a.y + vy, inside = kAgentHalf * kInside;
      const bool blocked = touches_wall(s, cells, x, y, inside, inside);
      a.x = blocked && vx != 0 ? stopped(x, kAgentHalf, vx) : x;
      a.y = blocked && vx == 0 ? stopped(y, kAgentHalf, vy) : y;
      return blocked;
    });
    s.angle += s.turn;
  }

  // Returns whether one of the corners of a body is in a wall.
  ENVPOOL_FN static bool touches_wall(const State& s, i32 cells, f32 x, f32 y, f32 half_width, f32 half_height) {
    bool touches = false;
    for (i32 i = -1; i <= 1; i += 2) {
      for (i32 k = -1; k <= 1; k += 2) {
        touches = touches || caveflyer::is_wall_at(s, cells, x + half_width * f32(i), y + half_height * f32(k));
      }
    }
    return touches;
  }

  // Moves an enemy, which turns round at walls.
  ENVPOOL_DEVICE_CALL static void run(const State& s, const Params& p, Mover& at, bool tie) {
    const i32 cells = caveflyer::cells_of(p.mode);
    advance(at, faster_sideways(at, tie), [&](f32 vx, f32 vy) {
      f32 x = at.x + vx, y = at.y + vy;
      const bool sideways = vx != 0;
      const bool blocked = touches_wall(s, cells, x, y, kHalf * kInside, kHalf * kInside);
      if (blocked) turn_round(sideways ? x : y, sideways ? at.vx : at.vy, kHalf, sideways ? vx : vy);
      at.x = x;
      at.y = y;
      return blocked;
    });
  }

  // What touches the agent, and what its shots hit. What came last is first.
  ENVPOOL_FN static void meet(State& s, f32& reward, bool& done, bool& complete) {
    using namespace caveflyer;
    const Body agent{s.agent.x, s.agent.y, kAgentHalf, kAgentHalf};
    for (i32 i = s.objects - 1; i >= -1; --i) {
      const bool is_goal = i < 0;
      Object* const o = is_goal ? nullptr : &s.object[i];
      const Mover at = is_goal ? Mover{s.goal_x + 0.5f, s.goal_y + 0.5f, 0, 0} : o->body;
      const Body body{at.x, at.y, kHalf, kHalf};
      if (touch(body, agent)) {
        done = true;
        complete |= is_goal;
        if (is_goal) reward += 10;
      }
      for (i32 k = s.things.count - 1; k >= 0; --k) {
        Entity& shot = s.things.at[k];
        if (shot.type != kShot || shot.gone || (!is_goal && o->gone) || !touch(body, shot)) continue;
        if (!is_goal && o->type == kTarget) {
          o->health = u8(max(o->health - 1, 0));
          if (o->health == 0) {
            const f32 half = f32(0.5 * kHalf);
            s.things.add(new_entity(kExplosion, at.x, at.y, 0, 0, half, half));
            o->gone = true;
            reward += 3;
          }
        }
        shot.gone = true;
        s.things.add(explosion_of(shot, at.vx, at.vy));
      }
    }
  }

  ENVPOOL_FN static void remove(State& s, const Params& p) {
    const f32 cells = f32(caveflyer::cells_of(p.mode));
    s.things.remove(cells, cells);
    i32 kept = 0;
    for (i32 i = 0; i < s.objects; ++i) {
      if (s.object[i].gone) continue;
      if (kept != i) s.object[kept] = s.object[i];
      ++kept;
    }
    s.objects = kept;
  }

  ENVPOOL_FN static void shoot(State& s) {
    const SinCos<f64> direction = sincos(f64(-s.angle + kQuarter));
    Entity shot =
        new_entity(caveflyer::kShot, s.agent.x, s.agent.y, f32(direction.cos), f32(direction.sin), 0.1f, 0.25f);
    shot.angle = s.angle;
    s.things.add(shot);
  }

  ENVPOOL_FN static void hit_walls(State& s, const Params& p) {
    const i32 cells = caveflyer::cells_of(p.mode);
    for (i32 i = s.things.count - 1; i >= 0; --i) {
      Entity& shot = s.things.at[i];
      if (shot.type != caveflyer::kShot) continue;
      if (!touches_wall(s, cells, shot.x, shot.y, shot.half_width, shot.half_height)) continue;
      shot.gone = true;
      s.things.add(explosion_of(shot, 0, 0));
    }
  }

  ENVPOOL_FN static i32 picture_of(i32 picture) {
    return picture >= kExplosion            ? kExplosionPicture + picture - kExplosion
           : picture == caveflyer::kExhaust ? i32{kExhaustPicture}
                                            : i32{kShotPicture};
  }
  ENVPOOL_FN static i32 object_picture(i32 type) {
    return type == caveflyer::kObstacle ? kObstaclePicture
           : type == caveflyer::kTarget ? kTargetPicture
                                        : kEnemyPicture;
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    using namespace caveflyer;
    const i32 cells = cells_of(p.mode);
    const f32 middle = f32(cells * 0.5), visible = p.mode == kEasy ? 10.0f : 16.0f;
    const View view =
        p.center_agent ? View(visible, s.agent.x, s.agent.y, kPixels) : View(f32(cells), middle, middle, kPixels);
    Scene<kPixels> scene(p, canvas, view);
    scene.background(kBackground + s.background, cells, cells, s.background_part);
    const Window window =
        p.center_agent ? window_around(s.agent.x, s.agent.y, visible) : Window{0, cells - 1, 0, cells - 1};
    scene.template cells<kMostCells>(
        window, [&](i32 x, i32 y) { return is_wall(s, cells, x, y) ? Look{kWallPicture, kWall} : Look{kNoPicture, 0}; },
        kWallPicture);
    EntityPainter<kPixels> painter(p, canvas, view);
    painter.draw(kGoal, 0, kGoalPicture, s.goal_x + 0.5f, s.goal_y + 0.5f, kHalf, kHalf);
    for (i32 i = 0; i < s.objects; ++i) {
      const Object& o = s.object[i];
      painter.draw(o.type, 0, object_picture(o.type), o.body.x, o.body.y, kHalf, kHalf, o.angle);
    }
    for (i32 i = 0; i < s.things.count; ++i) painter.draw(s.things.at[i], picture_of(s.things.at[i].picture));
    painter.draw(kAgent, 0, kAgentPicture, s.agent.x, s.agent.y, kAgentHalf, kAgentHalf, s.angle);
    if (p.paint_vel_info) paint_velocity(canvas, s.agent, kSpeed, kSpeed);
  }
};

}  // namespace envpool::procgen
