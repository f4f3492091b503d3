// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/driver.h"

#include <map>
#include <mutex>

#include "envpool/core/system/system.h"

namespace envpool::cuda {

namespace {

// Returns whether all later calls in the process return the error too: a kernel accessed an illegal address (700),
// timed out (702), failed an assertion (710), or crashed (714 to 719).
bool is_sticky(Status status) {
  return status == 700 || status == 702 || status == 710 || (status >= 714 && status <= 719);
}

constexpr unsigned kStreamDefault = 0, kEventDisableTiming = 2, kHostPortable = 1, kHostMapped = 2;
constexpr int kThreadLocalCapture = 1, kRelaxedCapture = 2;

}  // namespace

const Driver& Driver::open(const std::string& path) {
  static auto* const mutex = new std::mutex;  // never destroyed: threads of XLA may call the driver during exit
  static auto* const opened = new std::map<std::string, std::unique_ptr<const Driver>>;
  const std::lock_guard lock(*mutex);
  std::unique_ptr<const Driver>& known = (*opened)[path];
  if (known == nullptr) {
    std::string why;
    void* library = open_library(path, why);
    if (library == nullptr) throw std::runtime_error(why);
    const bool stand_in = library_symbol(library, "standinFault") != nullptr;
    std::unique_ptr<Driver> driver(new Driver(path, stand_in));
#define ENVPOOL_CUDA_FIND(member, name, arguments)                                       \
  driver->member = reinterpret_cast<Status(*) arguments>(library_symbol(library, name)); \
  if (driver->member == nullptr) throw std::runtime_error(path + " lacks " + name);
    ENVPOOL_CUDA_CALLS(ENVPOOL_CUDA_FIND)
#undef ENVPOOL_CUDA_FIND
    driver->record_context =
        reinterpret_cast<decltype(driver->record_context)>(library_symbol(library, Driver::name_of_record_context));
    driver->load_function =
        reinterpret_cast<decltype(driver->load_function)>(library_symbol(library, Driver::name_of_load_function));
    driver->stand_in_is_flat_ = reinterpret_cast<int (*)()>(library_symbol(library, "standinFlat"));
    known = std::move(driver);
  }
  return *known;
}

void Driver::check(Status status, const char* call, const char* explanation) const {
  if (status == 0) return;
  const char *name = nullptr, *text = nullptr;
  get_error_name(status, &name);
  get_error_string(status, &text);
  std::string description = text == nullptr ? "the driver has no description of this error" : text;
  if (status == kStubLibrary) {  // the stub does not implement the functions that explain an error either
    name = "CUDA_ERROR_STUB_LIBRARY";
    description = path + " is the CUDA toolkit's stub, not a driver";
  }
  if (is_sticky(status)) {
    description +=
        ". A kernel in this process failed, perhaps one of another library. Every later CUDA call fails: "
        "start a new process";
  }
  if (explanation != nullptr) description += std::string(". ") + explanation;
  throw CudaError(call, status, name == nullptr ? "an unknown error" : name, description);
}

CaptureModeGuard::CaptureModeGuard(const Driver& driver) : driver_(driver), before_(kThreadLocalCapture) {
  driver_.exchange_capture_mode(&before_);
  int relaxed = kRelaxedCapture;
  if (before_ == relaxed) driver_.exchange_capture_mode(&relaxed);  // the thread is even less restricted already
}

CaptureModeGuard::~CaptureModeGuard() { driver_.exchange_capture_mode(&before_); }

// All objects for the context of a device share the number.
static std::shared_ptr<std::atomic<i64>> reserved_stack_of(const Driver& driver, int device) {
  static std::mutex mutex;
  static std::map<std::pair<const Driver*, int>, std::weak_ptr<std::atomic<i64>>> shared;
  const std::lock_guard lock(mutex);
  std::weak_ptr<std::atomic<i64>>& known = shared[{&driver, device}];
  std::shared_ptr<std::atomic<i64>> stack = known.lock();
  if (stack == nullptr) known = stack = std::make_shared<std::atomic<i64>>(0);
  return stack;
}

Context::Context(const Driver& of, int which)
    : driver(of), number(which), pid_(process_id()), reserved_stack_(reserved_stack_of(of, which)) {
  ENVPOOL_CUDA(driver, device_get, &device_, number);
  ENVPOOL_CUDA(driver, retain_context, &handle_, device_);
}

Context::~Context() {
  if (!forked()) driver.release_context(device_);
}

void Context::note_stack(i64 bytes) const {
  i64 reserved = *reserved_stack_;
  while (reserved < bytes && !reserved_stack_->compare_exchange_weak(reserved, bytes)) continue;
}

bool Context::forked() const { return pid_ != process_id(); }

int Context::attribute(int which) const {
  int value = 0;
  ENVPOOL_CUDA(driver, device_attribute, &value, which, device_);
  return value;
}

Context::Current::Current(const Context& context) : context_(context), usable_(!context.forked()) {
  if (usable_) usable_ = context.driver.push_context(context.handle_) == 0;
  if (usable_) guard_.emplace(context.driver);
}

Context::Current::~Current() {
  Handle popped;
  guard_.reset();
  if (usable_) context_.driver.pop_context(&popped);
}

Owned<Handle> make_stream(std::shared_ptr<const Context> context, WithLegacyStream order) {
  const Context::Current current(*context);
  Handle stream = nullptr;
  ENVPOOL_CUDA(context->driver, create_stream, &stream,
               order == WithLegacyStream::kInOrder ? kStreamDefault : kStreamNonBlocking);
  const auto destroy = context->driver.destroy_stream;
  return {std::move(context), stream, destroy};
}

Owned<Handle> make_event(std::shared_ptr<const Context> context) {
  const Context::Current current(*context);
  Handle event = nullptr;
  ENVPOOL_CUDA(context->driver, create_event, &event, kEventDisableTiming);
  const auto destroy = context->driver.destroy_event;
  return {std::move(context), event, destroy};
}

Owned<Handle> load_module(std::shared_ptr<const Context> context, const std::string& image) {
  const Context::Current current(*context);
  Handle module = nullptr;
  ENVPOOL_CUDA(context->driver, load_module, &module, image.c_str());
  const auto unload = context->driver.unload_module;
  return {std::move(context), module, unload};
}

Handle kernel_of(const Driver& driver, const Owned<Handle>& module, const char* name) {
  Handle kernel = nullptr;
  ENVPOOL_CUDA(driver, get_function, &kernel, module.get(), name);
  if (driver.load_function != nullptr) ENVPOOL_CUDA(driver, load_function, kernel);
  return kernel;
}

Memory::Memory(std::shared_ptr<const Context> context, i64 bytes) : bytes_(bytes) {
  const Context::Current current(*context);
  Address address = 0;
  ENVPOOL_CUDA(context->driver, allocate, &address, Size(bytes < 1 ? 1 : bytes));
  const auto free = context->driver.free;
  owned_ = Owned<Address>(std::move(context), address, free);
}

PinnedMemory::PinnedMemory(const std::shared_ptr<const Context>& context, i64 bytes) {
  const Context::Current current(*context);
  void* memory = nullptr;
  ENVPOOL_CUDA(context->driver, allocate_host, &memory, Size(bytes < 1 ? 1 : bytes), kHostPortable | kHostMapped);
  owned_ = Owned<void*>(context, memory, context->driver.free_host);
}

Word::Word(const std::shared_ptr<const Context>& context) : memory_(context, sizeof(u64)) {
  const Context::Current current(*context);
  *static_cast<u64*>(memory_.data()) = 0;
  ENVPOOL_CUDA(context->driver, device_pointer, &address_, memory_.data(), 0);
}

u64 Word::take() {
  auto* word = static_cast<u64*>(memory_.data());
  if (*static_cast<volatile u64*>(word) == 0) return 0;
  return __atomic_exchange_n(word, u64{0}, __ATOMIC_ACQ_REL);  // a kernel may write at the same time
}

}  // namespace envpool::cuda
