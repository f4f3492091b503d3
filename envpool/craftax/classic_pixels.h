// SPDX-License-Identifier: Apache-2.0
//
// Craftax-Classic, observed as an image: gather, build, fight, eat, drink and sleep to achieve 22 things.
//
//   Action       i32, 0 nothing, 1 left, 2 right, 3 up, 4 down, 5 acts on what is in front, 6 sleeps, 7 to 10 place a
//                stone, table, furnace or sapling, 11 to 16 make a pickaxe or sword of wood, stone or iron
//   Observation  f32[63, 63, 3]: 7 by 9 blocks around the player in 7 by 7 pixels each, with mobs and arrows, and below
//                them two rows of what the player has. At night it is dark and noisy, and it is gray during sleep.
//   Reward       1 for each thing that is achieved for the first time, and 0.1 for each point of health, which is
//                negative if health is lost
//   Terminated   when health is 0, or in lava
//   Reset        a new world
//
// With a seed, worlds and steps are those of the environment that is observed as numbers. The textures are read from
// the package craftax, which must be installed. Reference: see state.h.
#pragma once

#include "envpool/craftax/classic_image.h"
#include "envpool/craftax/enlarged.h"
#include "envpool/craftax/game.h"

#if ENVPOOL_HOST
#include <vector>
#endif

namespace envpool::craftax {

struct CraftaxClassicPixels {
  static constexpr const char* kName = "CraftaxClassicPixels";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kNumbers = kImageHeight * kImageWidth * 3;
  enum Field { kObs, kAchieved };

  struct Params : craftax::Params {
    const u8* blob;
  };
  struct State : craftax::State {
    NoiseOrigin noise;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    declare(o);
    declare_textures(o);
  }
  static Blob blob(const OptionValues& o) { return make_art(o.text("textures")); }
  static void spec(const Params&, Spec& s) {
    s.obs<f32>("obs", {kImageHeight, kImageWidth, 3}).bounds(0, 1).doc("RGB image of what the player sees and has");
    describe_actions(s);
    s.render_height = kImageHeight * kScale;
    s.render_width = kImageWidth * kScale;
    s.render_fps = 8;
  }
  static void render(const State& s, const Params& p, u8* rgb) {  // the observation, enlarged
    std::vector<f32> image(kNumbers);
    draw_image(s, art_of(p), noise_of(s), image.data());
    enlarge(image.data(), kImageHeight, kImageWidth, kScale, rgb);
  }
  static void state_parts(StateParts<State>& parts) { name_parts(parts); }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s.noise.set(rng);
    RandomDraws draws(rng);
    make_world(s, p, draws);
  }
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    RandomDraws draws(rng);
    return advance(s, p, *action.at<i32>(0), draws);
  }
  ENVPOOL_FN static void repair(State& s, const Params&) { repair_state(s); }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    draw_image(s, art_of(p), noise_of(s), row.at<f32, kNumbers>(kObs));
    write_achievements(s, row.at<bool, kAchievements>(kAchieved));
  }

 private:
  static constexpr i32 kScale = 4;  // of a rendered image

  ENVPOOL_FN static const Art& art_of(const Params& p) { return *reinterpret_cast<const Art*>(p.blob); }
  ENVPOOL_FN static ClassicNoise noise_of(const State& s) { return {s.noise, s.time}; }
};

}  // namespace envpool::craftax
