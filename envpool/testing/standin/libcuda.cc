// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for libcuda.so.1, for tests on machines without a GPU: the part of the CUDA driver API that a pool on a
// device needs. A module is PTX, which is translated into C (ptx.py) and run by the host. It is no GPU and says so: its
// device is called "envpool stand-in (no GPU)". What it refuses, and with which code, follows the driver's manual; it
// is stricter where a mistake would pass unnoticed on a GPU (module.h, machine.h).
//
// ENVPOOL_STANDIN_MODE=flat makes device memory the host's, without bounds; _DEVICES and _MEMORY say how many devices
// there are (1) and how many bytes each has (8 GiB); _VERSION what cuDriverGetVersion says (12090).
#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "loader.h"
#include "machine.h"

#define API extern "C" __attribute__((visibility("default"))) int

namespace {

using namespace standin;

std::recursive_mutex lock;
Machine* machine;  // null before cuInit
bool forked;
thread_local std::vector<void*> current;  // handles of contexts, the last is current

template <class F>
int started(F f) {
  const std::lock_guard guard(lock);
  return machine == nullptr || forked ? int{kNotInitialized} : f();
}

// Where a context is current that no kernel has broken.
template <class F>
int within(F f) {
  return started([&]() -> int {
    if (current.empty() || current.back() == nullptr) return kInvalidContext;
    Context* context = machine->contexts.find(current.back());
    if (context == nullptr) return kContextIsDestroyed;
    return context->error != kSuccess ? context->error : f(*context);
  });
}

template <class F>
int on_device(int ordinal, F f) {
  return started([&]() -> int {
    if (ordinal < 0 || ordinal >= static_cast<int>(machine->devices.size())) return kInvalidDevice;
    return f(*machine->devices[static_cast<std::size_t>(ordinal)]);
  });
}

// A stream of the current context; of any, where `anywhere` says so.
template <class F>
int on_stream(void* handle, F f, bool anywhere = false) {
  return within([&](Context& context) -> int {
    const auto number = reinterpret_cast<u64>(handle);
    Stream* stream = number <= 1 ? context.legacy : number == 2 ? context.per_thread : machine->streams.find(handle);
    if (stream == nullptr || (stream->context != &context && !anywhere)) return kInvalidHandle;
    return f(context, *stream);
  });
}

template <class F>
int on_event(void* handle, F f) {
  return within([&](Context& context) -> int {
    Event* event = machine->events.find(handle);
    return event == nullptr ? int{kInvalidHandle} : f(context, *event);
  });
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// --- copies ---

enum class Side { kHost, kDevice, kAny };

// One end of a copy. The host's memory is late, as the device's, if it is pinned.
struct End {
  u8* memory = nullptr;
  bool pageable = false;
};

End end_of(Context& context, u64 address, u64 bytes, Side side) {
  const Allocation* owner = machine->owner(address);
  if (owner == nullptr) {
    const bool refused = side == Side::kDevice || address >> 48 == kTag || address == 0;
    return refused ? End{} : End{reinterpret_cast<u8*>(address), true};
  }
  if (side == Side::kHost && !owner->pinned) return {};
  return {machine->host(&context, address, bytes), false};
}

int copy(Context& context, Stream& stream, u64 to, Side to_side, u64 from, Side from_side, u64 bytes, bool wait) {
  if (bytes == 0) return kSuccess;
  const End target = end_of(context, to, bytes, to_side), source = end_of(context, from, bytes, from_side);
  if (target.memory == nullptr || source.memory == nullptr) return kInvalidValue;
  if (source.pageable && !wait) {  // is read before the call returns
    auto staged = std::make_shared<std::vector<u8>>(source.memory, source.memory + bytes);
    machine->submit(&stream, [=] { return std::memcpy(target.memory, staged->data(), bytes), int{kSuccess}; });
  } else {
    machine->submit(&stream, [=] { return std::memmove(target.memory, source.memory, bytes), int{kSuccess}; });
  }
  if (wait || target.pageable) machine->finish(&stream);
  return context.error;
}

int copy_now(u64 to, Side to_side, u64 from, Side from_side, u64 bytes, bool wait = true) {
  return within(
      [&](Context& context) { return copy(context, *context.legacy, to, to_side, from, from_side, bytes, wait); });
}

int copy_late(u64 to, Side to_side, u64 from, Side from_side, u64 bytes, void* stream) {
  return on_stream(stream, [&](Context& context, Stream& on) {
    return copy(context, on, to, to_side, from, from_side, bytes, false);
  });
}

template <class T>
int fill(u64 to, T value, u64 count, void* stream) {
  return on_stream(stream, [&](Context& context, Stream& on) -> int {
    if (count == 0) return kSuccess;
    if (to % sizeof(T) != 0) return kInvalidValue;
    const End target = end_of(context, to, count * sizeof(T), Side::kDevice);
    if (target.memory == nullptr) return kInvalidValue;
    machine->submit(&on, [=] {
      for (u64 i = 0; i < count; ++i) std::memcpy(target.memory + i * sizeof(T), &value, sizeof(T));
      return int{kSuccess};
    });
    return kSuccess;
  });
}

u64 address_of(const void* pointer) { return reinterpret_cast<u64>(pointer); }

// --- modules ---

std::string refusal_of_image(const void* image, int* code) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  *code = kNoBinaryForGpu;
  if (std::memcmp(bytes,
                  "\x7f"
                  "ELF",
                  4) == 0)
    return "the stand-in runs PTX, not machine code of a GPU";
  if (std::memcmp(bytes, "\x50\xed\x55\xba", 4) == 0) return "the stand-in runs PTX, not a fat binary";
  *code = kInvalidImage;
  return std::strstr(static_cast<const char*>(image), ".version") == nullptr ? "expected PTX" : "";
}

int load_module(Context& context, const char* image, void** out, std::string* log) {
  if (image == nullptr || out == nullptr) return kInvalidValue;
  int code = kSuccess;
  *log = refusal_of_image(image, &code);
  if (!log->empty()) return code;
  const Loaded loaded = load(image);
  *log = loaded.refusal;
  if (loaded.table == nullptr) return kInvalidPtx;
  Module* module = machine->modules.find(machine->modules.add(std::make_unique<Module>()));
  module->context = &context;
  module->table = loaded.table;
  for (u32 i = 0; i < loaded.table->variable_count; ++i) {
    const ModuleVariable& variable = loaded.table->variables[i];
    Allocation* memory = nullptr;
    if (const int failed = machine->allocate(&context, variable.bytes, false, &memory); failed != kSuccess)
      return failed;
    if (variable.initial != nullptr) {
      std::memcpy(memory->host, variable.initial, variable.bytes);
    } else {
      std::memset(memory->host, 0, variable.bytes);
    }
    module->globals.push_back(memory->address);
  }
  for (u32 i = 0; i < loaded.table->variable_count; ++i) {
    const ModuleVariable& variable = loaded.table->variables[i];
    for (u32 j = 0; j < variable.pointer_count; ++j) {
      const ModulePointer& pointer = variable.pointers[j];
      const u64 value = module->globals[pointer.variable] + static_cast<u64>(pointer.offset);
      std::memcpy(machine->owner(module->globals[i])->host + pointer.at, &value, sizeof(value));
    }
  }
  *out = module->handle;
  return kSuccess;
}

// Where a program asked for the compiler's words: values of options are what it points to, or numbers.
void tell(const std::string& log, u32 count, const int* options, void** values) {
  constexpr int kErrorLog = 5, kErrorLogBytes = 6;
  char* buffer = nullptr;
  u64 room = 0;
  for (u32 i = 0; i < count; ++i) {
    if (options[i] == kErrorLog) buffer = static_cast<char*>(values[i]);
    if (options[i] == kErrorLogBytes) room = address_of(values[i]) & 0xFFFFFFFF;
  }
  if (buffer == nullptr || room == 0) return;
  const u64 bytes = std::min<u64>(log.size(), room - 1);
  std::memcpy(buffer, log.data(), bytes);
  buffer[bytes] = '\0';
}

// --- launches ---

// The values of a kernel's parameters, as they are when it is launched.
using Values = std::vector<std::vector<u8>>;

bool read_parameters(const ModuleKernel& kernel, void** parameters, Values* values) {
  if (kernel.parameters > 0 && parameters == nullptr) return false;
  for (u32 i = 0; i < kernel.parameters; ++i) {
    const auto* value = static_cast<const u8*>(parameters[i]);
    if (value == nullptr) return false;
    values->emplace_back(value, value + kernel.parameter_bytes[i]);
    values->back().resize((values->back().size() + 31) / 16 * 16);  // vectors are read whole
  }
  return true;
}

int run(Context* context, const ModuleKernel* kernel, const std::vector<u64>& globals, Launch launch, Values values) {
  std::vector<u8*> places;
  for (auto& value : values) places.push_back(value.data());
  launch.slots = context->slots.get();
  launch.flat = machine->flat;
  launch.parameters = places.data();
  launch.globals = globals.data();
  const int code = kernel->launch(&launch);
  if (code != kSuccess) machine->fault = std::string(kernel->name) + ": " + launch.fault;
  return code;
}

bool fits(const Function& function, const u32* grid, const u32* block, u32 dynamic_bytes) {
  const u64 threads = u64{block[0]} * block[1] * block[2], blocks = u64{grid[0]} * grid[1] * grid[2];
  if (threads == 0 || blocks == 0 || block[0] > 1024 || block[1] > 1024 || block[2] > 64) return false;
  if (grid[0] > 0x7FFFFFFF || grid[1] > 65535 || grid[2] > 65535) return false;
  if (threads > Machine::kMostThreads || threads > function.kernel->max_threads) return false;
  const u64 shared = u64{function.kernel->shared_bytes} + dynamic_bytes;
  return shared <= Machine::kSharedBytes ||
         (dynamic_bytes <= function.dynamic_limit && shared <= Machine::kSharedOptin);
}

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
  };
  return names;
}

int set_text(int error, const char** text, std::size_t skipped) {
  const auto found = error_names().find(error);
  *text = found == error_names().end() ? nullptr : found->second + skipped;
  return *text == nullptr ? kInvalidValue : kSuccess;
}

}  // namespace

// --- what only the stand-in has ---

// Of "allocations", "streams", "events", "modules" or "contexts", how many there are.
extern "C" __attribute__((visibility("default"))) u64 standinCount(const char* what) {
  const std::lock_guard guard(lock);
  return machine == nullptr ? 0 : machine->count(what);
}

// What the last kernel that failed did wrong: the instruction, the address, the thread.
extern "C" __attribute__((visibility("default"))) const char* standinFault() {
  const std::lock_guard guard(lock);
  return machine == nullptr ? "" : machine->fault.c_str();
}

// --- the driver and its devices ---

API cuInit(u32 flags) {
  const std::lock_guard guard(lock);
  if (flags != 0) return kInvalidValue;
  if (forked) return kNotInitialized;
  if (machine != nullptr) return kSuccess;
  auto* begun = new Machine;  // never deleted: other libraries may call until the very end
  begun->begin();
  if (begun->devices.empty()) return delete begun, kNoDevice;
  machine = begun;
  pthread_atfork(nullptr, nullptr, [] {
    new (&lock) std::recursive_mutex;  // another thread may have held it, and this one has a new number
    forked = true;
  });
  return kSuccess;
}

API cuDriverGetVersion(int* version) {
  const char* given = std::getenv("ENVPOOL_STANDIN_VERSION");
  *version = given != nullptr ? std::atoi(given) : 12090;
  return kSuccess;
}

API cuGetErrorName(int error, const char** text) { return set_text(error, text, 0); }
API cuGetErrorString(int error, const char** text) {
  return set_text(error, text, error == 0 ? 5 : std::strlen("CUDA_ERROR_"));
}

API cuDeviceGetCount(int* count) {
  return started([&] { return *count = static_cast<int>(machine->devices.size()), int{kSuccess}; });
}

API cuDeviceGet(int* device, int ordinal) {
  return on_device(ordinal, [&](Device&) { return *device = ordinal, int{kSuccess}; });
}

API cuDeviceGetName(char* name, int bytes, int device) {
  return on_device(device, [&](Device&) -> int {
    if (bytes <= 0) return kInvalidValue;
    std::snprintf(name, static_cast<std::size_t>(bytes), "envpool stand-in (no GPU)");
    return kSuccess;
  });
}

API cuDeviceGetUuid_v2(char* uuid, int device) {
  return on_device(device, [&](Device&) {
    std::memcpy(uuid, "envpool stand-in", 16);
    uuid[15] = static_cast<char>(device);
    return int{kSuccess};
  });
}

API cuDeviceTotalMem_v2(u64* bytes, int device) {
  return on_device(device, [&](Device&) { return *bytes = machine->memory_bytes, int{kSuccess}; });
}

API cuDeviceGetAttribute(int* value, int attribute, int device) {
  return on_device(device, [&](Device& of) -> int {
    static const std::map<int, int> values = {
        {1, 1024},     {2, 1024},       {3, 1024},     {4, 64},         {5, 0x7FFFFFFF}, {6, 65535},
        {7, 65535},    {8, 48 << 10},   {9, 64 << 10}, {10, 32},        {12, 65536},     {13, 1000000},
        {14, 512},     {16, 8},         {19, 1},       {31, 1},         {36, 1000000},   {37, 64},
        {38, 1 << 20}, {39, 2048},      {40, 1},       {41, 1},         {75, 8},         {76, 0},
        {78, 1},       {81, 164 << 10}, {82, 65536},   {97, 163 << 10}, {106, 32},       {111, 1 << 10},
    };
    if (attribute <= 0 || attribute > 200) return kInvalidValue;
    const auto found = values.find(attribute);
    *value = attribute == 34 ? of.ordinal : found == values.end() ? 0 : found->second;
    return kSuccess;
  });
}

API cuDeviceCanAccessPeer(int* can, int device, int) {
  return on_device(device, [&](Device&) { return *can = 0, int{kSuccess}; });
}

// --- contexts ---

API cuDevicePrimaryCtxRetain(void** context, int device) {
  return on_device(device, [&](Device& of) {
    if (of.primary == nullptr) of.primary = machine->make_context(&of)->handle;
    ++of.primary_uses;
    *context = of.primary;
    return int{kSuccess};
  });
}

API cuDevicePrimaryCtxRelease_v2(int device) {
  return on_device(device, [&](Device& of) -> int {
    if (of.primary_uses == 0) return kInvalidContext;
    if (--of.primary_uses == 0 && of.primary != nullptr) machine->destroy_context(machine->contexts.find(of.primary));
    return kSuccess;
  });
}

API cuDevicePrimaryCtxReset_v2(int device) {
  return on_device(device, [&](Device& of) {
    if (of.primary != nullptr) machine->destroy_context(machine->contexts.find(of.primary));
    return int{kSuccess};
  });
}

API cuDevicePrimaryCtxGetState(int device, u32* flags, int* active) {
  return on_device(device, [&](Device& of) {
    *flags = of.primary_flags;
    *active = of.primary != nullptr;
    return int{kSuccess};
  });
}

API cuDevicePrimaryCtxSetFlags_v2(int device, u32 flags) {
  return on_device(device, [&](Device& of) { return of.primary_flags = flags, int{kSuccess}; });
}

API cuCtxCreate_v2(void** context, u32, int device) {
  return on_device(device, [&](Device& of) {
    *context = machine->make_context(&of)->handle;
    current.push_back(*context);
    return int{kSuccess};
  });
}

API cuCtxDestroy_v2(void* context) {
  return started([&]() -> int {
    Context* found = machine->contexts.find(context);
    if (found == nullptr || found->device->primary == context) return kInvalidContext;
    machine->destroy_context(found);
    if (!current.empty() && current.back() == context) current.pop_back();
    return kSuccess;
  });
}

API cuCtxGetCurrent(void** context) {
  return started([&] { return *context = current.empty() ? nullptr : current.back(), int{kSuccess}; });
}

API cuCtxSetCurrent(void* context) {
  return started([&]() -> int {
    if (context != nullptr && machine->contexts.find(context) == nullptr) return kInvalidContext;
    if (!current.empty()) current.pop_back();
    if (context != nullptr) current.push_back(context);
    return kSuccess;
  });
}

API cuCtxPushCurrent_v2(void* context) {
  return started([&]() -> int {
    if (machine->contexts.find(context) == nullptr) return kInvalidContext;
    current.push_back(context);
    return kSuccess;
  });
}

API cuCtxPopCurrent_v2(void** context) {
  return started([&]() -> int {
    if (current.empty()) return kInvalidContext;
    if (context != nullptr) *context = current.back();
    current.pop_back();
    return kSuccess;
  });
}

API cuCtxGetDevice(int* device) {
  return within([&](Context& context) { return *device = context.device->ordinal, int{kSuccess}; });
}

API cuCtxSynchronize() {
  return within([&](Context& context) { return machine->finish(&context), context.error; });
}

API cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return within([&](Context&) { return *least = 0, *greatest = -5, int{kSuccess}; });
}

// --- memory ---

API cuMemGetInfo_v2(u64* free, u64* total) {
  return within([&](Context& context) {
    *free = machine->memory_bytes - context.device->used;
    *total = machine->memory_bytes;
    return int{kSuccess};
  });
}

API cuMemAlloc_v2(u64* address, u64 bytes) {
  return within([&](Context& context) {
    Allocation* made = nullptr;
    const int code = machine->allocate(&context, bytes, false, &made);
    if (code == kSuccess) *address = made->address;
    return code;
  });
}

API cuMemFree_v2(u64 address) {
  return within([&](Context& context) -> int {
    if (address == 0) return kSuccess;
    const auto found = machine->allocations.find(address);
    if (found == machine->allocations.end() || found->second.pinned) return kInvalidValue;
    machine->finish(&context);
    machine->release(address);
    return context.error;
  });
}

API cuMemHostAlloc(void** pointer, u64 bytes, u32) {
  return within([&](Context& context) {
    Allocation* made = nullptr;
    const int code = machine->allocate(&context, bytes, true, &made);
    if (code == kSuccess) *pointer = made->host;
    return code;
  });
}

API cuMemAllocHost_v2(void** pointer, u64 bytes) { return cuMemHostAlloc(pointer, bytes, 0); }

API cuMemFreeHost(void* pointer) {
  return within([&](Context& context) -> int {
    const auto found = machine->pinned.find(address_of(pointer));
    if (found == machine->pinned.end()) return kInvalidValue;
    machine->finish(&context);
    machine->release(found->second);
    return context.error;
  });
}

// Of pinned memory, the device's address, which is another than the host's.
API cuMemHostGetDevicePointer_v2(u64* address, void* pointer, u32) {
  return within([&](Context&) -> int {
    const Allocation* owner = machine->owner(address_of(pointer));
    if (owner == nullptr || !owner->pinned) return kInvalidValue;
    *address = owner->address + (address_of(pointer) - address_of(owner->host));
    return kSuccess;
  });
}

API cuMemGetAddressRange_v2(u64* begin, u64* bytes, u64 address) {
  return within([&](Context&) -> int {
    const Allocation* owner = machine->owner(address);
    if (owner == nullptr || owner->pinned) return kNotFound;
    if (begin != nullptr) *begin = owner->address;
    if (bytes != nullptr) *bytes = owner->bytes;
    return kSuccess;
  });
}

API cuPointerGetAttribute(void* value, int attribute, u64 address) {
  return started([&]() -> int {
    const Allocation* owner = machine->owner(address);
    if (owner == nullptr) return kInvalidValue;
    const u64 offset = address - (address >> 48 == kTag ? owner->address : address_of(owner->host));
    const auto put = [&](auto x) { return std::memcpy(value, &x, sizeof(x)), int{kSuccess}; };
    switch (attribute) {
      case 1: return put(owner->context->handle);
      case 2: return put(owner->pinned ? u32{1} : u32{2});
      case 3: return put(owner->address + offset);
      case 4: return owner->pinned || machine->flat ? put(owner->host + offset) : int{kInvalidValue};
      case 8: return put(u32{0});
      case 9: return put(owner->context->device->ordinal);
      case 11: return put(owner->address);
      case 12: return put(owner->bytes);
      default: return kInvalidValue;
    }
  });
}

API cuMemcpyHtoD_v2(u64 to, const void* from, u64 bytes) {
  return copy_now(to, Side::kDevice, address_of(from), Side::kHost, bytes);
}
API cuMemcpyDtoH_v2(void* to, u64 from, u64 bytes) {
  return copy_now(address_of(to), Side::kHost, from, Side::kDevice, bytes);
}
API cuMemcpyDtoD_v2(u64 to, u64 from, u64 bytes) {
  return copy_now(to, Side::kDevice, from, Side::kDevice, bytes, false);
}
API cuMemcpy(u64 to, u64 from, u64 bytes) { return copy_now(to, Side::kAny, from, Side::kAny, bytes); }
API cuMemcpyHtoDAsync_v2(u64 to, const void* from, u64 bytes, void* stream) {
  return copy_late(to, Side::kDevice, address_of(from), Side::kHost, bytes, stream);
}
API cuMemcpyDtoHAsync_v2(void* to, u64 from, u64 bytes, void* stream) {
  return copy_late(address_of(to), Side::kHost, from, Side::kDevice, bytes, stream);
}
API cuMemcpyDtoDAsync_v2(u64 to, u64 from, u64 bytes, void* stream) {
  return copy_late(to, Side::kDevice, from, Side::kDevice, bytes, stream);
}
API cuMemcpyAsync(u64 to, u64 from, u64 bytes, void* stream) {
  return copy_late(to, Side::kAny, from, Side::kAny, bytes, stream);
}

API cuMemsetD8_v2(u64 to, u8 value, u64 count) { return fill(to, value, count, nullptr); }
API cuMemsetD16_v2(u64 to, std::uint16_t value, u64 count) { return fill(to, value, count, nullptr); }
API cuMemsetD32_v2(u64 to, u32 value, u64 count) { return fill(to, value, count, nullptr); }
API cuMemsetD8Async(u64 to, u8 value, u64 count, void* stream) { return fill(to, value, count, stream); }
API cuMemsetD16Async(u64 to, std::uint16_t value, u64 count, void* stream) { return fill(to, value, count, stream); }
API cuMemsetD32Async(u64 to, u32 value, u64 count, void* stream) { return fill(to, value, count, stream); }

// --- modules ---

API cuModuleLoadDataEx(void** module, const void* image, u32 count, int* options, void** values) {
  return within([&](Context& context) {
    std::string log;
    const int code = load_module(context, static_cast<const char*>(image), module, &log);
    if (!log.empty()) machine->fault = log;
    tell(log, count, options, values);
    return code;
  });
}

API cuModuleLoadData(void** module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

API cuModuleUnload(void* module) {
  return within([&](Context& context) -> int {
    Module* found = machine->modules.find(module);
    if (found == nullptr) return kInvalidHandle;
    machine->finish(&context);
    machine->functions.remove_if([&](const Function& function) { return function.module == found; });
    for (const u64 address : found->globals) machine->release(address);
    machine->modules.remove(module);
    return context.error;
  });
}

API cuModuleGetFunction(void** function, void* module, const char* name) {
  return within([&](Context&) -> int {
    Module* found = machine->modules.find(module);
    if (found == nullptr) return kInvalidHandle;
    for (u32 i = 0; i < found->table->kernel_count; ++i) {
      const ModuleKernel* kernel = &found->table->kernels[i];
      if (std::strcmp(kernel->name, name) != 0) continue;
      auto made = std::make_unique<Function>();
      made->module = found;
      made->kernel = kernel;
      *function = machine->functions.add(std::move(made));
      return kSuccess;
    }
    return kNotFound;
  });
}

API cuModuleGetGlobal_v2(u64* address, u64* bytes, void* module, const char* name) {
  return within([&](Context&) -> int {
    Module* found = machine->modules.find(module);
    if (found == nullptr) return kInvalidHandle;
    for (u32 i = 0; i < found->table->variable_count; ++i) {
      const ModuleVariable& variable = found->table->variables[i];
      if (std::strcmp(variable.name, name) != 0) continue;
      if (address != nullptr) *address = found->globals[i];
      if (bytes != nullptr) *bytes = variable.bytes;
      return kSuccess;
    }
    return kNotFound;
  });
}

API cuFuncGetAttribute(int* value, int attribute, void* function) {
  return within([&](Context&) -> int {
    const Function* found = machine->functions.find(function);
    if (found == nullptr) return kInvalidHandle;
    switch (attribute) {
      case 0: return *value = static_cast<int>(found->kernel->max_threads), kSuccess;
      case 1: return *value = static_cast<int>(found->kernel->shared_bytes), kSuccess;
      case 3: return *value = static_cast<int>(found->kernel->local_bytes), kSuccess;
      case 5:
      case 6: return *value = 80, kSuccess;
      case 8: return *value = static_cast<int>(found->dynamic_limit), kSuccess;
      default: return *value = 0, attribute < 0 || attribute > 15 ? kInvalidValue : kSuccess;
    }
  });
}

API cuFuncSetAttribute(void* function, int attribute, int value) {
  return within([&](Context&) -> int {
    Function* found = machine->functions.find(function);
    if (found == nullptr) return kInvalidHandle;
    const u64 wanted = static_cast<u64>(value) + found->kernel->shared_bytes;
    if (attribute == 8 && (value < 0 || wanted > Machine::kSharedOptin)) return kInvalidValue;
    if (attribute == 8) found->dynamic_limit = static_cast<u32>(value);
    return attribute == 8 || attribute == 9 ? kSuccess : kInvalidValue;
  });
}

API cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads, u64 dynamic_bytes) {
  return within([&](Context&) -> int {
    const Function* found = machine->functions.find(function);
    if (found == nullptr) return kInvalidHandle;
    const u32 one[] = {1, 1, 1}, block[] = {static_cast<u32>(threads), 1, 1};
    *blocks = threads > 0 && fits(*found, one, block, static_cast<u32>(dynamic_bytes))
                  ? 2048 / ((threads + 31) / 32 * 32)
                  : 0;
    return kSuccess;
  });
}

// --- streams and events ---

API cuStreamCreate(void** stream, u32 flags) {
  return within([&](Context& context) -> int {
    if (flags > 1) return kInvalidValue;
    *stream = machine->make_stream(&context, flags, false)->handle;
    return kSuccess;
  });
}

API cuStreamCreateWithPriority(void** stream, u32 flags, int) { return cuStreamCreate(stream, flags); }

API cuStreamDestroy_v2(void* stream) {
  return on_stream(stream, [&](Context& context, Stream& on) -> int {
    if (on.special) return kInvalidHandle;
    machine->finish(&on);
    machine->forget(&on);
    return context.error;
  });
}

API cuStreamSynchronize(void* stream) {
  return on_stream(stream, [&](Context& context, Stream& on) { return machine->finish(&on), context.error; }, true);
}

API cuStreamQuery(void* stream) {
  return on_stream(
      stream,
      [&](Context& context, Stream& on) -> int {
        if (on.work.empty()) return kSuccess;
        machine->advance(&on);
        return context.error != kSuccess ? context.error : int{kNotReady};
      },
      true);
}

API cuStreamWaitEvent(void* stream, void* event, u32) {
  return on_stream(stream, [&](Context&, Stream& on) -> int {
    const Event* found = machine->events.find(event);
    if (found == nullptr) return kInvalidHandle;
    if (found->recorded) machine->submit(&on, [] { return int{kSuccess}; }, {found->ticket});
    return kSuccess;
  });
}

API cuStreamGetFlags(void* stream, u32* flags) {
  return on_stream(stream, [&](Context&, Stream& on) { return *flags = on.flags, int{kSuccess}; });
}

API cuStreamGetCtx(void* stream, void** context) {
  return on_stream(stream, [&](Context&, Stream& on) { return *context = on.context->handle, int{kSuccess}; }, true);
}

// Capture is not offered.
API cuStreamIsCapturing(void* stream, int* status) {
  return on_stream(stream, [&](Context&, Stream&) { return *status = 0, int{kSuccess}; });
}
API cuStreamBeginCapture_v2(void* stream, int) {
  return on_stream(stream, [&](Context&, Stream&) { return int{kNotSupported}; });
}

// The function may not call the driver.
API cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  return on_stream(stream, [&](Context&, Stream& on) {
    machine->submit(&on, [=] { return function(data), int{kSuccess}; });
    return int{kSuccess};
  });
}

API cuEventCreate(void** event, u32 flags) {
  return within([&](Context& context) {
    auto made = std::make_unique<Event>();
    made->context = &context;
    made->flags = flags;
    *event = machine->events.add(std::move(made));
    return int{kSuccess};
  });
}

API cuEventDestroy_v2(void* event) {
  return on_event(event, [&](Context&, Event&) { return machine->events.remove(event), int{kSuccess}; });
}

API cuEventRecord(void* event, void* stream) {
  return on_event(event, [&](Context&, Event& found) {
    return on_stream(stream, [&](Context& context, Stream& on) -> int {
      if (found.context != &context) return kInvalidHandle;
      auto came = std::make_shared<double>(0);
      machine->submit(&on, [came] { return *came = seconds(), int{kSuccess}; });
      found.ticket = machine->ticket(&on);
      found.recorded = true;
      found.seconds = came;
      return kSuccess;
    });
  });
}

API cuEventQuery(void* event) {
  return on_event(event, [&](Context& context, Event& found) -> int {
    if (!found.recorded || machine->reached(found.ticket)) return kSuccess;
    machine->advance(found.ticket);
    return context.error != kSuccess ? context.error : int{kNotReady};
  });
}

API cuEventSynchronize(void* event) {
  return on_event(event, [&](Context& context, Event& found) {
    if (found.recorded) machine->reach(found.ticket);
    return context.error;
  });
}

API cuEventElapsedTime_v2(float* milliseconds, void* from, void* to) {
  return on_event(from, [&](Context&, Event& begin) {
    return on_event(to, [&](Context&, Event& end) -> int {
      constexpr u32 kDisableTiming = 2;
      if (((begin.flags | end.flags) & kDisableTiming) || !begin.recorded || !end.recorded) return kInvalidHandle;
      if (!machine->reached(begin.ticket) || !machine->reached(end.ticket)) return kNotReady;
      *milliseconds = static_cast<float>((*end.seconds - *begin.seconds) * 1e3);
      return kSuccess;
    });
  });
}
API cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  return cuEventElapsedTime_v2(milliseconds, from, to);
}

// --- launches ---

API cuLaunchKernel(void* function, u32 grid_x, u32 grid_y, u32 grid_z, u32 block_x, u32 block_y, u32 block_z,
                   u32 dynamic_bytes, void* stream, void** parameters, void** extra) {
  return on_stream(stream, [&](Context& context, Stream& on) -> int {
    const Function* found = machine->functions.find(function);
    if (found == nullptr || found->module->context != &context) return kInvalidHandle;
    Launch launch = {};
    launch.grid[0] = grid_x, launch.grid[1] = grid_y, launch.grid[2] = grid_z;
    launch.block[0] = block_x, launch.block[1] = block_y, launch.block[2] = block_z;
    launch.dynamic_bytes = dynamic_bytes;
    if (!fits(*found, launch.grid, launch.block, dynamic_bytes)) return kInvalidValue;
    if (extra != nullptr) return kNotSupported;
    Values values;
    if (!read_parameters(*found->kernel, parameters, &values)) return kInvalidValue;
    machine->submit(&on, [=, device = &context, globals = found->module->globals, kernel = found->kernel] {
      return run(device, kernel, globals, launch, values);
    });
    return kSuccess;
  });
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
  if (status != nullptr) *status = *function == nullptr;  // 1: there is none of this name
  return *function == nullptr ? kNotFound : kSuccess;
}

// NVIDIA's own libraries ask for tables of private functions, as NVRTC does of any driver that it finds loaded.
API cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return kNotFound;
}
