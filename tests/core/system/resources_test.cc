// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/system/resources.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/testing.h"

namespace envpool {

// A temporary folder that serves as the root of /proc and /sys, with the files of a machine with control groups.
class FakeRoot {
 public:
  FakeRoot() {
    static int number = 0;
    const std::string name = "envpool-process-" + std::to_string(process_id()) + "-" + std::to_string(++number);
    path_ = (std::filesystem::temp_directory_path() / name).generic_string();
    std::filesystem::remove_all(path_);  // of an earlier process with this id
    std::filesystem::create_directory(path_);
  }
  ~FakeRoot() { std::filesystem::remove_all(path_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  const std::string& path() const { return path_; }
  FakeRoot& with(const std::string& file, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path_ + file).parent_path());
    std::ofstream(path_ + file) << text;
    return *this;
  }

 private:
  std::string path_;
};

const char kV2Mount[] = "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
const char kV1Mounts[] =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

TEST(the_quotas_of_all_enclosing_groups_apply) {
  FakeRoot root;
  root.with("/proc/self/cgroup", "0::/outer/inner\n").with("/proc/self/mountinfo", kV2Mount);
  CHECK_EQ(cgroup_cpus(root.path()), HUGE_VAL);
  root.with("/sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  CHECK_EQ(cgroup_cpus(root.path()), HUGE_VAL);
  root.with("/sys/fs/cgroup/outer/cpu.max", "150000 100000\n");
  CHECK_EQ(cgroup_cpus(root.path()), 1.5);
  root.with("/sys/fs/cgroup/outer/inner/cpu.max", "50000 100000\n");
  CHECK_EQ(cgroup_cpus(root.path()), 0.5);
  root.with("/sys/fs/cgroup/cpu.max", "25000 100000\n");  // as in the root group of a container
  CHECK_EQ(cgroup_cpus(root.path()), 0.25);
}

TEST(quotas_of_cgroup_v1_apply) {
  FakeRoot root;
  root.with("/proc/self/cgroup", "4:memory:/else\n3:cpu,cpuacct:/outer/inner\n0::/\n");
  root.with("/proc/self/mountinfo", kV1Mounts);
  const std::string outer = "/sys/fs/cgroup/cpu,cpuacct/outer/";
  root.with(outer + "inner/cpu.cfs_quota_us", "-1\n").with(outer + "inner/cpu.cfs_period_us", "100000\n");
  CHECK_EQ(cgroup_cpus(root.path()), HUGE_VAL);
  root.with(outer + "cpu.cfs_quota_us", "50000\n").with(outer + "cpu.cfs_period_us", "100000\n");
  CHECK_EQ(cgroup_cpus(root.path()), 0.5);
}

TEST(the_memory_limits_of_all_enclosing_groups_apply) {
  FakeRoot v2, v1;
  const f64 machine = memory_limit(v2.path());
  CHECK(machine > 1 << 26);
  v2.with("/proc/self/cgroup", "0::/a/b\n").with("/proc/self/mountinfo", kV2Mount);
  v2.with("/sys/fs/cgroup/a/b/memory.max", "max\n");
  CHECK_EQ(memory_limit(v2.path()), machine);
  v2.with("/sys/fs/cgroup/a/memory.max", "33554432\n");
  CHECK_EQ(memory_limit(v2.path()), f64(1 << 25));
  CHECK_EQ(usable_memory(v2.path().c_str()) < f64(1 << 25), true);

  v1.with("/proc/self/cgroup", "4:memory:/a/b\n").with("/proc/self/mountinfo", kV1Mounts);
  v1.with("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK_EQ(memory_limit(v1.path()), machine);
  v1.with("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "16777216\n");
  CHECK_EQ(memory_limit(v1.path()), f64(1 << 24));
}

// A container may see only a part of the hierarchy, with its own group as the root of the mount.
TEST(groups_are_found_in_a_mount_of_a_part_of_the_hierarchy) {
  FakeRoot root;
  root.with("/proc/self/cgroup", "4:memory:/docker/1234/inner\n");
  root.with("/proc/self/mountinfo", "35 31 0:32 /docker/1234 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  root.with("/sys/fs/cgroup/memory/memory.limit_in_bytes", "16777216\n");
  CHECK_EQ(memory_limit(root.path()), f64(1 << 24));
  root.with("/sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "8388608\n");
  CHECK_EQ(memory_limit(root.path()), f64(1 << 23));
  root.with("/proc/self/cgroup", "4:memory:/docker/12345/inner\n");  // another group, whose name has the same prefix
  CHECK_EQ(memory_limit(root.path()), f64(1 << 24));
  root.with("/proc/self/cgroup", "4:memory:/../sibling\n");  // outside of the mount
  CHECK_EQ(memory_limit(root.path()), f64(1 << 24));
}

// A process may be outside of the root of its cgroup namespace.
TEST(groups_above_the_mount_are_ignored) {
  FakeRoot root;
  root.with("/proc/self/cgroup", "0::/../sibling\n").with("/proc/self/mountinfo", kV2Mount);
  root.with("/sys/fs/cgroup/memory.max", "16777216\n").with("/sys/fs/sibling/memory.max", "8388608\n");
  CHECK_EQ(memory_limit(root.path()), f64(1 << 24));
}

TEST(a_quota_limits_the_number_of_threads) {
  FakeRoot root;
  const i32 allowed = i32(allowed_cpus().size());
  CHECK_EQ(usable_cpus(root.path()), allowed);
  root.with("/proc/self/cgroup", "0::/\n").with("/proc/self/mountinfo", kV2Mount);
  root.with("/sys/fs/cgroup/cpu.max", "90000 100000\n");
  CHECK_EQ(usable_cpus(root.path()), 1);
  root.with("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  CHECK_EQ(usable_cpus(root.path()), std::min(2, allowed));
}

TEST(malformed_files_impose_no_limit) {
  FakeRoot root;
  const f64 machine = memory_limit(root.path());
  root.with("/proc/self/cgroup", "nonsense\n:\n0:\n0::/a\n");
  root.with("/proc/self/mountinfo", std::string("nonsense\n - \n 1 - cgroup2\n") + kV2Mount);
  root.with("/sys/fs/cgroup/a/memory.max", "many\n").with("/sys/fs/cgroup/a/cpu.max", "-5\n");
  root.with("/sys/fs/cgroup/memory.max", "0\n").with("/sys/fs/cgroup/cpu.max", "1 0\n");
  CHECK_EQ(memory_limit(root.path()), machine);
  CHECK_EQ(cgroup_cpus(root.path()), HUGE_VAL);
}

#ifdef __linux__
TEST(a_cpu_set_may_exceed_1024_cpus) {
  CpuSet set(5000);
  CHECK(bool(set));
  set.add(4999);
  CHECK(set.has(4999));
  CHECK(!set.has(4998));
  CHECK(!allowed_cpus().empty());
  pin_this_thread(4999);  // this CPU does not exist; the error is ignored
}

TEST(a_thread_is_pinned_to_a_cpu) {
  const int cpu = allowed_cpus().back();
  std::thread([&] {
    pin_this_thread(cpu);
    CHECK_EQ(allowed_cpus().size(), 1u);
    CHECK_EQ(allowed_cpus().front(), cpu);
  }).join();
}
#endif

TEST(a_thread_has_its_name) {
  std::thread([] {
    name_this_thread("envpool-", 12);
    CHECK_EQ(thread_name(), "envpool-12");
  }).join();
}

TEST(a_process_uses_memory_and_time_goes_on) {
  CHECK(!allowed_cpus().empty());
  CHECK(physical_memory() > resident_memory());
  CHECK(resident_memory() > 1 << 16);
  const auto before = coarse_time();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(coarse_time() > before);
}

TEST(machine_code_runs) {
#if defined(__x86_64__)
  const std::vector<u8> code{0xB8, 42, 0, 0, 0, 0xC3};  // mov eax, 42; ret
#elif defined(__aarch64__)
  const std::vector<u8> code{0x40, 0x05, 0x80, 0x52, 0xC0, 0x03, 0x5F, 0xD6};  // mov w0, #42; ret
#else
  const std::vector<u8> code;
#endif
  if (code.empty()) return;
  const u8* const mapped = map_code(code.data(), code.size());
  if (mapped == nullptr) return;  // the system refuses
  CHECK_EQ(reinterpret_cast<int (*)()>(reinterpret_cast<std::uintptr_t>(mapped))(), 42);
  free_code(mapped, code.size());
}

TEST(a_missing_shared_object_is_reported) {
  std::string why;
  CHECK(open_library("no_such_folder/no_such_library.so", why) == nullptr);
  CHECK(why.find("no_such_library.so") != std::string::npos);
}

}  // namespace envpool

TEST_MAIN()
