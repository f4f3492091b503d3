// SPDX-License-Identifier: Apache-2.0
//
// Checks that Reacher is stepped in lanes, which means several environments at a time by SIMD instructions, and that
// the results equal those of single steps bit for bit.
#include "tests/support/simd.h"

#include <cstring>
#include <vector>

#include "envpool/misc/reacher.h"
#include "tests/support/row_options.h"
#include "tests/support/testing.h"

namespace envpool::misc {

Reacher::Params params_of(i32 joints) {
  OptionSpecs specs;
  Reacher::options(specs);
  const abi::Option option{"num_joints", abi::kOptionInt, joints, f64(joints), nullptr, 0};
  return made_params<Reacher>(OptionValues(specs, {&option, 1}));
}

TEST(reacher_has_lanes) {
  CHECK_EQ(InLanes<Reacher>::kLanes == 4 && InLanes<Reacher>::available(params_of(2)), testing::wants_simd());
}

TEST(reacher_gives_the_same_bits_in_lanes) {
  if (!testing::wants_simd()) return;
  constexpr i64 kRows = 8;
  for (const i32 joints : {1, 2, 5}) {
    const Reacher::Params params = params_of(joints);
    const i64 bytes = i64(sizeof(Reacher::State)) + Reacher::extra_bytes(params), row_bytes = joints * i64(sizeof(f32));
    std::vector<f32> single(size_t(kRows * bytes) / sizeof(f32));
    const auto state = [&](std::vector<f32>& states, i64 k) -> Reacher::State& {
      return *reinterpret_cast<Reacher::State*>(reinterpret_cast<u8*>(states.data()) + k * bytes);
    };
    Rng rng{.seed = u64(joints)};
    for (i64 k = 0; k < kRows; ++k) Reacher::reset(state(single, k), params, rng);
    std::vector<f32> in_lanes = single, torques(size_t(kRows * joints)), rewards(kRows), expected(kRows);
    for (int step = 0; step < 300; ++step) {
      for (f32& torque : torques) torque = 2 * rng.uniform_f32() - 1;
      if (step % 100 == 99) torques[size_t(step / 100)] = 1e6f;  // Large angles need another range reduction.
      const void* fields[] = {torques.data()};
      const ActionRow actions{fields, &row_bytes, 0};
      u8 terminated[kRows];
      InLanes<Reacher>::step({reinterpret_cast<u8*>(in_lanes.data()), bytes, kRows}, params, actions,
                             {rewards.data(), terminated});
      for (i64 k = 0; k < kRows; ++k) {
        expected[size_t(k)] = Reacher::step(state(single, k), params, {fields, &row_bytes, k}, rng).reward;
        CHECK_EQ(int(terminated[k]), 0);
      }
      CHECK_EQ(std::memcmp(rewards.data(), expected.data(), sizeof(f32) * kRows), 0);
      CHECK_EQ(std::memcmp(in_lanes.data(), single.data(), size_t(kRows * bytes)), 0);
    }
  }
}

TEST(rows_with_different_options_have_the_bits_of_single_rows) {
  for (const i32 joints : {1, 3}) {
    testing::check_row_options<Reacher>({{"num_joints", abi::kOptionInt, joints, f64(joints), nullptr, 0}});
  }
}

}  // namespace envpool::misc

TEST_MAIN()
