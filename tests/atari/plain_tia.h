// SPDX-License-Identifier: Apache-2.0
//
// A second TIA, as plain as possible, to compare the real one with (plain_console_test.cc). It shares no code with it.
// The beam advances by one colour clock at a time. At each visible clock, the six objects are computed from the
// registers, positions and latches of this moment. Times are counted from the last system reset and never set back.
#pragma once

#include <algorithm>

#include "envpool/atari/console/rom.h"

namespace envpool::atari {

class PlainTia {
 public:
  static constexpr i64 kLineClocks = 228, kLineCycles = 76, kBlank = 68;

  u16 collisions = 0;  // bits 2 r + 1 and 2 r are bits 7 and 6 of collision register r
  i32 pos[5] = {};     // player 0 and 1, missile 0 and 1, ball
  u8 screen[2][kMaxHeight][kWidth] = {};
  u32 shown = 0;  // the screen that the current frame is drawn to
  i64 frame_start = 0;
  bool ended = false;  // a write has ended the frame

  explicit PlainTia(const Rom& rom) : rom_(&rom) { start_window(); }

  // The new frame begins with the line in which the beam is.
  void start_frame(i64 cycle, bool colour_loss) {
    frame_start = cycle - (cycle - frame_start) % kLineCycles;
    shown ^= 1;
    ended = false;
    loss_ = colour_loss;
    start_window();
  }

  // Returns the bits that the chip drives when a register is read.
  u8 read(u32 reg, i64 cycle, const Core& pins) {
    draw_until(3 * cycle);
    if (reg < 8) return u8((collisions >> (2 * reg) & 3) << 6);
    if (reg < 12) {
      const i32 charging = pins.paddle_cycles[reg - 8];
      if (charging == kCharged) return 0x80;
      if (charging == kOpen || (vblank_ & 0x80)) return 0;
      // As in ALE, these times are unsigned and count from the start of the frame, so that an earlier one is large.
      const u32 now = u32(pins.cycles), released = now - u32(cycle - released_at_);
      return now > released + u32(charging) ? 0x80 : 0;
    }
    return reg < 14 && !pins.fire[reg - 12] ? 0x80 : 0;
  }

  // Writes a register, except WSYNC, which concerns the CPU only.
  void write(u32 reg, u8 value, i64 cycle) {
    draw_until(3 * cycle + delay(reg, cycle));
    if (cycle >= frame_start + kLineCycles * (rom_->max_line + 1)) ended = true;
    const bool on = value & 1, bit1 = value & 2;
    switch (reg) {
      case 0x00: write_vsync(bit1, cycle); break;
      case 0x01:
        if ((vblank_ & 0x80) && !(value & 0x80)) released_at_ = cycle;
        vblank_ = value;
        break;
      case 0x04:
      case 0x05:
        nusiz_[reg - 4] = value;
        hidden_[reg - 4] = false;
        if (reg == 4) cosmic_shape_ = 0;
        break;
      case 0x06:
      case 0x07:
      case 0x08:
      case 0x09: colour_[reg - 6] = value; break;
      case 0x0A:
        control_ = value;
        if ((cycle - frame_start) % kLineCycles < 49) mirror_ = on;
        break;
      case 0x0B:
      case 0x0C: reflect_[reg - 0x0B] = value & 8; break;
      case 0x0D:
      case 0x0E:
      case 0x0F: field_[reg - 0x0D] = value; break;
      case 0x10:
      case 0x11: place_player(reg - 0x10, cycle); break;
      case 0x12:
      case 0x13:
      case 0x14: place(reg - 0x10, cycle); break;
      case 0x1B:
      case 0x1C:
        graphics_[reg - 0x1B] = value;
        old_graphics_[(reg - 0x1B) ^ 1] = graphics_[(reg - 0x1B) ^ 1];
        if (reg == 0x1C) old_ball_ = ball_;
        break;
      case 0x1D:
      case 0x1E: missile_[reg - 0x1D] = bit1; break;
      case 0x1F: ball_ = bit1; break;
      case 0x20:
      case 0x21:
      case 0x22:
      case 0x23:
      case 0x24:
        // 21 cycles after HMOVE, this leaves missile 0 moving: the star field of "Cosmic Ark".
        if (reg == 0x22 && cycle - 21 == moved_at_ && motion_[2] == 7 && value >> 4 == 6) {
          cosmic_ = true;
          cosmic_step_ = 0;
        }
        motion_[reg - 0x20] = value >> 4;
        break;
      case 0x25:
      case 0x26: delay_player_[reg - 0x25] = on; break;
      case 0x27: delay_ball_ = on; break;
      case 0x28:
      case 0x29: lock_missile(reg - 0x28, bit1); break;
      case 0x2A: move(cycle); break;
      case 0x2B: std::fill(motion_, motion_ + 5, u8{0}); break;
      case 0x2C: collisions = 0; break;
      default: break;
    }
  }

 private:
  enum { kP0, kP1, kM0, kM1, kBl, kPf };

  static i64 wrap(i64 x) { return (x + 2 * kWidth) % kWidth; }

  // The number of clocks after which a write acts.
  i64 delay(u32 reg, i64 cycle) const {
    switch (reg) {
      case 0x01:
      case 0x0B:
      case 0x0C:
      case 0x1B:
      case 0x1C: return 1;
      case 0x04:
      case 0x05:
      case 0x12:
      case 0x13: return 8;
      case 0x0D:
      case 0x0E:
      case 0x0F: {
        // The playfield changes at the start of one of its pixels, which are four clocks wide.
        static constexpr i64 kOfPlayfield[4] = {4, 5, 2, 3};
        return kOfPlayfield[(cycle - frame_start) % 4];
      }
      default: return 0;
    }
  }

  // --- the beam ---

  void start_window() {
    window_start_ = beam_ = line_start_ = 3 * frame_start + kLineClocks * rom_->y_start;
    line_blanked_ = false;
  }

  i64 row() const { return (line_start_ - window_start_) / kLineClocks; }
  u8* pixels() { return screen[shown][row()]; }

  void draw_until(i64 clock) {
    const i64 from = beam_;
    const i64 end = std::min(clock, window_start_ + kLineClocks * rom_->height);
    while (beam_ < end) draw_clock();
    if (beam_ == from) return;
    blank_ahead();
    paint_ahead(from);
  }

  // A line ends when the beam leaves its last clock, not yet when it reaches the end: a write at cycle 0 comes first.
  void draw_clock() {
    if (beam_ == line_start_ + kLineClocks) end_line();
    const i64 x = beam_ - line_start_ - kBlank;
    if (x >= 0) {
      pixels()[x] = draw_pixel(x);
      if (blanking_ && x < 8) {
        pixels()[x] = 0;
        line_blanked_ = true;
        if (x == 7) blanking_ = false;
      }
    }
    ++beam_;
  }

  void end_line() {
    line_start_ += kLineClocks;
    line_blanked_ = false;
    mirror_ = control_ & 1;
    hidden_[0] = hidden_[1] = false;
    if (!cosmic_) return;
    static constexpr i32 kMotion[4] = {18, 33, 0, 17};
    cosmic_step_ = (cosmic_step_ + 1) % 4;
    pos[kM0] = i32(wrap(pos[kM0] - kMotion[cosmic_step_]));
    cosmic_shape_ = cosmic_step_ % 3;  // in the last step it is normal again
  }

  // Sets the collisions at pixel x and returns its colour.
  u8 draw_pixel(i64 x) {
    if (vblank_ & 2) return 0;
    bool at[6];
    at[kP0] = player_at(0, x);
    at[kP1] = player_at(1, x);
    at[kM0] = missile_at(0, x);
    at[kM1] = missile_at(1, x);
    at[kBl] = ball_at(x);
    at[kPf] = playfield_at(x);
    static constexpr u8 kPairs[16][2] = {{kM0, kP0}, {kM0, kP1}, {kM1, kP1}, {kM1, kP0}, {kP0, kBl}, {kP0, kPf},
                                         {kP1, kBl}, {kP1, kPf}, {kM0, kBl}, {kM0, kPf}, {kM1, kBl}, {kM1, kPf},
                                         {0, 0},     {kBl, kPf}, {kM0, kM1}, {kP0, kP1}};
    for (u32 n = 0; n < 16; ++n) {
      if (n != 12 && at[kPairs[n][0]] && at[kPairs[n][1]]) collisions |= u16(1u << n);
    }
    const bool in_front = control_ & 4;
    // With priority and score, the playfield has the colours of the players only if it is the only object there is.
    const bool score = (control_ & 2) && !(in_front && others_enabled());
    bool first = at[kP0] || at[kM0], second = at[kP1] || at[kM1], third = at[kBl];
    if (at[kPf]) (!score ? third : x < kWidth / 2 ? first : second) = true;
    if (third && in_front && !score) return colour(2);
    return colour(first ? 0 : second ? 1 : third ? 2 : 3);
  }

  u8 colour(u32 i) const { return u8((colour_[i] & 0xFE) | u8(loss_)); }

  // --- what is left on the screen by a frame that is cut off ---

  // While HMOVE waits for the left edge, each access blanks as many pixels as lie between the beam and pixel 8, from
  // the beam or from pixel 0. The rest of the line is drawn over those beyond pixel 8.
  void blank_ahead() {
    const i64 x = beam_ - line_start_ - kBlank;
    if (!blanking_ || x >= 8) return;
    const i64 from = std::max(x, i64{0});
    std::fill(pixels() + from, pixels() + from + 8 - x, u8{0});
  }

  // ALE draws a playfield pixel as a whole if the beam has crossed its first clock and no enabled object but the
  // playfield is near. The rest of the line is drawn over it.
  void paint_ahead(i64 from) {
    const i64 x = beam_ - line_start_ - kBlank, first = x - x % 4;
    if (x <= 0 || first == x || from - line_start_ - kBlank > first || (vblank_ & 2) || !draws_ahead()) return;
    for (i64 near = first; near < first + 4; ++near) {
      for (u32 i = 0; i < 2; ++i) {
        if ((player(i) != 0 && player_covers(i, 0xFF, near)) || missile_at(i, near)) return;
      }
      if (ball_at(near)) return;
    }
    const bool field = playfield_at(first);
    for (i64 to = x; to < first + 4; ++to) {
      if (line_blanked_ && to < 8) continue;
      pixels()[to] = colour(!field ? 3 : !(control_ & 2) ? 2 : to < kWidth / 2 ? 0 : 1);
    }
  }

  // ALE does so for these sets of enabled objects only.
  bool draws_ahead() const {
    const bool p0 = player(0) != 0, p1 = player(1) != 0, m0 = enabled(0), m1 = enabled(1), bl = ball();
    const int moving = p0 + p1 + m0 + m1 + bl;
    if (any_field()) return moving == 0 || (moving == 1 && (p0 || p1 || bl) && !(control_ & 2));
    if (moving == 2) return (p0 && p1) || (m0 && m1) || (bl && !p0);
    return moving == 1;
  }

  // --- the objects ---

  u8 player(u32 i) const { return delay_player_[i] ? old_graphics_[i] : graphics_[i]; }
  bool enabled(u32 missile) const { return missile_[missile] && !locked_[missile]; }
  bool ball() const { return delay_ball_ ? old_ball_ : ball_; }
  bool any_field() const { return (field_[0] & 0xF0) || field_[1] || field_[2]; }
  bool others_enabled() const { return player(0) || player(1) || enabled(0) || enabled(1) || ball(); }

  // The distances of the copies of a player or missile. -1 ends the list.
  const i32* copies(u32 i) const {
    static constexpr i32 kOf[8][4] = {{0, -1},     {0, 16, -1}, {0, 32, -1},     {0, 16, 32, -1},
                                      {0, 64, -1}, {0, -1},     {0, 32, 64, -1}, {0, -1}};
    return kOf[nusiz_[i] & 7];
  }
  i32 scale(u32 i) const { return (nusiz_[i] & 7) == 5 ? 2 : (nusiz_[i] & 7) == 7 ? 4 : 1; }

  bool player_at(u32 i, i64 x) const { return player(i) != 0 && player_covers(i, player(i), x); }

  bool player_covers(u32 i, u8 graphics, i64 x) const {
    const i32* const distance = copies(i);
    for (u32 copy = hidden_[i] ? 1 : 0; distance[copy] >= 0; ++copy) {
      const i64 from_left = wrap(x - pos[i] - distance[copy] - (scale(i) > 1 ? 1 : 0)) / scale(i);
      if (from_left < 8 && (graphics >> (reflect_[i] ? from_left : 7 - from_left) & 1)) return true;
    }
    return false;
  }

  bool missile_at(u32 i, i64 x) const {
    const u32 shape = i == 0 ? cosmic_shape_ : 0;
    if (!enabled(i) || shape == 2) return false;
    const i64 width = 1 << ((nusiz_[i] >> 4 & 3) | shape);
    for (const i32* distance = copies(i); *distance >= 0; ++distance) {
      if (wrap(x - pos[kM0 + i] - *distance) < width) return true;
    }
    return false;
  }

  bool ball_at(i64 x) const { return ball() && wrap(x - pos[kBl]) < 1 << (control_ >> 4 & 3); }

  bool playfield_at(i64 x) const {
    i64 cell = x / 4;
    if (cell >= 20) cell = mirror_ ? 39 - cell : cell - 20;
    if (cell < 4) return field_[0] >> (4 + cell) & 1;
    return cell < 12 ? field_[1] >> (11 - cell) & 1 : field_[2] >> (cell - 12) & 1;
  }

  // --- positions ---

  // RESP hides the first copy at the new position for the rest of the line, unless the beam is less than four clocks
  // past the start of a copy. If it is further within a copy, the old position counts for eleven more clocks.
  void place_player(u32 i, i64 cycle) {
    const i64 clock = 3 * ((cycle - frame_start) % kLineCycles);
    const i64 x = clock < kBlank ? 3 : (clock - kBlank + 5) % kWidth;
    bool starts = false, is_within = false;
    for (const i32* distance = copies(i); *distance >= 0; ++distance) {
      const i64 past = wrap(x - pos[i] - *distance);
      starts |= past < 4;
      is_within |= past >= 4 && past < 4 + 8 * scale(i);
    }
    if (is_within && !starts) draw_until(3 * cycle + 11);
    pos[i] = i32(x);
    hidden_[i] = !starts;
  }

  void place(u32 object, i64 cycle) {
    const i64 at = (cycle - frame_start) % kLineCycles, clock = 3 * at, since = cycle - moved_at_;
    i64 x = clock < kBlank ? 2 : (clock - kBlank + 4) % kWidth;
    // A recent HMOVE disturbs the strobe.
    if (object == kM0 && since == 20 && at == 23) x = 8;
    if (object == kM1 && since == 3 && at == 6) x = 3;
    if (object == kBl) {
      if (since == 18 && (at == 20 || at == 23)) x = 10;
      if (since == 3 && at == 6) x = 3;
      if (since == 7 && at == 10) x = 6;
      if (since == 6 && at == 9) x = 5;
    }
    pos[object] = i32(x);
    if (object == kM0) cosmic_shape_ = 0;
  }

  void lock_missile(u32 i, bool locked) {
    if (locked_[i] && !locked) {  // the missile is released at the middle of its player
      pos[kM0 + i] = i32(wrap(pos[i] + 4 * scale(i)));
      if (i == 0) cosmic_shape_ = 0;
    }
    locked_[i] = locked;
  }

  // HMOVE in cycle 0..20 or 75 moves by the whole distance, of which the later cycles lose steps to the right. HMOVE at
  // the end of a line moves to the left only, by what remains. It steps every four clocks.
  void move(i64 cycle) {
    const i64 at = (cycle - frame_start) % kLineCycles, steps = (3 * at + 1) / 4;
    for (u32 i = 0; i < 5; ++i) {
      i64 motion = motion_[i] < 8 ? -motion_[i] : 16 - motion_[i];
      if (at <= 20) {
        motion = std::max(motion, steps - 9);
      } else if (at < 75) {
        motion = at < 55 ? 0 : std::min<i64>(0, motion - (steps - 47));
      }
      pos[i] = i32(wrap(pos[i] + motion));
    }
    hidden_[0] = hidden_[1] = false;
    cosmic_ = false;
    cosmic_shape_ = 0;
    moved_at_ = cycle;
    if ((at <= 20 || at == 75) && rom_->hmove_blanks) blanking_ = true;
  }

  // VSYNC ends the frame when it goes off, if it was on for at least a line.
  void write_vsync(bool on, i64 cycle) {
    if (on) {
      vsync_from_ = cycle;
    } else if (vsync_from_ >= 0 && cycle >= vsync_from_ + kLineCycles) {
      vsync_from_ = -1;
      ended = true;
    }
  }

  const Rom* rom_;
  i64 beam_, line_start_, window_start_;  // clocks; the beam stays within the visible window
  i64 vsync_from_ = -1, moved_at_ = 0, released_at_ = 0;
  u8 vblank_ = 0, control_ = 0;
  u8 nusiz_[2] = {}, colour_[4] = {}, field_[3] = {}, motion_[5] = {};
  u8 graphics_[2] = {}, old_graphics_[2] = {};
  bool reflect_[2] = {}, delay_player_[2] = {}, delay_ball_ = false;
  bool missile_[2] = {}, locked_[2] = {}, ball_ = false, old_ball_ = false;
  bool hidden_[2] = {};        // RESP hides the first copy on this line
  bool mirror_ = false;        // CTRLPF's mirroring as it acts, at the latest from the next line on
  bool blanking_ = false;      // HMOVE waits for the left edge
  bool line_blanked_ = false;  // HMOVE has blanked a part of this line's left edge
  bool loss_ = false;          // PAL's colour loss, bit 0 of all colours in this frame
  bool cosmic_ = false;
  u32 cosmic_step_ = 0, cosmic_shape_ = 0;  // shape of missile 0: 0 normal, 1 wider, 2 none
};

}  // namespace envpool::atari
