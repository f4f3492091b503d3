// SPDX-License-Identifier: Apache-2.0
//
// Names and removes the files that exist while an engine starts: its shared memory, two message queues and its folder.
// Their names are removed as soon as the engine runs.
//
// If this process is killed before that, the files stay behind, and the next process that starts an engine removes
// them. Locks tell it whether they are still in use: a process holds a lock on the first queue and on the folder, which
// the kernel releases when the process dies. Unlike process ids, locks also work between containers.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "envpool/core/types.h"

namespace envpool::vizdoom {

// The beginnings of the names of an engine's shared objects. The engine's id follows.
inline const std::string kToEngine = "/ViZDoomMQDoom", kFromEngine = "/ViZDoomMQCtr", kSharedState = "/ViZDoomSM";
inline constexpr std::string_view kIdStart = "ep_";  // the package's own ids consist of letters and digits
inline constexpr i32 kIdDigits = 7;
inline constexpr std::string_view kFolderStart = "envpool-vizdoom-";

inline std::string new_id() {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  u64 random = 0;
  if (getrandom(&random, sizeof(random), 0) != sizeof(random)) {
    random = u64(std::chrono::steady_clock::now().time_since_epoch().count()) * 4096 + u64(getpid()) % 4096;
  }
  std::string id(kIdStart);
  for (i32 i = 0; i < kIdDigits; ++i, random /= kDigits.size()) id += kDigits[size_t(random % kDigits.size())];
  return id;
}

// The folder in which an engine starts and to which it writes its settings. The destructor removes it.
class Folder {
 public:
  // Throws std::runtime_error.
  explicit Folder(const std::string& id)
      : path_((std::filesystem::temp_directory_path() / kFolderStart).string() + id) {
    if (mkdir(path_.c_str(), 0700) != 0) {
      throw std::runtime_error("cannot make the folder " + path_ + ": " + std::strerror(errno));
    }
    file_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file_ >= 0) flock(file_, LOCK_EX | LOCK_NB);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    if (file_ >= 0) close(file_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int file_ = -1;
};

// Returns whether a file belongs to this user and has existed for a while. A newer file may not be locked yet.
inline bool is_old(const std::string& path) {
  constexpr i64 kSeconds = 10;
  struct stat info;
  return lstat(path.c_str(), &info) == 0 && info.st_uid == geteuid() && time(nullptr) - info.st_mtime > kSeconds;
}

// Returns whether no process holds the lock of a file or folder.
inline bool is_unlocked(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return errno == ENOENT;
  const bool unlocked = flock(file, LOCK_EX | LOCK_NB) == 0;
  close(file);
  return unlocked;
}

inline void each_file(const std::string& folder, const std::function<void(const std::string&)>& action) {
  DIR* directory = opendir(folder.c_str());
  if (directory == nullptr) return;
  while (const dirent* entry = readdir(directory)) action(entry->d_name);
  closedir(directory);
}

// Removes the files of processes that died while one of their engines was starting.
inline void remove_leftovers() {
  const std::string memory = "/dev/shm";
  each_file(memory, [&](const std::string& name) {
    for (const std::string& kind : {kSharedState, kFromEngine, kToEngine}) {
      const std::string start = kind.substr(1) + std::string(kIdStart);
      if (!name.starts_with(start) || name.size() != start.size() + kIdDigits) continue;
      const std::string id = name.substr(kind.size() - 1);
      if (is_old(memory + "/" + name) && is_unlocked(memory + kToEngine + id)) shm_unlink(("/" + name).c_str());
    }
  });
  std::error_code ignored;
  const std::string folder = std::filesystem::temp_directory_path(ignored).string();
  each_file(folder, [&](const std::string& name) {
    const std::string path = folder + "/" + name;
    if (!name.starts_with(std::string(kFolderStart) + std::string(kIdStart)) || !is_old(path) || !is_unlocked(path)) {
      return;
    }
    std::filesystem::remove_all(path, ignored);
  });
}

}  // namespace envpool::vizdoom
