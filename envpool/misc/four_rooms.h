// SPDX-License-Identifier: Apache-2.0
//
// FourRooms: the agent has to find its way to a goal through the doors between four rooms.
//
//   Action       i32, 0 goes up, 1 right, 2 down, 3 left; a move into a wall has no effect. With probability
//                fail_prob the move goes in one of the other three directions, equally likely
//   Observation  f32[4]: row and column of the agent, row and column of the goal. With `use_visual_obs`,
//                f32[13][13][2]: a channel with 1 at walls, and a channel with 1 at the agent
//   Reward       1 on the goal, else 0
//   Terminated   on the goal
//   Truncated    after 500 steps
//   Reset        the agent is at pos_fixed and the goal at goal_fixed. With `resample_goal_pos`, the goal is in a
//                uniformly random cell; with `resample_init_pos`, the agent is in a uniformly random cell other than
//                the goal's
//
// R. Sutton, D. Precup, S. Singh, "Between MDPs and semi-MDPs" (1999). Reference: gymnax 1.0.1 (and 0.0.9, where the
// reward is a bool), misc/rooms.py. There are two differences. Vector observations are float32, as gymnax's
// observation space says, although gymnax returns int32. Visual observations show the agent in its cell, while gymnax
// swaps its row and column.
#pragma once

#include "envpool/core/api.h"
#if ENVPOOL_HOST
#include <stdexcept>
#include <string>

#include "envpool/core/board.h"
#endif

namespace envpool::misc {

struct FourRooms {
  static constexpr const char* kName = "FourRooms";
  static constexpr i32 kSize = 13, kCells = 104;

  struct Map {
    f32 image[2 * kSize * kSize];  // a channel with 1 at walls, and one for the agent
    u8 cells[kCells][2];           // row and column of each open cell
    u32 open[kSize];               // a bit for each column, by row

    ENVPOOL_FN constexpr Map() : image{}, cells{}, open{} {
      // clang-format off
      const char* const rows[kSize] = {"xxxxxxxxxxxxx",
                                       "x     x     x",
                                       "x     x     x",
                                       "x           x",
                                       "x     x     x",
                                       "x     x     x",
                                       "xx xxxx     x",
                                       "x     xxx xxx",
                                       "x     x     x",
                                       "x     x     x",
                                       "x           x",
                                       "x     x     x",
                                       "xxxxxxxxxxxxx"};
      // clang-format on
      i32 count = 0;
      for (i32 row = 0; row < kSize; ++row) {
        for (i32 column = 0; column < kSize; ++column) {
          const bool wall = rows[row][column] == 'x';
          image[2 * (row * kSize + column)] = wall ? 1.0f : 0.0f;
          if (wall) continue;
          open[row] |= 1u << column;
          cells[count][0] = u8(row);
          cells[count++][1] = u8(column);
        }
      }
    }
    // Returns 1 if a cell is open, else 0.
    ENVPOOL_FN constexpr i32 is_open(i32 row, i32 column) const { return i32(open[row] >> column & 1); }
  };
  ENVPOOL_FN static const Map& map() {
    static constexpr Map rooms{};  // Without the braces, all values would be 0 on a device.
    return rooms;
  }

  struct Params {
    f64 fail_prob;
    bool resample_start, resample_goal, image;
    i32 pos_fixed[2], goal_fixed[2];
    // Derived:
    u32 random;  // the probability of a move in a random direction, 4 / 3 fail_prob, times 2^30
    i32 start[2], goal[2];
  };
  struct State {
    i32 pos[2], goal[2];
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.boolean("use_visual_obs", false, "observe an image of the rooms").changes_shapes().sets(&Params::image);
    o.integer("goal_fixed_row", 8, "row of the goal; goal_fixed=(row, column) sets both")
        .between(1, kSize - 2)
        .sets(&Params::goal_fixed, 0);
    o.integer("goal_fixed_column", 9, "column of the goal").between(1, kSize - 2).sets(&Params::goal_fixed, 1);
    o.integer("pos_fixed_row", 4, "row of the start; pos_fixed=(row, column) sets both")
        .between(1, kSize - 2)
        .sets(&Params::pos_fixed, 0);
    o.integer("pos_fixed_column", 1, "column of the start").between(1, kSize - 2).sets(&Params::pos_fixed, 1);
    o.real("fail_prob", 1.0 / 3, "probability that a move goes in one of the other directions")
        .between(0, 0.75)
        .sets(&Params::fail_prob);
    o.boolean("resample_init_pos", false, "draw a random start in each episode").sets(&Params::resample_start);
    o.boolean("resample_goal_pos", false, "draw a random goal in each episode").sets(&Params::resample_goal);
  }
  static Params params(const OptionValues& v) {
    check_open(v, "pos_fixed");
    check_open(v, "goal_fixed");
    return {};
  }
  static void spec(const Params& p, Spec& s) {
    if (p.image) {
      s.obs<f32>("obs", {kSize, kSize, 2}).bounds(0, 1).doc("1 at walls, 1 at the agent");
    } else {
      s.obs<f32>("obs", {4}).bounds(1, kSize - 2).doc("row, column, row and column of the goal");
    }
    s.action<i32>().categories(4).doc("0 goes up, 1 right, 2 down, 3 left");
    s.reward_low = 0;
    s.reward_high = 1;
    drawing::Board::set_size(s, kSize, kSize);
  }
  static void render(const State& s, const Params&, u8* rgb) {
    drawing::Board board(rgb, kSize, kSize, drawing::kEmpty);
    for (i32 row = 0; row < kSize; ++row) {
      for (i32 column = 0; column < kSize; ++column) {
        if (!map().is_open(row, column)) board.fill(row, column, drawing::kWall);
      }
    }
    board.fill(s.goal[0], s.goal[1], drawing::kGoal);
    board.disc(s.pos[0], s.pos[1], 0.36, drawing::kAgent);
  }
  static void state_parts(StateParts<State>& parts) { parts.add("pos", &State::pos).add("goal", &State::goal); }
#endif

  ENVPOOL_FN static void derive(Params& p) {
    p.random = u32(p.fail_prob * 4 / 3 * (1 << 30));
    set_open_cell(p.start, p.pos_fixed);
    set_open_cell(p.goal, p.goal_fixed);
  }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {{p.start[0], p.start[1]}, {p.goal[0], p.goal[1]}};
    if (p.resample_goal) set_cell(s.goal, rng.below(kCells));
    if (p.resample_start) {
      set_cell(s.pos, rng.below(kCells - 1));
      if (s.pos[0] == s.goal[0] && s.pos[1] == s.goal[1]) set_cell(s.pos, kCells - 1);
    }
  }

  template <class Draws>
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Draws& rng) {
    i32 direction = *action.at<i32>(0);
    if (p.random != 0) {
      const u32 bits = rng.bits();
      direction = bits >> 2 < p.random ? i32(bits & 3) : direction;
    }
    // The position is clamped, because a restored state may have any position. There are no branches on walls, because
    // they would be mispredicted.
    const i32 row = clamp(s.pos[0], 1, kSize - 2), down = (direction == 2) - (direction == 0);
    const i32 column = clamp(s.pos[1], 1, kSize - 2), right = (direction == 1) - (direction == 3);
    const i32 moves = map().is_open(row + down, column + right);
    s.pos[0] = row + moves * down;
    s.pos[1] = column + moves * right;
    const bool reached = s.pos[0] == s.goal[0] && s.pos[1] == s.goal[1];
    return {.reward = reached ? 1.0f : 0.0f, .terminated = reached};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    if (!p.image) {
      f32* const obs = row.at<f32, 4>(0);
      obs[0] = f32(s.pos[0]);
      obs[1] = f32(s.pos[1]);
      obs[2] = f32(s.goal[0]);
      obs[3] = f32(s.goal[1]);
      return;
    }
    f32* const obs = row.at<f32, 2 * kSize * kSize>(0);
    for (i32 i = 0; i < 2 * kSize * kSize; ++i) obs[i] = map().image[i];
    obs[2 * (clamp(s.pos[0], 0, kSize - 1) * kSize + clamp(s.pos[1], 0, kSize - 1)) + 1] = 1;
  }

 private:
  ENVPOOL_FN static void set_cell(i32* pos, u32 cell) {
    pos[0] = map().cells[cell][0];
    pos[1] = map().cells[cell][1];
  }
  // Sets a cell to another one, or to the first open one of its row if that is a wall.
  ENVPOOL_FN static void set_open_cell(i32* cell, const i32* to) {
    const i32 row = clamp(to[0], 1, kSize - 2);
    i32 column = clamp(to[1], 1, kSize - 2);
    if (!map().is_open(row, column)) {
      column = 1;
      while (!map().is_open(row, column)) ++column;  // every row but the first and the last has an open cell
    }
    cell[0] = row;
    cell[1] = column;
  }
#if ENVPOOL_HOST
  static void check_open(const OptionValues& v, const std::string& name) {
    const i64 row = v.integer(name + "_row"), column = v.integer(name + "_column");
    if (map().is_open(i32(row), i32(column))) return;
    throw std::invalid_argument(name + ": expected a cell without a wall, got row " + std::to_string(row) +
                                ", column " + std::to_string(column));
  }
#endif
};

}  // namespace envpool::misc
