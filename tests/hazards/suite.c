/*
 * Runs the kernels of tests/hazards/ on the simulator: each wrong one must be reported with its class and its marked
 * lines, each right one must raise nothing and leave the same memory; under the usual order of warps and blocks and
 * under 20 others.
 *
 *     suite [NAME...]     only these kernels, with every report
 *     suite --half 1      every second kernel, from the first; --half 2: the others
 *     suite --class-only  for kernels that were compiled without optimization (nvcc -G), those of is_unoptimised:
 *                         the class must be reported, at any line, since functions such as atomicAdd are called then
 *                         and have lines of their own
 *
 * With SUITE=short in the environment under 2 others.
 *
 * A line that ends with "// <-" is marked. One mark or two: a report names all of them, a race as its two places.
 * Three or more: both places of the report are marked. "// <- or": one of these is enough. Reports of other classes
 * do not count. tests/hazards/pending lists the kernels, as FILE/NAME, that are not as they should be yet; one that
 * is after all is a failure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device/sim.h"
#include "tests/hazards/launch.h"
#include "tests/hazards/pending.h"
#include "tests/hazards/sets.h"

/* Orders besides the usual one; 2 in the short suite, in which a kernel that is pending may be as expected. */
#define SEEDS 20
static bool is_short;

static bool class_only;

/* Without optimization these are copied to a local variable, and a copy counts as written, or as a use. */
static bool is_copied_first(const char *name)
{
    return strcmp(name, "partly_written_vector") == 0 || strcmp(name, "shuffled_from_lanes_that_left") == 0;
}

/*
 * The limit of code without optimization: the variable is copied, from local memory to local memory, to the argument of a
 * function that is inlined; and what copies a value that was never written counts as written, since structures are copied
 * so. These are not reported; one that is must go from this list.
 */
static const char *const copied_to_arguments[] = {
    "set_in_one_branch_and_computed",
    "undefined_by_shuffle",
    "undefined_atomic",
    "maximum_without_start",
};

static bool is_copied_to_argument(const char *name)
{
    for (size_t i = 0; i < sizeof copied_to_arguments / sizeof *copied_to_arguments; i++)
        if (strcmp(copied_to_arguments[i], name) == 0)
            return true;
    return false;
}

/* ---- the marked lines of a kernel ---------------------------------------------------------------------- */

#define MARKED_MAX 16

struct marks {
    int count, lines[MARKED_MAX];
    bool any; /* one of them is enough */
};

static struct marks find_marks(const char *set, const char *kernel)
{
    char line[512], name[128];
    struct marks marks = {0};
    int number = 0;
    bool inside = false;

    snprintf(name, sizeof name, "tests/hazards/%s.cu", set);
    FILE *source = fopen(name, "r");
    snprintf(name, sizeof name, "KERNEL(%s)", kernel);
    while (source != NULL && fgets(line, sizeof line, source) != NULL) {
        number++;
        if (strncmp(line, name, strlen(name)) == 0)
            inside = true;
        else if (line[0] == '}')
            inside = false;
        if (!inside || strstr(line, "// <-") == NULL || marks.count == MARKED_MAX)
            continue;
        marks.lines[marks.count++] = number;
        marks.any |= strstr(line, "// <- or") != NULL;
    }
    if (source != NULL)
        fclose(source);
    return marks;
}

static bool is_marked(const struct marks *marks, int line)
{
    for (int i = 0; i < marks->count; i++)
        if (marks->lines[i] == line)
            return true;
    return false;
}

/* ---- what a report says -------------------------------------------------------------------------------- */

/* Whether the text for people names the line: "line 12" or "wrong.cu:12". */
static bool says_line(const char *message, int line)
{
    char as_word[32], as_place[32];
    snprintf(as_word, sizeof as_word, "line %d", line);
    snprintf(as_place, sizeof as_place, ".cu:%d", line);
    return strstr(message, as_word) != NULL || strstr(message, as_place) != NULL;
}

/* Whether the message has the word elsewhere than in the name of a file ("tests/hazards/wrong_scopes.cu:12"). */
static bool says_word(const char *message, const char *word)
{
    for (const char *at = strstr(message, word); at != NULL; at = strstr(at + 1, word)) {
        const char *file = strstr(at, ".cu:");

        if (file == NULL || strcspn(at, " ") < (size_t)(file - at))
            return true;
    }
    return false;
}

static bool is_of_class(const struct sim_hazard *hazard, int expected)
{
    const struct hazard_words *words = &hazard_expectations[expected];
    const char *class = sim_hazard_class_name(hazard->class);

    if (strstr(class, words->class_has) != NULL)
        return true;
    return words->race_says != NULL && strstr(class, "race") != NULL &&
           says_word(hazard->message, words->race_says);
}

/* Whether this report alone names all that one report can name. */
static bool names_marks(const struct sim_hazard *hazard, const struct marks *marks)
{
    int here = hazard->here.line, there = hazard->there.line;

    if (!is_marked(marks, here) || !says_line(hazard->message, here))
        return false;
    if (there == 0)
        return true;
    if (!is_marked(marks, there) || !says_line(hazard->message, there))
        return false;
    return marks->any || marks->count != 2 || here != there;
}

/* Places that are no pair: a mark each, in one report or in several. */
static bool all_marks_said(const struct sim_hazard *hazards, int count, int expected,
                           const struct marks *marks)
{
    int said = 0;

    for (int k = 0; k < marks->count; k++)
        for (int i = 0; i < count; i++)
            if (is_of_class(&hazards[i], expected) && says_line(hazards[i].message, marks->lines[k])) {
                said++;
                break;
            }
    return said == marks->count;
}

static bool is_reported(const struct hazard_program *program, const char *set)
{
    const struct sim_hazard *hazards;
    struct marks marks = find_marks(set, program->name);
    int count = sim_hazards(sim_current(), &hazards);

    for (int i = 0; i < count; i++) {
        if (!is_of_class(&hazards[i], program->hazard) || (!class_only && !names_marks(&hazards[i], &marks)))
            continue;
        if (class_only)
            return true;
        if (hazards[i].there.line != 0 || marks.any || marks.count != 2 ||
            all_marks_said(hazards, count, program->hazard, &marks))
            return true;
    }
    return false;
}

/* ---- one kernel, once ---------------------------------------------------------------------------------- */

static uint64_t hash(uint64_t so_far, void *device, size_t size)
{
    const unsigned char *bytes = sim_mem_host(sim_current(), (sim_addr)(uintptr_t)device, size);

    for (size_t i = 0; bytes != NULL && i < size; i++)
        so_far = (so_far ^ bytes[i]) * 0x100000001b3u;
    return so_far;
}

/* What the kernel leaves in memory. */
static uint64_t run(const struct hazard_program *program, uint64_t seed)
{
    struct hazard_memory memory = hazard_memory_create();
    uint64_t left;

    sim_hazards_reset(sim_current());
    sim_config(sim_current())->schedule_seed = seed;
    sim_config(sim_current())->instruction_limit = 2000000;
    hazard_launch(program, &memory);
    cudaGetLastError();
    left = hash(0xcbf29ce484222325u, memory.x, X_BYTES);
    left = hash(left, memory.zeros, ZEROS_BYTES);
    left = hash(left, memory.fresh, FRESH_BYTES);
    hazard_memory_free(&memory);
    return left;
}

static void show(void)
{
    const struct sim_hazard *hazards;
    int count = sim_hazards(sim_current(), &hazards);

    if (sim_last_result()->status != SIM_OK)
        printf("    it stopped: %s\n", sim_last_result()->message);
    for (int i = 0; i < count; i++)
        printf("    %s: %s\n", sim_hazard_class_name(hazards[i].class), hazards[i].message);
}

/* ---- one kernel in every order ------------------------------------------------------------------------- */

/* Why it is not as expected in this order, or NULL. */
static const char *find_fault(const struct hazard_program *program, const char *set, uint64_t left,
                              uint64_t first)
{
    const struct sim_hazard *hazards;

    if (program->hazard >= 0)
        return is_reported(program, set) ? NULL : hazard_expectations[program->hazard].class_has;
    if (sim_hazards(sim_current(), &hazards) != 0 || sim_last_result()->status != SIM_OK)
        return "none";
    return left == first || program->varies ? NULL : "the memory of order 0";
}

static bool check(const struct hazard_program *program, const char *set, bool quiet, bool verbose)
{
    const char *fault = NULL;
    uint64_t first = 0;

    for (uint64_t seed = 0; seed <= (is_short ? 2 : SEEDS) && fault == NULL; seed++) {
        uint64_t left = run(program, seed);

        if (seed == 0)
            first = left;
        fault = find_fault(program, set, left, first);
        if (fault != NULL && !quiet)
            printf("%s/%s, order %d: expected %s%s; reports:\n", set, program->name, (int)seed, fault,
                   program->hazard < 0 ? "" : " with the marked lines");
        if ((fault != NULL && !quiet) || (verbose && seed == 0))
            show();
    }
    return fault == NULL;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static bool is_wanted(const char *name, int count, char **names)
{
    for (int i = 1; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count <= 1;
}

struct totals {
    int wrong, right, pending, failed;
};

static void try_one(const struct hazard_program *program, const char *set, bool verbose,
                    struct totals *totals)
{
    bool pending =
             hazard_is_pending(set, program->name) || (class_only && is_copied_to_argument(program->name)),
         good = check(program, set, pending && !verbose, verbose);

    *(program->hazard < 0 ? &totals->right : &totals->wrong) += 1;
    totals->pending += pending;
    totals->failed += pending ? good && !is_short : !good;
    if (good && pending && !is_short)
        printf("%s/%s is as expected: remove it from tests/hazards/pending\n", set, program->name);
}

/* Whether the kernel is one of those that are compiled without optimization too. */
static bool is_unoptimised(const char *set, const char *name)
{
    static const char *const sets[] = {"wrong", "wrong_global", "wrong_barriers", "wrong_undefined",
                                       "right", "right_global", "right_undefined"};

    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strcmp(set, sets[i]) == 0)
            return !is_copied_first(name);
    return false;
}

int main(int count, char **names)
{
    struct totals totals = {0};
    unsigned half = 0, number = 0;

    sim_report_at_exit(false);
    is_short = getenv("SUITE") != NULL && strcmp(getenv("SUITE"), "short") == 0;
    if (count == 3 && strcmp(names[1], "--half") == 0) {
        half = (unsigned)atoi(names[2]);
        count = 1;
    }
    class_only = count == 2 && strcmp(names[1], "--class-only") == 0;
    if (class_only)
        count = 1;
    for (size_t i = 0; i < HAZARD_SETS; i++)
        for (const struct hazard_program *p = hazard_sets[i].programs; p->name != NULL; p++)
            if ((half == 0 || number++ % 2 == half - 1) && is_wanted(p->name, count, names) &&
                (!class_only || is_unoptimised(hazard_sets[i].name, p->name)))
                try_one(p, hazard_sets[i].name, count > 1, &totals);
    printf("%d wrong and %d right kernels, each in %d orders: %d not as expected; %d pending\n", totals.wrong,
           totals.right, (is_short ? 2 : SEEDS) + 1, totals.failed, totals.pending);
    return totals.failed > 0;
}
