// SPDX-License-Identifier: Apache-2.0
//
// The solver's functions for one model, as C functions for tests: ROBOTS_MODEL_LIBRARY(Name) defines Name_step(),
// Name_step_lanes(), Name_forward() and Name_read(). tests/robots/model_library.py calls them.
#pragma once

#include <cstring>

#include "envpool/robots/contact_force.h"
#include "envpool/robots/model_constants.h"
#include "envpool/robots/step.h"

namespace envpool::robots {

template <class M>
struct ModelLibrary {
  static inline Data<M, f64> data;
  static inline const ModelNumbers<M, f64> numbers = numbers_in_tables<M>();
#if ENVPOOL_SIMD
  static inline Data<M, f64x4> lanes;
#endif

  // Fills everything with NaN, so that results differ if the solver reads what it has not written.
  template <class T>
  static void clear(Data<M, T>& d) {
    std::memset(static_cast<void*>(&d), 0xFF, sizeof(d));
    d.is_full = false;
    if constexpr (sizeof(T) == sizeof(f64)) {
      d.numbers = &numbers;
    } else {
      d.numbers = &numbers_in_lanes<M>();
    }
  }

  static void step(f64* qpos, f64* qvel, f64* warm_start, const f64* ctrl) {
    Motion<M, f64> motion;
    clear(data);
    copy<M::kPositions>(motion.qpos, qpos);
    copy<M::kDofs>(motion.qvel, qvel);
    copy<M::kDofs>(motion.warm_start, warm_start);
    copy<M::kActuators>(data.ctrl, ctrl);
    robots::step(data, motion);
    copy<M::kPositions>(qpos, motion.qpos);
    copy<M::kDofs>(qvel, motion.qvel);
    copy<M::kDofs>(warm_start, motion.warm_start);
  }

#if ENVPOOL_SIMD
  // Steps four robots, whose arrays follow each other. Returns 0 if there is not enough room.
  ENVPOOL_SIMD_TARGET __attribute__((flatten, noinline)) static int step_lanes(f64* qpos, f64* qvel, f64* warm_start,
                                                                               const f64* ctrl) {
    Motion<M, f64x4> motion;
    clear(lanes);
    const auto transpose = [](auto* to, const f64* from, i32 count) {
      for (i32 i = 0; i < count; ++i) to[i] = f64x4{from[i], from[count + i], from[2 * count + i], from[3 * count + i]};
    };
    const auto transpose_back = [](f64* to, const auto* from, i32 count) {
      for (i32 i = 0; i < 4 * count; ++i) to[i] = from[i % count][i / count];
    };
    transpose(motion.qpos, qpos, M::kPositions);
    transpose(motion.qvel, qvel, M::kDofs);
    transpose(motion.warm_start, warm_start, M::kDofs);
    transpose(lanes.ctrl, ctrl, M::kActuators);
    robots::step(lanes, motion);
    transpose_back(qpos, motion.qpos, M::kPositions);
    transpose_back(qvel, motion.qvel, M::kDofs);
    transpose_back(warm_start, motion.warm_start, M::kDofs);
    return lanes.is_full ? 0 : 1;
  }
#endif

  static void forward(const f64* qpos, const f64* qvel, const f64* warm_start, const f64* ctrl) {
    clear(data);
    copy<M::kActuators>(data.ctrl, ctrl);
    robots::forward(data, qpos, qvel, warm_start);
  }

  // Copies an array of the last evaluation, which has the name of the member of mjData, and returns its length.
  static int read(const char* name, f64* out) {
    const Data<M, f64>& d = data;
    f64* const begin = out;
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    const auto put = [&out](const auto& array) {
      std::memcpy(out, &array, sizeof(array));
      out += sizeof(array) / sizeof(f64);
    };
    if (is("xpos")) put(d.xpos);
    if (is("xquat")) put(d.xquat);
    if (is("xmat")) put(d.xmat);
    if (is("xipos")) put(d.xipos);
    if (is("ximat")) put(d.ximat);
    if (is("xanchor")) put(d.xanchor);
    if (is("xaxis")) put(d.xaxis);
    if (is("subtree_com")) put(d.com);
    if (is("cdof")) put(d.cdof);
    if (is("M")) put(d.mass);
    if (is("qLD")) put(d.factor);
    if (is("qLDiagInv")) put(d.inverse);
    if (is("cvel")) put(d.cvel);
    if (is("cdof_dot")) put(d.cdof_dot);
    if (is("qfrc_passive")) put(d.qfrc_passive);
    if (is("qfrc_bias")) put(d.qfrc_bias);
    if (is("qfrc_actuator")) put(d.qfrc_actuator);
    if (is("qfrc_smooth")) put(d.qfrc_smooth);
    if (is("qacc_smooth")) put(d.qacc_smooth);
    if (is("qfrc_constraint")) put(d.qfrc_constraint);
    if (is("qacc")) put(d.qacc);
    if (is("cinert")) {
      for (const Inertia<f64>& inertia : d.cinert) put(inertia.at);
    }
    for (i32 i = 0; i < M::kTendons; ++i) {
      if (is("ten_length")) put(d.tendon_length[i]);
      if (is("ten_velocity")) put(d.tendon_velocity[i]);
    }
    for (i32 i = 0; i < M::kSites && is("site_xpos"); ++i) {
      f64 pos[3];
      global_position(d, M::site(i).body, M::site(i).same_frame, M::site(i).pos, pos);
      put(pos);
    }
    for (i32 i = 0; i < d.contacts; ++i) {
      const Contact<f64>& contact = d.contact[i];
      if (is("contact.pair")) put(f64(contact.pair));
      if (is("contact.dist")) put(contact.distance);
      if (is("contact.pos")) put(contact.pos);
      if (is("contact.frame")) put(contact.frame);
      if (!is("efc_J")) continue;
      f64 jacobian[4][M::kDofs];
      contact_jacobian(d, contact, jacobian);
      for (i32 k = 0; k < (M::pair(contact.pair).dimensions == 3 ? 4 : 1); ++k) put(jacobian[k]);
    }
    for (i32 i = 0; i < d.rows; ++i) {
      const ConstraintRow<f64>& row = d.row[i];
      if (is("limit") && row.dof >= 0) {
        put(f64(row.dof));
        put(row.sign);
      }
      if (is("efc_R")) put(row.regularizer);
      if (is("efc_D")) put(row.weight);
      if (is("efc_aref")) put(row.reference);
      if (is("efc_force")) put(row.force);
    }
    if (is("cfrc_ext")) {
      f64 forces[M::kBodies][6];
      contact_forces(d, forces);
      put(forces);
    }
    return int(out - begin);
  }
};

}  // namespace envpool::robots

#define ROBOTS_MODEL_EXPORT extern "C" __attribute__((visibility("default")))
#define ROBOTS_MODEL_LIBRARY(Name)                                                                           \
  ROBOTS_MODEL_EXPORT void Name##_step(double* qpos, double* qvel, double* warm_start, const double* ctrl) { \
    envpool::robots::ModelLibrary<envpool::robots::Name>::step(qpos, qvel, warm_start, ctrl);                \
  }                                                                                                          \
  ROBOTS_MODEL_EXPORT void Name##_forward(const double* qpos, const double* qvel, const double* warm_start,  \
                                          const double* ctrl) {                                              \
    envpool::robots::ModelLibrary<envpool::robots::Name>::forward(qpos, qvel, warm_start, ctrl);             \
  }                                                                                                          \
  ROBOTS_MODEL_EXPORT int Name##_read(const char* name, double* out) {                                       \
    return envpool::robots::ModelLibrary<envpool::robots::Name>::read(name, out);                            \
  }
#if ENVPOOL_SIMD
#define ROBOTS_MODEL_LANES(Name)                                                                                  \
  ROBOTS_MODEL_EXPORT int Name##_step_lanes(double* qpos, double* qvel, double* warm_start, const double* ctrl) { \
    return envpool::robots::ModelLibrary<envpool::robots::Name>::step_lanes(qpos, qvel, warm_start, ctrl);        \
  }
#else
#define ROBOTS_MODEL_LANES(Name)
#endif
