// SPDX-License-Identifier: Apache-2.0
//
// The running mean and variance of the rows of a matrix, computed with the operations of gymnasium's RunningMeanStd and
// of NumPy 2, in their order and precision, so that the bits are equal. The order does not depend on threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/core/math/numpy_sum.h"
#include "envpool/core/portable.h"
#include "envpool/core/types.h"

namespace envpool {

// The count of gymnasium's RunningMeanStd before its first batch.
inline constexpr f64 kInitialCount = 1e-4;

// The mean and variance of the rows of one batch. F is the precision in which NumPy computes them.
template <class F>
struct BatchMoments {
  std::vector<F> mean, var;

  explicit BatchMoments(i64 columns) : mean(size_t(columns)), var(size_t(columns)) {}

  template <class T>
  void compute(const T* x, i64 rows) {
    const i64 columns = i64(mean.size());
    if (columns == 1) return compute_column(x, rows);
    i64 first = 0;
    for (; first + 64 <= columns; first += 64) compute_strip<64>(x, rows, first);
    while (first < columns) {
      const i64 left = (columns - first + kLanes - 1) / kLanes, parts = (left + kMostGroups - 1) / kMostGroups;
      const i64 groups = (left + parts - 1) / parts;
      if (groups == 1) compute_groups<1>(x, rows, first);
      if (groups == 2) compute_groups<2>(x, rows, first);
      if (groups == 3) compute_groups<3>(x, rows, first);
      if (groups == 4) compute_groups<4>(x, rows, first);
      first += kLanes * groups;
    }
  }

 private:
  static F divide(F sum, i64 rows) { return F(f64(sum) / f64(rows)); }

  // NumPy adds contiguous numbers pairwise.
  template <class T>
  void compute_column(const T* x, i64 rows) {
    const F center = divide(F(0) + numpy_sum(rows, [x](i64 i) { return F(x[i]); }), rows);
    const F squares = numpy_sum(rows, [x, center](i64 i) {
      const F from_mean = F(x[i]) - center;
      return from_mean * from_mean;
    });
    mean[0] = center;
    var[0] = divide(squares, rows);
  }
  // NumPy adds the elements of several columns in the order of the rows. So each sum waits for the sum before it, and
  // the sums of as many columns as possible are computed at once: groups of columns, with the sums of each in a
  // register.
  static constexpr i64 kLanes = 16 / sizeof(F), kMostGroups = 4;
  typedef F Group __attribute__((vector_size(16)));

  template <class T>
  static ENVPOOL_ALWAYS_INLINE Group load(const T* from) {
    Group group;
    if constexpr (std::is_same_v<T, F>) {
      __builtin_memcpy(&group, from, sizeof(group));
    } else {
      for (i64 k = 0; k < kLanes; ++k) group[k] = F(from[k]);
    }
    return group;
  }
  template <i64 kGroups, class T>
  void compute_groups(const T* x, i64 rows, i64 first) {
    const i64 columns = i64(mean.size());
    // Where fewer columns are left than a group has, the last group begins earlier, and some columns are computed
    // twice. If there are none before, it has elements of the next row, and the last row is padded.
    const i64 last = std::max<i64>(0, std::min(first + kLanes * (kGroups - 1), columns - kLanes));
    T padded[kLanes]{};
    if (columns < kLanes) std::copy(x + (rows - 1) * columns, x + rows * columns, padded);
    F center[kLanes * kGroups] = {}, squares[kLanes * kGroups] = {};
    add_groups<kGroups, false>(x, rows, first, last, padded, center, center);
    for (F& sum : center) sum = divide(sum, rows);
    add_groups<kGroups, true>(x, rows, first, last, padded, center, squares);
    for (i64 k = 0; k < kLanes * kGroups; ++k) {
      const i64 group = k / kLanes, column = k % kLanes + (group + 1 < kGroups ? first + group * kLanes : last);
      if (column >= columns) continue;
      mean[size_t(column)] = center[k];
      var[size_t(column)] = divide(squares[k], rows);
    }
  }
  // Writes the sums of the elements, or of the squares of their differences from `center`.
  template <i64 kGroups, bool kSquares, class T>
  void add_groups(const T* x, i64 rows, i64 first, i64 last, const T* padded, const F* center, F* sums) const {
    const i64 columns = i64(mean.size()), whole = columns < kLanes ? rows - 1 : rows;
    Group sum[kGroups] = {}, means[kGroups] = {};
    // Calls `visit` with the number of each group as a constant, so that the compiler keeps the sums in registers.
    const auto for_each_group = [](auto&& visit) {
      [&]<i64... g>(std::integer_sequence<i64, g...>) {
        (visit(std::integral_constant<i64, g>()), ...);
      }(std::make_integer_sequence<i64, kGroups>());
    };
    const auto add = [&](const T* row, i64 last_group) {
      for_each_group([&](auto g) {
        const Group group = load(row + (g + 1 < kGroups ? kLanes * g : last_group));
        if constexpr (kSquares) {
          const Group difference = group - means[g];
          sum[g] += difference * difference;
        } else {
          sum[g] += group;
        }
      });
    };
    if constexpr (kSquares) for_each_group([&](auto g) { means[g] = load(center + kLanes * g); });
    for (i64 row = 0; row < whole; ++row) add(x + row * columns + first, last - first);
    if (kGroups == 1 && columns < kLanes) add(padded, 0);
    for_each_group([&](auto g) { __builtin_memcpy(sums + kLanes * g, &sum[g], sizeof(Group)); });
  }
  // Many columns: a strip is so narrow that its sums stay in the nearest cache.
  template <i64 kWidth, class T>
  void compute_strip(const T* x, i64 rows, i64 first) {
    const i64 columns = i64(mean.size());
    F sum[kWidth] = {}, center[kWidth];
    for (i64 row = 0; row < rows; ++row) {
      const T* const from = x + row * columns + first;
      for (i64 k = 0; k < kWidth; ++k) sum[k] += F(from[k]);
    }
    for (i64 k = 0; k < kWidth; ++k) {
      center[k] = mean[size_t(first + k)] = divide(sum[k], rows);
      sum[k] = 0;
    }
    for (i64 row = 0; row < rows; ++row) {
      const T* const from = x + row * columns + first;
      for (i64 k = 0; k < kWidth; ++k) {
        const F from_mean = F(from[k]) - center[k];
        sum[k] += from_mean * from_mean;
      }
    }
    for (i64 k = 0; k < kWidth; ++k) var[size_t(first + k)] = divide(sum[k], rows);
  }
};

// The moments of all batches so far. F is the precision in which gymnasium keeps them.
template <class F>
struct RunningMoments {
  std::vector<F> mean, var;
  f64 count = kInitialCount;

  // `initial_weight` is the weight of the initial variance, which is the initial count in the precision of gymnasium's
  // initial moments.
  RunningMoments(i64 columns, F initial_weight)
      : mean(size_t(columns), F(0)), var(size_t(columns), F(1)), initial_weight_(initial_weight) {}

  template <class B>
  void merge(const BatchMoments<B>& batch, i64 rows) {
    const F own = F(count), others = F(rows), total = F(count + f64(rows));
    const F own_weight = count == kInitialCount ? initial_weight_ : own;
    for (size_t k = 0; k < mean.size(); ++k) {
      const F delta = F(batch.mean[k]) - mean[k];
      const F squares = var[k] * own_weight + F(batch.var[k] * B(rows)) + delta * delta * own * others / total;
      mean[k] = mean[k] + delta * others / total;
      var[k] = squares / total;
    }
    count += f64(rows);
  }

  F deviation(size_t k, f64 epsilon) const { return std::sqrt(var[k] + F(epsilon)); }

 private:
  F initial_weight_;
};

// Limits numbers to [-limit, limit]. NaN stays.
inline void clip(f32* values, i64 count, f64 limit) {
  const f32 high = f32(limit);
  if (std::isinf(high)) return;
  for (i64 i = 0; i < count; ++i) values[i] = values[i] < -high ? -high : values[i] > high ? high : values[i];
}

// Normalizes rows by running moments.
template <class F>
class RowNormalizer {
 public:
  explicit RowNormalizer(i64 columns)
      : columns_(columns), tiles_(std::max<i64>(1, 64 / columns)), mean_(size_t(columns * tiles_)), deviation_(mean_) {}

  void prepare(const RunningMoments<F>& moments, f64 epsilon) {
    const size_t columns = size_t(columns_);
    for (size_t k = 0; k < columns; ++k) {
      mean_[k] = moments.mean[k];
      deviation_[k] = moments.deviation(k, epsilon);
    }
    for (size_t k = columns; k < mean_.size(); ++k) {
      mean_[k] = mean_[k - columns];
      deviation_[k] = deviation_[k - columns];
    }
  }
  // `out` may be `x`.
  template <class T>
  void normalize(const T* x, i64 rows, f32* out) const {
    const F *const mean = mean_.data(), *const deviation = deviation_.data();
    const i64 count = rows * columns_, width = i64(mean_.size());
    for (i64 first = 0; first < count; first += width) {
      const i64 end = std::min(width, count - first);
      const T* const from = x + first;
      f32* const to = out + first;
      if (static_cast<const void*>(x) == out) {  // with one pointer, the compiler can use SIMD
        for (i64 k = 0; k < end; ++k) to[k] = f32((F(to[k]) - mean[k]) / deviation[k]);
      } else {
        for (i64 k = 0; k < end; ++k) to[k] = f32((F(from[k]) - mean[k]) / deviation[k]);
      }
    }
  }

 private:
  // Several short rows are normalized at once, so that the loop over their elements is long enough for SIMD.
  const i64 columns_, tiles_;
  std::vector<F> mean_, deviation_;
};

}  // namespace envpool
