// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/jax/pure.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include "envpool/bindings/action_values.h"
#include "envpool/bindings/jax/pure_call.h"
#include "envpool/core/pool/fork_join.h"

namespace envpool::xla {
namespace {

template <class T>
void check_actions(const abi::Field& field, i64 players, const void* data, i64 rows, i64 first) {
  const ActionValues actions(field);
  const T* values = static_cast<const T*>(data);
  const i64 each = actions.per_row(), bad = actions.first_wrong(values, rows * players * each);
  if (bad < 0) return;
  const std::string suffix = players == 1 ? "" : " of player " + std::to_string(bad / each % players);
  const i64 row = first + bad / (each * players);
  throw std::invalid_argument(actions.refusal(bad, ActionValues::text(values[bad]), row, suffix));
}
void check_actions(const abi::Field& field, i64 players, const void* data, i64 rows, i64 first) {
  switch (field.dtype) {
    case abi::kBool: return;
    case abi::kU8: return check_actions<u8>(field, players, data, rows, first);
    case abi::kI32: return check_actions<i32>(field, players, data, rows, first);
    case abi::kI64: return check_actions<i64>(field, players, data, rows, first);
    case abi::kF32: return check_actions<f32>(field, players, data, rows, first);
    case abi::kF64: return check_actions<f64>(field, players, data, rows, first);
  }
}

// The action fields of one run. Either all fields have one row per environment, or all have a single row that is
// broadcast.
class Actions {
 public:
  explicit Actions(const abi::Layout& layout) : layout_(layout), copies_(size_t(layout.num_actions)) {}

  void load(const abi::StridedRows* operand_rows, i64 count, i64 first_row) {
    broadcast_ = true;
    for (i32 f = 0; f < layout_.num_actions; ++f) broadcast_ &= operand_rows[f].stride == 0;
    data_.clear();
    for (i32 f = 0; f < layout_.num_actions; ++f) {
      const abi::Field& field = layout_.actions[f];
      const i64 rows = broadcast_ ? 1 : count;
      const void* data = operand_rows[f].data;
      if (!broadcast_ && operand_rows[f].stride == 0) {
        const size_t bytes = size_t(bytes_of(layout_, field));
        copies_[size_t(f)].resize(size_t(rows) * bytes);
        for (i64 k = 0; k < rows; ++k) std::memcpy(copies_[size_t(f)].data() + size_t(k) * bytes, data, bytes);
        data = copies_[size_t(f)].data();
      }
      check_actions(field, rows_of(layout_, field), data, rows, first_row);
      data_.push_back(data);
    }
  }
  const void* const* data() const { return data_.data(); }
  bool broadcast() const { return broadcast_; }

 private:
  const abi::Layout& layout_;
  std::vector<std::vector<u8>> copies_;
  std::vector<const void*> data_;
  bool broadcast_ = true;
};

// Returns the addresses to which the environments write their fields, from a row on.
std::vector<void*> fields_from(const abi::Layout& layout, const std::vector<const Buffer*>& results, i64 row) {
  std::vector<void*> fields;
  for (i32 f = 0; f < layout.num_fields; ++f) {
    fields.push_back(static_cast<u8*>(results[size_t(f)]->data) + row * bytes_of(layout, layout.fields[f]));
  }
  return fields;
}

// A thread takes part only if it has at least this much work, in nanoseconds.
constexpr f64 kMinThreadNs = 10e3;
constexpr i64 kMinRows = 8;

// The part of a call that covers `count` rows, beginning with `first`.
class WorkSlice {
 public:
  WorkSlice(const abi::PureWork& whole, const abi::Layout& layout, i64 first, i64 count)
      : work_(whole), options_(whole.options, whole.options + whole.num_options) {
    options_.insert(options_.end(), whole.next_options, whole.next_options + whole.num_next_options);
    work_.count = count;
    work_.first += first;
    for (abi::StridedRows* operand : {&work_.keys, &work_.streams, &work_.states}) {
      operand->data = static_cast<const u8*>(operand->data) + operand->stride * first;
    }
    for (abi::OptionColumn& option : options_) {
      option.data = static_cast<const u8*>(option.data) + option.stride * first;
    }
    work_.options = options_.data();
    if (whole.next_options != nullptr) work_.next_options = options_.data() + whole.num_options;
    const auto column = [&](auto*& base, i64 each) { base = base == nullptr ? nullptr : base + first * each; };
    column(work_.reward, layout.max_players);
    column(work_.discount, layout.max_players);
    column(work_.terminated, 1);
    column(work_.truncated, 1);
    column(work_.elapsed, 1);
    column(work_.players, 1);
    for (i32 f = 0; whole.actions != nullptr && f < layout.num_actions; ++f) {
      const i64 offset = whole.broadcast_action != 0 ? 0 : bytes_of(layout, layout.actions[f]) * first;
      actions_.push_back(static_cast<const u8*>(whole.actions[f]) + offset);
    }
    for (i32 f = 0; f < layout.num_fields; ++f) {
      const i64 offset = bytes_of(layout, layout.fields[f]) * first;
      fields_.push_back(static_cast<u8*>(whole.fields[f]) + offset);
      if (whole.final_fields != nullptr) final_fields_.push_back(static_cast<u8*>(whole.final_fields[f]) + offset);
    }
    work_.actions = whole.actions == nullptr ? nullptr : actions_.data();
    work_.fields = fields_.data();
    work_.final_fields = whole.final_fields == nullptr ? nullptr : final_fields_.data();
  }
  void offset_states(i64 bytes) { work_.new_states += bytes; }
  const abi::PureWork* work() const { return &work_; }

 private:
  abi::PureWork work_;
  std::vector<abi::OptionColumn> options_;
  std::vector<const void*> actions_;
  std::vector<void*> fields_, final_fields_;
};

// Runs a call on several threads if the measured cost of earlier calls justifies it.
void run_parallel(PureModel& model, Operation operation, const abi::PureWork& work) {
  const abi::Pure& pure = *model.table->pure;
  const auto function = operation == Operation::kReset ? pure.reset : pure.step;
  std::atomic<f64>& row_ns = model.row_ns[int(operation)];
  const f64 before = row_ns.load(std::memory_order_relaxed);
  ForkJoinThreads& helpers = ForkJoinThreads::shared();
  const f64 useful_threads = before * f64(work.count) / kMinThreadNs;
  // All threads get the same number of parts. With three parts for two threads, one thread would idle for a third of
  // the time.
  i64 parts =
      useful_threads < 2 ? 1 : std::max<i64>(1, i64(std::min(useful_threads / helpers.size(), 8.0))) * helpers.size();
  const abi::Layout& layout = *model.table->layout(model.handle);
  const i64 min_rows = layout.max_players > 1 ? 1 : kMinRows;
  const i64 rows = std::max(min_rows, (work.count + parts - 1) / parts + min_rows - 1) / min_rows * min_rows;
  parts = (work.count + rows - 1) / rows;

  std::atomic<i64> total_ns{0};  // on all threads, without the time spent waiting
  const auto timed = [&](const abi::PureWork* what) {
    const auto begin = std::chrono::steady_clock::now();
    try_table([&](abi::TextSink error) { return function(model.handle, what, error); });
    total_ns += std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  };
  if (parts == 1) {
    timed(&work);
  } else {
    const i64 state_bytes = pure.state_bytes(model.handle);
    helpers.run(parts, [&](i64 i) {
      const FloatModeGuard float_mode;
      WorkSlice slice(work, layout, i * rows, std::min(rows, work.count - i * rows));
      slice.offset_states(i * rows * state_bytes);
      timed(slice.work());
    });
  }
  const f64 now = f64(total_ns.load()) / f64(work.count);
  row_ns.store(before == 0 ? now : 0.75 * before + 0.25 * now, std::memory_order_relaxed);
}

// Handles reset and step (pure_call.h).
void run(const CallFrame& frame, Operation operation) {
  const PureCall call(frame, operation);
  const i64 state_bytes = call.model.state_bytes(), max_players = call.layout.max_players;
  Actions actions(call.layout);
  call.batch.for_each_run(call.operands, [&](i64 first, i64 count, const std::vector<abi::StridedRows>& operand_rows) {
    const std::vector<void*> fields = fields_from(call.layout, call.next, first);
    std::vector<void*> final_fields;
    if (call.autoreset) final_fields = fields_from(call.layout, call.last, first);
    abi::PureWork work{.count = count,
                       .first = first,
                       .keyed = call.keyed,
                       .keys = operand_rows[0],
                       .streams = operand_rows[1],
                       .options = nullptr,
                       .num_options = call.num_options(),
                       .max_episode_steps = call.model.max_episode_steps,
                       .next_options = nullptr,
                       .num_next_options = std::max(call.num_next_options, 0),
                       .states = {},
                       .actions = nullptr,
                       .broadcast_action = 0,
                       .new_states = call.states + first * state_bytes,
                       .fields = fields.data(),
                       .final_fields = call.autoreset ? final_fields.data() : nullptr,
                       .reward = nullptr,
                       .discount = nullptr,
                       .terminated = nullptr,
                       .truncated = nullptr,
                       .elapsed = nullptr,
                       .players = nullptr,
                       .infos = ~call.observed};
    std::vector<abi::OptionColumn> options = call.options;
    for (size_t i = 0; i < options.size(); ++i) {
      const abi::StridedRows& rows = operand_rows[operand_rows.size() - options.size() + i];
      options[i].data = rows.data;
      options[i].stride = rows.stride;
    }
    work.options = options.data();
    if (call.num_next_options >= 0) work.next_options = options.data() + work.num_options;
    if (!call.restart) {
      actions.load(operand_rows.data() + 3, count, first);
      work.states = operand_rows[2];
      work.actions = actions.data();
      work.broadcast_action = actions.broadcast();
      work.reward = call.reward + first * max_players;
      work.discount = call.discount + first * max_players;
      work.terminated = call.terminated + first;
      work.truncated = call.truncated + first;
      work.elapsed = call.elapsed + first;
      if (call.players != nullptr) work.players = call.players + first;
    }
    run_parallel(call.model, operation, work);
  });
}

// A handler whose error messages about arguments begin with the environment's id.
template <auto kFunction>
Error* handler(Call* call) noexcept {
  return run_handler(*call, kExecute, [](const CallFrame& frame) {
    try {
      kFunction(frame);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("[" + model_of(frame)->label + "] " + error.what());
    }
  });
}
}  // namespace

std::vector<Registration> pure_handlers() {
  return {
      {"envpool_reset", &handler<[](const CallFrame& frame) { run(frame, Operation::kReset); }>, &instantiate_model},
      {"envpool_step", &handler<[](const CallFrame& frame) { run(frame, Operation::kStep); }>, &instantiate_model},
  };
}

}  // namespace envpool::xla
