// SPDX-License-Identifier: Apache-2.0
//
// Wraps the C table: creates the models and environments of one pool, and converts errors to C++ exceptions.
#pragma once

#include <algorithm>
#include <bit>
#include <map>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "envpool/core/pool/pool_types.h"
#include "envpool/core/table/vtable.h"
#include "envpool/core/text.h"

namespace envpool {

// A buffer for the text that a table function writes. The text may come from a user's code, in any encoding.
struct TextBuffer {
  std::string text;
  operator abi::TextSink() {  // NOLINT: implicit, to pass a buffer as an argument
    return {[](void* context, const char* data, i64 size) {
              static_cast<std::string*>(context)->append(valid_utf8({data, size_t(size)}));
            },
            &text};
  }
};

// A table function failed. The message does not begin with the pool's label.
struct TableError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Calls a table function, and throws if it fails:
// `try_table([&](abi::TextSink error) { return table.save(..., error); })`.
template <class Function>
void try_table(Function&& function) {
  TextBuffer error;
  const i32 status = function(error);
  if (status == abi::kNoMemory) throw std::bad_alloc();
  if (status != abi::kDone) throw TableError(error.text);
}

// The options of one environment, with their own storage.
class OptionList {
 public:
  void add_integer(std::string name, abi::OptionKind kind, i64 value) {
    values_.push_back({.name = std::move(name), .kind = kind, .integer = value});
  }
  void add_real(std::string name, f64 value) {
    values_.push_back({.name = std::move(name), .kind = abi::kOptionReal, .real = value});
  }
  void add_text(std::string name, std::string value) {
    values_.push_back({.name = std::move(name), .kind = abi::kOptionText, .text = std::move(value)});
  }
  void add_array(std::string name, std::vector<f64> values) {
    values_.push_back(
        {.name = std::move(name), .kind = abi::kOptionReal, .is_array = true, .numbers = std::move(values)});
  }
  // Valid until the list is changed or moved.
  abi::Options view() const {
    view_.clear();
    for (const Value& value : values_) {
      const i64 size = i64(value.is_array ? value.numbers.size() : value.text.size());
      view_.push_back({value.name.c_str(), value.kind, value.integer, value.real, value.text.data(), size,
                       value.is_array ? value.numbers.data() : nullptr});
    }
    return {view_.data(), i32(view_.size())};
  }
  // A strict weak order, in which lists are equivalent only if all values are equal, bit for bit.
  bool operator<(const OptionList& other) const { return values_ < other.values_; }

 private:
  struct Value {
    std::string name;
    abi::OptionKind kind;
    i64 integer = 0;
    f64 real = 0;
    std::string text{};
    bool is_array = false;
    std::vector<f64> numbers{};
    bool operator<(const Value& other) const {
      const u64 bits = std::bit_cast<u64>(real), other_bits = std::bit_cast<u64>(other.real);
      const auto mine = std::tie(name, kind, integer, bits, text, is_array);
      const auto others = std::tie(other.name, other.kind, other.integer, other_bits, other.text, other.is_array);
      if (mine != others) return mine < others;
      return std::lexicographical_compare(numbers.begin(), numbers.end(), other.numbers.begin(), other.numbers.end(),
                                          [](f64 a, f64 b) { return std::bit_cast<u64>(a) < std::bit_cast<u64>(b); });
    }
  };
  std::vector<Value> values_;
  mutable std::vector<abi::Option> view_;
};

// Returns whether two layouts have the same arrays and take the same actions, so that one pool can have both.
inline bool have_same_arrays(const abi::Layout& a, const abi::Layout& b) {
  const auto same = [](const abi::Field& x, const abi::Field& y) {
    return std::string_view(x.name) == y.name && x.dtype == y.dtype && x.per_player == y.per_player &&
           std::equal(x.shape, x.shape + x.dimensions, y.shape, y.shape + y.dimensions);
  };
  const auto same_values = [&](const abi::Field& x, const abi::Field& y) {
    if (!same(x, y) || x.discrete != y.discrete || (x.counts == nullptr) != (y.counts == nullptr)) return false;
    i64 elements = x.counts == nullptr ? 0 : 1;
    for (i32 i = 0; i < x.dimensions; ++i) elements *= x.shape[i];
    return std::equal(x.counts, x.counts + elements, y.counts);
  };
  return a.max_players == b.max_players &&
         std::equal(a.fields, a.fields + a.num_fields, b.fields, b.fields + b.num_fields, same) &&
         std::equal(a.actions, a.actions + a.num_actions, b.actions, b.actions + b.num_actions, same_values);
}

// The arguments with which a pool's environments are created.
struct EnvConfig {
  i32 num_envs = 1;
  abi::Autoreset autoreset = abi::kAutoresetNextStep;
  std::vector<OptionList> options{};     // one for all environments, or one for each
  std::vector<i32> max_episode_steps{};  // one each; 0 is no limit
  std::vector<u64> seeds{};              // one each
  std::vector<u32> streams{};            // one each
};

class Environments {
 public:
  // Creates the models; create() then creates the environments.
  Environments(const abi::Table& table, const EnvConfig& config) : table_(table) {
    try {
      model_of_ = make_models(config);
      for (void* model : model_of_) layout_of_.push_back(table_.layout(model));
    } catch (...) {
      destroy();
      throw;
    }
  }
  void create(const EnvConfig& config) {
    const abi::Config table_config{
        config.num_envs,     layout().max_players, config.autoreset, model_of_.data(), config.max_episode_steps.data(),
        config.seeds.data(), config.streams.data()};
    try_table([&](abi::TextSink error) { return table_.create(&table_config, &envs_, error); });
    model_of_ = {};
  }
  ~Environments() { destroy(); }
  Environments(const Environments&) = delete;
  Environments& operator=(const Environments&) = delete;

  // Destroys the environments, but keeps the models and their layout.
  void destroy_envs() {
    if (void* envs = std::exchange(envs_, nullptr)) table_.destroy(envs);
  }

  // Returns a model. Models are numbered in the order in which their options first occur.
  void* model(i32 kind) const { return models_[size_t(kind)]; }
  const abi::Layout& layout() const { return *table_.layout(models_[0]); }
  // Returns the layout of an environment, whose identity tells which states it can load (see abi::Layout::identity).
  const abi::Layout& layout(i32 env_id) const { return *layout_of_[size_t(env_id)]; }
  // Returns the memory that all environments take, in bytes. Call it before create().
  f64 env_bytes() const {
    f64 sum = 0;
    for (void* model : model_of_) sum += f64(table_.layout(model)->env_bytes);
    return sum;
  }
  void seed(i32 env_id, u64 seed, u32 stream) { table_.seed(envs_, env_id, seed, stream); }
  // Makes all steps and resets fail that wait for something outside this process.
  void cancel() {
    if (table_.cancel != nullptr && envs_ != nullptr) table_.cancel(envs_);
  }
  void run(const abi::Work& work, Task task) { (task == Task::kReset ? table_.reset : table_.step)(envs_, &work); }

  i64 save_size(i32 env_id) { return table_.save_size(envs_, env_id); }
  // Saves a state at the beginning of a buffer, which it enlarges if necessary.
  std::string_view save(i32 env_id, std::string& buffer) {
    const auto size = size_t(save_size(env_id));
    if (buffer.size() < size) buffer.resize(size);
    try_table([&](abi::TextSink error) { return table_.save(envs_, env_id, buffer.data(), error); });
    return {buffer.data(), size};
  }
  std::string save(i32 env_id) {
    std::string state;
    static_cast<void>(save(env_id, state));
    return state;
  }
  void load(i32 env_id, const char* data, i64 size) {
    try_table([&](abi::TextSink error) { return table_.load(envs_, env_id, data, size, error); });
  }
  void render(i32 env_id, u8* rgb) {
    try_table([&](abi::TextSink error) { return table_.render(envs_, env_id, rgb, error); });
  }
  void observe(i32 env_id, const abi::ResultRows& rows) {
    try_table([&](abi::TextSink error) { return table_.observe(envs_, env_id, &rows, error); });
  }
  void reset_options(i32 env_id, const void* data, i64 size) {
    try_table([&](abi::TextSink error) { return table_.reset_options(envs_, env_id, data, size, error); });
  }
  bool options_change() const { return table_.tunables != nullptr; }
  // Returns the options that can change from episode to episode, other than the time limit.
  std::span<const abi::Tunable> tunables() const {
    const abi::Tunable* list = nullptr;
    i32 count = 0;
    try_table([&](abi::TextSink error) { return table_.tunables(models_[0], &list, &count, error); });
    return {list, size_t(count)};
  }
  void set_options(const i32* env_ids, i32 count, const std::vector<i32>& options, const f64* values) {
    try_table([&](abi::TextSink error) {
      return table_.set_options(envs_, env_ids, count, options.data(), i32(options.size()), values, error);
    });
  }
  void get_options(i32 env_id, f64* values) const { table_.get_options(envs_, env_id, values); }
  // Returns the numbers that options have in `tunables`, or abi::kTimeLimit. Together they have `width` elements.
  // `whose` is the end of the text of an error, such as "environment 3".
  std::vector<i32> numbers_of(const std::vector<std::string>& names, i64 width, const std::string& whose) const {
    const std::span<const abi::Tunable> list = tunables();
    std::vector<i32> numbers;
    for (const std::string& name : names) {
      const auto found =
          std::find_if(list.begin(), list.end(), [&](const abi::Tunable& option) { return option.name == name; });
      if (found == list.end() && name != "max_episode_steps") {
        throw TableError("expected options that can change, got " + name + " for " + whose);
      }
      numbers.push_back(found == list.end() ? abi::kTimeLimit : i32(found - list.begin()));
      width -= found == list.end() ? 1 : found->elements;
    }
    if (width == 0) return numbers;
    throw TableError("expected values for all elements of these options, got another number for " + whose);
  }
  // Returns how many numbers get_options writes.
  size_t option_elements() const {
    size_t elements = 1;
    for (const abi::Tunable& option : tunables()) elements += size_t(option.elements);
    return elements;
  }
  // Replaces the options of a portable environment's current episode (abi::Device::use_params).
  void use_params(i32 env_id, const void* params, i32 max_episode_steps) {
    try_table([&](abi::TextSink error) {
      return table_.device->use_params(envs_, env_id, params, max_episode_steps, error);
    });
  }

 private:
  // Creates the models, and returns the model of each environment. Environments with equal options share a model.
  std::vector<void*> make_models(const EnvConfig& config) {
    const auto less = [](const OptionList* a, const OptionList* b) { return *a < *b; };
    std::map<const OptionList*, void*, decltype(less)> by_options(less);
    std::vector<void*> model_of;
    for (const OptionList& options : config.options) {
      const auto [entry, inserted] = by_options.try_emplace(&options, nullptr);
      if (inserted) entry->second = make_model(options, i64(model_of.size()));
      model_of.push_back(entry->second);
    }
    model_of.resize(size_t(config.num_envs), models_[0]);
    return model_of;
  }
  void* make_model(const OptionList& options, i64 env_id) {
    models_.push_back(nullptr);
    void*& model = models_.back();
    const abi::Options view = options.view();
    try_table([&](abi::TextSink error) { return table_.model_create(&view, &model, error); });
    if (!have_same_arrays(layout(), *table_.layout(model))) {
      throw TableError(
          "env_options: expected arrays of the same shapes in all environments, got other shapes in environment " +
          std::to_string(env_id) + " than in environment 0");
    }
    return model;
  }
  void destroy() {
    destroy_envs();
    for (void* model : models_) {
      if (model != nullptr) table_.model_destroy(model);
    }
  }

  const abi::Table& table_;
  std::vector<void*> models_, model_of_;
  std::vector<const abi::Layout*> layout_of_;  // of each environment
  void* envs_ = nullptr;
};

}  // namespace envpool
