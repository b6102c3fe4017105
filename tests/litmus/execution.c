/* The axioms of PTX's memory model on one candidate execution: see execution.h. */
#include "tests/litmus/execution.h"

#include <string.h>

/* ---- 8.4 operation types, 8.5 scope, 8.7 morally strong -------------------------------------------------------- */

static bool is_memory(const struct event *e)
{
    return e->location >= 0;
}

static bool is_fence(const struct event *e)
{
    return e->code && e->code->kind == OP_FENCE;
}

static bool is_strong(const struct event *e)
{
    return e->code && e->code->semantics != SEM_WEAK;
}

static bool is_release(const struct event *e)
{
    return e->is_write && is_strong(e) &&
           (e->code->semantics == SEM_RELEASE || e->code->semantics == SEM_ACQ_REL);
}

static bool is_acquire(const struct event *e)
{
    return e->is_read && is_strong(e) &&
           (e->code->semantics == SEM_ACQUIRE || e->code->semantics == SEM_ACQ_REL);
}

static bool scope_includes(const struct execution *x, const struct event *e, const struct event *other)
{
    return e->code->scope != SCOPE_CTA ||
           x->test->thread[e->thread].block == x->test->thread[other->thread].block;
}

static bool overlap(const struct event *a, const struct event *b)
{
    return is_memory(a) && a->location == b->location;
}

static bool morally_strong(const struct execution *x, int a, int b)
{
    const struct event *first = &x->event[a], *second = &x->event[b];

    if (a == b || first->thread < 0 || second->thread < 0)
        return false;
    if (is_memory(first) && is_memory(second) && !overlap(first, second))
        return false;
    if (first->thread == second->thread)
        return true;
    return is_strong(first) && is_strong(second) && scope_includes(x, first, second) &&
           scope_includes(x, second, first);
}

bool execution_needs_coherence(const struct execution *x, int a, int b)
{
    return x->event[a].is_write && x->event[b].is_write && x->event[a].thread != x->event[b].thread &&
           morally_strong(x, a, b);
}

static bool is_fence_sc(const struct event *e)
{
    return is_fence(e) && e->code->semantics == SEM_SC;
}

bool execution_needs_fence_order(const struct execution *x, int a, int b)
{
    return is_fence_sc(&x->event[a]) && is_fence_sc(&x->event[b]) &&
           x->event[a].thread != x->event[b].thread && morally_strong(x, a, b);
}

/* ---- 8.9.2 observation order -------------------------------------------------------------------------------------- */

static struct relation observation_order(const struct execution *x)
{
    struct relation direct = {0}, order;

    for (int r = 0; r < x->count; r++)
        if (x->event[r].is_read && morally_strong(x, x->rf[r], r))
            relate(&direct, x->rf[r], r);
    order = direct;
    for (int round = 0; round < x->count; round++)
        for (int w = 0; w < x->count; w++)
            for (int z = 0; z < x->count; z++)
                if (related(&order, w, z) && z + 1 < x->count && execution_is_update(x, z, z + 1))
                    order.row[w] |= direct.row[z + 1];
    return order;
}

/* ---- 8.8 release and acquire patterns, 8.9.4 synchronization ------------------------------------------------------- */

/* Whether `first` and the strong write `w` form a release pattern. */
static bool is_release_pattern(const struct execution *x, int first, int w)
{
    const struct event *f = &x->event[first], *write = &x->event[w];

    if (!write->is_write || !is_strong(write))
        return false;
    if (first == w)
        return is_release(f);
    return related(&x->program, first, w) && (is_fence(f) || (is_release(f) && overlap(f, write)));
}

/* Whether the strong read `r` and `last` form an acquire pattern. A red is no read operation (8.11.1). */
static bool is_acquire_pattern(const struct execution *x, int r, int last)
{
    const struct event *read = &x->event[r], *l = &x->event[last];

    if (!read->is_read || !is_strong(read) || read->code->kind == OP_RED)
        return false;
    if (r == last)
        return is_acquire(l);
    return related(&x->program, r, last) && (is_fence(l) || (is_acquire(l) && overlap(l, read)));
}

static bool patterns_synchronize(const struct execution *x, const struct relation *observed, int first,
                                 int last)
{
    if (x->event[first].thread == x->event[last].thread || !morally_strong(x, first, last))
        return false;
    for (int w = 0; w < x->count; w++) {
        if (!is_release_pattern(x, first, w))
            continue;
        for (int r = 0; r < x->count; r++)
            if (related(observed, w, r) && is_acquire_pattern(x, r, last))
                return true;
    }
    return false;
}

/* Whether all that either does at this barrier happens in the same use of it. */
static bool same_barrier(const struct execution *x, const struct event *a, const struct event *b)
{
    const struct litmus_thread *at = &x->test->thread[a->thread], *bt = &x->test->thread[b->thread];
    bool of_warp = a->code->kind == OP_WARP_SYNC;

    return of_warp == (b->code->kind == OP_WARP_SYNC) && a->code->barrier == b->code->barrier &&
           a->phase == b->phase && at->block == bt->block && (!of_warp || at->warp == bt->warp);
}

static bool barrier_synchronizes(const struct execution *x, int a, int b)
{
    const struct event *first = &x->event[a], *second = &x->event[b];

    return first->thread != second->thread && first->code && second->code &&
           first->code->kind >= OP_BAR_SYNC && second->code->kind >= OP_BAR_SYNC &&
           second->code->kind != OP_BAR_ARRIVE && same_barrier(x, first, second);
}

/* ---- 8.9.5 causality order ---------------------------------------------------------------------------------------- */

static void find_base_causality(struct execution *x, const struct relation *observed)
{
    x->base_causality = x->program;
    relation_add(&x->base_causality, &x->fence_sc);
    for (int a = 0; a < x->count; a++) {
        for (int b = 0; b < x->count; b++) {
            bool before_all = x->event[a].thread < 0 && x->event[b].thread >= 0;
            if (before_all || (x->event[a].thread >= 0 && x->event[b].thread >= 0 &&
                               (barrier_synchronizes(x, a, b) || patterns_synchronize(x, observed, a, b))))
                relate(&x->base_causality, a, b);
        }
    }
    relation_close(&x->base_causality);
}

/* All at one address and by the generic proxy, so that base causality is proxy-preserved. */
static void find_causality(struct execution *x, const struct relation *observed)
{
    x->causality = (struct relation){0};
    for (int a = 0; a < x->count; a++) {
        uint32_t later = x->base_causality.row[a];
        for (int z = 0; z < x->count; z++)
            if (related(observed, a, z))
                later |= x->base_causality.row[z];
        for (int b = 0; b < x->count; b++)
            if (later >> b & 1 && overlap(&x->event[a], &x->event[b]))
                relate(&x->causality, a, b);
    }
}

/* ---- 8.9.6 coherence order, 8.9.7 communication order -------------------------------------------------------------- */

static struct relation coherence_order(const struct execution *x)
{
    struct relation order = x->coherence;

    for (int a = 0; a < x->count; a++)
        for (int b = 0; b < x->count; b++)
            if (x->event[a].is_write && x->event[b].is_write && related(&x->causality, a, b))
                relate(&order, a, b);
    relation_close(&order);
    return order;
}

/* A read comes before the writes that follow the one it reads from. */
static struct relation from_reads(const struct execution *x, const struct relation *coherence)
{
    struct relation order = {0};

    for (int r = 0; r < x->count; r++)
        if (x->event[r].is_read)
            order.row[r] = coherence->row[x->rf[r]];
    return order;
}

static struct relation reads_from(const struct execution *x)
{
    struct relation order = {0};

    for (int r = 0; r < x->count; r++)
        if (x->event[r].is_read)
            relate(&order, x->rf[r], r);
    return order;
}

/* ---- 8.10 axioms ---------------------------------------------------------------------------------------------------- */

/* 8.10.2 */
static bool fence_sc_holds(const struct execution *x)
{
    for (int a = 0; a < x->count; a++)
        for (int b = 0; b < x->count; b++)
            if (related(&x->fence_sc, a, b) && related(&x->base_causality, b, a))
                return false;
    return true;
}

/* 8.10.3 */
static bool atomicity_holds(const struct execution *x, const struct relation *coherence)
{
    for (int r = 0; r + 1 < x->count; r++)
        for (int w = 0; w < x->count && execution_is_update(x, r, r + 1); w++)
            if (x->event[w].is_write && morally_strong(x, r, w) && related(coherence, x->rf[r], w) &&
                related(coherence, w, r + 1))
                return false;
    return true;
}

/* 8.10.5 */
static bool is_sequential_per_location(const struct execution *x, const struct relation *communication)
{
    struct relation order = {0};

    for (int a = 0; a < x->count; a++)
        for (int b = 0; b < x->count; b++)
            if ((related(communication, a, b) && morally_strong(x, a, b)) ||
                (related(&x->program, a, b) && overlap(&x->event[a], &x->event[b])))
                relate(&order, a, b);
    return relation_is_acyclic(&order);
}

/* 8.10.6: neither "reads from" nor "reads before" contradicts causality. */
static bool causality_holds(const struct execution *x, const struct relation *rf, const struct relation *fr)
{
    for (int a = 0; a < x->count; a++)
        for (int b = 0; b < x->count; b++)
            if ((related(rf, a, b) || related(fr, a, b)) && related(&x->causality, b, a))
                return false;
    return true;
}

bool execution_is_allowed(struct execution *x)
{
    struct relation observed = observation_order(x);

    find_base_causality(x, &observed);
    find_causality(x, &observed);
    struct relation coherence = coherence_order(x);
    struct relation rf = reads_from(x), fr = from_reads(x, &coherence), communication = coherence;
    relation_add(&communication, &rf);
    relation_add(&communication, &fr);
    return relation_is_order(&coherence) && fence_sc_holds(x) && atomicity_holds(x, &coherence) &&
           is_sequential_per_location(x, &communication) && causality_holds(x, &rf, &fr);
}

/* ---- what comes out ---------------------------------------------------------------------------------------------- */

/* 8.7.1 */
bool execution_races(const struct execution *x, int a, int b)
{
    const struct event *first = &x->event[a], *second = &x->event[b];

    return first->thread >= 0 && second->thread >= 0 && first->thread != second->thread &&
           overlap(first, second) && (first->is_write || second->is_write) && !morally_strong(x, a, b) &&
           !related(&x->causality, a, b) && !related(&x->causality, b, a);
}

/* The value of the last write to the location: of the choice-th one, where several have none behind them. */
static bool last_value(const struct execution *x, const struct relation *coherence, int location, int *choice,
                       int *value)
{
    int last[EVENTS_MAX], count = 0;

    for (int w = 0; w < x->count; w++)
        if (x->event[w].is_write && x->event[w].location == location && coherence->row[w] == 0)
            last[count++] = w;
    *value = x->event[last[*choice % count]].value;
    *choice /= count;
    return count > 0;
}

bool execution_outcome(const struct execution *x, int choice, struct outcome *outcome)
{
    struct relation coherence = coherence_order(x);

    for (int i = 0; i < TERMS_MAX; i++)
        outcome->value[i] = VALUE_NONE;
    for (int i = 0; i < x->count; i++)
        if (x->event[i].is_read && x->event[i].code->reg >= 0)
            outcome->value[x->event[i].code->reg] = x->event[i].value;
    for (int l = 0; l < x->test->location_count; l++)
        if (x->test->observed[l])
            last_value(x, &coherence, l, &choice, &outcome->value[REGISTERS_MAX + l]);
    return choice == 0;
}
