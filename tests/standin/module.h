// SPDX-License-Identifier: Apache-2.0
//
// The interface between the stand-in for the CUDA driver (modules.cc) and a translated module (threads.h, ptx.py), in
// the common subset of C and C++. A device address has a tag in its upper 16 bits, the number of a slot in the next 16,
// and an offset in the lower 32. Because of the tag, the host cannot dereference such an address.
#ifndef TESTS_STANDIN_MODULE_H_
#define TESTS_STANDIN_MODULE_H_

#include <stdint.h>

enum { kTag = 0x00DE, kSlots = 1 << 16, kNoSlot = 0, kSharedSlot = 1, kLocalSlot = 2, kFirstSlot = 3 };
enum {  // values of CUresult
  kIllegalAddress = 700,
  kTimeout = 702,
  kAssert = 710,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kLaunchFailed = 719
};

// A range of 4 GiB of device addresses: its memory on the host, and the number of valid bytes.
typedef struct {
  uint8_t* host;
  uint64_t bytes;
} Slot;

// The sums that sectors.h computes over the launches of kernels. A request is one instruction of a warp that accesses
// memory. `Bytes` counts each byte once per launch,
// except bytes that are only read by loads marked .nc. A request to shared memory takes as many cycles as the most
// words that it accesses in one of the 32 banks.
typedef enum {
  kLoadRequests,
  kLoadSectors,
  kLoadBytes,
  kStoreRequests,
  kStoreSectors,
  kStoreBytes,
  kSharedRequests,
  kSharedCycles,
  kTrafficCounts
} TrafficCount;

typedef struct {
  Slot* slots;              // the slots of the context
  int flat;                 // whether addresses without a tag are valid host addresses
  uint8_t** parameters;     // the kernel's arguments
  const uint64_t* globals;  // device addresses of the module's variables
  uint32_t grid[3], block[3];
  uint32_t dynamic_bytes;  // shared memory in addition to the bytes that the kernel declares
  char fault[512];         // description of the failure
  uint64_t* traffic;       // kTrafficCounts sums to which sectors.h adds; otherwise unused
} Launch;

typedef struct {
  const char* name;
  int (*launch)(Launch* launch);  // returns a CUresult
  const uint32_t* parameter_bytes;
  uint32_t parameters, shared_bytes, local_bytes, max_threads;
} ModuleKernel;

typedef struct {
  uint64_t at;
  uint32_t variable;
  int64_t offset;
} ModulePointer;  // the address of a variable within the initial value of another variable

typedef struct {
  const char* name;
  uint64_t bytes;
  const void* initial;  // null: zeros
  const ModulePointer* pointers;
  uint32_t pointer_count;
} ModuleVariable;

typedef struct {
  const ModuleKernel* kernels;
  const ModuleVariable* variables;
  uint32_t kernel_count, variable_count;
} ModuleTable;  // the type of `module_table`, which the shared object exports

#endif  // TESTS_STANDIN_MODULE_H_
