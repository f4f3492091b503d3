// SPDX-License-Identifier: Apache-2.0
//
// A world of several players as pure functions of a state that the caller holds; pure.h says what such states are. A
// row is a world, and holds as many players as there can be: those who are not there have zeros.
#pragma once

#include "envpool/core/table/pure.h"

namespace envpool {

template <class Env>
struct PureWorldOf : PureOf<Env> {
  using Base = PureOf<Env>;
  using Contract = WorldContract<Env>;
  using typename Base::Params, typename Base::Slot, typename Base::State;

  static void reset(void* model, const abi::PureWork& work) {
    const Worlds worlds(Base::cast(model), work);
    for (i64 k = 0; k < work.count; ++k) {
      u8* bytes = work.new_states + k * worlds.state_bytes;
      std::memset(bytes, 0, size_t(worlds.state_bytes));
      Slot& it = *new (bytes) Slot{};
      it.episode.tag = worlds.tag;
      it.episode.seed(worlds.key(k), worlds.stream(k));
      worlds.begin(it, k);
      worlds.observe(it, work.fields, k);
    }
  }

  static void step(void* model, const abi::PureWork& work) {
    Worlds worlds(Base::cast(model), work);
    for (i64 k = 0; k < work.count; ++k) {
      worlds.copy_states(k, k + 1);
      Slot& it = worlds.new_state(k);
      Base::take(worlds, work, it, worlds.setting(k).params, k);
      Outcome outcome = kStaysOver;
      if (!it.episode.over) {
        outcome = Contract::step(it.state, worlds.setting(k).params, worlds.players_action(k), it.episode, worlds.most);
      }
      const bool ended = worlds.conclude(it, k, outcome);
      worlds.observe(it, worlds.seen.data(), k);
      if (!ended || work.final_fields == nullptr) continue;
      worlds.keep_observation(k);
      worlds.begin(it, k);
      worlds.observe(it, work.fields, k);
    }
  }

 private:
  struct Worlds : Base::Rows {
    using Base::Rows::action_bytes, Base::Rows::model, Base::Rows::row_bytes, Base::Rows::setting, Base::Rows::work;
    using Base::Rows::seen, Base::Rows::tag;
    const i32 most;  // players
    std::vector<u8> of_player, sent;
    std::vector<const void*> action{};

    Worlds(const Model<Env>& of, const abi::PureWork& what) : Base::Rows(of, what), most(of.spec.max_players) {
      for (const FieldSpec& field : of.spec.fields) of_player.push_back(field.per_player);
      i64 alone = 0;
      for (const FieldSpec& field : of.spec.actions) alone += field.per_player ? 0 : field.row_bytes();
      sent.resize(size_t(alone * most));
    }

    i32 players(const Slot& it) const { return players_of(it.state, most); }

    void begin(Slot& it, i64 k) const {
      Base::begin(it, setting(k).params);
      it.players = players(it);
    }

    // The first player's row is the world's; what is not per player is in that one alone, as in a pool.
    ActionRow players_action(i64 k) {
      const i64 row = work.one_action != 0 ? 0 : k;
      action.clear();
      u8* alone = sent.data();
      for (size_t f = 0; f < action_bytes.size(); ++f) {
        const i64 bytes = action_bytes[f];
        const u8* from = static_cast<const u8*>(work.actions[f]);
        if (most == 1 || model.spec.actions[f].per_player) {
          action.push_back(from + row * bytes * most);
          continue;
        }
        std::memcpy(alone, from + row * bytes, size_t(bytes));
        action.push_back(alone);
        alone += bytes * most;
      }
      return {action.data(), action_bytes.data(), 0};
    }

    // Writes what a step brought. Returns whether the episode ended.
    bool conclude(Slot& it, i64 k, Outcome outcome) const {
      Episode& episode = it.episode;
      const bool was_over = episode.over;
      const bool ended = episode.conclude(outcome, setting(k).max_episode_steps, !was_over);
      const i32 count = players(it);
      for (i32 player = 0; player < most; ++player) {
        const bool there = player < count;
        work.reward[k * most + player] = there && !was_over ? Contract::reward(it.state, outcome, player) : 0.0f;
        work.discount[k * most + player] = there ? outcome.discount : 0.0f;
      }
      work.terminated[k] = outcome.terminated;
      work.truncated[k] = outcome.truncated;
      work.elapsed[k] = episode.elapsed;
      if (work.players != nullptr) work.players[k] = count;
      it.players = count;
      return ended;
    }

    void observe(Slot& it, void* const* fields, i64 k) const {
      Contract::observe(it.state, setting(k).params, this->row(fields, k), most);
      const i64 count = players(it);
      for (size_t f = 0; count < most && f < row_bytes.size(); ++f) {
        if (!of_player[f]) continue;
        std::memset(static_cast<u8*>(fields[f]) + (k * most + count) * row_bytes[f], 0,
                    size_t((most - count) * row_bytes[f]));
      }
    }

    // What has been observed as what was observed last, before a restart.
    void keep_observation(i64 k) const {
      for (size_t f = 0; f < row_bytes.size(); ++f) {
        if (this->shows_last(f)) continue;
        const i64 bytes = row_bytes[f] * (of_player[f] ? most : 1);
        std::memcpy(static_cast<u8*>(work.final_fields[f]) + k * bytes, static_cast<u8*>(work.fields[f]) + k * bytes,
                    size_t(bytes));
      }
    }
  };
};

}  // namespace envpool
