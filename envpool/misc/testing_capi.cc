// SPDX-License-Identifier: Apache-2.0
//
// For misc_test.py.
#include "envpool/misc/bernoulli_bandit.h"
#include "envpool/misc/four_rooms.h"
#include "envpool/misc/gaussian_bandit.h"
#include "envpool/misc/meta_maze.h"
#include "envpool/misc/normal.h"
#include "envpool/misc/point_robot.h"
#include "envpool/misc/pong.h"
#include "envpool/misc/reacher.h"
#include "envpool/misc/swimmer.h"
#include "envpool/testing/functions.h"

using namespace envpool;
using namespace envpool::misc;

ENVPOOL_TEST_FUNCTIONS(BernoulliBandit)
ENVPOOL_TEST_FUNCTIONS(FourRooms)
ENVPOOL_TEST_FUNCTIONS(GaussianBandit)
ENVPOOL_TEST_FUNCTIONS(MetaMaze)
ENVPOOL_TEST_FUNCTIONS(PointRobot)
ENVPOOL_TEST_FUNCTIONS(Pong)
ENVPOOL_TEST_FUNCTIONS(Reacher)
ENVPOOL_TEST_FUNCTIONS(Swimmer)

extern "C" {
void normals(u64 seed, f32* out, i64 n) {
  Rng rng{.seed = seed};
  for (i64 i = 0; i < n; ++i) out[i] = normal<f32>(rng.bits());
}
void normal_quantiles(const f32* x, f32* out, i64 n) {
  for (i64 i = 0; i < n; ++i) out[i] = normal_quantile(x[i]);
}
}
