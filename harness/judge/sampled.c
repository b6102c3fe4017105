#define _GNU_SOURCE
#include "harness/judge/sampled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/base/text.h"
#include "harness/judge/compare.h"

void sampled_tell(const struct sampled *sampled, const struct lab_task *task, struct grader_finding *finding)
{
    text_set(finding->headline, sizeof finding->headline, "%s[%lld] is %.9g, but should be %.9g",
             sampled->name, (long long)sampled->index, sampled->got, sampled->want);
    if (task->gathers == LAB_LARGEST)
        text_append(finding->headline, sizeof finding->headline, ", which element %lld of the input is",
                    (long long)sampled->put_at - 1);
}

bool sampled_can(const struct lab_task *task)
{
    const bool by_parts = (task->granule > 0 && !task->sum_of) || task->gathers;
    return (by_parts || (task->speed && task->speed->all_blocks)) && !task->intended_hazard;
}

void sampled_ask(const struct call *small, const struct sampled *sampled, struct protocol_request *request)
{
    const struct lab_buffer *input = &small->run.buffer[0];
    const uint64_t count = request->buffer[0].full / lab_type_size(input->type);
    if (small->task->gathers)
        request->gathered = 1 + (uint32_t)input->type;
    if (small->task->gathers == LAB_LARGEST && sampled->put_at <= count)
        request->largest_at = sampled->put_at;
}

#define LEAST_SHARE 0.995 /* of bytes; right kernels have 0.9998 and more */
#define LEAST_READ  0.9   /* … where inputs are read many times, so that footprints are estimated */
#define MOST_LONELY                                                                                          \
    0.125 /* of a cluster of blocks whose outputs are neighbors, only the ends have none beside them */

/* Whether each element of the outputs has to be stored: it counts in what the task needs. */
static bool stores_all(const struct lab_task *task, const int64_t *arg, double needed)
{
    struct call call;
    double bytes = 0;
    if (!call_shape(&call, task, arg, false))
        return false;
    for (int i = 0; i < call.run.buffer_count; i++)
        bytes += call.run.buffer[i].role != LAB_INOUT && !call.run.buffer[i].on_host
                     ? (double)call.spec[i].bytes
                     : 0;
    return needed >= LEAST_SHARE * bytes;
}

bool sampled_is_doubtful(const struct lab_task *task, const int64_t *arg, double needed,
                         const struct protocol_mailbox *mailbox, const struct sampled *sampled)
{
    const double least = task->speed->flops ? LEAST_READ : LEAST_SHARE;
    return sampled->checked == 0 || sampled->wrong || mailbox->model_bytes < least * needed ||
           sampled->lonely > MOST_LONELY * sampled->checked ||
           (mailbox->stored_share < LEAST_SHARE && stores_all(task, arg, needed));
}

/* ---- inputs that repeat: pages that are mapped again and again ----------------------------------------- */

static void map_again(char *view, size_t size, const void *pattern, size_t period)
{
    const int fd = memfd_create("inputs", MFD_CLOEXEC);
    bool is_written = fd >= 0;
    for (size_t done = 0; is_written && done < period;) {
        const ssize_t more = write(fd, (const char *)pattern + done, period - done);
        is_written = more > 0;
        done += is_written ? (size_t)more : 0;
    }
    for (size_t at = 0; at < size; at += period) {
        const size_t part = size - at < period ? size - at : period;
        if (!is_written || mmap(view + at, part, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
            memcpy(view + at, pattern, part);
    }
    if (fd >= 0)
        close(fd);
}

/* NULL: no memory. */
static void *repeated(const void *pattern, size_t bytes, size_t size)
{
    const size_t period = protocol_period(bytes, size);
    char *view =
        mmap(NULL, size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (view == MAP_FAILED)
        return NULL;
    if (period > 0 && period % PROTOCOL_PAGE == 0)
        map_again(view, size, pattern, period);
    else
        for (size_t at = 0; period > 0 && at < size; at += period)
            memcpy(view + at, pattern, size - at < period ? size - at : period);
    return view;
}

/* The call at full size, as far as references read it. */
static bool enlarge(const struct call *small, struct call *large)
{
    for (int i = 0; i < large->run.buffer_count; i++) {
        struct lab_buffer *to = &large->run.buffer[i];
        if (to->role != LAB_OUT &&
            !(to->data = repeated(small->run.buffer[i].data, small->spec[i].bytes, large->spec[i].bytes)))
            return false;
    }
    return true;
}

static void give_back(struct call *large)
{
    for (int i = 0; i < large->run.buffer_count; i++)
        if (large->run.buffer[i].data)
            munmap(large->run.buffer[i].data, large->spec[i].bytes + 1);
}

/* ---- comparing ----------------------------------------------------------------------------------------- */

struct around {
    struct lab_expect expect; /* of the buffer, if `known` */
    double *before;           /* as call_sums_before; or NULL */
    uint32_t buffer;
    bool known;
};

/* The elements that are computed with this one: of a task without granules, all of them. */
static bool expect_around(const struct call *large, const struct protocol_sample *sample,
                          struct around *around)
{
    const struct lab_buffer *buffer = &large->run.buffer[sample->buffer];
    const int64_t granule = large->task->granule > 0 ? large->task->granule : buffer->count;
    const int64_t index = (int64_t)sample->index, first = index - index % granule;
    const int64_t left = buffer->count - first, count = left < granule ? left : granule;
    struct lab_expect *expect = &around->expect;
    if (around->known && around->buffer == sample->buffer && expect->first == first)
        return true;
    free(expect->want);
    *expect = (struct lab_expect){
        .want = calloc(2 * (size_t)count, sizeof *expect->want), .first = first, .count = count};
    around->buffer = sample->buffer;
    if (large->task->sum_of && !around->before)
        around->before = call_sums_before(large, buffer->count);
    if (!(around->known = expect->want != NULL && (!large->task->sum_of || around->before)))
        return false;
    expect->before = around->before ? around->before[first / granule] : 0;
    expect->tolerance = expect->want + count;
    large->task->expect(&large->run, (int)sample->buffer, expect);
    return true;
}

static void compare_with(const struct call *large, const struct protocol_sample *sample, double want,
                         double tolerance, struct sampled *out)
{
    const struct lab_buffer *buffer = &large->run.buffer[sample->buffer];
    const struct compare_view view = {
        .type = buffer->type, .got = sample->bytes, .want = &want, .tolerance = &tolerance, .count = 1};
    if (tolerance == LAB_UNTOUCHED || isnan(want))
        return;
    out->checked++;
    out->lonely += sample->lonely != 0;
    if (out->wrong || compare_right(&view, 0))
        return;
    out->wrong = true;
    out->index = (int64_t)sample->index;
    out->got = compare_got(&view, 0);
    out->want = want;
    text_set(out->name, sizeof out->name, "%s", buffer->name);
}

static void compare_one(const struct call *large, const struct protocol_sample *sample, struct around *around,
                        struct sampled *out)
{
    if (!expect_around(large, sample, around))
        return;
    const int64_t at = (int64_t)sample->index - around->expect.first;
    compare_with(large, sample, around->expect.want[at], around->expect.tolerance[at], out);
}

/* Of a sum or a largest element: whatever blocks were run, it is that of the elements that they have read. */
static bool compare_gathered(const struct call *large, const struct protocol_mailbox *mailbox, bool whole,
                             struct sampled *out)
{
    const bool is_key = large->run.buffer[0].type == LAB_UINT32;
    if (large->task->gathers == LAB_NOT_GATHERED || (whole && large->task->gathers == LAB_SUM))
        return false;
    const double want = large->task->gathers == LAB_SUM ? mailbox->read_sum
                        : out->put_at == 0              ? mailbox->read_largest
                        : is_key                        ? (double)PROTOCOL_LARGEST_KEY
                                                        : PROTOCOL_LARGEST_REAL;
    if (mailbox->sample_count > 0)
        compare_with(large, &mailbox->sample[0], want, 0, out);
    return true;
}

void sampled_compare(const struct call *small, const int64_t *arg, const struct protocol_mailbox *mailbox,
                     bool whole, struct sampled *out)
{
    struct call large;
    struct around around = {0};
    const bool is_part = mailbox->sampled_blocks > 0;
    *out = (struct sampled){.put_at = out->put_at, .largest_at = mailbox->read_largest_at};
    memcpy(out->read_at, mailbox->read_at, sizeof out->read_at);
    if (!sampled_can(small->task) || !call_shape(&large, small->task, arg, false) ||
        compare_gathered(&large, mailbox, whole, out) ||
        (is_part && (small->task->granule == 0 || small->task->sum_of)))
        return;
    large.run.seed = small->run.seed;
    if (enlarge(small, &large))
        for (uint32_t i = 0; i < mailbox->sample_count; i++)
            compare_one(&large, &mailbox->sample[i], &around, out);
    free(around.expect.want);
    free(around.before);
    give_back(&large);
}
