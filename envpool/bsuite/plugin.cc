// SPDX-License-Identifier: Apache-2.0
#include "envpool/bsuite/catch.h"
#include "envpool/bsuite/deep_sea.h"
#include "envpool/bsuite/discounting_chain.h"
#include "envpool/bsuite/memory_chain.h"
#include "envpool/bsuite/simple_bandit.h"
#include "envpool/bsuite/umbrella_chain.h"

using namespace envpool::bsuite;

ENVPOOL_PLUGIN(envpool::table<Catch, "envpool/bsuite/catch.h">(),
               envpool::table<DeepSea, "envpool/bsuite/deep_sea.h">(),
               envpool::table<DiscountingChain, "envpool/bsuite/discounting_chain.h">(),
               envpool::table<MemoryChain, "envpool/bsuite/memory_chain.h">(),
               envpool::table<SimpleBandit, "envpool/bsuite/simple_bandit.h">(),
               envpool::table<UmbrellaChain, "envpool/bsuite/umbrella_chain.h">())
