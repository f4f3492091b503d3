// SPDX-License-Identifier: Apache-2.0
//
// Tests that lanes compute the same bits as scalar code. Also tests that they are used if the CPU has SIMD code; no
// other test checks this.
#include "tests/support/simd.h"

#include <atomic>

#include "envpool/core/math/lanes.h"
#include "envpool/core/plugin.h"
#include "envpool/core/pool/env_pool.h"
#include "tests/support/testing.h"

namespace envpool {

#if ENVPOOL_SIMD
template <class Lanes>
bool same(Lanes found, const math::Scalar<Lanes>* expected) {
  for (int lane = 0; lane < 4; ++lane) {
    const math::Scalar<Lanes> value = found[lane];
    const bool nan = value != value && expected[lane] != expected[lane];
    if (!nan && math::bits(value) != math::bits(expected[lane])) return false;
  }
  return true;
}

// In one of eight iterations, one lane has arbitrary bits; the other numbers are small enough for the straight-line
// code.
template <class Lanes>
void check_mathematics() {
  using T = math::Scalar<Lanes>;
  Rng rng{.seed = 3};
  for (int i = 0; i < 50000; ++i) {
    Lanes x;
    T sines[4], cosines[4], powers[4], logs[4], roots[4];
    for (int lane = 0; lane < 4; ++lane) {
      const u64 word = u64{rng.bits()} << 32 | rng.bits();
      const bool any_bits = i % 8 == 0 && lane == i / 8 % 4;
      x[lane] = any_bits ? math::real<T>(math::Bits<T>(word)) : T(rng.uniform(i % 3 == 0 ? 0 : -1, 1) * (1 << i % 10));
      const auto [sin, cos] = sincos(T(x[lane]));
      sines[lane] = sin;
      cosines[lane] = cos;
      powers[lane] = exp(T(x[lane]));
      logs[lane] = log(T(x[lane]));
      roots[lane] = sqrt(T(x[lane]));
    }
    const auto [sin, cos] = sincos(x);
    CHECK(same(sin, sines));
    CHECK(same(cos, cosines));
    if constexpr (sizeof(T) == 4) {
      CHECK(same(exp(x), powers));
      CHECK(same(log(x), logs));
      CHECK(same(sqrt(x), roots));
    }
  }
}

TEST(lanes_have_the_bits_of_scalars) {
  check_mathematics<f64x4>();
  check_mathematics<f32x4>();
}
#endif

// Adds up scaled actions until a goal is reached, in lanes if possible, and counts the calls to each function.
struct ScaledSumEnv {
  static constexpr const char* kName = "ScaledSumEnv";
  struct Params {
    f64 scale;
    bool lanes;
  };
  struct State {
    f64 sum;
  };
  static constexpr f64 kGoal = 20;
  static inline std::atomic<i32> in_lanes_steps = 0, single_steps = 0, in_lanes_observations = 0;

  static void options(OptionSpecs& o) {
    o.real("scale", 0.5, "factor of the actions");
    o.boolean("lanes", true, "whether it may step in lanes");
  }
  static Params params(const OptionValues& values) { return {values.real("scale"), values.boolean("lanes")}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<f32>("obs");
    spec.action<f32>();
  }
  ENVPOOL_FN static void reset(State& state, const Params&, Rng& rng) { state.sum = rng.uniform(); }
  ENVPOOL_FN static Outcome step(State& state, const Params& params, ActionRow action, Rng&) {
    ++single_steps;
    state.sum += params.scale * f64(*action.at<f32>(0));
    return {.reward = f32(state.sum), .terminated = state.sum > kGoal};
  }
  ENVPOOL_FN static void observe(const State& state, const Params&, Row row) { *row.at<f32, 1>(0) = f32(state.sum); }
#if ENVPOOL_SIMD
  static constexpr int kLanes = 4;
  static bool in_lanes(const Params& params) { return params.lanes; }
  ENVPOOL_ALWAYS_INLINE static OutcomeLanes step_lanes(State* const* states, const Params& params, ActionRow first) {
    ++in_lanes_steps;
    const f64x4 sum = gather(states, &State::sum) + params.scale * to_f64(load(first.at<f32>(0)));
    scatter(sum, states, &State::sum);
    return {to_f32(sum), to_i32(sum > kGoal)};
  }
  ENVPOOL_ALWAYS_INLINE static void observe_lanes(const State* const* states, const Params&, Row first) {
    ++in_lanes_observations;
    store_rows(first.at<f32, 1>(0), gather(states, &State::sum));
  }
#endif
};

// Steps rows by an environment's pure functions. Every `over`-th row's episode is over before the step.
template <class Env>
struct PureStep {
  i64 rows;
  std::vector<f32> reset_obs, obs, last, reward, discount, actions;
  std::vector<u8> terminated, truncated;
  std::vector<i32> elapsed;

  PureStep(i64 of, bool lanes, i64 over) : rows(of) {
    const abi::Table& table = *envpool::table<Env>();
    const abi::Pure& pure = *table.pure;
    const abi::TextSink discarded{[](void*, const char*, i64) {}, nullptr};
    const abi::Option given{"lanes", abi::kOptionBool, lanes, f64(lanes), nullptr, 0};
    const abi::Options options{&given, 1};
    void* model = nullptr;
    CHECK_EQ(table.model_create(&options, &model, discarded), 0);
    const i64 state_bytes = pure.state_bytes(model);
    std::vector<__int128> states(size_t(state_bytes * rows) / sizeof(__int128));
    for (auto* column : {&obs, &last, &reward, &discount, &actions}) column->resize(size_t(rows));
    for (auto* column : {&terminated, &truncated}) column->resize(size_t(rows));
    elapsed.resize(size_t(rows));
    for (i64 k = 0; k < rows; ++k) actions[size_t(k)] = f32(k % 11);
    const u32 zeros[2]{};
    void *fields[] = {obs.data()}, *final_fields[] = {last.data()};
    const void* action_fields[] = {actions.data()};
    abi::PureWork work{};
    work.count = rows;
    work.keys = work.streams = {zeros, 0};
    work.new_states = reinterpret_cast<u8*>(states.data());
    work.fields = fields;
    CHECK_EQ(pure.reset(model, &work, discarded), 0);
    for (i64 k = 0; over > 0 && k < rows; k += over)
      reinterpret_cast<EnvSlot<StateOf<Env>>*>(work.new_states + k * state_bytes)->episode.over = true;
    reset_obs = obs;
    work.states = {states.data(), state_bytes};
    work.actions = action_fields;
    work.final_fields = over > 0 ? nullptr : final_fields;
    work.reward = reward.data();
    work.discount = discount.data();
    work.terminated = terminated.data();
    work.truncated = truncated.data();
    work.elapsed = elapsed.data();
    CHECK_EQ(pure.step(model, &work, discarded), 0);
    table.model_destroy(model);
  }
  bool operator==(const PureStep&) const = default;
};

TEST(pure_functions_step_whole_groups_in_lanes) {
  ScaledSumEnv::in_lanes_steps = ScaledSumEnv::in_lanes_observations = ScaledSumEnv::single_steps = 0;
  const PureStep<ScaledSumEnv> step(11, /*lanes=*/true, /*over=*/0);
  const i32 groups = testing::wants_simd() ? 2 : 0;
  CHECK_EQ(ScaledSumEnv::in_lanes_steps, groups);
  CHECK_EQ(ScaledSumEnv::in_lanes_observations, groups);
  CHECK_EQ(ScaledSumEnv::single_steps, 11 - 4 * groups);
  for (size_t k = 0; k < 11; ++k) {
    CHECK_EQ(step.reward[k], step.reset_obs[k] + 0.5f * f32(k));
    CHECK_EQ(step.obs[k], step.reward[k]);
    CHECK_EQ(step.elapsed[k], 1);
  }
}

// Rows whose episodes are over are not stepped, and the rows between them are still stepped in lanes.
TEST(rows_are_stepped_in_lanes_around_episodes_that_are_over) {
  const PureStep<ScaledSumEnv> single(203, /*lanes=*/false, /*over=*/9);
  ScaledSumEnv::in_lanes_steps = ScaledSumEnv::single_steps = 0;
  const PureStep<ScaledSumEnv> in_lanes(203, /*lanes=*/true, /*over=*/9);
  CHECK(single == in_lanes);
  // 22 times eight rows, and then four, are between rows whose episodes are over.
  CHECK_EQ(ScaledSumEnv::in_lanes_steps, testing::wants_simd() ? 45 : 0);
  CHECK_EQ(ScaledSumEnv::single_steps, testing::wants_simd() ? 0 : 180);
}

// Does the same in groups, and draws random numbers.
struct GroupedSumEnv : ScaledSumEnv {
  static constexpr const char* kName = "GroupedSumEnv";
  struct State : ScaledSumEnv::State {
    u8 unused[20000];
  };
  static inline std::atomic<i32> groups = 0, most = 0, members = 0;

  ENVPOOL_FN static Outcome step(State& state, const Params& params, ActionRow action, Rng& rng) {
    state.sum += params.scale * f64(*action.at<f32>(0)) * rng.uniform();
    return {.reward = f32(state.sum), .terminated = state.sum > kGoal};
  }
#if ENVPOOL_SIMD
  static constexpr int kGroup = 8;
  static void step_group(State* const* states, int count, const Params* const* params, const ActionRow* actions,
                         Rng* const* rngs, Outcome* outcomes) {
    CHECK(count >= 3 && count <= 8);
    ++groups;
    members += count;
    if (count > most) most = count;
    for (int i = 0; i < count; ++i) outcomes[i] = step(*states[i], *params[i], actions[i], *rngs[i]);
  }

 private:
  using ScaledSumEnv::kLanes, ScaledSumEnv::step_lanes, ScaledSumEnv::observe_lanes;
#endif
};

// The state is so large that only one fits into the cache. Rows whose episodes are over leave no gap in a group.
TEST(pure_functions_step_in_groups) {
  for (const i64 over : {0, 3}) {
    const PureStep<GroupedSumEnv> single(203, /*lanes=*/false, over);
    GroupedSumEnv::groups = GroupedSumEnv::most = GroupedSumEnv::members = 0;
    const PureStep<GroupedSumEnv> grouped(203, /*lanes=*/true, over);
    CHECK(single == grouped);
    const bool simd = testing::wants_simd();
    const i32 stepped = over == 0 ? 203 : 203 - 68;
    CHECK_EQ(GroupedSumEnv::most.load(), simd ? 8 : 0);
    CHECK(!simd || GroupedSumEnv::members >= stepped - 4 * 2);  // a block may end with a group that is too small
    CHECK(GroupedSumEnv::groups <= (stepped + 7) / 8 + 3);
  }
}

// Records the results of every environment of a pool, step by step.
template <class Env>
struct TrajectoryRecorder {
  abi::Autoreset autoreset;
  i32 batch_size;
  i32 max_episode_steps;
  bool shared_options;

  std::vector<std::vector<f32>> operator()(bool lanes) const {
    constexpr i32 kEnvs = 37;
    constexpr size_t kNumbers = 8 * 40;
    EnvConfig config{.num_envs = kEnvs, .autoreset = autoreset};
    config.options.resize(shared_options ? 1 : kEnvs);
    for (size_t i = 0; i < config.options.size(); ++i) {
      config.options[i].add_real("scale", i % 9 == 8 ? 0.25 : 0.5);
      config.options[i].add_integer("lanes", abi::kOptionBool, lanes);
    }
    std::vector<i32> ids;
    for (i32 i = 0; i < kEnvs; ++i) {
      config.max_episode_steps.push_back(max_episode_steps + (shared_options || max_episode_steps == 0 ? 0 : i % 3));
      config.seeds.push_back(7);
      config.streams.push_back(u32(i));
      ids.push_back(i);
    }
    const auto pool = EnvPool::make(*table<Env>(), config, {"test", batch_size, 1});
    const int obs = abi::kCommonFields, last_obs = pool->block_layout().find("final.obs");
    std::vector<std::vector<f32>> seen(kEnvs);
    pool->reset(ids.data(), kEnvs);
    const auto enough = [&] {
      return std::all_of(seen.begin(), seen.end(),
                         [](const auto& trajectory) { return trajectory.size() >= kNumbers; });
    };
    while (!enough()) {
      const Batch block = pool->recv();
      std::vector<i32> continuing, ended;
      std::vector<f32> actions;
      for (i32 row = 0; row < block->rows(); ++row) {
        const i32 env_id = block->values<i32>(abi::kEnvId)[row];
        const u8 terminated = block->values<u8>(abi::kTerminated)[row];
        const u8 truncated = block->values<u8>(abi::kTruncated)[row];
        const bool over = terminated || truncated;
        auto& trajectory = seen[size_t(env_id)];
        trajectory.insert(
            trajectory.end(),
            {block->values<f32>(abi::kReward)[row], block->values<f32>(abi::kDiscount)[row], f32(terminated),
             f32(truncated), f32(block->values<i32>(abi::kStepType)[row]), f32(block->values<i32>(abi::kElapsed)[row]),
             block->values<f32>(obs)[row], over && last_obs >= 0 ? block->values<f32>(last_obs)[row] : 0});
        if (over && autoreset == abi::kAutoresetDisabled) {
          ended.push_back(env_id);
        } else {
          continuing.push_back(env_id);
          actions.push_back(f32(env_id % 7) + f32(trajectory.size() % 5));
        }
      }
      const void* const fields[] = {actions.data()};
      // Environments whose episodes ended are reset explicitly if autoreset is disabled.
      if (!continuing.empty()) pool->send(continuing.data(), i32(continuing.size()), fields);
      if (!ended.empty()) pool->reset(ended.data(), i32(ended.size()));
    }
    pool->close(std::chrono::seconds(5));
    for (auto& trajectory : seen) trajectory.resize(kNumbers);
    return seen;
  }
};

TEST(a_pool_steps_in_lanes_with_equal_results) {
  i32 in_lanes = 0;  // in all cases together, because the size of a run depends on timing
  for (const abi::Autoreset autoreset : {abi::kAutoresetNextStep, abi::kAutoresetSameStep, abi::kAutoresetDisabled}) {
    for (const i32 batch_size : {0, 16}) {
      for (const i32 limit : {0, 6}) {
        for (const bool shared_options : {true, false}) {
          const TrajectoryRecorder<ScaledSumEnv> record{autoreset, batch_size, limit, shared_options};
          ScaledSumEnv::in_lanes_steps = 0;
          const auto scalar = record(/*lanes=*/false);
          CHECK_EQ(ScaledSumEnv::in_lanes_steps, 0);
          const auto lanes = record(/*lanes=*/true);
          in_lanes += ScaledSumEnv::in_lanes_steps;
          CHECK(scalar == lanes);
        }
      }
    }
  }
  CHECK_EQ(in_lanes > 0, testing::wants_simd());
}

TEST(a_pool_steps_in_groups_with_equal_results) {
  for (const abi::Autoreset autoreset : {abi::kAutoresetNextStep, abi::kAutoresetSameStep, abi::kAutoresetDisabled}) {
    for (const i32 batch_size : {0, 16}) {
      const TrajectoryRecorder<GroupedSumEnv> record{autoreset, batch_size, 6, /*shared_options=*/true};
      GroupedSumEnv::groups = GroupedSumEnv::most = 0;
      const auto single = record(/*lanes=*/false);
      CHECK_EQ(GroupedSumEnv::groups, 0);
      CHECK(single == record(/*lanes=*/true));
      CHECK_EQ(GroupedSumEnv::groups > 0, testing::wants_simd());
      CHECK_EQ(GroupedSumEnv::most == 8, testing::wants_simd());
    }
  }
}

}  // namespace envpool

TEST_MAIN()
