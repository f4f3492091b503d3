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
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
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
  static constexpr bool kStatesVary = true;

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
    const u8* from = arrays();
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

  // A saved state contains the seed of the episode, the arrays as they are in shared memory, and the worker's pickle of
  // the environment. save_size() makes it, and keeps it or the exception for save().
  i64 save_size() noexcept {
    save_failure_ = nullptr;
    try {
      saved_ = saved_state();
    } catch (...) {
      saved_.clear();
      save_failure_ = std::current_exception();
    }
    return i64(saved_.size());
  }
  void save(void* out) {
    if (save_failure_ != nullptr) std::rethrow_exception(std::exchange(save_failure_, nullptr));
    std::memcpy(out, saved_.data(), saved_.size());
    saved_ = {};
  }
  // The worker unpickles only what a worker of the same process has pickled (worker.py).
  void load(const void* data, i64 size) {
    const auto* const from = static_cast<const u8*>(data);
    const i64 head = i64(sizeof(seed_)) + array_bytes();
    if (size < head) {
      throw std::invalid_argument("state: expected at least " + std::to_string(head) + " bytes, got " +
                                  std::to_string(size));
    }
    const i64 pickle_bytes = size - head;
    for (i64 offset = 0; offset == 0 || offset < pickle_bytes; offset += kTransferBytes) {
      const i64 part_bytes = std::min(kTransferBytes, pickle_bytes - offset);
      std::memcpy(workers().view().transfer(), from + head + offset, size_t(part_bytes));
      try {
        call_for_pickle(kLoad, {offset, pickle_bytes});
      } catch (const std::exception& error) {
        throw std::invalid_argument("state: " + std::string(error.what()));
      }
    }
    std::memcpy(&seed_, from, sizeof(seed_));
    std::memcpy(arrays(), from + sizeof(seed_), size_t(array_bytes()));
    made_in_ = workers().generation(env_id_);
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
  // The arrays follow the actions in shared memory.
  u8* arrays() const { return workers().view().rows(env_id_) + action_bytes(); }
  i64 array_bytes() const { return shared_row_bytes(*params_.arrays) - action_bytes(); }

  std::string saved_state() {
    std::string state(reinterpret_cast<const char*>(&seed_), sizeof(seed_));
    state.append(reinterpret_cast<const char*>(arrays()), size_t(array_bytes()));
    const i64 head = i64(state.size());
    i64 offset = 0, pickle_bytes = 0;
    do {
      call_for_pickle(kSave, {offset, 0});
      const f64 reported = slot()->reward;  // the environment's native code may have overwritten it
      const bool possible = reported > f64(offset) && reported <= 0x1p40;
      if (!possible || (offset > 0 && i64(reported) != pickle_bytes)) {
        throw std::runtime_error("its worker process returned a pickle of an impossible size");
      }
      pickle_bytes = i64(reported);
      const i64 part_bytes = std::min(kTransferBytes, pickle_bytes - offset);
      state.append(reinterpret_cast<const char*>(workers().view().transfer()), size_t(part_bytes));
      offset = i64(state.size()) - head;
    } while (offset < pickle_bytes);
    return state;
  }

  // Makes a call that passes a part of a pickle. If a signal interrupts the wait, or it takes longer than the option
  // worker_timeout allows, the worker is ended.
  void call_for_pickle(Call call, PicklePart part) {
    const InterruptGuard interrupt;
    const Clock::time_point begin = Clock::now();
    if (Slot* const own = slot()) {
      own->done.store(0);
      own->wake_at.store(0);
    }
    post(call, 0, env_id_, {reinterpret_cast<const char*>(&part), sizeof(part)});
    if (failure_.empty()) workers().wake(&env_id_, 1);
    while (!arrived()) {
      Slot& own = *slot();
      const u32 done = own.done.load();
      if (arrived()) break;
      sleep_while(own.done, done, 50);
      const f64 limit = workers().options().timeout;
      const f64 waited = std::chrono::duration<f64>(Clock::now() - begin).count();
      if (InterruptGuard::came()) {
        workers().kill(env_id_, "was ended, because a signal interrupted the call");
      } else if (limit > 0 && waited > limit && made()) {
        workers().kill(env_id_, "was ended, because it took longer than worker_timeout");
      }
      check_worker();
    }
    finish();
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
  void post(Call call, u32 seed, i32 ticket, std::string_view message = {}) noexcept {
    posted_ = true;
    failure_.clear();
    try {
      const std::string text = call == kReset ? std::exchange(options_, {}) : std::string(message);
      workers().post(env_id_, call, seed, ticket, text);
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
  std::string saved_;  // between save_size() and save()
  std::exception_ptr save_failure_;
};

}  // namespace envpool::python_env
