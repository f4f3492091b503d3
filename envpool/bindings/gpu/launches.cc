// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/launches.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace envpool::cuda {

void Launches::make_room(const std::vector<i64>& field_bytes) {
  for (const i64 bytes : field_bytes) converted_.emplace_back(stream_->context, bytes);
}

// Freeing memory would wait for the device, so allocations are reused by later launches.
Address Launches::staged(const void* from, i64 bytes, Inputs& inputs) {
  if (stream_->captures()) {
    label_.throw_invalid_call("send: expected arrays on the GPU while a CUDA graph is captured, got one on the host");
  }
  const auto fits = [bytes](const Copy& copy) { return copy.device.bytes() >= bytes; };
  const auto found = std::find_if(spare_.begin(), spare_.end(), fits);
  if (found == spare_.end()) {
    inputs.copies.push_back({PinnedMemory(stream_->context, bytes), Memory(stream_->context, bytes)});
  } else {
    inputs.copies.push_back(std::move(*found));
    spare_.erase(found);
  }
  const Copy& copy = inputs.copies.back();
  if (bytes > 0) std::memcpy(copy.host.data(), from, size_t(bytes));
  stream_->upload(copy.device.address(), copy.host.data(), bytes);
  return copy.device.address();
}

std::shared_ptr<DeviceBlock> Launches::block() {
  if (!in_place_ && stream_->captures()) {
    label_.throw_invalid_call("send: expected a pool made with in_place=True while a CUDA graph is captured");
  }
  return ring_->acquire();
}

void Launches::run(const DeviceModel& model, device::Launch& launch, const std::string& params, Inputs inputs) {
  launch.fault = reinterpret_cast<volatile u64*>(fault_->address());
  model.launch(launch, params, stream_->handle());
  if (stream_->captures()) {
    stream_->note_capture();
    return;  // the caller keeps the inputs of a graph alive
  }
  release_inputs();
  if (inputs.objects.empty() && inputs.copies.empty()) return;
  inputs.done = make_event(stream_->context);
  ENVPOOL_CUDA(stream_->driver(), record_event, inputs.done.get(), stream_->handle());
  held_.push_back(std::move(inputs));
}

void Launches::run_on(Handle stream, const DeviceModel& model, device::Launch& launch, const std::string& params) {
  launch.fault = reinterpret_cast<volatile u64*>(fault_->address());
  model.launch(launch, params, stream);
}

Address Launches::copied(size_t input, Address from, i64 bytes) {
  if (input >= copies_.size()) copies_.resize(input + 1);
  if (copies_[input].bytes() < bytes) copies_[input] = Memory(stream_->context, bytes);
  const Address to = copies_[input].address();
  if (bytes > 0) ENVPOOL_CUDA(stream_->driver(), copy, to, from, Size(bytes), stream_->handle());
  return to;
}

// Releases the inputs of launches that have run.
void Launches::release_inputs() {
  while (!held_.empty() && stream_->driver().query_event(held_.front().done.get()) != kNotReady) {
    for (Copy& copy : held_.front().copies) {
      if (spare_.size() < kMostSpare) spare_.push_back(std::move(copy));
    }
    held_.pop_front();
  }
}

void Launches::close() {
  held_.clear();
  spare_.clear();
  converted_.clear();
  copies_.clear();
  ring_->close();
  fault_.reset();
}

}  // namespace envpool::cuda
