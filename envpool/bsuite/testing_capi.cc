// SPDX-License-Identifier: Apache-2.0
//
// The environments without the pool, for bsuite_test.py: n states in, n states out, through ctypes. A State is passed
// as it lies in memory, with what follows it. Each draws from a stream of its own, so that n equal states are n
// independent samples.
#include "envpool/bsuite/catch.h"
#include "envpool/bsuite/deep_sea.h"
#include "envpool/bsuite/discounting_chain.h"
#include "envpool/bsuite/memory_chain.h"
#include "envpool/bsuite/normal.h"
#include "envpool/bsuite/simple_bandit.h"
#include "envpool/bsuite/umbrella_chain.h"
#include "envpool/core/driver.h"

namespace {

using namespace envpool;
using namespace envpool::bsuite;

template <class Env>
struct Made {
  typename Env::Params params;
  Spec spec{};
  std::vector<i64> row_bytes{};
  i64 stride;

  explicit Made(const abi::Options* options) {
    OptionSpecs specs;
    Env::options(specs);
    params = Env::params(OptionValues(specs, *options));
    Env::spec(params, spec);
    for (const FieldSpec& field : spec.fields) row_bytes.push_back(field.row_bytes());
    stride = i64(sizeof(typename Env::State)) + PortableContract<Env>::extra_bytes(params);
  }
  typename Env::State& state(u8* states, i64 i) const {
    return *reinterpret_cast<typename Env::State*>(states + i * stride);
  }
};

template <class Env>
void reset(const abi::Options* options, u64 seed, u32 episode, u8* states, i64 n) {
  const Made<Env> made(options);
  for (i64 i = 0; i < n; ++i) {
    Rng rng{.seed = seed, .stream = u32(i), .episode = episode};
    Env::reset(made.state(states, i), made.params, rng);
  }
}

template <class Env>
void step(const abi::Options* options, u64 seed, u8* states, const void* actions, f32* rewards, u8* terminated, i64 n) {
  const Made<Env> made(options);
  for (i64 i = 0; i < n; ++i) {
    Rng rng{.seed = seed, .stream = u32(i), .episode = 1};
    const Outcome outcome = Env::step(made.state(states, i), made.params, ActionRow{&actions, nullptr, i}, rng);
    rewards[i] = outcome.reward;
    terminated[i] = outcome.terminated;
  }
}

template <class Env>
void observe(const abi::Options* options, u8* states, void* const* fields, i64 n) {
  const Made<Env> made(options);
  for (i64 i = 0; i < n; ++i) Env::observe(made.state(states, i), made.params, Row{fields, made.row_bytes.data(), i});
}

}  // namespace

#define EXPORT(Env)                                                                                                    \
  i64 Env##_stride(const abi::Options* o) { return Made<Env>(o).stride; }                                              \
  void Env##_reset(const abi::Options* o, u64 seed, u32 episode, u8* s, i64 n) { reset<Env>(o, seed, episode, s, n); } \
  void Env##_step(const abi::Options* o, u64 seed, u8* s, const void* a, f32* r, u8* t, i64 n) {                       \
    step<Env>(o, seed, s, a, r, t, n);                                                                                 \
  }                                                                                                                    \
  void Env##_observe(const abi::Options* o, u8* s, void* const* fields, i64 n) { observe<Env>(o, s, fields, n); }

extern "C" {
EXPORT(Catch)
EXPORT(DeepSea)
EXPORT(DiscountingChain)
EXPORT(MemoryChain)
EXPORT(SimpleBandit)
EXPORT(UmbrellaChain)

// n normal numbers of one stream.
void normal_numbers(u64 seed, f64* out, i64 n) {
  Rng rng{.seed = seed};
  for (i64 i = 0; i < n; ++i) out[i] = normal(rng);
}
}
