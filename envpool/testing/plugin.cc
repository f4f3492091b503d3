// SPDX-License-Identifier: Apache-2.0
//
// The test environments: one for each contract of core/env.h, and one with every kind of array.
#include "envpool/testing/all_types.h"
#include "envpool/testing/counter.h"
#include "envpool/testing/crowd.h"
#include "envpool/testing/faulty.h"

ENVPOOL_PLUGIN(envpool::table<envpool::testing::Counter, "envpool/testing/counter.h">(),
               envpool::table<envpool::testing::AllTypes, "envpool/testing/all_types.h">(),
               envpool::table<envpool::testing::Crowd, "envpool/testing/crowd.h">(),
               envpool::table<envpool::testing::Faulty, "envpool/testing/faulty.h">())

// Releases hanging environments. If `on` is 0, environments that are told to hang later do so again. Tests call this
// through ctypes.
extern "C" __attribute__((visibility("default"))) void testing_release(int on) { envpool::testing::released = on != 0; }

// Returns the number of environments that hang now.
extern "C" __attribute__((visibility("default"))) int testing_hanging() { return envpool::testing::hanging; }
