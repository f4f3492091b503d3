// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/xla.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "envpool/bindings/action_values.h"
#include "envpool/bindings/gpu/device_model.h"
#include "envpool/bindings/gpu/stream.h"
#include "envpool/bindings/gpu/xla_pool.h"
#include "envpool/bindings/gpu/xla_staged.h"
#include "envpool/bindings/jax/pool.h"
#include "envpool/bindings/jax/pure.h"
#include "envpool/bindings/jax/pure_call.h"
#include "envpool/core/table/launch.h"

namespace envpool::xla {

using cuda::Address;
using cuda::Context;
using cuda::Handle;
using cuda::Memory;
using cuda::Size;
using device::Fault;
using device::Launch;
using device::TunedLaunch;

namespace {

DeviceCompiler& compiler() {
  static auto* compiler = new DeviceCompiler;
  return *compiler;
}

// The most rows of a launch.
constexpr i64 kMostRows = 2147483647;

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

// The pure functions of a model on one device, with the kernels for calls with columns of options (`tuned`) or without.
class DeviceFunctions {
 public:
  DeviceFunctions(const PureModel& model, const Driver& driver, int number, bool tuned);
  // Waits for the device, which may still run kernels of a program that was deleted.
  ~DeviceFunctions() {
    if (const Context::Current current(*context_); current) driver().synchronize_context();
  }
  DeviceFunctions(const DeviceFunctions&) = delete;
  DeviceFunctions& operator=(const DeviceFunctions&) = delete;

  const Driver& driver() const { return context_->driver; }
  const std::shared_ptr<const Context>& context() const { return context_; }
  Handle own_stream() const { return stream_.handle(); }

  // Throws if an earlier call reported a fault.
  void raise_fault(const PureModel& model);
  // Enqueues a call.
  void run(const PureCall& call, Handle stream);

 private:
  void describe_results(const PureCall& call, Launch& launch) const;
  void prepare_states(const PureCall& call, const Launch& launch, const device::Operand& from, Handle stream);

  const std::shared_ptr<const Context> context_;
  const cuda::Stream stream_;
  std::unique_ptr<cuda::DeviceModel> device_model_;
  Memory tunables_, made_params_;
  std::string params_;  // the second argument of the kernel without columns of options
  cuda::Word fault_;
  TunedLaunch constant_{};  // the common part of all launches
};

DeviceFunctions::DeviceFunctions(const PureModel& model, const Driver& driver, int number, bool tuned)
    : context_(std::make_shared<const Context>(driver, number)),
      stream_(context_, cuda::WithLegacyStream::kIndependent),
      fault_(context_) {
  const Context::Current current(*context_);
  DeviceProgram program = model.program;
  if (tuned) program.source = "#define ENVPOOL_TUNED\n" + program.source;
  const std::string image = compiler().image(model.label, program, number);
  device_model_ =
      std::make_unique<cuda::DeviceModel>(*model.table, model.layout(), image, program.threads, program.envs, stream_);
  params_ = device_model_->params_of(model.handle, stream_);
  constant_ = device_model_->constant();
  constant_.held = constant_.repair = true;
  constant_.rules.if_over = IfOver::kStays;
  constant_.tag = model.tag();
  constant_.slot_bytes = model.state_bytes();
  constant_.limit = model.max_episode_steps;
  constant_.fault = reinterpret_cast<volatile u64*>(fault_.address());
  const std::vector<abi::Tunable> tunables(model.tunables().begin(), model.tunables().end());
  if (!tunables.empty()) {
    tunables_ = stream_.uploaded(tunables);
    constant_.tunables = tunables_.as<abi::Tunable>();
  }
  if (tuned) {
    made_params_ = stream_.uploaded(std::vector<char>(params_.begin(), params_.end()));
    constant_.params = made_params_.as<u8>();
  }
  stream_.synchronize();
}

void DeviceFunctions::raise_fault(const PureModel& model) {
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
    const bool per_player = layout.max_players > 1 && field.per_player != 0;
    const std::string player = per_player ? " of player " + std::to_string(fault.element / elements) : "";
    what = ActionValues(field).refusal(fault.element % elements, "another", fault.row, player);
  }
  throw std::invalid_argument(what + "; an earlier call on the GPU reported this and did not step that row");
}

void DeviceFunctions::describe_results(const PureCall& call, Launch& launch) const {
  for (i32 f = 0; f < call.layout.num_fields; ++f) {
    const Buffer* const next = call.next[size_t(f)];
    const Buffer* const last = call.autoreset ? call.last[size_t(f)] : next;
    launch.begun[f] = next->data;
    launch.ended[f] = last->data;
    launch.stepped[f] = call.is_observed(f) ? next->data : last->data;
  }
  launch.columns = {.reward = call.reward,
                    .discount = call.discount,
                    .terminated = call.terminated,
                    .truncated = call.truncated,
                    .step_type = nullptr,
                    .env_id = nullptr,
                    .elapsed = call.elapsed,
                    .players = call.players};
}

// Copies the states into the results, unless XLA gave both the same memory. The kernel steps them there.
void DeviceFunctions::prepare_states(const PureCall& call, const Launch& launch, const device::Operand& from,
                                     Handle stream) {
  const auto to = reinterpret_cast<Address>(launch.slots);
  const Size bytes = Size(launch.batch.rows * launch.slot_bytes);
  if (call.restart) {
    ENVPOOL_CUDA(driver(), fill, to, 0, bytes, stream);
    return;
  }
  bool contiguous = true;
  for (i32 axis = 0; axis < launch.batch.axes; ++axis) {
    contiguous &= (from.axes >> axis & 1) != 0 || launch.batch.extents[axis] == 1;
  }
  if (!contiguous) {
    device_model_->copy(launch.batch, from, launch.slots, stream);
  } else if (from.data != launch.slots) {
    ENVPOOL_CUDA(driver(), copy, to, reinterpret_cast<Address>(from.data), bytes, stream);
  }
}

void DeviceFunctions::run(const PureCall& call, Handle stream) {
  if (call.options.size() > size_t(device::kMostOptions)) {
    throw std::invalid_argument("params: expected at most " + std::to_string(device::kMostOptions) +
                                " changed options on a GPU, got " + std::to_string(call.options.size()));
  }
  TunedLaunch launch = constant_;
  describe_results(call, launch);
  launch.keyed = call.keyed;
  launch.rules.begins = call.restart;
  launch.rules.restarts = call.autoreset;

  const Axes axes(call);
  const i32 inner = std::min(axes.size(), device::kMostAxes), outer = axes.size() - inner;
  launch.batch = {1, {}, inner};
  for (i32 a = 0; a < inner; ++a) {
    const i64 extent = axes.extents[size_t(outer + a)];
    launch.batch.rows *= extent;
    if (extent > kMostRows || launch.batch.rows > kMostRows) {
      throw std::invalid_argument("expected a batch of at most " + std::to_string(kMostRows) + " rows on a GPU");
    }
    launch.batch.extents[a] = i32(extent);
  }
  const auto axes_of = [&](size_t o) {
    u8 mask = 0;
    for (i32 a = 0; a < inner; ++a) mask = u8(mask | (axes.strides[size_t(outer + a)][o] != 0) << a);
    return mask;
  };
  const auto operand = [&](size_t o) {
    return device::Operand{call.operands[o].data, u32(call.operands[o].row_bytes), axes_of(o), 0, 0};
  };
  launch.keys = operand(0);
  launch.streams = operand(1);
  for (i32 f = 0; !call.restart && f < launch.num_actions; ++f) {
    launch.actions[f].data = call.operands[size_t(3 + f)].data;
    launch.actions[f].axes = axes_of(size_t(3 + f));
  }
  device::Operand states = call.restart ? device::Operand{} : operand(2);
  const size_t first_option = call.operands.size() - call.options.size();
  launch.num_options = call.num_options();
  launch.num_next_options = call.num_next_options;
  for (size_t i = 0; i < call.options.size(); ++i) {
    launch.options[i] = operand(first_option + i);
    launch.options[i].number = i16(call.options[i].number);
    launch.options[i].dtype = u8(call.options[i].dtype);
  }

  // A launch covers the inner axes. Batches with more axes take several launches.
  const i64 rows = launch.batch.rows;
  if (rows == 0) return;
  std::vector<i64> index(size_t(outer), 0);
  for (i64 first = 0; first < call.batch.rows(); first += rows) {
    TunedLaunch part = launch;
    part.first_row = first;
    part.slots = call.states + first * launch.slot_bytes;
    const auto advance = [&](auto*& column, i64 each) {
      if (column != nullptr) column += first * each;
    };
    advance(part.columns.reward, launch.max_players);
    advance(part.columns.discount, launch.max_players);
    advance(part.columns.terminated, 1);
    advance(part.columns.truncated, 1);
    advance(part.columns.elapsed, 1);
    advance(part.columns.players, 1);
    for (i32 f = 0; f < launch.num_own; ++f) {
      const i64 each = launch.per_player[f] != 0 ? launch.max_players : 1;
      for (void** field : {&part.stepped[f], &part.ended[f], &part.begun[f]}) {
        *field = static_cast<u8*>(*field) + first * each * launch.row_bytes[f];
      }
    }
    device::Operand from = states;
    const auto offset = [&](const u8*& data, size_t o) {
      for (i32 a = 0; a < outer; ++a) data += index[size_t(a)] * axes.strides[size_t(a)][o];
    };
    offset(part.keys.data, 0);
    offset(part.streams.data, 1);
    if (!call.restart) offset(from.data, 2);
    for (i32 f = 0; !call.restart && f < launch.num_actions; ++f) offset(part.actions[f].data, size_t(3 + f));
    for (size_t i = 0; i < call.options.size(); ++i) offset(part.options[i].data, first_option + i);
    prepare_states(call, part, from, stream);
    device_model_->launch(part, params_, stream);
    for (i32 a = outer; a-- > 0 && ++index[size_t(a)] == axes.extents[size_t(a)];) index[size_t(a)] = 0;
  }
}

void set_device_compiler(DeviceCompiler new_compiler) { compiler() = std::move(new_compiler); }

// A model on all devices on which it has been used.
class ModelOnDevices {
 public:
  DeviceFunctions& on(const PureModel& model, const Driver& driver, int number, bool tuned) {
    const std::pair key{number, tuned};
    {
      const std::lock_guard lock(mutex_);
      const auto entry = functions_.find(key);
      if (entry != functions_.end()) return *entry->second;
    }
    // Compiling takes the interpreter lock, so this thread must not hold the mutex meanwhile.
    auto functions = std::make_unique<DeviceFunctions>(model, driver, number, tuned);
    const std::lock_guard lock(mutex_);
    return *functions_.try_emplace(key, std::move(functions)).first->second;
  }
  // Throws if an earlier call on the device reported a fault.
  void raise_faults(const PureModel& model, int number) {
    for (const bool tuned : {false, true}) {
      DeviceFunctions* known = nullptr;
      {
        const std::lock_guard lock(mutex_);
        const auto entry = functions_.find({number, tuned});
        if (entry != functions_.end()) known = entry->second.get();
      }
      if (known != nullptr) known->raise_fault(model);
    }
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<int, bool>, std::unique_ptr<DeviceFunctions>> functions_;  // by device, and whether tuned
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
DeviceFunctions& functions_of(const PureModel& model, const CallFrame& frame, const CallStream& stream) {
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
  functions_of(*model, frame, stream);
  model->devices->raise_faults(*model, stream.device);
}

void run_on_device(const CallFrame& frame, Operation operation) {
  const PureCall call(frame, operation);
  const CallStream stream(frame.call());
  DeviceFunctions& functions = functions_of(call.model, frame, stream);
  call.model.devices->raise_faults(call.model, stream.device);
  const Context::Current current(*functions.context());
  const Handle handle = stream.available ? stream.handle : functions.own_stream();
  functions.run(call, handle);
  if (stream.available) return;
  ENVPOOL_CUDA(functions.driver(), synchronize_stream, handle);
  functions.raise_fault(call.model);
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
