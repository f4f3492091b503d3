// SPDX-License-Identifier: Apache-2.0

#include "envpool/core/api.h"
#include "envpool/mujoco/family.h"
#include "envpool/mujoco/gym/ant.h"
#include "envpool/mujoco/gym/half_cheetah.h"
#include "envpool/mujoco/gym/humanoid.h"
#include "envpool/mujoco/gym/humanoid_standup.h"
#include "envpool/mujoco/gym/inverted_double_pendulum.h"
#include "envpool/mujoco/gym/inverted_pendulum.h"
#include "envpool/mujoco/gym/planar_walker.h"
#include "envpool/mujoco/gym/pusher.h"
#include "envpool/mujoco/gym/reacher.h"
#include "envpool/mujoco/gym/swimmer.h"

namespace envpool::mujoco {

Tables gym_tables() {
  static constexpr const abi::Table* kTables[] = {
      host_table<Ant>(),
      host_table<HalfCheetah>(),
      host_table<Hopper>(),
      host_table<Humanoid>(),
      host_table<HumanoidStandup>(),
      host_table<InvertedDoublePendulum>(),
      host_table<InvertedPendulum>(),
      host_table<Pusher>(),
      host_table<Reacher>(),
      host_table<Swimmer>(),
      host_table<Walker2d>(),
  };
  return kTables;
}

}  // namespace envpool::mujoco
