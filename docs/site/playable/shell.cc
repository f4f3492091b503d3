// SPDX-License-Identifier: Apache-2.0
//
// Runs the environments of one family in a browser. docs/site/playable.py compiles this file to WebAssembly once for
// each family; ENVPOOL_FAMILY is the path of the family's plugin.cc. The functions below call the environments only
// through their C table, so no environment needs code of its own. environment.js calls these functions.
//
// A module has one pool of environments, and throws nothing: an error, such as an option that an environment refuses,
// is a trap, after which the module must not be used.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "envpool/core/api.h"

namespace envpool::browser {

// Returns copies of tables without the functions that a browser does not call, so that they are not compiled.
template <class... Tables>
consteval auto without_unused(Tables... tables) {
  const auto copy = [](abi::Table table) {
    table.save_size = nullptr;
    table.save = nullptr;
    table.load = nullptr;
    table.pure = nullptr;
    table.device = nullptr;
    return table;
  };
  return std::array<abi::Table, sizeof...(Tables)>{copy(*tables)...};
}

}  // namespace envpool::browser

#undef ENVPOOL_PLUGIN
#define ENVPOOL_PLUGIN(...) constexpr auto kBrowserTables = envpool::browser::without_unused(__VA_ARGS__);
#include ENVPOOL_FAMILY

#define ENVPOOL_EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace envpool::browser {

// An option for the next environments.
struct GivenOption {
  std::string name, text;
  abi::OptionKind kind;
  f64 number;
};

// Arrays with a row for each environment, or for each environment and player.
class Columns {
 public:
  void add(i64 bytes) {
    memory_.emplace_back(size_t(bytes));
    data_.push_back(memory_.back().data());
  }
  void* const* data() const { return data_.data(); }

 private:
  std::vector<std::vector<u8>> memory_;
  std::vector<void*> data_;
};

// The environments of a module.
class Pool {
 public:
  // Makes environments, after which output() is the JSON of Spec. Returns false if there is no such table.
  bool make(const std::string& name, i32 num_envs, i32 max_episode_steps) {
    close();
    for (const abi::Table& entry : kBrowserTables) {
      if (name == entry.name) table_ = &entry;
    }
    if (table_ == nullptr) return false;
    std::vector<abi::Option> given;
    for (const GivenOption& it : options) {
      given.push_back({it.name.c_str(), it.kind, i64(it.number), it.number, it.text.data(), i64(it.text.size())});
    }
    const abi::Options all{given.data(), i32(given.size())};
    output.clear();
    check(table_->spec(&all, sink(), sink()));
    check(table_->model_create(&all, &model_, sink()));
    layout_ = table_->layout(model_);

    const size_t count = size_t(num_envs);
    for (i32 env_id = 0; env_id < num_envs; ++env_id) env_ids_.push_back(env_id);
    const std::vector<void*> models(count, model_);
    const std::vector<i32> limits(count, max_episode_steps);
    const std::vector<u64> seeds(count, 0);
    const std::vector<u32> streams(env_ids_.begin(), env_ids_.end());
    const abi::Config config{num_envs,      layout_->max_players, abi::kAutoresetNextStep, models.data(),
                             limits.data(), seeds.data(),         streams.data()};
    check(table_->create(&config, &envs_, sink()));
    add_columns();
    return true;
  }

  // Environment i has stream i of the seed, as in other pools. Takes effect at the next reset.
  void seed(u64 value) {
    for (const i32 env_id : env_ids_) table_->seed(envs_, env_id, value, u32(env_id));
  }
  void reset() {
    const abi::Work all = work();
    table_->reset(envs_, &all);
  }
  void step() {
    const abi::Work all = work();
    table_->step(envs_, &all);
  }
  void* result(i32 field) const { return results_.data()[field]; }
  void* action(i32 field) const { return actions_.data()[field]; }

  const u8* render(i32 env_id) {
    check(table_->render(envs_, env_id, rgb_.data(), sink()));
    for (size_t i = 0; i < rgb_.size() / 3; ++i) std::copy_n(&rgb_[3 * i], 3, &rgba_[4 * i]);
    return rgba_.data();
  }

  std::vector<GivenOption> options;
  std::string output;

 private:
  static void check(i32 status) {
    if (status != abi::kDone) __builtin_trap();
  }
  abi::TextSink sink() {
    return {[](void* text, const char* more, i64 size) { static_cast<std::string*>(text)->append(more, size_t(size)); },
            &output};
  }
  abi::Work work() const {
    return {.env_ids = env_ids_.data(),
            .count = i32(env_ids_.size()),
            .actions = actions_.data(),
            .rows = {results_.data(), nullptr, 0},
            .claim = nullptr,
            .fail = [](void*, i32, const char*) { __builtin_trap(); },
            .context = nullptr};
  }
  void add_columns() {
    const i64 rows = i64(env_ids_.size()), player_rows = rows * layout_->max_players;
    for (i32 f = 0; f < abi::kCommonFields; ++f) {
      const bool flag = f == abi::kTerminated || f == abi::kTruncated,
                 has_players = f == abi::kReward || f == abi::kDiscount;
      results_.add((has_players ? player_rows : rows) * (flag ? 1 : 4));
    }
    for (i32 f = 0; f < layout_->num_fields; ++f) {
      const abi::Field& field = layout_->fields[f];
      results_.add((field.per_player ? player_rows : rows) * field.row_bytes);
    }
    for (i32 f = 0; f < layout_->num_actions; ++f) actions_.add(player_rows * layout_->actions[f].row_bytes);
    rgb_.resize(size_t(layout_->render_height) * size_t(layout_->render_width) * 3);
    rgba_.assign(rgb_.size() / 3 * 4, 255);
  }
  void close() {
    if (envs_ != nullptr) table_->destroy(envs_);
    if (model_ != nullptr) table_->model_destroy(model_);
    envs_ = model_ = nullptr;
    table_ = nullptr;
    env_ids_.clear();
    results_ = actions_ = {};
  }

  const abi::Table* table_ = nullptr;
  const abi::Layout* layout_ = nullptr;
  void *model_ = nullptr, *envs_ = nullptr;
  std::vector<i32> env_ids_;
  Columns results_, actions_;
  std::vector<u8> rgb_, rgba_;
};

Pool pool;
std::string text;

}  // namespace envpool::browser

namespace browser = envpool::browser;

// Returns `size` bytes of memory, into which the caller writes the texts of the next call.
ENVPOOL_EXPORT(buffer) char* buffer(int size) {
  browser::text.resize(size_t(size));
  return browser::text.data();
}
// Sets an option of the next environments. The buffer has the option's name and then, if `kind` is abi::kOptionText,
// its value; other values are in `number`.
ENVPOOL_EXPORT(option) void option(int name_size, int kind, double number) {
  browser::pool.options.push_back({browser::text.substr(0, size_t(name_size)), browser::text.substr(size_t(name_size)),
                                   envpool::abi::OptionKind(kind), number});
}
// Makes environments of the table whose name is in the buffer, in place of those that were made before. Returns 0 if
// there is no such table. The options that were set apply to these environments only.
ENVPOOL_EXPORT(make) int make(int num_envs, int max_episode_steps) {
  const bool found = browser::pool.make(browser::text, num_envs, max_episode_steps);
  browser::pool.options.clear();
  return found;
}
// The JSON of Spec that make() wrote.
ENVPOOL_EXPORT(spec) const char* spec() { return browser::pool.output.data(); }
ENVPOOL_EXPORT(spec_size) int spec_size() { return int(browser::pool.output.size()); }

// These functions apply to all environments. In a step, one whose episode is over is reset.
ENVPOOL_EXPORT(seed) void seed(unsigned long long value) { browser::pool.seed(value); }
ENVPOOL_EXPORT(reset) void reset() { browser::pool.reset(); }
ENVPOOL_EXPORT(step) void step() { browser::pool.step(); }

// The array of a field: first the fields of abi::CommonField, then those of Spec. In the array of a per-player field
// and of an action, each environment has max_players rows.
ENVPOOL_EXPORT(result) void* result(int field) { return browser::pool.result(field); }
ENVPOOL_EXPORT(action) void* action(int field) { return browser::pool.action(field); }

// Renders an environment, and returns its image with four bytes for each pixel: red, green, blue and 255.
ENVPOOL_EXPORT(render) const unsigned char* render(int env_id) { return browser::pool.render(env_id); }

// Exceptions are not compiled for WebAssembly, so an error that would throw one is a trap.
extern "C" void* __cxa_allocate_exception(std::size_t) noexcept { __builtin_trap(); }
extern "C" void __cxa_throw(void*, void*, void*) { __builtin_trap(); }
