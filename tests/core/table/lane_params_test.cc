// SPDX-License-Identifier: Apache-2.0
#include "tests/support/simd.h"

#include "envpool/core/table/lane_params.h"
#include "envpool/core/table/pure.h"

#include <string>
#include <vector>

#include "envpool/core/plugin.h"
#include "tests/support/row_options.h"
#include "tests/support/testing.h"

namespace envpool {

// An environment with a parameter of each type, whose observation shows all of them. Counts how it is stepped.
struct Members {
  static constexpr const char* kName = "Members";
  template <template <class> class Of>
  struct ParamsOf {
    Of<bool> flag;
    Of<f64> real;
    Of<u8> small;
    Of<i64> large;
    Of<f32> single;
    Of<i32> integer, fixed;
    Of<f64> noise;  // rows with noise cannot be stepped in lanes
    Of<f64> sum;    // derived
  };
  using Params = ParamsOf<Single>;
  struct State {
    f64 start;
    i32 steps;
  };
  static inline i64 single_steps = 0, steps_in_lanes = 0;

  static void options(OptionSpecs& o) {
    o.boolean("flag", false, "").sets(&Params::flag);
    o.real("real", 0.25, "").between(-100, 100).sets(&Params::real);
    o.integer("small", 3, "").sets(&Params::small);
    o.integer("large", 1, "").sets(&Params::large);
    o.real("single", 0.1, "").between(0.1, 10).sets(&Params::single);
    o.integer("integer", 2, "").sets(&Params::integer);
    o.integer("fixed", 7, "").changes_shapes().sets(&Params::fixed);
    o.real("noise", 0, "").between(0, 1).sets(&Params::noise);
  }
  static void spec(const Params&, Spec& s) {
    s.obs<f64>("obs", {9});
    s.action<i32>().categories(2);
    s.reward_low = 0;
  }
  static void derive(auto& p) { p.sum = p.real * p.real + to_f64(p.single) * 3.0; }
  static bool in_lanes(const auto& p) { return !any(p.noise > 0.0); }
  static void reset(State& s, const Params& p, Rng&) { s = {p.sum + p.integer, 0}; }
  static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    ++single_steps;
    ++s.steps;
    return {.reward = f32(p.sum) * f32(*action.at<i32>(0))};
  }
  static void observe(const State& s, const Params& p, Row row) {
    const f64 numbers[] = {f64(p.flag),    p.real,       f64(p.small), f64(p.large), p.single,
                           f64(p.integer), f64(p.fixed), p.sum,        s.start};
    for (int i = 0; i < 9; ++i) row.at<f64, 9>(0)[i] = numbers[i];
  }
#if ENVPOOL_SIMD
  static constexpr int kLanes = 4;
  ENVPOOL_ALWAYS_INLINE static OutcomeLanes step_lanes(State* const* states, const auto& p, ActionRow first) {
    ++steps_in_lanes;
    for (int lane = 0; lane < kLanes; ++lane) ++states[lane]->steps;
    return {to_f32(in_all_lanes(p.sum)) * __builtin_convertvector(load(first.at<i32>(0)), f32x4), i32x4{}};
  }
  ENVPOOL_ALWAYS_INLINE static void observe_lanes(const State* const* states, const Params& p, Row first) {
    for (int lane = 0; lane < kLanes; ++lane)
      observe(*states[lane], p, {first.fields, first.row_bytes, first.row + lane});
  }
  ENVPOOL_ALWAYS_INLINE static void observe_lanes(const State* const* states, const ParamsOf<Lanes>& p, Row first) {
    for (int lane = 0; lane < kLanes; ++lane, ++first.row) {
      const f64 numbers[] = {f64(p.flag[lane]),  p.real[lane],        f64(p.small[lane]),
                             f64(p.large[lane]), f64(p.single[lane]), f64(p.integer[lane]),
                             f64(p.fixed[lane]), p.sum[lane],         states[lane]->start};
      for (int i = 0; i < 9; ++i) first.at<f64, 9>(0)[i] = numbers[i];
    }
  }
#endif
};

TEST(members_of_every_type_have_the_values_of_their_rows) { testing::check_row_options<Members>(); }

// A block of 64 rows is stepped in lanes unless one of its rows has noise.
TEST(rows_with_different_options_are_stepped_in_lanes) {
  using Rows = testing::RowOptions<Members>;
  Rows rows(/*seed=*/1, /*restarts=*/true, {});
  Members::steps_in_lanes = Members::single_steps = 0;
  rows.run(1);
  const i64 in_lanes = testing::wants_simd() ? Rows::kFirstNoisy : 0;
  CHECK_EQ(Members::steps_in_lanes, in_lanes / 4);
  CHECK_EQ(Members::single_steps, 2 * Rows::kRows - in_lanes);
}

}  // namespace envpool

TEST_MAIN()
