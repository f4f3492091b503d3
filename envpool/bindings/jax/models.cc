// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/jax/models.h"

#include <stdexcept>
#include <utility>

#include "envpool/bindings/gpu/xla.h"

namespace envpool::xla {

PureModel::PureModel(const abi::Table& of, std::string name, OptionList with, i32 limit, DeviceProgram compiles)
    : table(&of),
      label(std::move(name)),
      list(std::move(with)),
      options(list.view()),
      program(std::move(compiles)),
      max_episode_steps(limit),
      devices(make_model_on_devices()) {
  try_table([&](abi::TextSink error) { return table->model_create(&options, &handle, error); });
  try {
    try_table([&](abi::TextSink error) { return table->tunables(handle, &tunables_, &num_tunables_, error); });
  } catch (...) {
    table->model_destroy(handle);
    throw;
  }
}

Registry<PureModel>& models() {
  static auto* registry = new Registry<PureModel>;  // never destroyed: compiled code may run during exit
  return *registry;
}

namespace {
constexpr const char* kModelDeleted =
    "envpool.jax: the environment of this program was deleted before the program was compiled; keep it until then";
}  // namespace

std::shared_ptr<PureModel> model_of(const CallFrame& frame) { return look_up(frame, models(), "model", kModelDeleted); }

Error* instantiate_model(Call* call) noexcept { return instantiate(*call, models(), "model", kModelDeleted); }

ModelInfo add_model(const abi::Table& table, const std::string& label, OptionList options, i32 max_episode_steps,
                    DeviceProgram program) {
  if (table.pure == nullptr) {
    throw std::invalid_argument(
        "task_id: expected a portable environment, got one that runs only in a pool; env.xla() of its pool returns "
        "functions that can be called inside jax.jit");
  }
  auto owned = std::make_unique<PureModel>(table, label, std::move(options), max_episode_steps, std::move(program));
  const abi::Pure& pure = *table.pure;
  ModelInfo info{0, nullptr, owned->state_bytes(), owned->tag(), {}};
  TextBuffer parts;
  try_table([&](abi::TextSink error) { return pure.view(parts, error); });
  info.view = parts.text;
  auto added = models().add(std::move(owned));
  info.model = added.number;
  info.reference = std::move(added.object);
  return info;
}

i64 live_models() { return models().size(); }

}  // namespace envpool::xla
