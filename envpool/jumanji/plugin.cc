// SPDX-License-Identifier: Apache-2.0
#include "envpool/jumanji/cleaner.h"
#include "envpool/jumanji/connector.h"
#include "envpool/jumanji/game2048.h"
#include "envpool/jumanji/level_based_foraging.h"
#include "envpool/jumanji/maze.h"
#include "envpool/jumanji/minesweeper.h"
#include "envpool/jumanji/robot_warehouse.h"
#include "envpool/jumanji/rubiks_cube.h"
#include "envpool/jumanji/sliding_tile_puzzle.h"
#include "envpool/jumanji/snake.h"
#include "envpool/jumanji/sudoku.h"

using namespace envpool::jumanji;

ENVPOOL_PLUGIN(envpool::table<Cleaner, "envpool/jumanji/cleaner.h">(),
               envpool::table<Connector, "envpool/jumanji/connector.h">(),
               envpool::table<Game2048, "envpool/jumanji/game2048.h">(),
               envpool::table<LevelBasedForaging, "envpool/jumanji/level_based_foraging.h">(),
               envpool::table<Maze, "envpool/jumanji/maze.h">(),
               envpool::table<Minesweeper, "envpool/jumanji/minesweeper.h">(),
               envpool::table<RobotWarehouse, "envpool/jumanji/robot_warehouse.h">(),
               envpool::table<RubiksCube, "envpool/jumanji/rubiks_cube.h">(),
               envpool::table<SlidingTilePuzzle, "envpool/jumanji/sliding_tile_puzzle.h">(),
               envpool::table<Snake, "envpool/jumanji/snake.h">(), envpool::table<Sudoku, "envpool/jumanji/sudoku.h">())
