// SPDX-License-Identifier: Apache-2.0
//
// Measures a lower bound on the cost of a pool of MuJoCo environments: a loop that only calls mj_step. Each environment
// is one simulation of a model, with random controls and a noisy reset at the end of each episode; the simulations are
// divided among threads. The loop computes no observations and no rewards, and contact forces only on request.
//
//   M=$(python -c 'import mujoco; print(mujoco.__path__[0])')
//   c++ -std=c++20 -O3 -I. -I$M/include benchmark/mj_loop.cc $M/libmujoco.so.* -Wl,-rpath,$M -o build/mj_loop
//   echo seconds 1 | build/mj_loop model.xml frame_skip environments threads forces episode noise
#include <mujoco/mujoco.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "benchmark/turns.h"

namespace {

struct Deleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

struct Loop {
  const mjModel* model;
  int frame_skip, threads, episode;
  bool forces;
  double noise;
  std::vector<std::minstd_rand> generators{};
  std::vector<std::unique_ptr<mjData, Deleter>> sims{};
  std::vector<int> elapsed{};
  // For each simulation, the number of steps and resets since the start, which selects its next controls. An episode
  // continues in the ring of controls where the previous episode stopped, as in a pool.
  std::vector<long> taken{};
  std::vector<double> controls{};  // (kRing, simulations, actuators)
  static constexpr int kRing = 64;

  void start(int count) {
    std::mt19937_64 generator(1);
    for (int i = 0; i < kRing * count * model->nu; ++i) {
      const double* range = model->actuator_ctrlrange + 2 * (i % model->nu);
      controls.push_back(std::uniform_real_distribution<double>(range[0], range[1])(generator));
    }
    for (int i = 0; i < count; ++i) {
      sims.emplace_back(mj_makeData(model));
      generators.emplace_back(i + 1);
      reset(size_t(i));
      taken.push_back(0);
      // All episodes begin together, as in a pool, because the cost of a step depends on the time since the reset.
      elapsed.push_back(0);
    }
  }

  void reset(size_t i) {
    mjData* data = sims[i].get();
    std::uniform_real_distribution<double> around(-noise, noise);
    mj_resetData(model, data);
    for (int k = 0; k < model->nq; ++k) data->qpos[k] += around(generators[i]);
    for (int k = 0; k < model->nv; ++k) data->qvel[k] += around(generators[i]);
    mj_forward(model, data);
  }

  void step(size_t i) {
    mjData* data = sims[i].get();
    const size_t now = size_t(taken[i]++) % kRing;
    if (elapsed[i]++ >= episode) {
      reset(i);
      elapsed[i] = 0;
      return;
    }
    const double* control = controls.data() + (now * sims.size() + i) * size_t(model->nu);
    for (int k = 0; k < model->nu; ++k) data->ctrl[k] = control[k];
    for (int k = 0; k < frame_skip; ++k) mj_step(model, data);
    if (forces) mj_rnePostConstraint(model, data);
  }

  // Each thread steps its own simulations and never waits for another. It stops after `seconds`, or, if `seconds` is 0,
  // after its share of `steps`.
  long run(double seconds, long steps) {
    const auto start = benchmark::WallClock::now();
    const long rounds = steps / long(sims.size());
    std::atomic<long> total = 0;
    const auto work = [&](size_t first) {
      long count = 0;
      for (long k = 0; seconds > 0 ? benchmark::seconds_since(start) < seconds : k < rounds; ++k) {
        for (size_t i = first; i < sims.size(); i += size_t(threads)) {
          step(i);
          ++count;
        }
      }
      total += count;
    };
    std::vector<std::thread> others;
    for (int k = 1; k < threads && size_t(k) < sims.size(); ++k) others.emplace_back(work, k);
    work(0);
    for (std::thread& other : others) other.join();
    return total;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fprintf(stderr, "usage: %s model.xml frame_skip environments threads forces episode noise\n", argv[0]);
    return 2;
  }
  char error[1024] = "";
  mjModel* model = mj_loadXML(argv[1], nullptr, error, sizeof(error));
  if (model == nullptr) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  Loop loop{
      model, std::atoi(argv[2]), std::atoi(argv[4]), std::atoi(argv[6]), std::atoi(argv[5]) != 0, std::atof(argv[7])};
  loop.start(std::atoi(argv[3]));
  const std::string versions = std::string("{\"mujoco\": \"") + mj_versionString() + "\"}";
  benchmark::take_turns(versions.c_str(), [&](double seconds, long steps) { return loop.run(seconds, steps); });
  loop.sims.clear();
  mj_deleteModel(model);
}
