// SPDX-License-Identifier: Apache-2.0
//
// The classes with which environments declare their options (with defaults) and their arrays (with dtype, shape and
// bounds). Spaces, specs, documentation and the checks of keyword arguments in Python are derived from the JSON that
// this file writes. For the host only.
#pragma once

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/core/table/vtable.h"
#include "envpool/core/text.h"

namespace envpool {

inline constexpr f64 kInfinity = std::numeric_limits<f64>::infinity();

using abi::Dtype;

constexpr const char* dtype_name(Dtype dtype) {
  constexpr const char* names[] = {"bool", "uint8", "int32", "int64", "float32", "float64"};
  return names[dtype];
}

constexpr i64 dtype_size(Dtype dtype) {
  constexpr i64 sizes[] = {1, 1, 4, 8, 4, 8};
  return sizes[dtype];
}

template <class T>
constexpr Dtype dtype_of() {
  constexpr bool known = std::is_same_v<T, bool> || std::is_same_v<T, u8> || std::is_same_v<T, i32> ||
                         std::is_same_v<T, i64> || std::is_same_v<T, f32> || std::is_same_v<T, f64>;
  static_assert(known, "the elements of an array must be bool, u8, i32, i64, f32 or f64");
  if constexpr (std::is_same_v<T, bool>) return abi::kBool;
  if constexpr (std::is_same_v<T, u8>) return abi::kU8;
  if constexpr (std::is_same_v<T, i32>) return abi::kI32;
  if constexpr (std::is_same_v<T, i64>) return abi::kI64;
  if constexpr (std::is_same_v<T, f32>) return abi::kF32;
  return abi::kF64;
}

// Writes JSON. Infinities and NaN, which JSON lacks, are written as the strings "inf", "-inf" and "nan".
class Json {
 public:
  Json& raw(std::string_view text) {
    separate();
    out_ += text;
    comma_ = true;
    return *this;
  }
  Json& open(char bracket) {
    separate();
    out_ += bracket;
    comma_ = false;
    return *this;
  }
  Json& close(char bracket) {
    out_ += bracket;
    comma_ = true;
    return *this;
  }
  Json& key(std::string_view name) {
    text(name);
    out_ += ':';
    comma_ = false;
    return *this;
  }
  Json& text(std::string_view value) {
    separate();
    out_ += '"';
    for (char c : value) {
      if (c == '"' || c == '\\') out_ += '\\';
      if (static_cast<unsigned char>(c) < 0x20) {
        char escaped[8];
        std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
        out_ += escaped;
      } else {
        out_ += c;
      }
    }
    out_ += '"';
    comma_ = true;
    return *this;
  }
  Json& integer(i64 value) { return raw(std::to_string(value)); }
  Json& boolean(bool value) { return raw(value ? "true" : "false"); }
  Json& real(f64 value) {
    const std::string digits = to_text(value, kExactDigits);
    return value - value == 0 ? raw(digits) : text(digits);
  }
  const std::string& str() const { return out_; }

 private:
  void separate() {
    if (comma_) out_ += ',';
  }
  std::string out_;
  bool comma_ = false;
};

// One array. `low` and `high` have one value for all elements, or one per element; infinite means unbounded.
struct FieldSpec {
  std::string name;
  Dtype dtype;
  std::vector<i64> shape;
  std::vector<f64> low{-kInfinity};
  std::vector<f64> high{kInfinity};
  i64 discrete = 0;           // n > 0: integers 0..n-1
  std::vector<i64> counts{};  // per element, if they differ; `discrete` is then the largest
  bool is_per_player = false;
  std::string description{};

  FieldSpec& bounds(f64 lowest, f64 highest) {  // of every element, inclusive
    low = {lowest};
    high = {highest};
    return *this;
  }
  FieldSpec& bounds(std::vector<f64> lowest, std::vector<f64> highest) {  // of each element
    low = std::move(lowest);
    high = std::move(highest);
    return *this;
  }
  FieldSpec& categories(i64 n) {  // the elements are integers from 0 to n - 1
    discrete = n;
    return bounds(0, f64(n - 1));
  }
  FieldSpec& categories(std::vector<i64> of_each) {  // each element has its own number of values
    counts = std::move(of_each);
    high.clear();
    for (i64 count : counts) {
      discrete = std::max(discrete, count);
      high.push_back(f64(count - 1));
    }
    low = {0};
    return *this;
  }
  FieldSpec& per_player() {  // the array has a row for each player
    is_per_player = true;
    return *this;
  }
  FieldSpec& doc(std::string text) {  // what the array contains, for `envpool info` and the site
    description = std::move(text);
    return *this;
  }
  i64 elements() const {  // in a row
    i64 count = 1;
    for (i64 extent : shape) count *= extent;
    return count;
  }
  i64 row_bytes() const { return elements() * dtype_size(dtype); }  // bytes of a row
};

// The arrays of an environment under certain options. Row::at takes the number of a field; observation and info fields
// are numbered together, in the order of declaration.
struct Spec {
  std::vector<FieldSpec> fields;  // observations and infos
  std::vector<bool> is_info;      // of fields
  std::vector<FieldSpec> actions;
  i32 max_players = 1;
  f64 reward_low = -kInfinity, reward_high = kInfinity;
  i32 render_height = 0, render_width = 0;  // 0: cannot be rendered
  f64 render_fps = 30;                      // the images per second with which an episode is shown

  template <class T>
  FieldSpec& obs(std::string name, std::vector<i64> shape = {}) {  // adds an array to the observation
    return add<T>(std::move(name), std::move(shape), /*info=*/false);
  }
  template <class T>
  FieldSpec& info(std::string name, std::vector<i64> shape = {}) {  // adds an array to `info`
    return add<T>(std::move(name), std::move(shape), /*info=*/true);
  }
  template <class T>
  FieldSpec& action(std::string name = "action", std::vector<i64> shape = {}) {  // adds an array of actions
    actions.push_back(FieldSpec{.name = std::move(name), .dtype = dtype_of<T>(), .shape = std::move(shape)});
    return actions.back();
  }

  std::string json() const;

 private:
  template <class T>
  FieldSpec& add(std::string name, std::vector<i64> shape, bool info) {
    fields.push_back(FieldSpec{.name = std::move(name), .dtype = dtype_of<T>(), .shape = std::move(shape)});
    is_info.push_back(info);
    return fields.back();
  }
};

// Returns the offset of a member. offsetof supports standard-layout types only.
template <class Struct, class Member>
i64 offset_of(Member Struct::* member) {
  alignas(Struct) static const u8 bytes[sizeof(Struct)]{};
  return reinterpret_cast<const u8*>(&(reinterpret_cast<const Struct*>(bytes)->*member)) - bytes;
}

// Returns the dtype in which a member holds the value of an option. An enumeration holds the number of a choice.
template <class T>
constexpr Dtype dtype_of_member() {
  if constexpr (std::is_enum_v<T>) {
    return dtype_of<std::underlying_type_t<T>>();
  } else {
    return dtype_of<T>();
  }
}

// The parts of a state that users can access by name. An environment declares them with
// `parts.add("position", &State::position)`.
template <class State>
class StateParts {
 public:
  explicit StateParts(i64 base) : base_(base) { json_.open('['); }
  template <class T>
  StateParts& add(const char* name, T State::* part) {
    using Element = std::remove_all_extents_t<T>;
    put(name, dtype_name(dtype_of<Element>()), base_ + offset_of(part),
        std::is_array_v<T> ? i64(sizeof(T) / sizeof(Element)) : 0);
    return *this;
  }
  // A `count` of 0 declares a scalar.
  void put(const char* name, const char* dtype, i64 offset, i64 count) {
    json_.open('{').key("name").text(name).key("dtype").text(dtype).key("offset").integer(offset);
    json_.key("count").integer(count).close('}');
  }
  std::string json() { return json_.close(']').str(); }

 private:
  Json json_;
  i64 base_;
};

// One option of an environment, which is a keyword of `make`.
struct OptionSpec {
  std::string name;
  abi::OptionKind kind;
  i64 integer = 0;
  f64 real = 0;
  std::string text{};
  f64 low = -kInfinity, high = kInfinity;
  std::vector<std::string> choices{};
  bool shapes = false;  // changes the shape of an array, so it cannot differ between the environments of a pool
  bool blob = false;    // changes the blob, so it cannot be a parameter of a pure function
  std::string doc{};
  i64 member_at = -1;  // offset in Params of the member that the option sets; -1: none
  Dtype member = abi::kF64;
  bool is_finite = false;  // infinity is not allowed, even if it is in the range
  bool is_array = false;
  std::vector<f64> numbers{};  // the default of an array, in row-major order
  std::vector<i64> shape{};    // of the array
  i64 one_in = 1;              // of an array: the member has the first of each so many elements

  OptionSpec& between(f64 lowest, f64 highest) {  // the smallest and the largest value
    low = lowest;
    high = highest;
    return *this;
  }
  OptionSpec& finite() {  // infinity is not allowed; of numbers without bounds
    is_finite = true;
    return *this;
  }
  OptionSpec& one_of(std::vector<std::string> allowed) {  // the only values of a text
    choices = std::move(allowed);
    return *this;
  }
  OptionSpec& changes_shapes() {  // the shape of an array depends on it, so all environments of a pool share it
    shapes = true;
    return *this;
  }
  OptionSpec& changes_blob() {  // the blob depends on it, so all environments of a pool share it
    blob = true;
    return *this;
  }
  // The engine writes the value of the option into this member of Params, converted to the member's type; of a choice,
  // it writes the number among the choices. The range of the option becomes that of the type, and a real number needs a
  // member of type f32 or f64. Unless the option changes shapes or the blob, JAX users can then change it
  // per environment and inside jit (env.h).
  // Further arguments lead into the member: pointers to members of a struct, and indices of an array. An option that is
  // an array sets a member that is one.
  template <class Params, class T, class... Rest>
  OptionSpec& sets(T Params::* its_member, Rest... rest) {
    return follow<T>(offset_of(its_member), rest...);
  }
  // Of an array that sets a member: adds a dimension, of which the member has only the first element. Nothing reads the
  // others, which are 0 whatever they are set to.
  OptionSpec& with_first_of(i64 count) {
    shape.push_back(count);
    one_in = count;
    return *this;
  }
  bool is_tunable() const { return member_at >= 0 && !shapes && !blob; }
  i64 elements() const {
    i64 count = 1;
    for (i64 extent : shape) count *= extent;
    return count;
  }
  i64 elements_of_member() const { return elements() / one_in; }

 private:
  template <class T>
  OptionSpec& follow(i64 offset) {
    if constexpr (std::is_array_v<T>) {
      shape.push_back(std::extent_v<T>);
      return follow<std::remove_extent_t<T>>(offset);
    } else {
      member_at = offset;
      member = dtype_of_member<T>();
      return *this;
    }
  }
  template <class T, class Part, class... Rest>
  OptionSpec& follow(i64 offset, Part T::* part, Rest... rest) {
    return follow<Part>(offset + offset_of(part), rest...);
  }
  template <class T, class... Rest>
    requires std::is_array_v<T>
  OptionSpec& follow(i64 offset, int index, Rest... rest) {
    using Element = std::remove_extent_t<T>;
    return follow<Element>(offset + index * i64(sizeof(Element)), rest...);
  }
};

// Returns the beginning of the error text for a value that an option does not accept.
inline std::string expected_of(const abi::Tunable& option) {
  const bool choice = option.kind == abi::kOptionText || option.kind == abi::kOptionBool;
  const char* const one = choice ? "an integer" : "a number";
  const char* const several = choice ? "integers" : "numbers";
  return std::string(option.name) + ": expected " + (option.dimensions == 0 ? one : several) + " from " +
         to_text(option.low) + " to " + to_text(option.high);
}

// Immutable bytes that the environments of a pool share, such as a ROM, a map or a lookup table. Aligned to 64 bytes.
struct CacheLine {
  alignas(64) u8 bytes[64];
};
class Blob {
 public:
  Blob() = default;  // no bytes
  explicit Blob(size_t size) : lines_((size + sizeof(CacheLine) - 1) / sizeof(CacheLine)) {}
  u8* data() { return reinterpret_cast<u8*>(lines_.data()); }
  const u8* data() const { return reinterpret_cast<const u8*>(lines_.data()); }
  size_t size() const { return lines_.size() * sizeof(CacheLine); }  // a multiple of 64
  // Attaches an object that is derived from the bytes and valid in this process only, such as machine code. It must not
  // be part of the bytes, which are hashed and compared across processes.
  void attach_native(std::shared_ptr<const void> object) { native_ = std::move(object); }
  const void* native() const { return native_.get(); }

 private:
  std::vector<CacheLine> lines_;
  std::shared_ptr<const void> native_;
};

// The options that an environment declares.
struct OptionSpecs {
  std::vector<OptionSpec> list;

  OptionSpec& boolean(std::string name, bool value, std::string doc) {  // `value` is the default
    return add({.name = std::move(name), .kind = abi::kOptionBool, .integer = value, .doc = std::move(doc)});
  }
  OptionSpec& integer(std::string name, i64 value, std::string doc) {
    return add({.name = std::move(name), .kind = abi::kOptionInt, .integer = value, .doc = std::move(doc)});
  }
  OptionSpec& real(std::string name, f64 value, std::string doc) {
    return add({.name = std::move(name), .kind = abi::kOptionReal, .real = value, .doc = std::move(doc)});
  }
  OptionSpec& text(std::string name, std::string value, std::string doc) {
    return add({.name = std::move(name), .kind = abi::kOptionText, .text = std::move(value), .doc = std::move(doc)});
  }
  // Options that are arrays. `values` is the default, in row-major order. Each must set a member of the same size.
  OptionSpec& booleans(std::string name, std::vector<f64> values, std::string doc) {
    return add_array(abi::kOptionBool, std::move(name), std::move(values), std::move(doc));
  }
  OptionSpec& integers(std::string name, std::vector<f64> values, std::string doc) {
    return add_array(abi::kOptionInt, std::move(name), std::move(values), std::move(doc));
  }
  OptionSpec& reals(std::string name, std::vector<f64> values, std::string doc) {
    return add_array(abi::kOptionReal, std::move(name), std::move(values), std::move(doc));
  }

  std::string json() const;

 private:
  OptionSpec& add_array(abi::OptionKind kind, std::string name, std::vector<f64> values, std::string doc) {
    return add(
        {.name = std::move(name), .kind = kind, .doc = std::move(doc), .is_array = true, .numbers = std::move(values)});
  }
  OptionSpec& add(OptionSpec option) {
    list.push_back(std::move(option));
    return list.back();
  }
};

// The values of the options: values that the caller passed, and defaults for the other options.
class OptionValues {
 public:
  OptionValues(const OptionSpecs& specs, const abi::Options& options) : specs_(specs), options_(options) {}

  bool boolean(std::string_view name) const { return integer(name) != 0; }  // the option must be declared
  i64 integer(std::string_view name) const {
    if (const abi::Option* option = find(name))
      return option->kind == abi::kOptionReal ? i64(option->real) : option->integer;
    return declared(name).integer;
  }
  f64 real(std::string_view name) const {
    if (const abi::Option* option = find(name))
      return option->kind == abi::kOptionReal ? option->real : f64(option->integer);
    return declared(name).real;
  }
  std::string_view text(std::string_view name) const {
    if (const abi::Option* option = find(name)) return {option->text, size_t(option->size)};
    return declared(name).text;
  }
  std::vector<f64> numbers(std::string_view name) const {  // of an array
    const OptionSpec& spec = declared(name);
    const abi::Option* const option = find(name);
    if (option == nullptr) return spec.numbers;
    if (option->numbers == nullptr || option->size != spec.elements()) {
      throw std::invalid_argument(std::string(name) + ": expected an array of " + std::to_string(spec.elements()) +
                                  " numbers");
    }
    return {option->numbers, option->numbers + option->size};
  }

 private:
  const abi::Option* find(std::string_view name) const {
    for (i32 i = 0; i < options_.size; ++i) {
      if (name == options_.data[i].name) return &options_.data[i];
    }
    return nullptr;
  }
  const OptionSpec& declared(std::string_view name) const {
    for (const OptionSpec& option : specs_.list) {
      if (option.name == name) return option;
    }
    throw std::logic_error("option '" + std::string(name) + "' is read but not declared");
  }
  const OptionSpecs& specs_;
  const abi::Options& options_;
};

inline void write_bounds(Json& json, std::string_view name, const std::vector<f64>& values) {
  json.key(name);
  if (values.size() == 1) {
    json.real(values[0]);
    return;
  }
  json.open('[');
  for (f64 value : values) json.real(value);
  json.close(']');
}

inline void write_field(Json& json, const FieldSpec& field, bool info) {
  json.open('{').key("name").text(field.name).key("dtype").text(dtype_name(field.dtype)).key("shape").open('[');
  for (i64 extent : field.shape) json.integer(extent);
  json.close(']');
  write_bounds(json, "low", field.low);
  write_bounds(json, "high", field.high);
  json.key("discrete").integer(field.discrete).key("per_player").boolean(field.is_per_player);
  json.key("info").boolean(info).key("doc").text(field.description).close('}');
}

inline std::string Spec::json() const {
  Json json;
  json.open('{').key("fields").open('[');
  for (size_t i = 0; i < fields.size(); ++i) write_field(json, fields[i], is_info[i]);
  json.close(']').key("actions").open('[');
  for (const FieldSpec& field : actions) write_field(json, field, /*info=*/false);
  json.close(']').key("max_players").integer(max_players);
  json.key("reward_low").real(reward_low).key("reward_high").real(reward_high);
  json.key("render_height").integer(render_height).key("render_width").integer(render_width);
  json.key("render_fps").real(render_fps);
  return json.close('}').str();
}

inline void write_default(Json& json, const OptionSpec& option) {
  if (option.is_array) {
    json.open('[');
    for (const f64 number : option.numbers) json.real(number);
    json.close(']');
    return;
  }
  switch (option.kind) {
    case abi::kOptionBool: json.boolean(option.integer != 0); break;
    case abi::kOptionInt: json.integer(option.integer); break;
    case abi::kOptionReal: json.real(option.real); break;
    case abi::kOptionText: json.text(option.text); break;
  }
}

inline std::string OptionSpecs::json() const {
  constexpr const char* kinds[] = {"bool", "int", "float", "str"};
  Json json;
  json.open('[');
  for (const OptionSpec& option : list) {
    json.open('{').key("name").text(option.name).key("kind").text(kinds[option.kind]).key("shape").open('[');
    for (const i64 extent : option.shape) json.integer(extent);
    json.close(']').key("default");
    write_default(json, option);
    json.key("low").real(option.low).key("high").real(option.high).key("choices").open('[');
    for (const std::string& choice : option.choices) json.text(choice);
    json.close(']').key("changes_shapes").boolean(option.shapes).key("changes_blob").boolean(option.blob);
    json.key("tunable").boolean(option.is_tunable()).key("finite").boolean(option.is_finite);
    json.key("doc").text(option.doc).close('}');
  }
  return json.close(']').str();
}

}  // namespace envpool
