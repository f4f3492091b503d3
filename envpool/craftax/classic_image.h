// SPDX-License-Identifier: Apache-2.0
//
// Draws the image that an agent sees of Craftax-Classic: the view, which is dark and noisy at night and gray for a
// player who sleeps, and below it what the player has.
#pragma once

#include "envpool/craftax/classic_art.h"
#include "envpool/craftax/night_noise.h"

namespace envpool::craftax {

using ClassicNoise = NightNoise<kRows * kColumns, kTilePixels>;

// A mob, an arrow or the player, in a cell of the view.
struct Drawn {
  u8 cell, sprite;
};

// What is drawn over the blocks of the view, from the first to the last.
struct DrawnThings {
  Drawn thing[1 + kMobs + kArrows];
  i32 count = 0;
  u64 cells = 0;  // a bit for each cell in which there is something

  ENVPOOL_FN explicit DrawnThings(const State& s) {
    const Place corner = corner_of(s);
    add(player_of(s) - corner, s.asleep ? i32{kPlayerAsleep} : kPlayerLeft + s.direction - kLeft);
    for (i32 i = 0; i < kMobs; ++i) {
      if ((s.alive >> i & 1) != 0) add(place_of(s.mob_cell[i]) - corner, kZombieSprite + i / 3);
    }
    for (i32 i = 0; i < kArrows; ++i) {
      if ((s.arrows >> i & 1) == 0) continue;
      const bool flipped = s.arrow_dy[i] > 0 || s.arrow_dx[i] > 0, transposed = s.arrow_dx[i] != 0;
      add(Place{s.arrow_y[i], s.arrow_x[i]} - corner, kArrowSprite + i32(flipped) + 2 * i32(transposed));
    }
  }

 private:
  ENVPOOL_FN void add(Place at, i32 sprite) {
    if (u32(at.y) >= u32(kRows) || u32(at.x) >= u32(kColumns)) return;
    const i32 cell = at.y * kColumns + at.x;
    thing[count++] = {u8(cell), u8(sprite)};
    cells |= u64{1} << cell;
  }
};

struct Tile {
  f32 channel[3][kTilePixels];
};

// How the light changes colours.
struct Light {
  f32 day, night, noise;  // shares; the noise has the last one in the darkest night
  bool asleep;

  ENVPOOL_FN explicit Light(const State& s)
      : day(s.light), night(1 - s.light), noise(2 * (0.5f - s.light)), asleep(s.asleep) {}
  ENVPOOL_FN bool noisy() const { return day < 0.5f; }
};

ENVPOOL_FN f32 brightness(f32 red, f32 green, f32 blue) { return 0.299f * red + 0.587f * green + 0.114f * blue; }

// Changes colours from 0 to 255 by daylight to what is seen of them, from 0 to 1. `noise` has uniform numbers, and
// `noisy` how strong they are.
template <bool kNoisy>
ENVPOOL_FN void shade(Tile& tile, Light light, const f32* noise, const f32* noisy) {
  for (i32 i = 0; i < kTilePixels; ++i) {
    f32 &red = tile.channel[0][i], &green = tile.channel[1][i], &blue = tile.channel[2][i];
    f32 night_red = red, night_green = green, night_blue = blue;
    if constexpr (kNoisy) {
      const f32 share = light.noise * noisy[i], rest = 1 - share, part = share * (noise[i] * 95 + 32);
      night_red = rest * night_red + part;
      night_green = rest * night_green + part;
      night_blue = rest * night_blue + part;
    }
    const f32 gray = 0.6f * brightness(night_red, night_green, night_blue);
    night_red = 0.5f * (night_red * 0.4f + gray);
    night_green = 0.5f * (night_green * 0.4f + gray) + 8;
    night_blue = 0.5f * (night_blue * 0.4f + gray) + 32;
    red = light.day * red + light.night * night_red;
    green = light.day * green + light.night * night_green;
    blue = light.day * blue + light.night * night_blue;
  }
  if (light.asleep) {
    for (i32 i = 0; i < kTilePixels; ++i) {
      f32 &red = tile.channel[0][i], &green = tile.channel[1][i], &blue = tile.channel[2][i];
      red = green = 0.5f * brightness(red, green, blue);
      blue = red + 8;
    }
  }
  for (auto& channel : tile.channel) {
    for (f32& color : channel) color /= 255;
  }
}

using Pixels = f32[kTilePixels * 3];

ENVPOOL_FN void interleave(const Tile& tile, Pixels& pixels) {
  for (i32 i = 0; i < kTilePixels; ++i) {
    for (i32 channel = 0; channel < 3; ++channel) pixels[3 * i + channel] = tile.channel[channel][i];
  }
}

// Copies a tile into an image.
ENVPOOL_FN void put(f32* image, i32 cell, const Pixels& pixels) {
  f32* to = image + (i64{cell} / kColumns * kTileSide * kImageWidth + cell % kColumns * kTileSide) * 3;
  for (i32 first = 0; first < kTilePixels * 3; first += kTileSide * 3, to += kImageWidth * 3) {
    for (i32 i = 0; i < kTileSide * 3; ++i) to[i] = pixels[first + i];
  }
}

// Composes the colours of a cell by daylight.
ENVPOOL_FN void compose(Tile& tile, i32 cell, u8 block, const DrawnThings& things, const Art& art) {
  for (i32 channel = 0; channel < 3; ++channel) {
    for (i32 i = 0; i < kTilePixels; ++i) tile.channel[channel][i] = art.block[block][channel][i];
  }
  if ((things.cells >> cell & 1) == 0) return;
  for (i32 n = 0; n < things.count; ++n) {
    if (things.thing[n].cell != cell) continue;
    const u8 sprite = things.thing[n].sprite;
    for (i32 channel = 0; channel < 3; ++channel) {
      for (i32 i = 0; i < kTilePixels; ++i) {
        f32& color = tile.channel[channel][i];
        color = art.shows_through[sprite][i] * color + art.sprite[sprite][channel][i];
      }
    }
  }
}

template <class Noise>
ENVPOOL_FN void draw_night(const State& s, const Art& art, const Noise& noise, f32* image) {
  const DrawnThings things(s);
  const Light light(s);
  for_view(s, [&](i32 row, i32 column, u8 block) {
    const i32 cell = row * kColumns + column;
    f32 uniform[kTilePixels];
    noise.fill(cell, 0, uniform);
    Tile tile;
    compose(tile, cell, min<u8>(block, kBlocks - 1), things, art);
    shade<true>(tile, light, uniform, art.noisy[cell]);
    Pixels pixels;
    interleave(tile, pixels);
    put(image, cell, pixels);
  });
}

ENVPOOL_FN void draw_day(const State& s, const Art& art, f32* image) {
  const DrawnThings things(s);
  const Light light(s);
#ifdef __CUDACC__
  constexpr i32 kKept = 0;  // because a thread has little memory
#else
  constexpr i32 kKept = kBlocks;
#endif
  Pixels pixels[kKept + 1];  // of blocks that have been drawn, as most are drawn more than once, and of another cell
  u32 drawn = 0;
  for_view(s, [&](i32 row, i32 column, u8 any_block) {
    const i32 cell = row * kColumns + column;
    const u8 block = min<u8>(any_block, kBlocks - 1);
    const bool kept = kKept > 0 && (things.cells >> cell & 1) == 0;
    Pixels& own = pixels[kept ? block : kKept];
    if (!kept || (drawn >> block & 1) == 0) {
      Tile tile;
      compose(tile, cell, block, things, art);
      shade<false>(tile, light, nullptr, nullptr);
      interleave(tile, own);
      drawn |= u32(kept) << block;
    }
    put(image, cell, own);
  });
}

// Draws what the player has.
ENVPOOL_FN void draw_slots(const State& s, const Art& art, f32* image) {
  constexpr i32 kFirst = kRows * kColumns;
  const i32 needs[kNeeds] = {s.health, s.food, s.drink, s.energy};
  for (i32 slot = 0; slot < kSlots; ++slot) {
    const i32 number = slot < kNeeds ? needs[slot] : s.item[kItemOfSlot[slot - kNeeds]];
    put(image, kFirst + slot, art.slot[slot][clamp(number, 0, kMost)]);
  }
  const Pixels nothing{};
  for (i32 cell = kFirst + kSlots; cell < kImageRows * kColumns; ++cell) put(image, cell, nothing);
}

// Draws an image, whose pixels have three numbers from 0 to 1.
template <class Noise>
ENVPOOL_DEVICE_CALL void draw_image(const State& s, const Art& art, const Noise& noise, f32* image) {
  if (Light(s).noisy()) {
    draw_night(s, art, noise, image);
  } else {
    draw_day(s, art, image);
  }
  draw_slots(s, art, image);
}

}  // namespace envpool::craftax
