// SPDX-License-Identifier: Apache-2.0
//
// Writes the numbers of a row of Hanabi's observations: bits as 0 and 1, and beliefs about cards.
#pragma once

#include "envpool/core/math/simd.h"
#include "envpool/core/types.h"

namespace envpool::jaxmarl {

// The part of an observation that is 0 or 1, in its order.
struct HanabiBits {
  static constexpr i32 kMost = 1216;
  u64 word[kMost / 64];
  i32 count;

  ENVPOOL_FN explicit HanabiBits(i32 size) : count(0) {
    for (i32 i = 0; i <= (size - 1) / 64; ++i) word[i] = 0;
  }
  // Appends the lowest `width` bits of a value, at most 63, whose other bits are 0.
  ENVPOOL_ALWAYS_INLINE void add(u64 value, i32 width) {
    const i32 at = count & 63;
    word[count >> 6] |= value << at;
    if (at + width > 64) word[(count >> 6) + 1] |= value >> (64 - at);
    count += width;
  }
  ENVPOOL_FN void add_count(i32 ones, i32 width) {  // the first are 1
    for (; width > 0; width -= 32, ones -= 32) {
      const i32 part = width < 32 ? width : 32, set = ones < 0 ? 0 : ones < part ? ones : part;
      add((u64{1} << set) - 1, part);
    }
  }
};

// A card in a hand, as an observation shows it.
struct HanabiBelief {
  u32 possible;  // the kinds that the hints leave, as bits
  u32 hinted;    // the color and the rank that hints have told, as bits
};

// A row, of which the beliefs are the last part.
struct HanabiRow {
  f32* to;
  f32* end;
  const i8* unseen;  // 32 numbers: the cards of each kind that are neither played nor discarded
  i32 kinds, hints;  // the numbers that describe a card
};

ENVPOOL_ALWAYS_INLINE void write_bits(u32 bits, i32 count, f32* to) {
  for (i32 i = 0; i < count; ++i) to[i] = f32(i32(bits >> i & 1));
}

// Writes the probability of each kind.
template <i32 kMost>
ENVPOOL_ALWAYS_INLINE void write_probabilities(const i8* unseen, u32 possible, i32 kinds, f32* to) {
  i32 total = 0;
  if constexpr (kMost > 0) {
    i32 cards[kMost];
    for (i32 i = 0; i < kMost; ++i) total += cards[i] = unseen[i] & -i32(possible >> i & 1);
    const f32 each = total == 0 ? 0.0f : 1.0f / f32(total);
    for (i32 i = 0; i < kMost; ++i) to[i] = f32(cards[i]) * each;
  } else {
    for (i32 i = 0; i < kinds; ++i) total += unseen[i] & -i32(possible >> i & 1);
    // XLA divides by a number by multiplying with its reciprocal, whose rounding JaxMARL's numbers have.
    const f32 each = total == 0 ? 0.0f : 1.0f / f32(total);
    for (i32 i = 0; i < kinds; ++i) to[i] = f32(unseen[i] & -i32(possible >> i & 1)) * each;
  }
}

// With kWide, writes 32 numbers at a time where the row has room for them, and then overwrites those that are too many.
template <bool kWide>
ENVPOOL_ALWAYS_INLINE void write_hanabi_bits(HanabiRow& row, const HanabiBits& bits) {
  for (i32 at = 0; at < bits.count; at += 32) {
    f32* const to = row.to + at;
    const u32 half = u32(bits.word[at >> 6] >> (at & 32));
    if (kWide && row.end - to >= 32) {
      write_bits(half, 32, to);
    } else {
      write_bits(half, bits.count - at < 32 ? bits.count - at : 32, to);
    }
  }
  row.to += bits.count;
}
template <bool kWide>
ENVPOOL_ALWAYS_INLINE void write_hanabi_belief(HanabiRow& row, const HanabiBelief& card) {
  if (kWide && row.end - row.to >= 48) {
    write_probabilities<32>(row.unseen, card.possible, 32, row.to);
    write_bits(card.hinted, 16, row.to + row.kinds);
  } else {
    write_probabilities<0>(row.unseen, card.possible, row.kinds, row.to);
    write_bits(card.hinted, row.hints, row.to + row.kinds);
  }
  row.to += row.kinds + row.hints;
}

template <bool kWide>
ENVPOOL_ALWAYS_INLINE void write_hanabi_numbers(HanabiRow row, const HanabiBits& bits, const HanabiBelief* cards,
                                                i32 own, i32 count) {
  write_hanabi_bits<kWide>(row, bits);
  for (i32 i = own; i < count; ++i) write_hanabi_belief<kWide>(row, cards[i]);
  for (i32 i = 0; i < own; ++i) write_hanabi_belief<kWide>(row, cards[i]);
}
#if ENVPOOL_AVX2
ENVPOOL_SIMD_TARGET ENVPOOL_NOINLINE void write_hanabi_numbers_wide(const HanabiRow& row, const HanabiBits& bits,
                                                                    const HanabiBelief* cards, i32 own, i32 count) {
  write_hanabi_numbers<true>(row, bits, cards, own, count);
}
#endif

// Writes a row: bits, and then `count` cards, beginning with card number `own`.
ENVPOOL_FN void write_hanabi_row(const HanabiRow& row, const HanabiBits& bits, const HanabiBelief* cards, i32 own,
                                 i32 count) {
#if ENVPOOL_AVX2
  if (has_simd()) return write_hanabi_numbers_wide(row, bits, cards, own, count);
#endif
  write_hanabi_numbers<false>(row, bits, cards, own, count);
}

}  // namespace envpool::jaxmarl
