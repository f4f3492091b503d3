// SPDX-License-Identifier: Apache-2.0
//
// A minimal test framework for C++. Each test file is a program:
//
//   #include "tests/support/testing.h"
//   TEST(two_and_two) { CHECK_EQ(2 + 2, 4); }
//   TEST_MAIN()
//
// A failed check prints its location, and the test continues; an exception fails its test. `program WORD` runs the
// tests whose name contains WORD.
#pragma once

#include <cmath>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

namespace envpool::testing {

struct Test {
  const char* name;
  void (*body)();
};

inline std::vector<Test> tests;
inline int failures = 0;  // in the current test

inline bool add(const char* name, void (*body)()) {
  tests.push_back({name, body});
  return true;
}

inline void fail(const char* file, int line, const std::string& what) {
  std::printf("%s:%d: %s\n", file, line, what.c_str());
  ++failures;
}

template <class A, class B>
void check_equal(const A& a, const B& b, const char* text, const char* file, int line) {
  if (a == b) return;
  std::ostringstream out;
  out.precision(17);
  out << text << ": " << a << " is not " << b;
  fail(file, line, out.str());
}

inline void check_near(double a, double b, double tolerance, const char* text, const char* file, int line) {
  if (std::fabs(a - b) <= tolerance) return;
  std::ostringstream out;
  out.precision(17);
  out << text << ": " << a << " is not within " << tolerance << " of " << b;
  fail(file, line, out.str());
}

inline int run_all(const std::string& word) {
  int passed = 0, failed = 0;
  for (const Test& test : tests) {
    if (std::string(test.name).find(word) == std::string::npos) continue;
    failures = 0;
    try {
      test.body();
    } catch (const std::exception& error) {
      fail(test.name, 0, std::string("threw: ") + error.what());
    }
    if (failures != 0) std::printf("FAILED %s\n", test.name);
    ++(failures == 0 ? passed : failed);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace envpool::testing

#define TEST(name)                                                             \
  static void test_##name();                                                   \
  static const bool added_##name = envpool::testing::add(#name, &test_##name); \
  static void test_##name()
#define TEST_MAIN() \
  int main(int argc, char** argv) { return envpool::testing::run_all(argc > 1 ? argv[1] : ""); }

#define CHECK(condition) \
  ((condition) ? void() : envpool::testing::fail(__FILE__, __LINE__, #condition " does not hold"))
#define CHECK_EQ(a, b) envpool::testing::check_equal((a), (b), #a " == " #b, __FILE__, __LINE__)
#define CHECK_NEAR(a, b, tolerance) envpool::testing::check_near((a), (b), (tolerance), #a " ~ " #b, __FILE__, __LINE__)
#define CHECK_THROWS(expression, Exception)                                                       \
  do {                                                                                            \
    bool thrown = false;                                                                          \
    try {                                                                                         \
      (void)(expression);                                                                         \
    } catch (const Exception&) {                                                                  \
      thrown = true;                                                                              \
    }                                                                                             \
    if (!thrown) envpool::testing::fail(__FILE__, __LINE__, #expression " threw no " #Exception); \
  } while (0)
