// dodge.h
#pragma once
#include "envpool/core/api.h"

using namespace envpool;

struct Dodge {
  static constexpr const char* kName = "Dodge";
  static constexpr i32 kRows = 8, kPixels = 16;

  struct Params {  // the values of the options of make()
    i32 columns;
    f32 crash_reward;
  };
  struct State {      // everything that changes
    i32 me;           // my column
    i32 rock[kRows];  // the column of the rock in each row, or -1
    i32 dodged;       // rocks that have passed me
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("columns", 6, "width of the field").between(2, 32).changes_shapes().sets(&Params::columns);
    o.real("crash_reward", -1, "reward of a crash").between(-100, 0).sets(&Params::crash_reward);
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<u8>("obs", {kRows, p.columns}).bounds(0, 2).doc("1 is a rock, 2 is you");
    s.info<i32>("dodged").doc("rocks that have passed you in this episode");
    s.action<i32>().categories(3).doc("left, stay, right");
    s.render_height = kRows * kPixels;
    s.render_width = p.columns * kPixels;
  }
  static void state_parts(StateParts<State>& parts) { parts.add("me", &State::me).add("rock", &State::rock); }
  static void render(const State& s, const Params& p, u8* rgb) {  // rocks are brown, you are blue
    for (i32 y = 0; y < kRows * kPixels; ++y) {
      for (i32 x = 0; x < p.columns * kPixels; ++x, rgb += 3) {
        const bool me = y / kPixels == kRows - 1 && x / kPixels == s.me, rock = s.rock[y / kPixels] == x / kPixels;
        rgb[0] = me ? 40 : rock ? 120 : 235;
        rgb[1] = me ? 90 : rock ? 85 : 235;
        rgb[2] = me ? 200 : rock ? 60 : 235;
      }
    }
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s.me = i32(rng.below(u32(p.columns)));
    for (i32& rock : s.rock) rock = -1;
    s.dodged = 0;
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    s.me = clamp(s.me + *action.at<i32>(0) - 1, 0, p.columns - 1);
    for (i32 row = kRows - 1; row > 0; --row) s.rock[row] = s.rock[row - 1];
    s.rock[0] = i32(rng.below(u32(p.columns)));
    const bool crashed = s.rock[kRows - 1] == s.me;
    count_up(s.dodged, s.rock[kRows - 1] >= 0 && !crashed);
    return {.reward = crashed ? p.crash_reward : 1.0f, .terminated = crashed};
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {  // for states that the user supplies
    keep_within(s.me, 0, p.columns - 1);
    for (i32& rock : s.rock) keep_within(rock, -1, p.columns - 1);
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    u8* const field = row.at<u8>(0);  // array 0 of spec
    for (i32 i = 0; i < kRows * p.columns; ++i) field[i] = 0;
    for (i32 y = 0; y < kRows; ++y) {
      if (s.rock[y] >= 0) field[y * p.columns + s.rock[y]] = 1;
    }
    field[(kRows - 1) * p.columns + s.me] = 2;
    *row.at<i32, 1>(1) = s.dodged;  // array 1
  }
};
