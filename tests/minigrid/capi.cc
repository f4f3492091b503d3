// SPDX-License-Identifier: Apache-2.0
//
// Exports the family's environments to tests that replay the numbers that the reference has drawn.
// support/family_list.h turns the family's plugin.cc into a list of functions.
#include "envpool/core/plugin.h"
#include "tests/support/family_list.h"

namespace envpool::minigrid {

// A number that the reference has drawn: an integer below `n`, or a real number if n is 0.
struct Draw {
  u32 n, value;
  f64 real;
};

// Replays numbers. If another kind of number is requested, it records an error and returns the smallest possible
// number.
struct Tape {
  const Draw* draws;
  i64 count, used = 0;
  bool wrong = false;

  u32 below(u32 n) {
    const Draw* const next = take();
    wrong = wrong || next == nullptr || next->n != n;
    return wrong ? 0 : next->value;
  }
  f64 uniform() {
    const Draw* const next = take();
    wrong = wrong || next == nullptr || next->n != 0;
    return wrong ? 0 : next->real;
  }

 private:
  const Draw* take() { return used < count ? &draws[used++] : nullptr; }
};

namespace {

// Functions that reset or step a state. They return how many numbers were drawn, or -1 if numbers other than the
// recorded ones were requested.
struct ReplayFunctions {
  const char* name;
  i64 (*reset)(const abi::Options*, u8* state, const Draw*, i64 count);
  i64 (*step)(const abi::Options*, u8* state, i32 action, f32* reward, u8* ends, const Draw*, i64 count);
};

template <class Env, Literal = "">
constexpr ReplayFunctions table() {
  using State = typename Env::State;
  return {
      .name = Env::kName,
      .reset =
          [](const abi::Options* options, u8* state, const Draw* draws, i64 count) {
            Tape tape{draws, count};
            Env::begin(*reinterpret_cast<State*>(state), testing::params_of<Env>(options), tape);
            return tape.wrong ? -1 : tape.used;
          },
      .step =
          [](const abi::Options* options, u8* state, i32 action, f32* reward, u8* ends, const Draw* draws, i64 count) {
            Tape tape{draws, count};
            State& s = *reinterpret_cast<State*>(state);
            const Outcome outcome = Env::advance(s, testing::params_of<Env>(options), action, tape);
            *reward = outcome.reward;
            ends[0] = outcome.terminated;
            ends[1] = outcome.truncated;
            return tape.wrong ? -1 : tape.used;
          }};
}

}  // namespace
}  // namespace envpool::minigrid

#undef ENVPOOL_PLUGIN
#define ENVPOOL_PLUGIN(...) ENVPOOL_FAMILY_ENVIRONMENTS(envpool::minigrid, ReplayFunctions, __VA_ARGS__)
#include "envpool/minigrid/plugin.cc"

namespace {

const envpool::minigrid::ReplayFunctions& find(const char* name) {
  return envpool::testing::environment_named(name, envpool::minigrid::of_family::kEnvironments);
}

}  // namespace

extern "C" {

using namespace envpool;

i64 test_replay_reset(const char* name, const abi::Options* options, u8* state, const Draw* draws, i64 count) {
  return find(name).reset(options, state, draws, count);
}
i64 test_replay_step(const char* name, const abi::Options* options, u8* state, i32 action, f32* reward, u8* ends,
                     const Draw* draws, i64 count) {
  return find(name).step(options, state, action, reward, ends, draws, count);
}
}
