// SPDX-License-Identifier: Apache-2.0
//
// All that the header of an environment includes: the contracts, what is allowed on any device, and on the host what
// describes options and arrays.
#pragma once

#include "envpool/core/env.h"
#include "envpool/core/portable.h"
#if ENVPOOL_HOST
#include "envpool/core/spec.h"
#endif
