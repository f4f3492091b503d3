// SPDX-License-Identifier: Apache-2.0
//
// Heist: an agent takes a gem from a maze with locked doors, which open if it has found their keys.
//
//   Action       i32, 0 to 2 left and down, left, left and up, 3 down, 4 nothing, 5 up, 6 to 8 the same to the right,
//                9 to 14 nothing
//   Observation  u8[3, 64, 64], RGB, of the whole maze; with distribution_mode "memory" of 8 by 8 cells around the
//                agent
//   Reward       10 at the gem
//   Terminated   at the gem
//   Truncated    after 1000 steps
//   Info         prev_level_seed, prev_level_complete, level_seed
//   Reset        a random level: its seed determines the maze, its size and place, the doors, the keys and the gem
//
// The sides of mazes are random odd numbers from 5 to 9 with distribution_mode "easy", 13 with "hard" and 23 with
// "memory". There are up to three doors. Reference: see game.h.
#pragma once

#include "envpool/procgen/heist_level.h"
#include "envpool/procgen/mover.h"
#include "envpool/procgen/walls.h"

namespace envpool::procgen {

struct ProcgenHeist : GameOf<ProcgenHeist> {
  static constexpr const char* kName = "ProcgenHeist";
  static constexpr const char* kModes[] = {"easy", "hard", "memory", "exploration"};
  static constexpr const char* kActionsText = kMoves;
  static constexpr i32 kTimeLimit = 1000, kExplorationSeed = 876640971, kMostCells = heist::kMostSide,
                       kMostDoors = heist::kMostDoors;
  static constexpr i32 kMostThings = 2 * kMostDoors + 1, kBackgrounds = 9;
  static constexpr f32 kSpeed = 0.75f, kHalf = 0.375f, kHalfDoor = 0.5f, kVisible = 8;

  // Types have the reference's numbers, which choose their colours if images are replaced by colours.
  enum Type : u8 { kAgentType = 0, kDoor = 1, kKey = 2, kGem = 9, kWallType = 51 };
  enum Picture : i32 {
    kWallPicture,
    kGemPicture,
    kAgentPicture,
    kKeyPicture,  // the first of one for each door
    kDoorPicture = kKeyPicture + kMostDoors,
    kBackground = kDoorPicture + kMostDoors,
    kPictures = kBackground + kBackgrounds
  };

  struct Thing {
    f32 x, y;
    u8 type, number;  // of a door, and of its key
    bool gone;
  };
  struct State {
    Level level;
    i32 free[kMostCells];           // by row, a bit for each cell
    i32 ties[kTimeLimit / 32 + 1];  // for each step a bit, which decides between directions of equal speed
    Mover agent;
    i32 count, keys;
    Thing thing[kMostThings];
    bool has_key[kMostDoors];
    u8 direction;  // of the agent, as a move
    u8 background;
  };

#if ENVPOOL_HOST
  static u64 identity(const Params& p) { return u64(cells_of(p)); }
  static void state_parts(StateParts<State>& parts) { parts.add("free", &State::free).add("count", &State::count); }
#endif

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 now = clamp(s.level.time + 1, 0, kTimeLimit);
    const i32 move = move_of(action), dx = move / 3 - 1, dy = move % 3 - 1;
    Mover& a = s.agent;
    a.vx = f32(0.9 * (0.5f * a.vx + 0.5f * kSpeed * f32(dx)));
    a.vy = f32(0.9 * (0.5f * a.vy + 0.5f * kSpeed * f32(dy)));
    walk(s, p, agent_sideways(a, (u32(s.ties[now / 32]) >> now % 32 & 1) != 0, dx, dy));
    const bool found = meet(s, p);
    if (move != 4) s.direction = u8(move);
    const StepEnd end = end_step(s.level, p, found ? 10.0f : 0.0f, found, found, kTimeLimit);
    if (end.next_level) make_level(s, p);
    return end.outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    const f32 most = f32(cells_of(p));
    repair_level(s.level);
    keep_within(s.level.time, 0, kTimeLimit);
    repair_mover(s.agent, most);
    keep_within(s.count, 0, kMostThings);
    keep_within(s.keys, 0, kMostDoors);
    for (Thing& thing : s.thing) {
      keep_within(thing.x, 0.0f, most);
      keep_within(thing.y, 0.0f, most);
      keep_within<u8>(thing.number, 0, kMostDoors - 1);
      keep_bool(thing.gone);
    }
    for (bool& has : s.has_key) keep_bool(has);
    keep_within<u8>(s.direction, 0, 8);
    keep_within<u8>(s.background, 0, kBackgrounds - 1);
  }

 private:
  friend GameOf<ProcgenHeist>;

  ENVPOOL_FN static i32 cells_of(const Params& p) { return p.mode == kEasy ? 9 : p.mode == kMemory ? kMostCells : 13; }

  ENVPOOL_FN static bool is_free(const State& s, const Params& p, i32 x, i32 y) {
    const u32 cells = u32(cells_of(p));
    return u32(x) < cells && u32(y) < cells && (u32(s.free[y]) >> x & 1) != 0;
  }

  // The half height of a key or the gem, whose images are as wide as the agent.
  ENVPOOL_FN static f32 half_height(const Params& p, i32 picture, f32 half_width) {
    const Image image = art_of(p).image[picture];
    return half_width / f32(image.width * 1.0 / image.height);
  }
  ENVPOOL_FN static i32 picture_of(const Thing& thing) {
    return thing.type == kDoor  ? kDoorPicture + thing.number
           : thing.type == kKey ? kKeyPicture + thing.number
                                : i32{kGemPicture};
  }
  ENVPOOL_FN static f32 half_width_of(const Thing& thing) { return thing.type == kDoor ? kHalfDoor : kHalf; }
  ENVPOOL_FN static f32 half_height_of(const Params& p, const Thing& thing) {
    return thing.type == kDoor ? kHalfDoor : half_height(p, picture_of(thing), kHalf);
  }

  ENVPOOL_DEVICE_CALL static void make_level(State& s, const Params& p) {
    const i32 cells = cells_of(p);
    constexpr i32 kLeastSide = 5;
    Twister random;
    random.seed(u32(s.level.seed));
    random.bits();  // the part of the background, which is square as the world
    s.background = u8(random.below(kBackgrounds));
    for (i32 i = 0; i < 2; ++i) random.bits();  // a place of the agent, which is not used
    const i32 difficulty = random.below((cells - kLeastSide) / 2 + 1);
    s.keys = min(p.mode == kMemory ? random.below(4) : difficulty + random.below(2), kMostDoors);
    const i32 side = 2 * difficulty + kLeastSide;
    const heist::LockedMaze maze(side, s.keys, random);
    const i32 left = random.below(cells - side + 1), bottom = random.below(cells - side + 1);
    for (i32 y = 0; y < kMostCells; ++y) {
      const i32 row = y - bottom;
      s.free[y] = row >= 0 && row < side ? i32(maze.free_in_row(row) << left) : 0;
    }
    place_things(s, maze, left, bottom, random);
    s.agent = {left + maze.agent().x + 0.5f, bottom + maze.agent().y + 0.5f, 0, 0};
    for (bool& has : s.has_key) has = false;
    s.direction = 4;
    for (i32& word : s.ties) word = 0;
    for (i32 i = 1; i <= kTimeLimit; ++i) {
      // The reference draws a number below 1,000,000 and looks whether it is even.
      s.ties[i / 32] = i32(u32(s.ties[i / 32]) | (~random.bits() & 1) << i % 32);
    }
  }

  // Places the doors in the middle of their cells, and the keys and the gem somewhere in theirs, column by column.
  ENVPOOL_FN static void place_things(State& s, const heist::LockedMaze& maze, i32 left, i32 bottom, Twister& random) {
    s.count = 2 * maze.doors() + 1;
    heist::Cell cell[kMostThings];
    for (i32 i = 0; i < s.count; ++i) {
      const bool is_door = i < maze.doors();
      const i32 number = is_door ? i : i - maze.doors();
      const u8 type = is_door ? kDoor : number < maze.doors() ? kKey : kGem;
      const heist::Cell at = is_door ? maze.door(number) : maze.key(number);
      i32 place = i;  // before the things in later columns, or later in the same column
      for (; place > 0 && (cell[place - 1].x > at.x || (cell[place - 1].x == at.x && cell[place - 1].y > at.y));
           --place) {
        cell[place] = cell[place - 1];
        s.thing[place] = s.thing[place - 1];
      }
      cell[place] = at;
      s.thing[place] = {0, 0, type, u8(type == kGem ? 0 : number), false};
    }
    for (i32 i = 0; i < s.count; ++i) {
      Thing& thing = s.thing[i];
      const i32 x = left + cell[i].x, y = bottom + cell[i].y;
      if (thing.type == kDoor) {
        thing.x = x + 0.5f;
        thing.y = y + 0.5f;
      } else {
        thing.x = (1 - 2 * kHalf) * random.unit() + kHalf + f32(x);
        thing.y = (1 - 2 * kHalf) * random.unit() + kHalf + f32(y);
      }
    }
  }

  // Moves the agent, which walls and locked doors stop.
  ENVPOOL_FN static void walk(State& s, const Params& p, bool sideways_first) {
    advance(s.agent, sideways_first, [&](f32 vx, f32 vy) { return shift(s, p, vx, vy); });
  }

  // Moves the agent in one direction. A door that it runs into pushes it back, which may push it into another door.
  ENVPOOL_FN static bool shift(State& s, const Params& p, f32 vx, f32 vy) {
    constexpr i32 kDepth = 6;
    Mover& a = s.agent;
    i32 next[kDepth];       // the next door of each push
    bool sideways[kDepth];  // its direction
    bool stopped_by_wall = false, stopped_by_door = false;
    i32 depth = 0;
    const auto begin = [&](f32 by_x, f32 by_y) {
      const bool blocked = place(s, p, by_x, by_y);
      if (depth == 0) stopped_by_wall = blocked;
      next[depth] = s.count - 1;
      sideways[depth] = by_x != 0;
    };
    begin(vx, vy);
    while (depth >= 0) {
      const i32 i = next[depth]--;
      if (i < 0) {
        --depth;
        continue;
      }
      const Thing& door = s.thing[i];
      constexpr f32 kReach = kHalf + kHalfDoor;
      if (door.type != kDoor || door.gone || s.has_key[door.number]) continue;
      if (!overlaps(a.x - door.x, a.y - door.y, kReach + kOverlap, kReach + kOverlap)) continue;
      if (depth == 0) stopped_by_door = true;
      f32 push_x = 0, push_y = 0;
      if (sideways[depth]) {
        push_x = pushed(a.x, door.x, kReach);
        a.vx = 0;
      } else {
        push_y = pushed(a.y, door.y, kReach);
        a.vy = 0;
      }
      if (depth + 1 < kDepth) {
        ++depth;
        begin(push_x, push_y);
      }
    }
    return stopped_by_wall || stopped_by_door;
  }

  // Returns how far to push p so that it is `reach` away from a door.
  ENVPOOL_FN static f32 pushed(f32 p, f32 door, f32 reach) {
    const f32 from = p - door;
    return f32(door + (from > 0 ? 1.0 : from == 0 ? 0.0 : -1.0) * reach - p);
  }

  // Moves the agent as far as walls permit. Returns whether one stops it.
  ENVPOOL_FN static bool place(State& s, const Params& p, f32 vx, f32 vy) {
    Mover& a = s.agent;
    const f32 x = a.x + vx, y = a.y + vy, inside = kHalf * kInside;
    bool blocked = false;
    for (i32 i = -1; i <= 1; i += 2) {
      for (i32 k = -1; k <= 1; k += 2) {
        blocked = blocked || !is_free(s, p, i32(floor(x + inside * f32(i))), i32(floor(y + inside * f32(k))));
      }
    }
    a.x = blocked && vx != 0 ? stopped(x, kHalf, vx) : x;
    a.y = blocked && vx == 0 ? stopped(y, kHalf, vy) : y;
    return blocked;
  }

  // What the agent touches. The things that came last are first. Returns whether it has the gem.
  ENVPOOL_FN static bool meet(State& s, const Params& p) {
    bool found = false;
    for (i32 i = s.count - 1; i >= 0; --i) {
      Thing& thing = s.thing[i];
      if (thing.gone) continue;
      const f32 wide = half_width_of(thing), high = half_height_of(p, thing);
      if (!overlaps(thing.x - s.agent.x, thing.y - s.agent.y, wide + kHalf, high + kHalf)) continue;
      if (thing.type == kGem) {
        found = true;
      } else if (thing.type == kKey) {
        thing.gone = s.has_key[thing.number] = true;
      } else {
        thing.gone = s.has_key[thing.number];
      }
    }
    return found;
  }

  // Returns the turn of the agent's image, which shows it from above, on its way to the right.
  ENVPOOL_FN static Turn turn_of_move(i32 move) {
    constexpr f64 kPart = 0.7071067811865475, kOther = 0.7071067811865476;  // as the reference rounds them
    switch (move) {
      case 0: return {kOther, -kPart};
      case 1: return kHalfTurn;
      case 2: return {-kOther, -kPart};
      case 3: return kRightTurn;
      case 5: return kLeftTurn;
      case 6: return {kPart, kOther};
      case 8: return {-kPart, kOther};
      default: return kNoTurn;
    }
  }

  template <i32 kPixels>
  ENVPOOL_FN static void draw(const State& s, const Params& p, Canvas<kPixels>& canvas) {
    const Art& art = art_of(p);
    const i32 cells = cells_of(p);
    const bool follows = p.mode == kMemory;
    const Mover& a = s.agent;
    const f32 middle = f32(cells * 0.5);
    const View view = follows ? View(kVisible, a.x, a.y, kPixels) : View(f32(cells), middle, middle, kPixels);
    draw_background(canvas, p, kBackground + s.background, view, cells, cells, 0);
    const CellRange range = follows ? cells_around(a.x, a.y, kVisible / 2 + 1) : CellRange{0, cells - 1, 0, cells - 1};
    draw_walls<kMostCells>(canvas, p, view, kWallPicture, color_of(kWallType, 0), range,
                           [&](i32 x, i32 y) { return !is_free(s, p, x, y); });
    const auto put = [&](i32 type, i32 number, i32 picture, Rect rect, Turn turn, bool turned) {
      if (p.use_monochrome_assets) {
        canvas.fill(rect, color_of(type, number));
      } else if (turned) {
        canvas.draw_turned(art, art.image[picture], rect, turn);
      } else {
        canvas.draw(art, art.image[picture], rect);
      }
    };
    for (i32 i = 0; i < s.count; ++i) {
      const Thing& thing = s.thing[i];
      const f32 wide = half_width_of(thing), high = half_height_of(p, thing);
      if (thing.gone) continue;
      put(thing.type, thing.number, picture_of(thing), view.rect(thing.x - wide, thing.y + high, 2 * wide, 2 * high),
          kNoTurn, false);
    }
    put(kAgentType, 0, kAgentPicture, view.rect(a.x - kHalf, a.y + kHalf, 2 * kHalf, 2 * kHalf),
        turn_of_move(s.direction), s.direction != 4 && s.direction != 7);
    for (i32 i = 0; i < s.keys; ++i) {
      if (s.has_key[i]) put(kKey, i, kKeyPicture + i, ring_rect(p, view, i), kRightTurn, true);
    }
  }

  // Returns where a key that the agent has is drawn: at the upper right of the image.
  ENVPOOL_FN static Rect ring_rect(const Params& p, const View& view, i32 number) {
    constexpr f32 kHalfKey = 0.03f;
    const f32 high = half_height(p, kKeyPicture + number, kHalfKey);
    const f32 x = f32(1 - kHalfKey * (2 * number + 1.25)), y = f32(kHalfKey * 0.75);
    return {view.cells * (x - kHalfKey) * view.unit, view.cells * (y + high) * view.unit,
            2 * view.cells * kHalfKey * view.unit, 2 * view.cells * high * view.unit};
  }
};

}  // namespace envpool::procgen
