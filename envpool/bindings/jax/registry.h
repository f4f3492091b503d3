// SPDX-License-Identifier: Apache-2.0
//
// Registries of the objects that jitted code refers to by number: models, and entries of pools. An object lives while a
// Python object or an executable holds a reference to it. An executable gets its reference when XLA instantiates it,
// and XLA destroys the reference together with the executable.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "envpool/bindings/jax/frame.h"

namespace envpool::xla {

// A registry of weak references by number. A number is never reused within a process.
template <class T>
class Registry {
 public:
  struct Reference {
    i64 number;
    std::shared_ptr<T> object;
  };

  Reference add(std::unique_ptr<T> object) {
    const i64 number = next_++;
    std::shared_ptr<T> shared(object.release(), [this, number](T* last) {
      erase_entry(number);
      delete last;
    });
    const std::lock_guard lock(mutex_);
    objects_[number] = shared;
    return {number, std::move(shared)};
  }
  // Returns true if this number was ever handed out.
  bool was_issued(i64 number) const { return number >= 0 && number < next_; }
  // Returns null if the object does not exist or has been freed.
  std::shared_ptr<T> find(i64 number) {
    const std::lock_guard lock(mutex_);
    const auto entry = objects_.find(number);
    return entry == objects_.end() ? nullptr : entry->second.lock();
  }
  i64 size() {
    const std::lock_guard lock(mutex_);
    return i64(objects_.size());
  }

 private:
  void erase_entry(i64 number) {
    const std::lock_guard lock(mutex_);
    objects_.erase(number);
  }

  std::mutex mutex_;
  std::unordered_map<i64, std::weak_ptr<T>> objects_;
  std::atomic<i64> next_{0};
};

// A reference to a registered object. XLA holds a pointer to one for each executable.
using ObjectReference = std::shared_ptr<void>;

namespace detail {

inline void delete_shared(void* state) { delete static_cast<ObjectReference*>(state); }

// Returns the minor version that introduced the caller's layout of ffi.h's StateSet and StateGet, or 0 if it is
// unknown. The size of Api does not tell which, because jaxlib before 0.6 reports too small a size.
inline int state_layout(const Api& api) {
  const bool known = api.version.major == 0 && api.version.minor >= 1 && api.version.minor <= 5;
  return known ? std::min(api.version.minor, 3) : 0;
}

// Returns true if there was no error. An error that is not returned to XLA must be destroyed.
inline bool succeeded(const Api& api, Error* error) {
  if (error == nullptr) return true;
  ErrorDestroy destroy{sizeof(ErrorDestroy), nullptr, error};
  api.destroy_error(&destroy);
  return false;
}

// Returns the id of our state type, or null if XLA refused to register it. JAX's plugin for GPUs contains an XLA of its
// own, with its own ids.
inline TypeId* state_type(const Api& api) {
  const auto xla = reinterpret_cast<const void*>(api.register_type);
  static thread_local const void* last_xla = nullptr;
  static thread_local TypeId* last_id = nullptr;
  if (xla == last_xla) return last_id;
  static std::mutex mutex;
  static auto* ids = new std::map<const void*, std::unique_ptr<TypeId>>;  // by XLA; null if refused
  const std::lock_guard lock(mutex);
  const auto [known, added] = ids->try_emplace(xla);
  if (added) {
    static const TypeInfo info{sizeof(TypeInfo), nullptr, delete_shared};
    constexpr std::string_view name = "envpool::xla::SharedObject";
    auto id = std::make_unique<TypeId>(TypeId{0});
    TypeRegister with_info{sizeof(TypeRegister), nullptr, {name.data(), name.size()}, id.get(), &info};
    if (state_layout(api) == 1) with_info.struct_size = offsetof(TypeRegister, info);
    if (succeeded(api, api.register_type(&with_info))) known->second = std::move(id);
  }
  last_xla = xla;
  return last_id = known->second.get();
}

}  // namespace detail

// Stores a reference in the executable that is being instantiated.
inline void attach_to_executable(const Call& call, ObjectReference object) {
  const Api& api = *call.api;
  const int layout = detail::state_layout(api);
  TypeId* const type = layout == 0 ? nullptr : detail::state_type(api);
  if (type != nullptr) {
    auto own = std::make_unique<ObjectReference>(object);
    bool stored;
    if (layout == 3) {
      StagedStateSet set{sizeof(StagedStateSet), nullptr, call.context, call.stage, type, own.get()};
      stored = detail::succeeded(api, api.set_state(&set));
    } else {
      StateSet set{sizeof(StateSet), nullptr, call.context, type, own.get(), detail::delete_shared};
      stored = detail::succeeded(api, api.set_state(&set));
    }
    if (stored) {
      (void)own.release();
      return;
    }
  }
  // The state layout of this XLA is unknown. The object is leaked, because a running program must not lose it.
  static std::mutex mutex;
  static auto* leaked = new std::set<ObjectReference>;
  const std::lock_guard lock(mutex);
  leaked->insert(std::move(object));
}

// Returns the reference held by the running executable, or null if it has none.
inline ObjectReference attached_object(const Call& call) {
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
  return state == nullptr ? nullptr : *static_cast<const ObjectReference*>(state);
}

// Looks up the object that an attribute refers to. Throws with the text `error` if it has been freed.
template <class T>
std::shared_ptr<T> look_up(const CallFrame& frame, Registry<T>& registry, const char* attribute, const char* error) {
  if (ObjectReference attached = attached_object(frame.call())) return std::static_pointer_cast<T>(std::move(attached));
  std::shared_ptr<T> object = registry.find(frame.integer(attribute));
  if (object == nullptr) throw std::runtime_error(error);
  return object;
}

// Handles XLA's instantiate stage, which runs when an executable is made.
template <class T>
Error* instantiate(Call& call, Registry<T>& registry, const char* attribute, const char* error) noexcept {
  return run_handler(call, kInstantiate, [&](const CallFrame& frame) {
    std::shared_ptr<T> object = registry.find(frame.integer(attribute));
    if (object == nullptr) throw std::runtime_error(error);
    attach_to_executable(frame.call(), std::move(object));
  });
}

// A handler's name and entry points. Those of stages that it ignores are null.
struct Registration {
  std::string name;
  Handler *execute, *instantiate, *initialize = nullptr;
};

}  // namespace envpool::xla
