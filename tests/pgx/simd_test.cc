// SPDX-License-Identifier: Apache-2.0
//
// Compares the SIMD code of the games with their plain code.
#include "envpool/core/math/simd.h"

#include <cstring>
#include <vector>

#include "envpool/core/math/rng.h"
#include "envpool/pgx/bits.h"
#include "envpool/pgx/othello_lines.h"
#include "envpool/pgx/play2048_tiles.h"
#include "tests/support/testing.h"

namespace envpool::pgx {

u64 random_word(Rng& rng) { return rng.bits() | u64{rng.bits()} << 32; }

// An array with bytes after its end, which nothing may write.
template <class T>
struct Guarded {
  std::vector<T> values;

  explicit Guarded(i32 size) : values(size_t(size) + 64, T(1)) {}
  T* data() { return values.data(); }
  bool operator==(const Guarded& other) const {  // not as bool, whose bytes may be other than 0 and 1
    return std::memcmp(values.data(), other.values.data(), values.size() * sizeof(T)) == 0;
  }
};
template <>
struct Guarded<bool> : Guarded<u8> {
  using Guarded<u8>::Guarded;
  bool* data() { return reinterpret_cast<bool*>(values.data()); }
};

// Compares what the functions of bits.h write, with 16 and with 32 bytes at a time, with single cells.
template <i32 kCells>
void check_written(u64 one, u64 two) {
  two &= ~one;
  const u32 rest = 0x100, others_rest = 0x101;
  Guarded<bool> set(kCells), both[2] = {Guarded<bool>(2 * kCells), Guarded<bool>(2 * kCells)};
  Guarded<bool> four[2] = {Guarded<bool>(4 * kCells), Guarded<bool>(4 * kCells)};
  Guarded<i32> board(kCells), shifted(kCells);
  for (i32 cell = 0; cell < kCells; ++cell) {
    const bool in_one = has(one, cell), in_two = has(two, cell);
    set.data()[cell] = in_one;
    board.data()[cell] = i32(in_one) - i32(in_two);
    shifted.data()[cell] = -1 + i32(in_one) + 2 * i32(in_two);
    for (i32 player = 0; player < 2; ++player) {
      bool *const pair = both[player].data() + 2 * cell, *const quad = four[player].data() + 4 * cell;
      pair[0] = quad[0] = player == 0 ? in_one : in_two;
      pair[1] = quad[1] = player == 0 ? in_two : in_one;
      quad[2] = player == 1;
      quad[3] = true;
    }
  }
  const auto check = [&](auto write_set, auto write_both, auto write_four, auto write_board, auto write_shifted) {
    Guarded<bool> its_set(kCells), its_both[2] = {Guarded<bool>(2 * kCells), Guarded<bool>(2 * kCells)};
    Guarded<bool> its_four[2] = {Guarded<bool>(4 * kCells), Guarded<bool>(4 * kCells)};
    Guarded<i32> its_board(kCells), its_shifted(kCells);
    write_set(its_set.data(), one);
    write_both(its_both[0].data(), its_both[1].data(), one, two);
    write_four(its_four[0].data(), its_four[1].data(), one, two, rest, others_rest);
    write_board(its_board.data(), one, two);
    write_shifted(its_shifted.data(), one, two);
    CHECK(its_set == set);
    for (i32 player = 0; player < 2; ++player) {
      CHECK(its_both[player] == both[player]);
      CHECK(its_four[player] == four[player]);
    }
    CHECK(its_board == board);
    CHECK(its_shifted == shifted);
  };
  check(bytes16::write_set<kCells>, bytes16::write_both_channels<kCells>, bytes16::write_both_four_channels<kCells>,
        bytes16::write_board<kCells, 1, -1, 0>, bytes16::write_board<kCells, 1, 2, -1>);
  if (!has_simd()) return;
  check(bytes32::write_set<kCells>, bytes32::write_both_channels<kCells>, bytes32::write_both_four_channels<kCells>,
        bytes32::write_board<kCells, 1, -1, 0>, bytes32::write_board<kCells, 1, 2, -1>);
}

TEST(sets_are_written_row_by_row) {
  constexpr i32 kRows = 6, kColumns = 7, kCells = kRows * kColumns;
  Rng rng{.seed = 4};
  for (i32 i = 0; i < 2000; ++i) {
    const u64 one = random_word(rng) & 0x7F7F7F7F7F7F, two = random_word(rng) & 0x7F7F7F7F7F7F & ~one;
    Guarded<bool> both[2] = {Guarded<bool>(2 * kCells), Guarded<bool>(2 * kCells)}, its_both[2] = {both[0], both[1]};
    Guarded<i32> board(kCells), its_board = board;
    write_channels_by_rows<kRows, kColumns>(both[0].data(), one, two);
    write_channels_by_rows<kRows, kColumns>(both[1].data(), two, one);
    for_cells_by_rows<kRows, kColumns>(
        [&](i32 at, i32 bit) { board.data()[at] = -1 + i32(has(one, bit)) + 2 * i32(has(two, bit)); });
    bytes16::write_both_channels_by_rows<kRows, kColumns>(its_both[0].data(), its_both[1].data(), one, two);
    bytes16::write_board_by_rows<kRows, kColumns, 1, 2, -1>(its_board.data(), one, two);
    for (i32 player = 0; player < 2; ++player) CHECK(its_both[player] == both[player]);
    CHECK(its_board == board);
    if (!has_simd()) continue;
    its_both[0] = its_both[1] = Guarded<bool>(2 * kCells);
    its_board = Guarded<i32>(kCells);
    bytes32::write_both_channels_by_rows<kRows, kColumns>(its_both[0].data(), its_both[1].data(), one, two);
    bytes32::write_board_by_rows<kRows, kColumns, 1, 2, -1>(its_board.data(), one, two);
    for (i32 player = 0; player < 2; ++player) CHECK(its_both[player] == both[player]);
    CHECK(its_board == board);
  }
}

TEST(sets_are_written_cell_by_cell) {
  Rng rng{.seed = 1};
  for (i32 i = 0; i < 2000; ++i) {
    const u64 one = random_word(rng), two = random_word(rng);
    check_written<9>(one, two);
    check_written<42>(one, two);
    check_written<57>(one, two);
    check_written<64>(one, two);
  }
}

TEST(lines_of_othello_do_not_depend_on_simd) {
  if (!has_simd()) return;
  Rng rng{.seed = 2};
  for (i32 i = 0; i < 100000; ++i) {
    const u64 some = random_word(rng), most = some | random_word(rng);
    const u64 own = most & random_word(rng), other = most & ~own, disc = u64{1} << (rng.bits() & 63);
    CHECK_EQ(othello::simd::moves_of(own, other), othello::plain::moves_of(own, other));
    for (const u64 put : {disc, disc & ~(own | other), u64{0}}) {
      CHECK_EQ(othello::simd::turned_by(put, own, other), othello::plain::turned_by(put, own, other));
    }
  }
}

TEST(tiles_of_2048_do_not_depend_on_simd) {
  if (!has_simd()) return;
  Rng rng{.seed = 3};
  for (i32 i = 0; i < 100000; ++i) {
    // Few different powers, so that many tiles merge, or the highest ones.
    const u32 different = 1 + rng.below(5), least = i % 4 == 0 ? tiles::kPowers - different : 0;
    tiles::Tiles board{};
    for (i32 cell = 0; cell < tiles::kCells; ++cell) {
      const u32 power = rng.below(4) == 0 ? 0 : least + rng.below(different);
      board.half[cell >> 3] |= u64{power} << 8 * (cell & 7);
    }
    CHECK_EQ(tiles::simd::legal_actions(board), tiles::plain::legal_actions(board));
    CHECK_EQ(tiles::simd::count_empty(board), tiles::plain::count_empty(board));
    for (i32 action = 0; action < tiles::kActions; ++action) {
      tiles::Tiles one = board, other = board;
      CHECK_EQ(tiles::simd::slide(one, action), tiles::plain::slide(other, action));
      CHECK(std::memcmp(&one, &other, sizeof(one)) == 0);
    }
    for (u32 n = 0; n < tiles::plain::count_empty(board); ++n) {
      tiles::Tiles one = board, other = board;
      tiles::simd::put(one, n, 1 + n % 2);
      tiles::plain::put(other, n, 1 + n % 2);
      CHECK(std::memcmp(&one, &other, sizeof(one)) == 0);
    }
    Guarded<bool> one(tiles::kCells * tiles::kPowers), other(tiles::kCells * tiles::kPowers);
    tiles::simd::write_channels(board, one.data());
    tiles::plain::write_channels(board, other.data());
    CHECK(one == other);
  }
}

}  // namespace envpool::pgx

TEST_MAIN()
