// SPDX-License-Identifier: Apache-2.0
#include "envpool/classic_control/acrobot.h"
#include "envpool/classic_control/cartpole.h"
#include "envpool/classic_control/mountain_car.h"
#include "envpool/classic_control/mountain_car_continuous.h"
#include "envpool/classic_control/pendulum.h"
#include "envpool/classic_control/phys2d_cartpole.h"
#include "envpool/classic_control/phys2d_pendulum.h"

using namespace envpool::classic_control;

ENVPOOL_PLUGIN(envpool::table<Acrobot, "envpool/classic_control/acrobot.h">(),
               envpool::table<CartPole, "envpool/classic_control/cartpole.h">(),
               envpool::table<MountainCar, "envpool/classic_control/mountain_car.h">(),
               envpool::table<MountainCarContinuous, "envpool/classic_control/mountain_car_continuous.h">(),
               envpool::table<Pendulum, "envpool/classic_control/pendulum.h">(),
               envpool::table<Phys2dCartPole, "envpool/classic_control/phys2d_cartpole.h">(),
               envpool::table<Phys2dPendulum, "envpool/classic_control/phys2d_pendulum.h">())
