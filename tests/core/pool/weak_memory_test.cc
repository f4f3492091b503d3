// SPDX-License-Identifier: Apache-2.0
//
// Explores the queue, the buffer and the wake-ups of the pool under C++'s memory model: every interleaving of a few
// threads, and every value that a load may see on a processor that reorders memory accesses. The classes are the real
// ones, compiled with the types of tests/core/memory_model.h in place of the standard library's. The orders of their
// operations are then weakened, and the checker must find an error.
//
// The test needs Linux's ucontext.h, and sanitizers do not support its switches of stacks.
#if defined(__linux__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#include "envpool/core/aligned_memory.h"
#include "envpool/core/assert.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/system/resources.h"
#include "envpool/core/table/vtable.h"
#include "tests/core/memory_model.h"

// A weakened program must not end in an assertion, because the checker is to find its error.
#undef ENVPOOL_ASSERT
#define ENVPOOL_ASSERT(condition) static_cast<void>(false && (condition))

#define std modelled
#include "envpool/core/pool/action_queue.h"
#include "envpool/core/pool/block.h"
#include "envpool/core/pool/worker_wakeups.h"
#undef std

#include "tests/support/testing.h"

namespace envpool::testing {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kSequential = std::memory_order_seq_cst;

using Check = std::function<bool()>;

// Returns whether to explore the large programs too, which takes minutes.
bool whole() {
  const char* wanted = std::getenv("ENVPOOL_TEST_WEAK_MEMORY");
  return wanted != nullptr && std::string(wanted) == "whole";
}

void print(const char* name, const MemoryModel& model) {
  std::printf("%s: %zu states, %zu executions\n", name, model.states, model.executions);
  std::fflush(stdout);
}

// ---- litmus tests of the checker itself ----

// Two threads each store, and then load what the other one stores. Returns whether at least one of them always sees the
// other's store.
bool one_sees_the_other(std::memory_order store, std::memory_order load) {
  MemoryModel model;
  return model.explore([&](MemoryModel& m) -> Check {
    const auto x = std::make_shared<ModelledAtomic<i32>>(0), y = std::make_shared<ModelledAtomic<i32>>(0);
    const auto seen = std::make_shared<std::array<i32, 2>>();
    m.thread([=] {
      x->store(1, store);
      (*seen)[0] = y->load(load);
    });
    m.thread([=] {
      y->store(1, store);
      (*seen)[1] = x->load(load);
    });
    return [=] { return (*seen)[0] + (*seen)[1] > 0; };
  });
}

// One thread writes data and sets a flag; another one that sees the flag reads the data.
bool data_arrives(std::memory_order store, std::memory_order load) {
  MemoryModel model;
  return model.explore([&](MemoryModel& m) -> Check {
    const auto data = std::make_shared<Plain<i32>>();
    const auto flag = std::make_shared<ModelledAtomic<i32>>(0);
    const auto seen = std::make_shared<i32>(1);
    m.thread([=] {
      data->write(1);
      flag->store(1, store);
    });
    m.thread([=] {
      if (flag->load(load) == 1) *seen = data->read();
    });
    return [=] { return *seen == 1; };
  });
}

// Two threads store to different locations. Two others read both, in opposite orders. Returns whether they agree on
// which store was first.
bool readers_agree(std::memory_order store, std::memory_order load) {
  MemoryModel model;
  return model.explore([&](MemoryModel& m) -> Check {
    const auto x = std::make_shared<ModelledAtomic<i32>>(0), y = std::make_shared<ModelledAtomic<i32>>(0);
    const auto seen = std::make_shared<std::array<i32, 4>>();
    m.thread([=] { x->store(1, store); });
    m.thread([=] { y->store(1, store); });
    m.thread([=] {
      (*seen)[0] = x->load(load);
      (*seen)[1] = y->load(load);
    });
    m.thread([=] {
      (*seen)[2] = y->load(load);
      (*seen)[3] = x->load(load);
    });
    return [=] { return *seen != std::array<i32, 4>{1, 0, 1, 0}; };
  });
}

// Two threads store to two locations, in opposite orders. Returns whether the first store of one of them comes last.
bool stores_are_ordered(std::memory_order store) {
  MemoryModel model;
  return model.explore([&](MemoryModel& m) -> Check {
    const auto x = std::make_shared<ModelledAtomic<i32>>(0), y = std::make_shared<ModelledAtomic<i32>>(0);
    m.thread([=] {
      x->store(1, store);
      y->store(2, store);
    });
    m.thread([=] {
      y->store(1, store);
      x->store(2, store);
    });
    return [=] { return !(x->load() == 1 && y->load() == 1); };
  });
}

bool updates_are_atomic() {
  MemoryModel model;
  return model.explore([&](MemoryModel& m) -> Check {
    const auto x = std::make_shared<ModelledAtomic<i32>>(0);
    for (int i = 0; i < 3; ++i) m.thread([=] { x->fetch_add(1, kRelaxed); });
    return [=] { return x->load() == 3; };
  });
}

TEST(the_checker_knows_the_memory_model) {
  CHECK(one_sees_the_other(kSequential, kSequential));
  CHECK(!one_sees_the_other(kRelease, kAcquire));
  CHECK(!one_sees_the_other(kRelaxed, kRelaxed));
  CHECK(data_arrives(kRelease, kAcquire));
  CHECK(data_arrives(kSequential, kSequential));
  CHECK(!data_arrives(kRelaxed, kAcquire));
  CHECK(!data_arrives(kRelease, kRelaxed));
  CHECK(readers_agree(kSequential, kSequential));
  CHECK(!readers_agree(kRelease, kAcquire));
  CHECK(stores_are_ordered(kSequential));
  CHECK(!stores_are_ordered(kRelease));
  CHECK(updates_are_atomic());
}

// Makes the objects of a program. They have the same addresses in every execution, so that states that differ only in
// pointers are not explored twice.
template <class Shared>
std::shared_ptr<Shared> make() {
  alignas(Shared) static unsigned char memory[sizeof(Shared)];
  return std::shared_ptr<Shared>(new (memory) Shared, [](Shared* shared) { shared->~Shared(); });
}

// ---- the queue and the buffer ----

BlockLayout small_layout() {
  abi::Layout layout{};
  layout.max_players = 1;
  return BlockLayout(layout, 2, FinalFields::kNone, Failures::kNever);
}

enum class Sends { kOne, kTwo, kAll };  // kAll: one send, without ids

// A producer sends two environments, in one call or two, and sends them once more when their block is complete. Workers
// take them, read the actions and write the results. Returns whether each environment was stepped once per send, and no
// data was read or written too early.
bool queue_works(Weakened weakened, Sends sends, int workers, i32 rounds, const char* name = nullptr) {
  static const BlockLayout layout = small_layout();
  static constexpr i32 ids[] = {0, 1};
  struct Shared {
    ActionQueue queue{2};
    Block block{layout, 2};
    Plain<i32> actions[2], results[2];
    std::array<i32, 2> stepped{};
    bool wrong = false, again = false;
  };
  MemoryModel model;
  model.weakened = weakened;
  const bool right = model.explore([&](MemoryModel& m) -> Check {
    const auto s = make<Shared>();
    m.thread([=] {
      s->block.open(2);
      for (i32 round = 0; round < rounds; ++round) {
        for (i32 env = 0; env < 2; ++env) {
          s->actions[env].write(round + 1);
          if (sends != Sends::kTwo) continue;
          s->queue.push(&env, 1, Task::kStep, &s->block);
          s->queue.publish();
        }
        if (sends != Sends::kTwo) {
          s->queue.push(sends == Sends::kAll ? nullptr : ids, 2, Task::kStep, &s->block);
          s->queue.publish();
        }
        if (!s->block.complete()) return;
        for (const Plain<i32>& result : s->results) s->wrong |= result.read() != round + 1;
        if (round + 1 < rounds) s->block.open(2);
        s->again |= round + 1 < rounds;
      }
    });
    for (int worker = 0; worker < workers; ++worker) {
      m.thread([=] {
        for (i32 i = 0; i < rounds; ++i) {
          Run run;
          if (!s->queue.take(workers == 1 ? 2 : 1, run)) continue;
          for (i32 k = 0; k < run.count; ++k) {
            const i32 env = run.env_ids[k];
            s->wrong |= run.block != &s->block || run.first_row + k != (sends == Sends::kTwo ? 0 : env);
            s->results[env].write(s->actions[env].read());
            ++s->stepped[size_t(env)];
          }
          s->block.finish(run.count);
        }
      });
    }
    return [=] {
      const i32 most = s->again ? 2 : 1;
      return !s->wrong && s->stepped[0] <= most && s->stepped[1] <= most;
    };
  });
  if (name != nullptr) print(name, model);
  return right;
}

TEST(the_queue_and_the_buffer_work_under_weak_memory_ordering) {
  CHECK(queue_works({}, Sends::kOne, 1, 1, "one worker"));
  CHECK(queue_works({}, Sends::kOne, 1, 2, "one worker, twice"));
  CHECK(queue_works({}, Sends::kOne, 2, 1, "two workers"));
  CHECK(queue_works({}, Sends::kOne, 2, 2, "two workers, twice"));
  CHECK(queue_works({}, Sends::kTwo, 1, 1, "two sends, one worker"));
  CHECK(queue_works({}, Sends::kAll, 2, 2, "two workers, twice, without ids"));
  if (whole()) CHECK(queue_works({}, Sends::kTwo, 2, 2, "two sends, two workers, twice"));
  CHECK(!queue_works({.release = true}, Sends::kOne, 1, 1));
  CHECK(!queue_works({.release = true}, Sends::kTwo, 1, 1));
  CHECK(!queue_works({.release = true}, Sends::kAll, 1, 1));
}

// ---- the wake-ups ----

// A producer sends work once or twice and requests workers. Returns whether all work has been taken when no thread can
// proceed.
bool workers_wake(Weakened weakened, int workers, std::vector<i32> requests, const char* name = nullptr) {
  struct Shared {
    ActionQueue queue{4};
    WorkerWakeups wakeups;
    i32 taken = 0;
  };
  MemoryModel model;
  model.weakened = weakened;
  const bool right = model.explore([&](MemoryModel& m) -> Check {
    const auto s = make<Shared>();
    m.thread([=] {
      for (size_t i = 0; i < requests.size(); ++i) {
        const i32 env_id = i32(i);
        s->queue.push(&env_id, 1, Task::kStep, nullptr);
        s->queue.publish();
        s->wakeups.request(requests[i]);
      }
    });
    for (int worker = 0; worker < workers; ++worker) {
      m.thread([=] {
        while (s->wakeups.wait_for_work([&] { return !s->queue.empty(); })) {
          for (Run run; s->queue.take(1, run);) s->taken += run.count;
        }
      });
    }
    return [=] { return s->taken == i32(requests.size()); };
  });
  if (name != nullptr) print(name, model);
  return right;
}

TEST(no_wake_up_is_lost_under_weak_memory_ordering) {
  CHECK(workers_wake({}, 1, {1}, "one wake-up"));
  CHECK(workers_wake({}, 1, {1, 1}, "two wake-ups of one worker"));
  if (whole()) CHECK(workers_wake({}, 2, {1}, "one wake-up of two workers"));
  CHECK(!workers_wake({.sequential = true}, 1, {1}));
}

// A worker completes a block and looks for receivers; a receiver counts itself and looks for a complete block, as in
// env_pool.h. Returns whether the receiver gets the block.
bool receiver_wakes(Weakened weakened) {
  static const BlockLayout layout = small_layout();
  struct Shared {
    Block block{layout, 2};
    ModelledMutex mutex;
    ModelledCondition received;
    ModelledAtomic<i32> waiting{0};
    Plain<i32> result;
    bool got = false;
  };
  MemoryModel model;
  model.weakened = weakened;
  const bool right = model.explore([&](MemoryModel& m) -> Check {
    const auto s = make<Shared>();
    s->block.open(1);
    m.thread([=] {
      s->result.write(1);
      if (!s->block.finish(1) || s->waiting.load() == 0) return;
      const std::lock_guard lock(s->mutex);
      s->received.notify_all();
    });
    m.thread([=] {
      std::unique_lock lock(s->mutex);
      while (!s->block.complete()) {
        s->waiting.fetch_add(1);
        bool looked = false;  // waits once
        if (!s->block.complete()) s->received.wait(lock, [&] { return std::exchange(looked, true); });
        s->waiting.fetch_sub(1);
      }
      s->got = s->result.read() == 1;
    });
    return [=] { return s->got; };
  });
  return right;
}

TEST(no_receiver_sleeps_on_under_weak_memory_ordering) {
  CHECK(receiver_wakes({}));
  CHECK(!receiver_wakes({.sequential = true}));
}

}  // namespace
}  // namespace envpool::testing

TEST_MAIN()
#else
int main() { return 0; }
#endif
