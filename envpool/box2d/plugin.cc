// SPDX-License-Identifier: Apache-2.0
#include "envpool/box2d/bipedal_walker.h"
#include "envpool/box2d/car_racing.h"
#include "envpool/box2d/lunar_lander.h"

using namespace envpool::box2d;

ENVPOOL_PLUGIN(envpool::table<BipedalWalker, "envpool/box2d/bipedal_walker.h">(),
               envpool::table<CarRacing, "envpool/box2d/car_racing.h">(),
               envpool::table<LunarLander, "envpool/box2d/lunar_lander.h">())
