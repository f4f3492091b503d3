// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/statistics.h"

#include <algorithm>
#include <limits>

namespace envpool::cuda {

using device::kStatisticsThreads;

namespace {

device::RowIds ids_of(const device::Launch& launch) { return {launch.batch.rows, launch.first_env, launch.env_ids}; }

// How rows are divided into chunks, each of which a block adds up for some columns.
struct Chunks {
  i64 rows, count;  // rows of a chunk, and chunks
  i64 most;         // chunks of that many rows or fewer

  Chunks(i64 columns, i64 all) {
    constexpr i64 kNumbers = 16 * kStatisticsThreads, kMostSums = i64{1} << 18, kMostChunks = 256;
    const i64 least = std::max(i64{16}, kNumbers / columns);  // keeps the block's threads busy
    most = std::min((all + least - 1) / least, std::clamp(kMostSums / columns, i64{1}, kMostChunks));
    rows = std::max(least, (all + most - 1) / most);
    count = (all + rows - 1) / rows;
  }
};

}  // namespace

DeviceStatistics::DeviceStatistics(const StatisticsOptions& options, const BlockLayout& layout, i32 num_envs,
                                   const std::string& image, const Stream& stream)
    : options_(options), driver_(&stream.driver()) {
  if (!options_.episode_return && !options_.obs && !options_.reward) return;
  module_ = load_module(stream.context, image);
  returns_kernel_ = kernel_of(*driver_, module_, "envpool_returns");
  discount_kernel_ = kernel_of(*driver_, module_, "envpool_discount");
  sums_kernel_ = kernel_of(*driver_, module_, "envpool_sums");
  merge_kernel_ = kernel_of(*driver_, module_, "envpool_merge");
  normalize_kernel_ = kernel_of(*driver_, module_, "envpool_normalize");
  if (options_.episode_return) {
    returns_ = stream.uploaded(std::vector<f64>(size_t(num_envs), 0));
    return_array_ = layout.find("episode_return");
    returned_ = ReturnedRewards::of(layout);
  }
  if (options_.reward) {
    discounted_ = stream.uploaded(std::vector<f32>(size_t(num_envs), 0));
    of_rows_ = Memory(stream.context, i64{layout.rows} * i64{sizeof(f32)});
    rewards_ = initial_moments(1, layout.rows, stream);
  }
  if (options_.obs) {
    raw_obs_ = layout.raw_obs, obs_array_ = layout.normalized_obs;
    if (layout.has_final) raw_final_ = layout.raw_obs + layout.own_fields, final_array_ = layout.final_normalized_obs;
    obs_dtype_ = layout.arrays[size_t(raw_obs_)].dtype;
    columns_ = layout.arrays[size_t(obs_array_)].row_bytes / i64(sizeof(f32));
    obs_ = initial_moments(columns_, layout.rows, stream);
  }
}

DeviceStatistics::MomentsMemory DeviceStatistics::initial_moments(i64 columns, i64 rows, const Stream& stream) {
  const auto filled = [&](f64 value) { return stream.uploaded(std::vector<f64>(size_t(columns), value)); };
  return {filled(0), filled(1), filled(kInitialCount),
          Memory(stream.context, Chunks(columns, rows).most * columns * i64{sizeof(device::PartialSums)})};
}

template <class Arguments>
void DeviceStatistics::launch(Handle kernel, i64 blocks, i64 chunks, Arguments& arguments, Handle stream) const {
  void* all[] = {&arguments};
  ENVPOOL_CUDA(*driver_, launch, kernel, unsigned(blocks), unsigned(chunks), 1, kStatisticsThreads, 1, 1, 0, stream,
               all, nullptr);
}

void DeviceStatistics::enqueue(const device::Launch& of, const Arrays& arrays, Handle stream) const {
  if (!enabled()) return;
  const i64 rows = of.batch.rows, blocks = (rows + kStatisticsThreads - 1) / kStatisticsThreads;
  const auto* const step_type = arrays.at<const i32>(abi::kStepType);
  if (options_.episode_return) {
    const bool has_last = returned_.last_array >= 0;
    device::Returns returns{.ids = ids_of(of),
                            .elapsed = arrays.at<const i32>(abi::kElapsed),
                            .step_type = step_type,
                            .reward = arrays.at<const f32>(returned_.array),
                            .last_reward = has_last ? arrays.at<const f32>(returned_.last_array) : nullptr,
                            .sums = returns_.as<f64>(),
                            .episode_return = arrays.at<f64>(return_array_)};
    launch(returns_kernel_, blocks, 1, returns, stream);
  }
  if (options_.reward) {
    auto* const reward = arrays.at<f32>(abi::kReward);
    device::Discount discount{.ids = ids_of(of),
                              .begins = of.rules.begins,
                              .restarts = of.rules.restarts,
                              .gamma = f32(options_.reward->gamma),
                              .step_type = step_type,
                              .terminated = arrays.at<const u8>(abi::kTerminated),
                              .truncated = arrays.at<const u8>(abi::kTruncated),
                              .reward = reward,
                              .sums = discounted_.as<f32>(),
                              .discounted = of_rows_.as<f32>()};
    launch(discount_kernel_, blocks, 1, discount, stream);
    update(rewards_, of_rows_.as<f32>(), abi::kF32, rows, 1, step_type, stream);
    normalize(rewards_, *options_.reward,
              {.data = reward, .dtype = abi::kF32, .rows = rows, .columns = 1, .centers = false, .to = reward}, stream);
  }
  if (options_.obs) {
    update(obs_, arrays.at<const void>(raw_obs_), obs_dtype_, rows, columns_, nullptr, stream);
    normalize_obs(arrays, rows, stream);
  }
}

void DeviceStatistics::update(const MomentsMemory& memory, const void* data, abi::Dtype dtype, i64 rows, i64 columns,
                              const i32* step_type, Handle stream) const {
  if (!updates_moments) return;
  const Chunks chunks(columns, rows);
  device::MomentsOfRows arguments{.data = data,
                                  .dtype = dtype,
                                  .rows = rows,
                                  .columns = columns,
                                  .rows_of_chunk = chunks.rows,
                                  .chunks = i32(chunks.count),
                                  .step_type = step_type,
                                  .moments = memory.moments(),
                                  .sums = memory.sums.as<device::PartialSums>()};
  const i64 blocks = (columns + kStatisticsThreads - 1) / kStatisticsThreads;
  launch(sums_kernel_, blocks, chunks.count, arguments, stream);
  launch(merge_kernel_, blocks, 1, arguments, stream);
}

void DeviceStatistics::normalize(const MomentsMemory& memory, const Normalization& how, device::Normalize arguments,
                                 Handle stream) const {
  constexpr i64 kMostBlocks = 4096;
  const i64 count = arguments.rows * arguments.columns;
  arguments.moments = memory.moments();
  arguments.epsilon = how.epsilon;
  arguments.clip = f32(how.clip);
  launch(normalize_kernel_, std::clamp<i64>((count + kStatisticsThreads - 1) / kStatisticsThreads, 1, kMostBlocks), 1,
         arguments, stream);
}

void DeviceStatistics::normalize_obs(const Arrays& arrays, i64 rows, Handle stream) const {
  device::Normalize arguments{.data = arrays.at<const void>(raw_obs_),
                              .dtype = obs_dtype_,
                              .rows = rows,
                              .columns = columns_,
                              .centers = true,
                              .to = arrays.at<f32>(obs_array_)};
  normalize(obs_, *options_.obs, arguments, stream);
  if (final_array_ < 0) return;
  arguments.data = arrays.at<const void>(raw_final_);
  arguments.to = arrays.at<f32>(final_array_);
  arguments.step_type = arrays.at<const i32>(abi::kStepType);
  normalize(obs_, *options_.obs, arguments, stream);
}

void DeviceStatistics::describe(const std::vector<i32>& env_ids, const Arrays& arrays, const Stream& stream) const {
  if (options_.episode_return) {
    for (size_t k = 0; k < env_ids.size(); ++k) {
      const Address to = reinterpret_cast<Address>(arrays.at<f64>(return_array_) + k);
      ENVPOOL_CUDA(*driver_, copy, to, returns_.address() + Address(env_ids[k]) * sizeof(f64), sizeof(f64),
                   stream.handle());
    }
  }
  if (options_.obs) normalize_obs(arrays, i64(env_ids.size()), stream.handle());
}

std::vector<DeviceStatistics::Part> DeviceStatistics::parts() const {
  std::vector<Part> parts;
  const auto add = [&](const char* name, const Memory& memory) {
    parts.push_back({name, abi::kF64, memory.address(), memory.bytes() / i64(sizeof(f64))});
  };
  const auto add_count = [&](const char* name, const Memory& counts) {
    parts.push_back({name, abi::kF64, counts.address(), 1, counts.bytes() / i64(sizeof(f64))});
  };
  if (options_.episode_return) add("episode_return", returns_);
  if (options_.obs) {
    add("obs.mean", obs_.mean);
    add("obs.var", obs_.var);
    add_count("obs.count", obs_.counts);
  }
  if (options_.reward) {
    add("reward.mean", rewards_.mean);
    add("reward.var", rewards_.var);
    add_count("reward.count", rewards_.counts);
    parts.push_back(
        {"reward.discounted_return", abi::kF32, discounted_.address(), discounted_.bytes() / i64(sizeof(f32))});
  }
  return parts;
}

void DeviceStatistics::forget(const std::vector<i32>& env_ids, const Stream& stream) const {
  const f64 unknown = std::numeric_limits<f64>::quiet_NaN();
  const f32 none = 0;
  for (const i32 id : env_ids) {
    if (options_.episode_return) stream.upload(returns_.address() + Address(id) * sizeof(f64), &unknown, sizeof(f64));
    if (options_.reward) stream.upload(discounted_.address() + Address(id) * sizeof(f32), &none, sizeof(f32));
  }
  if (enabled()) stream.synchronize();
}

void DeviceStatistics::copy(const std::vector<i32>& sources, const std::vector<i32>& env_ids,
                            const Stream& stream) const {
  const auto copy_rows = [&]<class T>(const Memory& memory, std::vector<T> values) {
    const auto at = [&](i32 env_id) { return memory.address() + Address(env_id) * sizeof(T); };
    for (size_t k = 0; k < sources.size(); ++k) stream.download(&values[k], at(sources[k]), sizeof(T));
    stream.synchronize();
    for (size_t k = 0; k < env_ids.size(); ++k) stream.upload(at(env_ids[k]), &values[k], sizeof(T));
    stream.synchronize();
  };
  if (options_.episode_return) copy_rows(returns_, std::vector<f64>(sources.size()));
  if (options_.reward) copy_rows(discounted_, std::vector<f32>(sources.size()));
}

i64 DeviceStatistics::bytes_of(const StatisticsOptions& options, i32 num_envs) {
  return i64{num_envs} *
         ((options.episode_return ? i64{sizeof(f64)} : 0) + (options.reward ? 2 * i64{sizeof(f32)} : 0));
}

void DeviceStatistics::close() {
  for (Memory* memory : {&returns_, &discounted_, &of_rows_}) *memory = Memory();
  rewards_ = {};
  obs_ = {};
  module_ = Owned<Handle>();
}

}  // namespace envpool::cuda
