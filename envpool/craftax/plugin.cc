// SPDX-License-Identifier: Apache-2.0
#include "envpool/craftax/classic_symbolic.h"

using namespace envpool::craftax;

ENVPOOL_PLUGIN(envpool::table<CraftaxClassicSymbolic, "envpool/craftax/classic_symbolic.h">())
