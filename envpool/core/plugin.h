// SPDX-License-Identifier: Apache-2.0
//
// Builds a plugin, a shared object that exports one symbol, from environments. Built-in families and users' compiled
// headers are built the same way:
//
//   #include "my_games/maze.h"
//   ENVPOOL_PLUGIN(envpool::table<Maze, "my_games/maze.h">())
//
// The path of the environment's header is relative to an include directory. Kernels for a device include that header;
// without the path, the environment cannot run on a device.
#pragma once

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

#include "envpool/core/table/contract.h"
#include "envpool/core/table/made_params.h"
#include "envpool/core/table/pure.h"
#include "envpool/core/table/vector_env.h"

namespace envpool {

// Runs `action` and converts exceptions into a status and a message, because exceptions must not cross the C table.
template <class Action>
i32 with_status(abi::TextSink error, Action&& action) noexcept {
  const auto failed = [&](std::string_view message) -> i32 {
    try {
      error.put(error.context, message.data(), i64(message.size()));
      return abi::kFailed;
    } catch (...) {
      return abi::kNoMemory;
    }
  };
  try {
    action();
    return abi::kDone;
  } catch (const std::bad_alloc&) {
    return abi::kNoMemory;
  } catch (const std::exception& caught) {
    return failed(caught.what());
  } catch (...) {
    return failed("threw something that is not a std::exception");
  }
}

template <class Env, class Contract>
struct TableOf;

template <class Env, class Contract>
struct PureTable {
  using Functions = PureFunctions<Env, Contract>;

  static i32 view(abi::TextSink json, abi::TextSink error) {
    return with_status(error, [&] {
      const std::string parts = Functions::view();
      json.put(json.context, parts.data(), i64(parts.size()));
    });
  }
  static i32 reset(void* model, const abi::PureWork* work, abi::TextSink error) {
    return with_status(error, [&] { Functions::reset(model, *work); });
  }
  static i32 step(void* model, const abi::PureWork* work, abi::TextSink error) {
    return with_status(error, [&] { Functions::step(model, *work); });
  }

  static constexpr abi::Pure kPure{
      .view = view,
      .state_bytes = Functions::state_bytes,
      .reset = reset,
      .step = step,
  };
};

template <class Env, class Contract>
struct TableOf {
  using Envs = VectorEnv<Env, Contract>;

  static Envs& cast(void* envs) { return *static_cast<Envs*>(envs); }

  static Spec spec_of(const typename Env::Params& params) {
    Spec spec;
    if constexpr (requires { Env::kMaxPlayers; }) spec.max_players = Env::kMaxPlayers;
    const i32 limit = spec.max_players;
    Env::spec(params, spec);
    if (spec.max_players < 1 || spec.max_players > limit) {
      throw std::logic_error("max_players: expected 1.." + std::to_string(limit) + ", got " +
                             std::to_string(spec.max_players));
    }
    return spec;
  }
  static void put(abi::TextSink text, const std::string& value) {
    text.put(text.context, value.data(), i64(value.size()));
  }

  static i32 describe(abi::TextSink json, abi::TextSink error) {
    return with_status(error, [&] { put(json, specs_of<Env>().json()); });
  }
  static i32 spec(const abi::Options* options, abi::TextSink json, abi::TextSink error) {
    return with_status(error,
                       [&] { put(json, spec_of(made_params<Env>(OptionValues(specs_of<Env>(), *options))).json()); });
  }
  static std::unique_ptr<Model<Env>> make_model(const abi::Options& options) {
    const OptionValues values(specs_of<Env>(), options);
    auto model = std::make_unique<Model<Env>>(Model<Env>{made_params<Env>(values), {}, {}});
    if constexpr (requires { Env::blob(values); }) {
      model->blob = Env::blob(values);
      model->params.blob = model->blob.data();
      if constexpr (requires { model->params.native; }) model->params.native = model->blob.native();
    }
    model->spec = spec_of(model->params);
    model->lay_out();
    model->layout.env_bytes = Envs::env_bytes(model->params);
    return model;
  }
  static i32 model_create(const abi::Options* options, void** model, abi::TextSink error) {
    return with_status(error, [&] { *model = make_model(*options).release(); });
  }
  static void model_destroy(void* model) { delete static_cast<Model<Env>*>(model); }
  static const abi::Layout* layout(void* model) { return &static_cast<Model<Env>*>(model)->layout; }
  static i32 create(const abi::Config* config, void** envs, abi::TextSink error) {
    return with_status(error, [&] { *envs = new Envs(*config); });
  }
  static void destroy(void* envs) { delete static_cast<Envs*>(envs); }
  static void seed(void* envs, i32 env_id, u64 seed, u32 stream) { cast(envs).seed(env_id, seed, stream); }
  static void reset(void* envs, const abi::Work* work) { cast(envs).reset(*work); }
  static void step(void* envs, const abi::Work* work) { cast(envs).step(*work); }
  static i64 save_size(void* envs, i32 env_id) { return cast(envs).save_size(env_id); }
  static i32 save(void* envs, i32 env_id, void* out, abi::TextSink error) {
    return with_status(error, [&] { cast(envs).save(env_id, out); });
  }
  static i32 load(void* envs, i32 env_id, const void* data, i64 size, abi::TextSink error) {
    return with_status(error, [&] { cast(envs).load(env_id, data, size); });
  }
  static i32 render(void* envs, i32 env_id, u8* rgb, abi::TextSink error) {
    return with_status(error, [&] { cast(envs).render(env_id, rgb); });
  }
  static i32 observe(void* envs, i32 env_id, const abi::ResultRows* rows, abi::TextSink error) {
    return with_status(error, [&] { cast(envs).observe(env_id, *rows); });
  }
  static i32 reset_options(void* envs, i32 env_id, const void* data, i64 size, abi::TextSink error) {
    return with_status(error, [&] { cast(envs).reset_options(env_id, data, size); });
  }
  static i32 tunables(void* model, const abi::Tunable** list, i32* count, abi::TextSink error) {
    return with_status(error, [&] {
      const std::vector<abi::Tunable>* all = &static_cast<const Model<Env>*>(model)->tunables;
      if constexpr (Envs::kPlain) all = &tunables_of<Env>();
      *list = all->data();
      *count = i32(all->size());
    });
  }
  static i32 set_options(void* envs, const i32* env_ids, i32 count, const i32* options, i32 num_options,
                         const f64* values, abi::TextSink error) {
    return with_status(error, [&] { cast(envs).set_options(env_ids, count, options, num_options, values); });
  }
  static void get_options(void* envs, i32 env_id, f64* values) { cast(envs).get_options(env_id, values); }

  static void cancel(void* envs) { cast(envs).cancel(); }

  static constexpr const char* no_snapshots() {
    if constexpr (requires { Env::kNoSnapshots; }) {
      return Env::kNoSnapshots;
    } else {
      return nullptr;
    }
  }
  static constexpr const abi::Pure* pure_functions() {
    if constexpr (std::is_same_v<Contract, HostContract<Env>>) {
      return nullptr;
    } else {
      return &PureTable<Env, Contract>::kPure;
    }
  }

  static constexpr abi::Table kTable{
      .abi = ENVPOOL_ABI,
      .flags = Contract::kFlags | (Envs::kRenders ? abi::kCanRender : 0u),
      .name = Env::kName,
      .describe = describe,
      .spec = spec,
      .model_create = model_create,
      .model_destroy = model_destroy,
      .layout = layout,
      .create = create,
      .destroy = destroy,
      .seed = seed,
      .reset = reset,
      .step = step,
      .save_size = save_size,
      .save = save,
      .load = load,
      .render = render,
      .observe = observe,
      .reset_options = Envs::kTakesResetOptions ? reset_options : nullptr,
      .tunables = Envs::kOptionsChange ? tunables : nullptr,
      .set_options = Envs::kOptionsChange ? set_options : nullptr,
      .get_options = Envs::kOptionsChange ? get_options : nullptr,
      .cancel = Envs::kCancels ? cancel : nullptr,
      .no_snapshots = no_snapshots(),
      .pure = pure_functions(),
      .device = nullptr,  // kTableOf sets it
  };
};

// A string literal as a template argument.
template <size_t kSize>
struct Literal {
  char text[kSize];
  consteval Literal(const char (&from)[kSize]) { std::copy(from, from + kSize, text); }
};

// The qualified name of a type, as the compiler prints it.
template <class Type>
struct TypeName {
  static consteval std::string_view view() {
    std::string_view text = __PRETTY_FUNCTION__;
    text.remove_prefix(text.find("Type = ") + 7);
    return text.substr(0, text.find_first_of(";]"));
  }
  static constexpr auto kText = [] {
    std::array<char, view().size() + 1> text{};
    for (size_t i = 0; i < view().size(); ++i) text[i] = view()[i];
    return text;
  }();
};

// The abi::Device of a portable environment.
template <class Env, class Contract, Literal kHeader>
struct DeviceOf {
  using Params = typename Env::Params;
  using Slot = EnvSlot<StateOf<Env>>;

  static i64 blob_at() {
    if constexpr (requires { &Params::blob; }) return offset_of(&Params::blob);
    return -1;
  }
  static i64 native_at() {
    if constexpr (requires { &Params::native; }) return offset_of(&Params::native);
    return -1;
  }
  static Model<Env>& cast(void* model) { return *static_cast<Model<Env>*>(model); }
  static i64 stride(void* model) { return slot_bytes<StateOf<Env>>(extra_bytes_of<Env>(cast(model).params)); }
  static i32 view(abi::TextSink json, abi::TextSink error) {
    return with_status(error, [&] {
      const std::string parts = named_parts<Env>(/*held=*/false);
      json.put(json.context, parts.data(), i64(parts.size()));
    });
  }
  static const void* params(void* model) { return &cast(model).params; }
  static const void* blob(void* model, i64* bytes) {
    *bytes = i64(cast(model).blob.size());
    return cast(model).blob.data();
  }
  static i32 change_options(void* params, i32* max_episode_steps, i32 env_id, const i32* options, i32 num_options,
                            const f64* values, abi::TextSink error) {
    return with_status(error, [&] {
      NextOptions<Env>::change(*static_cast<Params*>(params), *max_episode_steps, env_id, options, num_options, values);
    });
  }
  static void read_options(const void* params, i32 max_episode_steps, f64* values) {
    NextOptions<Env>::read(0, *static_cast<const Params*>(params), max_episode_steps, values);
  }
  static i32 use_params(void* envs, i32 env_id, const void* params, i32 max_episode_steps, abi::TextSink error) {
    return with_status(error, [&] {
      static_cast<VectorEnv<Env, Contract>*>(envs)->use(env_id, *static_cast<const Params*>(params), max_episode_steps);
    });
  }
  static inline const abi::Device kDevice{
      .header = kHeader.text,
      .type = TypeName<Env>::kText.data(),
      .world = std::is_same_v<Contract, WorldContract<Env>>,
      .large_rows = kHasLargeRows<Env>,
      .has_extra_bytes = requires(const Params& params) { Env::extra_bytes(params); },
      .state_at = offset_of(&Slot::state),
      .state_bytes = sizeof(StateOf<Env>),
      .params_bytes = sizeof(Params),
      .blob_at = blob_at(),
      .native_at = native_at(),
      .stride = stride,
      .view = view,
      .params = params,
      .blob = blob,
      .change_options = change_options,
      .read_options = read_options,
      .use_params = use_params,
  };
};

// The table of an environment, including its abi::Device.
template <class Env, class Contract, Literal kHeader>
inline constexpr abi::Table kTableOf = [] {
  abi::Table table = TableOf<Env, Contract>::kTable;
  if constexpr (!std::is_same_v<Contract, HostContract<Env>>) table.device = &DeviceOf<Env, Contract, kHeader>::kDevice;
  return table;
}();

// Returns the table of an environment that is written in any of the contracts. ENVPOOL_PLUGIN takes such tables.
template <class Env, Literal kHeader = "">
constexpr const abi::Table* table() {
  constexpr contract::ContractKind kKind = contract::contract_of<Env>();
  if constexpr (kKind == contract::ContractKind::kPortable) {
    return &kTableOf<Env, PortableContract<Env>, kHeader>;
  } else if constexpr (kKind == contract::ContractKind::kWorld) {
    return &kTableOf<Env, WorldContract<Env>, kHeader>;
  } else if constexpr (kKind == contract::ContractKind::kHost) {
    return &kTableOf<Env, HostContract<Env>, kHeader>;
  } else {
    return nullptr;
  }
}

}  // namespace envpool

#define ENVPOOL_PLUGIN(...)                                                                                \
  extern "C" __attribute__((visibility("default"))) const envpool::abi::Plugin* envpool_plugin() {         \
    static constexpr const envpool::abi::Table* tables[] = {__VA_ARGS__};                                  \
    static constexpr envpool::abi::Plugin plugin{ENVPOOL_ABI, sizeof(tables) / sizeof(tables[0]), tables}; \
    return &plugin;                                                                                        \
  }
