// SPDX-License-Identifier: Apache-2.0
//
// Functions of texts. Those that convert numbers do not depend on the locale. In a process that has set a locale with a
// decimal comma, as Qt does, C's printf writes "0,5" and strtod stops at the point of "0.5". Code elsewhere must not
// use these; tests/core/text_test.py checks this. For the host only.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#ifndef __cpp_lib_to_chars  // Apple's libc++ cannot read floating-point numbers with from_chars
#include <cmath>
#include <locale>
#include <sstream>
#endif

#include "envpool/core/types.h"

namespace envpool {

// Enough digits for a text that reads as the same f64.
inline constexpr int kExactDigits = 17;

// Formats a number with at most the given number of significant digits, like printf's "%.*g".
inline std::string to_text(f64 value, int digits = 15) {
#ifdef __cpp_lib_to_chars
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value, std::chars_format::general, digits).ptr};
#else
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(digits);
  text << value;
  return text.str();
#endif
}

// Removes the plus sign of a number, which from_chars does not take.
inline std::string_view without_plus(std::string_view text) {
  if (!text.starts_with('+')) return text;
  text.remove_prefix(1);
  return text.starts_with('-') || text.starts_with('+') ? std::string_view() : text;
}

// Reads an integer. Returns nothing unless the whole text is one and fits.
inline std::optional<i64> parse_integer(std::string_view text) {
  text = without_plus(text);
  i64 value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return {};
  return value;
}

// Reads a number with a decimal point, "inf", "-inf" or "nan". Returns nothing unless the whole text is one.
inline std::optional<f64> parse_real(std::string_view text) {
  text = without_plus(text);
  f64 value = 0;
#ifdef __cpp_lib_to_chars
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return {};
#else
  if (text == "inf" || text == "-inf") return text == "inf" ? HUGE_VAL : -HUGE_VAL;
  if (text == "nan" || text == "-nan") return NAN;
  if (text.find_first_not_of("0123456789.eE+-") != text.npos) return {};
  std::istringstream from{std::string(text)};
  from.imbue(std::locale::classic());
  if (!(from >> value) || from.peek() != std::istringstream::traits_type::eof()) return {};
#endif
  return value;
}

// Returns the number of bytes of the UTF-8 character with which a text begins, or 0 if it begins with none.
inline size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return u8(text[i]); };
  if (byte(0) < 0x80) return 1;
  const size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (byte(i) >> 6 != 2) return 0;
  }
  // The first two bytes exclude surrogates, longer forms than necessary, and numbers above 10FFFF.
  const i32 start = byte(0) << 8 | byte(1);
  const bool excluded = (start >= 0xE080 && start < 0xE0A0) || (start >= 0xEDA0 && start < 0xEE80) ||
                        (start >= 0xF080 && start < 0xF090) || start >= 0xF490;
  return excluded ? 0 : length;
}

// Replaces each byte of a text that is not UTF-8 by the replacement character. Python accepts no other text.
inline std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    valid += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

// Returns the words of a text, which whitespace separates.
inline std::vector<std::string> split_words(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\n\v\f";
  std::vector<std::string> words;
  for (size_t end = 0, first; (first = text.find_first_not_of(spaces, end)) != text.npos;) {
    end = text.find_first_of(spaces, first);
    words.emplace_back(text.substr(first, end - first));
    if (end == text.npos) break;
  }
  return words;
}

// Returns the parts of a text, which a separator ends. There is no empty part after the last separator.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return parts;
}

}  // namespace envpool
