// SPDX-License-Identifier: Apache-2.0
//
// Makes the floors of Craftax that are dungeons: eight rooms with chests and fountains, which corridors join.
#pragma once

#include "envpool/craftax/full/world.h"

namespace envpool::craftax::full {

inline constexpr i32 kRooms = 8, kChunk = 16, kChunks = (kSide / kChunk) * (kSide / kChunk);

// What a dungeon has in its fountains, in the first room, and instead of some of its paths.
struct Furniture {
  Block fountain, table, rare_path;
};
ENVPOOL_FN constexpr Furniture furniture_of(i32 floor) {
  if (floor == kSewers) return {kWater, kIceTable, kWater};
  return {kFountain, floor == kVault ? kFireTable : kPath, kPath};
}

// Adds a room, and returns the place of its first corner. It may reach over the edge of the floor, and into other
// rooms.
template <class Draws>
ENVPOOL_FN Place add_room(u8* cells, i32 number, u32& free_chunks, const Furniture& furniture, Draws& draws) {
  const u32 chunks = free_chunks;
  const i32 chunk = draws.pick(kRoomChunk, kChunks - number, [=](i32 n) {
    i32 i = 0;
    while (i < kChunks - 1 && ((chunks >> i & 1) == 0 || n-- > 0)) ++i;
    return i;
  });
  free_chunks &= ~(1u << chunk);
  const Room room = draws.room(number);
  const Place corner = Place{chunk % 3 * kChunk, chunk / 3 * kChunk} + room.offset;
  const auto put = [=](Place p, auto&& change) {
    if (!p.inside()) return;
    cells[p.cell()] = change(cells[p.cell()]);
  };
  for (i32 y = 0; y < room.rows; ++y) {
    for (i32 x = 0; x < room.columns; ++x) put(corner + Place{y, x}, [](u8 cell) { return with_block(cell, kPath); });
  }
  for (i32 i = 0; i < 4; ++i) {
    const Place way{(i & 1) != 0 ? room.rows - 1 : 0, (i & 2) != 0 ? room.columns - 1 : 0};
    put(corner + way, [](u8 cell) { return with_thing(cell, kTorch); });
  }
  put(corner + room.chest, [](u8 cell) { return with_block(cell, kChest); });
  const Block fountain = furniture.fountain;
  if (room.has_fountain) put(corner + room.fountain, [=](u8 cell) { return with_block(cell, fountain); });
  return corner;
}

// Digs a corridor from one place along its row, then along the column of the other place.
ENVPOOL_FN void dig(u8* cells, Place from, Place to) {
  const auto open = [=](i32 y, i32 x) {
    u8& cell = cells[y * kSide + x];
    if (block_of(cell) == kWall) cell = with_block(cell, kPath);
  };
  if (from.x != to.x) {
    for (i32 x = min(from.x, to.x); x <= max(from.x, to.x); ++x) open(from.y, x);
  }
  if (from.y != to.y) {
    for (i32 y = min(from.y, to.y); y <= max(from.y, to.y); ++y) open(y, to.x);
  }
}

// Hides walls that are not beside a path, and makes some of the others mossy. Some paths are replaced, too.
template <class Draws>
ENVPOOL_FN void decorate(u8* cells, const Furniture& furniture, Draws& draws) {
  const auto is_open = [=](i32 y, i32 x) {
    const Place p{y, x};
    if (!p.inside()) return false;
    const u8 block = block_of(cells[p.cell()]);
    return block != kWall && block != kMossyWall && block != kDarkness;
  };
  for (i32 y = 0; y < kSide; ++y) {
    for (i32 x = 0; x < kSide; ++x) {
      u8& cell = cells[y * kSide + x];
      const u8 block = block_of(cell);
      if (block == kWall) {
        const bool beside = is_open(y - 1, x) || is_open(y + 1, x) || is_open(y, x - 1) || is_open(y, x + 1);
        cell = with_block(cell, !beside ? kDarkness : draws.rare(y * kSide + x) ? kMossyWall : kWall);
      } else if (furniture.rare_path != kPath && cell == kPath && draws.rare(y * kSide + x)) {
        cell = furniture.rare_path;
      }
    }
  }
}

template <class Draws>
ENVPOOL_DEVICE_CALL void make_dungeon(State& s, i32 floor, Draws& draws) {
  const Furniture furniture = furniture_of(floor);
  u8* const cells = s.cell[floor];
  for (i32 cell = 0; cell < kCells; ++cell) cells[cell] = kWall;
  u32 free_chunks = (1u << kChunks) - 1;
  Place corner[kRooms];
  for (i32 i = 0; i < kRooms; ++i) corner[i] = add_room(cells, i, free_chunks, furniture, draws);
  // Each room is joined to the last one or to one that has been joined before.
  for (i32 i = 0; i < kRooms; ++i) {
    const i32 joined = i == kRooms - 1 ? kRooms : i + 1;
    const i32 end = draws.pick(kPathEnd, joined, [=](i32 n) { return joined == kRooms || n < i ? n : kRooms - 1; });
    dig(cells, corner[i], corner[end]);
  }
  u8& special = cells[(corner[0] + Place{2, 2}).cell()];
  special = with_block(special, furniture.table);
  decorate(cells, furniture, draws);

  s.ladder_down[floor] = u16(pick_cell(cells, kPath, kDownCell, draws));
  s.ladder_up[floor] = u16(pick_cell(cells, kPath, kUpCell, draws));
  cells[s.ladder_down[floor]] = with_thing(kPath, kLadderDown);
  cells[s.ladder_up[floor]] = with_thing(kPath, kLadderUp);
}

}  // namespace envpool::craftax::full
