// SPDX-License-Identifier: Apache-2.0
//
// The simulation of one environment of the suite. It is stepped as in dm_control. Its model is a shallow copy of the
// shared model, in which the environment owns the few arrays that its task changes. With other values of fields
// (model_options.h), it is a shallow copy of a model that has these.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/mujoco/physics/model_options.h"
#include "envpool/mujoco/physics/simulation.h"

namespace envpool::mujoco::dmc {

class Physics {
 public:
  explicit Physics(SharedModel model) : view_(*model), sim_(SharedModel(std::move(model), &view_)) {}
  Physics(const Physics&) = delete;
  Physics& operator=(const Physics&) = delete;

  const mjModel* model() const { return &view_; }
  mjData* data() { return sim_.data(); }
  const mjData* data() const { return sim_.data(); }
  Simulation& simulation() { return sim_; }

  // Replaces an array of the model by the environment's own copy, which the constructor of a task may change.
  template <class T>
  T* copy_array(T* mjModel::* array, i64 count) {
    copies_.push_back(std::make_unique<u8[]>(sizeof(T) * size_t(count)));
    T* copy = reinterpret_cast<T*>(copies_.back().get());
    std::memcpy(copy, view_.*array, sizeof(T) * size_t(count));
    return view_.*array = copy;
  }
  // Does the same for an array that resets draw, and makes the array part of snapshots.
  template <class T>
  T* copy_drawn_array(T* mjModel::* array, i64 count) {
    const T* shared = view_.*array;
    T* copy = copy_array(array, count);
    drawn_.push_back({copy, shared, sizeof(T) * size_t(count),
                      [](const u8* saved, size_t bytes) {
                        std::vector<T> numbers(bytes / sizeof(T));
                        std::memcpy(numbers.data(), saved, bytes);
                        require_finite(numbers.data(), i64(numbers.size()), "an array of the model that resets draw");
                      },
                      [array, copy](mjModel& model) { model.*array = copy; }});
    return copy;
  }
  // Returns the fields that are such arrays, among those of model_options.h.
  FieldNames drawn_fields() {
    FieldNames names;
    for (const ModelField& field : fields_of(view_, {})) {
      for (const Drawn& part : drawn_) {
        if (part.array == field.numbers) names.push_back(field.rule->name);
      }
    }
    return names;
  }
  // Simulates another model, with the arrays that resets draw; null: the model with the changes of the task's
  // constructor.
  void use(const SharedModel& model) {
    if (made_ == nullptr) made_ = std::make_unique<const mjModel>(view_);
    view_ = model == nullptr ? *made_ : *model;
    for (const Drawn& part : drawn_) part.insert(view_);
    used_ = model;
  }

  int id(mjtObj type, const std::string& name) const {
    const int number = mj_name2id(model(), type, name.c_str());
    if (number < 0) {
      throw std::invalid_argument("xml_file: the model has no " + std::string(mju_type2Str(type)) + " '" + name + "'");
    }
    return number;
  }
  int body(const std::string& name) const { return id(mjOBJ_BODY, name); }
  int geom(const std::string& name) const { return id(mjOBJ_GEOM, name); }
  int site(const std::string& name) const { return id(mjOBJ_SITE, name); }
  int qpos(const std::string& joint) const { return model()->jnt_qposadr[scalar_joint(joint)]; }
  int qvel(const std::string& joint) const { return model()->jnt_dofadr[scalar_joint(joint)]; }
  int free_qpos(const std::string& joint) const { return model()->jnt_qposadr[free_joint(joint)]; }
  int free_qvel(const std::string& joint) const { return model()->jnt_dofadr[free_joint(joint)]; }
  int sensor(const std::string& name, int numbers = 1) const {
    const int number = id(mjOBJ_SENSOR, name);
    if (model()->sensor_dim[number] != numbers) {
      throw std::invalid_argument("xml_file: expected a sensor '" + name + "' of dimension " + std::to_string(numbers) +
                                  ", got one of dimension " + std::to_string(model()->sensor_dim[number]));
    }
    return model()->sensor_adr[number];
  }

  // Undoes all changes of the arrays that resets draw, and of their elements that only a snapshot can have changed.
  void restore_arrays() {
    for (const Drawn& part : drawn_) std::memcpy(part.array, part.shared, part.bytes);
  }
  // Sets the model's initial state.
  void reset() {
    sim_.reset();
    forward();
  }
  // Computes derived quantities from positions and velocities, without actuation, as there is no control yet.
  void forward() {
    const int flags = view_.opt.disableflags;
    view_.opt.disableflags |= mjDSBL_ACTUATION;
    sim_.forward();
    view_.opt.disableflags = flags;
  }
  // Makes `count` integrator steps. As in dm_control, the first part of the next step is computed in advance, so that
  // quantities derived from positions and velocities belong to the new state. Quantities derived from forces belong to
  // the previous state.
  void step(i32 count) {
    int before[mjNWARNING];
    for (int i = 0; i < mjNWARNING; ++i) before[i] = data()->warning[i].number;
    guarded([&] {
      const mjModel* m = model();
      mjData* d = data();
      i32 left = count;
      if (m->opt.integrator != mjINT_RK4) {
        mj_step2(m, d);
        --left;
      }
      for (; left > 0; --left) mj_step(m, d);
      mj_step1(m, d);
    });
    for (int i = 0; i < mjNWARNING; ++i) {
      if (data()->warning[i].number > before[i]) {
        throw std::runtime_error("MuJoCo: the physics state is invalid: " +
                                 std::string(mju_warningText(i, size_t(data()->warning[i].lastinfo))));
      }
    }
  }

  // A snapshot contains the state, sensor data (some of which belongs to the last step), and the arrays of the model
  // that the reset drew.
  i64 save_size() const {
    i64 size = sim_.save_size() + sensor_bytes();
    for (const Drawn& part : drawn_) size += i64(part.bytes);
    return size;
  }
  void save(u8* out) const {
    sim_.save(out);
    out += sim_.save_size();
    std::memcpy(out, data()->sensordata, size_t(sensor_bytes()));
    out += sensor_bytes();
    for (const Drawn& part : drawn_) {
      std::memcpy(out, part.array, part.bytes);
      out += part.bytes;
    }
  }
  void load(const u8* saved) {
    const u8* sensors = saved + sim_.save_size();
    const u8* drawn = sensors + sensor_bytes();
    require_state(*model(), reinterpret_cast<const mjtNum*>(saved));
    for (const Drawn& part : drawn_) {
      part.check(drawn, part.bytes);
      drawn += part.bytes;
    }
    drawn = sensors + sensor_bytes();
    for (const Drawn& part : drawn_) {
      std::memcpy(part.array, drawn, part.bytes);
      drawn += part.bytes;
    }
    guarded([&] {
      const mjtNum* state = reinterpret_cast<const mjtNum*>(saved);
      mj_resetData(model(), data());
      mj_setState(model(), data(), state, mjSTATE_INTEGRATION);
      mj_step1(model(), data());
    });
    std::memcpy(data()->sensordata, sensors, size_t(sensor_bytes()));
  }

 private:
  struct Drawn {
    void* array;
    const void* shared;  // the array of the shared model
    size_t bytes;
    void (*check)(const u8* saved, size_t bytes);
    std::function<void(mjModel&)> insert;  // lets a model have the array
  };
  int scalar_joint(const std::string& name) const {
    const int number = id(mjOBJ_JOINT, name), type = model()->jnt_type[number];
    if (type != mjJNT_HINGE && type != mjJNT_SLIDE) {
      throw std::invalid_argument("xml_file: expected a hinge or a slide as joint '" + name + "', got another type");
    }
    return number;
  }
  int free_joint(const std::string& name) const {
    const int number = id(mjOBJ_JOINT, name);
    if (model()->jnt_type[number] != mjJNT_FREE)
      throw std::invalid_argument("xml_file: expected a free joint '" + name + "', got another type");
    return number;
  }
  i64 sensor_bytes() const { return model()->nsensordata * i64(sizeof(mjtNum)); }

  mjModel view_;
  std::unique_ptr<const mjModel> made_;  // the view as the constructor of the task has left it; null until use()
  SharedModel used_;                     // the model of which it is a copy since then, whose arrays it has
  Simulation sim_;
  std::vector<std::unique_ptr<u8[]>> copies_;
  std::vector<Drawn> drawn_;
};

}  // namespace envpool::mujoco::dmc
