// SPDX-License-Identifier: Apache-2.0
//
// Changes options of the environments of a pool on a GPU.
#include <algorithm>

#include "envpool/bindings/gpu/capacity.h"
#include "envpool/bindings/gpu/pool.h"

namespace envpool::cuda {

// A graph that was captured before launches the kernel that reads the options of make().
void DevicePool::use_params_of_each(const std::string& image) {
  const CallGuard guard(*this);
  check_usable();
  if (states_.has_params_of_each()) return;
  for (const auto& group : groups_) {
    if (!group->launches.stream().has_graphs()) continue;
    label_.throw_invalid_call(
        "set_options: CUDA graphs have captured steps of this pool, with the options of make: call set_options once "
        "before the first capture");
  }
  const Context::Current current(*context_);
  const Stream& stream = settled();
  require_memory(*context_, stack_, num_envs_, states_.bytes_of_options(), label_);
  states_.use_params_of_each();
  model_->load(image);
  stack_ = stack_of(stream.driver(), model_->kernel());
}

void DevicePool::set_options(const py::object& env_ids, const std::vector<std::string>& names,
                             const py::array_t<f64, py::array::c_style | py::array::forcecast>& values,
                             const std::string& call) {
  const CallGuard guard(*this);
  check_usable();
  const std::vector<i32> ids = idle_ids(env_ids, call.c_str());
  require_distinct(ids, call.c_str());
  if (values.ndim() != 2 || values.shape(0) != py::ssize_t(ids.size())) {
    throw py::value_error(text("values: expected a row per environment"));
  }
  if (!states_.has_params_of_each()) {
    label_.throw_invalid_call(call + ": expected a pool whose environments have their own parameters");
  }
  const Context::Current current(*context_);
  try {
    states_.set_options(ids, names, values.data(), values.shape(1));
  } catch (const TableError& error) {
    label_.throw_invalid_argument(call + ": " + error.what());
  }
}

std::vector<std::vector<f64>> DevicePool::options(const py::object& env_ids) {
  const CallGuard guard(*this);
  check_usable();
  const std::vector<i32> ids = idle_ids(env_ids, "options");
  const Context::Current current(*context_);
  return states_.get_options(ids);
}

}  // namespace envpool::cuda
