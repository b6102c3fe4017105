/* Inputs, poison and guard zones of one call, and what is left of them afterwards. */
#include "harness/judge/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/compare.h"
#include "harness/judge/inputs.h"
#include "harness/judge/memory.h"
#include "harness/lab/parallel.h"

/* Wide enough that a block that runs over an end still lands in it; keeps 256-byte alignment. */
#define GUARD_BYTES     16384u
#define LEAST_REFERENCE 4096 /* elements that are worth a thread: some take thousands of multiply-adds each */

/* What stands before and behind a buffer. Guards read as reals are NaN, so that a sum that runs over an end is wrong,
   not nearly right. */
static void make_guard(const struct call *call, int buffer, unsigned char guard[GUARD_BYTES])
{
    const size_t size = lab_type_size(call->run.buffer[buffer].type);
    for (size_t at = 0; at < GUARD_BYTES; at += sizeof(uint64_t)) {
        const uint64_t random = lab_random_u64(call->run.seed, 1000 + (uint64_t)buffer, at);
        memcpy(guard + at, &random, sizeof random);
    }
    for (size_t at = 0; at < GUARD_BYTES && call->run.buffer[buffer].type == LAB_REAL; at += size) {
        guard[at + size - 1] = 0x7f; /* little endian: sign and exponent come last */
        guard[at + size - 2] |= 0xf8;
    }
}

bool call_shape(struct call *call, const struct lab_task *task, const int64_t *arg, bool guarded)
{
    memset(call, 0, sizeof *call);
    call->task = task;
    call->run.arg = arg;
    call->run.buffer_count = task->shape(&call->run);
    if (call->run.buffer_count < 0 || call->run.buffer_count > LAB_MAX_BUFFERS)
        return false;
    uint64_t offset = protocol_first_slot();
    for (int i = 0; i < call->run.buffer_count; i++) {
        const struct lab_buffer *buffer = &call->run.buffer[i];
        struct protocol_buffer *spec = &call->spec[i];
        if (buffer->count < 0)
            return false;
        snprintf(spec->name, sizeof spec->name, "%s", buffer->name);
        spec->offset = offset;
        spec->bytes = (uint64_t)buffer->count * lab_type_size(buffer->type);
        spec->guard = guarded || buffer->on_host ? GUARD_BYTES : 0;
        spec->role = (uint32_t)buffer->role;
        spec->element = (uint32_t)lab_type_size(buffer->type);
        spec->on_host = buffer->on_host;
        spec->poison = (uint32_t)compare_poison(buffer->type);
        offset += protocol_slot_bytes(spec);
    }
    return true;
}

bool call_have_outputs(struct call *call)
{
    for (int i = 0; i < call->run.buffer_count; i++) {
        struct lab_buffer *buffer = &call->run.buffer[i];
        if (buffer->role == LAB_OUT && !buffer->data &&
            !(buffer->data = memory_take(call->spec[i].bytes + 1)))
            return false;
    }
    return true;
}

void call_drop_outputs(struct call *call)
{
    for (int i = 0; i < call->run.buffer_count; i++) {
        struct lab_buffer *buffer = &call->run.buffer[i];
        if (buffer->role != LAB_OUT)
            continue;
        memory_give_back(buffer->data, call->spec[i].bytes + 1);
        buffer->data = NULL;
    }
}

bool call_make(struct call *call, const struct lab_task *task, const int64_t *arg, uint64_t seed,
               bool guarded, char message[256])
{
    if (!call_shape(call, task, arg, guarded)) {
        snprintf(message, 256, "task %s does not allow these sizes: %s.h says which are allowed", task->id,
                 the_lab.name);
        return false;
    }
    call->run.seed = seed;
    if (!call_have_outputs(call)) {
        snprintf(message, 256, "not enough memory for %llu bytes",
                 (unsigned long long)call_arena_bytes(call));
        return false;
    }
    return inputs_get(call, message);
}

void call_free(struct call *call)
{
    inputs_done(call);
    for (int i = 0; i < LAB_MAX_BUFFERS; i++) {
        memory_give_back(call->run.buffer[i].data, call->spec[i].bytes + 1);
        call->run.buffer[i].data = NULL;
    }
}

uint64_t call_arena_bytes(const struct call *call)
{
    uint64_t bytes = protocol_first_slot();
    for (int i = 0; i < call->run.buffer_count; i++) {
        const uint64_t end = call->spec[i].offset + protocol_slot_bytes(&call->spec[i]);
        bytes = end > bytes ? end : bytes;
    }
    return bytes;
}

void call_move_outputs(struct call *call)
{
    uint64_t offset = call_arena_bytes(call);
    for (int i = 0; i < call->run.buffer_count; i++)
        if (call->spec[i].role == PROTOCOL_OUT) {
            call->spec[i].offset = offset;
            offset += protocol_slot_bytes(&call->spec[i]);
        }
}

/* ---- into the arena and back --------------------------------------------------------------------------- */

static void place_buffers(const struct call *call, const struct arena *arena)
{
    for (int i = 0; i < call->run.buffer_count; i++) {
        const struct protocol_buffer *spec = &call->spec[i];
        unsigned char *slot = (unsigned char *)arena->base + spec->offset;
        unsigned char guard[GUARD_BYTES];
        make_guard(call, i, guard);
        memcpy(slot, guard, spec->guard);
        memcpy(slot + spec->guard + spec->bytes, guard, spec->guard);
        if (spec->role == PROTOCOL_OUT) /* or what is there from a call before could pass for an answer */
            parallel_set(slot + spec->guard, (int)spec->poison, spec->bytes);
        else
            parallel_copy(slot + spec->guard, call->run.buffer[i].data, spec->bytes);
    }
}

void call_place(const struct call *call, const struct arena *arena, struct protocol_request *request)
{
    memcpy(request->arg, call->run.arg, sizeof request->arg);
    memcpy(request->buffer, call->spec, sizeof request->buffer);
    request->buffer_count = (uint32_t)call->run.buffer_count;
    snprintf(request->task, sizeof request->task, "%s", call->task->id);
    place_buffers(call, arena);
    if (arena->twin)
        place_buffers(call, arena->twin);
}

/* As many elements in each case: a parameter, as taps are, that honest host code may read and pass on. */
static bool is_parameter(const struct call *call, int buffer)
{
    struct call other;
    for (const struct lab_case *c = call->task->cases; c->name; c++)
        if (!call_shape(&other, call->task, c->arg, false) ||
            other.run.buffer[buffer].count != call->run.buffer[buffer].count)
            return false;
    return true;
}

/* What host code may see: what is passed to a function on the host, and parameters. Twice: as it was. */
static void exchange_seen(struct call *one, struct call *other)
{
    for (int i = 0; i < one->run.buffer_count; i++)
        if (one->run.buffer[i].role != LAB_OUT && (one->run.buffer[i].on_host || is_parameter(one, i))) {
            void *data = one->run.buffer[i].data;
            one->run.buffer[i].data = other->run.buffer[i].data;
            other->run.buffer[i].data = data;
        }
}

bool call_place_unseen(struct call *call, uint64_t seen, const struct arena *arena,
                       struct protocol_request *request)
{
    struct call other;
    char ignored[256];
    const bool made = call_make(&other, call->task, call->run.arg, seen, false, ignored);
    call_place(call, arena, request);
    if (made) {
        exchange_seen(call, &other);
        place_buffers(&other, arena);
        exchange_seen(call, &other);
    }
    call_free(&other);
    return made;
}

static void check_guards(struct call *call, int i, const unsigned char *slot)
{
    const struct protocol_buffer *spec = &call->spec[i];
    const unsigned char *behind = slot + spec->guard + spec->bytes;
    struct call_damage *damage = &call->damage[i];
    unsigned char guard[GUARD_BYTES];
    make_guard(call, i, guard);
    if (memcmp(slot, guard, spec->guard) == 0 && memcmp(behind, guard, spec->guard) == 0)
        return;
    for (uint64_t k = 0; k < spec->guard; k++) {
        if (slot[k] != guard[k]) {
            damage->bytes_before++;
            damage->nearest_before = (int64_t)(spec->guard - k);
        }
        if (behind[k] != guard[k] && damage->bytes_after++ == 0)
            damage->nearest_after = (int64_t)k;
    }
}

static void check_input(struct call *call, int i, const unsigned char *data)
{
    const struct lab_buffer *buffer = &call->run.buffer[i];
    size_t size = lab_type_size(buffer->type);
    if (parallel_same(data, buffer->data, call->spec[i].bytes))
        return;
    for (int64_t k = 0; k < buffer->count; k++) {
        size_t at = (size_t)k * size;
        if (memcmp(data + at, (const char *)buffer->data + at, size) != 0 &&
            call->damage[i].inputs_changed++ == 0)
            call->damage[i].first_input = k;
    }
}

void call_take(struct call *call, const struct arena *arena, const struct protocol_reply *reply,
               bool everything, bool outputs)
{
    memset(call->damage, 0, sizeof call->damage);
    memcpy(call->run.result, reply->result, sizeof call->run.result);
    for (int i = 0; i < call->run.buffer_count; i++) {
        const struct protocol_buffer *spec = &call->spec[i];
        const unsigned char *slot = (const unsigned char *)arena->base + spec->offset;
        if (!everything && spec->role != PROTOCOL_OUT)
            continue;
        check_guards(call, i, slot);
        if (spec->role == PROTOCOL_OUT && outputs)
            parallel_copy(call->run.buffer[i].data, slot + spec->guard, spec->bytes);
        else if (spec->role == PROTOCOL_IN)
            check_input(call, i, slot + spec->guard);
    }
}

struct sums {
    const struct call *call;
    double *before; /* of granule g at g; of a granule itself, at first, one further */
    int64_t count;
};

static void sum_granules(void *context, int64_t begin, int64_t end)
{
    const struct sums *s = context;
    const struct lab_task *task = s->call->task;
    for (int64_t g = begin; g < end; g++) {
        const int64_t first = g * task->granule, left = s->count - first;
        s->before[g + 1] = task->sum_of(&s->call->run, first, left < task->granule ? left : task->granule);
    }
}

double *call_sums_before(const struct call *call, int64_t count)
{
    const struct lab_task *task = call->task;
    if (!task->sum_of)
        return NULL;
    const int64_t granules = (count + task->granule - 1) / task->granule;
    struct sums sums = {call, calloc((size_t)granules + 1, sizeof(double)), count};
    if (!sums.before)
        return NULL;
    parallel_pieces(granules, LEAST_REFERENCE / task->granule + 1, 1, sum_granules, &sums);
    for (int64_t g = 0; g < granules; g++)
        sums.before[g + 1] += sums.before[g];
    return sums.before;
}

struct reference {
    const struct call *call;
    int buffer;
    const struct lab_expect *whole;
    double *before; /* see call_sums_before */
};

static void expect_part(void *context, int64_t begin, int64_t end)
{
    const struct reference *r = context;
    struct lab_expect part = {r->whole->want + begin, r->whole->tolerance + begin, begin, end - begin,
                              r->before ? r->before[begin / r->call->task->granule] : 0};
    r->call->task->expect(&r->call->run, r->buffer, &part);
}

bool call_expect(const struct call *call, int buffer, struct lab_expect *expect)
{
    struct reference reference = {call, buffer, expect, NULL};
    *expect =
        (struct lab_expect){.count = buffer < 0 ? call->task->result_count : call->run.buffer[buffer].count};
    if (buffer >= 0 && call->task->sum_of && !(reference.before = call_sums_before(call, expect->count)))
        return false;
    expect->want = calloc((size_t)expect->count + 1, sizeof(double));
    expect->tolerance = calloc((size_t)expect->count + 1, sizeof(double));
    const bool room = expect->want && expect->tolerance;
    if (!room)
        call_expect_free(expect);
    else if (buffer >= 0 && call->task->granule > 0)
        parallel_pieces(expect->count, LEAST_REFERENCE, call->task->granule, expect_part, &reference);
    else
        call->task->expect(&call->run, buffer, expect);
    free(reference.before);
    return room;
}

void call_expect_free(struct lab_expect *expect)
{
    free(expect->want);
    free(expect->tolerance);
    expect->want = expect->tolerance = NULL;
}
