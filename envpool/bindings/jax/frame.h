// SPDX-License-Identifier: Apache-2.0
//
// The handler's view of a call from XLA: checked access to operands, results and attributes, iteration over batches of
// any rank, and the conversion of exceptions into XLA errors. Operands broadcast: each of their extents equals the
// batch's, or is 1.
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/bindings/jax/ffi.h"
#include "envpool/core/math/float_mode.h"
#include "envpool/core/table/spec.h"
#include "envpool/core/table/vtable.h"

namespace envpool::xla {

[[noreturn]] inline void malformed(const std::string& what) { throw std::logic_error("envpool.jax: " + what); }

class CallFrame {
 public:
  explicit CallFrame(const Call& call) : call_(call) {}

  const Call& call() const { return call_; }

  i64 arguments() const { return call_.arguments.size; }
  i64 results() const { return call_.results.size; }
  const Buffer& argument(i64 i) const {
    if (i >= call_.arguments.size) malformed("argument " + std::to_string(i) + " is missing");
    return *call_.arguments.data[i];
  }
  const Buffer& result(i64 i) const {
    if (i >= call_.results.size) malformed("result " + std::to_string(i) + " is missing");
    return *call_.results.data[i];
  }

  i64 integer(std::string_view name) const {
    const auto& scalar = *static_cast<const ScalarAttribute*>(attribute(name, kScalar));
    if (scalar.dtype != kS64) malformed("attribute " + std::string(name) + " is not an int64");
    i64 value;
    std::memcpy(&value, scalar.value, sizeof(value));
    return value;
  }
  std::vector<i32> integers(std::string_view name) const {
    const auto& array = *static_cast<const ArrayAttribute*>(attribute(name, kArray));
    if (array.dtype != kS32) malformed("attribute " + std::string(name) + " is not an int32 array");
    std::vector<i32> values(array.size);
    if (!values.empty()) std::memcpy(values.data(), array.data, values.size() * sizeof(i32));
    return values;
  }

 private:
  const void* attribute(std::string_view name, AttributeKind kind) const {
    const Attributes& all = call_.attributes;
    for (i64 i = 0; i < all.size; ++i) {
      if (name == std::string_view(all.names[i]->data, all.names[i]->size) && all.kinds[i] == kind) return all.data[i];
    }
    malformed("attribute " + std::string(name) + " is missing");
  }
  const Call& call_;
};

inline constexpr DataType kTypes[] = {kPred, kU8, kS32, kS64, kF32, kF64};  // in the order of abi::Dtype

inline DataType type_of(abi::Dtype dtype) { return kTypes[dtype]; }

inline i64 itemsize(DataType dtype) {
  if (dtype == kU32) return sizeof(u32);  // halves of 64-bit numbers, and rows
  const auto* const known = std::find(std::begin(kTypes), std::end(kTypes), dtype);
  if (known == std::end(kTypes)) malformed("an array has XLA's type " + std::to_string(dtype));
  return dtype_size(abi::Dtype(known - std::begin(kTypes)));
}

// Returns the number of elements in the dimensions from `first` on.
inline i64 elements_of(const Buffer& buffer, i64 first = 0) {
  i64 count = 1;
  for (i64 i = first; i < buffer.rank; ++i) count *= buffer.dims[i];
  return count;
}
inline void check_elements(const Buffer& result, i64 count, const char* name) {
  if (elements_of(result) != count) malformed("the result " + std::string(name) + " has another shape");
}
inline void check_type(const Buffer& result, DataType dtype, const char* name) {
  if (result.dtype != dtype) malformed("the result " + std::string(name) + " has another type");
}

template <class From, class To>
void convert(const void* from, void* to, i64 count) {
  for (i64 i = 0; i < count; ++i) static_cast<To*>(to)[i] = To(static_cast<const From*>(from)[i]);
}
// Converts between the dtypes of the table and those of XLA. Without jax_enable_x64, JAX has no 64-bit arrays and
// passes 32-bit ones instead.
inline void convert(DataType from_type, const void* from, DataType to_type, void* to, i64 count) {
  if (from_type == to_type) {
    std::memcpy(to, from, size_t(count * itemsize(to_type)));
  } else if (from_type == kF64 && to_type == kF32) {
    convert<f64, f32>(from, to, count);
  } else if (from_type == kF32 && to_type == kF64) {
    convert<f32, f64>(from, to, count);
  } else if (from_type == kS64 && to_type == kS32) {
    convert<i64, i32>(from, to, count);
  } else if (from_type == kS32 && to_type == kS64) {
    convert<i32, i64>(from, to, count);
  } else if (from_type == kS32 && to_type == kF64) {
    convert<i32, f64>(from, to, count);
  } else if (from_type == kS64 && to_type == kF64) {
    convert<i64, f64>(from, to, count);
  } else if (from_type == kPred && to_type == kF64) {
    convert<u8, f64>(from, to, count);
  } else if (from_type == kU32 && to_type == kF64) {
    std::memcpy(to, from, size_t(count) * sizeof(f64));  // a double that is passed as two words, to keep it exact
  } else {
    malformed("no conversion from XLA's type " + std::to_string(from_type) + " to " + std::to_string(to_type));
  }
}

// An operand of a batch. Its leading dimensions are the batch's, and its trailing dimensions are a row's.
struct Operand {
  const u8* data;
  const std::int64_t* dims;
  i64 row_bytes;

  Operand(const Buffer& buffer, i64 batch_rank, i64 row_rank, i64 expected_bytes, const char* name)
      : data(static_cast<const u8*>(buffer.data)), dims(buffer.dims), row_bytes(itemsize(buffer.dtype)) {
    if (buffer.rank != batch_rank + row_rank) malformed(std::string(name) + " has another rank than the batch");
    row_bytes *= elements_of(buffer, batch_rank);
    if (row_bytes != expected_bytes) malformed(std::string(name) + " has rows of another size");
  }
};

// The leading dimensions of a batch. Splits the batch into runs of rows in which every operand either advances by one
// row at a time or repeats one row.
class BatchShape {
 public:
  BatchShape(const Buffer& whole, i64 rank) : rank_(rank), dims_(whole.dims) {
    if (rank < 0) malformed("a row has no dimension");
    for (i64 i = 0; i < rank; ++i) rows_ *= dims_[i];
  }
  i64 rank() const { return rank_; }
  i64 rows() const { return rows_; }
  const std::int64_t* dims() const { return dims_; }

  // Maps a row of the batch to the row of an operand with these leading extents.
  i64 row_of(const std::int64_t* dims, i64 row) const {
    i64 at = 0, scale = 1;
    for (i64 axis = rank_ - 1; axis >= 0; --axis) {
      if (dims[axis] != 1) at += row % dims_[axis] * scale;
      scale *= dims[axis];
      row /= dims_[axis];
    }
    return at;
  }

  // Throws unless each operand has the extents of the batch, or 1.
  void check_extents(const std::vector<Operand>& operands) const {
    for (const Operand& operand : operands) {
      for (i64 i = 0; i < rank_; ++i) {
        if (operand.dims[i] != dims_[i] && operand.dims[i] != 1) malformed("an operand does not fit into the batch");
      }
    }
  }

  // Calls `run(first, count, operand_rows)` for each run; `operand_rows` is in the order of `operands`.
  template <class Run>
  void for_each_run(const std::vector<Operand>& operands, Run&& run) const {
    check_extents(operands);
    if (rows_ == 0) return;
    i64 inner = rank_, count = 1;
    std::vector<int> advances(operands.size(), -1);  // whether the operand advances within a run; -1: not known yet
    while (inner > 0 && joins(operands, advances, inner - 1)) count *= dims_[--inner];
    std::vector<abi::StridedRows> operand_rows(operands.size());
    for (i64 first = 0; first < rows_; first += count) {
      for (size_t o = 0; o < operands.size(); ++o) {
        operand_rows[o] = {operands[o].data + row_of(operands[o].dims, first) * operands[o].row_bytes,
                           advances[o] == 1 ? operands[o].row_bytes : 0};
      }
      run(first, count, operand_rows);
    }
  }

 private:
  // Returns whether a run can span another axis, and updates `advances` if so.
  bool joins(const std::vector<Operand>& operands, std::vector<int>& advances, i64 axis) const {
    if (dims_[axis] == 1) return true;
    std::vector<int> next = advances;
    for (size_t o = 0; o < operands.size(); ++o) {
      const int advance = operands[o].dims[axis] != 1;
      if (next[o] == -1) next[o] = advance;
      if (next[o] != advance) return false;
    }
    advances = next;
    return true;
  }
  const i64 rank_;
  const std::int64_t* const dims_;
  i64 rows_ = 1;
};

// Implements XLA's protocol for a handler: returns the API version and the handler's traits when XLA asks for metadata,
// ignores other stages, runs the function, and converts an exception into an XLA error.
template <class Function>
Error* run_handler(Call& call, Stage stage, Function&& function, uint32_t traits = 0) noexcept {
  if (call.extensions != nullptr && call.extensions->type == kMetadataExtension) {
    Metadata& metadata = *reinterpret_cast<MetadataExtension*>(call.extensions)->metadata;
    metadata.version.major = 0;
    metadata.version.minor = 1;
    metadata.traits = traits;
    return nullptr;
  }
  if (call.stage != stage) return nullptr;
  const auto failed = [&](const char* message, ErrorCode code) {  // XLA copies the message
    ErrorCreate create{sizeof(ErrorCreate), nullptr, message, code};
    return call.api->create_error(&create);
  };
  try {
    const FloatModeGuard float_mode;
    function(CallFrame(call));
    return nullptr;
  } catch (const std::bad_alloc&) {
    return failed("out of memory", kResourceExhausted);
  } catch (const std::invalid_argument& error) {
    return failed(error.what(), kInvalidArgument);
  } catch (const std::runtime_error& error) {
    return failed(error.what(), kFailedPrecondition);
  } catch (const std::exception& error) {
    return failed(error.what(), kInternal);
  }
}

}  // namespace envpool::xla
