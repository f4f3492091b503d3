// SPDX-License-Identifier: Apache-2.0
//
// Converts the arguments of a Python call to arguments of the pool. Every call checks dtype, shape and range; an array
// that already has the right dtype and layout is not copied. Errors name the argument, what was expected and what was
// passed.
#pragma once

#include <pybind11/gil_safe_call_once.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cmath>
#include <string>
#include <vector>

#include "envpool/bindings/action_values.h"
#include "envpool/core/pool/env_pool.h"

namespace envpool::python {

namespace py = pybind11;

inline std::string shape_text(const std::vector<py::ssize_t>& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// Returns the name of an object's type without its module, as errors show it.
inline std::string type_name(py::handle object) {
  if (object.is_none()) return "None";
  const std::string name = Py_TYPE(object.ptr())->tp_name;
  return name.substr(name.rfind('.') + 1);
}

// Returns whether an object has an attribute. Unlike py::hasattr, does not lose the KeyboardInterrupt of a signal
// handler that runs meanwhile.
inline bool has_attribute(py::handle object, const char* name) {
  if (PyObject* const value = PyObject_GetAttrString(object.ptr(), name)) {
    Py_DECREF(value);
    return true;
  }
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw py::error_already_set();
  PyErr_Clear();
  return false;
}
// Returns whether an exception says that an object cannot be converted to an array: neither a lack of memory nor the
// exception of a signal handler does.
inline bool refuses_conversion(const py::error_already_set& error) {
  return error.matches(PyExc_Exception) && !error.matches(PyExc_MemoryError);
}

inline py::dtype numpy_dtype(abi::Dtype dtype) {
  switch (dtype) {
    case abi::kBool: return py::dtype::of<bool>();
    case abi::kU8: return py::dtype::of<u8>();
    case abi::kI32: return py::dtype::of<i32>();
    case abi::kI64: return py::dtype::of<std::int64_t>();
    case abi::kF32: return py::dtype::of<f32>();
    case abi::kF64: return py::dtype::of<f64>();
  }
  throw std::logic_error("unknown dtype");
}

// Creates an array over existing memory and keeps the owner of the memory alive. Calls NumPy's C API through
// pybind11's function table, which takes about 100 ns.
inline py::object array_over(const py::dtype& dtype, int dimensions, const py::ssize_t* shape, void* data,
                             const py::object& owner) {
  const auto& api = py::detail::npy_api::get();
  constexpr int kWriteable = py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  constexpr int kCarray =
      py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_ | py::detail::npy_api::NPY_ARRAY_ALIGNED_ | kWriteable;
  py::dtype descr = dtype;
  auto array = py::reinterpret_steal<py::object>(
      api.PyArray_NewFromDescr_(api.PyArray_Type_, descr.release().ptr(), dimensions,
                                reinterpret_cast<const Py_intptr_t*>(shape), nullptr, data, kCarray, nullptr));
  if (!array) throw py::error_already_set();
  api.PyArray_SetBaseObject_(array.ptr(), owner.inc_ref().ptr());
  return array;
}

inline bool is_array(py::handle object) { return py::detail::npy_api::get().PyArray_Check_(object.ptr()); }
// Returns whether an array may have masked elements.
inline bool is_masked(py::handle object) {
  return Py_TYPE(object.ptr()) != py::detail::npy_api::get().PyArray_Type_ && has_attribute(object, "mask");
}

inline py::array as_array(py::handle object) {
  // The initialization of a plain static variable could deadlock: it would hold the variable's lock while the import
  // releases the interpreter lock, and another thread would wait for the variable's lock with the interpreter lock
  // held.
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::object> asarray;
  asarray.call_once_and_store_result([] { return py::object(py::module_::import("numpy").attr("asarray")); });
  return py::reinterpret_steal<py::array>(asarray.get_stored()(object).release());
}

// Waits for a JAX array, or for the JAX arrays in a dict. The program that computes an array may also step the pool to
// which the array is passed. So the caller must not hold a lock that such a program's calls need.
inline void await_programs(const py::object& value) {
  const auto await_one = [](py::handle array) {
    if (has_attribute(array, "block_until_ready")) array.attr("block_until_ready")();
  };
  if (!py::isinstance<py::dict>(value)) return await_one(value);
  for (const py::handle item : py::list(value.attr("values")())) await_one(item);
}

// Converts one action field, and holds the result until the pool has copied it.
class ActionArgument {
 public:
  explicit ActionArgument(const abi::Field& field)
      : field_(field),
        values_(field),
        dtype_(numpy_dtype(field.dtype)),
        int64_(py::dtype::of<std::int64_t>()),
        float64_(py::dtype::of<f64>()) {}

  // Converts an argument and returns its number of rows. A negative `rows` accepts any number.
  i64 convert(py::handle object, i64 rows, const std::string& label) {
    if (object.is_none()) throw_wrong_type(type_name(object), label);
    array_ = is_array(object) ? py::reinterpret_borrow<py::array>(object) : from_anything(object, label);
    if (is_array(object) && is_masked(object)) throw_wrong_type(type_name(object), label);
    const i64 got = check_shape(rows, label);
    const auto* proxy = py::detail::array_proxy(array_.ptr());
    const bool contiguous = (proxy->flags & py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_) != 0 &&
                            (proxy->flags & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
    elements_ = 1;
    for (int i = 0; i < proxy->nd; ++i) elements_ *= proxy->dimensions[i];
    const PyObject* array_dtype = proxy->descr;
    if (contiguous && array_dtype == dtype_.ptr()) {
      data_ = proxy->data;
    } else if (contiguous && array_dtype == int64_.ptr() && field_.dtype == abi::kI32) {
      narrow<std::int64_t, i32>(proxy->data, label);
    } else if (contiguous && array_dtype == float64_.ptr() && field_.dtype == abi::kF32) {
      narrow<f64, f32>(proxy->data, label);
    } else {
      cast(label);
    }
    check_values(label);
    return got;
  }

  const void* data() const { return data_; }
  const abi::Field& field() const { return field_; }
  // Drops the references to the caller's array and to its copy, once the pool has copied the rows.
  void release() noexcept {
    array_ = py::reinterpret_steal<py::array>(py::handle());
    converted_ = py::reinterpret_steal<py::array>(py::handle());
  }

 private:
  static char kind_of(const abi::Field& field) {
    return field.dtype == abi::kBool ? 'b' : (field.dtype >= abi::kF32 ? 'f' : 'i');
  }
  [[noreturn]] void throw_wrong_type(const std::string& got, const std::string& label) const {
    const char* expected = kind_of(field_) == 'f' ? "floats" : (kind_of(field_) == 'b' ? "booleans" : "integers");
    throw py::type_error("[" + label + "] " + field_.name + ": expected " + expected + " (" +
                         py::str(dtype_).cast<std::string>() + "), got " + got);
  }

  py::array from_anything(py::handle object, const std::string& label) {
    try {
      return as_array(object);
    } catch (py::error_already_set& error) {
      if (!refuses_conversion(error)) throw;
      // torch says what to call on a tensor that requires gradients or is on a GPU.
      const bool listed =
          (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) && py::len(object) > 0;
      const py::object first = listed ? py::object(object[py::int_(0)]) : py::reinterpret_borrow<py::object>(object);
      const bool is_tensor = has_attribute(first, "detach");
      throw_wrong_type(type_name(object) + (is_tensor ? ": " + py::str(error.value()).cast<std::string>() : ""), label);
    }
  }

  i64 check_shape(i64 rows, const std::string& label) {
    const auto* proxy = py::detail::array_proxy(array_.ptr());
    bool good = proxy->nd == 1 + field_.dimensions && (rows < 0 || proxy->dimensions[0] == rows);
    for (i32 i = 0; good && i < field_.dimensions; ++i) good = proxy->dimensions[1 + i] == field_.shape[i];
    if (good) return proxy->dimensions[0];
    check_dtype(label);
    std::vector<py::ssize_t> got(proxy->dimensions, proxy->dimensions + proxy->nd);
    std::vector<py::ssize_t> expected(field_.shape, field_.shape + field_.dimensions);
    expected.insert(expected.begin(), rows);
    std::string expected_text = shape_text(expected);
    if (rows < 0) expected_text.replace(1, 2, "players");
    throw py::value_error("[" + label + "] " + field_.name + ": expected shape " + expected_text + ", one row per " +
                          (field_.per_player ? "player" : "environment") + ", got " + shape_text(got));
  }

  // Copies the elements to a narrower type. Rejects an integer that does not fit.
  template <class From, class To>
  void narrow(const void* data, const std::string& label) {
    scratch_.resize(size_t(elements_) * sizeof(To));
    const From* from = static_cast<const From*>(data);
    To* to = reinterpret_cast<To*>(scratch_.data());
    for (i64 i = 0; i < elements_; ++i) {
      to[i] = To(from[i]);
      if constexpr (std::is_integral_v<From>) {
        if (From(to[i]) != from[i]) throw_wrong_value(i, std::to_string(from[i]), label);
      }
    }
    data_ = scratch_.data();
  }

  void check_dtype(const std::string& label) const {
    const char from = array_.dtype().kind(), to = kind_of(field_);
    const bool number = from == 'f' || from == 'i' || from == 'u';
    const bool allowed = to == 'f' ? number : (to == 'b' ? from != 'f' : true) && (number || from == 'b');
    if (!allowed) throw_wrong_type(py::str(array_.dtype()).cast<std::string>(), label);
  }

  void cast(const std::string& label) {
    check_dtype(label);
    const char from = array_.dtype().kind(), to = kind_of(field_);
    if (to == 'i' && from == 'f') check_whole(label);
    const bool keeps_bool = to == 'b' && from == 'b';
    const py::array wide = py::reinterpret_steal<py::array>(
        array_.attr("astype")(to == 'f' ? float64_ : (keeps_bool ? dtype_ : int64_), py::arg("order") = "C").release());
    if (from == 'u') check_unsigned(static_cast<const std::int64_t*>(wide.data()), label);
    converted_ = wide;
    switch (field_.dtype) {
      case abi::kBool:
        if (!keeps_bool) {
          narrow<std::int64_t, bool>(wide.data(), label);  // a sample of MultiBinary, gymnasium's space for booleans
          break;
        }
        [[fallthrough]];
      case abi::kI64:
      case abi::kF64: data_ = wide.data(); break;
      case abi::kU8: narrow<std::int64_t, u8>(wide.data(), label); break;
      case abi::kI32: narrow<std::int64_t, i32>(wide.data(), label); break;
      case abi::kF32: narrow<f64, f32>(wide.data(), label); break;
    }
  }

  // Unsigned values of 2**63 or more have wrapped to negative ones.
  void check_unsigned(const std::int64_t* values, const std::string& label) const {
    if (kind_of(field_) != 'i') return;
    for (i64 i = 0; i < elements_; ++i) {
      if (values[i] < 0) throw_wrong_value(i, std::to_string(u64(values[i])), label);
    }
  }

  // Accepts floats as discrete actions if they are whole numbers, because EnvPool accepts floats too.
  void check_whole(const std::string& label) {
    const py::array floats =
        py::reinterpret_steal<py::array>(array_.attr("astype")(float64_, py::arg("order") = "C").release());
    const f64* values = static_cast<const f64*>(floats.data());
    for (i64 i = 0; i < elements_; ++i) {
      const bool fits = values[i] >= -0x1p63 && values[i] < 0x1p63;  // false for NaN
      if (!fits || values[i] != std::trunc(values[i])) {
        throw_wrong_value(i, py::str(py::float_(values[i])).cast<std::string>(), label);
      }
    }
    array_ = floats;
  }

  void check_values(const std::string& label) const {
    switch (field_.dtype) {
      case abi::kBool: return;
      case abi::kU8: return check_values<u8>(label);
      case abi::kI32: return check_values<i32>(label);
      case abi::kI64: return check_values<i64>(label);
      case abi::kF32: return check_values<f32>(label);
      case abi::kF64: return check_values<f64>(label);
    }
  }
  template <class T>
  void check_values(const std::string& label) const {
    const T* values = static_cast<const T*>(data_);
    const i64 wrong = values_.first_wrong(values, elements_);
    if (wrong >= 0) throw_wrong_value(wrong, ActionValues::text(values[wrong]), label);
  }
  [[noreturn]] void throw_wrong_value(i64 at, const std::string& value, const std::string& label) const {
    throw py::value_error("[" + label + "] " + values_.refusal(at, value, at / values_.per_row()));
  }

  const abi::Field field_;
  const ActionValues values_;
  const py::dtype dtype_, int64_, float64_;
  py::array array_, converted_;
  i64 elements_ = 0;
  const void* data_ = nullptr;
  std::vector<u8> scratch_;
};

// Converts environment ids: an integer array, a list, or None for all environments.
class IdsArgument {
 public:
  explicit IdsArgument(i32 num_envs) : all_(size_t(num_envs)) {
    for (i32 i = 0; i < num_envs; ++i) all_[size_t(i)] = i;
  }

  void convert(py::handle object, const char* name, const std::string& label) {
    if (object.is_none()) {
      data_ = all_.data();
      size_ = i32(all_.size());
      return;
    }
    py::array array;
    try {
      array = is_array(object) ? py::reinterpret_borrow<py::array>(object) : as_array(object);
    } catch (py::error_already_set& error) {
      if (!refuses_conversion(error)) throw;
      throw py::type_error("[" + label + "] " + name + ": expected integers, got " + type_name(object));
    }
    const char kind = array.dtype().kind();
    if ((kind != 'i' && kind != 'u') && array.size() > 0) {
      throw py::type_error("[" + label + "] " + name + ": expected integers (int32), got " +
                           py::str(array.dtype()).cast<std::string>());
    }
    if (array.ndim() != 1) {
      throw py::value_error("[" + label + "] " + name + ": expected a one-dimensional array, got shape " +
                            shape_text({array.shape(), array.shape() + array.ndim()}));
    }
    const auto wide = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(array);
    checked_ids_.clear();
    for (py::ssize_t i = 0; i < wide.size(); ++i) {
      const std::int64_t id = wide.data()[i];
      if (id < 0 || id >= std::int64_t(all_.size())) {
        throw py::value_error("[" + label + "] " + name + ": expected ids in 0.." + std::to_string(all_.size() - 1) +
                              ", got " + std::to_string(id));
      }
      checked_ids_.push_back(i32(id));
    }
    data_ = checked_ids_.data();
    size_ = i32(checked_ids_.size());
  }

  i32 num_envs() const { return i32(all_.size()); }
  const i32* data() const { return data_; }
  i32 size() const { return size_; }

 private:
  std::vector<i32> all_, checked_ids_;
  const i32* data_ = nullptr;
  i32 size_ = 0;
};

}  // namespace envpool::python
