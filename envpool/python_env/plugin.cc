// SPDX-License-Identifier: Apache-2.0
//
// The table of Python environments, and the functions that their workers call through ctypes.

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "envpool/core/api.h"
#include "envpool/python_env/python_env.h"

ENVPOOL_PLUGIN(envpool::table<envpool::python_env::PythonEnv>())

#define ENVPOOL_WORKER_FUNCTION extern "C" __attribute__((visibility("default")))

namespace {

using namespace envpool::python_env;
using envpool::f64;
using envpool::i32;
using envpool::u32;
using envpool::u8;

View memory;
bool forked = false;  // whether this process is a copy of the worker

// Called in a process that the environment's code has forked. If that code returns, as the worker's own does, the copy
// would go on and write results. It therefore gets memory of its own, and ends with the call.
void leave_shared_memory() {
  forked = true;
  const size_t bytes = size_t(memory.header().bytes);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
  const bool replaced = mmap(memory.base(), bytes, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED ||
                        mmap(memory.base(), bytes, PROT_NONE, flags, -1, 0) != MAP_FAILED;
  if (!replaced) _exit(1);
}

[[noreturn]] void end_with_damaged_memory() {
  std::fputs("envpool: an environment has damaged the memory that its worker process shares with the pool\n", stderr);
  std::abort();
}

}  // namespace

// Prepares this process to work on its mapping of the memory. Its forked copies do not write to that memory.
//
// Lets the death of the pool's process end not only this worker, but all processes that its environments have started.
// Without this, only the worker is killed.
ENVPOOL_WORKER_FUNCTION void envpool_worker_begin(u8* base, envpool::i64 bytes) {
  Header header;
  std::memcpy(&header, base, sizeof(header));
  if (header.bytes != bytes) end_with_damaged_memory();
  memory = View(base, header);
  pthread_atfork(nullptr, nullptr, leave_shared_memory);
  struct sigaction action{};
  action.sa_handler = [](int) {
    kill(-getpid(), SIGKILL);  // the group that the worker leads, unless the environment has moved the worker
    kill(getpid(), SIGKILL);
  };
  if (sigaction(SIGRTMAX - 1, &action, nullptr) == 0) prctl(PR_SET_PDEATHSIG, SIGRTMAX - 1);
}

// Waits for the next call. Returns 8 * env_id plus the number of the call, or -1 if the pool is closing.
// `after` is the environment that was called last, or -1. The search begins after it, so that all environments get
// their turn.
ENVPOOL_WORKER_FUNCTION i32 envpool_worker_wait(i32 worker, u32 generation, i32 after) {
  WorkerState& state = memory.worker(worker);
  const i32 first = memory.first_env(worker), count = memory.first_env(worker + 1) - first;
  if (after < first) after = first - 1;
  while (true) {
    const u32 seen = state.posted.load();
    if (state.quit.load() != 0) return -1;
    for (i32 k = 0; k < count; ++k) {
      const i32 env_id = first + (after + 1 - first + k) % count;
      const Slot& slot = memory.slot(env_id);
      const u32 call = slot.call.load();
      if (call > kLoad) end_with_damaged_memory();
      if (call != kNone && slot.generation == generation) return 8 * env_id + i32(call);
    }
    state.sleeping.store(1);
    sleep_while(state.posted, seen);
    state.sleeping.store(0);
  }
}

// Publishes the result of a call.
ENVPOOL_WORKER_FUNCTION void envpool_worker_publish(i32 env_id, f64 reward, u32 flags) {
  if (forked) _exit(0);
  Slot& slot = memory.slot(env_id);
  if (slot.ticket >= u32(memory.header().num_envs)) end_with_damaged_memory();
  Slot& head = memory.slot(i32(slot.ticket));
  slot.reward = reward;
  slot.flags = flags;
  slot.call.store(kNone);
  if (head.done.fetch_add(1) + 1 >= head.wake_at.load()) wake_all(head.done);
}

// These functions return addresses in the shared memory, which the script reads and writes.
ENVPOOL_WORKER_FUNCTION u8* envpool_worker_rows(i32 env_id) { return memory.rows(env_id); }
ENVPOOL_WORKER_FUNCTION char* envpool_worker_message(i32 env_id) { return memory.slot(env_id).message; }
ENVPOOL_WORKER_FUNCTION const u32* envpool_worker_seed(i32 env_id) { return &memory.slot(env_id).seed; }
ENVPOOL_WORKER_FUNCTION const u32* envpool_worker_options_bytes(i32 env_id) {
  return &memory.slot(env_id).options_bytes;
}
ENVPOOL_WORKER_FUNCTION u8* envpool_worker_transfer(envpool::i64* bytes) {
  *bytes = kTransferBytes;
  return memory.transfer();
}
ENVPOOL_WORKER_FUNCTION u8* envpool_worker_program(envpool::i64* bytes) {
  *bytes = memory.header().program_bytes;
  return memory.program();
}
