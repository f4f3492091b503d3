// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/xla_pool.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "envpool/bindings/gpu/pool.h"
#include "envpool/bindings/gpu/xla.h"
#include "envpool/bindings/gpu/xla_staged.h"
#include "envpool/bindings/jax/pool.h"

namespace envpool::xla {

using cuda::Address;
using cuda::DevicePool;
using cuda::Faults;
using cuda::OutputBuffer;
using cuda::SendArgs;

namespace {

Address address_of(const Buffer& buffer) { return reinterpret_cast<Address>(buffer.data); }

abi::Dtype dtype_of(const Buffer& buffer, const char* name) {
  switch (buffer.dtype) {
    case kPred: return abi::kBool;
    case kU8: return abi::kU8;
    case kS32: return abi::kI32;
    case kS64: return abi::kI64;
    case kF32: return abi::kF32;
    case kF64: return abi::kF64;
    default: malformed(std::string(name) + " has XLA's type " + std::to_string(buffer.dtype));
  }
}

// The values of the attribute `named`, which says how the call names its environments.
enum Named : i64 { kNobody = 0, kByOperand = 1, kByAttribute = 2 };

// One call to a pool on a GPU. The attribute `pool` has the number of the pool's entry. The first operand and result
// are the handle, which only orders the calls; its value is on the device and is never read.
class DevicePoolCall {
 public:
  DevicePoolCall(const CallFrame& frame, std::shared_ptr<PoolEntry> entry, const char* name, const CallStream& stream)
      : frame_(frame),
        entry_(std::move(entry)),
        name_(name),
        lock_(entry_->locked->mutex),
        has_stream_(stream.available) {
    if (frame.argument(0).rank != 1) {
      throw std::invalid_argument(
          text("there is no vmap of a pool, whose batch is its environments; scan and loops "
               "are fine"));
    }
    pool_ = entry_->locked->pool;
    if (pool_ == nullptr || pool_->closed()) throw std::runtime_error(text("the pool is closed"));
    const std::string here = "cuda:" + std::to_string(stream.device);
    if (has_stream_ && here != entry_->device) {
      throw std::invalid_argument(
          text("expected a program on " + entry_->device + ", where the pool is, got one on " + here));
    }
    stream_ = has_stream_ ? stream.handle : pool_->own_stream();
  }

  void send() {
    const abi::Layout& layout = pool_->layout();
    const i64 named = frame_.integer("named");
    SendArgs args;
    i64 next = 1;  // after the handle
    if (named == kByOperand) {
      const Buffer& ids = frame_.argument(next++);
      if (ids.dtype != kS32 || ids.rank != 1) malformed("env_id is not a vector of int32");
      args.named = static_cast<const i32*>(ids.data);
      args.named_whole = ids.dims[0] != pool_->num_envs();
    }
    if (named == kByAttribute) args.ids = frame_.integers("ids");
    args.rows = named == kByAttribute ? i64(args.ids.size())
                : args.named_whole    ? pool_->batch_size()
                                      : pool_->num_envs();
    if (args.named != nullptr && frame_.argument(1).dims[0] != args.rows) malformed("env_id has another shape");
    for (i32 f = 0; f < layout.num_actions; ++f) {
      const abi::Field& field = layout.actions[f];
      const Buffer& buffer = frame_.argument(next++);
      const i64 players = layout.max_players > 1 && field.per_player != 0 ? layout.max_players : 1;
      const i64 elements = field.row_bytes / dtype_size(field.dtype);
      if (elements_of(buffer) != args.rows * players * elements) {
        malformed(std::string(field.name) + " has another shape");
      }
      args.actions.push_back({address_of(buffer), dtype_of(buffer, field.name)});
    }
    pool_->send_from_xla(args, stream_);
  }

  void recv() { receive(Faults::kRaise); }

  void step() {
    send();
    receive(Faults::kKeep);
  }

  // Passes the handle on.
  void finish() {
    const Buffer &from = frame_.argument(0), &to = frame_.result(0);
    const i64 bytes = elements_of(from) * itemsize(from.dtype);
    if (elements_of(to) * itemsize(to.dtype) != bytes) malformed("the handle has another size");
    const cuda::Context::Current current(*pool_->context());
    if (from.data != to.data) {
      ENVPOOL_CUDA(pool_->context()->driver, copy, address_of(to), address_of(from), cuda::Size(bytes), stream_);
    }
    if (!has_stream_) pool_->settle_calls();
  }

 private:
  void receive(Faults faults) {
    const BlockLayout& layout = pool_->block_layout();
    const std::vector<i32> outputs = frame_.integers("outputs");
    std::vector<OutputBuffer> results;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Buffer& result = frame_.result(i64(i) + 1);
      OutputBuffer buffer{outputs[i], address_of(result), false};
      i64 elements = pool_->batch_size();
      DataType own = kPred;
      if (buffer.array >= 0) {
        if (size_t(buffer.array) >= layout.arrays.size()) malformed("there is no such output");
        const envpool::Array& array = layout.arrays[size_t(buffer.array)];
        own = type_of(array.dtype);
        elements *= array.row_bytes / itemsize(own) * (array.per_player ? layout.max_players : 1);
      }
      buffer.narrowed = (own == kF64 && result.dtype == kF32) || (own == kS64 && result.dtype == kS32);
      if (result.dtype != own && !buffer.narrowed) malformed("a result has another type");
      check_elements(result, elements, "of a pool");
      if (elements > 0) results.push_back(buffer);
    }
    pool_->recv_into(results, stream_, faults);
  }

  std::string text(const std::string& what) const { return "[" + entry_->label + "] " + name_ + ": " + what; }

  const CallFrame& frame_;
  const std::shared_ptr<PoolEntry> entry_;
  const char* const name_;
  const std::lock_guard<std::recursive_mutex> lock_;
  const bool has_stream_;
  DevicePool* pool_ = nullptr;
  cuda::Handle stream_ = nullptr;
};

template <auto kCall, Handler* kOnCpu>
Error* on_cuda(Call* call, const char* name) noexcept {
  Error* error = nullptr;
  Error* const failed = run_handler(*call, kExecute, [&](const CallFrame& frame) {
    const CallStream stream(frame.call());
    std::shared_ptr<PoolEntry> entry = entry_of(frame);
    if (entry->locked == nullptr) {
      error = stream.available ? run_staged(*call, kOnCpu, cuda_driver(), stream.handle) : kOnCpu(call);
      return;
    }
    DevicePoolCall device_call(frame, std::move(entry), name, stream);
    (device_call.*kCall)();
    device_call.finish();
  });
  return failed != nullptr ? failed : error;
}

}  // namespace

Error* pool_send_on_cuda(Call* call) noexcept { return on_cuda<&DevicePoolCall::send, pool_send>(call, "send"); }
Error* pool_recv_on_cuda(Call* call) noexcept { return on_cuda<&DevicePoolCall::recv, pool_recv>(call, "recv"); }
Error* pool_step_on_cuda(Call* call) noexcept { return on_cuda<&DevicePoolCall::step, pool_step>(call, "step"); }

}  // namespace envpool::xla
