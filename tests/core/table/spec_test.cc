// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/table/spec.h"

#include "envpool/core/pool/environments.h"
#include "tests/support/testing.h"

namespace envpool {

TEST(json_is_escaped_and_separated) {
  Json json;
  json.open('{').key("a\"b").text("line\nbreak \\ \"quoted\"").key("list").open('[').integer(-1).boolean(true);
  json.real(kInfinity).real(-kInfinity).real(0.1).close(']').key("empty").open('[').close(']').close('}');
  CHECK_EQ(json.str(), std::string("{\"a\\\"b\":\"line\\u000abreak \\\\ \\\"quoted\\\"\","
                                   "\"list\":[-1,true,\"inf\",\"-inf\",0.10000000000000001],\"empty\":[]}"));
}

TEST(fields_have_sizes) {
  Spec spec;
  const FieldSpec& obs = spec.obs<f32>("obs", {3, 4}).bounds(-1, 1).doc("meaning");
  CHECK_EQ(obs.elements(), 12);
  CHECK_EQ(obs.row_bytes(), 48);
  CHECK_EQ(spec.info<bool>("flag").row_bytes(), 1);
  CHECK_EQ(spec.action<i32>().categories(5).high[0], 4.0);
  CHECK_EQ(spec.action<f64>("force", {0}).row_bytes(), 0);
  const std::string json = spec.json();
  CHECK(json.find("\"name\":\"obs\",\"dtype\":\"float32\",\"shape\":[3,4],\"low\":-1,\"high\":1") != std::string::npos);
  CHECK(json.find("\"name\":\"flag\",\"dtype\":\"bool\",\"shape\":[]") != std::string::npos);
  CHECK(json.find("\"discrete\":5") != std::string::npos);
}

TEST(bounds_may_be_one_per_element) {
  Spec spec;
  spec.obs<f32>("obs", {2}).bounds({-1, -kInfinity}, {2, kInfinity});
  CHECK(spec.json().find("\"low\":[-1,\"-inf\"],\"high\":[2,\"inf\"]") != std::string::npos);
}

TEST(categories_may_differ_between_elements) {
  Spec spec;
  const FieldSpec& action = spec.action<i32>("action", {2}).categories({3, 7});
  CHECK_EQ(action.discrete, 7);
  CHECK_EQ(action.counts[0], 3);
  CHECK(spec.json().find("\"low\":0,\"high\":[2,6],\"discrete\":7") != std::string::npos);
}

TEST(options_have_passed_or_declared_values) {
  OptionSpecs specs;
  specs.integer("count", 3, "how many").between(1, 9);
  specs.real("gravity", 9.8, "m/s^2");
  specs.boolean("quick", true, "or not");
  specs.text("mode", "easy", "which").one_of({"easy", "hard"});
  OptionList given;
  given.add_integer("gravity", abi::kOptionInt, 2);
  given.add_real("count", 5);
  given.add_text("mode", std::string("a\0b", 3));
  const abi::Options view = given.view();
  const OptionValues values(specs, view);
  CHECK_EQ(values.real("gravity"), 2.0);
  CHECK_EQ(values.integer("count"), 5);
  CHECK(values.boolean("quick"));
  CHECK_EQ(values.text("mode").size(), 3u);
  CHECK_THROWS(values.integer("undeclared"), std::logic_error);
  CHECK(specs.json().find("{\"name\":\"mode\",\"kind\":\"str\",\"shape\":[],\"default\":\"easy\"") !=
        std::string::npos);
  CHECK(specs.json().find("\"choices\":[\"easy\",\"hard\"]") != std::string::npos);
}

TEST(a_blob_is_aligned_to_a_cache_line) {
  Blob blob(65);
  CHECK_EQ(reinterpret_cast<size_t>(blob.data()) % 64, 0u);
}

}  // namespace envpool

TEST_MAIN()
