// SPDX-License-Identifier: Apache-2.0
#include "envpool/procgen/bigfish.h"
#include "envpool/procgen/chaser.h"
#include "envpool/procgen/coinrun.h"
#include "envpool/procgen/maze.h"

using namespace envpool::procgen;

ENVPOOL_PLUGIN(envpool::table<ProcgenBigfish, "envpool/procgen/bigfish.h">(),
               envpool::table<ProcgenChaser, "envpool/procgen/chaser.h">(),
               envpool::table<ProcgenCoinrun, "envpool/procgen/coinrun.h">(),
               envpool::table<ProcgenMaze, "envpool/procgen/maze.h">())
