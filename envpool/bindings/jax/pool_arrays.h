// SPDX-License-Identifier: Apache-2.0
//
// The arrays of a call of jitted code to a pool: converts XLA's operands to the arguments of EnvPool::send, and copies
// a batch into XLA's results.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "envpool/bindings/action_values.h"
#include "envpool/bindings/jax/frame.h"
#include "envpool/core/pool/env_pool.h"

namespace envpool::xla {

// Arrays have fixed extents in XLA. In rows that are padding, env_id and players.env_id have this value.
inline constexpr i32 kPadding = -1;

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
inline void write_results(const PoolFrame& frame, const Block& block) {
  const std::vector<i32> outputs = frame.integers("outputs");
  const ResultWriter writer(block);
  for (size_t i = 0; i < outputs.size(); ++i) writer.write(outputs[i], frame.result(i64(i) + 1));
}

}  // namespace envpool::xla
