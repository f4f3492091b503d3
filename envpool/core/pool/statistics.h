// SPDX-License-Identifier: Apache-2.0
//
// What a pool computes over the batches that are received: returns of episodes, normalized observations and normalized
// rewards. A batch is processed once, when it is complete, by the thread that receives it, in the order of its rows. So
// the results do not depend on the number of threads.
//
// The pool's mutex guards all calls.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "envpool/core/assert.h"
#include "envpool/core/math/float_mode.h"
#include "envpool/core/pool/block.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/running_moments.h"
#include "envpool/core/table/episode.h"
#include "envpool/core/table/returns.h"
#include "envpool/core/table/vtable.h"

namespace envpool {

// Returns the arrays that these options add to a block.
inline ExtraArrays extra_arrays(const StatisticsOptions& options) {
  return {options.episode_return, options.obs ? options.obs_name : std::string()};
}

// The arrays of a block whose rewards are added to returns: those of a row, and of a row that ends an episode.
struct ReturnedRewards {
  int array = abi::kReward;
  int last_array = -1;  // -1: they are in `array`, too

  // An environment that also returns a changed reward, such as a clipped one, has its own reward in an info. There, the
  // value of a row that ends an episode belongs to the next one.
  static ReturnedRewards of(const BlockLayout& layout) {
    const int info = layout.find("info:reward");
    if (info < 0) return {};
    const Array& array = layout.arrays[size_t(info)];
    if (array.dtype != abi::kF32 || array.row_bytes != i64(sizeof(f32))) return {};
    return {info, layout.has_final ? layout.find("final.info:reward") : -1};
  }
};

class Statistics {
 public:
  Statistics(const StatisticsOptions& options, const BlockLayout& layout, i32 num_envs, abi::Autoreset autoreset)
      : options_(options), same_step_(autoreset == abi::kAutoresetSameStep) {
    if (!enabled()) return;
    ENVPOOL_ASSERT(layout.max_players == 1);
    before_.resize(size_t(num_envs));
    if (options_.episode_return) {
      returns_.assign(size_t(num_envs), 0);
      return_array_ = layout.find("episode_return");
      returned_ = ReturnedRewards::of(layout);
    }
    if (options_.obs) {
      from_ = {layout.raw_obs, layout.has_final ? layout.raw_obs + layout.own_fields : -1};
      to_ = {layout.normalized_obs, layout.final_normalized_obs};
      const i64 columns = layout.arrays[size_t(to_.obs)].row_bytes / i64(sizeof(f32));
      if (layout.arrays[size_t(from_.obs)].dtype == abi::kF32) {
        obs_.emplace<ObsMoments<f32>>(columns);
      } else {
        obs_.emplace<ObsMoments<f64>>(columns);
      }
    }
    if (options_.reward) {
      discounted_.assign(size_t(num_envs), 0);
      running_.resize(size_t(layout.rows));
    }
  }

  // Returns whether there is anything to compute.
  bool enabled() const { return options_.episode_return || normalizes(); }
  bool normalizes() const { return options_.obs || options_.reward; }

  // Whether batches change the moments.
  bool updates_moments = true;

  // Processes a batch that is received for the first time.
  void process(Block& block) noexcept {
    if (!enabled()) return;
    const FloatModeGuard float_mode;
    if (options_.episode_return) sum_rewards(block);
    if (options_.reward) normalize_rewards(block);
    if (options_.obs) normalize_obs(block);
  }
  // Completes the rows of observe(), without changing the statistics.
  void describe(Block& block) const noexcept {
    if (!enabled()) return;
    const FloatModeGuard float_mode;
    if (options_.episode_return) {
      f64* const to = array<f64>(block, return_array_);
      const i32* const elapsed = block.values<i32>(abi::kElapsed);
      for_each_row(block, [&](i32 row, i32 env_id) { to[row] = elapsed[row] == 0 ? 0.0 : returns_[size_t(env_id)]; });
    }
    if (options_.obs) {
      with_obs(block, from_.obs, [&](auto& obs, const auto* rows) {
        obs.normalizer.prepare(obs.running, options_.obs->epsilon);
        write_normalized(obs, rows, block.rows(), array<f32>(block, to_.obs));
      });
    }
  }

  // A reset has been queued.
  void begin(const i32* env_ids, i32 count) noexcept {
    for (i32 k = 0; options_.reward && k < count; ++k) discounted_[size_t(env_ids[k])] = 0;
  }
  // A state from elsewhere replaces that of an environment. What its episode has returned so far is not known.
  void forget(const i32* env_ids, i32 count) noexcept {
    begin(env_ids, count);
    for (i32 k = 0; options_.episode_return && k < count; ++k) {
      returns_[size_t(env_ids[k])] = std::numeric_limits<f64>::quiet_NaN();
    }
  }
  // Environment sources[k] has been copied to environment env_ids[k].
  void copy(const i32* sources, const i32* env_ids, i32 count) noexcept {
    const auto copy_rows = [&](auto& rows) {
      std::copy(rows.begin(), rows.end(), before_.begin());
      using T = std::remove_reference_t<decltype(rows[0])>;
      for (i32 k = 0; k < count; ++k) rows[size_t(env_ids[k])] = T(before_[size_t(sources[k])]);
    };
    if (options_.episode_return) copy_rows(returns_);
    if (options_.reward) copy_rows(discounted_);
  }

  // A named array of the statistics.
  struct Part {
    const char* name;
    abi::Dtype dtype;
    void* data;
    i64 count;
  };
  std::vector<Part> parts() {
    std::vector<Part> parts;
    if (options_.episode_return) parts.push_back({"episode_return", abi::kF64, returns_.data(), i64(returns_.size())});
    if (options_.obs) {
      with_moments([&](auto& running) {
        const i64 columns = i64(running.mean.size());
        const abi::Dtype dtype = sizeof(running.mean[0]) == sizeof(f32) ? abi::kF32 : abi::kF64;
        parts.push_back({"obs.mean", dtype, running.mean.data(), columns});
        parts.push_back({"obs.var", dtype, running.var.data(), columns});
        parts.push_back({"obs.count", abi::kF64, &running.count, 1});
      });
    }
    if (options_.reward) {
      parts.push_back({"reward.mean", abi::kF64, rewards_.mean.data(), 1});
      parts.push_back({"reward.var", abi::kF64, rewards_.var.data(), 1});
      parts.push_back({"reward.count", abi::kF64, &rewards_.count, 1});
      parts.push_back({"reward.discounted_return", abi::kF32, discounted_.data(), i64(discounted_.size())});
    }
    return parts;
  }

 private:
  template <class F>
  struct ObsMoments {
    BatchMoments<F> batch;
    RunningMoments<F> running;
    RowNormalizer<F> normalizer;

    // gymnasium's initial moments of observations are float32.
    explicit ObsMoments(i64 columns) : batch(columns), running(columns, F(f32(kInitialCount))), normalizer(columns) {}
  };
  struct ObsArrays {
    int obs = -1, final_obs = -1;
  };

  template <class T>
  static T* array(const Block& block, int index) {
    return reinterpret_cast<T*>(block.data(index));
  }

  // Calls `action` with the number of each row and its environment. If these are equal, the compiler can use SIMD.
  template <class Action>
  static void for_each_row(const Block& block, Action&& action) {
    const i32 rows = block.rows();
    const i32* const env_ids = block.values<i32>(abi::kEnvId);
    if (block.order() == RowOrder::kById) {
      for (i32 row = 0; row < rows; ++row) action(row, row);
    } else {
      for (i32 row = 0; row < rows; ++row) action(row, env_ids[row]);
    }
  }

  // Adds rewards to the returns of their episodes.
  void sum_rewards(Block& block) {
    const i32 *const elapsed = block.values<i32>(abi::kElapsed), *const types = block.values<i32>(abi::kStepType);
    const f32* const rewards = block.values<f32>(returned_.array);
    f64 *const sums = returns_.data(), *const to = array<f64>(block, return_array_);
    if (returned_.last_array >= 0) {
      const f32* const last_rewards = block.values<f32>(returned_.last_array);
      for_each_row(block, [=](i32 row, i32 env_id) {
        const f32 reward = types[row] == i32(StepType::kLast) ? last_rewards[row] : rewards[row];
        to[row] = sums[env_id] = return_after(sums[env_id], reward, elapsed[row], types[row]);
      });
    } else {
      for_each_row(block, [=](i32 row, i32 env_id) {
        to[row] = sums[env_id] = return_after(sums[env_id], rewards[row], elapsed[row], types[row]);
      });
    }
  }

  // Does what gymnasium's NormalizeReward does: divides rewards by the standard deviation of discounted returns.
  void normalize_rewards(Block& block) {
    const i32 rows = block.rows();
    const i32* const types = block.values<i32>(abi::kStepType);
    const u8 *const terminated = block.values<u8>(abi::kTerminated), *const truncated =
                                                                         block.values<u8>(abi::kTruncated);
    f32 *const rewards = array<f32>(block, abi::kReward), *const running = running_.data();
    f32* const discounted = discounted_.data();
    const f32 gamma = f32(options_.reward->gamma);
    // NumPy adds in float64 and rounds to float32, which gives the bits of an addition in float32. A row that begins an
    // episode is the result of no action, so it neither discounts nor counts.
    for_each_row(block, [=](i32 row, i32 env_id) {
      const f32 before = discounted[env_id];
      const f32 next = before * gamma * f32(1 - i32(terminated[row])) + rewards[row];
      running[row] = next;
      discounted[env_id] = types[row] == i32(StepType::kFirst) ? before : next;
    });
    if (same_step_) {
      for_each_row(block, [=](i32 row, i32 env_id) {
        if (terminated[row] | truncated[row]) discounted[env_id] = 0;
      });
    }
    if (updates_moments) {
      i32 count = 0;
      for (i32 row = 0; row < rows; ++row) {
        running[count] = running[row];
        count += types[row] != i32(StepType::kFirst);
      }
      if (count > 0) {
        batch_rewards_.compute(running, count);
        rewards_.merge(batch_rewards_, count);
      }
    }
    const f64 deviation = rewards_.deviation(0, options_.reward->epsilon);
    for (i32 row = 0; row < rows; ++row) rewards[row] = f32(f64(rewards[row]) / deviation);
    clip(rewards, rows, options_.reward->clip);
  }

  void normalize_obs(Block& block) {
    with_obs(block, from_.obs, [&](auto& obs, const auto* rows) {
      if (updates_moments) {
        obs.batch.compute(rows, block.rows());
        obs.running.merge(obs.batch, block.rows());
      }
      obs.normalizer.prepare(obs.running, options_.obs->epsilon);
      write_normalized(obs, rows, block.rows(), array<f32>(block, to_.obs));
      if (from_.final_obs < 0) return;
      // The other rows of last observations have no meaning.
      const i32* const types = block.values<i32>(abi::kStepType);
      using T = std::remove_cv_t<std::remove_pointer_t<decltype(rows)>>;
      const T* const last = block.values<T>(from_.final_obs);
      f32* const to = array<f32>(block, to_.final_obs);
      const i64 columns = i64(obs.batch.mean.size());
      for (i64 row = 0; row < block.rows(); ++row) {
        if (types[row] == i32(StepType::kLast)) write_normalized(obs, last + row * columns, 1, to + row * columns);
      }
    });
  }
  template <class Obs, class T>
  void write_normalized(const Obs& obs, const T* from, i64 rows, f32* to) const {
    obs.normalizer.normalize(from, rows, to);
    clip(to, rows * i64(obs.batch.mean.size()), options_.obs->clip);
  }

  template <class Action>
  void with_moments(Action&& action) {
    if (auto* single = std::get_if<ObsMoments<f32>>(&obs_)) action(single->running);
    if (auto* full = std::get_if<ObsMoments<f64>>(&obs_)) action(full->running);
  }
  // Calls `action` with the moments, and with the rows of an array as an array of its dtype.
  template <class Action>
  void with_obs(const Block& block, int index, Action&& action) const {
    if (auto* single = std::get_if<ObsMoments<f32>>(&obs_)) return action(*single, block.values<f32>(index));
    auto& full = std::get<ObsMoments<f64>>(obs_);
    switch (block.layout().arrays[size_t(index)].dtype) {
      case abi::kBool:
      case abi::kU8: return action(full, block.values<u8>(index));
      case abi::kI32: return action(full, block.values<i32>(index));
      case abi::kI64: return action(full, block.values<i64>(index));
      case abi::kF32: return action(full, block.values<f32>(index));
      case abi::kF64: return action(full, block.values<f64>(index));
    }
  }

  const StatisticsOptions options_;
  const bool same_step_;
  // The numbers of arrays in a block.
  int return_array_ = -1;
  ReturnedRewards returned_{};
  ObsArrays from_, to_;

  std::vector<f64> returns_;     // by environment
  std::vector<f32> discounted_;  // by environment: the discounted return so far
  std::vector<f64> before_;      // by environment: a buffer
  std::vector<f32> running_;     // by row: a buffer
  BatchMoments<f32> batch_rewards_{1};
  RunningMoments<f64> rewards_{1, kInitialCount};
  mutable std::variant<std::monostate, ObsMoments<f32>, ObsMoments<f64>> obs_;
};

}  // namespace envpool
