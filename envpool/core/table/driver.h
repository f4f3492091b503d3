// SPDX-License-Identifier: Apache-2.0
//
// What all environments of a pool have in common: the three autoreset modes by the rules of episode.h, what a row holds
// besides the environment's own fields, and what becomes of an exception. The three contracts of env.h differ only in
// how an environment is made, reset, stepped and observed; each is a Contract struct below.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/core/env.h"
#include "envpool/core/math/rng.h"
#include "envpool/core/table/draws.h"
#include "envpool/core/table/episode.h"
#include "envpool/core/table/in_lanes.h"
#include "envpool/core/table/spec.h"
#include "envpool/core/table/vtable.h"

namespace envpool {

// Bytes that follow a State or World, its size set by options.
template <class Env>
i64 extra_bytes_of(const typename Env::Params& params) {
  if constexpr (requires { Env::extra_bytes(params); }) return Env::extra_bytes(params);
  return 0;
}

// What the environments of a pool share: resolved options, the fields' sizes, and an immutable blob (a ROM, a map).
template <class Env>
struct Model {
  typename Env::Params params;
  Blob blob;
  Spec spec;
  std::vector<abi::Field> fields{}, actions{};
  abi::Layout layout{};
  u32 tag = 0;  // of layout.identity, in each state that a caller holds; never 0

  void lay_out() {
    for (const FieldSpec& field : spec.fields) fields.push_back(view(field));
    for (const FieldSpec& field : spec.actions) actions.push_back(view(field));
    layout = {fields.data(),    actions.data(),     i32(fields.size()), i32(actions.size()),
              spec.max_players, spec.render_height, spec.render_width,  identity()};
    tag = u32(layout.identity) | 1;
  }

  // Returns whether the two can share states and parameters. Different models may have the same identity, because it is
  // a hash; this compares everything that the hash covers.
  bool same_as(const Model& other) const {
    const auto words = [](const Model& model) {
      std::vector<u64> all;
      model.each_word([&](u64 word) { all.push_back(word); });
      return all;
    };
    return words(*this) == words(other);
  }

 private:
  u64 identity() const {
    u64 mark = 0xCBF29CE484222325u;
    each_word([&](u64 word) {
      mark = (mark ^ word) * 0xD1342543DE82EF95u;
      mark ^= mark >> 32;
    });
    return mark;
  }
  // Calls `mix` with everything that decides whether two models can share states. That has no pointers, so it is the
  // same in every process.
  template <class Mix>
  void each_word(Mix&& mix) const {
    const auto mix_text = [&](const char* text) {
      for (; *text != 0; ++text) mix(u64(u8(*text)));
      mix(0);
    };
    mix_text(Env::kName);
    mix(sizeof(params));
    if constexpr (requires { typename Env::State; } || requires { typename Env::Shared; }) mix(sizeof(StateOf<Env>));
    for (const auto* list : {&fields, &actions}) {
      mix(list->size());
      for (const abi::Field& field : *list) {
        mix_text(field.name);
        mix(u64(field.dtype) << 32 | u64(field.per_player) << 16 | u64(field.dimensions));
        for (i32 i = 0; i < field.dimensions; ++i) mix(u64(field.shape[i]));
        mix(u64(field.discrete));
        for (i64 i = 0; field.counts != nullptr && i < field.row_bytes / dtype_size(field.dtype); ++i) {
          mix(u64(field.counts[i]));
        }
      }
    }
    mix(u64(spec.max_players));
    mix(u64(extra_bytes_of<Env>(params)));
    if constexpr (requires { Env::identity(params); }) mix(Env::identity(params));
    for (size_t i = 0; i < blob.size() / sizeof(u64); ++i) mix(reinterpret_cast<const u64*>(blob.data())[i]);
  }
  static abi::Field view(const FieldSpec& field) {
    const i64* counts = field.counts.empty() ? nullptr : field.counts.data();
    return {field.name.c_str(), field.dtype,       field.per_player, i32(field.shape.size()),
            field.shape.data(), field.row_bytes(), field.discrete,   counts};
  }
};

template <class Env>
struct PortableContract {
  using State = typename Env::State;
  using Params = typename Env::Params;
  static_assert(std::is_trivially_copyable_v<State>, "a portable State is plain data: no heap, no pointers to itself");
  static constexpr u32 kFlags = abi::kPortable | abi::kCanSnapshot;
  static constexpr bool kMayThrow = false;

  static State make(const Params&, i32) { return State{}; }
  static i64 extra_bytes(const Params& params) { return extra_bytes_of<Env>(params); }
  static i64 heap_bytes(const Params&) { return 0; }
  static void reset(State& state, const Params& params, Rng& rng) { Env::reset(state, params, rng); }
  static Outcome step(State& state, const Params& params, ActionRow action, Episode& episode, i32) {
    return Env::step(state, params, action, episode.rng);
  }
  // With words that are drawn already (draws.h).
  template <class Draws>
  static Outcome step(State& state, const Params& params, ActionRow action, Draws& draws, i32) {
    return Env::step(state, params, action, draws);
  }
  static i32 players(const State&) { return 1; }
  static f32 reward(const State&, const Outcome& outcome, i32) { return outcome.reward; }
  static void observe(State& state, const Params& params, Row row, i32) { Env::observe(state, params, row); }
};

template <class Env>
struct WorldContract {
  using State = World<Env>;
  using Params = typename Env::Params;
  static_assert(std::is_trivially_copyable_v<State>, "Shared and Agent are plain data: no heap, no pointers");
  static constexpr u32 kFlags = abi::kPortable | abi::kCanSnapshot;
  static constexpr bool kMayThrow = false;

  static State make(const Params&, i32) { return State{}; }
  static i64 extra_bytes(const Params& params) { return extra_bytes_of<Env>(params); }
  static i64 heap_bytes(const Params&) { return 0; }
  static void reset(State& world, const Params& params, Rng& rng) { Env::reset(world, params, rng); }
  static Outcome step(State& world, const Params& params, ActionRow action, Episode& episode, i32 max_players) {
    run_phases(world, params, action, episode, max_players, std::make_integer_sequence<int, Env::kPhases>{});
    return Env::finish(world, params, episode.rng);
  }
  static i32 players(const State& world) { return players_of(world, Env::kMaxPlayers); }
  static f32 reward(const State& world, const Outcome&, i32 player) { return Env::reward(world, player); }
  static void observe(const State& world, const Params& params, Row row, i32 max_players) {
    Env::observe_world(world, params, row);
    row.row *= max_players;
    const i32 count = players_of(world, max_players);
    for (i32 player = 0; player < count; ++player, ++row.row) Env::observe(world, params, player, row);
  }

 private:
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
  static constexpr u32 kFlags = (kSaves ? abi::kCanSnapshot : 0u) | (kBounded ? abi::kBounded : 0u);
  static constexpr bool kMayThrow = true;

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

// The environments of one pool, and the functions of their table.
template <class Env, class Contract>
class Driver {
 public:
  using State = typename Contract::State;
  static constexpr bool kRenders = requires(u8* rgb) {
    requires requires(const State& state, const typename Env::Params& p) { Env::render(state, p, rgb); } ||
                 requires(const State& state) { state->render(rgb); };
  };

  explicit Driver(const abi::Config& config) : max_players_(config.max_players) {
    for (i32 i = 0; i < config.num_envs; ++i) {
      const auto* model = static_cast<const Model<Env>*>(config.models[i]);
      const i64 bytes = bytes_of(model->params);
      settings_.push_back({&model->params, bytes, config.max_episode_steps[i], Lanes::available(model->params)});
      stride_ = std::max(stride_, bytes);
    }
    const auto* model = static_cast<const Model<Env>*>(config.models[0]);
    for (const FieldSpec& field : model->spec.fields) row_bytes_.push_back(field.row_bytes());
    for (const FieldSpec& field : model->spec.fields) per_player_.push_back(field.per_player);
    for (const FieldSpec& field : model->spec.actions) action_bytes_.push_back(field.row_bytes());
    memory_.reset(static_cast<u8*>(::operator new(size_t(stride_) * config.num_envs, std::align_val_t{64})));
    std::memset(memory_.get(), 0, size_t(stride_) * config.num_envs);
    try {
      for (; size_ < config.num_envs; ++size_) {
        Slot* slot = new (memory_.get() + stride_ * size_) Slot{{}, Contract::make(*settings_[size_].params, size_)};
        slot->episode.seed(config.seeds[size_], config.streams[size_]);
      }
    } catch (...) {  // C++ does not call the destructor of what was not made whole
      destroy_slots();
      throw;
    }
  }
  ~Driver() { destroy_slots(); }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Returns the memory that one environment takes, in bytes.
  static i64 env_bytes(const typename Env::Params& params) { return bytes_of(params) + Contract::heap_bytes(params); }

  void seed(i32 env_id, u64 seed, u32 stream) { slot(env_id).episode.seed(seed, stream); }

  void reset(const abi::Work& work) { run_all(work, true); }
  void step(const abi::Work& work) { run_all(work, false); }

  i64 save_size(i32 env_id) {
    if constexpr (requires { slot(env_id).state->save_size(); }) {
      return i64(sizeof(Episode)) + slot(env_id).state->save_size();
    } else {
      return settings_[size_t(env_id)].bytes;
    }
  }
  void save(i32 env_id, void* out) {
    Slot& from = slot(env_id);
    if constexpr (kPlain) {
      std::memcpy(out, static_cast<const void*>(&from), size_t(save_size(env_id)));
    } else if constexpr (requires { from.state->save(out); }) {
      std::memcpy(out, &from.episode, sizeof(Episode));
      from.state->save(static_cast<u8*>(out) + sizeof(Episode));
    }
  }
  void load(i32 env_id, const void* data, i64 size) {
    if (size != save_size(env_id)) {
      throw std::invalid_argument("state: expected " + std::to_string(save_size(env_id)) + " bytes, got " +
                                  std::to_string(size));
    }
    Slot& to = slot(env_id);
    if constexpr (kPlain) {
      std::memcpy(static_cast<void*>(&to), data, size_t(size));
      repair<Env>(to.state, *settings_[size_t(env_id)].params);
    } else if constexpr (requires { to.state->load(data, size); }) {
      to.state->load(static_cast<const u8*>(data) + sizeof(Episode), size - i64(sizeof(Episode)));
      std::memcpy(static_cast<void*>(&to.episode), data, sizeof(Episode));
    }
    to.episode.repair();
  }
  void render(i32 env_id, u8* rgb) {
    Slot& from = slot(env_id);
    if constexpr (requires { from.state->render(rgb); }) {
      from.state->render(rgb);
    } else if constexpr (requires { Env::render(from.state, *settings_[env_id].params, rgb); }) {
      Env::render(from.state, *settings_[env_id].params, rgb);
    }
  }

 private:
  using Slot = EnvSlot<State>;
  static constexpr bool kPlain = (Contract::kFlags & abi::kPortable) != 0;  // a state is plain data
  struct Setting {
    const typename Env::Params* params;
    i64 bytes;  // of a state
    i32 max_episode_steps;
    bool in_lanes;
  };
  using Lanes = InLanes<Env>;
  // A power of two; what so many read and write stays in a processor's first cache.
  static constexpr i32 kMostAtOnce = 64;
  struct Free {
    void operator()(u8* memory) const { ::operator delete(memory, std::align_val_t{64}); }
  };

  static i64 bytes_of(const typename Env::Params& params) { return slot_bytes<State>(Contract::extra_bytes(params)); }
  Slot& slot(i32 env_id) { return *std::launder(reinterpret_cast<Slot*>(memory_.get() + stride_ * env_id)); }
  void destroy_slots() {
    for (i32 i = 0; i < size_; ++i) slot(i).~Slot();
  }

  // Where rows are written: the common fields' columns by name, the environment's own by number.
  struct RowColumns : ResultColumns {
    void* const* own;
    void* const* own_final;  // null unless autoreset is same-step

    explicit RowColumns(const abi::Rows& rows)
        : ResultColumns{static_cast<f32*>(rows.fields[abi::kReward]),    static_cast<f32*>(rows.fields[abi::kDiscount]),
                        static_cast<u8*>(rows.fields[abi::kTerminated]), static_cast<u8*>(rows.fields[abi::kTruncated]),
                        static_cast<i32*>(rows.fields[abi::kStepType]),  static_cast<i32*>(rows.fields[abi::kEnvId]),
                        static_cast<i32*>(rows.fields[abi::kElapsed]),   static_cast<i32*>(rows.fields[abi::kPlayers])},
          own(rows.fields + abi::kCommonFields),
          own_final(rows.final_fields == nullptr ? nullptr : rows.final_fields + abi::kCommonFields) {}
  };

  // Rows in the order of the work (sync), or each claimed when its results are there (async).
  struct InOrder {
    static constexpr bool kFollow = true;
    RowColumns columns;
    i64 first;
    std::pair<RowColumns, i64> operator()(i32 k) const { return {columns, first + k}; }
  };
  struct AsTheyCome {
    static constexpr bool kFollow = false;
    const abi::Work& work;
    std::pair<RowColumns, i64> operator()(i32 k) const {
      const abi::Rows rows = work.claim(work.context, work.env_ids[k]);
      return {RowColumns(rows), i64(rows.row)};
    }
  };

  void run_all(const abi::Work& work, bool restart) {
    if (work.rows.fields == nullptr) {
      run_all(work, restart, AsTheyCome{work});
    } else {
      run_all(work, restart, InOrder{RowColumns(work.rows), i64(work.rows.row)});
    }
  }
  // `place` by value: whatever environments write could alias members, and would make the compiler load them again each
  // time.
  template <class Place>
  void run_all(const abi::Work& work, bool restart, const Place place) {
    for (i32 k = 0; k < work.count;) {
      if constexpr (Lanes::kLanes > 1) {
        const i32 count = restart ? 0 : run_in_lanes(work, k, place);
        k += count;
        if (count > 0) continue;
      }
      if constexpr (kTakesDrawn<Env>) {
        const i32 count = restart ? 0 : run_drawn(work, k, place);
        k += count;
        if (count > 0) continue;
      }
      run(work, k, restart, place, slot(work.env_ids[k]).episode);
      ++k;
    }
  }

  // An environment restarts when asked to, when its last episode is over, and when its step threw. `draws` is its
  // episode, or what its step is given in place of the generator.
  template <class Place, class Draws>
  ENVPOOL_ALWAYS_INLINE void run(const abi::Work& work, i32 k, bool restart, const Place& place, Draws&& draws) {
    const i32 env_id = work.env_ids[k];
    const Setting& setting = settings_[size_t(env_id)];
    Slot& it = slot(env_id);
    restart |= it.episode.over;
    Outcome outcome;
    bool healthy = true;
    if (!restart) {
      const ActionRow action{work.actions, action_bytes_.data(), i64(env_id) * max_players_};
      restart = !guarded(work, env_id,
                         [&] { outcome = Contract::step(it.state, *setting.params, action, draws, max_players_); });
    }
    if (restart) {
      outcome = {};
      healthy = guarded(work, env_id, [&] { begin(it, setting); });
    }
    const auto [columns, row] = place(k);
    healthy = conclude(work, env_id, outcome, restart, healthy, columns, row);
    if (healthy) healthy = guarded(work, env_id, [&] { observe(it, setting, columns.own, row); });
    if (!healthy) {
      it.episode.over = true;
      clear(columns.own, row);
    }
  }

  // Runs those that follow each other from number k of the work on, with words that are drawn for all of them at once,
  // as many as come by the eight. Returns how many they were.
  template <class Place>
  i32 run_drawn(const abi::Work& work, i32 k, const Place& place) {
    const i32 first = work.env_ids[k];
    i32 count = 0;
    while (count < std::min(work.count - k, kMostAtOnce) && work.env_ids[k + count] == first + count) ++count;
    Ahead<Env, kMostAtOnce> ahead;
    count = i32(ahead.of(count));
    if (count > 0) ahead.draw(slot(first).episode.rng, stride_, count);
    for (i32 i = 0; i < count; ++i) run(work, k + i, false, place, ahead.give(slot(first + i).episode.rng, i));
    return count;
  }

  // Steps those in lanes that follow each other from number k of the work on, in the middle of their episodes and with
  // the same options, as many as make whole groups. Returns how many they were.
  template <class Place>
  i32 run_in_lanes(const abi::Work& work, i32 k, const Place& place) {
    const i32 first = work.env_ids[k];
    const Setting& setting = settings_[size_t(first)];
    if (!setting.in_lanes) return 0;
    const i32 most = std::min(work.count - k, kMostAtOnce);
    i32 count = 0;
    while (count < most && work.env_ids[k + count] == first + count &&
           settings_[size_t(first + count)].params == setting.params && !slot(first + count).episode.over) {
      ++count;
    }
    count -= count % Lanes::kLanes;
    if (count == 0) return 0;
    f32 reward[kMostAtOnce];
    u8 terminated[kMostAtOnce];
    const typename Lanes::States states{reinterpret_cast<u8*>(&slot(first).state), stride_, count};
    Lanes::step(states, *setting.params, ActionRow{work.actions, action_bytes_.data(), first}, {reward, terminated});
    for (i32 i = 0; i < count; ++i) {
      const auto [columns, row] = place(k + i);
      const Outcome outcome{.reward = reward[i], .terminated = terminated[i] != 0};
      conclude(work, first + i, outcome, false, true, columns, row);
      if (!Place::kFollow) observe(slot(first + i), setting, columns.own, row);
    }
    if constexpr (Place::kFollow) {
      const auto [columns, row] = place(k);
      Lanes::observe(states, *setting.params, Row{columns.own, row_bytes_.data(), row});
    }
    return count;
  }

  // Writes what a step or a restart came to, all but the observation that comes next. Where an episode ended that goes
  // on in the same step, the next one begins. False where an environment could do less than that.
  ENVPOOL_ALWAYS_INLINE bool conclude(const abi::Work& work, i32 env_id, Outcome outcome, bool restarted, bool healthy,
                                      const RowColumns& columns, i64 row) {
    const Setting& setting = settings_[size_t(env_id)];
    Slot& it = slot(env_id);
    Episode& episode = it.episode;
    const bool ended = episode.conclude(outcome, setting.max_episode_steps, !restarted);
    if (!healthy) episode.over = true;
    const i32 players = count_players(it);
    columns.write(row, env_id, episode, outcome, restarted, players);
    for (i32 player = 0; player < players; ++player) {
      columns.reward[row * max_players_ + player] = restarted ? 0.0f : Contract::reward(it.state, outcome, player);
      columns.discount[row * max_players_ + player] = outcome.discount;
    }
    if (columns.own_final != nullptr && ended) {
      healthy = guarded(work, env_id, [&] {
        observe(it, setting, columns.own_final, row);
        begin(it, setting);
      });
      episode.over = !healthy;
      fill_up(columns, row, players, count_players(it));
    }
    return healthy;
  }

  void begin(Slot& it, const Setting& setting) {
    it.episode.begin();
    Contract::reset(it.state, *setting.params, it.episode.rng);
  }

  i32 count_players(const Slot& it) const {
    const i32 count = Contract::players(it.state);
    return count < max_players_ ? count : max_players_;
  }

  // Where an episode of `before` players made room for one of `after` in the same row, whoever is in one alone has
  // zeros for the other.
  void fill_up(const RowColumns& columns, i64 row, i32 before, i32 after) {
    if (before == after) return;
    columns.players[row] = before > after ? before : after;
    for (i32 player = before; player < after; ++player) {
      columns.reward[row * max_players_ + player] = columns.discount[row * max_players_ + player] = 0;
    }
    for (size_t f = 0; f < row_bytes_.size(); ++f) {
      if (!per_player_[f]) continue;
      void* const fields = (before > after ? columns.own : columns.own_final)[f];
      const i64 first = before > after ? after : before, last = before > after ? before : after;
      std::memset(static_cast<u8*>(fields) + (row * max_players_ + first) * row_bytes_[f], 0,
                  size_t((last - first) * row_bytes_[f]));
    }
  }

  void observe(Slot& it, const Setting& setting, void* const* fields, i64 row) {
    Contract::observe(it.state, *setting.params, Row{fields, row_bytes_.data(), row}, max_players_);
  }

  // The row of an environment that could not even be reset or observed: zeros, never stale memory.
  void clear(void* const* fields, i64 row) {
    for (size_t f = 0; f < row_bytes_.size(); ++f) {
      const i64 bytes = row_bytes_[f] * (per_player_[f] ? max_players_ : 1);
      std::memset(static_cast<u8*>(fields[f]) + row * bytes, 0, size_t(bytes));
    }
  }

  template <class Action>
  static bool guarded(const abi::Work& work, i32 env_id, Action&& action) {
    if constexpr (!Contract::kMayThrow) {
      action();
      return true;
    } else {
      try {
        action();
        return true;
      } catch (const std::exception& error) {
        work.fail(work.context, env_id, error.what());
      } catch (...) {
        work.fail(work.context, env_id, "threw something that is not a std::exception");
      }
      return false;
    }
  }

  const i32 max_players_;
  std::vector<Setting> settings_;
  std::vector<i64> row_bytes_, action_bytes_;
  std::vector<u8> per_player_;
  i64 stride_ = 0;
  i32 size_ = 0;
  std::unique_ptr<u8, Free> memory_;
};

}  // namespace envpool
