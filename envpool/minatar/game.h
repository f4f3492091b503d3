// SPDX-License-Identifier: Apache-2.0
//
// The common parts of MinAtar's five games: a board of 10 by 10 cells with a channel for each kind of object, up to six
// actions, sticky actions, and observations of bools in one of two dtypes.
//
// K. Young, T. Tian, "MinAtar: an Atari-inspired testbed for thorough and reproducible reinforcement learning
// experiments" (2019). Reference: minatar 1.0.15 for the behaviour, and gymnax 0.0.9 for ids and options.
#pragma once

#include "envpool/core/api.h"

namespace envpool::minatar {

inline constexpr i32 kSide = 10;

enum Action : u8 { kNothing, kLeft, kUp, kRight, kDown, kFire };

struct Params {
  f64 sticky;  // probability that the last action is repeated
  bool ramping, floats;
  u8 actions[8];  // the Action that each number of the agent's action space stands for
};

// Returns the action that is executed: the last one with probability `sticky`, else the given one. At the start of an
// episode, the last action is kNothing.
ENVPOOL_FN u8 executed_action(u8& last, const Params& p, ActionRow action, Rng& rng) {
  if (p.sticky == 0 || rng.uniform() >= p.sticky) last = p.actions[*action.at<i32>(0) & 7];
  return last;
}

// The observed board; T is u8 (the byte of a bool) or f32.
template <class T, i32 kChannels>
struct Board {
  T* cells;

  ENVPOOL_FN Board(T* address, bool cleared) : cells(address) {
    if (cleared) return;
#if defined(__GNUC__) && !defined(__CUDACC__)
    // Calls the C library's memset for pieces of less than 2 KB, because memset uses a slower instruction for larger
    // pieces. The size is hidden from GCC, because the code that GCC inlines for a constant size uses the slower
    // instruction, too.
    constexpr i32 kElements = kSide * kSide * kChannels, kPieces = sizeof(T) * kElements < 2048 ? 1 : 2;
    u64 bytes = sizeof(T) * kElements / kPieces;
    asm("" : "+r"(bytes));
    for (i32 i = 0; i < kPieces; ++i) __builtin_memset(cells + i * kElements / kPieces, 0, bytes);
#else
    for (i32 i = 0; i < kSide * kSide * kChannels; ++i) cells[i] = 0;
#endif
  }
  ENVPOOL_FN void set(i32 y, i32 x, i32 channel) { cells[(y * kSide + x) * kChannels + channel] = 1; }
  ENVPOOL_FN void set_inside(i32 y, i32 x, i32 channel) {
    if (u32(x) < u32(kSide)) set(y, x, channel);
  }
};

// Writes the observation of a state, which Game::paint draws on a board. With kCleared, the row is zero already.
template <class Game, bool kCleared = false>
ENVPOOL_FN void observe(const typename Game::State& s, const Params& p, Row row) {
  constexpr i32 kElements = kSide * kSide * Game::kChannels;
  if (p.floats) {
    Board<f32, Game::kChannels> board(row.at<f32, kElements>(0), kCleared);
    Game::paint(s, board);
  } else {
    Board<u8, Game::kChannels> board(row.at<u8, kElements>(0), kCleared);
    Game::paint(s, board);
  }
}

ENVPOOL_FN i32 popcount(u32 x) {
  x -= x >> 1 & 0x55555555u;
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  return i32(((x + (x >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24);
}

#if ENVPOOL_HOST

inline void declare(OptionSpecs& o, bool ramps) {
  o.real("sticky_action_prob", 0.1, "probability that the last action is repeated").between(0, 1).sets(&Params::sticky);
  o.boolean("difficulty_ramping", true, ramps ? "the game gets faster" : "no effect: this game never gets faster")
      .sets(&Params::ramping);
  o.boolean("use_minimal_action_set", false, "only the actions that have an effect").changes_shapes();
  o.text("obs_dtype", "bool", "dtype of the observation")
      .one_of({"bool", "float32"})
      .changes_shapes()
      .sets(&Params::floats);
}

// `minimal` lists the actions that have an effect.
inline Params resolve(const OptionValues& v, std::initializer_list<u8> minimal) {
  Params p{};
  u8* next = p.actions;
  if (v.boolean("use_minimal_action_set")) {
    for (u8 action : minimal) *next++ = action;
  } else {
    for (u8 action = kNothing; action <= kFire; ++action) *next++ = action;
  }
  return p;
}

inline constexpr i32 kPixels = 16;  // side of a cell in a rendered image

inline void describe(Spec& s, const Params& p, i32 channels, const char* names) {
  const std::vector<i64> shape{kSide, kSide, channels};
  FieldSpec& obs = p.floats ? s.obs<f32>("obs", shape) : s.obs<bool>("obs", shape);
  obs.bounds(0, 1).doc(std::string("objects in each cell: ") + names);
  i64 actions = 1;
  while (actions < 6 && p.actions[actions] != kNothing) ++actions;
  const char* meanings[] = {"nothing", "left", "up", "right", "down", "fire"};
  std::string meaning;
  for (i64 i = 0; i < actions; ++i) {
    meaning += (i == 0 ? "" : ", ") + std::to_string(i) + " " + meanings[p.actions[i]];
  }
  s.action<i32>().categories(actions).doc(meaning);
  s.reward_low = 0;
  s.render_height = s.render_width = kSide * kPixels;
}

struct Color {
  u8 red, green, blue;
};

// A cell has the colour of its first channel that is set.
template <class Game>
void render(const typename Game::State& s, const Color (&colors)[Game::kChannels], u8* rgb) {
  u8 cells[kSide * kSide * Game::kChannels];
  Board<u8, Game::kChannels> board(cells, /*cleared=*/false);
  Game::paint(s, board);
  for (i32 y = 0; y < kSide * kPixels; ++y) {
    for (i32 x = 0; x < kSide * kPixels; ++x, rgb += 3) {
      const u8* const cell = cells + (y / kPixels * kSide + x / kPixels) * Game::kChannels;
      Color color{0, 0, 0};
      for (i32 c = Game::kChannels - 1; c >= 0; --c) {
        if (cell[c] != 0) color = colors[c];
      }
      rgb[0] = color.red;
      rgb[1] = color.green;
      rgb[2] = color.blue;
    }
  }
}

#endif

}  // namespace envpool::minatar
