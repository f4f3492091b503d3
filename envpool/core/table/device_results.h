// SPDX-License-Identifier: Apache-2.0
//
// The kernel that copies the results of a pool's launch into arrays that XLA provides, for jitted code. The arrays have
// room for a whole batch; rows that were not stepped are padded. The source for NVRTC consists of this header and
// ENVPOOL_RESULTS_KERNEL. The host includes this file for ResultCopies.
#pragma once

#include "envpool/core/types.h"

namespace envpool::device {

// The way in which the elements of an array are narrowed. This is needed because JAX has no 64-bit arrays unless
// jax_enable_x64 is set.
enum class Narrowed : i32 { kNo, kF64ToF32, kI64ToI32 };

struct ResultCopy {
  const u8* from;
  const u8* unended;  // the rows of environments whose episode did not end; null: all rows are taken from `from`
  u8* to;
  i64 row_units;  // number of units in a row; a row contains all players
  i32 unit;       // bytes of a unit: a power of two up to 8, and 8 if the elements are narrowed
  Narrowed narrowed;
  u8 padding;  // the value of each byte in rows that were not stepped
};

inline constexpr int kMostCopies = 32;

// The parameters of one launch. Block y of the grid copies array y.
struct ResultCopies {
  i64 stepped, rows;  // rows that were stepped, and rows of the arrays
  const u8* done;     // of each row
  ResultCopy copies[kMostCopies];
};

}  // namespace envpool::device

#ifdef __CUDACC__

namespace envpool::device {

template <class Unit, class To = Unit>
void copy_results(const ResultCopies& all, const ResultCopy& copy, To padding) {
  const Unit* const from = reinterpret_cast<const Unit*>(copy.from);
  const Unit* const unended = reinterpret_cast<const Unit*>(copy.unended);
  To* const to = reinterpret_cast<To*>(copy.to);
  const i64 stepped = all.stepped * copy.row_units, units = all.rows * copy.row_units;
  for (i64 i = i64{blockIdx.x} * blockDim.x + threadIdx.x; i < units; i += i64{gridDim.x} * blockDim.x) {
    if (i >= stepped) {
      to[i] = padding;
    } else {
      to[i] = To((unended == nullptr || all.done[i / copy.row_units] != 0 ? from : unended)[i]);
    }
  }
}

inline void copy_results(const ResultCopies& all) {
  const ResultCopy& copy = all.copies[blockIdx.y];
  const u64 padding = copy.padding == 0 ? 0 : ~u64{0};
  if (copy.narrowed == Narrowed::kF64ToF32) return copy_results<f64, f32>(all, copy, 0);
  if (copy.narrowed == Narrowed::kI64ToI32) return copy_results<i64, i32>(all, copy, i32(padding));
  switch (copy.unit) {
    case 1: return copy_results<u8>(all, copy, u8(padding));
    case 2: return copy_results<u16>(all, copy, u16(padding));
    case 4: return copy_results<u32>(all, copy, u32(padding));
    default: return copy_results<u64>(all, copy, padding);
  }
}

}  // namespace envpool::device

// Defines the kernel `envpool_results`.
#define ENVPOOL_RESULTS_KERNEL                                                                               \
  extern "C" __global__ void envpool_results(const __grid_constant__ envpool::device::ResultCopies copies) { \
    envpool::device::copy_results(copies);                                                                   \
  }

#endif  // __CUDACC__
