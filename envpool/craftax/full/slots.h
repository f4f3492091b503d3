// SPDX-License-Identifier: Apache-2.0
//
// Draws what the player has: icons, which may be enchanted, with numbers.
#pragma once

#include "envpool/craftax/full/art.h"

namespace envpool::craftax::full {

// A place for an icon below the view.
struct Slot {
  u8 icon;
  u8 digits;  // how many of the number are shown; a first 0 is not shown
  i16 number;
  u8 enchantment, piece;  // kPlain, or what is drawn over the icon

  ENVPOOL_FN bool is_only_icon() const { return number == 0 && enchantment == kPlain; }
};

ENVPOOL_FN Slot icon_slot(i32 icon, bool shown = true) { return {shown ? u8(icon) : u8(kEmptyIcon), 0, 0, kPlain, 0}; }
ENVPOOL_FN Slot counted_slot(i32 icon, i32 number) {
  return {number > 0 ? u8(icon) : u8(kEmptyIcon), 2, i16(number), kPlain, 0};
}
ENVPOOL_FN Slot attribute_slot(i32 icon, i32 number) { return {u8(icon), 1, i16(number), kPlain, 0}; }
ENVPOOL_FN Slot enchanted(Slot slot, u8 enchantment, i32 piece) {
  slot.enchantment = enchantment;
  slot.piece = u8(piece);
  return slot;
}
// A pickaxe or a sword.
ENVPOOL_FN Slot tool_slot(i32 icon, u8 material) { return icon_slot(icon + material - 1, material > 0); }
ENVPOOL_FN Slot armour_slot(const State& s, i32 piece) {
  const u8 material = s.armour[piece];
  const Slot slot = icon_slot(kArmourIcon + kArmours * (material - 1) + piece, material > 0);
  return enchanted(slot, s.armour_enchantment[piece], piece);
}

// Returns what is in the first five columns of the first row.
ENVPOOL_FN Slot need_slot(const State& s, i32 column) {
  if (column == 0) return counted_slot(kHealthIcon, max(i32(s.health), 1));
  const i32 needs[] = {s.food, s.drink, s.energy, s.mana};
  return counted_slot(kFoodIcon + column - 1, needs[column - 1]);
}

ENVPOOL_FN Slot slot_of(const State& s, i32 row, i32 column) {
  const u8 attributes[] = {s.experience, s.dexterity, s.strength, s.intelligence};
  constexpr u8 kItemAt[2][6] = {{kCoalItem, kIronItem, kDiamondItem, kSapphireItem, kRubyItem, kSapling},
                                {kWoodItem, kStoneItem, kTorchItem, kBook}};
  const Slot none = icon_slot(kEmptyIcon);
  switch (column) {
    case 6:
      if (row == 0) return attribute_slot(kEmptyIcon, s.level);
      if (row == 1) return icon_slot(kBowIcon, s.item[kBow] > 0);
      if (row == 3) return none;
      return enchanted(counted_slot(item_icon(kArrowItem), s.item[kArrowItem]),
                       s.item[kArrowItem] > 0 ? s.bow_enchantment : u8(kPlain), kArrowEnchantment);
    case 7: return armour_slot(s, row);
    case 8:
      if (row == 1) return enchanted(tool_slot(kSwordIcon, s.item[kSword]), s.sword_enchantment, kSwordEnchantment);
      return row == 2 ? tool_slot(kPickaxeIcon, s.item[kPickaxe]) : none;
    case 9:
      if (row == 0 && s.experience == 0) return none;
      return attribute_slot(kExperienceIcon + row, attributes[row]);
    case 10: return none;
    default: break;
  }
  if (row == 0) return column < 5 ? need_slot(s, column) : none;
  if (row == 3) return counted_slot(kPotionIcon + column, s.potion[column]);
  if (row == 2 && column >= 4) return icon_slot(kSpellIcon + column - 4, s.learned[column - 4]);
  const u8 item = kItemAt[row - 1][column];
  return counted_slot(item_icon(item), s.item[item]);
}

// Draws the part of a layer that is in the pixels of a slot from `first` on. The layer's corner is at a place.
template <i32 kPixels>
ENVPOOL_FN void cover(const Layer& layer, i32 side, i32 top, i32 left, i32 first, f32* out) {
  for (i32 y = max(top, first / kTileSide); y < min(top + side, (first + kPixels) / kTileSide); ++y) {
    for (i32 x = 0; x < side; ++x) {
      const i32 from = (y - top) * kTileSide + x, to = y * kTileSide + left + x - first;
      if (layer.keeps[from] != 0) continue;
      for (i32 channel = 0; channel < 3; ++channel)
        out[3 * to + channel] = f32(i32(layer.color[channel][from])) / 255.0f;
    }
  }
}

// Draws the pixels of a slot from `first` on.
template <i32 kPixels>
ENVPOOL_FN void draw_slot(const Slot& slot, i32 first, const Art& art, f32* out) {
  constexpr i32 kTop = kTileSide - kDigitSide;
  for (i32 i = 0; i < 3 * kPixels; ++i) out[i] = art.icon[slot.icon][3 * first + i];
  if (slot.number > 0) {
    const i32 last = slot.digits == 1 ? min<i32>(slot.number, kDigits - 1) : slot.number % 10;
    const i32 tens = slot.digits == 1 ? 0 : min<i32>(slot.number / 10, kDigits - 1);
    cover<kPixels>(art.digit[last], kDigitSide, kTop, kTop, first, out);
    if (tens > 0) cover<kPixels>(art.digit[tens], kDigitSide, kTop, kTop - kDigitSide, first, out);
  }
  if (slot.enchantment == kPlain) return;
  cover<kPixels>(art.enchantment[slot.enchantment - 1][slot.piece], kTileSide, 0, 0, first, out);
}

}  // namespace envpool::craftax::full
