// SPDX-License-Identifier: Apache-2.0
//
// Chaser: an agent collects all orbs in a maze while enemies chase it. For 75 steps after it has collected a large orb,
// it can eat the enemies, which hatch again from eggs.
//
//   Action       i32, 0 to 2 left and down, left, left and up, 3 down, 4 nothing, 5 up, 6 to 8 the same to the right,
//                9 to 14 nothing; the agent goes on in its direction until it is stopped
//   Observation  u8[3, 64, 64], RGB, of the whole maze
//   Reward       0.04 for each orb, and 10 for the last
//   Terminated   after the last orb, and when an enemy touches the agent
//   Truncated    after 1000 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the maze and all places
//
// The maze has 11 by 11 cells and 3 enemies with distribution_mode "easy", 13 by 13 and 3 with "hard", and 19 by 19 and
// 5 with "extreme". Reference: see game.h.
#pragma once

#include "envpool/procgen/maze_generator.h"
#include "envpool/procgen/mover.h"

namespace envpool::procgen {

struct ProcgenChaser : GameOf<ProcgenChaser> {
  static constexpr const char* kName = "ProcgenChaser";
  static constexpr const char* kModes[] = {"easy", "hard", "extreme"};
  static constexpr const char* kActionsText = kMoves;
  static constexpr i32 kTimeLimit = 1000, kEatingSteps = 75, kHatchingSteps = 50;
  static constexpr i32 kMostCells = 19, kMostEnemies = 5, kMostLarge = 5;
  static constexpr i32 kMostThings = kMostLarge + 3 * kMostEnemies;  // an egg is there for a step after it has hatched
  static constexpr f32 kSpeed = 0.5f, kHalf = 0.5f, kHalfOfLarge = 0.4f, kOrbReward = 0.04f;

  // Types have the reference's numbers, which choose their colours if images are replaced by colours.
  enum Type : i32 { kAgentType = 0, kLarge = 2, kWeak = 3, kEgg = 4, kWallType = 5, kEnemy = 6 };
  enum Picture : i32 {
    kAgentPicture,
    kEnemyPicture,  // the first of three
    kLargePicture = kEnemyPicture + 3,
    kWeakPicture,
    kEggPicture,
    kWallPicture,
    kBackground,
    kPictures
  };

  struct Thing {  // a large orb, an egg or an enemy
    Mover body;
    i32 type;
    i32 health;  // of an egg: steps until it hatches
    bool gone;   // is removed in the next step
  };
  struct State {
    Level level;
    i32 free[kMostCells], orbs[kMostCells];  // by row, a bit for each cell
    i32 orbs_left;
    i32 eating_since;
    Mover agent;
    i32 count;
    Thing thing[kMostThings];
    Twister random;
  };

#if ENVPOOL_HOST
  static u64 identity(const Params& p) { return u64(cells_of(p)); }
  static void state_parts(StateParts<State>& parts) {
    parts.add("free", &State::free).add("orbs", &State::orbs).add("orbs_left", &State::orbs_left);
  }
#endif

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 now = time_of(s) + 1;
    const i32 move = move_of(action), dx = move / 3 - 1, dy = move % 3 - 1;
    const i32 random = s.random.below(1'000'000);
    Mover& a = s.agent;
    a.vx = kSpeed * sign(dx != 0 ? f32(dx) : a.vx);
    a.vy = kSpeed * sign(dy != 0 ? f32(dy) : a.vy);
    for (i32 i = s.count - 1; i >= 0; --i) {
      Mover& body = s.thing[i].body;
      if (s.thing[i].type == kEnemy) run(s, p, body, faster_sideways(body, random % 2 == 0));
    }
    run(s, p, a, agent_sideways(a, random % 2 == 0, dx, dy));
    f32 reward = 0;
    bool done = false;
    meet(s, now, reward, done);
    live(s, p, now, random);
    const i32 x = i32(a.x), y = i32(a.y);
    if (u32(y) < u32(kMostCells) && (s.orbs[y] >> (x & 31) & 1) != 0) {
      s.orbs[y] &= ~(1 << (x & 31));
      reward += kOrbReward;
      --s.orbs_left;
    }
    const bool complete = s.orbs_left == 0;
    if (complete) reward += 10;
    const StepEnd end = end_step(s.level, p, reward, done || complete, complete, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    const f32 most = f32(cells_of(p));
    repair_level(s.level);
    repair_mover(s.agent, most);
    s.random.repair();
    keep_within(s.count, 0, kMostThings);
    keep_within(s.orbs_left, 0, kMostCells * kMostCells);
    keep_within(s.eating_since, -kEatingSteps, kTimeLimit);
    for (Thing& thing : s.thing) {
      repair_mover(thing.body, most);
      keep_within(thing.health, 0, kHatchingSteps);
      keep_bool(thing.gone);
    }
  }

 private:
  friend GameOf<ProcgenChaser>;

  ENVPOOL_FN static i32 cells_of(const Params& p) { return p.mode == kEasy ? 11 : p.mode == kHard ? 13 : kMostCells; }
  ENVPOOL_FN static i32 enemies_of(const Params& p) { return p.mode == kExtreme ? kMostEnemies : 3; }
  ENVPOOL_FN static f32 sign(f32 x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : 0.0f; }
  ENVPOOL_FN static i32 time_of(const State& s) { return clamp(s.level.time, 0, kTimeLimit); }
  ENVPOOL_FN static bool can_eat(const State& s, i32 now) { return now - s.eating_since < kEatingSteps; }

  ENVPOOL_FN static bool is_free(const State& s, const Params& p, i32 x, i32 y) {
    const u32 cells = u32(cells_of(p));
    return u32(x) < cells && u32(y) < cells && (s.free[y] >> x & 1) != 0;
  }
  ENVPOOL_FN static void add(State& s, i32 type, i32 health, f32 x, f32 y) {
    if (s.count < kMostThings) s.thing[s.count++] = {{x, y, 0, 0}, type, health, false};
  }
  ENVPOOL_FN static void add_in_cell(State& s, const Params& p, i32 type, i32 health, i32 cell) {
    add(s, type, health, cell % cells_of(p) + 0.5f, cell / cells_of(p) + 0.5f);
  }
  // Returns the k-th of the cells that are bits of `rows`, row by row; -1 if there are fewer.
  ENVPOOL_FN static i32 cell_of_set(const i32* rows, const Params& p, i32 k) {
    const i32 cells = cells_of(p);
    for (i32 y = 0; y < cells; ++y) {
      for (u32 left = u32(rows[y]); left != 0; left &= left - 1) {
        if (k-- > 0) continue;
        i32 x = 0;
        while ((left >> x & 1) == 0) ++x;
        return y * cells + x;
      }
    }
    return -1;
  }
  ENVPOOL_FN static i32 size_of_set(const i32* rows, const Params& p) {
    i32 size = 0;
    for (i32 y = 0; y < cells_of(p); ++y) {
      for (u32 left = u32(rows[y]); left != 0; left &= left - 1) ++size;
    }
    return size;
  }

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) {
    const i32 cells = cells_of(p), middle = (cells + 1) / 2;
    s.random.seed(u32(s.level.seed));
    for (i32 i = 0; i < 4; ++i) s.random.bits();  // the background and a place of the agent, which are not used
    Maze maze(cells, s.random);
    maze.open_dead_ends(s.random);
    for (i32 y = 0; y < kMostCells; ++y) s.free[y] = y < cells ? i32(maze.free_in_row(y)) : 0;
    s.count = 0;
    place_large(s, p, middle);
    i32 chosen[1 + kMostEnemies];
    s.random.choose(size_of_set(s.orbs, p), 1 + enemies_of(p), chosen);
    const i32 start = cell_of_set(s.orbs, p, chosen[0]);
    s.agent = {start % cells + 0.5f, start / cells + 0.5f, 0, 0};
    for (i32 i = 0; i < enemies_of(p); ++i) {
      add_in_cell(s, p, kEgg, kHatchingSteps, cell_of_set(s.orbs, p, chosen[i + 1]));
    }
    s.orbs_left = size_of_set(s.orbs, p);
    s.eating_since = -kEatingSteps;
  }

  // Places a large orb in each quarter of the maze; in one of the quarters, one less or more in some modes. All other
  // free cells have an orb.
  ENVPOOL_FN static void place_large(State& s, const Params& p, i32 middle) {
    const i32 cells = cells_of(p), odd_quarter = s.random.below(4);
    const i32 more = p.mode == kEasy ? 0 : p.mode == kHard ? -1 : 1;
    for (i32 y = 0; y < kMostCells; ++y) s.orbs[y] = s.free[y];
    for (i32 quarter = 0; quarter < 4; ++quarter) {
      const i32 left = quarter < 2 ? 0 : middle, right = quarter < 2 ? middle : cells;
      const i32 low = quarter % 2 == 0 ? 0 : middle, high = quarter % 2 == 0 ? middle : cells;
      u16 cell[(kMostCells + 1) * (kMostCells + 1) / 4];
      i32 count = 0, chosen[2];
      for (i32 x = left; x < right; ++x) {
        for (i32 y = low; y < high; ++y) {
          if (is_free(s, p, x, y)) cell[count++] = u16(y * cells + x);
        }
      }
      const i32 wanted = quarter == odd_quarter ? 1 + more : 1;
      s.random.choose(count, wanted, chosen);
      for (i32 i = 0; i < wanted; ++i) {
        const i32 place = cell[chosen[i]];
        add_in_cell(s, p, kLarge, 1, place);
        s.orbs[place / cells] &= ~(1 << place % cells);
      }
    }
  }

  ENVPOOL_FN static void run(const State& s, const Params& p, Mover& at, bool sideways_first) {
    advance(at, sideways_first, [&](f32 vx, f32 vy) {
      const f32 x = at.x + vx, y = at.y + vy, inside = kHalf * kInside;
      bool blocked = false;
      for (i32 i = -1; i <= 1; i += 2) {
        for (i32 k = -1; k <= 1; k += 2) {
          blocked = blocked || !is_free(s, p, i32(floor(x + inside * f32(i))), i32(floor(y + inside * f32(k))));
        }
      }
      at.x = blocked && vx != 0 ? stopped(x, kHalf, vx) : x;
      at.y = blocked && vx == 0 ? stopped(y, kHalf, vy) : y;
      return blocked;
    });
  }

  // What the agent touches. The things that came last are first.
  ENVPOOL_FN static void meet(State& s, i32 now, f32& reward, bool& done) {
    for (i32 i = s.count - 1; i >= 0; --i) {
      Thing& thing = s.thing[i];
      const f32 reach = kHalf + (thing.type == kLarge ? kHalfOfLarge : kHalf);
      if (!overlaps(thing.body.x - s.agent.x, thing.body.y - s.agent.y, reach, reach)) continue;
      if (thing.type == kLarge) {
        s.eating_since = now;
        reward += kOrbReward;
        thing.gone = true;
      } else if (thing.type == kEnemy) {
        thing.gone = can_eat(s, now);
        done = done || !thing.gone;
      }
    }
    i32 kept = 0;
    for (i32 i = 0; i < s.count; ++i) {
      if (!s.thing[i].gone) s.thing[kept++] = s.thing[i];
    }
    s.count = kept;
  }

  // Eggs hatch, and enemies choose their directions.
  ENVPOOL_FN static void live(State& s, const Params& p, i32 now, i32 random) {
    i32 enemies = 0;
    for (i32 i = s.count - 1; i >= 0; --i) {
      Thing& thing = s.thing[i];
      if (thing.type == kEgg) {
        ++enemies;
        if (--thing.health == 0) {
          thing.gone = true;
          add(s, kEnemy, 1, thing.body.x, thing.body.y);
        }
      } else if (thing.type == kEnemy) {
        ++enemies;
        direct(s, p, thing.body, now, random);
      }
    }
    const i32 cells = size_of_set(s.free, p);
    if (enemies < enemies_of(p) && cells > 0) {
      add_in_cell(s, p, kEgg, kHatchingSteps, cell_of_set(s.free, p, random % cells));
    }
  }

  // In the middle of a cell, an enemy chooses one of the cells beside it, but not the one it comes from. In half of the
  // steps, it must be one of those that are nearest to the agent, or farthest away if the agent can eat enemies.
  ENVPOOL_FN static void direct(const State& s, const Params& p, Mover& at, i32 now, i32 random) {
    constexpr i32 kDx[4] = {-1, 0, 0, 1}, kDy[4] = {0, -1, 1, 0};
    const f32 x = at.x - 0.5f, y = at.y - 0.5f;
    const bool in_middle = fabs(x - floor(x + 0.5f)) + fabs(y - floor(y + 0.5f)) < 0.01;
    if (!in_middle && (at.vx != 0 || at.vy != 0)) return;
    const bool weak = can_eat(s, now), direct_way = random % 2 == 0;
    const i32 column = i32(x), row = i32(y);
    const i32 from_x = i32(f64(x) - sign(at.vx)), from_y = i32(f64(y) - sign(at.vy));
    i32 choice[4], choices = 0, best = 2 * cells_of(p);
    for (i32 i = 0; i < 4; ++i) {
      const i32 u = column + kDx[i], v = row + kDy[i];
      if (!is_free(s, p, u, v) || (u == from_x && v == from_y)) continue;
      const i32 far_x = u - i32(s.agent.x), far_y = v - i32(s.agent.y);
      const i32 far = ((far_x < 0 ? -far_x : far_x) + (far_y < 0 ? -far_y : far_y)) * (weak ? -1 : 1);
      if (direct_way && far > best) continue;
      if (direct_way && far < best) {
        best = far;
        choices = 0;
      }
      choice[choices++] = i;
    }
    if (choices == 0) return;
    const i32 chosen = choice[random % choices];
    const f32 speed = weak ? kSpeed * 0.5f : kSpeed;
    at.vx = (f32(column + kDx[chosen]) - x) * speed;
    at.vy = (f32(row + kDy[chosen]) - y) * speed;
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    const Art& art = art_of(p);
    const i32 cells = cells_of(p), now = time_of(s);
    const f32 half = f32(cells * 0.5);
    const View view(f32(cells), half, half, kPixels);
    draw_background(canvas, p, kBackground, view, cells, cells, 0);
    const auto put = [&](i32 type, i32 picture, Rect rect) {
      if (p.use_monochrome_assets) {
        canvas.fill(rect, color_of(type, 0));
      } else {
        canvas.draw(art, art.image[picture], rect);
      }
    };
    const Image& wall = art.image[kWallPicture];
    const auto cell = [&](i32 i, i32 k) { return view.rect(f32(i), f32(k + 1), 1, 1, kCellMargin); };
    using Spans = CellSpans<kMostCells, kPixels>;
    const Spans across(wall.width, 0, cells - 1, [&](i32 i) { return Extent{cell(i, 0).x, cell(i, 0).width}; });
    const Spans down(wall.height, 0, cells - 1, [&](i32 k) { return Extent{cell(0, k).y, cell(0, k).height}; });
    for (i32 i = 0; i < cells; ++i) {
      for (i32 k = 0; k < cells; ++k) {
        if (!is_free(s, p, i, k)) {
          if (p.use_monochrome_assets) {
            put(kWallType, kWallPicture, cell(i, k));
          } else {
            canvas.draw_cell(art, wall, across, i, down, k);
          }
        } else if ((s.orbs[k] >> i & 1) != 0) {
          const Rect r = cell(i, k);
          constexpr f32 kSide = 0.3f, kEdge = 1 - kSide;
          canvas.fill({r.x + r.width * kEdge / 2, r.y + r.height * kEdge / 2, r.width * kSide, r.height * kSide},
                      0xFF00FF00u);
        }
      }
    }
    const i32 frame = now / 2 % 4, flying = frame == 3 ? 1 : frame;
    for (i32 i = 0; i < s.count; ++i) {
      const Thing& thing = s.thing[i];
      const f32 wide = thing.type == kLarge ? kHalfOfLarge : kHalf;
      const Rect rect = view.rect(thing.body.x - wide, thing.body.y + wide, 2 * wide, 2 * wide);
      if (thing.type == kLarge) {
        put(kLarge, kLargePicture, rect);
      } else if (thing.type == kEgg) {
        put(kEgg, kEggPicture, rect);
      } else if (can_eat(s, now)) {
        put(kWeak, kWeakPicture, rect);
      } else {
        put(kEnemy + flying, kEnemyPicture + flying, rect);
      }
    }
    put(kAgentType, kAgentPicture, view.rect(s.agent.x - kHalf, s.agent.y + kHalf, 2 * kHalf, 2 * kHalf));
  }
};

}  // namespace envpool::procgen
