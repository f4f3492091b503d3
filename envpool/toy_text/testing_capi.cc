// SPDX-License-Identifier: Apache-2.0
//
// For toy_text_test.py.
#include "envpool/testing/functions.h"
#include "envpool/toy_text/blackjack.h"
#include "envpool/toy_text/catch.h"
#include "envpool/toy_text/cliff_walking.h"
#include "envpool/toy_text/frozen_lake.h"
#include "envpool/toy_text/nchain.h"
#include "envpool/toy_text/taxi.h"

using namespace envpool;
using namespace envpool::toy_text;

ENVPOOL_TEST_FUNCTIONS(Blackjack)
ENVPOOL_TEST_FUNCTIONS(Catch)
ENVPOOL_TEST_FUNCTIONS(CliffWalking)
ENVPOOL_TEST_FUNCTIONS(FrozenLake)
ENVPOOL_TEST_FUNCTIONS(NChain)
ENVPOOL_TEST_FUNCTIONS(Taxi)
