// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/resolved_rows.h"

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "envpool/core/testing/testing.h"

namespace envpool::xla {

constexpr i64 kRowBytes = 32, kResolvedBytes = 48;

// The row of a number, with a checksum of the caller's choice, and twice the number as what it resolves to.
struct Row {
  u64 words[kResolvedBytes / 8]{};

  explicit Row(u64 number, u64 check) : words{1, check, number, 0, 2 * number, 0} {}
  explicit Row(u64 number) : Row(number, number * 0x9E3779B97F4A7C15u) {}
  const u8* bytes() const { return reinterpret_cast<const u8*>(words); }
};

// Looks a batch up. Rows that are not known are resolved, as the real ones, from their own bytes.
struct Batch {
  std::vector<u8> rows{}, resolved{};
  i64 count = 0, made = 0;

  void add(const Row& row) {
    rows.insert(rows.end(), row.bytes(), row.bytes() + kRowBytes);
    ++count;
  }
  void find(ResolvedRows& known) {
    made = 0;
    resolved.assign(size_t(count * kResolvedBytes), 0);
    known.find({rows.data(), kRowBytes}, count, resolved.data(), [&](i64 k, u8* out) {
      u64 words[kResolvedBytes / 8]{};
      std::memcpy(words, rows.data() + k * kRowBytes, kRowBytes);
      if (words[2] == 13) throw std::invalid_argument("13");
      words[4] = 2 * words[2];
      std::memcpy(out, words, sizeof(words));
      ++made;
    });
  }
  u64 word(i64 k, i64 at) const {
    u64 found;
    std::memcpy(&found, resolved.data() + k * kResolvedBytes + 8 * at, 8);
    return found;
  }
};

TEST(a_row_is_resolved_once) {
  ResolvedRows known(kRowBytes, kResolvedBytes);
  known.learn(Row(3).bytes());
  Batch batch;
  for (const u64 number : {7, 3, 5, 5, 3, 7, 9}) batch.add(Row(number));
  for (const i64 made : {3, 0, 0}) {
    batch.find(known);
    CHECK_EQ(batch.made, made);
    CHECK_EQ(known.size(), 4);
    for (i64 k = 0; k < batch.count; ++k) CHECK_EQ(batch.word(k, 4), 2 * batch.word(k, 2));
    for (i64 k = 0; k < batch.count; ++k)
      CHECK_EQ(std::memcmp(batch.resolved.data() + k * kResolvedBytes, batch.rows.data() + k * kRowBytes, kRowBytes),
               0);
  }
}

TEST(rows_of_the_same_checksum_are_told_apart) {
  ResolvedRows known(kRowBytes, kResolvedBytes);
  known.learn(Row(3, 77).bytes());
  Batch batch;
  for (const u64 number : {4, 3, 5, 4}) batch.add(Row(number, 77));
  batch.find(known);
  CHECK_EQ(batch.made, 2);
  batch.find(known);
  CHECK_EQ(batch.made, 0);
  for (i64 k = 0; k < batch.count; ++k) CHECK_EQ(batch.word(k, 4), 2 * batch.word(k, 2));
}

TEST(every_byte_counts) {
  ResolvedRows known(kRowBytes, kResolvedBytes);
  known.learn(Row(3).bytes());
  for (i64 at = 0; at < kRowBytes; ++at) {
    Batch batch;
    batch.add(Row(3));
    batch.rows[size_t(at)] ^= 1;
    batch.find(known);
    CHECK_EQ(batch.made, 1);
  }
}

TEST(what_throws_is_not_learnt) {
  ResolvedRows known(kRowBytes, kResolvedBytes);
  Batch batch;
  for (const u64 number : {3, 13, 5}) batch.add(Row(number));
  for (int times = 0; times < 2; ++times) {
    bool thrown = false;
    try {
      batch.find(known);
    } catch (const std::invalid_argument&) {
      thrown = true;
    }
    CHECK(thrown);
    CHECK_EQ(known.size(), 1);
  }
}

TEST(memory_is_bounded) {
  ResolvedRows known(kRowBytes, kResolvedBytes);
  constexpr i64 kMost = ResolvedRows::kMostBytes / kResolvedBytes;
  for (i64 number = 0; number < kMost; ++number) known.learn(Row(u64(number)).bytes());
  CHECK_EQ(known.size(), kMost);
  known.learn(Row(1).bytes());
  CHECK_EQ(known.size(), kMost);
  known.learn(Row(u64(kMost)).bytes());
  CHECK_EQ(known.size(), 1);
  Batch batch;
  for (const u64 number : {u64(kMost), u64{1}}) batch.add(Row(number));
  batch.find(known);
  CHECK_EQ(batch.made, 1);
  known.expect(kMost);  // a batch that takes more is not forgotten while it is in use
  for (i64 number = 0; number < kMost + 10; ++number) known.learn(Row(u64(number)).bytes());
  CHECK_EQ(known.size(), kMost + 10);
}

TEST(many_threads_may_ask_and_learn) {
  ResolvedRows known(kRowBytes, kResolvedBytes);
  std::vector<std::thread> threads;
  constexpr u64 kNumbers = 20000;
  std::atomic<i64> wrong{0}, started{0};
  for (u64 thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (++started; started < 4;) std::this_thread::yield();
      for (u64 first = 0; first < kNumbers; first += 10) {
        Batch batch;
        for (u64 k = 0; k < 20; ++k) batch.add(Row(100 + (first + k + 100 * thread) % kNumbers));
        batch.find(known);
        for (i64 k = 0; k < batch.count; ++k) wrong += batch.word(k, 4) != 2 * batch.word(k, 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(wrong.load(), 0);
  CHECK_EQ(known.size(), i64(kNumbers));
}

}  // namespace envpool::xla

TEST_MAIN()
