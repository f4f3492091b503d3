// SPDX-License-Identifier: Apache-2.0
//
// Shogi: two players move pieces on a board of 9 by 9 squares, drop those that they have captured, and win by attacking
// the other one's king so that it cannot escape.
//
//   Action       i32, plane * 81 + square where the move ends; a square is 9 * column + row. Planes 0 to 9 are the
//                directions of the move (shogi_board.h), 10 to 19 the same with a promotion, 20 to 26 drops of a pawn,
//                lance, knight, silver, bishop, rook and gold
//   Observation  bool[9][9][119] of each player: 31 channels of its pieces and 31 of the other player's, see below; 28
//                of its hand and 28 of the other player's; whether its king is in check
//   Reward       at the end, 1 for the winner and -1 for the other player; 0 for both after 512 moves
//   Terminated   when the player to move has no move, or after 512 moves; an illegal move loses
//   Info         current_player; action_mask, the legal moves; board, i32[9][9]: the pieces as the player to move sees
//                them, own ones from 0 to 13 in the order of the channels, those of the other player 14 to 27, -1
//                empty; hand, i32[2][7]: pawns, lances, knights, silvers, bishops, rooks and golds of the player to
//                move and of the other one; turn, 1 if the player moves who has moved second; players.id
//   Reset        the first position of shogi; each player moves first with probability 1/2
//   Image        the board as the first player sees it, the hands of the other player and of this one at its left and
//                right; a piece shows its moves, in red if it is promoted
//
// Column 0 is at the right and row 0 is the last row, as the player sees the board. Observations and `board` begin with
// the upper left square.
//
// The 31 channels are the pieces, in the order pawn, lance, knight, silver, bishop, rook, gold, king, promoted pawn,
// lance, knight and silver, horse, dragon; the squares that each kind attacks; the squares that at least one, two and
// three pieces attack. The 28 channels of a hand are whether it has 1 to 8 pawns, 1 to 4 lances, knights, silvers and
// golds, 1 or 2 bishops and rooks. A pawn may not be dropped to give mate; repetitions do not end a game.
//
// An illegal move is made all the same, with the nearest own piece in its direction, or what is on the next square.
//
// Reference: pgx 2.6.0, shogi.
#pragma once

#include "envpool/pgx/shogi_moves.h"
#include "envpool/pgx/turns.h"
#if ENVPOOL_HOST
#include "envpool/pgx/shogi_picture.h"
#endif

namespace envpool::pgx {

struct ShogiRules {
  using Set = ShogiSet;
  using Board = ShogiBoard;
  static constexpr const char* kName = "Shogi";
  static constexpr f32 kMostReward = 1;
  static constexpr i32 kSide = Set::kSide, kCells = Set::kSquares, kKinds = Board::kKinds, kHandKinds = 7;
  static constexpr i32 kFirstDrop = 2 * Set::kWays, kActions = (kFirstDrop + kHandKinds) * kCells;
  static constexpr i32 kMostMoves = 512, kMostInHand = 19;
  static constexpr i32 kPieceChannels = 2 * kKinds + 3, kHandChannels = 28;
  static constexpr i32 kChannels = 2 * (kPieceChannels + kHandChannels) + 1;
  static constexpr i32 kBoard = kOwn, kHand = kOwn + 1, kTurn = kOwn + 2;  // the infos

  struct Position {
    Board board;             // seen by the player to move
    ShogiLegal legal;        // moves
    i32 moves;               // so far
    u8 checks;               // bit 0: the player to move is in check; bit 1: the other one, after an illegal move
    i8 hand[2][kHandKinds];  // pieces of the player to move, and of the other one
    u8 unused[5];
  };

#if ENVPOOL_HOST
  static void spec(Spec& s) {
    s.obs<bool>("obs", {kSide, kSide, kChannels})
        .per_player()
        .doc("pieces (14), attacked squares (17), the same of the other player (31), hands (28 each), check");
    s.info<i32>("board", {kSide, kSide})
        .bounds(-1, 2 * kKinds - 1)
        .doc("pieces seen by the player to move, whose are 0 to 13; -1 empty");
    s.info<i32>("hand", {2, kHandKinds})
        .bounds(-1, kMostInHand)
        .doc("pieces of the player to move and of the other one; -1 after an illegal drop");
    s.info<i32>("turn").categories(2).doc("0: the player to move is the one who began");
    s.action<i32>().categories(kActions).doc(
        "plane * 81 + square; planes: 10 directions, 10 with promotion, 7 drops; a square is 9 * column + row");
    s.render_fps = 2;
    ShogiPicture::set_size(s, kSide, kSide);
  }
  static void render(const Position& p, i32, u8* rgb) {
    const bool turned = seat(p) == 1;
    const Board board = turned ? p.board.from_other_side() : p.board;
    ShogiPicture picture(rgb, kSide, kSide);
    for (i32 at = 0; at < kCells; ++at) {
      const i32 kind = board.kind(at);
      if (kind != kNoShogiPiece) draw(picture, at % kSide, kSide - at / kSide, kind, board.own.has(at));
    }
    for (i32 i = 0; i < 2 * kHandKinds; ++i) {
      const i32 kind = i % kHandKinds, count = p.hand[i / kHandKinds ^ i32(turned)][kind];
      const bool other = i >= kHandKinds;
      const i32 row = other ? kind : kSide - 1 - kind, column = other ? 0 : kSide + 1;
      if (count <= 0) continue;
      draw(picture, row, column, kind + 1, !other);
      picture.count(row, column, count);
    }
  }
#endif

  ENVPOOL_FN static void begin(Position& p, Rng&) {
    p = {};
    constexpr i32 kOfficers[] = {kLance, kShogiKnight, kSilver,      kGold, kShogiKing,
                                 kGold,  kSilver,      kShogiKnight, kLance};
    for (i32 own = 0; own < 2; ++own) {
      const auto put = [&](i32 at, i32 kind) { p.board.put(own != 0 ? at : kCells - 1 - at, kind, own != 0); };
      for (i32 column = 0; column < kSide; ++column) {
        put(kSide * column + 8, kOfficers[column]);
        put(kSide * column + 6, kShogiPawn);
      }
      put(kSide * 1 + 7, kShogiRook);
      put(kSide * 7 + 7, kShogiBishop);
    }
    find_legal(p);
  }
  // Finds the legal moves of the present board and hands.
  ENVPOOL_FN static void find_legal(Position& p) {
    p.checks = u8(ShogiLegalMoves::find(p.board, p.hand[0][0] > 0, p.legal));
  }
  ENVPOOL_FN static i32 seat(const Position& p) { return p.moves & 1; }

  ENVPOOL_FN static bool is_legal(const Position& p, i32 action) {
    const i32 plane = action / kCells, at = action % kCells;
    if (plane < Set::kWays) return p.legal.moves[plane].has(at);
    if (plane < kFirstDrop) return p.legal.promotions[plane - Set::kWays].has(at);
    return drops_of(p, plane - kFirstDrop).has(at);
  }
  ENVPOOL_FN static void write_legal(const Position& p, bool all, bool* mask) {
    for (i32 plane = 0; plane < kFirstDrop + kHandKinds; ++plane) {
      const Set set = all                  ? Set::all()
                      : plane < Set::kWays ? p.legal.moves[plane]
                      : plane < kFirstDrop ? p.legal.promotions[plane - Set::kWays]
                                           : drops_of(p, plane - kFirstDrop);
      set.write(mask + plane * kCells);
    }
  }

  ENVPOOL_FN static MoveResult play(Position& p, i32 action, bool legal) {
    const i32 mover = seat(p), plane = action / kCells, to = action % kCells;
    if (plane >= kFirstDrop) {
      i8& count = p.hand[0][plane - kFirstDrop];
      count = i8(max(count - 1, -1));
      p.board.put(to, plane - kFirstDrop + 1, true);
    } else {
      move(p, plane % Set::kWays, to, plane >= Set::kWays);
    }
    p.board = p.board.from_other_side();
    for (i32 kind = 0; kind < kHandKinds; ++kind) {
      const i8 own = p.hand[0][kind];
      p.hand[0][kind] = p.hand[1][kind];
      p.hand[1][kind] = own;
    }
    p.moves = min(p.moves + 1, kMostMoves);
    find_legal(p);
    if (!legal) p.checks = u8(i32(seems_in_check(p.board)) | i32(seems_in_check(p.board.from_other_side())) << 1);

    bool has_move = false;
    for (i32 way = 0; way < Set::kWays; ++way) has_move |= (p.legal.moves[way] | p.legal.promotions[way]).any();
    for (i32 kind = 0; kind < kHandKinds && !has_move; ++kind) has_move = drops_of(p, kind).any();
    return {!has_move || p.moves >= kMostMoves, has_move ? 0.0f : mover == 0 ? 1.0f : -1.0f};
  }

  ENVPOOL_FN static void observe(const Position& p, i32 seat, Row row) {
    const bool turned = seat != ShogiRules::seat(p);
    bool* const obs = row.at<bool, kCells * kChannels>(kObs);
    const auto fill = [&](i32 channel, bool value) {
#ifdef __CUDACC__
      for (i32 cell = 0; cell < kCells; ++cell) obs[cell * kChannels + channel] = value;
#else
      obs[channel] = value;  // the other cells are copies of the first one
#endif
    };
    for (i32 channel = 0; channel < 2 * kPieceChannels; ++channel) fill(channel, false);
    i32 channel = 2 * kPieceChannels;
    for (i32 side = 0; side < 2; ++side) {
      constexpr i32 kOrder[] = {0, 1, 2, 3, 6, 4, 5}, kMost[] = {8, 4, 4, 4, 4, 2, 2};
      for (i32 i = 0; i < kHandKinds; ++i) {
        const i32 count = p.hand[side ^ i32(turned)][kOrder[i]];
        for (i32 n = 1; n <= kMost[i]; ++n) fill(channel++, count >= n);
      }
    }
    fill(channel, (p.checks >> i32(turned) & 1) != 0);
#ifndef __CUDACC__
    // Few long copies take less time than one for each cell.
    for (i32 cells = 1; cells < kCells; cells *= 2) {
      __builtin_memcpy(obs + cells * kChannels, obs, u64(min(cells, kCells - cells) * kChannels));
    }
#endif
    const Set occupied = p.board.occupied();
    write_pieces<false>(obs + (turned ? kPieceChannels : 0), turned, p.board, p.board.own, occupied);
    write_pieces<true>(obs + (turned ? 0 : kPieceChannels), turned, p.board, occupied - p.board.own, occupied);
  }
  ENVPOOL_FN static void describe(const Position& p, i32, Row row) {
    i32* const cells = row.at<i32, kCells>(kBoard);
    i32* const hand = row.at<i32, 2 * kHandKinds>(kHand);
    for (i32 cell = 0; cell < kCells; ++cell) cells[cell] = -1;
    p.board.occupied().for_each([&](i32 at) { cells[shown(at)] = number_at(p.board, at); });
    for (i32 i = 0; i < 2 * kHandKinds; ++i) hand[i] = p.hand[i / kHandKinds][i % kHandKinds];
    *row.at<i32, 1>(kTurn) = seat(p);
  }
  // Any pieces may be anywhere, because illegal moves can end a game without kings, or with pawns in the last row.
  ENVPOOL_FN static void repair(Position& p) {
    p.board.repair();
    for (auto& hand : p.hand) {
      for (i8& count : hand) count = i8(clamp(i32{count}, -1, kMostInHand));
    }
    keep_within(p.moves, 0, kMostMoves);
    const u8 checks = p.checks & 3;
    find_legal(p);
    p.checks = checks;
    for (u8& byte : p.unused) byte = 0;
  }

 private:
#if ENVPOOL_HOST
  static void draw(ShogiPicture& picture, i32 row, i32 column, i32 kind, bool up) {
    ShogiBoard board{};
    board.put(40, kind, true);
    const ShogiPieces piece(board);
    ShogiPicture::Look look{.steps = 0,
                            .slides = 0,
                            .jumps = kind == kShogiKnight,
                            .king = kind == kShogiKing,
                            .promoted = kind > kShogiKing};
    for_constants<0, Set::kDirections>([&](auto constant) {
      constexpr i32 kWay = decltype(constant)::value;
      const u32 step = ShogiPicture::step(Set::rows_of(kWay), -Set::columns_of(kWay));
      if (piece.steppers<kWay>().any()) look.steps |= step;
      if (piece.sliders<kWay>().any()) look.slides |= step;
    });
    picture.piece(row, column, up, look);
  }
#endif

  // pgx's numbers: own pieces from 0, the other player's from 14, -1 for an empty square.
  ENVPOOL_FN static i32 number_at(const Board& board, i32 at) {
    const i32 kind = board.kind(at);
    return kind == kNoShogiPiece ? -1 : kind - 1 + (board.own.has(at) ? 0 : kKinds);
  }
  ENVPOOL_FN static i32 shown(i32 at) { return at % kSide * kSide + kSide - 1 - at / kSide; }

  ENVPOOL_FN static Set drops_of(const Position& p, i32 kind) {
    return p.hand[0][kind] > 0 ? p.legal.drops_of(kind + 1) : Set::none();
  }
  // Moves a piece, which need not exist.
  ENVPOOL_FN static void move(Position& p, i32 way, i32 to, bool promotes) {
    const i32 from = origin_of(p.board, way, to), moved = number_at(p.board, from);
    p.board.clear(Set::one(from));
    const i32 captured = number_at(p.board, to);
    if (captured >= 0) {
      const i32 kind = (captured + kKinds) % (2 * kKinds) % 8;
      if (kind < kHandKinds) p.hand[0][kind] = i8(min(p.hand[0][kind] + 1, kMostInHand));
    }
    // What cannot be promoted becomes the piece whose number is larger by 8.
    const i32 number = promotes ? (moved + 8) % (2 * kKinds) : moved;
    p.board.put(to, number < 0 ? i32{kNoShogiPiece} : number % kKinds + 1, number >= 0 && number < kKinds);
  }
  // Returns the square of the nearest own piece from which a direction leads to a square. If there is none, it is the
  // next square, or the last one of the board, as pgx counts.
  ENVPOOL_FN static i32 origin_of(const Board& board, i32 way, i32 to) {
    i32 column = to / kSide, row = to % kSide, next = kCells - 1;
    for (i32 distance = 1; distance <= (way < Set::kDirections ? kSide - 1 : 1); ++distance) {
      column -= Set::columns_of(way), row -= Set::rows_of(way);
      if (column < 0 || column >= kSide || row < 0 || row >= kSide) break;
      const i32 at = kSide * column + row;
      if (board.own.has(at)) return at;
      if (distance == 1) next = at;
    }
    return next;
  }

  // Writes the channels of the pieces of a player, who moves down if kBack.
  template <bool kBack>
  ENVPOOL_FN static void write_pieces(bool* obs, bool turned, const Board& board, Set side, Set occupied) {
    const auto write = [&](Set set, i32 channel) {
      set.for_each([&](i32 at) { obs[shown(turned ? kCells - 1 - at : at) * kChannels + channel] = true; });
    };
    Set once = Set::none(), twice = Set::none(), thrice = Set::none();
    const ShogiPieces pieces(board);
    for (i32 kind = 1; kind <= kKinds; ++kind) {
      const Set set = board.of(kind) & side;
      if (!set.any()) continue;
      Set attacked = Set::none();
      const auto add = [&](Set reached) {
        attacked |= reached;
        thrice |= twice & reached;
        twice |= once & reached;
        once |= reached;
      };
      for_constants<0, Set::kWays>([&](auto constant) {
        constexpr i32 kWay = decltype(constant)::value;
        const Set steppers = pieces.steppers<kWay>() & set;
        if (steppers.any()) add(steppers.template stepped<kWay, kBack>());
        if constexpr (kWay < Set::kDirections) {
          const Set sliders = pieces.sliders<kWay>() & set;
          if (sliders.any()) add(sliders.template slid<kWay, kBack>(occupied));
        }
      });
      write(set, kind - 1);
      write(attacked, kKinds + kind - 1);
    }
    write(once, 2 * kKinds);
    write(twice, 2 * kKinds + 1);
    write(thrice, 2 * kKinds + 2);
  }

  // Returns whether the player is in check after an illegal move, as pgx sees it: if there is no king, the piece whose
  // number is nearest to a king's stands for it, and at most eight pieces slide.
  ENVPOOL_NOINLINE static bool seems_in_check(const Board& board) {
    const Set occupied = board.occupied(), other = occupied - board.own;
    Set kings = Set::none();
    for (i32 distance = 0; distance <= 2 * kKinds && !kings.any(); ++distance) {
      kings = numbered(board, kShogiKing - 1 - distance) | numbered(board, kShogiKing - 1 + distance);
    }
    const Set king = kings.first();
    if ((king & other).any()) return false;
    const ShogiPieces pieces(board);
    Set sliding = pieces.lances | pieces.diagonal | pieces.straight, first = Set::none();
    for (i32 i = 0; i < 8 && sliding.any(); ++i) {
      first |= sliding.first();
      sliding = sliding - sliding.first();
    }
    Set attackers = Set::none();
    for_constants<0, Set::kWays>([&](auto constant) {
      constexpr i32 kWay = decltype(constant)::value;
      const Set next = king.stepped<kWay>();
      attackers |= next & pieces.steppers<kWay>();
      if constexpr (kWay < Set::kDirections) {
        attackers |= pieces.sliders<kWay>() & (next | (king.slid<kWay>(occupied) & first));
      }
    });
    return (attackers & other).any();
  }
  // Returns the squares with one of pgx's numbers.
  ENVPOOL_FN static Set numbered(const Board& board, i32 number) {
    if (number == -1) return Set::all() - board.occupied();
    if (number < 0 || number >= 2 * kKinds) return Set::none();
    const Set pieces = board.of(number % kKinds + 1);
    return number < kKinds ? pieces & board.own : pieces - board.own;
  }
};

struct Shogi : Turns<Shogi, ShogiRules> {};

}  // namespace envpool::pgx
