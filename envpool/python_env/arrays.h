// SPDX-License-Identifier: Apache-2.0
//
// Reads the arrays of a Python environment from the text that spaces.py writes. For each array, the text has its kind
// ("obs", "info" or "action"), name, dtype, and number of categories (0: not discrete). Four lists follow, each after
// its length: the shape, the lowest values, the highest values, and the categories of each element if they differ.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/core/table/spec.h"
#include "envpool/core/text.h"
#include "envpool/python_env/shared_memory.h"

namespace envpool::python_env {

// Reads a field, beginning with word `next`, which is then the first word after it.
inline FieldSpec read_field(const std::vector<std::string>& words, size_t& next) {
  const auto word = [&]() -> const std::string& {
    if (next >= words.size()) throw std::invalid_argument("arrays: expected more words");
    return words[next++];
  };
  const auto read = [&](auto parse) {
    const auto value = parse(word());
    if (!value) throw std::invalid_argument("arrays: expected a number, got '" + words[next - 1] + "'");
    return *value;
  };
  const auto number = [&] { return read(parse_real); };
  const auto integer = [&] { return read(parse_integer); };
  FieldSpec field;
  field.name = word();
  const std::string dtype = word();
  for (i32 i = 0; i < 6; ++i) {
    if (dtype == dtype_name(Dtype(i))) field.dtype = Dtype(i);
  }
  field.discrete = integer();
  for (i64 left = integer(); left > 0; --left) field.shape.push_back(integer());
  field.low.clear();
  for (i64 left = integer(); left > 0; --left) field.low.push_back(number());
  field.high.clear();
  for (i64 left = integer(); left > 0; --left) field.high.push_back(number());
  for (i64 left = integer(); left > 0; --left) field.counts.push_back(integer());
  return field;
}

inline void read_arrays(const std::string& text, Spec& spec) {
  const std::vector<std::string> words = split_words(text);
  for (size_t next = 0; next < words.size();) {
    const std::string& kind = words[next++];
    FieldSpec field = read_field(words, next);
    if (kind == "action") {
      spec.actions.push_back(std::move(field));
    } else {
      spec.fields.push_back(std::move(field));
      spec.is_info.push_back(kind == "info");
    }
  }
}

// Returns the size of the rows in shared memory: of the actions, then of the arrays. Each begins at a multiple of 64.
inline i64 shared_row_bytes(const Spec& spec) {
  i64 bytes = 0;
  for (const FieldSpec& field : spec.actions) bytes += round_up(field.row_bytes());
  for (const FieldSpec& field : spec.fields) bytes += round_up(field.row_bytes());
  return bytes;
}

}  // namespace envpool::python_env
