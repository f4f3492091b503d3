// SPDX-License-Identifier: Apache-2.0
//
// The C code at the beginning of every translated module: memory accesses with bounds checks, a GPU's arithmetic, and
// the threads of a block. If a kernel has barriers, shuffles or votes, each thread is a coroutine. Otherwise, each
// thread is a plain function call.

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef float f32;
typedef double f64;
typedef struct Thread Thread;
typedef struct Block Block;
typedef struct Races Races;
typedef struct Sectors Sectors;

enum { kUnbounded = 0xFFFFFFFF, kBarriers = 16, kGarbage = 0xA5, kStack = 1 << 21 };
typedef enum { kReady, kAtBarrier, kInWarp, kLeft } State;
typedef enum {
  kSync,
  kPopc,
  kAnd,
  kOr,
  kUp,
  kDown,
  kButterfly,
  kIndex,
  kAll,
  kAny,
  kUniform,
  kBallot,
  kAdd,
  kMin,
  kMax,
  kMinSigned,
  kMaxSigned,
  kBitAnd,
  kBitOr,
  kBitXor,
  kWarpSync
} Rendezvous;

struct Thread {
  Launch* launch;
  Block* block;
  const u32* ctaid;
  u32 tid[3], rank, dynamic;  // `dynamic` is where dynamic shared memory begins
  u8* local;
  u32 local_top, local_bytes;
  State state;
  Rendezvous rendezvous;
  u32 mask, barrier, expected;  // of the rendezvous: its lanes in a warp, or the barrier and its number of threads
  u32 value, other, limits;     // the thread's operands
  u32 result;
  int predicate, started;
  u32 line;  // of the instruction that accesses memory; sectors.h sets it
  jmp_buf place;
  ucontext_t context;
};

struct Block {
  void (*body)(Thread* t);
  Thread* threads;
  u32 count, ctaid[3];
  u32 arrived[kBarriers], expected[kBarriers];  // counts of bar.arrive, which does not wait
  jmp_buf scheduler, out;
  Races* races;
  Sectors* sectors;
};

// Describes how an instruction accesses memory. Atomic and volatile accesses are strong.
typedef enum { kReads = 1, kWrites = 2, kStrong = 4 } AccessKind;

// The hooks of the race detector, races.h, and of the counters of memory requests, sectors.h.
#if defined(ENVPOOL_STANDIN_RACES) || defined(ENVPOOL_STANDIN_SECTORS)
static void watch_launch(Block* b, const Launch* launch);
static void watch_block(Block* b);
static void note_access(Thread* t, const Slot* slots, u64 address, u32 bytes, AccessKind kind, const char* what);
static void end_watch(Block* b, const Launch* launch);
#else
#define watch_launch(b, launch)
#define watch_block(b)
#define note_access(t, slots, address, bytes, kind, what)
#define end_watch(b, launch)
#endif
#ifdef ENVPOOL_STANDIN_RACES
static void begin_rendezvous(Block* b);
static void bring_clock(Block* b, const Thread* t);
static void bring_arrived(Block* b, u32 barrier);
static void take_clock(Block* b, const Thread* t);
static void note_arrival(Thread* t, u32 barrier);
#else
#define begin_rendezvous(b)
#define bring_clock(b, t)
#define bring_arrived(b, barrier)
#define take_clock(b, t)
#define note_arrival(t, barrier)
#endif

// --- faults ---

__attribute__((noreturn, noinline)) static void fail(Thread* t, int code, const char* what, const char* why) {
  snprintf(t->launch->fault, sizeof(t->launch->fault), "%s: %s, in thread (%u, %u, %u) of block (%u, %u, %u)", what,
           why, t->tid[0], t->tid[1], t->tid[2], t->ctaid[0], t->ctaid[1], t->ctaid[2]);
  _longjmp(t->block->out, code);
}

// --- memory ---

#define WINDOW(slot) ((u64)kTag << 48 | (u64)(slot) << 32)
#define SHARED(address) (WINDOW(kSharedSlot) | (u32)(address))

__attribute__((noinline)) static u8* report_bad_address(Thread* t, u64 address, u32 bytes, const char* what) {
  char why[160];
  if (address & (bytes - 1)) {
    snprintf(why, sizeof(why), "the address %#llx is not a multiple of %u", (unsigned long long)address, bytes);
    fail(t, kMisalignedAddress, what, why);
  }
  if (address >> 48 != kTag) {
    if (t->launch->flat && address >= 4096) return (u8*)address;
    snprintf(why, sizeof(why), "%#llx is not a device address", (unsigned long long)address);
  } else {
    snprintf(why, sizeof(why), "%u bytes at offset %u of an allocation of %llu bytes (0: freed), at %#llx", bytes,
             (u32)address, (unsigned long long)t->launch->slots[address >> 32 & (kSlots - 1)].bytes,
             (unsigned long long)address);
  }
  fail(t, kIllegalAddress, what, why);
}

// Returns the host's pointer to device memory, after checking bounds and alignment. `slots` are the launch's.
static inline u8* at(Thread* t, const Slot* slots, u64 address, u32 bytes, AccessKind kind, const char* what) {
  const u64 number = (address >> 32) - ((u64)kTag << 16);
  if (__builtin_expect(number < kSlots && (u32)address + (u64)bytes <= slots[number].bytes && !(address & (bytes - 1)),
                       1)) {
    note_access(t, slots, address, bytes, kind, what);
    return slots[number].host + (u32)address;
  }
  return report_bad_address(t, address, bytes, what);
}

#define LOAD_AND_STORE(T)                 \
  static inline T load_##T(const u8* p) { \
    T x;                                  \
    memcpy(&x, p, sizeof(x));             \
    return x;                             \
  }                                       \
  static inline void store_##T(u8* p, T x) { memcpy(p, &x, sizeof(x)); }
LOAD_AND_STORE(u8)
LOAD_AND_STORE(u16)
LOAD_AND_STORE(u32)
LOAD_AND_STORE(u64)
LOAD_AND_STORE(i8)
LOAD_AND_STORE(i16)
LOAD_AND_STORE(i32)
LOAD_AND_STORE(i64)

// Allocates from the thread's stack of local memory; the caller frees it by restoring `local_top`.
static inline u64 local(Thread* t, u32 bytes, const char* what) {
  const u32 begin = (t->local_top + 15) / 16 * 16;
  if (begin + bytes > t->local_bytes) fail(t, kLaunchFailed, what, "local memory is exhausted by recursion");
  t->local_top = begin + bytes;
  return WINDOW(kLocalSlot) | begin;
}

// Copies a kernel's parameter to local memory, so that it has an address like other memory.
static inline u64 addressable(Thread* t, const u8* parameter, u32 bytes, const char* what) {
  const u64 copy = local(t, bytes, what);
  memcpy(t->local + (u32)copy, parameter, bytes);
  return copy;
}

// --- arithmetic ---

static inline f32 as_f32(u32 bits) {
  f32 x;
  memcpy(&x, &bits, 4);
  return x;
}
static inline f64 as_f64(u64 bits) {
  f64 x;
  memcpy(&x, &bits, 8);
  return x;
}
// The only 32-bit NaN that a GPU's arithmetic returns is 0x7FFFFFFF. 64-bit NaNs keep their payload, as on the host.
static inline u32 of_f32(f32 x) {
  u32 bits;
  memcpy(&bits, &x, 4);
  return x != x ? 0x7FFFFFFF : bits;
}
static inline u64 of_f64(f64 x) {
  u64 bits;
  memcpy(&bits, &x, 8);
  return bits;
}

// If one operand is a NaN, the result is the other one; -0 is less than +0.
#define MINIMUM_AND_MAXIMUM(T)                                                                                       \
  static inline T min_##T(T a, T b) { return a != a ? b : b != b ? a : a < b ? a : b < a ? b : signbit(a) ? a : b; } \
  static inline T max_##T(T a, T b) { return a != a ? b : b != b ? a : a > b ? a : b > a ? b : signbit(a) ? b : a; }
MINIMUM_AND_MAXIMUM(f32)
MINIMUM_AND_MAXIMUM(f64)

// Converts a number without a fraction to an integer type. If the number is out of range, the result saturates.
static inline u64 to_whole(f64 x, f64 low, f64 high, u64 lowest, u64 highest, u64 nan) {
  return x != x ? nan : x <= low ? lowest : x >= high ? highest : x < 0 ? (u64)(i64)x : (u64)x;
}

static inline u32 brev32(u32 x) {
  u32 y = 0;
  for (int i = 0; i < 32; ++i) y |= (x >> i & 1) << (31 - i);
  return y;
}
static inline u64 brev64(u64 x) { return (u64)brev32(x) << 32 | brev32(x >> 32); }
static inline u32 permute(u32 a, u32 b, u32 select) {
  u32 y = 0;
  for (int i = 0; i < 4; ++i, select >>= 4) {
    u32 byte = (u8)(((u64)b << 32 | a) >> 8 * (select & 7));
    y |= (select & 8 ? (u8) - (byte >> 7) : byte) << 8 * i;
  }
  return y;
}
// Extracts `count` bits from `begin` on, sign-extended if `is_signed`.
static inline u64 field(u64 x, u32 begin, u32 count, int width, int is_signed) {
  begin &= 255, count &= 255;
  const u64 sign =
      is_signed && count ? x >> (begin + count - 1 < (u32)width ? begin + count - 1 : (u32)width - 1) & 1 : 0;
  const u64 value = begin < (u32)width ? x >> begin : 0, mask = count >= 64 ? ~0ull : (1ull << count) - 1;
  const u32 room = begin < (u32)width ? (u32)width - begin : 0, kept = count < room ? count : room;
  const u64 low = kept >= 64 ? ~0ull : (1ull << kept) - 1;
  return (value & mask & low) | (sign ? ~low : 0);
}
#define DP2A(H, B, a, b, c) ((c) + (H)(a) * (B)(b) + (H)((a) >> 16) * (B)((b) >> 8))

// --- barriers and warps ---

static void yield_to_scheduler(Thread* t) {
  if (!_setjmp(t->place)) _longjmp(t->block->scheduler, 1);
}

static void at_barrier(Thread* t, Rendezvous rendezvous, u32 barrier, u32 expected, u32 value, const char* what) {
  if (barrier >= kBarriers) fail(t, kIllegalInstruction, what, "there are 16 barriers, 0 to 15");
  if (expected != kUnbounded && (expected == 0 || expected % 32)) {
    fail(t, kIllegalInstruction, what, "the number of a barrier's threads is not a multiple of 32");
  }
  t->rendezvous = rendezvous, t->barrier = barrier, t->expected = expected, t->value = value;
  t->state = kAtBarrier;
  yield_to_scheduler(t);
}

static void arrive(Thread* t, u32 barrier, u32 expected, const char* what) {
  if (barrier >= kBarriers) fail(t, kIllegalInstruction, what, "there are 16 barriers, 0 to 15");
  ++t->block->arrived[barrier];
  note_arrival(t, barrier);
  t->block->expected[barrier] = expected;
}

static void in_warp(Thread* t, Rendezvous rendezvous, u32 mask, u32 value, u32 other, u32 limits, const char* what) {
  if (!(mask >> (t->rank & 31) & 1)) fail(t, kIllegalInstruction, what, "the lane is not in its own mask");
  t->rendezvous = rendezvous, t->mask = mask, t->value = value, t->other = other, t->limits = limits;
  t->state = kInWarp;
  yield_to_scheduler(t);
}

// Releases the threads at a barrier if all have arrived. Threads that have returned need not arrive.
static int release_barrier(Block* b, u32 barrier, u32 alive) {
  u32 waiting = 0, ones = 0, expected = b->expected[barrier];
  for (u32 i = 0; i < b->count; ++i) {
    const Thread* t = &b->threads[i];
    if (t->state != kAtBarrier || t->barrier != barrier) continue;
    ++waiting;
    ones += t->value;
    if (t->expected != kUnbounded) expected = t->expected;
  }
  if (waiting == 0 || waiting + b->arrived[barrier] < (expected ? expected : alive)) return 0;
  begin_rendezvous(b);
  bring_arrived(b, barrier);
  for (u32 i = 0; i < b->count; ++i) {
    const Thread* t = &b->threads[i];
    if (t->state == kAtBarrier && t->barrier == barrier) bring_clock(b, t);
  }
  for (u32 i = 0; i < b->count; ++i) {
    Thread* t = &b->threads[i];
    if (t->state != kAtBarrier || t->barrier != barrier) continue;
    take_clock(b, t);
    t->result = t->rendezvous == kPopc ? ones : t->rendezvous == kAnd ? ones == waiting : ones > 0;
    t->state = kReady;
  }
  b->arrived[barrier] = b->expected[barrier] = 0;
  return 1;
}

static void shuffle(const Thread* warp, Thread* t, u32 group) {
  const i32 lane = t->rank & 31, move = t->other & 31, segment = t->limits >> 8 & 31, clamp = t->limits & 31;
  const i32 lowest = lane & segment, highest = lowest | (clamp & ~segment);
  i32 from = t->rendezvous == kUp          ? lane - move
             : t->rendezvous == kDown      ? lane + move
             : t->rendezvous == kButterfly ? lane ^ move
                                           : lowest | (move & ~segment);
  t->predicate = t->rendezvous == kUp ? from >= highest : from <= highest;
  if (!t->predicate) from = lane;
  t->result = group >> from & 1 ? warp[from].value : 0xDEADDEAD;  // The value of an absent lane is undefined.
}

static void exchange(const Thread* warp, Thread* t, u32 group) {
  u32 ballot = 0, sum = 0, low = ~0u, high = 0, all = ~0u, any = 0, odd = 0;
  i32 least = INT32_MAX, most = INT32_MIN;
  for (u32 i = 0; i < 32; ++i) {
    if (!(group >> i & 1)) continue;
    const u32 x = warp[i].value;
    ballot |= (u32)(x != 0) << i;
    sum += x, all &= x, any |= x, odd ^= x;
    low = x < low ? x : low, high = x > high ? x : high;
    least = (i32)x < least ? (i32)x : least, most = (i32)x > most ? (i32)x : most;
  }
  switch (t->rendezvous) {
    case kAll: t->result = ballot == group; break;
    case kAny: t->result = ballot != 0; break;
    case kUniform: t->result = ballot == 0 || ballot == group; break;
    case kBallot: t->result = ballot; break;
    case kAdd: t->result = sum; break;
    case kMin: t->result = low; break;
    case kMax: t->result = high; break;
    case kMinSigned: t->result = (u32)least; break;
    case kMaxSigned: t->result = (u32)most; break;
    case kBitAnd: t->result = all; break;
    case kBitOr: t->result = any; break;
    case kBitXor: t->result = odd; break;
    case kUp:
    case kDown:
    case kButterfly:
    case kIndex: shuffle(warp, t, group); break;
    default: break;
  }
}

// For each mask, releases its lanes if all of them have arrived.
static int release_warp(Block* b, Thread* warp, u32 lanes) {
  u32 present = 0;
  int released = 0;
  for (u32 i = 0; i < lanes; ++i) present |= (u32)(warp[i].state != kLeft) << i;
  for (u32 i = 0; i < lanes; ++i) {
    if (warp[i].state != kInWarp) continue;
    const u32 group = warp[i].mask & present;
    int whole = 1;
    for (u32 j = 0; j < lanes; ++j) {
      if (!(group >> j & 1)) continue;
      whole &= warp[j].state == kInWarp && warp[j].mask == warp[i].mask && warp[j].rendezvous == warp[i].rendezvous;
    }
    if (!whole) continue;
    for (u32 j = 0; j < lanes; ++j) {
      if (group >> j & 1) exchange(warp, &warp[j], group);
    }
    begin_rendezvous(b);
    for (u32 j = 0; j < lanes; ++j) {
      if (group >> j & 1 && warp[j].rendezvous == kWarpSync) bring_clock(b, &warp[j]);
    }
    for (u32 j = 0; j < lanes; ++j) {
      if (group >> j & 1 && warp[j].rendezvous == kWarpSync) take_clock(b, &warp[j]);
      if (group >> j & 1) warp[j].state = kReady;
    }
    released = 1;
  }
  return released;
}

static void run_thread(u32 low, u32 high) {
  Thread* t = (Thread*)((u64)high << 32 | low);
  for (;;) {  // for each block
    t->block->body(t);
    t->state = kLeft;
    yield_to_scheduler(t);
  }
}

static void begin_thread(Thread* t) {
  t->local_top = 0;
  t->state = kReady;
  memset(t->local, kGarbage, t->local_bytes);
}

static void run_together(Block* b) {
  Slot* window = &b->threads[0].launch->slots[kLocalSlot];
  for (u32 i = 0; i < b->count; ++i) begin_thread(&b->threads[i]);
  memset(b->arrived, 0, sizeof(b->arrived));
  memset(b->expected, 0, sizeof(b->expected));
  for (;;) {
    // The last thread runs first, unlike in a loop on the host, so that a dependency on the order changes the results.
    for (volatile u32 i = b->count; i > 0; --i) {
      Thread* t = &b->threads[i - 1];
      if (t->state != kReady) continue;
      window->host = t->local;
      if (_setjmp(b->scheduler)) continue;
      if (t->started) _longjmp(t->place, 1);
      t->started = 1;
      setcontext(&t->context);
    }
    u32 alive = 0;
    int released = 0;
    for (u32 i = 0; i < b->count; ++i) alive += b->threads[i].state != kLeft;
    if (alive == 0) return;
    for (u32 i = 0; i < b->count; i += 32)
      released |= release_warp(b, b->threads + i, b->count - i < 32 ? b->count - i : 32);
    for (u32 i = 0; i < kBarriers; ++i) released |= release_barrier(b, i, alive);
    if (!released) {
      Thread* t = b->threads;
      while (t->state == kLeft) ++t;
      fail(t, kTimeout, t->state == kAtBarrier ? "bar" : "a warp's instruction",
           "it waits for threads that never arrive; a GPU would hang");
    }
  }
}

static void run_in_turn(Block* b) {
  Slot* window = &b->threads[0].launch->slots[kLocalSlot];
  for (u32 i = 0; i < b->count; ++i) {
    Thread* t = &b->threads[i];
    begin_thread(t);
    window->host = t->local;
    b->body(t);
  }
}

// Runs all blocks one after another. `shared_bytes` and `local_bytes` are the sizes that the kernel declares.
static int launch_kernel(Launch* launch, void (*body)(Thread* t), int together, u32 shared_bytes, u32 local_bytes) {
  static u8* stacks;  // kept for the next launch
  static u64 stacks_bytes;
  Block block = {.body = body, .count = launch->block[0] * launch->block[1] * launch->block[2]};
  const u32 dynamic = (shared_bytes + 15) / 16 * 16, all_shared = dynamic + launch->dynamic_bytes;
  const u32 count = block.count, rounded = (local_bytes + 15) / 16 * 16, locals = together ? count : 1;
  u8* shared = malloc(all_shared + 1);
  u8* local = malloc((u64)locals * rounded + 1);
  block.threads = calloc(count, sizeof(Thread));
  launch->slots[kSharedSlot] = (Slot){shared, all_shared};
  launch->slots[kLocalSlot] = (Slot){local, rounded};
  if (together && stacks_bytes < (u64)count * kStack) {
    if (stacks) munmap(stacks, stacks_bytes);
    stacks_bytes = (u64)count * kStack;
    stacks = mmap(0, stacks_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  for (u32 i = 0; i < count; ++i) {
    Thread* t = &block.threads[i];
    t->launch = launch, t->block = &block, t->ctaid = block.ctaid, t->rank = i, t->dynamic = dynamic;
    t->tid[0] = i % launch->block[0], t->tid[1] = i / launch->block[0] % launch->block[1];
    t->tid[2] = i / launch->block[0] / launch->block[1];
    t->local = local + (together ? (u64)i * rounded : 0), t->local_bytes = rounded;
    if (!together) continue;
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = stacks + (u64)i * kStack;
    t->context.uc_stack.ss_size = kStack;
    makecontext(&t->context, (void (*)(void))run_thread, 2, (u32)(u64)t, (u32)((u64)t >> 32));
  }
  watch_launch(&block, launch);
  const int code = _setjmp(block.out);
  if (!code) {
    for (block.ctaid[2] = 0; block.ctaid[2] < launch->grid[2]; ++block.ctaid[2]) {
      for (block.ctaid[1] = 0; block.ctaid[1] < launch->grid[1]; ++block.ctaid[1]) {
        for (block.ctaid[0] = 0; block.ctaid[0] < launch->grid[0]; ++block.ctaid[0]) {
          memset(shared, kGarbage, all_shared);
          watch_block(&block);
          (together ? run_together : run_in_turn)(&block);
        }
      }
    }
  }
  end_watch(&block, launch);
  free(block.threads);
  free(local);
  free(shared);
  launch->slots[kSharedSlot] = launch->slots[kLocalSlot] = (Slot){0, 0};
  return code;
}

// assert() of CUDA C calls this.
__attribute__((unused)) static void P___assertfail(Thread* t, u8* result, u8* message, u8* file, u8* line, u8* function,
                                                   u8* size) {
  char why[160];
  const char* text = (const char*)at(t, t->launch->slots, load_u64(message), 1, kReads, "assert");
  snprintf(why, sizeof(why), "assertion `%.100s` failed at line %u", text, load_u32(line));
  fail(t, kAssert, "assert", why);
}
