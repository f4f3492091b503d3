// SPDX-License-Identifier: Apache-2.0
//
// The types of the pool's interface: its options, its exceptions, and what a call may choose.
#pragma once

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/core/types.h"

namespace envpool {

struct PoolOptions {
  std::string label;               // begins every error text
  i32 batch_size = 0;              // 0: all environments
  i32 num_threads = 0;             // 0: the CPUs this process may use, at most one per row of a batch
  std::vector<i32> thread_cpus{};  // worker i runs on CPU thread_cpus[i % size]; none leaves it to the system
};

struct TimedOut : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The environments would not fit into the memory that this process may use.
struct NoMemory : std::bad_alloc {
  explicit NoMemory(std::string text) : message(std::make_shared<const std::string>(std::move(text))) {}
  const char* what() const noexcept override { return message->c_str(); }
  std::shared_ptr<const std::string> message;
};
// A wait was broken off because the caller's `interrupted` said so (Ctrl-C).
struct Interrupted : std::exception {};

// The kind of thread that calls. XLA runs a program on whichever of its threads is free, so that its threads say
// nothing about how many users there are.
enum class Caller { kUser, kXla };

// Whether the thread that sends and receives a synchronous batch also steps environments of it.
enum class CallerHelp { kNo, kYes };

// Synchronous: a batch has the rows of one send, in its order. Asynchronous: the next batch_size environments that
// finish.
enum class Mode { kSync, kAsync };

// What an environment in the queue is to do.
enum class Task { kStep, kReset };

// The label of a pool, which begins every error text.
class Label {
 public:
  explicit Label(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  std::string text(const std::string& message) const { return "[" + name_ + "] " + message; }
  // For a wrong argument, and for a call that the pool's state does not allow.
  [[noreturn]] void refuse_argument(const std::string& message) const { throw std::invalid_argument(text(message)); }
  [[noreturn]] void refuse_call(const std::string& message) const { throw std::runtime_error(text(message)); }

 private:
  const std::string name_;
};

}  // namespace envpool
