// SPDX-License-Identifier: Apache-2.0
//
// How a pool ends with its Python object.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "envpool/bindings/interpreter.h"
#include "envpool/core/pool/env_pool.h"

namespace envpool::python {

// Owns a pool and closes it on destruction.
class OwnedPool {
 public:
  OwnedPool() = default;
  ~OwnedPool() {
    if (!pool_) return;
    if (pool_->forked()) {
      // The pool's threads do not exist in this forked process, so the pool cannot be destroyed. It is leaked.
      static_cast<void>(new (std::nothrow) std::shared_ptr<EnvPool>(std::move(pool_)));
      return;
    }
    const Unlocked unlocked;
    try {
      pool_->close(std::chrono::seconds(5));
    } catch (const std::exception&) {
      // An environment hangs and has been abandoned. A destructor cannot report that.
    }
    pool_.reset();
  }
  OwnedPool(const OwnedPool&) = delete;
  OwnedPool& operator=(const OwnedPool&) = delete;

  void own(std::shared_ptr<EnvPool> pool) { pool_ = std::move(pool); }
  EnvPool* operator->() const { return pool_.get(); }
  EnvPool& operator*() const { return *pool_; }
  const std::shared_ptr<EnvPool>& shared() const { return pool_; }

 private:
  std::shared_ptr<EnvPool> pool_;
};

}  // namespace envpool::python
