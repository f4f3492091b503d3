// SPDX-License-Identifier: Apache-2.0
//
// Streams of a device, and the blocks of device memory into which results are written.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "envpool/bindings/gpu/driver.h"

namespace envpool::cuda {

// The stream on which a group of environments is stepped. Arrays keep it alive. The context must be current in all
// calls.
class Stream {
 public:
  Stream(std::shared_ptr<const Context> of, WithLegacyStream order)
      : context(std::move(of)), stream_(make_stream(context, order)) {}

  Handle handle() const { return stream_.get(); }
  const Driver& driver() const { return context->driver; }
  void synchronize() const { ENVPOOL_CUDA(driver(), synchronize_stream, handle()); }
  // lead() makes another stream wait for all work enqueued on this stream so far. follow() makes this stream wait for
  // the other stream's work.
  void lead(Handle other) const { order(handle(), other); }
  void follow(Handle other) const { order(other, handle()); }
  // Makes this stream wait for all work that has been enqueued on the device, on any stream. A driver before CUDA
  // 12.5 cannot do this; the host then waits instead, without the interpreter lock.
  void follow_device() const;
  // Returns whether a stream is being captured into a CUDA graph, so that work is recorded instead of run. While a
  // stream that synchronizes with the legacy stream is being captured, the legacy stream counts as captured too, and
  // must not be used.
  bool captures(Handle stream) const;
  bool captures() const { return captures(handle()); }
  // Returns the id of the capture that a stream belongs to, or 0.
  u64 capture_of(Handle stream) const;

  void upload(Address to, const void* from, i64 bytes) const;
  void download(void* to, Address from, i64 bytes) const;
  void fill(Address to, u8 value, i64 bytes) const;
  // Returns device memory with a copy of `values`, which must stay valid until the stream is synchronized.
  template <class T>
  Memory uploaded(const std::vector<T>& values) const {
    Memory memory(context, i64(values.size() * sizeof(T)));
    upload(memory.address(), values.data(), memory.bytes());
    return memory;
  }

  const std::shared_ptr<const Context> context;

 private:
  void order(Handle first, Handle then) const;
  Owned<Handle> stream_;
};

// Device memory in which several arrays are stored, and the stream that writes it.
//
// A library names its stream when it imports an array. After the import, it may destroy that stream, or use the array
// on other streams. The named stream may also be the per-thread default stream, whose handle means a different stream
// in each thread. The driver must never get the handle of a destroyed stream, so the handle is used only during the
// import. Before the memory is written again, the writer waits for the legacy default stream if no other stream was
// named, and otherwise for all work on the device. A stream that is being captured into a CUDA graph exists until the
// capture ends, so its handle is used until then.
class DeviceBlock {
 public:
  DeviceBlock(std::shared_ptr<const Stream> of, i64 bytes) : stream(std::move(of)), memory(stream->context, bytes) {}

  // Makes another stream wait for all writes to the block enqueued so far, and records that its library reads the
  // block.
  void lend(Handle reader);
  // Does the same for a library that does not name its stream. It makes the legacy default stream wait, because most
  // libraries use it.
  void lend();
  // Makes `writer` wait for all work that the libraries have enqueued so far. A stream that is being captured waits for
  // streams in the same capture only, and the legacy stream cannot be waited for while it counts as captured.
  void reclaim(const Stream& writer) const;
  void forget_readers();

  const std::shared_ptr<const Stream> stream;
  const Memory memory;

 private:
  struct Captured {
    Handle stream;
    u64 capture;
  };
  bool legacy_ = false, others_ = false;
  std::vector<Captured> captured_;
};

// Recycles the blocks of a stream. Arrays in a block share its ownership, and the last of them returns it to the ring,
// even after the pool is closed. With `in_place`, there is one block, which every launch writes.
class Ring : public std::enable_shared_from_this<Ring> {
 public:
  Ring(std::shared_ptr<const Stream> stream, i64 bytes, bool in_place)
      : stream_(std::move(stream)), bytes_(bytes), in_place_(in_place) {}
  ~Ring() { close(); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // Returns a block that work enqueued from now on may write. The context must be current.
  std::shared_ptr<DeviceBlock> acquire();
  // Frees the idle blocks. Blocks returned later are freed too.
  void close();

 private:
  std::unique_ptr<DeviceBlock> make() const;
  void give_back(std::unique_ptr<DeviceBlock> block) noexcept;

  const std::shared_ptr<const Stream> stream_;
  const i64 bytes_;
  const bool in_place_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<DeviceBlock>> idle_;
  std::shared_ptr<DeviceBlock> only_;  // with in_place
  bool closed_ = false;
};

}  // namespace envpool::cuda
