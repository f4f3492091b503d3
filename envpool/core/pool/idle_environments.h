// SPDX-License-Identifier: Apache-2.0
//
// Makes snapshots, copies, observations and images of idle environments, that is, those that are not under way. The
// pool's mutex guards all calls.
#pragma once

#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "envpool/core/math/float_mode.h"
#include "envpool/core/pool/admission.h"
#include "envpool/core/pool/block.h"
#include "envpool/core/pool/environments.h"
#include "envpool/core/pool/snapshot.h"

namespace envpool {

class IdleEnvironments {
 public:
  IdleEnvironments(const abi::Table& table, const Label& label, Environments& envs, Admission& admission)
      : table_(table), label_(label), envs_(envs), admission_(admission) {}

  // Returns the state of an environment.
  std::string snapshot(i32 env_id) {
    admission_.require_idle(env_id, "snapshot");
    require_snapshots("snapshot: this environment cannot save its state");
    return Snapshot::pack(identity(env_id), admission_.status(env_id), save(env_id));
  }
  void restore(i32 env_id, const char* data, i64 size) {
    admission_.require_idle(env_id, "restore");
    require_snapshots("restore: this environment cannot load a state");
    const Snapshot saved(label_, identity(env_id), envs_.layout().max_players, data, size);
    load(env_id, saved.state(), saved.state_size(), saved.status(), "restore");
  }
  // Copies the state of one environment, including its generator, to others. If seeds and streams are passed, they seed
  // the generators of the copies. Invalid arguments throw before anything is changed.
  void clone(i32 source, const i32* env_ids, i32 count, const u64* seeds, const u32* streams) {
    require_snapshots("clone: this environment cannot save its state");
    admission_.require_idle(source, "clone");
    admission_.check(env_ids, count, "clone");
    for (i32 k = 0; k < count; ++k) {
      if (identity(env_ids[k]) == identity(source)) continue;
      label_.throw_invalid_argument("clone: env_id: expected environments with the options of environment " +
                                    std::to_string(source) + ", got environment " + std::to_string(env_ids[k]) +
                                    ", which has other options");
    }
    const std::string state = save(source);
    for (i32 k = 0; k < count; ++k) {
      if (env_ids[k] != source) {
        load(env_ids[k], state.data(), i64(state.size()), admission_.status(source), "clone");
      }
      if (seeds != nullptr) envs_.seed(env_ids[k], seeds[k], streams[k]);
    }
  }
  // Writes an image of each environment, of shape (render_height, render_width, 3).
  void render(const i32* env_ids, i32 count, u8* rgb) {
    const abi::Layout& layout = envs_.layout();
    const i64 bytes = i64(layout.render_height) * layout.render_width * 3;
    const char* refusal = "render: this environment cannot be rendered";
    require(abi::kCanRender, refusal);
    if (bytes == 0) label_.throw_invalid_call(refusal);
    for (i32 k = 0; k < count; ++k) admission_.require_idle(env_ids[k], "render");
    const FloatModeGuard float_mode;
    try {
      for (i32 k = 0; k < count; ++k) envs_.render(env_ids[k], rgb + bytes * k);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      label_.throw_invalid_call(error.what());
    }
  }

  // Passes the options of the next reset to environments that are about to be queued.
  void reset_options(const i32* env_ids, i32 count, std::string_view options) {
    if (!envs_.takes_reset_options())
      label_.throw_invalid_argument("options: expected none, because a reset takes no options");
    try {
      for (i32 k = 0; k < count; ++k) envs_.reset_options(env_ids[k], options.data(), i64(options.size()));
    } catch (const TableError& error) {
      label_.throw_invalid_argument(std::string("options: ") + error.what());
    }
  }
  // Writes the current observation of each environment into the rows of a block that is open for `count` rows.
  void observe(const i32* env_ids, i32 count, Block& block) {
    for (i32 k = 0; k < count; ++k) {
      admission_.require_idle(env_ids[k], "observe");
      const EpisodeStatus status = admission_.status(env_ids[k]);
      if (status.over && status.players == 0) {
        label_.throw_invalid_call("observe: environment " + std::to_string(env_ids[k]) + " has not been reset yet");
      }
    }
    const FloatModeGuard float_mode;
    try {
      for (i32 k = 0; k < count; ++k) envs_.observe(env_ids[k], block.rows_from(k));
    } catch (const TableError& error) {
      label_.throw_invalid_call(std::string("observe: ") + error.what());
    }
  }
  // Copies `bytes` bytes at `offset` of each environment's saved state to `data`, or overwrites them with `data`. The
  // rows of `data` are contiguous.
  void read_states(const i32* env_ids, i32 count, i64 offset, i64 bytes, char* data) {
    for_each_state(env_ids, count, offset, bytes, [&](i32 k, const std::string& state) {
      std::memcpy(data + k * bytes, state.data() + offset, size_t(bytes));
    });
  }
  void write_states(const i32* env_ids, i32 count, i64 offset, i64 bytes, const char* data) {
    for_each_state(env_ids, count, offset, bytes, [&](i32 k, std::string& state) {
      std::memcpy(state.data() + offset, data + k * bytes, size_t(bytes));
      load(env_ids[k], state.data(), i64(state.size()), admission_.status(env_ids[k]), "states");
    });
  }

 private:
  template <class Action>
  void for_each_state(const i32* env_ids, i32 count, i64 offset, i64 bytes, Action&& action) {
    require_snapshots("states: this environment cannot save its state");
    for (i32 k = 0; k < count; ++k) admission_.require_idle(env_ids[k], "states");
    for (i32 k = 0; k < count; ++k) {
      std::string state = save(env_ids[k]);
      if (offset < 0 || bytes < 0 || offset > i64(state.size()) - bytes) {
        label_.throw_invalid_argument("states: expected a part of a state of " + std::to_string(state.size()) +
                                      " bytes, got bytes " + std::to_string(offset) + " to " +
                                      std::to_string(offset + bytes));
      }
      action(k, state);
    }
  }
  void require(u32 flag, const char* refusal) const {
    if ((table_.flags & flag) == 0) label_.throw_invalid_call(refusal);
  }
  void require_snapshots(const char* refusal) const {
    if ((table_.flags & abi::kCanSnapshot) != 0) return;
    const std::string reason = table_.no_snapshots == nullptr ? "" : std::string(", because ") + table_.no_snapshots;
    label_.throw_invalid_call(refusal + reason);
  }
  u64 identity(i32 env_id) const { return snapshot_identity(label_, envs_.identity(env_id)); }
  std::string save(i32 env_id) {
    const FloatModeGuard float_mode;
    return envs_.save(env_id);
  }
  void load(i32 env_id, const char* state, i64 size, EpisodeStatus status, const char* call) {
    const FloatModeGuard float_mode;
    try {
      envs_.load(env_id, state, size);
    } catch (const std::invalid_argument& error) {
      label_.throw_invalid_argument(std::string(call) + ": " + error.what());
    }
    admission_.set_status(env_id, status);
  }

  const abi::Table& table_;
  const Label& label_;
  Environments& envs_;
  Admission& admission_;
};

}  // namespace envpool
