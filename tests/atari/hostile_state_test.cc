// SPDX-License-Identifier: Apache-2.0
//
// Runs states of arbitrary bytes, because a user may pass in any state: a frame must end and access nothing outside the
// state. The tests take states in the middle of games, with cartridges of every type, and change one byte, one word or
// everything. The interpreter and native code continue from there and must reach the same bits. The memory lies between
// inaccessible pages, because the sanitizers do not check native code. ENVPOOL_FUZZ_STATES sets the number of changes
// per test; 0 tries all.
#ifdef _WIN32
#include "envpool/core/system/system.h"
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/atari/ale_env.h"
#include "envpool/atari/atari_env.h"
#include "tests/atari/random_cartridge.h"
#include "tests/support/functions.h"
#include "tests/support/testing.h"

namespace envpool::atari {

// Bytes between inaccessible pages. They begin or end exactly at one of these pages.
class Fenced {
 public:
  enum Side { kBegin, kEnd };
  Fenced(size_t bytes, Side side) {
    const size_t page = page_bytes();
    const size_t inside = (bytes + page - 1) / page * page;
    size_ = inside + 2 * page;
    base_ = static_cast<u8*>(reserve(size_, page, inside));
    data_ = side == kBegin ? base_ + page : base_ + page + inside - bytes;
  }
  Fenced(const Fenced&) = delete;
  ~Fenced() { release(base_, size_); }

  u8* data() const { return data_; }
  template <class T>
  T& as() const {
    return *std::launder(reinterpret_cast<T*>(data_));
  }

 private:
  // Reserves memory. Only the `inside` bytes after the first page are accessible.
#ifdef _WIN32
  static size_t page_bytes() { return 4096; }
  static void* reserve(size_t size, size_t page, size_t inside) {
    u8* const memory = static_cast<u8*>(VirtualAlloc(nullptr, size, MEM_RESERVE, PAGE_NOACCESS));
    if (memory == nullptr || VirtualAlloc(memory + page, inside, MEM_COMMIT, PAGE_READWRITE) == nullptr) {
      throw std::bad_alloc();
    }
    return memory;
  }
  static void release(void* memory, size_t) { VirtualFree(memory, 0, MEM_RELEASE); }
#else
  static size_t page_bytes() { return size_t(sysconf(_SC_PAGESIZE)); }
  static void* reserve(size_t size, size_t page, size_t inside) {
    void* const memory = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    if (mprotect(static_cast<u8*>(memory) + page, inside, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    return memory;
  }
  static void release(void* memory, size_t size) { munmap(memory, size); }
#endif

  u8 *base_, *data_;
  size_t size_;
};

u64 most_changes(u64 all, u64 sampled) {
  const char* wanted = std::getenv("ENVPOOL_FUZZ_STATES");
  const u64 count = wanted ? u64(std::atoll(wanted)) : sampled;
  return count == 0 || count > all ? all : count;
}

// Enumerates changes of a state.
struct Change {
  static constexpr u8 kBytes[] = {0, 1, 0x7F, 0x80, 0xFF};
  static constexpr u32 kWords[] = {0, 1, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x10000, 0xFFFF0000};
  static constexpr u64 kPerByte = 5 + 8 + 7;  // set the byte, flip one of its bits, or set a word
  static constexpr u64 kThroughout = 4000;

  size_t bytes;    // of the state
  size_t core_at;  // the place of the chips

  u64 count() const { return kPerByte * bytes + kThroughout; }

  // Applies change number n, which is the same on every machine.
  void apply(u64 n, u8* state) const {
    if (n < kThroughout) {
      Rng rng{.seed = n, .stream = 7};
      const u32 every = n % 4 == 0 ? 1 : n % 4 == 1 ? 10 : 100;
      for (size_t i = 0; i < bytes; ++i) {
        if (rng.below(every) == 0) state[i] = u8(rng.bits());
      }
      return;
    }
    const u64 at = (n - kThroughout) / kPerByte, how = (n - kThroughout) % kPerByte;
    if (how < 5) {
      state[at] = kBytes[how];
    } else if (how < 13) {
      state[at] ^= u8(1 << (how - 5));
    } else {
      std::memcpy(state + at, &kWords[how - 13], std::min<size_t>(4, bytes - at));
    }
  }

  // Calls a function with the numbers of `wanted` changes. Of every four changes, one is to the whole state, two are to
  // the chips, and one is drawn from all changes.
  template <class Function>
  void sample(u64 wanted, Function&& function) const {
    const u64 all = count();
    Rng rng{.seed = all};
    for (u64 k = 0; k < wanted; ++k) {
      const u64 some = k % 4 == 0   ? rng.below(kThroughout)
                       : k % 4 == 3 ? rng.below(u32(all))
                                    : kThroughout + kPerByte * core_at + rng.below(u32(kPerByte * sizeof(Core)));
      function(wanted == all ? k : some);
    }
  }
};

// Returns whether repair() changes nothing, neither in a console nor in its last `frames` saved states.
bool is_valid(const Console& console, const Rom& rom, u32 frames) {
  const auto copy = std::make_unique<Console>(console);
  repair(*copy, rom);
  for (u32 n = 0; n < frames; ++n) repair(copy->saved[(console.frames - 1 - n) % 3], rom);
  return std::memcmp(&*copy, &console, sizeof(Console)) == 0;
}

TEST(consoles_of_arbitrary_bytes_stay_within_their_memory) {
  const Change change{.bytes = sizeof(Console), .core_at = 0};
  u64 tried = 0, moved = 0;
  for (u32 number = 0; number < 2 * 9; ++number) {
    Rng program{.seed = number};
    const std::vector<u8> image = random_program(program, Mapper(number % 9), number >= 9);
    const std::unique_ptr<Rom> made = build_rom(image.data(), image.size());
    CHECK_EQ(u32(made->mapper), number % 9);
    const Fenced rom_below(sizeof(Rom), Fenced::kBegin), rom_above(sizeof(Rom), Fenced::kEnd);
    const Rom& one_rom = *new (rom_below.data()) Rom(*made);
    const Rom& other_rom = *new (rom_above.data()) Rom(*made);
    const std::shared_ptr<const void> code = compile_rom(one_rom);
    const size_t bytes = sizeof(Console) + size_t(screen_bytes(one_rom.height));
    const Fenced below(bytes, Fenced::kBegin), above(bytes, Fenced::kEnd);
    Console& one = *new (below.data()) Console;
    Console& other = *new (above.data()) Console;

    const auto start = std::make_unique<WithScreens<Console>>();
    power_on(*start, one_rom);
    Rng rng{.seed = number, .stream = 1};
    for (u32 frame = 0; frame < 4 + number % 5 || (number >= 9 && !start->unfinished && frame < 20); ++frame) {
      run_frame(*start, one_rom, random_inputs(rng), frame % 3 == 0, code.get());
      CHECK(is_valid(*start, one_rom, std::min(frame + 1, 3u)));
    }
    CHECK_EQ(start->unfinished, number >= 9);

    change.sample(most_changes(change.count(), 200), [&](u64 n) {
      std::memcpy(below.data(), &*start, bytes);
      change.apply(n, below.data());
      repair(one, one_rom);
      std::memcpy(above.data(), below.data(), bytes);
      Rng inputs{.seed = n};
      bool same = true, valid = true;
      for (u32 frame = 0; frame < 3; ++frame) {
        const Inputs in = random_inputs(inputs);
        const bool draw = (n + frame) % 3 == 1;
        run_frame(one, one_rom, in, draw, code.get());
        run_frame(other, other_rom, in, draw);
        valid = valid && is_valid(one, one_rom, 1);
        same = same && std::memcmp(below.data(), above.data(), bytes) == 0;
      }
      draw_last_frame(one, one_rom, code.get());
      draw_last_frame(other, other_rom);
      system_reset(one, one_rom);
      system_reset(other, other_rom);
      same = same && std::memcmp(below.data(), above.data(), bytes) == 0;
      ++tried;
      moved += std::memcmp(one.ram, start->ram, 128) != 0;
      if (same && valid) return;
      testing::fail(__FILE__, __LINE__,
                    "cartridge " + std::to_string(number) + ", change " + std::to_string(n) +
                        (same ? ": the state after a frame is invalid" : ": native code differs from the interpreter"));
    });
  }
  CHECK(moved > tried / 2);
  std::printf("%llu changed consoles\n", tried);
}

// Plays one environment with these options from changed states, which lie between inaccessible pages.
template <class Env>
void play_changed(const char* task, Mapper mapper, std::vector<abi::Option> options) {
  Rng rng{.seed = mapper, .stream = 2};
  const std::vector<u8> image = random_program(rng, mapper);
  const std::string name(task);
  options.push_back(
      {Env::kName == std::string("Ale") ? "game" : "task", abi::kOptionText, 0, 0, name.data(), i64(name.size())});
  options.push_back({"rom", abi::kOptionText, 0, 0, reinterpret_cast<const char*>(image.data()), i64(image.size())});
  const abi::Options given{options.data(), i32(options.size())};
  const testing::Functions<Env> env(&given);
  using State = typename Env::State;

  const size_t bytes = size_t(env.stride + 7) / 8 * 8;
  const Fenced fenced(bytes, Fenced::kEnd);
  u8* const state = fenced.data();
  std::vector<std::unique_ptr<Fenced>> rows;
  std::vector<void*> fields;
  for (const i64 row : env.row_bytes) {
    rows.push_back(std::make_unique<Fenced>(size_t(row), Fenced::kEnd));
    fields.push_back(rows.back()->data());
  }
  const Fenced screen(size_t(env.params.screen_height) * kWidth * 3, Fenced::kEnd);
  std::memset(state, 0, bytes);
  new (state) State{};
  const i32 action = 1;
  f32 reward;
  u8 terminated;
  env.reset(3, 0, state, 1);
  for (i32 i = 0; i < 3; ++i) env.step(3, state, &action, &reward, &terminated, 1);
  const std::vector<u8> start(state, state + bytes);

  const Change change{.bytes = sizeof(State), .core_at = sizeof(State) - sizeof(Console)};
  change.sample(most_changes(change.count(), 100), [&](u64 n) {
    std::memcpy(state, start.data(), bytes);
    change.apply(n, state);
    Env::repair(*std::launder(reinterpret_cast<State*>(state)), env.params);
    env.observe(state, fields.data(), 1);
    env.render(state, screen.data());
    if (n % 16 == 0) env.reset(3, 1, state, 1);
    for (i32 i = 0; i < 2; ++i) env.step(n, state, &action, &reward, &terminated, 1);
    env.observe(state, fields.data(), 1);
  });
}

abi::Option whole(const char* name, i64 value) { return {name, abi::kOptionInt, value, 0, nullptr, 0}; }
abi::Option flag(const char* name, bool value) { return {name, abi::kOptionBool, value, 0, nullptr, 0}; }
abi::Option real(const char* name, f64 value) { return {name, abi::kOptionReal, 0, value, nullptr, 0}; }
abi::Option text(const char* name, const char* value) {
  return {name, abi::kOptionText, 0, 0, value, i64(std::strlen(value))};
}

TEST(environments_of_arbitrary_bytes_stay_within_their_memory) {
  play_changed<AtariEnv>("seaquest", k4K, {whole("stack_num", 3), whole("noop_max", 2)});
  play_changed<AtariEnv>("miniature_golf", kF8,
                         {whole("stack_num", 1), flag("gray_scale", false), whole("noop_max", 1)});
  play_changed<AtariEnv>("tic_tac_toe_3d", kF6SC, {flag("episodic_life", true), whole("noop_max", 1)});
  play_changed<AtariEnv>("qbert", kE0, {text("obs_type", "ram"), real("repeat_action_probability", 0.5)});
  play_changed<AleEnv>("tennis", kFE, {text("obs_type", "grayscale")});
  play_changed<AleEnv>("pitfall2", kDPC, {text("obs_type", "rgb")});
  play_changed<AleEnv>("video_cube", k2K, {text("obs_type", "ram")});
}

}  // namespace envpool::atari

TEST_MAIN()
