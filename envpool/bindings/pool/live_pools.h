// SPDX-License-Identifier: Apache-2.0
//
// A list of the pools of this process, all of which are closed when the interpreter is finalized.
//
// A pool whose Python object was never freed still has running threads when the interpreter has been finalized. exit()
// would then destroy the static objects of plugins and libraries while those threads step environments that use them.
// So the pools are closed by a function registered with Py_AtExit. Python calls it before exit(), and after all Python
// code has run, including `atexit` handlers, which may still step a pool.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <vector>

#include "envpool/core/pool/env_pool.h"

namespace envpool::python {

class LivePools {
 public:
  // The caller holds the interpreter lock, which guards the list.
  static void add(const std::shared_ptr<EnvPool>& pool) {
    std::vector<std::weak_ptr<EnvPool>>& pools = list();
    std::erase_if(pools, [](const std::weak_ptr<EnvPool>& other) { return other.expired(); });
    pools.push_back(pool);
  }

  // Call this once, when the module is imported.
  static void close_at_exit() {
    if (Py_AtExit(close_all) != 0) std::atexit(close_all);  // Python has room for 32 functions
  }

 private:
  // The time that all pools together have to finish their current steps. A thread that takes longer is abandoned.
  static constexpr std::chrono::seconds kPatience{5};

  // The list is never destroyed, because it is read during exit.
  static std::vector<std::weak_ptr<EnvPool>>& list() {
    static auto* const pools = new std::vector<std::weak_ptr<EnvPool>>();
    return *pools;
  }

  static void close_all() {
    for (const std::weak_ptr<EnvPool>& pool : list()) {
      if (const std::shared_ptr<EnvPool> live = pool.lock()) live->stop();
    }
    const auto deadline = EnvPool::Clock::now() + kPatience;
    for (const std::weak_ptr<EnvPool>& pool : list()) {
      const std::shared_ptr<EnvPool> live = pool.lock();
      if (live == nullptr) continue;
      try {
        const std::chrono::duration<double> left = deadline - EnvPool::Clock::now();
        live->close(std::max(left, std::chrono::duration<double>(0)));
      } catch (const std::exception&) {  // the environment hangs, and no caller can be informed
      }
    }
  }
};

}  // namespace envpool::python
