// SPDX-License-Identifier: Apache-2.0
//
// Exports the functions of normal.h to normal_test.py.
#include "envpool/misc/normal.h"

#include "envpool/core/math/rng.h"

using namespace envpool;
using namespace envpool::misc;

extern "C" {
void normals(u64 seed, f32* out, i64 n) {
  Rng rng{.seed = seed};
  for (i64 i = 0; i < n; ++i) out[i] = normal<f32>(rng.bits());
}
void normal_quantiles(const f32* x, f32* out, i64 n) {
  for (i64 i = 0; i < n; ++i) out[i] = normal_quantile(x[i]);
}
}
