// SPDX-License-Identifier: Apache-2.0
//
// The one C table every environment reduces to, whatever contract it was written in. The pool, the bindings and every
// Python face know environments through this table alone, so a built-in family and a user's own compiled header are
// loaded by the same path. C types only: a table compiles in a tenth of a second and crosses compilers.
#pragma once

#include "envpool/core/types.h"

#define ENVPOOL_ABI 7

namespace envpool::abi {

extern "C" {

// Receives text (JSON or an error message) that the table produces.
struct Text {
  void (*put)(void* context, const char* text, i64 size);
  void* context;
};

enum Dtype : i32 { kBool = 0, kU8 = 1, kI32 = 2, kI64 = 3, kF32 = 4, kF64 = 5 };

// One array of the batch or of the actions: what of a spec the pool itself needs.
struct Field {
  const char* name;
  Dtype dtype;
  i32 per_player;
  i32 dimensions;
  const i64* shape;
  i64 row_bytes;                // of one environment's, or player's, row
  i64 discrete;                 // n > 0: integers 0..n-1
  const i64* counts = nullptr;  // where the elements differ in that: of each element; `discrete` is the largest
};

struct Layout {
  const Field* fields;  // observations and infos, in the order of the spec
  const Field* actions;
  i32 num_fields;
  i32 num_actions;
  i32 max_players;
  i32 render_height, render_width;
  // Models of one identity can share states: the same environment, arrays, players, size of a state, and blob.
  u64 identity = 0;
  // The memory that one environment takes, in bytes, of which a pool makes sure before it makes the environments.
  i64 env_bytes = 0;
};

enum OptionKind : i32 { kOptionBool = 0, kOptionInt = 1, kOptionReal = 2, kOptionText = 3 };

// One option's value. Text carries `size` bytes at `text` (a ROM image travels as text too).
struct Option {
  const char* name;
  OptionKind kind;
  i64 integer;  // kOptionBool, kOptionInt
  f64 real;     // kOptionReal
  const char* text;
  i64 size;
};

struct Options {
  const Option* data;
  i32 size;
};

// The fields every environment writes, in this order; its own observation and info fields follow.
enum CommonField : i32 {
  kReward,      // f32, per player
  kDiscount,    // f32, per player; 1 while the episode could go on, also when it is truncated
  kTerminated,  // u8
  kTruncated,   // u8
  kStepType,    // i32: 0 first, 1 mid, 2 last (dm_env)
  kEnvId,       // i32
  kElapsed,     // i32, steps since the reset
  kPlayers,     // i32, how many players this row holds
  kCommonFields
};

// A place to write one environment's results: `fields[f]` is the base of field f's array in the batch, `final_fields`
// the same for the last observation of an episode that ends and restarts in one step (null unless autoreset is
// same-step). Per-player fields start at row * max_players.
struct Rows {
  void* const* fields;
  void* const* final_fields;
  i32 row;
};

// One call's worth of work: `count` environments. In sync mode rows are given: environment k writes row rows.row + k.
// In async mode rows.fields is null and each environment claims a row when its results are ready, so that a slow
// environment never holds up a batch.
struct Work {
  const i32* env_ids;
  i32 count;
  const void* const* actions;  // actions[f]: one slot per (environment, player), at (env_id * max_players + player)
  Rows rows;
  Rows (*claim)(void* context, i32 env_id);
  void (*fail)(void* context, i32 env_id, const char* what);  // an exception inside the environment
  void* context;
};

enum Autoreset : i32 { kAutoresetNextStep = 0, kAutoresetSameStep = 1, kAutoresetDisabled = 2 };

// How a pool's environments are made; every array has num_envs entries.
struct Config {
  i32 num_envs;
  i32 max_players;
  Autoreset autoreset;
  void* const* models;           // environments may differ in options that do not change shapes
  const i32* max_episode_steps;  // 0: no limit
  const u64* seeds;
  const u32* streams;
};

enum Flags : u32 {
  kPortable = 1u,     // bounded time, no heap: the calling thread may step it, JAX and GPU can run it
  kCanSnapshot = 2u,  // save and load are there
  kCanRender = 4u,    // render is there
  kBounded = 8u,      // not portable, but never long at a step: the calling thread may step it all the same
};

// Rows of an operand of pure functions: row k is at data + k * stride, and a stride of 0 repeats one row.
struct Lane {
  const void* data;
  i64 stride;
};

// Where the randomness of a step comes from: what the state holds (the stream of its pool's environment), or a key
// given with the step, which the state then holds, with its stream or that of the row.
enum Keyed : i32 { kKeepKey = 0, kNewKey = 1, kNewKeyAndStream = 2 };

// One call of a pure function: `count` rows. Results are contiguous. Where there are several players, each row of
// reward, discount and of what is per player has max_players of them; those who are not there have zeros.
struct PureWork {
  i64 count;
  i64 first;  // number of the first row, for messages
  Keyed keyed;
  Lane keys;     // u32[2], most significant word first
  Lane streams;  // u32
  Lane params;
  Lane states;                 // of step
  const void* const* actions;  // of step: one array a field
  i32 one_action;              // actions hold one row, which is every row's
  u8* new_states;
  void* const* fields;  // of reset and of a step's end: the observation that comes next
  // The observation before a restart, where there is one; null: an ended episode stays where it is.
  void* const* final_fields;
  f32 *reward, *discount;
  u8 *terminated, *truncated;
  i32* elapsed;
  i32* players;  // of several: how many the step had
  u64 infos;     // a bit for each field of which final_fields take what the step led to in every row
};

// A portable environment as pure functions of states that the caller holds. Rows of states and parameters are opaque
// bytes, a multiple of 16 of them, and know what they are of: others are refused.
//
// A row of parameters that the caller holds has a head of 16 bytes, whose last 8 are a checksum of the row, and the
// values of the options. Nothing in it is trusted. `change_params` checks every value and writes a resolved row: the
// same row, followed by what the environment computes with. `reset` and `step` take resolved rows, which only `params`
// and `change_params` may have written.
struct Pure {
  i32 (*view)(Text json, Text error);  // named parts of a state: name, dtype, offset, count
  i64 (*state_bytes)(void* model);
  i64 (*params_bytes)(void* model);    // of a row of parameters that the caller holds
  i64 (*resolved_bytes)(void* model);  // of a resolved row
  i64 params_values;                   // where in a row of parameters the options' values are, a f64 each as declared
  // Writes the resolved row of the options of a model.
  i32 (*params)(void* model, const Options* options, i32 max_episode_steps, void* out, Text error);
  // Checks a row of parameters, which messages call `row`, and writes its resolved row with some options changed, by
  // number. `base` has the options of the model: texts without choices, which rows do not have, are taken from there.
  i32 (*change_params)(void* model, const void* params, i64 row, const Options* base, i32 count, const i32* options,
                       const f64* values, void* out, Text error);
  i32 (*reset)(void* model, const PureWork* work, Text error);
  i32 (*step)(void* model, const PureWork* work, Text error);
};

// What it takes to compile a portable environment for a device and to lay out its memory there. A slot is the
// environment's Episode and state (EnvSlot of episode.h), with the bytes that options add to the state.
struct Device {
  const char* header;  // that defines it, below a folder for includes; empty where the plugin does not say
  const char* type;    // in C++, such as envpool::tag::TagGridWorld
  i32 world;           // 1: of several players; 0: of one
  i64 state_at;        // in a slot
  i64 state_bytes;     // without what options add
  i64 params_bytes;
  // Where in the parameters the pointer to the blob is, and one that only the host can follow; -1: there is none.
  i64 blob_at, kept_at;
  i64 (*stride)(void* model);          // bytes of a slot, a multiple of 16
  i32 (*view)(Text json, Text error);  // named parts of a slot: name, dtype, offset, count
  const void* (*params)(void* model);
  const void* (*blob)(void* model, i64* bytes);
};

// The status that functions which can fail return. With kFailed they have put a message into `error`; with kNoMemory
// they could not, or the failure was std::bad_alloc.
enum Status : i32 { kDone = 0, kFailed = 1, kNoMemory = 2 };

struct Table {
  u32 abi;
  u32 flags;
  const char* name;
  i32 (*describe)(Text json, Text error);                                 // options with defaults and meaning
  i32 (*spec)(const Options* options, Text json, Text error);             // fields with dtype, shape, bounds
  i32 (*model_create)(const Options* options, void** model, Text error);  // what a pool's environments share
  void (*model_destroy)(void* model);
  const Layout* (*layout)(void* model);  // lives as long as the model
  i32 (*create)(const Config* config, void** envs, Text error);
  void (*destroy)(void* envs);
  void (*seed)(void* envs, i32 env_id, u64 seed, u32 stream);  // takes effect at the next reset
  void (*reset)(void* envs, const Work* work);
  void (*step)(void* envs, const Work* work);
  i64 (*save_size)(void* envs, i32 env_id);
  i32 (*save)(void* envs, i32 env_id, void* out, Text error);
  // A state is the user's input: whatever the bytes are, load either fails or leaves a state that is safe to step.
  i32 (*load)(void* envs, i32 env_id, const void* data, i64 size, Text error);
  i32 (*render)(void* envs, i32 env_id, u8* rgb, Text error);  // (height, width, 3) as the spec's "render" says
  const Pure* pure;                                            // null: not portable
  const Device* device;                                        // null: not portable
};

struct Plugin {
  u32 abi;
  i32 size;
  const Table* const* tables;
};

// The one symbol a plugin exports, as `envpool_plugin`.
using PluginEntry = const Plugin* (*)();

}  // extern "C"

}  // namespace envpool::abi
