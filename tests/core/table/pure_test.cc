// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/table/pure.h"

#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "envpool/core/plugin.h"
#include "tests/support/testing.h"

namespace envpool {

// An environment whose observation has as many elements as an option says.
struct WideEnv {
  static constexpr const char* kName = "WideEnv";
  struct Params {
    i64 width;
    f32 scale;
  };
  struct State {
    i32 steps;
  };
  static void options(OptionSpecs& o) {
    o.integer("width", 4, "size of an observation").between(1, 1 << 30).changes_shapes();
    o.real("scale", 1, "factor of the reward").between(0, 10);
    o.text("note", "", "a text, which rows do not contain");
  }
  static Params params(const OptionValues& v) { return {v.integer("width"), f32(v.real("scale"))}; }
  static void spec(const Params& p, Spec& s) {
    s.obs<f32>("obs", {p.width});
    s.action<i32>().categories(2);
  }
  static void reset(State& s, const Params&, Rng&) { s.steps = 0; }
  static Outcome step(State& s, const Params& p, ActionRow, Rng&) { return {.reward = p.scale * f32(++s.steps)}; }
  static void observe(const State& s, const Params& p, Row row) {
    f32* const obs = row.at<f32>(0);
    for (i64 i = 0; i < p.width; ++i) obs[i] = f32(s.steps);
  }
};

// A model with a parameter row.
struct TestModel {
  const abi::Table& table = *envpool::table<WideEnv>();
  const abi::Pure& pure = *table.pure;
  std::string note;
  abi::Option given[2];
  abi::Options options{given, 2};
  void* model = nullptr;
  std::vector<u8> row{}, resolved{};
  std::string error{};
  const abi::TextSink text{
      [](void* to, const char* from, i64 size) { static_cast<std::string*>(to)->assign(from, size_t(size)); }, &error};

  explicit TestModel(i64 width, std::string with = "") : note(std::move(with)) {
    given[0] = {"width", abi::kOptionInt, width, f64(width), nullptr, 0};
    given[1] = {"note", abi::kOptionText, 0, 0, note.data(), i64(note.size())};
    CHECK_EQ(table.model_create(&options, &model, text), 0);
    resolved.resize(size_t(pure.resolved_bytes(model)));
    CHECK_EQ(pure.params(model, &options, 7, resolved.data(), text), 0);
    row.assign(resolved.begin(), resolved.begin() + pure.params_bytes(model));
  }
  ~TestModel() { table.model_destroy(model); }
  TestModel(const TestModel&) = delete;
  TestModel& operator=(const TestModel&) = delete;

  // Resolves a row as row 5 of a batch. Returns the error message, or an empty string.
  std::string resolve(const std::vector<u8>& of) {
    error.clear();
    resolved.assign(resolved.size(), 0xCC);
    pure.change_params(model, of.data(), 5, &options, 0, nullptr, nullptr, resolved.data(), text);
    return error;
  }
  u32 tag() const { return u32(table.layout(model)->identity) | 1; }
};

// Recomputes the checksum of a row, as a user could.
void update_checksum(std::vector<u8>& row, const std::string& note) {
  u64 check = 0x9E3779B97F4A7C15u;
  const auto mix = [&](u64 word) {
    check = (check ^ word) * 0xD1342543DE82EF95u;
    check ^= check >> 32;
  };
  for (size_t at = 0; at < row.size(); at += 8) {
    u64 word;
    std::memcpy(&word, row.data() + at, 8);
    if (at != 8) mix(word);
  }
  for (const char letter : note) mix(u8(letter));
  mix(~u64{0});
  std::memcpy(row.data() + 8, &check, 8);
}

constexpr const char* kRejected =
    "params: expected rows of WideEnv with the options of this environment, got another kind in row 5";
constexpr const char* kOtherShape = "params: expected the values that make() got for options that change array shapes";

TEST(a_row_resolves_to_itself) {
  TestModel model(4);
  const std::vector<u8> before = model.resolved;
  CHECK_EQ(model.resolve(model.row), std::string());
  CHECK(std::memcmp(model.resolved.data(), model.row.data(), model.row.size()) == 0);
  WideEnv::Params params;
  std::memcpy(&params, model.resolved.data() + model.row.size(), sizeof(params));
  CHECK_EQ(params.width, 4);
  CHECK_EQ(params.scale, 1.0f);
  std::vector<u8> signed_again = model.row;
  update_checksum(signed_again, model.note);
  CHECK(signed_again == model.row);  // so the rows below are not rejected for their checksum
}

TEST(every_changed_byte_is_detected) {
  TestModel model(4);
  for (size_t at = 0; at < model.row.size(); ++at) {
    std::vector<u8> row = model.row;
    row[at] ^= 0x10;
    CHECK_EQ(model.resolve(row), std::string(kRejected));
  }
}

TEST(values_are_checked_even_if_the_checksum_is_valid) {
  TestModel model(4);
  const i64 width = model.pure.params_values, scale = width + 8;
  const auto with = [&](i64 at, f64 value) {
    std::vector<u8> row = model.row;
    std::memcpy(row.data() + at, &value, sizeof(value));
    update_checksum(row, model.note);
    return model.resolve(row);
  };
  CHECK(with(scale, 11).starts_with("scale: expected a number from 0 to 10, got 11"));
  CHECK(with(scale, -1e300).starts_with("scale: expected a number"));
  CHECK(with(scale, __builtin_nan("")).starts_with("scale: expected a number"));
  CHECK(with(width, 0).starts_with("width: expected a number"));
  CHECK(with(width, 4.5).starts_with("width: expected a whole number"));
  CHECK(with(width, 5).starts_with(kOtherShape));
  CHECK_EQ(with(i64(model.row.size()) - 8, 1), std::string(kRejected));  // padding, which no option uses
  CHECK_EQ(with(scale, 3), std::string());
  WideEnv::Params params;
  std::memcpy(&params, model.resolved.data() + model.row.size(), sizeof(params));
  CHECK_EQ(params.scale, 3.0f);
}

TEST(the_checksum_covers_texts_that_rows_do_not_contain) {
  TestModel model(4, "one"), other(4, "another"), same(4, "one");
  CHECK_EQ(model.tag(), other.tag());
  CHECK_EQ(model.resolve(same.row), std::string());
  CHECK_EQ(model.resolve(other.row), std::string(kRejected));
}

// Among about 60000 models, two are expected to have the same tag.
TEST(models_with_equal_tags_are_distinguished) {
  std::unordered_map<u32, i64> seen;
  for (i64 width = 1; width < (1 << 20); ++width) {
    const auto [found, is_new] = seen.try_emplace(TestModel(width).tag(), width);
    if (is_new) continue;
    TestModel narrow(found->second), wide(width);
    CHECK_EQ(narrow.tag(), wide.tag());
    CHECK(narrow.resolve(wide.row).starts_with(kOtherShape));
    CHECK(wide.resolve(narrow.row).starts_with(kOtherShape));
    CHECK_EQ(narrow.resolve(narrow.row), std::string());
    return;
  }
  CHECK(false);
}

}  // namespace envpool

TEST_MAIN()
