/*
 * Device memory as memory.c keeps it, for those who watch accesses: memory_check.c resolves addresses,
 * the hazard detector and the counters hang what they know of each byte on its allocation.
 */
#pragma once

#include "sim/core/access.h"
#include "sim/core/device.h"
#include "sim/core/report.h"
#include "sim/memory/allocations.h"

/* Bits for bytes: set where something was written; `all` makes the bits superfluous. */
struct written_bits {
    uint64_t *bits; /* (size + 63) / 64 words and one more, NULL if out of memory or `all` */
    bool all;
};

/*
 * Sectors of 32 bytes that a launch touched; [0] by loads, [1] by stores and atomics. What a launch costs depends on what
 * it touches, not on how large the allocation is: only words of pages that are marked may be other than 0.
 */
struct touched_sectors {
    uint64_t *bits[2];
    uint64_t *pages;   /* a bit for TOUCHED_PAGE words of both */
    uint64_t fresh[2]; /* how many; counted where one thread runs all blocks */
    uint64_t launch;   /* the launch that the bits are about; older ones are cleared on first use */
};

#define TOUCHED_PAGE 64

/* The first word from number `w` on that may be other than 0; `words` or more: there is none. */
static inline size_t touched_word(const struct touched_sectors *t, size_t w, size_t words)
{
    while (w < words && w % TOUCHED_PAGE == 0) {
        const size_t page = w / TOUCHED_PAGE;
        const uint64_t marked = t->pages[page / 64] >> page % 64;
        if (marked)
            return w + TOUCHED_PAGE * (size_t)__builtin_ctzll(marked);
        w = (page / 64 + 1) * 64 * TOUCHED_PAGE;
    }
    return w;
}

/* Where a launch runs some clusters of its blocks only: sectors that a cluster touched, whoever did before. */
struct cluster_sectors {
    struct touched_sectors now; /* of the cluster that runs */
    uint64_t launch;
    uint64_t edges[2], drawn[2]; /* added up over clusters, see sim/model/sample.h */
    size_t first[2], end[2];     /* all of them lie in [first, end) */
};

struct shadow_planes; /* hazard.h: who touched which word last */
struct tracked;       /* tracker.h: what one thread of several has touched */

#define SHADOWS 5 /* one thread's, and those of the threads that share a launch */

struct allocation {
    struct sim_allocation info;
    unsigned char *host;                     /* the bytes behind info.address */
    bool adopted;                            /* the host's own memory (sim_mem_adopt) */
    bool over_bus;                           /* … which stays there (sim_mem_over_bus) */
    bool repeated;                           /* memory_repeat has mapped it */
    uint64_t read_only_first, read_only_end; /* addresses; equal: none */
    struct written_bits written;
    struct touched_sectors touched;
    uint64_t moved[2]; /* bytes read, and stored, for sim_mem_moved_bytes */
    uint64_t traffic;  /* sim->traffic when the last launch that touched it ended; 0: none has */
    struct cluster_sectors *clusters;      /* NULL until needed */
    struct shadow_planes *shadow[SHADOWS]; /* by hazards.index */
    struct tracked *tracked; /* [tracked_sets], by set; made when a launch is shared by threads */
    unsigned tracked_sets;
    bool track_reads; /* a launch has read and written it: say which bytes */
    uint8_t *saved;   /* by chunk: whether an attempt has saved its bytes */
};

/* Who wants to be told of what is rare; of accesses the machine tells the watchers itself. */
struct memory_watcher {
    void (*fault)(struct sim *sim, const struct sim_hazard *report); /* an access that must not happen */
    void (*forget)(struct allocation *allocation);                   /* it is freed */
};

struct memory {
    struct sim *sim;
    uint64_t device_base;       /* the range that the host must not touch: the device addresses */
    unsigned char *backing;     /* the equally large range that holds the bytes */
    size_t reserved, committed; /* bytes of each range; of `backing` that are readable and writable */
    size_t cursor;              /* where the next allocation goes: old addresses are not used again soon */
    bool cursor_wrapped;        /* the range is used up: gaps between live allocations are used */
    struct allocation **list;   /* live and remembered freed ones, by address */
    int count, capacity;
    int freed_count;
    size_t live_bytes, peak_bytes;
    bool overcommitted; /* more was allocated than the host had: launches look whether it still has any */
    int live_count;
    uint64_t next_serial;
    uint64_t generation;                  /* unique in the process, new whenever `list` changes */
    struct known_places *places;          /* for the names of allocations in messages */
    const struct memory_watcher *watcher; /* NULL: none */
};

/* ---- memory_range.c: address space and pages from the host --------------------------------------------- */

/* Reserves both ranges, the largest that the host grants; false: not even the smallest. */
bool memory_reserve(struct memory *memory, size_t wanted);
void memory_unreserve(struct memory *memory);
/* Makes the first `end` bytes of the backing range usable. */
bool memory_commit(struct memory *memory, size_t end);
/* Gives whole pages inside [offset, offset + size) of the backing range back to the host. */
void memory_discard(struct memory *memory, size_t offset, size_t size);
/*
 * memory_repeat.c. Fills [offset, offset + size) of the backing range with the `period` bytes of the pattern,
 * again and again. True: it is mapped, so that pages are taken only where something is stored, and memory_unrepeat
 * must give them back. False: that was not possible, or is not worth it; all bytes are there all the same.
 */
bool memory_repeat(struct memory *memory, size_t offset, size_t size, const void *pattern, size_t period);
void memory_unrepeat(struct memory *memory, size_t offset, size_t size);
/* Whether the host has `size` more bytes of memory to give; asked for 32 MiB and more. */
bool memory_host_has(size_t size);
/* Whether what kernels write may soon be more than the host has, since more was allocated than it had. */
bool memory_runs_short(const struct memory *memory);
/* Whether the host has anything mapped at this address. */
bool memory_host_mapped(uint64_t address);
/* Zeroed memory that takes no pages until it is touched; NULL if there is none. */
void *memory_map_lazily(size_t size);
void memory_unmap(void *pointer, size_t size);

/* ---- memory.c ------------------------------------------------------------------------------------------ */

/* NULL: out of memory. */
struct memory *memory_create(struct sim *sim);
void memory_destroy(struct memory *memory);
/* Before the first allocation; `watcher` outlives the memory. */
void memory_watch(struct memory *memory, const struct memory_watcher *watcher);

/* Kernels may only read [address, address + size): a store or an atomic there is a fault. */
void memory_set_read_only(struct sim *sim, sim_addr address, size_t size);

/* The allocation that contains the address, live ones only; NULL if none does. */
struct allocation *memory_at(const struct memory *memory, uint64_t address);
/* The last allocation, live or freed, that begins at or below the address; NULL if none does. */
struct allocation *memory_below(const struct memory *memory, uint64_t address);
/*
 * Where the address of a global access is computed from one pointer of the kernel's arguments: the live allocation that this
 * points into, however far off the index is; else NULL.
 */
struct allocation *memory_meant(const struct block_view *block, const struct access *access);
/* The first one that begins above the address. */
struct allocation *memory_above(const struct memory *memory, uint64_t address);

void written_mark(struct allocation *allocation, size_t first, size_t size);
/* Whether all of [first, first + size) was written; else *missing is the first byte that was not. */
bool written_test(const struct allocation *allocation, size_t first, size_t size, size_t *missing);

/* ---- memory_check.c ------------------------------------------------------------------------------------ */

/*
 * For each lane in access->lanes puts the host address of its bytes into host[lane]. Returns SIM_OK, or the first
 * fault (lowest lane), having filed a hazard report and put its text into `message`. The entries of lanes that are
 * not in access->lanes stay as they are: other lanes of a generic access lie in other spaces. Atomics reach shared
 * and global memory only (PTX ISA, atom). Global and const addresses are device addresses; a store to
 * memory_set_read_only's ranges or with space CONST is a fault. Fills in access->shape. Fast path: all lanes inside
 * the allocation that was hit last.
 */
enum sim_status memory_resolve(const struct block_view *block, unsigned warp, struct access *access,
                               unsigned char *host[32], char message[1024]);

/*
 * The same for a plain access of a full warp to global memory, to the `bytes` from address `first` on, which is aligned
 * for its lanes: the allocation that the instruction hit before, and where the bytes are. NULL: memory_resolve
 * knows more. *leap: as in struct access.
 */
struct allocation *memory_find_row(const struct block_view *block, int pc, uint64_t first, uint64_t bytes,
                                   bool is_store, unsigned char **host, int64_t *leap);

/*
 * After memory_resolve has found a fault, where the launch goes on: host addresses for all lanes, those of poison or of
 * bytes that nothing reads for lanes that must not touch theirs. Returns these.
 */
uint32_t memory_suppress(const struct block_view *block, unsigned warp, const struct access *access,
                         unsigned char *host[32]);

/* Finds access->shape if it is not known yet. */
enum access_shape access_find_shape(struct access *access);

/* The allocation that the instruction at `pc` found at `address` a moment ago; else looked up. */
struct allocation *memory_recent(const struct memory *memory, int pc, uint64_t address);

/* ---- memory_fault.c: what to tell a beginner ----------------------------------------------------------- */

/* Files the report of a lane's fault, puts its text into `message`, and says which status it is. */
enum sim_status memory_fault(const struct block_view *block, unsigned warp, const struct access *access,
                             int lane, char message[1024]);

/* "x (4000 bytes)" or "an unnamed allocation (number 3, 4000 bytes)". */
void memory_describe(const struct memory *memory, const struct allocation *allocation, char *text,
                     size_t size);
