// SPDX-License-Identifier: Apache-2.0
//
// Tests options that are arrays: in models, in rows of pure functions, in the episodes that begin after a step, and in
// pools.
#include <cstring>
#include <string>
#include <vector>

#include "envpool/core/plugin.h"
#include "tests/support/testing.h"

namespace envpool {

// An environment that observes its arrays. Its episodes end after two steps.
struct Level {
  static constexpr const char* kName = "Level";
  struct Params {
    bool walls[2][2];
    f64 weights[2];
    i32 start[2];
    f64 heights[2];
    f64 sum;  // derived
  };
  struct State {
    f64 begun;  // the sum when the episode began
    i32 steps;
  };
  static void options(OptionSpecs& o) {
    o.booleans("walls", {1, 0, 0, 1}, "walls by row and column").sets(&Params::walls);
    o.reals("weights", {0.1, 0.3}, "weights").between(-1, 1).sets(&Params::weights);
    o.integers("start", {1, 2}, "start").between(0, 5).sets(&Params::start);
    o.reals("heights", {7, 0, 0, 8, 0, 0}, "heights").between(-9, 9).sets(&Params::heights).with_first_of(3);
  }
  static void spec(const Params&, Spec& s) {
    s.obs<f64>("obs", {11});  // walls, weights, start, the sum when the episode began, and heights
    s.action<i32>().categories(2);
  }
  static void derive(Params& p) { p.sum = p.weights[0] + p.weights[1] + p.start[0] + p.start[1]; }
  static void reset(State& s, const Params& p, Rng&) { s = {p.sum, 0}; }
  static Outcome step(State& s, const Params& p, ActionRow, Rng&) {
    return {.reward = f32(p.sum), .terminated = ++s.steps == 2};
  }
  static void observe(const State& s, const Params& p, Row row) {
    f64* obs = row.at<f64>(0);
    for (const auto& line : p.walls) {
      for (const bool wall : line) *obs++ = wall;
    }
    for (const f64 weight : p.weights) *obs++ = weight;
    for (const i32 place : p.start) *obs++ = place;
    *obs++ = s.begun;
    for (const f64 height : p.heights) *obs++ = height;
  }
};

using Values = std::vector<f64>;
enum Number : i32 { kWalls, kWeights, kStart, kHeights };

struct Rows {
  const abi::Table& table = *envpool::table<Level>();
  void* model = nullptr;
  std::string error{};
  std::vector<__int128> states{};
  std::vector<f64> obs{}, last{};
  const abi::TextSink text{
      [](void* to, const char* from, i64 size) { static_cast<std::string*>(to)->assign(from, size_t(size)); }, &error};

  explicit Rows(const std::vector<abi::Option>& options = {}) {
    const abi::Options list{options.data(), i32(options.size())};
    table.model_create(&list, &model, text);
  }
  ~Rows() {
    if (model != nullptr) table.model_destroy(model);
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  // Resets or steps rows. `next` is null if the next episodes have the options of the step.
  bool call(bool reset, i64 count, const std::vector<abi::OptionColumn>& columns,
            const std::vector<abi::OptionColumn>* next = nullptr) {
    error.clear();
    const abi::Pure& pure = *table.pure;
    states.resize(size_t(pure.state_bytes(model) * count) / sizeof(__int128));
    obs.assign(size_t(count) * 11, -1);
    last.assign(size_t(count) * 11, -1);
    const u32 zeros[2]{};
    const std::vector<i32> moves(size_t(count), 0);
    std::vector<f32> reward(static_cast<size_t>(count)), discount(reward.size());
    std::vector<u8> terminated(reward.size()), truncated(reward.size());
    std::vector<i32> elapsed(reward.size());
    void* fields[] = {obs.data()};
    void* final_fields[] = {last.data()};
    const void* actions[] = {moves.data()};
    abi::PureWork work{};
    work.count = count;
    work.first = 100;
    work.keys = work.streams = {zeros, 0};
    work.options = columns.data();
    work.num_options = i32(columns.size());
    if (next != nullptr) {
      work.next_options = next->empty() ? columns.data() : next->data();
      work.num_next_options = i32(next->size());
    }
    work.states = {states.data(), pure.state_bytes(model)};
    work.new_states = reinterpret_cast<u8*>(states.data());
    work.actions = actions;
    work.fields = fields;
    work.final_fields = final_fields;
    work.reward = reward.data();
    work.discount = discount.data();
    work.terminated = terminated.data();
    work.truncated = truncated.data();
    work.elapsed = elapsed.data();
    return (reset ? pure.reset : pure.step)(model, &work, text) == abi::kDone;
  }
  Values observed(i64 row) const { return {obs.begin() + row * 11, obs.begin() + row * 11 + 7}; }
  Values heights(i64 row) const { return {obs.begin() + row * 11 + 9, obs.begin() + row * 11 + 11}; }
  f64 begun(i64 row) const { return obs[size_t(row) * 11 + 8]; }
};

template <class T>
abi::OptionColumn column(const std::vector<T>& values, i32 number, i64 elements) {
  return {values.data(), i64(sizeof(T)) * elements, number, dtype_of<T>()};
}

const Values kMade{1, 0, 0, 1, 0.1, 0.3, 1};

TEST(arrays_are_described_with_their_shapes) {
  Rows rows;
  CHECK_EQ(rows.table.describe(rows.text, rows.text), 0);
  CHECK(rows.error.find(R"("name":"walls","kind":"bool","shape":[2,2],"default":[1,0,0,1])") != std::string::npos);
  const abi::Tunable* list = nullptr;
  i32 count = 0;
  CHECK_EQ(rows.table.tunables(rows.model, &list, &count, rows.text), 0);
  CHECK_EQ(count, 4);
  CHECK_EQ(list[kWalls].dimensions, 2);
  CHECK_EQ(list[kWalls].elements, 4);
  CHECK_EQ(list[kStart].dimensions, 1);
  CHECK_EQ(list[kHeights].dimensions, 2);
  CHECK_EQ(list[kHeights].elements, 6);
  CHECK_EQ(list[kHeights].shape[1], 3);
}

TEST(a_model_has_the_arrays_of_its_options) {
  const Values walls{0, 1, 1, 1};
  Rows rows({{"walls", abi::kOptionReal, 0, 0, nullptr, 4, walls.data()}});
  CHECK(rows.call(/*reset=*/true, 1, {}));
  CHECK(rows.observed(0) == (Values{0, 1, 1, 1, 0.1, 0.3, 1}));

  const Rows bad({{"walls", abi::kOptionReal, 0, 0, nullptr, 3, walls.data()}});
  CHECK_EQ(bad.error, std::string("walls: expected an array of 4 numbers"));
}

TEST(rows_have_the_arrays_of_their_columns) {
  Rows rows;
  const std::vector<u8> walls{0, 1, 0, 0, /**/ 1, 1, 1, 1};
  const std::vector<f32> weights{0.1f, 0.5f, /**/ 0.25f, 0.3f};
  abi::OptionColumn bools = column(walls, kWalls, 4);
  bools.dtype = abi::kBool;
  CHECK(rows.call(/*reset=*/true, 2, {bools, column(weights, kWeights, 2)}));
  CHECK(rows.observed(0) == (Values{0, 1, 0, 0, 0.1, 0.5, 1}));  // 0.1f means the 0.1 that make() got
  CHECK(rows.observed(1) == (Values{1, 1, 1, 1, 0.25, 0.3, 1}));

  const std::vector<i32> start{0, 4};
  abi::OptionColumn same = column(start, kStart, 2);
  same.stride = 0;
  CHECK(rows.call(/*reset=*/true, 70, {same}));
  for (i64 k = 0; k < 70; ++k) CHECK(rows.observed(k) == (Values{1, 0, 0, 1, 0.1, 0.3, 0}));
}

TEST(elements_that_nothing_reads_are_left_out) {
  const Values heights{1, 2, 3, 4, 5, 6};
  Rows made({{"heights", abi::kOptionReal, 0, 0, nullptr, 6, heights.data()}});
  CHECK(made.call(/*reset=*/true, 1, {}));
  CHECK(made.heights(0) == (Values{1, 4}));

  Rows rows;
  const std::vector<f32> values{1, 2, 3, 4, 5, 6, /**/ -1, -2, -3, -4, -5, -6};
  CHECK(rows.call(/*reset=*/true, 2, {column(values, kHeights, 6)}));
  CHECK(rows.heights(0) == (Values{1, 4}));
  CHECK(rows.heights(1) == (Values{-1, -4}));
  CHECK(rows.observed(1) == kMade);

  const std::vector<f64> bad{1, 2, 10, 4, 5, 6};
  CHECK(!rows.call(/*reset=*/true, 1, {column(bad, kHeights, 6)}));
  CHECK_EQ(rows.error, std::string("heights: expected numbers from -9 to 9, got 10 in row 100"));
}

TEST(a_bad_element_is_refused) {
  Rows rows;
  const std::vector<f32> weights{0.1f, 0.5f, 0.25f, 1.5f};
  CHECK(!rows.call(/*reset=*/true, 2, {column(weights, kWeights, 2)}));
  CHECK_EQ(rows.error, std::string("weights: expected numbers from -1 to 1, got 1.5 in row 101"));
  const std::vector<f32> none{0.0f / 0.0f, 0};
  CHECK(!rows.call(/*reset=*/true, 1, {column(none, kWeights, 2)}));
}

TEST(next_episodes_have_their_own_options) {
  Rows rows;
  const std::vector<i32> now{3, 0, 4, 0}, then{5, 0, 2, 0};
  const std::vector<abi::OptionColumn> columns{column(now, kStart, 2)}, next{column(then, kStart, 2)}, none;
  CHECK(rows.call(/*reset=*/true, 2, columns));
  for (const auto* options : {&next, &none, static_cast<decltype(&next)>(nullptr)}) {
    CHECK(rows.call(/*reset=*/false, 2, columns, options));
    CHECK_EQ(rows.observed(0)[6], 3);  // the episode goes on
    CHECK(rows.call(/*reset=*/false, 2, columns, options));
    CHECK_EQ(rows.last[6], 3);
    const f64 first = options == &next   ? 5
                      : options == &none ? 1
                                         : 3,
              second = options == &next   ? 2
                       : options == &none ? 1
                                          : 4;
    CHECK_EQ(rows.observed(0)[6], first);
    CHECK_EQ(rows.observed(1)[6], second);
    CHECK_EQ(rows.begun(0), 0.1 + 0.3 + first + (options == &none ? 2 : 0));
  }
}

TEST(arrays_of_a_pool_change_with_its_episodes) {
  Rows rows;
  void* models[] = {rows.model, rows.model};
  const i32 limits[] = {0, 0}, ids[] = {0, 1}, options[] = {kWeights, abi::kTimeLimit, kWalls};
  const u64 seeds[] = {1, 1};
  const u32 streams[] = {0, 1};
  const abi::Config config{2, 1, abi::kAutoresetNextStep, models, limits, seeds, streams};
  void* envs = nullptr;
  CHECK_EQ(rows.table.create(&config, &envs, rows.text), 0);
  const Values values{0.5, 0.25, 7, 0, 0, 0, 0, /**/ -0.5, 1, 8, 1, 1, 0, 0};
  CHECK_EQ(rows.table.set_options(envs, ids, 2, options, 3, values.data(), rows.text), 0);
  Values read(15);
  rows.table.get_options(envs, 1, read.data());
  CHECK(read == (Values{0, 1, 0, 0, 1, 0.1, 0.3, 1, 2, 7, 0, 0, 8, 0, 0}));  // until the next episode

  const Values bad{0.5, 0.25, 7, 0, 0, 0, 0, /**/ -0.5, 1.5, 8, 1, 1, 0, 0};
  CHECK(rows.table.set_options(envs, ids, 2, options, 3, bad.data(), rows.text) != 0);
  CHECK_EQ(rows.error, std::string("weights: expected numbers from -1 to 1, got 1.5 in environment 1"));

  const i32 heights[] = {kHeights};
  const Values different{1, 2, 3, 4, 5, 6};
  CHECK_EQ(rows.table.set_options(envs, ids, 1, heights, 1, different.data(), rows.text), 0);
  const abi::Device& device = *rows.table.device;
  std::vector<u8> params(size_t(device.params_bytes));
  std::memcpy(params.data(), device.params(rows.model), params.size());
  i32 limit = 0;
  CHECK_EQ(device.change_options(params.data(), &limit, 0, heights, 1, different.data(), rows.text), 0);
  device.read_options(params.data(), limit, read.data());
  CHECK(Values(read.begin() + 9, read.end()) == (Values{1, 0, 0, 4, 0, 0}));
  rows.table.destroy(envs);
}

// Environments whose declarations are wrong.
struct NumberOfAnArray : Level {
  static void options(OptionSpecs& o) { o.integer("start", 1, "").sets(&Params::start); }
};
struct ArrayOfANumber : Level {
  static void options(OptionSpecs& o) { o.reals("sum", {1}, "").sets(&Params::sum); }
};
struct TooFewValues : Level {
  static void options(OptionSpecs& o) { o.reals("weights", {1}, "").sets(&Params::weights); }
};
struct TooFewRows : Level {
  static void options(OptionSpecs& o) { o.reals("heights", {1, 2}, "").sets(&Params::heights).with_first_of(3); }
};
struct NoMember : Level {
  static Params params(const OptionValues&) { return {}; }
  static void options(OptionSpecs& o) { o.reals("weights", {1}, ""); }
};

template <class Env>
std::string refusal() {
  try {
    static_cast<void>(declared_options<Env>());
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST(wrong_declarations_are_refused) {
  CHECK_EQ(refusal<NumberOfAnArray>(), std::string("'start' and the member that it sets are not both arrays"));
  CHECK_EQ(refusal<ArrayOfANumber>(), std::string("'sum' and the member that it sets are not both arrays"));
  CHECK_EQ(refusal<TooFewValues>(), std::string("'weights' has 1 values, but its array has 2"));
  CHECK_EQ(refusal<TooFewRows>(), std::string("'heights' has 2 values, but its array has 6"));
  CHECK_EQ(refusal<NoMember>(), std::string("'weights' has no sets(), and there is no params() that reads it"));
}

}  // namespace envpool

TEST_MAIN()
