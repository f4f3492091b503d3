// SPDX-License-Identifier: Apache-2.0
//
// The environments without the pool, for classic_control_test.py: n states in, n states out, through ctypes. A State is
// passed as it lies in memory, which is also how a pool's snapshot ends.
#include "envpool/classic_control/acrobot.h"
#include "envpool/classic_control/cartpole.h"
#include "envpool/classic_control/mountain_car.h"
#include "envpool/classic_control/mountain_car_continuous.h"
#include "envpool/classic_control/pendulum.h"
#include "envpool/core/driver.h"

namespace {

using namespace envpool;
using namespace envpool::classic_control;

template <class Env>
typename Env::Params params_of(const abi::Options* options) {
  OptionSpecs specs;
  Env::options(specs);
  return Env::params(OptionValues(specs, *options));
}

template <class Env>
void reset(const abi::Options* options, u64 seed, typename Env::State* states, i64 n) {
  const typename Env::Params params = params_of<Env>(options);
  for (i64 i = 0; i < n; ++i) {
    Rng rng{.seed = seed, .stream = u32(i)};
    Env::reset(states[i], params, rng);
  }
}

template <class Env>
void step(const abi::Options* options, typename Env::State* states, const void* actions, f32* rewards, u8* terminated,
          i64 n) {
  const typename Env::Params params = params_of<Env>(options);
  for (i64 i = 0; i < n; ++i) {
    Rng rng{.seed = 1, .stream = u32(i)};
    const Outcome outcome = Env::step(states[i], params, ActionRow{&actions, nullptr, i}, rng);
    rewards[i] = outcome.reward;
    terminated[i] = outcome.terminated;
  }
}

template <class Env>
void observe(const abi::Options* options, const typename Env::State* states, f32* obs, f32* info, i64 n) {
  const typename Env::Params params = params_of<Env>(options);
  void* const fields[] = {obs, info};
  for (i64 i = 0; i < n; ++i) Env::observe(states[i], params, Row{fields, nullptr, i});
}

template <class Env>
void render(const abi::Options* options, const typename Env::State* state, u8* rgb) {
  Env::render(*state, params_of<Env>(options), rgb);
}

}  // namespace

#define EXPORT(Env)                                                                                                \
  i64 Env##_size() { return sizeof(Env::State); }                                                                  \
  void Env##_reset(const abi::Options* o, u64 seed, Env::State* states, i64 n) { reset<Env>(o, seed, states, n); } \
  void Env##_step(const abi::Options* o, Env::State* s, const void* a, f32* r, u8* t, i64 n) {                     \
    step<Env>(o, s, a, r, t, n);                                                                                   \
  }                                                                                                                \
  void Env##_observe(const abi::Options* o, const Env::State* s, f32* obs, f32* info, i64 n) {                     \
    observe<Env>(o, s, obs, info, n);                                                                              \
  }                                                                                                                \
  void Env##_render(const abi::Options* o, const Env::State* s, u8* rgb) { render<Env>(o, s, rgb); }

extern "C" {
// Where the State begins in a snapshot.
i64 episode_size() { return sizeof(Episode); }
EXPORT(Acrobot)
EXPORT(CartPole)
EXPORT(MountainCar)
EXPORT(MountainCarContinuous)
EXPORT(Pendulum)
}
