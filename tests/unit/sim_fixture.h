/*
 * A simulator without an interpreter: one device, one kernel that consists of nothing but places in a
 * file "k.cu", and accesses made by hand. Line n of the file is micro-operation n.
 */
#pragma once

#include "sim/core/device.h"
#include "sim/hazard/reports.h"
#include "sim/hazard/watch.h"
#include "sim/memory/memory.h"
#include "sim/model/counter.h"

#include <stdlib.h>
#include <string.h>

enum { FIXTURE_LINES = 400, FIXTURE_SHARED = 16384, FIXTURE_LOCAL = 64 };

struct fixture {
    struct sim sim;
    struct sim_kernel kernel;
    struct ptx_loc locs[FIXTURE_LINES];
    const char *files[2];
    struct kernel_variable shared_vars[2];
    struct kernel_variable local_vars[1];
    struct sim_launch launch;
    unsigned char *shared; /* FIXTURE_SHARED bytes, aligned */
    unsigned char *local;
    uint64_t address[32];
    unsigned char *host[32];
    char message[1024];
};

static inline void fixture_open(struct fixture *f)
{
    static const struct sim_profile profile = {.key = "test", .name = "test", .dram_bytes = (size_t)1 << 30};
    memset(f, 0, sizeof *f);
    f->sim.config = (struct sim_config){.profile = &profile, .hazards = true, .counters = true};
    f->sim.memory = memory_create(&f->sim);
    memory_watch(f->sim.memory, &hazard_memory_watcher);
    f->sim.hazards = hazards_create(&f->sim);
    f->sim.lines = line_table_create(&f->sim);
    f->sim.launch_count = 1;
    f->files[0] = "";
    f->files[1] = "k.cu";
    for (int i = 0; i < FIXTURE_LINES; i++)
        f->locs[i] = (struct ptx_loc){.file = 1, .line = i};
    f->shared_vars[0] = (struct kernel_variable){.name = "s_a", .offset = 0, .size = 1024};
    f->shared_vars[1] = (struct kernel_variable){.name = "s_b", .offset = 1024, .size = 0};
    f->local_vars[0] = (struct kernel_variable){.name = "stack", .offset = 0, .size = FIXTURE_LOCAL};
    f->kernel = (struct sim_kernel){.sim = &f->sim,
                                    .info = {.name = "kernel", .local_bytes = FIXTURE_LOCAL},
                                    .shared_vars = f->shared_vars,
                                    .shared_var_count = 2,
                                    .local_vars = f->local_vars,
                                    .local_var_count = 1,
                                    .files = f->files,
                                    .file_count = 2,
                                    .op_count = FIXTURE_LINES,
                                    .locs = f->locs};
    f->shared = aligned_alloc(256, FIXTURE_SHARED);
    f->local = aligned_alloc(256, FIXTURE_LOCAL * 1024);
    memset(f->shared, 0, FIXTURE_SHARED);
    memset(f->local, 0, FIXTURE_LOCAL * 1024);
}

static inline void fixture_close(struct fixture *f)
{
    free(f->shared);
    free(f->local);
    line_table_destroy(f->sim.lines);
    hazards_destroy(f->sim.hazards);
    memory_destroy(f->sim.memory);
}

/* For a test's setup and teardown: *state is a fixture of its own. */
static inline int fixture_setup(void **state)
{
    *state = malloc(sizeof(struct fixture));
    fixture_open(*state);
    return 0;
}

static inline int fixture_teardown(void **state)
{
    fixture_close(*state);
    free(*state);
    return 0;
}

/* Block `number` of a grid of `blocks`, one-dimensional, with `threads` threads. */
static inline struct block_view fixture_block(struct fixture *f, unsigned number, unsigned blocks,
                                              unsigned threads)
{
    return (struct block_view){.sim = &f->sim,
                               .kernel = &f->kernel,
                               .grid_dim = {blocks, 1, 1},
                               .block_dim = {threads, 1, 1},
                               .block_index = {number, 0, 0},
                               .block_number = number,
                               .thread_count = threads,
                               .shared = f->shared,
                               .shared_size = FIXTURE_SHARED,
                               .shared_static = 1024,
                               .local = f->local,
                               .local_size = FIXTURE_LOCAL};
}

/* lane l at base + l * stride; line 0 is good for tests that do not look at lines. */
static inline struct access fixture_access(struct fixture *f, enum access_kind kind, enum ptx_space space,
                                           int size, uint32_t lanes, uint64_t base, int64_t stride, int line)
{
    for (int lane = 0; lane < 32; lane++)
        f->address[lane] = base + (uint64_t)(stride * lane);
    return (struct access){.kind = kind,
                           .space = space,
                           .size = size,
                           .element_size = size > 4 ? 4 : size,
                           .lanes = lanes,
                           .address = f->address,
                           .loc = f->locs[line],
                           .pc = line};
}

/* The hazard detector hears of a resolved access as the machine tells it: what the quick ways know is not told. */
static inline void fixture_tell(struct fixture *f, const struct block_view *b, unsigned warp,
                                const struct access *a)
{
    const bool is_plain =
        a->lanes == UINT32_MAX && a->size == 4 && a->order == ORDER_WEAK && a->kind != ACCESS_ATOMIC;
    const bool is_row = is_plain && a->shape == SHAPE_CONTIGUOUS;
    const struct hazard_row row = {.pc = a->pc,
                                   .is_store = a->kind == ACCESS_STORE,
                                   .non_coherent = a->non_coherent,
                                   .first = a->address[0],
                                   .allocation = a->inside};
    if (a->space == PTX_SHARED && a->kind == ACCESS_LOAD &&
        (is_row || (is_plain && a->shape == SHAPE_UNIFORM)) &&
        hazard_load_is_known(b, warp, a->pc, a->address[0], !is_row))
        return;
    if (a->space != PTX_GLOBAL || !is_row || !hazard_row(b, warp, &row))
        hazard_access(b, warp, a, f->host);
}

#define FIXTURE_TEST(name) TEST_WITH(name, fixture_setup, fixture_teardown)
