// SPDX-License-Identifier: Apache-2.0
#include "envpool/jaxmarl/hanabi.h"
#include "envpool/jaxmarl/overcooked.h"

using namespace envpool::jaxmarl;

ENVPOOL_PLUGIN(envpool::table<Overcooked, "envpool/jaxmarl/overcooked.h">(),
               envpool::table<Hanabi, "envpool/jaxmarl/hanabi.h">())
