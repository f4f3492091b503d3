// SPDX-License-Identifier: Apache-2.0
//
// Helpers for repair() (see env.h). Snapshots and the states that JAX users hold may contain any bytes. These functions
// bring a value into the range that the environment itself can produce, and leave a valid value unchanged.
#pragma once

#include "envpool/core/types.h"

namespace envpool {

// Clamps x to low..high without a branch; NaN becomes low.
template <class T>
ENVPOOL_ALWAYS_INLINE void keep_within(T& x, T low, T high) {
  const T at_least = x >= low ? x : low;  // The minimum comes last because of envpool/cuda/compiler_fault.py.
  x = at_least > high ? high : at_least;
}

// Sets x to true unless its byte is 0. Reads x as a byte, because reading a bool with a value other than 0 and 1 is
// undefined.
ENVPOOL_ALWAYS_INLINE void keep_bool(bool& x) {
  u8& byte = reinterpret_cast<u8&>(x);
  byte = byte != 0;
}

// Increments a counter of a state. It wraps around instead of overflowing, which would be undefined.
ENVPOOL_ALWAYS_INLINE void count_up(i32& x, bool by = true) { x = i32(u32(x) + u32(by)); }

}  // namespace envpool
