// SPDX-License-Identifier: Apache-2.0
//
// Options of a pool's environments that change after make(). New values take effect when an environment begins its next
// episode. For the host only.
#pragma once

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/core/table/contract_calls.h"
#include "envpool/core/table/made_params.h"
#include "envpool/core/text.h"

namespace envpool {

// The options with which one environment runs. Environments with equal options share Params, so that they can be
// stepped together; shared Params never change.
template <class Env>
struct OptionsOfEnv {
  std::shared_ptr<const typename Env::Params> params;
  i32 max_episode_steps;
};

namespace detail {

// Writes the elements of the value of an option that Params have. Not inlined, as set_member() is not.
__attribute__((noinline)) inline void write_member(void* params, const abi::Tunable& option, const f64* values) {
  u8* member = static_cast<u8*>(params) + option.at;
  for (i32 e = 0; e < option.elements; e += option.one_in, member += dtype_size(option.dtype)) {
    write_number(member, option.dtype, values[e]);
  }
}

}  // namespace detail

// Environments have none of these objects until their options change for the first time. Only the thread that may use
// an environment accesses its object.
template <class Env>
class NextOptions {
 public:
  using Params = typename Env::Params;
  using Options = OptionsOfEnv<Env>;
  static_assert(std::is_trivially_copyable_v<Params>, "portable Params are plain data");

  explicit NextOptions(i32 num_envs) : changes_(size_t(num_envs)) {}
  explicit NextOptions(const abi::Config& config) : NextOptions(config.num_envs) {}

  // Sets options of `count` environments. `values` has a row for each of them, with all elements of each of the
  // options. made(env_id) returns the Params and the time limit with which make() has created an environment. Throws
  // before anything is changed if a value is not allowed.
  template <class Made>
  void set(const i32* env_ids, i32 count, const i32* options, i32 num_options, const f64* values, Made&& made) {
    std::vector<std::unique_ptr<Change>> created(static_cast<size_t>(count));
    std::vector<Options> next;
    next.reserve(size_t(count));
    for (i32 k = 0; k < count; ++k) {
      const std::unique_ptr<Change>& known = changes_[size_t(env_ids[k])];
      if (known == nullptr) {
        const Options first = made(env_ids[k]);
        created[size_t(k)] = std::make_unique<Change>(Change{first.params, first, {}});
      }
      const Change& change = known == nullptr ? *created[size_t(k)] : *known;
      const Options& from = change.next.params == nullptr ? change.now : change.next;
      Params params;
      std::memcpy(static_cast<void*>(&params), from.params.get(), sizeof(Params));  // with its padding
      i32 max_episode_steps = from.max_episode_steps;
      values = change_copies(params, max_episode_steps, env_ids[k], options, num_options, values);
      const Params* const previous = k == 0 ? nullptr : next.back().params.get();
      if (are_equal(params, *change.made)) {
        next.push_back({change.made, max_episode_steps});
      } else if (previous != nullptr && are_equal(params, *previous)) {
        next.push_back({next.back().params, max_episode_steps});
      } else {
        next.push_back({copy_of(params), max_episode_steps});
      }
    }
    for (i32 k = 0; k < count; ++k) {  // nothing throws any more
      std::unique_ptr<Change>& change = changes_[size_t(env_ids[k])];
      if (change == nullptr) change = std::move(created[size_t(k)]);
      change->next = std::move(next[size_t(k)]);
    }
  }

  // Changes options in Params and in the time limit of an environment. Changes nothing if it throws.
  static void change(Params& params, i32& max_episode_steps, i32 env_id, const i32* options, i32 num_options,
                     const f64* values) {
    Params changed;
    std::memcpy(static_cast<void*>(&changed), &params, sizeof(Params));
    i32 limit = max_episode_steps;
    change_copies(changed, limit, env_id, options, num_options, values);
    std::memcpy(static_cast<void*>(&params), &changed, sizeof(Params));
    max_episode_steps = limit;
  }

  // Replaces the options of the current episode, and forgets those of the next one.
  const Options& use(i32 env_id, const Params& params, i32 max_episode_steps) {
    const Options options{copy_of(params), max_episode_steps};
    std::unique_ptr<Change>& change = changes_[size_t(env_id)];
    change = std::make_unique<Change>(Change{options.params, options, {}});
    return change->now;
  }

  // Returns the options of the episode that an environment begins, if they differ from those before; else null.
  const Options* begin(i32 env_id) {
    Change* const change = changes_[size_t(env_id)].get();
    if (change == nullptr || change->next.params == nullptr) return nullptr;
    change->now = std::exchange(change->next, {});
    return &change->now;
  }

  // Writes the values of all options: the time limit, and then all elements of the tunable options in the order of
  // their declaration.
  static void read(i32, const Params& params, i32 max_episode_steps, f64* values) {
    *values++ = max_episode_steps;
    for (const abi::Tunable& option : tunables_of<Env>()) {
      const u8* member = reinterpret_cast<const u8*>(&params) + option.at;
      for (i32 e = 0; e < option.elements; e += option.one_in, member += dtype_size(option.dtype)) {
        *values++ = read_number(member, option.dtype);
        for (i32 k = 1; k < option.one_in; ++k) *values++ = 0;
      }
    }
  }

 private:
  // Changes options, and returns the values after those of this environment. If it throws, some may have changed.
  static const f64* change_copies(Params& params, i32& max_episode_steps, i32 env_id, const i32* options,
                                  i32 num_options, const f64* values) {
    const i64 extra_bytes = extra_bytes_of<Env>(params);
    for (i32 i = 0; i < num_options; ++i) {
      const abi::Tunable& option = tunable_numbered<Env>(options[i]);
      for (i32 e = 0; e < option.elements; ++e) {
        if (!(values[e] >= option.low && values[e] <= option.high)) refuse(option, values[e], env_id);
      }
      if (options[i] == abi::kTimeLimit) {
        max_episode_steps = i32(*values);
      } else {
        detail::write_member(&params, option, values);
      }
      values += option.elements;
    }
    derive<Env>(params);
    try {
      validate<Env>(params);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(error.what() + (" in " + name_of(env_id)));
    }
    if (extra_bytes_of<Env>(params) != extra_bytes) {
      throw std::invalid_argument("expected options that do not change the size of a state, got one that does in " +
                                  name_of(env_id));
    }
    return values;
  }

  struct Change {
    std::shared_ptr<const Params> made;
    Options now, next;  // next.params is null if nothing changes at the next episode
  };

  static bool are_equal(const Params& a, const Params& b) {
    return std::memcmp(static_cast<const void*>(&a), static_cast<const void*>(&b), sizeof(Params)) == 0;
  }
  static std::shared_ptr<const Params> copy_of(const Params& params) {
    auto copy = std::make_shared<Params>();
    std::memcpy(static_cast<void*>(copy.get()), static_cast<const void*>(&params), sizeof(Params));
    return copy;
  }
  static std::string name_of(i32 env_id) { return "environment " + std::to_string(env_id); }
  [[noreturn]] static void refuse(const abi::Tunable& option, f64 value, i32 env_id) {
    throw std::invalid_argument(expected_of(option) + ", got " + (value == value ? to_text(value) : "nan") + " in " +
                                name_of(env_id));
  }

  std::vector<std::unique_ptr<Change>> changes_;  // of each environment; allocated by its first change
};

}  // namespace envpool
