// SPDX-License-Identifier: Apache-2.0
//
// Captures streams into graphs, and launches graphs. A call that a capture forbids returns the driver's error and
// invalidates the capture. The rules follow the driver's manual. Where the manual allows several behaviours, the
// stand-in has the strictest one. For example, copies of pageable memory cannot be captured.
#include <algorithm>
#include <memory>
#include <utility>

#include "libcuda.h"

namespace standin {
namespace {

thread_local CaptureMode thread_mode = kGlobalCapture;

bool is_blocking(const Stream& stream) {
  constexpr u32 kNonBlocking = 1;
  return (stream.flags & kNonBlocking) == 0;
}

// Runs the nodes of a graph. Of the nodes that are ready, the newest runs first, so that a missing dependency shows.
int run_nodes(const std::vector<Node>& nodes) {
  std::vector<bool> done(nodes.size(), false);
  for (u64 count = 0; count < nodes.size(); ++count) {
    u64 next = nodes.size() - 1;
    const auto ready = [&](u64 i) {
      return !done[i] && std::all_of(nodes[i].after.begin(), nodes[i].after.end(), [&](u64 j) { return done[j]; });
    };
    while (!ready(next)) --next;
    if (const int code = nodes[next].run(); code != kSuccess) return code;
    done[next] = true;
  }
  return kSuccess;
}

// Returns whether a new node after the nodes in `last` would depend on all nodes. If not, a branch of the capture has
// not been joined to the origin stream.
bool is_joined(const std::vector<Node>& nodes, const std::set<u64>& last) {
  std::vector<bool> reached(nodes.size(), false);
  for (u64 i = nodes.size(); i-- > 0;) {
    reached[i] = reached[i] || last.contains(i);
    if (!reached[i]) return false;
    for (const u64 before : nodes[i].after) reached[before] = true;
  }
  return true;
}

}  // namespace

Capture* Machine::capture_by_id(u64 id) const {
  Capture* found = nullptr;
  captures.each([&](Capture& capture) {
    if (capture.id == id) found = &capture;
  });
  return found;
}

Capture* Machine::implicit_capture(const Stream* stream) const {
  if (stream != stream->context->legacy) return nullptr;
  Capture* found = nullptr;
  streams.each([&](const Stream& other) {
    if (other.capture != nullptr && other.context == stream->context && is_blocking(other)) found = other.capture;
  });
  return found;
}

int Machine::check_capture(const Stream* stream) {
  if (stream->capture != nullptr) return stream->capture->invalidated ? kCaptureInvalidated : kSuccess;
  Capture* implicit = implicit_capture(stream);
  if (implicit == nullptr) return kSuccess;
  implicit->invalidated = true;
  return kCaptureImplicit;
}

int Machine::check_captures() {
  int code = kSuccess;
  captures.each([&](Capture& capture) {
    const bool mine = capture.thread == std::this_thread::get_id();
    const bool forbids = mine ? capture.mode != kRelaxedCapture && thread_mode != kRelaxedCapture
                              : capture.mode == kGlobalCapture && thread_mode == kGlobalCapture;
    if (forbids) capture.invalidated = true, code = kCaptureUnsupported;
  });
  return code;
}

int Machine::capture_error(const Context* context) {
  int code = kSuccess;
  captures.each([&](Capture& capture) {
    if (capture.context == context) capture.invalidated = true, code = kCaptureUnsupported;
  });
  return code;
}

int Machine::enqueue(Stream* stream, NodeType type, std::function<int()> run, void* recorded) {
  if (const int refused = check_capture(stream); refused != kSuccess) return refused;
  if (const int failed = injected_failure(); failed != kSuccess) return failed;
  if (stream->capture == nullptr) return submit(stream, std::move(run)), kSuccess;
  std::vector<Node>& nodes = stream->capture->graph->nodes;
  Node node;
  node.handle = reinterpret_cast<void*>(next_handle += 16);
  node.type = type;
  node.run = std::move(run);
  node.after.assign(stream->capture_after.begin(), stream->capture_after.end());
  node.recorded = recorded;
  stream->capture_after = {nodes.size()};
  nodes.push_back(std::move(node));
  return kSuccess;
}

void Machine::end_capture(Capture* capture) {
  streams.each([&](Stream& stream) {
    if (stream.capture != capture) return;
    stream.capture = nullptr;
    stream.capture_after.clear();
  });
  captures.remove(capture->handle);
}

}  // namespace standin

using namespace standin;

namespace {

template <class F>
int on_graph(void* handle, F f) {
  return within([&](Context& context) -> int {
    Graph* graph = machine->graphs.find(handle);
    return graph == nullptr ? int{kInvalidValue} : f(context, *graph);
  });
}

template <class F>
int on_exec(void* handle, F f) {
  return within([&](Context& context) -> int {
    GraphExec* exec = machine->graph_execs.find(handle);
    return exec == nullptr ? int{kInvalidValue} : f(context, *exec);
  });
}

bool is_captured(const Graph& graph) {
  bool found = false;
  machine->captures.each([&](const Capture& capture) { found |= capture.graph == &graph; });
  return found;
}

}  // namespace

// --- capture ---

API cuThreadExchangeStreamCaptureMode(int* mode) {
  return started([&]() -> int {
    if (*mode < kGlobalCapture || *mode > kRelaxedCapture) return kInvalidValue;
    const int before = thread_mode;
    thread_mode = static_cast<CaptureMode>(*mode);
    *mode = before;
    return kSuccess;
  });
}

API cuStreamBeginCapture_v2(void* stream, int mode) {
  return on_stream(stream, [&](Context& context, Stream& on) -> int {
    if (mode < kGlobalCapture || mode > kRelaxedCapture) return kInvalidValue;
    if (&on == context.legacy) return kCaptureUnsupported;
    if (on.capture != nullptr) return kIllegalState;
    Capture* capture = machine->captures.find(machine->captures.add(std::make_unique<Capture>()));
    capture->id = reinterpret_cast<u64>(capture->handle);
    capture->context = &context;
    capture->graph = machine->graphs.find(machine->graphs.add(std::make_unique<Graph>()));
    capture->graph->context = &context;
    capture->origin = &on;
    capture->mode = static_cast<CaptureMode>(mode);
    capture->thread = std::this_thread::get_id();
    on.capture = capture;
    return kSuccess;
  });
}

API cuStreamEndCapture(void* stream, void** graph) {
  return on_stream(stream, [&](Context&, Stream& on) -> int {
    *graph = nullptr;
    Capture* capture = on.capture;
    if (capture == nullptr) return kIllegalState;
    if (capture->origin != &on) return capture->invalidated = true, int{kCaptureUnmatched};
    if (capture->mode != kRelaxedCapture && capture->thread != std::this_thread::get_id()) return kCaptureWrongThread;
    Graph* made = capture->graph;
    int code = capture->invalidated ? kCaptureInvalidated : kSuccess;
    if (code == kSuccess && !is_joined(made->nodes, on.capture_after)) code = kCaptureUnjoined;
    machine->end_capture(capture);
    if (code == kSuccess) {
      *graph = made->handle;
    } else {
      machine->graphs.remove(made->handle);
    }
    return code;
  });
}

API cuStreamIsCapturing(void* stream, int* status) {
  return on_stream(stream, [&](Context&, Stream& on) -> int {
    if (machine->implicit_capture(&on) != nullptr) return kCaptureImplicit;
    *status = on.capture == nullptr ? 0 : on.capture->invalidated ? 2 : 1;
    return kSuccess;
  });
}

API cuStreamGetCaptureInfo_v2(void* stream, int* status, u64* id, void** graph, void*** after, u64* after_count) {
  return on_stream(stream, [&](Context&, Stream& on) -> int {
    if (machine->implicit_capture(&on) != nullptr) return kCaptureImplicit;
    *status = on.capture == nullptr ? 0 : on.capture->invalidated ? 2 : 1;
    if (*status != 1) return kSuccess;
    thread_local std::vector<void*> handles;  // valid until the next call
    handles.clear();
    for (const u64 i : on.capture_after) handles.push_back(on.capture->graph->nodes[i].handle);
    if (id != nullptr) *id = on.capture->id;
    if (graph != nullptr) *graph = on.capture->graph->handle;
    if (after != nullptr) *after = handles.data();
    if (after_count != nullptr) *after_count = handles.size();
    return kSuccess;
  });
}

API cuStreamGetCaptureInfo_v3(void* stream, int* status, u64* id, void** graph, void*** after, const void** edges,
                              u64* after_count) {
  if (edges != nullptr) *edges = nullptr;
  return cuStreamGetCaptureInfo_v2(stream, status, id, graph, after, after_count);
}

// --- graphs ---

API cuGraphDestroy(void* graph) {
  return on_graph(graph, [&](Context&, Graph& found) -> int {
    if (is_captured(found)) return kInvalidValue;
    return machine->graphs.remove(graph), kSuccess;
  });
}

// Returns the handles of up to `count` nodes or, if `nodes` is null, the number of nodes.
API cuGraphGetNodes(void* graph, void** nodes, u64* count) {
  return on_graph(graph, [&](Context&, Graph& found) {
    for (u64 i = 0; nodes != nullptr && i < *count; ++i) {
      nodes[i] = i < found.nodes.size() ? found.nodes[i].handle : nullptr;
    }
    *count = nodes == nullptr ? found.nodes.size() : std::min<u64>(*count, found.nodes.size());
    return int{kSuccess};
  });
}

API cuGraphNodeGetType(void* node, int* type) {
  return within([&](Context&) {
    int code = kInvalidValue;
    machine->graphs.each([&](const Graph& graph) {
      for (const Node& each : graph.nodes) {
        if (each.handle == node) *type = each.type, code = kSuccess;
      }
    });
    return code;
  });
}

API cuGraphInstantiateWithFlags(void** exec, void* graph, u64) {
  return on_graph(graph, [&](Context& context, Graph& found) -> int {
    if (is_captured(found)) return kInvalidValue;
    auto made = std::make_unique<GraphExec>();
    made->context = &context;
    made->nodes = std::make_shared<const std::vector<Node>>(found.nodes);
    *exec = machine->graph_execs.add(std::move(made));
    return kSuccess;
  });
}

// The signature since CUDA 12.
API cuGraphInstantiate(void** exec, void* graph, u64 flags) { return cuGraphInstantiateWithFlags(exec, graph, flags); }

API cuGraphExecDestroy(void* exec) {
  return on_exec(exec, [&](Context&, GraphExec&) { return machine->graph_execs.remove(exec), int{kSuccess}; });
}

struct GraphUpdate {  // CUgraphExecUpdateResultInfo
  int result;
  void* node;
  void* from;
};

API cuGraphExecUpdate_v2(void* exec, void* graph, GraphUpdate* update) {
  return on_exec(exec, [&](Context&, GraphExec& found) {
    return on_graph(graph, [&](Context&, Graph& source) -> int {
      const std::vector<Node>& old = *found.nodes;
      const bool same = std::equal(old.begin(), old.end(), source.nodes.begin(), source.nodes.end(),
                                   [](const Node& a, const Node& b) { return a.type == b.type && a.after == b.after; });
      constexpr int kUpdated = 0, kTopologyChanged = 2;
      *update = {same ? kUpdated : kTopologyChanged, nullptr, nullptr};
      if (!same) return kGraphUpdateFailure;
      found.nodes = std::make_shared<const std::vector<Node>>(source.nodes);
      return kSuccess;
    });
  });
}

API cuGraphUpload(void* exec, void* stream) {
  return on_exec(
      exec, [&](Context&, GraphExec&) { return on_stream(stream, [](Context&, Stream&) { return int{kSuccess}; }); });
}

API cuGraphLaunch(void* exec, void* stream) {
  return on_exec(exec, [&](Context&, GraphExec& found) {
    return on_stream(stream, [&](Context& context, Stream& on) -> int {
      if (found.context != &context) return kInvalidValue;
      const int code = machine->enqueue(&on, kGraphNode, [nodes = found.nodes] { return run_nodes(*nodes); });
      if (code != kSuccess || on.capture != nullptr) return code;
      for (const Node& node : *found.nodes) {
        Event* event = node.recorded == nullptr ? nullptr : machine->events.find(node.recorded);
        if (event == nullptr) continue;
        event->ticket = machine->ticket(&on);
        event->recorded = true;
        event->capture = 0;
        event->seconds = std::make_shared<double>(0);
      }
      return kSuccess;
    });
  });
}
