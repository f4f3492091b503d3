// SPDX-License-Identifier: Apache-2.0
//
// Chess: two players move pieces on a board of 8 by 8 squares, and win by attacking the other one's king so that it
// cannot escape.
//
//   Action       i32, (column * 8 + row) * 73 + plane: the square of the piece and its move (chess_moves.h)
//   Observation  f32[8][8][119] of each player: the last eight positions (14 channels each, chess_rules.h), the color
//                of the player (0 white, 1 black), moves / 512, the own rights to castle to the left and right, those
//                of the other player, moves without progress / 100
//   Reward       at the end, 1 for the winner and -1 for the other player; 0 for both unless a king is mated
//   Terminated   when the player to move has no move, a position occurs for the third time, 50 moves of each player
//                captured nothing and moved no pawn, neither player can win, or after 512 moves; an illegal move loses
//   Info         current_player; action_mask, the legal moves; board, i32[8][8]: the pieces as the player to move sees
//                them, own ones 1 (pawn), 2 (knight), 3 (bishop), 4 (rook), 5 (queen) and 6 (king), the other ones
//                negative; castling_rights, bool[2][2]: own ones and those of the other player, to the left and right;
//                en_passant, column * 8 + row of the square that a pawn has just skipped, or -1; fullmove_count;
//                halfmove_count, the moves without progress; turn, 1 if black moves; players.id
//   Reset        the first position of chess; each player moves first with probability 1/2
//   Image        the first player's pieces are white, below
//
// Rows and columns are counted from the player to move: row 0 is the first row of its own side, and column 0 is at the
// left of white. The last row comes first in observations and in `board`.
//
// Reference: pgx 2.6.0, chess. pgx only considers the first 200 moves of a position.
#pragma once

#include "envpool/pgx/chess_rules.h"

namespace envpool::pgx {

struct ChessGame {
  static constexpr const char* kName = "Chess";
  static constexpr i32 kSide = 8, kMostMoves = 512;
};

struct Chess : Turns<Chess, ChessRules<ChessGame>> {};

}  // namespace envpool::pgx
