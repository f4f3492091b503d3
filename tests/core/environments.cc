// SPDX-License-Identifier: Apache-2.0
//
// The tables of environments.h. All tests of the pool link to them, so that each test need not compile its own.
#include "tests/core/environments.h"

namespace envpool {

template <>
const abi::Table* table<testing::SumEnv>() {
  return &kTableOf<testing::SumEnv, PortableContract<testing::SumEnv>, "">;
}
template <>
const abi::Table* table<testing::VaryingPlayersEnv>() {
  return &kTableOf<testing::VaryingPlayersEnv, WorldContract<testing::VaryingPlayersEnv>, "">;
}
template <>
const abi::Table* table<testing::SizedWorldEnv>() {
  return &kTableOf<testing::SizedWorldEnv, WorldContract<testing::SizedWorldEnv>, "">;
}
template <>
const abi::Table* table<testing::FaultyEnv>() {
  return &kTableOf<testing::FaultyEnv, HostContract<testing::FaultyEnv>, "">;
}

}  // namespace envpool
