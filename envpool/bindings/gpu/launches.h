// SPDX-License-Identifier: Apache-2.0
//
// The launches of a group of environments. They run in order on the group's own stream. The class also owns the blocks
// that they write, the inputs that they read, and the word in which they report faults.
#pragma once

#include <pybind11/pybind11.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "envpool/bindings/gpu/device_model.h"
#include "envpool/bindings/gpu/stream.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/table/launch.h"

namespace envpool::cuda {

namespace py = pybind11;

class Launches {
 public:
  // Memory for an input that is copied from the host. The copy to the device reads the pinned memory, which is kept and
  // unchanged until the launch has run. In contrast, the driver need not stage pageable memory before the call returns.
  struct Copy {
    PinnedMemory host;
    Memory device;
  };
  // The inputs of a launch, which are kept until it has run.
  struct Inputs {
    Owned<Handle> done{};
    std::vector<py::object> objects{};
    std::vector<Copy> copies{};
  };

  // `block_bytes` is the size of the blocks that launches write. With `in_place`, all launches write the same block.
  Launches(const Label& label, std::shared_ptr<const Context> context, WithLegacyStream order, i64 block_bytes,
           bool in_place)
      : label_(label),
        stream_(std::make_shared<const Stream>(context, order)),
        ring_(std::make_shared<Ring>(stream_, block_bytes, in_place)),
        fault_(std::make_unique<Word>(std::move(context))),
        in_place_(in_place) {}

  const Stream& stream() const { return *stream_; }
  const std::shared_ptr<const Stream>& shared_stream() const { return stream_; }
  // Allocates memory for the converted actions of each field.
  void make_room(const std::vector<i64>& field_bytes);
  u8* converted(size_t field) const { return converted_[field].as<u8>(); }

  // Copies bytes to the device for one launch, and returns the address of the copy.
  Address staged(const void* from, i64 bytes, Inputs& inputs);
  template <class T>
  T* staged(const std::vector<T>& values, Inputs& inputs) {
    return reinterpret_cast<T*>(staged(values.data(), i64(values.size() * sizeof(T)), inputs));
  }
  // Returns a block for the next launch.
  std::shared_ptr<DeviceBlock> block();
  // Enqueues a launch.
  void run(const DeviceModel& model, device::Launch& launch, const std::string& params, Inputs inputs);
  // Enqueues a launch for a call from XLA, on one of XLA's streams or on this object's stream. The thread does not hold
  // the interpreter lock.
  void run_on(Handle stream, const DeviceModel& model, device::Launch& launch, const std::string& params);
  // Copies an input for one launch of XLA into device memory that is reserved for this input, and returns the copy's
  // address.
  Address copied(size_t input, Address from, i64 bytes);
  // Returns the fault that a launch reported since the last call, if any.
  device::Fault take_fault() { return device::Fault::unpacked(fault_->take()); }
  // Frees everything except the blocks that arrays still use. The stream must be synchronized.
  void close();

 private:
  void release_inputs();

  static constexpr size_t kMostSpare = 16;

  const Label& label_;
  const std::shared_ptr<const Stream> stream_;
  const std::shared_ptr<Ring> ring_;
  std::unique_ptr<Word> fault_;
  const bool in_place_;
  std::vector<Memory> converted_;
  std::vector<Memory> copies_;  // of the inputs of XLA's launches
  std::deque<Inputs> held_;
  std::vector<Copy> spare_;
};

}  // namespace envpool::cuda
