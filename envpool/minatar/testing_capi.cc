// SPDX-License-Identifier: Apache-2.0
//
// The games without the pool, for testing/states.py: n states in, n states out, through ctypes. A State is passed as it
// lies in memory. Each state draws from a stream of its own, so that n equal states are n independent samples.
#include "envpool/core/driver.h"
#include "envpool/minatar/asterix.h"
#include "envpool/minatar/breakout.h"
#include "envpool/minatar/freeway.h"
#include "envpool/minatar/seaquest.h"
#include "envpool/minatar/space_invaders.h"

namespace {

using namespace envpool;
using namespace envpool::minatar;

template <class Env>
minatar::Params params_of(const abi::Options* options) {
  OptionSpecs specs;
  Env::options(specs);
  return Env::params(OptionValues(specs, *options));
}

template <class Env>
void reset(const abi::Options* options, u64 seed, typename Env::State* states, i64 n) {
  const minatar::Params params = params_of<Env>(options);
  for (i64 i = 0; i < n; ++i) {
    Rng rng{.seed = seed, .stream = u32(i)};
    Env::reset(states[i], params, rng);
  }
}

template <class Env>
void step(const abi::Options* options, u64 seed, typename Env::State* states, const void* actions, f32* rewards,
          u8* terminated, i64 n) {
  const minatar::Params params = params_of<Env>(options);
  for (i64 i = 0; i < n; ++i) {
    Rng rng{.seed = seed, .stream = u32(i), .episode = 1};
    const Outcome outcome = Env::step(states[i], params, ActionRow{&actions, nullptr, i}, rng);
    rewards[i] = outcome.reward;
    terminated[i] = outcome.terminated;
  }
}

template <class Env>
void observe(const abi::Options* options, const typename Env::State* states, void* const* fields, i64 n) {
  const minatar::Params params = params_of<Env>(options);
  for (i64 i = 0; i < n; ++i) Env::observe(states[i], params, Row{fields, nullptr, i});
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
EXPORT(Asterix)
EXPORT(Breakout)
EXPORT(Freeway)
EXPORT(Seaquest)
EXPORT(SpaceInvaders)
}
