// SPDX-License-Identifier: Apache-2.0
//
// XLA's foreign-function interface as far as our handlers use it: what a call frame holds at API version 0.1. Later
// versions only append, and every struct begins with its size, so that one build runs under each jaxlib since 0.4.31;
// XLA's own header would ask for a jaxlib at build time, and bind us to the versions that accept its number.
// A test compares the offsets with the header of the installed jaxlib.
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

// XLA asks for it once, at registration: a call whose first extension is a MetadataExtension.
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

struct Api {
  size_t struct_size;
  Extension* extensions;
  Version version;
  const void* internal;
  Error* (*create_error)(ErrorCreate*);
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

struct Buffers {  // of arguments and of results
  size_t struct_size;
  Extension* extensions;
  int64_t size;
  int* kinds;  // 1: a buffer, the only kind there is
  Buffer** data;
};

struct Text {
  const char* data;
  size_t size;
};
enum AttributeKind : int { kArray = 1, kScalar = 3 };
struct Scalar {
  DataType dtype;
  void* value;
};
struct Array {
  DataType dtype;
  size_t size;
  void* data;
};
struct Attributes {
  size_t struct_size;
  Extension* extensions;
  int64_t size;
  AttributeKind* kinds;
  Text** names;
  void** data;
};

enum Stage : int { kExecute = 3 };

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

}  // extern "C"

}  // namespace envpool::xla
