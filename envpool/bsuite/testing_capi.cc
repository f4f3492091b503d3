// SPDX-License-Identifier: Apache-2.0
//
// For bsuite_test.py.
#include "envpool/bsuite/catch.h"
#include "envpool/bsuite/deep_sea.h"
#include "envpool/bsuite/discounting_chain.h"
#include "envpool/bsuite/memory_chain.h"
#include "envpool/bsuite/simple_bandit.h"
#include "envpool/bsuite/umbrella_chain.h"
#include "envpool/core/normal.h"
#include "envpool/testing/functions.h"

using namespace envpool;
using namespace envpool::bsuite;

ENVPOOL_TEST_FUNCTIONS(Catch)
ENVPOOL_TEST_FUNCTIONS(DeepSea)
ENVPOOL_TEST_FUNCTIONS(DiscountingChain)
ENVPOOL_TEST_FUNCTIONS(MemoryChain)
ENVPOOL_TEST_FUNCTIONS(SimpleBandit)
ENVPOOL_TEST_FUNCTIONS(UmbrellaChain)

// n normal numbers of one stream.
extern "C" void normal_numbers(u64 seed, f64* out, i64 n) {
  Rng rng{.seed = seed};
  for (i64 i = 0; i < n; ++i) out[i] = normal(rng);
}
