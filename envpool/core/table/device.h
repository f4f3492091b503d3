// SPDX-License-Identifier: Apache-2.0
//
// The kernel of a pool on a GPU. One launch resets or steps the selected environments by the rules of episode.h, and
// writes the same arrays as vector_env.h. A source for NVRTC consists of the environment's header, this one, and
// ENVPOOL_KERNEL(the environment's type); envpool/cuda/program.py writes it. The host includes this file for Work.
//
// One thread steps an environment of one player. A team of threads steps a world of several players, with a barrier
// between phases; each thread handles one agent, or several if there are more agents than threads in a block. A team is
// a whole block, or a power of two of threads within a warp if there are at most 32 players.
//
// The state of each environment is an EnvSlot, with the same bytes as in a pool's snapshot.
#pragma once

#include "envpool/core/env.h"
#include "envpool/core/portable.h"
#include "envpool/core/table/vtable.h"

namespace envpool::device {

inline constexpr int kMostFields = 32, kMostActions = 8;

// One field of the caller's actions. If its dtype or row stride differs from the environment's, the thread that uses a
// row converts it first. All values are checked.
struct ActionInput {
  const u8* data;
  i64 row_stride;     // bytes from row to row of `data`
  u8* converted;      // rows in the environment's dtype; null if `data` is used as it is
  const i64* counts;  // number of categories of each element; null: `discrete` for all
  i64 discrete;       // 0: any number
  i64 row_bytes;      // of a row in the environment's dtype
  i32 elements;       // of a row
  abi::Dtype from, to;
};

// The parameters of one launch.
struct Work {
  u8* slots;  // EnvSlot and extra bytes of each environment
  i64 slot_bytes;
  const i32* env_ids;  // of the rows; null: row k is environment first_env + k
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
  ActionInput actions[kMostActions];
};

// Reports a row that was not stepped: the reason, the row, and the element of the row's action.
struct Fault {
  static constexpr u64 kNone = 0, kOver = 0xFF;

  u64 why;      // kNone, kOver if the episode is over, or 1 plus the index of the action field with the bad value
  i64 row;      // below 2^32
  i64 element;  // below 2^24

  ENVPOOL_FN u64 packed() const { return why << 56 | u64(element) << 32 | u64(row); }
  ENVPOOL_FN static Fault unpacked(u64 word) {
    return {word >> 56, i64(word & 0xFFFFFFFF), i64(word >> 32 & 0xFFFFFF)};
  }
};

}  // namespace envpool::device

#ifdef __CUDACC__

#include "envpool/core/table/episode.h"

namespace envpool::device {

// Checks a row of actions, and converts it if necessary. Returns the index of the first bad element, or -1.
inline i32 take_row(const ActionInput& input, i64 row) {
  const u8* from = input.data + row * input.row_stride;
  u8* to = input.converted == nullptr ? nullptr : input.converted + row * input.row_bytes;
  i32 bad = -1;
  for (i32 e = 0; e < input.elements; ++e) {
    bool good = true;
    i64 whole = 0;
    f64 real = 0;
    switch (input.from) {
      case abi::kBool:
      case abi::kU8: whole = from[e]; break;
      case abi::kI32: whole = reinterpret_cast<const i32*>(from)[e]; break;
      case abi::kI64: whole = reinterpret_cast<const i64*>(from)[e]; break;
      case abi::kF32: real = f64(reinterpret_cast<const f32*>(from)[e]); break;
      case abi::kF64: real = reinterpret_cast<const f64*>(from)[e]; break;
    }
    if (input.to >= abi::kF32) {
      if (input.from < abi::kF32) real = f64(whole);
      const f64 kept = input.to == abi::kF32 ? f64(f32(real)) : real;
      good &= kept - kept == 0;
    } else {
      if (input.from >= abi::kF32) {
        const bool fits = real >= -0x1p53 && real <= 0x1p53;
        whole = fits ? i64(real) : -1;
        good &= fits && f64(whole) == real;
      }
      const i64 most = input.counts != nullptr ? input.counts[e] : input.discrete;
      good &= most <= 0 || u64(whole) < u64(most);
      if (input.to == abi::kI32) good &= whole == i64(i32(whole));
      if (input.to == abi::kU8) good &= whole == i64(u8(whole));
      if (input.to == abi::kBool) good &= u64(whole) < 2;
    }
    if (!good && bad < 0) bad = e;
    if (to == nullptr) continue;
    switch (input.to) {
      case abi::kBool:
      case abi::kU8: to[e] = u8(whole); break;
      case abi::kI32: reinterpret_cast<i32*>(to)[e] = i32(whole); break;
      case abi::kI64: reinterpret_cast<i64*>(to)[e] = whole; break;
      case abi::kF32: reinterpret_cast<f32*>(to)[e] = f32(real); break;
      case abi::kF64: reinterpret_cast<f64*>(to)[e] = real; break;
    }
  }
  return bad;
}

// Checks and converts a row of every field. Returns false and reports a fault if a value is bad.
inline bool take_rows(const Work& work, i64 row) {
  bool good = true;
  for (i32 f = 0; f < work.num_actions; ++f) {
    const i32 bad = take_row(work.actions[f], row);
    if (bad < 0) continue;
    *work.fault = Fault{u64(f) + 1, row, bad}.packed();
    good = false;
  }
  return good;
}

// The addresses of the actions in the environment's dtypes.
struct ActionFields {
  const void* fields[kMostActions];
  i64 row_bytes[kMostActions];

  explicit ActionFields(const Work& work) {
    for (i32 f = 0; f < kMostActions; ++f) {
      const ActionInput& input = work.actions[f];
      fields[f] = input.converted == nullptr ? input.data : input.converted;
      row_bytes[f] = input.row_bytes;
    }
  }
  ActionRow at(i64 row) const { return {fields, row_bytes, row}; }
};

inline ResultColumns columns_of(const Work& work) {
  return {static_cast<f32*>(work.common[abi::kReward]),    static_cast<f32*>(work.common[abi::kDiscount]),
          static_cast<u8*>(work.common[abi::kTerminated]), static_cast<u8*>(work.common[abi::kTruncated]),
          static_cast<i32*>(work.common[abi::kStepType]),  static_cast<i32*>(work.common[abi::kEnvId]),
          static_cast<i32*>(work.common[abi::kElapsed]),   static_cast<i32*>(work.common[abi::kPlayers])};
}

// The environment of one row.
template <class Env>
struct Place {
  EnvSlot<StateOf<Env>>& it;
  const typename Env::Params& params;
  i64 k;
  i32 env_id, limit;

  Place(const Work& work, const typename Env::Params& shared, i64 row)
      : Place(work, shared, row, work.env_ids == nullptr ? work.first_env + i32(row) : work.env_ids[row]) {}

  // Repairs and reseeds the state before a reset or a step, if requested. Only one thread of a team calls it.
  void prepare(const Work& work) const {
    if (work.repair) {
      it.episode.repair();
      envpool::repair<Env>(it.state, params);
    }
    if (work.seeds != nullptr) it.episode.seed(work.seeds[k], work.streams[k]);
  }

 private:
  Place(const Work& work, const typename Env::Params& shared, i64 row, i32 id)
      : it(*reinterpret_cast<EnvSlot<StateOf<Env>>*>(work.slots + id * work.slot_bytes)),
#ifdef ENVPOOL_PARAMS_EACH
        params(reinterpret_cast<const typename Env::Params*>(work.params)[id]),
#else
        params(shared),
#endif
        k(row),
        env_id(id),
        limit(work.limits[id]) {
  }
};

// Returns whether the row begins an episode. Without autoreset, stepping an episode that is over is a fault; then
// `refused` is set.
inline bool restarts(const Work& work, const Episode& episode, i64 k, bool& refused) {
  refused = !work.restart && episode.over && work.autoreset == abi::kAutoresetDisabled;
  if (refused) *work.fault = Fault{Fault::kOver, k, 0}.packed();
  return work.restart || (episode.over && !refused);
}

template <class Env>
void run_one(const Work& work, const typename Env::Params& shared) {
  const i64 k = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= work.count) return;
  const Place<Env> place(work, shared, k);
  Episode& episode = place.it.episode;
  StateOf<Env>& state = place.it.state;

  place.prepare(work);
  bool refused;
  bool begins = restarts(work, episode, k, refused);
  Outcome outcome;
  bool ended = false;
  if (begins) {
    episode.begin();
  } else if (refused |= !take_rows(work, k); !refused) {
    const ActionFields actions(work);
    outcome = Env::step(state, place.params, actions.at(k), episode.rng);
    ended = episode.conclude(outcome, place.limit);
  }
  const ResultColumns columns = columns_of(work);
  columns.write(k, place.env_id, episode, outcome, begins, 1);
  columns.reward[k] = outcome.reward;
  columns.discount[k] = outcome.discount;
  work.done[k] = ended;
  if (ended && work.autoreset == abi::kAutoresetSameStep) {
    Env::observe(state, place.params, Row{work.own_final, work.row_bytes, k});
    episode.begin();
    begins = true;
  }
  if (begins) Env::reset(state, place.params, episode.rng);
  Env::observe(state, place.params, Row{work.own, work.row_bytes, k});
  if (!refused) work.over_now[place.env_id] = ended;
  work.players_now[place.env_id] = 1;
}

// The threads of one world. If they fit in a warp, several worlds share a block, and barriers include only the threads
// of the world.
struct Team {
#ifdef ENVPOOL_TEAM
  static constexpr i32 kThreads = ENVPOOL_TEAM;
#else
  static constexpr i32 kThreads = 1;
#endif
  static constexpr i32 kTeams = ENVPOOL_THREADS / kThreads;  // in a block

  i32 number = i32(threadIdx.x) / kThreads;
  i32 thread = i32(threadIdx.x) % kThreads;

  bool leads() const { return thread == 0; }
  void sync() const {
    if constexpr (kTeams == 1) {
      __syncthreads();
    } else {
      __syncwarp(mask());
    }
  }
  // Returns whether the condition holds in any thread of the team. It is a barrier, too.
  bool any(bool condition) const {
    if constexpr (kTeams == 1) return __syncthreads_or(condition) != 0;
    const bool holds = __any_sync(mask(), condition) != 0;
    sync();  // a vote does not order memory accesses
    return holds;
  }
  // Calls a function for each index below `count` that is assigned to this thread.
  template <class Function>
  void for_each(i32 count, Function&& function) const {
    for (i32 i = thread; i < count; i += kThreads) function(i);
  }

 private:
  // Returns the mask of the team's lanes in its warp.
  u32 mask() const {
    constexpr u32 kAll = kThreads == 32 ? ~u32{0} : (u32{1} << kThreads % 32) - 1;
    return kAll << (i32(threadIdx.x) % 32 - thread);
  }
};

template <class Env, int kPhase>
void run_phases(const Team& team, World<Env>& world, const typename Env::Params& params, const Episode& episode,
                const Work& work, const ActionFields& actions, i64 first) {
  team.for_each(players_of(world, work.max_players), [&](i32 agent) {
    act_in_phase<Env, kPhase>(world, params, agent, actions.at(first + agent), episode);
  });
  team.sync();
  if constexpr (kPhase + 1 < Env::kPhases) {
    run_phases<Env, kPhase + 1>(team, world, params, episode, work, actions, first);
  }
}

// Writes the observations of a world and its players, and zeros in the rows of absent players.
template <class Env>
void observe_all(const Team& team, const World<Env>& world, const typename Env::Params& params, const Work& work,
                 void* const* fields, i64 k) {
  const i32 count = players_of(world, work.max_players);
  if (team.leads()) Env::observe_world(world, params, Row{fields, work.row_bytes, k});
  team.for_each(work.max_players, [&](i32 agent) {
    const i64 row = k * work.max_players + agent;
    if (agent < count) return Env::observe(world, params, agent, Row{fields, work.row_bytes, row});
    for (i32 f = 0; f < work.num_own; ++f) {
      if (work.per_player[f] == 0) continue;
      u8* bytes = static_cast<u8*>(fields[f]) + row * work.row_bytes[f];
      for (i64 i = 0; i < work.row_bytes[f]; ++i) bytes[i] = 0;
    }
  });
}

// Decisions of a team's first thread, shared with the other threads.
struct Decisions {
  bool begins, refused, ended;
  f32 discount;
};

template <class Env>
void run_world(const Work& work, const typename Env::Params& shared) {
  __shared__ Decisions decisions[Team::kTeams];
  const Team team;
  Decisions& decided = decisions[team.number];
  const i64 k = i64{blockIdx.x} * Team::kTeams + team.number, first = k * work.max_players;
  if (k >= work.count) return;
  const Place<Env> place(work, shared, k);
  Episode& episode = place.it.episode;
  World<Env>& world = place.it.state;
  const auto begin = [&] {
    episode.begin();
    Env::reset(world, place.params, episode.rng);
  };

  if (team.leads()) {
    place.prepare(work);
    bool refused;
    const bool begins = restarts(work, episode, k, refused);
    if (begins) begin();
    decided = {begins, refused, false, 1};
  }
  team.sync();
  const bool begins = decided.begins, refused = decided.refused;
  bool good = true;
  if (!begins && !refused) {
    team.for_each(players_of(world, work.max_players), [&](i32 agent) { good &= take_rows(work, first + agent); });
  }
  const bool idle = team.any(!good) || refused, steps = !begins && !idle;
  if (steps) {
    const ActionFields actions(work);
    run_phases<Env, 0>(team, world, place.params, episode, work, actions, first);
  }
  const ResultColumns columns = columns_of(work);
  if (team.leads()) {
    Outcome outcome;
    if (steps) {
      outcome = Env::finish(world, place.params, episode.rng);
      decided.ended = episode.conclude(outcome, place.limit);
      decided.discount = outcome.discount;
    }
    columns.write(k, place.env_id, episode, outcome, begins, 0);
    work.done[k] = decided.ended;
  }
  team.sync();
  const bool ended = decided.ended;
  const i32 players = players_of(world, work.max_players);
  team.for_each(work.max_players, [&](i32 agent) {
    const bool there = agent < players;
    columns.reward[first + agent] = there && steps ? Env::reward(world, agent) : 0.0f;
    columns.discount[first + agent] = there ? decided.discount : 0.0f;
  });
  if (ended && work.autoreset == abi::kAutoresetSameStep) {
    observe_all(team, world, place.params, work, work.own_final, k);
    team.sync();
    if (team.leads()) begin();
    team.sync();
  }
  observe_all(team, world, place.params, work, work.own, k);
  const i32 now = players_of(world, work.max_players), most = now > players ? now : players;
  if (team.leads()) {
    columns.players[k] = most;
    work.players_now[place.env_id] = most;
    if (!idle) work.over_now[place.env_id] = ended;
  }
  team.for_each(work.max_players,
                [&](i32 agent) { work.player_env_id[first + agent] = agent < most ? place.env_id : -1; });
}

template <class Env>
void run(const Work& work, const typename Env::Params& params) {
  if constexpr (requires { typename Env::Shared; }) {
    run_world<Env>(work, params);
  } else {
    run_one<Env>(work, params);
  }
}

// Returns the offset of the state in a slot. NVRTC has no offsetof.
template <class Env>
constexpr u64 offset_of_state() {
  constexpr u64 kAlignment = alignof(StateOf<Env>);
  return (sizeof(Episode) + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace envpool::device

// Defines the kernel `envpool_run` of an environment. ENVPOOL_THREADS is the number of threads in a block. ENVPOOL_TEAM
// is the number of threads for a world of several players: all of a block, or a power of two that is at most 32.
#define ENVPOOL_KERNEL(Env)                                                                                         \
  extern "C" __global__ void __launch_bounds__(ENVPOOL_THREADS)                                                     \
      envpool_run(const __grid_constant__ envpool::device::Work work, const __grid_constant__ Env::Params params) { \
    envpool::device::run<Env>(work, params);                                                                        \
  }

// Checks that the environment has the same layout on the device as on the host (abi::Device).
#define ENVPOOL_KERNEL_LAYOUT(Env, state_at, state_bytes, params_bytes)             \
  static_assert(envpool::device::offset_of_state<Env>() == (state_at), "state_at"); \
  static_assert(sizeof(envpool::StateOf<Env>) == (state_bytes), "state_bytes");     \
  static_assert(sizeof(Env::Params) == (params_bytes), "params_bytes");

#endif  // __CUDACC__
