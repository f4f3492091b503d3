// SPDX-License-Identifier: Apache-2.0
#include "envpool/atari/ale_env.h"
#include "envpool/atari/atari_env.h"
#include "envpool/atari/multiplayer_env.h"

ENVPOOL_PLUGIN(envpool::table<envpool::atari::AtariEnv, "envpool/atari/atari_env.h">(),
               envpool::table<envpool::atari::AleEnv, "envpool/atari/ale_env.h">(),
               envpool::table<envpool::atari::MultiplayerEnv, "envpool/atari/multiplayer_env.h">())
