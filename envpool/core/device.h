// SPDX-License-Identifier: Apache-2.0
//
// Kernels that reset and step portable environments on a GPU, by the rules of episode.h. A source for NVRTC is the
// environment's header, this one, and ENVPOOL_KERNEL(the environment's type).
//
// An environment of one player is a thread. A world of several is a block, and its agents are the block's threads: a
// launch has a block for each world, of as many threads as there can be players, and barriers between phases.
//
// The state of each environment is an EnvSlot, byte for byte what a pool's snapshot holds. Where autoreset is disabled,
// an environment whose episode is over stays as it is, with the outcome kStaysOver.
#pragma once

#include "envpool/core/episode.h"
#include "envpool/core/vtable.h"

namespace envpool::device {

// The operands of a launch. All pointers are of the device's memory.
template <class Env>
struct Launch {
  u8* slots;
  i64 stride;  // bytes from a slot to the next
  i32 count;   // of environments
  i32 max_players;
  i32 max_episode_steps;  // 0: no limit
  abi::Autoreset autoreset;
  i32 restart;  // begins an episode in every environment instead of stepping
  i32 num_fields;
  void* const* fields;        // the environment's own arrays, in the order of its spec
  void* const* final_fields;  // the same for an episode's last observation; written in same-step mode only
  const i64* row_bytes;       // of each of them
  const u8* per_player;
  const void* const* actions;
  const i64* action_bytes;
  ResultColumns columns;
  alignas(16) typename Env::Params params;

  EnvSlot<StateOf<Env>>& slot(i64 k) const { return *reinterpret_cast<EnvSlot<StateOf<Env>>*>(slots + stride * k); }
  ActionRow action(i64 row) const { return {actions, action_bytes, row}; }
  Row row(void* const* arrays, i64 row) const { return {arrays, row_bytes, row}; }
  bool begins(const Episode& episode) const {
    return restart != 0 || (episode.over && autoreset != abi::kAutoresetDisabled);
  }
  bool same_step() const { return autoreset == abi::kAutoresetSameStep; }
  void write_player(i64 row, f32 reward, f32 discount) const {
    columns.reward[row] = reward;
    columns.discount[row] = discount;
  }
  void clear_player(void* const* arrays, i64 row) const {
    for (i32 f = 0; f < num_fields; ++f) {
      if (per_player[f] == 0) continue;
      u8* const bytes = static_cast<u8*>(arrays[f]) + row * row_bytes[f];
      for (i64 i = 0; i < row_bytes[f]; ++i) bytes[i] = 0;
    }
  }
};

// Resets or steps the environment of this thread.
template <class Env>
__device__ inline void run_one(const Launch<Env>& launch) {
  const i64 k = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= launch.count) return;
  EnvSlot<StateOf<Env>>& it = launch.slot(k);
  Episode& episode = it.episode;
  const bool began = launch.begins(episode);
  bool resets = began;
  Outcome outcome;
  if (!began) {
    const bool steps = !episode.over;
    outcome = steps ? Env::step(it.state, launch.params, launch.action(k), episode.rng) : kStaysOver;
    resets = episode.conclude(outcome, launch.max_episode_steps, steps) && launch.same_step();
    launch.columns.write(k, i32(k), episode, outcome, began, 1);
    if (resets) Env::observe(it.state, launch.params, launch.row(launch.final_fields, k));
  }
  if (resets) {
    episode.begin();
    Env::reset(it.state, launch.params, episode.rng);
    if (began) launch.columns.write(k, i32(k), episode, outcome, began, 1);
  }
  launch.write_player(k, outcome.reward, outcome.discount);
  Env::observe(it.state, launch.params, launch.row(launch.fields, k));
}

template <class Env, int kPhase>
__device__ inline void run_phases(const Launch<Env>& launch, World<Env>& world, const Episode& episode, ActionRow row) {
  if constexpr (kPhase < Env::kPhases) {
    const i32 agent = i32(threadIdx.x);
    if (agent < players_of(world, launch.max_players)) {
      act_in_phase<Env, kPhase>(world, launch.params, agent, row, episode);
    }
    __syncthreads();
    run_phases<Env, kPhase + 1>(launch, world, episode, row);
  }
}

// Resets or steps the world of this block.
template <class Env>
__device__ inline void run_world(const Launch<Env>& launch) {
  __shared__ f32 discount;
  __shared__ bool ended;
  const i32 agent = i32(threadIdx.x);
  const i64 k = blockIdx.x, place = k * launch.max_players + agent;
  EnvSlot<StateOf<Env>>& it = launch.slot(k);
  World<Env>& world = it.state;
  Episode& episode = it.episode;
  const bool began = launch.begins(episode), steps = !began && !episode.over;
  __syncthreads();  // all threads have read what the first one is about to change
  if (steps) run_phases<Env, 0>(launch, world, episode, launch.action(place));
  i32 before = 0;  // players of the episode that ended in this step
  bool first = true, resets = began;
#pragma unroll 1
  while (true) {
    if (agent == 0) {
      if (resets) {
        episode.begin();
        Env::reset(world, launch.params, episode.rng);
      }
      if (first) {
        Outcome outcome;
        if (!began) outcome = steps ? Env::finish(world, launch.params, episode.rng) : kStaysOver;
        ended = episode.conclude(outcome, launch.max_episode_steps, steps);
        discount = outcome.discount;
        launch.columns.write(k, i32(k), episode, outcome, began, players_of(world, launch.max_players));
      } else if (const i32 count = players_of(world, launch.max_players); count > before) {
        launch.columns.players[k] = count;
      }
    }
    __syncthreads();
    const i32 count = players_of(world, launch.max_players);
    const bool last = first && ended && launch.same_step();  // the next episode begins in this step
    void* const* const fields = last ? launch.final_fields : launch.fields;
    if (agent == 0) Env::observe_world(world, launch.params, launch.row(fields, k));
    if (agent < count) {
      Env::observe(world, launch.params, agent, launch.row(fields, place));
      if (first) {
        launch.write_player(place, steps ? Env::reward(world, agent) : 0.0f, discount);
      } else if (agent >= before) {
        launch.write_player(place, 0, 0);
        launch.clear_player(launch.final_fields, place);
      }
    } else if (agent < before) {
      launch.clear_player(launch.fields, place);
    }
    if (!last) return;
    __syncthreads();
    before = count;
    first = false;
    resets = true;
  }
}

// Where a slot has the state; NVRTC has no offsetof.
template <class Env>
constexpr u64 offset_of_state() {
  constexpr u64 kAlignment = alignof(StateOf<Env>);
  return (sizeof(Episode) + kAlignment - 1) / kAlignment * kAlignment;
}

template <class Env>
__device__ inline void run(const Launch<Env>& launch) {
  if constexpr (requires { typename Env::Shared; }) {
    run_world(launch);
  } else {
    run_one(launch);
  }
}

}  // namespace envpool::device

// Defines the kernel `run` of an environment.
#define ENVPOOL_KERNEL(Env) \
  extern "C" __global__ void run(const envpool::device::Launch<Env> launch) { envpool::device::run(launch); }

// Checks that the device lays out an environment as its table says that the host does (abi::Device).
#define ENVPOOL_KERNEL_LAYOUT(Env, state_at, state_bytes, params_bytes)             \
  static_assert(envpool::device::offset_of_state<Env>() == (state_at), "state_at"); \
  static_assert(sizeof(envpool::StateOf<Env>) == (state_bytes), "state_bytes");     \
  static_assert(sizeof(Env::Params) == (params_bytes), "params_bytes");
