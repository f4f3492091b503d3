// SPDX-License-Identifier: Apache-2.0
//
// ViZDoom's configuration files: lines such as `living_reward = -1` and lists of buttons and game variables in braces.
// Keys and most values ignore case, and underscores in keys may be left out. A line that cannot be understood is an
// error here, whereas ViZDoom only warns about it.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "envpool/core/text.h"
#include "envpool/vizdoom/names.h"

namespace envpool::vizdoom {

// The settings of a scenario, with ViZDoom's defaults.
struct Config {
  std::string scenario_path;  // absolute; a file gives it relative to the file's own folder; empty: no scenario
  std::string map = "map01";
  i64 skill = 3;
  i64 width = 320, height = 240;
  bool gray = false;
  bool interleaved = false;  // whether the bytes of each pixel are adjacent, rather than the bytes of each channel
  bool depth = false, labels = false, automap = false;
  bool audio = false, notifications = false;
  i64 automap_mode = 0;
  i64 start_time = 1;
  i64 timeout = 0;  // in tics, the engine's time steps; 0: no limit
  i64 ticrate = 35;
  std::vector<i32> buttons, variables;
  std::vector<std::string> arguments;

  f64 living_reward = 0, death_penalty = 0, map_exit_reward = 0, kill_reward = 0, secret_reward = 0, item_reward = 0,
      frag_reward = 0, hit_reward = 0, hit_taken_penalty = 0, damage_made_reward = 0, damage_taken_penalty = 0,
      health_reward = 0, armor_reward = 0;

  bool hud = false, minimal_hud = false, weapon = true, crosshair = false, decals = true, particles = true,
       sprites = true, messages = false, automap_rotate = false, automap_textures = true, automap_sprites = false,
       corpses = true, screen_flashes = true;

  // Sets one of ViZDoom's resolutions, such as RES_320X240. Returns false if there is no such resolution.
  bool set_resolution(std::string_view name) {
    static constexpr const char* kSizes[] = {
        "160X120",  "200X125",   "200X150",   "256X144",  "256X160",   "256X192",  "320X180",  "320X200",
        "320X240",  "320X256",   "400X225",   "400X250",  "400X300",   "512X288",  "512X320",  "512X384",
        "640X360",  "640X400",   "640X480",   "800X450",  "800X500",   "800X600",  "1024X576", "1024X640",
        "1024X768", "1280X720",  "1280X800",  "1280X960", "1280X1024", "1400X787", "1400X875", "1400X1050",
        "1600X900", "1600X1000", "1600X1200", "1920X1080"};
    const std::string wanted = upper(name);
    for (const char* size : kSizes) {
      if (wanted != std::string("RES_") + size) continue;
      const std::vector<std::string> sides = split(size, 'X');
      width = *parse_integer(sides[0]);
      height = *parse_integer(sides[1]);
      return true;
    }
    return false;
  }

  // Returns the bits that tell the engine what to draw.
  i32 render_mode() const {
    const bool parts[] = {hud,      minimal_hud,    weapon,           crosshair,       decals,  particles,     sprites,
                          messages, automap_rotate, automap_textures, automap_sprites, corpses, screen_flashes};
    i32 bits = 0, bit = 1;
    for (const bool part : parts) {
      if (part) bits |= bit;
      bit *= 2;
    }
    return bits;
  }
};

class ConfigReader {
 public:
  // Reads a file. Throws std::invalid_argument, which names the file and the line.
  static Config read(const std::string& path) {
    ConfigReader reader(path);
    reader.parse();
    return reader.config_;
  }

 private:
  explicit ConfigReader(const std::string& path) : path_(path), file_(path) {
    if (!file_ || !std::filesystem::is_regular_file(path)) {
      throw std::invalid_argument("cfg_path: expected a file of settings, got '" + path + "'");
    }
  }

  [[noreturn]] void fail(const std::string& expected, const std::string& got) const {
    throw std::invalid_argument("cfg_path: expected " + expected + " in line " + std::to_string(line_) + " of " +
                                path_ + ", got '" + got.substr(0, 100) + "'");
  }
  static std::string trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
  }
  static std::string lower(std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    return text;
  }
  bool next_line(std::string& line) {
    while (std::getline(file_, line)) {
      ++line_;
      line = trimmed(line);
      if (!line.empty() && line[0] != '#') return true;
    }
    return false;
  }

  void parse() {
    std::string line;
    while (next_line(line)) {
      const size_t equals = line.find('=');
      if (equals == std::string::npos || equals == 0) fail("key = value", line);
      const bool append = line[equals - 1] == '+';
      std::string key = lower(trimmed(std::string_view(line).substr(0, equals - (append ? 1 : 0))));
      std::erase(key, '_');
      const std::string value = trimmed(std::string_view(line).substr(equals + 1));
      if (key == "availablebuttons") {
        read_list(value, append, "a button", config_.buttons, [](const std::string& name) {
          // In ViZDoom's files, this button has another name.
          if (lower(name) == "activate_selected_weapon") return index_of(kButtonNames, "ACTIVATE_SELECTED_ITEM");
          return index_of(kButtonNames, name);
        });
      } else if (key == "availablegamevariables") {
        read_list(value, append, "a game variable", config_.variables,
                  [](const std::string& name) { return index_of(variable_names(), name); });
      } else if (key == "gameargs") {
        if (!append) config_.arguments.clear();
        for (std::string& word : split_words(value)) config_.arguments.push_back(std::move(word));
      } else if (append || value.empty() || !read_value(key, value)) {
        fail("a setting of ViZDoom", line);
      }
    }
  }

  template <class Find>
  void read_list(std::string text, bool append, const char* what, std::vector<i32>& out, Find&& find) {
    std::string line;
    while (text.empty() || text.back() != '}') {
      if (!next_line(line)) fail("a list that ends with }", text);
      text += " " + line;
    }
    text = trimmed(text);
    if (text.front() != '{') fail("a list that begins with {", text);
    if (!append) out.clear();
    for (const std::string& word : split_words(text.substr(1, text.size() - 2))) {
      const i32 number = find(word);
      if (number < 0) fail(what, word);
      if (std::find(out.begin(), out.end(), number) == out.end()) out.push_back(number);
    }
  }

  bool boolean(const std::string& value) const {
    const std::string word = lower(value);
    if (word != "true" && word != "1" && word != "false" && word != "0") fail("true or false", value);
    return word == "true" || word == "1";
  }
  i64 integer(const std::string& value, i64 low, i64 high) const {
    const std::optional<i64> number = parse_integer(value);
    if (!number || *number < low || *number > high) {
      fail("an integer from " + std::to_string(low) + " to " + std::to_string(high), value);
    }
    return *number;
  }
  f64 real(const std::string& value) const {
    const std::optional<f64> number = parse_real(value);
    if (!number || !std::isfinite(*number)) fail("a number", value);
    return *number;
  }
  i64 one_of(const std::string& value, std::initializer_list<const char*> words) const {
    i64 number = 0;
    std::string all;
    for (const char* word : words) {
      if (lower(value) == word) return number;
      all += (number++ == 0 ? "" : ", ") + std::string(word);
    }
    fail("one of " + all, value);
  }
  // Returns whether the key is known.
  bool read_value(const std::string& key, const std::string& value) {
    Config& c = config_;
    const auto flag = [&](const char* name, bool& out) {
      if (key != name) return false;
      out = boolean(value);
      return true;
    };
    const auto reward = [&](const char* name, f64& out, f64 factor = 1) {
      if (key != name) return false;
      out = factor * real(value);
      return true;
    };
    const auto count = [&](const char* name, i64& out, i64 low, i64 high) {
      if (key != name) return false;
      out = integer(value, low, high);
      return true;
    };
    constexpr i64 kMost = 1 << 30;
    bool ignored = false;
    i64 unused = 0;
    if (reward("livingreward", c.living_reward) || reward("deathpenalty", c.death_penalty) ||
        reward("deathreward", c.death_penalty, -1) || reward("mapexitreward", c.map_exit_reward) ||
        reward("killreward", c.kill_reward) || reward("itemreward", c.item_reward) ||
        reward("secretreward", c.secret_reward) || reward("fragreward", c.frag_reward) ||
        reward("hitreward", c.hit_reward) || reward("hittakenpenalty", c.hit_taken_penalty) ||
        reward("hittakenreward", c.hit_taken_penalty, -1) || reward("damagemadereward", c.damage_made_reward) ||
        reward("damagetakenpenalty", c.damage_taken_penalty) ||
        reward("damagetakenreward", c.damage_taken_penalty, -1) || reward("healthreward", c.health_reward) ||
        reward("armorreward", c.armor_reward)) {
      return true;
    }
    if (flag("renderhud", c.hud) || flag("renderminimalhud", c.minimal_hud) || flag("renderweapon", c.weapon) ||
        flag("rendercrosshair", c.crosshair) || flag("renderdecals", c.decals) ||
        flag("renderparticles", c.particles) || flag("rendereffectssprites", c.sprites) ||
        flag("rendermessages", c.messages) || flag("rendercorpses", c.corpses) ||
        flag("renderscreenflashes", c.screen_flashes) || flag("automaprotate", c.automap_rotate) ||
        flag("automaprendertextures", c.automap_textures) || flag("automaprenderobjectsassprites", c.automap_sprites) ||
        flag("depthbufferenabled", c.depth) || flag("labelsbufferenabled", c.labels) ||
        flag("automapbufferenabled", c.automap) || flag("audiobufferenabled", c.audio) ||
        flag("notificationsbufferenabled", c.notifications)) {
      return true;
    }
    if (count("episodetimeout", c.timeout, 0, kMost) || count("doomskill", c.skill, 1, 5) ||
        count("ticrate", c.ticrate, 1, 1000)) {
      return true;
    }
    if (count("episodestarttime", c.start_time, 0, kMost)) {
      c.start_time = std::max<i64>(c.start_time, 1);
      return true;
    }
    // These settings do not affect observations.
    if (flag("objectsinfoenabled", ignored) || flag("sectorsinfoenabled", ignored) ||
        flag("renderallframes", ignored) || flag("windowvisible", ignored) || flag("consoleenabled", ignored) ||
        flag("soundenabled", ignored) || count("seed", unused, 0, 0xFFFFFFFF) ||
        count("audiobuffersize", unused, 0, kMost) || count("notificationsbuffersize", unused, 0, kMost) ||
        key == "vizdoompath" || key == "doomgamepath" || key == "doomconfigpath") {
      return true;
    }
    if (key == "doommap") {
      c.map = lower(value);
    } else if (key == "doomscenariopath") {
      const std::filesystem::path scenario(value);
      c.scenario_path =
          scenario.is_absolute() ? value : (std::filesystem::path(path_).parent_path() / scenario).string();
    } else if (key == "screenresolution") {
      if (!c.set_resolution(value)) fail("a resolution such as RES_320X240", value);
    } else if (key == "screenformat") {
      const i64 format = one_of(value, {"crcgcb", "rgb24", "rgba32", "argb32", "cbcgcr", "bgr24", "bgra32", "abgr32",
                                        "gray8", "doom_256_colors8"});
      c.gray = format == 8;
    } else if (key == "automapmode") {
      c.automap_mode = one_of(value, {"normal", "whole", "objects", "objects_with_size"});
    } else if (key == "mode") {
      one_of(value, {"player", "spectator", "async_player", "async_spectator"});
    } else if (key == "audiosamplingrate") {
      one_of(value, {"sr_11025", "sr_22050", "sr_44100"});
    } else {
      return false;
    }
    return true;
  }

  std::string path_;
  std::ifstream file_;
  i64 line_ = 0;
  Config config_;
};

}  // namespace envpool::vizdoom
