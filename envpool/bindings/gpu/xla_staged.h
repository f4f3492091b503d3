// SPDX-License-Identifier: Apache-2.0
//
// Runs handlers that were written for CPUs in programs on a GPU. A handler gets copies of the operands in host memory,
// and its results are copied back. The handler's thread waits for the GPU, so these calls cannot be captured into CUDA
// graphs.
#pragma once

#include <algorithm>
#include <vector>

#include "envpool/bindings/gpu/driver.h"
#include "envpool/bindings/jax/frame.h"
#include "envpool/core/aligned_memory.h"

namespace envpool::xla {

using cuda::Driver;

// The operands or the results of a call, in host memory.
class HostBuffers {
 public:
  explicit HostBuffers(const Buffers& device) : device_(device), pointers_(size_t(device.size)) {
    std::vector<i64> offsets;
    i64 bytes = 0;
    for (i64 i = 0; i < device.size; ++i) {
      offsets.push_back(bytes);
      bytes += (bytes_of(i) + kAlignment - 1) / kAlignment * kAlignment;
    }
    memory_ = allocate_zeroed(std::max<i64>(bytes, 1));
    for (i64 i = 0; i < device.size; ++i) {
      buffers_.push_back(*device.data[i]);
      buffers_.back().data = memory_.get() + offsets[size_t(i)];
    }
    for (size_t i = 0; i < buffers_.size(); ++i) pointers_[i] = &buffers_[i];
    list_ = device;
    list_.data = pointers_.data();
  }
  HostBuffers(const HostBuffers&) = delete;
  HostBuffers& operator=(const HostBuffers&) = delete;

  const Buffers& list() const { return list_; }
  void download(const Driver& driver, cuda::Handle stream) {
    for (i64 i = 0; i < device_.size; ++i) {
      if (bytes_of(i) > 0) {
        ENVPOOL_CUDA(driver, download, buffers_[size_t(i)].data, address(i), cuda::Size(bytes_of(i)), stream);
      }
    }
  }
  void upload(const Driver& driver, cuda::Handle stream) const {
    for (i64 i = 0; i < device_.size; ++i) {
      if (bytes_of(i) > 0) {
        ENVPOOL_CUDA(driver, upload, address(i), buffers_[size_t(i)].data, cuda::Size(bytes_of(i)), stream);
      }
    }
  }

 private:
  static constexpr i64 kAlignment = 64;

  i64 bytes_of(i64 i) const { return elements_of(*device_.data[i]) * itemsize(device_.data[i]->dtype); }
  cuda::Address address(i64 i) const { return reinterpret_cast<cuda::Address>(device_.data[i]->data); }

  const Buffers& device_;
  AlignedMemory memory_;
  std::vector<Buffer> buffers_;
  std::vector<Buffer*> pointers_;
  Buffers list_{};
};

// Runs the handler `host` for a call on a GPU, whose context is current.
inline Error* run_staged(Call& call, Handler* host, const Driver& driver, cuda::Handle stream) {
  HostBuffers arguments(call.arguments), results(call.results);
  arguments.download(driver, stream);
  ENVPOOL_CUDA(driver, synchronize_stream, stream);
  Call staged = call;
  staged.arguments = arguments.list();
  staged.results = results.list();
  Error* const error = host(&staged);
  if (error != nullptr) return error;
  results.upload(driver, stream);
  ENVPOOL_CUDA(driver, synchronize_stream, stream);  // the host's copies are freed next
  return nullptr;
}

}  // namespace envpool::xla
