// SPDX-License-Identifier: Apache-2.0
//
// Sparrow mahjong: each of three players has five tiles, and in turn draws one and discards one, until a hand and a
// drawn or discarded tile make two sets of three equal tiles or three consecutive bamboos. There are four tiles of each
// of nine bamboos, the green and the red dragon. Players who can win do so at once.
//
//   Action       i32, the type of the tile that the player to move discards: 0 to 8 bamboos, 9 green, 10 red dragon; a
//                red tile goes last
//   Observation  bool[11][15] of each player, for each type: whether the player has 1, 2, 3, 4 such tiles; has a red
//   one;
//                the dora; discarded by this player, the next, and the one after next; the last, second and third last
//                discard of the next player, and of the one after next
//   Reward       at the end, the points of a player divided by 26. A hand with a drawn tile takes half of its points
//                from each of the others, rounded up; for a discarded tile, only the player who discarded it pays
//   Terminated   when a player wins, or before the last tile is drawn; an illegal action loses 1, and the others get 2
//   Info         current_player; action_mask, the types that the player to move has; hands, i32[3][11], the tiles of
//                each type of each seat, the dealer first; n_red_in_hands, i32[3][11]; rivers, i32[3][10], the discards
//                of each seat, -1 for none; is_red_in_river, bool[3][10]; last_discard or -1; wall, i32[44], all
//                tiles in the order in which they are dealt and drawn: type * 4 + 0 to 3; draw_ix, the next of them;
//                dora; shuffled_players, i32[3], the player in each seat; turn, the number of discards before this one;
//                scores, i32[3], the points of each seat at the end; players.id
//   Reset        tiles and seats are shuffled; the dealer, who has drawn a sixth tile, has no complete hand
//   Image        the dora, and for each player a row with the hand and one with the discards; a circle marks the player
//                to move; red tiles have red numbers
//
// Tile 0 of each bamboo and all red dragons are red. Three equal tiles have two points, three consecutive ones have
// one, and each dora and each red tile has one. A hand of bamboos from 2 to 8 has one more. Instead of dora and red
// tiles, a hand of green tiles (2, 3, 4, 6, 8 and the dragon) has ten, one of 1, 9 and dragons 15, and one of red
// tiles 20. A discard must complete a hand of at least five points, and a type that a player has discarded does not
// win. The dealer gets two more.
//
// Reference: pgx 2.6.0, sparrow_mahjong. As in pgx, the tile that the dealer draws first is not red, and from the
// fourth turn on, only the player in the last seat can win with a drawn tile.
#pragma once

#include "envpool/pgx/sparrow_hand.h"
#include "envpool/pgx/turns.h"
#if ENVPOOL_HOST
#include "envpool/pgx/sparrow_picture.h"
#endif

namespace envpool::pgx {

struct SparrowMahjong {
  static constexpr const char* kName = "SparrowMahjong";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kMaxPlayers = 3, kPhases = 1;
  static constexpr i32 kTypes = SparrowHand::kTypes, kTiles = 44, kHand = 5, kDealt = kMaxPlayers * kHand;
  static constexpr i32 kTurns = kTiles - kDealt - 1;  // one tile, which shows the dora, is never drawn
  static constexpr i32 kRiver = 10, kFeatures = 15;
  enum OwnField {
    kHands = kOwn,
    kRedsInHands,
    kRivers,
    kIsRedInRiver,
    kLastDiscard,
    kWall,
    kDrawIndex,
    kDora,
    kShuffledPlayers,
    kTurn,
    kScores
  };

  struct Params {};
  // Seats are numbered from the dealer's. The discard of turn i is that of seat i % 3.
  struct Shared {
    SparrowHand hands[kMaxPlayers];
    SparrowHand reds[kMaxPlayers];  // those of these tiles that are red
    u16 discarded[kMaxPlayers];     // a bit for each type that the player in a seat has discarded
    u8 wall[kTiles];
    u8 discards[kTurns];      // type, plus kIsRed
    u8 turn, num_discards;    // which is greater after the end, unless the last tile was drawn
    u8 players[kMaxPlayers];  // in each seat
    i8 scores[kMaxPlayers];   // of each seat
    i32 current_player;
    bool over;  // all actions are then legal, as in pgx
  };
  struct Agent {
    i32 action;  // of player 0: the world's action of this step
    f32 reward;
  };
  using World = envpool::World<SparrowMahjong>;

#if ENVPOOL_HOST
  static void options(OptionSpecs&) {}
  static void spec(const Params&, Spec& s) {
    s.reward_low = -kMostReward;
    s.reward_high = kMostReward;
    s.obs<bool>("obs", {kTypes, kFeatures})
        .per_player()
        .doc("of each type: own tiles (4), red ones, dora, discards of each player (3), last three of the others (6)");
    s.info<i32>("players.id").categories(kMaxPlayers).per_player().doc("number of the player");
    s.info<i32>("current_player").categories(kMaxPlayers).doc("the player to move, who makes the world's next move");
    s.info<bool>("action_mask", {kTypes}).doc("types that the player to move has; all after the end");
    s.info<i32>("hands", {kMaxPlayers, kTypes}).bounds(-1, SparrowHand::kMostOfType).doc("tiles of each seat by type");
    s.info<i32>("n_red_in_hands", {kMaxPlayers, kTypes}).bounds(-1, SparrowHand::kMostOfType).doc("red tiles");
    s.info<i32>("rivers", {kMaxPlayers, kRiver}).bounds(-1, kTypes - 1).doc("discards of each seat; -1: none");
    s.info<bool>("is_red_in_river", {kMaxPlayers, kRiver}).doc("whether these are red");
    s.info<i32>("last_discard").bounds(-1, kTypes - 1).doc("type of the last discard; -1 if there is none");
    s.info<i32>("wall", {kTiles}).bounds(0, kTiles - 1).doc("all tiles in their order: type * 4 + 0 to 3");
    s.info<i32>("draw_ix").categories(kTiles + 1).doc("the next tile of the wall");
    s.info<i32>("dora").categories(kTypes).doc("the type that is worth a point more");
    s.info<i32>("shuffled_players", {kMaxPlayers}).bounds(0, kMaxPlayers - 1).doc("the player in each seat");
    s.info<i32>("turn").bounds(0, kTurns - 1).doc("number of the turn; seat turn % 3 is to move");
    s.info<i32>("scores", {kMaxPlayers}).bounds(-kMostScore, kMostScore).doc("points of each seat at the end");
    s.action<i32>().categories(kTypes).doc("type of the tile to discard: 0 to 8 bamboos, 9 green, 10 red dragon");
    s.render_fps = 2;
    SparrowPicture::set_size(s);
  }
  static void state_parts(StateParts<Shared>& parts) { parts.add("current_player", &Shared::current_player); }
  static void render(const World& world, const Params&, u8* rgb) {
    const Shared& s = world.shared;
    SparrowPicture picture(rgb);
    picture.dora(dora(s));
    for (i32 seat = 0; seat < kMaxPlayers; ++seat) {
      const i32 player = s.players[seat];
      i32 place = 0;
      for (i32 type = 0; type < kTypes; ++type) {
        for (i32 i = 0; i < s.hands[seat].of(type); ++i) picture.hand(player, place++, type, i < s.reds[seat].of(type));
      }
      for (i32 turn = seat; turn < s.num_discards; turn += kMaxPlayers) {
        picture.river(player, turn / kMaxPlayers, s.discards[turn] & ~kIsRed, (s.discards[turn] & kIsRed) != 0);
      }
    }
    picture.mark(s.current_player);
  }
#endif

  ENVPOOL_FN static void reset(World& world, const Params&, Rng& rng) {
    Shared& s = world.shared;
    s = {};
    const i32 order = i32(rng.below(6)), dealer = order / 2, next = (dealer + 1 + order % 2) % kMaxPlayers;
    s.players[0] = u8(dealer);
    s.players[1] = u8(next);
    s.players[2] = u8(3 - dealer - next);
    s.current_player = dealer;
    constexpr i32 kMostDeals = 100;  // the dealer's hand is complete in one of 102
    for (i32 i = 0; i < kMostDeals; ++i) {
      deal(s, rng);
      if (points(s, 0) == 0) break;
    }
    for (Agent& agent : world.agent) agent = {0, 0};
  }

  ENVPOOL_FN static i32 players(const World&) { return kMaxPlayers; }

  template <int kPhase>
  ENVPOOL_FN static void phase(World& world, i32 agent, const Params&, ActionRow action, Rng&) {
    if (agent == 0) world.agent[0].action = *action.at<i32>(0);
  }

  ENVPOOL_FN static Outcome finish(World& world, const Params&, Rng&) {
    Shared& s = world.shared;
    const i32 type = world.agent[0].action, seat = s.turn % kMaxPlayers, mover = s.current_player;
    const bool legal = s.hands[seat].of(type) > 0;
    discard(s, seat, type);
    s.over = true;
    if (!take_discard(s, seat, type) && s.turn + 1 < kTurns) {
      s.turn += 1;
      add(s, s.turn % kMaxPlayers, s.wall[next_tile(s) - 1]);
      s.current_player = s.players[s.turn % kMaxPlayers];
      s.over = wins_with_draw(s, s.turn % kMaxPlayers);
    }
    for (i32 i = 0; i < kMaxPlayers; ++i) {
      const i32 player = s.players[i];
      world.agent[player].reward = !legal ? (player == mover ? -1.0f : 2.0f) : f32(s.scores[i]) / 26.0f;
    }
    s.over |= !legal;
    return {.terminated = s.over};
  }

  ENVPOOL_FN static f32 reward(const World& world, i32 agent) { return world.agent[agent].reward; }

  ENVPOOL_FN static void observe(const World& world, const Params&, i32 agent, Row row) {
    const Shared& s = world.shared;
    bool* const obs = row.at<bool, kTypes * kFeatures>(kObs);
    const i32 seat = s.players[0] == agent ? 0 : s.players[1] == agent ? 1 : 2;
    const i32 next = (seat + 1) % kMaxPlayers, after = (seat + 2) % kMaxPlayers, shown = dora(s);
    for (i32 type = 0; type < kTypes; ++type) {
      const i32 tiles = clamp(s.hands[seat].of(type), 0, SparrowHand::kMostOfType);
      const u64 first = (u64{0x01010101} >> 8 * (SparrowHand::kMostOfType - tiles)) |
                        u64(s.reds[seat].of(type) > 0) << 32 | u64(type == shown) << 40 |
                        u64{s.discarded[seat] >> type & 1u} << 48 | u64{s.discarded[next] >> type & 1u} << 56;
      write_features(obs + type * kFeatures, first, s.discarded[after] >> type & 1);
    }
    for (i32 back = 0; back < 3; ++back) {
      if (const i32 turn = last_turn(s, next) - back * kMaxPlayers; turn >= 0) {
        obs[(s.discards[turn] & ~kIsRed) * kFeatures + 9 + back] = true;
      }
      if (const i32 turn = last_turn(s, after) - back * kMaxPlayers; turn >= 0) {
        obs[(s.discards[turn] & ~kIsRed) * kFeatures + 12 + back] = true;
      }
    }
    *row.at<i32, 1>(kPlayerId) = agent;
  }

  ENVPOOL_FN static void observe_world(const World& world, const Params&, Row row) {
    const Shared& s = world.shared;
    *row.at<i32, 1>(kCurrentPlayer) = s.current_player;
    bool* const mask = row.at<bool, kTypes>(kActionMask);
    for (i32 type = 0; type < kTypes; ++type) mask[type] = s.over || s.hands[s.turn % kMaxPlayers].of(type) > 0;
    i32* const rivers = row.at<i32, kMaxPlayers * kRiver>(kRivers);
    bool* const red = row.at<bool, kMaxPlayers * kRiver>(kIsRedInRiver);
    for (i32 seat = 0; seat < kMaxPlayers; ++seat) {
      s.hands[seat].write(row.at<i32, kMaxPlayers * kTypes>(kHands) + seat * kTypes);
      s.reds[seat].write(row.at<i32, kMaxPlayers * kTypes>(kRedsInHands) + seat * kTypes);
      for (i32 i = 0; i < kRiver; ++i) {
        const i32 turn = i * kMaxPlayers + seat;
        const bool is_there = turn < s.num_discards;
        const u8 tile = s.discards[min(turn, kTurns - 1)];
        rivers[seat * kRiver + i] = is_there ? tile & ~kIsRed : -1;
        red[seat * kRiver + i] = is_there && (tile & kIsRed) != 0;
      }
      row.at<i32, kMaxPlayers>(kShuffledPlayers)[seat] = s.players[seat];
      row.at<i32, kMaxPlayers>(kScores)[seat] = s.scores[seat];
    }
    *row.at<i32, 1>(kLastDiscard) = s.num_discards > 0 ? s.discards[s.num_discards - 1] & ~kIsRed : -1;
    for (i32 i = 0; i < kTiles; ++i) row.at<i32, kTiles>(kWall)[i] = s.wall[i];
    *row.at<i32, 1>(kDrawIndex) = next_tile(s);
    *row.at<i32, 1>(kDora) = dora(s);
    *row.at<i32, 1>(kTurn) = s.turn;
  }

  ENVPOOL_FN static void repair(World& world, const Params&) {
    Shared& s = world.shared;
    for (SparrowHand& hand : s.hands) hand.repair();
    for (SparrowHand& reds : s.reds) reds.repair();
    for (u16& set : s.discarded) set &= (1 << kTypes) - 1;
    for (u8& tile : s.wall) keep_within(tile, u8{0}, u8{kTiles - 1});
    for (u8& tile : s.discards) {
      u8 type = tile & 0xF;
      keep_within(type, u8{0}, u8{kTypes - 1});
      tile = u8(type | (tile & kIsRed));
    }
    keep_within(s.turn, u8{0}, u8{kTurns - 1});
    keep_within(s.num_discards, s.turn, u8(s.turn + 1));
    u8 dealer = s.players[0], next = s.players[1];
    keep_within(dealer, u8{0}, u8{2});
    keep_within(next, u8{0}, u8{2});
    if (next == dealer) next = u8((dealer + 1) % kMaxPlayers);
    s.players[0] = dealer;
    s.players[1] = next;
    s.players[2] = u8(3 - dealer - next);
    s.current_player = s.players[s.turn % kMaxPlayers];
    for (i8& score : s.scores) keep_within(score, i8{-kMostScore}, i8{kMostScore});
    keep_bool(s.over);
  }

 private:
  static constexpr f32 kMostReward = 2;
  static constexpr i32 kMostScore = 50;
  static constexpr u8 kIsRed = 16;

  ENVPOOL_FN static i32 dora(const Shared& s) { return s.wall[kTiles - 1] / 4; }
  ENVPOOL_FN static i32 next_tile(const Shared& s) { return kDealt + 1 + s.turn; }
  // Writes the features of a type: eight bytes, one more, and zeros.
  ENVPOOL_FN static void write_features(bool* to, u64 first, u32 ninth) {
#ifdef __CUDACC__
    for (i32 i = 0; i < 8; ++i) to[i] = (first >> 8 * i & 1) != 0;
    to[8] = ninth != 0;
    for (i32 i = 9; i < kFeatures; ++i) to[i] = false;
#else
    const u64 last = first >> 56 | u64{ninth} << 8;  // the last eight, which begin with the eighth
    __builtin_memcpy(to, &first, sizeof(first));
    __builtin_memcpy(to + kFeatures - 8, &last, sizeof(last));
#endif
  }
  // Returns the last turn in which the player in a seat has discarded; it is negative if there is none.
  ENVPOOL_FN static i32 last_turn(const Shared& s, i32 seat) {
    const i32 last = s.num_discards - 1;
    return last - (last + kMaxPlayers - seat) % kMaxPlayers;
  }
  // Returns the points of a hand, or 0 if it is not complete.
  ENVPOOL_FN static i32 points(const Shared& s, i32 seat) { return s.hands[seat].points(dora(s), s.reds[seat].sum()); }

  ENVPOOL_FN static void add(Shared& s, i32 seat, i32 tile) {
    const i32 type = tile / 4;
    const bool red = type == SparrowHand::kRed || (type < SparrowHand::kBamboos && tile % 4 == 0);
    s.hands[seat] = s.hands[seat].with(type, 1);
    s.reds[seat] = s.reds[seat].with(type, red);
  }

  ENVPOOL_FN static void deal(Shared& s, Rng& rng) {
    for (i32 i = 0; i < kTiles; ++i) s.wall[i] = u8(i);
    for (i32 left = kTiles; left > 1;) {
      // One number below left * (left - 1) * ... * (end + 1) chooses the tiles of all these places.
      i32 end = left - 1;
      u32 ways = u32(left);
      while (end > 1 && u64{ways} * u32(end) <= 0xFFFFFFFF) ways *= u32(end--);
      u32 number = rng.below(ways);
      for (; left > end; --left) {
        const u32 at = number % u32(left);
        number /= u32(left);
        const u8 tile = s.wall[at];
        s.wall[at] = s.wall[left - 1];
        s.wall[left - 1] = tile;
      }
    }
    for (i32 seat = 0; seat < kMaxPlayers; ++seat) {
      s.hands[seat] = s.reds[seat] = {0};
      for (i32 i = 0; i < kHand; ++i) add(s, seat, s.wall[seat * kHand + i]);
    }
    const SparrowHand reds = s.reds[0];
    add(s, 0, s.wall[kDealt]);
    s.reds[0] = reds;
  }

  ENVPOOL_FN static void discard(Shared& s, i32 seat, i32 type) {
    s.hands[seat] = s.hands[seat].with(type, -1);
    const bool is_red = s.hands[seat].of(type) < s.reds[seat].of(type);
    s.reds[seat] = s.reds[seat].with(type, -i32(is_red));
    s.discards[s.turn] = u8(type | (is_red ? kIsRed : 0));
    s.num_discards = u8(s.turn + 1);
    s.discarded[seat] |= u16(1 << type);
  }

  // Ends the game if other players win with a discard: whether they do.
  ENVPOOL_FN static bool take_discard(Shared& s, i32 seat, i32 type) {
    constexpr i32 kLeast = 5;
    i32 sum = 0;
    for (i32 k = 1; k < kMaxPlayers; ++k) {
      const i32 other = (seat + k) % kMaxPlayers;
      if ((s.discarded[other] >> type & 1) != 0) continue;
      const i32 score = s.hands[other].with(type, 1).points(dora(s), s.reds[other].sum());
      if (score < kLeast) continue;
      s.scores[other] = i8(score + (other == 0 ? kDealersPoints : 0));
      sum += s.scores[other];
    }
    s.scores[seat] = i8(-sum);
    return sum > 0;
  }
  ENVPOOL_FN static bool wins_with_draw(Shared& s, i32 seat) {
    if (s.turn >= kMaxPlayers && seat != kMaxPlayers - 1) return false;
    const i32 score = points(s, seat);
    if (score == 0) return false;
    const i32 each = (score + (seat == 0 ? kDealersPoints : 0) + 1) / 2;
    for (i32 i = 0; i < kMaxPlayers; ++i) s.scores[i] = i8(i == seat ? 2 * each : -each);
    return true;
  }

  static constexpr i32 kDealersPoints = 2;
};

}  // namespace envpool::pgx
