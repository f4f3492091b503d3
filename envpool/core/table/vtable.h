// SPDX-License-Identifier: Apache-2.0
//
// The C table of functions to which every environment compiles, whichever contract it is written in. The pool, the
// bindings and the Python APIs access environments only through this table, so built-in families and users' compiled
// headers are loaded in the same way. It uses only C types, so plugins may be built by another compiler.
#pragma once

#include "envpool/core/types.h"

#define ENVPOOL_ABI 15

namespace envpool::abi {

extern "C" {

// Receives text from a table function: JSON, or an error message.
struct TextSink {
  void (*put)(void* context, const char* text, i64 size);
  void* context;
};

enum Dtype : i32 { kBool = 0, kU8 = 1, kI32 = 2, kI64 = 3, kF32 = 4, kF64 = 5 };

// One array of the results or of the actions: the part of its spec that the pool needs.
struct Field {
  const char* name;
  Dtype dtype;
  i32 per_player;
  i32 dimensions;
  const i64* shape;
  i64 row_bytes;                // of the row of one environment or player
  i64 discrete;                 // n > 0: integers 0..n-1
  const i64* counts = nullptr;  // per element, if they differ; `discrete` is then the largest
};

// Bytes of a saved state that usually equal those `distance` bytes before them, such as the rows of an image.
struct Repetition {
  i64 at, bytes, distance;
};
inline constexpr i64 kLeftOut = -1;  // the distance of bytes that snapshots leave out; they are 0 after a restore

struct Layout {
  const Field* fields;  // observations and infos, in the order of the spec
  const Field* actions;
  i32 num_fields;
  i32 num_actions;
  i32 max_players;
  i32 render_height, render_width;
  // A hash of everything that decides whether models can exchange states: environment, arrays, players, size of a
  // state, blob, and the environment's own identity().
  u64 identity = 0;
  // The memory of one environment in bytes. A pool checks that all environments fit before it creates them.
  i64 env_bytes = 0;
  // Snapshots contain only the differences in these bytes. They are in the order of their places and do not overlap. If
  // there are none, a snapshot contains the state as it is.
  const Repetition* repetitions = nullptr;
  i32 num_repetitions = 0;
};

enum OptionKind : i32 { kOptionBool = 0, kOptionInt = 1, kOptionReal = 2, kOptionText = 3 };

// The value of one option. A text has `size` bytes at `text`, and may be binary, such as a ROM image. An option that is
// an array has `size` numbers at `numbers`, in row-major order, whatever its kind.
struct Option {
  const char* name;
  OptionKind kind;
  i64 integer;  // kOptionBool, kOptionInt
  f64 real;     // kOptionReal
  const char* text;
  i64 size;
  const f64* numbers = nullptr;  // null: not an array
};

struct Options {
  const Option* data;
  i32 size;
};

// The fields that every environment has, in this order. Its own observation and info fields follow.
enum CommonField : i32 {
  kReward,      // f32, per player
  kDiscount,    // f32, per player; 0 if the episode terminated, else usually 1, even if it was truncated
  kTerminated,  // u8
  kTruncated,   // u8
  kStepType,    // i32: 0 first, 1 mid, 2 last (dm_env)
  kEnvId,       // i32
  kElapsed,     // i32: steps since the reset
  kPlayers,     // i32: number of players in this row
  kCommonFields
};

// Rows of a batch into which results are written. `fields[f]` is the base of field f's array, `final_fields` the same
// for the last observations of episodes that end (null unless autoreset is same-step). In the array of a per-player
// field, a row has max_players entries.
struct ResultRows {
  void* const* fields;
  void* const* final_fields;
  i32 row;
};

// The arguments of reset and step for `count` environments. In synchronous mode, environment k writes row rows.row + k.
// In asynchronous mode, rows.fields is null and each environment claims a row when its results are ready, so that a
// slow environment does not delay a batch.
struct Work {
  const i32* env_ids;
  i32 count;
  const void* const* actions;  // actions[f] has a row per environment and player, at env_id * max_players + player
  ResultRows rows;
  ResultRows (*claim)(void* context, i32 env_id);
  void (*fail)(void* context, i32 env_id, const char* what);  // reports an exception
  void* context;
  // Environments that wait for another process call this before they wait, and every 50 ms. It publishes the row that
  // was claimed last, and returns whether the pool is closing.
  bool (*pause)(void* context);
};

enum Autoreset : i32 { kAutoresetNextStep = 0, kAutoresetSameStep = 1, kAutoresetDisabled = 2 };

// The arguments of create. Every array has num_envs entries.
struct Config {
  i32 num_envs;
  i32 max_players;
  Autoreset autoreset;
  void* const* models;           // may differ in options that do not change shapes
  const i32* max_episode_steps;  // 0: no limit
  const u64* seeds;
  const u32* streams;
};

enum Flags : u32 {
  kPortable = 1u,     // bounded steps, no heap: callers may step it, and it runs in JAX and on GPUs
  kCanSnapshot = 2u,  // has save and load
  kCanRender = 4u,    // has render
  kBounded = 8u,      // not portable, but steps are short: callers may step it
  kDelegated = 32u,   // other processes run the steps, and threads of the pool only wait for them
  kGrouped = 64u,     // steps several at once: a thread takes kGroupSize if there are enough for all threads
  kMayThrow = 16u,    // portable, and its exceptions are reported; those of other environments always are
};

// The largest number of environments that are stepped together.
inline constexpr i32 kGroupSize = 8;

// The rows of an operand of a pure function. Row k is at data + k * stride; a stride of 0 repeats one row.
struct StridedRows {
  const void* data;
  i64 stride;
};

// The source of a step's randomness: the key and stream in the state, a new key with the stream in the state, or a new
// key and stream. The new ones replace those in the state.
enum Keyed : i32 { kKeepKey = 0, kNewKey = 1, kNewKeyAndStream = 2 };

// An option that can change from episode to episode and, if the environment is portable, from row to row of a call of a
// pure function. Its value is a number or an array. Numbers are from `low` to `high`; those of kOptionText are the
// numbers of choices.
struct Tunable {
  const char* name;
  OptionKind kind;
  Dtype dtype;  // of the number, or of the elements
  i64 at;       // the offset of the member of Params that has the value; not portable: the number of elements before it
  f64 low, high;
  i32 dimensions;  // of an array; 0: a number
  i32 elements;    // 1: a number
  const i64* shape = nullptr;
  i32 one_in = 1;  // of an array: Params have the first of each so many elements; nothing reads the others, which are 0
};

// The values of an option in the rows of a call. Row k is at data + k * stride; a stride of 0 repeats one value. The
// elements of an array are contiguous.
struct OptionColumn {
  const void* data;
  i64 stride;
  i32 number;  // in Table::tunables, or kTimeLimit
  Dtype dtype;
};
inline constexpr i32 kTimeLimit = -1;  // max_episode_steps, which the engine itself applies

// The arguments of a pure function for `count` rows. Results are contiguous. With several players, each row of reward,
// discount and of a per-player field has max_players entries; the entries of absent players are zero.
struct PureWork {
  i64 count;
  i64 first;  // number of the first row, for error messages
  Keyed keyed;
  StridedRows keys;     // u32[2], most significant word first
  StridedRows streams;  // u32
  // The options with other values than the model's, and the time limit if `options` does not have it.
  const OptionColumn* options;
  i32 num_options;
  i32 max_episode_steps;
  // The same for the episodes that begin after a step. Null: they have the options above.
  const OptionColumn* next_options;
  i32 num_next_options;
  StridedRows states;          // of step
  const void* const* actions;  // of step: one array per field
  i32 broadcast_action;        // actions has a single row, which applies to all rows
  u8* new_states;
  void* const* fields;  // the observations after the reset or step (after a restart, if there was one)
  // The last observations of episodes that end, which then restart. Null: no restarts; an episode stays over.
  void* const* final_fields;
  f32 *reward, *discount;
  u8 *terminated, *truncated;
  i32* elapsed;
  i32* players;  // with several players: their number during the step
  u64 infos;     // a bit for each info field; these are written to final_fields in every row
};

// A portable environment as pure functions of states that the caller holds. Rows of states are opaque; their size is a
// multiple of 16 bytes, and a tag identifies their model, so rows of other models are rejected. Every value of an
// option is checked when it is used.
struct Pure {
  i32 (*view)(TextSink json, TextSink error);  // named parts of a state: name, dtype, offset, count
  i64 (*state_bytes)(void* model);
  i32 (*reset)(void* model, const PureWork* work, TextSink error);
  i32 (*step)(void* model, const PureWork* work, TextSink error);
};

// Describes how to compile a portable environment for a device and to lay out its memory there. A slot is an EnvSlot
// (episode.h) followed by the environment's extra bytes.
struct Device {
  const char* header;   // the environment's header, relative to an include directory; empty if the plugin names none
  const char* type;     // the C++ type, such as envpool::tag::TagGridWorld
  i32 world;            // 1: several players; 0: one
  i32 large_rows;       // 1: kernels write the rows of a warp together (device_rows.h); 0: each lane writes its own
  i32 has_extra_bytes;  // 1: the environment declares extra_bytes, which kernels do not see if it is declared for the
                        // host
  i64 state_at;         // offset in a slot
  i64 state_bytes;      // without extra bytes
  i64 params_bytes;
  // The offsets in Params of the pointer to the blob, and of the pointer `native`, which is valid only on the host; -1:
  // none.
  i64 blob_at, native_at;
  i64 (*stride)(void* model);                  // bytes of a slot, a multiple of 16
  i32 (*view)(TextSink json, TextSink error);  // named parts of a slot: name, dtype, offset, count
  const void* (*params)(void* model);
  const void* (*blob)(void* model, i64* bytes);
  // Changes options in copies of Params and of the time limit, as Table::set_options does. The pointers in Params must
  // be the host's. Changes nothing if it fails.
  i32 (*change_options)(void* params, i32* max_episode_steps, i32 env_id, const i32* options, i32 num_options,
                        const f64* values, TextSink error);
  // Writes the values of all options, as Table::get_options does.
  void (*read_options)(const void* params, i32 max_episode_steps, f64* values);
  // Lets an environment of a pool on the host have these Params from now on. They are copied.
  i32 (*use_params)(void* envs, i32 env_id, const void* params, i32 max_episode_steps, TextSink error);
};

// The result of functions that can fail. kFailed: the message was written to `error`. kNoMemory: std::bad_alloc was
// thrown, possibly while writing the message.
enum Status : i32 { kDone = 0, kFailed = 1, kNoMemory = 2 };

struct Table {
  u32 abi;
  u32 flags;
  const char* name;
  i32 (*describe)(TextSink json, TextSink error);                      // options with defaults and docs
  i32 (*spec)(const Options* options, TextSink json, TextSink error);  // fields with dtype, shape, bounds
  i32 (*model_create)(const Options* options, void** model,
                      TextSink error);  // the data that a pool's environments share
  void (*model_destroy)(void* model);
  const Layout* (*layout)(void* model);  // lives as long as the model
  i32 (*create)(const Config* config, void** envs, TextSink error);
  void (*destroy)(void* envs);
  void (*seed)(void* envs, i32 env_id, u64 seed, u32 stream);  // takes effect at the next reset
  void (*reset)(void* envs, const Work* work);
  void (*step)(void* envs, const Work* work);
  i64 (*save_size)(void* envs, i32 env_id);
  i32 (*save)(void* envs, i32 env_id, void* out, TextSink error);
  // A state is user input. For any bytes, load either fails or makes a state that is safe to step.
  i32 (*load)(void* envs, i32 env_id, const void* data, i64 size, TextSink error);
  i32 (*render)(void* envs, i32 env_id, u8* rgb, TextSink error);  // (render_height, render_width, 3)
  // Writes the current observation and info of an environment that has been reset into row rows->row.
  i32 (*observe)(void* envs, i32 env_id, const ResultRows* rows, TextSink error);
  // Passes options, in a form that only the environment knows, to the next reset of an environment. Null: it takes
  // none.
  i32 (*reset_options)(void* envs, i32 env_id, const void* data, i64 size, TextSink error);
  // Returns the options that can change from episode to episode, in the order of their declaration. The list lives as
  // long as the model. Null: the options of these environments cannot change.
  i32 (*tunables)(void* model, const Tunable** list, i32* count, TextSink error);
  // Sets options of `count` environments from their next episodes on. `options` has numbers in `tunables`, or
  // kTimeLimit. `values` has a row for each environment, with all elements of each of these options. Changes nothing if
  // it fails. Null if `tunables` is.
  i32 (*set_options)(void* envs, const i32* env_ids, i32 count, const i32* options, i32 num_options, const f64* values,
                     TextSink error);
  // Writes the options with which an environment runs: the time limit, and then all elements of those of `tunables`.
  void (*get_options)(void* envs, i32 env_id, f64* values);
  // Tells the environments that the pool is closing: steps and resets that wait for something outside this process
  // must then fail soon. Any thread may call it at any time before destroy. Null: no environment waits.
  void (*cancel)(void* envs);
  const char* no_snapshots;  // why snapshots are not supported; null: no reason is given
  const Pure* pure;          // null: not portable
  const Device* device;      // null: not portable
};

struct Plugin {
  u32 abi;
  i32 size;
  const Table* const* tables;
};

// The type of the only symbol that a plugin exports, `envpool_plugin`.
using PluginEntry = const Plugin* (*)();

}  // extern "C"

}  // namespace envpool::abi
