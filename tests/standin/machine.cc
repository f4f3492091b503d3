// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace standin {
namespace {

constexpr u64 kSlotBytes = u64{1} << 32;
constexpr u64 kGarbageBytes = u64{64} << 20;  // filling more of an allocation would use too much of the host's memory

u64 setting(const char* name, u64 otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::strtoull(value, nullptr, 0) : otherwise;
}

u8* map(u64 bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<u8*>(memory);
}

void unmap_slots(Slot* slots) { munmap(slots, kSlots * sizeof(Slot)); }

}  // namespace

void Machine::begin() {
  for (u64 i = 0; i < setting("ENVPOOL_STANDIN_DEVICES", 1); ++i) {
    devices.push_back(std::make_unique<Device>());
    devices.back()->ordinal = static_cast<int>(i);
  }
  memory_bytes = setting("ENVPOOL_STANDIN_MEMORY", memory_bytes);
  const char* name = std::getenv("ENVPOOL_STANDIN_MODE");
  for (const auto& [text, value] : {std::pair("flat", Mode::kFlat),
                                    {"races", Mode::kRaces},
                                    {"sectors", Mode::kSectors},
                                    {"coherent", Mode::kCoherent}}) {
    if (name != nullptr && std::strcmp(name, text) == 0) mode = value;
  }
  for (u32 i = kFirstSlot; i < kSlots; ++i) free_slots_.push_back(i);
}

Context* Machine::make_context(Device* device) {
  Context* context = contexts.find(contexts.add(std::make_unique<Context>()));
  context->device = device;
  context->slots = {reinterpret_cast<Slot*>(map(kSlots * sizeof(Slot))), unmap_slots};
  for (const auto& [address, allocation] : allocations) {  // All devices can access pinned memory.
    if (allocation.pinned) context->slots[allocation.slot] = {allocation.host, allocation.bytes};
  }
  context->legacy = make_stream(context, 0, /*special=*/true);
  return context;
}

void Machine::destroy_context(Context* context) {
  finish(context);
  graph_execs.remove_if([&](const GraphExec& exec) { return exec.context == context; });
  captures.remove_if([&](const Capture& capture) { return capture.context == context; });
  graphs.remove_if([&](const Graph& graph) { return graph.context == context; });
  functions.remove_if([&](const Function& function) { return function.module->context == context; });
  modules.remove_if([&](const Module& module) { return module.context == context; });
  events.remove_if([&](const Event& event) { return event.context == context; });
  streams.remove_if([&](const Stream& stream) {
    if (stream.context == context) by_number_.erase(stream.number);
    return stream.context == context;
  });
  std::vector<u64> mine;
  for (const auto& [address, allocation] : allocations) {
    if (allocation.context == context) mine.push_back(address);
  }
  for (const u64 address : mine) release(address);
  context->device->used -= context->local_bytes * kMultiprocessors * kResidentThreads;
  for (const auto& device : devices) {
    if (device->primary == context->handle) device->primary = nullptr;
  }
  contexts.remove(context->handle);
}

// --- memory ---

int Machine::allocate(Context* context, u64 bytes, bool pinned_memory, Allocation** out) {
  if (bytes == 0) return kInvalidValue;
  if (const int failed = injected_failure(); failed != kSuccess) return failed;
  Device* device = context->device;
  if (!pinned_memory && (bytes > memory_bytes || device->used + bytes > memory_bytes)) return kOutOfMemory;
  Allocation made = {
      context, 0, bytes, nullptr, pinned_memory, 0, static_cast<u32>((bytes + kSlotBytes - 1) / kSlotBytes)};
  // An allocation of more than 4 GiB needs consecutive slots.
  auto first = free_slots_.begin();
  const auto in_a_row = [&] {
    if (free_slots_.end() - first < static_cast<std::ptrdiff_t>(made.slots)) return false;
    for (u32 i = 1; i < made.slots; ++i) {
      if (first[i] != first[0] + i) return false;
    }
    return true;
  };
  while (first != free_slots_.end() && !in_a_row()) ++first;
  if (first == free_slots_.end()) return kOutOfMemory;
  made.host = map(bytes);
  if (made.host == nullptr) return kOutOfMemory;
  if (!pinned_memory) std::memset(made.host, 0xA5, std::min(bytes, kGarbageBytes));  // New memory contains garbage.
  made.slot = *first;
  free_slots_.erase(first, first + made.slots);
  for (u32 i = 0; i < made.slots; ++i) {
    const Slot slot = {made.host + i * kSlotBytes, std::min(bytes - i * kSlotBytes, kSlotBytes)};
    contexts.each([&](Context& other) {
      if (&other == context || pinned_memory) other.slots[made.slot + i] = slot;
    });
  }
  made.address = flat() ? reinterpret_cast<u64>(made.host) : u64{kTag} << 48 | u64{made.slot} << 32;
  if (!pinned_memory) device->used += bytes;
  if (pinned_memory) pinned[reinterpret_cast<u64>(made.host)] = made.address;
  *out = &(allocations[made.address] = made);
  return kSuccess;
}

void Machine::release(u64 address) {
  const auto found = allocations.find(address);
  if (found == allocations.end()) return;
  const Allocation& allocation = found->second;
  for (u32 i = 0; i < allocation.slots; ++i) {
    contexts.each([&](Context& context) { context.slots[allocation.slot + i] = {nullptr, 0}; });
    free_slots_.push_back(allocation.slot + i);
  }
  if (allocation.pinned) {
    pinned.erase(reinterpret_cast<u64>(allocation.host));
  } else {
    allocation.context->device->used -= allocation.bytes;
  }
  munmap(allocation.host, allocation.bytes);
  allocations.erase(found);
}

int Machine::reserve_local(Context* context, u64 bytes_per_thread) {
  if (bytes_per_thread <= context->local_bytes) return kSuccess;
  const u64 more = (bytes_per_thread - context->local_bytes) * kMultiprocessors * kResidentThreads;
  if (context->device->used + more > memory_bytes) return kOutOfMemory;
  context->device->used += more;
  context->local_bytes = bytes_per_thread;
  return kSuccess;
}

Allocation* Machine::owner(u64 address) {
  const auto within = [&](u64 begin, u64 bytes) { return address >= begin && address - begin < bytes; };
  if (auto after = allocations.upper_bound(address); after != allocations.begin()) {
    Allocation& before = std::prev(after)->second;
    if (within(before.address, before.bytes)) return &before;
  }
  if (auto after = pinned.upper_bound(address); after != pinned.begin()) {
    const auto& [begin, device_address] = *std::prev(after);
    Allocation& before = allocations.at(device_address);
    if (within(begin, before.bytes)) return &before;
  }
  return nullptr;
}

u8* Machine::host(Context* context, u64 address, u64 bytes) {
  const Allocation* found = owner(address);
  // In flat mode, an address outside all allocations is a host address, as it is for kernels.
  if (found == nullptr && flat() && address >> 48 == 0 && address >= 4096) return reinterpret_cast<u8*>(address);
  if (found == nullptr || (found->context->device != context->device && !found->pinned)) return nullptr;
  const u64 host_begin = reinterpret_cast<u64>(found->host);
  const u64 offset = address - (address >> 48 == kTag ? found->address : host_begin);
  return bytes <= found->bytes - offset ? found->host + offset : nullptr;
}

u64 Machine::count(const std::string& what) const {
  u64 modules_memory = 0, user_streams = 0;
  modules.each([&](const Module& module) { modules_memory += module.globals.size(); });
  streams.each([&](const Stream& stream) { user_streams += !stream.special && !stream.destroyed; });
  if (what == "allocations") return allocations.size() - modules_memory;
  if (what == "streams") return user_streams;
  if (what == "events") return events.count();
  if (what == "modules") return modules.count();
  if (what == "contexts") return contexts.count();
  if (what == "graphs") return graphs.count();
  if (what == "graph_execs") return graph_execs.count();
  constexpr const char* kNames[kTrafficCounts] = {"load requests", "load sectors", "load bytes",      "store requests",
                                                  "store sectors", "store bytes",  "shared requests", "shared cycles"};
  for (int i = 0; i < kTrafficCounts; ++i) {
    if (what == kNames[i]) return traffic[i];
  }
  return ~u64{0};
}

// --- streams ---

Stream* Machine::make_stream(Context* context, u32 flags, bool special) {
  streams.remove_if([&](const Stream& stream) {
    const bool over = stream.destroyed && stream.work.empty();
    if (over) by_number_.erase(stream.number);
    return over;
  });
  Stream* stream = streams.find(streams.add(std::make_unique<Stream>()));
  stream->context = context;
  stream->flags = flags;
  stream->special = special;
  stream->number = ++stream_numbers_;
  by_number_[stream->number] = stream;
  return stream;
}

Stream* Machine::stream(Context* context, void* handle) {
  const auto number = reinterpret_cast<u64>(handle);
  if (number <= 1) return context->legacy;
  if (number == 2) {
    Stream*& own = context->per_thread[std::this_thread::get_id()];
    if (own == nullptr) own = make_stream(context, 0, /*special=*/true);
    return own;
  }
  Stream* found = streams.find(handle);
  return found == nullptr || found->destroyed ? nullptr : found;
}

void Machine::submit(Stream* stream, std::function<int()> run, std::vector<Ticket> after) {
  constexpr u32 kNonBlocking = 1;
  Context* context = stream->context;
  // The legacy stream waits for all blocking streams, and they wait for it.
  if (stream == context->legacy) {
    streams.each([&](const Stream& other) {
      if (other.context == context && &other != stream && !(other.flags & kNonBlocking))
        after.push_back(ticket(&other));
    });
  } else if (!(stream->flags & kNonBlocking)) {
    after.push_back(ticket(context->legacy));
  }
  ++stream->submitted;
  stream->work.push_back({std::move(run), std::move(after)});
}

bool Machine::reached(const Ticket& ticket) const {
  const auto found = by_number_.find(ticket.stream);
  return found == by_number_.end() || found->second->done >= ticket.at;
}

void Machine::run_next(Stream* stream) {
  Work work = std::move(stream->work.front());
  stream->work.pop_front();
  for (const Ticket& ticket : work.after) reach(ticket);
  if (stream->context->error == kSuccess) stream->context->error = work.run();
  ++stream->done;
}

void Machine::reach(const Ticket& ticket) {
  while (!reached(ticket)) run_next(by_number_.at(ticket.stream));
}

void Machine::finish(Context* context) {
  std::vector<Stream*> all;
  streams.each([&](Stream& stream) {
    if (stream.context == context) all.push_back(&stream);
  });
  // The newest stream runs first, so that a missing wait for an older one shows.
  std::sort(all.begin(), all.end(), [](const Stream* a, const Stream* b) { return a->number > b->number; });
  for (Stream* stream : all) finish(stream);
}

void Machine::advance(Stream* stream) {
  if (!stream->work.empty()) run_next(stream);
}

std::vector<Ticket> Machine::tickets(const Context* context) const {
  std::vector<Ticket> all;
  streams.each([&](const Stream& stream) {
    if (stream.context == context) all.push_back(ticket(&stream));
  });
  return all;
}

}  // namespace standin
