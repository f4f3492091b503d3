// SPDX-License-Identifier: Apache-2.0
//
// Reports a mistake from the program that `envpool check` runs: writes lines that begin with kMark to stderr, and ends
// the program. envpool/plugins/checking.py reads these lines. A sanitizer's own report precedes or follows them. The
// sanitizers' functions are weak, because the program also runs without sanitizers.
#pragma once

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "envpool/core/check/accessors.h"

extern "C" {
__attribute__((weak)) void __sanitizer_set_death_callback(void (*)(void));
__attribute__((weak)) void __sanitizer_print_stack_trace(void);
__attribute__((weak)) void __sanitizer_symbolize_pc(void*, const char*, char*, size_t);
__attribute__((weak)) int __asan_report_present(void);
__attribute__((weak)) void* __asan_get_report_address(void);
}

namespace envpool::check {

inline constexpr int kMistake = 3;         // exit status
inline constexpr i32 kSecondsPerCall = 3;  // of CPU time; a longer call is reported as endless

// The call to the user's code that runs now. Signal handlers read it.
struct Call {
  const char* function = nullptr;  // null between calls
  volatile i64 number = 0;
  i64 episode = 0, step = 0;
  bool foreign_state = false;  // the state's bytes were changed, as pool.restore may do
  std::string options{};       // those that differ from the arguments of `envpool check`, such as "size=3"
  u8 fill = 0;                 // the byte with which memory was filled before the call
  SourceLine last{};           // the last access to a row
};
inline Call call;

// A piece of memory that the user's code must stay within.
struct Region {
  std::string name;
  u8* begin;
  i64 bytes;
};
inline std::vector<Region> regions;

inline void write_line(const char* kind, const char* format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  char line[2200];
  const int size = std::snprintf(line, sizeof(line), "\nenvpool-check %s %s\n", kind, text);
  if (write(2, line, size_t(size) < sizeof(line) ? size_t(size) : sizeof(line) - 1) < 0) _exit(kMistake);
}

// Writes what the process was doing when the mistake happened.
inline void write_context() {
  if (call.function == nullptr) return;
  write_line("during", "%s|%lld|%lld|%d|%d|%s", call.function, call.episode, call.step, int(call.foreign_state),
             int(call.fill), call.options.c_str());
  if (call.last.file != nullptr) write_line("last", "%s:%d", call.last.file, call.last.line);
}

[[noreturn]] inline void end() {
  write_context();
  _exit(kMistake);
}

// Reports a mistake, described by a sentence, and ends the process. `place` is a line of the code, or the name of a
// function of the environment.
[[noreturn]] inline void mistake(const std::string& place, const std::string& sentence) {
  write_line("mistake", "%s|%s", place.c_str(), sentence.c_str());
  end();
}

inline std::string to_text(SourceLine place) {
  return place.file == nullptr ? "" : std::string(place.file) + ":" + std::to_string(place.line);
}

// Names the region near an address, for reports of AddressSanitizer.
inline void write_region(const u8* address) {
  for (const Region& region : regions) {
    const i64 offset = address - region.begin;
    if (offset >= -64 && offset < region.bytes + 64) {
      write_line("region", "%s|%lld|%lld", region.name.c_str(), region.bytes, offset);
      return;
    }
  }
}

inline void on_death() {
  if (__asan_report_present != nullptr && __asan_report_present() != 0)
    write_region(static_cast<const u8*>(__asan_get_report_address()));
  write_context();
}

inline void on_signal(int number, siginfo_t*, void*) {
  write_line("signal", "%d", number);
  if (__sanitizer_print_stack_trace != nullptr) __sanitizer_print_stack_trace();
  end();
}

inline volatile i32 seconds = 0;  // of CPU time that the process has used

// Runs after every second of CPU time. Ends the process if one call has run for kSecondsPerCall ticks.
inline void on_tick(int, siginfo_t*, void*) {
  static i64 number = -1;
  static i32 ticks = 0;
  seconds = seconds + 1;
  ticks = call.number == number && call.function != nullptr ? ticks + 1 : 0;
  number = call.number;
  if (ticks < kSecondsPerCall) return;
  write_line("endless", "%d", kSecondsPerCall);
  if (__sanitizer_print_stack_trace != nullptr) __sanitizer_print_stack_trace();
  end();
}

inline void install_handlers() {
  struct sigaction action{};
  static u8 stack[1 << 16];  // a stack overflow leaves no stack for the handler
  const stack_t other{stack, 0, sizeof(stack)};
  sigaltstack(&other, nullptr);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  action.sa_sigaction = on_tick;
  sigaction(SIGPROF, &action, nullptr);
  const itimerval second{{1, 0}, {1, 0}};
  setitimer(ITIMER_PROF, &second, nullptr);
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(on_death);
    return;  // the sanitizer handles the signals
  }
  action.sa_sigaction = on_signal;
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(number, &action, nullptr);
}

// A call to a function whose results differ from run to run. The linker's option --wrap redirects such calls to
// functions in program.h, which record them.
struct ForeignCall {
  const char* function = nullptr;
  void* from = nullptr;
};
inline ForeignCall foreign_call, thrown;

// Returns the source line of a code address, or "" if it is unknown.
inline std::string line_of(void* address) {
  char text[512] = "";
  if (address == nullptr || __sanitizer_symbolize_pc == nullptr) return "";
  __sanitizer_symbolize_pc(static_cast<u8*>(address) - 1, "%s:%l", text, sizeof(text));
  return text;
}

}  // namespace envpool::check
