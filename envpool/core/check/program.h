// SPDX-License-Identifier: Apache-2.0
//
// The program that `envpool check` compiles with a user's header and runs in a process of its own: its options, its
// allocator, and the functions that it intercepts. Its arguments are the time limit of an episode and options, such as
// "size=i:5". It plays the environment (game.h); sanitizers check accesses where the compiler has them.
#pragma once

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include "envpool/core/check/game.h"

namespace envpool::check {

// Parses options such as "size=i:5", "speed=r:0.5" and "map=t:616263" (hexadecimal).
class OptionArguments {
 public:
  OptionArguments(int count, char** arguments) {
    texts_.reserve(size_t(2 * count));
    for (int i = 0; i < count; ++i) {
      const std::string argument = arguments[i];
      const size_t equals = argument.find('=');
      texts_.push_back(argument.substr(0, equals));
      const char* name = texts_.back().c_str();
      const std::string value = argument.substr(equals + 3);
      abi::Option option{name, abi::kOptionInt, 0, 0, nullptr, 0};
      switch (argument[equals + 1]) {
        case 'b': option.kind = abi::kOptionBool; [[fallthrough]];
        case 'i': option.integer = parse_integer(value).value(); break;
        case 'r':
          option.kind = abi::kOptionReal;
          option.real = parse_real(value).value();
          break;
        default:
          std::string bytes;
          for (size_t k = 0; k + 1 < value.size(); k += 2) bytes += char(std::stoi(value.substr(k, 2), nullptr, 16));
          texts_.push_back(bytes);
          option.kind = abi::kOptionText;
          option.text = texts_.back().data();
          option.size = i64(texts_.back().size());
      }
      list_.push_back(option);
    }
  }
  abi::Options options() const { return {list_.data(), i32(list_.size())}; }

 private:
  std::vector<std::string> texts_;
  std::vector<abi::Option> list_;
};

template <class Env>
int run(int count, char** arguments) {
  write_line("started", "%s", __sanitizer_set_death_callback == nullptr ? "plain" : "sanitized");
  install_handlers();
  const OptionArguments argument(count - 2, arguments + 2);
  const i32 limit = i32(std::atoi(arguments[1]));
  constexpr contract::ContractKind kKind = contract::contract_of<Env>();
  using Contract = std::conditional_t<
      kKind == contract::ContractKind::kPortable, PortableContract<Env>,
      std::conditional_t<kKind == contract::ContractKind::kWorld, WorldContract<Env>, HostContract<Env>>>;
  try {
    Game<Env, Contract>(argument.options(), limit).play();
  } catch (const std::exception& error) {
    mistake("params", std::string("params() or spec() throws an exception: ") + error.what());
  }
  write_line("done", "");
  _exit(0);  // leaves the states undestroyed
}

}  // namespace envpool::check

// New memory of host environments is filled with the fill byte, so that reads of unwritten memory change the results.
void* operator new(size_t bytes) {
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return std::memset(memory, envpool::check::heap_fill, bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

// UndefinedBehaviorSanitizer calls this before each report.
extern "C" void __ubsan_on_report() { envpool::check::write_context(); }

#ifdef ENVPOOL_CHECK_WRAPS
#define ENVPOOL_CHECK_WRAP(result, name, parameters, passed)                                                           \
  extern "C" result __real_##name parameters;                                                                          \
  extern "C" result __wrap_##name parameters {                                                                         \
    if (envpool::check::call.function != nullptr) envpool::check::foreign_call = {#name, __builtin_return_address(0)}; \
    return __real_##name passed;                                                                                       \
  }
ENVPOOL_CHECK_WRAP(int, rand, (), ())
ENVPOOL_CHECK_WRAP(long, random, (), ())
ENVPOOL_CHECK_WRAP(double, drand48, (), ())
ENVPOOL_CHECK_WRAP(long, time, (long* out), (out))
ENVPOOL_CHECK_WRAP(long, clock, (), ())

extern "C" [[noreturn]] void __real___cxa_throw(void* object, void* type, void (*destroy)(void*));
extern "C" [[noreturn]] void __wrap___cxa_throw(void* object, void* type, void (*destroy)(void*)) {
  envpool::check::thrown = {"throw", __builtin_return_address(0)};
  __real___cxa_throw(object, type, destroy);
}
#endif

#define ENVPOOL_CHECK_MAIN(...) \
  int main(int count, char** arguments) { return envpool::check::run<__VA_ARGS__>(count, arguments); }
