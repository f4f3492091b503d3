// SPDX-License-Identifier: Apache-2.0
//
// Draws plain images of Craftax on the host: the view, darker at night, and below it what the player has.
#pragma once

#include "envpool/core/api.h"
#include "envpool/craftax/full/view.h"

#if ENVPOOL_HOST

#include "envpool/core/canvas.h"

namespace envpool::craftax::full {

inline constexpr i32 kTile = 24, kPictureRows = kRows + 3;  // pixels of a block; rows of blocks, with three of numbers

inline void describe_picture(Spec& s) {
  s.render_height = kPictureRows * kTile;
  s.render_width = kColumns * kTile;
  s.render_fps = 8;
}

inline drawing::Color color_of(u8 block) {
  constexpr drawing::Color kColors[kBlocks] = {
      {0, 0, 0},       {60, 60, 60},    {104, 168, 72},  {60, 110, 200},  {130, 130, 130}, {30, 96, 40},
      {150, 110, 60},  {180, 160, 130}, {50, 50, 54},    {206, 160, 120}, {220, 240, 250}, {140, 84, 36},
      {90, 90, 100},   {226, 210, 150}, {226, 90, 20},   {150, 210, 80},  {230, 70, 130},  {84, 74, 84},
      {16, 14, 18},    {70, 92, 70},    {110, 104, 96},  {40, 80, 220},   {210, 30, 50},   {200, 150, 30},
      {120, 190, 230}, {176, 96, 56},   {214, 234, 240}, {150, 146, 140}, {120, 50, 30},   {160, 200, 220},
      {170, 50, 30},   {80, 140, 210},  {120, 40, 140},  {100, 100, 96},  {108, 104, 92},  {96, 100, 106},
      {220, 80, 220}};
  return kColors[min<i32>(block, kBlocks - 1)];
}

class Picture {
 public:
  Picture(const State& s, u8* rgb) : s_(s), rgb_(rgb), canvas_(rgb, kColumns * kTile, kPictureRows * kTile) {}

  void draw() {
    for (i32 i = 0; i < kPictureRows * kTile * kColumns * kTile * 3; ++i) rgb_[i] = 0;
    for_view(s_, [&](i32 row, i32 column, u8 cell) {
      box(row, column, color_of(block_of(cell)));
      draw_thing(row, column, thing_of(cell));
    });
    for_things(s_, [&](i32 kind, i32 type, i32 row, i32 column, bool shown) {
      if (shown) draw_mob(row, column, kind, type);
    });
    draw_player();
    // It is dark at night in the overworld only.
    const f32 light = s_.level == kOverworld ? 0.35f + 0.65f * clamp(s_.light, 0.0f, 1.0f) : 1.0f;
    for (i32 i = 0; i < kRows * kTile * kColumns * kTile * 3; ++i) rgb_[i] = u8(f32(rgb_[i]) * light);
    draw_numbers();
  }

 private:
  using Color = drawing::Color;

  static f64 left(i32 column) { return f64(column * kTile) - 0.5; }
  static f64 bottom(i32 row) { return f64((kPictureRows - 1 - row) * kTile) - 0.5; }
  static drawing::Point middle(i32 row, i32 column) { return {left(column) + kTile / 2.0, bottom(row) + kTile / 2.0}; }
  void box(i32 row, i32 column, Color color) {
    canvas_.box(left(column), bottom(row), left(column) + kTile, bottom(row) + kTile, color);
  }

  void draw_thing(i32 row, i32 column, u8 thing) {
    if (thing == kNothing) return;
    const drawing::Point at = middle(row, column);
    if (thing == kTorch) return canvas_.disc(at.x, at.y, kTile * 0.15, {255, 200, 60});
    const Color color = thing == kLadderUp ? Color{250, 240, 200} : Color{60, 36, 16};
    for (i32 bar = -1; bar <= 1; ++bar) {
      canvas_.box(at.x - kTile * 0.3, at.y + bar * 6 - 1.5, at.x + kTile * 0.3, at.y + bar * 6 + 1.5, color);
    }
  }
  void draw_mob(i32 row, i32 column, i32 kind, i32 type) {
    constexpr Color kKinds[] = {{60, 120, 70}, {110, 76, 60}, {226, 226, 216}, {240, 240, 240}, {255, 240, 120}};
    const drawing::Point at = middle(row, column);
    canvas_.disc(at.x, at.y, kTile * (kind >= 3 ? 0.15 : 0.4), kKinds[kind]);
    if (kind >= 3) return;
    const Color eye{u8(30 * type), u8(20 + 10 * type), u8(255 - 30 * type)};
    canvas_.disc(at.x, at.y, kTile * 0.15, eye);
  }
  void draw_player() {
    const drawing::Point at = middle(kRows / 2, kColumns / 2);
    const Place front = step_of(s_.direction);
    canvas_.disc(at.x, at.y, kTile * 0.4, {208, 74, 52});
    canvas_.disc(at.x + front.x * kTile * 0.25, at.y - front.y * kTile * 0.25, kTile * 0.12,
                 s_.asleep || s_.resting ? Color{80, 40, 40} : Color{255, 255, 255});
  }

  void draw_numbers() {
    constexpr Color kNeeds[] = {{208, 60, 60}, {214, 140, 60}, {60, 110, 200}, {220, 200, 60}, {150, 80, 220}};
    constexpr Color kItemColors[kItems] = {{150, 110, 60},  {130, 130, 130}, {50, 50, 54},  {206, 160, 120},
                                           {90, 180, 220},  {40, 80, 220},   {210, 30, 50}, {104, 168, 72},
                                           {220, 160, 40},  {180, 180, 170}, {120, 60, 30}, {150, 150, 150},
                                           {170, 170, 190}, {150, 90, 50}};
    constexpr Color kPotionColors[kPotions] = {{210, 50, 50},   {60, 170, 70},  {60, 90, 220},
                                               {230, 120, 190}, {60, 190, 200}, {220, 200, 60}};
    count(i32(s_.health), kNeeds[0]);
    count(s_.food, kNeeds[1]);
    count(s_.drink, kNeeds[2]);
    count(s_.energy, kNeeds[3]);
    count(s_.mana, kNeeds[4]);
    count(s_.experience, {90, 140, 90});
    count(s_.level, {70, 70, 70});
    for (i32 i = 0; i < kItems; ++i) count(s_.item[i], kItemColors[i]);
    for (i32 i = 0; i < kPotions; ++i) count(s_.potion[i], kPotionColors[i]);
    for (u8 armour : s_.armour) count(armour, {120, 120, 140});
  }
  void count(i32 number, Color color) {
    const i32 row = kRows + slot_ / kColumns, column = slot_ % kColumns;
    ++slot_;
    box(row, column, number > 0 ? color : Color{24, 24, 28});
    if (number > 0) canvas_.number(middle(row, column).x, bottom(row) + 5, kTile - 10, number, {255, 255, 255});
  }

  const State& s_;
  u8* rgb_;
  drawing::Canvas canvas_;
  i32 slot_ = 0;
};

inline void draw_picture(const State& s, u8* rgb) { Picture(s, rgb).draw(); }

}  // namespace envpool::craftax::full

#endif
