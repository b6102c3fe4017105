/*
 * Recall and precision on labelled kernels: ScoR's micro-benchmarks and applications (scor/) and the code patterns of
 * Indigo (indigo/), in the usual order and in others.
 *
 *     table [-n ORDERS] [-i INPUTS] [-v] [NAME]
 *
 * NAME: a suite, "scor-micro", "scor-apps" or "indigo", or one of its kernels; -v: what is reported for it, in the
 * usual order; -i: only the first inputs.
 *
 * Exit: 0 if each racy kernel is reported on each input in some order, and no right one on any in any; those of
 * tests/hazards/pending, as SUITE/NAME, count in the table, but must not be as they should.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "sim/device/sim.h"
#include "tests/hazards/labelled.h"
#include "tests/hazards/pending.h"

extern const struct labelled_kernel scor_micro[], scor_apps[], *indigo_table(void);
extern const int indigo_inputs;

struct suite {
    const char *name;
    const struct labelled_kernel *kernels;
    int inputs, orders; /* each racy kernel must be reported on each input; orders to try by default */
};

/* Of one class of kernels. */
struct row {
    const char *name;
    int racy, usual, some; /* racy kernels: all, reported in the usual order, in some order */
    int right, alarms;     /* right kernels: all, reported in some order */
    int surprises;         /* not as expected and not pending, or the other way round */
};
#define ROWS_MAX 32

/* Whether the class of the report says that accesses are not ordered. */
static bool is_race(const struct sim_hazard *hazard)
{
    static const char *const words[] = {"race", "scope", "volatile", "non-coherent"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(sim_hazard_class_name(hazard->class), words[i]) != NULL)
            return true;
    return false;
}

/* Whether a race is reported; for a kernel without one and without faults, whether anything is. */
static bool is_reported(const struct labelled_kernel *kernel, bool verbose)
{
    const struct sim_hazard *hazards;
    int count = sim_hazards(sim_current(), &hazards);
    bool found = false;

    for (int i = 0; i < count; i++) {
        found |= is_race(&hazards[i]) || !(kernel->racy || kernel->faulty);
        if (verbose)
            printf("    %s: %s\n", sim_hazard_class_name(hazards[i].class), hazards[i].message);
    }
    if (sim_last_result()->status != SIM_OK && !kernel->faulty)
        printf("    %s stopped: %s\n", kernel->name, sim_last_result()->message);
    return found;
}

static bool run(const struct labelled_kernel *kernel, int input, uint64_t order, bool verbose)
{
    bool reported;

    sim_hazards_reset(sim_current());
    sim_config(sim_current())->schedule_seed = order;
    sim_config(sim_current())->instruction_limit = 20000000;
    kernel->launch(input);
    cudaGetLastError();
    reported = is_reported(kernel, verbose);
    cudaDeviceReset();
    return reported;
}

static struct row *row_of(struct row *rows, const char *name)
{
    while (rows->name != NULL && strcmp(rows->name, name) != 0)
        rows++;
    rows->name = name;
    return rows;
}

/* On how many of the inputs it is reported in some order; *usual: in the usual one. */
static int count_reports(const struct labelled_kernel *kernel, const struct suite *suite, bool verbose,
                         int *usual)
{
    int some = 0;

    *usual = 0;
    for (int input = 0; input < suite->inputs; input++) {
        bool reported = run(kernel, input, 0, verbose);

        *usual += reported;
        for (int order = 1; order <= suite->orders && !reported; order++)
            reported = run(kernel, input, (uint64_t)order, false);
        some += reported;
    }
    return some;
}

/* Runs the kernel on all inputs, and counts it. */
static void add(struct row *row, const struct labelled_kernel *kernel, const struct suite *suite,
                bool verbose)
{
    int usual, some = count_reports(kernel, suite, verbose, &usual);
    bool good = some == (kernel->racy ? suite->inputs : 0),
         pending = hazard_is_pending(suite->name, kernel->name);

    row->racy += kernel->racy;
    row->right += !kernel->racy;
    row->usual += kernel->racy && usual == suite->inputs;
    row->some += kernel->racy && good;
    row->alarms += !kernel->racy && !good;
    row->surprises += good == pending;
    if (good && pending)
        printf("%s/%s is as expected: remove it from tests/hazards/pending\n", suite->name, kernel->name);
    else if (!good && !pending)
        printf("%s/%s: reported on %d of %d inputs\n", suite->name, kernel->name, some, suite->inputs);
}

static void print_share(int part, int whole)
{
    if (whole > 0)
        printf(" %.1f %% |", 100.0 * part / whole);
    else
        printf(" |");
}

static void print_row(const struct row *row)
{
    printf("| %s | %d | %d | %d |", row->name, row->racy, row->usual, row->some);
    print_share(row->some, row->racy);
    printf(" %d | %d |", row->right, row->alarms);
    print_share(row->some, row->some + row->alarms);
    putchar('\n');
}

/* Whether all is as it should be. */
static bool try_suite(const struct suite *suite, const char *wanted, bool verbose)
{
    struct row rows[ROWS_MAX] = {0}, all = {.name = "all"};
    bool whole = wanted == NULL || strcmp(wanted, suite->name) == 0;

    for (const struct labelled_kernel *k = suite->kernels; k->name != NULL; k++)
        if (whole || strcmp(wanted, k->name) == 0)
            add(row_of(rows, k->group), k, suite, verbose);
    if (rows[0].name == NULL)
        return true;
    printf(
        "\n| %s | racy | reported in the usual order | in some order | recall | right | false alarms | precision |\n"
        "|---|---|---|---|---|---|---|---|\n",
        suite->name);
    for (int i = 0; i < ROWS_MAX && rows[i].name != NULL; i++) {
        print_row(&rows[i]);
        all.racy += rows[i].racy, all.usual += rows[i].usual, all.some += rows[i].some;
        all.right += rows[i].right, all.alarms += rows[i].alarms;
        all.surprises += rows[i].surprises;
    }
    print_row(&all);
    return all.surprises == 0;
}

int main(int count, char **arguments)
{
    struct suite suites[] = {{"scor-micro", scor_micro, 1, 20},
                             {"scor-apps", scor_apps, 1, 20},
                             {"indigo", indigo_table(), indigo_inputs, 0}};
    const char *wanted = NULL;
    bool good = true, verbose = false;
    int orders = -1, inputs = -1;

    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "-v") == 0)
            verbose = true;
        else if (strcmp(arguments[i], "-n") == 0 && i + 1 < count)
            orders = atoi(arguments[++i]);
        else if (strcmp(arguments[i], "-i") == 0 && i + 1 < count)
            inputs = atoi(arguments[++i]);
        else
            wanted = arguments[i];
    }
    sim_report_at_exit(false);
    for (size_t i = 0; i < sizeof suites / sizeof suites[0]; i++) {
        suites[i].orders = orders >= 0 ? orders : suites[i].orders;
        suites[i].inputs = inputs > 0 && inputs < suites[i].inputs ? inputs : suites[i].inputs;
        good &= try_suite(&suites[i], wanted, verbose);
    }
    return !good;
}
