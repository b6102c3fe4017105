/*
 * The interleavings of a litmus test's threads: memory is one array, and one operation is done after the other.
 * That is what a sequentially consistent machine does, and what the simulator does.
 */
#include "tests/litmus/verdict.h"

#include <stddef.h>

struct step {
    int thread, op;
    bool done;     /* or left out: its condition does not hold */
    bool failed;   /* a compare-and-swap that did not swap */
    int read_from; /* step whose write it read; -1: the initial value */
};

struct machine {
    const struct litmus_test *test;
    struct verdict *verdict;
    int next[THREADS_MAX];
    int arrived[THREADS_MAX]; /* stands at a barrier: 1, and has been let through: 0 */
    int reg[REGISTERS_MAX];
    int value[LOCATIONS_MAX], writer[LOCATIONS_MAX]; /* the step that wrote it; -1: none */
    int count;
    struct step step[OP_IDS];
};

/* ---- an interleaving is an execution ---------------------------------------------------------------------------- */

/* The write of the step: of the location's initial value if there was none. */
static int find_write(const struct execution *x, const struct step *step, int location)
{
    for (int i = 0; i < x->count; i++) {
        const struct event *e = &x->event[i];
        if (e->is_write && (step ? e->thread == step->thread && e->op == step->op
                                 : e->thread < 0 && e->location == location))
            return i;
    }
    return -1;
}

/* When the event was done. */
static int time_of(const struct machine *m, const struct event *e)
{
    for (int i = 0; i < m->count; i++)
        if (m->step[i].thread == e->thread && m->step[i].op == e->op)
            return i;
    return -1;
}

/* Reads, and both orders, as time had it. */
static void order_by_time(const struct machine *m, struct execution *x)
{
    for (int a = 0; a < x->count; a++) {
        int now = time_of(m, &x->event[a]);
        if (x->event[a].is_read) {
            int from = m->step[now].read_from;
            x->rf[a] = find_write(x, from < 0 ? NULL : &m->step[from], x->event[a].location);
        }
        for (int b = 0; b < x->count; b++) {
            bool before = now < time_of(m, &x->event[b]);
            if (before && execution_needs_coherence(x, a, b))
                relate(&x->coherence, a, b);
            if (before && execution_needs_fence_order(x, a, b))
                relate(&x->fence_sc, a, b);
        }
    }
}

static bool note_execution(const struct machine *m)
{
    struct path path = {0, 0};
    struct execution x;

    for (int i = 0; i < m->count; i++) {
        path.left_out |= m->step[i].done ? 0 : op_bit(m->step[i].thread, m->step[i].op);
        path.fails |= m->step[i].failed ? op_bit(m->step[i].thread, m->step[i].op) : 0;
    }
    execution_begin(&x, m->test, &path);
    order_by_time(m, &x);
    m->verdict->interleavings++;
    bool good = execution_values(&x, &path) && execution_is_allowed(&x);
    verdict_add(m->verdict, &x, true);
    return good;
}

/* ---- one step --------------------------------------------------------------------------------------------------- */

static int operand_of(const struct machine *m, struct operand operand)
{
    return operand.is_register ? m->reg[operand.number] : operand.number;
}

static void do_write(struct machine *m, const struct op *op, struct step *step, int old)
{
    int value = operand_of(m, op->value);

    step->failed = op->update == UPDATE_CAS && old != operand_of(m, op->compare);
    if (step->failed)
        return;
    bool adds = op->kind != OP_STORE && op->update == UPDATE_ADD;
    m->value[op->location] = adds ? old + value : value;
    m->writer[op->location] = m->count;
}

static void do_op(struct machine *m, const struct op *op, struct step *step)
{
    if (op->location < 0)
        return;
    int old = m->value[op->location];
    step->read_from = m->writer[op->location];
    if (op->kind != OP_LOAD)
        do_write(m, op, step, old);
    if (op->reg >= 0)
        m->reg[op->reg] = old;
}

/* Whether the thread waits at this use of the barrier, or has passed it: how many uses it has begun. */
static int uses_begun(const struct machine *m, int t, const struct op *barrier)
{
    const struct litmus_thread *thread = &m->test->thread[t];
    int uses = 0;

    for (int op = 0; op < m->next[t] + m->arrived[t]; op++)
        uses += thread->op[op].kind >= OP_BAR_SYNC && thread->op[op].barrier == barrier->barrier &&
                (thread->op[op].kind == OP_WARP_SYNC) == (barrier->kind == OP_WARP_SYNC);
    return uses;
}

static bool takes_part(const struct machine *m, int t, int other, const struct op *barrier)
{
    const struct litmus_thread *a = &m->test->thread[t], *b = &m->test->thread[other];
    struct machine ended = *m;

    for (int i = 0; i < THREADS_MAX; i++)
        ended.next[i] = m->test->thread[i].op_count, ended.arrived[i] = 0;
    return a->block == b->block && (barrier->kind != OP_WARP_SYNC || a->warp == b->warp) &&
           uses_begun(&ended, other, barrier) > 0;
}

/* Whether all that take part in the barrier have come to it as often as thread t. */
static bool is_barrier_open(const struct machine *m, int t, const struct op *barrier)
{
    for (int other = 0; other < m->test->thread_count; other++)
        if (takes_part(m, t, other, barrier) && uses_begun(m, other, barrier) < uses_begun(m, t, barrier))
            return false;
    return true;
}

static bool is_waiting(const struct op *op)
{
    return op->kind == OP_BAR_SYNC || op->kind == OP_WARP_SYNC;
}

/* Does the thread's next operation, or the first half of a barrier; false if it must wait. */
static bool take_step(struct machine *m, int t)
{
    const struct op *op = &m->test->thread[t].op[m->next[t]];
    bool done = op->guard < 0 || m->reg[op->guard] == op->guard_value;

    if (is_waiting(op) && !m->arrived[t]) {
        m->arrived[t] = 1;
        return true;
    }
    if (is_waiting(op) && !is_barrier_open(m, t, op))
        return false;
    if (op->until && m->value[op->location] != op->until_value)
        return false;
    struct step *step = &m->step[m->count];
    *step = (struct step){t, m->next[t], done, false, -1};
    if (done)
        do_op(m, op, step);
    m->count++;
    m->next[t]++;
    m->arrived[t] = 0;
    return true;
}

/* ---- all of them -------------------------------------------------------------------------------------------------- */

/* False: the model forbids an interleaving that begins like this. */
static bool run(const struct machine *before)
{
    bool ended = true, good = true;

    for (int t = 0; t < before->test->thread_count; t++) {
        struct machine m = *before;
        if (m.next[t] == m.test->thread[t].op_count)
            continue;
        ended = false;
        if (take_step(&m, t))
            good &= run(&m);
    }
    return ended ? note_execution(before) : good;
}

bool interleave(const struct litmus_test *test, struct verdict *verdict)
{
    struct machine m = {.test = test, .verdict = verdict};

    for (int r = 0; r < REGISTERS_MAX; r++)
        m.reg[r] = VALUE_NONE;
    for (int l = 0; l < test->location_count; l++) {
        m.value[l] = test->initial[l];
        m.writer[l] = -1;
    }
    return run(&m);
}
