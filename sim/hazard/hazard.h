/*
 * What the files of the hazard detector share.
 *
 * The detector finds pairs of accesses to the same bytes that nothing orders (FastTrack: Flanagan and Freund,
 * PLDI 2009), with a clock that fits blocks and warps instead of a vector of all threads:
 *
 *   A *stamp* numbers the intervals between synchronizations. Every barrier, warp sync and fence of a block
 *   draws the block's next stamp; an access carries the stamp of the last event of its warp. So thread t
 *   knows what thread u did under stamp s if a synchronization that both took part in, directly or through
 *   others, has a larger stamp. For whole-block barriers this is one number for the block, for whole-warp
 *   syncs one number for each warp; only unusual synchronization (parts of warps, named barriers) needs
 *   tables (hazard_order.c). What threads tell each other by strong accesses to a variable, inside a block
 *   and between blocks, is kept for each thread that acquires, as a list of variables and versions
 *   (hazard_release.c, hazard_acquire.c).
 *
 *   Each word of memory has *shadow*: the last plain store, the last atomic and two readers. Where only whole
 *   warps and blocks synchronize two are enough: if they are chosen far apart, any later write that is not
 *   ordered behind all readers is not ordered behind one of the two (hazard_cell.c). Kernels that can
 *   synchronize otherwise have a list of all others (hazard_readers.c).
 *
 * What is a race: PTX ISA, "Memory Consistency Model" (8.7 "Scope and applicability", "Morally strong
 * operations", "Data-races and moral strength", "Release and acquire patterns", "Causality order"). Two
 * accesses to the same bytes by different threads, one of them a write, race unless causality orders them or
 * both are *morally strong*: strong (not .weak), each of a scope that includes the other's thread, and of the
 * same bytes.
 *
 * Stamps are unique in a launch over all its blocks, and never used again, so that shadow never needs to be
 * cleared: a stamp below the launch's (or, in shared memory, the block's) first one means "no thread yet".
 */
#pragma once

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
    WHO_PLAIN = 1 << 10,    /* a plain (weak) read */
    WHO_STORE = 1 << 11,    /* an atomic or strong store */
    WHO_VOLATILE = 1 << 12, /* a volatile one; a read only if no loop waits for its value */
    WHO_NARROW = 1 << 13,   /* a strong one of .cta scope */
    WHO_DID = 15 << 10,
    WHO_FENCED = 1 << 14, /* a strong store: its thread has had a fence before, so that it may be a flag */
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
    stamp_t stamp;       /* of the last synchronization of any of its lanes: what accesses carry */
    stamp_t base;        /* all its lanes know what any of them did before */
    uint32_t exited;     /* lanes that have ended */
    bool partial;        /* lane_known is in use since the last full synchronization */
    stamp_t *lane_known; /* [lane][lane]: up to when the first knows the second; made when needed */
};

struct arrival;      /* hazard_order.c: warps that have arrived at a barrier and do not wait */
struct acquired;     /* hazard_acquire.c: what a thread has read and acquired */
struct known;        /* hazard_known.c: variables and versions */
struct reader_lists; /* hazard_readers.c */

#define BLOCK_BARRIERS 16

/*
 * A row of words of shared memory that loads of any warp find as they leave it: stored before the last barrier, and
 * with readers of two warps since. `epoch`: the block's when that was found; in another one it must be found again.
 */
struct settled_row {
    uint64_t epoch;
    size_t granule; /* the first of FULL */
};
#define SETTLED_ROWS 64

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
    bool tables;         /* lane_known or warp_known are in use since the last whole-block barrier, … */
    bool unusual;        /* … or some thread has acquired */
    stamp_t *warp_known; /* [warp][warp], by named barriers; made when needed */
    struct arrival *arrivals[BLOCK_BARRIERS]; /* NULL: nothing has arrived and waits for completion */
    stamp_t fence[BLOCK_THREADS];             /* the thread's last fence, 0: none */
    stamp_t fence_warp_base[BLOCK_THREADS];   /* its warp's base at that fence */
    stamp_t wide_fence[BLOCK_THREADS];        /* the last one that reaches other blocks */
    stamp_t wide_base[BLOCK_THREADS];         /* the block's base at that one */
    stamp_t fence_before[BLOCK_THREADS];      /* wide_fence as it was at the last whole-block barrier */
    bool fenced;                              /* some thread of the block has had a fence */
    bool visited;                             /* other blocks have been in `shared` */
    struct acquired *acquired[BLOCK_THREADS]; /* NULL: nothing */
    uint32_t acquiring[BLOCK_WARPS];          /* lanes whose `acquired` is more than an empty one */
    struct known *common;                     /* what all threads have acquired, by barriers; NULL: nothing */
    bool knows;                               /* there is or was something in `acquired` or `common` */
    struct reader_lists *readers;             /* of `shared`; NULL: none */
    struct shadow_planes shared;
    uint64_t epoch; /* grows at whole-block barriers, and where shared memory is not just loaded from */
    struct settled_row settled[SETTLED_ROWS];
    int granule_shift;        /* of `shared`: 2 for words, 0 for bytes */
    uint64_t *shared_written; /* a bit a byte: stores and atomics that are not plain */
    size_t shared_size;
    uint32_t *local_written; /* [warp][byte of the window]: lanes that wrote it */
    size_t local_size;
    struct undefined_shared *undefined; /* hazard_undefined.c: undefined values in `shared`; NULL: none */
    struct held_reports *held;          /* hazard_held.c; NULL: none */
    const struct array_bounds *arrays;  /* [operations]: hazard_arrays.c; NULL: nothing to look at */
    struct array_words *array_words;    /* … where several arrays have no size; else NULL */
    unsigned deeds;                     /* since hazard_block_deeds */
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
    struct unsettled { /* by report: a read of shared memory whose block still runs, and may write it yet */
        bool open;
        uint32_t block, thread;
        uint64_t byte;
    } unsettled[HAZARD_REPORTS];
    struct hazard_seen {
        enum sim_hazard_class class;
        uint32_t here, there; /* sites */
        bool within_warp;
        int report;
    } seen[4 * HAZARD_REPORTS]; /* of this launch: what need not be put into words again */
    int seen_count;
    int details_left; /* of held reports (hazard_held.c), in this launch: programs that never use what they load pay for them, too */
    struct sim_hazard
        again; /* a store by another thread than the one that had stored the same value there; count 0: none */
    char **names; /* file and kernel names in reports, which outlive their module */
    int name_count;

    const struct sim_kernel *kernel; /* of the running launch */
    struct sim_dim3 grid_dim;
    uint16_t *site_of_pc;
    int site_of_pc_count;
    int *pc_of_site;       /* [SITE_LIMIT] */
    uint8_t *size_of_site; /* [SITE_LIMIT]: bytes of an element, of strong accesses */
    int site_count;

    stamp_t launch_first;  /* stamps below belong to earlier launches */
    stamp_t next_stamp;    /* next free chunk of stamps */
    uint32_t *chunk_owner; /* block number by chunk */
    size_t chunk_capacity;
    bool
        careful; /* sim_kernel.syncs_parts, or found out: threads can synchronize in other ways than as whole warps and blocks: keep all readers */
    bool strong; /* the launch has made atomic or strong accesses, … */
    bool uneven; /* … and not all of them relaxed atomics of words with a scope that reaches other blocks */
    struct block_shadow *live, *idle;
    struct release_table *releases;
    struct reader_lists *readers; /* of global memory; NULL: none */
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

/* All threads of the block meet. */
void order_meet(struct block_shadow *s);
/* Draws the block's next stamp. */
stamp_t order_tick(struct block_shadow *s);
void order_block_begin(struct block_shadow *s);
/* Frees what a block_shadow keeps for the next block. */
void order_destroy(struct block_shadow *s);
void order_block_end(struct block_shadow *s);
/* The part of it that the tables of barriers know, without the block's and the warp's `base`. */
stamp_t order_known_by_tables(const struct block_shadow *s, unsigned t, unsigned u);
/* Whether the record lies before everything that thread t of the block does now. */
bool order_before(const struct block_shadow *s, struct record record, bool is_global, unsigned t);
/* The block that drew this stamp. */
uint32_t order_owner(const struct hazards *h, stamp_t stamp);
/* Forgets all shadow and starts the stamps again: they have run out. */
void order_start_over(struct hazards *h);

/* ---- hazard_known.c: variables and versions, as values that are shared and never change ---------------- */

/*
 * All releases to the variable up to the version; of a limited entry only those by threads of that block.
 * A variable is a number that hazard_release.c gives to an address, and a new one when its value is replaced.
 */
struct known_variable {
    int variable, version;
    int64_t block; /* -1: of any block, if their scope was wide enough */
};
struct known {
    int references, count;
    bool everything; /* out of memory, or too long a list: silent rather than wrong */
    struct known_variable list[];
};
struct known *known_hold(struct known *k);
void known_drop(struct known *k);
/* Take over `a`, and return what both know. NULL is a list of nothing. */
struct known *known_join(struct known *a, struct known *b);
struct known *known_learn(struct known *a, int variable, int64_t block, int version);
/* The version that the list has; 0: none. */
int known_version(const struct known *k, int variable, int64_t block);

/* ---- hazard_release.c: what has been released, and to which variable ----------------------------------- */

struct release {
    uint32_t block;
    unsigned thread;
    stamp_t at;           /* the block's clock: what came later is not released */
    stamp_t base;         /* what any thread of the block did below is released */
    stamp_t warp_base;    /* … what the thread's warp did */
    stamp_t fence;        /* … what the thread itself did */
    stamp_t *row;         /* … what each thread did, where the above does not say it; or NULL */
    bool row_of_warps;    /* … by warp, not by thread */
    struct known *joined; /* what the releasing thread had acquired */
    int variable, version;
    int previous; /* release of the same block, or -1 */
    bool wide;    /* for threads of other blocks, too */
};
struct variable {
    uint64_t key;
    int version;                /* releases to it */
    bool narrow;                /* some of them are for the block alone */
    struct known *joined;       /* what those had acquired who released to it with a wide scope */
    int phase_version;          /* mbarrier: when its last phase was over, … */
    struct known *phase_joined; /* … both */
    struct known *nearby;       /* … with any scope, while all of them are of one block, */
    bool several_blocks;        /* … which they are not any more */
    int others;                 /* later versions are by who released last: */
    uint32_t last_block;
    unsigned last_thread;
};

void release_launch_end(struct hazards *h);
/* What variables are called: by address, those in shared memory by block as well. */
uint64_t release_key(const struct block_shadow *s, const struct access *access, uint64_t address);
/* The variable's number; -1: nothing has been released to it. */
int release_variable(const struct hazards *h, uint64_t key);
const struct variable *release_variable_at(const struct hazards *h, int variable);
/* The mbarrier's phase is over. */
void release_phase(struct hazards *h, uint64_t key);
/* What threads of the block had acquired that released to the variable up to the version; held for the
 * caller. */
struct known *release_joined(const struct hazards *h, uint32_t block, int variable, int version);
/*
 * The thread writes the variable strongly. `fence`, `wide_fence`: what it did before these stamps is released
 * to its block, and to all blocks; 0: nothing is. They are of fences, or of the write itself: `is_release`. An
 * atomic keeps what was released before; a store does not.
 */
void release_write(struct block_shadow *s, unsigned thread, uint64_t key, stamp_t fence, stamp_t wide_fence,
                   bool is_release, bool is_atomic);
/* Whether thread t of the block knows, by acquiring, what `thread` of `block` did under the stamp. */
bool release_known(const struct block_shadow *s, unsigned t, uint32_t block, unsigned thread, stamp_t stamp);
/* Whether a thread that has acquired `k`, in addition to what t has, would know it. */
bool release_would_know(const struct block_shadow *s, const struct known *k, uint32_t block, unsigned thread,
                        stamp_t stamp);
bool release_any(const struct hazards *h);
/* Whether it was released, but to the threads of its own block alone. */
bool release_is_narrow(const struct hazards *h, uint32_t block, unsigned thread, stamp_t stamp);
/* Whether it was released to all blocks, whoever has acquired that. */
bool release_is_wide(const struct hazards *h, uint32_t block, unsigned thread, stamp_t stamp);
/* For reports: another block of whose releases the thread has acquired one, the latest; -1: none. */
int64_t release_heard(const struct block_shadow *s, unsigned t);

/* ---- hazard_acquire.c: what threads have acquired ------------------------------------------------------ */

/* The thread reads the variable strongly. `site`: for reports. */
void acquire_read(struct block_shadow *s, unsigned thread, uint64_t key, const struct access *access,
                  uint32_t site);
/* A fence makes what was read before it acquired. */
void acquire_fence(struct block_shadow *s, unsigned warp, uint32_t lanes, bool wide);
/* The lanes (by warp; NULL: all) have met at a barrier of the block, after it has become one of `whole`. */
void acquire_barrier(struct block_shadow *s, const uint32_t *lanes_by_warp, bool whole, struct known *more);
/* What the lanes, by warp, have acquired; held for the caller. */
struct known *acquire_collect(struct block_shadow *s, const uint32_t *lanes_by_warp);
void acquire_sync(struct block_shadow *s, unsigned warp, uint32_t lanes);
void acquire_forget(struct block_shadow *s);
/* Frees what a block_shadow keeps for the next block. */
void acquire_destroy(struct block_shadow *s);
/* What it was at the thread's last fence; `wide`: the last one that reaches other blocks. */
const struct known *acquire_at_fence(const struct block_shadow *s, unsigned thread, bool wide);
/* What the thread has acquired itself, without `common`. */
const struct known *acquire_of(const struct block_shadow *s, unsigned thread);
/* Whether thread t has read, by an atomic without a fence behind it, what would tell it of `thread` of `block` under the
 * stamp. */
bool acquire_by_ticket(const struct block_shadow *s, unsigned t, uint32_t block, unsigned thread,
                       stamp_t stamp);
/*
 * For reports: the site of a strong read by thread t that would have told it of `thread` of `block` under the
 * stamp, if it had been an acquire; *too_narrow: its scope, or the fence's behind it, is the block.
 * SITE_UNKNOWN: there is none.
 */
uint32_t acquire_missed(const struct block_shadow *s, unsigned t, uint32_t block, unsigned thread,
                        stamp_t stamp, bool *too_narrow);

/* ---- hazard_bytes.c: words whose bytes belong to several threads --------------------------------------- */

/* The WHO_BYTES of an access of 1 or 2 bytes at `address`. */
uint32_t bytes_code(uint64_t address, int size);
/* Whether the two records touch a byte in common; then *a and *b get the threads that do, two that differ if
 * any. */
bool bytes_overlap(uint32_t a_who, uint32_t b_who, unsigned *a, unsigned *b);
/* One record for both, if neighboring threads hold neighboring bytes; false: there is none. */
bool bytes_merge(uint32_t old_who, uint32_t new_who, uint32_t *merged);

/* What is wrong with two accesses that nothing orders. */
enum race {
    RACE_NONE,
    RACE_PLAIN,        /* one of them is weak */
    RACE_OF_SCOPES,    /* both are strong, but the scope of one does not reach the other's thread */
    RACE_OF_SIZES,     /* both are strong, but not of the same bytes */
    RACE_OF_VOLATILES, /* both are volatile, neither waits for a value */
    RACE_OF_UPDATES,   /* both are relaxed stores of what their threads have read there and changed */
    RACE_OF_CACHES,    /* a non-coherent load of what the launch has written */
};

/* ---- hazard_cell.c, hazard_run.c, hazard_usual.c: check accesses against shadow, note them ------------ */

/* One warp-wide access on its way through the detector. */
struct pass {
    struct block_shadow *s;
    struct block_shadow *owner; /* whose shared memory it is; NULL: of a block that has ended */
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

/* hazard_readers.c: readers beside the two of each granule. */
struct reader {
    stamp_t stamp;
    uint32_t who;   /* of the lowest of `lanes` */
    uint32_t lanes; /* of the warp */
};
/* NULL: none. */
const struct reader *readers_at(const struct pass *p, size_t g, int *count);
void readers_add(struct pass *p, size_t g, uint32_t who);
void readers_clear(struct pass *p, size_t g);
void readers_destroy(struct reader_lists *lists);
/* Whether thread t of the pass's block knows of the record; hazard_cell.c. */
bool cell_is_before(const struct pass *p, struct record r, unsigned t);

/* hazard_cell.c: one lane, by all the rules. */
void cell_access_lane(struct pass *pass, int lane);
/* Whether the other thread is a lane of this very store to the same bytes; if so, both must store the
 * same. */
bool cell_same_store(struct pass *pass, int lane, unsigned other_thread);
/*
 * hazard_usual.c: a full warp's plain load or store of neighboring words, or load of one word, done at once.
 * False: not done, or not all of it, and shadow_access does it (again: that does no harm).
 */
bool shadow_usual_access(struct block_shadow *s, unsigned warp, const struct access *access);
/* The same for a full warp's plain load of words of shared memory whose groups of lanes have known shapes. */
bool shadow_usual_groups(struct block_shadow *s, unsigned warp, const struct access *access);
/* hazard_run.c: all lanes, any pattern. */
void shadow_access(struct pass *pass);

/* ---- hazard_cluster.c: shared memory that other blocks of the cluster reach ------------------------------ */

/* The block ends: others may not have ended with its shared memory. */
void cluster_block_end(const struct block_shadow *s);
/* The block whose shared memory the access is in has ended. */
void hazard_report_ended(struct pass *p);

/* ---- hazard_written.c ---------------------------------------------------------------------------------- */

void written_begin(struct block_shadow *s);
/* A launch has ended: allocations that are written all over need no bits any more. */
void written_settle(struct sim *sim);
void written_check_global(const struct block_shadow *s, unsigned warp, const struct access *access);
/* Of an access that has met a granule without a plain store. */
void written_check_shared(const struct pass *pass);
/* Of a store or atomic that leaves no plain store in the shadow. */
void written_mark_shared(const struct pass *pass);
/* Whether the byte of the block's shared memory has been written since the block began. */
bool written_in_shared(const struct block_shadow *s, uint64_t byte);
/* The shadow has been lost: take everything for written. */
void written_everything(struct block_shadow *s);
void written_check_local(struct block_shadow *s, unsigned warp, const struct access *access);

/* ---- hazard_undefined.c -------------------------------------------------------------------------------- */

/* After the access has been noted: what it stores may be undefined, or what it loads. */
void undefined_access(struct block_shadow *s, unsigned warp, const struct access *access);
/* The same of another block's shared memory: what is stored there counts as defined. */
void undefined_replaced(const struct access *access);
/* A block begins, or the shadow ends. */
void undefined_forget(struct block_shadow *s);

/* ---- hazard_held.c ------------------------------------------------------------------------------------- */

#define HELD_DETAILS 2048

/* Files what is held of the operation: what it gave that lane of that warp has reached something. */
void held_file(const struct block_shadow *s, unsigned warp, int lane, int pc);
/* Whether the machine follows what the access loads from shared memory. */
bool held_is_followed(const struct block_shadow *s, const struct access *access);
/* The lane finds these bytes, as bits, without a value; `used`: see struct undefined_loaded. */
void held_note(struct undefined_loaded *loaded, int lane, unsigned bytes, int used);
/*
 * The lane loads these bytes of shared memory, which nothing has written; the first one that counts lies at offset
 * `missing`. True: it is followed, and reported when it reaches something.
 */
bool held_load(struct block_shadow *s, unsigned warp, int lane, const struct access *access, unsigned bytes,
               uint64_t missing);
/* A block begins, or the shadow ends. */
void held_forget(struct block_shadow *s);

/* ---- hazard_arrays.c ------------------------------------------------------------------------------------ */

void arrays_block_begin(struct block_shadow *s);
/* Frees what a block_shadow keeps for the next block. */
void arrays_destroy(struct block_shadow *s);
/* What lies at the address in shared memory: of several arrays without a size, the one that the operation names. */
const struct kernel_variable *arrays_variable_at(const struct sim_kernel *kernel, int pc, uint64_t address);
/* In shared memory, in a block with s->arrays. */
void arrays_check(const struct block_shadow *s, unsigned warp, const struct access *access);

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
/* Copies a hazard, with names that outlive its module. */
void hazard_keep(struct hazards *h, struct sim_hazard *kept, const struct sim_hazard *hazard);

/* ---- hazard_text.c ------------------------------------------------------------------------------------- */

/*
 * "shared array s_y[64]", "x[3] in global memory": what lies at the address, which is an offset in shared and local
 * memory.
 */
void hazard_describe(const struct block_shadow *s, const struct access *access, uint64_t address, char *text,
                     size_t size);
/* A race in words: lane `lane` of the pass against the record. */
void hazard_report_race(struct pass *pass, int lane, uint64_t address, struct record there,
                        bool there_is_write, enum race race);
/* ---- hazard_cause.c ------------------------------------------------------------------------------------ */

#define CAUSE_SIZE 400
/* What is missing between the record and lane `lane` of the pass, in words; the places of `h` are filled in. */
enum sim_hazard_detail hazard_cause(const struct pass *pass, int lane, struct record there,
                                    const struct sim_hazard *h, enum race race, char text[CAUSE_SIZE]);

/* Two lanes of one store write different values to one place. */
void hazard_report_lanes(struct pass *pass, int lane, int other_lane);
/* The lane stores to global memory what another thread has just stored there: no race, but once is enough. */
void hazard_note_again(struct pass *pass, int lane, uint64_t address);
/* The block ends: what its reports of unwritten shared memory leave open is known now. */
void hazard_settle_unwritten(struct block_shadow *s);
/* Whether the code stands in CUB or Thrust, inlined or not. */
bool hazard_is_library_code(const struct sim_kernel *kernel, int pc);
/* Of a read of shared memory that nothing has written: what is true at this moment, how the lane came there, what is written. */
void hazard_describe_unwritten(const struct block_shadow *s, unsigned warp, int lane,
                               const struct access *access, uint64_t missing, char *text, size_t size);
/* `details`: as of when the lane read it; NULL: that is now. */
void hazard_report_unwritten(const struct block_shadow *s, unsigned warp, int lane,
                             const struct access *access, uint64_t missing, const char *details);

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
