// SPDX-License-Identifier: Apache-2.0
//
// The handlers for XLA on NVIDIA GPUs. reset and step launch the kernel of kernel.h on XLA's stream and do not wait for
// it. The other handlers run on the host, on copies of the operands (xla_staged.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "envpool/bindings/gpu/driver.h"
#include "envpool/bindings/jax/models.h"

namespace envpool::xla {

// The functions of Python that the handlers call (envpool/jax/cuda.py). The caller does not hold the interpreter lock.
struct DeviceCompiler {
  std::function<std::string()> library;  // returns the path of the driver's library, which is initialized
  // Returns a program compiled for a device. `label` is for errors.
  std::function<std::string(const std::string& label, const DeviceProgram& program, int device)> image;
};
void set_device_compiler(DeviceCompiler compiler);

std::shared_ptr<ModelOnDevices> make_model_on_devices();

std::vector<Registration> cuda_handlers();

// Returns the driver, which is opened first if necessary.
const cuda::Driver& cuda_driver();

// The stream of a call, whose context is current while this object exists. On platforms other than CUDA, a call has no
// stream. Its work then runs on device 0, and the caller waits for it.
struct CallStream {
  cuda::Handle handle = nullptr;
  int device = 0;
  bool available = false;
  std::optional<cuda::CaptureModeGuard> guard{};

  explicit CallStream(const Call& call);
  ~CallStream();
  CallStream(const CallStream&) = delete;
  CallStream& operator=(const CallStream&) = delete;
};

}  // namespace envpool::xla
