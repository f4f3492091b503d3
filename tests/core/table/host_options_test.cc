// SPDX-License-Identifier: Apache-2.0
//
// Tests options of host environments that change from episode to episode.
#include "envpool/core/table/host_options.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/plugin.h"
#include "tests/support/testing.h"

namespace envpool {

// A host environment whose observation shows the values with which it runs: one number, and an array of shape (2, 2).
class Shown {
 public:
  static constexpr const char* kName = "Shown";
  struct Params {
    f64 first;  // of the array
  };
  struct Values {
    f64 numbers[5];
  };
  static inline int setups = 0;  // the number of calls of setup()

  static void options(OptionSpecs& o) { o.real("first", 1, "first element of the array"); }
  static Params params(const OptionValues& o) { return {o.real("first")}; }
  static void spec(const Params&, Spec& s) {
    s.obs<f64>("obs", {5});
    s.action<i32>().categories(2);
  }
  static void changing_options(const Params& p, OptionSpecs& o) {
    o.real("number", 7, "a number").between(0, 100);
    o.reals("array", {p.first, 2, 3, 4}, "an array").between(0, kInfinity).shape = {2, 2};
  }
  static std::shared_ptr<const Values> setup(const Params&, const f64* values) {
    ++setups;
    if (values[0] == 13) throw std::invalid_argument("number: expected another one than 13");
    auto made = std::make_shared<Values>();
    std::copy_n(values, 5, made->numbers);
    return made;
  }
  void use(const std::shared_ptr<const Values>& values) { values_ = values; }

  Shown(const Params& params, i32) : params_(params) {}
  void reset(Rng&) {}
  Outcome step(ActionRow, Rng&) { return {}; }
  void observe(Row row) const {
    const f64 made[] = {7, params_.first, 2, 3, 4};
    std::copy_n(values_ == nullptr ? made : values_->numbers, 5, row.at<f64>(0));
  }

 private:
  const Params& params_;
  std::shared_ptr<const Values> values_;
};

constexpr i32 kNumber = 0, kArray = 1, kEnvs = 4;
using Numbers = std::vector<f64>;

// Four environments, of which the last one was made with another option, and the results of their last step or reset.
struct Pool {
  Pool() {
    const abi::Option other{"first", abi::kOptionReal, 0, 10, nullptr, 0};
    const abi::Options none{nullptr, 0}, one{&other, 1};
    CHECK_EQ(table.model_create(&none, &models[0], sink()), 0);
    CHECK_EQ(table.model_create(&one, &models[1], sink()), 0);
    void* const each[] = {models[0], models[0], models[0], models[1]};
    const i32 limits[] = {3, 3, 3, 3};
    const u64 seeds[] = {1, 1, 1, 1};
    const u32 streams[] = {0, 1, 2, 3};
    const abi::Config config{kEnvs, 1, abi::kAutoresetNextStep, each, limits, seeds, streams};
    CHECK_EQ(table.create(&config, &envs, sink()), 0);
    for (auto& field : bytes) fields.push_back(field);
    work.env_ids = ids;
    work.count = kEnvs;
    work.actions = actions;
    work.rows = {fields.data(), nullptr, 0};
    table.reset(envs, &work);
  }
  ~Pool() {
    table.destroy(envs);
    for (void* model : models) table.model_destroy(model);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  abi::TextSink sink() {
    error.clear();
    return {[](void* context, const char* text, i64 size) {
              static_cast<std::string*>(context)->append(text, size_t(size));
            },
            &error};
  }
  i32 set(const std::vector<i32>& env_ids, const std::vector<i32>& options, const Numbers& values) {
    return table.set_options(envs, env_ids.data(), i32(env_ids.size()), options.data(), i32(options.size()),
                             values.data(), sink());
  }
  std::string refused(const std::vector<i32>& env_ids, const std::vector<i32>& options, const Numbers& values) {
    CHECK_EQ(set(env_ids, options, values), i32(abi::kFailed));
    return error;
  }
  Numbers options(i32 env_id) const {
    Numbers values(6);
    table.get_options(envs, env_id, values.data());
    return values;
  }
  Numbers observed(i32 row) const {
    const f64* first = reinterpret_cast<const f64*>(bytes[abi::kCommonFields]) + 5 * row;
    return {first, first + 5};
  }
  void step() { table.step(envs, &work); }
  void reset() { table.reset(envs, &work); }

  const abi::Table& table = *envpool::table<Shown>();
  void *models[2] = {}, *envs = nullptr;
  std::string error;
  i32 ids[kEnvs] = {0, 1, 2, 3}, action[kEnvs] = {};
  const void* actions[1] = {action};
  alignas(16) u8 bytes[abi::kCommonFields + 1][256] = {};
  std::vector<void*> fields;
  abi::Work work{};
};

TEST(the_options_are_listed_with_their_shapes) {
  Pool pool;
  const abi::Tunable* list = nullptr;
  i32 count = 0;
  CHECK_EQ(pool.table.tunables(pool.models[0], &list, &count, pool.sink()), 0);
  CHECK_EQ(count, 2);
  CHECK_EQ(std::string(list[kArray].name), std::string("array"));
  CHECK_EQ(list[kNumber].dimensions, 0);
  CHECK_EQ(list[kNumber].high, 100.0);
  CHECK_EQ(list[kArray].dimensions, 2);
  CHECK_EQ(list[kArray].elements, 4);
  CHECK_EQ(list[kArray].shape[1], 2);
  CHECK(pool.options(0) == (Numbers{3, 7, 1, 2, 3, 4}));
  CHECK(pool.options(3) == (Numbers{3, 7, 10, 2, 3, 4}));
}

TEST(new_values_take_effect_with_the_next_episode) {
  Pool pool;
  CHECK_EQ(pool.set({1, 3}, {kNumber, abi::kTimeLimit}, {8, 2, 9, 5}), i32(abi::kDone));
  for (i32 step = 0; step < 3; ++step) {
    pool.step();
    CHECK(pool.observed(1) == (Numbers{7, 1, 2, 3, 4}));
    CHECK(pool.options(1) == (Numbers{3, 7, 1, 2, 3, 4}));
  }
  pool.step();  // begins the next episodes
  CHECK(pool.observed(0) == (Numbers{7, 1, 2, 3, 4}));
  CHECK(pool.observed(1) == (Numbers{8, 1, 2, 3, 4}));
  CHECK(pool.observed(3) == (Numbers{9, 10, 2, 3, 4}));
  CHECK(pool.options(1) == (Numbers{2, 8, 1, 2, 3, 4}));
  CHECK(pool.options(3) == (Numbers{5, 9, 10, 2, 3, 4}));
  CHECK_EQ(pool.set({1}, {kArray}, {1, 5, 5, 5}), i32(abi::kDone));
  CHECK_EQ(pool.set({1}, {kArray}, {6, 6, 6, 6}), i32(abi::kDone));  // replaces the values before
  pool.reset();
  CHECK(pool.observed(1) == (Numbers{8, 6, 6, 6, 6}));
  CHECK_EQ(pool.set({1}, {kNumber, kArray}, {7, 1, 2, 3, 4}), i32(abi::kDone));
  pool.reset();
  CHECK(pool.observed(1) == (Numbers{7, 1, 2, 3, 4}));
}

TEST(equal_values_share_a_setup) {
  Pool pool;
  Shown::setups = 0;
  CHECK_EQ(pool.set({0, 1, 2}, {kNumber}, {8, 8, 8}), i32(abi::kDone));
  CHECK_EQ(Shown::setups, 1);
  CHECK_EQ(pool.set({0, 1, 2}, {kNumber}, {7, 7, 7}), i32(abi::kDone));  // the values of make() need none
  CHECK_EQ(Shown::setups, 1);
  CHECK_EQ(pool.set({2, 3}, {kNumber}, {9, 9}), i32(abi::kDone));  // of different models
  CHECK_EQ(Shown::setups, 3);
}

TEST(bad_values_change_nothing) {
  Pool pool;
  CHECK_EQ(pool.refused({0, 2}, {kNumber}, {8, -1}),
           std::string("number: expected a number from 0 to 100, got -1 in environment 2"));
  CHECK(pool.refused({0, 2}, {kArray}, {1, 1, 1, 1, 1, 1, 1, __builtin_inf()}).ends_with("got inf in environment 2"));
  CHECK(pool.refused({0}, {kArray}, {1, 1, 1, __builtin_nan("")}).starts_with("array: expected numbers from 0 to inf"));
  CHECK_EQ(pool.refused({0, 2}, {kNumber}, {8, 13}),
           std::string("number: expected another one than 13 in environment 2"));
  CHECK(!pool.refused({0}, {2}, {1}).empty());
  CHECK(!pool.refused({0}, {-2}, {1}).empty());
  pool.reset();
  for (i32 env_id = 0; env_id < 3; ++env_id) CHECK(pool.options(env_id) == (Numbers{3, 7, 1, 2, 3, 4}));
}

}  // namespace envpool

TEST_MAIN()
