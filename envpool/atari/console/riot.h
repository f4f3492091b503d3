// SPDX-License-Identifier: Apache-2.0
//
// The RIOT (6532): the interval timer and the two input ports. Also computes the charging times of paddles, which the
// TIA reads.
#pragma once

#include "envpool/atari/console/rom.h"

namespace envpool::atari {

// Returns the value of INTIM. The first read that is more than one cycle after expiry stores its time in latched_at.
// From then on, the value falls once per prescaler period again.
ENVPOOL_FN u8 read_timer(Riot& r, i32 cycles) {
  const u32 elapsed = static_cast<u32>(cycles) - 1 - static_cast<u32>(r.set_at);
  const u32 ticks = elapsed >> r.shift;
  const i32 value = static_cast<i32>(r.timer - 1u - ticks);
  if (value >= 0) return static_cast<u8>(value);
  const i32 period = r.timer << r.shift;
  const i32 overrun = static_cast<i32>(static_cast<u32>(period) - elapsed - 1);
  if (overrun <= -2 && !r.latched) {
    r.latched = true;
    r.latched_at = cycles;
  }
  if (!r.latched) return static_cast<u8>(overrun);
  const u32 latched_after = static_cast<u32>(r.latched_at) - static_cast<u32>(r.set_at);
  return static_cast<u8>(r.timer - ticks - (latched_after - static_cast<u32>(period)));
}

ENVPOOL_FN u8 read_timer_flag(const Riot& r, i32 cycles) {
  const u32 elapsed = static_cast<u32>(cycles) - 1 - static_cast<u32>(r.set_at);
  const i32 value = static_cast<i32>(r.timer - 1u - (elapsed >> r.shift));
  return value >= 0 || r.latched ? 0x00 : 0x80;
}

ENVPOOL_FN u8 read_riot(Console& c, u16 address) {
  switch (address & 7) {
    case 0: return c.swcha;
    case 1: return c.riot.ddra;
    case 2: return c.swchb;
    case 3: return 0;
    case 4:
    case 6: return read_timer(c.riot, c.cycles);
    default: return read_timer_flag(c.riot, c.cycles);
  }
}

ENVPOOL_FN void write_riot(Console& c, u16 address, u8 value) {
  static constexpr u8 kShift[4] = {0, 3, 6, 10};
  if ((address & 7) == 1) {
    c.riot.ddra = value;
  } else if ((address & 7) > 3 && (address & 0x14) == 0x14) {
    c.riot.timer = value;
    c.riot.shift = kShift[address & 3];
    c.riot.set_at = c.cycles;
    c.riot.latched = false;
  }
}

// Returns the number of cycles that a paddle of this resistance takes to charge its capacitor. The order of the
// double-precision operations is part of the behaviour.
ENVPOOL_FN i32 paddle_cycles(i32 ohms) {
  if (ohms == 0) return kCharged;
  if (ohms < 0) return kOpen;
  return static_cast<i32>(((1.6 * ohms) * 0.01e-6) * 1.19e6);
}

ENVPOOL_FN void set_inputs(Core& c, const Inputs& inputs) {
  c.swcha = inputs.swcha;
  c.swchb = inputs.swchb;
  for (int i = 0; i < 2; ++i) c.fire[i] = inputs.fire[i];
  for (int i = 0; i < 4; ++i) c.paddle_cycles[i] = paddle_cycles(inputs.paddle[i]);
}

}  // namespace envpool::atari
