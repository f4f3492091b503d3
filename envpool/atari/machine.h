// SPDX-License-Identifier: Apache-2.0
//
// An Atari 2600 as the Arcade Learning Environment presents it, identical in every frame: a console with a cartridge
// and its inputs, and the rules that read reward, lives and the end of the game from the console's memory. A Machine is
// plain data; all machines of a pool share one Rom and one Setup.
#pragma once

#include "envpool/atari/console/console.h"
#include "envpool/atari/games/list.h"
#include "envpool/core/math/rng.h"

namespace envpool::atari {

enum GameId : u8 {
#define X(Name) k##Name,
  ENVPOOL_ATARI_GAMES(X)
#undef X
      kGames
};

// The immutable configuration of a machine.
struct Setup {
  const Rom* rom = nullptr;
  const void* native = nullptr;  // result of compile_rom(); null: the ROM is interpreted
  GameTraits traits;
  u8 game = 0;  // GameId
  u8 difficulty = 0;
  i32 mode = 0;
};

struct Machine {
  RuleState rules;
  // The frame counts follow ALE, which counts the frames that choose a mode, but not boot frames and starting actions.
  i32 paddle[2];       // resistances of the player's paddles, in ohms
  u8 last_action;      // the action of the last frame, which sticky actions repeat
  u32 episode_frames;  // frames of this game
  u32 total_frames;    // frames since power-on
  Console console;     // the last member, because its screens follow
};

// Both overloads turn arbitrary bytes into a state that can be stepped safely; see console/repair.h.
ENVPOOL_FN void repair(RuleState& r) {
  constexpr i32 kMost = 1 << 29;  // more than any score; the sum of two such numbers still fits an i32
  keep_within(r.prev_score, -kMost, kMost);
  keep_within(r.lives, -kMost, kMost);
  for (i32& var : r.var) keep_within(var, -kMost, kMost);
  keep_within(r.persistent_var, -kMost, kMost);
  keep_bool(r.terminal);
  keep_bool(r.started);
}
ENVPOOL_DEVICE_CALL void repair(Machine& m, const Rom& rom) {
  repair(m.console, rom);
  repair(m.rules);
  for (i32& paddle : m.paddle) keep_within(paddle, rom.paddle_min, rom.paddle_max);
}

// Bits of the console's switches in SWCHB. A pressed switch reads 0.
enum Switch : u8 { kNoSwitch = 0, kReset = 1, kSelect = 2 };

namespace machine_detail {

inline constexpr i32 kPaddleStep = 23000;  // ohms per frame
inline constexpr i32 kBootFrames = 60;
inline constexpr i32 kResetFrames = 4;

// Directions of actions 2..9, one nibble each: 1 up, 2 right, 4 left, 8 down.
inline constexpr u32 kDirections = 0xCA538421;

ENVPOOL_FN u32 directions(i32 action) { return action < kUp ? 0 : kDirections >> (4 * ((action - kUp) % 8)) & 15; }
ENVPOOL_FN bool fires(i32 action) { return action == kFire || action >= kUpFire; }

// Returns the joystick lines of the left jack in SWCHA: bits 7 to 4 are right, left, down, up.
ENVPOOL_FN u8 joystick_lines(u32 directions) {
  return u8((directions & 2) << 6 | (directions & 4) << 4 | (directions & 8) << 2 | (directions & 1) << 4);
}

ENVPOOL_FN Inputs inputs(const Machine& m, const Setup& setup, i32 action, u8 switches) {
  const Rom& rom = *setup.rom;
  Inputs in;
  in.swchb = u8((0x3F & ~switches) | (setup.difficulty & 3) << 6);
  if (rom.paddles_left) {
    const i32 swap = rom.swap_paddles;
    in.paddle[swap] = m.paddle[0];
    in.paddle[1 - swap] = m.paddle[1];
    if (fires(action)) in.swcha &= swap ? 0xBF : 0x7F;
  } else {
    in.paddle[0] = in.paddle[1] = kOpen;
    const u8 lines = joystick_lines(directions(action));
    in.swcha &= u8(~(rom.swap_ports ? lines >> 4 : lines));
    in.fire[rom.swap_ports] = fires(action);
  }
  if (!rom.paddles_right) in.paddle[2] = in.paddle[3] = kOpen;
  return in;
}

ENVPOOL_FN Memory memory(Machine& m) { return {m.console.ram, m.console.cart_ram, &m.console.bus}; }

ENVPOOL_DEVICE_CALL void evaluate(Machine& m, const Setup& setup) {
  switch (setup.game) {
#define X(Name) \
  case k##Name: games::Name::evaluate(memory(m), m.rules); break;
    ENVPOOL_ATARI_GAMES(X)
#undef X
  }
}

// Runs one video frame and evaluates the game's rules.
ENVPOOL_DEVICE_CALL void step_frame(Machine& m, const Setup& setup, i32 action, u8 switches, bool draw) {
  const Rom& rom = *setup.rom;
  if (rom.paddles_left && switches == kNoSwitch) {
    const u32 direction = directions(action);
    m.paddle[0] += direction & 2 ? -kPaddleStep : direction & 4 ? kPaddleStep : 0;
    if (m.paddle[0] < rom.paddle_min) m.paddle[0] = rom.paddle_min;
    if (m.paddle[0] > rom.paddle_max) m.paddle[0] = rom.paddle_max;
  }
  run_frame(m.console, rom, inputs(m, setup, action, switches), draw, setup.native);
  evaluate(m, setup);
}

// Runs `count` frames. ALE copies the console's memory afterwards, which leaves the last byte of memory on the bus.
ENVPOOL_FN void step_frames(Machine& m, const Setup& setup, i32 action, u8 switches, i32 count, bool draw_last) {
  for (i32 i = 1; i <= count; ++i) step_frame(m, setup, action, switches, draw_last && i == count);
  m.console.bus = m.console.ram[127];
}

// Runs one frame and counts it.
ENVPOOL_FN void play_frame(Machine& m, const Setup& setup, i32 action, bool draw) {
  step_frames(m, setup, action, kNoSwitch, 1, draw);
  ++m.episode_frames;
  ++m.total_frames;
}

ENVPOOL_DEVICE_CALL void soft_reset(Machine& m, const Setup& setup, bool draw_last) {
  step_frames(m, setup, kNoop, kReset, kResetFrames, draw_last);
  m.last_action = kNoop;
}

ENVPOOL_DEVICE_CALL void init_rules(Machine& m, const Setup& setup) {
  RuleState fresh;
  fresh.prev_score = setup.traits.score;
  fresh.lives = setup.traits.lives;
  fresh.persistent_var = m.rules.persistent_var;
  m.rules = fresh;
  switch (setup.game) {
#define X(Name) \
  case k##Name: games::Name::begin(m.rules); break;
    ENVPOOL_ATARI_GAMES(X)
#undef X
  }
}

}  // namespace machine_detail

// Plays one frame and returns its reward. Does nothing once the game is over.
ENVPOOL_DEVICE_CALL i32 act(Machine& m, const Setup& setup, i32 action, bool draw) {
  if (m.rules.terminal) return 0;
  const bool legal = action < kActions && (setup.traits.legal_actions >> action & 1) != 0;
  machine_detail::play_frame(m, setup, legal ? action : i32{kNoop}, draw);
  return m.rules.reward;
}

// Like act(), with sticky actions: with probability `repeat_probability` the previous action is repeated instead.
// m.last_action becomes the action that was executed.
ENVPOOL_FN i32 act_sticky(Machine& m, const Setup& setup, i32 action, f64 repeat_probability, Rng& rng, bool draw) {
  if (repeat_probability <= 0 || rng.uniform() >= repeat_probability) m.last_action = u8(action);
  return act(m, setup, m.last_action, draw);
}

ENVPOOL_FN i32 lives(const Machine& m, const Setup& setup) {
  return m.rules.terminal && !setup.traits.lives_at_end ? 0 : m.rules.lives;
}

// Return the palette indices of the last frame and of the frame before it. The second is valid if both frames were
// drawn and the earlier one was finished (GameTraits::unfinished_frames). The console draws into two buffers
// alternately.
ENVPOOL_FN const u8* screen(const Machine& m) { return screen(m.console); }
ENVPOOL_FN const u8* previous_screen(const Machine& m) { return previous_screen(m.console); }

// Presses the switches and buttons that choose a game's mode. select() and act() return false once kMaxFrames frames
// have passed, so that no user-supplied ROM can hang a reset.
class Controls {
 public:
  ENVPOOL_FN Controls(Machine& machine, const Setup& setup, Rng& rng) : machine_(machine), setup_(setup), rng_(rng) {}

  ENVPOOL_FN Memory memory() const { return machine_detail::memory(machine_); }
  ENVPOOL_FN RuleState& rules() { return machine_.rules; }
  ENVPOOL_FN u32 random() { return rng_.bits(); }

  // Holds SELECT for a few frames without evaluating the rules, then releases it for one frame and evaluates them.
  ENVPOOL_DEVICE_CALL bool select(i32 frames) {
    const Inputs in = machine_detail::inputs(machine_, setup_, kNoop, kSelect);
    for (i32 i = 0; i < frames; ++i) run_frame(machine_.console, *setup_.rom, in, /*draw=*/false, setup_.native);
    machine_detail::play_frame(machine_, setup_, kNoop, /*draw=*/false);
    return within_limit(frames + 1);
  }
  // Presses SELECT until the byte of memory at `at` equals `value`.
  ENVPOOL_DEVICE_CALL void select_until(i32 at, i32 value, i32 frames) {
    while (memory().u(at) != value && select(frames)) continue;
  }
  ENVPOOL_DEVICE_CALL bool act(i32 action, i32 frames) {
    for (i32 i = 0; i < frames; ++i) envpool::atari::act(machine_, setup_, action, /*draw=*/false);
    return within_limit(frames);
  }
  ENVPOOL_DEVICE_CALL void soft_reset() { machine_detail::soft_reset(machine_, setup_, /*draw_last=*/false); }

 private:
  // The slowest mode of any game takes 915 frames. Adventure's random waits rarely take more than 1,800 frames, and
  // reach this limit once in 10^11 resets.
  static constexpr i32 kMaxFrames = 5000;
  ENVPOOL_FN bool within_limit(i32 frames) { return (frames_ += frames) < kMaxFrames; }

  Machine& machine_;
  const Setup& setup_;
  Rng& rng_;
  i32 frames_ = 0;
};

// Starts a new game. Memory and the timer's generator carry over from the last game, as on the real console, so resets
// may differ. Only Adventure, whose modes are chosen by a random wait, draws from `rng`.
ENVPOOL_DEVICE_CALL void reset_game(Machine& m, const Setup& setup, Rng& rng) {
  using namespace machine_detail;
  const Rom& rom = *setup.rom;
  m.episode_frames = 0;
  m.paddle[0] = m.paddle[1] = (rom.paddle_min + rom.paddle_max) / 2;
  system_reset(m.console, rom);
  step_frames(m, setup, kNoop, kNoSwitch, kBootFrames, /*draw_last=*/false);
  soft_reset(m, setup, /*draw_last=*/false);
  init_rules(m, setup);
  Controls controls(m, setup, rng);
  switch (setup.game) {
#define X(Name) \
  case k##Name: games::Name::select_mode(controls, setup.mode); break;
    ENVPOOL_ATARI_GAMES(X)
#undef X
  }
  const bool has_starting_actions = setup.traits.starting_actions[0].frames != 0;
  soft_reset(m, setup, /*draw_last=*/!has_starting_actions);
  for (i32 k = 0; k < 3; ++k) {
    const StartingAction start = setup.traits.starting_actions[k];
    const bool last = k == 2 || setup.traits.starting_actions[k + 1].frames == 0;
    const bool is_switch = start.action == kResetSwitch;
    for (i32 i = 1; i <= start.frames; ++i) {
      const u8 switches = is_switch ? kReset : kNoSwitch;
      step_frames(m, setup, is_switch ? i32{kNoop} : start.action, switches, 1, last && i == start.frames);
    }
  }
}

// Powers the machine on with the cartridge inserted. As in ALE, the first game has the default mode and difficulty;
// the requested ones apply from the next reset_game() on.
ENVPOOL_FN void load(Machine& m, const Setup& setup, Rng& rng) {
  m.rules = RuleState{};
  m.last_action = kNoop;
  m.total_frames = 0;
  power_on(m.console, *setup.rom);
  Setup first = setup;
  first.mode = setup.traits.default_mode;
  first.difficulty = 0;
  reset_game(m, first, rng);
}

}  // namespace envpool::atari
