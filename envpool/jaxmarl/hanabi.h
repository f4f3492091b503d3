// SPDX-License-Identifier: Apache-2.0
//
// Hanabi: two to five players, who see all cards but their own, build a firework of each color, from rank 1 upwards.
//
//   Players      num_players, who take turns
//   Action       i32 of the player to move. With hands of H cards: 0 to H-1 discards a card; H to 2H-1 plays one; then
//                come hints of each color to the next player, to the one after, and so on; then hints of each rank; the
//                last number is that of the players who wait. A player to move who takes it plays the last card
//   Observation  f32 per player: the other players' cards and which hands miss a card; cards in the deck, the highest
//                card of each firework, hints and lives; discarded cards; the last action; and, of all cards in hands,
//                the probabilities of what is known, and the hinted color and rank
//   Reward       1 for all players for each card of a firework; without lives, the score is lost
//   Terminated   without lives, with all fireworks complete, or when each player has moved after the last card is drawn
//   Info         players.id; current_player; action_mask: the legal moves of that player
//   Reset        the cards are shuffled; player 0 begins. With shuffle_player_order, the seats are drawn
//   Image        a row for each player's hand, with the ranks as discs, above the fireworks, hints and lives
//
// Illegal moves are played, as in JaxMARL: hints without a token are free, and discarding with all tokens gains none.
// Playing a card that a hand misses plays the first color's lowest rank.
//
// N. Bard et al., "The Hanabi challenge: a new frontier for AI research" (2019).
// Reference: jaxmarl 0.2.0, environments/hanabi.
#pragma once

#include "envpool/core/api.h"
#if ENVPOOL_HOST
#include <stdexcept>
#include <string>

#include "envpool/core/board.h"
#endif

namespace envpool::jaxmarl {

struct Hanabi {
  static constexpr const char* kName = "Hanabi";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kMaxPlayers = 5, kPhases = 1;
  static constexpr i32 kMostColors = 6, kMostRanks = 5, kMostHand = 6, kMostCopies = 5, kMostTokens = 20;
  static constexpr i32 kMostKinds = kMostColors * kMostRanks, kMissing = 255;

  struct Params {
    i32 players, colors, ranks, hand_option, info_tokens, life_tokens;
    i32 copies[kMostRanks];
    bool shuffle_order;
    i32 hand, kinds, deck, moves;  // derived: cards of a hand, kinds of cards, cards in all, actions
  };
  struct Card {
    u8 kind;           // color * ranks + rank, or kMissing
    u8 colors, ranks;  // that the hints leave possible, as bits
    u8 hinted;         // bit 0: its color, bit 1: its rank
  };
  struct Shared {
    i32 players, seat;   // the seat to move
    i32 current_player;  // who has it
    i32 deck;            // cards that are not dealt
    i32 info_tokens, life_tokens;
    i32 rounds;  // moves since the deck is empty
    i32 steps, last_action;
    f32 reward;
    u8 last_kind;                                // the card that was played or discarded
    bool scored, gained, bombed;                 // the last action added to a firework, or a token; all lives were lost
    u8 order[kMaxPlayers];                       // the player of each seat
    u8 fireworks[kMostColors];                   // the number of cards
    u8 left[kMostKinds], discarded[kMostKinds];  // cards of each kind
    Card hand[kMaxPlayers][kMostHand];           // of each seat
  };
  struct Agent {
    i32 action;
  };
  using World = envpool::World<Hanabi>;
  enum Field { kObs, kId, kCurrentPlayer, kActionMask };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("num_players", 2, "players").between(2, kMaxPlayers).sets(&Params::players).changes_shapes();
    o.integer("num_colors", 5, "colors of cards").between(1, kMostColors).sets(&Params::colors).changes_shapes();
    o.integer("num_ranks", 5, "ranks of cards").between(1, kMostRanks).sets(&Params::ranks).changes_shapes();
    o.integer("hand_size", 0, "cards of a hand; 0: 5 for two or three players, otherwise 4")
        .between(0, kMostHand)
        .sets(&Params::hand_option)
        .changes_shapes();
    o.integer("max_info_tokens", 8, "hints at the beginning, and at most")
        .between(1, kMostTokens)
        .sets(&Params::info_tokens)
        .changes_shapes();
    o.integer("max_life_tokens", 3, "wrong plays that end the game")
        .between(1, kMostTokens)
        .sets(&Params::life_tokens)
        .changes_shapes();
    o.integers("num_cards_of_rank", {3, 2, 2, 2, 1}, "cards of each rank in a color; only the first num_ranks count")
        .between(1, kMostCopies)
        .sets(&Params::copies)
        .changes_shapes();
    o.boolean("shuffle_player_order", false, "draw the seats of the players").sets(&Params::shuffle_order);
  }
  static void validate(const Params& p) {
    if (p.players * p.hand <= p.deck) return;
    throw std::invalid_argument("hand_size: expected at most " + std::to_string(p.deck) + " cards in all hands, got " +
                                std::to_string(p.players * p.hand));
  }
  static void spec(const Params& p, Spec& s) {
    s.max_players = p.players;
    s.obs<f32>("obs", {observed(p)}).per_player().doc("hands, board, discarded cards, last action and beliefs");
    s.info<i32>("players.id").categories(p.players).per_player().doc("number of the player");
    s.info<i32>("current_player").categories(p.players).doc("the player to move, who makes the world's next move");
    s.info<bool>("action_mask", {p.moves}).doc("legal moves of the player to move");
    s.action<i32>().categories(p.moves).doc("discards, plays, hints of colors, hints of ranks, and waiting");
    s.reward_low = -f64(p.kinds);
    s.reward_high = 1;
    s.render_fps = 2;
    drawing::Board::set_size(s, p.players + 2, columns(p));
  }
  static void state_parts(StateParts<Shared>& parts) { parts.add("current_player", &Shared::current_player); }
  static void render(const World& world, const Params& p, u8* rgb);
#endif

  ENVPOOL_FN static void derive(Params& p) {
    p.hand = p.hand_option > 0 ? p.hand_option : p.players < 4 ? 5 : 4;
    p.kinds = p.colors * p.ranks;
    p.deck = 0;
    for (i32 rank = 0; rank < p.ranks; ++rank) p.deck += p.colors * p.copies[rank];
    p.moves = 2 * p.hand + (p.players - 1) * (p.colors + p.ranks) + 1;
  }

  ENVPOOL_FN static void reset(World& world, const Params& p, Rng& rng) {
    Shared& s = world.shared;
    s = Shared{};
    s.players = p.players;
    s.deck = p.deck;
    s.info_tokens = p.info_tokens;
    s.life_tokens = p.life_tokens;
    s.last_action = p.moves - 1;
    s.last_kind = kMissing;
    for (i32 kind = 0; kind < p.kinds; ++kind) s.left[kind] = static_cast<u8>(p.copies[kind % p.ranks]);
    for (i32 seat = 0; seat < kMaxPlayers; ++seat) {
      s.order[seat] = static_cast<u8>(seat);
      for (i32 i = 0; i < kMostHand; ++i) {
        s.hand[seat][i] = seat < p.players && i < p.hand ? drawn(s, p, rng) : Card{kMissing, 0, 0, 0};
      }
    }
    for (i32 seat = p.players - 1; p.shuffle_order && seat > 0; --seat) {
      const i32 other = i32(rng.below(u32(seat + 1)));
      const u8 player = s.order[seat];
      s.order[seat] = s.order[other];
      s.order[other] = player;
    }
    s.current_player = s.order[0];
    for (Agent& agent : world.agent) agent.action = 0;
  }

  ENVPOOL_FN static void repair(World& world, const Params& p) {
    Shared& s = world.shared;
    s.players = p.players;
    keep_within(s.seat, 0, p.players - 1);
    keep_within(s.info_tokens, 0, p.info_tokens);
    keep_within(s.life_tokens, 0, p.life_tokens);
    keep_within(s.rounds, 0, 1 << 30);
    keep_within(s.steps, 0, 1 << 30);
    keep_within(s.last_action, 0, p.moves - 1);
    keep_bool(s.scored);
    keep_bool(s.gained);
    keep_bool(s.bombed);
    if (s.last_kind >= p.kinds) s.last_kind = kMissing;
    u32 seated = 0;
    for (i32 seat = 0; seat < p.players; ++seat) seated |= s.order[seat] < 8 ? 1u << s.order[seat] : 0;
    if (seated != (1u << p.players) - 1) {
      for (i32 seat = 0; seat < kMaxPlayers; ++seat) s.order[seat] = static_cast<u8>(seat);
    }
    s.current_player = s.order[s.seat];
    for (u8& height : s.fireworks) height = height > p.ranks ? u8(p.ranks) : height;
    s.deck = 0;
    for (i32 kind = 0; kind < p.kinds; ++kind) {
      const u8 most = static_cast<u8>(p.copies[kind % p.ranks]);
      if (s.left[kind] > most) s.left[kind] = most;
      if (s.discarded[kind] > most) s.discarded[kind] = most;
      s.deck += s.left[kind];
    }
    s.deck = min(s.deck, p.deck - p.players * p.hand);
    for (auto& hand : s.hand) {
      for (Card& card : hand) {
        if (card.kind >= p.kinds) card.kind = kMissing;
      }
    }
  }

  ENVPOOL_FN static i32 players(const World& world) { return world.shared.players; }

  template <int kPhase>
  ENVPOOL_FN static void phase(World& world, i32 agent, const Params&, ActionRow action, Rng&) {
    if (agent == 0) world.agent[0].action = *action.at<i32>(0);
  }

  ENVPOOL_FN static Outcome finish(World& world, const Params& p, Rng& rng) {
    Shared& s = world.shared;
    const i32 action = world.agent[0].action;
    const i32 before = score(s, p);
    s.last_action = action;
    s.last_kind = kMissing;
    s.scored = s.gained = false;
    if (action >= 2 * p.hand && action < p.moves - 1) {
      give_hint(s, p, hint_of(p, s.seat, action));
    } else {
      use_card(s, p, action, rng);
    }
    const i32 after = score(s, p);
    const bool dead = s.life_tokens == 0;
    s.rounds += i32(s.deck == 0);
    // The difference is one of integers, because GCC 12 compiles 0.0f - f32(after) to -f32(after): -0.0 if after is 0.
    s.reward = f32(!dead ? after - before : s.bombed ? 0 : -after);
    s.scored = after != before;
    s.bombed = s.bombed || dead;
    s.seat = s.seat + 1 == p.players ? 0 : s.seat + 1;
    s.current_player = s.order[s.seat];
    ++s.steps;
    return {.terminated = dead || after == p.kinds || s.rounds == p.players + 1};
  }

  ENVPOOL_FN static f32 reward(const World& world, i32) { return world.shared.reward; }

  ENVPOOL_FN static void observe(const World& world, const Params& p, i32 agent, Row row) {
    const Shared& s = world.shared;
    i32 own = 0;
    for (i32 seat = 0; seat < p.players; ++seat) own = s.order[seat] == agent ? seat : own;
    f32* to = row.at<f32>(kObs);
    to = write_hands(s, p, own, to);
    to = write_board(s, p, to);
    to = write_last_action(s, p, own, to);
    write_beliefs(s, p, own, to);
    *row.at<i32, 1>(kId) = agent;
  }
  ENVPOOL_FN static void observe_world(const World& world, const Params& p, Row row) {
    const Shared& s = world.shared;
    *row.at<i32, 1>(kCurrentPlayer) = s.current_player;
    bool* const mask = row.at<bool>(kActionMask);
    for (i32 i = 0; i < p.hand; ++i) {
      const bool held = s.hand[s.seat][i].kind != kMissing;
      mask[i] = held && s.info_tokens < p.info_tokens;
      mask[p.hand + i] = held;
    }
    bool* const colors = mask + 2 * p.hand;
    bool* const ranks = colors + (p.players - 1) * p.colors;
    for (i32 next = 0; next + 1 < p.players; ++next) {
      u32 of_color = 0, of_rank = 0;
      for (i32 i = 0; i < p.hand; ++i) {
        const i32 kind = s.hand[at_distance(p, s.seat, next + 1)][i].kind;
        if (kind == kMissing || s.info_tokens == 0) continue;
        of_color |= 1u << kind / p.ranks;
        of_rank |= 1u << kind % p.ranks;
      }
      for (i32 k = 0; k < p.colors; ++k) colors[next * p.colors + k] = (of_color >> k & 1) != 0;
      for (i32 k = 0; k < p.ranks; ++k) ranks[next * p.ranks + k] = (of_rank >> k & 1) != 0;
    }
    mask[p.moves - 1] = false;
  }

 private:
  struct Hint {
    bool is_color;
    i32 value, seat;  // the color or rank, and the seat that gets the hint
  };

  ENVPOOL_FN static i32 at_distance(const Params& p, i32 seat, i32 distance) {
    return seat + distance >= p.players ? seat + distance - p.players : seat + distance;
  }
  ENVPOOL_FN static Hint hint_of(const Params& p, i32 seat, i32 action) {
    const i32 number = action - 2 * p.hand, colors = (p.players - 1) * p.colors;
    const bool is_color = number < colors;
    const i32 rest = is_color ? number : number - colors, values = is_color ? p.colors : p.ranks;
    return {is_color, rest % values, at_distance(p, seat, rest / values + 1)};
  }
  ENVPOOL_FN static bool is_meant(const Params& p, const Hint& hint, i32 kind) {
    return kind != kMissing && hint.value == (hint.is_color ? kind / p.ranks : kind % p.ranks);
  }
  ENVPOOL_FN static i32 score(const Shared& s, const Params& p) {
    i32 cards = 0;
    for (i32 color = 0; color < p.colors; ++color) cards += s.fireworks[color];
    return cards;
  }

  // Draws a card. The order of the deck is drawn as the cards are, so that states need not hold it.
  ENVPOOL_FN static Card drawn(Shared& s, const Params& p, Rng& rng) {
    if (s.deck <= 0) return {kMissing, 0, 0, 0};
    // A restored state may have fewer cards in its deck than of all kinds.
    i32 total = 0;
    for (i32 kind = 0; kind < p.kinds; ++kind) total += s.left[kind];
    i32 skip = i32(rng.below(u32(total))), kind = 0;
    while (kind + 1 < p.kinds && skip >= s.left[kind]) skip -= s.left[kind++];
    --s.left[kind];
    --s.deck;
    return {static_cast<u8>(kind), static_cast<u8>((1u << p.colors) - 1), static_cast<u8>((1u << p.ranks) - 1), 0};
  }

  ENVPOOL_FN static void give_hint(Shared& s, const Params& p, const Hint& hint) {
    for (i32 i = 0; i < p.hand; ++i) {
      Card& card = s.hand[hint.seat][i];
      const bool meant = is_meant(p, hint, card.kind);
      const u8 bit = static_cast<u8>(1u << hint.value), keep = meant ? bit : static_cast<u8>(~bit);
      u8& possible = hint.is_color ? card.colors : card.ranks;
      possible = static_cast<u8>(possible & keep);
      if (meant) card.hinted = static_cast<u8>(card.hinted | (hint.is_color ? 1 : 2));
    }
    s.info_tokens = max(s.info_tokens - 1, 0);
  }

  // Plays or discards a card, and draws another one.
  ENVPOOL_FN static void use_card(Shared& s, const Params& p, i32 action, Rng& rng) {
    const bool discards = action < p.hand;
    const i32 place = min(discards ? action : action - p.hand, p.hand - 1), kind = s.hand[s.seat][place].kind;
    const i32 shown = kind == kMissing ? 0 : kind, color = shown / p.ranks, rank = shown % p.ranks;
    const bool fits = rank == s.fireworks[color], plays = fits && !discards;
    if (action < 2 * p.hand) s.last_kind = static_cast<u8>(kind);
    if (plays) ++s.fireworks[color];
    if (!plays && kind != kMissing && s.discarded[kind] < p.copies[rank]) ++s.discarded[kind];
    if (!plays && !discards) s.life_tokens = max(s.life_tokens - 1, 0);
    if ((discards || (plays && rank == p.ranks - 1)) && s.info_tokens < p.info_tokens) {
      ++s.info_tokens;
      s.gained = !discards && action < 2 * p.hand;
    }
    Card* const hand = s.hand[s.seat];
    for (i32 i = place; i + 1 < p.hand; ++i) hand[i] = hand[i + 1];
    hand[p.hand - 1] = drawn(s, p, rng);
  }

  // These write a part of an observation, and return where the next one begins.
  ENVPOOL_FN static f32* write_choice(f32* to, i32 size, i32 chosen) {
    for (i32 i = 0; i < size; ++i) to[i] = f32(i == chosen);
    return to + size;
  }
  ENVPOOL_FN static f32* write_count(f32* to, i32 size, i32 count) {
    for (i32 i = 0; i < size; ++i) to[i] = f32(i < count);
    return to + size;
  }
  ENVPOOL_FN static f32* write_hands(const Shared& s, const Params& p, i32 own, f32* to) {
    f32* missing = to + (p.players - 1) * p.hand * p.kinds;
    for (i32 distance = 0; distance < p.players; ++distance) {
      bool misses = false;
      for (i32 i = 0; i < p.hand; ++i) {
        const i32 kind = s.hand[at_distance(p, own, distance)][i].kind;
        misses = misses || kind == kMissing;
        if (distance > 0) to = write_choice(to, p.kinds, kind);
      }
      *missing++ = f32(misses);
    }
    return missing;
  }
  ENVPOOL_FN static f32* write_board(const Shared& s, const Params& p, f32* to) {
    to = write_count(to, p.deck - p.players * p.hand, s.deck);
    for (i32 color = 0; color < p.colors; ++color) to = write_choice(to, p.ranks, s.fireworks[color] - 1);
    to = write_count(to, p.info_tokens, s.info_tokens);
    to = write_count(to, p.life_tokens, s.life_tokens);
    for (i32 kind = 0; kind < p.kinds; ++kind) to = write_count(to, p.copies[kind % p.ranks], s.discarded[kind]);
    return to;
  }
  ENVPOOL_FN static f32* write_last_action(const Shared& s, const Params& p, i32 own, f32* to) {
    const i32 action = s.last_action, actor = at_distance(p, s.seat, p.players - 1);
    const bool began = s.steps > 0, is_card = began && action < 2 * p.hand;
    const bool is_hint = began && action >= 2 * p.hand && action < p.moves - 1;
    const Hint hint = is_hint ? hint_of(p, actor, action) : Hint{false, -1, -1};
    const bool is_rank = is_hint && !hint.is_color;
    to = write_choice(to, p.players, began ? at_distance(p, actor, p.players - own) : -1);
    to = write_choice(to, 4, is_card ? i32(action < p.hand) : is_hint ? 2 + i32(is_rank) : -1);
    to = write_choice(to, p.players, is_hint ? at_distance(p, hint.seat, p.players - own) : -1);
    to = write_choice(to, p.colors, hint.is_color ? hint.value : -1);
    to = write_choice(to, p.ranks, is_rank ? hint.value : -1);
    for (i32 i = 0; i < p.hand; ++i) *to++ = f32(is_hint && is_meant(p, hint, s.hand[max(hint.seat, 0)][i].kind));
    to = write_choice(to, p.hand, is_card ? action % p.hand : -1);
    to = write_choice(to, p.kinds, is_card ? s.last_kind : kMissing);
    *to++ = f32(began && s.scored);
    *to++ = f32(began && s.gained);
    return to;
  }
  ENVPOOL_FN static void write_beliefs(const Shared& s, const Params& p, i32 own, f32* to) {
    for (i32 distance = 0; distance < p.players; ++distance) {
      for (i32 i = 0; i < p.hand; ++i) {
        const Card& card = s.hand[at_distance(p, own, distance)][i];
        i32 total = 0;
        for (i32 kind = 0; kind < p.kinds; ++kind) total += unseen(s, p, card, kind);
        // XLA divides by a number by multiplying with its reciprocal, whose rounding JaxMARL's numbers have.
        const f32 each = total == 0 ? 0.0f : 1.0f / f32(total);
        for (i32 kind = 0; kind < p.kinds; ++kind) to[kind] = f32(unseen(s, p, card, kind)) * each;
        to += p.kinds;
        const i32 known = card.kind == kMissing ? -1 : card.kind;
        to = write_choice(to, p.colors, known >= 0 && (card.hinted & 1) != 0 ? known / p.ranks : -1);
        to = write_choice(to, p.ranks, known >= 0 && (card.hinted & 2) != 0 ? known % p.ranks : -1);
      }
    }
  }
  // Returns how many cards of a kind, which are neither played nor discarded, a card can be.
  ENVPOOL_FN static i32 unseen(const Shared& s, const Params& p, const Card& card, i32 kind) {
    const i32 color = kind / p.ranks, rank = kind % p.ranks;
    if ((card.colors >> color & 1) == 0 || (card.ranks >> rank & 1) == 0) return 0;
    return p.copies[rank] - s.discarded[kind] - i32(rank < s.fireworks[color]);
  }

#if ENVPOOL_HOST
  static i32 columns(const Params& p) { return max(max(p.hand, p.colors), 6); }
  static i64 observed(const Params& p) {
    const i32 hands = (p.players - 1) * p.hand * p.kinds + p.players;
    const i32 board = p.deck - p.players * p.hand + p.kinds + p.info_tokens + p.life_tokens + p.deck;
    const i32 last = 2 * p.players + 4 + p.colors + p.ranks + 2 * p.hand + p.kinds + 2;
    return hands + board + last + p.players * p.hand * (p.kinds + p.colors + p.ranks);
  }
#endif
};

#if ENVPOOL_HOST
inline void Hanabi::render(const World& world, const Params& p, u8* rgb) {
  constexpr drawing::Color table{58, 64, 72}, pip{34, 34, 40}, token{120, 170, 230}, life{226, 80, 70};
  constexpr drawing::Color colors[kMostColors] = {{226, 92, 82},   {240, 208, 80}, {104, 184, 104},
                                                  {240, 240, 240}, {96, 140, 220}, {190, 130, 210}};
  const Shared& s = world.shared;
  drawing::Board board(rgb, p.players + 2, columns(p), table);
  const auto draw = [&](i32 row, i32 column, i32 color, i32 rank) {
    board.fill(row, column, colors[color]);
    for (i32 i = 0; i <= rank; ++i) {
      const drawing::Point at = board.at(row + 0.5, column + 0.5 + 0.18 * (i - 0.5 * rank));
      board.canvas().disc(at.x, at.y, 0.08 * board.side(), pip);
    }
  };
  for (i32 seat = 0; seat < p.players; ++seat) {
    for (i32 i = 0; i < p.hand; ++i) {
      const i32 kind = s.hand[seat][i].kind;
      if (kind < p.kinds) draw(s.order[seat] % p.players, i, kind / p.ranks, kind % p.ranks);
    }
  }
  for (i32 color = 0; color < p.colors; ++color) {
    if (s.fireworks[color] > 0) draw(p.players, color, color, min(i32(s.fireworks[color]), p.ranks) - 1);
  }
  const i32 tokens = clamp(s.info_tokens, 0, kMostTokens), lives = clamp(s.life_tokens, 0, kMostTokens);
  for (i32 i = 0; i < tokens + lives; ++i) {
    const f64 place = columns(p) * (i + 0.5) / (p.info_tokens + p.life_tokens);
    const drawing::Point at = board.at(p.players + 1.5, place);
    board.canvas().disc(at.x, at.y, 0.16 * board.side(), i < tokens ? token : life);
  }
}
#endif

}  // namespace envpool::jaxmarl
