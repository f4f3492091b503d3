// SPDX-License-Identifier: Apache-2.0

#include "envpool/mujoco/render/gl.h"

#include <cstdlib>
#include <mutex>
#include <string_view>

#include "envpool/core/system/resources.h"
#include "envpool/mujoco/render/gl_backends.h"

namespace envpool::mujoco {
namespace {

// Returns the fork generation at the first search for OpenGL. It is not a member of Found, because Found's constructor
// makes and destroys a context, which needs the generation.
u32 first_generation() {
  static const u32 generation = fork_generation();
  return generation;
}

// The result of the first search for OpenGL. It is never destroyed, because a thread may still be rendering when the
// process ends.
struct Found {
  std::unique_ptr<GlBackend> backend;
  std::string reasons;

  Found() {
    first_generation();
    const char* variable = std::getenv("MUJOCO_GL");
    const std::string_view requested = variable == nullptr ? "" : variable;
    if (requested != "osmesa") try_backend("EGL", open_egl);
    if (backend == nullptr && requested != "egl") try_backend("OSMesa", open_osmesa);
  }

 private:
  void try_backend(const char* name, std::unique_ptr<GlBackend> (*open)()) {
    try {
      backend = open();
    } catch (const std::exception& error) {
      reasons += std::string(reasons.empty() ? "" : "; ") + name + ": " + error.what();
    }
  }
};

Found& found() {
  static Found& only = *new Found;
  return only;
}

}  // namespace

void require_gl() {
  const Found& it = found();
  if (it.backend == nullptr) {
    throw std::runtime_error("render: rendering needs OpenGL, which was not found (" + it.reasons +
                             "): install Mesa, on Debian and Ubuntu with: apt-get install libegl1 libegl-mesa0 "
                             "libgl1-mesa-dri, or: apt-get install libosmesa6");
  }
  if (!gl_is_usable()) {
    throw std::runtime_error(
        "render: this process was forked after its parent had rendered, and OpenGL does not work after a fork: "
        "start processes by 'spawn', or render only in the children");
  }
}

std::unique_ptr<GlContext> make_gl_context() {
  require_gl();
  return found().backend->make();
}

bool gl_is_usable() { return !forked_since(first_generation()); }

}  // namespace envpool::mujoco
