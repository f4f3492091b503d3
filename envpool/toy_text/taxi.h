// SPDX-License-Identifier: Apache-2.0
//
// Taxi: fetch a passenger at one of four places of a town with walls, and bring them to another.
//
// clang-format off
//       +---------+
//       |R: | : :G|       Action       i32, 0 drives south, 1 north, 2 east, 3 west, 4 picks up, 5 drops off
//       | : | : : |       Observation  i32, ((row * 5 + column) * 5 + passenger) * 4 + destination, where the passenger
//       | : : : : |                    is at R, G, Y, B (0 to 3) or in the taxi (4)
//       | | : | : |       Reward       20 for dropping off at the destination, -10 for a pick-up or drop-off that cannot
//       |Y| : |B: |                    be, else -1
//       +---------+       Terminated   after the drop-off at the destination
//                         Truncated    after 200 steps
// clang-format on
//
//   Info    prob, the probability of what the step did; action_mask, the actions that change something
//   Reset   the taxi anywhere, the passenger at one of the places, with another for destination: all 300 as likely
//
// With `is_rainy`, a drive that is not blocked goes as intended with probability `rainy_probability`, else to either
// side of that. With `fickle_passenger`, in a share `fickle_probability` of episodes the passenger changes to one of
// the other three destinations on the first ride of a block.
//
// T. Dietterich, "Hierarchical reinforcement learning with the MAXQ value function decomposition" (2000).
// Reference: gymnasium 1.4.0, toy_text/taxi.py.
#pragma once

#include "envpool/core/api.h"
#include "envpool/toy_text/slip.h"

namespace envpool::toy_text {

struct Taxi {
  static constexpr const char* kName = "Taxi";
  static constexpr i32 kSide = 5, kPlaces = 4, kRiding = 4;

  struct Params {
    bool rainy, fickle;
    f64 straight_probability, fickle_probability;
  };
  struct State {
    i32 row, column;
    i32 passenger;    // 0 to 3: at that place; 4: in the taxi
    i32 destination;  // 0 to 3
    f32 probability;
    u8 fickle;  // 1 while the passenger is yet to change the destination
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.boolean("is_rainy", false, "a drive may go to either side of where it was meant to");
    o.boolean("fickle_passenger", false, "the passenger may change the destination once on the way");
    o.real("rainy_probability", 0.8, "of going straight, if it is rainy").between(0, 1);
    o.real("fickle_probability", 0.3, "of an episode whose passenger changes, if passengers are fickle").between(0, 1);
  }
  static Params params(const OptionValues& v) {
    return {.rainy = v.boolean("is_rainy"),
            .fickle = v.boolean("fickle_passenger"),
            .straight_probability = v.real("rainy_probability"),
            .fickle_probability = v.real("fickle_probability")};
  }
  static void spec(const Params&, Spec& s) {
    s.obs<i32>("obs")
        .categories(kSide * kSide * (kPlaces + 1) * kPlaces)
        .says("((row * 5 + column) * 5 + passenger) * 4 + destination");
    s.info<f32>("prob").bounds(0, 1).says("probability of what the step did; 1 at a reset");
    s.info<bool>("action_mask", {6}).says("the actions that change something");
    s.action<i32>().categories(6).says("0 drives south, 1 north, 2 east, 3 west, 4 picks up, 5 drops off");
    s.reward_low = -10;
    s.reward_high = 20;
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    const i32 draw = i32(rng.below(kSide * kSide * kPlaces * (kPlaces - 1)));
    const i32 trip = draw % (kPlaces * (kPlaces - 1)), block = draw / (kPlaces * (kPlaces - 1));
    s.row = block / kSide;
    s.column = block % kSide;
    s.passenger = trip / (kPlaces - 1);
    s.destination = other_than(s.passenger, trip % (kPlaces - 1));
    s.probability = 1;
    s.fickle = p.fickle && rng.uniform() < p.fickle_probability;
  }

  // Without branches on what cannot be foreseen: the action, and what it changes.
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow row, Rng& rng) {
    const i32 action = *row.at<i32>(0), place = place_of(s);
    const bool drives = action < 4, rides = s.passenger == kRiding;
    const bool boards = (action == 4) & !rides & (place == s.passenger);
    const bool alights = (action == 5) & rides & (place >= 0), arrives = alights & (place == s.destination);
    s.passenger = boards ? kRiding : alights ? place : s.passenger;
    s.probability = 1;
    i32 direction = action;
    if (p.rainy && drives) {
      const Slip way = slip(p.straight_probability, rng);
      s.probability = way.probability;
      // The sides of south and north are east and west, and the other way round.
      if (way.turn != 0 && (open(s) >> action & 1) != 0) direction = (action < 2 ? 2 : 0) + (way.turn > 0);
    }
    const i32 moves = i32(drives) & i32(open(s) >> direction);
    s.row += moves * ((direction == 0) - (direction == 1));
    s.column += moves * ((direction == 2) - (direction == 3));
    if (s.fickle && rides && moves != 0) {
      s.fickle = 0;
      s.destination = other_than(s.destination, i32(rng.below(kPlaces - 1)));
    }
    const bool refused = !drives & !boards & !alights;
    return {.reward = -1 - 9 * one_if(refused) + 21 * one_if(arrives), .terminated = arrives};
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    keep_within(s.row, 0, kSide - 1);
    keep_within(s.column, 0, kSide - 1);
    keep_within(s.passenger, 0, kRiding);
    keep_within(s.destination, 0, kPlaces - 1);
  }

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) {
    *row.at<i32, 1>(0) = ((s.row * kSide + s.column) * (kPlaces + 1) + s.passenger) * kPlaces + s.destination;
    *row.at<f32, 1>(1) = s.probability;
    bool* const mask = row.at<bool, 6>(2);
    const u32 ways = open(s);
    for (i32 direction = 0; direction < 4; ++direction) mask[direction] = (ways >> direction & 1) != 0;
    const i32 place = place_of(s);
    mask[4] = (place >= 0) & (place == s.passenger);
    mask[5] = (place >= 0) & (s.passenger == kRiding);
  }

 private:
  // The index-th of the places that are not this one.
  ENVPOOL_FN static i32 other_than(i32 place, i32 index) { return index + (index >= place); }

  // Never beyond the tables below, wherever a state says that the taxi is.
  ENVPOOL_FN static u32 cell(const State& s) { return (u32(s.row) * kSide + u32(s.column)) & 31; }

  // Where the taxi stands, if that is one of the places, else -1.
  ENVPOOL_FN static i32 place_of(const State& s) {
    const u32 at = cell(s);
    return i32(at == 0) + 2 * i32(at == 4) + 3 * i32(at == 20) + 4 * i32(at == 23) - 1;
  }
  // A bit for each direction that is not walled up.
  ENVPOOL_FN static u32 open(const State& s) {
    // Cells with a wall on their east, the first cell lowest: five to a row, the last of them at the border.
    constexpr u32 kEast = 0b10101'10101'10000'10010'10010, kWest = kEast << 1 | 1;
    const u32 at = cell(s);
    return u32(s.row < kSide - 1) | u32(s.row > 0) << 1 | (~kEast >> at & 1) << 2 | (~kWest >> at & 1) << 3;
  }
};

}  // namespace envpool::toy_text
