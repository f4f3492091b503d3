// SPDX-License-Identifier: Apache-2.0
//
// Finds mistakes in an environment by playing it. Random actions are played in three copies of the environment with the
// same seed. The memory of the first two is filled with zeros before a reset, and that of the third with 0xA5. All
// three must do the same. If the third differs, the code reads memory that it has not written. If the second differs,
// results depend on something other than the seed, options and actions. Accesses are checked in arrays.h. Afterwards
// the environment is played from states with random bytes, and with other options.
#pragma once

#include <alloca.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <memory>
#include <new>

#include "envpool/core/check/arrays.h"
#include "envpool/core/plugin.h"
#include "envpool/core/text.h"

namespace envpool::check {

inline constexpr i32 kSteps = 2000, kForeignStates = 300, kOtherOptions = 300;
inline constexpr i32 kSeconds = 10;  // of CPU time, after which slow environments are not stepped any more
inline constexpr u8 kFills[] = {0x00, 0x00, 0xA5};
inline constexpr u8 kOldRow = 0xCB, kOtherOldRow = 0x36;

inline u8 heap_fill = 0;  // the byte with which new memory of host environments is filled
inline Arrays* result_arrays = nullptr;
inline Arrays* action_arrays = nullptr;

inline void* result_row(i64 row, i32 field, const Access& access) {
  if (result_arrays == nullptr) mistake(to_text(access.place), "the Row is used after observe() has returned");
  return result_arrays->row_of(row, field, access, "observations and infos");
}
inline const void* action_row(i64 row, i32 field, const Access& access) {
  if (action_arrays == nullptr) mistake(to_text(access.place), "the ActionRow is used after the step has ended");
  return action_arrays->row_of(row, field, access, "actions");
}

// Fills the part of the stack where the local variables of the next call will be.
__attribute__((noinline)) inline void fill_stack(u8 value) {
  constexpr size_t kBytes = 16384;
  void* volatile memory = alloca(kBytes);
  std::memset(memory, value, kBytes);
}

// Runs the user's code. An exception ends the process.
template <class Action>
void run_call(const char* function, u8 fill, Action&& action) {
  call.function = function;
  call.number = call.number + 1;
  call.fill = heap_fill = fill;
  call.last = {};
  const auto threw = [&](const std::string& what) {
    const std::string line = line_of(thrown.from);
    mistake(line.empty() ? function : line, std::string(function) + "() throws an exception: " + what);
  };
  fill_stack(fill);
  try {
    action();
  } catch (const std::exception& error) {
    threw(error.what());
  } catch (...) {
    threw("it is not a std::exception");
  }
}

// Three copies of an environment play the same game.
template <class Env, class Contract>
class Game {
  using Table = TableOf<Env, Contract>;
  using State = typename Contract::State;
  static constexpr bool kPlain = !std::is_same_v<Contract, HostContract<Env>>;

  // One copy.
  struct Copy {
    u8 fill;
    Arrays results;
    Guarded memory;
    Episode episode{};
    State* state = nullptr;
    Outcome outcome{};
  };

 public:
  Game(const abi::Options& options, i32 limit)
      : limit_(limit),
        model_(Table::make_model(options)),
        players_(model_->spec.max_players),
        actions_(with_rows_per_player(model_->spec.actions), players_) {
    for (i64 f = 0; const FieldSpec& field : model_->spec.fields) is_info_.push_back(model_->spec.is_info[size_t(f++)]);
    const i64 bytes = i64(sizeof(State)) + Contract::extra_bytes(model_->params);
    for (u8 fill : kFills) {
      copies_.push_back({fill, Arrays(model_->spec.fields, players_), Guarded("the state", bytes)});
      Copy& copy = copies_.back();
      copy.memory.fill(0);
      if constexpr (kPlain) {
        copy.state = std::launder(reinterpret_cast<State*>(copy.memory.data()));
      } else {
        run_call("the constructor", fill,
                 [&] { copy.state = new (copy.memory.data()) State(Contract::make(model_->params, 1)); });
        leave();
      }
      copy.episode.seed(7, 1);
    }
  }

  void play() {
    reset();
    for (i32 step = 0; step < kSteps && seconds < kSeconds; ++step) {
      if (copies_[0].episode.over || step % 500 == 499) {
        reset();
        continue;
      }
      draw_actions();
      ++call.step;
      for (Copy& copy : copies_) {
        enter(copy, kPlain && players_ > 1 ? "phase() or finish" : "step", [&] {
          copy.outcome = Contract::step(*copy.state, model_->params, action_row(), copy.episode, players_);
        });
      }
      for (Copy& copy : copies_) copy.episode.conclude(copy.outcome, limit_);
      compare_outcomes();
      look();
    }
    render();
    if constexpr (kPlain) {
      play_foreign_states();
      play_other_options();
    }
  }

 private:
  ActionRow action_row() const { return {nullptr, nullptr, players_}; }
  Row result_row() const { return {nullptr, nullptr, 1}; }

  static std::vector<FieldSpec> with_rows_per_player(std::vector<FieldSpec> fields) {
    for (FieldSpec& field : fields) field.is_per_player = true;
    return fields;
  }

  template <class Action>
  void enter(Copy& copy, const char* function, Action&& action) {
    action_arrays = &actions_;
    run_call(function, copy.fill, action);
    action_arrays = nullptr;
    if (kPlain) copy.memory.check(call.last);
    actions_.check_margins();
    leave();
  }
  void leave() {
    if (foreign_call.function != nullptr && kPlain) report_foreign_call();
    call.function = nullptr;
  }

  void draw_actions() {
    for (const GuardedArray& array : actions_.list)
      for (i32 row = 0; row < i32(array.rows.size()); ++row) array.draw(row, rng_);
  }

  void reset() {
    if (copies_[0].episode.number > 0) ++call.episode;
    call.step = 0;
    for (Copy& copy : copies_) {
      copy.episode.begin();
      if (kPlain) copy.memory.fill(copy.fill);
      enter(copy, "reset", [&] { Contract::reset(*copy.state, model_->params, copy.episode.rng); });
      copy.outcome = {};
    }
    if (kPlain) unset_ = unset_bytes();
    look();
  }

  // Observes in all copies, and checks what they wrote.
  void look() {
    for (Copy& copy : copies_) observe(copy, !kPlain && copy.fill != 0 ? kOtherOldRow : kOldRow);
    if constexpr (kPlain) {
      // The first copy observes twice, into rows with different contents, so that reads of old contents are found.
      copies_[1].results.fill(kOtherOldRow);
      std::swap(copies_[0].results, copies_[1].results);
      observe(copies_[0], kOtherOldRow);
      std::swap(copies_[0].results, copies_[1].results);
      compare_rows(copies_[0], copies_[1], OldRows::kDifferent);
      observe(copies_[1], kOldRow);
    } else {
      compare_rows(copies_[0], copies_[2], OldRows::kDifferent);
    }
    compare_rows(copies_[0], copies_[1], OldRows::kEqual);
    compare_rows(copies_[0], copies_[2], OldRows::kEqual);
    check_values(copies_[0]);
  }
  void observe(Copy& copy, u8 old) {
    copy.results.fill(old);
    result_arrays = &copy.results;
    run_call("observe", copy.fill, [&] { Contract::observe(*copy.state, model_->params, result_row(), players_); });
    result_arrays = nullptr;
    copy.results.check_margins();
    if (kPlain) copy.memory.check(call.last);
    if constexpr (requires { Env::kMaxPlayers; }) {
      const i32 count = Env::players(*copy.state);
      if ((count < 0 || count > players_) && !call.foreign_state)
        mistake("players",
                "players() returns " + std::to_string(count) + ", but the most is " + std::to_string(players_));
    }
    leave();
  }

  // Returns the number of rows of an array that the players have.
  i32 rows_of(const Copy& copy, const GuardedArray& array) const {
    return array.spec->is_per_player ? Contract::players(*copy.state) : 1;
  }

  // Whether the rows of two copies had equal contents before observe().
  enum class OldRows { kEqual, kDifferent };

  // Ends the process if an element differs between two copies.
  void compare_rows(const Copy& one, const Copy& other, OldRows old) {
    call.function = "observe";
    for (size_t f = 0; f < one.results.list.size(); ++f) {
      const GuardedArray &first = one.results.list[f], &second = other.results.list[f];
      const i32 rows = rows_of(one, first);
      if (rows != rows_of(other, second)) differ("players", "the number of players", other);
      for (i32 row = 0; row < rows; ++row) {
        const u8 *here = first.rows[size_t(row)].data(), *there = second.rows[size_t(row)].data();
        const i64 size = dtype_size(first.spec->dtype);
        for (i64 i = 0; i < first.spec->elements(); ++i, here += size, there += size) {
          if (std::memcmp(here, there, size_t(size)) == 0) continue;
          const std::string place = first.last.file == nullptr ? "observe" : to_text(first.last);
          const bool unwritten = all(here, size, kOldRow) && all(there, size, kOtherOldRow);
          if (unwritten) {
            mistake(place, "observe() does not write " + first.at(i) +
                               ": it would have the value of an earlier result, because rows are not zeroed");
          }
          if (old == OldRows::kDifferent && kPlain) {
            mistake(place,
                    "observe() reads " + first.at(i) +
                        " before it writes it: it has the value of an earlier result, because rows are not zeroed");
          }
          if (old == OldRows::kEqual) differ(place, first.at(i), other);
        }
      }
    }
    call.function = nullptr;
  }
  static bool all(const u8* bytes, i64 size, u8 value) {
    for (i64 i = 0; i < size; ++i)
      if (bytes[i] != value) return false;
    return true;
  }

  void compare_outcomes() {
    call.function = "step";
    const Copy& first = copies_[0];
    for (const Copy& copy : copies_) {
      if (copy.outcome.terminated != first.outcome.terminated || copy.outcome.truncated != first.outcome.truncated)
        differ("step", "whether the episode ends", copy);
      for (i32 player = 0; player < Contract::players(*first.state); ++player) {
        const f32 reward = Contract::reward(*first.state, first.outcome, player);
        if (std::bit_cast<u32>(reward) != std::bit_cast<u32>(Contract::reward(*copy.state, copy.outcome, player)))
          differ("step", "the reward", copy);
        if (std::isnan(reward)) mistake("step", "the reward is NaN");
        if (reward < f32(model_->spec.reward_low) || reward > f32(model_->spec.reward_high)) {
          mistake("step", "the reward is " + number(f64(reward)) + ", but spec() declares rewards from " +
                              number(model_->spec.reward_low) + " to " + number(model_->spec.reward_high));
        }
      }
    }
    call.function = nullptr;
  }

  // Reports what differs between the first copy and another.
  [[noreturn]] void differ(const std::string& place, const std::string& what, const Copy& other) {
    if (foreign_call.function != nullptr) report_foreign_call();
    if (other.fill == copies_[0].fill) {
      mistake(place, what +
                         " differs between two runs with the same seed, options and actions: does the code use a "
                         "global or static variable, the clock, or a random number generator other than its Rng?");
    }
    if (!unset_.empty()) {
      mistake("reset", "reset() does not set the whole state: bytes " + unset_ + " of " +
                           std::to_string(other.memory.size()) + " still have their values from before it, and " +
                           what + " depends on them");
    }
    mistake(place, what +
                       " depends on something other than the seed, options and actions: a local variable without a "
                       "value, a global or static variable, the clock, or a random number generator other than its "
                       "Rng");
  }

  // Returns the bytes that a reset has not set, such as "4 to 7, 12 to 15". Padding may be among them.
  std::string unset_bytes() const {
    std::string text;
    const auto [zeros, others] = std::pair(copies_[0].memory, copies_[2].memory);
    const auto unset = [&](i64 i) { return zeros.data()[i] == kFills[0] && others.data()[i] == kFills[2]; };
    for (i64 i = 0; i < zeros.size(); ++i) {
      if (!unset(i)) continue;
      const i64 first = i;
      while (i + 1 < zeros.size() && unset(i + 1)) ++i;
      text += (text.empty() ? "" : ", ") + std::to_string(first) + " to " + std::to_string(i);
    }
    return text;
  }
  [[noreturn]] static void report_foreign_call() {
    const std::string line = line_of(foreign_call.from);
    mistake(line.empty() ? call.function : line,
            std::string("calls ") + foreign_call.function +
                "(), so that equal seeds give different episodes: use the Rng argument, and no clock");
  }

  // Compares observations with their bounds.
  void check_values(const Copy& copy) {
    call.function = "observe";
    for (size_t f = 0; f < copy.results.list.size(); ++f) {
      const GuardedArray& array = copy.results.list[f];
      const std::string place = array.last.file == nullptr ? "observe" : to_text(array.last);
      for (i32 row = 0; row < rows_of(copy, array); ++row) {
        for (i64 i = 0; i < array.spec->elements(); ++i) {
          const f64 value = array.value(row, i), low = array.low(i), high = array.high(i);
          if (array.spec->dtype == abi::kBool && value > 1)
            mistake(place, array.at(i) + " is " + number(value) + ", which is not a bool");
          if (std::isnan(value) && !is_info_[f]) mistake(place, array.at(i) + " is NaN");
          if (value < low || value > high) {
            mistake(place, array.at(i) + " is " + number(value) + ", but spec() declares values from " + number(low) +
                               " to " + number(high));
          }
        }
      }
    }
    call.function = nullptr;
  }
  static std::string number(f64 value) { return envpool::to_text(value, 9); }

  void render() {
    const i64 height = model_->spec.render_height, width = model_->spec.render_width;
    if (height <= 0 || width <= 0) return;
    const Guarded image("the image of render()", height * width * 3);
    Copy& copy = copies_[0];
    enter(copy, "render", [&] {
      if constexpr (requires { (*copy.state)->render(image.data()); }) {
        (*copy.state)->render(image.data());
      } else if constexpr (requires { Env::render(*copy.state, model_->params, image.data()); }) {
        Env::render(*copy.state, model_->params, image.data());
      }
    });
    image.check({});
  }

  // Steps environments from states with random bytes. pool.restore accepts such states, and JAX users can make them, so
  // repair() must make them safe. Sanitizers and canaries find what repair() misses.
  void play_foreign_states() {
    Copy& copy = copies_[0];
    call.foreign_state = true;
    write_line("foreign", "");
    for (i32 i = 0; i < kForeignStates && seconds < 2 * kSeconds; ++i) {
      copy.episode.begin();
      enter(copy, "reset", [&] { Contract::reset(*copy.state, model_->params, copy.episode.rng); });
      change(copy.memory);
      clear_derived<Env>(copy.memory.data() + sizeof(State), model_->params);
      enter(copy, "repair", [&] { repair<Env>(*copy.state, model_->params); });
      observe(copy, kOldRow);
      for (i32 step = 0; step < 3; ++step) {
        draw_actions();
        enter(copy, "step", [&] { Contract::step(*copy.state, model_->params, action_row(), copy.episode, players_); });
        observe(copy, kOldRow);
      }
    }
    call.foreign_state = false;
  }

  // Plays with other values of the options that JAX users and set_options() can change. Any value within the bounds of
  // its option is allowed, in any combination.
  void play_other_options() {
    if (tunables_of<Env>().empty()) return;
    typename Env::Params& params = model_->params;
    const auto made = params;
    Copy& copy = copies_[0];
    write_line("options", "");
    for (i32 i = 0; i < kOtherOptions && seconds < 3 * kSeconds; ++i) {
      params = made;
      call.options.clear();
      for (const abi::Tunable& option : tunables_of<Env>()) {
        if (rng_.below(3) == 0) draw_option(option, params);
      }
      const auto drawn = params;
      call.function = "derive";
      derive<Env>(params);
      check_derived(drawn);
      call.function = nullptr;
      copy.episode.begin();
      enter(copy, "reset", [&] { Contract::reset(*copy.state, params, copy.episode.rng); });
      observe(copy, kOldRow);
      for (i32 step = 0; step < 5; ++step) {
        draw_actions();
        enter(copy, "step", [&] { Contract::step(*copy.state, params, action_row(), copy.episode, players_); });
        observe(copy, kOldRow);
      }
    }
    params = made;
    call.options.clear();
  }
  // Writes a random value into the member that an option sets. Half of the values are as large or small as possible.
  void draw_option(const abi::Tunable& option, typename Env::Params& params) {
    const bool whole = option.kind != abi::kOptionReal;
    const f64 low = std::max(option.low, -1e300), high = std::min(option.high, 1e300);
    u8* const member = reinterpret_cast<u8*>(&params) + option.at;
    for (i32 e = 0; e < option.elements; ++e) {
      const f64 near = std::max(low, -100.0), far = std::min(high, near + 200);
      const f64 between = near + (far - near) * rng_.uniform();
      f64 value = rng_.below(2) == 0 ? between : rng_.below(2) == 0 ? low : high;
      if (whole) value = std::floor(value);
      write_number(member + e * dtype_size(option.dtype), option.dtype, value);
      if (e == 0) {
        call.options += (call.options.empty() ? "" : ", ") + std::string(option.name) + "=" + number(value) +
                        (option.elements > 1 ? ", ..." : "");
      }
    }
  }
  // Ends the process if derive() has changed what options set, or the size of a state depends on it.
  void check_derived(const typename Env::Params& drawn) {
    const auto bytes = [](const typename Env::Params& params) { return reinterpret_cast<const u8*>(&params); };
    for (const abi::Tunable& option : tunables_of<Env>()) {
      const size_t size = size_t(option.elements * dtype_size(option.dtype));
      if (std::memcmp(bytes(drawn) + option.at, bytes(model_->params) + option.at, size) == 0) continue;
      mistake("derive", "derive() changes the member that the option '" + std::string(option.name) + "' sets");
    }
    if (i64(sizeof(State)) + Contract::extra_bytes(model_->params) != copies_[0].memory.size()) {
      mistake("extra_bytes", "extra_bytes() depends on options that can change: declare them with changes_shapes() (" +
                                 call.options + ")");
    }
  }
  void change(const Guarded& memory) {
    const i64 words = memory.size() / 4;
    const i32 kind = i32(rng_.below(4));
    for (i64 i = 0; i < words; ++i) {
      if (kind != 0 && rng_.below(u32(words)) > 2) continue;
      const u32 extremes[] = {0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu, rng_.bits(), rng_.below(256)};
      std::memcpy(memory.data() + 4 * i, &extremes[rng_.below(5)], 4);
    }
    for (i64 i = 4 * words; i < memory.size(); ++i) memory.data()[i] = u8(rng_.bits());
  }

  const i32 limit_;
  const std::unique_ptr<Model<Env>> model_;
  const i32 players_;
  Arrays actions_;
  std::vector<bool> is_info_;
  std::vector<Copy> copies_;
  std::string unset_;  // bytes of the state that the last reset has not set
  Rng rng_{.seed = 11};
};

}  // namespace envpool::check
