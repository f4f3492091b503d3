// SPDX-License-Identifier: Apache-2.0
//
// Draws one image on a canvas, which is not part of any environment's functions. turned_test.py compares the canvas
// with one on which Qt has drawn.
#include <cstring>

#include "envpool/procgen/painter.h"

namespace {

struct OneImage {
  envpool::procgen::Art art;
  envpool::u32 pixels[1 << 20];
};

}  // namespace

extern "C" {

// Draws `count` times on canvases of 64 by 64 pixels. The image has premultiplied pixels, as Art has them. Each
// rectangle has 5 numbers: left, top, width, height and an angle in radians. `turned` chooses the function that draws.
void procgen_draw(const envpool::u32* image, envpool::i32 width, envpool::i32 height, const double* rectangles,
                  int turned, float opacity, envpool::i32 count, envpool::u32* canvases) {
  using namespace envpool::procgen;
  static OneImage one;
  one.art.image[0] = {.first = 0, .width = width, .height = height, .words = width, .colors = 0, .is_opaque = false};
  std::memcpy(one.pixels, image, size_t(width) * size_t(height) * sizeof(*image));
  constexpr envpool::i32 kSide = 64;
  for (envpool::i32 i = 0; i < count; ++i) {
    Canvas<kSide> canvas(Pixels(canvases + i * kSide * kSide, kSide));
    const double* const r = rectangles + 5 * i;
    const Rect rect{r[0], r[1], r[2], r[3]};
    if (turned != 0) {
      canvas.draw_turned(one.art, one.art.image[0], rect, turn_of(float(r[4])), false, opacity);
    } else {
      canvas.draw(one.art, one.art.image[0], rect, false, opacity);
    }
  }
}
}
