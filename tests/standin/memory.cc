// SPDX-License-Identifier: Apache-2.0
//
// Memory of the stand-in: allocations, addresses, copies and fills.
#include <cstring>
#include <memory>

#include "libcuda.h"

using namespace standin;

namespace {

enum class Side { kHost, kDevice, kAny };

// The source or destination of a copy. Pinned memory and device memory are accessed when the copy runs.
struct End {
  u8* memory = nullptr;
  bool pageable = false;
};

End end_of(Context& context, u64 address, u64 bytes, Side side) {
  const Allocation* owner = machine->owner(address);
  if (owner == nullptr) {
    const bool refused = (side == Side::kDevice && !machine->flat()) || address >> 48 == kTag || address == 0;
    return refused ? End{} : End{reinterpret_cast<u8*>(address), true};
  }
  if (side == Side::kHost && !owner->pinned) return {};
  return {machine->host(&context, address, bytes), false};
}

int copy(Context& context, Stream& stream, u64 to, Side to_side, u64 from, Side from_side, u64 bytes, bool wait) {
  if (bytes == 0) return kSuccess;
  const End target = end_of(context, to, bytes, to_side), source = end_of(context, from, bytes, from_side);
  if (target.memory == nullptr || source.memory == nullptr) return kInvalidValue;
  if (stream.capture != nullptr) {
    if (source.pageable || target.pageable) return machine->capture_error(&context);
    // Memory may be freed before the graph is launched, so each launch looks it up.
    return machine->enqueue(&stream, kCopyNode, [=, device = &context]() -> int {
      u8* target_now = machine->host(device, to, bytes);
      const u8* source_now = machine->host(device, from, bytes);
      if (target_now == nullptr || source_now == nullptr) return kIllegalAddress;
      return std::memmove(target_now, source_now, bytes), int{kSuccess};
    });
  }
  std::function<int()> run = [=] { return std::memmove(target.memory, source.memory, bytes), int{kSuccess}; };
  // Pageable memory is copied to or from before the call returns, unless the device can access it.
  if (source.pageable && !wait && machine->mode != Mode::kCoherent) {
    auto staged = std::make_shared<std::vector<u8>>(source.memory, source.memory + bytes);
    run = [=] { return std::memcpy(target.memory, staged->data(), bytes), int{kSuccess}; };
  }
  if (const int code = machine->enqueue(&stream, kCopyNode, std::move(run)); code != kSuccess) return code;
  if (wait || (target.pageable && machine->mode != Mode::kCoherent)) machine->finish(&stream);
  return context.error;
}

int copy_now(u64 to, Side to_side, u64 from, Side from_side, u64 bytes, bool wait = true) {
  return within([&](Context& context) -> int {
    int refused = machine->check_capture(context.legacy);
    if (refused == kSuccess) refused = machine->check_captures();
    return refused != kSuccess ? refused : copy(context, *context.legacy, to, to_side, from, from_side, bytes, wait);
  });
}

int copy_late(u64 to, Side to_side, u64 from, Side from_side, u64 bytes, void* stream) {
  return on_stream(stream, [&](Context& context, Stream& on) {
    return copy(context, on, to, to_side, from, from_side, bytes, /*wait=*/false);
  });
}

template <class T>
int fill(u64 to, T value, u64 count, void* stream) {
  return on_stream(stream, [&](Context& context, Stream& on) -> int {
    if (count == 0) return kSuccess;
    if (to % sizeof(T) != 0) return kInvalidValue;
    if (end_of(context, to, count * sizeof(T), Side::kDevice).memory == nullptr) return kInvalidValue;
    return machine->enqueue(&on, kFillNode, [=, device = &context]() -> int {
      u8* memory = machine->host(device, to, count * sizeof(T));
      if (memory == nullptr) return kIllegalAddress;
      for (u64 i = 0; i < count; ++i) std::memcpy(memory + i * sizeof(T), &value, sizeof(T));
      return kSuccess;
    });
  });
}

}  // namespace

API cuMemGetInfo_v2(u64* free, u64* total) {
  return within([&](Context& context) {
    *free = machine->memory_bytes - context.device->used;
    *total = machine->memory_bytes;
    return int{kSuccess};
  });
}

API cuMemAlloc_v2(u64* address, u64 bytes) {
  return outside_captures([&](Context& context) {
    Allocation* made = nullptr;
    const int code = machine->allocate(&context, bytes, /*pinned_memory=*/false, &made);
    if (code == kSuccess) *address = made->address;
    return code;
  });
}

API cuMemFree_v2(u64 address) {
  return outside_captures([&](Context& context) -> int {
    if (address == 0) return kSuccess;
    const auto found = machine->allocations.find(address);
    if (found == machine->allocations.end() || found->second.pinned) return kInvalidValue;
    machine->finish(&context);
    machine->release(address);
    return context.error;
  });
}

API cuMemHostAlloc(void** pointer, u64 bytes, u32) {
  return outside_captures([&](Context& context) {
    Allocation* made = nullptr;
    const int code = machine->allocate(&context, bytes, /*pinned_memory=*/true, &made);
    if (code == kSuccess) *pointer = made->host;
    return code;
  });
}

API cuMemAllocHost_v2(void** pointer, u64 bytes) { return cuMemHostAlloc(pointer, bytes, 0); }

API cuMemFreeHost(void* pointer) {
  return outside_captures([&](Context& context) -> int {
    const auto found = machine->pinned.find(address_of(pointer));
    if (found == machine->pinned.end()) return kInvalidValue;
    machine->finish(&context);
    machine->release(found->second);
    return context.error;
  });
}

// Returns the device address of pinned memory, which differs from its host address.
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
      case 4: return owner->pinned || machine->flat() ? put(owner->host + offset) : int{kInvalidValue};
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
  return copy_now(to, Side::kDevice, from, Side::kDevice, bytes, /*wait=*/false);
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
