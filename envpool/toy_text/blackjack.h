// SPDX-License-Identifier: Apache-2.0
//
// Blackjack: the player draws cards to bring their sum close to 21 without exceeding it, and then plays against a
// dealer. The deck is infinite.
//
//   Cards        1 (an ace; it is "usable", and counts as 11, if the sum then does not exceed 21), 2 to 9, and four
//                kinds of 10
//   Action       i32, 0 sticks (the dealer draws until 17 or more, and the sums are compared), 1 hits (draws a card)
//   Observation  i32[3]: the player's sum, the dealer's first card, 1 if the player has a usable ace
//   Reward       1 for a win, 0 for a draw, -1 for a loss. A natural is an initial hand of an ace and a ten. With the
//                option sab, it wins against every hand except another natural. With the option natural, and without
//                sab, a win with a natural is worth 1.5
//   Terminated   after sticking, or when the sum exceeds 21
//   Truncated    never
//   Reset        two cards for each side
//
// R. Sutton, A. Barto, "Reinforcement learning: an introduction" (2nd edition, 2018), example 5.1.
// Reference: gymnasium 1.4.0, toy_text/blackjack.py.
#pragma once

#include "envpool/core/api.h"
#if ENVPOOL_HOST
#include "envpool/core/canvas.h"
#endif

namespace envpool::toy_text {

struct Blackjack {
  static constexpr const char* kName = "Blackjack";
  static constexpr u32 kRanks = 13;
  static constexpr i32 kHeight = 200, kWidth = 400;  // of an image

  // The properties of a hand on which the rules depend.
  struct Hand {
    u8 hard;  // the sum, where aces count as 1
    u8 ace;   // 1 if the hand has an ace
    u8 cards;

    ENVPOOL_FN bool usable_ace() const { return ace != 0 && hard + 10 <= 21; }
    ENVPOOL_FN i32 sum() const { return hard + (usable_ace() ? 10 : 0); }
    ENVPOOL_FN i32 score() const { return sum() > 21 ? 0 : sum(); }
    ENVPOOL_FN bool natural() const { return cards == 2 && sum() == 21; }
    // Adds a card, whose rank is 0 for an ace and at most 12. Returns the card's value.
    ENVPOOL_FN u8 add(u32 rank) {
      const u8 card = u8(min(rank + 1, 10u));
      hard = u8(hard + card);
      ace = u8(ace | (card == 1));
      ++cards;
      return card;
    }
    ENVPOOL_FN void draw(Rng& rng) { add(rng.below(kRanks)); }
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
    o.boolean("natural", false, "a win with a natural is worth 1.5; sab overrides this").sets(&Params::natural);
    o.boolean("sab", true, "a natural wins against every hand except another natural, as in Sutton and Barto")
        .sets(&Params::sab);
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<i32>("obs", {3})
        .bounds(0, 31)
        .doc("the player's sum, the dealer's first card, 1 if the player has a usable ace");
    s.action<i32>().categories(2).doc("0 sticks, 1 hits");
    s.reward_low = -1;
    s.reward_high = p.natural && !p.sab ? 1.5 : 1;
    s.render_fps = 4;
    s.render_height = kHeight;
    s.render_width = kWidth;
  }
  // The dealer's cards are at the top, of which the first is open. The player's cards are below, next to their sum,
  // which is yellow if an ace counts as 11. The dealer's sum is shown once the dealer has drawn a card.
  static void render(const State& s, const Params&, u8* rgb) {
    constexpr drawing::Color table{30, 104, 72}, back{150, 60, 60}, card{246, 246, 240}, sum{255, 255, 255};
    drawing::Canvas canvas(rgb, kWidth, kHeight);
    canvas.box(-0.5, -0.5, kWidth - 0.5, kHeight - 0.5, table);
    for (const bool dealer : {true, false}) {
      const Hand& hand = dealer ? s.dealer : s.player;
      const f64 bottom = dealer ? 118 : 16, cards = min(i32(hand.cards), 20), gap = min(56.0, 260 / max(cards, 1.0));
      for (i32 i = 0; i < i32(cards); ++i) {
        const f64 left = 16 + i * gap;
        canvas.box(left - 1, bottom - 1, left + 49, bottom + 67, table);
        canvas.box(left, bottom, left + 48, bottom + 66, dealer && i > 0 ? back : card);
        if (dealer && i == 0) canvas.number(left + 24, bottom + 20, 26, s.shown, drawing::kBlack);
      }
      if (dealer && s.dealer.cards <= 2) continue;
      canvas.number(kWidth - 46, bottom + 14, 40, hand.sum(), hand.usable_ace() ? drawing::kGoal : sum);
    }
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params&, Rng& rng) {
    u32 deal = rng.below(kRanks * kRanks * kRanks * kRanks);  // One random word determines all four cards.
    const auto next = [&deal] {
      const u32 rank = deal % kRanks;
      deal /= kRanks;
      return rank;
    };
    s = {};
    s.shown = s.dealer.add(next());
    s.dealer.add(next());
    s.player.add(next());
    s.player.add(next());
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
