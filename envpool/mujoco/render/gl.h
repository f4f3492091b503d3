// SPDX-License-Identifier: Apache-2.0
//
// Provides OpenGL without a window, by EGL or, if that does not work, by OSMesa. The library is loaded when the first
// image is rendered, so this family can be built and loaded without OpenGL. The environment variables MUJOCO_GL (egl or
// osmesa) and MUJOCO_EGL_DEVICE_ID have the same meaning as for MuJoCo's Python package.
#pragma once

#include <memory>

namespace envpool::mujoco {

class GlContext {
 public:
  GlContext() = default;
  virtual ~GlContext() = default;  // the context must not be current in any thread
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;

  // Makes the context current in the calling thread. Throws if that fails.
  virtual void enter() = 0;
  // Restores the context that was current before enter(), if any.
  virtual void leave() = 0;
};

// Throws std::runtime_error if OpenGL was not found, with a message that says what to install. Also throws if the
// process was forked after its parent had rendered, because OpenGL's threads do not survive a fork.
void require_gl();
std::unique_ptr<GlContext> make_gl_context();
// Returns whether existing contexts may be used and destroyed. After a fork they may not.
bool gl_is_usable();

}  // namespace envpool::mujoco
