// SPDX-License-Identifier: Apache-2.0
//
// States come from outside: a snapshot's bytes, and the states and parts of states that JAX's callers hold, may have
// any value. An environment whose functions need more than that says in repair() how such a state becomes one that they
// can take (see env.h). What is here makes a number one that an environment could have written itself, and leaves it
// alone where it is one already.
#pragma once

#include "envpool/core/types.h"

namespace envpool {

// Clamps x to low..high without a branch; NaN becomes low.
template <class T>
ENVPOOL_ALWAYS_INLINE void keep_within(T& x, T low, T high) {
  const T at_most = x > high ? high : x;
  x = at_most >= low ? at_most : low;
}

// Makes x true unless its byte is 0. Reading a byte other than 0 and 1 as a bool is undefined, so it is read as a byte.
ENVPOOL_ALWAYS_INLINE void keep_bool(bool& x) {
  u8& byte = reinterpret_cast<u8&>(x);
  byte = byte != 0;
}

// Increments a counter that came from a state; it wraps around where ++x would overflow.
ENVPOOL_ALWAYS_INLINE void count_up(i32& x, bool by = true) { x = i32(u32(x) + u32(by)); }

}  // namespace envpool
