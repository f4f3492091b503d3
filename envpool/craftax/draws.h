// SPDX-License-Identifier: Apache-2.0
//
// What is random in a world of Craftax-Classic. The rules draw from a class with these functions, so that tests can
// replay what the reference has drawn. The reference draws everything in every step; we only draw what is used.
#pragma once

#include "envpool/core/math/block_rng.h"
#include "envpool/craftax/state.h"

namespace envpool::craftax {

// How the mobs would move in a step.
struct Moves {
  u8 direction[kMobs];  // one of the actions kLeft to kDown, or, for half of the cows, a later one: no step
  u32 across;           // bits: the mob goes to a player who is as many rows as columns away along the row
  u32 bold;             // bits: a zombie goes to the player; a skeleton goes to the player, or away
};

// The noises of a new world, and the uniform numbers that its cells may need.
enum Noise : u8 { kWaterNoise, kMountainNoise, kPathNoise, kTreeNoise, kNoises };
enum Field : u8 { kCoalField, kIronField, kDiamondField, kTreeField };

class RandomDraws {
 public:
  ENVPOOL_FN explicit RandomDraws(Rng& rng) : source_(rng), rng_(rng), angle_rng_(angles_) {}

  ENVPOOL_FN Moves moves() {
    Moves moves;
    u32 word = rng_.bits();
    const auto take = [&word](i32 bits) {
      const u32 low = word & ((1u << bits) - 1);
      word >>= bits;
      return low;
    };
    moves.bold = 0;
    for (i32 i = 0; i < kMobs; ++i) {
      const bool cow = u32(i - first_mob(kCow)) < 3;
      moves.direction[i] = u8(kLeft + take(cow ? 3 : 2));
      if (i < first_mob(kCow)) moves.bold |= u32(take(2) != 0) << i;
    }
    moves.across = take(3);
    moves.across |= take(2) << first_mob(kSkeleton);
    for (i32 i = first_mob(kSkeleton); i < kMobs; ++i) moves.bold |= u32(rng_.uniform_f32() > 0.85f) << i;
    return moves;
  }
  ENVPOOL_FN bool finds_sapling() { return rng_.uniform_f32() < 0.1f; }
  ENVPOOL_FN bool spawns(i32 /*kind*/, f32 chance) { return rng_.uniform_f32() < chance; }
  // Returns one of the cells nth(0) to nth(count - 1), all of which are equally likely. `kind` is what spawns there, or
  // -1 for a diamond.
  template <class Nth>
  ENVPOOL_FN i32 pick(i32 /*kind*/, i32 count, Nth&& nth) {
    return nth(i32(rng_.below(u32(count))));
  }

  // The angle of a gradient of noise `number`, as a fraction of a turn. The noises are drawn in any order, and twice.
  ENVPOOL_FN f32 angle(Noise number, i32 index) {
    angles_.draws = first_angle_ + u64(number * kMostAngles + index);
    return angle_rng_.uniform_f32();
  }
  ENVPOOL_FN void begin_world() {
    angles_ = source_;
    first_angle_ = source_.draws;
    source_.draws += kNoises * kMostAngles;
  }
  ENVPOOL_FN f32 uniform(Field, i32 /*cell*/) { return rng_.uniform_f32(); }

 protected:
  Rng& source_;
  BlockRng rng_;

 private:
  static constexpr i32 kMostAngles = 300;  // of a noise

  Rng angles_{};
  BlockRng angle_rng_;
  u64 first_angle_ = 0;
};

}  // namespace envpool::craftax
