// SPDX-License-Identifier: Apache-2.0
//
// The seeds that Python passes to a pool.
#pragma once

#include <pybind11/numpy.h>

#include <string>
#include <vector>

#include "envpool/core/types.h"

namespace envpool::python {

namespace py = pybind11;

// The seed and the stream of each environment's generator, or nothing if Python passed None.
class Seeds {
 public:
  Seeds(const py::object& seeds, const py::object& streams) {
    if (seeds.is_none()) return;
    seeds_ = Array<u64>(seeds);
    streams_ = Array<u32>(streams);
    present_ = true;
  }
  // Throws if there are seeds, but not one for each of `count` environments.
  Seeds(const py::object& seeds, const py::object& streams, i64 count, const std::string& label)
      : Seeds(seeds, streams) {
    if (!present_ || size() == count) return;
    throw py::value_error("[" + label + "] seed: expected " + std::to_string(count) + " seeds, got " +
                          std::to_string(seeds_.size()));
  }

  bool present() const { return present_; }
  // Null if there are none.
  const u64* seeds() const { return present_ ? seeds_.data() : nullptr; }
  const u32* streams() const { return present_ ? streams_.data() : nullptr; }
  // Returns the number of pairs, or -1 if there are more seeds than streams or fewer.
  i64 size() const { return seeds_.size() == streams_.size() ? i64(seeds_.size()) : -1; }
  std::vector<u64> all_seeds() const { return {seeds_.data(), seeds_.data() + seeds_.size()}; }
  std::vector<u32> all_streams() const { return {streams_.data(), streams_.data() + streams_.size()}; }

 private:
  template <class T>
  using Array = py::array_t<T, py::array::c_style | py::array::forcecast>;

  Array<u64> seeds_{};
  Array<u32> streams_{};
  bool present_ = false;
};

}  // namespace envpool::python
