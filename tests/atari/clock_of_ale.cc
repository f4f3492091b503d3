// SPDX-License-Identifier: Apache-2.0
//
// A library to preload: time() returns ALE's seed of the console's generator. multi-agent-ale-py seeds that generator
// with the time, so it then starts like ALE.
#include <time.h>

extern "C" __attribute__((visibility("default"))) time_t time(time_t* result) {
  constexpr time_t kSeed = 4753849;
  if (result != nullptr) *result = kSeed;
  return kSeed;
}
