// SPDX-License-Identifier: Apache-2.0

#include "envpool/mujoco/render/gl.h"

#include <cstdlib>
#include <mutex>
#include <string_view>

#include "envpool/core/pool/process.h"
#include "envpool/mujoco/render/gl_backends.h"

namespace envpool::mujoco {
namespace {

// As of when somebody first looked for OpenGL; not part of Found, whose making makes and destroys a context.
u32 first_generation() {
  static const u32 generation = fork_generation();
  return generation;
}

// What was found the first time that somebody looked. It is never taken down: a thread may still be drawing when the
// process ends.
struct Found {
  std::unique_ptr<GlBackend> backend;
  std::string why_not;

  Found() {
    first_generation();
    const char* variable = std::getenv("MUJOCO_GL");
    const std::string_view asked = variable == nullptr ? "" : variable;
    if (asked != "osmesa") try_one("EGL", open_egl);
    if (backend == nullptr && asked != "egl") try_one("OSMesa", open_osmesa);
  }

 private:
  void try_one(const char* name, std::unique_ptr<GlBackend> (*open)()) {
    try {
      backend = open();
    } catch (const std::exception& error) {
      why_not += std::string(why_not.empty() ? "" : "; ") + name + ": " + error.what();
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
    throw std::runtime_error("render: pictures need OpenGL, and there is none (" + it.why_not +
                             "): install Mesa, on Debian and Ubuntu with: apt-get install libegl1 libegl-mesa0 "
                             "libgl1-mesa-dri, or: apt-get install libosmesa6");
  }
  if (!gl_is_ours()) {
    throw std::runtime_error(
        "render: this process was forked from one that had drawn pictures, and OpenGL does not "
        "outlive that: start processes by 'spawn', or draw in the children alone");
  }
}

std::unique_ptr<GlContext> make_gl_context() {
  require_gl();
  return found().backend->make();
}

bool gl_is_ours() { return !forked_since(first_generation()); }

}  // namespace envpool::mujoco
