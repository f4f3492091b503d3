// SPDX-License-Identifier: Apache-2.0
#include "coin_hunt.h"

ENVPOOL_PLUGIN(envpool::table<coin_hunt::CoinHunt, "coin_hunt.h">())
