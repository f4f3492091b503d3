// SPDX-License-Identifier: Apache-2.0
//
// Tracks which environments are under way. An environment is admitted by the call that sends it and settled when its
// row is received. It cannot be sent again in between, so neither the queue nor the blocks can overflow.
//
// The pool's mutex guards everything except count().
#pragma once

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "envpool/core/assert.h"
#include "envpool/core/pool/block.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/table/vtable.h"

namespace envpool {

// The status of the current episode of an idle environment.
struct EpisodeStatus {
  i32 players = 0;
  bool over = true;
};

class Admission {
 public:
  Admission(const Label& label, i32 num_envs)
      : label_(label),
        num_envs_(num_envs),
        under_way_(size_t(num_envs), 0),
        over_(size_t(num_envs), 1),
        players_(size_t(num_envs), 0) {}

  // Returns the number of environments under way. Thread-safe.
  i32 count() const { return count_; }
  i32 players(i32 env_id) const { return players_[size_t(env_id)]; }

  // Marks either all of the environments as under way, or none. Returns kById if they are all environments of the pool
  // in order; this common case allows whole arrays to be copied at once. `argument` is the name of `env_ids`.
  RowOrder admit(const i32* env_ids, i32 count, const char* call, const char* argument = "env_id") {
    const auto refuse = [&](const std::string& what) {
      label_.throw_invalid_argument(std::string(call) + ": " + argument + ": " + what);
    };
    if (count <= 0) refuse("expected at least one environment, got none");
    const RowOrder order = order_of(env_ids, count);
    if (order == RowOrder::kById && count_ == 0) {
      std::fill(under_way_.begin(), under_way_.end(), u8(1));
      count_ = count;
      return order;
    }
    u8* const under_way = under_way_.data();
    const u32 num_envs = u32(num_envs_);
    i32 k = 0;
    try {
      for (; k < count; ++k) {
        const i32 env_id = env_ids[k];
        if (u32(env_id) >= num_envs || under_way[env_id]) {
          if (std::find(env_ids, env_ids + k, env_id) != env_ids + k) {
            refuse("expected distinct ids, got " + std::to_string(env_id) + " twice");
          }
          require_idle(env_id, call);
        }
        under_way[env_id] = 1;
      }
    } catch (...) {
      for (i32 j = 0; j < k; ++j) under_way_[size_t(env_ids[j])] = 0;
      throw;
    }
    count_ += count;
    ENVPOOL_ASSERT(count_ <= num_envs_);
    return order;
  }
  // Undoes admit(), if the call fails afterwards.
  void withdraw(const i32* env_ids, i32 count) {
    ENVPOOL_ASSERT(are_under_way(env_ids, count));
    for (i32 k = 0; k < count; ++k) under_way_[size_t(env_ids[k])] = 0;
    count_ -= count;
  }
  // Throws what admit() would throw, and returns what it would return.
  RowOrder check(const i32* env_ids, i32 count, const char* call, const char* argument) {
    const RowOrder order = admit(env_ids, count, call, argument);
    withdraw(env_ids, count);
    return order;
  }

  void require_idle(i32 env_id, const char* call) const {
    label_.require_env_id(call, env_id, num_envs_);
    if (under_way_[size_t(env_id)]) label_.throw_under_way(call, env_id);
  }
  // Throws if the episode of an environment is over. Pools without autoreset call this.
  void require_unfinished(const i32* env_ids, i32 count) const {
    for (i32 k = 0; k < count; ++k) {
      if (over_[size_t(env_ids[k])]) {
        label_.throw_invalid_argument("action: expected environments whose episodes are not over, got environment " +
                                      std::to_string(env_ids[k]) + ", whose episode is over; reset it first");
      }
    }
  }

  // Marks the environments of a block's first `rows` rows as idle, and records the status of their episodes.
  void settle(const Block& block, i32 rows) noexcept {
    const i32* env_ids = block.values<i32>(abi::kEnvId);
    const i32* counts = block.values<i32>(abi::kPlayers);
    const u8* terminated = block.values<u8>(abi::kTerminated);
    const u8* truncated = block.values<u8>(abi::kTruncated);
    ENVPOOL_ASSERT(rows >= 0 && rows <= block.rows());
    ENVPOOL_ASSERT(are_under_way(env_ids, rows));
    ENVPOOL_ASSERT(are_ids(counts, rows, block.layout().max_players + 1));
    // Local variables, because the compiler would load the pointers again after each store of a byte.
    u8 *const under_way = under_way_.data(), *const over = over_.data();
    i32* const players = players_.data();
    if (block.order() == RowOrder::kById) {
      ENVPOOL_ASSERT(rows == num_envs_ && order_of(env_ids, rows) == RowOrder::kById);
      std::fill(under_way_.begin(), under_way_.end(), u8(0));
      for (i32 row = 0; row < rows; ++row) over[row] = terminated[row] | truncated[row];
      std::copy(counts, counts + rows, players_.begin());
    } else {
      for (i32 row = 0; row < rows; ++row) {
        const size_t env_id = size_t(env_ids[row]);
        under_way[env_id] = 0;
        over[env_id] = terminated[row] | truncated[row];
        players[env_id] = counts[row];
      }
    }
    count_ -= rows;
  }

  // The status of an idle environment, which is part of a snapshot.
  EpisodeStatus status(i32 env_id) const { return {players_[size_t(env_id)], over_[size_t(env_id)] != 0}; }
  void set_status(i32 env_id, EpisodeStatus status) {
    players_[size_t(env_id)] = status.players;
    over_[size_t(env_id)] = u8(status.over);
  }

 private:
  // Returns whether the ids are those of environments under way.
  bool are_under_way(const i32* env_ids, i32 count) const {
    if (count > count_ || !are_ids(env_ids, count, num_envs_)) return false;
    u8 all = 1;
    for (i32 k = 0; k < count; ++k) all &= under_way_[size_t(env_ids[k])];
    return all != 0;
  }
  RowOrder order_of(const i32* env_ids, i32 count) const {
    if (count != num_envs_) return RowOrder::kAsSent;
    constexpr i32 kStride = 64;  // constant, so that the compiler uses SIMD instructions
    i32 k = 0, wrong = 0;
    for (; k + kStride <= count && wrong == 0; k += kStride) {
      for (i32 j = 0; j < kStride; ++j) wrong |= env_ids[k + j] ^ (k + j);
    }
    for (; k < count; ++k) wrong |= env_ids[k] ^ k;
    return wrong == 0 ? RowOrder::kById : RowOrder::kAsSent;
  }

  const Label& label_;
  const i32 num_envs_;
  std::vector<u8> under_way_, over_;
  std::vector<i32> players_;
  std::atomic<i32> count_{0};
};

}  // namespace envpool
