// SPDX-License-Identifier: Apache-2.0
//
// Draws plain images of Craftax-Classic on the host: the view, darker at night, and below it what the player has.
#pragma once

#include "envpool/core/api.h"
#include "envpool/craftax/view.h"

#if ENVPOOL_HOST

#include "envpool/core/canvas.h"

namespace envpool::craftax {

inline constexpr i32 kTile = 24, kPictureRows = kRows + 2;  // pixels of a block; rows of blocks, with two of numbers

inline void describe_picture(Spec& s) {
  s.render_height = kPictureRows * kTile;
  s.render_width = kColumns * kTile;
  s.render_fps = 8;
}

inline void draw_picture(const State& s, u8* rgb) {
  using drawing::Color;
  constexpr Color kColors[kBlocks] = {
      {0, 0, 0},      {60, 60, 60},    {104, 168, 72}, {60, 110, 200},  {130, 130, 130}, {30, 96, 40},
      {150, 110, 60}, {180, 160, 130}, {50, 50, 54},   {206, 160, 120}, {220, 240, 250}, {140, 84, 36},
      {90, 90, 100},  {226, 210, 150}, {226, 90, 20},  {150, 210, 80},  {230, 70, 130}};
  constexpr Color kItemColors[kItems] = {{150, 110, 60}, {130, 130, 130}, {50, 50, 54},    {206, 160, 120},
                                         {90, 180, 220}, {104, 168, 72},  {150, 110, 60},  {130, 130, 130},
                                         {206, 120, 80}, {150, 110, 60},  {130, 130, 130}, {206, 120, 80}};
  constexpr Color kNeedColors[] = {{208, 60, 60}, {214, 140, 60}, {60, 110, 200}, {220, 200, 60}};
  drawing::Canvas canvas(rgb, kColumns * kTile, kPictureRows * kTile);
  const auto left = [](i32 column) { return f64(column * kTile) - 0.5; };
  const auto bottom = [](i32 row) { return f64((kPictureRows - 1 - row) * kTile) - 0.5; };
  const auto middle = [&](i32 row, i32 column) {
    return drawing::Point{left(column) + kTile / 2.0, bottom(row) + kTile / 2.0};
  };
  for_view(s, [&](i32 row, i32 column, u8 block) {
    canvas.box(left(column), bottom(row), left(column) + kTile, bottom(row) + kTile,
               kColors[min<i32>(block, kBlocks - 1)]);
  });
  for_things(s, [&](i32 kind, i32 row, i32 column, bool shown) {
    constexpr Color kMobColors[] = {{60, 120, 70}, {110, 76, 60}, {226, 226, 216}, {240, 240, 240}};
    if (!shown) return;
    const drawing::Point at = middle(row, column);
    canvas.disc(at.x, at.y, kTile * (kind == 3 ? 0.15 : 0.4), kMobColors[kind]);
    if (kind < 3) canvas.disc(at.x, at.y, kTile * 0.12, kind == 1 ? Color{240, 200, 200} : Color{20, 20, 20});
  });
  const drawing::Point player = middle(kRows / 2, kColumns / 2);
  const Place front = step_of(s.direction);
  canvas.disc(player.x, player.y, kTile * 0.4, {208, 74, 52});
  canvas.disc(player.x + front.x * kTile * 0.25, player.y - front.y * kTile * 0.25, kTile * 0.12,
              s.asleep ? Color{80, 40, 40} : Color{255, 255, 255});
  const f32 light = 0.35f + 0.65f * clamp(s.light, 0.0f, 1.0f);
  for (i32 i = 0; i < kRows * kTile * kColumns * kTile * 3; ++i) rgb[i] = u8(f32(rgb[i]) * light);

  i32 slot = 0;
  const auto count = [&](i32 number, Color color) {
    const i32 row = kRows + slot / kColumns, column = slot % kColumns;
    ++slot;
    canvas.box(left(column), bottom(row), left(column) + kTile, bottom(row) + kTile,
               number > 0 ? color : Color{24, 24, 28});
    if (number > 0) canvas.number(middle(row, column).x, bottom(row) + 5, kTile - 10, number, {255, 255, 255});
  };
  count(s.health, kNeedColors[0]);
  count(s.food, kNeedColors[1]);
  count(s.drink, kNeedColors[2]);
  count(s.energy, kNeedColors[3]);
  for (i32 i = 0; i < kItems; ++i) count(s.item[i], kItemColors[i]);
}

}  // namespace envpool::craftax

#endif
