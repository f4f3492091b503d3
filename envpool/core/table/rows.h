// SPDX-License-Identifier: Apache-2.0
//
// Takes the turns (turn.h) of the rows of a call on a CPU. The rows are environments of a pool (vector_env.h) or states
// that the caller holds (pure.h). As many as possible are stepped together: in lanes or groups (in_lanes.h), or with
// random words that are prefetched for several of them (prefetched_rng.h).
//
// A batch, which vector_env.h and pure.h define, has the rows and their settings:
//
//   kHeld                      whether the caller holds the states
//   kIsFast                    whether the loop over rows takes less time than the steps of small environments
//   Places, places()           where the rows' results go: ConsecutiveRows or ClaimedRows (result_rows.h)
//   count()                    the number of rows
//   open(first)                prepares the memory of a block of rows, beginning with `first`; returns its end
//   Entry, entry(k)            row k: its number and its slot `it`, and where its settings are
//   env_id(entry), action(entry)
//   params(entry), limit(entry)
//                              its parameters, and the number of steps until its episode is truncated; 0: none
//   in_group(entry)            whether it can be stepped in a group
//   prepare(entry)             prepares its state for a turn
//   states(k, count)           the states of rows at equal distances in memory
//   run_length(k, end)         how many rows from k on are at equal distances in memory
//   in_lanes(k, end)           how many rows from k on can be stepped in lanes, a multiple of kLanes; has prepared them
//   lane_params()              the parameters of the rows for which in_lanes() was called last, as in lane_params.h
//   begin(entry)               begins its next episode
//   begun_params(entry)        the parameters with which begin() has begun it
//   close(entry)               called when its turn is over
//   guarded(entry, action)     runs an action of the environment; returns false if it threw
//   max_players(), fields()    the rows' players, and the arrays into which they are observed
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

#include "envpool/core/table/contract_calls.h"
#include "envpool/core/table/in_lanes.h"
#include "envpool/core/table/prefetched_rng.h"
#include "envpool/core/table/result_rows.h"
#include "envpool/core/table/turn.h"

namespace envpool {

// The arrays of an environment's own fields.
struct FieldRows {
  const i64* row_bytes;
  const u8* per_player;
  i32 count;
  i32 max_players;

  i64 bytes(i32 field) const { return row_bytes[field] * (per_player[field] != 0 ? max_players : 1); }

  // Zeroes row `row`.
  void clear(void* const* arrays, i64 row) const {
    for (i32 f = 0; f < count; ++f) std::memset(static_cast<u8*>(arrays[f]) + row * bytes(f), 0, size_t(bytes(f)));
  }
  // Zeroes the entries of players first..end-1 in row `row`.
  void clear_players(void* const* arrays, i64 row, i32 first, i32 end) const {
    for (i32 f = 0; first < end && f < count; ++f) {
      if (per_player[f] == 0) continue;
      std::memset(static_cast<u8*>(arrays[f]) + (row * max_players + first) * row_bytes[f], 0,
                  size_t((end - first) * row_bytes[f]));
    }
  }
  // Copies row `row` to other arrays, except for arrays that are the same.
  void copy(void* const* to, void* const* from, i64 row) const {
    for (i32 f = 0; f < count; ++f) {
      if (to[f] == from[f]) continue;
      u8* target = static_cast<u8*>(to[f]) + row * bytes(f);
      const u8* source = static_cast<const u8*>(from[f]) + row * bytes(f);
      i64 left = bytes(f);
      if (left > 128) {
        std::memcpy(target, source, size_t(left));
        continue;
      }
      // A call of memcpy would take longer than the copy.
      for (; left >= 4; left -= 4, target += 4, source += 4) std::memcpy(target, source, 4);
      for (; left > 0; --left) *target++ = *source++;
    }
  }
};

template <class Env, class Contract, class Batch>
class RowLoop {
 public:
  // `begins` and `restarts` are as in RulesOf.
  static void run(Batch batch, bool begins, bool restarts) {
    const Rules rules{begins, restarts};
    if constexpr (kIsInlined) {
      run_inlined(batch, rules);
    } else {
      run_blocks(batch, rules);
    }
  }

 private:
  using Slot = EnvSlot<typename Contract::State>;
  using Places = typename Batch::Places;
  using Entry = typename Batch::Entry;
  using Rules = RulesOf<Batch::kHeld ? IfOver::kStays : IfOver::kBegins>;
  using Lanes = InLanes<Env>;
  static constexpr bool kWorld = requires { Env::kMaxPlayers; };
  static constexpr bool kPosts = requires { typename Env::CallBatch; };
  static constexpr i64 kMostRows = Batch::kMostRows;

#ifdef __SANITIZE_ADDRESS__
  static constexpr bool kIsInlined = false;  // it would take minutes to compile
#else
  static constexpr bool kIsInlined = Batch::kIsFast && Contract::kIsSmall;
#endif
  // Inlines everything into the loop. The step of a small environment takes a few nanoseconds, and a call of it would
  // take as many, because rows and outcomes are passed in memory.
  [[gnu::flatten]] static void run_inlined(Batch& batch, const Rules& rules) { run_blocks(batch, rules); }

  static void run_blocks(Batch& batch, const Rules& given) {
    const Rules rules = given;  // local copies, which what environments write cannot alias
    const Places places = batch.places();
    const i64 count = batch.count();
    for (i64 first = 0, end; first < count; first = end) {
      end = batch.open(first);
      if constexpr (kPosts) {
        run_posted(batch, places, rules, first, end);
      } else if constexpr (SteppedInGroups<Env>) {
        run_in_groups(batch, places, rules, first, end);
      } else {
        run_block(batch, places, rules, first, end);
      }
    }
  }

  // The place of a row.
  struct Place {
    Batch& batch;
    const Entry entry;
    Slot& it;
    const Places& places;
    typename Places::Row at{};
    bool healthy = true;

    Place(Batch& rows, const Entry& of, const Places& results) : batch(rows), entry(of), it(of.it), places(results) {}

    const RowColumns& columns() const { return places.columns(at); }
    i64 row() const { return places.row(entry.k, at); }
    i32 players() const {
      const i32 count = Contract::players(it.state);
      return count < batch.max_players() ? count : batch.max_players();
    }

    ENVPOOL_ALWAYS_INLINE bool conclude(Outcome& outcome, Doing doing) {
      return envpool::conclude(it.episode, outcome, doing, batch.limit(entry));
    }
    ENVPOOL_ALWAYS_INLINE void write(const Outcome& outcome, Doing doing, bool) {
      if (Batch::kHeld && doing == Doing::kBegins) return;  // the reset of a pure function returns only observations
      places.claim(entry.k, at);
      if (batch.guarded(entry, [&] { write_results(outcome, doing); })) return;
      healthy = false;  // reward() or players() threw: no player has a row
      columns().template write<Batch::kHeld>(row(), batch.env_id(entry), it.episode.elapsed, outcome,
                                             doing == Doing::kBegins, 0);
    }
    ENVPOOL_ALWAYS_INLINE void observe(bool, bool restarts) {
      observe_into(restarts ? columns().ended : columns().stepped, batch.params(entry));
    }
    ENVPOOL_ALWAYS_INLINE void begin(bool, Doing doing) {
      if (!healthy) return;
      const bool restarts = doing != Doing::kBegins;
      const i32 before = kWorld && restarts ? players() : 0;
      healthy = batch.guarded(entry, [&] { batch.begin(entry); });
      if (kWorld && restarts && !Batch::kHeld) clear_absent_players(before, players());
    }
    ENVPOOL_ALWAYS_INLINE void observe_begun(bool) { observe_into(columns().begun, batch.begun_params(entry)); }

   private:
    // With several players, a pool writes only the entries of those that are present. Otherwise all are written.
    ENVPOOL_ALWAYS_INLINE void write_results(const Outcome& outcome, Doing doing) {
      const RowColumns& to = columns();
      const i32 count = players(), most = batch.max_players();
      const i64 first = row() * most;
      to.template write<Batch::kHeld>(row(), batch.env_id(entry), it.episode.elapsed, outcome, doing == Doing::kBegins,
                                      count);
      for (i32 player = 0; player < count; ++player) {
        to.reward[first + player] = doing == Doing::kSteps ? Contract::reward(it.state, outcome, player) : 0.0f;
        to.discount[first + player] = outcome.discount;
      }
      if constexpr (kWorld && Batch::kHeld) {
        for (i32 player = count; player < most; ++player) to.reward[first + player] = to.discount[first + player] = 0;
        it.episode.players = u16(count);
      }
    }
    ENVPOOL_ALWAYS_INLINE void observe_into(void* const* arrays, const typename Env::Params& params) {
      const FieldRows& fields = batch.fields();
      if (healthy) {
        healthy = batch.guarded(entry, [&] {
          Contract::observe(it.state, params, Row{arrays, fields.row_bytes, row()}, fields.max_players);
        });
        if (kWorld && Batch::kHeld) fields.clear_players(arrays, row(), players(), fields.max_players);
      }
      if (healthy) return;
      it.episode.over = true;
      fields.clear(arrays, row());  // so that the row does not expose stale memory
    }
    // In a pool, a row has all players of the episode that ended and of the next episode. Writes zeros for the players
    // that are absent from one of the two.
    void clear_absent_players(i32 before, i32 after) const {
      if (before == after) return;
      const RowColumns& to = columns();
      const FieldRows& fields = batch.fields();
      to.players[row()] = before > after ? before : after;
      for (i32 player = before; player < after; ++player) {
        to.reward[row() * fields.max_players + player] = to.discount[row() * fields.max_players + player] = 0;
      }
      fields.clear_players(to.begun, row(), after, before);
      fields.clear_players(to.ended, row(), before, after);
    }
  };

  // The place of a row in functions that are not inlined. It does not refer to local copies of run_blocks().
  struct PlaceApart : Place {
    // The members are not copied as a whole: the compiler would copy them in other units than they were written in.
    explicit PlaceApart(const Place& from) : Place(from.batch, from.batch.entry(from.entry.k), from.batch.places()) {
      this->at = from.at;
      this->healthy = from.healthy;
    }
  };

  // A place whose environment steps by calling step(slot).
  template <class Step>
  struct SteppedPlace : Place {
    static constexpr bool kTogether = false;
    using Begun = PlaceApart;
    Step& step_alone;

    SteppedPlace(Batch& rows, const Entry& of, const Places& results, Step& step)
        : Place(rows, of, results), step_alone(step) {}

    ENVPOOL_ALWAYS_INLINE Doing doing(const Rules& rules) const { return doing_of(rules, this->it.episode.over); }
    ENVPOOL_ALWAYS_INLINE Doing step(Outcome& outcome, Doing doing) {
      if (this->batch.guarded(this->entry, [&] { outcome = step_alone(this->it); })) return doing;
      outcome = {};
      return Doing::kBegins;
    }
  };

  template <class Step>
  ENVPOOL_ALWAYS_INLINE static void take_turn(Batch& batch, const Places& places, const Rules& rules,
                                              const Entry& entry, Step&& step) {
    SteppedPlace<std::remove_reference_t<Step>> place(batch, entry, places, step);
    turn(place, rules);
    batch.close(entry);
  }
  // `draws` is the prefetched generator for the step, or the episode, whose generator is then used.
  template <class Draws>
  ENVPOOL_ALWAYS_INLINE static void step_alone(Batch& batch, const Places& places, const Rules& rules,
                                               const Entry& entry, Draws&& draws) {
    take_turn(batch, places, rules, entry, [&](Slot& it) {
      return Contract::step(it.state, batch.params(entry), batch.action(entry), draws, batch.max_players());
    });
  }

  ENVPOOL_ALWAYS_INLINE static void run_block(Batch& batch, const Places& places, const Rules& rules, i64 first,
                                              i64 end) {
    for (i64 k = first; k < end;) {
      i64 taken = 0;
      if constexpr (Batch::kInLanes) {
        if (!rules.begins) taken = run_in_lanes(batch, places, rules, k, end);
      }
      if constexpr (kTakesPrefetchedRng<Env>) {
        if (!rules.begins && taken == 0) taken = run_prefetched(batch, places, rules, k, end);
      }
      if (taken == 0) {
        const Entry entry = batch.entry(k);
        batch.prepare(entry);
        step_alone(batch, places, rules, entry, entry.it.episode);
        taken = 1;
      }
      k += taken;
    }
  }

  // Steps rows with prefetched random words. Returns their number, which is a multiple of eight or 0.
  ENVPOOL_ALWAYS_INLINE static i64 run_prefetched(Batch& batch, const Places& places, const Rules& rules, i64 first,
                                                  i64 end) {
    using Prefetched = PrefetchedRngs<Env, kMostRows>;
    const i64 count = Prefetched::batch_size(batch.run_length(first, end));
    if (count == 0) return 0;
    for (i64 k = first; k < first + count; ++k) batch.prepare(batch.entry(k));
    Prefetched prefetched;
    prefetched.prefetch(batch.entry(first).it.episode.rng, batch.stride(), count);
    for (i64 k = first; k < first + count; ++k) {
      const Entry entry = batch.entry(k);
      step_alone(batch, places, rules, entry, prefetched.rng(entry.it.episode.rng, k - first));
    }
    return count;
  }

  // Steps rows in lanes. Returns their number, which is a multiple of kLanes or 0.
  ENVPOOL_ALWAYS_INLINE static i64 run_in_lanes(Batch& batch, const Places& places, const Rules& rules, i64 first,
                                                i64 end) {
    const i64 count = batch.in_lanes(first, end);
    if (count == 0) return 0;
    auto& params = batch.lane_params();
    const auto states = batch.states(first, count);
    f32 claimed_reward[Places::kConsecutive ? 1 : kMostRows];
    u8 claimed_terminated[Places::kConsecutive ? 1 : kMostRows];
    OutcomeColumns outcomes{claimed_reward, claimed_terminated};
    if constexpr (Places::kConsecutive) {
      const i64 row = places.row(first, {});
      outcomes = {places.all.reward + row, places.all.terminated + row};
    }
    const Entry entry = batch.entry(first);
    if (!batch.guarded(entry, [&] { Lanes::step(states, params.groups(), batch.action(entry), outcomes); })) {
      // Which lane threw is unknown, so all of them begin a new episode.
      for (i64 k = first; k < first + count; ++k) batch.entry(k).it.episode.over = true;
      return 0;
    }
    if constexpr (Places::kConsecutive) {
      finish_in_lanes(batch, places, rules, first, count, params);
    } else {
      for (i64 i = 0; i < count; ++i) {
        const Outcome outcome{.reward = outcomes.reward[i], .terminated = outcomes.terminated[i] != 0};
        take_turn(batch, places, rules, batch.entry(first + i), [&](Slot&) { return outcome; });
      }
    }
    return count;
  }

  // Does the rest of turn() for rows that were stepped in lanes: each part for all rows, and then the next part.
  ENVPOOL_ALWAYS_INLINE static void finish_in_lanes(Batch& batch, const Places& places, const Rules& rules, i64 first,
                                                    i64 count, auto& params) {
    const RowColumns columns = places.all;
    const i64 row = places.row(first, {});
    i32 ended[kMostRows];
    const i64 num_ended = conclude_in_lanes(batch, columns, first, row, count, params.limits(), ended);
    const auto observe = [&] {
      Lanes::observe(batch.states(first, count), params.groups(), Row{columns.stepped, batch.fields().row_bytes, row});
    };
    if (!batch.guarded(batch.entry(first), observe)) {
      for (i64 i = 0; i < count; ++i) {
        batch.entry(first + i).it.episode.over = true;
        batch.fields().clear(columns.stepped, row + i);
      }
      return;
    }
    if (!rules.restarts) return;
    for (i64 i = 0; i < num_ended; ++i) restart(batch, first + ended[i], row + ended[i]);
  }

  // Applies the rules of episodes to rows that were stepped in lanes, and writes their columns, except for those that
  // Lanes::step has written. Returns how many episodes ended, and their numbers in `ended`.
  ENVPOOL_ALWAYS_INLINE static i64 conclude_in_lanes(Batch& batch, const RowColumns& columns, i64 first, i64 row,
                                                     i64 count, auto limits, i32* ended) {
    u8 *const terminated = columns.terminated + row, *const truncated = columns.truncated + row;
    const StridedStates<Slot> slots{reinterpret_cast<u8*>(&batch.entry(first).it), batch.stride(), count};
    for (i64 i = 0; i < count; ++i) {
      Episode& episode = slots.at(i)->episode;
      truncated[i] = episode.count_step(limits[i]);
      columns.elapsed[row + i] = episode.elapsed;
    }
    for (i64 i = 0; i < count; ++i) columns.discount[row + i] = terminated[i] != 0 ? 0.0f : 1.0f;
    if constexpr (!Batch::kHeld) {
      for (i64 i = 0; i < count; ++i) {
        columns.step_type[row + i] = i32(terminated[i] | truncated[i] ? StepType::kLast : StepType::kMid);
      }
      for (i64 i = 0; i < count; ++i) columns.env_id[row + i] = batch.env_id(batch.entry(first + i));
      for (i64 i = 0; i < count; ++i) columns.players[row + i] = 1;
    }
    i64 num_ended = 0;
    static_assert(Lanes::kLanes == 1 || Lanes::kLanes == sizeof(u32));
    for (i64 i = 0; i < count; i += Lanes::kLanes) {  // reads the flags of a group as one word
      u32 one, other;
      std::memcpy(&one, terminated + i, sizeof(one));
      std::memcpy(&other, truncated + i, sizeof(other));
      for (u32 over = one | other; over != 0; over &= over - 1) {
        const i64 at = i + std::countr_zero(over) / 8;
        slots.at(at)->episode.over = true;
        ended[num_ended++] = i32(at);
      }
    }
    return num_ended;
  }

  // Restarts an episode that ended in lanes. Its observation becomes the last one.
  ENVPOOL_NOINLINE static void restart(Batch& batch, i64 k, i64 row) {
    const Place place(batch, batch.entry(k), batch.places());
    batch.fields().copy(place.columns().ended, place.columns().stepped, row);
    begin_and_observe<PlaceApart>(PlaceApart(place), /*begins=*/true, Doing::kSteps);
  }

  // Steps environments in groups. The episodes of the members of a group are not over.
  static void run_in_groups(Batch& batch, const Places& places, const Rules& rules, i64 first, i64 end) {
    i64 members[Env::kGroup];
    i32 count = 0;
    for (i64 k = first; k < end; ++k) {
      const Entry entry = batch.entry(k);
      batch.prepare(entry);
      if (doing_of(rules, entry.it.episode.over) != Doing::kSteps || !batch.in_group(entry)) {
        step_alone(batch, places, rules, entry, entry.it.episode);
        continue;
      }
      if (count == Env::kGroup) {
        run_group(batch, places, rules, members, count);
        count = 0;
      }
      members[count++] = k;
    }
    run_group(batch, places, rules, members, count);
  }
  static void run_group(Batch& batch, const Places& places, const Rules& rules, const i64* members, i32 count) {
    typename Contract::State* states[Env::kGroup];
    const typename Env::Params* params[Env::kGroup];
    Rng* rngs[Env::kGroup];
    ActionRow actions[Env::kGroup];
    Outcome outcomes[Env::kGroup];
    for (i32 i = 0; i < count; ++i) {
      const Entry entry = batch.entry(members[i]);
      states[i] = &entry.it.state;
      params[i] = &batch.params(entry);
      rngs[i] = &entry.it.episode.rng;
      actions[i] = batch.action(entry);
    }
    const bool in_group = count >= kLeastGroup;
    const bool stepped = in_group && batch.guarded(batch.entry(members[0]), [&] {
      Env::step_group(states, count, params, actions, rngs, outcomes);
    });
    for (i32 i = 0; i < count; ++i) {
      const Entry entry = batch.entry(members[i]);
      if (stepped) {
        take_turn(batch, places, rules, entry, [&](Slot&) { return outcomes[i]; });
      } else {
        // Which member threw is unknown, so all of them begin a new episode.
        entry.it.episode.over = in_group;
        step_alone(batch, places, rules, entry, entry.it.episode);
      }
    }
  }

  // Posts the calls of all environments before it waits for the first result, so that they run at the same time.
  static void run_posted(Batch& batch, const Places& places, const Rules& rules, i64 first, i64 end) {
    using CallBatch = typename Env::CallBatch;
    for (i64 begin = first; begin < end; begin += CallBatch::kMax) {
      CallBatch calls(batch.work(), Places::kConsecutive);
      for (i64 k = begin; k < std::min<i64>(end, begin + CallBatch::kMax); ++k) {
        const Entry entry = batch.entry(k);
        if (doing_of(rules, entry.it.episode.over) == Doing::kBegins) {
          Episode next = entry.it.episode;  // a copy; the turn later begins the episode and draws the same numbers
          next.begin();
          calls.reset(*entry.it.state, next.rng);
        } else {
          calls.step(*entry.it.state, batch.action(entry));
        }
      }
      for (i32 i; (i = calls.next()) >= 0;) {
        const Entry entry = batch.entry(begin + i);
        step_alone(batch, places, rules, entry, entry.it.episode);
      }
    }
  }
};

}  // namespace envpool
