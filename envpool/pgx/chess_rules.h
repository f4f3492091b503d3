// SPDX-License-Identifier: Apache-2.0
//
// The rules that chess and Gardner's chess share (turns.h). `Game` has kName, kSide and kMostMoves, after which a game
// ends. Only the board of 8 by 8 squares has castling, pawns that move two squares, and captures of these en passant.
//
// The observation repeats 14 channels for each of the last eight positions, the present one first: the six kinds of own
// pieces, the six of the other player, whether the position has occurred only once in the game, and whether it has
// occurred more often. The other channels have one value for all squares.
//
// An illegal move is made all the same: what is on its square goes to where it points. pgx counts from the end of the
// board if this is no square, so that a piece then goes to its last square.
#pragma once

#include "envpool/pgx/chess_moves.h"
#include "envpool/pgx/hash.h"
#include "envpool/pgx/turns.h"
#if ENVPOOL_HOST
#include "envpool/pgx/chess_picture.h"
#endif

namespace envpool::pgx {

template <class Game>
struct ChessRules {
  static constexpr const char* kName = Game::kName;
  static constexpr f32 kMostReward = 1;
  static constexpr i32 kSide = Game::kSide, kCells = kSide * kSide, kMostMoves = Game::kMostMoves;
  static constexpr bool kWhole = kSide == 8;
  static constexpr i32 kBoards = 8, kKinds = 6, kBoardChannels = 2 * kKinds + 2;
  static constexpr i32 kFirstValue = kBoards * kBoardChannels, kValues = kWhole ? 7 : 3;
  static constexpr i32 kChannels = kFirstValue + kValues;
  static constexpr i32 kMostQuiet = 100;  // moves without a capture or a move of a pawn
  using Set = Squares<kSide>;
  using Board = ChessBoard<kSide>;
  using Moves = ChessMoves<kSide>;
  using Actions = ChessActions<kSide>;
  static constexpr i32 kActions = Actions::kActions;
  // The infos.
  static constexpr i32 kBoard = kOwn, kCastling = kOwn + 1, kEnPassant = kOwn + 2;
  static constexpr i32 kFullmoves = kWhole ? kOwn + 3 : kOwn + 1, kHalfmoves = kFullmoves + 1, kTurn = kFullmoves + 2;

  struct Position {
    Board boards[kBoards];       // seen from the side of the player who moves first; the present one is the first
    u64 hashes[kMostMoves + 1];  // of the positions so far
    i32 moves;                   // so far
    i32 quiet_moves;             // since the last capture or move of a pawn
    i32 en_passant;              // the square that a pawn has just skipped, seen by the player to move; or -1
    u8 castling;                 // a bit for each right: to the left and right of the player to move, of the other one
    u8 repeated;                 // a bit for each board: whether its position has occurred at another time, too
  };

#if ENVPOOL_HOST
  static void spec(Spec& s) {
    s.obs<f32>("obs", {kSide, kSide, kChannels})
        .bounds(0, 1)
        .per_player()
        .doc(kWhole ? "last 8 positions (14 each), color, moves, castling (4), moves without progress"
                    : "last 8 positions (14 each), color, moves, moves without progress");
    s.info<i32>("board", {kSide, kSide})
        .bounds(-kKing, kKing)
        .doc("pieces seen by the player to move, whose are positive");
    if (kWhole) {
      s.info<bool>("castling_rights", {2, 2}).doc("of the player to move, of the other one; to the left, to the right");
      s.info<i32>("en_passant").bounds(-1, kCells - 1).doc("column * 8 + row of the square that a pawn skipped, or -1");
    }
    s.info<i32>("fullmove_count").bounds(1, 1 + kMostMoves / 2).doc("begins with 1, counts the second player's moves");
    s.info<i32>("halfmove_count").bounds(0, kMostQuiet).doc("moves since the last capture or move of a pawn");
    s.info<i32>("turn").categories(2).doc("0: the player to move is the one who began");
    s.action<i32>().categories(kActions).doc(kWhole ? "(column * 8 + row of the piece) * 73 + plane of the move"
                                                    : "(column * 5 + row of the piece) * 49 + plane of the move");
    s.render_fps = 2;
    drawing::Board::set_size(s, kSide, kSide);
  }
  static void render(const Position& p, i32, u8* rgb) {
    draw_chess_board<kSide>(rgb, [&](i32 row, i32 column) { return p.boards[0].piece(8 * row + column); });
  }
#endif

  ENVPOOL_FN static void begin(Position& p, Rng&) {
    for (Board& board : p.boards) board = {};
    for (u64& hash : p.hashes) hash = 0;
    constexpr i32 kOfficers[] = {kRook, kKnight, kBishop, kQueen, kKing, kBishop, kKnight, kRook};
    for (i32 column = 0; column < kSide; ++column) {
      p.boards[0].put(column, kOfficers[column]);
      p.boards[0].put(8 + column, kPawn);
      p.boards[0].put(8 * (kSide - 2) + column, -kPawn);
      p.boards[0].put(8 * (kSide - 1) + column, -kOfficers[column]);
    }
    p.moves = p.quiet_moves = 0;
    p.en_passant = -1;
    p.castling = kWhole ? 15 : 0;
    p.repeated = 0;
    if constexpr (kWhole) p.hashes[0] = hash_of(p);
  }
  ENVPOOL_FN static i32 seat(const Position& p) { return p.moves & 1; }

  ENVPOOL_FN static bool is_legal(const Position& p, i32 action) {
    const ChessMove move = Actions::move_of(action);
    const Board board = seen_by(p, seat(p));
    if (move.to < 0 || (move.promotion != kNoPiece && board.piece(move.from) != kPawn)) return false;
    u64 landings = 0;
    for_planes(p, board, [&](i32 plane, i32, u64 set, u64, i32) { landings |= plane == move.plane ? set : 0; });
    return has(landings, move.to);
  }
  ENVPOOL_FN static void write_legal(const Position& p, bool all, bool* mask) {
    for (i32 action = 0; action < kActions; ++action) mask[action] = all;
    if (all) return;
    for_planes(p, seen_by(p, seat(p)), [&](i32 plane, i32 by, u64 landings, u64 promotions, i32 promotion) {
      for (; landings != 0; landings &= landings - 1) mask[Actions::first_action(lowest(landings) - by) + plane] = true;
      for (; promotions != 0; promotions &= promotions - 1) {
        bool* const of_pawn = mask + Actions::first_action(lowest(promotions) - by) + promotion;
        of_pawn[0] = of_pawn[3] = of_pawn[6] = true;
      }
    });
  }

  ENVPOOL_FN static MoveResult play(Position& p, i32 action, bool legal) {
    const i32 mover = seat(p);
    const ChessMove move = Actions::move_of(action);
    Board board = seen_by(p, mover);
    const u64 hash = kWhole ? 0 : moved_hash(p, board, move);
    make(p, board, move);
    for (i32 i = kBoards - 1; i > 0; --i) p.boards[i] = p.boards[i - 1];
    p.boards[0] = mover == 0 ? board : board.from_other_side();
    p.moves = min(p.moves + 1, kMostMoves);
    const i32 times = remember(p, kWhole ? hash_of(p) : hash, legal);
    if (!legal) return {true, 0};

    const Board seen = board.from_other_side();
    const typename Moves::Rights rights = rights_of(p);
    const Moves moves(seen, rights);
    u64 landings = 0;
    moves.for_planes([&](i32, i32, u64 set, u64, i32) { landings |= set; });
    const bool wins = landings == 0 && moves.in_check();
    const bool over = landings == 0 || p.quiet_moves >= kMostQuiet || times >= 3 || p.moves >= kMostMoves ||
                      cannot_be_won(p.boards[0]);
    return {over, !wins ? 0.0f : mover == 0 ? 1.0f : -1.0f};
  }

  ENVPOOL_FN static void observe(const Position& p, i32 seat, Row row) {
    f32* const obs = row.at<f32, kCells * kChannels>(kObs);
    f32 values[kChannels];
    for (i32 i = 0; i < kBoards; ++i) {
      f32* const of_board = values + i * kBoardChannels;
      for (i32 k = 0; k < 2 * kKinds; ++k) of_board[k] = 0;
      of_board[2 * kKinds] = has(p.repeated, i) ? 0 : 1;
      of_board[2 * kKinds + 1] = has(p.repeated, i) ? 1 : 0;
    }
    f32* value = values + kFirstValue;
    *value++ = f32(seat);
    *value++ = f32(p.moves) / kMostMoves;
    if constexpr (kWhole) {
      const u32 castling = seat == ChessRules::seat(p) ? p.castling : exchanged(p.castling);
      for (i32 i = 0; i < 4; ++i) *value++ = f32(castling >> i & 1);
    }
    *value = f32(p.quiet_moves) / kMostQuiet;
#ifdef __CUDACC__
    for (i32 cell = 0; cell < kCells; ++cell) {
      for (i32 k = 0; k < kChannels; ++k) obs[cell * kChannels + k] = values[k];
    }
#else
    // Few long copies take less time than one for each cell.
    __builtin_memcpy(obs, values, sizeof(values));
    for (i32 cells = 1; cells < kCells; cells *= 2) {
      __builtin_memcpy(obs + cells * kChannels, obs, u64(min(cells, kCells - cells)) * sizeof(values));
    }
#endif
    for (i32 i = 0; i < kBoards; ++i) {
      const Board& board = p.boards[i];
      const u64 own = seat == 0 ? board.own : ~board.own;
      for (u64 left = board.occupied(); left != 0; left &= left - 1) {
        const i32 at = lowest(left), row_seen = seat == 0 ? kSide - 1 - (at >> 3) : at >> 3;
        const i32 channel = i * kBoardChannels + board.kind(at) - 1 + (has(own, at) ? 0 : kKinds);
        obs[(row_seen * kSide + (at & 7)) * kChannels + channel] = 1;
      }
    }
  }
  ENVPOOL_FN static void describe(const Position& p, i32, Row row) {
    i32* const cells = row.at<i32, kCells>(kBoard);
    const Board board = seen_by(p, seat(p));
    for (i32 cell = 0; cell < kCells; ++cell) {
      cells[cell] = board.piece(8 * (kSide - 1 - cell / kSide) + cell % kSide);
    }
    if constexpr (kWhole) {
      for (i32 i = 0; i < 4; ++i) row.at<bool, 4>(kCastling)[i] = has(p.castling, i);
      *row.at<i32, 1>(kEnPassant) = p.en_passant < 0 ? -1 : (p.en_passant & 7) * 8 + (p.en_passant >> 3);
    }
    *row.at<i32, 1>(kFullmoves) = 1 + p.moves / 2;
    *row.at<i32, 1>(kHalfmoves) = p.quiet_moves;
    *row.at<i32, 1>(kTurn) = seat(p);
  }
  // Any pieces may be anywhere, because illegal moves can end a game without kings, or with pawns in the last row.
  ENVPOOL_FN static void repair(Position& p) {
    for (Board& board : p.boards) board.repair();
    keep_within(p.moves, 0, kMostMoves);
    keep_within(p.quiet_moves, 0, kMostQuiet);
    keep_within(p.en_passant, -1, kWhole ? kCells - 1 : -1);
    p.castling &= kWhole ? 15 : 0;
  }

 private:
  ENVPOOL_FN static Board seen_by(const Position& p, i32 seat) {
    return seat == 0 ? p.boards[0] : p.boards[0].from_other_side();
  }
  ENVPOOL_FN static typename Moves::Rights rights_of(const Position& p) {
    return {has(p.castling, 0), has(p.castling, 1), p.en_passant < 0 ? 0 : square(p.en_passant)};
  }
  template <class Sink>
  ENVPOOL_FN static void for_planes(const Position& p, const Board& board, const Sink& sink) {
    const typename Moves::Rights rights = rights_of(p);
    Moves(board, rights).for_planes(sink);
  }
  // Returns the rights of both players in the other order.
  ENVPOOL_FN static u8 exchanged(u8 castling) { return u8((castling >> 2 | castling << 2) & 15); }

  // Makes a move on a board, which is seen by the player who makes it, and prepares the rights of the other player.
  ENVPOOL_FN static void make(Position& p, Board& board, const ChessMove& move) {
    constexpr i32 kLast = 8 * (kSide - 1) + kSide - 1, kKingFrom = 4, kLeft = 2, kRight = 6;
    const i32 to = move.to < 0 ? kLast : move.to, row = move.from >> 3;
    i32 piece = board.piece(move.from);
    const bool is_pawn = piece == kPawn;
    const bool is_quiet = !is_pawn && board.piece(to) >= 0;
    p.quiet_moves = is_quiet ? min(p.quiet_moves + 1, kMostQuiet) : 0;
    if constexpr (kWhole) {
      if (is_pawn && move.to >= 0 && move.to == p.en_passant) board.clear(square((move.to - 8) & 63));
      const i32 rows = (move.to >> 3) - row;
      p.en_passant = -1;
      if (is_pawn && move.to >= 0 && (rows == 2 || rows == -2) && ((move.to ^ move.from) & 7) == 0) {
        p.en_passant = Set::mirrored_square((move.to + move.from) / 2);
      }
      // pgx's numbers of no square and of a2 differ by two.
      if (is_pawn && move.to < 0 && move.from == 8) p.en_passant = Set::mirrored_square(0);
      if (piece == kKing && move.from == kKingFrom && (move.to == kLeft || move.to == kRight)) {
        board.clear(square(move.to == kLeft ? 0 : 7));
        board.put(move.to == kLeft ? 3 : 5, kRook);
      }
      u32 kept = 15;
      if (move.from == kKingFrom || move.from == 0) kept &= ~1u;
      if (move.from == kKingFrom || move.from == 7) kept &= ~2u;
      if (move.to == 56) kept &= ~4u;
      if (move.to == 63) kept &= ~8u;
      p.castling = exchanged(u8(p.castling & kept));
    }
    if (row == kSide - 2 && move.promotion == kNoPiece) {
      piece = is_pawn ? kQueen : piece;
    } else if (!kWhole && piece == kNoPiece) {
      piece = kQueen;  // pgx confuses an empty square and a pawn that does not become a queen
    }
    if (move.promotion != kNoPiece) piece = move.promotion;
    board.clear(square(move.from));
    board.put(to, piece);
  }

  // Appends a position to the game. Returns how often it has occurred.
  ENVPOOL_FN static i32 remember(Position& p, u64 hash, bool legal) {
    p.hashes[p.moves] = hash;
    p.repeated = u8(p.repeated << 1);
    i32 times = 1;
    // After a capture or a move of a pawn, no earlier position can occur again, except by an illegal move.
    const i32 first = legal ? max(p.moves - p.quiet_moves, 0) : 0;
    for (i32 i = p.moves - 1; i >= first; --i) {
      if (p.hashes[i] != hash) continue;
      ++times;
      p.repeated |= 1;
      if (p.moves - i < kBoards) p.repeated |= u8(1 << (p.moves - i));
    }
    return times;
  }

  ENVPOOL_FN static u64 hash_of(const Position& p) {
    const Board& board = p.boards[0];
    u64 hash = mixed(u64(p.en_passant + 2) | u64{p.castling} << 8 | u64(seat(p)) << 16);
    hash = mixed(hash ^ board.own);
    for (u64 bits : board.bits) hash = mixed(hash ^ bits);
    return hash;
  }
  // Returns the hash after a move in Gardner's chess: that of the position before it and of the pieces that appear and
  // disappear, as pgx counts them. The queen that a pawn becomes remains a pawn there, and a piece that comes from an
  // empty square does not exist.
  ENVPOOL_FN static u64 moved_hash(const Position& p, const Board& board, const ChessMove& move) {
    constexpr i32 kLast = 8 * (kSide - 1) + kSide - 1, kEmpty = kKing;
    const i32 mover = seat(p), sign = mover == 0 ? 1 : -1;
    const auto number_at = [&](i32 at) { return kEmpty + sign * board.piece(at); };
    const i32 from = mover == 0 ? move.from : Set::mirrored_square(move.from);
    const i32 to = move.to < 0 ? kLast : mover == 0 ? move.to : Set::mirrored_square(move.to);
    i32 piece = number_at(move.from);
    u64 hash = p.hashes[p.moves] ^ mixed_piece(from, piece) ^ mixed_piece(from, kEmpty);
    hash ^= mixed_piece(to, number_at(move.to < 0 ? kLast : move.to)) ^ mixed_piece(0, 15);
    if (move.promotion != kNoPiece) {
      piece += sign * (move.promotion - kPawn);
      piece = min(piece < 0 ? piece + 13 : piece, 12);  // as pgx's arrays are indexed
    }
    return hash ^ mixed_piece(to, piece);
  }
  ENVPOOL_FN static u64 mixed_piece(i32 at, i32 piece) { return key_of(16 * at + piece + 1); }

  // Returns whether neither player can give mate: two kings, with at most a bishop or a knight, or with bishops on
  // squares of one color. So pgx and OpenSpiel define it.
  ENVPOOL_FN static bool cannot_be_won(const Board& board) {
    constexpr u64 kDark = 0xAA55AA55AA55AA55;
    const u64 bishops = board.template of<kBishop>(), knights = board.template of<kKnight>();
    const i32 all = count(board.occupied()), light = count(bishops & ~kDark), dark = count(bishops & kDark);
    return all <= 2 || (all == 3 && light + dark + count(knights) == 1) ||
           (all == light + dark + 2 && (light == 0 || dark == 0));
  }
};

}  // namespace envpool::pgx
