// SPDX-License-Identifier: Apache-2.0
#include "envpool/craftax/classic_pixels.h"
#include "envpool/craftax/classic_symbolic.h"
#include "envpool/craftax/pixels.h"
#include "envpool/craftax/symbolic.h"

using namespace envpool::craftax;

ENVPOOL_PLUGIN(envpool::table<CraftaxClassicSymbolic, "envpool/craftax/classic_symbolic.h">(),
               envpool::table<CraftaxClassicPixels, "envpool/craftax/classic_pixels.h">(),
               envpool::table<CraftaxSymbolic, "envpool/craftax/symbolic.h">(),
               envpool::table<CraftaxPixels, "envpool/craftax/pixels.h">())
