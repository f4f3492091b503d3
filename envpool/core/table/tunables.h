// SPDX-License-Identifier: Apache-2.0
//
// The values of tunable options (vtable.h) in the rows of a call: how they are read, checked, and written into an
// environment's Params. CPUs and GPUs share this code. NVRTC compiles this file, so it includes no standard header.
#pragma once

#include "envpool/core/table/vtable.h"

namespace envpool {

// Computes the members of Params that depend on those that options set.
template <class Env, class Params>
ENVPOOL_ALWAYS_INLINE void derive(Params& params) {
  if constexpr (requires { Env::derive(params); }) Env::derive(params);
}

// Returns the bytes of a number of this dtype.
ENVPOOL_FN i64 size_of(abi::Dtype dtype) {
  return dtype <= abi::kU8 ? 1 : dtype == abi::kI32 || dtype == abi::kF32 ? 4 : 8;
}

// Returns a number of this dtype. 64-bit integers are exact up to 2^53.
ENVPOOL_FN f64 read_number(const void* from, abi::Dtype dtype) {
  switch (dtype) {
    case abi::kBool: return *static_cast<const u8*>(from) != 0;
    case abi::kU8: return *static_cast<const u8*>(from);
    case abi::kI32: return *static_cast<const i32*>(from);
    case abi::kI64: return f64(*static_cast<const i64*>(from));
    case abi::kF32: return f64(*static_cast<const f32*>(from));
    case abi::kF64: return *static_cast<const f64*>(from);
  }
  return 0;
}

// Writes a number that the dtype can hold.
ENVPOOL_FN void write_number(void* to, abi::Dtype dtype, f64 number) {
  switch (dtype) {
    case abi::kBool: *static_cast<bool*>(to) = number != 0; return;
    case abi::kU8: *static_cast<u8*>(to) = u8(number); return;
    case abi::kI32: *static_cast<i32*>(to) = i32(number); return;
    case abi::kI64: *static_cast<i64*>(to) = i64(number); return;
    case abi::kF32: *static_cast<f32*>(to) = f32(number); return;
    case abi::kF64: *static_cast<f64*>(to) = number; return;
  }
}

// The largest integer of either sign that an i32 and an f64 hold.
inline constexpr f64 kMostI32 = 2147483647, kLeastI32 = -2147483648.0, kMostI64 = 0x1p53;

// Returns a number as an array of this dtype holds it. JAX users hold the options that make() got in such arrays.
ENVPOOL_FN f64 as_held(f64 number, abi::Dtype dtype) {
  if (dtype == abi::kF32) return f64(f32(number));
  if (dtype == abi::kI32) return number < kLeastI32 ? kLeastI32 : number > kMostI32 ? kMostI32 : number;
  return number;
}

// One option of a call: which values it accepts, and what they mean. The caller's array may hold fewer digits than the
// environment's member. So a number that equals a bound, or the value that make() got, after rounding to the dtype of
// the array, means exactly that.
struct TunableValue {
  f64 low, high, made;
  f64 held_low, held_high, held_made;

  // `value` is the one in the model's Params, `dtype` that of the caller's array.
  ENVPOOL_FN TunableValue(const abi::Tunable& option, f64 value, abi::Dtype dtype)
      : low(option.low),
        high(option.high),
        made(value),
        held_low(as_held(low, dtype)),
        held_high(as_held(high, dtype)),
        held_made(as_held(value, dtype)) {}

  ENVPOOL_FN bool accepts(f64 number) const { return number >= held_low && number <= held_high; }
  // Returns the value that the environment uses for a number that is accepted.
  ENVPOOL_FN f64 used(f64 number) const {
    const f64 inside = number < low ? low : number > high ? high : number;
    return number == held_made ? made : inside;
  }
};

}  // namespace envpool
