// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/pool/output_arrays.h"

#include <utility>

#include "envpool/bindings/arguments.h"

namespace envpool::python {

py::object& env_error() {
  static py::object* type = new py::object();
  return *type;
}

namespace {

py::object error_of(const EnvPool& pool, const std::vector<Failure>& failures, const py::tuple& arrays) {
  py::list ids, messages;
  std::string summary;
  for (const Failure& failure : failures) {
    ids.append(py::int_(failure.env_id));
    messages.append(py::str(failure.message));
    if (!summary.empty()) summary += "; ";
    summary += "environment " + std::to_string(failure.env_id) + ": " + failure.message;
  }
  py::object error = env_error()(pool.text(summary));
  error.attr("env_id") = ids;
  error.attr("messages") = messages;
  error.attr("arrays") = arrays;
  return error;
}

}  // namespace

void OutputArrays::choose(const EnvPool& pool, const std::vector<std::string>& names) {
  const BlockLayout& layout = pool.block_layout();
  for (const std::string& name : names) {
    // In single-player environments, players.env_id equals env_id.
    int index = layout.find(name);
    if (index < 0 && name == "players.env_id") index = abi::kEnvId;
    if (index < 0) throw py::value_error(pool.text("outputs: expected names of arrays, got " + name));
    const Array& array = layout.arrays[size_t(index)];
    Output output{index, numpy_dtype(array.dtype), {0}};
    output.shape.insert(output.shape.end(), array.shape.begin(), array.shape.end());
    outputs_.push_back(std::move(output));
  }
}

py::tuple OutputArrays::make(EnvPool& pool, Batch batch, Rows rows) {
  py::tuple arrays;
  py::object owner, error;
  Block& block = *batch;
  try {
    owner = py::reinterpret_steal<py::object>(PyCapsule_New(&block, nullptr, nullptr));
    if (!owner) throw py::error_already_set();
    arrays = py::reinterpret_steal<py::tuple>(PyTuple_New(py::ssize_t(outputs_.size())));
    if (!arrays) throw py::error_already_set();
    for (size_t i = 0; i < outputs_.size(); ++i) {
      Output& output = outputs_[i];
      output.shape[0] = block.entries(output.array);
      py::object array =
          array_over(output.dtype, int(output.shape.size()), output.shape.data(), block.data(output.array), owner);
      PyTuple_SET_ITEM(arrays.ptr(), py::ssize_t(i), array.release().ptr());
    }
    if (!block.failures().empty()) error = error_of(pool, block.failures(), arrays);
  } catch (...) {
    if (rows == Rows::kReceived) pool.put_back(std::move(batch));
    throw;
  }
  if (rows == Rows::kReceived) pool.settle(block);
  PyCapsule_SetDestructor(owner.ptr(), [](PyObject* capsule) {
    release_block(static_cast<Block*>(PyCapsule_GetPointer(capsule, nullptr)));
  });
  static_cast<void>(batch.release());
  if (error) {
    PyErr_SetObject(env_error().ptr(), error.ptr());
    throw py::error_already_set();
  }
  return arrays;
}

py::list OutputArrays::describe(const EnvPool& pool) const {
  py::list outputs;
  for (const Output& output : outputs_) {
    py::list shape;
    for (size_t i = 1; i < output.shape.size(); ++i) shape.append(py::int_(output.shape[i]));
    const bool per_player = pool.block_layout().arrays[size_t(output.array)].per_player;
    outputs.append(py::make_tuple(output.array, output.dtype, py::tuple(shape), per_player));
  }
  return outputs;
}

}  // namespace envpool::python
