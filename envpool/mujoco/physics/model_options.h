// SPDX-License-Identifier: Apache-2.0
//
// Fields of mjModel that can differ between environments and change from episode to episode. An environment whose
// fields are those of the model that it was made with uses the shared model. Other values need a model of their own, in
// which mj_setConst has computed the constants that depend on them.
#pragma once

#include <mujoco/mjxmacro.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "envpool/core/table/spec.h"
#include "envpool/core/text.h"
#include "envpool/core/types.h"
#include "envpool/mujoco/physics/model.h"

namespace envpool::mujoco {

struct FieldRule {
  std::string_view name;
  bool negative = true;  // whether its elements may be negative
  const char* doc = "";
};

// The fields, by their names in mjModel. None of them determines the size of an array or the space of actions.
// MuJoCo has no other constants that depend on them than those that mj_setConst computes, such as the bounds of geoms,
// except for the length ranges of muscles.
inline constexpr FieldRule kFieldRules[] = {
    {"opt.gravity", true, "gravitational acceleration"},
    {"opt.wind", true, "velocity of the medium"},
    {"opt.magnetic", true, "magnetic flux"},
    {"opt.density", false, "density of the medium"},
    {"opt.viscosity", false, "viscosity of the medium"},
    {"qpos_spring", true, "positions in which springs have no force"},
    {"body_pos", true, "positions of bodies in the frames of their parents"},
    {"body_quat", true, "orientations of bodies in the frames of their parents"},
    {"body_ipos", true, "centres of mass in the frames of their bodies"},
    {"body_iquat", true, "orientations of the axes of inertia"},
    {"body_mass", false, "masses"},
    {"body_inertia", false, "moments of inertia"},
    {"body_gravcomp", true, "compensation of gravity, in units of the weight"},
    {"jnt_stiffness", false, "stiffness of joints"},
    {"jnt_range", true, "limits of joints"},
    {"dof_frictionloss", false, "friction of joints without load"},
    {"dof_armature", false, "inertia of rotors"},
    {"dof_damping", false, "damping of joints"},
    {"geom_size", false, "sizes of geoms, whose meaning depends on their types"},
    {"geom_pos", true, "positions of geoms in the frames of their bodies"},
    {"geom_quat", true, "orientations of geoms in the frames of their bodies"},
    {"geom_friction", false, "sliding, torsional and rolling friction"},
    {"site_pos", true, "positions of sites in the frames of their bodies"},
    {"tendon_stiffness", false, "stiffness of tendons"},
    {"tendon_damping", false, "damping of tendons"},
    {"actuator_gainprm", true, "parameters of the gains of actuators"},
    {"actuator_biasprm", true, "parameters of the biases of actuators"},
    {"actuator_forcerange", true, "limits of the forces of actuators"},
    {"actuator_gear", true, "gears of actuators"},
};

// One of these fields in a model. It has rows * columns numbers; a field without rows is one vector or number.
struct ModelField {
  const FieldRule* rule;
  mjtNum* numbers;
  i64 rows, columns;

  i64 elements() const { return (rows < 0 ? 1 : rows) * columns; }
  // The shape of the field in Python's MjModel.
  std::vector<i64> shape() const {
    std::vector<i64> shape;
    if (rows >= 0) shape.push_back(rows);
    if (columns > 1) shape.push_back(columns);
    return shape;
  }
};

namespace detail {

inline const FieldRule* rule_of(std::string_view name) {
  for (const FieldRule& rule : kFieldRules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

// Calls visit(name, array, rows, columns) for every array of a model, which is passed by reference.
template <class Visit>
void for_each_array(mjModel& model, Visit&& visit) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable"
  const mjModel* const m = &model;
  MJMODEL_POINTERS_PREAMBLE(m)
#pragma GCC diagnostic pop
#define X(type, name, rows, columns) visit(#name, model.name, i64(model.rows), i64(columns));
  MJMODEL_POINTERS
#undef X
}

// Returns whether an array is large and constant, so that models can share it.
inline bool is_asset(std::string_view name) {
  for (const char* prefix : {"mesh_", "skin_", "hfield_", "tex_", "text_", "oct_", "names", "paths"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace detail

using FieldNames = std::vector<std::string_view>;

// Returns the fields of a model, except for these and for those that are empty.
inline std::vector<ModelField> fields_of(mjModel& model, const FieldNames& except) {
  std::vector<ModelField> fields{
      {detail::rule_of("opt.gravity"), model.opt.gravity, -1, 3},
      {detail::rule_of("opt.wind"), model.opt.wind, -1, 3},
      {detail::rule_of("opt.magnetic"), model.opt.magnetic, -1, 3},
      {detail::rule_of("opt.density"), &model.opt.density, -1, 1},
      {detail::rule_of("opt.viscosity"), &model.opt.viscosity, -1, 1},
  };
  detail::for_each_array(model, [&](const char* name, auto* array, i64 rows, i64 columns) {
    if constexpr (std::is_same_v<decltype(array), mjtNum*>) {
      const FieldRule* const rule = detail::rule_of(name);
      if (rule == nullptr || rows == 0 || std::find(except.begin(), except.end(), name) != except.end()) return;
      fields.push_back({rule, array, rows, columns});
    }
  });
  return fields;
}

// A model that shares the assets of another model, and has its own copy of everything else.
class OwnModel {
 public:
  explicit OwnModel(const mjModel& from) : model_(from) {
    const auto each = [&](auto&& action) {
      i64 at = 0;
      detail::for_each_array(model_, [&](const char* name, auto*& array, i64 rows, i64 columns) {
        const i64 size = rows * columns * i64(sizeof(*array));
        if (size == 0 || detail::is_asset(name)) return;
        action(array, at, size);
        at += (size + 63) / 64 * 64;
      });
      return at;
    };
    const i64 bytes = each([](auto*&, i64, i64) {});
    memory_ = std::make_unique<u8[]>(size_t(bytes) + 64);
    u8* const first = memory_.get() + (64 - reinterpret_cast<std::uintptr_t>(memory_.get()) % 64) % 64;
    each([&](auto*& array, i64 at, i64 size) {
      std::memcpy(first + at, array, size_t(size));
      array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(first + at);
    });
  }
  OwnModel(const OwnModel&) = delete;
  OwnModel& operator=(const OwnModel&) = delete;

  mjModel& model() { return model_; }

 private:
  mjModel model_;
  std::unique_ptr<u8[]> memory_;
};

namespace detail {

[[noreturn]] inline void refuse(std::string_view name, const std::string& what) {
  throw std::invalid_argument("model." + std::string(name) + ": " + what);
}

// Checks relations between the elements of a field, and to those that it has in the model that make() loaded.
inline void check_field(const ModelField& field, const mjModel& made) {
  const std::string_view name = field.rule->name;
  for (i64 i = 0; name == "geom_size" && i < field.elements(); ++i) {
    if (made.geom_size[i] > 0 && !(field.numbers[i] > 0)) {
      refuse(name, "expected positive sizes where the model has positive sizes, got " + to_text(field.numbers[i]));
    }
  }
  for (i64 row = 0; row < field.rows; ++row) {
    const mjtNum* const x = field.numbers + row * field.columns;
    if (name.ends_with("quat")) {
      const mjtNum size = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
      if (!(std::fabs(size - 1) <= 1e-6)) {
        refuse(name, "expected quaternions of length 1, got one of length " + to_text(size));
      }
    } else if (name.ends_with("range") && x[0] > x[1]) {
      refuse(name, "expected ranges whose lower end is not above the upper one, got " + to_text(x[0]) + " to " +
                       to_text(x[1]));
    }
  }
}

// Throws std::invalid_argument unless the constants that mj_setConst has computed are finite.
inline void check_constants(const mjModel& m) {
  const auto check = [](const char* name, const mjtNum* numbers, i64 count) {
    for (i64 i = 0; i < count; ++i) {
      if (std::isfinite(numbers[i])) continue;
      throw std::invalid_argument("model: expected values from which MuJoCo computes finite constants, got " +
                                  to_text(numbers[i]) + " in " + name);
    }
  };
  check("body_subtreemass", m.body_subtreemass, m.nbody);
  check("body_invweight0", m.body_invweight0, 2 * i64(m.nbody));
  check("dof_invweight0", m.dof_invweight0, m.nv);
  check("dof_M0", m.dof_M0, m.nv);
  check("tendon_invweight0", m.tendon_invweight0, m.ntendon);
  check("actuator_acc0", m.actuator_acc0, m.nout);
  check("actuator_biasprm", m.actuator_biasprm, m.nactuator * mjNBIAS);
  check("stat.meaninertia", &m.stat.meaninertia, 1);
}

}  // namespace detail

// Declares the fields of a model, except for these, as options with the values that it has.
inline void declare_fields(const mjModel& model, OptionSpecs& o, const FieldNames& except = {}) {
  mjModel view = model;
  for (const ModelField& field : fields_of(view, except)) {
    const std::string name = "model." + std::string(field.rule->name);
    const std::vector<i64> shape = field.shape();
    OptionSpec& option = shape.empty()
                             ? o.real(name, *field.numbers, field.rule->doc)
                             : o.reals(name, {field.numbers, field.numbers + field.elements()}, field.rule->doc);
    option.shape = shape;
    if (!field.rule->negative) option.between(0, kInfinity);
  }
}

// Returns a model with other values of the fields: all elements of those that declare_fields() declares. Throws
// std::invalid_argument if MuJoCo cannot simulate such a model.
inline SharedModel changed_model(const mjModel& model, const f64* values, const FieldNames& except = {}) {
  const auto own = std::make_shared<OwnModel>(model);
  for (const ModelField& field : fields_of(own->model(), except)) {
    std::memcpy(field.numbers, values, sizeof(f64) * size_t(field.elements()));
    detail::check_field(field, model);
    values += field.elements();
  }
  mjModel* const m = &own->model();
  mjData* data = nullptr;
  try {
    guarded([&] {
      data = mj_makeData(m);
      if (data != nullptr) mj_setConst(m, data);
    });
  } catch (const std::runtime_error& error) {
    mj_deleteData(data);
    throw std::invalid_argument("model: expected values that MuJoCo can simulate, got the error: " +
                                std::string(error.what()));
  }
  if (data == nullptr) throw std::bad_alloc();
  const bool is_singular = data->warning[mjWARN_INERTIA].number > 0;
  mj_deleteData(data);
  if (is_singular) {
    throw std::invalid_argument(
        "model: expected masses and inertias with which all joints have inertia, got a singular inertia matrix");
  }
  detail::check_constants(*m);
  return {own, m};
}

}  // namespace envpool::mujoco
