// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/functional.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>

#include "envpool/bindings/action_values.h"
#include "envpool/bindings/resolved_rows.h"
#include "envpool/bindings/xla_frame.h"
#include "envpool/core/pool/helper_threads.h"

namespace envpool::xla {
namespace {

struct Entry {
  const abi::Table* table;
  std::string label;
  const OptionList list;
  const abi::Options options;
  void* model = nullptr;
  std::vector<u8> made{};               // the resolved row of the options above; never changes once it is there
  std::optional<ResolvedRows> known{};  // parameters, that row among them
  // What a row took of late, in nanoseconds, of a step and of a reset: says how many threads a call is worth.
  std::atomic<f64> row_time[2]{0, 0};

  Entry(const abi::Table* of, std::string name, OptionList with)
      : table(of), label(std::move(name)), list(std::move(with)), options(list.view()) {
    const abi::Pure& pure = *table->pure;
    try_table([&](abi::Text error) { return table->model_create(&options, &model, error); });
    known.emplace(pure.params_bytes(model), pure.resolved_bytes(model));
  }
  ~Entry() { table->model_destroy(model); }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
};

Numbered<Entry>& entries() {
  static auto* all = new Numbered<Entry>;  // never destroyed: compiled code may run until the very end
  return *all;
}
constexpr const char* kGone =
    "envpool.jax: the environment of this program was deleted before the program was compiled; keep it until then";
std::shared_ptr<Entry> entry_of(const Frame& frame) { return numbered(frame, entries(), "model", kGone); }

// How many rows of a field an environment has: a row for each player, where there are several.
i64 rows_of(const abi::Layout& layout, const abi::Field& field) {
  return layout.max_players > 1 && field.per_player != 0 ? layout.max_players : 1;
}
i64 bytes_of(const abi::Layout& layout, const abi::Field& field) { return rows_of(layout, field) * field.row_bytes; }

template <class T>
void check_actions(const abi::Field& field, i64 players, const void* data, i64 rows, i64 first) {
  const ActionValues actions(field);
  const T* values = static_cast<const T*>(data);
  const i64 each = actions.per_row(), wrong = actions.first_wrong(values, rows * players * each);
  if (wrong < 0) return;
  const std::string whose = players == 1 ? "" : " of player " + std::to_string(wrong / each % players);
  const i64 row = first + wrong / (each * players);
  throw std::invalid_argument(actions.refusal(wrong, ActionValues::text(values[wrong]), row, whose));
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

// The action fields of one run as the environment reads them: its dtypes, and for all fields a row for each row, or
// one row for all of them.
class Actions {
 public:
  explicit Actions(const abi::Layout& layout) : layout_(layout), copies_(size_t(layout.num_actions)) {}

  void take(const Frame& frame, i64 first_argument, const abi::Lane* lanes, i64 count, i64 first_row) {
    one_ = true;
    for (i32 f = 0; f < layout_.num_actions; ++f) one_ &= lanes[f].stride == 0;
    data_.clear();
    for (i32 f = 0; f < layout_.num_actions; ++f) {
      const abi::Field& field = layout_.actions[f];
      const i64 rows = one_ ? 1 : count;
      const DataType from = frame.argument(first_argument + f).dtype, to = type_of(field.dtype);
      const void* data = lanes[f].data;
      if (from != to || (!one_ && lanes[f].stride == 0)) {
        const i64 own_bytes = bytes_of(layout_, field);
        const i64 elements = own_bytes / size_of(to), row_bytes = elements * size_of(from);
        copies_[size_t(f)].resize(size_t(rows * own_bytes));
        for (i64 k = 0; k < rows; ++k) {
          const u8* row = static_cast<const u8*>(lanes[f].data) + (lanes[f].stride == 0 ? 0 : k * row_bytes);
          convert(from, row, to, copies_[size_t(f)].data() + k * own_bytes, elements);
        }
        data = copies_[size_t(f)].data();
      }
      check_actions(field, rows_of(layout_, field), data, rows, first_row);
      data_.push_back(data);
    }
  }
  const void* const* data() const { return data_.data(); }
  bool one() const { return one_; }

 private:
  const abi::Layout& layout_;
  std::vector<std::vector<u8>> copies_;
  std::vector<const void*> data_;
  bool one_ = true;
};

// Where the fields of all rows are written: results, or scratch for what is not asked for or comes in another dtype.
class Fields {
 public:
  Fields(const abi::Layout& layout, i64 rows) : layout_(layout), rows_(rows), scratch_(size_t(layout.num_fields)) {
    results_.resize(size_t(layout.num_fields));
    base_.resize(size_t(layout.num_fields));
  }
  void send(i32 field, const Buffer& result) {
    const abi::Field& own = layout_.fields[field];
    check_elements(result, rows_ * (bytes_of(layout_, own) / size_of(type_of(own.dtype))), own.name);
    results_[size_t(field)] = &result;
  }
  void settle() {
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
  void deliver() const {
    for (i32 f = 0; f < layout_.num_fields; ++f) {
      const Buffer* result = results_[size_t(f)];
      const DataType own = type_of(layout_.fields[f].dtype);
      if (result == nullptr || result->dtype == own) continue;
      convert(own, base_[size_t(f)], result->dtype, result->data,
              rows_ * bytes_of(layout_, layout_.fields[f]) / size_of(own));
    }
  }

 private:
  const abi::Layout& layout_;
  const i64 rows_;
  std::vector<std::vector<u8>> scratch_;
  std::vector<const Buffer*> results_;
  std::vector<u8*> base_;
};

// Returns the rows of a result after checking that each has this many bytes.
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

// Work of which each thread has so much is worth its help, in nanoseconds.
constexpr f64 kWorthHelp = 10e3;
constexpr i64 kFewestRows = 8;

// The rows from `first` on, as many as `count`.
class Part {
 public:
  Part(const abi::PureWork& whole, const abi::Layout& layout, i64 first, i64 count) : work_(whole) {
    work_.count = count;
    work_.first += first;
    for (abi::Lane* lane : {&work_.keys, &work_.streams, &work_.params, &work_.states}) {
      lane->data = static_cast<const u8*>(lane->data) + lane->stride * first;
    }
    const auto column = [&](auto*& base, i64 each) { base = base == nullptr ? nullptr : base + first * each; };
    column(work_.reward, layout.max_players);
    column(work_.discount, layout.max_players);
    column(work_.terminated, 1);
    column(work_.truncated, 1);
    column(work_.elapsed, 1);
    column(work_.players, 1);
    for (i32 f = 0; whole.actions != nullptr && f < layout.num_actions; ++f) {
      const i64 offset = whole.one_action != 0 ? 0 : bytes_of(layout, layout.actions[f]) * first;
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
  void move_states(i64 bytes) { work_.new_states += bytes; }
  void set_params(const abi::Lane& params) { work_.params = params; }
  const abi::PureWork* work() const { return &work_; }

 private:
  abi::PureWork work_;
  std::vector<const void*> actions_;
  std::vector<void*> fields_, final_fields_;
};

// The parameters of some rows, checked and resolved. What is used afterwards is out of reach of the user.
void resolve(Entry& entry, const abi::Lane& rows, i64 first_row, i64 count, u8* out) {
  entry.known->find(rows, count, out, [&](i64 k, u8* resolved) {
    const u8* const row = static_cast<const u8*>(rows.data) + k * rows.stride;
    try_table([&](abi::Text error) {
      return entry.table->pure->change_params(entry.model, row, first_row + k, &entry.options, 0, nullptr, nullptr,
                                              resolved, error);
    });
  });
}

// Does work whose parameters are as the user gave them.
void do_work(Entry& entry, decltype(abi::Pure::step) function, const abi::PureWork& work) {
  constexpr i64 kCacheBytes = 65536;
  const abi::Pure& pure = *entry.table->pure;
  const i64 bytes = pure.resolved_bytes(entry.model), state_bytes = pure.state_bytes(entry.model);
  const auto call = [&](const abi::PureWork* what) {
    try_table([&](abi::Text error) { return function(entry.model, what, error); });
  };
  if (work.params.stride == 0) {
    std::vector<u8> params;
    abi::PureWork resolved = work;
    if (std::memcmp(work.params.data, entry.made.data(), size_t(pure.params_bytes(entry.model))) == 0) {
      resolved.params.data = entry.made.data();
    } else {
      params.resize(size_t(bytes));
      resolve(entry, work.params, work.first, 1, params.data());
      resolved.params.data = params.data();
    }
    return call(&resolved);
  }
  // So many rows at a time that their resolved parameters stay in a processor's cache.
  const i64 cached = std::max(kFewestRows, kCacheBytes / bytes / kFewestRows * kFewestRows);
  const i64 most = std::min(work.count, cached);
  const std::unique_ptr<u8[]> params(new u8[size_t(bytes * most)]);
  for (i64 first = 0; first < work.count; first += most) {
    Part part(work, *entry.table->layout(entry.model), first, std::min(most, work.count - first));
    resolve(entry, part.work()->params, part.work()->first, part.work()->count, params.get());
    part.move_states(first * state_bytes);
    part.set_params({params.get(), bytes});
    call(part.work());
  }
}

// Does the work, with other threads' help where it is worth it by what such work took before.
void share(Entry& entry, bool restart, const abi::PureWork& work) {
  const abi::Pure& pure = *entry.table->pure;
  const auto function = restart ? pure.reset : pure.step;
  std::atomic<f64>& row_time = entry.row_time[restart];
  const f64 before = row_time.load(std::memory_order_relaxed);
  HelperThreads& helpers = HelperThreads::shared();
  const f64 worth = before * f64(work.count) / kWorthHelp;
  // As many for each thread: with three for two, one would wait for the other's second.
  i64 parts = worth < 2 ? 1 : std::max<i64>(1, i64(std::min(worth / helpers.size(), 8.0))) * helpers.size();
  const abi::Layout& layout = *entry.table->layout(entry.model);
  const i64 fewest = layout.max_players > 1 ? 1 : kFewestRows;
  const i64 rows = std::max(fewest, (work.count + parts - 1) / parts + fewest - 1) / fewest * fewest;
  parts = (work.count + rows - 1) / rows;

  std::atomic<i64> spent{0};  // by all threads, without what they waited for each other
  const auto timed = [&](const abi::PureWork* what) {
    const auto begin = std::chrono::steady_clock::now();
    do_work(entry, function, *what);
    spent += std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  };
  if (parts == 1) {
    timed(&work);
  } else {
    const i64 state_bytes = pure.state_bytes(entry.model);
    helpers.run(parts, [&](i64 i) {
      const PlainArithmetic arithmetic;
      Part part(work, layout, i * rows, std::min(rows, work.count - i * rows));
      part.move_states(i * rows * state_bytes);
      timed(part.work());
    });
  }
  const f64 now = f64(spent.load()) / f64(work.count);
  row_time.store(before == 0 ? now : 0.75 * before + 0.25 * now, std::memory_order_relaxed);
}

// The two calls: (key, stream, params) -> (state, observations), and (key, stream, params, state, actions) -> (state,
// reward, discount, terminated, truncated, elapsed[, players], observations[, final observations], infos). Attribute
// `observed` has a bit for each field that is an observation. Of the final observations the rows that ended are
// written. Of several players, reward, discount and what is per player have an axis of them after the batch's, and
// there are `players`.
void run(const Frame& frame, bool restart) {
  const std::shared_ptr<Entry> kept = entry_of(frame);
  Entry& entry = *kept;
  const abi::Pure& pure = *entry.table->pure;
  const abi::Layout& layout = *entry.table->layout(entry.model);
  const u64 observed = u64(frame.integer("observed"));
  const bool autoreset = !restart && frame.integer("autoreset") != 0;
  const i64 state_bytes = pure.state_bytes(entry.model), most = layout.max_players;
  const Batch batch(frame.result(0), frame.result(0).rank - 1);
  u8* const states = aligned_rows(frame.result(0), state_bytes);

  std::vector<Operand> operands{
      {frame.argument(0), batch.rank(), 1, 2 * sizeof(u32), "key"},
      {frame.argument(1), batch.rank(), 0, sizeof(u32), "stream"},
      {frame.argument(2), batch.rank(), 1, pure.params_bytes(entry.model), "params"},
  };
  if (!restart) {
    operands.emplace_back(frame.argument(3), batch.rank(), 1, state_bytes, "state");
    for (i32 f = 0; f < layout.num_actions; ++f) {
      const abi::Field& field = layout.actions[f];
      const Buffer& action = frame.argument(4 + f);
      const i64 players = rows_of(layout, field);
      const i64 bytes = players * (field.row_bytes / size_of(type_of(field.dtype)) * size_of(action.dtype));
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
  const Column columns[] = {{"reward", kF32, most},  {"discount", kF32, most},  {"terminated", kPred, 1},
                            {"truncated", kPred, 1}, {"elapsed_step", kS32, 1}, {"players", kS32, 1}};
  for (i64 i = 0; !restart && i < (most > 1 ? 6 : 5); ++i) {
    check_type(frame.result(1 + i), columns[i].dtype, columns[i].name);
    check_elements(frame.result(1 + i), batch.rows() * columns[i].each, columns[i].name);
  }
  Fields next(layout, batch.rows()), last(layout, batch.rows());
  i64 result = restart ? 1 : most > 1 ? 7 : 6;
  for (Fields* fields : {&next, &last}) {
    if (fields == &last && !autoreset) break;
    for (i32 f = 0; f < layout.num_fields; ++f) {
      if (observed >> f & 1) fields->send(f, frame.result(result++));
    }
  }
  for (i32 f = 0; !restart && f < layout.num_fields; ++f) {
    if (!(observed >> f & 1)) (autoreset ? last : next).send(f, frame.result(result++));
  }
  if (result != frame.results()) malformed("there are more results than fields");
  next.settle();
  if (autoreset) last.settle();

  Actions actions(layout);
  batch.each_run(operands, [&](i64 first, i64 count, const std::vector<abi::Lane>& lanes) {
    if (lanes[2].stride != 0) entry.known->expect(count);
    const std::vector<void*> fields = next.from_row(first), final_fields = last.from_row(first);
    abi::PureWork work{.count = count,
                       .first = first,
                       .keyed = abi::kNewKeyAndStream,
                       .keys = lanes[0],
                       .streams = lanes[1],
                       .params = lanes[2],
                       .states = {},
                       .actions = nullptr,
                       .one_action = 0,
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
      actions.take(frame, 4, lanes.data() + 4, count, first);
      work.keyed = abi::Keyed(keyed);
      work.states = lanes[3];
      work.actions = actions.data();
      work.one_action = actions.one();
      work.reward = static_cast<f32*>(frame.result(1).data) + first * most;
      work.discount = static_cast<f32*>(frame.result(2).data) + first * most;
      work.terminated = static_cast<u8*>(frame.result(3).data) + first;
      work.truncated = static_cast<u8*>(frame.result(4).data) + first;
      work.elapsed = static_cast<i32*>(frame.result(5).data) + first;
      if (most > 1) work.players = static_cast<i32*>(frame.result(6).data) + first;
    }
    share(entry, restart, work);
  });
  next.deliver();
  if (autoreset) last.deliver();
}

// (params, values of some options...) -> params. Attribute `options` numbers them; -1 is max_episode_steps.
void change_params(const Frame& frame) {
  const std::shared_ptr<Entry> kept = entry_of(frame);
  Entry& entry = *kept;
  const abi::Pure& pure = *entry.table->pure;
  const i64 bytes = pure.params_bytes(entry.model);
  const std::vector<i32> options = frame.integers("options");
  const Batch batch(frame.result(0), frame.result(0).rank - 1);
  std::vector<Operand> operands{{frame.argument(0), batch.rank(), 1, bytes, "params"}};
  for (size_t i = 0; i < options.size(); ++i) {
    const Buffer& value = frame.argument(i64(i) + 1);
    const bool words = value.dtype == kU32;
    operands.emplace_back(value, batch.rank(), words ? 1 : 0, words ? 8 : size_of(value.dtype), "value");
  }
  for (const i32 option : options) {
    if (option < -1 || option >= i32(entry.options.size)) malformed("there is no such option");
  }
  u8* const out = rows_of_bytes(frame.result(0), bytes);
  entry.known->expect(batch.rows());
  std::vector<f64> values(options.size());
  std::vector<u8> resolved(size_t(pure.resolved_bytes(entry.model)));
  batch.each_run(operands, [&](i64 first, i64 count, const std::vector<abi::Lane>& lanes) {
    for (i64 k = 0; k < count; ++k) {
      const auto at = [&](size_t o) { return static_cast<const u8*>(lanes[o].data) + lanes[o].stride * k; };
      for (size_t i = 0; i < values.size(); ++i) {
        convert(frame.argument(i64(i) + 1).dtype, at(i + 1), kF64, &values[i], 1);
      }
      try_table([&](abi::Text error) {
        return pure.change_params(entry.model, at(0), first + k, &entry.options, i32(options.size()), options.data(),
                                  values.data(), resolved.data(), error);
      });
      entry.known->learn(resolved.data());
      std::memcpy(out + (first + k) * bytes, resolved.data(), size_t(bytes));
    }
  });
}

// A part of a row of bytes, and a row with a part replaced. Attribute `at` is where it is, `dtype` its abi::Dtype.
void check_part(i64 at, i64 bytes, i64 row_bytes) {
  if (at < 0 || at > row_bytes || bytes > row_bytes - at) malformed("a part lies outside of its row");
}
void read_part(const Frame& frame) {
  const Buffer &rows = frame.argument(0), &result = frame.result(0);
  const DataType dtype = type_of_number(frame.integer("dtype"));
  const Batch batch(rows, rows.rank - 1);
  if (rows.dtype != kU32 || result.rank < batch.rank()) malformed("a row has another type or rank than the result");
  const i64 at = frame.integer("at"), bytes = rows.dims[rows.rank - 1] * 4, count = elements_of(result, batch.rank());
  check_elements(result, batch.rows() * count, "of a part");
  check_part(at, count * size_of(dtype), bytes);
  for (i64 k = 0; k < batch.rows(); ++k) {
    convert(dtype, static_cast<const u8*>(rows.data) + k * bytes + at, result.dtype,
            static_cast<u8*>(result.data) + k * count * size_of(result.dtype), count);
  }
}
void write_part(const Frame& frame) {
  const Buffer &value = frame.argument(1), &result = frame.result(0);
  const DataType dtype = type_of_number(frame.integer("dtype"));
  const Batch batch(result, result.rank - 1);
  const i64 at = frame.integer("at"), bytes = result.dims[result.rank - 1] * 4;
  const bool words = value.dtype == kU32;
  const i64 dimensions = value.rank - batch.rank();
  if (dimensions < words) malformed("value has another rank than the batch");
  i64 count = elements_of(value, batch.rank());
  const std::vector<Operand> operands{
      {frame.argument(0), batch.rank(), 1, bytes, "row"},
      {value, batch.rank(), dimensions, count * size_of(value.dtype), "value"},
  };
  if (words) count /= 2;
  check_part(at, count * size_of(dtype), bytes);
  u8* const out = rows_of_bytes(result, bytes);
  batch.each_run(operands, [&](i64 first, i64 rows, const std::vector<abi::Lane>& lanes) {
    for (i64 k = 0; k < rows; ++k) {
      u8* const row = out + (first + k) * bytes;
      std::memcpy(row, static_cast<const u8*>(lanes[0].data) + lanes[0].stride * k, size_t(bytes));
      convert(value.dtype, static_cast<const u8*>(lanes[1].data) + lanes[1].stride * k, dtype, row + at, count);
    }
  });
}

// Errors in the arguments begin with the environment's id.
template <auto kFunction>
Error* handler(Call* call) noexcept {
  return answer(*call, kExecute, [](const Frame& frame) {
    try {
      kFunction(frame);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("[" + entry_of(frame)->label + "] " + error.what());
    }
  });
}
template <auto kFunction>
Error* plain_handler(Call* call) noexcept {
  return answer(*call, kExecute, kFunction);
}
Error* keep_model(Call* call) noexcept { return instantiate(*call, entries(), "model", kGone); }

}  // namespace

Described add_model(const abi::Table& table, const std::string& label, OptionList options, i32 max_episode_steps) {
  if (table.pure == nullptr) {
    throw std::invalid_argument("it cannot run in JAX: it is not portable");
  }
  auto entry = std::make_unique<Entry>(&table, label, std::move(options));
  const abi::Pure& pure = *table.pure;
  void* const model = entry->model;
  Described made{0, nullptr, pure.state_bytes(model), pure.params_bytes(model), pure.params_values, {}, {}};
  std::vector<u8>& resolved = entry->made;
  resolved.resize(size_t(pure.resolved_bytes(model)));
  Collected parts;
  try_table(
      [&](abi::Text error) { return pure.params(model, &entry->options, max_episode_steps, resolved.data(), error); });
  entry->known->learn(resolved.data());
  made.params.assign(reinterpret_cast<const char*>(resolved.data()), size_t(made.params_bytes));
  try_table([&](abi::Text error) { return pure.view(parts, error); });
  made.view = parts.text;
  auto added = entries().add(std::move(entry));
  made.model = added.number;
  made.kept = std::move(added.thing);
  return made;
}

i64 live_models() { return entries().size(); }

std::vector<Registration> handlers() {
  return {
      {"envpool_reset", &handler<[](const Frame& frame) { run(frame, true); }>, &keep_model},
      {"envpool_step", &handler<[](const Frame& frame) { run(frame, false); }>, &keep_model},
      {"envpool_change_params", &handler<change_params>, &keep_model},
      {"envpool_read_part", &plain_handler<read_part>, nullptr},
      {"envpool_write_part", &plain_handler<write_part>, nullptr},
  };
}

}  // namespace envpool::xla
