/*
 * The hazard detector and the PTX memory model, rule by rule, without an interpreter: scopes, release and acquire,
 * release sequences, barriers that hand on, arrivals, sizes, volatile, readers. Each rule has a wrong program, which must
 * be reported with its lines and its cause, and the right one that looks most like it. (PTX ISA, "Memory Consistency
 * Model".)
 */
#include "test.h"
#include "tests/unit/hazard_machine.h"

enum { WIDE = 0, NARROW = 1, POLLED = 2, DROPPED = 4, NON_COHERENT = 8, TICKET = 16, SAME = 32 };
enum { DATA = 0, FLAG = 512, OTHER_FLAG = 640 };

/* By lane 0 of a warp, on one element; f: flags from above. */
#define ELEMENT(o, s, w, p, n, ...) ACCESS(o, w, LANE, s, 4, p, 0, n, ##__VA_ARGS__)
#define FLAGGED(o, k, f, w, p, n)                                                                            \
    ELEMENT(o, GLOBAL, w, p, n, .order = ORDER_##k, .narrow = ((f)&NARROW) != 0,                             \
            .polled = ((f)&POLLED) != 0, .no_result = ((f)&DROPPED) != 0,                                    \
            .non_coherent = ((f)&NON_COHERENT) != 0, .explicit_order = ((f)&TICKET) == 0,                    \
            .value = (f)&SAME ? SAME_VALUE : BY_THREAD)
#define LD1(w, p, n)          ELEMENT(LOAD, GLOBAL, w, p, n)
#define ST1(w, p, n)          ELEMENT(STORE, GLOBAL, w, p, n)
#define LD1_AS(k, f, w, p, n) FLAGGED(LOAD, k, f, w, p, n)
#define ST1_AS(k, f, w, p, n) FLAGGED(STORE, k, f, w, p, n)
#define ADD_AS(k, f, w, p, n) FLAGGED(ATOMIC, k, f, w, p, n)
#define S_LD(w, p, n)         ELEMENT(LOAD, SHARED, w, p, n)
#define S_ST(w, p, n)         ELEMENT(STORE, SHARED, w, p, n)
#define FENCE1(w)             FENCE_OF(w, LANE)
#define FENCE1_BLOCK(w)       FENCE_BLOCK(w, LANE)
#define BAR_AT(k, warps)      STEP(.op = BARRIER, .warp = warps, .number = k)
#define ARRIVES(k, w)         STEP(.op = ARRIVE, .warp = w, .number = k)

/* The message has a cause. */
#define BAD(text, reported, with, says, ...)                                                                 \
    STEP(.what = text, .here = reported, .there = with, .cause = says, .steps = {__VA_ARGS__})

#define RELEASED ST1(0, DATA, 1), ST1_AS(RELEASE, WIDE, 0, FLAG, 2)
#define ACQUIRED LD1_AS(ACQUIRE, WIDE, 0, FLAG, 3)
#define READ     LD1(0, DATA, 4)

static const struct program programs[] = {
    /* ---- acquire: only where there is one */
    RIGHT("release and acquire", IN(0), RELEASED, IN(1), ACQUIRED, READ),
    BAD("flag read without acquire", 4, 1, "flag is read without acquire at line 3", IN(0), RELEASED, IN(1),
        LD1_AS(RELAXED, WIDE, 0, FLAG, 3), READ),
    RIGHT("relaxed read with a fence behind it", IN(0), RELEASED, IN(1), LD1_AS(RELAXED, WIDE, 0, FLAG, 3),
          FENCE1(0), READ),
    BAD("fence in front of the read of the flag", 4, 1, "without acquire", IN(0), RELEASED, IN(1), FENCE1(0),
        LD1_AS(RELAXED, WIDE, 0, FLAG, 3), READ),
    RIGHT("volatile flag polled, fences on both sides", IN(0), ST1(0, DATA, 1), FENCE1(0),
          ST1_AS(VOLATILE, 0, 0, FLAG, 2), IN(1), LD1_AS(VOLATILE, POLLED, 0, FLAG, 3), FENCE1(0), READ),
    BAD("volatile flag polled, no fence behind", 4, 1, "without acquire", IN(0), ST1(0, DATA, 1), FENCE1(0),
        ST1_AS(VOLATILE, 0, 0, FLAG, 2), IN(1), LD1_AS(VOLATILE, POLLED, 0, FLAG, 3), READ),
    BAD("lock taken without a fence", 4, 1, "without acquire", IN(0), ST1(0, DATA, 1), FENCE1(0),
        ADD_AS(RELAXED, TICKET, 0, FLAG, 2), IN(1), ADD_AS(RELAXED, TICKET, 0, FLAG, 3), READ),
    BAD("atomic whose result is dropped, fence behind it", 4, 1, "", IN(0), RELEASED, IN(1),
        ADD_AS(RELAXED, DROPPED, 0, FLAG, 3), FENCE1(0), READ),
    BAD("acquire of another variable", 4, 1, "", IN(0), RELEASED, ST1_AS(RELAXED, WIDE, 0, OTHER_FLAG, 2),
        IN(1), LD1_AS(ACQUIRE, WIDE, 0, OTHER_FLAG, 3), READ),

    /* ---- release: only where there is one */
    BAD("relaxed write of the flag", 4, 1, "__threadfence() must stand between", IN(0), ST1(0, DATA, 1),
        ST1_AS(RELAXED, WIDE, 0, FLAG, 2), IN(1), ACQUIRED, READ),
    BAD("data written behind the fence", 4, 1, "", IN(0), FENCE1(0), ST1(0, DATA, 1),
        ST1_AS(RELAXED, WIDE, 0, FLAG, 2), IN(1), ACQUIRED, READ),
    BAD("data written behind the release", 4, 1, "", IN(0), ST1_AS(RELEASE, WIDE, 0, FLAG, 2),
        ST1(0, DATA, 1), IN(1), ACQUIRED, READ),
    RIGHT("fence, then two writes of the flag", IN(0), ST1(0, DATA, 1), FENCE1(0),
          ST1_AS(RELAXED, WIDE, 0, FLAG, 2), ST1_AS(RELAXED, WIDE, 0, FLAG, 2), IN(1), ACQUIRED, READ),
    RIGHT("a relaxed store behind one's own release continues it", IN(0), RELEASED,
          ST1_AS(RELAXED, WIDE, 0, FLAG, 2), IN(1), ACQUIRED, READ),

    /* ---- release sequences */
    RIGHT("an atomic between release and acquire", IN(0), RELEASED, IN(1), ADD_AS(RELAXED, WIDE, 0, FLAG, 5),
          IN(2), ACQUIRED, READ),
    BAD("a store between release and acquire ends the sequence", 4, 1, "", IN(0), RELEASED, IN(1),
        ST1_AS(RELAXED, WIDE, 0, FLAG, 5), IN(2), ACQUIRED, READ),
    BAD("a release by another thread between them ends it as well", 4, 1, "", IN(0), RELEASED, IN(1),
        ST1_AS(RELEASE, WIDE, 0, FLAG, 5), IN(2), ACQUIRED, READ),
    RIGHT("unless that one has acquired", IN(0), RELEASED, IN(1), ACQUIRED, ST1_AS(RELEASE, WIDE, 0, FLAG, 5),
          IN(2), ACQUIRED, READ),

    /* ---- cumulativity */
    RIGHT("from block to block to block", IN(0), RELEASED, IN(1), ACQUIRED,
          ST1_AS(RELEASE, WIDE, 0, OTHER_FLAG, 5), IN(2), LD1_AS(ACQUIRE, WIDE, 0, OTHER_FLAG, 6), READ),
    BAD("the middle one does not acquire", 4, 1, "", IN(0), RELEASED, IN(1),
        LD1_AS(RELAXED, WIDE, 0, FLAG, 3), ST1_AS(RELEASE, WIDE, 0, OTHER_FLAG, 5), IN(2),
        LD1_AS(ACQUIRE, WIDE, 0, OTHER_FLAG, 6), READ),
    BAD("the middle one acquires behind its fence, and stores relaxed", 4, 1, "", IN(0), RELEASED, IN(1),
        FENCE1(0), ACQUIRED, ST1_AS(RELAXED, WIDE, 0, OTHER_FLAG, 5), IN(2),
        LD1_AS(ACQUIRE, WIDE, 0, OTHER_FLAG, 6), READ),
    RIGHT("through barriers on both sides", IN(0), ST1(3, DATA, 1), BAR, ST1_AS(RELEASE, WIDE, 0, FLAG, 2),
          IN(1), ACQUIRED, BAR, LD1(2, DATA, 4)),
    RIGHT("a narrow release to one's own block, whose thread releases to all", IN(0), ST1(3, DATA, 1),
          ST1_AS(RELEASE, NARROW, 3, OTHER_FLAG, 2), LD1_AS(ACQUIRE, NARROW, 0, OTHER_FLAG, 3),
          ST1_AS(RELEASE, WIDE, 0, FLAG, 5), IN(1), ACQUIRED, READ),

    /* ---- an acquire is the thread's own until a barrier hands it on */
    BAD("acquired by one warp, read by another", 4, 1, "has waited for the flag", IN(0), RELEASED, IN(1),
        ACQUIRED, LD1(1, DATA, 4)),
    BAD("barrier in front of the acquire", 4, 1, "has waited for the flag", IN(0), RELEASED, IN(1), BAR,
        ACQUIRED, LD1(1, DATA, 4)),
    BAD("barrier of other warps", 4, 1, "", IN(0), RELEASED, IN(1), ACQUIRED, BAR_AT(1, 6), LD1(1, DATA, 4)),
    RIGHT("barrier of the two warps", IN(0), RELEASED, IN(1), ACQUIRED, BAR_AT(1, 3), LD1(1, DATA, 4)),
    BAD("acquired by lane 0, read by lane 1", 4, 1, "__syncwarp()", IN(0), RELEASED, IN(1), ACQUIRED,
        ACCESS(LOAD, 0, 2, GLOBAL, 4, DATA, 0, 4)),
    RIGHT("acquired by lane 0, warp sync, read by lane 1", IN(0), RELEASED, IN(1), ACQUIRED, WSYNC(0, ALL),
          ACCESS(LOAD, 0, 2, GLOBAL, 4, DATA, 0, 4)),
    BAD("warp sync of a mask without the reader", 4, 1, "", IN(0), RELEASED, IN(1), ACQUIRED, WSYNC(0, 5),
        ACCESS(LOAD, 0, 2, GLOBAL, 4, DATA, 0, 4)),
    BAD("volatile load, then a barrier without a fence", 4, 1, "without acquire", IN(0), RELEASED, IN(1),
        LD1_AS(VOLATILE, POLLED, 0, FLAG, 3), BAR, READ),
    RIGHT("a ticket and a barrier: the last block", IN(0), ST1(0, DATA, 1), FENCE1(0),
          ADD_AS(RELAXED, TICKET, 0, FLAG, 2), IN(1), ADD_AS(RELAXED, TICKET, 0, FLAG, 2), BAR,
          LD1(1, DATA, 4)),
    BAD("an atomic that says relaxed, and a barrier", 4, 1, "without acquire", IN(0), ST1(0, DATA, 1),
        ADD_AS(RELEASE, WIDE, 0, FLAG, 2), IN(1), ADD_AS(RELAXED, WIDE, 0, FLAG, 3), BAR, READ),

    /* ---- scopes */
    BAD("atomics of block scope by two blocks", 2, 1, "Scope too narrow", IN(0),
        ADD_AS(RELAXED, NARROW, 0, FLAG, 1), IN(1), ADD_AS(RELAXED, NARROW, 0, FLAG, 2)),
    BAD("one of them is of device scope", 2, 1, "Scope too narrow", IN(0), ADD_AS(RELAXED, WIDE, 0, FLAG, 1),
        IN(1), ADD_AS(RELAXED, NARROW, 0, FLAG, 2)),
    BAD("the other is", 2, 1, "at line 1", IN(0), ADD_AS(RELAXED, NARROW, 0, FLAG, 1), IN(1),
        LD1_AS(RELAXED, WIDE, 0, FLAG, 2)),
    RIGHT("atomics of block scope by one block", IN(0), ADD_AS(RELAXED, NARROW, 0, FLAG, 1),
          ADD_AS(RELAXED, NARROW, 2, FLAG, 2)),
    RIGHT("narrow flag inside a block", IN(0), ST1(1, DATA, 1), ST1_AS(RELEASE, NARROW, 1, FLAG, 2),
          LD1_AS(ACQUIRE, NARROW, 0, FLAG, 3), READ),
    RIGHT("narrow fences inside a block", IN(0), ST1(1, DATA, 1), FENCE1_BLOCK(1),
          ST1_AS(RELAXED, WIDE, 1, FLAG, 2), LD1_AS(RELAXED, WIDE, 0, FLAG, 3), FENCE1_BLOCK(0), READ),
    BAD("the writer's fence is of its block", 4, 1, "for the threads of its block only", IN(0),
        ST1(0, DATA, 1), FENCE1_BLOCK(0), ST1_AS(RELAXED, WIDE, 0, FLAG, 2), IN(1), ACQUIRED, READ),
    BAD("the reader's fence is of its block", 4, 1, "the threads of one block only", IN(0), RELEASED, IN(1),
        LD1_AS(RELAXED, WIDE, 0, FLAG, 3), FENCE1_BLOCK(0), READ),
    RIGHT("a wider fence follows", IN(0), RELEASED, IN(1), LD1_AS(RELAXED, WIDE, 0, FLAG, 3), FENCE1_BLOCK(0),
          FENCE1(0), READ),
    BAD("wide fence first, then data and a narrow one", 4, 1, "", IN(0), FENCE1(0), ST1(0, DATA, 1),
        FENCE1_BLOCK(0), ST1_AS(RELAXED, WIDE, 0, FLAG, 2), IN(1), ACQUIRED, READ),

    /* ---- bar.arrive does not wait */
    RIGHT("consumer waits for the producer's arrival", IN(0), S_ST(0, DATA, 1), ARRIVES(1, 0), BAR_AT(1, 2),
          S_LD(1, DATA, 4)),
    BAD("producer writes behind its arrival", 4, 1, "", IN(0), ARRIVES(1, 0), S_ST(0, DATA, 1), BAR_AT(1, 2),
        S_LD(1, DATA, 4)),
    BAD("who arrives learns nothing", 4, 1, "", IN(0), S_ST(1, DATA, 1), ARRIVES(1, 0), BAR_AT(1, 2),
        S_LD(0, DATA, 4)),
    BAD("arrival at another barrier", 4, 1, "", IN(0), S_ST(0, DATA, 1), ARRIVES(2, 0), BAR_AT(1, 2),
        S_LD(1, DATA, 4)),
    RIGHT("what an arriving warp has acquired goes along", IN(0), RELEASED, IN(1), ACQUIRED, ARRIVES(1, 0),
          BAR_AT(1, 2), LD1(1, DATA, 4)),

    /* ---- sizes */
    BAD("atomics of 4 and of 8 bytes", 2, 1, "one is of 4 bytes and the other of 8", IN(0),
        ADD_AS(RELAXED, WIDE, 0, FLAG, 1),
        ACCESS(ATOMIC, 1, LANE, GLOBAL, 8, FLAG, 0, 2, .order = ORDER_RELAXED, .explicit_order = true)),

    /* ---- non-coherent loads */
    BAD("__ldg of what the block has written, barrier between", 4, 1, "non-coherent", IN(0), ST1(1, DATA, 1),
        BAR, LD1_AS(WEAK, NON_COHERENT, 0, DATA, 4)),
    BAD("__ldg of what the thread itself has written", 4, 1, "non-coherent", IN(0), ST1(0, DATA, 1),
        LD1_AS(WEAK, NON_COHERENT, 0, DATA, 4)),
    RIGHT("__ldg, and later a store", IN(0), LD1_AS(WEAK, NON_COHERENT, 0, DATA, 4), BAR, ST1(1, DATA, 1)),

    /* ---- a flag set back by who has acquired it */
    RIGHT("plain store to a flag that the thread has acquired", IN(0), RELEASED, IN(1), ACQUIRED,
          ST1(0, FLAG, 4)),
    BAD("plain store to a flag that it has not", 4, 2, "", IN(0), RELEASED, IN(1), ST1(0, FLAG, 4)),

    /* ---- volatile */
    RIGHT("volatile stores of one value", IN(0), ST1_AS(VOLATILE, SAME, 0, FLAG, 1), IN(1),
          ST1_AS(VOLATILE, SAME, 0, FLAG, 2)),
    RIGHT("volatile store and a load that a loop waits for", IN(0), ST1_AS(VOLATILE, 0, 0, FLAG, 1), IN(1),
          LD1_AS(VOLATILE, POLLED, 0, FLAG, 2)),
    BAD("volatile store and a load of its data", 2, 1, "volatile is not synchronization", IN(0),
        ST1_AS(VOLATILE, 0, 0, FLAG, 1), IN(1), LD1_AS(VOLATILE, 0, 0, FLAG, 2)),
    BAD("volatile store among atomics", 2, 1, "volatile", IN(0), ADD_AS(RELAXED, TICKET, 0, FLAG, 1), IN(1),
        ST1_AS(VOLATILE, 0, 0, FLAG, 2)),
    RIGHT("volatile store of a flag, a fence before it, among atomics", IN(0),
          ADD_AS(RELAXED, TICKET, 0, FLAG, 1), IN(1), FENCE1(0), ST1_AS(VOLATILE, 0, 0, FLAG, 2)),
    RIGHT("an atomic after such a flag", IN(1), FENCE1(0), ST1_AS(VOLATILE, 0, 0, FLAG, 1), IN(0),
          ADD_AS(RELAXED, TICKET, 0, FLAG, 2)),
    RIGHT("volatile data behind a ticket", IN(0), ST1_AS(VOLATILE, 0, 0, DATA, 1), FENCE1(0),
          ADD_AS(RELAXED, TICKET, 0, FLAG, 2), IN(1), ADD_AS(RELAXED, TICKET, 0, FLAG, 3),
          LD1_AS(VOLATILE, 0, 0, DATA, 4)),
    BAD("volatile data behind a compare-and-swap, as of a lock", 4, 1, "without acquire", IN(0),
        ST1_AS(VOLATILE, 0, 0, DATA, 1), FENCE1(0), ADD_AS(RELAXED, TICKET, 0, FLAG, 2), IN(1),
        ADD_AS(RELAXED, WIDE, 0, FLAG, 3), LD1_AS(VOLATILE, 0, 0, DATA, 4)),
    BAD("a ticket, a fence for the block alone, a barrier", 4, 1, "one block only", IN(0), ST1(0, DATA, 1),
        FENCE1(0), ADD_AS(RELAXED, TICKET, 0, FLAG, 2), IN(1), ADD_AS(RELAXED, TICKET, 0, FLAG, 3),
        FENCE1_BLOCK(0), BAR, READ),
    RIGHT("volatile load of what others count atomically", IN(0), ADD_AS(RELAXED, TICKET, 0, FLAG, 1), IN(1),
          LD1_AS(VOLATILE, 0, 0, FLAG, 2)),
};

/* ---- running them -------------------------------------------------------------------------------------- */

/* NULL, or what is not as the program says. */
static const char *judge(struct machine *m, const struct program *p)
{
    const struct sim_hazard *h;
    int count = sim_hazards(&m->f.sim, &h);
    if (p->here == 0)
        return count > 0 ? h->message : NULL;
    if (count == 0)
        return "not reported";
    const bool as_said = h->here.line == p->here && h->there.line == p->there && strstr(h->message, p->cause);
    return as_said ? NULL : h->message;
}

TEST(each_rule)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct machine m;
        machine_open(&m, false, true);
        for (int k = 0; k < MAX_STEPS && programs[i].steps[k].op != END; k++)
            run_step(&m, &programs[i].steps[k], false);
        const char *fault = judge(&m, &programs[i]);
        if (fault)
            print_error("%s: %s\n", programs[i].what, fault);
        failures += fault != NULL;
        machine_close(&m);
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
    const struct touch read = ELEMENT(LOAD, space, 0, DATA, 1), write = ELEMENT(STORE, space, 3, DATA, 4);
    const struct touch tell = ADD_AS(RELEASE, WIDE, 0, FLAG, 2), ask = LD1_AS(ACQUIRE, WIDE, 3, FLAG, 3);
    machine_open(&m, false, true);
    for (int i = 0; i < readers; i++) {
        enter(&m, in_blocks ? i : 0, false);
        const unsigned thread = in_blocks ? 0 : (unsigned)i;
        struct touch step = by_thread(read, thread);
        run_step(&m, &step, false);
        step = by_thread(tell, thread);
        if (i != left_out)
            run_step(&m, &step, false);
    }
    enter(&m, in_blocks ? readers : 0, false);
    run_step(&m, &ask, false);
    run_step(&m, &write, false);
    const struct sim_hazard *h;
    int count = sim_hazards(&m.f.sim, &h), races = 0;
    for (int i = 0; i < count; i++)
        races += h[i].here.line == 4 && h[i].there.line == 1;
    machine_close(&m);
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
    static const struct touch steps[] = {IN(0), ST1_AS(VOLATILE, 0, 0, FLAG, 1), IN(1),
                                         LD1_AS(VOLATILE, 0, 0, FLAG, 2)};
    struct machine m;
    const struct sim_hazard *h;
    machine_open(&m, false, true);
    m.f.sim.config.volatile_is_fine = is_fine;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        run_step(&m, &steps[i], false);
    int count = sim_hazards(&m.f.sim, &h);
    for (int i = 0; i < count; i++)
        assert_int_equal(h[i].class, SIM_HAZARD_VOLATILE);
    machine_close(&m);
    return count;
}

TEST(volatile_has_a_class)
{
    assert_int_equal(volatile_reports(false), 1);
    assert_int_equal(volatile_reports(true), 0);
    assert_string_equal(sim_hazard_class_name(SIM_HAZARD_VOLATILE), "volatile is not synchronization");
}

RUN_ALL
