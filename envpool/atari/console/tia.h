// SPDX-License-Identifier: Apache-2.0
//
// The effects of reading and writing TIA registers. Drawing is in tia_beam.h.
#pragma once

#include "envpool/atari/console/tia_overshoot.h"

namespace envpool::atari {

// The number of colour clocks after which a write to each register takes effect. For playfield registers the delay
// depends on the cycle, see write_delay().
constexpr u8 kWriteDelay[64] = {0, 1, 0, 0, 8, 8, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0,   // $00 VSYNC ..
                                0, 0, 8, 8, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0};  // $10 RESP0 ..

// Returns the cycle within the line, 0..75.
ENVPOOL_FN u32 line_cycle(const Core& c) { return static_cast<u32>(c.cycles - c.tia.frame_start) % kCyclesPerLine; }

ENVPOOL_FN i32 write_delay(const Core& c, u32 reg) {
  static constexpr u8 kPlayfieldDelay[4] = {4, 5, 2, 3};
  if (reg >= kPf0 && reg <= kPf2) return kPlayfieldDelay[line_cycle(c) & 3];
  return kWriteDelay[reg];
}

ENVPOOL_DEVICE_CALL void set_enabled(Console& c, const Rom& rom, u32 object, bool on) {
  Tia& t = c.tia;
  if ((t.enabled >> object & 1) == static_cast<u32>(on)) return;
  before_change(c, object);
  // With both priority and score set, the playfield's colours depend on the enabled objects.
  if (c.drawing && (t.reg[kCtrlpf] & 6) == 6) split_line(c, rom, kColours);
  t.enabled ^= static_cast<u8>(1u << object);
}

ENVPOOL_FN void refresh_player(Console& c, const Rom& rom, u32 player) {
  set_enabled(c, rom, player, player_graphics(c.tia, player) != 0);
}

ENVPOOL_FN void refresh_missile(Console& c, const Rom& rom, u32 i) {
  set_enabled(c, rom, kMissile0 + i, (c.tia.reg[kEnam0 + i] & 2) && !(c.tia.reg[kResmp0 + i] & 2));
}

ENVPOOL_FN bool ball_enabled(const Tia& t) { return t.reg[kVdelbl] & 1 ? t.ball_old : (t.reg[kEnabl] & 2) != 0; }

// Call this before changing the shape of a missile. Also ends the Cosmic Ark effect on missile 0.
ENVPOOL_FN void before_missile_rebuild(Console& c, u32 missile) {
  before_reshape(c, kMissile0 + missile);
  if (missile == 0) c.tia.missile0_shape = 0;
}

ENVPOOL_FN void unsuppress(Console& c, u32 player) {
  Tia& t = c.tia;
  if (!t.suppressed[player]) return;
  before_reshape(c, player);
  t.suppressed[player] = false;
}

// The distance by which HMOVE moves an object, by the cycle within the line and the object's motion nibble.
struct MotionTable {
  i8 of[kCyclesPerLine][16];
};
constexpr MotionTable make_motion_table() {
  constexpr i32 kEarliest[21] = {-7, -7, -7, -7, -6, -5, -5, -4, -3, -2, -2, -1, 0, 1, 1, 2, 3, 4, 4, 5, 6};
  constexpr i32 kLate[20] = {-6, -5, -4, -4, -3, -2, -1, -1, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8};
  MotionTable table{};
  for (i32 cycle = 0; cycle < kCyclesPerLine; ++cycle) {
    for (i32 n = 0; n < 16; ++n) {
      const i32 natural = n < 8 ? -n : 16 - n;
      i32 motion = 0;
      if (cycle <= 20) {
        motion = natural > kEarliest[cycle] ? natural : kEarliest[cycle];
      } else if (cycle == 75) {
        motion = natural;
      } else if (cycle >= 55) {
        motion = natural < kLate[cycle - 55] ? natural - kLate[cycle - 55] : 0;
      }
      table.of[cycle][n] = static_cast<i8>(motion);
    }
  }
  return table;
}
constexpr MotionTable kMotions = make_motion_table();

ENVPOOL_FN void strobe_hmove(Console& c, const Rom& rom) {
  Tia& t = c.tia;
  const u32 cycle = line_cycle(c);
  const i8* motions = kMotions.of[cycle];
  for (u32 i = 0; i < 5; ++i) {
    const i32 motion = motions[t.hm[i]];
    if (motion == 0) continue;
    before_reshape(c, i);
    const i32 position = t.pos[i] + motion;
    t.pos[i] = static_cast<u8>(position < 0 ? position + 160 : position >= 160 ? position - 160 : position);
  }
  for (u32 i = 0; i < 2; ++i) unsuppress(c, i);
  if (t.missile0_shape != 0) before_missile_rebuild(c, 0);
  t.hmove_at = c.cycles;
  t.cosmic = false;
  if ((cycle <= 20 || cycle == 75) && rom.hmove_blanks) t.hmove_blank = true;
}

// Handles the position strobe of a player. The first copy at the new position is hidden on this line, unless the strobe
// hits the four pixels just before one of the current copies.
ENVPOOL_FN void strobe_player(Console& c, const Rom& rom, u32 player) {
  Tia& t = c.tia;
  const i32 cycle = static_cast<i32>(line_cycle(c));
  const i32 position = 3 * cycle < kBlankClocks ? 3 : (3 * cycle - 63) % 160;
  const u32 mode = t.reg[kNusiz0 + player] & 7;
  const i32 width = mode == 5 ? 16 : mode == 7 ? 32 : 8;
  const i32 distance = (position - t.pos[player] + 160) % 160;
  bool delayed = false, being_drawn = false;
  const u8* copies = kCopies[mode];
  for (u32 i = 0; copies[i] != 255; ++i) {
    const i32 d = (distance - copies[i] + 160) % 160;
    delayed |= d <= 3;
    being_drawn |= d >= 4 && d <= 3 + width;
  }
  if (being_drawn && !delayed) flush_groups(c, rom, 3 * c.cycles + 11);
  if (position == t.pos[player] && t.suppressed[player] == !delayed) return;
  before_reshape(c, player);
  t.pos[player] = static_cast<u8>(position);
  t.suppressed[player] = !delayed;
}

// Handles the position strobe of a missile or the ball, including the few cases in which a recent HMOVE disturbs it.
ENVPOOL_FN void strobe_position(Console& c, u32 object) {
  Tia& t = c.tia;
  const i32 cycle = static_cast<i32>(line_cycle(c));
  const i32 since = static_cast<i32>(static_cast<u32>(c.cycles) - static_cast<u32>(t.hmove_at));
  i32 position = 3 * cycle < kBlankClocks ? 2 : (3 * cycle - 64) % 160;
  if (object == kMissile0) {
    if (since == 20 && cycle == 23) position = 8;
  } else if (object == kMissile1) {
    if (since == 3 && cycle == 6) position = 3;
  } else {
    if (since == 18 && (cycle == 20 || cycle == 23)) position = 10;
    if (since == 3 && cycle == 6) position = 3;
    if (since == 7 && cycle == 10) position = 6;
    if (since == 6 && cycle == 9) position = 5;
  }
  if (position == t.pos[object] && (object != kMissile0 || t.missile0_shape == 0)) return;
  before_reshape(c, object);
  t.pos[object] = static_cast<u8>(position);
  if (object == kMissile0) t.missile0_shape = 0;
}

ENVPOOL_FN void write_vsync(Core& c, u8 value) {
  if (value & 2) {
    c.tia.vsync_end = c.cycles + kCyclesPerLine;
  } else if (c.cycles >= c.tia.vsync_end) {
    c.tia.vsync_end = kNever;
    c.stop = true;
    c.unfinished = false;
  }
}

ENVPOOL_FN void write_vblank(Console& c, const Rom& rom, u8 before, u8 value) {
  if ((before ^ value) & 2) split_line(c, rom, kAllObjects | kColours);
  c.tia.reg[kVblank] = value;
  if (~before & value & 0x80) c.tia.dumping = true;
  if (before & ~value & 0x80) {
    c.tia.dumping = false;
    c.tia.dump_at = c.cycles;
  }
}

// Writes GRP0 or GRP1, which also latches the delayed graphics of the other player and, for GRP1, of the ball.
ENVPOOL_DEVICE_CALL void write_graphics(Console& c, const Rom& rom, u32 player, u8 value) {
  Tia& t = c.tia;
  const u32 other = player ^ 1;
  const bool latch_ball = player == 1 && t.ball_old != ((t.reg[kEnabl] & 2) != 0);
  const bool delayed = t.reg[kVdelp0 + player] & 1;
  const bool other_delayed = t.reg[kVdelp0 + other] & 1;
  const bool changes = !delayed && t.grp_new[player] != value;
  const bool other_changes = other_delayed && t.grp_old[other] != t.grp_new[other];
  const bool ball_changes = latch_ball && (t.reg[kVdelbl] & 1);
  if (changes || other_changes || ball_changes) flush(c, rom, 3 * c.cycles + 1);
  if (changes) before_reshape(c, player);
  if (other_changes) before_reshape(c, other);
  t.grp_new[player] = value;
  t.grp_old[other] = t.grp_new[other];
  if (changes) refresh_player(c, rom, player);
  if (other_changes) refresh_player(c, rom, other);
  if (latch_ball) t.ball_old = !t.ball_old;
  if (ball_changes) set_enabled(c, rom, kBall, ball_enabled(t));
}

ENVPOOL_DEVICE_CALL void write_playfield(Console& c, const Rom& rom, u32 reg, u8 value) {
  Tia& t = c.tia;
  flush(c, rom, 3 * c.cycles + write_delay(c, reg));
  before_reshape(c, kPlayfield);
  t.reg[reg] = value;
  set_enabled(c, rom, kPlayfield, (t.reg[kPf0] >> 4 | t.reg[kPf1] | t.reg[kPf2]) != 0);
}

// Sets a colour. Bit 0 of all colours marks PAL's colour loss and is constant within a frame.
ENVPOOL_FN void set_colour(Tia& t, u32 i, u32 value) {
  t.colour[i] = static_cast<u8>((value & 0xFE) | (t.colour[i] & 1));
}

ENVPOOL_FN void write_missile_lock(Console& c, const Rom& rom, u32 i, u8 value) {
  Tia& t = c.tia;
  const u8 before = t.reg[kResmp0 + i];
  t.reg[kResmp0 + i] = value;
  if (before & ~value & 2) {
    before_missile_rebuild(c, i);
    const u32 mode = t.reg[kNusiz0 + i] & 7;
    const u32 middle = mode == 5 ? 8 : mode == 7 ? 16 : 4;
    t.pos[kMissile0 + i] = static_cast<u8>((t.pos[i] + middle) % 160);
  }
  refresh_missile(c, rom, i);
}

ENVPOOL_FN void write_control(Console& c, const Rom& rom, u8 value) {
  Tia& t = c.tia;
  const u32 changes = t.reg[kCtrlpf] ^ value;
  if (c.drawing && (changes & 6) != 0) split_line(c, rom, kColours);
  if ((changes & 0x30) != 0) before_reshape(c, kBall);
  t.reg[kCtrlpf] = value;
  if (line_cycle(c) < 49 && t.mirror != (value & 1)) {
    before_reshape(c, kPlayfield);
    t.mirror = value & 1;
  }
}

// Returns whether a write to a register changes nothing if the register already holds the value.
constexpr bool is_level_register(u32 reg) {
  const u64 levels = 1ull << kVblank | 0xFull << kColup0 | 3ull << kRefp0 | 7ull << kPf0 | 7ull << kEnam0 |
                     0x1Full << kHmp0 | 7ull << kVdelp0 | 3ull << kResmp0;
  return levels >> reg & 1;
}

// Returns whether writes to a register have no effect: RSYNC, sound and unused addresses, which are not emulated.
constexpr bool is_ignored_register(u32 reg) { return reg == kRsync || (reg >= kAudio0 && reg < kGrp0) || reg > kCxclr; }

// Writes a register and applies its effect, after drawing everything that precedes it.
ENVPOOL_ALWAYS_INLINE void write_register(Console& c, const Rom& rom, u32 reg, u8 value) {
  Tia& t = c.tia;
  const i32 clock = 3 * c.cycles;
  const u8 before = t.reg[reg];
  switch (reg) {
    case kVsync:
      flush_groups(c, rom, clock);
      t.reg[reg] = value;
      write_vsync(c, value);
      break;
    case kVblank:
      if (value == before) break;
      flush(c, rom, clock + 1);
      write_vblank(c, rom, before, value);
      break;
    case kWsync: {
      const u32 cycle = line_cycle(c);
      if (!c.wrote && cycle != 0) c.cycles += kCyclesPerLine - static_cast<i32>(cycle);
      break;
    }
    case kNusiz0:
    case kNusiz1: {
      const u32 i = reg - kNusiz0;
      if (value == before && !t.suppressed[i] && (i == 1 || !t.cosmic)) break;
      flush(c, rom, clock + 8);
      before_reshape(c, i);
      before_missile_rebuild(c, i);
      t.reg[reg] = value;
      t.suppressed[i] = false;
      break;
    }
    case kColup0:
    case kColup1:
    case kColupf:
    case kColubk: {
      t.reg[reg] = value;
      if (c.drawing && value != before) {
        flush(c, rom, clock);
        split_line(c, rom, kColours);
      }
      set_colour(t, reg - kColup0, value);
      break;
    }
    case kCtrlpf:
      if (value == before && t.mirror == (value & 1)) break;
      flush(c, rom, clock);
      write_control(c, rom, value);
      break;
    case kRefp0:
    case kRefp1:
      if (((value ^ before) & 8) != 0) {
        flush(c, rom, clock + 1);
        before_reshape(c, reg - kRefp0);
      }
      t.reg[reg] = value;
      break;
    case kPf0:
    case kPf1:
    case kPf2:
      if (value != before) write_playfield(c, rom, reg, value);
      break;
    case kResp0:
    case kResp1:
      flush(c, rom, clock);
      strobe_player(c, rom, reg - kResp0);
      break;
    case kResm0:
    case kResm1:
    case kResbl:
      flush(c, rom, clock + kWriteDelay[reg]);
      strobe_position(c, reg - kResp0);
      break;
    case kGrp0:
    case kGrp1: write_graphics(c, rom, reg - kGrp0, value); break;
    case kEnam0:
    case kEnam1:
      if (((value ^ before) & 2) != 0) flush(c, rom, clock);
      t.reg[reg] = value;
      refresh_missile(c, rom, reg - kEnam0);
      break;
    case kEnabl:
    case kVdelbl:
      if (value != before) flush(c, rom, clock);
      t.reg[reg] = value;
      set_enabled(c, rom, kBall, ball_enabled(t));
      break;
    case kHmm0:
      if (c.cycles - 21 == t.hmove_at && t.hm[kMissile0] == 7 && value >> 4 == 6) {
        flush(c, rom, clock);
        t.cosmic = true;
        t.cosmic_step = 0;
      }
      t.reg[reg] = value;
      t.hm[kMissile0] = value >> 4;
      break;
    case kHmp0:
    case kHmp1:
    case kHmm1:
    case kHmbl:
      t.reg[reg] = value;
      t.hm[reg - kHmp0] = value >> 4;
      break;
    case kVdelp0:
    case kVdelp1: {
      const u32 i = reg - kVdelp0;
      const bool changes = ((value ^ before) & 1) != 0 && t.grp_new[i] != t.grp_old[i];
      if (changes) {
        flush(c, rom, clock);
        before_reshape(c, i);
      }
      t.reg[reg] = value;
      if (changes) refresh_player(c, rom, i);
      break;
    }
    case kResmp0:
    case kResmp1:
      if (((value ^ before) & 2) != 0) flush(c, rom, clock);
      write_missile_lock(c, rom, reg - kResmp0, value);
      break;
    case kHmove:
      flush(c, rom, clock);
      strobe_hmove(c, rom);
      break;
    case kHmclr:
      for (u32 i = 0; i < 5; ++i) t.reg[kHmp0 + i] = t.hm[i] = 0;
      break;
    case kCxclr:
      flush(c, rom, clock);
      split_line(c, rom, kAllObjects);
      t.collisions = 0;
      break;
    default: break;
  }
}

// Writes a register. Past the last line any write also ends the frame.
ENVPOOL_DEVICE_CALL void write_tia(Console& c, const Rom& rom, u32 reg, u8 value) {
  if (c.cycles >= c.tia.limit_cycle) {
    flush_groups(c, rom, 3 * c.cycles + write_delay(c, reg));
    c.stop = true;
    c.unfinished = false;
  }
  write_register(c, rom, reg, value);
}

// Returns the upper two bits of a readable register; the caller adds the other bits, which the bus supplies.
ENVPOOL_DEVICE_CALL u8 read_tia(Console& c, const Rom& rom, u32 reg) {
  const Tia& t = c.tia;
  if (reg < 8) {
    flush(c, rom, 3 * c.cycles);
    if (settable_latches(t) & 3u << 2 * reg) update_collisions(c, rom);
    return static_cast<u8>((t.collisions >> 2 * reg & 3) << 6);
  }
  if (reg < 12) {
    const i32 charging = c.paddle_cycles[reg - 8];
    if (charging == kCharged) return 0x80;
    if (charging == kOpen || t.dumping) return 0;
    return static_cast<u32>(c.cycles) > static_cast<u32>(t.dump_at) + static_cast<u32>(charging) ? 0x80 : 0;
  }
  return reg < 14 && !c.fire[reg - 12] ? 0x80 : 0;
}

// Sets the visible window of a frame whose line 0 began at frame_start.
ENVPOOL_FN void open_window(Tia& t, const Rom& rom) {
  t.window_start = 3 * t.frame_start + kClocksPerLine * rom.y_start;
  t.window_end = t.window_start + kClocksPerLine * rom.height;
  t.limit_cycle = t.frame_start + kCyclesPerLine * (rom.max_line + 1);
}

ENVPOOL_FN void reset_tia(Console& c, const Rom& rom) {
  c.tia = Tia{};
  c.tia.stale = (1u << kObjects) - 1;  // objects start at position 0
  c.tia.vsync_end = kNever;
  c.tia.blank_left = kNoBlank;
  open_window(c.tia, rom);
  start_screen(c.tia);  // the next update may continue a frame that the reset cut off
  c.last_lines = 0;
  for (u32 b = 0; b < 2; ++b) {
    for (i32 i = 0; i < kWidth / 8 * rom.height; ++i) c.pixels[b][i] = 0;
  }
}

}  // namespace envpool::atari
