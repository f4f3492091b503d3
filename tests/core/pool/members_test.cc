// SPDX-License-Identifier: Apache-2.0
//
// Tests mixed pools, which have environments of several tables.
#include "envpool/core/pool/members.h"

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "envpool/core/pool/env_pool.h"
#include "tests/core/environments.h"
#include "tests/support/testing.h"

namespace envpool::testing {

// Has the arrays of SumEnv. Its state is larger, and each action counts twice.
struct DoubleSumEnv {
  static constexpr const char* kName = "DoubleSumEnv";
  using Params = SumEnv::Params;
  struct State {
    SumEnv::State sum;
    i64 steps[5];
  };
  static void options(OptionSpecs& o) { SumEnv::options(o); }
  static Params params(const OptionValues& values) { return SumEnv::params(values); }
  static void spec(const Params& params, Spec& spec) { SumEnv::spec(params, spec); }
  ENVPOOL_FN static void reset(State& state, const Params& params, Rng& rng) {
    SumEnv::reset(state.sum, params, rng);
    for (i64& steps : state.steps) steps = 0;
  }
  ENVPOOL_FN static Outcome step(State& state, const Params& params, ActionRow action, Rng& rng) {
    ++state.steps[4];
    SumEnv::step(state.sum, params, action, rng);
    return SumEnv::step(state.sum, params, action, rng);
  }
  ENVPOOL_FN static void observe(const State& state, const Params& params, Row row) {
    SumEnv::observe(state.sum, params, row);
  }
};

// Has the arrays of FaultyEnv.
struct HealthyEnv : FaultyEnv {
  static constexpr const char* kName = "HealthyEnv";
  using FaultyEnv::FaultyEnv;
  Outcome step(ActionRow, Rng&) { return {2}; }
  void reset(Rng&) {}
  void observe(Row row) { *row.at<i32, 1>(0) = 5; }
};

// Waits for each result after the first, as if another process computed it. The row that was claimed last is published
// meanwhile.
struct WaitingEnv : HealthyEnv {
  static constexpr const char* kName = "WaitingEnv";
  using HealthyEnv::HealthyEnv;
  struct CallBatch {
    static constexpr i32 kMax = 256;
    CallBatch(const abi::Work& work, bool) : work_(work) {}
    void reset(WaitingEnv&, const Rng&) { ++count_; }
    void step(WaitingEnv&, ActionRow) { ++count_; }
    i32 next() {
      if (next_ == count_) return -1;
      if (next_ > 0) {
        work_.pause(work_.context);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      return next_++;
    }

   private:
    const abi::Work& work_;
    i32 count_ = 0, next_ = 0;
  };
};

// Has SumEnv's arrays, but for one more action.
struct WideSumEnv : SumEnv {
  static constexpr const char* kName = "WideSumEnv";
  static void spec(const Params& params, Spec& spec) {
    SumEnv::spec(params, spec);
    spec.action<i32>("other").categories(2);
  }
};

struct Task {
  const abi::Table* table;
  std::string label;
  i32 count;
  i64 goal = 10;
};

// Returns the members of a pool. Environment i of the pool draws from stream i.
std::vector<MemberConfig> members(const std::vector<Task>& tasks, abi::Autoreset autoreset = abi::kAutoresetNextStep) {
  std::vector<MemberConfig> configs;
  u32 stream = 0;
  for (const Task& task : tasks) {
    EnvConfig config{.num_envs = task.count, .autoreset = autoreset};
    config.options.resize(1);
    if ((task.table->flags & abi::kPortable) != 0) config.options[0].add_integer("goal", abi::kOptionInt, task.goal);
    config.max_episode_steps.assign(size_t(task.count), i32(task.goal) / 4);
    config.seeds.assign(size_t(task.count), 7);
    for (i32 i = 0; i < task.count; ++i) config.streams.push_back(stream++);
    configs.push_back({task.table, task.label, config});
  }
  return configs;
}

std::shared_ptr<EnvPool> made(const std::vector<MemberConfig>& members, i32 batch_size, i32 num_threads) {
  const auto pool = EnvPool::make(members, {"test", batch_size, num_threads});
  return {pool.get(), [pool](EnvPool*) { pool->close(std::chrono::seconds(5)); }};
}

// Returns all arrays of each environment's row as bytes.
std::map<i32, std::string> rows_of(const Block& block) {
  std::map<i32, std::string> rows;
  for (i32 row = 0; row < block.rows(); ++row) {
    std::string& bytes = rows[block.values<i32>(abi::kEnvId)[row]];
    for (size_t f = 0; f < block.layout().arrays.size(); ++f) {
      const Array& array = block.layout().arrays[f];
      if (array.name.starts_with("final.") && block.values<u8>(abi::kTerminated)[row] == 0 &&
          block.values<u8>(abi::kTruncated)[row] == 0)
        continue;
      const char* const data = reinterpret_cast<const char*>(block.data(i32(f)));
      bytes.append(data + i64(row) * array.row_bytes, size_t(array.row_bytes));
    }
  }
  return rows;
}

i32 action_of(i32 env_id, i32 time) { return (env_id * 7 + time * 3) % 10; }

// Steps every environment at least `steps` times, and returns the rows of the first `steps` steps of each.
std::vector<std::string> played(EnvPool& pool, i32 steps) {
  std::vector<std::string> rows(size_t(pool.num_envs()));
  std::vector<i32> times(size_t(pool.num_envs()), 0);
  reset_all(pool);
  for (i32 left = pool.num_envs() * steps; left > 0;) {
    std::vector<i32> ids, actions;
    for (const auto& [env_id, bytes] : rows_of(*pool.recv())) {
      i32& time = times[size_t(env_id)];
      if (time++ < steps) {
        rows[size_t(env_id)] += bytes;
        --left;
      }
      ids.push_back(env_id);
      actions.push_back(action_of(env_id, time));
    }
    send(pool, ids, actions);
  }
  return rows;
}

// Some members have more environments than a thread takes at once, and some fewer.
TEST(a_row_of_a_mixed_pool_equals_that_of_a_separate_pool) {
  constexpr i32 kSteps = 30;
  const std::vector<Task> tasks = {{table<SumEnv>(), "A", 3, 60},
                                   {table<DoubleSumEnv>(), "B", 600, 90},
                                   {table<SumEnv>(), "C", 5, 200},
                                   {table<DoubleSumEnv>(), "D", 1, 30}};
  for (const abi::Autoreset autoreset : {abi::kAutoresetNextStep, abi::kAutoresetSameStep}) {
    std::vector<std::string> expected;
    for (const Task& task : tasks) {
      const auto separate = made(members({{task.table, task.label, 609, task.goal}}, autoreset), 0, 1);
      const std::vector<std::string> rows = played(*separate, kSteps);
      const auto first = rows.begin() + i64(expected.size());
      expected.insert(expected.end(), first, first + task.count);
    }
    for (const i32 threads : {1, 3}) {
      for (const i32 batch_size : {0, 1, 100}) {
        const auto mixed = made(members(tasks, autoreset), batch_size, threads);
        const std::vector<std::string> rows = played(*mixed, kSteps);
        i32 wrong = 0;
        for (size_t i = 0; i < rows.size(); ++i) wrong += rows[i] != expected[i];
        CHECK_EQ(wrong, 0);
      }
    }
  }
}

TEST(a_mixed_pool_steps_environments_in_any_order) {
  const auto pool = made(members({{table<SumEnv>(), "A", 2, 100}, {table<DoubleSumEnv>(), "B", 3, 100}}), 0, 2);
  reset_all(*pool);
  (void)pool->recv();
  send(*pool, {4, 0, 2}, {5, 6, 7});
  const Batch batch = pool->recv();
  const i32 env_ids[] = {4, 0, 2};
  const i64 sums[] = {10, 6, 14};
  for (i32 row = 0; row < 3; ++row) {
    CHECK_EQ(batch->values<i32>(abi::kEnvId)[row], env_ids[row]);
    CHECK_EQ(sum_of(*batch, row), sums[row]);
  }
  const Batch observed = pool->observe(env_ids, 3);
  for (i32 row = 0; row < 3; ++row) {
    CHECK_EQ(observed->values<i32>(abi::kEnvId)[row], env_ids[row]);
    CHECK_EQ(sum_of(*observed, row), sums[row]);
  }
}

TEST(states_of_a_mixed_pool_belong_to_their_tasks) {
  const std::vector<Task> tasks = {{table<SumEnv>(), "A", 2, 100}, {table<DoubleSumEnv>(), "B", 2, 100}};
  const auto pool = made(members(tasks), 0, 2);
  const auto separate = made(members({{table<DoubleSumEnv>(), "B", 1, 100}}), 0, 1);
  for (const auto& each : {pool, separate}) {
    reset_all(*each);
    (void)each->recv();
  }
  (void)step(*pool, {1, 2, 3, 4});
  const std::string state = snapshot_of(*pool, 3);
  restore(*separate, 0, state);
  CHECK_EQ(sum_of(*step(*separate, {5}), 0), 18);
  restore(*pool, 2, snapshot_of(*separate, 0));
  const Batch batch = step(*pool, {0, 0, 1, 1});
  CHECK_EQ(sum_of(*batch, 2), 20);
  CHECK_EQ(sum_of(*batch, 3), 10);
  CHECK_THROWS(restore(*pool, 1, state), std::invalid_argument);

  const i32 a = 0, b = 2, other = 3;
  pool->clone(&b, &other, 1);
  CHECK_EQ(sum_of(*step(*pool, {0, 0, 1, 1}), 3), 22);
  CHECK_THROWS(pool->clone(&a, &b, 1), std::invalid_argument);

  // Seeds go to the environment with the number in the pool.
  const u64 seed = 3;
  const u32 stream = 9;
  pool->reset(&other, 1, &seed, &stream);
  const i64 start = start_of(*pool->recv(), 0);
  const i32 zero = 0;
  separate->reset(&zero, 1, &seed, &stream);
  CHECK_EQ(start, start_of(*separate->recv(), 0));
}

// An action of 1 throws in the step, and one of 4 in the reset that follows: with same-step autoreset, after the
// environment has got a row.
TEST(failures_in_a_mixed_pool_have_the_ids_of_the_pool) {
  for (const abi::Autoreset autoreset : {abi::kAutoresetNextStep, abi::kAutoresetSameStep}) {
    for (const i32 batch_size : {0, 1}) {
      const auto pool =
          made(members({{table<HealthyEnv>(), "A", 3}, {table<FaultyEnv>(), "B", 3}}, autoreset), batch_size, 1);
      reset_all(*pool);
      for (i32 received = 0; received < 6;) received += pool->recv()->rows();
      send(*pool, {0, 1, 2, 3, 4, 5}, {0, 1, 4, 0, 1, 4});
      std::string failed;
      std::map<i32, i32> observed;
      for (i32 received = 0; received < 6;) {
        const Batch batch = pool->recv();
        received += batch->rows();
        for (i32 row = 0; row < batch->rows(); ++row)
          observed[batch->values<i32>(abi::kEnvId)[row]] = batch->values<i32>(kObs)[row];
        for (const Failure& failure : batch->failures()) failed += std::to_string(failure.env_id) + failure.message;
      }
      CHECK_EQ(failed, autoreset == abi::kAutoresetNextStep ? "4step threw" : "4step threw5reset threw");
      CHECK_EQ(i32(observed.size()), 6);
      CHECK_EQ(observed[2], 5);
      CHECK_EQ(observed[3], 1001);
      CHECK_EQ(observed[4], 1000);
    }
  }
}

TEST(rows_that_are_published_during_a_wait_have_the_ids_of_the_pool) {
  for (const i32 batch_size : {0, 1}) {
    const auto pool = made(members({{table<WaitingEnv>(), "A", 2}, {table<WaitingEnv>(), "B", 4}}), batch_size, 1);
    reset_all(*pool);
    std::map<i32, i32> received;
    for (i32 rows = 0; rows < 6;) {
      const Batch batch = pool->recv();
      rows += batch->rows();
      for (i32 row = 0; row < batch->rows(); ++row) ++received[batch->values<i32>(abi::kEnvId)[row]];
    }
    CHECK_EQ(i32(received.size()), 6);
    for (i32 env_id = 0; env_id < 6; ++env_id) CHECK_EQ(received[env_id], 1);
  }
}

TEST(the_arrays_of_all_tasks_are_equal) {
  const auto refusal = [](const std::vector<Task>& tasks) -> std::string {
    try {
      made(members(tasks), 0, 1);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  CHECK_EQ(refusal({{table<SumEnv>(), "A", 1}, {table<DoubleSumEnv>(), "B", 1}}), "");
  CHECK_EQ(refusal({{table<SumEnv>(), "A", 1}, {table<WideSumEnv>(), "B", 1}}),
           "B: tasks: expected ids with equal arrays, got other arrays than those of A");
  CHECK_EQ(refusal({{table<SumEnv>(), "A", 1}, {table<FaultyEnv>(), "B", 1}}),
           "B: tasks: expected ids with equal arrays, got other arrays than those of A");
}

// A pool is as slow to predict as its slowest table, and may throw if one of them may.
TEST(the_flags_of_a_mixed_pool_hold_for_all_tasks) {
  const auto flags = [](const std::vector<const abi::Table*>& tables) {
    std::vector<Task> tasks;
    for (const abi::Table* each : tables) tasks.push_back({each, "A", 1});
    return Members(members(tasks)).flags();
  };
  const auto has = [&](const std::vector<const abi::Table*>& tables, u32 flag) { return (flags(tables) & flag) != 0; };
  for (const abi::Flags flag : {abi::kPortable, abi::kBounded})
    CHECK(has({table<SumEnv>(), table<DoubleSumEnv>()}, flag));
  for (const abi::Flags flag : {abi::kPortable, abi::kBounded})
    CHECK(!has({table<HealthyEnv>(), table<FaultyEnv>()}, flag));
  CHECK(has({table<HealthyEnv>(), table<FaultyEnv>()}, abi::kMayThrow));
}

}  // namespace envpool::testing

TEST_MAIN()
