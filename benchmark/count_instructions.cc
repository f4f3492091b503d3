// SPDX-License-Identifier: Apache-2.0
//
// A plugin for qemu 7.2 that counts the instructions that a program executes, for instructions.py:
//
//   c++ -O2 -shared -fPIC benchmark/count_instructions.cc -o build/count_instructions.so
//   qemu-aarch64 -plugin build/count_instructions.so -d plugin PROGRAM
//
// Debian has no package with qemu's header for plugins, so the functions of its interface that are needed here are
// declared.
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#define EXPORT __attribute__((visibility("default")))

extern "C" {

struct qemu_plugin_tb;  // a block of translated instructions
void qemu_plugin_register_vcpu_tb_trans_cb(std::uint64_t plugin, void (*function)(std::uint64_t, qemu_plugin_tb*));
void qemu_plugin_register_vcpu_tb_exec_inline(qemu_plugin_tb* block, int operation, void* counter, std::uint64_t by);
void qemu_plugin_register_atexit_cb(std::uint64_t plugin, void (*function)(std::uint64_t, void*), void* argument);
std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb* block);
void qemu_plugin_outs(const char* text);

EXPORT int qemu_plugin_version = 1;
}

static std::uint64_t count;

extern "C" EXPORT int qemu_plugin_install(std::uint64_t plugin, const void*, int, char**) {
  constexpr int kAdd = 0;
  qemu_plugin_register_vcpu_tb_trans_cb(plugin, [](std::uint64_t, qemu_plugin_tb* block) {
    qemu_plugin_register_vcpu_tb_exec_inline(block, kAdd, &count, qemu_plugin_tb_n_insns(block));
  });
  const auto print = [](std::uint64_t, void*) {
    char text[64];
    std::snprintf(text, sizeof text, "instructions %" PRIu64 "\n", count);
    qemu_plugin_outs(text);
  };
  qemu_plugin_register_atexit_cb(plugin, print, nullptr);
  return 0;
}
