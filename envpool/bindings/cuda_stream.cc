// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/cuda_stream.h"

#include <algorithm>
#include <new>

namespace envpool::cuda {

bool Stream::captures(Handle stream) const {
  int capturing = 0;
  const Status status = driver().is_capturing(stream, &capturing);
  if (status == kCaptureImplicit) return true;
  driver().check(status, Driver::name_of_is_capturing);
  return capturing != 0;
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

void Block::lend(Handle reader) {
  const Context::Current current(*stream->context);
  stream->lead(reader);
  if (std::find(readers_.begin(), readers_.end(), reader) == readers_.end()) readers_.push_back(reader);
}

void Block::reclaim(const Stream& writer) const {
  if (readers_.empty()) return;
  const bool captured = writer.captures();
  for (const Handle reader : readers_) {
    const bool legacy = reader == kLegacyStream;
    if (captured ? !legacy && writer.captures(reader) : !writer.captures(reader)) writer.follow(reader);
  }
}

std::unique_ptr<Block> Ring::make() const {
  auto block = std::make_unique<Block>(stream_, bytes_);
  stream_->fill(block->memory.address(), 0, bytes_);
  return block;
}

std::shared_ptr<Block> Ring::acquire() {
  if (in_place_) {
    if (only_ == nullptr) only_ = make();
    only_->reclaim(*stream_);
    return only_;
  }
  std::unique_ptr<Block> block;
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
  return {block.release(), [ring = shared_from_this()](Block* last) { ring->give_back(std::unique_ptr<Block>(last)); }};
}

void Ring::give_back(std::unique_ptr<Block> block) noexcept {
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
