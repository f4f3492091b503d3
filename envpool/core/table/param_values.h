// SPDX-License-Identifier: Apache-2.0
//
// The parameter rows that callers of pure functions hold: a head, and the values of the options, an f64 each. A row is
// user input. What depends on the environment's types is in pure_params.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/core/table/model.h"
#include "envpool/core/text.h"

namespace envpool {

class ParamValues {
 public:
  using Head = ParamsHead;

  // `name` is the environment's, for error texts.
  ParamValues(OptionSpecs specs, const char* name) : specs_(std::move(specs)), name_(name) {}

  const OptionSpecs& specs() const { return specs_; }
  static i64 rounded(i64 bytes) { return (bytes + 15) / 16 * 16; }
  i64 values_bytes() const { return rounded(i64(specs_.list.size() * sizeof(f64))); }
  i64 row_bytes() const { return i64(sizeof(Head)) + values_bytes(); }

  void write(u32 tag, i32 max_episode_steps, const OptionValues& values, u8* out) const {
    std::memset(out, 0, size_t(row_bytes()));
    f64* value = reinterpret_cast<f64*>(out + sizeof(Head));
    for (const OptionSpec& option : specs_.list) *value++ = number(option, values);
    Head head{tag, max_episode_steps, 0};
    std::memcpy(out, &head, sizeof(Head));
    head.checksum = checksum_of(out, values);
    std::memcpy(out, &head, sizeof(Head));
  }

  // The options of a row, some of which have been changed.
  struct Changed {
    i32 max_episode_steps;
    std::vector<abi::Option> options;
  };
  // Checks a row, which must have the tag, and changes the options with the given numbers; -1 is max_episode_steps.
  // Texts without choices are those of `base`. `row` is the row's number for error texts.
  Changed changed(u32 tag, const u8* from, i64 row, const abi::Options& base, i32 count, const i32* numbers,
                  const f64* new_values) const {
    Head head;
    std::memcpy(&head, from, sizeof(head));
    const bool good = head.tag == tag && head.checksum == checksum_of(from, OptionValues(specs_, base));
    if (!good || head.max_episode_steps < 0) reject("params", row);
    std::vector<f64> values(specs_.list.size());
    std::memcpy(values.data(), from + sizeof(Head), values.size() * sizeof(f64));
    for (i32 i = 0; i < count; ++i) {
      if (numbers[i] < 0) {
        head.max_episode_steps = i32(in_range("max_episode_steps", new_values[i], 0, 2147483647));
        continue;
      }
      values[size_t(numbers[i])] = new_values[i];
    }
    // All values are checked, changed or not, because a user can forge the checksum of a row.
    for (size_t i = 0; i < values.size(); ++i) values[i] = valid_value(specs_.list[i], values[i]);
    Changed result{head.max_episode_steps, {}};
    for (size_t i = 0; i < values.size(); ++i) {
      const OptionSpec& option = specs_.list[i];
      const std::string* text = option.choices.empty() ? nullptr : &option.choices[size_t(values[i])];
      if (option.kind == abi::kOptionText && text == nullptr) {
        for (i32 k = 0; k < base.size; ++k) {
          if (option.name == base.data[k].name) result.options.push_back(base.data[k]);
        }
        continue;
      }
      const bool whole = option.kind == abi::kOptionInt ||
                         option.kind == abi::kOptionBool;  // an option of another kind may be too large for i64
      result.options.push_back({option.name.c_str(), option.kind, whole ? i64(values[i]) : 0, values[i],
                                text == nullptr ? nullptr : text->data(), text == nullptr ? 0 : i64(text->size())});
    }
    return result;
  }

  [[noreturn]] void reject(const char* what, i64 row) const {
    throw std::invalid_argument(std::string(what) + ": expected rows of " + name_ +
                                " with the options of this environment, got another kind in row " +
                                std::to_string(row));
  }

 private:
  static f64 in_range(const std::string& name, f64 value, f64 low, f64 high) {
    if (value >= low && value <= high) return value;
    throw std::invalid_argument(name + ": expected a number from " + to_text(low) + " to " + to_text(high) + ", got " +
                                to_text(value));
  }
  static f64 valid_value(const OptionSpec& option, f64 value) {
    if (option.kind == abi::kOptionReal) return in_range(option.name, value, option.low, option.high);
    f64 low = std::max(option.low, -0x1p53), high = std::min(option.high, 0x1p53);  // exact in an f64
    if (option.kind == abi::kOptionBool) {
      low = 0;
      high = 1;
    } else if (option.kind == abi::kOptionText) {
      low = 0;
      high = option.choices.empty() ? 0 : f64(option.choices.size() - 1);
    }
    if (f64(i64(in_range(option.name, value, low, high))) == value) return value;
    throw std::invalid_argument(option.name + ": expected a whole number, got " + to_text(value));
  }
  static f64 number(const OptionSpec& option, const OptionValues& values) {
    if (option.kind != abi::kOptionText) return values.real(option.name);
    for (size_t i = 0; i < option.choices.size(); ++i) {
      if (option.choices[i] == values.text(option.name)) return f64(i);
    }
    return 0;
  }

  // Returns the checksum of a row. Texts without choices are not part of the row, but determine its meaning, so the
  // checksum covers them too, except those that the tag covers.
  u64 checksum_of(const u8* row, const OptionValues& texts) const {
    u64 checksum = 0x9E3779B97F4A7C15u;
    const auto mix = [&](u64 word) {
      checksum = (checksum ^ word) * 0xD1342543DE82EF95u;
      checksum ^= checksum >> 32;
    };
    for (i64 at = 0; at < row_bytes(); at += 8) {
      u64 word;
      std::memcpy(&word, row + at, sizeof(word));
      if (at != i64(offsetof(Head, checksum))) mix(word);
    }
    for (const OptionSpec& option : specs_.list) {
      if (option.kind != abi::kOptionText || !option.choices.empty() || option.shapes) continue;
      for (const char letter : texts.text(option.name)) mix(u8(letter));
      mix(~u64{0});
    }
    return checksum;
  }

  const OptionSpecs specs_;
  const char* const name_;
};

}  // namespace envpool
