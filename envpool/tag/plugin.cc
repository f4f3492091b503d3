// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/plugin.h"

#include "envpool/tag/tag_continuous.h"
#include "envpool/tag/tag_gridworld.h"

using namespace envpool::tag;

ENVPOOL_PLUGIN(envpool::world_table<TagContinuous>(), envpool::world_table<TagGridWorld>())
