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
  // A line has a multiple of four cycles.
  if (reg >= kPf0 && reg <= kPf2) return kPlayfieldDelay[static_cast<u32>(c.cycles - c.tia.frame_start) & 3];
  return kWriteDelay[reg];
}

// Returns the player's graphics with VDELP applied.
ENVPOOL_FN u8 player_graphics(const Tia& t, u32 player) {
  return t.reg[kVdelp0 + player] & 1 ? t.grp_old[player] : t.grp_new[player];
}

// Shows or hides a missile or the ball.
ENVPOOL_FN void show(Console& c, u32 object, bool on) { change_bits(c, kShownAt, 1u << object, on ? 1u << object : 0); }

ENVPOOL_FN void refresh_missile(Console& c, u32 i) {
  show(c, kMissile0 + i, (c.tia.reg[kEnam0 + i] & 2) && !(c.tia.reg[kResmp0 + i] & 2));
}

ENVPOOL_FN void refresh_ball(Console& c) {
  const Tia& t = c.tia;
  show(c, kBall, t.reg[kVdelbl] & 1 ? t.ball_old : (t.reg[kEnabl] & 2) != 0);
}

// Moves an object by -15 to 15 pixels.
ENVPOOL_FN void move(Console& c, u32 object, i32 distance) {
  const i32 position = c.tia.line.look.pos[object] + distance;
  change(c, kPosAt + object,
         static_cast<u32>(position < 0      ? position + 160
                          : position >= 160 ? position - 160
                                            : position));
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

// Ends a disturbance of missile 0's shape.
ENVPOOL_ALWAYS_INLINE void restore_missile0(Console& c) { change_bits(c, kControlAt, kWidened | kInvisible, 0); }

constexpr u32 kEarlyCycles = 20;  // HMOVE up to this cycle blanks the left edge

ENVPOOL_NOINLINE void move_objects(Console& c, const i8* motions) {
  const Tia& t = c.tia;
  for (u32 i = 0; i < 5; ++i) {
    if (motions[t.hm[i]] != 0) move(c, i, motions[t.hm[i]]);
  }
}

// Shows the players' first copies again, which a position strobe has hidden, and the usual shape of missile 0.
ENVPOOL_NOINLINE void restore_shapes(Console& c) {
  for (u32 i = 0; i < 2; ++i) change_bits(c, kSizeAt + i, kSuppressed, 0);
  restore_missile0(c);
}

ENVPOOL_FN void strobe_hmove(Console& c, const Rom& rom) {
  Tia& t = c.tia;
  const Look& look = t.line.look;
  const u32 cycle = line_cycle(c);
  const i8* motions = kMotions.of[cycle];
  const u32 set = t.hm[0] | t.hm[1] | t.hm[2] | t.hm[3] | t.hm[4];
  if (set != 0 || motions[0] != 0) move_objects(c, motions);
  if (((look.size[0] | look.size[1]) & kSuppressed) || (look.control & (kWidened | kInvisible))) restore_shapes(c);
  t.hmove_at = c.cycles;
  t.cosmic = false;
  if ((cycle > kEarlyCycles && cycle != kCyclesPerLine - 1) || !rom.hmove_blanks) return;
  // The exact CPU has to know when the pixels become blank, because it draws frames that are cut off before that.
  const i32 clock = 3 * c.cycles - t.line_start;
  if (!c.exact && clock >= 0 && clock <= 3 * i32{kEarlyCycles}) {
    t.line.look.blank_left = 0;
  } else {
    t.hmove_blank = true;
    set_idle(t);
  }
}

// Where a position strobe hits the copies of a player, by NUSIZ and the distance from the player's position.
enum Strobe : u8 { kBetweenCopies, kBeforeCopy, kWithinCopy };
struct StrobeTable {
  u8 of[8][kWidth];
};
constexpr StrobeTable make_strobe_table() {
  StrobeTable table{};
  for (u32 mode = 0; mode < 8; ++mode) {
    const u32 width = mode == 5 ? 16 : mode == 7 ? 32 : 8;
    for (u32 i = 0; kCopies[mode][i] != 255; ++i) {
      for (u32 d = 4; d <= 3 + width; ++d) table.of[mode][(kCopies[mode][i] + d) % kWidth] = kWithinCopy;
    }
    for (u32 i = 0; kCopies[mode][i] != 255; ++i) {
      for (u32 d = 0; d < 4; ++d) table.of[mode][kCopies[mode][i] + d] = kBeforeCopy;
    }
  }
  return table;
}
constexpr StrobeTable kStrobes = make_strobe_table();

// Handles the position strobe of a player. The first copy at the new position is hidden on this line, unless the strobe
// hits the four pixels just before one of the current copies.
ENVPOOL_FN void strobe_player(Console& c, const Rom& rom, u32 player) {
  Tia& t = c.tia;
  const u32 cycle = line_cycle(c);
  const u32 position = 3 * cycle < kBlankClocks ? 3 : (3 * cycle - 63) % kWidth;
  const u32 distance = (position + 2 * kWidth - t.line.look.pos[player]) % kWidth;
  const u8 hit = kStrobes.of[t.reg[kNusiz0 + player] & 7][distance];
  if (hit == kWithinCopy) flush_groups(c, rom, 3 * c.cycles + 11);
  change(c, kPosAt + player, position);
  change_bits(c, kSizeAt + player, kSuppressed, hit == kBeforeCopy ? 0 : kSuppressed);
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
  change(c, kPosAt + object, static_cast<u32>(position));
  if (object == kMissile0) restore_missile0(c);
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

ENVPOOL_FN void write_vblank(Console& c, u8 before, u8 value) {
  Tia& t = c.tia;
  t.reg[kVblank] = value;
  change_bits(c, kShownAt, kBlack, value & 2 ? kBlack : 0);
  if (~before & value & 0x80) t.dumping = true;
  if (before & ~value & 0x80) {
    t.dumping = false;
    t.dump_at = c.cycles;
  }
}

// Returns whether writing this value to GRP0 or GRP1 would change nothing.
ENVPOOL_ALWAYS_INLINE bool has_graphics(const Tia& t, u32 player, u8 value) {
  const u32 other = player ^ 1;
  return t.grp_new[player] == value && t.grp_old[other] == t.grp_new[other] &&
         (player == 0 || t.ball_old == ((t.reg[kEnabl] & 2) != 0));
}

// Writes GRP0 or GRP1, which also latches the delayed graphics of the other player and, for GRP1, of the ball.
ENVPOOL_ALWAYS_INLINE void write_graphics(Console& c, const Rom& rom, u32 player, u8 value) {
  Tia& t = c.tia;
  if (has_graphics(t, player, value)) return;
  const u32 other = player ^ 1;
  flush(c, rom, 3 * c.cycles + 1);
  t.grp_new[player] = value;
  t.grp_old[other] = t.grp_new[other];
  if ((t.reg[kVdelp0 + player] & 1) == 0) change(c, kGraphicsAt + player, value);
  if ((t.reg[kVdelp0 + other] & 1) != 0) change(c, kGraphicsAt + other, t.grp_old[other]);
  if (player == 1) {
    t.ball_old = (t.reg[kEnabl] & 2) != 0;
    if ((t.reg[kVdelbl] & 1) != 0) refresh_ball(c);
  }
}

ENVPOOL_ALWAYS_INLINE void write_playfield(Console& c, const Rom& rom, u32 reg, u8 value) {
  Tia& t = c.tia;
  flush(c, rom, 3 * c.cycles + write_delay(c, reg));
  t.reg[reg] = value;
  change(c, kPlayfieldAt + reg - kPf0, reg == kPf0 ? value & 0xF0u : value);
}

// Bit 0 of all colours marks PAL's colour loss and is constant within a frame.
ENVPOOL_FN u8 with_colour_loss(const Tia& t, u32 i, u32 value) {
  return static_cast<u8>((value & 0xFE) | (t.line.look.colour[i] & 1));
}

// Sets a colour in a frame that is not drawn.
ENVPOOL_FN void set_colour(Tia& t, u32 i, u32 value) { t.line.look.colour[i] = with_colour_loss(t, i, value); }

ENVPOOL_FN void write_colour(Console& c, const Rom& rom, u32 i, u8 value) {
  Tia& t = c.tia;
  if (!c.drawing) {
    set_colour(t, i, value);
  } else if (value != t.reg[kColup0 + i]) {
    flush(c, rom, 3 * c.cycles);
    change(c, kColourAt + i, with_colour_loss(t, i, value));
  }
  t.reg[kColup0 + i] = value;
}

ENVPOOL_FN void write_missile_lock(Console& c, u32 i, u8 value) {
  Tia& t = c.tia;
  const u8 before = t.reg[kResmp0 + i];
  t.reg[kResmp0 + i] = value;
  if (before & ~value & 2) {
    if (i == 0) restore_missile0(c);
    const u32 mode = t.reg[kNusiz0 + i] & 7;
    const u32 middle = mode == 5 ? 8 : mode == 7 ? 16 : 4;
    change(c, kPosAt + kMissile0 + i, (t.line.look.pos[i] + middle) % 160);
  }
  refresh_missile(c, i);
}

ENVPOOL_FN void write_control(Console& c, u8 value) {
  Tia& t = c.tia;
  t.reg[kCtrlpf] = value;
  u32 bits = 0x30 | kScore | kPriority;
  if (line_cycle(c) < 49) bits |= kMirrored;
  change_bits(c, kControlAt, bits, value & bits);
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
  Look& look = t.line.look;
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
      write_vblank(c, before, value);
      break;
    case kWsync: {
      const u32 cycle = line_cycle(c);
      if (!c.wrote && cycle != 0) c.cycles += kCyclesPerLine - static_cast<i32>(cycle);
      break;
    }
    case kNusiz0:
    case kNusiz1: {
      const u32 i = reg - kNusiz0;
      if (value == before && (look.size[i] & kSuppressed) == 0 && (i == 1 || !t.cosmic)) break;
      flush(c, rom, clock + 8);
      t.reg[reg] = value;
      change(c, kSizeAt + i, (look.size[i] & kReflected) | (value & 0x37));
      if (i == 0) restore_missile0(c);
      break;
    }
    case kColup0:
    case kColup1:
    case kColupf:
    case kColubk: write_colour(c, rom, reg - kColup0, value); break;
    case kCtrlpf:
      if (value == before && (look.control & kMirrored) == (value & kMirrored)) break;
      flush(c, rom, clock);
      write_control(c, value);
      break;
    case kRefp0:
    case kRefp1:
      if (((value ^ before) & 8) != 0) {
        flush(c, rom, clock + 1);
        change_bits(c, kSizeAt + reg - kRefp0, kReflected, value & kReflected);
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
      refresh_missile(c, reg - kEnam0);
      break;
    case kEnabl:
    case kVdelbl:
      if (value != before) flush(c, rom, clock);
      t.reg[reg] = value;
      refresh_ball(c);
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
      if (((value ^ before) & 1) != 0 && t.grp_new[i] != t.grp_old[i]) flush(c, rom, clock);
      t.reg[reg] = value;
      change(c, kGraphicsAt + i, player_graphics(t, i));
      break;
    }
    case kResmp0:
    case kResmp1:
      if (((value ^ before) & 2) != 0) flush(c, rom, clock);
      write_missile_lock(c, reg - kResmp0, value);
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
      t.collisions = 0;
      if (beam_x(t) > t.collided) t.collided = static_cast<u8>(beam_x(t));
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
  Tia& t = c.tia;
  if (reg < 8) {
    flush(c, rom, 3 * c.cycles);
    const u32 wanted = open_latches(c) & 3u << 2 * reg;
    if (wanted != 0 && beam_x(t) > t.collided) {
      t.collisions |= static_cast<u16>(find_collisions(c, wanted, t.collided, beam_x(t)));
    }
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

ENVPOOL_FN u32 screen_words(const Rom& rom) { return static_cast<u32>(kWordsPerRow * rom.height); }

ENVPOOL_FN void reset_tia(Console& c, const Rom& rom) {
  c.tia = Tia{};
  c.tia.vsync_end = kNever;
  open_window(c.tia, rom);
  start_screen(c.tia);  // the next update may continue a frame that the reset cut off
  c.last_lines = 0;
  c.screen_words = screen_words(rom);
  clear_screens(c);
  forget_all_rows(c);
}

}  // namespace envpool::atari
