/*
 * What the files of the hazard detector share.
 *
 * The detector finds pairs of accesses to the same bytes that nothing orders (FastTrack: Flanagan and Freund,
 * PLDI 2009), with a clock that fits blocks and warps instead of a vector of all threads:
 *
 *   A *stamp* numbers the intervals between synchronisations. Every barrier, warp sync and fence of a block
 *   draws the block's next stamp; an access carries the stamp of the last event of its warp. So thread t
 * knows what thread u did under stamp s if a synchronisation that both took part in, directly or through
 * others, has a larger stamp. For whole-block barriers this is one number for the block, for whole-warp syncs
 *   one number for each warp; only unusual synchronisation (parts of warps, named barriers, locks) needs
 * tables (hazard_order.c), and blocks know of each other only through release and acquire (hazard_release.c).
 *
 *   Each word of memory has *shadow*: the last plain store, the last atomic and two readers. Two are enough:
 * if they are chosen far apart, any later write that is not ordered behind all readers is not ordered behind
 * one of the two (hazard_cell.c).
 *
 * Stamps are unique in a launch over all its blocks, and never used again, so that shadow never needs to be
 * cleared: a stamp below the launch's (or, in shared memory, the block's) first one means "nobody yet".
 */
#ifndef SIM_HAZARD_H
#define SIM_HAZARD_H

#include "sim/hazard/reports.h"
#include "sim/hazard/watch.h"
#include "sim/memory/memory.h"
#include "sim/text/place.h"

#define HAZARD_REPORTS 64
#define WARP_LANES     32
#define BLOCK_WARPS    32
#define BLOCK_THREADS  1024
#define ALL_LANES      UINT32_MAX

/* ---- records: who did it, in 32 bits ------------------------------------------------------------------- */

typedef int32_t stamp_t; /* signed: the vector units compare signed numbers */

enum {
    WHO_THREAD = 0x3ff, /* number in the block */
    WHO_WARP = 0x3e0,   /* the part of it that numbers the warp */
    /* A reader or atomic did one or more of these: */
    WHO_PLAIN = 1 << 10, /* a plain read */
    WHO_STORE = 1 << 11, /* an atomic or strong store */
    WHO_VOLATILE_READ = 1 << 12,
    WHO_VOLATILE_WRITE = 1 << 13, /* together with WHO_STORE */
    WHO_DID = 15 << 10,
    WHO_SPREAD = 1 << 14, /* second reader: of another block than the first */
    WHO_BYTES_SHIFT = 15, /* four bits: which bytes of the word, see hazard_bytes.c; 0: all, by one thread */
    WHO_BYTES = 15 << WHO_BYTES_SHIFT,
    WHO_SITE_SHIFT = 19, /* which instruction, see hazard_site */
    SITE_UNKNOWN = 0,
    SITE_LIMIT = 1 << 13
};

struct record {
    stamp_t stamp;
    uint32_t who;
};

/* Two readers for each granule: two are enough if they are chosen well, see hazard_cell.c. */
struct record_pairs {
    stamp_t *stamp, *other_stamp;
    uint32_t *who, *other_who;
};

/* Shadow of `count` words (or bytes: granules): arrays side by side, so that vector units can run along. */
struct shadow_planes {
    size_t count;
    uint32_t *memory; /* all the arrays, `step` elements apart */
    size_t step;
    stamp_t *write_stamp; /* the last plain store */
    uint32_t *write_who;
    struct record_pairs readers;
    stamp_t *atomic_stamp; /* the last atomic or strong store: it has seen all before it */
    uint32_t *atomic_who;
};

/* hazard_planes.c */
enum { PLANES = 8 };
bool planes_create(struct shadow_planes *planes, size_t count);
void planes_destroy(struct shadow_planes *planes);
void planes_clear(struct shadow_planes *planes);

static inline struct record planes_write(const struct shadow_planes *p, size_t g)
{
    return (struct record){p->write_stamp[g], p->write_who[g]};
}

static inline struct record planes_atomic(const struct shadow_planes *p, size_t g)
{
    return (struct record){p->atomic_stamp[g], p->atomic_who[g]};
}

static inline struct record pairs_first(const struct record_pairs *p, size_t g)
{
    return (struct record){p->stamp[g], p->who[g]};
}

static inline struct record pairs_other(const struct record_pairs *p, size_t g)
{
    return (struct record){p->other_stamp[g], p->other_who[g]};
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

struct warp_clock {
    stamp_t stamp;       /* of the last synchronisation of any of its lanes: what accesses carry */
    stamp_t base;        /* all its lanes know what any of them did before */
    uint32_t exited;     /* lanes that have ended */
    bool partial;        /* lane_known is in use since the last full synchronisation */
    bool acquired;       /* some lane of the warp has a row in thread_known */
    stamp_t *lane_known; /* [lane][lane]: up to when the first knows the second; made when needed */
};

/* What an unusual synchronisation tells a thread of each other one: [thread] up to when. */
typedef stamp_t *known_row;

struct lock; /* hazard_lock.c: a flag or lock inside a block */

struct block_shadow {
    struct hazards *hazards;
    const struct block_view *view;
    uint32_t number; /* of the block in the grid, low 32 bits */
    unsigned threads, warps;
    stamp_t first; /* stamps of this block are not below it */
    stamp_t own;   /* stamps from here on, up to `now`, are this block's without exception */
    stamp_t now, chunk_end;
    stamp_t base; /* all threads know what any of them did before */
    struct warp_clock warp[BLOCK_WARPS];
    bool unusual;                          /* tables are in use since the last whole-block barrier */
    stamp_t *warp_known;                   /* [warp][warp], by named barriers; made when needed */
    known_row thread_known[BLOCK_THREADS]; /* by acquire; NULL: nothing */
    struct lock **locks;                   /* hash of flags and locks inside the block; NULL: none */
    stamp_t fence[BLOCK_THREADS];          /* the thread's last fence, 0: none */
    stamp_t wide_fence[BLOCK_THREADS];     /* the last one that reaches other blocks */
    stamp_t wide_base[BLOCK_THREADS];      /* what all threads knew of all when it had that one */
    stamp_t fence_before[BLOCK_THREADS];   /* wide_fence as it was at the last whole-block barrier */
    bool fenced;                           /* some thread of the block has had a fence */
    struct foreign *foreign; /* what the block knows of others: hazard_release.c; NULL: nothing */
    struct shadow_planes shared;
    int granule_shift;        /* of `shared`: 2 for words, 0 for bytes */
    uint64_t *shared_written; /* a bit a byte: stores and atomics that are not plain */
    size_t shared_size;
    uint32_t *local_written; /* [warp][byte of the window]: lanes that wrote it */
    size_t local_size;
    size_t local_top; /* bytes of each window, from its beginning, of which local_written may have bits */
    struct block_shadow *next;
};

struct release; /* hazard_release.c */

struct hazards {
    struct sim *sim;
    unsigned index; /* of its shadow in allocations: 0, or a thread's of several that share a launch … */
    bool found;     /* … which finds that there is something to report, and leaves the words to another */
    struct sim_hazard reports[HAZARD_REPORTS];
    int report_count;
    struct hazard_seen {
        enum sim_hazard_class class;
        uint32_t here, there; /* sites */
        bool within_warp;
        int report;
    } seen[4 * HAZARD_REPORTS]; /* of this launch: what need not be put into words again */
    int seen_count;
    char **names; /* file and kernel names in reports, which outlive their module */
    int name_count;

    const struct sim_kernel *kernel; /* of the running launch */
    struct sim_dim3 grid_dim;
    uint16_t *site_of_pc;
    int site_of_pc_count;
    int *pc_of_site; /* [SITE_LIMIT] */
    int site_count;

    stamp_t launch_first;  /* stamps below belong to earlier launches */
    stamp_t next_stamp;    /* next free chunk of stamps */
    uint32_t *chunk_owner; /* block number by chunk */
    size_t chunk_capacity;
    bool careful; /* the launch has used unusual synchronisation: choose readers with care */
    bool strong;  /* the launch has made atomic or strong accesses */
    struct block_shadow *live, *idle;
    struct release_table *releases;
};

static inline struct block_shadow *shadow_of(const struct block_view *block)
{
    return block->shadow;
}

static inline uint32_t all_lanes_of(const struct block_shadow *s, unsigned warp)
{
    unsigned left = s->threads - warp * WARP_LANES;
    return left >= WARP_LANES ? ALL_LANES : (UINT32_C(1) << left) - 1;
}

/* ---- hazard_order.c: who knows what, inside a block ---------------------------------------------------- */

#define STAMPS_PER_CHUNK 64

/* Draws the block's next stamp. */
stamp_t order_tick(struct block_shadow *s);
/* Gives the block a fresh chunk of stamps. */
void order_new_chunk(struct block_shadow *s);
void order_block_begin(struct block_shadow *s);
void order_block_end(struct block_shadow *s);
/* Up to which stamp thread t knows what thread u of its block did; both differ. */
stamp_t order_known(const struct block_shadow *s, unsigned t, unsigned u);
/* The part of it that the tables know, without the block's and the warp's `base`. */
stamp_t order_known_by_tables(const struct block_shadow *s, unsigned t, unsigned u);
/* Whether the record lies before everything that thread t of the block does now. */
bool order_before(const struct block_shadow *s, struct record record, bool is_global, unsigned t);
/* The block that drew this stamp. */
uint32_t order_owner(const struct hazards *h, stamp_t stamp);
/* Forgets all shadow and starts the stamps again: they have run out. */
void order_start_over(struct hazards *h);

/* ---- hazard_lock.c: flags and locks inside a block ----------------------------------------------------- */

/* The thread, with a fence behind it that has the stamp `fence`, changes the variable `key`. */
void lock_release(struct block_shadow *s, unsigned thread, uint64_t key, stamp_t fence);
/* The thread reads it: it knows what was released to it. */
void lock_acquire(struct block_shadow *s, unsigned thread, uint64_t key);
void lock_forget(struct block_shadow *s);
/* Makes the row of a thread; NULL: out of memory. */
known_row lock_row(struct block_shadow *s, unsigned thread);

/* ---- hazard_release.c: what blocks know of each other -------------------------------------------------- */

void release_launch_end(struct hazards *h);
void release_forget_block(struct block_shadow *s);
/* The thread, with a wide fence behind it that has the stamp `fence`, changes the variable at `address`. */
void release_to(struct block_shadow *s, unsigned thread, uint64_t address, stamp_t fence);
/* The thread reads it: its block knows what was released to it. */
void release_acquire(struct block_shadow *s, uint64_t address);
bool release_known(const struct block_shadow *s, uint32_t block, unsigned thread, stamp_t stamp);
bool release_any(const struct hazards *h);

/* ---- hazard_bytes.c: words whose bytes belong to several threads --------------------------------------- */

/* The WHO_BYTES of an access of 1 or 2 bytes at `address`. */
uint32_t bytes_code(uint64_t address, int size);
/* Whether the two records touch a byte in common; then *a and *b get the threads that do, two that differ if
 * any. */
bool bytes_overlap(uint32_t a_who, uint32_t b_who, unsigned *a, unsigned *b);
/* One record for both, if neighbouring threads hold neighbouring bytes; false: there is none. */
bool bytes_merge(uint32_t old_who, uint32_t new_who, uint32_t *merged);

/* ---- hazard_cell.c, hazard_run.c, hazard_usual.c: check accesses against shadow, note them ------------ */

/* One warp-wide access on its way through the detector. */
struct pass {
    struct block_shadow *s;
    const struct access *access;
    unsigned char *const *host;
    unsigned warp;
    struct shadow_planes *planes;
    bool is_global;
    uint64_t base; /* address of granule 0 */
    int granule_shift;
    stamp_t stale;        /* stamps below mean nothing */
    stamp_t own, own_end; /* stamps in [own, own_end) are this block's */
    stamp_t block_base, warp_base;
    stamp_t stamp; /* of this access */
    uint32_t site;
    uint32_t flags; /* WHO_ bits of this access as a reader or atomic, site included */
    bool is_plain_store;
    bool unwritten;    /* shared memory: some granule has had no plain store */
    uint32_t reported; /* the last report of this access, so that one is enough: see same_as_before() */
};

static inline unsigned pass_thread(const struct pass *pass, int lane)
{
    return pass->warp * WARP_LANES + (unsigned)lane;
}

/* hazard_cell.c: one lane, by all the rules. */
void cell_access_lane(struct pass *pass, int lane);
/* Whether the other thread is a lane of this very store to the same bytes; if so, both must store the
 * same. */
bool cell_same_store(struct pass *pass, int lane, unsigned other_thread);
/*
 * hazard_usual.c: a full warp's plain load or store of neighbouring words, or load of one word, done at once.
 * False: not done, or not all of it, and shadow_access does it (again: that does no harm).
 */
bool shadow_usual_access(struct block_shadow *s, unsigned warp, const struct access *access);
/* The same for a full warp's plain load of words of shared memory whose groups of lanes have known shapes. */
bool shadow_usual_groups(struct block_shadow *s, unsigned warp, const struct access *access);
/* hazard_run.c: all lanes, any pattern. */
void shadow_access(struct pass *pass);

/* ---- hazard_written.c ---------------------------------------------------------------------------------- */

void written_begin(struct block_shadow *s);
/* A launch has ended: allocations that are written all over need no bits any more. */
void written_settle(struct sim *sim);
void written_check_global(const struct block_shadow *s, unsigned warp, const struct access *access);
/* Of an access that has met a granule without a plain store. */
void written_check_shared(const struct pass *pass);
/* Of a store or atomic that leaves no plain store in the shadow. */
void written_mark_shared(const struct pass *pass);
/* The shadow has been lost: take everything for written. */
void written_everything(struct block_shadow *s);
void written_check_local(struct block_shadow *s, unsigned warp, const struct access *access);

/* ---- reports.c ----------------------------------------------------------------------------------------- */

/*
 * Whether this pair was reported in this launch already; then it is counted. A race within a warp does not
 * stand for one of the same lines between warps: who reads of the first only would take __syncwarp() for the
 * cure.
 */
bool hazard_seen(struct hazards *h, enum sim_hazard_class class, uint32_t here, uint32_t there,
                 bool within_warp);
/* Files the report of a pair that hazard_seen did not know. */
void hazard_remember(struct hazards *h, const struct sim_hazard *hazard, uint32_t here, uint32_t there);

/* ---- hazard_text.c ------------------------------------------------------------------------------------- */

/* A race in words: lane `lane` of the pass against the record. */
void hazard_report_race(struct pass *pass, int lane, uint64_t address, struct record there,
                        bool there_is_write);
/* Two lanes of one store write different values to one place. */
void hazard_report_lanes(struct pass *pass, int lane, int other_lane);
void hazard_report_unwritten(const struct block_shadow *s, unsigned warp, int lane,
                             const struct access *access, uint64_t missing);

/* ---- hazard.c ------------------------------------------------------------------------------------------ */

uint32_t hazard_new_site(struct hazards *h, int pc);
/* A small number for the access's instruction, valid during the launch. */
static inline uint32_t hazard_site(struct hazards *h, int pc)
{
    if ((unsigned)pc < (unsigned)h->site_of_pc_count && h->site_of_pc[pc])
        return h->site_of_pc[pc];
    return hazard_new_site(h, pc);
}
/* Where the site is; loc.line 0 if unknown. */
struct ptx_loc hazard_site_loc(const struct hazards *h, uint32_t site);
/* The launch has ended for this detector. */
void hazard_detector_end(struct hazards *h);

#endif
