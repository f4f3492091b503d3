// SPDX-License-Identifier: Apache-2.0
//
// A model: the data that environments with the same options share, and the identity that tells which models can
// exchange states.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/core/env.h"
#include "envpool/core/table/contract_calls.h"
#include "envpool/core/table/episode.h"
#include "envpool/core/table/params_sizes.h"
#include "envpool/core/table/spec.h"
#include "envpool/core/table/vtable.h"

namespace envpool {

// A host environment whose options can change from episode to episode (env.h).
template <class Env>
concept HasChangingOptions =
    requires(const typename Env::Params& params, OptionSpecs& options) { Env::changing_options(params, options); };

// Resolved options, arrays, and an immutable blob (a ROM, a map).
template <class Env>
struct Model {
  typename Env::Params params;
  Blob blob;
  Spec spec;
  std::vector<abi::Field> fields{}, actions{};
  std::vector<abi::Repetition> repetitions{};
  abi::Layout layout{};
  // The options of a host environment that can change from episode to episode, and all elements of their values in an
  // environment that make() has created.
  OptionSpecs changing{};
  std::vector<abi::Tunable> tunables{};
  std::shared_ptr<const std::vector<f64>> made_values{};
  u32 tag = 0;  // derived from layout.identity, stored in each state that a caller holds; never 0

  void lay_out() {
    for (const FieldSpec& field : spec.fields) fields.push_back(view(field));
    for (const FieldSpec& field : spec.actions) actions.push_back(view(field));
    layout = {fields.data(),    actions.data(),     i32(fields.size()), i32(actions.size()),
              spec.max_players, spec.render_height, spec.render_width,  identity()};
    tag = u32(layout.identity) | 1;
    if constexpr (requires { Env::repetitions(params); }) lay_out_repetitions();
    if constexpr (HasChangingOptions<Env>) list_changing_options();
  }

 private:
  void list_changing_options() {
    Env::changing_options(params, changing);
    std::vector<f64> values;
    for (const OptionSpec& option : changing.list) {
      if (option.kind != abi::kOptionReal || (option.is_array && i64(option.numbers.size()) != option.elements())) {
        throw std::logic_error("'" + option.name + "': expected a real option, whose shape fits its values");
      }
      tunables.push_back({option.name.c_str(), option.kind, abi::kF64, i64(values.size()), option.low, option.high,
                          i32(option.shape.size()), i32(option.elements()), option.shape.data()});
      if (option.is_array) {
        values.insert(values.end(), option.numbers.begin(), option.numbers.end());
      } else {
        values.push_back(option.real);
      }
    }
    made_values = std::make_shared<const std::vector<f64>>(std::move(values));
  }
  // Environments count from the beginning of their State, and saved states begin with an Episode.
  void lay_out_repetitions() {
    using Slot = EnvSlot<StateOf<Env>>;
    const i64 bytes = slot_bytes<StateOf<Env>>(extra_bytes_of<Env>(params));
    i64 end = 0;
    for (abi::Repetition each : Env::repetitions(params)) {
      each.at += offset_of(&Slot::state);
      const bool fits = each.at >= end && each.bytes >= 0 && each.bytes <= bytes - each.at;
      const bool predicted = each.distance >= i64(sizeof(u64)) && each.distance <= each.at;
      if (!fits || !(predicted || each.distance == abi::kLeftOut)) {
        throw std::logic_error(
            "repetitions: expected parts of the state in order, and distances from 8 to the place of the part");
      }
      end = each.at + each.bytes;
      repetitions.push_back(each);
    }
    layout.repetitions = repetitions.data();
    layout.num_repetitions = i32(repetitions.size());
  }
  u64 identity() const {
    u64 hash = 0xCBF29CE484222325u;
    each_word([&](u64 word) {
      hash = (hash ^ word) * 0xD1342543DE82EF95u;
      hash ^= hash >> 32;
    });
    return hash;
  }
  // Calls `mix` with everything that decides whether two models can exchange states. No pointers are included, so the
  // identity is the same in every process.
  template <class Mix>
  void each_word(Mix&& mix) const {
    const auto mix_text = [&](const char* text) {
      for (; *text != 0; ++text) mix(u64(u8(*text)));
      mix(0);
    };
    mix_text(Env::kName);
    mix(params_size_in_identity(Env::kName, sizeof(params)));
    if constexpr (requires { typename Env::State; } || requires { typename Env::Shared; }) mix(sizeof(StateOf<Env>));
    for (const auto* list : {&fields, &actions}) {
      mix(list->size());
      for (const abi::Field& field : *list) {
        mix_text(field.name);
        mix(u64(field.dtype) << 32 | u64(field.per_player) << 16 | u64(field.dimensions));
        for (i32 i = 0; i < field.dimensions; ++i) mix(u64(field.shape[i]));
        mix(u64(field.discrete));
        for (i64 i = 0; field.counts != nullptr && i < field.row_bytes / dtype_size(field.dtype); ++i) {
          mix(u64(field.counts[i]));
        }
      }
    }
    mix(u64(spec.max_players));
    mix(u64(extra_bytes_of<Env>(params)));
    if constexpr (requires { Env::identity(params); }) mix(Env::identity(params));
    for (size_t i = 0; i < blob.size() / sizeof(u64); ++i) mix(reinterpret_cast<const u64*>(blob.data())[i]);
  }
  static abi::Field view(const FieldSpec& field) {
    const i64* counts = field.counts.empty() ? nullptr : field.counts.data();
    return {field.name.c_str(), field.dtype,       field.is_per_player, i32(field.shape.size()),
            field.shape.data(), field.row_bytes(), field.discrete,      counts};
  }
};

}  // namespace envpool
