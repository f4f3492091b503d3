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
    draw_background(canvas_, p_, picture, view_, width, height, part);
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
  // of the size of one of the usual pictures are drawn fastest.
  template <i32 kMostCells, class LookOf, class... Picture>
  ENVPOOL_FN void cells(const Window& w, LookOf&& look_of, Picture... usual_picture) {
    draw_cells(w, look_of, Brush<kMostCells>(art_of(p_).image[usual_picture], view_, w)...);
  }

 private:
  // Draws images of one size in the cells of a window.
  template <i32 kMostCells>
  class Brush {
   public:
    ENVPOOL_FN Brush(const Image& usual, const View& view, const Window& w)
        : width_(usual.width),
          height_(usual.height),
          across_(usual.width, w.left, w.right, [&](i32 i) { return across(view, i); }),
          down_(usual.height, w.bottom, w.top, [&](i32 k) { return down(view, k); }) {}

    // Returns whether the image has the size.
    ENVPOOL_FN bool draw(Canvas<kPixels>& canvas, const Art& art, const Image& image, i32 i, i32 k) const {
      if (image.width != width_ || image.height != height_) return false;
      canvas.draw_cell(art, image, across_, i, down_, k);
      return true;
    }

   private:
    ENVPOOL_FN static Extent across(const View& view, i32 i) {
      const Rect r = cell(view, i, 0);
      return {r.x, r.width};
    }
    ENVPOOL_FN static Extent down(const View& view, i32 k) {
      const Rect r = cell(view, 0, k);
      return {r.y, r.height};
    }

    i32 width_, height_;
    CellSpans<kMostCells, kPixels> across_, down_;
  };

  ENVPOOL_FN static Rect cell(const View& view, i32 i, i32 k) {
    return view.rect(f32(i), f32(k + 1), 1, 1, kCellMargin);
  }

  template <class LookOf, class... Brushes>
  ENVPOOL_FN void draw_cells(const Window& w, LookOf& look_of, const Brushes&... brush) {
    const Art& art = art_of(p_);
    for (i32 i = w.left; i <= w.right; ++i) {
      for (i32 k = w.bottom; k <= w.top; ++k) {
        const Look look = look_of(i, k);
        if (look.picture == kNoPicture) continue;
        const Image& image = art.image[look.picture + (p_.restrict_themes ? 0 : look.theme)];
        const bool is_drawn = !p_.use_monochrome_assets && (... || brush.draw(canvas_, art, image, i, k));
        if (!is_drawn) rect(look, cell(view_, i, k));
      }
    }
  }

  const GameParams& p_;
  Canvas<kPixels>& canvas_;
  const View& view_;
};

}  // namespace envpool::procgen
