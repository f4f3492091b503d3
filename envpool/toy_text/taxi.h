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

#include "envpool/core/env.h"
#include "envpool/core/portable.h"
#include "envpool/toy_text/slip.h"
#if ENVPOOL_HOST
#include "envpool/core/spec.h"
#endif

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

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow row, Rng& rng) {
    const i32 action = *row.at<i32>(0);
    s.probability = 1;
    if (action == 4) return pick_up(s);
    if (action == 5) return drop_off(s);
    const i32 from_row = s.row, from_column = s.column;
    i32 direction = action;
    if (p.rainy) {
      const Slip way = slip(p.straight_probability, rng);
      s.probability = way.probability;
      // The sides of south and north are east and west, and the other way round.
      if (way.turn != 0 && open(s, action)) direction = (action < 2 ? 2 : 0) + (way.turn > 0);
    }
    drive(s, direction);
    if (s.fickle && s.passenger == kRiding && (s.row != from_row || s.column != from_column)) {
      s.fickle = 0;
      s.destination = other_than(s.destination, i32(rng.below(kPlaces - 1)));
    }
    return {.reward = -1};
  }

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) {
    *row.at<i32, 1>(0) = ((s.row * kSide + s.column) * (kPlaces + 1) + s.passenger) * kPlaces + s.destination;
    *row.at<f32, 1>(1) = s.probability;
    bool* const mask = row.at<bool, 6>(2);
    for (i32 direction = 0; direction < 4; ++direction) mask[direction] = open(s, direction);
    const i32 place = place_of(s);
    mask[4] = place >= 0 && place == s.passenger;
    mask[5] = place >= 0 && s.passenger == kRiding;
  }

 private:
  // The index-th of the places that are not this one.
  ENVPOOL_FN static i32 other_than(i32 place, i32 index) { return index + (index >= place); }

  // Where the taxi stands, if that is one of the places, else -1.
  ENVPOOL_FN static i32 place_of(const State& s) {
    if (s.row == 0) return s.column == 0 ? 0 : (s.column == 4 ? 1 : -1);
    if (s.row == 4) return s.column == 0 ? 2 : (s.column == 3 ? 3 : -1);
    return -1;
  }
  // Whether there is a wall on the east side of this column.
  ENVPOOL_FN static bool wall_east(i32 row, i32 column) {
    if (row < 2) return column == 1;
    return row > 2 && (column == 0 || column == 2);
  }
  ENVPOOL_FN static bool open(const State& s, i32 direction) {
    if (direction == 0) return s.row < kSide - 1;
    if (direction == 1) return s.row > 0;
    if (direction == 2) return s.column < kSide - 1 && !wall_east(s.row, s.column);
    return s.column > 0 && !wall_east(s.row, s.column - 1);
  }
  ENVPOOL_FN static void drive(State& s, i32 direction) {
    if (!open(s, direction)) return;
    if (direction < 2) {
      s.row += direction == 0 ? 1 : -1;
    } else {
      s.column += direction == 2 ? 1 : -1;
    }
  }
  ENVPOOL_FN static Outcome pick_up(State& s) {
    if (s.passenger == kRiding || place_of(s) != s.passenger) return {.reward = -10};
    s.passenger = kRiding;
    return {.reward = -1};
  }
  ENVPOOL_FN static Outcome drop_off(State& s) {
    const i32 place = place_of(s);
    if (s.passenger != kRiding || place < 0) return {.reward = -10};
    s.passenger = place;
    const bool arrived = place == s.destination;
    return {.reward = arrived ? 20.0f : -1.0f, .terminated = arrived};
  }
};

}  // namespace envpool::toy_text
