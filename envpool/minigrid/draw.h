// SPDX-License-Identifier: Apache-2.0
//
// Draws tiles as the reference does: draws shapes at three times the size of a tile, and scales the result down. Host
// only.
#pragma once

#include <cmath>
#include <map>
#include <vector>

#include "envpool/minigrid/tiles.h"

namespace envpool::minigrid {

inline constexpr i32 kTile = 32;  // the side of a cell in render(), in pixels

struct Rgb {
  u8 red, green, blue;
};

inline Rgb rgb_of(u32 color) {
  constexpr Rgb colors[] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {112, 39, 195}, {255, 255, 0}, {100, 100, 100}};
  return colors[color % kColors];
}
inline Rgb scaled(Rgb color, f64 by) { return {u8(color.red * by), u8(color.green * by), u8(color.blue * by)}; }

// A tile being drawn. Shapes are given in units of its side.
class Tile {
 public:
  static constexpr i32 kSubdivisions = 3;

  explicit Tile(i32 size) : side_(size * kSubdivisions), pixels_(size_t(side_ * side_), Rgb{0, 0, 0}) {}

  template <class Shape>
  void fill(Shape shape, Rgb color) {
    for (i32 y = 0; y < side_; ++y) {
      for (i32 x = 0; x < side_; ++x) {
        if (shape((x + 0.5) / side_, (y + 0.5) / side_)) pixels_[size_t(y * side_ + x)] = color;
      }
    }
  }
  void rect(f64 left, f64 right, f64 top, f64 bottom, Rgb color) {
    fill([=](f64 x, f64 y) { return x >= left && x <= right && y >= top && y <= bottom; }, color);
  }
  void circle(f64 x0, f64 y0, f64 radius, Rgb color) {
    fill([=](f64 x, f64 y) { return (x - x0) * (x - x0) + (y - y0) * (y - y0) <= radius * radius; }, color);
  }
  // The reference computes lines and triangles from corners in single precision.
  void line(f64 x0, f64 y0, f64 x1, f64 y1, f64 radius, Rgb color) {
    const f32 from_x = f32(x0), from_y = f32(y0), across = f32(x1) - from_x, down = f32(y1) - from_y;
    const f32 length = std::sqrt(across * across + down * down), to_x = across / length, to_y = down / length;
    const auto near_line = [=](f64 x, f64 y) {
      if (x < std::min(x0, x1) - radius || x > std::max(x0, x1) + radius) return false;
      if (y < std::min(y0, y1) - radius || y > std::max(y0, y1) + radius) return false;
      f64 along = (x - f64(from_x)) * f64(to_x) + (y - f64(from_y)) * f64(to_y);
      along = std::min(std::max(along, 0.0), f64(length));
      const f64 dx = x - (f64(from_x) + along * f64(to_x)), dy = y - (f64(from_y) + along * f64(to_y));
      return std::sqrt(dx * dx + dy * dy) <= radius;
    };
    fill(near_line, color);
  }
  void agent(i32 direction) {
    const f32 ax = 0.12f, ay = 0.19f, v0x = 0.12f - ax, v0y = 0.81f - ay, v1x = 0.87f - ax, v1y = 0.50f - ay;
    const f32 dot00 = v0x * v0x + v0y * v0y, dot01 = v0x * v1x + v0y * v1y, dot11 = v1x * v1x + v1y * v1y;
    const f32 scale = 1 / (dot00 * dot11 - dot01 * dot01);
    const f64 angle = 0.5 * 3.141592653589793 * direction, cosine = std::cos(-angle), sine = std::sin(-angle);
    const auto inside = [=](f64 x, f64 y) {
      x -= 0.5;
      y -= 0.5;
      const f64 px = 0.5 + x * cosine - y * sine - f64(ax), py = 0.5 + y * cosine + x * sine - f64(ay);
      const f64 dot02 = f64(v0x) * px + f64(v0y) * py, dot12 = f64(v1x) * px + f64(v1y) * py;
      const f64 u = (f64(dot11) * dot02 - f64(dot01) * dot12) * f64(scale);
      const f64 v = (f64(dot00) * dot12 - f64(dot01) * dot02) * f64(scale);
      return u >= 0 && v >= 0 && u + v < 1;
    };
    fill(inside, {255, 0, 0});
  }
  void highlight() {
    for (Rgb& pixel : pixels_) {
      for (u8 Rgb::* part : {&Rgb::red, &Rgb::green, &Rgb::blue}) {
        pixel.*part = u8(pixel.*part + 0.30 * (255 - pixel.*part));
      }
    }
  }
  // Returns a pixel of the tile after scaling down: the mean of the means of groups of three pixels.
  Rgb scaled_down(i32 x, i32 y) const {
    const auto mean = [&](u8 Rgb::* part) {
      f64 rows = 0;
      for (i32 i = 0; i < 3; ++i) {
        f64 row = 0;
        for (i32 k = 0; k < 3; ++k) row += pixels_[size_t((3 * y + i) * side_ + 3 * x + k)].*part;
        rows += row / 3;
      }
      return u8(rows / 3);
    };
    return {mean(&Rgb::red), mean(&Rgb::green), mean(&Rgb::blue)};
  }

 private:
  i32 side_;
  std::vector<Rgb> pixels_;
};

inline void draw_object(Tile& tile, Cell cell) {
  constexpr Rgb black{0, 0, 0};
  const Rgb color = rgb_of(color_of(cell));
  switch (type_of(cell)) {
    case kWall:
    case kGoal: tile.rect(0, 1, 0, 1, color); break;
    case kFloor: tile.rect(0.031, 1, 0.031, 1, scaled(color, 0.5)); break;
    case kLava:
      tile.rect(0, 1, 0, 1, {255, 128, 0});
      for (i32 i = 0; i < 3; ++i) {
        const f64 low = 0.3 + 0.2 * i, high = 0.4 + 0.2 * i;
        tile.line(0.1, low, 0.3, high, 0.03, black);
        tile.line(0.3, high, 0.5, low, 0.03, black);
        tile.line(0.5, low, 0.7, high, 0.03, black);
        tile.line(0.7, high, 0.9, low, 0.03, black);
      }
      break;
    case kDoor:
      if (state_of(cell) == kOpen) {
        tile.rect(0.88, 1.00, 0.00, 1.00, color);
        tile.rect(0.92, 0.96, 0.04, 0.96, black);
      } else if (state_of(cell) == kLocked) {
        tile.rect(0.00, 1.00, 0.00, 1.00, color);
        tile.rect(0.06, 0.94, 0.06, 0.94, scaled(color, 0.45));
        tile.rect(0.52, 0.75, 0.50, 0.56, color);
      } else {
        tile.rect(0.00, 1.00, 0.00, 1.00, color);
        tile.rect(0.04, 0.96, 0.04, 0.96, black);
        tile.rect(0.08, 0.92, 0.08, 0.92, color);
        tile.rect(0.12, 0.88, 0.12, 0.88, black);
        tile.circle(0.75, 0.50, 0.08, color);
      }
      break;
    case kKey:
      tile.rect(0.50, 0.63, 0.31, 0.88, color);
      tile.rect(0.38, 0.50, 0.59, 0.66, color);
      tile.rect(0.38, 0.50, 0.81, 0.88, color);
      tile.circle(0.56, 0.28, 0.190, color);
      tile.circle(0.56, 0.28, 0.064, black);
      break;
    case kBall: tile.circle(0.5, 0.5, 0.31, color); break;
    case kBox:
      tile.rect(0.12, 0.88, 0.12, 0.88, color);
      tile.rect(0.18, 0.82, 0.18, 0.82, black);
      tile.rect(0.16, 0.84, 0.47, 0.53, color);
      break;
    default: break;
  }
}

// Draws the tile of a cell into size * size pixels. If the agent is not in the cell, agent_direction is -1.
inline void draw_tile(u8* rgb, i32 size, Cell cell, i32 agent_direction, bool lit) {
  Tile tile(size);
  const Rgb lines{100, 100, 100};
  tile.rect(0, 0.031, 0, 1, lines);
  tile.rect(0, 1, 0, 0.031, lines);
  draw_object(tile, cell);
  if (agent_direction >= 0) tile.agent(agent_direction);
  if (lit) tile.highlight();
  for (i32 i = 0; i < size * size; ++i) {
    const Rgb pixel = tile.scaled_down(i % size, i / size);
    rgb[3 * i] = pixel.red;
    rgb[3 * i + 1] = pixel.green;
    rgb[3 * i + 2] = pixel.blue;
  }
}

// Draws all tiles of a size, in the order that Tiles expects.
inline void draw_tiles(u8* rgb, i32 size) {
  const Tiles tiles{rgb, size};
  for (u32 type = 0; type <= kLava; ++type) {
    for (i32 color = 0; color < kColors; ++color) {
      for (u32 state = 0; state <= (type == kDoor ? u32{kLocked} : 0); ++state) {
        const Cell cell = object(i32(type), color) | state << 16;
        for (i32 direction = -1; direction < 4; ++direction) {
          for (const bool lit : {false, true}) {
            draw_tile(rgb + tile_number(cell, direction, lit) * tiles.bytes(), size, cell, direction, lit);
          }
        }
      }
    }
  }
}

// The tiles of one image, drawn when they are needed.
struct NeededTiles {
  i32 size = kTile;
  std::map<i32, std::vector<u8>> drawn{};

  const u8* get(Cell cell, i32 agent_direction, bool lit) {
    std::vector<u8>& pixels = drawn[tile_number(cell, agent_direction, lit)];
    if (pixels.empty()) {
      pixels.resize(size_t(3 * size * size));
      draw_tile(pixels.data(), size, cell, agent_direction, lit);
    }
    return pixels.data();
  }
};

}  // namespace envpool::minigrid
