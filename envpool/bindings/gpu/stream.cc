// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/stream.h"

#include <algorithm>
#include <new>

#include "envpool/bindings/interpreter.h"

namespace envpool::cuda {

namespace {

constexpr const char* kCaptureInTheWay =
    "A CUDA graph is being captured on this GPU, perhaps by another thread, so the driver refuses to wait for all work "
    "on the GPU, and has invalidated the capture. A pool needs this wait after an array was imported on a non-blocking "
    "stream, as in JAX, and after a step was captured. Make no such call while a graph is captured, or import arrays "
    "on the default stream or a blocking stream";

}  // namespace

bool Stream::captures(Handle stream) const {
  int capturing = 0;
  const Status status = driver().is_capturing(stream, &capturing);
  if (status == kCaptureImplicit) return true;
  driver().check(status, Driver::name_of_is_capturing);
  return capturing != 0;
}

u64 Stream::capture_of(Handle stream) const {
  constexpr int kActive = 1;
  int state = 0;
  u64 id = 0;
  const Status status = driver().capture_info(stream, &state, &id, nullptr, nullptr, nullptr);
  if (status == kCaptureImplicit) return 0;
  driver().check(status, Driver::name_of_capture_info);
  return state == kActive ? id : 0;
}

void Stream::follow_device() const {
  const Owned<Handle> event = make_event(context);
  const auto record = driver().record_context;
  Status status = record == nullptr ? kNotSupported : record(context->handle(), event.get());
  const bool on_host = status == kNotSupported;
  if (on_host) {
    const python::Unlocked unlocked;
    status = driver().synchronize_context();
  }
  const char* call = on_host ? Driver::name_of_synchronize_context : Driver::name_of_record_context;
  driver().check(status, call, status == kCaptureUnsupported ? kCaptureInTheWay : nullptr);
  if (!on_host) ENVPOOL_CUDA(driver(), wait_event, handle(), event.get(), 0);
}

void Stream::settle() const {
  follow_graphs();
  const python::Unlocked unlocked;
  synchronize();
}

bool Stream::is_blocking(Handle stream) const {
  unsigned flags = 0;
  ENVPOOL_CUDA(driver(), stream_flags, stream, &flags);
  return (flags & kStreamNonBlocking) == 0;
}

void Stream::order(Handle first, Handle then) const {
  if (first == then) return;
  const Owned<Handle> event = make_event(context);
  ENVPOOL_CUDA(driver(), record_event, event.get(), first);
  ENVPOOL_CUDA(driver(), wait_event, then, event.get(), 0);
}

void Stream::upload(Address to, const void* from, i64 bytes) const {
  if (bytes > 0) ENVPOOL_CUDA(driver(), upload, to, from, Size(bytes), handle());
}
void Stream::download(void* to, Address from, i64 bytes) const {
  if (bytes > 0) ENVPOOL_CUDA(driver(), download, to, from, Size(bytes), handle());
}
void Stream::fill(Address to, u8 value, i64 bytes) const {
  ENVPOOL_CUDA(driver(), fill, to, value, Size(bytes), handle());
}

void DeviceBlock::lend(Handle reader) {
  const Context::Current current(*stream->context);
  stream->follow_graphs();
  stream->lead(reader);
  if (reader == kLegacyStream) {
    readers_ = std::max(readers_, kLegacy);
  } else if (const u64 capture = stream->capture_of(reader); capture == 0) {
    readers_ = std::max(readers_, stream->is_blocking(reader) ? kBlocking : kAny);
  } else {
    std::erase_if(captured_, [&](const Captured& old) { return old.capture != capture || old.stream == reader; });
    captured_.push_back({reader, capture});
  }
}

void DeviceBlock::lend() {
  const Context::Current current(*stream->context);
  stream->follow_graphs();
  readers_ = kAny;
  if (!stream->captures() && !stream->captures(kLegacyStream)) stream->lead(kLegacyStream);
}

void DeviceBlock::reclaim(const Stream& writer) const {
  if (readers_ == kNone && captured_.empty() && !writer.has_graphs()) return;
  if (writer.captures()) {
    const u64 capture = writer.capture_of(writer.handle());
    for (const Captured& reader : captured_) {
      if (reader.capture == capture) writer.follow(reader.stream);
    }
  } else if (readers_ == kAny || !captured_.empty() || writer.has_graphs()) {
    writer.follow_device();  // the graph of an earlier capture may have been launched on any stream
  } else if (!writer.captures(kLegacyStream)) {
    writer.follow(kLegacyStream);
  } else if (readers_ == kBlocking || !writer.is_blocking(writer.handle())) {
    // Using the legacy stream would invalidate the capture. A blocking writer waits for the legacy stream anyway.
    writer.driver().check(kCaptureImplicit, Driver::name_of_record_event, kCaptureInTheWay);
  }
}

void DeviceBlock::forget_readers() {
  readers_ = kNone;
  captured_.clear();
}

std::unique_ptr<DeviceBlock> Ring::make() const {
  auto block = std::make_unique<DeviceBlock>(stream_, bytes_);
  stream_->fill(block->memory.address(), 0, bytes_);
  return block;
}

std::shared_ptr<DeviceBlock> Ring::acquire() {
  if (in_place_) {
    if (only_ == nullptr) only_ = make();
    only_->reclaim(*stream_);
    return only_;
  }
  std::unique_ptr<DeviceBlock> block;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      block = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (block == nullptr) {
    block = make();
  } else {
    block->reclaim(*stream_);
    block->forget_readers();
  }
  return {block.release(),
          [ring = shared_from_this()](DeviceBlock* last) { ring->give_back(std::unique_ptr<DeviceBlock>(last)); }};
}

void Ring::give_back(std::unique_ptr<DeviceBlock> block) noexcept {
  const Context::Current current(*stream_->context);
  if (!current) return;  // a forked process frees nothing, since the memory belongs to its parent
  try {
    const std::lock_guard lock(mutex_);
    if (!closed_) idle_.push_back(std::move(block));
  } catch (const std::bad_alloc&) {
    // The block is freed, which waits for the device.
  }
}

void Ring::close() {
  const Context::Current current(*stream_->context);
  const std::lock_guard lock(mutex_);
  closed_ = true;
  idle_.clear();
  only_.reset();
}

}  // namespace envpool::cuda
