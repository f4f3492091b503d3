// SPDX-License-Identifier: Apache-2.0
#include "envpool/toy_text/blackjack.h"
#include "envpool/toy_text/catch.h"
#include "envpool/toy_text/cliff_walking.h"
#include "envpool/toy_text/frozen_lake.h"
#include "envpool/toy_text/nchain.h"
#include "envpool/toy_text/taxi.h"

using namespace envpool::toy_text;

ENVPOOL_PLUGIN(envpool::table<Blackjack, "envpool/toy_text/blackjack.h">(),
               envpool::table<Catch, "envpool/toy_text/catch.h">(),
               envpool::table<CliffWalking, "envpool/toy_text/cliff_walking.h">(),
               envpool::table<FrozenLake, "envpool/toy_text/frozen_lake.h">(),
               envpool::table<NChain, "envpool/toy_text/nchain.h">(), envpool::table<Taxi, "envpool/toy_text/taxi.h">())
