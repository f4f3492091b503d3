// SPDX-License-Identifier: Apache-2.0
//
// The images of a game, which are read from an installed package (art.py) and shared by the environments of a pool.
#pragma once

#include "envpool/core/portable.h"

#if ENVPOOL_HOST
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/core/api.h"
#include "envpool/core/huge_pages.h"
#endif

namespace envpool::procgen {

// Returns x * alpha / 255, rounded to the nearest.
ENVPOOL_FN constexpr u32 scaled(u32 x, u32 alpha) {
  const u32 product = x * alpha;
  return (product + (product >> 8) + 128) >> 8;
}

struct Image {
  i32 first;  // of the words of its first row
  i32 width, height;
  i32 words;       // of a row
  i32 colors;      // of a row that has numbers, or 0
  bool is_opaque;  // whether all pixels are
};

// A row of an image: its pixels, or the colours that it has and for each pixel the number of one of them in a byte.
struct ImageRow {
  const u32* words;
  i32 colors;

  ENVPOOL_FN u32 operator[](i32 x) const {
    return words[colors == 0 ? u32(x) : reinterpret_cast<const u8*>(words + colors)[x]];
  }
};

// The images in the order in which Python reads them. Their rows follow. Pixels have alpha, red, green and blue from
// the highest to the lowest byte; colours are premultiplied with alpha.
struct Art {
  static constexpr i32 kMost = 128;  // images

  Image image[kMost];

  ENVPOOL_FN ImageRow row(const Image& image, i32 y) const {
    return {reinterpret_cast<const u32*>(this + 1) + image.first + y * image.words, image.colors};
  }
};

#if ENVPOOL_HOST

// Rows of an image with numbers of colours, which take a quarter of the memory where a row has few colours: backgrounds
// are large, and most of the time that they take is spent on waiting for their pixels.
class NumberedRows {
 public:
  NumberedRows(const u32* pixels, i32 width, i32 height) : width_(width), height_(height), colors_of_(size_t(height)) {
    struct Slot {
      u32 color;
      i32 row, number;
    };
    constexpr u32 kSlots = 1024;
    std::vector<Slot> slots(kSlots, Slot{0, -1, 0});
    numbers_.reserve(size_t(width) * size_t(height));
    for (i32 y = 0; y < height; ++y) {
      std::vector<u32>& colors = colors_of_[size_t(y)];
      for (i32 x = 0; x < width; ++x) {
        const u32 color = pixels[i64{y} * width + x];
        u32 at = color * 0x9E3779B1u >> 22;
        while (slots[at].row == y && slots[at].color != color) at = (at + 1) % kSlots;
        if (slots[at].row != y) {
          if (i32(colors.size()) == kMostColors) return;
          slots[at] = {color, y, i32(colors.size())};
          colors.push_back(color);
        }
        numbers_.push_back(u8(slots[at].number));
      }
      most_ = max(most_, i32(colors.size()));
    }
    is_possible_ = words() < width;
  }

  bool is_possible() const { return is_possible_; }
  i32 colors() const { return most_; }
  i32 words() const { return most_ + (width_ + 3) / 4; }

  void write(u32* out) const {
    for (i32 y = 0; y < height_; ++y, out += words()) {
      const std::vector<u32>& colors = colors_of_[size_t(y)];
      std::copy(colors.begin(), colors.end(), out);
      std::memcpy(out + most_, numbers_.data() + i64{y} * width_, size_t(width_));
    }
  }

 private:
  static constexpr i32 kMostColors = 256;

  i32 width_, height_, most_ = 0;
  bool is_possible_ = false;
  std::vector<u8> numbers_;
  std::vector<std::vector<u32>> colors_of_;
};

// Moves what is in a blob into huge pages, because each row of a large image is in another page. Only Linux does, since
// 6.1, and not on every machine; a refusal costs speed, not correctness.
inline void move_to_huge_pages([[maybe_unused]] Blob& blob) {
#ifdef __linux__
  constexpr int kCollapse = 25;  // MADV_COLLAPSE, which older headers do not have
  const auto begin = reinterpret_cast<std::uintptr_t>(blob.data());
  const std::uintptr_t first = (begin + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const std::uintptr_t end = (begin + blob.size()) / kHugePageBytes * kHugePageBytes;
  if (first >= end) return;
  prefer_huge_pages(reinterpret_cast<void*>(first), end - first);
  (void)madvise(reinterpret_cast<void*>(first), end - first, kCollapse);
#endif
}

// Builds an Art from the option `art`: the images, each as its width and height in four bytes and its RGBA pixels.
// `count` is the number of images that the game needs, of which those from `background` on have no alpha.
inline Blob make_art(std::string_view bytes, i32 count, i32 background) {
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument("art: expected " + std::to_string(count) + " images, got " + what);
  };
  if (bytes.size() > size_t{1} << 30) refuse("more than 1 GiB");
  Art art{};
  std::vector<u32> words, pixels;
  size_t at = 0;
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
    pixels.resize(area);
    u32 all = ~0u;
    for (u32& pixel : pixels) {
      u8 rgba[4];
      std::memcpy(rgba, bytes.data() + at, sizeof(rgba));
      at += sizeof(rgba);
      const u32 alpha = i < background ? rgba[3] : 255;
      pixel = alpha << 24 | scaled(rgba[0], alpha) << 16 | scaled(rgba[1], alpha) << 8 | scaled(rgba[2], alpha);
      all &= pixel;
    }
    const i32 width = i32(size[0]), height = i32(size[1]);
    const i32 first = i32(words.size());
    art.image[i] = {first, width, height, width, 0, all >> 24 == 255};
    if (i >= background) {
      const NumberedRows rows(pixels.data(), width, height);
      if (rows.is_possible()) {
        art.image[i].words = rows.words();
        art.image[i].colors = rows.colors();
        words.resize(words.size() + size_t(rows.words()) * size_t(height));
        rows.write(words.data() + first);
        continue;
      }
    }
    words.insert(words.end(), pixels.begin(), pixels.end());
  }
  if (at != bytes.size()) refuse(std::to_string(bytes.size() - at) + " more bytes");
  Blob blob(sizeof(Art) + sizeof(u32) * words.size());
  std::memcpy(new (blob.data()) Art{art} + 1, words.data(), sizeof(u32) * words.size());
  move_to_huge_pages(blob);
  return blob;
}

#endif

}  // namespace envpool::procgen
