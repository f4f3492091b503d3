// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/table/option_numbers.h"

#include <cmath>
#include <vector>

#include "envpool/core/math/rng.h"
#include "tests/support/testing.h"

namespace envpool {

constexpr abi::Tunable kOption{"option", abi::kOptionReal, abi::kF64, 0, 0.7, 100.3, 0, 1};
constexpr f64 kMade = 12.3;

// Checks rows of type T against TunableValue. They include the bounds and the value of make().
template <class T>
void check_rows(abi::Dtype dtype) {
  const TunableValue value(kOption, kMade, dtype);
  Rng rng{.seed = u64(dtype)};
  i32 refused = 0;
  for (int round = 0; round < 2000; ++round) {
    const i64 first = rng.below(3), count = 1 + rng.below(70), distance = 1 + i64(rng.below(2));
    std::vector<T> rows(size_t((first + count) * distance));
    bool accepted = true;
    for (i64 i = 0; i < count; ++i) {
      const u32 kind = rng.below(400);
      f64 number = rng.uniform(1, 100);
      if (kind == 0) number = rng.below(2) == 0 ? -1 : 102;
      if (kind == 1) number = std::nan("");
      if (kind >= 380) number = kind % 3 == 0 ? value.held_made : kind % 3 == 1 ? value.held_low : value.held_high;
      T& row = rows[size_t((first + i) * distance)];
      row = std::is_integral_v<T> && number != number ? T(101) : T(number);
      accepted &= value.accepts(f64(row));
    }
    const abi::OptionColumn column{rows.data(), distance * i64(sizeof(T)), 0, dtype};
    constexpr i64 kStep = 6;
    f64 numbers[18 * kStep] = {};
    CHECK_EQ(read_numbers(column, value, first, count, numbers, kStep), accepted);
    refused += !accepted;
    for (i64 i = 0; i < count && accepted; ++i) {
      CHECK_EQ(math::bits(numbers[i / 4 * kStep + i % 4]), math::bits(value.used(number_in_row(column, first + i))));
    }
    for (i64 i = 0; i < 18; ++i) CHECK_EQ(numbers[i * kStep + 4], 0.0);
  }
  CHECK(refused > 100 && refused < 1900);
}

TEST(rows_have_the_values_of_single_numbers) {
  check_rows<f32>(abi::kF32);
  check_rows<f64>(abi::kF64);
  check_rows<i32>(abi::kI32);
  check_rows<i64>(abi::kI64);
  check_rows<u8>(abi::kU8);
}

}  // namespace envpool

TEST_MAIN()
