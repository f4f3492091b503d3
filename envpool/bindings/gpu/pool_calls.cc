// SPDX-License-Identifier: Apache-2.0
//
// XLA's calls to a pool on a GPU. They do not need the interpreter lock. Only two of them wait for the device:
// settle_calls, and send_from_xla when it gets a new list of ids that is not a whole group in order, because it then
// uploads the list.
//
// A pool with one group launches on XLA's own stream, and events order these launches with the work on the group's
// stream. Each group of an asynchronous pool launches on its own stream, so that its launches overlap with XLA's work.
// XLA may then overwrite the actions before a launch has run, so the launch reads copies of them.
#include <algorithm>
#include <utility>

#include "envpool/bindings/gpu/pool.h"
#include "envpool/core/table/device_results.h"
#include "envpool/core/table/spec.h"

namespace envpool::cuda {

using device::Narrowed;
using device::ResultCopies;
using device::ResultCopy;

std::shared_ptr<LockedPool> DevicePool::prepare_calls(const std::string& image) {
  const CallGuard guard(*this);
  if (results_kernel_ == nullptr) {
    const Context::Current current(*context_);
    results_module_ = load_module(context_, image);
    results_kernel_ = kernel_of(context_->driver, results_module_, "envpool_results");
  }
  return locked_;
}

DevicePool::Group& DevicePool::longest_received(const char* call) {
  Group* found = nullptr;
  for (const auto& group : groups_) {
    if (!group->busy && (found == nullptr || group->received < found->received)) found = group.get();
  }
  if (found == nullptr) require_idle(0, call);
  return *found;
}

void DevicePool::describe_args(const SendArgs& args, CallPart& part, Handle stream, bool copy) {
  Launches& launches = part.group->launches;
  const Stream& own = launches.stream();
  if (copy) own.follow(stream);
  if (args.named != nullptr) {
    const Address from = reinterpret_cast<Address>(args.named + part.first);
    const i64 bytes = part.rows() * i64(sizeof(i32));
    part.launch.named = reinterpret_cast<const i32*>(copy ? launches.copied(args.actions.size(), from, bytes) : from);
  }
  for (size_t f = 0; f < args.actions.size(); ++f) {
    const ActionBuffer& action = args.actions[f];
    device::ActionInput& input = part.launch.actions[f];
    input.from = action.dtype;
    input.row_stride = input.elements * dtype_size(action.dtype);
    const i64 rows = actions_->rows_of(layout_.actions[f], 1);
    const Address from = action.data + Address(part.first * rows * input.row_stride);
    const i64 bytes = part.rows() * rows * input.row_stride;
    input.data = reinterpret_cast<const u8*>(copy ? launches.copied(f, from, bytes) : from);
    if (input.from != input.to) input.converted = launches.converted(f);
  }
  if (copy) own.lead(stream);
}

void DevicePool::send_from_xla(const SendArgs& args, Handle stream) {
  const python::InHandler in_handler;
  check_usable();
  if (sending_) label_.throw_invalid_call("send: another send or reset of this pool has not returned");
  const Context::Current current(*context_);
  std::vector<CallPart> parts;
  if (!args.ids.empty()) {
    parts = parts_of_ids(args.ids.data(), i64(args.ids.size()), "send");
  } else if (args.named_whole) {
    Group& group = longest_received("send");
    parts.push_back(part_of(group, group.ids, 0));
    require_distinct_idle(parts, "send");
  } else {
    parts = parts_of_all("send");
  }
  const bool on_xlas_stream = groups_.size() == 1;
  for (CallPart& part : parts) {
    Launches& launches = part.group->launches;
    const Stream& own = launches.stream();
    describe_args(args, part, stream, !on_xlas_stream);
    if (!part.whole()) {
      auto& [ids, memory] = known_ids_[*part.ids];
      if (ids == nullptr) {
        memory = own.uploaded(*part.ids);
        ids = part.ids;
      }
      part.ids = ids;
      part.launch.env_ids = memory.as<i32>();
    }
    Pending pending = describe(part);
    if (on_xlas_stream) own.lead(stream);
    const Handle on = on_xlas_stream ? stream : own.handle();
    launches.run_on(on, *model_, part.launch, states_.params());
    enqueue_statistics(part, pending, on);
    if (on_xlas_stream) own.follow(stream);
    set_busy(pending, true);
    pending_.push_back(std::move(pending));
  }
}

void DevicePool::recv_into(const std::vector<OutputBuffer>& results, Handle stream, Faults faults) {
  const python::InHandler in_handler;
  if (faults == Faults::kRaise) check_usable();
  const Context::Current current(*context_);
  const Pending pending = next_pending();
  const Stream& own = pending.group->launches.stream();
  own.lead(stream);
  const Address base = pending.block->memory.address();
  const auto at = [&](int array) {
    return reinterpret_cast<const u8*>(base + Address(array < 0 ? places_.done : places_.arrays[size_t(array)]));
  };
  ResultCopies all{.stepped = i64(pending.ids->size()), .rows = options_.batch_size, .done = at(-1), .copies = {}};
  const auto run = [&](size_t count, i64 most_units) {
    constexpr unsigned kThreads = 256, kMostBlocks = 4096;
    const i64 blocks = std::clamp<i64>((most_units + kThreads - 1) / kThreads, 1, kMostBlocks);
    void* arguments[] = {&all};
    ENVPOOL_CUDA(context_->driver, launch, results_kernel_, unsigned(blocks), unsigned(count), 1, kThreads, 1, 1, 0,
                 stream, arguments, nullptr);
  };
  size_t count = 0;
  i64 most_units = 0;
  for (const OutputBuffer& result : results) {
    ResultCopy& copy = all.copies[count++];
    copy = {.from = at(result.array),
            .unended = nullptr,
            .to = reinterpret_cast<u8*>(result.data),
            .row_units = 1,
            .unit = 1,
            .narrowed = Narrowed::kNo,
            .padding = 0};
    if (result.array >= 0) {
      const Array& array = blocks_.arrays[size_t(result.array)];
      const i32 current_array = result.array - layout_.num_fields;
      const bool final = blocks_.has_final && current_array >= abi::kCommonFields &&
                         current_array < abi::kCommonFields + layout_.num_fields;
      if (final) copy.unended = at(current_array);
      if (result.array == blocks_.final_normalized_obs) copy.unended = at(blocks_.normalized_obs);
      if (result.array == abi::kEnvId || array.name == "players.env_id") copy.padding = 0xFF;
      if (result.narrowed) copy.narrowed = array.dtype == abi::kF64 ? Narrowed::kF64ToF32 : Narrowed::kI64ToI32;
      const i64 row_bytes = array.row_bytes * (array.per_player ? layout_.max_players : 1);
      // XLA's arrays begin at multiples of at least 16 bytes, and a block's arrays at multiples of 256.
      const Address bits = result.narrowed ? 0 : Address(row_bytes) | result.data;
      while (copy.unit < 8 && (bits & Address(copy.unit)) == 0) copy.unit *= 2;
      copy.row_units = row_bytes / copy.unit;
    }
    most_units = std::max(most_units, copy.row_units * all.rows);
    if (count < device::kMostCopies) continue;
    run(count, most_units);
    count = 0;
  }
  if (count > 0) run(count, most_units);
  own.follow(stream);  // later writes to the block wait for the copies
}

void DevicePool::settle_calls() {
  const python::InHandler in_handler;
  {
    const Context::Current current(*context_);
    for (const auto& group : groups_) group->launches.stream().settle();
  }
  check_usable();
}

}  // namespace envpool::cuda
