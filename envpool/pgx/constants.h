// SPDX-License-Identifier: Apache-2.0
//
// Loops whose counter is a constant in each round.
#pragma once

#include "envpool/core/types.h"

namespace envpool::pgx {

// Calls a function with the numbers from kFirst to kEnd - 1 as constants, decltype(number)::value.
template <i32 kNumber>
struct Constant {
  static constexpr i32 value = kNumber;
};
template <i32 kFirst, i32 kEnd, class Function>
ENVPOOL_ALWAYS_INLINE void for_constants(const Function& function) {
  if constexpr (kFirst < kEnd) {
    function(Constant<kFirst>{});
    for_constants<kFirst + 1, kEnd>(function);
  }
}

}  // namespace envpool::pgx
