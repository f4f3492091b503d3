// SPDX-License-Identifier: Apache-2.0
//
// Tests that pools are refused if they would exceed the memory limit or the range of an index.
#include "envpool/core/pool/env_pool.h"

#include <cmath>

#include "tests/core/environments.h"
#include "tests/support/testing.h"

namespace envpool::testing {

// Declares as much heap memory as an option says, but allocates none.
class HeapClaimEnv {
 public:
  static constexpr const char* kName = "HeapClaimEnv";
  struct Params {
    i64 bytes;
  };
  static void options(OptionSpecs& o) { o.integer("goal", 0, "heap memory of an environment in bytes"); }
  static Params params(const OptionValues& values) { return {values.integer("goal")}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<i32>("obs");
    spec.action<i32>();
  }
  static i64 heap_bytes(const Params& params) { return params.bytes; }
  HeapClaimEnv(const Params&, i32) { ++made; }
  void reset(Rng&) {}
  Outcome step(ActionRow, Rng&) { return {}; }
  void observe(Row row) { *row.at<i32, 1>(0) = 0; }

  static inline std::atomic<i32> made{0};
};

TEST(host_environments_that_exceed_the_memory_limit_are_refused) {
  const f64 usable = usable_memory();
  const auto making = [](f64 bytes) { return PoolConfig{.num_envs = 4, .goal = i64(bytes)}; };
  const abi::Table* const table = envpool::table<HeapClaimEnv>();
  CHECK_EQ(making(usable / 16)(table)->num_envs(), 4);
  CHECK_EQ(HeapClaimEnv::made.exchange(0), 4);
  try {
    making(usable / 3)(table);
    CHECK(!"refused");
  } catch (const NoMemory& error) {
    const std::string text = error.what();
    const std::string start = "[test] num_envs: no memory for 4 environments in batches of 4, which need at least ";
    CHECK_EQ(text.substr(0, start.size()), start);
    CHECK(std::stod(text.substr(start.size())) >= std::floor(usable / 3 * 4 / (1 << 20)));
  }
  CHECK_EQ(HeapClaimEnv::made.load(), 0);
}

TEST(the_memory_of_a_pool_is_the_sum_of_its_parts) {
  const i64 shape[] = {10};
  const abi::Field fields[] = {{"obs", abi::kF64, false, 1, shape, 80, 0}};
  const abi::Layout layout{fields, nullptr, 1, 0, 1, 0, 0};
  const BlockLayout blocks(layout, 7, FinalFields::kNone);
  const f64 row = 4 + 4 + 1 + 1 + 4 + 4 + 4 + 4 + 80;
  const MemoryNeeds needs{.num_envs = 7, .num_threads = 3, .blocks = 2, .env_bytes = 1000, .actions_bytes = 100};
  CHECK_EQ(needs.bytes(blocks), 1000 + 100 + 2 * 7 * row + 3 * MemoryNeeds::kThreadBytes);
}

TEST(more_player_rows_than_fit_an_index_are_refused) {
  EnvConfig config{.num_envs = 1 << 22, .options = std::vector<OptionList>(1)};
  config.options[0].add_integer("players", abi::kOptionInt, 1000);
  config.max_episode_steps.assign(size_t(config.num_envs), 0);
  config.seeds.assign(size_t(config.num_envs), 0);
  config.streams.assign(size_t(config.num_envs), 0);
  CHECK_THROWS(EnvPool::make(*table<SizedWorldEnv>(), config, {"test", 1, 1}), std::invalid_argument);
  config.num_envs = 1 << 21;  // within the range, but too large for memory
  CHECK_THROWS(EnvPool::make(*table<SizedWorldEnv>(), config, {"test", 0, 1}), NoMemory);
}

}  // namespace envpool::testing

TEST_MAIN()
