// SPDX-License-Identifier: Apache-2.0
//
// Draws a level: the background, the cells of the world, and what is in front of them.
#pragma once

#include "envpool/procgen/game.h"

namespace envpool::procgen {

// What is drawn: one of the pictures from `picture` on, which `theme` chooses, or if images are replaced by colours,
// the colour of the type and theme.
struct Look {
  i32 picture, type;
  i32 theme = 0;
};
inline constexpr i32 kNoPicture = -1;

// The cells from one to another on each axis.
struct Window {
  i32 left, right, bottom, top;
};

// Returns the cells that a view of `visible` cells around a centre can show, and one more on each side.
ENVPOOL_FN Window window_around(f32 x, f32 y, f32 visible) {
  const f32 margin = f32(visible / 2.0 + 1);
  return {i32(x - margin), i32(x + margin), i32(y - margin), i32(y + margin)};
}

template <i32 kPixels>
class Scene {
 public:
  ENVPOOL_FN Scene(const GameParams& p, Canvas<kPixels>& canvas, const View& view)
      : p_(p), canvas_(canvas), view_(view) {}

  // Clears the image and draws the background of a world of width * height cells; `part` chooses a part of it.
  ENVPOOL_FN void background(i32 picture, i32 width, i32 height, f32 part) {
    canvas_.fill({0, 0, kPixels, kPixels}, kBlack);
    if (p_.use_backgrounds) draw_background(canvas_, art_of(p_), art_of(p_).image[picture], view_, width, height, part);
  }

  // Draws an object by its centre.
  ENVPOOL_FN void object(Look look, f32 x, f32 y, f32 half_width, f32 half_height, bool reflected = false,
                         f32 opacity = 1) {
    rect(look, view_.rect(x - half_width, y + half_height, 2 * half_width, 2 * half_height), reflected, opacity);
  }
  ENVPOOL_FN void rect(Look look, Rect r, bool reflected = false, f32 opacity = 1) {
    if (p_.restrict_themes) look.theme = 0;
    if (p_.use_monochrome_assets) {
      canvas_.fill(r, color_of(look.type, look.theme));
    } else {
      canvas_.draw(art_of(p_), art_of(p_).image[look.picture + look.theme], r, reflected, opacity);
    }
  }

  // Draws the cells of a window, at most kMostCells on each axis. `look_of(x, y)` returns what is in a cell. Pictures
  // of the size of `usual` are drawn fastest.
  template <i32 kMostCells, class LookOf>
  ENVPOOL_FN void cells(const Window& w, i32 usual_picture, LookOf&& look_of) {
    const Art& art = art_of(p_);
    const Image usual = art.image[usual_picture];
    const auto cell = [&](i32 i, i32 k) { return view_.rect(f32(i), f32(k + 1), 1, 1, kCellMargin); };
    using Spans = CellSpans<kMostCells, kPixels>;
    const Spans across(usual.width, w.left, w.right, [&](i32 i) { return Extent{cell(i, 0).x, cell(i, 0).width}; });
    const Spans down(usual.height, w.bottom, w.top, [&](i32 k) { return Extent{cell(0, k).y, cell(0, k).height}; });
    for (i32 i = w.left; i <= w.right; ++i) {
      for (i32 k = w.bottom; k <= w.top; ++k) {
        const Look look = look_of(i, k);
        if (look.picture == kNoPicture) continue;
        const Image image = art.image[look.picture + (p_.restrict_themes ? 0 : look.theme)];
        if (p_.use_monochrome_assets || image.width != usual.width || image.height != usual.height) {
          rect(look, cell(i, k));
        } else {
          canvas_.draw_cell(art, image, across, i, down, k);
        }
      }
    }
  }

 private:
  const GameParams& p_;
  Canvas<kPixels>& canvas_;
  const View& view_;
};

}  // namespace envpool::procgen
