// SPDX-License-Identifier: Apache-2.0
//
// Measures a lower bound on the cost of a pool of CartPoles: a handwritten loop on one thread, with the same arithmetic
// and outputs as the pool. From the engine it uses only the random number generator and the math functions.
//
//   c++ -std=c++20 -O3 -ffp-contract=off -fno-tree-slp-vectorize -I. benchmark/plain_loop.cc -o build/plain_loop
//   echo seconds 1 | build/plain_loop 1024        # steps 1024 environments for a second
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "benchmark/turns.h"
#include "envpool/core/math/math.h"
#include "envpool/core/math/rng.h"

namespace {

using namespace envpool;

struct CartPole {
  f64 x, x_dot, theta, theta_dot;
  i32 elapsed;
  bool over;
  Rng rng;
};

struct Batch {
  std::vector<f32> obs, reward;
  std::vector<u8> terminated, truncated;
  std::vector<i32> env_id, elapsed;
  explicit Batch(size_t n) : obs(4 * n), reward(n), terminated(n), truncated(n), env_id(n), elapsed(n) {}
};

void step(std::vector<CartPole>& envs, const std::vector<i32>& actions, Batch& out) {
  constexpr f64 kLimit = 12 * 2 * kPi / 360;
  for (size_t i = 0; i < envs.size(); ++i) {
    CartPole& env = envs[i];
    const bool restart = env.over;
    bool fell = false;
    if (restart) {  // the step after the end of an episode resets the environment
      env.rng.begin_episode(env.rng.episode + 1);
      for (f64* value : {&env.x, &env.x_dot, &env.theta, &env.theta_dot}) *value = env.rng.uniform(-0.05, 0.05);
      env.elapsed = 0;
    } else {
      const f64 force = actions[i] == 1 ? 10.0 : -10.0;
      const auto [sine, cosine] = sincos(env.theta);
      const f64 temp = (force + 0.05 * (env.theta_dot * env.theta_dot) * sine) / 1.1;
      const f64 theta_acc = (9.8 * sine - cosine * temp) / (0.5 * (4.0 / 3.0 - 0.1 * (cosine * cosine) / 1.1));
      const f64 x_acc = temp - 0.05 * theta_acc * cosine / 1.1;
      env.x += 0.02 * env.x_dot;
      env.x_dot += 0.02 * x_acc;
      env.theta += 0.02 * env.theta_dot;
      env.theta_dot += 0.02 * theta_acc;
      ++env.elapsed;
      fell = fabs(env.x) > 2.4 || fabs(env.theta) > kLimit;
    }
    const bool late = env.elapsed >= 500;
    env.over = fell || late;
    out.obs[4 * i] = f32(env.x);
    out.obs[4 * i + 1] = f32(env.x_dot);
    out.obs[4 * i + 2] = f32(env.theta);
    out.obs[4 * i + 3] = f32(env.theta_dot);
    out.reward[i] = restart ? 0 : 1;
    out.terminated[i] = fell;
    out.truncated[i] = late;
    out.env_id[i] = i32(i);
    out.elapsed[i] = env.elapsed;
  }
}

struct Loop {
  std::vector<CartPole> envs;
  std::vector<std::vector<i32>> actions;
  Batch batch;
  size_t next = 0;

  explicit Loop(size_t n) : envs(n), actions(64, std::vector<i32>(n)), batch(n) {
    Rng random{.seed = 1};
    for (auto& row : actions) {
      for (i32& action : row) action = i32(random.below(2));
    }
    for (size_t i = 0; i < n; ++i) {
      envs[i].rng = Rng{.seed = 42, .stream = u32(i)};
      envs[i].over = true;
    }
  }

  // Takes more than 4,096 steps per call, so that the cost of reading the clock between two calls is negligible.
  long steps() {
    const size_t calls = 1 + 4096 / envs.size();
    for (size_t k = 0; k < calls; ++k) step(envs, actions[next++ % 64], batch);
    return long(calls * envs.size());
  }
};

}  // namespace

int main(int argc, char** argv) {
  const long num_envs = argc == 2 ? std::atol(argv[1]) : 0;
  if (num_envs <= 0) {
    std::fprintf(stderr, "usage: %s environments\n", argv[0]);
    return 2;
  }
  Loop loop{size_t(num_envs)};
  benchmark::take_turns("{}", [&](double seconds, long steps) {
    return benchmark::repeat([&] { return loop.steps(); }, seconds, steps);
  });
}
