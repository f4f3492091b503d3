// nim.h
#pragma once
#include "envpool/core/api.h"

using namespace envpool;

struct Nim {
  static constexpr const char* kName = "Nim";
  static constexpr i32 kMaxPlayers = 2, kPhases = 1, kStones = 21, kMost = 3, kPixels = 24;
  enum Field { kLeft, kCurrentPlayer, kActionMask };
  struct Params {};
  struct Shared {
    i32 left, mover, winner;
  };
  struct Agent {
    i32 taken;  // of agent 0: by the player to move
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs&) {}
  static void spec(const Params&, Spec& s) {
    s.obs<i32>("left").bounds(0, kStones);
    s.info<i32>("current_player").categories(2);
    s.info<bool>("action_mask", {kMost});
    s.action<i32>().categories(kMost).doc("0 takes one stone, 1 takes two, 2 takes three");
    s.render_height = 3 * kPixels;
    s.render_width = kStones / 3 * kPixels;
    s.render_fps = 2;
  }
  static void render(const World<Nim>& world, const Params&, u8* rgb) {  // stones in the color of the player to move
    const u8 colors[2][3] = {{178, 60, 40}, {40, 90, 178}};
    for (i32 y = 0; y < 3 * kPixels; ++y) {
      for (i32 x = 0; x < kStones / 3 * kPixels; ++x, rgb += 3) {
        const i32 stone = y / kPixels * (kStones / 3) + x / kPixels;
        const bool gap = y % kPixels < 3 || x % kPixels < 3;
        for (i32 c = 0; c < 3; ++c) rgb[c] = stone < world.shared.left && !gap ? colors[world.shared.mover][c] : 235;
      }
    }
  }
#endif

  ENVPOOL_FN static void reset(World<Nim>& world, const Params&, Rng& rng) {
    world.shared = {.left = kStones, .mover = i32(rng.below(2)), .winner = -1};
  }
  ENVPOOL_FN static i32 players(const World<Nim>&) { return kMaxPlayers; }
  template <int kPhase>
  ENVPOOL_FN static void phase(World<Nim>& world, i32 agent, const Params&, ActionRow action, Rng&) {
    if (agent == 0) world.agent[0].taken = 1 + *action.at<i32>(0);
  }
  ENVPOOL_FN static Outcome finish(World<Nim>& world, const Params&, Rng&) {
    Shared& s = world.shared;
    const i32 left = s.left - world.agent[0].taken;
    if (left <= 0) s.winner = left == 0 ? s.mover : 1 - s.mover;
    s.left = max(left, 0);
    s.mover = 1 - s.mover;
    return {.terminated = left <= 0};
  }
  ENVPOOL_FN static f32 reward(const World<Nim>& world, i32 agent) {
    const i32 winner = world.shared.winner;
    return winner < 0 ? 0.0f : winner == agent ? 1.0f : -1.0f;
  }
  ENVPOOL_FN static void observe(const World<Nim>&, const Params&, i32, Row) {}
  ENVPOOL_FN static void observe_world(const World<Nim>& world, const Params&, Row row) {
    *row.at<i32, 1>(kLeft) = world.shared.left;
    *row.at<i32, 1>(kCurrentPlayer) = world.shared.mover;
    for (i32 i = 0; i < kMost; ++i) row.at<bool, kMost>(kActionMask)[i] = i < world.shared.left;
  }
  ENVPOOL_FN static void repair(World<Nim>& world, const Params&) {
    keep_within(world.shared.left, 0, kStones);
    world.shared.mover &= 1;
    keep_within(world.shared.winner, -1, 1);
  }
};
