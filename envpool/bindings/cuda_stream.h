// SPDX-License-Identifier: Apache-2.0
//
// Streams of a device, and the blocks of its memory that results are written into.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "envpool/bindings/cuda_driver.h"

namespace envpool::cuda {

// The stream that orders the work of a pool, or of one group of its environments. Arrays keep it alive. The context has
// to be current for all calls.
class Stream {
 public:
  Stream(std::shared_ptr<const Context> of, WithLegacyStream order)
      : context(std::move(of)), stream_(make_stream(context, order)) {}

  Handle handle() const { return stream_.get(); }
  const Driver& driver() const { return context->driver; }
  void synchronize() const { ENVPOOL_CUDA(driver(), synchronize_stream, handle()); }
  // Lets another stream wait for all that was enqueued here until now, and the other way round.
  void lead(Handle other) const { order(handle(), other); }
  void follow(Handle other) const { order(other, handle()); }
  // Whether a stream is being captured into a CUDA graph, so that work is recorded instead of run. The legacy stream
  // counts as captured, and must not be used, while a stream is captured that it would wait for.
  bool captures(Handle stream) const;
  bool captures() const { return captures(handle()); }

  void upload(Address to, const void* from, i64 bytes) const;
  void download(void* to, Address from, i64 bytes) const;
  void fill(Address to, u8 value, i64 bytes) const;
  // Returns memory with a copy of the values, which must stay until the stream was synchronized.
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

// Memory that several arrays lie in, and the stream that writes it.
class Block {
 public:
  Block(std::shared_ptr<const Stream> of, i64 bytes) : stream(std::move(of)), memory(stream->context, bytes) {}

  // Orders what another stream does from now on after all that was enqueued to write the block, and remembers that
  // stream as a reader.
  void lend(Handle reader);
  // Orders what `writer` does from now on after all that readers have enqueued. A stream that is being captured cannot
  // wait for one that is not, nor the other way round, so such readers are left out.
  void reclaim(const Stream& writer) const;
  void forget_readers() { readers_.clear(); }

  const std::shared_ptr<const Stream> stream;
  const Memory memory;

 private:
  std::vector<Handle> readers_;
};

// The blocks of a stream. Arrays in a block share its ownership, and the last of them returns it to the ring, also
// after the pool was closed. In place, there is one block, which every launch writes.
class Ring : public std::enable_shared_from_this<Ring> {
 public:
  Ring(std::shared_ptr<const Stream> stream, i64 bytes, bool in_place)
      : stream_(std::move(stream)), bytes_(bytes), in_place_(in_place) {}
  ~Ring() { close(); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // Returns a block which what is enqueued from now on may write. The context has to be current.
  std::shared_ptr<Block> acquire();
  // Blocks that come back from now on are freed.
  void close();

 private:
  std::unique_ptr<Block> make() const;
  void give_back(std::unique_ptr<Block> block) noexcept;

  const std::shared_ptr<const Stream> stream_;
  const i64 bytes_;
  const bool in_place_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> idle_;
  std::shared_ptr<Block> only_;  // in place
  bool closed_ = false;
};

}  // namespace envpool::cuda
