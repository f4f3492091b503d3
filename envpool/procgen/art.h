// SPDX-License-Identifier: Apache-2.0
//
// The images of a game, which are read from an installed package (art.py) and shared by the environments of a pool.
#pragma once

#include "envpool/core/portable.h"

#if ENVPOOL_HOST
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "envpool/core/api.h"
#endif

namespace envpool::procgen {

// Returns x * alpha / 255, rounded to the nearest.
ENVPOOL_FN constexpr u32 scaled(u32 x, u32 alpha) {
  const u32 product = x * alpha;
  return (product + (product >> 8) + 128) >> 8;
}

struct Image {
  i32 first;  // of its pixels
  i32 width, height;
};

// The images in the order in which Python reads them. The pixels follow, row by row, with alpha, red, green and blue
// from the highest to the lowest byte; colours are premultiplied with alpha.
struct Art {
  static constexpr i32 kMost = 128;  // images

  Image image[kMost];

  ENVPOOL_FN const u32* pixels() const { return reinterpret_cast<const u32*>(this + 1); }
};

#if ENVPOOL_HOST

// Builds an Art from the option `art`: the images, each as its width and height in four bytes and its RGBA pixels.
// `count` is the number of images that the game needs, of which those from `background` on have no alpha.
inline Blob make_art(std::string_view bytes, i32 count, i32 background) {
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument("art: expected " + std::to_string(count) + " images, got " + what);
  };
  if (bytes.size() > size_t{1} << 30) refuse("more than 1 GiB");
  const size_t pixels = bytes.size() / 4 < size_t(2 * count) ? 0 : bytes.size() / 4 - size_t(2 * count);
  Blob blob(sizeof(Art) + 4 * pixels);
  Art& art = *new (blob.data()) Art{};
  u32* const out = reinterpret_cast<u32*>(&art + 1);
  size_t at = 0, first = 0;
  for (i32 i = 0; i < count; ++i) {
    u32 size[2];
    if (bytes.size() - at < sizeof(size)) refuse(std::to_string(i));
    std::memcpy(size, bytes.data() + at, sizeof(size));
    at += sizeof(size);
    const u64 area = u64{size[0]} * size[1];
    constexpr u32 kMostPixels = 1 << 14;
    if (size[0] == 0 || size[1] == 0 || size[0] > kMostPixels || size[1] > kMostPixels) {
      refuse("one of " + std::to_string(size[0]) + " x " + std::to_string(size[1]) + " pixels");
    }
    if ((bytes.size() - at) / 4 < area) refuse(std::to_string(i) + " and a part of one");
    art.image[i] = {i32(first), i32(size[0]), i32(size[1])};
    for (u64 k = 0; k < area; ++k, at += 4) {
      u8 rgba[4];
      std::memcpy(rgba, bytes.data() + at, sizeof(rgba));
      const u32 alpha = i < background ? rgba[3] : 255;
      out[first++] = alpha << 24 | scaled(rgba[0], alpha) << 16 | scaled(rgba[1], alpha) << 8 | scaled(rgba[2], alpha);
    }
  }
  if (at != bytes.size()) refuse(std::to_string(bytes.size() - at) + " more bytes");
  return blob;
}

#endif

}  // namespace envpool::procgen
