// SPDX-License-Identifier: Apache-2.0
//
// Implements the OpenGL backend with OSMesa, which renders into main memory.

#include "envpool/core/types.h"
#include "envpool/mujoco/render/gl_backends.h"

namespace envpool::mujoco {
namespace {

using Handle = void*;
constexpr i32 kRgba = 0x1908, kBytes = 0x1401, kType = 0x23;
constexpr i32 kSide = 16;  // side of the window, which is unused because images have their own buffers

struct OsMesa final : GlBackend {
  Library library{"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"};
  Handle (*create)(unsigned, i32, i32, i32, Handle);
  void (*destroy)(Handle);
  u8 (*make_current)(Handle, void*, unsigned, i32, i32);
  Handle (*current)();
  u8 (*color_buffer)(Handle, i32*, i32*, i32*, void**);
  void (*get_integer)(i32, i32*);

  OsMesa() {
    library.find(create, "OSMesaCreateContextExt");
    library.find(destroy, "OSMesaDestroyContext");
    library.find(make_current, "OSMesaMakeCurrent");
    library.find(current, "OSMesaGetCurrentContext");
    library.find(color_buffer, "OSMesaGetColorBuffer");
    library.find(get_integer, "OSMesaGetIntegerv");
    make();  // throws if no context can be made
  }
  std::unique_ptr<GlContext> make() override;
};

class OsMesaContext final : public GlContext {
 public:
  OsMesaContext(OsMesa& mesa, Handle context) : mesa_(mesa), context_(context) {}
  ~OsMesaContext() override {
    if (gl_is_usable()) mesa_.destroy(context_);
  }
  void enter() override {
    previous_ = mesa_.current();
    i32 format = 0;
    buffer_ = nullptr;
    if (previous_ != nullptr) {
      mesa_.color_buffer(previous_, &width_, &height_, &format, &buffer_);
      mesa_.get_integer(kType, &type_);
    }
    if (!mesa_.make_current(context_, window_, kBytes, kSide, kSide)) {
      throw std::runtime_error("render: OSMesa cannot make its context current");
    }
  }
  void leave() override {
    if (previous_ == nullptr || buffer_ == nullptr ||
        !mesa_.make_current(previous_, buffer_, unsigned(type_), width_, height_)) {
      mesa_.make_current(nullptr, nullptr, kBytes, 0, 0);
    }
  }

 private:
  OsMesa& mesa_;
  Handle context_, previous_ = nullptr;
  void* buffer_ = nullptr;
  i32 width_ = 0, height_ = 0, type_ = 0;
  u8 window_[kSide * kSide * 4];
};

std::unique_ptr<GlContext> OsMesa::make() {
  const Handle context = create(kRgba, 24, 8, 0, nullptr);
  if (context == nullptr) throw std::runtime_error("render: OSMesa cannot make a context");
  return std::make_unique<OsMesaContext>(*this, context);
}

}  // namespace

std::unique_ptr<GlBackend> open_osmesa() { return std::make_unique<OsMesa>(); }

}  // namespace envpool::mujoco
