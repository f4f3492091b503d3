// SPDX-License-Identifier: Apache-2.0
//
// Renders simulations. All environments of a pool share a renderer. Threads that render at the same time have separate
// contexts, each with the model's meshes and textures. Contexts are reused for later images.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "envpool/core/types.h"
#include "envpool/mujoco/physics/model.h"

namespace envpool::mujoco {

// The size and quality of images.
struct ImageSize {
  i32 width = 0, height = 0;
  i32 max_geoms = 1000;
  i32 shadow_size = -1, samples = -1;  // side of the shadow map, and samples per pixel; -1 for the model's value
};

class Renderer {
 public:
  enum class Order { kRowsOfPixels, kPlanes };  // (height, width, 3) or (3, height, width)

  Renderer(SharedModel model, const ImageSize& size);
  ~Renderer();
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  // The last detach(), which happens when the pool is closed, destroys the contexts.
  void attach();
  void detach();

  // `model` is the shared model, or an environment's copy with other values and height fields. Rendering does not
  // change the state on which later steps depend. Throws if there is no OpenGL.
  void render(const mjModel* model, mjData* data, const mjvCamera& camera, Order order, u8* out);

 private:
  struct DrawingContext;
  std::unique_ptr<DrawingContext> acquire();

  const SharedModel model_;
  const ImageSize size_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<DrawingContext>> idle_;
  i32 users_ = 0;
};

}  // namespace envpool::mujoco
