// SPDX-License-Identifier: Apache-2.0
//
// Makes a new world of Craftax-Classic: lakes, mountains with tunnels, caves, ores and lava, and forests. The player
// stands on grass in the middle.
#pragma once

#include "envpool/craftax/noise.h"

namespace envpool::craftax {

// While a world is made, a byte of State::block has what the noises say about its cell. Each level counts the limits
// that a noise exceeds.
struct Terrain {
  static constexpr i32 kWaterShift = 0;     // 1 above 0.4, 2 above 0.6, 3 above 0.7
  static constexpr i32 kMountainShift = 2;  // 1 above 0.7, 2 above 0.8, 3 above 0.85
  static constexpr i32 kTreeShift = 4;      // 1 above 0.5, 2 above 0.7
  static constexpr u8 kTunnel = 64;         // above 0.8

  u8 bits;

  ENVPOOL_FN i32 water() const { return bits >> kWaterShift & 3; }
  ENVPOOL_FN i32 mountain() const { return bits >> kMountainShift & 3; }
  ENVPOOL_FN i32 tree() const { return bits >> kTreeShift & 3; }
  ENVPOOL_FN bool tunnel() const { return (bits & kTunnel) != 0; }
};

inline constexpr Place kStart{kSide / 2, kSide / 2};

// Lowers water and mountains near the player's start.
ENVPOOL_FN f32 lowered(f32 noise, i32 y, i32 x) {
  return noise + min(f32(distance({y, x}, kStart)) / 5.0f, 1.0f) - 1.0f;
}

template <class Draws>
ENVPOOL_FN void survey(u8* block, Draws& draws) {
  for_noise<kWaterNoise, 4, 4>(draws, [=](i32 y, i32 x, f32 noise) {
    const f32 water = lowered(noise, y, x);
    block[y * kSide + x] = u8((water > 0.4f) + (water > 0.6f) + (water > 0.7f));
  });
  for_noise<kMountainNoise, 4, 4>(draws, [=](i32 y, i32 x, f32 noise) {
    const f32 mountain = lowered(noise + 0.05f, y, x);
    const i32 level = (mountain > 0.7f) + (mountain > 0.8f) + (mountain > 0.85f);
    block[y * kSide + x] |= u8(level << Terrain::kMountainShift);
  });
  for_noise<kPathNoise, 8, 32>(
      draws, [=](i32 y, i32 x, f32 noise) { block[y * kSide + x] |= u8(noise > 0.8f ? Terrain::kTunnel : 0); });
  for_noise<kTreeNoise, 16, 16>(draws, [=](i32 y, i32 x, f32 noise) {
    block[y * kSide + x] |= u8(((noise > 0.5f) + (noise > 0.7f)) << Terrain::kTreeShift);
  });
  // Tunnels run along rows, and along columns at the mirrored places.
  for (i32 y = 0; y < kSide; ++y) {
    for (i32 x = 0; x < y; ++x) {
      u8 &one = block[y * kSide + x], &other = block[x * kSide + y];
      const u8 either = (one | other) & Terrain::kTunnel;
      one |= either;
      other |= either;
    }
  }
}

template <class Draws>
ENVPOOL_FN u8 block_for(Terrain terrain, i32 cell, Draws& draws) {
  const i32 mountain = terrain.mountain();
  if (mountain == 3 && terrain.tree() == 2) return kLava;
  if (mountain > 0) {
    if (terrain.tunnel() || (mountain == 3 && terrain.water() > 0)) return kPath;
    if (draws.uniform(kCoalField, cell) < 0.04f) return kCoal;
    if (draws.uniform(kIronField, cell) < 0.03f) return kIron;
    return mountain > 1 && draws.uniform(kDiamondField, cell) < 0.005f ? kDiamond : kStone;
  }
  if (terrain.water() > 1) return terrain.water() == 3 ? kWater : kSand;
  return terrain.tree() > 0 && draws.uniform(kTreeField, cell) > 0.8f ? kTree : kGrass;
}

template <class Draws>
ENVPOOL_DEVICE_CALL void make_world(State& s, const Params& p, Draws& draws) {
  draws.begin_world();
  survey(s.block, draws);
  i32 stones = 0;
  for (i32 cell = 0; cell < kCells; ++cell) {
    s.block[cell] = cell == kStart.cell() ? u8(kGrass) : block_for(Terrain{s.block[cell]}, cell, draws);
    stones += s.block[cell] == kStone;
  }
  if (stones == 0) {  // The reference then changes the first cell.
    s.block[0] = p.always_diamond ? kDiamond : kStone;
  } else if (p.always_diamond) {
    s.block[draws.pick(-1, stones, [&](i32 n) {
      i32 cell = -1;
      while (n >= 0) n -= s.block[++cell] == kStone;
      return cell;
    })] = kDiamond;
  }

  for (u8& count : s.item) count = 0;
  s.food = s.drink = s.energy = kMost;
  s.health = kMost;
  s.hunger = s.thirst = s.fatigue = s.recover = 0;
  s.y = kStart.y;
  s.x = kStart.x;
  s.direction = kUp;
  s.asleep = false;
  for (i32 i = 0; i < kMobs; ++i) {
    s.mob_cell[i] = 0;
    s.mob_health[i] = i8(i < first_mob(kCow) ? 1 : i < first_mob(kSkeleton) ? p.cow_health : 0);
    s.mob_cooldown[i] = 0;
  }
  s.alive = s.occupying = s.arrows = s.plants = 0;
  for (i32 i = 0; i < kArrows; ++i) {
    s.arrow_y[i] = s.arrow_x[i] = 0;
    s.arrow_dy[i] = s.arrow_dx[i] = 1;
  }
  for (i32 i = 0; i < kPlants; ++i) {
    s.plant_cell[i] = 0;
    s.plant_age[i] = 0;
  }
  s.achievements = 0;
  s.time = 0;
  s.light = light_at(0, p);
}

}  // namespace envpool::craftax
