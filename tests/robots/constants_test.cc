// SPDX-License-Identifier: Apache-2.0
//
// Checks that the constants of several models, which are computed in SIMD lanes, have the bits of those that are
// computed for one model at a time.
#include "tests/support/simd.h"

#include <cstring>
#include <vector>

#include "envpool/core/math/rng.h"
#include "envpool/robots/model_constants.h"
#include "envpool/robots/models/ant.h"
#include "envpool/robots/models/half_cheetah.h"
#include "envpool/robots/models/hopper.h"
#include "envpool/robots/models/humanoid.h"
#include "envpool/robots/models/humanoidstandup.h"
#include "envpool/robots/models/inverted_double_pendulum.h"
#include "envpool/robots/models/inverted_pendulum.h"
#include "envpool/robots/models/reacher.h"
#include "envpool/robots/models/swimmer.h"
#include "envpool/robots/models/walker2d.h"
#include "envpool/robots/models/walker2d_v5.h"
#include "tests/support/testing.h"

namespace envpool::robots {

#if ENVPOOL_SIMD

// Returns the model of the tables, or one of which about half of the fields differ: they are scaled, or 0.
template <class M>
ModelNumbers<M, f64> draw_model(Rng& rng) {
  ModelNumbers<M, f64> n{};
  const bool own = rng.below(4) != 0;
  for_each_field<M>(n, [&](f64& number, f64 in_tables) {
    const f64 scaled = rng.below(40) == 0 ? 0 : in_tables * rng.uniform(0.2, 5);
    number = own && rng.below(2) == 0 ? scaled : in_tables;
  });
  return n;
}

template <class M>
void compare(const char* name) {
  Rng rng{.seed = 5};
  i64 from_tables = 0, computed = 0;
  for (int count = 1; count <= 40; ++count) {
    std::vector<ModelNumbers<M, f64>> single, grouped;
    for (int i = 0; i < count; ++i) single.push_back(draw_model<M>(rng));
    grouped = single;
    for (auto& n : single) {
      compute_constants<M>(n);
      (has_inertias_of_tables<M>(n) ? from_tables : computed) += 1;
    }
    compute_constants_of_group<M>(count, [&](int i) -> ModelNumbers<M, f64>& { return grouped[size_t(i)]; });
    for (int i = 0; i < count; ++i) {
      if (std::memcmp(&single[size_t(i)], &grouped[size_t(i)], sizeof(grouped[0])) == 0) continue;
      CHECK_EQ(std::string(name) + ": different bits in model " + std::to_string(i) + " of " + std::to_string(count),
               std::string());
      return;
    }
  }
  CHECK(from_tables > 20);
  CHECK(computed > 100);
}

TEST(constants_of_groups_equal_those_of_single_models) {
  if (!has_simd()) return;
  compare<AntModel>("Ant");
  compare<HalfCheetahModel>("HalfCheetah");
  compare<HopperModel>("Hopper");
  compare<HumanoidModel>("Humanoid");
  compare<HumanoidStandupModel>("HumanoidStandup");
  compare<InvertedDoublePendulumModel>("InvertedDoublePendulum");
  compare<InvertedPendulumModel>("InvertedPendulum");
  compare<ReacherModel>("Reacher");
  compare<SwimmerModel>("Swimmer");
  compare<Walker2dModel>("Walker2d");
  compare<Walker2dOldModel>("Walker2d, versions 2 to 4");
}

#endif

}  // namespace envpool::robots

TEST_MAIN()
