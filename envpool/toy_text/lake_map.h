// SPDX-License-Identifier: Apache-2.0
//
// Parses the map of FrozenLake. Host only.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/core/types.h"

namespace envpool::toy_text {

struct LakeMap {
  static constexpr size_t kMaxCells = 1 << 24;

  i32 rows = 0, columns = 0;
  std::string letters{};      // in row-major order
  std::vector<i32> starts{};  // cells with an S

  // `desc` has rows separated by newlines. If it is empty, the map is gymnasium's map of the given size.
  LakeMap(std::string_view desc, i64 size) {
    if (desc.empty()) {
      if (size != 4 && size != 8) {
        throw std::invalid_argument("size: expected 4 or 8 if no desc is given, got " + std::to_string(size));
      }
      desc = size == 4 ? k4x4 : k8x8;
    }
    if (desc.back() == '\n') desc.remove_suffix(1);
    for (bool more = true; more; ++rows) {
      const size_t end = desc.find('\n');
      more = end != desc.npos;
      add_row(desc.substr(0, end));
      desc.remove_prefix(more ? end + 1 : desc.size());
    }
    if (starts.empty()) fail("a start S", "none");
    if (letters.find('G') == letters.npos) fail("a goal G", "none");
  }

 private:
  static constexpr std::string_view k4x4 = "SFFF\nFHFH\nFFFH\nHFFG";
  static constexpr std::string_view k8x8 =
      "SFFFFFFF\nFFFFFFFF\nFFFHFFFF\nFFFFFHFF\nFFFHFFFF\nFHHFFFHF\nFHFFHFHF\nFFFHFFFG";

  void add_row(std::string_view row) {
    if (rows == 0) columns = i32(row.size() <= kMaxCells ? row.size() : 0);
    if (columns == 0 || letters.size() + row.size() > kMaxCells) {
      fail("1 to " + std::to_string(kMaxCells) + " cells", row.empty() ? "an empty row" : "more");
    }
    if (row.size() != size_t(columns)) {
      fail("rows of equal length", std::to_string(row.size()) + " letters in row " + std::to_string(rows) + " after " +
                                       std::to_string(columns) + " in row 0");
    }
    for (size_t column = 0; column < row.size(); ++column) {
      const char letter = row[column];
      if (letter != 'S' && letter != 'F' && letter != 'H' && letter != 'G') {
        const bool printable = letter > ' ' && letter <= '~';
        const std::string shown = printable ? std::string{'\'', letter, '\''} : "byte " + std::to_string(u8(letter));
        fail("only the letters S, F, H and G",
             shown + " in row " + std::to_string(rows) + ", column " + std::to_string(column));
      }
      if (letter == 'S') starts.push_back(i32(letters.size()));
      letters += letter;
    }
  }
  [[noreturn]] static void fail(const std::string& expected, const std::string& got) {
    throw std::invalid_argument("desc: expected " + expected + ", got " + got);
  }
};

}  // namespace envpool::toy_text
