// SPDX-License-Identifier: Apache-2.0
//
// The test environments: one for each contract of core/env.h, and one with every kind of array.
#include "tests/environments/all_types.h"
#include "tests/environments/counter.h"
#include "tests/environments/crowd.h"
#include "tests/environments/faulty.h"

ENVPOOL_PLUGIN(envpool::table<envpool::testing::Counter, "tests/environments/counter.h">(),
               envpool::table<envpool::testing::AllTypes, "tests/environments/all_types.h">(),
               envpool::table<envpool::testing::Crowd, "tests/environments/crowd.h">(),
               envpool::table<envpool::testing::Faulty, "tests/environments/faulty.h">())

// Releases hanging environments. If `on` is 0, environments that are told to hang later do so again. Tests call this
// through ctypes.
extern "C" __attribute__((visibility("default"))) void testing_release(int on) { envpool::testing::released = on != 0; }

// Returns the number of environments that hang now.
extern "C" __attribute__((visibility("default"))) int testing_hanging() { return envpool::testing::hanging; }
