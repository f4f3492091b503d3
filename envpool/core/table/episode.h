// SPDX-License-Identifier: Apache-2.0
//
// The rules of an episode: how it begins, how steps count, when the time limit truncates it, what its end does to the
// discount, and what each agent of a world draws from. The pool (driver.h), the pure functions (pure.h, pure_world.h)
// and kernels on a device (device.h) all call what is here, so each rule is written once. NVRTC compiles this file, so
// it includes no standard header.
//
// What follows the end of an episode is the caller's choice. conclude() marks the episode as over; then
//   next-step   the next step begins the next episode instead of stepping;
//   same-step   the caller observes the last state, calls begin() and the environment's reset(), and observes again;
//   disabled    the episode stays over until a reset. The pool refuses to step it; elsewhere a step gives kStaysOver.
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
  u32 tag = 0;       // of a state that the caller holds (pure.h): which environment it is of
  bool over = true;  // no episode is under way

  ENVPOOL_ALWAYS_INLINE void repair() { keep_bool(over); }

  // Selects the generator; the next reset begins episode 0 of it.
  ENVPOOL_ALWAYS_INLINE void seed(u64 seed, u32 stream) {
    rng.seed = seed;
    rng.stream = stream;
    number = 0;
  }
  // Begins the next episode. The environment's reset() follows, and draws from `rng`.
  ENVPOOL_ALWAYS_INLINE void begin() {
    rng.begin_episode(number++);
    elapsed = 0;
    over = false;
  }
  // Counts a step, unless `stepped` is false. Returns whether the time limit truncates the episode; 0 is no limit.
  ENVPOOL_ALWAYS_INLINE bool count_step(i32 limit, bool stepped = true) {
    count_up(elapsed, stepped);
    return stepped & (limit > 0) & (elapsed >= limit);
  }
  // Completes the outcome of a step with the time limit and the discount. Returns whether the episode ended. Where the
  // environment began an episode or stayed over, `stepped` is false, and no step is counted.
  ENVPOOL_ALWAYS_INLINE bool conclude(Outcome& outcome, i32 limit, bool stepped = true) {
    outcome.truncated |= count_step(limit, stepped);
    outcome.discount = outcome.terminated ? 0 : outcome.discount;
    over = outcome.terminated | outcome.truncated;
    return over;
  }
  // The generator of an agent in one phase of this step: a stream of its own, at a place that depends on the step and
  // the phase alone, with 256 words for each phase.
  template <int kPhases>
  ENVPOOL_ALWAYS_INLINE Rng agent_rng(i32 agent, int phase) const {
    Rng own = rng;
    own.agent = u32(agent) + 1;
    own.draws = (u64(elapsed) * kPhases + phase) << 8;
    return own;
  }
};

// An environment with its episode, as it lies in the memory of a pool and of a device, and in a snapshot. The
// environment's extra bytes follow.
template <class State>
struct EnvSlot {
  Episode episode;
  State state;
};

// Bytes from a slot to the next, where `extra` bytes follow each state.
template <class State>
ENVPOOL_FN constexpr i64 slot_bytes(i64 extra) {
  return (i64(sizeof(EnvSlot<State>)) + extra + 15) / 16 * 16;
}

// The outcome of a step that finds the episode over, where nothing begins the next one.
inline constexpr Outcome kStaysOver{.terminated = true};

// What a row is of its episode, numbered as in dm_env.
enum class StepType : i32 { kFirst = 0, kMid = 1, kLast = 2 };

// The columns that rows of every environment have. Row k of what is per player begins at k * max_players.
struct ResultColumns {
  f32 *reward, *discount;
  u8 *terminated, *truncated;
  i32 *step_type, *env_id, *elapsed, *players;

  // Writes all of a row but what is per player.
  ENVPOOL_ALWAYS_INLINE void write(i64 row, i32 environment, const Episode& episode, const Outcome& outcome, bool began,
                                   i32 count) const {
    const bool ended = outcome.terminated | outcome.truncated;
    step_type[row] = i32(began ? StepType::kFirst : ended ? StepType::kLast : StepType::kMid);
    env_id[row] = environment;
    elapsed[row] = episode.elapsed;
    players[row] = count;
    // Last, because bytes may alias anything: what is read after them would have to be loaded again.
    terminated[row] = outcome.terminated;
    truncated[row] = outcome.truncated;
  }
};

// How many players there are: what the world says, within 0..most.
template <class Env>
ENVPOOL_FN i32 players_of(const World<Env>& world, i32 most) {
  const i32 count = Env::players(world);
  return count < 0 ? 0 : count < most ? count : most;
}

// Brings a state from outside into the range that the environment's functions accept.
template <class Env>
ENVPOOL_ALWAYS_INLINE void repair(StateOf<Env>& state, const typename Env::Params& params) {
  if constexpr (requires { Env::repair(state, params); }) Env::repair(state, params);
}

// Lets one agent act in one phase.
template <class Env, int kPhase>
ENVPOOL_ALWAYS_INLINE void act_in_phase(World<Env>& world, const typename Env::Params& params, i32 agent,
                                        ActionRow action, const Episode& episode) {
  Rng rng = episode.agent_rng<Env::kPhases>(agent, kPhase);
  Env::template phase<kPhase>(world, agent, params, action, rng);
}

}  // namespace envpool
