// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/xla.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "envpool/bindings/action_values.h"
#include "envpool/bindings/gpu/launches.h"
#include "envpool/bindings/gpu/stream.h"
#include "envpool/bindings/gpu/xla_pool.h"
#include "envpool/bindings/gpu/xla_staged.h"
#include "envpool/bindings/jax/pool.h"
#include "envpool/bindings/jax/pure.h"
#include "envpool/bindings/jax/pure_call.h"
#include "envpool/core/table/device_pure.h"

namespace envpool::xla {

using cuda::Address;
using cuda::Context;
using cuda::Handle;
using cuda::Memory;
using cuda::Size;
using device::Fault;
using device::PureLaunch;
using device::PureOperand;

namespace {

DeviceCompiler& compiler() {
  static auto* compiler = new DeviceCompiler;
  return *compiler;
}

// The shape of a batch and the strides of its operands. Dimensions of extent 1 are left out, and neighbouring
// dimensions are merged if the strides of every operand allow it.
struct Axes {
  std::vector<i64> extents{};
  std::vector<std::vector<i64>> strides{};  // by axis and operand, in bytes

  explicit Axes(const PureCall& call) {
    call.batch.check_extents(call.operands);
    const std::int64_t* dims = call.batch.dims();
    std::vector<i64> scale;  // of each operand: bytes from element to element of the axis
    for (const Operand& operand : call.operands) scale.push_back(operand.row_bytes);
    for (i64 axis = call.batch.rank(); axis-- > 0;) {
      std::vector<i64> own;
      for (size_t o = 0; o < scale.size(); ++o) {
        const i64 extent = call.operands[o].dims[axis];
        own.push_back(extent == 1 ? 0 : scale[o]);
        scale[o] *= extent;
      }
      if (dims[axis] == 1) continue;
      if (!extents.empty() && merges(own)) {
        extents.back() *= dims[axis];
      } else {
        extents.push_back(dims[axis]);
        strides.push_back(std::move(own));
      }
    }
    if (extents.empty()) {
      extents.push_back(1);
      strides.emplace_back(call.operands.size(), 0);
    }
    std::reverse(extents.begin(), extents.end());
    std::reverse(strides.begin(), strides.end());
  }
  i32 size() const { return i32(extents.size()); }

 private:
  bool merges(const std::vector<i64>& outer) const {
    for (size_t o = 0; o < outer.size(); ++o) {
      if (outer[o] != strides.back()[o] * extents.back()) return false;
    }
    return true;
  }
};

}  // namespace

// A model on one device, with the kernels for calls with columns of options (`tuned`) or without.
class DeviceModel {
 public:
  DeviceModel(const PureModel& model, const Driver& driver, int number, bool tuned);
  // Waits for the device, which may still run kernels of a program that was deleted.
  ~DeviceModel() {
    if (const Context::Current current(*context_); current) driver().synchronize_context();
  }
  DeviceModel(const DeviceModel&) = delete;
  DeviceModel& operator=(const DeviceModel&) = delete;

  const Driver& driver() const { return context_->driver; }
  const std::shared_ptr<const Context>& context() const { return context_; }
  Handle own_stream() const { return stream_.handle(); }

  // Throws if an earlier call reported a fault.
  void raise_fault(const PureModel& model);
  // Enqueues a call.
  void run(const PureCall& call, Handle stream);

 private:
  void place_params(const PureModel& model);
  void place_actions(const PureModel& model);
  void describe_results(const PureCall& call, PureLaunch& launch) const;
  void prepare_states(const PureCall& call, const PureLaunch& launch, PureOperand from, Handle stream);
  void launch(Handle kernel, i64 blocks, const PureLaunch& launch, const void* second, Handle stream) const;

  const std::shared_ptr<const Context> context_;
  const cuda::Stream stream_;
  const i32 threads_, envs_;
  cuda::Owned<Handle> module_;
  Handle call_ = nullptr, copy_ = nullptr;
  Memory blob_, tunables_;
  std::vector<Memory> counts_;  // of each action field
  std::string params_;          // the kernel's second argument
  cuda::Word fault_;
  PureLaunch constant_{};  // the common part of all launches
};

DeviceModel::DeviceModel(const PureModel& model, const Driver& driver, int number, bool tuned)
    : context_(std::make_shared<const Context>(driver, number)),
      stream_(context_, cuda::WithLegacyStream::kIndependent),
      threads_(model.program.threads),
      envs_(model.program.envs),
      fault_(context_) {
  const Context::Current current(*context_);
  DeviceProgram program = model.program;
  if (tuned) program.source = "#define ENVPOOL_TUNED\n" + program.source;
  module_ = cuda::load_module(context_, compiler().image(model.label, program, number));
  call_ = kernel_of(driver, module_, "envpool_call");
  copy_ = kernel_of(driver, module_, "envpool_copy");
  const abi::Layout& layout = model.layout();
  if (layout.num_fields > device::kMostFields) {
    throw std::invalid_argument("device: expected at most " + std::to_string(device::kMostFields) +
                                " observations and infos on a GPU, got " + std::to_string(layout.num_fields));
  }
  constant_.tag = model.tag();
  constant_.max_players = layout.max_players;
  constant_.num_own = layout.num_fields;
  constant_.num_actions = layout.num_actions;
  constant_.state_bytes = model.state_bytes();
  constant_.fault = reinterpret_cast<volatile u64*>(fault_.address());
  for (i32 f = 0; f < layout.num_fields; ++f) {
    const abi::Field& field = layout.fields[f];
    constant_.row_bytes[f] = field.row_bytes;
    constant_.per_player[f] = rows_of(layout, field) > 1;
  }
  constant_.staging = cuda::staging_of(*model.table->device, layout, threads_);
  place_params(model);
  place_actions(model);
  stream_.synchronize();  // the host's copies are freed next
}

void DeviceModel::place_params(const PureModel& model) {
  const abi::Device& facts = *model.table->device;
  params_.assign(static_cast<const char*>(facts.params(model.handle)), size_t(facts.params_bytes));
  if (facts.native_at >= 0) std::memset(params_.data() + facts.native_at, 0, sizeof(void*));
  i64 blob_bytes = 0;
  const void* blob = facts.blob(model.handle, &blob_bytes);
  if (facts.blob_at >= 0 && blob_bytes > 0) {
    blob_ = Memory(context_, blob_bytes);
    const Address address = blob_.address();
    stream_.upload(address, blob, blob_bytes);
    std::memcpy(params_.data() + facts.blob_at, &address, sizeof(address));
  }
  const std::vector<abi::Tunable> tunables(model.tunables().begin(), model.tunables().end());
  if (!tunables.empty()) {
    tunables_ = stream_.uploaded(tunables);
    stream_.synchronize();
    constant_.tunables = tunables_.as<abi::Tunable>();
  }
  constant_.max_episode_steps = model.max_episode_steps;
}

void DeviceModel::place_actions(const PureModel& model) {
  const abi::Layout& layout = model.layout();
  if (layout.num_actions > device::kMostActions) {
    throw std::invalid_argument("device: expected at most " + std::to_string(device::kMostActions) +
                                " fields of actions on a GPU, got " + std::to_string(layout.num_actions));
  }
  for (i32 f = 0; f < layout.num_actions; ++f) {
    const abi::Field& field = layout.actions[f];
    if (layout.max_players > 1 && field.per_player == 0) {
      throw std::invalid_argument("device: expected actions of each player on a GPU, got " + std::string(field.name) +
                                  ", which is one for a whole world");
    }
    const i64 elements = field.row_bytes / dtype_size(field.dtype);
    counts_.push_back(
        field.counts == nullptr ? Memory() : stream_.uploaded(std::vector<i64>(field.counts, field.counts + elements)));
    constant_.actions[f] = {.data = nullptr,
                            .row_stride = field.row_bytes,
                            .converted = nullptr,
                            .counts = field.counts == nullptr ? nullptr : counts_.back().as<i64>(),
                            .discrete = field.discrete,
                            .row_bytes = field.row_bytes,
                            .elements = i32(elements),
                            .from = field.dtype,
                            .to = field.dtype};
  }
  stream_.synchronize();
}

void DeviceModel::raise_fault(const PureModel& model) {
  const Fault fault = Fault::unpacked(fault_.take());
  if (fault.why == Fault::kNone) return;
  const std::string row = std::to_string(fault.row);
  std::string what;
  if (fault.why == Fault::kOption) {
    const i64 number = fault.element + abi::kTimeLimit;
    what = number < 0 ? "max_episode_steps: expected a number from 0 to 2147483647, got another in row " + row
                      : expected_of(model.tunables()[size_t(number)]) + ", got another in row " + row;
  } else if (fault.why == Fault::kState) {
    what = "state: expected rows of " + std::string(model.table->name) +
           " with the options of this environment, got another kind in row " + row;
  } else {
    const abi::Layout& layout = model.layout();
    const abi::Field& field = layout.actions[fault.why - 1];
    const i64 elements = field.row_bytes / dtype_size(field.dtype);
    const std::string player = layout.max_players == 1 ? "" : " of player " + std::to_string(fault.element / elements);
    what = ActionValues(field).refusal(fault.element % elements, "another", fault.row, player);
  }
  throw std::invalid_argument(what + "; an earlier call on the GPU reported this and did not step that row");
}

void DeviceModel::describe_results(const PureCall& call, PureLaunch& launch) const {
  for (i32 f = 0; f < call.layout.num_fields; ++f) {
    const Buffer* const next = call.next[size_t(f)];
    const Buffer* const last = call.autoreset ? call.last[size_t(f)] : next;
    launch.restarted[f] = next->data;
    launch.last[f] = last->data;
    launch.observed[f] = call.is_observed(f) ? next->data : last->data;
  }
  launch.reward = call.reward;
  launch.discount = call.discount;
  launch.terminated = call.terminated;
  launch.truncated = call.truncated;
  launch.elapsed = call.elapsed;
  launch.players = call.players;
}

// Copies the states into the results, unless XLA gave both the same memory. The kernel steps them there.
void DeviceModel::prepare_states(const PureCall& call, const PureLaunch& launch, PureOperand from, Handle stream) {
  const auto to = reinterpret_cast<Address>(launch.states);
  const Size bytes = Size(launch.rows * launch.state_bytes);
  if (call.restart) {
    ENVPOOL_CUDA(driver(), fill, to, 0, bytes, stream);
    return;
  }
  bool contiguous = true;
  for (i32 axis = 0; axis < launch.axes; ++axis) {
    contiguous &= (from.axes >> axis & 1) != 0 || launch.extents[axis] == 1;
  }
  if (!contiguous) {
    const i64 blocks = (launch.rows * (launch.state_bytes / i64(sizeof(u64))) + threads_ - 1) / threads_;
    this->launch(copy_, std::min<i64>(blocks, 65536), launch, &from, stream);
  } else if (from.data != launch.states) {
    ENVPOOL_CUDA(driver(), copy, to, reinterpret_cast<Address>(from.data), bytes, stream);
  }
}

void DeviceModel::launch(Handle kernel, i64 blocks, const PureLaunch& launch, const void* second, Handle stream) const {
  void* arguments[] = {const_cast<PureLaunch*>(&launch), const_cast<void*>(second)};
  const i64 shared = kernel == call_ ? launch.staging.block_bytes(threads_) : 0;
  ENVPOOL_CUDA(driver(), launch, kernel, unsigned(blocks), 1, 1, unsigned(threads_), 1, 1, unsigned(shared), stream,
               arguments, nullptr);
}

void DeviceModel::run(const PureCall& call, Handle stream) {
  if (call.options.size() > size_t(device::kMostOptions)) {
    throw std::invalid_argument("params: expected at most " + std::to_string(device::kMostOptions) +
                                " changed options on a GPU, got " + std::to_string(call.options.size()));
  }
  PureLaunch launch = constant_;
  describe_results(call, launch);
  launch.keyed = call.keyed;
  launch.restart = call.restart;
  launch.autoreset = call.autoreset;

  const Axes axes(call);
  const i32 inner = std::min(axes.size(), device::kMostAxes), outer = axes.size() - inner;
  launch.axes = inner;
  launch.rows = 1;
  for (i32 a = 0; a < inner; ++a) launch.rows *= launch.extents[a] = axes.extents[size_t(outer + a)];
  const auto operand = [&](size_t o) {
    PureOperand rows{call.operands[o].data, u32(call.operands[o].row_bytes), 0, 0, 0};
    for (i32 a = 0; a < inner; ++a) rows.axes = u8(rows.axes | (axes.strides[size_t(outer + a)][o] != 0) << a);
    return rows;
  };
  launch.keys = operand(0);
  launch.streams = operand(1);
  for (i32 f = 0; !call.restart && f < call.layout.num_actions; ++f) launch.action_rows[f] = operand(size_t(3 + f));
  PureOperand states = call.restart ? PureOperand{} : operand(2);
  const size_t first_option = call.operands.size() - call.options.size();
  launch.num_options = call.num_options();
  launch.num_next_options = call.num_next_options;
  for (size_t i = 0; i < call.options.size(); ++i) {
    launch.options[i] = operand(first_option + i);
    launch.options[i].number = i16(call.options[i].number);
    launch.options[i].dtype = u8(call.options[i].dtype);
  }

  // A launch covers the inner axes. Batches with more axes take several launches.
  if (launch.rows == 0) return;
  std::vector<i64> index(size_t(outer), 0);
  for (i64 first = 0; first < call.batch.rows(); first += launch.rows) {
    PureLaunch part = launch;
    part.first_row = first;
    part.states = call.states + first * launch.state_bytes;
    const auto advance = [&](auto*& column, i64 each) {
      if (column != nullptr) column += first * each;
    };
    advance(part.reward, launch.max_players);
    advance(part.discount, launch.max_players);
    advance(part.terminated, 1);
    advance(part.truncated, 1);
    advance(part.elapsed, 1);
    advance(part.players, 1);
    for (i32 f = 0; f < launch.num_own; ++f) {
      const i64 rows = launch.per_player[f] != 0 ? launch.max_players : 1;
      for (void** field : {&part.observed[f], &part.last[f], &part.restarted[f]}) {
        *field = static_cast<u8*>(*field) + first * rows * launch.row_bytes[f];
      }
    }
    PureOperand from = states;
    const auto offset = [&](PureOperand& operand, size_t o) {
      for (i32 a = 0; a < outer; ++a) operand.data += index[size_t(a)] * axes.strides[size_t(a)][o];
    };
    offset(part.keys, 0);
    offset(part.streams, 1);
    if (!call.restart) offset(from, 2);
    for (i32 f = 0; !call.restart && f < launch.num_actions; ++f) offset(part.action_rows[f], size_t(3 + f));
    for (size_t i = 0; i < call.options.size(); ++i) offset(part.options[i], first_option + i);
    prepare_states(call, part, from, stream);
    this->launch(call_, (launch.rows + envs_ - 1) / envs_, part, params_.data(), stream);
    for (i32 a = outer; a-- > 0 && ++index[size_t(a)] == axes.extents[size_t(a)];) index[size_t(a)] = 0;
  }
}

void set_device_compiler(DeviceCompiler new_compiler) { compiler() = std::move(new_compiler); }

// A model on all devices on which it has been used.
class ModelOnDevices {
 public:
  DeviceModel& on(const PureModel& model, const Driver& driver, int number, bool tuned) {
    const std::pair key{number, tuned};
    {
      const std::lock_guard lock(mutex_);
      const auto entry = models_.find(key);
      if (entry != models_.end()) return *entry->second;
    }
    // Compiling takes the interpreter lock, so this thread must not hold the mutex meanwhile.
    auto device_model = std::make_unique<DeviceModel>(model, driver, number, tuned);
    const std::lock_guard lock(mutex_);
    return *models_.try_emplace(key, std::move(device_model)).first->second;
  }
  // Throws if an earlier call on the device reported a fault.
  void raise_faults(const PureModel& model, int number) {
    for (const bool tuned : {false, true}) {
      DeviceModel* known = nullptr;
      {
        const std::lock_guard lock(mutex_);
        const auto entry = models_.find({number, tuned});
        if (entry != models_.end()) known = entry->second.get();
      }
      if (known != nullptr) known->raise_fault(model);
    }
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<int, bool>, std::unique_ptr<DeviceModel>> models_;  // by device, and whether tuned
};

std::shared_ptr<ModelOnDevices> make_model_on_devices() { return std::make_shared<ModelOnDevices>(); }

const Driver& cuda_driver() {
  static const Driver& driver = Driver::open(compiler().library());
  return driver;
}

CallStream::CallStream(const Call& call) {
  StreamGet get{sizeof(StreamGet), nullptr, call.context, nullptr};
  available = detail::succeeded(*call.api, call.api->get_stream(&get));
  if (!available) return;
  handle = get.stream;
  const Driver& driver = cuda_driver();
  Handle context = nullptr;
  ENVPOOL_CUDA(driver, stream_context, handle, &context);
  ENVPOOL_CUDA(driver, push_context, context);
  const cuda::Status status = driver.context_device(&device);
  if (status == 0) {
    guard.emplace(driver);
    return;
  }
  driver.pop_context(&context);
  driver.check(status, Driver::name_of_context_device);
}

CallStream::~CallStream() {
  guard.reset();
  Handle popped = nullptr;
  if (available) cuda_driver().pop_context(&popped);
}

namespace {

// Returns the model on the device of the call. Compiles it for that device if this is the first call there.
DeviceModel& device_model(const PureModel& model, const CallFrame& frame, const CallStream& stream) {
  if (model.program.source.empty()) {
    throw std::invalid_argument(
        "device: expected an environment whose header is known, so that it can be compiled for a GPU: give "
        "envpool.compile the path of the header, or, in a plugin, give envpool::table the header's name and "
        "envpool.register its folder as include=");
  }
  return model.devices->on(model, cuda_driver(), stream.device, !frame.integers("options").empty());
}

template <auto kFunction>
Error* device_handler(Call* call, Stage stage) noexcept {
  return run_handler(
      *call, stage,
      [](const CallFrame& frame) {
        try {
          kFunction(frame);
        } catch (const std::invalid_argument& error) {
          throw std::invalid_argument("[" + model_of(frame)->label + "] " + error.what());
        }
      },
      kCommandBufferCompatible);
}

void initialize_model(const CallFrame& frame) {
  const std::shared_ptr<PureModel> model = model_of(frame);
  const CallStream stream(frame.call());
  device_model(*model, frame, stream);
  model->devices->raise_faults(*model, stream.device);
}

void run_on_device(const CallFrame& frame, Operation operation) {
  const PureCall call(frame, operation);
  const CallStream stream(frame.call());
  DeviceModel& model = device_model(call.model, frame, stream);
  call.model.devices->raise_faults(call.model, stream.device);
  const Context::Current current(*model.context());
  const Handle handle = stream.available ? stream.handle : model.own_stream();
  model.run(call, handle);
  if (stream.available) return;
  ENVPOOL_CUDA(model.driver(), synchronize_stream, handle);
  model.raise_fault(call.model);
}

Error* initialize(Call* call) noexcept { return device_handler<initialize_model>(call, kInitialize); }
template <Operation kOperation>
Error* execute(Call* call) noexcept {
  return device_handler<[](const CallFrame& frame) { run_on_device(frame, kOperation); }>(call, kExecute);
}

}  // namespace

std::vector<Registration> cuda_handlers() {
  return {
      {"envpool_reset", &execute<Operation::kReset>, &instantiate_model, &initialize},
      {"envpool_step", &execute<Operation::kStep>, &instantiate_model, &initialize},
      {"envpool_pool_send", &pool_send_on_cuda, &instantiate_pool},
      {"envpool_pool_recv", &pool_recv_on_cuda, &instantiate_pool},
      {"envpool_pool_step", &pool_step_on_cuda, &instantiate_pool},
  };
}

}  // namespace envpool::xla
