// SPDX-License-Identifier: Apache-2.0
//
// Implements the functions of a table for the environments of one pool, and owns them. rows.h steps them. The three
// contracts of env.h differ only in how an environment is created, reset, stepped and observed (see contract_calls.h).
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
#include "envpool/core/table/result_rows.h"
#include "envpool/core/table/rows.h"
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

  explicit VectorEnv(const abi::Config& config)
      : restarts_(config.autoreset == abi::kAutoresetSameStep), next_options_(config) {
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
    fields_ = {row_bytes_.data(), per_player_.data(), i32(row_bytes_.size()), config.max_players};
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

  void reset(const abi::Work& work) { run(work, /*begins=*/true); }
  void step(const abi::Work& work) { run(work, /*begins=*/false); }

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
    const RowColumns columns = RowColumns::of_pool(rows);
    const i32 players = std::min(Contract::players(from.state), fields_.max_players);
    columns.write(rows.row, env_id, from.episode.elapsed, Outcome{}, from.episode.elapsed == 0, players);
    std::fill_n(columns.reward + i64(rows.row) * fields_.max_players, players, 0.0f);
    std::fill_n(columns.discount + i64(rows.row) * fields_.max_players, players, 1.0f);
    Contract::observe(from.state, *settings_[size_t(env_id)].params, Row{columns.stepped, fields_.row_bytes, rows.row},
                      fields_.max_players);
    if (columns.ended != nullptr) fields_.clear(columns.ended, rows.row);
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
  // Replaces the options of the current episode.
  void use(i32 env_id, const typename Env::Params& params, i32 max_episode_steps) {
    adopt(settings_[size_t(env_id)], next_options_.use(env_id, params, max_episode_steps));
  }
  void get_options(i32 env_id, f64* values) const {
    const EnvSettings& settings = settings_[size_t(env_id)];
    if constexpr (kOptionsChange) next_options_.read(env_id, *settings.params, settings.max_episode_steps, values);
  }

 private:
  using Slot = EnvSlot<State>;
  static constexpr bool kWorld = requires { Env::kMaxPlayers; };
  struct EnvSettings {
    const typename Env::Params* params;
    i64 bytes;  // of a state
    i32 max_episode_steps;
    bool in_lanes;
  };
  using Lanes = InLanes<Env>;

  static i64 bytes_of(const typename Env::Params& params) { return slot_bytes<State>(Contract::extra_bytes(params)); }
  Slot& slot(i32 env_id) { return *std::launder(reinterpret_cast<Slot*>(memory_.get() + stride_ * env_id)); }
  void destroy_slots() {
    for (i32 i = 0; i < size_; ++i) slot(i).~Slot();
  }

  // The environments of a call, which rows.h steps.
  template <class ItsPlaces>
  struct Batch {
    using Places = ItsPlaces;
    static constexpr bool kHeld = false, kIsFast = Places::kConsecutive, kInLanes = Lanes::kLanes > 1;
    // A power of two, small enough that the data of this many environments stays in the L1 cache.
    static constexpr i64 kMostRows = 64;
    struct LaneParams {
      struct Limits {
        const EnvSettings* first;
        i32 operator[](i64 i) const { return first[i].max_episode_steps; }
      };
      const EnvSettings* first;
      const typename Env::Params& groups() const { return *first->params; }
      Limits limits() const { return {first}; }
    };

    VectorEnv& pool;
    const abi::Work& its_work;
    const Places its_places;
    LaneParams lanes{};

    const Places& places() const { return its_places; }
    const abi::Work& work() const { return its_work; }
    i64 count() const { return its_work.count; }
    i64 open(i64) const { return its_work.count; }
    struct Entry {
      i64 k;
      i32 env_id;
      Slot& it;
      EnvSettings& settings;
    };
    i32 id(i64 k) const { return its_work.env_ids[k]; }
    ENVPOOL_ALWAYS_INLINE Entry entry(i64 k) const {
      return {k, id(k), pool.slot(id(k)), pool.settings_[size_t(id(k))]};
    }
    i64 stride() const { return pool.stride_; }
    i32 env_id(const Entry& entry) const { return entry.env_id; }
    const typename Env::Params& params(const Entry& entry) const { return *entry.settings.params; }
    const typename Env::Params& begun_params(const Entry& entry) const { return *entry.settings.params; }
    i32 limit(const Entry& entry) const { return entry.settings.max_episode_steps; }
    bool in_group(const Entry& entry) const { return entry.settings.in_lanes; }
    ActionRow action(const Entry& entry) const {
      return {its_work.actions, pool.action_bytes_.data(), i64(entry.env_id) * max_players()};
    }
    void prepare(const Entry&) const {}
    void close(const Entry&) const {}
    i32 max_players() const { return kWorld ? pool.fields_.max_players : 1; }
    const FieldRows& fields() const { return pool.fields_; }
    void begin(const Entry& entry) const { pool.begin(entry.it, entry.settings); }

    // Returns how many environments from k on have consecutive ids.
    i64 run_length(i64 k, i64 end) const {
      const i64 most = std::min(end - k, kMostRows);
      const i32* const ids = its_work.env_ids + k;
      i64 count = 0;
      while (count < most && ids[count] == ids[0] + count) ++count;
      return count;
    }
    // They have consecutive ids and the same options, and none of their episodes is over.
    i64 in_lanes(i64 k, i64 end) {
      lanes.first = &pool.settings_[size_t(id(k))];
      if (!lanes.first->in_lanes) return 0;
      const i64 most = std::min(end - k, kMostRows);
      const i32* const ids = its_work.env_ids + k;
      i64 count = 0;
      while (count < most && ids[count] == ids[0] + count && lanes.first[count].params == lanes.first->params &&
             !pool.slot(ids[count]).episode.over) {
        ++count;
      }
      return count - count % Lanes::kLanes;
    }
    const LaneParams& lane_params() const { return lanes; }
    StridedStates<State> states(i64 k, i64 count) const {
      return {reinterpret_cast<u8*>(&pool.slot(id(k)).state), pool.stride_, count};
    }
    template <class Action>
    ENVPOOL_ALWAYS_INLINE bool guarded(const Entry& entry, Action&& action) const {
      return run_guarded(its_work, entry.env_id, action);
    }
  };

  void run(const abi::Work& work, bool begins) {
    if (work.rows.fields == nullptr) {
      RowLoop<Env, Contract, Batch<ClaimedRows>>::run({*this, work, {work}}, begins, restarts_);
    } else {
      const ConsecutiveRows places{RowColumns::of_pool(work.rows), work.rows.row};
      RowLoop<Env, Contract, Batch<ConsecutiveRows>>::run({*this, work, places}, begins, restarts_);
    }
  }

  static void adopt(EnvSettings& settings, const OptionsOfEnv<Env>& options) {
    settings.params = options.params.get();
    settings.max_episode_steps = options.max_episode_steps;
    settings.in_lanes = Lanes::available(*settings.params);
  }
  void begin(Slot& it, EnvSettings& settings) {
    if constexpr (kPlain) {
      begin_episode<Env>(it.episode, it.state, settings.max_episode_steps);
    } else {
      it.episode.begin();
    }
    if constexpr (kOptionsChange) {
      if (const auto* next = next_options_.begin(i32(&settings - settings_.data()))) {
        if constexpr (kPlain) {
          adopt(settings, *next);
          if (it.episode.elapsed > 0) repair<Env>(it.state, *settings.params);  // a game of several lives goes on
        } else {
          settings.max_episode_steps = next->max_episode_steps;
          it.state->use(next->setup);
        }
      }
    }
    Contract::reset(it.state, *settings.params, it.episode.rng);
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

  const bool restarts_;  // same-step autoreset
  std::vector<EnvSettings> settings_;
  typename NextOptionsFrom<Env, Contract>::Type next_options_;
  std::vector<i64> row_bytes_, action_bytes_;
  std::vector<u8> per_player_;
  FieldRows fields_{};  // of the own fields
  i64 stride_ = 0;
  i32 size_ = 0;
  AlignedMemory memory_;
};

}  // namespace envpool
