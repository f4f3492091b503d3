// SPDX-License-Identifier: Apache-2.0
//
// Everything that a portable environment may use on any device: fixed-width types, mathematical functions and the
// random number generator.
#pragma once

#include "envpool/core/math/math.h"
#include "envpool/core/math/repair.h"
#include "envpool/core/math/rng.h"
#include "envpool/core/types.h"
