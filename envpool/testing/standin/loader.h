// SPDX-License-Identifier: Apache-2.0
#ifndef ENVPOOL_TESTING_STANDIN_LOADER_H_
#define ENVPOOL_TESTING_STANDIN_LOADER_H_

#include <string>

#include "module.h"

namespace standin {

struct Loaded {
  const ModuleTable* table = nullptr;
  std::string refusal;  // why there is none: what the translator or the C compiler says
};

// Translates PTX into C, compiles it and loads that. What was compiled before is taken from a folder of the user's
// below $ENVPOOL_STANDIN_CACHE, $TMPDIR or /tmp. `python3` and `cc` are called, or what ENVPOOL_STANDIN_PYTHON and
// ENVPOOL_STANDIN_CC name. With `races`, kernels look for races between their threads.
Loaded load(const std::string& ptx, bool races);

}  // namespace standin

#endif  // ENVPOOL_TESTING_STANDIN_LOADER_H_
