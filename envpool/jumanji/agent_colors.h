// SPDX-License-Identifier: Apache-2.0
//
// The colors of agents in images of worlds with several.
#pragma once

#include "envpool/core/canvas.h"

namespace envpool::jumanji {

// Agents beyond the tenth have the colors of others.
inline drawing::Color agent_color(i32 agent) {
  constexpr drawing::Color colors[] = {{208, 74, 52},  {52, 104, 178}, {56, 142, 84}, {226, 138, 40}, {128, 84, 168},
                                       {40, 150, 170}, {190, 90, 140}, {120, 96, 60}, {90, 100, 116}, {168, 160, 40}};
  return colors[agent % 10];
}
inline drawing::Color paler(drawing::Color color) {
  const auto mix = [](u8 value) { return static_cast<u8>((value + 2 * 255) / 3); };
  return {mix(color.red), mix(color.green), mix(color.blue)};
}

}  // namespace envpool::jumanji
