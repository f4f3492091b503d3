// SPDX-License-Identifier: Apache-2.0
//
// The race detector. In modules that are compiled with ENVPOOL_STANDIN_MODE=races, this code comes after threads.h.
//
// Two accesses to a byte by different threads race if one of them writes, one of them is weak (neither atomic nor
// volatile), and no barrier comes between them. Within a block, each thread has a vector clock that says which accesses
// of other threads come before its own because of a barrier. Nothing orders the blocks of a launch. A shuffle or vote
// is not a memory barrier, so it orders nothing either.
//
// For each byte, the detector keeps the last write and two reads. If a third read is concurrent with both, it is not
// kept, and a later write that races only with this read is missed. This can happen only if named barriers order the
// write after the other two reads.

typedef struct {
  u64 block;  // number of the block in the launch, counted from 1; 0: there was no access
  u32 clock;  // the thread's own clock
  u16 thread;
  u8 strong;
} Access;

typedef struct {
  Access write, reads[2];
} Byte;

enum { kPageBits = 10, kPageBytes = 1 << kPageBits };

struct Races {
  u64 block;             // number of the current block
  u32 count;             // threads in a block
  u32* clocks;           // clocks[j * count + i] is the clock of thread i as thread j knows it
  u32* joined;           // the maximum of the clocks of the threads in a rendezvous
  u32* arrived;          // the maximum of the clocks at bar.arrive, for each barrier
  Byte** slots[kSlots];  // pages of the bytes of each slot
};

static u64 pages_of(u64 bytes) { return (bytes + kPageBytes - 1) >> kPageBits; }

static void watch_launch(Block* b, const Launch* launch) {
  (void)launch;
  Races* races = b->races = calloc(1, sizeof(Races));
  races->count = b->count;
  races->clocks = calloc((u64)b->count * b->count, sizeof(u32));
  races->joined = calloc(b->count, sizeof(u32));
  races->arrived = calloc((u64)kBarriers * b->count, sizeof(u32));
}

static void end_watch(Block* b, const Launch* launch) {
  Races* races = b->races;
  for (u32 i = 0; i < kSlots; ++i) {
    if (!races->slots[i]) continue;
    for (u64 page = 0; page < pages_of(launch->slots[i].bytes); ++page) free(races->slots[i][page]);
    free(races->slots[i]);
  }
  free(races->arrived);
  free(races->joined);
  free(races->clocks);
  free(races);
}

static void watch_block(Block* b) {
  Races* races = b->races;
  ++races->block;
  memset(races->clocks, 0, (u64)races->count * races->count * sizeof(u32));
  memset(races->arrived, 0, (u64)kBarriers * races->count * sizeof(u32));
  for (u32 i = 0; i < races->count; ++i) races->clocks[i * (u64)races->count + i] = 1;
}

static void join_clock(u32* to, const u32* from, u32 count) {
  for (u32 i = 0; i < count; ++i) to[i] = to[i] < from[i] ? from[i] : to[i];
}

// Adds a thread's clock to the rendezvous. It represents all that the thread has accessed so far.
static void bring_clock(Block* b, const Thread* t) {
  join_clock(b->races->joined, b->races->clocks + (u64)t->rank * b->races->count, b->races->count);
}

// Makes the thread's next accesses come after all accesses that were added to the rendezvous.
static void take_clock(Block* b, const Thread* t) {
  u32* clock = b->races->clocks + (u64)t->rank * b->races->count;
  memcpy(clock, b->races->joined, b->races->count * sizeof(u32));
  ++clock[t->rank];
}

static void begin_rendezvous(Block* b) { memset(b->races->joined, 0, b->races->count * sizeof(u32)); }

static void note_arrival(Thread* t, u32 barrier) {
  Races* races = t->block->races;
  u32* clock = races->clocks + (u64)t->rank * races->count;
  join_clock(races->arrived + (u64)barrier * races->count, clock, races->count);
  ++clock[t->rank];
}

static void bring_arrived(Block* b, u32 barrier) {
  u32* arrived = b->races->arrived + (u64)barrier * b->races->count;
  join_clock(b->races->joined, arrived, b->races->count);
  memset(arrived, 0, b->races->count * sizeof(u32));
}

// Returns whether an earlier access comes before the thread's current access, by program order or because of a barrier.
static int is_before(const Access* earlier, const Thread* t) {
  const Races* races = t->block->races;
  return earlier->block == races->block &&
         races->clocks[(u64)t->rank * races->count + earlier->thread] >= earlier->clock;
}

static int conflicts(const Access* earlier, const Thread* t, int strong, int is_shared) {
  const Races* races = t->block->races;
  if (earlier->block == 0 || (is_shared && earlier->block != races->block)) return 0;
  return !(earlier->strong && strong) && !is_before(earlier, t);
}

__attribute__((noreturn, noinline)) static void race(Thread* t, const Access* earlier, u64 address, int writes,
                                                     int wrote, const char* what) {
  const Launch* launch = t->launch;
  const u32 slot = address >> 32 & (kSlots - 1), thread = earlier->thread;
  const u64 block = earlier->block - 1;
  char place[96], why[320];
  if (slot == kSharedSlot) {
    snprintf(place, sizeof(place), "byte %u of shared memory", (u32)address);
  } else {
    snprintf(place, sizeof(place), "%#llx, byte %u of %llu bytes of memory", (unsigned long long)address, (u32)address,
             (unsigned long long)launch->slots[slot].bytes);
  }
  snprintf(why, sizeof(why),
           "a race: it %s %s, which thread (%u, %u, %u) of block (%u, %u, %u) has %s without a barrier",
           writes ? "writes" : "reads", place, thread % launch->block[0], thread / launch->block[0] % launch->block[1],
           thread / launch->block[0] / launch->block[1], (u32)(block % launch->grid[0]),
           (u32)(block / launch->grid[0] % launch->grid[1]), (u32)(block / launch->grid[0] / launch->grid[1]),
           wrote ? "written" : "read");
  fail(t, kLaunchFailed, what, why);
}

static Byte* byte_of(Races* races, const Slot* slot, u64 address) {
  Byte*** pages = &races->slots[address >> 32 & (kSlots - 1)];
  const u32 offset = (u32)address;
  if (!*pages) *pages = calloc(pages_of(slot->bytes), sizeof(Byte*));
  Byte** page = &(*pages)[offset >> kPageBits];
  if (!*page) *page = calloc(kPageBytes, sizeof(Byte));
  return *page + (offset & (kPageBytes - 1));
}

static void keep_read(Byte* byte, const Access* now, const Thread* t, int is_shared) {
  Access* kept = byte->reads;
  Access* place = kept[0].block != now->block && kept[1].block != now->block ? &kept[1] : 0;
  for (int i = 1; i >= 0; --i) {
    const int stale = kept[i].block == 0 || (is_shared && kept[i].block != now->block) || is_before(&kept[i], t);
    if (stale) place = &kept[i];
  }
  if (!place) return;
  // If the thread has already read the byte weakly since its last barrier, the recorded read stays weak, because a weak
  // read conflicts with more accesses.
  const int same = place->block == now->block && place->thread == now->thread && place->clock == now->clock;
  const u8 strong = same ? place->strong & now->strong : now->strong;
  *place = *now;
  place->strong = strong;
}

static void note_access(Thread* t, const Slot* slots, u64 address, u32 bytes, AccessKind kind, const char* what) {
  if (address >> 48 != kTag) return;
  const u32 slot = address >> 32 & (kSlots - 1);
  if (slot == kLocalSlot) return;
  Races* races = t->block->races;
  const int strong = kind & kStrong, writes = kind & kWrites, is_shared = slot == kSharedSlot;
  const Access now = {races->block, races->clocks[(u64)t->rank * races->count + t->rank], (u16)t->rank, strong != 0};
  for (u32 i = 0; i < bytes; ++i) {
    Byte* byte = byte_of(races, &slots[slot], address + i);
    if (conflicts(&byte->write, t, strong, is_shared)) race(t, &byte->write, address + i, writes, 1, what);
    if (writes) {
      for (int j = 0; j < 2; ++j) {
        if (conflicts(&byte->reads[j], t, strong, is_shared)) race(t, &byte->reads[j], address + i, 1, 0, what);
      }
      byte->write = now;
    }
    if (kind & kReads) keep_read(byte, &now, t, is_shared);
  }
}
