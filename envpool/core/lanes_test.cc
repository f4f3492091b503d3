// SPDX-License-Identifier: Apache-2.0
//
// That lanes are used where the processor has them: their bits are the scalar's, so no other test would tell.
#include "envpool/core/testing_avx2.h"

#include "envpool/core/lanes.h"
#include "envpool/core/plugin.h"
#include "envpool/core/testing.h"

namespace envpool {

// Adds what it is told to, by the four where it can, and counts how often it did either.
struct Adder {
  static constexpr const char* kName = "Adder";
  struct Params {
    f64 scale;
  };
  struct State {
    f64 sum;
  };
  static inline i32 in_lanes_steps = 0, single_steps = 0, in_lanes_observations = 0;

  static void options(OptionSpecs& o) { o.real("scale", 0.5, "times what is added"); }
  static Params params(const OptionValues& values) { return {values.real("scale")}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<f32>("obs");
    spec.action<f32>();
  }
  ENVPOOL_FN static void reset(State& state, const Params&, Rng&) { state.sum = 0; }
  ENVPOOL_FN static Outcome step(State& state, const Params& params, ActionRow action, Rng&) {
    ++single_steps;
    state.sum += params.scale * f64(*action.at<f32>(0));
    return {f32(state.sum)};
  }
  ENVPOOL_FN static void observe(const State& state, const Params&, Row row) { *row.at<f32, 1>(0) = f32(state.sum); }
#if ENVPOOL_AVX2
  static constexpr int kLanes = 4;
  ENVPOOL_ALWAYS_INLINE static void step_lanes(State* const* states, const Params& params, ActionRow first,
                                               Outcome* outcomes) {
    ++in_lanes_steps;
    const f64x4 sum = gather(states, &State::sum) + params.scale * to_f64(load(first.at<f32>(0)));
    scatter(sum, states, &State::sum);
    for (int lane = 0; lane < 4; ++lane) outcomes[lane] = {f32(sum[lane])};
  }
  ENVPOOL_ALWAYS_INLINE static void observe_lanes(const State* const* states, const Params&, Row first) {
    ++in_lanes_observations;
    store_rows(first.at<f32, 1>(0), gather(states, &State::sum));
  }
#endif
};

TEST(whole_groups_of_rows_go_in_lanes) {
  constexpr i64 kRows = 11;
  const abi::Table& table = *portable_table<Adder>();
  const abi::Pure& pure = *table.pure;
  const abi::Text nowhere{[](void*, const char*, i64) {}, nullptr};
  const abi::Options none{nullptr, 0};
  void* model = nullptr;
  CHECK_EQ(table.model_create(&none, &model, nowhere), 0);
  std::vector<u8> params(size_t(pure.params_bytes(model)));
  CHECK_EQ(pure.params(model, &none, 0, params.data(), nowhere), 0);
  std::vector<__int128> states(size_t(pure.state_bytes(model) * kRows) / sizeof(__int128));
  std::vector<f32> obs(kRows), last(kRows), reward(kRows), discount(kRows), actions(kRows);
  std::vector<u8> terminated(kRows), truncated(kRows);
  std::vector<i32> elapsed(kRows);
  for (i64 k = 0; k < kRows; ++k) actions[size_t(k)] = f32(k);
  const u32 zeros[2]{};
  void *fields[] = {obs.data()}, *final_fields[] = {last.data()};
  const void* action_fields[] = {actions.data()};
  abi::PureWork work{};
  work.count = kRows;
  work.keys = work.streams = {zeros, 0};
  work.params = {params.data(), 0};
  work.new_states = reinterpret_cast<u8*>(states.data());
  work.fields = fields;
  CHECK_EQ(pure.reset(model, &work, nowhere), 0);
  work.states = {states.data(), pure.state_bytes(model)};
  work.actions = action_fields;
  work.final_fields = final_fields;
  work.reward = reward.data();
  work.discount = discount.data();
  work.terminated = terminated.data();
  work.truncated = truncated.data();
  work.elapsed = elapsed.data();
  CHECK_EQ(pure.step(model, &work, nowhere), 0);

  const i32 groups = testing::wants_avx2() ? 2 : 0;
  CHECK_EQ(Adder::in_lanes_steps, groups);
  CHECK_EQ(Adder::in_lanes_observations, groups);
  CHECK_EQ(Adder::single_steps, i32(kRows) - 4 * groups);
  for (i64 k = 0; k < kRows; ++k) {
    CHECK_EQ(reward[size_t(k)], 0.5f * f32(k));
    CHECK_EQ(obs[size_t(k)], 0.5f * f32(k));
    CHECK_EQ(elapsed[size_t(k)], 1);
  }
  table.model_destroy(model);
}

}  // namespace envpool

TEST_MAIN()
