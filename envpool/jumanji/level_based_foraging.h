// SPDX-License-Identifier: Apache-2.0
//
// Level-based foraging: several agents, which are moved together, collect food, for which they often need each other.
//
//   Action       i32[num_agents], for each agent: 0 stays, 1 moves up, 2 down, 3 to the left, 4 to the right, 5
//                loads the food in the four cells around it
//   Observation  agents_view, for each agent, see below. action_mask, bool[num_agents][6]: moves to free cells, and
//                whether there is food to load. step_count, i32: the steps of the episode
//   Reward       the sum of the agents' rewards
//   Terminated   when all food is eaten
//   Truncated    after time_limit steps
//   Info         agent_rewards, f32[num_agents]. percent_eaten, f32: which part of the food is eaten
//   Reset        food is in random cells, neither at the edge nor beside other food. Agents are in random cells of
//                rows whose number is neither a row nor a column of food. An agent has a random level; the level of
//                food is the sum of the three least levels of agents, with force_coop=False at most this
//   Image        agents are discs in their colors, food is yellow; small discs show the levels
//
// Food is eaten if the agents that load it have at least its level together. Each of them has its level as a reward,
// times the level of the food, and divided by the levels of these agents and by those of all food
// (normalize_levels=False: without this division). If their levels do not suffice, all agents lose `penalty`, divided
// in the same way.
//
// An agent sees what is at most `fov` rows and columns away. i32[num_agents][3 (num_food + num_agents)]: row, column
// and level of each food, of the agent itself and of the others, counted from the first row and column that it sees;
// -1, -1 and 0 for what it does not see. With grid_observation=True, i32[num_agents][3][2 fov + 1][2 fov + 1]: the
// levels of agents around it, the levels of food, and 1 for each free cell.
//
// F. Christianos et al., "Shared experience actor-critic for multi-agent reinforcement learning" (NeurIPS 2020).
// Reference: jumanji 1.1.2, LevelBasedForaging. Its rewards are agent_rewards; EnvPool has their sum, too. What it
// calls normalize_reward is normalize_levels here, because pools have an option of that name.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/block_rng.h"
#if ENVPOOL_HOST
#include <stdexcept>
#include <string>

#include "envpool/core/board.h"
#include "envpool/jumanji/agent_colors.h"
#endif

namespace envpool::jumanji {

struct LevelBasedForaging {
  static constexpr const char* kName = "LevelBasedForaging";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kLeastSide = 5, kMostSide = 32, kMostAgents = 10, kMostFood = 32, kMostLevel = 64;
  static constexpr i32 kActions = 6, kLoad = 5, kHelpers = 3, kLayers = 3;
  enum Field { kAgentsView, kActionMask, kStepCount, kAgentRewards, kPercentEaten };

  struct Params {
    i32 side, agents, foods, fov, most_level, time_limit;
    bool force_coop, grid_observation, normalize_levels;
    f32 penalty;
    // Derived:
    i32 view;  // numbers in an agent's view
    f32 part;  // percent of one food; XLA divides by a number that is common to several by multiplying, as we do
  };
  struct Thing {
    u8 row, column, level;
    ENVPOOL_FN bool is_at(i32 other_row, i32 other_column) const { return row == other_row && column == other_column; }
  };
  struct State {
    i32 steps;
    u32 eaten;  // a bit for each food
    f32 rewards[kMostAgents];
    Thing agent[kMostAgents], food[kMostFood];
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("grid_size", 8, "rows and columns").between(kLeastSide, kMostSide).sets(&Params::side).changes_shapes();
    o.integer("num_agents", 2, "agents").between(1, kMostAgents).sets(&Params::agents).changes_shapes();
    o.integer("num_food", 2, "food items").between(1, kMostFood).sets(&Params::foods).changes_shapes();
    o.integer("fov", 8, "rows and columns that an agent sees in each direction")
        .between(1, kMostSide)
        .sets(&Params::fov)
        .changes_shapes();
    o.integer("max_agent_level", 2, "the highest level of an agent")
        .between(2, kMostLevel)
        .sets(&Params::most_level)
        .changes_shapes();
    o.boolean("force_coop", true, "give all food the highest level").sets(&Params::force_coop);
    o.integer("time_limit", 100, "steps of an episode").between(1, 1e6).sets(&Params::time_limit).changes_shapes();
    o.boolean("grid_observation", false, "observe grids instead of lists")
        .sets(&Params::grid_observation)
        .changes_shapes();
    o.boolean("normalize_levels", true, "divide rewards by levels, so that those of an episode sum up to 1")
        .sets(&Params::normalize_levels);
    o.real("penalty", 0, "what loading without the needed level costs each agent")
        .between(-1e6, 1e6)
        .sets(&Params::penalty);
  }
  static void validate(const Params& p) {
    if (p.fov > p.side) {
      throw std::invalid_argument("fov: expected at most grid_size, " + std::to_string(p.side) + ", got " +
                                  std::to_string(p.fov));
    }
    const i32 most = ((p.side - 2) * (p.side - 2) - p.agents - 1) / 5;
    if (p.foods > most) {
      throw std::invalid_argument("num_food: expected at most " + std::to_string(max(most, 0)) +
                                  " with this grid_size and num_agents, got " + std::to_string(p.foods));
    }
  }
  static u64 identity(const Params& p) { return u64(p.side) << 32 | u32(p.most_level); }
  static void spec(const Params& p, Spec& s) {
    const i32 size = 2 * p.fov + 1, most = max(p.agents * p.most_level, p.side);
    if (p.grid_observation) {
      s.obs<i32>("agents_view", {p.agents, kLayers, size, size})
          .bounds(0, most)
          .doc("around each agent: levels of agents, levels of food, free cells");
    } else {
      s.obs<i32>("agents_view", {p.agents, p.view})
          .bounds(-1, most)
          .doc("for each agent: row, column and level of all food, of the agent and of the others");
    }
    s.obs<bool>("action_mask", {p.agents, kActions}).doc("moves to free cells, and whether there is food to load");
    s.obs<i32>("step_count").categories(p.time_limit + 1).doc("steps of the episode");
    s.info<f32>("agent_rewards", {p.agents}).doc("rewards of the agents");
    s.info<f32>("percent_eaten").bounds(0, kInfinity).doc("part of the food that is eaten");
    s.action<i32>("action", {p.agents})
        .categories(kActions)
        .doc("actions of the agents: 0 stays, 1 up, 2 down, 3 left, 4 right, 5 loads");
    s.render_fps = 6;
    drawing::Board::set_size(s, p.side, p.side);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    drawing::Board board(rgb, p.side, p.side, drawing::kEmpty);
    const auto draw = [&](const Thing& thing, f64 radius, drawing::Color color) {
      constexpr i32 kInRow = 3;  // discs
      board.disc(thing.row, thing.column, radius, color);
      for (i32 i = 0; i < min(i32(thing.level), kInRow * kInRow); ++i) {
        const f64 y = 0.32 + 0.18 * (i / kInRow), x = 0.32 + 0.18 * (i % kInRow);
        const drawing::Point at = board.at(thing.row + y, thing.column + x);
        board.canvas().disc(at.x, at.y, board.side() / 16, drawing::kBlack);
      }
    };
    for (i32 i = 0; i < p.foods; ++i) {
      if (!is_eaten(s, i)) draw(s.food[i], 0.44, drawing::kGoal);
    }
    for (i32 i = 0; i < p.agents; ++i) draw(s.agent[i], 0.38, agent_color(i));
  }
#endif

  ENVPOOL_FN static void derive(Params& p) {
    const i32 size = 2 * p.fov + 1;
    p.view = p.grid_observation ? kLayers * size * size : 3 * (p.foods + p.agents);
    p.part = 1.0f / f32(p.foods) * 100.0f;
  }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {};
    BlockRng draws(rng);
    u32 rows = 0;  // a bit for each row without agents
    for (i32 i = 0; i < p.foods;) {
      const i32 cell = i32(draws.below(u32((p.side - 2) * (p.side - 2))));
      const i32 row = 1 + cell / (p.side - 2), column = 1 + cell % (p.side - 2);
      bool free = true;
      for (i32 k = 0; k < i; ++k) free &= distance(s.food[k], row, column) > 1;
      if (!free) continue;
      s.food[i++] = {static_cast<u8>(row), static_cast<u8>(column), 0};
      rows |= u32{1} << row | u32{1} << column;
    }
    for (i32 i = 0; i < p.agents;) {
      const i32 cell = i32(draws.below(u32(p.side * p.side))), row = cell / p.side, column = cell % p.side;
      bool free = (rows >> row & 1) == 0;
      for (i32 k = 0; k < i; ++k) free &= !s.agent[k].is_at(row, column);
      if (free) s.agent[i++] = {static_cast<u8>(row), static_cast<u8>(column), 0};
    }
    i32 least[kHelpers] = {kMostLevel + 1, kMostLevel + 1, kMostLevel + 1};  // levels, the lowest one first
    for (i32 i = 0; i < p.agents; ++i) {
      const i32 level = 1 + i32(draws.below(u32(p.most_level)));
      s.agent[i].level = static_cast<u8>(level);
      for (i32 k = 0, moved = level; k < kHelpers; ++k) {
        const i32 other = least[k];
        least[k] = min(other, moved);
        moved = max(other, moved);
      }
    }
    i32 most = 0;
    for (i32 k = 0; k < min(kHelpers, p.agents); ++k) most += least[k];
    for (i32 i = 0; i < p.foods; ++i) {
      s.food[i].level = static_cast<u8>(p.force_coop ? most : 1 + i32(draws.below(u32(most))));
    }
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32* const actions = action.row_of<i32>(0);
    move_agents(s, p, actions);
    for (i32 i = 0; i < p.agents; ++i) s.rewards[i] = 0;
    i32 levels = 0;
    for (i32 i = 0; i < p.foods; ++i) levels += s.food[i].level;
    for (i32 i = 0; i < p.foods; ++i) {
      if (!is_eaten(s, i)) load(s, p, actions, i, levels);
    }
    s.steps = min(s.steps + 1, p.time_limit);
    f32 sum = 0;
    for (i32 i = 0; i < p.agents; ++i) sum += s.rewards[i];
    const bool over = s.eaten == all(p);
    return {.reward = sum, .terminated = over, .truncated = !over && s.steps >= p.time_limit};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    bool* const mask = row.at<bool>(kActionMask);
    for (i32 i = 0; i < p.agents; ++i) {
      i32* const view = row.at<i32>(kAgentsView) + i * p.view;
      if (p.grid_observation) {
        write_grids(s, p, i, view);
      } else {
        write_list(s, p, i, view);
      }
      mask[i * kActions] = true;
      for (i32 move = 1; move < kLoad; ++move) mask[i * kActions + move] = may_move(s, p, i, move);
      mask[i * kActions + kLoad] = may_load(s, p, i);
      row.at<f32>(kAgentRewards)[i] = s.rewards[i];
    }
    *row.at<i32, 1>(kStepCount) = s.steps;
    i32 eaten = 0;
    for (i32 i = 0; i < p.foods; ++i) eaten += i32(is_eaten(s, i));
    *row.at<f32, 1>(kPercentEaten) = f32(eaten) * p.part;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    keep_within(s.steps, 0, p.time_limit);
    s.eaten &= all(p);
    for (i32 i = 0; i < kMostAgents; ++i) keep(s.agent[i], p, i < p.agents, p.most_level);
    for (i32 i = 0; i < kMostFood; ++i) keep(s.food[i], p, i < p.foods, p.most_level * min(kHelpers, p.agents));
  }

 private:
  ENVPOOL_FN static u32 all(const Params& p) { return ~u32{0} >> (kMostFood - p.foods); }
  ENVPOOL_FN static bool is_eaten(const State& s, i32 food) { return (s.eaten >> food & 1) != 0; }
  ENVPOOL_FN static void keep(Thing& thing, const Params& p, bool used, i32 most_level) {
    keep_within(thing.row, u8{0}, static_cast<u8>(used ? p.side - 1 : 0));
    keep_within(thing.column, u8{0}, static_cast<u8>(used ? p.side - 1 : 0));
    keep_within(thing.level, static_cast<u8>(used), static_cast<u8>(used ? most_level : 0));
  }
  ENVPOOL_FN static i32 apart(i32 a, i32 b) { return max(a - b, b - a); }
  ENVPOOL_FN static i32 distance(const Thing& thing, i32 row, i32 column) {
    return apart(thing.row, row) + apart(thing.column, column);
  }
  ENVPOOL_FN static i32 rows_of(i32 action) { return i32(action == 2) - i32(action == 1); }
  ENVPOOL_FN static i32 columns_of(i32 action) { return i32(action == 4) - i32(action == 3); }

  ENVPOOL_FN static bool may_move(const State& s, const Params& p, i32 agent, i32 move) {
    const i32 row = s.agent[agent].row + rows_of(move), column = s.agent[agent].column + columns_of(move);
    bool free = u32(row) < u32(p.side) && u32(column) < u32(p.side);
    for (i32 i = 0; i < p.agents; ++i) free &= i == agent || !s.agent[i].is_at(row, column);
    for (i32 i = 0; i < p.foods; ++i) free &= is_eaten(s, i) || !s.food[i].is_at(row, column);
    return free;
  }
  ENVPOOL_FN static bool may_load(const State& s, const Params& p, i32 agent) {
    bool may = false;
    for (i32 i = 0; i < p.foods; ++i) {
      may |= !is_eaten(s, i) && distance(s.food[i], s.agent[agent].row, s.agent[agent].column) == 1;
    }
    return may;
  }

  // Moves agents to cells that were free. If several choose the same cell, all of them stay.
  ENVPOOL_FN static void move_agents(State& s, const Params& p, const i32* actions) {
    u8 row[kMostAgents], column[kMostAgents];
    for (i32 i = 0; i < p.agents; ++i) {
      const bool moves = actions[i] != 0 && actions[i] != kLoad && may_move(s, p, i, actions[i]);
      row[i] = static_cast<u8>(s.agent[i].row + (moves ? rows_of(actions[i]) : 0));
      column[i] = static_cast<u8>(s.agent[i].column + (moves ? columns_of(actions[i]) : 0));
    }
    for (i32 i = 0; i < p.agents; ++i) {
      bool alone = true;
      for (i32 k = 0; k < p.agents; ++k) alone &= k == i || row[k] != row[i] || column[k] != column[i];
      if (alone) s.agent[i].row = row[i], s.agent[i].column = column[i];
    }
  }
  // Rewards the agents that load a food; `all_levels` is the sum of the levels of all food.
  ENVPOOL_FN static void load(State& s, const Params& p, const i32* actions, i32 food, i32 all_levels) {
    const Thing& item = s.food[food];
    const auto loaded = [&](i32 agent) {
      const Thing& who = s.agent[agent];
      return actions[agent] == kLoad && distance(item, who.row, who.column) == 1 ? i32(who.level) : 0;
    };
    i32 together = 0;
    for (i32 i = 0; i < p.agents; ++i) together += loaded(i);
    if (together == 0) return;
    const bool eaten = together >= item.level;
    const f32 share = p.normalize_levels ? 1.0f / f32(together * all_levels) : 1.0f;  // see `part`
    for (i32 i = 0; i < p.agents; ++i) {
      const f32 reward = eaten ? f32(loaded(i) * item.level) : -p.penalty;
      s.rewards[i] += reward * share;
    }
    s.eaten |= u32(eaten) << food;
  }

  ENVPOOL_FN static void write_list(const State& s, const Params& p, i32 agent, i32* view) {
    const Thing self = s.agent[agent];
    const i32 top = max(self.row - p.fov, 0), left = max(self.column - p.fov, 0);
    i32 at = 0;
    const auto write = [&](const Thing& thing, bool is_there) {
      const bool seen = is_there && apart(thing.row, self.row) <= p.fov && apart(thing.column, self.column) <= p.fov;
      view[at++] = seen ? thing.row - top : -1;
      view[at++] = seen ? thing.column - left : -1;
      view[at++] = seen ? thing.level : 0;
    };
    for (i32 i = 0; i < p.foods; ++i) write(s.food[i], !is_eaten(s, i));
    write(self, true);
    for (i32 i = 0; i < p.agents; ++i) {
      if (i != agent) write(s.agent[i], true);
    }
  }
  ENVPOOL_FN static void write_grids(const State& s, const Params& p, i32 agent, i32* view) {
    const Thing self = s.agent[agent];
    const i32 size = 2 * p.fov + 1, layer = size * size, top = self.row - p.fov, left = self.column - p.fov;
    i32 at = 0;
    for (i32 row = top; row < top + size; ++row) {
      for (i32 column = left; column < left + size; ++column, ++at) {
        view[at] = view[layer + at] = 0;
        view[2 * layer + at] = i32(u32(row) < u32(p.side) && u32(column) < u32(p.side));
      }
    }
    const auto put = [&](const Thing& thing, i32 of) {
      const i32 row = thing.row - top, column = thing.column - left;
      if (u32(row) >= u32(size) || u32(column) >= u32(size)) return;
      view[of * layer + row * size + column] = thing.level;
      view[2 * layer + row * size + column] = 0;
    };
    for (i32 i = 0; i < p.agents; ++i) put(s.agent[i], 0);
    for (i32 i = 0; i < p.foods; ++i) {
      if (!is_eaten(s, i)) put(s.food[i], 1);
    }
  }
};

}  // namespace envpool::jumanji
