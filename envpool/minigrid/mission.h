// SPDX-License-Identifier: Apache-2.0
//
// Writes missions to arrays of fixed size: the letters of the sentence, or a number for each word, and then zeros.
#pragma once

#include "envpool/minigrid/grid.h"

namespace envpool::minigrid {

// The words of all missions, including a comma. Colours, and types beginning with the door, are in the order of Color
// and Type.
#define ENVPOOL_MINIGRID_WORDS(X) \
  X(red)                          \
  X(green)                        \
  X(blue)                         \
  X(purple)                       \
  X(yellow)                       \
  X(grey)                         \
  X(door)                         \
  X(key)                          \
  X(ball)                         \
  X(box)                          \
  X(goal)                         \
  X(lava)                         \
  X(object)                       \
  X(a)                            \
  X(the)                          \
  X(go)                           \
  X(to)                           \
  X(get)                          \
  X(pick)                         \
  X(up)                           \
  X(put)                          \
  X(next)                         \
  X(near)                         \
  X(open)                         \
  X(and_, "and")                  \
  X(then)                         \
  X(comma, ",")                   \
  X(after)                        \
  X(you)                          \
  X(in)                           \
  X(front)                        \
  X(of)                           \
  X(behind)                       \
  X(on)                           \
  X(your)                         \
  X(left)                         \
  X(right)                        \
  X(square)                       \
  X(reach)                        \
  X(use)                          \
  X(room)                         \
  X(rooms_, "rooms")              \
  X(traverse)                     \
  X(from) X(unlock) X(avoid) X(find) X(opening) X(fetch) X(must) X(matching) X(at) X(end) X(hallway) X(blank_, "")

enum class Word : u8 {
  none,
#define ENVPOOL_MINIGRID_WORD(name, ...) name,
  ENVPOOL_MINIGRID_WORDS(ENVPOOL_MINIGRID_WORD)
#undef ENVPOOL_MINIGRID_WORD
};
inline constexpr i32 kWords = i32(Word::blank_);

// The letters of each word.
struct Spelling {
  u8 letters[kWords][12];

  ENVPOOL_FN constexpr Spelling() : letters{} {
    i32 word = 0;
    const auto spell = [&](const char* text, const char* other) {
      if (other[0] != 0) text = other;
      if (word < kWords) {
        for (i32 i = 0; text[i] != 0; ++i) letters[word][i] = u8(text[i]);
      }
      ++word;
    };
#define ENVPOOL_MINIGRID_WORD(name, ...) spell(#name, "" __VA_ARGS__);
    ENVPOOL_MINIGRID_WORDS(ENVPOOL_MINIGRID_WORD)
#undef ENVPOOL_MINIGRID_WORD
  }
};
inline constexpr Spelling kSpelling{};

ENVPOOL_FN constexpr Word color_word(u32 color) { return Word(u32(Word::red) + color); }
ENVPOOL_FN constexpr Word type_word(u32 type) { return Word(u32(Word::door) + type - kDoor); }

ENVPOOL_FN void copy_bytes(u8* to, const u8* from, i32 count) {
#if defined(__GNUC__) && !defined(__CUDACC__)
  __builtin_memcpy(to, from, u64(count));
#else
  for (i32 i = 0; i < count; ++i) to[i] = from[i];
#endif
}

// Writes the letters of a mission in one-hot form. There are 28: the alphabet, the space and the comma.
inline constexpr i32 kLetters = 28;
ENVPOOL_DEVICE_CALL void spell_one_hot(u8* to, const u8* mission, i32 size) {
  for (i32 i = 0; i < size; ++i, to += kLetters) {
    const i32 letter = mission[i] == ' ' ? 26 : mission[i] == ',' ? 27 : mission[i] - 'a';
    for (i32 k = 0; k < kLetters; ++k) to[k] = k == letter;
  }
}

// Writes a mission, word by word.
class Mission {
 public:
  ENVPOOL_FN Mission(u8* to, i32 size, bool as_words) : to_(to), size_(size), as_words_(as_words) {
    for (i32 i = 0; i < size; ++i) to[i] = 0;
  }

  template <class... Words>
  ENVPOOL_FN void say(Words... words) {
    (add(words), ...);
  }
  // Writes the colour and the type of an object.
  ENVPOOL_DEVICE_CALL void name(Cell object) { say(color_word(color_of(object)), type_word(type_of(object))); }

 private:
  ENVPOOL_DEVICE_CALL void add(Word word) {
    if (as_words_) {
      put(u8(word));
      return;
    }
    if (used_ > 0 && word != Word::comma) put(' ');
    for (const u8 letter : kSpelling.letters[i32(word) - 1]) {
      if (letter != 0) put(letter);
    }
  }
  ENVPOOL_FN void put(u8 byte) {
    if (used_ < size_) to_[used_++] = byte;
  }

  u8* to_;
  i32 size_, used_ = 0;
  bool as_words_;
};

}  // namespace envpool::minigrid
