// SPDX-License-Identifier: Apache-2.0
//
// Streams of a device, and the blocks of device memory into which results are written.
#pragma once

#include <atomic>
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
  // 12.5 cannot do this; the host then waits instead, without the interpreter lock. Throws while a stream of the
  // device is captured, by any thread: the driver then refuses both kinds of wait, and invalidates the capture.
  void follow_device() const;
  // Notes that a launch on this stream was captured into a graph, which may be launched at any time, on any stream.
  void note_capture() const { graphs_ = true; }
  bool has_graphs() const { return graphs_; }
  // Makes this stream wait for graphs with launches of this stream, unless it is being captured.
  void follow_graphs() const {
    if (graphs_ && !captures()) follow_device();
  }
  // Waits for the launches of this stream, including those in graphs, without the interpreter lock.
  void settle() const;
  // Returns whether a stream and the legacy stream wait for each other's work.
  bool is_blocking(Handle stream) const;
  // Returns whether a stream is being captured into a CUDA graph, so that work is recorded instead of run. While a
  // stream that synchronizes with the legacy stream is being captured, the legacy stream counts as captured too, and
  // must not be used.
  bool captures(Handle stream) const;
  bool captures() const { return captures(handle()); }
  // Returns the id of the capture that a stream belongs to, or 0.
  u64 capture_of(Handle stream) const;

  // Enqueues a copy. `from` must stay valid and unchanged until the copy has run: on systems whose GPUs access pageable
  // memory, the driver does not promise to read it before the call returns.
  void upload(Address to, const void* from, i64 bytes) const;
  void download(void* to, Address from, i64 bytes) const;
  void fill(Address to, u8 value, i64 bytes) const;
  // Returns device memory with a copy of `values`. Waits for the copy.
  template <class T>
  Memory uploaded(const std::vector<T>& values) const {
    Memory memory(context, i64(values.size() * sizeof(T)));
    upload(memory.address(), values.data(), memory.bytes());
    synchronize();
    return memory;
  }

  const std::shared_ptr<const Context> context;

 private:
  void order(Handle first, Handle then) const;
  Owned<Handle> stream_;
  mutable std::atomic<bool> graphs_{false};
};

// Device memory in which several arrays are stored, and the stream that writes it.
//
// A library names its stream when it imports an array. After the import, it may destroy that stream. The named stream
// may also be the per-thread default stream, whose handle means a different stream in each thread. The driver must
// never get the handle of a destroyed stream, and cannot tell whether a handle is valid, so the handle is used only
// during the import. Before the memory is written again, the writer waits for streams that it can name at any time:
//
// - for the legacy default stream, if every named stream was blocking, as are the legacy stream itself, the default
//   streams of threads, and CuPy's and Numba's streams. An event in the legacy stream comes after all earlier work in
//   all blocking streams. This does not disturb captures of non-blocking streams, which PyTorch and XLA have.
// - else for all work on the device (Stream::follow_device). A wait for the named stream would not be enough: JAX names
//   a stream that only waits for the array, and reads the array on XLA's compute stream. The driver refuses this wait
//   while any stream of the context is captured, in whatever mode, and its cost grows with the number of streams.
//   The driver offers no other way to wait for streams whose handles are unknown, and none to ask whether there is a
//   capture: the same rule applies to all queries of a context.
//
// A stream that is being captured into a CUDA graph exists until the capture ends, so its handle is used until then.
class DeviceBlock {
 public:
  DeviceBlock(std::shared_ptr<const Stream> of, i64 bytes) : stream(std::move(of)), memory(stream->context, bytes) {}

  // Makes another stream wait for all writes to the block enqueued so far, and records that its library reads the
  // block.
  void lend(Handle reader);
  // Does the same for a library that does not name its stream. It makes the legacy default stream wait, because most
  // libraries use it.
  void lend();
  // Makes `writer` wait for all work that the libraries have enqueued so far, and for graphs that write the block. A
  // stream that is being captured waits for streams in the same capture only. Throws if the wait is impossible because
  // another stream is captured.
  void reclaim(const Stream& writer) const;
  void forget_readers();

  const std::shared_ptr<const Stream> stream;
  const Memory memory;

 private:
  struct Captured {
    Handle stream;
    u64 capture;
  };
  // The streams that libraries named, each a larger set than the one before.
  enum Readers { kNone, kLegacy, kBlocking, kAny };
  Readers readers_ = kNone;
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
