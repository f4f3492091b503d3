// SPDX-License-Identifier: Apache-2.0
//
// Exports the environments of one family to tests as C functions (functions.h). This file is compiled once for each
// family, and the macro ENVPOOL_FAMILY_LIST names the family's plugin.cc. family_list.h turns its list of tables into a
// list of these functions, so every environment in the list is exported.
#include "tests/support/functions.h"

#include "envpool/core/plugin.h"
#include "tests/support/family_list.h"

#undef ENVPOOL_PLUGIN
#define ENVPOOL_PLUGIN(...) ENVPOOL_FAMILY_ENVIRONMENTS(envpool::testing, FunctionTable, __VA_ARGS__)
#include ENVPOOL_FAMILY_LIST

namespace {

const envpool::testing::FunctionTable& find(const char* name) {
  return envpool::testing::environment_named(name, envpool::testing::of_family::kEnvironments);
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
