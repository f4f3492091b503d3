// SPDX-License-Identifier: Apache-2.0
//
// Dodgeball: the sizes of things in each mode, and how a level is made: rooms are divided by walls, again and again.
#pragma once

#include "envpool/procgen/entity.h"

namespace envpool::procgen::dodgeball {

inline constexpr i32 kMostWalls = 16, kMostEnemies = 19, kEnemyThemes = 11, kUsedEnemyThemes = 7, kBackgrounds = 9;
inline constexpr i32 kMostThings = 72;  // 8 balls of the agent, and of each enemy 2 balls and a cloud of dust
inline constexpr f32 kEnemySpeed = 0.05f;

struct Sizes {
  f32 cells;                     // of the world's sides
  f32 agent, exit, enemy, ball;  // half sides
  f32 wall;                      // half of the thickness
  f32 ball_speed, agent_speed;
  i32 walls, more_enemies;
};

ENVPOOL_FN constexpr Sizes sizes_of(Mode mode) {
  constexpr f32 kWall = 0.3f, kThickerWall = f32(kWall * 1.5);
  switch (mode) {
    case kEasy: return {20, 1, 1.5f, 1, 0.5f, 2 * kWall, 0.5f, 0.75f, 2, 3};
    case kExtreme: return {20, 0.4f, 0.75f, 0.5f, 0.25f, kWall, 0.25f, 0.25f, 8, 3};
    case kMemory: return {40, 0.75f, 0.75f, 0.75f, 0.375f, kThickerWall, 0.375f, 0.5f, 16, 16};
    default: return {20, 0.75f, 0.75f, 0.75f, 0.375f, kThickerWall, 0.375f, 0.5f, 4, 3};
  }
}

// The place of a centre, and half of the sides.
struct Body {
  f32 x, y, half_width, half_height;
};

struct Enemy {
  Mover body;
  f32 angle;
  i32 steps;  // until it chooses another direction
  i32 last_shot;
  bool gone;
};

struct State {
  Level level;
  Mover agent;
  f32 agent_angle;
  f32 background_part;
  i32 last_move;  // of the agent, also of the episode before
  i32 last_shot;
  i32 seen_enemies;  // at the end of the last step
  i32 walls, enemies;
  u8 background, enemy_theme;
  Body exit;
  Body wall[kMostWalls];
  Enemy enemy[kMostEnemies];
  Entities<kMostThings> things;
  Twister random;
};

ENVPOOL_FN void choose_direction(Enemy& enemy, Twister& random) {
  const f32 speed = kEnemySpeed * f32(random.below(2) * 2 - 1);
  const bool sideways = random.below(2) == 0;
  enemy.body.vx = sideways ? speed : 0;
  enemy.body.vy = sideways ? 0 : speed;
  enemy.steps = random.below(50) + 25;
}

class LevelMaker {
 public:
  ENVPOOL_FN LevelMaker(State& s, const GameParams& p) : s_(s), random_(s.random), sizes_(sizes_of(p.mode)) {
    random_.seed(u32(s.level.seed));
  }

  ENVPOOL_FN void make() {
    constexpr f32 kHalf = 0.4f;  // of the agent while its first place is drawn
    s_.background_part = random_.unit();
    s_.background = u8(random_.below(kBackgrounds));
    s_.agent.x = random_.unit() * (sizes_.cells - 2 * kHalf) + kHalf;
    s_.agent.y = random_.unit() * (sizes_.cells - 2 * kHalf) + kHalf;
    s_.agent.vx = s_.agent.vy = s_.agent_angle = 0;
    s_.last_shot = s_.things.count = s_.walls = s_.enemies = 0;
    divide();
    place_exit();
    place_agent();
    s_.seen_enemies = random_.below(sizes_.more_enemies + 1) + 3;
    for (i32 i = 0; i < s_.seen_enemies; ++i) place_enemy();
    s_.enemy_theme = u8(random_.below(kUsedEnemyThemes));
    for (i32 i = 0; i < s_.enemies; ++i) {
      Enemy& enemy = s_.enemy[i];
      choose_direction(enemy, random_);
      enemy.angle = faced(0, enemy.body.vx, enemy.body.vy);
      enemy.last_shot = 10;
      enemy.gone = false;
    }
  }

 private:
  struct Room {
    f32 x, y, width, height;
  };
  static constexpr i32 kMostRooms = 2 * kMostWalls + 1;

  // Divides rooms by walls until there are enough walls, or no room is large enough.
  ENVPOOL_FN void divide() {
    smallest_side_ = f32(4 * sizes_.agent + 2 * sizes_.wall + 0.5);
    smallest_room_ = f32(sizes_.agent * 8 + 0.5);
    rooms_ = 1;
    room_[0] = {0, 0, sizes_.cells, sizes_.cells};
    for (i32 i = 0; i < sizes_.walls && rooms_ > 0; ++i) {
      const i32 chosen = random_.below(rooms_);
      const Room room = room_[chosen];
      --rooms_;
      for (i32 k = chosen; k < rooms_; ++k) room_[k] = room_[k + 1];
      split(room);
    }
  }

  // Builds a wall into the middle of a room, from one of its sides on, and adds the three rooms around it.
  ENVPOOL_FN void split(const Room& room) {
    bool sideways = random_.unit() < 0.5;
    const bool first_side = random_.unit() < 0.5;
    if (room.width < smallest_room_) sideways = false;
    if (room.height < smallest_room_) sideways = true;
    const f32 gap = f32(0.25 * (random_.below(3) + 1)), part = 1 - gap;
    const auto wall = [&](f32 x, f32 y, f32 half_width, f32 half_height) {
      if (s_.walls < kMostWalls) s_.wall[s_.walls++] = {x, y, half_width, half_height};
    };
    // Along the wall, and across it.
    const f32 start = sideways ? room.x : room.y, length = sideways ? room.width : room.height;
    const f32 across = sideways ? room.y : room.x, depth = sideways ? room.height : room.width;
    const f32 from = first_side ? start : start + (1 - part) * length, wall_length = part * length;
    const f32 rest = first_side ? start + part * length : start;
    const f32 next = depth / 2 - sizes_.wall, beyond = across + depth / 2 + sizes_.wall;
    if (sideways) {
      wall(from + wall_length / 2, across + depth / 2, wall_length / 2, sizes_.wall);
      add({from, across, wall_length, next});
      add({from, beyond, wall_length, next});
      add({rest, across, length - wall_length, depth});
    } else {
      wall(across + depth / 2, from + wall_length / 2, sizes_.wall, wall_length / 2);
      add({across, from, next, wall_length});
      add({beyond, from, next, wall_length});
      add({across, rest, depth, length - wall_length});
    }
  }

  ENVPOOL_FN void add(const Room& room) {
    const bool large = (room.width >= smallest_room_ || room.height >= smallest_room_) &&
                       room.width >= smallest_side_ && room.height >= smallest_side_;
    if (large && rooms_ < kMostRooms) room_[rooms_++] = room;
  }

  // Returns a place of a centre between `low` and `high`.
  ENVPOOL_FN f32 place_between(f32 half, f32 low, f32 high) {
    if (high - low <= 2 * half) return (high + low) / 2;
    const f32 range = high - low;
    return (range - 2 * half) * random_.unit() + half + low;
  }

  // Places a body in a rectangle where it touches no other, if it is found in 100 tries.
  ENVPOOL_FN void place(Body& body, f32 x, f32 y, f32 width, f32 height, i32 bodies) {
    constexpr i32 kTries = 100;
    bool free = false;
    for (i32 i = 0; i <= kTries && !free; ++i) {
      body.x = place_between(body.half_width, x, x + width);
      body.y = place_between(body.half_height, y, y + height);
      free = !touches_any(body, bodies);
    }
  }
  // Returns whether a body touches the agent, a wall, or one of the first `bodies` of the exit and the enemies.
  ENVPOOL_FN bool touches_any(const Body& body, i32 bodies) const {
    bool touches = touch(body, agent()) || touches_walls(body) || (bodies > 0 && touch(body, s_.exit));
    for (i32 i = 0; i < bodies - 1; ++i) {
      const Mover& enemy = s_.enemy[i].body;
      touches = touches || touch(body, Body{enemy.x, enemy.y, sizes_.enemy, sizes_.enemy});
    }
    return touches;
  }
  ENVPOOL_FN bool touches_walls(const Body& body) const {
    bool touches = false;
    for (i32 i = 0; i < s_.walls; ++i) touches = touches || touch(body, s_.wall[i]);
    return touches;
  }
  ENVPOOL_FN Body agent() const { return {s_.agent.x, s_.agent.y, sizes_.agent, sizes_.agent}; }

  ENVPOOL_FN void place_exit() {
    const f32 half = sizes_.exit, side = 2 * half, cells = sizes_.cells;
    s_.exit = {0, 0, half, half};
    switch (random_.below(4)) {
      case 0: place(s_.exit, 0, 0, cells, side, 0); break;
      case 1: place(s_.exit, 0, cells - side, cells, side, 0); break;
      case 2: place(s_.exit, 0, 0, side, cells, 0); break;
      default: place(s_.exit, cells - side, 0, side, cells, 0);
    }
  }

  ENVPOOL_FN void place_agent() {
    constexpr i32 kTries = 100;
    bool free = false;
    for (i32 i = 0; i < kTries && !free; ++i) {
      s_.agent.x = random_.unit() * (sizes_.cells - 2 * sizes_.agent) + sizes_.agent;
      s_.agent.y = random_.unit() * (sizes_.cells - 2 * sizes_.agent) + sizes_.agent;
      free = !touches_walls(agent()) && !touch(agent(), s_.exit);
    }
  }

  ENVPOOL_FN void place_enemy() {
    if (s_.enemies == kMostEnemies) return;
    Body body{0, 0, sizes_.enemy, sizes_.enemy};
    place(body, 0, 0, sizes_.cells, sizes_.cells, 1 + s_.enemies);
    s_.enemy[s_.enemies++].body = {body.x, body.y, 0, 0};
  }

  State& s_;
  Twister& random_;
  Sizes sizes_;
  f32 smallest_side_, smallest_room_;
  i32 rooms_;
  Room room_[kMostRooms];
};

}  // namespace envpool::procgen::dodgeball
