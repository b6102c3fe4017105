/* Of several failures, which one is told first. */
#include <string.h>

#include "harness/judge/call.h"
#include "harness/report/failure.h"

void failure_measure(struct failure *failure)
{
    const struct lab_task *task = failure->task->task;
    struct call call;
    int64_t inputs = 0;
    if (!failure->arg || !call_shape(&call, task, failure->arg, false))
        return;
    for (int i = 0; i < call.run.buffer_count; i++) {
        failure->elements += call.run.buffer[i].count;
        inputs += call.run.buffer[i].role == LAB_OUT ? 0 : call.run.buffer[i].count;
    }
    failure->empty = inputs == 0 || (task->size_arg >= 0 && failure->arg[task->size_arg] == 0);
}

static int class_of(const struct grader_finding *finding)
{
    switch (finding->reason) {
    case REASON_VALUES: return 2;
    case REASON_TIMEOUT: return 3; /* which has no place */
    case REASON_GUARD:
    case REASON_INPUT: return 1;
    default: return failure_is_unwritten_read(finding) ? 2 : 0;
    }
}

/*
 * Of wrong values it may be known why, or only where. A wrong index leads to memory that nothing has written, too:
 * where the cause of wrong values is known without that, it is told.
 */
static int how_telling(const struct failure *failure)
{
    const struct grader_finding *finding = &failure->outcome->finding;
    if (finding->known == KNOWN_PROVED)
        return 1 + KNOWN_PROVED;
    if (finding->reason == REASON_VALUES)
        return finding->known > KNOWN_WHERE ? 1 + (int)finding->known : 0;
    if (failure->follows)
        return 1;
    return failure_is_unwritten_read(finding) ? 2 : 3;
}

bool failure_knows_cause(const struct failure *failure)
{
    return how_telling(failure) >= 2;
}

/* The CUDA runtime refused what the host asked for: a copy outside of an array, an impossible launch. No kernel stopped. */
static bool is_refused(const struct grader_finding *finding)
{
    static const char *const of_kernels[] = {"cudaErrorIllegalAddress",     "cudaErrorMisalignedAddress",
                                             "cudaErrorLaunchFailure",      "cudaErrorLaunchTimeout",
                                             "cudaErrorIllegalInstruction", "cudaErrorAssert"};
    if (finding->reason != REASON_CHECK && finding->reason != REASON_LAUNCH)
        return false;
    for (size_t i = 0; i < sizeof of_kernels / sizeof *of_kernels; i++)
        if (fact_is_error(&finding->facts, of_kernels[i]))
            return false;
    return true;
}

/* An index that leaves its array in some cases, and in others leads to an element of it: of these it is known which belongs there. */
static bool same_index(const struct failure *failure, const struct failure *other)
{
    const struct grader_finding *a = &failure->outcome->finding, *b = &other->outcome->finding;
    return a->reason == REASON_HAZARD && fact_is_hazard(&a->facts, SIM_HAZARD_OUT_OF_BOUNDS) &&
           b->reason == REASON_VALUES && b->known >= KNOWN_WHY && a->line > 0 &&
           failure->task == other->task && a->line == b->line;
}

/*
 * A race makes small cases race, too: where a smaller case of the task is wrong for a known cause of its own, the race
 * comes of that. An empty input says nothing about the others, and a call that the runtime refuses in as many cases
 * follows from no value.
 */
static bool is_a_consequence(const struct failures *failures, const struct failure *failure)
{
    const bool refused = is_refused(&failure->outcome->finding);
    for (int i = 0; i < failures->count && class_of(&failure->outcome->finding) == 0; i++) {
        const struct failure *other = &failures->all[i];
        if (same_index(failure, other))
            return true;
        if (other->task == failure->task && other->elements < failure->elements && other->is_case &&
            !other->empty && !(refused && failure->explains >= other->explains) &&
            other->outcome->finding.reason == REASON_VALUES && other->outcome->finding.known > KNOWN_WHERE)
            return true;
    }
    return false;
}

static bool has_place(const struct failure *failure)
{
    return failure->outcome->finding.line > 0;
}

/* The cause that explains `a` explains no other case, that of `b` most of the task's. */
static bool is_an_exception(const struct failure *a, const struct failure *b)
{
    return a->explains <= 1 && b->explains >= 3 && 2 * b->explains > b->task->failed;
}

/*
 * Of one task and class. A hazard that explains more cases is told before one that explains fewer; wrong values are
 * easier to follow in the smallest case, unless that is an exception.
 */
static int compare_in_task(const struct failure *a, const struct failure *b)
{
    if (has_place(a) != has_place(b))
        return has_place(a) ? -1 : 1;
    if (class_of(&a->outcome->finding) == 0 && a->explains != b->explains)
        return b->explains - a->explains;
    if (is_an_exception(a, b) || is_an_exception(b, a))
        return b->explains - a->explains;
    if (a->elements != b->elements)
        return a->elements < b->elements ? -1 : 1;
    return a < b ? -1 : a > b;
}

static bool is_known(const struct failure *failure)
{
    const struct grader_finding *finding = &failure->outcome->finding;
    return how_telling(failure) > 0 || finding->cause[0] || finding->line > 0;
}

/*
 * Below 0: `a` is told first whatever is known of the two, as long as the cause of `a` is known. The tasks with points
 * come before what is optional and built of the same functions; and an empty input has a cause of its own, as where an
 * array without elements is a null pointer, that says nothing about inputs with elements.
 */
static int compare_worth(const struct failure *a, const struct failure *b)
{
    const bool a_optional = a->task->task->optional, b_optional = b->task->task->optional;
    if (a_optional != b_optional && is_known(a_optional ? b : a))
        return a_optional ? 1 : -1;
    if (a->task == b->task && a->empty != b->empty && is_known(a->empty ? b : a))
        return a->empty ? 1 : -1;
    return 0;
}

/* Below 0: `a` is told before `b`. */
int failure_compare(const struct failure *a, const struct failure *b)
{
    const int a_class = class_of(&a->outcome->finding), b_class = class_of(&b->outcome->finding);
    if ((a->open != NULL) != (b->open != NULL))
        return a->open ? 1 : -1;
    if (a->task->task->shown_only != b->task->task->shown_only)
        return a->task->task->shown_only ? 1 : -1;
    if (a->is_case != b->is_case)
        return a->is_case ? -1 : 1;
    if (a->open && a->open->number != b->open->number)
        return a->open->number - b->open->number;
    if (compare_worth(a, b) != 0)
        return compare_worth(a, b);
    if (how_telling(a) != how_telling(b))
        return how_telling(b) - how_telling(a);
    if (a->empty != b->empty)
        return a->empty ? 1 : -1;
    if (a_class == 2 && b_class == 2 && has_place(a) != has_place(b))
        return has_place(a) ? -1 : 1;
    if (a->weight != b->weight)
        return b->weight - a->weight;
    if (a_class != b_class)
        return a_class - b_class;
    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    return compare_in_task(a, b);
}

/*
 * How many cases the failure explains, or another one of its task and class; twice as many where it is no matter of
 * values.
 */
static int weigh(const struct failures *failures, const struct failure *failure)
{
    const int class = class_of(&failure->outcome->finding);
    int most = 0;
    for (int i = 0; i < failures->count; i++) {
        const struct failure *other = &failures->all[i];
        if (other->task == failure->task && class_of(&other->outcome->finding) == class &&
            other->explains > most)
            most = other->explains;
    }
    return class < 2 ? 2 * most : most;
}

void failures_rank(struct failures *failures)
{
    for (int i = 0; i < failures->count; i++)
        for (int k = 0; k < failures->count && !failures->all[i].index; k++)
            if (same_index(&failures->all[k], &failures->all[i]))
                failures->all[i].index = &failures->all[k];
    for (int i = 0; i < failures->count; i++)
        for (int k = 0; k < failures->count; k++)
            failures->all[i].explains +=
                failures->all[k].is_case && failure_explains(&failures->all[i], &failures->all[k]);
    for (int i = 0; i < failures->count; i++) {
        failures->all[i].weight = weigh(failures, &failures->all[i]);
        failures->all[i].follows = is_a_consequence(failures, &failures->all[i]);
    }
    for (int i = 0; i < failures->count; i++)
        if (!failures->first || failure_compare(&failures->all[i], failures->first) < 0)
            failures->first = &failures->all[i];
}
