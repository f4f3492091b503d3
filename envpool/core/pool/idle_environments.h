// SPDX-License-Identifier: Apache-2.0
//
// Makes snapshots, copies, observations and images of idle environments, that is, those that are not under way. The
// pool's mutex guards all calls.
#pragma once

#include <cstring>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/core/math/float_mode.h"
#include "envpool/core/pool/admission.h"
#include "envpool/core/pool/block.h"
#include "envpool/core/pool/members.h"
#include "envpool/core/pool/snapshot.h"

namespace envpool {

class IdleEnvironments {
 public:
  IdleEnvironments(const Label& label, Members& envs, Admission& admission)
      : label_(label), envs_(envs), admission_(admission) {}

  // Returns the state of each environment.
  std::vector<std::string> snapshot(const i32* env_ids, i32 count) {
    for (i32 k = 0; k < count; ++k) admission_.require_idle(env_ids[k], "snapshot");
    require_snapshots(env_ids, count, "snapshot: this environment cannot save its state");
    std::vector<std::string> snapshots;
    snapshots.reserve(size_t(count));
    for (i32 k = 0; k < count; ++k) {
      const std::string_view state = save(env_ids[k], "snapshot");
      snapshots.push_back(Snapshot::pack(kind(env_ids[k]), admission_.status(env_ids[k]), state, packed_));
    }
    return snapshots;
  }
  // Restores one state in each environment. A snapshot that is damaged or belongs to other environments throws before
  // anything is changed.
  void restore(const i32* env_ids, i32 count, const std::string_view* states) {
    admission_.check(env_ids, count, "restore", "env_ids");
    require_snapshots(env_ids, count, "restore: this environment cannot load a state");
    std::vector<Snapshot> snapshots;
    snapshots.reserve(size_t(count));
    for (i32 k = 0; k < count; ++k) snapshots.emplace_back(kind(env_ids[k]), states[k]);
    for (i32 k = 0; k < count; ++k) {
      const Snapshot& snapshot = snapshots[size_t(k)];
      const i64 size = snapshot.packed() ? envs_.save_size(env_ids[k]) : 0;
      load(env_ids[k], snapshot.state(size, state_), snapshot.status(), "restore");
    }
  }
  // Copies the state of environment sources[k], including its generator, to environment env_ids[k]. An environment may
  // be a source and receive another state. If seeds and streams are passed, they seed the generators of the copies.
  // Invalid arguments throw before anything is changed.
  void clone(const i32* sources, const i32* env_ids, i32 count, const u64* seeds, const u32* streams) {
    for (i32 k = 0; k < count; ++k) admission_.require_idle(sources[k], "clone");
    admission_.check(env_ids, count, "clone", "env_ids");
    require_snapshots(sources, count, "clone: this environment cannot save its state");
    for (i32 k = 0; k < count; ++k) {
      if (envs_.layout(env_ids[k]).identity == envs_.layout(sources[k]).identity) continue;
      label_.throw_invalid_argument("clone: env_id: expected environments with the options of environment " +
                                    std::to_string(sources[k]) + ", got environment " + std::to_string(env_ids[k]) +
                                    ", which has other options");
    }
    struct Original {
      std::string state;
      EpisodeStatus status;
    };
    std::map<i32, Original> originals;
    for (i32 k = 0; k < count; ++k) {
      const i32 source = sources[k];
      if (env_ids[k] == source || originals.contains(source)) continue;
      originals[source] = {std::string(save(source, "clone")), admission_.status(source)};
    }
    for (i32 k = 0; k < count; ++k) {
      if (env_ids[k] != sources[k]) {
        const Original& original = originals.at(sources[k]);
        load(env_ids[k], original.state, original.status, "clone");
      }
      if (seeds != nullptr) envs_.seed(env_ids[k], seeds[k], streams[k]);
    }
  }
  // Writes an image of each environment, of shape (render_height, render_width, 3).
  void render(const i32* env_ids, i32 count, u8* rgb) {
    const abi::Layout& first = count > 0 ? envs_.layout(env_ids[0]) : envs_.layout();
    const i64 bytes = i64(first.render_height) * first.render_width * 3;
    for (i32 k = 0; k < count; ++k) {
      const abi::Layout& layout = envs_.layout(env_ids[k]);
      if ((envs_.of(env_ids[k]).table.flags & abi::kCanRender) == 0 || layout.render_height == 0 ||
          layout.render_width == 0)
        label_.throw_invalid_call("render: this environment cannot be rendered");
      if (layout.render_height != first.render_height || layout.render_width != first.render_width) {
        const auto size = [](const abi::Layout& of) {
          return std::to_string(of.render_height) + " x " + std::to_string(of.render_width);
        };
        label_.throw_invalid_argument("render: env_ids: expected environments whose images have the same size, got " +
                                      size(first) + " and " + size(layout) + " pixels");
      }
      admission_.require_idle(env_ids[k], "render");
    }
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
    for (i32 k = 0; k < count; ++k) {
      if (envs_.of(env_ids[k]).table.reset_options == nullptr)
        label_.throw_invalid_argument("options: expected none, because a reset takes no options");
    }
    try {
      for (i32 k = 0; k < count; ++k) envs_.reset_options(env_ids[k], options.data(), i64(options.size()));
    } catch (const TableError& error) {
      label_.throw_invalid_argument(std::string("options: ") + error.what());
    }
  }
  // Sets options of environments from their next episodes on (Members::set_options). A value that is not allowed throws
  // before the options of its id change.
  void set_options(const i32* env_ids, i32 count, const std::vector<std::string>& names, const f64* values, i64 width,
                   const char* call) {
    admission_.check(env_ids, count, call, "env_ids");
    const FloatModeGuard float_mode;
    try {
      envs_.set_options(env_ids, count, names, values, width);
    } catch (const TableError& error) {
      label_.throw_invalid_argument(std::string(call) + ": " + error.what());
    }
  }
  // Returns the options with which an environment runs (Members::get_options).
  std::vector<f64> get_options(i32 env_id) {
    admission_.require_idle(env_id, "options");
    try {
      return envs_.get_options(env_id);
    } catch (const TableError& error) {
      label_.throw_invalid_argument(std::string("options: ") + error.what());
    }
  }
  // Writes the current observation of each environment, which must be idle, into the rows of a block that is open for
  // `count` rows.
  void observe(const i32* env_ids, i32 count, Block& block) {
    for (i32 k = 0; k < count; ++k) {
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
  i64 state_bytes(i32 env_id) {
    admission_.require_idle(env_id, "states");
    require_snapshots(&env_id, 1, "states: this environment cannot save its state");
    return envs_.save_size(env_id);
  }
  // Copies `bytes` bytes at `offset` of each environment's saved state to `data`, or overwrites them with `data`. The
  // rows of `data` are contiguous. `call` is the name of the caller's function, for errors.
  void read_states(const i32* env_ids, i32 count, i64 offset, i64 bytes, char* data, const char* call) {
    for_each_state(env_ids, count, offset, bytes, call, [&](i32 k, const std::string& state) {
      std::memcpy(data + k * bytes, state.data() + offset, size_t(bytes));
    });
  }
  void write_states(const i32* env_ids, i32 count, i64 offset, i64 bytes, const char* data) {
    for_each_state(env_ids, count, offset, bytes, "states", [&](i32 k, std::string& state) {
      std::memcpy(state.data() + offset, data + k * bytes, size_t(bytes));
      load(env_ids[k], state, admission_.status(env_ids[k]), "states");
    });
  }

 private:
  template <class Action>
  void for_each_state(const i32* env_ids, i32 count, i64 offset, i64 bytes, const char* call, Action&& action) {
    for (i32 k = 0; k < count; ++k) admission_.require_idle(env_ids[k], call);
    require_snapshots(env_ids, count, "states: this environment cannot save its state");
    for (i32 k = 0; k < count; ++k) {
      std::string state(save(env_ids[k], call));
      require_part_of_state(label_, i64(state.size()), offset, bytes);
      action(k, state);
    }
  }
  void require_snapshots(const i32* env_ids, i32 count, const char* refusal) const {
    for (i32 k = 0; k < count; ++k) {
      const abi::Table& table = envs_.of(env_ids[k]).table;
      if ((table.flags & abi::kCanSnapshot) != 0) continue;
      const std::string reason = table.no_snapshots == nullptr ? "" : std::string(", because ") + table.no_snapshots;
      label_.throw_invalid_call(refusal + reason);
    }
  }
  SnapshotKind kind(i32 env_id) const { return {envs_.of(env_id).label, envs_.layout(env_id)}; }
  // Returns a state, which is valid until the next call.
  std::string_view save(i32 env_id, const char* call) {
    const FloatModeGuard float_mode;
    try {
      return envs_.save(env_id, state_);
    } catch (const TableError& error) {
      label_.throw_invalid_call(std::string(call) + ": environment " + std::to_string(env_id) + ": " + error.what());
    }
  }
  void load(i32 env_id, std::string_view state, EpisodeStatus status, const char* call) {
    const FloatModeGuard float_mode;
    try {
      envs_.load(env_id, state.data(), i64(state.size()));
    } catch (const std::invalid_argument& error) {
      label_.throw_invalid_argument(std::string(call) + ": " + error.what());
    }
    admission_.set_status(env_id, status);
  }

  const Label& label_;
  Members& envs_;
  Admission& admission_;
  std::string state_, packed_;  // buffers, which are kept so that snapshots of large states need no new memory
};

}  // namespace envpool
