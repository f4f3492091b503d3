// SPDX-License-Identifier: Apache-2.0
//
// An environment whose number of players changes at every reset. Each player walks on its own line.
#pragma once

#include "envpool/core/api.h"

namespace envpool::testing {

struct Crowd {
  static constexpr const char* kName = "Crowd";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kMaxPlayers = 4, kPhases = 2;
  struct Params {
    i32 fewest, length;
  };
  struct Shared {
    i32 players, steps;
  };
  struct Agent {
    i32 at, gain;
  };
  enum Field { kObs, kId, kSize };

#if ENVPOOL_HOST
  static void options(OptionSpecs& specs) {
    specs.integer("fewest", 1, "the least number of players").between(0, kMaxPlayers);
    specs.integer("length", 10, "steps of an episode").between(1, 1000);
  }
  static Params params(const OptionValues& options) {
    return {i32(options.integer("fewest")), i32(options.integer("length"))};
  }
  static void spec(const Params&, Spec& spec) {
    spec.obs<f32>("obs", {2}).per_player().doc("position of the player, and number of players in its world");
    spec.info<i32>("players.id").per_player().doc("number of the player in its world");
    spec.info<i32>("size").doc("players in the world");
    spec.action<i32>().categories(3).per_player().doc("step back, stay, step forward");
  }
#endif

  ENVPOOL_FN static void reset(World<Crowd>& world, const Params& params, Rng& rng) {
    world.shared = {params.fewest + i32(rng.below(u32(kMaxPlayers - params.fewest + 1))), 0};
    for (Agent& agent : world.agent) agent = {i32(rng.below(100)), 0};
  }
  ENVPOOL_FN static i32 players(const World<Crowd>& world) { return world.shared.players; }
  template <int kPhase>
  ENVPOOL_FN static void phase(World<Crowd>& world, i32 agent, const Params&, ActionRow action, Rng& rng) {
    Agent& it = world.agent[agent];
    if constexpr (kPhase == 0) {
      it.gain = *action.at<i32>(0) - 1;
    } else {
      it.at += it.gain * i32(1 + rng.below(3));
    }
  }
  ENVPOOL_FN static Outcome finish(World<Crowd>& world, const Params& params, Rng&) {
    return {.terminated = ++world.shared.steps >= params.length};
  }
  ENVPOOL_FN static f32 reward(const World<Crowd>& world, i32 agent) { return f32(world.agent[agent].gain); }
  ENVPOOL_FN static void observe(const World<Crowd>& world, const Params&, i32 agent, Row row) {
    row.at<f32, 2>(kObs)[0] = f32(world.agent[agent].at);
    row.at<f32, 2>(kObs)[1] = f32(world.shared.players);
    *row.at<i32, 1>(kId) = agent;
  }
  ENVPOOL_FN static void observe_world(const World<Crowd>& world, const Params&, Row row) {
    *row.at<i32, 1>(kSize) = world.shared.players;
  }
};

}  // namespace envpool::testing
