// SPDX-License-Identifier: Apache-2.0
//
// The fast CPU's arithmetic, and its shortcuts for busy-wait loops.
#pragma once

#include "envpool/atari/console/fast_access.h"

namespace envpool::atari {

// Each of these functions executes one instruction on its operand m.
ENVPOOL_ALWAYS_INLINE void do_lda(Console&, FastCpu& r, u32 m) { r.nz = r.a = m; }
ENVPOOL_ALWAYS_INLINE void do_ldx(Console&, FastCpu& r, u32 m) { r.nz = r.x = m; }
ENVPOOL_ALWAYS_INLINE void do_ldy(Console&, FastCpu& r, u32 m) { r.nz = r.y = m; }
ENVPOOL_ALWAYS_INLINE void do_and(Console&, FastCpu& r, u32 m) { r.nz = r.a &= m; }
ENVPOOL_ALWAYS_INLINE void do_ora(Console&, FastCpu& r, u32 m) { r.nz = r.a |= m; }
ENVPOOL_ALWAYS_INLINE void do_eor(Console&, FastCpu& r, u32 m) { r.nz = r.a ^= m; }

ENVPOOL_ALWAYS_INLINE void do_compare(FastCpu& r, u32 reg, u32 m) {
  r.carry = reg >= m;
  r.nz = (reg - m) & 0xFF;
}
ENVPOOL_ALWAYS_INLINE void do_cmp(Console&, FastCpu& r, u32 m) { do_compare(r, r.a, m); }
ENVPOOL_ALWAYS_INLINE void do_cpx(Console&, FastCpu& r, u32 m) { do_compare(r, r.x, m); }
ENVPOOL_ALWAYS_INLINE void do_cpy(Console&, FastCpu& r, u32 m) { do_compare(r, r.y, m); }

ENVPOOL_ALWAYS_INLINE void do_bit(Console& c, FastCpu& r, u32 m) {
  r.nz = (r.a & m) | (m & 0x80) << 8;
  c.cpu.overflow = m >> 6 & 1;
}

ENVPOOL_NOINLINE u32 decimal_arithmetic(Console& c, u32 a, u32 m, u32 carry, bool adding) {
  c.cpu.a = static_cast<u8>(a);
  c.cpu.carry = static_cast<u8>(carry);
  if (adding) {
    add(c.cpu, static_cast<u8>(m));
  } else {
    subtract(c.cpu, static_cast<u8>(m));
  }
  return static_cast<u32>(c.cpu.a | c.cpu.carry << 8);
}

ENVPOOL_ALWAYS_INLINE void do_adc(Console& c, FastCpu& r, u32 m) {
  u32 sum = r.a + m + r.carry;
  if (c.cpu.decimal) {
    sum = decimal_arithmetic(c, r.a, m, r.carry, /*adding=*/true);
  } else {
    c.cpu.overflow = ((r.a ^ sum) & (sum ^ m)) >> 7 & 1;
  }
  r.carry = sum >> 8;
  r.nz = r.a = sum & 0xFF;
}

ENVPOOL_ALWAYS_INLINE void do_sbc(Console& c, FastCpu& r, u32 m) {
  u32 sum = r.a + (m ^ 0xFF) + r.carry;
  if (c.cpu.decimal) {
    sum = decimal_arithmetic(c, r.a, m, r.carry, /*adding=*/false);
  } else {
    c.cpu.overflow = ((r.a ^ sum) & (r.a ^ m)) >> 7 & 1;
  }
  r.carry = sum >> 8;
  r.nz = r.a = sum & 0xFF;
}

ENVPOOL_ALWAYS_INLINE u32 do_asl(FastCpu& r, u32 v, u32 in) {
  r.carry = v >> 7;
  return r.nz = (v << 1 | in) & 0xFF;
}

ENVPOOL_ALWAYS_INLINE u32 do_lsr(FastCpu& r, u32 v, u32 in) {
  r.carry = v & 1;
  return r.nz = v >> 1 | in << 7;
}

// A game waits for the timer with a read of INTIM or of the timer's flag and a branch back to it. Skips all iterations
// of which it is known that they branch back, except the last of them.
ENVPOOL_ALWAYS_INLINE void skip_timer_loop(const Console& c, FastCpu& r, const CodeEntry& e) {
  const Riot& riot = c.riot;
  const u32 elapsed = static_cast<u32>(r.cycles) - 1 - static_cast<u32>(riot.set_at);
  const u32 ticks = elapsed >> riot.shift;
  if (ticks >= riot.timer) return;  // the timer has expired
  u32 end = riot.timer;             // the number of ticks after which the loop may end
  if (!is_timer_flag(e.arg)) {
    if (e.hi == kLoopBne) {
      --end;
    } else if ((riot.timer - ticks > 128) != (e.hi == kLoopBmi)) {
      return;
    } else if (e.hi == kLoopBmi) {
      end -= 128;
    }
  }
  if (ticks >= end) return;
  const u32 cycles_left = (end << riot.shift) - 1 - elapsed;
  r.cycles += static_cast<i32>(cycles_left / e.extra * e.extra);
}

// Runs "DEX; BNE back" (or BPL) to its end and returns the counter.
ENVPOOL_ALWAYS_INLINE u32 run_counter_loop(FastCpu& r, const CodeEntry& e, u32 counter) {
  u32 rounds = counter == 0 ? 256 : counter;
  u32 last = 0;
  if (e.hi == kLoopBpl) {  // until bit 7 is set
    rounds = counter >= 1 && counter <= 128 ? counter + 1 : 1;
    last = (counter - rounds) & 0xFF;
  }
  // The last branch falls through, which takes two cycles.
  r.cycles += static_cast<i32>((rounds - 1) * e.extra) + 2;
  r.nz = last;
  return last;
}

}  // namespace envpool::atari
