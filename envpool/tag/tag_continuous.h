// SPDX-License-Identifier: Apache-2.0
//
// TagContinuous: taggers chase runners in a square; all players turn and accelerate.
//
//   Players      num_taggers + num_runners; the number is constant, because players that left the game keep their rows
//   Action       i32[2] per player: level of acceleration 0..num_acceleration_levels, level of turn 0..num_turn_levels.
//                Level 0 changes nothing; the other levels are evenly spaced from the least to the greatest value.
//                Changes add up over steps
//   Observation  f32 per player. The observed players are all others, in order of their numbers, or with
//                use_full_observation=False the num_other_agents_observed nearest players in the game, nearest first
//                (with zeros if there are fewer). The observation consists of their x, their y (both divided by the
//                diagonal), their speeds, their accelerations (both divided by max_speed), their directions (divided
//                by a full turn), each minus the player's own; 1 or 0 for each of them, which says whether it is a
//                tagger; 1 or 0 for each of them, which says whether it is in the game; and steps / episode_length. A
//                player that has left the game observes zeros, except that with full observation it still sees who is
//                a tagger and who is in the game
//   Reward       each player in the game gets edge_hit_penalty at the border, and step_penalty_for_tagger or
//                step_reward_for_runner. If a runner is nearer to a tagger than tagging_distance * grid_length, the
//                runner gets tag_penalty_for_runner, and its nearest tagger (the first of equally near ones) gets
//                tag_reward_for_tagger; with runner_exits_game_after_tagged, the runner leaves the game. Each runner
//                in the game after episode_length steps gets end_of_game_reward_for_runner
//   Terminated   when no runner is left, or after episode_length steps (the time is in the observation)
//   Info         players.id, players.is_tagger, players.done
//   Reset        the taggers are chosen at random, or with shuffle_roles=False they are the first num_taggers players.
//                Positions are uniformly random in the square, and each direction is one of the four along its sides.
//                All players are at rest
//   Image        taggers are red, each in a disc within which it tags; runners are blue, and gray when they have left
//                the game
//
// The observation of a step shows the world before its tags: a runner that is tagged in this step still observes, and
// others observe it as in the game.
//
// T. Lan et al., "WarpDrive: extremely fast end-to-end deep multi-agent reinforcement learning on a GPU",
// arXiv 2108.13976. Reference: the Python code of warp_drive 2.7.1, example_envs/tag_continuous, in float32. In
// WarpDrive, all resets return to the state that the constructor drew. In this environment, each reset draws a new
// state in the same way.
#pragma once

#include "envpool/core/api.h"
#include "envpool/tag/candidates.h"
#include "envpool/tag/columns.h"
#include "envpool/tag/nearest.h"
#if ENVPOOL_HOST
#include "envpool/tag/canvas.h"
#endif

namespace envpool::tag {

// The values of the levels of an action. Level 0 has the value 0, and levels 1..count are evenly spaced from `low` to
// `last`.
struct Levels {
  f64 low, step;
  f32 last;
  i32 count;

  ENVPOOL_FN static Levels between(f32 low, f32 high, i32 count) {
    return {low, count > 1 ? (f64(high) - f64(low)) / (count - 1) : 0, count > 1 ? high : low, count};
  }
  ENVPOOL_FN f32 operator[](i32 level) const {
    if (level <= 0) return 0;
    return level >= count ? last : f32(f64(level - 1) * step + low);
  }
};

struct TagContinuous {
  static constexpr const char* kName = "TagContinuous";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kMaxPlayers = 1024, kPhases = 2;
  static constexpr f32 kTurn = 2 * f32(kPi);
#ifdef __CUDACC__
  static constexpr bool kUseSimd = false;  // On a device, each agent has a thread that searches all others.
#else
  static constexpr bool kUseSimd = true;
#endif

  struct Params {
    i32 taggers, players, length;
    i32 observed;  // the number of other players that a player observes
    bool full, exits, shuffled;
    i32 acceleration_levels, turn_levels;
    f32 side, max_speed, max_acceleration, min_acceleration, max_turn, min_turn;
    f32 skill[2], step_reward[2];  // by role: runner, tagger
    f32 edge_penalty, tag_reward, tag_penalty, end_reward;
    f64 tagging_distance;
    // Derived:
    f32 diagonal, margin, speed_scale;
    f32 top_speed[2];  // by role
    Levels acceleration, turn;
  };
  struct Shared {
    i32 players, stride, steps, runners;
    bool over;
  };
  // The first columns have an element for each player. kVisible and kInGame say, as 1 or 0, whether the player was in
  // the game before and after the tags of the last step. Observations contain differences of kScaled and the next four
  // columns.
  enum Column {
    kX,
    kY,
    kSpeed,
    kAcceleration,
    kDirection,
    kScaled,
    kTagger = kScaled + 5,
    kVisible,
    kInGame,
    kReward,
    kTaggedBy,
    // These columns have an element for each tagger, in order of numbers; kRank is a tagger's index in this order.
    kRank,
    kTaggerX,
    kTaggerY,
    kTaggerNumber,
    // In these columns, a CPU finds the nearest players. They have an element for each visible player, in order of the
    // cells of a grid.
    kCellX,
    kCellY,
    kCellNumber,
    kCellIndex,
    kIndex  // an Index and the places at which the cells begin
  };
  // The beginning of kIndex. In memory, it is followed by the place in the columns at which each cell begins.
  struct Index {
    i32 visible, cells_per_side;  // players that observations show as in the game; cells of the grid that sorts them
  };
  enum Field { kObs, kId, kIsTagger, kDone };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    constexpr f64 kLarge = 1e6;
    o.integer("num_taggers", 1, "number of players that chase")
        .between(1, kMaxPlayers - 1)
        .changes_shapes()
        .sets(&Params::taggers);
    o.integer("num_runners", 10, "number of players that are chased").between(1, kMaxPlayers - 1).changes_shapes();
    o.real("grid_length", 10.0, "length of the square's side").between(1e-3, kLarge).sets(&Params::side);
    o.integer("episode_length", 100, "steps after which an episode ends").between(1, 1e9).sets(&Params::length);
    o.real("max_speed", 1.0, "maximum speed, length per step, of a player of skill level 1")
        .between(0, kLarge)
        .sets(&Params::max_speed);
    o.real("skill_level_runner", 1.0, "maximum speed of a runner, divided by max_speed")
        .between(0, kLarge)
        .sets(&Params::skill, 0);
    o.real("skill_level_tagger", 1.0, "maximum speed of a tagger, divided by max_speed")
        .between(0, kLarge)
        .sets(&Params::skill, 1);
    o.real("max_acceleration", 1.0, "change of acceleration of the last level")
        .between(-kLarge, kLarge)
        .sets(&Params::max_acceleration);
    o.real("min_acceleration", -1.0, "change of acceleration of level 1")
        .between(-kLarge, kLarge)
        .sets(&Params::min_acceleration);
    o.real("max_turn", kPi / 2, "turn of the last level, in radians").between(-kLarge, kLarge).sets(&Params::max_turn);
    o.real("min_turn", -kPi / 2, "turn of level 1, in radians").between(-kLarge, kLarge).sets(&Params::min_turn);
    o.integer("num_acceleration_levels", 10, "number of levels other than 0")
        .between(0, kLarge)
        .changes_shapes()
        .sets(&Params::acceleration_levels);
    o.integer("num_turn_levels", 10, "number of levels other than 0")
        .between(0, kLarge)
        .changes_shapes()
        .sets(&Params::turn_levels);
    o.real("edge_hit_penalty", 0.0, "reward for hitting the border").between(-kLarge, 0).sets(&Params::edge_penalty);
    o.boolean("use_full_observation", true, "observe all other players instead of the nearest ones")
        .changes_shapes()
        .sets(&Params::full);
    o.integer("num_other_agents_observed", 2, "number of nearest players observed without use_full_observation")
        .between(0, kMaxPlayers)
        .changes_shapes();
    o.real("tagging_distance", 0.01, "distance at which a tagger tags a runner, divided by grid_length")
        .between(0, 1)
        .sets(&Params::tagging_distance);
    o.real("tag_reward_for_tagger", 1.0, "reward for each tagged runner").between(0, kLarge).sets(&Params::tag_reward);
    o.real("step_penalty_for_tagger", 0.0, "reward of a tagger for each step")
        .between(-kLarge, 0)
        .sets(&Params::step_reward, 1);
    o.real("tag_penalty_for_runner", -1.0, "reward for being tagged").between(-kLarge, 0).sets(&Params::tag_penalty);
    o.real("step_reward_for_runner", 0.0, "reward of a runner for each step in the game")
        .between(0, kLarge)
        .sets(&Params::step_reward, 0);
    o.real("end_of_game_reward_for_runner", 1.0, "reward for being in the game after episode_length steps")
        .between(0, kLarge)
        .sets(&Params::end_reward);
    o.boolean("runner_exits_game_after_tagged", true,
              "a tagged runner leaves the game; otherwise it can be tagged again")
        .sets(&Params::exits);
    o.boolean("shuffle_roles", true, "draw the taggers at each reset; otherwise they are the first players")
        .sets(&Params::shuffled);
  }
  static Params params(const OptionValues& v) {
    Params p{};
    p.players = i32(v.integer("num_taggers") + v.integer("num_runners"));
    p.observed = v.boolean("use_full_observation") ? p.players - 1 : i32(v.integer("num_other_agents_observed"));
    if (p.players > kMaxPlayers) {
      throw std::invalid_argument("num_taggers + num_runners: expected at most " + std::to_string(kMaxPlayers) +
                                  ", got " + std::to_string(p.players));
    }
    if (p.observed > p.players) {
      throw std::invalid_argument("num_other_agents_observed: expected at most " + std::to_string(p.players) +
                                  ", the number of players, got " + std::to_string(p.observed));
    }
    return p;
  }
  static i64 extra_bytes(const Params& p) {
    return i64(sizeof(f32)) * i64(kCellX) * stride_of(p.players) + derived_bytes(p);
  }
  static i64 derived_bytes(const Params& p) {
    if (p.full) return 0;
    const i64 side = Cells::per_side_for(p.players, p.observed);
    return i64(sizeof(f32)) * (i64(kIndex - kCellX) * stride_of(p.players) + side * side + 1) + i64(sizeof(Index));
  }
  static void spec(const Params& p, Spec& s) {
    s.max_players = p.players;
    s.obs<f32>("obs", {7 * i64(p.observed) + 1})
        .per_player()
        .doc("the other players relative to the player, and the time");
    s.info<i32>("players.id").bounds(0, p.players - 1).per_player().doc("index of the player in its world");
    s.info<bool>("players.is_tagger").per_player().doc("whether the player is a tagger");
    s.info<bool>("players.done").per_player().doc("whether the player has left the game or the episode is over");
    s.action<i32>("action", {2})
        .categories({i64(p.acceleration.count) + 1, i64(p.turn.count) + 1})
        .per_player()
        .doc("levels of acceleration and of turn");
    const f64 runners = p.players - p.taggers;
    s.reward_low = f64(p.edge_penalty) + min(f64(p.step_reward[1]), f64(p.tag_penalty));
    s.reward_high = max(f64(p.tag_reward) * runners, f64(p.step_reward[0]) + f64(p.end_reward));
    s.render_height = s.render_width = SquareCanvas::kPixels;
  }
  static void state_parts(StateParts<Shared>& parts) { parts.add("runners", &Shared::runners); }
  static void render(const World<TagContinuous>& world, const Params& p, u8* rgb) {
    SquareCanvas canvas(rgb, p.side);
    canvas.lines(1, kLineColor);
    const f32 *x = column<f32>(world, kX), *y = column<f32>(world, kY);
    const f32 *tagger = column<f32>(world, kTagger), *in_game = column<f32>(world, kInGame);
    const f64 reach = canvas.pixels(f64(p.margin)), radius = p.players > 100 ? 3 : 6;
    // Taggers are drawn over runners, and both over the discs within which taggers tag.
    for (int layer = 0; layer < 4; ++layer) {
      for (i32 i = 0; i < world.shared.players; ++i) {
        const bool tags = tagger[i] != 0, left = in_game[i] == 0;
        if (tags && layer == 0) canvas.disc(x[i], y[i], reach, kReachColor);
        if (!tags && layer == (left ? 1 : 2)) canvas.disc(x[i], y[i], radius, left ? kTaggedColor : kRunnerColor);
        if (tags && layer == 3) canvas.disc(x[i], y[i], radius, kTaggerColor);
      }
    }
  }
#endif

  ENVPOOL_FN static void derive(Params& p) {
    p.diagonal = f32(f64(p.side) * sqrt(2.0));
    p.margin = f32(p.tagging_distance * f64(p.side));
    p.speed_scale = p.max_speed + 1e-10f;
    for (int role = 0; role < 2; ++role) p.top_speed[role] = p.max_speed * p.skill[role];
    p.acceleration = Levels::between(p.min_acceleration, p.max_acceleration, p.acceleration_levels);
    p.turn = Levels::between(p.min_turn, p.max_turn, p.turn_levels);
  }

  ENVPOOL_FN static void reset(World<TagContinuous>& world, const Params& p, Rng& rng) {
    world.shared = {.players = p.players,
                    .stride = stride_of(p.players),
                    .steps = 0,
                    .runners = p.players - p.taggers,
                    .over = false};
    const Agents a(world);
    i32 taggers = 0;
    for (i32 i = 0; i < p.players; ++i) {
      const i32 wanted = p.taggers - taggers;
      const bool tagger = p.shuffled ? i32(rng.below(u32(p.players - i))) < wanted : wanted > 0;
      a.of<f32>(kTagger)[i] = f32(tagger);
      a.of<i32>(kRank)[i] = taggers;
      if (tagger) a.of<i32>(kTaggerNumber)[taggers++] = i;
      a.of<f32>(kX)[i] = f32(f64(p.side) * rng.uniform());
      a.of<f32>(kY)[i] = f32(f64(p.side) * rng.uniform());
      a.of<f32>(kDirection)[i] = f32(f64(rng.below(4)) * (kPi / 2));
      a.of<f32>(kSpeed)[i] = a.of<f32>(kAcceleration)[i] = a.of<f32>(kReward)[i] = 0;
      a.of<f32>(kVisible)[i] = a.of<f32>(kInGame)[i] = 1;
      a.of<i32>(kTaggedBy)[i] = -1;
      scale(a, p, i);
    }
    sort_into_cells(world, p);
  }

  ENVPOOL_FN static void repair(World<TagContinuous>& world, const Params& p) {
    Shared& s = world.shared;
    s.players = p.players;
    s.stride = stride_of(p.players);
    keep_within(s.steps, 0, 1 << 30);
    keep_within(s.runners, 0, p.players);
    keep_bool(s.over);
    const Agents a(world);
    for (i32 i = 0; i < p.players; ++i) {
      keep_within(a.of<f32>(kX)[i], 0.0f, p.side);
      keep_within(a.of<f32>(kY)[i], 0.0f, p.side);
      // If one of these values were not finite, a step could result in a position that is NaN and lies in no cell.
      keep_within(a.of<f32>(kSpeed)[i], 0.0f, max(p.top_speed[0], p.top_speed[1]));
      keep_within(a.of<f32>(kAcceleration)[i], -1e30f, 1e30f);
      keep_within(a.of<f32>(kDirection)[i], 0.0f, kTurn);
      for (const Column flag : {kTagger, kVisible, kInGame}) a.of<f32>(flag)[i] = a.of<f32>(flag)[i] != 0 ? 1 : 0;
      keep_within(a.of<i32>(kTaggedBy)[i], -1, p.players - 1);
      keep_within(a.of<i32>(kRank)[i], 0, p.taggers);
      keep_within(a.of<i32>(kTaggerNumber)[i], 0, p.players - 1);
    }
    sort_into_cells(world, p);
  }

  ENVPOOL_FN static i32 players(const World<TagContinuous>& world) { return world.shared.players; }

  template <int kPhase>
  ENVPOOL_FN static void phase(World<TagContinuous>& world, i32 agent, const Params& p, ActionRow actions, Rng&) {
    const Agents a(world);
    if constexpr (kPhase == 0) {
      move(a, p, agent, actions.at<i32, 2>(0));
    } else {
      find_tagger(a, p, agent);
    }
  }

  ENVPOOL_FN static Outcome finish(World<TagContinuous>& world, const Params& p, Rng&) {
    Shared& s = world.shared;
    const Agents a(world);
    f32 *reward = a.of<f32>(kReward), *in_game = a.of<f32>(kInGame);
    const i32* tagged_by = a.of<i32>(kTaggedBy);
    for (i32 i = 0; i < p.players; ++i) {
      if (tagged_by[i] < 0) continue;
      reward[tagged_by[i]] += p.tag_reward;
      if (!p.exits) continue;
      in_game[i] = 0;
      --s.runners;
    }
    if (++s.steps >= p.length) {
      const f32* tagger = a.of<f32>(kTagger);
      for (i32 i = 0; i < p.players; ++i) reward[i] += tagger[i] == 0 && in_game[i] != 0 ? p.end_reward : 0.0f;
    }
    s.over = s.steps >= p.length || s.runners == 0;
    sort_into_cells(world, p);
    return {.terminated = s.over};
  }

  ENVPOOL_FN static f32 reward(const World<TagContinuous>& world, i32 agent) {
    return column<f32>(world, kReward)[agent];
  }

  ENVPOOL_FN static void observe(const World<TagContinuous>& world, const Params& p, i32 agent, Row row) {
    const f32 time = f32(world.shared.steps) / f32(p.length);
    f32* obs = row.at<f32>(kObs);
    if (p.full) {
      observe_all(world, p, agent, obs, time);
    } else {
      observe_nearest(world, p, agent, obs, time);
    }
    *row.at<i32, 1>(kId) = agent;
    *row.at<bool, 1>(kIsTagger) = column<f32>(world, kTagger)[agent] != 0;
    *row.at<bool, 1>(kDone) = world.shared.over || column<f32>(world, kInGame)[agent] == 0;
  }
  ENVPOOL_FN static void observe_world(const World<TagContinuous>&, const Params&, Row) {}

 private:
  // The writable columns of a world.
  struct Agents {
    f32* const base;
    const i64 stride;
    ENVPOOL_ALWAYS_INLINE explicit Agents(World<TagContinuous>& world)
        : base(column<f32>(world, 0)), stride(world.shared.stride) {}
    template <class T>
    ENVPOOL_ALWAYS_INLINE T* of(i64 number) const {
      return reinterpret_cast<T*>(base + number * stride);
    }
  };

  // Returns the angle modulo a full turn, like Python's %, in float32.
  ENVPOOL_ALWAYS_INLINE static f32 wrap_angle(f32 angle) {
    if (angle >= 2 * kTurn || angle <= -kTurn) angle = fmod(angle, kTurn);
    if (angle >= kTurn) return angle - kTurn;
    return angle < 0 ? angle + kTurn : angle;
  }

  ENVPOOL_ALWAYS_INLINE static void move(const Agents& a, const Params& p, i32 i, const i32* action) {
    const f32 in_game = a.of<f32>(kInGame)[i];
    const bool tagger = a.of<f32>(kTagger)[i] != 0;
    const f32 top = p.top_speed[tagger];
    const f32 acceleration = a.of<f32>(kAcceleration)[i] + p.acceleration[action[0]];
    const f32 direction = wrap_angle(a.of<f32>(kDirection)[i] + p.turn[action[1]]) * in_game;
    const f32 speed = clamp(a.of<f32>(kSpeed)[i] + acceleration, 0.0f, top) * in_game;
    const auto [sin, cos] = sincos(direction);
    const f32 to_x = a.of<f32>(kX)[i] + speed * cos, to_y = a.of<f32>(kY)[i] + speed * sin;
    const f32 x = clamp(to_x, 0.0f, p.side), y = clamp(to_y, 0.0f, p.side);
    a.of<f32>(kSpeed)[i] = speed;
    a.of<f32>(kAcceleration)[i] = speed > 0 && speed < top ? acceleration : 0.0f;
    a.of<f32>(kDirection)[i] = direction;
    a.of<f32>(kX)[i] = x;
    a.of<f32>(kY)[i] = y;
    a.of<f32>(kVisible)[i] = in_game;
    const f32 edge = x != to_x || y != to_y ? p.edge_penalty : 0.0f;
    a.of<f32>(kReward)[i] = in_game != 0 ? edge + p.step_reward[tagger] : 0.0f;
    if (tagger) {
      const i32 rank = a.of<i32>(kRank)[i];
      a.of<f32>(kTaggerX)[rank] = x;
      a.of<f32>(kTaggerY)[rank] = y;
    }
    scale(a, p, i);
  }

  ENVPOOL_ALWAYS_INLINE static void scale(const Agents& a, const Params& p, i32 i) {
    a.of<f32>(kScaled)[i] = a.of<f32>(kX)[i] / p.diagonal;
    a.of<f32>(kScaled + 1)[i] = a.of<f32>(kY)[i] / p.diagonal;
    a.of<f32>(kScaled + 2)[i] = a.of<f32>(kSpeed)[i] / p.speed_scale;
    a.of<f32>(kScaled + 3)[i] = a.of<f32>(kAcceleration)[i] / p.speed_scale;
    a.of<f32>(kScaled + 4)[i] = a.of<f32>(kDirection)[i] / kTurn;
  }

  // The bits of squared distances, which have the same order, are compared, so that the loop can be vectorized.
  ENVPOOL_FN static void find_tagger(const Agents& a, const Params& p, i32 i) {
    i32& tagged_by = a.of<i32>(kTaggedBy)[i];
    tagged_by = -1;
    if (a.of<f32>(kTagger)[i] != 0 || a.of<f32>(kInGame)[i] == 0) return;
    const f32 *tagger_x = a.of<f32>(kTaggerX), *tagger_y = a.of<f32>(kTaggerY);
    const f32 x = a.of<f32>(kX)[i], y = a.of<f32>(kY)[i];
    const auto square = [=](i32 t) {
      const f32 dx = x - tagger_x[t], dy = y - tagger_y[t];
      return dx * dx + dy * dy;
    };
    i32 least = i32(math::bits(math::infinity<f32>()));
    for (i32 t = 0; t < p.taggers; ++t) least = min(least, i32(math::bits(square(t))));
    const f32 distance = sqrt(math::real<f32>(u32(least)));
    if (!(distance < p.margin)) return;
    i32 t = 0;
    while (sqrt(square(t)) != distance) ++t;
    tagged_by = a.of<i32>(kTaggerNumber)[t];
    a.of<f32>(kReward)[i] += p.tag_penalty;
  }

  // With at most this many players, SIMD costs more than it saves.
  static constexpr i32 kMaxScalarPlayers = 12;

  ENVPOOL_FN static void observe_all(const World<TagContinuous>& world, const Params& p, i32 agent, f32* obs,
                                     f32 time) {
    const f32 visible = column<f32>(world, kVisible)[agent];
    if (p.players <= kMaxScalarPlayers && visible != 0) {
      const f32* const scaled = column<f32>(world, kScaled);
      const i64 stride = world.shared.stride;
      const i32 k = p.observed;
      for (i32 j = 0; j < k; ++j) {
        const f32* const other = scaled + j + (j >= agent);
        for (i32 c = 0; c < 5; ++c) obs[c * k + j] = other[c * stride] - scaled[c * stride + agent];
        for (i32 c = 5; c < 7; ++c) obs[c * k + j] = other[c * stride];
      }
      obs[7 * k] = time;
      return;
    }
    for (i32 c = kScaled; c <= kVisible; ++c) {
      const f32* __restrict from = column<f32>(world, c);
      f32* __restrict to = obs + (c - kScaled) * p.observed;
      const bool difference = c < kTagger;
      const f32 own = difference ? from[agent] : 0.0f, weight = difference ? visible : 1.0f;
      if (weight == 0) {
        for (i32 j = 0; j < p.observed; ++j) to[j] = 0;
        continue;
      }
      for (i32 j = 0; j < agent; ++j) to[j] = from[j] - own;
      for (i32 j = agent + 1; j < p.players; ++j) to[j - 1] = from[j] - own;
    }
    obs[7 * p.observed] = time * visible;
  }

  ENVPOOL_FN static void observe_nearest(const World<TagContinuous>& world, const Params& p, i32 agent, f32* obs,
                                         f32 time) {
    const f32 *scaled = column<f32>(world, kScaled), *visible = column<f32>(world, kVisible);
    const i64 stride = world.shared.stride;
    const i32 k = p.observed;
    const auto write = [&](i32 index, i32 other) {
      for (i32 c = 0; c < 5; ++c) obs[c * k + index] = scaled[c * stride + other] - scaled[c * stride + agent];
      obs[5 * k + index] = scaled[5 * stride + other];
      obs[6 * k + index] = 1;
    };
    i32 found = 0;
    if (visible[agent] != 0 && k > 0) {
      if (kUseSimd && k <= Candidates::kMaxNearest) {
        i32 nearest[Candidates::kMaxNearest];
        found = nearest_on_host(world, p, agent, nearest);
        for (i32 n = 0; n < found; ++n) write(n, nearest[n]);
      } else {
        // The row of the observation is used as memory for the candidates.
        Nearest nearest(obs, obs + k, k);
        offer_others(world, p, agent, nearest);
        found = nearest.size();
        for (i32 n = 0; n < found; ++n) write(n, nearest.number(n));
      }
    }
    for (i32 c = 0; found < k && c < 7; ++c) {
      for (i32 n = found; n < k; ++n) obs[c * k + n] = 0;
    }
    obs[7 * k] = time * visible[agent];
  }

  ENVPOOL_FN static void offer_others(const World<TagContinuous>& world, const Params& p, i32 agent, Nearest& nearest) {
    const f32 *x = column<f32>(world, kX), *y = column<f32>(world, kY), *visible = column<f32>(world, kVisible);
    for (i32 i = 0; i < p.players; ++i) {
      const f32 dx = x[i] - x[agent], dy = y[i] - y[agent], square = dx * dx + dy * dy;
      if (square <= nearest.limit() && i != agent && visible[i] != 0) nearest.offer(square, i);
    }
    nearest.sort();
  }
  ENVPOOL_FN static i32 nearest_on_host(const World<TagContinuous>& world, const Params& p, i32 agent, i32* nearest) {
    if (index_of(world).cells_per_side > 0) return cells_of(world, p).nearest(agent, p.observed, nearest);
    const f32 *x = column<f32>(world, kX), *y = column<f32>(world, kY), *visible = column<f32>(world, kVisible);
    Candidates candidates(x[agent], y[agent]);
    candidates.add_all(x, y, visible, p.players, index_of(world).visible);
    candidates.remove(agent);
    const f32 guess = p.side * p.side * f32(p.observed + 2 + p.observed / 4) / (3.2f * f32(p.players));
    return candidates.choose(p.observed, guess, nearest);
  }
  ENVPOOL_FN static const Index& index_of(const World<TagContinuous>& world) {
    return *reinterpret_cast<const Index*>(column<i32>(world, kIndex));
  }
  ENVPOOL_FN static Cells cells_of(const World<TagContinuous>& world, const Params& p) {
    World<TagContinuous>& it = const_cast<World<TagContinuous>&>(world);
    return {p.side,
            index_of(world).cells_per_side,
            column<i32>(it, kIndex) + sizeof(Index) / sizeof(i32),
            column<f32>(it, kCellX),
            column<f32>(it, kCellY),
            column<i32>(it, kCellNumber),
            column<i32>(it, kCellIndex)};
  }
  ENVPOOL_FN static void sort_into_cells(World<TagContinuous>& world, const Params& p) {
    if (!kUseSimd || p.full) return;
    const Agents a(world);
    i32 visible = 0;
    for (i32 i = 0; i < p.players; ++i) visible += a.of<f32>(kVisible)[i] != 0;
    Index& index = *reinterpret_cast<Index*>(a.of<i32>(kIndex));
    index = {.visible = visible, .cells_per_side = Cells::per_side_for(visible, p.observed)};
    if (index.cells_per_side == 0) return;
    cells_of(world, p).sort(a.of<f32>(kX), a.of<f32>(kY), a.of<f32>(kVisible), p.players);
  }
};

}  // namespace envpool::tag
