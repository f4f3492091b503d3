// SPDX-License-Identifier: Apache-2.0
//
// Atari games of several players as PettingZoo defines them, with ids such as atari/pong-v3.
//
//   Players      two; in modes of Video Olympics four, who form two teams
//   Action       i32 per player, for frame_skip video frames: a number into the actions that have distinct effects in
//                the game, or with full_action_space into all 18 actions of ALE
//   Observation  what all players see after the last frame, u8: by obs_type "rgb_image" the screen, (height, 160, 3);
//                "grayscale_image" the same in gray, (height, 160, 1); "ram" the 128 bytes of the console's memory;
//                "screen" the last images for learners, (stack_num, img_height, img_width), which are made as for one
//                player (atari_env.h)
//   Reward       of each player while in the game, summed over the frames; see multiplayer/
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

#include "envpool/atari/images.h"
#include "envpool/atari/multiplayer_machine.h"
#include "envpool/atari/shared_game.h"

namespace envpool::atari {

// In the blob, the SharedGameOf<MultiplayerMachine> is followed by a ResizePlan.
struct MultiplayerEnv {
  static constexpr const char* kName = "MultiplayerAtari";
  static constexpr i32 kMaxPlayers = kMostPlayers, kPhases = 1;

  enum ObsType : u8 { kRgb, kGrayscale, kRam, kImages };

  struct Params {
    const u8* blob;      // a SharedGameOf<MultiplayerMachine>
    const void* native;  // as in GameParams
    MultiplayerSetup setup;
    i32 players;
    u8 actions[kActions];  // maps the players' action numbers to Action
    u8 action_count;
    i32 screen_height;
    i32 frame_limit;  // per episode
    i32 frame_skip;
    i32 stack_num;
    i32 img_height, img_width;  // of an image
    bool max_pool;
    ObsType obs_type;
  };
  // The console's screens and the stack of images follow.
  struct Shared {
    PlayerActions actions;     // of this step
    i32 reward[kMostPlayers];  // of this step
    i32 players;
    i32 frames;  // of this episode
    i32 newest;  // the slot of the stack that was written last
    MultiplayerMachine machine;
  };
  using World = envpool::World<MultiplayerEnv>;
  using SharedData = SharedGameOf<MultiplayerMachine>;

  enum Field { kObs, kId, kLives, kDone };

  ENVPOOL_FN static void reset(World& world, const Params& p, Rng& rng) {
    Shared& s = world.shared;
    if (rng.episode == 0) {
      const SharedData& c = shared_data(p);
      copy_machine(s.machine, c.initial);
    } else {
      reset_game(s.machine, make_setup(p));
    }
    s.players = p.players;
    s.frames = 0;
    for (i32& reward : s.reward) reward = 0;
    s.actions = {};
    if (p.obs_type == kImages) {
      push_image(world, p, /*pool_two=*/false);
      const i64 bytes = image_bytes(p);
      for (i32 slot = 0; slot < p.stack_num; ++slot) {
        if (slot != s.newest) copy(image(world, p, slot), image(world, p, s.newest), bytes);
      }
    }
  }

  static i64 extra_bytes(const Params& p) {
    return screen_bytes(p.screen_height) + (p.obs_type == kImages ? p.stack_num * image_bytes(p) : 0);
  }

  ENVPOOL_FN static i32 players(const World& world) { return world.shared.players; }

  template <int kPhase>
  ENVPOOL_FN static void phase(World& world, i32 agent, const Params& p, ActionRow row, Rng&) {
    // As in PettingZoo, a player who has left performs the first action, which is not NOOP in every game.
    world.shared.actions.of[agent] = p.actions[has_left(world, agent) ? 0 : *row.at<i32>(0)];
  }

  ENVPOOL_FN static Outcome finish(World& world, const Params& p, Rng&) {
    Shared& s = world.shared;
    const MultiplayerSetup setup = make_setup(p);
    for (i32& reward : s.reward) reward = 0;
    // The frames that an observation shows, which have to be drawn.
    const i32 shown = p.obs_type == kRam ? 0 : p.obs_type == kImages && p.max_pool ? min(p.frame_skip, 2) : 1;
    Outcome outcome;
    i32 left = p.frame_skip;
    do {
      bool had_left[kMostPlayers];
      for (i32 i = 0; i < s.players; ++i) had_left[i] = has_left(world, i);
      act(s.machine, setup, s.actions, /*draw=*/left <= shown);
      --left;
      ++s.frames;
      bool anyone_left = false;
      for (i32 i = 0; i < s.players; ++i) {
        if (!had_left[i]) s.reward[i] += s.machine.rules.reward[i];
        if (has_left(world, i)) {
          s.actions.of[i] = p.actions[0];
        } else {
          anyone_left = true;
        }
      }
      outcome.terminated = s.machine.rules.terminal || !anyone_left;
      outcome.truncated = s.frames >= p.frame_limit;
    } while (left > 0 && !outcome.terminated && !outcome.truncated);
    if (p.obs_type == kImages) {
      if (left < shown) {
        push_image(world, p, /*pool_two=*/shown == 2 && left == 0);
      } else {
        repeat_image(world, p);
      }
    } else if (p.obs_type != kRam) {
      draw_last_frame(s.machine.console, *setup.rom, setup.native);
    }
    return outcome;
  }

  ENVPOOL_FN static f32 reward(const World& world, i32 agent) { return f32(world.shared.reward[agent]); }

  ENVPOOL_FN static void repair(World& world, const Params& p) {
    Shared& s = world.shared;
    atari::repair(s.machine, shared_data(p).rom);
    s.players = p.players;
    keep_within(s.frames, 0, (1 << 30));
    keep_within(s.newest, 0, p.obs_type == kImages ? p.stack_num - 1 : 0);
    for (u8& action : s.actions.of) keep_within(action, u8{0}, u8{kActions - 1});
  }

  ENVPOOL_FN static void observe(const World& world, const Params&, i32 agent, Row row) {
    *row.at<i32, 1>(kId) = agent;
    *row.at<i32, 1>(kLives) = world.shared.machine.rules.lives[agent];
    *row.at<bool, 1>(kDone) = world.shared.machine.rules.terminal || has_left(world, agent);
  }
  ENVPOOL_FN static void observe_world(const World& world, const Params& p, Row row) {
    u8* obs = row.at<u8>(kObs);
    if (p.obs_type == kImages) {
      // The slots up to the newest hold the newer images, and the slots after it the older ones.
      const i64 bytes = image_bytes(p), newer = i64{world.shared.newest} + 1, older = p.stack_num - newer;
      copy(obs, image(world, p, newer), older * bytes);
      copy(obs + older * bytes, image(world, p, 0), newer * bytes);
      return;
    }
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
    o.text("obs_type", "rgb_image",
           "Observe the screen in colour or gray, the console's memory, or images for learners.")
        .one_of({"rgb_image", "grayscale_image", "ram", "screen"})
        .changes_shapes();
    o.integer("frame_skip", 1, "Number of video frames for which an action is repeated.")
        .between(1, 1000)
        .sets(&Params::frame_skip);
    o.integer("stack_num", 4, "With obs_type \"screen\": number of images in an observation, oldest first.")
        .between(1, 64)
        .changes_shapes()
        .sets(&Params::stack_num);
    o.integer("img_height", 84, "With obs_type \"screen\": height of an image in pixels; 0 means the screen's height.")
        .between(0, 4096)
        .changes_shapes();
    o.integer("img_width", 84,
              "With obs_type \"screen\": width of an image in pixels; 0 means the screen's width, 160.")
        .between(0, 4096)
        .changes_shapes();
    o.boolean("max_pool", true, "With obs_type \"screen\": an image is the pixelwise maximum of the last two frames.")
        .sets(&Params::max_pool);
    o.boolean("use_inter_area_resize", true, "Resize by area averaging; otherwise bilinear interpolation.")
        .changes_blob();
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
    p.obs_type = type == "ram" ? kRam : type == "grayscale_image" ? kGrayscale : type == "screen" ? kImages : kRgb;
    p.img_height = i32(o.integer("img_height"));
    p.img_width = i32(o.integer("img_width"));
    if (p.img_height == 0) p.img_height = p.screen_height;
    if (p.img_width == 0) p.img_width = kWidth;
    return p;
  }

  static void spec(const Params& p, Spec& spec) {
    spec.max_players = p.players;
    std::vector<i64> shape = {p.screen_height, kWidth, p.obs_type == kRgb ? 3 : 1};
    if (p.obs_type == kRam) shape = {128};
    if (p.obs_type == kImages) shape = {p.stack_num, p.img_height, p.img_width};
    spec.obs<u8>("obs", shape)
        .bounds(0, 255)
        .doc("The screen, the console's memory, or the last images, oldest first.");
    spec.info<i32>("players.id").categories(p.players).per_player().doc("Number of the player.");
    spec.info<i32>("players.lives").per_player().doc("Lives left; 0 in games without lives; -1 once the game is over.");
    spec.info<bool>("players.done").per_player().doc("Whether the player has left the game or the game is over.");
    spec.action<i32>().categories(p.action_count).per_player().doc("The player's action for frame_skip frames.");
    spec.render_fps = 60.0 / p.frame_skip;
    spec.render_height = p.screen_height;
    spec.render_width = kWidth;
  }

  static Blob blob(const OptionValues& o) {
    Params p = params(o);
    const ResizePlanBlock block =
        make_resize_plan(p.screen_height, kWidth, p.img_height, p.img_width,
                         o.boolean("use_inter_area_resize") ? Interpolation::kArea : Interpolation::kLinear);
    const ResizePlan& plan = as_resize_plan(block);
    Blob bytes(sizeof(SharedData) + plan.bytes);
    std::memcpy(bytes.data() + sizeof(SharedData), &plan, plan.bytes);
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

  static std::vector<abi::Repetition> repetitions(const Params& p) {
    std::vector<abi::Repetition> parts = console_repetitions(sizeof(World), p.screen_height);
    if (p.obs_type == kImages) {
      const i64 stack = sizeof(World) + screen_bytes(p.screen_height), bytes = image_bytes(p);
      // Within the first image, a row resembles the row above. The others resemble the image before.
      parts.push_back({stack, bytes, std::max<i64>(p.img_width, 8)});
      parts.push_back({stack + bytes, (p.stack_num - 1) * bytes, std::max<i64>(bytes, 8)});
    }
    return parts;
  }

  static void render(const World& world, const Params& p, u8* rgb) {
    const auto console = copy_with_screens(world.shared.machine.console);
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

  // The stack is a ring buffer of images that follows the screens in memory.
  ENVPOOL_FN static i64 image_bytes(const Params& p) { return i64{p.img_height} * p.img_width; }
  ENVPOOL_FN static const u8* image(const World& world, const Params& p, i64 slot) {
    return static_cast<const u8*>(world.extra()) + screen_bytes(p.screen_height) + slot * image_bytes(p);
  }
  ENVPOOL_FN static u8* image(World& world, const Params& p, i64 slot) {
    return static_cast<u8*>(world.extra()) + screen_bytes(p.screen_height) + slot * image_bytes(p);
  }
  ENVPOOL_FN static u8* next_image(World& world, const Params& p) {
    i32& newest = world.shared.newest;
    newest = newest + 1 == p.stack_num ? 0 : newest + 1;
    return image(world, p, newest);
  }
  ENVPOOL_FN static void repeat_image(World& world, const Params& p) {
    const u8* from = image(world, p, world.shared.newest);
    u8* to = next_image(world, p);
    if (to != from) copy(to, from, image_bytes(p));
  }
  ENVPOOL_FN static void push_image(World& world, const Params& p, bool pool_two) {
    const SharedData& c = shared_data(p);
    const ResizePlan& plan = *reinterpret_cast<const ResizePlan*>(&c + 1);
    Console& console = world.shared.machine.console;
    const u8* newest = image(world, p, world.shared.newest);
    u8* to = next_image(world, p);
    u8 changed[kMaxHeight];
    LastImage last;
    last.changed = changed;
    if (note_resized(console, p.screen_height, pool_two ? 3 : 1u << console.buffer, changed)) last.pixels = newest;
    resize_indexed_max(plan, screen(console), pool_two ? previous_screen(console) : nullptr, c.gray, to, last);
  }
};

}  // namespace envpool::atari
