// SPDX-License-Identifier: Apache-2.0
//
// Makes the floors of Craftax that are landscapes: lakes, mountains with tunnels, caves, ores and lava, and forests.
#pragma once

#include "envpool/craftax/full/draws.h"
#include "envpool/craftax/noise.h"

namespace envpool::craftax::full {

// What a landscape is made of.
struct Landscape {
  Block ground, sea, coast, mountain, tunnel, cave, tree, lava, middle;
  Block on[kOres], ore[kOres];  // an ore and the block that it replaces
  f32 ore_chance[kOres];
  Block ladder_block;
  bool ladder_down, ladder_up;
  f32 mountain_distance, mountain_most;  // how mountains are lowered near the middle
  f32 sea_level, forest, forest_chance;  // limits of noises and of a uniform number
};

ENVPOOL_FN Landscape landscape_of(i32 floor) {
  const Landscape mine{kPath,
                       kWater,
                       kPath,
                       kStone,
                       kStone,
                       kStone,
                       kStalagmite,
                       kLava,
                       kPath,
                       {kStone, kStone, kStone, kStone, kStone},
                       {kCoal, kIron, kDiamond, kSapphire, kRuby},
                       {0.04f, 0.02f, 0.005f, 0.0025f, 0.0025f},
                       kPath,
                       true,
                       true,
                       17,
                       1.5f,
                       0.7f,
                       0.5f,
                       0.8f};
  Landscape land = mine;
  const auto ores = [&](f32 coal, f32 iron, f32 diamond, f32 sapphire, f32 ruby) {
    land.ore_chance[0] = coal;
    land.ore_chance[1] = iron;
    land.ore_chance[2] = diamond;
    land.ore_chance[3] = sapphire;
    land.ore_chance[4] = ruby;
  };
  switch (floor) {
    case kOverworld:
      land.ground = land.middle = kGrass;
      land.coast = kSand;
      land.tunnel = land.cave = kPath;
      land.tree = kTree;
      ores(0.03f, 0.02f, 0.001f, 0, 0);
      land.ladder_up = false;
      land.mountain_distance = 5;
      land.mountain_most = 1;
      return land;
    case kTrollMines: ores(0.04f, 0.03f, 0.01f, 0.01f, 0.01f); return land;
    case kFireRealm:
      land.ground = land.middle = land.ladder_block = kFireGrass;
      land.sea = kLava;
      land.coast = kSand;
      land.tree = kFireTree;
      ores(0.05f, 0, 0, 0, 0.025f);
      land.mountain_distance = 5;
      land.mountain_most = 1;
      land.sea_level = 0.5f;
      return land;
    case kIceRealm:
      land.ground = land.coast = land.middle = land.ladder_block = kIceGrass;
      land.tree = kIceShrub;
      land.lava = kWater;
      ores(0, 0, 0.005f, 0.02f, 0);
      land.sea_level = 0.5f;
      land.forest_chance = 0.4f;
      return land;
    case kGraveyard:
      land.sea = kPath;
      land.mountain = land.tunnel = land.cave = land.lava = kWall;
      land.tree = kGrave;
      land.middle = kNecromancer;
      land.on[0] = kWall;
      land.ore[0] = kMossyWall;
      land.on[1] = land.on[2] = kGrave;
      land.ore[1] = kGrave2;
      land.ore[2] = kGrave3;
      ores(0.1f, 0.333f, 0.5f, 0, 0);
      land.ladder_down = land.ladder_up = false;
      land.mountain_distance = 10;
      land.mountain_most = 10;
      land.forest = -1;
      land.forest_chance = 0.95f;
      return land;
    default: return land;
  }
}

// While a landscape is made, a byte of State::cell has what the noises say about its cell.
enum Survey : u8 {
  kIsSea = 1,
  kIsCoast = 2,
  kIsWet = 4,
  kIsMountain = 8,
  kIsHigh = 16,
  kIsTunnel = 32,
  kIsForest = 64,
  kIsHot = 128,  // lava, if the mountain is high
};

inline constexpr Place kMiddle{kSide / 2, kSide / 2};

// Lowers water and mountains near the middle.
ENVPOOL_FN f32 lowered(f32 noise, i32 y, i32 x, f32 reach, f32 most) {
  const Place way = Place{y, x} - kMiddle;
  return noise + min(sqrt(f32(way.y * way.y + way.x * way.x)) / reach, most) - 1;
}

template <class Draws>
ENVPOOL_FN void survey(u8* cell, const Landscape& land, Draws& draws) {
  for_noise<kWaterNoise, 3, 3, kSide>(draws, [=](i32 y, i32 x, f32 noise) {
    const f32 water = lowered(noise, y, x, 5, 1);
    const i32 found =
        (water > land.sea_level ? kIsSea : 0) | (water > 0.6f ? kIsCoast : 0) | (water > 0.4f ? kIsWet : 0);
    cell[y * kSide + x] = u8(found);
  });
  for_noise<kMountainNoise, 3, 3, kSide>(draws, [=](i32 y, i32 x, f32 noise) {
    const f32 mountain = lowered(noise + 0.05f, y, x, land.mountain_distance, land.mountain_most);
    cell[y * kSide + x] |= u8((mountain > 0.7f ? kIsMountain : 0) | (mountain > 0.85f ? kIsHigh : 0));
  });
  for_noise<kTreeNoise, 12, 12, kSide>(draws, [=](i32 y, i32 x, f32 noise) {
    cell[y * kSide + x] |= u8((noise > land.forest ? kIsForest : 0) | (noise > 0.7f ? kIsHot : 0));
  });
  if (land.tunnel == land.mountain) return;
  for_noise<kPathNoise, 6, 24, kSide>(
      draws, [=](i32 y, i32 x, f32 noise) { cell[y * kSide + x] |= u8(noise > 0.8f ? kIsTunnel : 0); });
  // Tunnels run along rows, and along columns at the mirrored places.
  for (i32 y = 0; y < kSide; ++y) {
    for (i32 x = 0; x < y; ++x) {
      u8 &one = cell[y * kSide + x], &other = cell[x * kSide + y];
      const u8 either = (one | other) & kIsTunnel;
      one |= either;
      other |= either;
    }
  }
}

template <class Draws>
ENVPOOL_FN u8 block_for(u8 found, i32 cell, const Landscape& land, Draws& draws) {
  if ((found & kIsHigh) != 0 && (found & kIsHot) != 0) return land.lava;
  u8 block = land.ground;
  if ((found & kIsMountain) != 0) {
    block = (found & kIsTunnel) != 0 ? land.tunnel : land.mountain;
    if ((found & kIsHigh) != 0 && (found & kIsWet) != 0) block = land.cave;
  } else if ((found & kIsSea) != 0) {
    block = land.sea;
  } else if ((found & kIsCoast) != 0) {
    block = land.coast;
  }
  // As in the reference, trees also grow where the mountain, the sea or the coast is of the same block as the ground.
  if (block == land.ground && (found & kIsForest) != 0 && draws.uniform(kTreeNumber, cell) > land.forest_chance) {
    block = land.tree;
  }
  for (i32 i = 0; i < kOres; ++i) {
    const bool fits = block == land.on[i] && land.ore_chance[i] > 0;
    if (fits && draws.uniform(kFirstOreNumber + i, cell) < land.ore_chance[i]) block = land.ore[i];
  }
  return block;
}

// Returns one of the cells of a floor that have a block, or the first cell if none has.
template <class Draws>
ENVPOOL_FN i32 pick_cell(const u8* cells, u8 block, Choice choice, Draws& draws) {
  i32 count = 0;
  for (i32 cell = 0; cell < kCells; ++cell) count += block_of(cells[cell]) == block;
  if (count == 0) return 0;
  return draws.pick(choice, count, [=](i32 n) {
    i32 cell = -1;
    while (n >= 0 && cell < kCells - 1) n -= block_of(cells[++cell]) == block;
    return cell;
  });
}

// Returns where the light of the ladder that leads up is. As in the reference, the light is moved into the floor if the
// ladder is near an edge. Near the first rows or columns, it is moved to the other edge.
ENVPOOL_FN Place ladder_light(const State& s, i32 floor) {
  constexpr i32 kReach = 4;
  Place at = place_of(s.ladder_up[floor]);
  if (at.y < kReach) at.y += kSide;
  if (at.x < kReach) at.x += kSide;
  return {min(at.y, kSide - 1 - kReach), min(at.x, kSide - 1 - kReach)};
}

template <class Draws>
ENVPOOL_DEVICE_CALL void make_landscape(State& s, i32 floor, const Params& p, Draws& draws) {
  const Landscape land = landscape_of(floor);
  u8* const cells = s.cell[floor];
  const i32 dark = dark_number(floor);
  draws.begin_world();
  survey(cells, land, draws);
  if (dark >= 0) {
    for (u64& row : s.lit[dark]) row = 0;
  }
  i32 stones = 0;
  for (i32 cell = 0; cell < kCells; ++cell) {
    const u8 found = cells[cell];
    if (dark >= 0 && land.lava == kLava && (found & kIsHigh) != 0 && (found & kIsHot) != 0) {
      const Place at = place_of(cell);  // lava lights the blocks around it
      for (i32 y = max(at.y - 1, 0); y <= min(at.y + 1, kSide - 1); ++y) s.lit[dark][y] |= (u64{7} << at.x) >> 1;
    }
    cells[cell] = block_for(found, cell, land, draws);
    stones += cells[cell] == kStone;
  }
  if (dark >= 0) {
    for (u64& row : s.lit[dark]) row &= (u64{1} << kSide) - 1;
  }
  const bool diamond = floor == kOverworld && p.always_diamond;
  if (stones == 0) {  // The reference then changes the first cell.
    cells[0] = diamond ? kDiamond : kStone;
  } else if (diamond) {
    cells[pick_cell(cells, kStone, kDiamondCell, draws)] = kDiamond;
  }
  cells[kMiddle.cell()] = land.middle;

  s.ladder_down[floor] = u16(pick_cell(cells, land.ladder_block, kDownCell, draws));
  s.ladder_up[floor] = u16(pick_cell(cells, land.ladder_block, kUpCell, draws));
  u8 &down = cells[s.ladder_down[floor]], &up = cells[s.ladder_up[floor]];
  if (land.ladder_down) down = with_thing(down, kLadderDown);
  if (land.ladder_up) up = with_thing(up, kLadderUp);
  light_around(s, floor, ladder_light(s, floor));
}

}  // namespace envpool::craftax::full
