// SPDX-License-Identifier: Apache-2.0
//
// The running mean and variance of the rows of a matrix, computed with the operations of gymnasium's RunningMeanStd and
// of NumPy 2, in their order and precision, so that the bits are equal. The order does not depend on threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "envpool/core/math/numpy_sum.h"
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
    for (; first + 16 <= columns; first += 16) compute_strip<16>(x, rows, first);
    for (; first + 4 <= columns; first += 4) compute_strip<4>(x, rows, first);
    if (columns - first == 3) compute_strip<3>(x, rows, first);
    if (columns - first == 2) compute_strip<2>(x, rows, first);
    if (columns - first == 1) compute_strip<1>(x, rows, first);
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
  // NumPy adds the elements of several columns in the order of the rows. A strip is so narrow that its sums stay in
  // registers or in the nearest cache.
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
