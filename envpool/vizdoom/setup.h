// SPDX-License-Identifier: Apache-2.0
//
// The options that the environments in EnvPool's form and in gymnasium's form share: the files, the scenario, and the
// time that an engine may take.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

#include "envpool/core/table/spec.h"
#include "envpool/core/text.h"
#include "envpool/vizdoom/config.h"
#include "envpool/vizdoom/engine.h"

namespace envpool::vizdoom {

// Shared by the environments of a pool, which keep references to it.
struct Setup {
  EngineFiles files;
  Config config;
};

// The memory that an engine takes. A pool is refused if its engines do not fit into memory.
inline constexpr i64 kEngineBytes = 32 << 20;

inline void setup_options(OptionSpecs& o) {
  o.text("cfg_path", "basic.cfg", "File of ViZDoom's settings; a relative path may name a file of the package.")
      .changes_shapes();
  o.text("wad_path", "", "The scenario's WAD file instead of the one that the settings name.");
  o.text("vzd_path", "", "The engine; by default the one of the package.");
  o.text("iwad_path", "", "The game's WAD file; by default the package's freedoom2.wad.");
  o.text("game_args", "", "More arguments for the engine, separated by spaces.");
  o.text("screen_format", "settings", "A gray or coloured screen, or the format in the settings.")
      .one_of({"settings", "GRAY8", "RGB"})
      .changes_shapes();
  o.text("screen_resolution", "", "For example RES_320X240, instead of the resolution in the settings.")
      .changes_shapes();
  o.integer("engine_timeout", 60, "Seconds that an engine may take to start, or to answer.").between(1, 3600);
}

inline void expect_file(const std::string& option, const std::string& path, const std::string& what) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::is_regular_file(path, ignored)) {
    throw std::invalid_argument(option + ": expected " + what + ", got '" + path + "', which is not a file");
  }
}

// Checks that a file is a WAD or a PK3. The engine would ignore any other file and play another map.
inline void expect_wad(const std::string& option, const std::string& path) {
  expect_file(option, path, "a WAD file");
  char start[5] = {};
  std::ifstream(path, std::ios::binary).read(start, 4);
  const std::string_view kind(start);
  if (kind != "IWAD" && kind != "PWAD" && kind != "PK\x03\x04") {
    throw std::invalid_argument(option + ": expected a WAD file, got '" + path + "', which is none");
  }
}

inline void set_map(Config& config, const std::string& option, std::string_view map) {
  if (map.empty()) return;
  const auto allowed = [](char c) { return std::isalnum(u8(c)) || c == '_'; };
  if (map.size() > 8 || !std::all_of(map.begin(), map.end(), allowed)) {
    throw std::invalid_argument(option + ": expected the name of a map such as map01, got '" + std::string(map) + "'");
  }
  config.map = std::string(map);
}

inline std::shared_ptr<Setup> read_setup(const OptionValues& o) {
  auto setup = std::make_shared<Setup>();
  setup->config = ConfigReader::read(std::string(o.text("cfg_path")));
  Config& config = setup->config;
  if (!o.text("wad_path").empty()) config.scenario_path = std::string(o.text("wad_path"));
  if (!config.scenario_path.empty()) {
    expect_wad("wad_path", config.scenario_path);
    config.scenario_path = std::filesystem::absolute(config.scenario_path).string();
  }
  for (std::string& word : split_words(o.text("game_args"))) config.arguments.push_back(std::move(word));
  if (o.text("screen_format") == "GRAY8") config.gray = true;
  if (o.text("screen_format") == "RGB") config.gray = false;
  if (!o.text("screen_resolution").empty()) {
    if (!config.set_resolution(o.text("screen_resolution"))) {
      throw std::invalid_argument("screen_resolution: expected a resolution such as RES_320X240, got '" +
                                  std::string(o.text("screen_resolution")) + "'");
    }
  }
  set_map(config, "cfg_path", std::string(config.map));
  if (config.buttons.empty()) throw std::invalid_argument("cfg_path: expected available_buttons in the settings");
  setup->files.engine = std::string(o.text("vzd_path"));
  setup->files.iwad = std::string(o.text("iwad_path"));
  setup->files.timeout_seconds = o.integer("engine_timeout");
  expect_file("vzd_path", setup->files.engine, "ViZDoom's engine");
  expect_wad("iwad_path", setup->files.iwad);
  return setup;
}

}  // namespace envpool::vizdoom
