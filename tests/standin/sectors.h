// SPDX-License-Identifier: Apache-2.0
//
// Counts the memory requests of warps (TrafficCount in module.h). In modules that are compiled with
// ENVPOOL_STANDIN_MODE=sectors, this code comes after threads.h.
//
// A GPU accesses global memory in sectors of 32 bytes. If the lanes of a warp execute an instruction together, this is
// one request, which accesses each sector once, no matter how many lanes use it. Lanes are assumed to execute an
// instruction together if they execute it for the same time in their thread; on a GPU, lanes that diverge may execute
// it at different times, so the counts are lower bounds. Caches are not simulated. Local memory is not counted.

typedef unsigned __int128 u128;

// The accesses of a warp to one space. Each is a number: the instruction's line in the C code, how often the thread had
// executed it before, and the sector, or the word of shared memory.
typedef struct {
  u128* keys;
  u64 count, room;
} Accesses;

enum { kLoads, kStores, kShared, kSpaces, kSectorBytes = 32, kWordBytes = 4, kBanks = 32, kMostLines = 1 << 20 };

struct Sectors {
  u32 count;                   // threads in a block
  u32** executed;              // of each thread: how often it has executed each line in this block
  Accesses (*warps)[kSpaces];  // of each warp
  u8* touched[kSlots];         // of each slot: 1 for each byte that was read, 2 for each byte that was written
};

static void watch_launch(Block* b, const Launch* launch) {
  (void)launch;
  Sectors* sectors = b->sectors = calloc(1, sizeof(Sectors));
  sectors->count = b->count;
  sectors->executed = calloc(b->count, sizeof(u32*));
  sectors->warps = calloc((b->count + 31) / 32, sizeof(*sectors->warps));
}

static int compare_keys(const void* a, const void* b) {
  const u128 x = *(const u128*)a, y = *(const u128*)b;
  return (x > y) - (x < y);
}

#define REQUEST_OF(key) ((u64)((key) >> 64))

// Sorts the accesses and removes duplicates.
static void make_distinct(Accesses* all) {
  if (all->count == 0) return;
  qsort(all->keys, all->count, sizeof(u128), compare_keys);
  u64 kept = 1;
  for (u64 i = 1; i < all->count; ++i) {
    if (all->keys[i] != all->keys[kept - 1]) all->keys[kept++] = all->keys[i];
  }
  all->count = kept;
}

static void count_global(Accesses* all, u64* requests, u64* sectors) {
  make_distinct(all);
  for (u64 i = 0; i < all->count; ++i) *requests += i == 0 || REQUEST_OF(all->keys[i]) != REQUEST_OF(all->keys[i - 1]);
  *sectors += all->count;
}

static void count_shared(Accesses* all, u64* requests, u64* cycles) {
  make_distinct(all);
  for (u64 i = 0, end; i < all->count; i = end) {
    u32 words[kBanks] = {0}, most = 0;
    for (end = i; end < all->count && REQUEST_OF(all->keys[end]) == REQUEST_OF(all->keys[i]); ++end) {
      const u32 now = ++words[(u64)all->keys[end] % kBanks];
      most = most < now ? now : most;
    }
    *requests += 1;
    *cycles += most;
  }
}

// Counts the requests of the block that has run.
static void end_block(Block* b, u64* traffic) {
  Sectors* sectors = b->sectors;
  for (u32 i = 0; i < sectors->count; ++i) {
    free(sectors->executed[i]);
    sectors->executed[i] = 0;
  }
  for (u32 i = 0; i < (sectors->count + 31) / 32; ++i) {
    Accesses* spaces = sectors->warps[i];
    count_global(&spaces[kLoads], &traffic[kLoadRequests], &traffic[kLoadSectors]);
    count_global(&spaces[kStores], &traffic[kStoreRequests], &traffic[kStoreSectors]);
    count_shared(&spaces[kShared], &traffic[kSharedRequests], &traffic[kSharedCycles]);
    for (u32 space = 0; space < kSpaces; ++space) {
      free(spaces[space].keys);
      spaces[space] = (Accesses){0};
    }
  }
}

static void watch_block(Block* b) { end_block(b, b->threads[0].launch->traffic); }

static void end_watch(Block* b, const Launch* launch) {
  Sectors* sectors = b->sectors;
  end_block(b, launch->traffic);
  for (u32 i = 0; i < kSlots; ++i) {
    if (!sectors->touched[i]) continue;
    for (u64 at = 0; at < launch->slots[i].bytes; ++at) {
      launch->traffic[kLoadBytes] += sectors->touched[i][at] & 1;
      launch->traffic[kStoreBytes] += sectors->touched[i][at] >> 1;
    }
    free(sectors->touched[i]);
  }
  free(sectors->warps);
  free(sectors->executed);
  free(sectors);
}

static void add_access(Accesses* all, u32 line, u32 number, u64 unit) {
  if (all->count == all->room) {
    all->room = all->room ? 2 * all->room : 1024;
    all->keys = realloc(all->keys, all->room * sizeof(u128));
  }
  all->keys[all->count++] = (u128)((u64)line << 32 | number) << 64 | unit;
}

static void note_access(Thread* t, const Slot* slots, u64 address, u32 bytes, AccessKind kind, const char* what) {
  const u32 slot = address >> 32 & (kSlots - 1), offset = (u32)address;
  if (slot == kLocalSlot) return;
  if (t->line >= kMostLines) fail(t, kLaunchFailed, what, "the module is too long for the mode `sectors`");
  Sectors* sectors = t->block->sectors;
  Accesses* spaces = sectors->warps[t->rank / 32];
  u32** executed = &sectors->executed[t->rank];
  if (!*executed) *executed = calloc(kMostLines, sizeof(u32));
  const u32 number = (*executed)[t->line]++;
  if (slot == kSharedSlot) {
    for (u32 word = offset / kWordBytes; word <= (offset + bytes - 1) / kWordBytes; ++word) {
      add_access(&spaces[kShared], t->line, number, word);
    }
    return;
  }
  add_access(&spaces[kind & kWrites ? kStores : kLoads], t->line, number, address / kSectorBytes);
  if (strstr(what, ".nc.") != 0) return;  // shared tables, which stay in the caches
  u8** touched = &sectors->touched[slot];
  if (!*touched) *touched = calloc(slots[slot].bytes, 1);
  for (u32 i = 0; i < bytes; ++i) (*touched)[offset + i] |= (kind & kReads ? 1 : 0) | (kind & kWrites ? 2 : 0);
}

// Each instruction is one line of the C code.
#define at(t, slots, address, bytes, kind, what) ((t)->line = __LINE__, at(t, slots, address, bytes, kind, what))
