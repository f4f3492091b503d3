// SPDX-License-Identifier: Apache-2.0
//
// Streams and events of the stand-in.
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "libcuda.h"

using namespace standin;

namespace {

constexpr u32 kExternal = 1;  // a flag: in a capture, a wait for the event or a record of it becomes a node
constexpr u32 kNonBlocking = 1;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Returns an error if a capture forbids the host to wait for a stream or to query it.
int refusal_of_wait(const Stream& stream) {
  if (stream.capture != nullptr) return stream.capture->invalidated = true, int{kCaptureUnsupported};
  const int refused = machine->check_capture(&stream);
  return refused != kSuccess ? refused : machine->check_captures();
}

int refusal_of_wait(const Event& event) {
  if (event.capture == 0) return machine->check_captures();
  if (Capture* capture = machine->capture_by_id(event.capture); capture != nullptr) capture->invalidated = true;
  return kCapturedEvent;
}

// Makes a stream wait for an event that was recorded in a capture, so that the stream joins the capture.
int join_capture(Stream& stream, const Event& event) {
  Capture* capture = machine->capture_by_id(event.capture);
  if (capture == nullptr) return kCapturedEvent;
  if (capture->invalidated) return kCaptureInvalidated;
  if (stream.capture != nullptr && stream.capture != capture) {
    stream.capture->invalidated = capture->invalidated = true;
    return kCaptureMerge;
  }
  if (&stream == stream.context->legacy) return capture->invalidated = true, int{kCaptureImplicit};
  stream.capture = capture;
  stream.capture_after.insert(event.capture_after.begin(), event.capture_after.end());
  return kSuccess;
}

}  // namespace

API cuStreamCreate(void** stream, u32 flags) {
  return within([&](Context& context) -> int {
    if (flags > 1) return kInvalidValue;
    if (const int failed = machine->injected_failure(); failed != kSuccess) return failed;
    *stream = machine->make_stream(&context, flags, /*special=*/false)->handle;
    return kSuccess;
  });
}

API cuStreamCreateWithPriority(void** stream, u32 flags, int) { return cuStreamCreate(stream, flags); }

API cuStreamDestroy_v2(void* stream) {
  return on_stream(stream, [&](Context& context, Stream& on) -> int {
    if (on.special) return kInvalidHandle;
    if (on.capture != nullptr) return on.capture->invalidated = true, int{kCaptureUnsupported};
    on.destroyed = true;  // as on a GPU, its work still runs
    return context.error;
  });
}

API cuStreamSynchronize(void* stream) {
  return on_stream(
      stream,
      [&](Context& context, Stream& on) -> int {
        if (const int refused = refusal_of_wait(on); refused != kSuccess) return refused;
        return machine->finish(&on), context.error;
      },
      /*anywhere=*/true);
}

API cuStreamQuery(void* stream) {
  return on_stream(
      stream,
      [&](Context& context, Stream& on) -> int {
        if (const int refused = refusal_of_wait(on); refused != kSuccess) return refused;
        if (on.work.empty()) return kSuccess;
        machine->advance(&on);
        return context.error != kSuccess ? context.error : int{kNotReady};
      },
      /*anywhere=*/true);
}

API cuStreamWaitEvent(void* stream, void* event, u32 flags) {
  return on_stream(stream, [&](Context&, Stream& on) -> int {
    const Event* found = machine->events.find(event);
    if (found == nullptr) return kInvalidHandle;
    if (flags > 1 || (flags == kExternal && on.capture == nullptr)) return kInvalidValue;
    if (flags == kExternal) {
      return machine->enqueue(&on, kWaitNode, [event]() -> int {
        const Event* now = machine->events.find(event);
        if (now == nullptr) return kInvalidHandle;
        if (now->recorded) machine->reach(now->ticket);
        return kSuccess;
      });
    }
    if (found->capture != 0) return join_capture(on, *found);
    if (!found->recorded) return kSuccess;
    if (on.capture != nullptr) return on.capture->invalidated = true, int{kCaptureIsolation};
    if (const int refused = machine->check_capture(&on); refused != kSuccess) return refused;
    machine->submit(&on, [] { return int{kSuccess}; }, {found->ticket});
    return kSuccess;
  });
}

API cuStreamGetFlags(void* stream, u32* flags) {
  return on_stream(stream, [&](Context&, Stream& on) { return *flags = on.flags, int{kSuccess}; });
}

API cuStreamGetCtx(void* stream, void** context) {
  return on_stream(
      stream, [&](Context&, Stream& on) { return *context = on.context->handle, int{kSuccess}; }, /*anywhere=*/true);
}

// `function` must not call the driver, as the driver's manual says.
API cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  return on_stream(stream, [&](Context&, Stream& on) {
    return machine->enqueue(&on, kHostNode, [=] { return function(data), int{kSuccess}; });
  });
}

API cuEventCreate(void** event, u32 flags) {
  return within([&](Context& context) -> int {
    if (const int failed = machine->injected_failure(); failed != kSuccess) return failed;
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

API cuEventRecordWithFlags(void* event, void* stream, u32 flags) {
  return on_event(event, [&](Context&, Event& found) {
    return on_stream(stream, [&](Context& context, Stream& on) -> int {
      if (found.context != &context) return kInvalidHandle;
      if (flags > 1 || (flags == kExternal && on.capture == nullptr)) return kInvalidValue;
      if (const int refused = machine->check_capture(&on); refused != kSuccess) return refused;
      if (flags == kExternal) {
        const auto record = [event] {
          if (const Event* now = machine->events.find(event); now != nullptr && now->seconds) *now->seconds = seconds();
          return int{kSuccess};
        };
        return machine->enqueue(&on, kRecordNode, record, event);
      }
      found.capture = on.capture == nullptr ? 0 : on.capture->id;
      found.capture_after = on.capture_after;
      if (on.capture != nullptr) return kSuccess;
      auto came = std::make_shared<double>(0);
      machine->submit(&on, [came] { return *came = seconds(), int{kSuccess}; });
      found.ticket = machine->ticket(&on);
      found.recorded = true;
      found.seconds = came;
      return kSuccess;
    });
  });
}

API cuEventRecord(void* event, void* stream) { return cuEventRecordWithFlags(event, stream, 0); }

// The driver has had this function since CUDA 12.5. The event covers the work of all streams, even of destroyed ones.
API cuCtxRecordEvent(void* context, void* event) {
  return on_event(event, [&](Context&, Event& found) -> int {
    if (driver_version() < 12050) return kNotSupported;
    Context* of = machine->contexts.find(context);
    if (of == nullptr || found.context != of) return kInvalidHandle;
    if (const int refused = machine->capture_error(of); refused != kSuccess) return refused;
    std::vector<Ticket> all = machine->tickets(of);
    Stream* marker = machine->make_stream(of, kNonBlocking, /*special=*/true);
    machine->submit(marker, [] { return int{kSuccess}; }, std::move(all));
    marker->destroyed = true;
    found.ticket = machine->ticket(marker);
    found.recorded = true;
    found.capture = 0;
    found.seconds = std::make_shared<double>(0);
    return kSuccess;
  });
}

API cuEventQuery(void* event) {
  return on_event(event, [&](Context& context, Event& found) -> int {
    if (const int refused = refusal_of_wait(found); refused != kSuccess) return refused;
    if (!found.recorded || machine->reached(found.ticket)) return kSuccess;
    machine->advance(found.ticket);
    return context.error != kSuccess ? context.error : int{kNotReady};
  });
}

API cuEventSynchronize(void* event) {
  return on_event(event, [&](Context& context, Event& found) -> int {
    if (const int refused = refusal_of_wait(found); refused != kSuccess) return refused;
    if (found.recorded) machine->reach(found.ticket);
    return context.error;
  });
}

API cuEventElapsedTime_v2(float* milliseconds, void* from, void* to) {
  return on_event(from, [&](Context&, Event& begin) {
    return on_event(to, [&](Context&, Event& end) -> int {
      constexpr u32 kDisableTiming = 2;
      if (begin.capture != 0 || end.capture != 0) return kCapturedEvent;
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
