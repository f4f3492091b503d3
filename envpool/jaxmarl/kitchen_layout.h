// SPDX-License-Identifier: Apache-2.0
//
// Layouts of Overcooked's kitchens: those of JaxMARL by name, and others as lines of letters. Host only.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "envpool/jaxmarl/kitchen.h"

namespace envpool::jaxmarl {

struct NamedLayout {
  const char *name, *grid;
};
inline constexpr NamedLayout kLayouts[] = {
    {"cramped_room", "WWPWW\nOA AO\nW   W\nWBWXW"},
    {"asymm_advantages", "WWWWWWWWW\nO WXWOW X\nW   P   W\nW A PA  W\nWWWBWBWWW"},
    {"coord_ring", "WWWPW\nW A P\nBAW W\nO   W\nWOXWW"},
    {"forced_coord", "WWWPW\nO W1P\nO0W W\nB W W\nWWWXW"},
    {"counter_circuit", "WWWPPWWW\nW A    W\nB WWWW X\nW     AW\nWWWOOWWW"},
};

struct KitchenLayout {
  static constexpr i32 kMaxSide = 64;

  i32 rows = 0, columns = 0, cells = 0, floors = 0;
  u8 cell[kMaxCells]{};
  i32 start[2] = {-1, -1};  // the cells of the two cooks; -1: drawn at random

  // `layout` is a name, or has rows separated by newlines.
  explicit KitchenLayout(std::string_view layout) {
    for (const NamedLayout& known : kLayouts) {
      if (layout == known.name) layout = known.grid;
    }
    if (layout.find('\n') == layout.npos) fail("the name of a layout or lines of letters", shown(layout));
    while (!layout.empty() && layout.front() == '\n') layout.remove_prefix(1);
    while (!layout.empty() && layout.back() == '\n') layout.remove_suffix(1);
    for (bool more = true; more; ++rows) {
      const size_t end = layout.find('\n');
      more = end != layout.npos;
      add_row(layout.substr(0, end));
      layout.remove_prefix(more ? end + 1 : layout.size());
    }
    check();
  }

 private:
  void add_row(std::string_view row) {
    if (rows == 0) columns = i32(row.size() <= size_t(kMaxSide) ? row.size() : 0);
    if (columns == 0 || rows == kMaxSide || cells + i64(row.size()) > kMaxCells) {
      fail("1 to 64 rows and columns with at most 256 cells", row.empty() ? "an empty row" : "more");
    }
    if (row.size() != size_t(columns)) {
      fail("rows of equal length", std::to_string(row.size()) + " letters in row " + std::to_string(rows) + " after " +
                                       std::to_string(columns) + " in row 0");
    }
    for (const char letter : row) {
      const bool is_start = letter == 'A' || letter == '0' || letter == '1';
      if (is_start) set_start(letter);
      cell[cells++] = is_start || letter == ' ' ? u8(kFloor) : cell_of(letter);
      floors += cell[cells - 1] == kFloor;
    }
  }
  void set_start(char letter) {
    const i32 cook = letter == 'A' ? i32(start[0] >= 0) : letter - '0';
    if (start[cook] >= 0) fail("two cooks A, or 0 and 1, or none", "a third one");
    start[cook] = cells;
  }
  u8 cell_of(char letter) const {
    switch (letter) {
      case 'W': return kCounter;
      case 'O': return kOnionPile;
      case 'B': return kPlatePile;
      case 'X': return kGoal;
      case 'P': return kPot + kEmpty;
      default: break;
    }
    fail("only the letters W, O, B, X, P, A, 0, 1 and spaces",
         shown({&letter, 1}) + " in row " + std::to_string(rows) + ", column " + std::to_string(cells % columns));
  }
  void check() const {
    for (i32 i = 0; i < cells; ++i) {
      const i32 row = i / columns, column = i % columns;
      const bool border = row == 0 || row == rows - 1 || column == 0 || column == columns - 1;
      if (border && cell[i] == kFloor) {
        fail("a border without floor", "a floor in row " + std::to_string(row) + ", column " + std::to_string(column));
      }
    }
    if ((start[0] < 0) != (start[1] < 0)) fail("two cooks A, or 0 and 1, or none", "one");
    if (floors < 2) fail("room for two cooks", std::to_string(floors) + " cells of floor");
  }
  static std::string shown(std::string_view text) {
    std::string result = "'";
    for (const char letter : text.substr(0, 60)) {
      const bool printable = letter >= ' ' && letter <= '~';
      result += printable ? std::string{letter} : "<byte " + std::to_string(u8(letter)) + ">";
    }
    return result + (text.size() > 60 ? "...'" : "'");
  }
  [[noreturn]] static void fail(const std::string& expected, const std::string& got) {
    throw std::invalid_argument("layout: expected " + expected + ", got " + got);
  }
};

}  // namespace envpool::jaxmarl
