// SPDX-License-Identifier: Apache-2.0
//
// How the agent and enemies of CoinRun move: in small steps in each direction, until walls or crates stop them.
#pragma once

#include "envpool/procgen/coinrun_level.h"

namespace envpool::procgen::coinrun {

inline constexpr f32 kMix = 0.2f;

// A body that moves: the agent, or an enemy.
struct Body {
  Mover& at;
  f32 half_width, half_height;
  bool is_agent;
};

// Returns whether a crate stops a vertical move, and notes that the agent is on it. As in the reference, this depends
// only on how the agent moves, even if it is an enemy that touches the crate.
ENVPOOL_FN bool stops_on(State& s, const Thing& crate) {
  if (s.agent.vy >= 0 || s.dy < 0 || s.last_y < crate.y + 0.5f + kHalf + kAgentHalfHeight) return false;
  s.on_crate = true;
  return true;
}

// Moves a body in one direction up to walls. Returns whether one stops it. Walls and barriers turn enemies round.
ENVPOOL_FN bool move_in_cells(const State& s, Body& b, f32 vx, f32 vy) {
  return procgen::move_in_cells(b.at, b.half_width, b.half_height, vx, vy, [&](f32 x, f32 y) -> i32 {
    const i32 type = cells_of(s).at_point(x, y);
    if (b.is_agent) return is_wall(type) ? kBlocks : kPasses;
    return type == kWall ? kBlocks | kTurns : type == kWallTop || type == kBarrier ? kTurns : kPasses;
  });
}

// Moves a body in one direction. Returns whether something stops it. A crate moves the body out of itself, which may
// bring it to other crates.
ENVPOOL_DEVICE_CALL bool move(State& s, Body& b, f32 vx, f32 vy) {
  constexpr i32 kDepth = 6;  // moves out of crates within each other
  i32 next[kDepth];          // the crate to look at, for each move
  i32 depth = 0;
  bool blocked = move_in_cells(s, b, vx, vy), sideways = vx != 0;
  next[0] = s.things - 1;
  while (depth >= 0) {
    if (next[depth] < 0) {
      if (--depth >= 0) b.at.vy = 0;
      continue;
    }
    const Thing& thing = s.thing[next[depth]--];
    const f32 dx = b.at.x - (thing.x + 0.5f), dy = b.at.y - (thing.y + 0.5f);
    if (thing.type != kCrate || sideways ||
        !overlaps(dx, dy, b.half_width + kHalf + kOverlap, b.half_height + kHalf + kOverlap) || !stops_on(s, thing)) {
      continue;
    }
    blocked = true;
    if (depth == kDepth - 1) {
      b.at.vy = 0;
      continue;
    }
    const f64 sign = dy > 0 ? 1 : dy == 0 ? 0 : -1;
    const f32 away = f32(thing.y + 0.5f + sign * (kHalf + b.half_height) - b.at.y);
    move_in_cells(s, b, 0, away);
    next[++depth] = s.things - 1;
  }
  return blocked;
}

// Moves a body by its velocity.
ENVPOOL_FN void advance(State& s, Body& b, bool tie) {
  const bool sideways_first = b.is_agent ? agent_sideways(b.at, tie, s.dx, s.dy) : faster_sideways(b.at, tie);
  procgen::advance(b.at, sideways_first, [&](f32 vx, f32 vy) { return move(s, b, vx, vy); });
}

// Takes the action's direction, and finds out what the agent stands on.
ENVPOOL_FN void take_direction(State& s, i32 move) {
  s.dx = move / 3 - 1;
  s.dy = move % 3 - 1;
  const Mover& a = s.agent;
  const bool ground =
      stands(a, kAgentHalfWidth, kAgentHalfHeight, [&](f32 x, f32 y) { return is_wall(cells_of(s).at_point(x, y)); });
  s.has_support = (s.on_crate || ground) && a.vy == 0;
  s.on_crate = false;
  if (!s.has_support && s.dy > 0) s.dy = 0;
}

ENVPOOL_FN void accelerate(State& s) {
  Mover& a = s.agent;
  const f32 mix = mix_of(kMix, s.has_support);
  run(a, s.dx, mix);
  if (fabs(a.vx) < mix * kRunSpeed) a.vx = 0;
  if (s.dy > 0) {
    a.vy = kJumpSpeed;
    return;  // it has support
  }
  if (s.has_support) a.vy = f32(a.vy + 0.2 * s.dy);
  a.vy -= kGravity;
  a.vy = a.vy > kJumpSpeed ? kJumpSpeed : a.vy < -kJumpSpeed ? -kJumpSpeed : a.vy;
}

}  // namespace envpool::procgen::coinrun
