// SPDX-License-Identifier: Apache-2.0
//
// A portable environment of one player as pure functions of a state that the caller holds: what JAX calls. The rules of
// an episode are those of episode.h; the state is a row of bytes, and so are the parameters, so that either can differ
// from row to row. A row of parameters that the caller holds has the values of the options and nothing else that is
// computed with; what they resolve to, Params, is in the resolved row alone, which the caller never holds.
//
// Randomness: a reset takes a 64-bit key and a 32-bit stream and begins episode 0 of (key, stream), which is what the
// pool's environment `stream` does under the seed `key`. The state carries them on. A step that is given a key goes on
// with that one instead, from draw 0 of the episode; a restart always begins the next episode of the key that is held.
//
// Worlds of several players have what is here too, but for reset and step: see pure_world.h.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/table/draws.h"
#include "envpool/core/table/driver.h"
#include "envpool/core/table/episode.h"
#include "envpool/core/table/in_lanes.h"

namespace envpool {

// What a state begins with.
template <class Env>
struct StateHead {
  Episode episode;
};
template <class Env>
  requires requires { Env::kMaxPlayers; }
struct StateHead<Env> {
  Episode episode;
  i32 players;  // how many there are, for the user to read
};

// Lists the named parts of a slot as JSON: those of its episode, and those that the environment names.
template <class Env, class Slot>
std::string named_parts() {
  using State = StateOf<Env>;
  const auto list = [](auto parts) {
    const i64 episode = offset_of(&Slot::episode);
    parts.put("elapsed_step", "int32", episode + offset_of(&Episode::elapsed), 0);
    parts.put("episode", "int32", episode + offset_of(&Episode::number), 0);
    parts.put("over", "bool", episode + offset_of(&Episode::over), 0);
    if constexpr (requires { &Slot::players; }) parts.put("players", "int32", offset_of(&Slot::players), 0);
    if constexpr (requires { Env::state_parts(parts); }) Env::state_parts(parts);
    return parts.json();
  };
  if constexpr (requires { typename Env::Shared; }) {
    return list(StateParts<typename Env::Shared>(offset_of(&Slot::state) + offset_of(&State::shared)));
  } else {
    return list(StateParts<State>(offset_of(&Slot::state)));
  }
}

template <class Env>
struct PureOf {
  using State = StateOf<Env>;
  using Params = typename Env::Params;

  struct Slot : StateHead<Env> {
    alignas(16) State state;  // Env::extra_bytes(params) bytes follow
  };
  // A row of parameters: this and one f64 for each declared option. Params follow in a resolved row.
  struct Head {
    u32 tag;
    i32 max_episode_steps;
    u64 check;  // a checksum of the rest, against accidents: whoever changes a row can make it right again
  };
  static_assert(alignof(State) <= 16 && alignof(Params) <= 16, "rows start on 16 bytes");

  static i64 rounded(i64 bytes) { return (bytes + 15) / 16 * 16; }
  static i64 values_bytes() { return rounded(i64(specs().list.size() * sizeof(f64))); }
  static i64 state_bytes(void* model) { return rounded(i64(sizeof(Slot)) + extra_bytes_of<Env>(cast(model).params)); }
  static i64 params_bytes(void*) { return i64(sizeof(Head)) + values_bytes(); }
  static i64 resolved_bytes(void* model) { return params_bytes(model) + rounded(sizeof(Params)); }

  static const OptionSpecs& specs() {
    static const OptionSpecs list = [] {
      OptionSpecs declared;
      Env::options(declared);
      return declared;
    }();
    return list;
  }

  static std::string view() { return named_parts<Env, Slot>(); }

  static void params(void* model, const abi::Options& options, i32 max_episode_steps, u8* out) {
    const OptionValues values(specs(), options);
    std::memset(out, 0, size_t(resolved_bytes(model)));
    f64* value = reinterpret_cast<f64*>(out + sizeof(Head));
    for (const OptionSpec& option : specs().list) *value++ = number(option, values);
    Params resolved = cast(model).params;
    if constexpr (requires { resolved.blob; }) resolved.blob = nullptr;
    if constexpr (requires { resolved.kept; }) resolved.kept = nullptr;
    std::memcpy(out + params_bytes(model), &resolved, sizeof(Params));
    Head head{cast(model).tag, max_episode_steps, 0};
    std::memcpy(out, &head, sizeof(Head));
    head.check = check_of(out, values);
    std::memcpy(out, &head, sizeof(Head));
  }

  template <class MakeModel>
  static void change_params(void* own, const u8* from, i64 row, const abi::Options& base, i32 count, const i32* changed,
                            const f64* given, u8* out, MakeModel&& make_model) {
    Head head;
    std::memcpy(&head, from, sizeof(head));
    const bool good = head.tag == cast(own).tag && head.check == check_of(from, OptionValues(specs(), base));
    if (!good || head.max_episode_steps < 0) refuse("params", row);
    std::vector<f64> values(specs().list.size());
    std::memcpy(values.data(), from + sizeof(Head), values.size() * sizeof(f64));
    for (i32 i = 0; i < count; ++i) {
      if (changed[i] < 0) {
        head.max_episode_steps = i32(in_range("max_episode_steps", given[i], 0, 2147483647));
        continue;
      }
      values[size_t(changed[i])] = given[i];
    }
    // Unchanged values come from the row, whose checksum a user can forge, so they are checked too.
    for (size_t i = 0; i < values.size(); ++i) values[i] = checked(specs().list[i], values[i]);
    std::vector<abi::Option> options;
    for (size_t i = 0; i < values.size(); ++i) {
      const OptionSpec& option = specs().list[i];
      const std::string* text = option.choices.empty() ? nullptr : &option.choices[size_t(values[i])];
      if (option.kind == abi::kOptionText && text == nullptr) {
        for (i32 k = 0; k < base.size; ++k) {
          if (option.name == base.data[k].name) options.push_back(base.data[k]);
        }
        continue;
      }
      const bool whole = option.kind == abi::kOptionInt || option.kind == abi::kOptionBool;  // else i64 may overflow
      options.push_back({option.name.c_str(), option.kind, whole ? i64(values[i]) : 0, values[i],
                         text == nullptr ? nullptr : text->data(), text == nullptr ? 0 : i64(text->size())});
    }
    const abi::Options all{options.data(), i32(options.size())};
    auto model = make_model(all);
    if (!model->same_as(cast(own))) {
      throw std::invalid_argument(
          "params: an option that changes the shape of an array, or what all states share, "
          "must be given to make()");
    }
    params(model.get(), all, head.max_episode_steps, out);
    if (count == 0 && std::memcmp(out, from, size_t(params_bytes(own))) != 0) refuse("params", row);
  }

  static void reset(void* model, const abi::PureWork& work) {
    const Rows rows(cast(model), work);
    for (i64 k = 0; k < work.count; ++k) {
      const Setting& setting = rows.setting(k);
      u8* bytes = work.new_states + k * rows.state_bytes;
      std::memset(bytes, 0, size_t(rows.state_bytes));
      Slot& it = *new (bytes) Slot{};
      it.episode.tag = rows.tag;
      it.episode.seed(rows.key(k), rows.stream(k));
      begin(it, setting.params);
      Env::observe(it.state, setting.params, rows.row(work.fields, k));
    }
  }

  // A block of rows at a time, so that what a pass leaves in the cache the next one finds there. Rows move on and are
  // observed; where an episode that ended restarts, that observation is kept as its last one, and the row is reset and
  // observed again.
  static void step(void* model, const abi::PureWork& work) {
    const Rows rows(cast(model), work);
    if (work.params.stride == 0) {
      step_blocks<true>(rows);
    } else {
      step_blocks<false>(rows);
    }
  }

 protected:
  static constexpr i64 kMostRows = 256;  // of a block

  struct Setting {
    Params params;
    i32 max_episode_steps;
  };

  struct Rows;

  static Model<Env>& cast(void* model) { return *static_cast<Model<Env>*>(model); }

  [[noreturn]] static void refuse(const char* what, i64 row) {
    throw std::invalid_argument(std::string(what) + ": row " + std::to_string(row) + " is not of " + Env::kName +
                                " as this environment was made");
  }
  static f64 in_range(const std::string& name, f64 value, f64 low, f64 high) {
    if (value >= low && value <= high) return value;
    throw std::invalid_argument(name + ": expected a number from " + std::to_string(low) + " to " +
                                std::to_string(high) + ", got " + std::to_string(value));
  }
  static f64 checked(const OptionSpec& option, f64 value) {
    if (option.kind == abi::kOptionReal) return in_range(option.name, value, option.low, option.high);
    f64 low = std::max(option.low, -0x1p53), high = std::min(option.high, 0x1p53);  // whole numbers in a f64
    if (option.kind == abi::kOptionBool) {
      low = 0;
      high = 1;
    } else if (option.kind == abi::kOptionText) {
      low = 0;
      high = option.choices.empty() ? 0 : f64(option.choices.size() - 1);
    }
    if (f64(i64(in_range(option.name, value, low, high))) == value) return value;
    throw std::invalid_argument(option.name + ": expected a whole number, got " + std::to_string(value));
  }
  static f64 number(const OptionSpec& option, const OptionValues& values) {
    if (option.kind != abi::kOptionText) return values.real(option.name);
    for (size_t i = 0; i < option.choices.size(); ++i) {
      if (option.choices[i] == values.text(option.name)) return f64(i);
    }
    return 0;
  }

  // Returns the checksum of a row and of the texts that it does not have, but for those which the tag covers: a row
  // means something else where such a text is another.
  static u64 check_of(const u8* row, const OptionValues& texts) {
    u64 check = 0x9E3779B97F4A7C15u;
    const auto mix = [&](u64 word) {
      check = (check ^ word) * 0xD1342543DE82EF95u;
      check ^= check >> 32;
    };
    for (i64 at = 0; at < i64(sizeof(Head)) + values_bytes(); at += 8) {
      u64 word;
      std::memcpy(&word, row + at, sizeof(word));
      if (at != i64(offsetof(Head, check))) mix(word);
    }
    for (const OptionSpec& option : specs().list) {
      if (option.kind != abi::kOptionText || !option.choices.empty() || option.shapes) continue;
      for (const char letter : texts.text(option.name)) mix(u8(letter));
      mix(~u64{0});
    }
    return check;
  }

  static void begin(Slot& it, const Params& params) {
    it.episode.begin();
    Env::reset(it.state, params, it.episode.rng);
  }

  // The operands of one call.
  struct Rows {
    static constexpr i64 kCacheBytes = 16384;

    const abi::PureWork work;
    const Model<Env>& model;
    const u32 tag;
    const i64 state_bytes;
    std::vector<i64> row_bytes{}, action_bytes{};
    std::vector<void*> seen{};  // where all rows of a step are observed
    mutable Setting now{};
    mutable i64 loaded = 0;  // the row that `now` is of, where each has its own

    Rows(const Model<Env>& of, const abi::PureWork& what)
        : work(what), model(of), tag(of.tag), state_bytes(PureOf::state_bytes(const_cast<Model<Env>*>(&of))) {
      for (const FieldSpec& field : model.spec.fields) row_bytes.push_back(field.row_bytes());
      for (const FieldSpec& field : model.spec.actions) action_bytes.push_back(field.row_bytes());
      for (size_t f = 0; f < row_bytes.size(); ++f) {
        seen.push_back(work.final_fields != nullptr && shows_last(f) ? work.final_fields[f] : work.fields[f]);
      }
      if (work.count > 0) load(0);
    }
    static const u8* at(const abi::Lane& lane, i64 k) { return static_cast<const u8*>(lane.data) + lane.stride * k; }

    void load(i64 k) const {
      const u8* row = at(work.params, k);
      Head head;
      std::memcpy(&head, row, sizeof(head));
      if (head.tag != tag) refuse("params", work.first + k);
      loaded = k;
      now.max_episode_steps = head.max_episode_steps;
      std::memcpy(static_cast<void*>(&now.params), row + sizeof(Head) + values_bytes(), sizeof(Params));
      if constexpr (requires { now.params.blob; }) now.params.blob = model.params.blob;
      if constexpr (requires { now.params.kept; }) now.params.kept = model.params.kept;
    }
    const Setting& setting(i64 k) const {
      if (work.params.stride != 0 && k != loaded) load(k);
      return now;
    }
    u64 key(i64 k) const {
      u32 words[2];
      std::memcpy(words, at(work.keys, k), sizeof(words));
      return u64{words[0]} << 32 | words[1];
    }
    u32 stream(i64 k) const {
      u32 word;
      std::memcpy(&word, at(work.streams, k), sizeof(word));
      return word;
    }
    const u8* state(i64 k) const { return at(work.states, k); }
    Row row(void* const* fields, i64 k) const { return {fields, row_bytes.data(), k}; }
    ActionRow action(i64 k) const { return {work.actions, action_bytes.data(), work.one_action != 0 ? 0 : k}; }
    // How many of the rows of a block are stepped several at a time: where all parameters are the same, and each has an
    // action.
    i64 in_lanes(i64 count) const {
      const bool may = work.params.stride == 0 && work.one_action == 0 && InLanes<Env>::available(now.params);
      return may ? count / InLanes<Env>::kLanes * InLanes<Env>::kLanes : 0;
    }
    typename InLanes<Env>::States states(i64 first, i64 count) const {
      return {reinterpret_cast<u8*>(&new_state(first).state), state_bytes, count};
    }
    Slot& new_state(i64 k) const { return *std::launder(reinterpret_cast<Slot*>(work.new_states + k * state_bytes)); }
    // As many rows as lie in a processor's first cache with their observations.
    i64 rows_in_cache() const {
      i64 bytes = state_bytes;
      for (const i64 field : row_bytes) bytes += 2 * field;
      const i64 rows = kCacheBytes / bytes;
      return rows < 1 ? 1 : rows < kMostRows ? rows : kMostRows;
    }
    void copy_states(i64 first, i64 end) const {
      if (work.states.data == work.new_states) return;
      if (work.states.stride == state_bytes) {
        std::memcpy(work.new_states + first * state_bytes, state(first), size_t((end - first) * state_bytes));
        return;
      }
      for (i64 k = first; k < end; ++k) std::memcpy(work.new_states + k * state_bytes, state(k), size_t(state_bytes));
    }
    // Whether a field says something of the step itself, also where the next episode has begun.
    bool shows_last(size_t field) const { return (work.infos >> field & 1) != 0; }
    // What has been observed as what was observed last, before a restart.
    void keep_observation(i64 k) const {
      for (size_t f = 0; f < row_bytes.size(); ++f) {
        if (shows_last(f)) continue;
        std::memcpy(static_cast<u8*>(work.final_fields[f]) + row_bytes[f] * k,
                    static_cast<const u8*>(work.fields[f]) + row_bytes[f] * k, size_t(row_bytes[f]));
      }
    }
  };

  // Rows of a block whose episodes ended.
  struct Ended {
    i32 rows[kMostRows];
    i64 count = 0;

    // Of whole groups of rows in lanes, from `first` on: a word has the ends of a group.
    void find(const abi::PureWork& work, i64 first, i64 many) {
      u32 terminated, truncated;
      static_assert(InLanes<Env>::kLanes == 1 || InLanes<Env>::kLanes == sizeof(terminated));
      for (i64 k = first; k < first + many; k += InLanes<Env>::kLanes) {
        std::memcpy(&terminated, work.terminated + k, sizeof(terminated));
        std::memcpy(&truncated, work.truncated + k, sizeof(truncated));
        for (u32 over = terminated | truncated; over != 0; over &= over - 1) {
          rows[count++] = i32(k - first) + std::countr_zero(over) / 8;
        }
      }
    }
  };

  template <bool kOneSetting>
  static void step_blocks(const Rows& rows) {
    const abi::PureWork work = rows.work;  // copies of its own, which what is written cannot change
    const Setting shared = rows.now;
    const i64 block = rows.rows_in_cache();
    for (i64 first = 0; first < work.count; first += block) {
      const i64 end = first + block < work.count ? first + block : work.count;
      rows.copy_states(first, end);
      Ended ended;
      const i64 alone = kOneSetting ? step_in_lanes(rows, shared, first, end, ended) : first;
      const auto params_of = [&](i64 k) -> const Params& {
        return kOneSetting ? shared.params : rows.setting(k).params;
      };
      const auto step_row = [&](i64 k, auto&& draws) {
        const Setting& setting = kOneSetting ? shared : rows.setting(k);
        Slot& it = rows.new_state(k);
        const Outcome outcome =
            it.episode.over ? kStaysOver : Env::step(it.state, setting.params, rows.action(k), draws);
        conclude(work, it.episode, setting.max_episode_steps, outcome, k, first, ended);
        Env::observe(it.state, setting.params, rows.row(rows.seen.data(), k));
      };
      i64 drawn = alone;
      if constexpr (kTakesDrawn<Env>) {
        Ahead<Env, kMostRows> ahead;
        drawn = alone + ahead.of(end - alone);
        for (i64 k = alone; k < drawn; ++k) take(rows, work, rows.new_state(k), params_of(k), k);
        if (drawn > alone) ahead.draw(rows.new_state(alone).episode.rng, rows.state_bytes, drawn - alone);
        for (i64 k = alone; k < drawn; ++k) step_row(k, ahead.give(rows.new_state(k).episode.rng, k - alone));
      }
      for (i64 k = drawn; k < end; ++k) {
        Slot& it = rows.new_state(k);
        take(rows, work, it, params_of(k), k);
        step_row(k, it.episode.rng);
      }
      if (work.final_fields == nullptr) continue;
      for (i64 i = 0; i < ended.count; ++i) {
        const i64 k = first + ended.rows[i];
        const Setting& setting = kOneSetting ? shared : rows.setting(k);
        Slot& it = rows.new_state(k);
        rows.keep_observation(k);
        begin(it, setting.params);
        Env::observe(it.state, setting.params, rows.row(work.fields, k));
      }
    }
  }

  // Steps as many rows as come in whole groups, where no episode is over. Returns the first row that is left.
  static i64 step_in_lanes(const Rows& rows, const Setting& setting, i64 first, i64 end, Ended& ended) {
    const i64 count = rows.in_lanes(end - first);
    if (count == 0) return first;
    const abi::PureWork work = rows.work;
    bool any_over = false;
    for (i64 k = first; k < first + count; ++k) {
      Slot& it = rows.new_state(k);
      take(rows, work, it, setting.params, k);
      any_over |= it.episode.over;
    }
    if (any_over) return first;
    InLanes<Env>::step(rows.states(first, count), setting.params, rows.action(first),
                       {work.reward + first, work.terminated + first});
    count_step(rows, work, setting.max_episode_steps, first, count);
    ended.find(work, first, count);
    for (i64 i = 0; i < ended.count; ++i) rows.new_state(first + ended.rows[i]).episode.over = true;
    InLanes<Env>::observe(rows.states(first, count), setting.params, rows.row(rows.seen.data(), first));
    return first + count;
  }

  // Takes the state of a row, once it has been copied, and gives it the key that it steps under.
  ENVPOOL_ALWAYS_INLINE static void take(const Rows& rows, const abi::PureWork& work, Slot& it, const Params& params,
                                         i64 k) {
    Episode& episode = it.episode;
    if (episode.tag != rows.tag) [[unlikely]]
      refuse("state", work.first + k);
    episode.repair();
    repair<Env>(it.state, params);
    if (work.keyed == abi::kKeepKey) return;
    episode.rng.seed = rows.key(k);
    episode.rng.draws = 0;
    if (work.keyed == abi::kNewKeyAndStream) episode.rng.stream = rows.stream(k);
  }

  // Counts the step of rows that went in lanes, and have written their rewards and terminations.
  ENVPOOL_ALWAYS_INLINE static void count_step(const Rows& rows, const abi::PureWork& work, i32 limit, i64 first,
                                               i64 count) {
    const i64 stride = rows.state_bytes;
    u8* state = work.new_states + first * stride;
    for (i64 k = first; k < first + count; ++k, state += stride) {
      Episode& episode = std::launder(reinterpret_cast<Slot*>(state))->episode;
      work.truncated[k] = episode.count_step(limit);
      work.elapsed[k] = episode.elapsed;
    }
    for (i64 k = first; k < first + count; ++k) work.discount[k] = work.terminated[k] != 0 ? 0.0f : 1.0f;
  }

  // Writes what a step brought.
  ENVPOOL_ALWAYS_INLINE static void conclude(const abi::PureWork& work, Episode& episode, i32 limit, Outcome outcome,
                                             i64 k, i64 first, Ended& ended) {
    const bool over = episode.conclude(outcome, limit, !episode.over);
    work.reward[k] = outcome.reward;
    work.discount[k] = outcome.discount;
    work.terminated[k] = outcome.terminated;
    work.truncated[k] = outcome.truncated;
    work.elapsed[k] = episode.elapsed;
    ended.rows[ended.count] = i32(k - first);
    ended.count += over;
  }
};

}  // namespace envpool
