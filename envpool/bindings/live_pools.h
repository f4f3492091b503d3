// SPDX-License-Identifier: Apache-2.0
//
// The pools of this process, which are all closed when the interpreter has ended.
//
// A pool whose Python object was never freed still has its threads then. exit() would destroy the static objects of
// plugins and libraries while those threads step environments that use them. Python calls what Py_AtExit was given
// after it has run all Python code, also that of `atexit`, in which a user may still step, and before exit() is called.
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

  // To be called once, when the module is imported.
  static void close_at_exit() {
    if (Py_AtExit(close_all) != 0) std::atexit(close_all);  // Python has room for 32 functions
  }

 private:
  // How long all pools together may take to finish the steps that are under way. A thread that hangs in a step for
  // longer is abandoned.
  static constexpr std::chrono::seconds kPatience{5};

  // Never destroyed, because it is read during exit.
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
      } catch (const std::exception&) {  // it hangs, and nobody is left who could be told
      }
    }
  }
};

}  // namespace envpool::python
