// SPDX-License-Identifier: Apache-2.0
//
// A model checker for small concurrent programs under C++'s memory model. A test includes the real header after
// `#define std modelled`, so that its atomics, mutexes and condition variables are the ones of this file, and explores
// every interleaving of its threads and, for every load, every value that the model allows.
//
// Each location has a history of stores in modification order. A thread has a view: for each location, the oldest store
// that it may still read. A store with release order carries the view of its thread, and a load with acquire order that
// reads it joins that view. A sequentially consistent load reads nothing older than the last sequentially consistent
// store. A read-modify-write takes the place after the store that it reads. Executions in which a load reads a value
// that a later store of the same thread causes ("load buffering") are left out, as in the model RC11.
//
// A state that was reached before is not explored again. What a thread does next follows from the results of its
// operations, so a hash of these results stands for its state. Threads run as coroutines of one thread (ucontext).
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "envpool/core/types.h"

namespace envpool::testing {

inline constexpr int kMaxLocations = 24;
using View = std::array<u8, kMaxLocations>;  // positions in histories

struct Store {
  u64 value = 0;
  View released{};
  bool updates = false;  // whether it is a read-modify-write of the store before it
};

struct Location {
  std::vector<Store> history;
  int sequential = 0;  // position of the last sequentially consistent store
};

// Orders that a test weakens, to show that the checker finds the errors that follow.
struct Weakened {
  bool sequential = false;  // sequentially consistent operations only acquire and release
  bool release = false;     // stores do not release
};

class ModelledMutex;

struct Fiber {
  std::function<void()> body;
  ucontext_t context{};
  std::vector<char> stack;
  View view{};
  u64 results = 0;     // a hash of the results of its operations
  u64 operations = 0;  // number of operations that it has begun
  ModelledMutex* wants = nullptr;
  bool asleep = false, done = false;
};

class MemoryModel {
 public:
  static MemoryModel*& current() {
    static MemoryModel* model = nullptr;
    return model;
  }

  Weakened weakened;
  std::vector<Location> locations;
  std::vector<ModelledMutex*> mutexes;
  std::vector<std::unique_ptr<Fiber>> fibers;
  Fiber* running = nullptr;
  bool race = false;
  size_t states = 0, executions = 0;

  // A program constructs its objects, adds its threads and returns a function that checks the outcome when no thread
  // can proceed.
  using Program = std::function<std::function<bool()>(MemoryModel&)>;

  // Returns whether the outcome of every execution is right and no execution has a data race.
  bool explore(const Program& program) {
    current() = this;
    bool right = true;
    do {
      depth_ = 0;
      locations.clear();
      mutexes.clear();
      fibers.clear();
      const std::function<bool()> check = program(*this);
      right = !run() || (check() && !race);
      ++executions;
    } while (right && next());
    states = known_.size();
    fibers.clear();
    current() = nullptr;
    return right;
  }

  void thread(std::function<void()> body) {
    fibers.push_back(std::make_unique<Fiber>());
    fibers.back()->body = std::move(body);
    fibers.back()->stack.resize(64 << 10);
  }

  // Chooses one of `count` continuations; explore() tries all of them.
  int choose(int count) {
    if (count == 1) return 0;
    if (depth_ == path_.size()) path_.push_back({0, count});
    return path_[depth_++].chosen;
  }

  // Lets other threads proceed before the calling thread's next operation.
  void pause() {
    ++running->operations;
    swapcontext(&running->context, &scheduler_);
  }
  void record(u64 result) { running->results = mix(running->results, result); }

  int add_location(u64 value) {
    locations.push_back({{Store{value}}, 0});
    return int(locations.size()) - 1;
  }

  // Returns whether a store may take the place after `position`.
  bool is_free(int location, int position) const {
    const auto& history = locations[size_t(location)].history;
    return size_t(position) + 1 == history.size() || !history[size_t(position) + 1].updates;
  }
  int oldest(int location, bool sequential) const {
    const int seen = running->view[size_t(location)];
    return sequential ? std::max(seen, locations[size_t(location)].sequential) : seen;
  }
  // Returns the position after which to insert, or from which to read.
  template <class Allowed>
  int choose_position(int location, bool sequential, Allowed&& allowed) {
    std::vector<int> positions;
    for (int i = int(locations[size_t(location)].history.size()) - 1; i >= oldest(location, sequential); --i) {
      if (allowed(i)) positions.push_back(i);
    }
    return positions[size_t(choose(int(positions.size())))];
  }
  void read(int location, int position, bool acquires) {
    running->view[size_t(location)] = u8(position);
    if (acquires) join(running->view, locations[size_t(location)].history[size_t(position)].released);
  }
  void insert(int location, int after, Store store, bool releases, bool sequential) {
    const u8 position = u8(after + 1);
    const auto shift = [&](View& view) {
      view[size_t(location)] = u8(view[size_t(location)] + (view[size_t(location)] > after));
    };
    for (const auto& fiber : fibers) shift(fiber->view);
    for (Location& other : locations) {
      for (Store& stored : other.history) shift(stored.released);
    }
    shift_mutexes(shift);
    shift(store.released);
    Location& where = locations[size_t(location)];
    if (where.sequential > after) ++where.sequential;
    running->view[size_t(location)] = position;
    if (releases) join(store.released, running->view);
    where.history.insert(where.history.begin() + position, store);
    if (sequential) where.sequential = position;
  }
  static void join(View& view, const View& other) {
    for (size_t i = 0; i < view.size(); ++i) view[i] = std::max(view[i], other[i]);
  }

  // The orders of an operation after weakening.
  struct Effects {
    bool acquires, releases, sequential;
  };
  Effects effects(std::memory_order order) const {
    const bool sequential = order == std::memory_order_seq_cst, both = sequential || order == std::memory_order_acq_rel;
    return {both || order == std::memory_order_acquire,
            (both || order == std::memory_order_release) && !weakened.release, sequential && !weakened.sequential};
  }

 private:
  struct Choice {
    int chosen, count;
  };

  static u64 mix(u64 hash, u64 value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 29;
  }
  template <class Shift>
  void shift_mutexes(Shift&& shift);
  u64 key() const;
  static bool can_run(const Fiber& fiber);
  static void start() {
    MemoryModel& model = *current();
    model.running->body();
    model.running->done = true;
    setcontext(&model.scheduler_);
  }

  // Runs one execution. Returns false if it reached a known state.
  bool run() {
    race = false;
    for (const auto& fiber : fibers) {
      getcontext(&fiber->context);
      fiber->context.uc_stack.ss_sp = fiber->stack.data();
      fiber->context.uc_stack.ss_size = fiber->stack.size();
      makecontext(&fiber->context, &MemoryModel::start, 0);
    }
    while (true) {
      std::vector<Fiber*> ready;
      for (const auto& fiber : fibers) {
        if (can_run(*fiber)) ready.push_back(fiber.get());
      }
      if (depth_ == path_.size() && !known_.insert(key()).second) return false;
      if (ready.empty() || race) return true;
      running = ready[size_t(choose(int(ready.size())))];
      swapcontext(&scheduler_, &running->context);
      running = nullptr;
    }
  }
  // Moves on to the next path.
  bool next() {
    while (!path_.empty() && path_.back().chosen + 1 == path_.back().count) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().chosen;
    return true;
  }

  std::vector<Choice> path_;
  size_t depth_ = 0;
  std::unordered_set<u64> known_;
  ucontext_t scheduler_{};
};

template <class T>
class ModelledAtomic {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);

 public:
  ModelledAtomic(T value = T()) : at_(MemoryModel::current()->add_location(bits(value))) {}
  ModelledAtomic(const ModelledAtomic&) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const {
    MemoryModel& model = *MemoryModel::current();
    if (model.running == nullptr) return value(model.locations[size_t(at_)].history.back().value);
    model.pause();
    const auto effects = model.effects(order);
    return take(model.choose_position(at_, effects.sequential, [](int) { return true; }), effects.acquires);
  }
  void store(T desired, std::memory_order order = std::memory_order_seq_cst) {
    MemoryModel& model = *MemoryModel::current();
    if (model.running == nullptr) {
      model.locations[size_t(at_)].history = {Store{bits(desired)}};
      return;
    }
    model.pause();
    const auto effects = model.effects(order);
    const int after = model.choose_position(at_, effects.sequential, [&](int i) { return model.is_free(at_, i); });
    model.insert(at_, after, Store{bits(desired)}, effects.releases, effects.sequential);
  }
  T fetch_add(T by, std::memory_order order = std::memory_order_seq_cst) {
    return update([&](T old) { return T(old + by); }, order);
  }
  T fetch_sub(T by, std::memory_order order = std::memory_order_seq_cst) {
    return update([&](T old) { return T(old - by); }, order);
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order order = std::memory_order_seq_cst,
                             std::memory_order failed = std::memory_order_seq_cst) {
    MemoryModel& model = *MemoryModel::current();
    model.pause();
    const auto effects = model.effects(order);
    const int from = model.choose_position(at_, effects.sequential, [&](int i) {
      return model.locations[size_t(at_)].history[size_t(i)].value != bits(expected) || model.is_free(at_, i);
    });
    if (model.locations[size_t(at_)].history[size_t(from)].value != bits(expected)) {
      expected = take(from, model.effects(failed).acquires);
      return false;
    }
    replace(from, desired, effects);
    return true;
  }

 private:
  static u64 bits(T value) {
    u64 result = 0;
    std::memcpy(&result, &value, sizeof(value));
    return result;
  }
  static T value(u64 bits) {
    T result;
    std::memcpy(&result, &bits, sizeof(result));
    return result;
  }
  T take(int position, bool acquires) const {
    MemoryModel& model = *MemoryModel::current();
    model.read(at_, position, acquires);
    const u64 found = model.locations[size_t(at_)].history[size_t(position)].value;
    model.record(found);
    return value(found);
  }
  // A read-modify-write continues the release sequence of the store that it reads.
  T replace(int from, T desired, MemoryModel::Effects effects) {
    MemoryModel& model = *MemoryModel::current();
    const T old = take(from, effects.acquires);
    model.insert(at_, from, Store{bits(desired), model.locations[size_t(at_)].history[size_t(from)].released, true},
                 effects.releases, effects.sequential);
    return old;
  }
  template <class Function>
  T update(Function&& function, std::memory_order order) {
    MemoryModel& model = *MemoryModel::current();
    model.pause();
    const auto effects = model.effects(order);
    const int from = model.choose_position(at_, effects.sequential, [&](int i) { return model.is_free(at_, i); });
    return replace(from, function(value(model.locations[size_t(at_)].history[size_t(from)].value)), effects);
  }

  const int at_;
};

// A variable that is not atomic. A read that does not happen after the last write is a data race, as is a write that
// does not happen after the last one.
template <class T>
class Plain {
 public:
  T read() const {
    check();
    return T(MemoryModel::current()->locations[size_t(at_)].history.back().value);
  }
  void write(T value) {
    MemoryModel& model = *MemoryModel::current();
    check();
    model.insert(at_, int(model.locations[size_t(at_)].history.size()) - 1, Store{u64(value)}, /*releases=*/false,
                 /*sequential=*/false);
  }

 private:
  void check() const {
    MemoryModel& model = *MemoryModel::current();
    if (size_t(model.running->view[size_t(at_)]) + 1 == model.locations[size_t(at_)].history.size()) return;
    model.race = true;
    model.pause();
  }
  const int at_ = MemoryModel::current()->add_location(0);
};

class ModelledMutex {
 public:
  ModelledMutex() { MemoryModel::current()->mutexes.push_back(this); }
  ModelledMutex(const ModelledMutex&) = delete;
  void lock() {
    MemoryModel& model = *MemoryModel::current();
    model.running->wants = this;
    model.pause();
    acquire(*model.running);
  }
  void unlock() {
    MemoryModel& model = *MemoryModel::current();
    model.pause();
    release(model);
  }
  void acquire(Fiber& fiber) {
    fiber.wants = nullptr;
    owner = &fiber;
    MemoryModel::join(fiber.view, view);
  }
  void release(const MemoryModel& model) {
    owner = nullptr;
    view = model.running->view;
  }

  const Fiber* owner = nullptr;
  View view{};
};

// Threads are woken only by notifications, so that a lost one is found.
class ModelledCondition {
 public:
  template <class Lock, class Condition>
  void wait(Lock& lock, Condition&& condition) {
    MemoryModel& model = *MemoryModel::current();
    while (!condition()) {
      model.pause();
      Fiber& fiber = *model.running;
      lock.mutex()->release(model);
      fiber.wants = lock.mutex();
      fiber.asleep = true;
      sleepers_.push_back(&fiber);
      model.pause();
      lock.mutex()->acquire(fiber);
    }
  }
  void notify_one() {
    MemoryModel& model = *MemoryModel::current();
    model.pause();
    if (!sleepers_.empty()) wake(size_t(model.choose(int(sleepers_.size()))));
  }
  void notify_all() {
    MemoryModel::current()->pause();
    while (!sleepers_.empty()) wake(0);
  }

 private:
  void wake(size_t which) {
    sleepers_[which]->asleep = false;
    sleepers_.erase(sleepers_.begin() + std::ptrdiff_t(which));
  }
  std::vector<Fiber*> sleepers_;
};

inline bool MemoryModel::can_run(const Fiber& fiber) {
  return !fiber.done && !fiber.asleep && (fiber.wants == nullptr || fiber.wants->owner == nullptr);
}

template <class Shift>
void MemoryModel::shift_mutexes(Shift&& shift) {
  for (ModelledMutex* mutex : mutexes) shift(mutex->view);
}

inline u64 MemoryModel::key() const {
  u64 hash = 1;
  const auto add = [&](const View& view) {
    for (size_t i = 0; i < view.size(); i += 8) {
      u64 word;
      std::memcpy(&word, view.data() + i, 8);
      hash = mix(hash, word);
    }
  };
  for (const auto& fiber : fibers) {
    hash = mix(hash, fiber->results);
    hash = mix(hash, u64(fiber->asleep) + 2 * u64(fiber->done) + 4 * u64(fiber->wants != nullptr));
    hash = mix(hash, fiber->operations);
    add(fiber->view);
  }
  for (const Location& location : locations) {
    hash = mix(hash, u64(location.sequential) << 32 | location.history.size());
    for (const Store& store : location.history) {
      hash = mix(hash, store.value * 2 + store.updates);
      add(store.released);
    }
  }
  for (const ModelledMutex* mutex : mutexes) {
    add(mutex->view);
    for (size_t i = 0; i < fibers.size(); ++i) hash = mix(hash, u64(mutex->owner == fibers[i].get()));
  }
  return hash;
}

}  // namespace envpool::testing

// The names that headers use after `#define std modelled`.
namespace modelled {
using namespace ::std;
template <class T>
using atomic = ::envpool::testing::ModelledAtomic<T>;
using mutex = ::envpool::testing::ModelledMutex;
using condition_variable = ::envpool::testing::ModelledCondition;

// Time passes with every look at the clock, so that a thread that spins checks its condition once.
namespace chrono {
using namespace ::std::chrono;
struct steady_clock {
  static microseconds now() {
    static ::envpool::i64 time = 0;
    return microseconds(time += 1000);
  }
};
}  // namespace chrono
}  // namespace modelled
