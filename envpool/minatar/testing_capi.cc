// SPDX-License-Identifier: Apache-2.0
//
// For testing/states.py.
#include "envpool/minatar/asterix.h"
#include "envpool/minatar/breakout.h"
#include "envpool/minatar/freeway.h"
#include "envpool/minatar/seaquest.h"
#include "envpool/minatar/space_invaders.h"
#include "envpool/testing/functions.h"

using namespace envpool;
using namespace envpool::minatar;

ENVPOOL_TEST_FUNCTIONS(Asterix)
ENVPOOL_TEST_FUNCTIONS(Breakout)
ENVPOOL_TEST_FUNCTIONS(Freeway)
ENVPOOL_TEST_FUNCTIONS(Seaquest)
ENVPOOL_TEST_FUNCTIONS(SpaceInvaders)
