// SPDX-License-Identifier: Apache-2.0
//
// Environments for the C++ tests of the pool, in each of the contracts, and helpers that create and step pools. They
// are simple enough for tests to predict every value.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "envpool/core/plugin.h"
#include "envpool/core/pool/env_pool.h"

namespace envpool::testing {

// Adds up its actions. The episode ends when the sum reaches `goal`. Observes a random number, drawn at the reset,
// and the sum.
struct SumEnv {
  static constexpr const char* kName = "SumEnv";
  struct Params {
    i64 goal;
  };
  struct State {
    i64 start, sum;
  };
  enum Field { kObs, kStart };
  static void options(OptionSpecs& o) { o.integer("goal", 10, "the sum that ends an episode").between(1, 1e9); }
  static Params params(const OptionValues& values) { return {values.integer("goal")}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<i64>("obs", {2});
    spec.info<i64>("start");
    spec.action<i32>().categories(100);
  }
  ENVPOOL_FN static void reset(State& state, const Params&, Rng& rng) { state = {i64(rng.bits()), 0}; }
  ENVPOOL_FN static Outcome step(State& state, const Params& params, ActionRow action, Rng&) {
    state.sum += *action.at<i32>(0);
    return {f32(state.sum), state.sum >= params.goal};
  }
  ENVPOOL_FN static void observe(const State& state, const Params&, Row row) {
    i64* obs = row.at<i64, 2>(kObs);
    obs[0] = state.start;
    obs[1] = state.sum;
    *row.at<i64, 1>(kStart) = state.start;
  }
};

// A world of 0 to 3 players, whose number changes with every episode. The reward of a player is its action plus its
// number.
struct VaryingPlayersEnv {
  static constexpr const char* kName = "VaryingPlayersEnv";
  static constexpr i32 kMaxPlayers = 3, kPhases = 2;
  struct Params {};
  struct Shared {
    i32 players, total;
  };
  struct Agent {
    i32 last;
  };
  static void options(OptionSpecs&) {}
  static Params params(const OptionValues&) { return {}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<i32>("obs").per_player();
    spec.info<i32>("total");
    spec.action<i32>().per_player();
  }
  ENVPOOL_FN static void reset(World<VaryingPlayersEnv>& world, const Params&, Rng& rng) {
    world.shared = {i32(rng.below(4)), 0};
    for (Agent& agent : world.agent) agent.last = 0;
  }
  ENVPOOL_FN static i32 players(const World<VaryingPlayersEnv>& world) { return world.shared.players; }
  template <int kPhase>
  ENVPOOL_FN static void phase(World<VaryingPlayersEnv>& world, i32 agent, const Params&, ActionRow action, Rng&) {
    if (kPhase == 0) world.agent[agent].last = *action.at<i32>(0);
    if (kPhase == 1) world.agent[agent].last += agent;
  }
  ENVPOOL_FN static Outcome finish(World<VaryingPlayersEnv>& world, const Params&, Rng&) {
    for (i32 i = 0; i < world.shared.players; ++i) world.shared.total += world.agent[i].last;
    return {.terminated = world.shared.total > 50};
  }
  ENVPOOL_FN static f32 reward(const World<VaryingPlayersEnv>& world, i32 agent) {
    return f32(world.agent[agent].last);
  }
  ENVPOOL_FN static void observe(const World<VaryingPlayersEnv>& world, const Params&, i32 agent, Row row) {
    *row.at<i32, 1>(0) = world.agent[agent].last;
  }
  ENVPOOL_FN static void observe_world(const World<VaryingPlayersEnv>& world, const Params&, Row row) {
    *row.at<i32, 1>(1) = world.shared.total;
  }
};

// A world whose number of players is an option, with their data in the extra bytes. Each player adds up its actions,
// and observes its own sum and the next player's sum.
struct SizedWorldEnv {
  static constexpr const char* kName = "SizedWorldEnv";
  static constexpr i32 kMaxPlayers = 1000, kPhases = 2;
  struct Params {
    i32 players;
  };
  struct Shared {
    i32 players;
  };
  static void options(OptionSpecs& o) { o.integer("players", 3, "number of players").between(0, 2000); }
  static Params params(const OptionValues& values) { return {i32(values.integer("players"))}; }
  static i64 extra_bytes(const Params& params) { return i64(sizeof(i32)) * 2 * params.players; }
  static void spec(const Params& params, Spec& spec) {
    spec.max_players = params.players;
    spec.obs<i32>("obs", {2}).per_player();
    spec.action<i32>("action", {2}).categories({1000, 3}).per_player();
  }
  ENVPOOL_FN static void reset(World<SizedWorldEnv>& world, const Params& params, Rng&) {
    world.shared.players = params.players;
    for (i32 i = 0; i < 2 * params.players; ++i) static_cast<i32*>(world.extra())[i] = 0;
  }
  ENVPOOL_FN static i32 players(const World<SizedWorldEnv>& world) { return world.shared.players; }
  template <int kPhase>
  ENVPOOL_FN static void phase(World<SizedWorldEnv>& world, i32 agent, const Params& params, ActionRow action, Rng&) {
    i32* const sums = static_cast<i32*>(world.extra());
    if (kPhase == 0) sums[agent] += *action.at<i32, 2>(0);
    if (kPhase == 1) sums[params.players + agent] = sums[(agent + 1) % params.players];
  }
  ENVPOOL_FN static Outcome finish(World<SizedWorldEnv>&, const Params&, Rng&) { return {}; }
  ENVPOOL_FN static f32 reward(const World<SizedWorldEnv>& world, i32 agent) {
    return f32(static_cast<const i32*>(world.extra())[agent]);
  }
  ENVPOOL_FN static void observe(const World<SizedWorldEnv>& world, const Params& params, i32 agent, Row row) {
    const i32* const sums = static_cast<const i32*>(world.extra());
    row.at<i32, 2>(0)[0] = sums[agent];
    row.at<i32, 2>(0)[1] = sums[params.players + agent];
  }
  ENVPOOL_FN static void observe_world(const World<SizedWorldEnv>&, const Params&, Row) {}
};

// A host environment whose actions trigger faults: 0 steps normally, 1 throws, 2 sleeps for a millisecond, 3 hangs
// until `release` is set, 4 throws in the next reset.
class FaultyEnv {
 public:
  static constexpr const char* kName = "FaultyEnv";
  struct Params {
    bool throw_in_constructor;
  };
  static inline std::atomic<bool> release{false};
  static inline std::atomic<i32> hanging{0};  // number of environments that hang now
  static inline std::mutex names_mutex;
  static inline std::set<std::string> names{};  // of the threads that slept in a step

  static void options(OptionSpecs& o) { o.boolean("throw_in_constructor", false, "throw in the constructor"); }
  static Params params(const OptionValues& values) { return {values.boolean("throw_in_constructor")}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<i32>("obs");
    spec.action<i32>().categories(5);
  }
  FaultyEnv(const Params& params, i32) {
    if (params.throw_in_constructor) throw std::runtime_error("could not be made");
  }
  void reset(Rng&) {
    if (std::exchange(reset_throws_, false)) throw std::runtime_error("reset threw");
    steps_ = 0;
  }
  Outcome step(ActionRow action, Rng&) {
    const i32 command = *action.at<i32>(0);
    if (command == 1) throw std::runtime_error("step threw");
    if (command == 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const std::lock_guard lock(names_mutex);
      names.insert(thread_name());
    }
    if (command == 3) {
      ++hanging;
      while (!release) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      --hanging;
    }
    if (command == 4) {
      reset_throws_ = true;
      return {1, true};
    }
    ++steps_;
    return {1};
  }
  void observe(Row row) { *row.at<i32, 1>(0) = steps_ + 1000; }

 private:
  i32 steps_ = 0;
  bool reset_throws_ = false;
};

// The declarations of a host environment with one observation and two actions, for tests to derive from.
struct HostEnvBase {
  struct Params {};
  static void options(OptionSpecs& o) { o.integer("goal", 10, "ignored"); }
  static Params params(const OptionValues&) { return {}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<i32>("obs");
    spec.action<i32>().categories(2);
  }
};

}  // namespace envpool::testing

// These tables are compiled once, in environments.cc.
namespace envpool {
template <>
const abi::Table* table<testing::SumEnv>();
template <>
const abi::Table* table<testing::VaryingPlayersEnv>();
template <>
const abi::Table* table<testing::SizedWorldEnv>();
template <>
const abi::Table* table<testing::FaultyEnv>();
}  // namespace envpool

namespace envpool::testing {

// The arguments with which tests create a pool, with defaults.
struct PoolConfig {
  i32 num_envs = 1, batch_size = 0, num_threads = 2;
  abi::Autoreset autoreset = abi::kAutoresetNextStep;
  i32 max_episode_steps = 0;
  i64 goal = 10;
  u64 seed = 7;
  StatisticsOptions statistics{};

  std::shared_ptr<EnvPool> operator()(const abi::Table* table, const char* option = "goal") const {
    EnvConfig config{.num_envs = num_envs, .autoreset = autoreset};
    config.options.resize(1);
    config.options[0].add_integer(option, abi::kOptionInt, goal);
    config.max_episode_steps.assign(size_t(num_envs), max_episode_steps);
    config.seeds.assign(size_t(num_envs), seed);
    for (i32 i = 0; i < num_envs; ++i) config.streams.push_back(u32(i));
    const std::shared_ptr<EnvPool> pool =
        EnvPool::make(*table, config, {"test", batch_size, num_threads, {}, statistics});
    // The threads of a pool keep the pool alive until it is closed, so the returned pointer closes it on destruction.
    return {pool.get(), [pool](EnvPool*) { pool->close(std::chrono::seconds(5)); }};
  }
  std::shared_ptr<EnvPool> sum_env() const { return (*this)(table<SumEnv>()); }
  std::shared_ptr<EnvPool> varying_players() const { return (*this)(table<VaryingPlayersEnv>()); }
  std::shared_ptr<EnvPool> sized_world() const { return (*this)(table<SizedWorldEnv>(), "players"); }
  std::shared_ptr<EnvPool> faulty() const { return (*this)(table<FaultyEnv>(), "ignored"); }
};

constexpr int kObs = abi::kCommonFields;
// The observations of SumEnv.
inline i64 start_of(const Block& block, i32 row) { return block.values<i64>(kObs)[row * 2]; }
inline i64 sum_of(const Block& block, i32 row) { return block.values<i64>(kObs)[row * 2 + 1]; }

inline std::vector<i32> all_ids(const EnvPool& pool) {
  std::vector<i32> ids;
  for (i32 i = 0; i < pool.num_envs(); ++i) ids.push_back(i);
  return ids;
}
inline void reset_all(EnvPool& pool) {
  const std::vector<i32> ids = all_ids(pool);
  pool.reset(ids.data(), i32(ids.size()));
}
inline void send(EnvPool& pool, const std::vector<i32>& ids, const std::vector<i32>& actions) {
  const void* field = actions.data();
  pool.send(ids.data(), i32(ids.size()), &field, nullptr, i32(actions.size()));
}
inline Batch step(EnvPool& pool, const std::vector<i32>& actions) {
  const std::vector<i32> ids = all_ids(pool);
  const void* field = actions.data();
  pool.send(ids.data(), i32(ids.size()), &field, nullptr, i32(actions.size()), CallerHelp::kYes);
  return pool.recv({}, {}, CallerHelp::kYes);
}
inline std::string snapshot_of(EnvPool& pool, i32 env_id) { return pool.snapshot(&env_id, 1)[0]; }
inline void restore(EnvPool& pool, i32 env_id, std::string_view state) { pool.restore(&env_id, 1, &state); }
inline EnvPool::Deadline after(double seconds) {
  return EnvPool::Clock::now() +
         std::chrono::duration_cast<EnvPool::Clock::duration>(std::chrono::duration<double>(seconds));
}
// Waits for something that happens soon. The limit allows for a machine that is very busy.
template <class Condition>
void wait_until(Condition&& condition) {
  for (const EnvPool::Deadline limit = after(60); !condition();) {
    if (EnvPool::Clock::now() > *limit) throw std::runtime_error("waited in vain");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace envpool::testing
