// SPDX-License-Identifier: Apache-2.0
//
// One process of ViZDoom's engine, and the protocol that ViZDoom's Python package uses: commands and answers go through
// message queues, and the state of the game is in shared memory.
//
// If this process is killed, the kernel kills the engine. The names of the shared memory and the engine's folder are
// removed as soon as the engine runs (leftovers.h has the details), so the memory is freed with the last process.
#pragma once

#include <sys/statvfs.h>

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/system/child_process.h"
#include "envpool/vizdoom/config.h"
#include "envpool/vizdoom/leftovers.h"
#include "envpool/vizdoom/message_queue.h"
#include "envpool/vizdoom/shared_state.h"

namespace envpool::vizdoom {

// The files of the package and the time that an engine may take to start or to answer.
struct EngineFiles {
  std::string engine, iwad;
  i64 timeout_seconds = 60;
};

class Engine {
 public:
  ~Engine() { close(); }

  // Starts the engine and waits until it has loaded the map. Throws std::runtime_error.
  void start(const EngineFiles& files, const Config& config, u32 seed) {
    static std::once_flag cleaned;
    std::call_once(cleaned, remove_leftovers);
    close();
    timeout_ = std::chrono::seconds(files.timeout_seconds);
    const i64 needed = shared_bytes(config);
    expect_shared(needed);
    const std::string id = new_id();
    const Folder folder(id);
    try {
      to_engine_.create(kToEngine + id);
      from_engine_.create(kFromEngine + id);
      child_.start({arguments(files, config, seed, id), folder.path()});
      wait("start");
      shared_.open(kSharedState + id);
      check_shared();
      check_screen(config);
      shared_.unlink();  // before the queue, whose lock protects it (leftovers.h)
      for (MessageQueue* queue : {&from_engine_, &to_engine_}) queue->unlink();
      shared_.close_file();
    } catch (...) {
      // If the engine failed, nothing else removes the shared memory that the engine itself has made.
      if (child_.owned()) {
        child_.kill();
        shm_unlink((kSharedState + id).c_str());
      }
      close();
      expect_shared(needed);  // reports if other engines have taken the memory meanwhile
      throw;
    }
  }

  // Makes current and future waits for the engine fail soon. Any thread may call it at any time.
  void cancel() { cancelled_ = true; }

  bool started() const { return started_; }
  // A forked process has a copy of this object, but no engine.
  bool owned() const { return child_.owned(); }
  const SharedGame& game() const { return *reinterpret_cast<const SharedGame*>(shared_.memory()); }
  SharedInput& input() const { return *reinterpret_cast<SharedInput*>(shared_.memory() + regions_[kInputRegion].at); }
  // Returns an image buffer, or null if the engine has none of this kind.
  const u8* buffer(Region region, i64 bytes) const {
    return regions_[region].bytes < bytes ? nullptr : shared_.memory() + regions_[region].at;
  }

  // Sends a console command, which the engine runs at its next tic.
  void command(const std::string& text) { send(kCommand, text); }
  // Plays a tic. With `update`, the engine also draws the screen and writes all of its state.
  void tic(bool update) {
    send(update ? kTicAndUpdate : kTic);
    wait("play a tic");
  }
  void update() {
    send(kUpdate);
    wait("draw the screen");
  }

  // Kills the engine.
  void close() {
    if (!child_.owned()) {  // a forked process has only copies
      to_engine_.disown();
      from_engine_.disown();
      shared_.disown();
    }
    child_.kill();
    to_engine_.close();
    from_engine_.close();
    shared_.close();
    started_ = false;
  }

 private:
  enum Code : u8 {
    kDone = 11,
    kClosed = 12,
    kError = 13,
    kTic = 21,
    kUpdate = 22,
    kTicAndUpdate = 23,
    kCommand = 24,
  };

  void send(u8 code, const std::string& text = {}) {
    if (!to_engine_.send(code, text)) fail("read a command");
  }

  void wait(const char* what) {
    const auto until = std::chrono::steady_clock::now() + timeout_;
    Message message;
    while (true) {
      switch (from_engine_.receive(message, 100)) {
        case MessageQueue::Received::kMessage:
          if (message.code == kDone) return;
          if (message.code == kError) throw std::runtime_error("ViZDoom's engine failed: " + std::string(message.text));
          fail(what);
        case MessageQueue::Received::kBroken: fail(what);
        case MessageQueue::Received::kNothing:
          if (!child_.running()) fail(what);
          if (cancelled_) {
            throw std::runtime_error("ViZDoom's engine did not " + std::string(what) + " before the pool was closed");
          }
          if (std::chrono::steady_clock::now() > until) {
            throw std::runtime_error("ViZDoom's engine did not " + std::string(what) + " within " +
                                     std::to_string(timeout_.count()) + " s");
          }
      }
    }
  }
  // Throws an error that names what the engine did not do and, if its process has ended, how it ended.
  [[noreturn]] void fail(const char* what) {
    // Waits a moment, so that the message can say how the process ended if it is about to end.
    for (int i = 0; i < 20 && child_.running(); ++i) usleep(5000);
    const std::string state = child_.running() ? "does not answer" : child_.exit();
    throw std::runtime_error("ViZDoom's engine " + state + ": it did not " + what);
  }

  // Returns about how many bytes of shared memory an engine writes to.
  static i64 shared_bytes(const Config& config) {
    const i64 channels = (config.gray ? 1 : 3) * (config.automap ? 2 : 1) + config.depth + config.labels;
    return (96 << 10) + config.width * config.height * channels;
  }
  // Throws if there is too little shared memory, which would crash the engine.
  static void expect_shared(i64 needed) {
    struct statvfs info;
    if (statvfs("/dev/shm", &info) != 0) {
      throw std::runtime_error(std::string("ViZDoom's engine needs shared memory in /dev/shm: ") +
                               std::strerror(errno));
    }
    const i64 left = i64(info.f_bavail) * i64(info.f_bsize);
    if (left >= needed) return;
    throw std::runtime_error("ViZDoom's engine needs " + std::to_string(needed >> 10) + " kB of /dev/shm, which has " +
                             std::to_string(left >> 10) + " kB left of " +
                             std::to_string(i64(info.f_blocks) * i64(info.f_frsize) >> 10) + " kB, enough for " +
                             std::to_string(i64(info.f_blocks) * i64(info.f_frsize) / needed) + " such engines");
  }

  void check_shared() {
    const auto wrong = [&] {
      return std::runtime_error("the engine's shared memory has another layout than ViZDoom " +
                                std::string(kEngineVersionText) + "'s: install vizdoom==" + kEngineVersionText);
    };
    if (shared_.bytes() < i64(sizeof(SharedGame))) throw wrong();
    const SharedGame& state = game();
    // The table of regions is copied before it is checked, because the engine could change it after the check.
    for (i32 i = 0; i < kRegions; ++i) {
      const u64 at = volatile_read(state.region_at[i]), bytes = volatile_read(state.region_bytes[i]);
      if (at > u64(shared_.bytes()) || bytes > u64(shared_.bytes()) - at) throw wrong();
      regions_[size_t(i)] = {i64(at), i64(bytes)};
    }
    if (state.version != kEngineVersion) {
      const std::string found(state.version_text, strnlen(state.version_text, sizeof(state.version_text)));
      throw std::runtime_error("expected the engine of ViZDoom " + std::string(kEngineVersionText) + ", got " + found +
                               ": install vizdoom==" + kEngineVersionText);
    }
    if (regions_[kGameRegion].bytes != sizeof(SharedGame) || regions_[kInputRegion].bytes != sizeof(SharedInput) ||
        regions_[kInputRegion].at % alignof(SharedInput) != 0 || i64(state.bytes) != shared_.bytes()) {
      throw wrong();
    }
    for (i32 i = 1; i < kRegions; ++i) shared_.allocate(regions_[size_t(i)].at, regions_[size_t(i)].bytes);
    shared_.allocate(0, i64(offsetof(SharedGame, label)));
    shared_.allocate(i64(offsetof(SharedGame, hit_count)),
                     i64(sizeof(SharedGame)) - i64(offsetof(SharedGame, hit_count)));
    started_ = true;
  }
  // Throws if game_args have changed the screen, whose pixels would be read in the wrong order.
  void check_screen(const Config& config) const {
    const SharedGame& state = game();
    if (state.screen_width == u64(config.width) && state.screen_height == u64(config.height) &&
        state.screen_format == screen_format(config)) {
      return;
    }
    const auto screen = [](i64 width, i64 height, i32 format) {
      return std::to_string(width) + " x " + std::to_string(height) + " pixels in format " + std::to_string(format);
    };
    throw std::runtime_error("expected game_args that leave the screen as it is, " +
                             screen(config.width, config.height, screen_format(config)) + ", got " +
                             screen(state.screen_width, state.screen_height, state.screen_format));
  }
  // Returns the engine's number of the format.
  static i32 screen_format(const Config& config) { return config.gray ? 8 : config.interleaved ? 1 : 0; }
  static u64 volatile_read(const u64& value) { return *static_cast<const volatile u64*>(&value); }

  static std::vector<std::string> arguments(const EngineFiles& files, const Config& config, u32 seed,
                                            const std::string& id) {
    const f32 ratio = f32(config.width) / f32(config.height);
    const int aspect = ratio == 16.0f / 9.0f    ? 1
                       : ratio == 16.0f / 10.0f ? 2
                       : ratio == 4.0f / 3.0f   ? 3
                       : ratio == 5.0f / 4.0f   ? 4
                                                : 0;
    std::vector<std::string> all = {files.engine, "-iwad", files.iwad};
    const auto add = [&](std::initializer_list<std::string> more) { all.insert(all.end(), more); };
    if (!config.scenario_path.empty()) add({"-file", config.scenario_path});
    add({"-config", "_vizdoom.ini", "+map", config.map, "-skill", std::to_string(config.skill)});
    add({"-width", std::to_string(config.width), "-height", std::to_string(config.height)});
    add({"+vid_aspect", std::to_string(aspect), "+fullscreen", "0"});
    add({"+viz_controlled", "1", "+viz_instance_id", id, "+use_mouse", "0", "-rngseed", std::to_string(seed)});
    if (config.depth) add({"+viz_depth", "1"});
    if (config.labels) add({"+viz_labels", "1"});
    if (config.automap) add({"+viz_automap", "1", "+viz_automap_mode", std::to_string(config.automap_mode)});
    add({"+viz_render_mode", std::to_string(config.render_mode()), "+viz_noconsole", "1"});
    add({"+viz_screen_format", std::to_string(screen_format(config)), "+viz_window_hidden", "1"});
    add({"+viz_noxserver", "1"});
    add({"-noidle", "-nojoy", "-nosound", "+viz_nosound", "1"});
    if (config.ticrate != 35) add({"-ticrate", std::to_string(config.ticrate)});
    all.insert(all.end(), config.arguments.begin(), config.arguments.end());
    return all;
  }

  MessageQueue to_engine_, from_engine_;
  SharedMemory shared_;
  Child child_;
  struct Range {
    i64 at, bytes;
  };
  std::array<Range, kRegions> regions_{};  // inside the shared memory
  bool started_ = false;
  std::atomic<bool> cancelled_{false};
  std::chrono::seconds timeout_{60};
};

}  // namespace envpool::vizdoom
