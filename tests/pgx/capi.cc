// SPDX-License-Identifier: Apache-2.0
//
// Exports the rules of shogi to shogi_test.py, for positions that no game has led to.
#include "envpool/pgx/shogi.h"

using namespace envpool;
using namespace envpool::pgx;

extern "C" {
// `boards` has 81 squares for each position with pgx's numbers, seen by the player to move, and `hands` 2 * 7 counts.
void shogi_positions(const i32* boards, const i32* hands, bool* masks, bool* observations, i64 n) {
  using R = ShogiRules;
  for (i64 i = 0; i < n; ++i) {
    R::Position p{};
    for (i32 at = 0; at < R::kCells; ++at) {
      const i32 number = boards[R::kCells * i + at];
      if (number >= 0) p.board.put(at, number % R::kKinds + 1, number < R::kKinds);
    }
    for (i32 k = 0; k < 2 * R::kHandKinds; ++k) {
      p.hand[k / R::kHandKinds][k % R::kHandKinds] = i8(hands[2 * R::kHandKinds * i + k]);
    }
    R::find_legal(p);
    R::write_legal(p, false, masks + R::kActions * i);
    void* const fields[] = {observations + R::kCells * R::kChannels * i};
    const i64 row_bytes[] = {0};
    R::observe(p, 0, Row{fields, row_bytes, 0});
  }
}
}
