// SPDX-License-Identifier: Apache-2.0
//
// Child processes that die with this process, however it ends.
//
// The kernel can kill a child when its parent dies (PR_SET_PDEATHSIG), but it regards the thread that made the child as
// the parent. So one thread, which lives as long as this process, makes all children.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "envpool/core/types.h"

namespace envpool {

// Describes a program to execute: its path and arguments, and the folder to run it in (empty: the current folder).
struct Command {
  std::vector<std::string> arguments;
  std::string folder{};
  bool prints = false;  // whether it shares this process's output; otherwise it has none
  int file = -1;        // a file descriptor, if any, that the child inherits under the number kInheritedFile
  static constexpr int kInheritedFile = 3;
};

// Runs a command without input. The child has a process group of its own, so that the terminal's Ctrl-C does not reach
// it. It stays in the terminal session of this process, because Linux shares the CPU among sessions before it shares it
// among their processes. The child is killed when the calling thread ends. Returns its process id, or minus an error
// number.
__attribute__((noinline)) inline pid_t spawn_from_this_thread(const Command& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  volatile int error = 0;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // no handler of this process may run in the child
  // The child borrows this process's memory until it executes the program, which costs less than a fork of a large
  // process. It may only make system calls.
  const pid_t child = vfork();
  if (child == 0) {
    const auto leave = [&] {
      error = errno;
      _exit(127);
    };
    for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) leave();
    if (getppid() != parent) _exit(127);  // the parent died before the call
    setpgid(0, 0);
    if (!command.folder.empty() && chdir(command.folder.c_str()) != 0) leave();
    if (command.file >= 0) {
      // dup2 clears FD_CLOEXEC, but does nothing if the two numbers are equal.
      const bool ready = command.file == Command::kInheritedFile ? fcntl(command.file, F_SETFD, 0) == 0
                                                                 : dup2(command.file, Command::kInheritedFile) >= 0;
      if (!ready) leave();
    }
    const int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) < 0) leave();
    if (!command.prints && (dup2(null, 1) < 0 || dup2(null, 2) < 0)) leave();
#ifdef SYS_close_range
    // Linux 5.9; before that, files without FD_CLOEXEC are inherited.
    syscall(SYS_close_range, Command::kInheritedFile + (command.file >= 0 ? 1u : 0u), ~0u, 0u);
#endif
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execv(arguments[0], arguments.data());
    leave();
  }
  const int fork_error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) return -fork_error;
  if (error == 0) return child;
  waitpid(child, nullptr, 0);
  return -error;
}

// The thread that makes all children of this process. A forked process makes a thread of its own.
class Spawner {
 public:
  static Spawner& get() {
    // No mutex guards this, because another thread could hold the mutex while this process is forked.
    static std::atomic<Spawner*> current{nullptr};
    Spawner* spawner = current.load();
    while (spawner == nullptr || spawner->owner_ != getpid()) {
      auto* created = new Spawner;  // never deleted: its thread may use it until the process ends
      if (current.compare_exchange_strong(spawner, created)) return *created;
      delete created;
    }
    return *spawner;
  }

  // Starts a process. Throws std::runtime_error.
  pid_t spawn(const Command& command) {
    std::unique_lock lock(mutex_);
    if (!has_thread_) start_thread();
    changed_.wait(lock, [&] { return command_ == nullptr && !done_; });
    command_ = &command;
    changed_.notify_all();
    changed_.wait(lock, [&] { return done_; });
    done_ = false;
    const pid_t child = child_;
    changed_.notify_all();
    if (child < 0) {
      throw std::runtime_error("cannot start " + command.arguments.front() + ": " + std::strerror(-child));
    }
    return child;
  }

 private:
  Spawner() = default;
  void start_thread() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // the thread handles no signals
    try {
      std::thread([this] { run(); }).detach();
    } catch (const std::exception& error) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw std::runtime_error(std::string("cannot start the thread that makes child processes: ") + error.what());
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    has_thread_ = true;
  }
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return command_ != nullptr; });
      child_ = spawn_from_this_thread(*command_);
      command_ = nullptr;
      done_ = true;
      changed_.notify_all();
    }
  }

  const pid_t owner_ = getpid();
  std::mutex mutex_;
  std::condition_variable changed_;
  const Command* command_ = nullptr;
  bool has_thread_ = false, done_ = false;
  pid_t child_ = 0;
};

// A child process, which the destructor kills. The processes that it has started, and that have not left its process
// group, are killed when it ends.
class Child {
 public:
  Child() = default;
  ~Child() { kill(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void start(const Command& command) {
    owner_ = getpid();
    child_ = Spawner::get().spawn(command);
  }
  // Returns false in a forked process, which has a copy of this object.
  bool owned() const { return owner_ == 0 || owner_ == getpid(); }
  // Returns whether the child runs. Other code in this process may have collected the child's exit status.
  bool running() {
    if (child_ <= 0) return false;
    // The child's id, which is also that of its process group, is not reused until its exit status is collected.
    siginfo_t state{};
    if (owned() && waitid(P_PID, id_t(child_), &state, WEXITED | WNOHANG | WNOWAIT) == 0) {
      if (state.si_pid == 0) return true;
      ::kill(-child_, SIGKILL);  // the processes that the child has started
    }
    int status;
    const pid_t ended = waitpid(child_, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) return true;
    exit_ = ended < 0             ? "ended"
            : WIFSIGNALED(status) ? "was killed by signal " + std::to_string(WTERMSIG(status))
                                  : "ended with status " + std::to_string(WEXITSTATUS(status));
    child_ = 0;
    return false;
  }
  // Returns a text that says how the child ended.
  const std::string& exit() const { return exit_; }
  void kill() {
    // If other code has collected the child's exit status, its id may belong to another process now.
    if (child_ <= 0 || !owned() || !running()) return;
    ::kill(-child_, SIGKILL);  // also the processes that the child has started
    ::kill(child_, SIGKILL);
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
    child_ = 0;
  }

 private:
  pid_t owner_ = 0, child_ = 0;
  std::string exit_;
};

}  // namespace envpool
