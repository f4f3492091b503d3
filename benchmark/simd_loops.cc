// SPDX-License-Identifier: Apache-2.0
//
// Repeats a part of the package that has SIMD code, for instructions.py, which counts its instructions in an emulator:
//
//   simd_loops PART TIMES
//
// PART is "resize" (the maximum of two Atari screens, resized to 84x84), "words" (the next random words of eight
// generators), or the name of an environment, of which four are stepped and observed. Prints a checksum of the results.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "envpool/atari/resize.h"
#include "envpool/classic_control/acrobot.h"
#include "envpool/classic_control/cartpole.h"
#include "envpool/classic_control/pendulum.h"
#include "envpool/core/table/in_lanes.h"
#include "envpool/core/table/prefetched_rng.h"

namespace {

using namespace envpool;

struct Checksum {
  u64 value = 0;
  void add(const void* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) value = (value ^ static_cast<const u8*>(bytes)[i]) * 0x100000001B3ull;
  }
};

void resize(i32 times, Checksum& sum) {
  constexpr i32 kHeight = 210, kWidth = 160, kSide = 84;
  const auto block = atari::make_resize_plan(kHeight, kWidth, kSide, kSide, atari::Interpolation::kArea);
  const atari::ResizePlan& plan = atari::as_resize_plan(block);
  std::vector<u8> a(kHeight * kWidth), b(kHeight * kWidth), table(256), out(kSide * kSide);
  Rng rng{.seed = 3};
  for (u8& value : a) value = u8(rng.below(128) * 2);
  for (u8& value : b) value = u8(rng.below(128) * 2);
  for (u8& value : table) value = u8(rng.below(256));
  for (i32 i = 0; i < times; ++i) atari::resize_indexed_max(plan, a.data(), b.data(), table.data(), out.data());
  sum.add(out.data(), out.size());
}

void words(i32 times, Checksum& sum) {
  Rng rngs[8];
  for (u32 i = 0; i < 8; ++i) rngs[i] = Rng{.seed = 3, .stream = i};
  u32 next[1][8]{};
  for (i32 i = 0; i < times; ++i) {
#if ENVPOOL_SIMD
    next_words(reinterpret_cast<const u8*>(rngs), sizeof(Rng), 8, next);
    for (Rng& rng : rngs) ++rng.draws;
#else
    for (u32 k = 0; k < 8; ++k) next[0][k] = rngs[k].bits();
#endif
  }
  sum.add(next, sizeof(next));
}

// Steps with actions that change, and begins again from the same states after every 50 steps.
template <class Env, class Action>
void step(i32 times, Checksum& sum) {
  constexpr i32 kEnvs = 4, kFields = 2;
  using State = typename Env::State;
  OptionSpecs specs;
  Env::options(specs);
  const auto params = made_params<Env>(OptionValues(specs, abi::Options{nullptr, 0}));
  State start[kEnvs], states[kEnvs];
  std::memset(static_cast<void*>(start), 0, sizeof(start));  // the checksum includes the padding
  for (u32 i = 0; i < kEnvs; ++i) {
    Rng rng{.seed = 3, .stream = i};
    Env::reset(start[i], params, rng);
  }
  Action action[kEnvs];
  f32 reward[kEnvs]{}, obs[kFields][kEnvs * 8]{};
  u8 terminated[kEnvs]{};
  const void* const action_fields[] = {action};
  const i64 action_bytes[] = {sizeof(Action)}, obs_bytes[kFields]{};
  void* const obs_fields[kFields] = {obs[0], obs[1]};
  for (i32 i = 0; i < times; ++i) {
    if (i % 50 == 0) std::memcpy(states, start, sizeof(states));
    for (i32 k = 0; k < kEnvs; ++k) action[k] = Action((i + k) % 2);
#if ENVPOOL_SIMD
    InLanes<Env>::step({reinterpret_cast<u8*>(states), sizeof(State), kEnvs}, params, {action_fields, action_bytes, 0},
                       {reward, terminated});
    InLanes<Env>::observe({reinterpret_cast<u8*>(states), sizeof(State), kEnvs}, params, {obs_fields, obs_bytes, 0});
#else
    for (i32 k = 0; k < kEnvs; ++k) {
      Rng rng{.seed = 3, .stream = u32(k)};
      const Outcome outcome = Env::step(states[k], params, {action_fields, action_bytes, k}, rng);
      reward[k] = outcome.reward;
      terminated[k] = outcome.terminated;
      Env::observe(states[k], params, {obs_fields, obs_bytes, k});
    }
#endif
  }
  sum.add(states, sizeof(states));
  sum.add(obs, sizeof(obs));
  sum.add(reward, sizeof(reward));
  sum.add(terminated, sizeof(terminated));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string_view part = argv[1];
  const i32 times = std::atoi(argv[2]);
  Checksum sum;
  if (part == "resize") {
    resize(times, sum);
  } else if (part == "words") {
    words(times, sum);
  } else if (part == "CartPole") {
    step<classic_control::CartPole, i32>(times, sum);
  } else if (part == "Acrobot") {
    step<classic_control::Acrobot, i32>(times, sum);
  } else if (part == "Pendulum") {
    step<classic_control::Pendulum, f32>(times, sum);
  } else {
    return 2;
  }
  std::printf("checksum %016llx\n", sum.value);
}
