// SPDX-License-Identifier: Apache-2.0
//
// Checks that moments of matrices of all widths have the bits of sums in NumPy's order: rows one after the other.
// tests/python/normalization_test.py compares them with gymnasium.
#include "envpool/core/pool/running_moments.h"

#include <cstring>
#include <string>
#include <vector>

#include "envpool/core/math/rng.h"
#include "tests/support/testing.h"

namespace envpool {

template <class F, class T>
void compare(i64 rows, i64 columns, Rng& rng) {
  std::vector<T> x(size_t(rows * columns));
  for (T& value : x) value = T(rng.uniform(0, 200) - (T(-1) < T(0) ? 100 : 0));
  std::vector<F> mean(static_cast<size_t>(columns)), var(mean);
  for (size_t k = 0; k < mean.size(); ++k) {
    F sum = 0, squares = 0;
    for (size_t row = 0; row < size_t(rows); ++row) sum += F(x[row * mean.size() + k]);
    mean[k] = F(f64(sum) / f64(rows));
    for (size_t row = 0; row < size_t(rows); ++row) {
      const F difference = F(x[row * mean.size() + k]) - mean[k];
      squares += difference * difference;
    }
    var[k] = F(f64(squares) / f64(rows));
  }
  BatchMoments<F> moments(columns);
  moments.compute(x.data(), rows);
  const auto equal = [](const std::vector<F>& a, const std::vector<F>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(F)) == 0;
  };
  const bool same = equal(moments.mean, mean) && equal(moments.var, var);
  CHECK_EQ(same ? "" : std::to_string(rows) + " rows, " + std::to_string(columns) + " columns", std::string());
}

TEST(sums_of_columns_are_in_the_order_of_rows) {
  Rng rng{.seed = 3};
  for (i64 columns = 2; columns <= 90; ++columns) {
    for (const i64 rows : {1, 2, 3, 7, 50}) {
      compare<f32, f32>(rows, columns, rng);
      compare<f64, f64>(rows, columns, rng);
      compare<f64, u8>(rows, columns, rng);
      compare<f64, i64>(rows, columns, rng);
      compare<f64, f32>(rows, columns, rng);
    }
  }
}

}  // namespace envpool

TEST_MAIN()
