// SPDX-License-Identifier: Apache-2.0
//
// The memory in which a robot that is stepped alone is simulated. A GPU reserves the stack of a thread for every thread
// that it can run, whatever the size of a pool, so there the stack has room for ordinary motion only. A robot with more
// contacts is simulated again in the global memory of the program, which has room for one such robot at a time.
#pragma once

#include "envpool/robots/data.h"

namespace envpool::robots {

#if ENVPOOL_HOST

// Calls compute(d) with a Data of the model.
template <class M, class Compute>
ENVPOOL_ALWAYS_INLINE void with_room(const Compute& compute) {
  Data<M, f64> d;
  compute(d);
}

#else

// The largest Data that the stack has room for, in bytes. Those of the Ant and of the humanoids are larger.
constexpr i32 kLargestInStack = 18432;

template <class M>
__device__ u32 spare_room_is_taken = 0;
template <class M>
alignas(Data<M, f64>) __device__ u8 spare_room[sizeof(Data<M, f64>)];

template <class M, class Compute>
ENVPOOL_NOINLINE bool compute_in_stack(const Compute& compute) {
  Data<M, f64> d;
  compute(d);
  return !d.is_full;
}
// Each turn of the loop either computes or finds the room taken, so that the lanes of a warp, which may have to run in
// lockstep, cannot wait for each other.
template <class M, class Compute>
ENVPOOL_NOINLINE void compute_in_spare_room(const Compute& compute) {
  for (bool waits = true; waits;) {
    if (atomicCAS(&spare_room_is_taken<M>, 0u, 1u) != 0) continue;
    __threadfence();
    auto& d = *reinterpret_cast<Data<M, f64>*>(spare_room<M>);
    d.is_full = false;
    compute(d);
    __threadfence();
    atomicExch(&spare_room_is_taken<M>, 0u);
    waits = false;
  }
}

// Calls compute(d) with a Data of the model, or of its compact form. If d.is_full is set afterwards, the call has had
// no effect, and is repeated with a larger Data.
template <class M, class Compute>
ENVPOOL_FN void with_room(const Compute& compute) {
  if constexpr (sizeof(Data<M, f64>) <= kLargestInStack) {
    compute_in_stack<M>(compute);
  } else if (!compute_in_stack<Compact<M>>(compute)) {
    compute_in_spare_room<M>(compute);
  }
}

#endif

}  // namespace envpool::robots
