// SPDX-License-Identifier: Apache-2.0
//
// A message queue in shared memory, with the layout of Boost.Interprocess 1.66, through which the engine receives
// commands and reports that it has finished them. This file creates queues, and the engine opens them.
//
// The shared memory begins with a word that says that it is initialized. The header follows at byte 16, then an array
// of 64 pointers to messages, and the messages. Each pointer is stored as the distance from its own address. The array
// is a ring: the queued messages begin at `first`, the newest comes first, and the oldest is the next to be received.
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <new>
#include <stdexcept>
#include <string>

#include "envpool/core/types.h"

namespace envpool::vizdoom {

// A shared memory object of this process. Its name is removed by `unlink`, the memory by the destructor.
class SharedMemory {
 public:
  SharedMemory() = default;
  ~SharedMemory() { close(); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // Opens the object; with `create_bytes`, creates it with that size. Throws std::runtime_error.
  void open(const std::string& name, i64 create_bytes = 0) {
    name_ = name;
    const int file = shm_open(name.c_str(), create_bytes > 0 ? O_RDWR | O_CREAT | O_EXCL : O_RDWR, 0600);
    if (file < 0) fail("open");
    // Allocates the memory now, because a write to memory that cannot be allocated would raise SIGBUS.
    const int error = create_bytes > 0 ? reserve(file, 0, create_bytes) : 0;
    const i64 bytes = lseek(file, 0, SEEK_END);
    void* memory = error != 0 || bytes <= 0 ? MAP_FAILED
                                            : mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    const int mapping_error = error != 0 ? error : errno;
    if (memory == MAP_FAILED) {
      ::close(file);
      errno = mapping_error;
      fail("map");
    }
    if (create_bytes > 0) flock(file, LOCK_EX | LOCK_NB);  // until the file is closed or the process dies
    file_ = file;
    memory_ = static_cast<u8*>(memory);
    bytes_ = bytes;
  }
  // Allocates a range of the object's memory. Throws std::runtime_error if it does not fit.
  void allocate(i64 offset, i64 count) {
    if (count <= 0) return;
    if (const int error = reserve(file_, offset, count); error != 0) {
      errno = error;
      fail("allocate");
    }
  }
  // Closes the file descriptor; the memory stays mapped.
  void close_file() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }
  void unlink() {
    if (!name_.empty()) shm_unlink(name_.c_str());
    name_.clear();
  }
  void close() {
    unlink();
    close_file();
    if (memory_ != nullptr) munmap(memory_, size_t(bytes_));
    memory_ = nullptr;
    bytes_ = 0;
  }
  // Forgets the object's name without removing it, in a forked process that does not own it.
  void disown() { name_.clear(); }
  u8* memory() const { return memory_; }
  i64 bytes() const { return bytes_; }

 private:
  // Allocates memory, and tries again if a signal interrupts the call. Returns an error number.
  static int reserve(int file, i64 offset, i64 count) {
    int error;
    do {
      error = posix_fallocate(file, offset, count);
    } while (error == EINTR);
    return error;
  }
  [[noreturn]] void fail(const char* what) {
    const int error = errno;
    const std::string name = name_;
    if (error == EEXIST) name_.clear();  // the object belongs to another process
    unlink();
    throw std::runtime_error(
        "cannot " + std::string(what) + " /dev/shm" + name + ": " + std::strerror(error) +
        (error == ENOSPC || error == ENOMEM ? "; shared memory is too small, see df /dev/shm" : ""));
  }
  std::string name_;
  int file_ = -1;
  u8* memory_ = nullptr;
  i64 bytes_ = 0;
};

struct Message {
  u8 code = 0;
  char text[128] = {};
};

class MessageQueue {
 public:
  void create(const std::string& name) {
    object_.open(name, kFileBytes);
    u8* memory = object_.memory();
    Header* header = new (memory + kHeaderAt) Header{};
    header->index_distance = i64(sizeof(Header));
    header->capacity = kCapacity;
    header->message_bytes = sizeof(Message);
    pthread_mutexattr_t mutex;
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&mutex, PTHREAD_MUTEX_ROBUST);  // the engine may be killed while it holds the mutex
    pthread_mutex_init(&header->mutex, &mutex);
    pthread_mutexattr_destroy(&mutex);
    pthread_condattr_t condition;
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_condattr_setclock(&condition, CLOCK_MONOTONIC);
    pthread_cond_init(&header->not_empty, &condition);
    pthread_cond_init(&header->not_full, &condition);
    pthread_condattr_destroy(&condition);
    for (i64 i = 0; i < i64(kCapacity); ++i) {
      index()[i] = kMessagesAt + i * i64(sizeof(Slot)) - (kIndexAt + i * i64(sizeof(i64)));
    }
    __atomic_store_n(reinterpret_cast<u32*>(memory), kInitialized, __ATOMIC_RELEASE);
  }
  // Removes the name. Until then, this process holds a lock on the file.
  void unlink() {
    object_.unlink();
    object_.close_file();
  }
  void disown() { object_.disown(); }
  void close() { object_.close(); }

  // Queues a message. Returns false if the engine has died or the queue is full, which means that it does not read.
  bool send(u8 code, const std::string& text = {}) {
    if (!lock()) return false;
    Header* header = this->header();
    if (header->count >= kCapacity) {
      pthread_mutex_unlock(&header->mutex);
      return false;
    }
    header->first = (header->first + kCapacity - 1) % kCapacity;
    ++header->count;
    Slot* slot = this->slot(header->first);
    slot->bytes = sizeof(Message);
    slot->priority = 0;
    slot->message = {};
    slot->message.code = code;
    std::memcpy(slot->message.text, text.data(), std::min(text.size(), sizeof(slot->message.text) - 1));
    const bool notify = header->blocked_receivers != 0;
    pthread_mutex_unlock(&header->mutex);
    if (notify) pthread_cond_signal(&header->not_empty);
    return true;
  }

  enum class Received { kMessage, kNothing, kBroken };
  // Waits at most this long for a message. The queue is broken if the engine died while it held the mutex, or if the
  // engine has written an impossible count.
  Received receive(Message& message, i64 milliseconds) {
    if (!lock()) return Received::kBroken;
    Header* header = this->header();
    int error = 0;
    if (header->count == 0) {
      timespec until;
      clock_gettime(CLOCK_MONOTONIC, &until);
      until.tv_nsec += milliseconds * 1000000;
      until.tv_sec += until.tv_nsec / 1000000000;
      until.tv_nsec %= 1000000000;
      ++header->blocked_receivers;
      while (header->count == 0 && error == 0) {
        error = pthread_cond_timedwait(&header->not_empty, &header->mutex, &until);
      }
      if (error == EOWNERDEAD) pthread_mutex_consistent(&header->mutex);
      --header->blocked_receivers;
    }
    Received result = error == EOWNERDEAD || header->count > kCapacity ? Received::kBroken : Received::kNothing;
    if (result == Received::kNothing && header->count > 0) {
      Slot* slot = this->slot((header->first + header->count - 1) % kCapacity);
      message = slot->message;
      message.text[sizeof(message.text) - 1] = 0;
      slot->bytes = 0;
      --header->count;
      result = Received::kMessage;
    }
    pthread_mutex_unlock(&header->mutex);
    return result;
  }

 private:
  struct Header {
    i64 index_distance;
    u64 capacity;
    u64 message_bytes;
    u64 count;
    pthread_mutex_t mutex;
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    u64 first;
    u64 blocked_senders;
    u64 blocked_receivers;
  };
  struct Slot {
    u64 bytes;
    u32 priority, unused;
    Message message;
  };
  // Neither has padding. A mutex has 40 bytes on x86-64, and 48 on aarch64.
  static_assert(sizeof(Header) == 7 * sizeof(u64) + sizeof(pthread_mutex_t) + 2 * sizeof(pthread_cond_t));
  static_assert(offsetof(Slot, message) == 16 && sizeof(Slot) == 152);
  static constexpr u32 kInitialized = 2;
  static constexpr u64 kCapacity = 64;
  static constexpr i64 kHeaderAt = 16;
  static constexpr i64 kIndexAt = kHeaderAt + i64(sizeof(Header));
  static constexpr i64 kMessagesAt = kIndexAt + i64(kCapacity * sizeof(i64));
  static constexpr i64 kFileBytes = kMessagesAt + i64(kCapacity * sizeof(Slot));

  Header* header() const { return reinterpret_cast<Header*>(object_.memory() + kHeaderAt); }
  i64* index() const { return reinterpret_cast<i64*>(object_.memory() + kIndexAt); }
  // The engine never moves messages, because all have the same priority, so the pointers need not be followed.
  Slot* slot(u64 at) const { return reinterpret_cast<Slot*>(object_.memory() + kMessagesAt) + at % kCapacity; }

  // Returns false if the engine died while it held the mutex, or keeps holding the mutex for a second.
  bool lock() {
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    const int error = pthread_mutex_timedlock(&header()->mutex, &until);
    if (error == EOWNERDEAD) {
      pthread_mutex_consistent(&header()->mutex);
      pthread_mutex_unlock(&header()->mutex);
    }
    return error == 0;
  }

  SharedMemory object_;
};

}  // namespace envpool::vizdoom
