// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/jax/pool.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <numeric>
#include <random>
#include <type_traits>

#include "envpool/bindings/action_values.h"
#include "envpool/bindings/jax/frame.h"

namespace envpool::xla {
namespace {

// `process` is a random number, by which a handle from another process is rejected.
struct PoolHandle {
  u32 number, process;
};

Registry<PoolEntry>& pool_entries() {
  static auto* registry = new Registry<PoolEntry>;  // never destroyed: compiled code may run during exit
  return *registry;
}
constexpr const char* kPoolDeleted =
    "envpool: the pool of this program was deleted before the program was compiled; keep it while the program runs";
u32 process_mark() {
  static const u32 mark = std::random_device{}();
  return mark;
}

// Arrays have fixed extents in XLA. In rows that are padding, env_id and players.env_id have this value.
constexpr i32 kPadding = -1;

// The rows of the arguments that are not padding.
struct RowSelection {
  i64 total = 0;
  bool all = true;
  std::vector<i64> indices{};  // unless `all`

  i64 count() const { return all ? total : i64(indices.size()); }
  i64 operator[](i64 k) const { return all ? k : indices[size_t(k)]; }

  // Selects the rows whose id is not padding, and removes the padding from `ids`.
  static RowSelection without_padding(std::vector<i32>& ids) {
    RowSelection rows{.total = i64(ids.size())};
    for (size_t k = 0; k < ids.size(); ++k) {
      if (ids[k] == kPadding) continue;
      ids[rows.indices.size()] = ids[k];
      rows.indices.push_back(i64(k));
    }
    rows.all = rows.indices.size() == ids.size();
    ids.resize(rows.indices.size());
    return rows;
  }
  static RowSelection first(i64 count, i64 total) {
    RowSelection rows{.total = total, .all = count == total};
    for (i64 k = 0; !rows.all && k < count; ++k) rows.indices.push_back(k);
    return rows;
  }
};

// The part of a call that belongs to one pool: the operands and results without the leading axes that vmap has added. A
// call without vmap is a batch of one.
class PoolFrame {
 public:
  PoolFrame(const CallFrame& frame, const BatchShape& batch, i64 row) : frame_(frame) {
    for (i64 i = 0; i < frame.arguments(); ++i) arguments_.push_back(part(frame.argument(i), batch, row));
    for (i64 i = 0; i < frame.results(); ++i) results_.push_back(part(frame.result(i), batch, row));
  }
  const Buffer& argument(i64 i) const {
    if (i >= i64(arguments_.size())) malformed("argument " + std::to_string(i) + " is missing");
    return arguments_[size_t(i)];
  }
  const Buffer& result(i64 i) const {
    if (i >= i64(results_.size())) malformed("result " + std::to_string(i) + " is missing");
    return results_[size_t(i)];
  }
  i64 integer(std::string_view name) const { return frame_.integer(name); }
  std::vector<i32> integers(std::string_view name) const { return frame_.integers(name); }

 private:
  static Buffer part(const Buffer& whole, const BatchShape& batch, i64 row) {
    if (whole.rank < batch.rank()) malformed("an operand has a lower rank than the batch");
    for (i64 i = 0; i < batch.rank(); ++i) {
      if (whole.dims[i] != batch.dims()[i] && whole.dims[i] != 1) malformed("an operand does not fit into the batch");
    }
    Buffer one = whole;
    one.rank -= batch.rank();
    one.dims += batch.rank();
    one.data = static_cast<u8*>(whole.data) + batch.row_of(whole.dims, row) * elements_of(one) * itemsize(one.dtype);
    return one;
  }
  const CallFrame& frame_;
  std::vector<Buffer> arguments_, results_;
};

// Converts the arguments of a call to those of EnvPool::send: checked, in the environment's dtypes, and without
// padding. Bit 0 of the attribute `named` is set if env_id is passed, bit 1 if players.env_id is.
class SendArguments {
 public:
  SendArguments(const PoolFrame& frame, EnvPool& pool) : pool_(pool), layout_(pool.layout()) {
    const i64 named = frame.integer("named");
    i64 next = 1;  // after the handle
    if (named & 1) {
      ids_ = integers(frame.argument(next++), "env_id");
      envs_ = RowSelection::without_padding(ids_);
    } else {
      ids_.resize(size_t(pool.num_envs()));
      for (i32 i = 0; i < pool.num_envs(); ++i) ids_[size_t(i)] = i;
      envs_.total = pool.num_envs();
    }
    if (named & 2) {
      owners_ = integers(frame.argument(next++), "players.env_id");
      players_ = RowSelection::without_padding(owners_);
      has_owners_ = true;
    }
    for (i32 f = 0; f < layout_.num_actions; ++f) {
      const abi::Field& field = layout_.actions[f];
      const Buffer& buffer = frame.argument(next++);
      if (buffer.rank != 1 + field.dimensions) malformed(std::string(field.name) + " has another rank");
      const bool per_player = layout_.max_players > 1 && field.per_player != 0;
      if (per_player && !has_owners_) players_ = select_grouped(buffer.dims[0]);
      convert(field, buffer, per_player ? players_ : envs_);
    }
  }
  const i32* ids() const { return ids_.data(); }
  i32 count() const { return i32(ids_.size()); }
  const i32* owners() const { return has_owners_ ? owners_.data() : nullptr; }
  const void* const* actions() const { return actions_.data(); }
  i32 player_rows() const { return i32(players_.count()); }

 private:
  [[noreturn]] void reject(const std::string& what) const { throw std::invalid_argument(pool_.text(what)); }

  std::vector<i32> integers(const Buffer& buffer, const char* name) const {
    if (buffer.rank != 1) malformed(std::string(name) + " is not one-dimensional");
    std::vector<i32> ids;
    with_integers(buffer, [&](const auto* values) {
      for (i64 k = 0; k < buffer.dims[0]; ++k) {
        const i64 id = i64(values[k]);
        if (id < kPadding || id >= pool_.num_envs()) {
          reject(std::string(name) + ": expected ids in 0.." + std::to_string(pool_.num_envs() - 1) + ", got " +
                 std::to_string(id));
        }
        ids.push_back(i32(id));
      }
    });
    return ids;
  }

  // Selects the rows of players in a call that does not pass players.env_id, where rows are grouped by environment. If
  // there is a row for each possible player, the rows after the players' rows are padding.
  RowSelection select_grouped(i64 total) {
    std::vector<i32> counts(ids_.size());
    pool_.players(ids_.data(), i32(ids_.size()), counts.data());
    const i64 players = std::accumulate(counts.begin(), counts.end(), i64{0});
    return total == envs_.total * layout_.max_players ? RowSelection::first(players, total)
                                                      : RowSelection{.total = total};
  }

  template <class Use>
  static void with_integers(const Buffer& buffer, Use&& use) {
    switch (buffer.dtype) {
      case kU8: return use(static_cast<const u8*>(buffer.data));
      case kS32: return use(static_cast<const i32*>(buffer.data));
      case kU32: return use(static_cast<const u32*>(buffer.data));
      case kS64: return use(static_cast<const i64*>(buffer.data));
      default: malformed("integers come as XLA's type " + std::to_string(buffer.dtype));
    }
  }

  void convert(const abi::Field& field, const Buffer& buffer, const RowSelection& rows) {
    const auto integers = [&]<class To>(To) {
      with_integers(buffer, [&](const auto* from) { copy<To>(field, buffer, from, rows); });
    };
    const auto reals = [&]<class To>(To) {
      if (buffer.dtype == kF32) return copy<To>(field, buffer, static_cast<const f32*>(buffer.data), rows);
      if (buffer.dtype == kF64) return copy<To>(field, buffer, static_cast<const f64*>(buffer.data), rows);
      malformed(std::string(field.name) + " has XLA's type " + std::to_string(buffer.dtype));
    };
    switch (field.dtype) {
      case abi::kBool:
        if (buffer.dtype != kPred) malformed(std::string(field.name) + " is not of booleans");
        return copy<bool>(field, buffer, static_cast<const bool*>(buffer.data), rows);
      case abi::kU8: return integers(u8());
      case abi::kI32: return integers(i32());
      case abi::kI64: return integers(i64());
      case abi::kF32: return reals(f32());
      case abi::kF64: return reals(f64());
    }
  }

  // Checks the selected rows. Copies them, unless they can be used in place.
  template <class To, class From>
  void copy(const abi::Field& field, const Buffer& buffer, const From* from, const RowSelection& rows) {
    i64 per_row = 1;
    for (i32 i = 0; i < field.dimensions; ++i) per_row *= buffer.dims[1 + i];
    if (buffer.dims[0] != rows.total || per_row * i64(sizeof(To)) != field.row_bytes) {
      malformed(std::string(field.name) + " has another shape");
    }
    To* to = nullptr;
    if (!rows.all || !std::is_same_v<From, To>) {
      copies_.emplace_back(size_t(rows.count() * field.row_bytes));
      to = reinterpret_cast<To*>(copies_.back().data());
    }
    actions_.push_back(to != nullptr ? static_cast<const void*>(to) : from);
    const ActionValues values(field);
    for (i64 k = 0; k < rows.count(); ++k) {
      const From* const row = from + rows[k] * per_row;
      for (i64 i = 0; i < per_row; ++i) {
        if (!values.fits<To>(i, row[i])) reject(values.refusal(i, value_text<To>(row[i]), rows[k]));
        if (to != nullptr) *to++ = To(row[i]);
      }
    }
  }
  // Returns a value for an error message: a float after conversion to the environment's dtype, an integer unchanged.
  template <class To, class From>
  static std::string value_text(From value) {
    if constexpr (std::is_floating_point_v<To>) return ActionValues::text(To(value));
    return ActionValues::text(value);
  }

  EnvPool& pool_;
  const abi::Layout& layout_;
  std::vector<i32> ids_, owners_;
  bool has_owners_ = false;
  RowSelection envs_, players_{};
  std::vector<std::vector<u8>> copies_;
  std::vector<const void*> actions_;
};

PoolRegistration register_pool(PoolEntry entry) {
  auto added = pool_entries().add(std::make_unique<PoolEntry>(std::move(entry)));
  return {added.number, std::move(added.object)};
}

// Copies the arrays of a batch into XLA's results, which have room for the largest possible batch, and pads them.
class ResultWriter {
 public:
  explicit ResultWriter(const Block& block) : block_(block), layout_(block.layout()) {}

  void write(i32 index, const Buffer& result) const {
    if (index < 0 || size_t(index) >= layout_.arrays.size()) malformed("there is no such output");
    const envpool::Array& array = layout_.arrays[size_t(index)];
    const DataType own = type_of(array.dtype);
    const i64 per_row = array.row_bytes / itemsize(own), row_bytes = per_row * itemsize(result.dtype);
    const i64 rows = i64(layout_.rows) * (array.per_player ? layout_.max_players : 1), entries = block_.entries(index);
    i64 extent = 1;
    for (i64 i = 0; i < result.rank; ++i) extent *= result.dims[i];
    if (extent != rows * per_row) malformed("a result has another shape than " + array.name);
    u8* const to = static_cast<u8*>(result.data);
    const i32 current = index - layout_.own_fields;  // of a final array: the array of current observations
    if (layout_.has_final && current >= abi::kCommonFields && current < abi::kCommonFields + layout_.own_fields) {
      const bool multi_player = array.per_player && layout_.max_players > 1;
      for (i64 env = 0, row = 0; env < block_.rows(); ++env) {
        const i64 count = multi_player ? block_.values<i32>(abi::kPlayers)[env] : 1;
        const u8* const from = block_.data(ended(env) ? index : current);
        convert(own, from + row * array.row_bytes, result.dtype, to + row * row_bytes, count * per_row);
        row += count;
      }
    } else {
      convert(own, block_.data(index), result.dtype, to, entries * per_row);
    }
    const bool names_rows = index == abi::kEnvId || array.name == "players.env_id";
    std::memset(to + entries * row_bytes, names_rows ? 0xFF : 0, size_t((rows - entries) * row_bytes));
    static_assert(kPadding == -1);  // so its bytes are 0xFF
  }

 private:
  bool ended(i64 env) const {
    return (block_.values<u8>(abi::kTerminated)[env] | block_.values<u8>(abi::kTruncated)[env]) != 0;
  }

  const Block& block_;
  const BlockLayout& layout_;
};

// Writes the results, which follow the handle. The attribute `outputs` lists the numbers of their arrays.
void write_results(const PoolFrame& frame, const Block& block) {
  const std::vector<i32> outputs = frame.integers("outputs");
  const ResultWriter writer(block);
  for (size_t i = 0; i < outputs.size(); ++i) writer.write(outputs[i], frame.result(i64(i) + 1));
}

// One call to a pool or, under vmap, to several equal pools, which run at the same time. The attribute `pool` has the
// number of the pool with which the program was traced, and the first argument has a handle for each pool.
class PoolCall {
 public:
  PoolCall(const CallFrame& frame, const char* name) : traced_(entry_of(frame)), number_(frame.integer("pool")) {
    label_ = "[" + traced_->label + "] ";
    const Buffer &handles = frame.argument(0), &returned = frame.result(0);
    if (traced_->locked != nullptr) {
      throw std::invalid_argument(label_ + name + ": expected a program on " + traced_->device +
                                  ", where the pool is, got one on the CPU");
    }
    for (const Buffer* buffer : {&handles, &returned}) {
      const bool fits = buffer->rank >= 1 && buffer->rank == handles.rank &&
                        buffer->dims[buffer->rank - 1] * itemsize(buffer->dtype) == sizeof(PoolHandle);
      if (!fits) malformed("the handle has another size");
    }
    const BatchShape batch(returned, returned.rank - 1);
    for (i64 i = 0; i < batch.rank(); ++i) {
      if (handles.dims[i] == batch.dims()[i]) continue;
      throw std::invalid_argument(label_ + name +
                                  ": a pool cannot be vmapped, because its batch is its environments; " +
                                  "use scan or a loop, or vmap over the stacked handles of equal pools");
    }
    for (i64 row = 0; row < batch.rows(); ++row) {
      const PoolFrame part(frame, batch, row);
      PoolHandle handle;
      std::memcpy(&handle, part.argument(0).data, sizeof(handle));
      called_.push_back(called_pool(handle, batch.rank() > 0, name, part));
      std::memcpy(part.result(0).data, &handle, sizeof(handle));
    }
    if (called_.size() < 2) return;
    for (const CalledPool& called : called_) order_.push_back(&called);
    std::sort(order_.begin(), order_.end(),
              [](const CalledPool* a, const CalledPool* b) { return a->number < b->number; });
    for (size_t k = 1; k < order_.size(); ++k) {
      if (order_[k - 1]->number != order_[k]->number) continue;
      throw std::invalid_argument(label_ + "handle: expected handles of different pools, got the same one twice");
    }
  }

  // Nothing is sent if one of the pools refuses its arguments.
  void send() { send_all(CallerHelp::kNo); }

  // Receives from every pool, even if one of them fails.
  void recv(CallerHelp help = CallerHelp::kNo) {
    std::exception_ptr error;
    for (const CalledPool& called : called_) {
      try {
        receive(called, help);
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    }
    if (error) std::rethrow_exception(error);
  }

  void step() {
    std::vector<std::unique_lock<std::timed_mutex>>
        locks;  // in the order of their numbers, so that no two calls deadlock
    if (called_.size() == 1) locks.emplace_back(*called_[0].step_mutex);
    for (const CalledPool* called : order_) locks.emplace_back(*called->step_mutex);
    send_all(CallerHelp::kYes);
    recv(CallerHelp::kYes);
  }

 private:
  // One of the pools, with its operands and results.
  struct CalledPool {
    u32 number;
    std::shared_ptr<EnvPool> pool;
    std::shared_ptr<std::timed_mutex> step_mutex;
    PoolFrame frame;
  };

  CalledPool called_pool(const PoolHandle& handle, bool several, const char* name, const PoolFrame& frame) const {
    std::shared_ptr<PoolEntry> entry = traced_;
    if (handle.process != process_mark() || i64(handle.number) != number_) {
      entry = handle.process == process_mark() ? pool_entries().find(handle.number) : nullptr;
      if (entry == nullptr || !several) {
        std::string got = "something else";
        if (entry != nullptr) {
          got = "the handle of another pool, of " + entry->label;
        } else if (handle.process == process_mark() && pool_entries().was_issued(handle.number)) {
          got = "the handle of a deleted pool";
        }
        throw std::invalid_argument(label_ + "handle: expected the handle that xla() of this pool returned, got " +
                                    got);
      }
    }
    if (entry->locked != nullptr) {
      throw std::invalid_argument(label_ + "handle: expected handles of pools on the CPU, got one of a pool on " +
                                  entry->device);
    }
    std::shared_ptr<EnvPool> pool = entry->pool.lock();
    if (!pool) throw std::runtime_error("[" + entry->label + "] " + name + ": the pool is closed");
    if (pool->forked()) {
      throw std::runtime_error("[" + entry->label +
                               "] this pool was made in the parent process; a forked child must make its own");
    }
    if (entry != traced_) check_equal(*entry, *pool);
    return {handle.number, std::move(pool), entry->step_mutex, frame};
  }

  // Throws unless a pool has the id, sizes and arrays of the pool with which the program was traced.
  void check_equal(const PoolEntry& entry, const EnvPool& pool) const {
    const std::shared_ptr<EnvPool> traced = traced_->pool.lock();
    if (!traced) throw std::runtime_error(label_ + "the pool with which this program was traced is closed");
    const auto text = [](const std::string& label, const EnvPool& one) {
      return label + " with num_envs=" + std::to_string(one.num_envs()) +
             " and batch_size=" + std::to_string(one.batch_size());
    };
    if (entry.label == traced_->label && pool.num_envs() == traced->num_envs() &&
        pool.batch_size() == traced->batch_size() && pool.block_layout().same_arrays(traced->block_layout())) {
      return;
    }
    throw std::invalid_argument(label_ + "handle: expected handles of equal pools, " + text(traced_->label, *traced) +
                                ", got one of " + text(entry.label, pool) +
                                (entry.label == traced_->label ? ", perhaps with other options" : ""));
  }

  void send_all(CallerHelp help) {
    std::vector<SendArguments> arguments;
    arguments.reserve(called_.size());
    for (const CalledPool& called : called_) arguments.emplace_back(called.frame, *called.pool);
    const auto send_to = [&](size_t k, Sending sending) {
      const SendArguments& a = arguments[k];
      called_[k].pool->send(a.ids(), a.count(), a.actions(), a.owners(), a.player_rows(), help, Caller::kXla, sending);
    };
    for (size_t k = 0; called_.size() > 1 && k < called_.size(); ++k) send_to(k, Sending::kCheckOnly);
    for (size_t k = 0; k < called_.size(); ++k) {
      try {
        send_to(k, Sending::kQueue);
      } catch (...) {  // another thread has called or closed the pool since the check, or memory has run out
        if (help == CallerHelp::kYes) discard_results(k);
        throw;
      }
    }
  }
  // Receives from the first pools, to which a step has sent, without using the results.
  void discard_results(size_t count) {
    for (size_t k = 0; k < count; ++k) {
      try {
        static_cast<void>(called_[k].pool->recv({}, {}, CallerHelp::kYes, Caller::kXla));
      } catch (const std::exception&) {
      }
    }
  }

  static void receive(const CalledPool& called, CallerHelp help) {
    EnvPool& pool = *called.pool;
    envpool::Batch batch = pool.begin_recv({}, {}, help, Caller::kXla);
    try {
      std::string summary;
      for (const Failure& failure : batch->failures()) {
        if (!summary.empty()) summary += "; ";
        summary += "environment " + std::to_string(failure.env_id) + ": " + failure.message;
      }
      if (!summary.empty()) throw std::runtime_error(pool.text(summary));
      write_results(called.frame, *batch);
    } catch (const std::bad_alloc&) {
      pool.put_back(std::move(batch));
      throw;
    } catch (...) {
      pool.settle(*batch);
      throw;
    }
    pool.settle(*batch);
  }

  const std::shared_ptr<PoolEntry> traced_;
  const i64 number_;
  std::string label_;
  std::vector<CalledPool> called_;
  std::vector<const CalledPool*> order_;  // by number, if there are several
};

}  // namespace

PoolRegistration register_pool(const std::shared_ptr<EnvPool>& pool, std::shared_ptr<std::timed_mutex> step_mutex) {
  return register_pool(PoolEntry{pool, std::move(step_mutex), nullptr, pool->label(), "cpu"});
}
PoolRegistration register_pool(std::shared_ptr<cuda::LockedPool> locked, std::string label, std::string device) {
  return register_pool(PoolEntry{{}, nullptr, std::move(locked), std::move(label), std::move(device)});
}

i64 live_pool_entries() { return pool_entries().size(); }

std::string handle_of(i64 number) {
  const PoolHandle handle{u32(number), process_mark()};
  return {reinterpret_cast<const char*>(&handle), sizeof(handle)};
}

std::shared_ptr<PoolEntry> entry_of(const CallFrame& frame) {
  return look_up(frame, pool_entries(), "pool", kPoolDeleted);
}

Error* instantiate_pool(Call* call) noexcept { return instantiate(*call, pool_entries(), "pool", kPoolDeleted); }
Error* pool_send(Call* call) noexcept {
  return run_handler(*call, kExecute, [](const CallFrame& frame) { PoolCall(frame, "send").send(); });
}
Error* pool_recv(Call* call) noexcept {
  return run_handler(*call, kExecute, [](const CallFrame& frame) { PoolCall(frame, "recv").recv(); });
}
Error* pool_step(Call* call) noexcept {
  return run_handler(*call, kExecute, [](const CallFrame& frame) { PoolCall(frame, "step").step(); });
}

std::vector<Registration> pool_handlers() {
  return {{"envpool_pool_send", &pool_send, &instantiate_pool},
          {"envpool_pool_recv", &pool_recv, &instantiate_pool},
          {"envpool_pool_step", &pool_step, &instantiate_pool}};
}

}  // namespace envpool::xla
