// SPDX-License-Identifier: Apache-2.0
#include "envpool/minatar/asterix.h"
#include "envpool/minatar/breakout.h"
#include "envpool/minatar/freeway.h"
#include "envpool/minatar/seaquest.h"
#include "envpool/minatar/space_invaders.h"

using namespace envpool::minatar;

ENVPOOL_PLUGIN(envpool::table<Asterix, "envpool/minatar/asterix.h">(),
               envpool::table<Breakout, "envpool/minatar/breakout.h">(),
               envpool::table<Freeway, "envpool/minatar/freeway.h">(),
               envpool::table<Seaquest, "envpool/minatar/seaquest.h">(),
               envpool::table<SpaceInvaders, "envpool/minatar/space_invaders.h">())
