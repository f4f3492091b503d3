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
// Playing a card that a hand misses plays the first color's lowest rank. If all cards of this kind have been discarded,
// JaxMARL then counts -1 of them, and this environment 0, because probabilities are not negative.
//
// N. Bard et al., "The Hanabi challenge: a new frontier for AI research" (2019).
// Reference: jaxmarl 0.2.0, environments/hanabi.
#pragma once

#include "envpool/core/api.h"
#include "envpool/jaxmarl/hanabi_row.h"
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
  static constexpr i32 kDiscardWords = (kMostKinds * kMostCopies + 63) / 64;

  struct Params {
    i32 players, colors, ranks, hand_option, info_tokens, life_tokens;
    i32 copies[kMostRanks];
    bool shuffle_order;
    // Derived:
    i32 hand, kinds, deck, moves;  // cards of a hand, kinds of cards, cards in all, actions
    i32 bits, observed;            // numbers of an observation: those that are 0 or 1, and all
    i32 inverse;                   // of `ranks`: kind * inverse / 256 is the color
    i32 first_copy[kMostRanks];    // the number of a rank's first copy among the cards of a color
    i32 copies_of_color;
    u32 all, first_ranks;  // kinds as bits: all, and the first rank of each color
  };
  struct Shared {
    i32 players, seat;   // the seat to move
    i32 current_player;  // who has it
    i32 deck;            // cards that are not dealt
    i32 info_tokens, life_tokens;
    i32 rounds;  // moves since the deck is empty
    i32 steps;
    f32 reward;
    bool bombed;                      // all lives were lost
    u8 last_move;                     // bits: the last action played, discarded, hinted a color, hinted a rank
    i8 last_target;                   // the seat that got the last hint, or -1
    u8 order[kMaxPlayers];            // the player of each seat
    u8 fireworks[kMostColors];        // the number of cards
    u8 left[kMostKinds];              // cards of each kind in the deck
    i8 unseen[32];                    // cards of each kind that are neither played nor discarded
    u64 last;                         // what else an observation shows of the last action, as bits
    u64 discarded[kDiscardWords];     // the discarded cards as an observation shows them, as bits
    u8 hand[kMaxPlayers][kMostHand];  // of each seat: color * ranks + rank, or kMissing
    HanabiBelief belief[kMaxPlayers * kMostHand];  // what hints have told; a hand is p.hand places
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
    s.obs<f32>("obs", {p.observed})
        .bounds(0, 1)
        .per_player()
        .doc("hands, board, discarded cards, last action and beliefs");
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
    p.inverse = (255 + p.ranks) / p.ranks;
    p.copies_of_color = 0;
    for (i32 rank = 0; rank < p.ranks; ++rank) {
      p.first_copy[rank] = p.copies_of_color;
      p.copies_of_color += p.copies[rank];
    }
    p.all = p.first_ranks = 0;
    for (i32 kind = 0; kind < p.kinds; ++kind) {
      p.all |= 1u << kind;
      p.first_ranks |= kind % p.ranks == 0 ? 1u << kind : 0;
    }
    const i32 hands = (p.players - 1) * p.hand * p.kinds + p.players;
    const i32 board = p.deck - p.players * p.hand + p.kinds + p.info_tokens + p.life_tokens + p.deck;
    p.bits = hands + board + 2 * p.players + 4 + shown_of_move(p);
    p.observed = p.bits + p.players * p.hand * (p.kinds + p.colors + p.ranks);
  }

  ENVPOOL_FN static void reset(World& world, const Params& p, Rng& rng) {
    Shared& s = world.shared;
    s = Shared{};
    s.players = p.players;
    s.deck = p.deck;
    s.info_tokens = p.info_tokens;
    s.life_tokens = p.life_tokens;
    s.last_target = -1;
    for (i32 color = 0, kind = 0; color < p.colors; ++color) {
      for (i32 rank = 0; rank < p.ranks; ++rank, ++kind) {
        s.left[kind] = static_cast<u8>(p.copies[rank]);
        s.unseen[kind] = static_cast<i8>(p.copies[rank]);
      }
    }
    for (i32 seat = 0; seat < kMaxPlayers; ++seat) {
      s.order[seat] = static_cast<u8>(seat);
      for (i32 i = 0; i < kMostHand; ++i) {
        s.hand[seat][i] = kMissing;
        if (seat < p.players && i < p.hand) draw(s, p, seat, i, rng);
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
    keep_bool(s.bombed);
    s.last_move &= 15;
    s.last &= (u64{1} << shown_of_move(p)) - 1;
    keep_within(s.last_target, i8(-1), static_cast<i8>(p.players - 1));
    u32 seated = 0;
    for (i32 seat = 0; seat < p.players; ++seat) seated |= s.order[seat] < 8 ? 1u << s.order[seat] : 0;
    if (seated != (1u << p.players) - 1) {
      for (i32 seat = 0; seat < kMaxPlayers; ++seat) s.order[seat] = static_cast<u8>(seat);
    }
    s.current_player = s.order[s.seat];
    for (u8& height : s.fireworks) height = height > p.ranks ? u8(p.ranks) : height;
    repair_kinds(s, p);
    for (auto& hand : s.hand) {
      for (u8& kind : hand) kind = kind < p.kinds ? kind : u8{kMissing};
    }
    for (HanabiBelief& card : s.belief) {
      card.possible &= p.all;
      card.hinted &= (1u << (p.colors + p.ranks)) - 1;
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
    const bool scored = action >= 2 * p.hand && action < p.moves - 1 ? give_hint(s, p, hint_of(p, s.seat, action))
                                                                     : use_card(s, p, action, rng);
    const i32 after = before + i32(scored);
    const bool dead = s.life_tokens == 0;
    s.rounds += i32(s.deck == 0);
    // The difference is one of integers, because GCC 12 compiles 0.0f - f32(after) to -f32(after): -0.0 if after is 0.
    s.reward = f32(!dead ? after - before : s.bombed ? 0 : -after);
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
    HanabiBits bits(p.bits);
    add_hands(s, p, own, bits);
    add_board(s, p, bits);
    add_last_action(s, p, own, bits);
    f32* const to = row.at<f32>(kObs);
    const HanabiRow numbers{to, to + p.observed, s.unseen, p.kinds, p.colors + p.ranks};
    write_hanabi_row(numbers, bits, s.belief, own * p.hand, p.players * p.hand);
    *row.at<i32, 1>(kId) = agent;
  }
  ENVPOOL_FN static void observe_world(const World& world, const Params& p, Row row) {
    const Shared& s = world.shared;
    *row.at<i32, 1>(kCurrentPlayer) = s.current_player;
    u64 legal = 0;
    i32 at = 2 * p.hand;
    for (i32 i = 0; i < p.hand; ++i) {
      const u64 held = s.hand[s.seat][i] != kMissing;
      legal |= (held & u64(s.info_tokens < p.info_tokens)) << i | held << (p.hand + i);
    }
    for (i32 next = 1, ranks = at + (p.players - 1) * p.colors; next < p.players; ++next) {
      u64 of_color = 0, of_rank = 0;
      for (i32 i = 0; i < p.hand; ++i) {
        const i32 kind = s.hand[at_distance(p, s.seat, next)][i], color = color_of(p, kind);
        const bool shown = kind != kMissing && s.info_tokens > 0;
        of_color |= u64{shown} << (shown ? color : 0);
        of_rank |= u64{shown} << (shown ? kind - color * p.ranks : 0);
      }
      legal |= of_color << at | of_rank << ranks;
      at += p.colors, ranks += p.ranks;
    }
    bool* const mask = row.at<bool>(kActionMask);
    for (i32 i = 0; i < p.moves; ++i) mask[i] = (legal >> i & 1) != 0;
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
  ENVPOOL_FN static i32 color_of(const Params& p, i32 kind) { return kind * p.inverse >> 8; }
  // Returns the numbers of an observation that show more of the last action than its kind and its players.
  ENVPOOL_FN static i32 shown_of_move(const Params& p) { return p.colors + p.ranks + 2 * p.hand + p.kinds + 2; }
  ENVPOOL_FN static i32 score(const Shared& s, const Params& p) {
    i32 cards = 0;
    for (i32 color = 0; color < p.colors; ++color) cards += s.fireworks[color];
    return cards;
  }

  // Makes the numbers of cards consistent, so that the deck has the cards that are left.
  ENVPOOL_FN static void repair_kinds(Shared& s, const Params& p) {
    s.deck = 0;
    u64 discarded[kDiscardWords] = {};
    for (i32 kind = 0; kind < p.kinds; ++kind) {
      const i32 color = color_of(p, kind), rank = kind - color * p.ranks, most = p.copies[rank];
      const i32 spare = max(p.deck - p.players * p.hand - s.deck, 0);
      s.left[kind] = static_cast<u8>(min(min(i32(s.left[kind]), most), spare));
      s.deck += s.left[kind];
      const i32 first = first_bit(p, color, rank);
      i32 copies = 0;
      for (i32 bit = first; bit < first + most; ++bit) copies += i32(s.discarded[bit >> 6] >> (bit & 63) & 1);
      for (i32 bit = first; bit < first + copies; ++bit) discarded[bit >> 6] |= u64{1} << (bit & 63);
      s.unseen[kind] = static_cast<i8>(most - copies - i32(rank < s.fireworks[color]));
    }
    for (i32 kind = p.kinds; kind < 32; ++kind) s.unseen[kind] = 0;
    for (i32 i = 0; i < kDiscardWords; ++i) s.discarded[i] = discarded[i];
  }
  // Returns the bit of Shared::discarded for the first copy of a kind.
  ENVPOOL_FN static i32 first_bit(const Params& p, i32 color, i32 rank) {
    return color * p.copies_of_color + p.first_copy[rank];
  }

  // Draws a card. The order of the deck is drawn as the cards are, so that states need not hold it.
  ENVPOOL_FN static void draw(Shared& s, const Params& p, i32 seat, i32 place, Rng& rng) {
    HanabiBelief& belief = s.belief[seat * p.hand + place];
    s.hand[seat][place] = kMissing;
    belief = {0, 0};
    if (s.deck <= 0) return;
    i32 skip = i32(rng.below(u32(s.deck))), kind = 0;
    while (kind + 1 < p.kinds && skip >= s.left[kind]) skip -= s.left[kind++];
    --s.left[kind];
    --s.deck;
    s.hand[seat][place] = static_cast<u8>(kind);
    belief.possible = p.all;
  }

  // Returns false, as hints add no card to a firework.
  ENVPOOL_FN static bool give_hint(Shared& s, const Params& p, const Hint& hint) {
    const u32 group = hint.is_color ? ((1u << p.ranks) - 1) << hint.value * p.ranks : p.first_ranks << hint.value;
    const u32 told = 1u << (hint.is_color ? hint.value : p.colors + hint.value);
    u64 meant = 0;
    for (i32 i = 0; i < p.hand; ++i) {
      HanabiBelief& card = s.belief[hint.seat * p.hand + i];
      const i32 kind = s.hand[hint.seat][i];
      const bool is_meant = kind != kMissing && (group >> kind & 1) != 0;
      card.possible &= is_meant ? group : ~group;
      card.hinted |= is_meant ? told : 0;
      meant |= u64{is_meant} << i;
    }
    s.info_tokens = max(s.info_tokens - 1, 0);
    s.last_move = hint.is_color ? 4 : 8;
    s.last_target = static_cast<i8>(hint.seat);
    s.last = told | meant << (p.colors + p.ranks);
    return false;
  }

  // Plays or discards a card, and draws another one. Returns whether it was added to a firework.
  ENVPOOL_FN static bool use_card(Shared& s, const Params& p, i32 action, Rng& rng) {
    const bool discards = action < p.hand, waits = action >= 2 * p.hand;
    const i32 place = min(discards ? action : action - p.hand, p.hand - 1), kind = s.hand[s.seat][place];
    const bool held = kind != kMissing;
    const i32 shown = held ? kind : 0, color = color_of(p, shown), rank = shown - color * p.ranks;
    const bool fits = rank == s.fireworks[color], plays = fits && !discards;
    const i32 copies = p.copies[rank] - s.unseen[shown] - i32(rank < s.fireworks[color]);  // discarded
    if (plays) {
      ++s.fireworks[color];
      s.unseen[shown] = static_cast<i8>(max(s.unseen[shown] - 1, 0));  // a missing card may be played as one
    } else if (held && copies < p.copies[rank]) {
      const i32 bit = first_bit(p, color, rank) + copies;
      s.discarded[bit >> 6] |= u64{1} << (bit & 63);
      --s.unseen[shown];
    }
    if (!plays && !discards) s.life_tokens = max(s.life_tokens - 1, 0);
    const bool gains = (discards || (plays && rank == p.ranks - 1)) && s.info_tokens < p.info_tokens;
    s.info_tokens += i32(gains);
    const i32 hints = p.colors + p.ranks, end = hints + 2 * p.hand + p.kinds;
    s.last_move = waits ? 0 : discards ? 2 : 1;
    s.last_target = -1;
    s.last = u64{plays} << end | u64{gains && !discards && !waits} << (end + 1);
    if (!waits) s.last |= u64{1} << (hints + p.hand + place) | u64{held} << (hints + 2 * p.hand + shown);
    for (i32 i = place; i + 1 < p.hand; ++i) {
      s.hand[s.seat][i] = s.hand[s.seat][i + 1];
      s.belief[s.seat * p.hand + i] = s.belief[s.seat * p.hand + i + 1];
    }
    draw(s, p, s.seat, p.hand - 1, rng);
    return plays;
  }

  // These add a part of an observation.
  ENVPOOL_FN static void add_hands(const Shared& s, const Params& p, i32 own, HanabiBits& bits) {
    u64 missing = 0;
    for (i32 distance = 0; distance < p.players; ++distance) {
      const u8* const hand = s.hand[at_distance(p, own, distance)];
      bool misses = false;
      for (i32 i = 0; i < p.hand; ++i) {
        misses |= hand[i] == kMissing;
        if (distance > 0) bits.add((u64{1} << (hand[i] & 63)) & p.all, p.kinds);
      }
      missing |= u64{misses} << distance;
    }
    bits.add(missing, p.players);
  }
  ENVPOOL_FN static void add_board(const Shared& s, const Params& p, HanabiBits& bits) {
    bits.add_count(s.deck, p.deck - p.players * p.hand);
    u64 fireworks = 0;
    for (i32 color = 0; color < p.colors; ++color) {
      fireworks |= (u64{1} << s.fireworks[color] >> 1) << color * p.ranks;
    }
    bits.add(fireworks, p.kinds);
    bits.add_count(s.info_tokens, p.info_tokens);
    bits.add_count(s.life_tokens, p.life_tokens);
    for (i32 left = p.deck, i = 0; left > 0; left -= 64, ++i) {
      bits.add(s.discarded[i] & 0xFFFFFFFFu, min(left, 32));
      if (left > 32) bits.add(s.discarded[i] >> 32, min(left - 32, 32));
    }
  }
  ENVPOOL_FN static void add_last_action(const Shared& s, const Params& p, i32 own, HanabiBits& bits) {
    const u64 began = s.steps > 0, told = s.last_target >= 0;
    bits.add(began << at_distance(p, at_distance(p, s.seat, p.players - 1), p.players - own), p.players);
    bits.add(began ? s.last_move : 0, 4);
    bits.add((began & told) << (told ? at_distance(p, s.last_target, p.players - own) : 0), p.players);
    bits.add(began ? s.last : 0, shown_of_move(p));
  }

#if ENVPOOL_HOST
  static i32 columns(const Params& p) { return max(max(p.hand, p.colors), 6); }
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
      const i32 kind = s.hand[seat][i];
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
