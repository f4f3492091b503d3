// SPDX-License-Identifier: Apache-2.0
//
// Steps a pool without Python, and prints what its threads cost: CPU ns per step, and how often per batch a thread goes
// to sleep and loses its CPU to another one. With ENVPOOL_TRACE_LINES, cache_lines.cc counts transfers of cache lines.
// pool_costs.py builds and runs this program.
//
//   build/pool_loop cartpole sync 2 4096 4096 1000 0   # threads, environments, rows, batches, us between batches
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "benchmark/cache_lines.h"
#include "envpool/classic_control/cartpole.h"
#include "envpool/core/plugin.h"
#include "envpool/core/pool/env_pool.h"

namespace {

using namespace envpool;

// Takes about as long as a frame of an Atari game.
struct Slow {
  static constexpr const char* kName = "Slow";
  struct Params {};
  struct State {
    u64 words[512];
  };
  static void options(OptionSpecs&) {}
  static Params params(const OptionValues&) { return {}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<i64>("obs", {512});
    spec.action<i32>().categories(2);
  }
  ENVPOOL_FN static void reset(State& state, const Params&, Rng& rng) {
    for (u64& word : state.words) word = rng.bits();
  }
  ENVPOOL_FN static Outcome step(State& state, const Params&, ActionRow action, Rng&) {
    for (int round = 0; round < 40; ++round) {
      for (u64& word : state.words) word = word * 6364136223846793005u + u64(*action.at<i32>(0)) + 1;
    }
    return {1};
  }
  ENVPOOL_FN static void observe(const State& state, const Params&, Row row) {
    std::memcpy(row.at<i64, 512>(0), state.words, sizeof state.words);
  }
};

struct Usage {
  rusage now;
  Usage() { getrusage(RUSAGE_SELF, &now); }
  double cpu_us() const {
    return 1e6 * double(now.ru_utime.tv_sec + now.ru_stime.tv_sec) +
           double(now.ru_utime.tv_usec + now.ru_stime.tv_usec);
  }
};

void run(EnvPool& pool, bool sync, i32 num_envs, i32 batches, std::chrono::microseconds pause) {
  std::vector<i32> ids(static_cast<size_t>(num_envs)), actions(ids.size(), 1);
  for (i32 i = 0; i < num_envs; ++i) ids[size_t(i)] = i;
  u32 random = 1;
  for (i32 i = 0; i < batches; ++i) {
    cache_lines::begin_batch();
    if (pause.count() > 0) std::this_thread::sleep_for(pause);  // as long as a policy computes
    const CallerHelp help = sync ? CallerHelp::kYes : CallerHelp::kNo;
    if (sync) {
      for (i32& action : actions) action = i32((random = random * 1664525 + 1013904223) >> 31);
      const void* fields[] = {actions.data()};
      pool.send(ids.data(), num_envs, fields, nullptr, -1, help);
      pool.recv({}, {}, help);
    } else {
      const Batch batch = pool.recv();
      const i32* found = batch->values<i32>(abi::kEnvId);
      for (i32 row = 0; row < batch->rows(); ++row) {
        actions[size_t(row)] = i32((random = random * 1664525 + 1013904223) >> 31);
      }
      const void* fields[] = {actions.data()};
      pool.send(found, batch->rows(), fields);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) return std::fprintf(stderr, "pool_loop: expected seven arguments\n"), 2;
  const std::string name = argv[1];
  const bool sync = std::strcmp(argv[2], "sync") == 0;
  const i32 threads = std::atoi(argv[3]), num_envs = std::atoi(argv[4]), rows = std::atoi(argv[5]);
  const i32 batches = std::atoi(argv[6]);
  const std::chrono::microseconds pause(std::atoi(argv[7]));
  const abi::Table* table = name == "cartpole"
                                ? envpool::table<classic_control::CartPole, "envpool/classic_control/cartpole.h">()
                                : envpool::table<Slow, "benchmark/pool_loop.cc">();
  EnvConfig how{.num_envs = num_envs};
  how.options.resize(1);
  how.max_episode_steps.assign(size_t(num_envs), 500);
  for (i32 i = 0; i < num_envs; ++i) how.seeds.push_back(1), how.streams.push_back(u32(i));
  const auto pool = EnvPool::make(*table, how, {.label = name, .batch_size = rows, .num_threads = threads});
  std::vector<i32> ids;
  for (i32 i = 0; i < num_envs; ++i) ids.push_back(i);
  pool->reset(ids.data(), num_envs);
  if (sync) pool->recv();
  run(*pool, sync, num_envs, batches / 10 + 2, pause);
  cache_lines::start();
  const Usage before;
  run(*pool, sync, num_envs, batches, pause);
  const Usage after;
  cache_lines::stop();
  const double n = batches, steps = n * rows;
  std::printf("cost %.2f %.2f %.2f\n", 1000 * (after.cpu_us() - before.cpu_us()) / steps,
              double(after.now.ru_nvcsw - before.now.ru_nvcsw) / n,
              double(after.now.ru_nivcsw - before.now.ru_nivcsw) / n);
  cache_lines::report(n, steps);
  pool->close(std::chrono::seconds(5));
}
