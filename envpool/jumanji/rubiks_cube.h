// SPDX-License-Identifier: Apache-2.0
//
// Rubik's cube: layers are turned until each face has one color.
//
//   Action       i32[3]: the face (0 up, 1 front, 2 right, 3 back, 4 left, 5 down), the depth of the layer behind it,
//                and the turn, seen from outside the face (0 clockwise, 1 anticlockwise, 2 half a turn)
//   Observation  cube, u8[6][cube_size][cube_size]: the colors of the stickers, each face as it is seen from outside.
//                step_count, i32: the steps of the episode
//   Reward       1 for the solved cube
//   Terminated   when the cube is solved, and after time_limit steps
//   Reset        num_scrambles_on_reset random turns of the solved cube, each action with equal probability
//   Image        the unfolded cube
//
// Above the up face is the back one, and above the down face the front one; the others have the up face above them.
//
// Reference: jumanji 1.1.2, RubiksCube.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/block_rng.h"
#if ENVPOOL_HOST
#include "envpool/core/board.h"
#endif

namespace envpool::jumanji {

struct RubiksCube {
  static constexpr const char* kName = "RubiksCube";
  static constexpr bool kLargeRows = true, kLongSteps = true;
  static constexpr i32 kMostSide = 10, kFaces = 6, kTurns = 3, kSides = 4;
  enum Field { kCube, kStepCount };

  struct Params {
    i32 side, scrambles, time_limit;
    i32 stickers;  // derived
  };
  struct State {  // the stickers follow, a byte each
    i32 steps;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("cube_size", 3, "stickers along an edge").between(2, kMostSide).sets(&Params::side).changes_shapes();
    o.integer("num_scrambles_on_reset", 100, "turns of the solved cube at a reset")
        .between(0, 100000)
        .sets(&Params::scrambles);
    o.integer("time_limit", 200, "steps of an episode").between(1, 1e6).sets(&Params::time_limit).changes_shapes();
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<u8>("cube", {kFaces, p.side, p.side}).bounds(0, kFaces - 1).doc("colors of the stickers");
    s.obs<i32>("step_count").categories(p.time_limit + 1).doc("steps of the episode");
    s.action<i32>("action", {3})
        .categories({kFaces, i64{p.side / 2}, kTurns})
        .doc("face, depth of the layer, and turn");
    s.reward_low = 0;
    s.reward_high = 1;
    s.render_fps = 3;
    drawing::Board::set_size(s, 3 * p.side, 4 * p.side);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    constexpr drawing::Color colors[kFaces] = {{250, 250, 250}, {60, 160, 80},  {208, 60, 52},
                                               {52, 90, 190},   {240, 140, 40}, {240, 210, 60}};
    constexpr drawing::Color table{58, 64, 72};
    constexpr i32 places[kFaces][2] = {{0, 1}, {1, 1}, {1, 2}, {1, 3}, {1, 0}, {2, 1}};
    drawing::Board board(rgb, 3 * p.side, 4 * p.side, table);
    for (i32 i = 0; i < p.stickers; ++i) {
      const i32 face = i / (p.side * p.side), row = i / p.side % p.side, column = i % p.side;
      board.fill(places[face][0] * p.side + row, places[face][1] * p.side + column, colors[stickers(s)[i]]);
    }
  }
#endif

  ENVPOOL_FN static void derive(Params& p) { p.stickers = kFaces * p.side * p.side; }
  ENVPOOL_FN static i64 extra_bytes(const Params& p) { return i64{kFaces} * p.side * p.side; }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {};
    for (i32 face = 0, i = 0; face < kFaces; ++face) {
      for (i32 k = 0; k < p.side * p.side; ++k) stickers(s)[i++] = static_cast<u8>(face);
    }
    BlockRng draws(rng);
    for (i32 i = 0; i < p.scrambles; ++i) {
      const i32 action = i32(draws.below(u32(kFaces * (p.side / 2) * kTurns))), layer = action / kTurns;
      turn(s, p, layer / (p.side / 2), layer % (p.side / 2), action % kTurns);
    }
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32* const chosen = action.at<i32, 3>(0);
    turn(s, p, chosen[0], chosen[1], chosen[2]);
    s.steps = min(s.steps + 1, p.time_limit);
    const bool solved = is_solved(s, p);
    return {.reward = one_if(solved), .terminated = solved || s.steps >= p.time_limit};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    u8* const cube = row.at<u8>(kCube);
    for (i32 i = 0; i < p.stickers; ++i) cube[i] = stickers(s)[i];
    *row.at<i32, 1>(kStepCount) = s.steps;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    keep_within(s.steps, 0, p.time_limit);
    for (i32 i = 0; i < p.stickers; ++i) keep_within(stickers(s)[i], u8{0}, u8{kFaces - 1});
  }

 private:
  // The stickers of a layer on one of the four faces around it, in clockwise order.
  struct Line {
    i32 first, stride;
  };
  enum Edge : i32 { kTop, kRight, kBottom, kLeft };  // of a face, which the line is next to, or parallel to

  ENVPOOL_FN static u8* stickers(State& s) { return reinterpret_cast<u8*>(&s + 1); }
  ENVPOOL_FN static const u8* stickers(const State& s) { return reinterpret_cast<const u8*>(&s + 1); }

  // Returns the line at a depth from an edge of a face. Forwards is to the right or down.
  ENVPOOL_FN static Line line_of(const Params& p, i32 face, i32 edge, i32 depth, bool forwards) {
    const bool level = edge == kTop || edge == kBottom;
    const i32 away = edge == kTop || edge == kLeft ? depth : p.side - 1 - depth, stride = level ? 1 : p.side;
    const i32 first = face * p.side * p.side + away * (level ? p.side : 1);
    return {forwards ? first : first + (p.side - 1) * stride, forwards ? stride : -stride};
  }
  // Returns one of the four lines of a layer, in clockwise order. The code of a line is its face, the edge of that
  // face to which it is parallel, and whether it goes forwards.
  ENVPOOL_FN static Line side_of(const Params& p, i32 face, i32 number, i32 depth) {
    const auto code = [](u32 of, u32 edge, u32 forwards) { return of << 3 | edge << 1 | forwards; };
    const auto four = [](u32 a, u32 b, u32 c, u32 d) { return a | b << 8 | c << 16 | d << 24; };
    constexpr u32 up = 0, front = 1, right = 2, back = 3, left = 4, down = 5;
    const u32 codes =
        face == 0   ? four(code(front, kTop, 1), code(left, kTop, 1), code(back, kTop, 1), code(right, kTop, 1))
        : face == 1 ? four(code(up, kBottom, 1), code(right, kLeft, 1), code(down, kTop, 0), code(left, kRight, 0))
        : face == 2 ? four(code(up, kRight, 0), code(back, kLeft, 1), code(down, kRight, 0), code(front, kRight, 0))
        : face == 3 ? four(code(up, kTop, 0), code(left, kLeft, 1), code(down, kBottom, 1), code(right, kRight, 0))
        : face == 4
            ? four(code(up, kLeft, 1), code(front, kLeft, 1), code(down, kLeft, 1), code(back, kRight, 0))
            : four(code(front, kBottom, 1), code(right, kBottom, 1), code(back, kBottom, 1), code(left, kBottom, 1));
    const u32 of = codes >> 8 * number & 0xFF;
    return line_of(p, i32(of >> 3), i32(of >> 1 & 3), depth, (of & 1) != 0);
  }

  // Moves four stickers on by this many quarter turns.
  ENVPOOL_FN static void move_on(u8& a, u8& b, u8& c, u8& d, i32 quarters) {
    const u8 was_a = a, was_b = b, was_c = c, was_d = d;
    a = quarters == 1 ? was_d : quarters == 2 ? was_c : was_b;
    b = quarters == 1 ? was_a : quarters == 2 ? was_d : was_c;
    c = quarters == 1 ? was_b : quarters == 2 ? was_a : was_d;
    d = quarters == 1 ? was_c : quarters == 2 ? was_b : was_a;
  }
  ENVPOOL_FN static void turn(State& s, const Params& p, i32 face, i32 depth, i32 amount) {
    const i32 quarters = amount == 0 ? 1 : amount == 1 ? 3 : 2, last = p.side - 1;
    u8* const all = stickers(s);
    Line around[kSides];
    for (i32 i = 0; i < kSides; ++i) around[i] = side_of(p, face, i, depth);
    for (i32 k = 0; k < p.side; ++k) {
      move_on(all[around[0].first + k * around[0].stride], all[around[1].first + k * around[1].stride],
              all[around[2].first + k * around[2].stride], all[around[3].first + k * around[3].stride], quarters);
    }
    if (depth != 0) return;
    u8* const own = all + face * p.side * p.side;
    for (i32 ring = 0; ring < p.side / 2; ++ring) {
      for (i32 k = ring; k < last - ring; ++k) {
        move_on(own[ring * p.side + k], own[k * p.side + last - ring], own[(last - ring) * p.side + last - k],
                own[(last - k) * p.side + ring], quarters);
      }
    }
  }
  ENVPOOL_FN static bool is_solved(const State& s, const Params& p) {
    const u8* face = stickers(s);
    for (i32 i = 0; i < kFaces; ++i, face += p.side * p.side) {
      for (i32 k = 1; k < p.side * p.side; ++k) {
        if (face[k] != face[0]) return false;
      }
    }
    return true;
  }
};

}  // namespace envpool::jumanji
