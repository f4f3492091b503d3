// SPDX-License-Identifier: Apache-2.0
//
// The handlers of pools for programs on NVIDIA GPUs. If the pool is on the same GPU, they enqueue its work in the order
// of XLA's stream and wait for nothing. If the pool is on the CPU, they work on copies in host memory (xla_staged.h).
//
// They are not declared compatible with command buffers: a replay would not check whether the pool is still open, and
// would not record which environments are under way.
#pragma once

#include "envpool/bindings/jax/registry.h"

namespace envpool::xla {

Error* pool_send_on_cuda(Call* call) noexcept;
Error* pool_recv_on_cuda(Call* call) noexcept;
Error* pool_step_on_cuda(Call* call) noexcept;

}  // namespace envpool::xla
