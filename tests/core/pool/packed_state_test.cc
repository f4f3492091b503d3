// SPDX-License-Identifier: Apache-2.0
//
// Tests the packing of states that have repetitions.
#include "envpool/core/pool/packed_state.h"

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/support/testing.h"

namespace envpool {

abi::Layout layout_with(const std::vector<abi::Repetition>& repetitions) {
  abi::Layout layout{};
  layout.repetitions = repetitions.data();
  layout.num_repetitions = i32(repetitions.size());
  return layout;
}

std::string packed(const StatePacker& packer, const std::string& state) {
  std::string bytes(size_t(StatePacker::most_bytes(i64(state.size()))), '\0');
  const char* const end = packer.pack(state.data(), i64(state.size()), bytes.data());
  CHECK(end <= bytes.data() + bytes.size());
  bytes.resize(size_t(end - bytes.data()));
  return bytes;
}

// Returns an exact copy on the heap, in which AddressSanitizer detects accesses beyond the end.
std::vector<char> copy_of(const std::string& bytes) { return {bytes.begin(), bytes.end()}; }

bool unpacks_to(const StatePacker& packer, const std::string& bytes, std::vector<char>& state) {
  const std::vector<char> exact = copy_of(bytes);
  return packer.unpack(exact.data(), i64(exact.size()), state.data(), i64(state.size()));
}

// Distances from a word to several blocks of words, and parts that begin and end within a word.
const std::vector<std::vector<abi::Repetition>> kRepetitions = {
    {{8, 64, 8}},
    {{84, 2000, 84}},
    {{101, 7, 13}, {128, 1, 9}, {520, 1528, 63}},
    {{64, 512, 64}, {576, 1400, 576}},
    {{1024, 1024, 1000}},
};

TEST(a_packed_state_unpacks_to_the_same_bytes) {
  std::mt19937 random(1);
  for (const auto& repetitions : kRepetitions) {
    for (const i64 size : {2048, 2056, 4096}) {
      const abi::Layout layout = layout_with(repetitions);
      const StatePacker packer(layout);
      CHECK(packer.applies(size));
      CHECK(!packer.applies(size + 4));
      for (const u32 share : {0u, 1u, 20u, 100u}) {  // of bytes that are not zero, in percent
        std::string state(size_t(size), '\0');
        for (char& byte : state) {
          if (random() % 100 < share) byte = char(random());
        }
        std::vector<char> result(size_t(size), char(0xA5));
        CHECK(unpacks_to(packer, packed(packer, state), result));
        CHECK(std::memcmp(result.data(), state.data(), size_t(size)) == 0);
      }
    }
  }
}

TEST(only_differences_are_stored) {
  const std::vector<abi::Repetition> repetitions = {{160, 16000, 160}};
  const abi::Layout layout = layout_with(repetitions);
  const StatePacker packer(layout);
  std::string image(16160, '\0');
  for (size_t i = 0; i < image.size(); ++i) image[i] = char(1 + i % 160);
  const i64 masks = (16160 / 8 + 63) / 64 * 8;
  CHECK_EQ(i64(packed(packer, image).size()), masks + 160);
  image[8000] = char(image[8000] ^ 1);  // this row and the next one differ from the rows above
  CHECK_EQ(i64(packed(packer, image).size()), masks + 160 + 2 * 8);
  const abi::Layout plain{};
  CHECK(!StatePacker(plain).applies(16160));
}

TEST(some_bytes_are_left_out) {
  const std::vector<abi::Repetition> repetitions = {{80, 800, 80}, {880, 640, abi::kLeftOut}, {1600, 400, 8}};
  const abi::Layout layout = layout_with(repetitions);
  const StatePacker packer(layout);
  std::mt19937 random(3);
  std::string state(2048, '\0');
  for (char& byte : state) byte = char(random());
  std::string expected = state;
  std::memset(expected.data() + 880, 0, 640);
  std::vector<char> result(2048, char(0xA5));
  CHECK(unpacks_to(packer, packed(packer, state), result));
  CHECK(std::memcmp(result.data(), expected.data(), 2048) == 0);
  CHECK(packed(packer, state) == packed(packer, expected));
  CHECK_EQ(i64(packed(packer, state).size()), 2048 + 4 * 8 - 640);
}

// The bytes of a snapshot are user input.
TEST(other_bytes_are_refused_or_unpack_to_something) {
  std::mt19937 random(2);
  const i64 size = 2056;
  for (const auto& repetitions : kRepetitions) {
    const abi::Layout layout = layout_with(repetitions);
    const StatePacker packer(layout);
    std::string state(size_t(size), '\0');
    for (char& byte : state) byte = char(random() % 8 == 0 ? random() : 0);
    const std::string good = packed(packer, state);
    std::vector<char> result(static_cast<size_t>(size));
    for (size_t length = 0; length < good.size(); ++length) CHECK(!unpacks_to(packer, good.substr(0, length), result));
    CHECK(!unpacks_to(packer, good + std::string(8, '\0'), result));
    CHECK(!unpacks_to(packer, std::string(good.size(), char(0xFF)), result));
    for (i32 k = 0; k < 2000; ++k) {
      std::string bad = good;
      for (u32 changes = random() % 4 + 1; changes > 0; --changes) bad[random() % bad.size()] = char(random());
      (void)unpacks_to(packer, bad, result);
    }
    // A word beyond the end of the state.
    std::string last = packed(packer, std::string(size_t(size), '\0'));
    last[last.size() - 1] = char(0x80);
    CHECK(!unpacks_to(packer, last + std::string(8, '\1'), result));
  }
}

}  // namespace envpool

TEST_MAIN()
