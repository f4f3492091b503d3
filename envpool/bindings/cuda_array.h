// SPDX-License-Identifier: Apache-2.0
//
// Arrays on a GPU, as Python sees them: what a pool returns, which PyTorch, JAX and CuPy take without a copy, and what
// callers pass as actions.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "envpool/bindings/cuda_driver.h"
#include "envpool/bindings/dlpack.h"
#include "envpool/core/table/vtable.h"

namespace envpool::cuda {

namespace py = pybind11;

// A pool's stream, on which all that it does is ordered. Arrays keep it alive.
class Stream {
 public:
  explicit Stream(std::shared_ptr<const Context> of) : context(std::move(of)), stream_(make_stream(context)) {}

  Handle handle() const { return stream_.get(); }
  const Driver& driver() const { return context->driver; }
  // The context has to be current for these.
  void synchronize() const { ENVPOOL_CUDA(driver(), synchronize_stream, handle()); }
  // Lets another stream wait for all that was enqueued here until now, and the other way round.
  void lead(Handle other) const { order(handle(), other); }
  void follow(Handle other) const { order(other, handle()); }

  const std::shared_ptr<const Context> context;

 private:
  void order(Handle first, Handle then) const;
  Owned stream_;
};

// Memory that several arrays lie in. While an array of it lives, it is not written again. `readers` are the streams
// that were promised what is in it: whoever writes it next waits for them.
class Block {
 public:
  Block(std::shared_ptr<const Stream> of, i64 bytes) : stream(std::move(of)), memory(stream->context, bytes) {}

  const std::shared_ptr<const Stream> stream;
  const Memory memory;
  std::vector<Handle> readers{};
};

// An array on a GPU.
class DeviceArray {
 public:
  DeviceArray(std::shared_ptr<Block> block, Address data, abi::Dtype dtype, std::vector<i64> shape,
              std::vector<i64> strides = {});

  py::tuple shape() const;
  py::dtype dtype() const;
  i64 length() const;
  std::string device() const { return "cuda:" + std::to_string(number()); }
  // The protocols by which others take the array.
  py::tuple dlpack_device() const { return py::make_tuple(int(dlpack::kCuda), number()); }
  py::capsule dlpack(const py::object& stream, const py::object& max_version, const py::object& dl_device,
                     const py::object& copy) const;
  py::dict interface() const;
  // A copy in the host's memory, once it is computed.
  py::array numpy() const;
  std::string repr() const;

 private:
  int number() const { return block_->stream->context->number; }
  bool contiguous() const { return strides_.empty(); }
  i64 bytes() const;

  std::shared_ptr<Block> block_;
  Address data_;
  abi::Dtype dtype_;
  std::vector<i64> shape_, strides_;  // strides in bytes; empty: contiguous
};

// What a caller passes as an action, when it lies on a GPU. Reading it is ordered after what computes it.
struct Borrowed {
  py::object owner;  // keeps the memory
  Address data = 0;
  abi::Dtype dtype{};
  std::vector<i64> shape{}, strides{};  // strides in bytes
};

// Returns false if the object does not lie on a GPU. Throws what Python shall raise if it lies on another GPU, or is of
// a dtype that no environment takes. `name` is that of the argument.
bool borrow(const py::object& object, const Stream& stream, const std::string& name, Borrowed& out);

void bind_array(py::module_& module);

}  // namespace envpool::cuda
