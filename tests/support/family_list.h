// SPDX-License-Identifier: Apache-2.0
//
// Turns the list of tables in a family's plugin.cc into a list of functions for tests. A test library includes this
// file, defines a function `table` and its result type in a namespace, redefines ENVPOOL_PLUGIN, and includes
// plugin.cc:
//
//   #undef ENVPOOL_PLUGIN
//   #define ENVPOOL_PLUGIN(...) ENVPOOL_FAMILY_ENVIRONMENTS(envpool::box2d, ReplayFunctions, __VA_ARGS__)
//   #include "envpool/box2d/plugin.cc"
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "envpool/core/plugin.h"

// Defines of_family::kEnvironments in the namespace `space`. There, envpool::table in the list means space::table.
#define ENVPOOL_FAMILY_ENVIRONMENTS(space, Type, ...)    \
  namespace space::of_family {                           \
  namespace envpool = ::space;                           \
  static constexpr Type kEnvironments[] = {__VA_ARGS__}; \
  }

namespace envpool::testing {

// Returns the element of a list that has this name.
template <class Type, std::size_t kCount>
const Type& environment_named(const char* name, const Type (&environments)[kCount]) {
  for (const Type& environment : environments) {
    if (std::string(environment.name) == name) return environment;
  }
  throw std::invalid_argument(std::string("no environment of this family is named ") + name);
}

// Returns the parameters of an environment without a blob.
template <class Env>
typename Env::Params params_of(const abi::Options* options) {
  OptionSpecs specs;
  Env::options(specs);
  return made_params<Env>(OptionValues(specs, *options));
}

}  // namespace envpool::testing
