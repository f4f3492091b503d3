// SPDX-License-Identifier: Apache-2.0
//
// The kernel of an environment on a GPU, for pools and for the pure functions of JAX. A launch takes one turn (turn.h)
// of each row and writes the same results as the CPU's loops. A source for NVRTC consists of the environment's header,
// this one, and ENVPOOL_KERNEL(the environment's type); envpool/cuda/program.py writes it.
//
// One thread steps an environment of one player; the other threads of a warp may have no environment (Launch::lanes). A
// team of threads steps a world of several players, with a barrier between phases; each thread handles one agent, or
// several if there are more agents than threads in a block. A team is a whole block. If there are at most 32 players, a
// team is instead part of one warp, and its number of threads is a power of two.
//
// The kernel trusts no row of states that the caller holds. The tag of a state must be the model's, and a state is
// repaired before it is used. The values of options and the actions are checked. A row that violates this is not
// stepped, and a fault is reported. The launch works in place. If the states must not be overwritten, the host copies
// them first.
#pragma once

#include "envpool/core/table/device_parts.h"
#include "envpool/core/table/launch.h"
#include "envpool/core/table/launch_params.h"
#include "envpool/core/table/turn.h"

#ifdef __CUDACC__

namespace envpool::device {

// A row of a launch: its environment, operands and parameters.
template <class Env>
struct LaunchRow {
  using Slot = EnvSlot<StateOf<Env>>;
  static constexpr bool kWorld = requires { typename Env::Shared; };

  const KernelLaunch& launch;
  const i64 k;
  const bool inside;  // whether the launch has this row; otherwise the thread only reads the operands of the last one
  const BatchIndex index;
  const i64 env;  // the number of the environment
  RowParams<Env> settings;

  // A thread without a row has `taken` false.
  LaunchRow(const KernelLaunch& of, const typename Env::Params& shared, i64 row, bool taken)
      : LaunchRow(of, shared, row, taken && row < of.batch.rows, row < of.batch.rows ? row : of.batch.rows - 1) {}
  LaunchRow(const LaunchRow&) = delete;
  LaunchRow& operator=(const LaunchRow&) = delete;

  Slot& slot() const { return *reinterpret_cast<Slot*>(launch.slots + env * launch.slot_bytes); }
  u64 key() const {
    const u32* words = reinterpret_cast<const u32*>(index.at(launch.keys));
    return u64{words[0]} << 32 | words[1];
  }
  u32 stream() const { return *reinterpret_cast<const u32*>(index.at(launch.streams)); }
  i64 number() const { return launch.first_row + k; }  // for faults
  // Returns the number of the first player's row if an array has rows for all players of each row of the batch.
  i64 first_player_of(i64 row) const {
    if constexpr (kWorld) return row * launch.max_players;
    return row;
  }
  // Returns the number of the first row of actions that belong to a row of the batch.
  i64 first_action_of(const ActionInput& input, i64 row) const {
    if constexpr (kWorld) return input.per_player != 0 ? row * launch.max_players : row;
    return row;
  }
  void report(u64 why) const { *launch.fault = Fault{why, number(), 0}.packed(); }

 private:
  LaunchRow(const KernelLaunch& of, const typename Env::Params& shared, i64 row, bool has_row, i64 used)
      : launch(of),
        k(row),
        inside(has_row),
        index(of.batch, used),
        env(of.env_ids == nullptr ? of.first_env + used : of.env_ids[used]),
        settings(of, shared, index, env) {}
};

// Returns the actions of the first player of a row, or those of its world, as the caller gave them.
template <class Env>
const u8* given_actions(const LaunchRow<Env>& row, i32 f) {
  const ActionInput& input = row.launch.actions[f];
  return input.data + row.first_action_of(input, row.index.row(input.axes)) * input.row_stride;
}

// Returns the place for the same actions in the environment's dtype.
template <class Env>
u8* converted_actions(const LaunchRow<Env>& row, i32 f) {
  const ActionInput& input = row.launch.actions[f];
  return input.converted + row.first_action_of(input, row.k) * row.launch.action_bytes[f];
}

// Checks and converts the actions of a player; the first player's include those of the world. Returns false and reports
// a fault if a value is bad.
template <class Env>
bool take_actions(const LaunchRow<Env>& row, i64 player) {
  bool good = true;
  for (i32 f = 0; f < row.launch.num_actions; ++f) {
    const ActionInput& input = row.launch.actions[f];
    if (LaunchRow<Env>::kWorld && player > 0 && input.per_player == 0) continue;
    const bool converts = input.converted != nullptr;
    u8* const to = converts ? converted_actions(row, f) + player * row.launch.action_bytes[f] : nullptr;
    const i32 bad = take_row(input, given_actions(row, f) + player * input.row_stride, to);
    if (bad < 0) continue;
    *row.launch.fault = Fault{u64(f) + 1, row.number(), player * input.elements + bad}.packed();
    good = false;
  }
  return good;
}

// The actions of a row's players, which have been taken.
template <class Env>
struct RowActions {
  const void* fields[kMostActions];
  const i64* const row_bytes;

  explicit RowActions(const LaunchRow<Env>& row) : row_bytes(row.launch.action_bytes) {
    for (i32 f = 0; f < kMostActions; ++f) {
      if (f >= row.launch.num_actions) continue;
      fields[f] = row.launch.actions[f].converted == nullptr ? given_actions(row, f) : converted_actions(row, f);
    }
  }
  ActionRow at(i64 player) const { return {fields, row_bytes, player}; }
};

// Writes zeros into the rows of environment k in an array, each of `bytes` bytes. Faults are rare, so the code is
// short.
inline void clear_rows(void* array, i64 k, i64 bytes) {
  u8* const first = static_cast<u8*>(array) + k * bytes;
#pragma unroll 1
  for (i64 i = 0; i < bytes; ++i) first[i] = 0;
}

// Writes zeros into the results of a row that cannot be used.
inline void clear_results(const Launch& launch, i64 k) {
  const ResultColumns& columns = launch.columns;
  const bool steps = !launch.rules.begins;
  if (steps) {
    clear_rows(columns.reward, k, launch.max_players * i64{sizeof(f32)});
    clear_rows(columns.discount, k, launch.max_players * i64{sizeof(f32)});
    columns.terminated[k] = columns.truncated[k] = 0;
    columns.elapsed[k] = 0;
    if (columns.players != nullptr) columns.players[k] = 0;
  }
#pragma unroll 1
  for (i32 f = 0; f < launch.num_own; ++f) {
    const i64 bytes = launch.row_bytes[f] * (launch.per_player[f] != 0 ? launch.max_players : 1);
    if (steps) clear_rows(launch.stepped[f], k, bytes);
    clear_rows(launch.begun[f], k, bytes);
  }
}

// Checks a row and prepares its state for the turn. Returns what the environment does. `usable` becomes false if the
// row's options or state cannot be used; its results are then zero.
template <class Env>
Doing prepare(const LaunchRow<Env>& row, EnvSlot<StateOf<Env>>& it, bool& usable) {
  const Launch& launch = row.launch;
  const bool made = launch.held && launch.rules.begins;
  const bool foreign = launch.held && !made && it.episode.tag != launch.tag;
  usable = !row.settings.has_fault(row.number());
  if (usable && foreign) {
    row.report(Fault::kState);
    usable = false;
  }
  if (!usable) {
    clear_results(launch, row.k);
    return Doing::kNothing;
  }
  if (made) {  // the memory of the row has been zeroed
    new (&it) EnvSlot<StateOf<Env>>{};
    it.episode.tag = launch.tag;
  } else if (launch.repair) {
    it.episode.repair();
    repair<Env>(it.state, row.settings.params());
  }
  if (launch.keyed != abi::kKeepKey) {
    Rng& rng = it.episode.rng;
    rng.seed = row.key();
    if (launch.keyed == abi::kNewKeyAndStream) rng.stream = row.stream();
    if (launch.rules.begins) {
      it.episode.number = 0;
    } else {
      rng.draws = 0;
    }
  }
  const bool misnamed = launch.named != nullptr && launch.named[row.k] != row.env;
  const Doing doing = misnamed ? Doing::kNothing : doing_of(launch.rules, it.episode.over);
  if (doing == Doing::kNothing) row.report(misnamed ? Fault::kEnvId : Fault::kOver);
  return doing;
}

// Begins the next episode. Only one thread of a team calls it.
template <class Env>
void begin(LaunchRow<Env>& row, EnvSlot<StateOf<Env>>& it) {
  begin_episode<Env>(it.episode, it.state, row.settings.limit());
  const bool changed = row.settings.take_next();
  // A game of several lives may go on, so its state must fit the new parameters.
  if (changed && it.episode.elapsed > 0) repair<Env>(it.state, row.settings.params());
  Env::reset(it.state, row.settings.params(), it.episode.rng);
}

// Writes the results of a row that are not per player, except the numbers of players in a pool's world, which may
// change when the next episode begins.
inline void write_columns(const Launch& launch, i64 k, i64 env, i32 elapsed, const Outcome& outcome, Doing doing,
                          bool ended, i32 players) {
  const ResultColumns& columns = launch.columns;
  if (launch.held) {
    columns.terminated[k] = outcome.terminated;
    columns.truncated[k] = outcome.truncated;
    columns.elapsed[k] = elapsed;
    if (columns.players != nullptr) columns.players[k] = players;
    return;
  }
  columns.write(k, i32(env), elapsed, outcome, doing == Doing::kBegins, players);
  launch.done[k] = ended;
  if (doing != Doing::kNothing) launch.over_now[env] = ended;
}

// How an environment of one player takes its turn. The lanes of a warp write all their rows at once: the results and
// observations of rows that step are written with those of rows that begin an episode, in observe_begun(). Only the
// last observations before a restart are written earlier.
template <class Env>
class PlayerPlace {
 public:
  using Slot = EnvSlot<StateOf<Env>>;
  static constexpr bool kTogether = true;
  using Begun = PlayerPlace&;

  PlayerPlace(LaunchRow<Env>& row, WorkingState<Env, Slot>& working)
      : row_(row), working_(working), it_(working.get()), launch_(row.launch) {}

  Doing doing(const Rules&) { return row_.inside ? prepare<Env>(row_, it_, here_) : Doing::kNothing; }
  Doing step(Outcome& outcome, Doing doing) {
    if (doing != Doing::kSteps) return doing;
    if (!take_actions(row_, 0)) return Doing::kNothing;
    const RowActions<Env> actions(row_);
    outcome = Env::step(it_.state, row_.settings.params(), actions.at(0), it_.episode.rng);
    return doing;
  }
  bool conclude(Outcome& outcome, Doing doing) {
    return envpool::conclude(it_.episode, outcome, doing, row_.settings.limit());
  }
  void write(const Outcome& outcome, Doing doing, bool ended) {
    reward_ = outcome.reward;
    discount_ = outcome.discount;
    elapsed_ = here_ ? it_.episode.elapsed : 0;  // without a row, `it_` is another thread's
    flags_ = u32(outcome.terminated) | u32(outcome.truncated) << 1 | u32(ended) << 2 | u32(doing) << 3;
  }
  void observe(bool, bool restarts) {
    if (launch_.rules.restarts) observe({restarts, /*second=*/false, {launch_.ended, launch_.ended}});
  }
  void begin(bool begins, Doing) {
    if (!begins) return;
    row_.settings.begin_next(row_.number());
    device::begin(row_, it_);
  }
  void observe_begun(bool begins) {
    working_.store(here_);
    write_results();
    observe({here_, /*second=*/launch_.held && !begins, {launch_.begun, launch_.stepped}});
  }

 private:
  void write_results() const {
    const Doing doing = Doing(flags_ >> 3);
    if (!here_ || (launch_.held && doing == Doing::kBegins)) return;
    const Outcome outcome{
        .reward = reward_, .terminated = (flags_ & 1) != 0, .truncated = (flags_ & 2) != 0, .discount = discount_};
    write_columns(launch_, row_.k, row_.env, elapsed_, outcome, doing, (flags_ & 4) != 0, 1);
    launch_.columns.reward[row_.k] = outcome.reward;
    launch_.columns.discount[row_.k] = outcome.discount;
    if (!launch_.held) launch_.players_now[row_.env] = 1;
  }
  void observe(const Observed& observed) const {
    observe_one<Env>(it_.state, row_.settings.params(), launch_, row_.k, observed);
  }

  LaunchRow<Env>& row_;
  WorkingState<Env, Slot>& working_;
  Slot& it_;
  const Launch& launch_;
  f32 reward_, discount_;  // the results until they are written
  i32 elapsed_;
  u32 flags_;          // of the outcome, and `doing`, in one register
  bool here_ = false;  // whether the thread has a row that can be used
};

// Decisions of a team's first thread, shared with the other threads.
struct Decisions {
  Doing doing;
  bool here, ended;
  f32 discount;
};

// How a world takes its turn. The first thread of a team decides, begins episodes and concludes steps. All threads of a
// team have the same decisions, so they skip the barriers that their turn does not need.
template <class Env>
class WorldPlace {
 public:
  using Slot = EnvSlot<StateOf<Env>>;
  static constexpr bool kTogether = true;
  using Begun = WorldPlace&;

  WorldPlace(LaunchRow<Env>& row, const Team& team, Decisions& decided)
      : row_(row), team_(team), decided_(decided), it_(row.slot()), launch_(row.launch) {}

  Doing doing(const Rules&) {
    if (team_.leads()) {
      decided_.here = false;
      decided_.doing = row_.inside ? prepare<Env>(row_, it_, decided_.here) : Doing::kNothing;
    }
    team_.sync();
    here_ = decided_.here;
    return decided_.doing;
  }
  Doing step(Outcome& outcome, Doing doing) {
    if (doing != Doing::kSteps) return doing;
    bool good = true;
    team_.for_each(players(), [&](i32 agent) { good &= take_actions(row_, agent); });
    if (team_.any(!good)) return Doing::kNothing;
    const RowActions<Env> actions(row_);
    run_phases<Env, 0>(team_, it_.state, row_.settings.params(), it_.episode, launch_.max_players, actions);
    if (team_.leads()) outcome = Env::finish(it_.state, row_.settings.params(), it_.episode.rng);
    return doing;
  }
  bool conclude(Outcome& outcome, Doing doing) {
    if (doing != Doing::kSteps && doing != Doing::kStaysOver) return false;
    if (team_.leads()) {
      decided_.ended = envpool::conclude(it_.episode, outcome, doing, row_.settings.limit());
      decided_.discount = outcome.discount;
    }
    team_.sync();
    outcome.discount = decided_.discount;
    return decided_.ended;
  }
  void write(const Outcome& outcome, Doing doing, bool ended) {
    if (!here_ || (launch_.held && doing == Doing::kBegins)) return;
    players_then_ = players();
    if (team_.leads()) {
      write_columns(launch_, row_.k, row_.env, it_.episode.elapsed, outcome, doing, ended, players_then_);
      if (launch_.held) it_.episode.players = u16(players_then_);
    }
    team_.for_each(launch_.max_players, [&](i32 agent) {
      const bool present = agent < players_then_;
      launch_.columns.reward[first() + agent] = present && doing == Doing::kSteps ? Env::reward(it_.state, agent) : 0;
      launch_.columns.discount[first() + agent] = present ? outcome.discount : 0;
    });
  }
  void observe(bool, bool restarts) {
    if (launch_.rules.restarts) observe({restarts, /*second=*/false, {launch_.ended, launch_.ended}});
  }
  void begin(bool begins, Doing) {
    if (!begins) return;
    row_.settings.begin_next(row_.number());
    team_.sync();  // the other threads have read the state
    if (team_.leads()) {
      device::begin(row_, it_);
      if (launch_.held) it_.episode.players = u16(players());
    }
    team_.sync();
  }
  void observe_begun(bool begins) {
    observe({here_, /*second=*/launch_.held && !begins, {launch_.begun, launch_.stepped}});
  }
  // Writes the number of players in a pool's world: during the step or in the episode that has begun, whichever is
  // larger.
  void write_players() const {
    if (!here_ || launch_.held) return;
    const i32 now = players(), most = now > players_then_ ? now : players_then_;
    if (team_.leads()) launch_.columns.players[row_.k] = launch_.players_now[row_.env] = most;
    if (launch_.player_env_id == nullptr) return;
    team_.for_each(launch_.max_players,
                   [&](i32 agent) { launch_.player_env_id[first() + agent] = agent < most ? i32(row_.env) : -1; });
  }

 private:
  i64 first() const { return row_.first_player_of(row_.k); }
  i32 players() const { return players_of(it_.state, launch_.max_players); }
  void observe(const Observed& observed) const {
    observe_all<Env>(team_, it_.state, row_.settings.params(), launch_, row_.k, observed);
  }

  LaunchRow<Env>& row_;
  const Team& team_;
  Decisions& decided_;
  Slot& it_;
  const Launch& launch_;
  bool here_ = false;     // whether the team has a row that can be used
  i32 players_then_ = 0;  // when the results were written
};

// Takes the turn of a thread's row, or of a team's.
template <class Env>
void take_turn(const KernelLaunch& launch, const typename Env::Params& params) {
  if constexpr (requires { typename Env::Shared; }) {
    __shared__ Decisions decisions[Team::kTeams];
    const Team team;
    LaunchRow<Env> row(launch, params, i64{blockIdx.x} * Team::kTeams + team.number, true);
    WorldPlace<Env> place(row, team, decisions[team.number]);
    turn(place, launch.rules);
    place.write_players();
  } else {
    const i32 lane = i32(threadIdx.x) % kWarp;
    const i64 warp = i64{blockIdx.x} * (ENVPOOL_THREADS / kWarp) + i32(threadIdx.x) / kWarp;
    LaunchRow<Env> row(launch, params, warp * launch.lanes + lane, lane < launch.lanes);
    WorkingState<Env, EnvSlot<StateOf<Env>>> working(row.slot(), row.inside);
    PlayerPlace<Env> place(row, working);
    turn(place, launch.rules);
  }
}

// Copies the rows of an operand into contiguous rows, in words of 8 bytes. Each warp copies a row at a time.
inline void copy_rows(const Batch& batch, const Operand& from, u64* to) {
  const i64 words = from.row_bytes / 8;
  const u32 lane = threadIdx.x % u32{kWarp}, warp = threadIdx.x / u32{kWarp}, warps = blockDim.x / u32{kWarp};
#pragma unroll 1
  for (i64 row = i64{blockIdx.x} * warps + warp; row < batch.rows; row += i64{gridDim.x} * warps) {
    const u64* const source = reinterpret_cast<const u64*>(BatchIndex(batch, row).at(from));
#pragma unroll 1
    for (i64 word = lane; word < words; word += kWarp) to[row * words + word] = source[word];
  }
}

}  // namespace envpool::device

// Defines the kernels `envpool_turn` and `envpool_copy` of an environment. ENVPOOL_THREADS is the number of threads in
// a block. ENVPOOL_TEAM is the number of threads for a world of several players: all of a block, or a power of two that
// is at most 32.
#ifdef ENVPOOL_TUNED
#define ENVPOOL_TURN_KERNEL(Env)                                                                   \
  extern "C" __global__ void __launch_bounds__(ENVPOOL_THREADS)                                    \
      envpool_turn(const __grid_constant__ envpool::device::KernelLaunch launch) {                 \
    envpool::device::take_turn<Env>(launch, *reinterpret_cast<const Env::Params*>(launch.params)); \
  }
#else
#define ENVPOOL_TURN_KERNEL(Env)                                                                                  \
  extern "C" __global__ void __launch_bounds__(ENVPOOL_THREADS) envpool_turn(                                     \
      const __grid_constant__ envpool::device::KernelLaunch launch, const __grid_constant__ Env::Params params) { \
    envpool::device::take_turn<Env>(launch, params);                                                              \
  }
#endif
#define ENVPOOL_KERNEL(Env)                                                                   \
  ENVPOOL_TURN_KERNEL(Env)                                                                    \
  extern "C" __global__ void __launch_bounds__(ENVPOOL_THREADS)                               \
      envpool_copy(const __grid_constant__ envpool::device::Batch batch,                      \
                   const __grid_constant__ envpool::device::Operand from, envpool::u64* to) { \
    envpool::device::copy_rows(batch, from, to);                                              \
  }

#endif  // __CUDACC__
