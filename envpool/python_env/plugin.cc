// SPDX-License-Identifier: Apache-2.0
//
// The table of Python environments, and the functions that their workers call through ctypes.

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

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

}  // namespace

// Waits for the next call. Returns 4 * env_id plus the number of the call, or -1 if the pool is closing.
// `after` is the environment that was called last, or -1. The search begins after it, so that all environments get
// their turn.
ENVPOOL_WORKER_FUNCTION i32 envpool_worker_wait(u8* base, i32 worker, u32 generation, i32 after) {
  const View view(base);
  WorkerState& state = view.worker(worker);
  const i32 first = view.first_env(worker), count = view.first_env(worker + 1) - first;
  if (after < first) after = first - 1;
  while (true) {
    const u32 seen = state.posted.load();
    if (state.quit.load() != 0) return -1;
    for (i32 k = 0; k < count; ++k) {
      const i32 env_id = first + (after + 1 - first + k) % count;
      const Slot& slot = view.slot(env_id);
      const u32 call = slot.call.load();
      if (call != kNone && slot.generation == generation) return 4 * env_id + i32(call);
    }
    state.sleeping.store(1);
    sleep_while(state.posted, seen);
    state.sleeping.store(0);
  }
}

// Publishes the result of a call.
ENVPOOL_WORKER_FUNCTION void envpool_worker_publish(u8* base, i32 env_id, f64 reward, u32 flags) {
  const View view(base);
  Slot& slot = view.slot(env_id);
  Slot& head = view.slot(i32(slot.ticket));
  slot.reward = reward;
  slot.flags = flags;
  slot.call.store(kNone);
  if (head.done.fetch_add(1) + 1 >= head.wake_at.load()) wake_all(head.done);
}

// Lets the death of the pool's process end not only this worker, but all processes that its environments have started.
// Without this call, only the worker is killed.
ENVPOOL_WORKER_FUNCTION void envpool_worker_begin() {
  struct sigaction action{};
  action.sa_handler = [](int) {
    kill(-getpid(), SIGKILL);  // the group that the worker leads, unless the environment has moved the worker
    kill(getpid(), SIGKILL);
  };
  if (sigaction(SIGRTMAX - 1, &action, nullptr) == 0) prctl(PR_SET_PDEATHSIG, SIGRTMAX - 1);
}

// These functions return addresses in the shared memory, which the script reads and writes.
ENVPOOL_WORKER_FUNCTION u8* envpool_worker_rows(u8* base, i32 env_id) { return View(base).rows(env_id); }
ENVPOOL_WORKER_FUNCTION char* envpool_worker_message(u8* base, i32 env_id) { return View(base).slot(env_id).message; }
ENVPOOL_WORKER_FUNCTION const u32* envpool_worker_seed(u8* base, i32 env_id) { return &View(base).slot(env_id).seed; }
ENVPOOL_WORKER_FUNCTION const u32* envpool_worker_options_bytes(u8* base, i32 env_id) {
  return &View(base).slot(env_id).options_bytes;
}
ENVPOOL_WORKER_FUNCTION u8* envpool_worker_program(u8* base, envpool::i64* bytes) {
  const Header& header = View(base).header();
  *bytes = header.program_bytes;
  return base + header.program_at;
}
