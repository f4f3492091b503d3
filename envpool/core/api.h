// SPDX-License-Identifier: Apache-2.0
//
// The only header that an environment or a plugin needs to include. It provides the contracts, and everything that
// environments may use on any device. On the host, it also provides the classes that describe options and arrays,
// table<>() and ENVPOOL_PLUGIN (plugin.h).
#pragma once

#include "envpool/core/env.h"
#include "envpool/core/portable.h"
#if ENVPOOL_HOST
#if defined(__FAST_MATH__) || __FINITE_MATH_ONLY__
#error "expected a compiler without -ffast-math, -Ofast and -ffinite-math-only, which change the results"
#endif
#include "envpool/core/plugin.h"
#endif
