// SPDX-License-Identifier: Apache-2.0
//
// The three contracts, that is, the forms in which an environment can be written. Each compiles to the same C table
// (vtable.h).
//
// Portable: plain data and pure functions. Runs in the pool, in JAX and on a GPU, with identical bits.
//
//   struct CartPole {
//     static constexpr const char* kName = "CartPole";
//     struct Params { ... };                                      // trivially copyable; the values of the options
//     struct State { ... };                                       // trivially copyable; everything that changes
//     static void options(OptionSpecs&);                          // host: keywords of make() with defaults and docs
//     static void spec(const Params&, Spec&);                     // host: arrays with dtype, shape, bounds
//     ENVPOOL_FN static void reset(State&, const Params&, Rng&);
//     ENVPOOL_FN static Outcome step(State&, const Params&, ActionRow, Rng&);
//     ENVPOOL_FN static void observe(const State&, const Params&, Row);
//     // optional:
//     static Params params(const OptionValues&);                  // host: see below
//     ENVPOOL_FN static void derive(Params&);                     // see below
//     static void validate(const Params&);                        // host: see below
//     static i64 extra_bytes(const Params&);                      // bytes that follow State, if options set its size
//     static Blob blob(const OptionValues&);                      // immutable, shared; Params::blob is set to its
//                                                                 // address, Params::native (optional) to
//                                                                 Blob::native()
//     static void render(const State&, const Params&, u8* rgb);   // host: (height, width, 3)
//     static void state_parts(StateParts<State>&);                // host: parts that JAX users access by name
//     ENVPOOL_FN static void repair(State&, const Params&);       // see below
//     ENVPOOL_FN static bool game_continues(State&, bool may);    // see below
//     static u64 identity(const Params&);                         // host: see below
//     static std::vector<abi::Repetition> repetitions(const Params&);  // host: see below
//     static constexpr bool kLargeRows = true;                    // rows have 32 bytes or more: a GPU writes the rows
//                                                                 // of several environments together (device_rows.h)
//     ENVPOOL_FN static void observe_cleared(const State&, const Params&, Row);  // the same as observe, if the row is
//                                                                 // zero: with kLargeRows, a GPU clears it first
//     static constexpr bool kLongSteps = true;                    // State has 64 bytes or less, but a step takes long:
//                                                                 // compiles it once, not into each loop that calls it
//     kLanes, step_lanes, observe_lanes, ParamsOf                 // four at a time, see in_lanes.h
//     kGroup, step_group, derive_group                            // several at a time, see in_lanes.h
//     template <class Draws> step(..., Draws&)                    // with prefetched words, see prefetched_rng.h
//   };
//
// Multi-agent portable: a world of agents that act in phases. There is a barrier between phases and none within a
// phase, so in a phase an agent may write only its own data. On a GPU, a thread block runs a world and each thread an
// agent; on a CPU, loops run them. Actions that are not per player are those of agent 0 (envpool/pgx/turns.h).
//
//   struct Tag {
//     static constexpr i32 kMaxPlayers = 100, kPhases = 2;
//     struct Shared { ... };  struct Agent { ... };               // World<Tag> holds one Shared and kMaxPlayers Agents
//     ... options, spec, params and derive as above (Spec::max_players is kMaxPlayers, unless spec() sets fewer) ...
//     ENVPOOL_FN static void reset(World<Tag>&, const Params&, Rng&);
//     ENVPOOL_FN static i32 players(const World<Tag>&);           // 0..kMaxPlayers, may change at a reset
//     template <int kPhase>
//     ENVPOOL_FN static void phase(World<Tag>&, i32 agent, const Params&, ActionRow, Rng&);
//     ENVPOOL_FN static Outcome finish(World<Tag>&, const Params&, Rng&);   // after the phases; its reward is unused
//     ENVPOOL_FN static f32 reward(const World<Tag>&, i32 agent);
//     ENVPOOL_FN static void observe(const World<Tag>&, const Params&, i32 agent, Row);  // per-player fields
//     ENVPOOL_FN static void observe_world(const World<Tag>&, const Params&, Row);       // other fields
//     // optional, instead of struct Agent, if options set the number of agents:
//     static i64 extra_bytes(const Params&);                      // bytes that follow World: World::extra()
//     static i64 derived_bytes(const Params&);                    // see below
//     // optional:
//     static constexpr bool kLargeRows = true;                    // as above
//     static void state_parts(StateParts<Shared>&);               // host: parts that JAX users access by name
//     ENVPOOL_FN static void repair(World<Tag>&, const Params&);  // see below
//     static u64 identity(const Params&);                         // host: see below
//     static std::vector<abi::Repetition> repetitions(const Params&);  // host: see below
//   };
//
// An option names the member of Params that has its value:
//
//   o.real("length", 0.5, "m, half of the pole's length").between(1e-6, 1e6).sets(&Params::length);
//   o.booleans("walls", std::vector<f64>(9), "walls by row and column").sets(&Params::walls);  // bool walls[3][3]
//   o.reals("tops", {1, 0, 2, 0}, "tops").sets(&Params::tops).with_first_of(2);  // f64 tops[2]; the zeros are not read
//
// JAX users can change such options per environment and inside jit, unless they are declared with changes_shapes() or
// changes_blob(). So the shape of an array, extra_bytes(), identity() and blob() must not depend on them. `derive`
// computes the members of Params that depend on others. It runs on all devices, once for each row whose options have
// changed, so it must accept all values within the bounds of the options, must not change the members that options set,
// and does not see the blob. `params`, which runs only in make(), initializes the other members, for example from
// texts. It may throw std::invalid_argument, for example if values contradict each other. So may `validate`, which is
// called after derive() in make() and set_options(), but not inside jit.
//
// Portable code should not throw, because a GPU has no exceptions. In a pool, an exception is nevertheless raised by
// recv() as an EnvError, and in JAX as an error of the call.
//
// A state is user input: pool.restore accepts any bytes of the right size, and JAX users can set parts of states to any
// value. `repair` is called on such a state before it is stepped, observed or rendered, which in JAX means at every
// step. It clamps every index, count, position and bool whose value could cause undefined behaviour (repair.h has
// helpers), and does not change a state that reset and step have produced. Values that are only used in arithmetic need
// no repair.
//
// If a game can outlast an episode, as with a lost life, `game_continues` is called before each reset. It returns
// whether the reset goes on with the game, whose steps are then counted on. If `may` is false, because the time limit
// was reached or the environment was seeded, the reset must begin a new game.
//
// The last derived_bytes() of a world's extra bytes are computed from the rest of the world; repair() writes them. For
// example, a CPU can keep an index there that a GPU does not need. In snapshots and in the states that JAX users hold
// these bytes are zero, so that both are equal on all devices.
//
// An environment accepts the saved state of another environment if both have the same name, arrays, players, state size
// and blob. If the meaning of a state depends on further options, `identity` returns a number that is different for
// each of their values.
//
// A state that contains images is large, but most of it repeats what precedes it: the row above, or the image before.
// `repetitions` returns such parts, whose places are counted from the beginning of the State. Snapshots contain only
// the differences in them. A part may also only save work, such as a memory of what an image was painted from. With the
// distance abi::kLeftOut, snapshots leave it out, and a restored state has zeros there.
//
// Host: a C++ object that may use the heap and libraries. Runs in the pool. Its exceptions are raised by recv() as
// Python exceptions that name the environment.
//
//   class Ant {
//    public:
//     static constexpr const char* kName = "Ant";
//     struct Params { ... };                                      // anything copyable; shared by a pool's environments
//     ... options, spec and params as above ...
//     explicit Ant(const Params&, i32 env_id);
//     void reset(Rng&);
//     Outcome step(ActionRow, Rng&);
//     void observe(Row);
//     // optional: i64 save_size(); void save(void*); void load(const void*, i64); void render(u8* rgb);
//     // load() must validate the bytes, and throw std::invalid_argument("state: ...") if they are not a valid state.
//     // It is only called with save_size() bytes, unless the size varies.
//     static constexpr bool kStatesVary = true;                   // optional: save_size() differs from state to state
//     static u64 identity(const Params&);                         // optional, as above; for example a hash of a model
//     static i64 heap_bytes(const Params&);                       // optional: the heap memory of an object;
//                                                                 // make() refuses pools that would not fit
//     static constexpr const char* kNoSnapshots = "...";          // optional: why there is no save; this is the end of
//                                                                 // an error text
//     void reset_options(const void*, i64);                       // optional: takes the options of the next reset
//     static void changing_options(const Params&, OptionSpecs&);  // optional, see below
//     static Setup setup(const Params&, const f64* values);  void use(Setup);
//     void cancel();                                              // optional: another thread calls this when the pool
//                                                                 // is closing; a step or reset that waits must throw
//     // optional: steps are short, so the calling thread may run them, which saves a wake-up. Ctrl-C waits for the
//     // current step.
//     static constexpr bool kBounded = true;
//     // optional, called when a pool is made: first start() of all its environments, then finish_start() of all.
//     void start();  void finish_start();
//     // optional, for environments that run in other processes. For up to kMax environments at a time, the pool makes
//     // a CallBatch, which first gets the calls of all of them. Then reset() or step() of the environment is called
//     // for each number that next() returns.
//     // These calls return the result of the posted call, or make the call themselves if none
//     // was posted.
//     struct CallBatch {
//       static constexpr i32 kMax = 256;                          // the most calls that a CallBatch takes
//       CallBatch(const abi::Work&, bool in_order);               // in_order: the results are needed together
//       void reset(Env&, Rng&);  void step(Env&, ActionRow);      // must not throw
//       i32 next();                                               // the number of a call that is done; -1: no more
//     };
//   };
//
// Numbers and arrays of a host environment that can change from episode to episode are declared by changing_options(),
// with the values that they have in an environment that make() has created. They need no option of make(). `setup`
// returns what an environment needs to begin an episode with other values, all elements of all of these options, as a
// std::shared_ptr. It throws std::invalid_argument if the values are not allowed. `use` is called before the reset that
// begins such an episode; a null pointer stands for the values of make(). Environments share a Setup.
#pragma once

#include "envpool/core/types.h"

namespace envpool {

// The outcome of a step. The engine applies the time limit, and sets the discount to 0 if the episode terminated.
struct Outcome {
  f32 reward = 0;           // of this step
  bool terminated = false;  // the episode has ended
  bool truncated = false;   // the environment cuts the episode off; the time limit is the engine's
  f32 discount = 1;         // of the future, for dm_env and JAX
};

#ifndef ENVPOOL_CHECK  // Otherwise check/accessors.h defines Row and ActionRow.

// One environment's (or player's) row in the arrays of a batch. Use at<T, kElements>(field) if the number of elements
// is a compile-time constant; it is faster than at<T>(field), which looks up the row size.
struct Row {
  void* const* fields;
  const i64* row_bytes;
  i64 row;

  template <class T, int kElements>
  ENVPOOL_FN T* at(int field) const {
#ifdef __CUDACC__  // Rows in shared memory may be apart from each other (device_rows.h).
    return at<T>(field);
#else
    return static_cast<T*>(fields[field]) + row * kElements;
#endif
  }
  template <class T>
  ENVPOOL_FN T* at(int field) const {
    return reinterpret_cast<T*>(static_cast<u8*>(fields[field]) + row * row_bytes[field]);
  }
};

// One row of the actions. Fields are numbered in the order of the spec's actions.
struct ActionRow {
  const void* const* fields;
  const i64* row_bytes;
  i64 row;

  template <class T, int kElements = 1>
  ENVPOOL_FN const T* at(int field) const {  // the first of the row's elements of a field
    return static_cast<const T*>(fields[field]) + row * kElements;
  }
  template <class T>
  ENVPOOL_FN const T* row_of(int field) const {  // the same, if options set the number of elements
    return reinterpret_cast<const T*>(static_cast<const u8*>(fields[field]) + row * row_bytes[field]);
  }
};

#endif

// The state of a multi-agent environment. Its size is fixed, except in the specialization, where options set it.
template <class Env>
struct World {
  typename Env::Shared shared;                  // one for all agents
  typename Env::Agent agent[Env::kMaxPlayers];  // one for each
};

template <class Env>
  requires(!requires { typename Env::Agent; })
struct World<Env> {
  alignas(16) typename Env::Shared shared;  // with several agents whose number options set

  ENVPOOL_FN void* extra() { return this + 1; }  // the extra_bytes() of the world
  ENVPOOL_FN const void* extra() const { return this + 1; }
};

// The state of an environment: its State, or World<Env> if it has several agents.
template <class Env>
struct StateFrom {
  using Type = World<Env>;
};
template <class Env>
  requires requires { typename Env::State; }
struct StateFrom<Env> {
  using Type = typename Env::State;
};
template <class Env>
using StateOf = typename StateFrom<Env>::Type;

template <class Env>
inline constexpr bool kHasLargeRows = requires { requires Env::kLargeRows; };

}  // namespace envpool
