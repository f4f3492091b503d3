// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/jax/models.h"

#include <cstring>
#include <random>
#include <stdexcept>
#include <utility>

#include "envpool/bindings/gpu/xla.h"

namespace envpool::xla {

SigningKey SignedParams::key() {
  static const SigningKey key = [] {
    std::random_device random;
    const auto word = [&] { return u64{random()} << 32 | random(); };
    return SigningKey{word(), word()};
  }();
  return key;
}

SignedParams::Tail SignedParams::tail(const u8* row) const {
  return {signature_of(reinterpret_cast<const u64*>(row), words(), key()), 0};
}
void SignedParams::sign(u8* row) const {
  const Tail expected = tail(row);
  std::memcpy(row + resolved_bytes_, &expected, sizeof(expected));
}
bool SignedParams::is_signed(const u8* row) const {
  const Tail expected = tail(row);
  return std::memcmp(row + resolved_bytes_, &expected, sizeof(expected)) == 0;
}

PureModel::PureModel(const abi::Table& of, std::string name, OptionList with, i32 max_episode_steps,
                     DeviceProgram compiles)
    : table(&of),
      label(std::move(name)),
      list(std::move(with)),
      options(list.view()),
      program(std::move(compiles)),
      devices(make_model_on_devices()) {
  try_table([&](abi::TextSink error) { return table->model_create(&options, &handle, error); });
  try {
    default_params.resize(size_t(params().bytes()));
    try_table([&](abi::TextSink error) {
      return table->pure->params(handle, &options, max_episode_steps, default_params.data(), error);
    });
    params().sign(default_params.data());
    last_params_ = std::make_shared<const std::vector<u8>>(default_params);
  } catch (...) {
    table->model_destroy(handle);
    throw;
  }
}

u32 PureModel::tag() const {
  u32 tag;
  std::memcpy(&tag, default_params.data(), sizeof(tag));
  return tag;
}

CheckedParams PureModel::checked_params(const abi::StridedRows& rows, i64 count, i64 first) {
  const SignedParams format = params();
  const auto row = [&](i64 k) { return static_cast<const u8*>(rows.data) + k * rows.stride; };
  CheckedParams last;
  {
    const std::lock_guard lock(mutex_);
    last = last_params_;
  }
  const auto is_last = [&](i64 k) {
    return std::memcmp(row(k), last->data() + k * format.bytes(), size_t(format.bytes())) == 0;
  };
  bool same = last != nullptr && i64(last->size()) == count * format.bytes();
  for (i64 k = 0; same && k < count; ++k) same = is_last(k);
  if (same) return last;
  auto copies = std::make_shared<std::vector<u8>>();
  copies->reserve(size_t(count * format.bytes()));
  for (i64 k = 0; k < count; ++k) copies->insert(copies->end(), row(k), row(k) + format.bytes());
  for (i64 k = 0; k < count; ++k) {
    if (!format.is_signed(copies->data() + k * format.bytes())) throw std::invalid_argument(unsigned_params(first + k));
  }
  const std::lock_guard lock(mutex_);
  last_params_ = copies;
  return copies;
}

std::string unsigned_params(i64 row) {
  return "params: expected rows that make() or replace() of this process returned, got another in row " +
         std::to_string(row);
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
  ModelInfo info{0, nullptr, owned->state_bytes(), owned->params().bytes(), pure.params_values, {}, {}};
  info.params.assign(owned->default_params.begin(), owned->default_params.end());
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
