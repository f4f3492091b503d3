// SPDX-License-Identifier: Apache-2.0
#include "coin_hunt.h"
#include "envpool/core/contract.h"

ENVPOOL_PLUGIN(envpool::table<coin_hunt::CoinHunt>())
