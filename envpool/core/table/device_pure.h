// SPDX-License-Identifier: Apache-2.0
//
// The kernel of the pure functions on a GPU, for JAX: one launch resets or steps rows of states that the caller holds,
// with the results of pure.h and pure_world.h. The launch works in place. If the states must not be overwritten, the
// host copies them first. A source for NVRTC consists of the environment's header, this one, and
// ENVPOOL_PURE_KERNEL(the environment's type); envpool/cuda/program.py writes it. The host includes this file for
// PureLaunch.
//
// The kernel trusts no row. The tag of a state must be the model's, and a state is repaired before it is used. The
// values of options and the actions are checked. A row that violates this is not stepped, and a fault is reported.
//
// Calls with columns of options use a variant of the kernel, which is compiled with ENVPOOL_TUNED. The other one reads
// all parameters from the launch's arguments.
#pragma once

#include "envpool/core/table/device_parts.h"
#include "envpool/core/table/episode.h"
#include "envpool/core/table/tunables.h"

namespace envpool::device {

// The most dimensions of a batch in one launch, after dimensions that can be treated as one have been merged.
inline constexpr int kMostAxes = 4;

// An operand of the batch: rows that are contiguous along some of the batch's axes, and broadcast along the others.
struct PureOperand {
  const u8* data;
  u32 row_bytes;
  u8 axes;     // a bit for each axis along which the rows advance
  u8 dtype;    // of an option
  i16 number;  // of an option, as in abi::OptionColumn
};

// The most columns of options in one launch.
inline constexpr int kMostOptions = 64;

// The parameters of one launch.
struct PureLaunch {
  i64 rows, first_row;  // first_row is the number of the first row, for faults
  i64 extents[kMostAxes];
  i32 axes;
  abi::Keyed keyed;
  bool restart, autoreset;
  u32 tag;
  i32 max_players, num_own, num_actions, num_options;
  i32 num_next_options;  // in `options`, after those of the step; -1: the episodes that begin have the same options
  i32 max_episode_steps;
  PureOperand keys, streams, action_rows[kMostActions];
  PureOperand options[kMostOptions];
  const abi::Tunable* tunables;
  ActionInput actions[kMostActions];  // their addresses are not set; action_rows has them
  u8* states;
  i64 state_bytes;
  volatile u64* fault;
  f32 *reward, *discount;
  u8 *terminated, *truncated;
  i32 *elapsed, *players;
  // The arrays for observations after a step, after a reset or restart, and before a restart.
  void *observed[kMostFields], *restarted[kMostFields], *last[kMostFields];
  i64 row_bytes[kMostFields];
  u8 per_player[kMostFields];
  Staging staging;
};

static_assert(sizeof(PureLaunch) <= 3072);

}  // namespace envpool::device

#ifdef __CUDACC__

namespace envpool::device {

// The place of a row along the axes of the batch.
struct PurePlace {
  i64 index[kMostAxes];

  PurePlace(const PureLaunch& launch, i64 row) {
    for (i32 axis = kMostAxes - 1; axis > 0; --axis) {
      index[axis] = 0;
      if (axis >= launch.axes) continue;
      index[axis] = row % launch.extents[axis];
      row /= launch.extents[axis];
    }
    index[0] = row;
  }
  // Returns the operand's row at this place.
  const u8* in(const PureOperand& operand, const PureLaunch& launch) const {
    i64 row = 0, scale = 1;
    for (i32 axis = kMostAxes - 1; axis >= 0; --axis) {
      if (axis >= launch.axes || (operand.axes >> axis & 1) == 0) continue;
      row += index[axis] * scale;
      scale *= launch.extents[axis];
    }
    return operand.data + row * operand.row_bytes;
  }
};

// The operands of one row.
struct PureRow {
  i64 k;
  PurePlace place;
  const u8 *key, *stream, *actions[kMostActions];

  PureRow(const PureLaunch& launch, i64 row) : k(row), place(launch, row) {
    key = place.in(launch.keys, launch);
    stream = place.in(launch.streams, launch);
    for (i32 f = 0; f < kMostActions; ++f) {
      if (f < launch.num_actions) actions[f] = place.in(launch.action_rows[f], launch);
    }
  }

  u64 seed() const {
    const u32* words = reinterpret_cast<const u32*>(key);
    return u64{words[0]} << 32 | words[1];
  }
  u32 stream_number() const { return *reinterpret_cast<const u32*>(stream); }
};

// The actions of an environment's players.
struct PureActions {
  const void* fields[kMostActions];
  i64 row_bytes[kMostActions];

  PureActions(const PureLaunch& launch, const PureRow& row) {
    for (i32 f = 0; f < kMostActions; ++f) {
      fields[f] = row.actions[f];
      row_bytes[f] = launch.actions[f].row_bytes;
    }
  }
  ActionRow at(i64 player) const { return {fields, row_bytes, player}; }

  // Checks the actions of a player. Returns false and reports a fault if a value is bad.
  bool check(const PureLaunch& launch, i64 k, i64 player) const {
    bool good = true;
    for (i32 f = 0; f < launch.num_actions; ++f) {
      const ActionInput& input = launch.actions[f];
      const i32 bad = take_row(input, static_cast<const u8*>(fields[f]) + player * row_bytes[f], nullptr);
      if (bad < 0) continue;
      const i64 element = player * input.elements + bad;
      *launch.fault = Fault{u64(f) + 1, launch.first_row + k, element}.packed();
      good = false;
    }
    return good;
  }
};

// The parameters of a row.
template <class Env>
class PureParams {
 public:
  using Params = typename Env::Params;

#ifdef ENVPOOL_TUNED
  PureParams(const PureLaunch& launch, const Params& shared, const PureRow& row) {
    read(launch, shared, row, 0, launch.num_options);
  }
  // Changes to the parameters of the episode that begins after the step of this row.
  void begin_episode(const PureLaunch& launch, const Params& shared, const PureRow& row) {
    if (launch.num_next_options >= 0) read(launch, shared, row, launch.num_options, launch.num_next_options);
  }
  const Params& params() const { return params_; }
  i32 limit() const { return limit_; }
  i32 bad() const { return bad_; }  // the index of the first column whose value is not accepted; -1: none

 private:
  void read(const PureLaunch& launch, const Params& shared, const PureRow& row, i32 first, i32 count) {
    params_ = shared;
    limit_ = launch.max_episode_steps;
    for (i32 i = first; i < first + count; ++i) {
      const PureOperand& column = launch.options[i];
      const abi::Dtype dtype = abi::Dtype(column.dtype);
      const bool is_limit = column.number == abi::kTimeLimit;
      const abi::Tunable option = is_limit ? abi::Tunable{nullptr, abi::kOptionInt, abi::kI32, 0, 0, kMostI32, 0, 1}
                                           : launch.tunables[column.number];
      u8* to = is_limit ? reinterpret_cast<u8*>(&limit_) : reinterpret_cast<u8*>(&params_) + option.at;
      const u8* from = row.place.in(column, launch);
      for (i32 e = 0; e < option.elements; ++e) {
        const TunableValue value(option, read_number(to, option.dtype), dtype);
        const f64 number = read_number(from, dtype);
        if (!value.accepts(number)) {
          if (bad_ < 0) bad_ = i;
        } else {
          write_number(to, option.dtype, value.used(number));
        }
        to += size_of(option.dtype);
        from += size_of(dtype);
      }
    }
    derive<Env>(params_);
  }

  Params params_;
  i32 limit_, bad_ = -1;
#else
  PureParams(const PureLaunch& launch, const Params& shared, const PureRow&) : launch_(launch), shared_(shared) {}
  void begin_episode(const PureLaunch&, const Params&, const PureRow&) {}
  const Params& params() const { return shared_; }
  i32 limit() const { return launch_.max_episode_steps; }
  i32 bad() const { return -1; }

 private:
  const PureLaunch& launch_;
  const Params& shared_;
#endif
};

template <class Env>
PureState<Env>& state_of(const PureLaunch& launch, i64 k) {
  return *reinterpret_cast<PureState<Env>*>(launch.states + k * launch.state_bytes);
}

// Makes a new state and selects its generator. The memory of the row has been zeroed.
template <class Env>
void make_state(const PureLaunch& launch, const PureRow& row, PureState<Env>& at) {
  PureState<Env>& it = *new (&at) PureState<Env>{};
  it.episode.tag = launch.tag;
  it.episode.seed(row.seed(), row.stream_number());
}

// Repairs the state of a row, and sets its key.
template <class Env>
void prepare_state(const PureLaunch& launch, const PureRow& row, const typename Env::Params& params,
                   PureState<Env>& it) {
  it.episode.repair();
  repair<Env>(it.state, params);
  if (launch.keyed == abi::kKeepKey) return;
  it.episode.rng.seed = row.seed();
  it.episode.rng.draws = 0;
  if (launch.keyed == abi::kNewKeyAndStream) it.episode.rng.stream = row.stream_number();
}

// Reports a row with an option that cannot be used. Returns whether there was such a fault.
template <class Env>
bool has_bad_option(const PureLaunch& launch, const PureRow& row, const PureParams<Env>& settings) {
  if (settings.bad() < 0) return false;
  const i64 option = launch.options[settings.bad()].number - abi::kTimeLimit;
  *launch.fault = Fault{Fault::kOption, launch.first_row + row.k, option}.packed();
  return true;
}

// Reports a row with options or a state that cannot be used. Returns whether there was a fault.
template <class Env>
bool is_foreign(const PureLaunch& launch, const PureRow& row, const PureParams<Env>& settings) {
  if (has_bad_option<Env>(launch, row, settings)) return true;
  if (launch.restart || state_of<Env>(launch, row.k).episode.tag == launch.tag) return false;
  *launch.fault = Fault{Fault::kState, launch.first_row + row.k, 0}.packed();
  return true;
}

// Writes zeros into the results of a row that could not be used.
inline void clear_results(const PureLaunch& launch, i64 k) {
  const i64 players = launch.max_players;
  for (i64 i = 0; !launch.restart && i < players; ++i)
    launch.reward[k * players + i] = launch.discount[k * players + i] = 0;
  if (!launch.restart) {
    launch.terminated[k] = launch.truncated[k] = 0;
    launch.elapsed[k] = 0;
    if (launch.players != nullptr) launch.players[k] = 0;
  }
  for (i32 f = 0; f < launch.num_own; ++f) {
    const i64 rows = launch.per_player[f] != 0 ? players : 1, bytes = launch.row_bytes[f];
    for (i64 i = 0; i < rows; ++i) {
      if (!launch.restart) clear_row(launch.observed[f], bytes, k * rows + i, bytes);
      clear_row(launch.restarted[f], bytes, k * rows + i, bytes);
    }
  }
}

// Changes to the parameters of the episode that a row begins after its step. An option that cannot be used is reported,
// and the episode has the value that make() got.
template <class Env>
void begin_next(const PureLaunch& launch, const typename Env::Params& shared, const PureRow& row,
                PureParams<Env>& settings) {
  settings.begin_episode(launch, shared, row);
  has_bad_option<Env>(launch, row, settings);
}

template <class Env>
void call_one(const PureLaunch& launch, const typename Env::Params& shared) {
  const i64 k = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  // A thread without a row helps to write the rows of its warp, and so does a thread whose row cannot be used.
  const bool inside = k < launch.rows;
  const PureRow row(launch, inside ? k : launch.rows - 1);
  PureParams<Env> settings(launch, shared, row);
  const bool foreign = inside && is_foreign<Env>(launch, row, settings), here = inside && !foreign;
  if (foreign) clear_results(launch, k);
  const typename Env::Params& params = settings.params();
  WorkingState<Env, PureState<Env>> working(state_of<Env>(launch, row.k), here);
  PureState<Env>& it = working.get();

  bool begins = launch.restart && here;
  if (begins) make_state<Env>(launch, row, it);
  if (!launch.restart) {
    if (here) {
      prepare_state<Env>(launch, row, params, it);
      const bool was_over = it.episode.over;
      Outcome outcome = kStaysOver;
      bool idle = false;
      if (!was_over) {
        const PureActions actions(launch, row);
        idle = !actions.check(launch, k, 0);
        outcome = idle ? Outcome{} : Env::step(it.state, params, actions.at(0), it.episode.rng);
      }
      const bool ended = !idle && it.episode.conclude(outcome, settings.limit(), !was_over);
      launch.reward[k] = outcome.reward;
      launch.discount[k] = outcome.discount;
      launch.terminated[k] = outcome.terminated;
      launch.truncated[k] = outcome.truncated;
      launch.elapsed[k] = it.episode.elapsed;
      begins = ended && launch.autoreset;
    }
    observe_one<Env>(it.state, params, launch, k, {here, /*second=*/begins, {launch.observed, launch.last}});
  }
  if (begins) {
    if (!launch.restart) begin_next<Env>(launch, shared, row, settings);
    begin_episode<Env>(it.episode, it.state, settings.limit());
    Env::reset(it.state, params, it.episode.rng);
  }
  working.store(here);
  observe_one<Env>(it.state, params, launch, k, {begins, /*second=*/false, {launch.restarted, launch.restarted}});
}

// Decisions of a team's first thread, shared with the other threads.
struct PureDecisions {
  bool foreign, was_over, restarts;
  f32 discount;
};

template <class Env>
void call_world(const PureLaunch& launch, const typename Env::Params& shared) {
  __shared__ PureDecisions decisions[Team::kTeams];
  const Team team;
  PureDecisions& decided = decisions[team.number];
  const i64 k = i64{blockIdx.x} * Team::kTeams + team.number;
  const bool inside = k < launch.rows;  // as in call_one
  const PureRow row(launch, inside ? k : launch.rows - 1);
  PureParams<Env> settings(launch, shared, row);
  const typename Env::Params& params = settings.params();
  if (team.leads()) {
    decided.foreign = inside && is_foreign<Env>(launch, row, settings);
    if (decided.foreign) clear_results(launch, k);
  }
  team.sync();
  const bool here = inside && !decided.foreign;
  PureState<Env>& it = state_of<Env>(launch, row.k);
  World<Env>& world = it.state;
  // Begins episodes and observes them. All threads of the block call it.
  const auto begin = [&](bool begins) {
    if (begins && team.leads()) {
      if (launch.restart) make_state<Env>(launch, row, it);
      it.episode.begin();
      Env::reset(world, params, it.episode.rng);
      it.players = players_of(world, launch.max_players);
    }
    team.sync();
    observe_all<Env>(team, world, params, launch, k, {begins, /*second=*/false, {launch.restarted, launch.restarted}});
  };

  if (launch.restart) return begin(here);
  if (here && team.leads()) {
    prepare_state<Env>(launch, row, params, it);
    decided.was_over = it.episode.over;
  }
  team.sync();
  const bool was_over = !here || decided.was_over;
  const i32 most = here ? launch.max_players : 0;
  const PureActions actions(launch, row);
  bool good = true;
  if (!was_over) {
    team.for_each(players_of(world, most), [&](i32 agent) { good &= actions.check(launch, k, agent); });
  }
  const bool idle = team.any(!good), steps = !idle && !was_over;
  if (steps) run_phases<Env, 0>(team, world, params, it.episode, most, actions, 0);
  if (here && team.leads()) {
    Outcome outcome = kStaysOver;
    if (!was_over) outcome = idle ? Outcome{} : Env::finish(world, params, it.episode.rng);
    const bool ended = !idle && it.episode.conclude(outcome, settings.limit(), !was_over);
    decided.restarts = ended && launch.autoreset;
    decided.discount = outcome.discount;
    launch.terminated[k] = outcome.terminated;
    launch.truncated[k] = outcome.truncated;
    launch.elapsed[k] = it.episode.elapsed;
    it.players = launch.players[k] = players_of(world, most);
  }
  team.sync();
  const i32 players = here ? players_of(world, most) : 0;
  team.for_each(most, [&](i32 agent) {
    const bool present = agent < players;
    launch.reward[k * most + agent] = present && steps ? Env::reward(world, agent) : 0.0f;
    launch.discount[k * most + agent] = present ? decided.discount : 0.0f;
  });
  const bool restarts = here && decided.restarts;
  observe_all<Env>(team, world, params, launch, k, {here, /*second=*/restarts, {launch.observed, launch.last}});
  team.sync();
  if (restarts) begin_next<Env>(launch, shared, row, settings);
  begin(restarts);
}

template <class Env>
void call(const PureLaunch& launch, const typename Env::Params& params) {
  if constexpr (requires { typename Env::Shared; }) {
    call_world<Env>(launch, params);
  } else {
    call_one<Env>(launch, params);
  }
}

// Copies rows whose operands are not contiguous, in words of 8 bytes.
inline void copy_rows(const PureLaunch& launch, const PureOperand& from) {
  const i64 words = launch.state_bytes / 8;
  for (i64 i = i64{blockIdx.x} * blockDim.x + threadIdx.x; i < launch.rows * words; i += i64{gridDim.x} * blockDim.x) {
    const u8* const address = PurePlace(launch, i / words).in(from, launch);
    reinterpret_cast<u64*>(launch.states)[i] = reinterpret_cast<const u64*>(address)[i % words];
  }
}

}  // namespace envpool::device

// Defines the kernels `envpool_call` and `envpool_copy` of an environment. ENVPOOL_THREADS and ENVPOOL_TEAM are as in
// device.h.
#define ENVPOOL_PURE_KERNEL(Env)                                                                                \
  extern "C" __global__ void __launch_bounds__(ENVPOOL_THREADS) envpool_call(                                   \
      const __grid_constant__ envpool::device::PureLaunch launch, const __grid_constant__ Env::Params params) { \
    envpool::device::call<Env>(launch, params);                                                                 \
  }                                                                                                             \
  extern "C" __global__ void __launch_bounds__(ENVPOOL_THREADS)                                                 \
      envpool_copy(const __grid_constant__ envpool::device::PureLaunch launch,                                  \
                   const __grid_constant__ envpool::device::PureOperand from) {                                 \
    envpool::device::copy_rows(launch, from);                                                                   \
  }

#endif  // __CUDACC__
