// SPDX-License-Identifier: Apache-2.0
#include "envpool/robots/ant.h"
#include "envpool/robots/half_cheetah.h"
#include "envpool/robots/hopper.h"
#include "envpool/robots/humanoid.h"
#include "envpool/robots/humanoid_standup.h"
#include "envpool/robots/inverted_double_pendulum.h"
#include "envpool/robots/inverted_pendulum.h"
#include "envpool/robots/reacher.h"
#include "envpool/robots/swimmer.h"
#include "envpool/robots/walker2d.h"
#include "envpool/robots/walker2d_old.h"

using namespace envpool::robots;

ENVPOOL_PLUGIN(envpool::table<Ant, "envpool/robots/ant.h">(),
               envpool::table<HalfCheetah, "envpool/robots/half_cheetah.h">(),
               envpool::table<Hopper, "envpool/robots/hopper.h">(),
               envpool::table<Humanoid, "envpool/robots/humanoid.h">(),
               envpool::table<HumanoidStandup, "envpool/robots/humanoid_standup.h">(),
               envpool::table<InvertedDoublePendulum, "envpool/robots/inverted_double_pendulum.h">(),
               envpool::table<InvertedPendulum, "envpool/robots/inverted_pendulum.h">(),
               envpool::table<Reacher, "envpool/robots/reacher.h">(),
               envpool::table<Swimmer, "envpool/robots/swimmer.h">(),
               envpool::table<Walker2d, "envpool/robots/walker2d.h">(),
               envpool::table<Walker2dOld, "envpool/robots/walker2d_old.h">())
