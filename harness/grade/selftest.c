/*
 * Do a lab's tolerances reject wrong answers? For every case that is not too large, the reference
 * is spoiled in ways that a wrong kernel would, and must then be found wrong:
 *
 *     zeros     nothing was added up
 *     nan       one element is NaN: every case must reject this one
 *     shifted   every element is its neighbor's: an index is off by one
 *     half      inputs and outputs rounded to half precision
 *     single    REAL=double: inputs and outputs rounded to float
 *
 * Each task must reject each of them in at least one case. A case in which spoiling changes nothing
 * (the answer is 0 anyway, or a small whole number that half precision holds) says nothing.
 *
 * NaN, infinities, denormal numbers and zeros in each output: grade/selftest_special.c.
 * And where lab_task.granule says that a reference can be computed in pieces: is it the same then?
 */
#include "harness/grade/selftest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/call.h"
#include "harness/judge/compare.h"
#include "harness/lab/real.h"
#include "harness/result/grader.h"

#define LARGEST           (1 << 21) /* elements of a buffer that a case may have here */
#define LARGEST_IN_PIECES (1 << 17) /* that is computed again and again */

enum spoil { SPOIL_NONE, SPOIL_ZEROS, SPOIL_NAN, SPOIL_SHIFTED, SPOIL_HALF, SPOIL_SINGLE, SPOIL_COUNT };
static const char *const spoil_names[] = {"reference", "zeros", "nan", "shifted", "half", "single"};

struct tally {
    int applied, rejected;
};

/* Round to nearest even with 11 bits of significand, as IEEE 754 binary16; beyond its range: infinity. */
static double to_half(double x)
{
    if (!isfinite(x) || x == 0)
        return x;
    int exponent;
    frexp(x, &exponent);
    if (exponent < -13)
        exponent = -13; /* subnormal: the last bit stays worth 2^-24 */
    double unit = ldexp(1, exponent - 11);
    double rounded = rint(x / unit) * unit;
    return fabs(rounded) > 65504 ? copysign(INFINITY, x) : rounded;
}

static double rounded_by(enum spoil spoil, double x)
{
    return spoil == SPOIL_HALF ? to_half(x) : spoil == SPOIL_SINGLE ? (double)(float)x : x;
}

static void round_inputs(struct call *call, enum spoil spoil)
{
    for (int i = 0; i < call->run.buffer_count; i++) {
        struct lab_buffer *buffer = &call->run.buffer[i];
        if (buffer->type != LAB_REAL || buffer->role == LAB_OUT)
            continue;
        real *x = buffer->data;
        for (int64_t k = 0; k < buffer->count; k++)
            x[k] = (real)rounded_by(spoil, (double)x[k]);
    }
}

/* What a spoiled kernel would give for element i of `answer`. */
static double spoiled(enum spoil spoil, const double *answer, int64_t count, int64_t i)
{
    switch (spoil) {
    case SPOIL_ZEROS: return 0;
    case SPOIL_NAN: return i == count / 2 ? NAN : answer[i];
    case SPOIL_SHIFTED: return answer[(i + 1) % count];
    default: return rounded_by(spoil, answer[i]);
    }
}

/* Compares the spoiled answer with the true one as the grader would: in `real`, or in double for
   scalars. True if it is rejected; *differs: is there anything to reject? */
static bool rejects(const struct lab_expect *truth, const double *answer, enum lab_type type, bool doubles,
                    enum spoil spoil, bool *differs)
{
    for (int64_t i = 0; i < truth->count; i++) {
        double got = spoiled(spoil, answer, truth->count, i);
        if (truth->tolerance[i] < 0) /* LAB_UNTOUCHED: no answer to change */
            continue;
        if (!doubles && type == LAB_REAL)
            got = (double)(real)got;
        bool same = got == truth->want[i];
        if (!same && !compare_close(got, truth->want[i], fabs(truth->want[i]) * lab_roundoff()))
            *differs = true;
        if (!compare_close(got, truth->want[i], truth->tolerance[i]))
            return true;
    }
    return false;
}

/* One buffer, or (-1) the scalars, of one case. */
static bool spoil_buffer(const struct call *call, const struct call *rounded, int buffer, enum spoil spoil,
                         bool *differs)
{
    struct lab_expect truth = {0}, answer = {0};
    bool rejected = false;
    enum lab_type type = buffer < 0 ? LAB_REAL : call->run.buffer[buffer].type;
    if (call_expect(call, buffer, &truth) && call_expect(rounded, buffer, &answer))
        rejected = rejects(&truth, answer.want, type, buffer < 0, spoil, differs);
    call_expect_free(&truth);
    call_expect_free(&answer);
    return rejected;
}

static bool small_enough(const struct lab_task *task, const int64_t *arg, int64_t largest)
{
    struct call call;
    if (!call_shape(&call, task, arg, false))
        return false;
    for (int i = 0; i < call.run.buffer_count; i++)
        if (call.run.buffer[i].count > largest)
            return false;
    return true;
}

/* True: rejected. */
static bool spoil_case(const struct lab_task *task, const struct lab_case *c, uint64_t seed, enum spoil spoil,
                       bool *differs)
{
    struct call call, rounded;
    char message[256];
    bool rejected = false;
    *differs = false;
    bool made = call_make(&call, task, c->arg, seed, false, message);
    made = call_make(&rounded, task, c->arg, seed, false, message) && made;
    if (made) {
        round_inputs(&rounded, spoil);
        for (int i = 0; i < call.run.buffer_count; i++)
            if (call.run.buffer[i].role == LAB_OUT)
                rejected = spoil_buffer(&call, &rounded, i, spoil, differs) || rejected;
        if (task->result_count > 0)
            rejected = spoil_buffer(&call, &rounded, -1, spoil, differs) || rejected;
    }
    call_free(&call);
    call_free(&rounded);
    return rejected;
}

static bool is_enough(enum spoil spoil, const struct tally *tally)
{
    if (spoil == SPOIL_NONE)
        return tally->rejected == 0;
    if (spoil == SPOIL_NAN)
        return tally->applied > 0 && tally->rejected == tally->applied;
    return tally->applied == 0 || tally->rejected > 0;
}

/* ---- pieces of a reference ----------------------------------------------------------------------------- */

/* Elements begin .. begin + count - 1 on their own: the same bits; in double to within a fused multiply-add. */
static bool piece_agrees(const struct call *call, int buffer, const struct lab_expect *whole, int64_t begin,
                         int64_t count)
{
    double *want = calloc(2 * (size_t)count + 1, sizeof *want);
    const double before = call->task->sum_of ? call->task->sum_of(&call->run, 0, begin) : 0;
    struct lab_expect piece = {want, want + count, begin, count, before};
    bool same = want != NULL;
    if (want)
        call->task->expect(&call->run, buffer, &piece);
    for (int64_t i = 0; i < count && same; i++) {
        const double difference = fabs(piece.want[i] - whole->want[begin + i]),
                     tolerance = whole->tolerance[begin + i];
        same = sizeof(real) == sizeof(float) ? difference == 0 && piece.tolerance[i] == tolerance
                                             : difference <= fmax(tolerance, 0);
    }
    free(want);
    return same;
}

static bool pieces_agree(const struct call *call, int buffer)
{
    const int64_t count = call->run.buffer[buffer].count, granule = call->task->granule;
    double *want = calloc(2 * (size_t)count + 1, sizeof *want);
    struct lab_expect whole = {want, want + count, 0, count, 0};
    bool agree = want != NULL;
    if (want)
        call->task->expect(&call->run, buffer, &whole);
    for (int64_t length = granule; length < count && agree; length = 3 * length + granule)
        for (int64_t begin = 0; begin < count && agree;
             begin += begin < 3 * length ? length : count / 2 / granule * granule + granule)
            agree =
                piece_agrees(call, buffer, &whole, begin, count - begin < length ? count - begin : length);
    free(want);
    return agree;
}

static bool test_pieces(const struct lab_task *task, uint64_t seed)
{
    bool agree = true;
    for (const struct lab_case *c = task->cases; c->name && task->granule > 0; c++) {
        struct call call;
        char message[256];
        if (!small_enough(task, c->arg, LARGEST_IN_PIECES))
            continue;
        const bool made = call_make(&call, task, c->arg, seed, false, message);
        for (int i = 0; i < call.run.buffer_count && made; i++)
            if (call.run.buffer[i].role == LAB_OUT)
                agree = pieces_agree(&call, i) && agree;
        call_free(&call);
    }
    return agree;
}

/* ---- a task -------------------------------------------------------------------------------------------- */

static bool test_task(FILE *out, const struct lab_task *task, uint64_t seed)
{
    bool good = true;
    fprintf(out, "%s %-16s rejects", the_lab.name, task->id);
    for (int spoil = SPOIL_NONE; spoil < SPOIL_COUNT; spoil++) {
        struct tally tally = {0, 0};
        if (spoil == SPOIL_SINGLE && sizeof(real) == sizeof(float))
            continue;
        for (const struct lab_case *c = task->cases; c->name; c++) {
            bool differs;
            if (!small_enough(task, c->arg, LARGEST))
                continue;
            tally.rejected += spoil_case(task, c, seed, (enum spoil)spoil, &differs);
            tally.applied += differs;
        }
        bool enough = is_enough((enum spoil)spoil, &tally);
        if (spoil != SPOIL_NONE)
            fprintf(out, "  %s %d/%d%s", spoil_names[spoil], tally.rejected, tally.applied,
                    enough ? "" : " (TOO FEW)");
        else if (!enough)
            fprintf(out, " ITS OWN REFERENCE");
        good = good && enough;
    }
    if (!test_pieces(task, seed)) {
        fprintf(out, " ITS REFERENCE IN PIECES IS ANOTHER");
        good = false;
    }
    if (!self_test_special(task, seed)) {
        fprintf(out, " NAN, INFINITY OR ZERO JUDGED WRONGLY");
        good = false;
    }
    fputc('\n', out);
    return good;
}

int self_test(FILE *out, uint64_t seed)
{
    bool good = true;
    fprintf(out, "%s, real = %s, seed %llu: cases that reject a spoiled answer, of those it changes\n",
            the_lab.name, sizeof(real) == sizeof(double) ? "double" : "float", (unsigned long long)seed);
    for (int i = 0; i < the_lab.task_count; i++)
        good = test_task(out, &the_lab.tasks[i], seed) && good;
    return good ? GRADER_PASSED : GRADER_FAILED;
}
