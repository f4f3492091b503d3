// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for libcuda.so.1, for tests on machines without a GPU. It implements the part of the CUDA driver API that
// a pool on a device needs. A module is PTX, which is translated into C (ptx.py) and runs on the host. The device is
// called "envpool stand-in (no GPU)". Errors follow the driver's manual. Some checks are stricter, to report mistakes
// that a GPU would not notice (module.h, machine.h).
//
// Environment variables, with defaults in brackets: ENVPOOL_STANDIN_MODE=flat gives device memory the addresses of host
// memory, without bounds checks; =races detects races between the threads of a launch, and =sectors counts the memory
// requests of warps (standinCount), both of which make kernels much slower; =coherent makes asynchronous copies access
// pageable host memory when they run, not before the call returns, as the manual allows on systems whose devices can
// access pageable memory.
// ENVPOOL_STANDIN_DEVICES is the number of devices [1], ENVPOOL_STANDIN_MEMORY the bytes of memory of each [8 GiB], and
// ENVPOOL_STANDIN_VERSION the result of cuDriverGetVersion [12090].
//
// This file has cuInit, the names of errors, and cuGetProcAddress; the other functions are in devices.cc, memory.cc,
// modules.cc, streams.cc and capture.cc.
#include "libcuda.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <utility>

namespace standin {

std::recursive_mutex lock;
Machine* machine;
bool forked;
thread_local std::vector<void*> current;

int driver_version() {
  const char* given = std::getenv("ENVPOOL_STANDIN_VERSION");
  return given != nullptr ? std::atoi(given) : 12090;
}

}  // namespace standin

using namespace standin;

namespace {

const std::map<int, const char*>& error_names() {
  static const std::map<int, const char*> names = {
      {0, "CUDA_SUCCESS"},
      {1, "CUDA_ERROR_INVALID_VALUE"},
      {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {3, "CUDA_ERROR_NOT_INITIALIZED"},
      {100, "CUDA_ERROR_NO_DEVICE"},
      {101, "CUDA_ERROR_INVALID_DEVICE"},
      {200, "CUDA_ERROR_INVALID_IMAGE"},
      {201, "CUDA_ERROR_INVALID_CONTEXT"},
      {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {218, "CUDA_ERROR_INVALID_PTX"},
      {400, "CUDA_ERROR_INVALID_HANDLE"},
      {401, "CUDA_ERROR_ILLEGAL_STATE"},
      {500, "CUDA_ERROR_NOT_FOUND"},
      {600, "CUDA_ERROR_NOT_READY"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
      {708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"},
      {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
      {710, "CUDA_ERROR_ASSERT"},
      {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
      {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {719, "CUDA_ERROR_LAUNCH_FAILED"},
      {801, "CUDA_ERROR_NOT_SUPPORTED"},
      {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
      {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
      {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE"},
      {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
      {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
      {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
      {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
      {907, "CUDA_ERROR_CAPTURED_EVENT"},
      {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"},
      {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"},
  };
  return names;
}

int set_text(int error, const char** text, std::size_t skipped) {
  const auto found = error_names().find(error);
  *text = found == error_names().end() ? nullptr : found->second + skipped;
  return *text == nullptr ? kInvalidValue : kSuccess;
}

}  // namespace

// --- functions that only the stand-in has ---

// Returns how many "allocations", "streams", "events", "modules", "contexts", "graphs" or "graph_execs" exist. In the
// mode "sectors", also returns sums over all launches: see TrafficCount.
extern "C" __attribute__((visibility("default"))) u64 standinCount(const char* what) {
  const std::lock_guard guard(lock);
  return machine == nullptr ? 0 : machine->count(what);
}

// Makes the `after`-th of the following calls fail with `code`, once; 0 cancels that. Only calls that create an object
// or enqueue work are counted. Returns how many calls were left until the previously requested failure, or 0 if it has
// happened.
extern "C" __attribute__((visibility("default"))) u64 standinFail(u64 after, int code) {
  const std::lock_guard guard(lock);
  if (machine == nullptr) return 0;
  machine->failure = code;
  return std::exchange(machine->calls_until_failure, after);
}

// Describes the last failure of a kernel (the instruction, address and thread) or of the loading of a module.
extern "C" __attribute__((visibility("default"))) const char* standinFault() {
  const std::lock_guard guard(lock);
  return machine == nullptr ? "" : machine->fault.c_str();
}

// Returns whether device memory is the host's (ENVPOOL_STANDIN_MODE=flat).
extern "C" __attribute__((visibility("default"))) int standinFlat() {
  const std::lock_guard guard(lock);
  return static_cast<int>(machine != nullptr && machine->flat());
}

// --- the driver ---

API cuInit(u32 flags) {
  const std::lock_guard guard(lock);
  if (flags != 0) return kInvalidValue;
  if (forked) return kNotInitialized;
  if (machine != nullptr) return kSuccess;
  auto* begun = new Machine;  // It is never deleted: other libraries may call the driver until the process ends.
  begun->begin();
  if (begun->devices.empty()) return delete begun, kNoDevice;
  machine = begun;
  pthread_atfork(nullptr, nullptr, [] {
    new (&lock) std::recursive_mutex;  // Another thread may have held the lock during the fork.
    forked = true;
  });
  return kSuccess;
}

API cuDriverGetVersion(int* version) { return *version = driver_version(), kSuccess; }

API cuGetErrorName(int error, const char** text) { return set_text(error, text, 0); }
API cuGetErrorString(int error, const char** text) {
  return set_text(error, text, error == 0 ? 5 : std::strlen("CUDA_ERROR_"));
}

// --- addresses of these functions ---

API cuGetProcAddress_v2(const char* symbol, void** function, int, u64, int* status) {
  static void* const self = [] {
    Dl_info info = {};
    dladdr(reinterpret_cast<void*>(&cuInit), &info);
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  *function = dlsym(self, (std::string(symbol) + "_v2").c_str());
  if (*function == nullptr) *function = dlsym(self, symbol);
  if (status != nullptr) *status = *function == nullptr;  // 1: there is no such function
  return *function == nullptr ? kNotFound : kSuccess;
}

// NVIDIA's libraries, such as NVRTC, ask a loaded driver for tables of private functions.
API cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return kNotFound;
}
