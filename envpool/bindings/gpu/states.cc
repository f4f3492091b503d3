// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/states.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "envpool/bindings/interpreter.h"
#include "envpool/core/math/float_mode.h"
#include "envpool/core/table/episode.h"
#include "envpool/core/table/spec.h"

namespace envpool::cuda {

namespace {

// Returns the kind of each environment. Environments with equal options are of one kind.
std::vector<i32> kinds_of(const EnvConfig& config) {
  const auto less = [](const OptionList* a, const OptionList* b) { return *a < *b; };
  std::map<const OptionList*, i32, decltype(less)> numbers(less);
  std::vector<i32> kinds;
  for (const OptionList& options : config.options) {
    kinds.push_back(numbers.try_emplace(&options, i32(numbers.size())).first->second);
  }
  kinds.resize(size_t(config.num_envs), 0);
  return kinds;
}

// Returns the construction of a pool with one environment of each kind.
EnvConfig one_of_each(const EnvConfig& config) {
  EnvConfig one{.num_envs = 0, .autoreset = config.autoreset};
  const std::vector<i32> kinds = kinds_of(config);
  for (size_t i = 0; i < config.options.size(); ++i) {
    if (kinds[i] != one.num_envs) continue;
    one.options.push_back(config.options[i]);
    ++one.num_envs;
  }
  one.max_episode_steps.assign(size_t(one.num_envs), 0);
  one.seeds.assign(size_t(one.num_envs), 0);
  one.streams.assign(size_t(one.num_envs), 0);
  return one;
}

// Reseeds the generator in a saved state.
void reseed(char* state, u64 key, u32 stream) {
  Episode episode;
  std::memcpy(static_cast<void*>(&episode), state, sizeof(episode));
  episode.seed(key, stream);
  std::memcpy(state, static_cast<const void*>(&episode), sizeof(episode));
}

}  // namespace

DeviceStates::DeviceStates(const abi::Table& table, const EnvConfig& config, const Label& label)
    : table_(table),
      label_(label),
      num_envs_(config.num_envs),
      each_(config.options.size() > 1),
      kind_of_(kinds_of(config)),
      twin_(table, one_of_each(config)) {
  const EnvConfig one = one_of_each(config);
  twin_.create(one);
  for (i32 kind = 0; kind < one.num_envs; ++kind) {
    save_bytes_.push_back(i64(twin_.save(kind).size()));
    slot_bytes_ = std::max(slot_bytes_, (save_bytes_.back() + 15) / 16 * 16);
  }
}

void DeviceStates::place(DeviceModel& model, std::vector<std::shared_ptr<const Stream>> streams, i32 batch_size,
                         const EnvConfig& config) {
  streams_ = std::move(streams);
  batch_size_ = batch_size;
  const Stream& stream = *streams_[0];
  for (size_t kind = 0; kind < save_bytes_.size(); ++kind) {
    params_of_kind_.push_back(model.params_of(twin_.model(i32(kind)), stream));
  }
  if (each_) use_params_of_each();
  place_slots(stream, config);
  limits_ = stream.uploaded(config.max_episode_steps);
  players_ = stream.uploaded(std::vector<i32>(size_t(num_envs_), 0));
  over_ = stream.uploaded(std::vector<u8>(size_t(num_envs_), 1));
}

// Writes the initial states. Each is a copy of the twin's, reseeded with the key and stream of the environment.
void DeviceStates::place_slots(const Stream& stream, const EnvConfig& config) {
  slots_ = std::make_shared<DeviceBlock>(streams_[0], bytes());
  std::vector<std::string> first;
  for (size_t kind = 0; kind < save_bytes_.size(); ++kind) first.push_back(twin_.save(i32(kind)));
  constexpr i64 kChunkBytes = i64{64} << 20;
  const i64 rows = std::max<i64>(1, kChunkBytes / slot_bytes_);
  std::string chunk;
  for (i64 begin = 0; begin < num_envs_; begin += rows) {
    const i64 end = std::min<i64>(num_envs_, begin + rows);
    chunk.assign(size_t((end - begin) * slot_bytes_), '\0');
    for (i64 i = begin; i < end; ++i) {
      char* to = chunk.data() + (i - begin) * slot_bytes_;
      const std::string& state = first[size_t(kind(i32(i)))];
      std::memcpy(to, state.data(), state.size());
      reseed(to, config.seeds[size_t(i)], config.streams[size_t(i)]);
    }
    stream.upload(slot(i32(begin)), chunk.data(), i64(chunk.size()));
    stream.synchronize();
  }
}

void DeviceStates::describe(const Stream& stream, device::Launch& launch) const {
  launch.slots = slots_->memory.as<u8>();
  launch.slot_bytes = slot_bytes_;
  launch.params = params_.as<u8>();
  launch.limits = limits_.as<i32>();
  launch.next = next_.as<u8>();
  launch.players_now = players_.as<i32>();
  launch.over_now = over_.as<u8>();
  launch.repair = exposed_;
  if (exposed_) slots_->reclaim(stream);
}

void DeviceStates::close() {
  const python::Unlocked unlocked;
  slots_.reset();  // arrays returned by parts() keep the memory alive
  for (Memory* memory : {&params_, &limits_, &next_, &players_, &over_}) *memory = Memory();
}

void DeviceStates::gather() const {
  const Context::Current current(*streams_[0]->context);
  for (size_t i = 1; i < streams_.size(); ++i) streams_[0]->follow(streams_[i]->handle());
  const auto found =
      std::find_if(streams_.begin(), streams_.end(), [](const auto& stream) { return stream->has_graphs(); });
  if (found != streams_.end()) streams_[0]->follow_device();
}

void DeviceStates::with_device(const Stream& stream, const std::function<void()>& action) {
  const Context::Current current(*stream.context);
  stream.follow_graphs();
  if (exposed_) slots_->reclaim(stream);
  const python::Unlocked unlocked;
  action();
  stream.synchronize();
}

void DeviceStates::with_streams(const std::vector<i32>& ids, const std::function<void(const Stream&, size_t)>& action) {
  std::map<i32, std::vector<size_t>> places;  // by stream
  for (size_t k = 0; k < ids.size(); ++k) places[ids[k] / batch_size_].push_back(k);
  for (const auto& [index, own] : places) {
    const Stream& on = *streams_[size_t(index)];
    with_device(on, [&] {
      for (const size_t k : own) action(on, k);
    });
  }
}

std::vector<DeviceStates::Saved> DeviceStates::save(const std::vector<i32>& ids) {
  std::vector<Saved> saved(ids.size());
  std::vector<u8> over(ids.size());
  with_streams(ids, [&](const Stream& on, size_t k) {
    const i32 id = ids[k];
    saved[k].state.resize(size_t(save_bytes_[size_t(kind(id))]));
    on.download(saved[k].state.data(), slot(id), i64(saved[k].state.size()));
    on.download(&saved[k].status.players, players_.address() + Address(id) * sizeof(i32), sizeof(i32));
    on.download(&over[k], over_.address() + Address(id), 1);
  });
  for (size_t k = 0; k < ids.size(); ++k) saved[k].status.over = over[k] != 0;
  return saved;
}

void DeviceStates::put(const std::vector<i32>& ids, const std::vector<Saved>& saved) {
  std::vector<u8> over;
  for (const Saved& each : saved) over.push_back(each.status.over);
  with_streams(ids, [&](const Stream& on, size_t k) {
    const i32 id = ids[k];
    on.upload(slot(id), saved[k].state.data(), i64(saved[k].state.size()));
    on.upload(players_.address() + Address(id) * sizeof(i32), &saved[k].status.players, sizeof(i32));
    on.upload(over_.address() + Address(id), &over[k], 1);
  });
}

// --- options ---

i64 DeviceStates::bytes_of_options() const {
  const i64 params_bytes = table_.device->params_bytes;
  return num_envs_ * (params_bytes + device::next_params_bytes(params_bytes));
}

void DeviceStates::use_params_of_each() {
  std::vector<u8> all;
  all.reserve(size_t(num_envs_ * table_.device->params_bytes));
  for (i32 env_id = 0; env_id < num_envs_; ++env_id) {
    const std::string& own = params_of_kind_[size_t(kind(env_id))];
    all.insert(all.end(), own.begin(), own.end());
  }
  const Stream& stream = *streams_[0];
  Memory params = stream.uploaded(all);
  Memory next(stream.context, num_envs_ * device::next_params_bytes(table_.device->params_bytes));
  stream.fill(next.address(), 0, next.bytes());
  stream.synchronize();
  params_ = std::move(params);
  next_ = std::move(next);
  each_ = true;
}

void DeviceStates::with_runs(const std::vector<i32>& ids,
                             const std::function<void(const Stream&, size_t, size_t)>& action) {
  for (size_t first = 0; first < ids.size();) {
    const i32 group = ids[first] / batch_size_;
    size_t end = first + 1;
    while (end < ids.size() && ids[end] == ids[end - 1] + 1 && ids[end] / batch_size_ == group) ++end;
    const Stream& on = stream(ids[first]);
    with_device(on, [&] { action(on, first, end - first); });
    first = end;
  }
}

std::vector<DeviceStates::OwnOptions> DeviceStates::options_of(const std::vector<i32>& ids, When when) {
  const i64 bytes = table_.device->params_bytes, limit_at = device::limit_at(bytes);
  const i64 next_bytes = device::next_params_bytes(bytes);
  std::vector<OwnOptions> all(ids.size());
  std::vector<char> params(ids.size() * size_t(bytes)), next(ids.size() * size_t(each_ ? next_bytes : 0));
  std::vector<i32> limits(ids.size());
  with_runs(ids, [&](const Stream& on, size_t k, size_t count) {
    const i64 id = ids[k], rows = i64(count);
    on.download(&limits[k], limits_.address() + Address(id * i64{sizeof(i32)}), rows * i64{sizeof(i32)});
    if (!each_) return;
    on.download(params.data() + i64(k) * bytes, params_.address() + Address(id * bytes), rows * bytes);
    on.download(next.data() + i64(k) * next_bytes, next_.address() + Address(id * next_bytes), rows * next_bytes);
  });
  for (size_t k = 0; k < ids.size(); ++k) {
    const char* from = each_ ? params.data() + i64(k) * bytes : params_of_kind_[0].data();
    all[k].limit = limits[k];
    if (each_ && when == When::kNextEpisode) {
      const char* const own = next.data() + i64(k) * next_bytes;
      i32 limit_and_changed[2];
      std::memcpy(limit_and_changed, own + limit_at, sizeof(limit_and_changed));
      if (limit_and_changed[1] != 0) {
        from = own;
        all[k].limit = limit_and_changed[0];
      }
    }
    all[k].params.assign(from, size_t(bytes));
    copy_pointers(all[k].params.data(), table_.device->params(twin_.model(kind(ids[k]))));
  }
  return all;
}

void DeviceStates::copy_pointers(char* params, const void* from) const {
  for (const i64 at : {table_.device->blob_at, table_.device->native_at}) {
    if (at >= 0) std::memcpy(params + at, static_cast<const char*>(from) + at, sizeof(void*));
  }
}

void DeviceStates::set_options(const std::vector<i32>& ids, const std::vector<std::string>& names, const f64* values,
                               i64 width) {
  if (ids.empty()) return;
  const std::vector<i32> numbers = twin_.numbers_of(names, width, "environment " + std::to_string(ids[0]));
  const i64 bytes = table_.device->params_bytes, limit_at = device::limit_at(bytes);
  const i64 next_bytes = device::next_params_bytes(bytes);
  std::vector<OwnOptions> all = options_of(ids, When::kNextEpisode);
  std::vector<char> rows(ids.size() * size_t(next_bytes));
  const FloatModeGuard float_mode;
  for (size_t k = 0; k < ids.size(); ++k) {
    OwnOptions& own = all[k];
    try_table([&](abi::TextSink error) {
      return table_.device->change_options(own.params.data(), &own.limit, ids[k], numbers.data(), i32(numbers.size()),
                                           values + i64(k) * width, error);
    });
    copy_pointers(own.params.data(), params_of_kind_[size_t(kind(ids[k]))].data());
    char* const row = rows.data() + i64(k) * next_bytes;
    std::memcpy(row, own.params.data(), size_t(bytes));
    const i32 limit_and_changed[] = {own.limit, 1};
    std::memcpy(row + limit_at, limit_and_changed, sizeof(limit_and_changed));
  }
  with_runs(ids, [&](const Stream& on, size_t k, size_t count) {
    on.upload(next_.address() + Address(ids[k] * next_bytes), rows.data() + i64(k) * next_bytes,
              i64(count) * next_bytes);
  });
}

std::vector<std::vector<f64>> DeviceStates::get_options(const std::vector<i32>& ids) {
  std::vector<std::vector<f64>> all;
  for (const OwnOptions& own : options_of(ids, When::kNow)) {
    all.emplace_back(twin_.option_elements());
    table_.device->read_options(own.params.data(), own.limit, all.back().data());
  }
  return all;
}

i32 DeviceStates::twin_of(i32 env_id) {
  if (each_) {
    const OwnOptions own = options_of({env_id}, When::kNow)[0];
    const FloatModeGuard float_mode;
    twin_.use_params(kind(env_id), own.params.data(), own.limit);
  }
  return kind(env_id);
}

// --- states ---

// Returns a state that the user provided, after the twin has brought it into the range that kernels accept. The twin
// then has this state, and the environment's options.
std::string DeviceStates::repaired(i32 env_id, std::string_view state, const char* call) {
  const i32 twin = twin_of(env_id);
  const FloatModeGuard float_mode;
  try {
    twin_.load(twin, state.data(), i64(state.size()));
  } catch (const std::invalid_argument& error) {
    label_.throw_invalid_argument(std::string(call) + ": " + error.what());
  }
  return twin_.save(twin);
}

std::vector<std::string> DeviceStates::snapshot(const std::vector<i32>& ids) {
  std::vector<std::string> snapshots;
  std::vector<Saved> saved = save(ids);
  for (size_t k = 0; k < ids.size(); ++k) {
    if (exposed_) saved[k].state = repaired(ids[k], saved[k].state, "snapshot");
    const SnapshotKind snapshot_kind{label_, twin_.layout(kind(ids[k]))};
    snapshots.push_back(Snapshot::pack(snapshot_kind, saved[k].status, saved[k].state, buffer_));
  }
  return snapshots;
}

void DeviceStates::restore(const std::vector<i32>& ids, const std::vector<std::string_view>& states) {
  std::vector<Saved> saved;
  for (size_t k = 0; k < ids.size(); ++k) {
    const Snapshot snapshot({label_, twin_.layout(kind(ids[k]))}, states[k]);
    const std::string_view state = snapshot.state(save_bytes_[size_t(kind(ids[k]))], buffer_);
    saved.push_back({repaired(ids[k], state, "restore"), snapshot.status()});
  }
  put(ids, saved);
}

void DeviceStates::clone(const std::vector<i32>& sources, const std::vector<i32>& ids, const u64* keys,
                         const u32* streams) {
  for (size_t k = 0; k < ids.size(); ++k) {
    if (twin_.layout(kind(ids[k])).identity == twin_.layout(kind(sources[k])).identity) continue;
    label_.throw_invalid_argument("clone: env_id: expected environments with the options of environment " +
                                  std::to_string(sources[k]) + ", got environment " + std::to_string(ids[k]) +
                                  ", which has other options");
  }
  std::vector<i32> originals = sources;  // each is downloaded once
  std::sort(originals.begin(), originals.end());
  originals.erase(std::unique(originals.begin(), originals.end()), originals.end());
  const std::vector<Saved> saved = save(originals);
  std::vector<Saved> copies;
  for (size_t k = 0; k < ids.size(); ++k) {
    const auto at = std::lower_bound(originals.begin(), originals.end(), sources[k]) - originals.begin();
    const Saved& original = saved[size_t(at)];
    copies.push_back({repaired(ids[k], original.state, "clone"), original.status});
    if (keys != nullptr) reseed(copies.back().state.data(), keys[k], streams[k]);
  }
  put(ids, copies);
}

void DeviceStates::require_part(const std::vector<i32>& ids, i64 offset, i64 bytes) const {
  for (const i32 id : ids) require_part_of_state(label_, save_bytes_[size_t(kind(id))], offset, bytes);
}

void DeviceStates::read(const std::vector<i32>& ids, i64 offset, i64 bytes, char* data) {
  with_streams(ids, [&](const Stream& on, size_t k) {
    on.download(data + i64(k) * bytes, slot(ids[k]) + Address(offset), bytes);
  });
}

void DeviceStates::write(const std::vector<i32>& ids, i64 offset, i64 bytes, const char* data) {
  std::vector<Saved> saved = save(ids);
  for (size_t k = 0; k < ids.size(); ++k) {
    std::memcpy(saved[k].state.data() + offset, data + i64(k) * bytes, size_t(bytes));
    saved[k].state = repaired(ids[k], saved[k].state, "states");
  }
  put(ids, saved);
}

void DeviceStates::render(i32 env_id, u8* rgb) {
  static_cast<void>(repaired(env_id, save({env_id})[0].state, "render"));
  twin_.render(kind(env_id), rgb);
}

void DeviceStates::observe(const std::vector<i32>& ids, abi::ResultRows rows) {
  const std::vector<Saved> saved = save(ids);
  for (size_t k = 0; k < ids.size(); ++k) {
    if (saved[k].status.over && saved[k].status.players == 0) {
      label_.throw_invalid_call("observe: environment " + std::to_string(ids[k]) + " has not been reset yet");
    }
  }
  for (size_t k = 0; k < ids.size(); ++k, ++rows.row) {
    static_cast<void>(repaired(ids[k], saved[k].state, "observe"));
    const FloatModeGuard float_mode;
    try {
      twin_.observe(kind(ids[k]), rows);
    } catch (const TableError& error) {
      label_.throw_invalid_call(std::string("observe: ") + error.what());
    }
    static_cast<i32*>(rows.fields[abi::kEnvId])[rows.row] = ids[k];  // the twin has other numbers
  }
}

std::vector<i32> DeviceStates::players() {
  gather();
  std::vector<i32> counts(static_cast<size_t>(num_envs_));
  with_device(*streams_[0],
              [&] { streams_[0]->download(counts.data(), players_.address(), i64(counts.size() * sizeof(i32))); });
  return counts;
}

py::dict DeviceStates::parts() {
  TextBuffer json;
  try_table([&](abi::TextSink error) { return table_.device->view(json, error); });
  gather();
  exposed_ = true;
  py::dict parts;
  for (const py::handle item : py::module_::import("json").attr("loads")(json.text)) {
    const py::dict part = py::reinterpret_borrow<py::dict>(item);
    const std::string dtype = py::str(part["dtype"]);
    const auto* type = std::find_if(std::begin(kElementTypes), std::end(kElementTypes),
                                    [&](const ElementType& each) { return dtype == dtype_name(each.dtype); });
    DeviceArray::Layout layout{type->dtype, {num_envs_}, slot_bytes_};
    if (const auto count = part["count"].cast<std::int64_t>(); count > 0) layout.shape.push_back(count);
    const Address offset = Address(part["offset"].cast<std::int64_t>());
    parts[part["name"]] = DeviceArray(slots_, slots_->memory.address() + offset, std::move(layout));
  }
  return parts;
}

}  // namespace envpool::cuda
