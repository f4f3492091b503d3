// SPDX-License-Identifier: Apache-2.0
//
// This file is for worlds with a fixed number of players, of which a pool steps many per microsecond. The header of
// such a world includes it on the host. The world defines
//
//   ENVPOOL_FN static void observe_all(const World<Env>&, const Params&, Row);
//
// which does what observe_world() and observe() of all players do. CPUs call it, so that what the players' rows have in
// common is computed only once. There are always kMaxPlayers players. If a world also defines
//
//   static constexpr bool kShortSteps = true;
//
// then its steps are so short that calls and mispredicted branches would take as long. A pool with next-step autoreset
// takes the turns of these worlds in passes, in loops into which their functions are inlined: first the worlds that
// step, then those that begin an episode, and then all are observed. A CPU cannot predict which worlds begin an
// episode.
#pragma once

#include <algorithm>

#include "envpool/core/table/contract_calls.h"
#include "envpool/core/table/rows.h"
#include "envpool/core/table/turn.h"

namespace envpool {

template <class Env>
concept ObservedTogether = requires(const World<Env>& world, const typename Env::Params& params, Row row) {
  Env::observe_all(world, params, row);
};
template <class Env>
concept HasShortSteps = ObservedTogether<Env> && requires { requires Env::kShortSteps; };

template <ObservedTogether Env>
struct WorldContract<Env> {
  using State = World<Env>;
  using Params = typename Env::Params;
  static_assert(std::is_trivially_copyable_v<State>, "Shared and Agent are plain data: no heap, no pointers");
  static_assert(Env::kPhases == 1);
  static constexpr bool kMayThrow = kPortableMayThrow;
  static constexpr bool kIsSmall = false;
  static constexpr u32 kFlags = abi::kPortable | abi::kCanSnapshot | (kMayThrow ? abi::kMayThrow : 0u);

  static State make(const Params&, i32) { return State{}; }
  static i64 extra_bytes(const Params&) { return 0; }
  static i64 heap_bytes(const Params&) { return 0; }
  ENVPOOL_NOINLINE static void reset(State& world, const Params& params, Rng& rng) { Env::reset(world, params, rng); }
  static Outcome step(State& world, const Params& params, ActionRow action, Episode& episode, i32) {
    Outcome outcome;
    step_apart(world, params, action, episode, outcome);
    return outcome;
  }
  ENVPOOL_ALWAYS_INLINE static Outcome step_here(State& world, const Params& params, ActionRow action,
                                                 Episode& episode) {
    for (i32 agent = 0; agent < Env::kMaxPlayers; ++agent, ++action.row) {
      act_in_phase<Env, 0>(world, params, agent, action, episode);
    }
    return Env::finish(world, params, episode.rng);
  }
  static i32 players(const State&) { return Env::kMaxPlayers; }
  static f32 reward(const State& world, const Outcome&, i32 player) { return Env::reward(world, player); }
  static void observe(const State& world, const Params& params, Row row, i32) { observe_apart(world, params, row); }

 private:
  ENVPOOL_NOINLINE static void step_apart(State& world, const Params& params, const ActionRow& action, Episode& episode,
                                          Outcome& outcome) {
    outcome = step_here(world, params, action, episode);
  }
  ENVPOOL_NOINLINE static void observe_apart(const State& world, const Params& params, const Row& row) {
    Env::observe_all(world, params, row);
  }
};

// The contract of worlds with short steps in the calls that do not take turns in passes.
template <class Env>
struct ApartContract : WorldContract<Env> {};

template <HasShortSteps Env, class Batch>
class RowLoop<Env, WorldContract<Env>, Batch> {
 public:
  static void run(Batch batch, bool begins, bool restarts) {
    if constexpr (kInPasses) {
      if (!restarts && batch.count() > 0) return run_in_passes(batch, begins);
    }
    RowLoop<Env, ApartContract<Env>, Batch>::run(batch, begins, restarts);
  }

 private:
  using Contract = WorldContract<Env>;
  using Slot = EnvSlot<World<Env>>;
  static constexpr i64 kPlayers = Env::kMaxPlayers;
  static constexpr bool kInPasses = Batch::kIsFast && !Batch::kHeld && !Contract::kMayThrow;

#ifndef __SANITIZE_ADDRESS__  // AddressSanitizer would take minutes to compile what is inlined.
  [[gnu::flatten]]
#endif
  static void run_in_passes(const Batch& batch, bool begins) {
    // These are local copies, because the compiler assumes that what environments write may change members.
    const auto zero = batch.entry(0);
    auto* const settings = &zero.settings - zero.env_id;
    u8* const slots = reinterpret_cast<u8*>(&zero.it) - batch.stride() * zero.env_id;
    const i64 stride = batch.stride(), count = batch.count(), first_row = batch.places().first;
    const i32* const ids = batch.work().env_ids;
    const RowColumns columns = batch.places().all;
    const ActionRow actions = batch.action(zero);
    const i64* const row_bytes = batch.fields().row_bytes;
    const auto slot = [=](i64 k) -> Slot& { return *std::launder(reinterpret_cast<Slot*>(slots + stride * ids[k])); };
    const auto write = [&](i64 k, const Slot& it, const Outcome& outcome, bool began) {
      const i64 row = first_row + k;
      columns.template write<false>(row, ids[k], it.episode.elapsed, outcome, began, i32(kPlayers));
      for (i64 player = 0; player < kPlayers; ++player) {
        columns.reward[row * kPlayers + player] = began ? 0.0f : Env::reward(it.state, i32(player));
        columns.discount[row * kPlayers + player] = outcome.discount;
      }
    };

    i64 stepping[Batch::kMostRows], beginning[Batch::kMostRows];
    for (i64 from = 0; from < count; from += Batch::kMostRows) {
      const i64 to = std::min(from + Batch::kMostRows, count);
      i64 num_stepping = 0, num_beginning = 0;
      for (i64 k = from; k < to; ++k) {
        const bool begins_now = begins | slot(k).episode.over;
        stepping[num_stepping] = beginning[num_beginning] = k;
        num_stepping += !begins_now;
        num_beginning += begins_now;
      }
      for (i64 i = 0; i < num_stepping; ++i) {
        const i64 k = stepping[i];
        Slot& it = slot(k);
        const auto& its_settings = settings[ids[k]];
        const ActionRow action{actions.fields, actions.row_bytes, ids[k] * kPlayers};
        Outcome outcome = Contract::step_here(it.state, *its_settings.params, action, it.episode);
        conclude(it.episode, outcome, Doing::kSteps, its_settings.max_episode_steps);
        write(k, it, outcome, /*began=*/false);
      }
      for (i64 i = 0; i < num_beginning; ++i) {
        const auto entry = batch.entry(beginning[i]);
        batch.begin(entry);
        write(beginning[i], entry.it, Outcome{}, /*began=*/true);
      }
      for (i64 k = from; k < to; ++k) {
        Env::observe_all(slot(k).state, *settings[ids[k]].params, Row{columns.begun, row_bytes, first_row + k});
      }
    }
  }
};

}  // namespace envpool
