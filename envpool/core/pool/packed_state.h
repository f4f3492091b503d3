// SPDX-License-Identifier: Apache-2.0
//
// Packs the states of environments that declare repetitions (abi::Repetition), for example the rows of an image, most
// of which equal the row above. A packed state contains a 64-bit mask for each group of 64 words, which says which of
// them differ from their prediction, followed by these words, XORed with the prediction. The prediction of a word in a
// repetition is the word `distance` bytes before it, and 0 elsewhere. Words that are left out (abi::kLeftOut) are
// packed as if they were 0.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "envpool/core/table/vtable.h"

namespace envpool {

inline u64 load_word(const char* from) {
  u64 word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

class StatePacker {
 public:
  explicit StatePacker(const abi::Layout& layout) : layout_(layout) {}

  // Returns whether states of this size are packed. They must consist of whole words.
  bool applies(i64 size) const { return layout_.num_repetitions > 0 && size % kWordBytes == 0; }

  // Returns the largest size of a packed state.
  static i64 most_bytes(i64 size) { return size + (size / kWordBytes + kGroup - 1) / kGroup * kWordBytes; }

  // Packs a state and returns the end of what was written.
  char* pack(const char* state, i64 size, char* to) const {
    const i64 words = size / kWordBytes;
    Runs runs(layout_, words);
    for (i64 group = 0; group < words; group += kGroup) {
      char* const mask_at = to;
      to += kWordBytes;
      u64 mask = 0;
      const i64 group_end = std::min(words, group + kGroup);
      for (i64 word = group; word < group_end;) {
        const Run run = runs.at(word, group_end);
        if (run.distance != abi::kLeftOut) {
          mask |= run.distance > 0 ? pack_run<true>(state, run, to) << (word - group)
                                   : pack_run<false>(state, run, to) << (word - group);
        }
        word = run.end;
      }
      std::memcpy(mask_at, &mask, sizeof(mask));
    }
    return to;
  }

  // Unpacks a state of `size` bytes. Returns false if the packed bytes, which may be any, are not a state of that size.
  bool unpack(const char* packed, i64 packed_bytes, char* state, i64 size) const {
    const char* const packed_end = packed + packed_bytes;
    const i64 words = size / kWordBytes;
    Runs runs(layout_, words);
    for (i64 group = 0; group < words; group += kGroup) {
      if (packed_end - packed < kWordBytes) return false;
      const u64 mask = load_word(packed);
      packed += kWordBytes;
      if (packed_end - packed < std::popcount(mask) * kWordBytes) return false;
      const i64 group_end = std::min(words, group + kGroup);
      for (i64 word = group; word < group_end;) {
        const Run run = runs.at(word, group_end);
        packed = run.distance > 0 ? unpack_run<true>(packed, mask >> (word - group), run, state)
                                  : unpack_run<false>(packed, mask >> (word - group), run, state);
        word = run.end;
      }
    }
    return packed == packed_end;  // otherwise a mask had bits beyond the end, or there is more
  }

 private:
  static constexpr i64 kWordBytes = 8, kGroup = 64, kBlock = 8;

  // Consecutive words with the same distance. 0: no prediction.
  struct Run {
    i64 begin, end, distance;
  };

  // Splits the words of a state into runs. The words must be asked for in order.
  class Runs {
   public:
    Runs(const abi::Layout& layout, i64 words)
        : next_(layout.repetitions), last_(layout.repetitions + layout.num_repetitions), words_(words) {
      take();
    }
    // Returns the run that begins at a word, cut off at `end`.
    Run at(i64 word, i64 end) {
      while (word >= current_.end) take();
      if (word < current_.begin) return {word, std::min(end, current_.begin), 0};
      return {word, std::min(end, current_.end), current_.distance};
    }

   private:
    void take() {
      if (next_ == last_) {
        current_ = {words_, words_ + 1, 0};
        return;
      }
      const auto rounded_up = [](i64 bytes) { return (bytes + kWordBytes - 1) / kWordBytes; };
      current_ = {rounded_up(next_->at), rounded_up(next_->at + next_->bytes), next_->distance};
      ++next_;
    }

    const abi::Repetition *next_, *last_;
    const i64 words_;
    Run current_{};
  };

  // Writes the words that differ from their prediction, and returns their mask.
  template <bool kPredicted>
  static u64 pack_run(const char* state, Run run, char*& to) {
    u64 mask = 0;
    const char* from = state + run.begin * kWordBytes;
    const auto difference = [&](i64 word) {
      const u64 predicted = kPredicted ? load_word(from + word * kWordBytes - run.distance) : 0;
      return load_word(from + word * kWordBytes) ^ predicted;
    };
    const i64 count = run.end - run.begin;
    char* out = to;
    for (i64 first = 0; first < count; first += kBlock) {
      const i64 end = std::min(count, first + kBlock);
      if (end - first == kBlock) {  // most blocks are equal to their prediction
        u64 any = 0;
        for (i64 word = first; word < first + kBlock; ++word) any |= difference(word);
        if (any == 0) continue;
      }
      for (i64 word = first; word < end; ++word) {
        const u64 bits = difference(word);
        std::memcpy(out, &bits, sizeof(bits));
        out += bits != 0 ? kWordBytes : 0;
        mask |= u64{bits != 0} << word;
      }
    }
    to = out;
    return mask;
  }

  // Bit i of the mask belongs to word i of the run. Returns the address after the last word that was taken.
  template <bool kPredicted>
  static const char* unpack_run(const char* packed, u64 mask, Run run, char* state) {
    char* const to = state + run.begin * kWordBytes;
    const i64 count = run.end - run.begin;
    for (i64 first = 0; first < count; first += kBlock) {
      const i64 end = std::min(count, first + kBlock);
      constexpr i64 kBytes = kBlock * kWordBytes;
      // The prediction of a whole block is complete if it does not overlap the block.
      if (end - first == kBlock && (mask >> first & 0xFF) == 0 && (!kPredicted || run.distance >= kBytes)) {
        if constexpr (kPredicted) {
          std::memcpy(to + first * kWordBytes, to + first * kWordBytes - run.distance, kBytes);
        } else {
          std::memset(to + first * kWordBytes, 0, kBytes);
        }
        continue;
      }
      for (i64 word = first; word < end; ++word) {
        u64 bits = kPredicted ? load_word(to + word * kWordBytes - run.distance) : 0;
        if ((mask >> word & 1) != 0) {
          bits ^= load_word(packed);
          packed += kWordBytes;
        }
        std::memcpy(to + word * kWordBytes, &bits, sizeof(bits));
      }
    }
    return packed;
  }

  const abi::Layout& layout_;
};

}  // namespace envpool
