// SPDX-License-Identifier: Apache-2.0
//
// The environments without the pool, for misc_test.py: n states in, n states out, through ctypes. A State is passed as
// it lies in memory, with the extra bytes that follow it. Each state draws from a stream of its own, so that n equal
// states are n independent samples.
#include "envpool/core/driver.h"
#include "envpool/misc/bernoulli_bandit.h"
#include "envpool/misc/four_rooms.h"
#include "envpool/misc/gaussian_bandit.h"
#include "envpool/misc/meta_maze.h"
#include "envpool/misc/normal.h"
#include "envpool/misc/point_robot.h"
#include "envpool/misc/pong.h"
#include "envpool/misc/reacher.h"
#include "envpool/misc/swimmer.h"

namespace {

using namespace envpool;
using namespace envpool::misc;

template <class Env>
struct Made {
  typename Env::Params params;
  i64 stride;
  Spec spec{};
  std::vector<i64> row_bytes{}, action_bytes{};

  explicit Made(const abi::Options* options) {
    OptionSpecs specs;
    Env::options(specs);
    params = Env::params(OptionValues(specs, *options));
    stride = i64(sizeof(typename Env::State)) + PortableContract<Env>::extra_bytes(params);
    Env::spec(params, spec);
    for (const FieldSpec& field : spec.fields) row_bytes.push_back(field.row_bytes());
    for (const FieldSpec& field : spec.actions) action_bytes.push_back(field.row_bytes());
  }
  typename Env::State& state(u8* states, i64 i) const {
    return *reinterpret_cast<typename Env::State*>(states + i * stride);
  }
};

template <class Env>
i64 size(const abi::Options* options) {
  return Made<Env>(options).stride;
}

template <class Env>
void reset(const abi::Options* options, u64 seed, u8* states, i64 n) {
  const Made<Env> made(options);
  for (i64 i = 0; i < n; ++i) {
    Rng rng{.seed = seed, .stream = u32(i)};
    Env::reset(made.state(states, i), made.params, rng);
  }
}

template <class Env>
void step(const abi::Options* options, u64 seed, u8* states, const void* actions, f32* rewards, u8* terminated, i64 n) {
  const Made<Env> made(options);
  for (i64 i = 0; i < n; ++i) {
    Rng rng{.seed = seed, .stream = u32(i), .episode = 1};
    const ActionRow action{&actions, made.action_bytes.data(), i};
    const Outcome outcome = Env::step(made.state(states, i), made.params, action, rng);
    rewards[i] = outcome.reward;
    terminated[i] = outcome.terminated;
  }
}

template <class Env>
void observe(const abi::Options* options, u8* states, void* obs, i64 n) {
  const Made<Env> made(options);
  for (i64 i = 0; i < n; ++i) Env::observe(made.state(states, i), made.params, Row{&obs, made.row_bytes.data(), i});
}

}  // namespace

#define EXPORT(Env)                                                                                        \
  i64 Env##_stride(const abi::Options* o) { return size<Env>(o); }                                         \
  void Env##_reset(const abi::Options* o, u64 seed, u8* states, i64 n) { reset<Env>(o, seed, states, n); } \
  void Env##_step(const abi::Options* o, u64 seed, u8* s, const void* a, f32* r, u8* t, i64 n) {           \
    step<Env>(o, seed, s, a, r, t, n);                                                                     \
  }                                                                                                        \
  void Env##_observe(const abi::Options* o, u8* s, void* obs, i64 n) { observe<Env>(o, s, obs, n); }

extern "C" {
void normals(u64 seed, f32* out, i64 n) {
  Rng rng{.seed = seed};
  for (i64 i = 0; i < n; ++i) out[i] = normal(rng);
}
void normal_quantiles(const f32* x, f32* out, i64 n) {
  for (i64 i = 0; i < n; ++i) out[i] = normal_quantile(x[i]);
}
EXPORT(BernoulliBandit)
EXPORT(FourRooms)
EXPORT(GaussianBandit)
EXPORT(MetaMaze)
EXPORT(PointRobot)
EXPORT(Pong)
EXPORT(Reacher)
EXPORT(Swimmer)
}
