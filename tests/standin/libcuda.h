// SPDX-License-Identifier: Apache-2.0
//
// Shared by the driver's functions: the machine, its lock, and the checks with which each function begins.
#pragma once

#include <mutex>
#include <vector>

#include "machine.h"

#define API extern "C" __attribute__((visibility("default"))) int

namespace standin {

extern std::recursive_mutex lock;
extern Machine* machine;  // null before cuInit
extern bool forked;
extern thread_local std::vector<void*> current;  // handles of contexts; the last is current

int driver_version();  // $ENVPOOL_STANDIN_VERSION or its default

inline u64 address_of(const void* pointer) { return reinterpret_cast<u64>(pointer); }

// Runs `f` if the driver has been initialised in this process.
template <class F>
int started(F f) {
  const std::lock_guard guard(lock);
  return machine == nullptr || forked ? int{kNotInitialized} : f();
}

// Runs `f` with the current context. If a kernel has failed in the context, returns that error instead.
template <class F>
int within(F f) {
  return started([&]() -> int {
    if (current.empty() || current.back() == nullptr) return kInvalidContext;
    Context* context = machine->contexts.find(current.back());
    if (context == nullptr) return kContextIsDestroyed;
    return context->error != kSuccess ? context->error : f(*context);
  });
}

// Does the same as `within`, for a call that a capture may forbid, such as an allocation.
template <class F>
int outside_captures(F f) {
  return within([&](Context& context) -> int {
    const int refused = machine->check_captures();
    return refused != kSuccess ? refused : f(context);
  });
}

template <class F>
int on_device(int ordinal, F f) {
  return started([&]() -> int {
    if (ordinal < 0 || ordinal >= static_cast<int>(machine->devices.size())) return kInvalidDevice;
    return f(*machine->devices[static_cast<std::size_t>(ordinal)]);
  });
}

// Runs `f` with a stream of the current context or, if `anywhere`, of any context.
template <class F>
int on_stream(void* handle, F f, bool anywhere = false) {
  return within([&](Context& context) -> int {
    Stream* stream = machine->stream(&context, handle);
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

}  // namespace standin
