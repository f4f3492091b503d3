// SPDX-License-Identifier: Apache-2.0
//
// Craftax, observed as an image: gather, build, fight, eat, drink and sleep on nine floors to achieve 67 things.
//
//   Action       i32, see describe_actions() in full/game.h; the first 17 are those of Craftax-Classic
//   Observation  f32[130, 110, 3]: 9 by 11 blocks around the player in 10 by 10 pixels each, with torches, ladders,
//                mobs and what flies, and below them four rows of what the player has. Blocks without light are
//                black. At night, the first floor is dark and noisy, and it is darker during sleep.
//   Reward       1, 3, 5 or 8 for each thing that is achieved for the first time, and 0.1 for each point of health,
//                which is negative if health is lost
//   Terminated   when health is 0, or the necromancer is defeated
//   Reset        a new world
//
// With a seed, worlds and steps are those of the environment that is observed as numbers. The textures are read from
// the package craftax, which must be installed. Reference: see full/state.h.
#pragma once

#include "envpool/craftax/enlarged.h"
#include "envpool/craftax/full/game.h"
#include "envpool/craftax/full/image.h"
#include "envpool/craftax/full/lights.h"

#if ENVPOOL_HOST
#include <vector>
#endif

namespace envpool::craftax {

struct CraftaxPixels {
  static constexpr const char* kName = "CraftaxPixels";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kNumbers = full::kImageHeight * full::kImageWidth * 3;
  enum Field { kObs, kAchieved };

  struct Params : full::Params {
    const u8* blob;
  };
  struct State : full::State {
    full::Lights lights;
    NoiseOrigin noise;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    full::declare(o);
    declare_textures(o);
  }
  static Blob blob(const OptionValues& o) { return full::make_art(o.text("textures")); }
  static void spec(const Params&, Spec& s) {
    s.obs<f32>("obs", {full::kImageHeight, full::kImageWidth, 3})
        .bounds(0, 1)
        .doc("RGB image of what the player sees and has");
    full::describe_actions(s);
    s.render_height = full::kImageHeight * kScale;
    s.render_width = full::kImageWidth * kScale;
    s.render_fps = 8;
  }
  static void render(const State& s, const Params& p, u8* rgb) {  // the observation, enlarged
    std::vector<f32> image(kNumbers);
    draw(s, p, image.data());
    enlarge(image.data(), full::kImageHeight, full::kImageWidth, kScale, rgb);
  }
  static void state_parts(StateParts<State>& parts) { full::name_parts(parts); }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s.noise.set(rng);
    full::RandomDraws draws(rng);
    full::begin(s, p, draws);
  }
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    full::RandomDraws draws(rng);
    return full::advance(s, s.lights, p, *action.at<i32>(0), draws);
  }
  ENVPOOL_FN static void repair(State& s, const Params&) { full::repair_state(s); }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    draw(s, p, row.at<f32, kNumbers>(kObs));
    full::write_achievements(s, row.at<bool, full::kAchievements>(kAchieved));
  }

 private:
  static constexpr i32 kScale = 3;  // of a rendered image

  ENVPOOL_FN static void draw(const State& s, const Params& p, f32* image) {
    const full::Art& art = *reinterpret_cast<const full::Art*>(p.blob);
    full::draw_image(s, s.lights, art, full::ViewNoise{s.noise, s.time}, image);
  }
};

}  // namespace envpool::craftax
