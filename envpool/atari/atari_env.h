// SPDX-License-Identifier: Apache-2.0
//
// Atari games with the preprocessing that is usual in reinforcement learning: frame skip, the pixelwise maximum of the
// last two frames, resizing to 84 x 84 gray, and a stack of four images. Options, names and defaults are EnvPool's.
//
// Observable details follow EnvPool:
//   - If the game has FIRE and use_fire_reset is on, a reset plays 0 to noop_max - 1 no-ops and then FIRE; otherwise it
//     plays 1 to noop_max no-ops. A game that ends during the no-ops is restarted.
//   - If a game ends in the second to last frame of a skip, the image shows only that frame. If it ends earlier, the
//     latest image of the stack is repeated.
//   - With episodic_life a new game starts only when all lives are lost or the time limit is reached. The stack, the
//     time limit and elapsed_step continue across lost lives.
// There are two differences:
//   - Screens of more than 210 lines, as in PAL games, are resized whole, while EnvPool cuts them off at 210.
//   - Sticky actions use this library's random number generator.
#pragma once

#include "envpool/atari/images.h"
#include "envpool/atari/shared_game.h"
#include "envpool/core/api.h"

namespace envpool::atari {

// In the blob, the SharedGame is followed by a ResizePlan.
struct AtariEnv {
  static constexpr const char* kName = "Atari";

  struct Params : GameParams {
    i32 stack_num;
    i32 frame_skip;
    i32 noop_max;
    i32 img_height, img_width, channels;  // of an image
    i32 render_height;
    bool observe_ram;  // instead of images
    bool wants_fire, max_pool;
    bool episodic_life;
    bool reward_clip;
    bool zero_discount_on_life_loss;
    // Derived:
    i32 pooled_frames;  // the image of a step is the maximum of its last `pooled_frames` frames
    bool fire_reset;    // the game has FIRE, and resets press it
  };

  struct State {
    i32 lives;       // after the last step
    f32 reward;      // of the last step, not clipped
    i32 newest;      // the slot of the stack that was written last
    bool life_lost;  // the episode ended with a lost life; the game continues
    Machine machine;
  };

  // The screen height of all but thirteen games. EnvPool never renders more rows than this.
  static constexpr i32 kStandardHeight = 210;

  enum Field { kObs, kLives, kReward, kTerminated, kRam };

  // The number of bytes after State. They hold the console's screens and the stack of images. If two successive frames
  // may be drawn to the same screen, they also hold a copy of a screen.
  static i64 extra_bytes(const Params& p) {
    return screen_bytes(p.screen_height) + i64{p.stack_num} * image_bytes(p) +
           (p.setup.traits.unfinished_frames ? i64{p.screen_height} * kWidth : 0);
  }

  ENVPOOL_FN static void derive(Params& p) {
    p.pooled_frames = p.observe_ram ? 0 : min(p.frame_skip, p.max_pool ? 2 : 1);
    p.fire_reset = false;
    for (i32 i = 0; i < p.action_count; ++i) p.fire_reset |= p.wants_fire && p.actions[i] == kFire;
  }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    const Setup setup = make_setup(p);
    bool new_game = true;
    if (rng.episode == 0) {
      start_first_game(s.machine, p, setup, rng);
    } else if (!s.life_lost) {
      reset_game(s.machine, setup, rng);
    } else {
      new_game = false;
    }
    const i32 noops = p.noop_max == 0 ? 0 : i32(rng.below(u32(p.noop_max))) + !p.fire_reset;
    for (i32 i = 1; i <= noops; ++i) {
      play(s, p, setup, kNoop, rng, i == noops && !p.fire_reset);
      if (!s.machine.rules.terminal) continue;
      reset_game(s.machine, setup, rng);
      new_game = true;
    }
    if (p.fire_reset) play(s, p, setup, kFire, rng, /*draw=*/true);
    s.lives = lives(s.machine, setup);
    s.reward = 0;
    s.life_lost = false;
    push_image(s, p, /*pool_two=*/false);
    if (new_game) fill_stack(s, p);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow row, Rng& rng) {
    const Setup setup = make_setup(p);
    const i32 action = p.actions[*row.at<i32>(0)];
    i64 score = 0;
    i32 left = p.frame_skip;
    do {
      score += play(s, p, setup, action, rng, left <= p.pooled_frames);
      --left;
      if (left == 1 && setup.traits.unfinished_frames) {
        copy(saved_screen(s, p), screen(s.machine), i64{p.screen_height} * kWidth);
      }
    } while (left > 0 && !s.machine.rules.terminal);
    if (left < p.pooled_frames || p.observe_ram) {
      push_image(s, p, p.pooled_frames == 2 && left == 0);
    } else {
      repeat_image(s, p);
    }

    const i32 lives_before = s.lives;
    s.lives = lives(s.machine, setup);
    s.life_lost = p.episodic_life && s.lives > 0 && s.lives < lives_before;
    s.reward = f32(score);
    Outcome outcome;
    outcome.reward = p.reward_clip ? f32((score > 0) - (score < 0)) : s.reward;
    outcome.terminated = s.machine.rules.terminal || s.life_lost;
    if (p.zero_discount_on_life_loss && s.lives != lives_before) outcome.discount = 0;
    return outcome;
  }

  ENVPOOL_FN static bool game_continues(State& s, bool may) {
    s.life_lost = s.life_lost && may && !s.machine.rules.terminal;
    return s.life_lost;
  }

  // Distinguishes states of equal size: three gray images take as many bytes as one in colour.
  static u64 identity(const Params& p) { return u64(p.stack_num) << 32 | u64(p.channels) << 8 | u64(p.observe_ram); }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    atari::repair(s.machine, shared_game(p).rom);
    keep_within(s.newest, 0, p.stack_num - 1);
    keep_bool(s.life_lost);
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    u8* obs = row.at<u8>(kObs);
    const i64 bytes = image_bytes(p);
    // The slots up to the newest hold the newer images, and the slots after it the older ones.
    const i64 newer = i64{s.newest} + 1;
    const i64 older = p.stack_num - newer;
    copy(obs, image(s, p, newer), older * bytes);
    copy(obs + older * bytes, image(s, p, 0), newer * bytes);
    *row.at<i32, 1>(kLives) = s.lives;
    *row.at<f32, 1>(kReward) = s.reward;
    *row.at<i32, 1>(kTerminated) = s.machine.rules.terminal;
    copy(row.at<u8, 128>(kRam), s.machine.console.ram, 128);
  }

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.text("task", "pong", "The game: the file name of its ROM, without .bin.").changes_shapes();
    o.text("rom", "", "The bytes of the ROM; if empty, they come from rom_path or the package ale-py.")
        .changes_shapes();
    o.integer("stack_num", 4, "Number of images in an observation, oldest first.")
        .between(1, 64)
        .changes_shapes()
        .sets(&Params::stack_num);
    o.integer("frame_skip", 4, "Number of video frames for which an action is repeated.")
        .between(1, 1000)
        .sets(&Params::frame_skip);
    o.integer("noop_max", 30, "Maximum number of no-ops that a reset plays; the number is random.")
        .between(0, 10000)
        .sets(&Params::noop_max);
    o.boolean("zero_discount_on_life_loss", false, "Losing a life sets the discount to 0.")
        .sets(&Params::zero_discount_on_life_loss);
    o.boolean("episodic_life", false, "Losing a life ends the episode, but not the game.").sets(&Params::episodic_life);
    o.boolean("reward_clip", false, "Rewards are clipped to their sign; info[\"reward\"] is not.")
        .sets(&Params::reward_clip);
    o.boolean("use_fire_reset", true, "A reset presses FIRE in the games that have it.").sets(&Params::wants_fire);
    o.integer("img_height", 84, "Height of an image in pixels; 0 means the screen's height.")
        .between(0, 4096)
        .changes_shapes();
    o.integer("img_width", 84, "Width of an image in pixels; 0 means the screen's width, 160.")
        .between(0, 4096)
        .changes_shapes();
    o.integer("mode", -1, "Game variant; -1 is the game's default.").between(-1, 100000).changes_blob();
    o.integer("difficulty", -1, "Difficulty switches; -1 is the default, 0.").between(-1, 3).changes_blob();
    o.boolean("full_action_space", false, "All 18 actions instead of those with distinct effects.").changes_shapes();
    o.real("repeat_action_probability", 0.0, "Probability that a frame repeats the previous action.")
        .between(0, 1)
        .sets(&GameParams::repeat_action_probability);
    o.boolean("use_inter_area_resize", true, "Resize by area averaging; otherwise bilinear interpolation.")
        .changes_blob();
    o.boolean("gray_scale", true, "Gray images; otherwise red, green and blue planes.").changes_shapes();
    o.boolean("max_pool", true, "An image is the pixelwise maximum of the last two frames; otherwise the last frame.")
        .sets(&Params::max_pool);
    o.text("obs_type", "screen", "Observe images, or the 128 bytes of the console's memory.")
        .one_of({"screen", "ram"})
        .changes_shapes();
    o.text("rom_path", "", "Path of a ROM file to load instead of the game's own; the game's rules still apply.")
        .changes_shapes();
    o.boolean("render_whole_screen", false, "render() shows all rows; otherwise only the first 210, as EnvPool does.")
        .changes_shapes();
  }

  static Params params(const OptionValues& o) {
    Params p{};
    read_game_options(p, o, o.text("task"));
    p.observe_ram = o.text("obs_type") == "ram";
    p.img_height = i32(o.integer("img_height"));
    p.img_width = i32(o.integer("img_width"));
    if (p.img_height == 0) p.img_height = p.screen_height;
    if (p.img_width == 0) p.img_width = kWidth;
    p.channels = o.boolean("gray_scale") ? 1 : 3;
    p.render_height = o.boolean("render_whole_screen") ? p.screen_height : std::min(p.screen_height, kStandardHeight);
    return p;
  }

  static void spec(const Params& p, Spec& spec) {
    if (p.observe_ram) {
      spec.obs<u8>("obs", {p.stack_num, 128})
          .bounds(0, 255)
          .doc("The console's memory after each of the last steps, oldest first.");
    } else {
      spec.obs<u8>("obs", {p.stack_num * p.channels, p.img_height, p.img_width})
          .bounds(0, 255)
          .doc("The last images, oldest first; in colour, each has a red, a green and a blue plane.");
    }
    spec.info<i32>("info:lives").doc("Lives left; 0 in games without lives.");
    spec.info<f32>("info:reward").doc("The reward of this step, not clipped.");
    spec.info<i32>("info:terminated").bounds(0, 1).doc("1 when the game is over.");
    spec.info<u8>("info:ram", {128}).bounds(0, 255).doc("The console's memory.");
    spec.action<i32>().categories(p.action_count).doc("The player's action for frame_skip frames.");
    if (p.reward_clip) {
      spec.reward_low = -1;
      spec.reward_high = 1;
    }
    spec.render_fps = 60.0 / p.frame_skip;
    spec.render_height = p.render_height;
    spec.render_width = kWidth;
  }

  static Blob blob(const OptionValues& o) {
    const Params p = params(o);
    const ResizePlanBlock block =
        make_resize_plan(p.screen_height, kWidth, p.img_height, p.img_width,
                         o.boolean("use_inter_area_resize") ? Interpolation::kArea : Interpolation::kLinear);
    const ResizePlan& plan = as_resize_plan(block);
    Blob bytes = make_shared_game(p, o, o.text("task"), plan.bytes);
    std::memcpy(bytes.data() + sizeof(SharedGame), &plan, plan.bytes);
    return bytes;
  }

  static std::vector<abi::Repetition> repetitions(const Params& p) {
    std::vector<abi::Repetition> parts = console_repetitions(sizeof(State), p.screen_height);
    const i64 stack = sizeof(State) + screen_bytes(p.screen_height), image = image_bytes(p),
              row = p.observe_ram ? 128 : p.img_width;
    // Within the first image, a row resembles the row above. The others resemble the image before.
    parts.push_back({stack, image, std::max<i64>(row, 8)});
    parts.push_back({stack + image, (p.stack_num - 1) * image, std::max<i64>(image, 8)});
    if (p.setup.traits.unfinished_frames) {
      parts.push_back({stack + p.stack_num * image, i64{p.screen_height} * kWidth, kWidth});
    }
    return parts;
  }

  static void render(const State& s, const Params& p, u8* rgb) { render_rgb(s.machine, p, p.render_height, rgb); }
#endif

 private:
  ENVPOOL_FN static i32 play(State& s, const Params& p, const Setup& setup, i32 action, Rng& rng, bool draw) {
    return act_sticky(s.machine, setup, action, p.repeat_action_probability, rng, draw);
  }

  // The stack is a ring buffer of images that follows the screens in memory.
  ENVPOOL_FN static i64 image_bytes(const Params& p) {
    return p.observe_ram ? 128 : i64{p.channels} * p.img_height * p.img_width;
  }
  ENVPOOL_FN static const u8* image(const State& s, const Params& p, i64 slot) {
    return reinterpret_cast<const u8*>(&s + 1) + screen_bytes(p.screen_height) + slot * image_bytes(p);
  }
  ENVPOOL_FN static u8* image(State& s, const Params& p, i64 slot) {
    return reinterpret_cast<u8*>(&s + 1) + screen_bytes(p.screen_height) + slot * image_bytes(p);
  }
  ENVPOOL_FN static u8* saved_screen(State& s, const Params& p) { return image(s, p, p.stack_num); }
  ENVPOOL_FN static u8* next_image(State& s, const Params& p) {
    s.newest = s.newest + 1 == p.stack_num ? 0 : s.newest + 1;
    return image(s, p, s.newest);
  }

  ENVPOOL_FN static void push_image(State& s, const Params& p, bool pool_two) {
    const SharedGame& c = shared_game(p);
    const ResizePlan& plan = *reinterpret_cast<const ResizePlan*>(&c + 1);
    const u8* now = screen(s.machine);
    const u8* before = !pool_two                          ? nullptr
                       : p.setup.traits.unfinished_frames ? saved_screen(s, p)
                                                          : previous_screen(s.machine);
    const u8* newest = image(s, p, s.newest);
    u8* to = next_image(s, p);
    if (p.observe_ram) {
      copy(to, s.machine.console.ram, 128);
      return;
    }
    u8 changed[kMaxHeight];
    LastImage last;
    last.changed = changed;
    // The second screen of a game with unfinished frames is a copy.
    const u32 both = p.setup.traits.unfinished_frames ? 0 : 3;
    const u32 screens = pool_two ? both : both & 1u << s.machine.console.buffer;
    if (note_resized(s.machine.console, p.screen_height, screens, changed)) last.pixels = newest;
    if (p.channels == 1) {
      resize_indexed_max(plan, now, before, c.gray, to, last);
    } else {
      resize_rgb_max(plan, now, before, c.rgb[0], to, last);
    }
  }
  ENVPOOL_FN static void repeat_image(State& s, const Params& p) {
    const u8* from = image(s, p, s.newest);
    u8* to = next_image(s, p);
    if (to != from) copy(to, from, image_bytes(p));
  }
  ENVPOOL_FN static void fill_stack(State& s, const Params& p) {
    for (i32 slot = 0; slot < p.stack_num; ++slot) {
      if (slot != s.newest) copy(image(s, p, slot), image(s, p, s.newest), image_bytes(p));
    }
  }
};

}  // namespace envpool::atari
