// SPDX-License-Identifier: Apache-2.0
#include "envpool/tag/tag_continuous.h"
#include "envpool/tag/tag_gridworld.h"

using namespace envpool::tag;

ENVPOOL_PLUGIN(envpool::table<TagContinuous, "envpool/tag/tag_continuous.h">(),
               envpool::table<TagGridWorld, "envpool/tag/tag_gridworld.h">())
