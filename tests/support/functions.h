// SPDX-License-Identifier: Apache-2.0
//
// Lets tests call portable environments without a pool, through ctypes (capi.py), with n states at a time. A state is
// passed as its bytes in memory, followed by its extra bytes. State i draws from stream i, so that n equal states give
// n independent samples.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/plugin.h"

namespace envpool::testing {

// The functions of an environment with fixed options.
template <class Env>
struct Functions {
  using State = StateOf<Env>;
  static constexpr bool kWorld = requires { Env::kMaxPlayers; };

  typename Env::Params params;
  Blob blob{};
  Spec spec{};
  i64 stride;
  std::vector<i64> row_bytes{}, action_bytes{};

  explicit Functions(const abi::Options* options) {
    OptionSpecs specs;
    Env::options(specs);
    const OptionValues values(specs, *options);
    params = made_params<Env>(values);
    if constexpr (requires { Env::blob(values); }) {
      blob = Env::blob(values);
      params.blob = blob.data();
      if constexpr (requires { params.native; }) params.native = blob.native();
    }
    stride = i64(sizeof(State)) + extra_bytes_of<Env>(params);
    Env::spec(params, spec);
    for (const FieldSpec& field : spec.fields) row_bytes.push_back(field.row_bytes());
    for (const FieldSpec& field : spec.actions) action_bytes.push_back(field.row_bytes());
  }

  void reset(u64 seed, u32 episode, u8* states, i64 n) const {
    for (i64 i = 0; i < n; ++i) {
      Rng rng{.seed = seed, .stream = u32(i), .episode = episode};
      Env::reset(state(states, i), params, rng);
    }
  }
  // Actions and rewards have a row for each player.
  void step(u64 seed, u8* states, const void* actions, f32* rewards, u8* terminated, i64 n) const {
    for (i64 i = 0; i < n; ++i) {
      Episode episode;
      episode.rng = {.seed = seed, .stream = u32(i), .episode = 1};
      const ActionRow action{&actions, action_bytes.data(), i * spec.max_players};
      Outcome outcome;
      if constexpr (kWorld) {
        outcome = WorldContract<Env>::step(state(states, i), params, action, episode, spec.max_players);
        f32* const row = rewards + i * spec.max_players;
        for (i32 player = 0; player < spec.max_players; ++player) row[player] = Env::reward(state(states, i), player);
      } else {
        outcome = Env::step(state(states, i), params, action, episode.rng);
        rewards[i] = outcome.reward;
      }
      terminated[i] = outcome.terminated;
    }
  }
  void observe(u8* states, void* const* fields, i64 n) const {
    for (i64 i = 0; i < n; ++i) {
      const Row row{fields, row_bytes.data(), i};
      if constexpr (kWorld) {
        WorldContract<Env>::observe(state(states, i), params, row, spec.max_players);
      } else {
        Env::observe(state(states, i), params, row);
      }
    }
  }
  void render(u8* states, u8* rgb) const {
    if constexpr (requires { Env::render(state(states, 0), params, rgb); }) Env::render(state(states, 0), params, rgb);
  }

 private:
  State& state(u8* states, i64 i) const { return *reinterpret_cast<State*>(states + i * stride); }
};

// The functions of an environment, each of which takes the options as an argument.
struct FunctionTable {
  const char* name;
  i64 (*stride)(const abi::Options*);
  void (*reset)(const abi::Options*, u64 seed, u32 episode, u8* states, i64 n);
  void (*step)(const abi::Options*, u64 seed, u8* states, const void* actions, f32* rewards, u8* terminated, i64 n);
  void (*observe)(const abi::Options*, u8* states, void* const* fields, i64 n);
  void (*render)(const abi::Options*, u8* state, u8* rgb);
};

template <class Env, Literal = "">
constexpr FunctionTable table() {
  using Environment = Functions<Env>;
  using Options = const abi::Options*;
  return {
      .name = Env::kName,
      .stride = [](Options o) { return Environment(o).stride; },
      .reset = [](Options o, u64 seed, u32 episode, u8* states,
                  i64 n) { Environment(o).reset(seed, episode, states, n); },
      .step = [](Options o, u64 seed, u8* states, const void* actions, f32* rewards, u8* terminated,
                 i64 n) { Environment(o).step(seed, states, actions, rewards, terminated, n); },
      .observe = [](Options o, u8* states, void* const* fields, i64 n) { Environment(o).observe(states, fields, n); },
      .render = [](Options o, u8* state, u8* rgb) { Environment(o).render(state, rgb); }};
}

}  // namespace envpool::testing
