// SPDX-License-Identifier: Apache-2.0
//
// A game of ViZDoom 1.3.2 with its episodes, rewards and game variables, as the package's DoomGame has them.
#pragma once

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/vizdoom/config.h"
#include "envpool/vizdoom/engine.h"

namespace envpool::vizdoom {

class Game {
 public:
  Game(const EngineFiles& files, const Config& config) : files_(files), config_(config) {}
  ~Game() { finish_recording(); }

  // Begins an episode, and starts the engine if none runs. The same seed gives the same episode as
  // `game.set_seed(seed); game.new_episode(recording)` of the package.
  void new_episode(u32 seed, const std::string& recording = {}) {
    guarded([&] {
      const u32 engine_seed = std::mt19937(seed)();
      if (!engine_.started()) start(engine_seed);
      restart_map(engine_seed, recording);
    });
  }

  // Holds these buttons, one value for each available button, for a number of tics or until the episode ends.
  void advance(const f64* buttons, i64 tics) {
    guarded([&] {
      if (finished()) return;
      for (size_t i = 0; i < config_.buttons.size(); ++i) engine_.input().button[config_.buttons[i]] = buttons[i];
      for (i64 i = 0; i < tics; ++i) {
        const bool last = i == tics - 1;
        last_tic_ = state().map_tic + 1;
        engine_.tic(last);
        if (!last && finished()) {
          engine_.update();
          break;
        }
      }
      update_reward();
    });
  }

  // Makes waits for the engine fail soon. Any thread may call it at any time.
  void cancel() { engine_.cancel(); }
  const SharedGame& state() const { return engine_.game(); }
  bool running() const { return engine_.started(); }
  // Returns whether the episode is over, because of the map, the player's death or the time limit of the settings.
  bool finished() const { return ended() || timed_out(); }
  bool timed_out() const {
    const SharedGame& s = state();
    return (config_.timeout > 0 && config_.timeout + config_.start_time <= i64(s.map_tic)) ||
           (s.map_tic_limit > 0 && s.map_tic_limit <= s.map_tic);
  }
  f64 reward() const { return reward_; }
  f64 variable(i32 number) const { return vizdoom::variable(state(), number); }
  i64 pixels() const { return config_.width * config_.height; }
  i32 channels() const { return config_.gray ? 1 : 3; }
  // Draws the last screen in colour, whose channels are interleaved. It is black before the first episode.
  void render(u8* rgb) const {
    if (!running()) {
      std::memset(rgb, 0, size_t(pixels() * 3));
      return;
    }
    const u8* from = screen();
    const i64 pixel_step = config_.interleaved && !config_.gray ? 3 : 1;
    const i64 channel_step = config_.gray ? 0 : config_.interleaved ? 1 : pixels();
    for (i64 i = 0; i < pixels(); ++i) {
      for (i64 k = 0; k < 3; ++k) rgb[3 * i + k] = from[i * pixel_step + k * channel_step];
    }
  }

  // Return the images in the format of the settings.
  const u8* screen() const { return image(kScreenRegion, pixels() * channels()); }
  const u8* depth() const { return image(kDepthRegion, pixels()); }
  const u8* labels() const { return image(kLabelsRegion, pixels()); }
  const u8* automap() const { return image(kAutomapRegion, pixels() * channels()); }

 private:
  static constexpr i32 kMostRestartTics = 1000;

  // An engine that failed is killed; the next episode starts another.
  template <class Action>
  void guarded(Action&& action) {
    try {
      action();
    } catch (...) {
      engine_.close();
      throw;
    }
  }
  const u8* image(Region region, i64 bytes) const {
    const u8* found = engine_.buffer(region, bytes);
    if (found == nullptr) throw std::runtime_error("ViZDoom's engine has no image of the expected size");
    return found;
  }
  bool ended() const { return state().dead || state().map_end; }

  void start(u32 seed) {
    engine_.start(files_, config_, seed);
    if (state().multiplayer) throw std::runtime_error("expected game_args of a game with one player");
    wait_for_start_time();
    SharedInput& input = engine_.input();
    input = SharedInput{};
    for (const i32 button : config_.buttons) input.available[button] = true;
    last_tic_ = state().map_tic;
    map_reward_ = 0;
  }

  void restart_map(u32 seed, const std::string& recording) {
    if (state().demo_recording) engine_.command("stop");
    engine_.command("viz_set_seed " + std::to_string(seed));
    const std::string map = (recording.empty() ? "map " : "recordmap \"" + recording + "\" ") + config_.map;
    engine_.command(map);
    for (f64& button : engine_.input().button) button = 0;
    i32 tics = 0;
    do {
      if (tics == kMostRestartTics) {
        throw std::runtime_error("ViZDoom's engine did not load the map '" + config_.map + "'");
      }
      if (tics > 0 && tics % 4 == 0) engine_.command(map);
      ++tics;
      engine_.tic(/*update=*/false);
    } while (state().map_end || i64(state().map_tic) > last_tic_);
    wait_for_start_time();
    engine_.command("viz_override_player 0");
    engine_.update();
    last_tic_ = state().map_tic;
    rewarded_tic_ = 0;
    update_reward();
    reward_ = 0;
  }

  void wait_for_start_time() {
    for (i64 tics = 0; i64(state().map_tic) < config_.start_time; ++tics) {
      if (tics == config_.start_time + kMostRestartTics) {
        throw std::runtime_error("ViZDoom's engine did not reach episode_start_time in the map '" + config_.map + "'");
      }
      engine_.tic(/*update=*/false);
    }
  }

  // Stops a recording, so that its file is complete.
  void finish_recording() {
    if (!engine_.started() || !engine_.owned() || !state().demo_recording) return;
    try {
      engine_.command("stop");
      engine_.tic(/*update=*/false);
    } catch (const std::exception&) {  // the engine has died, and the file stays incomplete
    }
  }

  void update_reward() {
    const SharedGame& s = state();
    f64 reward = 0;
    const f64 map_reward = s.map_reward / 65536.0;
    reward += map_reward - map_reward_;
    map_reward_ = map_reward;
    const i64 tics = last_tic_ - rewarded_tic_;
    reward += f64(tics > 0 ? tics : 0) * config_.living_reward;
    if (s.dead) {
      reward -= config_.death_penalty;
    } else if (ended()) {
      reward += config_.map_exit_reward;
    }
    // Rewards counts that have grown since the last step.
    const auto grown = [&](i32 now, i32& before, f64 factor) {
      if (factor != 0 && now > before) reward += f64(now - before) * factor;
      before = now;
    };
    grown(s.kill_count, kills_, config_.kill_reward);
    grown(s.secret_count, secrets_, config_.secret_reward);
    grown(s.item_count, items_, config_.item_reward);
    grown(s.frag_count, frags_, config_.frag_reward);
    grown(s.hit_count, hits_, config_.hit_reward);
    grown(s.hits_taken, hits_taken_, -config_.hit_taken_penalty);
    grown(s.damage_count, damage_, config_.damage_made_reward);
    grown(s.damage_taken, damage_taken_, -config_.damage_taken_penalty);
    grown(s.health, health_, config_.health_reward);
    grown(s.armor, armor_, config_.armor_reward);
    reward_ = reward;
    rewarded_tic_ = last_tic_;
  }

  const EngineFiles& files_;
  const Config& config_;
  Engine engine_;
  f64 reward_ = 0, map_reward_ = 0;
  i64 last_tic_ = 1, rewarded_tic_ = 0;
  i32 kills_ = 0, secrets_ = 0, items_ = 0, frags_ = 0, hits_ = 0, hits_taken_ = 0, damage_ = 0, damage_taken_ = 0,
      health_ = 0, armor_ = 0;
};

}  // namespace envpool::vizdoom
