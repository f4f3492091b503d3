// SPDX-License-Identifier: Apache-2.0
//
// Checks the moves of shogi in positions that random games rarely reach, and plays any moves of shogi and animal shogi
// from any bytes. The numbers of move sequences are those that shogi programs agree on.
#include <cstring>
#include <string>
#include <vector>

#include "envpool/pgx/animal_shogi.h"
#include "envpool/pgx/shogi.h"
#include "tests/support/testing.h"

namespace envpool::pgx {

u64 random_bits(u64& state) {
  state = state * 6364136223846793005 + 1442695040888963407;
  return state >> 33 ^ state << 31;
}

// Plays any moves from any bytes. `Value` is the type of observations.
template <class R, class Value>
void survive(std::size_t values, std::size_t cells, std::size_t hands) {
  static_assert(sizeof(typename R::Position) % 8 == 0);
  std::vector<Value> obs(values);
  std::vector<u8> mask(R::kActions), rgb(768 * 768 * 3);
  std::vector<i32> board(cells), hand(hands);
  i32 turn;
  void* fields[] = {obs.data(), nullptr, nullptr, nullptr, board.data(), hand.data(), &turn, nullptr, nullptr, nullptr};
  const i64 row_bytes[10] = {};
  u64 random = 1;
  for (i32 round = 0; round < 3000; ++round) {
    typename R::Position p;
    std::vector<u64> words(sizeof(p) / 8);
    for (u64& word : words) {
      word = random_bits(random);
      for (i32 i = round % 4; i > 0; --i) word &= random_bits(random);  // fewer pieces
    }
    std::memcpy(static_cast<void*>(&p), words.data(), sizeof(p));
    R::repair(p);
    const typename R::Position repaired = p;
    R::repair(p);
    CHECK(std::memcmp(&p, &repaired, sizeof(p)) == 0);
    if (round % 8 == 0) R::render(p, 0, rgb.data());
    for (i32 move = 0; move < 20; ++move) {
      R::write_legal(p, false, reinterpret_cast<bool*>(mask.data()));
      R::observe(p, move & 1, Row{fields, row_bytes, 0});
      R::describe(p, 0, Row{fields, row_bytes, 0});
      i32 action = i32(random_bits(random) % R::kActions);
      for (i32 tries = 0; move % 2 == 0 && tries < R::kActions && mask[std::size_t(action)] == 0; ++tries) {
        action = (action + 1) % R::kActions;
      }
      CHECK_EQ(R::is_legal(p, action), mask[std::size_t(action)] != 0);
      if constexpr (requires { R::play(p, action, true); }) {
        R::play(p, action, R::is_legal(p, action));
      } else {
        R::play(p, action);
      }
    }
  }
}

TEST(any_bytes_are_a_position_of_animal_shogi) { survive<AnimalShogiRules, f32>(12 * 194, 12, 6); }
TEST(any_bytes_are_a_position_of_shogi) { survive<ShogiRules, u8>(81 * 119, 81, 14); }

// Returns the number of sequences of `depth` moves.
i64 sequences(const ShogiRules::Position& p, i32 depth) {
  static u8 masks[4][ShogiRules::kActions];
  u8* const mask = masks[depth - 1];
  ShogiRules::write_legal(p, false, reinterpret_cast<bool*>(mask));
  i64 total = 0;
  for (i32 action = 0; action < ShogiRules::kActions; ++action) {
    if (mask[action] == 0) continue;
    ShogiRules::Position next = p;
    if (depth > 1) ShogiRules::play(next, action, /*legal=*/true);
    total += depth > 1 ? sequences(next, depth - 1) : 1;
  }
  return total;
}

TEST(as_many_sequences_of_moves_as_shogi_has) {
  ShogiRules::Position p;
  Rng rng;
  ShogiRules::begin(p, rng);
  CHECK_EQ(sequences(p, 1), 30);
  CHECK_EQ(sequences(p, 2), 900);
  CHECK_EQ(sequences(p, 3), 25470);
  CHECK_EQ(sequences(p, 4), 719731);
}

// Returns a position in Forsyth-Edwards notation, such as "4k4/9/4S4/9/9/9/9/9/4K4 P": promoted pieces have a plus, and
// the pieces in the hands follow.
ShogiRules::Position position_of(const std::string& text) {
  const std::string kinds = "plnsbrgk";
  ShogiRules::Position p{};
  std::size_t at = 0;
  bool promoted = false;
  for (i32 row = 0, column = 8; text[at] != ' '; ++at) {
    const char c = text[at];
    const std::size_t kind = kinds.find(char(c | 32));
    if (c == '+') {
      promoted = true;
    } else if (c == '/') {
      ++row, column = 8;
    } else if (kind == std::string::npos) {
      column -= c - '0';
    } else {
      p.board.put(9 * column-- + row, i32(kind) + (promoted ? 9 : 1), (c & 32) == 0);
      promoted = false;
    }
  }
  for (++at; at < text.size(); ++at) {
    const std::size_t kind = kinds.find(char(text[at] | 32));
    if (kind != std::string::npos) ++p.hand[(text[at] & 32) != 0][kind];
  }
  ShogiRules::find_legal(p);
  return p;
}
i32 square(i32 file, i32 rank) { return 9 * (file - 1) + rank - 1; }  // as players number them, from 1

// Planes of actions.
enum Plane : i32 {
  kGoesUp = 0,
  kGoesDown = 5,
  kJumpsLeft = 8,
  kPromotes = 10,
  kDropsPawn = 20,
  kDropsLance,
  kDropsKnight
};
bool is_legal(const ShogiRules::Position& p, i32 plane, i32 file, i32 rank) {
  return ShogiRules::is_legal(p, 81 * plane + square(file, rank));
}

TEST(pieces_that_could_not_move_again_are_promoted) {
  const ShogiRules::Position p = position_of("4k4/P2L1N3/1PL4N1/9/9/9/9/9/4K4 PLN");
  CHECK(!is_legal(p, kGoesUp, 9, 1));
  CHECK(is_legal(p, kGoesUp + kPromotes, 9, 1));
  CHECK(is_legal(p, kGoesUp, 8, 2));
  CHECK(is_legal(p, kGoesUp + kPromotes, 8, 2));
  CHECK(!is_legal(p, kGoesUp, 6, 1));
  CHECK(is_legal(p, kGoesUp + kPromotes, 6, 1));
  CHECK(!is_legal(p, kGoesUp, 7, 1));
  CHECK(is_legal(p, kGoesUp, 7, 2));
  CHECK(!is_legal(p, kJumpsLeft, 3, 1));
  CHECK(is_legal(p, kJumpsLeft + kPromotes, 3, 1));
  for (i32 file = 1; file <= 9; ++file) {
    CHECK(!is_legal(p, kDropsPawn, file, 1) && !is_legal(p, kDropsLance, file, 1));
    CHECK(!is_legal(p, kDropsKnight, file, 1) && !is_legal(p, kDropsKnight, file, 2));
  }
  CHECK(is_legal(p, kDropsKnight, 1, 3));
  CHECK(!is_legal(p, kDropsPawn, 9, 5) && !is_legal(p, kDropsPawn, 8, 5));  // a pawn is in the column
  CHECK(is_legal(p, kDropsPawn, 7, 5) && is_legal(p, kDropsLance, 9, 5));
}

TEST(promoted_pieces_leave_room_for_a_pawn_in_their_column) {
  CHECK(is_legal(position_of("4k4/9/9/9/4+P4/9/9/9/4K4 P"), kDropsPawn, 5, 7));
}

TEST(a_dropped_pawn_does_not_give_mate) {
  CHECK(is_legal(position_of("4k4/9/4G4/9/9/9/9/9/R3K3R P"), kDropsPawn, 5, 2));  // the king goes aside
  const char* const mate = "3lkl3/9/3GSG3/9/9/9/9/9/4K4 P";
  CHECK(!is_legal(position_of(mate), kDropsPawn, 5, 2));
  CHECK(is_legal(position_of("3lkl3/r8/3GSG3/9/9/9/9/9/4K4 P"), kDropsPawn, 5, 2));    // a rook captures it
  CHECK(!is_legal(position_of("3lkl3/4r4/3GSG3/9/9/9/9/9/4K4 P"), kDropsPawn, 5, 2));  // occupied
  CHECK(!is_legal(position_of("R2rk1l2/9/3GSG3/9/9/9/9/9/4K4 P"), kDropsPawn, 5, 3));  // occupied
  CHECK(!is_legal(position_of("3lkl3/9/3GSG3/9/9/9/9/9/4K4 L"), kDropsPawn, 5, 2));    // no pawn in the hand
  CHECK(is_legal(position_of("3lkl3/9/3GSG3/9/9/9/9/9/4K4 L"), kDropsLance, 5, 2));    // other pieces may give mate
  CHECK(is_legal(position_of("3lkl3/9/4P4/3GSG3/9/9/9/9/4K4 "), kGoesUp, 5, 2));       // so may a pawn that moves
}

TEST(a_dropped_pawn_may_give_mate_beside_a_corner) {
  const char* const corner = "9/8k/6B2/8G/9/9/9/9/L3K2R1 P";
  CHECK(is_legal(position_of(corner), kDropsPawn, 1, 3));
  CHECK(!is_legal(position_of("9/8k/6B2/8G/9/9/9/9/4K2R1 P"), kDropsPawn, 1, 3));  // the other corner is attacked
  CHECK(is_legal(position_of("7k1/9/7G1/9/9/9/9/9/4K1R1R P"), kDropsPawn, 2, 2));
  CHECK(!is_legal(position_of("7k1/9/7G1/9/4K4/9/9/9/6R1R P"), kDropsPawn, 2, 2));
}

TEST(pinned_pieces_move_along_their_line) {
  const ShogiRules::Position p = position_of("4k4/9/4r4/9/4R4/9/b8/1S7/2K6 P");
  CHECK(is_legal(p, kGoesUp, 5, 4) && is_legal(p, kGoesUp, 5, 3));
  CHECK(is_legal(p, 1, 9, 7));  // the silver captures the bishop that pins it
  CHECK(!is_legal(p, kGoesUp, 8, 7));
  const ShogiRules::Position pinned = position_of("4r3k/9/9/9/4R4/9/9/9/4K4 ");
  CHECK(is_legal(pinned, kGoesUp, 5, 1) && is_legal(pinned, kGoesDown, 5, 8));
  CHECK(!is_legal(pinned, 3, 6, 5) && !is_legal(pinned, 4, 4, 5));
}

TEST(a_check_is_ended_by_a_drop_between_a_capture_or_a_step) {
  const ShogiRules::Position p = position_of("4k4/9/9/4r4/9/9/9/9/4K2R1 PN");
  for (i32 rank = 1; rank <= 9; ++rank) {
    CHECK_EQ(is_legal(p, kDropsPawn, 5, rank), rank >= 5 && rank <= 8);
    CHECK(!is_legal(p, kDropsPawn, 4, rank));
  }
  const ShogiRules::Position twice = position_of("4k4/9/9/4r4/9/9/3n5/9/4K4 PG");
  for (i32 action = 81 * kDropsPawn; action < ShogiRules::kActions; ++action)
    CHECK(!ShogiRules::is_legal(twice, action));
}

TEST(games_of_shogi_end) {
  ShogiRules::Position p = position_of("4k4/9/4P4/9/9/9/9/9/4K4 G");
  MoveResult result = ShogiRules::play(p, 81 * 26 + square(5, 2), /*legal=*/true);
  CHECK(result.over && result.reward == 1);
  p = position_of("4k4/9/4P4/9/9/9/9/9/4K4 G");
  p.moves = 1;
  result = ShogiRules::play(p, 81 * 26 + square(5, 2), /*legal=*/true);
  CHECK(result.over && result.reward == -1);
  p = position_of("4k4/9/9/9/9/9/9/9/4K4 ");
  p.moves = 510;
  CHECK(!ShogiRules::play(p, square(5, 8), /*legal=*/true).over);
  result = ShogiRules::play(p, square(5, 8), /*legal=*/true);
  CHECK(result.over && result.reward == 0);
}

}  // namespace envpool::pgx

TEST_MAIN()
