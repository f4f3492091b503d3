// SPDX-License-Identifier: Apache-2.0
//
// Draws the image that an agent sees of Craftax: the view, which is dark and noisy at night and darker for a player who
// sleeps, and below it what the player has (slots.h).
#pragma once

#include "envpool/core/math/simd.h"
#include "envpool/craftax/full/lights.h"
#include "envpool/craftax/full/slots.h"
#include "envpool/craftax/night_noise.h"

namespace envpool::craftax::full {

using ViewNoise = NightNoise<kRows * kColumns, kTilePixels>;

// A mob, a shot or the player, in a cell of the view.
struct Drawn {
  u8 cell, sprite;
};

// What is drawn over the blocks of the view, from the first to the last.
struct DrawnThings {
  Drawn thing[1 + kMobs + 2 * kShots];
  i32 count = 0;
  u64 cells[2] = {};  // a bit for each cell in which there is something

  ENVPOOL_FN explicit DrawnThings(const State& s) {
    const Place corner = corner_of(s);
    add(player_of(s) - corner, s.asleep ? i32{kPlayerAsleep} : kPlayerLeft + s.direction - kLeft);
    const Mobs& mobs = s.mobs[s.level];
    for (i32 i = 0; i < kMobs; ++i) {
      if ((mobs.alive >> i & 1) == 0) continue;
      const i32 type = mobs.type[i];
      add(place_of(mobs.cell[i]) - corner, i < first_mob(kPassive)  ? kMeleeSprite + type
                                           : i < first_mob(kRanged) ? kPassiveSprite + min(type, 2)
                                                                    : kRangedSprite + type);
    }
    add(s.mob_shots[s.level], corner);
    add(s.player_shots[s.level], corner);
  }
  ENVPOOL_FN bool has(i32 cell) const { return (cells[cell >> 6] >> (cell & 63) & 1) != 0; }

 private:
  ENVPOOL_FN void add(Place at, i32 sprite) {
    if (u32(at.y) >= u32(kRows) || u32(at.x) >= u32(kColumns)) return;
    const i32 cell = at.y * kColumns + at.x;
    thing[count++] = {u8(cell), u8(sprite)};
    cells[cell >> 6] |= u64{1} << (cell & 63);
  }
  ENVPOOL_FN void add(const Shots& shots, Place corner) {
    constexpr u8 kLooks[kTypes] = {0, 1, 2, 3, 0, 4, 2, 3};  // of types
    for (i32 i = 0; i < kShots; ++i) {
      if ((shots.flying >> i & 1) == 0) continue;
      const bool flipped = shots.dy[i] > 0 || shots.dx[i] > 0, transposed = shots.dx[i] != 0;
      add(Place{shots.y[i], shots.x[i]} - corner,
          kShotSprite + 4 * kLooks[shots.type[i]] + i32(flipped) + 2 * i32(transposed));
    }
  }
};

// What is drawn in a cell of the view.
struct CellView {
  u8 block;
  i8 sprite;      // of a thing, or -1
  bool has_mobs;  // or shots, or the player
  f32 light;

  ENVPOOL_FN bool is_whole_block() const { return sprite < 0 && !has_mobs && light == 1; }
};

ENVPOOL_FN CellView cell_view(const State& s, const Lights& lights, const DrawnThings& things, i32 cell) {
  constexpr CellView kDark{kDarkness, -1, false, 1};
  const Place at = corner_of(s) + Place{cell / kColumns, cell % kColumns};
  if (!at.inside()) return kDark;
  const i32 dark = dark_number(s.level);
  const f32 light = dark < 0 ? 1.0f : lights.at[dark][at.cell()];
  if (!(light > 0)) return kDark;
  const u8 what = s.cell[s.level][at.cell()], thing = thing_of(what);
  u8 block = min<u8>(block_of(what), kBlocks - 1);
  if (block == kNecromancer && is_boss_vulnerable(s)) block = kVulnerableNecromancer;
  i32 sprite = thing - kTorch;
  if (thing == kLadderDown && s.defeated[s.level] < kToClear) sprite = kBlockedLadderSprite;
  return {block, i8(sprite), things.has(cell), min(light, 1.0f)};
}

// Colours of some pixels of a tile.
template <i32 kPixels>
struct Piece {
  u8 color[3][kPixels];

  ENVPOOL_FN void cover(const Layer& layer, i32 first) {
    for (i32 channel = 0; channel < 3; ++channel) {
      for (i32 i = 0; i < kPixels; ++i) {
        u8& below = color[channel][i];
        below = u8((below & layer.keeps[first + i]) | layer.color[channel][first + i]);
      }
    }
  }
  // Composes the pixels of a cell from `first` on.
  ENVPOOL_FN void compose(const CellView& view, i32 cell, i32 first, const DrawnThings& things, const Art& art) {
    for (i32 channel = 0; channel < 3; ++channel) {
      for (i32 i = 0; i < kPixels; ++i) color[channel][i] = art.block[view.block][channel][first + i];
    }
    if (view.sprite >= 0) cover(art.sprite[view.sprite], first);
    if (!view.has_mobs) return;
    for (i32 n = 0; n < things.count; ++n) {
      if (things.thing[n].cell == cell) cover(art.sprite[things.thing[n].sprite], first);
    }
  }
};

// How the time of the day and sleep change colours. It is day on all floors but the first.
struct Daylight {
  f32 day, night, noise, awake;  // shares; the noise has the last one in the darkest night

  ENVPOOL_FN explicit Daylight(const State& s)
      : day(s.level == kOverworld ? s.light : 1.0f),
        night(1 - day),
        noise(2 * (0.5f - day)),
        awake(s.asleep ? 0.5f : 1.0f) {}
  ENVPOOL_FN bool noisy() const { return noise > 0; }
  ENVPOOL_FN bool changes_nothing() const { return day == 1 && awake == 1; }
};

// Writes what is seen of colours. `uniform` has uniform numbers, and `noisy` how strong the noise is.
template <bool kNoisy, i32 kPixels>
ENVPOOL_FN void shade(const Piece<kPixels>& piece, f32 light, const Daylight& daylight, const f32* uniform,
                      const f32* noisy, f32* out) {
  constexpr f32 kNight[3] = {0, 8, 32};
  f32 rest[kPixels], part[kPixels], seen[3][kPixels];
  if constexpr (kNoisy) {
    for (i32 i = 0; i < kPixels; ++i) {
      const f32 share = noisy[i] * daylight.noise;
      rest[i] = 1 - share;
      part[i] = share * (uniform[i] * 95 + 32);
    }
  }
  for (i32 channel = 0; channel < 3; ++channel) {
    for (i32 i = 0; i < kPixels; ++i) {
      const f32 color = light * f32(i32(piece.color[channel][i]));
      f32 dark = color;
      if constexpr (kNoisy) dark = rest[i] * dark + part[i];
      dark = kNight[channel] + 0.5f * dark;
      seen[channel][i] = (daylight.day * color + daylight.night * dark) * daylight.awake / 255.0f;
    }
  }
  for (i32 i = 0; i < kPixels; ++i) {
    out[3 * i] = seen[0][i];
    out[3 * i + 1] = seen[1][i];
    out[3 * i + 2] = seen[2][i];
  }
}

// Draws the pixels of a cell from `first` on.
template <i32 kPixels, class AnyNoise>
ENVPOOL_FN void draw_cell(const CellView& view, i32 cell, i32 first, const DrawnThings& things, const Art& art,
                          const Daylight& daylight, const AnyNoise& noise, f32* out) {
  Piece<kPixels> piece;
  piece.compose(view, cell, first, things, art);
  if (daylight.noisy()) {
    f32 uniform[kPixels];
    noise.fill(cell, first, uniform);
    shade<true>(piece, view.light, daylight, uniform, &art.noisy[cell][first], out);
  } else {
    shade<false>(piece, view.light, daylight, nullptr, nullptr, out);
  }
}

inline constexpr i32 kStripNumbers = 3 * kTileSide;  // of a row of a tile

#ifdef __CUDACC__

// Draws an image, whose pixels have three numbers from 0 to 1, row by row of each tile: a thread has little memory.
template <class AnyNoise>
ENVPOOL_DEVICE_CALL void draw_image(const State& s, const Lights& lights, const Art& art, const AnyNoise& noise,
                                    f32* image) {
  const DrawnThings things(s);
  const Daylight daylight(s);
  for (i32 cell = 0; cell < kImageRows * kColumns; ++cell) {
    const i32 row = cell / kColumns, column = cell % kColumns;
    const bool in_view = row < kRows;
    const CellView view = in_view ? cell_view(s, lights, things, cell) : CellView{};
    const Slot slot = in_view ? Slot{} : slot_of(s, row - kRows, column);
    for (i32 y = 0; y < kTileSide; ++y) {
      f32* const out = image + (i64{row} * kTileSide + y) * kImageWidth * 3 + column * kStripNumbers;
      if (in_view) {
        draw_cell<kTileSide>(view, cell, y * kTileSide, things, art, daylight, noise, out);
      } else {
        draw_slot<kTileSide>(slot, y * kTileSide, art, out);
      }
    }
  }
}

#else

using Tile = f32[kTileNumbers];

// Copies the tiles of a row into an image, row by row of pixels, because memory is written fastest in order.
inline void put_row(const f32* const (&tiles)[kColumns], f32* image, i32 row) {
  f32* to = image + i64{row} * kTileSide * kImageWidth * 3;
  for (i32 from = 0; from < kTileNumbers; from += kStripNumbers) {
    for (i32 column = 0; column < kColumns; ++column, to += kStripNumbers) {
      for (i32 i = 0; i < kStripNumbers; ++i) to[i] = tiles[column][from + i];
    }
  }
}

template <class AnyNoise>
ENVPOOL_ALWAYS_INLINE void draw_tiles(const State& s, const Lights& lights, const Art& art, const AnyNoise& noise,
                                      f32* image) {
  const DrawnThings things(s);
  const Daylight daylight(s);
  Tile own[kColumns], kept[kBlocks];  // tiles of a row, and of blocks, as most are drawn more than once
  const f32* tiles[kColumns];
  u64 drawn = 0;  // a bit for each block
  for (i32 row = 0; row < kRows; ++row) {
    for (i32 column = 0; column < kColumns; ++column) {
      const i32 cell = row * kColumns + column;
      const CellView view = cell_view(s, lights, things, cell);
      const bool whole = view.is_whole_block() && !daylight.noisy();
      if (whole && daylight.changes_nothing()) {
        tiles[column] = art.whole_block[view.block];
        continue;
      }
      f32* const tile = whole ? kept[view.block] : own[column];
      tiles[column] = tile;
      if (whole && (drawn >> view.block & 1) != 0) continue;
      drawn |= u64{whole} << view.block;
      draw_cell<kTilePixels>(view, cell, 0, things, art, daylight, noise, tile);
    }
    put_row(tiles, image, row);
  }
  for (i32 row = 0; row < kSlotRows; ++row) {
    for (i32 column = 0; column < kColumns; ++column) {
      const Slot slot = slot_of(s, row, column);
      tiles[column] = own[column];
      if (slot.is_only_icon()) {
        tiles[column] = art.icon[slot.icon];
      } else {
        draw_slot<kTilePixels>(slot, 0, art, own[column]);
      }
    }
    put_row(tiles, image, kRows + row);
  }
}

#if ENVPOOL_AVX2
// The compiler vectorizes this copy with wider instructions.
template <class AnyNoise>
__attribute__((flatten)) ENVPOOL_SIMD_TARGET void draw_tiles_wide(const State& s, const Lights& lights, const Art& art,
                                                                  const AnyNoise& noise, f32* image) {
  draw_tiles(s, lights, art, noise, image);
}
#endif

// Draws an image, whose pixels have three numbers from 0 to 1.
template <class AnyNoise>
void draw_image(const State& s, const Lights& lights, const Art& art, const AnyNoise& noise, f32* image) {
#if ENVPOOL_AVX2
  if (has_simd()) return draw_tiles_wide(s, lights, art, noise, image);
#endif
  draw_tiles(s, lights, art, noise, image);
}

#endif

}  // namespace envpool::craftax::full
