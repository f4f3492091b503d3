// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/plugin.h"

#include "envpool/bsuite/catch.h"
#include "envpool/bsuite/deep_sea.h"
#include "envpool/bsuite/discounting_chain.h"
#include "envpool/bsuite/memory_chain.h"
#include "envpool/bsuite/simple_bandit.h"
#include "envpool/bsuite/umbrella_chain.h"

using namespace envpool::bsuite;

ENVPOOL_PLUGIN(envpool::portable_table<Catch>(), envpool::portable_table<DeepSea>(),
               envpool::portable_table<DiscountingChain>(), envpool::portable_table<MemoryChain>(),
               envpool::portable_table<SimpleBandit>(), envpool::portable_table<UmbrellaChain>())
