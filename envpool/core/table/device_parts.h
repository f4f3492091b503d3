// SPDX-License-Identifier: Apache-2.0
//
// Parts of the kernel (kernel.h): checks of actions, the teams of threads that step worlds of several players, the
// state that a thread works on, and the calls of observe().
#pragma once

#include "envpool/core/env.h"
#include "envpool/core/table/device_rows.h"
#include "envpool/core/table/episode.h"
#include "envpool/core/table/launch.h"

#ifdef __CUDACC__

namespace envpool::device {

// Checks the row of actions at `from`, and converts it into `to` unless that is null. Returns the index of the first
// bad element, or -1.
inline i32 take_row(const ActionInput& input, const u8* from, u8* to) {
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
      const f64 rounded = input.to == abi::kF32 ? f64(f32(real)) : real;
      good &= rounded - rounded == 0;
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
  // Returns whether the condition holds in any thread of the team. The call is also a barrier.
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

// Runs all phases of a step. `actions.at(agent)` is the action of an agent.
template <class Env, int kPhase, class Actions>
void run_phases(const Team& team, World<Env>& world, const typename Env::Params& params, const Episode& episode,
                i32 max_players, const Actions& actions) {
  team.for_each(players_of(world, max_players),
                [&](i32 agent) { act_in_phase<Env, kPhase>(world, params, agent, actions.at(agent), episode); });
  team.sync();
  if constexpr (kPhase + 1 < Env::kPhases) {
    run_phases<Env, kPhase + 1>(team, world, params, episode, max_players, actions);
  }
}

inline void clear_row(void* field, i64 row_bytes, i64 row, i64 stride) {
  u8* bytes = static_cast<u8*>(field) + row * stride;
  for (i64 i = 0; i < row_bytes; ++i) bytes[i] = 0;
}

// The state that a thread works on. A small one is copied into registers: a field in memory would have to be read again
// after each store to an array, which the compiler must assume to overlap with it, and each read of a field accesses as
// many sectors as the warp has lanes. A state that is followed by extra bytes stays where it is, because the
// environment finds them by the state's address. envpool/cuda/program.py defines ENVPOOL_STATE_IN_PLACE for such an
// environment, since its header may declare extra_bytes for the host only.
template <class Env, class Slot>
class WorkingState {
 public:
#ifdef ENVPOOL_STATE_IN_PLACE
  static constexpr bool kCopied = false;
#else
  static constexpr bool kCopied = sizeof(Slot) <= 128 && __is_trivially_copyable(Slot) &&
                                  !requires(const typename Env::Params& params) { Env::extra_bytes(params); };
#endif

  // A thread that is not `here` has no state; its copy is never used.
  WorkingState(Slot& home, bool here) : home_(home) {
    if constexpr (kCopied) {
      if (here) copy(reinterpret_cast<u8*>(&copy_), reinterpret_cast<const u8*>(&home_));
    }
  }
  WorkingState(const WorkingState&) = delete;
  WorkingState& operator=(const WorkingState&) = delete;

  Slot& get() {
    if constexpr (kCopied) {
      return copy_;
    } else {
      return home_;
    }
  }
  void store(bool here) {
    if constexpr (kCopied) {
      if (here) copy(reinterpret_cast<u8*>(&home_), reinterpret_cast<const u8*>(&copy_));
    }
  }

 private:
  // Both addresses are multiples of 16.
  static void copy(u8* to, const u8* from) {
    static_assert(sizeof(Slot) % 8 == 0);
    constexpr i64 kQuads = sizeof(Slot) / 16;
#pragma unroll
    for (i64 i = 0; i < kQuads; ++i) reinterpret_cast<Quad*>(to)[i] = reinterpret_cast<const Quad*>(from)[i];
    if constexpr (sizeof(Slot) % 16 != 0) {
      reinterpret_cast<u64*>(to)[2 * kQuads] = reinterpret_cast<const u64*>(from)[2 * kQuads];
    }
  }

  struct Nothing {};
  union alignas(16) {
    Nothing nothing_{};
    Slot copy_;
  };
  Slot& home_;
};

// Which environments a call of observe_one or observe_all observes, and where their rows go.
struct Observed {
  bool here;    // whether this thread's environment is observed
  bool second;  // whether its row belongs to to.two
  Destinations to;

  void* const* fields() const { return second ? to.two : to.one; }
};

// Writes the observation of row k, which is the row of this thread. All threads of the block call it.
template <class Env, class Launch>
void observe_one(const StateOf<Env>& state, const typename Env::Params& params, const Launch& launch, i64 k,
                 const Observed& observed) {
  constexpr bool kCleared = kTogether<Env> && requires(Row row) { Env::observe_cleared(state, params, row); };
  const i32 lane = i32(threadIdx.x) % kWarp;
  __syncwarp(kAllLanes);  // after steps of different lengths, the lanes write their rows at the same time
  WarpRows(launch).template write<kTogether<Env>, kCleared>(
      k - lane, lane, [](i32 slot) { return slot; }, observed.here, observed.second, observed.to,
      [&](Row row) {
        if constexpr (kCleared) {
          Env::observe_cleared(state, params, row);
        } else {
          Env::observe(state, params, row);
        }
      });
}

// Writes the observations of world k and its players, and zeros in the rows of absent players. All threads of the block
// call it.
template <class Env, class Launch>
void observe_all(const Team& team, const World<Env>& world, const typename Env::Params& params, const Launch& launch,
                 i64 k, const Observed& observed) {
  const WarpRows rows(launch);
  const i32 most = launch.max_players, count = observed.here ? players_of(world, most) : 0;
  if (observed.here && team.leads()) Env::observe_world(world, params, Row{observed.fields(), launch.row_bytes, k});
  // The rows of a warp begin with an agent of its first team.
  const i32 lane = i32(threadIdx.x) % kWarp;
  const i64 first_team = k - (Team::kTeams > 1 ? lane / Team::kThreads : 0);
  const i32 first_thread = Team::kTeams > 1 ? 0 : team.thread - lane;
  const auto write = [&](i32 begin) {
    const i32 agent = begin + team.thread - first_thread;
    const i64 first = first_team * most + begin;
    rows.template write<kTogether<Env>, /*kCleared=*/false>(
        first, i32(k * most + agent - first),
        [&](i32 slot) { return Team::kTeams > 1 ? slot / most * Team::kThreads + slot % most : slot; },
        observed.here && agent < most, observed.second, observed.to,
        [&](Row row) {
          if (agent < count) return Env::observe(world, params, agent, row);
          for (i32 f = 0; f < launch.num_own; ++f) {
            if (launch.per_player[f] != 0) clear_row(row.fields[f], launch.row_bytes[f], row.row, row.row_bytes[f]);
          }
        });
  };
  if constexpr (Team::kTeams > 1) {
    write(0);
  } else {
    for (i32 begin = first_thread; begin < most; begin += Team::kThreads) write(begin);
  }
}

// Returns the offset of the state in a slot. NVRTC has no offsetof.
template <class Env>
constexpr u64 offset_of_state() {
  constexpr u64 kAlignment = alignof(StateOf<Env>);
  return (sizeof(Episode) + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace envpool::device

// Checks that the environment has the same layout on the device as on the host (abi::Device).
#define ENVPOOL_KERNEL_LAYOUT(Env, state_at, state_bytes, params_bytes)             \
  static_assert(envpool::device::offset_of_state<Env>() == (state_at), "state_at"); \
  static_assert(sizeof(envpool::StateOf<Env>) == (state_bytes), "state_bytes");     \
  static_assert(sizeof(Env::Params) == (params_bytes), "params_bytes");             \
  static_assert(sizeof(Env::Params) <= envpool::device::kMostParamsBytes,           \
                "expected Params of at most 2,048 bytes on a GPU; keep larger data in a blob");

#endif  // __CUDACC__
