// SPDX-License-Identifier: Apache-2.0
//
// Tests pools of every kind when memory runs out: makes every allocation of every call fail once. The call must throw
// std::bad_alloc and have no effect, and later results must equal those of an undisturbed pool.
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

#include "envpool/core/pool/env_pool.h"
#include "tests/core/environments.h"
#include "tests/support/allocations.h"
#include "tests/support/testing.h"

namespace envpool::testing {

// A host environment that allocates in every step, and observes its id and the sum of its actions.
class HeapEnv {
 public:
  static constexpr const char* kName = "HeapEnv";
  struct Params {};
  static void options(OptionSpecs& o) { o.integer("goal", 10, "ignored"); }
  static Params params(const OptionValues&) { return {}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<i64>("obs", {2});
    spec.action<i32>().categories(100);
    spec.render_height = 2;
    spec.render_width = 3;
  }
  HeapEnv(const Params&, i32 env_id) : id_(env_id) { ++alive; }
  HeapEnv(const HeapEnv&) = delete;
  ~HeapEnv() { --alive; }
  void reset(Rng&) { steps_ = std::make_unique<std::vector<i64>>(1, 0); }
  Outcome step(ActionRow action, Rng&) {
    auto next = std::make_unique<std::vector<i64>>(*steps_);
    next->push_back(*action.at<i32>(0));
    steps_ = std::move(next);
    return {1};
  }
  void observe(Row row) {
    i64* obs = row.at<i64, 2>(0);
    obs[0] = id_;
    obs[1] = 0;
    for (i64 step : *steps_) obs[1] += step;
  }
  i64 save_size() { return i64(sizeof(i64)); }
  void save(void* out) {
    i64 sum = 0;
    for (i64 step : *steps_) sum += step;
    std::memcpy(out, &sum, sizeof(sum));
  }
  void load(const void* data, i64) {
    auto next = std::make_unique<std::vector<i64>>(1);
    std::memcpy(next->data(), data, sizeof(i64));
    steps_ = std::move(next);
  }
  void render(u8* rgb) {
    const std::vector<u8> image(18, u8(id_));
    std::memcpy(rgb, image.data(), image.size());
  }

  static inline std::atomic<i32> alive{0};

 private:
  const i32 id_;
  std::unique_ptr<std::vector<i64>> steps_ = std::make_unique<std::vector<i64>>(1, 0);
};

struct PoolKind {
  const char* name;
  const abi::Table* table;
  i32 batch_size, num_threads;
};

// The observations of each environment, in order.
using Log = std::map<i32, std::vector<i64>>;

// Runs a fixed sequence of calls. In the call with number `target`, the k-th allocation fails; the call is repeated if
// it throws.
class CallScript {
 public:
  CallScript(const PoolKind& kind, int target, long k) : kind_(kind), target_(target), k_(k) {}

  // Returns whether an allocation failed.
  bool run() {
    allocation_failed = false;
    std::shared_ptr<EnvPool> pool;
    call([&] { pool = make(); });
    struct Closed {
      std::shared_ptr<EnvPool>& pool;
      ~Closed() { pool->close(std::chrono::seconds(20)); }
    } const closed{pool};
    const std::vector<i32> ids = all_ids(*pool);
    std::vector<u64> seeds(ids.size(), 11);
    std::vector<u32> streams(ids.size(), 3);
    call([&] { pool->reset(ids.data(), i32(ids.size()), seeds.data(), streams.data()); });
    receive_all(*pool);
    for (i32 round = 1; round <= 3; ++round) {
      // Use two sends, so that blocks of other sizes are needed.
      const std::vector<i32> actions(ids.size(), round);
      const void* field = actions.data();
      const i32 half = i32(ids.size()) / 2 - 1;
      call([&] { pool->send(ids.data(), half, &field); });
      call([&] { pool->send(ids.data() + half, i32(ids.size()) - half, &field); });
      receive_all(*pool);
    }
    call([&] {  // a step; if it fails between send and recv, only recv is repeated
      const std::vector<i32> actions(ids.size(), 9);
      const void* field = actions.data();
      if (pool->under_way() == 0) pool->send(ids.data(), i32(ids.size()), &field, nullptr, -1, CallerHelp::kYes);
    });
    receive_all(*pool);
    std::string state;
    call([&] { state = snapshot_of(*pool, 1); });
    call([&] { restore(*pool, 2, state); });
    const i32 copies[] = {0, 1, 3}, sources[] = {2, 2, 2};
    call([&] { pool->clone(sources, copies, 3); });
    if ((kind_.table->flags & abi::kCanRender) != 0) {
      std::vector<u8> image(18);
      call([&] { pool->render(ids.data(), 1, image.data()); });
      log[0].push_back(image[17]);
    }
    const std::vector<i32> actions(ids.size(), 4);
    const void* field = actions.data();
    drops = target_ == calls || target_ == calls + 1;
    call([&] { pool->send(ids.data(), i32(ids.size()), &field); });
    call([&] { pool->discard(); });
    CHECK_EQ(pool->under_way(), 0);
    call([&] { pool->send(ids.data(), i32(ids.size()), &field); });
    receive_all(*pool);
    call([&] { pool->close(std::chrono::seconds(20)); });
    return allocation_failed;
  }

  Log log;
  std::vector<Failure> failures;
  int calls = 0;
  bool drops = false;  // whether discard() may drop steps that failed, with their exceptions

 private:
  std::shared_ptr<EnvPool> make() const {
    EnvConfig config{.num_envs = 6};
    config.options.resize(1);
    config.options[0].add_integer("goal", abi::kOptionInt, 1000);
    config.max_episode_steps.assign(6, 0);
    config.seeds.assign(6, 7);
    config.streams.assign(6, 0);
    return EnvPool::make(*kind_.table, config,
                         {"a label that is too long for the string itself", kind_.batch_size, kind_.num_threads});
  }

  template <class Action>
  void call(Action&& action) {
    if (calls++ == target_) {
      allocations_until_failure = k_;
      bool threw = false;
      try {
        action();
      } catch (const std::bad_alloc&) {
        threw = true;
      }
      allocations_until_failure = 0;
      if (!threw) return;
    }
    action();
  }

  // Holds the batches, so that no block can be reused.
  void receive_all(EnvPool& pool) {
    while (pool.under_way() > 0) {
      Batch batch;
      call([&] { batch = pool.recv(after(20)); });
      const i64* obs = batch->values<i64>(abi::kCommonFields);
      for (i32 row = 0; row < batch->rows(); ++row) {
        auto& seen = log[batch->values<i32>(abi::kEnvId)[row]];
        seen.insert(seen.end(), {obs[row * 2], obs[row * 2 + 1], batch->values<i32>(abi::kElapsed)[row]});
      }
      failures.insert(failures.end(), batch->failures().begin(), batch->failures().end());
      held_.push_back(std::move(batch));
    }
  }

  const PoolKind kind_;
  const int target_;
  const long k_;
  std::vector<Batch> held_;
};

TEST(every_allocation_of_every_call_may_fail) {
  const auto begin = std::chrono::steady_clock::now();
  const abi::Table* const sum_env = table<SumEnv>();
  const abi::Table* const heap_env = table<HeapEnv>();
  const PoolKind kinds[] = {
      {"portable, sync, one thread", sum_env, 0, 1},  {"portable, sync, three threads", sum_env, 0, 3},
      {"portable, async, one thread", sum_env, 3, 1}, {"portable, async, three threads", sum_env, 2, 3},
      {"host, sync, one thread", heap_env, 0, 1},     {"host, sync, two threads", heap_env, 0, 2},
      {"host, async, two threads", heap_env, 3, 2},
  };
  long total = 0;
  for (const PoolKind& kind : kinds) {
    CallScript undisturbed(kind, -1, 0);
    undisturbed.run();
    long swept = 0;
    for (int target = 0; target < undisturbed.calls; ++target) {
      for (long k = 1;; ++k) {
        CallScript play(kind, target, k);
        if (!play.run()) break;
        ++swept;
        // If the allocation failed inside an environment, recv() reports it, and the environment has been reset.
        std::set<i32> disturbed;
        for (const Failure& failure : play.failures) {
          disturbed.insert(failure.env_id);
          CHECK(failure.message == "std::bad_alloc" || failure.message == "out of memory");
        }
        const bool host = kind.table == heap_env;
        CHECK(host || disturbed.empty());
        for (const auto& [env_id, rows] : undisturbed.log) {
          if (!disturbed.empty() || (host && play.drops)) {
            CHECK_EQ(play.log[env_id].size(), rows.size());
          } else if (play.log[env_id] != rows) {
            std::printf("%s: call %d, allocation %ld: environment %d has other rows\n", kind.name, target, k, env_id);
            CHECK(play.log[env_id] == rows);
          }
        }
      }
    }
    CHECK(swept > 50);
    std::printf("%s: %d calls, %ld failures\n", kind.name, undisturbed.calls, swept);
    total += swept;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%ld allocations failed, in %.1f s\n", total, took.count());
}

// If memory runs out during the creation of a pool, its threads end and its environments are destroyed.
TEST(a_pool_that_cannot_be_created_leaks_nothing) {
  const auto count_threads = [] {
    i32 count = 0;
    if (std::getenv("ENVPOOL_EMULATED") != nullptr) return count;  // qemu-user has threads of its own
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      if (word == "Threads:") status >> count;
    }
    return count;
  };
  const i32 before = count_threads();
  // Linux wakes the thread that joins another one before it stops counting the other one.
  const auto threads_ended = [&] {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (count_threads() != before && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    return count_threads() == before;
  };
  for (const abi::Table* table : {table<SumEnv>(), table<HeapEnv>()}) {
    for (long k = 1;; ++k) {
      allocation_failed = false;
      allocations_until_failure = k;
      try {
        const auto pool = PoolConfig{.num_envs = 4, .batch_size = 2, .num_threads = 3}(table);
        allocations_until_failure = 0;
      } catch (const std::bad_alloc&) {
      }
      allocations_until_failure = 0;
      CHECK(threads_ended());
      CHECK_EQ(HeapEnv::alive.load(), 0);
      if (!allocation_failed) break;
    }
  }
}

}  // namespace envpool::testing

TEST_MAIN()
