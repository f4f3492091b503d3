// SPDX-License-Identifier: Apache-2.0
//
// The one header that an environment and a plugin include: the contracts, what is allowed on any device, and on the
// host what describes options and arrays, table<>() and ENVPOOL_PLUGIN (plugin.h).
#pragma once

#include "envpool/core/env.h"
#include "envpool/core/portable.h"
#if ENVPOOL_HOST
#include "envpool/core/plugin.h"
#endif
