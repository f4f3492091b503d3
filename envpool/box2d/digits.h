// SPDX-License-Identifier: Apache-2.0
//
// Writes the sum of rewards below CarRacing's image, as gymnasium does: rounded, with at least four characters. The
// shapes of the digits are our own, 7 x 10 squares of 3 pixels each, about as large as those of pygame's font.
#pragma once

#include "envpool/box2d/raster.h"

namespace envpool::box2d {

// Returns a row of squares of a digit or, as number 10, of a minus sign. The highest of the seven bits is on the left.
ENVPOOL_FN u32 digit_row(i32 digit, i32 row) {
  static constexpr u8 shape[11][10] = {
      {0b0111110, 0b1100011, 0b1100011, 0b1100011, 0b1100011, 0b1100011, 0b1100011, 0b1100011, 0b1100011, 0b0111110},
      {0b0001100, 0b0111100, 0b0111100, 0b0001100, 0b0001100, 0b0001100, 0b0001100, 0b0001100, 0b0001100, 0b0001100},
      {0b0111110, 0b1100011, 0b1100011, 0b0000011, 0b0000110, 0b0001100, 0b0011000, 0b0110000, 0b1111111, 0b1111111},
      {0b0111110, 0b1100011, 0b0000011, 0b0000011, 0b0011110, 0b0011110, 0b0000011, 0b1100011, 0b1100011, 0b0111110},
      {0b0000110, 0b0001110, 0b0011110, 0b0110110, 0b0110110, 0b1100110, 0b1111111, 0b1111111, 0b0000110, 0b0000110},
      {0b0111111, 0b0110000, 0b1100000, 0b1111110, 0b1100011, 0b0000011, 0b0000011, 0b1100011, 0b1100011, 0b0111110},
      {0b0111110, 0b1100011, 0b1100000, 0b1101110, 0b1110011, 0b1100011, 0b1100011, 0b1100011, 0b1100011, 0b0111110},
      {0b1111111, 0b0011111, 0b0000011, 0b0000110, 0b0000110, 0b0001100, 0b0001100, 0b0011000, 0b0011000, 0b0011000},
      {0b0111110, 0b1100011, 0b1100011, 0b1100011, 0b0111110, 0b1100011, 0b1100011, 0b1100011, 0b1100011, 0b0111110},
      {0b0111110, 0b1100011, 0b1100011, 0b1100011, 0b1100011, 0b1100111, 0b0111011, 0b0000011, 0b1100011, 0b0111110},
      {0b0000000, 0b0000000, 0b0000000, 0b0000000, 0b0000000, 0b1111000, 0b1111000, 0b0000000, 0b0000000, 0b0000000}};
  return shape[digit][row];
}

template <class Canvas>
ENVPOOL_FN void draw_number(Canvas& band, f64 number) {
  constexpr i32 most = 8, square = 3, top = 730, middle = 60, minus = 10;
  constexpr u32 white = rgb(255, 255, 255);
  f64 size = rint(fabs(number));
  keep_within(size, 0.0, 999999.0);
  i32 symbol[most], count = 0;  // from right to left
  for (i32 rest = i32(size), least = number < 0 ? 3 : 4; rest > 0 || count < least; rest /= 10) {
    symbol[count++] = rest % 10;
  }
  if (number < 0) symbol[count++] = minus;
  // Returns the distance to the next symbol on the right. A 1 and the minus sign take less space than other symbols.
  const auto advance = [&](i32 i) {
    if (symbol[i] == minus) return 13;
    const i32 ones = (symbol[i] == 1) + (i > 0 && symbol[i - 1] == 1);
    return ones == 2 ? 19 : ones == 1 ? 23 : 25;
  };
  i32 width = 23;
  for (i32 i = count - 1; i > 0; --i) width += advance(i);
  for (i32 y = band.first(); y <= band.last(); ++y) {
    const i32 row = (y - top) / square;
    if (y < top || row >= 10) continue;
    i32 left = middle - width / 2 + 1;
    for (i32 i = count - 1; i >= 0; --i) {
      for (i32 column = 0; column < 7; ++column) {
        if ((digit_row(symbol[i], row) >> (6 - column) & 1) == 0) continue;
        band.fill(left + square * column, left + square * column + square - 1, y, white);
      }
      left += advance(i);
    }
  }
}

}  // namespace envpool::box2d
