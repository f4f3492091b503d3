// SPDX-License-Identifier: Apache-2.0
//
// The memory that a pool shares with its worker processes: for each environment a slot with its pending call, the
// result, and the rows of its action and its observation. Both sides wait with futexes; nothing else passes between
// them.
#pragma once

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>

#include "envpool/core/types.h"

namespace envpool::python_env {

using Word = std::atomic<u32>;
static_assert(sizeof(Word) == sizeof(u32) && Word::is_always_lock_free);

// Sleeps while the word has this value, until it is woken or the time is over (negative: without a limit).
inline void sleep_while(Word& word, u32 value, i32 milliseconds = -1) {
  const timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, milliseconds < 0 ? nullptr : &time, nullptr, 0);
}
inline void wake_all(Word& word) { syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

// kMake only makes the environment. A reset also makes it if the worker has been started again. kSave and kLoad pass a
// part of a pickle of the environment (PicklePart).
enum Call : u32 { kNone, kReset, kStep, kMake, kSave, kLoad };

// The message of kSave and kLoad: the pickle's part that is in the memory for transfers, which begins at `offset`. A
// call of kSave with offset 0 makes the pickle, and each returns its size as the reward. The call of kLoad with the
// last part loads the pickle.
struct PicklePart {
  i64 offset, size;  // size: of the whole pickle; of kSave: unused
};

// Flags of a result.
enum Flag : u32 { kTerminated = 1, kTruncated = 2, kRaised = 4 };

// The state of one worker process.
struct alignas(64) WorkerState {
  Word posted;    // number of posts; the worker sleeps on it
  Word sleeping;  // whether the worker may be asleep
  Word quit;      // the pool is closing
};

// The state of one environment. The worker owns the slot while `call` is not kNone.
struct alignas(64) Slot {
  static constexpr i64 kMessageBytes = 2048;

  Word call;
  u32 generation;  // of the process that is to run the call
  u32 ticket;      // the environment whose counters count this result
  u32 seed;
  u32 flags;
  u32 options_bytes;  // the length of what is in `message` before a call: a reset's pickled options, or a PicklePart
  f64 reward;
  // Counters of the run that this environment heads: the results so far, and how many of them wake the waiting thread.
  alignas(64) Word done;
  Word wake_at;
  alignas(64) char message[kMessageBytes];  // of an exception; before a reset, its options
};

// The beginning of the memory: where everything is.
struct alignas(64) Header {
  i32 num_envs, num_workers;
  i64 slots_at, slot_bytes;
  i64 rows_at;  // offset in a slot of the rows of the action and the arrays
  i64 program_at, program_bytes;
  i64 transfer_at;  // kTransferBytes, through which pickles of environments pass, of one environment at a time
  i64 bytes;        // of the whole memory
};

inline constexpr i64 kTransferBytes = i64{1} << 20;  // the system provides the memory when it is used
inline constexpr i64 round_up(i64 bytes) { return (bytes + 63) / 64 * 64; }

// The memory as one side has mapped it. An environment's native code may overwrite any part of it, so each side
// calculates addresses from a header of its own.
class View {
 public:
  View() = default;
  View(u8* base, const Header& header) : base_(base), header_(header) {}
  explicit operator bool() const { return base_ != nullptr; }
  u8* base() const { return base_; }
  const Header& header() const { return header_; }
  WorkerState& worker(i32 index) const { return reinterpret_cast<WorkerState*>(base_ + sizeof(Header))[index]; }
  Slot& slot(i32 env_id) const {
    return *reinterpret_cast<Slot*>(base_ + header_.slots_at + header_.slot_bytes * env_id);
  }
  u8* rows(i32 env_id) const { return reinterpret_cast<u8*>(&slot(env_id)) + header_.rows_at; }
  u8* program() const { return base_ + header_.program_at; }
  u8* transfer() const { return base_ + header_.transfer_at; }
  // The environments of a worker are consecutive.
  i32 first_env(i32 worker) const { return i32(i64(header_.num_envs) * worker / header_.num_workers); }

 private:
  u8* base_ = nullptr;
  Header header_{};
};

// The pool's side. The memory has no name, so nothing is left behind when this process is killed.
class SharedMemory {
 public:
  ~SharedMemory() { release(); }
  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  void create(i32 num_envs, i32 num_workers, i64 row_bytes, i64 program_bytes) {
    Header header{};
    header.num_envs = num_envs;
    header.num_workers = num_workers;
    header.slots_at = i64(sizeof(Header)) + i64(sizeof(WorkerState)) * num_workers;
    header.rows_at = sizeof(Slot);
    header.slot_bytes = round_up(i64(sizeof(Slot)) + row_bytes);
    header.program_at = header.slots_at + header.slot_bytes * num_envs;
    header.program_bytes = program_bytes;
    header.transfer_at = header.program_at + round_up(header.program_bytes);
    header.bytes = header.transfer_at + kTransferBytes;
    const int file = memfd_create("envpool", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    // A worker that truncated the file would end this process by SIGBUS.
    const bool sized = file >= 0 && ftruncate(file, header.bytes) == 0 &&
                       fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
    void* const base =
        sized ? mmap(nullptr, size_t(header.bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (base == MAP_FAILED) {
      const std::string why = std::strerror(errno);
      if (file >= 0) close(file);
      throw std::runtime_error("cannot share " + std::to_string(header.bytes) +
                               " bytes with the worker processes: " + why);
    }
    file_ = file;
    view_ = View(static_cast<u8*>(base), header);
  }
  // Writes what a new worker process reads first. A worker that died may have overwritten it.
  void begin_worker(i32 index, const std::string& program) const {
    std::memcpy(view_.base(), &view_.header(), sizeof(Header));
    std::memcpy(view_.program(), program.data(), program.size());
    view_.worker(index).sleeping.store(0);
    view_.worker(index).quit.store(0);
  }
  void release() {
    if (view_) munmap(view_.base(), size_t(view_.header().bytes));
    if (file_ >= 0) close(file_);
    view_ = {};
    file_ = -1;
  }
  const View& view() const { return view_; }
  int file() const { return file_; }

 private:
  View view_;
  int file_ = -1;
};

}  // namespace envpool::python_env
