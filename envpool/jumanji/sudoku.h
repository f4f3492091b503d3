// SPDX-License-Identifier: Apache-2.0
//
// Sudoku: the empty cells of a puzzle are filled, so that each row, column and box has all nine digits.
//
//   Action       i32[3]: the row and the column of a cell, and its digit, counted from 0
//   Observation  board, i32[9][9]: the digits, counted from 0; -1 for an empty cell. action_mask, bool[9][9][9]:
//                for each cell, the digits that are legal: if the cell is empty, those that its row, its column and
//                its box do not have
//   Reward       1 for the solved puzzle
//   Terminated   after an illegal action, which changes the board nevertheless, and when no action is legal
//   Reset        one of the puzzles, with equal probability
//   Image        each digit is drawn as that many discs: black for a digit of the puzzle, blue for one filled in
//
// The puzzles are 10,000 of jumanji's, of all difficulties, and Sudoku-very-easy-v0 has 1,000 with at least 46 digits.
//
// Reference: jumanji 1.1.2, Sudoku.
#pragma once

#include "envpool/core/api.h"
#if ENVPOOL_HOST
#include <cstring>
#include <stdexcept>
#include <string>

#include "envpool/core/board.h"
#endif

namespace envpool::jumanji {

struct Sudoku {
  static constexpr const char* kName = "Sudoku";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kSide = 9, kBox = 3, kCells = kSide * kSide, kAll = (1 << kSide) - 1;
  static constexpr i8 kNone = -1;
  enum Field { kBoard, kActionMask };

  struct Params {
    const u8* blob;  // the digits of each puzzle, counted from 1; 0 for an empty cell
    i32 count;       // puzzles
  };
  struct State {
    i8 board[kCells];
    u8 given[kCells];                           // 1 for a digit of the puzzle
    u16 row[kSide], column[kSide], box[kSide];  // a bit for each digit that it has
    u16 empty[kSide];                           // a bit for each empty cell of a row
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.text("puzzles", "",
           "The puzzles, 81 bytes each: the numbers 1 to 9, and 0 for an empty cell; if empty, they come from the "
           "package jumanji.")
        .changes_blob();
  }
  static Params params(const OptionValues& v) {
    return {.blob = nullptr, .count = static_cast<i32>(v.text("puzzles").size() / kCells)};
  }
  static Blob blob(const OptionValues& v);
  static void spec(const Params&, Spec& s) {
    s.obs<i32>("board", {kSide, kSide}).bounds(kNone, kSide - 1).doc("digits, counted from 0; -1 for an empty cell");
    s.obs<bool>("action_mask", {kSide, kSide, kSide}).doc("legal digits of each cell");
    s.action<i32>("action", {3}).categories(kSide).doc("row, column, and digit, counted from 0");
    s.reward_low = 0;
    s.reward_high = 1;
    s.render_fps = 2;
    drawing::Board::set_size(s, kSide, kSide);
  }
  static void render(const State& s, const Params&, u8* rgb) {
    constexpr drawing::Color shaded{214, 220, 228};
    drawing::Board board(rgb, kSide, kSide, drawing::kEmpty);
    for (i32 cell = 0; cell < kCells; ++cell) {
      const i32 row = cell / kSide, column = cell % kSide;
      if ((row / kBox + column / kBox) % 2 != 0) board.fill(row, column, shaded);
      for (i32 i = 0; i <= s.board[cell]; ++i) {
        const drawing::Point at = board.at(row + 0.22 + 0.28 * (i / kBox), column + 0.22 + 0.28 * (i % kBox));
        board.canvas().disc(at.x, at.y, board.side() / 10, s.given[cell] != 0 ? drawing::kBlack : drawing::kBlue);
      }
    }
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    const u8* const puzzle = p.blob + i64{kCells} * i64{rng.below(u32(p.count))};
    for (i32 cell = 0; cell < kCells; ++cell) {
      s.board[cell] = static_cast<i8>(puzzle[cell] - 1);
      s.given[cell] = puzzle[cell] != 0;
    }
    find_digits(s);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params&, ActionRow action, Rng&) {
    const i32* const at = action.at<i32, 3>(0);
    const i32 row = at[0], column = at[1], digit = at[2];
    i8& cell = s.board[row * kSide + column];
    const bool legal = (digits_for(s, row, column) >> digit & 1) != 0, fills = cell < 0;
    cell = static_cast<i8>(digit);
    if (fills) {
      add(s, row, column);
    } else {
      find_digits(s);
    }
    const bool over = !has_action(s);
    return {.reward = one_if(over && is_solved(s)), .terminated = !legal || over};
  }

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) {
    i32* const board = row.at<i32, kCells>(kBoard);
    bool* const mask = row.at<bool, kCells * kSide>(kActionMask);
    for (i32 cell = 0; cell < kCells; ++cell) {
      board[cell] = s.board[cell];
      write_bits(digits_for(s, cell / kSide, cell % kSide), mask + cell * kSide);
    }
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    for (i32 cell = 0; cell < kCells; ++cell) {
      keep_within(s.board[cell], kNone, static_cast<i8>(kSide - 1));
      s.given[cell] &= 1;
    }
    find_digits(s);
  }

 private:
  ENVPOOL_FN static i32 box_of(i32 row, i32 column) { return row / kBox * kBox + column / kBox; }
  // Returns a bit for each digit that is legal in a cell.
  ENVPOOL_FN static i32 digits_for(const State& s, i32 row, i32 column) {
    const i32 taken = s.row[row] | s.column[column] | s.box[box_of(row, column)];
    return (s.empty[row] >> column & 1) != 0 ? kAll & ~taken : 0;
  }
  // Writes nine bits, a byte each.
  ENVPOOL_FN static void write_bits(i32 bits, bool* to) {
#ifdef __CUDACC__
    for (i32 i = 0; i < kSide; ++i) to[i] = (bits >> i & 1) != 0;
#else
    constexpr u64 ones = 0x0101010101010101, each = 0x8040201008040201;  // bit i of byte i
    const u64 bytes = (((u64(bits & 0xFF) * ones & each) + 0x7F * ones) >> 7) & ones;
    __builtin_memcpy(to, &bytes, sizeof(bytes));
    to[kSide - 1] = (bits >> (kSide - 1) & 1) != 0;
#endif
  }
  ENVPOOL_FN static bool has_action(const State& s) {
    for (i32 row = 0; row < kSide; ++row) {
      for (i32 column = 0; column < kSide; ++column) {
        if (digits_for(s, row, column) != 0) return true;
      }
    }
    return false;
  }
  ENVPOOL_FN static bool is_solved(const State& s) {
    i32 digits = kAll;
    for (i32 i = 0; i < kSide; ++i) digits &= s.row[i] & s.column[i] & s.box[i];
    return digits == kAll;
  }
  // Adds a cell, which may be empty, to its row, its column and its box.
  ENVPOOL_FN static void add(State& s, i32 row, i32 column) {
    const i32 digit = s.board[row * kSide + column], bit = digit < 0 ? 0 : 1 << digit, box = box_of(row, column);
    s.row[row] = static_cast<u16>(s.row[row] | bit);
    s.column[column] = static_cast<u16>(s.column[column] | bit);
    s.box[box] = static_cast<u16>(s.box[box] | bit);
    const i32 others = s.empty[row] & ~(1 << column);
    s.empty[row] = static_cast<u16>(others | i32(digit < 0) << column);
  }
  // Finds the digits of rows, columns and boxes, and the empty cells.
  ENVPOOL_FN static void find_digits(State& s) {
    for (i32 i = 0; i < kSide; ++i) s.row[i] = s.column[i] = s.box[i] = s.empty[i] = 0;
    for (i32 row = 0; row < kSide; ++row) {
      for (i32 column = 0; column < kSide; ++column) add(s, row, column);
    }
  }
};

#if ENVPOOL_HOST
inline Blob Sudoku::blob(const OptionValues& v) {
  constexpr size_t kMost = 1 << 24;
  const std::string_view puzzles = v.text("puzzles");
  if (puzzles.empty() || puzzles.size() % kCells != 0 || puzzles.size() / kCells > kMost) {
    throw std::invalid_argument("puzzles: expected 81 bytes for each of 1 to " + std::to_string(kMost) +
                                " puzzles, got " + std::to_string(puzzles.size()) + " bytes");
  }
  for (size_t i = 0; i < puzzles.size(); ++i) {
    if (static_cast<u8>(puzzles[i]) <= kSide) continue;
    throw std::invalid_argument("puzzles: expected bytes from 0 to 9, got " +
                                std::to_string(static_cast<u8>(puzzles[i])) + " in puzzle " +
                                std::to_string(i / kCells));
  }
  Blob blob(puzzles.size());
  std::memcpy(blob.data(), puzzles.data(), puzzles.size());
  return blob;
}
#endif

}  // namespace envpool::jumanji
