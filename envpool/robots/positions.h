// SPDX-License-Identifier: Apache-2.0
//
// Everything that depends on positions only, except for contacts: kinematics, the inertia matrix and its factors.
#pragma once

#include "envpool/robots/inertia.h"
#include "envpool/robots/kinematics.h"
#include "envpool/robots/room.h"

namespace envpool::robots {

template <class M, class T>
ENVPOOL_ALWAYS_INLINE void positions_inlined(Data<M, T>& d, const T* qpos) {
  kinematics(d, qpos);
  centers_of_mass(d);
  composite_inertia(d);
  copy<M::kElements>(d.factor, d.mass);
  factorize<M>(d.factor, d.inverse);
}
// Does the same, and is compiled once.
template <class M>
ENVPOOL_NOINLINE void positions_called(Data<M, f64>& d, const f64* qpos) {
  positions_inlined(d, qpos);
}

}  // namespace envpool::robots
