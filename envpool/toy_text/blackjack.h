// SPDX-License-Identifier: Apache-2.0
//
// Blackjack: cards summing up to as near to 21 as possible, not beyond, against a dealer; from an infinite deck.
//
//   Cards        1 (an ace, which counts as 11 where that does not go beyond 21: "usable"), 2 to 9, and 10 four times
//   Action       i32, 0 sticks: the dealer draws up to 17 or more, and sums are compared; 1 hits: draws a card
//   Observation  i32[3]: own sum, the dealer's first card, 1 if there is a usable ace
//   Reward       1 for winning, 0 for a draw, -1 for losing. A natural is an ace and a ten dealt at the start: with
//   `sab`
//                one wins against every hand but another natural; without, with `natural`, winning by one is worth 1.5
//   Terminated   after sticking, and beyond 21
//   Truncated    never
//   Reset        two cards each
//
// R. Sutton, A. Barto, "Reinforcement learning: an introduction" (2nd edition, 2018), example 5.1.
// Reference: gymnasium 1.4.0, toy_text/blackjack.py.
#pragma once

#include "envpool/core/api.h"

namespace envpool::toy_text {

struct Blackjack {
  static constexpr const char* kName = "Blackjack";
  static constexpr u32 kRanks = 13;

  // Of a hand, all that the rules ask for.
  struct Hand {
    u8 hard;  // its sum with aces as 1
    u8 ace;   // 1 if it has one
    u8 cards;

    ENVPOOL_FN bool usable_ace() const { return ace != 0 && hard + 10 <= 21; }
    ENVPOOL_FN i32 sum() const { return hard + (usable_ace() ? 10 : 0); }
    ENVPOOL_FN i32 score() const { return sum() > 21 ? 0 : sum(); }
    ENVPOOL_FN bool natural() const { return cards == 2 && sum() == 21; }
    // One of the thirteen ranks, from 0, the ace. Returns the card's value.
    ENVPOOL_FN u8 take(u32 rank) {
      const u8 card = u8(min(rank + 1, 10u));
      hard = u8(hard + card);
      ace = u8(ace | (card == 1));
      ++cards;
      return card;
    }
    ENVPOOL_FN void draw(Rng& rng) { take(rng.below(kRanks)); }
  };

  struct Params {
    bool natural, sab;
  };
  struct State {
    Hand player, dealer;
    u8 shown;  // the dealer's first card
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.boolean("natural", false, "winning by a natural is worth 1.5; sab overrides it");
    o.boolean("sab", true, "a natural wins, as in Sutton and Barto, against all but another");
  }
  static Params params(const OptionValues& v) { return {.natural = v.boolean("natural"), .sab = v.boolean("sab")}; }
  static void spec(const Params& p, Spec& s) {
    s.obs<i32>("obs", {3}).bounds(0, 31).says("own sum, the dealer's first card, 1 if there is a usable ace");
    s.action<i32>().categories(2).says("0 sticks, 1 hits");
    s.reward_low = -1;
    s.reward_high = p.natural && !p.sab ? 1.5 : 1;
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params&, Rng& rng) {
    u32 deal = rng.below(kRanks * kRanks * kRanks * kRanks);  // all four cards at the price of one
    const auto next = [&deal] {
      const u32 rank = deal % kRanks;
      deal /= kRanks;
      return rank;
    };
    s = {};
    s.shown = s.dealer.take(next());
    s.dealer.take(next());
    s.player.take(next());
    s.player.take(next());
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    if (*action.at<i32>(0) == 1) {
      s.player.draw(rng);
      const bool bust = s.player.sum() > 21;
      return {.reward = bust ? -1.0f : 0.0f, .terminated = bust};
    }
    while (s.dealer.sum() < 17) s.dealer.draw(rng);
    return {.reward = payoff(s.player, s.dealer, p), .terminated = true};
  }

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) {
    i32* const obs = row.at<i32, 3>(0);
    obs[0] = s.player.sum();
    obs[1] = s.shown;
    obs[2] = s.player.usable_ace();
  }

 private:
  ENVPOOL_FN static f32 payoff(const Hand& player, const Hand& dealer, const Params& p) {
    const i32 difference = player.score() - dealer.score();
    const f32 reward = difference > 0 ? 1.0f : (difference < 0 ? -1.0f : 0.0f);
    if (!player.natural()) return reward;
    if (p.sab) return dealer.natural() ? reward : 1.0f;
    return p.natural && reward == 1.0f ? 1.5f : reward;
  }
};

}  // namespace envpool::toy_text
