// SPDX-License-Identifier: Apache-2.0
//
// Creates, resets, steps and observes environments. Each of the three contracts of env.h has its own struct for this.
#pragma once

#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "envpool/core/env.h"
#include "envpool/core/math/rng.h"
#include "envpool/core/table/episode.h"
#include "envpool/core/table/vtable.h"

namespace envpool {

// Returns the number of bytes that follow a State or World, which options may set.
template <class Env>
i64 extra_bytes_of(const typename Env::Params& params) {
  if constexpr (requires { Env::extra_bytes(params); }) return Env::extra_bytes(params);
  return 0;
}

// Zeroes the derived bytes of a copy of a state. `extra` is the address of its extra bytes.
template <class Env>
void clear_derived(void* extra, const typename Env::Params& params) {
  if constexpr (requires { Env::derived_bytes(params); }) {
    const i64 bytes = Env::derived_bytes(params);
    std::memset(static_cast<u8*>(extra) + Env::extra_bytes(params) - bytes, 0, size_t(bytes));
  }
}

// Portable code should not throw, but a user's code may. The families of this package are compiled without exception
// handlers.
#ifdef ENVPOOL_NEVER_THROWS
inline constexpr bool kPortableMayThrow = false;
#else
inline constexpr bool kPortableMayThrow = true;
#endif

// Functions that are not inlined take rows and return outcomes by reference. Passing a value would copy it with wider
// loads than the stores that have just written it. A CPU cannot forward such stores to the loads, which costs about ten
// clock cycles each time.

template <class Env>
struct PortableContract {
  using State = typename Env::State;
  using Params = typename Env::Params;
  static_assert(std::is_trivially_copyable_v<State>, "a portable State is plain data: no heap, no pointers to itself");
  static constexpr bool kMayThrow = kPortableMayThrow;
  // Whether a step is so short that a call of it would take as long. The functions of such an environment are inlined
  // into each loop that calls them. Those of the others are compiled once.
  static constexpr bool kIsSmall = sizeof(State) <= 64 && !requires { requires Env::kLongSteps; };
  static constexpr u32 kFlags = abi::kPortable | abi::kCanSnapshot | (kMayThrow ? abi::kMayThrow : 0u) |
                                (requires { Env::kGroup; } ? abi::kGrouped : 0u);

  static State make(const Params&, i32) { return State{}; }
  static i64 extra_bytes(const Params& params) { return extra_bytes_of<Env>(params); }
  static i64 heap_bytes(const Params&) { return 0; }
  static void reset(State& state, const Params& params, Rng& rng) {
    if constexpr (kIsSmall) {
      Env::reset(state, params, rng);
    } else {
      reset_apart(state, params, rng);
    }
  }
  static Outcome step(State& state, const Params& params, ActionRow action, Episode& episode, i32) {
    return step(state, params, action, episode.rng, 1);
  }
  // Steps with a generator, or with prefetched random words (prefetched_rng.h).
  template <class Draws>
  static Outcome step(State& state, const Params& params, ActionRow action, Draws& draws, i32) {
    if constexpr (kIsSmall) {
      return Env::step(state, params, action, draws);
    } else {
      Outcome outcome;
      step_apart(state, params, action, draws, outcome);
      return outcome;
    }
  }
  static i32 players(const State&) { return 1; }
  static f32 reward(const State&, const Outcome& outcome, i32) { return outcome.reward; }
  static void observe(State& state, const Params& params, Row row, i32) {
    if constexpr (kIsSmall) {
      Env::observe(state, params, row);
    } else {
      observe_apart(state, params, row);
    }
  }

 private:
  ENVPOOL_NOINLINE static void reset_apart(State& state, const Params& params, Rng& rng) {
    Env::reset(state, params, rng);
  }
  template <class Draws>
  ENVPOOL_NOINLINE static void step_apart(State& state, const Params& params, const ActionRow& action, Draws& draws,
                                          Outcome& outcome) {
    outcome = Env::step(state, params, action, draws);
  }
  ENVPOOL_NOINLINE static void observe_apart(const State& state, const Params& params, const Row& row) {
    Env::observe(state, params, row);
  }
};

template <class Env>
struct WorldContract {
  using State = World<Env>;
  using Params = typename Env::Params;
  static_assert(std::is_trivially_copyable_v<State>, "Shared and Agent are plain data: no heap, no pointers");
  static constexpr bool kMayThrow = kPortableMayThrow;
  static constexpr bool kIsSmall = false;
  static constexpr u32 kFlags = abi::kPortable | abi::kCanSnapshot | (kMayThrow ? abi::kMayThrow : 0u);

  static State make(const Params&, i32) { return State{}; }
  static i64 extra_bytes(const Params& params) { return extra_bytes_of<Env>(params); }
  static i64 heap_bytes(const Params&) { return 0; }
  ENVPOOL_NOINLINE static void reset(State& world, const Params& params, Rng& rng) { Env::reset(world, params, rng); }
  static Outcome step(State& world, const Params& params, ActionRow action, Episode& episode, i32 max_players) {
    Outcome outcome;
    step_apart(world, params, action, episode, max_players, outcome);
    return outcome;
  }
  static i32 players(const State& world) { return players_of(world, Env::kMaxPlayers); }
  static f32 reward(const State& world, const Outcome&, i32 player) { return Env::reward(world, player); }
  static void observe(const State& world, const Params& params, Row row, i32 max_players) {
    observe_apart(world, params, row, max_players);
  }

 private:
  ENVPOOL_NOINLINE static void step_apart(State& world, const Params& params, const ActionRow& action, Episode& episode,
                                          i32 max_players, Outcome& outcome) {
    run_phases(world, params, action, episode, max_players, std::make_integer_sequence<int, Env::kPhases>{});
    outcome = Env::finish(world, params, episode.rng);
  }
  ENVPOOL_NOINLINE static void observe_apart(const State& world, const Params& params, const Row& row,
                                             i32 max_players) {
    Env::observe_world(world, params, row);
    Row own = row;
    own.row *= max_players;
    const i32 count = players_of(world, max_players);
    for (i32 player = 0; player < count; ++player, ++own.row) Env::observe(world, params, player, own);
  }
  template <int kPhase>
  static void run_phase(State& world, const Params& params, ActionRow action, const Episode& episode, i32 max_players) {
    const i32 count = players_of(world, max_players);
    for (i32 agent = 0; agent < count; ++agent, ++action.row)
      act_in_phase<Env, kPhase>(world, params, agent, action, episode);
  }
  template <int... kPhase>
  static void run_phases(State& world, const Params& params, ActionRow action, const Episode& episode, i32 max_players,
                         std::integer_sequence<int, kPhase...>) {
    (run_phase<kPhase>(world, params, action, episode, max_players), ...);
  }
};

template <class Env>
struct HostContract {
  using Params = typename Env::Params;
  using State = std::unique_ptr<Env>;
  static constexpr bool kSaves = requires(Env& env, void* out, const void* in) {
    env.save_size();
    env.save(out);
    env.load(in, i64{});
  };
  static constexpr bool kBounded = requires { requires Env::kBounded; };
  static constexpr bool kDelegated = requires { typename Env::CallBatch; };
  static constexpr u32 kFlags =
      (kSaves ? abi::kCanSnapshot : 0u) | (kBounded ? abi::kBounded : 0u) | (kDelegated ? abi::kDelegated : 0u);
  static constexpr bool kMayThrow = true, kIsSmall = false;

  static State make(const Params& params, i32 env_id) { return std::make_unique<Env>(params, env_id); }
  static i64 extra_bytes(const Params&) { return 0; }
  static i64 heap_bytes(const Params& params) {
    i64 bytes = i64(sizeof(Env));
    if constexpr (requires { Env::heap_bytes(params); }) bytes += Env::heap_bytes(params);
    return bytes;
  }
  static void reset(State& env, const Params&, Rng& rng) { env->reset(rng); }
  static Outcome step(State& env, const Params&, ActionRow action, Episode& episode, i32) {
    return env->step(action, episode.rng);
  }
  static i32 players(const State&) { return 1; }
  static f32 reward(const State&, const Outcome& outcome, i32) { return outcome.reward; }
  static void observe(State& env, const Params&, Row row, i32) { env->observe(row); }
};

}  // namespace envpool
