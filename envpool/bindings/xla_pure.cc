// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/xla_pure.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>

#include "envpool/bindings/action_values.h"
#include "envpool/bindings/resolved_row_cache.h"
#include "envpool/bindings/xla_frame.h"
#include "envpool/core/pool/helper_threads.h"

namespace envpool::xla {
namespace {

enum class Operation { kStep = 0, kReset = 1 };

// A model whose environment runs as pure functions, with what its handlers share.
struct PureModel {
  const abi::Table* table;
  std::string label;
  const OptionList list;
  const abi::Options options;
  void* handle = nullptr;
  std::vector<u8> default_row{};            // the resolved row of the options above; set once
  std::optional<ResolvedRowCache> cache{};  // contains default_row
  // Moving averages of the time per row in nanoseconds, indexed by Operation. They determine how many threads a call
  // uses.
  std::atomic<f64> row_ns[2]{0, 0};

  PureModel(const abi::Table* of, std::string name, OptionList with)
      : table(of), label(std::move(name)), list(std::move(with)), options(list.view()) {
    const abi::Pure& pure = *table->pure;
    try_table([&](abi::TextSink error) { return table->model_create(&options, &handle, error); });
    cache.emplace(pure.params_bytes(handle), pure.resolved_bytes(handle));
  }
  ~PureModel() { table->model_destroy(handle); }
  PureModel(const PureModel&) = delete;
  PureModel& operator=(const PureModel&) = delete;
};

Registry<PureModel>& models() {
  static auto* registry = new Registry<PureModel>;  // never destroyed: compiled code may run during exit
  return *registry;
}
constexpr const char* kDeleted =
    "envpool.jax: the environment of this program was deleted before the program was compiled; keep it until then";
std::shared_ptr<PureModel> model_of(const CallFrame& frame) { return look_up(frame, models(), "model", kDeleted); }

// Returns how many rows of a field one environment has: one per player if the field is per player.
i64 rows_of(const abi::Layout& layout, const abi::Field& field) {
  return layout.max_players > 1 && field.per_player != 0 ? layout.max_players : 1;
}
i64 bytes_of(const abi::Layout& layout, const abi::Field& field) { return rows_of(layout, field) * field.row_bytes; }

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

// Converts the action fields of one run to the environment's dtypes. Either all fields have one row per environment, or
// all have a single row that is broadcast.
class Actions {
 public:
  explicit Actions(const abi::Layout& layout) : layout_(layout), copies_(size_t(layout.num_actions)) {}

  void load(const CallFrame& frame, i64 first_argument, const abi::StridedRows* operand_rows, i64 count,
            i64 first_row) {
    broadcast_ = true;
    for (i32 f = 0; f < layout_.num_actions; ++f) broadcast_ &= operand_rows[f].stride == 0;
    data_.clear();
    for (i32 f = 0; f < layout_.num_actions; ++f) {
      const abi::Field& field = layout_.actions[f];
      const i64 rows = broadcast_ ? 1 : count;
      const DataType from = frame.argument(first_argument + f).dtype, to = type_of(field.dtype);
      const void* data = operand_rows[f].data;
      if (from != to || (!broadcast_ && operand_rows[f].stride == 0)) {
        const i64 own_bytes = bytes_of(layout_, field);
        const i64 elements = own_bytes / itemsize(to), row_bytes = elements * itemsize(from);
        copies_[size_t(f)].resize(size_t(rows * own_bytes));
        for (i64 k = 0; k < rows; ++k) {
          const u8* row =
              static_cast<const u8*>(operand_rows[f].data) + (operand_rows[f].stride == 0 ? 0 : k * row_bytes);
          convert(from, row, to, copies_[size_t(f)].data() + k * own_bytes, elements);
        }
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

// Holds the addresses to which the environments write their fields: directly into the results, or into scratch memory
// if a field is not requested or is returned in another dtype.
class Fields {
 public:
  Fields(const abi::Layout& layout, i64 rows) : layout_(layout), rows_(rows), scratch_(size_t(layout.num_fields)) {
    results_.resize(size_t(layout.num_fields));
    base_.resize(size_t(layout.num_fields));
  }
  void bind(i32 field, const Buffer& result) {
    const abi::Field& own = layout_.fields[field];
    check_elements(result, rows_ * (bytes_of(layout_, own) / itemsize(type_of(own.dtype))), own.name);
    results_[size_t(field)] = &result;
  }
  void allocate() {
    for (i32 f = 0; f < layout_.num_fields; ++f) {
      const Buffer* result = results_[size_t(f)];
      if (result != nullptr && result->dtype == type_of(layout_.fields[f].dtype)) {
        base_[size_t(f)] = static_cast<u8*>(result->data);
      } else {
        scratch_[size_t(f)].resize(size_t(rows_ * bytes_of(layout_, layout_.fields[f])));
        base_[size_t(f)] = scratch_[size_t(f)].data();
      }
    }
  }
  std::vector<void*> from_row(i64 row) const {
    std::vector<void*> fields;
    for (i32 f = 0; f < layout_.num_fields; ++f) {
      fields.push_back(base_[size_t(f)] + row * bytes_of(layout_, layout_.fields[f]));
    }
    return fields;
  }
  void copy_converted() const {
    for (i32 f = 0; f < layout_.num_fields; ++f) {
      const Buffer* result = results_[size_t(f)];
      const DataType own = type_of(layout_.fields[f].dtype);
      if (result == nullptr || result->dtype == own) continue;
      convert(own, base_[size_t(f)], result->dtype, result->data,
              rows_ * bytes_of(layout_, layout_.fields[f]) / itemsize(own));
    }
  }

 private:
  const abi::Layout& layout_;
  const i64 rows_;
  std::vector<std::vector<u8>> scratch_;
  std::vector<const Buffer*> results_;
  std::vector<u8*> base_;
};

// Returns the rows of a result. Throws unless each has this many bytes.
u8* rows_of_bytes(const Buffer& rows, i64 bytes) {
  if (rows.rank < 1 || rows.dtype != kU32 || rows.dims[rows.rank - 1] * 4 != bytes) {
    malformed("the result has rows of another size");
  }
  return static_cast<u8*>(rows.data);
}
u8* aligned_rows(const Buffer& states, i64 bytes) {
  u8* const rows = rows_of_bytes(states, bytes);
  if (reinterpret_cast<std::uintptr_t>(states.data) % 16 != 0) malformed("XLA's buffers do not start on 16 bytes");
  return rows;
}

// A thread takes part only if it has at least this much work, in nanoseconds.
constexpr f64 kMinThreadNs = 10e3;
constexpr i64 kMinRows = 8;

// The part of a call that covers `count` rows, beginning with `first`.
class WorkSlice {
 public:
  WorkSlice(const abi::PureWork& whole, const abi::Layout& layout, i64 first, i64 count) : work_(whole) {
    work_.count = count;
    work_.first += first;
    for (abi::StridedRows* operand : {&work_.keys, &work_.streams, &work_.params, &work_.states}) {
      operand->data = static_cast<const u8*>(operand->data) + operand->stride * first;
    }
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
  void set_params(const abi::StridedRows& params) { work_.params = params; }
  const abi::PureWork* work() const { return &work_; }

 private:
  abi::PureWork work_;
  std::vector<const void*> actions_;
  std::vector<void*> fields_, final_fields_;
};

// Checks and resolves the parameters of some rows. The copies in `out` are what the environments use, so the caller
// cannot change them afterwards.
void resolve(PureModel& model, const abi::StridedRows& rows, i64 first_row, i64 count, u8* out) {
  model.cache->find(rows, count, out, [&](i64 k, u8* resolved) {
    const u8* const row = static_cast<const u8*>(rows.data) + k * rows.stride;
    try_table([&](abi::TextSink error) {
      return model.table->pure->change_params(model.handle, row, first_row + k, &model.options, 0, nullptr, nullptr,
                                              resolved, error);
    });
  });
}

// Resolves the parameters of a call, then runs it.
void run_resolved(PureModel& model, decltype(abi::Pure::step) function, const abi::PureWork& work) {
  constexpr i64 kCacheBytes = 65536;
  const abi::Pure& pure = *model.table->pure;
  const i64 bytes = pure.resolved_bytes(model.handle), state_bytes = pure.state_bytes(model.handle);
  const auto call = [&](const abi::PureWork* what) {
    try_table([&](abi::TextSink error) { return function(model.handle, what, error); });
  };
  if (work.params.stride == 0) {
    std::vector<u8> params;
    abi::PureWork resolved = work;
    if (std::memcmp(work.params.data, model.default_row.data(), size_t(pure.params_bytes(model.handle))) == 0) {
      resolved.params.data = model.default_row.data();
    } else {
      params.resize(size_t(bytes));
      resolve(model, work.params, work.first, 1, params.data());
      resolved.params.data = params.data();
    }
    return call(&resolved);
  }
  // The block size is chosen such that the resolved parameters of a block stay in the cache.
  const i64 cached = std::max(kMinRows, kCacheBytes / bytes / kMinRows * kMinRows);
  const i64 block = std::min(work.count, cached);
  const std::unique_ptr<u8[]> params(new u8[size_t(bytes * block)]);
  for (i64 first = 0; first < work.count; first += block) {
    WorkSlice slice(work, *model.table->layout(model.handle), first, std::min(block, work.count - first));
    resolve(model, slice.work()->params, slice.work()->first, slice.work()->count, params.get());
    slice.offset_states(first * state_bytes);
    slice.set_params({params.get(), bytes});
    call(slice.work());
  }
}

// Runs a call on several threads if the measured cost of earlier calls justifies it.
void run_parallel(PureModel& model, Operation operation, const abi::PureWork& work) {
  const abi::Pure& pure = *model.table->pure;
  const auto function = operation == Operation::kReset ? pure.reset : pure.step;
  std::atomic<f64>& row_ns = model.row_ns[int(operation)];
  const f64 before = row_ns.load(std::memory_order_relaxed);
  HelperThreads& helpers = HelperThreads::shared();
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
    run_resolved(model, function, *what);
    total_ns += std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  };
  if (parts == 1) {
    timed(&work);
  } else {
    const i64 state_bytes = pure.state_bytes(model.handle);
    helpers.run(parts, [&](i64 i) {
      const PlainArithmetic arithmetic;
      WorkSlice slice(work, layout, i * rows, std::min(rows, work.count - i * rows));
      slice.offset_states(i * rows * state_bytes);
      timed(slice.work());
    });
  }
  const f64 now = f64(total_ns.load()) / f64(work.count);
  row_ns.store(before == 0 ? now : 0.75 * before + 0.25 * now, std::memory_order_relaxed);
}

// The handlers of reset and step:
//   reset: (key, stream, params) -> (state, observations)
//   step:  (key, stream, params, state, actions) -> (state, reward, discount, terminated, truncated, elapsed
//          [, players], observations[, final observations], infos)
// The attribute `observed` has a bit for each field that is an observation. Final observations are written only in rows
// whose episode ended. In environments with several players, reward, discount and per-player fields have an axis of
// players after the axes of the batch, and `players` is present.
void run(const CallFrame& frame, Operation operation) {
  const bool restart = operation == Operation::kReset;
  const std::shared_ptr<PureModel> shared = model_of(frame);
  PureModel& model = *shared;
  const abi::Pure& pure = *model.table->pure;
  const abi::Layout& layout = *model.table->layout(model.handle);
  const u64 observed = u64(frame.integer("observed"));
  const bool autoreset = !restart && frame.integer("autoreset") != 0;
  const i64 state_bytes = pure.state_bytes(model.handle), max_players = layout.max_players;
  const BatchShape batch(frame.result(0), frame.result(0).rank - 1);
  u8* const states = aligned_rows(frame.result(0), state_bytes);

  std::vector<Operand> operands{
      {frame.argument(0), batch.rank(), 1, 2 * sizeof(u32), "key"},
      {frame.argument(1), batch.rank(), 0, sizeof(u32), "stream"},
      {frame.argument(2), batch.rank(), 1, pure.params_bytes(model.handle), "params"},
  };
  if (!restart) {
    operands.emplace_back(frame.argument(3), batch.rank(), 1, state_bytes, "state");
    for (i32 f = 0; f < layout.num_actions; ++f) {
      const abi::Field& field = layout.actions[f];
      const Buffer& action = frame.argument(4 + f);
      const i64 players = rows_of(layout, field);
      const i64 bytes = players * (field.row_bytes / itemsize(type_of(field.dtype)) * itemsize(action.dtype));
      operands.emplace_back(action, batch.rank(), field.dimensions + (players > 1), bytes, field.name);
    }
  }

  const i64 keyed = restart ? i64(abi::kNewKeyAndStream) : frame.integer("keyed");
  if (keyed < abi::kKeepKey || keyed > abi::kNewKeyAndStream) malformed("keyed is " + std::to_string(keyed));
  struct Column {
    const char* name;
    DataType dtype;
    i64 each;
  };
  const Column columns[] = {{"reward", kF32, max_players}, {"discount", kF32, max_players}, {"terminated", kPred, 1},
                            {"truncated", kPred, 1},       {"elapsed_step", kS32, 1},       {"players", kS32, 1}};
  for (i64 i = 0; !restart && i < (max_players > 1 ? 6 : 5); ++i) {
    check_type(frame.result(1 + i), columns[i].dtype, columns[i].name);
    check_elements(frame.result(1 + i), batch.rows() * columns[i].each, columns[i].name);
  }
  Fields next(layout, batch.rows()), last(layout, batch.rows());
  i64 result = restart ? 1 : max_players > 1 ? 7 : 6;
  for (Fields* fields : {&next, &last}) {
    if (fields == &last && !autoreset) break;
    for (i32 f = 0; f < layout.num_fields; ++f) {
      if (observed >> f & 1) fields->bind(f, frame.result(result++));
    }
  }
  for (i32 f = 0; !restart && f < layout.num_fields; ++f) {
    if (!(observed >> f & 1)) (autoreset ? last : next).bind(f, frame.result(result++));
  }
  if (result != frame.results()) malformed("there are more results than fields");
  next.allocate();
  if (autoreset) last.allocate();

  Actions actions(layout);
  batch.for_each_run(operands, [&](i64 first, i64 count, const std::vector<abi::StridedRows>& operand_rows) {
    if (operand_rows[2].stride != 0) model.cache->note_batch(count);
    const std::vector<void*> fields = next.from_row(first), final_fields = last.from_row(first);
    abi::PureWork work{.count = count,
                       .first = first,
                       .keyed = abi::kNewKeyAndStream,
                       .keys = operand_rows[0],
                       .streams = operand_rows[1],
                       .params = operand_rows[2],
                       .states = {},
                       .actions = nullptr,
                       .broadcast_action = 0,
                       .new_states = states + first * state_bytes,
                       .fields = fields.data(),
                       .final_fields = autoreset ? final_fields.data() : nullptr,
                       .reward = nullptr,
                       .discount = nullptr,
                       .terminated = nullptr,
                       .truncated = nullptr,
                       .elapsed = nullptr,
                       .players = nullptr,
                       .infos = ~observed};
    if (!restart) {
      actions.load(frame, 4, operand_rows.data() + 4, count, first);
      work.keyed = abi::Keyed(keyed);
      work.states = operand_rows[3];
      work.actions = actions.data();
      work.broadcast_action = actions.broadcast();
      work.reward = static_cast<f32*>(frame.result(1).data) + first * max_players;
      work.discount = static_cast<f32*>(frame.result(2).data) + first * max_players;
      work.terminated = static_cast<u8*>(frame.result(3).data) + first;
      work.truncated = static_cast<u8*>(frame.result(4).data) + first;
      work.elapsed = static_cast<i32*>(frame.result(5).data) + first;
      if (max_players > 1) work.players = static_cast<i32*>(frame.result(6).data) + first;
    }
    run_parallel(model, operation, work);
  });
  next.copy_converted();
  if (autoreset) last.copy_converted();
}

// The handler of change_params: (params, values of some options...) -> params. The attribute `options` has the numbers
// of the options; -1 is max_episode_steps.
void change_params(const CallFrame& frame) {
  const std::shared_ptr<PureModel> shared = model_of(frame);
  PureModel& model = *shared;
  const abi::Pure& pure = *model.table->pure;
  const i64 bytes = pure.params_bytes(model.handle);
  const std::vector<i32> options = frame.integers("options");
  const BatchShape batch(frame.result(0), frame.result(0).rank - 1);
  std::vector<Operand> operands{{frame.argument(0), batch.rank(), 1, bytes, "params"}};
  for (size_t i = 0; i < options.size(); ++i) {
    const Buffer& value = frame.argument(i64(i) + 1);
    const bool words = value.dtype == kU32;
    operands.emplace_back(value, batch.rank(), words ? 1 : 0, words ? 8 : itemsize(value.dtype), "value");
  }
  for (const i32 option : options) {
    if (option < -1 || option >= i32(model.options.size)) malformed("there is no such option");
  }
  u8* const out = rows_of_bytes(frame.result(0), bytes);
  model.cache->note_batch(batch.rows());
  std::vector<f64> values(options.size());
  std::vector<u8> resolved(size_t(pure.resolved_bytes(model.handle)));
  batch.for_each_run(operands, [&](i64 first, i64 count, const std::vector<abi::StridedRows>& operand_rows) {
    for (i64 k = 0; k < count; ++k) {
      const auto at = [&](size_t o) {
        return static_cast<const u8*>(operand_rows[o].data) + operand_rows[o].stride * k;
      };
      for (size_t i = 0; i < values.size(); ++i) {
        convert(frame.argument(i64(i) + 1).dtype, at(i + 1), kF64, &values[i], 1);
      }
      try_table([&](abi::TextSink error) {
        return pure.change_params(model.handle, at(0), first + k, &model.options, i32(options.size()), options.data(),
                                  values.data(), resolved.data(), error);
      });
      model.cache->insert(resolved.data());
      std::memcpy(out + (first + k) * bytes, resolved.data(), size_t(bytes));
    }
  });
}

// The handlers that read a part of a state row, and that replace one. The attribute `at` is the offset of the part in
// bytes, `dtype` its abi::Dtype.
void check_part(i64 at, i64 bytes, i64 row_bytes) {
  if (at < 0 || at > row_bytes || bytes > row_bytes - at) malformed("a part lies outside of its row");
}
void read_part(const CallFrame& frame) {
  const Buffer &rows = frame.argument(0), &result = frame.result(0);
  const DataType dtype = type_of_number(frame.integer("dtype"));
  const BatchShape batch(rows, rows.rank - 1);
  if (rows.dtype != kU32 || result.rank < batch.rank()) malformed("a row has another type or rank than the result");
  const i64 at = frame.integer("at"), bytes = rows.dims[rows.rank - 1] * 4, count = elements_of(result, batch.rank());
  check_elements(result, batch.rows() * count, "of a part");
  check_part(at, count * itemsize(dtype), bytes);
  for (i64 k = 0; k < batch.rows(); ++k) {
    convert(dtype, static_cast<const u8*>(rows.data) + k * bytes + at, result.dtype,
            static_cast<u8*>(result.data) + k * count * itemsize(result.dtype), count);
  }
}
void write_part(const CallFrame& frame) {
  const Buffer &value = frame.argument(1), &result = frame.result(0);
  const DataType dtype = type_of_number(frame.integer("dtype"));
  const BatchShape batch(result, result.rank - 1);
  const i64 at = frame.integer("at"), bytes = result.dims[result.rank - 1] * 4;
  const bool words = value.dtype == kU32;
  const i64 dimensions = value.rank - batch.rank();
  if (dimensions < words) malformed("value has another rank than the batch");
  i64 count = elements_of(value, batch.rank());
  const std::vector<Operand> operands{
      {frame.argument(0), batch.rank(), 1, bytes, "row"},
      {value, batch.rank(), dimensions, count * itemsize(value.dtype), "value"},
  };
  if (words) count /= 2;
  check_part(at, count * itemsize(dtype), bytes);
  u8* const out = rows_of_bytes(result, bytes);
  batch.for_each_run(operands, [&](i64 first, i64 rows, const std::vector<abi::StridedRows>& operand_rows) {
    for (i64 k = 0; k < rows; ++k) {
      u8* const row = out + (first + k) * bytes;
      std::memcpy(row, static_cast<const u8*>(operand_rows[0].data) + operand_rows[0].stride * k, size_t(bytes));
      convert(value.dtype, static_cast<const u8*>(operand_rows[1].data) + operand_rows[1].stride * k, dtype, row + at,
              count);
    }
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
template <auto kFunction>
Error* plain_handler(Call* call) noexcept {
  return run_handler(*call, kExecute, kFunction);
}
Error* instantiate_model(Call* call) noexcept { return instantiate(*call, models(), "model", kDeleted); }

}  // namespace

ModelInfo add_model(const abi::Table& table, const std::string& label, OptionList options, i32 max_episode_steps) {
  if (table.pure == nullptr) {
    throw std::invalid_argument("it cannot run in JAX: it is not portable");
  }
  auto owned = std::make_unique<PureModel>(&table, label, std::move(options));
  const abi::Pure& pure = *table.pure;
  void* const model = owned->handle;
  ModelInfo info{0, nullptr, pure.state_bytes(model), pure.params_bytes(model), pure.params_values, {}, {}};
  std::vector<u8>& resolved = owned->default_row;
  resolved.resize(size_t(pure.resolved_bytes(model)));
  TextBuffer parts;
  try_table([&](abi::TextSink error) {
    return pure.params(model, &owned->options, max_episode_steps, resolved.data(), error);
  });
  owned->cache->insert(resolved.data());
  info.params.assign(reinterpret_cast<const char*>(resolved.data()), size_t(info.params_bytes));
  try_table([&](abi::TextSink error) { return pure.view(parts, error); });
  info.view = parts.text;
  auto added = models().add(std::move(owned));
  info.model = added.number;
  info.reference = std::move(added.object);
  return info;
}

i64 live_models() { return models().size(); }

std::vector<Registration> handlers() {
  return {
      {"envpool_reset", &handler<[](const CallFrame& frame) { run(frame, Operation::kReset); }>, &instantiate_model},
      {"envpool_step", &handler<[](const CallFrame& frame) { run(frame, Operation::kStep); }>, &instantiate_model},
      {"envpool_change_params", &handler<change_params>, &instantiate_model},
      {"envpool_read_part", &plain_handler<read_part>, nullptr},
      {"envpool_write_part", &plain_handler<write_part>, nullptr},
  };
}

}  // namespace envpool::xla
