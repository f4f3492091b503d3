// SPDX-License-Identifier: Apache-2.0
//
// Taxi: the taxi picks up a passenger at one of four places in a town with walls and takes them to another.
//
// clang-format off
//       +---------+
//       |R: | : :G|       Action       i32, 0 drives south, 1 north, 2 east, 3 west, 4 picks up, 5 drops off
//       | : | : : |       Observation  i32, ((row * 5 + column) * 5 + passenger) * 4 + destination, where the passenger
//       | : : : : |                    is at R, G, Y, B (0 to 3) or in the taxi (4)
//       | | : | : |       Reward       20 for dropping off at the destination, -10 for an illegal pick-up or drop-off,
//       |Y| : |B: |                    else -1
//       +---------+       Terminated   after the drop-off at the destination
//                         Truncated    after 200 steps
// clang-format on
//
//   Info    prob, the probability of the direction that the step took; action_mask, the actions with an effect
//   Reset   the taxi is in any cell, the passenger at one of the places, and the destination is another place: all 300
//           states are equally likely
//
// With `is_rainy`, a move that no wall blocks goes in the chosen direction with probability `rainy_probability`, else
// in either perpendicular one. With `fickle_passenger`, the passenger of an episode is fickle with probability
// `fickle_probability`. After the first move with a fickle passenger, the destination changes to one of the other three
// places.
//
// T. Dietterich, "Hierarchical reinforcement learning with the MAXQ value function decomposition" (2000).
// Reference: gymnasium 1.4.0, toy_text/taxi.py.
#pragma once

#include "envpool/core/api.h"
#include "envpool/toy_text/slip.h"
#if ENVPOOL_HOST
#include "envpool/core/board.h"
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
    i32 passenger;    // 0 to 3: at the place with this number; 4: in the taxi
    i32 destination;  // 0 to 3
    f32 probability;
    u8 fickle;  // 1 until the passenger changes the destination
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.boolean("is_rainy", false, "a move may go in either direction perpendicular to the chosen one")
        .sets(&Params::rainy);
    o.boolean("fickle_passenger", false, "the passenger may change the destination once").sets(&Params::fickle);
    o.real("rainy_probability", 0.8, "probability of the chosen direction if is_rainy")
        .between(0, 1)
        .sets(&Params::straight_probability);
    o.real("fickle_probability", 0.3, "probability that the passenger of an episode is fickle if fickle_passenger")
        .between(0, 1)
        .sets(&Params::fickle_probability);
  }
  static void spec(const Params&, Spec& s) {
    s.obs<i32>("obs")
        .categories(kSide * kSide * (kPlaces + 1) * kPlaces)
        .doc("((row * 5 + column) * 5 + passenger) * 4 + destination");
    s.info<f32>("prob").bounds(0, 1).doc("probability of the direction that the step took; 1 after a reset");
    s.info<bool>("action_mask", {6}).doc("the actions with an effect");
    s.action<i32>().categories(6).doc("0 drives south, 1 north, 2 east, 3 west, 4 picks up, 5 drops off");
    s.reward_low = -10;
    s.reward_high = 20;
    s.render_fps = 4;
    drawing::Board::set_size(s, kSide, kSide);
  }
  // The places have the colors that their letters stand for. A frame marks the destination, and a disc the passenger.
  static void render(const State& s, const Params&, u8* rgb) {
    constexpr i32 places[kPlaces][2] = {{0, 0}, {0, 4}, {4, 0}, {4, 3}};
    constexpr drawing::Color colors[kPlaces] = {{226, 140, 128}, {140, 200, 140}, {240, 220, 120}, {140, 176, 226}};
    constexpr drawing::Color cab{250, 160, 30}, rider{60, 40, 90};
    drawing::Board board(rgb, kSide, kSide, drawing::kEmpty);
    drawing::Canvas& canvas = board.canvas();
    for (i32 i = 0; i < kPlaces; ++i) board.fill(places[i][0], places[i][1], colors[i]);
    const f64 unit = board.side();
    State cell{};
    for (cell.row = 0; cell.row < kSide; ++cell.row) {
      for (cell.column = 0; cell.column < kSide - 1; ++cell.column) {
        if (open_directions(cell) >> 2 & 1) continue;
        canvas.line(board.at(cell.row, cell.column + 1), board.at(cell.row + 1, cell.column + 1), drawing::kWall,
                    unit / 10);
      }
    }
    const i32* const to = places[s.destination];
    const drawing::Point low = board.at(to[0] + 0.92, to[1] + 0.08), high = board.at(to[0] + 0.08, to[1] + 0.92);
    for (const drawing::Point& corner : {drawing::Point{low.x, high.y}, drawing::Point{high.x, low.y}}) {
      canvas.line(corner, low, drawing::kWall, unit / 16);
      canvas.line(corner, high, drawing::kWall, unit / 16);
    }
    if (s.passenger != kRiding) board.disc(places[s.passenger][0], places[s.passenger][1], 0.2, rider);
    const drawing::Point left = board.at(s.row + 0.75, s.column + 0.1), right = board.at(s.row + 0.35, s.column + 0.9);
    canvas.box(left.x, left.y, right.x, right.y, cab);
    canvas.box(left.x + unit / 6, right.y, right.x - unit / 6, right.y + unit / 6, cab);
    for (const f64 wheel : {0.28, 0.72}) {
      const drawing::Point axle = board.at(s.row + 0.76, s.column + wheel);
      canvas.disc(axle.x, axle.y, unit / 10, drawing::kBlack);
    }
    if (s.passenger == kRiding) board.disc(s.row, s.column, 0.14, rider);
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

  // This function has no branches on the action or its effects, because they would be mispredicted.
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow row, Rng& rng) {
    const i32 action = *row.at<i32>(0), place = place_of(s);
    const bool drives = action < 4, rides = s.passenger == kRiding;
    const bool boards = (action == 4) & !rides & (place == s.passenger);
    const bool alights = (action == 5) & rides & (place >= 0), arrives = alights & (place == s.destination);
    s.passenger = boards ? kRiding : alights ? place : s.passenger;
    s.probability = 1;
    i32 direction = action;
    if (p.rainy && drives) {
      const Slip slip = draw_slip(p.straight_probability, rng);
      s.probability = slip.probability;
      // East and west are perpendicular to south and north, and vice versa.
      if (slip.turn != 0 && (open_directions(s) >> action & 1) != 0) direction = (action < 2 ? 2 : 0) + (slip.turn > 0);
    }
    const i32 moves = i32(drives) & i32(open_directions(s) >> direction);
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
    const u32 directions = open_directions(s);
    for (i32 direction = 0; direction < 4; ++direction) mask[direction] = (directions >> direction & 1) != 0;
    const i32 place = place_of(s);
    mask[4] = (place >= 0) & (place == s.passenger);
    mask[5] = (place >= 0) & (s.passenger == kRiding);
  }

 private:
  // Returns the place with the given index among the other three.
  ENVPOOL_FN static i32 other_than(i32 place, i32 index) { return index + (index >= place); }

  // Returns the number of the taxi's cell. It is masked, so that shifts by it are valid for any state.
  ENVPOOL_FN static u32 cell(const State& s) { return (u32(s.row) * kSide + u32(s.column)) & 31; }

  // Returns the place where the taxi is, or -1 if it is at no place.
  ENVPOOL_FN static i32 place_of(const State& s) {
    const u32 at = cell(s);
    return i32(at == 0) + 2 * i32(at == 4) + 3 * i32(at == 20) + 4 * i32(at == 23) - 1;
  }
  // Returns a mask with a bit for each direction that no wall blocks.
  ENVPOOL_FN static u32 open_directions(const State& s) {
    // The cells with a wall to the east: the first cell is the lowest bit, and each row has five.
    constexpr u32 kEast = 0b10101'10101'10000'10010'10010, kWest = kEast << 1 | 1;
    const u32 at = cell(s);
    return u32(s.row < kSide - 1) | u32(s.row > 0) << 1 | (~kEast >> at & 1) << 2 | (~kWest >> at & 1) << 3;
  }
};

}  // namespace envpool::toy_text
