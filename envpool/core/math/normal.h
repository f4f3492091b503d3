// SPDX-License-Identifier: Apache-2.0
//
// Normally distributed random numbers, by the method of G. Box and M. Muller (1958).
#pragma once

#include "envpool/core/math/math.h"
#include "envpool/core/math/rng.h"

namespace envpool {

// Returns a standard normal number; its magnitude is at most 8.6. Takes four words from the generator.
ENVPOOL_FN f64 normal(Rng& rng) {
  const f64 radius = sqrt(-2 * log(1 - rng.uniform()));
  return radius * cos(2 * kPi * rng.uniform());
}

}  // namespace envpool
