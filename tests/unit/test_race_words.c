/* What is advised about a race: an atomic operation, a barrier between turns of a loop, or an element for each thread. */
#include "test.h"
#include "exec_support.h"

/* %at: the thread's element of shared memory, or of `out` in global memory. */
#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 out) {\n"                                                                 \
    ".shared .align 4 .b8 s[1024]; .reg .b64 %out, %at; .reg .b32 %t, %e, %i, %v; .reg .pred %p;\n"          \
    "ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %at, %t, 4, %out;\n"

/* The first race that the kernel has. */
static struct sim_hazard first_race(const char *middle, unsigned blocks, unsigned threads)
{
    char ptx[2048];
    struct exec e;
    const struct sim_hazard *hazards;
    struct sim_hazard found;
    exec_open(&e);
    snprintf(ptx, sizeof ptx, "%s%s\nret; }\n", HEAD, middle);
    exec_load(&e, ptx);
    const uint64_t args[] = {exec_buffer(&e, NULL, 4096)};
    assert_int_equal(
        exec_launch(&e, "k", (struct sim_dim3){blocks, 1, 1}, (struct sim_dim3){threads, 1, 1}, 0, args),
        SIM_OK);
    const int count = sim_hazards(e.sim, &hazards);
    int race = 0;
    while (race < count && hazards[race].class == SIM_HAZARD_UNINITIALIZED)
        race++;
    assert_true(race < count);
    found = hazards[race];
    exec_close(&e);
    return found;
}

/* count[k] = count[k] + 1, at an index that depends on the thread's number alone: no barrier is there for blocks. */
TEST(blocks_that_update_want_an_atomic)
{
    const struct sim_hazard h = first_race(
        ".loc 1 7 1\nld.global.u32 %v, [%at]; add.u32 %v, %v, 1; st.global.u32 [%at], %v;\n", 2, 32);
    assert_int_equal(h.class, SIM_HAZARD_RACE_GLOBAL);
    assert_int_equal(h.detail, SIM_DETAIL_UPDATE);
    assert_non_null(strstr(h.message, "one atomic operation"));
}

/* What may be a lock lacks fences: an atomic operation is not the only remedy. */
TEST(an_update_under_a_lock_wants_fences)
{
    const struct sim_hazard h =
        first_race("atom.global.cas.b32 %v, [%out+2048], 0, 1;\n"
                   ".loc 1 7 1\nld.global.u32 %v, [%out]; add.u32 %v, %v, 1; st.global.u32 [%out], %v;\n"
                   "atom.global.exch.b32 %v, [%out+2048], 0;\n",
                   2, 1);
    assert_int_equal(h.class, SIM_HAZARD_RACE_GLOBAL);
    assert_non_null(strstr(h.message, "If a lock keeps them apart, it must have a fence (__threadfence())"));
    assert_null(strstr(h.message, "at the same time"));
}

#define STORE                                                                                                \
    ".loc 1 7 1\nmad.lo.u32 %e, %e, 4, 0; mov.u32 %v, s; add.u32 %v, %v, %e; st.shared.u32 [%v], %t;\n"

TEST(turns_of_a_loop_want_a_barrier)
{
    /* s[t + 32 * i] = t, for i = 0 and 1: the second turn of one warp meets the first one of the next */
    struct sim_hazard h = first_race("mov.u32 %i, 0;\nL: mad.lo.u32 %e, %i, 32, %t;\n" STORE
                                     "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 2; @%p bra L;\n",
                                     1, 64);
    assert_int_equal(h.detail, SIM_DETAIL_STORES);
    assert_non_null(strstr(h.message, "in the same turn of a loop"));
    h = first_race("and.b32 %e, %t, 31;\n" STORE, 1, 64);
    assert_int_equal(h.detail, SIM_DETAIL_STORES);
    assert_null(strstr(h.message, "turn of a loop"));
}

#define ELEMENT  "mov.u32 %v, s; mad.lo.u32 %v, %t, 4, %v;\n"
#define NEIGHBOR "xor.b32 %e, %t, 32; mov.u32 %v, s; mad.lo.u32 %v, %e, 4, %v;\n"
#define LOAD     ".loc 1 9 1\n" NEIGHBOR "ld.shared.u32 %v, [%v]; st.global.u32 [%at], %v;\n"
#define WRITE    ".loc 1 7 1\n" ELEMENT "st.shared.u32 [%v], %t;\n"
#define BARRIER  "bar.sync 0;\n"
#define TURN     "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 2; @%p bra L;\n"

/* The barrier that is missing is not the one that stands between the two lines. */
TEST(a_barrier_before_the_next_turn_is_called_so)
{
    static const char says[] =
        "a __syncthreads() stands between line 7 and line 9, but none stands between line 9 "
        "and line 7 of the next turn";
    struct sim_hazard h = first_race("mov.u32 %i, 0;\nL:\n" WRITE BARRIER LOAD TURN, 1, 64);
    assert_non_null(strstr(h.message, says));
    h = first_race(WRITE BARRIER LOAD WRITE BARRIER LOAD, 1, 64); /* unrolled */
    assert_non_null(strstr(h.message, says));
    h = first_race("mov.u32 %i, 0;\nL:\n" WRITE LOAD BARRIER TURN, 1, 64);
    assert_non_null(strstr(h.message, "No __syncthreads() stands between them."));
    h = first_race(WRITE BARRIER ".loc 1 5 1\n" NEIGHBOR "ld.shared.u32 %v, [%v];\n" WRITE BARRIER, 1, 64);
    assert_non_null(strstr(h.message, "No __syncthreads() stands between them."));
}

/* Within one statement no barrier can stand; and a read beside an atomic may be a step of an update. */
TEST(a_barrier_is_named_only_where_it_can_stand)
{
    struct sim_hazard h =
        first_race(WRITE ".loc 1 7 1\n" NEIGHBOR "ld.shared.u32 %v, [%v]; st.global.u32 [%at], %v;\n", 1, 64);
    assert_null(strstr(h.message, "__syncthreads()"));
    h = first_race(".loc 1 7 1\nld.shared.u32 %v, [s];\n.loc 1 9 1\natom.shared.add.u32 %v, [s], 1;\n", 1,
                   64);
    assert_null(strstr(h.message, "__syncthreads()"));
    assert_non_null(strstr(h.message, "One access is atomic, the other is not"));
}

/* grid.sync() orders blocks, and each of them may have its element already. */
TEST(blocks_are_ordered_by_the_grid)
{
    const struct sim_hazard h = first_race(
        "mov.u32 %i, %ctaid.x; setp.eq.u32 %p, %i, 0;\n@%p bra R;\n.loc 1 7 1\nst.global.u32 [%at], %t;\nret;\n"
        "R:\n.loc 1 9 1\nld.global.u32 %v, [%at]; st.shared.u32 [s], %v;\n",
        2, 1);
    assert_int_equal(h.class, SIM_HAZARD_RACE_GLOBAL);
    assert_non_null(strstr(h.message, "grid.sync()"));
    assert_null(strstr(h.message, "elements of its own"));
}

/* Blocks that only exchange a counter: the fence belongs behind the access that came first. */
TEST(a_fence_belongs_behind_the_first_access)
{
    const struct sim_hazard h = first_race(
        "mov.u32 %i, %ctaid.x; setp.eq.u32 %p, %i, 1;\n@%p bra W;\n.loc 1 7 1\nld.global.u32 %v, [%at]; "
        "st.shared.u32 [s], %v;\natom.global.add.u32 %v, [%out+2048], 1;\nret;\n"
        "W: atom.global.add.u32 %v, [%out+2048], 1;\n.loc 1 9 1\nst.global.u32 [%at], 5;\n",
        2, 1);
    assert_int_equal(h.class, SIM_HAZARD_RACE_GLOBAL);
    assert_non_null(strstr(h.message, "between the read and the atomic that sets the flag"));
}

RUN_ALL
