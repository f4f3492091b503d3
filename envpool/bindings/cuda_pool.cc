// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/cuda_pool.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "envpool/bindings/action_values.h"
#include "envpool/bindings/interpreter.h"
#include "envpool/bindings/table.h"
#include "envpool/core/math/arithmetic.h"
#include "envpool/core/table/episode.h"
#include "envpool/core/table/spec.h"

namespace envpool::cuda {

namespace {

constexpr i64 kAlignment = 256;  // of arrays and states, as the driver aligns memory

// Which set of options each environment has.
std::vector<i32> kinds_of(const Construction& how) {
  const auto less = [](const OptionList* a, const OptionList* b) { return *a < *b; };
  std::map<const OptionList*, i32, decltype(less)> numbers(less);
  std::vector<i32> kinds;
  for (const OptionList& options : how.options) {
    kinds.push_back(numbers.try_emplace(&options, i32(numbers.size())).first->second);
  }
  kinds.resize(size_t(how.num_envs), 0);
  return kinds;
}

// One environment of each kind.
Construction one_of_each(const Construction& how) {
  Construction one{.num_envs = 0, .autoreset = how.autoreset};
  const std::vector<i32> kinds = kinds_of(how);
  for (size_t i = 0; i < how.options.size(); ++i) {
    if (kinds[i] != one.num_envs) continue;
    one.options.push_back(how.options[i]);
    ++one.num_envs;
  }
  one.max_episode_steps.assign(size_t(one.num_envs), 0);
  one.seeds.assign(size_t(one.num_envs), 0);
  one.streams.assign(size_t(one.num_envs), 0);
  return one;
}

i64 rounded(i64 bytes, i64 to) { return (bytes + to - 1) / to * to; }

std::string mebibytes(i64 bytes) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f MiB", f64(bytes) / (1 << 20));
  return text;
}

void upload(const Stream& stream, Address to, const void* from, i64 bytes) {
  if (bytes > 0) ENVPOOL_CUDA(stream.driver(), upload, to, from, Size(bytes), stream.handle());
}

template <class T>
Memory uploaded(const Stream& stream, const std::vector<T>& values) {
  Memory memory(stream.context, i64(values.size() * sizeof(T)));
  upload(stream, memory.address(), values.data(), i64(values.size() * sizeof(T)));
  return memory;
}

}  // namespace

// --- blocks ---

std::shared_ptr<Block> Ring::acquire() {
  std::unique_ptr<Block> block;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      block = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (block == nullptr) {
    block = std::make_unique<Block>(stream_, bytes_);
    ENVPOOL_CUDA(stream_->driver(), fill, block->memory.address(), 0, Size(bytes_), stream_->handle());
  }
  return {block.release(), [ring = shared_from_this()](Block* last) { ring->give_back(std::unique_ptr<Block>(last)); }};
}

void Ring::give_back(std::unique_ptr<Block> block) noexcept {
  const Context::Current current(*stream_->context);
  if (!current) {
    static_cast<void>(block.release());  // in a forked process: the memory is its parent's
    return;
  }
  // Who was promised what is in the block may still read it. The launch that writes it next waits for them.
  for (const Handle reader : block->readers) {
    try {
      stream_->follow(reader);
    } catch (const std::exception&) {
      // The stream is gone, and what was enqueued on it has run.
    }
  }
  block->readers.clear();
  const std::lock_guard lock(mutex_);
  if (!closed_) idle_.push_back(std::move(block));
}

void Ring::close() {
  const Context::Current current(*stream_->context);
  const std::lock_guard lock(mutex_);
  closed_ = true;
  idle_.clear();
}

// --- making a pool ---

DevicePool::DevicePool(const abi::Table& table, const Construction& how, DeviceOptions options,
                       const std::vector<std::string>& outputs)
    : table_(table),
      options_(std::move(options)),
      label_(options_.label),
      num_envs_(how.num_envs),
      autoreset_(how.autoreset),
      kind_of_(kinds_of(how)),
      twin_(table, one_of_each(how)),
      layout_(twin_.layout()),
      blocks_(layout_, how.num_envs, how.autoreset == abi::kAutoresetSameStep ? FinalFields::kKept : FinalFields::kNone,
              Failures::kNever),
      ids_(how.num_envs),
      busy_(size_t(how.num_envs), 0) {
  if (table_.device == nullptr) throw std::invalid_argument(text("device: this environment cannot run on a GPU"));
  if (layout_.num_fields > device::kMostFields || layout_.num_actions > device::kMostActions) {
    throw std::invalid_argument(text("device: expected at most " + std::to_string(device::kMostFields) +
                                     " arrays and " + std::to_string(device::kMostActions) +
                                     " fields of actions on a GPU"));
  }
  for (i32 f = 0; f < layout_.num_actions; ++f) {
    if (layout_.max_players == 1 || layout_.actions[f].per_player != 0) continue;
    throw std::invalid_argument(text("device: expected actions of each player on a GPU, got " +
                                     std::string(layout_.actions[f].name) + ", which is one for a whole world"));
  }
  twin_.create(one_of_each(how));
  for (i32 f = 0; f < layout_.num_actions; ++f) arguments_.emplace_back(layout_.actions[f]);
  choose_outputs(outputs);
  for (const Array& array : blocks_.arrays) {
    offsets_.push_back(block_bytes_);
    block_bytes_ += rounded(blocks_.bytes_of(array, num_envs_), kAlignment);
  }
  done_at_ = block_bytes_;
  block_bytes_ += rounded(num_envs_, kAlignment);
  for (i32 kind = 0; kind <= *std::max_element(kind_of_.begin(), kind_of_.end()); ++kind) {
    save_bytes_.push_back(i64(twin_.save(kind).size()));
    slot_bytes_ = std::max(slot_bytes_, rounded(save_bytes_.back(), 16));
  }

  const Driver& driver = Driver::open(options_.library);
  const auto context = std::make_shared<const Context>(driver, options_.number);
  const Context::Current current(*context);
  stream_ = std::make_shared<const Stream>(context);
  fault_ = std::make_unique<Word>(context);
  module_ = load_module(context, options_.image);
  ENVPOOL_CUDA(driver, get_function, &kernel_, module_.get(), "envpool_run");
  ring_ = std::make_shared<Ring>(stream_, block_bytes_);
  check_memory(slot_bytes_ * num_envs_);
  place_models(how);
  place_states(how);
  stream_->synchronize();  // the host's copies are freed now
}

void DevicePool::check_memory(i64 states) {
  Size free = 0, total = 0;
  ENVPOOL_CUDA(stream_->driver(), memory_info, &free, &total);
  // Two blocks: one that is held, and one that is written meanwhile.
  const f64 each = f64(states + 2 * block_bytes_) / num_envs_;
  if (each * num_envs_ <= f64(free)) return;
  const std::string device = "cuda:" + std::to_string(options_.number);
  PyErr_SetString(PyExc_MemoryError,
                  text("num_envs: " + std::to_string(num_envs_) + " environments take " +
                       mebibytes(i64(each * num_envs_)) + " of " + device + ", which has " + mebibytes(i64(free)) +
                       " free: at most " + std::to_string(i64(f64(free) / each)) + " fit")
                      .c_str());
  throw py::error_already_set();
}

void DevicePool::place_models(const Construction& how) {
  const abi::Device& facts = *table_.device;
  std::vector<std::string> params;
  for (size_t kind = 0; kind < save_bytes_.size(); ++kind) {
    void* model = twin_.model(i32(kind));
    std::string bytes(static_cast<const char*>(facts.params(model)), size_t(facts.params_bytes));
    if (facts.kept_at >= 0) std::memset(bytes.data() + facts.kept_at, 0, sizeof(void*));
    i64 blob_bytes = 0;
    const void* blob = facts.blob(model, &blob_bytes);
    if (facts.blob_at >= 0 && blob_bytes > 0) {
      blobs_.emplace_back(stream_->context, blob_bytes);
      upload(*stream_, blobs_.back().address(), blob, blob_bytes);
      const Address address = blobs_.back().address();
      std::memcpy(bytes.data() + facts.blob_at, &address, sizeof(address));
    }
    params.push_back(std::move(bytes));
  }
  shared_params_ = params[0];
  if (how.options.size() > 1) {  // as the program was written
    std::string each;
    for (const i32 kind : kind_of_) each += params[size_t(kind)];
    params_ = Memory(stream_->context, i64(each.size()));
    upload(*stream_, params_.address(), each.data(), i64(each.size()));
    stream_->synchronize();
  }
  limits_ = uploaded(*stream_, how.max_episode_steps);
  players_ = uploaded(*stream_, std::vector<i32>(size_t(num_envs_), 0));
  over_ = uploaded(*stream_, std::vector<u8>(size_t(num_envs_), 1));
  for (i32 f = 0; f < layout_.num_actions; ++f) {
    const abi::Field& field = layout_.actions[f];
    const i64 elements = field.row_bytes / dtype_size(field.dtype);
    counts_.push_back(field.counts == nullptr
                          ? Memory()
                          : uploaded(*stream_, std::vector<i64>(field.counts, field.counts + elements)));
    converted_.emplace_back(stream_->context, field.row_bytes * num_envs_ * layout_.max_players);
  }
}

// The first states are the CPU's, with the key of each environment.
void DevicePool::place_states(const Construction& how) {
  slots_ = Memory(stream_->context, slot_bytes_ * num_envs_);
  std::vector<std::string> first;
  for (size_t kind = 0; kind < save_bytes_.size(); ++kind) first.push_back(twin_.save(i32(kind)));
  constexpr i64 kChunk = i64{64} << 20;
  const i64 rows = std::max<i64>(1, kChunk / slot_bytes_);
  std::string chunk;
  for (i64 begin = 0; begin < num_envs_; begin += rows) {
    const i64 end = std::min<i64>(num_envs_, begin + rows);
    chunk.assign(size_t((end - begin) * slot_bytes_), '\0');
    for (i64 i = begin; i < end; ++i) {
      char* slot = chunk.data() + (i - begin) * slot_bytes_;
      const std::string& state = first[size_t(kind_of_[size_t(i)])];
      std::memcpy(slot, state.data(), state.size());
      Episode episode;
      std::memcpy(static_cast<void*>(&episode), slot, sizeof(episode));
      episode.seed(how.seeds[size_t(i)], how.streams[size_t(i)]);
      std::memcpy(slot, static_cast<const void*>(&episode), sizeof(episode));
    }
    upload(*stream_, slots_.address() + Address(begin * slot_bytes_), chunk.data(), i64(chunk.size()));
    stream_->synchronize();
  }
}

void DevicePool::choose_outputs(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    int array = name == "done" ? -1 : blocks_.find(name);
    if (array < 0 && name == "players.env_id") array = abi::kEnvId;
    if (array < 0 && name != "done") throw std::invalid_argument(text("outputs: there is no array named " + name));
    outputs_.push_back(array);
  }
}

DevicePool::~DevicePool() {
  try {
    close(-1);
  } catch (const std::exception&) {
    // The device failed. Its memory is freed with its context.
  }
}

void DevicePool::close(f64) {
  if (std::exchange(closed_, true) || stream_ == nullptr) return;
  const Context::Current current(*stream_->context);
  pending_.clear();
  if (current) {
    Status status = 0;
    {
      const python::Unlocked unlocked;
      status = stream_->driver().synchronize_stream(stream_->handle());
    }
    held_.clear();
    spare_.clear();
    if (ring_ != nullptr) ring_->close();
    for (Memory* memory : {&slots_, &params_, &limits_, &players_, &over_}) *memory = Memory();
    blobs_.clear();
    counts_.clear();
    converted_.clear();
    module_ = Owned();
    fault_.reset();
    stream_->driver().check(status, Driver::name_of_synchronize_stream);
  }
}

// --- stepping ---

void DevicePool::check_open() const {
  if (stream_->context->forked()) {
    throw std::runtime_error(
        text("this pool was made in the parent process; CUDA does not survive a fork: start "
             "processes with multiprocessing's 'spawn' or 'forkserver'"));
  }
  if (closed_) throw std::runtime_error(text("the pool is closed"));
}

void DevicePool::check_usable() {
  check_open();
  const u64 fault = fault_->take();
  if (fault == device::kNoFault) return;
  const i64 row = u32(fault);
  const u64 why = fault >> 32;
  const std::string then = " of an earlier step; its environment was not stepped";
  if (why == device::kOver) {
    throw std::runtime_error(text("action: expected environments whose episodes are not over, got one that is in row " +
                                  std::to_string(row) + then));
  }
  // The device does not tell which element of the row it is: the first stands for all.
  throw std::invalid_argument(text(ActionValues(layout_.actions[why - 1]).refusal(0, "another", row) + then));
}

// A copy on the device of what only this launch reads. Its memory is used again once the launch has run, because
// freeing memory would wait for the device.
Address DevicePool::staged(const void* from, i64 bytes, Inputs& inputs) {
  const auto fits = [bytes](const Memory& memory) { return memory.bytes() >= bytes; };
  const auto found = std::find_if(spare_.begin(), spare_.end(), fits);
  if (found == spare_.end()) {
    inputs.memory.emplace_back(stream_->context, bytes);
  } else {
    inputs.memory.push_back(std::move(*found));
    spare_.erase(found);
  }
  upload(*stream_, inputs.memory.back().address(), from, bytes);
  return inputs.memory.back().address();
}
template <class T>
T* DevicePool::staged(const std::vector<T>& values, Inputs& inputs) {
  return reinterpret_cast<T*>(staged(values.data(), i64(values.size() * sizeof(T)), inputs));
}

void DevicePool::require_idle(i32 env_id, const char* call) const {
  if (env_id < 0 || env_id >= num_envs_) {
    label_.refuse_argument(std::string(call) + ": env_id must be in 0.." + std::to_string(num_envs_ - 1) + ", got " +
                           std::to_string(env_id));
  }
  if (!all_busy_ && busy_[size_t(env_id)] == 0) return;
  label_.refuse_call(std::string(call) + ": environment " + std::to_string(env_id) +
                     " is under way; receive its result first");
}

void DevicePool::begin(const py::object& env_id, const char* call, device::Work& work, Pending& pending,
                       Inputs& inputs) {
  ids_.convert(env_id, "env_id", options_.label);
  work.count = pending.rows = ids_.size();
  if (env_id.is_none()) {
    for (i32 id = 0; under_way_ > 0 && id < num_envs_; ++id) require_idle(id, call);
    return;
  }
  if (ids_.size() == 0) label_.refuse_argument(std::string(call) + ": env_id names no environment");
  pending.env_ids.assign(ids_.data(), ids_.data() + ids_.size());
  for (const i32 id : pending.env_ids) require_idle(id, call);
  std::vector<i32> sorted = pending.env_ids;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    label_.refuse_argument(std::string(call) + ": env_id " + std::to_string(*twice) + " is repeated");
  }
  work.env_ids = staged(pending.env_ids, inputs);
}

void DevicePool::launch(device::Work& work, Pending pending, Inputs inputs) {
  pending.block = ring_->acquire();
  const Address base = pending.block->memory.address();
  const auto at = [&](size_t array) { return reinterpret_cast<void*>(base + Address(offsets_[array])); };
  for (size_t f = 0; f < abi::kCommonFields; ++f) work.common[f] = at(f);
  for (i32 f = 0; f < layout_.num_fields; ++f) {
    work.own[f] = at(size_t(abi::kCommonFields + f));
    if (blocks_.has_final) work.own_final[f] = at(size_t(abi::kCommonFields + layout_.num_fields + f));
    work.row_bytes[f] = layout_.fields[f].row_bytes;
    work.per_player[f] = layout_.fields[f].per_player != 0;
  }
  work.done = reinterpret_cast<u8*>(base + Address(done_at_));
  if (layout_.max_players > 1) work.player_env_id = static_cast<i32*>(at(blocks_.arrays.size() - 1));
  work.slots = slots_.as<u8>();
  work.slot_bytes = slot_bytes_;
  work.params = params_.as<u8>();
  work.limits = limits_.as<i32>();
  work.players_now = players_.as<i32>();
  work.over_now = over_.as<u8>();
  work.fault = reinterpret_cast<volatile u64*>(fault_->address());
  work.max_players = layout_.max_players;
  work.num_own = layout_.num_fields;
  work.num_actions = layout_.num_actions;
  work.autoreset = autoreset_;
  if (pending.rows > 0) {
    const bool world = layout_.max_players > 1;
    const i32 threads = options_.threads;
    const i32 blocks = world ? pending.rows : (pending.rows + threads - 1) / threads;
    void* arguments[] = {&work, shared_params_.data()};
    ENVPOOL_CUDA(stream_->driver(), launch, kernel_, unsigned(blocks), 1, 1, unsigned(threads), 1, 1, 0,
                 stream_->handle(), arguments, nullptr);
  }
  let_go();
  if (!inputs.objects.empty() || !inputs.memory.empty()) {
    inputs.done = make_event(stream_->context);
    ENVPOOL_CUDA(stream_->driver(), record_event, inputs.done.get(), stream_->handle());
    held_.push_back(std::move(inputs));
  }
  all_busy_ = pending.env_ids.empty();
  for (const i32 id : pending.env_ids) busy_[size_t(id)] = 1;
  under_way_ += pending.rows;
  pending_.push_back(std::move(pending));
}

// Lets go of what launches that have run have read.
void DevicePool::let_go() {
  while (!held_.empty() && stream_->driver().query_event(held_.front().done.get()) != kNotReady) {
    for (Memory& memory : held_.front().memory) {
      if (spare_.size() < kMostSpare) spare_.push_back(std::move(memory));
    }
    held_.pop_front();
  }
}

void DevicePool::send(const py::object& action, const py::object& env_id) {
  check_usable();
  const Context::Current current(*stream_->context);
  device::Work work{};
  Pending pending{};
  Inputs inputs;
  convert(action, env_id, work, pending, inputs);
  launch(work, std::move(pending), std::move(inputs));
}

void DevicePool::reset(const py::object& env_id, const py::object& seeds, const py::object& streams) {
  check_usable();
  const Context::Current current(*stream_->context);
  device::Work work{};
  Pending pending{};
  Inputs inputs;
  begin(env_id, "reset", work, pending, inputs);
  if (!seeds.is_none()) {
    const auto keys = py::array_t<u64, py::array::c_style | py::array::forcecast>(seeds);
    const auto numbers = py::array_t<u32, py::array::c_style | py::array::forcecast>(streams);
    if (keys.size() != pending.rows || numbers.size() != pending.rows) {
      throw std::invalid_argument(
          text("seed: expected " + std::to_string(pending.rows) + " seeds, got " + std::to_string(keys.size())));
    }
    work.seeds = staged(std::vector<u64>(keys.data(), keys.data() + keys.size()), inputs);
    work.streams = staged(std::vector<u32>(numbers.data(), numbers.data() + numbers.size()), inputs);
  }
  work.restart = true;
  launch(work, std::move(pending), std::move(inputs));
}

// Results are handed out before they are computed, so that there is nothing to wait for.
py::tuple DevicePool::recv(f64) {
  check_usable();
  if (pending_.empty()) label_.refuse_call("recv: nothing is under way; call send, reset or async_reset first");
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  under_way_ -= pending.rows;
  if (pending.env_ids.empty()) all_busy_ = false;
  for (const i32 id : pending.env_ids) busy_[size_t(id)] = 0;
  py::tuple arrays(outputs_.size());
  const Address base = pending.block->memory.address();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const int index = outputs_[i];
    if (index < 0) {
      arrays[i] = DeviceArray(pending.block, base + Address(done_at_), abi::kBool, {pending.rows});
      continue;
    }
    const Array& array = blocks_.arrays[size_t(index)];
    std::vector<i64> shape{pending.rows * (array.per_player ? layout_.max_players : 1)};
    shape.insert(shape.end(), array.shape.begin(), array.shape.end());
    arrays[i] = DeviceArray(pending.block, base + Address(offsets_[size_t(index)]), array.dtype, std::move(shape));
  }
  return arrays;
}

py::tuple DevicePool::step(const py::object& action, const py::object& env_id) {
  if (!pending_.empty()) throw std::runtime_error(text("step: recv what is under way first"));
  send(action, env_id);
  return recv(-1);
}

void DevicePool::discard() {
  check_usable();
  const Context::Current current(*stream_->context);
  pending_.clear();
  std::fill(busy_.begin(), busy_.end(), u8{0});
  all_busy_ = false;
  under_way_ = 0;
}

// --- actions ---

void DevicePool::convert(const py::object& action, const py::object& env_id, device::Work& work, Pending& pending,
                         Inputs& inputs) {
  if (!py::isinstance<py::dict>(action)) {
    begin(env_id, "send", work, pending, inputs);
    if (arguments_.size() != 1) {
      throw py::type_error(text("action: expected a dict with a key for each field, got " + python::type_name(action)));
    }
    return convert_field(0, action, work, pending, inputs);
  }
  const py::dict fields = action;
  py::object ids = env_id;
  if (ids.is_none() && fields.contains("env_id")) ids = fields["env_id"];
  begin(ids, "send", work, pending, inputs);
  for (const auto& [key, value] : fields) {
    const std::string name = py::str(key);
    const auto is_field = [&](const python::ActionArgument& argument) { return name == argument.field().name; };
    if (name == "env_id" || name == "players.env_id") continue;
    if (std::none_of(arguments_.begin(), arguments_.end(), is_field)) {
      throw py::value_error(text("action: unknown key " + name));
    }
  }
  for (size_t f = 0; f < arguments_.size(); ++f) {
    const char* name = arguments_[f].field().name;
    if (!fields.contains(name)) throw py::value_error(text(std::string("action: key ") + name + " is missing"));
    convert_field(f, fields[name], work, pending, inputs);
  }
}

void DevicePool::convert_field(size_t f, const py::object& value, device::Work& work, const Pending& pending,
                               Inputs& inputs) {
  const abi::Field& field = arguments_[f].field();
  const i64 rows = i64(pending.rows) * (layout_.max_players > 1 ? layout_.max_players : 1);
  device::ActionInput& input = work.actions[f];
  input.counts = counts_[f].address() == 0 ? nullptr : counts_[f].as<i64>();
  input.discrete = field.discrete;
  input.row_bytes = field.row_bytes;
  input.elements = i32(field.row_bytes / dtype_size(field.dtype));
  input.to = field.dtype;
  Borrowed borrowed;
  if (borrow(value, *stream_, text(field.name), borrowed)) {
    use_borrowed(f, borrowed, rows, work);
    inputs.objects.push_back(std::move(borrowed.owner));
    return;
  }
  arguments_[f].convert(value, rows, options_.label);
  input.data = reinterpret_cast<const u8*>(staged(arguments_[f].data(), field.row_bytes * rows, inputs));
  arguments_[f].release();
  input.row_stride = field.row_bytes;
  input.from = field.dtype;
}

void DevicePool::use_borrowed(size_t f, const Borrowed& given, i64 rows, device::Work& work) {
  const abi::Field& field = arguments_[f].field();
  std::vector<i64> wanted{rows};
  wanted.insert(wanted.end(), field.shape, field.shape + field.dimensions);
  if (given.shape != wanted) {
    throw py::value_error(text(std::string(field.name) + ": expected shape " +
                               python::shape_text({wanted.begin(), wanted.end()}) + ", one row per " +
                               (field.per_player ? "player" : "environment") + ", got " +
                               python::shape_text({given.shape.begin(), given.shape.end()})));
  }
  const bool to_bool = field.dtype == abi::kBool, to_real = field.dtype >= abi::kF32;
  if ((to_bool || to_real) && to_bool != (given.dtype == abi::kBool)) {
    throw py::type_error(text(std::string(field.name) + ": expected " + (to_bool ? "booleans" : "floats") + " (" +
                              dtype_name(field.dtype) + "), got " + dtype_name(given.dtype)));
  }
  const i64 item = dtype_size(given.dtype);
  i64 stride = item;
  for (size_t i = given.shape.size(); i-- > 1; stride *= given.shape[i]) {
    if (given.shape[i] > 1 && given.strides[i] != stride) {
      throw py::value_error(text(std::string(field.name) + ": expected rows without gaps; make it contiguous first"));
    }
  }
  device::ActionInput& input = work.actions[f];
  input.data = reinterpret_cast<const u8*>(given.data);
  input.row_stride = given.shape[0] > 1 ? given.strides[0] : stride;
  input.from = given.dtype;
  const bool exact = given.dtype == field.dtype && input.row_stride == field.row_bytes;
  if (!exact) input.converted = converted_[f].as<u8>();
}

// --- states and pictures ---

void DevicePool::download(void* to, Address from, i64 bytes) {
  const python::Unlocked unlocked;
  const Context::Current current(*stream_->context);
  ENVPOOL_CUDA(stream_->driver(), download, to, from, Size(bytes), stream_->handle());
  stream_->synchronize();
}

std::string DevicePool::save(i32 env_id) {
  std::string state(size_t(save_bytes_[size_t(kind(env_id))]), '\0');
  download(state.data(), slot(env_id), i64(state.size()));
  return state;
}

EpisodeStatus DevicePool::status(i32 env_id) {
  EpisodeStatus status;
  u8 over = 0;
  download(&status.players, players_.address() + Address(i64(env_id) * i64(sizeof(i32))), sizeof(i32));
  download(&over, over_.address() + Address(env_id), 1);
  status.over = over != 0;
  return status;
}

// The twin on the CPU brings a state from outside into the range that kernels accept.
std::string DevicePool::repaired(i32 env_id, const char* state, i64 size, const char* call) {
  const PlainArithmetic arithmetic;
  try {
    twin_.load(kind(env_id), state, size);
  } catch (const std::invalid_argument& error) {
    label_.refuse_argument(std::string(call) + ": " + error.what());
  }
  return twin_.save(kind(env_id));
}

void DevicePool::place(i32 env_id, const std::string& state, EpisodeStatus status) {
  const Context::Current current(*stream_->context);
  const u8 over = status.over;
  upload(*stream_, slot(env_id), state.data(), i64(state.size()));
  upload(*stream_, players_.address() + Address(i64(env_id) * i64(sizeof(i32))), &status.players, sizeof(i32));
  upload(*stream_, over_.address() + Address(env_id), &over, 1);
  stream_->synchronize();
}

py::bytes DevicePool::snapshot(i32 env_id) {
  check_usable();
  require_idle(env_id, "snapshot");
  return Snapshot::pack(identity(env_id), status(env_id), save(env_id));
}

void DevicePool::restore(i32 env_id, const std::string& given) {
  check_usable();
  require_idle(env_id, "restore");
  const Snapshot snapshot(label_, identity(env_id), layout_.max_players, given.data(), i64(given.size()));
  place(env_id, repaired(env_id, snapshot.state(), snapshot.state_size(), "restore"), snapshot.status());
}

void DevicePool::clone(i32 source, const py::object& env_ids, const py::object& seeds, const py::object& streams) {
  check_usable();
  require_idle(source, "clone");
  ids_.convert(env_ids, "env_ids", options_.label);
  const std::vector<i32> ids(ids_.data(), ids_.data() + ids_.size());
  for (const i32 id : ids) {
    require_idle(id, "clone");
    if (identity(id) == identity(source)) continue;
    label_.refuse_argument("clone: environment " + std::to_string(id) + " cannot take the state of environment " +
                           std::to_string(source) + ", which has other options");
  }
  const auto keys = py::array_t<u64, py::array::c_style | py::array::forcecast>::ensure(seeds);
  const auto numbers = py::array_t<u32, py::array::c_style | py::array::forcecast>::ensure(streams);
  const bool reseeds = !seeds.is_none();
  if (reseeds && (!keys || !numbers || keys.size() != i64(ids.size()) || numbers.size() != i64(ids.size()))) {
    label_.refuse_argument("seed: expected " + std::to_string(ids.size()) + " seeds");
  }
  const std::string state = save(source);
  const EpisodeStatus status_of_source = status(source);
  for (size_t k = 0; k < ids.size(); ++k) {
    std::string copy = repaired(ids[k], state.data(), i64(state.size()), "clone");
    if (reseeds) {
      Episode episode;
      std::memcpy(static_cast<void*>(&episode), copy.data(), sizeof(episode));
      episode.seed(keys.data()[k], numbers.data()[k]);
      std::memcpy(copy.data(), static_cast<const void*>(&episode), sizeof(episode));
    }
    place(ids[k], copy, status_of_source);
  }
}

py::array DevicePool::render(const py::object& env_ids) {
  check_usable();
  ids_.convert(env_ids, "env_ids", options_.label);
  const std::vector<i32> ids(ids_.data(), ids_.data() + ids_.size());
  const i64 bytes = i64(layout_.render_height) * layout_.render_width * 3;
  if ((table_.flags & abi::kCanRender) == 0 || bytes == 0)
    label_.refuse_call("render: this environment has no picture");
  for (const i32 id : ids) require_idle(id, "render");
  py::array_t<u8> pictures(
      {py::ssize_t(ids.size()), py::ssize_t(layout_.render_height), py::ssize_t(layout_.render_width), py::ssize_t(3)});
  for (size_t k = 0; k < ids.size(); ++k) {
    const std::string state = save(ids[k]);
    static_cast<void>(repaired(ids[k], state.data(), i64(state.size()), "render"));
    twin_.render(kind(ids[k]), pictures.mutable_data() + i64(k) * bytes);
  }
  return pictures;
}

py::list DevicePool::players(const py::object& env_ids) {
  check_usable();
  ids_.convert(env_ids, "env_ids", options_.label);
  const std::vector<i32> ids(ids_.data(), ids_.data() + ids_.size());
  std::vector<i32> counts(static_cast<size_t>(num_envs_));
  download(counts.data(), players_.address(), i64(counts.size() * sizeof(i32)));
  py::list list;
  for (const i32 id : ids) list.append(py::int_(counts[size_t(id)]));
  return list;
}

void DevicePool::wait() {
  check_open();
  const python::Unlocked unlocked;
  const Context::Current current(*stream_->context);
  stream_->synchronize();
}

// --- Python ---

void bind_pool(py::module_& module) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const CudaError& error) {
      const py::object type = py::module_::import("envpool.cuda.driver").attr("CudaError");
      PyErr_SetObject(type.ptr(), type(error.call, error.code, error.name, error.text).ptr());
    }
  });
  const auto make = [](const python::PyTable& table, const std::string& label, const std::vector<py::dict>& options,
                       i32 num_envs, const py::array_t<u64>& seeds, const py::array_t<u32>& streams, i32 autoreset,
                       const std::vector<i32>& max_episode_steps, const std::vector<std::string>& outputs,
                       const std::string& library, i32 number, const py::bytes& image, i32 threads) {
    Construction how{num_envs,
                     abi::Autoreset(autoreset),
                     {},
                     max_episode_steps,
                     {seeds.data(), seeds.data() + seeds.size()},
                     {streams.data(), streams.data() + streams.size()}};
    for (const py::dict& one : options) how.options.push_back(python::PyTable::option_list(one));
    return std::make_unique<DevicePool>(table.get(), how, DeviceOptions{label, library, image, number, threads},
                                        outputs);
  };
  py::class_<DevicePool>(module, "DevicePool")
      .def(py::init(make), py::kw_only(), py::arg("table"), py::arg("label"), py::arg("options"), py::arg("num_envs"),
           py::arg("seeds"), py::arg("streams"), py::arg("autoreset"), py::arg("max_episode_steps"), py::arg("outputs"),
           py::arg("library"), py::arg("number"), py::arg("image"), py::arg("threads"))
      .def("step", &DevicePool::step, py::arg("action"), py::arg("env_id") = py::none())
      .def("send", &DevicePool::send, py::arg("action"), py::arg("env_id") = py::none())
      .def("reset", &DevicePool::reset, py::arg("env_id") = py::none(), py::arg("seeds") = py::none(),
           py::arg("streams") = py::none())
      .def("recv", &DevicePool::recv, py::arg("timeout") = -1.0)
      .def("discard", &DevicePool::discard)
      .def("snapshot", &DevicePool::snapshot, py::arg("env_id"))
      .def(
          "restore",
          [](DevicePool& pool, i32 env_id, const py::bytes& state) { pool.restore(env_id, std::string(state)); },
          py::arg("env_id"), py::arg("state"))
      .def("clone", &DevicePool::clone, py::arg("source"), py::arg("env_ids"), py::arg("seeds") = py::none(),
           py::arg("streams") = py::none())
      .def("players", &DevicePool::players, py::arg("env_ids") = py::none())
      .def("render", &DevicePool::render, py::arg("env_ids") = py::none())
      .def("wait", &DevicePool::wait)
      .def("close", &DevicePool::close, py::arg("timeout") = 10.0)
      .def_property_readonly("closed", &DevicePool::closed)
      .def_property_readonly("under_way", &DevicePool::under_way)
      .def_property_readonly("num_threads", [](const DevicePool&) { return 1; })
      .def_property_readonly("batch_size", &DevicePool::num_envs);
}

}  // namespace envpool::cuda
