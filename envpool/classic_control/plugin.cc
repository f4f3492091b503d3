// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/plugin.h"

#include "envpool/classic_control/acrobot.h"
#include "envpool/classic_control/cartpole.h"
#include "envpool/classic_control/mountain_car.h"
#include "envpool/classic_control/mountain_car_continuous.h"
#include "envpool/classic_control/pendulum.h"
#include "envpool/classic_control/phys2d_cartpole.h"

using namespace envpool::classic_control;

ENVPOOL_PLUGIN(envpool::portable_table<Acrobot>(), envpool::portable_table<CartPole>(),
               envpool::portable_table<MountainCar>(), envpool::portable_table<MountainCarContinuous>(),
               envpool::portable_table<Pendulum>(), envpool::portable_table<Phys2dCartPole>())
