// SPDX-License-Identifier: Apache-2.0
//
// DeepSea: a diver sinks through a square of water, a row a step. The treasure lies in the far corner, which only going
// right at every step reaches.
//
//   Action       i32, 0 or 1; which of them goes right may differ from cell to cell, the other goes left
//   Observation  f32[size][size]: 1 where the diver is; all 0 below the last row
//   Reward       1 for going right in the last column, which is the treasure if one has always gone right; going right
//                costs unscaled_move_cost / size, also where it fails
//   Terminated   below the last row
//   Info         total_bad_episodes: episodes so far that left the way to the treasure; denoised_return: treasures so
//                far. Both run on over episodes until a reset with a seed or key.
//   Reset        to the first row and column
//
// Not `deterministic`: going right fails once in `size` times, and standard normal noise is added to the reward in both
// corners of the last row. With randomize_actions, a fair coin that mapping_seed tosses says of each cell which action
// goes right, with sample_action_map one of the episode's own; with neither it is always 1.
//
// I. Osband et al., "Behaviour suite for reinforcement learning" (2020); bsuite 0.3.5, which gymnax 1.0.1 follows.
// gymnax 0.0.9 differs: its actions are never mapped unless randomness is on, it adds no noise, and a failed move is
// free.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/normal.h"

namespace envpool::bsuite {

struct DeepSea {
  static constexpr const char* kName = "DeepSea";
  static constexpr i32 kKept = 4;

  struct Params {
    i32 size;
    bool deterministic, sample_action_map, randomize_actions;
    u64 mapping_seed;
    f32 move_cost;
    u32 first_words[kKept];  // of the mapping, where it is the same in all episodes
  };
  // A bit of each cell follows, whether action 1 goes right there, in words of 32.
  struct State {
    i32 row, column;
    i32 total_bad_episodes;
    f32 denoised_return;
    bool bad_episode;
  };
  enum Field { kObs, kBadEpisodes, kDenoised };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("size", 8, "rows and columns").between(1, 1024).changes_shapes();
    o.boolean("deterministic", true, "going right never fails, and rewards have no noise");
    o.boolean("sample_action_map", false, "which action goes right is drawn anew for each episode");
    o.real("unscaled_move_cost", 0.01, "what going right costs in a whole episode");
    o.boolean("randomize_actions", true, "which action goes right differs from cell to cell; if not, it is 1");
    o.integer("mapping_seed", 0, "says which action goes right where").between(0, 9007199254740992.0);
  }
  static Params params(const OptionValues& v) {
    Params p{.size = i32(v.integer("size")),
             .deterministic = v.boolean("deterministic"),
             .sample_action_map = v.boolean("sample_action_map"),
             .randomize_actions = v.boolean("randomize_actions"),
             .mapping_seed = u64(v.integer("mapping_seed")),
             .move_cost = f32(v.real("unscaled_move_cost") / f64(v.integer("size"))),
             .first_words = {}};
    Rng coin{.seed = p.mapping_seed};
    for (u32& word : p.first_words) word = p.randomize_actions ? coin.bits() : 0xFFFFFFFFu;
    return p;
  }
  static i64 extra_bytes(const Params& p) { return i64{words(p)} * i64{sizeof(u32)}; }
  static void spec(const Params& p, Spec& s) {
    s.obs<f32>("obs", {p.size, p.size}).bounds(0, 1).says("1 where the diver is");
    s.info<i32>("total_bad_episodes").bounds(0, kInfinity).says("episodes that left the way to the treasure");
    s.info<f32>("denoised_return").bounds(0, kInfinity).says("treasures found");
    s.action<i32>().categories(2).says("one goes left, one right");
    if (!p.deterministic) return;
    s.reward_low = -f64(max(p.move_cost, 0.0f));
    s.reward_high = 1 + f64(max(-p.move_cost, 0.0f));
  }
  static void state_parts(StateParts<State>& parts) {
    parts.add("row", &State::row)
        .add("column", &State::column)
        .add("bad_episode", &State::bad_episode)
        .add("total_bad_episodes", &State::total_bad_episodes)
        .add("denoised_return", &State::denoised_return);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    if (rng.episode == 0) s = {};
    s.row = s.column = 0;
    s.bad_episode = false;
    if (!p.sample_action_map && words(p) <= kKept) {
      for (i32 i = 0; i < words(p); ++i) mapping(s)[i] = p.first_words[i];
      return;
    }
    Rng coin = p.sample_action_map ? rng : Rng{.seed = p.mapping_seed};
    for (i32 i = 0; i < words(p); ++i) {
      mapping(s)[i] = p.sample_action_map || p.randomize_actions ? coin.bits() : 0xFFFFFFFFu;
    }
    if (p.sample_action_map) rng = coin;
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    // On the board even where an episode that is over is played on.
    const i32 last = p.size - 1, row = clamp(s.row, 0, last), column = clamp(s.column, 0, last);
    const i32 cell = row * p.size + column;
    const bool right = (*action.at<i32>(0) == 1) == ((mapping(s)[cell >> 5] >> (cell & 31) & 1) != 0);
    const bool treasure = right & (column == last);
    f32 reward = one_if(treasure);  // without a branch on `right`, which cannot be foreseen
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
    if (s.row >= 0 && s.row < p.size) board[s.row * p.size + clamp(s.column, 0, p.size - 1)] = 1;
    *to.at<i32, 1>(kBadEpisodes) = s.total_bad_episodes;
    *to.at<f32, 1>(kDenoised) = s.denoised_return;
  }

 private:
  ENVPOOL_FN static i32 words(const Params& p) { return (p.size * p.size + 31) / 32; }
  ENVPOOL_FN static u32* mapping(State& s) { return reinterpret_cast<u32*>(&s + 1); }
};

}  // namespace envpool::bsuite
