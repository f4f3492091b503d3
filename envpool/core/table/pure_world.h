// SPDX-License-Identifier: Apache-2.0
//
// Implements the pure functions of worlds with several players (see pure.h). A row is a world with room for the maximum
// number of players; the entries of absent players are zero.
#pragma once

#include "envpool/core/table/pure.h"

namespace envpool {

template <class Env>
struct PureWorldFunctions : PureFunctions<Env> {
  using Base = PureFunctions<Env>;
  using Contract = WorldContract<Env>;
  using typename Base::Params, typename Base::PureState, typename Base::State;

  static void reset(void* model, const abi::PureWork& work) {
    const WorldBatch batch(Base::cast(model), work);
    for (i64 k = 0; k < work.count; ++k) {
      u8* bytes = work.new_states + k * batch.state_bytes;
      std::memset(bytes, 0, size_t(batch.state_bytes));
      PureState& it = *new (bytes) PureState{};
      it.episode.tag = batch.tag;
      it.episode.seed(batch.key(k), batch.stream(k));
      const auto& settings = batch.settings(k);
      batch.begin(it, settings);
      batch.observe(it, settings.params, work.fields, k);
      clear_derived<Env>(&it.state + 1, settings.params);
    }
  }

  static void step(void* model, const abi::PureWork& work) {
    WorldBatch batch(Base::cast(model), work);
    for (i64 k = 0; k < work.count; ++k) {
      batch.copy_states(k, k + 1);
      PureState& it = batch.new_state(k);
      const auto& settings = batch.settings(k);
      Base::prepare_state(batch, work, it, settings.params, k);
      Outcome outcome = kStaysOver;
      if (!it.episode.over) {
        outcome = Contract::step(it.state, settings.params, batch.players_action(k), it.episode, batch.max_players);
      }
      const bool ended = batch.conclude(it, k, outcome);
      batch.observe(it, settings.params, batch.observed_fields.data(), k);
      if (ended && work.final_fields != nullptr) {
        const auto& next = batch.next_settings(k);
        batch.copy_final_observation(k);
        batch.begin(it, next);
        batch.observe(it, next.params, work.fields, k);
      }
      clear_derived<Env>(&it.state + 1, settings.params);
    }
  }

 private:
  struct WorldBatch : Base::PureBatch {
    using Base::PureBatch::action_bytes, Base::PureBatch::model, Base::PureBatch::row_bytes, Base::PureBatch::settings,
        Base::PureBatch::work;
    using Base::PureBatch::next_settings, Base::PureBatch::observed_fields, Base::PureBatch::tag;
    const i32 max_players;
    std::vector<u8> per_player, world_actions;
    std::vector<const void*> action{};

    WorldBatch(const Model<Env>& of, const abi::PureWork& what)
        : Base::PureBatch(of, what), max_players(of.spec.max_players) {
      for (const FieldSpec& field : of.spec.fields) per_player.push_back(field.is_per_player);
      i64 bytes = 0;
      for (const FieldSpec& field : of.spec.actions) bytes += field.is_per_player ? 0 : field.row_bytes();
      world_actions.resize(size_t(bytes * max_players));
    }

    i32 players(const PureState& it) const { return players_of(it.state, max_players); }

    void begin(PureState& it, const typename Base::RowSettings& settings) const {
      Base::begin(it, settings);
      it.players = players(it);
    }

    // Returns the actions of a world, as in a pool: a row for each player. Fields that are not per player are copied
    // into the row of the first player.
    ActionRow players_action(i64 k) {
      const i64 row = work.broadcast_action != 0 ? 0 : k;
      action.clear();
      u8* world_action = world_actions.data();
      for (size_t f = 0; f < action_bytes.size(); ++f) {
        const i64 bytes = action_bytes[f];
        const u8* from = static_cast<const u8*>(work.actions[f]);
        if (max_players == 1 || model.spec.actions[f].is_per_player) {
          action.push_back(from + row * bytes * max_players);
          continue;
        }
        std::memcpy(world_action, from + row * bytes, size_t(bytes));
        action.push_back(world_action);
        world_action += bytes * max_players;
      }
      return {action.data(), action_bytes.data(), 0};
    }

    // Writes the outcome of a step. Returns whether the episode ended.
    bool conclude(PureState& it, i64 k, Outcome outcome) const {
      Episode& episode = it.episode;
      const bool was_over = episode.over;
      const bool ended = episode.conclude(outcome, settings(k).max_episode_steps, !was_over);
      const i32 count = players(it);
      for (i32 player = 0; player < max_players; ++player) {
        const bool present = player < count;
        work.reward[k * max_players + player] =
            present && !was_over ? Contract::reward(it.state, outcome, player) : 0.0f;
        work.discount[k * max_players + player] = present ? outcome.discount : 0.0f;
      }
      work.terminated[k] = outcome.terminated;
      work.truncated[k] = outcome.truncated;
      work.elapsed[k] = episode.elapsed;
      if (work.players != nullptr) work.players[k] = count;
      it.players = count;
      return ended;
    }

    void observe(PureState& it, const typename Env::Params& params, void* const* fields, i64 k) const {
      Contract::observe(it.state, params, this->row(fields, k), max_players);
      const i64 count = players(it);
      for (size_t f = 0; count < max_players && f < row_bytes.size(); ++f) {
        if (!per_player[f]) continue;
        std::memset(static_cast<u8*>(fields[f]) + (k * max_players + count) * row_bytes[f], 0,
                    size_t((max_players - count) * row_bytes[f]));
      }
    }

    // Copies the observation of a row to the final fields, before a restart.
    void copy_final_observation(i64 k) const {
      for (size_t f = 0; f < row_bytes.size(); ++f) {
        if (this->is_info(f)) continue;
        const i64 bytes = row_bytes[f] * (per_player[f] ? max_players : 1);
        std::memcpy(static_cast<u8*>(work.final_fields[f]) + k * bytes, static_cast<u8*>(work.fields[f]) + k * bytes,
                    size_t(bytes));
      }
    }
  };
};

}  // namespace envpool
