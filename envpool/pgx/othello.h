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

#include "envpool/pgx/othello_lines.h"
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
    p.moves = othello::moves_of(p.own, p.other);
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
    const u64 disc = action == kPass ? 0 : bit(action), turned = othello::turned_by(disc, p.own, p.other);
    const u64 own = p.own ^ (disc | turned), other = p.other ^ turned;
    const bool over = (own | other) == ~u64{0} || other == 0 || (p.passed && action == kPass);
    const i32 lead = count(own) - count(other), mover = p.seat;
    // An illegal move into a cell of the other player leaves both discs there. pgx's board then has the other one's.
    p = {.own = other,
         .other = own & ~other,
         .moves = othello::moves_of(other, own),
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
    const Exchanged discs(p.own, p.other, first != p.seat);
    write_both_channels<kCells>(zero.at<bool, kCells * 2>(kObs), one.at<bool, kCells * 2>(kObs), discs.one, discs.two);
  }
  ENVPOOL_FN static void describe(const Position& p, i32, Row row) {
    write_board<kCells, 1, -1, 0>(row.at<i32, kCells>(kOwn), p.own, p.other);
  }
  ENVPOOL_FN static void repair(Position& p) {
    p.seat &= 1;
    keep_bool(p.passed);
  }

 private:
  ENVPOOL_FN static constexpr u64 bit(i32 cell) { return u64{1} << cell; }
};

struct Othello : Turns<Othello, OthelloRules> {};

}  // namespace envpool::pgx
