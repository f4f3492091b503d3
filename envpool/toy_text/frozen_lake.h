// SPDX-License-Identifier: Apache-2.0
//
// FrozenLake: the agent has to cross a frozen lake from the start S to the goal G without falling into a hole H.
//
//   Action       i32, 0 goes left, 1 down, 2 right, 3 up; a move over the edge has no effect. With `is_slippery`, the
//                move goes in the chosen direction with probability `success_rate`, else in either perpendicular one
//   Observation  i32, row * columns + column
//   Reward       `goal_reward` (1) for reaching G, `hole_reward` (0) for falling into H, else `frozen_reward` (0)
//   Terminated   at G and in H
//   Truncated    after 100 steps, or 200 on the 8x8 map
//   Info         prob, the probability of the direction that the step took; its name is p in FrozenLake-misc
//   Reset        the agent is at a uniformly random S
//
// Reference: gymnasium 1.4.0, toy_text/frozen_lake.py; for FrozenLake-misc, gymnax 1.0.1, misc/frozen_lake.py.
#pragma once

#include "envpool/core/api.h"
#include "envpool/toy_text/slip.h"
#if ENVPOOL_HOST
#include <algorithm>

#include "envpool/core/board.h"
#include "envpool/toy_text/lake_map.h"
#endif

namespace envpool::toy_text {

struct FrozenLake {
  static constexpr const char* kName = "FrozenLake";
  static constexpr int kPrefetchedWords = 2;

  struct Params {
    const u8* blob;  // i32 starts[num_starts], then the letters in row-major order
    i32 rows, columns, num_starts;
    f32 goal_reward, hole_reward, frozen_reward;
    bool slippery;
    f64 success_rate;
    bool short_name;
  };
  struct State {
    i32 row, column;
    f32 probability;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("size", 4, "side of gymnasium's map, 4 or 8; not used if desc gives a map").changes_shapes();
    o.text("desc", "", "a custom map: lines of S (start), F (ice), H (hole) and G (goal)").changes_shapes();
    o.boolean("is_slippery", true, "a move may go in either direction perpendicular to the chosen one")
        .sets(&Params::slippery);
    o.real("success_rate", 1.0 / 3, "probability of the chosen direction if is_slippery")
        .between(0, 1)
        .sets(&Params::success_rate);
    o.real("goal_reward", 1, "reward for reaching the goal").sets(&Params::goal_reward);
    o.real("hole_reward", 0, "reward for falling into a hole").sets(&Params::hole_reward);
    o.real("frozen_reward", 0, "reward for any other step").sets(&Params::frozen_reward);
    o.text("prob_name", "prob", "name of the info that holds the probability: prob in gymnasium, p in gymnax")
        .one_of({"prob", "p"})
        .changes_shapes()
        .sets(&Params::short_name);
  }
  static Params params(const OptionValues& v) {
    const LakeMap map = map_of(v);
    return {.blob = nullptr,
            .rows = map.rows,
            .columns = map.columns,
            .num_starts = i32(map.starts.size()),
            .goal_reward = 0,
            .hole_reward = 0,
            .frozen_reward = 0,
            .slippery = false,
            .success_rate = 0,
            .short_name = false};
  }
  static Blob blob(const OptionValues& v) {
    const LakeMap map = map_of(v);
    const size_t starts_bytes = map.starts.size() * sizeof(i32);
    Blob blob(starts_bytes + map.letters.size());
    std::memcpy(blob.data(), map.starts.data(), starts_bytes);
    std::memcpy(blob.data() + starts_bytes, map.letters.data(), map.letters.size());
    return blob;
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<i32>("obs").categories(i64(p.rows) * p.columns).doc("row * columns + column");
    s.info<f32>(p.short_name ? "p" : "prob")
        .bounds(0, 1)
        .doc("probability of the direction that the step took; 1 after a reset");
    s.action<i32>().categories(4).doc("0 goes left, 1 down, 2 right, 3 up");
    const auto [low, high] = std::minmax({p.goal_reward, p.hole_reward, p.frozen_reward});
    s.reward_low = low;
    s.reward_high = high;
    s.render_fps = 4;
    drawing::Board::set_size(s, p.rows, p.columns);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    constexpr drawing::Color ice{214, 232, 244}, water{44, 84, 128};
    drawing::Board board(rgb, p.rows, p.columns, ice);
    for (i32 row = 0; row < p.rows; ++row) {
      for (i32 column = 0; column < p.columns; ++column) {
        const u8 letter = letter_of(p, row, column);
        if (letter == 'S') board.fill(row, column, drawing::kStart);
        if (letter == 'G') board.fill(row, column, drawing::kGoal);
        if (letter == 'H') board.disc(row, column, 0.4, water);
      }
    }
    board.disc(s.row, s.column, 0.26, drawing::kAgent);
  }
  static void state_parts(StateParts<State>& parts) { parts.add("row", &State::row).add("column", &State::column); }
  static LakeMap map_of(const OptionValues& v) { return LakeMap(v.text("desc"), v.integer("size")); }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    const i32* const starts = reinterpret_cast<const i32*>(p.blob);
    const i32 cell = starts[p.num_starts > 1 ? rng.below(u32(p.num_starts)) : 0];
    s = {cell / p.columns, cell % p.columns, 1};
  }

  template <class Draws>
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Draws& rng) {
    const Slip slip = p.slippery ? draw_slip(p.success_rate, rng) : Slip{0, 1};
    const i32 direction = (*action.at<i32>(0) + slip.turn) & 3;
    s.probability = slip.probability;
    s.row = clamp(s.row + (direction == 1) - (direction == 3), 0, p.rows - 1);
    s.column = clamp(s.column + (direction == 2) - (direction == 0), 0, p.columns - 1);
    const u8 letter = letter_of(p, s.row, s.column);
    const bool goal = letter == 'G', hole = letter == 'H', ends = goal | hole;
    return {.reward = keep_if(goal, p.goal_reward) + keep_if(hole, p.hole_reward) + keep_if(!ends, p.frozen_reward),
            .terminated = ends};
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    keep_within(s.row, 0, p.rows - 1);
    keep_within(s.column, 0, p.columns - 1);
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    *row.at<i32, 1>(0) = s.row * p.columns + s.column;
    *row.at<f32, 1>(1) = s.probability;
  }

 private:
  ENVPOOL_FN static u8 letter_of(const Params& p, i32 row, i32 column) {
    return p.blob[p.num_starts * i32(sizeof(i32)) + row * p.columns + column];
  }
};

}  // namespace envpool::toy_text
