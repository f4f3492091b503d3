// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/plugin.h"

#include "envpool/toy_text/blackjack.h"
#include "envpool/toy_text/catch.h"
#include "envpool/toy_text/cliff_walking.h"
#include "envpool/toy_text/frozen_lake.h"
#include "envpool/toy_text/nchain.h"
#include "envpool/toy_text/taxi.h"

using namespace envpool::toy_text;

ENVPOOL_PLUGIN(envpool::portable_table<Blackjack>(), envpool::portable_table<Catch>(),
               envpool::portable_table<CliffWalking>(), envpool::portable_table<FrozenLake>(),
               envpool::portable_table<NChain>(), envpool::portable_table<Taxi>())
