// SPDX-License-Identifier: Apache-2.0
//
// A console with the plain TIA. It has the real console's processor, timer, ports and cartridges, but the exact CPU
// runs every frame, and every access to the TIA goes to the plain one.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "envpool/atari/console/console.h"
#include "tests/atari/plain_tia.h"

namespace envpool::atari {

class PlainConsole;

// The exact CPU's bus.
inline u8 read_bus(PlainConsole& c, const Rom& rom, u16 address);
inline void write_bus(PlainConsole& c, const Rom& rom, u16 address, u8 value);

class PlainConsole : public WithScreens<Console> {
 public:
  PlainTia chip;
  // If this is not null, its TIA is accessed at the same cycles, and everything read from it is compared.
  std::unique_ptr<WithScreens<Console>> beside;
  std::string difference;  // the first of these that differed

  PlainConsole(const Rom& rom, bool with_beside) : WithScreens<Console>{}, chip(rom), rom_(rom) {
    power_on(*this, rom);
    if (with_beside) {
      beside = std::make_unique<WithScreens<Console>>();
      power_on(*beside, rom);
    }
  }

  void reset() {
    system_reset(*this, rom_);
    if (beside) system_reset(*beside, rom_);
    chip = PlainTia(rom_);
    elapsed_ = 0;
  }

  // Runs one update of the console. `draw` is for the TIA beside only.
  void run(const Inputs& inputs, bool draw) {
    if (beside) start_beside(inputs, draw);
    set_inputs(*this, inputs);
    if (!unfinished) start_update();
    unfinished = true;
    for (i32 n = 0; n < kMaxInstructions && !chip.ended && !cpu.jammed; ++n) step_exact(*this, rom_);
    if (chip.ended) unfinished = false;
    end_update();
  }

  i64 cycle() const { return elapsed_ + cycles; }

  // The line of the frame in which the beam is.
  i32 line() const { return i32((cycle() - chip.frame_start) / kCyclesPerLine); }

  u8 read_chip(u32 reg) {
    const u8 value = u8(chip.read(reg, cycle(), *this) | (bus & 0x3F));
    if (beside) {
      follow();
      const u8 other = read_bus(*beside, rom_, u16(reg));
      if (other != value && difference.empty()) {
        difference = "line " + std::to_string(line()) + ", cycle " +
                     std::to_string((cycle() - chip.frame_start) % kCyclesPerLine) + ": read " + std::to_string(other) +
                     " from register " + std::to_string(reg) + " instead of " + std::to_string(value);
      }
    }
    return value;
  }

  void write_chip(u32 reg, u8 value) {
    if (beside) {
      follow();
      write_bus(*beside, rom_, u16(reg), value);
    }
    chip.write(reg, value, cycle());
    const i32 at = i32((cycle() - chip.frame_start) % kCyclesPerLine);
    if (reg == kWsync && !wrote && at != 0) cycles += kCyclesPerLine - at;
  }

 private:
  void start_update() {
    elapsed_ += cycles;
    rebase_stamps(*this, cycles);
    greyed = false;
    chip.start_frame(cycle(), rom_.pal && (last_lines & 1));
  }

  void end_update() {
    if (!unfinished) {
      last_lines = line();
    } else if (!greyed) {  // in an unfinished frame, the rest of the screen loses its colours
      greyed = true;
      for (i32 row = std::max(line() - rom_.y_start, 0); row < rom_.height; ++row) {
        for (u8& pixel : chip.screen[chip.shown][row]) pixel = pixel >> 1 & 7;
      }
    }
    if (beside) {
      follow();
      beside->unfinished = unfinished;
      end_frame(*beside, rom_);
    }
  }

  void start_beside(const Inputs& inputs, bool draw) {
    set_inputs(*beside, inputs);
    if (!unfinished) start_frame(*beside, rom_);
    beside->exact = false;
    beside->drawing = draw;
  }

  // Lets the TIA beside have the time and the bus of this console.
  void follow() {
    beside->cycles = cycles;
    beside->bus = bus;
    beside->wrote = wrote;
  }

  const Rom& rom_;
  i64 elapsed_ = 0;  // cycles before the current frame
};

inline u8 read_bus(PlainConsole& c, const Rom& rom, u16 address) {
  if (address & 0x1000 || address & 0x80) return read_bus(static_cast<Console&>(c), rom, address);
  c.bus = c.read_chip(address & 15);
  c.wrote = false;
  return c.bus;
}

inline void write_bus(PlainConsole& c, const Rom& rom, u16 address, u8 value) {
  if (address & 0x1000 || address & 0x80) return write_bus(static_cast<Console&>(c), rom, address, value);
  c.write_chip(address & 63, value);
  c.bus = value;
  c.wrote = true;
}

}  // namespace envpool::atari
