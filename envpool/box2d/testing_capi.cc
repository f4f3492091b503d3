// SPDX-License-Identifier: Apache-2.0
//
// Exports the family's environments to tests that replay the numbers that the reference has drawn. As in
// testing/functions.cc, the family's plugin.cc becomes a list of functions.
#include <stdexcept>
#include <string>

#include "envpool/core/plugin.h"

namespace envpool::box2d {

// Replays numbers: real ones as they are, and integers less the lowest one that could be drawn. It goes wrong if there
// are too few.
struct Tape {
  const f64* drawn;
  i64 count, used = 0;
  bool wrong = false;

  f64 uniform(f64, f64) { return take(); }
  u32 below(u32) { return u32(take()); }

 private:
  f64 take() {
    wrong = wrong || used >= count;
    return wrong ? 0 : drawn[used++];
  }
};

namespace {

// Resets or steps a state. Returns how many numbers it has drawn, or -1 if there were too few.
struct Replayed {
  const char* name;
  i64 (*reset)(const abi::Options*, u8* state, const f64*, i64 count);
  i64 (*step)(const abi::Options*, u8* state, const void* action, f32* reward, u8* ends, const f64*, i64 count);
};

template <class Env>
typename Env::Params params_of(const abi::Options* options) {
  OptionSpecs specs;
  Env::options(specs);
  return Env::params(OptionValues(specs, *options));
}

template <class Env, Literal = "">
constexpr Replayed table() {
  using State = typename Env::State;
  return {.name = Env::kName,
          .reset =
              [](const abi::Options* options, u8* state, const f64* drawn, i64 count) {
                Tape tape{drawn, count};
                Env::reset(*reinterpret_cast<State*>(state), params_of<Env>(options), tape);
                return tape.wrong ? -1 : tape.used;
              },
          .step =
              [](const abi::Options* options, u8* state, const void* action, f32* reward, u8* ends, const f64* drawn,
                 i64 count) {
                Tape tape{drawn, count};
                const void* const fields[] = {action};
                const i64 row_bytes[] = {0};
                const Outcome outcome = Env::step(*reinterpret_cast<State*>(state), params_of<Env>(options),
                                                  ActionRow{fields, row_bytes, 0}, tape);
                *reward = outcome.reward;
                ends[0] = outcome.terminated;
                ends[1] = outcome.truncated;
                return tape.wrong ? -1 : tape.used;
              }};
}

}  // namespace
}  // namespace envpool::box2d

#undef ENVPOOL_PLUGIN
// In this namespace, envpool::table in the list means the function above.
#define ENVPOOL_PLUGIN(...)                                                    \
  namespace envpool::box2d::of_family {                                        \
  namespace envpool = ::envpool::box2d;                                        \
  static constexpr ::envpool::box2d::Replayed kEnvironments[] = {__VA_ARGS__}; \
  }
#include "envpool/box2d/plugin.cc"

namespace {

const Replayed& find(const char* name) {
  for (const Replayed& environment : of_family::kEnvironments) {
    if (std::string(environment.name) == name) return environment;
  }
  throw std::invalid_argument(std::string("no environment is named ") + name);
}

}  // namespace

extern "C" {

using namespace envpool;

i64 test_replay_reset(const char* name, const abi::Options* options, u8* state, const f64* drawn, i64 count) {
  return find(name).reset(options, state, drawn, count);
}
i64 test_replay_step(const char* name, const abi::Options* options, u8* state, const void* action, f32* reward,
                     u8* ends, const f64* drawn, i64 count) {
  return find(name).step(options, state, action, reward, ends, drawn, count);
}
void test_rotations(const f32* angles, f32* sines, f32* cosines, i64 count) {
  for (i64 i = 0; i < count; ++i) {
    const envpool::box2d::Rotation turn = envpool::box2d::rotation(angles[i]);
    sines[i] = turn.sin;
    cosines[i] = turn.cos;
  }
}
}
