// SPDX-License-Identifier: Apache-2.0
//
// Steps rows with different options by an environment's pure functions, together and one at a time. Both must give the
// same bits, although rows are stepped in lanes or groups only if there are several.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "envpool/core/plugin.h"
#include "tests/support/testing.h"

namespace envpool::testing {

template <class Env>
class RowOptions {
 public:
  // From row kFirstNoisy on, options that are at their smallest value unless make() sets them, such as noise, have
  // other values, too.
  static constexpr i64 kRows = 203, kFirstNoisy = 128;

  RowOptions(u64 seed, bool restarts, const std::vector<abi::Option>& made) : rng_{.seed = seed} {
    const abi::Options options{made.data(), i32(made.size())};
    CHECK_EQ(table_.model_create(&options, &model_, sink()), 0);
    for (const FieldSpec& action : this->model().spec.actions) {
      actions_.emplace_back(size_t(action.row_bytes() * kRows));
      action_rows_.push_back(actions_.back().data());
    }
    draw_options();
    for (Results* each : {&together_, &alone_}) *each = Results(this->model(), pure().state_bytes(model_), restarts);
  }
  ~RowOptions() { table_.model_destroy(model_); }
  RowOptions(const RowOptions&) = delete;
  RowOptions& operator=(const RowOptions&) = delete;

  // Resets and steps all rows. Returns the number of episodes that ended.
  i64 run(int steps) {
    i64 ended = 0;
    for (int step = 0; step <= steps; ++step) {
      draw_actions();
      call(together_, step > 0, 0, kRows);
      for (i64 k = 0; k < kRows; ++k) call(alone_, step > 0, k, 1);
      CHECK_EQ(error_, std::string());
      if (!(together_ == alone_)) {
        CHECK_EQ(std::string(Env::kName) + ": different bits in step " + std::to_string(step), std::string());
        return ended;
      }
      for (i64 k = 0; k < kRows; ++k) ended += together_.terminated[size_t(k)] | together_.truncated[size_t(k)];
    }
    return ended;
  }

 private:
  // The arrays that a call reads and writes.
  struct Results {
    i64 state_bytes = 0;
    bool restarts = false;
    u64 infos = 0;
    std::vector<i64> row_bytes{};
    std::vector<__int128> states{};
    std::vector<std::vector<u8>> fields{}, final_fields{};
    std::vector<f32> reward{}, discount{};
    std::vector<u8> terminated{}, truncated{};
    std::vector<i32> elapsed{};

    Results() = default;
    Results(const Model<Env>& model, i64 bytes, bool whether) : state_bytes(bytes), restarts(whether) {
      states.resize(size_t(kRows * bytes) / sizeof(__int128));
      for (size_t f = 0; f < model.spec.fields.size(); ++f) {
        row_bytes.push_back(model.spec.fields[f].row_bytes());
        infos |= u64{model.spec.is_info[f]} << f;
        fields.emplace_back(size_t(kRows * row_bytes.back()));
        final_fields.emplace_back(size_t(kRows * row_bytes.back()));
      }
      for (auto* column : {&reward, &discount}) column->resize(kRows);
      for (auto* column : {&terminated, &truncated}) column->resize(kRows);
      elapsed.resize(kRows);
    }
    bool operator==(const Results& other) const {
      const auto same = [](const auto& a, const auto& b) {
        return std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
      };
      return same(states, other.states) && fields == other.fields && final_fields == other.final_fields &&
             same(reward, other.reward) && same(discount, other.discount) && terminated == other.terminated &&
             truncated == other.truncated && elapsed == other.elapsed;
    }
  };

  const Model<Env>& model() const { return *static_cast<const Model<Env>*>(model_); }
  const abi::Pure& pure() const { return *table_.pure; }
  abi::TextSink sink() {
    return {[](void* to, const char* from, i64 size) { static_cast<std::string*>(to)->assign(from, size_t(size)); },
            &error_};
  }

  void draw_actions() {
    for (size_t f = 0; f < actions_.size(); ++f) {
      const FieldSpec& field = model().spec.actions[f];
      for (i64 i = 0; i < kRows * field.elements(); ++i) {
        const f64 low = field.low[0], high = field.high[0];
        const f64 value =
            field.dtype == abi::kF32 ? rng_.uniform(2 * low, 2 * high) : low + int(rng_.uniform(0, high - low + 1));
        write_number(actions_[f].data() + i * dtype_size(field.dtype), field.dtype, value);
      }
    }
  }
  // Draws the options of all rows. Their arrays have different types and strides.
  void draw_options() {
    const abi::Tunable* tunables = nullptr;
    i32 count = 0;
    CHECK_EQ(table_.tunables(model_, &tunables, &count, sink()), 0);
    for (i32 number = abi::kTimeLimit; number < count; ++number) {
      const bool is_limit = number == abi::kTimeLimit;
      const abi::Tunable option = is_limit ? abi::Tunable{} : tunables[number];
      const bool is_real = !is_limit && option.kind == abi::kOptionReal;
      const abi::Dtype reals[] = {abi::kF32, abi::kF64}, integers[] = {abi::kI32, abi::kI64, abi::kU8, abi::kF32};
      const abi::Dtype dtype = is_real ? reals[rng_.below(2)] : integers[rng_.below(4)];
      const i64 bytes = dtype_size(dtype), stride = rng_.below(4) == 0 ? 3 * bytes : bytes;
      std::vector<u8>& rows = options_.emplace_back(size_t(kRows * stride));
      for (i64 k = 0; k < kRows; ++k) {
        const f64 value = is_limit ? 5 + int(rng_.below(60)) : draw_option(option, k);
        write_number(rows.data() + k * stride, dtype, value);
      }
      columns_.push_back({rows.data(), stride, number, dtype});
    }
  }
  f64 draw_option(const abi::Tunable& option, i64 k) {
    const f64 made = read_number(reinterpret_cast<const u8*>(&model().params) + option.at, option.dtype);
    if (option.kind != abi::kOptionReal) {
      return option.low + rng_.below(u32(std::min(option.high - option.low, 9.0)) + 1);
    }
    if (made == option.low && k < kFirstNoisy) return made;
    switch (rng_.below(8)) {
      case 0: return made;
      case 1: return std::clamp(0.0, option.low, option.high);
      default:
        return std::clamp(made == 0 ? rng_.uniform(-0.05, 0.05) : made * rng_.uniform(0.5, 1.5), option.low,
                          option.high);
    }
  }

  void call(Results& results, bool step, i64 first, i64 count) {
    std::vector<abi::OptionColumn> columns = columns_;
    for (abi::OptionColumn& column : columns) column.data = static_cast<const u8*>(column.data) + column.stride * first;
    std::vector<void*> fields, final_fields;
    for (size_t f = 0; f < results.fields.size(); ++f) {
      fields.push_back(results.fields[f].data() + results.row_bytes[f] * first);
      final_fields.push_back(results.final_fields[f].data() + results.row_bytes[f] * first);
    }
    std::vector<const void*> actions;
    for (size_t f = 0; f < actions_.size(); ++f) {
      actions.push_back(actions_[f].data() + model().spec.actions[f].row_bytes() * first);
    }
    u32 key[] = {1, 2}, streams[kRows];
    for (i64 k = 0; k < kRows; ++k) streams[k] = u32(k);
    u8* const states = reinterpret_cast<u8*>(results.states.data()) + results.state_bytes * first;
    abi::PureWork work{};
    work.count = count;
    work.first = first;
    work.keys = {key, 0};
    work.streams = {streams + first, sizeof(u32)};
    work.options = columns.data();
    work.num_options = i32(columns.size());
    work.states = {states, results.state_bytes};
    work.actions = actions.data();
    work.new_states = states;
    work.fields = fields.data();
    work.final_fields = results.restarts ? final_fields.data() : nullptr;
    work.reward = results.reward.data() + first;
    work.discount = results.discount.data() + first;
    work.terminated = results.terminated.data() + first;
    work.truncated = results.truncated.data() + first;
    work.elapsed = results.elapsed.data() + first;
    work.infos = results.infos;
    (step ? pure().step : pure().reset)(model_, &work, sink());
  }

  const abi::Table& table_ = *envpool::table<Env>();
  void* model_ = nullptr;
  std::string error_{};
  Rng rng_;
  std::vector<std::vector<u8>> actions_{}, options_{};
  std::vector<const void*> action_rows_{};
  std::vector<abi::OptionColumn> columns_{};
  Results together_{}, alone_{};
};

// Checks rows with random options, some of which are stepped in lanes or groups if the CPU has SIMD code.
template <class Env>
void check_row_options(const std::vector<abi::Option>& made = {}, u64 seeds = 4, int steps = 150) {
#if ENVPOOL_SIMD
  static_assert(HasLaneParams<Env> || SteppedInGroups<Env>);
#endif
  for (u64 seed = 0; seed < seeds; ++seed) {
    CHECK(RowOptions<Env>(seed, /*restarts=*/true, made).run(steps) > RowOptions<Env>::kRows);
    CHECK(RowOptions<Env>(seed, /*restarts=*/false, made).run(10) > 0);
  }
}

}  // namespace envpool::testing
