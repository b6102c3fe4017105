#include "harness/judge/inputs.h"

#include "harness/judge/seed.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/judge/memory.h"
#include "harness/lab/parallel.h"
#include "harness/result/grader.h"

#define MOST_KEPT  3
#define WORTH_KEPT (UINT64_C(64) << 20) /* bytes: smaller inputs are made again in no time */

struct inputs {
    const struct lab_task *task; /* NULL: this place is free */
    int64_t arg[LAB_MAX_ARGS];
    uint64_t seed, bytes, last_use;
    void *data[LAB_MAX_BUFFERS];
    uint64_t size[LAB_MAX_BUFFERS];
    int users;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct inputs kept[MOST_KEPT];
static uint64_t uses;

/* ---- making them --------------------------------------------------------------------------------------- */

static void fill_integers(struct lab_buffer *buffer, uint64_t seed, uint64_t stream)
{
    const size_t size = buffer->type == LAB_UINT8 ? 1 : 4;
    for (int64_t i = 0; i < buffer->count; i++) {
        uint64_t value = lab_random_u64(seed, stream, (uint64_t)i);
        memcpy((char *)buffer->data + (size_t)i * size, &value, size); /* little endian: low bytes */
    }
}

static void fill(struct call *call)
{
    if (call->task->fill) {
        call->task->fill(&call->run);
        return;
    }
    for (int i = 0; i < call->run.buffer_count; i++) {
        struct lab_buffer *buffer = &call->run.buffer[i];
        if (buffer->role == LAB_OUT)
            continue;
        if (buffer->type == LAB_REAL)
            lab_fill_real(buffer->data, buffer->count, call->run.seed, (uint64_t)i);
        else
            fill_integers(buffer, call->run.seed, (uint64_t)i);
    }
}

/* What a lab's own fill leaves out shows in small calls; the time to find it in large ones is worth saving. */
static bool may_be_left_out(const struct call *call, int buffer)
{
    return call->task->fill && call->spec[buffer].bytes < WORTH_KEPT;
}

static bool make(struct call *call, char message[256])
{
    for (int i = 0; i < call->run.buffer_count; i++) {
        struct lab_buffer *buffer = &call->run.buffer[i];
        if (buffer->role == LAB_OUT)
            continue;
        buffer->data = memory_take(call->spec[i].bytes + 1);
        if (!buffer->data) {
            snprintf(message, 256, "not enough memory for %llu bytes of %s",
                     (unsigned long long)call->spec[i].bytes, buffer->name);
            return false;
        }
        if (may_be_left_out(call, i))
            parallel_set(buffer->data, (int)call->spec[i].poison, call->spec[i].bytes);
    }
    fill(call);
    return true;
}

static uint64_t input_bytes(const struct call *call)
{
    uint64_t bytes = 0;
    for (int i = 0; i < call->run.buffer_count; i++)
        bytes += call->run.buffer[i].role == LAB_OUT ? 0 : call->spec[i].bytes + 1;
    return bytes;
}

/* ---- keeping them -------------------------------------------------------------------------------------- */

uint64_t inputs_room(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 8 : 0;
}

static void drop(struct inputs *inputs)
{
    for (int i = 0; i < LAB_MAX_BUFFERS; i++)
        memory_give_back(inputs->data[i], inputs->size[i]);
    memset(inputs, 0, sizeof *inputs);
}

static bool are_those_of(const struct inputs *inputs, const struct call *call)
{
    return inputs->task && plan_same_inputs(inputs->task, call->task) && inputs->seed == call->run.seed &&
           memcmp(inputs->arg, call->run.arg, sizeof inputs->arg) == 0;
}

/* A free place, with room for so many bytes; the inputs that were not used for the longest time make way. */
static struct inputs *make_room(uint64_t bytes)
{
    const uint64_t room = inputs_room();
    for (;;) {
        struct inputs *vacant = NULL, *oldest = NULL;
        uint64_t sum = bytes;
        for (int i = 0; i < MOST_KEPT; i++) {
            struct inputs *k = &kept[i];
            sum += k->bytes;
            if (!k->task)
                vacant = k;
            else if (k->users == 0 && (!oldest || k->last_use < oldest->last_use))
                oldest = k;
        }
        if (vacant && sum <= room)
            return vacant;
        if (!oldest)
            return NULL;
        drop(oldest);
    }
}

static void share(struct inputs *inputs, struct call *call)
{
    for (int i = 0; i < call->run.buffer_count; i++)
        if (call->run.buffer[i].role != LAB_OUT)
            call->run.buffer[i].data = inputs->data[i];
    inputs->users++;
    inputs->last_use = ++uses;
}

static void keep(struct inputs *place, const struct call *call)
{
    place->task = call->task;
    memcpy(place->arg, call->run.arg, sizeof place->arg);
    place->seed = call->run.seed;
    place->bytes = input_bytes(call);
    place->users = 1;
    place->last_use = ++uses;
    for (int i = 0; i < call->run.buffer_count; i++)
        if (call->run.buffer[i].role != LAB_OUT) {
            place->data[i] = call->run.buffer[i].data;
            place->size[i] = call->spec[i].bytes + 1;
        }
}

bool inputs_get(struct call *call, char message[256])
{
    bool good = true;
    struct inputs *found = NULL;
    if (input_bytes(call) < WORTH_KEPT)
        return make(call, message);
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MOST_KEPT && !found; i++)
        found = are_those_of(&kept[i], call) ? &kept[i] : NULL;
    if (found) {
        share(found, call);
    } else {
        struct inputs *place = make_room(input_bytes(call));
        good = make(call, message);
        if (good && place)
            keep(place, call);
    }
    pthread_mutex_unlock(&mutex);
    return good;
}

void inputs_done(struct call *call)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < call->run.buffer_count; i++) {
        struct lab_buffer *buffer = &call->run.buffer[i];
        bool shared = false;
        for (int k = 0; k < MOST_KEPT && buffer->role != LAB_OUT && buffer->data; k++)
            if (kept[k].data[i] == buffer->data) {
                shared = true;
                kept[k].users -= !call->left;
                call->left = true;
            }
        if (buffer->role != LAB_OUT && !shared)
            memory_give_back(buffer->data, call->spec[i].bytes + 1);
        if (buffer->role != LAB_OUT)
            buffer->data = NULL;
    }
    pthread_mutex_unlock(&mutex);
}

void inputs_retire(const struct lab_task *task)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MOST_KEPT; i++)
        if (kept[i].task && kept[i].users == 0 && !plan_same_inputs(kept[i].task, task))
            drop(&kept[i]);
    pthread_mutex_unlock(&mutex);
}

void inputs_forget(void)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MOST_KEPT; i++)
        drop(&kept[i]);
    pthread_mutex_unlock(&mutex);
}
