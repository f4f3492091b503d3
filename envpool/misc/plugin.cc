// SPDX-License-Identifier: Apache-2.0
#include "envpool/misc/bernoulli_bandit.h"
#include "envpool/misc/four_rooms.h"
#include "envpool/misc/gaussian_bandit.h"
#include "envpool/misc/maze.h"
#include "envpool/misc/meta_maze.h"
#include "envpool/misc/point_robot.h"
#include "envpool/misc/pong.h"
#include "envpool/misc/reacher.h"
#include "envpool/misc/swimmer.h"

using namespace envpool::misc;

ENVPOOL_PLUGIN(envpool::table<BernoulliBandit, "envpool/misc/bernoulli_bandit.h">(),
               envpool::table<FourRooms, "envpool/misc/four_rooms.h">(),
               envpool::table<GaussianBandit, "envpool/misc/gaussian_bandit.h">(),
               envpool::table<Maze, "envpool/misc/maze.h">(), envpool::table<MetaMaze, "envpool/misc/meta_maze.h">(),
               envpool::table<PointRobot, "envpool/misc/point_robot.h">(),
               envpool::table<Pong, "envpool/misc/pong.h">(), envpool::table<Reacher, "envpool/misc/reacher.h">(),
               envpool::table<Swimmer, "envpool/misc/swimmer.h">())
