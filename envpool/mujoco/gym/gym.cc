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
#include "envpool/mujoco/gym/scene.h"
#include "envpool/mujoco/gym/swimmer.h"
#include "envpool/mujoco/render/rendered.h"

namespace envpool::mujoco {

template <class Env>
using Gym = Rendered<Env, GymnasiumCamera>;

Tables gym_tables() {
  static constexpr const abi::Table* kTables[] = {
      table<Gym<Ant>>(),
      table<Gym<HalfCheetah>>(),
      table<Gym<Hopper>>(),
      table<Gym<Humanoid>>(),
      table<Gym<HumanoidStandup>>(),
      table<Gym<InvertedDoublePendulum>>(),
      table<Gym<InvertedPendulum>>(),
      table<Gym<Pusher>>(),
      table<Gym<Reacher>>(),
      table<Rendered<Scene, SceneCamera>>(),
      table<Gym<Swimmer>>(),
      table<Gym<Walker2d>>(),
  };
  return kTables;
}

}  // namespace envpool::mujoco
