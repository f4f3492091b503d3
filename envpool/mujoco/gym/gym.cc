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
#include "envpool/mujoco/render/rendered.h"

namespace envpool::mujoco {

template <class Env>
using Gym = Rendered<Env, GymnasiumCamera>;

Tables gym_tables() {
  static constexpr const abi::Table* kTables[] = {
      host_table<Gym<Ant>>(),
      host_table<Gym<HalfCheetah>>(),
      host_table<Gym<Hopper>>(),
      host_table<Gym<Humanoid>>(),
      host_table<Gym<HumanoidStandup>>(),
      host_table<Gym<InvertedDoublePendulum>>(),
      host_table<Gym<InvertedPendulum>>(),
      host_table<Gym<Pusher>>(),
      host_table<Gym<Reacher>>(),
      host_table<Gym<Swimmer>>(),
      host_table<Gym<Walker2d>>(),
  };
  return kTables;
}

}  // namespace envpool::mujoco
