// SPDX-License-Identifier: Apache-2.0
//
// The checked operands and results of a call from XLA to a pure function, reset or step. The handlers for CPUs and for
// GPUs share this code.
//
//   reset: (key, stream, options) -> (state, observations, infos)
//   step:  (key, stream, state, actions, options, next options) -> (state, reward, discount, terminated, truncated,
//          elapsed [, players], observations[, final observations], infos[, infos of restarts])
//
// The attribute `options` has the numbers of the options whose values are operands: those that may differ from the
// model's. Options have any numeric dtype that JAX has for bools, int and float. With the attribute `num_next`, the
// last of these options belong to the episodes that begin after a step; it is -1 if those have the options of the step.
//
// The attribute `observed` has a bit for each field that is an observation. With the attribute `autoreset`, there are
// final observations, which are written only in rows whose episode ended. The infos of resets and restarts are never
// read, but environments write them, and on a GPU only XLA can provide the memory for them. In environments with
// several players, reward, discount and per-player fields have an axis of players after the axes of the batch, and
// `players` is present.
//
// Without jax_enable_x64, JAX has no 64-bit arrays. Actions and fields of 64 bits are then passed as pairs of 32-bit
// words, in an additional last axis, which JAX converts (envpool/jax/words.py). So neither platform needs memory for
// conversions.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "envpool/bindings/jax/frame.h"
#include "envpool/bindings/jax/models.h"

namespace envpool::xla {

// Returns how many rows of a field one environment has: one per player if the field is per player.
inline i64 rows_of(const abi::Layout& layout, const abi::Field& field) {
  return layout.max_players > 1 && field.per_player != 0 ? layout.max_players : 1;
}
inline i64 bytes_of(const abi::Layout& layout, const abi::Field& field) {
  return rows_of(layout, field) * field.row_bytes;
}

// Returns the rows of a result. Throws unless each has this many bytes.
inline u8* rows_of_bytes(const Buffer& rows, i64 bytes) {
  if (rows.rank < 1 || rows.dtype != kU32 || rows.dims[rows.rank - 1] * 4 != bytes) {
    malformed("the result has rows of another size");
  }
  return static_cast<u8*>(rows.data);
}

// Returns whether the elements of a buffer are pairs of words. Throws unless they are, or have the field's dtype.
inline bool in_words(const Buffer& buffer, const abi::Field& field) {
  const DataType own = type_of(field.dtype);
  if (buffer.dtype == own) return false;
  if (buffer.dtype != kU32 || itemsize(own) != 2 * itemsize(kU32)) {
    malformed(std::string(field.name) + " has XLA's type " + std::to_string(buffer.dtype));
  }
  return true;
}

struct PureCall {
  PureCall(const CallFrame& frame, Operation what)
      : shared(model_of(frame)),
        model(*shared),
        layout(model.layout()),
        restart(what == Operation::kReset),
        autoreset(!restart && frame.integer("autoreset") != 0),
        observed(u64(frame.integer("observed"))),
        batch(frame.result(0), frame.result(0).rank - 1),
        states(rows_of_bytes(frame.result(0), model.state_bytes())) {
    if (reinterpret_cast<std::uintptr_t>(states) % 16 != 0) malformed("XLA's buffers do not start on 16 bytes");
    if (observed == 0) malformed("no field is an observation");
    const i64 how = restart ? i64(abi::kNewKeyAndStream) : frame.integer("keyed");
    if (how < abi::kKeepKey || how > abi::kNewKeyAndStream) malformed("keyed is " + std::to_string(how));
    keyed = abi::Keyed(how);
    take_operands(frame);
    if (!restart) take_columns(frame);
    take_fields(frame);
  }

  bool is_observed(i32 field) const { return (observed >> field & 1) != 0; }
  i32 num_options() const { return i32(options.size()) - std::max(num_next_options, 0); }  // of the step or reset

  const std::shared_ptr<PureModel> shared;
  PureModel& model;
  const abi::Layout& layout;
  const bool restart, autoreset;
  const u64 observed;
  const BatchShape batch;
  u8* const states;  // of the result
  abi::Keyed keyed;
  std::vector<Operand> operands{};           // key, stream, of step: state, actions; and options
  std::vector<abi::OptionColumn> options{};  // without their values, which are the last operands
  i32 num_next_options = -1;                 // the last of `options`; -1: there are none of the next episodes
  // Only for step.
  f32 *reward = nullptr, *discount = nullptr;
  u8 *terminated = nullptr, *truncated = nullptr;
  i32 *elapsed = nullptr, *players = nullptr;
  // The results of each field after the call, and before a restart if there is one.
  std::vector<const Buffer*> next{}, last{};

 private:
  void take_operands(const CallFrame& frame) {
    operands = {
        {frame.argument(0), batch.rank(), 1, 2 * sizeof(u32), "key"},
        {frame.argument(1), batch.rank(), 0, sizeof(u32), "stream"},
    };
    if (!restart) take_actions(frame);
    take_options(frame);
    if (frame.arguments() != i64(operands.size())) malformed("there are more arguments than operands");
  }

  void take_options(const CallFrame& frame) {
    const std::span<const abi::Tunable> tunables = model.tunables();
    for (const i32 number : frame.integers("options")) {
      if (number < abi::kTimeLimit || number >= i32(tunables.size())) malformed("there is no such option");
      const abi::Tunable limit{"max_episode_steps", abi::kOptionInt, abi::kI32, 0, 0, 0, 0, 1};
      const abi::Tunable& option = number < 0 ? limit : tunables[size_t(number)];
      const Buffer& values = frame.argument(i64(operands.size()));
      const auto* const known = std::find(std::begin(kTypes), std::end(kTypes), values.dtype);
      if (known == std::end(kTypes))
        malformed(std::string(option.name) + " has XLA's type " + std::to_string(values.dtype));
      operands.emplace_back(values, batch.rank(), option.dimensions, itemsize(values.dtype) * option.elements,
                            option.name);
      options.push_back({nullptr, 0, number, abi::Dtype(known - std::begin(kTypes))});
    }
    const i64 num_next = restart ? -1 : frame.integer("num_next");
    if (num_next < -1 || num_next > i64(options.size())) malformed("num_next is " + std::to_string(num_next));
    num_next_options = i32(num_next);
  }

  void take_actions(const CallFrame& frame) {
    operands.emplace_back(frame.argument(2), batch.rank(), 1, model.state_bytes(), "state");
    for (i32 f = 0; f < layout.num_actions; ++f) {
      const abi::Field& field = layout.actions[f];
      const Buffer& action = frame.argument(3 + f);
      const i64 rows = rows_of(layout, field);
      operands.emplace_back(action, batch.rank(), field.dimensions + (rows > 1) + in_words(action, field),
                            bytes_of(layout, field), field.name);
    }
  }

  void take_columns(const CallFrame& frame) {
    i64 next_result = 1;
    const auto take = [&](const char* name, DataType dtype, i64 each, auto*& column) {
      const Buffer& result = frame.result(next_result++);
      check_type(result, dtype, name);
      check_elements(result, batch.rows() * each, name);
      column = static_cast<std::remove_reference_t<decltype(column)>>(result.data);
    };
    take("reward", kF32, layout.max_players, reward);
    take("discount", kF32, layout.max_players, discount);
    take("terminated", kPred, 1, terminated);
    take("truncated", kPred, 1, truncated);
    take("elapsed_step", kS32, 1, elapsed);
    if (layout.max_players > 1) take("players", kS32, 1, players);
  }

  void take_fields(const CallFrame& frame) {
    next.resize(size_t(layout.num_fields));
    last.resize(size_t(layout.num_fields));
    i64 next_result = restart ? 1 : layout.max_players > 1 ? 7 : 6;
    const auto take = [&](std::vector<const Buffer*>& results, bool observations) {
      for (i32 f = 0; f < layout.num_fields; ++f) {
        if (is_observed(f) != observations) continue;
        const abi::Field& field = layout.fields[f];
        const Buffer& result = frame.result(next_result++);
        static_cast<void>(in_words(result, field));
        check_elements(result, batch.rows() * (bytes_of(layout, field) / itemsize(result.dtype)), field.name);
        results[size_t(f)] = &result;
      }
    };
    take(next, /*observations=*/true);
    if (autoreset) take(last, /*observations=*/true);
    take(autoreset ? last : next, /*observations=*/false);
    if (autoreset) take(next, /*observations=*/false);
    if (next_result != frame.results()) malformed("there are more results than fields");
  }
};

}  // namespace envpool::xla
