// SPDX-License-Identifier: Apache-2.0
//
// Backgammon: each of two players moves fifteen checkers over 24 points into the last six, and from there off the
// board. An action moves one checker by one die; after the last die, or if none can be played, the other player rolls.
//
//   Action       i32, source * 6 + die - 1: source 0 ends a turn in which no die can be played, 1 is the bar, and
//                2 to 25 are the points
//   Observation  i32[34] of each player: the board, as in `board`, which is the same for both; how many dice of each
//                number the player to move can still play, which is 0 for the other player
//   Reward       at the end, 1 for the winner; 2 if the other player has borne off no checker, and 3 if the winner's
//                last six points then have such checkers; the other player gets the negation
//   Terminated   when a player has borne off all checkers; an illegal move loses 3
//   Info         current_player; action_mask, the legal moves of a checker with a die, or source 0 with any die if
//                there are none; board, i32[28], as the player to move sees it, who moves upwards: the checkers on the
//                24 points, on both bars and borne off; the other player's are negative; dice, i32[2], of the turn, 0
//                for a one; playable_dice, i32[4], the dice left, -1 for none; played_dice_num; turn, 0 or 1 for black
//                or white; players.id
//   Reset        the two dice differ, all such rolls are equally likely, and white begins if the second is higher; each
//                player has black with probability 1/2
//   Image        black's checkers move from the upper right to the left, and back to the lower right, where they are
//                borne off; a stack of more than five has its number. Black's dice are on the right, white's on the
//                left; those that have been played are gray
//
// The rules that concern several dice are missing, as in pgx: a player need not play both dice, nor the higher one.
//
// Reference: pgx 2.6.0, backgammon. An illegal move changes the counts by as much as a legal one, as in pgx: a point
// that is left with -1 checkers has one of the other player.
#pragma once

#include "envpool/pgx/turns.h"
#if ENVPOOL_HOST
#include "envpool/pgx/backgammon_picture.h"
#endif

namespace envpool::pgx {

struct BackgammonRules {
  static constexpr const char* kName = "Backgammon";
  static constexpr f32 kMostReward = 3, kIllegalReward = 3;
  static constexpr i32 kPoints = 24, kBar = 24, kOff = 26, kPlaces = 28;  // the other player's bar and off follow
  static constexpr i32 kFaces = 6, kHome = kPoints - kFaces, kCheckers = 15, kMostDice = 4;
  static constexpr i32 kSources = kPoints + 2, kActions = kSources * kFaces, kObserved = kPlaces + kFaces;
  enum OwnField { kBoard = kOwn, kDice, kPlayableDice, kPlayedDice, kTurn };

  struct Position {
    u64 counts[4];  // a signed byte for each place, as the player to move sees them
    u8 dice[2];     // 0 is a one
    u8 playable;    // a bit for each die that is left: of two different dice, or of four equal ones, the lowest first
    u8 played;      // dice of this turn
    i32 seat;       // the player to move: 0 black, 1 white
  };

#if ENVPOOL_HOST
  static void spec(Spec& s) {
    s.obs<i32>("obs", {kObserved})
        .per_player()
        .bounds(-kMost, kMost)
        .doc("board (28); dice of each number that this player, if it is to move, can still play (6)");
    s.info<i32>("board", {kPlaces})
        .bounds(-kMost, kMost)
        .doc("checkers of the player to move, those of the other one negative: points (24), bars (2), borne off (2)");
    s.info<i32>("dice", {2}).bounds(0, kFaces - 1).doc("of this turn; 0 is a one");
    s.info<i32>("playable_dice", {kMostDice}).bounds(-1, kFaces - 1).doc("the dice that are left; -1: none");
    s.info<i32>("played_dice_num").bounds(0, kMostDice).doc("dice that have been played in this turn");
    s.info<i32>("turn").categories(2).doc("0: black is to move, 1: white");
    s.action<i32>().categories(kActions).doc("source * 6 + die - 1; source 0: no move, 1: bar, 2 to 25: points");
    s.render_fps = 2;
    BackgammonPicture::set_size(s);
  }
  static void render(const Position& p, i32, u8* rgb) {
    BackgammonPicture picture(rgb);
    for (i32 place = 0; place < kPlaces; ++place) {
      picture.checkers(place, count(p, p.seat == 0 ? place : flipped(place)) * (p.seat == 0 ? 1 : -1));
    }
    const i32 rolled = p.dice[0] == p.dice[1] ? kMostDice : 2;
    for (i32 i = 0; i < rolled; ++i) picture.die(p.seat, i, p.dice[i & 1] + 1, (p.playable >> i & 1) != 0);
  }
#endif

  ENVPOOL_FN static void begin(Position& p, Rng& rng) {
    for (i32 word = 0; word < 4; ++word) p.counts[word] = first_counts(word);
    const i32 roll = i32(rng.below(kFaces * (kFaces - 1))), one = roll / (kFaces - 1), other = roll % (kFaces - 1);
    set_dice(p, one, other + (other >= one));
    p.seat = i32(p.dice[1] > p.dice[0]);
  }
  ENVPOOL_FN static i32 seat(const Position& p) { return p.seat; }

  ENVPOOL_FN static bool is_legal(const Position& p, i32 action) {
    const Legal legal(p);
    const i32 die = action % kFaces;
    const u32 sources = (die == p.dice[0] ? legal.sources[0] : 0) | (die == p.dice[1] ? legal.sources[1] : 0);
    return action < kFaces ? legal.none() : (sources >> action / kFaces & 1) != 0;
  }
  ENVPOOL_FN static void write_legal(const Position& p, bool all, bool* mask) {
    const Legal legal(p);
    for (i32 i = 0; i < kActions; ++i) mask[i] = all;
    for (i32 i = 0; i < 2; ++i) {
      for (u32 rest = legal.sources[i]; rest != 0; rest &= rest - 1) mask[kFaces * lowest(rest) + p.dice[i]] = true;
    }
    for (i32 face = 0; face < kFaces; ++face) mask[face] |= legal.none();
  }

  ENVPOOL_FN static MoveResult play(Position& p, i32 action, Rng& rng) {
    const i32 source = action / kFaces, die = action % kFaces, mover = p.seat;
    if (source > 0) {
      move(p, source == 1 ? kBar : source - 2, die);
      if (p.dice[0] == p.dice[1]) {
        p.playable >>= 1;
      } else {
        p.playable &= u8(~(u32(die == p.dice[0]) | u32(die == p.dice[1]) << 1));
      }
      p.played += 1;
    }
    if (count(p, kOff) == kCheckers) {
      const bool none_off = count(p, kOff + 1) == 0, some_home = (p.counts[2] & kHomeBytes) != 0;
      const f32 reward = none_off ? (some_home ? 3.0f : 2.0f) : 1.0f;
      return {true, mover == 0 ? reward : 0.0f - reward};
    }
    if (source == 0 || p.playable == 0) {
      flip(p);
      const i32 roll = i32(rng.below(kFaces * kFaces));
      set_dice(p, roll / kFaces, roll % kFaces);
    }
    return {false, 0.0f};
  }

  ENVPOOL_FN static void observe(const Position& p, i32 seat, Row row) {
    i32* const obs = row.at<i32, kObserved>(kObs);
    write_counts(p, obs);
    i32* const dice = obs + kPlaces;
    for (i32 face = 0; face < kFaces; ++face) dice[face] = 0;
    for (i32 i = 0; i < kMostDice; ++i) dice[p.dice[i & 1]] += i32(seat == p.seat && (p.playable >> i & 1) != 0);
  }
  ENVPOOL_FN static void describe(const Position& p, i32, Row row) {
    write_counts(p, row.at<i32, kPlaces>(kBoard));
    i32* const playable = row.at<i32, kMostDice>(kPlayableDice);
    for (i32 i = 0; i < kMostDice; ++i) playable[i] = (p.playable >> i & 1) != 0 ? p.dice[i & 1] : -1;
    for (i32 i = 0; i < 2; ++i) row.at<i32, 2>(kDice)[i] = p.dice[i];
    *row.at<i32, 1>(kPlayedDice) = p.played;
    *row.at<i32, 1>(kTurn) = p.seat;
  }

  // A player of a game has at most 16 checkers, one of them after an illegal move from an empty point.
  ENVPOOL_FN static void repair(Position& p) {
    i32 own = 0, others = 0;
    for (i32 place = 0; place < kPlaces; ++place) {
      own += max(count(p, place), 0);
      others -= min(count(p, place), 0);
    }
    for (i32 word = 0; word < 4; ++word) {
      if (max(own, others) > kMost) p.counts[word] = first_counts(word);
    }
    p.counts[3] &= 0xFFFFFFFF;
    p.seat &= 1;
    for (u8& die : p.dice) keep_within(die, u8{0}, u8{kFaces - 1});
    const bool equal = p.dice[0] == p.dice[1];
    keep_within(p.played, u8{0}, u8(equal ? kMostDice : 2));
    p.playable = equal ? u8((1u << kMostDice >> p.played) - 1) : u8(p.playable & 3);
  }

 private:
  static constexpr i32 kMost = 16;  // the most checkers of a player in a place
  static constexpr u64 kOnes = 0x0101010101010101, kHighest = 0x8080808080808080, kHomeBytes = 0xFFFFFFFFFFFF0000;

  // The places from which a checker can be moved by each of the two dice: a bit for each source of an action.
  struct Legal {
    u32 sources[2];

    ENVPOOL_FN explicit Legal(const Position& p) {
      u32 own = 0, open = 0;  // points with own checkers, and points where a checker may land
      for (i32 word = 0; word < 3; ++word) {
        const u64 raised = p.counts[word] ^ kHighest;  // each count plus 128
        own |= highest_bits(raised - kOnes) << 8 * word;
        open |= highest_bits(raised + kOnes) << 8 * word;
      }
      const bool on_bar = count(p, kBar) > 0, all_home = own >> kHome << kHome == own && count(p, kBar) == 0;
      const u32 rearmost = own & (0 - own);
      for (i32 i = 0; i < 2; ++i) {
        const i32 distance = p.dice[i] + 1;
        const u32 exact = 1u << (kPoints - distance);
        // From a point nearer than the die, a checker is borne off only if none is behind it.
        const u32 off = own & (exact | (rearmost > exact ? rearmost : 0));
        const u32 points = count(p, kBar) == 0 ? own & open >> distance : 0;
        const u32 bar = u32(on_bar) & open >> p.dice[i];
        const bool left = (p.playable >> i & 1) != 0 || (p.playable >> (i + 2) & 1) != 0;
        sources[i] = left ? (points | (all_home ? off : 0)) << 2 | bar << 1 : 0;
      }
    }
    ENVPOOL_FN bool none() const { return (sources[0] | sources[1]) == 0; }
  };

  ENVPOOL_FN static i32 count(const Position& p, i32 place) { return i8(p.counts[place >> 3] >> 8 * (place & 7)); }
  ENVPOOL_FN static void add(Position& p, i32 place, i32 checkers) {
    u64& word = p.counts[place >> 3];
    const i32 shift = 8 * (place & 7);
    word = (word & ~(u64{0xFF} << shift)) | u64{u8(count(p, place) + checkers)} << shift;
  }
  // Returns the highest bit of each byte.
  ENVPOOL_FN static u32 highest_bits(u64 bytes) { return u32((bytes >> 7 & kOnes) * 0x0102040810204080 >> 56); }

  // Returns a word of the counts with which a game begins.
  ENVPOOL_FN static u64 first_counts(i32 word) {
    constexpr i8 kFirst[4][8] = {
        {2, 0, 0, 0, 0, -5, 0, -3}, {0, 0, 0, 5, -5, 0, 0, 0}, {3, 0, 5, 0, 0, 0, 0, -2}, {0, 0, 0, 0, 0, 0, 0, 0}};
    u64 counts = 0;
    for (i32 i = 0; i < 8; ++i) counts |= u64{u8(kFirst[word][i])} << 8 * i;
    return counts;
  }
  ENVPOOL_FN static void set_dice(Position& p, i32 one, i32 other) {
    p.dice[0] = u8(one);
    p.dice[1] = u8(other);
    p.playable = one == other ? 0xF : 0x3;
    p.played = 0;
  }

  ENVPOOL_FN static void move(Position& p, i32 from, i32 die) {
    const i32 onward = from + die + 1;
    const i32 to = from == kBar ? die : onward < kPoints ? onward : kOff;
    const bool hits = count(p, to) == -1;
    if (hits) add(p, kBar + 1, -1);
    add(p, from, -1);
    add(p, to, hits ? 2 : 1);
  }

  // Returns the place of the other player's board that is the same place.
  ENVPOOL_FN static i32 flipped(i32 place) { return place < kPoints ? kPoints - 1 - place : place ^ 1; }
  // Lets the other player move.
  ENVPOOL_FN static void flip(Position& p) {
    const u64 last = p.counts[3];
    const u64 words[4] = {reversed(p.counts[2]), reversed(p.counts[1]), reversed(p.counts[0]),
                          (last >> 8 & 0x00FF00FF) | (last << 8 & 0xFF00FF00)};
    // 127 minus each count never borrows from the next byte; nor does adding one to it carry.
    for (i32 word = 0; word < 4; ++word) p.counts[word] = (~(words[word] ^ kHighest) + kOnes) ^ kHighest;
    p.counts[3] &= 0xFFFFFFFF;
    p.seat = 1 - p.seat;
  }
  ENVPOOL_FN static u64 reversed(u64 bytes) {
    bytes = (bytes >> 8 & 0x00FF00FF00FF00FF) | (bytes & 0x00FF00FF00FF00FF) << 8;
    bytes = (bytes >> 16 & 0x0000FFFF0000FFFF) | (bytes & 0x0000FFFF0000FFFF) << 16;
    return bytes >> 32 | bytes << 32;
  }

  ENVPOOL_FN static void write_counts(const Position& p, i32* to) {
#ifdef __CUDACC__
    for (i32 place = 0; place < kPlaces; ++place) to[place] = count(p, place);
#else
    i8 counts[sizeof(p.counts)];
    __builtin_memcpy(counts, p.counts, sizeof(counts));
    for (i32 place = 0; place < kPlaces; ++place) to[place] = counts[place];
#endif
  }
};

struct Backgammon : Turns<Backgammon, BackgammonRules> {};

}  // namespace envpool::pgx
