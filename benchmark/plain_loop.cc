// SPDX-License-Identifier: Apache-2.0
//
// The floor under a pool of CartPoles: the loop one would write by hand. The same arithmetic, the same outputs, one
// thread, and nothing of the engine but its generator and its sine.
//
//   c++ -std=c++20 -O3 -ffp-contract=off -I. benchmark/plain_loop.cc -o build/plain_loop
//   build/plain_loop 1024 8192            # environments; prints env-steps per second, the best of five seconds
//   build/plain_loop 1024 turns           # reads "seconds 0.5", steps for so long, answers "steps wall_s cpu_s"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "envpool/core/math/math.h"
#include "envpool/core/math/rng.h"

namespace {

using namespace envpool;
using Clock = std::chrono::steady_clock;

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
    if (restart) {  // an episode that ended starts again on the next step
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

  struct Turn {
    i64 steps;
    f64 wall, cpu;
  };

  // The clock is read once in some thousand steps.
  Turn run(f64 seconds) {
    const size_t calls = 1 + 4096 / envs.size();
    const std::clock_t cpu = std::clock();
    const auto start = Clock::now();
    Turn turn{};
    while (turn.wall < seconds) {
      for (size_t k = 0; k < calls; ++k) step(envs, actions[next++ % 64], batch);
      turn.steps += i64(calls * envs.size());
      turn.wall = std::chrono::duration<f64>(Clock::now() - start).count();
    }
    turn.cpu = f64(std::clock() - cpu) / CLOCKS_PER_SEC;
    return turn;
  }
};

f64 steps_per_second(size_t n) {
  Loop loop(n);
  f64 best = 0;
  for (int round = 0; round < 5; ++round) {
    const Loop::Turn turn = loop.run(1);
    best = std::max(best, f64(turn.steps) / turn.wall);
  }
  return best;
}

void take_turns(size_t n) {
  Loop loop(n);
  for (f64 seconds = 0; std::scanf("%*s %lf", &seconds) == 1;) {
    const Loop::Turn turn = loop.run(seconds);
    std::printf("%lld %.9f %.9f\n", static_cast<long long>(turn.steps), turn.wall, turn.cpu);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<size_t> sizes;
  if (argc == 3 && std::strcmp(argv[2], "turns") == 0 && std::atoll(argv[1]) > 0) {
    take_turns(size_t(std::atoll(argv[1])));
    return 0;
  }
  for (int i = 1; i < argc; ++i) sizes.push_back(size_t(std::atoll(argv[i])));
  if (sizes.empty()) sizes = {1024, 8192};
  for (const size_t n : sizes) {
    if (n == 0) {
      std::fprintf(stderr, "usage: plain_loop [environments]... | plain_loop environments turns\n");
      return 2;
    }
    const f64 rate = steps_per_second(n);
    std::printf("CartPole, plain loop, %zu environments: %.0f env-steps/s, %.1f ns each\n", n, rate, 1e9 / rate);
  }
}
