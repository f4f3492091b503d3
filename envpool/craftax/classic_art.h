// SPDX-License-Identifier: Apache-2.0
//
// What the images of Craftax-Classic are made of: tiles of 7 by 7 pixels for blocks, mobs, arrows, the player and the
// inventory, and where the noise of a night is seen. It is computed once, from textures of 16 by 16 pixels, and shared
// by all environments of a pool.
#pragma once

#include "envpool/craftax/textures.h"
#include "envpool/craftax/view.h"

#if ENVPOOL_HOST
#include <new>
#include <string_view>
#include <utility>

#include "envpool/core/table/spec.h"
#endif

namespace envpool::craftax {

inline constexpr i32 kTileSide = 7, kTilePixels = kTileSide * kTileSide;
inline constexpr i32 kImageRows = kRows + 2, kImageHeight = kImageRows * kTileSide, kImageWidth = kColumns * kTileSide;

// What is drawn over a block. Arrows follow, in the order of the directions.
enum Sprite : u8 {
  kPlayerLeft,
  kPlayerRight,
  kPlayerUp,
  kPlayerDown,
  kPlayerAsleep,
  kZombieSprite,
  kCowSprite,
  kSkeletonSprite,
  kArrowSprite,
  kSprites = kArrowSprite + 4
};

// The places of the inventory, row by row: 9 columns, of which the last two of the second row are empty.
inline constexpr i32 kSlots = 16, kNeeds = 4;
inline constexpr u8 kItemOfSlot[kSlots - kNeeds] = {kSapling,     kWoodItem,    kStoneItem,   kCoalItem,
                                                    kIronItem,    kDiamondItem, kWoodPickaxe, kStonePickaxe,
                                                    kIronPickaxe, kWoodSword,   kStoneSword,  kIronSword};

struct Art {
  // Channels are apart from each other, so that compilers can vectorize arithmetic on them.
  f32 block[kBlocks][3][kTilePixels];            // from 0 to 255
  f32 sprite[kSprites][3][kTilePixels];          // the same, multiplied by its opacity
  f32 shows_through[kSprites][kTilePixels];      // 1 minus the opacity
  f32 slot[kSlots][kMost + 1][kTilePixels * 3];  // from 0 to 1, by the number that is shown
  f32 noisy[kRows * kColumns][kTilePixels];      // how strong the noise is in the darkest night, from 0 in the middle
};

#if ENVPOOL_HOST

// The textures of the package craftax, in the order in which Python reads them (textures.py).
enum Texture : u8 {
  kBlockTexture,  // the first of one for each block
  kPlayerTexture = kBlockTexture + kBlocks,
  kZombieTexture = kPlayerTexture + 5,
  kCowTexture,
  kSkeletonTexture,
  kArrowTexture,
  kNeedTexture,
  kSaplingTexture = kNeedTexture + kNeeds,
  kToolTexture,
  kDigitTexture = kToolTexture + 6,  // from 1 to 9
  kTextures = kDigitTexture + kMost
};

// Writes the blocks, which cover what is below them.
inline void make_blocks(Art& art, const Textures& textures) {
  for (i32 block = 0; block < kBlocks; ++block) {
    for (i32 channel = 0; channel < 3; ++channel) {
      for (i32 i = 0; i < kTilePixels; ++i) {
        const i32 color = textures.get(kBlockTexture + block, kTileSide, i / kTileSide, i % kTileSide, channel);
        art.block[block][channel][i] = block == kOutOfBounds ? 128.0f : f32(color);
      }
    }
  }
}

// Writes the sprites. The texture of arrows points up; it is flipped for those that fly down or right, and transposed
// for those that fly left or right.
inline void make_sprites(Art& art, const Textures& textures) {
  for (i32 sprite = 0; sprite < kSprites; ++sprite) {
    const i32 arrow = sprite - kArrowSprite;
    const bool flipped = arrow >= 0 && (arrow & 1) != 0, transposed = arrow >= 0 && (arrow & 2) != 0;
    const i32 texture = kPlayerTexture + min<i32>(sprite, kArrowSprite);
    for (i32 i = 0; i < kTilePixels; ++i) {
      i32 y = i / kTileSide, x = i % kTileSide;
      if (transposed) std::swap(y, x);
      if (flipped) y = kTileSide - 1 - y;
      const f32 opaque = f32(textures.get(texture, kTileSide, y, x, 3)) / 255.0f;
      art.shows_through[sprite][i] = 1.0f - opaque;
      for (i32 channel = 0; channel < 3; ++channel) {
        art.sprite[sprite][channel][i] = f32(textures.get(texture, kTileSide, y, x, channel)) * opaque;
      }
    }
  }
}

// Writes the places of the inventory: what is there, unless there are none, and a digit over its lower right part.
inline void make_slots(Art& art, const Textures& textures) {
  constexpr i32 kThingSide = 5, kDigitSide = 4, kDigitAt = 2;
  for (i32 slot = 0; slot < kSlots; ++slot) {
    const i32 item = slot < kNeeds ? -1 : kItemOfSlot[slot - kNeeds];
    constexpr u8 kBlocksOfItems[] = {kWood, kStone, kCoal, kIron, kDiamond};
    const i32 texture = item < 0           ? kNeedTexture + slot
                        : item < kSapling  ? kBlockTexture + kBlocksOfItems[item]
                        : item == kSapling ? i32{kSaplingTexture}
                                           : kToolTexture + item - kWoodPickaxe;
    for (i32 number = 0; number <= kMost; ++number) {
      for (i32 i = 0; i < 3 * kTilePixels; ++i) {
        const i32 channel = i % 3, y = i / 3 / kTileSide, x = i / 3 % kTileSide;
        i32 color = 0;
        if (number > 0 && y < kThingSide && x < kThingSide) {
          // Transparent pixels have a colour, too, which is shown for other things than tools.
          const bool shown = item <= kSapling || textures.is_opaque(texture, kThingSide, y, x);
          if (shown) color = textures.get(texture, kThingSide, y, x, channel);
        }
        const i32 down = y - kDigitAt, across = x - kDigitAt;
        if (number > 0 && u32(down) < u32(kDigitSide) && u32(across) < u32(kDigitSide)) {
          const i32 digit = kDigitTexture + number - 1;
          if (textures.is_opaque(digit, kDigitSide, down, across)) {
            color = textures.get(digit, kDigitSide, down, across, channel);
          }
        }
        art.slot[slot][number][i] = f32(color) / 255.0f;
      }
    }
  }
}

// Writes how strong the noise is: it grows with the distance from the middle, as a bell curve falls.
inline void make_noisy(Art& art) {
  const auto between = [](i32 i, i32 count) { return i * (2.0 / (count - 1)) - 1.0; };  // from -1 to 1
  for (i32 y = 0; y < kRows * kTileSide; ++y) {
    for (i32 x = 0; x < kImageWidth; ++x) {
      const f64 down = between(y, kRows * kTileSide), across = between(x, kImageWidth);
      art.noisy[y / kTileSide * kColumns + x / kTileSide][y % kTileSide * kTileSide + x % kTileSide] =
          f32(1.0 - exp(-0.5 * (down * down + across * across) / 0.25));
    }
  }
}

inline Blob make_art(std::string_view bytes) {
  const Textures textures(bytes, kTextures);
  Blob blob(sizeof(Art));
  Art& art = *new (blob.data()) Art;
  make_blocks(art, textures);
  make_sprites(art, textures);
  make_slots(art, textures);
  make_noisy(art);
  return blob;
}

#endif

}  // namespace envpool::craftax
