// SPDX-License-Identifier: Apache-2.0
#include "envpool/procgen/bigfish.h"
#include "envpool/procgen/bossfight.h"
#include "envpool/procgen/chaser.h"
#include "envpool/procgen/coinrun.h"
#include "envpool/procgen/dodgeball.h"
#include "envpool/procgen/maze.h"
#include "envpool/procgen/starpilot.h"

using namespace envpool::procgen;

ENVPOOL_PLUGIN(envpool::table<ProcgenBigfish, "envpool/procgen/bigfish.h">(),
               envpool::table<ProcgenBossfight, "envpool/procgen/bossfight.h">(),
               envpool::table<ProcgenChaser, "envpool/procgen/chaser.h">(),
               envpool::table<ProcgenCoinrun, "envpool/procgen/coinrun.h">(),
               envpool::table<ProcgenDodgeball, "envpool/procgen/dodgeball.h">(),
               envpool::table<ProcgenMaze, "envpool/procgen/maze.h">(),
               envpool::table<ProcgenStarpilot, "envpool/procgen/starpilot.h">())
