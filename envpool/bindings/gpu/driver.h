// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's driver, opened at run time: the functions that are called, exceptions for their errors, and RAII wrappers of
// the driver's objects. envpool/cuda/driver.py finds the library and initializes it, through the bindings in
// devices.cc.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/core/types.h"

namespace envpool::cuda {

using Address = u64;   // CUdeviceptr
using Handle = void*;  // of a context, stream, event, module or function
using Status = int;    // CUresult
using Size = std::size_t;

inline constexpr Handle kLegacyStream = nullptr;
inline constexpr unsigned kStreamNonBlocking = 1;  // a flag of streams

// All driver functions that are called, each with its name in the library and the types of its arguments.
#define ENVPOOL_CUDA_CALLS(CALL)                                                                        \
  CALL(get_error_name, "cuGetErrorName", (Status, const char**))                                        \
  CALL(get_error_string, "cuGetErrorString", (Status, const char**))                                    \
  CALL(driver_version, "cuDriverGetVersion", (int*))                                                    \
  CALL(initialize, "cuInit", (unsigned))                                                                \
  CALL(device_count, "cuDeviceGetCount", (int*))                                                        \
  CALL(device_name, "cuDeviceGetName", (char*, int, int))                                               \
  CALL(total_memory, "cuDeviceTotalMem_v2", (Size*, int))                                               \
  CALL(device_get, "cuDeviceGet", (int*, int))                                                          \
  CALL(device_attribute, "cuDeviceGetAttribute", (int*, int, int))                                      \
  CALL(retain_context, "cuDevicePrimaryCtxRetain", (Handle*, int))                                      \
  CALL(release_context, "cuDevicePrimaryCtxRelease_v2", (int))                                          \
  CALL(push_context, "cuCtxPushCurrent_v2", (Handle))                                                   \
  CALL(pop_context, "cuCtxPopCurrent_v2", (Handle*))                                                    \
  CALL(context_device, "cuCtxGetDevice", (int*))                                                        \
  CALL(synchronize_context, "cuCtxSynchronize", ())                                                     \
  CALL(memory_info, "cuMemGetInfo_v2", (Size*, Size*))                                                  \
  CALL(allocate, "cuMemAlloc_v2", (Address*, Size))                                                     \
  CALL(free, "cuMemFree_v2", (Address))                                                                 \
  CALL(allocate_host, "cuMemHostAlloc", (void**, Size, unsigned))                                       \
  CALL(free_host, "cuMemFreeHost", (void*))                                                             \
  CALL(device_pointer, "cuMemHostGetDevicePointer_v2", (Address*, void*, unsigned))                     \
  CALL(upload, "cuMemcpyHtoDAsync_v2", (Address, const void*, Size, Handle))                            \
  CALL(download, "cuMemcpyDtoHAsync_v2", (void*, Address, Size, Handle))                                \
  CALL(copy, "cuMemcpyDtoDAsync_v2", (Address, Address, Size, Handle))                                  \
  CALL(fill, "cuMemsetD8Async", (Address, u8, Size, Handle))                                            \
  CALL(pointer_attribute, "cuPointerGetAttribute", (void*, int, Address))                               \
  CALL(load_module, "cuModuleLoadData", (Handle*, const void*))                                         \
  CALL(unload_module, "cuModuleUnload", (Handle))                                                       \
  CALL(get_function, "cuModuleGetFunction", (Handle*, Handle, const char*))                             \
  CALL(function_attribute, "cuFuncGetAttribute", (int*, int, Handle))                                   \
  CALL(create_stream, "cuStreamCreate", (Handle*, unsigned))                                            \
  CALL(destroy_stream, "cuStreamDestroy_v2", (Handle))                                                  \
  CALL(stream_context, "cuStreamGetCtx", (Handle, Handle*))                                             \
  CALL(stream_flags, "cuStreamGetFlags", (Handle, unsigned*))                                           \
  CALL(synchronize_stream, "cuStreamSynchronize", (Handle))                                             \
  CALL(wait_event, "cuStreamWaitEvent", (Handle, Handle, unsigned))                                     \
  CALL(is_capturing, "cuStreamIsCapturing", (Handle, int*))                                             \
  CALL(capture_info, "cuStreamGetCaptureInfo_v2", (Handle, int*, u64*, Handle*, const Handle**, Size*)) \
  CALL(exchange_capture_mode, "cuThreadExchangeStreamCaptureMode", (int*))                              \
  CALL(create_event, "cuEventCreate", (Handle*, unsigned))                                              \
  CALL(destroy_event, "cuEventDestroy_v2", (Handle))                                                    \
  CALL(record_event, "cuEventRecord", (Handle, Handle))                                                 \
  CALL(query_event, "cuEventQuery", (Handle))                                                           \
  CALL(launch, "cuLaunchKernel",                                                                        \
       (Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**))

inline constexpr Status kStubLibrary = 34, kNotReady = 600, kNotSupported = 801, kCaptureUnsupported = 900,
                        kCaptureImplicit = 906;

// A call to the driver failed. Python raises envpool.cuda.driver.CudaError.
struct CudaError : std::runtime_error {
  std::string call, name, text;
  Status code;
  CudaError(std::string function, Status status, std::string error_name, std::string description)
      : std::runtime_error(function + ": " + error_name + ": " + description),
        call(std::move(function)),
        name(std::move(error_name)),
        text(std::move(description)),
        code(status) {}
};

// The driver's functions.
class Driver {
 public:
  // Returns the driver in the library at `path`, which is opened once and never closed. Throws std::runtime_error if it
  // cannot be opened, or lacks a function.
  static const Driver& open(const std::string& path);

  const std::string path;
  const bool stand_in;  // whether it is the tests' stand-in, which is recognized by a function that only it exports

#define ENVPOOL_CUDA_MEMBER(member, name, arguments) \
  Status(*member) arguments = nullptr;               \
  static constexpr const char* name_of_##member = name;
  ENVPOOL_CUDA_CALLS(ENVPOOL_CUDA_MEMBER)
#undef ENVPOOL_CUDA_MEMBER

  // Records an event after all work of a context. Null in drivers before CUDA 12.5.
  Status (*record_context)(Handle context, Handle event) = nullptr;
  static constexpr const char* name_of_record_context = "cuCtxRecordEvent";
  // Loads a kernel now. Otherwise the driver may load it at its first launch, which would be illegal while a stream is
  // captured. Null in drivers before CUDA 12.4.
  Status (*load_function)(Handle function) = nullptr;
  static constexpr const char* name_of_load_function = "cuFuncLoad";

  // Throws CudaError unless the status is CUDA_SUCCESS. `explanation` is appended to the driver's description.
  void check(Status status, const char* call, const char* explanation = nullptr) const;
  // Returns whether device memory is host memory, in which case libraries without CUDA can use arrays on a device. Only
  // the tests' stand-in for the driver has such memory, in its flat mode.
  bool uses_host_memory() const { return stand_in_is_flat_ != nullptr && stand_in_is_flat_() != 0; }

 private:
  Driver(std::string file, bool is_stand_in) : path(std::move(file)), stand_in(is_stand_in) {}
  int (*stand_in_is_flat_)() = nullptr;  // only the stand-in has this function
};

#define ENVPOOL_CUDA(driver, member, ...) (driver).check((driver).member(__VA_ARGS__), Driver::name_of_##member)

// Isolates this thread's calls from captures that other threads began in the global mode, as PyTorch does by default.
// Such a capture forbids other threads to call functions that are not enqueued on a stream, such as allocations, and
// these calls would invalidate it. It is a precaution against operations that a captured program needs but that its
// graph would not repeat. A pool's calls do not belong to another thread's program, so while this object exists, the
// thread is in the thread-local mode, in which only its own captures forbid such calls.
class CaptureModeGuard {
 public:
  explicit CaptureModeGuard(const Driver& driver);
  ~CaptureModeGuard();
  CaptureModeGuard(const CaptureModeGuard&) = delete;
  CaptureModeGuard& operator=(const CaptureModeGuard&) = delete;

 private:
  const Driver& driver_;
  int before_;
};

// The primary context of a device, which PyTorch, JAX and CuPy use as well. This object retains it.
class Context {
 public:
  Context(const Driver& of, int number);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Makes the context current in the calling thread while this object exists, and isolates the thread's calls from
  // captures of other threads. The object converts to false if the former failed, or if the process was forked: a
  // forked process cannot use CUDA.
  class Current {
   public:
    explicit Current(const Context& context);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    explicit operator bool() const { return usable_; }

   private:
    const Context& context_;
    bool usable_;
    std::optional<CaptureModeGuard> guard_;
  };

  const Driver& driver;
  const int number;
  bool forked() const;
  Handle handle() const { return handle_; }
  // Returns an attribute of the device, one of CUdevice_attribute.
  int attribute(int which) const;
  // The bytes of local memory for each thread that the driver has reserved for launches of pools in this process. It
  // keeps them until the device's context is destroyed.
  i64 reserved_stack() const { return *reserved_stack_; }
  // Is called after a launch of a kernel whose threads have this much local memory.
  void note_stack(i64 bytes) const;

 private:
  int device_ = 0;
  Handle handle_ = nullptr;
  int pid_;
  std::shared_ptr<std::atomic<i64>> reserved_stack_;
};

// Owns memory, a stream, an event or a module that the driver created. The destructor makes the context current and
// frees what the object owns.
template <class T>
class Owned {
 public:
  using Free = Status (*)(T);
  Owned() = default;
  Owned(std::shared_ptr<const Context> context, T made, Free free)
      : context_(std::move(context)), made_(made), free_(free) {}
  Owned(Owned&& other) noexcept { swap(other); }
  Owned& operator=(Owned&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Owned() {
    if (made_ == T{}) return;
    if (const Context::Current current(*context_); current) free_(made_);
  }
  T get() const { return made_; }

 private:
  void swap(Owned& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(made_, other.made_);
    std::swap(free_, other.free_);
  }
  std::shared_ptr<const Context> context_;
  T made_{};
  Free free_ = nullptr;
};

// Says whether a stream and the legacy default stream, which PyTorch and CuPy use, wait for each other's work. If
// they do, a caller who does not use streams needs no synchronization, but the two streams' work never overlaps.
enum class WithLegacyStream { kInOrder, kIndependent };

Owned<Handle> make_stream(std::shared_ptr<const Context> context, WithLegacyStream order);
Owned<Handle> make_event(std::shared_ptr<const Context> context);
Owned<Handle> load_module(std::shared_ptr<const Context> context, const std::string& image);
// Returns a kernel, and loads it if the driver has `load_function`. The context must be current.
Handle kernel_of(const Driver& driver, const Owned<Handle>& module, const char* name);

// An allocation of device memory.
class Memory {
 public:
  Memory() = default;
  Memory(std::shared_ptr<const Context> context, i64 bytes);

  Address address() const { return owned_.get(); }
  i64 bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(address());
  }

 private:
  Owned<Address> owned_;
  i64 bytes_ = 0;
};

// An allocation of pinned host memory. All devices can access it.
class PinnedMemory {
 public:
  PinnedMemory(const std::shared_ptr<const Context>& context, i64 bytes);
  void* data() const { return owned_.get(); }

 private:
  Owned<void*> owned_;
};

// A word of pinned host memory that kernels write.
class Word {
 public:
  explicit Word(const std::shared_ptr<const Context>& context);
  Address address() const { return address_; }
  // Returns the last value written, and resets it to 0.
  u64 take();

 private:
  PinnedMemory memory_;
  Address address_ = 0;
};

}  // namespace envpool::cuda
