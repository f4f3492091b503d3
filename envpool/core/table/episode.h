// SPDX-License-Identifier: Apache-2.0
//
// The rules of episodes: how one begins, how steps are counted, when the time limit truncates an episode, how its end
// affects the discount, and which random stream each agent of a world uses. A turn (turn.h) applies them in order, in a
// pool, in a pure function and on a GPU, so that each rule is implemented once. NVRTC compiles this file, so it
// includes no standard header.
//
// conclude() marks an episode as over. What follows depends on the caller's autoreset mode:
//   next-step   the next step begins the next episode instead of stepping;
//   same-step   the caller observes the last state, calls begin() and the environment's reset(), and observes again;
//   disabled    the episode stays over until a reset. The pool refuses to step it; a pure function returns kStaysOver.
#pragma once

#include "envpool/core/env.h"
#include "envpool/core/math/repair.h"
#include "envpool/core/math/rng.h"

namespace envpool {

// The progress of an environment through its episode, and its generator. Part of a snapshot.
struct Episode {
  Rng rng;
  u32 number = 0;    // resets so far
  i32 elapsed = 0;   // steps since the last reset
  u32 tag = 0;       // in states that the caller holds (pure.h): identifies the model
  bool over = true;  // no episode is in progress
  u16 players = 0;   // in worlds that the caller holds: the number of players, for users to read

  ENVPOOL_ALWAYS_INLINE void repair() { keep_bool(over); }

  // Selects the generator. The next reset begins its episode 0.
  ENVPOOL_ALWAYS_INLINE void seed(u64 seed, u32 stream) {
    rng.seed = seed;
    rng.stream = stream;
    number = 0;
  }
  // Begins the next episode. begin_episode() calls it.
  ENVPOOL_ALWAYS_INLINE void begin() {
    rng.begin_episode(number++);
    elapsed = 0;
    over = false;
  }
  // Counts a step, unless `stepped` is false. Returns whether the time limit truncates the episode; 0 means no limit.
  ENVPOOL_ALWAYS_INLINE bool count_step(i32 limit, bool stepped = true) {
    count_up(elapsed, stepped);
    return stepped & (limit > 0) & (elapsed >= limit);
  }
  // Applies the time limit and the discount to the outcome of a step. Returns whether the episode ended. Pass false for
  // `stepped` if the environment was reset or its episode was over already; then no step is counted.
  ENVPOOL_ALWAYS_INLINE bool conclude(Outcome& outcome, i32 limit, bool stepped = true) {
    outcome.truncated |= count_step(limit, stepped);
    outcome.discount = outcome.terminated ? 0 : outcome.discount;
    over = outcome.terminated | outcome.truncated;
    return over;
  }
  // Returns the generator of an agent in one phase of this step. Each agent has its own stream, whose position depends
  // only on the step and the phase. Each phase may draw up to 256 words.
  template <int kPhases>
  ENVPOOL_ALWAYS_INLINE Rng agent_rng(i32 agent, int phase) const {
    Rng own = rng;
    own.agent = u32(agent) + 1;
    own.draws = (u64(elapsed) * kPhases + phase) << 8;
    return own;
  }
};

// Begins the next episode of an environment. Its reset() follows. A game of several lives may go on in the next
// episode; its steps are then counted on, so that the time limit applies to the game.
template <class Env>
ENVPOOL_ALWAYS_INLINE void begin_episode(Episode& episode, StateOf<Env>& state, i32 limit) {
  i32 elapsed = 0;
  if constexpr (requires { Env::game_continues(state, true); }) {
    const bool may_continue = episode.number > 0 && (limit <= 0 || episode.elapsed < limit);
    if (Env::game_continues(state, may_continue)) elapsed = episode.elapsed;
  }
  episode.begin();
  episode.elapsed = elapsed;
}

// The memory layout of an environment: in a pool, in a state that the caller holds, on a device and in a snapshot. The
// environment's extra bytes follow.
template <class State>
struct EnvSlot {
  Episode episode;
  State state;
};

// Returns the distance between slots in bytes if `extra` bytes follow each state.
template <class State>
ENVPOOL_FN constexpr i64 slot_bytes(i64 extra) {
  return (i64(sizeof(EnvSlot<State>)) + extra + 15) / 16 * 16;
}

// The outcome of a step whose episode is over already, if autoreset is disabled.
inline constexpr Outcome kStaysOver{.terminated = true};

// The position of a row within its episode. The values are the same as in dm_env.
enum class StepType : i32 { kFirst = 0, kMid = 1, kLast = 2 };

// The columns that all environments have. Row k of a per-player column begins at k * max_players.
struct ResultColumns {
  f32 *reward, *discount;
  u8 *terminated, *truncated;
  i32 *step_type, *env_id, *elapsed, *players;

  // Writes a row, except for the per-player columns. `kHeld` says whether the caller holds the states; there are then
  // no columns of step types and environments, and one of players only in worlds.
  template <bool kHeld = false>
  ENVPOOL_ALWAYS_INLINE void write(i64 row, i32 environment, i32 steps, const Outcome& outcome, bool began,
                                   i32 count) const {
    if constexpr (!kHeld) {
      const bool ended = outcome.terminated | outcome.truncated;
      step_type[row] = i32(began ? StepType::kFirst : ended ? StepType::kLast : StepType::kMid);
      env_id[row] = environment;
    }
    elapsed[row] = steps;
    if (!kHeld || players != nullptr) players[row] = count;
    // These are written last. Bytes may alias anything, so the compiler would reload all values that are read after a
    // write.
    terminated[row] = outcome.terminated;
    truncated[row] = outcome.truncated;
  }
};

// Returns the number of players, clamped to 0..most.
template <class Env>
ENVPOOL_FN i32 players_of(const World<Env>& world, i32 most) {
  const i32 count = Env::players(world);
  return count < 0 ? 0 : count < most ? count : most;
}

// Makes a state that the user provided safe for the environment's functions.
template <class Env, class Params>
ENVPOOL_ALWAYS_INLINE void repair(StateOf<Env>& state, const Params& params) {
  if constexpr (requires { Env::repair(state, params); }) Env::repair(state, params);
}

// Runs one phase for one agent.
template <class Env, int kPhase>
ENVPOOL_ALWAYS_INLINE void act_in_phase(World<Env>& world, const typename Env::Params& params, i32 agent,
                                        ActionRow action, const Episode& episode) {
  Rng rng = episode.agent_rng<Env::kPhases>(agent, kPhase);
  Env::template phase<kPhase>(world, agent, params, action, rng);
}

}  // namespace envpool
