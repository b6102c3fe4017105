/*
 * Runs the kernels of tests/hazards/ with their blocks on one, two, three and seven host threads,
 * under several orders of warps and blocks, watched and unwatched: memory, reports, counters and modeled
 * times must be the same to the bit.
 *
 *     threads [NAME...]    only these kernels
 *
 * tests/hazards/pending lists, as threads/NAME, kernels that do differ yet; one that does not is a failure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/device/sim.h"
#include "tests/hazards/launch.h"
#include "tests/hazards/pending.h"
#include "tests/hazards/sets.h"

/* In the short suite one order, and one and three threads. */
#define SEEDS 3
static bool is_short;

static const unsigned thread_counts[] = {1, 2, 3, 7};
#define THREAD_COUNTS (sizeof thread_counts / sizeof thread_counts[0])

static int launches, shared; /* with more than one thread; and those that were shared to their end */

/* ---- all that can be seen of a launch, as text --------------------------------------------------------- */

static void write_counters(FILE *out, const struct sim_counters *counters)
{
    const uint64_t *field = (const uint64_t *)counters;

    for (size_t i = 0; i < sizeof *counters / sizeof *field; i++)
        fprintf(out, " %llu", (unsigned long long)field[i]);
    fputc('\n', out);
}

static void write_place(FILE *out, const struct sim_hazard_place *place)
{
    fprintf(out, "  %s:%d block %u,%u,%u thread %u,%u,%u %d%d\n", place->file ? place->file : "", place->line,
            place->block.x, place->block.y, place->block.z, place->thread.x, place->thread.y, place->thread.z,
            place->is_write, place->is_atomic);
}

/* Addresses differ from run to run: counted from x. */
static void write_launch(FILE *out, const void *x)
{
    const struct sim_result *result = sim_last_result();
    const struct sim_line_counters *lines;
    const struct sim_hazard *hazards;
    int count;

    fprintf(out, "status %d: %s\ncounters", result->status, result->message);
    write_counters(out, &result->counters);
    fprintf(out, "hottest %llu, cycles %a, seconds %a, %s\n", (unsigned long long)result->hottest_atomic,
            result->block_cycles, result->seconds, result->limiter ? result->limiter : "");
    count = sim_hazards(sim_current(), &hazards);
    for (int i = 0; i < count; i++) {
        fprintf(out, "hazard %d %s %llx %s %llu: %s\n", hazards[i].class, hazards[i].kernel,
                (unsigned long long)(hazards[i].address ? hazards[i].address - (sim_addr)(uintptr_t)x : 0),
                hazards[i].object, (unsigned long long)hazards[i].count, hazards[i].message);
        write_place(out, &hazards[i].here);
        write_place(out, &hazards[i].there);
    }
    count = sim_lines(sim_current(), &lines);
    for (int i = 0; i < count; i++) {
        fprintf(out, "line %s:%d", lines[i].file, lines[i].line);
        write_counters(out, &lines[i].counts);
    }
}

static void write_memory(FILE *out, const char *name, void *device, size_t size)
{
    const unsigned char *bytes = sim_mem_host(sim_current(), (sim_addr)(uintptr_t)device, size);

    for (size_t i = 0; bytes != NULL && i < size; i += 32) {
        fprintf(out, "%s+%zu:", name, i);
        for (size_t k = i; k < i + 32; k++)
            fprintf(out, " %02x", bytes[k]);
        fputc('\n', out);
    }
}

/* ---- one kernel ---------------------------------------------------------------------------------------- */

struct settings {
    unsigned threads;
    uint64_t seed;
    bool hazards, counters;
};

/* Two launches: what the first one leaves, the second one finds. The caller frees the text. */
static char *run(const struct hazard_program *program, const struct settings *settings)
{
    struct hazard_memory memory;
    struct sim_config *config = sim_config(sim_current());
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    config->schedule_seed = settings->seed;
    config->instruction_limit = 6000000;
    config->threads = settings->threads;
    config->threads_from = 1;
    config->hazards = settings->hazards;
    config->counters = settings->counters;
    memory = hazard_memory_create();
    for (int k = 0; k < 2; k++) {
        hazard_launch(program, &memory);
        cudaGetLastError();
        launches += settings->threads > 1;
        shared += settings->threads > 1 && sim_current()->shared_by > 1;
        write_launch(out, memory.x);
        write_memory(out, "x", memory.x, X_BYTES);
        write_memory(out, "zeros", memory.zeros, ZEROS_BYTES);
        write_memory(out, "fresh", memory.fresh, FRESH_BYTES);
    }
    hazard_memory_free(&memory);
    sim_hazards_reset(sim_current());
    sim_lines_reset(sim_current());
    fclose(out);
    return text;
}

static void show_difference(const struct hazard_program *program, const struct settings *s, const char *one,
                            const char *many)
{
    while (*one != '\0' && strcspn(one, "\n") == strcspn(many, "\n") &&
           strncmp(one, many, strcspn(one, "\n")) == 0) {
        one += strcspn(one, "\n") + (one[strcspn(one, "\n")] == '\n');
        many += strcspn(many, "\n") + (many[strcspn(many, "\n")] == '\n');
    }
    printf("%s, order %d, %u threads, hazards %d, counters %d:\n  one thread   %.*s\n  several      %.*s\n",
           program->name, (int)s->seed, s->threads, s->hazards, s->counters, (int)strcspn(one, "\n"), one,
           (int)strcspn(many, "\n"), many);
}

static bool check(const struct hazard_program *program, uint64_t seed, bool hazards, bool counters)
{
    char *first = NULL;
    bool same = true;

    for (size_t i = 0; i < THREAD_COUNTS; i += is_short ? 2 : 1) {
        struct settings settings = {thread_counts[i], seed, hazards, counters};
        char *text = run(program, &settings);

        if (first == NULL) {
            first = text;
            continue;
        }
        if (strcmp(first, text) != 0) {
            show_difference(program, &settings, first, text);
            same = false;
        }
        free(text);
    }
    free(first);
    return same;
}

static bool is_wanted(const char *name, int count, char **names)
{
    for (int i = 1; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count <= 1;
}

/* Whether all is as it should be. */
static bool try_one(const struct hazard_program *program, int *different)
{
    bool pending = hazard_is_pending("threads", program->name);
    int differ = 0;

    for (uint64_t seed = 0; seed < (is_short ? 1 : SEEDS); seed++)
        differ += !check(program, seed, true, true) + !check(program, seed, false, seed & 1);
    *different += differ;
    if (pending && differ == 0)
        printf("threads/%s is as expected: remove it from tests/hazards/pending\n", program->name);
    return pending == (differ > 0);
}

int main(int count, char **names)
{
    int failed = 0, different = 0;

    sim_report_at_exit(false);
    is_short = getenv("SUITE") != NULL && strcmp(getenv("SUITE"), "short") == 0;
    for (size_t i = 0; i < HAZARD_SETS; i++)
        for (const struct hazard_program *p = hazard_sets[i].programs; p->name != NULL; p++)
            if (p->blocks > 1 && is_wanted(p->name, count, names))
                failed += !try_one(p, &different);
    printf("%d of %d launches were shared by threads; %d differ from those of one thread\n", shared, launches,
           different);
    return failed > 0 || (count <= 1 && shared == 0);
}
