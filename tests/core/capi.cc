// SPDX-License-Identifier: Apache-2.0
//
// C functions that apply math.h, normal.h and rng.h to arrays. math_test.py calls them through ctypes.
#include "envpool/core/math/normal.h"
#include "envpool/core/portable.h"

namespace {

using namespace envpool;

template <class T, class Function>
void map(const T* x, T* y, i64 n, Function function) {
  for (i64 i = 0; i < n; ++i) y[i] = function(x[i]);
}
template <class T, class Function>
void map(const T* a, const T* b, T* y, i64 n, Function function) {
  for (i64 i = 0; i < n; ++i) y[i] = function(a[i], b[i]);
}

}  // namespace

#define ONE(name, call)                                \
  void name##_f64(const f64* x, f64* y, i64 n) {       \
    map(x, y, n, [](f64 v) { return envpool::call; }); \
  }                                                    \
  void name##_f32(const f32* x, f32* y, i64 n) {       \
    map(x, y, n, [](f32 v) { return envpool::call; }); \
  }
#define TWO(name)                                                      \
  void name##_f64(const f64* a, const f64* b, f64* y, i64 n) {         \
    map(a, b, y, n, [](f64 v, f64 w) { return envpool::name(v, w); }); \
  }                                                                    \
  void name##_f32(const f32* a, const f32* b, f32* y, i64 n) {         \
    map(a, b, y, n, [](f32 v, f32 w) { return envpool::name(v, w); }); \
  }

extern "C" {

ONE(sin, sin(v))
ONE(cos, cos(v))
ONE(sincos_sin, sincos(v).sin)
ONE(sincos_cos, sincos(v).cos)
ONE(exp, exp(v))
ONE(log, log(v))
ONE(atan, atan(v))
ONE(sqrt, sqrt(v))
ONE(floor, floor(v))
ONE(ceil, ceil(v))
ONE(rint, rint(v))
TWO(atan2)
TWO(fmod)

// Computes one block of the generator.
void philox(const u32* counter, const u32* key, u32* out) {
  const Philox4 block = philox4x32_10({{counter[0], counter[1], counter[2], counter[3]}}, key[0], key[1]);
  for (int i = 0; i < 4; ++i) out[i] = block.word[i];
}

// Return the first n draws of a stream, by each method of the generator.
void draw_bits(u64 seed, u32 stream, u32 episode, u32 agent, u32* out, i64 n) {
  Rng rng{.seed = seed, .stream = stream, .episode = episode, .agent = agent};
  for (i64 i = 0; i < n; ++i) out[i] = rng.bits();
}
void draw_uniform(u64 seed, u32 stream, f64* out, i64 n) {
  Rng rng{.seed = seed, .stream = stream};
  for (i64 i = 0; i < n; ++i) out[i] = rng.uniform();
}
void draw_uniform_f32(u64 seed, u32 stream, f32* out, i64 n) {
  Rng rng{.seed = seed, .stream = stream};
  for (i64 i = 0; i < n; ++i) out[i] = rng.uniform_f32();
}
void draw_below(u64 seed, u32 stream, u32 bound, u32* out, i64 n) {
  Rng rng{.seed = seed, .stream = stream};
  for (i64 i = 0; i < n; ++i) out[i] = rng.below(bound);
}

void normal_numbers(u64 seed, f64* out, i64 n) {
  Rng rng{.seed = seed};
  for (i64 i = 0; i < n; ++i) out[i] = normal(rng);
}

}  // extern "C"
