// SPDX-License-Identifier: Apache-2.0
//
// Options of host environments that change after make() (changing_options() in env.h), as next_options.h has them for
// portable environments. For the host only.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/core/table/made_params.h"
#include "envpool/core/table/model.h"
#include "envpool/core/table/next_options.h"

namespace envpool {

// Environments have none of these objects until their options change for the first time. Only the thread that may use
// an environment accesses its object.
template <class Env>
class NextHostOptions {
 public:
  using Setup = decltype(Env::setup(std::declval<const typename Env::Params&>(), static_cast<const f64*>(nullptr)));
  // The options of an episode. Environments with equal values share a setup.
  struct Options {
    std::shared_ptr<const std::vector<f64>> values;  // null in `next` if nothing changes at the next episode
    Setup setup;                                     // null: as make() has created the environment
    i32 max_episode_steps;
  };

  explicit NextHostOptions(const abi::Config& config) : changes_(size_t(config.num_envs)) {
    for (i32 i = 0; i < config.num_envs; ++i) models_.push_back(static_cast<const Model<Env>*>(config.models[i]));
  }

  // Sets options, as NextOptions::set() does. Throws before anything is changed if a value is not allowed.
  template <class Made>
  void set(const i32* env_ids, i32 count, const i32* options, i32 num_options, const f64* values, Made&& made) {
    std::vector<std::unique_ptr<Change>> created(static_cast<size_t>(count));
    std::vector<Options> next;
    next.reserve(size_t(count));
    for (i32 k = 0; k < count; ++k) {
      const i32 env_id = env_ids[k];
      const Model<Env>& model = *models_[size_t(env_id)];
      const std::unique_ptr<Change>& known = changes_[size_t(env_id)];
      if (known == nullptr) {
        created[size_t(k)] =
            std::make_unique<Change>(Change{{model.made_values, {}, made(env_id).max_episode_steps}, {}});
      }
      const Change& change = known == nullptr ? *created[size_t(k)] : *known;
      const Options& from = change.next.values == nullptr ? change.now : change.next;
      std::vector<f64> numbers = *from.values;
      i32 max_episode_steps = from.max_episode_steps;
      for (i32 i = 0; i < num_options; ++i) {
        const abi::Tunable& option =
            options[i] == abi::kTimeLimit ? time_limit() : model.tunables.at(size_t(options[i]));
        for (i32 e = 0; e < option.elements; ++e) {
          if (std::isfinite(values[e]) && values[e] >= option.low && values[e] <= option.high) continue;
          throw std::invalid_argument(expected_of(option) + ", got " + to_text(values[e]) + in(env_id));
        }
        if (options[i] == abi::kTimeLimit) {
          max_episode_steps = i32(*values);
        } else {
          std::copy_n(values, option.elements, numbers.begin() + option.at);
        }
        values += option.elements;
      }
      const Options* const previous = k == 0 || models_[size_t(env_ids[k - 1])] != &model ? nullptr : &next.back();
      next.push_back(options_of(model, numbers, change, previous, env_id));
      next.back().max_episode_steps = max_episode_steps;
    }
    for (i32 k = 0; k < count; ++k) {  // nothing throws any more
      std::unique_ptr<Change>& change = changes_[size_t(env_ids[k])];
      if (change == nullptr) change = std::move(created[size_t(k)]);
      change->next = std::move(next[size_t(k)]);
    }
  }

  // Returns the options of the episode that an environment begins, if they differ from those before; else null.
  const Options* begin(i32 env_id) {
    Change* const change = changes_[size_t(env_id)].get();
    if (change == nullptr || change->next.values == nullptr) return nullptr;
    change->now = std::exchange(change->next, {});
    return &change->now;
  }

  // Writes the options of the current episode: the time limit, and then all elements of the others.
  void read(i32 env_id, const typename Env::Params&, i32 max_episode_steps, f64* values) const {
    *values++ = max_episode_steps;
    const Change* const change = changes_[size_t(env_id)].get();
    const auto& numbers = change == nullptr ? models_[size_t(env_id)]->made_values : change->now.values;
    std::copy(numbers->begin(), numbers->end(), values);
  }

 private:
  struct Change {
    Options now, next;
  };

  static std::string in(i32 env_id) { return " in environment " + std::to_string(env_id); }

  // Returns the options with these values. `previous` are those of an environment of the same model, or null.
  static Options options_of(const Model<Env>& model, std::vector<f64>& numbers, const Change& change,
                            const Options* previous, i32 env_id) {
    if (numbers == *model.made_values) return {model.made_values, {}, 0};
    for (const Options* known : {previous, &change.now, &change.next}) {
      if (known != nullptr && known->values != nullptr && *known->values == numbers) return *known;
    }
    try {
      Setup setup = Env::setup(model.params, numbers.data());
      return {std::make_shared<const std::vector<f64>>(std::move(numbers)), std::move(setup), 0};
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(error.what() + in(env_id));
    }
  }

  std::vector<const Model<Env>*> models_;         // of each environment
  std::vector<std::unique_ptr<Change>> changes_;  // of each environment; allocated by its first change
};

// The class of what keeps the options of the next episodes.
struct FixedOptions {
  explicit FixedOptions(const abi::Config&) {}
};
template <class Env, class Contract>
struct NextOptionsFrom {
  using Type = FixedOptions;
};
template <class Env, class Contract>
  requires((Contract::kFlags & abi::kPortable) != 0)
struct NextOptionsFrom<Env, Contract> {
  using Type = NextOptions<Env>;
};
template <class Env, class Contract>
  requires HasChangingOptions<Env>
struct NextOptionsFrom<Env, Contract> {
  using Type = NextHostOptions<Env>;
};

}  // namespace envpool
