// SPDX-License-Identifier: Apache-2.0
//
// Kuhn poker: each of two players gets one of three cards, a jack, a queen and a king, and may bet one chip.
//
//   Action       i32, 0 bets, or calls the other player's bet; 1 passes, or folds after a bet
//   Observation  bool[7] of each player: the own card (3), own chips (0 or 1), the other player's chips (0 or 1)
//   Reward       at the end, the chips that a player wins or loses: 1, or 2 after a bet that was called
//   Terminated   after a bet was called or folded, or both players passed
//   Info         current_player; action_mask, which is always true; cards, i32[2], of each player: 0 jack, 1 queen,
//                2 king; last_action, -1 if there is none; pot, i32[2], the chips that each player has bet; players.id
//   Reset        all deals are equally likely, and each player moves first with probability 1/2
//   Image        the cards of player 0 (above) and 1: one disc is a jack, three are a king; the chips are beside them
//
// Reference: pgx 2.6.0, kuhn_poker.
#pragma once

#include "envpool/pgx/turns.h"
#if ENVPOOL_HOST
#include "envpool/pgx/cards.h"
#endif

namespace envpool::pgx {

struct KuhnPokerRules {
  static constexpr const char* kName = "KuhnPoker";
  static constexpr i32 kBet = 0, kPass = 1, kActions = 2, kRanks = 3, kObserved = 7;
  static constexpr bool kShortSteps = true;
  static constexpr f32 kMostReward = 2;
  enum OwnField { kCards = kOwn, kLastAction, kPot };

  struct Position {
    i32 cards[2], chips[2];  // of each seat
    i32 last_action;         // or -1
    i32 seat;
  };

#if ENVPOOL_HOST
  static void spec(Spec& s) {
    s.obs<bool>("obs", {kObserved}).per_player().doc("own card (3), own chips (2), the other player's chips (2)");
    s.info<i32>("cards", {2}).bounds(0, kRanks - 1).doc("of each player: 0 jack, 1 queen, 2 king");
    s.info<i32>("last_action").bounds(-1, kPass).doc("the last action; -1 if there is none");
    s.info<i32>("pot", {2}).bounds(0, 1).doc("chips that each player has bet");
    s.action<i32>().categories(kActions).doc("0 bets or calls, 1 passes or folds");
    s.render_fps = 2;
    CardTable::set_size(s, 2);
  }
  static void render(const Position& p, i32 first, u8* rgb) {
    CardTable table(rgb, 2);
    for (i32 player = 0; player < 2; ++player) {
      table.card(player, p.cards[first ^ player]);
      table.chips(player, p.chips[first ^ player]);
    }
  }
#endif

  ENVPOOL_FN static void begin(Position& p, BlockRng& rng) {
    const i32 deal = i32(rng.below(kRanks * (kRanks - 1))), card = deal / 2, other = deal % 2;
    p = {.cards = {card, other + (other >= card)}, .chips = {0, 0}, .last_action = -1, .seat = 0};
  }
  ENVPOOL_FN static i32 seat(const Position& p) { return p.seat; }
  ENVPOOL_FN static bool is_legal(const Position&, i32) { return true; }
  ENVPOOL_FN static void write_legal(const Position&, bool, bool* mask) { mask[kBet] = mask[kPass] = true; }

  ENVPOOL_FN static MoveResult play(Position& p, i32 action) {
    const i32 mover = p.seat, last = p.last_action;
    const bool calls = (last == kBet) & (action == kBet), folds = (last == kBet) & (action == kPass);
    const bool passes = (last == kPass) & (action == kPass);
    p.chips[mover] |= i32(action == kBet);
    p.last_action = action;
    p.seat = 1 - mover;
    // There are no branches, which would be mispredicted.
    const bool wins = !folds & (p.cards[mover] > p.cards[1 - mover]), over = calls | folds | passes;
    const i32 stake = i32(over) + i32(calls), sign = i32(wins == (mover == 0)) * 2 - 1;
    return {over, f32(sign * stake)};
  }

  ENVPOOL_FN static void observe(const Position& p, i32 seat, Row row) {
    bool* const obs = row.at<bool, kObserved>(kObs);
#ifdef __CUDACC__
    for (i32 rank = 0; rank < kRanks; ++rank) obs[rank] = p.cards[seat] == rank;
    for (i32 chips = 0; chips < 2; ++chips) {
      obs[3 + chips] = p.chips[seat] == chips;
      obs[5 + chips] = p.chips[1 - seat] == chips;
    }
#else
    const auto byte = [](i32 at) { return u64{1} << 8 * at; };
    const u64 bytes = byte(p.cards[seat]) | byte(3 + p.chips[seat]) | byte(5 + p.chips[1 - seat]);
    __builtin_memcpy(obs, &bytes, kObserved);
#endif
  }
  ENVPOOL_FN static void describe(const Position& p, i32 first, Row row) {
    *row.at<i32, 1>(kLastAction) = p.last_action;
    for (i32 player = 0; player < 2; ++player) {
      row.at<i32, 2>(kCards)[player] = p.cards[first ^ player];
      row.at<i32, 2>(kPot)[player] = p.chips[first ^ player];
    }
  }
  ENVPOOL_FN static void repair(Position& p) {
    for (i32 seat = 0; seat < 2; ++seat) {
      keep_within(p.cards[seat], 0, kRanks - 1);
      keep_within(p.chips[seat], 0, 1);
    }
    keep_within(p.last_action, -1, kPass);
    p.seat &= 1;
  }
};

struct KuhnPoker : Turns<KuhnPoker, KuhnPokerRules> {};

}  // namespace envpool::pgx
