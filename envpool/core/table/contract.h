// SPDX-License-Identifier: Apache-2.0
//
// Determines which of the contracts of env.h a struct implements. A missing member causes a one-sentence error message
// instead of a page of template errors.
#pragma once

#if !defined(__cpp_concepts) || __cplusplus < 202002L
#error "envpool needs C++20: g++ 11 or clang++ 14, or newer, and -std=c++20"
#endif

#include <concepts>
#include <type_traits>

#include "envpool/core/env.h"
#include "envpool/core/math/rng.h"
#include "envpool/core/table/spec.h"

// Asserts that the member `what` exists and satisfies the condition that follows. `form` is its expected declaration.
#define ENVPOOL_MEMBER(Env, what, form, ...)                                   \
  constexpr bool what##_fits = __VA_ARGS__;                                    \
  constexpr bool what##_exists = requires { &Env::what; };                     \
  static_assert(what##_fits || what##_exists, "the environment has no " form); \
  static_assert(what##_fits || !what##_exists, "the environment's " #what " is not " form)

// Asserts the same of an optional member, if it exists.
#define ENVPOOL_OPTIONAL_MEMBER(Env, what, form, ...) \
  static_assert(!requires { &Env::what; } || __VA_ARGS__, "the environment's " #what " is not " form)

namespace envpool::contract {

// These tell the contracts apart even if other members are missing.
template <class Env>
inline constexpr bool has_agents = requires { typename Env::Agent; } || requires { typename Env::Shared; } ||
                                   requires { Env::kMaxPlayers; } || requires { Env::kPhases; };
template <class Env>
inline constexpr bool has_state = requires { typename Env::State; };
template <class Env>
inline constexpr bool is_object = requires(Env& env, Rng& rng) { env.reset(rng); } ||
                                  requires(const typename Env::Params& params) { Env(params, i32{}); };

// Checks the members that all contracts share: the name, the options and the arrays.
template <class Env>
consteval bool describes_itself() {
  constexpr bool named = requires {
    { Env::kName } -> std::convertible_to<const char*>;
  };
  static_assert(named, "the environment has no static constexpr const char* kName");
  constexpr bool has_params = requires { typename Env::Params; };
  static_assert(has_params, "the environment has no struct Params");
  if constexpr (named && has_params) {
    using Params = typename Env::Params;
    ENVPOOL_MEMBER(
        Env, options, "static void options(OptionSpecs&)", requires(OptionSpecs& specs) { Env::options(specs); });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, params, "static Params params(const OptionValues&)", requires(const OptionValues& values) {
          { Env::params(values) } -> std::convertible_to<Params>;
        });
    constexpr bool has_default = requires { &Env::params; } || std::is_default_constructible_v<Params>;
    static_assert(has_default, "the environment's Params has no default constructor, so it needs params()");
    ENVPOOL_OPTIONAL_MEMBER(
        Env, derive, "static void derive(Params&)", requires(Params& params) { Env::derive(params); });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, validate, "static void validate(const Params&)",
        requires(const Params& params) { Env::validate(params); });
    ENVPOOL_MEMBER(
        Env, spec, "static void spec(const Params&, Spec&)",
        requires(const Params& params, Spec& spec) { Env::spec(params, spec); });
    return options_fits && has_default && spec_fits;
  }
  return false;
}

template <class T>
consteval bool is_plain() {
  return std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> && alignof(T) <= 16;
}

template <class Env>
consteval bool is_portable() {
  if constexpr (describes_itself<Env>()) {
    using State = typename Env::State;
    using Params = typename Env::Params;
    constexpr bool plain = is_plain<State>() && is_plain<Params>();
    static_assert(is_plain<State>(), "the environment's State is not plain data: no heap, no pointers to itself");
    static_assert(is_plain<Params>(),
                  "the environment's Params is not plain data: no heap; put larger data into a blob");
    ENVPOOL_MEMBER(
        Env, reset, "static void reset(State&, const Params&, Rng&)",
        requires(State& state, const Params& params, Rng& rng) { Env::reset(state, params, rng); });
    ENVPOOL_MEMBER(
        Env, step, "static Outcome step(State&, const Params&, ActionRow, Rng&)",
        requires(State& state, const Params& params, ActionRow action, Rng& rng) {
          { Env::step(state, params, action, rng) } -> std::same_as<Outcome>;
        });
    ENVPOOL_MEMBER(
        Env, observe, "static void observe(const State&, const Params&, Row)",
        requires(const State& state, const Params& params, Row row) { Env::observe(state, params, row); });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, extra_bytes, "static i64 extra_bytes(const Params&)", requires(const Params& params) {
          { Env::extra_bytes(params) } -> std::convertible_to<i64>;
        });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, repetitions, "static std::vector<abi::Repetition> repetitions(const Params&)",
        requires(const Params& params) {
          { Env::repetitions(params) } -> std::same_as<std::vector<abi::Repetition>>;
        });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, blob, "static Blob blob(const OptionValues&), whose address is Params::blob",
        requires(const OptionValues& values, Params& params, Blob& blob) {
          { Env::blob(values) } -> std::convertible_to<Blob>;
          params.blob = blob.data();
        });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, render, "static void render(const State&, const Params&, u8*)",
        requires(const State& state, const Params& params, u8* rgb) { Env::render(state, params, rgb); });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, state_parts, "static void state_parts(StateParts<State>&)",
        requires(StateParts<State>& parts) { Env::state_parts(parts); });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, game_continues, "static bool game_continues(State&, bool may)", requires(State& state, bool may) {
          { Env::game_continues(state, may) } -> std::same_as<bool>;
        });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, repair, "static void repair(State&, const Params&)",
        requires(State& state, const Params& params) { Env::repair(state, params); });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, identity, "static u64 identity(const Params&)", requires(const Params& params) {
          { Env::identity(params) } -> std::convertible_to<u64>;
        });
    return plain && reset_fits && step_fits && observe_fits;
  }
  return false;
}

template <class Env>
consteval bool is_world() {
  constexpr bool sized = requires {
    requires Env::kMaxPlayers >= 1;
    requires Env::kMaxPlayers <= 65535;
    requires Env::kPhases >= 0;
  };
  static_assert(sized, "the environment has no static constexpr i32 kMaxPlayers from 1 to 65535, or no kPhases");
  constexpr bool has_members =
      requires { typename Env::Shared; } && (requires { typename Env::Agent; } || requires { &Env::extra_bytes; });
  static_assert(has_members,
                "the environment has no struct Shared, or neither a struct Agent nor static i64 extra_bytes(const "
                "Params&) that returns the number of bytes after Shared");
  if constexpr (sized && has_members && describes_itself<Env>()) {
    using Params = typename Env::Params;
    constexpr bool plain = is_plain<World<Env>>() && is_plain<Params>();
    static_assert(is_plain<Params>(),
                  "the environment's Params is not plain data: no heap; put larger data into a blob");
    static_assert(is_plain<World<Env>>(),
                  "the environment's Shared and Agent are not plain data: no heap, no pointers");
    ENVPOOL_MEMBER(
        Env, reset, "static void reset(World<Env>&, const Params&, Rng&)",
        requires(World<Env>& world, const Params& params, Rng& rng) { Env::reset(world, params, rng); });
    ENVPOOL_MEMBER(
        Env, players, "static i32 players(const World<Env>&)", requires(const World<Env>& world) {
          { Env::players(world) } -> std::convertible_to<i32>;
        });
    constexpr bool has_phase =
        Env::kPhases == 0 || requires(World<Env>& world, const Params& params, ActionRow action, Rng& rng) {
          Env::template phase<0>(world, i32{}, params, action, rng);
        };
    static_assert(has_phase,
                  "the environment has no template <int kPhase> static void phase(World<Env>&, i32 agent, "
                  "const Params&, ActionRow, Rng&)");
    ENVPOOL_MEMBER(
        Env, finish, "static Outcome finish(World<Env>&, const Params&, Rng&)",
        requires(World<Env>& world, const Params& params, Rng& rng) {
          { Env::finish(world, params, rng) } -> std::same_as<Outcome>;
        });
    ENVPOOL_MEMBER(
        Env, reward, "static f32 reward(const World<Env>&, i32 agent)", requires(const World<Env>& world) {
          { Env::reward(world, i32{}) } -> std::convertible_to<f32>;
        });
    ENVPOOL_MEMBER(
        Env, observe, "static void observe(const World<Env>&, const Params&, i32 agent, Row)",
        requires(const World<Env>& world, const Params& params, Row row) { Env::observe(world, params, i32{}, row); });
    ENVPOOL_MEMBER(
        Env, observe_world, "static void observe_world(const World<Env>&, const Params&, Row)",
        requires(const World<Env>& world, const Params& params, Row row) { Env::observe_world(world, params, row); });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, extra_bytes, "static i64 extra_bytes(const Params&)", requires(const Params& params) {
          { Env::extra_bytes(params) } -> std::convertible_to<i64>;
        });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, derived_bytes, "static i64 derived_bytes(const Params&)", requires(const Params& params) {
          { Env::derived_bytes(params) } -> std::convertible_to<i64>;
        });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, render, "static void render(const World<Env>&, const Params&, u8*)",
        requires(const World<Env>& world, const Params& params, u8* rgb) { Env::render(world, params, rgb); });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, state_parts, "static void state_parts(StateParts<Shared>&)",
        requires(StateParts<typename Env::Shared>& parts) { Env::state_parts(parts); });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, repair, "static void repair(World<Env>&, const Params&)",
        requires(World<Env>& world, const Params& params) { Env::repair(world, params); });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, identity, "static u64 identity(const Params&)", requires(const Params& params) {
          { Env::identity(params) } -> std::convertible_to<u64>;
        });
    return plain && reset_fits && players_fits && has_phase && finish_fits && reward_fits && observe_fits &&
           observe_world_fits;
  }
  return false;
}

template <class Env>
consteval bool is_host() {
  if constexpr (describes_itself<Env>()) {
    using Params = typename Env::Params;
    constexpr bool constructible = std::is_constructible_v<Env, const Params&, i32>;
    static_assert(constructible, "the environment has no constructor (const Params&, i32 env_id)");
    static_assert(std::is_copy_constructible_v<Params>, "the environment's Params cannot be copied");
    ENVPOOL_MEMBER(Env, reset, "void reset(Rng&)", requires(Env& env, Rng& rng) { env.reset(rng); });
    ENVPOOL_MEMBER(
        Env, step, "Outcome step(ActionRow, Rng&)", requires(Env& env, ActionRow action, Rng& rng) {
          { env.step(action, rng) } -> std::same_as<Outcome>;
        });
    ENVPOOL_MEMBER(Env, observe, "void observe(Row)", requires(Env& env, Row row) { env.observe(row); });
    constexpr bool saves = requires(Env& env, void* out, const void* data) {
      { env.save_size() } -> std::convertible_to<i64>;
      env.save(out);
      env.load(data, i64{});
    };
    ENVPOOL_OPTIONAL_MEMBER(Env, save,
                            "void save(void*), together with i64 save_size() and void load(const void*, i64)", saves);
    ENVPOOL_OPTIONAL_MEMBER(Env, load,
                            "void load(const void*, i64), together with i64 save_size() and void save(void*)", saves);
    ENVPOOL_OPTIONAL_MEMBER(Env, render, "void render(u8*)", requires(Env& env, u8* rgb) { env.render(rgb); });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, heap_bytes, "static i64 heap_bytes(const Params&)", requires(const Params& params) {
          { Env::heap_bytes(params) } -> std::convertible_to<i64>;
        });
    ENVPOOL_OPTIONAL_MEMBER(
        Env, identity, "static u64 identity(const Params&)", requires(const Params& params) {
          { Env::identity(params) } -> std::convertible_to<u64>;
        });
    return constructible && reset_fits && step_fits && observe_fits && std::is_copy_constructible_v<Params>;
  }
  return false;
}

// The contract that an environment implements. An incomplete implementation does not compile.
enum class ContractKind { kNone, kPortable, kWorld, kHost };

template <class Env>
consteval ContractKind contract_of() {
  constexpr bool recognized = has_agents<Env> || is_object<Env> || has_state<Env>;
  static_assert(
      recognized,
      "the environment has no State (portable), no Shared and Agent (several agents), and no constructor (const "
      "Params&, i32 env_id) (host)");
  if constexpr (has_agents<Env>) {
    return is_world<Env>() ? ContractKind::kWorld : ContractKind::kNone;
  } else if constexpr (is_object<Env>) {
    return is_host<Env>() ? ContractKind::kHost : ContractKind::kNone;
  } else if constexpr (has_state<Env>) {
    return is_portable<Env>() ? ContractKind::kPortable : ContractKind::kNone;
  } else {
    return ContractKind::kNone;
  }
}

}  // namespace envpool::contract

#undef ENVPOOL_MEMBER
#undef ENVPOOL_OPTIONAL_MEMBER
