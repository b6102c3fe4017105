/*
 * The hazard detector without an interpreter. Two tables of little programs, each a list of warp-wide
 * accesses and synchronizations: wrong ones, which must be reported with class and lines, and right ones,
 * which must not.
 */
#include "test.h"
#include "tests/unit/hazard_machine.h"
#include "tests/unit/hazard_right.h"
#include "tests/unit/hazard_wrong.h"

/* ---- running them -------------------------------------------------------------------------------------- */

static void run_program(struct machine *m, const struct program *p)
{
    for (int i = 0; i < MAX_STEPS && p->steps[i].op != END; i++)
        run_step(m, &p->steps[i], p->unwritten);
}

/* The expected report is there, and none of another class. */
static bool reported(struct machine *m, const struct program *p)
{
    const struct sim_hazard *h;
    int count = sim_hazards(&m->f.sim, &h), found = 0;
    for (int i = 0; i < count; i++) {
        if ((int)h[i].class + 1 != p->report)
            return false;
        found += h[i].here.line == p->here && h[i].there.line == p->there;
    }
    return found == 1;
}

static int complain(struct machine *m, const struct program *p, int turn)
{
    const struct sim_hazard *h;
    int count = sim_hazards(&m->f.sim, &h);
    print_error("%s (turn %d): %d reports\n", p->what, turn, count);
    for (int i = 0; i < count; i++)
        print_error("    class %d, lines %d and %d: %s\n", (int)h[i].class, h[i].here.line, h[i].there.line,
                    h[i].message);
    return 1;
}

TEST(wrong_programs_are_reported)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct program *p = &wrong[i];
        struct machine m;
        machine_open(&m, p->unwritten, false);
        for (int turn = 0; turn < 2; turn++) { /* again in a second launch: shadow is used again */
            if (turn && p->unwritten)
                break;
            sim_hazards_reset(&m.f.sim);
            run_program(&m, p);
            if (!reported(&m, p))
                failures += complain(&m, p, turn);
            run_step(&m, &(struct touch)NEW_LAUNCH, false);
        }
        machine_close(&m);
    }
    assert_int_equal(failures, 0);
}

TEST(right_programs_are_not)
{
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        const struct program *p = &right[i];
        struct machine m;
        machine_open(&m, p->unwritten, false);
        for (int turn = 0; turn < 3; turn++) {
            run_program(&m, p);
            const struct sim_hazard *h;
            if (sim_hazards(&m.f.sim, &h) != 0)
                fail_msg("%s: reported in turn %d: %s", p->what, turn, h->message);
            run_step(&m, &(struct touch)NEW_LAUNCH, false);
        }
        machine_close(&m);
    }
}

/* Of what is read too early, but not by the reader itself: "sum += x" stores what it should not have read. */
TEST(who_stores_later_is_told)
{
    static const struct program programs[] = {
        {.unwritten = true, .steps = {LD(0, LOW, SHARED, 0, 4, 1), ST(0, LOW, SHARED, 0, 4, 2)}},
        {.unwritten = true, .steps = {LD(0, LOW, SHARED, 0, 4, 1), BAR, ST(1, LOW, SHARED, 0, 4, 2)}},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct machine m;
        const struct sim_hazard *h;
        machine_open(&m, true, false);
        run_program(&m, &programs[i]);
        leave_blocks(&m);
        assert_true(sim_hazards(&m.f.sim, &h) > 0);
        assert_int_equal(h->here.line, 1);
        assert_int_equal(strstr(h->message, "but only later") != NULL, i == 1);
        assert_null(strstr(h->message, "__syncthreads()"));
        machine_close(&m);
    }
}

/* Of races within a warp and between warps at the same two lines, the latter is told, whichever comes first.
 */
TEST(the_race_between_warps_is_told)
{
    static const struct program programs[] = {
        {.steps = {ST(0, ALL, SHARED, 0, 4, 1), LD(0, LOW, SHARED, 64, 4, 2), LD(1, ALL, SHARED, 0, 4, 2)}},
        {.steps = {ST(0, ALL, SHARED, 0, 4, 1), LD(1, ALL, SHARED, 0, 4, 2), LD(0, LOW, SHARED, 64, 4, 2)}},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct machine m;
        const struct sim_hazard *h;
        machine_open(&m, false, false);
        run_program(&m, &programs[i]);
        assert_int_equal(sim_hazards(&m.f.sim, &h), 1);
        assert_int_equal(h->count, 2);
        assert_false(h->within_warp);
        assert_non_null(strstr(h->message, "No __syncthreads()"));
        machine_close(&m);
    }
}

static bool row_is_known(const struct machine *m, uint64_t first)
{
    return hazard_load_is_known(&m->blocks[m->current], 2, 1, first, false);
}

/* A row that two warps have read is known to have nothing more to tell, until something may have changed. */
TEST(rows_that_two_warps_have_read_are_known)
{
    static const struct touch reads[] = {LD(0, ALL, SHARED, 0, 4, 1), LD(1, ALL, SHARED, 0, 4, 1),
                                         LD(0, ALL, SHARED, 0, 4, 1)};
    static const struct touch changes[] = {BAR, ST(0, LANE, SHARED, 512, 4, 2),
                                           LD_AS(ORDER_VOLATILE, 0, LANE, SHARED, 768, 4, 3),
                                           ATOM(0, LANE, SHARED, 1024, 0, 4), BAR};
    struct machine m;
    const struct sim_hazard *h;
    machine_open(&m, false, false);
    for (size_t i = 0; i <= sizeof changes / sizeof *changes; i++) {
        for (size_t k = 0; k < 3; k++) {
            run_step(&m, &reads[k], false);
            assert_int_equal(row_is_known(&m, 0), k == 2 || (i > 1 && i < 5));
        }
        assert_false(row_is_known(&m, 4) || row_is_known(&m, 128) || row_is_known(&m, 64 * 128));
        if (i < sizeof changes / sizeof *changes)
            run_step(&m, &changes[i], false);
        assert_int_equal(row_is_known(&m, 0), i == 5);
    }
    assert_int_equal(sim_hazards(&m.f.sim, &h), 0);
    run_step(&m, &(struct touch)ST(1, ALL, SHARED, 0, 4, 9), false);
    assert_int_equal(sim_hazards(&m.f.sim, &h), 1);
    machine_close(&m);
}

/*
 * After 2^31 stamps the detector starts over in the middle of a launch: what was ordered stays without a report, and
 * races that come later are found. Two blocks live; one has a table of unusual synchronization (a barrier of some
 * warps).
 */
TEST(stamps_run_out)
{
    static const struct touch before[] = {
        IN(1),     ST(2, ALL, GLOBAL, 1024, 4, 9), IN(0), WSYNC(0, LOW),
        BAR_OF(3), ST(0, ALL, SHARED, 0, 4, 1),    BAR,
    };
    static const struct touch after[] = {
        LD(1, ALL, SHARED, 0, 4, 2),  BAR,   ST(0, ALL, SHARED, 0, 4, 3), LD(1, ALL, SHARED, 0, 4, 4),
        ST(1, LANE, GLOBAL, 0, 4, 5), IN(1), LD(3, LANE, GLOBAL, 0, 4, 6)};
    struct machine m;
    const struct sim_hazard *h;
    machine_open(&m, false, false);
    struct hazards *hazards = m.f.sim.hazards;
    const stamp_t nearly = INT32_MAX - 16 * STAMPS_PER_CHUNK;
    hazards->next_stamp = hazards->launch_first = nearly;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        run_step(&m, &before[i], false);
    assert_true(hazards->next_stamp >= nearly);
    for (int i = 0; i < 20 * STAMPS_PER_CHUNK; i++)
        run_step(&m, &(struct touch)BAR, false);
    assert_true(hazards->next_stamp < nearly);
    run_step(&m, &after[0], false);
    run_step(&m, &after[1], false);
    assert_int_equal(sim_hazards(&m.f.sim, &h), 0);
    for (size_t i = 2; i < sizeof after / sizeof *after; i++)
        run_step(&m, &after[i], false);
    assert_int_equal(sim_hazards(&m.f.sim, &h), 2);
    assert_int_equal(h[0].class, SIM_HAZARD_RACE_SHARED);
    assert_int_equal(h[0].here.line, 4);
    assert_int_equal(h[0].there.line, 3);
    assert_int_equal(h[1].class, SIM_HAZARD_RACE_GLOBAL);
    assert_int_equal(h[1].here.line, 6);
    assert_int_equal(h[1].there.line, 5);
    machine_close(&m);
}

RUN_ALL
