// SPDX-License-Identifier: Apache-2.0
//
// A step of Craftax-Classic, and what its environments share: options, infos and parts of the state.
#pragma once

#include "envpool/core/api.h"
#include "envpool/craftax/mobs.h"
#include "envpool/craftax/world.h"

namespace envpool::craftax {

ENVPOOL_FN bool is_over(const State& s) { return s.health <= 0 || s.block[cell_read(player_of(s))] == kLava; }

template <class Draws>
ENVPOOL_DEVICE_CALL Outcome advance(State& s, const Params& p, i32 action, Draws& draws) {
  const i32 achieved = s.achievements;
  const i32 health = s.health;
  if (s.asleep) action = kNoop;
  if (action >= kMakeFirst && action <= kMakeLast) craft(s, action - kMakeFirst);
  if (action == kDo) act(s, draws);
  if (action >= kPlaceStoneBlock && action <= kPlaceSapling) build(s, action);
  if (action >= kLeft && action <= kDown) walk(s, action);
  move_mobs(s, p, draws);
  spawn_mobs(s, p, draws);
  grow(s);
  live(s, action);
  for (u8& count : s.item) count = min<u8>(count, kMost);
  s.health = is_over(s) ? 0 : s.health;
  count_up(s.time);
  s.light = light_at(s.time, p);

  i32 gained = 0;
  for (u32 left = u32(s.achievements & ~achieved); left != 0; left &= left - 1) ++gained;
  return {.reward = f32(gained) + f32(s.health - health) * 0.1f, .terminated = s.health == 0};
}

#if ENVPOOL_HOST

inline void declare(OptionSpecs& o) {
  const auto chance = [&](const char* name, f64 value, const char* doc, f64 Params::* member) {
    o.real(name, value, doc).between(0, 1).sets(member);
  };
  o.integer("day_length", 300, "steps from one night to the next").between(1, 1'000'000).sets(&Params::day_length);
  o.boolean("always_diamond", true, "puts one more diamond into each world").sets(&Params::always_diamond);
  o.integer("zombie_health", 5, "of a zombie that appears").between(1, 100).sets(&Params::zombie_health);
  o.integer("cow_health", 3, "of a cow").between(1, 100).sets(&Params::cow_health);
  o.integer("skeleton_health", 3, "of a skeleton that appears").between(1, 100).sets(&Params::skeleton_health);
  o.integer("mob_despawn_distance", 14, "steps from the player at which mobs disappear")
      .between(1, 2 * kSide)
      .sets(&Params::despawn_distance);
  chance("spawn_cow_chance", 0.1, "probability of a new cow in a step", &Params::cow_chance);
  chance("spawn_zombie_base_chance", 0.02, "probability of a new zombie by day", &Params::zombie_chance);
  chance("spawn_zombie_night_chance", 0.1, "what darkness adds to that at most", &Params::zombie_night_chance);
  chance("spawn_skeleton_chance", 0.05, "probability of a new skeleton", &Params::skeleton_chance);
}

inline void describe_actions(Spec& s) {
  s.action<i32>().categories(kActions).doc(
      "0 nothing, 1 left, 2 right, 3 up, 4 down, 5 acts, 6 sleeps, 7 places a stone, 8 places a table, "
      "9 places a furnace, 10 places a sapling, 11 makes a wood pickaxe, 12 makes a stone pickaxe, "
      "13 makes an iron pickaxe, 14 makes a wood sword, 15 makes a stone sword, 16 makes an iron sword");
  s.info<bool>("achievements", {kAchievements}).doc("what has been achieved in this episode");
}

template <class AnyState>  // State, or a struct that is derived from it
void name_parts(StateParts<AnyState>& parts) {
  const auto add = [&]<class T>(const char* name, T State::* part) {
    parts.add(name, static_cast<T AnyState::*>(part));
  };
  add("block", &State::block);
  add("item", &State::item);
  add("health", &State::health);
  add("food", &State::food);
  add("drink", &State::drink);
  add("energy", &State::energy);
  add("y", &State::y);
  add("x", &State::x);
  add("direction", &State::direction);
  add("asleep", &State::asleep);
  add("achievements", &State::achievements);
  add("light", &State::light);
  add("time", &State::time);
}

#endif

ENVPOOL_FN void write_achievements(const State& s, bool* row) {
  for (i32 i = 0; i < kAchievements; ++i) row[i] = (s.achievements >> i & 1) != 0;
}

}  // namespace envpool::craftax
