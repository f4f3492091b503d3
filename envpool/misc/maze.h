// SPDX-License-Identifier: Apache-2.0
//
// Maze: an agent that sees only the cells ahead of it walks to a goal. The whole level is a set of options, so that
// each episode can have another one, as unsupervised environment design needs it.
//
//   Action       i32, 0 turns left, 1 turns right, 2 goes forward, 3 to 6 do nothing
//   Observation  image, u8[view][view][3]: the cells ahead, as (type, color, 0) of the codes of MiniGrid. image[i][j]
//                is the cell in column i, from left to right, and row j, of which the last is the agent's. Walls
//                surround the level and hide nothing. direction, i32: 0 is right, 1 down, 2 left, 3 up
//   Reward       1 - 0.9 * steps / max_steps, but at least 0, for reaching the goal; 1 without penalize_time
//   Terminated   when a move leads to the goal; the agent stays in front of it
//   Truncated    after 250 steps
//   Reset        the level of the options, or a random one: random_walls walls in cells that are drawn with
//                replacement, start and goal in two other cells, and a direction, all uniformly random
//
// Positions are (x, y): x counts columns from the left, y rows from the top.
//
// Chevalier-Boisvert et al., "Minigrid & Miniworld" (2023); Dennis et al., "Emergent complexity and zero-shot transfer
// via unsupervised environment design" (2020). Reference: jaxued 0.0.1, environments/maze.
#pragma once

#include "envpool/core/api.h"
#if ENVPOOL_HOST
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/board.h"
#endif

namespace envpool::misc {

struct Maze {
  static constexpr const char* kName = "Maze";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kSide = 13, kCells = kSide * kSide, kMostWalls = 120;

  struct Params {
    bool walls[kSide][kSide];  // by y and x
    i32 start[2], goal[2];
    i32 direction, random_walls, max_steps;
    bool see_agent, penalize_time;
    i32 view;
  };
  struct State {
    i32 walls[kSide];  // a row each, with a bit for each x
    i32 pos[2], goal[2];
    i32 direction, time;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.booleans("walls", default_walls(), "the walls of the level, by row and column").sets(&Params::walls);
    o.integers("start", {0, 12}, "x and y of the agent's first cell").between(0, kSide - 1).sets(&Params::start);
    o.integer("direction", 0, "the agent's first direction: 0 right, 1 down, 2 left, 3 up")
        .between(0, 3)
        .sets(&Params::direction);
    o.integers("goal", {12, 0}, "x and y of the goal").between(0, kSide - 1).sets(&Params::goal);
    o.integer("random_walls", 0, "if positive, each episode has a random level with at most this many walls")
        .between(0, kMostWalls)
        .sets(&Params::random_walls);
    o.integer("max_steps", 250, "steps after which the reward for the goal would be 0.1")
        .between(1, 1e6)
        .sets(&Params::max_steps);
    o.boolean("penalize_time", true, "the reward for the goal decreases with time").sets(&Params::penalize_time);
    o.boolean("see_agent", false, "the agent sees itself").sets(&Params::see_agent);
    o.integer("agent_view_size", 5, "rows and columns that the agent sees, odd").between(3, 25).changes_shapes();
  }
  static Params params(const OptionValues& v) {
    Params p{};
    p.view = i32(v.integer("agent_view_size"));
    if (p.view % 2 == 0) {
      throw std::invalid_argument("agent_view_size: expected an odd number, got " + std::to_string(p.view));
    }
    return p;
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<u8>("image", {p.view, p.view, 3}).bounds(0, 10).doc("the cells ahead of the agent: type, color and 0");
    s.obs<i32>("direction").categories(4).doc("0 is right, 1 down, 2 left, 3 up");
    s.action<i32>().categories(7).doc(
        "0 turns left, 1 turns right, 2 goes forward, 3 nothing, 4 nothing, 5 nothing, 6 nothing");
    s.reward_low = 0;
    s.reward_high = 1;
    drawing::Board::set_size(s, kSide + 2, kSide + 2);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("walls", &State::walls)
        .add("pos", &State::pos)
        .add("goal", &State::goal)
        .add("direction", &State::direction)
        .add("time", &State::time);
  }
  static void render(const State& s, const Params&, u8* rgb) {
    drawing::Board board(rgb, kSide + 2, kSide + 2, drawing::kEmpty);
    for (i32 y = -1; y <= kSide; ++y) {
      for (i32 x = -1; x <= kSide; ++x) {
        if (is_wall(s, x, y)) board.fill(y + 1, x + 1, drawing::kWall);
      }
    }
    board.fill(s.goal[1] + 1, s.goal[0] + 1, drawing::kGoal);
    const f64 x = s.pos[0] + 1.5, y = s.pos[1] + 1.5, ahead_x = 0.36 * ahead(s, 0), ahead_y = 0.36 * ahead(s, 1);
    board.canvas().polygon({board.at(y + ahead_y, x + ahead_x), board.at(y - ahead_y - ahead_x, x - ahead_x + ahead_y),
                            board.at(y - ahead_y + ahead_x, x - ahead_x - ahead_y)},
                           drawing::kAgent);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    if (p.random_walls > 0) return draw_level(s, p.random_walls, rng);
    for (i32 y = 0; y < kSide; ++y) {
      s.walls[y] = 0;
      for (i32 x = 0; x < kSide; ++x) s.walls[y] |= i32(p.walls[y][x]) << x;
    }
    for (i32 i = 0; i < 2; ++i) s.pos[i] = p.start[i], s.goal[i] = p.goal[i];
    s.direction = p.direction;
    s.time = 0;
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 chosen = *action.at<i32>(0);
    const bool goes = chosen == 2;
    const i32 x = clamp(s.pos[0] + (goes ? ahead(s, 0) : 0), 0, kSide - 1);
    const i32 y = clamp(s.pos[1] + (goes ? ahead(s, 1) : 0), 0, kSide - 1);
    const bool reached = x == s.goal[0] && y == s.goal[1], moves = !reached && !is_wall(s, x, y);
    s.pos[0] = moves ? x : s.pos[0];
    s.pos[1] = moves ? y : s.pos[1];
    s.direction = (s.direction + (chosen == 1) - (chosen == 0)) & 3;
    s.time = s.time < 1000000 ? s.time + 1 : s.time;
    const f32 reward = p.penalize_time ? 1.0f - 0.9f * (f32(s.time) / f32(p.max_steps)) : 1.0f;
    return {.reward = reached ? max(reward, 0.0f) : 0.0f, .terminated = reached};
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    for (i32 i = 0; i < 2; ++i) {
      keep_within(s.pos[i], 0, kSide - 1);
      keep_within(s.goal[i], 0, kSide - 1);
    }
    keep_within(s.direction, 0, 3);
    keep_within(s.time, 0, 1000000);
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    // If the compiler knows the view, the function takes half the time.
    p.view == 5 ? observe_cells(s, p, 5, row.at<u8>(0)) : observe_cells(s, p, p.view, row.at<u8>(0));
    *row.at<i32>(1) = s.direction;
  }

 private:
  // Returns the difference in x (0) or y (1) that a move forward makes.
  ENVPOOL_FN static i32 ahead(const State& s, i32 axis) {
    const i32 sign = s.direction < 2 ? 1 : -1;
    return (s.direction & 1) == axis ? sign : 0;
  }
  ENVPOOL_FN static bool is_wall(const State& s, i32 x, i32 y) {
    if (u32(x) >= u32(kSide) || u32(y) >= u32(kSide)) return true;
    return (s.walls[y] >> x & 1) != 0;
  }
  ENVPOOL_FN static void observe_cells(const State& s, const Params& p, i32 view, u8* image) {
    const i32 ahead_x = ahead(s, 0), ahead_y = ahead(s, 1);
    for (i32 column = 0; column < view; ++column) {
      for (i32 r = 0; r < view; ++r, image += 3) {
        const i32 forward = view - 1 - r, right = column - view / 2;
        const i32 x = s.pos[0] + forward * ahead_x - right * ahead_y;
        const i32 y = s.pos[1] + forward * ahead_y + right * ahead_x;
        const bool wall = is_wall(s, x, y), goal = x == s.goal[0] && y == s.goal[1];
        image[0] = goal ? 8 : wall ? 2 : 1;
        image[1] = goal ? 1 : wall ? 5 : 0;
        image[2] = 0;
      }
    }
    if (!p.see_agent) return;
    u8* const own = image - 3 * (view / 2 * view + 1);
    own[0] = 10;
    own[1] = 0;
    own[2] = u8(s.direction);
  }

  ENVPOOL_FN static void draw_level(State& s, i32 walls, Rng& rng) {
    s = {};
    i32 free = kCells;
    for (i32 i = 0; i < walls; ++i) {
      const i32 cell = i32(rng.below(kCells)), bit = 1 << cell % kSide;
      free -= (s.walls[cell / kSide] & bit) == 0;
      s.walls[cell / kSide] |= bit;
    }
    const i32 start = free_cell(s, i32(rng.below(u32(free))), -1);
    const i32 goal = free_cell(s, i32(rng.below(u32(free - 1))), start);
    s.pos[0] = start % kSide, s.pos[1] = start / kSide;
    s.goal[0] = goal % kSide, s.goal[1] = goal / kSide;
    s.direction = i32(rng.below(4));
  }
  // Returns the cell without a wall, other than `taken`, that has this number among them.
  ENVPOOL_FN static i32 free_cell(const State& s, i32 number, i32 taken) {
    i32 cell = 0;
    for (;; ++cell) {
      const bool is_free = !is_wall(s, cell % kSide, cell / kSide) && cell != taken;
      if (is_free && number-- == 0) return cell;
    }
  }
#if ENVPOOL_HOST
  // Returns four rooms with doors.
  static std::vector<f64> default_walls() {
    std::vector<f64> walls(kCells, 0.0);
    for (i32 i = 0; i < kSide; ++i) walls[size_t(6 * kSide + i)] = walls[size_t(i * kSide + 6)] = 1;
    for (const i32 door : {6 * kSide + 2, 6 * kSide + 9, 3 * kSide + 6, 10 * kSide + 6}) walls[size_t(door)] = 0;
    return walls;
  }
#endif
};

}  // namespace envpool::misc
