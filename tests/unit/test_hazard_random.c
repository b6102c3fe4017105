/*
 * The hazard detector against the definition: little random programs, and beside the detector an oracle with
 * a full vector clock for every thread and the whole history of every byte.
 *
 * No program may be reported at an access that the oracle finds ordered. Where only whole blocks and warps
 * synchronize, nothing may be missed either; with tiles, flags and locks the detector may miss, but rarely.
 */
#include "test.h"
#include "sim_fixture.h"

enum {
    BLOCKS = 3,
    THREADS = 80, /* two full warps and half a warp */
    WARPS = 3,
    ALL_WARPS = (1 << WARPS) - 1,
    ALL_THREADS = BLOCKS * THREADS,
    BYTES = 256, /* of the shared window and of the global array that are used */
    STEPS = 30,
    VARIABLES = 3 /* words that threads signal by, at the end of the global array */
};

/* ---- the oracle ---------------------------------------------------------------------------------------- */

struct event {
    struct event *next;
    uint16_t thread;
    int clock, size;
    bool write, strong, is_volatile, narrow;
};

/* Up to which of its events each thread is known. */
typedef int clocks[ALL_THREADS];

/* A variable's value: what those released who have written it, or have changed it atomically since. */
struct variable {
    clocks device;        /* with a wide scope */
    clocks block[BLOCKS]; /* each block's threads, with any scope */
    int writer;           /* the thread that released last, -1: none */
};

/* What a thread has read strongly; becomes known at a fence or a barrier. */
struct pending {
    clocks device, ticket; /* what loads and what atomics have read of wide scope */
    clocks block;          /* of releases by the thread's own block */
};

struct oracle {
    clocks clock[ALL_THREADS];    /* what each knows of each */
    clocks released[ALL_THREADS]; /* what it knew at its last fence; by scope: 0 block, 1 device */
    clocks released_wide[ALL_THREADS];
    int own_wide[ALL_THREADS];       /* what of itself was behind its last wide fence, */
    clocks others_wide[ALL_THREADS]; /* and what of others behind theirs, where a barrier came after both */
    struct pending pending[ALL_THREADS];
    struct variable variable[VARIABLES];
    clocks arrived[BLOCKS]; /* what those brought who arrived at barrier 1 and did not wait */
    struct event *shared[BLOCKS][BYTES], *global[BYTES];
    struct event pool[STEPS * 32 * 8];
    int used;
};

static void join(int *to, const int *from)
{
    for (int i = 0; i < ALL_THREADS; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

static void oracle_begin(struct oracle *o)
{
    memset(o, 0, sizeof *o);
    for (int t = 0; t < ALL_THREADS; t++)
        o->clock[t][t] = 1;
    for (int v = 0; v < VARIABLES; v++)
        o->variable[v].writer = -1;
}

enum sync { OF_WARP, OF_SOME_WARPS, OF_BLOCK };

static void oracle_sync(struct oracle *o, const bool *takes_part, enum sync sync, const int *more)
{
    clocks joined = {0};
    if (more)
        join(joined, more);
    for (int t = 0; t < ALL_THREADS; t++)
        if (takes_part[t]) {
            join(o->clock[t], o->pending[t].block);
            if (sync != OF_WARP)
                join(o->clock[t], o->pending[t].ticket);
            join(joined, o->clock[t]);
        }
    for (int t = 0; t < ALL_THREADS; t++)
        if (takes_part[t]) {
            memcpy(o->clock[t], joined, sizeof joined);
            o->clock[t][t]++;
        }
    clocks fenced = {0};
    for (int t = 0; t < ALL_THREADS; t++)
        if (takes_part[t] && sync != OF_SOME_WARPS)
            fenced[t] = o->own_wide[t];
    for (int t = 0; t < ALL_THREADS; t++)
        if (takes_part[t] && sync == OF_BLOCK)
            join(o->others_wide[t], fenced);
}

static void oracle_fence(struct oracle *o, int t, bool wide)
{
    join(o->clock[t], o->pending[t].block);
    if (wide) {
        join(o->clock[t], o->pending[t].device);
        join(o->clock[t], o->pending[t].ticket);
    }
    if (!wide) { /* who fences for the block alone takes no ticket */
        join(o->pending[t].device, o->pending[t].ticket);
        memset(o->pending[t].ticket, 0, sizeof o->pending[t].ticket);
    }
    memcpy(o->released[t], o->clock[t], sizeof o->clock[t]);
    if (wide) {
        memcpy(o->released_wide[t], o->clock[t], sizeof o->clock[t]);
        o->own_wide[t] = o->clock[t][t];
        memset(o->others_wide[t], 0, sizeof o->others_wide[t]);
    }
    o->clock[t][t]++;
}

/* The access is of the detector's own kind of race: what else volatile accesses do has a class of its own. */
static bool conflict(const struct event *e, int t, const struct access *a, bool strong, bool is_shared)
{
    const bool same_block = e->thread / THREADS == t / THREADS;
    if (!e->write && a->kind == ACCESS_LOAD)
        return false;
    if (!e->strong || !strong || e->size != a->element_size)
        return true;
    if (!is_shared && !same_block && (e->narrow || a->narrow))
        return true;
    return is_shared && e->is_volatile && a->order == ORDER_VOLATILE && same_block &&
           e->thread % THREADS / 32 == t % THREADS / 32;
}

static bool is_strong(const struct access *a)
{
    return a->kind == ACCESS_ATOMIC || a->order != ORDER_WEAK;
}

/* Whether the access races with an earlier one; it is not entered yet. */
static bool oracle_races(const struct oracle *o, struct event *const *bytes, int size, int t,
                         const struct access *a, bool is_shared)
{
    for (int i = 0; i < size; i++) {
        bool later_atomic = false; /* an atomic or strong store has seen those before it */
        for (const struct event *e = bytes[i]; e; e = e->next) {
            bool seen = e->write && e->strong && later_atomic;
            later_atomic |= e->write && e->strong;
            if (!seen && e->thread != t && e->clock > o->clock[t][e->thread] &&
                conflict(e, t, a, is_strong(a), is_shared))
                return true;
        }
    }
    return false;
}

static void oracle_enter(struct oracle *o, struct event **bytes, int size, int t, const struct access *a)
{
    for (int i = 0; i < size; i++) {
        struct event *e = &o->pool[o->used++];
        assert_true(o->used < (int)(sizeof o->pool / sizeof *o->pool));
        *e = (struct event){.next = bytes[i],
                            .thread = (uint16_t)t,
                            .clock = o->clock[t][t],
                            .size = a->element_size,
                            .write = a->kind != ACCESS_LOAD,
                            .strong = is_strong(a),
                            .is_volatile = a->order == ORDER_VOLATILE,
                            .narrow = a->narrow};
        bytes[i] = e;
    }
}

static bool release_order(enum access_order order)
{
    return order == ORDER_RELEASE || order == ORDER_ACQ_REL;
}

static void oracle_read(struct oracle *o, int t, const struct access *a, const struct variable *v)
{
    struct pending *p = &o->pending[t];
    const int *block = v->block[t / THREADS];
    if (a->order == ORDER_ACQUIRE || a->order == ORDER_ACQ_REL) {
        join(o->clock[t], block);
        if (!a->narrow)
            join(o->clock[t], v->device);
        return;
    }
    join(p->block, block);
    if (!a->narrow)
        join(a->is_ticket ? p->ticket : p->device, v->device);
}

/* What the write releases: behind a fence, or all if it has the semantics; none: all zeros. */
static void oracle_write(struct oracle *o, int t, const struct access *a, struct variable *v)
{
    clocks wide = {0}, any = {0};
    if (release_order(a->order)) {
        join(any, o->clock[t]);
        join(wide, o->clock[t]);
        o->clock[t][t]++;
    } else {
        join(any, o->released[t]);
        join(any, o->others_wide[t]);
        join(wide, o->released_wide[t]);
        join(wide, o->others_wide[t]);
    }
    const bool releases = any[t] > 0;
    if (a->kind == ACCESS_STORE && (releases || v->writer != t)) {
        memset(v, 0, sizeof *v);
        v->writer = -1;
    }
    if (!a->narrow)
        join(v->device, wide);
    join(v->block[t / THREADS], any);
    if (releases)
        v->writer = t;
}

static void oracle_signal(struct oracle *o, int t, const struct access *a, int variable)
{
    if (a->kind != ACCESS_STORE)
        oracle_read(o, t, a, &o->variable[variable]);
    if (a->kind != ACCESS_LOAD)
        oracle_write(o, t, a, &o->variable[variable]);
}

/* ---- random programs ----------------------------------------------------------------------------------- */

enum sort { WHOLE, TILES, SIGNALS }; /* how threads synchronize */

struct run {
    struct fixture f;
    struct block_view blocks[BLOCKS];
    unsigned char *shared[BLOCKS];
    struct oracle oracle;
    sim_addr x;
    uint32_t seed;
    enum sort sort;
    bool in_rows; /* whole warps load and store words in rows, as tiled programs do, and nothing atomically */
    unsigned char values[32][16];
};

static uint32_t pick(struct run *r, uint32_t below)
{
    r->seed ^= r->seed << 13;
    r->seed ^= r->seed >> 17;
    r->seed ^= r->seed << 5;
    return (r->seed >> 4) % below;
}

static uint32_t all_lanes(unsigned warp)
{
    return warp < WARPS - 1 ? UINT32_MAX : 0xFFFF;
}

static uint32_t some_lanes(struct run *r, unsigned warp)
{
    uint32_t lanes;
    switch (pick(r, 5)) {
    case 0: lanes = 1u << pick(r, 32); break;
    case 1: lanes = 0xFFu << 8 * pick(r, 4); break;
    case 2: lanes = pick(r, 1 << 16) | pick(r, 1 << 16) << 16; break;
    default: lanes = UINT32_MAX;
    }
    lanes &= all_lanes(warp);
    return lanes ? lanes : 1;
}

static uint64_t total_reports(struct run *r)
{
    const struct sim_hazard *h;
    int count = sim_hazards(&r->f.sim, &h);
    uint64_t total = 0;
    for (int i = 0; i < count; i++)
        total +=
            h[i].class == SIM_HAZARD_RACE_SHARED || h[i].class == SIM_HAZARD_RACE_GLOBAL ? h[i].count : 0;
    return total;
}

/* Addresses in a pattern, each a multiple of the size, below BYTES. */
static void draw_addresses(struct run *r, struct access *a, uint64_t base)
{
    uint32_t places = BYTES / (uint32_t)a->size, start = pick(r, places), pattern = pick(r, 8);
    if (r->in_rows)
        pattern = (pattern & 3) + 4, start = pick(r, 3) * 8;
    uint32_t row = 8u << pick(r, 2); /* a tile's: 8 or 16 threads */
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t place = pattern == 0   ? start
                         : pattern == 1 ? pick(r, places)
                         : pattern == 2 ? lane
                         : pattern == 3 ? start + lane * 3
                         : pattern == 4 ? start + lane % row
                         : pattern == 5 ? start + lane / row
                         : pattern == 6 ? start + lane % row + lane / row * 20
                                        : start + lane;
        r->f.address[lane] = base + (place % places) * (uint64_t)a->size;
    }
}

/* Each byte of a store differs from what is there and from what other lanes store. */
static void draw_values(struct run *r, struct access *a)
{
    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < a->size && (a->lanes >> lane & 1); i++)
            r->values[lane][i] = (unsigned char)(r->f.host[lane][i] + 1 + lane);
    a->value_stride = 16;
    for (int i = 0; i < a->size / a->element_size; i++)
        a->value[i] = &r->values[0][i * a->element_size];
}

/* Whether two lanes of a store have the same place. */
static bool lanes_collide(const struct access *a)
{
    for (int i = 0; i < 32; i++)
        for (int k = i + 1; k < 32 && (a->lanes >> i & 1); k++)
            if ((a->lanes >> k & 1) && a->address[i] == a->address[k])
                return true;
    return false;
}

/* Through the oracle: whether it races; entered afterwards. */
static bool ask_oracle(struct run *r, int block, unsigned warp, const struct access *a)
{
    bool is_shared = a->space == PTX_SHARED;
    bool ordinary = a->order == ORDER_WEAK || (is_shared && a->order == ORDER_VOLATILE);
    bool races = a->kind == ACCESS_STORE && ordinary && lanes_collide(a);
    struct event **bytes = is_shared ? r->oracle.shared[block] : r->oracle.global;
    for (int turn = 0; turn < 2; turn++)
        for (int lane = 0; lane < 32; lane++) {
            uint64_t at = a->address[lane] - (is_shared ? 0 : r->x);
            int t = block * THREADS + (int)warp * 32 + lane;
            if (!(a->lanes >> lane & 1))
                continue;
            if (turn == 0)
                races |= oracle_races(&r->oracle, bytes + at, a->size, t, a, is_shared);
            else
                oracle_enter(&r->oracle, bytes + at, a->size, t, a);
        }
    return races;
}

struct verdict {
    bool raced, reported;
};

static struct verdict do_access(struct run *r, int block, unsigned warp, struct access *a, bool may_race)
{
    struct block_view *b = &r->blocks[block];
    assert_int_equal(memory_resolve(b, warp, a, r->f.host, r->f.message), SIM_OK);
    draw_values(r, a);
    bool races = may_race && ask_oracle(r, block, warp, a);
    uint64_t before = total_reports(r);
    fixture_tell(&r->f, b, warp, a);
    for (int lane = 0; a->kind == ACCESS_STORE && lane < 32; lane++)
        if (a->lanes >> lane & 1)
            memcpy(r->f.host[lane], r->values[lane], (size_t)a->size);
    return (struct verdict){races, total_reports(r) > before};
}

static struct verdict random_access(struct run *r, int block, unsigned warp)
{
    static const enum access_kind kinds[] = {ACCESS_LOAD,  ACCESS_LOAD,  ACCESS_LOAD,
                                             ACCESS_STORE, ACCESS_STORE, ACCESS_ATOMIC};
    enum access_kind kind = kinds[pick(r, r->in_rows ? 4 : 6)];
    int size = r->in_rows || kind == ACCESS_ATOMIC || pick(r, 4) ? 4 : 4 << pick(r, 3);
    bool is_shared = pick(r, 2);
    if (!r->in_rows && is_shared && kind != ACCESS_ATOMIC && pick(r, 12) == 0)
        size = 1 << pick(r, 2); /* bytes of global memory are watched less closely: see right_with_bytes */
    uint32_t lanes = r->in_rows ? all_lanes(warp) : some_lanes(r, warp);
    struct access a = fixture_access(&r->f, kind, is_shared ? PTX_SHARED : PTX_GLOBAL, size, lanes, 0, 0,
                                     1 + (int)pick(r, 300));
    if (kind == ACCESS_ATOMIC) {
        a.order = ORDER_RELAXED;
        a.narrow = r->sort == SIGNALS && pick(r, 4) == 0;
    } else if (!r->in_rows && r->sort != WHOLE && pick(r, 10) == 0)
        a.order = ORDER_VOLATILE; /* mixed with plain reads of one word: may be missed */
    draw_addresses(r, &a, is_shared ? 0 : r->x);
    return do_access(r, block, warp, &a, true);
}

/* One lane writes or reads one of the variables, strongly. */
static void random_signal(struct run *r, int block, unsigned warp)
{
    static const enum access_kind kinds[] = {ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC};
    static const enum access_order orders[] = {ORDER_VOLATILE, ORDER_RELAXED, ORDER_ACQ_REL, ORDER_ACQUIRE,
                                               ORDER_RELEASE};
    int variable = (int)pick(r, VARIABLES), lane = (int)pick(r, 16);
    uint64_t address = r->x + BYTES + 4 * (uint64_t)variable;
    struct access a = fixture_access(&r->f, kinds[pick(r, 3)], PTX_GLOBAL, 4, 1u << lane, address, 0, 390);
    a.order = orders[pick(r, 5)];
    a.narrow = a.order != ORDER_VOLATILE && pick(r, 4) == 0;
    a.is_ticket = a.kind == ACCESS_ATOMIC && pick(r, 2);
    do_access(r, block, warp, &a, false);
    oracle_signal(&r->oracle, block * THREADS + (int)warp * 32 + lane, &a, variable);
}

static void sync_lanes(struct run *r, int block, unsigned warp, uint32_t lanes)
{
    bool takes_part[ALL_THREADS] = {false};
    for (int lane = 0; lane < 32; lane++)
        if (lanes >> lane & 1)
            takes_part[block * THREADS + (int)warp * 32 + lane] = true;
    oracle_sync(&r->oracle, takes_part, OF_WARP, NULL);
    hazard_warp_sync(&r->blocks[block], warp, lanes);
}

static void sync_block(struct run *r, int block, unsigned warps)
{
    bool takes_part[ALL_THREADS] = {false};
    uint32_t lanes[32] = {0};
    for (unsigned w = 0; w < WARPS; w++)
        if (warps >> w & 1) {
            lanes[w] = all_lanes(w);
            for (int lane = 0; lane < 32; lane++)
                if (lanes[w] >> lane & 1)
                    takes_part[block * THREADS + (int)w * 32 + lane] = true;
        }
    const bool whole = warps == ALL_WARPS;
    oracle_sync(&r->oracle, takes_part, whole ? OF_BLOCK : OF_SOME_WARPS,
                whole ? NULL : r->oracle.arrived[block]);
    if (!whole)
        memset(r->oracle.arrived[block], 0, sizeof r->oracle.arrived[block]);
    hazard_block_barrier(&r->blocks[block], whole ? 0 : 1, lanes);
}

/* A warp arrives at barrier 1, and goes on. */
static void arrive(struct run *r, int block, unsigned warp)
{
    struct oracle *o = &r->oracle;
    for (int lane = 0; lane < 32; lane++)
        if (all_lanes(warp) >> lane & 1) {
            const int t = block * THREADS + (int)warp * 32 + lane;
            join(o->clock[t], o->pending[t].block);
            join(o->clock[t], o->pending[t].ticket);
            join(o->arrived[block], o->clock[t]);
            o->clock[t][t]++;
        }
    hazard_barrier_arrive(&r->blocks[block], 1, warp, all_lanes(warp));
}

static void random_fence(struct run *r, int block, unsigned warp)
{
    uint32_t lanes = some_lanes(r, warp);
    bool wide = pick(r, 3) > 0;
    for (int lane = 0; lane < 32; lane++)
        if (lanes >> lane & 1)
            oracle_fence(&r->oracle, block * THREADS + (int)warp * 32 + lane, wide);
    hazard_fence(&r->blocks[block], warp, lanes, wide);
}

static void random_sync(struct run *r, int block, unsigned warp)
{
    uint32_t choice = pick(r, r->sort == WHOLE ? 2 : r->sort == TILES ? 4 : 8);
    uint32_t tile = pick(r, 2) ? 0xFFFFu << 16 * pick(r, 2) : 0xFFu << 8 * pick(r, 4);
    if (choice == 0)
        sync_block(r, block, ALL_WARPS);
    else if (choice == 1)
        sync_lanes(r, block, warp, all_lanes(warp));
    else if (choice == 2 && (tile & all_lanes(warp)))
        sync_lanes(r, block, warp, tile & all_lanes(warp));
    else if (choice == 3 && pick(r, 3) == 0)
        arrive(r, block, warp);
    else if (choice == 3)
        sync_block(r, block, 1 + pick(r, ALL_WARPS - 1));
    else if (choice < 6)
        random_fence(r, block, warp);
    else
        random_signal(r, block, warp);
}

static void run_begin(struct run *r)
{
    fixture_open(&r->f);
    r->x = sim_mem_alloc(&r->f.sim, BYTES + 4 * VARIABLES, NULL);
    sim_mem_mark_written(&r->f.sim, r->x, BYTES + 4 * VARIABLES);
    for (int b = 0; b < BLOCKS; b++)
        r->shared[b] = calloc(1, BYTES);
}

static void run_end(struct run *r)
{
    for (int b = 0; b < BLOCKS; b++)
        free(r->shared[b]);
    fixture_close(&r->f);
}

/* All warps but the last fill shared memory with words, and wait for each other. */
static void fill_shared(struct run *r, int block)
{
    for (unsigned warp = 0; warp < WARPS - 1; warp++) {
        struct access a = fixture_access(&r->f, ACCESS_STORE, PTX_SHARED, 4, UINT32_MAX, 0, 0, 1);
        for (uint32_t lane = 0; lane < 32; lane++)
            r->f.address[lane] = (warp * 32 + lane) * 4;
        do_access(r, block, warp, &a, true);
    }
    sync_block(r, block, ALL_WARPS);
}

/* One program up to its first race: 0 right, 1 missed, -1 false alarm. */
static int run_program(struct run *r)
{
    r->f.kernel.syncs_parts = r->sort != WHOLE;
    r->f.launch =
        (struct sim_launch){.kernel = &r->f.kernel, .grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}};
    hazard_launch_begin(&r->f.sim, &r->f.launch);
    oracle_begin(&r->oracle);
    for (unsigned b = 0; b < BLOCKS; b++) {
        r->blocks[b] = fixture_block(&r->f, b, BLOCKS, THREADS);
        r->blocks[b].shared = r->shared[b];
        r->blocks[b].shared_size = BYTES;
        hazard_block_begin(&r->blocks[b]);
    }
    int result = 0;
    uint32_t calm = pick(r, 3);
    r->in_rows = pick(r, 2);
    for (int b = 0; b < BLOCKS && r->in_rows; b++)
        fill_shared(r, b);
    for (int i = 0; i < STEPS; i++) {
        int block = r->in_rows ? 0 : calm ? i * BLOCKS / STEPS : (int)pick(r, BLOCKS);
        unsigned warp = pick(r, WARPS);
        if (pick(r, r->in_rows ? 2 : 3)) {
            random_sync(r, block, warp);
            continue;
        }
        struct verdict v = random_access(r, block, warp);
        if (v.raced != v.reported)
            result = v.raced ? 1 : -1;
        if (v.raced || v.reported)
            break;
    }
    for (int b = 0; b < BLOCKS; b++)
        hazard_block_end(&r->blocks[b]);
    hazard_launch_end(&r->f.sim);
    sim_hazards_reset(&r->f.sim);
    r->f.sim.launch_count++;
    return result;
}

static void run_many(enum sort sort, int programs, int missed_allowed)
{
    struct run *r = calloc(1, sizeof *r);
    int missed = 0;
    run_begin(r);
    r->sort = sort;
    const char *wish = getenv("HAZARD_PROGRAMS"), *suite = getenv("SUITE");
    if (suite && strcmp(suite, "short") == 0)
        programs /= 2;
    if (wish)
        missed_allowed = missed_allowed * atoi(wish) / programs, programs = atoi(wish);
    for (int i = 0; i < programs; i++) {
        r->seed = (uint32_t)(i + 1) * 2654435761u + (uint32_t)sort;
        int result = run_program(r);
        if (result < 0)
            fail_msg("program %d of sort %d: a false alarm", i, (int)sort);
        if (result > 0 && missed_allowed == 0)
            fail_msg("program %d of sort %d: a race was missed", i, (int)sort);
        missed += result > 0;
    }
    if (wish)
        print_message("sort %d: %d of %d programs with a missed race\n", (int)sort, missed, programs);
    if (missed > missed_allowed)
        fail_msg("sort %d: %d races missed, %d allowed", (int)sort, missed, missed_allowed);
    run_end(r);
    free(r);
}

TEST(whole_blocks_and_warps)
{
    run_many(WHOLE, 6000, 0);
}

TEST(tiles_and_named_barriers)
{
    run_many(TILES, 3000, 0);
}

TEST(fences_flags_and_locks)
{
    run_many(SIGNALS, 3000, 1);
}

RUN_ALL
