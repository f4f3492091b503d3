// SPDX-License-Identifier: Apache-2.0
//
// The returns of episodes (the option `episode_statistics`), as pools on the CPU (core/pool/statistics.h) and on a GPU
// (device_statistics.h) compute them.
#pragma once

#include "envpool/core/table/episode.h"

namespace envpool {

// Returns the sum of an episode's rewards after a row. `sum` is the sum before it, and the others are the row's values.
// `elapsed` says which steps belong to an episode: with Atari's lives, it counts the steps of a game.
ENVPOOL_FN f64 return_after(f64 sum, f32 reward, i32 elapsed, i32 type) {
  // Neither the first observation of an episode nor the result of its first step.
  const bool later = (elapsed > 1) | ((elapsed == 1) & (type == i32(StepType::kFirst)));
  return (later ? sum : 0) + f64(reward);
}

}  // namespace envpool
