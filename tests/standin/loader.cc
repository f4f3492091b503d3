// SPDX-License-Identifier: Apache-2.0
#include "loader.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

extern char** environ;

// The library contains the translator and the headers of modules, so that a copy of it works anywhere.
#define EMBED(name, path)                                                                               \
  __asm__(".section .rodata\n" #name ": .incbin \"" path "\"\n.byte 0\n.previous\n.local " #name "\n"); \
  extern "C" __attribute__((visibility("hidden"))) const char name[]
EMBED(ptx_text, ENVPOOL_STANDIN_DIR "/ptx.py");
EMBED(ptx_functions_text, ENVPOOL_STANDIN_DIR "/ptx_functions.py");
EMBED(ptx_instructions_text, ENVPOOL_STANDIN_DIR "/ptx_instructions.py");
EMBED(ptx_operands_text, ENVPOOL_STANDIN_DIR "/ptx_operands.py");
EMBED(ptx_parser_text, ENVPOOL_STANDIN_DIR "/ptx_parser.py");
EMBED(ptx_variables_text, ENVPOOL_STANDIN_DIR "/ptx_variables.py");
EMBED(module_text, ENVPOOL_STANDIN_DIR "/module.h");
EMBED(threads_text, ENVPOOL_STANDIN_DIR "/threads.h");
EMBED(races_text, ENVPOOL_STANDIN_DIR "/races.h");
EMBED(sectors_text, ENVPOOL_STANDIN_DIR "/sectors.h");

namespace standin {
namespace {

// Returns the names and contents of the translator's files. Python runs the folder that they are written to.
const std::vector<std::pair<std::string, const char*>>& translator_files() {
  static const std::vector<std::pair<std::string, const char*>> files = {
      {"__main__.py", "import sys\nfrom tests.standin.ptx import main\nsys.exit(main(sys.argv[1:]))\n"},
      {"tests/standin/ptx.py", ptx_text},
      {"tests/standin/ptx_functions.py", ptx_functions_text},
      {"tests/standin/ptx_instructions.py", ptx_instructions_text},
      {"tests/standin/ptx_operands.py", ptx_operands_text},
      {"tests/standin/ptx_parser.py", ptx_parser_text},
      {"tests/standin/ptx_variables.py", ptx_variables_text},
  };
  return files;
}

std::string setting(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// Returns two FNV-1a hashes with different initial states: 128 bits, in hexadecimal.
std::string hash(const std::vector<std::string>& parts) {
  std::array<std::uint64_t, 2> state = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
  for (const std::string& part : parts) {
    for (auto& word : state) {
      for (const char byte : part) word = (word ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
      word = (word ^ 0xFFu) * 0x100000001b3u;
    }
    state[1] ^= state[0] >> 29;
  }
  std::array<char, 33> text;
  std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(state[0]),
                static_cast<unsigned long long>(state[1]));
  return text.data();
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

// Runs a program and writes its stderr to a file. Returns its exit status, or 127 if it cannot be started.
int run(const std::vector<std::string>& words, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return 127;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

// Returns a folder for compiled modules that no other user can write to, or "" if there is none.
std::string cache_folder() {
  const std::string folder =
      setting("ENVPOOL_STANDIN_CACHE", setting("TMPDIR", "/tmp") + "/envpool-standin-" + std::to_string(geteuid()));
  mkdir(folder.c_str(), 0700);
  struct stat found = {};
  // A symbolic link in a shared folder could lead elsewhere later.
  const bool ours = lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
                    (found.st_mode & 022) == 0;
  return ours ? folder : "";
}

Loaded open(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return {nullptr, dlerror()};
  return {static_cast<const ModuleTable*>(dlsym(handle, "module_table")), ""};
}

}  // namespace

Loaded load(const std::string& ptx, Mode mode) {
  const std::string python = setting("ENVPOOL_STANDIN_PYTHON", "python3"),
                    compiler = setting("ENVPOOL_STANDIN_CC", "cc");
  // The C compiler must not fuse multiplications and additions that the PTX does not fuse.
  std::vector<std::string> flags = {"-std=gnu11",        "-O1",     "-w",
                                    "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing",
                                    "-U_FORTIFY_SOURCE", "-fPIC",   "-shared"};
  std::string headers = std::string(module_text) + threads_text;
  if (mode == Mode::kRaces) flags.emplace_back("-DENVPOOL_STANDIN_RACES"), headers += races_text;
  if (mode == Mode::kSectors) flags.emplace_back("-DENVPOOL_STANDIN_SECTORS"), headers += sectors_text;
  std::vector<std::string> parts = flags;
  parts.insert(parts.end(), {compiler, headers, ptx});
  for (const auto& [path, text] : translator_files()) parts.emplace_back(text);
  const std::string folder = cache_folder();
  if (folder.empty()) return {nullptr, "the stand-in has no folder of its own: set ENVPOOL_STANDIN_CACHE"};
  const std::string base = folder + "/" + hash(parts), library = base + ".so";
  if (access(library.c_str(), R_OK) == 0) return open(library);

  // Another process may compile the same module. Each process writes its own files, and the final rename is atomic.
  static int number = 0;
  const std::string mine = base + "." + std::to_string(getpid()) + "." + std::to_string(++number);
  const std::string script = mine + ".translator", source = mine + ".ptx", c = mine + ".c", log = mine + ".log";
  std::error_code ignored;  // An error here leads to an error when the files are read.
  std::filesystem::create_directories(script + "/tests/standin", ignored);
  for (const auto& [path, text] : translator_files()) write(script + "/" + path, text);
  write(source, ptx);
  Loaded loaded;
  if (const int status = run({python, "-I", "-S", "-B", script, source, c}, log); status != 0) {
    loaded.refusal = status == 127 ? "the stand-in cannot start " + python : "not translated: " + read(log);
  } else {
    write(c, headers + read(c));
    std::vector<std::string> words = {compiler};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {c, "-o", mine + ".so", "-lm"});
    if (const int status = run(words, log); status != 0) {
      loaded.refusal = status == 127 ? "the stand-in cannot start " + compiler : "not compiled: " + read(log);
    } else if (std::rename((mine + ".so").c_str(), library.c_str()) == 0) {
      loaded = open(library);
    }
  }
  for (const std::string& path : {source, c, log, mine + ".so"}) unlink(path.c_str());
  std::filesystem::remove_all(script, ignored);
  return loaded;
}

}  // namespace standin
