// SPDX-License-Identifier: Apache-2.0
//
// The Params of an environment from the options that make() got, and the list of its tunable options (vtable.h). For
// the host only.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/table/spec.h"
#include "envpool/core/table/tunables.h"

namespace envpool {

namespace detail {

// Narrows the range of an option to the numbers that the member that it sets can hold.
inline void fit_to_member(OptionSpec& option) {
  const auto within = [&](f64 low, f64 high) {
    option.low = std::max(option.low, low);
    option.high = std::min(option.high, high);
  };
  if (option.member == abi::kBool) within(0, 1);
  if (option.member == abi::kU8) within(0, 255);
  if (option.member == abi::kI32) within(kLeastI32, kMostI32);
}

}  // namespace detail

// Returns the options that an environment declares. Throws if one of them cannot have an effect.
template <class Env>
OptionSpecs declared_options() {
  constexpr bool are_read = requires(const OptionValues& values) { Env::params(values); } ||
                            requires(const OptionValues& values) { Env::blob(values); };
  OptionSpecs declared;
  Env::options(declared);
  for (OptionSpec& option : declared.list) {
    if (option.member_at < 0) {
      if (are_read && !option.is_array) continue;
      throw std::logic_error("'" + option.name + "' has no sets(), and there is no params() that reads it");
    }
    if (option.member_at + option.elements_of_member() * dtype_size(option.member) >
        i64(sizeof(typename Env::Params))) {
      throw std::logic_error("'" + option.name + "' sets a member of another class than Params");
    }
    if (option.kind == abi::kOptionReal && option.member != abi::kF32 && option.member != abi::kF64) {
      throw std::logic_error("'" + option.name + "' is a real number, but sets a member that holds only integers");
    }
    detail::fit_to_member(option);
    if (option.is_array == option.shape.empty()) {
      throw std::logic_error("'" + option.name + "' and the member that it sets are not both arrays");
    }
    if (option.is_array && i64(option.numbers.size()) != option.elements()) {
      throw std::logic_error("'" + option.name + "' has " + std::to_string(option.numbers.size()) +
                             " values, but its array has " + std::to_string(option.elements()));
    }
  }
  return declared;
}

// Returns these options, without declaring them again. Hidden, because the linker would otherwise share the static
// object between plugins whose environments have the same C++ name.
template <class Env>
__attribute__((visibility("hidden"))) const OptionSpecs& specs_of() {
  static const OptionSpecs specs = declared_options<Env>();
  return specs;
}

namespace detail {

// Returns the number that an option's member of Params gets.
inline f64 number_of(const OptionSpec& option, const OptionValues& values) {
  if (option.kind == abi::kOptionReal) return values.real(option.name);
  if (option.kind != abi::kOptionText) return f64(values.integer(option.name));
  const std::string_view text = values.text(option.name);
  const auto found = std::find(option.choices.begin(), option.choices.end(), text);
  if (found == option.choices.end()) {
    throw std::invalid_argument(option.name + ": expected one of its choices, got '" + std::string(text) + "'");
  }
  return f64(found - option.choices.begin());
}

// Writes the value of an option into the member that it sets. Not inlined, because the compiler would warn of writes to
// members of other types, which do not happen.
__attribute__((noinline)) inline void set_member(void* params, const OptionSpec& option, const OptionValues& values) {
  u8* member = static_cast<u8*>(params) + option.member_at;
  if (option.is_array) {
    const auto numbers = values.numbers(option.name);
    for (i64 e = 0; e < i64(numbers.size()); e += option.one_in, member += dtype_size(option.member)) {
      write_number(member, option.member, numbers[size_t(e)]);
    }
  } else if (option.kind == abi::kOptionInt &&
             option.member == abi::kI64) {  // exact, even if an f64 has too few digits
    *reinterpret_cast<i64*>(member) = values.integer(option.name);
  } else {
    write_number(member, option.member, number_of(option, values));
  }
}

// Returns a tunable option, with the bounds that its kind implies.
inline abi::Tunable tunable_of(const OptionSpec& option) {
  abi::Tunable tunable{option.name.c_str(),
                       option.kind,
                       option.member,
                       option.member_at,
                       option.low,
                       option.high,
                       i32(option.shape.size()),
                       i32(option.elements()),
                       option.shape.data(),
                       i32(option.one_in)};
  const auto within = [&](f64 low, f64 high) {
    tunable.low = std::max(tunable.low, low);
    tunable.high = std::min(tunable.high, high);
  };
  if (option.kind == abi::kOptionInt) within(-kMostI64, kMostI64);
  if (option.kind == abi::kOptionBool) within(0, 1);
  if (option.kind == abi::kOptionText) within(0, f64(option.choices.size()) - 1);
  return tunable;
}

}  // namespace detail

// Throws std::invalid_argument if the environment cannot run with these parameters.
template <class Env>
void validate(const typename Env::Params& params) {
  if constexpr (requires { Env::validate(params); }) Env::validate(params);
}

// Returns the Params of these options: what params() returns, if the environment has it, with the members that options
// set, and then those that derive() computes.
template <class Env>
typename Env::Params made_params(const OptionValues& values) {
  using Params = typename Env::Params;
  Params params = [&]() -> Params {
    if constexpr (requires { Env::params(values); }) {
      return Env::params(values);
    } else {
      return Params{};
    }
  }();
  for (const OptionSpec& option : specs_of<Env>().list) {
    if (option.member_at >= 0) detail::set_member(&params, option, values);
  }
  derive<Env>(params);
  validate<Env>(params);
  return params;
}

// Hidden as specs_of() is.
template <class Env>
__attribute__((visibility("hidden"))) const std::vector<abi::Tunable>& tunables_of() {
  static const std::vector<abi::Tunable> list = [] {
    std::vector<abi::Tunable> found;
    for (const OptionSpec& option : specs_of<Env>().list) {
      if (option.is_tunable()) found.push_back(detail::tunable_of(option));
    }
    return found;
  }();
  return list;
}

// Returns the time limit as an option.
inline const abi::Tunable& time_limit() {
  static const abi::Tunable limit{"max_episode_steps", abi::kOptionInt, abi::kI32, 0, 0, kMostI32, 0, 1};
  return limit;
}

// Returns the tunable option of this number, or the time limit for abi::kTimeLimit.
template <class Env>
const abi::Tunable& tunable_numbered(i32 number) {
  if (number == abi::kTimeLimit) return time_limit();
  const std::vector<abi::Tunable>& tunables = tunables_of<Env>();
  if (number < 0 || number >= i32(tunables.size())) {
    throw std::logic_error("options: expected the number of an option that can differ between environments");
  }
  return tunables[size_t(number)];
}

}  // namespace envpool
