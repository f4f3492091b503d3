// SPDX-License-Identifier: Apache-2.0
//
// What jitted code names by a number: models and ports of pools. A thing lives while a Python object or a compiled
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

// Finds things by their numbers, of which none is used twice in a process.
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
  // Whether there is or was such a thing.
  bool given(i64 number) const { return number >= 0 && number < next_; }
  // Null where there is none, or none any more.
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

// Which of the layouts of xla_ffi.h's StateSet and StateGet the caller has; 0: none that we know. The size of Api says
// nothing: before jaxlib 0.6 it is said to be smaller than it is.
inline int state_layout(const Api& api) {
  const bool known = api.version.major == 0 && api.version.minor >= 1 && api.version.minor <= 3;
  return known ? api.version.minor : 0;
}

// Whether it was no error. An error that is not returned to XLA must be destroyed.
inline bool succeeded(const Api& api, Error* error) {
  if (error == nullptr) return true;
  ErrorDestroy destroy{sizeof(ErrorDestroy), nullptr, error};
  api.destroy_error(&destroy);
  return false;
}

// The number of our type of state in this process's XLA; it is 0 if XLA refused it.
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
  // This XLA's states have a layout that we do not know: it must not run into a thing that is gone.
  static std::mutex mutex;
  static auto* for_ever = new std::set<Shared>;
  const std::lock_guard lock(mutex);
  for_ever->insert(std::move(thing));
}

// The reference of the executable that runs; null if it was given none.
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

// What the attribute numbers. `gone` is the error where nothing refers to it any more.
template <class T>
std::shared_ptr<T> numbered(const Frame& frame, Numbered<T>& things, const char* attribute, const char* gone) {
  if (Shared kept = kept_by_program(frame.call())) return std::static_pointer_cast<T>(std::move(kept));
  std::shared_ptr<T> thing = things.find(frame.integer(attribute));
  if (thing == nullptr) throw std::runtime_error(gone);
  return thing;
}

// The handler's part when XLA makes an executable.
template <class T>
Error* instantiate(Call& call, Numbered<T>& things, const char* attribute, const char* gone) noexcept {
  return answer(call, kInstantiate, [&](const Frame& frame) {
    std::shared_ptr<T> thing = things.find(frame.integer(attribute));
    if (thing == nullptr) throw std::runtime_error(gone);
    keep_for_program(frame.call(), std::move(thing));
  });
}

// A handler's name and addresses; `instantiate` is null where executables keep nothing for it.
struct Registration {
  std::string name;
  Handler *execute, *instantiate;
};

}  // namespace envpool::xla
