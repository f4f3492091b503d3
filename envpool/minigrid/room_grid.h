// SPDX-License-Identifier: Apache-2.0
//
// Makes levels of equally large rooms in rows and columns, with doors between neighbours and objects in rooms. As in
// maker.h, numbers are drawn in the order of the reference, minigrid 3.2.0, core/roomgrid.py. Once `make.failed` is
// set, add_object(), add_distractors(), connect_all() and place_agent() draw no further numbers.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct RoomParams : LevelParams {
  i32 room_size, num_rows, num_cols;
};

inline constexpr i32 kMostRooms = 25, kAny = -1;

// The column and row of a room.
struct Place {
  i32 column, row;

  ENVPOOL_FN constexpr bool operator==(const Place& other) const { return column == other.column && row == other.row; }
};
inline constexpr Place kAnyRoom{kAny, kAny};

template <class Draws>
class RoomMaker {
 public:
  // The maximum numbers of attempts: to place an object or the agent in a room, and to add a door in connect_all().
  static constexpr i32 kTries = 1001, kConnections = 5001;

  // A room. Its sides are numbered: 0 right, 1 below, 2 left, 3 above.
  struct Room {
    Point door_at[4];
    u8 doors;  // a bit for each side that has a door or no wall
    bool locked;
  };
  // Makes the rooms' walls and puts the agent into the middle of the grid.
  ENVPOOL_DEVICE_CALL RoomMaker(Maker<Draws>& maker, const RoomParams& params)
      : make(maker), size_(params.room_size), rows_(params.num_rows), columns_(params.num_cols) {
    for (i32 i = 0; i < rows_ * columns_; ++i) make.wall_rect(top(place(i)), {size_, size_});
    for (i32 row = 0; row < rows_; ++row) {
      for (i32 column = 0; column < columns_; ++column) {
        const Place at{column, row};
        const Point first = top(at);
        Room& room = room_at(at);
        room = {};
        if (column < columns_ - 1)
          room.door_at[0] = {first.x + size_ - 1, make.between(first.y + 1, first.y + size_ - 1)};
        if (row < rows_ - 1) room.door_at[1] = {make.between(first.x + 1, first.x + size_ - 1), first.y + size_ - 1};
        if (column > 0) room.door_at[2] = room_at(neighbor(at, 2)).door_at[0];
        if (row > 0) room.door_at[3] = room_at(neighbor(at, 3)).door_at[1];
      }
    }
    make.agent.at = {columns_ / 2 * (size_ - 1) + size_ / 2, rows_ / 2 * (size_ - 1) + size_ / 2};
    make.agent.direction = 0;
  }

  ENVPOOL_FN i32 rows() const { return rows_; }
  ENVPOOL_FN i32 columns() const { return columns_; }
  ENVPOOL_FN i32 count() const { return rows_ * columns_; }
  ENVPOOL_FN i32 room_size() const { return size_; }
  // Rooms are numbered row by row.
  ENVPOOL_FN Place place(i32 number) const { return {number % columns_, number / columns_}; }
  ENVPOOL_FN Room& room_at(Place at) { return rooms_[at.row * columns_ + at.column]; }
  ENVPOOL_FN Point top(Place at) const { return {at.column * (size_ - 1), at.row * (size_ - 1)}; }
  ENVPOOL_FN Place place_of(Point at) const { return {at.x / (size_ - 1), at.y / (size_ - 1)}; }
  // Returns whether a cell is in a room, including its walls.
  ENVPOOL_FN bool is_in(Place room, Point at) const {
    const Point from = top(room);
    return u32(at.x - from.x) < u32(size_) && u32(at.y - from.y) < u32(size_);
  }
  ENVPOOL_FN static Place neighbor(Place at, i32 side) {
    const Point step = step_in(side);
    return {at.column + step.x, at.row + step.y};
  }
  ENVPOOL_FN bool has_neighbor(Place at, i32 side) const {
    const Place other = neighbor(at, side);
    return u32(other.column) < u32(columns_) && u32(other.row) < u32(rows_);
  }
  ENVPOOL_FN bool has_door(Place at, i32 side) { return (room_at(at).doors >> side & 1) != 0; }
  ENVPOOL_DEVICE_CALL Place random_room() {
    const i32 column = make.below(columns_);
    return {column, make.below(rows_)};
  }

  // Puts an object into a room, not next to the agent.
  ENVPOOL_DEVICE_CALL Point put(Place room, Cell thing) {
    const Point agent = make.agent.at;
    if (is_kind(thing)) kinds_ |= 1u << kind_number(thing);
    return make.place(thing, top(room), {size_, size_}, kTries, [&](Point at) { return distance(agent, at) < 2; });
  }
  // Puts a new object into a room. If the type or colour is kAny, it is chosen at random.
  ENVPOOL_DEVICE_CALL Cell add_object(Place room, i32 type = kAny, i32 color = kAny) {
    if (make.failed) return kNothing;
    if (type == kAny) type = make.random_type();
    if (color == kAny) color = make.color();
    const Cell thing = object(type, color);
    put(room, thing);
    return thing;
  }
  // Adds objects, in random rooms or in one room, and returns their number. With `unique`, no object has both the type
  // and the colour of another.
  ENVPOOL_DEVICE_CALL i32 add_distractors(i32 wanted, bool unique, Place room = kAnyRoom, Cell* added = nullptr,
                                          Point* places = nullptr) {
    for (i32 count = 0; count < wanted && !make.failed;) {
      const i32 color = make.color(), type = make.random_type();
      const Cell thing = object(type, color);
      if (unique && (kinds_ >> kind_number(thing) & 1) != 0) continue;
      const Place at = room == kAnyRoom ? random_room() : room;
      const Point place = put(at, thing);
      if (added != nullptr) added[count] = thing;
      if (places != nullptr) places[count] = place;
      ++count;
    }
    return wanted;
  }

  // Adds a door and returns its cell. If the side, the colour or `locked` is kAny, it is chosen at random.
  ENVPOOL_DEVICE_CALL Point add_door(Place at, i32 side = kAny, i32 color = kAny, i32 locked = kAny) {
    if (side == kAny) {
      do {
        side = make.below(4);
      } while (!has_neighbor(at, side) || has_door(at, side));
    }
    if (color == kAny) color = make.color();
    if (locked == kAny) locked = make.flip();
    Room& room = room_at(at);
    room.locked = locked != 0;
    const Point place = room.door_at[side];
    make.grid[place] = door(color, locked != 0 ? kLocked : kClosed);
    connect(at, side);
    return place;
  }
  ENVPOOL_DEVICE_CALL void remove_wall(Place at, i32 side) {
    const Point from = top(at);
    const i32 last = size_ - 1, length = size_ - 2;
    switch (side) {
      case 0: make.fill({from.x + last, from.y + 1}, {1, length}, kNothing); break;
      case 1: make.fill({from.x + 1, from.y + last}, {length, 1}, kNothing); break;
      case 2: make.fill({from.x, from.y + 1}, {1, length}, kNothing); break;
      default: make.fill({from.x + 1, from.y}, {length, 1}, kNothing); break;
    }
    connect(at, side);
  }
  // Adds unlocked doors until the agent can reach all rooms. Locked rooms get no further door. `without` is a colour
  // that the doors must not have.
  ENVPOOL_DEVICE_CALL void connect_all(i32 without = kAny) {
    if (make.failed) return;
    const Place start = place_of(make.agent.at);
    for (i32 i = 0; i < kConnections; ++i) {
      if (all_reachable_from(start)) return;
      const Place at = random_room();
      const i32 side = make.below(4);
      if (!has_neighbor(at, side) || has_door(at, side)) continue;
      if (room_at(at).locked || room_at(neighbor(at, side)).locked) continue;
      add_door(at, side, without == kAny ? make.color() : color_except(without), 0);
    }
    make.failed = make.failed || !all_reachable_from(start);
  }

  // Puts the agent into a room, but not in front of an object or a door. If `room` is kAnyRoom, it is chosen at random.
  ENVPOOL_DEVICE_CALL void place_agent(Place room = kAnyRoom) {
    if (make.failed) return;
    if (room == kAnyRoom) room = random_room();
    for (i32 i = 0; i < kTries; ++i) {
      make.place_agent(top(room), {size_, size_}, kTries);
      if (make.failed) return;
      const Cell front = make.grid[make.agent.at + step_in(make.agent.direction)];
      if (front == kNothing || type_of(front) == kWall) return;
    }
    make.failed = true;
  }

  // Puts the agent into any room except one.
  ENVPOOL_DEVICE_CALL void place_agent_outside(Place room) {
    do {
      place_agent();
    } while (!make.failed && place_of(make.agent.at) == room);
  }

  Maker<Draws>& make;

 private:
  ENVPOOL_FN static bool is_kind(Cell thing) { return can_pickup(thing); }
  ENVPOOL_FN static u32 kind_number(Cell thing) { return (type_of(thing) - kKey) * kColors + color_of(thing); }
  ENVPOOL_FN void connect(Place at, i32 side) {
    room_at(at).doors |= u8(1u << side);
    room_at(neighbor(at, side)).doors |= u8(1u << (side ^ 2));
  }
  ENVPOOL_FN i32 color_except(i32 without) {
    i32 index = make.below(kColors - 1), by_name = 0;
    while (make.color_by_name(by_name) != without) ++by_name;
    return make.color_by_name(index + (index >= by_name));
  }
  ENVPOOL_DEVICE_CALL bool all_reachable_from(Place start) {
    u32 reached = 1u << (start.row * columns_ + start.column), before = 0;
    while (reached != before) {
      before = reached;
      for (i32 i = 0; i < count(); ++i) {
        if ((reached >> i & 1) == 0) continue;
        for (i32 side = 0; side < 4; ++side) {
          if (!has_door(place(i), side)) continue;
          const Place next = neighbor(place(i), side);
          reached |= 1u << (next.row * columns_ + next.column);
        }
      }
    }
    return reached == (1u << count()) - 1;
  }

  i32 size_, rows_, columns_;
  u32 kinds_ = 0;  // a bit for each pair of type and colour that an object in a room has
  Room rooms_[kMostRooms];
};

// Puts a key into a room on the left of a corridor, and a ball behind a locked door on the right. Returns the ball.
template <class Draws>
ENVPOOL_FN Cell populate_corridor(RoomMaker<Draws>& rooms, i32 num_rows) {
  for (i32 row = 1; row < num_rows; ++row) rooms.remove_wall({1, row}, 3);
  const i32 locked = rooms.make.below(num_rows);
  const Point door = rooms.add_door({2, locked}, 2, kAny, 1);
  const i32 color = i32(color_of(rooms.make.grid[door]));
  const Cell ball = rooms.add_object({2, locked}, kBall);
  rooms.add_object({0, rooms.make.below(num_rows)}, kKey, color);
  rooms.place_agent({1, num_rows / 2});
  rooms.connect_all();
  return ball;
}

// The state of an environment of rooms in which the agent must pick up one object, the target.
struct PickupState : Agent {
  Cell target;
};

template <class Derived, class P = RoomParams, class S = PickupState>
struct RoomLevel : Level<Derived, P, S> {
  using Base = Level<Derived, P, S>;
  using typename Base::Params;
  using typename Base::State;
  using typename Base::Turn;

  template <class Draws>
  ENVPOOL_FN static void generate(State& s, const Params& p, Maker<Draws>& make) {
    RoomMaker<Draws> rooms(make, p);
    Derived::populate(s, p, rooms);
  }
  ENVPOOL_FN static void judge(const State& s, const Params& p, const Turn& turn, Outcome& outcome) {
    if (turn.action == kPickup && kind_of(s.carried) == s.target) Base::succeed(s, p, outcome);
  }
  template <class Draws>
  ENVPOOL_FN static void say_pick_up(RoomMaker<Draws>& rooms, Cell target) {
    using enum Word;
    rooms.make.mission.say(pick, up, the);
    rooms.make.mission.name(target);
  }

#if ENVPOOL_HOST
  static Params resolve_rooms(const OptionValues& v, i64 room_size, i64 num_rows, i64 num_cols, i64 max_steps) {
    Params p = Base::resolve(v, (room_size - 1) * num_cols + 1, (room_size - 1) * num_rows + 1, max_steps);
    p.room_size = i32(room_size);
    p.num_rows = i32(num_rows);
    p.num_cols = i32(num_cols);
    return p;
  }
#endif
};

}  // namespace envpool::minigrid
