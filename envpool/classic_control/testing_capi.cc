// SPDX-License-Identifier: Apache-2.0
//
// For classic_control_test.py.
#include "envpool/classic_control/acrobot.h"
#include "envpool/classic_control/cartpole.h"
#include "envpool/classic_control/mountain_car.h"
#include "envpool/classic_control/mountain_car_continuous.h"
#include "envpool/classic_control/pendulum.h"
#include "envpool/testing/functions.h"

using namespace envpool;
using namespace envpool::classic_control;

ENVPOOL_TEST_FUNCTIONS(Acrobot)
ENVPOOL_TEST_FUNCTIONS(CartPole)
ENVPOOL_TEST_FUNCTIONS(MountainCar)
ENVPOOL_TEST_FUNCTIONS(MountainCarContinuous)
ENVPOOL_TEST_FUNCTIONS(Pendulum)

// Where the State begins in a snapshot.
extern "C" i64 episode_size() { return sizeof(Episode); }
