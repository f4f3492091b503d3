// SPDX-License-Identifier: Apache-2.0
//
// Implements the pure functions of a portable environment, for JAX: the caller holds the states. The rules of episodes
// are in episode.h. States are rows of bytes. Parameters can differ from row to row (row_params.h).
//
// Randomness: a reset takes a 64-bit key and a 32-bit stream, and begins episode 0 of (key, stream). Environment number
// `stream` of a pool with the seed `key` begins in the same way. The state contains the key and the stream. A step
// with a new key continues with that key, at draw 0 of the episode. A restart begins the next episode of the key in the
// state.
//
// Worlds with several players have their own reset and step (pure_world.h) and share the rest.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/table/contract_calls.h"
#include "envpool/core/table/episode.h"
#include "envpool/core/table/in_lanes.h"
#include "envpool/core/table/lane_params.h"
#include "envpool/core/table/model.h"
#include "envpool/core/table/prefetched_rng.h"
#include "envpool/core/table/row_params.h"

namespace envpool {

// Lists the named parts of a slot as JSON: parts of its episode, and parts that the environment names.
template <class Env, class Slot>
std::string named_parts() {
  using State = StateOf<Env>;
  const auto list = [](auto parts) {
    const i64 episode = offset_of(&Slot::episode);
    parts.put("elapsed_step", "int32", episode + offset_of(&Episode::elapsed), 0);
    parts.put("episode", "int32", episode + offset_of(&Episode::number), 0);
    parts.put("over", "bool", episode + offset_of(&Episode::over), 0);
    if constexpr (requires { &Slot::players; }) parts.put("players", "int32", offset_of(&Slot::players), 0);
    if constexpr (requires { Env::state_parts(parts); }) Env::state_parts(parts);
    return parts.json();
  };
  if constexpr (requires { typename Env::Shared; }) {
    return list(StateParts<typename Env::Shared>(offset_of(&Slot::state) + offset_of(&State::shared)));
  } else {
    return list(StateParts<State>(offset_of(&Slot::state)));
  }
}

template <class Env>
struct PureFunctions {
  using State = StateOf<Env>;
  using Params = typename Env::Params;

  using PureState = envpool::PureState<Env>;
  static_assert(alignof(State) <= 16, "rows start on 16 bytes");

  static i64 state_bytes(void* model) {
    return (i64(sizeof(PureState)) + extra_bytes_of<Env>(cast(model).params) + 15) / 16 * 16;
  }

  static std::string view() { return named_parts<Env, PureState>(); }

  static void reset(void* model, const abi::PureWork& work) {
    const PureBatch batch(cast(model), work);
    for (i64 k = 0; k < work.count; ++k) {
      const RowSettings& settings = batch.settings(k);
      u8* bytes = work.new_states + k * batch.state_bytes;
      std::memset(bytes, 0, size_t(batch.state_bytes));
      PureState& it = *new (bytes) PureState{};
      it.episode.tag = batch.tag;
      it.episode.seed(batch.key(k), batch.stream(k));
      begin(it, settings);
      Env::observe(it.state, settings.params, batch.row(work.fields, k));
    }
  }

  // Steps in blocks of rows that fit into the cache, because each block is traversed several times. Rows are stepped
  // and observed. If an episode ended and restarts, the observation is copied to the final fields, and the row is reset
  // and observed again.
  static void step(void* model, const abi::PureWork& work) {
    const PureBatch batch(cast(model), work);
    if (batch.params.shared()) {
      step_blocks</*kSharedParams=*/true>(batch);
    } else {
      step_blocks</*kSharedParams=*/false>(batch);
    }
  }

 protected:
  static constexpr i64 kMaxBlockRows = 256;

  using RowSettings = typename RowParams<Env>::Settings;

  static Model<Env>& cast(void* model) { return *static_cast<Model<Env>*>(model); }
  [[noreturn]] static void reject_state(i64 row) {
    throw std::invalid_argument(std::string("state: expected rows of ") + Env::kName +
                                " with the options of this environment, got another kind in row " +
                                std::to_string(row));
  }

  struct PureBatch;

  static void begin(PureState& it, const RowSettings& settings) {
    begin_episode<Env>(it.episode, it.state, settings.max_episode_steps);
    Env::reset(it.state, settings.params, it.episode.rng);
  }

  // The rows of one call.
  struct PureBatch {
    static constexpr i64 kCacheBytes = 16384;

    const abi::PureWork work;
    const Model<Env>& model;
    const u32 tag;
    const i64 state_bytes;
    std::vector<i64> row_bytes{}, action_bytes{};
    std::vector<void*> observed_fields{};      // the fields into which a step observes all rows
    const RowParams<Env> params, next_params;  // of the steps, and of the episodes that begin after them

    PureBatch(const Model<Env>& of, const abi::PureWork& what)
        : work(what),
          model(of),
          tag(of.tag),
          state_bytes(PureFunctions::state_bytes(const_cast<Model<Env>*>(&of))),
          params(of, work, {work.options, size_t(work.num_options)}),
          next_params(of, work, {work.next_options, size_t(work.num_next_options)}) {
      for (const FieldSpec& field : model.spec.fields) row_bytes.push_back(field.row_bytes());
      for (const FieldSpec& field : model.spec.actions) action_bytes.push_back(field.row_bytes());
      for (size_t f = 0; f < row_bytes.size(); ++f) {
        observed_fields.push_back(work.final_fields != nullptr && is_info(f) ? work.final_fields[f] : work.fields[f]);
      }
    }
    static const u8* at(const abi::StridedRows& rows, i64 k) {
      return static_cast<const u8*>(rows.data) + rows.stride * k;
    }

    const RowSettings& settings(i64 k) const { return params[k]; }
    // Returns the settings of the episode that row k begins after its step. They are valid until the next call.
    const RowSettings& next_settings(i64 k) const {
      return work.next_options == nullptr ? settings(k) : next_params.only(k);
    }
    u64 key(i64 k) const {
      u32 words[2];
      std::memcpy(words, at(work.keys, k), sizeof(words));
      return u64{words[0]} << 32 | words[1];
    }
    u32 stream(i64 k) const {
      u32 word;
      std::memcpy(&word, at(work.streams, k), sizeof(word));
      return word;
    }
    const u8* state(i64 k) const { return at(work.states, k); }
    Row row(void* const* fields, i64 k) const { return {fields, row_bytes.data(), k}; }
    ActionRow action(i64 k) const { return {work.actions, action_bytes.data(), work.broadcast_action != 0 ? 0 : k}; }
    // Returns how many of `count` rows fill lanes. Each of them must have its own action.
    i64 in_lanes(i64 count) const {
      return work.broadcast_action == 0 ? count / InLanes<Env>::kLanes * InLanes<Env>::kLanes : 0;
    }
    typename InLanes<Env>::States states(i64 first, i64 count) const {
      PureState& it = new_state(first);
      return {reinterpret_cast<u8*>(&it.state), state_bytes, count};
    }
    PureState& new_state(i64 k) const {
      return *std::launder(reinterpret_cast<PureState*>(work.new_states + k * state_bytes));
    }
    // Returns the number of rows that fit into the L1 cache with their observations. States that are stepped in groups
    // are larger, so a block of them has several groups, which makes up for rows that cannot be members.
    i64 block_rows() const {
      i64 bytes = state_bytes;
      for (const i64 field : row_bytes) bytes += 2 * field;
      const i64 rows = kCacheBytes / bytes, least = SteppedInGroups<Env> ? kMaxBlockRows / 4 : 1;
      const i64 most = params.shared() ? kMaxBlockRows : params.kMostRows;
      return rows < least ? least : rows < most ? rows : most;
    }
    void copy_states(i64 first, i64 end) const {
      if (work.states.data == work.new_states) return;
      if (work.states.stride == state_bytes) {
        std::memcpy(work.new_states + first * state_bytes, state(first), size_t((end - first) * state_bytes));
        return;
      }
      for (i64 k = first; k < end; ++k) std::memcpy(work.new_states + k * state_bytes, state(k), size_t(state_bytes));
    }
    // Returns whether a field is an info, which describes the step itself even if the next episode has begun.
    bool is_info(size_t field) const { return (work.infos >> field & 1) != 0; }
    // Copies the observation of a row to the final fields, before a restart.
    void copy_final_observation(i64 k) const {
      for (size_t f = 0; f < row_bytes.size(); ++f) {
        if (is_info(f)) continue;
        std::memcpy(static_cast<u8*>(work.final_fields[f]) + row_bytes[f] * k,
                    static_cast<const u8*>(work.fields[f]) + row_bytes[f] * k, size_t(row_bytes[f]));
      }
    }
  };

  // The rows of a block whose episodes ended.
  struct EndedRows {
    i32 rows[kMaxBlockRows];
    i64 count = 0;

    // Finds the ended rows among rows that were stepped in lanes. Reads the flags of a group as one word.
    void find(const abi::PureWork& work, i64 first, i64 row_count) {
      u32 terminated, truncated;
      static_assert(InLanes<Env>::kLanes == 1 || InLanes<Env>::kLanes == sizeof(terminated));
      for (i64 k = first; k < first + row_count; k += InLanes<Env>::kLanes) {
        std::memcpy(&terminated, work.terminated + k, sizeof(terminated));
        std::memcpy(&truncated, work.truncated + k, sizeof(truncated));
        for (u32 over = terminated | truncated; over != 0; over &= over - 1) {
          rows[count++] = i32(k - first) + std::countr_zero(over) / 8;
        }
      }
    }
  };

  template <bool kSharedParams>
  static void step_blocks(const PureBatch& batch) {
    const abi::PureWork work = batch.work;  // a local copy, which cannot alias the results
    const RowSettings shared = batch.params.common();
    const i64 block = batch.block_rows();
    [[maybe_unused]] LaneParams<Env, kSharedParams> lane_params(batch.params, block);
    for (i64 first = 0; first < work.count; first += block) {
      const i64 end = first + block < work.count ? first + block : work.count;
      batch.copy_states(first, end);
      EndedRows ended;
      i64 first_scalar = first;
      if constexpr (kSharedParams ? InLanes<Env>::kLanes > 1 : HasLaneParams<Env>) {
        first_scalar = step_in_lanes(batch, lane_params, first, end, ended);
      }
      const RowSettings* const of_rows = batch.params.prepare(first_scalar, end);
      const auto settings_of = [&](i64 k) -> const RowSettings& {
        return kSharedParams ? shared : of_rows[k - first_scalar];
      };
      i64 first_alone = first_scalar;
      if constexpr (SteppedInGroups<Env>) {
        const bool any_group = !kSharedParams || InLanes<Env>::available(shared.params);
        if (any_group) first_alone = step_in_groups(batch, settings_of, first, end, ended);
      }
      const auto step_row = [&](i64 k, auto&& draws) {
        const RowSettings& settings = settings_of(k);
        PureState& it = batch.new_state(k);
        const Outcome outcome =
            it.episode.over ? kStaysOver : Env::step(it.state, settings.params, batch.action(k), draws);
        conclude(work, it.episode, settings.max_episode_steps, outcome, k, first, ended);
        Env::observe(it.state, settings.params, batch.row(batch.observed_fields.data(), k));
      };
      i64 prefetched_end = first_alone;
      if constexpr (kTakesPrefetchedRng<Env>) {
        PrefetchedRngs<Env, kMaxBlockRows> prefetched;
        prefetched_end = first_alone + prefetched.batch_size(end - first_alone);
        for (i64 k = first_alone; k < prefetched_end; ++k)
          prepare_state(batch, work, batch.new_state(k), settings_of(k).params, k);
        if (prefetched_end > first_alone)
          prefetched.prefetch(batch.new_state(first_alone).episode.rng, batch.state_bytes,
                              prefetched_end - first_alone);
        for (i64 k = first_alone; k < prefetched_end; ++k)
          step_row(k, prefetched.rng(batch.new_state(k).episode.rng, k - first_alone));
      }
      for (i64 k = prefetched_end; k < end; ++k) {
        PureState& it = batch.new_state(k);
        prepare_state(batch, work, it, settings_of(k).params, k);
        step_row(k, it.episode.rng);
      }
      if (work.final_fields == nullptr) continue;
      for (i64 i = 0; i < ended.count; ++i) {
        const i64 k = first + ended.rows[i];
        const RowSettings& settings = work.next_options != nullptr         ? batch.next_settings(k)
                                      : !kSharedParams && k < first_scalar ? lane_params.row(k - first)
                                                                           : settings_of(k);
        PureState& it = batch.new_state(k);
        batch.copy_final_observation(k);
        begin(it, settings);
        Env::observe(it.state, settings.params, batch.row(work.fields, k));
      }
    }
  }

  // Steps as many rows of a block as possible in lanes, or none if the episode of one of them is over. Returns the
  // first row that remains.
  static i64 step_in_lanes(const PureBatch& batch, auto& params, i64 first, i64 end, EndedRows& ended) {
    const i64 count = batch.in_lanes(end - first);
    if (count == 0 || !params.prepare(first, count)) return first;
    const abi::PureWork work = batch.work;
    bool any_over = false;
    for (i64 k = first; k < first + count; ++k) {
      PureState& it = batch.new_state(k);
      prepare_state(batch, work, it, params.group_of(k - first), k);
      any_over |= it.episode.over;
    }
    if (any_over) return first;
    InLanes<Env>::step(batch.states(first, count), params.groups(), batch.action(first),
                       {work.reward + first, work.terminated + first});
    count_step(batch, work, params.limits(), first, count);
    ended.find(work, first, count);
    for (i64 i = 0; i < ended.count; ++i) batch.new_state(first + ended.rows[i]).episode.over = true;
    InLanes<Env>::observe(batch.states(first, count), params.groups(), batch.row(batch.observed_fields.data(), first));
    return first + count;
  }

  // Steps all rows of a block in groups, except those whose episodes are over or whose parameters do not allow it.
  // Returns the end of the block.
  static i64 step_in_groups(const PureBatch& batch, auto& settings_of, i64 first, i64 end, EndedRows& ended) {
    const abi::PureWork work = batch.work;
    i64 rows[Env::kGroup];
    State* states[Env::kGroup];
    const Params* params[Env::kGroup];
    Rng* rngs[Env::kGroup];
    ActionRow actions[Env::kGroup];
    Outcome outcomes[Env::kGroup];
    i32 count = 0;
    const auto finish_row = [&](i64 k, const Outcome& outcome) {
      PureState& it = batch.new_state(k);
      const RowSettings& settings = settings_of(k);
      conclude(work, it.episode, settings.max_episode_steps, outcome, k, first, ended);
      Env::observe(it.state, settings.params, batch.row(batch.observed_fields.data(), k));
    };
    const auto step_group = [&] {
      if (count >= kLeastGroup) {
        Env::step_group(states, count, params, actions, rngs, outcomes);
      } else {
        for (i32 i = 0; i < count; ++i) outcomes[i] = Env::step(*states[i], *params[i], actions[i], *rngs[i]);
      }
      for (i32 i = 0; i < count; ++i) finish_row(rows[i], outcomes[i]);
      count = 0;
    };
    for (i64 k = first; k < end; ++k) {
      PureState& it = batch.new_state(k);
      const Params& own = settings_of(k).params;
      prepare_state(batch, work, it, own, k);
      if (it.episode.over) {
        finish_row(k, kStaysOver);
        continue;
      }
      if (!InLanes<Env>::available(own)) {
        finish_row(k, Env::step(it.state, own, batch.action(k), it.episode.rng));
        continue;
      }
      rows[count] = k;
      states[count] = &it.state;
      params[count] = &own;
      rngs[count] = &it.episode.rng;
      actions[count++] = batch.action(k);
      if (count == Env::kGroup) step_group();
    }
    step_group();
    return end;
  }

  // Validates and repairs the copied state of a row, and sets its key.
  ENVPOOL_ALWAYS_INLINE static void prepare_state(const PureBatch& batch, const abi::PureWork& work, PureState& it,
                                                  const auto& params, i64 k) {
    Episode& episode = it.episode;
    if (episode.tag != batch.tag) [[unlikely]]
      reject_state(work.first + k);
    episode.repair();
    repair<Env>(it.state, params);
    if (work.keyed == abi::kKeepKey) return;
    episode.rng.seed = batch.key(k);
    episode.rng.draws = 0;
    if (work.keyed == abi::kNewKeyAndStream) episode.rng.stream = batch.stream(k);
  }

  // Counts the step of rows that were stepped in lanes. step_lanes has already written their rewards and terminations.
  ENVPOOL_ALWAYS_INLINE static void count_step(const PureBatch& batch, const abi::PureWork& work, auto limits,
                                               i64 first, i64 count) {
    const i64 stride = batch.state_bytes;
    u8* state = work.new_states + first * stride;
    for (i64 k = first; k < first + count; ++k, state += stride) {
      Episode& episode = std::launder(reinterpret_cast<PureState*>(state))->episode;
      work.truncated[k] = episode.count_step(limits[k - first]);
      work.elapsed[k] = episode.elapsed;
    }
    for (i64 k = first; k < first + count; ++k) work.discount[k] = work.terminated[k] != 0 ? 0.0f : 1.0f;
  }

  // Writes the outcome of a step.
  ENVPOOL_ALWAYS_INLINE static void conclude(const abi::PureWork& work, Episode& episode, i32 limit, Outcome outcome,
                                             i64 k, i64 first, EndedRows& ended) {
    const bool over = episode.conclude(outcome, limit, !episode.over);
    work.reward[k] = outcome.reward;
    work.discount[k] = outcome.discount;
    work.terminated[k] = outcome.terminated;
    work.truncated[k] = outcome.truncated;
    work.elapsed[k] = episode.elapsed;
    ended.rows[ended.count] = i32(k - first);
    ended.count += over;
  }
};

}  // namespace envpool
