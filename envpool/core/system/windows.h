// SPDX-License-Identifier: Apache-2.0
//
// The functions of system.h for Windows 10 and newer.
#pragma once

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
// psapi.h needs windows.h.
#include <psapi.h>

// The headers of Windows define these ordinary words as macros.
#undef near
#undef far
#undef small
#undef ERROR

#include <cstring>

#include "envpool/core/system/system.h"

namespace envpool {

inline int process_id() { return int(GetCurrentProcessId()); }
inline u32 fork_generation() { return 0; }

// CPU 64 * g + i is number i of the processor group g.
inline std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  DWORD_PTR process = 0, system = 0;
  USHORT group = 0, groups = 1;
  GetProcessGroupAffinity(GetCurrentProcess(), &groups, &group);  // fails if the process uses several groups
  if (groups == 1 && GetProcessAffinityMask(GetCurrentProcess(), &process, &system) != 0) {
    for (int i = 0; i < 64; ++i) {
      if ((process >> i & 1) != 0) cpus.push_back(64 * group + i);
    }
  } else {
    for (int g = 0; g < int(GetActiveProcessorGroupCount()); ++g) {
      for (int i = 0; i < int(GetActiveProcessorCount(WORD(g))); ++i) cpus.push_back(64 * g + i);
    }
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

inline void pin_this_thread(i32 cpu) {
  if (cpu < 0) return;
  GROUP_AFFINITY affinity{};
  affinity.Group = WORD(cpu / 64);
  affinity.Mask = KAFFINITY(1) << cpu % 64;
  (void)SetThreadGroupAffinity(GetCurrentThread(), &affinity, nullptr);
}

inline void wait_while_equal(const std::atomic<u32>& word, u32 value) {
  static_assert(sizeof(word) == sizeof(value));
  WaitOnAddress(const_cast<std::atomic<u32>*>(&word), &value, sizeof(value), INFINITE);
}
inline void wake_all(std::atomic<u32>& word) { WakeByAddressAll(&word); }

// The headers of some compilers lack these functions of Windows.
template <class Function>
Function* kernel_function(const char* name) {
  return reinterpret_cast<Function*>(reinterpret_cast<void*>(GetProcAddress(GetModuleHandleA("kernel32.dll"), name)));
}

inline void set_thread_name(const char* name) {
  wchar_t wide[64] = L"";
  for (int i = 0; i < 63 && name[i] != 0; ++i) wide[i] = wchar_t(name[i]);
  static auto* const describe = kernel_function<HRESULT WINAPI(HANDLE, PCWSTR)>("SetThreadDescription");
  if (describe != nullptr) (void)describe(GetCurrentThread(), wide);
}
inline std::string thread_name() {
  std::string name;
  PWSTR wide = nullptr;
  static auto* const described = kernel_function<HRESULT WINAPI(HANDLE, PWSTR*)>("GetThreadDescription");
  if (described == nullptr || FAILED(described(GetCurrentThread(), &wide)) || wide == nullptr) return name;
  for (const wchar_t* c = wide; *c != 0; ++c) name += char(*c);
  LocalFree(wide);
  return name;
}

inline double physical_memory() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof(status);
  return GlobalMemoryStatusEx(&status) != 0 ? double(status.ullTotalPhys) : 0;
}
inline double resident_memory() {
  PROCESS_MEMORY_COUNTERS counters{};
  counters.cb = sizeof(counters);
  return K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof(counters)) != 0
             ? double(counters.WorkingSetSize)
             : 0;
}

inline const u8* map_code(const u8* code, size_t size) {
  void* const memory = VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (memory == nullptr) return nullptr;
  std::memcpy(memory, code, size);
  DWORD before = 0;
  if (VirtualProtect(memory, size, PAGE_EXECUTE_READ, &before) == 0) {
    VirtualFree(memory, 0, MEM_RELEASE);
    return nullptr;
  }
  FlushInstructionCache(GetCurrentProcess(), memory, size);
  return static_cast<const u8*>(memory);
}
inline void free_code(const u8* code, size_t) { VirtualFree(const_cast<u8*>(code), 0, MEM_RELEASE); }

inline int last_error() { return int(GetLastError()); }

inline std::string environment_variable(const char* name) {
  std::string value(GetEnvironmentVariableA(name, nullptr, 0), '\0');
  value.resize(value.empty() ? 0 : GetEnvironmentVariableA(name, value.data(), DWORD(value.size())));
  return value;
}

inline std::chrono::nanoseconds coarse_time() { return std::chrono::milliseconds(GetTickCount64()); }

// Paths are in UTF-8. The DLLs that a library needs are also searched for in the library's own folder.
inline void* open_library(const std::string& path, std::string& why) {
  const auto wide_length = MultiByteToWideChar(CP_UTF8, 0, path.c_str(), -1, nullptr, 0);
  std::wstring wide(size_t(wide_length), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, path.c_str(), -1, wide.data(), wide_length);
  for (wchar_t& c : wide) {
    if (c == L'/') c = L'\\';
  }
  // A path with a folder is absolute, as LOAD_WITH_ALTERED_SEARCH_PATH requires.
  const bool has_folder = wide.find(L'\\') != std::wstring::npos;
  const HMODULE library = LoadLibraryExW(wide.c_str(), nullptr, has_folder ? LOAD_WITH_ALTERED_SEARCH_PATH : 0);
  if (library == nullptr) {
    const DWORD error = GetLastError();
    char text[512] = "";
    FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, error, 0, text, sizeof(text),
                   nullptr);
    why = path + ": " + text + " (error " + std::to_string(error) + ")";
  }
  return reinterpret_cast<void*>(library);
}
inline void* library_symbol(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

}  // namespace envpool
