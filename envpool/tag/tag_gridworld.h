// SPDX-License-Identifier: Apache-2.0
//
// TagGridWorld: taggers chase one runner on a square grid, whose coordinates go from 0 to grid_length.
//
//   Players      num_taggers taggers, then the runner
//   Action       i32 per player: 0 stays, 1 increments x, 2 decrements x, 3 increments y, 4 decrements y; a step over
//                the border has no effect
//   Observation  f32 per player, with coordinates divided by grid_length. With use_full_observation, 4 * players + 1
//                elements: the x of all players; the y of all players; for each player, 1 if it is the runner, else 0;
//                for each player, 1 if it is the one that observes, else 0; and steps / episode_length. Without it, 6
//                elements: the player's x and y, another player's x and y, 1 if the player is the runner, and
//                steps / episode_length. The other player is the runner for a tagger, and the nearest tagger (the first
//                of equally near ones) for the runner
//   Reward       if any tagger is in the runner's cell, tag_reward_for_tagger for each tagger and
//                -tag_penalty_for_runner for the runner; else -step_cost_for_tagger for each tagger and
//                step_cost_for_tagger for the runner. wall_hit_penalty is subtracted from the reward of a player that
//                tried to step over the border
//   Terminated   when the runner is tagged, or after episode_length steps (the time is in the observation)
//   Info         players.id, players.is_tagger, players.done
//   Reset        the taggers are in the middle, or with random_start in uniformly random inner cells; the runner is at
//                (0, 0)
//   Image        taggers are red, the runner is blue
//
// T. Lan et al., "WarpDrive: extremely fast end-to-end deep multi-agent reinforcement learning on a GPU",
// arXiv 2108.13976. Reference: warp_drive 2.7.1, example_envs/tag_gridworld. With random_start, a reset is like a reset
// from WarpDrive's pool of initial states.
#pragma once

#include "envpool/core/api.h"
#include "envpool/tag/columns.h"
#if ENVPOOL_HOST
#include "envpool/tag/canvas.h"
#endif

namespace envpool::tag {

struct TagGridWorld {
  static constexpr const char* kName = "TagGridWorld";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kMaxPlayers = 1024, kPhases = 2;

  struct Params {
    i32 players, side, length;
    bool full, random;
    f64 wall_penalty, tag_reward, tag_penalty, step_cost;
    f32 reward[2][2][2];  // derived; [tagged][runner][over the border]
  };
  struct Shared {
    i32 players, stride, steps;
    bool tagged, over;
    f32 reward[2][2][2];
  };
  enum Column { kX, kY, kScaledX, kScaledY, kOutside, kTags, kColumns };
  enum Field { kObs, kId, kIsTagger, kDone };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("num_taggers", 10, "number of players that chase the runner")
        .between(1, kMaxPlayers - 1)
        .changes_shapes();
    o.integer("grid_length", 10, "largest x and y").between(2, 32767).sets(&Params::side);
    o.integer("episode_length", 100, "steps after which an episode ends").between(1, 1e9).sets(&Params::length);
    o.real("wall_hit_penalty", 0.1, "subtracted from the reward for a step over the border")
        .sets(&Params::wall_penalty);
    o.real("tag_reward_for_tagger", 10.0, "reward of every tagger when the runner is tagged").sets(&Params::tag_reward);
    o.real("tag_penalty_for_runner", 2.0, "subtracted from the runner's reward when it is tagged")
        .sets(&Params::tag_penalty);
    o.real("step_cost_for_tagger", 0.01,
           "subtracted from a tagger's reward in any other step, and added to the runner's")
        .sets(&Params::step_cost);
    o.boolean("use_full_observation", true, "observe all players instead of the runner or the nearest tagger")
        .changes_shapes()
        .sets(&Params::full);
    o.boolean("random_start", false, "taggers start in random cells instead of the middle").sets(&Params::random);
  }
  static Params params(const OptionValues& v) {
    Params p{};
    p.players = i32(v.integer("num_taggers")) + 1;
    return p;
  }
  static i64 extra_bytes(const Params& p) { return i64(sizeof(f32)) * kColumns * stride_of(p.players); }
  static void spec(const Params& p, Spec& s) {
    s.max_players = p.players;
    s.obs<f32>("obs", {obs_size(p)})
        .bounds(0, 1)
        .per_player()
        .doc("coordinates / grid_length, roles of the players, and the time");
    s.info<i32>("players.id").bounds(0, p.players - 1).per_player().doc("index of the player in its world");
    s.info<bool>("players.is_tagger").per_player().doc("whether the player is a tagger; the last one is the runner");
    s.info<bool>("players.done").per_player().doc("whether the episode is over");
    s.action<i32>().categories(5).per_player().doc("0 stays, 1 and 2 move along x, 3 and 4 along y");
    s.reward_low = kInfinity;
    s.reward_high = -kInfinity;
    for (int i = 0; i < 8; ++i) {
      const f64 reward = p.reward[i / 4][i / 2 % 2][i % 2];
      s.reward_low = min(s.reward_low, reward);
      s.reward_high = max(s.reward_high, reward);
    }
    s.render_height = s.render_width = SquareCanvas::kPixels;
  }
  static void render(const World<TagGridWorld>& world, const Params& p, u8* rgb) {
    SquareCanvas canvas(rgb, p.side + 1);  // a square for each cell
    if (p.side < SquareCanvas::kPixels / 4) canvas.lines(p.side + 1, kLineColor);
    const i32 runner = world.shared.players - 1;  // -1 before the first reset
    const f64 radius = max(0.35 * canvas.pixels(1), 2.0);
    for (i32 k = 0; k <= runner; ++k) {
      const i32 i = runner - k;  // the runner is drawn first, so that a tagger in its cell is seen
      canvas.disc(column<i32>(world, kX)[i] + 0.5, column<i32>(world, kY)[i] + 0.5, k == 0 ? 1.2 * radius : radius,
                  k == 0 ? kRunnerColor : kTaggerColor);
    }
  }
#endif

  ENVPOOL_FN static void derive(Params& p) {
    const f64 plain[2][2] = {{-p.step_cost, p.step_cost}, {p.tag_reward, -p.tag_penalty}};
    for (int tagged = 0; tagged < 2; ++tagged) {
      for (int runner = 0; runner < 2; ++runner) {
        p.reward[tagged][runner][0] = f32(plain[tagged][runner]);
        p.reward[tagged][runner][1] = f32(plain[tagged][runner] - p.wall_penalty);
      }
    }
  }

  ENVPOOL_FN static i64 obs_size(const Params& p) { return p.full ? 4 * i64(p.players) + 1 : 6; }

  ENVPOOL_FN static void reset(World<TagGridWorld>& world, const Params& p, Rng& rng) {
    Shared& s = world.shared;
    s = {
        .players = p.players, .stride = stride_of(p.players), .steps = 0, .tagged = false, .over = false, .reward = {}};
    for (int i = 0; i < 8; ++i) s.reward[i / 4][i / 2 % 2][i % 2] = p.reward[i / 4][i / 2 % 2][i % 2];
    for (i32 i = 0; i < p.players; ++i) {
      const bool tagger = i < p.players - 1;
      i32 x = 0, y = 0;
      if (tagger) x = p.random ? 1 + i32(rng.below(u32(p.side - 1))) : p.side / 2;
      if (tagger) y = p.random ? 1 + i32(rng.below(u32(p.side - 1))) : p.side / 2;
      set_position(world, p, i, x, y);
      column<i32>(world, kOutside)[i] = 0;
    }
  }

  ENVPOOL_FN static void repair(World<TagGridWorld>& world, const Params& p) {
    Shared& s = world.shared;
    s.players = p.players;
    s.stride = stride_of(p.players);
    keep_within(s.steps, 0, 1 << 30);
    keep_bool(s.tagged);
    keep_bool(s.over);
    for (i32 i = 0; i < p.players; ++i) {
      keep_within(column<i32>(world, kX)[i], 0, p.side);
      keep_within(column<i32>(world, kY)[i], 0, p.side);
      column<i32>(world, kOutside)[i] &= 1;
    }
  }

  ENVPOOL_FN static i32 players(const World<TagGridWorld>& world) { return world.shared.players; }

  template <int kPhase>
  ENVPOOL_FN static void phase(World<TagGridWorld>& world, i32 agent, const Params& p, ActionRow actions, Rng&) {
    const i32 *x = column<i32>(world, kX), *y = column<i32>(world, kY);
    if constexpr (kPhase == 0) {
      const i32 action = *actions.at<i32>(0);
      const i32 to_x = x[agent] + (action == 1) - (action == 2), to_y = y[agent] + (action == 3) - (action == 4);
      const i32 in_x = clamp(to_x, 0, p.side), in_y = clamp(to_y, 0, p.side);
      column<i32>(world, kOutside)[agent] = in_x != to_x || in_y != to_y;
      set_position(world, p, agent, in_x, in_y);
    } else {
      const i32 runner = p.players - 1;
      column<i32>(world, kTags)[agent] = agent != runner && x[agent] == x[runner] && y[agent] == y[runner];
    }
  }

  ENVPOOL_FN static Outcome finish(World<TagGridWorld>& world, const Params& p, Rng&) {
    const i32* tags = column<i32>(world, kTags);
    i32 tagged = 0;
    for (i32 i = 0; i < p.players; ++i) tagged |= tags[i];
    world.shared.tagged = tagged != 0;
    world.shared.over = ++world.shared.steps >= p.length || tagged != 0;
    return {.terminated = world.shared.over};
  }

  ENVPOOL_FN static f32 reward(const World<TagGridWorld>& world, i32 agent) {
    const Shared& s = world.shared;
    return s.reward[s.tagged][agent == s.players - 1][column<i32>(world, kOutside)[agent]];
  }

  ENVPOOL_FN static void observe(const World<TagGridWorld>& world, const Params& p, i32 agent, Row row) {
    const i32 runner = p.players - 1;
    const f32 *x = column<f32>(world, kScaledX), *y = column<f32>(world, kScaledY);
    const f32 time = f32(world.shared.steps) / f32(p.length);
    f32* obs = row.at<f32>(kObs);
    if (p.full) {
      for (i32 i = 0; i < p.players; ++i) obs[i] = x[i];
      obs += p.players;
      for (i32 i = 0; i < p.players; ++i) obs[i] = y[i];
      obs += p.players;
      for (i32 i = 0; i < 2 * p.players; ++i) obs[i] = 0;
      obs[runner] = 1;
      obs += p.players;
      obs[agent] = 1;
      obs[p.players] = time;
    } else {
      const i32 other = agent == runner ? nearest_tagger(world) : runner;
      obs[0] = x[agent];
      obs[1] = y[agent];
      obs[2] = x[other];
      obs[3] = y[other];
      obs[4] = f32(agent == runner);
      obs[5] = time;
    }
    *row.at<i32, 1>(kId) = agent;
    *row.at<bool, 1>(kIsTagger) = agent != runner;
    *row.at<bool, 1>(kDone) = world.shared.over;
  }
  ENVPOOL_FN static void observe_world(const World<TagGridWorld>&, const Params&, Row) {}

 private:
  ENVPOOL_FN static void set_position(World<TagGridWorld>& world, const Params& p, i32 agent, i32 x, i32 y) {
    column<i32>(world, kX)[agent] = x;
    column<i32>(world, kY)[agent] = y;
    column<f32>(world, kScaledX)[agent] = f32(x) / f32(p.side);
    column<f32>(world, kScaledY)[agent] = f32(y) / f32(p.side);
  }
  ENVPOOL_FN static i32 nearest_tagger(const World<TagGridWorld>& world) {
    const i32 *x = column<i32>(world, kX), *y = column<i32>(world, kY);
    const i32 runner = world.shared.players - 1;
    i32 nearest = 0, least = 0x7FFFFFFF;
    for (i32 i = 0; i < runner; ++i) {
      const i32 dx = x[i] - x[runner], dy = y[i] - y[runner], square = dx * dx + dy * dy;
      if (square < least) nearest = i;
      least = min(least, square);
    }
    return nearest;
  }
};

}  // namespace envpool::tag
