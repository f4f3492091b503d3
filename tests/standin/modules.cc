// SPDX-License-Identifier: Apache-2.0
//
// Loads modules, and launches their kernels.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "libcuda.h"
#include "loader.h"

using namespace standin;

namespace {

// --- modules ---

std::string refusal_of_image(const void* image, int* code) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  *code = kNoBinaryForGpu;
  if (std::memcmp(bytes,
                  "\x7f"
                  "ELF",
                  4) == 0)
    return "the stand-in runs PTX, not machine code of a GPU";
  if (std::memcmp(bytes, "\x50\xed\x55\xba", 4) == 0) return "the stand-in runs PTX, not a fat binary";
  *code = kInvalidImage;
  return std::strstr(static_cast<const char*>(image), ".version") == nullptr ? "expected PTX" : "";
}

void unload(Module* module) {
  machine->functions.remove_if([&](const Function& function) { return function.module == module; });
  for (const u64 address : module->globals) machine->release(address);
  machine->modules.remove(module->handle);
}

int load_module(Context& context, const char* image, void** out, std::string* log) {
  if (image == nullptr || out == nullptr) return kInvalidValue;
  int code = kSuccess;
  *log = refusal_of_image(image, &code);
  if (!log->empty()) return code;
  const Loaded loaded = load(image, machine->mode);
  *log = loaded.refusal;
  if (loaded.table == nullptr) return kInvalidPtx;
  Module* module = machine->modules.find(machine->modules.add(std::make_unique<Module>()));
  module->context = &context;
  module->table = loaded.table;
  for (u32 i = 0; i < loaded.table->variable_count; ++i) {
    const ModuleVariable& variable = loaded.table->variables[i];
    Allocation* memory = nullptr;
    if (const int failed = machine->allocate(&context, variable.bytes, /*pinned_memory=*/false, &memory);
        failed != kSuccess) {
      unload(module);
      return failed;
    }
    if (variable.initial != nullptr) {
      std::memcpy(memory->host, variable.initial, variable.bytes);
    } else {
      std::memset(memory->host, 0, variable.bytes);
    }
    module->globals.push_back(memory->address);
  }
  for (u32 i = 0; i < loaded.table->variable_count; ++i) {
    const ModuleVariable& variable = loaded.table->variables[i];
    for (u32 j = 0; j < variable.pointer_count; ++j) {
      const ModulePointer& pointer = variable.pointers[j];
      const u64 value = module->globals[pointer.variable] + static_cast<u64>(pointer.offset);
      std::memcpy(machine->owner(module->globals[i])->host + pointer.at, &value, sizeof(value));
    }
  }
  *out = module->handle;
  return kSuccess;
}

// Writes the log to the buffer that the options name, if any. The values of options are pointers or numbers.
void write_log(const std::string& log, u32 count, const int* options, void** values) {
  constexpr int kErrorLog = 5, kErrorLogBytes = 6;
  char* buffer = nullptr;
  u64 room = 0;
  for (u32 i = 0; i < count; ++i) {
    if (options[i] == kErrorLog) buffer = static_cast<char*>(values[i]);
    if (options[i] == kErrorLogBytes) room = address_of(values[i]) & 0xFFFFFFFF;
  }
  if (buffer == nullptr || room == 0) return;
  const u64 bytes = std::min<u64>(log.size(), room - 1);
  std::memcpy(buffer, log.data(), bytes);
  buffer[bytes] = '\0';
}

// --- launches ---

// Copies of a kernel's arguments, made when it is launched.
using Values = std::vector<std::vector<u8>>;

bool read_parameters(const ModuleKernel& kernel, void** parameters, Values* values) {
  if (kernel.parameters > 0 && parameters == nullptr) return false;
  for (u32 i = 0; i < kernel.parameters; ++i) {
    const auto* value = static_cast<const u8*>(parameters[i]);
    if (value == nullptr) return false;
    values->emplace_back(value, value + kernel.parameter_bytes[i]);
    values->back().resize((values->back().size() + 31) / 16 * 16);  // a vector load may read past the end
  }
  return true;
}

int run(Context* context, const ModuleKernel* kernel, const std::vector<u64>& globals, Launch launch, Values values) {
  std::vector<u8*> places;
  for (auto& value : values) places.push_back(value.data());
  launch.slots = context->slots.get();
  launch.flat = machine->flat();
  launch.traffic = machine->traffic;
  launch.parameters = places.data();
  launch.globals = globals.data();
  const int code = kernel->launch(&launch);
  if (code != kSuccess) machine->fault = std::string(kernel->name) + ": " + launch.fault;
  return code;
}

bool fits(const Function& function, const u32* grid, const u32* block, u32 dynamic_bytes) {
  const u64 threads = u64{block[0]} * block[1] * block[2], blocks = u64{grid[0]} * grid[1] * grid[2];
  if (threads == 0 || blocks == 0 || block[0] > 1024 || block[1] > 1024 || block[2] > 64) return false;
  if (grid[0] > 0x7FFFFFFF || grid[1] > 65535 || grid[2] > 65535) return false;
  if (threads > Machine::kMostThreads || threads > function.kernel->max_threads) return false;
  const u64 shared = u64{function.kernel->shared_bytes} + dynamic_bytes;
  return shared <= Machine::kSharedBytes ||
         (dynamic_bytes <= function.dynamic_limit && shared <= Machine::kSharedOptin);
}

}  // namespace

// --- modules ---

API cuModuleLoadDataEx(void** module, const void* image, u32 count, int* options, void** values) {
  return outside_captures([&](Context& context) {
    if (const int failed = machine->injected_failure(); failed != kSuccess) return failed;
    std::string log;
    const int code = load_module(context, static_cast<const char*>(image), module, &log);
    if (!log.empty()) machine->fault = log;
    write_log(log, count, options, values);
    return code;
  });
}

API cuModuleLoadData(void** module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

API cuModuleUnload(void* module) {
  return outside_captures([&](Context& context) -> int {
    Module* found = machine->modules.find(module);
    if (found == nullptr) return kInvalidHandle;
    machine->finish(&context);
    unload(found);
    return context.error;
  });
}

API cuModuleGetFunction(void** function, void* module, const char* name) {
  return within([&](Context&) -> int {
    Module* found = machine->modules.find(module);
    if (found == nullptr) return kInvalidHandle;
    for (u32 i = 0; i < found->table->kernel_count; ++i) {
      const ModuleKernel* kernel = &found->table->kernels[i];
      if (std::strcmp(kernel->name, name) != 0) continue;
      auto made = std::make_unique<Function>();
      made->module = found;
      made->kernel = kernel;
      *function = machine->functions.add(std::move(made));
      return kSuccess;
    }
    return kNotFound;
  });
}

API cuModuleGetGlobal_v2(u64* address, u64* bytes, void* module, const char* name) {
  return within([&](Context&) -> int {
    Module* found = machine->modules.find(module);
    if (found == nullptr) return kInvalidHandle;
    for (u32 i = 0; i < found->table->variable_count; ++i) {
      const ModuleVariable& variable = found->table->variables[i];
      if (std::strcmp(variable.name, name) != 0) continue;
      if (address != nullptr) *address = found->globals[i];
      if (bytes != nullptr) *bytes = variable.bytes;
      return kSuccess;
    }
    return kNotFound;
  });
}

API cuFuncGetAttribute(int* value, int attribute, void* function) {
  return within([&](Context&) -> int {
    const Function* found = machine->functions.find(function);
    if (found == nullptr) return kInvalidHandle;
    switch (attribute) {
      case 0: return *value = static_cast<int>(found->kernel->max_threads), kSuccess;
      case 1: return *value = static_cast<int>(found->kernel->shared_bytes), kSuccess;
      case 3: return *value = static_cast<int>(found->kernel->local_bytes), kSuccess;
      case 5:
      case 6: return *value = 80, kSuccess;
      case 8: return *value = static_cast<int>(found->dynamic_limit), kSuccess;
      default: return *value = 0, attribute < 0 || attribute > 15 ? kInvalidValue : kSuccess;
    }
  });
}

API cuFuncSetAttribute(void* function, int attribute, int value) {
  return within([&](Context&) -> int {
    Function* found = machine->functions.find(function);
    if (found == nullptr) return kInvalidHandle;
    const u64 wanted = static_cast<u64>(value) + found->kernel->shared_bytes;
    if (attribute == 8 && (value < 0 || wanted > Machine::kSharedOptin)) return kInvalidValue;
    if (attribute == 8) found->dynamic_limit = static_cast<u32>(value);
    return attribute == 8 || attribute == 9 ? kSuccess : kInvalidValue;
  });
}

API cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads, u64 dynamic_bytes) {
  return within([&](Context&) -> int {
    const Function* found = machine->functions.find(function);
    if (found == nullptr) return kInvalidHandle;
    const u32 one[] = {1, 1, 1}, block[] = {static_cast<u32>(threads), 1, 1};
    *blocks = threads > 0 && fits(*found, one, block, static_cast<u32>(dynamic_bytes))
                  ? static_cast<int>(Machine::kResidentThreads) / ((threads + 31) / 32 * 32)
                  : 0;
    return kSuccess;
  });
}

// --- launches ---

API cuLaunchKernel(void* function, u32 grid_x, u32 grid_y, u32 grid_z, u32 block_x, u32 block_y, u32 block_z,
                   u32 dynamic_bytes, void* stream, void** parameters, void** extra) {
  return on_stream(stream, [&](Context& context, Stream& on) -> int {
    const Function* found = machine->functions.find(function);
    if (found == nullptr || found->module->context != &context) return kInvalidHandle;
    Launch launch = {};
    launch.grid[0] = grid_x, launch.grid[1] = grid_y, launch.grid[2] = grid_z;
    launch.block[0] = block_x, launch.block[1] = block_y, launch.block[2] = block_z;
    launch.dynamic_bytes = dynamic_bytes;
    if (!fits(*found, launch.grid, launch.block, dynamic_bytes)) return kInvalidValue;
    if (extra != nullptr) return kNotSupported;
    Values values;
    if (!read_parameters(*found->kernel, parameters, &values)) return kInvalidValue;
    if (const int failed = machine->reserve_local(&context, found->kernel->local_bytes); failed != kSuccess) {
      return failed;
    }
    return machine->enqueue(&on, kKernelNode,
                            [=, device = &context, globals = found->module->globals, kernel = found->kernel] {
                              return run(device, kernel, globals, launch, values);
                            });
  });
}
