// SPDX-License-Identifier: Apache-2.0
//
// A host-only environment that throws, sleeps or hangs on command.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "envpool/core/api.h"

namespace envpool::testing {

// Hanging environments continue once a test sets this, through testing_release in plugin.cc.
inline std::atomic<bool> released{false};

// The number of environments that hang now, which tests read through testing_hanging in plugin.cc.
inline std::atomic<int> hanging{0};

// exit() destroys a library's static objects. A step that runs afterwards aborts the process, because in another
// environment it would use destroyed objects. The destructor waits, so that a step that is still running is detected.
inline std::atomic<bool> statics_destroyed{false};
struct Statics {
  ~Statics() {
    statics_destroyed = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  void use() const {
    if (!statics_destroyed) return;
    std::fputs("a step ran after static objects were destroyed\n", stderr);
    std::abort();
  }
};
inline const Statics statics;

class Faulty {
 public:
  static constexpr const char* kName = "Faulty";
  enum Command { kContinue, kThrow, kSleep, kHang, kEnd, kThrowInt, kCommands };
  struct Params {
    i32 sleep_ms, throw_in_reset;
    bool throw_in_constructor;
  };

  static void options(OptionSpecs& specs) {
    specs.integer("sleep_ms", 10, "how long action 2 sleeps, in milliseconds").between(0, 10000);
    specs.integer("throw_in_reset", 0, "the number of the reset that throws, counted from 1; 0: none").between(0, 1000);
    specs.boolean("throw_in_constructor", false, "whether the constructor throws");
  }
  static Params params(const OptionValues& options) {
    return {i32(options.integer("sleep_ms")), i32(options.integer("throw_in_reset")),
            options.boolean("throw_in_constructor")};
  }
  static void spec(const Params&, Spec& spec) {
    spec.obs<f32>("obs", {2}).doc("steps since the reset, and the environment's id");
    spec.info<i32>("resets").doc("resets since the environment was made");
    spec.action<i32>().categories(kCommands).doc("continue, throw, sleep, hang, end the episode or throw an int");
  }

  Faulty(const Params& params, i32 env_id) : params_(params), env_id_(env_id), heap_(std::make_unique<i32>(0)) {
    if (params.throw_in_constructor) throw std::runtime_error("the constructor went wrong at caf\xE9");
  }
  void reset(Rng&) {
    *heap_ = 0;
    if (++resets_ == params_.throw_in_reset) throw std::runtime_error("reset went wrong");
  }
  Outcome step(ActionRow action, Rng&) {
    statics.use();
    ++*heap_;
    const i32 command = *action.at<i32>(0);
    switch (command) {
      case kThrow: throw std::runtime_error("step " + std::to_string(*heap_) + " went wrong at caf\xE9");  // not UTF-8
      case kThrowInt: throw 1;
      case kSleep: std::this_thread::sleep_for(std::chrono::milliseconds(params_.sleep_ms)); break;
      case kHang:
        ++hanging;
        while (!released) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --hanging;
        break;
      default: break;
    }
    statics.use();
    return {.reward = f32(command), .terminated = command == kEnd};
  }
  void observe(Row row) {
    row.at<f32, 2>(0)[0] = f32(*heap_);
    row.at<f32, 2>(0)[1] = f32(env_id_);
    *row.at<i32, 1>(1) = resets_;
  }
  i64 save_size() { return 2 * i64(sizeof(i32)); }
  void save(void* out) {
    std::memcpy(out, heap_.get(), sizeof(i32));
    std::memcpy(static_cast<u8*>(out) + sizeof(i32), &resets_, sizeof(i32));
  }
  void load(const void* data, i64) {
    std::memcpy(heap_.get(), data, sizeof(i32));
    std::memcpy(&resets_, static_cast<const u8*>(data) + sizeof(i32), sizeof(i32));
  }

 private:
  const Params params_;
  const i32 env_id_;
  std::unique_ptr<i32> heap_;
  i32 resets_ = 0;
};

}  // namespace envpool::testing
