// SPDX-License-Identifier: Apache-2.0
//
// The types of the pool's interface: options, exceptions, and arguments of calls.
#pragma once

#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/core/types.h"

namespace envpool {

struct Normalization {
  f64 epsilon = 1e-8;                               // is added to the variance
  f64 clip = std::numeric_limits<f64>::infinity();  // the largest absolute value of the results
  f64 gamma = 0.99;                                 // the discount of rewards
};

// What a pool computes over its batches (statistics.h). The environments have one player, and a pool that normalizes is
// synchronous.
struct StatisticsOptions {
  bool episode_return = false;
  std::string obs_name{};  // the name of the field that is normalized
  std::optional<Normalization> obs{}, reward{};
};

struct PoolOptions {
  std::string label;               // begins every error message
  i32 batch_size = 0;              // 0: all environments
  i32 num_threads = 0;             // 0: as many as usable CPUs, at most one per row of a batch
  std::vector<i32> thread_cpus{};  // worker i runs on CPU thread_cpus[i % size]; empty: no affinity is set
  StatisticsOptions statistics{};
};

struct TimedOut : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Thrown if the environments would exceed the memory that this process may use.
struct NoMemory : std::bad_alloc {
  explicit NoMemory(std::string text) : message(std::make_shared<const std::string>(std::move(text))) {}
  const char* what() const noexcept override { return message->c_str(); }
  std::shared_ptr<const std::string> message;
};
// A wait was interrupted, because the caller's `interrupted` returned true (Ctrl-C).
struct Interrupted : std::exception {};

// The kind of the calling thread. XLA may run the calls of one program on different threads, so the pool does not count
// XLA's threads as separate callers.
enum class Caller { kUser, kXla };

// Says whether the calling thread, which sends and receives a synchronous batch, helps to step its environments.
enum class CallerHelp { kNo, kYes };

// Says whether a send queues the steps, or only checks that its arguments and the pool allow it.
enum class Sending { kQueue, kCheckOnly };

// In place of a stream: a reset leaves the generator of the environment as it is. The streams of pools are smaller.
constexpr u32 kNoStream = 0xFFFFFFFF;

// Synchronous: a batch has the rows of one send, in its order. Asynchronous: a batch has the next batch_size
// environments that finish.
enum class Mode { kSync, kAsync };

// The task of an environment in the queue.
enum class Task { kStep, kReset };

// The label of a pool, which begins every error message.
class Label {
 public:
  explicit Label(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  std::string text(const std::string& message) const { return "[" + name_ + "] " + message; }
  // Throw for an invalid argument, and for a call that the state of the pool does not allow.
  [[noreturn]] void throw_invalid_argument(const std::string& message) const {
    throw std::invalid_argument(text(message));
  }
  [[noreturn]] void throw_invalid_call(const std::string& message) const { throw std::runtime_error(text(message)); }

  // The errors that pools on every device have in common. `call` is the function that the user called.
  void require_env_id(const char* call, i32 env_id, i32 num_envs) const {
    if (env_id >= 0 && env_id < num_envs) return;
    throw_invalid_argument(std::string(call) + ": env_id: expected an id in 0.." + std::to_string(num_envs - 1) +
                           ", got " + std::to_string(env_id));
  }
  [[noreturn]] void throw_under_way(const char* call, i32 env_id) const {
    throw_invalid_call(std::string(call) + ": environment " + std::to_string(env_id) +
                       " is under way; receive its result first");
  }
  [[noreturn]] void throw_nothing_under_way() const {
    throw_invalid_call("recv: nothing is under way; call send, reset or async_reset first");
  }

 private:
  const std::string name_;
};

}  // namespace envpool
