// SPDX-License-Identifier: Apache-2.0
//
// Adds rendering to an environment of the family: render(), and observations of pixels with from_pixels=True.
//
// Env is a host environment (core/env.h) that has `Simulation& simulation()`, and `model` among its Params. CameraRule
// places its free camera (camera.h). Pixels are uint8 of shape (3 * frame_stack, height, width), with the oldest image
// first; at a reset all images are equal. They replace the environment's observation; its infos are unchanged.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool/core/api.h"
#include "envpool/mujoco/physics/simulation.h"
#include "envpool/mujoco/render/camera.h"
#include "envpool/mujoco/render/gl.h"
#include "envpool/mujoco/render/renderer.h"

namespace envpool::mujoco {

struct ImageParams {
  Camera camera;
  ImageSize size;
  i32 stack = 1;
  bool pixels = false;
  std::shared_ptr<Renderer> renderer;
  // With pixels: for each field of the environment, its index in our spec (-1 for observations), the bytes of its row,
  // and its offset in a scratch row.
  std::vector<i32> index;
  std::vector<i64> row_bytes, offset;
  i64 scratch_bytes = 0;

  i64 frame_bytes() const { return i64(3) * size.width * size.height; }
};

template <class Env, class CameraRule>
class Rendered : public Env {
 public:
  static constexpr i64 kSide = 480, kPixelSide = 84;  // sizes of gymnasium's images and EnvPool's pixel observations
  struct Params : Env::Params {
    ImageParams image;
  };

  static void options(OptionSpecs& o) {
    Env::options(o);
    o.boolean("from_pixels", false, "Observe pixels.").changes_shapes();
    bool has_stack = false;
    for (const OptionSpec& option : o.list) has_stack |= option.name == "frame_stack";
    if (!has_stack) {
      o.integer("frame_stack", 1, "Number of images in an observation of pixels.").between(1, 1000).changes_shapes();
    }
    o.integer("render_width", 0, "Width of an image; 0 means 480, or 84 with from_pixels.")
        .between(0, 8192)
        .changes_shapes();
    o.integer("render_height", 0, "Height of an image; 0 means 480, or 84 with from_pixels.")
        .between(0, 8192)
        .changes_shapes();
    o.integer("render_camera_id", -1, "Number of a camera of the model; -1 is the free camera.").between(-1, 1e9);
    o.text("camera_name", "", "Name of a camera of the model.");
    o.text("default_camera_config", "", "Settings of the free camera, such as 'distance=3 lookat=0,0,1'.");
    o.integer("max_geom", 1000, "Maximum number of geoms in an image.").between(1, 1000000);
    o.integer("shadow_size", -1,
              "Side of the shadow map; 0: no shadows, -1: the model's. Shadows take most of the time.")
        .between(-1, 16384);
    o.integer("antialias", -1, "Samples per pixel; 0: one, -1: the model's.").between(-1, 64);
    CameraRule::options(o);
  }

  static Params params(const OptionValues& o) {
    Params p{Env::params(o), {}};
    ImageParams& image = p.image;
    const mjModel* model = p.model.get();
    image.camera = CameraRule::free(model, Env::kName, o);
    adjust(image.camera, o.text("default_camera_config"));
    if (fixed_camera(model, o, image.camera.view)) image.camera.at_geoms = false;
    image.pixels = o.boolean("from_pixels");
    image.stack = i32(o.integer("frame_stack"));
    const auto side = [&](const char* name) {
      return o.integer(name) > 0 ? i32(o.integer(name)) : i32(image.pixels ? kPixelSide : kSide);
    };
    image.size.width = side("render_width");
    image.size.height = side("render_height");
    image.size.max_geoms = i32(o.integer("max_geom"));
    image.size.shadow_size = i32(o.integer("shadow_size"));
    image.size.samples = i32(o.integer("antialias"));
    image.renderer = std::make_shared<Renderer>(p.model, image.size);
    if (image.pixels) map_fields(p);
    return p;
  }

  static i64 heap_bytes(const Params& p) { return Env::heap_bytes(p) + frames_bytes(p.image); }

  static void spec(const Params& p, Spec& s) {
    s.render_height = p.image.size.height;
    s.render_width = p.image.size.width;
    if (!p.image.pixels) {
      Env::spec(p, s);
      return;
    }
    Spec own;
    Env::spec(p, own);
    s.render_fps = own.render_fps;
    s.actions = own.actions;
    s.obs<u8>("obs:pixels", {3 * p.image.stack, p.image.size.height, p.image.size.width}).bounds(0, 255);
    for (size_t i = 0; i < own.fields.size(); ++i) {
      if (!own.is_info[i]) continue;
      s.fields.push_back(own.fields[i]);
      s.is_info.push_back(true);
    }
  }

  explicit Rendered(const Params& params, i32 env_id) : Env(params, env_id), image_(params.image) {
    std::memcpy(lookat_, image_.camera.view.lookat, sizeof(lookat_));
    if (image_.pixels) require_gl();  // fails early, before a worker thread renders
    frames_.resize(size_t(frames_bytes(image_)));
    image_.renderer->attach();
  }
  ~Rendered() { image_.renderer->detach(); }

  void reset(Rng& rng) {
    Env::reset(rng);
    begun_ = true;
    const Simulation& sim = this->simulation();
    if (image_.camera.at_geoms) look_at_geoms(sim.model(), sim.data(), lookat_);
    first_ = true;
  }

  void observe(Row row) {
    if (!image_.pixels) return Env::observe(row);
    observe_infos(row);
    u8* out = row.at<u8>(0);
    const i64 frame = image_.frame_bytes();
    if (image_.stack == 1) return draw(Renderer::Order::kPlanes, out);
    u8* newest = frames_.data() + (image_.stack - 1) * frame;
    std::memmove(frames_.data(), frames_.data() + frame, size_t(newest - frames_.data()));
    draw(Renderer::Order::kPlanes, newest);
    for (i32 k = 0; first_ && k < image_.stack - 1; ++k) std::memcpy(frames_.data() + k * frame, newest, size_t(frame));
    first_ = false;
    std::memcpy(out, frames_.data(), frames_.size());
  }

  void render(u8* rgb) {
    if (!std::exchange(begun_, true)) this->simulation().forward();
    draw(Renderer::Order::kRowsOfPixels, rgb);
  }

  i64 save_size() const { return Env::save_size() + lookat_bytes() + i64(frames_.size()); }
  void save(void* out) const {
    u8* rest = static_cast<u8*>(out) + Env::save_size();
    Env::save(out);
    std::memcpy(rest, lookat_, size_t(lookat_bytes()));
    if (!frames_.empty()) std::memcpy(rest + lookat_bytes(), frames_.data(), frames_.size());
  }
  void load(const void* state, i64) {
    const u8* rest = static_cast<const u8*>(state) + Env::save_size();
    f64 lookat[3]{};
    std::memcpy(lookat, rest, size_t(lookat_bytes()));
    require_finite(lookat, 3, "the camera's lookat");
    Env::load(state, Env::save_size());
    begun_ = true;
    first_ = false;  // a saved state has already been observed
    std::memcpy(lookat_, rest, size_t(lookat_bytes()));
    if (!frames_.empty()) std::memcpy(frames_.data(), rest + lookat_bytes(), frames_.size());
  }

 private:
  static void map_fields(Params& p) {
    Spec own;
    Env::spec(p, own);
    i32 next = 1;
    for (size_t i = 0; i < own.fields.size(); ++i) {
      p.image.index.push_back(own.is_info[i] ? next++ : -1);
      p.image.row_bytes.push_back(own.fields[i].row_bytes());
      p.image.offset.push_back(p.image.scratch_bytes);
      if (!own.is_info[i]) p.image.scratch_bytes += (own.fields[i].row_bytes() + 7) / 8 * 8;
    }
  }

  // Returns the bytes of the images that are stored for stacked observations.
  static i64 frames_bytes(const ImageParams& p) { return p.pixels && p.stack > 1 ? p.frame_bytes() * p.stack : 0; }
  i64 lookat_bytes() const { return image_.camera.at_geoms ? i64(sizeof(lookat_)) : 0; }

  // Lets the environment write its infos into the row, and its observation into a scratch buffer.
  void observe_infos(Row row) {
    static thread_local std::vector<f64> scratch;
    static thread_local std::vector<void*> fields;
    scratch.resize(size_t(image_.scratch_bytes) / sizeof(f64));
    fields.resize(image_.index.size());
    for (size_t i = 0; i < fields.size(); ++i) {
      fields[i] =
          image_.index[i] >= 0 ? row.at<u8>(image_.index[i]) : reinterpret_cast<u8*>(scratch.data()) + image_.offset[i];
    }
    Env::observe(Row{fields.data(), image_.row_bytes.data(), 0});
  }

  void draw(Renderer::Order order, u8* out) {
    mjvCamera view = image_.camera.view;
    std::memcpy(view.lookat, lookat_, sizeof(lookat_));
    Simulation& sim = this->simulation();
    image_.renderer->render(sim.model(), sim.data(), view, order, out);
  }

  const ImageParams& image_;
  f64 lookat_[3];
  bool begun_ = false;  // positions have been computed, so that an image can be rendered
  bool first_ = true;   // the next observation is the first of its episode
  std::vector<u8> frames_;
};

}  // namespace envpool::mujoco
