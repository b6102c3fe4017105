/*
 * Runs the litmus tests on the simulator in many orders of warps and blocks, and compares it with the memory model:
 *
 *   - no outcome that the model forbids;
 *   - the hazard detector reports a race in exactly those tests in which some interleaving has one, and names only
 *     operations that race. (Who races on a flag is told of the flag; the data behind it need not be named as well.)
 *
 * What the detector says of volatile accesses is left out: to PTX they are relaxed (8.4.2), to CUDA C++ a race.
 *
 *     simulate [-v] [NAME...]    all tests, or these; -v: with every outcome and report
 *
 * Tests in which the detector is known to disagree are listed in tests/litmus/pending; one that agrees must be taken
 * off that list. Exit: 0 if all is as it should be, 1 if not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device/sim.h"
#include "tests/litmus/launch.h"

enum { SEEDS = 24, INSTANCES_MAX = 128, ROUND = 16 /* nanosleeps that make the simulator turn to others */ };

/* ---- what the detector says ------------------------------------------------------------------------------------- */

struct reports {
    struct race_set races;
    int others;        /* hazards that are no race, or name no operation of the test */
    char strange[256]; /* the first of them */
};

/* The operation of the thread at this place of the launch, in this line; -1: none. */
static int find_op(const struct litmus_test *test, const struct sim_hazard_place *place)
{
    int block = (int)place->block.x, warp = (int)place->thread.x / 32 % test->warps,
        lane = (int)place->thread.x % test->lanes;

    for (int t = 0; t < test->thread_count; t++) {
        const struct litmus_thread *thread = &test->thread[t];
        if (thread->block != block || thread->warp != warp || thread->lane != lane)
            continue;
        for (int op = 0; op < thread->op_count; op++)
            if (thread->op[op].line == place->line && strstr(place->file, test->file))
                return t * OPS_MAX + op;
    }
    return -1;
}

static void collect(const struct litmus_test *test, struct reports *reports, bool verbose)
{
    const struct sim_hazard *hazards;
    int count = sim_hazards(sim_current(), &hazards);

    for (int i = 0; i < count; i++) {
        const struct sim_hazard *h = &hazards[i];
        bool race = h->class == SIM_HAZARD_RACE_SHARED || h->class == SIM_HAZARD_RACE_GLOBAL;
        if (strncmp(sim_hazard_class_name(h->class), "volatile", 8) == 0)
            continue;
        int here = race ? find_op(test, &h->here) : -1, there = race ? find_op(test, &h->there) : -1;
        if (verbose)
            printf("        %s\n", h->message);
        if (here >= 0 && there >= 0) {
            reports->races.with[here] |= 1u << there;
            reports->races.with[there] |= 1u << here;
        } else if (reports->others++ == 0) {
            snprintf(reports->strange, sizeof reports->strange, "%.250s", h->message);
        }
    }
}

/* ---- one test ----------------------------------------------------------------------------------------------------- */

static cudaError_t run(const struct litmus_device *device, const struct litmus_test *test, const void *kernel,
                       const struct verdict *verdict, struct litmus_tally *tally, struct reports *reports,
                       bool verbose)
{
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        struct litmus_shape shape = {.groups = 1,
                                     .sets = litmus_sets_max(test),
                                     .stride = 1,
                                     .seed = seed * 7919 + 1,
                                     .delay_most = seed % 6,
                                     .delay_step = ROUND};
        sim_hazards_reset(sim_current());
        sim_config(sim_current())->schedule_seed = seed;
        sim_config(sim_current())->instruction_limit = 2000000;
        cudaError_t status = litmus_launch(device, test, kernel, &shape, verdict, tally);
        collect(test, reports, verbose);
        if (status != cudaSuccess)
            return status;
    }
    return cudaSuccess;
}

static void show(const struct litmus_test *test, const struct verdict *verdict,
                 const struct litmus_tally *tally)
{
    char text[128];

    for (int i = 0; i < verdict->count; i++)
        printf("    %8llu  %s%s\n", tally->seen[i], outcome_text(test, &verdict->outcome[i], text),
               verdict->interleaved[i] ? "" : "    (no interleaving)");
}

/* Says what the detector should not have said, or should have; true if it agrees with the model. */
static bool agrees(const struct litmus_test *test, const struct verdict *verdict,
                   const struct reports *reports, char why[512])
{
    if (verdict_is_racy(&verdict->interleaved_races) && !verdict_is_racy(&reports->races))
        return snprintf(why, 512, "missed: every race"), false;
    for (int a = 0; a < OP_IDS; a++)
        for (int b = 0; b < OP_IDS; b++)
            if (reports->races.with[a] >> b & ~verdict->interleaved_races.with[a] >> b & 1)
                return snprintf(why, 512, "false alarm: %s and %s",
                                test->thread[a / OPS_MAX].op[a % OPS_MAX].text,
                                test->thread[b / OPS_MAX].op[b % OPS_MAX].text),
                       false;
    if (reports->others)
        return snprintf(why, 512, "false alarm: %s", reports->strange), false;
    return true;
}

/* ---- the list of those that are known to disagree -------------------------------------------------------------- */

static bool is_pending(const char *name)
{
    char line[256];
    bool found = false;
    FILE *list = fopen("tests/litmus/pending", "r");

    while (list && !found && fgets(line, sizeof line, list)) {
        line[strcspn(line, " \n")] = '\0';
        found = strcmp(line, name) == 0;
    }
    if (list)
        fclose(list);
    return found;
}

struct totals {
    int tests, wrong, pending, seen, reachable, locations, named;
    unsigned long long instances;
};

static void count_seen(const struct litmus_test *test, const struct verdict *verdict,
                       const struct litmus_tally *tally, const struct reports *reports, struct totals *totals)
{
    uint32_t racy = race_locations(test, &verdict->interleaved_races);

    totals->locations += __builtin_popcount(racy);
    totals->named += __builtin_popcount(racy & race_locations(test, &reports->races));
    totals->instances += tally->total;
    for (int i = 0; i < verdict->count; i++) {
        totals->reachable += verdict->interleaved[i];
        totals->seen += tally->seen[i] > 0;
    }
}

/* Runs the test on a fresh device. */
static bool is_good(const struct litmus_test *test, const void *kernel, const struct verdict *verdict,
                    bool verbose, struct litmus_tally *tally, struct reports *reports, char why[512])
{
    struct litmus_device device;
    bool good = false;

    if (!litmus_device_create(&device, INSTANCES_MAX, 1, 1))
        exit(2);
    cudaError_t status = run(&device, test, kernel, verdict, tally, reports, verbose);
    if (status == cudaSuccess)
        good = agrees(test, verdict, reports, why);
    else
        snprintf(why, 512, "it stopped: %.490s", sim_last_result()->message);
    litmus_device_destroy(&device);
    cudaDeviceReset();
    return good;
}

static void check(const struct litmus_test *test, const void *kernel, bool verbose, struct totals *totals)
{
    static struct verdict verdict;
    struct litmus_tally tally = {0};
    struct reports reports = {0};
    char why[512] = "", text[128];

    verdict_find(test, &verdict);
    bool good = is_good(test, kernel, &verdict, verbose, &tally, &reports, why),
         pending = is_pending(test->name);
    if (verbose)
        printf("%s\n", test->name), show(test, &verdict, &tally);
    totals->tests++;
    totals->pending += pending;
    count_seen(test, &verdict, &tally, &reports, totals);
    if (tally.forbidden == 0 && good != pending)
        return;
    totals->wrong++;
    if (tally.forbidden)
        printf("%s: seen, and forbidden: %s\n", test->name, outcome_text(test, &tally.first_forbidden, text));
    else if (good)
        printf("%s: the detector agrees with the model: take it off tests/litmus/pending\n", test->name);
    else
        printf("%s: %s\n", test->name, why);
}

static bool is_wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

int main(int count, char **arguments)
{
    static struct litmus_tests tests;
    struct totals totals = {0};
    bool verbose = count > 1 && strcmp(arguments[1], "-v") == 0;

    sim_report_at_exit(false);
    litmus_read_all(&tests, 0, NULL);
    for (int i = 0; i < tests.count; i++)
        if (is_wanted(tests.test[i].name, count - 1 - verbose, arguments + 1 + verbose))
            check(&tests.test[i], litmus_kernels[i].kernel, verbose, &totals);
    printf(
        "%d litmus tests, each in %d orders, %llu instances: %d of %d outcomes that interleavings have were seen, %d "
        "of %d racing locations named; %d pending; %d not as expected\n",
        totals.tests, SEEDS, totals.instances, totals.seen, totals.reachable, totals.named, totals.locations,
        totals.pending, totals.wrong);
    return totals.wrong > 0;
}
