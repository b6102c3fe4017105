/* The events of a candidate execution, and the values that they read and write: see execution.h. */
#include "tests/litmus/execution.h"

#include <string.h>

/* ---- events ------------------------------------------------------------------------------------------------- */

static int phase_of(const struct execution *x, const struct event *e)
{
    int phase = 0;

    for (int i = 0; i < x->count; i++) {
        const struct event *before = &x->event[i];
        bool same_kind =
            (before->code != NULL) && (before->code->kind == OP_WARP_SYNC) == (e->code->kind == OP_WARP_SYNC);
        phase += before->thread == e->thread && same_kind && before->code->kind >= OP_BAR_SYNC &&
                 before->code->barrier == e->code->barrier;
    }
    return phase;
}

/* An atomic operation is a read and a write behind it. */
static void add_op(struct execution *x, int thread, int op, const struct path *path)
{
    const struct op *code = &x->test->thread[thread].op[op];
    struct event e = {.thread = thread, .op = op, .code = code, .location = code->location};
    bool is_atomic = code->kind == OP_ATOM || code->kind == OP_RED;

    if (code->kind >= OP_BAR_SYNC)
        e.phase = phase_of(x, &e);
    e.is_read = code->kind == OP_LOAD || is_atomic;
    if (code->kind != OP_STORE)
        x->event[x->count++] = e;
    e.is_read = false;
    e.is_write = code->kind == OP_STORE || (is_atomic && !(path->fails & op_bit(thread, op)));
    if (e.is_write)
        x->event[x->count++] = e;
}

/* Whether event y uses what event x reads: through a register, a condition, or a loop that must end first. */
static bool depends(const struct event *y, const struct event *x)
{
    int reg = x->code->reg;
    const struct op *code = y->code;

    if (x->code->until || (x->code == y->code && y->is_write))
        return true;
    return x->is_read && reg >= 0 &&
           (code->guard == reg || (code->value.is_register && code->value.number == reg) ||
            (code->compare.is_register && code->compare.number == reg));
}

static void find_program_order(struct execution *x)
{
    for (int i = 0; i < x->count; i++) {
        for (int k = 0; k < i; k++) {
            if (x->event[k].thread < 0 || x->event[k].thread != x->event[i].thread)
                continue;
            relate(&x->program, k, i);
            if (depends(&x->event[i], &x->event[k]))
                relate(&x->dependency, k, i);
        }
    }
}

void execution_begin(struct execution *x, const struct litmus_test *test, const struct path *path)
{
    memset(x, 0, sizeof *x);
    x->test = test;
    for (int l = 0; l < test->location_count; l++)
        x->event[x->count++] =
            (struct event){.thread = -1, .location = l, .is_write = true, .value = test->initial[l]};
    for (int t = 0; t < test->thread_count; t++)
        for (int op = 0; op < test->thread[t].op_count; op++)
            if (!(path->left_out & op_bit(t, op)))
                add_op(x, t, op, path);
    find_program_order(x);
}

/* ---- values; 8.10.4 no thin air --------------------------------------------------------------------------------- */

/* What the thread's register holds before event i; VALUE_NONE: nothing has set it. */
static int register_before(const struct execution *x, int i, int reg)
{
    int value = VALUE_NONE;

    for (int k = 0; k < i; k++)
        if (x->event[k].thread == x->event[i].thread && x->event[k].is_read && x->event[k].code->reg == reg)
            value = x->event[k].value;
    return value;
}

static int operand_value(const struct execution *x, int i, struct operand operand)
{
    return operand.is_register ? register_before(x, i, operand.number) : operand.number;
}

static void compute_value(struct execution *x, int i)
{
    struct event *e = &x->event[i];

    if (e->is_read)
        e->value = x->event[x->rf[i]].value;
    if (e->is_write)
        e->value = operand_value(x, i, e->code->value);
    if (e->is_write && event_is_atomic(e) && e->code->update == UPDATE_ADD)
        e->value += x->event[i - 1].value;
}

static bool thin_air(const struct execution *x)
{
    struct relation causes = x->dependency;

    for (int i = 0; i < x->count; i++)
        if (x->event[i].is_read)
            relate(&causes, x->rf[i], i);
    return !relation_is_acyclic(&causes);
}

/* Whether what the event read is what made the path go this way. */
static bool fits_path(const struct execution *x, int i, const struct path *path)
{
    const struct event *e = &x->event[i];

    if (e->code->until && e->value != e->code->until_value)
        return false;
    if (e->is_read && event_is_atomic(e) && e->code->update == UPDATE_CAS) {
        bool fails = path->fails & op_bit(e->thread, e->op);
        return fails == (e->value != operand_value(x, i, e->code->compare));
    }
    return true;
}

/* Every condition holds where its operation is done, and nowhere else. */
static bool fits_conditions(const struct execution *x, const struct path *path)
{
    const struct litmus_test *test = x->test;
    int value[REGISTERS_MAX];

    for (int r = 0; r < REGISTERS_MAX; r++)
        value[r] = VALUE_NONE;
    for (int i = 0; i < x->count; i++)
        if (x->event[i].is_read && x->event[i].code->reg >= 0)
            value[x->event[i].code->reg] = x->event[i].value;
    for (int t = 0; t < test->thread_count; t++) {
        for (int op = 0; op < test->thread[t].op_count; op++) {
            const struct op *code = &test->thread[t].op[op];
            bool done = !(path->left_out & op_bit(t, op));
            if (code->guard >= 0 && done != (value[code->guard] == code->guard_value))
                return false;
        }
    }
    return true;
}

bool execution_values(struct execution *x, const struct path *path)
{
    if (thin_air(x))
        return false;
    /* No value depends on itself, so that each round settles at least one more. */
    for (int round = 0; round < x->count; round++)
        for (int i = 0; i < x->count; i++)
            if (x->event[i].thread >= 0)
                compute_value(x, i);
    for (int i = 0; i < x->count; i++)
        if (x->event[i].thread >= 0 && !fits_path(x, i, path))
            return false;
    return fits_conditions(x, path);
}
