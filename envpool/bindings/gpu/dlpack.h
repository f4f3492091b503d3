// SPDX-License-Identifier: Apache-2.0
//
// The structs of DLPack 1.x (https://dmlc.github.io/dlpack), a protocol for sharing arrays between libraries. Only the
// parts that arrays on a GPU need are declared.
#pragma once

#include <cstdint>

namespace envpool::dlpack {

enum DeviceType : std::int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };
enum Code : std::uint8_t { kInt = 0, kUint = 1, kFloat = 2, kBool = 6 };

struct Device {
  DeviceType type;
  std::int32_t id;
};

struct DataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: contiguous
  std::uint64_t byte_offset;
};

// The content of a capsule named "dltensor", which the consumer renames to "used_dltensor".
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

struct Version {
  std::uint32_t major, minor;
};

// The equivalent since version 1, in a capsule named "dltensor_versioned".
struct ManagedVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};

inline constexpr Version kVersion{1, 0};
inline constexpr std::uint64_t kReadOnly = 1;

}  // namespace envpool::dlpack
