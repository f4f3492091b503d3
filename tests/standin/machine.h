// SPDX-License-Identifier: Apache-2.0
//
// The devices of the stand-in: contexts, memory and streams. Work runs as late as possible: only when the host waits
// for its stream, or when other work that has to run depends on it. A missing dependency therefore results in stale
// data.
#ifndef TESTS_STANDIN_MACHINE_H_
#define TESTS_STANDIN_MACHINE_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "loader.h"
#include "module.h"

namespace standin {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// The values of CUresult that the stand-in returns.
enum Result {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kInvalidPtx = 218,
  kInvalidHandle = 400,
  kIllegalState = 401,
  kNotFound = 500,
  kNotReady = 600,
  kContextIsDestroyed = 709,
  kNotSupported = 801,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureMerge = 902,
  kCaptureUnmatched = 903,
  kCaptureUnjoined = 904,
  kCaptureIsolation = 905,
  kCaptureImplicit = 906,
  kCapturedEvent = 907,
  kCaptureWrongThread = 908,
  kGraphUpdateFailure = 910,
};

inline u64 next_handle = 0x10000;

// Objects by handle. A handle is never reused, so that the use of a destroyed object is an error.
template <class T>
class Handles {
 public:
  void* add(std::unique_ptr<T> object) {
    T* added = object.get();
    added->handle = reinterpret_cast<void*>(next_handle += 16);
    objects_[next_handle] = std::move(object);
    return added->handle;
  }
  T* find(const void* handle) const {
    const auto found = objects_.find(reinterpret_cast<u64>(handle));
    return found == objects_.end() ? nullptr : found->second.get();
  }
  void remove(const void* handle) { objects_.erase(reinterpret_cast<u64>(handle)); }
  template <class Predicate>
  void remove_if(Predicate predicate) {
    std::erase_if(objects_, [&](const auto& entry) { return predicate(*entry.second); });
  }
  u64 count() const { return objects_.size(); }
  template <class F>
  void each(F f) const {
    for (const auto& [handle, object] : objects_) f(*object);
  }

 private:
  std::unordered_map<u64, std::unique_ptr<T>> objects_;
};

struct Context;
struct Stream;

struct Allocation {
  Context* context;
  u64 address, bytes;  // `address` is on the device
  u8* host;
  bool pinned;  // whether it is host memory that devices can access
  u32 slot, slots;
};

// A position in a stream. All work that was submitted earlier comes before it.
struct Ticket {
  u64 stream;  // Stream::number
  u64 at;
};

struct Work {
  std::function<int()> run;  // returns a Result
  std::vector<Ticket> after;
};

// The values of CUgraphNodeType.
enum NodeType { kKernelNode, kCopyNode, kFillNode, kHostNode, kGraphNode, kEmptyNode, kWaitNode, kRecordNode };

struct Node {
  void* handle = nullptr;
  NodeType type = kEmptyNode;
  std::function<int()> run;  // returns a Result
  std::vector<u64> after;    // indices of the nodes that this node depends on, all smaller than its own index
  void* recorded = nullptr;  // the event of a kRecordNode
};

struct Graph {
  void* handle = nullptr;
  Context* context = nullptr;
  std::vector<Node> nodes;
};

// A graph that can be launched.
struct GraphExec {
  void* handle = nullptr;
  Context* context = nullptr;
  std::shared_ptr<const std::vector<Node>> nodes;
};

enum CaptureMode { kGlobalCapture, kThreadLocalCapture, kRelaxedCapture };

struct Capture {
  void* handle = nullptr;
  u64 id = 0;
  Context* context = nullptr;
  Graph* graph = nullptr;
  Stream* origin = nullptr;
  CaptureMode mode = kGlobalCapture;
  std::thread::id thread;
  bool invalidated = false;
};

struct Stream {
  void* handle = nullptr;
  Context* context = nullptr;
  u64 number = 0;
  u32 flags = 0;
  bool special = false;    // the context's legacy stream or a thread's default stream
  bool destroyed = false;  // its handle is invalid, but the remaining work will still run
  std::deque<Work> work;
  u64 submitted = 0, done = 0;
  Capture* capture = nullptr;
  std::set<u64> capture_after;  // the nodes that the stream's next node depends on
};

struct Event {
  void* handle = nullptr;
  Context* context = nullptr;
  u32 flags = 0;
  Ticket ticket = {};
  bool recorded = false;
  std::shared_ptr<double> seconds;  // when the event was reached
  u64 capture = 0;                  // id of the capture in which it was last recorded, or 0
  std::set<u64> capture_after;
};

struct Device {
  int ordinal = 0;
  u64 used = 0;
  void* primary = nullptr;  // handle of a context
  u32 primary_uses = 0, primary_flags = 0;
};

struct Context {
  void* handle = nullptr;
  Device* device = nullptr;
  int error = kSuccess;  // the error of a failed kernel, which all later calls return
  std::unique_ptr<Slot[], void (*)(Slot*)> slots{nullptr, nullptr};
  u64 local_bytes = 0;  // the local memory that its kernels need per thread, for which it has reserved device memory
  Stream* legacy = nullptr;
  std::map<std::thread::id, Stream*> per_thread;  // each thread's own default stream, if the thread has used it
};

struct Module {
  void* handle = nullptr;
  Context* context = nullptr;
  const ModuleTable* table = nullptr;
  std::vector<u64> globals;
};

struct Function {
  void* handle = nullptr;
  Module* module = nullptr;
  const ModuleKernel* kernel = nullptr;
  u32 dynamic_limit = 48 << 10;
};

// The whole state of the stand-in, which one lock protects (libcuda.h).
class Machine {
 public:
  static constexpr u32 kMostThreads = 1024;
  static constexpr u32 kSharedBytes = 48 << 10, kSharedOptin = 163 << 10;
  static constexpr u32 kMultiprocessors = 8, kResidentThreads = 2048;  // threads per multiprocessor

  std::vector<std::unique_ptr<Device>> devices;
  Handles<Context> contexts;
  Handles<Stream> streams;
  Handles<Event> events;
  Handles<Module> modules;
  Handles<Function> functions;
  Handles<Graph> graphs;
  Handles<GraphExec> graph_execs;
  Handles<Capture> captures;
  std::map<u64, Allocation> allocations;  // by device address
  std::map<u64, u64> pinned;              // device address of pinned memory, by host address
  std::string fault;                      // description of the last failure (standinFault)
  u64 memory_bytes = u64{8} << 30;        // memory of each device
  Mode mode = Mode::kStrict;              // ENVPOOL_STANDIN_MODE
  bool flat() const { return mode == Mode::kFlat; }
  u64 traffic[kTrafficCounts] = {};  // Mode::kSectors

  // The failure that standinFail requested: how many calls are left until the failure, and its Result.
  u64 calls_until_failure = 0;
  int failure = kSuccess;
  int injected_failure() { return calls_until_failure > 0 && --calls_until_failure == 0 ? failure : int{kSuccess}; }

  // Reads ENVPOOL_STANDIN_DEVICES, _MEMORY (bytes) and _MODE.
  void begin();

  Context* make_context(Device* device);
  // Frees everything that the context owns.
  void destroy_context(Context* context);

  // --- memory ---
  int allocate(Context* context, u64 bytes, bool pinned_memory, Allocation** out);
  void release(u64 address);
  // Reserves device memory for the local memory of a kernel, for as many threads as the device can hold. The
  // reservation lasts as long as the context. Returns a Result.
  int reserve_local(Context* context, u64 bytes_per_thread);
  // Returns the allocation that contains a device address or a host address of pinned memory, or null.
  Allocation* owner(u64 address);
  // Returns the host's pointer to device memory, or null if no allocation contains all `bytes`.
  u8* host(Context* context, u64 address, u64 bytes);
  u64 count(const std::string& what) const;

  // --- streams ---
  Stream* make_stream(Context* context, u32 flags, bool special);
  // Returns the stream of a handle, or null. The handles 0, 1 and 2 name default streams of the context.
  Stream* stream(Context* context, void* handle);
  void submit(Stream* stream, std::function<int()> run, std::vector<Ticket> after = {});
  Ticket ticket(const Stream* stream) const { return {stream->number, stream->submitted}; }
  bool reached(const Ticket& ticket) const;
  // Runs the work up to a position in a stream, and its dependencies.
  void reach(const Ticket& ticket);
  void finish(Stream* stream) { reach(ticket(stream)); }
  void finish(Context* context);
  // Returns the positions of all streams of a context.
  std::vector<Ticket> tickets(const Context* context) const;
  // Runs one item of work, so that a host that polls makes progress.
  void advance(Stream* stream);
  void advance(const Ticket& ticket) { advance(by_number_.at(ticket.stream)); }

  // --- captures (capture.cc) ---
  // Adds work to a stream, or a node to the graph if the stream is being captured. Returns a Result.
  int enqueue(Stream* stream, NodeType type, std::function<int()> run, void* recorded = nullptr);
  // If a capture forbids new work in this stream, invalidates the capture and returns the error.
  int check_capture(const Stream* stream);
  // If captures forbid calls such as allocations, invalidates these captures and returns the error.
  int check_captures();
  // Invalidates all captures of the context, and returns an error if there are any.
  int capture_error(const Context* context);
  // If `stream` is the legacy stream, its work implicitly depends on all blocking streams. Returns the capture of one
  // of them, or null if none is being captured.
  Capture* implicit_capture(const Stream* stream) const;
  Capture* capture_by_id(u64 id) const;
  void end_capture(Capture* capture);

 private:
  void run_next(Stream* stream);

  std::unordered_map<u64, Stream*> by_number_;
  u64 stream_numbers_ = 0;
  std::deque<u32> free_slots_;  // first in, first out, so that freed addresses stay invalid for a long time
};

}  // namespace standin

#endif  // TESTS_STANDIN_MACHINE_H_
