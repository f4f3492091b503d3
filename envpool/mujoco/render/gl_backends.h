// SPDX-License-Identifier: Apache-2.0
//
// The two implementations of OpenGL from which gl.cc chooses.
#pragma once

#include <dlfcn.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "envpool/mujoco/render/gl.h"

namespace envpool::mujoco {

struct GlBackend {
  virtual ~GlBackend() = default;
  virtual std::unique_ptr<GlContext> make() = 0;
};

// Throw std::runtime_error with the reason if OpenGL is not available. The backends are never destroyed.
std::unique_ptr<GlBackend> open_egl();
std::unique_ptr<GlBackend> open_osmesa();

// A library that is opened at run time and closed by the destructor.
class Library {
 public:
  explicit Library(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if ((handle_ = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) != nullptr) return;
    }
    throw std::runtime_error(std::string("cannot load ") + *names.begin());
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
    if (function == nullptr) throw std::runtime_error(std::string("it has no function ") + name);
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace envpool::mujoco
