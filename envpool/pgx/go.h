// SPDX-License-Identifier: Apache-2.0
//
// Go: two players put stones on the points of a board. Stones of a color that are next to each other are a chain. A
// chain without empty points next to it, its liberties, is captured.
//
//   Action       i32, the point row * side + column for the stone of the player to move; side * side passes
//   Observation  bool[side][side][17] of each player: for the last 8 positions, the newest first, its own stones and
//                those of the other player; then whether the player has White
//   Reward       at the end, 1 for the winner and -1 for the other player
//   Terminated   when both players pass in succession, or after 2 * side * side moves: Black wins if its area, its
//                stones and the empty points that only they surround, is larger than White's plus the komi. An illegal
//                move loses. In Go9x9, Go13x13 and Go19x19, a stone also loses if it repeats an earlier position
//   Info         current_player; action_mask, the legal moves; board, i32[side][side]: 1 black, -1 white, 0 empty; ko,
//                the point that the ko rule forbids, or -1; is_psk, whether the move has repeated a position;
//                consecutive_pass_count; black_area, white_area; players.id
//   Reset        the board is empty; each player has Black, which moves first, with probability 1/2
//   Image        the newest stone has a mark
//
// A stone is legal on an empty point if its chain then has a liberty. Two stones cannot capture each other in turn: the
// point of a captured stone is illegal in the next move, if that stone had captured it and stood alone (ko). With
// Chinese rules (ChineseGo9x9, ChineseGo13x13, ChineseGo19x19), stones that would repeat a position are illegal too.
//
// Positions are compared by hashes of 64 bits; those of pgx have 62 bits. Everything else follows from sets of points.
// The stones in atari, whose chains have one liberty, are kept as such a set. A move changes it only for chains next to
// the new stone or to captured ones, so chains need neither numbers nor counts of liberties.
//
// Reference: pgx 2.6.0, go; for Chinese rules, which pgx does not have, EnvPool 1.2.7.
#pragma once

#include "envpool/pgx/hash.h"
#include "envpool/pgx/hash_set.h"
#include "envpool/pgx/points.h"
#include "envpool/pgx/turns.h"

namespace envpool::pgx {

struct GoParams {
  f32 komi;
  i32 most_moves;
};

enum class Repetition { kLoses, kIsIllegal };  // what a stone does that repeats an earlier position

template <i32 kSide, Repetition kRepetition>
struct GoRules {
  static constexpr bool kChinese = kRepetition == Repetition::kIsIllegal;
  static constexpr const char* kName = kSide == 9    ? kChinese ? "ChineseGo9x9" : "Go9x9"
                                       : kSide == 13 ? kChinese ? "ChineseGo13x13" : "Go13x13"
                                       : kChinese    ? "ChineseGo19x19"
                                                     : "Go19x19";
  static constexpr f32 kMostReward = 1;
  static constexpr i32 kCells = kSide * kSide, kPass = kCells, kActions = kCells + 1;
  static constexpr i32 kMostMoves = 2 * kCells, kHistory = 8, kPlanes = 2 * kHistory + 1;
  static constexpr i32 kHistoryWords = (kSide * (kSide + 1) + 7) / 8 * 2;

  using Set = Points<kSide>;
  using Params = GoParams;
  struct Position {
    Set stones[2];               // Black's and White's
    Set atari;                   // the stones of both whose chains have one liberty, see put()
    Set legal;                   // the points where the player to move may put a stone
    Set lost[kChinese ? 2 : 1];  // with Chinese rules: the points where stones of each color have been captured
    u64 hash;                    // of the stones
    // Four points each, in 16 bits: whether Black had a stone there k moves ago in bit k, and White in bit 8 + k.
    u64 history[kHistoryWords];
    i32 moves;                                  // so far
    i32 passes;                                 // the last moves that were passes
    i32 ko;                                     // -1: none
    i32 area[2];                                // Black's and White's
    bool repeated;                              // the last move has repeated a position
    HashSet<kMostMoves + kMostMoves / 4> seen;  // the positions after moves that were stones
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.real("komi", 7.5, "points that White gets for moving second").between(-kCells, kCells).sets(&Params::komi);
    o.integer("max_terminal_steps", 0, "moves after which the game ends; 0: twice as many as there are points")
        .between(0, kMostMoves)
        .sets(&Params::most_moves);
  }
  static void spec(Spec& s) {
    s.obs<bool>("obs", {kSide, kSide, kPlanes})
        .per_player()
        .doc(
            "own stones and stones of the other player in each of the last 8 positions; whether this player has White");
    s.info<i32>("board", {kSide, kSide}).bounds(-1, 1).doc("1 black stones, -1 white ones, 0 empty");
    s.info<i32>("ko").bounds(-1, kCells - 1).doc("the point that the ko rule forbids; -1: none");
    s.info<bool>("is_psk").doc("whether the last move has repeated an earlier position, and has lost");
    s.info<i32>("consecutive_pass_count").bounds(0, 2).doc("the last moves that were passes");
    s.info<i32>("black_area").bounds(0, kCells).doc("black stones, and empty points that no white stone reaches");
    s.info<i32>("white_area").bounds(0, kCells).doc("white stones, and empty points that no black stone reaches");
    s.action<i32>().categories(kActions).doc("row * " + std::to_string(kSide) +
                                             " + column of the stone of the player to move; " + std::to_string(kPass) +
                                             " passes");
    s.render_fps = 2;
    drawing::Board::set_size(s, kSide, kSide);
  }
  static void render(const Position& p, i32, u8* rgb) {
    constexpr drawing::Color kWood{222, 184, 122}, kLine{88, 66, 40};
    drawing::Board board(rgb, kSide, kSide, kWood);
    drawing::Canvas& canvas = board.canvas();
    canvas.box(-1, -1, 1024, 1024, kWood);  // no gaps between the cells
    for (i32 i = 0; i < kSide; ++i) {
      canvas.line(board.at(i + 0.5, 0.5), board.at(i + 0.5, kSide - 0.5), kLine, 1);
      canvas.line(board.at(0.5, i + 0.5), board.at(kSide - 0.5, i + 0.5), kLine, 1);
    }
    constexpr i32 kEdge = kSide == 9 ? 2 : 3, kMiddle = kSide / 2;
    for (i32 row : {kEdge, kMiddle, kSide - 1 - kEdge}) {
      for (i32 column : {kEdge, kMiddle, kSide - 1 - kEdge}) board.disc(row, column, 0.1, kLine);
    }
    for (i32 cell = 0; cell < kCells; ++cell) {
      const i32 bit = Set::bit_of(cell), row = cell / kSide, column = cell % kSide;
      const bool black = p.stones[0].has(bit), newest = (history(p, bit) >> (black ? 0 : 8) & 3) == 1;
      if (!black && !p.stones[1].has(bit)) continue;
      board.disc(row, column, 0.46, drawing::kBlack);
      if (!black) board.disc(row, column, 0.43, drawing::kEmpty);
      if (newest) board.disc(row, column, 0.15, drawing::kAgent);
    }
  }
#endif

  ENVPOOL_FN static void begin(Position& p, Rng&) {
    p = {};
    p.legal = Set::all();
    p.ko = -1;
    measure(p);
  }
  ENVPOOL_FN static i32 seat(const Position& p) { return p.moves & 1; }
  ENVPOOL_FN static bool is_legal(const Position& p, i32 action) {
    return action == kPass || p.legal.has(Set::bit_of(action));
  }
  ENVPOOL_FN static void write_legal(const Position& p, bool all, bool* mask) {
    (all ? Set::all() : p.legal).write(mask);
    mask[kPass] = true;
  }

  ENVPOOL_FN static MoveResult play(Position& p, i32 action, const Params& params) {
    p.ko = -1;
    p.repeated = false;
    if (action == kPass) {
      p.passes = p.passes < 2 ? p.passes + 1 : 2;
    } else {
      p.passes = 0;
      p.seen.prefetch(p.hash ^ key(Set::bit_of(action), seat(p)));  // unless it captures
      put(p, Set::bit_of(action));
      p.repeated = !p.seen.add(p.hash) && !kChinese;
    }
    remember(p);
    count_up(p.moves);
    find_legal(p);
    measure(p);
    const i32 most_moves = params.most_moves > 0 ? params.most_moves : kMostMoves;
    const bool over = p.passes == 2 || p.repeated || p.moves >= most_moves;
    // A repetition wins for the player to move.
    const bool black_wins = p.repeated ? seat(p) == 0 : f32(p.area[0]) - params.komi > f32(p.area[1]);
    return {over, !over ? 0.0f : black_wins ? 1.0f : -1.0f};
  }

  ENVPOOL_FN static void observe(const Position& p, i32 seat, Row row) {
    bool* obs = row.at<bool, kCells * kPlanes>(kObs);
    const bool white = seat == 1;
    for (i32 r = 0; r < kSide; ++r) {
      for (i32 column = 0; column < kSide; ++column, obs += kPlanes) {
        const u16 both = history(p, r * Set::kStride + column);
        const u16 own_first = white ? u16(both >> 8 | both << 8) : both;
#ifdef __CUDACC__
        for (i32 k = 0; k < kHistory; ++k) {
          obs[2 * k] = (own_first >> k & 1) != 0;
          obs[2 * k + 1] = (own_first >> (8 + k) & 1) != 0;
        }
#else
        // The planes of a point are the bits of both bytes in turn.
        constexpr u8x16 kBit = {1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128};
        const u8x16 bytes = u8x16(u16x8{} + own_first), planes = u8x16((bytes & kBit) == kBit) & 1;
        __builtin_memcpy(obs, &planes, sizeof(planes));
#endif
        obs[2 * kHistory] = white;
      }
    }
  }
  ENVPOOL_FN static void describe(const Position& p, i32, Row row) {
    i32* const board = row.at<i32, kCells>(kOwn);
    for (i32 r = 0; r < kSide; ++r) {
      for (i32 column = 0; column < kSide; ++column) {
        const i32 both = history(p, r * Set::kStride + column);
        board[r * kSide + column] = (both & 1) - (both >> 8 & 1);
      }
    }
    *row.at<i32, 1>(kOwn + 1) = p.ko;
    *row.at<bool, 1>(kOwn + 2) = p.repeated;
    *row.at<i32, 1>(kOwn + 3) = p.passes;
    *row.at<i32, 1>(kOwn + 4) = p.area[0];
    *row.at<i32, 1>(kOwn + 5) = p.area[1];
  }
  ENVPOOL_FN static void repair(Position& p) {
    for (Set& stones : p.stones) stones = stones & Set::all();
    p.legal = p.legal & Set::all();
    keep_within(p.moves, 0, kMostMoves);
    keep_within(p.passes, 0, 2);
    keep_within(p.ko, -1, kCells - 1);
    for (i32& area : p.area) keep_within(area, 0, kCells);
    keep_bool(p.repeated);
  }

 private:
#ifndef __CUDACC__
  typedef u8 u8x16 __attribute__((vector_size(16)));
  typedef u16 u16x8 __attribute__((vector_size(16)));
#endif

  // Returns the 16 bits of a point's history.
  ENVPOOL_ALWAYS_INLINE static u16 history(const Position& p, i32 bit) {
#ifdef __CUDACC__
    return u16(p.history[bit / 4] >> bit % 4 * 16);
#else
    u16 both;
    __builtin_memcpy(&both, reinterpret_cast<const u8*>(p.history) + bit * sizeof(both), sizeof(both));
    return both;
#endif
  }
  ENVPOOL_FN static Set empty(const Position& p) { return Set::all() - (p.stones[0] | p.stones[1]); }

  // Puts a stone of the player to move at a point.
  ENVPOOL_FN static void put(Position& p, i32 bit) {
    const i32 mover = seat(p);
    Set &own = p.stones[mover], &other = p.stones[1 - mover];
    const Set stone = Set::one(bit), beside = stone.beside() & Set::all();
    const Set captured = captured_by(p, bit, beside);
    if (captured.any()) {
      const bool alone = !(beside - other).any();
      if (alone && !captured.several()) p.ko = Set::cell_of(captured.lowest());
      other = other - captured;
      // Own chains next to captured stones have further liberties now.
      p.atari = p.atari - captured;
      const Set saved = captured.beside() & own & p.atari;
      if (saved.any()) p.atari = p.atari - saved.connected_in(own & p.atari);
      if constexpr (kChinese) p.lost[1 - mover] = p.lost[1 - mover] | captured;
    }
    // An illegal stone may replace another one.
    p.hash ^= key(bit, mover) ^ hash_of(captured, 1 - mover);
    if (own.has(bit)) p.hash ^= key(bit, mover);
    if (other.has(bit)) p.hash ^= key(bit, 1 - mover);
    own = own | stone;
    other = other - stone;

    const Set free = empty(p);
    Set chain = stone;
    // Stones in atari that are part of a chain with further liberties now may stay in the set: no empty point is next
    // to them, so nothing depends on them until stones beside them are captured.
    if (!has_liberties(chain, own, free)) p.atari = p.atari | chain;
    Set pressed = (beside & other) - p.atari;  // chains that lose a liberty
    while (pressed.any()) {
      chain = Set::one(pressed.lowest());
      if (!has_liberties(chain, other, free)) p.atari = p.atari | chain;
      pressed = pressed - chain;
    }
  }

  // Returns the stones that one of the player to move captures. A chain in atari next to an empty point has its only
  // liberty there.
  ENVPOOL_FN static Set captured_by(const Position& p, i32 bit, const Set& beside) {
    const i32 mover = seat(p);
    if (p.stones[0].has(bit) || p.stones[1].has(bit)) return Set::none();
    const Set doomed = p.stones[1 - mover] & p.atari, some = beside & doomed;
    return some.any() ? some.connected_in(doomed) : some;
  }

  // Returns whether the chain of `stones` with those in `chain` has several liberties. If not, `chain` becomes the
  // whole chain.
  ENVPOOL_FN static bool has_liberties(Set& chain, const Set& stones, const Set& free) {
    for (i32 i = 0; i < kCells; ++i) {
      const Set beside = chain.beside();
      if ((beside & free).several()) return true;
      const Set more = (beside & stones) - chain;
      if (!more.any()) return false;
      chain = chain | more;
    }
    return false;
  }

  // Finds the legal points of the player to move: next to an empty point, to an own chain with another liberty, or to a
  // chain that is captured.
  ENVPOOL_FN static void find_legal(Position& p) {
    const i32 mover = seat(p);
    const Set free = empty(p), helpful = free | (p.stones[mover] - p.atari) | (p.stones[1 - mover] & p.atari);
    p.legal = free & helpful.beside();
    if (p.ko >= 0) p.legal = p.legal - Set::one(Set::bit_of(p.ko));
    if constexpr (kChinese) {
      // A position can only come back if the player has lost a stone at the point.
      (p.legal & p.lost[mover]).for_each([&](i32 bit) {
        const Set stone = Set::one(bit), captured = captured_by(p, bit, stone.beside() & Set::all());
        if (p.seen.has(p.hash ^ key(bit, mover) ^ hash_of(captured, 1 - mover))) p.legal = p.legal - stone;
      });
    }
  }

  // Computes both areas. On an empty board, each player has all points, except with Chinese rules.
  ENVPOOL_FN static void measure(Position& p) {
    const Set free = empty(p);
    Set reached[2];
    for (i32 i = 0; i < 2; ++i) reached[i] = (p.stones[i].beside() & free).connected_in(free);
    for (i32 i = 0; i < 2; ++i) {
      const Set surrounded = (kChinese ? reached[i] : free) - reached[1 - i];
      p.area[i] = p.stones[i].count() + surrounded.count();
    }
  }

  ENVPOOL_FN static void remember(Position& p) {
    for (i32 i = 0; i < kHistoryWords; i += 2) {
      const u64 black = p.stones[0].words[i / 16] >> i % 16 * 4, white = p.stones[1].words[i / 16] >> i % 16 * 4;
#ifdef __CUDACC__
      for (i32 j = 0; j < 2; ++j) {
        const u64 now = even_bytes_of(black >> 4 * j) | even_bytes_of(white >> 4 * j) << 8;
        p.history[i + j] = (p.history[i + j] << 1 & 0xFEFEFEFEFEFEFEFE) | now;
      }
#else
      constexpr u16x8 kBit = {1, 2, 4, 8, 16, 32, 64, 128};
      u16x8 eight;  // points
      __builtin_memcpy(&eight, &p.history[i], sizeof(eight));
      eight = eight << 1 & 0xFEFE;
      eight |= u16x8(((u16x8{} + u8(black)) & kBit) == kBit) & 1;
      eight |= u16x8(((u16x8{} + u8(white)) & kBit) == kBit) & 256;
      __builtin_memcpy(&p.history[i], &eight, sizeof(eight));
#endif
    }
  }

  // Returns the random number of a stone; a position's hash is the exclusive or of those of its stones.
  ENVPOOL_FN static u64 key(i32 bit, i32 color) { return key_of(2 * bit + color + 1); }
  ENVPOOL_FN static u64 hash_of(const Set& stones, i32 color) {
    u64 hash = 0;
    stones.for_each([&](i32 bit) { hash ^= key(bit, color); });
    return hash;
  }
};

struct Go9x9 : Turns<Go9x9, GoRules<9, Repetition::kLoses>> {};
struct Go13x13 : Turns<Go13x13, GoRules<13, Repetition::kLoses>> {};
struct Go19x19 : Turns<Go19x19, GoRules<19, Repetition::kLoses>> {};
struct ChineseGo9x9 : Turns<ChineseGo9x9, GoRules<9, Repetition::kIsIllegal>> {};
struct ChineseGo13x13 : Turns<ChineseGo13x13, GoRules<13, Repetition::kIsIllegal>> {};
struct ChineseGo19x19 : Turns<ChineseGo19x19, GoRules<19, Repetition::kIsIllegal>> {};

}  // namespace envpool::pgx
