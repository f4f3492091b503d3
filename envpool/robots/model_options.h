// SPDX-License-Identifier: Apache-2.0
//
// The options that are fields of a model, with the names, shapes and bounds of the fields of MuJoCo's models. Host
// only.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/table/spec.h"
#include "envpool/core/text.h"
#include "envpool/robots/model_constants.h"

namespace envpool::robots {

// Declares the fields with the values of the tables. `numbers` is the member of Params that has them.
template <class M, class Params>
void model_options(OptionSpecs& o, ModelNumbers<M, f64> Params::* numbers) {
  using Numbers = ModelNumbers<M, f64>;
  constexpr i64 kGainParameters = 10;  // mjNGAIN
  Numbers made;
  for_each_field<M>(made, [](f64& number, f64 in_tables) { number = in_tables; });
  const auto field = [&](const char* name, const auto& values, const char* doc, auto... path) -> OptionSpec& {
    const f64* const first = reinterpret_cast<const f64*>(&values);
    return o.reals(name, {first, first + sizeof(values) / sizeof(f64)}, doc).finite().sets(numbers, path...);
  };
  field("model.opt.gravity", made.gravity, "Gravitational acceleration.", &Numbers::gravity);
  field("model.body_mass", made.body_mass, "Masses.", &Numbers::body_mass).between(0, kInfinity);
  field("model.body_inertia", made.body_inertia, "Moments of inertia.", &Numbers::body_inertia).between(0, kInfinity);
  field("model.dof_armature", made.dof_armature, "Inertia of rotors.", &Numbers::dof_armature).between(0, kInfinity);
  field("model.dof_damping", made.dof_damping, "Damping of joints.", &Numbers::dof_damping).between(0, kInfinity);
  using Frictions = Array<f64[3], M::kModelGeoms>;
  field("model.geom_friction", made.geom_friction.at, "Sliding, torsional and rolling friction.",
        &Numbers::geom_friction, &Frictions::at)
      .between(0, kInfinity);
  if constexpr (kTunesStiffness<M>) {
    using Stiffness = Array<f64, M::kJoints>;
    field("model.jnt_stiffness", made.jnt_stiffness.at, "Stiffness of joints.", &Numbers::jnt_stiffness, &Stiffness::at)
        .between(0, kInfinity);
  }
  if constexpr (kTunesGear<M>) {
    using Gears = Array<f64[6], M::kActuators>;
    field("model.actuator_gear", made.actuator_gear.at, "Gears of actuators.", &Numbers::actuator_gear, &Gears::at);
  }
  std::vector<f64> gains(M::kActuators * kGainParameters);
  for (i32 i = 0; i < M::kActuators; ++i) gains[size_t(i * kGainParameters)] = made.actuator_gain[i];
  o.reals("model.actuator_gainprm", gains, "Parameters of gains. Motors have one, the first; the others are 0.")
      .finite()
      .sets(numbers, &Numbers::actuator_gain, &Array<f64, M::kActuators>::at)
      .with_first_of(kGainParameters);
}

// Throws std::invalid_argument unless all fields and the constants that depend on them are finite, and all joints have
// inertia.
template <class M>
void check_model(const ModelNumbers<M, f64>& n) {
  const f64* const first = reinterpret_cast<const f64*>(&n);
  for (size_t i = 0; i < sizeof(n) / sizeof(f64); ++i) {
    if (is_finite(first[i])) continue;
    throw std::invalid_argument("model: expected values from which finite constants follow, got " + to_text(first[i]) +
                                " among them");
  }
  if (has_inertias_of_tables<M>(n)) return;
  Data<M, f64> d;
  f64 qpos[M::kPositions];
  for (i32 i = 0; i < M::kPositions; ++i) qpos[i] = M::initial(i);
  d.numbers = &n;
  positions_called(d, qpos);
  for (const f64 inverse : d.inverse) {
    if (inverse < 1 / kMinValue) continue;  // what factorize() puts in the place of one that is not positive
    throw std::invalid_argument(
        "model: expected masses and inertias with which all joints have inertia, got a singular inertia matrix");
  }
}

}  // namespace envpool::robots
