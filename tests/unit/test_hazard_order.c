/*
 * The hazard detector and the PTX memory model, rule by rule, without an interpreter: scopes, release and acquire,
 * release sequences, barriers that hand on, arrivals, sizes, volatile, readers. Each rule has a wrong program, which must
 * be reported with its lines and its cause, and the right one that looks most like it. (PTX ISA, "Memory Consistency
 * Model".)
 */
#include "test.h"
#include "sim_fixture.h"

#define ALL    UINT32_MAX
#define SHARED PTX_SHARED
#define GLOBAL PTX_GLOBAL

enum op { END = 0, LOAD, STORE, ATOMIC, BARRIER, ARRIVE, SYNC, FENCE, BLOCK };
enum { WIDE = 0, NARROW = 1, POLLED = 2, DROPPED = 4, NON_COHERENT = 8, TICKET = 16, SAME = 32 };
enum { MAX_STEPS = 24, WARPS = 4, BLOCKS = 40, DATA = 0, FLAG = 512, OTHER_FLAG = 640 };

/* By lane 0 of a warp, on one element. */
struct touch {
    enum op op;
    unsigned warp; /* BLOCK: the block; BARRIER: mask of warps, 0 for all */
    enum ptx_space space;
    uint64_t place;
    int line;
    enum access_order order;
    unsigned with;  /* flags from above; FENCE: NARROW; BARRIER, ARRIVE: the barrier's number */
    int size;       /* 0: 4 bytes */
    uint32_t lanes; /* 0: lane 0 */
};

#define STEP(...)                                                                                            \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define ACCESS(o, s, w, p, n, ...) STEP(.op = o, .space = s, .warp = w, .place = p, .line = n, ##__VA_ARGS__)
#define LD(w, p, n)                ACCESS(LOAD, GLOBAL, w, p, n)
#define ST(w, p, n)                ACCESS(STORE, GLOBAL, w, p, n)
#define LD_AS(o, f, w, p, n)       ACCESS(LOAD, GLOBAL, w, p, n, .order = ORDER_##o, .with = f)
#define ST_AS(o, f, w, p, n)       ACCESS(STORE, GLOBAL, w, p, n, .order = ORDER_##o, .with = f)
#define ADD_AS(o, f, w, p, n)      ACCESS(ATOMIC, GLOBAL, w, p, n, .order = ORDER_##o, .with = f)
#define S_LD(w, p, n)              ACCESS(LOAD, SHARED, w, p, n)
#define S_ST(w, p, n)              ACCESS(STORE, SHARED, w, p, n)
#define IN(b)                      STEP(.op = BLOCK, .warp = b)
#define FENCE_OF(w)                STEP(.op = FENCE, .warp = w)
#define FENCE_BLOCK(w)             STEP(.op = FENCE, .warp = w, .with = NARROW)
#define BAR                        STEP(.op = BARRIER)
#define BAR_OF(number, warps)      STEP(.op = BARRIER, .warp = warps, .with = number)
#define ARRIVES(number, w)         STEP(.op = ARRIVE, .warp = w, .with = number)
#define WSYNC(w, l)                STEP(.op = SYNC, .warp = w, .lanes = l)

struct program {
    const char *what;
    int here, there;   /* lines of the report; 0: none may come */
    const char *cause; /* that its message has */
    struct touch steps[MAX_STEPS];
};

#define WRONG(text, reported, with, says, ...)                                                               \
    STEP(.what = text, .here = reported, .there = with, .cause = says, .steps = {__VA_ARGS__})
#define RIGHT(text, ...) STEP(.what = text, .cause = "", .steps = {__VA_ARGS__})

#define RELEASED ST(0, DATA, 1), ST_AS(RELEASE, WIDE, 0, FLAG, 2)
#define ACQUIRED LD_AS(ACQUIRE, WIDE, 0, FLAG, 3)
#define READ     LD(0, DATA, 4)

static const struct program programs[] = {
    /* ---- acquire: only where there is one */
    RIGHT("release and acquire", IN(0), RELEASED, IN(1), ACQUIRED, READ),
    WRONG("flag read without acquire", 4, 1, "flag is read without acquire at line 3", IN(0), RELEASED, IN(1),
          LD_AS(RELAXED, WIDE, 0, FLAG, 3), READ),
    RIGHT("relaxed read with a fence behind it", IN(0), RELEASED, IN(1), LD_AS(RELAXED, WIDE, 0, FLAG, 3),
          FENCE_OF(0), READ),
    WRONG("fence in front of the read of the flag", 4, 1, "without acquire", IN(0), RELEASED, IN(1),
          FENCE_OF(0), LD_AS(RELAXED, WIDE, 0, FLAG, 3), READ),
    RIGHT("volatile flag polled, fences on both sides", IN(0), ST(0, DATA, 1), FENCE_OF(0),
          ST_AS(VOLATILE, 0, 0, FLAG, 2), IN(1), LD_AS(VOLATILE, POLLED, 0, FLAG, 3), FENCE_OF(0), READ),
    WRONG("volatile flag polled, no fence behind", 4, 1, "without acquire", IN(0), ST(0, DATA, 1),
          FENCE_OF(0), ST_AS(VOLATILE, 0, 0, FLAG, 2), IN(1), LD_AS(VOLATILE, POLLED, 0, FLAG, 3), READ),
    WRONG("lock taken without a fence", 4, 1, "without acquire", IN(0), ST(0, DATA, 1), FENCE_OF(0),
          ADD_AS(RELAXED, TICKET, 0, FLAG, 2), IN(1), ADD_AS(RELAXED, TICKET, 0, FLAG, 3), READ),
    WRONG("atomic whose result is dropped, fence behind it", 4, 1, "", IN(0), RELEASED, IN(1),
          ADD_AS(RELAXED, DROPPED, 0, FLAG, 3), FENCE_OF(0), READ),
    WRONG("acquire of another variable", 4, 1, "", IN(0), RELEASED, ST_AS(RELAXED, WIDE, 0, OTHER_FLAG, 2),
          IN(1), LD_AS(ACQUIRE, WIDE, 0, OTHER_FLAG, 3), READ),

    /* ---- release: only where there is one */
    WRONG("relaxed write of the flag", 4, 1, "__threadfence() must stand between", IN(0), ST(0, DATA, 1),
          ST_AS(RELAXED, WIDE, 0, FLAG, 2), IN(1), ACQUIRED, READ),
    WRONG("data written behind the fence", 4, 1, "", IN(0), FENCE_OF(0), ST(0, DATA, 1),
          ST_AS(RELAXED, WIDE, 0, FLAG, 2), IN(1), ACQUIRED, READ),
    WRONG("data written behind the release", 4, 1, "", IN(0), ST_AS(RELEASE, WIDE, 0, FLAG, 2),
          ST(0, DATA, 1), IN(1), ACQUIRED, READ),
    RIGHT("fence, then two writes of the flag", IN(0), ST(0, DATA, 1), FENCE_OF(0),
          ST_AS(RELAXED, WIDE, 0, FLAG, 2), ST_AS(RELAXED, WIDE, 0, FLAG, 2), IN(1), ACQUIRED, READ),
    RIGHT("a relaxed store behind one's own release continues it", IN(0), RELEASED,
          ST_AS(RELAXED, WIDE, 0, FLAG, 2), IN(1), ACQUIRED, READ),

    /* ---- release sequences */
    RIGHT("an atomic between release and acquire", IN(0), RELEASED, IN(1), ADD_AS(RELAXED, WIDE, 0, FLAG, 5),
          IN(2), ACQUIRED, READ),
    WRONG("a store between release and acquire ends the sequence", 4, 1, "", IN(0), RELEASED, IN(1),
          ST_AS(RELAXED, WIDE, 0, FLAG, 5), IN(2), ACQUIRED, READ),
    WRONG("a release by another thread between them ends it as well", 4, 1, "", IN(0), RELEASED, IN(1),
          ST_AS(RELEASE, WIDE, 0, FLAG, 5), IN(2), ACQUIRED, READ),
    RIGHT("unless that one has acquired", IN(0), RELEASED, IN(1), ACQUIRED, ST_AS(RELEASE, WIDE, 0, FLAG, 5),
          IN(2), ACQUIRED, READ),

    /* ---- cumulativity */
    RIGHT("from block to block to block", IN(0), RELEASED, IN(1), ACQUIRED,
          ST_AS(RELEASE, WIDE, 0, OTHER_FLAG, 5), IN(2), LD_AS(ACQUIRE, WIDE, 0, OTHER_FLAG, 6), READ),
    WRONG("the middle one does not acquire", 4, 1, "", IN(0), RELEASED, IN(1),
          LD_AS(RELAXED, WIDE, 0, FLAG, 3), ST_AS(RELEASE, WIDE, 0, OTHER_FLAG, 5), IN(2),
          LD_AS(ACQUIRE, WIDE, 0, OTHER_FLAG, 6), READ),
    WRONG("the middle one acquires behind its fence, and stores relaxed", 4, 1, "", IN(0), RELEASED, IN(1),
          FENCE_OF(0), ACQUIRED, ST_AS(RELAXED, WIDE, 0, OTHER_FLAG, 5), IN(2),
          LD_AS(ACQUIRE, WIDE, 0, OTHER_FLAG, 6), READ),
    RIGHT("through barriers on both sides", IN(0), ST(3, DATA, 1), BAR, ST_AS(RELEASE, WIDE, 0, FLAG, 2),
          IN(1), ACQUIRED, BAR, LD(2, DATA, 4)),
    RIGHT("a narrow release to one's own block, whose thread releases to all", IN(0), ST(3, DATA, 1),
          ST_AS(RELEASE, NARROW, 3, OTHER_FLAG, 2), LD_AS(ACQUIRE, NARROW, 0, OTHER_FLAG, 3),
          ST_AS(RELEASE, WIDE, 0, FLAG, 5), IN(1), ACQUIRED, READ),

    /* ---- an acquire is the thread's own until a barrier hands it on */
    WRONG("acquired by one warp, read by another", 4, 1, "has waited for the flag", IN(0), RELEASED, IN(1),
          ACQUIRED, LD(1, DATA, 4)),
    WRONG("barrier in front of the acquire", 4, 1, "has waited for the flag", IN(0), RELEASED, IN(1), BAR,
          ACQUIRED, LD(1, DATA, 4)),
    WRONG("barrier of other warps", 4, 1, "", IN(0), RELEASED, IN(1), ACQUIRED, BAR_OF(1, 6), LD(1, DATA, 4)),
    RIGHT("barrier of the two warps", IN(0), RELEASED, IN(1), ACQUIRED, BAR_OF(1, 3), LD(1, DATA, 4)),
    WRONG("acquired by lane 0, read by lane 1", 4, 1, "__syncwarp()", IN(0), RELEASED, IN(1), ACQUIRED,
          {.op = LOAD, .space = GLOBAL, .place = DATA, .line = 4, .lanes = 2}),
    RIGHT("acquired by lane 0, warp sync, read by lane 1", IN(0), RELEASED, IN(1), ACQUIRED, WSYNC(0, ALL),
          {.op = LOAD, .space = GLOBAL, .place = DATA, .line = 4, .lanes = 2}),
    WRONG("warp sync of a mask without the reader", 4, 1, "", IN(0), RELEASED, IN(1), ACQUIRED, WSYNC(0, 5),
          {.op = LOAD, .space = GLOBAL, .place = DATA, .line = 4, .lanes = 2}),
    WRONG("volatile load, then a barrier without a fence", 4, 1, "without acquire", IN(0), RELEASED, IN(1),
          LD_AS(VOLATILE, POLLED, 0, FLAG, 3), BAR, READ),
    RIGHT("a ticket and a barrier: the last block", IN(0), ST(0, DATA, 1), FENCE_OF(0),
          ADD_AS(RELAXED, TICKET, 0, FLAG, 2), IN(1), ADD_AS(RELAXED, TICKET, 0, FLAG, 2), BAR,
          LD(1, DATA, 4)),
    WRONG("an atomic that says relaxed, and a barrier", 4, 1, "without acquire", IN(0), ST(0, DATA, 1),
          ADD_AS(RELEASE, WIDE, 0, FLAG, 2), IN(1), ADD_AS(RELAXED, WIDE, 0, FLAG, 3), BAR, READ),

    /* ---- scopes */
    WRONG("atomics of block scope by two blocks", 2, 1, "Scope too narrow", IN(0),
          ADD_AS(RELAXED, NARROW, 0, FLAG, 1), IN(1), ADD_AS(RELAXED, NARROW, 0, FLAG, 2)),
    WRONG("one of them is of device scope", 2, 1, "Scope too narrow", IN(0),
          ADD_AS(RELAXED, WIDE, 0, FLAG, 1), IN(1), ADD_AS(RELAXED, NARROW, 0, FLAG, 2)),
    WRONG("the other is", 2, 1, "at line 1", IN(0), ADD_AS(RELAXED, NARROW, 0, FLAG, 1), IN(1),
          LD_AS(RELAXED, WIDE, 0, FLAG, 2)),
    RIGHT("atomics of block scope by one block", IN(0), ADD_AS(RELAXED, NARROW, 0, FLAG, 1),
          ADD_AS(RELAXED, NARROW, 2, FLAG, 2)),
    RIGHT("narrow flag inside a block", IN(0), ST(1, DATA, 1), ST_AS(RELEASE, NARROW, 1, FLAG, 2),
          LD_AS(ACQUIRE, NARROW, 0, FLAG, 3), READ),
    RIGHT("narrow fences inside a block", IN(0), ST(1, DATA, 1), FENCE_BLOCK(1),
          ST_AS(RELAXED, WIDE, 1, FLAG, 2), LD_AS(RELAXED, WIDE, 0, FLAG, 3), FENCE_BLOCK(0), READ),
    WRONG("the writer's fence is of its block", 4, 1, "for the threads of its block only", IN(0),
          ST(0, DATA, 1), FENCE_BLOCK(0), ST_AS(RELAXED, WIDE, 0, FLAG, 2), IN(1), ACQUIRED, READ),
    WRONG("the reader's fence is of its block", 4, 1, "the threads of one block only", IN(0), RELEASED, IN(1),
          LD_AS(RELAXED, WIDE, 0, FLAG, 3), FENCE_BLOCK(0), READ),
    RIGHT("a wider fence follows", IN(0), RELEASED, IN(1), LD_AS(RELAXED, WIDE, 0, FLAG, 3), FENCE_BLOCK(0),
          FENCE_OF(0), READ),
    WRONG("wide fence first, then data and a narrow one", 4, 1, "", IN(0), FENCE_OF(0), ST(0, DATA, 1),
          FENCE_BLOCK(0), ST_AS(RELAXED, WIDE, 0, FLAG, 2), IN(1), ACQUIRED, READ),

    /* ---- bar.arrive does not wait */
    RIGHT("consumer waits for the producer's arrival", IN(0), S_ST(0, DATA, 1), ARRIVES(1, 0), BAR_OF(1, 2),
          S_LD(1, DATA, 4)),
    WRONG("producer writes behind its arrival", 4, 1, "", IN(0), ARRIVES(1, 0), S_ST(0, DATA, 1),
          BAR_OF(1, 2), S_LD(1, DATA, 4)),
    WRONG("who arrives learns nothing", 4, 1, "", IN(0), S_ST(1, DATA, 1), ARRIVES(1, 0), BAR_OF(1, 2),
          S_LD(0, DATA, 4)),
    WRONG("arrival at another barrier", 4, 1, "", IN(0), S_ST(0, DATA, 1), ARRIVES(2, 0), BAR_OF(1, 2),
          S_LD(1, DATA, 4)),
    RIGHT("what an arriving warp has acquired goes along", IN(0), RELEASED, IN(1), ACQUIRED, ARRIVES(1, 0),
          BAR_OF(1, 2), LD(1, DATA, 4)),

    /* ---- sizes */
    WRONG("atomics of 4 and of 8 bytes", 2, 1, "one is of 4 bytes and the other of 8", IN(0),
          ADD_AS(RELAXED, WIDE, 0, FLAG, 1),
          {.op = ATOMIC,
           .warp = 1,
           .space = GLOBAL,
           .place = FLAG,
           .line = 2,
           .order = ORDER_RELAXED,
           .size = 8}),

    /* ---- non-coherent loads */
    WRONG("__ldg of what the block has written, barrier between", 4, 1, "non-coherent", IN(0), ST(1, DATA, 1),
          BAR, LD_AS(WEAK, NON_COHERENT, 0, DATA, 4)),
    WRONG("__ldg of what the thread itself has written", 4, 1, "non-coherent", IN(0), ST(0, DATA, 1),
          LD_AS(WEAK, NON_COHERENT, 0, DATA, 4)),
    RIGHT("__ldg, and later a store", IN(0), LD_AS(WEAK, NON_COHERENT, 0, DATA, 4), BAR, ST(1, DATA, 1)),

    /* ---- a flag set back by who has acquired it */
    RIGHT("plain store to a flag that the thread has acquired", IN(0), RELEASED, IN(1), ACQUIRED,
          ST(0, FLAG, 4)),
    WRONG("plain store to a flag that it has not", 4, 2, "", IN(0), RELEASED, IN(1), ST(0, FLAG, 4)),

    /* ---- volatile */
    RIGHT("volatile stores of one value", IN(0), ST_AS(VOLATILE, SAME, 0, FLAG, 1), IN(1),
          ST_AS(VOLATILE, SAME, 0, FLAG, 2)),
    RIGHT("volatile store and a load that a loop waits for", IN(0), ST_AS(VOLATILE, 0, 0, FLAG, 1), IN(1),
          LD_AS(VOLATILE, POLLED, 0, FLAG, 2)),
    WRONG("volatile store and a load of its data", 2, 1, "volatile is not synchronization", IN(0),
          ST_AS(VOLATILE, 0, 0, FLAG, 1), IN(1), LD_AS(VOLATILE, 0, 0, FLAG, 2)),
    WRONG("volatile store among atomics", 2, 1, "volatile", IN(0), ADD_AS(RELAXED, TICKET, 0, FLAG, 1), IN(1),
          ST_AS(VOLATILE, 0, 0, FLAG, 2)),
    RIGHT("volatile store of a flag, a fence before it, among atomics", IN(0),
          ADD_AS(RELAXED, TICKET, 0, FLAG, 1), IN(1), FENCE_OF(0), ST_AS(VOLATILE, 0, 0, FLAG, 2)),
    RIGHT("an atomic after such a flag", IN(1), FENCE_OF(0), ST_AS(VOLATILE, 0, 0, FLAG, 1), IN(0),
          ADD_AS(RELAXED, TICKET, 0, FLAG, 2)),
    RIGHT("volatile data behind a ticket", IN(0), ST_AS(VOLATILE, 0, 0, DATA, 1), FENCE_OF(0),
          ADD_AS(RELAXED, TICKET, 0, FLAG, 2), IN(1), ADD_AS(RELAXED, TICKET, 0, FLAG, 3),
          LD_AS(VOLATILE, 0, 0, DATA, 4)),
    WRONG("volatile data behind a compare-and-swap, as of a lock", 4, 1, "without acquire", IN(0),
          ST_AS(VOLATILE, 0, 0, DATA, 1), FENCE_OF(0), ADD_AS(RELAXED, TICKET, 0, FLAG, 2), IN(1),
          ADD_AS(RELAXED, WIDE, 0, FLAG, 3), LD_AS(VOLATILE, 0, 0, DATA, 4)),
    WRONG("a ticket, a fence for the block alone, a barrier", 4, 1, "one block only", IN(0), ST(0, DATA, 1),
          FENCE_OF(0), ADD_AS(RELAXED, TICKET, 0, FLAG, 2), IN(1), ADD_AS(RELAXED, TICKET, 0, FLAG, 3),
          FENCE_BLOCK(0), BAR, READ),
    RIGHT("volatile load of what others count atomically", IN(0), ADD_AS(RELAXED, TICKET, 0, FLAG, 1), IN(1),
          LD_AS(VOLATILE, 0, 0, FLAG, 2)),
};

/* ---- running them -------------------------------------------------------------------------------------- */

struct machine {
    struct fixture f;
    sim_addr x;
    struct block_view blocks[BLOCKS];
    bool alive[BLOCKS];
    int current;
    uint32_t values[32];
    uint32_t counter;
};

static void enter(struct machine *m, int number)
{
    m->current = number;
    if (m->alive[number])
        return;
    m->blocks[number] = fixture_block(&m->f, (unsigned)number, BLOCKS, WARPS * 32);
    m->alive[number] = true;
    hazard_block_begin(&m->blocks[number]);
}

static void open_machine(struct machine *m)
{
    memset(m, 0, sizeof *m);
    fixture_open(&m->f);
    m->x = sim_mem_alloc(&m->f.sim, 4096, NULL);
    sim_mem_mark_written(&m->f.sim, m->x, 4096);
    m->f.kernel.syncs_parts = true;
    m->f.launch =
        (struct sim_launch){.kernel = &m->f.kernel, .grid = {BLOCKS, 1, 1}, .block = {WARPS * 32, 1, 1}};
    hazard_launch_begin(&m->f.sim, &m->f.launch);
}

static void close_machine(struct machine *m)
{
    for (int i = 0; i < BLOCKS; i++)
        if (m->alive[i])
            hazard_block_end(&m->blocks[i]);
    hazard_launch_end(&m->f.sim);
    fixture_close(&m->f);
}

static void run_access(struct machine *m, const struct touch *s)
{
    static const enum access_kind kinds[] = {
        [LOAD] = ACCESS_LOAD, [STORE] = ACCESS_STORE, [ATOMIC] = ACCESS_ATOMIC};
    struct block_view *b = &m->blocks[m->current];
    uint64_t base = s->space == GLOBAL ? m->x + s->place : s->place;
    struct access a = fixture_access(&m->f, kinds[s->op], s->space, s->size ? s->size : 4,
                                     s->lanes ? s->lanes : 1, base, 0, s->line);
    a.element_size = a.size;
    a.order = s->order;
    a.narrow = s->with & NARROW;
    a.polled = s->with & POLLED;
    a.no_result = s->with & DROPPED;
    a.non_coherent = s->with & NON_COHERENT;
    a.is_ticket = s->with & TICKET;
    m->counter++;
    for (int lane = 0; lane < 32; lane++)
        m->values[lane] = s->with & SAME ? 77 : m->counter;
    a.value[0] = m->values;
    a.value_stride = 4;
    assert_int_equal(memory_resolve(b, s->warp, &a, m->f.host, m->f.message), SIM_OK);
    hazard_access(b, s->warp, &a, m->f.host);
    for (int lane = 0; a.kind == ACCESS_STORE && lane < 32; lane++)
        if (a.lanes >> lane & 1)
            memcpy(m->f.host[lane], &m->values[lane], 4);
}

static void run_step(struct machine *m, const struct touch *s)
{
    struct block_view *b = m->current >= 0 ? &m->blocks[m->current] : NULL;
    uint32_t by_warp[32] = {0};
    switch (s->op) {
    case BLOCK: enter(m, (int)s->warp); break;
    case BARRIER:
        for (unsigned w = 0; w < WARPS; w++)
            by_warp[w] = s->warp >> w & 1 ? ALL : 0;
        hazard_block_barrier(b, s->with, s->warp ? by_warp : NULL);
        break;
    case ARRIVE: hazard_barrier_arrive(b, s->with, s->warp, ALL); break;
    case SYNC: hazard_warp_sync(b, s->warp, s->lanes); break;
    case FENCE: hazard_fence(b, s->warp, 1, s->with != NARROW); break;
    default: run_access(m, s);
    }
}

static bool is_race(const struct sim_hazard *h)
{
    return h->class != SIM_HAZARD_UNINITIALIZED;
}

/* NULL, or what is not as the program says. */
static const char *judge(struct machine *m, const struct program *p)
{
    const struct sim_hazard *h;
    int count = sim_hazards(&m->f.sim, &h);
    for (int i = 0; i < count; i++) {
        if (!is_race(&h[i]))
            continue;
        if (h[i].here.line != p->here || h[i].there.line != p->there)
            return h[i].message;
        return strstr(h[i].message, p->cause) ? NULL : h[i].message;
    }
    return p->here ? "not reported" : NULL;
}

TEST(each_rule)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct machine m;
        open_machine(&m);
        for (int k = 0; k < MAX_STEPS && programs[i].steps[k].op != END; k++)
            run_step(&m, &programs[i].steps[k]);
        const char *fault = judge(&m, &programs[i]);
        if (fault)
            print_error("%s: %s\n", programs[i].what, fault);
        failures += fault != NULL;
        close_machine(&m);
    }
    assert_int_equal(failures, 0);
}

/* ---- readers: as many as it takes ---------------------------------------------------------------------- */

static struct touch by_thread(struct touch s, unsigned thread)
{
    s.warp = thread / 32;
    s.lanes = 1u << thread % 32;
    return s;
}

/*
 * `readers` threads read a word; all of them but `left_out` tell the writer that they have done so. In one block, in
 * shared memory, or each in a block of its own.
 */
static bool is_reported(int readers, int left_out, bool in_blocks)
{
    struct machine m;
    const enum ptx_space space = in_blocks ? GLOBAL : SHARED;
    const struct touch read = {.op = LOAD, .space = space, .place = DATA, .line = 1};
    const struct touch tell = {
        .op = ATOMIC, .space = GLOBAL, .place = FLAG, .line = 2, .order = ORDER_RELEASE};
    const struct touch ask = {
        .op = LOAD, .warp = 3, .space = GLOBAL, .place = FLAG, .line = 3, .order = ORDER_ACQUIRE};
    const struct touch write = {.op = STORE, .warp = 3, .space = space, .place = DATA, .line = 4};
    open_machine(&m);
    for (int i = 0; i < readers; i++) {
        enter(&m, in_blocks ? i : 0);
        const unsigned thread = in_blocks ? 0 : (unsigned)i;
        struct touch step = by_thread(read, thread);
        run_step(&m, &step);
        step = by_thread(tell, thread);
        if (i != left_out)
            run_step(&m, &step);
    }
    enter(&m, in_blocks ? readers : 0);
    run_step(&m, &ask);
    run_step(&m, &write);
    const struct sim_hazard *h;
    int count = sim_hazards(&m.f.sim, &h), races = 0;
    for (int i = 0; i < count; i++)
        races += is_race(&h[i]) && h[i].here.line == 4 && h[i].there.line == 1;
    close_machine(&m);
    return races > 0;
}

TEST(every_reader_is_remembered)
{
    static const int counts[] = {1, 2, 3, 33};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int in_blocks = 0; in_blocks < 2; in_blocks++) {
            assert_false(is_reported(counts[c], -1, in_blocks));
            for (int left_out = 0; left_out < counts[c]; left_out++)
                if (!is_reported(counts[c], left_out, in_blocks))
                    fail_msg("%d readers, %s: number %d is forgotten", counts[c],
                             in_blocks ? "a block each" : "one block", left_out);
        }
}

/* ---- volatile: a class of its own, which can be switched off ------------------------------------------- */

static int volatile_reports(bool is_fine)
{
    static const struct touch steps[] = {IN(0), ST_AS(VOLATILE, 0, 0, FLAG, 1), IN(1),
                                         LD_AS(VOLATILE, 0, 0, FLAG, 2)};
    struct machine m;
    const struct sim_hazard *h;
    open_machine(&m);
    m.f.sim.config.volatile_is_fine = is_fine;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        run_step(&m, &steps[i]);
    int count = sim_hazards(&m.f.sim, &h);
    for (int i = 0; i < count; i++)
        assert_int_equal(h[i].class, SIM_HAZARD_VOLATILE);
    close_machine(&m);
    return count;
}

TEST(volatile_has_a_class)
{
    assert_int_equal(volatile_reports(false), 1);
    assert_int_equal(volatile_reports(true), 0);
    assert_string_equal(sim_hazard_class_name(SIM_HAZARD_VOLATILE), "volatile is not synchronization");
}

RUN_ALL
