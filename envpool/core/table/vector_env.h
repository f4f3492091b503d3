// SPDX-License-Identifier: Apache-2.0
//
// Implements the functions of a table for the environments of one pool: the three autoreset modes by the rules of
// episode.h, the common fields, and the handling of exceptions. The three contracts of env.h differ only in how an
// environment is created, reset, stepped and observed (see contract_calls.h).
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

#include "envpool/core/aligned_memory.h"
#include "envpool/core/env.h"
#include "envpool/core/math/rng.h"
#include "envpool/core/table/contract_calls.h"
#include "envpool/core/table/episode.h"
#include "envpool/core/table/host_options.h"
#include "envpool/core/table/in_lanes.h"
#include "envpool/core/table/model.h"
#include "envpool/core/table/next_options.h"
#include "envpool/core/table/prefetched_rng.h"
#include "envpool/core/table/result_rows.h"
#include "envpool/core/table/spec.h"
#include "envpool/core/table/vtable.h"

namespace envpool {

// The environments of one pool, stored contiguously.
template <class Env, class Contract>
class VectorEnv {
 public:
  using State = typename Contract::State;
  static constexpr bool kRenders = requires(u8* rgb) {
    requires requires(const State& state, const typename Env::Params& p) { Env::render(state, p, rgb); } ||
                 requires(const State& state) { state->render(rgb); };
  };
  static constexpr bool kCancels = requires(State& state) { state->cancel(); };
  static constexpr bool kTakesResetOptions =
      requires(State& state, const void* data) { state->reset_options(data, i64{}); };

  static constexpr bool kPlain = (Contract::kFlags & abi::kPortable) != 0;   // states are plain data
  static constexpr bool kOptionsChange = kPlain || HasChangingOptions<Env>;  // from episode to episode

  explicit VectorEnv(const abi::Config& config) : max_players_(config.max_players), next_options_(config) {
    for (i32 i = 0; i < config.num_envs; ++i) {
      const auto* model = static_cast<const Model<Env>*>(config.models[i]);
      const i64 bytes = bytes_of(model->params);
      settings_.push_back({&model->params, bytes, config.max_episode_steps[i], Lanes::available(model->params)});
      stride_ = std::max(stride_, bytes);
    }
    const auto* model = static_cast<const Model<Env>*>(config.models[0]);
    for (const FieldSpec& field : model->spec.fields) row_bytes_.push_back(field.row_bytes());
    for (const FieldSpec& field : model->spec.fields) per_player_.push_back(field.is_per_player);
    for (const FieldSpec& field : model->spec.actions) action_bytes_.push_back(field.row_bytes());
    memory_ = allocate_zeroed(stride_ * config.num_envs);
    try {
      for (; size_ < config.num_envs; ++size_) {
        Slot* slot = new (memory_.get() + stride_ * size_) Slot{{}, Contract::make(*settings_[size_].params, size_)};
        slot->episode.seed(config.seeds[size_], config.streams[size_]);
      }
      if constexpr (requires(State& state) { state->start(); }) {
        for (i32 i = 0; i < size_; ++i) slot(i).state->start();
        for (i32 i = 0; i < size_; ++i) slot(i).state->finish_start();
      }
    } catch (...) {  // the destructor does not run if the constructor throws
      destroy_slots();
      throw;
    }
  }
  ~VectorEnv() { destroy_slots(); }
  VectorEnv(const VectorEnv&) = delete;
  VectorEnv& operator=(const VectorEnv&) = delete;

  // Returns the bytes of one environment.
  static i64 env_bytes(const typename Env::Params& params) { return bytes_of(params) + Contract::heap_bytes(params); }

  void seed(i32 env_id, u64 seed, u32 stream) { slot(env_id).episode.seed(seed, stream); }

  void cancel() {
    if constexpr (kCancels) {
      for (i32 i = 0; i < size_; ++i) slot(i).state->cancel();
    }
  }

  void reset(const abi::Work& work) { run_all(work, Operation::kReset); }
  void step(const abi::Work& work) { run_all(work, Operation::kStep); }

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
      clear_derived<Env>(static_cast<u8*>(out) + sizeof(Slot), *settings_[size_t(env_id)].params);
    } else if constexpr (requires { from.state->save(out); }) {
      std::memcpy(out, &from.episode, sizeof(Episode));
      from.state->save(static_cast<u8*>(out) + sizeof(Episode));
    }
  }
  void load(i32 env_id, const void* data, i64 size) {
    if constexpr (requires { Env::kStatesVary; }) {
      if (size < i64(sizeof(Episode))) {
        throw std::invalid_argument("state: expected at least " + std::to_string(sizeof(Episode)) + " bytes, got " +
                                    std::to_string(size));
      }
    } else if (size != save_size(env_id)) {
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
  // Writes a row as a reset does. The outcome of the last step is not part of the state, so the row has no reward.
  void observe(i32 env_id, const abi::ResultRows& rows) {
    Slot& from = slot(env_id);
    const RowColumns columns(rows);
    const i32 players = count_players(from);
    columns.write(rows.row, env_id, from.episode, Outcome{}, from.episode.elapsed == 0, players);
    std::fill_n(columns.reward + i64(rows.row) * max_players_, players, 0.0f);
    std::fill_n(columns.discount + i64(rows.row) * max_players_, players, 1.0f);
    observe(from, settings_[size_t(env_id)], columns.own, rows.row);
    if (columns.own_final != nullptr) clear_fields(columns.own_final, rows.row);
  }
  void reset_options(i32 env_id, const void* data, i64 size) {
    if constexpr (kTakesResetOptions) slot(env_id).state->reset_options(data, size);
  }
  void set_options(const i32* env_ids, i32 count, const i32* options, i32 num_options, const f64* values) {
    if constexpr (kOptionsChange) {
      next_options_.set(env_ids, count, options, num_options, values, [this](i32 env_id) {
        const EnvSettings& settings = settings_[size_t(env_id)];
        const std::shared_ptr<void> nobody;  // the pool owns the models
        return OptionsOfEnv<Env>{{nobody, settings.params}, settings.max_episode_steps};
      });
    }
  }
  void get_options(i32 env_id, f64* values) const {
    const EnvSettings& settings = settings_[size_t(env_id)];
    if constexpr (kOptionsChange) next_options_.read(env_id, *settings.params, settings.max_episode_steps, values);
  }

 private:
  enum class Operation { kReset, kStep };
  using Slot = EnvSlot<State>;
  struct EnvSettings {
    const typename Env::Params* params;
    i64 bytes;  // of a state
    i32 max_episode_steps;
    bool in_lanes;
  };
  using Lanes = InLanes<Env>;
  // A power of two, small enough that the data of this many environments stays in the L1 cache.
  static constexpr i32 kMaxRun = 64;

  static i64 bytes_of(const typename Env::Params& params) { return slot_bytes<State>(Contract::extra_bytes(params)); }
  Slot& slot(i32 env_id) { return *std::launder(reinterpret_cast<Slot*>(memory_.get() + stride_ * env_id)); }
  void destroy_slots() {
    for (i32 i = 0; i < size_; ++i) slot(i).~Slot();
  }

  void run_all(const abi::Work& work, Operation operation) {
    if (work.rows.fields == nullptr) {
      run_all(work, operation, ClaimedRows{work});
    } else if constexpr (kIsSmall) {
      run_all_inlined(work, operation, ConsecutiveRows{RowColumns(work.rows), i64(work.rows.row)});
    } else {
      run_all(work, operation, ConsecutiveRows{RowColumns(work.rows), i64(work.rows.row)});
    }
  }
#ifdef __SANITIZE_ADDRESS__
  static constexpr bool kIsSanitized = true;
#else
  static constexpr bool kIsSanitized = false;
#endif
  // Inlines everything into the loop. The step of a small environment takes a few nanoseconds, and a call of it would
  // take as many, because rows and outcomes are passed in memory. Large environments, and those that other processes
  // step, would only take longer to compile. With a sanitizer, small ones would take minutes to compile, too.
  static constexpr bool kIsSmall =
      sizeof(typename Contract::State) <= 64 && !requires { typename Env::CallBatch; } && !kIsSanitized;
  template <class RowSource>
  [[gnu::flatten]] void run_all_inlined(const abi::Work& work, Operation operation, const RowSource& row_source) {
    run_all(work, operation, row_source);
  }
  // `row_source` is passed by value: what environments write could alias a reference, so the compiler would have to
  // reload it for every environment.
  template <class RowSource>
  void run_all(const abi::Work& work, Operation operation, const RowSource row_source) {
    const bool restart = operation == Operation::kReset;
    if constexpr (requires { typename Env::CallBatch; }) {
      run_delegated(work, restart, row_source);
      return;
    }
    if constexpr (SteppedInGroups<Env>) {
      if (!restart) {
        run_in_groups(work, row_source);
        return;
      }
    }
    for (i32 k = 0; k < work.count;) {
      if constexpr (Lanes::kLanes > 1) {
        const i32 count = restart ? 0 : run_in_lanes(work, k, row_source);
        k += count;
        if (count > 0) continue;
      }
      if constexpr (kTakesPrefetchedRng<Env>) {
        const i32 count = restart ? 0 : run_prefetched(work, k, row_source);
        k += count;
        if (count > 0) continue;
      }
      run(work, k, restart, row_source, slot(work.env_ids[k]).episode);
      ++k;
    }
  }

  // Posts the calls of all environments before it waits for the first result, so that they run at the same time.
  template <class RowSource>
  void run_delegated(const abi::Work& work, bool restart, const RowSource& row_source) {
    using CallBatch = typename Env::CallBatch;
    for (i32 first = 0; first < work.count; first += CallBatch::kMax) {
      CallBatch calls(work, RowSource::kConsecutive);
      for (i32 k = first; k < std::min(work.count, first + CallBatch::kMax); ++k) {
        const i32 env_id = work.env_ids[k];
        Slot& it = slot(env_id);
        if (restart || it.episode.over) {
          Episode next = it.episode;  // a copy; run() later begins the episode itself and draws the same numbers
          next.begin();
          calls.reset(*it.state, next.rng);
        } else {
          calls.step(*it.state, ActionRow{work.actions, action_bytes_.data(), i64(env_id) * max_players_});
        }
      }
      for (i32 k; (k = calls.next()) >= 0;) {
        run(work, first + k, restart, row_source, slot(work.env_ids[first + k]).episode);
      }
    }
  }

  // Resets or steps environment k of the work. It is also reset if its episode is over, and if its step throws. `draws`
  // is the prefetched generator for the step, or the episode, whose generator is then used.
  template <class RowSource, class Draws>
  ENVPOOL_ALWAYS_INLINE void run(const abi::Work& work, i32 k, bool restart, const RowSource& row_source,
                                 Draws&& draws) {
    const i32 env_id = work.env_ids[k];
    EnvSettings& settings = settings_[size_t(env_id)];
    Slot& it = slot(env_id);
    restart |= it.episode.over;
    Outcome outcome;
    bool healthy = true;
    if (!restart) {
      const ActionRow action{work.actions, action_bytes_.data(), i64(env_id) * max_players_};
      restart = !run_guarded(
          work, env_id, [&] { outcome = Contract::step(it.state, *settings.params, action, draws, max_players_); });
    }
    if (restart) {
      outcome = {};
      healthy = run_guarded(work, env_id, [&] { begin(it, settings); });
    }
    const auto [columns, row] = row_source(k);
    const bool before = healthy;
    healthy = false;
    if (!run_guarded(work, env_id, [&] { healthy = conclude(work, env_id, outcome, restart, before, columns, row); })) {
      columns.write(row, env_id, it.episode, outcome, restart, 0);  // reward() or players() threw: no player has a row
    }
    if (healthy) healthy = run_guarded(work, env_id, [&] { observe(it, settings, columns.own, row); });
    if (!healthy) {
      it.episode.over = true;
      clear_fields(columns.own, row);
    }
  }

  // Steps a run of environments with consecutive ids, beginning with environment k of the work, with prefetched random
  // words. Returns their number, which is a multiple of eight or 0.
  template <class RowSource>
  i32 run_prefetched(const abi::Work& work, i32 k, const RowSource& row_source) {
    const i32 first = work.env_ids[k];
    i32 count = 0;
    while (count < std::min(work.count - k, kMaxRun) && work.env_ids[k + count] == first + count) ++count;
    PrefetchedRngs<Env, kMaxRun> prefetched;
    count = i32(prefetched.batch_size(count));
    if (count > 0) prefetched.prefetch(slot(first).episode.rng, stride_, count);
    for (i32 i = 0; i < count; ++i)
      run(work, k + i, /*restart=*/false, row_source, prefetched.rng(slot(first + i).episode.rng, i));
    return count;
  }

  // Steps a run of environments with consecutive ids in lanes, beginning with environment k of the work. They must have
  // the same options, and none of their episodes may be over. Returns their number, which is a multiple of kLanes or 0.
  template <class RowSource>
  i32 run_in_lanes(const abi::Work& work, i32 k, const RowSource& row_source) {
    const i32 first = work.env_ids[k];
    const EnvSettings& settings = settings_[size_t(first)];
    if (!settings.in_lanes) return 0;
    const i32 limit = std::min(work.count - k, kMaxRun);
    i32 count = 0;
    while (count < limit && work.env_ids[k + count] == first + count &&
           settings_[size_t(first + count)].params == settings.params && !slot(first + count).episode.over) {
      ++count;
    }
    count -= count % Lanes::kLanes;
    if (count == 0) return 0;
    f32 reward[kMaxRun];
    u8 terminated[kMaxRun];
    const typename Lanes::States states{reinterpret_cast<u8*>(&slot(first).state), stride_, count};
    const bool stepped = run_guarded(work, first, [&] {
      const ActionRow action{work.actions, action_bytes_.data(), first};
      Lanes::step(states, *settings.params, action, {reward, terminated});
    });
    if (!stepped) {  // which lane threw is unknown, so all of them begin a new episode
      for (i32 i = 0; i < count; ++i) slot(first + i).episode.over = true;
      return 0;
    }
    for (i32 i = 0; i < count; ++i) {
      const auto [columns, row] = row_source(k + i);
      const Outcome outcome{.reward = reward[i], .terminated = terminated[i] != 0};
      conclude(work, first + i, outcome, /*restarted=*/false, /*healthy=*/true, columns, row);
      if (!RowSource::kConsecutive)
        observe_guarded(work, first + i, 1, columns, row,
                        [&] { observe(slot(first + i), settings, columns.own, row); });
    }
    if constexpr (RowSource::kConsecutive) {
      const auto [columns, row] = row_source(k);
      // With same-step autoreset, an episode may have begun with other options.
      const bool alike = columns.own_final == nullptr || can_share_lanes(first, count);
      observe_guarded(work, first, count, columns, row, [&] {
        if (alike) {
          Lanes::observe(states, *settings.params, Row{columns.own, row_bytes_.data(), row});
        } else {
          for (i32 i = 0; i < count; ++i) observe(slot(first + i), settings_[size_t(first + i)], columns.own, row + i);
        }
      });
    }
    return count;
  }

  // Returns whether consecutive environments have the same options, with which they can be stepped in lanes.
  bool can_share_lanes(i32 first, i32 count) const {
    const EnvSettings* const of = &settings_[size_t(first)];
    bool same = of[0].in_lanes;
    for (i32 i = 1; i < count; ++i) same &= of[i].params == of[0].params;
    return same;
  }

  // Steps environments in groups. The episodes of the members of a group are not over.
  template <class RowSource>
  void run_in_groups(const abi::Work& work, const RowSource& row_source) {
    i32 members[Env::kGroup], count = 0;  // the numbers of the members within the work
    for (i32 k = 0; k < work.count; ++k) {
      const i32 env_id = work.env_ids[k];
      if (!settings_[size_t(env_id)].in_lanes || slot(env_id).episode.over) {
        run(work, k, /*restart=*/false, row_source, slot(env_id).episode);
        continue;
      }
      if (count == Env::kGroup) {
        run_group(work, members, count, row_source);
        count = 0;
      }
      members[count++] = k;
    }
    run_group(work, members, count, row_source);
  }
  template <class RowSource>
  void run_group(const abi::Work& work, const i32* members, i32 count, const RowSource& row_source) {
    State* states[Env::kGroup];
    const typename Env::Params* params[Env::kGroup];
    Rng* rngs[Env::kGroup];
    ActionRow actions[Env::kGroup];
    Outcome outcomes[Env::kGroup];
    for (i32 i = 0; i < count; ++i) {
      const i32 env_id = work.env_ids[members[i]];
      states[i] = &slot(env_id).state;
      params[i] = settings_[size_t(env_id)].params;
      rngs[i] = &slot(env_id).episode.rng;
      actions[i] = {work.actions, action_bytes_.data(), env_id};
    }
    const bool in_group = count >= kLeastGroup;
    bool stepped = false;
    if (in_group) {
      stepped = run_guarded(work, work.env_ids[members[0]],
                            [&] { Env::step_group(states, count, params, actions, rngs, outcomes); });
    }
    for (i32 i = 0; i < count; ++i) {
      const i32 k = members[i], env_id = work.env_ids[k];
      Slot& it = slot(env_id);
      if (!stepped) {
        it.episode.over = in_group;  // which member threw is unknown, so all of them begin a new episode
        run(work, k, /*restart=*/false, row_source, it.episode);
        continue;
      }
      const auto [columns, row] = row_source(k);
      conclude(work, env_id, outcomes[i], /*restarted=*/false, /*healthy=*/true, columns, row);
      observe_guarded(work, env_id, 1, columns, row, [&] { observe(it, settings_[size_t(env_id)], columns.own, row); });
    }
  }

  // Runs `action`, which observes consecutive environments. If it throws, their rows are zeroed, and their next step
  // resets them.
  template <class Action>
  ENVPOOL_ALWAYS_INLINE void observe_guarded(const abi::Work& work, i32 first, i32 count, const RowColumns& columns,
                                             i64 row, Action&& action) {
    if (run_guarded(work, first, action)) return;
    for (i32 i = 0; i < count; ++i) {
      slot(first + i).episode.over = true;
      clear_fields(columns.own, row + i);
    }
  }

  // Writes the results of a step or reset, except for the observation. With same-step autoreset, begins the next
  // episode if one ended. Returns false if the environment threw.
  ENVPOOL_ALWAYS_INLINE bool conclude(const abi::Work& work, i32 env_id, Outcome outcome, bool restarted, bool healthy,
                                      const RowColumns& columns, i64 row) {
    EnvSettings& settings = settings_[size_t(env_id)];
    Slot& it = slot(env_id);
    Episode& episode = it.episode;
    const bool ended = episode.conclude(outcome, settings.max_episode_steps, !restarted);
    if (!healthy) episode.over = true;
    const i32 players = count_players(it);
    columns.write(row, env_id, episode, outcome, restarted, players);
    for (i32 player = 0; player < players; ++player) {
      columns.reward[row * max_players_ + player] = restarted ? 0.0f : Contract::reward(it.state, outcome, player);
      columns.discount[row * max_players_ + player] = outcome.discount;
    }
    if (columns.own_final != nullptr && ended) {
      healthy = run_guarded(work, env_id, [&] {
        observe(it, settings, columns.own_final, row);
        begin(it, settings);
      });
      episode.over = !healthy;
      clear_absent_players(columns, row, players, count_players(it));
    }
    return healthy;
  }

  // Not inlined, because episodes begin rarely and its code would take registers from the loop over steps.
  ENVPOOL_NOINLINE void begin(Slot& it, EnvSettings& settings) {
    if constexpr (kPlain) {
      begin_episode<Env>(it.episode, it.state, settings.max_episode_steps);
    } else {
      it.episode.begin();
    }
    if constexpr (kOptionsChange) {
      if (const auto* next = next_options_.begin(i32(&settings - settings_.data()))) {
        settings.max_episode_steps = next->max_episode_steps;
        if constexpr (kPlain) {
          settings.params = next->params.get();
          settings.in_lanes = Lanes::available(*settings.params);
          if (it.episode.elapsed > 0) repair<Env>(it.state, *settings.params);  // a game of several lives goes on
        } else {
          it.state->use(next->setup);
        }
      }
    }
    Contract::reset(it.state, *settings.params, it.episode.rng);
  }

  i32 count_players(const Slot& it) const {
    const i32 count = Contract::players(it.state);
    return count < max_players_ ? count : max_players_;
  }

  // With same-step autoreset, a row has all players of the episode that ended and of the next episode. Writes zeros
  // for the players that are absent from one of the two.
  void clear_absent_players(const RowColumns& columns, i64 row, i32 before, i32 after) {
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

  void observe(Slot& it, const EnvSettings& settings, void* const* fields, i64 row) {
    Contract::observe(it.state, *settings.params, Row{fields, row_bytes_.data(), row}, max_players_);
  }

  // Zeroes the row of an environment whose reset or observation threw, so that it does not expose stale memory.
  void clear_fields(void* const* fields, i64 row) {
    for (size_t f = 0; f < row_bytes_.size(); ++f) {
      const i64 bytes = row_bytes_[f] * (per_player_[f] ? max_players_ : 1);
      std::memset(static_cast<u8*>(fields[f]) + row * bytes, 0, size_t(bytes));
    }
  }

  // Runs `action`. If it throws, reports the exception and returns false.
  template <class Action>
  ENVPOOL_ALWAYS_INLINE static bool run_guarded(const abi::Work& work, i32 env_id, Action&& action) {
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
  std::vector<EnvSettings> settings_;
  typename NextOptionsFrom<Env, Contract>::Type next_options_;
  std::vector<i64> row_bytes_, action_bytes_;
  std::vector<u8> per_player_;
  i64 stride_ = 0;
  i32 size_ = 0;
  AlignedMemory memory_;
};

}  // namespace envpool
