// SPDX-License-Identifier: Apache-2.0
//
// Enlarges a square grid by cubic spline interpolation, like scipy.ndimage.zoom: corners are preserved, and the grid is
// mirrored at its edges. Method: M. Unser (1999), "Splines: a perfect fit for signal and image processing".
#pragma once

#include <vector>

#include "envpool/core/portable.h"

namespace envpool::mujoco::dmc {

class SplineZoom {
 public:
  // Enlarges `small` x `small` to `large` x `large`; both are at least 2.
  SplineZoom(int small, int large) : small_(small), large_(large) {
    for (int i = 0; i < large; ++i) {
      const f64 at = f64(i) * (f64(small - 1) / f64(large - 1));
      const int left = int(floor(at));
      const f64 x = at - left, y = 1 - x;
      Taps taps{};
      taps.weight[0] = y * y * y / 6;
      taps.weight[1] = (x * x * (x - 2) * 3 + 4) / 6;
      taps.weight[2] = (y * y * (y - 2) * 3 + 4) / 6;
      taps.weight[3] = 1 - taps.weight[0] - taps.weight[1] - taps.weight[2];
      for (int k = 0; k < 4; ++k) taps.index[k] = mirrored(left - 1 + k);
      taps_.push_back(taps);
    }
  }

  std::vector<f64> operator()(std::vector<f64> grid) const {
    for (int i = 0; i < small_; ++i) to_coefficients(grid.data() + i, small_);
    for (int i = 0; i < small_; ++i) to_coefficients(grid.data() + i * small_, 1);
    std::vector<f64> rows(size_t(large_) * size_t(small_)), out(size_t(large_) * size_t(large_));
    for (int row = 0; row < large_; ++row) {
      for (int column = 0; column < small_; ++column) {
        rows[size_t(row * small_ + column)] = sum(taps_[size_t(row)], grid.data() + column, small_);
      }
      for (int column = 0; column < large_; ++column) {
        out[size_t(row * large_ + column)] = sum(taps_[size_t(column)], rows.data() + row * small_, 1);
      }
    }
    return out;
  }

 private:
  struct Taps {
    int index[4];
    f64 weight[4];
  };
  static f64 sum(const Taps& taps, const f64* line, int stride) {
    f64 total = 0;
    for (int k = 0; k < 4; ++k) total += taps.weight[k] * line[taps.index[k] * stride];
    return total;
  }
  int mirrored(int i) const {
    const int period = 2 * (small_ - 1);
    i = ((i % period) + period) % period;
    return i < small_ ? i : period - i;
  }
  // Converts values to spline coefficients, by a recursive filter in both directions.
  void to_coefficients(f64* line, int stride) const {
    const f64 pole = sqrt(3.0) - 2;
    const auto at = [&](int i) -> f64& { return line[i * stride]; };
    const int last = small_ - 1;
    for (int i = 0; i <= last; ++i) at(i) *= (1 - pole) * (1 - 1 / pole);
    f64 power = pole, pole_power = 1;
    for (int i = 0; i < last; ++i) pole_power *= pole;
    f64 first = at(0) + pole_power * at(last);
    for (int i = 1; i < last; ++i, power *= pole) first += power * (at(i) + pole_power * at(last - i));
    at(0) = first / (1 - pole_power * pole_power);
    for (int i = 1; i <= last; ++i) at(i) += pole * at(i - 1);
    at(last) = pole / (pole * pole - 1) * (at(last) + pole * at(last - 1));
    for (int i = last - 1; i >= 0; --i) at(i) = pole * (at(i + 1) - at(i));
  }

  int small_, large_;
  std::vector<Taps> taps_;
};

}  // namespace envpool::mujoco::dmc
