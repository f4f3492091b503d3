// SPDX-License-Identifier: Apache-2.0
//
// The list of the games for several players. A game's number is its position in this list.
#pragma once

#include "envpool/atari/multiplayer/boxing.h"
#include "envpool/atari/multiplayer/ice_hockey.h"
#include "envpool/atari/multiplayer/pong.h"
#include "envpool/atari/multiplayer/space_invaders.h"
#include "envpool/atari/multiplayer/surround.h"
#include "envpool/atari/multiplayer/tennis.h"

#define ENVPOOL_ATARI_MULTIPLAYER_GAMES(X) \
  X(Boxing)                                \
  X(IceHockey)                             \
  X(Pong)                                  \
  X(SpaceInvaders)                         \
  X(Surround)                              \
  X(Tennis)
