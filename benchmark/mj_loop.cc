// SPDX-License-Identifier: Apache-2.0
//
// The floor under a pool of MuJoCo environments: mj_step and nothing else. As many simulations of a model as there are
// environments, shared out among threads, with random controls and a noisy reset after so many steps; no observation,
// no reward, and contact forces only where asked for.
//
//   M=$(python -c 'import mujoco; print(mujoco.__path__[0])')
//   c++ -std=c++20 -O3 -I$M/include benchmark/mj_loop.cc $M/libmujoco.so.* -Wl,-rpath,$M -o build/mj_loop
//   build/mj_loop model.xml frame_skip environments threads forces episode noise
//
// It reads turns from its input, "seconds 0.5" or "steps 3200", and answers each with "steps wall_s cpu_s".
#include <mujoco/mujoco.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

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
  std::vector<long> taken{};  // steps in all, resets too: episodes begin at different places of the ring, as ours do
  std::vector<double> controls{};  // of each simulation
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
      elapsed.push_back(0);  // all begin together, as pools do: what a step costs depends on how far an episode is
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

  // Each thread steps its own simulations, one after the other: no waiting for others.
  // Stops after `seconds`, or where that is 0 after every simulation's share of `steps`.
  long run(double seconds, long steps) {
    const auto until = Clock::now() + std::chrono::duration<double>(seconds);
    const long rounds = steps / long(sims.size());
    std::atomic<long> total = 0;
    const auto work = [&](size_t first) {
      long count = 0;
      for (long k = 0; seconds > 0 ? Clock::now() < until : k < rounds; ++k) {
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
  std::printf("ready %s\n", mj_versionString());
  std::fflush(stdout);
  double amount;
  for (char unit[8]; std::scanf("%7s %lf", unit, &amount) == 2;) {
    const bool timed = std::strcmp(unit, "seconds") == 0;
    const std::clock_t cpu = std::clock();
    const auto start = Clock::now();
    const long steps = loop.run(timed ? amount : 0, timed ? 0 : long(amount));
    const double wall = std::chrono::duration<double>(Clock::now() - start).count();
    std::printf("%ld %.9f %.9f\n", steps, wall, double(std::clock() - cpu) / CLOCKS_PER_SEC);
    std::fflush(stdout);
  }
  loop.sims.clear();
  mj_deleteModel(model);
}
