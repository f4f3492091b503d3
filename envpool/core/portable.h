// SPDX-License-Identifier: Apache-2.0
//
// Everything a portable environment may use, on any device: fixed-width types, the generator, the mathematics.
#pragma once

#include "envpool/core/math.h"
#include "envpool/core/repair.h"
#include "envpool/core/rng.h"
#include "envpool/core/types.h"
