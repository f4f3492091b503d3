// SPDX-License-Identifier: Apache-2.0
//
// A turn: what one call does with one environment. Only this file says in which order an environment begins an episode,
// steps, concludes the step, has its results written, is observed and restarts. The drivers take the turns: rows.h on
// CPUs and kernel.h on GPUs, both for pools and for pure functions. The exceptions are rows in SIMD lanes and those of
// short_steps.h, whose loops, finish_in_lanes() of rows.h and run_in_passes(), do each part for all rows before the
// next part. NVRTC compiles this file, so it includes no standard header.
#pragma once

#include "envpool/core/table/episode.h"

namespace envpool {

// What a step does with an environment whose episode is over.
enum class IfOver : u8 {
  kBegins,   // begins the next episode: pools
  kStays,    // has the outcome kStaysOver: pure functions
  kRefused,  // does nothing and reports a fault: pools without autoreset on GPUs; the other pools refuse it earlier
};

// How a call treats its environments. A driver whose calls have the same `if_over` has it as a constant.
template <IfOver kIfOver>
struct RulesOf {
  bool begins;    // they begin an episode instead of stepping: a reset
  bool restarts;  // an episode that ends is followed by the next one in the same turn: same-step autoreset
  static constexpr IfOver if_over = kIfOver;
};
struct Rules {
  bool begins, restarts;
  IfOver if_over;
};

// What an environment does in a turn.
enum class Doing : u8 { kSteps, kBegins, kStaysOver, kNothing };

template <class AnyRules>
ENVPOOL_ALWAYS_INLINE Doing doing_of(const AnyRules& rules, bool over) {
  if (rules.begins) return Doing::kBegins;
  if (!over) return Doing::kSteps;
  return rules.if_over == IfOver::kBegins  ? Doing::kBegins
         : rules.if_over == IfOver::kStays ? Doing::kStaysOver
                                           : Doing::kNothing;
}

// Applies the rules of episodes to the outcome of a turn. Returns whether the episode ended.
ENVPOOL_ALWAYS_INLINE bool conclude(Episode& episode, Outcome& outcome, Doing doing, i32 limit) {
  if (doing == Doing::kStaysOver) outcome = kStaysOver;
  return (doing == Doing::kSteps || doing == Doing::kStaysOver) &&
         episode.conclude(outcome, limit, doing == Doing::kSteps);
}

// The end of a turn in which an episode begins. `Place` is Place::Begun, see below.
template <class Place>
ENVPOOL_HOST_CALL void begin_and_observe(Place&& place, bool begins, Doing doing) {
  place.begin(begins, doing);
  if (doing == Doing::kBegins) place.write(Outcome{}, doing, /*ended=*/false);
  place.observe_begun(begins);
}

// Takes the turn of an environment. `place` knows how each part is done in its driver:
//
//   doing(rules)                      returns doing_of(), or kNothing if the environment cannot be used
//   step(outcome, doing)              steps; returns `doing`, or what the environment does instead of a step that fails
//   conclude(outcome, doing)          returns whether the episode ended
//   write(outcome, doing, ended)      writes the results
//   observe(whether, restarts)        observes the state after a step, in the arrays of last observations if the
//                                     environment restarts
//   begin(whether, doing)             begins the next episode
//   observe_begun(whether)            observes its first state
//   Begun                             the type with which the end of the turn is called: on CPUs a copy, because a
//                                     reference would keep the place in memory throughout the loop over steps
//   kTogether                         whether threads of a GPU take turns together: each of them then calls every
//                                     function, and `whether` is false if the environment is not concerned
template <class Place, class AnyRules>
ENVPOOL_ALWAYS_INLINE void turn(Place& place, const AnyRules& rules) {
  Outcome outcome;
  Doing doing = place.doing(rules);
  if (Place::kTogether || doing == Doing::kSteps) doing = place.step(outcome, doing);
  const bool ended = place.conclude(outcome, doing);
  const bool restarts = ended && rules.restarts;
  if (Place::kTogether || doing != Doing::kBegins) {
    if (doing != Doing::kBegins) place.write(outcome, doing, ended);
    place.observe(doing != Doing::kBegins, restarts);
  }
  const bool begins = doing == Doing::kBegins || restarts;
  if (Place::kTogether || begins) begin_and_observe<typename Place::Begun>(typename Place::Begun(place), begins, doing);
}

}  // namespace envpool
