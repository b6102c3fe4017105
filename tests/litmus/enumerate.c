/* All candidate executions of a litmus test, and what those that are allowed come to. */
#include "tests/litmus/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is kept of an execution ------------------------------------------------------------------------------ */

int verdict_outcome(const struct verdict *verdict, const struct outcome *outcome)
{
    for (int i = 0; i < verdict->count; i++)
        if (outcome_equal(&verdict->outcome[i], outcome))
            return i;
    return -1;
}

static void add_outcome(struct verdict *verdict, const struct execution *x, const struct outcome *outcome,
                        bool interleaved)
{
    int found = verdict_outcome(verdict, outcome);

    if (found < 0 && verdict->count == OUTCOMES_MAX) {
        fprintf(stderr, "%s: more than %d outcomes\n", x->test->name, OUTCOMES_MAX);
        exit(2);
    }
    if (found < 0) {
        found = verdict->count++;
        verdict->outcome[found] = *outcome;
    }
    verdict->interleaved[found] |= interleaved;
}

static int op_id(const struct event *e)
{
    return e->thread * OPS_MAX + e->op;
}

static void add_races(struct race_set *races, const struct execution *x)
{
    for (int a = 0; a < x->count; a++)
        for (int b = 0; b < x->count; b++)
            if (execution_races(x, a, b))
                races->with[op_id(&x->event[a])] |= UINT32_C(1) << op_id(&x->event[b]);
}

void verdict_add(struct verdict *verdict, const struct execution *x, bool interleaved)
{
    struct outcome outcome;
    bool more = true;

    for (int choice = 0; more; choice++) {
        more = execution_outcome(x, choice, &outcome);
        if (more)
            add_outcome(verdict, x, &outcome, interleaved);
    }
    add_races(&verdict->races, x);
    if (interleaved)
        add_races(&verdict->interleaved_races, x);
}

bool verdict_is_racy(const struct race_set *races)
{
    for (int id = 0; id < OP_IDS; id++)
        if (races->with[id])
            return true;
    return false;
}

uint32_t race_locations(const struct litmus_test *test, const struct race_set *races)
{
    uint32_t set = 0;

    for (int id = 0; id < OP_IDS; id++)
        if (races->with[id])
            set |= 1u << test->thread[id / OPS_MAX].op[id % OPS_MAX].location;
    return set;
}

/* ---- the choices, one inside the other ---------------------------------------------------------------------------- */

struct search {
    const struct litmus_test *test;
    struct verdict *verdict;
    struct path path;
    struct execution x;
    int pair_count;
    struct pair {
        struct relation *order;
        int a, b;
    } pair[EVENTS_MAX];
};

/* The order of each pair that must have one. */
static void choose_orders(struct search *s, int pair)
{
    if (pair == s->pair_count) {
        s->verdict->candidates++;
        if (execution_is_allowed(&s->x)) {
            s->verdict->executions++;
            verdict_add(s->verdict, &s->x, false);
        }
        return;
    }
    const struct pair *p = &s->pair[pair];
    relate(p->order, p->a, p->b);
    choose_orders(s, pair + 1);
    p->order->row[p->a] &= ~(UINT32_C(1) << p->b);
    relate(p->order, p->b, p->a);
    choose_orders(s, pair + 1);
    p->order->row[p->b] &= ~(UINT32_C(1) << p->a);
}

static void add_pair(struct search *s, struct relation *order, int a, int b)
{
    if (s->pair_count == EVENTS_MAX) {
        fprintf(stderr, "%s: too many pairs of writes or fences\n", s->test->name);
        exit(2);
    }
    s->pair[s->pair_count++] = (struct pair){order, a, b};
}

static void find_pairs(struct search *s)
{
    s->pair_count = 0;
    for (int a = 0; a < s->x.count; a++) {
        for (int b = a + 1; b < s->x.count; b++) {
            if (execution_needs_coherence(&s->x, a, b))
                add_pair(s, &s->x.coherence, a, b);
            if (execution_needs_fence_order(&s->x, a, b))
                add_pair(s, &s->x.fence_sc, a, b);
        }
    }
}

/* The write that each read from `i` on reads from. */
static void choose_writes(struct search *s, int i)
{
    struct execution *x = &s->x;

    while (i < x->count && !x->event[i].is_read)
        i++;
    if (i == x->count) {
        if (execution_values(x, &s->path))
            choose_orders(s, 0);
        return;
    }
    for (int w = 0; w < x->count; w++) {
        if (w == i || !x->event[w].is_write || x->event[w].location != x->event[i].location)
            continue;
        x->rf[i] = w;
        choose_writes(s, i + 1);
    }
}

/* What each operation with a condition does, and each compare-and-swap. */
static void choose_path(struct search *s, int id)
{
    const struct op *op = &s->test->thread[id / OPS_MAX % THREADS_MAX].op[id % OPS_MAX];

    if (id == OP_IDS) {
        execution_begin(&s->x, s->test, &s->path);
        find_pairs(s);
        choose_writes(s, 0);
        return;
    }
    choose_path(s, id + 1);
    if (id % OPS_MAX >= s->test->thread[id / OPS_MAX].op_count)
        return;
    if (op->guard >= 0) {
        s->path.left_out |= UINT32_C(1) << id;
        choose_path(s, id + 1);
        s->path.left_out &= ~(UINT32_C(1) << id);
    }
    if (op->update == UPDATE_CAS) {
        s->path.fails |= UINT32_C(1) << id;
        choose_path(s, id + 1);
        s->path.fails &= ~(UINT32_C(1) << id);
    }
}

static int event_count(const struct litmus_test *test)
{
    int count = test->location_count;

    for (int t = 0; t < test->thread_count; t++)
        for (int op = 0; op < test->thread[t].op_count; op++)
            count += 1 + (test->thread[t].op[op].kind == OP_ATOM || test->thread[t].op[op].kind == OP_RED);
    return count;
}

void verdict_find(const struct litmus_test *test, struct verdict *verdict)
{
    struct search s = {.test = test, .verdict = verdict};

    memset(verdict, 0, sizeof *verdict);
    if (event_count(test) > EVENTS_MAX) {
        fprintf(stderr, "%s: more than %d operations\n", test->name, EVENTS_MAX);
        exit(2);
    }
    choose_path(&s, 0);
    if (!interleave(test, verdict)) {
        fprintf(stderr, "%s: the model forbids an interleaving, which cannot be right\n", test->name);
        exit(2);
    }
}
