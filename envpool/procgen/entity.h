// SPDX-License-Identifier: Apache-2.0
//
// Things that come and go in a game: bullets, balls, explosions, walls. Their order decides which one is drawn above
// another, and what is hit first.
#pragma once

#include "envpool/core/math/fdlibm.h"
#include "envpool/procgen/mover.h"

namespace envpool::procgen {

struct Entity {
  f32 x, y, vx, vy;
  f32 half_width, half_height;
  f32 angle;    // clockwise, in radians
  f32 opacity;  // from 0 to 1
  u8 type, picture, theme;
  u8 age;  // in steps, up to the greatest u8
  i16 health;
  u8 period;  // of what it does again and again, or the age at which it does it; 0 is never
  bool gone;  // is removed in this step or the next
};

// How entities of a type change in each step.
struct Change {
  f32 turn = 0, growth = 1, fading = 1;
  i32 life = 0;  // steps; 0 is without end
};

// Explosions have the same numbers in all games, which choose their colours if images are replaced by colours.
enum Explosion : u8 { kExplosion = 54, kLastExplosion = 58, kExplosionPictures = kLastExplosion - kExplosion + 1 };
inline constexpr Change kExplosionChange{.growth = 1.4f, .life = 4};

ENVPOOL_FN Entity new_entity(u8 type, f32 x, f32 y, f32 vx, f32 vy, f32 half_width, f32 half_height, i32 theme = 0) {
  return {x, y, vx, vy, half_width, half_height, 0, 1, type, type, u8(theme), 0, 1, 0, false};
}

// Returns an explosion where an entity is, with the velocity of what was hit.
ENVPOOL_FN Entity explosion_of(const Entity& e, f32 vx, f32 vy) {
  const f32 half = f32(0.5 * e.half_width);
  return new_entity(kExplosion, e.x, e.y, vx, vy, half, half);
}

// Returns the angle of an image that shows to the right, or below if it is drawn with the offset -pi/2, when it faces a
// direction; `before` if there is none.
ENVPOOL_FN f32 faced(f32 before, f32 dx, f32 dy, f32 offset = 0) {
  return dx != 0 || dy != 0 ? -fdlibm::atan2(dy, dx) + offset : before;
}

// Turns, grows and fades an entity, and moves it if `moves`.
ENVPOOL_FN void change(Entity& e, const Change& by, bool moves) {
  if (moves) {
    e.x += e.vx;
    e.y += e.vy;
  }
  e.angle += by.turn;
  e.age = u8(min(e.age + 1, 255));
  e.gone |= by.life > 0 && e.age > by.life;
  if (e.type == kExplosion && e.picture < kLastExplosion) ++e.picture;
  e.half_width *= by.growth;
  e.half_height *= by.growth;
  e.opacity *= by.fading;
}

// Returns whether two things overlap whose half sides are half_width and half_height, as those of an Entity.
template <class A, class B>
ENVPOOL_FN bool touch(const A& a, const B& b) {
  return overlaps(a.x - b.x, a.y - b.y, a.half_width + b.half_width, a.half_height + b.half_height);
}

template <i32 kMost>
struct Entities {
  i32 count;
  Entity at[kMost];

  ENVPOOL_FN Entity* begin() { return at; }
  ENVPOOL_FN Entity* end() { return at + count; }

  ENVPOOL_FN void add(const Entity& e) {
    if (count < kMost) at[count++] = e;
  }

  // Removes what is gone or outside of a world. The others keep their order.
  ENVPOOL_FN void remove(f32 width, f32 height) {
    i32 kept = 0;
    for (i32 i = 0; i < count; ++i) {
      const Entity& e = at[i];
      const bool outside = e.x + e.half_width < 0 || e.y + e.half_height < 0 || e.x - e.half_width > width ||
                           e.y - e.half_height > height;
      if (e.gone || outside) continue;
      if (kept != i) at[kept] = e;
      ++kept;
    }
    count = kept;
  }

  ENVPOOL_FN void repair() {
    keep_within(count, 0, kMost);
    for (Entity& e : *this) {
      keep_bool(e.gone);
      keep_within(e.opacity, 0.0f, 1.0f);
    }
  }
};

// Draws entities by their centres.
template <i32 kPixels>
class EntityPainter {
 public:
  ENVPOOL_FN EntityPainter(const GameParams& p, Canvas<kPixels>& canvas, const View& view)
      : p_(p), canvas_(canvas), view_(view) {}

  // Draws an image, or a rectangle in the colour of a type, if images are replaced by colours.
  ENVPOOL_FN void draw(i32 type, i32 theme, i32 image, f32 x, f32 y, f32 half_width, f32 half_height, f32 angle = 0,
                       f32 opacity = 1) {
    const Rect rect = view_.rect(x - half_width, y + half_height, 2 * half_width, 2 * half_height);
    if (p_.restrict_themes) theme = 0;
    if (p_.use_monochrome_assets) {
      canvas_.fill(rect, color_of(type, theme));
    } else if (angle == 0) {
      canvas_.draw(art_of(p_), art_of(p_).image[image + theme], rect, false, opacity);
    } else {
      canvas_.draw_turned(art_of(p_), art_of(p_).image[image + theme], rect, turn_of(angle), /*reflected=*/false,
                          opacity);
    }
  }
  ENVPOOL_FN void draw(const Entity& e, i32 image) {
    draw(e.picture, e.theme, image, e.x, e.y, e.half_width, e.half_height, e.angle, e.opacity);
  }

 private:
  const GameParams& p_;
  Canvas<kPixels>& canvas_;
  const View& view_;
};

}  // namespace envpool::procgen
