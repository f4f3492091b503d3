// SPDX-License-Identifier: Apache-2.0
//
// Gardner's chess: chess on a board of 5 by 5 squares, without castling. Pawns move one square.
//
//   Action       i32, (column * 5 + row) * 49 + plane: the square of the piece and its move (chess_moves.h)
//   Observation  f32[5][5][115] of each player: the last eight positions (14 channels each, chess_rules.h), the color
//                of the player (0 white, 1 black), moves / 256, moves without progress / 100
//   Reward       at the end, 1 for the winner and -1 for the other player; 0 for both unless a king is mated
//   Terminated   when the player to move has no move, a position occurs for the third time, 50 moves of each player
//                captured nothing and moved no pawn, neither player can win, or after 256 moves; an illegal move loses
//   Info         current_player; action_mask, the legal moves; board, i32[5][5]: the pieces as the player to move sees
//                them, own ones 1 (pawn), 2 (knight), 3 (bishop), 4 (rook), 5 (queen) and 6 (king), the other ones
//                negative; fullmove_count; halfmove_count, the moves without progress; turn, 1 if black moves;
//                players.id
//   Reset        from the left, rook, knight, bishop, queen and king, behind pawns; each player moves first with
//                probability 1/2
//   Image        the first player's pieces are white, below
//
// Rows and columns are counted as in chess.h.
//
// Reference: pgx 2.6.0, gardner_chess.
#pragma once

#include "envpool/pgx/chess_rules.h"

namespace envpool::pgx {

struct GardnerChessGame {
  static constexpr const char* kName = "GardnerChess";
  static constexpr i32 kSide = 5, kMostMoves = 256;
};

struct GardnerChess : Turns<GardnerChess, ChessRules<GardnerChessGame>> {};

}  // namespace envpool::pgx
