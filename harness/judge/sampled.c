#define _GNU_SOURCE
#include "harness/judge/sampled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/base/text.h"
#include "harness/judge/compare.h"

bool sampled_can(const struct lab_task *task)
{
    return (task->granule > 0 || task->speed->all_blocks) && !task->sum_of && !task->intended_hazard;
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
    if (!(around->known = expect->want != NULL))
        return false;
    expect->tolerance = expect->want + count;
    large->task->expect(&large->run, (int)sample->buffer, expect);
    return true;
}

static void compare_one(const struct call *large, const struct protocol_sample *sample, struct around *around,
                        struct sampled *out)
{
    const struct lab_buffer *buffer = &large->run.buffer[sample->buffer];
    if (!expect_around(large, sample, around))
        return;
    const int64_t index = (int64_t)sample->index, at = index - around->expect.first;
    const double want = around->expect.want[at], tolerance = around->expect.tolerance[at];
    const struct compare_view view = {
        .type = buffer->type, .got = sample->bytes, .want = &want, .tolerance = &tolerance, .count = 1};
    if (tolerance == LAB_UNTOUCHED || isnan(want))
        return;
    out->checked++;
    if (out->wrong || compare_right(&view, 0))
        return;
    out->wrong = true;
    out->index = index;
    out->got = compare_got(&view, 0);
    out->want = want;
    text_set(out->name, sizeof out->name, "%s", buffer->name);
}

void sampled_compare(const struct call *small, const int64_t *arg, const struct protocol_mailbox *mailbox,
                     bool whole, struct sampled *out)
{
    struct call large;
    struct around around = {0};
    memset(out, 0, sizeof *out);
    if (!sampled_can(small->task) || (small->task->granule == 0 && !whole) ||
        !call_shape(&large, small->task, arg, false))
        return;
    large.run.seed = small->run.seed;
    if (enlarge(small, &large))
        for (uint32_t i = 0; i < mailbox->sample_count; i++)
            compare_one(&large, &mailbox->sample[i], &around, out);
    free(around.expect.want);
    give_back(&large);
}
