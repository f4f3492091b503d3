// SPDX-License-Identifier: Apache-2.0
//
// Plays any moves from any bytes of positions of shogi and animal shogi.
#include <cstring>
#include <vector>

#include "envpool/pgx/animal_shogi.h"
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
      R::play(p, action);
    }
  }
}

TEST(any_bytes_are_a_position_of_animal_shogi) { survive<AnimalShogiRules, f32>(12 * 194, 12, 6); }

}  // namespace envpool::pgx

TEST_MAIN()
