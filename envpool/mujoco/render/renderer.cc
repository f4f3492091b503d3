// SPDX-License-Identifier: Apache-2.0

#include "envpool/mujoco/render/renderer.h"

#include <cstring>
#include <utility>

#include "envpool/mujoco/render/gl.h"

namespace envpool::mujoco {

// An OpenGL context with the model's data, and a scene. Only one thread uses it at a time.
struct Renderer::DrawingContext {
  std::unique_ptr<GlContext> gl = make_gl_context();
  mjvScene scene;
  mjrContext context;
  std::vector<u8> pixels;

  // Makes the context current during its lifetime.
  struct CurrentScope {
    GlContext& gl;
    explicit CurrentScope(GlContext& context) : gl(context) { gl.enter(); }
    ~CurrentScope() { gl.leave(); }
  };

  DrawingContext(const mjModel* model, const ImageSize& size) : pixels(size_t(3) * size.width * size.height) {
    mjv_defaultScene(&scene);
    mjr_defaultContext(&context);
    // The buffer has the size of the image, because clearing a buffer of the model's size would take most of the time.
    mjModel sized = *model;
    sized.vis.global.offwidth = size.width;
    sized.vis.global.offheight = size.height;
    if (size.shadow_size >= 0) sized.vis.quality.shadowsize = size.shadow_size;
    if (size.samples >= 0) sized.vis.quality.offsamples = size.samples;
    const CurrentScope scope(*gl);
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
  ~DrawingContext() {
    if (!gl_is_usable()) return;  // the process was forked
    try {
      const CurrentScope scope(*gl);
      free();
    } catch (const std::exception&) {
      mjv_freeScene(&scene);  // OpenGL may already be shut down when Python exits
    }
  }

  void free() {
    mjr_freeContext(&context);
    mjv_freeScene(&scene);
  }
};

Renderer::Renderer(SharedModel model, const ImageSize& size) : model_(std::move(model)), size_(size) {}

Renderer::~Renderer() = default;

void Renderer::attach() {
  const std::lock_guard lock(mutex_);
  ++users_;
}
void Renderer::detach() {
  const std::lock_guard lock(mutex_);
  if (--users_ == 0) idle_.clear();
}

std::unique_ptr<Renderer::DrawingContext> Renderer::acquire() {
  require_gl();
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<DrawingContext> drawing = std::move(idle_.back());
      idle_.pop_back();
      return drawing;
    }
  }
  static std::mutex creation;  // making the first context loads OpenGL's functions into global variables of MuJoCo
  const std::lock_guard lock(creation);
  return std::make_unique<DrawingContext>(model_.get(), size_);
}

void Renderer::render(const mjModel* model, mjData* data, const mjvCamera& camera, Order order, u8* out) {
  const i32 width = size_.width, height = size_.height;
  std::unique_ptr<DrawingContext> drawing = acquire();
  {
    const DrawingContext::CurrentScope scope(*drawing->gl);
    const mjrRect whole{0, 0, width, height};
    mjvOption option;
    mjvPerturb perturb;
    mjvCamera view = camera;
    guarded([&] {
      mjv_defaultOption(&option);
      option.flags[mjVIS_RANGEFINDER] = 0;  // as in dm_control; gymnasium's models have no rangefinders
      mjv_defaultPerturb(&perturb);
      // An environment can have its own height fields, which change between episodes.
      for (int i = 0; i < model->nhfield; ++i) mjr_uploadHField(model, &drawing->context, i);
      mjv_updateScene(model, data, &option, &perturb, &view, mjCAT_ALL, &drawing->scene);
      mjr_render(whole, &drawing->scene, &drawing->context);
      mjr_readPixels(drawing->pixels.data(), nullptr, whole, &drawing->context);
    });
  }
  // OpenGL's first row is the bottom one.
  const i64 row_bytes = i64(3) * width, plane = i64(width) * height;
  for (i64 y = 0; y < height; ++y) {
    const u8* from = drawing->pixels.data() + (height - 1 - y) * row_bytes;
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
  idle_.push_back(std::move(drawing));
}

}  // namespace envpool::mujoco
