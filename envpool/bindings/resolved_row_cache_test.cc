// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/resolved_row_cache.h"

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "envpool/core/testing/testing.h"

namespace envpool::xla {

constexpr i64 kRowBytes = 32, kResolvedBytes = 48;

// A resolved row that holds a number, a checksum of the caller's choice, and twice the number as the resolved value.
struct TestRow {
  u64 words[kResolvedBytes / 8]{};

  explicit TestRow(u64 number, u64 checksum) : words{1, checksum, number, 0, 2 * number, 0} {}
  explicit TestRow(u64 number) : TestRow(number, number * 0x9E3779B97F4A7C15u) {}
  const u8* bytes() const { return reinterpret_cast<const u8*>(words); }
};

// Looks up a batch, and counts the rows that had to be resolved.
struct TestBatch {
  std::vector<u8> rows{}, resolved{};
  i64 count = 0, resolved_count = 0;

  void add(const TestRow& row) {
    rows.insert(rows.end(), row.bytes(), row.bytes() + kRowBytes);
    ++count;
  }
  void find(ResolvedRowCache& cache) {
    resolved_count = 0;
    resolved.assign(size_t(count * kResolvedBytes), 0);
    cache.find({rows.data(), kRowBytes}, count, resolved.data(), [&](i64 k, u8* out) {
      u64 words[kResolvedBytes / 8]{};
      std::memcpy(words, rows.data() + k * kRowBytes, kRowBytes);
      if (words[2] == 13) throw std::invalid_argument("13");
      words[4] = 2 * words[2];
      std::memcpy(out, words, sizeof(words));
      ++resolved_count;
    });
  }
  u64 word(i64 k, i64 at) const {
    u64 found;
    std::memcpy(&found, resolved.data() + k * kResolvedBytes + 8 * at, 8);
    return found;
  }
};

TEST(a_row_is_resolved_once) {
  ResolvedRowCache cache(kRowBytes, kResolvedBytes);
  cache.insert(TestRow(3).bytes());
  TestBatch batch;
  for (const u64 number : {7, 3, 5, 5, 3, 7, 9}) batch.add(TestRow(number));
  for (const i64 resolved_count : {3, 0, 0}) {
    batch.find(cache);
    CHECK_EQ(batch.resolved_count, resolved_count);
    CHECK_EQ(cache.size(), 4);
    for (i64 k = 0; k < batch.count; ++k) CHECK_EQ(batch.word(k, 4), 2 * batch.word(k, 2));
    for (i64 k = 0; k < batch.count; ++k)
      CHECK_EQ(std::memcmp(batch.resolved.data() + k * kResolvedBytes, batch.rows.data() + k * kRowBytes, kRowBytes),
               0);
  }
}

TEST(rows_with_equal_checksums_are_distinguished) {
  ResolvedRowCache cache(kRowBytes, kResolvedBytes);
  cache.insert(TestRow(3, 77).bytes());
  TestBatch batch;
  for (const u64 number : {4, 3, 5, 4}) batch.add(TestRow(number, 77));
  batch.find(cache);
  CHECK_EQ(batch.resolved_count, 2);
  batch.find(cache);
  CHECK_EQ(batch.resolved_count, 0);
  for (i64 k = 0; k < batch.count; ++k) CHECK_EQ(batch.word(k, 4), 2 * batch.word(k, 2));
}

TEST(every_byte_of_a_row_is_compared) {
  ResolvedRowCache cache(kRowBytes, kResolvedBytes);
  cache.insert(TestRow(3).bytes());
  for (i64 at = 0; at < kRowBytes; ++at) {
    TestBatch batch;
    batch.add(TestRow(3));
    batch.rows[size_t(at)] ^= 1;
    batch.find(cache);
    CHECK_EQ(batch.resolved_count, 1);
  }
}

TEST(a_row_whose_resolution_throws_is_not_cached) {
  ResolvedRowCache cache(kRowBytes, kResolvedBytes);
  TestBatch batch;
  for (const u64 number : {3, 13, 5}) batch.add(TestRow(number));
  for (int times = 0; times < 2; ++times) {
    bool thrown = false;
    try {
      batch.find(cache);
    } catch (const std::invalid_argument&) {
      thrown = true;
    }
    CHECK(thrown);
    CHECK_EQ(cache.size(), 1);
  }
}

TEST(memory_is_bounded) {
  ResolvedRowCache cache(kRowBytes, kResolvedBytes);
  constexpr i64 kMaxRows = ResolvedRowCache::kMaxBytes / kResolvedBytes;
  for (i64 number = 0; number < kMaxRows; ++number) cache.insert(TestRow(u64(number)).bytes());
  CHECK_EQ(cache.size(), kMaxRows);
  cache.insert(TestRow(1).bytes());
  CHECK_EQ(cache.size(), kMaxRows);
  cache.insert(TestRow(u64(kMaxRows)).bytes());
  CHECK_EQ(cache.size(), 1);
  TestBatch batch;
  for (const u64 number : {u64(kMaxRows), u64{1}}) batch.add(TestRow(number));
  batch.find(cache);
  CHECK_EQ(batch.resolved_count, 1);
  cache.note_batch(kMaxRows);  // makes room for a larger batch
  for (i64 number = 0; number < kMaxRows + 10; ++number) cache.insert(TestRow(u64(number)).bytes());
  CHECK_EQ(cache.size(), kMaxRows + 10);
}

TEST(threads_may_look_up_and_insert_concurrently) {
  ResolvedRowCache cache(kRowBytes, kResolvedBytes);
  std::vector<std::thread> threads;
  constexpr u64 kNumbers = 20000;
  std::atomic<i64> wrong{0}, started{0};
  for (u64 thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (++started; started < 4;) std::this_thread::yield();
      for (u64 first = 0; first < kNumbers; first += 10) {
        TestBatch batch;
        for (u64 k = 0; k < 20; ++k) batch.add(TestRow(100 + (first + k + 100 * thread) % kNumbers));
        batch.find(cache);
        for (i64 k = 0; k < batch.count; ++k) wrong += batch.word(k, 4) != 2 * batch.word(k, 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(wrong.load(), 0);
  CHECK_EQ(cache.size(), i64(kNumbers));
}

}  // namespace envpool::xla

TEST_MAIN()
