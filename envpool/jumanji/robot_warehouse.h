// SPDX-License-Identifier: Apache-2.0
//
// Robot warehouse: several robots, which are moved together, carry requested shelves to two goals, and put them back.
//
//   Action       i32[num_agents], for each robot: 0 does nothing, 1 moves forward, 2 turns left, 3 turns right, 4
//                takes up the shelf of its cell or puts it down. A robot that carries a shelf does not move into a
//                cell that has another shelf
//   Observation  agents_view, i32[num_agents][8 + 5 ((2 sensor_range + 1)^2 - 1) + 2 (2 sensor_range + 1)^2]: row,
//                column, whether it carries a shelf, 4 for its direction (up, right, down, left), whether its cell
//                is free of places for shelves; for each other cell that it sees, whether there is a robot, and 4
//                for its direction; for each cell, whether there is a shelf, and whether it is requested.
//                action_mask, bool[num_agents][5]: legal actions. step_count, i32: the steps of the episode
//   Reward       1 for each requested shelf in a goal; another one is then requested
//   Terminated   when robots collide, and after time_limit steps
//   Info         shelf_positions, i32[shelves][2]: rows and columns. shelf_requested, bool[shelves]
//   Reset        robots are in random cells and directions; request_queue_size random shelves are requested
//   Image        places for shelves are gray, shelves blue, requested ones green, goals yellow; robots are orange,
//                and red if they carry a shelf
//
// The warehouse has shelf_rows times shelf_columns clusters of shelves, which are two cells wide and column_height
// cells high, with corridors between them. The goals are in the middle of the last row, and there is no cluster before
// them.
//
// A robot that carries a shelf puts it down also if it does nothing, but only in a place for shelves. Robots move one
// after the other, and collide if one of them enters the cell of another which has not left it yet, or which stays.
//
// G. Papoudakis et al., "Benchmarking multi-agent deep reinforcement learning algorithms in cooperative tasks" (NeurIPS
// 2021). Reference: jumanji 1.1.2, RobotWarehouse. The observation after a collision is as JAX writes beyond arrays.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/block_rng.h"
#if ENVPOOL_HOST
#include <stdexcept>
#include <string>

#include "envpool/core/board.h"
#endif

namespace envpool::jumanji {

struct RobotWarehouse {
  static constexpr const char* kName = "RobotWarehouse";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kMostAgents = 32, kMostRows = 8, kMostColumns = 9, kMostHeight = 16, kMostRange = 5;
  static constexpr i32 kActions = 5, kForward = 1, kLeft = 2, kRight = 3, kToggle = 4, kDirections = 4, kOwn = 8;
  enum Field { kAgentsView, kActionMask, kStepCount, kShelfPositions, kShelfRequested };

  struct Params {
    i32 shelf_rows, shelf_columns, height, agents, range, requests, time_limit;
    // Derived:
    i32 rows, columns, cells, shelves, view;  // `view`: numbers in a robot's view
  };
  struct Robot {
    u8 row, column, direction, carries;
  };
  // The number of the shelf of each cell, counted from 1, and the cell of each shelf follow, 16 bits each; then the
  // number of the robot of each cell, counted from 1, and a 1 for each requested shelf, a byte each.
  struct State {
    i32 steps;
    Robot robot[kMostAgents];
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("shelf_rows", 2, "clusters of shelves above each other")
        .between(1, kMostRows)
        .sets(&Params::shelf_rows)
        .changes_shapes();
    o.integer("shelf_columns", 3, "clusters of shelves beside each other, an odd number")
        .between(1, kMostColumns)
        .sets(&Params::shelf_columns)
        .changes_shapes();
    o.integer("column_height", 8, "rows of a cluster").between(1, kMostHeight).sets(&Params::height).changes_shapes();
    o.integer("num_agents", 4, "robots").between(1, kMostAgents).sets(&Params::agents).changes_shapes();
    o.integer("sensor_range", 1, "rows and columns that a robot sees in each direction")
        .between(1, kMostRange)
        .sets(&Params::range)
        .changes_shapes();
    o.integer("request_queue_size", 8, "requested shelves")
        .between(1, 2 * kMostRows * kMostColumns * kMostHeight)
        .sets(&Params::requests)
        .changes_shapes();
    o.integer("time_limit", 500, "steps of an episode").between(1, 1e6).sets(&Params::time_limit).changes_shapes();
  }
  static void validate(const Params& p) {
    if (p.shelf_columns % 2 == 0) {
      throw std::invalid_argument("shelf_columns: expected an odd number, got " + std::to_string(p.shelf_columns));
    }
    if (p.agents > p.cells) {
      throw std::invalid_argument("num_agents: expected at most " + std::to_string(p.cells) + " cells, got " +
                                  std::to_string(p.agents));
    }
    if (p.requests >= p.shelves) {
      throw std::invalid_argument("request_queue_size: expected fewer than the " + std::to_string(p.shelves) +
                                  " shelves, got " + std::to_string(p.requests));
    }
  }
  static void spec(const Params& p, Spec& s) {
    const f64 most = max(p.rows, p.columns) - 1;
    s.obs<i32>("agents_view", {p.agents, p.view}).bounds(0, most).doc("what each robot knows of itself and sees");
    s.obs<bool>("action_mask", {p.agents, kActions}).doc("legal actions of each robot");
    s.obs<i32>("step_count").categories(p.time_limit + 1).doc("steps of the episode");
    s.info<i32>("shelf_positions", {p.shelves, 2}).bounds(0, most).doc("row and column of each shelf");
    s.info<bool>("shelf_requested", {p.shelves}).doc("requested shelves");
    s.action<i32>("action", {p.agents})
        .categories(kActions)
        .doc("actions of the robots: 0 nothing, 1 forward, 2 turn left, 3 turn right, 4 take up or put down a shelf");
    s.reward_low = 0;
    s.reward_high = 2;
    s.render_fps = 6;
    drawing::Board::set_size(s, p.rows, p.columns);
  }
  static void render(const State& s, const Params& p, u8* rgb);
#endif

  ENVPOOL_FN static void derive(Params& p) {
    p.rows = (p.height + 1) * p.shelf_rows + 2;
    p.columns = 3 * p.shelf_columns + 1;
    p.cells = p.rows * p.columns;
    p.shelves = 2 * p.height * (p.shelf_rows * p.shelf_columns - 1);
    const i32 seen = (2 * p.range + 1) * (2 * p.range + 1);
    p.view = kOwn + (1 + kDirections) * (seen - 1) + 2 * seen;
  }
  ENVPOOL_FN static i64 extra_bytes(const Params& p) { return 3 * (i64{p.cells} + p.shelves); }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {};
    for (i32 cell = 0, count = 0; cell < p.cells; ++cell) {
      robot_in(s, p)[cell] = 0;
      shelf_in(s)[cell] = 0;
      if (is_corridor(p, cell / p.columns, cell % p.columns)) continue;
      cell_of_shelf(s, p)[count] = static_cast<u16>(cell);
      requested(s, p)[count] = 0;
      shelf_in(s)[cell] = static_cast<u16>(++count);
    }
    BlockRng draws(rng);
    for (i32 i = 0; i < p.agents;) {
      const i32 cell = i32(draws.below(u32(p.cells)));
      if (robot_in(s, p)[cell] != 0) continue;
      robot_in(s, p)[cell] = static_cast<u8>(i + 1);
      s.robot[i++] = {static_cast<u8>(cell / p.columns), static_cast<u8>(cell % p.columns),
                      static_cast<u8>(draws.bits() % kDirections), 0};
    }
    for (i32 i = 0; i < p.requests;) {
      u8& wanted = requested(s, p)[draws.below(u32(p.shelves))];
      i += i32(wanted == 0);
      wanted = 1;
    }
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    const i32* const actions = action.row_of<i32>(0);
    u32 blocked = 0;  // a bit for each robot, before any has moved
    for (i32 i = 0; i < p.agents; ++i) blocked |= u32(is_blocked(s, p, s.robot[i])) << i;
    for (i32 i = 0; i < p.agents; ++i) act(s, p, i, actions[i] == kForward && (blocked >> i & 1) != 0 ? 0 : actions[i]);
    bool collides = false;
    for (i32 i = 0; i < p.agents; ++i) collides |= robot_in(s, p)[cell_of(p, s.robot[i])] != i + 1;
    i32 delivered = 0;
    for (i32 goal = 0; goal < 2; ++goal) {
      const i32 shelf = shelf_in(s)[(p.rows - 1) * p.columns + p.columns / 2 - 1 + goal];
      if (shelf == 0 || requested(s, p)[shelf - 1] == 0) continue;
      ++delivered;
      const i32 next = other_shelf(s, p, i32(rng.below(u32(p.shelves - p.requests))));
      requested(s, p)[shelf - 1] = 0;
      requested(s, p)[next] = 1;
    }
    s.steps = min(s.steps + 1, p.time_limit);
    return {.reward = f32(delivered), .terminated = collides || s.steps >= p.time_limit};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    i32* const views = row.at<i32>(kAgentsView);
    for (i32 i = 0; i < p.agents * p.view; ++i) views[i] = 0;
    bool* const mask = row.at<bool>(kActionMask);
    for (i32 i = 0; i < p.agents; ++i) {
      look(s, p, i, views + i * p.view);
      for (i32 k = 0; k < kActions; ++k) mask[i * kActions + k] = k != kForward || !is_blocked(s, p, s.robot[i]);
    }
    *row.at<i32, 1>(kStepCount) = s.steps;
    i32* const positions = row.at<i32>(kShelfPositions);
    bool* const wanted = row.at<bool>(kShelfRequested);
    for (i32 i = 0; i < p.shelves; ++i) {
      const i32 cell = cell_of_shelf(s, p)[i];
      positions[2 * i] = cell / p.columns;
      positions[2 * i + 1] = cell % p.columns;
      wanted[i] = requested(s, p)[i] != 0;
    }
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    keep_within(s.steps, 0, p.time_limit);
    for (i32 i = 0; i < kMostAgents; ++i) {
      Robot& robot = s.robot[i];
      const bool used = i < p.agents;
      keep_within(robot.row, u8{0}, static_cast<u8>(used ? p.rows - 1 : 0));
      keep_within(robot.column, u8{0}, static_cast<u8>(used ? p.columns - 1 : 0));
      robot.direction = static_cast<u8>(used ? robot.direction % kDirections : 0);
      robot.carries = static_cast<u8>(used ? robot.carries & 1 : 0);
    }
    for (i32 cell = 0; cell < p.cells; ++cell) {
      keep_within(robot_in(s, p)[cell], u8{0}, static_cast<u8>(p.agents));
      keep_within(shelf_in(s)[cell], u16{0}, static_cast<u16>(p.shelves));
    }
    i32 count = 0;
    for (i32 i = 0; i < p.shelves; ++i) {
      keep_within(cell_of_shelf(s, p)[i], u16{0}, static_cast<u16>(p.cells - 1));
      requested(s, p)[i] = u8(requested(s, p)[i] != 0 && count < p.requests);
      count += requested(s, p)[i];
    }
    for (i32 i = 0; i < p.shelves && count < p.requests; ++i) {
      count += i32(requested(s, p)[i] == 0);
      requested(s, p)[i] = 1;
    }
  }

 private:
  ENVPOOL_FN static u16* shelf_in(State& s) { return reinterpret_cast<u16*>(&s + 1); }
  ENVPOOL_FN static const u16* shelf_in(const State& s) { return reinterpret_cast<const u16*>(&s + 1); }
  ENVPOOL_FN static u16* cell_of_shelf(State& s, const Params& p) { return shelf_in(s) + p.cells; }
  ENVPOOL_FN static const u16* cell_of_shelf(const State& s, const Params& p) { return shelf_in(s) + p.cells; }
  ENVPOOL_FN static u8* robot_in(State& s, const Params& p) {
    return reinterpret_cast<u8*>(cell_of_shelf(s, p) + p.shelves);
  }
  ENVPOOL_FN static const u8* robot_in(const State& s, const Params& p) {
    return reinterpret_cast<const u8*>(cell_of_shelf(s, p) + p.shelves);
  }
  ENVPOOL_FN static u8* requested(State& s, const Params& p) { return robot_in(s, p) + p.cells; }
  ENVPOOL_FN static const u8* requested(const State& s, const Params& p) { return robot_in(s, p) + p.cells; }

  ENVPOOL_FN static i32 cell_of(const Params& p, const Robot& robot) { return robot.row * p.columns + robot.column; }
  // Returns whether a cell is no place for shelves.
  ENVPOOL_FN static bool is_corridor(const Params& p, i32 row, i32 column) {
    const bool middle = column == p.columns / 2 - 1 || column == p.columns / 2;
    return column % 3 == 0 || row % (p.height + 1) == 0 || row == p.rows - 1 ||
           (row > p.rows - (p.height + 3) && middle);
  }
  // Returns a robot after a move forward. At a wall, it stays where it is.
  ENVPOOL_FN static Robot moved(const Params& p, Robot robot) {
    const i32 row = robot.row + i32(robot.direction == 2) - i32(robot.direction == 0);
    const i32 column = robot.column + i32(robot.direction == 1) - i32(robot.direction == 3);
    robot.row = static_cast<u8>(clamp(row, 0, p.rows - 1));
    robot.column = static_cast<u8>(clamp(column, 0, p.columns - 1));
    return robot;
  }
  // Returns whether a robot cannot move forward, because it and the cell before it have a shelf.
  ENVPOOL_FN static bool is_blocked(const State& s, const Params& p, const Robot& robot) {
    const i32 next = cell_of(p, moved(p, robot));
    return robot.carries != 0 && next != cell_of(p, robot) && shelf_in(s)[next] != 0;
  }
  ENVPOOL_FN static void act(State& s, const Params& p, i32 agent, i32 action) {
    Robot& robot = s.robot[agent];
    const i32 from = cell_of(p, robot);
    if (action == kForward) {
      robot = moved(p, robot);
      const i32 to = cell_of(p, robot);
      robot_in(s, p)[from] = 0;
      robot_in(s, p)[to] = static_cast<u8>(agent + 1);
      if (robot.carries == 0) return;
      const u16 shelf = shelf_in(s)[from];
      if (shelf != 0) cell_of_shelf(s, p)[shelf - 1] = static_cast<u16>(to);
      shelf_in(s)[from] = 0;
      shelf_in(s)[to] = shelf;
    } else if (action == kLeft || action == kRight) {
      robot.direction = static_cast<u8>((robot.direction + (action == kLeft ? 3 : 1)) % kDirections);
    } else if (action == kToggle && robot.carries == 0) {
      robot.carries = u8(shelf_in(s)[from] != 0);
    } else if (!is_corridor(p, robot.row, robot.column)) {
      robot.carries = 0;
    }
  }
  // Returns the shelf that has this number among those that are not requested.
  ENVPOOL_FN static i32 other_shelf(const State& s, const Params& p, i32 number) {
    for (i32 i = 0; i < p.shelves; ++i) {
      number -= i32(requested(s, p)[i] == 0);
      if (number < 0) return i;
    }
    return 0;
  }

  // Writes what a robot sees, in an array of zeros.
  ENVPOOL_FN static void look(const State& s, const Params& p, i32 agent, i32* view) {
    const Robot& robot = s.robot[agent];
    view[0] = robot.row;
    view[1] = robot.column;
    view[2] = robot.carries;
    view[3 + robot.direction] = 1;
    view[kOwn - 1] = i32(is_corridor(p, robot.row, robot.column));
    i32 at = kOwn;
    each_seen(p, robot, [&](i32 cell) {
      const i32 other = cell < 0 ? 0 : robot_in(s, p)[cell];
      if (other == agent + 1) return;
      if (other != 0) {
        view[min(at, p.view - 1)] = 1;
        i32* const direction = view + min(at + 1, p.view - kDirections);
        for (i32 i = 0; i < kDirections; ++i) direction[i] = i32(s.robot[other - 1].direction == i);
      }
      at += 1 + kDirections;
    });
    each_seen(p, robot, [&](i32 cell) {
      const i32 shelf = cell < 0 ? 0 : shelf_in(s)[cell];
      i32* const to = view + min(at, p.view - 2);
      if (shelf != 0) to[0] = 1, to[1] = requested(s, p)[shelf - 1];
      at += 2;
    });
  }
  // Calls a function with each cell that a robot sees; -1: outside of the warehouse.
  template <class Function>
  ENVPOOL_FN static void each_seen(const Params& p, const Robot& robot, Function function) {
    for (i32 row = robot.row - p.range; row <= robot.row + p.range; ++row) {
      for (i32 column = robot.column - p.range; column <= robot.column + p.range; ++column) {
        const bool inside = u32(row) < u32(p.rows) && u32(column) < u32(p.columns);
        function(inside ? row * p.columns + column : -1);
      }
    }
  }
};

#if ENVPOOL_HOST
inline void RobotWarehouse::render(const State& s, const Params& p, u8* rgb) {
  constexpr drawing::Color place{206, 210, 218}, wanted{56, 152, 120}, robot_color{240, 146, 40};
  drawing::Board board(rgb, p.rows, p.columns, drawing::kEmpty);
  for (i32 cell = 0; cell < p.cells; ++cell) {
    const i32 row = cell / p.columns, column = cell % p.columns, shelf = shelf_in(s)[cell];
    if (!is_corridor(p, row, column)) board.fill(row, column, place);
    const i32 goal = column - p.columns / 2 + 1;
    if (row == p.rows - 1 && (goal == 0 || goal == 1)) board.fill(row, column, drawing::kGoal);
    if (shelf != 0) board.disc(row, column, 0.44, requested(s, p)[shelf - 1] != 0 ? wanted : drawing::kBlue);
  }
  for (i32 i = 0; i < p.agents; ++i) {
    const Robot& robot = s.robot[i];
    board.disc(robot.row, robot.column, 0.3, robot.carries != 0 ? drawing::kAgent : robot_color);
    const auto ahead = [&](f64 far) {
      return board.at(robot.row + 0.5 + far * (i32(robot.direction == 2) - i32(robot.direction == 0)),
                      robot.column + 0.5 + far * (i32(robot.direction == 1) - i32(robot.direction == 3)));
    };
    board.canvas().line(ahead(0.05), ahead(0.4), drawing::kBlack, board.side() / 8);
  }
}
#endif

}  // namespace envpool::jumanji
