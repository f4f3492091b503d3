// SPDX-License-Identifier: Apache-2.0
//
// The common part of the robots' environments: options, the action, a step of several simulation steps, and resets with
// noise around the model's initial state.
// Source: gymnasium 1.4.0, envs/mujoco, for versions 4 and 5; earlier releases with mujoco-py for versions 2 and 3.
#pragma once

#include "envpool/core/math/normal.h"
#include "envpool/core/math/numpy_sum.h"
#include "envpool/robots/model_constants.h"
#include "envpool/robots/room.h"
#include "envpool/robots/step.h"
#if ENVPOOL_HOST
#include "envpool/robots/draw.h"
#include "envpool/robots/meanings.h"
#include "envpool/robots/model_options.h"
#endif

namespace envpool::robots {

struct Range {
  f64 low, high;

  ENVPOOL_FN bool encloses(f64 x) const { return low < x && x < high; }
};
ENVPOOL_FN f64 clip(f64 x, Range range) { return x < range.low ? range.low : x > range.high ? range.high : x; }
ENVPOOL_FN f64 norm(f64 x, f64 y) { return sqrt(x * x + y * y); }

struct RobotParams {
  i32 frame_skip, info_version;
  f64 reset_noise_scale;
  f64 dt;  // derived: the time of a step

  // Returns whether the environment has the infos of version 5.
  ENVPOOL_FN bool v5() const { return info_version >= 5; }
};

#if ENVPOOL_HOST
// Declares two options, <name>_min and <name>_max, into which gymnasium's <name>_range is translated. `path` leads to
// the Range that they set.
template <class... Path>
void range_options(OptionSpecs& o, const std::string& name, Range range, const std::string& what, Path... path) {
  o.real(name + "_min", range.low, "Lower bound of " + what + ".").sets(path..., &Range::low);
  o.real(name + "_max", range.high, "Upper bound of " + what + ".").sets(path..., &Range::high);
}
inline void noise_option(OptionSpecs& o, f64 scale) {
  o.real("reset_noise_scale", scale, "Scale of the noise at a reset.")
      .between(0, 1e6)
      .sets(&RobotParams::reset_noise_scale);
}
template <class... Path>
void exclude_option(OptionSpecs& o, const char* what, Path... path) {
  o.boolean("exclude_current_positions_from_observation", true, what).changes_shapes().sets(path...);
}
#endif

// Writes the parts of an observation, or infos, one after the other.
class Writer {
 public:
  ENVPOOL_FN explicit Writer(f64* out) : out_(out) {}
  ENVPOOL_FN void put(f64 value) { *out_++ = value; }
  ENVPOOL_FN void put(const f64* values, i32 count) {
    for (i32 i = 0; i < count; ++i) put(values[i]);
  }
  ENVPOOL_FN void put(const f64* values, i32 count, Range range) {
    for (i32 i = 0; i < count; ++i) put(clip(values[i], range));
  }

 private:
  f64* out_;
};

// clang-format off
// `Robot` is one of the environments. It defines
//
//   static constexpr i32 kResults;                                  // how many numbers of Data the task reads
//   template <class Size, class T>  // Size is the model, or its compact form
//   ENVPOOL_FN static void results(Data<Size, T>&, const Params&, bool stepped, T* out);  // these numbers
//   static constexpr View kView;                                    // host: from where images show the robot
//   static constexpr const char* kObservation;                      // description of the observation
//   static i64 obs_size(const Params&);                             // number of elements of an observation
//   template <class Put> ENVPOOL_FN static void infos(const Params&, const State&, Put put);
//   ENVPOOL_FN static void add_noise(State&, const Params&, Rng&);  // to the initial state
//   ENVPOOL_FN static Outcome conclude(State&, const Params&, const f64* action, const f64* before);
//                                                                   // after a step; `before` is kMemory numbers
//   ENVPOOL_FN static void remember(const State&, f64* before);     // before a step
//   ENVPOOL_FN static void write(const State&, const Params&, Writer);  // writes the observation
// clang-format on
template <class Robot, class M, class RobotParameters, class TaskState, i32 kResultCount = 0>
class RobotEnv {
 public:
  using Model = M;
  struct Params : RobotParameters {
    bool is_tuned;  // derived: whether the model differs from its tables
    ModelNumbers<M, f64> model;
  };
  static constexpr bool kLargeRows = true;
  static constexpr i32 kResults = kResultCount;
  struct State {
    f64 qpos[M::kPositions], qvel[M::kDofs];
    f64 warm_start[M::kDofs];  // the acceleration with which the solver of the next step begins
    f64 results[kResultCount > 0 ? kResultCount : 1];
    TaskState task;
  };

#if ENVPOOL_HOST
  static void common_options(OptionSpecs& o, i64 frame_skip) {
    o.integer("frame_skip", frame_skip, "Simulation steps for each action.")
        .between(1, 10000)
        .sets(&RobotParams::frame_skip);
    o.integer("info_version", 5, "Version of the environment whose infos are returned.")
        .between(2, 5)
        .changes_shapes()
        .sets(&RobotParams::info_version);
    model_options<M>(o, &Params::model);
  }
  static void spec(const Params& p, Spec& s) {
    s.render_fps = rint(1 / p.dt);
    s.render_height = s.render_width = kImageSide;
    s.obs<f64>("obs", {Robot::obs_size(p)}).doc(Robot::kObservation);
    Robot::infos(p, State{}, Names{s});
    std::vector<f64> low, high;
    for (i32 i = 0; i < M::kActuators; ++i) {
      low.push_back(M::actuator(i).low);
      high.push_back(M::actuator(i).high);
    }
    s.action<f64>("action", {M::kActuators}).bounds(low, high).doc(M::kControls);
  }
  static void validate(const Params& p) { check_model<M>(p.model); }
  static void state_parts(StateParts<State>& parts) {
    parts.add("qpos", &State::qpos).add("qvel", &State::qvel).add("warm_start", &State::warm_start);
  }
  static void render(const State& s, const Params&, u8* rgb) { draw<M>(s.qpos, Robot::kView, rgb); }
#endif

  ENVPOOL_FN static void derive(Params& p) {
    compute_constants<M>(p.model);
    derive_other_members(p);
  }
#if ENVPOOL_SIMD
  static void derive_group(Params* const* params, int count) {
    compute_constants_of_group<M>(count, [&](int i) -> ModelNumbers<M, f64>& { return params[i]->model; });
    for (int i = 0; i < count; ++i) derive_other_members(*params[i]);
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {};
    for (i32 i = 0; i < M::kPositions; ++i) s.qpos[i] = M::initial(i);
    Robot::add_noise(s, p, rng);
    if constexpr (kResultCount > 0) evaluate(s, p);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow row, Rng&) {
    const f64* const action = row.template at<f64, M::kActuators>(0);
    f64 before[kMemory];
    Robot::remember(s, before);
    simulate(s, p, action);
    return Robot::conclude(s, p, action, before);
  }

#if ENVPOOL_SIMD
  static constexpr int kGroup = 8, kWidth = 4;
  static void step_group(State* const* states, int count, const Params* const* params, const ActionRow* rows,
                         Rng* const*, Outcome* outcomes) {
    for (int first = 0; first < count; first += kWidth) {
      const int lanes = min(count - first, int(kWidth));
      State* const* const own = states + first;
      const Params* const* const p = params + first;
      const f64* actions[kWidth];
      f64 before[kWidth][kMemory];
      bool together = lanes > 1;
      for (int i = 0; i < lanes; ++i) {
        actions[i] = rows[first + i].template at<f64, M::kActuators>(0);
        Robot::remember(*own[i], before[i]);
        together &= p[i]->frame_skip == p[0]->frame_skip;
      }
      if (!together || !simulate_lanes(own, lanes, p, actions)) {
        for (int i = 0; i < lanes; ++i) simulate(*own[i], *p[i], actions[i]);
      }
      for (int i = 0; i < lanes; ++i) outcomes[first + i] = Robot::conclude(*own[i], *p[i], actions[i], before[i]);
    }
  }
#endif

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    Robot::write(s, p, Writer(row.template at<f64>(0)));
    Robot::infos(p, s, Values{row});
  }

 protected:
  static constexpr i32 kMemory = 2;

  // Add noise to the state, as the reset of a task does.
  ENVPOOL_FN static void noisy_positions(State& s, f64 scale, Rng& rng) {
    for (f64& q : s.qpos) q += rng.uniform(-scale, scale);
  }
  ENVPOOL_FN static void uniform_velocities(State& s, f64 scale, Rng& rng) {
    for (f64& v : s.qvel) v += rng.uniform(-scale, scale);
  }
  ENVPOOL_FN static void normal_velocities(State& s, f64 scale, Rng& rng) {
    for (f64& v : s.qvel) v += scale * normal(rng);
  }

 private:
  ENVPOOL_FN static void derive_other_members(Params& p) {
    p.dt = M::kTimestep * p.frame_skip;
    p.is_tuned = is_tuned<M>(p.model);
    if constexpr (requires { p.mass; }) {
      p.mass = numpy_sum(M::kBodies, [&](i64 i) { return p.model.body_mass[i]; });
    }
  }

  // infos() calls one of these for each info: Names declares the info, and Values writes it.
#if ENVPOOL_HOST
  struct Names {
    Spec& spec;
    void operator()(const char* name, f64) const { spec.info<f64>(name).doc(meaning_of(name)); }
    void operator()(const char* name, const f64*, i64 count) const {
      spec.info<f64>(name, {count}).doc(meaning_of(name));
    }
  };
#endif
  struct Values {
    Row row;
    int field = 1;
    ENVPOOL_FN void operator()(const char*, f64 value) { *row.template at<f64, 1>(field++) = value; }
    ENVPOOL_FN void operator()(const char*, const f64* values, i64 count) {
      Writer(row.template at<f64>(field++)).put(values, i32(count));
    }
  };

  // Computes the results of a state that has not been stepped.
  ENVPOOL_NOINLINE static void evaluate(State& s, const Params& p) {
    with_room<M>([&]<class Size>(Data<Size, f64>& d) {
      d.numbers = &p.model;
      for (f64& control : d.ctrl) control = 0;
      forward(d, s.qpos, s.qvel, s.warm_start);
      if (!d.is_full) Robot::results(d, p, /*stepped=*/false, s.results);
    });
  }
  ENVPOOL_NOINLINE static void simulate(State& s, const Params& p, const f64* action) {
    with_room<M>([&]<class Size>(Data<Size, f64>& d) {
      Motion<Size, f64> motion;
      d.numbers = &p.model;
      copy<M::kPositions>(motion.qpos, s.qpos);
      copy<M::kDofs>(motion.qvel, s.qvel);
      copy<M::kDofs>(motion.warm_start, s.warm_start);
      copy<M::kActuators>(d.ctrl, action);
      for (i32 k = 0; k < p.frame_skip && !d.is_full; ++k) robots::step(d, motion);
      if (d.is_full) return;
      copy<M::kPositions>(s.qpos, motion.qpos);
      copy<M::kDofs>(s.qvel, motion.qvel);
      copy<M::kDofs>(s.warm_start, motion.warm_start);
      if constexpr (kResultCount > 0) Robot::results(d, p, /*stepped=*/true, s.results);
    });
  }
#if ENVPOOL_SIMD
  // Simulates up to four robots with the same frame_skip in lanes. Lanes without a robot of their own repeat the first
  // one. Returns false, and leaves the states as they are, if the robots have more contacts than there is room for.
  ENVPOOL_SIMD_TARGET __attribute__((flatten, noinline)) static bool simulate_lanes(State* const* states, int count,
                                                                                    const Params* const* params,
                                                                                    const f64* const* actions) {
    Data<M, f64x4> d;
    Motion<M, f64x4> motion;
    ModelNumbers<M, f64x4> own;
    const ModelNumbers<M, f64>* numbers[kWidth];
    bool is_tuned = false;
    for (int lane = 0; lane < kWidth; ++lane) {
      const int robot = lane < count ? lane : 0;
      const State& s = *states[robot];
      numbers[lane] = &params[robot]->model;
      is_tuned |= params[robot]->is_tuned;
      for (i32 i = 0; i < M::kPositions; ++i) motion.qpos[i][lane] = s.qpos[i];
      for (i32 i = 0; i < M::kDofs; ++i) motion.qvel[i][lane] = s.qvel[i];
      for (i32 i = 0; i < M::kDofs; ++i) motion.warm_start[i][lane] = s.warm_start[i];
      for (i32 i = 0; i < M::kActuators; ++i) d.ctrl[i][lane] = actions[robot][i];
    }
    if (is_tuned) into_lanes<M>(own, numbers);
    d.numbers = is_tuned ? &own : &numbers_in_lanes<M>();
    for (i32 k = 0; k < params[0]->frame_skip && !d.is_full; ++k) robots::step(d, motion);
    if (d.is_full) return false;
    f64x4 results[kResultCount > 0 ? kResultCount : 1];
    for (int lane = 0; lane < count; ++lane) {
      if constexpr (kResultCount > 0) {
        if (lane == 0 || params[lane] != params[lane - 1]) Robot::results(d, *params[lane], /*stepped=*/true, results);
      }
      State& s = *states[lane];
      for (i32 i = 0; i < M::kPositions; ++i) s.qpos[i] = motion.qpos[i][lane];
      for (i32 i = 0; i < M::kDofs; ++i) s.qvel[i] = motion.qvel[i][lane];
      for (i32 i = 0; i < M::kDofs; ++i) s.warm_start[i] = motion.warm_start[i][lane];
      for (i32 i = 0; i < kResultCount; ++i) s.results[i] = results[i][lane];
    }
    return true;
  }
#endif
};

}  // namespace envpool::robots
