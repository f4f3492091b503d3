// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/plugin.h"

#include "envpool/minatar/asterix.h"
#include "envpool/minatar/breakout.h"
#include "envpool/minatar/freeway.h"
#include "envpool/minatar/seaquest.h"
#include "envpool/minatar/space_invaders.h"

using namespace envpool::minatar;

ENVPOOL_PLUGIN(envpool::portable_table<Asterix>(), envpool::portable_table<Breakout>(),
               envpool::portable_table<Freeway>(), envpool::portable_table<Seaquest>(),
               envpool::portable_table<SpaceInvaders>())
