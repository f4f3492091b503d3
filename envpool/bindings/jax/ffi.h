// SPDX-License-Identifier: Apache-2.0
//
// The part of XLA's foreign-function interface that our handlers use, as of API version 0.1. Later versions only append
// members, and every struct begins with its size, so one build works with every jaxlib since 0.4.31. XLA's own header
// would require jaxlib at build time, and would limit us to the jaxlibs that accept its version number.
// tests/jax/ffi_test.py compares the offsets with the header of the installed jaxlib.
#pragma once

#include <cstddef>
#include <cstdint>

namespace envpool::xla {

extern "C" {

struct Extension {
  size_t struct_size;
  int type;
  Extension* next;
};
constexpr int kMetadataExtension = 1;

struct Version {
  size_t struct_size;
  Extension* extensions;
  int major, minor;
};

// At registration, XLA requests the metadata by a call whose first extension is a MetadataExtension.
constexpr uint32_t kCommandBufferCompatible = 1;  // a trait: calls may be captured into a CUDA graph
struct Metadata {
  size_t struct_size;
  Version version;
  uint32_t traits;
};
struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

struct Error;
enum ErrorCode : int { kInvalidArgument = 3, kResourceExhausted = 8, kFailedPrecondition = 9, kInternal = 13 };
struct ErrorCreate {
  size_t struct_size;
  Extension* extensions;
  const char* message;
  ErrorCode code;
};

struct ErrorDestroy {
  size_t struct_size;
  Extension* extensions;
  Error* error;
};

struct ByteSpan {
  const char* data;
  size_t size;
};

// An executable can hold state for a handler. The type of that state is registered once.
struct TypeId {
  int64_t number;
};
struct TypeInfo {
  size_t struct_size;
  Extension* extensions;
  void (*deleter)(void* state);
};
struct TypeRegister {
  size_t struct_size;
  Extension* extensions;
  ByteSpan name;
  TypeId* id;
  const TypeInfo* info;  // since minor version 2
};

// Returns the stream of a call on a GPU. It fails on other platforms.
struct StreamGet {
  size_t struct_size;
  Extension* extensions;
  void* context;
  void* stream;
};

struct Api {
  size_t struct_size;
  Extension* extensions;
  Version version;
  const void* internal;
  Error* (*create_error)(ErrorCreate*);
  const void* get_message;
  void (*destroy_error)(ErrorDestroy*);
  const void* register_handler;
  Error* (*get_stream)(StreamGet*);
  Error* (*register_type)(TypeRegister*);
  const void* get_context;
  Error* (*set_state)(void*);  // of a StateSet, and since minor version 3 of a StagedStateSet
  Error* (*get_state)(void*);
};

enum DataType : int { kPred = 1, kS32 = 4, kS64 = 5, kU8 = 6, kU32 = 8, kF32 = 11, kF64 = 12 };

struct Buffer {
  size_t struct_size;
  Extension* extensions;
  DataType dtype;
  void* data;
  int64_t rank;
  int64_t* dims;
};

// The arguments or the results of a call.
struct Buffers {
  size_t struct_size;
  Extension* extensions;
  int64_t size;
  int* kinds;  // always 1, a buffer
  Buffer** data;
};

enum AttributeKind : int { kArray = 1, kScalar = 3 };
struct ScalarAttribute {
  DataType dtype;
  void* value;
};
struct ArrayAttribute {
  DataType dtype;
  size_t size;
  void* data;
};
struct Attributes {
  size_t struct_size;
  Extension* extensions;
  int64_t size;
  AttributeKind* kinds;
  ByteSpan** names;
  void** data;
};

enum Stage : int { kInstantiate = 0, kInitialize = 2, kExecute = 3 };

struct Call {
  size_t struct_size;
  Extension* extensions;
  const Api* api;
  void* context;
  Stage stage;
  Buffers arguments, results;
  Attributes attributes;
};

using Handler = Error*(Call*);

// Only these structs differ between versions. Minor versions 1 and 2 use StateSet and StateGet; since version 2 the
// deleter is part of the TypeInfo. Minor version 3 uses the staged ones.
struct StateSet {
  size_t struct_size;
  Extension* extensions;
  void* context;
  TypeId* type;
  void* state;
  void (*deleter)(void* state);
};
struct StateGet {
  size_t struct_size;
  Extension* extensions;
  void* context;
  TypeId* type;
  void* state;
};
struct StagedStateSet {
  size_t struct_size;
  Extension* extensions;
  void* context;
  Stage stage;
  TypeId* type;
  void* state;
};
struct StagedStateGet {
  size_t struct_size;
  Extension* extensions;
  void* context;
  Stage stage;
  TypeId* type;
  void* state;
};

}  // extern "C"

}  // namespace envpool::xla
