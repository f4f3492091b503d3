// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_STANDIN_LOADER_H_
#define TESTS_STANDIN_LOADER_H_

#include <string>

#include "module.h"

namespace standin {

// ENVPOOL_STANDIN_MODE, as libcuda.cc describes it.
enum class Mode { kStrict, kFlat, kRaces, kSectors, kCoherent };

struct Loaded {
  const ModuleTable* table = nullptr;
  std::string refusal;  // if `table` is null: the message of the translator or of the C compiler
};

// Translates PTX into C, compiles it and loads the result. Compiled modules are kept in $ENVPOOL_STANDIN_CACHE or, by
// default, in a folder of the user in $TMPDIR or /tmp. ENVPOOL_STANDIN_PYTHON and ENVPOOL_STANDIN_CC name programs to
// call instead of `python3` and `cc`. Kernels contain the code of the mode.
Loaded load(const std::string& ptx, Mode mode);

}  // namespace standin

#endif  // TESTS_STANDIN_LOADER_H_
