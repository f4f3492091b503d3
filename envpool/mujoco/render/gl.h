// SPDX-License-Identifier: Apache-2.0
//
// OpenGL without a window: EGL, or OSMesa where that is what there is. Both are looked for when the first picture is
// drawn, so that nothing of OpenGL is needed to build or to load this family. The environment variables MUJOCO_GL (egl
// or osmesa) and MUJOCO_EGL_DEVICE_ID choose, as they do for MuJoCo's Python package.
#pragma once

#include <memory>

namespace envpool::mujoco {

class GlContext {
 public:
  GlContext() = default;
  virtual ~GlContext() = default;  // it is current in no thread then
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;

  // Becomes the calling thread's context. Throws where it cannot.
  virtual void enter() = 0;
  // The thread has again what it had before enter(): a context of the user's, or none.
  virtual void leave() = 0;
};

// Throws std::runtime_error that says what to install; or that the process is a fork of one that drew pictures, whose
// OpenGL has lost its threads.
void require_gl();
std::unique_ptr<GlContext> make_gl_context();
// Whether contexts that were made may still be used, and destroyed.
bool gl_is_ours();

}  // namespace envpool::mujoco
