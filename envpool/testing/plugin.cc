// SPDX-License-Identifier: Apache-2.0
//
// Environments that only tests make: one in each contract, and one with every kind of array.
#include "envpool/core/plugin.h"
#include "envpool/testing/counter.h"
#include "envpool/testing/crowd.h"
#include "envpool/testing/trouble.h"
#include "envpool/testing/zoo.h"

ENVPOOL_PLUGIN(envpool::portable_table<envpool::testing::Counter>(), envpool::portable_table<envpool::testing::Zoo>(),
               envpool::world_table<envpool::testing::Crowd>(), envpool::host_table<envpool::testing::Trouble>())

// Lets go of what hangs, from Python through ctypes; 0 makes it hang again.
extern "C" __attribute__((visibility("default"))) void testing_release(int on) { envpool::testing::released = on != 0; }
