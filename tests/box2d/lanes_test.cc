// SPDX-License-Identifier: Apache-2.0
//
// Checks that LunarLander and BipedalWalker are stepped in groups, whose velocities are solved in SIMD lanes, and that
// the results equal those of single steps bit for bit.
#include "tests/support/simd.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "envpool/box2d/bipedal_walker.h"
#include "envpool/box2d/lunar_lander.h"
#include "tests/support/row_options.h"
#include "tests/support/testing.h"

namespace envpool::box2d {

template <class World>
void compare(const World& a, const World& b) {
  CHECK_EQ(std::memcmp(a.body, b.body, sizeof(a.body)), 0);
  CHECK_EQ(std::memcmp(a.hinge, b.hinge, sizeof(a.hinge)), 0);
  CHECK_EQ(a.contacts, b.contacts);
  for (i32 i = 0; i < a.contacts; ++i) {
    const Manifold &x = a.contact[i].manifold, &y = b.contact[i].manifold;
    CHECK_EQ(int(x.count), int(y.count));
    CHECK_EQ(std::memcmp(x.point, y.point, sizeof(ContactPoint) * x.count), 0);
  }
}

template <class Env>
typename Env::Params params_of(std::initializer_list<const char*> options) {
  OptionSpecs specs;
  Env::options(specs);
  std::vector<abi::Option> given;
  for (const char* name : options) given.push_back({name, abi::kOptionBool, 1, 1, nullptr, 0});
  return made_params<Env>(OptionValues(specs, {given.data(), i32(given.size())}));
}

TEST(environments_are_stepped_in_groups) {
  const bool wanted = testing::wants_simd();
  CHECK_EQ(InLanes<BipedalWalker>::available({}), wanted);
  CHECK_EQ(InLanes<LunarLander>::available({}), wanted);
  for (const abi::Table* table : {envpool::table<BipedalWalker>(), envpool::table<LunarLander>()}) {
    CHECK_EQ((table->flags & abi::kGrouped) != 0, ENVPOOL_TEST_AVX2 != 0 || ENVPOOL_TEST_NEON != 0);
  }
}

#if ENVPOOL_SIMD
// Two copies of the same environments. One is stepped in groups, the other one by one.
template <class Env>
struct Twins {
  using State = typename Env::State;
  using Params = typename Env::Params;
  static constexpr i32 kEnvs = 12, kActions = 4;  // a group of eight and one of four

  struct One {
    State state;
    Rng rng;
  };
  std::vector<Params> params;  // of each
  std::vector<One> grouped = std::vector<One>(kEnvs), single = std::vector<One>(kEnvs);
  Rng drawn{.seed = 5};
  i32 ended = 0;

  explicit Twins(const Params& of) : params(kEnvs, of) {
    if constexpr (requires { params[0].gravity; }) {
      for (size_t i = 0; i < params.size(); ++i) params[i].gravity += f32(i % 4) - 1;
    }
    for (i32 i = 0; i < kEnvs; ++i) begin(i, {.seed = 3, .stream = u32(i)});
  }
  void begin(i32 i, Rng rng) {
    One& one = single[size_t(i)];
    rng.begin_episode(rng.episode + 1);
    one.rng = rng;
    Env::reset(one.state, params[size_t(i)], one.rng);
    grouped[size_t(i)] = one;
  }

  // Steps both copies, and compares them. `discrete` is the number of discrete actions, or 0.
  void step(i32 discrete) {
    constexpr i64 row_bytes = kActions * sizeof(f32);
    f32 actions[kEnvs * kActions];
    for (f32& action : actions) {
      const i32 number = i32(drawn.below(u32(discrete > 0 ? discrete : 1)));
      if (discrete > 0) {
        std::memcpy(&action, &number, sizeof(action));
      } else {
        action = f32(drawn.uniform(-1.2, 1.2));
      }
    }
    const void* const fields[] = {actions};
    Outcome outcomes[kEnvs];
    for (i32 first = 0; first < kEnvs; first += Env::kGroup) {
      const i32 count = std::min(kEnvs - first, Env::kGroup);
      State* states[Env::kGroup];
      const typename Env::Params* of_each[Env::kGroup];
      Rng* rngs[Env::kGroup];
      ActionRow rows[Env::kGroup];
      for (i32 i = 0; i < count; ++i) {
        One& one = grouped[size_t(first + i)];
        of_each[i] = &params[size_t(first + i)];
        states[i] = &one.state;
        rngs[i] = &one.rng;
        rows[i] = {fields, &row_bytes, first + i};
      }
      Env::step_group(states, count, of_each, rows, rngs, outcomes + first);
    }
    for (i32 i = 0; i < kEnvs; ++i) {
      One &one = single[size_t(i)], &other = grouped[size_t(i)];
      const Outcome outcome = Env::step(one.state, params[size_t(i)], ActionRow{fields, &row_bytes, i}, one.rng);
      CHECK_EQ(math::bits(outcome.reward), math::bits(outcomes[i].reward));
      CHECK_EQ(outcome.terminated, outcomes[i].terminated);
      CHECK_EQ(one.rng.draws, other.rng.draws);
      compare(one.state.world, other.state.world);
      if (!outcome.terminated) continue;
      ++ended;
      begin(i, one.rng);
    }
  }
};

TEST(walkers_have_the_same_bits_in_groups) {
  if (!testing::wants_simd()) return;
  for (const bool hardcore : {false, true}) {
    Twins<BipedalWalker> twins({hardcore});
    for (i32 i = 0; i < 600; ++i) twins.step(/*discrete=*/0);
    CHECK(twins.ended > 5);
  }
}

TEST(rows_with_different_options_have_the_bits_of_single_rows) {
  testing::check_row_options<BipedalWalker>({}, /*seeds=*/1, /*steps=*/60);
  testing::check_row_options<LunarLander>({}, /*seeds=*/1, /*steps=*/60);
}

TEST(landers_have_the_same_bits_in_groups) {
  if (!testing::wants_simd()) return;
  Twins<LunarLander> discrete(params_of<LunarLander>({}));
  for (i32 i = 0; i < 1000; ++i) discrete.step(/*discrete=*/4);
  CHECK(discrete.ended > 50);
  Twins<LunarLander> windy(params_of<LunarLander>({"continuous", "enable_wind"}));
  for (i32 i = 0; i < 1000; ++i) windy.step(/*discrete=*/0);
  CHECK(windy.ended > 50);
}

// In a restored state, some bodies may sleep. The order of the hinges then differs, so the world leaves its group.
TEST(sleeping_bodies_have_the_same_bits_in_groups) {
  if (!testing::wants_simd()) return;
  Twins<LunarLander> twins(params_of<LunarLander>({}));
  for (i32 step = 0; step < 60; ++step) {
    for (i32 i = 0; i < twins.kEnvs; i += 1 + step % 3) {
      for (auto* envs : {&twins.grouped, &twins.single}) (*envs)[size_t(i)].state.world.body[2].awake = false;
    }
    twins.step(/*discrete=*/4);
  }
}

// A restored state may have as many contacts as there is memory for, which are too many for the lanes.
TEST(many_contacts_have_the_same_bits_in_groups) {
  if (!testing::wants_simd()) return;
  Twins<BipedalWalker> twins({false});
  i32 copies = 0;
  for (i32 step = 0; step < 300; ++step) {
    for (i32 i = 0; i < twins.kEnvs; ++i) {
      auto& world = twins.single[size_t(i)].state.world;
      for (i32 k = 0; k < world.contacts && step % 50 == 49; ++k) {
        if (!world.contact[k].touching) continue;
        for (i32 more = 0; more < 15 && world.contacts < BipedalWalker::kContacts; ++more, ++copies) {
          world.contact[world.contacts++] = world.contact[k];
        }
        break;
      }
      twins.grouped[size_t(i)].state.world = world;
    }
    twins.step(/*discrete=*/0);
  }
  CHECK(copies > 200);
}

// Four bodies that are connected to one in the middle. As all hinges have this body in common, no hinge can be a round
// ahead of the others.
struct Star {
  static constexpr i32 kBodies = 5, kHinges = 4, kContacts = 10;

  static const Solid& solid(i32) {
    static constexpr Solid bar = box2d::solid(rectangle(0.5f, 0.1f), 1, 0.5f, 0);
    return bar;
  }
  static HingeDef hinge(i32 i) {
    const f32 side = i % 2 == 0 ? 0.5f : -0.5f;
    return {0, i + 1, {side, 0}, {i < 2 ? 0.5f : -0.5f, 0}, 0, -0.4f, 0.6f};
  }
  template <class F>
  static void nearby(const Box&, F f) {
    f(0);
    f(1);
  }
  static bool is_segment(i32) { return true; }
  static Segment segment(i32 i) { return {{20.0f * f32(i - 1), 0}, {20.0f * f32(i), 0}}; }
  static Polygon polygon(i32) { return {}; }
  static f32 ground_friction(i32) { return 0.6f; }
  static i32 ground_body(i32 ground) { return ground; }
};

TEST(stars_have_the_same_bits_in_groups) {
  if (!testing::wants_simd()) return;
  using Physics = Stepper<Star>;
  constexpr i32 kWorlds = 5;
  Physics::State grouped[kWorlds] = {}, single[kWorlds] = {};
  Physics::Member members[kWorlds];
  Rng drawn{.seed = 8};
  for (i32 i = 0; i < kWorlds; ++i) {
    for (i32 b = 0; b < Star::kBodies; ++b) {
      const f32 x = b == 0 ? 0 : b % 2 == 1 ? 0.5f : -0.5f;
      place(single[i].body[b], Star::solid(b), {x + (b == 0 ? 0 : b <= 2 ? -0.5f : 0.5f), 0.5f + 0.1f * f32(i)}, 0);
    }
    Physics::begin(single[i], Star{});
    std::memcpy(static_cast<void*>(&grouped[i]), &single[i], sizeof(single[i]));
    members[i] = {&grouped[i], Star{}, {0, f32(i) - 12}, {}};
  }
  const StepSize size{0.02f, 180, 60};
  const Load loads[Star::kBodies] = {};
  i32 touching = 0;
  for (i32 step = 0; step < 200; ++step) {
    for (i32 i = 0; i < kWorlds; ++i) {
      for (i32 h = 0; h < Star::kHinges; ++h) {
        grouped[i].hinge[h].motor_speed = single[i].hinge[h].motor_speed = f32(drawn.uniform(-5, 5));
        grouped[i].hinge[h].motor_torque = single[i].hinge[h].motor_torque = f32(drawn.uniform(0, 2));
      }
      Physics::step(single[i], Star{}, size, members[i].gravity, loads);
    }
    Physics::step_group(members, kWorlds, size);
    for (i32 i = 0; i < kWorlds; ++i) {
      compare(single[i], grouped[i]);
      touching += single[i].grounded[1];
    }
  }
  CHECK(touching > 10);
}
#endif

}  // namespace envpool::box2d

TEST_MAIN()
