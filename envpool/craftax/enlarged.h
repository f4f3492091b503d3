// SPDX-License-Identifier: Apache-2.0
//
// Rendered images of the environments that observe images: the observation, enlarged.
#pragma once

#include "envpool/core/api.h"

#if ENVPOOL_HOST

namespace envpool::craftax {

// Writes an image whose pixels have three numbers from 0 to 1, `scale` times as large.
inline void enlarge(const f32* image, i32 height, i32 width, i32 scale, u8* rgb) {
  for (i32 y = 0; y < height * scale; ++y) {
    for (i32 x = 0; x < width * scale; ++x) {
      const f32* const pixel = image + (y / scale * width + x / scale) * 3;
      for (i32 channel = 0; channel < 3; ++channel) {
        const f32 color = pixel[channel] * 255 + 0.5f;
        *rgb++ = color > 0 ? u8(min(color, 255.0f)) : u8(0);
      }
    }
  }
}

}  // namespace envpool::craftax

#endif
