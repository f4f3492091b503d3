// SPDX-License-Identifier: Apache-2.0
//
// Draws a simulation. One renderer serves all environments of a pool: every thread that draws at a time has a context
// of its own, with the model's meshes and textures in it, which stays for whoever draws next.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "envpool/core/types.h"
#include "envpool/mujoco/physics/model.h"

namespace envpool::mujoco {

// How large a picture is, and how carefully it is drawn.
struct PictureSize {
  i32 width = 0, height = 0;
  i32 max_geoms = 1000;
  i32 shadow_size = -1, samples = -1;  // of the shadow map's side, and of a pixel; -1 is as the model has it
};

class Renderer {
 public:
  enum class Order { kRowsOfPixels, kPlanes };  // (height, width, 3) or (3, height, width)

  Renderer(SharedModel model, const PictureSize& size);
  ~Renderer();
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  // Contexts go when the last environment goes, which is when the pool is closed.
  void attach();
  void detach();

  // `model` is the shared one, or an environment's own variant of it, which may differ in numbers and in height fields.
  // Drawing leaves alone what the next steps depend on. Throws where there is no OpenGL.
  void render(const mjModel* model, mjData* data, const mjvCamera& camera, Order order, u8* out);

 private:
  struct Canvas;
  std::unique_ptr<Canvas> take();

  const SharedModel model_;
  const PictureSize size_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Canvas>> idle_;
  i32 users_ = 0;
};

}  // namespace envpool::mujoco
