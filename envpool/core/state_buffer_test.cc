// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/state_buffer.h"

#include <cstdint>

#include "envpool/core/testing.h"

namespace envpool {

const i64 kPair[] = {2};
const abi::Field kFields[] = {{"obs", abi::kF32, true, 1, kPair, 8, 0}, {"lives", abi::kI32, false, 0, nullptr, 4, 0}};
const abi::Layout kLayout{kFields, nullptr, 2, 0, 3, 0, 0};

TEST(every_array_starts_on_sixty_four_bytes) {
  const BlockLayout layout(kLayout, 5, true);
  Block block(layout);
  for (size_t i = 0; i < layout.arrays.size(); ++i)
    CHECK_EQ(reinterpret_cast<std::uintptr_t>(block.data(int(i))) % 64, 0u);
  CHECK(layout.find("final.obs") > layout.find("obs"));
  CHECK_EQ(layout.find("nothing"), -1);
}

TEST(a_block_comes_back_and_is_used_again) {
  auto pool = std::make_shared<BlockPool>(BlockLayout(kLayout, 4, false), 2);
  Block* first = pool->acquire(4);
  first->home = pool;
  {
    const Batch batch(first);
  }
  CHECK_EQ(pool->acquire(3), first);
  CHECK_EQ(first->rows(), 3);
  pool->release(first);
}

TEST(a_block_outlives_its_pool_in_the_users_hands) {
  auto pool = std::make_shared<BlockPool>(BlockLayout(kLayout, 4, false), 2);
  Block* block = pool->acquire(4);
  block->home = pool;
  Batch batch(block);
  pool.reset();
  block->data(0)[0] = 1;  // still ours; AddressSanitizer would object
}

TEST(a_block_is_complete_when_its_rows_are) {
  auto pool = std::make_shared<BlockPool>(BlockLayout(kLayout, 4, false), 2);
  Block* block = pool->acquire(3);
  CHECK(!block->finish(2));
  CHECK(!block->complete());
  CHECK(block->finish(1));
  CHECK(block->complete());
  pool->release(block);
}

TEST(the_gaps_between_players_are_closed) {
  const BlockLayout layout(kLayout, 3, false);
  Block block(layout);
  block.open(3);
  const abi::Rows rows = block.rows_from(0);
  const i32 counts[] = {2, 0, 3};
  const int obs = layout.find("obs");
  for (i32 row = 0; row < 3; ++row) {
    static_cast<i32*>(rows.fields[abi::kPlayers])[row] = counts[row];
    static_cast<i32*>(rows.fields[abi::kEnvId])[row] = 10 + row;
    for (i32 player = 0; player < counts[row]; ++player) {
      static_cast<f32*>(rows.fields[obs])[(row * 3 + player) * 2] = f32(row * 10 + player);
      static_cast<f32*>(rows.fields[abi::kReward])[row * 3 + player] = f32(-row);
    }
  }
  block.gather_players();
  CHECK_EQ(block.players(), 5);
  CHECK_EQ(block.entries(obs), 5);
  CHECK_EQ(block.entries(layout.find("lives")), 3);
  const f32 expected[] = {0, 1, 20, 21, 22};
  const i32 owners[] = {10, 10, 12, 12, 12};
  for (i32 i = 0; i < 5; ++i) {
    CHECK_EQ(block.values<f32>(obs)[i * 2], expected[i]);
    CHECK_EQ(block.values<i32>(layout.find("players.env_id"))[i], owners[i]);
  }
  CHECK_EQ(block.values<f32>(abi::kReward)[4], -2.0f);
}

}  // namespace envpool

TEST_MAIN()
