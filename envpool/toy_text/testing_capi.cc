// SPDX-License-Identifier: Apache-2.0
//
// The environments without the pool, for toy_text_test.py: n states in, n states out, through ctypes. A State is passed
// as it lies in memory. Each state draws from a stream of its own, so that n equal states are n independent samples.
#include "envpool/core/driver.h"
#include "envpool/toy_text/blackjack.h"
#include "envpool/toy_text/catch.h"
#include "envpool/toy_text/cliff_walking.h"
#include "envpool/toy_text/frozen_lake.h"
#include "envpool/toy_text/nchain.h"
#include "envpool/toy_text/taxi.h"

namespace {

using namespace envpool;
using namespace envpool::toy_text;

template <class Env>
struct Made {
  typename Env::Params params;
  Blob blob{};
  Spec spec{};
  std::vector<i64> row_bytes{};

  explicit Made(const abi::Options* options) {
    OptionSpecs specs;
    Env::options(specs);
    const OptionValues values(specs, *options);
    params = Env::params(values);
    if constexpr (requires { Env::blob(values); }) {
      blob = Env::blob(values);
      params.blob = blob.data();
    }
    Env::spec(params, spec);
    for (const FieldSpec& field : spec.fields) row_bytes.push_back(field.row_bytes());
  }
};

template <class Env>
void reset(const abi::Options* options, u64 seed, typename Env::State* states, i64 n) {
  const Made<Env> made(options);
  for (i64 i = 0; i < n; ++i) {
    Rng rng{.seed = seed, .stream = u32(i)};
    Env::reset(states[i], made.params, rng);
  }
}

template <class Env>
void step(const abi::Options* options, u64 seed, typename Env::State* states, const void* actions, f32* rewards,
          u8* terminated, i64 n) {
  const Made<Env> made(options);
  for (i64 i = 0; i < n; ++i) {
    Rng rng{.seed = seed, .stream = u32(i), .episode = 1};
    const Outcome outcome = Env::step(states[i], made.params, ActionRow{&actions, nullptr, i}, rng);
    rewards[i] = outcome.reward;
    terminated[i] = outcome.terminated;
  }
}

template <class Env>
void observe(const abi::Options* options, const typename Env::State* states, void* const* fields, i64 n) {
  const Made<Env> made(options);
  for (i64 i = 0; i < n; ++i) Env::observe(states[i], made.params, Row{fields, made.row_bytes.data(), i});
}

}  // namespace

#define EXPORT(Env)                                                                                                \
  i64 Env##_size() { return sizeof(Env::State); }                                                                  \
  void Env##_reset(const abi::Options* o, u64 seed, Env::State* states, i64 n) { reset<Env>(o, seed, states, n); } \
  void Env##_step(const abi::Options* o, u64 seed, Env::State* s, const void* a, f32* r, u8* t, i64 n) {           \
    step<Env>(o, seed, s, a, r, t, n);                                                                             \
  }                                                                                                                \
  void Env##_observe(const abi::Options* o, const Env::State* s, void* const* fields, i64 n) {                     \
    observe<Env>(o, s, fields, n);                                                                                 \
  }

extern "C" {
EXPORT(Blackjack)
EXPORT(Catch)
EXPORT(CliffWalking)
EXPORT(FrozenLake)
EXPORT(NChain)
EXPORT(Taxi)
}
