// SPDX-License-Identifier: Apache-2.0
//
// Builds a family from shared objects, one for each environment. `make dev` compiles families in this way, so that an
// edit compiles only some of them (envpool_split_family in cmake/targets.cmake writes the sources).
#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "envpool/core/plugin.h"
#include "tests/support/functions.h"

#define ENVPOOL_EXPORT extern "C" __attribute__((visibility("default")))

// In the environment's shared object.
#define ENVIRONMENT_TABLE(...) \
  ENVPOOL_EXPORT const void* environment_table() { return __VA_ARGS__; }
#define ENVIRONMENT_FUNCTIONS(...)                                        \
  ENVPOOL_EXPORT const void* environment_functions() {                    \
    static constexpr envpool::testing::FunctionTable table = __VA_ARGS__; \
    return &table;                                                        \
  }

// In the family's plugin.
#define SPLIT_TABLES(...)                                                                              \
  ENVPOOL_EXPORT const envpool::abi::Plugin* envpool_plugin() {                                        \
    using envpool::testing::split_table;                                                               \
    static const envpool::abi::Table* tables[] = {__VA_ARGS__};                                        \
    static const envpool::abi::Plugin plugin{ENVPOOL_ABI, sizeof(tables) / sizeof(tables[0]), tables}; \
    return &plugin;                                                                                    \
  }
// In the library of the family's functions (functions.cc).
#define SPLIT_FUNCTIONS(...)                                  \
  namespace envpool::testing::of_family {                     \
  static const FunctionTable kEnvironments[] = {__VA_ARGS__}; \
  }

namespace envpool::testing {

// Loads an environment's shared object and calls one of its functions.
inline const void* call_library(const char* path, const char* function) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  void* const symbol = dlsym(library, function);
  if (symbol == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<const void* (*)()>(symbol)();
}

inline const abi::Table* split_table(const char* path) {
  return static_cast<const abi::Table*>(call_library(path, "environment_table"));
}

inline const FunctionTable& split_functions(const char* path) {
  return *static_cast<const FunctionTable*>(call_library(path, "environment_functions"));
}

}  // namespace envpool::testing
