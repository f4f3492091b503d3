// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/table/pure.h"

#include <string>
#include <vector>

#include "envpool/core/plugin.h"
#include "tests/support/testing.h"

namespace envpool {

// An environment whose reward and observation show its parameters. Each member has another type than the options and
// the columns of some calls.
struct Scaled {
  static constexpr const char* kName = "Scaled";
  enum class Mode : u8 { kPlus, kMinus };
  struct Inner {
    f32 scale[2];
  };
  struct Params {
    i64 width;
    Inner inner;
    f64 offset;
    i32 count;
    Mode mode;
    bool doubled;
    f64 sum;  // derived
  };
  struct State {
    i32 steps;
  };
  static void options(OptionSpecs& o) {
    o.integer("width", 1, "size of an observation").between(1, 8).changes_shapes().sets(&Params::width);
    o.real("scale", 0.1, "factor of the reward").between(0, 10).sets(&Params::inner, &Inner::scale, 1);
    o.text("note", "", "a text, which cannot differ between rows");
    o.real("offset", 0.3, "added to the reward").sets(&Params::offset);
    o.integer("count", 1, "any integer of the member").sets(&Params::count);
    o.text("mode", "plus", "a choice").one_of({"plus", "minus"}).sets(&Params::mode);
    o.boolean("doubled", false, "twice the reward").sets(&Params::doubled);
  }
  static Params params(const OptionValues&) { return {}; }
  static void spec(const Params& p, Spec& s) {
    s.obs<f64>("obs", {p.width});
    s.action<i32>().categories(2);
  }
  static void derive(Params& p) {
    const f64 sum = f64(p.inner.scale[1]) + (p.mode == Mode::kMinus ? -p.offset : p.offset) + p.count;
    p.sum = p.doubled ? 2 * sum : sum;
  }
  static void reset(State& s, const Params&, Rng&) { s.steps = 0; }
  static Outcome step(State& s, const Params& p, ActionRow, Rng&) { return {.reward = f32(p.sum) * f32(++s.steps)}; }
  static void observe(const State&, const Params& p, Row row) {
    for (i64 i = 0; i < p.width; ++i) row.at<f64>(0)[i] = p.sum;
  }
};

// Resets rows of the environment, with columns of options.
struct Rows {
  const abi::Table& table = *envpool::table<Scaled>();
  const abi::Pure& pure = *table.pure;
  void* model = nullptr;
  std::string error{};
  const abi::TextSink text{
      [](void* to, const char* from, i64 size) { static_cast<std::string*>(to)->assign(from, size_t(size)); }, &error};

  Rows() {
    const abi::Options none{nullptr, 0};
    CHECK_EQ(table.model_create(&none, &model, text), 0);
  }
  ~Rows() { table.model_destroy(model); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  std::vector<f64> reset(i64 count, const std::vector<abi::OptionColumn>& columns) {
    error.clear();
    std::vector<__int128> states(size_t(pure.state_bytes(model) * count) / sizeof(__int128));
    std::vector<f64> obs(size_t(count), -1);
    const u32 zeros[2]{};
    void* fields[] = {obs.data()};
    abi::PureWork work{};
    work.count = count;
    work.first = 100;
    work.keys = work.streams = {zeros, 0};
    work.options = columns.data();
    work.num_options = i32(columns.size());
    work.new_states = reinterpret_cast<u8*>(states.data());
    work.fields = fields;
    pure.reset(model, &work, text);
    return obs;
  }
};

enum Number : i32 { kScale, kOffset, kCount, kMode, kDoubled };

template <class T>
abi::OptionColumn column(const std::vector<T>& values, i32 number, i64 stride = sizeof(T)) {
  return {values.data(), stride, number, dtype_of<T>()};
}

constexpr f64 kMade = f64(0.1f) + 0.3 + 1;

TEST(options_are_listed_with_the_bounds_of_their_members) {
  Rows rows;
  const abi::Tunable* list = nullptr;
  i32 count = 0;
  CHECK_EQ(rows.table.tunables(rows.model, &list, &count, rows.text), 0);
  CHECK_EQ(count, 5);
  CHECK_EQ(std::string(list[kScale].name), std::string("scale"));
  CHECK_EQ(list[kScale].low, 0.0);
  CHECK_EQ(list[kCount].high, 2147483647.0);
  CHECK_EQ(list[kMode].high, 1.0);
  CHECK_EQ(i32(list[kMode].dtype), i32(abi::kU8));
}

TEST(rows_without_columns_have_the_options_of_make) {
  Rows rows;
  CHECK(rows.reset(3, {}) == std::vector<f64>({kMade, kMade, kMade}));
}

TEST(each_row_has_its_own_values) {
  Rows rows;
  const std::vector<f32> scale{1, 2, 3};
  const std::vector<i32> count{5, 6, 7}, mode{0, 1, 0};
  const std::vector<f64> offset{0.5, 0.25, 8};
  const auto obs =
      rows.reset(3, {column(scale, kScale), column(count, kCount), column(offset, kOffset), column(mode, kMode)});
  CHECK(obs == std::vector<f64>({1 + 0.5 + 5, 2 - 0.25 + 6, 3 + 8 + 7}));
  CHECK_EQ(rows.error, std::string());
}

TEST(a_value_is_repeated_in_all_rows) {
  Rows rows;
  const std::vector<f32> scale{2};
  const std::vector<i64> count{5, 6};
  CHECK(rows.reset(2, {column(scale, kScale, 0)}) == std::vector<f64>({2.0 + 0.3 + 1, 2.0 + 0.3 + 1}));
  CHECK(rows.reset(2, {column(scale, kScale, 0), column(count, kCount)}) ==
        std::vector<f64>({2.0 + 0.3 + 5, 2.0 + 0.3 + 6}));
}

TEST(many_rows_are_computed_in_blocks) {
  Rows rows;
  std::vector<i32> count(1000);
  for (i32 i = 0; i < 1000; ++i) count[size_t(i)] = i;
  const auto obs = rows.reset(1000, {column(count, kCount)});
  for (i32 i = 0; i < 1000; ++i) CHECK_EQ(obs[size_t(i)], f64(0.1f) + 0.3 + i);
}

TEST(a_rounded_value_of_make_has_all_its_digits) {
  Rows rows;
  const std::vector<f32> offset{0.3f, 0.30000004f};
  const auto obs = rows.reset(2, {column(offset, kOffset)});
  CHECK_EQ(obs[0], kMade);
  CHECK_EQ(obs[1], f64(0.1f) + f64(0.30000004f) + 1);
}

TEST(values_out_of_range_are_refused_and_named) {
  Rows rows;
  const auto refused = [&](abi::OptionColumn bad) {
    rows.reset(3, {bad});
    return rows.error;
  };
  const std::vector<f32> large{1, 11, 1}, low{1, 1, -1}, nan{__builtin_nanf(""), 1, 1};
  CHECK_EQ(refused(column(large, kScale)), std::string("scale: expected a number from 0 to 10, got 11 in row 101"));
  CHECK_EQ(refused(column(low, kScale)), std::string("scale: expected a number from 0 to 10, got -1 in row 102"));
  CHECK_EQ(refused(column(nan, kScale)), std::string("scale: expected a number from 0 to 10, got nan in row 100"));
  CHECK_EQ(refused(column(nan, kOffset)),
           std::string("offset: expected a number from -inf to inf, got nan in row 100"));
  const std::vector<i32> third{0, 2, 0}, time{0, 0, -1};
  CHECK_EQ(refused(column(third, kMode)), std::string("mode: expected an integer from 0 to 1, got 2 in row 101"));
  CHECK_EQ(refused(column(time, abi::kTimeLimit)),
           std::string("max_episode_steps: expected a number from 0 to 2147483647, got -1 in row 102"));
  const std::vector<i64> wide{1, i64{1} << 31, 1};
  CHECK(refused(column(wide, kCount)).starts_with("count: expected a number from -2147483648 to 2147483647, got "));
  CHECK(refused(column(large, 5)).starts_with("options: expected the number of an option"));
  CHECK(refused(column(large, -2)).starts_with("options: expected the number of an option"));
}

}  // namespace envpool

TEST_MAIN()
