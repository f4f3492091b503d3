// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/statistics.h"

#include "envpool/core/table/device_statistics.h"

namespace envpool::cuda {

DeviceStatistics::DeviceStatistics(const StatisticsOptions& options, const BlockLayout& layout, i32 num_envs,
                                   const std::string& image, const Stream& stream) {
  if (!options.episode_return) return;
  module_ = load_module(stream.context, image);
  kernel_ = kernel_of(stream.driver(), module_, "envpool_returns");
  sums_ = stream.uploaded(std::vector<f64>(size_t(num_envs), 0));
  return_array_ = layout.find("episode_return");
  returned_ = ReturnedRewards::of(layout);
}

void DeviceStatistics::enqueue(const device::Launch& launch, Address block, const std::vector<i64>& offsets,
                               const Driver& driver, Handle stream) const {
  if (!enabled()) return;
  const auto at = [&](int array) { return reinterpret_cast<void*>(block + Address(offsets[size_t(array)])); };
  device::Returns returns{.rows = launch.batch.rows,
                          .first_env = launch.first_env,
                          .env_ids = launch.env_ids,
                          .elapsed = static_cast<const i32*>(at(abi::kElapsed)),
                          .step_type = static_cast<const i32*>(at(abi::kStepType)),
                          .reward = static_cast<const f32*>(at(returned_.array)),
                          .last_reward = nullptr,
                          .sums = sums_.as<f64>(),
                          .episode_return = static_cast<f64*>(at(return_array_))};
  if (returned_.last_array >= 0) returns.last_reward = static_cast<const f32*>(at(returned_.last_array));
  constexpr unsigned kThreads = 128;
  const auto blocks = unsigned((returns.rows + kThreads - 1) / kThreads);
  void* arguments[] = {&returns};
  ENVPOOL_CUDA(driver, launch, kernel_, blocks, 1, 1, kThreads, 1, 1, 0, stream, arguments, nullptr);
}

std::vector<f64> DeviceStatistics::returns(const std::vector<i32>& env_ids, const Stream& stream) const {
  std::vector<f64> values(env_ids.size());
  for (size_t k = 0; k < env_ids.size(); ++k) stream.download(&values[k], sum(env_ids[k]), sizeof(f64));
  stream.synchronize();
  return values;
}

void DeviceStatistics::set_returns(const std::vector<i32>& env_ids, const std::vector<f64>& returns,
                                   const Stream& stream) const {
  for (size_t k = 0; k < env_ids.size(); ++k) stream.upload(sum(env_ids[k]), &returns[k], sizeof(f64));
  stream.synchronize();
}

void DeviceStatistics::close() {
  sums_ = Memory();
  module_ = Owned<Handle>();
}

}  // namespace envpool::cuda
