// SPDX-License-Identifier: Apache-2.0
//
// ViZDoom with EnvPool's interface: a stack of resized screens, and rewards for changes of game variables. The game
// comes from the package vizdoom 1.3.2, whose engine runs in a process for each environment. Options, names and
// defaults are the same as in EnvPool 1.2.5.
//
// There are three differences from EnvPool. The last step of an episode is rewarded too; EnvPool returns 0 for it, so
// that neither death nor the last kill counts. A reset always begins a new episode. And the seed of each episode is
// drawn from this library's generator; info["seed"] is the seed with which `game.set_seed` of the package gives the
// same episode.
#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/atari/resize.h"
#include "envpool/core/api.h"
#include "envpool/core/text.h"
#include "envpool/vizdoom/action_set.h"
#include "envpool/vizdoom/game.h"
#include "envpool/vizdoom/setup.h"

namespace envpool::vizdoom {

class DoomEnv {
 public:
  static constexpr const char* kNoSnapshots = "ViZDoom's engine cannot save the complete state of a game";
  static constexpr const char* kName = "Vizdoom";

  struct Params {
    std::shared_ptr<Setup> setup;
    i64 frame_skip, stack, height, width;
    bool combined;
    std::string recordings;       // folder, or empty
    std::vector<i32> variables;   // the variables in the settings, then the others in kInfo
    std::vector<i32> shown;       // for each info field, the index of its variable in `variables`
    std::vector<f64> gain, loss;  // per variable: the reward per unit by which it grows or shrinks
    std::array<f32, 10> weapon_reward;
    i64 weapon_duration;
    std::vector<std::vector<f64>> actions;  // the combined actions, if they are used
    atari::ResizePlanBlock plan;

    const Config& config() const { return setup->config; }
    i64 channels() const { return config().gray ? 1 : 3; }
    i64 frame_bytes() const { return channels() * height * width; }
  };

  DoomEnv(const Params& params, i32 env_id)
      : params_(params),
        env_id_(env_id),
        game_(params.setup->files, params.setup->config),
        frames_(size_t(params.stack * params.frame_bytes())),
        now_(params.variables.size()),
        before_(params.variables.size()),
        base_(params.variables.size()) {}

  void reset(Rng& rng) {
    seed_ = rng.bits();
    std::string recording;
    if (!params_.recordings.empty()) {
      recording = params_.recordings + "/env_" + std::to_string(env_id_) + "_" + std::to_string(episodes_) + ".lmp";
    }
    game_.new_episode(seed_, recording);
    ++episodes_;
    selected_weapon_ = -1;
    weapon_steps_ = 0;
    read_variables(/*first=*/true);
    before_ = now_;
    reward();  // called so that the first observation counts as a step with the weapon
    push_frame();
    for (i64 i = 0; i + 1 < params_.stack; ++i) std::memcpy(frame(i), frame(params_.stack - 1), frame_bytes());
  }

  Outcome step(ActionRow row, Rng&) {
    const f64* buttons = params_.combined ? params_.actions[size_t(*row.at<i32>(0))].data() : row.row_of<f64>(0);
    game_.advance(buttons, params_.frame_skip);
    before_ = now_;
    read_variables(/*first=*/false);
    Outcome outcome;
    outcome.reward = reward();
    outcome.terminated = game_.finished();
    if (!game_.finished()) push_frame();
    return outcome;
  }

  void observe(Row row) const {
    std::memcpy(row.at<u8>(kObs), frames_.data(), frames_.size());
    *row.at<i64, 1>(kSeed) = seed_;
    for (size_t i = 0; i < params_.shown.size(); ++i) {
      *row.at<f64, 1>(kFirstVariable + i32(i)) = now_[size_t(params_.shown[i])];
    }
  }

  void render(u8* rgb) const { game_.render(rgb); }

  void cancel() { game_.cancel(); }

  static i64 heap_bytes(const Params& p) { return kEngineBytes + p.stack * p.frame_bytes(); }

  static void options(OptionSpecs& o) {
    setup_options(o);
    o.text("map_id", "", "The map, such as map01, instead of the one in the settings.");
    o.integer("img_height", 84, "Height of the observed image in pixels.").between(1, 4096).changes_shapes();
    o.integer("img_width", 84, "Width of the observed image in pixels.").between(1, 4096).changes_shapes();
    o.integer("stack_num", 4, "Number of images in an observation, the newest last.").between(1, 64).changes_shapes();
    o.integer("frame_skip", 4, "Tics per step; a second of the game has 35.").between(1, 1000);
    o.text("lmp_save_dir", "", "Existing folder in which every episode is recorded as env_I_N.lmp.");
    o.boolean("episodic_life", false, "No effect: a player has one life, so its death ends the episode in any case.");
    o.boolean("use_combined_action", false, "An action is the number of a combination of buttons.").changes_shapes();
    o.boolean("force_speed", false, "With combined actions, the button SPEED is always held.").changes_shapes();
    o.text("delta_button_config", "", "Values of delta buttons in combined actions: {name: (count, low, high)}.")
        .changes_shapes();
    o.boolean("use_inter_area_resize", true, "Resize with OpenCV's INTER_AREA instead of INTER_LINEAR.");
    o.text("reward_config",
           "FRAGCOUNT:1:-1.5,KILLCOUNT:1:0,DEATHCOUNT:-0.75:0.75,HITCOUNT:0.01:-0.01,DAMAGECOUNT:0.003:-0.003,"
           "HEALTH:0.005:-0.003,ARMOR:0.005:-0.001,WEAPON0:0.02:-0.01,AMMO0:0.0002:-0.0001,WEAPON1:0.02:-0.01,"
           "AMMO1:0.0002:-0.0001,WEAPON2:0.02:-0.01,AMMO2:0.0002:-0.0001,WEAPON3:0.1:-0.05,AMMO3:0.001:-0.0005,"
           "WEAPON4:0.1:-0.05,AMMO4:0.001:-0.0005,WEAPON5:0.1:-0.05,AMMO5:0.001:-0.0005,WEAPON6:0.2:-0.1,"
           "AMMO6:0.002:-0.001,WEAPON7:0.2:-0.1,AMMO7:0.002:-0.001",
           "Rewards {variable: (gain, loss)} per unit by which an available game variable grows or shrinks.");
    o.text("selected_weapon_reward_config", "0:0.0002,1:0.0002,2:0.0002,3:0.001,4:0.001,5:0.001,6:0.002,7:0.002",
           "Rewards {weapon: reward} for each step with a weapon that has ammunition.");
    o.integer("weapon_duration", 5, "Steps for which a weapon must be held before it is rewarded.").between(0, 1 << 30);
  }

  static Params params(const OptionValues& o) {
    Params p{};
    p.setup = read_setup(o);
    Config& config = p.setup->config;
    config.timeout = 0;  // only max_episode_steps limits an episode
    config.depth = config.labels = config.automap = false;
    set_map(config, "map_id", o.text("map_id"));
    p.frame_skip = o.integer("frame_skip");
    p.stack = o.integer("stack_num");
    p.height = o.integer("img_height");
    p.width = o.integer("img_width");
    p.combined = o.boolean("use_combined_action");
    p.weapon_duration = o.integer("weapon_duration");
    p.recordings = std::string(o.text("lmp_save_dir"));
    // A command of the engine has at most 127 characters.
    std::error_code ignored;
    if (!p.recordings.empty() && !std::filesystem::is_directory(p.recordings, ignored)) {
      throw std::invalid_argument("lmp_save_dir: expected an existing folder, got '" + p.recordings + "'");
    }
    if (!p.recordings.empty()) p.recordings = std::filesystem::absolute(p.recordings).string();
    if (p.recordings.size() > 64 || p.recordings.find('"') != std::string::npos) {
      throw std::invalid_argument("lmp_save_dir: expected a path of at most 64 characters without quotes, got '" +
                                  p.recordings + "'");
    }
    if (std::max(config.width, config.height) > atari::kMaxResizeSource) {
      throw std::invalid_argument("screen_resolution: expected at most 512 x 512 pixels, got " +
                                  std::to_string(config.width) + " x " + std::to_string(config.height));
    }
    p.plan = atari::make_resize_plan(
        i32(config.height), i32(config.width), i32(p.height), i32(p.width),
        o.boolean("use_inter_area_resize") ? atari::Interpolation::kArea : atari::Interpolation::kLinear);

    p.variables = config.variables;
    for (const std::string_view name : kInfo) {
      const i32 number = index_of(variable_names(), name);
      if (std::find(p.variables.begin(), p.variables.end(), number) == p.variables.end()) p.variables.push_back(number);
      p.shown.push_back(place_of(p.variables, number));
    }
    for (size_t i = 0; i < p.variables.size(); ++i) {
      if (std::find(p.shown.begin(), p.shown.end(), i32(i)) == p.shown.end()) p.shown.push_back(i32(i));
    }
    p.gain.resize(p.variables.size());
    p.loss.resize(p.variables.size());
    for (const Entry& entry : entries(o, "reward_config", 2)) {
      const i32 number = index_of(variable_names(), entry.name);
      if (number < 0) throw wrong("reward_config", "names of game variables", entry.name);
      const i32 place = place_of(p.variables, number);
      if (place < 0) continue;  // EnvPool's defaults reward variables that most scenarios lack
      p.gain[size_t(place)] = f32(entry.values[0]);
      p.loss[size_t(place)] = f32(entry.values[1]);
    }
    for (const Entry& entry : entries(o, "selected_weapon_reward_config", 1)) {
      if (entry.name.size() != 1 || entry.name[0] < '0' || entry.name[0] > '9') {
        throw wrong("selected_weapon_reward_config", "weapons from 0 to 9", entry.name);
      }
      p.weapon_reward[size_t(entry.name[0] - '0')] = f32(entry.values[0]);
    }
    std::array<DeltaRange, kButtons> ranges;
    for (const Entry& entry : entries(o, "delta_button_config", 3)) {
      const i32 button = index_of(kButtonNames, entry.name);
      if (button < kFirstDeltaButton) throw wrong("delta_button_config", "names of delta buttons", entry.name);
      const f64 count = entry.values[0];
      if (!(count >= 1 && count <= 1000) || count != std::floor(count)) {
        throw wrong("delta_button_config", "a count from 1 to 1000 for " + entry.name, to_text(count));
      }
      ranges[size_t(button)] = {i32(count), f32(entry.values[1]), f32(entry.values[2])};
    }
    if (p.combined) p.actions = action_set(config.buttons, o.boolean("force_speed"), ranges);
    return p;
  }

  static void spec(const Params& p, Spec& spec) {
    const Config& config = p.config();
    spec.obs<u8>("obs", {p.stack * p.channels(), p.height, p.width})
        .bounds(0, 255)
        .doc("The last screens; the channels of the oldest come first.");
    spec.info<i64>("info:seed").bounds(0, 4294967295.0).doc("The seed of the episode for the package's game.set_seed.");
    for (const i32 place : p.shown) {
      const std::string& name = variable_names()[size_t(p.variables[size_t(place)])];
      spec.info<f64>("info:" + name).doc("The game variable " + name + ".");
    }
    if (p.combined) {
      spec.action<i32>().categories(i64(p.actions.size())).doc("The number of a combination of buttons.");
    } else {
      std::vector<f64> low, high;
      for (const i32 button : config.buttons) {
        low.push_back(button < kFirstDeltaButton ? 0 : -180);
        high.push_back(button < kFirstDeltaButton ? 1 : 180);
      }
      spec.action<f64>("action", {i64(config.buttons.size())})
          .bounds(low, high)
          .doc("A value for each button: 1 if it is held, or the amount of a delta button.");
    }
    spec.render_fps = 35.0 / f64(p.frame_skip);
    spec.render_height = i32(config.height);
    spec.render_width = i32(config.width);
  }

 private:
  enum Field { kObs, kSeed, kFirstVariable };
  // The game variables that EnvPool shows for every scenario.
  static constexpr std::string_view kInfo[] = {
      "AMMO2",  "AMMO3",    "AMMO4",       "AMMO5",           "AMMO6",
      "AMMO7",  "ARMOR",    "DAMAGECOUNT", "DEATHCOUNT",      "FRAGCOUNT",
      "HEALTH", "HITCOUNT", "KILLCOUNT",   "SELECTED_WEAPON", "SELECTED_WEAPON_AMMO",
      "USER2"};

  struct Entry {
    std::string name;
    std::vector<f64> values;
  };
  static std::invalid_argument wrong(const std::string& option, const std::string& expected, const std::string& got) {
    return std::invalid_argument(option + ": expected " + expected + ", got '" + got + "'");
  }
  static i32 place_of(const std::vector<i32>& list, i32 number) {
    const auto found = std::find(list.begin(), list.end(), number);
    return found == list.end() ? -1 : i32(found - list.begin());
  }
  // Reads "NAME:1:2,NAME:3:4", the form in which options that are dicts arrive.
  static std::vector<Entry> entries(const OptionValues& o, const char* option, size_t count) {
    std::vector<Entry> all;
    for (const std::string& part : split(o.text(option), ',')) {
      const std::vector<std::string> words = split(part, ':');
      Entry entry;
      if (!words.empty()) entry.name = words[0];
      for (size_t i = 1; i < words.size(); ++i) {
        const std::optional<f64> value = parse_real(words[i]);
        const bool fits = value && std::fabs(*value) <= std::numeric_limits<f32>::max();  // false for NaN
        if (!fits) throw wrong(option, "numbers", part);
        entry.values.push_back(*value);
      }
      if (entry.values.size() != count) throw wrong(option, std::to_string(count) + " numbers for each name", part);
      all.push_back(std::move(entry));
    }
    return all;
  }

  size_t frame_bytes() const { return size_t(params_.frame_bytes()); }
  u8* frame(i64 i) { return frames_.data() + i * params_.frame_bytes(); }

  void push_frame() {
    std::memmove(frames_.data(), frame(1), frames_.size() - frame_bytes());
    const Config& config = params_.config();
    const i64 pixels = config.width * config.height;
    for (i64 channel = 0; channel < params_.channels(); ++channel) {
      atari::resize_gray(atari::as_resize_plan(params_.plan), game_.screen() + channel * pixels, config.width,
                         frame(params_.stack - 1) + channel * params_.height * params_.width);
    }
  }

  // Reads the variables. The engine counts some of them over all episodes, so their values at the reset are subtracted.
  void read_variables(bool first) {
    for (size_t i = 0; i < now_.size(); ++i) {
      const i32 number = params_.variables[i];
      now_[i] = game_.variable(number);
      if (number == kHitCount || number == kDamageCount || number == kDeathCount) {
        if (first) base_[i] = now_[i];
        now_[i] -= base_[i];
      }
    }
  }

  // Returns EnvPool's reward, whose parts are added in EnvPool's order.
  f32 reward() {
    f32 reward = 0;
    i32 weapon = -1;
    f64 ammunition = 0;
    for (size_t i = 0; i < now_.size(); ++i) {
      f64 change = now_[i] - before_[i];
      switch (params_.variables[i]) {
        case kDamageCount: change = std::min(change, 200.0); break;  // limits the use of strong weapons
        case kHitCount: change = std::min(change, 5.0); break;
        case kSelectedWeapon: weapon = i32(now_[i]); break;
        case kSelectedWeaponAmmo: ammunition = now_[i]; break;
        case kHealth:  // the health of a dead player is a large negative number
          if (before_[i] < 0 && now_[i] < 0) {
            before_[i] = now_[i] = 100;
          } else if (now_[i] < 0) {
            now_[i] = before_[i];
          } else if (before_[i] < 0) {
            before_[i] = now_[i];
          }
          change = now_[i] - before_[i];
          break;
        default: break;
      }
      if (change >= 0) {
        reward += f32(change * params_.gain[i]);
      } else {
        reward -= f32(change * params_.loss[i]);
      }
    }
    weapon_steps_ = weapon == selected_weapon_ ? weapon_steps_ + 1 : 1;
    selected_weapon_ = weapon;
    if (weapon >= 0 && weapon < 10 && weapon_steps_ >= params_.weapon_duration && ammunition > 0) {
      reward += params_.weapon_reward[size_t(weapon)];
    }
    return reward;
  }

  const Params& params_;
  const i32 env_id_;
  Game game_;
  std::vector<u8> frames_;
  std::vector<f64> now_, before_, base_;
  i64 seed_ = 0, episodes_ = 0, weapon_steps_ = 0;
  i32 selected_weapon_ = -1;
};

}  // namespace envpool::vizdoom
