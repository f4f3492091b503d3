// SPDX-License-Identifier: Apache-2.0
//
// Models are loaded once and shared by all environments.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>

#include "envpool/core/types.h"
#include "envpool/mujoco/physics/guard.h"

namespace envpool::mujoco {

using SharedModel = std::shared_ptr<const mjModel>;

// Loads a model from a path, or from XML if the text begins with "<". Throws std::invalid_argument with MuJoCo's
// message.
inline std::shared_ptr<mjModel> read_model(const std::string& source) {
  char error[1024] = "";
  mjSpec* spec = nullptr;
  mjModel* model = nullptr;
  const bool text = source.starts_with('<');
  guarded([&] {
    if (text) {
      spec = mj_parseXMLString(source.c_str(), nullptr, error, sizeof(error));
    } else {
      spec = mj_parseXML(source.c_str(), nullptr, error, sizeof(error));
    }
    if (spec == nullptr) return;
    model = mj_compile(spec, nullptr);
    if (model == nullptr) std::snprintf(error, sizeof(error), "%s", mjs_getError(spec));
  });
  if (spec != nullptr) mj_deleteSpec(spec);
  if (model == nullptr) {
    throw std::invalid_argument("xml_file: MuJoCo cannot load " + (text ? "the model" : source) + ": " + error);
  }
  return {model, mj_deleteModel};
}

// Loads a model, or returns the last one if it has the same source. So a model is loaded only once for a spec and the
// pool that is made from it.
inline SharedModel load_model(const std::string& source) {
  static std::mutex mutex;
  static std::string last_key;
  static SharedModel last;
  std::error_code ignored;
  std::string key = source;
  if (!source.starts_with('<')) {
    key += '\n' + std::to_string(std::filesystem::last_write_time(source, ignored).time_since_epoch().count());
  }
  const std::lock_guard lock(mutex);
  if (last == nullptr || key != last_key) {
    last = read_model(source);
    last_key = key;
  }
  return last;
}

// Returns a hash of MuJoCo's release and of a model's structure: its names and the numbers of its elements. Sizes,
// masses and positions are not included. A state of another release is refused, because its continuation would differ,
// and because later releases have further parts of a state.
inline u64 identity_of(const mjModel& m) {
  u64 hash = 0xCBF29CE484222325u;
  const auto mix = [&](u64 word) { hash = (hash ^ word) * 0x100000001B3u; };
  mix(mjVERSION_HEADER);
  mix(u64(mj_stateSize(&m, mjSTATE_INTEGRATION)));
  const i64 counts[] = {m.nq,    m.nv,  m.nu,     m.na,        m.nbody,       m.njnt,        m.ngeom,
                        m.nsite, m.neq, m.nmocap, m.nuserdata, m.nsensordata, m.nhfielddata, m.npluginstate};
  for (const i64 count : counts) mix(u64(count));
  for (i64 i = 0; i < i64(m.nnames); ++i) mix(u64(u8(m.names[i])));
  return hash;
}

// Describes the action by the names of the actuators, or of their joints if the actuators have no names.
inline std::string controls_of(const mjModel& model) {
  constexpr int kMaxNames = 12;
  std::string names;
  for (int i = 0; i < model.nu && i < kMaxNames; ++i) {
    const char* name = mj_id2name(&model, mjOBJ_ACTUATOR, i);
    if (name == nullptr && model.actuator_trntype[i] == mjTRN_JOINT) {
      name = mj_id2name(&model, mjOBJ_JOINT, model.actuator_trnid[2 * i]);
    }
    names += (i == 0 ? "" : ", ") + (name != nullptr ? std::string(name) : std::to_string(i));
  }
  if (model.nu > kMaxNames) names += " and " + std::to_string(model.nu - kMaxNames) + " more";
  return "Controls of " + names + ".";
}

}  // namespace envpool::mujoco
