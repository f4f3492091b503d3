// SPDX-License-Identifier: Apache-2.0
//
// The common parts of pgx's games of two players who take turns, as worlds. The action belongs to the world: it is the
// move of the player to move, which `current_player` names. The other player has no action. The rules of a game know
// seats instead of players: seat 0 moves first, and which player has it is drawn at each reset.
//
//   struct Rules {
//     static constexpr const char* kName;
//     static constexpr i32 kActions;                         // moves are numbers below kActions
//     static constexpr f32 kMostReward;                      // at least 1
//     struct Position { ... };
//     static void spec(Spec&);                               // host: adds the observation, obs(), which is the first
//                                                            // field, and the infos, whose numbers begin with kOwn
//     static void render(const Position&, i32 first, u8* rgb);          // host
//     static void begin(Position&, Rng&);                    // or BlockRng&
//     static i32 seat(const Position&);                      // the seat whose move it is, 0 or 1
//     static bool is_legal(const Position&, i32 action);
//     static void write_legal(const Position&, bool all, bool* mask);  // is_legal() of each action; or all are legal
//     static MoveResult play(Position&, i32 action);         // also plays illegal moves, as pgx does; a third
//                                                            // argument, if any, says whether the move is legal, or
//                                                            // is an Rng&
//     static void observe(const Position&, i32 seat, Row);   // what the player of a seat sees
//     static void describe(const Position&, i32 first, Row); // the infos; `first` is the player who has seat 0
//     static void repair(Position&);
//     // optional: a game with options has these, and its play() takes a third argument, `const Params&`
//     struct Params { ... };  static void options(OptionSpecs&);
//     // optional: the same as observe() of the seats `first` and 1 - `first`, what both have in common computed once
//     static void observe_both(const Position&, i32 first, Row, Row);
//     // optional
//     static constexpr bool kShortSteps = true;              // see core/table/short_steps.h
//     static constexpr f32 kIllegalReward;                   // what an illegal move loses, 1 by default
//   };
//
// An illegal move ends the game: the player who makes it gets -1, the other one 1. It is nevertheless played first, so
// that the last observation is pgx's.
//
// An environment is declared by `struct TicTacToe : Turns<TicTacToe, TicTacToeRules> {};`.
//
// S. Koyamada et al., "Pgx: hardware-accelerated parallel game simulators for reinforcement learning" (NeurIPS 2023).
// Reference: pgx 2.6.0.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/block_rng.h"
#include "envpool/pgx/bits.h"
#if ENVPOOL_HOST
#include "envpool/core/board.h"
#include "envpool/core/table/short_steps.h"
#endif

namespace envpool::pgx {

struct MoveResult {
  bool over;
  f32 reward;  // of the player in seat 0; the other one's is its negation
};

// The fields that Turns declares after the observation, and the number of the first field of the rules.
enum TurnsField : i32 { kObs, kPlayerId, kCurrentPlayer, kActionMask, kOwn };

struct NoOptions {};

// The values of the options of a game.
template <class Rules>
struct ParamsFrom {
  using Type = NoOptions;
};
template <class Rules>
  requires requires { typename Rules::Params; }
struct ParamsFrom<Rules> {
  using Type = typename Rules::Params;
};

// `Env` is the environment, which is derived from it.
template <class Env, class Rules>
struct Turns {
  static constexpr const char* kName = Rules::kName;
  static constexpr bool kLargeRows = true;
  static constexpr i32 kMaxPlayers = 2, kPhases = 1;
  static constexpr bool kShortSteps = requires { requires Rules::kShortSteps; };

  using Params = typename ParamsFrom<Rules>::Type;
  using Position = typename Rules::Position;
  struct Shared {
    Position position;
    i32 first;           // the player who has seat 0
    i32 current_player;  // whose move it is
    f32 reward;          // of player 0 in the last step
    bool over;           // all moves are then legal, as in pgx, so that a policy can divide by the sum of the mask
  };
  struct Agent {
    i32 action;  // of player 0: the world's action of this step
  };
  using World = envpool::World<Env>;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    if constexpr (requires { Rules::options(o); }) Rules::options(o);
  }
  static void spec(const Params&, Spec& s) {
    s.reward_low = -Rules::kMostReward;
    s.reward_high = Rules::kMostReward;
    Rules::spec(s);
    std::vector<FieldSpec> own(s.fields.begin() + 1, s.fields.end());
    s.fields.resize(1);
    s.is_info.resize(1);
    s.info<i32>("players.id").categories(kMaxPlayers).per_player().doc("number of the player");
    s.info<i32>("current_player").categories(kMaxPlayers).doc("the player to move, who makes the world's next move");
    s.info<bool>("action_mask", {Rules::kActions}).doc("legal moves of the player to move; all after the end");
    for (FieldSpec& field : own) {
      s.fields.push_back(std::move(field));
      s.is_info.push_back(true);
    }
  }
  static void state_parts(StateParts<Shared>& parts) { parts.add("current_player", &Shared::current_player); }
  static void render(const World& world, const Params&, u8* rgb) {
    Rules::render(world.shared.position, world.shared.first, rgb);
  }
#endif

  ENVPOOL_FN static void reset(World& world, const Params&, Rng& rng) {
    Shared& s = world.shared;
    BlockRng draws(rng);
    if constexpr (requires { Rules::begin(s.position, draws); }) {
      Rules::begin(s.position, draws);
    } else {
      Rules::begin(s.position, rng);
    }
    s.first = i32(draws.below(2));
    s.current_player = s.first ^ Rules::seat(s.position);
    s.reward = 0;
    s.over = false;
    world.agent[0].action = world.agent[1].action = 0;
  }

  ENVPOOL_FN static i32 players(const World&) { return kMaxPlayers; }

  template <int kPhase>
  ENVPOOL_FN static void phase(World& world, i32 agent, const Params&, ActionRow action, Rng&) {
    if (agent == 0) world.agent[0].action = *action.at<i32>(0);
  }

  ENVPOOL_FN static Outcome finish(World& world, const Params& params, Rng& rng) {
    Shared& s = world.shared;
    const i32 action = world.agent[0].action, mover = s.current_player;
    const bool legal = Rules::is_legal(s.position, action);
    const MoveResult result = play(s.position, action, legal, params, rng);
    s.current_player = s.first ^ Rules::seat(s.position);
    // A branch on which player has which seat would be mispredicted. The sum turns -0 into 0.
    const f32 played = result.reward * f32(1 - 2 * s.first) + 0.0f;
    s.reward = legal ? played : kIllegalReward * f32(2 * mover - 1);
    s.over = result.over || !legal;
    return {.terminated = s.over};
  }

  ENVPOOL_FN static f32 reward(const World& world, i32 agent) {
    return agent == 0 ? world.shared.reward : 0.0f - world.shared.reward;
  }

  ENVPOOL_FN static void repair(World& world, const Params&) {
    Shared& s = world.shared;
    Rules::repair(s.position);
    s.first &= 1;
    s.current_player = s.first ^ Rules::seat(s.position);
    keep_bool(s.over);
  }

  ENVPOOL_FN static void observe(const World& world, const Params&, i32 agent, Row row) {
    Rules::observe(world.shared.position, world.shared.first ^ agent, row);
    *row.at<i32, 1>(kPlayerId) = agent;
  }
  ENVPOOL_FN static void observe_world(const World& world, const Params&, Row row) {
    describe(world.shared, world.shared.position, row);
  }

  ENVPOOL_FN static void observe_all(const World& world, const Params&, Row row) {
    const Shared& s = world.shared;
    Row zero = row, one = row;  // of both players
    zero.row = 2 * row.row;
    one.row = zero.row + 1;
    *zero.at<i32, 1>(kPlayerId) = 0;
    *one.at<i32, 1>(kPlayerId) = 1;
    if constexpr (!requires { Rules::observe_both(s.position, s.first, zero, one); }) {
      Rules::observe(s.position, s.first, zero);
      Rules::observe(s.position, s.first ^ 1, one);
      describe(s, s.position, row);
    } else if constexpr (sizeof(Position) > 32) {
      Rules::observe_both(s.position, s.first, zero, one);
      describe(s, s.position, row);
    } else {
      const Position copy = s.position;  // The compiler would load the position again after each write to a row.
      Rules::observe_both(copy, s.first, zero, one);
      describe(s, copy, row);
    }
  }

 private:
  static constexpr f32 kIllegalReward = [] {
    if constexpr (requires { Rules::kIllegalReward; }) return Rules::kIllegalReward;
    return 1.0f;
  }();

  ENVPOOL_FN static void describe(const Shared& s, const Position& position, Row row) {
    *row.at<i32, 1>(kCurrentPlayer) = s.current_player;
    Rules::write_legal(position, s.over, row.at<bool, Rules::kActions>(kActionMask));
    Rules::describe(position, s.first, row);
  }

  ENVPOOL_FN static MoveResult play(Position& position, i32 action, bool legal, const Params& params, Rng& rng) {
    if constexpr (requires { Rules::play(position, action, params); }) {
      return Rules::play(position, action, params);
    } else if constexpr (requires { Rules::play(position, action, rng); }) {
      return Rules::play(position, action, rng);
    } else if constexpr (requires { Rules::play(position, action, legal); }) {
      return Rules::play(position, action, legal);
    } else {
      return Rules::play(position, action);
    }
  }
};

}  // namespace envpool::pgx
