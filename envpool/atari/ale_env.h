// SPDX-License-Identifier: Apache-2.0
//
// Atari games as gymnasium defines them, with ids such as ALE/Pong-v5: an observation is the whole screen after the
// last frame of a step, or the console's memory. Options, names and defaults are gymnasium's.
//
// There is one difference: sticky actions and random frame skips use this library's random number generator.
#pragma once

#include "envpool/atari/shared_game.h"
#include "envpool/core/env.h"

namespace envpool::atari {

struct AleEnv {
  static constexpr const char* kName = "Ale";

  enum ObsType : u8 { kRgb, kGrayscale, kRam };

  struct Params : GameParams {
    i32 skip_low, skip_high;
    i32 frame_limit;  // per episode; 0 or less: unlimited
    ObsType obs_type;
  };

  struct State {
    i32 lives;
    Machine machine;
  };

  enum Field { kObs, kLives, kEpisodeFrames, kFrames };

  static i64 extra_bytes(const Params& p) { return screen_bytes(p.screen_height); }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    const Setup setup = make_setup(p);
    if (rng.episode == 0) {
      start_first_game(s.machine, p, setup, rng);
    } else {
      reset_game(s.machine, setup, rng);
    }
    s.lives = lives(s.machine, setup);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow row, Rng& rng) {
    const Setup setup = make_setup(p);
    const i32 action = p.actions[*row.at<i32>(0)];
    const i32 skip = p.skip_low + (p.skip_high > p.skip_low ? i32(rng.below(u32(p.skip_high - p.skip_low + 1))) : 0);
    const bool draws = p.obs_type != kRam;
    Machine& m = s.machine;
    i64 score = 0;
    for (i32 left = skip; left > 0 && !m.rules.terminal && !truncated(m, p); --left) {
      score += act_sticky(m, setup, action, p.repeat_action_probability, rng, draws && left == 1);
    }
    // The step may have ended in an earlier frame, which was not drawn.
    if (draws) draw_last_frame(m.console, *setup.rom, setup.native);
    s.lives = lives(m, setup);
    Outcome outcome;
    outcome.reward = f32(score);
    outcome.terminated = m.rules.terminal;
    outcome.truncated = truncated(m, p);
    return outcome;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) { atari::repair(s.machine, shared_game(p).rom); }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    u8* obs = row.at<u8>(kObs);
    const u8* indices = screen(s.machine);
    const SharedGame& c = shared_game(p);
    const i32 pixels = p.screen_height * kWidth;
    if (p.obs_type == kRgb) {
      for (i32 i = 0; i < pixels; ++i) {
        for (i32 k = 0; k < 3; ++k) obs[3 * i + k] = c.rgb[indices[i]][k];
      }
    } else if (p.obs_type == kGrayscale) {
      for (i32 i = 0; i < pixels; ++i) obs[i] = c.gray[indices[i]];
    } else {
      for (i32 i = 0; i < 128; ++i) obs[i] = s.machine.console.ram[i];
    }
    *row.at<i32, 1>(kLives) = s.lives;
    *row.at<i32, 1>(kEpisodeFrames) = i32(s.machine.episode_frames);
    *row.at<i32, 1>(kFrames) = i32(s.machine.total_frames);
  }

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.text("game", "pong", "The game: the file name of its ROM, without .bin.").changes_shapes();
    o.text("rom", "", "The bytes of the ROM; if empty, they come from rom_path or the package ale-py.")
        .changes_shapes();
    o.text("rom_path", "", "Path of a ROM file to load instead of the game's own; the game's rules still apply.")
        .changes_shapes();
    o.integer("mode", -1, "Game variant; -1 or None is the game's default.").between(-1, 100000).changes_blob();
    o.integer("difficulty", -1, "Difficulty switches; -1 or None is the default, 0.").between(-1, 3).changes_blob();
    o.text("obs_type", "rgb", "Observe the screen in colour or gray, or the console's memory.")
        .one_of({"rgb", "grayscale", "ram"})
        .changes_shapes();
    o.integer("frameskip", 4, "Video frames per action; (low, high): a random number from low to high - 1 for each.")
        .between(1, 1000)
        .sets(&Params::skip_low);
    o.integer("frameskip_max", 0, "Largest random frame skip; 0: the frame skip is always frameskip.")
        .between(0, 1000)
        .sets(&Params::skip_high);
    o.real("repeat_action_probability", 0.25, "Probability that a frame repeats the previous action.")
        .between(0, 1)
        .sets(&GameParams::repeat_action_probability);
    o.boolean("full_action_space", false, "All 18 actions instead of those with distinct effects.").changes_shapes();
    o.integer("max_num_frames_per_episode", 108000, "Frames after which an episode is truncated; 0 or None: no limit.")
        .between(-1, 2147483647)
        .sets(&Params::frame_limit);
  }

  static Params params(const OptionValues& o) {
    Params p{};
    read_game_options(p, o, o.text("game"));
    const i64 low = o.integer("frameskip"), high = o.integer("frameskip_max");
    if (high != 0 && high < low) {
      throw std::invalid_argument("frameskip_max: expected 0 or at least frameskip = " + std::to_string(low) +
                                  ", got " + std::to_string(high));
    }
    const std::string_view type = o.text("obs_type");
    p.obs_type = type == "ram" ? kRam : type == "grayscale" ? kGrayscale : kRgb;
    return p;
  }

  static void spec(const Params& p, Spec& spec) {
    std::vector<i64> shape = {p.screen_height, kWidth};
    if (p.obs_type == kRgb) shape.push_back(3);
    if (p.obs_type == kRam) shape = {128};
    spec.obs<u8>("obs", shape).bounds(0, 255).doc("The screen after the step, or the console's memory.");
    spec.info<i32>("info:lives").doc("Lives left; 0 in games without lives.");
    spec.info<i32>("info:episode_frame_number").doc("Video frames since the reset.");
    spec.info<i32>("info:frame_number").doc("Video frames since the console was powered on.");
    spec.action<i32>().categories(p.action_count).doc("The player's action for frameskip frames.");
    spec.render_fps = 60.0 / (p.skip_low > 1 ? p.skip_low : 1);
    spec.render_height = p.screen_height;
    spec.render_width = kWidth;
  }

  static Blob blob(const OptionValues& o) { return make_shared_game(params(o), o, o.text("game")); }

  static std::vector<abi::Repetition> repetitions(const Params& p) {
    return console_repetitions(sizeof(State), p.screen_height);
  }

  static void render(const State& s, const Params& p, u8* rgb) { render_rgb(s.machine, p, p.screen_height, rgb); }
#endif

 private:
  ENVPOOL_FN static bool truncated(const Machine& m, const Params& p) {
    return p.frame_limit > 0 && m.episode_frames >= u32(p.frame_limit);
  }
};

}  // namespace envpool::atari
