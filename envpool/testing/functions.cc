// SPDX-License-Identifier: Apache-2.0
//
// Exports the environments of one family to tests as C functions (functions.h). This file is compiled once for each
// family, and the macro ENVPOOL_FAMILY_LIST names the family's plugin.cc. Below, plugin.cc is included in a namespace
// in which its list of tables becomes a list of these functions, so every environment in the list is exported.
#include "envpool/testing/functions.h"
#include "envpool/core/plugin.h"

#undef ENVPOOL_PLUGIN
// In this namespace, envpool::table in the list means the function `table` of functions.h.
#define ENVPOOL_PLUGIN(...)                                                           \
  namespace envpool::testing::of_family {                                             \
  namespace envpool = ::envpool::testing;                                             \
  static constexpr ::envpool::testing::FunctionTable kEnvironments[] = {__VA_ARGS__}; \
  }
#include ENVPOOL_FAMILY_LIST

namespace {

const envpool::testing::FunctionTable& find(const char* name) {
  for (const auto& environment : envpool::testing::of_family::kEnvironments) {
    if (std::string(environment.name) == name) return environment;
  }
  throw std::invalid_argument(std::string("no environment of this family is named ") + name);
}

}  // namespace

extern "C" {

using namespace envpool;

i64 test_stride(const char* name, const abi::Options* options) { return find(name).stride(options); }
void test_reset(const char* name, const abi::Options* options, u64 seed, u32 episode, u8* states, i64 n) {
  find(name).reset(options, seed, episode, states, n);
}
void test_step(const char* name, const abi::Options* options, u64 seed, u8* states, const void* actions, f32* rewards,
               u8* terminated, i64 n) {
  find(name).step(options, seed, states, actions, rewards, terminated, n);
}
void test_observe(const char* name, const abi::Options* options, u8* states, void* const* fields, i64 n) {
  find(name).observe(options, states, fields, n);
}
void test_render(const char* name, const abi::Options* options, u8* state, u8* rgb) {
  find(name).render(options, state, rgb);
}

// Returns the offset of the State in a snapshot.
i64 test_episode_size() { return sizeof(Episode); }

}  // extern "C"
