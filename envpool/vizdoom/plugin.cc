// SPDX-License-Identifier: Apache-2.0

#include "envpool/core/api.h"
#include "envpool/vizdoom/doom_env.h"
#include "envpool/vizdoom/gym_env.h"

ENVPOOL_PLUGIN(envpool::table<envpool::vizdoom::DoomEnv>(), envpool::table<envpool::vizdoom::GymEnv>())
