// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/table/next_options.h"

#include <memory>
#include <string>
#include <vector>

#include "envpool/core/math/lanes.h"
#include "envpool/core/plugin.h"
#include "tests/support/testing.h"

namespace envpool {

// An environment that can be stepped in lanes, and whose reward and observation show its parameters.
struct Shown {
  static constexpr const char* kName = "Shown";
  static constexpr int kLanes = 4;
  struct Params {
    f64 value, size, derived;
  };
  struct State {
    i32 steps;
  };
  static void options(OptionSpecs& o) {
    o.real("value", 1, "what is observed").between(0, 1000).sets(&Params::value);
    o.real("size", 8, "extra bytes, which must not change").between(0, 64).sets(&Params::size);
  }
  static void spec(const Params&, Spec& s) {
    s.obs<f64>("obs", {2});
    s.action<i32>().categories(2);
  }
  static i64 extra_bytes(const Params& p) { return i64(p.size); }
  static void derive(Params& p) { p.derived = 2 * p.value; }
  static void reset(State& s, const Params&, Rng&) { s.steps = 0; }
  static Outcome step(State& s, const Params& p, ActionRow, Rng&) {
    ++s.steps;
    return {.reward = f32(p.value)};
  }
  static void observe(const State& s, const Params& p, Row row) {
    row.at<f64, 2>(0)[0] = p.derived;
    row.at<f64, 2>(0)[1] = s.steps;
  }
#if ENVPOOL_SIMD
  static OutcomeLanes step_lanes(State* const* states, const Params& p, ActionRow) {
    for (int lane = 0; lane < kLanes; ++lane) ++states[lane]->steps;
    const f32 reward = f32(p.value);
    return {f32x4{reward, reward, reward, reward}, i32x4{}};
  }
#endif
};

constexpr i32 kValue = 0, kSize = 1, kEnvs = 8;

// Eight environments with the results of their last step or reset.
struct Pool {
  explicit Pool(abi::Autoreset mode, i32 limit = 3) {
    const abi::Options none{nullptr, 0};
    ok([&](abi::TextSink sink) { return table->model_create(&none, &model, sink); });
    for (i32 i = 0; i < kEnvs; ++i) ids.push_back(i);
    const std::vector<void*> models(kEnvs, model);
    const std::vector<i32> limits(kEnvs, limit);
    const std::vector<u64> seeds(kEnvs, 1);
    const std::vector<u32> streams(kEnvs, 0);
    const abi::Config config{kEnvs, 1, mode, models.data(), limits.data(), seeds.data(), streams.data()};
    ok([&](abi::TextSink sink) { return table->create(&config, &envs, sink); });
    for (i32 f = 0; f < abi::kCommonFields + 1; ++f) {
      fields.push_back(bytes[f]);
      final_fields.push_back(final_bytes[f]);
    }
    work.env_ids = ids.data();
    work.count = kEnvs;
    work.actions = actions;
    work.rows = {fields.data(), mode == abi::kAutoresetSameStep ? final_fields.data() : nullptr, 0};
    table->reset(envs, &work);
  }
  ~Pool() {
    table->destroy(envs);
    table->model_destroy(model);
  }
  template <class Call>
  void ok(Call&& call) {
    CHECK_EQ(call(sink()), i32(abi::kDone));
  }
  abi::TextSink sink() {
    error.clear();
    return {[](void* context, const char* text, i64 size) {
              static_cast<std::string*>(context)->append(text, size_t(size));
            },
            &error};
  }
  i32 set(const std::vector<i32>& env_ids, const std::vector<i32>& options, const std::vector<f64>& values) {
    return table->set_options(envs, env_ids.data(), i32(env_ids.size()), options.data(), i32(options.size()),
                              values.data(), sink());
  }
  f64 value(i32 env_id) const {
    f64 values[3];
    table->get_options(envs, env_id, values);
    return values[1];
  }
  f64 limit(i32 env_id) const {
    f64 values[3];
    table->get_options(envs, env_id, values);
    return values[0];
  }
  void step() { table->step(envs, &work); }
  f64 obs(i32 row) const { return reinterpret_cast<const f64*>(bytes[abi::kCommonFields])[2 * row]; }
  f64 final_obs(i32 row) const { return reinterpret_cast<const f64*>(final_bytes[abi::kCommonFields])[2 * row]; }
  f32 reward(i32 row) const { return reinterpret_cast<const f32*>(bytes[abi::kReward])[row]; }

  const abi::Table* table = envpool::table<Shown>();
  void *model = nullptr, *envs = nullptr;
  std::string error;
  std::vector<i32> ids;
  alignas(16) u8 bytes[abi::kCommonFields + 1][256] = {}, final_bytes[abi::kCommonFields + 1][256] = {};
  i32 action[kEnvs] = {};
  const void* actions[1] = {action};
  std::vector<void*> fields, final_fields;
  abi::Work work{};
};

TEST(new_values_take_effect_with_the_next_episode) {
  Pool pool(abi::kAutoresetNextStep);
  CHECK_EQ(pool.set({2, 5}, {kValue}, {20, 50}), i32(abi::kDone));
  for (i32 step = 0; step < 3; ++step) {
    pool.step();
    for (i32 row = 0; row < kEnvs; ++row) CHECK_EQ(pool.obs(row), 2.0);
    CHECK_EQ(pool.value(2), 1.0);
  }
  pool.step();  // begins the next episodes
  for (i32 step = 0; step < 2; ++step) {
    for (i32 row = 0; row < kEnvs; ++row) CHECK_EQ(pool.obs(row), row == 2 ? 40.0 : row == 5 ? 100.0 : 2.0);
    pool.step();
    for (i32 row = 0; row < kEnvs; ++row) CHECK_EQ(f64(pool.reward(row)), row == 2 ? 20.0 : row == 5 ? 50.0 : 1.0);
  }
  CHECK_EQ(pool.value(2), 20.0);
}

TEST(the_observations_of_both_episodes_show_their_own_options) {
  Pool pool(abi::kAutoresetSameStep);
  CHECK_EQ(pool.set({0, 6}, {kValue}, {10, 60}), i32(abi::kDone));
  for (i32 step = 0; step < 3; ++step) pool.step();
  for (i32 row = 0; row < kEnvs; ++row) {
    CHECK_EQ(pool.final_obs(row), 2.0);
    CHECK_EQ(pool.obs(row), row == 0 ? 20.0 : row == 6 ? 120.0 : 2.0);
  }
}

TEST(environments_with_equal_values_share_params) {
  NextOptions<Shown> next(3);
  const Shown::Params made{1, 8, 2};
  const auto of_make = [&](i32) { return OptionsOfEnv<Shown>{{std::shared_ptr<void>(), &made}, 7}; };
  const std::vector<i32> ids{0, 1, 2}, option{kValue};
  const std::vector<f64> values{5, 5, 1};
  next.set(ids.data(), 3, option.data(), 1, values.data(), of_make);
  const auto *first = next.begin(0), *second = next.begin(1), *third = next.begin(2);
  CHECK(first != nullptr && second != nullptr && third != nullptr);
  CHECK(first->params == second->params);
  CHECK(third->params.get() == &made);
  CHECK_EQ(first->params->derived, 10.0);
  CHECK_EQ(first->max_episode_steps, 7);
  CHECK(next.begin(0) == nullptr);
}

TEST(bad_values_change_nothing) {
  Pool pool(abi::kAutoresetDisabled);
  const auto refused = [&](const std::vector<i32>& options, const std::vector<f64>& values) {
    CHECK_EQ(pool.set({3, 4}, options, values), i32(abi::kFailed));
    return pool.error;
  };
  CHECK_EQ(refused({kValue}, {5, -1}), std::string("value: expected a number from 0 to 1000, got -1 in environment 4"));
  CHECK_EQ(refused({kValue}, {__builtin_nan(""), 5}),
           std::string("value: expected a number from 0 to 1000, got nan in environment 3"));
  CHECK_EQ(refused({kValue, abi::kTimeLimit}, {5, 5, 5, -1}),
           std::string("max_episode_steps: expected a number from 0 to 2147483647, got -1 in environment 4"));
  CHECK_EQ(refused({kSize}, {8, 24}),
           std::string("expected options that do not change the size of a state, got one that does in environment 4"));
  CHECK(refused({2}, {1, 1}).starts_with("options: expected the number of an option"));
  CHECK(refused({-2}, {1, 1}).starts_with("options: expected the number of an option"));
  pool.table->reset(pool.envs, &pool.work);
  for (i32 env_id = 0; env_id < kEnvs; ++env_id) {
    CHECK_EQ(pool.value(env_id), 1.0);
    CHECK_EQ(pool.limit(env_id), 3.0);
  }
}

}  // namespace envpool

TEST_MAIN()
