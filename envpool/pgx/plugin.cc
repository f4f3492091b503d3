// SPDX-License-Identifier: Apache-2.0
#include "envpool/pgx/animal_shogi.h"
#include "envpool/pgx/backgammon.h"
#include "envpool/pgx/chess.h"
#include "envpool/pgx/connect_four.h"
#include "envpool/pgx/gardner_chess.h"
#include "envpool/pgx/go.h"
#include "envpool/pgx/hex.h"
#include "envpool/pgx/kuhn_poker.h"
#include "envpool/pgx/leduc_holdem.h"
#include "envpool/pgx/othello.h"
#include "envpool/pgx/play2048.h"
#include "envpool/pgx/shogi.h"
#include "envpool/pgx/sparrow_mahjong.h"
#include "envpool/pgx/tic_tac_toe.h"

using namespace envpool::pgx;

ENVPOOL_PLUGIN(envpool::table<AnimalShogi, "envpool/pgx/animal_shogi.h">(),
               envpool::table<Backgammon, "envpool/pgx/backgammon.h">(), envpool::table<Chess, "envpool/pgx/chess.h">(),
               envpool::table<ChineseGo13x13, "envpool/pgx/go.h">(),
               envpool::table<ChineseGo19x19, "envpool/pgx/go.h">(), envpool::table<ChineseGo9x9, "envpool/pgx/go.h">(),
               envpool::table<ConnectFour, "envpool/pgx/connect_four.h">(),
               envpool::table<GardnerChess, "envpool/pgx/gardner_chess.h">(),
               envpool::table<Go13x13, "envpool/pgx/go.h">(), envpool::table<Go19x19, "envpool/pgx/go.h">(),
               envpool::table<Go9x9, "envpool/pgx/go.h">(), envpool::table<Hex, "envpool/pgx/hex.h">(),
               envpool::table<KuhnPoker, "envpool/pgx/kuhn_poker.h">(),
               envpool::table<LeducHoldem, "envpool/pgx/leduc_holdem.h">(),
               envpool::table<Othello, "envpool/pgx/othello.h">(), envpool::table<Play2048, "envpool/pgx/play2048.h">(),
               envpool::table<Shogi, "envpool/pgx/shogi.h">(),
               envpool::table<SparrowMahjong, "envpool/pgx/sparrow_mahjong.h">(),
               envpool::table<TicTacToe, "envpool/pgx/tic_tac_toe.h">())
