// SPDX-License-Identifier: Apache-2.0
//
// The three contracts an environment can be written in. Each reduces to the same C table (vtable.h).
//
// Portable: plain data and pure functions. Runs on the pool, in JAX and on a GPU, bit for bit the same.
//
//   struct CartPole {
//     static constexpr const char* kName = "CartPole";
//     struct Params { ... };                                      // trivially copyable; resolved options
//     struct State { ... };                                       // trivially copyable; all that changes
//     static void options(OptionSpecs&);                          // host: keywords of make(), defaults, meaning
//     static Params params(const OptionValues&);                  // host: may throw std::invalid_argument
//     static void spec(const Params&, Spec&);                     // host: arrays with dtype, shape, bounds
//     ENVPOOL_FN static void reset(State&, const Params&, Rng&);
//     ENVPOOL_FN static Outcome step(State&, const Params&, ActionRow, Rng&);
//     ENVPOOL_FN static void observe(const State&, const Params&, Row);
//     // optional:
//     static i64 extra_bytes(const Params&);                      // bytes that follow State, its size set by options
//     static Blob blob(const OptionValues&);                      // immutable, shared; its address is Params::blob
//                                                                 // (and of what it keeps, if declared, Params::kept)
//     static void render(const State&, const Params&, u8* rgb);   // host: (height, width, 3)
//     static void state_parts(StateParts<State>&);                // host: parts that JAX's states show by name
//     ENVPOOL_FN static void repair(State&, const Params&);       // see below
//     static u64 identity(const Params&);                         // host: of options that states depend on, see below
//     kLanes, step_lanes, observe_lanes                           // four at a time, see lanes.h
//     template <class Draws> step(..., Draws&)                    // its first words come drawn, see draws.h
//   };
//
// Multi-agent portable: the same with a world of agents that act in phases. Between phases there is a barrier, within
// one there is none: an agent may write only itself. On a GPU a block is a world and a thread an agent; on a CPU,
// loops.
//
//   struct Tag {
//     static constexpr i32 kMaxPlayers = 100, kPhases = 2;
//     struct Shared { ... };  struct Agent { ... };               // World<Tag> holds one Shared and kMaxPlayers Agents
//     ... options, params, spec as above (Spec::max_players is kMaxPlayers, unless spec() makes it less) ...
//     ENVPOOL_FN static void reset(World<Tag>&, const Params&, Rng&);
//     ENVPOOL_FN static i32 players(const World<Tag>&);           // 0..kMaxPlayers, may change at a reset
//     template <int kPhase>
//     ENVPOOL_FN static void phase(World<Tag>&, i32 agent, const Params&, ActionRow, Rng&);
//     ENVPOOL_FN static Outcome finish(World<Tag>&, const Params&, Rng&);   // after the phases; its reward is unused
//     ENVPOOL_FN static f32 reward(const World<Tag>&, i32 agent);
//     ENVPOOL_FN static void observe(const World<Tag>&, const Params&, i32 agent, Row);  // per-player fields
//     ENVPOOL_FN static void observe_world(const World<Tag>&, const Params&, Row);       // the others
//     // optional, instead of struct Agent, where options say how many agents there are:
//     static i64 extra_bytes(const Params&);                      // bytes that follow World: World::extra()
//     // optional:
//     static void state_parts(StateParts<Shared>&);               // host: parts that JAX's states show by name
//     ENVPOOL_FN static void repair(World<Tag>&, const Params&);  // see below
//     static u64 identity(const Params&);                         // host: of options that states depend on, see below
//   };
//
// A state is user input. pool.restore takes any bytes of the right size, and JAX's callers set parts of states to any
// values. `repair` is called for such a state before it is stepped, observed or rendered, in JAX at every step: it
// brings every index, count, position and bool whose value could cause undefined behaviour into its range (repair.h has
// what that takes), and changes nothing in a state that reset and step have made. What is only computed with needs no
// repair. A state is accepted where the environment, its arrays, players, size and blob are the same; if that leaves
// options under which the same bytes mean something else, `identity` returns a number that differs between them.
//
// Host: an object with a heap, and perhaps a library, inside. Runs on the pool. Whatever it throws reaches recv() as a
// Python exception that names the environment.
//
//   class Ant {
//    public:
//     static constexpr const char* kName = "Ant";
//     struct Params { ... };                                      // anything copyable; shared by a pool's environments
//     ... options, params, spec as above ...
//     explicit Ant(const Params&, i32 env_id);
//     void reset(Rng&);
//     Outcome step(ActionRow, Rng&);
//     void observe(Row);
//     // optional: i64 save_size(); void save(void*); void load(const void*, i64); void render(u8* rgb);
//     // load() checks what it is given, as the bytes may be any, and throws std::invalid_argument("state: ...")
//     static u64 identity(const Params&);                         // optional, as above: of a model, of a map
//     static i64 heap_bytes(const Params&);                       // optional: the bytes that an object allocates,
//                                                                 // beside its own; make() refuses what cannot fit
//     // optional, of short steps: the calling thread may do them, which is cheaper than to wake another; Ctrl-C waits
//     static constexpr bool kBounded = true;
//   };
#pragma once

#include "envpool/core/types.h"

namespace envpool {

// What a step brought. The engine adds the time limit, and sets the discount to 0 when the episode terminated.
struct Outcome {
  f32 reward = 0;
  bool terminated = false;
  bool truncated = false;
  f32 discount = 1;
};

// One environment's (or player's) row in arrays of the batch. at<T>(field) with the element count of a row known at
// compile time costs a multiplication less than with it looked up.
struct Row {
  void* const* fields;
  const i64* row_bytes;
  i64 row;

  template <class T, int kElements>
  ENVPOOL_FN T* at(int field) const {
    return static_cast<T*>(fields[field]) + row * kElements;
  }
  template <class T>
  ENVPOOL_FN T* at(int field) const {
    return reinterpret_cast<T*>(static_cast<u8*>(fields[field]) + row * row_bytes[field]);
  }
};

// The same for what the agent sent; fields are the spec's actions in order.
struct ActionRow {
  const void* const* fields;
  const i64* row_bytes;
  i64 row;

  template <class T, int kElements = 1>
  ENVPOOL_FN const T* at(int field) const {
    return static_cast<const T*>(fields[field]) + row * kElements;
  }
  template <class T>
  ENVPOOL_FN const T* row_of(int field) const {
    return reinterpret_cast<const T*>(static_cast<const u8*>(fields[field]) + row * row_bytes[field]);
  }
};

template <class Env>
struct World {
  typename Env::Shared shared;
  typename Env::Agent agent[Env::kMaxPlayers];
};

template <class Env>
  requires(!requires { typename Env::Agent; })
struct World<Env> {
  alignas(16) typename Env::Shared shared;

  ENVPOOL_FN void* extra() { return this + 1; }
  ENVPOOL_FN const void* extra() const { return this + 1; }
};

// What changes in an environment of one player, or of several.
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

}  // namespace envpool
