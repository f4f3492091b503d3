// SPDX-License-Identifier: Apache-2.0
//
// The parameter rows of pure functions (pure.h): from options to a row, and the change of a caller's row. The Params
// that the environment uses are computed from the row's values (param_values.h) and stored in the resolved row, which
// callers hold only with a signature (signature.h).
#pragma once

#include <cstring>
#include <stdexcept>

#include "envpool/core/table/param_values.h"

namespace envpool {

template <class Env>
struct PureParams {
  using Params = typename Env::Params;
  // Params comes after the head and the values of a resolved row.
  using Head = ParamsHead;
  static_assert(alignof(Params) <= 16, "rows start on 16 bytes");

  static const ParamValues& values() {
    static const ParamValues values = [] {
      OptionSpecs declared;
      Env::options(declared);
      return ParamValues(std::move(declared), Env::kName);
    }();
    return values;
  }
  static const OptionSpecs& specs() { return values().specs(); }
  static i64 rounded(i64 bytes) { return ParamValues::rounded(bytes); }
  static i64 values_bytes() { return values().values_bytes(); }
  static i64 params_bytes(void*) { return values().row_bytes(); }
  static i64 resolved_bytes(void* model) { return params_bytes(model) + rounded(sizeof(Params)); }

  static void params(void* model, const abi::Options& options, i32 max_episode_steps, u8* out) {
    const i64 offset = params_bytes(model);
    values().write(cast(model).tag, max_episode_steps, OptionValues(specs(), options), out);
    Params resolved = cast(model).params;
    if constexpr (requires { resolved.blob; }) resolved.blob = nullptr;
    if constexpr (requires { resolved.native; }) resolved.native = nullptr;
#if defined(__has_builtin) && __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&resolved);  // so that equal options give equal rows
#endif
    std::memset(out + offset, 0, size_t(resolved_bytes(model) - offset));
    std::memcpy(out + offset, &resolved, sizeof(Params));
  }

  template <class MakeModel>
  static void change_params(void* base_model, const u8* from, i64 row, const abi::Options& base, i32 count,
                            const i32* changed, const f64* new_values, u8* out, MakeModel&& make_model) {
    const ParamValues::Changed now =
        values().changed(cast(base_model).tag, from, row, base, count, changed, new_values);
    const abi::Options all{now.options.data(), i32(now.options.size())};
    auto model = make_model(all);
    if (!model->same_as(cast(base_model))) {
      throw std::invalid_argument(
          "params: expected the values that make() got for options that change array shapes or shared data, "
          "got other values");
    }
    params(model.get(), all, now.max_episode_steps, out);
    if (count == 0 && std::memcmp(out, from, size_t(params_bytes(base_model))) != 0) reject("params", row);
  }

 protected:
  static Model<Env>& cast(void* model) { return *static_cast<Model<Env>*>(model); }
  [[noreturn]] static void reject(const char* what, i64 row) { values().reject(what, row); }
};

}  // namespace envpool
