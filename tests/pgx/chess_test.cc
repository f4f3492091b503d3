// SPDX-License-Identifier: Apache-2.0
//
// Checks the moves and ends of chess in positions that random games rarely reach. The positions and numbers of move
// sequences are those of the page "Perft Results" of the Chess Programming Wiki.
#include "envpool/pgx/chess.h"

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "envpool/pgx/gardner_chess.h"
#include "tests/support/testing.h"

namespace envpool::pgx {

using Rules = ChessRules<ChessGame>;
using Position = Rules::Position;
using Board = ChessBoard<8>;

// Returns a position in Forsyth-Edwards notation, the first one of its game.
Position position_of(const std::string& text) {
  Position p{};
  std::size_t at = 0;
  for (i32 row = 7, column = 0; text[at] != ' '; ++at) {
    const char c = text[at];
    const std::size_t kind = std::string("pnbrqk").find(char(c | 32));
    if (c == '/') {
      --row, column = 0;
    } else if (kind == std::string::npos) {
      column += c - '0';
    } else {
      p.boards[0].put(8 * row + column++, (c & 32) != 0 ? -i32(kind) - 1 : i32(kind) + 1);
    }
  }
  p.moves = text[++at] == 'b';
  const std::string rights = p.moves == 0 ? "QKqk" : "qkQK";
  for (at += 2; text[at] != ' '; ++at) {
    if (text[at] != '-') p.castling |= u8(1 << rights.find(text[at]));
  }
  p.en_passant = -1;
  if (text[++at] != '-') {
    const i32 skipped = 8 * (text[at + 1] - '1') + text[at] - 'a';
    p.en_passant = p.moves == 0 ? skipped : Squares<8>::mirrored_square(skipped);
  }
  return p;
}

std::vector<i32> legal_actions(const Position& p) {
  static bool mask[Rules::kActions];
  Rules::write_legal(p, false, mask);
  std::vector<i32> actions;
  for (i32 action = 0; action < Rules::kActions; ++action) {
    if (mask[action]) actions.push_back(action);
  }
  return actions;
}

// Returns the number of sequences of `depth` moves.
i64 sequences(const Position& p, i32 depth) {
  const std::vector<i32> actions = legal_actions(p);
  if (depth == 1) return i64(actions.size());
  i64 total = 0;
  for (const i32 action : actions) {
    Position next = p;
    Rules::play(next, action, /*legal=*/true);
    total += sequences(next, depth - 1);
  }
  return total;
}

// Returns the action of a move such as e7e8n, seen by the player to move.
i32 action_of(const Position& p, const std::string& move) {
  i32 from = 8 * (move[1] - '1') + move[0] - 'a', to = 8 * (move[3] - '1') + move[2] - 'a';
  if (Rules::seat(p) == 1) from = Squares<8>::mirrored_square(from), to = Squares<8>::mirrored_square(to);
  const std::size_t promotion = move.size() < 5 ? 0 : std::string("nbr").find(move[4]) + 2;
  for (i32 plane = 0; plane < ChessActions<8>::kPlanes; ++plane) {
    const ChessMove found = ChessActions<8>::move_of(ChessActions<8>::first_action(from) + plane);
    if (found.to == to && std::size_t(found.promotion) == promotion) return ChessActions<8>::first_action(from) + plane;
  }
  return -1;
}

bool is_legal(const Position& p, const std::string& move) { return Rules::is_legal(p, action_of(p, move)); }

struct End {
  bool over;
  f32 reward;
};
End end_of(const std::string& position, const std::string& move) {
  Position p = position_of(position);
  CHECK(is_legal(p, move));
  const MoveResult result = Rules::play(p, action_of(p, move), /*legal=*/true);
  return {result.over, result.reward};
}

TEST(as_many_sequences_of_moves_as_chess_has) {
  const struct {
    const char* position;
    std::vector<i64> sequences;
  } kKnown[] = {
      {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", {20, 400, 8902, 197281}},
      {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", {48, 2039, 97862, 4085603}},
      {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", {14, 191, 2812, 43238, 674624}},
      {"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", {6, 264, 9467, 422333}},
      {"r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1", {6, 264, 9467, 422333}},
      {"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", {44, 1486, 62379, 2103487}},
      {"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", {46, 2079, 89890, 3894594}},
  };
  for (const auto& known : kKnown) {
    const Position p = position_of(known.position);
    for (std::size_t depth = 1; depth <= known.sequences.size(); ++depth) {
      CHECK_EQ(sequences(p, i32(depth)), known.sequences[depth - 1]);
    }
  }
}

TEST(single_actions_are_legal_if_the_mask_has_them) {
  for (const char* position : {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                               "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 b kq - 0 1",
                               "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"}) {
    const Position p = position_of(position);
    bool mask[Rules::kActions];
    Rules::write_legal(p, false, mask);
    for (i32 action = 0; action < Rules::kActions; ++action) CHECK_EQ(Rules::is_legal(p, action), mask[action]);
  }
}

TEST(a_king_castles_unless_a_piece_attacks_its_way) {
  for (const auto& [pieces, left, right] : std::vector<std::tuple<const char*, bool, bool>>{
           {"4k3/8/8/8/8/8/8/R3K2R w KQ -", true, true},
           {"4k3/8/8/8/8/8/8/R3K2R w K -", false, true},
           {"4k3/8/8/8/8/8/8/R3K2R w - -", false, false},
           {"4kr2/8/8/8/8/8/8/R3K2R w KQ -", true, false},  // passes f1
           {"3rk3/8/8/8/8/8/8/R3K2R w KQ -", false, true},  // passes d1
           {"2r1k1r1/8/8/8/8/8/8/R3K2R w KQ -", false, false},
           {"1r2k2r/8/8/8/8/8/8/R3K2R w KQ -", true, true},  // rooks and b1 may be attacked
           {"4k3/4r3/8/8/8/8/8/R3K2R w KQ -", false, false},
           {"4k3/8/8/8/8/8/6p1/R3K2R w KQ -", true, false},
           {"4k3/8/8/8/8/8/8/RN2K1NR w KQ -", false, false},
           {"4k3/8/8/8/8/8/8/N3K2B w KQ -", false, false},  // rights without rooks
           {"4k3/8/8/8/8/8/8/R2K3R w KQ -", false, false},
           {"4k3/8/8/8/8/8/8/r3K2r w KQ -", false, false}}) {
    const Position p = position_of(pieces);
    CHECK_EQ(is_legal(p, "e1c1"), left);
    CHECK_EQ(is_legal(p, "e1g1"), right);
  }
  Position p = position_of("r3k2r/8/8/8/8/8/8/4K3 b kq -");
  Rules::play(p, action_of(p, "e8c8"), /*legal=*/true);
  CHECK_EQ(p.boards[0].piece(58), -kKing);
  CHECK_EQ(p.boards[0].piece(59), -kRook);
  CHECK_EQ(p.boards[0].piece(56), kNoPiece);
  CHECK_EQ(i32(p.castling), 0);
  p = position_of("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -");
  Rules::play(p, action_of(p, "a1a8"), /*legal=*/true);
  CHECK_EQ(i32(p.castling), 10);  // to the right for both
}

TEST(only_the_king_moves_in_double_check) {
  const Position p = position_of("4k3/8/5N2/8/8/5q2/8/4R1K1 b - -");
  CHECK(!is_legal(p, "f3f6"));
  CHECK(!is_legal(p, "f3e3"));
  CHECK(is_legal(p, "e8f8"));
  CHECK_EQ(legal_actions(p).size(), 3u);  // to d8 and f7, too
}

TEST(a_pawn_is_captured_en_passant_unless_the_king_would_be_attacked) {
  CHECK(is_legal(position_of("4k3/8/8/3pP3/8/8/8/4K3 w - d6"), "e5d6"));
  CHECK(!is_legal(position_of("4k3/8/8/3pP3/8/8/8/4K3 w - -"), "e5d6"));
  CHECK(!is_legal(position_of("4k3/8/8/K2pP2r/8/8/8/8 w - d6"), "e5d6"));
  CHECK(!is_legal(position_of("4k3/b7/8/2K1P3/3p4/8/8/8 w - -"), "e5d6"));
  CHECK(!is_legal(position_of("4r1k1/8/8/3pP3/8/8/8/4K3 w - d6"), "e5d6"));
  CHECK(is_legal(position_of("6k1/8/8/3pP3/2K5/8/8/8 w - d6"), "e5d6"));  // the pawn gives check
  CHECK(is_legal(position_of("4k3/8/8/8/3Pp3/8/8/4K3 b - d3"), "e4d3"));
  Position p = position_of("4k3/8/8/3pP3/8/8/8/4K3 w - d6");
  Rules::play(p, action_of(p, "e5d6"), /*legal=*/true);
  CHECK_EQ(p.boards[0].piece(35), kNoPiece);
  CHECK_EQ(p.boards[0].piece(43), kPawn);
}

TEST(games_end) {
  CHECK_EQ(end_of("7k/6pp/8/8/8/8/8/K3R3 w - -", "e1e8").reward, 1);   // mate
  CHECK_EQ(end_of("k3r3/8/8/8/8/8/6PP/7K b - -", "e8e1").reward, -1);  // of white
  const End stalemate = end_of("7k/8/5K2/8/8/8/8/1Q6 w - -", "b1g6");
  CHECK(stalemate.over && stalemate.reward == 0);
  CHECK(end_of("k7/8/8/8/8/8/p7/K7 w - -", "a1a2").over);    // two kings
  CHECK(end_of("k7/8/8/8/8/1N6/p7/K7 w - -", "a1a2").over);  // and a knight
  CHECK(end_of("k7/8/8/8/8/1b6/P7/K7 b - -", "b3a2").over);  // and a bishop
  CHECK(!end_of("k7/8/8/8/8/1N6/p7/K5N1 w - -", "a1a2").over);
  CHECK(!end_of("k7/8/8/8/8/8/p7/K6R w - -", "a1a2").over);
  CHECK(!end_of("k7/8/8/8/8/8/p7/K6P w - -", "a1a2").over);
  CHECK(end_of("k1b5/8/8/8/8/8/p7/K4B2 w - -", "a1a2").over);  // bishops on one color
  CHECK(!end_of("kb6/8/8/8/8/8/p7/K4B2 w - -", "a1a2").over);
  CHECK(end_of("k1b1b3/8/8/8/8/8/p7/KB3B2 w - -", "a1a2").over);
  Position p = position_of("k7/8/8/8/8/8/8/K6R w - -");
  p.quiet_moves = 99;
  CHECK(Rules::play(p, action_of(p, "h1h2"), /*legal=*/true).over);
  p = position_of("k7/8/8/8/8/8/8/K6R w - -");
  p.moves = 510;
  CHECK(!Rules::play(p, action_of(p, "h1h2"), /*legal=*/true).over);
  CHECK(Rules::play(p, action_of(p, "a8a7"), /*legal=*/true).over);
  ChessRules<GardnerChessGame>::Position small;
  Rng rng;
  ChessRules<GardnerChessGame>::begin(small, rng);
  small.moves = 255;
  CHECK(ChessRules<GardnerChessGame>::play(small, 62, /*legal=*/true).over);  // the first pawn moves
}

u64 random_bits(u64& state) {
  state = state * 6364136223846793005 + 1442695040888963407;
  return state >> 33 ^ state << 31;
}

// Plays any moves from any bytes.
template <class Game>
void survive() {
  using R = ChessRules<Game>;
  static_assert(sizeof(typename R::Position) % 8 == 0);
  std::vector<f32> obs(R::kCells * R::kChannels);
  std::vector<u8> mask(R::kActions), rgb(512 * 512 * 3);
  i32 board[64];
  bool castling[4];
  i32 numbers[4];
  void* fields[] = {obs.data(), nullptr, nullptr, nullptr, board, numbers, numbers + 1, numbers + 2, nullptr, nullptr};
  if (R::kWhole) {
    fields[5] = castling;
    for (i32 i = 0; i < 4; ++i) fields[6 + i] = numbers + i;
  }
  const i64 row_bytes[10] = {};
  u64 random = 1;
  for (i32 round = 0; round < 3000; ++round) {
    typename R::Position p;
    u64 words[sizeof(p) / 8];
    for (u64& word : words) {
      word = random_bits(random);
      for (i32 i = round % 4; i > 0; --i) word &= random_bits(random);  // fewer pieces
    }
    std::memcpy(&p, words, sizeof(p));
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
      for (i32 tries = 0; move % 2 == 0 && tries < 2000 && mask[std::size_t(action)] == 0; ++tries) {
        action = (action + 1) % R::kActions;
      }
      CHECK_EQ(R::is_legal(p, action), mask[std::size_t(action)] != 0);
      R::play(p, action, R::is_legal(p, action));
    }
  }
}

TEST(any_bytes_are_a_position_of_chess) { survive<ChessGame>(); }
TEST(any_bytes_are_a_position_of_gardners_chess) { survive<GardnerChessGame>(); }

}  // namespace envpool::pgx

TEST_MAIN()
