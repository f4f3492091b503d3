// SPDX-License-Identifier: Apache-2.0

#include "envpool/mujoco/render/renderer.h"

#include <cstring>
#include <utility>

#include "envpool/mujoco/render/gl.h"

namespace envpool::mujoco {

// A context with the model in it, and room for a scene. One thread uses it at a time.
struct Renderer::Canvas {
  std::unique_ptr<GlContext> gl = make_gl_context();
  mjvScene scene;
  mjrContext context;
  std::vector<u8> pixels;

  // Within its life the canvas is the thread's.
  struct Entered {
    GlContext& gl;
    explicit Entered(GlContext& context) : gl(context) { gl.enter(); }
    ~Entered() { gl.leave(); }
  };

  Canvas(const mjModel* model, const PictureSize& size) : pixels(size_t(3) * size.width * size.height) {
    mjv_defaultScene(&scene);
    mjr_defaultContext(&context);
    // The buffer is as large as the picture: with the size that the model asks for, most of the time goes into clearing
    // it. MuJoCo reads nothing else of this copy that the model does not have.
    mjModel sized = *model;
    sized.vis.global.offwidth = size.width;
    sized.vis.global.offheight = size.height;
    if (size.shadow_size >= 0) sized.vis.quality.shadowsize = size.shadow_size;
    if (size.samples >= 0) sized.vis.quality.offsamples = size.samples;
    const Entered entered(*gl);
    try {
      guarded([&] {
        mjv_makeScene(model, &scene, size.max_geoms);
        if (sized.vis.quality.shadowsize == 0) scene.flags[mjRND_SHADOW] = 0;
        mjr_makeContext(&sized, &context, mjFONTSCALE_150);
        mjr_setBuffer(mjFB_OFFSCREEN, &context);
      });
      if (context.currentBuffer != mjFB_OFFSCREEN) throw std::runtime_error("render: OpenGL has no offscreen buffer");
    } catch (...) {
      free();
      throw;
    }
  }
  ~Canvas() {
    if (!gl_is_ours()) return;  // a fork of the process that made it
    try {
      const Entered entered(*gl);
      free();
    } catch (const std::exception&) {
      mjv_freeScene(&scene);  // somebody took OpenGL down before us, as Python does at its end
    }
  }

  void free() {
    mjr_freeContext(&context);
    mjv_freeScene(&scene);
  }
};

Renderer::Renderer(SharedModel model, const PictureSize& size) : model_(std::move(model)), size_(size) {}

Renderer::~Renderer() = default;

void Renderer::attach() {
  const std::lock_guard lock(mutex_);
  ++users_;
}
void Renderer::detach() {
  const std::lock_guard lock(mutex_);
  if (--users_ == 0) idle_.clear();
}

std::unique_ptr<Renderer::Canvas> Renderer::take() {
  require_gl();
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Canvas> canvas = std::move(idle_.back());
      idle_.pop_back();
      return canvas;
    }
  }
  static std::mutex making;  // MuJoCo looks OpenGL's functions up when the first is made
  const std::lock_guard lock(making);
  return std::make_unique<Canvas>(model_.get(), size_);
}

void Renderer::render(const mjModel* model, mjData* data, const mjvCamera& camera, Order order, u8* out) {
  const i32 width = size_.width, height = size_.height;
  std::unique_ptr<Canvas> canvas = take();
  {
    const Canvas::Entered entered(*canvas->gl);
    const mjrRect whole{0, 0, width, height};
    mjvOption option;
    mjvPerturb perturb;
    mjvCamera view = camera;
    guarded([&] {
      mjv_defaultOption(&option);
      option.flags[mjVIS_RANGEFINDER] = 0;  // dm_control's pictures have no rays, and no model of gymnasium's has them
      mjv_defaultPerturb(&perturb);
      // Height fields can be an environment's own, and new in each episode.
      for (int i = 0; i < model->nhfield; ++i) mjr_uploadHField(model, &canvas->context, i);
      mjv_updateScene(model, data, &option, &perturb, &view, mjCAT_ALL, &canvas->scene);
      mjr_render(whole, &canvas->scene, &canvas->context);
      mjr_readPixels(canvas->pixels.data(), nullptr, whole, &canvas->context);
    });
  }
  // OpenGL's first row is the lowest.
  const i64 row_bytes = i64(3) * width, plane = i64(width) * height;
  for (i64 y = 0; y < height; ++y) {
    const u8* from = canvas->pixels.data() + (height - 1 - y) * row_bytes;
    if (order == Order::kRowsOfPixels) {
      std::memcpy(out + y * row_bytes, from, size_t(row_bytes));
      continue;
    }
    u8* to = out + y * width;
    for (i64 x = 0; x < width; ++x) {
      for (i64 color = 0; color < 3; ++color) to[color * plane + x] = from[3 * x + color];
    }
  }
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(canvas));
}

}  // namespace envpool::mujoco
