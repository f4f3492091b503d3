// SPDX-License-Identifier: Apache-2.0
//
// Walker2dOld: the Walker2d of versions 3 and 4. Its right foot has half the friction of its left foot, which was a
// mistake that version 5 corrects.
//
//   Action, observation, reward, ends and reset are those of Walker2d
//
// Reference: gymnasium 1.4.0, Walker2d-v4, with MuJoCo 3.17.0.
#pragma once

#include "envpool/robots/models/walker2d.h"
#include "envpool/robots/planar_walker.h"

namespace envpool::robots {

struct Walker2dOldTraits {
  using Model = Walker2dOldModel;
  static constexpr bool kHealthyState = false;
#if ENVPOOL_HOST
  static constexpr f64 kLowest = 0.8, kHighest = 2.0, kAngle = 1.0;
#endif
};
struct Walker2dOld : PlanarWalker<Walker2dOld, Walker2dOldTraits> {
  static constexpr const char* kName = "Walker2dOld";
};

}  // namespace envpool::robots
