// SPDX-License-Identifier: Apache-2.0
//
// Models and ports of pools, which jitted code refers to by number. Each lives while a Python object or a compiled
// program refers to it. A program is given a reference of its own when XLA makes the executable, and XLA destroys that
// reference together with the executable.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "envpool/bindings/xla_frame.h"

namespace envpool::xla {

// A registry of weak references by number. A number is never reused within a process.
template <class T>
class Numbered {
 public:
  struct Reference {
    i64 number;
    std::shared_ptr<T> thing;
  };

  Reference add(std::unique_ptr<T> thing) {
    const i64 number = next_++;
    std::shared_ptr<T> shared(thing.release(), [this, number](T* last) {
      forget(number);
      delete last;
    });
    const std::lock_guard lock(mutex_);
    things_[number] = shared;
    return {number, std::move(shared)};
  }
  // Returns true if this number was ever handed out.
  bool given(i64 number) const { return number >= 0 && number < next_; }
  // Returns null if the object does not exist or has been freed.
  std::shared_ptr<T> find(i64 number) {
    const std::lock_guard lock(mutex_);
    const auto found = things_.find(number);
    return found == things_.end() ? nullptr : found->second.lock();
  }
  i64 size() {
    const std::lock_guard lock(mutex_);
    return i64(things_.size());
  }

 private:
  void forget(i64 number) {
    const std::lock_guard lock(mutex_);
    things_.erase(number);
  }

  std::mutex mutex_;
  std::unordered_map<i64, std::weak_ptr<T>> things_;
  std::atomic<i64> next_{0};
};

using Shared = std::shared_ptr<void>;  // what XLA holds for an executable is a pointer to one

namespace detail {

inline void delete_shared(void* state) { delete static_cast<Shared*>(state); }

// Returns which layout of xla_ffi.h's StateSet and StateGet the caller uses, or 0 if it is unknown. The size of Api
// says nothing: before jaxlib 0.6 it is said to be smaller than it is.
inline int state_layout(const Api& api) {
  const bool known = api.version.major == 0 && api.version.minor >= 1 && api.version.minor <= 3;
  return known ? api.version.minor : 0;
}

// Returns true if there was no error. An error that is not returned to XLA must be destroyed.
inline bool succeeded(const Api& api, Error* error) {
  if (error == nullptr) return true;
  ErrorDestroy destroy{sizeof(ErrorDestroy), nullptr, error};
  api.destroy_error(&destroy);
  return false;
}

// Returns the id of our state type in this process's XLA, or null if XLA refused to register it.
inline TypeId* state_type(const Api& api) {
  static TypeId id{0};
  static const bool registered = [&] {
    static const TypeInfo info{sizeof(TypeInfo), nullptr, delete_shared};
    constexpr std::string_view name = "envpool::xla::Shared";
    TypeRegister with_info{sizeof(TypeRegister), nullptr, {name.data(), name.size()}, &id, &info};
    if (state_layout(api) == 1) with_info.struct_size = offsetof(TypeRegister, info);
    return succeeded(api, api.register_type(&with_info));
  }();
  return registered ? &id : nullptr;
}

}  // namespace detail

// Gives the executable that is being made a reference.
inline void keep_for_program(const Call& call, Shared thing) {
  const Api& api = *call.api;
  const int layout = detail::state_layout(api);
  TypeId* const type = layout == 0 ? nullptr : detail::state_type(api);
  if (type != nullptr) {
    auto own = std::make_unique<Shared>(thing);
    bool kept;
    if (layout == 3) {
      StagedStateSet set{sizeof(StagedStateSet), nullptr, call.context, call.stage, type, own.get()};
      kept = detail::succeeded(api, api.set_state(&set));
    } else {
      StateSet set{sizeof(StateSet), nullptr, call.context, type, own.get(), detail::delete_shared};
      kept = detail::succeeded(api, api.set_state(&set));
    }
    if (kept) {
      (void)own.release();
      return;
    }
  }
  // This XLA's state layout is unknown to us, so the object is kept forever rather than freed under a running program.
  static std::mutex mutex;
  static auto* for_ever = new std::set<Shared>;
  const std::lock_guard lock(mutex);
  for_ever->insert(std::move(thing));
}

// Returns the reference held by the running executable, or null if it has none.
inline Shared kept_by_program(const Call& call) {
  const Api& api = *call.api;
  const int layout = detail::state_layout(api);
  TypeId* const type = layout == 0 ? nullptr : detail::state_type(api);
  if (type == nullptr) return nullptr;
  const void* state = nullptr;
  if (layout == 3) {
    StagedStateGet get{sizeof(StagedStateGet), nullptr, call.context, kInstantiate, type, nullptr};
    if (detail::succeeded(api, api.get_state(&get))) state = get.state;
  } else {
    StateGet get{sizeof(StateGet), nullptr, call.context, type, nullptr};
    if (detail::succeeded(api, api.get_state(&get))) state = get.state;
  }
  return state == nullptr ? nullptr : *static_cast<const Shared*>(state);
}

// Looks up the object that an attribute refers to. Throws with the text `gone` if it has been freed.
template <class T>
std::shared_ptr<T> numbered(const Frame& frame, Numbered<T>& things, const char* attribute, const char* gone) {
  if (Shared kept = kept_by_program(frame.call())) return std::static_pointer_cast<T>(std::move(kept));
  std::shared_ptr<T> thing = things.find(frame.integer(attribute));
  if (thing == nullptr) throw std::runtime_error(gone);
  return thing;
}

// Handles XLA's instantiate stage, which runs when an executable is made.
template <class T>
Error* instantiate(Call& call, Numbered<T>& things, const char* attribute, const char* gone) noexcept {
  return answer(call, kInstantiate, [&](const Frame& frame) {
    std::shared_ptr<T> thing = things.find(frame.integer(attribute));
    if (thing == nullptr) throw std::runtime_error(gone);
    keep_for_program(frame.call(), std::move(thing));
  });
}

// A handler's name and entry points; `instantiate` is null if executables hold no state for it.
struct Registration {
  std::string name;
  Handler *execute, *instantiate;
};

}  // namespace envpool::xla
