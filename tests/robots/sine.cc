// SPDX-License-Identifier: Apache-2.0
//
// A library that replaces libm's sine and cosine by ours when it is preloaded, so that MuJoCo's library computes the
// bits of our solver.
#include "envpool/core/math/math.h"

extern "C" __attribute__((visibility("default"))) double sin(double x) noexcept { return envpool::sin(x); }
extern "C" __attribute__((visibility("default"))) double cos(double x) noexcept { return envpool::cos(x); }
