// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/plugin.h"
#include "envpool/core/pool/env_pool.h"
#include "tests/support/testing.h"

namespace envpool {

// A world of boats. Each player has an action (rowing), and the world has one (the wind), which is passed in the row of
// the first player.
struct Fleet {
  static constexpr const char* kName = "Fleet";
  static constexpr i32 kMaxPlayers = 3, kPhases = 1;
  struct Params {
    i32 boats;
  };
  struct Shared {
    i32 boats, wind;
  };
  struct Agent {
    i32 at;
  };
  static void options(OptionSpecs& o) { o.integer("boats", 3, "number of boats").between(1, 3); }
  static Params params(const OptionValues& values) { return {i32(values.integer("boats"))}; }
  static void spec(const Params& params, Spec& spec) {
    spec.max_players = params.boats;
    spec.obs<i32>("at").per_player();
    spec.obs<i32>("wind");
    spec.action<i32>("row").per_player();
    spec.action<i32>("wind");
  }
  static void state_parts(StateParts<Shared>& parts) { parts.add("wind", &Shared::wind); }
  ENVPOOL_FN static void reset(World<Fleet>& world, const Params& params, Rng&) {
    world.shared = {params.boats, 0};
    for (Agent& agent : world.agent) agent = {0};
  }
  ENVPOOL_FN static i32 players(const World<Fleet>& world) { return world.shared.boats; }
  template <int kPhase>
  ENVPOOL_FN static void phase(World<Fleet>& world, i32 agent, const Params&, ActionRow action, Rng&) {
    world.agent[agent].at += *action.at<i32>(0);
    if (agent == 0) {
      world.shared.wind = *action.at<i32>(1);
    } else if (*action.at<i32>(1) != 0) {
      world.agent[agent].at = -1000;  // the other players' rows do not contain the wind
    }
  }
  ENVPOOL_FN static Outcome finish(World<Fleet>& world, const Params&, Rng&) {
    for (Agent& agent : world.agent) agent.at += world.shared.wind;
    return {.terminated = world.agent[0].at > 99};
  }
  ENVPOOL_FN static f32 reward(const World<Fleet>& world, i32 agent) { return f32(world.agent[agent].at); }
  ENVPOOL_FN static void observe(const World<Fleet>& world, const Params&, i32 agent, Row row) {
    *row.at<i32, 1>(0) = world.agent[agent].at;
  }
  ENVPOOL_FN static void observe_world(const World<Fleet>& world, const Params&, Row row) {
    *row.at<i32, 1>(1) = world.shared.wind;
  }
};

// A batch of worlds that are stepped by pure functions, with arrays for the results.
struct FleetBatch {
  const abi::Pure& pure = *table<Fleet>()->pure;
  const abi::TextSink discarded{[](void*, const char*, i64) {}, nullptr};
  i64 count;
  void* model = nullptr;
  std::vector<__int128> states{};
  std::vector<i32> at, wind, last_at, last_wind, elapsed, players;
  std::vector<f32> reward, discount;
  std::vector<u8> terminated, truncated;
  const u32 zeros[2]{};
  void *fields[2], *final_fields[2];
  const void* actions[2]{};
  abi::PureWork work{};

  FleetBatch(i64 worlds, i64 boats) : count(worlds) {
    const abi::Option option{"boats", abi::kOptionInt, boats, f64(boats), nullptr, 0};
    const abi::Options options{&option, 1};
    CHECK_EQ(table<Fleet>()->model_create(&options, &model, discarded), 0);
    states.resize(size_t(pure.state_bytes(model) * count) / sizeof(__int128));
    for (auto* column : {&at, &last_at}) column->resize(size_t(count * boats), -7);
    for (auto* column : {&wind, &last_wind, &elapsed, &players}) column->resize(size_t(count), -7);
    for (auto* column : {&reward, &discount}) column->resize(size_t(count * boats), -7);
    for (auto* column : {&terminated, &truncated}) column->resize(size_t(count), 7);
    fields[0] = at.data();
    fields[1] = wind.data();
    final_fields[0] = last_at.data();
    final_fields[1] = last_wind.data();
    work.count = count;
    work.keys = work.streams = {zeros, 0};
    work.max_episode_steps = 4;
    work.new_states = reinterpret_cast<u8*>(states.data());
    work.fields = fields;
    CHECK_EQ(pure.reset(model, &work, discarded), 0);
    work.states = {states.data(), pure.state_bytes(model)};
    work.final_fields = final_fields;
    work.reward = reward.data();
    work.discount = discount.data();
    work.terminated = terminated.data();
    work.truncated = truncated.data();
    work.elapsed = elapsed.data();
    work.players = players.data();
  }
  ~FleetBatch() { table<Fleet>()->model_destroy(model); }
  FleetBatch(const FleetBatch&) = delete;
  FleetBatch& operator=(const FleetBatch&) = delete;

  void step(const std::vector<i32>& row, const std::vector<i32>& blows) {
    actions[0] = row.data();
    actions[1] = blows.data();
    work.actions = actions;
    CHECK_EQ(pure.step(model, &work, discarded), 0);
  }
};

TEST(the_action_of_the_world_is_in_the_row_of_the_first_player) {
  FleetBatch fleets(2, 3);
  fleets.step({1, 2, 3, 4, 5, 6}, {10, 20});
  const std::vector<i32> at{11, 12, 13, 24, 25, 26}, wind{10, 20};
  CHECK(fleets.at == at && fleets.wind == wind);
  CHECK(fleets.players == std::vector<i32>({3, 3}));
  for (size_t i = 0; i < at.size(); ++i) CHECK_EQ(fleets.reward[i], f32(at[i]));
  fleets.step({1, 2, 3, 90, 0, 0}, {0, 1});
  CHECK(fleets.at == std::vector<i32>({12, 14, 16, 0, 0, 0}));           // the second world was reset
  CHECK(fleets.last_at == std::vector<i32>({-7, -7, -7, 115, 26, 27}));  // only ended episodes have a last observation
  CHECK(fleets.wind == std::vector<i32>({0, 0}) && fleets.last_wind == std::vector<i32>({-7, 1}));
  CHECK(fleets.terminated == std::vector<u8>({0, 1}) && fleets.truncated == std::vector<u8>({0, 0}));
  CHECK(fleets.discount == std::vector<f32>({1, 1, 1, 0, 0, 0}));
}

TEST(one_action_can_be_broadcast) {
  FleetBatch fleets(2, 3);
  fleets.work.broadcast_action = 1;
  fleets.step({1, 2, 3}, {10});
  CHECK(fleets.at == std::vector<i32>({11, 12, 13, 11, 12, 13}));
}

TEST(a_world_can_have_one_player) {
  FleetBatch fleets(3, 1);
  for (i32 t = 1; t <= 4; ++t) {
    fleets.step({1, 2, 3}, {10, 20, 0});
    CHECK((t < 4 ? fleets.at : fleets.last_at) == std::vector<i32>({11 * t, 22 * t, 3 * t}));
    CHECK(fleets.elapsed == std::vector<i32>({t, t, t}));
  }
  CHECK(fleets.truncated == std::vector<u8>({1, 1, 1}));
  CHECK(fleets.at == std::vector<i32>({0, 0, 0}));
}

TEST(rows_of_other_models_are_rejected) {
  FleetBatch three(1, 3), two(1, 2);
  std::string error;
  const abi::TextSink text{
      [](void* to, const char* from, i64 size) { static_cast<std::string*>(to)->assign(from, size); }, &error};
  three.work.states = {two.states.data(), 0};
  three.work.actions = three.actions;
  CHECK(three.pure.step(three.model, &three.work, text) != 0);
  CHECK_EQ(error, std::string(
                      "state: expected rows of Fleet with the options of this environment, got another kind in row 0"));
}

}  // namespace envpool

TEST_MAIN()
