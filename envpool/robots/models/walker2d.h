// SPDX-License-Identifier: Apache-2.0
//
// The model walker2d.xml of gymnasium 1.4.0, compiled by MuJoCo 3.17.0.
// Written by tools/mujoco_tables.py; do not edit.
#pragma once

#include "envpool/robots/models/walker2d_v5.h"

namespace envpool::robots {

// clang-format off
struct Walker2dOldModel : Walker2dModel {
  ENVPOOL_FN static const f64& friction(i32 i) {
    static constexpr f64 table[] = {
        0.7, 0.1, 0.1, 0.9, 0.1, 0.1, 0.9, 0.1, 0.1, 0.9, 0.1, 0.1, 0.9, 0.1, 0.1, 0.9, 0.1, 0.1, 0.9, 0.1, 0.1, 1.9, 0.1, 0.1};
    return table[i];
  }
};
// clang-format on

}  // namespace envpool::robots
