// SPDX-License-Identifier: Apache-2.0
//
// Defines an environment whose observation is a digest of each function of math.h at random arguments, so that a pool
// on a GPU and one on the CPU can be compared function by function. gpu_proof.py compiles it.
#pragma once

#include "envpool/core/api.h"

namespace probe {

using namespace envpool;

enum Function : i32 {
  kSin,
  kCos,
  kSinCos,
  kExp,
  kLog,
  kAtan,
  kAtan2,
  kFmod,
  kRint,
  kFloor,
  kCeil,
  kSqrt,
  kSign,
  kOrder,
  kQuotient,
  kConversion,
  kLimit,
  kFunctions
};

// Return the bits of a number. The bits of a NaN differ between GPUs and CPUs, so every NaN maps to the same bits.
ENVPOOL_FN u64 bits_of(f64 x) { return x != x ? 0x7FF8000000000000 : __builtin_bit_cast(u64, x); }
ENVPOOL_FN u64 bits_of(f32 x) { return x != x ? 0x7FC00000 : __builtin_bit_cast(u32, x); }

// Return the bits as a number of the type of the last argument. If `near`, the exponent is replaced so that the
// magnitude is at least 2^-40 and less than 2^41, which is the range of most computations.
ENVPOOL_FN f64 number(u64 bits, bool near, f64) {
  if (near) bits = (bits & 0x800FFFFFFFFFFFFF) | (1023 - 40 + (bits >> 52 & 0x7FF) % 81) << 52;
  return __builtin_bit_cast(f64, bits);
}
ENVPOOL_FN f32 number(u64 bits, bool near, f32) {
  u32 low = u32(bits);
  if (near) low = (low & 0x807FFFFF) | (127 - 40 + (low >> 23 & 0xFF) % 81) << 23;
  return __builtin_bit_cast(f32, low);
}

struct Math {
  static constexpr const char* kName = "Math";
  struct Params {
    i32 arguments;
  };
  struct State {
    u64 digest[kFunctions][2];  // [f][0] is for f64, [f][1] for f32
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& specs) {
    specs.integer("arguments", 16, "arguments of each function per step").between(1, 1 << 20);
  }
  static Params params(const OptionValues& options) { return {i32(options.integer("arguments"))}; }
  static void spec(const Params&, Spec& spec) {
    for (const char* name : {"sin", "cos", "sincos", "exp", "log", "atan", "atan2", "fmod", "rint", "floor", "ceil",
                             "sqrt", "sign", "order", "quotient", "conversion", "limit"}) {
      spec.obs<i64>(name, {2}).doc("digests of results in f64 and f32");
    }
    spec.action<i32>().categories(2).doc("0: arguments of any magnitude; 1: magnitudes from 2^-40 to 2^41");
  }
#endif

  ENVPOOL_FN static void reset(State& state, const Params&, Rng&) { state = {}; }
  ENVPOOL_FN static Outcome step(State& state, const Params& params, ActionRow action, Rng& rng) {
    const bool near = *action.at<i32>(0) == 1;
    for (i32 i = 0; i < params.arguments; ++i) {
      u64 x = rng.bits(), y = rng.bits();
      x = x << 32 | rng.bits();
      y = y << 32 | rng.bits();
      call<0>(state, number(x, near, f64()), number(y, near, f64()));
      call<1>(state, number(x, near, f32()), number(y, near, f32()));
      limit<i32>(state.digest[kLimit][0], i32(x % 31) - 9);
      limit<i16>(state.digest[kLimit][1], i16(i32(y % 31) - 9));
    }
    return {};
  }
  ENVPOOL_FN static void observe(const State& state, const Params&, Row row) {
    for (i32 f = 0; f < kFunctions; ++f) {
      row.at<i64, 2>(f)[0] = i64(state.digest[f][0]);
      row.at<i64, 2>(f)[1] = i64(state.digest[f][1]);
    }
  }

 private:
  // Limits an integer to 0..11 and compares the result with both limits, which some assemblers get wrong
  // (envpool/cuda/compiler_fault.py).
  template <class T>
  ENVPOOL_FN static void limit(u64& digest, T x) {
    const T between = envpool::clamp(x, T(0), T(11));
    T kept = x;
    keep_within(kept, T(0), T(11));
    const i32 result = between + 16 * (between == 11) + 32 * (between == 0) + 64 * (kept == 11) + 128 * (kept == 0);
    digest = (digest ^ u64(result)) * 0x100000001B3;
    digest ^= digest >> 29;
  }
  template <int kType, class T>
  ENVPOOL_FN static void call(State& state, T x, T y) {
    const auto add = [&](Function f, T result) {
      u64& digest = state.digest[f][kType];
      digest = (digest ^ bits_of(result)) * 0x100000001B3;
      digest ^= digest >> 29;
    };
    const SinCos<T> both = envpool::sincos(x);
    add(kSin, envpool::sin(x));
    add(kCos, envpool::cos(x));
    add(kSinCos, both.sin);
    add(kSinCos, both.cos);
    add(kExp, envpool::exp(x));
    add(kLog, envpool::log(x));
    add(kAtan, envpool::atan(x));
    add(kAtan2, envpool::atan2(x, y));
    add(kFmod, envpool::fmod(x, y));
    add(kRint, envpool::rint(x));
    add(kFloor, envpool::floor(x));
    add(kCeil, envpool::ceil(x));
    add(kSqrt, envpool::sqrt(x));
    add(kSign, envpool::copysign(envpool::fabs(x), y));
    add(kOrder, envpool::min(x, y));
    add(kOrder, envpool::max(x, y));
    add(kQuotient, x / y);
    add(kQuotient, x * y + x);
    add(kConversion, T(f32(x)));
    add(kConversion, T(f64(i64(x > T(-1e18) && x < T(1e18) ? x : T(0)))));
  }
};

}  // namespace probe
