// SPDX-License-Identifier: Apache-2.0
//
// DeepSea: a diver sinks through a square grid, one row in each step. The treasure lies in the last column of the last
// row, which the diver reaches only by moving right in every step.
//
//   Action       i32, 0 or 1; one of them moves the diver right and the other left. Which one moves right may depend on
//                the cell
//   Observation  f32[size][size]: 1 in the cell of the diver; all 0 once the diver has passed the last row
//   Reward       1 for a move to the right in the last column, where the treasure is; each move to the right costs
//                unscaled_move_cost / size, even if it fails
//   Terminated   after the last row
//   Info         total_bad_episodes: the number of episodes that left the path to the treasure; denoised_return: the
//                number of treasures found. Both accumulate over episodes until a reset with a seed or key.
//   Reset        the diver is in the first row and column
//
// Unless `deterministic` is set, a move to the right fails with probability 1 / size, and standard normal noise is
// added to the reward in both corners of the last row. A mapping says for each cell which action moves right. With
// randomize_actions, a generator seeded with mapping_seed draws the mapping. With sample_action_map, a new mapping is
// drawn for each episode. With neither of them, action 1 always moves right.
//
// I. Osband et al., "Behaviour suite for reinforcement learning" (2020); bsuite 0.3.5, which gymnax 1.0.1 follows.
// gymnax 0.0.9 differs: if `deterministic` is set, action 1 always moves right; there is no noise; and a failed move
// costs nothing.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/normal.h"
#if ENVPOOL_HOST
#include "envpool/core/board.h"
#endif

namespace envpool::bsuite {

struct DeepSea {
  static constexpr const char* kName = "DeepSea";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kMaxFirstWords = 4;

  struct Params {
    i32 size;
    bool deterministic, sample_action_map, randomize_actions;
    i64 mapping_seed;
    f64 unscaled_cost;
    // Derived:
    f32 move_cost;
    u32 first_words[kMaxFirstWords];  // the first words of a mapping that is the same in all episodes
  };
  // The mapping follows in words of 32 bits: a bit for each cell, 1 if action 1 moves right there.
  struct State {
    i32 row, column;
    i32 total_bad_episodes;
    f32 denoised_return;
    bool bad_episode;
  };
  enum Field { kObs, kBadEpisodes, kDenoised };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("size", 8, "rows and columns").between(1, 1024).changes_shapes().sets(&Params::size);
    o.boolean("deterministic", true, "moves to the right never fail, and rewards have no noise")
        .sets(&Params::deterministic);
    o.boolean("sample_action_map", false, "the action that moves right is drawn for each episode")
        .sets(&Params::sample_action_map);
    o.real("unscaled_move_cost", 0.01, "cost of moving right throughout an episode").sets(&Params::unscaled_cost);
    o.boolean("randomize_actions", true, "the action that moves right depends on the cell; if False, it is 1")
        .sets(&Params::randomize_actions);
    o.integer("mapping_seed", 0, "seed of the actions that move right")
        .between(0, 9007199254740992.0)
        .sets(&Params::mapping_seed);
  }
  static i64 extra_bytes(const Params& p) { return i64{words(p)} * i64{sizeof(u32)}; }
  static void spec(const Params& p, Spec& s) {
    s.obs<f32>("obs", {p.size, p.size}).bounds(0, 1).doc("1 in the cell of the diver");
    s.info<i32>("total_bad_episodes").bounds(0, kInfinity).doc("episodes that left the path to the treasure");
    s.info<f32>("denoised_return").bounds(0, kInfinity).doc("treasures found");
    s.action<i32>().categories(2).doc("one moves left, the other right");
    drawing::Board::set_size(s, p.size, p.size);
    if (!p.deterministic) return;
    s.reward_low = -f64(max(p.move_cost, 0.0f));
    s.reward_high = 1 + f64(max(-p.move_cost, 0.0f));
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    constexpr drawing::Color water{176, 208, 232};
    drawing::Board board(rgb, p.size, p.size, water);
    board.fill(p.size - 1, p.size - 1, drawing::kGoal);
    board.disc(s.row, s.column, 0.34, drawing::kAgent);
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("row", &State::row)
        .add("column", &State::column)
        .add("bad_episode", &State::bad_episode)
        .add("total_bad_episodes", &State::total_bad_episodes)
        .add("denoised_return", &State::denoised_return);
  }
#endif

  ENVPOOL_FN static void derive(Params& p) {
    p.move_cost = f32(p.unscaled_cost / f64(p.size));
    Rng draws{.seed = u64(p.mapping_seed)};
    for (u32& word : p.first_words) word = p.randomize_actions ? draws.bits() : 0xFFFFFFFFu;
  }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    if (rng.episode == 0) s = {};
    s.row = s.column = 0;
    s.bad_episode = false;
    if (!p.sample_action_map && words(p) <= kMaxFirstWords) {
      for (i32 i = 0; i < words(p); ++i) mapping(s)[i] = p.first_words[i];
      return;
    }
    Rng draws = p.sample_action_map ? rng : Rng{.seed = u64(p.mapping_seed)};
    for (i32 i = 0; i < words(p); ++i) {
      mapping(s)[i] = p.sample_action_map || p.randomize_actions ? draws.bits() : 0xFFFFFFFFu;
    }
    if (p.sample_action_map) rng = draws;
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    // The position is clamped, so that steps after the end of an episode, or from a restored state, stay on the grid.
    const i32 last = p.size - 1, row = clamp(s.row, 0, last), column = clamp(s.column, 0, last);
    const i32 cell = row * p.size + column;
    const bool right = (*action.at<i32>(0) == 1) == ((mapping(s)[cell >> 5] >> (cell & 31) & 1) != 0);
    const bool treasure = right & (column == last);
    f32 reward = one_if(treasure);  // no branch on `right`, because it would be mispredicted
    s.denoised_return += reward;
    if (!p.deterministic && row == last && (column == 0 || column == last)) reward += f32(normal(rng));
    reward -= keep_if(right, p.move_cost);
    const bool fails = !p.deterministic && right && rng.below(u32(p.size)) == 0;
    s.column = fails ? column : clamp(column + 2 * i32(right) - 1, 0, last);
    s.bad_episode |= !right & (row == column);
    s.row = row + 1;
    const bool over = s.row >= p.size;
    count_up(s.total_bad_episodes, over & s.bad_episode);
    return {.reward = reward, .terminated = over};
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    keep_within(s.row, 0, p.size);
    keep_within(s.column, 0, p.size - 1);
    keep_bool(s.bad_episode);
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row to) {
    f32* const board = to.at<f32>(kObs);
    const i32 cells = p.size * p.size;
    for (i32 i = 0; i < cells; ++i) board[i] = 0;
    observe_cleared(s, p, to);
  }
  ENVPOOL_FN static void observe_cleared(const State& s, const Params& p, Row to) {
    f32* const board = to.at<f32>(kObs);
    if (s.row >= 0 && s.row < p.size) board[s.row * p.size + clamp(s.column, 0, p.size - 1)] = 1;
    *to.at<i32, 1>(kBadEpisodes) = s.total_bad_episodes;
    *to.at<f32, 1>(kDenoised) = s.denoised_return;
  }

 private:
  ENVPOOL_FN static i32 words(const Params& p) { return (p.size * p.size + 31) / 32; }
  ENVPOOL_FN static u32* mapping(State& s) { return reinterpret_cast<u32*>(&s + 1); }
};

}  // namespace envpool::bsuite
