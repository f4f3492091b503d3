// SPDX-License-Identifier: Apache-2.0
//
// Leduc hold'em: each of two players gets one of six cards, two jacks, two queens and two kings. After a first round of
// bets, a public card is shown, and a second round follows. A player whose card has the rank of the public card wins,
// otherwise the higher card.
//
//   Action       i32, 0 calls or checks, 1 raises, by 2 chips in the first round and 4 in the second, 2 folds
//   Observation  bool[34] of each player: the own card (3), the public card in the second round (3), own chips in the
//                pot (14), those of the other player (14)
//   Reward       at the end, the chips that a player wins or loses: the smaller of the two stakes; 0 for equal cards
//   Terminated   after a fold, or a call in the second round; an illegal action loses one chip
//   Info         current_player; action_mask: two raises a round, and folding only after a raise; cards, i32[3], of
//                player 0, of player 1 and the public one: 0 jack, 1 queen, 2 king; chips, i32[2], of each player in
//                the pot; first_player; last_action of the round, -1 if there is none; raise_count and round, which
//                begin with 0; players.id
//   Reset        the cards are shuffled, each player has a chip in the pot and moves first with probability 1/2
//   Image        the card of player 0, the public one and the card of player 1: one disc is a jack, three are a king;
//                the chips are beside them
//
// Reference: pgx 2.6.0, leduc_holdem.
#pragma once

#include "envpool/pgx/turns.h"
#if ENVPOOL_HOST
#include "envpool/pgx/cards.h"
#endif

namespace envpool::pgx {

struct LeducHoldemRules {
  static constexpr const char* kName = "LeducHoldem";
  static constexpr i32 kCall = 0, kRaise = 1, kFold = 2, kActions = 3, kRanks = 3, kDeck = 6, kMostRaises = 2;
  static constexpr i32 kObserved = 34, kPublic = 2;
  static constexpr i32 kMostChips = 13, kMostIllegalChips = 17;  // of a player; after an illegal third raise
  static constexpr bool kShortSteps = true;
  static constexpr f32 kMostReward = kMostChips;
  enum OwnField { kCards = kOwn, kChips, kFirstPlayer, kLastAction, kRaiseCount, kRound };

  struct Position {
    i32 cards[3];  // of each seat, and the public one
    i32 chips[2];  // of each seat
    i32 last_action, raises, round, seat;
  };

#if ENVPOOL_HOST
  static void spec(Spec& s) {
    s.obs<bool>("obs", {kObserved})
        .per_player()
        .doc("own card (3), public card (3), own chips (14), the other player's chips (14)");
    s.info<i32>("cards", {3}).bounds(0, kRanks - 1).doc("of player 0, of player 1, public: 0 jack, 1 queen, 2 king");
    s.info<i32>("chips", {2}).bounds(1, kMostIllegalChips).doc("of each player in the pot");
    s.info<i32>("first_player").categories(2).doc("the player who moves first in each round");
    s.info<i32>("last_action").bounds(-1, kFold).doc("the last action of the round; -1 if there is none");
    s.info<i32>("raise_count").bounds(0, kMostRaises + 1).doc("raises in the round");
    s.info<i32>("round").bounds(0, 2).doc("0 before the public card, 1 after it, 2 after the second round");
    s.action<i32>().categories(kActions).doc("0 calls or checks, 1 raises, 2 folds");
    s.render_fps = 2;
    CardTable::set_size(s, 3);
  }
  static void render(const Position& p, i32 first, u8* rgb) {
    CardTable table(rgb, 3);
    for (i32 player = 0; player < 2; ++player) {
      table.card(2 * player, p.cards[first ^ player]);
      table.chips(2 * player, p.chips[first ^ player]);
    }
    if (p.round > 0) table.card(1, p.cards[kPublic]);
  }
#endif

  ENVPOOL_FN static void begin(Position& p, BlockRng& rng) {
    // The number of each card among those that are left, and then among all six.
    const i32 one = i32(rng.below(kDeck));
    i32 two = i32(rng.below(kDeck - 1)), three = i32(rng.below(kDeck - 2));
    two += i32(two >= one);
    three += i32(three >= min(one, two));
    three += i32(three >= max(one, two));
    p = {
        .cards = {one / 2, two / 2, three / 2}, .chips = {1, 1}, .last_action = -1, .raises = 0, .round = 0, .seat = 0};
  }
  ENVPOOL_FN static i32 seat(const Position& p) { return p.seat; }
  ENVPOOL_FN static bool is_legal(const Position& p, i32 action) {
    const bool may_raise = p.raises < kMostRaises, may_fold = p.last_action == kRaise;
    return (action == kCall) | (action == kRaise ? may_raise : may_fold);
  }
  ENVPOOL_FN static void write_legal(const Position& p, bool all, bool* mask) {
    for (i32 action = 0; action < kActions; ++action) mask[action] = all || is_legal(p, action);
  }

  ENVPOOL_FN static MoveResult play(Position& p, i32 action) {
    const i32 mover = p.seat, other = 1 - mover;
    // There are few branches, which would be mispredicted.
    const bool folds = action == kFold, calls = (action == kCall) & (p.last_action >= 0);
    const bool round_over = folds | calls, over = folds | (calls & (p.round > 0));
    const i32 own = p.chips[mover], others = p.chips[other], raised = max(own, others) + 2 * (p.round + 1);
    const i32 bet = action == kCall ? others : action == kRaise ? raised : own;
    p.chips[mover] = bet;
    const i32 stake = over ? min(bet, others) : 0;
    const i32 won = folds ? -1 : compared(p, mover);
    p.last_action = round_over ? -1 : action;
    p.raises = round_over ? 0 : p.raises + i32(action == kRaise);
    p.round += i32(round_over);
    p.seat = round_over ? 0 : other;
    return {over, f32((mover == 0 ? won : -won) * stake)};
  }

  ENVPOOL_FN static void observe(const Position& p, i32 seat, Row row) {
    bool* const obs = row.at<bool, kObserved>(kObs);
    // After an illegal raise, more than 13 chips have a place among those of the other player, or none, as in pgx.
    const i32 own = 6 + p.chips[seat], other = 20 + p.chips[1 - seat];
#ifdef __CUDACC__
    for (i32 rank = 0; rank < kRanks; ++rank) {
      obs[rank] = p.cards[seat] == rank;
      obs[kRanks + rank] = p.round == 1 && p.cards[kPublic] == rank;
    }
    for (i32 i = 2 * kRanks; i < kObserved; ++i) obs[i] = i == own || i == other;
#else
    const i32 card = p.cards[seat], shown = kRanks + p.cards[kPublic];
    const bool shows = p.round == 1;
    for (i32 i = 0; i < kObserved; ++i) obs[i] = false;
    obs[card] = true;
    obs[shown] = shows;
    obs[own] = true;
    obs[other < kObserved ? other : card] = true;
#endif
  }
  ENVPOOL_FN static void describe(const Position& p, i32 first, Row row) {
    i32* const cards = row.at<i32, 3>(kCards);
    for (i32 player = 0; player < 2; ++player) {
      cards[player] = p.cards[first ^ player];
      row.at<i32, 2>(kChips)[player] = p.chips[first ^ player];
    }
    cards[kPublic] = p.cards[kPublic];
    *row.at<i32, 1>(kFirstPlayer) = first;
    *row.at<i32, 1>(kLastAction) = p.last_action;
    *row.at<i32, 1>(kRaiseCount) = p.raises;
    *row.at<i32, 1>(kRound) = p.round;
  }
  ENVPOOL_FN static void repair(Position& p) {
    for (i32& card : p.cards) keep_within(card, 0, kRanks - 1);
    for (i32& chips : p.chips) keep_within(chips, 1, kMostIllegalChips);
    keep_within(p.last_action, -1, kFold);
    keep_within(p.raises, 0, kMostRaises + 1);
    keep_within(p.round, 0, 2);
    p.seat &= 1;
  }

 private:
  // Returns 1 if the cards of the player who moves win, -1 if the other one's do, and 0 if neither do.
  ENVPOOL_FN static i32 compared(const Position& p, i32 mover) {
    const i32 own = p.cards[mover], other = p.cards[1 - mover], shown = p.cards[kPublic];
    const bool wins = (own == shown) | ((other != shown) & (own > other));
    return i32(own != other) * (2 * i32(wins) - 1);
  }
};

struct LeducHoldem : Turns<LeducHoldem, LeducHoldemRules> {};

}  // namespace envpool::pgx
