// SPDX-License-Identifier: Apache-2.0
//
// Measures a lower bound on the cost of a pool of tag: a handwritten loop on one thread that calls the functions of the
// environment and writes the arrays of a pool. The difference from a pool is the cost of the engine. The loop counts
// one step for each player.
//
//   c++ -std=c++20 -O3 -ffp-contract=off -fno-tree-slp-vectorize -I. benchmark/tag_loop.cc -o build/tag_loop
//   echo seconds 1 | build/tag_loop 20 5 95 10    # worlds, taggers, runners, observed players (0: all)
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "benchmark/turns.h"
#include "envpool/tag/tag_continuous.h"

namespace {

using namespace envpool;
using Env = tag::TagContinuous;

// The settings of WarpDrive's training.
Env::Params settings(i32 taggers, i32 runners, i32 observed) {
  const auto integer = [](const char* name, i64 value) {
    return abi::Option{name, abi::kOptionInt, value, 0, nullptr, 0};
  };
  const auto real = [](const char* name, f64 value) {
    return abi::Option{name, abi::kOptionReal, 0, value, nullptr, 0};
  };
  const std::vector<abi::Option> options{
      integer("num_taggers", taggers),
      integer("num_runners", runners),
      integer("num_other_agents_observed", observed),
      integer("use_full_observation", observed == 0),
      real("grid_length", 20),
      integer("episode_length", 500),
      real("max_acceleration", 0.1),
      real("min_acceleration", -0.1),
      real("max_turn", 2.356),
      real("min_turn", -2.356),
      integer("num_acceleration_levels", 20),
      integer("num_turn_levels", 20),
      real("tagging_distance", 0.02),
  };
  OptionSpecs specs;
  Env::options(specs);
  const abi::Options given{options.data(), i32(options.size())};
  return made_params<Env>(OptionValues(specs, given));
}

struct Loop {
  Env::Params params;
  i32 worlds, players;
  i64 stride;
  std::vector<CacheLine> memory;
  std::vector<Rng> rngs;
  std::vector<u8> over, terminated, truncated, is_tagger, done;
  std::vector<f32> obs, reward, discount;
  std::vector<i32> id, env_id, elapsed, owner, steps;
  std::vector<i64> row_bytes;
  void* fields[4];

  Loop(const Env::Params& p, i32 num_worlds) : params(p), worlds(num_worlds), players(p.players) {
    stride = (i64(sizeof(World<Env>)) + Env::extra_bytes(p) + 63) / 64 * 64;
    memory.resize(size_t(stride * worlds / 64));
    over.assign(size_t(worlds), 1);
    terminated.resize(size_t(worlds));
    truncated.resize(size_t(worlds));
    env_id.resize(size_t(worlds));
    elapsed.resize(size_t(worlds));
    steps.resize(size_t(worlds));
    const size_t rows = size_t(worlds) * size_t(players);
    obs.resize(rows * size_t(7 * p.observed + 1));
    for (auto* array : {&reward, &discount}) array->resize(rows);
    for (auto* array : {&is_tagger, &done}) array->resize(rows);
    for (auto* array : {&id, &owner}) array->resize(rows);
    for (i32 i = 0; i < worlds; ++i) rngs.push_back({.seed = 42, .stream = u32(i), .episode = ~0u});
    Spec spec;
    Env::spec(p, spec);
    for (const FieldSpec& field : spec.fields) row_bytes.push_back(field.row_bytes());
    fields[0] = obs.data();
    fields[1] = id.data();
    fields[2] = is_tagger.data();
    fields[3] = done.data();
  }

  template <int kPhase>
  void phase(World<Env>& world, const i32* actions, Rng& rng) {
    const void* field = actions;
    for (i32 i = 0; i < players; ++i) Env::phase<kPhase>(world, i, params, ActionRow{&field, nullptr, i}, rng);
  }

  void step(const i32* actions) {
    for (i32 w = 0; w < worlds; ++w) {
      auto& world = *reinterpret_cast<World<Env>*>(memory.data()->bytes + stride * w);
      Outcome outcome;
      const bool restart = over[w] != 0;
      if (restart) {
        rngs[w].begin_episode(rngs[w].episode + 1);
        Env::reset(world, params, rngs[w]);
        steps[w] = 0;
      } else {
        phase<0>(world, actions + 2 * w * players, rngs[w]);
        phase<1>(world, actions + 2 * w * players, rngs[w]);
        outcome = Env::finish(world, params, rngs[w]);
        ++steps[w];
      }
      over[w] = terminated[w] = outcome.terminated;
      truncated[w] = 0;
      env_id[w] = w;
      elapsed[w] = steps[w];
      for (i32 i = 0; i < players; ++i) {
        const i64 row = i64(w) * players + i;
        reward[row] = restart ? 0 : Env::reward(world, i);
        discount[row] = outcome.terminated ? 0 : 1;
        owner[row] = w;
        Env::observe(world, params, i, Row{fields, row_bytes.data(), row});
      }
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s worlds taggers runners observed\n", argv[0]);
    return 2;
  }
  const i32 worlds = std::atoi(argv[1]);
  Loop loop(settings(std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4])), worlds);
  std::vector<std::vector<i32>> actions(8, std::vector<i32>(size_t(2 * worlds * loop.players)));
  Rng random{.seed = 1};
  for (auto& batch : actions) {
    for (i32& action : batch) action = i32(random.below(21));
  }
  size_t next = 0;
  const auto batch = [&] {
    loop.step(actions[next++ % 8].data());
    return long(worlds) * loop.players;
  };
  benchmark::take_turns("{}", [&](double seconds, long steps) { return benchmark::repeat(batch, seconds, steps); });
}
