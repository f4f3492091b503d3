// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/plugin.h"

#include "envpool/atari/ale_env.h"
#include "envpool/atari/atari_env.h"

ENVPOOL_PLUGIN(envpool::portable_table<envpool::atari::AtariEnv>(), envpool::portable_table<envpool::atari::AleEnv>())
