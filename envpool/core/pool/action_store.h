// SPDX-License-Identifier: Apache-2.0
//
// Holds the actions of the environments that are under way, in a slot for each environment and player. A send writes
// the slot, and a step reads it.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "envpool/core/assert.h"
#include "envpool/core/pool/admission.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/table/vtable.h"

namespace envpool {

class ActionStore {
 public:
  ActionStore(const Label& label, const abi::Layout& layout, i32 num_envs)
      : label_(label), layout_(layout), num_envs_(num_envs) {}

  // Returns the size of all slots in bytes.
  f64 bytes() const {
    f64 sum = 0;
    for (i32 f = 0; f < layout_.num_actions; ++f) sum += f64(bytes_of(f));
    return sum;
  }
  void allocate() {
    slots_.reserve(size_t(layout_.num_actions));
    for (i32 f = 0; f < layout_.num_actions; ++f) {
      slots_.push_back(std::make_unique<u8[]>(size_t(bytes_of(f))));
      fields_.push_back(slots_.back().get());
    }
    if (layout_.max_players > 1) next_player_.assign(size_t(num_envs_), kNotSent);
  }

  // Returns the slots of each action field, for abi::Work.
  const void* const* fields() const { return fields_.data(); }

  // Copies the actions of admitted environments. Throws std::invalid_argument if the rows do not match their players;
  // the contents of the slots are then unspecified.
  void store(const i32* env_ids, i32 count, RowOrder order, const void* const* actions, const i32* owners,
             i32 action_rows, const Admission& admission) {
    ENVPOOL_ASSERT(are_ids(env_ids, count, num_envs_) && (order == RowOrder::kAsSent || count == num_envs_));
    const i32 max_players = layout_.max_players;
    bool rows_mapped = false;
    for (i32 f = 0; f < layout_.num_actions; ++f) {
      const i64 bytes = layout_.actions[f].row_bytes;
      const u8* from = static_cast<const u8*>(actions[f]);
      u8* const to = slots_[size_t(f)].get();
      if (max_players > 1 && layout_.actions[f].per_player) {
        if (!rows_mapped) map_rows(env_ids, count, owners, action_rows, admission);
        rows_mapped = true;
        if (owners == nullptr) {  // the rows of one environment follow each other
          for (i32 k = 0; k < count; ++k) {
            const i64 env_id = env_ids[k], size = admission.players(env_ids[k]) * bytes;
            std::memcpy(to + env_id * max_players * bytes, from, size_t(size));
            from += size;
          }
          continue;
        }
        for (i32 row = 0; row < action_rows; ++row) {
          std::memcpy(to + slot_of_row_[size_t(row)] * bytes, from + row * bytes, size_t(bytes));
        }
        continue;
      }
      if (order == RowOrder::kById && max_players == 1) {
        std::memcpy(to, from, size_t(bytes * count));
        continue;
      }
      // Constant distances let the compiler use SIMD instructions for the most common world, of two players.
      if (order == RowOrder::kById && max_players == 2 && bytes == 4) {
        for (i64 k = 0; k < count; ++k) std::memcpy(to + 8 * k, from + 4 * k, 4);
        continue;
      }
      switch (bytes) {  // a constant size saves the call of memcpy()
        case 4: copy_rows(to, from, env_ids, count, max_players, std::integral_constant<i64, 4>()); break;
        case 8: copy_rows(to, from, env_ids, count, max_players, std::integral_constant<i64, 8>()); break;
        default: copy_rows(to, from, env_ids, count, max_players, bytes);
      }
    }
  }

 private:
  template <class Bytes>
  static void copy_rows(u8* to, const u8* from, const i32* env_ids, i32 count, i32 max_players, Bytes bytes) {
    for (i32 k = 0; k < count; ++k) {
      std::memcpy(to + i64(env_ids[k]) * max_players * bytes, from + k * bytes, size_t(bytes));
    }
  }

  static constexpr i32 kNotSent = -1;

  i64 bytes_of(i32 field) const { return layout_.actions[field].row_bytes * num_envs_ * layout_.max_players; }

  // Maps each row of per-player actions to the slot of its player. Throws unless every environment gets as many rows as
  // it has players.
  void map_rows(const i32* env_ids, i32 count, const i32* owners, i32 action_rows, const Admission& admission) {
    slot_of_row_.clear();
    i64 expected = 0;
    for (i32 k = 0; k < count; ++k) expected += admission.players(env_ids[k]);
    if (expected != action_rows) {
      label_.throw_invalid_argument("action: expected " + std::to_string(expected) + " rows, one per player, got " +
                                    std::to_string(action_rows));
    }
    if (owners == nullptr) return;
    slot_of_row_.reserve(size_t(num_envs_) * size_t(layout_.max_players));
    for (i32 k = 0; k < count; ++k) next_player_[size_t(env_ids[k])] = 0;
    i32 bad_row = -1;  // the first row whose environment has no player left
    for (i32 row = 0; row < action_rows && bad_row < 0; ++row) {
      const i32 env_id = owners[row];
      if (env_id < 0 || env_id >= num_envs_ || next_player_[size_t(env_id)] == kNotSent ||
          next_player_[size_t(env_id)] == admission.players(env_id)) {
        bad_row = row;
      } else {
        slot_of_row_.push_back(i64(env_id) * layout_.max_players + next_player_[size_t(env_id)]++);
      }
    }
    for (i32 k = 0; k < count; ++k) next_player_[size_t(env_ids[k])] = kNotSent;
    if (bad_row >= 0) {
      label_.throw_invalid_argument(
          "players.env_id: expected one row per player of the environments in env_id, got environment " +
          std::to_string(owners[bad_row]) + " in row " + std::to_string(bad_row) + ", where it has no player left");
    }
  }

  const Label& label_;
  const abi::Layout& layout_;
  const i32 num_envs_;
  std::vector<std::unique_ptr<u8[]>> slots_;  // of each field
  std::vector<const void*> fields_;
  std::vector<i32> next_player_;  // of each environment, while rows are mapped
  std::vector<i64> slot_of_row_;
};

}  // namespace envpool
