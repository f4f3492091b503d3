// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/device_model.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "envpool/bindings/gpu/capacity.h"
#include "envpool/core/table/spec.h"

namespace envpool::cuda {

namespace {

void require_fit(const abi::Layout& layout) {
  const auto require_at_most = [](int most, i32 count, const char* what) {
    if (count <= most) return;
    throw std::invalid_argument("device: expected at most " + std::to_string(most) + " " + what + " on a GPU, got " +
                                std::to_string(count));
  };
  require_at_most(device::kMostFields, layout.num_fields, "observations and infos");
  require_at_most(device::kMostActions, layout.num_actions, "fields of actions");
}

// Returns how kernels write the fields of a layout. If the environment variable ENVPOOL_DEVICE_ROWS is "direct", lanes
// write all rows themselves, so that both ways can be measured (envpool/cuda/program.py also reads the variable).
device::Staging staging_of(const abi::Device& facts, const abi::Layout& layout, const i64* row_bytes, i32 threads) {
  const char* rows = std::getenv("ENVPOOL_DEVICE_ROWS");
  const bool direct = facts.large_rows == 0 || (rows != nullptr && std::strcmp(rows, "direct") == 0);
  return device::Staging::of(row_bytes, layout.num_fields, threads, direct,
                             [&](i32 f) { return layout.max_players == 1 || layout.fields[f].per_player != 0; });
}

// A kernel whose stack takes at least this many bytes has long steps. Those of Atari, Box2D, BabyAI and the robots do.
constexpr i64 kLongStepStack = 2048;
// How many warps each multiprocessor gets before the lanes of a warp are filled. On an H100, more warps of fewer lanes
// were slower.
constexpr i64 kWarpsPerMultiprocessor = 3;

// Returns the value of the environment variable ENVPOOL_DEVICE_LANES, which fixes the number of lanes so that numbers
// can be compared; 0 if it is not set.
i32 wanted_lanes() {
  const char* text = std::getenv("ENVPOOL_DEVICE_LANES");
  if (text == nullptr || *text == 0) return 0;
  for (i32 lanes = 1; lanes <= device::kWarp; lanes *= 2) {
    if (text == std::to_string(lanes)) return lanes;
  }
  throw std::invalid_argument("ENVPOOL_DEVICE_LANES: expected a power of 2 up to 32, got '" + std::string(text) + "'");
}

}  // namespace

DeviceModel::DeviceModel(const abi::Table& table, const abi::Layout& layout, const std::string& image, i32 threads,
                         i32 envs, const Stream& stream)
    : table_(table), context_(stream.context), threads_(threads), envs_(envs) {
  require_fit(layout);
  load(image);
  if (layout.max_players == 1 && stack_of(context_->driver, turn_) >= kLongStepStack) {
    constexpr int kMultiprocessors = 16;  // an attribute of devices
    warps_ = i64{context_->attribute(kMultiprocessors)} * kWarpsPerMultiprocessor;
    lanes_ = wanted_lanes();
  }
  constant_.max_players = layout.max_players;
  constant_.num_own = layout.num_fields;
  constant_.num_actions = layout.num_actions;
  for (i32 f = 0; f < layout.num_fields; ++f) {
    constant_.row_bytes[f] = layout.fields[f].row_bytes;
    constant_.per_player[f] = layout.fields[f].per_player != 0;
  }
  constant_.staging = staging_of(*table.device, layout, constant_.row_bytes, threads);
  for (i32 f = 0; f < layout.num_actions; ++f) {
    const abi::Field& field = layout.actions[f];
    const i64 elements = field.row_bytes / dtype_size(field.dtype);
    if (field.counts != nullptr) {
      counts_.push_back(stream.uploaded(std::vector<i64>(field.counts, field.counts + elements)));
    }
    constant_.action_bytes[f] = field.row_bytes;
    constant_.actions[f] = {.data = nullptr,
                            .row_stride = field.row_bytes,
                            .converted = nullptr,
                            .counts = field.counts == nullptr ? nullptr : counts_.back().as<i64>(),
                            .discrete = field.discrete,
                            .elements = i32(elements),
                            .from = field.dtype,
                            .to = field.dtype,
                            .axes = device::kFirstAxis,
                            .per_player = u8(field.per_player != 0)};
  }
}

void DeviceModel::load(const std::string& image) {
  Owned<Handle> module = load_module(context_, image);
  turn_ = kernel_of(context_->driver, module, "envpool_turn");
  copy_ = kernel_of(context_->driver, module, "envpool_copy");
  module_ = std::move(module);
}

std::string DeviceModel::params_of(void* model, const Stream& stream) {
  const abi::Device& facts = *table_.device;
  std::string params(static_cast<const char*>(facts.params(model)), size_t(facts.params_bytes));
  if (facts.native_at >= 0) std::memset(params.data() + facts.native_at, 0, sizeof(void*));
  i64 blob_bytes = 0;
  const void* blob = facts.blob(model, &blob_bytes);
  if (facts.blob_at >= 0 && blob_bytes > 0) {
    blobs_.emplace_back(context_, blob_bytes);
    const Address address = blobs_.back().address();
    stream.upload(address, blob, blob_bytes);
    std::memcpy(params.data() + facts.blob_at, &address, sizeof(address));
  }
  return params;
}

void DeviceModel::launch(device::Launch& launch, const std::string& params, Handle stream) const {
  launch.lanes = lanes_for(launch.batch.rows);
  const i64 envs = i64{envs_} * launch.lanes / device::kWarp;
  void* arguments[] = {&launch, const_cast<char*>(params.data())};
  enqueue(turn_, (launch.batch.rows + envs - 1) / envs, launch.staging.block_bytes(threads_), arguments, stream);
}

// Returns how many lanes of each warp have a row. The lanes of a long step take different branches, and then wait for
// each other, so a launch that does not fill the GPU is spread over more warps.
i32 DeviceModel::lanes_for(i64 rows) const {
  if (lanes_ > 0) return lanes_;
  i32 lanes = device::kWarp;
  while (lanes > 1 && rows < warps_ * lanes) lanes /= 2;
  return lanes;
}

void DeviceModel::copy(const device::Batch& batch, const device::Operand& from, u8* to, Handle stream) const {
  void* arguments[] = {const_cast<device::Batch*>(&batch), const_cast<device::Operand*>(&from), &to};
  const i64 rows_of_block = threads_ / device::kWarp;
  enqueue(copy_, std::min<i64>((batch.rows + rows_of_block - 1) / rows_of_block, 65536), 0, arguments, stream);
}

void DeviceModel::enqueue(Handle kernel, i64 blocks, i64 shared_bytes, void** arguments, Handle stream) const {
  ENVPOOL_CUDA(context_->driver, launch, kernel, unsigned(blocks), 1, 1, unsigned(threads_), 1, 1,
               unsigned(shared_bytes), stream, arguments, nullptr);
}

}  // namespace envpool::cuda
