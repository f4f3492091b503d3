// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/xla_pool.h"

#include <cstring>
#include <numeric>
#include <random>
#include <type_traits>

#include "envpool/bindings/action_values.h"
#include "envpool/bindings/xla_frame.h"

namespace envpool::xla {
namespace {

struct Port {
  std::weak_ptr<EnvPool> pool;
  std::shared_ptr<std::timed_mutex> turn;
  std::string label;
};

// The second word keeps a handle that went to another process from being taken for one of this.
struct Handle {
  u32 port, process;
};

Numbered<Port>& ports() {
  static auto* all = new Numbered<Port>;  // never destroyed: compiled code may run until the very end
  return *all;
}
constexpr const char* kGone =
    "envpool: the pool of this program was deleted before the program was compiled; keep it while the program runs";
u32 this_process() {
  static const u32 mark = std::random_device{}();
  return mark;
}

// Arrays have fixed extents in XLA. Rows without content say so in env_id and players.env_id.
constexpr i32 kPadding = -1;

// Which rows of the arguments are meant.
struct Rows {
  i64 given = 0;
  bool all = true;
  std::vector<i64> kept{};  // unless all are

  i64 count() const { return all ? given : i64(kept.size()); }
  i64 operator[](i64 k) const { return all ? k : kept[size_t(k)]; }

  // Those of `ids` that are no padding, which is dropped from it.
  static Rows without_padding(std::vector<i32>& ids) {
    Rows rows{.given = i64(ids.size())};
    for (size_t k = 0; k < ids.size(); ++k) {
      if (ids[k] == kPadding) continue;
      ids[rows.kept.size()] = ids[k];
      rows.kept.push_back(i64(k));
    }
    rows.all = rows.kept.size() == ids.size();
    ids.resize(rows.kept.size());
    return rows;
  }
  static Rows first(i64 count, i64 given) {
    Rows rows{.given = given, .all = count == given};
    for (i64 k = 0; !rows.all && k < count; ++k) rows.kept.push_back(k);
    return rows;
  }
};

// A call's arguments as EnvPool::send takes them: checked, in the environment's dtypes, and without padding. Attribute
// `named` has bit 0 when env_id is given, and bit 1 when players.env_id is.
class Sent {
 public:
  Sent(const Frame& frame, EnvPool& pool) : pool_(pool), layout_(pool.layout()) {
    const i64 named = frame.integer("named");
    i64 next = 1;  // after the handle
    if (named & 1) {
      ids_ = integers(frame.argument(next++), "env_id");
      envs_ = Rows::without_padding(ids_);
    } else {
      ids_.resize(size_t(pool.num_envs()));
      for (i32 i = 0; i < pool.num_envs(); ++i) ids_[size_t(i)] = i;
      envs_.given = pool.num_envs();
    }
    if (named & 2) {
      owners_ = integers(frame.argument(next++), "players.env_id");
      players_ = Rows::without_padding(owners_);
      has_owners_ = true;
    }
    for (i32 f = 0; f < layout_.num_actions; ++f) {
      const abi::Field& field = layout_.actions[f];
      const Buffer& buffer = frame.argument(next++);
      if (buffer.rank != 1 + field.dimensions) malformed(std::string(field.name) + " has another rank");
      const bool per_player = layout_.max_players > 1 && field.per_player != 0;
      if (per_player && !has_owners_) players_ = grouped(buffer.dims[0]);
      take(field, buffer, per_player ? players_ : envs_);
    }
  }
  const i32* ids() const { return ids_.data(); }
  i32 count() const { return i32(ids_.size()); }
  const i32* owners() const { return has_owners_ ? owners_.data() : nullptr; }
  const void* const* actions() const { return actions_.data(); }
  i32 player_rows() const { return i32(players_.count()); }

 private:
  [[noreturn]] void wrong(const std::string& what) const { throw std::invalid_argument(pool_.text(what)); }

  std::vector<i32> integers(const Buffer& buffer, const char* name) const {
    if (buffer.rank != 1) malformed(std::string(name) + " is not one-dimensional");
    std::vector<i32> ids;
    with_integers(buffer, [&](const auto* values) {
      for (i64 k = 0; k < buffer.dims[0]; ++k) {
        const i64 id = i64(values[k]);
        if (id < kPadding || id >= pool_.num_envs()) {
          wrong(std::string(name) + ": expected ids in 0.." + std::to_string(pool_.num_envs() - 1) + ", got " +
                std::to_string(id));
        }
        ids.push_back(i32(id));
      }
    });
    return ids;
  }

  // Rows of the players of each environment in turn; there may be padding after them, as in a batch.
  Rows grouped(i64 given) {
    std::vector<i32> counts(ids_.size());
    pool_.players(ids_.data(), i32(ids_.size()), counts.data());
    const i64 players = std::accumulate(counts.begin(), counts.end(), i64{0});
    return given == envs_.given * layout_.max_players ? Rows::first(players, given) : Rows{.given = given};
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

  void take(const abi::Field& field, const Buffer& buffer, const Rows& rows) {
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

  // Checks the rows that are meant, and copies them unless they can be read where they are.
  template <class To, class From>
  void copy(const abi::Field& field, const Buffer& buffer, const From* from, const Rows& rows) {
    i64 per_row = 1;
    for (i32 i = 0; i < field.dimensions; ++i) per_row *= buffer.dims[1 + i];
    if (buffer.dims[0] != rows.given || per_row * i64(sizeof(To)) != field.row_bytes) {
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
        if (!values.fits<To>(i, row[i])) wrong(values.refusal(i, given_as<To>(row[i]), rows[k]));
        if (to != nullptr) *to++ = To(row[i]);
      }
    }
  }
  // A value for an error's text: a float as the environment would get it, an integer as it came.
  template <class To, class From>
  static std::string given_as(From value) {
    if constexpr (std::is_floating_point_v<To>) return ActionValues::text(To(value));
    return ActionValues::text(value);
  }

  EnvPool& pool_;
  const abi::Layout& layout_;
  std::vector<i32> ids_, owners_;
  bool has_owners_ = false;
  Rows envs_, players_{};
  std::vector<std::vector<u8>> copies_;
  std::vector<const void*> actions_;
};

// A batch on its way into results, each of which has room for the most rows there can be.
class Delivery {
 public:
  explicit Delivery(const Block& block) : block_(block), layout_(block.layout()) {}

  void fill(i32 index, const Buffer& result) const {
    if (index < 0 || size_t(index) >= layout_.arrays.size()) malformed("there is no such output");
    const envpool::Array& array = layout_.arrays[size_t(index)];
    const DataType own = type_of(array.dtype);
    const i64 per_row = array.row_bytes / size_of(own), row_bytes = per_row * size_of(result.dtype);
    const i64 rows = i64(layout_.rows) * (array.per_player ? layout_.max_players : 1), there = block_.entries(index);
    i64 extent = 1;
    for (i64 i = 0; i < result.rank; ++i) extent *= result.dims[i];
    if (extent != rows * per_row) malformed("a result has another shape than " + array.name);
    u8* const to = static_cast<u8*>(result.data);
    const i32 current = index - layout_.own_fields;  // what a final array is the end of
    if (layout_.has_final && current >= abi::kCommonFields && current < abi::kCommonFields + layout_.own_fields) {
      const bool several = array.per_player && layout_.max_players > 1;
      for (i64 env = 0, row = 0; env < block_.rows(); ++env) {
        const i64 count = several ? block_.values<i32>(abi::kPlayers)[env] : 1;
        const u8* const from = block_.data(ended(env) ? index : current);
        convert(own, from + row * array.row_bytes, result.dtype, to + row * row_bytes, count * per_row);
        row += count;
      }
    } else {
      convert(own, block_.data(index), result.dtype, to, there * per_row);
    }
    const bool names_rows = index == abi::kEnvId || array.name == "players.env_id";
    std::memset(to + there * row_bytes, names_rows ? 0xFF : 0, size_t((rows - there) * row_bytes));
    static_assert(kPadding == -1);  // in bytes, all ones
  }

 private:
  bool ended(i64 env) const {
    return (block_.values<u8>(abi::kTerminated)[env] | block_.values<u8>(abi::kTruncated)[env]) != 0;
  }

  const Block& block_;
  const BlockLayout& layout_;
};

// Results come after the handle; attribute `outputs` says which arrays they are.
void deliver(const Frame& frame, const Block& block) {
  const std::vector<i32> outputs = frame.integers("outputs");
  const Delivery delivery(block);
  for (size_t i = 0; i < outputs.size(); ++i) delivery.fill(outputs[i], frame.result(i64(i) + 1));
}

// One call of the pool that attribute `pool` numbers and the handle, its first argument, leads to.
class PoolCall {
 public:
  PoolCall(const Frame& frame, const char* name) : frame_(frame) {
    const std::shared_ptr<Port> port = numbered(frame, ports(), "pool", kGone);
    const std::string label = "[" + port->label + "] ";
    check_handle(frame.integer("pool"), label, name);
    pool_ = port->pool.lock();
    turn_ = port->turn;
    if (!pool_) throw std::runtime_error(label + name + ": the pool is closed");
    if (pool_->forked()) {
      throw std::runtime_error(label + "this pool was made in the parent process; a forked child must make its own");
    }
    std::memcpy(frame.result(0).data, frame.argument(0).data, sizeof(Handle));
  }

  void send(CallerHelp help = CallerHelp::kNo) {
    const Sent sent(frame_, *pool_);
    pool_->send(sent.ids(), sent.count(), sent.actions(), sent.owners(), sent.player_rows(), help, Caller::kXla);
  }

  void recv(CallerHelp help = CallerHelp::kNo) {
    envpool::Batch batch = pool_->begin_recv({}, {}, help, Caller::kXla);
    try {
      std::string summary;
      for (const Failure& failure : batch->failures()) {
        if (!summary.empty()) summary += "; ";
        summary += "environment " + std::to_string(failure.env_id) + ": " + failure.message;
      }
      if (!summary.empty()) throw std::runtime_error(pool_->text(summary));
      deliver(frame_, *batch);
    } catch (const std::bad_alloc&) {
      pool_->put_back(std::move(batch));
      throw;
    } catch (...) {
      pool_->settle(*batch);
      throw;
    }
    pool_->settle(*batch);
  }

  void step() {
    const std::lock_guard turn(*turn_);
    send(CallerHelp::kYes);
    recv(CallerHelp::kYes);
  }

 private:
  void check_handle(i64 number, const std::string& label, const char* name) const {
    const Buffer& buffer = frame_.argument(0);
    if (buffer.rank != 1) {
      throw std::invalid_argument(label + name + ": there is no vmap of a pool, whose batch is its environments; " +
                                  "scan and loops are fine");
    }
    const auto holds_one = [](const Buffer& b) {
      return b.rank == 1 && b.dims[0] * size_of(b.dtype) == sizeof(Handle);
    };
    if (!holds_one(buffer) || !holds_one(frame_.result(0))) malformed("the handle has another size");
    Handle handle;
    std::memcpy(&handle, buffer.data, sizeof(handle));
    if (handle.process == this_process() && i64(handle.port) == number) return;
    std::string got = "something else";
    if (handle.process == this_process() && ports().given(handle.port)) {
      got = "that of a pool which was deleted";
      const std::shared_ptr<Port> other = ports().find(handle.port);
      if (other != nullptr) got = "that of another pool, of " + other->label;
    }
    throw std::invalid_argument(label + "handle: expected the one that xla() of this pool returned, got " + got);
  }

  const Frame& frame_;
  std::shared_ptr<EnvPool> pool_;
  std::shared_ptr<std::timed_mutex> turn_;
};

template <auto kFunction>
Error* handler(Call* call) noexcept {
  return answer(*call, kExecute, kFunction);
}
Error* keep_port(Call* call) noexcept { return instantiate(*call, ports(), "pool", kGone); }

}  // namespace

OpenPort open_port(const std::shared_ptr<EnvPool>& pool, std::shared_ptr<std::timed_mutex> turn) {
  auto added = ports().add(std::make_unique<Port>(Port{pool, std::move(turn), pool->label()}));
  return {added.number, std::move(added.thing)};
}

i64 live_ports() { return ports().size(); }

std::string handle_of(i64 port) {
  const Handle handle{u32(port), this_process()};
  return {reinterpret_cast<const char*>(&handle), sizeof(handle)};
}

std::vector<Registration> pool_handlers() {
  return {
      {"envpool_pool_send", &handler<[](const Frame& frame) { PoolCall(frame, "send").send(); }>, &keep_port},
      {"envpool_pool_recv", &handler<[](const Frame& frame) { PoolCall(frame, "recv").recv(); }>, &keep_port},
      {"envpool_pool_step", &handler<[](const Frame& frame) { PoolCall(frame, "step").step(); }>, &keep_port},
  };
}

}  // namespace envpool::xla
