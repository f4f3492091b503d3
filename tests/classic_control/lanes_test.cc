// SPDX-License-Identifier: Apache-2.0
//
// Checks that the environments are stepped in lanes, which means several at a time by SIMD instructions. Results cannot
// show this, because they have the same bits without lanes. Also checks these bits for rows with different options.
// core/math/lanes_test.cc has the other tests of lanes.
#include "tests/support/simd.h"

#include "envpool/classic_control/acrobot.h"
#include "envpool/classic_control/cartpole.h"
#include "envpool/classic_control/mountain_car.h"
#include "envpool/classic_control/mountain_car_continuous.h"
#include "envpool/classic_control/pendulum.h"
#include "tests/support/row_options.h"
#include "tests/support/testing.h"

namespace envpool::classic_control {

template <class Env>
bool in_lanes(const char* option = nullptr) {
  OptionSpecs specs;
  Env::options(specs);
  const abi::Option noise{option, abi::kOptionReal, 0, 0.5, nullptr, 0};
  const abi::Options options{&noise, option == nullptr ? 0 : 1};
  return InLanes<Env>::kLanes == 4 && InLanes<Env>::available(made_params<Env>(OptionValues(specs, options)));
}

TEST(every_environment_has_lanes) {
  const bool wanted = testing::wants_simd();
  CHECK_EQ(in_lanes<Acrobot>(), wanted);
  CHECK_EQ(in_lanes<CartPole>(), wanted);
  CHECK_EQ(in_lanes<MountainCar>(), wanted);
  CHECK_EQ(in_lanes<MountainCarContinuous>(), wanted);
  CHECK_EQ(in_lanes<Pendulum>(), wanted);
}

TEST(rows_with_different_options_have_the_bits_of_single_rows) {
  testing::check_row_options<Acrobot>();
  testing::check_row_options<CartPole>();
  testing::check_row_options<MountainCar>();
  testing::check_row_options<MountainCarContinuous>();
  testing::check_row_options<Pendulum>();
}

TEST(torque_noise_disables_lanes) { CHECK(!in_lanes<Acrobot>("torque_noise_max")); }

}  // namespace envpool::classic_control

TEST_MAIN()
