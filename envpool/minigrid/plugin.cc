// SPDX-License-Identifier: Apache-2.0
#include "envpool/minigrid/babyai_go_to.h"
#include "envpool/minigrid/babyai_open.h"
#include "envpool/minigrid/babyai_pickup.h"
#include "envpool/minigrid/babyai_put_next.h"
#include "envpool/minigrid/babyai_synth.h"
#include "envpool/minigrid/babyai_unlock.h"
#include "envpool/minigrid/crossing.h"
#include "envpool/minigrid/dist_shift.h"
#include "envpool/minigrid/door_key.h"
#include "envpool/minigrid/dynamic_obstacles.h"
#include "envpool/minigrid/empty.h"
#include "envpool/minigrid/fetch.h"
#include "envpool/minigrid/four_rooms.h"
#include "envpool/minigrid/go_to_door.h"
#include "envpool/minigrid/go_to_object.h"
#include "envpool/minigrid/key_corridor.h"
#include "envpool/minigrid/lava_gap.h"
#include "envpool/minigrid/locked_room.h"
#include "envpool/minigrid/memory.h"
#include "envpool/minigrid/multi_room.h"
#include "envpool/minigrid/obstructed_maze.h"
#include "envpool/minigrid/playground.h"
#include "envpool/minigrid/put_near.h"
#include "envpool/minigrid/red_blue_doors.h"
#include "envpool/minigrid/unlock.h"
#include "envpool/minigrid/unlock_pickup.h"

using namespace envpool::minigrid;

ENVPOOL_PLUGIN(envpool::table<BabyAIGoTo, "envpool/minigrid/babyai_go_to.h">(),
               envpool::table<BabyAIOpen, "envpool/minigrid/babyai_open.h">(),
               envpool::table<BabyAIPickup, "envpool/minigrid/babyai_pickup.h">(),
               envpool::table<BabyAIPutNext, "envpool/minigrid/babyai_put_next.h">(),
               envpool::table<BabyAISynth, "envpool/minigrid/babyai_synth.h">(),
               envpool::table<BabyAIUnlock, "envpool/minigrid/babyai_unlock.h">(),
               envpool::table<Crossing, "envpool/minigrid/crossing.h">(),
               envpool::table<DistShift, "envpool/minigrid/dist_shift.h">(),
               envpool::table<DoorKey, "envpool/minigrid/door_key.h">(),
               envpool::table<DynamicObstacles, "envpool/minigrid/dynamic_obstacles.h">(),
               envpool::table<Empty, "envpool/minigrid/empty.h">(), envpool::table<Fetch, "envpool/minigrid/fetch.h">(),
               envpool::table<FourRooms, "envpool/minigrid/four_rooms.h">(),
               envpool::table<GoToDoor, "envpool/minigrid/go_to_door.h">(),
               envpool::table<GoToObject, "envpool/minigrid/go_to_object.h">(),
               envpool::table<KeyCorridor, "envpool/minigrid/key_corridor.h">(),
               envpool::table<LavaGap, "envpool/minigrid/lava_gap.h">(),
               envpool::table<LockedRoom, "envpool/minigrid/locked_room.h">(),
               envpool::table<Memory, "envpool/minigrid/memory.h">(),
               envpool::table<MultiRoom, "envpool/minigrid/multi_room.h">(),
               envpool::table<ObstructedMaze, "envpool/minigrid/obstructed_maze.h">(),
               envpool::table<Playground, "envpool/minigrid/playground.h">(),
               envpool::table<PutNear, "envpool/minigrid/put_near.h">(),
               envpool::table<RedBlueDoors, "envpool/minigrid/red_blue_doors.h">(),
               envpool::table<Unlock, "envpool/minigrid/unlock.h">(),
               envpool::table<UnlockPickup, "envpool/minigrid/unlock_pickup.h">())
