/*
 * differential [--seed N] [--count N] [--keep FILE]: random kernels on the simulator and on the scalar interpreter of
 * this folder; the memory that they leave must be the same to the bit, and no hazard may be reported.
 *
 * Each kernel runs in several ways: watched and unwatched, in several orders of warps and blocks, by one and by
 * several host threads. At the first difference the kernel is written to FILE and the seed is named. Exit: 0 if there
 * was none, 1 if there was one, 2 if the test itself is wrong.
 */
#include "generate.h"
#include "interpret.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/device/sim.h"

struct totals {
    uint64_t programs, runs, warp_instructions, thread_instructions;
};

/* One kernel, its input and what the interpreter made of it. */
struct test {
    uint64_t seed;
    char *text;
    struct kernel_shape shape;
    unsigned char in[IN_BYTES], block[BLOCK_BYTES];
    unsigned char *expected;
    size_t size;
};

static struct program program;

static volatile uint64_t running; /* the seed, for crashed() */

static void crashed(int number)
{
    char text[96];
    int length = snprintf(text, sizeof text, "seed %llu: signal %d\n", (unsigned long long)running, number);
    if (write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(2);
    _exit(1);
}

static void *need(size_t size)
{
    void *p = calloc(1, size ? size : 1);
    if (!p)
        fail("out of memory");
    return p;
}

/* ---- expected ------------------------------------------------------------------------------------------ */

static void fill(unsigned char *bytes, size_t size, uint64_t seed)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(random_next(&seed) >> 11);
}

static void expect(struct test *t, struct totals *totals)
{
    const uint64_t in = GLOBAL_START + (UINT64_C(1) << 24), out = GLOBAL_START + (UINT64_C(2) << 24);
    program_read(&program, t->text);
    struct launch launch = {.blocks = t->shape.blocks, .threads = t->shape.threads};
    unsigned char *variables = need(program.size[GLOBAL]);
    launch.global[0] = (struct region){GLOBAL_START, variables, program.size[GLOBAL]};
    launch.global[1] = (struct region){in, t->in, IN_BYTES};
    launch.global[2] = (struct region){out, t->expected, t->size};
    launch.constant = (struct region){CONST_START, program.constants, program.size[CONST]};
    memcpy(launch.param + program_variable(&program, "in")->offset, &in, sizeof in);
    memcpy(launch.param + program_variable(&program, "out")->offset, &out, sizeof out);
    memcpy(launch.param + program_variable(&program, "block")->offset, t->block, BLOCK_BYTES);
    interpret(&program, &launch);
    totals->thread_instructions += launch.executed;
    free(variables);
}

static struct test make_test(uint64_t seed, struct totals *totals)
{
    struct test t = {.seed = seed};
    t.text = generate(seed, &t.shape);
    t.size = generated_out_size(t.shape);
    t.expected = need(t.size);
    fill(t.in, sizeof t.in, seed ^ 1);
    fill(t.block, sizeof t.block, seed ^ 2);
    fill(t.expected, t.size, seed ^ 3);
    expect(&t, totals);
    return t;
}

/* ---- the simulator ------------------------------------------------------------------------------------- */

static const struct way {
    const char *name;
    bool watched;
    uint64_t schedule;
    unsigned threads;
} ways[] = {{"watched", true, 0, 1},
            {"unwatched", false, 0, 1},
            {"watched, in another order", true, 77, 1},
            {"unwatched, by two threads", false, 5, 2},
            {"watched, by two threads", true, 0, 2}};

static sim_addr copy_in(struct sim *sim, const void *bytes, size_t size)
{
    sim_addr address = sim_mem_alloc(sim, size, NULL);
    if (!address)
        fail("no device memory");
    memcpy(sim_mem_host(sim, address, size), bytes, size);
    sim_mem_mark_written(sim, address, size);
    return address;
}

/* Returns whether the bytes are the expected ones; else says what is wrong. */
static bool compare(const struct test *t, const unsigned char *out, const struct way *way)
{
    if (memcmp(out, t->expected, t->size) == 0)
        return true;
    size_t at = 0;
    while (out[at] == t->expected[at])
        at++;
    printf(
        "seed %llu, %s: byte %zu of the output (thread %zu, byte %zu of its part) is 0x%02x, expected 0x%02x\n",
        (unsigned long long)t->seed, way->name, at, at / OUT_BYTES, at % OUT_BYTES, out[at], t->expected[at]);
    return false;
}

static bool silent(const struct test *t, struct sim *sim, const struct way *way)
{
    const struct sim_hazard *hazards;
    int count = sim_hazards(sim, &hazards);
    if (count)
        printf("seed %llu, %s: a false alarm: %s\n", (unsigned long long)t->seed, way->name,
               hazards[0].message);
    return count == 0;
}

static struct sim_kernel *load(struct sim *sim, const struct test *t)
{
    struct ptx_error error;
    char message[512];
    struct ptx_module *ptx = ptx_parse(t->text, strlen(t->text), &error);
    if (!ptx)
        fail("seed %llu: line %d: %s", (unsigned long long)t->seed, error.line, error.message);
    struct sim_module *module = sim_module_load(sim, ptx, message);
    struct sim_kernel *kernel = module ? sim_module_kernel(module, "k", message) : NULL;
    if (!kernel)
        fail("seed %llu: %s", (unsigned long long)t->seed, message);
    return kernel;
}

static bool run(const struct test *t, const unsigned char *first, const struct way *way,
                struct totals *totals)
{
    struct sim_config config = {.profile = sim_profile_find("h100"),
                                .hazards = way->watched,
                                .counters = way->watched,
                                .schedule_seed = way->schedule,
                                .threads = way->threads,
                                .threads_from = way->threads > 1 ? 1 : 0,
                                .instruction_limit = 100000000,
                                .kernel_output = stderr};
    struct sim *sim = sim_create(&config);
    struct sim_kernel *kernel = load(sim, t);
    sim_addr in = copy_in(sim, t->in, IN_BYTES), out = copy_in(sim, first, t->size);
    void *args[] = {&in, &out, (void *)(uintptr_t)t->block};
    struct sim_launch launch = {.kernel = kernel,
                                .grid = {(unsigned)t->shape.blocks, 1, 1},
                                .block = {(unsigned)t->shape.threads, 1, 1},
                                .args = args};
    struct sim_result result;
    bool good = sim_launch_run(sim, &launch, &result) == SIM_OK;
    if (!good)
        printf("seed %llu, %s: stopped: %s\n", (unsigned long long)t->seed, way->name, result.message);
    good = good && silent(t, sim, way) && compare(t, sim_mem_host(sim, out, t->size), way);
    totals->warp_instructions += result.counters.warp_instructions;
    totals->runs++;
    sim_destroy(sim);
    return good;
}

static bool run_all(const struct test *t, struct totals *totals)
{
    unsigned char *first = need(t->size);
    fill(first, t->size, t->seed ^ 3);
    bool good = true;
    const size_t count = sizeof ways / sizeof ways[0];
    setenv("LABS_SIM_ISA", t->seed % 4 == 3 ? "baseline" : "", 1);
    for (size_t i = 0; i < 2 && good; i++) /* always the first, and the others in turn */
        good = run(t, first, &ways[i ? 1 + t->seed % (count - 1) : 0], totals);
    free(first);
    totals->programs++;
    return good;
}

static void keep(const struct test *t, const char *name)
{
    FILE *f = fopen(name, "w");
    if (f) {
        fputs(t->text, f);
        fclose(f);
        printf("the kernel is in %s; again: --seed %llu --count 1\n", name, (unsigned long long)t->seed);
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = 1, count = 100;
    const char *file = "differential.ptx";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--count") == 0)
            count = strtoull(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--keep") == 0)
            file = argv[i + 1];
        else
            fail("usage: differential [--seed N] [--count N] [--keep FILE]");
    }
    struct totals totals = {0};
    bool good = true;
#ifndef __SANITIZE_ADDRESS__ /* which says more */
    signal(SIGSEGV, crashed);
    signal(SIGBUS, crashed);
#else
    (void)crashed;
#endif
    for (uint64_t i = 0; i < count && good; i++) {
        running = seed + i;
        struct test t = make_test(seed + i, &totals);
        good = run_all(&t, &totals);
        if (!good)
            keep(&t, file);
        free(t.text);
        free(t.expected);
    }
    printf(
        "%llu kernels, %llu runs: %llu warp instructions on the simulator, %llu instructions of single threads in the "
        "interpreter, %s\n",
        (unsigned long long)totals.programs, (unsigned long long)totals.runs,
        (unsigned long long)totals.warp_instructions, (unsigned long long)totals.thread_instructions,
        good ? "0 differences" : "a difference");
    return good ? 0 : 1;
}
