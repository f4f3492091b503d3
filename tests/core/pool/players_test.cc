// SPDX-License-Identifier: Apache-2.0
//
// Tests pools whose environments have several players.
#include "envpool/core/pool/env_pool.h"

#include "tests/core/environments.h"
#include "tests/support/testing.h"

namespace envpool::testing {

TEST(options_set_the_maximum_number_of_players) {
  i64 sizes[2];
  for (const i32 players : {2, 1000}) {
    const auto pool = PoolConfig{.num_envs = 3, .goal = players}.sized_world();
    CHECK_EQ(pool->layout().max_players, players);
    reset_all(*pool);
    CHECK_EQ(pool->recv()->players(), 3 * players);
    std::vector<i32> actions;
    for (i32 i = 0; i < 3 * players; ++i) actions.insert(actions.end(), {i % 1000, i % 3});
    const std::vector<i32> ids = all_ids(*pool);
    for (i32 times = 1; times <= 2; ++times) {
      const void* field = actions.data();
      pool->send(ids.data(), 3, &field, nullptr, 3 * players, CallerHelp::kYes);
      const Batch batch = pool->recv({}, {}, CallerHelp::kYes);
      const i32* obs = batch->values<i32>(batch->layout().find("obs"));
      i32 wrong = 0;
      for (i32 i = 0; i < 3 * players; ++i) {
        const i32 right = i % players == players - 1 ? i - players + 1 : i + 1;
        wrong += obs[2 * i] != times * (i % 1000) || obs[2 * i + 1] != times * (right % 1000);
        wrong += batch->values<f32>(abi::kReward)[i] != f32(times * (i % 1000));
      }
      CHECK_EQ(wrong, 0);
    }
    sizes[players == 1000] = i64(snapshot_of(*pool, 0).size());
  }
  CHECK(sizes[0] < 200);
  CHECK_EQ((sizes[1] - sizes[0] + 15) / 16, 998 * 8 / 16);
  CHECK_THROWS((PoolConfig{.goal = 0}.sized_world()), std::invalid_argument);
  CHECK_THROWS((PoolConfig{.goal = 1001}.sized_world()), std::invalid_argument);

  EnvConfig config{.num_envs = 2, .options = std::vector<OptionList>(2)};
  config.options[0].add_integer("players", abi::kOptionInt, 2);
  config.options[1].add_integer("players", abi::kOptionInt, 3);
  config.max_episode_steps.assign(2, 0);
  config.seeds.assign(2, 0);
  config.streams = {0, 1};
  CHECK_THROWS(EnvPool::make(*table<SizedWorldEnv>(), config, {"test", 0, 1}), std::invalid_argument);
}

// With same-step autoreset, a row has all players of the episode that ended and of the next episode. The entries of a
// player that is absent from one of the two are zero.
TEST(a_row_has_the_players_of_both_episodes_with_same_step_autoreset) {
  const auto pool =
      PoolConfig{.num_envs = 5, .autoreset = abi::kAutoresetSameStep, .max_episode_steps = 1}.varying_players();
  reset_all(*pool);
  (void)pool->recv();
  const int owner = pool->block_layout().find("players.env_id");
  const int obs = pool->block_layout().find("obs"), final_obs = pool->block_layout().find("final.obs");
  bool grown = false;
  for (i32 times = 0; times < 40; ++times) {
    std::vector<i32> sent(5);
    i32 total = 0;
    for (i32 i = 0; i < 5; ++i) total += sent[size_t(i)] = pool->players(i);
    const Batch batch = step(*pool, std::vector<i32>(size_t(total), 7));
    i32 player = 0;
    for (i32 i = 0; i < batch->players(); ++i) {
      const i32 env_id = batch->values<i32>(owner)[i];
      player = i > 0 && env_id == batch->values<i32>(owner)[i - 1] ? player + 1 : 0;
      const bool there = batch->values<i32>(final_obs)[i] != 0;  // whether the player took part in the step
      CHECK_EQ(batch->values<i32>(final_obs)[i], there ? 7 + player : 0);
      CHECK_EQ(batch->values<f32>(abi::kReward)[i], there ? f32(7 + player) : 0.0f);
      CHECK_EQ(batch->values<i32>(obs)[i], 0);
      grown |= player >= sent[size_t(env_id)];
    }
    i32 room = 0;
    for (i32 i = 0; i < 5; ++i) room += pool->players(i);
    CHECK_EQ(batch->players(), room);
  }
  CHECK(grown);
}

TEST(players_are_compacted_in_order_and_act_by_environment_id) {
  const auto pool = PoolConfig{.num_envs = 5, .num_threads = 3}.varying_players();
  reset_all(*pool);
  const int owner = pool->block_layout().find("players.env_id");
  std::vector<i32> owners;
  {
    const Batch batch = pool->recv();
    owners.assign(batch->values<i32>(owner), batch->values<i32>(owner) + batch->players());
    i32 total = 0;
    for (i32 i = 0; i < 5; ++i) total += pool->players(i);
    CHECK_EQ(batch->players(), total);
  }
  CHECK_THROWS(step(*pool, std::vector<i32>(owners.size() + 1, 0)), std::invalid_argument);
  std::vector<i32> actions;
  for (size_t i = 0; i < owners.size(); ++i) actions.push_back(i32(i) * 2);
  std::vector<i32> rewards;
  {
    const Batch batch = step(*pool, actions);
    i32 player = 0;
    for (i32 i = 0; i < batch->players(); ++i) {
      player = i > 0 && owners[size_t(i)] == owners[size_t(i - 1)] ? player + 1 : 0;
      CHECK_EQ(batch->values<i32>(owner)[i], owners[size_t(i)]);
      CHECK_EQ(batch->values<f32>(abi::kReward)[i], f32(actions[size_t(i)] + player));
    }
  }
  // Send the rows in reverse order, with the environment of each row.
  std::vector<i32> backwards(owners.rbegin(), owners.rend());
  const std::vector<i32> ids = all_ids(*pool);
  const void* field = actions.data();
  pool->send(ids.data(), 5, &field, backwards.data(), i32(actions.size()));
  (void)pool->recv();
  backwards[0] = backwards[0] == 0 ? 1 : 0;
  CHECK_THROWS(pool->send(ids.data(), 5, &field, backwards.data(), i32(actions.size())), std::invalid_argument);
}

TEST(the_number_of_players_can_be_read_while_others_step) {
  const auto pool = PoolConfig{.num_envs = 8, .goal = 100}.sum_env();
  reset_all(*pool);
  (void)pool->recv();
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) CHECK_EQ(pool->players(3), 1);
  });
  for (int i = 0; i < 500; ++i) (void)step(*pool, std::vector<i32>(8, 1));
  stop = true;
  other.join();
}

}  // namespace envpool::testing

TEST_MAIN()
