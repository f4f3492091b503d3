// SPDX-License-Identifier: Apache-2.0
//
// Streams and events of the stand-in.
#include <chrono>
#include <memory>

#include "libcuda.h"

using namespace standin;

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

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
