// SPDX-License-Identifier: Apache-2.0
//
// Normal numbers from the generator, by the method of G. Box and M. Muller (1958).
#pragma once

#include "envpool/core/portable.h"

namespace envpool {

// Standard normal, up to 8.6 in size. Takes four words.
ENVPOOL_FN f64 normal(Rng& rng) {
  const f64 radius = sqrt(-2 * log(1 - rng.uniform()));
  return radius * cos(2 * kPi * rng.uniform());
}

}  // namespace envpool
