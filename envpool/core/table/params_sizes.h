// SPDX-License-Identifier: Apache-2.0
//
// The identity of a model (model.h), which snapshots contain, covers the size of Params. Some environments' Params have
// changed since their first snapshots were written, although their states have not. Their identity keeps the first
// size, so that these snapshots can still be restored. For the host only.
#pragma once

#include <string_view>

#include "envpool/core/types.h"

namespace envpool {

struct ParamsSize {
  std::string_view env;  // kName
  u64 bytes;
};
inline constexpr ParamsSize kFirstParamsSizes[] = {
    {"Ant", 112},
    {"Atari", 152},
    {"BabyAIGoTo", 64},
    {"BabyAIOpen", 80},
    {"BabyAIPickup", 64},
    {"BabyAIPutNext", 64},
    {"BabyAISynth", 80},
    {"BabyAIUnlock", 64},
    {"CartPole", 80},
    {"DeepSea", 40},
    {"DiscountingChain", 272},
    {"FourRooms", 24},
    {"HalfCheetah", 48},
    {"Hopper", 128},
    {"Humanoid", 120},
    {"HumanoidStandup", 96},
    {"InvertedDoublePendulum", 64},
    {"InvertedPendulum", 56},
    {"MiniGridCrossing", 48},
    {"MiniGridDistShift", 48},
    {"MiniGridDoorKey", 40},
    {"MiniGridDynamicObstacles", 48},
    {"MiniGridEmpty", 48},
    {"MiniGridFetch", 48},
    {"MiniGridFourRooms", 40},
    {"MiniGridGoToDoor", 40},
    {"MiniGridGoToObject", 48},
    {"MiniGridKeyCorridor", 56},
    {"MiniGridLavaGap", 40},
    {"MiniGridLockedRoom", 40},
    {"MiniGridMemory", 48},
    {"MiniGridMultiRoom", 56},
    {"MiniGridObstructedMaze", 64},
    {"MiniGridPlayground", 40},
    {"MiniGridPutNear", 48},
    {"MiniGridRedBlueDoors", 40},
    {"MiniGridUnlock", 56},
    {"MiniGridUnlockPickup", 56},
    {"Pendulum", 16},
    {"Phys2dPendulum", 24},
    {"Pong", 28},
    {"Reacher", 72},
    {"Swimmer", 48},
    {"TagContinuous", 120},
    {"TagGridWorld", 48},
    {"Walker2d", 128},
    {"Walker2dOld", 128},
};

// Returns the size of an environment's Params in its identity.
constexpr u64 params_size_in_identity(std::string_view env, u64 size) {
  for (const ParamsSize& first : kFirstParamsSizes) {
    if (first.env == env) return first.bytes;
  }
  return size;
}

}  // namespace envpool
