/* Runs the steps of hazard_script.h: the hazard detector without an interpreter. Include behind test.h. */
#pragma once

#include "sim_fixture.h"
#include "tests/unit/hazard_script.h"

struct machine {
    struct fixture f;
    sim_addr x;
    struct block_view blocks[BLOCKS];
    bool alive[BLOCKS];
    int current;
    uint32_t values[32];
    uint32_t counter;
};

enum { X_BYTES = 4096 };

/* `in_parts`: threads may synchronize otherwise than as whole warps and blocks. */
static void machine_open(struct machine *m, bool unwritten, bool in_parts)
{
    memset(m, 0, sizeof *m);
    fixture_open(&m->f);
    m->f.shared_vars[0] = (struct kernel_variable){.name = "_ZZ6kernelPfE3s_a", .offset = 0, .size = 1024};
    m->x = sim_mem_alloc(&m->f.sim, X_BYTES, NULL);
    sim_mem_name(&m->f.sim, m->x, "x");
    if (!unwritten)
        sim_mem_mark_written(&m->f.sim, m->x, X_BYTES);
    m->current = -1;
    m->f.kernel.syncs_parts = in_parts;
    m->f.launch =
        (struct sim_launch){.kernel = &m->f.kernel, .grid = {BLOCKS, 1, 1}, .block = {WARPS * 32, 1, 1}};
    hazard_launch_begin(&m->f.sim, &m->f.launch);
}

static void leave_blocks(struct machine *m)
{
    for (int i = 0; i < BLOCKS; i++)
        if (m->alive[i])
            hazard_block_end(&m->blocks[i]);
    memset(m->alive, 0, sizeof m->alive);
    m->current = -1;
}

static void machine_close(struct machine *m)
{
    leave_blocks(m);
    hazard_launch_end(&m->f.sim);
    fixture_close(&m->f);
}

static void fill_shared(struct machine *m, struct block_view *b, bool unwritten)
{
    if (unwritten)
        return;
    struct touch fill = {.op = STORE, .lanes = LANE, .space = SHARED, .size = 16, .line = 399};
    for (uint64_t i = 0; i < FIXTURE_SHARED; i += 16) {
        struct access a = fixture_access(&m->f, ACCESS_STORE, SHARED, fill.size, LANE, i, 0, fill.line);
        memory_resolve(b, 0, &a, m->f.host, m->f.message);
        hazard_access(b, 0, &a, m->f.host);
    }
    hazard_block_barrier(b, 0, NULL);
}

static void enter(struct machine *m, int number, bool unwritten)
{
    m->current = number;
    if (m->alive[number])
        return;
    m->blocks[number] = fixture_block(&m->f, (unsigned)number, BLOCKS, WARPS * 32);
    m->alive[number] = true;
    hazard_block_begin(&m->blocks[number]);
    fill_shared(m, &m->blocks[number], unwritten);
}

static void run_access(struct machine *m, const struct touch *s)
{
    static const enum access_kind kinds[] = {
        [LOAD] = ACCESS_LOAD, [STORE] = ACCESS_STORE, [ATOMIC] = ACCESS_ATOMIC, [EXCHANGE] = ACCESS_ATOMIC};
    struct block_view *b = &m->blocks[m->current];
    uint64_t base = s->space == GLOBAL ? m->x + s->base : s->base;
    struct access a =
        fixture_access(&m->f, kinds[s->op], s->space, s->size, s->lanes, base, s->stride, s->line);
    if (a.kind == ACCESS_ATOMIC)
        a.element_size = a.size;
    a.order = s->order;
    a.narrow = s->narrow;
    a.polled = s->polled;
    a.non_coherent = s->non_coherent;
    a.no_result = s->no_result;
    a.is_ticket = a.kind == ACCESS_ATOMIC && a.order == ORDER_RELAXED && !s->explicit_order;
    a.is_exchange = s->op == EXCHANGE;
    m->counter++;
    for (int lane = 0; lane < 32; lane++)
        m->values[lane] = s->value == SAME_VALUE ? 77 : m->counter * 1000003u + (uint32_t)lane * 0x01010101u;
    a.value_stride = 4;
    for (int i = 0; i < 4; i++)
        a.value[i] = m->values;
    if (memory_resolve(b, s->warp, &a, m->f.host, m->f.message) != SIM_OK)
        fail_msg("the test's own access is wrong: %s", m->f.message);
    fixture_tell(&m->f, b, s->warp, &a);
    for (int lane = 0; a.kind == ACCESS_STORE && lane < 32; lane++)
        if (s->lanes >> lane & 1)
            for (int i = 0; i < s->size; i += a.element_size)
                memcpy(m->f.host[lane] + i, &m->values[lane], (size_t)a.element_size);
}

static void run_step(struct machine *m, const struct touch *s, bool unwritten)
{
    if (s->op != BLOCK && s->op != LAUNCH && m->current < 0)
        enter(m, 0, unwritten);
    struct block_view *b = m->current >= 0 ? &m->blocks[m->current] : NULL;
    uint32_t by_warp[32] = {0};
    switch (s->op) {
    case BARRIER:
        for (unsigned w = 0; w < WARPS; w++)
            by_warp[w] = s->warp >> w & 1 ? ALL : 0;
        hazard_block_barrier(b, s->number, s->warp ? by_warp : NULL);
        break;
    case ARRIVE: hazard_barrier_arrive(b, s->number, s->warp, ALL); break;
    case SYNC: hazard_warp_sync(b, s->warp, s->lanes); break;
    case FENCE: hazard_fence(b, s->warp, s->lanes, s->scope); break;
    case EXIT: hazard_exit(b, s->warp, s->lanes); break;
    case BLOCK: enter(m, (int)s->warp, unwritten); break;
    case BLOCK_END:
        hazard_block_end(b);
        m->alive[m->current] = false;
        m->current = -1;
        break;
    case LAUNCH:
        leave_blocks(m);
        hazard_launch_end(&m->f.sim);
        m->f.sim.launch_count++;
        hazard_launch_begin(&m->f.sim, &m->f.launch);
        break;
    default: run_access(m, s);
    }
}
