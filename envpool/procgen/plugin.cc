// SPDX-License-Identifier: Apache-2.0
#include "envpool/procgen/bigfish.h"
#include "envpool/procgen/bossfight.h"
#include "envpool/procgen/caveflyer.h"
#include "envpool/procgen/chaser.h"
#include "envpool/procgen/climber.h"
#include "envpool/procgen/coinrun.h"
#include "envpool/procgen/dodgeball.h"
#include "envpool/procgen/fruitbot.h"
#include "envpool/procgen/heist.h"
#include "envpool/procgen/jumper.h"
#include "envpool/procgen/leaper.h"
#include "envpool/procgen/maze.h"
#include "envpool/procgen/miner.h"
#include "envpool/procgen/ninja.h"
#include "envpool/procgen/plunder.h"
#include "envpool/procgen/starpilot.h"

using namespace envpool::procgen;

ENVPOOL_PLUGIN(envpool::table<ProcgenBigfish, "envpool/procgen/bigfish.h">(),
               envpool::table<ProcgenBossfight, "envpool/procgen/bossfight.h">(),
               envpool::table<ProcgenCaveflyer, "envpool/procgen/caveflyer.h">(),
               envpool::table<ProcgenChaser, "envpool/procgen/chaser.h">(),
               envpool::table<ProcgenClimber, "envpool/procgen/climber.h">(),
               envpool::table<ProcgenCoinrun, "envpool/procgen/coinrun.h">(),
               envpool::table<ProcgenDodgeball, "envpool/procgen/dodgeball.h">(),
               envpool::table<ProcgenFruitbot, "envpool/procgen/fruitbot.h">(),
               envpool::table<ProcgenHeist, "envpool/procgen/heist.h">(),
               envpool::table<ProcgenJumper, "envpool/procgen/jumper.h">(),
               envpool::table<ProcgenLeaper, "envpool/procgen/leaper.h">(),
               envpool::table<ProcgenMaze, "envpool/procgen/maze.h">(),
               envpool::table<ProcgenMiner, "envpool/procgen/miner.h">(),
               envpool::table<ProcgenNinja, "envpool/procgen/ninja.h">(),
               envpool::table<ProcgenPlunder, "envpool/procgen/plunder.h">(),
               envpool::table<ProcgenStarpilot, "envpool/procgen/starpilot.h">())
