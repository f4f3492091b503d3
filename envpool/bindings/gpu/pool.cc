// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/pool.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <numeric>
#include <utility>

#include "envpool/bindings/gpu/capacity.h"
#include "envpool/bindings/interpreter.h"
#include "envpool/bindings/pool/statistics.h"
#include "envpool/bindings/seeds.h"

namespace envpool::cuda {

// --- construction ---

DevicePool::DevicePool(const abi::Table& table, const EnvConfig& config, DeviceOptions options,
                       const std::vector<std::string>& outputs)
    : table_(table),
      options_(std::move(options)),
      label_(options_.label),
      num_envs_(config.num_envs),
      autoreset_(config.autoreset),
      states_(table, config, label_),
      layout_(states_.layout()),
      blocks_(layout_, options_.batch_size,
              config.autoreset == abi::kAutoresetSameStep ? FinalFields::kKept : FinalFields::kNone, Failures::kNever,
              extra_arrays(options_.statistics)),
      places_(places_of(options_.batch_size)),
      ids_(config.num_envs),
      busy_(size_t(config.num_envs), 0) {
  if (table_.device == nullptr) label_.throw_invalid_argument("device: this environment cannot run on a GPU");
  choose_outputs(outputs);

  const Driver& driver = Driver::open(options_.library);
  context_ = std::make_shared<const Context>(driver, options_.number);
  const Context::Current current(*context_);
  try {
    const Stream stream(context_, WithLegacyStream::kIndependent);
    model_ = std::make_unique<DeviceModel>(table_, layout_, options_.image, options_.threads, options_.envs, stream);
  } catch (const std::invalid_argument& error) {
    label_.throw_invalid_argument(error.what());
  }
  // Each group needs two blocks: one that the caller holds, and one that the next launch writes.
  const i64 groups = num_envs_ / options_.batch_size, blocks = options_.in_place ? 1 : 2;
  stack_ = stack_of(driver, model_->kernel());
  const i64 bytes =
      states_.bytes() + blocks * groups * places_.bytes + DeviceStatistics::bytes_of(options_.statistics, num_envs_);
  require_memory(*context_, stack_, num_envs_, bytes, label_);
  // Groups of an asynchronous pool must be able to run concurrently with the caller's work on the legacy stream.
  const auto order = options_.batch_size == num_envs_ ? WithLegacyStream::kInOrder : WithLegacyStream::kIndependent;
  std::vector<std::shared_ptr<const Stream>> streams;
  for (i32 first = 0; first < num_envs_; first += options_.batch_size) {
    groups_.push_back(std::make_unique<Group>(label_, context_, order, places_.bytes, options_.in_place));
    std::vector<i32> ids(size_t(options_.batch_size));
    std::iota(ids.begin(), ids.end(), first);
    groups_.back()->ids = std::make_shared<const std::vector<i32>>(std::move(ids));
    streams.push_back(groups_.back()->launches.shared_stream());
  }
  statistics_ = std::make_unique<DeviceStatistics>(options_.statistics, blocks_, num_envs_, options_.statistics_image,
                                                   groups_[0]->launches.stream());
  actions_ = std::make_unique<DeviceActions>(layout_, label_);
  for (const auto& group : groups_) group->launches.make_room(actions_->bytes_of(options_.batch_size));
  states_.place(*model_, streams, options_.batch_size, config);
  locked_->pool = this;
}

void DevicePool::choose_outputs(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    int array = name == "done" ? -1 : blocks_.find(name);
    if (array < 0 && name == "players.env_id") array = abi::kEnvId;
    if (array < 0 && name != "done")
      throw std::invalid_argument(text("outputs: expected names of arrays, got " + name));
    outputs_.push_back(array);
  }
}

DevicePool::~DevicePool() {
  closed_ = true;
  const python::PatientLock lock(locked_->mutex);
  locked_->pool = nullptr;
  free_quietly();
}

void DevicePool::close(f64) {
  closed_ = true;
  const python::PatientLock lock(locked_->mutex);
  if (calls_ == 0) free();
}

void DevicePool::free() {
  if (context_ == nullptr || std::exchange(freed_, true)) return;
  const Context::Current current(*context_);
  pending_.clear();
  if (!current) return;  // in a forked process, where nothing is freed
  std::exception_ptr failure;
  for (const auto& group : groups_) {
    try {
      group->launches.stream().settle();
    } catch (const CudaError&) {
      failure = std::current_exception();
    }
  }
  for (const auto& group : groups_) group->launches.close();
  states_.close();
  actions_.reset();
  statistics_->close();
  known_ids_.clear();
  model_.reset();
  results_module_ = Owned<Handle>();
  if (failure != nullptr) std::rethrow_exception(failure);
}

void DevicePool::free_quietly() noexcept {
  try {
    free();
  } catch (const std::exception&) {
    // The device failed. Its memory is freed with its context.
  }
}

// --- stepping ---

void DevicePool::check_open() const {
  if (context_->forked()) {
    label_.throw_invalid_call(
        "this pool was made in the parent process; CUDA does not survive a fork: start processes with "
        "multiprocessing's 'spawn' or 'forkserver'");
  }
  if (closed_) label_.throw_invalid_call("the pool is closed");
}

void DevicePool::check_usable() {
  check_open();
  for (const auto& group : groups_) {
    const device::Fault fault = group->launches.take_fault();
    if (fault.why == device::Fault::kNone) continue;
    std::string then = " of an earlier step";
    if (groups_.size() > 1) {
      then += " of environments " + std::to_string(group->ids->front()) + " to " + std::to_string(group->ids->back());
    }
    then += "; its environment was not stepped";
    if (fault.why == device::Fault::kEnvId) {
      label_.throw_invalid_argument(
          "env_id: expected the ids of the batch that was received longest ago, in the same order, "
          "got another id in row " +
          std::to_string(fault.row) + then);
    }
    if (fault.why != device::Fault::kOver) label_.throw_invalid_argument(actions_->refusal(fault) + then);
    label_.throw_invalid_call("action: expected environments whose episodes are not over, got a finished one in row " +
                              std::to_string(fault.row) + then);
  }
}

void DevicePool::require_idle(i32 env_id, const char* call) const {
  label_.require_env_id(call, env_id, num_envs_);
  if (groups_[size_t(env_id / options_.batch_size)]->busy || busy_[size_t(env_id)] != 0) {
    label_.throw_under_way(call, env_id);
  }
}

void DevicePool::send_parts(const char* call, const std::function<std::vector<CallPart>()>& convert) {
  const CallGuard guard(*this);
  check_usable();
  if (sending_) label_.throw_invalid_call(std::string(call) + ": another send or reset of this pool has not returned");
  const Context::Current current(*context_);
  std::vector<CallPart> parts;
  sending_ = true;
  try {
    parts = convert();
    check_open();
    for (CallPart& part : parts) launch(std::move(part));
  } catch (...) {
    sending_ = false;
    throw;
  }
  sending_ = false;
}

void DevicePool::launch(CallPart part) {
  Pending pending = describe(part);
  part.group->launches.run(*model_, part.launch, states_.params(), std::move(part.inputs));
  enqueue_statistics(part, pending, part.group->launches.stream().handle());
  context_->note_stack(stack_);
  set_busy(pending, true);
  pending_.push_back(std::move(pending));
}

DevicePool::Pending DevicePool::describe(CallPart& part) {
  device::Launch& launch = part.launch;
  Launches& launches = part.group->launches;
  Pending pending{part.group, launches.block(), part.ids};
  const Address base = pending.block->memory.address();
  const auto at = [&](size_t array) { return reinterpret_cast<void*>(base + Address(places_.arrays[array])); };
  void* common[abi::kCommonFields];
  for (size_t f = 0; f < abi::kCommonFields; ++f) common[f] = at(f);
  launch.columns = device::columns_of(common);
  for (i32 f = 0; f < layout_.num_fields; ++f) {
    launch.stepped[f] = launch.begun[f] = at(size_t(abi::kCommonFields + f));
    if (blocks_.has_final) launch.ended[f] = at(size_t(abi::kCommonFields + layout_.num_fields + f));
  }
  launch.done = reinterpret_cast<u8*>(base + Address(places_.done));
  if (layout_.max_players > 1) launch.player_env_id = static_cast<i32*>(at(blocks_.arrays.size() - 1));
  states_.describe(launches.stream(), launch);
  launch.batch = {part.rows(), {part.rows()}, 1};
  launch.first_env = part.group->ids->front();
  launch.rules.restarts = !launch.rules.begins && autoreset_ == abi::kAutoresetSameStep;
  launch.rules.if_over = autoreset_ == abi::kAutoresetDisabled ? IfOver::kRefused : IfOver::kBegins;
  return pending;
}

void DevicePool::set_busy(const Pending& pending, bool busy) {
  under_way_ += (busy ? 1 : -1) * i64(pending.ids->size());
  if (pending.ids == pending.group->ids) {
    pending.group->busy = busy;
  } else {
    for (const i32 id : *pending.ids) busy_[size_t(id)] = busy;
  }
}

void DevicePool::await_programs(const py::object& value) const {
  if (registration_reference != nullptr) python::await_programs(value);
}

void DevicePool::send(const py::object& action, const py::object& env_id) {
  await_programs(action);
  await_programs(env_id);
  send_parts("send", [&] {
    std::vector<py::object> fields;
    std::vector<CallPart> parts = parts_of(actions_->split(action, env_id, fields), "send");
    const i64 whole = parts.back().first + parts.back().rows();
    for (CallPart& part : parts) {
      Launches& launches = part.group->launches;
      actions_->describe(fields, whole, part.first, part.rows(), launches, part.inputs, part.launch);
      if (!part.whole()) part.launch.env_ids = launches.staged(*part.ids, part.inputs);
    }
    return parts;
  });
}

void DevicePool::reset(const py::object& env_id, const py::object& seeds, const py::object& streams) {
  await_programs(env_id);
  send_parts("reset", [&] {
    std::vector<CallPart> parts = parts_of(env_id, "reset");
    const python::Seeds generators(seeds, streams, parts.back().first + parts.back().rows(), label_.name());
    for (CallPart& part : parts) {
      Launches& launches = part.group->launches;
      if (generators.present()) {
        const i64 first = part.first, rows = part.rows();
        std::vector<u64> keys(generators.seeds() + first, generators.seeds() + first + rows);
        for (u64& key : keys) key = std::rotl(key, 32);  // the kernel reads the most significant word first
        const std::vector<u32> own(generators.streams() + first, generators.streams() + first + rows);
        const auto operand = [&](const auto& values) {
          const u8* const data = reinterpret_cast<const u8*>(launches.staged(values, part.inputs));
          return device::Operand{data, u32(sizeof(values[0])), device::kFirstAxis, 0, 0};
        };
        part.launch.keyed = abi::kNewKeyAndStream;
        part.launch.keys = operand(keys);
        part.launch.streams = operand(own);
      }
      if (!part.whole()) part.launch.env_ids = launches.staged(*part.ids, part.inputs);
      part.launch.rules.begins = true;
    }
    return parts;
  });
}

DevicePool::Pending DevicePool::next_pending() {
  if (pending_.empty()) label_.throw_nothing_under_way();
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  set_busy(pending, false);
  pending.group->received = ++batches_received_;
  return pending;
}

py::tuple DevicePool::reset_and_recv(const py::object& env_id, const py::object& seeds, const py::object& streams) {
  await_programs(env_id);
  const CallGuard guard(*this);
  check_received("reset");
  reset(env_id, seeds, streams);
  return receive();
}

py::tuple DevicePool::recv(f64) {
  const CallGuard guard(*this);
  check_usable();
  return receive();
}

py::tuple DevicePool::receive() {
  check_open();
  const Pending pending = next_pending();
  return arrays_of(pending.block, places_, pending.ids);
}

DevicePool::Places DevicePool::places_of(i64 rows) const {
  Places places;
  for (const Array& array : blocks_.arrays) {
    places.arrays.push_back(places.bytes);
    places.bytes += aligned(blocks_.bytes_of(array, i32(rows)));
  }
  places.done = places.bytes;
  places.bytes += aligned(rows);
  return places;
}

py::tuple DevicePool::arrays_of(const std::shared_ptr<DeviceBlock>& block, const Places& places, const Ids& ids) const {
  const auto rows = i64(ids->size());
  py::tuple arrays(outputs_.size());
  const Address base = block->memory.address();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const int index = outputs_[i];
    if (index < 0) {
      arrays[i] = DeviceArray(block, base + Address(places.done), {abi::kBool, {rows}});
      continue;
    }
    const Array& array = blocks_.arrays[size_t(index)];
    DeviceArray::Layout layout{array.dtype, {rows * (array.per_player ? layout_.max_players : 1)}};
    layout.shape.insert(layout.shape.end(), array.shape.begin(), array.shape.end());
    arrays[i] = DeviceArray(block, base + Address(places.arrays[size_t(index)]), std::move(layout),
                            index == abi::kEnvId ? ids : nullptr);
  }
  return arrays;
}

py::tuple DevicePool::step(const py::object& action, const py::object& env_id) {
  await_programs(action);
  await_programs(env_id);
  const CallGuard guard(*this);
  check_received("step");
  send(action, env_id);
  return receive();
}

// In a synchronous pool, a step or a reset would otherwise return the results of an earlier send.
void DevicePool::check_received(const char* call) const {
  if (groups_.size() == 1 && !pending_.empty()) {
    label_.throw_invalid_call(std::string(call) + ": results of an earlier send are pending; call recv first");
  }
}

void DevicePool::discard() {
  const CallGuard guard(*this);
  check_usable();
  drop_pending();
}

void DevicePool::abandon() {
  const CallGuard guard(*this);
  if (groups_.size() == 1) drop_pending();
}

void DevicePool::drop_pending() {
  const Context::Current current(*context_);
  for (const Pending& pending : pending_) set_busy(pending, false);
  pending_.clear();
}

// --- idle environments, and statistics ---

std::vector<i32> DevicePool::idle_ids(const py::object& env_ids, const char* call) {
  ids_.convert(env_ids, "env_ids", options_.label);
  std::vector<i32> ids(ids_.data(), ids_.data() + ids_.size());
  for (const i32 id : ids) require_idle(id, call);
  return ids;
}

void DevicePool::require_distinct(const std::vector<i32>& ids, const char* call) const {
  if (ids.empty())
    label_.throw_invalid_argument(std::string(call) + ": env_ids: expected at least one environment, got none");
  std::vector<i32> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return;
  label_.throw_invalid_argument(std::string(call) + ": env_ids: expected distinct ids, got " + std::to_string(*twice) +
                                " twice");
}

const Stream& DevicePool::settled() const {
  for (const auto& group : groups_) group->launches.stream().settle();
  return groups_[0]->launches.stream();
}

bool DevicePool::updates_moments() {
  const CallGuard guard(*this);
  return statistics_->updates_moments;
}

void DevicePool::set_updates_moments(bool value) {
  const CallGuard guard(*this);
  statistics_->updates_moments = value;
}

py::dict DevicePool::statistics() {
  const CallGuard guard(*this);
  check_usable();
  const Context::Current current(*context_);
  const Stream& stream = settled();
  py::dict arrays;
  for (const DeviceStatistics::Part& part : statistics_->parts()) {
    py::array array(python::numpy_dtype(part.dtype), std::vector<py::ssize_t>{py::ssize_t(part.count)});
    stream.download(array.mutable_data(), part.data, i64(array.nbytes()));
    arrays[part.name] = std::move(array);
  }
  stream.synchronize();
  return arrays;
}

void DevicePool::set_statistics(const py::dict& values) {
  const CallGuard guard(*this);
  check_usable();
  const std::vector<DeviceStatistics::Part> parts = statistics_->parts();
  std::vector<py::array> arrays;
  for (const DeviceStatistics::Part& part : parts) {
    arrays.push_back(python::checked_statistics(values, part.name, part.dtype, part.count, label_.name()));
  }
  const Context::Current current(*context_);
  const Stream& stream = settled();
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto bytes = i64(arrays[i].nbytes());
    for (i64 copy = 0; copy < parts[i].copies; ++copy) {
      stream.upload(parts[i].data + Address(copy * bytes), arrays[i].data(), bytes);
    }
  }
  stream.synchronize();
}

void DevicePool::wait() {
  const CallGuard guard(*this);
  const Context::Current current(*context_);
  for (const auto& group : groups_) group->launches.stream().settle();
}

}  // namespace envpool::cuda
