// SPDX-License-Identifier: Apache-2.0
//
// What the images of Craftax are made of: tiles of 10 by 10 pixels for blocks, things, mobs, shots, the player and what
// the player has, and where the noise of a night is seen. It is computed once, from textures of 16 by 16 pixels, and
// shared by all environments of a pool.
#pragma once

#include "envpool/craftax/full/view.h"
#include "envpool/craftax/textures.h"

#if ENVPOOL_HOST
#include <new>
#include <string_view>
#include <utility>

#include "envpool/core/table/spec.h"
#endif

namespace envpool::craftax::full {

inline constexpr i32 kTileSide = 10, kTilePixels = kTileSide * kTileSide, kTileNumbers = 3 * kTilePixels;
inline constexpr i32 kSlotRows = 4, kImageRows = kRows + kSlotRows;
inline constexpr i32 kImageHeight = kImageRows * kTileSide, kImageWidth = kColumns * kTileSide;

// What is drawn over a block.
enum Sprite : u8 {
  kTorchSprite,  // things in their order
  kLadderDownSprite,
  kLadderUpSprite,
  kBlockedLadderSprite,
  kPlayerLeft,
  kPlayerRight,
  kPlayerUp,
  kPlayerDown,
  kPlayerAsleep,
  kMeleeSprite,  // by type
  kPassiveSprite = kMeleeSprite + kTypes,
  kRangedSprite = kPassiveSprite + 3,
  kShotSprite = kRangedSprite + kTypes,  // four of each, in the order of the directions up, down, left, right
  kShotSprites = 5,                      // arrow, dagger, fireball, iceball, slimeball
  kSprites = kShotSprite + 4 * kShotSprites
};

// What is drawn to show what the player has.
enum Icon : u8 {
  kHealthIcon,
  kFoodIcon,
  kDrinkIcon,
  kEnergyIcon,
  kManaIcon,
  kItemIcon,                                 // those that are counted, in the order of Item
  kPickaxeIcon = kItemIcon + i32{kPickaxe},  // by what they are made of
  kSwordIcon = kPickaxeIcon + 4,
  kArmourIcon = kSwordIcon + 4,  // four pieces of iron, and four of diamond
  kBowIcon = kArmourIcon + 2 * kArmours,
  kPotionIcon,
  kSpellIcon = kPotionIcon + kPotions,
  kExperienceIcon = kSpellIcon + kSpells,
  kDexterityIcon,
  kStrengthIcon,
  kIntelligenceIcon,
  kEmptyIcon,
  kIcons,
};

ENVPOOL_FN constexpr i32 item_icon(i32 item) { return kItemIcon + item; }

// What is drawn over icons: four pieces of armour, the sword, and arrows, of fire and of ice.
inline constexpr i32 kEnchantable = kArmours + 2, kSwordEnchantment = kArmours, kArrowEnchantment = kArmours + 1;
inline constexpr i32 kIconSide = 8, kDigitSide = 4, kDigits = 10;

// The colours of a tile, from 0 to 255. Channels are apart from each other, so that compilers can vectorize arithmetic
// on them.
using Colors = u8[3][kTilePixels];

// What covers a part of a tile. `keeps` has 255 where what is below is seen, and else 0.
struct Layer {
  u8 keeps[kTilePixels];
  Colors color;  // 0 where what is below is seen
};

struct Art {
  f32 whole_block[kBlocks][kTileNumbers];  // what is seen of blocks by daylight, from 0 to 1
  f32 icon[kIcons][kTileNumbers];          // the same
  Colors block[kBlocks];
  Layer sprite[kSprites];
  Layer enchantment[kOfIce][kEnchantable];
  Layer digit[kDigits];                      // in the upper left corner
  f32 noisy[kRows * kColumns][kTilePixels];  // how strong the noise is in the darkest night, from 0 in the middle to 1
};

#if ENVPOOL_HOST

// The textures of the package craftax, in the order in which Python reads them (textures.py).
enum Texture : u8 {
  kBlockTexture,                             // the first of one for each block
  kSpriteTexture = kBlockTexture + kBlocks,  // those before the shots
  kShotTexture = kSpriteTexture + kShotSprite,
  kDigitTexture = kShotTexture + kShotSprites,
  kNeedTexture = kDigitTexture + kDigits,
  kSaplingTexture = kNeedTexture + 5,
  kBookTexture,
  kPickaxeTexture,  // what follows has the order of Icon
  kSpellTexture = kPickaxeTexture + (kSpellIcon - kPickaxeIcon),
  kExperienceTexture = kSpellTexture,  // the spells have the textures of what they shoot
  kEnchantmentTexture = kExperienceTexture + (kEmptyIcon - kExperienceIcon),
  kTextures = kEnchantmentTexture + kOfIce * kEnchantable
};

inline void make_blocks(Art& art, const Textures& textures) {
  for (i32 block = 0; block < kBlocks; ++block) {
    for (i32 i = 0; i < kTileNumbers; ++i) {
      const i32 pixel = i / 3, channel = i % 3;
      const i32 color = block == kOutOfBounds ? 128
                        : block == kDarkness  ? 0
                                              : textures.get(kBlockTexture + block, kTileSide, pixel / kTileSide,
                                                             pixel % kTileSide, channel);
      art.block[block][channel][pixel] = u8(color);
      art.whole_block[block][i] = f32(color) / 255.0f;
    }
  }
}

// Sets a pixel of a layer to one of a texture that is reduced to `side` rows, or shows what is below.
inline void set_pixel(Layer& layer, i32 pixel, const Textures& textures, i32 texture, i32 side, i32 y, i32 x) {
  const bool inside = u32(y) < u32(side) && u32(x) < u32(side);
  const bool opaque = inside && textures.is_opaque(texture, side, y, x);
  layer.keeps[pixel] = opaque ? 0 : 255;
  for (i32 channel = 0; channel < 3; ++channel) {
    layer.color[channel][pixel] = opaque ? u8(textures.get(texture, side, y, x, channel)) : u8(0);
  }
}

// Writes the sprites. The textures of shots point up; they are flipped for those that fly down or right, and transposed
// for those that fly left or right.
inline void make_sprites(Art& art, const Textures& textures) {
  for (i32 sprite = 0; sprite < kSprites; ++sprite) {
    const i32 shot = sprite - kShotSprite;
    const bool flipped = shot >= 0 && (shot & 1) != 0, transposed = shot >= 0 && (shot & 2) != 0;
    const i32 texture = shot >= 0 ? kShotTexture + shot / 4 : kSpriteTexture + sprite;
    for (i32 i = 0; i < kTilePixels; ++i) {
      i32 y = i / kTileSide, x = i % kTileSide;
      if (transposed) std::swap(y, x);
      if (flipped) y = kTileSide - 1 - y;
      set_pixel(art.sprite[sprite], i, textures, texture, kTileSide, y, x);
    }
  }
}

inline i32 texture_of_icon(i32 icon) {
  constexpr u8 kOfItems[kPickaxe] = {kWood,     kStone, kCoal,           kIron,          kDiamond,
                                     kSapphire, kRuby,  kSaplingTexture, kSpriteTexture, kShotTexture};
  if (icon < kItemIcon) return kNeedTexture + icon;
  if (icon == item_icon(kBook)) return kBookTexture;
  if (icon < kPickaxeIcon) return kOfItems[icon - kItemIcon];
  if (icon < kSpellIcon) return kPickaxeTexture + icon - kPickaxeIcon;
  if (icon < kExperienceIcon) return kShotTexture + 2 + icon - kSpellIcon;
  return kExperienceTexture + icon - kExperienceIcon;
}

// Writes the icons, which have a border of a pixel. The colours of transparent pixels are shown, too, but for arrows,
// tools and armour.
inline void make_icons(Art& art, const Textures& textures) {
  for (i32 icon = 0; icon < kIcons; ++icon) {
    const bool masked = icon == item_icon(kArrowItem) || (icon >= kPickaxeIcon && icon < kBowIcon);
    for (i32 i = 0; i < kTileNumbers; ++i) {
      const i32 y = i / 3 / kTileSide - 1, x = i / 3 % kTileSide - 1;
      i32 color = 0;
      if (icon != kEmptyIcon && u32(y) < u32(kIconSide) && u32(x) < u32(kIconSide)) {
        const i32 texture = texture_of_icon(icon);
        if (!masked || textures.is_opaque(texture, kIconSide, y, x)) {
          color = textures.get(texture, kIconSide, y, x, i % 3);
        }
      }
      art.icon[icon][i] = f32(color) / 255.0f;
    }
  }
}

inline void make_layers(Art& art, const Textures& textures) {
  for (i32 i = 0; i < kTilePixels; ++i) {
    const i32 y = i / kTileSide, x = i % kTileSide;
    for (i32 n = 0; n < kOfIce * kEnchantable; ++n) {
      Layer& layer = art.enchantment[n / kEnchantable][n % kEnchantable];
      set_pixel(layer, i, textures, kEnchantmentTexture + n, kIconSide, y - 1, x - 1);
    }
    for (i32 n = 0; n < kDigits; ++n) set_pixel(art.digit[n], i, textures, kDigitTexture + n, kDigitSide, y, x);
  }
}

// Writes how strong the noise is: it grows with the distance from the middle.
inline void make_noisy(Art& art) {
  const auto distance = [](i32 y, i32 x) {
    const i32 down = y - kRows * kTileSide / 2, across = x - kImageWidth / 2;
    return sqrt(f32(down * down + across * across));
  };
  for (i32 y = 0; y < kRows * kTileSide; ++y) {
    for (i32 x = 0; x < kImageWidth; ++x) {
      art.noisy[y / kTileSide * kColumns + x / kTileSide][y % kTileSide * kTileSide + x % kTileSide] =
          distance(y, x) / distance(0, 0);
    }
  }
}

inline Blob make_art(std::string_view bytes) {
  const Textures textures(bytes, kTextures);
  Blob blob(sizeof(Art));
  Art& art = *new (blob.data()) Art;
  make_blocks(art, textures);
  make_sprites(art, textures);
  make_icons(art, textures);
  make_layers(art, textures);
  make_noisy(art);
  return blob;
}

#endif

}  // namespace envpool::craftax::full
