// SPDX-License-Identifier: Apache-2.0
//
// Implements the OpenGL backend with EGL on a device, without a surface. The few necessary types and constants are
// declared here, so that the build needs no EGL headers.

#include <cstdio>
#include <cstdlib>

#include "envpool/core/types.h"
#include "envpool/mujoco/render/gl_backends.h"

namespace envpool::mujoco {
namespace {

using Handle = void*;  // a display, a device, a configuration, a context or a surface
constexpr unsigned kOpenGl = 0x30A2, kPlatformDevice = 0x313F, kPlatformSurfaceless = 0x31DD;
constexpr i32 kDraw = 0x3059, kRead = 0x305A;
// The attributes that MuJoCo's Python package requests: 8 bits per colour, 24 bits of depth, 8 bits of stencil, an RGB
// pbuffer, and desktop OpenGL.
constexpr i32 kAttributes[] = {0x3024, 8, 0x3023, 8,      0x3022, 8,      0x3021, 8,      0x3025, 24,
                               0x3026, 8, 0x303F, 0x308E, 0x3033, 0x0001, 0x3040, 0x0008, 0x3038};

struct Egl final : GlBackend {
  Library library{"libEGL.so.1", "libEGL.so"};
  void* (*get_proc_address)(const char*);
  unsigned (*initialize)(Handle, i32*, i32*);
  unsigned (*bind_api)(unsigned);
  unsigned (*query_api)();
  unsigned (*choose_config)(Handle, const i32*, Handle*, i32, i32*);
  Handle (*create_context)(Handle, Handle, Handle, const i32*);
  unsigned (*destroy_context)(Handle, Handle);
  unsigned (*make_current)(Handle, Handle, Handle, Handle);
  Handle (*get_current_context)();
  Handle (*get_current_display)();
  Handle (*get_current_surface)(i32);
  Handle (*get_display)(Handle);
  i32 (*get_error)();

  Handle display = nullptr, config = nullptr;

  Egl() {
    library.find(get_proc_address, "eglGetProcAddress");
    library.find(initialize, "eglInitialize");
    library.find(bind_api, "eglBindAPI");
    library.find(query_api, "eglQueryAPI");
    library.find(choose_config, "eglChooseConfig");
    library.find(create_context, "eglCreateContext");
    library.find(destroy_context, "eglDestroyContext");
    library.find(make_current, "eglMakeCurrent");
    library.find(get_current_context, "eglGetCurrentContext");
    library.find(get_current_display, "eglGetCurrentDisplay");
    library.find(get_current_surface, "eglGetCurrentSurface");
    library.find(get_display, "eglGetDisplay");
    library.find(get_error, "eglGetError");
    open_display();
    if (display == nullptr) throw std::runtime_error("it has no display on any device (is a driver installed?)");
    i32 count = 0;
    if (!choose_config(display, kAttributes, &config, 1, &count) || count < 1) {
      throw std::runtime_error("it has no desktop OpenGL");
    }
    make();  // throws if no context can be made
  }

  std::unique_ptr<GlContext> make() override;

 private:
  bool try_display(Handle candidate) {
    if (candidate == nullptr || !initialize(candidate, nullptr, nullptr)) return false;
    display = candidate;
    return true;
  }
  // Opens the requested device. If none is requested, opens the first of these that works: a device, Mesa without a
  // device, the default display.
  void open_display() {
    using Platform = Handle (*)(unsigned, void*, const i32*);
    using Devices = unsigned (*)(i32, Handle*, i32*);
    const auto get_platform_display = reinterpret_cast<Platform>(get_proc_address("eglGetPlatformDisplayEXT"));
    const auto query = reinterpret_cast<Devices>(get_proc_address("eglQueryDevicesEXT"));
    const char* requested = std::getenv("MUJOCO_EGL_DEVICE_ID");
    Handle devices[32];
    i32 count = 0;
    if (get_platform_display != nullptr && query != nullptr && query(32, devices, &count)) {
      char* end = nullptr;
      const long number = requested == nullptr ? 0 : std::strtol(requested, &end, 10);
      if (requested != nullptr && (end == requested || *end != 0 || number < 0 || number >= count)) {
        throw std::runtime_error("MUJOCO_EGL_DEVICE_ID: expected a number below " + std::to_string(count) + ", got " +
                                 requested);
      }
      for (i32 i = i32(number); i < (requested == nullptr ? count : i32(number) + 1); ++i) {
        if (try_display(get_platform_display(kPlatformDevice, devices[i], nullptr))) return;
      }
    }
    if (requested != nullptr) return;
    if (get_platform_display != nullptr && try_display(get_platform_display(kPlatformSurfaceless, nullptr, nullptr)))
      return;
    try_display(get_display(nullptr));
  }
};

class EglContext final : public GlContext {
 public:
  EglContext(Egl& egl, Handle context) : egl_(egl), context_(context) {}
  ~EglContext() override {
    if (gl_is_usable()) egl_.destroy_context(egl_.display, context_);
  }
  void enter() override {
    api_ = egl_.query_api();
    egl_.bind_api(kOpenGl);
    previous_ = egl_.get_current_context();
    display_ = egl_.get_current_display();
    draw_ = egl_.get_current_surface(kDraw);
    read_ = egl_.get_current_surface(kRead);
    if (!egl_.make_current(egl_.display, nullptr, nullptr, context_)) {
      char code[16];
      std::snprintf(code, sizeof(code), "0x%X", unsigned(egl_.get_error()));
      egl_.bind_api(api_);
      throw std::runtime_error(std::string("render: EGL cannot make its context current, error ") + code);
    }
  }
  void leave() override {
    if (previous_ == nullptr || !egl_.make_current(display_, draw_, read_, previous_)) {
      egl_.make_current(egl_.display, nullptr, nullptr, nullptr);
    }
    egl_.bind_api(api_);
  }

 private:
  Egl& egl_;
  Handle context_, previous_ = nullptr, display_ = nullptr, draw_ = nullptr, read_ = nullptr;
  unsigned api_ = 0;
};

std::unique_ptr<GlContext> Egl::make() {
  const unsigned api = query_api();
  bind_api(kOpenGl);
  const Handle context = create_context(display, config, nullptr, nullptr);
  bind_api(api);
  if (context == nullptr) throw std::runtime_error("render: EGL cannot make a context");
  return std::make_unique<EglContext>(*this, context);
}

}  // namespace

std::unique_ptr<GlBackend> open_egl() { return std::make_unique<Egl>(); }

}  // namespace envpool::mujoco
