// SPDX-License-Identifier: Apache-2.0
//
// Connector: several agents, which are moved together, each draw a path to a target without crossing the others' paths.
//
//   Action       i32[num_agents], for each agent: 0 stays, 1 moves up, 2 to the right, 3 down, 4 to the left
//   Observation  grid, i32[grid_size][grid_size]: 0 for an empty cell; for agent i, 3i + 1 for its path, 3i + 2 for
//                the agent and 3i + 3 for its target. action_mask, bool[num_agents][5]: legal moves. step_count,
//                i32: the steps of the episode
//   Reward       the mean of the agents' rewards
//   Terminated   when each agent has reached its target or cannot move
//   Truncated    after time_limit steps
//   Info         agent_rewards, f32[num_agents]: connected_reward for an agent that reaches its target in this
//                step, and timestep_reward for one that had not reached it before. num_connections, i32, and
//                ratio_connections, f32: how many agents have reached their targets, and which part of them.
//                total_path_length, i32: the cells of all paths, and those of the agents
//   Reset        with the generator "random_walk", the agents walk from random cells, with their paths behind them,
//                and where they are then are their targets, so that all can be reached. With "uniform_random",
//                agents and targets are in random cells
//   Image        each agent is a disc of a color, its path is paler, and its target is smaller
//
// An agent may enter an empty cell or its target, which it does not leave. Of several agents that enter a cell, the
// last one does, and the others stay. In a random walk, an agent takes 3 grid_size / 2 - 1 moves, unless it cannot. A
// move has a probability in proportion to e to the power of the distance from the first cell in its direction.
//
// Reference: jumanji 1.1.2, Connector. Its rewards are agent_rewards; EnvPool has their mean, too.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/block_rng.h"
#include "envpool/jumanji/moves.h"
#if ENVPOOL_HOST
#include <stdexcept>
#include <string>

#include "envpool/core/board.h"
#include "envpool/jumanji/agent_colors.h"
#endif

namespace envpool::jumanji {

inline constexpr i32 kMostConnectorSide = 32;

// The weights of moves in random walks, by how far they lead from the first cell: e to these powers.
struct WalkWeights {
  f32 of[2 * kMostConnectorSide - 1];
};
constexpr WalkWeights make_walk_weights() {
  WalkWeights table{};
  f64 above = 1, below = 1;
  for (i32 i = 0; i < kMostConnectorSide; ++i, above *= 2.718281828459045, below *= 0.36787944117144233) {
    table.of[kMostConnectorSide - 1 + i] = static_cast<f32>(above);
    table.of[kMostConnectorSide - 1 - i] = static_cast<f32>(below);
  }
  return table;
}
constexpr WalkWeights kWalkWeights = make_walk_weights();

struct Connector {
  static constexpr const char* kName = "Connector";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kLeastSide = 3, kMostSide = kMostConnectorSide, kMostAgents = 32, kActions = kMoves + 1;
  enum Field { kGrid, kActionMask, kStepCount, kAgentRewards, kNumConnections, kRatioConnections, kTotalPathLength };
  enum Generator : i32 { kRandomWalk, kUniformRandom };

  struct Params {
    i32 side, agents, time_limit;
    f32 connected_reward, timestep_reward;
    Generator generator;
    // Derived:
    i32 cells;
    f32 part;  // of one agent; XLA divides by a constant by multiplying with its reciprocal, as we do
  };
  struct Place {
    u8 row, column;
    ENVPOOL_FN bool operator==(const Place& other) const { return row == other.row && column == other.column; }
  };
  struct State {             // the cells follow, a byte each
    i32 steps, path;         // of the episode, and the cells of all paths
    u32 connected, earlier;  // a bit for each agent at its target, now and before the step
    Place at[kMostAgents], target[kMostAgents];
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("grid_size", 10, "rows and columns").between(kLeastSide, kMostSide).sets(&Params::side).changes_shapes();
    o.integer("num_agents", 10, "agents").between(1, kMostAgents).sets(&Params::agents).changes_shapes();
    o.integer("time_limit", 50, "steps of an episode").between(1, 1e6).sets(&Params::time_limit).changes_shapes();
    o.real("connected_reward", 1, "an agent's reward for reaching its target")
        .between(-1e6, 1e6)
        .sets(&Params::connected_reward);
    o.real("timestep_reward", -0.03, "an agent's reward for a step that it begins elsewhere")
        .between(-1e6, 1e6)
        .sets(&Params::timestep_reward);
    o.text("generator", "random_walk", "how the first cells and the targets are chosen")
        .one_of({"random_walk", "uniform_random"})
        .sets(&Params::generator)
        .changes_shapes();
  }
  static void validate(const Params& p) {
    if (p.agents <= most_agents(p)) return;
    throw std::invalid_argument("num_agents: expected at most " + std::to_string(most_agents(p)) +
                                " with this grid_size and generator, got " + std::to_string(p.agents));
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<i32>("grid", {p.side, p.side})
        .bounds(0, 3 * p.agents + 1)
        .doc("0 for an empty cell, 3i + 1 for the path of agent i, 3i + 2 for it, 3i + 3 for its target");
    s.obs<bool>("action_mask", {p.agents, kActions}).doc("legal moves of each agent");
    s.obs<i32>("step_count").categories(p.time_limit + 1).doc("steps of the episode");
    const f64 least = min(p.timestep_reward, p.timestep_reward + p.connected_reward), both = p.timestep_reward;
    const f64 low = min(least, 0.0), high = max(max(both, both + f64(p.connected_reward)), 0.0);
    s.info<f32>("agent_rewards", {p.agents}).bounds(low, high).doc("rewards of the agents");
    s.info<i32>("num_connections").categories(p.agents + 1).doc("agents at their targets");
    s.info<f32>("ratio_connections").bounds(0, 1).doc("part of the agents that are at their targets");
    s.info<i32>("total_path_length").bounds(0, p.cells + p.agents).doc("cells of paths and agents");
    s.action<i32>("action", {p.agents})
        .categories(kActions)
        .doc("moves of the agents: 0 stays, 1 up, 2 right, 3 down, 4 left");
    s.reward_low = low;
    s.reward_high = high;
    s.render_fps = 6;
    drawing::Board::set_size(s, p.side, p.side);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    drawing::Board board(rgb, p.side, p.side, drawing::kEmpty);
    for (i32 cell = 0; cell < p.cells; ++cell) {
      const i32 value = cells(s)[cell], row = cell / p.side, column = cell % p.side;
      if (value == 0) continue;
      const drawing::Color color = agent_color((value - 1) / 3);
      if (value % 3 == 1) board.fill(row, column, paler(color));
      if (value % 3 == 2) board.disc(row, column, 0.42, color);
      if (value % 3 == 0) board.disc(row, column, 0.2, color);
    }
  }
#endif

  ENVPOOL_FN static void derive(Params& p) {
    p.cells = p.side * p.side;
    p.part = 1.0f / f32(p.agents);
  }
  ENVPOOL_FN static i64 extra_bytes(const Params& p) { return i64{p.side} * p.side; }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {};
    s.earlier = all(p);  // so that nobody has a reward
    u8* const grid = cells(s);
    for (i32 cell = 0; cell < p.cells; ++cell) grid[cell] = 0;
    BlockRng draws(rng);
    if (p.generator == kRandomWalk) {
      walk(s, p, draws);
      for (i32 cell = 0; cell < p.cells; ++cell) grid[cell] = 0;
    } else {
      for (i32 i = 0; i < p.agents; ++i) {
        s.at[i] = take_free(grid, p, draws);
        s.target[i] = take_free(grid, p, draws);
      }
    }
    for (i32 i = 0; i < p.agents; ++i) {
      grid[cell_of(p, s.at[i])] = static_cast<u8>(3 * i + 2);
      grid[cell_of(p, s.target[i])] = static_cast<u8>(3 * i + 3);
    }
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32* const moves = action.row_of<i32>(0);
    s.earlier = s.connected;
    // Nobody leaves a cell empty, so the last agent can be moved first, and keeps the others out of its new cell.
    for (i32 i = p.agents - 1; i >= 0; --i) {
      const i32 move = moves[i] - 1;
      if (!may_move(s, p, i, move)) continue;
      const Place next = neighbor(s.at[i], move);
      cells(s)[cell_of(p, s.at[i])] = static_cast<u8>(3 * i + 1);
      cells(s)[cell_of(p, next)] = static_cast<u8>(3 * i + 2);
      s.at[i] = next;
      s.connected |= u32(next == s.target[i]) << i;
      ++s.path;
    }
    s.steps = min(s.steps + 1, p.time_limit);
    f32 sum = 0;
    bool over = true;
    for (i32 i = 0; i < p.agents; ++i) {
      sum += reward_of(s, p, i);
      for (i32 move = 0; move < kMoves; ++move) over &= !may_move(s, p, i, move);
    }
    return {.reward = sum / f32(p.agents), .terminated = over, .truncated = !over && s.steps >= p.time_limit};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    i32* const grid = row.at<i32>(kGrid);
    bool* const mask = row.at<bool>(kActionMask);
    f32* const rewards = row.at<f32>(kAgentRewards);
    i32 connections = 0;
    for (i32 cell = 0; cell < p.cells; ++cell) grid[cell] = cells(s)[cell];
    for (i32 i = 0; i < p.agents; ++i) {
      mask[i * kActions] = true;
      for (i32 move = 0; move < kMoves; ++move) mask[i * kActions + 1 + move] = may_move(s, p, i, move);
      rewards[i] = reward_of(s, p, i);
      connections += i32(s.connected >> i & 1);
    }
    *row.at<i32, 1>(kStepCount) = s.steps;
    *row.at<i32, 1>(kNumConnections) = connections;
    *row.at<f32, 1>(kRatioConnections) = f32(connections) * p.part;
    *row.at<i32, 1>(kTotalPathLength) = s.path + p.agents;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    keep_within(s.steps, 0, p.time_limit);
    s.path = 0;
    for (i32 cell = 0; cell < p.cells; ++cell) {
      u8& value = cells(s)[cell];
      value = value > 3 * p.agents ? u8{0} : value;
      s.path += i32(value % 3 == 1);
    }
    s.connected = 0;
    s.earlier &= all(p);
    for (i32 i = 0; i < kMostAgents; ++i) {
      const i32 most = i < p.agents ? p.side - 1 : 0;
      s.at[i] = kept(s.at[i], most);
      s.target[i] = kept(s.target[i], most);
      s.connected |= u32(i < p.agents && s.at[i] == s.target[i]) << i;
    }
  }

 private:
  static constexpr u8 kTaken = 1, kTakenNow = 2;  // of a cell in a random walk; 0: neither

  ENVPOOL_FN static u8* cells(State& s) { return reinterpret_cast<u8*>(&s + 1); }
  ENVPOOL_FN static const u8* cells(const State& s) { return reinterpret_cast<const u8*>(&s + 1); }
  ENVPOOL_FN static u32 all(const Params& p) { return ~u32{0} >> (kMostAgents - p.agents); }
  // Returns for how many agents there is room. A cell and its neighbor are part of at most 7 pairs of neighbors, so
  // that in a random walk, the agents before the last one leave such a pair.
  ENVPOOL_FN static i32 most_agents(const Params& p) {
    return p.generator == kRandomWalk ? (2 * p.side * (p.side - 1) - 1) / 7 + 1 : p.cells / 2;
  }
  ENVPOOL_FN static i32 cell_of(const Params& p, const Place& at) { return at.row * p.side + at.column; }
  ENVPOOL_FN static Place place_of(const Params& p, i32 cell) {
    return {static_cast<u8>(cell / p.side), static_cast<u8>(cell % p.side)};
  }
  ENVPOOL_FN static Place kept(const Place& at, i32 most) {
    return {static_cast<u8>(min(i32(at.row), most)), static_cast<u8>(min(i32(at.column), most))};
  }
  // Returns the place to which a move leads. Outside of the grid, a row or column has a large number.
  ENVPOOL_FN static Place neighbor(const Place& at, i32 move) {
    return {static_cast<u8>(at.row + rows_of(move)), static_cast<u8>(at.column + columns_of(move))};
  }
  ENVPOOL_FN static bool is_inside(const Params& p, const Place& at) { return at.row < p.side && at.column < p.side; }
  ENVPOOL_FN static bool may_move(const State& s, const Params& p, i32 agent, i32 move) {
    const Place next = neighbor(s.at[agent], move);
    if (move < 0 || (s.connected >> agent & 1) != 0 || !is_inside(p, next)) return false;
    const i32 value = cells(s)[cell_of(p, next)];
    return value == 0 || value == 3 * agent + 3;
  }
  ENVPOOL_FN static f32 reward_of(const State& s, const Params& p, i32 agent) {
    const u32 bit = u32{1} << agent;
    if ((s.earlier & bit) != 0) return 0;
    return (s.connected & bit) != 0 ? p.connected_reward + p.timestep_reward : p.timestep_reward;
  }

  // Draws a free cell, and takes it.
  ENVPOOL_FN static Place take_free(u8* grid, const Params& p, BlockRng& draws) {
    i32 cell = 0;
    do cell = i32(draws.below(u32(p.cells)));
    while (grid[cell] != 0);
    grid[cell] = kTaken;
    return place_of(p, cell);
  }
  // Chooses first cells and targets by random walks. An agent's place is its target in the end.
  ENVPOOL_FN static void walk(State& s, const Params& p, BlockRng& draws) {
    u8* const grid = cells(s);
    for (i32 i = 0; i < p.agents;) {
      const i32 first = i32(draws.below(u32(p.cells)));
      if (grid[first] != 0) continue;
      s.at[i] = s.target[i] = place_of(p, first);
      const i32 move = random_move(s, p, i, draws);  // all moves have equal weights
      if (move < 0) continue;
      s.target[i] = neighbor(s.at[i], move);
      grid[first] = grid[cell_of(p, s.target[i])] = kTaken;
      ++i;
    }
    bool moves = true;
    for (i32 turn = 1; moves && turn < p.side * 3 / 2; ++turn) {
      moves = false;
      for (i32 i = p.agents - 1; i >= 0; --i) {
        const i32 move = random_move(s, p, i, draws);
        if (move < 0) continue;
        u8& cell = grid[cell_of(p, neighbor(s.target[i], move))];
        if (cell == kTakenNow) continue;  // by a later agent in the same turn
        cell = kTakenNow;
        s.target[i] = neighbor(s.target[i], move);
        moves = true;
      }
      for (i32 i = 0; i < p.agents; ++i) grid[cell_of(p, s.target[i])] = kTaken;
    }
  }
  // Returns a move to a cell that was free when the turn began; -1: there is none.
  ENVPOOL_FN static i32 random_move(const State& s, const Params& p, i32 agent, BlockRng& draws) {
    const Place from = s.at[agent], at = s.target[agent];
    f32 weights[kMoves], sum = 0;
    for (i32 move = 0; move < kMoves; ++move) {
      const Place next = neighbor(at, move);
      const bool free = is_inside(p, next) && cells(s)[cell_of(p, next)] != kTaken;
      const i32 far = (at.row - from.row) * rows_of(move) + (at.column - from.column) * columns_of(move);
      weights[move] = free ? kWalkWeights.of[kMostConnectorSide - 1 + far] : 0;
      sum += weights[move];
    }
    if (sum == 0) return -1;
    f32 left = draws.uniform_f32() * sum;
    i32 chosen = -1;
    for (i32 move = 0; move < kMoves && left >= 0; ++move) {
      left -= weights[move];
      chosen = weights[move] > 0 ? move : chosen;
    }
    return chosen;
  }
};

}  // namespace envpool::jumanji
