// SPDX-License-Identifier: Apache-2.0
//
// Animal shogi (dobutsu shogi): two players move animals on a board of 4 by 3 cells, and drop those that they have
// captured. A player wins by attacking the other one's lion so that it cannot escape, or with the own lion in the last
// row.
//
//   Action       i32: direction * 12 + cell moves the piece of a cell by one step, and 96 + kind * 12 + cell drops one
//                from the hand (0 chick, 1 elephant, 2 giraffe). The number of a cell is 4 * column + row; column 0 is
//                at the right, and row 0 is the last one. Directions 0 to 7: up right, right, down right, up, down,
//                up left, left, down left
//   Observation  f32[4][3][194] of each player: 24 channels for each of the last eight positions, see below; the color
//                of the player (0 or 1), moves / 256
//   Reward       at the end, 1 for the winner and -1 for the other player; 0 for both after a draw
//   Terminated   when the player to move has no move, a lion has reached the last row, a position occurs for the third
//                time or after 256 moves, which are draws; an illegal move loses
//   Info         current_player; action_mask, the legal moves; board, i32[4][3]: the pieces as the player to move sees
//                them, own ones 0 (chick), 1 (elephant), 2 (giraffe), 3 (lion) and 4 (hen), those of the other player 5
//                to 9, -1 empty; hand, i32[2][3]: chicks, elephants and giraffes of the player to move and of the other
//                one; turn, 1 if the player moves who has moved second; players.id
//   Reset        giraffe, lion and elephant behind a chick; each player moves first with probability 1/2
//   Image        the board as the first player sees it, the hands of the other player and of this one at its left and
//                right; marks are the steps of a piece, red ones those of a hen
//
// The channels of a position are the five kinds of own pieces, those of the other player, whether the hand has one and
// two chicks, elephants and giraffes, the same for the other player, whether the position has occurred never before and
// once before.
//
// pgx moves its lists of earlier boards and hands by eight numbers instead of eight positions, so that channels of
// earlier positions show parts of several ones; so do ours. Its hashes of positions depend on the moves that led to
// them: a capture leaves the captured piece in the hash, and moves without a capture change it as if a chick came and
// went. A position that occurs again can therefore count as a new one. Ours have the same parts.
//
// An illegal move is made all the same: pgx counts from the end of the board where a step leaves it.
//
// Reference: pgx 2.6.0, animal_shogi.
#pragma once

#include "envpool/pgx/animal_shogi_board.h"
#include "envpool/pgx/hash.h"
#include "envpool/pgx/turns.h"
#if ENVPOOL_HOST
#include "envpool/pgx/shogi_picture.h"
#endif

namespace envpool::pgx {

struct AnimalShogiRules {
  using Board = AnimalBoard;
  static constexpr const char* kName = "AnimalShogi";
  static constexpr f32 kMostReward = 1;
  static constexpr i32 kRows = Board::kRows, kColumns = Board::kColumns, kCells = Board::kCells;
  static constexpr i32 kMoves = Board::kDirections * kCells, kKinds = 5, kHandKinds = 3;
  static constexpr i32 kActions = kMoves + kHandKinds * kCells;
  static constexpr i32 kMostMoves = 256, kBoards = 8, kBoardChannels = 24, kHandChannels = 2 * 2 * kHandKinds;
  static constexpr i32 kChannels = kBoards * kBoardChannels + 2;
  static constexpr i32 kBoard = kOwn, kHand = kOwn + 1, kTurn = kOwn + 2;  // the infos

  // Boards and hands are seen by the player to move.
  struct Position {
    Board boards[kBoards];       // the present one is the first; the others are parts of earlier ones
    u64 hashes[kMostMoves + 1];  // of the positions so far
    u64 hands[2];                // 12 bits for each of 8 hands: channels, those of the present one lowest
    i32 moves;                   // so far
    u16 occurred;                // two bits for each board: how often its position has occurred before
    i8 hand[2][kHandKinds];      // the present pieces of the player to move, and of the other one
  };

#if ENVPOOL_HOST
  static void spec(Spec& s) {
    s.obs<f32>("obs", {kRows, kColumns, kChannels})
        .bounds(0, 1)
        .per_player()
        .doc("last 8 positions (24 each), color, moves");
    s.info<i32>("board", {kRows, kColumns})
        .bounds(-1, 2 * kKinds - 1)
        .doc("pieces seen by the player to move, whose are 0 to 4; -1 empty");
    s.info<i32>("hand", {2, kHandKinds})
        .bounds(-1, 2)
        .doc("chicks, elephants, giraffes of the player to move and of the other one; -1 after an illegal drop");
    s.info<i32>("turn").categories(2).doc("0: the player to move is the one who began");
    s.action<i32>().categories(kActions).doc(
        "direction * 12 + cell of the piece, or 96 + kind * 12 + cell of a drop; a cell is 4 * column + row");
    s.render_fps = 2;
    ShogiPicture::set_size(s, kRows, kColumns);
  }
  static void render(const Position& p, i32, u8* rgb) {
    const bool turned = seat(p) == 1;
    const Board board = turned ? p.boards[0].from_other_side() : p.boards[0];
    ShogiPicture picture(rgb, kRows, kColumns);
    for (i32 cell = 0; cell < kCells; ++cell) {
      const i32 piece = board.piece(cell);
      if (piece != kNoAnimal) draw(picture, cell % kRows, kColumns - cell / kRows, piece & 7, piece < 8);
    }
    for (i32 kind = 0; kind < kHandKinds; ++kind) {
      for (i32 other = 0; other < 2; ++other) {
        const i32 row = other != 0 ? kind : kRows - 1 - kind, column = other != 0 ? 0 : kColumns + 1;
        const i32 count = p.hand[other ^ i32(turned)][kind];
        if (count <= 0) continue;
        draw(picture, row, column, kind + 1, other == 0);
        picture.count(row, column, count);
      }
    }
  }
#endif

  ENVPOOL_FN static void begin(Position& p, Rng&) {
    p = {};
    constexpr i32 kOfficers[] = {kGiraffe, kLion, kElephant};  // from the right
    p.boards[0].put(4 + 2, kChick);
    p.boards[0].put(4 + 1, kChick + 8);
    for (i32 column = 0; column < kColumns; ++column) {
      p.boards[0].put(4 * column + 3, kOfficers[column]);
      p.boards[0].put(4 * column, kOfficers[kColumns - 1 - column] + 8);
    }
  }
  ENVPOOL_FN static i32 seat(const Position& p) { return p.moves & 1; }

  ENVPOOL_FN static bool is_legal(const Position& p, i32 action) {
    const AnimalMoves moves(p.boards[0]);
    const i32 group = action / kCells, kind = group - Board::kDirections;
    const u64 set = kind >= 0 ? moves.drops : moves.from[group];
    return has(set, 4 * (action % kCells)) && (kind < 0 || p.hand[0][kind] > 0);
  }
  ENVPOOL_FN static void write_legal(const Position& p, bool all, bool* mask) {
    const AnimalMoves moves(p.boards[0]);
    for (i32 direction = 0; direction < Board::kDirections; ++direction) {
      write_cells(mask + direction * kCells, all ? Board::kAll : moves.from[direction]);
    }
    for (i32 kind = 0; kind < kHandKinds; ++kind) {
      write_cells(mask + kMoves + kind * kCells, all ? Board::kAll : p.hand[0][kind] > 0 ? moves.drops : 0);
    }
  }

  ENVPOOL_FN static MoveResult play(Position& p, i32 action) {
    const i32 mover = seat(p), cell = action % kCells, direction = action / kCells;
    Board board = p.boards[0];
    u64 hash = p.hashes[p.moves];
    if (action < kMoves) {
      hash ^= move(p, board, direction, cell);
    } else {
      const i32 kind = direction - Board::kDirections, count = p.hand[0][kind];
      board.put(cell, kind + kChick);
      p.hand[0][kind] = i8(max(count - 1, -1));
      hash ^= cell_key(mover, cell, kind) ^ hand_key(mover, kind, count + 1) ^ hand_key(mover, kind, count);
    }
    const bool reached = (board.lions() & board.own() & Board::kLastRow) != 0;
    remember(p, board);

    p.moves = min(p.moves + 1, kMostMoves);
    p.hashes[p.moves] = hash;
    i32 before = 0;  // of the positions with the same player to move
    for (i32 i = p.moves - 2; i >= 0; i -= 2) before += i32(p.hashes[i] == hash);
    p.occurred = u16(p.occurred << 2 | min(before, 2));

    const AnimalMoves moves(p.boards[0]);
    const bool has_move =
        moves.any() || (moves.drops != 0 && (p.hand[0][0] > 0 || p.hand[0][1] > 0 || p.hand[0][2] > 0));
    const bool draw = before >= 2, wins = (reached || !has_move) && !draw;
    return {wins || draw || p.moves >= kMostMoves, !wins ? 0.0f : mover == 0 ? 1.0f : -1.0f};
  }

  ENVPOOL_FN static void observe(const Position& p, i32 seat, Row row) {
    const bool turned = seat != AnimalShogiRules::seat(p);
    f32* const obs = row.at<f32, kCells * kChannels>(kObs);
    const auto fill = [&](i32 channel, f32 value) {
#ifdef __CUDACC__
      for (i32 cell = 0; cell < kCells; ++cell) obs[cell * kChannels + channel] = value;
#else
      obs[channel] = value;  // the other cells are copies of the first one
#endif
    };
    for (i32 i = 0; i < kBoards; ++i) {
      const u32 hand = u32(p.hands[i / 4] >> kHandChannels * (i % 4)), times = u32(p.occurred >> 2 * i) & 3;
      i32 channel = i * kBoardChannels;
      for (i32 k = 0; k < 2 * kKinds; ++k) fill(channel++, 0);
      for (i32 k = 0; k < kHandChannels; ++k) {
        fill(channel++, f32(hand >> (turned ? (k + kHandChannels / 2) % kHandChannels : k) & 1));
      }
      fill(channel++, times == 0 ? 1 : 0);
      fill(channel, times == 1 ? 1 : 0);
    }
    fill(kChannels - 2, f32(seat));
    fill(kChannels - 1, f32(p.moves) / kMostMoves);
#ifndef __CUDACC__
    // Few long copies take less time than one for each cell.
    for (i32 cells = 1; cells < kCells; cells *= 2) {
      __builtin_memcpy(obs + cells * kChannels, obs, u64(min(cells, kCells - cells) * kChannels) * sizeof(f32));
    }
#endif
    for (i32 i = 0; i < kBoards; ++i) {
      for (u64 left = p.boards[i].occupied(); left != 0; left &= left - 1) {
        const i32 cell = lowest(left) / 4, piece = number_of(p.boards[i].piece(cell));
        const i32 seen = turned ? other_side(cell) : cell;
        const i32 channel = i * kBoardChannels + (turned ? exchanged(piece) : piece);
        obs[shown(seen) * kChannels + channel] = 1;
      }
    }
  }
  ENVPOOL_FN static void describe(const Position& p, i32, Row row) {
    i32* const cells = row.at<i32, kCells>(kBoard);
    i32* const hand = row.at<i32, 2 * kHandKinds>(kHand);
    for (i32 cell = 0; cell < kCells; ++cell) cells[shown(cell)] = number_of(p.boards[0].piece(cell));
    for (i32 i = 0; i < 2 * kHandKinds; ++i) hand[i] = p.hand[i / kHandKinds][i % kHandKinds];
    *row.at<i32, 1>(kTurn) = seat(p);
  }
  // Any pieces may be anywhere, because illegal moves can end a game without lions.
  ENVPOOL_FN static void repair(Position& p) {
    for (Board& board : p.boards) board.repair();
    for (u64& hands : p.hands) hands &= kHandBits;
    for (auto& hand : p.hand) {
      for (i8& count : hand) count = i8(clamp(i32{count}, -1, 2));
    }
    keep_within(p.moves, 0, kMostMoves);
  }

 private:
  static constexpr i32 kEmpty = -1;
  static constexpr u64 kHandBits = 0xFFFFFFFFFFFF, kBoardBits = 0xFFFFFFFFFFFF;

#if ENVPOOL_HOST
  static void draw(ShogiPicture& picture, i32 row, i32 column, i32 kind, bool up) {
    const AnimalBoard piece{u64(kind)};
    u32 steps = 0;
    for_constants<0, Board::kDirections>([&](auto constant) {
      constexpr i32 kDirection = decltype(constant)::value;
      if (piece.movers<kDirection>() != 0) {
        steps |= ShogiPicture::step(Board::rows_of(kDirection), -Board::columns_of(kDirection));
      }
    });
    picture.piece(row, column, up,
                  {.steps = steps, .slides = 0, .jumps = false, .king = kind == kLion, .promoted = kind == kHen});
  }
#endif

  // pgx's numbers: own pieces from 0, the other player's from 5, -1 for an empty cell.
  ENVPOOL_FN static i32 number_of(i32 piece) { return piece == kNoAnimal ? kEmpty : piece < 8 ? piece - 1 : piece - 4; }
  ENVPOOL_FN static i32 exchanged(i32 number) { return number + (number < kKinds ? kKinds : -kKinds); }
  ENVPOOL_FN static i32 other_side(i32 cell) { return kCells - 1 - cell; }
  ENVPOOL_FN static i32 shown(i32 cell) { return cell % kRows * kColumns + kColumns - 1 - cell / kRows; }

  // Moves a piece, which need not exist. Returns the change of the hash.
  ENVPOOL_FN static u64 move(Position& p, Board& board, i32 direction, i32 from) {
    const i32 mover = seat(p), moved = board.piece(from);
    const i32 column = from / kRows + Board::columns_of(direction), row = from % kRows + Board::rows_of(direction);
    const bool leaves = column < 0 || column >= kColumns || row < 0 || row >= kRows;
    const i32 to = leaves ? kCells - 1 : column * kRows + row;
    const bool promoted = moved == kChick && from % kRows == 1;
    u64 change = cell_key(mover, from, number_of(moved));
    board.put(from, kNoAnimal);
    const i32 captured = number_of(board.piece(to));
    // Hens become chicks, as does an empty cell in the hash. pgx keeps no lion, and confuses it with giraffes in
    // hashes.
    const i32 kind = captured == kEmpty ? 0 : captured % kKinds % 4;
    if (captured != kEmpty) {
      if (kind < kHandKinds) p.hand[0][kind] = i8(min(p.hand[0][kind] + 1, 2));
      change ^= cell_key(mover, from, captured);
    }
    const i32 count = p.hand[0][min(kind, kHandKinds - 1)];
    change ^= hand_key(mover, kind, count - 1) ^ hand_key(mover, kind, count);
    const i32 piece = promoted ? i32{kHen} : moved;
    board.put(to, piece);
    // A step that leaves the board ends in the last cell for both players in the hash.
    return change ^ cell_key(mover, leaves && mover == 1 ? 0 : to, number_of(piece));
  }

  // The keys of pieces on cells and in hands, as pgx's arrays are indexed.
  ENVPOOL_FN static u64 cell_key(i32 mover, i32 cell, i32 number) {
    if (mover == 1) cell = other_side(cell), number = (number + kKinds) % (2 * kKinds);
    return key_of(1 + 16 * cell + (number < 0 ? number + 2 * kKinds : number));
  }
  ENVPOOL_FN static u64 hand_key(i32 mover, i32 kind, i32 count) {
    return key_of(256 + 16 * mover + 4 * min(kind, kHandKinds - 1) + (count < 0 ? 2 : min(count, 2)));
  }

  // Puts a board and the hands at the beginning of the lists of earlier ones, which pgx moves by eight numbers, and
  // turns everything to the other player.
  ENVPOOL_FN static void remember(Position& p, const Board& board) {
    for (i32 i = kBoards - 1; i > 0; --i) {
      p.boards[i].cells = (p.boards[i].cells << 32 | p.boards[i - 1].cells >> 16) & kBoardBits;
    }
    p.boards[0] = board;
    u64 hand = 0;
    for (i32 i = 0; i < 2 * kHandKinds; ++i) {
      const i32 count = p.hand[i / kHandKinds][i % kHandKinds];
      hand |= u64(count >= 1 ? (count >= 2 ? 3 : 1) : 0) << 2 * i;
    }
    const u64 last = p.hands[1] >> 32;  // comes first, but for what the present hands replace
    p.hands[1] = (p.hands[1] << 16 | p.hands[0] >> 32) & kHandBits;
    p.hands[0] = ((p.hands[0] << 16 | last) & kHandBits & ~u64{0xFFF}) | hand;
    for (Board& old : p.boards) old = old.from_other_side();
    for (u64& hands : p.hands) hands = (hands & 0x03F03F03F03F) << 6 | (hands >> 6 & 0x03F03F03F03F);
    for (i32 kind = 0; kind < kHandKinds; ++kind) {
      const i8 own = p.hand[0][kind];
      p.hand[0][kind] = p.hand[1][kind];
      p.hand[1][kind] = own;
    }
  }

  ENVPOOL_FN static void write_cells(bool* to, u64 set) {
#ifdef __CUDACC__
    for (i32 cell = 0; cell < kCells; ++cell) to[cell] = has(set, 4 * cell);
#else
    const auto bytes = [](u64 eight) {  // of eight cells
      eight = (eight | eight << 16) & 0x0000FFFF0000FFFF;
      eight = (eight | eight << 8) & 0x00FF00FF00FF00FF;
      return (eight | eight << 4) & 0x0101010101010101;
    };
    const u64 first = bytes(set & 0xFFFFFFFF), last = bytes(set >> 32);
    __builtin_memcpy(to, &first, 8);
    __builtin_memcpy(to + 8, &last, 4);
#endif
  }
};

struct AnimalShogi : Turns<AnimalShogi, AnimalShogiRules> {};

}  // namespace envpool::pgx
