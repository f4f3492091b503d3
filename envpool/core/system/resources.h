// SPDX-License-Identifier: Apache-2.0
//
// The CPUs and the memory that this process may use. On Linux, control groups may limit them. Other systems have none.
//
// `root` is prepended to the paths of /proc and /sys, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "envpool/core/system/system.h"
#include "envpool/core/text.h"
#include "envpool/core/types.h"

namespace envpool {

// Returns the folders of this process's control groups, for cgroup v2 and for the `controller` of v1. These are its own
// group and the groups that contain it, if they are mounted. The limits of all of them apply.
inline std::vector<std::string> cgroup_folders(const std::string& controller, const std::string& root = {}) {
  const auto lists = [](const std::string& names, const std::string& name) {
    return ("," + names + ",").find("," + name + ",") != std::string::npos;
  };
  std::string line, v1_path, v2_path;
  for (std::ifstream groups(root + "/proc/self/cgroup"); std::getline(groups, line);) {  // number:controllers:path
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty()) v2_path = line.substr(second + 1);
    if (lists(controllers, controller)) v1_path = line.substr(second + 1);
  }
  std::vector<std::string> folders;
  for (std::ifstream mounts(root + "/proc/self/mountinfo"); std::getline(mounts, line);) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const std::vector<std::string> before = split_words(line.substr(0, dash)),
                                   after = split_words(line.substr(dash + 3));
    if (before.size() < 5 || after.size() < 3) continue;
    std::string mount_root = before[3];
    const std::string &mount_point = before[4], &type = after[0], &options = after[2];
    if (type != "cgroup2" && (type != "cgroup" || !lists(options, controller))) continue;
    // A container may see only a part of the hierarchy, with its own group as the root of the mount.
    std::string path = type == "cgroup2" ? v2_path : v1_path;
    if (mount_root == "/") mount_root.clear();
    const bool inside = path.compare(0, mount_root.size(), mount_root) == 0 &&
                        (path.size() == mount_root.size() || path[mount_root.size()] == '/');
    path = inside && path.find("/..") == std::string::npos ? path.substr(mount_root.size()) : "";
    while (!path.empty() && path.back() == '/') path.pop_back();
    for (;; path.resize(path.rfind('/'))) {
      folders.push_back(root + mount_point + path);
      if (path.empty()) break;
    }
  }
  return folders;
}

// Returns the number that a file of a control group contains as word `index`, or 0. The word may also be "max".
inline double number_in(const std::string& path, size_t index = 0) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  const std::vector<std::string> words = split_words(line);
  return index < words.size() ? parse_real(words[index]).value_or(0) : 0;
}

// Returns the CPU quota of the control groups in CPUs, or infinity if there is none.
inline double cgroup_cpus(const std::string& root = {}) {
  double cpus = HUGE_VAL;
  for (const std::string& folder : cgroup_folders("cpu", root)) {
    double quota = number_in(folder + "/cpu.max"), period = number_in(folder + "/cpu.max", 1);
    if (quota <= 0 || period <= 0) {
      quota = number_in(folder + "/cpu.cfs_quota_us");
      period = number_in(folder + "/cpu.cfs_period_us");
    }
    if (quota > 0 && period > 0) cpus = std::min(cpus, quota / period);
  }
  return cpus;
}

// Returns the memory limit in bytes: the minimum of the machine's memory and the limits of all control groups.
inline double memory_limit(const std::string& root = {}) {
  double bytes = physical_memory();
  for (const std::string& folder : cgroup_folders("memory", root)) {
    for (const char* name : {"/memory.max", "/memory.limit_in_bytes"}) {
      const double limit = number_in(folder + name);
      if (limit > 0) bytes = std::min(bytes, limit);
    }
  }
  return bytes;
}

// Returns the memory limit minus the resident memory of this process, in bytes.
inline double usable_memory(const std::string& root = {}) {
  return std::max(0.0, memory_limit(root) - resident_memory());
}

// Returns the number of CPUs that this process may use, by affinity and quota. It is the default of num_threads.
inline i32 usable_cpus(const std::string& root = {}) {
  const double mask = double(allowed_cpus().size());
  return std::max(1, int(std::ceil(std::min(mask, cgroup_cpus(root)))));
}

}  // namespace envpool
