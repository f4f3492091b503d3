// SPDX-License-Identifier: Apache-2.0
//
// Othello: a disc that a player puts on the board of 8 by 8 cells turns the discs of the other player over that are in
// line between it and another disc of the player.
//
//   Action       i32, the cell row * 8 + column for the disc of the player to move; 64 passes
//   Observation  bool[8][8][2] of each player: its own discs, those of the other player
//   Reward       at the end, 1 for the player with more discs and -1 for the other one; 0 for both if they have as many
//   Terminated   when the board is full, the other player has no disc, or both players pass; an illegal move loses
//   Info         current_player; action_mask, the cells where discs are turned over, or 64 if there is none; board,
//                i32[8][8]: 1 the discs of the player to move, -1 the other ones, 0 empty; players.id
//   Reset        two discs of each player are in the middle; each player moves first with probability 1/2
//   Image        the first player's discs are black
//
// Reference: pgx 2.6.0, othello.
#pragma once

#include "envpool/pgx/turns.h"

namespace envpool::pgx {

struct OthelloRules {
  static constexpr const char* kName = "Othello";
  static constexpr bool kShortSteps = true;
  static constexpr f32 kMostReward = 1;
  static constexpr i32 kSide = 8, kCells = 64, kPass = 64, kActions = 65;

  struct Position {
    u64 own, other;  // discs of the player to move and of the other one, a bit for each cell
    u64 moves;       // the cells where the player to move may put a disc
    i32 seat;
    bool passed;  // the last move
  };

#if ENVPOOL_HOST
  static void spec(Spec& s) {
    s.obs<bool>("obs", {kSide, kSide, 2}).per_player().doc("own discs, discs of the other player");
    s.info<i32>("board", {kSide, kSide}).bounds(-1, 1).doc("1 discs of the player to move, -1 the other ones, 0 empty");
    s.action<i32>().categories(kActions).doc("row * 8 + column of the disc of the player to move; 64 passes");
    s.render_fps = 2;
    drawing::Board::set_size(s, kSide, kSide);
  }
  static void render(const Position& p, i32, u8* rgb) {
    drawing::Board board(rgb, kSide, kSide, {92, 158, 106});
    for (i32 cell = 0; cell < kCells; ++cell) {
      const bool own = has(p.own, cell), other = has(p.other, cell);
      if (!own && !other) continue;
      board.disc(cell / kSide, cell % kSide, 0.4, own == (p.seat == 0) ? drawing::kBlack : drawing::kEmpty);
    }
  }
#endif

  ENVPOOL_FN static void begin(Position& p, Rng&) {
    p = {.own = bit(28) | bit(35), .other = bit(27) | bit(36), .moves = 0, .seat = 0, .passed = false};
    p.moves = moves_of(p.own, p.other);
  }
  ENVPOOL_FN static i32 seat(const Position& p) { return p.seat; }
  ENVPOOL_FN static bool is_legal(const Position& p, i32 action) {
    return action == kPass ? p.moves == 0 : has(p.moves, action & 63);
  }
  ENVPOOL_FN static void write_legal(const Position& p, bool all, bool* mask) {
    write_set<kCells>(mask, all ? ~u64{0} : p.moves);
    mask[kPass] = all || p.moves == 0;
  }

  ENVPOOL_FN static MoveResult play(Position& p, i32 action) {
    const u64 disc = action == kPass ? 0 : bit(action);
    u64 turned = 0;
    for (i32 direction = 0; direction < kDirections; ++direction) {
      const u64 line = line_from(disc, p.other, direction);
      turned |= (shifted(line, direction) & p.own) != 0 ? line : 0;
    }
    const u64 own = p.own ^ (disc | turned), other = p.other ^ turned;
    const bool over = (own | other) == ~u64{0} || other == 0 || (p.passed && action == kPass);
    const i32 lead = count(own) - count(other), mover = p.seat;
    // An illegal move into a cell of the other player leaves both discs there. pgx's board then has the other one's.
    p = {.own = other,
         .other = own & ~other,
         .moves = moves_of(other, own),
         .seat = 1 - mover,
         .passed = action == kPass};
    const f32 reward = f32(lead > 0) - f32(lead < 0);
    return {over, !over ? 0.0f : mover == 0 ? reward : 0.0f - reward};
  }

  ENVPOOL_FN static void observe(const Position& p, i32 seat, Row row) {
    const u64 own = seat == p.seat ? p.own : p.other, other = seat == p.seat ? p.other : p.own;
    write_channels<kCells>(row.at<bool, kCells * 2>(kObs), own, other);
  }
  ENVPOOL_FN static void observe_both(const Position& p, i32 first, Row zero, Row one) {
    const u64 own = first == p.seat ? p.own : p.other, other = first == p.seat ? p.other : p.own;
    write_both_channels<kCells>(zero.at<bool, kCells * 2>(kObs), one.at<bool, kCells * 2>(kObs), own, other);
  }
  ENVPOOL_FN static void describe(const Position& p, i32, Row row) {
    write_board<kCells, 1, -1, 0>(row.at<i32, kCells>(kOwn), p.own, p.other);
  }
  ENVPOOL_FN static void repair(Position& p) {
    p.seat &= 1;
    keep_bool(p.passed);
  }

 private:
  static constexpr i32 kDirections = 8;

  ENVPOOL_FN static constexpr u64 bit(i32 cell) { return u64{1} << cell; }

  // Moves every cell by one in a direction. Cells that leave the board come back on its other side, where line_from()
  // ends lines.
  ENVPOOL_FN static u64 shifted(u64 cells, i32 direction) {
    constexpr i32 kShifts[kDirections] = {1, 63, 8, 56, 7, 57, 9, 55};
    const i32 by = kShifts[direction];
    return cells << by | cells >> (64 - by);
  }
  // Returns the discs `through` which lines from `from` go in a direction. No such disc is at the border at which a
  // line in this direction ends.
  ENVPOOL_FN static u64 line_from(u64 from, u64 through, i32 direction) {
    constexpr u64 kColumns = 0x7E7E7E7E7E7E7E7E, kRows = 0x00FFFFFFFFFFFF00;
    through &= direction < 2 ? kColumns : direction < 4 ? kRows : kColumns & kRows;
    u64 line = through & shifted(from, direction);
    for (i32 i = 0; i < 5; ++i) line |= through & shifted(line, direction);
    return line;
  }
  ENVPOOL_FN static u64 moves_of(u64 own, u64 other) {
    u64 moves = 0;
    for (i32 direction = 0; direction < kDirections; ++direction) {
      moves |= shifted(line_from(own, other, direction), direction);
    }
    return moves & ~(own | other);
  }
};

struct Othello : Turns<Othello, OthelloRules> {};

}  // namespace envpool::pgx
