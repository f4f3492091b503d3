// SPDX-License-Identifier: Apache-2.0
//
// ViZDoom with the interface of the package's own gymnasium environments (vizdoom 1.3.2): whole images, game variables
// and the rewards of the scenario. The engine runs in a process for each environment.
//
// There are two differences from the package. The seed of each episode is drawn from this library's generator;
// info["seed"] is the seed with which `game.set_seed` of the package gives the same episode. And audio and
// notifications are not observed.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/api.h"
#include "envpool/vizdoom/game.h"
#include "envpool/vizdoom/setup.h"

namespace envpool::vizdoom {

class GymEnv {
 public:
  static constexpr const char* kNoSnapshots = "ViZDoom's engine cannot save the complete state of a game";
  static constexpr const char* kName = "VizdoomGym";

  struct Params {
    std::shared_ptr<Setup> setup;
    i64 frame_skip, delta_buttons, binary_buttons;
    bool truncates, multi_binary;
    // The binary buttons that each action number holds. Empty if an action has a value for each binary button instead.
    std::vector<std::vector<u8>> choices;

    const Config& config() const { return setup->config; }
    i64 pixels() const { return config().width * config().height; }
    i64 channels() const { return config().gray ? 1 : 3; }
  };

  GymEnv(const Params& params, i32)
      : params_(params), game_(params.setup->files, params.setup->config), buttons_(params.config().buttons.size()) {}

  void reset(Rng& rng) {
    seed_ = rng.bits();
    game_.new_episode(u32(seed_));
  }

  Outcome step(ActionRow row, Rng&) {
    const i64 deltas = params_.delta_buttons, binaries = params_.binary_buttons;
    i32 field = 0;
    if (binaries > 0) {
      for (i64 i = 0; i < binaries; ++i) buttons_[size_t(deltas + i)] = held(row, field, i);
      ++field;
    }
    if (deltas > 0) std::copy_n(row.row_of<f32>(field), deltas, buttons_.data());
    game_.advance(buttons_.data(), params_.frame_skip);
    Outcome outcome;
    outcome.reward = f32(game_.reward());
    outcome.terminated = game_.finished();
    outcome.truncated = params_.truncates && game_.timed_out();
    return outcome;
  }

  void observe(Row row) const {
    const bool finished = game_.finished();  // if so, all observations are zero
    i32 field = 0;
    const auto image = [&](const u8* from, i64 bytes) {
      u8* to = row.at<u8>(field++);
      if (finished) {
        std::memset(to, 0, size_t(bytes));
      } else {
        std::memcpy(to, from, size_t(bytes));
      }
    };
    const Config& config = params_.config();
    const i64 pixels = params_.pixels(), colours = pixels * params_.channels();
    image(game_.screen(), colours);
    if (config.depth) image(game_.depth(), pixels);
    if (config.labels) image(game_.labels(), pixels);
    if (config.automap) image(game_.automap(), colours);
    if (!config.variables.empty()) {
      f32* variables = row.at<f32>(field++);
      for (const i32 number : config.variables) *variables++ = finished ? 0 : f32(game_.variable(number));
    }
    *row.at<i64, 1>(field) = seed_;
  }

  void render(u8* rgb) const { game_.render(rgb); }

  void cancel() { game_.cancel(); }

  static i64 heap_bytes(const Params&) { return kEngineBytes; }

  static void options(OptionSpecs& o) {
    setup_options(o);
    o.integer("frame_skip", 1, "Tics per step; a second of the game has 35.").between(1, 1000);
    o.integer("max_buttons_pressed", 1, "Most binary buttons that are held at once; 0: any, each with its own entry.")
        .between(0, 43)
        .changes_shapes();
    o.boolean("treat_episode_timeout_as_truncation", true, "The settings' time limit also truncates an episode.");
    o.boolean("use_multi_binary_action_space", true, "Any buttons: MultiBinary instead of MultiDiscrete.")
        .changes_shapes();
    o.text("doom_map", "", "The map, such as map01, instead of the one in the settings.");
    o.integer("doom_skill", 0, "Difficulty from 1 to 5; 0: the one in the settings.").between(0, 5);
    o.boolean("depth_buffer_enabled", false, "Observe the depth, whatever the settings say.").changes_shapes();
    o.boolean("labels_buffer_enabled", false, "Observe the labels of objects, whatever the settings say.")
        .changes_shapes();
    o.boolean("automap_buffer_enabled", false, "Observe the automap, whatever the settings say.").changes_shapes();
  }

  static Params params(const OptionValues& o) {
    Params p{};
    p.setup = read_setup(o);
    Config& config = p.setup->config;
    config.interleaved = true;
    config.depth |= o.boolean("depth_buffer_enabled");
    config.labels |= o.boolean("labels_buffer_enabled");
    config.automap |= o.boolean("automap_buffer_enabled");
    set_map(config, "doom_map", o.text("doom_map"));
    if (o.integer("doom_skill") > 0) config.skill = o.integer("doom_skill");
    p.frame_skip = o.integer("frame_skip");
    p.truncates = o.boolean("treat_episode_timeout_as_truncation");
    p.multi_binary = o.boolean("use_multi_binary_action_space");
    // Delta buttons come first, as in the package.
    std::stable_partition(config.buttons.begin(), config.buttons.end(),
                          [](i32 button) { return button >= kFirstDeltaButton; });
    for (const i32 button : config.buttons) ++(button >= kFirstDeltaButton ? p.delta_buttons : p.binary_buttons);
    const i64 most = std::min(o.integer("max_buttons_pressed"), p.binary_buttons);
    if (most > 0) add_choices(p, std::vector<u8>(size_t(p.binary_buttons)), 0, most);
    return p;
  }

  static void spec(const Params& p, Spec& spec) {
    const Config& config = p.config();
    const i64 height = config.height, width = config.width;
    const auto image = [&](const char* name, i64 channels, const char* doc) {
      spec.obs<u8>(name, {height, width, channels}).bounds(0, 255).doc(doc);
    };
    image("obs:screen", p.channels(), "The screen, in colour or gray.");
    if (config.depth) image("obs:depth", 1, "The distance of each pixel.");
    if (config.labels) image("obs:labels", 1, "The label of the object at each pixel; 0 and 1: none.");
    if (config.automap) image("obs:automap", p.channels(), "The map that the player has seen.");
    constexpr f64 kLargest = std::numeric_limits<f32>::max();
    if (!config.variables.empty()) {
      std::string names;
      for (const i32 number : config.variables) {
        names += (names.empty() ? "" : ", ") + variable_names()[size_t(number)];
      }
      spec.obs<f32>("obs:gamevariables", {i64(config.variables.size())}).bounds(-kLargest, kLargest).doc(names + ".");
    }
    spec.info<i64>("info:seed").bounds(0, 4294967295.0).doc("The seed of the episode for the package's game.set_seed.");
    if (p.binary_buttons > 0) {
      const char* name = p.delta_buttons > 0 ? "binary" : "action";
      if (!p.choices.empty()) {
        spec.action<i32>(name).categories(i64(p.choices.size())).doc("The number of a combination of buttons.");
      } else if (p.multi_binary) {
        spec.action<u8>(name, {p.binary_buttons}).categories(2).doc("Whether each button is held.");
      } else {
        spec.action<i32>(name, {p.binary_buttons}).categories(2).doc("Whether each button is held.");
      }
    }
    if (p.delta_buttons > 0) {
      spec.action<f32>(p.binary_buttons > 0 ? "continuous" : "action", {p.delta_buttons})
          .bounds(-kLargest, kLargest)
          .doc("The amounts of the delta buttons.");
    }
    spec.render_fps = 35.0 / f64(p.frame_skip);
    spec.render_height = i32(height);
    spec.render_width = i32(width);
  }

 private:
  // Adds all choices of at most `left` of the buttons from `button` on, ordered as binary numbers whose first digit is
  // the first button.
  static void add_choices(Params& p, std::vector<u8> chosen, size_t button, i64 left) {
    if (p.choices.size() >= (1u << 20)) {
      throw std::invalid_argument("max_buttons_pressed: expected at most 1048576 combinations of buttons, got more");
    }
    if (button == chosen.size()) {
      p.choices.push_back(std::move(chosen));
      return;
    }
    add_choices(p, chosen, button + 1, left);
    if (left == 0) return;
    chosen[button] = 1;
    add_choices(p, std::move(chosen), button + 1, left - 1);
  }

  f64 held(ActionRow row, i32 field, i64 button) const {
    if (!params_.choices.empty()) return params_.choices[size_t(*row.at<i32>(field))][size_t(button)];
    if (params_.multi_binary) return row.row_of<u8>(field)[button];
    return row.row_of<i32>(field)[button];
  }

  const Params& params_;
  Game game_;
  std::vector<f64> buttons_;
  i64 seed_ = 0;
};

}  // namespace envpool::vizdoom
