// SPDX-License-Identifier: Apache-2.0
//
// The parameter rows of pure functions (pure.h): from options to a row, and the check and change of a caller's rows. A
// parameter row contains the values of the options. The Params that the environment uses are computed from these values
// and stored in the resolved row, which callers hold only with a signature (signature.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/table/model.h"
#include "envpool/core/text.h"

namespace envpool {

template <class Env>
struct PureParams {
  using Params = typename Env::Params;
  // In a parameter row, one f64 for each declared option follows the header. In a resolved row, Params comes next.
  using Head = ParamsHead;
  static_assert(alignof(Params) <= 16, "rows start on 16 bytes");

  static i64 rounded(i64 bytes) { return (bytes + 15) / 16 * 16; }
  static i64 values_bytes() { return rounded(i64(specs().list.size() * sizeof(f64))); }
  static i64 params_bytes(void*) { return i64(sizeof(Head)) + values_bytes(); }
  static i64 resolved_bytes(void* model) { return params_bytes(model) + rounded(sizeof(Params)); }

  static const OptionSpecs& specs() {
    static const OptionSpecs list = [] {
      OptionSpecs declared;
      Env::options(declared);
      return declared;
    }();
    return list;
  }

  static void params(void* model, const abi::Options& options, i32 max_episode_steps, u8* out) {
    const OptionValues values(specs(), options);
    std::memset(out, 0, size_t(resolved_bytes(model)));
    f64* value = reinterpret_cast<f64*>(out + sizeof(Head));
    for (const OptionSpec& option : specs().list) *value++ = number(option, values);
    Params resolved = cast(model).params;
    if constexpr (requires { resolved.blob; }) resolved.blob = nullptr;
    if constexpr (requires { resolved.native; }) resolved.native = nullptr;
#if defined(__has_builtin) && __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&resolved);  // so that equal options give equal rows
#endif
    std::memcpy(out + params_bytes(model), &resolved, sizeof(Params));
    Head head{cast(model).tag, max_episode_steps, 0};
    std::memcpy(out, &head, sizeof(Head));
    head.checksum = checksum_of(out, values);
    std::memcpy(out, &head, sizeof(Head));
  }

  template <class MakeModel>
  static void change_params(void* base_model, const u8* from, i64 row, const abi::Options& base, i32 count,
                            const i32* changed, const f64* new_values, u8* out, MakeModel&& make_model) {
    Head head;
    std::memcpy(&head, from, sizeof(head));
    const bool good =
        head.tag == cast(base_model).tag && head.checksum == checksum_of(from, OptionValues(specs(), base));
    if (!good || head.max_episode_steps < 0) reject("params", row);
    std::vector<f64> values(specs().list.size());
    std::memcpy(values.data(), from + sizeof(Head), values.size() * sizeof(f64));
    for (i32 i = 0; i < count; ++i) {
      if (changed[i] < 0) {
        head.max_episode_steps = i32(in_range("max_episode_steps", new_values[i], 0, 2147483647));
        continue;
      }
      values[size_t(changed[i])] = new_values[i];
    }
    // All values are checked, changed or not, because a user can forge the checksum of a row.
    for (size_t i = 0; i < values.size(); ++i) values[i] = valid_value(specs().list[i], values[i]);
    std::vector<abi::Option> options;
    for (size_t i = 0; i < values.size(); ++i) {
      const OptionSpec& option = specs().list[i];
      const std::string* text = option.choices.empty() ? nullptr : &option.choices[size_t(values[i])];
      if (option.kind == abi::kOptionText && text == nullptr) {
        for (i32 k = 0; k < base.size; ++k) {
          if (option.name == base.data[k].name) options.push_back(base.data[k]);
        }
        continue;
      }
      const bool whole = option.kind == abi::kOptionInt ||
                         option.kind == abi::kOptionBool;  // an option of another kind may be too large for i64
      options.push_back({option.name.c_str(), option.kind, whole ? i64(values[i]) : 0, values[i],
                         text == nullptr ? nullptr : text->data(), text == nullptr ? 0 : i64(text->size())});
    }
    const abi::Options all{options.data(), i32(options.size())};
    auto model = make_model(all);
    if (!model->same_as(cast(base_model))) {
      throw std::invalid_argument(
          "params: expected the values that make() got for options that change array shapes or shared data, "
          "got other values");
    }
    params(model.get(), all, head.max_episode_steps, out);
    if (count == 0 && std::memcmp(out, from, size_t(params_bytes(base_model))) != 0) reject("params", row);
  }

 protected:
  static Model<Env>& cast(void* model) { return *static_cast<Model<Env>*>(model); }

  [[noreturn]] static void reject(const char* what, i64 row) {
    throw std::invalid_argument(std::string(what) + ": expected rows of " + Env::kName +
                                " with the options of this environment, got another kind in row " +
                                std::to_string(row));
  }
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

  // Returns the checksum of a parameter row. Texts without choices are not part of the row, but determine its meaning,
  // so the checksum covers them too, except those that the tag covers.
  static u64 checksum_of(const u8* row, const OptionValues& texts) {
    u64 checksum = 0x9E3779B97F4A7C15u;
    const auto mix = [&](u64 word) {
      checksum = (checksum ^ word) * 0xD1342543DE82EF95u;
      checksum ^= checksum >> 32;
    };
    for (i64 at = 0; at < i64(sizeof(Head)) + values_bytes(); at += 8) {
      u64 word;
      std::memcpy(&word, row + at, sizeof(word));
      if (at != i64(offsetof(Head, checksum))) mix(word);
    }
    for (const OptionSpec& option : specs().list) {
      if (option.kind != abi::kOptionText || !option.choices.empty() || option.shapes) continue;
      for (const char letter : texts.text(option.name)) mix(u8(letter));
      mix(~u64{0});
    }
    return checksum;
  }
};

}  // namespace envpool
