// SPDX-License-Identifier: Apache-2.0
//
// The kernel of a pool on a GPU. One launch resets or steps the selected environments by the rules of episode.h, and
// writes the same arrays as vector_env.h. A source for NVRTC consists of the environment's header, this one, and
// ENVPOOL_KERNEL(the environment's type); envpool/cuda/program.py writes it. The host includes this file for
// PoolLaunch.
//
// One thread steps an environment of one player. A team of threads steps a world of several players, with a barrier
// between phases; each thread handles one agent, or several if there are more agents than threads in a block. A team is
// a whole block. If there are at most 32 players, a team is instead part of one warp, and its number of threads is a
// power of two.
//
// The state of each environment is an EnvSlot, with the same bytes as in a pool's snapshot.
#pragma once

#include "envpool/core/table/device_parts.h"

namespace envpool::device {

// The parameters of one launch.
struct PoolLaunch {
  u8* slots;  // EnvSlot and extra bytes of each environment
  i64 slot_bytes;
  const i32* env_ids;  // of the rows; null: row k is environment first_env + k
  const i32* named;    // ids that jitted code passed for the rows, or null; must equal the environments' ids
  const u64* seeds;    // of the rows, if a reset reseeds them; else null
  const u32* streams;
  const u8* params;   // of each environment, if they differ; otherwise the kernel's second argument is used
  const i32* limits;  // of each environment: steps until an episode is truncated; 0: no limit
  volatile u64* fault;
  i32 count, max_players, num_own, num_actions;
  i32 first_env;
  abi::Autoreset autoreset;
  bool restart;
  bool repair;  // the caller may have written into the states, so bring them into range first
  void* common[abi::kCommonFields];
  void* own[kMostFields];
  void* own_final[kMostFields];  // if autoreset is same-step
  i32* player_env_id;          // of each player's row: the environment, or -1 if there is no player; null if one player
  i32* players_now;            // of each environment: the number of players
  u8* over_now;                // of each environment: whether its last step ended the episode
  u8* done;                    // terminated or truncated
  i64 row_bytes[kMostFields];  // of own
  u8 per_player[kMostFields];
  Staging staging;
  ActionInput actions[kMostActions];
};

static_assert(sizeof(PoolLaunch) <= 2560);

}  // namespace envpool::device

#ifdef __CUDACC__

namespace envpool::device {

// Checks and converts a row of every field. Returns false and reports a fault if a value is bad.
inline bool take_rows(const PoolLaunch& launch, i64 row) {
  bool good = true;
  for (i32 f = 0; f < launch.num_actions; ++f) {
    const ActionInput& input = launch.actions[f];
    u8* converted = input.converted == nullptr ? nullptr : input.converted + row * input.row_bytes;
    const i32 bad = take_row(input, input.data + row * input.row_stride, converted);
    if (bad < 0) continue;
    *launch.fault = Fault{u64(f) + 1, row, bad}.packed();
    good = false;
  }
  return good;
}

// The addresses of the actions in the environment's dtypes.
struct ActionFields {
  const void* fields[kMostActions];
  i64 row_bytes[kMostActions];

  explicit ActionFields(const PoolLaunch& launch) {
    for (i32 f = 0; f < kMostActions; ++f) {
      const ActionInput& input = launch.actions[f];
      fields[f] = input.converted == nullptr ? input.data : input.converted;
      row_bytes[f] = input.row_bytes;
    }
  }
  ActionRow at(i64 row) const { return {fields, row_bytes, row}; }
};

inline ResultColumns columns_of(const PoolLaunch& launch) {
  return {static_cast<f32*>(launch.common[abi::kReward]),    static_cast<f32*>(launch.common[abi::kDiscount]),
          static_cast<u8*>(launch.common[abi::kTerminated]), static_cast<u8*>(launch.common[abi::kTruncated]),
          static_cast<i32*>(launch.common[abi::kStepType]),  static_cast<i32*>(launch.common[abi::kEnvId]),
          static_cast<i32*>(launch.common[abi::kElapsed]),   static_cast<i32*>(launch.common[abi::kPlayers])};
}

// The environment of one row.
template <class Env>
struct Place {
  EnvSlot<StateOf<Env>>& it;
  const typename Env::Params& params;
  i64 k;
  i32 env_id, limit;

  Place(const PoolLaunch& launch, const typename Env::Params& shared, i64 row)
      : Place(launch, shared, row, launch.env_ids == nullptr ? launch.first_env + i32(row) : launch.env_ids[row]) {}

  // Repairs and reseeds the state before a reset or a step, if requested. Only one thread of a team calls it.
  void prepare(const PoolLaunch& launch, EnvSlot<StateOf<Env>>& it) const {
    if (launch.repair) {
      it.episode.repair();
      envpool::repair<Env>(it.state, params);
    }
    if (launch.seeds != nullptr) it.episode.seed(launch.seeds[k], launch.streams[k]);
  }

 private:
  Place(const PoolLaunch& launch, const typename Env::Params& shared, i64 row, i32 id)
      : it(*reinterpret_cast<EnvSlot<StateOf<Env>>*>(launch.slots + id * launch.slot_bytes)),
#ifdef ENVPOOL_PARAMS_EACH
        params(reinterpret_cast<const typename Env::Params*>(launch.params)[id]),
#else
        params(shared),
#endif
        k(row),
        env_id(id),
        limit(launch.limits[id]) {
  }
};

// Returns whether the row begins an episode. Without autoreset, stepping an episode that is over is a fault. So is a
// row for which the caller named another environment. Both faults set `refused`.
inline bool restarts(const PoolLaunch& launch, const Episode& episode, i32 env_id, i64 k, bool& refused) {
  const bool misnamed = launch.named != nullptr && launch.named[k] != env_id;
  refused = misnamed || (!launch.restart && episode.over && launch.autoreset == abi::kAutoresetDisabled);
  if (refused) *launch.fault = Fault{misnamed ? Fault::kEnvId : Fault::kOver, k, 0}.packed();
  return launch.restart || (episode.over && !refused);
}

template <class Env>
void run_one(const PoolLaunch& launch, const typename Env::Params& shared) {
  const i64 k = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  // A thread without an environment helps to write the rows of its warp. It only reads the last environment's place.
  const bool here = k < launch.count;
  const Place<Env> place(launch, shared, here ? k : launch.count - 1);
  WorkingState<Env, EnvSlot<StateOf<Env>>> working(place.it, here);
  Episode& episode = working.get().episode;
  StateOf<Env>& state = working.get().state;

  bool begins = false, ended = false;
  if (here) {
    place.prepare(launch, working.get());
    bool refused;
    begins = restarts(launch, episode, place.env_id, k, refused);
    Outcome outcome;
    if (begins) {
      begin_episode<Env>(episode, state, place.limit);
    } else if (refused |= !take_rows(launch, k); !refused) {
      const ActionFields actions(launch);
      outcome = Env::step(state, place.params, actions.at(k), episode.rng);
      ended = episode.conclude(outcome, place.limit);
    }
    const ResultColumns columns = columns_of(launch);
    columns.write(k, place.env_id, episode, outcome, begins, 1);
    columns.reward[k] = outcome.reward;
    columns.discount[k] = outcome.discount;
    launch.done[k] = ended;
    if (!refused) launch.over_now[place.env_id] = ended;
    launch.players_now[place.env_id] = 1;
  }
  if (launch.autoreset == abi::kAutoresetSameStep) {
    observe_one<Env>(state, place.params, launch, k, {ended, /*second=*/false, {launch.own_final, launch.own_final}});
    if (ended) {
      begin_episode<Env>(episode, state, place.limit);
      begins = true;
    }
  }
  if (begins) Env::reset(state, place.params, episode.rng);
  working.store(here);
  observe_one<Env>(state, place.params, launch, k, {here, /*second=*/false, {launch.own, launch.own}});
}

// Decisions of a team's first thread, shared with the other threads.
struct Decisions {
  bool begins, refused, ended;
  f32 discount;
};

template <class Env>
void run_world(const PoolLaunch& launch, const typename Env::Params& shared) {
  __shared__ Decisions decisions[Team::kTeams];
  const Team team;
  Decisions& decided = decisions[team.number];
  const i64 k = i64{blockIdx.x} * Team::kTeams + team.number, first = k * launch.max_players;
  const bool here = k < launch.count;  // as in run_one
  const Place<Env> place(launch, shared, here ? k : launch.count - 1);
  Episode& episode = place.it.episode;
  World<Env>& world = place.it.state;
  const auto begin = [&] {
    begin_episode<Env>(episode, world, place.limit);
    Env::reset(world, place.params, episode.rng);
  };

  if (team.leads()) {
    decided = {/*begins=*/false, /*refused=*/!here, /*ended=*/false, /*discount=*/1};
    if (here) {
      place.prepare(launch, place.it);
      decided.begins = restarts(launch, episode, place.env_id, k, decided.refused);
      if (decided.begins) begin();
    }
  }
  team.sync();
  const bool begins = decided.begins, refused = decided.refused;
  bool good = true;
  if (!begins && !refused) {
    team.for_each(players_of(world, launch.max_players), [&](i32 agent) { good &= take_rows(launch, first + agent); });
  }
  const bool idle = team.any(!good) || refused, steps = !begins && !idle;
  if (steps) {
    const ActionFields actions(launch);
    run_phases<Env, 0>(team, world, place.params, episode, launch.max_players, actions, first);
  }
  const ResultColumns columns = columns_of(launch);
  if (here && team.leads()) {
    Outcome outcome;
    if (steps) {
      outcome = Env::finish(world, place.params, episode.rng);
      decided.ended = episode.conclude(outcome, place.limit);
      decided.discount = outcome.discount;
    }
    columns.write(k, place.env_id, episode, outcome, begins, 0);
    launch.done[k] = decided.ended;
  }
  team.sync();
  const bool ended = decided.ended;
  const i32 most_now = here ? launch.max_players : 0;
  const i32 players = here ? players_of(world, launch.max_players) : 0;
  team.for_each(most_now, [&](i32 agent) {
    const bool there = agent < players;
    columns.reward[first + agent] = there && steps ? Env::reward(world, agent) : 0.0f;
    columns.discount[first + agent] = there ? decided.discount : 0.0f;
  });
  if (launch.autoreset == abi::kAutoresetSameStep) {
    observe_all<Env>(team, world, place.params, launch, k,
                     {ended, /*second=*/false, {launch.own_final, launch.own_final}});
    team.sync();
    if (ended && team.leads()) begin();
    team.sync();
  }
  observe_all<Env>(team, world, place.params, launch, k, {here, /*second=*/false, {launch.own, launch.own}});
  const i32 now = here ? players_of(world, launch.max_players) : 0, most = now > players ? now : players;
  if (here && team.leads()) {
    columns.players[k] = most;
    launch.players_now[place.env_id] = most;
    if (!idle) launch.over_now[place.env_id] = ended;
  }
  team.for_each(most_now, [&](i32 agent) { launch.player_env_id[first + agent] = agent < most ? place.env_id : -1; });
}

template <class Env>
void run(const PoolLaunch& launch, const typename Env::Params& params) {
  if constexpr (requires { typename Env::Shared; }) {
    run_world<Env>(launch, params);
  } else {
    run_one<Env>(launch, params);
  }
}

}  // namespace envpool::device

// Defines the kernel `envpool_run` of an environment. ENVPOOL_THREADS is the number of threads in a block. ENVPOOL_TEAM
// is the number of threads for a world of several players: all of a block, or a power of two that is at most 32.
#define ENVPOOL_KERNEL(Env)                                                                                     \
  extern "C" __global__ void __launch_bounds__(ENVPOOL_THREADS) envpool_run(                                    \
      const __grid_constant__ envpool::device::PoolLaunch launch, const __grid_constant__ Env::Params params) { \
    envpool::device::run<Env>(launch, params);                                                                  \
  }

#endif  // __CUDACC__
