// SPDX-License-Identifier: Apache-2.0
//
// The list of the games for several players. A game's number is its position in this list.
#pragma once

#include "envpool/atari/multiplayer/boxing.h"
#include "envpool/atari/multiplayer/combat.h"
#include "envpool/atari/multiplayer/double_dunk.h"
#include "envpool/atari/multiplayer/entombed.h"
#include "envpool/atari/multiplayer/flag_capture.h"
#include "envpool/atari/multiplayer/ice_hockey.h"
#include "envpool/atari/multiplayer/joust.h"
#include "envpool/atari/multiplayer/mario_bros.h"
#include "envpool/atari/multiplayer/maze_craze.h"
#include "envpool/atari/multiplayer/othello.h"
#include "envpool/atari/multiplayer/pong.h"
#include "envpool/atari/multiplayer/space_invaders.h"
#include "envpool/atari/multiplayer/space_war.h"
#include "envpool/atari/multiplayer/surround.h"
#include "envpool/atari/multiplayer/tennis.h"
#include "envpool/atari/multiplayer/video_checkers.h"
#include "envpool/atari/multiplayer/warlords.h"
#include "envpool/atari/multiplayer/wizard_of_wor.h"

#define ENVPOOL_ATARI_MULTIPLAYER_GAMES(X) \
  X(Boxing)                                \
  X(Combat)                                \
  X(DoubleDunk)                            \
  X(Entombed)                              \
  X(FlagCapture)                           \
  X(IceHockey)                             \
  X(Joust)                                 \
  X(MarioBros)                             \
  X(MazeCraze)                             \
  X(Othello)                               \
  X(Pong)                                  \
  X(SpaceInvaders)                         \
  X(SpaceWar)                              \
  X(Surround)                              \
  X(Tennis)                                \
  X(VideoCheckers)                         \
  X(Warlords)                              \
  X(WizardOfWor)
