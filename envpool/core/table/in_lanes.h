// SPDX-License-Identifier: Apache-2.0
//
// Steps four environments at once, in the lanes of vector registers. An environment that defines
//
//   static constexpr int kLanes = 4;
//   static OutcomeLanes step_lanes(State* const* states, const Params&, ActionRow first);
//   static void observe_lanes(const State* const* states, const Params&, Row first);
//
// is stepped in groups of kLanes environments in consecutive rows if the CPU has AVX2 or NEON. These functions must
// produce the same bits as step and observe, and must not draw random numbers. An environment that draws under some
// options also defines
//
//   static bool in_lanes(const Params&);
//
// which returns false for those options. core/math/lanes.h has the SIMD types.
//
// JAX users may give each row other options. Such rows are stepped in lanes if Params has a form with four values in
// each member:
//
//   template <template <class> class Of>
//   struct ParamsOf {
//     Of<f64> length, mass;
//     Of<bool> reversed;
//     Of<f64> moment;  // derived
//   };
//   using Params = ParamsOf<Single>;
//
// ParamsOf<Lanes> is this form. Every member must be of a type Of<...>, and be set by an option or by derive(). The
// functions that have the parameters of four rows are then templates of their type, which is enough to accept both:
// step_lanes, observe_lanes (or observe), derive, and in_lanes and repair if they exist. in_lanes returns whether all
// four rows can be stepped in lanes; observe and repair may only use members that are the same in all rows
// (first_lane). If there is no ParamsOf, rows with different options are stepped one at a time.
//
// An environment whose steps are long can define these instead, and in_lanes() too:
//
//   static constexpr int kGroup = 8;
//   static void step_group(State* const* states, int count, const Params* const* params, const ActionRow* actions,
//                          Rng* const* rngs, Outcome* outcomes);
//
// step_group steps `count` environments, at most kGroup, which need not be in consecutive rows and may have different
// parameters. It may draw random numbers. A thread of a pool takes at least kGroup of these environments at a time if
// there are enough for all threads. Such an environment may also define
//
//   static void derive_group(Params* const* params, int count);
//
// It does what derive does, for `count` rows, before envpool.jax resets or steps rows with different options.
#pragma once

#include <cstring>

#include "envpool/core/env.h"
#include "envpool/core/math/lanes.h"
#include "envpool/core/math/rng.h"

namespace envpool {

// States at equal distances in memory.
template <class State>
struct StridedStates {
  u8* first;
  i64 stride;
  i64 count;  // a multiple of kLanes

  ENVPOOL_ALWAYS_INLINE State* at(i64 i) const { return reinterpret_cast<State*>(first + i * stride); }
};

// The columns into which step_lanes writes its results, one value per row.
struct OutcomeColumns {
  f32* reward;
  u8* terminated;
};

// The smallest group worth a call of step_group: two single steps are about as fast as a group of two.
inline constexpr i32 kLeastGroup = 3;

// Applies an environment's lane functions to any number of groups. kLanes is 1 if the environment has none.
template <class Env>
struct InLanes {
  using States = StridedStates<StateOf<Env>>;
  using Params = typename Env::Params;
  static constexpr int kLanes = 1;
  static bool available(const Params&) { return false; }
  static void step(States, const Params&, ActionRow, OutcomeColumns) {}
  static void observe(States, const Params&, Row) {}
};

#if ENVPOOL_SIMD
// Whether rows with different parameters can be stepped in lanes.
template <class Env>
concept HasLaneParams = requires {
  Env::kLanes;
  typename Env::template ParamsOf<Lanes>;
};

template <class Env>
bool can_step_in_lanes(const typename Env::Params& params) {
  if constexpr (requires { Env::in_lanes(params); }) {
    return has_simd() && Env::in_lanes(params);
  } else {
    return has_simd();
  }
}

template <class Env>
  requires requires { Env::kLanes; }
struct InLanes<Env> {
  using State = typename Env::State;
  using States = StridedStates<State>;
  using Params = typename Env::Params;
  static constexpr int kLanes = Env::kLanes;

  static bool available(const Params& params) { return can_step_in_lanes<Env>(params); }
  // `params` are those of all rows, or an array with those of each group.
  template <class P>
  ENVPOOL_SIMD_TARGET __attribute__((flatten)) static void step(States states, const P& params, ActionRow first,
                                                                OutcomeColumns out) {
    static_assert(kLanes == 4);
    for (i64 k = 0; k < states.count; k += kLanes, first.row += kLanes) {
      State* group[kLanes];
      for (int lane = 0; lane < kLanes; ++lane) group[lane] = states.at(k + lane);
      const OutcomeLanes outcome = Env::step_lanes(group, of_group(params, k / kLanes), first);
      std::memcpy(out.reward + k, &outcome.reward, sizeof(outcome.reward));
      for (int lane = 0; lane < kLanes; ++lane) out.terminated[k + lane] = u8(-outcome.terminated[lane]);
    }
  }
  template <class P>
  ENVPOOL_SIMD_TARGET __attribute__((flatten)) static void observe(States states, const P& params, Row first) {
    for (i64 k = 0; k < states.count; k += kLanes, first.row += kLanes) {
      const State* group[kLanes];
      for (int lane = 0; lane < kLanes; ++lane) group[lane] = states.at(k + lane);
      const auto& its_params = of_group(params, k / kLanes);
      if constexpr (requires { Env::observe_lanes(group, its_params, first); }) {
        Env::observe_lanes(group, its_params, first);
      } else {
        for (int lane = 0; lane < kLanes; ++lane) {
          Env::observe(*group[lane], its_params, Row{first.fields, first.row_bytes, first.row + lane});
        }
      }
    }
  }

 private:
  ENVPOOL_ALWAYS_INLINE static const Params& of_group(const Params& params, i64) { return params; }
  template <class P>
  ENVPOOL_ALWAYS_INLINE static const P& of_group(const P* params, i64 group) {
    return params[group];
  }
};

template <class Env>
concept SteppedInGroups = requires { Env::kGroup; };

// The caller chooses the members of a group, which need not be in consecutive rows.
template <SteppedInGroups Env>
struct InLanes<Env> {
  using States = StridedStates<StateOf<Env>>;
  using Params = typename Env::Params;
  static constexpr int kLanes = 1;
  static bool available(const Params& params) { return can_step_in_lanes<Env>(params); }
  static void step(States, const Params&, ActionRow, OutcomeColumns) {}
  static void observe(States, const Params&, Row) {}
};
#else
template <class Env>
concept HasLaneParams = false;
template <class Env>
concept SteppedInGroups = false;
#endif

}  // namespace envpool
