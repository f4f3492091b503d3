// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/text.h"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "envpool/core/math/rng.h"
#include "tests/support/testing.h"

namespace envpool {

bool same_bits(f64 a, f64 b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

TEST(numbers_are_written_as_printf_does) {
  Rng rng{.seed = 1};
  for (i32 i = 0; i < 20000; ++i) {
    const u64 word = u64{rng.bits()} << 32 | rng.bits();
    f64 value;
    std::memcpy(&value, &word, sizeof(value));
    if (i % 2 == 0) value = std::round(rng.uniform(-1e6, 1e6)) / 100;
    if (std::isnan(value)) continue;
    for (const int digits : {9, 15, kExactDigits}) {
      char expected[40];
      std::snprintf(expected, sizeof(expected), "%.*g", digits, value);
      CHECK_EQ(to_text(value, digits), std::string(expected));
    }
    const auto read = parse_real(to_text(value, kExactDigits));
    CHECK(read && same_bits(*read, value));
  }
  CHECK_EQ(to_text(0.1), std::string("0.1"));
  CHECK_EQ(to_text(-HUGE_VAL), std::string("-inf"));
}

TEST(only_whole_numbers_are_read) {
  CHECK(parse_real("0.75") == 0.75);
  CHECK(parse_real("+.5e1") == 5.0);
  CHECK(parse_real("-inf") == -HUGE_VAL);
  CHECK(std::isnan(parse_real("nan").value()));
  for (const char* wrong : {"", " 1", "1 ", "0,5", "1x", "+-1", "++1", "0x10", "1e", "true"}) CHECK(!parse_real(wrong));
  CHECK(parse_integer("-12") == -12);
  CHECK(parse_integer("+9223372036854775807") == 9223372036854775807);
  for (const char* wrong : {"", "1.0", "9223372036854775808", "+-1", "1 "}) CHECK(!parse_integer(wrong));
}

TEST(bytes_that_are_not_utf8_are_replaced) {
  for (const char* valid :
       {"", "caf\xC3\xA9", "\xE2\x82\xAC", "\xED\x9F\xBF\xEE\x80\x80", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"})
    CHECK_EQ(valid_utf8(valid), std::string(valid));
  const std::string r = "\xEF\xBF\xBD";
  CHECK_EQ(valid_utf8("caf\xE9"), "caf" + r);
  CHECK_EQ(valid_utf8("\xE9t\xE9"), r + "t" + r);
  CHECK_EQ(valid_utf8("\xC0\x80\xC1\xBF"), r + r + r + r);
  CHECK_EQ(valid_utf8("\xED\xA0\x80"), r + r + r);          // a surrogate
  CHECK_EQ(valid_utf8("\xF4\x90\x80\x80"), r + r + r + r);  // above 10FFFF
  CHECK_EQ(valid_utf8("\xE0\x80\x80 \xF0\x8F\xBF\xBF"), r + r + r + " " + r + r + r + r);
  CHECK_EQ(valid_utf8("\x80\xFF"), r + r);
}

TEST(texts_are_split) {
  CHECK(split_words("  a b\t\nc ") == (std::vector<std::string>{"a", "b", "c"}));
  CHECK(split_words(" \n").empty());
  CHECK(split("a::b:", ':') == (std::vector<std::string>{"a", "", "b"}));
  CHECK(split("", ':').empty());
}

}  // namespace envpool

TEST_MAIN()
