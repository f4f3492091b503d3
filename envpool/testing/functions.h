// SPDX-License-Identifier: Apache-2.0
//
// Portable environments without the pool, for tests that reach them through ctypes (capi.py): n states in, n states
// out. A State is passed as it lies in memory, with the extra bytes that follow it. Each draws from a stream of its
// own, so that n equal states are n independent samples.
#pragma once

#include <vector>

#include "envpool/core/driver.h"

namespace envpool::testing {

// An environment with its options.
template <class Env>
struct Functions {
  typename Env::Params params;
  Blob blob{};
  i64 stride;
  std::vector<i64> row_bytes{}, action_bytes{};

  explicit Functions(const abi::Options* options) {
    OptionSpecs specs;
    Env::options(specs);
    const OptionValues values(specs, *options);
    params = Env::params(values);
    if constexpr (requires { Env::blob(values); }) {
      blob = Env::blob(values);
      params.blob = blob.data();
      if constexpr (requires { params.kept; }) params.kept = blob.kept();
    }
    stride = i64(sizeof(typename Env::State)) + PortableContract<Env>::extra_bytes(params);
    Spec spec;
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
  void step(u64 seed, u8* states, const void* actions, f32* rewards, u8* terminated, i64 n) const {
    for (i64 i = 0; i < n; ++i) {
      Rng rng{.seed = seed, .stream = u32(i), .episode = 1};
      const Outcome outcome = Env::step(state(states, i), params, ActionRow{&actions, action_bytes.data(), i}, rng);
      rewards[i] = outcome.reward;
      terminated[i] = outcome.terminated;
    }
  }
  void observe(u8* states, void* const* fields, i64 n) const {
    for (i64 i = 0; i < n; ++i) Env::observe(state(states, i), params, Row{fields, row_bytes.data(), i});
  }
  void render(u8* states, u8* rgb) const {
    if constexpr (requires { Env::render(state(states, 0), params, rgb); }) Env::render(state(states, 0), params, rgb);
  }

 private:
  typename Env::State& state(u8* states, i64 i) const {
    return *reinterpret_cast<typename Env::State*>(states + i * stride);
  }
};

}  // namespace envpool::testing

// As C functions, which begin with the environment's name.
#define ENVPOOL_TEST_FUNCTIONS(Env)                                                                                \
  extern "C" {                                                                                                     \
  envpool::i64 Env##_stride(const envpool::abi::Options* o) { return envpool::testing::Functions<Env>(o).stride; } \
  void Env##_reset(const envpool::abi::Options* o, envpool::u64 seed, envpool::u32 episode, envpool::u8* states,   \
                   envpool::i64 n) {                                                                               \
    envpool::testing::Functions<Env>(o).reset(seed, episode, states, n);                                           \
  }                                                                                                                \
  void Env##_step(const envpool::abi::Options* o, envpool::u64 seed, envpool::u8* states, const void* actions,     \
                  envpool::f32* rewards, envpool::u8* terminated, envpool::i64 n) {                                \
    envpool::testing::Functions<Env>(o).step(seed, states, actions, rewards, terminated, n);                       \
  }                                                                                                                \
  void Env##_observe(const envpool::abi::Options* o, envpool::u8* states, void* const* fields, envpool::i64 n) {   \
    envpool::testing::Functions<Env>(o).observe(states, fields, n);                                                \
  }                                                                                                                \
  void Env##_render(const envpool::abi::Options* o, envpool::u8* state, envpool::u8* rgb) {                        \
    envpool::testing::Functions<Env>(o).render(state, rgb);                                                        \
  }                                                                                                                \
  }
