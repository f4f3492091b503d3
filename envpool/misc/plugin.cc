// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/plugin.h"

#include "envpool/misc/bernoulli_bandit.h"
#include "envpool/misc/four_rooms.h"
#include "envpool/misc/gaussian_bandit.h"
#include "envpool/misc/meta_maze.h"
#include "envpool/misc/point_robot.h"
#include "envpool/misc/pong.h"
#include "envpool/misc/reacher.h"
#include "envpool/misc/swimmer.h"

using namespace envpool::misc;

ENVPOOL_PLUGIN(envpool::portable_table<BernoulliBandit>(), envpool::portable_table<FourRooms>(),
               envpool::portable_table<GaussianBandit>(), envpool::portable_table<MetaMaze>(),
               envpool::portable_table<PointRobot>(), envpool::portable_table<Pong>(),
               envpool::portable_table<Reacher>(), envpool::portable_table<Swimmer>())
