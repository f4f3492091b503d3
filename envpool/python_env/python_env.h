// SPDX-License-Identifier: Apache-2.0
//
// A user's own environment in Python, which runs in a worker process. This side copies the action into shared memory,
// wakes the worker, and copies the arrays that the worker has written.
//
// The seed of each episode is drawn from the environment's generator and passed to `reset(seed=...)`, so that equal
// seeds give equal episodes in any worker.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/core/api.h"
#include "envpool/python_env/arrays.h"
#include "envpool/python_env/interrupt.h"
#include "envpool/python_env/workers.h"

namespace envpool::python_env {

class PythonEnv {
 public:
  static constexpr const char* kName = "PythonEnv";
  static constexpr const char* kNoSnapshots = "the state of a Python environment is known only to its own code";

  struct Params {
    std::shared_ptr<const Spec> arrays;
    std::shared_ptr<Workers> workers;  // of the pool, whose environments all have the same options
  };

  // The calls of a run of environments.
  class CallBatch {
   public:
    static constexpr i32 kMax = 256;

    CallBatch(const abi::Work& work, bool in_order) : work_(work), in_order_(in_order) {}

    void reset(PythonEnv& env, Rng& rng) { call(env, kReset, u32(rng.bits())); }
    void step(PythonEnv& env, ActionRow action) {
      env.store(action);
      call(env, kStep, 0);
    }
    void call(PythonEnv& env, Call call, u32 seed) {
      env.post(call, seed, ticket(env));
      ids_[count_] = env.env_id_;
      envs_[count_++] = &env;
    }
    // Returns the number of a call whose result has arrived, or -1 if all have been returned. With in_order_, waits
    // until all results have arrived, and then returns the numbers in the order of the calls.
    i32 next() {
      if (!awake_) wake();
      while (in_order_ && !arrived_) {
        const u32 counted = results();
        const i32 left = pending_results();
        if (left > 0) wait(counted, left);
        arrived_ = left == 0;
      }
      while (true) {
        const u32 counted = results();
        i32 left = 0;
        for (i32 k = 0; k < count_; ++k) {
          if (envs_[k] == nullptr) continue;
          if (arrived_ || envs_[k]->arrived()) {
            envs_[k] = nullptr;
            return k;
          }
          ++left;
        }
        if (left == 0) return -1;
        wait(counted, 1);
      }
    }

   private:
    // Returns the environment that heads the run. The first call sets the counters of the run to 0.
    i32 ticket(PythonEnv& env) {
      if (count_ > 0) return ids_[0];
      first_ = &env;
      if (Slot* slot = env.slot()) {
        slot->done.store(0);
        slot->wake_at.store(0);
      }
      return env.env_id_;
    }
    void wake() {
      awake_ = true;
      if (count_ > 0 && first_->slot() != nullptr) first_->workers().wake(ids_, count_);
    }
    i32 pending_results() const {
      i32 count = 0;
      for (i32 k = 0; k < count_; ++k) count += envs_[k] != nullptr && !envs_[k]->arrived();
      return count;
    }

    // Returns the counter of results. Read it before the search for results: wait() does not sleep if it has changed.
    u32 results() const { return count_ > 0 && first_->slot() != nullptr ? first_->slot()->done.load() : 0; }

    // Sleeps until this many results have arrived since `counted` was read, but at most 50 ms. If that takes longer,
    // ends workers that take too long, and finds out which workers have died.
    void wait(u32 counted, i32 results) {
      const bool closing = work_.pause != nullptr && work_.pause(work_.context);
      Slot& slot = *first_->slot();
      slot.wake_at.store(counted + u32(results));
      const u32 done = slot.done.load();
      if (done - counted < u32(results)) sleep_while(slot.done, done, kMilliseconds);
      const Clock::time_point now = Clock::now();
      if (closing && !closing_since_) closing_since_ = now;
      if (now - checked_ < std::chrono::milliseconds(kMilliseconds)) return;
      checked_ = now;
      const f64 limit = first_->workers().options().timeout;
      const f64 waited = std::chrono::duration<f64>(now - begin_).count();
      for (i32 k = 0; k < count_; ++k) {
        if (envs_[k] == nullptr || envs_[k]->arrived()) continue;
        Workers& workers = envs_[k]->workers();
        if (closing_since_ && now - *closing_since_ > kGrace) workers.abandon(ids_[k]);
        if (limit > 0 && waited > limit && envs_[k]->made()) {
          workers.kill(ids_[k], "was ended, because it took longer than worker_timeout");
        }
        envs_[k]->check_worker();
      }
    }

    static constexpr i32 kMilliseconds = 50;
    static constexpr std::chrono::seconds kGrace{5};

    const abi::Work& work_;
    const bool in_order_;
    const Clock::time_point begin_ = Clock::now();
    Clock::time_point checked_ = begin_;  // when the workers were checked last
    std::optional<Clock::time_point> closing_since_;
    bool awake_ = false, arrived_ = false;
    i32 count_ = 0;
    PythonEnv* first_ = nullptr;
    PythonEnv* envs_[kMax];
    i32 ids_[kMax];
  };

  PythonEnv(const Params& params, i32 env_id) : params_(params), env_id_(env_id) { workers().add_env(); }
  ~PythonEnv() { workers().remove_env(); }
  PythonEnv(const PythonEnv&) = delete;
  PythonEnv& operator=(const PythonEnv&) = delete;

  // Makes the environment in its worker.
  void start() {
    post(kMake, 0, env_id_);
    if (failure_.empty()) workers().wake(&env_id_, 1);
  }
  void finish_start() {
    const InterruptGuard interrupt;
    while (!arrived()) {
      Slot& slot = *this->slot();
      const u32 done = slot.done.load();
      if (arrived()) break;
      sleep_while(slot.done, done, 50);
      if (InterruptGuard::came()) failure_ = "the wait for its constructor was interrupted";
      check_worker();
    }
    try {
      finish();
    } catch (const std::exception& error) {
      throw std::runtime_error("environment " + std::to_string(env_id_) + ": " + error.what());
    }
    made_in_ = workers().generation(env_id_);
  }

  // Keeps the pickled options of the next reset.
  void reset_options(const void* data, i64 size) {
    if (size > Slot::kMessageBytes) {
      throw std::invalid_argument("expected at most " + std::to_string(Slot::kMessageBytes) +
                                  " bytes when they are pickled, got " + std::to_string(size));
    }
    options_.assign(static_cast<const char*>(data), size_t(size));
  }

  void reset(Rng& rng) {
    const u32 seed = u32(rng.bits());
    if (!posted_) call_alone(kReset, seed);
    finish();
    seed_ = seed;
    made_in_ = workers().generation(env_id_);
  }

  Outcome step(ActionRow action, Rng&) {
    if (!posted_) {
      store(action);
      call_alone(kStep, 0);
    }
    finish();
    const Slot& slot = *this->slot();
    Outcome outcome;
    outcome.reward = f32(slot.reward);
    outcome.terminated = (slot.flags & kTerminated) != 0;
    outcome.truncated = (slot.flags & kTruncated) != 0;
    return outcome;
  }

  void observe(Row row) const {
    const u8* from = workers().view().rows(env_id_) + action_bytes();
    const auto& fields = params_.arrays->fields;
    for (size_t f = 0; f < fields.size(); ++f) {
      u8* const to = row.at<u8>(i32(f));
      if (f + 1 == fields.size()) {
        std::memcpy(to, &seed_, sizeof(seed_));  // info["seed"], which comes last
      } else {
        std::memcpy(to, from, size_t(fields[f].row_bytes()));
      }
      from += round_up(fields[f].row_bytes());
    }
  }

  static i64 heap_bytes(const Params& params) { return i64(sizeof(Slot)) + shared_row_bytes(*params.arrays); }

  static void options(OptionSpecs& o) {
    o.integer("num_workers", 0, "Worker processes; 0: as many as usable CPUs, at most one per environment.")
        .between(0, 65536)
        .changes_shapes();
    o.real("worker_timeout", 0,
           "Seconds after which a worker that has not answered the calls of a batch is ended; 0: no limit.")
        .between(0, 1e6)
        .changes_shapes();
  }

  // Options that are not declared above come from registering.py. Users cannot set them.
  static Params params(const OptionValues& o) {
    auto arrays = std::make_shared<Spec>();
    read_arrays(std::string(o.text("arrays")), *arrays);
    WorkersOptions options;
    for (const char* part : {"interpreter", "script", "library"}) options.command.emplace_back(o.text(part));
    options.program = std::string(o.text("program"));
    options.row_bytes = shared_row_bytes(*arrays);
    options.num_workers = i32(o.integer("num_workers"));
    options.timeout = o.real("worker_timeout");
    return {std::move(arrays), std::make_shared<Workers>(std::move(options))};
  }

  static void spec(const Params& p, Spec& spec) { spec = *p.arrays; }

 private:
  Workers& workers() const { return *params_.workers; }
  // Returns the environment's slot, or null if the workers' memory could not be allocated.
  Slot* slot() const {
    const View& view = workers().view();
    return view ? &view.slot(env_id_) : nullptr;
  }
  i64 action_bytes() const {
    i64 bytes = 0;
    for (const FieldSpec& field : params_.arrays->actions) bytes += round_up(field.row_bytes());
    return bytes;
  }
  void store(ActionRow action) {
    if (slot() == nullptr) return;
    u8* to = workers().view().rows(env_id_);
    const auto& fields = params_.arrays->actions;
    for (size_t f = 0; f < fields.size(); ++f) {
      std::memcpy(to, action.row_of<u8>(i32(f)), size_t(fields[f].row_bytes()));
      to += round_up(fields[f].row_bytes());
    }
  }
  // Sends a call. An error is kept for finish(), because the callers must not throw.
  void post(Call call, u32 seed, i32 ticket) noexcept {
    posted_ = true;
    failure_.clear();
    try {
      workers().post(env_id_, call, seed, ticket, call == kReset ? std::exchange(options_, {}) : std::string());
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
  }
  // Returns whether the worker process has made this environment. Before that, it may take any time.
  bool made() const { return made_in_ == workers().generation(env_id_); }
  bool arrived() const { return !failure_.empty() || workers().has_result(env_id_); }
  void check_worker() {
    if (!arrived() && workers().lost(env_id_)) failure_ = workers().give_up(env_id_).what();
  }
  // Makes a call that was not posted together with the calls of other environments, such as a reset after an exception.
  void call_alone(Call call, u32 seed) {
    abi::Work nothing{};
    CallBatch calls(nothing, /*in_order=*/true);
    calls.call(*this, call, seed);
    while (calls.next() >= 0) continue;
  }
  // Throws if the posted call has failed.
  void finish() {
    posted_ = false;
    if (!failure_.empty()) throw std::runtime_error(std::exchange(failure_, {}));
    const Slot& slot = *this->slot();
    if ((slot.flags & kRaised) == 0) return;
    throw std::runtime_error(std::string(slot.message, strnlen(slot.message, Slot::kMessageBytes)));
  }

  const Params& params_;
  const i32 env_id_;
  bool posted_ = false;
  u32 made_in_ = 0;  // the generation of the worker process that made the environment
  i64 seed_ = 0;
  std::string options_;  // of the next reset
  std::string failure_;
};

}  // namespace envpool::python_env
