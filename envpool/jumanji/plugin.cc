// SPDX-License-Identifier: Apache-2.0
#include "envpool/jumanji/cleaner.h"
#include "envpool/jumanji/game2048.h"
#include "envpool/jumanji/maze.h"
#include "envpool/jumanji/minesweeper.h"
#include "envpool/jumanji/rubiks_cube.h"
#include "envpool/jumanji/sliding_tile_puzzle.h"
#include "envpool/jumanji/snake.h"

using namespace envpool::jumanji;

ENVPOOL_PLUGIN(envpool::table<Cleaner, "envpool/jumanji/cleaner.h">(),
               envpool::table<Game2048, "envpool/jumanji/game2048.h">(),
               envpool::table<Maze, "envpool/jumanji/maze.h">(),
               envpool::table<Minesweeper, "envpool/jumanji/minesweeper.h">(),
               envpool::table<RubiksCube, "envpool/jumanji/rubiks_cube.h">(),
               envpool::table<SlidingTilePuzzle, "envpool/jumanji/sliding_tile_puzzle.h">(),
               envpool::table<Snake, "envpool/jumanji/snake.h">())
