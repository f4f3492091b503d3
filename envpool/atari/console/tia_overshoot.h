// SPDX-License-Identifier: Apache-2.0
//
// Reproduces the overshoot of ALE's drawing. Where no moving object is near, ALE draws playfield and background in
// groups of four pixels, and thus up to three pixels beyond the beam. These pixels are visible only if the frame is cut
// off there; otherwise later drawing on the same line overwrites them.
#pragma once

#include "envpool/atari/console/tia_beam.h"

namespace envpool::atari {

// Returns whether ALE draws a span in groups when these objects are enabled.
ENVPOOL_FN bool draws_groups(u32 enabled, bool score) {
  constexpr u32 p0 = 1 << kPlayer0, p1 = 1 << kPlayer1, m0 = 1 << kMissile0, m1 = 1 << kMissile1, bl = 1 << kBall;
  constexpr u32 pf = 1 << kPlayfield;
  switch (enabled) {
    case pf:
    case p0:
    case p1:
    case p0 | p1:
    case m0:
    case m1:
    case bl:
    case m0 | m1:
    case bl | m0:
    case bl | m1:
    case bl | p1: return true;
    case pf | p0:
    case pf | p1:
    case pf | bl: return !score;
    default: return false;
  }
}

// Returns whether a moving object could cover one of the four pixels from x on. Assumes that a player may have any
// graphics.
ENVPOOL_FN bool is_near(const Look& look, u32 object, u32 x) {
  u64 reach[3];
  if (object <= kPlayer1) {
    place_player(look, object, 0xFF, reach);
  } else {
    place_object(look, object, reach);
  }
  return (reach[x >> 6] >> (x & 63) & 15) != 0;
}

// Like flush(), but also draws ALE's overshoot.
ENVPOOL_NOINLINE void flush_groups(Console& c, const Rom& rom, i32 clock) {
  Tia& t = c.tia;
  const Look& look = t.line.look;
  const i32 before = t.drawn;
  flush(c, rom, clock);
  const i32 end = beam_x(t), group = end & ~3;
  if (!c.drawing || t.drawn == before || end <= 0 || end == group || t.row >= rom.height) return;
  const bool began_behind = before - t.line_start - kBlankClocks > group;
  const u32 objects = objects_of(look);
  const bool score = look.control & kScore;
  if (began_behind || (look.shown & kBlack) || !draws_groups(objects, score)) return;
  for (u32 moving = objects & ~(1u << kPlayfield); moving != 0; moving &= moving - 1) {
    if (is_near(look, lowest_bit(moving), static_cast<u32>(group))) return;
  }
  u8 colour = look.colour[3];
  if (objects >> kPlayfield & 1) {
    u64 field[3];
    place_playfield(look, field);
    if (field[group >> 6] >> (group & 63) & 1) colour = look.colour[score ? (group < kWidth / 2 ? 0 : 1) : 2];
  }
  const i32 from = look.blank_left < kNoBlank && end < kNoBlank ? i32{kNoBlank} : end;
  if (from >= group + 4) return;
  fill_row(current_row(c), from, group + 4, colour);
  forget_row(c, t.row);
}

}  // namespace envpool::atari
