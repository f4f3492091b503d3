// SPDX-License-Identifier: Apache-2.0
//
// The textures of the package craftax, from which the images of both games are made: 16 by 16 RGBA pixels each, in the
// order in which Python reads them (textures.py).
#pragma once

#include "envpool/core/portable.h"

#if ENVPOOL_HOST

#include <stdexcept>
#include <string>
#include <string_view>

#include "envpool/core/table/spec.h"

namespace envpool::craftax {

inline void declare_textures(OptionSpecs& o) {
  o.text("textures", "",
         "The RGBA pixels of the textures in the order of envpool/craftax/textures.py; if empty, they come from the "
         "package craftax.")
      .changes_blob();
}

class Textures {
 public:
  static constexpr i32 kSize = 16;

  Textures(std::string_view bytes, i32 count) : bytes_(bytes) {
    const size_t expected = size_t(count) * kSize * kSize * 4;
    if (bytes.size() != expected) {
      throw std::invalid_argument("textures: expected " + std::to_string(expected) + " bytes, got " +
                                  std::to_string(bytes.size()));
    }
  }
  // Returns a channel of a pixel, where 3 is the opacity, of a texture that is reduced to `size` rows of `size` pixels.
  i32 get(i32 texture, i32 size, i32 y, i32 x, i32 channel) const {
    return u8(bytes_[size_t(((texture * kSize + nearest(y, size)) * kSize + nearest(x, size)) * 4 + channel)]);
  }
  bool is_opaque(i32 texture, i32 size, i32 y, i32 x) const { return get(texture, size, y, x, 3) == 255; }

 private:
  // Returns the row or column that is nearest to one of `size`. Steps are added one by one, because Pillow's sum has
  // the same rounding errors: with a size of 7, the middle is slightly below 8.
  static i32 nearest(i32 i, i32 size) {
    const f64 step = f64{kSize} / size;
    f64 at = 0.5 * step;
    for (; i > 0; --i) at += step;
    return i32(at);
  }

  std::string_view bytes_;
};

}  // namespace envpool::craftax

#endif
