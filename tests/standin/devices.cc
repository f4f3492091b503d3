// SPDX-License-Identifier: Apache-2.0
//
// Devices and contexts of the stand-in.
#include <cstdio>
#include <cstring>
#include <map>

#include "libcuda.h"

using namespace standin;

// --- devices ---

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
    static_assert(Machine::kMultiprocessors == 8 && Machine::kResidentThreads == 2048);  // attributes 16 and 39
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
  return within([&](Context& context) -> int {
    if (const int refused = machine->capture_error(&context); refused != kSuccess) return refused;
    if (const int refused = machine->check_captures(); refused != kSuccess) return refused;
    return machine->finish(&context), context.error;
  });
}

API cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return within([&](Context&) { return *least = 0, *greatest = -5, int{kSuccess}; });
}
