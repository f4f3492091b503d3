// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/pool/block.h"

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "envpool/core/pool/result_blocks.h"
#include "tests/support/testing.h"

namespace envpool {

const i64 kPair[] = {2};
const abi::Field kFields[] = {{"obs", abi::kF32, true, 1, kPair, 8, 0}, {"lives", abi::kI32, false, 0, nullptr, 4, 0}};
const abi::Layout kLayout{kFields, nullptr, 2, 0, 3, 0, 0};

TEST(arrays_are_aligned_to_64_bytes) {
  const BlockLayout layout(kLayout, 5, FinalFields::kKept);
  Block block(layout, 5);
  for (size_t i = 0; i < layout.arrays.size(); ++i)
    CHECK_EQ(reinterpret_cast<std::uintptr_t>(block.data(int(i))) % 64, 0u);
  CHECK(layout.find("final.obs") > layout.find("obs"));
  CHECK_EQ(layout.find("nothing"), -1);
}

TEST(a_released_block_is_reused) {
  auto pool = std::make_shared<BlockPool>(BlockLayout(kLayout, 4, FinalFields::kNone));
  Block* first = pool->acquire(4);
  first->pool = pool;
  {
    const Batch batch(first);
  }
  CHECK_EQ(pool->acquire(3), first);
  CHECK_EQ(first->rows(), 3);
  pool->release(first);
}

// An asynchronous pool whose batches are small may observe all of its environments.
TEST(a_block_may_be_larger_than_a_batch) {
  auto pool = std::make_shared<BlockPool>(BlockLayout(kLayout, 4, FinalFields::kNone));
  Block* large = pool->acquire(33);
  CHECK(large->capacity() >= 33);
  CHECK(large->data(1) - large->data(0) >= i64(33 * 3 * sizeof(f32)));
  pool->release(large);
  CHECK_EQ(pool->idle_bytes(), 0);
}

// The blocks are released all at once, as after a rollout.
TEST(an_idle_block_is_freed_after_the_timeout) {
  const auto idle_timeout = std::chrono::milliseconds(60);
  BlockPool pool(BlockLayout(kLayout, 4, FinalFields::kNone), idle_timeout);
  const i64 one = pool.layout().bytes(4);
  std::vector<Block*> held;
  bool interrupted = true;  // the machine may be too busy to release all blocks within the timeout
  for (int attempt = 0; interrupted && attempt < 100; ++attempt) {
    held.clear();
    for (int i = 0; i < 10; ++i) held.push_back(pool.acquire(4));
    const auto begin = std::chrono::steady_clock::now();
    for (Block* block : held) pool.release(block);
    interrupted = std::chrono::steady_clock::now() - begin >= idle_timeout / 2;
  }
  CHECK_EQ(pool.idle_bytes(), 10 * one);  // the next rollout may follow immediately
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    Block* const used = pool.acquire(4);
    CHECK_EQ(used, held.back());
    pool.release(used);
  }
  CHECK_EQ(pool.idle_bytes(), one);
  pool.trim();
  CHECK_EQ(pool.idle_bytes(), 0);
}

TEST(the_capacity_of_a_block_fits_its_rows) {
  BlockPool pool(BlockLayout(kLayout, 1000, FinalFields::kNone));
  for (const auto& [rows, capacity] :
       {std::pair{1, 1}, {2, 2}, {3, 4}, {5, 8}, {512, 512}, {513, 1000}, {1000, 1000}}) {
    Block* const block = pool.acquire(rows);
    CHECK_EQ(block->rows(), rows);
    CHECK_EQ(block->capacity(), capacity);
    block->open(capacity);
    const abi::ResultRows last = block->rows_from(capacity - 1);
    std::memset(static_cast<f32*>(last.fields[8]) + i64(capacity - 1) * 3 * 2, 1,
                3 * 8);  // AddressSanitizer checks the bounds
    pool.release(block);
    Block* const again = pool.acquire(rows);
    CHECK_EQ(again, block);
    pool.release(again);
  }
}

TEST(a_failure_has_an_environment_and_a_message) {
  const Failure failure = Failure::of(3, "threw");
  CHECK_EQ(failure.env_id, 3);
  CHECK_EQ(failure.message, "threw");
}

TEST(a_block_records_at_most_two_failures_per_row) {
  const BlockLayout layout(kLayout, 2, FinalFields::kNone);
  Block block(layout, 2);
  block.open(2);
  for (i32 i = 0; i < 6; ++i) block.fail(Failure::of(i, "threw"));
  CHECK_EQ(block.failures().size(), 4u);
  block.open(2);
  CHECK(block.failures().empty());
}

TEST(a_block_that_the_user_holds_outlives_its_pool) {
  auto pool = std::make_shared<BlockPool>(BlockLayout(kLayout, 4, FinalFields::kNone));
  Block* block = pool->acquire(4);
  block->pool = pool;
  Batch batch(block);
  pool.reset();
  block->data(0)[0] = 1;  // AddressSanitizer checks that the memory is still valid
}

TEST(a_block_is_complete_when_all_rows_are) {
  auto pool = std::make_shared<BlockPool>(BlockLayout(kLayout, 4, FinalFields::kNone));
  Block* block = pool->acquire(3);
  CHECK(!block->finish(2));
  CHECK(!block->complete());
  CHECK(block->finish(1));
  CHECK(block->complete());
  pool->release(block);
}

TEST(claimed_rows_are_consecutive_rows_of_one_block) {
  ResultBlocks results(std::make_shared<BlockPool>(BlockLayout(kLayout, 4, FinalFields::kNone)), Mode::kAsync, 8, 4);
  results.allocate();
  Block* blocks[2] = {};
  const i32 expected[][4] = {{3, 0, 0, 3}, {3, 0, 3, 1}, {2, 1, 0, 2}, {9, 1, 2, 2}};  // wanted, block, first, count
  for (const auto& [wanted, number, first, count] : expected) {
    const ResultBlocks::Rows rows = results.claim(wanted);
    if (blocks[number] == nullptr) blocks[number] = rows.block;
    CHECK(rows.block == blocks[number]);
    CHECK_EQ(rows.first, first);
    CHECK_EQ(rows.count, count);
  }
  CHECK(blocks[0] != blocks[1]);
}

TEST(per_player_arrays_are_compacted) {
  const BlockLayout layout(kLayout, 3, FinalFields::kNone);
  Block block(layout, 3);
  block.open(3);
  const abi::ResultRows rows = block.rows_from(0);
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
  block.compact_players();
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
