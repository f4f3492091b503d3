// SPDX-License-Identifier: Apache-2.0
//
// An Atari 2600 with several players, as multi-agent-ale-py 0.1.12 presents it. The console is that of machine.h. The
// start of a game differs, as do the rules (multiplayer/). multi-agent-ale-py seeds the generator of the first memory
// and of the timer with the time of day in seconds; here it has ALE's constant seed, so that games are reproducible.
#pragma once

#include "envpool/atari/machine.h"
#include "envpool/atari/multiplayer/list.h"

namespace envpool::atari {

enum MultiplayerId : u8 {
#define X(Name) kMultiplayer##Name,
  ENVPOOL_ATARI_MULTIPLAYER_GAMES(X)
#undef X
      kMultiplayerGames
};

// The immutable configuration of a machine.
struct MultiplayerSetup {
  const Rom* rom = nullptr;
  const void* native = nullptr;  // as in Setup
  MultiplayerTraits traits;
  u8 game = 0;  // MultiplayerId
  u8 difficulty = 0;
  i32 mode = 0;
};

struct MultiplayerMachine {
  MultiplayerState rules;
  i32 paddle[kMostPlayers];  // resistances of the players' paddles, in ohms
  Console console;           // the last member, because its screens follow
};

ENVPOOL_FN void repair(MultiplayerState& r) {
  constexpr i32 kMost = 1 << 29;  // as in repair(RuleState&)
  for (i32 player = 0; player < kMostPlayers; ++player) {
    keep_within(r.reward[player], -kMost, kMost);
    keep_within(r.score[player], -kMost, kMost);
    keep_within(r.lives[player], -kMost, kMost);
  }
  keep_within(r.var, -kMost, kMost);
  keep_within(r.waited, 0, kMost);
  keep_bool(r.terminal);
}
ENVPOOL_DEVICE_CALL void repair(MultiplayerMachine& m, const Rom& rom) {
  repair(m.console, rom);
  repair(m.rules);
  for (i32& paddle : m.paddle) keep_within(paddle, rom.paddle_min, rom.paddle_max);
}

// The actions of all players in one frame.
struct PlayerActions {
  u8 of[kMostPlayers] = {};
};

namespace multiplayer_detail {

// The bits of SWCHA that the buttons of the paddles on INPT0-3 pull down.
inline constexpr u8 kPaddleButtons[kMostPlayers] = {0x80, 0x40, 0x08, 0x04};

ENVPOOL_FN Inputs inputs(const MultiplayerMachine& m, const MultiplayerSetup& setup, const PlayerActions& actions,
                         u8 switches) {
  const Rom& rom = *setup.rom;
  Inputs in;
  in.swchb = u8((0x3F & ~switches) | (setup.difficulty & 3) << 6);
  if (rom.paddles_left) {
    // Players 0 and 1 have the paddles of the left jack, 2 and 3 those of the right one.
    const i32 players = rom.paddles_right ? 4 : 2;
    if (!rom.paddles_right) in.paddle[2] = in.paddle[3] = kOpen;
    for (i32 player = 0; player < players; ++player) {
      const i32 pin = player ^ i32(rom.swap_paddles);
      in.paddle[pin] = m.paddle[player];
      if (machine_detail::fires(actions.of[player])) in.swcha &= u8(~kPaddleButtons[pin]);
    }
  } else {
    for (i32& paddle : in.paddle) paddle = kOpen;
    for (i32 player = 0; player < 2; ++player) {
      const i32 jack = player ^ i32(rom.swap_ports);
      const u8 lines = machine_detail::joystick_lines(machine_detail::directions(actions.of[player]));
      in.swcha &= u8(~(lines >> (4 * jack)));
      in.fire[jack] = machine_detail::fires(actions.of[player]);
    }
  }
  return in;
}

ENVPOOL_DEVICE_CALL void evaluate(MultiplayerMachine& m, const MultiplayerSetup& setup) {
  const Memory memory{m.console.ram, m.console.cart_ram, &m.console.bus};
  switch (setup.game) {
#define X(Name) \
  case kMultiplayer##Name: multiplayer::Name::evaluate(memory, m.rules); break;
    ENVPOOL_ATARI_MULTIPLAYER_GAMES(X)
#undef X
  }
  m.console.bus = m.console.ram[127];  // the last byte that ALE reads after a frame
}

// Runs one video frame and evaluates the game's rules. The console's switches keep paddles from moving.
ENVPOOL_DEVICE_CALL void step_frame(MultiplayerMachine& m, const MultiplayerSetup& setup, const PlayerActions& actions,
                                    u8 switches, bool draw) {
  const Rom& rom = *setup.rom;
  if (rom.paddles_left && switches == kNoSwitch) {
    for (i32 player = 0; player < kMostPlayers; ++player) {
      const u32 direction = machine_detail::directions(actions.of[player]);
      i32& paddle = m.paddle[player];
      paddle += direction & 2 ? -machine_detail::kPaddleStep : direction & 4 ? machine_detail::kPaddleStep : 0;
      if (paddle < rom.paddle_min) paddle = rom.paddle_min;
      if (paddle > rom.paddle_max) paddle = rom.paddle_max;
    }
  }
  run_frame(m.console, rom, inputs(m, setup, actions, switches), draw, setup.native);
  evaluate(m, setup);
}

// Runs frames in which nobody acts.
ENVPOOL_FN void run_idle(MultiplayerMachine& m, const MultiplayerSetup& setup, u8 switches, i32 count, bool draw_last) {
  for (i32 i = 1; i <= count; ++i) step_frame(m, setup, {}, switches, draw_last && i == count);
}

// Runs frames in which only one player acts, without drawing them.
ENVPOOL_FN void run_one(MultiplayerMachine& m, const MultiplayerSetup& setup, i32 player, u8 action, i32 count) {
  PlayerActions actions;
  actions.of[player] = action;
  for (i32 i = 0; i < count; ++i) step_frame(m, setup, actions, kNoSwitch, /*draw=*/false);
}

}  // namespace multiplayer_detail

// Presses SELECT, and the first player's joystick, to choose a game's mode.
class MultiplayerControls {
 public:
  ENVPOOL_FN MultiplayerControls(MultiplayerMachine& machine, const MultiplayerSetup& setup)
      : machine_(machine), setup_(setup) {}

  ENVPOOL_FN Memory memory() const { return {machine_.console.ram, machine_.console.cart_ram, &machine_.console.bus}; }

  // Holds SELECT for a few frames without evaluating the rules, then releases it for one frame and evaluates them.
  // select() and act() return false once kMaxFrames frames have passed, so that no user-supplied ROM can hang a reset.
  ENVPOOL_DEVICE_CALL bool select(i32 frames) {
    const Inputs in = multiplayer_detail::inputs(machine_, setup_, {}, kSelect);
    for (i32 i = 0; i < frames; ++i) run_frame(machine_.console, *setup_.rom, in, /*draw=*/false, setup_.native);
    multiplayer_detail::run_idle(machine_, setup_, kNoSwitch, 1, /*draw_last=*/false);
    return (frames_ += frames + 1) < kMaxFrames;
  }
  // Presses SELECT until the byte of memory at `at` equals `value`.
  ENVPOOL_DEVICE_CALL void select_until(i32 at, i32 value, i32 frames) {
    while (machine_.console.ram[at] != value && select(frames)) continue;
  }
  ENVPOOL_DEVICE_CALL bool act(i32 action, i32 frames) {
    multiplayer_detail::run_one(machine_, setup_, /*player=*/0, u8(action), frames);
    return (frames_ += frames) < kMaxFrames;
  }

 private:
  static constexpr i32 kMaxFrames = 1000;  // the slowest mode of any game takes 572

  MultiplayerMachine& machine_;
  const MultiplayerSetup& setup_;
  i32 frames_ = 0;
};

// Starts a game on a console that has just been reset. As in ALE, memory carries over from the last game.
ENVPOOL_DEVICE_CALL void boot_game(MultiplayerMachine& m, const MultiplayerSetup& setup) {
  using namespace multiplayer_detail;
  const Rom& rom = *setup.rom;
  for (i32& paddle : m.paddle) paddle = (rom.paddle_min + rom.paddle_max) / 2;
  run_idle(m, setup, kNoSwitch, machine_detail::kBootFrames, /*draw_last=*/false);
  run_idle(m, setup, kReset, machine_detail::kResetFrames, /*draw_last=*/false);
  m.rules = MultiplayerState{};
  m.rules.mode = setup.mode;
  MultiplayerControls controls(m, setup);
  switch (setup.game) {
#define X(Name) \
  case kMultiplayer##Name: multiplayer::Name::select_mode(controls, setup.mode); break;
    ENVPOOL_ATARI_MULTIPLAYER_GAMES(X)
#undef X
  }
  run_idle(m, setup, kReset, 2 * machine_detail::kResetFrames, /*draw_last=*/false);
  for (i32 player = 0; player < 2; ++player) {
    for (const StartingAction start : setup.traits.starting_actions)
      run_one(m, setup, player, start.action, start.frames);
    run_idle(m, setup, kNoSwitch, 1, /*draw_last=*/player == 1);
  }
}

ENVPOOL_DEVICE_CALL void reset_game(MultiplayerMachine& m, const MultiplayerSetup& setup) {
  system_reset(m.console, *setup.rom);
  boot_game(m, setup);
}

// Powers the machine on and starts a first game, which has the first mode and difficulty 0.
ENVPOOL_FN void load(MultiplayerMachine& m, const MultiplayerSetup& setup) {
  m.rules = MultiplayerState{};
  power_on(m.console, *setup.rom);
  seed_rng(m.console.rng, kSystemSeed);  // the environment's generator, which has the same seed, takes over
  MultiplayerSetup first = setup;
  first.mode = setup.traits.first_mode;
  first.difficulty = 0;
  reset_game(m, first);
}

// Plays one frame. Does nothing but clear the rewards once the game is over.
ENVPOOL_DEVICE_CALL void act(MultiplayerMachine& m, const MultiplayerSetup& setup, const PlayerActions& actions,
                             bool draw) {
  if (m.rules.terminal) {
    for (i32& reward : m.rules.reward) reward = 0;
    return;
  }
  // In every frame, ALE draws a number for each of two players, which decides whether their last action is repeated.
  // The probability of that is 0, but the numbers are those from which the timer's next start value is taken.
  next_word(m.console.rng);
  next_word(m.console.rng);
  multiplayer_detail::step_frame(m, setup, actions, kNoSwitch, draw);
}

}  // namespace envpool::atari
