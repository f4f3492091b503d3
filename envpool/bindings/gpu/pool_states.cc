// SPDX-License-Identifier: Apache-2.0
//
// The calls of a pool on a GPU that read, replace or show the states of idle environments.
#include "envpool/bindings/gpu/pool.h"
#include "envpool/bindings/seeds.h"
#include "envpool/bindings/snapshots.h"

namespace envpool::cuda {

py::list DevicePool::snapshot(const py::object& env_ids) {
  const CallGuard guard(*this);
  check_usable();
  return python::list_of_bytes(states_.snapshot(idle_ids(env_ids, "snapshot")));
}

void DevicePool::restore(const py::object& env_ids, const std::vector<py::bytes>& states) {
  const CallGuard guard(*this);
  check_usable();
  const std::vector<i32> ids = idle_ids(env_ids, "restore");
  require_distinct(ids, "restore");
  states_.restore(ids, python::views_of(states, i64(ids.size()), options_.label));
  if (!statistics_->enabled()) return;
  const Context::Current current(*context_);
  statistics_->forget(ids, settled());
}

void DevicePool::clone(const py::object& sources, const py::object& env_ids, const py::object& seeds,
                       const py::object& streams) {
  const CallGuard guard(*this);
  check_usable();
  const std::vector<i32> from = idle_ids(sources, "clone"), ids = idle_ids(env_ids, "clone");
  require_distinct(ids, "clone");
  const python::Seeds generators(seeds, streams, i64(ids.size()), label_.name());
  states_.clone(from, ids, generators.seeds(), generators.streams());
  if (!statistics_->enabled()) return;
  const Context::Current current(*context_);
  statistics_->copy(from, ids, settled());
}

py::array DevicePool::read_states(const py::object& env_ids, std::int64_t offset, std::int64_t bytes,
                                  const std::string& call) {
  const CallGuard guard(*this);
  check_usable();
  const std::vector<i32> ids = idle_ids(env_ids, call.c_str());
  states_.require_part(ids, offset, bytes);
  py::array_t<u8> data({py::ssize_t(ids.size()), py::ssize_t(bytes)});
  states_.read(ids, offset, bytes, reinterpret_cast<char*>(data.mutable_data()));
  return data;
}

void DevicePool::write_states(const py::object& env_ids, std::int64_t offset,
                              const py::array_t<u8, py::array::c_style>& data) {
  const CallGuard guard(*this);
  check_usable();
  const std::vector<i32> ids = idle_ids(env_ids, "states");
  require_distinct(ids, "states");
  if (data.ndim() != 2 || data.shape(0) != py::ssize_t(ids.size())) {
    throw py::value_error(text("states: expected an array with one row of bytes per environment"));
  }
  states_.require_part(ids, offset, data.shape(1));
  states_.write(ids, offset, data.shape(1), reinterpret_cast<const char*>(data.data()));
}

// The twin computes the rows on the host. They are copied into a block of their own, so that arrays of earlier batches
// stay unchanged.
py::tuple DevicePool::observe(const py::object& env_ids) {
  const CallGuard guard(*this);
  check_usable();
  const auto ids = std::make_shared<const std::vector<i32>>(idle_ids(env_ids, "observe"));
  require_distinct(*ids, "observe");
  const auto rows = i32(ids->size());
  Block host(blocks_, rows);
  host.open(rows);
  states_.observe(*ids, host.rows_from(0));
  if (layout_.max_players > 1) {
    const auto array = int(blocks_.arrays.size()) - 1;
    auto* const player_env_id = reinterpret_cast<i32*>(host.data(array));
    for (i32 row = 0; row < rows; ++row) {
      for (i32 player = 0; player < layout_.max_players; ++player) {
        const bool present = player < host.values<i32>(abi::kPlayers)[row];
        player_env_id[row * layout_.max_players + player] = present ? (*ids)[size_t(row)] : -1;
      }
    }
  }
  const Places places = places_of(rows);
  const Context::Current current(*context_);
  const std::shared_ptr<const Stream> stream = groups_[0]->launches.shared_stream();
  const auto block = std::make_shared<DeviceBlock>(stream, places.bytes);
  const Address base = block->memory.address();
  for (size_t i = 0; i < blocks_.arrays.size(); ++i) {
    stream->upload(base + Address(places.arrays[i]), host.data(int(i)), blocks_.bytes_of(blocks_.arrays[i], rows));
  }
  stream->fill(base + Address(places.done), 0, rows);
  statistics_->describe(*ids, {base, places.arrays}, *stream);
  stream->synchronize();
  return arrays_of(block, places, ids);
}

py::array DevicePool::render(const py::object& env_ids) {
  const CallGuard guard(*this);
  check_usable();
  const i64 bytes = i64(layout_.render_height) * layout_.render_width * 3;
  if ((table_.flags & abi::kCanRender) == 0 || bytes == 0) {
    label_.throw_invalid_call("render: this environment cannot be rendered");
  }
  const std::vector<i32> ids = idle_ids(env_ids, "render");
  py::array_t<u8> images(
      {py::ssize_t(ids.size()), py::ssize_t(layout_.render_height), py::ssize_t(layout_.render_width), py::ssize_t(3)});
  for (size_t k = 0; k < ids.size(); ++k) states_.render(ids[k], images.mutable_data() + i64(k) * bytes);
  return images;
}

py::list DevicePool::players(const py::object& env_ids) {
  const CallGuard guard(*this);
  check_usable();
  ids_.convert(env_ids, "env_ids", options_.label);
  const std::vector<i32> ids(ids_.data(), ids_.data() + ids_.size());
  const std::vector<i32> counts = states_.players();
  py::list list;
  for (const i32 id : ids) list.append(py::int_(counts[size_t(id)]));
  return list;
}

py::dict DevicePool::states() {
  const CallGuard guard(*this);
  check_usable();
  return states_.parts();
}

}  // namespace envpool::cuda
