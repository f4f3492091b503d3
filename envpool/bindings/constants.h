// SPDX-License-Identifier: Apache-2.0
//
// Adds the engine's constants to the Python module as attributes: limits, values of enums, and the arrays that every
// environment has. Python reads them from here instead of repeating them.
#pragma once

#include <pybind11/pybind11.h>

#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "envpool/core/pool/block.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/table/spec.h"
#include "envpool/core/table/vtable.h"

namespace envpool::python {

constexpr i32 kMaxNumEnvs = 1 << 20;
constexpr i32 kMaxNumThreads = 1024;

inline void add_constants(pybind11::module_& module) {
  namespace py = pybind11;
  module.attr("MAX_NUM_ENVS") = kMaxNumEnvs;
  module.attr("MAX_NUM_THREADS") = kMaxNumThreads;
  module.attr("NO_STREAM") = kNoStream;
  for (const auto& [name, flag] : {std::pair{"PORTABLE", abi::kPortable},
                                   {"CAN_SNAPSHOT", abi::kCanSnapshot},
                                   {"CAN_RENDER", abi::kCanRender},
                                   {"BOUNDED", abi::kBounded}}) {
    module.attr(name) = u32(flag);
  }
  const auto numbers = [&](const char* name, auto entries) {
    py::dict dict;
    for (const auto& [key, number] : entries) dict[key] = i32(number);
    module.attr(name) = dict;
  };
  numbers("AUTORESET_MODES",
          std::initializer_list<std::pair<const char*, abi::Autoreset>>{{"next_step", abi::kAutoresetNextStep},
                                                                        {"same_step", abi::kAutoresetSameStep},
                                                                        {"disabled", abi::kAutoresetDisabled}});
  numbers("KEYED",
          std::initializer_list<std::pair<const char*, abi::Keyed>>{
              {"keep_key", abi::kKeepKey}, {"new_key", abi::kNewKey}, {"new_key_and_stream", abi::kNewKeyAndStream}});
  abi::Layout multi_player{};  // with more than one player, the array players.env_id exists too
  multi_player.max_players = 2;
  py::dict arrays;
  const BlockLayout layout(multi_player, 1, FinalFields::kNone, Failures::kNever, {.episode_return = true});
  for (const Array& array : layout.arrays) arrays[array.name.c_str()] = dtype_name(array.dtype);
  module.attr("COMMON_ARRAYS") = arrays;
}

}  // namespace envpool::python
