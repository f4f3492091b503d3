// SPDX-License-Identifier: Apache-2.0
//
// Implements the pure functions of a portable environment, for JAX: the caller holds the states. rows.h steps them by
// the rules of episode.h. States are rows of bytes. Parameters can differ from row to row (row_params.h).
//
// Randomness: a reset takes a 64-bit key and a 32-bit stream, and begins episode 0 of (key, stream). Environment number
// `stream` of a pool with the seed `key` begins in the same way. The state contains the key and the stream. A step
// with a new key continues with that key, at draw 0 of the episode. A restart begins the next episode of the key in the
// state.
//
// In a world with several players, a row has room for the maximum number of players; the entries of absent players are
// zero.
#pragma once

#include <algorithm>
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
#include "envpool/core/table/row_params.h"
#include "envpool/core/table/rows.h"

namespace envpool {

// Lists the named parts of a slot as JSON: parts of its episode, and parts that the environment names. `held` says
// whether the caller holds the state.
template <class Env>
std::string named_parts(bool held) {
  using State = StateOf<Env>;
  using Slot = EnvSlot<State>;
  const auto list = [&](auto parts) {
    const i64 episode = offset_of(&Slot::episode);
    parts.put("elapsed_step", "int32", episode + offset_of(&Episode::elapsed), 0);
    parts.put("episode", "int32", episode + offset_of(&Episode::number), 0);
    parts.put("over", "bool", episode + offset_of(&Episode::over), 0);
    if (held && requires { Env::kMaxPlayers; })
      parts.put("players", "uint16", episode + offset_of(&Episode::players), 0);
    if constexpr (requires { Env::state_parts(parts); }) Env::state_parts(parts);
    return parts.json();
  };
  if constexpr (requires { typename Env::Shared; }) {
    return list(StateParts<typename Env::Shared>(offset_of(&Slot::state) + offset_of(&State::shared)));
  } else {
    return list(StateParts<State>(offset_of(&Slot::state)));
  }
}

template <class Env, class Contract>
class PureFunctions {
 public:
  static i64 state_bytes(void* model) { return bytes_of(cast(model)); }

  static std::string view() { return named_parts<Env>(/*held=*/true); }

  static void reset(void* model, const abi::PureWork& work) { run(PureCall(cast(model), work), /*begins=*/true); }
  static void step(void* model, const abi::PureWork& work) { run(PureCall(cast(model), work), /*begins=*/false); }

 private:
  using State = StateOf<Env>;
  using Slot = EnvSlot<State>;
  using Params = typename Env::Params;
  using Settings = typename RowParams<Env>::Settings;
  using Lanes = InLanes<Env>;
  static_assert(alignof(State) <= 16, "rows start on 16 bytes");
  static constexpr bool kWorld = requires { Env::kMaxPlayers; };
  static constexpr i64 kCacheBytes = 16384;

  static Model<Env>& cast(void* model) { return *static_cast<Model<Env>*>(model); }
  static i64 bytes_of(const Model<Env>& model) { return slot_bytes<State>(extra_bytes_of<Env>(model.params)); }

  // The arguments of one call.
  struct PureCall {
    const abi::PureWork& work;
    const Model<Env>& model;
    const i64 state_bytes;
    std::vector<i64> row_bytes{}, action_bytes{};
    std::vector<u8> per_player{};
    std::vector<void*> stepped{}, ended{};     // the arrays into which rows are observed (RowColumns)
    const RowParams<Env> params, next_params;  // of the steps, and of the episodes that begin after them

    PureCall(const Model<Env>& of, const abi::PureWork& what)
        : work(what),
          model(of),
          state_bytes(bytes_of(of)),
          params(of, work, {work.options, size_t(work.num_options)}),
          next_params(of, work, {work.next_options, size_t(work.num_next_options)}) {
      for (const FieldSpec& field : model.spec.fields) row_bytes.push_back(field.row_bytes());
      for (const FieldSpec& field : model.spec.fields) per_player.push_back(field.is_per_player);
      for (const FieldSpec& field : model.spec.actions) action_bytes.push_back(field.row_bytes());
      for (size_t f = 0; f < row_bytes.size(); ++f) {
        // An info describes the step itself, even if the next episode has begun.
        const bool is_info = (work.infos >> f & 1) != 0;
        stepped.push_back(work.final_fields != nullptr && is_info ? work.final_fields[f] : work.fields[f]);
        if (work.final_fields != nullptr) ended.push_back(work.final_fields[f]);
      }
    }
    // Returns the number of rows that fit into the L1 cache with their observations, because a block of rows is
    // traversed several times. States that are stepped in groups are larger, so a block of them has several groups,
    // which makes up for rows that cannot be members.
    i64 block_rows(i64 most) const {
      i64 bytes = state_bytes;
      for (size_t f = 0; f < row_bytes.size(); ++f) {
        bytes += 2 * row_bytes[f] * (per_player[f] != 0 ? model.spec.max_players : 1);
      }
      const i64 least = SteppedInGroups<Env> ? std::min<i64>(64, most) : 1;
      return std::clamp(kCacheBytes / bytes, least, most);
    }
  };

  static void run(const PureCall& call, bool begins) {
    const bool restarts = !begins && call.work.final_fields != nullptr;
    if (call.params.shared()) {
      RowLoop<Env, Contract, Batch</*kShared=*/true>>::run({call, begins}, begins, restarts);
    } else {
      RowLoop<Env, Contract, Batch</*kShared=*/false>>::run({call, begins}, begins, restarts);
    }
  }

  // The rows of a call, which rows.h steps. `kShared` says whether all rows have the same parameters.
  template <bool kShared>
  class Batch {
   public:
    using Places = ConsecutiveRows;
    static constexpr bool kHeld = true, kIsFast = kShared;
    static constexpr bool kInLanes = kShared ? Lanes::kLanes > 1 : HasLaneParams<Env>;
    static constexpr i64 kMostRows = kShared ? 256 : RowParams<Env>::kMostRows;

    // `makes` says whether the call makes the states.
    Batch(const PureCall& call, bool makes)
        : call_(call),
          work_(call.work),
          makes_(makes),
          places_{{{work_.reward, work_.discount, work_.terminated, work_.truncated, nullptr, nullptr, work_.elapsed,
                    work_.players},
                   call.stepped.data(),
                   call.ended.data(),
                   work_.fields},
                  0},
          settings_(call.params.common()),
          lane_params_(call.params, kMostRows),
          fields_{call.row_bytes.data(), call.per_player.data(), i32(call.row_bytes.size()),
                  call.model.spec.max_players},
          block_rows_(call.block_rows(kMostRows)),
          stride_(call.state_bytes),
          action_bytes_(call.action_bytes.data()),
          tag_(call.model.tag) {
      if constexpr (kWorld) {
        i64 bytes = 0;
        for (const FieldSpec& field : call.model.spec.actions) bytes += field.is_per_player ? 0 : field.row_bytes();
        world_actions_.resize(size_t(bytes * max_players()));
      }
    }

    const Places& places() const { return places_; }
    i64 count() const { return work_.count; }
    // Copies the states of the next rows to where they are stepped.
    i64 open(i64 first) {
      end_ = std::min(first + block_rows_, work_.count);
      no_lanes_ = false;
      if constexpr (!kShared && !kInLanes) {
        block_first_ = first;
        block_settings_ = &call_.params.in_block(first, end_);
      }
      const u8* const from = static_cast<const u8*>(work_.states.data);
      if (makes_ || from == work_.new_states) return end_;
      const i64 bytes = stride_, step = work_.states.stride;
      if (step == bytes) {
        std::memcpy(work_.new_states + first * bytes, from + first * bytes, size_t((end_ - first) * bytes));
      } else {
        for (i64 k = first; k < end_; ++k) std::memcpy(work_.new_states + k * bytes, from + k * step, size_t(bytes));
      }
      return end_;
    }
    struct Entry {
      i64 k;
      Slot& it;
    };
    ENVPOOL_ALWAYS_INLINE Entry entry(i64 k) const { return {k, slot(k)}; }
    i64 stride() const { return stride_; }
    i32 env_id(const Entry&) const { return 0; }
    i32 max_players() const { return kWorld ? fields_.max_players : 1; }
    const FieldRows& fields() const { return fields_; }
    i64 run_length(i64 k, i64 end) const { return std::min(end - k, kMostRows); }
    StridedStates<State> states(i64 k, i64 count) const {
      return {reinterpret_cast<u8*>(&slot(k).state), stride_, count};
    }

    ENVPOOL_ALWAYS_INLINE const Params& params(const Entry& entry) const { return settings(entry.k).params; }
    ENVPOOL_ALWAYS_INLINE i32 limit(const Entry& entry) const { return settings(entry.k).max_episode_steps; }
    const Params& begun_params(const Entry&) const { return begun_->params; }
    bool in_group(const Entry& entry) const { return Lanes::available(params(entry)); }

    ENVPOOL_ALWAYS_INLINE ActionRow action(const Entry& entry) {
      const i64 row = work_.broadcast_action != 0 ? 0 : entry.k;
      if constexpr (kWorld) return players_action(row);
      return {work_.actions, action_bytes_, row};
    }

    // Makes the state of a row, or checks and repairs it and sets its key.
    ENVPOOL_ALWAYS_INLINE void prepare(const Entry& entry) const {
      if (makes_) return make(entry.k);
      check(entry);
      repair<Env>(entry.it.state, params(entry));
    }
    void begin(const Entry& entry) {
      const Settings& settings = *(begun_ = &begun_settings(entry.k));
      Slot& it = entry.it;
      begin_episode<Env>(it.episode, it.state, settings.max_episode_steps);
      Contract::reset(it.state, settings.params, it.episode.rng);
      if constexpr (kWorld) it.episode.players = u16(players_of(it.state, max_players()));
    }
    void close(const Entry& entry) const {
      if constexpr (kWorld) clear_derived<Env>(&entry.it.state + 1, params(entry));
    }
    template <class Action>
    ENVPOOL_ALWAYS_INLINE bool guarded(const Entry&, Action&& action) const {
      action();  // if it throws, the call fails
      return true;
    }

    // No episode of these rows is over, and each has its own action.
    i64 in_lanes(i64 first, i64 end) {
      if (no_lanes_ || work_.broadcast_action != 0) return 0;
      i64 count = check_until_over(first, end);
      count -= count % Lanes::kLanes;
      if (count == 0) return 0;
      if (!lane_params_.prepare(first, count)) {
        no_lanes_ = true;
        return 0;
      }
      lanes_first_ = first;
      lanes_end_ = first + count;
      for (i64 i = 0; i < count; ++i) repair<Env>(slot(first + i).state, lane_params_.group_of(i));
      return count;
    }
    LaneParams<Env, kShared>& lane_params() { return lane_params_; }

   private:
    ENVPOOL_ALWAYS_INLINE Slot& slot(i64 k) const {
      return *std::launder(reinterpret_cast<Slot*>(work_.new_states + k * stride_));
    }
    ENVPOOL_ALWAYS_INLINE const Settings& settings(i64 k) const {
      if constexpr (kShared) {
        return settings_;
      } else if constexpr (kInLanes) {  // most rows are stepped with lane_params_
        return call_.params.in_block(k, end_);
      } else {
        return block_settings_[k - block_first_];
      }
    }
    // Returns the settings of the episode that row k begins. They are valid until the next call.
    const Settings& begun_settings(i64 k) {
      if (work_.next_options != nullptr) return call_.next_params.only(k);
      if constexpr (kShared) return settings_;
      if constexpr (HasLaneParams<Env> && !kShared) {
        if (k >= lanes_first_ && k < lanes_end_) return lane_params_.row(k - lanes_first_);
      }
      return call_.params.only(k);
    }

    static const u8* at(const abi::StridedRows& rows, i64 k) {
      return static_cast<const u8*>(rows.data) + rows.stride * k;
    }
    u64 key(i64 k) const {
      u32 words[2];
      std::memcpy(words, at(work_.keys, k), sizeof(words));
      return u64{words[0]} << 32 | words[1];
    }
    u32 stream(i64 k) const {
      u32 word;
      std::memcpy(&word, at(work_.streams, k), sizeof(word));
      return word;
    }
    void make(i64 k) const {
      u8* const bytes = work_.new_states + k * stride_;
      std::memset(bytes, 0, size_t(stride_));
      Slot& it = *new (bytes) Slot{};
      it.episode.tag = tag_;
      it.episode.seed(key(k), stream(k));
    }
    // Returns the number of rows from `first` on before one whose episode is over. Has checked all of these rows.
    ENVPOOL_ALWAYS_INLINE i64 check_until_over(i64 first, i64 end) const {
      const i64 stride = stride_;  // local copies, which the states cannot alias
      const u32 tag = tag_;
      u8* bytes = work_.new_states + first * stride;
      const bool keyed = work_.keyed != abi::kKeepKey;
      i64 k = first;
      for (; k < end; ++k, bytes += stride) {
        Episode& episode = std::launder(reinterpret_cast<Slot*>(bytes))->episode;
        check_tag(episode, tag, k);
        if (keyed) set_key(episode, k);
        if (episode.over) break;
      }
      return k - first;
    }
    // Checks the state of a row, repairs its episode, and sets its key.
    ENVPOOL_ALWAYS_INLINE void check(const Entry& entry) const {
      Episode& episode = entry.it.episode;
      check_tag(episode, tag_, entry.k);
      if (work_.keyed != abi::kKeepKey) set_key(episode, entry.k);
    }
    ENVPOOL_ALWAYS_INLINE void check_tag(Episode& episode, u32 tag, i64 k) const {
      if (episode.tag != tag) [[unlikely]]
        reject_state(work_.first + k);
      episode.repair();
    }
    ENVPOOL_ALWAYS_INLINE void set_key(Episode& episode, i64 k) const {
      episode.rng.seed = key(k);
      episode.rng.draws = 0;
      if (work_.keyed == abi::kNewKeyAndStream) episode.rng.stream = stream(k);
    }
    [[noreturn]] static void reject_state(i64 row) {
      throw std::invalid_argument(std::string("state: expected rows of ") + Env::kName +
                                  " with the options of this environment, got another kind in row " +
                                  std::to_string(row));
    }

    // Returns the actions of a world, as in a pool: a row for each player. Fields that are not per player are copied
    // into the row of the first player.
    ActionRow players_action(i64 row) {
      world_fields_.clear();
      u8* world_action = world_actions_.data();
      const i64 most = max_players();
      for (size_t f = 0; f < call_.action_bytes.size(); ++f) {
        const i64 bytes = call_.action_bytes[f];
        const u8* from = static_cast<const u8*>(work_.actions[f]);
        if (most == 1 || call_.model.spec.actions[f].is_per_player) {
          world_fields_.push_back(from + row * bytes * most);
          continue;
        }
        std::memcpy(world_action, from + row * bytes, size_t(bytes));
        world_fields_.push_back(world_action);
        world_action += bytes * most;
      }
      return {world_fields_.data(), call_.action_bytes.data(), 0};
    }

    const PureCall& call_;
    const abi::PureWork work_;  // a copy, which cannot alias the results
    const bool makes_;
    const Places places_;
    const Settings settings_;  // of all rows, if they are the same
    LaneParams<Env, kShared> lane_params_;
    const FieldRows fields_;
    const i64 block_rows_;
    const i64 stride_;  // of the states, in bytes
    const i64* const action_bytes_;
    const u32 tag_;
    i64 end_ = 0;  // of the block
    i64 block_first_ = 0;
    const Settings* block_settings_ = nullptr;
    bool no_lanes_ = false;                // the rest of the block cannot be stepped in lanes
    i64 lanes_first_ = 0, lanes_end_ = 0;  // the rows whose parameters are in lane_params_
    const Settings* begun_ = nullptr;      // of the episode that began last
    std::vector<u8> world_actions_{};
    std::vector<const void*> world_fields_{};
  };
};

}  // namespace envpool
