// SPDX-License-Identifier: Apache-2.0
//
// Atari games of several players as PettingZoo defines them, with ids such as atari/pong-v3.
//
//   Players      two; in modes of Video Olympics four, who form two teams
//   Action       i32 per player, for one video frame: a number into the actions that have distinct effects in the game,
//                or with full_action_space into all 18 actions of ALE
//   Observation  what all players see after the frame, u8: by obs_type "rgb_image" the screen, (height, 160, 3);
//                "grayscale_image" the same in gray, (height, 160, 1); "ram" the 128 bytes of the console's memory
//   Reward       of each player; see multiplayer/
//   Terminated   when the game is over, or all players have left it
//   Truncated    after max_cycles frames
//   Info         players.id, players.lives, players.done
//   Reset        the same state in the first game; memory carries over into the next ones
//   Image        the screen
//
// J. K. Terry and B. Black, "Multiplayer support for the Arcade Learning Environment", arXiv 2009.09341. Reference:
// PettingZoo 1.27.0 with multi-agent-ale-py 0.1.12, frame by frame, when the time of day is 4753849 seconds
// (multiplayer_machine.h).
#pragma once

#include "envpool/atari/multiplayer_machine.h"
#include "envpool/atari/shared_game.h"

namespace envpool::atari {

struct MultiplayerEnv {
  static constexpr const char* kName = "MultiplayerAtari";
  static constexpr i32 kMaxPlayers = kMostPlayers, kPhases = 1;

  enum ObsType : u8 { kRgb, kGrayscale, kRam };

  struct Params {
    const u8* blob;      // a SharedGameOf<MultiplayerMachine>
    const void* native;  // as in GameParams
    MultiplayerSetup setup;
    i32 players;
    u8 actions[kActions];  // maps the players' action numbers to Action
    u8 action_count;
    i32 screen_height;
    i32 frame_limit;  // per episode
    ObsType obs_type;
  };
  struct Shared {
    MultiplayerMachine machine;
    i32 players;
    i32 frames;  // of this episode
  };
  struct Agent {
    u8 action;  // of this step, as ALE numbers it
  };
  using World = envpool::World<MultiplayerEnv>;
  using SharedData = SharedGameOf<MultiplayerMachine>;

  enum Field { kObs, kId, kLives, kDone };

  ENVPOOL_FN static void reset(World& world, const Params& p, Rng& rng) {
    Shared& s = world.shared;
    if (rng.episode == 0) {
      const SharedData& c = shared_data(p);
      s.machine = c.initial;  // `s.machine = shared_data(p).initial` would make NVRTC copy it through its stack
    } else {
      reset_game(s.machine, make_setup(p));
    }
    s.players = p.players;
    s.frames = 0;
    for (i32& reward : s.machine.rules.reward) reward = 0;
    for (Agent& agent : world.agent) agent.action = kNoop;
  }

  ENVPOOL_FN static i32 players(const World& world) { return world.shared.players; }

  template <int kPhase>
  ENVPOOL_FN static void phase(World& world, i32 agent, const Params& p, ActionRow row, Rng&) {
    // As in PettingZoo, a player who has left performs the first action, which is not NOOP in every game.
    world.agent[agent].action = p.actions[has_left(world, agent) ? 0 : *row.at<i32>(0)];
  }

  ENVPOOL_FN static Outcome finish(World& world, const Params& p, Rng&) {
    Shared& s = world.shared;
    PlayerActions actions;
    for (i32 i = 0; i < s.players; ++i) actions.of[i] = world.agent[i].action;
    act(s.machine, make_setup(p), actions, /*draw=*/p.obs_type != kRam);
    ++s.frames;
    bool anyone_left = false;
    for (i32 i = 0; i < s.players; ++i) anyone_left |= !has_left(world, i);
    return {.terminated = s.machine.rules.terminal || !anyone_left, .truncated = s.frames >= p.frame_limit};
  }

  ENVPOOL_FN static f32 reward(const World& world, i32 agent) { return f32(world.shared.machine.rules.reward[agent]); }

  ENVPOOL_FN static void repair(World& world, const Params& p) {
    Shared& s = world.shared;
    atari::repair(s.machine, shared_data(p).rom);
    s.players = p.players;
    keep_within(s.frames, 0, (1 << 30));
    for (Agent& agent : world.agent) keep_within(agent.action, u8{0}, u8{kActions - 1});
  }

  ENVPOOL_FN static void observe(const World& world, const Params&, i32 agent, Row row) {
    *row.at<i32, 1>(kId) = agent;
    *row.at<i32, 1>(kLives) = world.shared.machine.rules.lives[agent];
    *row.at<bool, 1>(kDone) = world.shared.machine.rules.terminal || has_left(world, agent);
  }
  ENVPOOL_FN static void observe_world(const World& world, const Params& p, Row row) {
    u8* obs = row.at<u8>(kObs);
    const Console& console = world.shared.machine.console;
    const SharedData& c = shared_data(p);
    const u8* indices = screen(console);
    const i32 pixels = p.screen_height * kWidth;
    if (p.obs_type == kRgb) {
      for (i32 i = 0; i < pixels; ++i) {
        for (i32 k = 0; k < 3; ++k) obs[3 * i + k] = c.rgb[indices[i]][k];
      }
    } else if (p.obs_type == kGrayscale) {
      for (i32 i = 0; i < pixels; ++i) obs[i] = c.gray[indices[i]];
    } else {
      for (i32 i = 0; i < 128; ++i) obs[i] = console.ram[i];
    }
  }

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.text("game", "pong", "The game: the file name of its ROM, without .bin.").changes_shapes();
    o.integer("mode", 4, "Game variant, as multi-agent-ale-py numbers them; -1: by num_players.")
        .between(-1, 64)
        .changes_shapes();
    o.text("rom", "", "The bytes of the ROM; if empty, they come from rom_path or the package ale-py.")
        .changes_shapes();
    o.text("rom_path", "", "Path of a ROM file to load instead of the game's own; the game's rules still apply.")
        .changes_shapes();
    o.integer("difficulty", 0, "Difficulty switches.").between(0, 3).changes_blob();
    o.text("obs_type", "rgb_image", "Observe the screen in colour or gray, or the console's memory.")
        .one_of({"rgb_image", "grayscale_image", "ram"})
        .changes_shapes();
    o.boolean("full_action_space", false, "All 18 actions instead of those with distinct effects.").changes_shapes();
    o.integer("max_cycles", 100000, "Frames after which an episode is truncated.")
        .between(1, 1 << 30)
        .sets(&Params::frame_limit);
  }

  static Params params(const OptionValues& o) {
    Params p{};
    const std::string_view name = o.text("game");
    i32 (*players)(i32) = nullptr;
#define X(Name)                                  \
  if (name == multiplayer::Name::kRom) {         \
    players = multiplayer::Name::players;        \
    p.setup.game = kMultiplayer##Name;           \
    p.setup.traits = multiplayer::Name::kTraits; \
  }
    ENVPOOL_ATARI_MULTIPLAYER_GAMES(X)
#undef X
    if (players == nullptr) {
      throw std::invalid_argument("game: expected an Atari game of several players, got '" + std::string(name) + "'");
    }
    p.setup.mode = i32(o.integer("mode"));
    p.players = players(p.setup.mode);
    if (p.players == 0) {
      std::string modes;
      for (i32 mode = 0; mode <= 64; ++mode) {
        if (players(mode) != 0) modes += (modes.empty() ? "" : ", ") + std::to_string(mode);
      }
      throw std::invalid_argument("mode: expected a mode of " + std::string(name) + " (" + modes + "), got " +
                                  std::to_string(p.setup.mode));
    }
    p.setup.difficulty = u8(o.integer("difficulty"));
    if ((p.setup.traits.difficulties >> p.setup.difficulty & 1) == 0) {
      throw std::invalid_argument("difficulty: expected a difficulty of " + std::string(name) + " (" +
                                  format_set(p.setup.traits.difficulties) + "), got " +
                                  std::to_string(p.setup.difficulty));
    }
    const u32 actions = o.boolean("full_action_space") ? kAllActions : p.setup.traits.minimal_actions;
    for (i32 action = 0; action < kActions; ++action) {
      if (actions >> action & 1) p.actions[p.action_count++] = u8(action);
    }
    p.screen_height = parse_rom(o, name)->height;
    const std::string_view type = o.text("obs_type");
    p.obs_type = type == "ram" ? kRam : type == "grayscale_image" ? kGrayscale : kRgb;
    return p;
  }

  static void spec(const Params& p, Spec& spec) {
    spec.max_players = p.players;
    std::vector<i64> shape = {p.screen_height, kWidth, p.obs_type == kRgb ? 3 : 1};
    if (p.obs_type == kRam) shape = {128};
    spec.obs<u8>("obs", shape).bounds(0, 255).doc("The screen after the frame, or the console's memory.");
    spec.info<i32>("players.id").categories(p.players).per_player().doc("Number of the player.");
    spec.info<i32>("players.lives").per_player().doc("Lives left; 0 in games without lives; -1 once the game is over.");
    spec.info<bool>("players.done").per_player().doc("Whether the player has left the game or the game is over.");
    spec.action<i32>().categories(p.action_count).per_player().doc("The player's action for one frame.");
    spec.render_fps = 60;
    spec.render_height = p.screen_height;
    spec.render_width = kWidth;
  }

  static Blob blob(const OptionValues& o) {
    Params p = params(o);
    Blob bytes(sizeof(SharedData));
    SharedData& c = *new (bytes.data()) SharedData{};
    c.rom = *parse_rom(o, o.text("game"));
    fill_colours(c);
    bytes.attach_native(compile_rom(c.rom));
    p.native = bytes.native();
    p.blob = bytes.data();
    const MultiplayerSetup setup = make_setup(p);
    load(c.initial, setup);
    reset_game(c.initial, setup);
    return bytes;
  }

  static std::vector<abi::Repetition> repetitions(const Params&) { return machine_repetitions(); }

  static void render(const World& world, const Params& p, u8* rgb) {
    auto console = std::make_unique<Console>(world.shared.machine.console);
    draw_last_frame(*console, shared_data(p).rom, p.native);
    const u8* indices = screen(*console);
    for (i32 i = 0; i < p.screen_height * kWidth; ++i) std::memcpy(rgb + 3 * i, shared_data(p).rgb[indices[i]], 3);
  }
#endif

 private:
  ENVPOOL_FN static bool has_left(const World& world, i32 agent) { return world.shared.machine.rules.lives[agent] < 0; }
  ENVPOOL_FN static const SharedData& shared_data(const Params& p) {
    return *reinterpret_cast<const SharedData*>(p.blob);
  }
  ENVPOOL_FN static MultiplayerSetup make_setup(const Params& p) {
    MultiplayerSetup setup = p.setup;
    setup.rom = &shared_data(p).rom;
    setup.native = p.native;
    return setup;
  }
};

}  // namespace envpool::atari
