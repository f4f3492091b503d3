// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/jax/pool.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <random>

#include "envpool/bindings/jax/pool_arrays.h"

namespace envpool::xla {
namespace {

// `process` is a random number, by which a handle from another process is rejected.
struct PoolHandle {
  u32 number, process;
};

Registry<PoolEntry>& pool_entries() {
  static auto* registry = new Registry<PoolEntry>;  // never destroyed: compiled code may run during exit
  return *registry;
}
constexpr const char* kPoolDeleted =
    "envpool: the pool of this program was deleted before the program was compiled; keep it while the program runs";
u32 process_mark() {
  static const u32 mark = std::random_device{}();
  return mark;
}

PoolRegistration register_pool(PoolEntry entry) {
  auto added = pool_entries().add(std::make_unique<PoolEntry>(std::move(entry)));
  return {added.number, std::move(added.object)};
}

// One call to a pool or, under vmap, to several equal pools, which run at the same time. The attribute `pool` has the
// number of the pool with which the program was traced, and the first argument has a handle for each pool.
class PoolCall {
 public:
  PoolCall(const CallFrame& frame, const char* name) : traced_(entry_of(frame)), number_(frame.integer("pool")) {
    label_ = "[" + traced_->label + "] ";
    const Buffer &handles = frame.argument(0), &returned = frame.result(0);
    if (traced_->locked != nullptr) {
      throw std::invalid_argument(label_ + name + ": expected a program on " + traced_->device +
                                  ", where the pool is, got one on the CPU");
    }
    for (const Buffer* buffer : {&handles, &returned}) {
      const bool fits = buffer->rank >= 1 && buffer->rank == handles.rank &&
                        buffer->dims[buffer->rank - 1] * itemsize(buffer->dtype) == sizeof(PoolHandle);
      if (!fits) malformed("the handle has another size");
    }
    const BatchShape batch(returned, returned.rank - 1);
    for (i64 i = 0; i < batch.rank(); ++i) {
      if (handles.dims[i] == batch.dims()[i]) continue;
      throw std::invalid_argument(label_ + name +
                                  ": a pool cannot be vmapped, because its batch is its environments; " +
                                  "use scan or a loop, or vmap over the stacked handles of equal pools");
    }
    for (i64 row = 0; row < batch.rows(); ++row) {
      const PoolFrame part(frame, batch, row);
      PoolHandle handle;
      std::memcpy(&handle, part.argument(0).data, sizeof(handle));
      called_.push_back(called_pool(handle, batch.rank() > 0, name, part));
      std::memcpy(part.result(0).data, &handle, sizeof(handle));
    }
    if (called_.size() < 2) return;
    for (const CalledPool& called : called_) order_.push_back(&called);
    std::sort(order_.begin(), order_.end(),
              [](const CalledPool* a, const CalledPool* b) { return a->number < b->number; });
    for (size_t k = 1; k < order_.size(); ++k) {
      if (order_[k - 1]->number != order_[k]->number) continue;
      throw std::invalid_argument(label_ + "handle: expected handles of different pools, got the same one twice");
    }
  }

  // Nothing is sent if one of the pools refuses its arguments.
  void send() { send_all(CallerHelp::kNo); }

  // Receives from every pool, even if one of them fails.
  void recv(CallerHelp help = CallerHelp::kNo) {
    std::exception_ptr error;
    for (const CalledPool& called : called_) {
      try {
        receive(called, help);
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    }
    if (error) std::rethrow_exception(error);
  }

  void step() {
    std::vector<std::unique_lock<std::timed_mutex>>
        locks;  // in the order of their numbers, so that no two calls deadlock
    if (called_.size() == 1) locks.emplace_back(*called_[0].call_mutex);
    for (const CalledPool* called : order_) locks.emplace_back(*called->call_mutex);
    send_all(CallerHelp::kYes);
    recv(CallerHelp::kYes);
  }

 private:
  // One of the pools, with its operands and results.
  struct CalledPool {
    u32 number;
    std::shared_ptr<EnvPool> pool;
    std::shared_ptr<std::timed_mutex> call_mutex;
    PoolFrame frame;
  };

  CalledPool called_pool(const PoolHandle& handle, bool several, const char* name, const PoolFrame& frame) const {
    std::shared_ptr<PoolEntry> entry = traced_;
    if (handle.process != process_mark() || i64(handle.number) != number_) {
      entry = handle.process == process_mark() ? pool_entries().find(handle.number) : nullptr;
      if (entry == nullptr || !several) {
        std::string got = "something else";
        if (entry != nullptr) {
          got = "the handle of another pool, of " + entry->label;
        } else if (handle.process == process_mark() && pool_entries().was_issued(handle.number)) {
          got = "the handle of a deleted pool";
        }
        throw std::invalid_argument(label_ + "handle: expected the handle that xla() of this pool returned, got " +
                                    got);
      }
    }
    if (entry->locked != nullptr) {
      throw std::invalid_argument(label_ + "handle: expected handles of pools on the CPU, got one of a pool on " +
                                  entry->device);
    }
    std::shared_ptr<EnvPool> pool = entry->pool.lock();
    if (!pool) throw std::runtime_error("[" + entry->label + "] " + name + ": the pool is closed");
    if (pool->forked()) {
      throw std::runtime_error("[" + entry->label +
                               "] this pool was made in the parent process; a forked child must make its own");
    }
    if (entry != traced_) check_equal(*entry, *pool);
    return {handle.number, std::move(pool), entry->call_mutex, frame};
  }

  // Throws unless a pool has the id, sizes and arrays of the pool with which the program was traced.
  void check_equal(const PoolEntry& entry, const EnvPool& pool) const {
    const std::shared_ptr<EnvPool> traced = traced_->pool.lock();
    if (!traced) throw std::runtime_error(label_ + "the pool with which this program was traced is closed");
    const auto text = [](const std::string& label, const EnvPool& one) {
      return label + " with num_envs=" + std::to_string(one.num_envs()) +
             " and batch_size=" + std::to_string(one.batch_size());
    };
    if (entry.label == traced_->label && pool.num_envs() == traced->num_envs() &&
        pool.batch_size() == traced->batch_size() && pool.block_layout().same_arrays(traced->block_layout())) {
      return;
    }
    throw std::invalid_argument(label_ + "handle: expected handles of equal pools, " + text(traced_->label, *traced) +
                                ", got one of " + text(entry.label, pool) +
                                (entry.label == traced_->label ? ", perhaps with other options" : ""));
  }

  void send_all(CallerHelp help) {
    std::vector<SendArguments> arguments;
    arguments.reserve(called_.size());
    for (const CalledPool& called : called_) arguments.emplace_back(called.frame, *called.pool);
    const auto send_to = [&](size_t k, Sending sending) {
      const SendArguments& a = arguments[k];
      called_[k].pool->send(a.ids(), a.count(), a.actions(), a.owners(), a.player_rows(), help, Caller::kXla, sending);
    };
    for (size_t k = 0; called_.size() > 1 && k < called_.size(); ++k) send_to(k, Sending::kCheckOnly);
    for (size_t k = 0; k < called_.size(); ++k) {
      try {
        send_to(k, Sending::kQueue);
      } catch (...) {  // another thread has called or closed the pool since the check, or memory has run out
        if (help == CallerHelp::kYes) discard_results(k);
        throw;
      }
    }
  }
  // Receives from the first pools, to which a step has sent, without using the results.
  void discard_results(size_t count) {
    for (size_t k = 0; k < count; ++k) {
      try {
        static_cast<void>(called_[k].pool->recv({}, {}, CallerHelp::kYes, Caller::kXla));
      } catch (const std::exception&) {
      }
    }
  }

  static void receive(const CalledPool& called, CallerHelp help) {
    EnvPool& pool = *called.pool;
    envpool::Batch batch = pool.begin_recv({}, {}, help, Caller::kXla);
    try {
      std::string summary;
      for (const Failure& failure : batch->failures()) {
        if (!summary.empty()) summary += "; ";
        summary += "environment " + std::to_string(failure.env_id) + ": " + failure.message;
      }
      if (!summary.empty()) throw std::runtime_error(pool.text(summary));
      write_results(called.frame, *batch);
    } catch (const std::bad_alloc&) {
      pool.put_back(std::move(batch));
      throw;
    } catch (...) {
      pool.settle(*batch);
      throw;
    }
    pool.settle(*batch);
  }

  const std::shared_ptr<PoolEntry> traced_;
  const i64 number_;
  std::string label_;
  std::vector<CalledPool> called_;
  std::vector<const CalledPool*> order_;  // by number, if there are several
};

}  // namespace

PoolRegistration register_pool(const std::shared_ptr<EnvPool>& pool, std::shared_ptr<std::timed_mutex> call_mutex) {
  return register_pool(PoolEntry{pool, std::move(call_mutex), nullptr, pool->label(), "cpu"});
}
PoolRegistration register_pool(std::shared_ptr<cuda::LockedPool> locked, std::string label, std::string device) {
  return register_pool(PoolEntry{{}, nullptr, std::move(locked), std::move(label), std::move(device)});
}

i64 live_pool_entries() { return pool_entries().size(); }

std::string handle_of(i64 number) {
  const PoolHandle handle{u32(number), process_mark()};
  return {reinterpret_cast<const char*>(&handle), sizeof(handle)};
}

std::shared_ptr<PoolEntry> entry_of(const CallFrame& frame) {
  return look_up(frame, pool_entries(), "pool", kPoolDeleted);
}

Error* instantiate_pool(Call* call) noexcept { return instantiate(*call, pool_entries(), "pool", kPoolDeleted); }
Error* pool_send(Call* call) noexcept {
  return run_handler(*call, kExecute, [](const CallFrame& frame) { PoolCall(frame, "send").send(); });
}
Error* pool_recv(Call* call) noexcept {
  return run_handler(*call, kExecute, [](const CallFrame& frame) { PoolCall(frame, "recv").recv(); });
}
Error* pool_step(Call* call) noexcept {
  return run_handler(*call, kExecute, [](const CallFrame& frame) { PoolCall(frame, "step").step(); });
}

std::vector<Registration> pool_handlers() {
  return {{"envpool_pool_send", &pool_send, &instantiate_pool},
          {"envpool_pool_recv", &pool_recv, &instantiate_pool},
          {"envpool_pool_step", &pool_step, &instantiate_pool}};
}

}  // namespace envpool::xla
