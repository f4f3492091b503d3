// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/capacity.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace envpool::cuda {

namespace {

std::string mebibytes(i64 bytes) {
  const i64 tenths = std::llrint(f64(bytes) * 10 / (1 << 20));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

}  // namespace

// When a context first launches a kernel, the driver reserves the kernel's local memory, that is, its stack and spilled
// registers, for all threads that the device can hold at the same time, no matter how many the launch has. Kernels that
// are launched later use the same memory, which grows only if they need more.
void require_memory(const Context& context, i64 stack, i32 num_envs, i64 bytes, const Label& label) {
  constexpr int kMultiprocessors = 16, kMostThreads = 39;  // attributes of devices
  const i64 threads = i64{context.attribute(kMultiprocessors)} * context.attribute(kMostThreads);
  const i64 reserved = context.reserved_stack(), local = std::max(i64{0}, stack - reserved) * threads;
  Size free = 0, total = 0;
  ENVPOOL_CUDA(context.driver, memory_info, &free, &total);
  if (bytes + local <= i64(free)) return;
  const f64 each = f64(bytes) / num_envs;
  const i64 fit = i64(std::max(0.0, f64(i64(free) - local)) / each);
  const std::string text =
      "num_envs: " + std::to_string(num_envs) + " environments take " + mebibytes(bytes) +
      ", and the stacks of their kernel, " + std::to_string(stack) + " bytes for each of " + std::to_string(threads) +
      " threads" +
      (reserved > 0 ? ", for which " + std::to_string(reserved) + " bytes each are already reserved" : "") + ", take " +
      mebibytes(local) + " of cuda:" + std::to_string(context.number) + ", which has " + mebibytes(i64(free)) +
      " free: at most " + std::to_string(fit) + " fit";
  PyErr_SetString(PyExc_MemoryError, label.text(text).c_str());
  throw pybind11::error_already_set();
}

i64 stack_of(const Driver& driver, Handle kernel) {
  constexpr int kLocalBytes = 3;  // an attribute of functions
  int stack = 0;
  ENVPOOL_CUDA(driver, function_attribute, &stack, kLocalBytes, kernel);
  return stack;
}

}  // namespace envpool::cuda
